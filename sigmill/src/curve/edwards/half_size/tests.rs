//! Verification with scalars of half the length against plain doubling and adding, in every field.

use super::super::Extended;
use super::{Decoded, HalfSize, decode_vartime, full_residual_vartime, residual_vartime};
use crate::ct::Mask;
use crate::field::f25519::tests::{Fiat32, Fiat64, U32x10, U64x4};
#[cfg(sigmill_lanes)]
use crate::field::f25519::tests::{U64x4Adx, run};
use crate::field::f25519::{ONE, SingleField};
use crate::scalar::l25519::{ORDER, Scalar};
use crate::tests::Expander;
use crate::word::{load_le, store_le};
use std::vec::Vec;

/// B, and a point of order 8.
const BASE: [u8; 32] = {
    let mut encoding = [0x66; 32];
    encoding[0] = 0x58;
    encoding
};
const ORDER_8: [u8; 32] = [
    0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f,
    0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a,
];

fn point<F: SingleField>(token: F::Token, encoding: &[u8; 32]) -> Extended<F> {
    let (point, decoding) = Extended::<F>::decode(token, encoding);
    assert!(decoding.decodes.is_true_vartime());
    point
}

/// Double and add, bit by bit.
fn times<F: SingleField>(token: F::Token, scalar: &[u64; 4], p: &Extended<F>) -> Extended<F> {
    (0..256).rev().fold(Extended::identity(token), |acc, bit| {
        let twice = acc.double().extended();
        let add = scalar[bit / 64] >> (bit % 64) & 1 == 1;
        if add { twice.add(&p.cached()).extended() } else { twice }
    })
}

/// aB + iT for a point T of order 8.
fn with_torsion<F: SingleField>(token: F::Token, a: &Scalar, i: u64) -> Decoded {
    let multiple = times(token, a.words(), &point::<F>(token, &BASE));
    let torsion = times(token, &[i, 0, 0, 0], &point::<F>(token, &ORDER_8));
    let sum = multiple.add(&torsion.cached()).extended();
    Decoded::from_point(&sum.projective().normalized())
}

fn scalar(expander: &mut Expander) -> Scalar {
    Scalar::reduce_wide(&expander.bytes())
}

fn small(words: [u64; 4]) -> Scalar {
    Scalar::reduce_narrow(&store_le(&words))
}

/// `a·b + c mod ℓ`.
fn combined(a: &Scalar, b: &Scalar, c: &Scalar) -> Scalar {
    a.mul_add(b, c)
}

fn all_torsion<F: SingleField>(token: F::Token) {
    let mut expander = Expander::new("torsion in halves");
    let (mut exact, mut halved) = (0, 0);
    for (i, j) in (0..8).flat_map(|i| (0..8).map(move |j| (i, j))) {
        let [a, r, random] = [(); 3].map(|()| scalar(&mut expander));
        let (key, commitment) = (with_torsion::<F>(token, &a, i), with_torsion::<F>(token, &r, j));
        // ℓ − 1 and ℓ − 2 have no short pair
        let last = small([ORDER[0] - 1, ORDER[1], ORDER[2], ORDER[3]]);
        let near = small([ORDER[0] - 2, ORDER[1], ORDER[2], ORDER[3]]);
        for k in [random, last, near, small(ONE), small([0; 4]), small([8, 0, 0, 0])] {
            let good = combined(&k, &a, &r);
            let wrong = Scalar::sum(good.words(), &ONE);
            for s in [good, wrong] {
                let is_good = s.words() == good.words();
                // what is left of a good signature is −(k·i + j)T
                let holds = is_good && (k.words()[0].wrapping_mul(i) + j) % 8 == 0;
                exact += u32::from(holds);
                for (times_8, expected) in [(false, holds), (true, is_good)] {
                    let full = full_residual_vartime(&key, &commitment, &k, &s, times_8);
                    assert_eq!(full, expected, "full, {i} {j} {:x?}", k.words());
                    let Some(halves) = HalfSize::new_vartime(&k, &s.to_bytes()) else { continue };
                    let got = residual_vartime::<F>(token, &key, &commitment, &halves, times_8);
                    assert_eq!(got, expected, "{i} {j} {:x?}", k.words());
                    halved += 1;
                }
                let has_halves = HalfSize::new_vartime(&k, &s.to_bytes()).is_some();
                let is_long = [last, near].iter().any(|long| long.words() == k.words());
                assert_eq!(has_halves, !is_long, "{:x?}", k.words());
            }
        }
    }
    assert!(exact > 40 && halved == 64 * 4 * 4, "{exact} {halved}");
}

/// Scalars on the edge of their bounds, which no k leads to.
fn edges<F: SingleField>(token: F::Token) {
    let mut expander = Expander::new("edges of halves");
    let longest = [u64::MAX, u64::MAX, (1 << 12) - 1];
    let list = [
        [0; 3],
        [1, 0, 0],
        longest,
        [0, 0, 1 << 11],
        [u64::MAX, u64::MAX, 0],
        [0, 1 << 63, 0],
        [1 << 63, 0, 1],
        [0x8888_8888_8888_8888, 0x5555_5555_5555_5555, 0xaaa],
    ];
    let integer = |[low, middle, high]: [u64; 3]| small([low, middle, high, 0]);
    for (u, c, u_negative) in list
        .into_iter()
        .flat_map(|u| list.into_iter().flat_map(move |c| [(u, c, false), (u, c, true)]))
    {
        let [a, r] = [(); 2].map(|()| scalar(&mut expander));
        let (key, commitment) = (with_torsion::<F>(token, &a, 0), with_torsion::<F>(token, &r, 0));
        let ua = combined(&integer(u), &a, &Scalar::ZERO);
        let ua = if u_negative { ua.negated() } else { ua };
        let b = combined(&integer(c), &r, &ua);
        for (b, expected) in [(b, true), (Scalar::sum(b.words(), &ONE), false)] {
            let scalars = HalfSize { u, u_negative, c, b: *b.words() };
            for times_8 in [false, true] {
                let got = residual_vartime::<F>(token, &key, &commitment, &scalars, times_8);
                assert_eq!(got, expected, "{u:x?} {u_negative} {c:x?} {:x?}", b.words());
            }
        }
    }
    // every digit of b alone: b·B − 1·R
    for bit in 0..252 {
        let mut b = [0; 4];
        b[bit / 64] = 1 << (bit % 64);
        let commitment = with_torsion::<F>(token, &small(b), 0);
        let scalars = HalfSize { u: [0; 3], u_negative: false, c: [1, 0, 0], b };
        assert!(residual_vartime::<F>(token, &commitment, &commitment, &scalars, false), "{bit}");
    }
}

fn pairs_decode<F: SingleField>(token: F::Token) {
    let mut expander = Expander::new("pairs to decode");
    let mut encodings: Vec<[u8; 32]> = (0..60).map(|_| expander.bytes()).collect();
    for low in 0..40 {
        // y near 0, p and 2^255, with both signs
        for [first, last] in [[low, 0], [0xd8 + low, 0x7f], [low, 0x80], [0xd8 + low, 0xff]] {
            let mut encoding = [if last & 0x7f == 0 { 0 } else { 0xff }; 32];
            (encoding[0], encoding[31]) = (first, last);
            encodings.push(encoding);
        }
    }
    encodings.push(ORDER_8);
    let mut seen = [0; 3];
    for (i, first) in encodings.iter().enumerate() {
        let second = &encodings[(7 * i + 3) % encodings.len()];
        let pair = decode_vartime::<F, 2>(token, &[first, second]);
        let [single] = decode_vartime::<F, 1>(token, &[first]);
        for (bytes, got) in [(first, pair[0]), (second, pair[1]), (first, single)] {
            let (point, decoding) = Extended::<F>::decode(token, bytes);
            assert_eq!(got.decoding.decodes, decoding.decodes.is_true_vartime(), "{bytes:x?}");
            if !got.decoding.decodes {
                seen[0] += 1;
                continue;
            }
            assert_eq!(got.decoding.canonical, decoding.canonical.is_true_vartime(), "{bytes:x?}");
            seen[1 + usize::from(got.decoding.canonical)] += 1;
            let [x, y, _] = point.projective().xyz();
            let words = |value: F| load_le(&value.to_bytes(Mask::from_bit(0)));
            assert_eq!([got.x, got.y], [words(x), words(y)], "{bytes:x?}");
            assert_eq!(got.is_small_vartime(), point.projective().is_small().is_true_vartime());
        }
    }
    assert!(seen.iter().all(|count| *count > 9), "{seen:?}");
}

macro_rules! for_all_backends {
    ($($name:ident: $test:ident)*) => {
        $(mod $name {
            use super::*;

            #[test]
            fn u64x4() {
                $test::<U64x4>(());
            }

            #[cfg(sigmill_lanes)]
            #[test]
            fn u64x4_adx() {
                run::<U64x4Adx>($test::<U64x4Adx>);
            }

            #[test]
            fn u32x10() {
                $test::<U32x10>(());
            }

            #[test]
            fn fiat64() {
                $test::<Fiat64>(());
            }

            #[test]
            fn fiat32() {
                $test::<Fiat32>(());
            }
        })*
    };
}

for_all_backends! {
    torsion_stays_exact: all_torsion
    scalars_up_to_their_bounds: edges
    pairs_decode_as_points_do_alone: pairs_decode
}
