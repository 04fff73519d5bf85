//! Ten limbs of radix 2^25.5 in lanes, whatever vectors hold them: bounds, columns of products and their carries.
//!
//! Limb i stands at bit ⌈25.5·i⌉, the even limbs have 26 bits and the odd ones 25. Bounds are multiples of 2^26 + `SLACK` for
//! even and of 2^25 + `SLACK` for odd limbs: 2 for operands, 1 for products.
//!
//! A product is three products of five limbs (Karatsuba): with a = E(Y) + 2^26·O(Y), Y = 2^51, and b likewise,
//! a·b = E·E' + 2Y·O·O' + 2^26·((E + O)(E' + O') − E·E' − O·O'), and Y^5 = 19.

use crate::simd::each;
use core::ops::{Add, Sub};

pub(super) const SLACK: u64 = 1 << 11;
pub(super) const LOW_26: u64 = (1 << 26) - 1;
pub(super) const LOW_25: u64 = (1 << 25) - 1;

/// The largest limb i that has nothing to carry.
pub(super) const fn low(i: usize) -> u64 {
    if i.is_multiple_of(2) { LOW_26 } else { LOW_25 }
}

/// The largest limb i of `units` units.
pub(super) const fn limit(units: u64, i: usize) -> u64 {
    units * (low(i) + 1 + SLACK)
}

/// Limb i of `n·p`, whose limbs are all large.
pub(super) const fn multiple_of_p(n: u64, i: usize) -> u64 {
    n * (low(i) - if i == 0 { 18 } else { 0 })
}

/// The largest columns of a product of operands.
const fn column_limits() -> [u128; 10] {
    let mut columns = [0; 10];
    let mut at = 0;
    while at < 100 {
        let (i, j) = (at / 10, at % 10);
        // 2^255 = 19 (mod p); two odd limbs stand half a bit too low each
        let twice = if i % 2 + j % 2 == 2 { 2 } else { 1 };
        let folded = if i + j < 10 { 1 } else { 19 };
        columns[(i + j) % 10] += twice * folded * limit(2, i) as u128 * limit(2, j) as u128;
        at += 1;
    }
    columns
}

// Every inequality that the arithmetic below, and that of the backends, relies on.
const _: () = {
    let columns = column_limits();
    let mut column = 0;
    let mut i = 0;
    while i < 10 {
        let p = multiple_of_p(1, i);
        // subtractions never go below zero
        assert!(2 * p >= limit(1, i) && 4 * p >= limit(2, i) && 4 * p >= limit(1, i) + 2 * p);
        // the most that a weak carry takes fits a half; it leaves one unit
        let most = limit(2, i) + 4 * p;
        assert!(2 * limit(2, i) <= most && limit(1, i) + 2 * p <= most && most < 1 << 32);
        assert!(low(i) + 19 * (most >> 25) <= limit(1, i));
        // factors fit a half: 19 times a sum of two neighbours, twice a limb, 38 times an odd limb
        assert!(19 * (limit(2, 0) + limit(2, 1)) < 1 << 32);
        assert!(2 * limit(2, i) < 1 << 32 && 38 * limit(2, 1) < 1 << 32);
        // a column, with the carry of the one before, fits a word
        column = columns[i] + (column >> 25);
        assert!(column < 1 << 64);
        i += 1;
    }
    // so does a column of the products of sums of two neighbours
    let sum = (limit(2, 0) + limit(2, 1)) as u128;
    assert!((1 + 4 * 19) * sum * sum < 1 << 64);
    // what the last column passes on fits a half, and limb 1 keeps one unit
    assert!(column >> 25 < 1 << 32);
    assert!(((column >> 25) as u64 * 19 + LOW_26) >> 26 <= SLACK);
};

/// Factors of products: words of 32 bits, or of 64 whose high halves are not looked at.
pub(super) trait Factor: Copy + Add<Output = Self> {
    type Column: Column;

    /// The products of the words.
    fn times(self, other: Self) -> Self::Column;
    /// 19 times each word, below 2^32.
    fn times_19(self) -> Self;
}

/// Columns of products: words of 64 bits.
pub(super) trait Column: Copy + Add<Output = Self> + Sub<Output = Self> {
    fn shift_left<const N: i32>(self) -> Self;
    fn shift_right<const N: i32>(self) -> Self;
    fn and(self, word: u64) -> Self;
    /// 19 times each word.
    #[inline(always)]
    fn times_19(self) -> Self {
        self + (self + self) + self.shift_left::<4>()
    }
    /// Adds 19 times each word of another column, below 2^32.
    #[inline(always)]
    fn plus_19_times(self, low: Self) -> Self {
        self + low.times_19()
    }
}

/// 19 times limbs 1 to 4 of five.
#[inline(always)]
fn multiples_by_19<F: Factor>(a: &[F; 5]) -> [F; 4] {
    [a[1].times_19(), a[2].times_19(), a[3].times_19(), a[4].times_19()]
}

/// The product of two polynomials of five limbs modulo Y^5 − 19, given 19 times b_1 to b_4.
#[inline(always)]
fn convolve<F: Factor>(a: &[F; 5], b: &[F; 5], b19: &[F; 4]) -> [F::Column; 5] {
    let [b1, b2, b3, b4] = *b19;
    let c = each!(|k| a[0].times(b[k]));
    let c = [
        c[0] + a[1].times(b4),
        c[1] + a[1].times(b[0]),
        c[2] + a[1].times(b[1]),
        c[3] + a[1].times(b[2]),
        c[4] + a[1].times(b[3]),
    ];
    let c = [
        c[0] + a[2].times(b3),
        c[1] + a[2].times(b4),
        c[2] + a[2].times(b[0]),
        c[3] + a[2].times(b[1]),
        c[4] + a[2].times(b[2]),
    ];
    let c = [
        c[0] + a[3].times(b2),
        c[1] + a[3].times(b3),
        c[2] + a[3].times(b4),
        c[3] + a[3].times(b[0]),
        c[4] + a[3].times(b[1]),
    ];
    [
        c[0] + a[4].times(b1),
        c[1] + a[4].times(b2),
        c[2] + a[4].times(b3),
        c[3] + a[4].times(b4),
        c[4] + a[4].times(b[0]),
    ]
}

/// The columns of a product, of even and odd limbs each.
#[inline(always)]
pub(super) fn mul<F: Factor>(
    [a, a_odd]: [&[F; 5]; 2],
    [b, b_odd]: [&[F; 5]; 2],
) -> [F::Column; 10] {
    let (f, q) = (multiples_by_19(b), multiples_by_19(b_odd));
    let f_plus_q = [f[0] + q[0], f[1] + q[1], f[2] + q[2], f[3] + q[3]];
    let even = convolve(a, b, &f);
    let odd = convolve(a_odd, b_odd, &q);
    let (a_sum, b_sum) = (each!(|k| a[k] + a_odd[k]), each!(|k| b[k] + b_odd[k]));
    let both = convolve(&a_sum, &b_sum, &f_plus_q);
    let mixed = each!(|k| both[k] - (even[k] + odd[k]));
    // 2Y·O·O': one place up, and from the last place 19 times to the first
    let twice = each!(|k| odd[k] + odd[k]);
    [
        even[0] + twice[4].times_19(),
        mixed[0],
        even[1] + twice[0],
        mixed[1],
        even[2] + twice[1],
        mixed[2],
        even[3] + twice[2],
        mixed[3],
        even[4] + twice[3],
        mixed[4],
    ]
}

#[inline(always)]
fn sum_of<C: Column>([a, b, c, d, e, f]: [C; 6]) -> C {
    a + b + (c + d) + (e + f)
}

/// The columns of a square, of even and odd limbs.
#[inline(always)]
#[rustfmt::skip] // a table of the columns
pub(super) fn square<F: Factor>(a: &[F; 5], o: &[F; 5]) -> [F::Column; 10] {
    // E² + 2Y·O² + 2^26·E·2O, with a_k = E_k, o = O, d = 2E, p = 2O, e = 19E and q = 19·2O
    let (d, p) = (each!(|k| a[k] + a[k]), each!(|k| o[k] + o[k]));
    let [_, _, e3, e4] = multiples_by_19(a);
    let q = multiples_by_19(&p);
    let [_, q2, q3, q4] = q;
    let mixed = convolve(a, &p, &q);
    [
        sum_of([
            a[0].times(a[0]), d[1].times(e4), d[2].times(e3),
            p[0].times(q4), p[1].times(q3), o[2].times(q2),
        ]),
        mixed[0],
        sum_of([
            d[0].times(a[1]), d[2].times(e4), a[3].times(e3),
            o[0].times(p[0]), p[1].times(q4), p[2].times(q3),
        ]),
        mixed[1],
        sum_of([
            d[0].times(a[2]), a[1].times(a[1]), d[3].times(e4),
            p[0].times(p[1]), p[2].times(q4), o[3].times(q3),
        ]),
        mixed[2],
        sum_of([
            d[0].times(a[3]), d[1].times(a[2]), a[4].times(e4),
            p[0].times(p[2]), o[1].times(p[1]), p[3].times(q4),
        ]),
        mixed[3],
        sum_of([
            d[0].times(a[4]), d[1].times(a[3]), a[2].times(a[2]),
            p[0].times(p[3]), p[1].times(p[2]), o[4].times(q4),
        ]),
        mixed[4],
    ]
}

/// Carries columns: one chain, around and on to limb 1. What the columns from 2 on have passed on still stands above their
/// limbs, and so it does in column 0.
#[inline(always)]
pub(super) fn carry<C: Column>(c: [C; 10]) -> [C; 10] {
    let c1 = c[1] + c[0].shift_right::<26>();
    let c2 = c[2] + c1.shift_right::<25>();
    let c3 = c[3] + c2.shift_right::<26>();
    let c4 = c[4] + c3.shift_right::<25>();
    let c5 = c[5] + c4.shift_right::<26>();
    let c6 = c[6] + c5.shift_right::<25>();
    let c7 = c[7] + c6.shift_right::<26>();
    let c8 = c[8] + c7.shift_right::<25>();
    let c9 = c[9] + c8.shift_right::<26>();
    let c0 = c[0].and(LOW_26).plus_19_times(c9.shift_right::<25>());
    let c1 = c1.and(LOW_25) + c0.shift_right::<26>();
    [c0, c1, c2, c3, c4, c5, c6, c7, c8, c9]
}
