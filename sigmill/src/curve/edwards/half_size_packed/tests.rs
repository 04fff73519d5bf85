//! Four lanes of one formula against words: decoding, and equations whose outcome is known.

use super::{decode_packed_vartime, residual_packed_vartime};
use crate::ct::Mask;
use crate::curve::edwards::fixed_base::fixed_base;
use crate::curve::edwards::half_size::{Decoded, HalfDigits, HalfSize};
use crate::curve::edwards::{Decoding, Extended};
use crate::curve::tests::torsion_generator;
use crate::field::algebra::Algebra;
use crate::field::f25519::{Fe, Field, P};
use crate::scalar::l25519::Scalar;
use crate::tests::Expander;
use crate::word::{load_le, store_le};
use std::vec::Vec;

type Point = Extended<Fe>;
type Words = [u64; 4];

/// Affine coordinates.
fn affine(point: &Point) -> [Words; 2] {
    let [x, y, ..] = point.projective().normalized().products();
    [x, y].map(|product| load_le(&Fe::times::<1>(&product).to_bytes(Mask::from_bit(0))))
}

/// 0 to 7 times a point of order 8.
fn torsion() -> [Point; 8] {
    let order_8 = torsion_generator::<Fe>(());
    let mut multiple = Point::identity(());
    core::array::from_fn(|_| {
        let this = multiple;
        multiple = multiple.add(&order_8.cached()).extended();
        this
    })
}

/// y around 0, p and 2^255 with both signs, points of small order, and random strings.
fn encodings() -> Vec<[u8; 32]> {
    let mut encodings = Vec::new();
    let mut with_both_signs = |mut words: Words| {
        for _ in 0..2 {
            encodings.push(store_le(&words));
            words[3] ^= 1 << 63;
        }
    };
    for low in 0..=20 {
        with_both_signs([low, 0, 0, 0]);
        with_both_signs([P[0] - low, P[1], P[2], P[3]]);
        with_both_signs([u64::MAX - low.min(18), P[1], P[2], P[3]]);
    }
    torsion().iter().for_each(|point| with_both_signs(load_le(&point.projective().encode())));
    let mut random = Expander::new("encodings for packed coordinates");
    (0..200).for_each(|_| encodings.push(random.bytes()));
    encodings
}

#[test]
fn decoding_is_that_of_one_lane_and_digits_are_made_meanwhile() {
    let encodings = encodings();
    let (mut points, mut others, mut not_canonical, mut pairs) = (0, 0, 0, 0);
    let no_pair = scalar(&[1, 0, 0, 0]).negated();
    for (i, first) in encodings.iter().enumerate() {
        let second = &encodings[(7 * i + 3) % encodings.len()];
        // an integer like any other, and one without a short pair
        let k = if i % 7 > 0 { scalar(&load_le(second)) } else { no_pair };
        let [mut digits, mut alone_digits] = [const { None }; 2];
        let Some(decoded) = decode_packed_vartime([first, second], &k, first, &mut digits) else {
            std::eprintln!("SKIPPED: this CPU has no packed coordinates; nothing was tested");
            return;
        };
        let expected = HalfSize::new_vartime(&k, first);
        assert!(expected.is_none() || i % 7 > 0);
        pairs += u32::from(expected.is_some());
        let alone = decode_packed_vartime([second], &k, first, &mut alone_digits);
        let alone = alone.expect("packed coordinates");
        for made in [&digits, &alone_digits] {
            let expected = expected.map(|halves| (halves.digits_vartime(), halves.u_negative));
            let made = made.as_ref().map(|made| (made.digits, made.u_negative));
            assert!(made == expected, "{:x?} {first:x?}", k.words());
        }
        let decoded = decoded.into_iter().chain(alone);
        for (bytes, decoded) in [first, second, second].into_iter().zip(decoded) {
            let (point, decoding) = Point::decode((), bytes);
            assert_eq!(decoded.decoding.decodes, decoding.decodes.is_true_vartime(), "{bytes:x?}");
            if decoded.decoding.decodes {
                points += 1;
                assert_eq!([decoded.x, decoded.y], affine(&point), "{bytes:x?}");
                let canonical = decoding.canonical.is_true_vartime();
                assert_eq!(decoded.decoding.canonical, canonical, "{bytes:x?}");
                not_canonical += u32::from(!canonical);
            } else {
                others += 1;
            }
        }
    }
    assert!(points > 200 && others > 100 && not_canonical > 20 && pairs > 200);
}

fn scalar(words: &[u64; 4]) -> Scalar {
    Scalar::reduce_narrow(&store_le(words))
}

/// Integers below 2^140, the second kind odd: the smallest, the largest, long runs of ones, random ones.
fn halves(random: &mut Expander) -> Vec<([u64; 3], bool, [u64; 3])> {
    let top = (1 << 12) - 1;
    let mut some = [
        ([0; 3], [1, 0, 0]),
        ([1, 0, 0], [1, 0, 0]),
        ([u64::MAX, u64::MAX, top], [u64::MAX, u64::MAX, top]),
        ([u64::MAX, u64::MAX, 0], [1, 0, 1 << 11]),
        ([0, 0, 1 << 11], [u64::MAX, 0, top]),
        ([0, u64::MAX, 0], [0x5555_5555_5555_5555; 3].map(|word: u64| word & top | 1)),
    ]
    .to_vec();
    for i in 0..12 {
        let word = |random: &mut Expander| [random.word(), random.word(), random.word() & top];
        let (mut u, mut c) = (word(random), word(random));
        if i % 2 == 0 {
            (u[2], c[2]) = (0, 0); // as long as they mostly are
        }
        c[0] |= 1;
        some.push((u, c));
    }
    some.into_iter().flat_map(|(u, c)| [(u, false, c), (u, true, c)]).collect()
}

#[test]
fn equations_hold_where_they_should() {
    let torsion = torsion();
    let mut random = Expander::new("equations packed");
    let eight = |integer: &[u64; 3]| integer[0] as usize % 8;
    let mut outcomes = [0; 2];
    let choices = [[0; 4], [1, 0, 0, 0], core::array::from_fn(|_| random.word())];
    for (n, (u, u_negative, c)) in halves(&mut random).into_iter().enumerate() {
        let integer = |words: &[u64; 3]| scalar(&[words[0], words[1], words[2], 0]);
        let signed_u = if u_negative { integer(&u).negated() } else { integer(&u) };
        for pair in 0..64 {
            // A = [a]B + T and R = [r]B + T', D = [b − u·a − c·r]B − [u]T − [c]T'
            let [a, r] = [pair + n, pair / 3 + n].map(|i| scalar(&choices[i % 3]));
            let b = integer(&c).mul_add(&r, &signed_u.mul_add(&a, &Scalar::ZERO));
            let (a, r) = (fixed_base::<Fe>((), &a), fixed_base::<Fe>((), &r));
            let (i, j) = (pair % 8, pair / 8);
            let decoded = |point: &Point, torsion: &Point| {
                let [x, y] = affine(&point.add(&torsion.cached()).extended());
                Decoded { x, y, decoding: Decoding { decodes: true, canonical: true } }
            };
            let (a, r) = (decoded(&a, &torsion[i]), decoded(&r, &torsion[j]));
            let u_mod_8 = if u_negative { 8 - eight(&u) } else { eight(&u) };
            let exact = (u_mod_8 * i + eight(&c) * j) % 8 == 0;
            outcomes[usize::from(exact)] += 1;
            let holds = |b: &Scalar, times_8: bool| {
                let scalars = HalfSize { u, u_negative, c, b: *b.words() };
                residual_packed_vartime(&a, &r, &HalfDigits::new_vartime(&scalars), times_8)
            };
            let Some(is_identity) = holds(&b, false) else {
                std::eprintln!("SKIPPED: this CPU has no packed coordinates; nothing was tested");
                return;
            };
            assert_eq!(is_identity, exact, "{u:x?} {u_negative} {c:x?} {i} {j}");
            assert_eq!(holds(&b, true), Some(true));
            let other = Scalar::sum(b.words(), &[1, 0, 0, 0]);
            assert_eq!(holds(&other, false), Some(false));
            assert_eq!(holds(&other, true), Some(false));
        }
    }
    assert!(outcomes.iter().all(|count| *count > 100), "{outcomes:?}");
}
