//! `[u1]G + [u2]Q` for one public row, in words, and the x that ECDSA compares.
//!
//! Both scalars are read in non-adjacent form (width 9 with a table of G, width 5 with eight odd multiples of Q) over one
//! chain of doublings: Strauss's method. All times depend on all inputs.

use super::formulas::{Affine, Curve, Jacobian, MAX_WORDS};
use crate::modular::{Arithmetic, PrimeField, Products};
use crate::scalar::recode::naf_into_vartime;
use crate::simd::Kernel;

/// Widths of the digits of the two scalars.
const Q_WIDTH: u32 = 5;
const BASE_WIDTH: u32 = 9;
/// Odd multiples of Q: as many as a digit has magnitudes.
pub(super) const Q_MULTIPLES: usize = 1 << (Q_WIDTH - 2);
/// Digits of such a scalar, and one more for the carry of the top digit.
const DIGITS: usize = 64 * MAX_WORDS + 8;

/// Digits in non-adjacent form of a scalar.
fn naf_of_scalar_vartime<S: PrimeField, D: Copy>(
    scalar: &S,
    width: u32,
    zero: D,
    narrow: impl Fn(i16) -> D,
) -> [D; DIGITS] {
    const { assert!(S::BITS <= 64 * MAX_WORDS) };
    let (words, mut padded) = (scalar.to_words(), [0; MAX_WORDS + 1]);
    let len = words.as_ref().len();
    padded[..len].copy_from_slice(words.as_ref());
    let mut digits = [zero; DIGITS];
    // a word more than there are: no bit of it is set
    naf_into_vartime(&padded[..len + 1], width, &mut digits, narrow);
    digits
}

/// Digits in non-adjacent form of u1 and u2.
pub(super) fn nafs_vartime<C: Curve>(
    u1: &C::Scalar,
    u2: &C::Scalar,
) -> ([i16; DIGITS], [i8; DIGITS]) {
    const { assert!(Q_WIDTH <= 8) };
    (
        naf_of_scalar_vartime(u1, BASE_WIDTH, 0, |digit| digit),
        naf_of_scalar_vartime(u2, Q_WIDTH, 0, |digit| digit as i8),
    )
}

/// Entry i is (2·i + 1)·Q. Time depends on the point.
pub(super) struct OddMultiples<'a, F>(pub(super) &'a Affine<F>);

impl<F: Arithmetic> Kernel<F> for OddMultiples<'_, F::Plain> {
    type Output = [Affine<F::Plain>; Q_MULTIPLES];

    #[inline(never)]
    fn run(self, token: F::Token) -> [Affine<F::Plain>; Q_MULTIPLES] {
        odd_multiples_vartime(&Affine::<F>::of(token, self.0)).map(|point| point.plain())
    }
}

#[inline(never)]
fn odd_multiples_vartime<F: Arithmetic>(q: &Affine<F>) -> [Affine<F>; Q_MULTIPLES] {
    let first = Jacobian::from_affine(q);
    let twice = first.double().addend();
    let mut odd_multiples = [first; Q_MULTIPLES];
    for i in 1..odd_multiples.len() {
        odd_multiples[i] = odd_multiples[i - 1].add_vartime(&twice);
    }
    affine_of_all_vartime(&odd_multiples)
}

/// x and y of points other than infinity, with one inversion (Montgomery's trick).
fn affine_of_all_vartime<F: Arithmetic, const N: usize>(
    points: &[Jacobian<F>; N],
) -> [Affine<F>; N] {
    let token = points[0].z.token();
    let zero = F::zero(token);
    // of the Z before each point
    let (mut products, mut before) = (Products::new(token), [zero; N]);
    for (p, before) in points.iter().zip(&mut before) {
        *before = products.push(&p.z);
    }
    let mut inverses = products.invert_vartime();
    let mut affine = [Affine { x: zero, y: zero }; N];
    for (i, p) in points.iter().enumerate().rev() {
        let z_inverse = inverses.pop(&p.z, &before[i]);
        let zz = z_inverse.square();
        affine[i] = Affine { x: p.x.mul(&zz), y: p.y.mul(&zz.mul(&z_inverse)) };
    }
    affine
}

/// X and Z² of `[u1]G + [u2]Q`, of which x is the quotient. Time depends on all inputs.
pub(super) struct DoubleBase<'a, C: Curve> {
    pub(super) u1: &'a C::Scalar,
    pub(super) u2: &'a C::Scalar,
    pub(super) q: &'a Affine<C::Fe>,
}

impl<C: Curve, F: Arithmetic<Plain = C::Fe>> Kernel<F> for DoubleBase<'_, C> {
    type Output = [C::Fe; 2];

    #[inline(never)]
    fn run(self, token: F::Token) -> [C::Fe; 2] {
        let sum = double_base_vartime::<C, F>(self.u1, self.u2, &Affine::of(token, self.q));
        [sum.x.plain(), sum.z.square().plain()]
    }
}

/// `[u1]G + [u2]Q`. Time depends on all inputs.
#[inline(always)]
pub(super) fn double_base_vartime<C: Curve, F: Arithmetic<Plain = C::Fe>>(
    u1: &C::Scalar,
    u2: &C::Scalar,
    q: &Affine<F>,
) -> Jacobian<F> {
    let token = q.x.token();
    let (base_digits, q_digits) = nafs_vartime::<C>(u1, u2);
    let odd_multiples = odd_multiples_vartime(q);
    let mut sum = Jacobian::infinity(token);
    let top = (0..DIGITS).rev().find(|&i| base_digits[i] != 0 || q_digits[i] != 0);
    for i in (0..top.map_or(0, |top| top + 1)).rev() {
        sum = sum.double();
        if q_digits[i] != 0 {
            sum = sum.add_affine_vartime(&odd_multiple(q_digits[i].into(), &odd_multiples));
        }
        if base_digits[i] != 0 {
            let multiple = odd_multiple(base_digits[i], C::base_odd_multiples());
            sum = sum.add_affine_vartime(&Affine::of(token, &multiple));
        }
    }
    sum
}

/// `digit` times the point whose odd multiples the table holds.
#[inline(always)]
fn odd_multiple<F: Arithmetic>(digit: i16, odd_multiples: &[Affine<F>]) -> Affine<F> {
    let multiple = &odd_multiples[digit.unsigned_abs() as usize / 2];
    if digit > 0 { *multiple } else { multiple.neg() }
}

/// The x below p with r = x mod n: r and, where it is below p, r + n, as n < p < 2·n. Time depends on r.
pub(super) fn residues_with_x<C: Curve>(r: &C::Scalar) -> (C::Fe, Option<C::Fe>) {
    let order = C::Scalar::MODULUS;
    let r = C::Fe::from_words(&r.to_words());
    let plus_order = r.add(&C::Fe::from_words(&order));
    // r + n − p is below n: r is below p
    let wraps = plus_order.to_words().as_ref().iter().rev().lt(order.as_ref().iter().rev());
    (r, (!wraps).then_some(plus_order))
}

/// Whether `[u1]G + [u2]Q` is not infinity and its x mod n is r. Time depends on all inputs.
pub(crate) fn sum_has_x_vartime<C: Curve>(
    u1: &C::Scalar,
    u2: &C::Scalar,
    q: &Affine<C::Fe>,
    r: &C::Scalar,
) -> bool {
    let [numerator, denominator] = C::x_of_double_base_vartime(u1, u2, q);
    let is = |x: &C::Fe| x.mul(&denominator).equal(&numerator).is_true_vartime();
    let (first, second) = residues_with_x::<C>(r);
    !denominator.is_zero().is_true_vartime() && (is(&first) || second.is_some_and(|x| is(&x)))
}
