//! `[u1]G + [u2]Q` on a curve y² = x³ − 3x + b of prime order, one point with its coordinates in lanes of
//! their own.
//!
//! A point is (X : Y : Z) with x = X/Z, y = Y/Z, and beside them V = b·Z/2. Formulas are the complete ones of
//! Renes, Costello and Batina (EUROCRYPT 2016, algorithm 1 for a = −3): no point is an exception. The term they
//! multiply by b is V's part, so that eight products of a doubling wait for nothing but the point and six more
//! for those: two products of vectors. An addition takes three, the last for V.
//!
//! Doubling, with R = Z·(X − V):
//! P = Y² + 6R, Q = Y² − 6R, S = 3X² − 12XV + 9Z², D = 3Z² − 3X²,
//! X' = 2XY·P + 2YZ·S, Y' = P·Q + D·S, Z' = 4Y²·2YZ, V' = 4Y²·2YV.
//!
//! Addition of (x, y), with J = X + Zx − 2V, K = b·X/2, L = Vx:
//! E = Xy + Yx, H = Y + Zy, P = Yy + 3J, M = Yy − 3J, N = 3Xx + 9Z − 6K − 6L, D = 3Z − 3Xx,
//! X' = E·P + H·N, Y' = P·M + D·N, Z' = H·M − E·D, V' = (b/2)·Z'.
//!
//! Bounds: a coordinate is a sum of at most two products, each below 1.26·p in columns of at most 49 units of
//! 2^52 (`coordinates_ifma_x8`). The largest operand is N, with 33 products: 42·p and 1617 units, where a sum
//! may have 64·p and 2^63.
//!
//! Public data only: time depends on the scalars.

use super::double_base::{OddMultiples, Q_MULTIPLES, nafs_vartime};
use super::fixed_base::BaseTables;
use super::formulas::{Affine, Curve};
use crate::field::algebra::LaneArray;
use crate::field::nist::{EightLanes, InWords, NONE as O, Pair, lanes_from as lanes, run_in_words};
use crate::memory::Line;
use crate::modular::{Arithmetic, PrimeField};
use crate::simd::{Instructions, Kernel};

/// Y, Y, X, X, Z, Z, V, V in lanes 0 to 7: so the left factor of nearly every product is where it is needed, and
/// values move only to be right factors and terms of sums (CPUs move one vector a cycle, and multiply or add two).
#[derive(Clone, Copy)]
struct Packed<F: EightLanes> {
    point: F::Product,
    /// The same with X − V in lane 3: the operand of a doubling.
    x_less_v: F::Product,
}

const ALL: u8 = 0xff;
const L0: u8 = 1 << 0;
const L1: u8 = 1 << 1;
const L2: u8 = 1 << 2;
const L3: u8 = 1 << 3;
const L4: u8 = 1 << 4;
const L5: u8 = 1 << 5;
const L6: u8 = 1 << 6;
const L7: u8 = 1 << 7;

/// `a + b`.
#[inline(always)]
fn add<F: EightLanes>(a: &F::Product, b: &F::Product) -> F::Product {
    F::combine::<ALL, 0>(a, b)
}

/// In both lanes of each pair the sum of the two.
#[inline(always)]
fn sums_of_pairs<F: EightLanes>(a: &F::Product) -> F::Product {
    add::<F>(a, &F::arrange::<{ lanes([1, 0, 3, 2, 5, 4, 7, 6]) }>(a))
}

impl<F: EightLanes> Packed<F> {
    /// Twice the point.
    #[inline(always)]
    fn double(&self) -> Self {
        // Y, Y, X, X − V, Z, Z, V, V
        let left = F::operand_vartime::<ALL>(&self.x_less_v);
        let right = left.arrange_operand::<{ lanes([0, 2, 2, 4, 0, 4, 2, 0]) }>();
        // Y², XY, X², R, YZ, Z², XV, YV
        let products = left.mul_alone(&right);
        // −2R, Z² − X², X² − 4XV + 3Z², 2R, YZ, 2Y², XY, YV
        let first = F::arrange::<{ lanes([O, O, 2, 3, 4, O, O, 7]) }>(&products);
        let second = F::arrange::<{ lanes([3, 2, 6, 3, O, 0, 1, O]) }>(&products);
        let second = F::shift::<{ lanes([1, 0, 2, 0, 0, 1, 0, 0]) }>(&second);
        let third = F::arrange::<{ lanes([0, 5, 5, 0, O, O, O, O]) }>(&products);
        let twice = F::shift::<{ lanes([0, 0, 1, 0, 0, 0, 0, 0]) }>(&third);
        let sums = F::combine::<{ L3 | L5 | L6 }, { L0 | L1 | L2 }>(&first, &second);
        let sums = F::combine::<{ L1 | L2 }, 0>(&sums, &F::combine::<L2, 0>(&third, &twice));
        // Q, D, S, P, 2YZ, 4Y², 2XY, 2YV
        let more = F::shift::<{ lanes([1, 1, 1, 1, 0, 0, 0, 0]) }>(&sums);
        let sums = add::<F>(&F::combine::<{ L0 | L3 }, 0>(&sums, &third), &more);
        let left = F::operand_vartime::<ALL>(&sums);
        let right = left.arrange_operand::<{ lanes([3, 2, 4, 6, 5, O, O, 5]) }>();
        let products = left.mul_alone(&right);
        let v = F::arrange::<{ lanes([O, O, O, 7, O, O, O, O]) }>(&products);
        let point = sums_of_pairs::<F>(&products);
        Packed { point, x_less_v: F::combine::<0, L3>(&point, &v) }
    }

    /// The sum with a point other than infinity, or with its opposite; b/2 is in every lane.
    #[inline(always)]
    fn add_vartime(&self, point: &Pair, negative: bool, half_b: &F) -> Self {
        // Yy, Yx, Xx, Xy, Zx, Zy, L, K
        let left = F::operand_vartime::<ALL>(&self.point);
        let left = left.arrange_operand::<{ lanes([0, 0, 2, 2, 4, 4, 6, 2]) }>();
        let right = half_b.with_pair::<{ L1 | L2 | L4 | L6 }, { L0 | L3 | L5 }>(point);
        let products = left.mul_alone(&right);
        // what does not wait for them: 2V − X, Z, 3Z, 0, −Z, Y, X − 2V
        let v_and_y = F::arrange::<{ lanes([6, O, 4, O, O, 0, 6, O]) }>(&self.point);
        let v_and_y = F::shift::<{ lanes([1, 0, 1, 0, 0, 0, 1, 0]) }>(&v_and_y);
        let x_and_z = F::arrange::<{ lanes([2, 4, 4, O, 4, O, 2, O]) }>(&self.point);
        let thirds = F::arrange::<{ lanes([O, 1, 2, O, O, O, 6, O]) }>(&x_and_z);
        let thirds = F::combine::<{ L0 | L2 }, L6>(&thirds, &v_and_y);
        let thirds = F::combine::<0, { L0 | L4 }>(&thirds, &x_and_z);
        let negated = if negative { L0 | L3 | L5 } else { 0 };
        let products = F::negate_where(u32::from(negated), &products);
        let more = F::arrange::<{ lanes([4, 2, 6, 1, 2, O, 4, O]) }>(&products);
        let rest = F::arrange::<{ lanes([O, O, 7, O, O, O, 0, O]) }>(&products);
        // −J, Z − Xx, Xx + 3Z − 2K − 2L, 0, Xx − Z, 0, J
        let k_and_l = F::combine::<L2, 0>(&more, &rest);
        let k_and_l = F::shift::<{ lanes([0, 0, 1, 0, 0, 0, 0, 0]) }>(&k_and_l);
        let thirds = F::combine::<L2, 0>(&thirds, &products);
        let thirds = F::combine::<{ L4 | L6 }, { L0 | L1 | L2 }>(&thirds, &k_and_l);
        // Yy, 0, 0, E, 0, H, Yy
        let once = F::combine::<{ L0 | L3 | L5 }, 0>(
            &F::arrange::<{ lanes([O, O, O, O, O, 5, O, O]) }>(&v_and_y),
            &products,
        );
        let once = F::combine::<L6, 0>(&F::combine::<L3, 0>(&once, &more), &rest);
        // M, D, N, E, −D, H, P
        let twice = F::shift::<{ lanes([1; 8]) }>(&thirds);
        let left = F::operand_vartime::<{ !L7 }>(&add::<F>(&add::<F>(&thirds, &once), &twice));
        let right = left.arrange_operand::<{ lanes([6, 2, 5, 6, 3, 0, O, O]) }>();
        let yxz = sums_of_pairs::<F>(&left.mul_alone(&right));
        let z = F::operand_vartime::<L4>(&yxz);
        let v = z.arrange_operand::<{ lanes([O, O, O, 4, O, O, 4, 4]) }>().mul_alone(half_b);
        Packed {
            point: F::combine::<{ L6 | L7 }, 0>(&yxz, &v),
            x_less_v: F::combine::<{ L6 | L7 }, L3>(&yxz, &v),
        }
    }
}

/// X and Z of `[u1]G + [u2]Q`, Z = 0 at infinity. Time depends on all inputs.
pub(super) fn x_of_double_base_vartime<F: EightLanes<Single: InWords>, C: BaseTables<F>>(
    token: F::Token,
    u1: &C::Scalar,
    u2: &C::Scalar,
    q: &Affine<C::Fe>,
) -> [C::Fe; 2] {
    // not in the kernel, whose stack would be added to theirs
    let of_q = &run_in_words::<F::Single, _>(OddMultiples(q));
    token.enter::<F, _>(DoubleBase::<C> { u1, u2, of_q })
}

struct DoubleBase<'a, C: Curve> {
    u1: &'a C::Scalar,
    u2: &'a C::Scalar,
    /// Entry i is (2·i + 1)·Q.
    of_q: &'a [Affine<C::Fe>; Q_MULTIPLES],
}

impl<F: EightLanes, C: BaseTables<F>> Kernel<F> for DoubleBase<'_, C> {
    type Output = [F::Single; 2];

    #[inline(always)]
    fn run(self, token: F::Token) -> [F::Single; 2] {
        const { assert!(F::LANES == 8) };
        let mut x = F::PerLane::<F::Single>::all(F::Single::ZERO);
        let mut y = x;
        for (lane, point) in self.of_q.iter().enumerate() {
            (x.lanes_mut()[lane], y.lanes_mut()[lane]) = (point.x, point.y);
        }
        let mut of_q = [[Line([0; 8]); 2]; 8];
        F::store_pairs(&[F::load(token, &x), F::load(token, &y)], &mut of_q, 1);
        let odd_multiples: [&[Pair]; 2] = [C::odd_multiples(), &of_q];
        let (base_digits, q_digits) = nafs_vartime::<C>(self.u1, self.u2);
        let one = F::load(token, &F::PerLane::<F::Single>::all(F::Single::ONE));
        let half_b = F::load(token, &F::PerLane::<F::Single>::all(C::B.halve()));
        // (0 : 1 : 0)
        let infinity = one.arrange_operand::<{ lanes([0, 0, O, O, O, O, O, O]) }>();
        let mut sum = Packed::<F> { point: infinity.widen(), x_less_v: infinity.widen() };
        // at each position a doubling, Q's digit and G's
        let mut turn = 2 * base_digits.len();
        while turn > 0 && base_digits[turn / 2 - 1] == 0 && q_digits[turn / 2 - 1] == 0 {
            turn -= 2;
        }
        while turn > 0 {
            turn -= 1;
            let (which, position) = (turn % 2, turn / 2);
            let digit = if which == 1 {
                sum = sum.double();
                i16::from(q_digits[position])
            } else {
                base_digits[position]
            };
            if digit != 0 {
                let point = &odd_multiples[which][usize::from(digit.unsigned_abs()) / 2];
                sum = sum.add_vartime(point, digit < 0, &half_b);
            }
        }
        let sum = F::times::<1>(&sum.point).store();
        [sum.lanes()[2], sum.lanes()[4]]
    }
}
