//! Multiplication on P-256 and P-384 against the slow reference: small scalars, scalars near n, random
//! ones, and every exceptional case of the formulas.

use super::super::double_base::{DoubleBase, double_base_vartime};
use super::super::{NistP256, NistP384};
use super::{
    Affine, BASE_DIGITS, Curve, FixedBase, Jacobian, MAX_WIDTH, MultipleOfPoint, fixed_base,
    multiple_of_point,
};
use crate::field::nist::run_in_words;
use crate::modular::{Arithmetic, PrimeField};
use crate::scalar::recode::{odd_digits, odd_digits_of};
use crate::simd::Kernel;
use alloc::vec::Vec;
use num_bigint::{BigInt, BigUint};
use proptest::prelude::*;

#[path = "../../../../tests/reference/weierstrass.rs"]
#[allow(dead_code, missing_docs, unreachable_pub)]
mod reference;

/// A reduced residue of an integer.
fn residue<F: PrimeField>(x: &BigUint) -> F {
    let modulus = F::MODULUS;
    let len = F::BITS.div_ceil(8);
    let m = integer_of_words(modulus.as_ref());
    let bytes = (x % m).to_bytes_be();
    let mut padded = [0; MAX_WIDTH];
    padded[len - bytes.len()..len].copy_from_slice(&bytes);
    F::from_be_bytes(&padded[..len]).0
}

fn integer_of_words(words: &[u64]) -> BigUint {
    words.iter().rev().fold(BigUint::ZERO, |sum, word| (sum << 64) + word)
}

fn integer<F: PrimeField>(x: &F) -> BigUint {
    integer_of_words(x.to_words().as_ref())
}

fn affine<F: PrimeField>(point: &reference::Point) -> Affine<F> {
    let (x, y) = point.as_ref().expect("not infinity");
    Affine { x: residue(x), y: residue(y) }
}

/// x and y, `None` for infinity.
fn plain<F: PrimeField>(p: &Jacobian<F>) -> reference::Point {
    if p.is_infinity().is_true_vartime() {
        return None;
    }
    let z_inverse = p.z.invert();
    let zz = z_inverse.square();
    Some((integer(&p.x.mul(&zz)), integer(&p.y.mul(&zz.mul(&z_inverse)))))
}

fn fixed<C: Curve>(k: &BigUint) -> reference::Point {
    let k = residue(k);
    let portable = coordinates(&Kernel::<C::Fe>::run(FixedBase::<C>(&k), ()));
    // where the CPU has more, in other words
    assert_eq!(coordinates(&fixed_base::<C>(&k)), portable);
    portable
}

/// `None` for (0, 0).
fn coordinates<F: PrimeField>(Affine { x, y }: &Affine<F>) -> reference::Point {
    let point = (integer(x), integer(y));
    (point != (BigUint::ZERO, BigUint::ZERO)).then_some(point)
}

/// By the formulas that take any point.
fn secret<C: Curve>(k: &BigUint, q: &reference::Point) -> reference::Point {
    let (scalar, point) = (&residue(k), &affine(q));
    let portable = coordinates(&Kernel::<C::Fe>::run(MultipleOfPoint::<C> { scalar, point }, ()));
    assert_eq!(coordinates(&multiple_of_point::<C>(scalar, point)), portable);
    portable
}

fn both<C: Curve>(u1: &BigUint, u2: &BigUint, q: &reference::Point) -> reference::Point {
    let (u1, u2, q) = (residue(u1), residue(u2), affine(q));
    let sum = plain(&double_base_vartime::<C, C::Fe>(&u1, &u2, &q));
    let x = |[numerator, denominator]: [C::Fe; 2]| {
        let infinite = denominator.is_zero().is_true_vartime();
        (!infinite).then(|| integer(&numerator.mul(&denominator.invert())))
    };
    let expected = sum.as_ref().map(|(x, _)| x.clone());
    // in words as the CPU has them, and where it has lanes by other formulas
    let kernel = DoubleBase::<C> { u1: &u1, u2: &u2, q: &q };
    assert_eq!(x(run_in_words::<C::Fe, _>(kernel)), expected);
    assert_eq!(x(C::x_of_double_base_vartime(&u1, &u2, &q)), expected);
    sum
}

#[test]
fn multiples_of_the_reference_are_its_sums() {
    for curve in [reference::p256(), reference::p384()] {
        let n = &curve.n;
        let half: BigUint = (n + 1_u8) >> 1;
        let q = curve.times(&curve.g, &(&half - 5_u8));
        let (mut sum, mut minus) = (None, curve.neg(&None));
        for k in 0..40_u8 {
            assert_eq!(curve.times(&q, &BigUint::from(k)), sum, "{k}");
            assert_eq!(curve.times(&q, &(n - k)), minus, "n - {k}");
            assert_eq!(curve.times(&q, &(n + k)), sum, "n + {k}");
            sum = curve.add(&sum, &q);
            minus = curve.neg(&sum);
        }
        let twice = curve.add(&curve.times(&q, &half), &curve.times(&q, &half));
        assert_eq!(twice, q);
        assert_eq!(curve.times(&None, &half), None);
        assert!(curve.is_on_curve(q.as_ref().expect("not a multiple of n")));
    }
}

/// Each k from 0 to 2^12 and from n − 2^12 to n by the base point's tables, and each to 2^9, beyond the widest
/// digits, then one in eight, by the other ways of multiplying.
fn small_and_large<C: Curve>(curve: &reference::Curve) {
    let (mut multiple, zero) = (None, BigUint::ZERO);
    for small in 0..=4096_u32 {
        let k = BigUint::from(small);
        let minus = curve.neg(&multiple);
        assert_eq!(fixed::<C>(&k), multiple, "{k}");
        assert_eq!(fixed::<C>(&(&curve.n - &k)), minus, "n - {k}");
        if small <= 512 || small % 8 == 3 {
            assert_eq!(secret::<C>(&k, &curve.g), multiple, "{k}");
            assert_eq!(secret::<C>(&(&curve.n - &k), &curve.g), minus, "n - {k}");
            assert_eq!(both::<C>(&k, &zero, &curve.g), multiple, "{k}");
            assert_eq!(both::<C>(&zero, &k, &curve.g), multiple, "{k}");
            assert_eq!(both::<C>(&(&curve.n - &k), &zero, &curve.g), minus, "n - {k}");
            assert_eq!(both::<C>(&zero, &(&curve.n - &k), &curve.g), minus, "n - {k}");
        }
        multiple = curve.add(&multiple, &curve.g);
    }
}

#[test]
fn small_and_large_multiples_on_p256() {
    small_and_large::<NistP256>(&reference::p256());
}

#[test]
fn small_and_large_multiples_on_p384() {
    small_and_large::<NistP384>(&reference::p384());
}

/// Sums that meet the same point, the opposite one and infinity: Q = ±[j]G for small j and for j half
/// of n, u1 and u2 such that their multiples are equal, opposite or cancel.
fn exceptional<C: Curve>(curve: &reference::Curve) {
    let n = &curve.n;
    let half: BigUint = (n + 1_u8) >> 1;
    let mut scalars: Vec<BigUint> = (0..6_u8).map(BigUint::from).collect();
    scalars.extend((1..4_u8).map(|k| n - k));
    scalars.push(half.clone());
    let mut multiples: Vec<BigUint> = [1_u8, 2, 3, 5, 16].map(BigUint::from).to_vec();
    multiples.extend([n - 1_u8, n - 3_u8, half]);
    // the reference takes long for large multiples
    let all = |point: &reference::Point| -> Vec<_> {
        scalars.iter().map(|k| curve.times(point, k)).collect()
    };
    let of_g = all(&curve.g);
    for j in multiples {
        let q = curve.times(&curve.g, &j);
        let of_q = all(&q);
        for (u1, first) in scalars.iter().zip(&of_g) {
            for (u2, second) in scalars.iter().zip(&of_q) {
                let expected = curve.add(first, second);
                assert_eq!(both::<C>(u1, u2, &q), expected, "[{u1}]G + [{u2}][{j}]G");
            }
        }
    }
}

#[test]
fn exceptional_sums_on_p256() {
    exceptional::<NistP256>(&reference::p256());
}

#[test]
fn exceptional_sums_on_p384() {
    exceptional::<NistP384>(&reference::p384());
}

/// Scalars with long runs of equal bits, which carry in digit forms, and random ones.
fn scalar() -> impl Strategy<Value = BigUint> {
    let runs = prop::collection::vec((any::<bool>(), 1_usize..100), 1..12).prop_map(|runs| {
        runs.iter().fold(BigUint::ZERO, |sum, (ones, bits)| {
            let run = if *ones { (BigUint::from(1_u8) << *bits) - 1_u8 } else { BigUint::ZERO };
            (sum << *bits) + run
        })
    });
    let random = prop::collection::vec(any::<u8>(), 48).prop_map(|b| BigUint::from_bytes_be(&b));
    prop_oneof![runs, random]
}

fn agree<C: Curve>(curve: &reference::Curve, scalars: [BigUint; 3]) {
    let [u1, u2, d] = scalars.map(|k| k % &curve.n);
    let q = curve.times(&curve.g, &(&d + 1_u8));
    let (of_g, of_q) = (curve.times(&curve.g, &u1), curve.times(&q, &u2));
    assert_eq!(fixed::<C>(&u1), of_g);
    assert_eq!(both::<C>(&u1, &u2, &q), curve.add(&of_g, &of_q));
    assert_eq!(secret::<C>(&u2, &q), of_q);
    let (x, y) = q.as_ref().expect("d + 1 is not a multiple of n");
    let point = affine::<C::Fe>(&q);
    assert!(point.is_on_curve::<C>().is_true_vartime());
    assert!(!Affine { y: point.y.add(&C::Fe::ONE), ..point }.is_on_curve::<C>().is_true_vartime());
    for odd in [false, true] {
        let (found, exists) =
            Affine::with_x::<C>(&point.x, crate::ct::Mask::from_bit(u64::from(odd)));
        assert!(exists.is_true_vartime());
        let expected = if y.bit(0) == odd { y.clone() } else { &curve.p - y };
        assert_eq!((integer(&found.x), integer(&found.y)), (x.clone(), expected));
    }
}

/// Where a multiple of G is made, no sum meets the point that is added to it, or its opposite; of integers mod n.
fn sums_are_unequal<C: Curve>(curve: &reference::Curve, k: &BigUint) {
    let (k, n) = (k % &curve.n, BigInt::from(curve.n.clone()));
    let low = (&curve.n - &k).min(k);
    let odd: BigUint = &low | BigUint::from(1_u8);
    let words: C::Scalar = residue(&odd);
    let digits: [i8; BASE_DIGITS] = odd_digits(words.to_words().as_ref(), C::WINDOW);
    let count = odd_digits_of(curve.words, C::WINDOW);
    assert!(digits[..count].iter().all(|digit| digit & 1 == 1) && count <= BASE_DIGITS);
    assert!(digits[count..].iter().all(|digit| *digit == 0));
    let check = |sum: &BigInt, added: &BigInt, what: &dyn core::fmt::Debug| {
        for other in [sum - added, sum + added] {
            assert!(other % &n != BigInt::ZERO, "{low:x}, {what:?}");
        }
    };
    let mut sum = BigInt::ZERO;
    for first in [1, 0] {
        for i in (first..count).step_by(2) {
            let added = BigInt::from(digits[i]) << (2 * C::WINDOW * (i / 2));
            if i != 1 {
                check(&sum, &added, &i);
            }
            sum += added;
        }
        if first == 1 {
            sum <<= C::WINDOW;
        }
    }
    assert_eq!(sum, BigInt::from(odd.clone()));
    // G is subtracted, from itself only where infinity is wanted; no sum is −G
    if low != odd && low != BigUint::ZERO {
        check(&sum, &BigInt::from(1), &"the last");
    }
}

/// Also where n and its multiples end: scalars near those whose digits are all the largest.
#[test]
fn sums_of_multiples_of_g_are_unequal_at_the_ends() {
    fn check<C: Curve>(curve: &reference::Curve) {
        let half: BigUint = &curve.n >> 1;
        for i in 0..80_usize {
            for digit in 1..=32_u8 {
                let power = BigUint::from(digit) << (C::WINDOW * i);
                for k in [power.clone(), &half + &power, &half - (&power % &half), &half ^ &power] {
                    for less in 0..3_u8 {
                        sums_are_unequal::<C>(curve, &(&k + 1_u8 - less));
                    }
                }
            }
        }
    }
    check::<NistP256>(&reference::p256());
    check::<NistP384>(&reference::p384());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn sums_of_multiples_of_g_are_unequal(k in scalar()) {
        sums_are_unequal::<NistP256>(&reference::p256(), &k);
        sums_are_unequal::<NistP384>(&reference::p384(), &k);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn p256_agrees_with_the_reference(a in scalar(), b in scalar(), d in scalar()) {
        agree::<NistP256>(&reference::p256(), [a, b, d]);
    }

    #[test]
    fn p384_agrees_with_the_reference(a in scalar(), b in scalar(), d in scalar()) {
        agree::<NistP384>(&reference::p384(), [a, b, d]);
    }
}
