//! Four lanes of one formula against big integers: extreme limbs and columns, random ones, and the bounds.

use super::super::radix_51::tests::{self, extremes, minus, of_words, p};
use super::{BIAS, CARRY_MAX, Fe, PRODUCT_MAX, Product, SUM_BIAS, SUM_MAX, Sum, V};
use crate::cpu::{Ifma, ifma};
use crate::field::f25519::PackedField;
use crate::tests::Expander;
use num_bigint::BigUint;
use std::vec::Vec;

fn residues(limbs: &[V; 5]) -> [BigUint; 4] {
    tests::residues(limbs.map(V::to_array))
}

fn assert_bound(limbs: &[V; 5], max: u64) {
    tests::assert_bound(limbs.map(V::to_array), max);
}

fn operands(token: Ifma) -> Vec<Fe> {
    extremes((1 << 52) - 1)
        .iter()
        .map(|limbs| Fe(limbs.map(|limb| V::from_array(token, limb))))
        .collect()
}

#[test]
fn products_of_extreme_operands_are_right_and_keep_their_bound() {
    let Some(token) = ifma() else { return };
    let operands = operands(token);
    let n = operands.len();
    for (i, a) in operands.iter().enumerate() {
        let squares = residues(&a.0).map(|a| &a * &a % p());
        assert_bound(&a.square().0, PRODUCT_MAX - 1);
        assert_eq!(residues(&a.square().0), squares);
        for j in [i, 0, (i + 1) % n, (i * 7 + 3) % n] {
            let (b, c, d) = (&operands[j], &operands[(i + j) % n], &operands[(i * j + 2) % n]);
            let [a_values, b_values, c_values, d_values] = [a, b, c, d].map(|x| residues(&x.0));
            assert_bound(&a.mul(b).0, PRODUCT_MAX - 1);
            let factors = [243331, 0, (1 << 18) - 1, 1];
            let sum = Fe::mul_sum(a, b, c, factors, d);
            assert_bound(&sum.0, PRODUCT_MAX - 1);
            let (products, sums) = (residues(&a.mul(b).0), residues(&sum.0));
            for lane in 0..4 {
                let product = &a_values[lane] * &b_values[lane];
                assert_eq!(products[lane], &product % p());
                let sum = product + &c_values[lane] * factors[lane] + &d_values[lane];
                assert_eq!(sums[lane], sum % p());
            }
        }
    }
}

#[test]
fn carries_and_butterflies_of_extreme_products_are_right_and_keep_their_bound() {
    let Some(token) = ifma() else { return };
    for bias in [BIAS, SUM_BIAS] {
        assert_eq!(
            residues(&bias.map(|column| V::from_array(token, [column; 4])))[0],
            BigUint::ZERO
        );
    }
    for columns in extremes(CARRY_MAX) {
        let carried = super::carry(&columns.map(|column| V::from_array(token, column)));
        assert_bound(&carried, (1 << 52) - 1);
        assert_eq!(
            residues(&carried),
            residues(&columns.map(|column| V::from_array(token, column)))
        );
    }
    for columns in extremes(PRODUCT_MAX) {
        let product = Product(columns.map(|limb| V::from_array(token, limb)));
        let [a, b, c, d] = residues(&product.0);
        let carried = Fe::carry(&product);
        assert_eq!(residues(&carried.0), [&a, &b, &c, &d].map(Clone::clone));
        assert_eq!(carried.to_words().map(|words| of_words(&words) % p()), residues(&carried.0));
        let twice = |a: &BigUint| a * 2_u8 % p();
        let first = Fe::butterflies::<0b0110, 0b0010>(&product);
        assert_bound(&first.0, (1 << 52) - 1);
        let b2 = twice(&b);
        let expected = [(&a + &b2) % p(), minus(&a, &b2), minus(&d, &c), (&c + &d) % p()];
        assert_eq!(residues(&first.0), expected);
        let second = Fe::butterflies::<0b1001, 0b1111>(&product);
        let [a2, c2, d2] = [&a, &c, &d].map(twice);
        let expected = [minus(&b2, &a2), (&a2 + &b2) % p(), (&c2 + &d2) % p(), minus(&c2, &d2)];
        assert_bound(&second.0, (1 << 52) - 1);
        assert_eq!(residues(&second.0), expected);
    }
}

#[test]
fn sums_of_extreme_columns_are_right_and_keep_their_bound() {
    let Some(token) = ifma() else { return };
    for columns in extremes(PRODUCT_MAX) {
        let product = Product(columns.map(|limb| V::from_array(token, limb)));
        let [a, b, c, d] = residues(&product.0);
        for (sum, expected) in [
            (
                Fe::sums::<0b0101, 0, 0b1000>(&product),
                [minus(&a, &b), &a + &b, minus(&c, &d), d.clone()],
            ),
            (
                Fe::sums::<0b1010, 0b0001, 0b0100>(&product),
                [&a + &a, minus(&b, &a), c.clone(), minus(&d, &c)],
            ),
            (Fe::sums::<0, 0b1100, 0>(&product), [&a + &b, &a + &b, &c + &c, &d + &d]),
        ] {
            assert_bound(&sum.0, SUM_MAX);
            assert_eq!(residues(&sum.0), expected.map(|value| value % p()));
            assert_eq!(residues(&Fe::carry_sum(&sum).0), residues(&sum.0));
        }
    }
    for columns in extremes(SUM_MAX) {
        let sum = Sum(columns.map(|limb| V::from_array(token, limb)));
        let [a, b, c, d] = residues(&sum.0);
        let first = Fe::carry_with_lane_1::<0b0100, 0b1000>(&sum);
        let second = Fe::carry_with_lane_1::<0b1010, 0b0001>(&sum);
        assert_bound(&first.0, (1 << 52) - 1);
        assert_bound(&second.0, (1 << 52) - 1);
        assert_eq!(residues(&first.0), [a.clone(), b.clone(), (&c + &b) % p(), minus(&d, &b)]);
        let expected = [minus(&a, &b), (&b + &b) % p(), c, (d + &b) % p()];
        assert_eq!(residues(&second.0), expected);
    }
}

#[test]
fn words_and_lanes_come_and_go() {
    let Some(token) = ifma() else { return };
    let mut random = Expander::new("words of quads");
    for _ in 0..200 {
        let words = tests::words(&mut random);
        let a = Fe::from_words::<0>(token, words.each_ref());
        assert_eq!(a.to_words(), words);
        assert_eq!(Fe::carry(&a.widen()).to_words(), words);
        let twice = residues(&Fe::from_words::<0b0110>(token, words.each_ref()).0);
        let [v0, v1, v2, v3] = residues(&a.0);
        assert_eq!(twice, [v0, v1 * 2_u8 % p(), v2 * 2_u8 % p(), v3]);
        let [b, c, d, e] = words;
        assert_eq!(a.neighbours().to_words(), [c, b, e, d]);
        assert_eq!(a.permuted([3, 3, 0, 1]).to_words(), [e, e, b, c]);
        let chosen = Fe::choose::<0b0101>(&a, &a.permuted([3, 2, 1, 0]));
        assert_eq!(chosen.to_words(), [b, d, d, b]);
    }
    for limbs in operands(token) {
        assert_bound(&limbs.widen().0, PRODUCT_MAX);
        assert_eq!(residues(&limbs.widen().0), residues(&limbs.0));
        assert_eq!(limbs.to_words().map(|words| of_words(&words) % p()), residues(&limbs.0));
    }
}
