//! Multiples of points.
//!
//! Secrets: [`fixed_base`] is constant time (masked scan of a table, complete additions). Functions
//! that end in `_vartime` take public scalars and points; their time depends on them.
//!
//! Reach: `edwards`, the tables beside this file, `scalar::recode`, `ct`.

use super::edwards::{AffineCached, Cached, Completed, Extended, Projective};
use super::tables::base::{BASE_MULTIPLES, BASE_RADIX_16, BASE_SHIFTED_MULTIPLES};
use super::tables::{AffineWords, load};
use crate::ct::Mask;
use crate::field::SingleField;
use crate::field::f25519::{ONE, ZERO, invert, mul};
use crate::scalar::recode::{naf_vartime, signed_radix_16, wipe};
use crate::word::load_le;

/// `|digit|·(row[0])` for −8 ≤ digit ≤ 8, and whether the digit is negative. Reads every entry.
#[inline(always)]
fn select_multiple<F: SingleField>(row: &[AffineWords; 8], digit: i8) -> (AffineCached<F>, Mask) {
    let sign = digit >> 7; // 0 or −1
    let magnitude = ((digit ^ sign) - sign) as u64;
    // entry 0, the identity: (1, 1, 0)
    let one = Mask::is_zero(magnitude).word() & 1;
    let mut chosen: AffineWords = [ZERO; 3];
    (chosen[0][0], chosen[1][0]) = (one, one);
    for (multiple, entry) in (1_u64..).zip(row) {
        let is_it = Mask::is_zero(magnitude ^ multiple).word();
        for (chosen, residue) in chosen.iter_mut().zip(entry) {
            for (chosen, word) in chosen.iter_mut().zip(residue) {
                *chosen |= word & is_it;
            }
        }
    }
    (load(&chosen), Mask::from_bit((sign & 1) as u64))
}

/// `[scalar]B` for a scalar below 2^255. Constant time.
///
/// Σ dᵢ·16ⁱ: the odd digits first, times 16, then the even ones, so that one table of j·16^(2i)·B
/// (32 rows of 8) serves both (Bernstein, Duif, Lange, Schwabe, Yang 2011, section 4).
pub(crate) fn fixed_base<F: SingleField>(scalar: &[u64; 4]) -> Extended<F> {
    let mut digits = signed_radix_16(scalar);
    let mut acc = Extended::<F>::identity(());
    let add_digits = |acc: &mut Extended<F>, first: usize| {
        for (row, pair) in BASE_RADIX_16.iter().zip(digits.as_chunks::<2>().0) {
            let (multiple, minus) = select_multiple(row, pair[first]);
            *acc = acc.add_affine_signed(&multiple, minus).extended();
        }
    };
    add_digits(&mut acc, 1);
    acc = acc.projective().double_times(4).extended();
    add_digits(&mut acc, 0);
    wipe(&mut digits);
    acc
}

/// P, 3P, 5P, …, (2N−1)P.
fn odd_multiples<F: SingleField, const N: usize>(p: &Extended<F>) -> [Cached<F>; N] {
    let twice = p.double().extended().cached();
    let mut multiple = *p;
    core::array::from_fn(|i| {
        if i > 0 {
            multiple = multiple.add(&twice).extended();
        }
        multiple.cached()
    })
}

/// Adds `digit` times the point whose odd multiples the table holds.
#[inline(always)]
fn add_cached_vartime<F: SingleField>(
    sum: Completed<F>,
    digit: i8,
    table: &[Cached<F>],
) -> Completed<F> {
    match digit {
        0 => sum,
        1.. => sum.extended().add(&table[digit as usize / 2]),
        _ => sum.extended().sub(&table[digit.unsigned_abs() as usize / 2]),
    }
}

/// The same with a precomputed table.
#[inline(always)]
fn add_affine_vartime<F: SingleField>(
    sum: Completed<F>,
    digit: i8,
    table: &[AffineWords],
) -> Completed<F> {
    match digit {
        0 => sum,
        1.. => sum.extended().add_affine(&load(&table[digit as usize])),
        _ => sum.extended().sub_affine(&load(&table[digit.unsigned_abs() as usize])),
    }
}

/// Width of the digits of B's scalars: `BASE_MULTIPLES` goes up to 128.
const BASE_WIDTH: u32 = 8;

/// `[a]P + [b]B` for integers below 2^255. Time depends on all inputs.
pub(crate) fn double_base_vartime<F: SingleField>(
    a: &[u64; 4],
    p: &Extended<F>,
    b: &[u64; 4],
) -> Extended<F> {
    let multiples: [_; 8] = odd_multiples(p);
    let a_digits: [i8; 257] = naf_vartime(a, 5);
    let b_digits: [i8; 257] = naf_vartime(b, BASE_WIDTH);
    let top = (0..257).rev().find(|&i| a_digits[i] != 0 || b_digits[i] != 0);
    let mut acc = Projective::<F>::identity(());
    let mut result = Extended::identity(());
    for i in (0..=top.unwrap_or(0)).rev() {
        let mut sum = acc.double();
        sum = add_cached_vartime(sum, a_digits[i], &multiples);
        sum = add_affine_vartime(sum, b_digits[i], &BASE_MULTIPLES);
        if i == 0 {
            result = sum.extended();
        } else {
            acc = sum.projective();
        }
    }
    result
}

/// Multiples of P and of 2^128·P: with them a double-base multiplication needs half the doublings.
#[derive(Clone)]
pub(crate) struct PreparedPoint([[AffineWords; PreparedPoint::ENTRIES]; 2]);

impl PreparedPoint {
    /// 0 to 16 times a point.
    pub(crate) const ENTRIES: usize = 17;
    /// Width of the digits in non-adjacent form whose odd multiples are in the tables.
    const WIDTH: u32 = 5;

    pub(crate) fn new<F: SingleField>(p: &Extended<F>) -> Self {
        let shifted = p.projective().double_times(128).extended();
        PreparedPoint([p, &shifted].map(|p| affine_multiples(p)))
    }

    /// Entry `multiple` of P (half 0) or 2^128·P (half 1); past the end the last one.
    #[inline(always)]
    pub(crate) fn multiple(&self, half: usize, multiple: u32) -> &AffineWords {
        &self.0[half & 1][(multiple as usize).min(Self::ENTRIES - 1)]
    }

    /// `[a]P + [b]B` for integers below 2^255. Time depends on all inputs.
    pub(crate) fn double_base_vartime<F: SingleField>(
        &self,
        a: &[u64; 4],
        b: &[u64; 4],
    ) -> Extended<F> {
        // n = n₀ + 2^128·n₁, each half below 2^128: 129 digits
        let halves = |n: &[u64; 4], width| -> [[i8; 193]; 2] {
            [naf_vartime(&[n[0], n[1], 0], width), naf_vartime(&[n[2], n[3], 0], width)]
        };
        let a_digits = halves(a, Self::WIDTH);
        let b_digits = halves(b, BASE_WIDTH);
        let mut acc = Projective::<F>::identity(());
        let mut result = Extended::identity(());
        for i in (0..=128).rev() {
            let mut sum = acc.double();
            sum = add_affine_vartime(sum, a_digits[0][i], &self.0[0]);
            sum = add_affine_vartime(sum, a_digits[1][i], &self.0[1]);
            sum = add_affine_vartime(sum, b_digits[0][i], &BASE_MULTIPLES);
            sum = add_affine_vartime(sum, b_digits[1][i], &BASE_SHIFTED_MULTIPLES);
            if i == 0 {
                result = sum.extended();
            } else {
                acc = sum.projective();
            }
        }
        result
    }
}

/// 0 to N − 1 times P, as precomputed points; one inversion for all.
fn affine_multiples<F: SingleField, const N: usize>(p: &Extended<F>) -> [AffineWords; N] {
    let first = p.cached();
    let mut multiple = Completed::<F>::identity(());
    let mut multiples = [multiple.xyz(); N];
    let mut products = [F::splat((), &ONE); N];
    for i in 1..N {
        multiple = multiple.extended().add(&first);
        multiples[i] = multiple.xyz();
        products[i] = mul(&products[i - 1], &multiples[i][2]);
    }
    let mut inverse = invert(&products[N - 1]);
    let mut words = [[ZERO; 3]; N];
    for i in (0..N).rev() {
        let [x, y, z] = multiples[i];
        let z_inverse = if i == 0 { z } else { mul(&inverse, &products[i - 1]) };
        inverse = mul(&inverse, &z);
        let point = Extended::from_affine(&mul(&x, &z_inverse), &mul(&y, &z_inverse));
        words[i] =
            point.affine_cached().map(|residue| load_le(&residue.to_bytes(Mask::from_bit(0))));
    }
    words
}
