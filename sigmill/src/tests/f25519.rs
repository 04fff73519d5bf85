//! The field against big integers: extreme limbs of every type, random values, powers and roots.

use super::fiat::{fiat32, fiat64};
use super::{SQRT_MINUS_1, invert, neg, sqrt_ratio, u32x10, u64x5};
use crate::ct::Mask;
use crate::field::SingleField;
use crate::tests::Expander;
use num_bigint::BigUint;
use std::vec::Vec;

pub(crate) type U64x5 = u64x5::Fe;
pub(crate) type U32x10 = u32x10::Fe;
pub(crate) type Fiat64 = fiat64::Fe;
pub(crate) type Fiat32 = fiat32::Fe;

#[test]
fn the_backend_in_use_has_a_name() {
    let names = [u64x5::NAME, u32x10::NAME, fiat64::NAME, fiat32::NAME];
    assert_eq!(names, ["u64x5", "u32x10", "fiat64", "fiat32"]);
    assert_eq!(names.iter().filter(|name| **name == crate::field_backend()).count(), 1);
}

/// The three types of the trait.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Product,
    Sum,
    Operand,
}

/// Elements with chosen limbs, and their limbs, for tests on the edge of the bounds.
pub(crate) trait Inspect: SingleField {
    /// The bit where each limb stands.
    const OFFSETS: &[usize];
    /// The largest limb i of a type.
    fn limit(kind: Kind, i: usize) -> u64;
    fn operand(limbs: &[u64]) -> Self;
    fn product(limbs: &[u64]) -> Self::Product;
    fn sum(limbs: &[u64]) -> Self::Sum;
    fn of_operand(&self) -> Vec<u64>;
    fn of_product(product: &Self::Product) -> Vec<u64>;
    fn of_sum(sum: &Self::Sum) -> Vec<u64>;
}

/// One test for each backend.
macro_rules! for_all_backends {
    ($($test:ident)*) => {
        $(mod $test {
            use super::*;

            #[test]
            fn u64x5() {
                super::$test::<U64x5>();
            }

            #[test]
            fn u32x10() {
                super::$test::<U32x10>();
            }

            #[test]
            fn fiat64() {
                super::$test::<Fiat64>();
            }

            #[test]
            fn fiat32() {
                super::$test::<Fiat32>();
            }
        })*
    };
}

for_all_backends! {
    products_and_squares_of_extreme_operands_are_right_and_keep_their_bound
    sums_and_differences_of_extreme_products_are_right_and_keep_their_bound
    twice_product_is_twice_the_product
    encoding_comparison_and_parity_see_the_residue
    values_from_p_up_are_reduced_and_the_top_bit_is_not_read
    inverses_and_negatives
    square_roots_of_ratios
    constants
}

fn p() -> BigUint {
    (BigUint::from(1_u8) << 255) - 19_u8
}

fn value<F: Inspect>(limbs: &[u64]) -> BigUint {
    assert_eq!(limbs.len(), F::OFFSETS.len());
    limbs.iter().zip(F::OFFSETS).map(|(limb, at)| BigUint::from(*limb) << at).sum()
}

fn residue<F: Inspect>(limbs: &[u64]) -> BigUint {
    value::<F>(limbs) % p()
}

fn checked<F: Inspect>(kind: Kind, limbs: Vec<u64>) -> BigUint {
    for (i, limb) in limbs.iter().enumerate() {
        assert!(*limb <= F::limit(kind, i), "limb {i} is {limb}, over its bound");
    }
    residue::<F>(&limbs)
}

fn of_product<F: Inspect>(product: &F::Product) -> BigUint {
    checked::<F>(Kind::Product, F::of_product(product))
}

fn of_sum<F: Inspect>(sum: &F::Sum) -> BigUint {
    checked::<F>(Kind::Sum, F::of_sum(sum))
}

fn of_operand<F: Inspect>(operand: &F) -> BigUint {
    checked::<F>(Kind::Operand, operand.of_operand())
}

fn bytes_of(value: &BigUint) -> [u8; 32] {
    let mut bytes = value.to_bytes_le();
    bytes.resize(32, 0);
    bytes.try_into().expect("at most 32 bytes")
}

fn not_set() -> Mask {
    Mask::from_bit(0)
}

/// All limbs at one extreme, one limb at an extreme, and mixtures; none above the limit.
fn extreme_limbs<F: Inspect>(kind: Kind) -> Vec<Vec<u64>> {
    let (n, limit) = (F::OFFSETS.len(), |i| F::limit(kind, i));
    // 0, 1, a full limb, one unit, and the limit of each type that this one contains
    let extremes = |i: usize| {
        let top = F::OFFSETS.get(i + 1).copied().unwrap_or(255);
        let unit = 1_u64 << (top - F::OFFSETS[i]);
        let kinds = [Kind::Product, Kind::Sum, Kind::Operand].map(|kind| F::limit(kind, i));
        [0, 1, unit - 1, unit, kinds[0], kinds[1], kinds[2]].map(|limb| limb.min(limit(i)))
    };
    let of = |pick: &mut dyn FnMut(usize) -> u64| (0..n).map(pick).collect::<Vec<u64>>();
    let mut list = Vec::new();
    for a in 0..7 {
        list.push(of(&mut |i| extremes(i)[a]));
        for b in 0..7 {
            for place in 0..n {
                list.push(of(&mut |i| extremes(i)[if i == place { b } else { a }]));
            }
        }
    }
    let mut expander = Expander::new("extreme limbs");
    for _ in 0..50 {
        list.push(of(&mut |i| extremes(i)[expander.byte() as usize % 7]));
        list.push(of(&mut |i| expander.word() % (limit(i) + 1)));
    }
    list.sort_unstable();
    list.dedup();
    list
}

fn products_and_squares_of_extreme_operands_are_right_and_keep_their_bound<F: Inspect>() {
    let list = extreme_limbs::<F>(Kind::Operand);
    let values: Vec<BigUint> = list.iter().map(|limbs| residue::<F>(limbs)).collect();
    for (a, va) in list.iter().zip(&values) {
        assert_eq!(of_product::<F>(&F::operand(a).square()), va * va % p(), "{a:?}²");
        for (b, vb) in list.iter().zip(&values).step_by(7) {
            let product = F::operand(a).mul(&F::operand(b));
            assert_eq!(of_product::<F>(&product), va * vb % p(), "{a:?}·{b:?}");
        }
    }
}

fn sums_and_differences_of_extreme_products_are_right_and_keep_their_bound<F: Inspect>() {
    let products = extreme_limbs::<F>(Kind::Product);
    for a in products.iter().step_by(2) {
        let (fa, va) = (F::product(a), residue::<F>(a));
        for b in products.iter().step_by(5) {
            let (fb, vb) = (F::product(b), residue::<F>(b));
            assert_eq!(of_sum::<F>(&F::add(&fa, &fb)), (&va + &vb) % p());
            assert_eq!(of_sum::<F>(&F::sub(&fa, &fb)), (&va + p() - &vb) % p());
        }
        assert_eq!(of_operand::<F>(&F::carry(&fa)), va);
        assert_eq!(of_sum::<F>(&F::relax(&fa)), va);
    }
    let sums = extreme_limbs::<F>(Kind::Sum);
    for a in sums.iter().step_by(2) {
        let (fa, va) = (F::sum(a), residue::<F>(a));
        for b in sums.iter().step_by(5) {
            let (fb, vb) = (F::sum(b), residue::<F>(b));
            assert_eq!(of_operand::<F>(&F::add_sums(&fa, &fb)), (&va + &vb) % p());
            assert_eq!(of_operand::<F>(&F::sub_sums(&fa, &fb)), (&va + p() - &vb) % p());
        }
        assert_eq!(of_operand::<F>(&F::carry_sum(&fa)), va);
    }
}

fn twice_product_is_twice_the_product<F: Inspect>() {
    let list = extreme_limbs::<F>(Kind::Product);
    for (x, y) in list.iter().zip(list.iter().rev()) {
        let (px, py) = (F::product(x), F::product(y));
        let (x_operand, y_operand) = (F::carry(&px), F::carry(&py));
        let squares = F::add(&y_operand.square(), &x_operand.square());
        let twice = F::twice_product((&x_operand, &y_operand), (&px, &py), &squares);
        assert_eq!(of_operand(&twice), residue::<F>(x) * residue::<F>(y) * 2_u8 % p());
    }
}

fn encoding_comparison_and_parity_see_the_residue<F: Inspect>() {
    for a in extreme_limbs::<F>(Kind::Operand) {
        let (element, expected) = (F::operand(&a), residue::<F>(&a));
        assert_eq!(element.to_bytes(not_set()), bytes_of(&expected), "{a:?}");
        assert_eq!(element.to_bytes(!not_set())[31] >> 7, 1);
        assert_eq!(of_product::<F>(&element.widen()), expected);
        assert_eq!(element.is_odd().is_true_vartime(), expected.bit(0));
        assert_eq!(element.is_zero().is_true_vartime(), expected == BigUint::ZERO);
        let same = F::from_bytes((), &bytes_of(&expected));
        assert!(element.equal(&same).is_true_vartime());
        let other = F::from_bytes((), &bytes_of(&((expected + 1_u8) % p())));
        assert!(!element.equal(&other).is_true_vartime());
        assert!(F::select(not_set(), &element, &other).equal(&other).is_true_vartime());
        assert!(F::select(!not_set(), &element, &other).equal(&element).is_true_vartime());
    }
}

fn values_from_p_up_are_reduced_and_the_top_bit_is_not_read<F: Inspect>() {
    for k in 0_u8..19 {
        let mut bytes = bytes_of(&(p() + k));
        for top in [0, 0x80] {
            bytes[31] = bytes[31] & 0x7f | top;
            let element = F::from_bytes((), &bytes);
            assert_eq!(element.to_bytes(not_set()), bytes_of(&BigUint::from(k)));
            assert_eq!(F::top_bit((), &bytes).is_true_vartime(), top != 0);
        }
    }
}

fn element<F: Inspect>(n: u64) -> F {
    F::splat((), &[n, 0, 0, 0])
}

fn inverses_and_negatives<F: Inspect>() {
    assert!(invert(&element::<F>(0)).is_zero().is_true_vartime());
    for limbs in extreme_limbs::<F>(Kind::Operand).iter().step_by(5) {
        let a = F::operand(limbs);
        let product = super::mul(&a, &invert(&a));
        let expected = u8::from(residue::<F>(limbs) != BigUint::ZERO);
        assert_eq!(of_operand(&product), BigUint::from(expected));
        assert_eq!(of_operand(&neg(&a)), (p() - residue::<F>(limbs)) % p());
    }
}

fn square_roots_of_ratios<F: Inspect>() {
    let mut expander = Expander::new("roots");
    let half = (p() - 1_u8) >> 1;
    let mut squares = 0;
    let mut random = || -> [u64; 4] { core::array::from_fn(|_| expander.word() >> 1) };
    for _ in 0..200 {
        let (u, v) = (F::splat((), &random()), F::splat((), &random()));
        let (root, exists) = sqrt_ratio(&u, &v);
        let ratio = of_operand(&u) * of_operand(&v).modpow(&(p() - 2_u8), &p()) % p();
        let expected = ratio.modpow(&half, &p()) == BigUint::from(1_u8);
        assert_eq!(exists.is_true_vartime(), expected);
        if expected {
            squares += 1;
            assert_eq!(of_product::<F>(&root.square()), ratio);
        }
    }
    assert!((60..140).contains(&squares), "{squares} of 200 ratios are squares");
    let (root, exists) = sqrt_ratio(&element::<F>(0), &element(1));
    assert!(exists.is_true_vartime() && root.is_zero().is_true_vartime());
}

fn constants<F: Inspect>() {
    let i = F::splat((), &SQRT_MINUS_1);
    assert_eq!(of_product::<F>(&i.square()), p() - 1_u8);
    let d = F::splat((), &super::D);
    let by_121666 = d.mul(&element(121_666));
    assert_eq!(of_product::<F>(&by_121666), p() - 121_665_u32);
    let twice = F::add(&d.widen(), &d.widen());
    assert!(F::carry_sum(&twice).equal(&F::splat((), &super::TWICE_D)).is_true_vartime());
}
