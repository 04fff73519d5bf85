//! The field against big integers: extreme limbs of every type, random values, powers and roots.

use super::fiat::{fiat32, fiat64};
use super::{SQRT_MINUS_1, invert, neg, run_in_words, sqrt_ratio, u32x10, u64x4};
use crate::ct::Mask;
#[cfg(sigmill_lanes)]
use crate::field::LaneField;
use crate::field::SingleField;
#[cfg(sigmill_lanes)]
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

for_all_backends! {
    products_and_squares_of_extreme_operands_are_right_and_keep_their_bound
    sums_of_products_are_right_and_keep_their_bound
    twice_product_is_twice_the_product
    products_with_small_integers_are_right_and_keep_their_bound
    encoding_comparison_and_parity_see_the_residue
    values_from_p_up_are_reduced_and_the_top_bit_is_not_read
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
        let twice = F::twice_product((&x_operand, &y_operand), (&px, &py), squares);
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
            assert_eq!(F::top_bit(token, &bytes).is_true_vartime(), top != 0);
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
#[cfg(sigmill_lanes)]
pub(crate) type Grid = Vec<Vec<u64>>;

/// What [`Inspect`] is, for a backend with lanes.
#[cfg(sigmill_lanes)]
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

/// Lane backends, with different values in different lanes. What the CPU cannot run is skipped, and
/// said so.
#[cfg(sigmill_lanes)]
mod lanes {
    use super::*;
    use crate::field::f25519::{avx2_x4, fma_x4, ifma_x8, sqrt_ratios};
    use crate::field::{Algebra, Field, LaneArray, Row, SecretLanes};
    use crate::memory::{Line, Memory, Scratch};
    use std::vec;

    macro_rules! for_lane_backends {
        ($($test:ident)*) => {
            $(mod $test {
                use super::*;

                #[test]
                fn ifma_x8() {
                    run::<ifma_x8::Fe>(super::$test::<ifma_x8::Fe>);
                }

                #[test]
                fn avx2_x4() {
                    run::<avx2_x4::Fe>(super::$test::<avx2_x4::Fe>);
                }

                #[test]
                fn fma_x4() {
                    run::<fma_x4::Fe>(super::$test::<fma_x4::Fe>);
                }
            })*
        };
    }

    for_lane_backends! {
        products_and_squares_of_extreme_operands_are_right_and_keep_their_bound
        sums_of_products_are_right_and_keep_their_bound
        twice_product_is_twice_the_product
        products_with_small_integers_are_right_and_keep_their_bound
        encoding_comparison_and_parity_see_the_residue
        values_from_p_up_are_reduced_and_the_top_bit_is_not_read
        selection_and_masks_are_by_lane
        tables_give_each_lane_its_own_entry
        rows_come_back_in_any_lane
        rows_of_points_come_back_in_any_lane
        points_get_whole_memory
        inverses_and_square_roots_of_several_elements_at_once
    }

    fn run<F: InspectLanes>(test: fn(F::Token)) {
        let Some(token) = F::available() else {
            std::eprintln!("SKIPPED: this CPU cannot run {}; nothing was tested", F::NAME);
            return;
        };
        test(token);
    }

    /// Runs a closure with the backend's instructions, as formulas run.
    fn enter<F: InspectLanes, O>(token: F::Token, work: impl FnOnce() -> O) -> O {
        struct Closure<W>(W);
        impl<F: LaneField, O, W: FnOnce() -> O> Kernel<F> for Closure<W> {
            type Output = O;

            #[inline(always)]
            fn run(self, _: F::Token) -> O {
                self.0()
            }
        }
        token.enter::<F, _>(Closure(work))
    }

    fn residues<F: InspectLanes>(limbs: &Grid) -> Vec<BigUint> {
        assert_eq!(limbs.len(), F::LANES);
        limbs.iter().map(|lane| value_at(F::OFFSETS, lane) % p()).collect()
    }

    fn checked<F: InspectLanes>(kind: Kind, limbs: Grid) -> Vec<BigUint> {
        for lane in &limbs {
            for (i, limb) in lane.iter().enumerate() {
                assert!(*limb <= F::limit(kind, i), "limb {i} is {limb}, over its bound");
            }
        }
        residues::<F>(&limbs)
    }

    fn of_product<F: InspectLanes>(product: &F::Product) -> Vec<BigUint> {
        checked::<F>(Kind::Product, F::of_product(product))
    }

    fn of_operand<F: InspectLanes>(operand: &F) -> Vec<BigUint> {
        checked::<F>(Kind::Operand, operand.of_operand())
    }

    /// Grids in which each of the extreme limbs stands once in each lane, beside others; and grids
    /// with the same limbs in all lanes.
    fn extreme_grids<F: InspectLanes>(kind: Kind) -> Vec<Grid> {
        let list = extreme_limbs_at(F::OFFSETS, &F::limit, kind);
        let apart = list.len() / F::LANES + 1;
        let beside = |n: usize| {
            (0..F::LANES).map(|l| list[(n + l * apart) % list.len()].clone()).collect::<Grid>()
        };
        let same = list.iter().step_by(9).map(|limbs| vec![limbs.clone(); F::LANES]);
        (0..list.len()).map(beside).chain(same).collect()
    }

    fn zip(
        a: &[BigUint],
        b: &[BigUint],
        f: impl Fn(&BigUint, &BigUint) -> BigUint,
    ) -> Vec<BigUint> {
        a.iter().zip(b).map(|(a, b)| f(a, b) % p()).collect()
    }

    fn times(a: &[BigUint], b: &[BigUint]) -> Vec<BigUint> {
        zip(a, b, |a, b| a * b)
    }

    fn plus(a: &[BigUint], b: &[BigUint]) -> Vec<BigUint> {
        zip(a, b, |a, b| a + b)
    }

    fn minus(a: &[BigUint], b: &[BigUint]) -> Vec<BigUint> {
        zip(a, b, |a, b| a + p() - b)
    }

    /// The lanes in which something holds.
    fn mask_of(lanes: impl IntoIterator<Item = bool>) -> u8 {
        lanes.into_iter().enumerate().fold(0, |mask, (l, is)| mask | u8::from(is) << l)
    }

    fn all_lanes<F: InspectLanes>() -> u8 {
        u8::MAX >> (8 - F::LANES)
    }

    fn encoded<F: InspectLanes>(element: &F, top_bit: u8) -> Vec<[u8; 32]> {
        F::per_lane(element.to_bytes(top_bit)).lanes().to_vec()
    }

    fn decoded<F: InspectLanes>(token: F::Token, bytes: &[[u8; 32]]) -> F {
        F::from_bytes(token, &per_lane::<F>(bytes))
    }

    fn per_lane<F: InspectLanes>(bytes: &[[u8; 32]]) -> F::Bytes {
        let mut lanes = F::PerLane::<[u8; 32]>::all([0; 32]);
        lanes.lanes_mut().copy_from_slice(bytes);
        F::bytes(lanes)
    }

    fn words_of(value: &BigUint) -> [u64; 4] {
        crate::word::load_le(&bytes_of(value))
    }

    fn index<F: InspectLanes>(each: impl FnMut(usize) -> u32) -> F::PerLane<u32> {
        let mut index = F::PerLane::<u32>::all(0);
        let values: Vec<u32> = (0..F::LANES).map(each).collect();
        index.lanes_mut().copy_from_slice(&values);
        index
    }

    fn random_limbs<F: InspectLanes>(expander: &mut Expander, kind: Kind) -> Grid {
        let mut limb = |i| expander.word() % (F::limit(kind, i) + 1);
        (0..F::LANES).map(|_| (0..F::OFFSETS.len()).map(&mut limb).collect()).collect()
    }

    fn products_and_squares_of_extreme_operands_are_right_and_keep_their_bound<F: InspectLanes>(
        token: F::Token,
    ) {
        let grids = extreme_grids::<F>(Kind::Operand);
        let values: Vec<_> = grids.iter().map(residues::<F>).collect();
        let elements: Vec<F> = grids.iter().map(|limbs| F::operand(token, limbs)).collect();
        let of = of_product::<F>;
        for (n, (a, va)) in elements.iter().zip(&values).enumerate() {
            assert_eq!(of(&enter::<F, _>(token, || a.square())), times(va, va), "{:?}²", grids[n]);
            for m in (n % 23..elements.len()).step_by(23) {
                let (b, vb) = (&elements[m], &values[m]);
                let product = enter::<F, _>(token, || a.mul(b));
                assert_eq!(of(&product), times(va, vb), "{:?}·{:?}", grids[n], grids[m]);
            }
            let (m, k) = ((n + 31) % elements.len(), (3 * n + 7) % elements.len());
            let (b, c) = (&elements[m], &elements[k]);
            let (vb, vc) = (&values[m], &values[k]);
            let [ab, ca] = enter::<F, _>(token, || F::mul_pair([a, b], [c, a]));
            assert_eq!((of(&ab), of(&ca)), (times(va, vb), times(vc, va)));
            let [bb, cc] = enter::<F, _>(token, || F::square_pair(b, c));
            assert_eq!((of(&bb), of(&cc)), (times(vb, vb), times(vc, vc)));
            let mut several = [*a, *b, *c];
            F::multiply(&mut several, &[*b, *c, *a]);
            let expected = [times(va, vb), times(vb, vc), times(vc, va)];
            assert_eq!(several.each_ref().map(of_operand::<F>), expected);
            let (three, four, crosswise) = enter::<F, _>(token, || {
                let three = F::mul_three([a, b], [b, c], [c, a]);
                (three, F::mul_four([[a, b], [b, c], [c, a], [a, a]]), F::mul_crosswise(a, b, c, a))
            });
            let [ab, bc, ca] = [times(va, vb), times(vb, vc), times(vc, va)];
            assert_eq!(three.each_ref().map(of), [&ab, &bc, &ca].map(Clone::clone), "mul_three");
            assert_eq!(
                four.each_ref().map(of),
                [&ab, &bc, &ca, &times(va, va)].map(Clone::clone),
                "mul_four"
            );
            assert_eq!(crosswise.each_ref().map(of), [ab, ca, bc, times(va, va)], "mul_crosswise");
            // short and long chains: a backend may have another radix for the long ones
            for (len, times) in (0..=3).flat_map(|len| [3, [5, 6, 13][n % 3]].map(|n| (len, n))) {
                let mut several = [*a, *b, *c];
                F::square_times(&mut several[..len], times);
                for (i, (element, before)) in several.iter().zip([va, vb, vc]).enumerate() {
                    let power = |v: &BigUint| v.modpow(&BigUint::from(1_u32 << times), &p());
                    let power: Vec<_> = before.iter().map(power).collect();
                    let expected = if i < len { &power } else { before };
                    assert_eq!(&of_operand(element), expected, "{times} squarings of {len}, {i}");
                }
            }
        }
    }

    fn sums_of_products_are_right_and_keep_their_bound<F: InspectLanes>(token: F::Token) {
        let grids = extreme_grids::<F>(Kind::Product);
        for (n, a) in grids.iter().enumerate() {
            let (b, c) = (&grids[(n * 7 + 1) % grids.len()], &grids[(n * 5 + 3) % grids.len()]);
            let [fa, fb, fc] = [a, b, c].map(|grid| F::product(token, grid));
            let [va, vb, vc] = [a, b, c].map(|grid| residues::<F>(grid));
            let twice = plus(&va, &va);
            let (f, e) = enter::<F, _>(token, || {
                (F::sum::<2, -1, 1>(&fa, &fb, &fc), F::sum::<1, -1, -1>(&fa, &fb, &fc))
            });
            assert_eq!(of_operand(&f), plus(&minus(&twice, &vb), &vc));
            assert_eq!(of_operand(&e), minus(&minus(&va, &vb), &vc));
            let [more, less, two] = enter::<F, _>(token, || {
                let (more, less) =
                    (F::sum_of_two::<2, 1>(&fa, &fb), F::sum_of_two::<2, -1>(&fa, &fb));
                [more, less, F::times::<2>(&fa)]
            });
            assert_eq!(of_operand(&more), plus(&twice, &vb));
            assert_eq!(of_operand(&less), minus(&twice, &vb));
            assert_eq!(of_operand(&two), twice);
            let [swapped, as_they_are] = enter::<F, _>(token, || {
                [!0, 0].map(|lanes| F::sum_and_difference(F::mask(token, lanes), &fa, &fb))
            });
            assert_eq!(as_they_are.each_ref().map(of_operand), [plus(&va, &vb), minus(&va, &vb)]);
            assert_eq!(swapped.each_ref().map(of_operand), [minus(&va, &vb), plus(&va, &vb)]);
            let minus_b = enter::<F, _>(token, || F::negate_where(F::mask(token, !0), &fb));
            assert_eq!(of_operand(&minus_b), minus(&minus(&vb, &vb), &vb));
            let three = enter::<F, _>(token, || F::sum::<1, 1, -1>(&fa, &fb, &fc));
            assert_eq!(of_operand(&three), minus(&plus(&va, &vb), &vc));
        }
    }

    fn twice_product_is_twice_the_product<F: InspectLanes>(token: F::Token) {
        let grids = extreme_grids::<F>(Kind::Product);
        for (x, y) in grids.iter().zip(grids.iter().rev()) {
            let (px, py) = (F::product(token, x), F::product(token, y));
            let twice = enter::<F, _>(token, || {
                let (x, y) = (F::times::<1>(&px), F::times::<1>(&py));
                F::twice_product((&x, &y), (&px, &py), (&x.square(), &y.square()))
            });
            let xy = times(&residues::<F>(x), &residues::<F>(y));
            assert_eq!(of_operand(&twice), plus(&xy, &xy), "2·{x:?}·{y:?}");
        }
    }

    fn products_with_small_integers_are_right_and_keep_their_bound<F: InspectLanes>(
        token: F::Token,
    ) {
        for a in extreme_grids::<F>(Kind::Operand) {
            for n in SMALL {
                let product = enter::<F, _>(token, || F::operand(token, &a).mul_small(n));
                let expected: Vec<_> = residues::<F>(&a).iter().map(|a| a * n % p()).collect();
                assert_eq!(of_product::<F>(&product), expected, "{a:?}·{n}");
            }
        }
    }

    fn encoding_comparison_and_parity_see_the_residue<F: InspectLanes>(token: F::Token) {
        for (n, limbs) in extreme_grids::<F>(Kind::Operand).iter().enumerate() {
            let (element, expected) = (F::operand(token, limbs), residues::<F>(limbs));
            let top = n as u8 & all_lanes::<F>();
            let bytes = enter::<F, _>(token, || element.to_bytes(top));
            assert_eq!(F::top_bit(token, &bytes) & all_lanes::<F>(), top);
            for (l, (bytes, value)) in F::per_lane(bytes).lanes().iter().zip(&expected).enumerate()
            {
                let mut with_top = bytes_of(value);
                with_top[31] |= (top >> l & 1) << 7;
                assert_eq!(*bytes, with_top, "{limbs:?}");
            }
            assert_eq!(of_product::<F>(&enter::<F, _>(token, || element.widen())), expected);
            let (odd, zero) = enter::<F, _>(token, || (element.is_odd(), element.is_zero()));
            assert_eq!(odd & all_lanes::<F>(), mask_of(expected.iter().map(|v| v.bit(0))));
            let is_zero = |value: &BigUint| *value == BigUint::ZERO;
            assert_eq!(zero & all_lanes::<F>(), mask_of(expected.iter().map(is_zero)));
            // equal in some lanes, different in the others
            let differs = (n / 3) as u8 & all_lanes::<F>();
            let other =
                |(l, value): (usize, &BigUint)| bytes_of(&((value + (differs >> l & 1)) % p()));
            let other: Vec<_> = expected.iter().enumerate().map(other).collect();
            let other = decoded::<F>(token, &other);
            let equal = enter::<F, _>(token, || [element.equal(&other), other.equal(&element)]);
            assert_eq!(equal.map(|mask| mask & all_lanes::<F>()), [!differs & all_lanes::<F>(); 2]);
        }
    }

    fn values_from_p_up_are_reduced_and_the_top_bit_is_not_read<F: InspectLanes>(token: F::Token) {
        // from p − 9 to 2^255 − 1 = p + 18, at most 2^255 − 1 with the top bit; others anywhere
        let mut values: Vec<BigUint> = (0..28_u8).map(|k| p() - 9_u8 + k).collect();
        values.extend([0, 1, 18, 19, 20].map(|small: u8| BigUint::from(small)));
        values.extend(
            (0..255).map(|bit| (BigUint::from(1_u8) << 255) - 1_u8 - (BigUint::from(1_u8) << bit)),
        );
        for n in 0..values.len() {
            let value = |l: usize| &values[(n + 5 * l) % values.len()];
            let top = (n * 37) as u8 & all_lanes::<F>();
            let bytes = |l: usize| {
                let mut bytes = bytes_of(value(l));
                bytes[31] |= (top >> l & 1) << 7;
                bytes
            };
            let bytes = per_lane::<F>(&(0..F::LANES).map(bytes).collect::<Vec<_>>());
            let (element, reduced) = enter::<F, _>(token, || {
                (F::from_bytes(token, &bytes), F::is_reduced(token, &bytes))
            });
            assert_eq!(reduced & all_lanes::<F>(), mask_of((0..F::LANES).map(|l| *value(l) < p())));
            assert_eq!(F::top_bit(token, &bytes) & all_lanes::<F>(), top);
            let expected: Vec<_> = (0..F::LANES).map(|l| value(l) % p()).collect();
            assert_eq!(of_operand(&element), expected);
            assert_eq!(encoded(&element, 0), expected.iter().map(bytes_of).collect::<Vec<_>>());
            let splat = enter::<F, _>(token, || F::splat(token, &words_of(value(0))));
            assert_eq!(of_operand(&splat), vec![value(0) % p(); F::LANES]);
        }
    }

    fn selection_and_masks_are_by_lane<F: InspectLanes>(token: F::Token) {
        let mut expander = Expander::new("selection");
        for bits in 0..=u32::from(all_lanes::<F>()) {
            let mask = F::mask(token, bits);
            assert_eq!(F::bits(mask) & u32::from(all_lanes::<F>()), bits);
            let (a, b) = (
                random_limbs::<F>(&mut expander, Kind::Operand),
                random_limbs::<F>(&mut expander, Kind::Operand),
            );
            let (fa, fb) = (F::operand(token, &a), F::operand(token, &b));
            let chosen = enter::<F, _>(token, || F::select(mask, &fa, &fb)).of_operand();
            for (l, limbs) in chosen.iter().enumerate() {
                assert_eq!(*limbs, if bits >> l & 1 == 1 { a[l].clone() } else { b[l].clone() });
            }
            let inverse = enter::<F, _>(token, || F::select(!mask, &fa, &fb)).of_operand();
            let opposite = enter::<F, _>(token, || F::select(mask, &fb, &fa)).of_operand();
            assert_eq!(inverse, opposite);
        }
    }

    fn tables_give_each_lane_its_own_entry<F: InspectLanes>(token: F::Token) {
        let mut expander = Expander::new("tables");
        let words: Vec<[[u64; 4]; 3]> = (0..130)
            .map(|_| {
                core::array::from_fn(|_| {
                    words_of(&(BigUint::from_bytes_le(&expander.bytes::<32>()) % p()))
                })
            })
            .collect();
        for _ in 0..500 {
            let entries = index::<F>(|_| expander.word() as u32 % words.len() as u32);
            let mut references = F::PerLane::all(&words[0]);
            for (reference, entry) in references.lanes_mut().iter_mut().zip(entries.lanes()) {
                *reference = &words[*entry as usize];
            }
            let loaded = enter::<F, _>(token, || F::load_words_vartime(token, &references));
            for (c, element) in loaded.iter().enumerate() {
                let expected = |entry: &u32| crate::word::store_le(&words[*entry as usize][c]);
                let expected: Vec<_> = entries.lanes().iter().map(expected).collect();
                assert_eq!(encoded(element, 0), expected);
                of_operand(element);
            }
        }
    }

    /// In a program that has set another rounding mode, and zeros in place of subnormal numbers.
    #[test]
    fn products_of_doubles_are_the_same_however_they_are_rounded() {
        run::<fma_x4::Fe>(|token| {
            // to nearest, down, up, to zero; flush to zero and denormals are zero
            for rounding in 0..4 {
                for subnormal in [0, 0x8040] {
                    crate::simd::avx2::with_control(rounding << 13 | subnormal, || {
                        products_and_squares_of_extreme_operands_are_right_and_keep_their_bound::<
                            fma_x4::Fe,
                        >(token);
                        products_with_small_integers_are_right_and_keep_their_bound::<fma_x4::Fe>(
                            token,
                        );
                        sums_of_products_are_right_and_keep_their_bound::<fma_x4::Fe>(token);
                    });
                }
            }
        });
    }

    /// The lanes of `values` written to rows one after the other, each vector by `store`; what comes back by `load`
    /// from the rows that a lane each names.
    fn points_come_back<F: InspectLanes, V, R: Copy>(
        kind: Kind,
        empty: &[R],
        store: impl Fn(&[Grid; 4], &mut [R]),
        load: impl Fn(&F::PerLane<&R>) -> [V; 4],
        limbs: impl Fn(&V) -> Grid,
    ) {
        let mut rows = empty.to_vec();
        let mut written: Vec<[Vec<u64>; 4]> = Vec::new();
        let mut grids = extreme_grids::<F>(kind).into_iter().step_by(5);
        for chunk in rows.chunks_mut(F::LANES) {
            let point: [Grid; 4] = core::array::from_fn(|_| grids.next().expect("enough grids"));
            // the last chunk is shorter than the lanes: what does not fit is left out
            store(&point, chunk);
            let lanes = 0..chunk.len();
            written.extend(lanes.map(|l| point.each_ref().map(|limbs| limbs[l].clone())));
        }
        let mut expander = Expander::new("points");
        for _ in 0..500 {
            let index = index::<F>(|_| expander.word() as u32 % rows.len() as u32);
            let mut places = F::PerLane::all(&rows[0]);
            for (place, index) in places.lanes_mut().iter_mut().zip(index.lanes()) {
                *place = &rows[*index as usize];
            }
            for (c, value) in load(&places).iter().enumerate() {
                for (l, limbs) in limbs(value).iter().enumerate() {
                    assert_eq!(*limbs, written[index.lanes()[l] as usize][c]);
                }
            }
        }
    }

    fn rows_of_points_come_back_in_any_lane<F: InspectLanes>(token: F::Token) {
        let len = 4 * F::LANES + F::LANES / 2;
        points_come_back::<F, F, _>(
            Kind::Operand,
            &vec![F::operand_row(token); len],
            |point, rows| {
                let point = point.each_ref().map(|limbs| F::operand(token, limbs));
                enter::<F, _>(token, || F::store_operands(&point, rows));
            },
            |rows| enter::<F, _>(token, || F::load_operands_vartime(token, rows)),
            |value| value.of_operand(),
        );
        let mut scratch = [Scratch::new(); 32];
        let mut memory = Memory::new(&mut scratch);
        let empty = F::take_product_rows(token, &mut memory, 5).expect("enough memory");
        assert_eq!(empty.len(), 5 * F::LANES);
        points_come_back::<F, F::Product, _>(
            Kind::Product,
            &empty[..len],
            |point, rows| {
                let point = point.each_ref().map(|limbs| F::product(token, limbs));
                enter::<F, _>(token, || F::store_products(&point, rows));
            },
            |rows| enter::<F, _>(token, || F::load_products_vartime(token, rows)),
            |value| F::of_product(value),
        );
        assert!(F::take_product_rows(token, &mut memory, usize::MAX / 2).is_none());
    }

    fn rows_come_back_in_any_lane<F: InspectLanes>(token: F::Token) {
        let mut rows: Vec<Row> = vec![[Line([u64::MAX; 8]); 2]; 4 * F::LANES + 3];
        let mut written: Vec<[Vec<u64>; 3]> = Vec::new();
        let mut grids = extreme_grids::<F>(Kind::Operand).into_iter().step_by(7);
        for chunk in rows.chunks_mut(F::LANES) {
            let triple: [Grid; 3] = core::array::from_fn(|_| grids.next().expect("enough grids"));
            let elements = triple.each_ref().map(|limbs| F::operand(token, limbs));
            // the last chunk is shorter than the lanes: what does not fit is left out
            let before = chunk.len();
            enter::<F, _>(token, || F::store_rows(&elements, chunk));
            written.extend((0..before).map(|l| triple.each_ref().map(|limbs| limbs[l].clone())));
        }
        let mut expander = Expander::new("rows");
        for _ in 0..500 {
            let index = index::<F>(|_| expander.word() as u32 % rows.len() as u32);
            let loaded = enter::<F, _>(token, || F::load_rows_vartime(token, &rows, &index));
            for (c, element) in loaded.iter().enumerate() {
                for (l, limbs) in element.of_operand().iter().enumerate() {
                    assert_eq!(*limbs, written[index.lanes()[l] as usize][c]);
                }
            }
        }
        // more rows than lanes: the others stay as they are
        let elements = [F::splat(token, &[1, 2, 3, 4]); 3];
        let last = rows[F::LANES];
        F::store_rows(&elements, &mut rows[..F::LANES + 1]);
        assert_eq!(rows[F::LANES].map(|line| line.0), last.map(|line| line.0));
        let past = index::<F>(|l| rows.len() as u32 + l as u32);
        F::load_rows_vartime(token, &rows, &past).iter().for_each(|element| {
            of_operand(element);
        });
    }

    #[test]
    fn four_lanes_come_in_another_order() {
        run::<ifma_x8::Fe>(each_four_are_arranged::<ifma_x8::Fe>);
        run::<avx2_x4::Fe>(each_four_are_arranged::<avx2_x4::Fe>);
    }

    fn each_four_are_arranged<F: InspectLanes + SecretLanes>(token: F::Token) {
        const FROM: i32 = 2 | 3 << 4 | 1 << 6;
        for limbs in extreme_grids::<F>(Kind::Product) {
            let lanes = of_product::<F>(&F::product(token, &limbs));
            let product = F::product(token, &limbs);
            let arranged = of_product::<F>(&enter::<F, _>(token, || F::arrange::<FROM>(&product)));
            for (l, lane) in arranged.iter().enumerate() {
                let (four, i) = (l & !3, l & 3);
                assert_eq!(*lane, lanes[four + [2, 0, 3, 1][i]], "lane {l}");
            }
        }
    }

    #[test]
    fn lanes_that_are_not_there_are_zero() {
        use crate::field::f25519::one_lane::Fe;
        let one = Fe::splat((), &[1, 0, 0, 0]);
        let is =
            |a: &Fe, expected: u64| a.equal(&Fe::splat((), &[expected, 0, 0, 0])).is_true_vartime();
        // lane 0 from itself, and from lane 1
        assert!(is(&Fe::times::<1>(&Fe::arrange::<0b1110_0100>(&one.widen())), 1));
        assert!(is(&Fe::times::<1>(&Fe::arrange::<0b1110_0001>(&one.widen())), 0));
    }

    fn points_get_whole_memory<F: InspectLanes>(token: F::Token) {
        let size = size_of::<[F::Product; 4]>();
        let mut scratch = vec![Scratch::new(); (5 * size).div_ceil(512)];
        let mut memory = Memory::new(&mut scratch);
        let whole = memory.len();
        let (a, b) = (F::splat(token, &[5, 6, 7, 8]).widen(), F::splat(token, &[9; 4]).widen());
        let first = F::take_points(token, &mut memory, 2).expect("room for two");
        let second = F::take_points(token, &mut memory, 3).expect("room for three");
        assert_eq!((first.len(), second.len(), memory.len()), (2, 3, whole - 5 * size));
        first.fill([a, b, a, b]);
        second.fill([b; 4]);
        for [c, d, e, f] in first {
            let found = [c, d, e, f].map(|product| of_product::<F>(product));
            assert_eq!(found, [a, b, a, b].map(|product| of_product::<F>(&product)));
        }
        assert_eq!(of_product::<F>(&second[2][3]), of_product::<F>(&b));
        let mut scratch = vec![Scratch::new(); 5 * size / 512 - 1];
        assert!(F::take_points(token, &mut Memory::new(&mut scratch), 5).is_none());
        assert!(F::take_points(token, &mut Memory::new(&mut scratch), usize::MAX / 256).is_none());
    }

    fn inverses_and_square_roots_of_several_elements_at_once<F: InspectLanes>(token: F::Token) {
        several::<F, 2>(token);
        several::<F, 4>(token);
    }

    fn several<F: InspectLanes, const N: usize>(token: F::Token) {
        let mut expander = Expander::new("several");
        let half = (p() - 1_u8) >> 1;
        let mut squares = 0;
        for round in 0..10 {
            let mut random = || BigUint::from_bytes_le(&expander.bytes::<32>()) % p();
            let us: Vec<BigUint> = (0..N * F::LANES)
                .map(|n| if n % 7 == round { BigUint::ZERO } else { random() })
                .collect();
            let vs: Vec<BigUint> = (0..N * F::LANES).map(|_| random()).collect();
            let wide = |values: &[BigUint]| {
                let bytes: Vec<[u8; 32]> = values.iter().map(bytes_of).collect();
                let part = |i: usize| decoded::<F>(token, &bytes[i * F::LANES..][..F::LANES]);
                core::array::from_fn::<F, N, _>(part)
            };
            let (u, v) = (wide(&us), wide(&vs));
            let (inverses, exist, squared, negatives) = enter::<F, _>(token, || {
                let (roots, exist) = sqrt_ratios(&u, &v);
                let squared = roots.map(|root| root.square());
                (u.map(|u| invert(&u)), exist, squared, u.map(|u| neg(&u)))
            });
            let inverses: Vec<_> = inverses.iter().flat_map(of_operand).collect();
            let squared: Vec<_> = squared.iter().flat_map(of_product::<F>).collect();
            let negatives: Vec<_> = negatives.iter().flat_map(of_operand).collect();
            for n in 0..N * F::LANES {
                let exists = exist[n / F::LANES] >> (n % F::LANES) & 1 == 1;
                assert_eq!(inverses[n], us[n].modpow(&(p() - 2_u8), &p()));
                assert_eq!(negatives[n], (p() - &us[n]) % p());
                let ratio = &us[n] * vs[n].modpow(&(p() - 2_u8), &p()) % p();
                let expected =
                    us[n] == BigUint::ZERO || ratio.modpow(&half, &p()) == BigUint::from(1_u8);
                assert_eq!(exists, expected, "{} / {}", us[n], vs[n]);
                if expected {
                    squares += 1;
                    assert_eq!(squared[n], ratio);
                }
            }
        }
        let all = 10 * N * F::LANES;
        assert!((all / 3..all * 4 / 5).contains(&squares), "{squares} of {all} ratios are squares");
    }
}
