//! GF(2^255 − 19), four lanes, AVX2.
//!
//! Representation: ten limbs of radix 2^25.5, as in `u32x10`: limb i stands at bit ⌈25.5·i⌉, the even
//! limbs have 26 bits and the odd ones 25. They are kept as five pairs: vector k holds limb 2k in the
//! low half of each 64-bit lane and limb 2k + 1 in the high half. VPMULUDQ multiplies low halves and
//! does not see the high ones, so that a pair is its even limb as it is and its odd limb after one
//! shift.
//!
//! A product is three products of five limbs (Karatsuba): with a = E(Y) + 2^26·O(Y), Y = 2^51, and b
//! likewise,
//! a·b = E·E' + 2Y·O·O' + 2^26·((E + O)(E' + O') − E·E' − O·O'), and Y^5 = 19.
//! Its columns are carried at once, in registers. Sums and differences are then those of pairs: half
//! as many instructions as on columns, and half the memory.
//!
//! Bounds, as multiples of 2^26 + `SLACK` for even and of 2^25 + `SLACK` for odd limbs:
//!
//! | type | multiple | made by |
//! |---|---|---|
//! | `Product` | 1 | `mul`, `square`, `widen` |
//! | `Fe` | 2 | a product, or the sum of two, as it is; any other `sum`, carried: below 2 and what was added, 2p or 4p |
//!
//! All operations are constant time but those that end in `_vartime`, whose addresses depend on
//! public indices.
//!

use super::super::field::{
    Entries, EntryLookup, Field, LaneField, PointRow, Row, SecretLanes, negated_where,
};
use crate::cpu::Avx2;
use crate::field::algebra::{Algebra, Columns as Uncarried, sum_of_columns};
use crate::memory::{Line, PlainWith};
use crate::simd::Proven;
use crate::simd::avx2::{U64x4, avx2_functions};
use crate::simd::each;

type V = U64x4;
/// Five pairs of limbs.
type Limbs = [V; 5];
/// Ten limbs, or columns of a product.
type Columns = [V; 10];

/// An operand.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Fe(Limbs);

/// One product.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Product(Limbs);

const SLACK: u64 = 1 << 11;
const LOW_26: u64 = (1 << 26) - 1;
const LOW_25: u64 = (1 << 25) - 1;
const LOW_PAIR: u64 = LOW_26 | LOW_25 << 32;
/// What subtractions add so that no limb goes below zero.
const TWO_P: [u64; 5] = multiple_of_p(2);
const FOUR_P: [u64; 5] = multiple_of_p(4);

const fn low(i: usize) -> u64 {
    if i.is_multiple_of(2) { LOW_26 } else { LOW_25 }
}

/// The largest limb i of `units` units.
const fn limit(units: u64, i: usize) -> u64 {
    units * (low(i) + 1 + SLACK)
}

const fn multiple_of_p(n: u64) -> [u64; 5] {
    let pair = n * LOW_PAIR;
    [pair - 18 * n, pair, pair, pair, pair]
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

// Every inequality that the arithmetic below relies on.
const _: () = {
    let columns = column_limits();
    let mut column = 0;
    let mut i = 0;
    while i < 10 {
        let p = low(i) - if i == 0 { 18 } else { 0 };
        // subtractions never go below zero
        assert!(2 * p >= limit(1, i) && 4 * p >= limit(2, i) && 4 * p >= limit(1, i) + 2 * p);
        // the most that `weak_carry` takes fits a half; it leaves one unit
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

/// Word j of row i goes to word i of vector j.
#[inline(always)]
pub(super) fn columns_of(token: Avx2, rows: [&[u64; 4]; 4]) -> [V; 4] {
    let [p, q, r, s] = rows;
    let a = V::from_array(token, [p[0], p[1], r[0], r[1]]);
    let b = V::from_array(token, [q[0], q[1], s[0], s[1]]);
    let c = V::from_array(token, [p[2], p[3], r[2], r[3]]);
    let d = V::from_array(token, [q[2], q[3], s[2], s[3]]);
    [a.even_words(b), a.odd_words(b), c.even_words(d), c.odd_words(d)]
}

/// Word j of vector i goes to word i of row j.
#[inline(always)]
pub(super) fn rows_of(a: V, b: V, c: V, d: V) -> [[u64; 4]; 4] {
    let [a, b, c, d] = V::transpose([a, b, c, d]);
    [a.to_array(), b.to_array(), c.to_array(), d.to_array()]
}

/// The odd limbs.
#[inline(always)]
fn odd_limbs(a: &Limbs) -> Limbs {
    each!(|k| a[k].shift_right::<32>())
}

/// Each word times 19, also above 2^32.
#[inline(always)]
fn times_19(a: V) -> V {
    a + (a + a) + a.shift_left::<4>()
}

/// 19 times limbs 1 to 4 of five.
#[inline(always)]
fn multiples_by_19(a: &Limbs) -> [V; 4] {
    let n19 = a[0].splat(19);
    [a[1].times(n19), a[2].times(n19), a[3].times(n19), a[4].times(n19)]
}

/// The product of two polynomials of five limbs modulo Y^5 − 19, given 19 times b_1 to b_4. High
/// halves are not looked at.
#[inline(always)]
fn convolve(a: &Limbs, b: &Limbs, b19: &[V; 4]) -> Limbs {
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

#[inline(always)]
fn mul(a: &Limbs, b: &Limbs) -> Limbs {
    let (a_odd, b_odd) = (odd_limbs(a), odd_limbs(b));
    let (f, q) = (multiples_by_19(b), multiples_by_19(&b_odd));
    let f_plus_q = [f[0] + q[0], f[1] + q[1], f[2] + q[2], f[3] + q[3]];
    let even = convolve(a, b, &f);
    let odd = convolve(&a_odd, &b_odd, &q);
    let (a_sum, b_sum) = (each!(|k| a[k] + a_odd[k]), each!(|k| b[k] + b_odd[k]));
    let both = convolve(&a_sum, &b_sum, &f_plus_q);
    let mixed = each!(|k| both[k] - (even[k] + odd[k]));
    // 2Y·O·O': one place up, and from the last place 19 times to the first
    let twice = each!(|k| odd[k] + odd[k]);
    carry([
        even[0] + times_19(twice[4]),
        mixed[0],
        even[1] + twice[0],
        mixed[1],
        even[2] + twice[1],
        mixed[2],
        even[3] + twice[2],
        mixed[3],
        even[4] + twice[3],
        mixed[4],
    ])
}

#[inline(always)]
fn sum_of([a, b, c, d, e, f]: [V; 6]) -> V {
    a + b + (c + d) + (e + f)
}

#[inline(always)]
#[rustfmt::skip] // a table of the columns
fn square(a: &Limbs) -> Limbs {
    // E² + 2Y·O² + 2^26·E·2O, with a_k = E_k, o = O, d = 2E, p = 2O, e = 19E and q = 19·2O
    let o = odd_limbs(a);
    let d = add(a, a);
    let p = odd_limbs(&d);
    let [_, _, e3, e4] = multiples_by_19(a);
    let q = multiples_by_19(&p);
    let [_, q2, q3, q4] = q;
    let mixed = convolve(a, &p, &q);
    carry([
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
    ])
}

/// Carries columns into limbs: one chain, around and on to limb 1.
#[inline(always)]
fn carry(c: Columns) -> Limbs {
    let c1 = c[1] + c[0].shift_right::<26>();
    let c2 = c[2] + c1.shift_right::<25>();
    let c3 = c[3] + c2.shift_right::<26>();
    let c4 = c[4] + c3.shift_right::<25>();
    let c5 = c[5] + c4.shift_right::<26>();
    let c6 = c[6] + c5.shift_right::<25>();
    let c7 = c[7] + c6.shift_right::<26>();
    let c8 = c[8] + c7.shift_right::<25>();
    let c9 = c[9] + c8.shift_right::<26>();
    let c0 = (c[0] & c[0].splat(LOW_26)) + c9.shift_right::<25>().times(c[0].splat(19));
    let c1 = (c1 & c[0].splat(LOW_25)) + c0.shift_right::<26>();
    let low = c[0].splat(LOW_PAIR);
    [
        c0 & c[0].splat(LOW_26) | c1.shift_left::<32>(),
        c2.with_high(c3.shift_left::<32>()) & low,
        c4.with_high(c5.shift_left::<32>()) & low,
        c6.with_high(c7.shift_left::<32>()) & low,
        c8.with_high(c9.shift_left::<32>()) & low,
    ]
}

/// Each limb at most 1 unit and a little: one parallel carry.
#[inline(always)]
fn weak_carry(a: &Limbs) -> Limbs {
    let (widths, low) = (a[0].splat(26 | 25 << 32), a[0].splat(LOW_PAIR));
    // what each limb passes on, in the other half of its pair
    let next = each!(|k| a[k].shift_pairs_right(widths).swap_pairs());
    let around = next[4].times(a[0].splat(19));
    let carries = [
        around.with_high(next[0]),
        next[0].with_high(next[1]),
        next[1].with_high(next[2]),
        next[2].with_high(next[3]),
        next[3].with_high(next[4]),
    ];
    each!(|k| (a[k] & low).plus_pairs(carries[k]))
}

#[inline(always)]
fn add(a: &Limbs, b: &Limbs) -> Limbs {
    each!(|k| a[k].plus_pairs(b[k]))
}

#[inline(always)]
fn sub(a: &Limbs, b: &Limbs, multiple_of_p: &[u64; 5]) -> Limbs {
    each!(|k| a[k].plus_pairs(a[0].splat(multiple_of_p[k])).minus_pairs(b[k]))
}

/// Four words of each lane, the lowest first, as limbs; bit 255 falls away.
#[inline(always)]
fn limbs_of_words(w: &[V; 4]) -> Limbs {
    let low = w[0].splat(LOW_PAIR);
    let limb_2 = w[0].shift_right::<51>() | w[1].shift_left::<13>();
    let limb_7 = w[2].shift_right::<19>() | w[3].shift_left::<45>();
    [
        w[0].with_high(w[0].shift_left::<6>()) & low,
        limb_2.with_high(w[1].shift_left::<19>()) & low,
        w[1].shift_right::<38>().with_high(w[2].shift_left::<32>()) & low,
        w[2].shift_right::<25>().with_high(limb_7) & low,
        w[3].shift_right::<12>().with_high(w[3].shift_right::<6>()) & low,
    ]
}

/// Each limb in a vector of its own.
#[inline(always)]
fn apart(a: &Limbs) -> Columns {
    let low = a[0].splat(u64::from(u32::MAX));
    let [a1, a3, a5, a7, a9] = odd_limbs(a);
    [a[0] & low, a1, a[1] & low, a3, a[2] & low, a5, a[3] & low, a7, a[4] & low, a9]
}

/// 1 where an integer below 2p is not below p: adding 19 then reaches 2^255.
#[inline(always)]
fn reaches_p(a: &Columns) -> V {
    let q = (a[0] + a[0].splat(19)).shift_right::<26>();
    let q = (a[1] + q).shift_right::<25>();
    let q = (a[2] + q).shift_right::<26>();
    let q = (a[3] + q).shift_right::<25>();
    let q = (a[4] + q).shift_right::<26>();
    let q = (a[5] + q).shift_right::<25>();
    let q = (a[6] + q).shift_right::<26>();
    let q = (a[7] + q).shift_right::<25>();
    let q = (a[8] + q).shift_right::<26>();
    (a[9] + q).shift_right::<25>()
}

/// The residue below p. The limbs may be what `weak_carry` takes.
#[inline(always)]
fn reduce(a: &Limbs) -> Columns {
    let a = apart(&weak_carry(a)); // below 2^255 + 2^233, hence below 2p
    let (low_26, low_25) = (a[0].splat(LOW_26), a[0].splat(LOW_25));
    let c0 = a[0] + reaches_p(&a).times(a[0].splat(19));
    let c1 = a[1] + c0.shift_right::<26>();
    let c2 = a[2] + c1.shift_right::<25>();
    let c3 = a[3] + c2.shift_right::<26>();
    let c4 = a[4] + c3.shift_right::<25>();
    let c5 = a[5] + c4.shift_right::<26>();
    let c6 = a[6] + c5.shift_right::<25>();
    let c7 = a[7] + c6.shift_right::<26>();
    let c8 = a[8] + c7.shift_right::<25>();
    let c9 = a[9] + c8.shift_right::<26>();
    [
        c0 & low_26,
        c1 & low_25,
        c2 & low_26,
        c3 & low_25,
        c4 & low_26,
        c5 & low_25,
        c6 & low_26,
        c7 & low_25,
        c8 & low_26,
        c9 & low_25,
    ]
}

/// Where all limbs are zero.
#[inline(always)]
fn all_zero(a: &Columns) -> u8 {
    let (b, c) = (a[0] | a[1] | a[2] | a[3], a[4] | a[5] | a[6] | a[7]);
    (b | c | a[8] | a[9]).equal_words(a[0].splat(0)).top_bits()
}

/// The words of 32 bytes a lane.
#[inline(always)]
pub(super) fn words_of_bytes(token: Avx2, bytes: &[[u8; 32]; 4]) -> [V; 4] {
    let mut rows = [[0; 4]; 4];
    for (row, bytes) in rows.iter_mut().zip(bytes) {
        for (word, chunk) in row.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *word = u64::from_le_bytes(*chunk);
        }
    }
    columns_of(token, [&rows[0], &rows[1], &rows[2], &rows[3]])
}

// Functions of their own: formulas that have a product inlined wherever they multiply outgrow the CPU's cache for
// instructions, and take twice as long.
avx2_functions! { never
    fn outlined_mul(a: &Limbs, b: &Limbs) -> Limbs { mul(a, b) }

    fn outlined_square(a: &Limbs) -> Limbs { square(a) }

    fn canonical(a: &Limbs) -> Columns { reduce(a) }

    /// Multiplies each element by its factor.
    fn multiply_each(elements: &mut [Fe], factors: &[Fe]) {
        for (a, b) in elements.iter_mut().zip(factors) {
            a.0 = mul(&a.0, &b.0);
        }
    }

    /// Squares each element n times, in turn, so that none waits for itself.
    fn repeat_squares(elements: &mut [Fe], n: u32) {
        for _ in 0..n {
            for a in elements.iter_mut() {
                a.0 = square(&a.0);
            }
        }
    }
}

impl Uncarried for Limbs {
    const ROOM: i32 = 2;

    #[inline(always)]
    fn carried(&self) -> Self {
        weak_carry(self)
    }

    #[inline(always)]
    fn plus(&self, other: &Self) -> Self {
        each!(|k| self[k].plus_pairs(other[k]))
    }

    #[inline(always)]
    fn minus(&self, other: &Self) -> Self {
        sub(self, other, &TWO_P)
    }

    #[inline(always)]
    fn minus_sum(&self, other: &Self) -> Self {
        sub(self, other, &FOUR_P)
    }
}

impl Proven for Fe {
    type Token = Avx2;
}

impl Algebra for Fe {
    type Product = Product;

    #[inline(always)]
    fn mul(&self, other: &Fe) -> Product {
        Product(outlined_mul(&self.0, &other.0))
    }

    #[inline(always)]
    fn square(&self) -> Product {
        Product(outlined_square(&self.0))
    }

    #[inline(always)]
    fn widen(&self) -> Product {
        Product(weak_carry(&self.0))
    }

    #[inline(always)]
    fn sum<const A: i32, const B: i32, const C: i32>(a: &Product, b: &Product, c: &Product) -> Fe {
        Fe(sum_of_columns::<_, A, B, C>(&a.0, &b.0, &c.0))
    }
}

impl Field for Fe {
    type Mask = u8;
    type Bytes = [[u8; 32]; 4];
    const SQUARES_ARE_CHEAPER: bool = true;

    #[inline(always)]
    fn token(&self) -> Avx2 {
        self.0[0].token()
    }

    #[inline(always)]
    fn splat(token: Avx2, w: &[u64; 4]) -> Fe {
        let [a, b, c, d] = *w;
        let words = [V::all(token, a), V::all(token, b), V::all(token, c), V::all(token, d)];
        Fe(limbs_of_words(&words))
    }

    #[inline(always)]
    fn from_bytes(token: Avx2, bytes: &[[u8; 32]; 4]) -> Fe {
        Fe(limbs_of_words(&words_of_bytes(token, bytes)))
    }

    #[inline(always)]
    fn to_bytes(&self, top_bit: u8) -> [[u8; 32]; 4] {
        let a = canonical(&self.0);
        let top = V::lanes_of(a[0].token(), top_bit) & a[0].splat(1 << 63);
        let words = rows_of(
            a[0] | a[1].shift_left::<26>() | a[2].shift_left::<51>(),
            a[2].shift_right::<13>() | a[3].shift_left::<13>() | a[4].shift_left::<38>(),
            a[5] | a[6].shift_left::<25>() | a[7].shift_left::<51>(),
            a[7].shift_right::<13>() | a[8].shift_left::<12>() | a[9].shift_left::<38>() | top,
        );
        let mut bytes = [[0; 32]; 4];
        for (bytes, words) in bytes.iter_mut().zip(&words) {
            for (chunk, word) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(words) {
                *chunk = word.to_le_bytes();
            }
        }
        bytes
    }

    #[inline(always)]
    fn mul_small(&self, n: u32) -> Product {
        debug_assert!(n >> 17 == 0);
        let (a, odd, n) = (&self.0, odd_limbs(&self.0), self.0[0].splat(u64::from(n)));
        let (even, odd) = (each!(|k| a[k].times(n)), each!(|k| odd[k].times(n)));
        let [a, c, e, g, i] = even;
        let [b, d, f, h, j] = odd;
        Product(carry([a, b, c, d, e, f, g, h, i, j]))
    }

    #[inline(always)]
    fn square_times(elements: &mut [Fe], n: u32) {
        repeat_squares(elements, n);
    }

    #[inline(always)]
    fn multiply(elements: &mut [Fe], factors: &[Fe]) {
        multiply_each(elements, factors);
    }

    #[inline(always)]
    fn select(mask: u8, if_true: &Fe, if_false: &Fe) -> Fe {
        let (a, b) = (&if_true.0, &if_false.0);
        let lanes = V::lanes_of(a[0].token(), mask);
        Fe(each!(|k| b[k].or_where(lanes, a[k])))
    }

    #[inline(always)]
    fn equal(&self, other: &Fe) -> u8 {
        all_zero(&canonical(&sub(&self.0, &other.0, &FOUR_P)))
    }

    #[inline(always)]
    fn is_zero(&self) -> u8 {
        all_zero(&canonical(&self.0))
    }

    #[inline(always)]
    fn is_odd(&self) -> u8 {
        canonical(&self.0)[0].shift_left::<63>().top_bits()
    }
}

/// Writes lane i of five pairs of limbs of four values each to row i.
#[inline(always)]
pub(super) fn store_points([a, b, c, d]: [&Limbs; 4], rows: &mut [PointRow]) {
    let quarters = [
        rows_of(a[0], a[1], a[2], a[3]),
        rows_of(a[4], b[0], b[1], b[2]),
        rows_of(b[3], b[4], c[0], c[1]),
        rows_of(c[2], c[3], c[4], d[0]),
        rows_of(d[1], d[2], d[3], d[4]),
    ];
    for (lane, row) in rows.iter_mut().take(4).enumerate() {
        for (place, quarters) in row.iter_mut().zip(&quarters) {
            *place = quarters[lane];
        }
    }
}

/// Quarter i of each row.
#[inline(always)]
fn point_quarters(token: Avx2, [r, s, t, u]: &[&PointRow; 4], i: usize) -> [V; 4] {
    columns_of(token, [&r[i], &s[i], &t[i], &u[i]])
}

/// Lane i is row i.
#[inline(always)]
pub(super) fn load_points(token: Avx2, rows: &[&PointRow; 4]) -> [Limbs; 4] {
    let [a0, a1, a2, a3] = point_quarters(token, rows, 0);
    let [a4, b0, b1, b2] = point_quarters(token, rows, 1);
    let [b3, b4, c0, c1] = point_quarters(token, rows, 2);
    let [c2, c3, c4, d0] = point_quarters(token, rows, 3);
    let [d1, d2, d3, d4] = point_quarters(token, rows, 4);
    [[a0, a1, a2, a3, a4], [b0, b1, b2, b3, b4], [c0, c1, c2, c3, c4], [d0, d1, d2, d3, d4]]
}

/// Four of the sixteen words of a row.
#[inline(always)]
fn quarter(row: &Row, i: usize) -> &[u64; 4] {
    &row[i / 2].0.as_chunks().0[i % 2]
}

/// Word i of each row's quarter.
#[inline(always)]
fn quarters(token: Avx2, [a, b, c, d]: &[&Row; 4], i: usize) -> [V; 4] {
    columns_of(token, [quarter(a, i), quarter(b, i), quarter(c, i), quarter(d, i)])
}

/// Of sixteen words the one whose mask is set, or 0, in four parts.
#[inline(always)]
fn parts_of_entry(words: &[u64; 16], masks: &[V; 4]) -> V {
    let quarter = |i: usize| [words[4 * i], words[4 * i + 1], words[4 * i + 2], words[4 * i + 3]];
    let mask = masks[0];
    let (first, second) = (mask.words(quarter(0)), mask.words(quarter(1)));
    let (third, fourth) = (mask.words(quarter(2)), mask.words(quarter(3)));
    masks[0] & first | masks[1] & second | masks[2] & third | masks[3] & fourth
}

/// The same of four words of each entry, in a lane each.
#[inline(always)]
fn joined([a, b, c, d]: [&[u64; 16]; 4], masks: &[V; 4]) -> V {
    let (a, b) = (parts_of_entry(a, masks), parts_of_entry(b, masks));
    let (c, d) = (parts_of_entry(c, masks), parts_of_entry(d, masks));
    // one part at most is not 0
    let (low, high) = (a.even_words(b) | a.odd_words(b), c.even_words(d) | c.odd_words(d));
    low.lower_halves(high) | low.upper_halves(high)
}

/// Writes lane i of five vectors of three values each to row i.
#[inline(always)]
pub(super) fn store_row_words([a, b, c]: [&[V; 5]; 3], rows: &mut [Row]) {
    let quarters = [
        rows_of(a[0], a[1], a[2], a[3]),
        rows_of(a[4], b[0], b[1], b[2]),
        rows_of(b[3], b[4], c[0], c[1]),
        rows_of(c[2], c[3], c[4], c[4].splat(0)),
    ];
    for (lane, row) in rows.iter_mut().take(4).enumerate() {
        for (half, line) in row.iter_mut().enumerate() {
            let [first, second] = [quarters[2 * half][lane], quarters[2 * half + 1][lane]];
            line.0[..4].copy_from_slice(&first);
            line.0[4..].copy_from_slice(&second);
        }
    }
}

/// Lane i is the row that entry i of the index names, or 0.
#[inline(always)]
pub(super) fn load_row_words(token: Avx2, rows: &[Row], index: &[u32; 4]) -> [[V; 5]; 3] {
    const NOTHING: Row = [Line([0; 8]); 2];
    let mut found = [&NOTHING; 4];
    for (row, index) in found.iter_mut().zip(index) {
        *row = rows.get(*index as usize).unwrap_or(&NOTHING);
    }
    let [a0, a1, a2, a3] = quarters(token, &found, 0);
    let [a4, b0, b1, b2] = quarters(token, &found, 1);
    let [b3, b4, c0, c1] = quarters(token, &found, 2);
    let [c2, c3, c4, _] = quarters(token, &found, 3);
    [[a0, a1, a2, a3, a4], [b0, b1, b2, b3, b4], [c0, c1, c2, c3, c4]]
}

// SAFETY: vectors of integers are all that a product consists of, with a token that the caller has.
#[allow(unsafe_code)]
unsafe impl PlainWith<Avx2> for Product {}

impl LaneField for Fe {
    const LANES: usize = crate::cpu::Backend::Avx2.lanes();
    type PerLane<T: Copy> = [T; 4];
    type OperandRow = PointRow;
    type ProductRow = PointRow;

    #[inline(always)]
    fn store_operands([a, b, c, d]: &[Fe; 4], rows: &mut [PointRow]) {
        store_points([&a.0, &b.0, &c.0, &d.0], rows);
    }

    #[inline(always)]
    fn load_operands_vartime(token: Avx2, rows: &[&PointRow; 4]) -> [Fe; 4] {
        let [a, b, c, d] = load_points(token, rows);
        [Fe(a), Fe(b), Fe(c), Fe(d)]
    }

    #[inline(always)]
    fn store_products([a, b, c, d]: &[Product; 4], rows: &mut [PointRow]) {
        store_points([&a.0, &b.0, &c.0, &d.0], rows);
    }

    #[inline(always)]
    fn load_products_vartime(token: Avx2, rows: &[&PointRow; 4]) -> [Product; 4] {
        let [a, b, c, d] = load_points(token, rows);
        [Product(a), Product(b), Product(c), Product(d)]
    }

    #[inline(always)]
    fn load_words_vartime(token: Avx2, [p, q, r, s]: &[&[[u64; 4]; 3]; 4]) -> [Fe; 3] {
        let mut values = [Fe([V::zero(token); 5]); 3];
        for (c, value) in values.iter_mut().enumerate() {
            value.0 = limbs_of_words(&columns_of(token, [&p[c], &q[c], &r[c], &s[c]]));
        }
        values
    }

    #[inline(always)]
    fn negate_where(mask: u8, product: &Product) -> Fe {
        let a = &product.0;
        let lanes = V::lanes_of(a[0].token(), mask);
        // no limb of 2p is below one of a product
        let b = each!(|k| lanes.splat(TWO_P[k]).minus_pairs(a[k]));
        Fe(each!(|k| a[k].or_where(lanes, b[k])))
    }

    #[inline(always)]
    fn store_rows([a, b, c]: &[Fe; 3], rows: &mut [Row]) {
        store_row_words([&a.0, &b.0, &c.0], rows);
    }

    #[inline(always)]
    fn load_rows_vartime(token: Avx2, rows: &[Row], index: &[u32; 4]) -> [Fe; 3] {
        let [a, b, c] = load_row_words(token, rows, index);
        [Fe(a), Fe(b), Fe(c)]
    }
}

impl SecretLanes for Fe {
    #[inline(always)]
    fn select_signed(token: Avx2, table: &Entries, windows: &[u64; 4]) -> ([Fe; 3], u8) {
        let digits = V::from_array(token, *windows) - V::all(token, 16);
        let negative = digits.top_bits();
        let sign = V::zero(token) - digits.shift_right::<63>();
        let magnitude = (digits ^ sign) - sign;
        // (1, 1, 0) where the digit is 0
        let one = magnitude.equal_words(V::zero(token)) & V::all(token, 1);
        let mut words = [V::zero(token); 12];
        (words[0], words[4]) = (one, one);
        for entry in 0..16 {
            let is_it = magnitude.equal_words(V::all(token, entry as u64 + 1));
            for (word, entries) in words.iter_mut().zip(&table.0) {
                *word = *word | is_it & V::all(token, entries[entry]);
            }
        }
        let [a, b, c, d, e, f, g, h, i, j, k, l] = words;
        let values = [
            Fe(limbs_of_words(&[a, b, c, d])),
            Fe(limbs_of_words(&[e, f, g, h])),
            Fe(limbs_of_words(&[i, j, k, l])),
        ];
        (values, negative)
    }

    #[inline(always)]
    fn arrange<const FROM: i32>(product: &Product) -> Product {
        let a = &product.0;
        Product(each!(|k| a[k].permute_words::<FROM>()))
    }
}

impl EntryLookup for Fe {
    #[inline(always)]
    fn signed_entry(token: Avx2, table: &Entries, window: u64) -> [[u64; 4]; 3] {
        let digit = V::all(token, window) - V::all(token, 16);
        let negative = V::zero(token) - digit.shift_right::<63>();
        let magnitude = (digit ^ negative) - negative;
        let masks = [
            magnitude.equal_words(V::from_array(token, [1, 2, 3, 4])),
            magnitude.equal_words(V::from_array(token, [5, 6, 7, 8])),
            magnitude.equal_words(V::from_array(token, [9, 10, 11, 12])),
            magnitude.equal_words(V::from_array(token, [13, 14, 15, 16])),
        ];
        let [a, b, c, d, e, f, g, h, i, j, k, l] = &table.0;
        // (1, 1, 0) where the digit is 0
        let one = magnitude.equal_words(V::zero(token)) & V::from_array(token, [1, 0, 0, 0]);
        let (y_plus_x, y_minus_x) =
            (joined([a, b, c, d], &masks) | one, joined([e, f, g, h], &masks) | one);
        let difference = (y_plus_x ^ y_minus_x) & negative;
        let [mask, ..] = negative.to_array();
        [
            (y_plus_x ^ difference).to_array(),
            (y_minus_x ^ difference).to_array(),
            negated_where(mask, (joined([i, j, k, l], &masks) ^ negative).to_array()),
        ]
    }
}

#[cfg(test)]
mod tests;
