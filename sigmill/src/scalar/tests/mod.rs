//! Scalars and digit forms against big integers.

mod half_size;
mod lanes;

use super::l25519::{ORDER, Scalar, is_below_order};
use super::recode::{naf_vartime, signed_radix_16_of};
use crate::tests::Expander;
use crate::word::{load_le, store_le};
use num_bigint::{BigInt, BigUint};
use std::vec::Vec;

fn order() -> BigUint {
    (BigUint::from(1_u8) << 252)
        + "27742317777372353535851937790883648493".parse::<BigUint>().expect("a number")
}

fn padded<const N: usize>(value: &BigUint) -> [u8; N] {
    let mut bytes = value.to_bytes_le();
    bytes.resize(N, 0);
    bytes.try_into().expect("it fits")
}

/// Values at and around every place where the quotient estimate could be off, below 2^`bits`.
fn awkward(bits: usize) -> Vec<BigUint> {
    let mut list = Vec::new();
    let limit = BigUint::from(1_u8) << bits;
    let mut around = |value: BigUint| {
        for k in 0_u8..3 {
            list.push(&value + k);
            if value >= BigUint::from(k) {
                list.push(&value - k);
            }
        }
    };
    for shift in 0..=bits {
        around(BigUint::from(1_u8) << shift);
        around(order() << shift.min(bits.saturating_sub(252)));
        around(((BigUint::from(1_u8) << shift) / order()) * order());
    }
    let mut expander = Expander::new("scalars");
    for _ in 0..300 {
        list.push(BigUint::from_bytes_le(&expander.bytes::<64>()) % &limit);
        list.push((BigUint::from_bytes_le(&expander.bytes::<64>()) % &limit) / order() * order());
    }
    list.retain(|value| *value < limit);
    list
}

#[test]
fn reduction_is_the_remainder() {
    assert_eq!(BigUint::from_bytes_le(&store_le(&ORDER)), order());
    for value in awkward(512) {
        let got = Scalar::reduce_wide(&padded(&value)).to_bytes();
        assert_eq!(BigUint::from_bytes_le(&got), &value % order(), "{value:x}");
    }
    for value in awkward(256) {
        let got = Scalar::reduce_narrow(&padded(&value)).to_bytes();
        assert_eq!(BigUint::from_bytes_le(&got), &value % order(), "{value:x}");
        let below = is_below_order(&padded(&value)).is_true_vartime();
        assert_eq!(below, value < order(), "{value:x}");
    }
}

#[test]
fn multiply_and_add() {
    let values: Vec<BigUint> = awkward(252).into_iter().step_by(7).collect();
    for (i, a) in values.iter().enumerate() {
        let (b, c) = (&values[(i * 7 + 3) % values.len()], &values[(i * 13 + 5) % values.len()]);
        let scalar = |value: &BigUint| Scalar::reduce_narrow(&padded(value));
        let got = scalar(a).mul_add(&scalar(b), &scalar(c)).to_bytes();
        assert_eq!(BigUint::from_bytes_le(&got), (a * b + c) % order());
    }
    let largest = Scalar::reduce_narrow(&padded(&(order() - 1_u8)));
    let got = largest.mul_add(&largest, &largest).to_bytes();
    assert_eq!(BigUint::from_bytes_le(&got), BigUint::ZERO); // (−1)(−1) + (−1)
}

#[test]
fn radix_16_digits_add_up() {
    for value in awkward(255) {
        let digits = signed_radix_16_of(&load_le(&padded(&value)));
        let (digits, rest) = digits.split_at(64);
        assert!(rest.iter().all(|digit| *digit == 0));
        let sum = digits.iter().rev().fold(BigInt::ZERO, |acc, digit| acc * 16 + *digit);
        assert_eq!(sum, BigInt::from(value));
        assert!(digits[..63].iter().all(|digit| (-8..8).contains(digit)));
        assert!((0..=8).contains(&digits[63]));
    }
}

#[test]
fn naf_digits_add_up_and_are_sparse() {
    for value in awkward(255) {
        let words = load_le(&padded(&value));
        for width in 2..=9 {
            let digits: [i16; 257] = naf_vartime(&words, width);
            let sum = digits.iter().rev().fold(BigInt::ZERO, |acc, digit| acc * 2 + *digit);
            assert_eq!(sum, BigInt::from(value.clone()), "width {width}");
            let limit = 1 << (width - 1);
            for (i, digit) in digits.iter().enumerate().filter(|(_, digit)| **digit != 0) {
                assert!(digit % 2 != 0 && i32::from(*digit).abs() < limit);
                let neighbours = &digits[i + 1..(i + width as usize).min(257)];
                assert!(neighbours.iter().all(|digit| *digit == 0), "width {width}");
            }
        }
    }
}

#[test]
fn naf_of_a_full_128_bit_half() {
    for low in [0, 1, u64::MAX] {
        for high in [0, 1 << 63, u64::MAX] {
            let digits: [i16; 193] = naf_vartime(&[low, high, 0], 6);
            let sum = digits.iter().rev().fold(BigInt::ZERO, |acc, digit| acc * 2 + *digit);
            assert_eq!(sum, (BigInt::from(high) << 64) + low);
            assert!(digits[129..].iter().all(|digit| *digit == 0));
        }
    }
}

#[test]
fn short_products_and_negatives_are_right() {
    let wide: Vec<BigUint> = awkward(256).into_iter().step_by(7).collect();
    for a in awkward(144).iter().step_by(3).chain([&((BigUint::from(1_u8) << 144) - 1_u8)]) {
        let bytes: [u8; 32] = padded(a);
        let [low, middle, high, _] = load_le(&bytes);
        for b in wide.iter().chain([&((BigUint::from(1_u8) << 256) - 1_u8)]) {
            let product = Scalar::product_short(&[low, middle, high], &load_le(&padded(b)));
            let got = BigUint::from_bytes_le(&product.to_bytes());
            assert_eq!(got, (a * b) % order(), "{a:x} {b:x}");
            let negated = BigUint::from_bytes_le(&product.negated().to_bytes());
            assert!(negated < order() && (got + negated) % order() == BigUint::ZERO, "{a:x} {b:x}");
        }
    }
}
