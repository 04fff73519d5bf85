//! One point as one vector of the four values of a formula, for chains of formulas: on the CPUs that have
//! a backend for it (`PackedField`).
//!
//! Doublings are latency-bound: each waits for the one before. A point is one vector:
//!
//! | lanes | before a doubling | before an addition | the second operand of an addition |
//! |---|---|---|---|
//! | 0 | Y + X | Y + X | 2·(Y + X) |
//! | 1 | Y − X | Y − X | 2·(Y − X) |
//! | 2 | 2Z | 2Z | 2Z |
//! | 3 | 2Y | 2T | 2dT |
//!
//! Both formulas (Hisil, Wong, Carter, Dawson, eprint 2008/522, section 4) are then two steps: the first gives
//! E, H, F and G of which the point is X = EF, Y = GH, Z = FG, T = EH, up to a common factor.
//!
//! * Doubling: squares (Y + X)², (Y − X)², 4Z², 4Y². Their sums and differences are 2E = 4XY,
//!   2H = 2(Y² + X²), 2G = 4Y² − 2H and 2F = 4Z² − 4Y² + 2H.
//! * Addition: products 2B, 2A, 2D, 2C as in `edwards::Extended::add`, hence 2E = 2B − 2A, 2H = 2B + 2A,
//!   2F = 2D − 2C and 2G = 2D + 2C. Without the sign of T that −Q has, F and G change places.
//! * Both: X, Y, Z and Y or T as one product of E, H, F, G in another order. The next operation decides the
//!   order, and with it the last lane; it is data, not a branch.
//!
//! The formulas are complete and constant time; time depends on how many windows and points there are.

use super::formulas::Extended;
use crate::ct::Mask;
use crate::field::f25519::{D, ONE, PackedField, SingleField, ZERO};
use crate::simd::Kernel;
use crate::word::{load_le, store_le};

/// 2.
pub(super) const TWO: [u64; 4] = [2, 0, 0, 0];

/// The pairs among E, H, F, G that are multiplied.
type Factors = [[u64; 4]; 2];

/// X, Y, Z and Y: a doubling comes next, or the end.
pub(super) const DOUBLING: usize = 0;
/// X, Y, Z and T: an addition comes next.
pub(super) const ADDITION: usize = 1;
/// The same where F and G have changed places.
pub(super) const SWAPPED: usize = 2;
const FACTORS: [Factors; 4] = [
    [[0, 1, 2, 1], [2, 3, 3, 3]],
    [[0, 1, 2, 0], [2, 3, 3, 1]],
    [[0, 1, 3, 1], [3, 2, 2, 2]],
    [[0, 1, 3, 0], [3, 2, 2, 1]],
];
/// The orders of coordinates that keep a second operand, and that negate it except for the sign of T.
pub(super) const ORDERS: [[u64; 4]; 2] = [[0, 1, 2, 3], [1, 0, 2, 3]];

/// A point, ready for the next operation.
#[derive(Clone, Copy)]
pub(super) struct Point<F: PackedField>(pub(super) F);

impl<F: PackedField> Point<F> {
    /// The identity, before an addition.
    #[inline(always)]
    pub(super) fn identity(token: F::Token) -> Self {
        Point(F::from_words::<0>(token, [&ONE, &ONE, &TWO, &ZERO]))
    }

    /// From X, Y, Z, and Y or T.
    #[inline(always)]
    pub(super) fn of_coordinates(product: &F::Product) -> Self {
        Point(F::carry_sum(&F::sums::<0b0010, 0b1100, 0>(product)))
    }

    #[inline(always)]
    fn of_ehfg(ehfg: &F, [left, right]: Factors) -> Self {
        Self::of_coordinates(&ehfg.permuted(left).mul(&ehfg.permuted(right)))
    }

    /// `2·P`.
    #[inline(always)]
    pub(super) fn double(&self, next: usize) -> Self {
        Self::of_ehfg(&self.ehfg_of_double(), FACTORS[next])
    }

    #[inline(always)]
    fn ehfg_of_double(&self) -> F {
        // 2E, 2H, 4Z² − 4Y², 4Y²
        let sums = F::sums::<0b0101, 0, 0b1000>(&self.0.square());
        F::carry_with_lane_1::<0b0100, 0b1000>(&sums)
    }

    /// `P + Q`, or with `SWAPPED` P − Q where `q` is that of −Q but for the sign of T.
    #[inline(always)]
    pub(super) fn add(&self, q: &F, next: usize) -> Self {
        Self::of_ehfg(&self.ehfg_of_sum(q), FACTORS[next])
    }

    #[inline(always)]
    fn ehfg_of_sum(&self, q: &F) -> F {
        F::carry_sum(&F::sums::<0b0101, 0, 0>(&self.0.mul(q)))
    }

    /// The point as a second operand, from what it is before an addition.
    #[inline(always)]
    pub(super) fn operand(&self, factors: &F) -> F {
        F::carry(&self.0.mul(factors))
    }
}

/// By what a point before an addition is multiplied to be a second operand.
#[inline(always)]
pub(super) fn operand_factors<F: PackedField>(token: F::Token) -> F {
    F::from_words::<0>(token, [&TWO, &TWO, &ONE, &D])
}

/// Σ 2^(width·i)·Pᵢ of points given by X, Y, Z and T in words, and so is the sum.
#[derive(Clone, Copy)]
pub(super) struct SumOfWindows<'a> {
    pub(super) width: u32,
    pub(super) points: &'a [[[u64; 4]; 4]],
}

impl<F: PackedField> Kernel<F> for SumOfWindows<'_> {
    type Output = [[u64; 4]; 4];

    #[inline(always)]
    fn run(self, token: F::Token) -> Self::Output {
        sum_of_windows::<F>(token, self.width, 1, self.points)
    }
}

/// The same where a window is the sum of `each` points, one after the other. Constant time, given how many there are.
#[inline(always)]
pub(super) fn sum_of_windows<F: PackedField>(
    token: F::Token,
    width: u32,
    each: usize,
    points: &[[[u64; 4]; 4]],
) -> [[u64; 4]; 4] {
    let factors = operand_factors::<F>(token);
    let mut sum = Point::<F>::identity(token);
    let (mut left, mut doublings) = (points.len(), 0);
    while left > 0 || doublings > 0 {
        let ehfg = if doublings > 0 {
            doublings -= 1;
            sum.ehfg_of_double()
        } else {
            left -= 1;
            if left > 0 && left.is_multiple_of(each) {
                doublings = width;
            }
            let coordinates = F::from_words::<0>(token, points[left].each_ref());
            let point = Point::<F>::of_coordinates(&coordinates.widen());
            sum.ehfg_of_sum(&point.operand(&factors))
        };
        // one piece of code for the second products of both
        let next = if doublings > 0 { DOUBLING } else { ADDITION };
        sum = Point::of_ehfg(&ehfg, FACTORS[next]);
    }
    // 2X, 2Y, 2Z and 2T
    F::carry_sum(&F::sums::<0b0001, 0, 0b1100>(&sum.0.widen())).to_words()
}

/// The same in words, where there are no lanes for it.
pub(super) struct SumInWords<'a>(pub(super) SumOfWindows<'a>);

impl<F: SingleField> Kernel<F> for SumInWords<'_> {
    type Output = [[u64; 4]; 4];

    #[inline(always)]
    fn run(self, token: F::Token) -> [[u64; 4]; 4] {
        let SumInWords(SumOfWindows { width, points }) = self;
        let mut sum = Extended::<F>::identity(token);
        for point in points.iter().rev() {
            let product = |words: [u64; 4]| F::from_bytes(token, &store_le(&words)).widen();
            let shifted = sum.projective().double_times(width).extended();
            sum = shifted.add(&Extended::from_products(point.map(product)).cached()).extended();
        }
        sum.products().map(|product| load_le(&F::times::<1>(&product).to_bytes(Mask::from_bit(0))))
    }
}

#[cfg(test)]
mod tests;
