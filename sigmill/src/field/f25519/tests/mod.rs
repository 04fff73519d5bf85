//! The field against big integers: extreme limbs of every type, random values, powers and roots.

#[cfg(any(sigmill_lanes, sigmill_lanes_128))]
mod lanes;

use super::words::fiat::{fiat32, fiat64};
use super::words::{u32x10, u64x4};
use super::{SQRT_MINUS_1, invert, neg, run_in_words, sqrt_ratio, top_bits, twice_product};
use crate::ct::Mask;
#[cfg(any(sigmill_lanes, sigmill_lanes_128))]
use crate::field::f25519::LaneField;
use crate::field::f25519::SingleField;
#[cfg(any(sigmill_lanes, sigmill_lanes_128))]
use crate::simd::Instructions;
use crate::simd::Kernel;
use crate::tests::Expander;
use num_bigint::BigUint;
use std::vec::Vec;

pub(crate) type U64x4 = u64x4::Fe;
#[cfg(sigmill_lanes)]
pub(crate) type U64x4Adx = u64x4::Fe<crate::cpu::Adx>;
pub(crate) type U32x10 = u32x10::Fe;
pub(crate) type Fiat64 = fiat64::Fe;
pub(crate) type Fiat32 = fiat32::Fe;

#[test]
fn the_backend_in_use_has_a_name() {
    let names = [u64x4::NAME, u32x10::NAME, fiat64::NAME, fiat32::NAME];
    assert_eq!(names, ["u64x4", "u32x10", "fiat64", "fiat32"]);
    assert_eq!(names.iter().filter(|name| **name == crate::field_backend()).count(), 1);
}

/// The two types of the trait.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Product,
    Operand,
}

/// Elements with chosen limbs, and their limbs, for tests on the edge of the bounds.
pub(crate) trait Inspect: SingleField {
    /// The bit where each limb stands.
    const OFFSETS: &[usize];
    /// The token, where the CPU can run this backend.
    fn available() -> Option<Self::Token>;
    /// The largest limb i of a type.
    fn limit(kind: Kind, i: usize) -> u64;
    /// Whether limbs that keep these limits are as a whole below the bound of a type.
    fn is_within(_: Kind, _limbs: &[u64]) -> bool {
        true
    }
    /// Integers that are extreme as a whole, in limbs.
    fn extreme_integers() -> Vec<Vec<u64>> {
        Vec::new()
    }
    fn operand(token: Self::Token, limbs: &[u64]) -> Self;
    fn product(token: Self::Token, limbs: &[u64]) -> Self::Product;
    fn of_operand(&self) -> Vec<u64>;
    fn of_product(product: &Self::Product) -> Vec<u64>;
}

/// One test for each backend.
macro_rules! for_all_backends {
    ($($test:ident)*) => {
        $(mod $test {
            use super::*;

            #[test]
            fn u64x4() {
                run::<U64x4>(super::$test::<U64x4>);
            }

            #[cfg(sigmill_lanes)]
            #[test]
            fn u64x4_adx() {
                run::<U64x4Adx>(super::$test::<U64x4Adx>);
            }

            #[test]
            fn u32x10() {
                run::<U32x10>(super::$test::<U32x10>);
            }

            #[test]
            fn fiat64() {
                run::<Fiat64>(super::$test::<Fiat64>);
            }

            #[test]
            fn fiat32() {
                run::<Fiat32>(super::$test::<Fiat32>);
            }
        })*
    };
}

/// Tests of every field, in words and in lanes, and more.
macro_rules! tests_of_every_field {
    ($for_backends:ident: $($more:ident)*) => {
        $for_backends! {
            products_and_squares_of_extreme_operands_are_right_and_keep_their_bound
            sums_of_products_are_right_and_keep_their_bound
            twice_product_is_twice_the_product
            products_with_small_integers_are_right_and_keep_their_bound
            encoding_comparison_and_parity_see_the_residue
            values_from_p_up_are_reduced_and_the_top_bit_is_not_read
            $($more)*
        }
    };
}
#[cfg(any(sigmill_lanes, sigmill_lanes_128))]
use tests_of_every_field;

tests_of_every_field! {
    for_all_backends:
    chains_of_several_elements_are_those_of_each
    inverses_and_negatives
    square_roots_of_ratios
    constants
}

/// Runs a test, where the CPU can run the backend.
pub(crate) fn run<F: Inspect>(test: fn(F::Token)) {
    match F::available() {
        Some(token) => test(token),
        None => std::eprintln!("SKIPPED: this CPU cannot run a backend; nothing was tested"),
    }
}

fn p() -> BigUint {
    (BigUint::from(1_u8) << 255) - 19_u8
}

fn value_at(offsets: &[usize], limbs: &[u64]) -> BigUint {
    assert_eq!(limbs.len(), offsets.len());
    limbs.iter().zip(offsets).map(|(limb, at)| BigUint::from(*limb) << at).sum()
}

fn residue<F: Inspect>(limbs: &[u64]) -> BigUint {
    value_at(F::OFFSETS, limbs) % p()
}

fn checked<F: Inspect>(kind: Kind, limbs: Vec<u64>) -> BigUint {
    for (i, limb) in limbs.iter().enumerate() {
        assert!(*limb <= F::limit(kind, i), "limb {i} is {limb}, over its bound");
    }
    assert!(F::is_within(kind, &limbs), "{limbs:x?} are over the bound");
    residue::<F>(&limbs)
}

fn of_product<F: Inspect>(product: &F::Product) -> BigUint {
    checked::<F>(Kind::Product, F::of_product(product))
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

fn extreme_limbs<F: Inspect>(kind: Kind) -> Vec<Vec<u64>> {
    let mut list = extreme_limbs_at(F::OFFSETS, &F::limit, kind);
    list.extend(F::extreme_integers());
    list.retain(|limbs| F::is_within(kind, limbs));
    list
}

/// All limbs at one extreme, one limb at an extreme, and mixtures; none above the limit.
fn extreme_limbs_at(
    offsets: &[usize],
    limit_of: &dyn Fn(Kind, usize) -> u64,
    kind: Kind,
) -> Vec<Vec<u64>> {
    let (n, limit) = (offsets.len(), |i| limit_of(kind, i));
    // 0, 1, a full limb, one unit, and the limit of each type that this one contains
    let extremes = |i: usize| {
        let top = offsets.get(i + 1).copied().unwrap_or(255);
        // of a limb that is a whole word: 0
        let unit = (1_u128 << (top - offsets[i])) as u64;
        let kinds = [Kind::Product, Kind::Operand].map(|kind| limit_of(kind, i));
        [0, 1, unit.wrapping_sub(1), unit, kinds[0], kinds[1]].map(|limb| limb.min(limit(i)))
    };
    let of = |pick: &mut dyn FnMut(usize) -> u64| (0..n).map(pick).collect::<Vec<u64>>();
    let mut list = Vec::new();
    for a in 0..6 {
        list.push(of(&mut |i| extremes(i)[a]));
        for b in 0..6 {
            for place in 0..n {
                list.push(of(&mut |i| extremes(i)[if i == place { b } else { a }]));
            }
        }
    }
    let mut expander = Expander::new("extreme limbs");
    for _ in 0..50 {
        list.push(of(&mut |i| extremes(i)[expander.byte() as usize % 6]));
        list.push(of(&mut |i| (u128::from(expander.word()) % (u128::from(limit(i)) + 1)) as u64));
    }
    list.sort_unstable();
    list.dedup();
    list
}

fn products_and_squares_of_extreme_operands_are_right_and_keep_their_bound<F: Inspect>(
    token: F::Token,
) {
    let list = extreme_limbs::<F>(Kind::Operand);
    let values: Vec<BigUint> = list.iter().map(|limbs| residue::<F>(limbs)).collect();
    for (a, va) in list.iter().zip(&values) {
        assert_eq!(of_product::<F>(&F::operand(token, a).square()), va * va % p(), "{a:?}²");
        for (b, vb) in list.iter().zip(&values).step_by(7) {
            let product = F::operand(token, a).mul(&F::operand(token, b));
            assert_eq!(of_product::<F>(&product), va * vb % p(), "{a:?}·{b:?}");
        }
    }
}

fn sums_of_products_are_right_and_keep_their_bound<F: Inspect>(token: F::Token) {
    let list = extreme_limbs::<F>(Kind::Product);
    for (n, a) in list.iter().enumerate() {
        let (fa, va) = (F::product(token, a), residue::<F>(a));
        let (b, c) = (&list[(n * 7 + 1) % list.len()], &list[(n * 5 + 3) % list.len()]);
        for (b, c) in [(b, c), (a, a), (a, b), (c, b), (b, a)] {
            let (fb, vb) = (F::product(token, b), residue::<F>(b));
            let (fc, vc) = (F::product(token, c), residue::<F>(c));
            let (nb, nc) = (p() - &vb, p() - &vc);
            let is = |sum: F, value: BigUint| assert_eq!(of_operand(&sum), value % p());
            is(F::times::<1>(&fa), va.clone());
            is(F::times::<2>(&fa), &va * 2_u8);
            is(F::sum_of_two::<1, 1>(&fa, &fb), &va + &vb);
            is(F::sum_of_two::<1, -1>(&fa, &fb), &va + &nb);
            is(F::sum_of_two::<2, 1>(&fa, &fb), &va * 2_u8 + &vb);
            is(F::sum_of_two::<2, -1>(&fa, &fb), &va * 2_u8 + &nb);
            is(F::sum::<1, 1, -1>(&fa, &fb, &fc), &va + &vb + &nc);
            is(F::sum::<1, -1, -1>(&fa, &fb, &fc), &va + &nb + &nc);
            is(F::sum::<2, -1, 1>(&fa, &fb, &fc), &va * 2_u8 + &nb + &vc);
        }
    }
}

fn twice_product_is_twice_the_product<F: Inspect>(token: F::Token) {
    let list = extreme_limbs::<F>(Kind::Product);
    for (x, y) in list.iter().zip(list.iter().rev()) {
        let (px, py) = (F::product(token, x), F::product(token, y));
        let (x_operand, y_operand) = (F::times::<1>(&px), F::times::<1>(&py));
        let squares = (&x_operand.square(), &y_operand.square());
        let twice = twice_product((&x_operand, &y_operand), (&px, &py), squares);
        assert_eq!(of_operand(&twice), residue::<F>(x) * residue::<F>(y) * 2_u8 % p());
    }
}

const SMALL: [u32; 5] = [0, 1, 2, 121_666, (1 << 17) - 1];

fn products_with_small_integers_are_right_and_keep_their_bound<F: Inspect>(token: F::Token) {
    for a in extreme_limbs::<F>(Kind::Operand) {
        for n in SMALL {
            let product = F::operand(token, &a).mul_small(n);
            assert_eq!(of_product::<F>(&product), residue::<F>(&a) * n % p(), "{a:?}·{n}");
        }
    }
}

fn encoding_comparison_and_parity_see_the_residue<F: Inspect>(token: F::Token) {
    for a in extreme_limbs::<F>(Kind::Operand) {
        let (element, expected) = (F::operand(token, &a), residue::<F>(&a));
        assert_eq!(element.to_bytes(not_set()), bytes_of(&expected), "{a:?}");
        assert_eq!(element.to_bytes(!not_set())[31] >> 7, 1);
        assert_eq!(of_product::<F>(&element.widen()), expected);
        assert_eq!(element.is_odd().is_true_vartime(), expected.bit(0));
        assert_eq!(element.is_zero().is_true_vartime(), expected == BigUint::ZERO);
        let same = F::from_bytes(token, &bytes_of(&expected));
        assert!(element.equal(&same).is_true_vartime());
        let other = F::from_bytes(token, &bytes_of(&((expected + 1_u8) % p())));
        assert!(!element.equal(&other).is_true_vartime());
        assert!(F::select(not_set(), &element, &other).equal(&other).is_true_vartime());
        assert!(F::select(!not_set(), &element, &other).equal(&element).is_true_vartime());
    }
}

fn values_from_p_up_are_reduced_and_the_top_bit_is_not_read<F: Inspect>(token: F::Token) {
    for k in 0_u8..19 {
        let mut bytes = bytes_of(&(p() + k));
        for top in [0, 0x80] {
            bytes[31] = bytes[31] & 0x7f | top;
            let element = F::from_bytes(token, &bytes);
            assert_eq!(element.to_bytes(not_set()), bytes_of(&BigUint::from(k)));
            assert_eq!(top_bits::<F>(&bytes).is_true_vartime(), top != 0);
        }
    }
}

fn element<F: Inspect>(token: F::Token, n: u64) -> F {
    F::splat(token, &[n, 0, 0, 0])
}

fn chains_of_several_elements_are_those_of_each<F: Inspect>(token: F::Token) {
    let list = extreme_limbs::<F>(Kind::Operand);
    for (i, limbs) in list.chunks_exact(3).enumerate() {
        let n = [1, 2, 3, 11, 0][i % 5];
        for several in [&limbs[..1], &limbs[..2], limbs] {
            let elements: Vec<F> = several.iter().map(|limbs| F::operand(token, limbs)).collect();
            let factors: Vec<F> = elements.iter().rev().copied().collect();
            let (mut powers, mut products) = (elements.clone(), elements);
            F::square_times(&mut powers, n);
            F::multiply(&mut products, &factors);
            for (j, limbs) in several.iter().enumerate() {
                let value = residue::<F>(limbs);
                let power = value.modpow(&(BigUint::from(1_u8) << n), &p());
                assert_eq!(of_operand(&powers[j]), power, "{limbs:x?}, {n} times, {j}");
                let factor = residue::<F>(&several[several.len() - 1 - j]);
                assert_eq!(of_operand(&products[j]), value * factor % p(), "{limbs:x?}, {j}");
            }
        }
    }
}

/// Long chains of every operation, from a seed: a digest of what came out.
struct Chains(u8);

impl<F: SingleField> Kernel<F> for Chains {
    type Output = Vec<[u8; 32]>;

    fn run(self, token: F::Token) -> Vec<[u8; 32]> {
        let mut expander = Expander::new("chains");
        let mut seed = || F::from_bytes(token, &expander.bytes::<32>());
        let (mut a, mut b) = (seed(), seed());
        let round = |_| {
            for _ in 0..self.0 {
                let (product, square) = (a.mul(&b), b.square());
                let next = F::sum::<1, -1, 1>(&product, &a.mul_small(121_666), &square);
                b = F::sum::<1, -1, 1>(&square, &product, &a.widen());
                a = F::select(b.is_odd(), &next, &F::sum_of_two::<1, 1>(&product, &square));
            }
            a.to_bytes(b.is_odd())
        };
        (0..100).map(round).collect()
    }
}

#[test]
fn every_backend_of_one_lane_goes_through_the_same_chains() {
    let expected = Kernel::<U64x4>::run(Chains(100), ());
    assert_eq!(run_in_words(Chains(100)), expected);
    assert_eq!(Kernel::<U32x10>::run(Chains(100), ()), expected);
    assert_eq!(Kernel::<Fiat64>::run(Chains(100), ()), expected);
    #[cfg(sigmill_lanes)]
    if let Some(token) = crate::cpu::adx() {
        assert_eq!(Kernel::<U64x4Adx>::run(Chains(100), token), expected);
    }
}

fn inverses_and_negatives<F: Inspect>(token: F::Token) {
    assert!(invert(&element::<F>(token, 0)).is_zero().is_true_vartime());
    for limbs in extreme_limbs::<F>(Kind::Operand).iter().step_by(5) {
        let a = F::operand(token, limbs);
        let product = super::mul(&a, &invert(&a));
        let expected = u8::from(residue::<F>(limbs) != BigUint::ZERO);
        assert_eq!(of_operand(&product), BigUint::from(expected));
        assert_eq!(of_operand(&neg(&a)), (p() - residue::<F>(limbs)) % p());
    }
}

fn square_roots_of_ratios<F: Inspect>(token: F::Token) {
    let mut expander = Expander::new("roots");
    let half = (p() - 1_u8) >> 1;
    let mut squares = 0;
    let mut random = || -> [u64; 4] { core::array::from_fn(|_| expander.word() >> 1) };
    for _ in 0..200 {
        let (u, v) = (F::splat(token, &random()), F::splat(token, &random()));
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
    let (root, exists) = sqrt_ratio(&element::<F>(token, 0), &element(token, 1));
    assert!(exists.is_true_vartime() && root.is_zero().is_true_vartime());
}

fn constants<F: Inspect>(token: F::Token) {
    let i = F::splat(token, &SQRT_MINUS_1);
    assert_eq!(of_product::<F>(&i.square()), p() - 1_u8);
    let d = F::splat(token, &super::D);
    let by_121666 = d.mul(&element(token, 121_666));
    assert_eq!(of_product::<F>(&by_121666), p() - 121_665_u32);
    assert!(F::times::<2>(&d.widen()).equal(&F::splat(token, &super::TWICE_D)).is_true_vartime());
}

/// Limbs of several lanes: `grid[l]` are those of lane l.
#[cfg(any(sigmill_lanes, sigmill_lanes_128))]
pub(crate) type Grid = Vec<Vec<u64>>;

/// [`Inspect`] for a backend with lanes.
#[cfg(any(sigmill_lanes, sigmill_lanes_128))]
pub(crate) trait InspectLanes: LaneField<Mask = u8> {
    const NAME: &str;
    /// The bit where each limb stands.
    const OFFSETS: &[usize];
    /// The token, where the CPU can run this backend.
    fn available() -> Option<Self::Token>;
    /// The largest limb i of a type.
    fn limit(kind: Kind, i: usize) -> u64;
    fn operand(token: Self::Token, limbs: &Grid) -> Self;
    fn product(token: Self::Token, limbs: &Grid) -> Self::Product;
    fn of_operand(&self) -> Grid;
    fn of_product(product: &Self::Product) -> Grid;
}
