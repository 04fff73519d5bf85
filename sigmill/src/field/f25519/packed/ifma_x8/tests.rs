//! Eight lanes of one formula against big integers: extreme limbs and columns, random ones, and the bounds.

use super::super::radix_51::tests::{self, Limbs, extremes, minus, of_words, p};
use super::{FACTOR_MAX, Fe, Offset, PRODUCT_MAX, Product, STARTED_MAX, Start, V};
use crate::cpu::{Ifma, ifma};
use crate::field::f25519::WideField;
use crate::tests::Expander;
use num_bigint::BigUint;
use std::vec::Vec;

const LIMB_MAX: u64 = (1 << 52) - 1;
/// Both points of a step, and what is made of them.
const STARTS: [[Offset; 8]; 2] = {
    use Offset::{First, Minuend, None, Second};
    [
        [First, Second, First, Second, None, None, None, None],
        [Minuend, None, First, Second, None, None, None, Minuend],
    ]
};

fn residues(limbs: &[V; 5]) -> [BigUint; 8] {
    tests::residues(limbs.map(V::to_array))
}

fn assert_bound(limbs: &[V; 5], max: u64) {
    tests::assert_bound(limbs.map(V::to_array), max);
}

fn vectors(token: Ifma, limbs: &Limbs<8>) -> [V; 5] {
    limbs.map(|limb| V::from_array(token, limb))
}

fn operands(token: Ifma) -> Vec<Fe> {
    extremes(LIMB_MAX).iter().map(|limbs| Fe(vectors(token, limbs))).collect()
}

/// Products as extreme as can be, and with what they may start from.
fn started(token: Ifma, start: &Start) -> Vec<([BigUint; 8], Product)> {
    let add = |columns: [V; 5]| core::array::from_fn(|k| columns[k] + start.columns[k]);
    let columns = extremes(PRODUCT_MAX - 1);
    let columns = columns.iter().map(|columns| vectors(token, columns));
    columns.map(|columns| (residues(&columns), Product(add(columns)))).collect()
}

#[test]
fn products_of_extreme_operands_are_right_and_keep_their_bound() {
    let Some(token) = ifma() else { return };
    let operands = operands(token);
    let n = operands.len();
    for lanes in STARTS {
        let start = Fe::start(token, lanes);
        let starts = residues(&start.columns);
        for (i, a) in operands.iter().enumerate() {
            for j in [i, 0, (i + 1) % n, (i * 7 + 3) % n] {
                let b = &operands[j];
                let product = a.mul(b, &start);
                assert_bound(&product.0, STARTED_MAX - 1);
                let without: [V; 5] = core::array::from_fn(|k| product.0[k] - start.columns[k]);
                assert_bound(&without, PRODUCT_MAX - 1);
                let (x, y) = (residues(&a.0), residues(&b.0));
                let expected =
                    core::array::from_fn(|lane| (&x[lane] * &y[lane] + &starts[lane]) % p());
                assert_eq!(residues(&product.0), expected);
            }
        }
    }
}

#[test]
fn sums_and_differences_of_extreme_products_are_right_and_keep_their_bound() {
    let Some(token) = ifma() else { return };
    let pairs = Fe::pairs(token, 0b1111, 0b1010);
    for (x, product) in started(token, &Fe::start(token, STARTS[0])) {
        let sums = Fe::add_pairs(&product, &pairs);
        assert_bound(&sums.0, LIMB_MAX);
        let [a, b, c, d, e, f, g, h] = &x;
        let expected = [
            (a + b) % p(),
            minus(a, b),
            (c + d) % p(),
            minus(c, d),
            e.clone(),
            f.clone(),
            g.clone(),
            h.clone(),
        ];
        assert_eq!(residues(&sums.0), expected);
    }
    let sums = Fe::sums(token, [0, 0, 3, 2, 1, 7, 6, 1], 0b0011_1110, 0b0010_1011);
    for (x, product) in started(token, &Fe::start(token, STARTS[1])) {
        let values = Fe::add(&product, &sums);
        assert_bound(&values.0, LIMB_MAX);
        let [a, b, c, d, e, f, g, h] = &x;
        let expected = [
            a.clone(),
            minus(a, b),
            (c + d) % p(),
            minus(c, d),
            (e + b) % p(),
            minus(h, f),
            g.clone(),
            b.clone(),
        ];
        assert_eq!(residues(&values.0), expected);
    }
}

#[test]
fn multiples_of_extreme_operands_are_right_and_keep_their_bound() {
    let Some(token) = ifma() else { return };
    for a in operands(token) {
        for factors in
            [[0, 1, 2, 3, FACTOR_MAX - 1, FACTOR_MAX / 2, 486_664, 4], [FACTOR_MAX - 1; 8]]
        {
            let multiple = a.times(factors);
            assert_bound(&multiple.0, LIMB_MAX);
            let values = residues(&a.0);
            let expected = core::array::from_fn(|lane| &values[lane] * factors[lane] % p());
            assert_eq!(residues(&multiple.0), expected);
        }
    }
}

#[test]
fn words_and_lanes_come_and_go() {
    let Some(token) = ifma() else { return };
    let mut random = Expander::new("words of eight");
    let nothing = Fe::start(token, [Offset::None; 8]);
    for _ in 0..200 {
        let words: [[u64; 4]; 8] = tests::words(&mut random);
        let product = Fe::widen(token, words.each_ref(), &nothing);
        for lane in 0..8 {
            assert_eq!(Fe::words(&product, [lane, 7 - lane]), [words[lane], words[7 - lane]]);
        }
        let [a, b] = [[3, 3, 7, 0, 1, 1, 6, 5], [7, 6, 5, 4, 3, 2, 1, 0]];
        for (mask, expected) in [(u64::MAX, a), (0, b)] {
            let index = Fe::index_where(mask, Fe::index(token, a), Fe::index(token, b));
            let permuted = Fe(product.0).permuted(index);
            let values = residues(&product.0);
            assert_eq!(residues(&permuted.0), expected.map(|lane| values[lane as usize].clone()));
        }
    }
    for (values, product) in started(token, &nothing) {
        for (lane, value) in values.iter().enumerate() {
            let [words, _] = Fe::words(&product, [lane, 0]);
            assert_eq!(of_words(&words) % p(), *value);
        }
    }
}
