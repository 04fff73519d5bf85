//! The field against big integers: extreme limbs of every type, random values, powers and roots.

use super::u64x5::limbs::{EXTREMES, of_operand, of_product, of_sum, operand, product, sum};
use super::{Fe, SQRT_MINUS_1, invert, neg, sqrt_ratio};
use crate::ct::Mask;
use crate::field::Field;
use crate::tests::Expander;
use num_bigint::BigUint;
use std::vec::Vec;

fn p() -> BigUint {
    (BigUint::from(1_u8) << 255) - 19_u8
}

fn value(limbs: [u64; 5]) -> BigUint {
    limbs.iter().rev().fold(BigUint::ZERO, |acc, limb| (acc << 51) + limb)
}

fn residue(limbs: [u64; 5]) -> BigUint {
    value(limbs) % p()
}

fn bytes_of(value: &BigUint) -> [u8; 32] {
    let mut bytes = value.to_bytes_le();
    bytes.resize(32, 0);
    bytes.try_into().expect("at most 32 bytes")
}

fn not_set() -> Mask {
    Mask::from_bit(0)
}

/// All limbs at one extreme, one limb at an extreme, and mixtures; none above `max`.
fn extreme_limbs(max: u64) -> Vec<[u64; 5]> {
    let extremes: Vec<u64> = EXTREMES.into_iter().filter(|limb| *limb <= max).collect();
    let mut list = Vec::new();
    for a in &extremes {
        list.push([*a; 5]);
        for b in &extremes {
            for i in 0..5 {
                let mut limbs = [*a; 5];
                limbs[i] = *b;
                list.push(limbs);
            }
        }
    }
    let mut expander = Expander::new("extreme limbs");
    for _ in 0..50 {
        list.push(core::array::from_fn(|_| extremes[expander.byte() as usize % extremes.len()]));
        list.push(core::array::from_fn(|_| expander.word() % (max + 1)));
    }
    list
}

#[test]
fn products_and_squares_of_extreme_operands_are_right_and_keep_their_bound() {
    let list = extreme_limbs(EXTREMES[5]);
    for a in &list {
        let square = operand(*a).square();
        assert_eq!(residue(of_product(&square)), value(*a) * value(*a) % p(), "{a:?}²");
        for b in list.iter().step_by(3) {
            let product = operand(*a).mul(&operand(*b));
            assert_eq!(residue(of_product(&product)), value(*a) * value(*b) % p(), "{a:?}·{b:?}");
        }
    }
}

#[test]
fn sums_and_differences_of_extreme_products_are_right_and_keep_their_bound() {
    let products = extreme_limbs(EXTREMES[3]);
    for a in products.iter().step_by(2) {
        for b in products.iter().step_by(3) {
            let (fa, fb) = (product(*a), product(*b));
            let (va, vb) = (residue(*a), residue(*b));
            assert_eq!(residue(of_sum(&Fe::add(&fa, &fb))), (&va + &vb) % p());
            assert_eq!(residue(of_sum(&Fe::sub(&fa, &fb))), (&va + p() - &vb) % p());
        }
        assert_eq!(residue(of_operand(&Fe::carry(&product(*a)))), residue(*a));
        assert_eq!(residue(of_sum(&Fe::relax(&product(*a)))), residue(*a));
    }
    let sums = extreme_limbs(EXTREMES[4]);
    for a in sums.iter().step_by(2) {
        for b in sums.iter().step_by(3) {
            let (fa, fb) = (sum(*a), sum(*b));
            let (va, vb) = (residue(*a), residue(*b));
            assert_eq!(residue(of_operand(&Fe::add_sums(&fa, &fb))), (&va + &vb) % p());
            assert_eq!(residue(of_operand(&Fe::sub_sums(&fa, &fb))), (&va + p() - &vb) % p());
        }
        assert_eq!(residue(of_operand(&Fe::carry_sum(&sum(*a)))), residue(*a));
    }
}

#[test]
fn twice_product_is_twice_the_product() {
    for (x, y) in extreme_limbs(EXTREMES[3]).iter().zip(extreme_limbs(EXTREMES[3]).iter().rev()) {
        let (px, py) = (product(*x), product(*y));
        let (x_operand, y_operand) = (Fe::carry(&px), Fe::carry(&py));
        let squares = Fe::add(&y_operand.square(), &x_operand.square());
        let twice = Fe::twice_product((&x_operand, &y_operand), (&px, &py), &squares);
        assert_eq!(residue(of_operand(&twice)), value(*x) * value(*y) * 2_u8 % p());
    }
}

#[test]
fn encoding_comparison_and_parity_see_the_residue() {
    for a in extreme_limbs(EXTREMES[5]) {
        let (element, expected) = (operand(a), residue(a));
        assert_eq!(element.to_bytes(not_set()), bytes_of(&expected), "{a:?}");
        assert_eq!(element.to_bytes(!not_set())[31] >> 7, 1);
        assert_eq!(residue(of_product(&element.widen())), expected);
        assert_eq!(element.is_odd().is_true_vartime(), expected.bit(0));
        assert_eq!(element.is_zero().is_true_vartime(), expected == BigUint::ZERO);
        let same = Fe::from_bytes((), &bytes_of(&expected));
        assert!(element.equal(&same).is_true_vartime());
        let other = Fe::from_bytes((), &bytes_of(&((expected + 1_u8) % p())));
        assert!(!element.equal(&other).is_true_vartime());
        assert!(Fe::select(not_set(), &element, &other).equal(&other).is_true_vartime());
        assert!(Fe::select(!not_set(), &element, &other).equal(&element).is_true_vartime());
    }
}

#[test]
fn values_from_p_up_are_reduced_and_the_top_bit_is_not_read() {
    for k in 0_u8..19 {
        let mut bytes = bytes_of(&(p() + k));
        for top in [0, 0x80] {
            bytes[31] = bytes[31] & 0x7f | top;
            let element = Fe::from_bytes((), &bytes);
            assert_eq!(element.to_bytes(not_set()), bytes_of(&BigUint::from(k)));
            assert_eq!(Fe::top_bit((), &bytes).is_true_vartime(), top != 0);
        }
    }
}

#[test]
fn inverses_and_negatives() {
    let mut expander = Expander::new("inverses");
    assert!(invert(&operand([0; 5])).is_zero().is_true_vartime());
    for _ in 0..100 {
        let a = core::array::from_fn(|_| expander.word() % (EXTREMES[5] + 1));
        let element = operand(a);
        let one = super::mul(&element, &invert(&element));
        assert_eq!(residue(of_operand(&one)), BigUint::from(1_u8));
        assert_eq!(residue(of_operand(&neg(&element))), (p() - residue(a)) % p());
    }
}

#[test]
fn square_roots_of_ratios() {
    let mut expander = Expander::new("roots");
    let half = (p() - 1_u8) >> 1;
    let mut squares = 0;
    for _ in 0..200 {
        let (u, v): ([u64; 5], [u64; 5]) = (
            core::array::from_fn(|_| expander.word() >> 13),
            core::array::from_fn(|_| expander.word() >> 13),
        );
        let (root, exists) = sqrt_ratio(&operand(u), &operand(v));
        let ratio = residue(u) * residue(v).modpow(&(p() - 2_u8), &p()) % p();
        let expected = ratio.modpow(&half, &p()) == BigUint::from(1_u8);
        assert_eq!(exists.is_true_vartime(), expected);
        if expected {
            squares += 1;
            assert_eq!(residue(of_product(&root.square())), ratio);
        }
    }
    assert!((60..140).contains(&squares), "{squares} of 200 ratios are squares");
    let zero = operand([0; 5]);
    let (root, exists) = sqrt_ratio(&zero, &operand([1, 0, 0, 0, 0]));
    assert!(exists.is_true_vartime() && root.is_zero().is_true_vartime());
}

#[test]
fn constants() {
    let i = Fe::splat((), &SQRT_MINUS_1);
    assert_eq!(residue(of_product(&i.square())), p() - 1_u8);
    let d = Fe::splat((), &super::D);
    let by_121666 = d.mul(&Fe::splat((), &[121_666, 0, 0, 0]));
    assert_eq!(residue(of_product(&by_121666)), p() - 121_665_u32);
    let twice = Fe::add(&d.widen(), &d.widen());
    assert!(Fe::carry_sum(&twice).equal(&Fe::splat((), &super::TWICE_D)).is_true_vartime());
}
