//! Multiples of the base point in every backend against the single multiplication.

use super::{
    BaseMultiples, DIGITS, SpreadInFour, WIDTH, affine_multiple, fixed_base, multiple,
    multiple_in_lanes, two_encoded, window, with_offset,
};
#[cfg(sigmill_lanes)]
use crate::cpu;
use crate::cpu::Backend;
use crate::ct::Mask;
use crate::curve::edwards::Extended;
use crate::curve::edwards::straus::double_base_vartime;
use crate::curve::tables::edwards25519::base_radix_32;
use crate::field::algebra::{Algebra, LaneArray};
use crate::field::f25519::one_lane::Fe as OneLane;
use crate::field::f25519::{self, EntryLookup, Fe, Field, SecretLanes, mul};
use crate::scalar::l25519::{ORDER, Scalar};
use crate::tests::Expander;
use crate::word::store_le;
use std::vec;
use std::vec::Vec;

/// By digits of another width and another table.
fn expected(scalar: &Scalar) -> Extended<Fe> {
    double_base_vartime(&[0; 4], &Extended::identity(()), scalar.words())
}

/// X, Y, Z and T in words.
type Coordinates = [[u64; 4]; 4];

fn point(coordinates: Coordinates) -> Extended<Fe> {
    Extended::from_products(coordinates.map(|c| Fe::from_bytes((), &store_le(&c)).widen()))
}

fn scalar(words: [u64; 4]) -> Scalar {
    let [a, b, c, d] = words;
    Scalar::reduce_words(&[a, b, c, d, 0, 0, 0, 0])
}

/// Σ dᵢ·32ⁱ modulo ℓ.
fn of_digits(digits: &[i64]) -> Scalar {
    digits.iter().rev().fold(Scalar::ZERO, |sum, digit| {
        let shifted = Scalar::product_short(&[1 << WIDTH, 0, 0], sum.words());
        let magnitude = scalar([digit.unsigned_abs(), 0, 0, 0]);
        let digit = if *digit < 0 { magnitude.negated() } else { magnitude };
        Scalar::sum(shifted.words(), digit.words())
    })
}

/// The digits of a scalar, as the kernel cuts them.
fn digits(scalar: Scalar) -> Vec<i64> {
    let words = with_offset::<OneLane>(&[scalar]);
    (0..DIGITS).map(|i| window::<OneLane>(&words, i).lanes()[0] as i64 - 16).collect()
}

/// Scalars whose digits are at their extremes: all, all but the top, alternating, single ones.
fn extremes() -> Vec<Scalar> {
    let all = |digit: i64, top: i64| {
        let mut digits = vec![digit; DIGITS as usize];
        digits[DIGITS as usize - 1] = top;
        digits
    };
    let mut patterns = Vec::new();
    for top in 0..4 {
        // with a top digit of 0 the sum of negative digits is negative
        for digit in [-16, -15, -1, 0, 1, 15] {
            if top > 0 || digit >= 0 {
                patterns.push(all(digit, top));
            }
        }
        for (even, odd) in [(-16, 15), (15, -16), (0, 15), (15, 0), (0, -16), (-16, 0)] {
            let mut digits = all(even, top.max(1));
            digits.iter_mut().rev().skip(1).step_by(2).for_each(|digit| *digit = odd);
            patterns.push(digits);
        }
    }
    for place in 0..DIGITS as usize - 1 {
        for digit in [-16, -1, 1, 15] {
            let mut digits = all(0, 1);
            digits[place] = digit;
            patterns.push(digits);
        }
    }
    let scalars: Vec<_> = patterns.iter().map(|pattern| of_digits(pattern)).collect();
    for (pattern, scalar) in patterns.iter().zip(&scalars) {
        assert_eq!(digits(*scalar), *pattern, "the scalar has the digits that are meant");
    }
    scalars
}

fn scalars() -> Vec<Scalar> {
    let mut scalars = extremes();
    let mut minus_one = ORDER;
    minus_one[0] -= 1;
    scalars.extend([
        Scalar::ZERO,
        scalar([1, 0, 0, 0]),
        scalar([2, 0, 0, 0]),
        scalar(minus_one),
        scalar([u64::MAX, u64::MAX, u64::MAX, u64::MAX >> 4]),
        // the least and the greatest that clamping leaves
        scalar([0, 0, 0, 1 << 62]),
        scalar([u64::MAX - 7, u64::MAX, u64::MAX, u64::MAX >> 1]),
    ]);
    for shift in 0..253 {
        let mut words = [0; 4];
        words[shift / 64] = 1 << (shift % 64);
        scalars.push(scalar(words));
    }
    let mut expander = Expander::new("base lanes");
    scalars.extend((0..200).map(|_| scalar(core::array::from_fn(|_| expander.word()))));
    scalars
}

#[test]
fn every_backend_multiplies_as_the_single_one_does() {
    let scalars = scalars();
    let expected: Vec<_> = scalars
        .iter()
        .map(|scalar| {
            let point = expected(scalar).projective().normalized();
            let x = Fe::times::<1>(&point.projective().x).to_bytes(Mask::from_bit(0));
            [point.encode_normalized(), x]
        })
        .collect();
    for backend in Backend::ALL.into_iter().filter(|backend| backend.is_available()) {
        // whole groups and parts of them
        for n in [scalars.len(), 1, 7, 8, 9, 16, 32, 128, 129, 256, 257] {
            let mut x = vec![[0; 32]; n];
            let mut encoded = vec![[0; 32]; n];
            let scalars = &scalars[..n];
            let (x, encoded) = (&mut x[..], &mut encoded[..]);
            f25519::run(backend, BaseMultiples { scalars, x: &mut *x, encoded: &mut *encoded });
            for (i, [y, x_alone]) in expected[..n].iter().enumerate() {
                assert_eq!(encoded[i], *y, "{backend} row {i} of {n}");
                assert_eq!(x[i], *x_alone, "{backend} x of row {i} of {n}");
            }
            let mut without_x = vec![[0; 32]; n];
            let kernel = BaseMultiples { scalars, x: &mut [], encoded: &mut without_x };
            f25519::run(backend, kernel);
            assert_eq!(without_x, encoded);
        }
    }
}

#[test]
fn one_scalar_spread_over_lanes_gives_what_the_single_multiplication_does() {
    let in_lanes = multiple_in_lanes(&Scalar::ZERO).is_some();
    assert_eq!(in_lanes, Backend::Ifma.is_available());
    for scalar in scalars() {
        let expected = expected(&scalar).projective().normalized();
        let mut points = vec![fixed_base::<Fe>((), &scalar)];
        points.extend(multiple_in_lanes(&scalar).map(point));
        for point in points {
            assert_eq!(point.projective().encode(), expected.encode_normalized());
            assert_eq!(multiple::<Fe>((), &scalar).encode(), expected.encode_normalized());
            let [x, y, z, t] = point.products().map(|product| Fe::times::<1>(&product));
            assert!(mul(&x, &y).equal(&mul(&z, &t)).is_true_vartime(), "XY = ZT");
        }
        let x = Fe::times::<1>(&expected.projective().x).to_bytes(Mask::from_bit(0));
        assert_eq!(affine_multiple(&scalar), [x, expected.encode_normalized()]);
    }
}

#[test]
fn two_scalars_at_once_and_four_lanes_give_what_the_single_multiplication_does() {
    let in_lanes = f25519::run_in_four_lanes(SpreadInFour([&Scalar::ZERO; 2])).is_some();
    assert_eq!(in_lanes, f25519::FOUR.is_available());
    let in_lanes = f25519::run_in_four_at_once(SpreadInFour([&Scalar::ZERO; 2])).is_some();
    assert_eq!(in_lanes, f25519::FOUR.pays());
    let expected = |scalar: &Scalar| expected(scalar).projective().encode();
    let check = |coordinates: Coordinates, expected: &[u8; 32]| {
        let point = point(coordinates);
        assert_eq!(point.projective().encode(), *expected);
        let [x, y, z, t] = point.products().map(|product| Fe::times::<1>(&product));
        assert!(mul(&x, &y).equal(&mul(&z, &t)).is_true_vartime(), "XY = ZT");
    };
    let scalars = scalars();
    for (i, first) in scalars.iter().enumerate() {
        let second = &scalars[(i * 37 + 11) % scalars.len()];
        let encoded = [expected(first), expected(second)];
        let both = [first, second];
        assert_eq!(two_encoded(both), encoded);
        let points = f25519::run_in_four_lanes(SpreadInFour(both));
        for (point, encoded) in points.iter().flatten().zip(&encoded) {
            check(*point, encoded);
        }
    }
}

#[test]
fn each_lane_of_four_has_its_table() {
    fn check<F: SecretLanes>(token: F::Token) {
        for window in 0..32 {
            let mut windows = F::PerLane::<u64>::all(0);
            for (lane, of_lane) in windows.lanes_mut().iter_mut().enumerate() {
                *of_lane = (window + 5 * lane as u64) % 32;
            }
            let tables = [0, 7, 11, 25].map(|row| &base_radix_32()[row]);
            let (chosen, minus) = F::select_signed_of_four(token, tables, &windows);
            for lane in 0..F::LANES {
                let (alone, of_one) = F::select_signed(token, tables[lane % 4], &windows);
                let bit = F::mask(token, 1 << lane);
                assert_eq!(F::bits(minus & bit), F::bits(of_one & bit));
                for (chosen, alone) in chosen.iter().zip(&alone) {
                    assert_eq!(F::bits(chosen.equal(alone) & bit), F::bits(bit));
                }
            }
        }
    }
    check::<OneLane>(());
    #[cfg(sigmill_lanes_128)]
    check::<f25519::lanes::u32_x4::Fe>(());
    #[cfg(sigmill_lanes)]
    {
        if let Some(token) = cpu::avx2() {
            check::<f25519::lanes::avx2_x4::Fe>(token);
        }
        if let Some(token) = cpu::ifma() {
            check::<f25519::lanes::ifma_x8::Fe>(token);
        }
    }
}

/// Every window, in words and in the lanes that the CPU has, against the selection that lanes use.
#[test]
fn signed_entries_are_the_multiples_of_their_digits() {
    for (row, window) in (0..base_radix_32().len()).flat_map(|row| (0..32).map(move |w| (row, w))) {
        let table = &base_radix_32()[row];
        let ([a, b, c], minus) = OneLane::select_signed((), table, &[window]);
        let c = OneLane::select(minus, &f25519::neg(&c), &c);
        let (a, b) = (OneLane::select(minus, &b, &a), OneLane::select(minus, &a, &b));
        let is = |entry: [[u64; 4]; 3]| {
            for (entry, expected) in entry.iter().zip([a, b, c]) {
                let entry = OneLane::splat((), entry);
                assert!(entry.equal(&expected).is_true_vartime(), "row {row}, window {window}");
            }
        };
        is(OneLane::signed_entry((), table, window));
        #[cfg(sigmill_lanes_128)]
        is(f25519::lanes::u32_x4::Fe::signed_entry((), table, window));
        #[cfg(sigmill_lanes)]
        if let Some(token) = cpu::avx2() {
            is(f25519::lanes::avx2_x4::Fe::signed_entry(token, table, window));
        }
    }
}

#[test]
fn digits_add_up_to_their_scalar() {
    for scalar in scalars() {
        let digits = digits(scalar);
        assert!(digits.iter().all(|digit| (-16..16).contains(digit)));
        assert_eq!(of_digits(&digits).words(), scalar.words());
    }
}
