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
//! | `Sum` | 2 | `add`; `sub`, which adds 2p first and carries |
//! | `Fe` | 2 | a product or sum as it is; `add_sums`; `sub_sums`, which adds 4p first; both carry |
//!
//! All operations are constant time but those that end in `_vartime`, whose addresses depend on
//! public indices.
//!
//! Every value of the three types carries the token [`Avx2`], so that a value proves that the CPU has the
//! instructions; the functions on bare vectors are private.

use super::super::{Entries, Field, Job, LaneField, Row};
use crate::cpu::Avx2;
use crate::memory::{Line, Memory};
use core::arch::x86_64::*;

type V = __m256i;
/// Five pairs of limbs.
type Limbs = [V; 5];
/// Ten limbs, or columns of a product.
type Columns = [V; 10];

/// An operand.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Fe(Limbs, Avx2);

/// One product.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Product(Limbs, Avx2);

/// The sum or difference of two products.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Sum(Limbs, Avx2);

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
        assert!(2 * p >= limit(1, i) && 4 * p >= limit(2, i));
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

/// The expression for each of the five pairs. A macro, because a loop is not always unrolled.
macro_rules! each {
    (|$k:ident| $value:expr) => {
        each!($k, $value, 0 1 2 3 4)
    };
    ($k:ident, $value:expr, $($n:literal)*) => {
        [$({ let $k = $n; $value }),*]
    };
}

/// Safe names for the instructions, on vectors of four words.
macro_rules! instructions {
    ($($name:ident($($argument:ident),*) = $intrinsic:path;)*) => {
        $(#[inline(always)]
        #[allow(unsafe_code)]
        fn $name($($argument: V),*) -> V {
            // SAFETY: this file's functions are reached only through values that hold the token or
            // take it, and the token proves that the CPU has AVX2.
            unsafe { $intrinsic($($argument),*) }
        })*
    };
}

instructions! {
    times(a, b) = _mm256_mul_epu32;
    plus(a, b) = _mm256_add_epi64;
    minus(a, b) = _mm256_sub_epi64;
    plus_pairs(a, b) = _mm256_add_epi32;
    minus_pairs(a, b) = _mm256_sub_epi32;
    shift_pairs_right(a, widths) = _mm256_srlv_epi32;
    swapped_pairs(a) = _mm256_shuffle_epi32::<0b10_11_00_01>;
    // the low halves of the one and the high halves of the other
    pairs(low, high) = _mm256_blend_epi32::<0b1010_1010>;
    and(a, b) = _mm256_and_si256;
    or(a, b) = _mm256_or_si256;
    xor(a, b) = _mm256_xor_si256;
    zero() = _mm256_setzero_si256;
    equal_words(a, b) = _mm256_cmpeq_epi64;
    low_words(a, b) = _mm256_unpacklo_epi64;
    high_words(a, b) = _mm256_unpackhi_epi64;
    lanes_0_1(a, b) = _mm256_permute2x128_si256::<0x20>;
    lanes_2_3(a, b) = _mm256_permute2x128_si256::<0x31>;
}

#[inline(always)]
#[allow(unsafe_code)]
fn shift_right<const N: i32>(a: V) -> V {
    // SAFETY: only values with a token lead here, and it proves that the CPU has AVX2.
    unsafe { _mm256_srli_epi64::<N>(a) }
}

#[inline(always)]
#[allow(unsafe_code)]
fn shift_left<const N: i32>(a: V) -> V {
    // SAFETY: only values with a token lead here, and it proves that the CPU has AVX2.
    unsafe { _mm256_slli_epi64::<N>(a) }
}

/// The same word in every lane.
#[inline(always)]
#[allow(unsafe_code)]
fn all(word: u64) -> V {
    // SAFETY: only values with a token lead here, and it proves that the CPU has AVX2.
    unsafe { _mm256_set1_epi64x(word as i64) }
}

/// The top bit of each lane.
#[inline(always)]
#[allow(unsafe_code)]
fn top_bits(a: V) -> u8 {
    // SAFETY: only values with a token lead here, and it proves that the CPU has AVX2.
    let bits = unsafe { _mm256_movemask_pd(as_floats(a)) };
    bits as u8
}

/// The same bits for instructions that are named after floating point.
#[inline(always)]
#[allow(unsafe_code)]
fn as_floats(a: V) -> __m256d {
    // SAFETY: only values with a token lead here, and it proves that the CPU has AVX2.
    unsafe { _mm256_castsi256_pd(a) }
}

#[inline(always)]
#[allow(unsafe_code)]
fn from_array(words: [u64; 4]) -> V {
    // SAFETY: 32 bytes of plain data on both sides.
    unsafe { core::mem::transmute::<[u64; 4], V>(words) }
}

#[inline(always)]
#[allow(unsafe_code)]
fn to_array(vector: V) -> [u64; 4] {
    // SAFETY: 32 bytes of plain data on both sides.
    unsafe { core::mem::transmute::<V, [u64; 4]>(vector) }
}

/// The words of vectors: lane l of vector k is word 4k + l.
#[inline(always)]
#[allow(unsafe_code)]
fn words_of(limbs: &Limbs) -> &[u64; 20] {
    // SAFETY: 160 bytes of plain data on both sides, and words need no more alignment than vectors.
    unsafe { &*core::ptr::from_ref(limbs).cast() }
}

/// Words in another order.
#[inline(always)]
#[allow(unsafe_code)]
fn arranged<const FROM: i32>(a: V) -> V {
    // SAFETY: only values with a token lead here, and it proves that the CPU has AVX2.
    unsafe { _mm256_permute4x64_epi64::<FROM>(a) }
}

/// Ones in the lanes whose bit is set.
#[inline(always)]
fn lanes_of(mask: u8) -> V {
    let bits = from_array([1, 2, 4, 8]);
    equal_words(and(all(u64::from(mask)), bits), bits)
}

/// Word j of row i goes to word i of vector j.
#[inline(always)]
fn columns_of(rows: [&[u64; 4]; 4]) -> [V; 4] {
    let [p, q, r, s] = rows;
    let (a, b) = (from_array([p[0], p[1], r[0], r[1]]), from_array([q[0], q[1], s[0], s[1]]));
    let (c, d) = (from_array([p[2], p[3], r[2], r[3]]), from_array([q[2], q[3], s[2], s[3]]));
    [low_words(a, b), high_words(a, b), low_words(c, d), high_words(c, d)]
}

/// Word j of vector i goes to word i of row j.
#[inline(always)]
fn rows_of(a: V, b: V, c: V, d: V) -> [[u64; 4]; 4] {
    let (e, f) = (low_words(a, b), high_words(a, b));
    let (g, h) = (low_words(c, d), high_words(c, d));
    [
        to_array(lanes_0_1(e, g)),
        to_array(lanes_0_1(f, h)),
        to_array(lanes_2_3(e, g)),
        to_array(lanes_2_3(f, h)),
    ]
}

/// The odd limbs.
#[inline(always)]
fn odd_limbs(a: &Limbs) -> Limbs {
    each!(|k| shift_right::<32>(a[k]))
}

/// Each word times 19, also above 2^32.
#[inline(always)]
fn times_19(a: V) -> V {
    plus(plus(a, plus(a, a)), shift_left::<4>(a))
}

/// 19 times limbs 1 to 4 of five.
#[inline(always)]
fn multiples_by_19(a: &Limbs) -> [V; 4] {
    let n19 = all(19);
    [times(a[1], n19), times(a[2], n19), times(a[3], n19), times(a[4], n19)]
}

/// The product of two polynomials of five limbs modulo Y^5 − 19, given 19 times b_1 to b_4. High
/// halves are not looked at.
#[inline(always)]
fn convolve(a: &Limbs, b: &Limbs, b19: &[V; 4]) -> Limbs {
    let [b1, b2, b3, b4] = *b19;
    let c = each!(|k| times(a[0], b[k]));
    let c = [
        plus(c[0], times(a[1], b4)),
        plus(c[1], times(a[1], b[0])),
        plus(c[2], times(a[1], b[1])),
        plus(c[3], times(a[1], b[2])),
        plus(c[4], times(a[1], b[3])),
    ];
    let c = [
        plus(c[0], times(a[2], b3)),
        plus(c[1], times(a[2], b4)),
        plus(c[2], times(a[2], b[0])),
        plus(c[3], times(a[2], b[1])),
        plus(c[4], times(a[2], b[2])),
    ];
    let c = [
        plus(c[0], times(a[3], b2)),
        plus(c[1], times(a[3], b3)),
        plus(c[2], times(a[3], b4)),
        plus(c[3], times(a[3], b[0])),
        plus(c[4], times(a[3], b[1])),
    ];
    [
        plus(c[0], times(a[4], b1)),
        plus(c[1], times(a[4], b2)),
        plus(c[2], times(a[4], b3)),
        plus(c[3], times(a[4], b4)),
        plus(c[4], times(a[4], b[0])),
    ]
}

#[inline(always)]
fn mul(a: &Limbs, b: &Limbs) -> Limbs {
    let (a_odd, b_odd) = (odd_limbs(a), odd_limbs(b));
    let (f, q) = (multiples_by_19(b), multiples_by_19(&b_odd));
    let f_plus_q = [plus(f[0], q[0]), plus(f[1], q[1]), plus(f[2], q[2]), plus(f[3], q[3])];
    let even = convolve(a, b, &f);
    let odd = convolve(&a_odd, &b_odd, &q);
    let (a_sum, b_sum) = (each!(|k| plus(a[k], a_odd[k])), each!(|k| plus(b[k], b_odd[k])));
    let both = convolve(&a_sum, &b_sum, &f_plus_q);
    let mixed = each!(|k| minus(both[k], plus(even[k], odd[k])));
    // 2Y·O·O': one place up, and from the last place 19 times to the first
    let twice = each!(|k| plus(odd[k], odd[k]));
    carry([
        plus(even[0], times_19(twice[4])),
        mixed[0],
        plus(even[1], twice[0]),
        mixed[1],
        plus(even[2], twice[1]),
        mixed[2],
        plus(even[3], twice[2]),
        mixed[3],
        plus(even[4], twice[3]),
        mixed[4],
    ])
}

#[inline(always)]
fn sum_of([a, b, c, d, e, f]: [V; 6]) -> V {
    plus(plus(plus(a, b), plus(c, d)), plus(e, f))
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
            times(a[0], a[0]), times(d[1], e4), times(d[2], e3),
            times(p[0], q4), times(p[1], q3), times(o[2], q2),
        ]),
        mixed[0],
        sum_of([
            times(d[0], a[1]), times(d[2], e4), times(a[3], e3),
            times(o[0], p[0]), times(p[1], q4), times(p[2], q3),
        ]),
        mixed[1],
        sum_of([
            times(d[0], a[2]), times(a[1], a[1]), times(d[3], e4),
            times(p[0], p[1]), times(p[2], q4), times(o[3], q3),
        ]),
        mixed[2],
        sum_of([
            times(d[0], a[3]), times(d[1], a[2]), times(a[4], e4),
            times(p[0], p[2]), times(o[1], p[1]), times(p[3], q4),
        ]),
        mixed[3],
        sum_of([
            times(d[0], a[4]), times(d[1], a[3]), times(a[2], a[2]),
            times(p[0], p[3]), times(p[1], p[2]), times(o[4], q4),
        ]),
        mixed[4],
    ])
}

/// Carries columns into limbs: one chain, around and on to limb 1.
#[inline(always)]
fn carry(c: Columns) -> Limbs {
    let c1 = plus(c[1], shift_right::<26>(c[0]));
    let c2 = plus(c[2], shift_right::<25>(c1));
    let c3 = plus(c[3], shift_right::<26>(c2));
    let c4 = plus(c[4], shift_right::<25>(c3));
    let c5 = plus(c[5], shift_right::<26>(c4));
    let c6 = plus(c[6], shift_right::<25>(c5));
    let c7 = plus(c[7], shift_right::<26>(c6));
    let c8 = plus(c[8], shift_right::<25>(c7));
    let c9 = plus(c[9], shift_right::<26>(c8));
    let c0 = plus(and(c[0], all(LOW_26)), times(shift_right::<25>(c9), all(19)));
    let c1 = plus(and(c1, all(LOW_25)), shift_right::<26>(c0));
    let low = all(LOW_PAIR);
    [
        or(and(c0, all(LOW_26)), shift_left::<32>(c1)),
        and(pairs(c2, shift_left::<32>(c3)), low),
        and(pairs(c4, shift_left::<32>(c5)), low),
        and(pairs(c6, shift_left::<32>(c7)), low),
        and(pairs(c8, shift_left::<32>(c9)), low),
    ]
}

/// Each limb at most 1 unit and a little: one parallel carry.
#[inline(always)]
fn weak_carry(a: &Limbs) -> Limbs {
    let (widths, low) = (all(26 | 25 << 32), all(LOW_PAIR));
    // what each limb passes on, in the other half of its pair
    let next = each!(|k| swapped_pairs(shift_pairs_right(a[k], widths)));
    let around = times(next[4], all(19));
    let carries = [
        pairs(around, next[0]),
        pairs(next[0], next[1]),
        pairs(next[1], next[2]),
        pairs(next[2], next[3]),
        pairs(next[3], next[4]),
    ];
    each!(|k| plus_pairs(and(a[k], low), carries[k]))
}

#[inline(always)]
fn add(a: &Limbs, b: &Limbs) -> Limbs {
    each!(|k| plus_pairs(a[k], b[k]))
}

#[inline(always)]
fn sub(a: &Limbs, b: &Limbs, multiple_of_p: &[u64; 5]) -> Limbs {
    each!(|k| minus_pairs(plus_pairs(a[k], all(multiple_of_p[k])), b[k]))
}

/// Four words of each lane, the lowest first, as limbs; bit 255 falls away.
#[inline(always)]
fn limbs_of_words(w: &[V; 4]) -> Limbs {
    let low = all(LOW_PAIR);
    let limb_2 = or(shift_right::<51>(w[0]), shift_left::<13>(w[1]));
    let limb_7 = or(shift_right::<19>(w[2]), shift_left::<45>(w[3]));
    [
        and(pairs(w[0], shift_left::<6>(w[0])), low),
        and(pairs(limb_2, shift_left::<19>(w[1])), low),
        and(pairs(shift_right::<38>(w[1]), shift_left::<32>(w[2])), low),
        and(pairs(shift_right::<25>(w[2]), limb_7), low),
        and(pairs(shift_right::<12>(w[3]), shift_right::<6>(w[3])), low),
    ]
}

/// Each limb in a vector of its own.
#[inline(always)]
fn apart(a: &Limbs) -> Columns {
    let low = all(u64::from(u32::MAX));
    let [a1, a3, a5, a7, a9] = odd_limbs(a);
    [
        and(a[0], low),
        a1,
        and(a[1], low),
        a3,
        and(a[2], low),
        a5,
        and(a[3], low),
        a7,
        and(a[4], low),
        a9,
    ]
}

/// 1 where an integer below 2p is not below p: adding 19 then reaches 2^255.
#[inline(always)]
fn reaches_p(a: &Columns) -> V {
    let q = shift_right::<26>(plus(a[0], all(19)));
    let q = shift_right::<25>(plus(a[1], q));
    let q = shift_right::<26>(plus(a[2], q));
    let q = shift_right::<25>(plus(a[3], q));
    let q = shift_right::<26>(plus(a[4], q));
    let q = shift_right::<25>(plus(a[5], q));
    let q = shift_right::<26>(plus(a[6], q));
    let q = shift_right::<25>(plus(a[7], q));
    let q = shift_right::<26>(plus(a[8], q));
    shift_right::<25>(plus(a[9], q))
}

/// The residue below p. The limbs may be what `weak_carry` takes.
#[inline(always)]
fn reduce(a: &Limbs) -> Columns {
    let a = apart(&weak_carry(a)); // below 2^255 + 2^233, hence below 2p
    let (low_26, low_25) = (all(LOW_26), all(LOW_25));
    let c0 = plus(a[0], times(reaches_p(&a), all(19)));
    let c1 = plus(a[1], shift_right::<26>(c0));
    let c2 = plus(a[2], shift_right::<25>(c1));
    let c3 = plus(a[3], shift_right::<26>(c2));
    let c4 = plus(a[4], shift_right::<25>(c3));
    let c5 = plus(a[5], shift_right::<26>(c4));
    let c6 = plus(a[6], shift_right::<25>(c5));
    let c7 = plus(a[7], shift_right::<26>(c6));
    let c8 = plus(a[8], shift_right::<25>(c7));
    let c9 = plus(a[9], shift_right::<26>(c8));
    [
        and(c0, low_26),
        and(c1, low_25),
        and(c2, low_26),
        and(c3, low_25),
        and(c4, low_26),
        and(c5, low_25),
        and(c6, low_26),
        and(c7, low_25),
        and(c8, low_26),
        and(c9, low_25),
    ]
}

/// Where all limbs are zero.
#[inline(always)]
fn all_zero(a: &Columns) -> u8 {
    let (b, c) = (or(or(a[0], a[1]), or(a[2], a[3])), or(or(a[4], a[5]), or(a[6], a[7])));
    top_bits(equal_words(or(or(b, c), or(a[8], a[9])), zero()))
}

/// The words of 32 bytes a lane.
#[inline(always)]
fn words_of_bytes(bytes: &[[u8; 32]; 4]) -> [V; 4] {
    let mut rows = [[0; 4]; 4];
    for (row, bytes) in rows.iter_mut().zip(bytes) {
        for (word, chunk) in row.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *word = u64::from_le_bytes(*chunk);
        }
    }
    columns_of([&rows[0], &rows[1], &rows[2], &rows[3]])
}

/// Functions of their own: formulas that have a product inlined wherever they multiply outgrow the
/// CPU's cache for instructions, and take twice as long. `inline(never)` is on the outer function,
/// because rustc (1.95) forgets it where there are target features.
macro_rules! outlined {
    ($($(#[$doc:meta])* $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)? $body:block)*) => {
        $($(#[$doc])*
        #[inline(never)]
        #[allow(unsafe_code)]
        fn $name($($argument: $type),*) $(-> $result)? {
            #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
            fn with_features($($argument: $type),*) $(-> $result)? $body
            // SAFETY: only values with a token lead here, and it proves that the CPU has AVX2.
            unsafe { with_features($($argument),*) }
        })*
    };
}

outlined! {
    outlined_mul(a: &Limbs, b: &Limbs) -> Limbs { mul(a, b) }

    outlined_square(a: &Limbs) -> Limbs { square(a) }

    canonical(a: &Limbs) -> Columns { reduce(a) }

    /// Multiplies each element by its factor.
    multiply_each(elements: &mut [Fe], factors: &[Fe]) {
        for (a, b) in elements.iter_mut().zip(factors) {
            a.0 = mul(&a.0, &b.0);
        }
    }

    /// Squares each element n times, in turn, so that none waits for itself.
    repeat_squares(elements: &mut [Fe], n: u32) {
        for _ in 0..n {
            for a in elements.iter_mut() {
                a.0 = square(&a.0);
            }
        }
    }
}

impl Field for Fe {
    type Product = Product;
    type Sum = Sum;
    type Mask = u8;
    type Token = Avx2;
    type Bytes = [[u8; 32]; 4];

    #[inline(always)]
    fn token(&self) -> Avx2 {
        self.1
    }

    #[inline(always)]
    fn splat(token: Avx2, w: &[u64; 4]) -> Fe {
        Fe(limbs_of_words(&[all(w[0]), all(w[1]), all(w[2]), all(w[3])]), token)
    }

    #[inline(always)]
    fn from_bytes(token: Avx2, bytes: &[[u8; 32]; 4]) -> Fe {
        Fe(limbs_of_words(&words_of_bytes(bytes)), token)
    }

    #[inline(always)]
    fn to_bytes(&self, top_bit: u8) -> [[u8; 32]; 4] {
        let a = canonical(&self.0);
        let top = and(lanes_of(top_bit), all(1 << 63));
        let words = rows_of(
            or(or(a[0], shift_left::<26>(a[1])), shift_left::<51>(a[2])),
            or(or(shift_right::<13>(a[2]), shift_left::<13>(a[3])), shift_left::<38>(a[4])),
            or(or(a[5], shift_left::<25>(a[6])), shift_left::<51>(a[7])),
            or(
                or(shift_right::<13>(a[7]), shift_left::<12>(a[8])),
                or(shift_left::<38>(a[9]), top),
            ),
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
    fn top_bit(_: Avx2, bytes: &[[u8; 32]; 4]) -> u8 {
        let mut mask = 0;
        for (lane, bytes) in bytes.iter().enumerate() {
            mask |= (bytes[31] >> 7) << lane;
        }
        mask
    }

    #[inline(always)]
    fn is_reduced(token: Avx2, bytes: &[[u8; 32]; 4]) -> u8 {
        let a = Fe::from_bytes(token, bytes);
        top_bits(equal_words(reaches_p(&apart(&a.0)), zero()))
    }

    #[inline(always)]
    fn mul(&self, other: &Fe) -> Product {
        Product(outlined_mul(&self.0, &other.0), self.1)
    }

    #[inline(always)]
    fn square(&self) -> Product {
        Product(outlined_square(&self.0), self.1)
    }

    #[inline(always)]
    fn mul_small(&self, n: u32) -> Product {
        debug_assert!(n >> 17 == 0);
        let (a, odd, n) = (&self.0, odd_limbs(&self.0), all(u64::from(n)));
        let (even, odd) = (each!(|k| times(a[k], n)), each!(|k| times(odd[k], n)));
        let [a, c, e, g, i] = even;
        let [b, d, f, h, j] = odd;
        Product(carry([a, b, c, d, e, f, g, h, i, j]), self.1)
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
    fn add(a: &Product, b: &Product) -> Sum {
        Sum(add(&a.0, &b.0), a.1)
    }

    #[inline(always)]
    fn sub(a: &Product, b: &Product) -> Sum {
        Sum(weak_carry(&sub(&a.0, &b.0, &TWO_P)), a.1)
    }

    #[inline(always)]
    fn add_sums(a: &Sum, b: &Sum) -> Fe {
        Fe(weak_carry(&add(&a.0, &b.0)), a.1)
    }

    #[inline(always)]
    fn sub_sums(a: &Sum, b: &Sum) -> Fe {
        Fe(weak_carry(&sub(&a.0, &b.0, &FOUR_P)), a.1)
    }

    #[inline(always)]
    fn relax(product: &Product) -> Sum {
        Sum(product.0, product.1)
    }

    #[inline(always)]
    fn carry(product: &Product) -> Fe {
        Fe(product.0, product.1)
    }

    #[inline(always)]
    fn carry_sum(sum: &Sum) -> Fe {
        Fe(sum.0, sum.1)
    }

    #[inline(always)]
    fn widen(&self) -> Product {
        Product(weak_carry(&self.0), self.1)
    }

    #[inline(always)]
    fn twice_product(_: (&Fe, &Fe), (x, y): (&Product, &Product), sum_of_squares: &Sum) -> Fe {
        let square = Fe::carry_sum(&Fe::add(x, y)).square();
        Fe::sub_sums(&Fe::relax(&square), sum_of_squares)
    }

    #[inline(always)]
    fn invert(&self) -> Fe {
        super::invert_in_lanes(self)
    }

    #[inline(always)]
    fn select(mask: u8, if_true: &Fe, if_false: &Fe) -> Fe {
        let (lanes, a, b) = (lanes_of(mask), &if_true.0, &if_false.0);
        Fe(each!(|k| xor(b[k], and(lanes, xor(a[k], b[k])))), if_true.1)
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
        top_bits(shift_left::<63>(canonical(&self.0)[0]))
    }
}

/// Pairs k of the elements of four lanes, each from the lane of its own position.
#[inline(always)]
fn pick(elements: [&Limbs; 4], positions: &[u32; 4]) -> Limbs {
    let [a, b, c, d] = [
        words_of(elements[0]),
        words_of(elements[1]),
        words_of(elements[2]),
        words_of(elements[3]),
    ];
    let [p, q, r, s] = [
        positions[0] as usize % 4,
        positions[1] as usize % 4,
        positions[2] as usize % 4,
        positions[3] as usize % 4,
    ];
    each!(|k| from_array([a[4 * k + p], b[4 * k + q], c[4 * k + r], d[4 * k + s]]))
}

/// The entry of each index, the last one where it is past the end.
#[inline(always)]
fn entries<'t, T>(table: &'t [T], index: &[u32; 4]) -> [&'t T; 4] {
    let last = table.len() - 1;
    [
        &table[(index[0] as usize).min(last)],
        &table[(index[1] as usize).min(last)],
        &table[(index[2] as usize).min(last)],
        &table[(index[3] as usize).min(last)],
    ]
}

/// Entry p / 4 for each position p.
#[inline(always)]
fn entries_at<'t, T>(table: &'t [T], [p, q, r, s]: &[u32; 4]) -> [&'t T; 4] {
    entries(table, &[p / 4, q / 4, r / 4, s / 4])
}

/// Four of the sixteen words of a row.
#[inline(always)]
fn quarter(row: &Row, i: usize) -> &[u64; 4] {
    &row[i / 2].0.as_chunks().0[i % 2]
}

/// Word i of each row's quarter.
#[inline(always)]
fn quarters([a, b, c, d]: &[&Row; 4], i: usize) -> [V; 4] {
    columns_of([quarter(a, i), quarter(b, i), quarter(c, i), quarter(d, i)])
}

/// Of sixteen words the one whose mask is set, or 0, in four parts.
#[inline(always)]
fn parts_of_entry(words: &[u64; 16], masks: &[V; 4]) -> V {
    let quarter = |i: usize| [words[4 * i], words[4 * i + 1], words[4 * i + 2], words[4 * i + 3]];
    let (first, second) = (from_array(quarter(0)), from_array(quarter(1)));
    let (third, fourth) = (from_array(quarter(2)), from_array(quarter(3)));
    or(
        or(and(masks[0], first), and(masks[1], second)),
        or(and(masks[2], third), and(masks[3], fourth)),
    )
}

/// The same of four words of each entry, in a lane each.
#[inline(always)]
fn joined([a, b, c, d]: [&[u64; 16]; 4], masks: &[V; 4]) -> V {
    let (a, b) = (parts_of_entry(a, masks), parts_of_entry(b, masks));
    let (c, d) = (parts_of_entry(c, masks), parts_of_entry(d, masks));
    // one part at most is not 0
    let (low, high) =
        (or(low_words(a, b), high_words(a, b)), or(low_words(c, d), high_words(c, d)));
    or(lanes_0_1(low, high), lanes_2_3(low, high))
}

impl LaneField for Fe {
    const LANES: usize = crate::cpu::Backend::Avx2.lanes();
    type PerLane<T: Copy> = [T; 4];

    // on the outer function, because rustc (1.95) forgets it where there are target features
    #[inline(never)]
    #[allow(unsafe_code)]
    fn enter<J: Job<Fe>>(token: Avx2, job: J) -> J::Output {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        fn with_features<J: Job<Fe>>(token: Avx2, job: J) -> J::Output {
            job.run(token)
        }
        // SAFETY: the token proves that the CPU has these features.
        unsafe { with_features(token, job) }
    }

    #[inline(always)]
    fn mask(_: Avx2, bits: u32) -> u8 {
        bits as u8
    }

    #[inline(always)]
    fn bits(mask: u8) -> u32 {
        u32::from(mask)
    }

    #[inline(always)]
    fn bytes(bytes: [[u8; 32]; 4]) -> [[u8; 32]; 4] {
        bytes
    }

    #[inline(always)]
    fn per_lane(bytes: [[u8; 32]; 4]) -> [[u8; 32]; 4] {
        bytes
    }

    #[inline(always)]
    fn pick_vartime<const C: usize>(table: &[[Fe; C]], positions: &[u32; 4]) -> [Fe; C] {
        let [p, q, r, s] = entries_at(table, positions);
        let mut values = *p;
        for c in 0..C {
            values[c].0 = pick([&p[c].0, &q[c].0, &r[c].0, &s[c].0], positions);
        }
        values
    }

    #[inline(always)]
    fn pick_products_vartime<const C: usize>(
        _: Avx2,
        table: &[[Product; C]],
        positions: &[u32; 4],
    ) -> [Product; C] {
        let [p, q, r, s] = entries_at(table, positions);
        let mut values = *p;
        for c in 0..C {
            values[c].0 = pick([&p[c].0, &q[c].0, &r[c].0, &s[c].0], positions);
        }
        values
    }

    #[inline(always)]
    fn load_words_vartime(token: Avx2, [p, q, r, s]: &[&[[u64; 4]; 3]; 4]) -> [Fe; 3] {
        let mut values = [Fe([zero(); 5], token); 3];
        for (c, value) in values.iter_mut().enumerate() {
            value.0 = limbs_of_words(&columns_of([&p[c], &q[c], &r[c], &s[c]]));
        }
        values
    }

    #[inline(always)]
    fn negate_where(mask: u8, product: &Product) -> Sum {
        let (lanes, a) = (lanes_of(mask), &product.0);
        // no limb of 2p is below one of a product
        let b = each!(|k| minus_pairs(all(TWO_P[k]), a[k]));
        Sum(each!(|k| xor(a[k], and(lanes, xor(a[k], b[k])))), product.1)
    }

    #[inline(always)]
    fn arrange<const FROM: i32>(product: &Product, keep: u32) -> Product {
        let (a, keep) = (&product.0, lanes_of(keep as u8));
        Product(each!(|k| and(keep, arranged::<FROM>(a[k]))), product.1)
    }

    #[inline(always)]
    fn permute<const FROM: i32>(&self) -> Fe {
        let a = &self.0;
        Fe(each!(|k| arranged::<FROM>(a[k])), self.1)
    }

    #[inline(always)]
    fn select_signed(token: Avx2, table: &Entries, windows: &[u64; 4]) -> ([Fe; 3], u8) {
        let digits = minus(from_array(*windows), all(16));
        let negative = top_bits(digits);
        let sign = minus(zero(), shift_right::<63>(digits));
        let magnitude = minus(xor(digits, sign), sign);
        // (1, 1, 0) where the digit is 0
        let one = and(equal_words(magnitude, zero()), all(1));
        let mut words = [zero(); 12];
        (words[0], words[4]) = (one, one);
        for entry in 0..16 {
            let is_it = equal_words(magnitude, all(entry as u64 + 1));
            for (word, entries) in words.iter_mut().zip(&table.0) {
                *word = or(*word, and(is_it, all(entries[entry])));
            }
        }
        let [a, b, c, d, e, f, g, h, i, j, k, l] = words;
        let values = [
            Fe(limbs_of_words(&[a, b, c, d]), token),
            Fe(limbs_of_words(&[e, f, g, h]), token),
            Fe(limbs_of_words(&[i, j, k, l]), token),
        ];
        (values, negative)
    }

    #[inline(always)]
    fn signed_entry(_: Avx2, table: &Entries, window: u64) -> [[u64; 4]; 3] {
        let digit = minus(all(window), all(16));
        let negative = minus(zero(), shift_right::<63>(digit));
        let magnitude = minus(xor(digit, negative), negative);
        let masks = [
            equal_words(magnitude, from_array([1, 2, 3, 4])),
            equal_words(magnitude, from_array([5, 6, 7, 8])),
            equal_words(magnitude, from_array([9, 10, 11, 12])),
            equal_words(magnitude, from_array([13, 14, 15, 16])),
        ];
        let [a, b, c, d, e, f, g, h, i, j, k, l] = &table.0;
        // (1, 1, 0) where the digit is 0
        let one = and(equal_words(magnitude, zero()), from_array([1, 0, 0, 0]));
        let (y_plus_x, y_minus_x) =
            (or(joined([a, b, c, d], &masks), one), or(joined([e, f, g, h], &masks), one));
        let difference = and(xor(y_plus_x, y_minus_x), negative);
        let [mask, ..] = to_array(negative);
        [
            to_array(xor(y_plus_x, difference)),
            to_array(xor(y_minus_x, difference)),
            super::negated_where(mask, to_array(xor(joined([i, j, k, l], &masks), negative))),
        ]
    }

    #[allow(unsafe_code)]
    fn take_points<'m>(
        _: Avx2,
        memory: &mut Memory<'m>,
        len: usize,
    ) -> Option<&'m mut [[Product; 4]]> {
        const { assert!(size_of::<[Product; 4]>() == 640 && align_of::<Product>() <= 64) };
        let lines = memory.take_lines(len.checked_mul(640)?)?;
        // SAFETY: the lines are 640 initialised bytes an element, aligned to 64 and borrowed as long
        // as the slice; vectors of integers and a token that the caller has are all it consists of.
        Some(unsafe { core::slice::from_raw_parts_mut(lines.as_mut_ptr().cast(), len) })
    }

    #[inline(always)]
    fn store_rows([a, b, c]: &[Fe; 3], rows: &mut [Row]) {
        let quarters = [
            rows_of(a.0[0], a.0[1], a.0[2], a.0[3]),
            rows_of(a.0[4], b.0[0], b.0[1], b.0[2]),
            rows_of(b.0[3], b.0[4], c.0[0], c.0[1]),
            rows_of(c.0[2], c.0[3], c.0[4], zero()),
        ];
        for (lane, row) in rows.iter_mut().take(4).enumerate() {
            for (half, line) in row.iter_mut().enumerate() {
                let [first, second] = [quarters[2 * half][lane], quarters[2 * half + 1][lane]];
                line.0[..4].copy_from_slice(&first);
                line.0[4..].copy_from_slice(&second);
            }
        }
    }

    #[inline(always)]
    fn load_rows_vartime(token: Avx2, rows: &[Row], index: &[u32; 4]) -> [Fe; 3] {
        const NOTHING: Row = [Line([0; 8]); 2];
        let mut found = [&NOTHING; 4];
        for (row, index) in found.iter_mut().zip(index) {
            *row = rows.get(*index as usize).unwrap_or(&NOTHING);
        }
        let [a0, a1, a2, a3] = quarters(&found, 0);
        let [a4, b0, b1, b2] = quarters(&found, 1);
        let [b3, b4, c0, c1] = quarters(&found, 2);
        let [c2, c3, c4, _] = quarters(&found, 3);
        [
            Fe([a0, a1, a2, a3, a4], token),
            Fe([b0, b1, b2, b3, b4], token),
            Fe([c0, c1, c2, c3, c4], token),
        ]
    }
}

#[cfg(test)]
impl super::tests::InspectLanes for Fe {
    const NAME: &str = "avx2_x4";
    const OFFSETS: &[usize] = &[0, 26, 51, 77, 102, 128, 153, 179, 204, 230];

    fn available() -> Option<Avx2> {
        crate::cpu::avx2()
    }

    fn limit(kind: super::tests::Kind, i: usize) -> u64 {
        limit(if kind == super::tests::Kind::Product { 1 } else { 2 }, i)
    }

    fn operand(token: Avx2, limbs: &super::tests::Grid) -> Fe {
        Fe(of_grid(limbs), token)
    }

    fn product(token: Avx2, limbs: &super::tests::Grid) -> Product {
        Product(of_grid(limbs), token)
    }

    fn sum(token: Avx2, limbs: &super::tests::Grid) -> Sum {
        Sum(of_grid(limbs), token)
    }

    fn of_operand(&self) -> super::tests::Grid {
        grid_of(&self.0)
    }

    fn of_product(product: &Product) -> super::tests::Grid {
        grid_of(&product.0)
    }

    fn of_sum(sum: &Sum) -> super::tests::Grid {
        grid_of(&sum.0)
    }
}

#[cfg(test)]
fn of_grid(grid: &super::tests::Grid) -> Limbs {
    each!(|k| from_array(core::array::from_fn(|l| grid[l][2 * k] | grid[l][2 * k + 1] << 32)))
}

#[cfg(test)]
fn grid_of(limbs: &Limbs) -> super::tests::Grid {
    let pairs = limbs.map(to_array);
    let limb = |l: usize, i: usize| pairs[i / 2][l] >> (32 * (i % 2)) & u64::from(u32::MAX);
    (0..4).map(|l| (0..10).map(|i| limb(l, i)).collect()).collect()
}
