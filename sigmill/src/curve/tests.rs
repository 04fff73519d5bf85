//! The group law: exceptional cases, torsion, and every multiplication against plain doubling and
//! adding.

use super::edwards::fixed_base::fixed_base;
use super::edwards::straus::{PreparedPoint, double_base_vartime};
use super::edwards::{Extended, Projective, equal};
use crate::field::f25519::SingleField;
#[cfg(sigmill_lanes)]
use crate::field::f25519::tests;
use crate::field::f25519::tests::{Fiat32, Fiat64, U32x10, U64x4};
use crate::scalar::l25519::{ORDER, Scalar};
use crate::tests::Expander;
use crate::word::store_le;
use std::vec::Vec;

/// One test for each field backend.
macro_rules! for_all_backends {
    ($($test:ident)*) => {
        $(#[test]
        fn $test() {
            all::$test::<U64x4>(());
            all::$test::<U32x10>(());
            all::$test::<Fiat64>(());
            all::$test::<Fiat32>(());
            #[cfg(sigmill_lanes)]
            tests::run::<tests::U64x4Adx>(all::$test::<tests::U64x4Adx>);
        })*
    };
}

for_all_backends! {
    eight_times_the_torsion_generator_is_the_identity_and_four_times_is_not
    the_base_point_has_prime_order
    addition_is_complete
    fixed_base_is_double_and_add
    double_base_and_prepared_are_double_and_add
    normalized_points_are_the_same_points
}

type Point<F> = Extended<F>;

const ZERO: [u64; 4] = [0; 4];
/// A point of order 8, y in little-endian bytes.
const ORDER_8: [u8; 32] = [
    0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f,
    0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a,
];

fn base<F: SingleField>(token: F::Token) -> Point<F> {
    let mut encoding = [0x66; 32];
    encoding[0] = 0x58;
    let (point, decoding) = Point::<F>::decode(token, &encoding);
    assert!(decoding.decodes.is_true_vartime() && decoding.canonical.is_true_vartime());
    point
}

pub(super) fn torsion_generator<F: SingleField>(token: F::Token) -> Point<F> {
    let (point, decoding) = Point::<F>::decode(token, &ORDER_8);
    assert!(decoding.decodes.is_true_vartime());
    point
}

fn add<F: SingleField>(p: &Point<F>, q: &Point<F>) -> Point<F> {
    p.add(&q.cached()).extended()
}

/// Double and add, bit by bit.
fn times<F: SingleField>(scalar: &[u64; 4], p: &Point<F>) -> Point<F> {
    (0..256).rev().fold(Point::<F>::identity(p.token()), |acc, bit| {
        let twice = acc.double().extended();
        if scalar[bit / 64] >> (bit % 64) & 1 == 1 { add(&twice, p) } else { twice }
    })
}

fn same<F: SingleField>(p: &Point<F>, q: &Point<F>) -> bool {
    equal(&p.projective(), &q.projective()).is_true_vartime()
}

fn scalars() -> Vec<[u64; 4]> {
    let mut list = vec_of_small();
    let mut expander = Expander::new("curve scalars");
    for _ in 0..30 {
        let mut words: [u64; 4] = core::array::from_fn(|_| expander.word());
        words[3] >>= 1;
        list.push(words);
        list.push([0, words[1], 0, words[3]]);
    }
    list.push(ORDER);
    list.push([ORDER[0] - 1, ORDER[1], ORDER[2], ORDER[3]]);
    list.push([u64::MAX, u64::MAX, u64::MAX, u64::MAX >> 1]);
    list.push([0x8888_8888_8888_8888; 4].map(|word: u64| word >> 1));
    list.push([0, 0, 0, 1 << 62]);
    list
}

fn vec_of_small() -> Vec<[u64; 4]> {
    (0..40).map(|k| [k, 0, 0, 0]).collect()
}

mod all {
    use super::*;

    pub(super) fn eight_times_the_torsion_generator_is_the_identity_and_four_times_is_not<
        F: SingleField,
    >(
        token: F::Token,
    ) {
        let t = torsion_generator::<F>(token).projective();
        let four = t.double().projective().double().projective();
        assert!(!four.is_identity().is_true_vartime());
        assert!(t.times_8().is_identity().is_true_vartime());
        assert!(t.is_small().is_true_vartime());
        assert!(!base::<F>(token).projective().is_small().is_true_vartime());
    }

    pub(super) fn the_base_point_has_prime_order<F: SingleField>(token: F::Token) {
        let p = times(&ORDER, &base::<F>(token));
        assert!(p.projective().is_identity().is_true_vartime());
    }

    pub(super) fn addition_is_complete<F: SingleField>(token: F::Token) {
        // identity, torsion, base, mixtures: every ordered pair, doubling and inverses included
        let (b, t) = (base::<F>(token), torsion_generator::<F>(token));
        let mut points = Vec::new();
        for i in 0..8 {
            for j in 0..4 {
                points.push(add(&times(&[i, 0, 0, 0], &t), &times(&[j, 0, 0, 0], &b)));
            }
        }
        for (i, p) in points.iter().enumerate() {
            assert!(same(&p.double().extended(), &add(p, p)), "2P = P + P, point {i}");
            assert!(same(&add(p, &p.neg()), &Point::<F>::identity(token)), "P − P, point {i}");
            assert!(same(&p.sub(&p.cached()).extended(), &Point::<F>::identity(token)));
            for q in &points {
                assert!(same(&add(p, q), &add(q, p)));
                assert!(same(&p.sub(&q.cached()).extended(), &add(p, &q.neg())));
                // the sum satisfies the curve equation, as its encoding decodes back to it
                let sum = add(p, q);
                let (back, decoding) = Point::<F>::decode(token, &sum.projective().encode());
                assert!(decoding.decodes.is_true_vartime() && decoding.canonical.is_true_vartime());
                assert!(same(&back, &sum));
            }
        }
    }

    pub(super) fn fixed_base_is_double_and_add<F: SingleField>(token: F::Token) {
        for scalar in scalars() {
            let of_order = Scalar::reduce_narrow(&store_le(&scalar));
            assert!(
                same(&fixed_base::<F>(token, &of_order), &times(&scalar, &base::<F>(token))),
                "{scalar:x?}"
            );
        }
    }

    pub(super) fn double_base_and_prepared_are_double_and_add<F: SingleField>(token: F::Token) {
        let (b, t) = (base::<F>(token), torsion_generator::<F>(token));
        let list = scalars();
        let points = [Point::<F>::identity(token), t, b, add(&times(&[77, 5, 3, 1], &b), &t)];
        for p in &points {
            let mut prepared = PreparedPoint::EMPTY;
            prepared.fill_in_words(p);
            for (i, scalar) in list.iter().enumerate() {
                let other = &list[(i * 17 + 11) % list.len()];
                for (a, s) in [(scalar, other), (scalar, &ZERO), (&ZERO, scalar)] {
                    let expected = add(&times(a, p), &times(s, &b));
                    assert!(same(&double_base_vartime(a, p, s), &expected), "{a:x?} {s:x?}");
                    let got = prepared.double_base_vartime::<F>(token, a, s);
                    assert!(same(&got, &expected), "{a:x?} {s:x?}");
                }
            }
        }
    }

    pub(super) fn normalized_points_are_the_same_points<F: SingleField>(token: F::Token) {
        let p = times(&[123, 4, 5, 6], &base::<F>(token));
        let normalized = p.projective().normalized();
        assert!(same(&p, &normalized));
        assert_eq!(normalized.encode_normalized(), p.projective().encode());
        assert!(same(&normalized.double().extended(), &p.double().extended()));
        assert!(Projective::<F>::identity(token).is_identity().is_true_vartime());
    }
}
