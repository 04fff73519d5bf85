//! GF(2^255 − 19), four lanes, AVX2 with FMA, for public values.
//!
//! Representation: five limbs of radix 2^51. An operand's are kept as doubles, which hold integers up to
//! 2^53; a product's columns are integers of 64 bits. A product of two limbs is cut in two with the multiplier of
//! doubles, which adds before it rounds (the way of Niall Emmart's integers on graphics processors, here with limbs of 51
//! bits): with c = 2^103 and a·b below 2^103,
//!
//! ```text
//! high = a·b + c                 a multiple of 2^51 beside a·b + c, whichever way it is rounded
//! low  = a·b + (c + 3·2^51 − high)   between 2·2^51 and 4·2^51: exact
//! ```
//!
//! and the bits of both, read as integers, are the upper and the lower half of the product plus constants, which columns
//! take away at once. Nothing depends on the rounding mode; no operand or result is subnormal. A program that has
//! the CPU trap inexact results is stopped by them.
//!
//! Public values only: what is said of the time of integer instructions is not said of these. Secrets are in `avx2_x4`.
//!
//! Bounds (in units of 2^51 unless said otherwise):
//!
//! | type | limbs or columns | made by |
//! |---|---|---|
//! | `Fe` | below 2^51 + 2^15 | carries, loads |
//! | `Product` | below 253 | `mul`, `square`, `widen` |
//! | (two products) | below 509 | `plus`; `minus`, which adds 256p first |
//! | (before a carry) | below 1021 | `plus`; `minus_sum`, which adds 512p first |

use super::super::field::{Field, LaneField, PointRow, Row};
use super::avx2_rows::{
    columns_of, four_lanes, load_points, load_row_words, rows_of, store_points, store_row_words,
    words_of_bytes,
};
use crate::cpu::Avx2;
use crate::field::algebra::{Algebra, Columns, sum_of_columns};
use crate::memory::PlainWith;
use crate::simd::Proven;
use crate::simd::avx2::{F64x4, U64x4, avx2_functions};
use crate::simd::each;

type V = U64x4;
type Limbs = [V; 5];

/// An operand: the bits of doubles.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Fe(Limbs);

/// One product.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Product(Limbs);

const LOW_51: u64 = (1 << 51) - 1;
/// Largest limb, and columns as multiples of 2^51.
const LIMB_MAX: u64 = (1 << 51) + (1 << 15);
const PRODUCT_MAX: u64 = 253;
const SUM_MAX: u64 = 509;
const CARRY_MAX: u64 = 1021;

/// The bits of 2^n.
const fn bits_of_power(n: u64) -> u64 {
    (1023 + n) << 52
}
/// 2^52, whose bits and those of an integer below 2^52 are the bits of their sum.
const TWO_52: u64 = bits_of_power(52);
const C: u64 = bits_of_power(103);
/// c + 3·2^51: the last bit of c stands for 2^51.
const C_AND_3: u64 = C + 3;

/// What the bits of a low and of a high half are more than the half: low + 3·2^51 is low + 2^51 above 2^52.
const LOW_EXTRA: u64 = TWO_52 + (1 << 51);
const HIGH_EXTRA: u64 = C;

/// How many products of limbs have their low half in a column; the high one is in the next.
const fn terms(column: u64) -> u64 {
    match column {
        0..=4 => column + 1,
        5..=8 => 9 - column,
        _ => 0,
    }
}

/// The excess of a column, folded.
const fn extra(column: u64) -> u64 {
    let high = if column == 0 { 0 } else { terms(column - 1) };
    terms(column).wrapping_mul(LOW_EXTRA).wrapping_add(high.wrapping_mul(HIGH_EXTRA))
}

const fn multiple_of_p(n: u64) -> [u64; 5] {
    [n * (LOW_51 - 18), n * LOW_51, n * LOW_51, n * LOW_51, n * LOW_51]
}
/// The start of products, so that no column is below zero.
const PRODUCT_BIAS: [u64; 5] = multiple_of_p(80);
/// A multiple of p that subtractions add, so that no column goes below zero.
const BIAS: [u64; 5] = multiple_of_p(256);
const BIAS_OF_SUMS: [u64; 5] = multiple_of_p(512);

/// `PRODUCT_BIAS` less what is too much.
const START: [u64; 5] = {
    let mut start = PRODUCT_BIAS;
    let mut k = 0;
    while k < 5 {
        let folded = extra(k as u64 + 5).wrapping_mul(19);
        start[k] = start[k].wrapping_sub(extra(k as u64)).wrapping_sub(folded);
        k += 1;
    }
    start
};
/// The same where one factor is a single limb.
const START_OF_SMALL: [u64; 5] = {
    let mut start = PRODUCT_BIAS;
    let mut k = 0;
    while k < 5 {
        let high = if k == 0 { HIGH_EXTRA.wrapping_mul(19) } else { HIGH_EXTRA };
        start[k] = start[k].wrapping_sub(LOW_EXTRA).wrapping_sub(high);
        k += 1;
    }
    start
};

// Every inequality that the arithmetic above and below relies on.
const _: () = {
    // a product of limbs, and c + it, below the next power: the last bit of `high` stands for 2^51
    let product = LIMB_MAX as u128 * LIMB_MAX as u128;
    assert!(product < 1 << 103);
    // a high half is at most one more than the product over 2^51; a low one is above −2^51 and below 2^51
    let high = (product >> 51) as u64 + 1;
    let mut k = 0;
    while k < 5 {
        let (lows, lows_around) = (terms(k), terms(k + 5));
        let highs = if k == 0 { 0 } else { terms(k - 1) };
        let highs_around = terms(k + 4);
        let least = (lows + 19 * lows_around) << 51;
        let bias = PRODUCT_BIAS[k as usize];
        assert!(bias >= least);
        let most = least as u128 + (highs + 19 * highs_around) as u128 * high as u128;
        assert!(most + (bias as u128) < (PRODUCT_MAX as u128) << 51);
        // subtractions never go below zero
        assert!(BIAS[k as usize] >= PRODUCT_MAX << 51);
        assert!(BIAS_OF_SUMS[k as usize] >= SUM_MAX << 51);
        k += 1;
    }
    assert!(2 * PRODUCT_MAX <= SUM_MAX && PRODUCT_MAX + 256 <= SUM_MAX);
    assert!(2 * SUM_MAX <= CARRY_MAX && SUM_MAX + 512 <= CARRY_MAX);
    // a carry: what a column passes on, around 19 times
    assert!(CARRY_MAX < 1 << 13 && (1 << 51) + 19 * CARRY_MAX < LIMB_MAX);
    // limbs are below 2^52, and an operand is below 2p
    assert!(LIMB_MAX < 1 << 52 && LIMB_MAX + 1 < 2 * LOW_51);
};

/// The constants of a product.
#[derive(Clone, Copy)]
struct Split {
    c: F64x4,
    c_and_3: F64x4,
}

impl Split {
    #[inline(always)]
    fn new(token: Avx2) -> Self {
        Split { c: V::all(token, C).doubles(), c_and_3: V::all(token, C_AND_3).doubles() }
    }

    /// The low and the high half of a product of limbs, and the constants.
    #[inline(always)]
    fn product(self, a: V, b: V) -> (V, V) {
        let (a, b) = (a.doubles(), b.doubles());
        let high = a.times_plus(b, self.c);
        let low = a.times_plus(b, self.c_and_3 - high);
        (low.bits(), high.bits())
    }
}

/// `a + 19·b`.
#[inline(always)]
fn plus_19_times(a: V, b: V) -> V {
    let a = a + b + (b + b);
    a + b.shift_left::<4>()
}

/// 2^255 = 19: columns 5 to 9 go to columns 0 to 4.
#[inline(always)]
fn fold(z: &[V; 10]) -> Limbs {
    each!(|k| plus_19_times(z[k], z[k + 5]))
}

/// A column with the low halves of products of limbs, and the sum of their high halves, for the next one.
#[inline(always)]
fn column<const N: usize>(split: Split, column: V, products: [(V, V); N]) -> (V, V) {
    let (mut column, mut next) = (column, column.splat(0));
    for (a, b) in products {
        let (low, high) = split.product(a, b);
        (column, next) = (column + low, next + high);
    }
    (column, next)
}

#[inline(always)]
fn mul(a: &Limbs, b: &Limbs) -> Limbs {
    let split = Split::new(a[0].token());
    let start = each!(|k| a[0].splat(START[k]));
    let [a0, a1, a2, a3, a4] = *a;
    let [b0, b1, b2, b3, b4] = *b;
    // 2^255 = 19: columns 5 to 9 first, and each is folded when it is ready
    let (z4, h) = column(split, start[4], [(a0, b4), (a1, b3), (a2, b2), (a3, b1), (a4, b0)]);
    let (z5, h) = column(split, h, [(a1, b4), (a2, b3), (a3, b2), (a4, b1)]);
    let z0 = plus_19_times(start[0], z5);
    let (z6, h) = column(split, h, [(a2, b4), (a3, b3), (a4, b2)]);
    let z1 = plus_19_times(start[1], z6);
    let (z7, h) = column(split, h, [(a3, b4), (a4, b3)]);
    let z2 = plus_19_times(start[2], z7);
    let (z8, z9) = column(split, h, [(a4, b4)]);
    let z3 = plus_19_times(start[3], z8);
    let z4 = plus_19_times(z4, z9);
    let (z0, h) = column(split, z0, [(a0, b0)]);
    let (z1, h) = column(split, z1 + h, [(a0, b1), (a1, b0)]);
    let (z2, h) = column(split, z2 + h, [(a0, b2), (a1, b1), (a2, b0)]);
    let (z3, h) = column(split, z3 + h, [(a0, b3), (a1, b2), (a2, b1), (a3, b0)]);
    [z0, z1, z2, z3, z4 + h]
}

/// As [`column`], of a square: twice the first products, and the square of a limb.
#[inline(always)]
fn column_of_square<const N: usize>(
    split: Split,
    start: V,
    [twice, own]: [V; 2],
    products: [(V, V); N],
    square: Option<V>,
) -> (V, [V; 2]) {
    let (twice, next) = column(split, twice, products);
    let column = start + own + (twice + twice);
    match square {
        Some(a) => {
            let (low, high) = split.product(a, a);
            (column + low, [next, high])
        }
        None => (column, [next, start.splat(0)]),
    }
}

#[inline(always)]
fn square(a: &Limbs) -> Limbs {
    let split = Split::new(a[0].token());
    let start = each!(|k| a[0].splat(START[k]));
    let zero = a[0].splat(0);
    let [a0, a1, a2, a3, a4] = *a;
    let (z0, h) = column_of_square(split, start[0], [zero; 2], [], Some(a0));
    let (z1, h) = column_of_square(split, start[1], h, [(a0, a1)], None);
    let (z2, h) = column_of_square(split, start[2], h, [(a0, a2)], Some(a1));
    let (z3, h) = column_of_square(split, start[3], h, [(a0, a3), (a1, a2)], None);
    let (z4, h) = column_of_square(split, start[4], h, [(a0, a4), (a1, a3)], Some(a2));
    let (z5, h) = column_of_square(split, zero, h, [(a1, a4), (a2, a3)], None);
    let (z6, h) = column_of_square(split, zero, h, [(a2, a4)], Some(a3));
    let (z7, h) = column_of_square(split, zero, h, [(a3, a4)], None);
    let (z8, [_, h]) = column_of_square(split, zero, h, [], Some(a4));
    fold(&[z0, z1, z2, z3, z4, z5, z6, z7, z8, h])
}

/// Integers below 2^52 as doubles.
#[inline(always)]
fn doubles(a: &Limbs) -> Limbs {
    let two_52 = a[0].splat(TWO_52);
    each!(|k| ((a[k] | two_52).doubles() - two_52.doubles()).bits())
}

/// An operand's limbs as integers.
#[inline(always)]
fn integers(a: &Limbs) -> Limbs {
    let two_52 = a[0].splat(TWO_52);
    each!(|k| (a[k].doubles() + two_52.doubles()).bits() ^ two_52)
}

/// Columns below `CARRY_MAX`·2^51 become an operand: one parallel carry.
#[inline(always)]
fn carry(u: Limbs) -> Limbs {
    let low = u[0].splat(LOW_51);
    let around = u[4].shift_right::<51>().times(u[0].splat(19));
    doubles(&[
        (u[0] & low) + around,
        (u[1] & low) + u[0].shift_right::<51>(),
        (u[2] & low) + u[1].shift_right::<51>(),
        (u[3] & low) + u[2].shift_right::<51>(),
        (u[4] & low) + u[3].shift_right::<51>(),
    ])
}

/// Four words of each lane, the lowest first, as an operand; bit 255 falls away.
#[inline(always)]
fn limbs_of_words(w: &[V; 4]) -> Limbs {
    let low = w[0].splat(LOW_51);
    doubles(&[
        w[0] & low,
        (w[0].shift_right::<51>() | w[1].shift_left::<13>()) & low,
        (w[1].shift_right::<38>() | w[2].shift_left::<26>()) & low,
        (w[2].shift_right::<25>() | w[3].shift_left::<39>()) & low,
        w[3].shift_right::<12>() & low,
    ])
}

/// 1 where integers, together below 2p, are not below p: adding 19 then reaches 2^255.
#[inline(always)]
fn reaches_p(a: &Limbs) -> V {
    let mut q = (a[0] + a[0].splat(19)).shift_right::<51>();
    for limb in &a[1..] {
        q = (*limb + q).shift_right::<51>();
    }
    q
}

/// The residue below p of an operand, as integers.
#[inline(always)]
fn reduce(a: &Limbs) -> Limbs {
    let a = integers(a);
    let low = a[0].splat(LOW_51);
    let r0 = a[0] + reaches_p(&a).times(a[0].splat(19));
    let r1 = a[1] + r0.shift_right::<51>();
    let r2 = a[2] + r1.shift_right::<51>();
    let r3 = a[3] + r2.shift_right::<51>();
    let r4 = a[4] + r3.shift_right::<51>();
    [r0 & low, r1 & low, r2 & low, r3 & low, r4 & low]
}

/// Set in lanes whose limbs are all zero.
#[inline(always)]
fn all_zero(a: &Limbs) -> u8 {
    (a[0] | a[1] | a[2] | a[3] | a[4]).equal_words(a[0].splat(0)).top_bits()
}

// Functions of their own, as in `avx2_x4`.
avx2_functions! { never
    fn outlined_mul(a: &Limbs, b: &Limbs) -> Limbs { mul(a, b) }

    fn outlined_square(a: &Limbs) -> Limbs { square(a) }

    fn canonical(a: &Limbs) -> Limbs { reduce(a) }

    /// Multiplies each element by its factor.
    fn multiply_each(elements: &mut [Fe], factors: &[Fe]) {
        for (a, b) in elements.iter_mut().zip(factors) {
            a.0 = carry(mul(&a.0, &b.0));
        }
    }

    /// Squares each element n times, in turn, so that none waits for itself.
    fn repeat_squares(elements: &mut [Fe], n: u32) {
        for _ in 0..n {
            for a in elements.iter_mut() {
                a.0 = carry(square(&a.0));
            }
        }
    }
}

/// Columns of sums of products.
#[derive(Clone, Copy)]
struct Sum(Limbs);

impl Columns for Sum {
    const ROOM: i32 = 0;

    #[inline(always)]
    fn carried(&self) -> Self {
        Sum(carry(self.0))
    }

    #[inline(always)]
    fn plus(&self, other: &Self) -> Self {
        Sum(each!(|k| self.0[k] + other.0[k]))
    }

    #[inline(always)]
    fn minus(&self, other: &Self) -> Self {
        Sum(each!(|k| self.0[k] + self.0[k].splat(BIAS[k]) - other.0[k]))
    }

    #[inline(always)]
    fn minus_sum(&self, other: &Self) -> Self {
        Sum(each!(|k| self.0[k] + self.0[k].splat(BIAS_OF_SUMS[k]) - other.0[k]))
    }
}

impl Proven for Fe {
    type Token = Avx2;
}

impl Algebra for Fe {
    four_lanes!(Algebra);

    #[inline(always)]
    fn widen(&self) -> Product {
        Product(integers(&self.0))
    }

    #[inline(always)]
    fn sum<const A: i32, const B: i32, const C: i32>(a: &Product, b: &Product, c: &Product) -> Fe {
        Fe(sum_of_columns::<_, A, B, C>(&Sum(a.0), &Sum(b.0), &Sum(c.0)).0)
    }
}

impl Field for Fe {
    four_lanes!(Field);

    #[inline(always)]
    fn to_bytes(&self, top_bit: u8) -> [[u8; 32]; 4] {
        let a = canonical(&self.0);
        let top = V::lanes_of(a[0].token(), top_bit) & a[0].splat(1 << 63);
        let words = rows_of(
            a[0] | a[1].shift_left::<51>(),
            a[1].shift_right::<13>() | a[2].shift_left::<38>(),
            a[2].shift_right::<26>() | a[3].shift_left::<25>(),
            a[3].shift_right::<39>() | a[4].shift_left::<12>() | top,
        );
        words.map(|words| crate::word::store_le(&words))
    }

    #[inline(always)]
    fn mul_small(&self, n: u32) -> Product {
        debug_assert!(n >> 17 == 0);
        let (a, token) = (&self.0, self.token());
        let split = Split::new(token);
        let n = V::all(token, f64::from(n).to_bits());
        let (l0, h0) = split.product(a[0], n);
        let (l1, h1) = split.product(a[1], n);
        let (l2, h2) = split.product(a[2], n);
        let (l3, h3) = split.product(a[3], n);
        let (l4, h4) = split.product(a[4], n);
        let start = each!(|k| V::all(token, START_OF_SMALL[k]));
        Product([
            plus_19_times(start[0] + l0, h4),
            start[1] + l1 + h0,
            start[2] + l2 + h1,
            start[3] + l3 + h2,
            start[4] + l4 + h3,
        ])
    }

    #[inline(always)]
    fn equal(&self, other: &Fe) -> u8 {
        let (a, b) = (canonical(&self.0), canonical(&other.0));
        all_zero(&each!(|k| a[k] ^ b[k]))
    }
}

// SAFETY: vectors of integers are all that a product consists of, with a token that the caller has.
#[allow(unsafe_code)]
unsafe impl PlainWith<Avx2> for Product {}

impl LaneField for Fe {
    four_lanes!(LaneField);

    #[inline(always)]
    fn negate_where(mask: u8, product: &Product) -> Fe {
        let a = &product.0;
        let lanes = V::lanes_of(a[0].token(), mask);
        Fe(carry(each!(|k| a[k].or_where(lanes, a[k].splat(BIAS[k]) - a[k]))))
    }
}

#[cfg(test)]
mod tests;
