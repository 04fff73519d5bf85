//! Lanes against one scalar at a time: random scalars and extreme ones, in every lane, in groups of every
//! length.

use super::super::{Affine, fixed_base};
use super::super::{NistP256, NistP384};
use super::{BaseTables, EightLanes, Field, multiple, multiples};
use crate::field::nist::{p256, p384};
use crate::field::nist::{p256::Lanes as Fe256, p384::Lanes as Fe384};
use crate::modular::{Arithmetic, PrimeField};
use crate::tests::Random;
use alloc::vec;
use alloc::vec::Vec;

/// Vectors that share an inversion.
const VECTORS: usize = 2;

/// 2^n.
fn power<S: PrimeField>(n: usize) -> S {
    (0..n).fold(S::ONE, |power, _| power.add(&power))
}

/// Scalars whose digits are all 0 but one, all extreme, or whose sums meet G's small multiples, and their
/// opposites.
fn extreme<S: PrimeField>() -> Vec<S> {
    let bits = 8 * size_of::<S::Words>();
    let mut scalars = Vec::new();
    for n in [0, 1, 4, 5, 9, 10, 63, 64, 127, 128, bits / 2, bits - 6, bits - 5, bits - 1] {
        let power = power::<S>(n);
        scalars.extend([
            power,
            power.add(&S::ONE),
            power.sub(&S::ONE),
            power.add(&power).add(&power),
        ]);
    }
    // digits 16, −16, and 15 all the way
    for digit in [16, 15, 17] {
        let mut small = S::ZERO;
        (0..digit).for_each(|_| small = small.add(&S::ONE));
        let mut sum = S::ZERO;
        for _ in 0..bits / 5 {
            sum = sum.add(&sum).add(&S::ZERO);
            (0..4).for_each(|_| sum = sum.add(&sum));
            sum = sum.add(&small);
        }
        scalars.push(sum);
    }
    let opposites: Vec<S> = scalars.iter().map(Arithmetic::neg).collect();
    scalars.extend(opposites);
    scalars.retain(|scalar| !scalar.is_zero().is_true_vartime());
    scalars
}

fn compare<C: BaseTables<F>, F: Field>(token: F::Token, scalars: &[C::Scalar]) {
    let mut points = vec![Affine { x: C::Fe::ZERO, y: C::Fe::ZERO }; scalars.len()];
    multiples::<C, F, VECTORS>(token, scalars, &mut points);
    for (i, (scalar, point)) in scalars.iter().zip(&points).enumerate() {
        let expected = fixed_base::<C>(scalar);
        let same = point.x.equal(&expected.x) & point.y.equal(&expected.y);
        assert!(same.is_true_vartime(), "row {i} of {}", scalars.len());
    }
}

fn check<C: BaseTables<F>, F: Field>(token: F::Token, lengths: usize) {
    let mut scalars = extreme::<C::Scalar>();
    let mut random = Random(0x5163_6d69_6c6c);
    scalars.resize_with(scalars.len() + 24, || random.scalar());
    compare::<C, F>(token, &scalars);
    for len in (0..lengths).chain([VECTORS * F::LANES, VECTORS * F::LANES + 1]) {
        let scalars: Vec<C::Scalar> = (0..len).map(|_| random.scalar()).collect();
        compare::<C, F>(token, &scalars);
    }
}

/// One scalar, with its digits in the lanes.
fn check_alone<C: BaseTables<F>, F: EightLanes>(token: F::Token) {
    let mut scalars = extreme::<C::Scalar>();
    let mut random = Random(0x6f6e_6c79);
    scalars.resize_with(scalars.len() + 100, || random.scalar());
    for (i, scalar) in scalars.iter().enumerate() {
        let (point, expected) = (multiple::<C, F>(token, scalar), fixed_base::<C>(scalar));
        let same = point.x.equal(&expected.x) & point.y.equal(&expected.y);
        assert!(same.is_true_vartime(), "scalar {i}");
    }
}

#[test]
fn eight_lanes_give_what_one_scalar_gives() {
    let Some(token) = Fe256::detected() else { return };
    check_alone::<NistP256, Fe256>(token);
    check_alone::<NistP384, Fe384>(token);
    check::<NistP256, Fe256>(token, 18);
    check::<NistP384, Fe384>(token, 18);
}

#[test]
fn one_lane_gives_what_one_scalar_gives() {
    check::<NistP256, p256::Fe>((), 3);
    check::<NistP384, p384::Fe>((), 3);
}
