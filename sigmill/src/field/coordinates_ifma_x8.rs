//! Coordinates of P-256 and P-384, eight lanes, AVX-512 IFMA.
//!
//! Representation: x is kept as x·R mod p, R = 2^(52·N) (Montgomery 1985), in N vectors of eight
//! 64-bit limbs, radix 2^52, the lowest first: five for P-256, eight for P-384. VPMADD52 reads the low
//! 52 bits of its factors, so all limbs of an operand but the highest are the low 52 bits of their
//! words, and the others mean nothing.
//!
//! | type | value | columns | made by |
//! |---|---|---|---|
//! | `Fe` | from 0 to 2.01·p | limbs as above, the highest below 2^52 | `sum`, loads |
//! | `Columns` | from −3.3·p to 3.3·p | magnitudes below 2^59 | products, `widen`, `negate_where` |
//! | `Unreduced` | up to 8 products of operands | below 2^59 | `mul_unreduced`, `square_times_8` |
//!
//! *Products.* A product of two operands is below 4.05·p², and (4.05·p² + R·p)/R is below 1.26·p, as R is
//! 16·p or more; with eight more of them before the reduction it is below 3.3·p. Row by row: the multiples
//! of one limb are added, then the multiple q·p that makes the lowest 52 bits zero, and the lowest column
//! is dropped. A column takes at most two halves of products and four of multiples of p in each of N
//! rows, and a carry: 6·8 + 1 units of 2^52, below 2^58; with eight more products 8·16 units more.
//!
//! *Sums.* Columns are signed, below 16·2^59. With V the sum, |V| below 64·p, and h the highest column over 2^B without
//! its fraction, for p just below 2^B: h·2^B is V but for a fraction of 2^B and what the lower columns
//! carry, less than 2^-8·2^B. So V − (h − 1)·p is between (1 − 2^-8)·2^B and 2.01·p. As 2^B − p has few
//! terms, that takes few additions; then one chain of carries from the lowest limb up.
//!
//! All operations are constant time but the loads of pairs, whose addresses depend on public indices.
//! Every value carries the token [`Ifma`].

use super::coordinates::{Coordinates, EightLanes, EntryWords, FACTORS_MAX, Pair, Work};
use super::p256::P256;
use super::p384::P384;
use crate::cpu::Ifma;
use crate::memory::Line;
use crate::modular::{Modulus, Residue, double_times};
use crate::word::{self, sub_borrow};
use core::arch::x86_64::*;
use core::marker::PhantomData;

type V = __m512i;

const LOW_52: u64 = (1 << 52) - 1;

/// An operand mod the W words of M.
pub(crate) struct Fe<M, const W: usize, const N: usize>([V; N], Ifma, PhantomData<M>);

/// Columns of a product that is not reduced yet.
pub(crate) struct Unreduced<M, const N: usize>([[V; N]; 2], PhantomData<M>);

/// Columns of a product, with a sign.
pub(crate) struct Columns<M, const W: usize, const N: usize>([V; N], Ifma, PhantomData<M>);

impl<M, const W: usize, const N: usize> Clone for Fe<M, W, N> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<M, const W: usize, const N: usize> Copy for Fe<M, W, N> {}

impl<M, const W: usize, const N: usize> Clone for Columns<M, W, N> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<M, const W: usize, const N: usize> Copy for Columns<M, W, N> {}

/// Coordinates of P-256.
pub(crate) type Fe256 = Fe<P256, 4, 5>;
/// Coordinates of P-384.
pub(crate) type Fe384 = Fe<P384, 6, 8>;

/// The same 64 bits of x, or of y, of sixteen points: in two vectors, from which a permutation takes one a
/// lane. Limbs are made of what was taken: as limbs, tables would be a fourth larger.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Entries<const W: usize>([[[u64; 16]; W]; 2]);

/// Eight points a lane: 64 bits by 64 bits, one lane's in each word.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Spread<const W: usize>([[[[u64; 8]; W]; 2]; 8]);

/// Safe names for the instructions, on vectors of eight words.
macro_rules! instructions {
    ($($name:ident($($argument:ident),*) = $intrinsic:path;)*) => {
        $(#[inline(always)]
        #[allow(unsafe_code)]
        fn $name($($argument: V),*) -> V {
            // SAFETY: this file's functions are reached only through values that hold the token or
            // take it, and the token proves that the CPU has AVX-512 F, VL, BW, DQ, CD and IFMA.
            unsafe { $intrinsic($($argument),*) }
        })*
    };
}

instructions! {
    madd_low(column, a, b) = _mm512_madd52lo_epu64;
    madd_high(column, a, b) = _mm512_madd52hi_epu64;
    plus(a, b) = _mm512_add_epi64;
    minus(a, b) = _mm512_sub_epi64;
    and(a, b) = _mm512_and_si512;
    or(a, b) = _mm512_or_si512;
    differ(a, b) = _mm512_xor_si512;
    zero() = _mm512_setzero_si512;
    low_words(a, b) = _mm512_unpacklo_epi64;
    high_words(a, b) = _mm512_unpackhi_epi64;
    even_quarters(a, b) = _mm512_shuffle_i64x2::<0x88>;
    odd_quarters(a, b) = _mm512_shuffle_i64x2::<0xdd>;
    shift_left_each(a, counts) = _mm512_sllv_epi64;
    shift_right_each(a, counts) = _mm512_srlv_epi64;
}

#[inline(always)]
#[allow(unsafe_code)]
fn shift_right<const N: u32>(a: V) -> V {
    // SAFETY: only values with a token lead here, and it proves that the CPU has AVX-512.
    unsafe { _mm512_srli_epi64::<N>(a) }
}

/// The same with the sign.
#[inline(always)]
#[allow(unsafe_code)]
fn shift_right_signed<const N: u32>(a: V) -> V {
    // SAFETY: only values with a token lead here, and it proves that the CPU has AVX-512.
    unsafe { _mm512_srai_epi64::<N>(a) }
}

#[inline(always)]
#[allow(unsafe_code)]
fn shift_left<const N: u32>(a: V) -> V {
    // SAFETY: only values with a token lead here, and it proves that the CPU has AVX-512.
    unsafe { _mm512_slli_epi64::<N>(a) }
}

/// The same word in every lane.
#[inline(always)]
#[allow(unsafe_code)]
fn all(word: u64) -> V {
    // SAFETY: only values with a token lead here, and it proves that the CPU has AVX-512.
    unsafe { _mm512_set1_epi64(word as i64) }
}

/// `a − b` where the bit is set, else `otherwise`.
#[inline(always)]
#[allow(unsafe_code)]
fn minus_where(mask: u8, a: V, b: V, otherwise: V) -> V {
    // SAFETY: only values with a token lead here, and it proves that the CPU has AVX-512.
    unsafe { _mm512_mask_sub_epi64(otherwise, mask, a, b) }
}

/// `a` where the bit is set, else `b`.
#[inline(always)]
#[allow(unsafe_code)]
fn blend(mask: u8, a: V, b: V) -> V {
    // SAFETY: only values with a token lead here, and it proves that the CPU has AVX-512.
    unsafe { _mm512_mask_blend_epi64(mask, b, a) }
}

/// `a + b` where the bit is set, else `a`.
#[inline(always)]
#[allow(unsafe_code)]
fn plus_where(mask: u8, a: V, b: V) -> V {
    // SAFETY: only values with a token lead here, and it proves that the CPU has AVX-512.
    unsafe { _mm512_mask_add_epi64(a, mask, a, b) }
}

/// The word where the bit is set, else `a`.
#[inline(always)]
#[allow(unsafe_code)]
fn with_word(mask: u8, word: u64, a: V) -> V {
    // SAFETY: only values with a token lead here, and it proves that the CPU has AVX-512.
    unsafe { _mm512_mask_set1_epi64(a, mask, word as i64) }
}

/// Word i is what the word of index i was, and 0 where the bit is not set.
#[inline(always)]
#[allow(unsafe_code)]
fn arranged(keep: u8, index: V, a: V) -> V {
    // SAFETY: only values with a token lead here, and it proves that the CPU has AVX-512.
    unsafe { _mm512_maskz_permutexvar_epi64(keep, index, a) }
}

/// One of sixteen words in each lane, by the low four bits of its index, from two vectors that hold them
/// all: no address depends on the index.
#[inline(always)]
#[allow(unsafe_code)]
fn word_of_16(words: &[u64; 16], index: V) -> V {
    let (halves, _) = words.as_chunks();
    // SAFETY: only values with a token lead here, and it proves that the CPU has AVX-512.
    unsafe { _mm512_permutex2var_epi64(from_array(halves[0]), index, from_array(halves[1])) }
}

/// Word i is what word i + BY was, counted in a circle.
#[inline(always)]
#[allow(unsafe_code)]
fn rotated<const BY: i32>(a: V) -> V {
    // SAFETY: only values with a token lead here, and it proves that the CPU has AVX-512.
    unsafe { _mm512_alignr_epi64::<BY>(a, a) }
}

/// Where `a & b` is zero.
#[inline(always)]
#[allow(unsafe_code)]
fn test_zero(a: V, b: V) -> u8 {
    // SAFETY: only values with a token lead here, and it proves that the CPU has AVX-512.
    unsafe { _mm512_testn_epi64_mask(a, b) }
}

#[inline(always)]
#[allow(unsafe_code)]
fn from_array(words: [u64; 8]) -> V {
    // SAFETY: 64 bytes of plain data on both sides.
    unsafe { core::mem::transmute::<[u64; 8], V>(words) }
}

#[inline(always)]
#[allow(unsafe_code)]
fn to_array(vector: V) -> [u64; 8] {
    // SAFETY: 64 bytes of plain data on both sides.
    unsafe { core::mem::transmute::<V, [u64; 8]>(vector) }
}

/// |digit| of each lane.
#[inline(always)]
fn magnitudes(digits: &[i8; 8]) -> V {
    let mut words = [0; 8];
    for lane in 0..8 {
        words[lane] = u64::from(digits[lane].unsigned_abs());
    }
    from_array(words)
}

/// Rows become columns: word j of vector i goes to word i of vector j.
#[inline(always)]
fn transpose(r: &[V; 8]) -> [V; 8] {
    let (a0, a1) = (low_words(r[0], r[1]), high_words(r[0], r[1]));
    let (a2, a3) = (low_words(r[2], r[3]), high_words(r[2], r[3]));
    let (a4, a5) = (low_words(r[4], r[5]), high_words(r[4], r[5]));
    let (a6, a7) = (low_words(r[6], r[7]), high_words(r[6], r[7]));
    let (b0, b1) = (even_quarters(a0, a2), even_quarters(a1, a3));
    let (b2, b3) = (odd_quarters(a0, a2), odd_quarters(a1, a3));
    let (b4, b5) = (even_quarters(a4, a6), even_quarters(a5, a7));
    let (b6, b7) = (odd_quarters(a4, a6), odd_quarters(a5, a7));
    [
        even_quarters(b0, b4),
        even_quarters(b1, b5),
        even_quarters(b2, b6),
        even_quarters(b3, b7),
        odd_quarters(b0, b4),
        odd_quarters(b1, b5),
        odd_quarters(b2, b6),
        odd_quarters(b3, b7),
    ]
}

/// A prime just below 2^B, whose form makes multiples cheap.
pub(crate) trait LaneModulus<const W: usize, const N: usize>: Modulus<W> {
    /// B − 52·(N − 1): where 2^B is in the highest limb.
    const TOP: u32;

    /// What the first row starts with, and what the last leaves behind in the same columns too much.
    fn start() -> [V; N];
    fn finish(columns: &mut [V; N]);
    /// Adds q·p so that the lowest column is 0 mod 2^52, and what it then is over 2^52 to the next:
    /// `rest` are the N columns above it.
    fn reduce(lowest: V, rest: &mut [V; N]);
    /// Adds h·(2^B − p).
    fn fold(limbs: &mut [V; N], h: V);
}

/// p = 2^256 − 2^224 + 2^192 + 2^96 − 1: q is the lowest limb itself, as −1/p = 1 mod 2^52, and takes
/// it away; 2^96 is 2^44 in limb 1, 2^192 is 2^36 in limb 3, 2^256 − 2^224 is 2^48 − 2^16 in limb 4.
impl LaneModulus<4, 5> for P256 {
    const TOP: u32 = 48;

    #[inline(always)]
    fn start() -> [V; 5] {
        [zero(); 5]
    }
    #[inline(always)]
    fn finish(_: &mut [V; 5]) {}
    #[inline(always)]
    fn reduce(lowest: V, rest: &mut [V; 5]) {
        let [c96, c192, c256] = [all(1 << 44), all(1 << 36), all((1 << 48) - (1 << 16))];
        rest[0] = plus(rest[0], shift_right::<52>(lowest));
        rest[0] = madd_low(rest[0], lowest, c96);
        rest[2] = madd_low(rest[2], lowest, c192);
        rest[3] = madd_low(rest[3], lowest, c256);
        rest[1] = madd_high(rest[1], lowest, c96);
        rest[3] = madd_high(rest[3], lowest, c192);
        rest[4] = madd_high(rest[4], lowest, c256);
    }
    #[inline(always)]
    fn fold(limbs: &mut [V; 5], h: V) {
        limbs[0] = plus(limbs[0], h);
        limbs[1] = minus(limbs[1], shift_left::<44>(h));
        limbs[3] = minus(limbs[3], shift_left::<36>(h));
        limbs[4] = plus(limbs[4], shift_left::<16>(h));
    }
}

/// p = 2^384 − 2^128 − 2^96 + 2^32 − 1: −1/p = 2^32 + 1 mod 2^52; 2^96 is 2^44 in limb 1, 2^128 is
/// 2^24 in limb 2, 2^384 is 2^20 in limb 7. What p subtracts is added for 2^52 − 1 − q instead of q: in
/// all rows together 2^44·(2^416 − 1) in column 1 and 2^24·(2^416 − 1) in column 2 too much, so the
/// first row starts with 2^44 and 2^24 there, and the last leaves them N columns higher.
impl LaneModulus<6, 8> for P384 {
    const TOP: u32 = 20;

    #[inline(always)]
    fn start() -> [V; 8] {
        let mut columns = [zero(); 8];
        (columns[1], columns[2]) = (all(1 << 44), all(1 << 24));
        columns
    }
    #[inline(always)]
    fn finish(columns: &mut [V; 8]) {
        columns[1] = minus(columns[1], all(1 << 44));
        columns[2] = minus(columns[2], all(1 << 24));
    }
    #[inline(always)]
    fn reduce(lowest: V, rest: &mut [V; 8]) {
        let [c0, c96, c128, c384] = [all((1 << 32) - 1), all(1 << 44), all(1 << 24), all(1 << 20)];
        let q = plus(lowest, shift_left::<32>(lowest));
        let not_q = differ(q, all(u64::MAX));
        // the next row waits for its lowest column: two short chains instead of one
        let lowest = madd_low(lowest, q, c0);
        rest[0] = madd_high(rest[0], q, c0);
        let beside = madd_low(zero(), not_q, c96);
        rest[0] = plus(rest[0], plus(beside, shift_right::<52>(lowest)));
        rest[1] = madd_high(rest[1], not_q, c96);
        rest[1] = madd_low(rest[1], not_q, c128);
        rest[2] = madd_high(rest[2], not_q, c128);
        rest[6] = madd_low(rest[6], q, c384);
        rest[7] = madd_high(rest[7], q, c384);
    }
    #[inline(always)]
    fn fold(limbs: &mut [V; 8], h: V) {
        limbs[0] = plus(limbs[0], minus(h, shift_left::<32>(h)));
        limbs[1] = plus(limbs[1], shift_left::<44>(h));
        limbs[2] = plus(limbs[2], shift_left::<24>(h));
    }
}

/// The columns without the lowest, and one more.
#[inline(always)]
fn dropped<const N: usize>(columns: &[V; N], top: V) -> [V; N] {
    let mut rest = [top; N];
    let mut i = 1;
    while i < N {
        rest[i - 1] = columns[i];
        i += 1;
    }
    rest
}

/// Columns of one product, in the order in which their sums are not waited for: limb 0 of a row is
/// multiplied before the row's turn, so that only a multiple of p is missing in the lowest column then.
struct Row<const N: usize>([V; N]);

impl<const N: usize> Row<N> {
    /// Adds what limb i of a has beside its product with limb 0 of b, and the low half of that of the
    /// next limb; gives the lowest column and makes the others the columns.
    #[inline(always)]
    fn add(&mut self, a: &[V; N], b: &[V; N], i: usize, top: V) -> V {
        let z = &mut self.0;
        let mut j = 1;
        while j < N {
            z[j] = madd_low(z[j], a[i], b[j]);
            j += 1;
        }
        let lowest = z[0];
        *z = dropped(z, top);
        j = 0;
        while j < N {
            z[j] = madd_high(z[j], a[i], b[j]);
            j += 1;
        }
        if i + 1 < N {
            z[0] = madd_low(z[0], a[i + 1], b[0]);
        }
        lowest
    }
}

/// `(a·b + c)/R`, where c is columns, and `d·e/R`, row by row in turn.
#[target_feature(enable = "avx512f,avx512ifma,avx512vl,avx512bw,avx512dq")]
#[inline]
fn mul_add_and_mul<M: LaneModulus<W, N>, const W: usize, const N: usize>(
    [a, b]: [&[V; N]; 2],
    [low, high]: &[[V; N]; 2],
    [d, e]: [&[V; N]; 2],
) -> [[V; N]; 2] {
    let (mut y, mut z) = (Row(*low), Row(M::start()));
    y.0[0] = madd_low(y.0[0], a[0], b[0]);
    z.0[0] = madd_low(z.0[0], d[0], e[0]);
    let mut i = 0;
    while i < N {
        let lowest = y.add(a, b, i, high[i]);
        M::reduce(lowest, &mut y.0);
        let lowest = z.add(d, e, i, zero());
        M::reduce(lowest, &mut z.0);
        i += 1;
    }
    M::finish(&mut y.0);
    M::finish(&mut z.0);
    [y.0, z.0]
}

/// `(a·b + c)/R` and `(d·e + f)/R`, where c and f are columns, row by row in turn.
#[target_feature(enable = "avx512f,avx512ifma,avx512vl,avx512bw,avx512dq")]
#[inline]
fn mul_add_pair<M: LaneModulus<W, N>, const W: usize, const N: usize>(
    [a, b]: [&[V; N]; 2],
    [low_y, high_y]: &[[V; N]; 2],
    [d, e]: [&[V; N]; 2],
    [low_z, high_z]: &[[V; N]; 2],
) -> [[V; N]; 2] {
    let (mut y, mut z) = (Row(*low_y), Row(*low_z));
    y.0[0] = madd_low(y.0[0], a[0], b[0]);
    z.0[0] = madd_low(z.0[0], d[0], e[0]);
    let mut i = 0;
    while i < N {
        let lowest = y.add(a, b, i, high_y[i]);
        M::reduce(lowest, &mut y.0);
        let lowest = z.add(d, e, i, high_z[i]);
        M::reduce(lowest, &mut z.0);
        i += 1;
    }
    M::finish(&mut y.0);
    M::finish(&mut z.0);
    [y.0, z.0]
}

/// `(a·b + c)/R`, where c is columns.
#[target_feature(enable = "avx512f,avx512ifma,avx512vl,avx512bw,avx512dq")]
#[inline]
fn mul_add<M: LaneModulus<W, N>, const W: usize, const N: usize>(
    [a, b]: [&[V; N]; 2],
    [low, high]: &[[V; N]; 2],
) -> [V; N] {
    let mut z = Row(*low);
    z.0[0] = madd_low(z.0[0], a[0], b[0]);
    let mut i = 0;
    while i < N {
        let lowest = z.add(a, b, i, high[i]);
        M::reduce(lowest, &mut z.0);
        i += 1;
    }
    M::finish(&mut z.0);
    z.0
}

/// `a·b/R`.
#[target_feature(enable = "avx512f,avx512ifma,avx512vl,avx512bw,avx512dq")]
#[inline]
fn mul<M: LaneModulus<W, N>, const W: usize, const N: usize>(a: &[V; N], b: &[V; N]) -> [V; N] {
    let mut z = Row(M::start());
    z.0[0] = madd_low(z.0[0], a[0], b[0]);
    let mut i = 0;
    while i < N {
        let lowest = z.add(a, b, i, zero());
        M::reduce(lowest, &mut z.0);
        i += 1;
    }
    M::finish(&mut z.0);
    z.0
}

/// `a·b/R` and `c·d/R`, row by row in turn.
#[target_feature(enable = "avx512f,avx512ifma,avx512vl,avx512bw,avx512dq")]
#[inline]
fn mul_pair<M: LaneModulus<W, N>, const W: usize, const N: usize>(
    [a, b]: [&[V; N]; 2],
    [c, d]: [&[V; N]; 2],
) -> [[V; N]; 2] {
    let (mut y, mut z) = (Row(M::start()), Row(M::start()));
    y.0[0] = madd_low(y.0[0], a[0], b[0]);
    z.0[0] = madd_low(z.0[0], c[0], d[0]);
    let mut i = 0;
    while i < N {
        let lowest = y.add(a, b, i, zero());
        M::reduce(lowest, &mut y.0);
        let lowest = z.add(c, d, i, zero());
        M::reduce(lowest, &mut z.0);
        i += 1;
    }
    M::finish(&mut y.0);
    M::finish(&mut z.0);
    [y.0, z.0]
}

/// Columns of `a·b`.
#[inline(always)]
fn product_columns<const N: usize>(a: &[V; N], b: &[V; N], start: [V; N]) -> [[V; N]; 2] {
    let mut columns = [start, [zero(); N]];
    let z = columns.as_flattened_mut();
    for i in 0..N {
        for j in 0..N {
            z[i + j] = madd_low(z[i + j], a[i], b[j]);
        }
        for j in 0..N {
            z[i + j + 1] = madd_high(z[i + j + 1], a[i], b[j]);
        }
    }
    columns
}

/// Columns of `2^SHIFT·a²`: the products of different limbs once and doubled.
#[inline(always)]
fn square_columns<const SHIFT: u32, const N: usize>(a: &[V; N], start: [V; N]) -> [[V; N]; 2] {
    let mut columns = [[zero(); N]; 2];
    let z = columns.as_flattened_mut();
    for i in 0..N {
        for j in i + 1..N {
            z[i + j] = madd_low(z[i + j], a[i], a[j]);
            z[i + j + 1] = madd_high(z[i + j + 1], a[i], a[j]);
        }
    }
    for column in z.iter_mut() {
        *column = plus(*column, *column);
    }
    for i in 0..N {
        z[2 * i] = madd_low(z[2 * i], a[i], a[i]);
        z[2 * i + 1] = madd_high(z[2 * i + 1], a[i], a[i]);
    }
    if SHIFT > 0 {
        for column in z.iter_mut() {
            *column = shift_left::<SHIFT>(*column);
        }
    }
    for i in 0..N {
        columns[0][i] = plus(columns[0][i], start[i]);
    }
    columns
}

/// `a²/R`.
#[target_feature(enable = "avx512f,avx512ifma,avx512vl,avx512bw,avx512dq")]
#[inline]
fn square<M: LaneModulus<W, N>, const W: usize, const N: usize>(a: &[V; N]) -> [V; N] {
    let [mut z, high] = square_columns::<0, N>(a, M::start());
    let mut i = 0;
    while i < N {
        let lowest = z[0];
        z = dropped(&z, high[i]);
        M::reduce(lowest, &mut z);
        i += 1;
    }
    M::finish(&mut z);
    z
}

/// `a²/R` and `b²/R`, reduced in turn.
#[target_feature(enable = "avx512f,avx512ifma,avx512vl,avx512bw,avx512dq")]
#[inline]
fn square_pair<M: LaneModulus<W, N>, const W: usize, const N: usize>(
    a: &[V; N],
    b: &[V; N],
) -> [[V; N]; 2] {
    let [mut y, high_y] = square_columns::<0, N>(a, M::start());
    let [mut z, high_z] = square_columns::<0, N>(b, M::start());
    let mut i = 0;
    while i < N {
        let lowest = [y[0], z[0]];
        (y, z) = (dropped(&y, high_y[i]), dropped(&z, high_z[i]));
        M::reduce(lowest[0], &mut y);
        M::reduce(lowest[1], &mut z);
        i += 1;
    }
    M::finish(&mut y);
    M::finish(&mut z);
    [y, z]
}

/// `sum + FACTOR·a`.
#[inline(always)]
fn add_times<const FACTOR: i32>(sum: V, a: V) -> V {
    const {
        assert!(matches!(FACTOR.unsigned_abs(), 0..=4 | 8 | 9));
    }
    let multiple = match FACTOR.unsigned_abs() {
        0 => return sum,
        1 => a,
        2 => shift_left::<1>(a),
        3 => plus(shift_left::<1>(a), a),
        4 => shift_left::<2>(a),
        8 => shift_left::<3>(a),
        _ => plus(shift_left::<3>(a), a),
    };
    if FACTOR < 0 { minus(sum, multiple) } else { plus(sum, multiple) }
}

/// Signed columns of a V between −64·p and 64·p become limbs of V − (h − 1)·p.
#[inline(always)]
fn carry<M: LaneModulus<W, N>, const W: usize, const N: usize>(mut z: [V; N]) -> [V; N] {
    let one = all(1);
    let h = if M::TOP == 20 {
        shift_right_signed::<20>(z[N - 1])
    } else {
        shift_right_signed::<48>(z[N - 1])
    };
    // its part in the highest limb is h·2^B, and (h − 1)·2^B goes
    z[N - 1] = plus(and(z[N - 1], all((1 << M::TOP) - 1)), all(1 << M::TOP));
    M::fold(&mut z, minus(h, one));
    let mut i = 1;
    while i < N {
        z[i] = plus(z[i], shift_right_signed::<52>(z[i - 1]));
        i += 1;
    }
    z
}

/// An operand's limbs without the bits that mean nothing.
#[inline(always)]
fn clean<const N: usize>(a: &[V; N]) -> [V; N] {
    let mut limbs = *a;
    let mut i = 0;
    while i + 1 < N {
        limbs[i] = and(limbs[i], all(LOW_52));
        i += 1;
    }
    limbs
}

/// The limbs of an integer of W words and a carry.
const fn limbs_of<const W: usize, const N: usize>(words: &[u64; W], carry: u64) -> [u64; N] {
    let mut limbs = [0; N];
    let mut i = 0;
    while i < N {
        let (word, shift) = (52 * i / 64, 52 * i % 64);
        let low = if word < W { words[word] } else { carry };
        let high = if word + 1 < W {
            words[word + 1]
        } else if word + 1 == W {
            carry
        } else {
            0
        };
        let all = (high as u128) << 64 | low as u128;
        limbs[i] = (all >> shift) as u64 & LOW_52;
        i += 1;
    }
    limbs
}

/// What is 0 mod p below 3·p: p and 2·p.
const fn multiples<M: Modulus<W>, const W: usize, const N: usize>() -> [[u64; N]; 2] {
    let p = limbs_of::<W, N>(&M::MODULUS, 0);
    let mut twice = [0; N];
    let (mut i, mut carry) = (0, 0);
    while i < N {
        let sum = 2 * p[i] + carry;
        (twice[i], carry) = (sum & LOW_52, sum >> 52);
        i += 1;
    }
    [p, twice]
}

impl<M: LaneModulus<W, N>, const W: usize, const N: usize> Fe<M, W, N> {
    /// What makes R·x of 2^(64·W)·x as a factor: R²/2^(64·W).
    const FROM_SINGLE: [u64; N] = limbs_of(
        &double_times(Residue::<M, W>::ONE.words(), &M::MODULUS, 2 * (52 * N - 64 * W)),
        0,
    );
    /// The other way: 2^(64·W).
    const TO_SINGLE: [u64; N] = limbs_of(&Residue::<M, W>::ONE.words(), 0);
    const ZEROS: [[u64; N]; 2] = multiples::<M, W, N>();

    /// R·x, given 2^(64·W)·x, when the library is built: what a shift pushes over 2^(64·W) comes back times
    /// 2^(64·W) − p.
    const fn from_single(words: &[u64; W]) -> [u64; W] {
        let shift = 52 * N - 64 * W;
        let over = words[W - 1] >> (64 - shift);
        let one = Residue::<M, W>::ONE.words();
        let mut sum = [0; W];
        let (mut carry, mut i) = (0, 0);
        while i < W {
            let low = if i == 0 { 0 } else { words[i - 1] >> (64 - shift) };
            (sum[i], carry) = word::mul_add(words[i] << shift | low, over, one[i], carry);
            i += 1;
        }
        // below 2·p
        let (mut less, mut borrow) = ([0; W], 0);
        i = 0;
        while i < W {
            (less[i], borrow) = sub_borrow(sum[i], M::MODULUS[i], borrow);
            i += 1;
        }
        if borrow <= carry { less } else { sum }
    }

    /// The sixteen points of a table.
    pub(crate) const fn entries(points: &EntryWords<W>) -> Entries<W> {
        let mut entries = Entries([[[0; 16]; W]; 2]);
        let mut i = 0;
        while i < 32 {
            let words = Self::from_single(&points[i / 2][i % 2]);
            let mut word = 0;
            while word < W {
                entries.0[i % 2][word][i / 2] = words[word];
                word += 1;
            }
            i += 1;
        }
        entries
    }

    /// Rows 8·`step` to 8·`step` + 7 of a table, one a lane.
    pub(crate) const fn spread<const ROWS: usize>(
        rows: &[[[[u64; W]; 2]; 8]; ROWS],
        step: usize,
    ) -> Spread<W> {
        let mut spread = Spread([[[[0; 8]; W]; 2]; 8]);
        let mut i = 0;
        while i < 128 {
            let (lane, number, coordinate) = (i / 16, i / 2 % 8, i % 2);
            let words = Self::from_single(&rows[8 * step + lane][number][coordinate]);
            let mut word = 0;
            while word < W {
                spread.0[number][coordinate][word][lane] = words[word];
                word += 1;
            }
            i += 1;
        }
        spread
    }

    /// Points as lanes load them.
    pub(crate) const fn pairs<const POINTS: usize>(
        points: &[[[u64; W]; 2]; POINTS],
    ) -> [Pair; POINTS] {
        let mut pairs = [[Line([0; 8]); 2]; POINTS];
        let mut i = 0;
        while i < 2 * POINTS {
            let limbs = limbs_of::<W, N>(&Self::from_single(&points[i / 2][i % 2]), 0);
            let mut limb = 0;
            while limb < N {
                pairs[i / 2][i % 2].0[limb] = limbs[limb];
                limb += 1;
            }
            i += 1;
        }
        pairs
    }

    /// `limbs_of` in each lane.
    #[inline(always)]
    fn of_words(token: Ifma, words: &[V; W]) -> Self {
        let mut limbs = [zero(); N];
        let mut i = 0;
        while i < N {
            let (word, shift) = (52 * i / 64, (52 * i % 64) as u64);
            let mut limb = shift_right_each(words[word], all(shift));
            if shift > 12 && word + 1 < W {
                limb = or(limb, shift_left_each(words[word + 1], all(64 - shift)));
            }
            limbs[i] = and(limb, all(LOW_52));
            i += 1;
        }
        Fe(limbs, token, PhantomData)
    }

    /// The limbs of each lane.
    #[inline(always)]
    fn rows(&self) -> [V; 8] {
        let mut vectors = [zero(); 8];
        let mut i = 0;
        while i < N {
            vectors[i] = self.0[i];
            i += 1;
        }
        transpose(&vectors)
    }

    #[inline(always)]
    fn constant(token: Ifma, limbs: &[u64; N]) -> Self {
        let mut vectors = [zero(); N];
        for i in 0..N {
            vectors[i] = all(limbs[i]);
        }
        Fe(vectors, token, PhantomData)
    }
}

/// The digits of [`lanes_from`](super::coordinates::lanes_from), and a bit for each below 8.
const fn digits_of(lanes: u32) -> ([u64; 8], u8) {
    let (mut digits, mut keep, mut i) = ([0; 8], 0, 0);
    while i < 8 {
        let digit = lanes >> (4 * i) & 15;
        if digit < 8 {
            (digits[i], keep) = (digit as u64, keep | 1 << i);
        }
        i += 1;
    }
    (digits, keep)
}

#[inline(always)]
fn arrange_each<const FROM: u32, const N: usize>(mut limbs: [V; N]) -> [V; N] {
    let (index, keep) = const { digits_of(FROM) };
    let mut i = 0;
    while i < N {
        limbs[i] = arranged(keep, from_array(index), limbs[i]);
        i += 1;
    }
    limbs
}

impl<M: LaneModulus<W, N>, const W: usize, const N: usize> Coordinates for Fe<M, W, N> {
    const LANES: usize = 8;
    type Single = Residue<M, W>;
    type Product = Columns<M, W, N>;
    type Unreduced = Unreduced<M, N>;
    type PerLane<T: Copy> = [T; 8];
    type Entries = Entries<W>;
    type Spread = Spread<W>;
    type Token = Ifma;

    #[inline(always)]
    #[allow(unsafe_code)]
    fn enter<J: Work<Self>>(token: Ifma, job: J) -> J::Output {
        #[target_feature(
            enable = "avx512f,avx512ifma,avx512vl,avx512bw,avx512dq,avx512cd,avx2,bmi1,bmi2,lzcnt,popcnt"
        )]
        #[inline(never)]
        fn with_features<F: Coordinates, J: Work<F>>(token: F::Token, job: J) -> J::Output {
            job.run(token)
        }
        // SAFETY: the token proves that the CPU has these features.
        unsafe { with_features::<Self, J>(token, job) }
    }

    const TRIPLE: usize = 3 * N;

    #[inline(always)]
    fn store_triple(triple: &[Self; 3], lines: &mut [Line]) {
        for (element, lines) in triple.iter().zip(lines.chunks_mut(N)) {
            for (limb, line) in element.0.iter().zip(lines) {
                line.0 = to_array(*limb);
            }
        }
    }

    #[inline(always)]
    fn load_triple(token: Ifma, lines: &[Line]) -> [Self; 3] {
        let limb = |i: usize| from_array(lines[i].0);
        core::array::from_fn(|i| Fe(core::array::from_fn(|k| limb(i * N + k)), token, PhantomData))
    }

    #[inline(always)]
    fn load(token: Ifma, values: &[Self::Single; 8]) -> Self {
        let mut limbs = [[0; 8]; N];
        for (lane, value) in values.iter().enumerate() {
            let of_lane = limbs_of::<W, N>(&value.words(), 0);
            for i in 0..N {
                limbs[i][lane] = of_lane[i];
            }
        }
        let mut vectors = [zero(); N];
        for i in 0..N {
            vectors[i] = from_array(limbs[i]);
        }
        let value = Fe(vectors, token, PhantomData);
        Self::times::<1>(&value.mul(&Self::constant(token, &Self::FROM_SINGLE)))
    }

    #[inline(always)]
    fn store(&self) -> [Self::Single; 8] {
        let single = self.mul(&Self::constant(self.1, &Self::TO_SINGLE));
        let vectors = clean(&Self::times::<1>(&single).0);
        let mut limbs = [[0; 8]; N];
        for i in 0..N {
            limbs[i] = to_array(vectors[i]);
        }
        let mut values = [Self::Single::ZERO; 8];
        for (lane, value) in values.iter_mut().enumerate() {
            // the highest limb may reach into the word after the last
            let mut words = [0; W];
            let mut carry = 0;
            for (i, limb) in limbs.iter().enumerate() {
                let (word, shift) = (52 * i / 64, 52 * i % 64);
                let limb = u128::from(limb[lane]) << shift;
                for (at, part) in [(word, limb as u64), (word + 1, (limb >> 64) as u64)] {
                    // limbs do not overlap
                    *(if at < W { &mut words[at] } else { &mut carry }) |= part;
                }
            }
            *value = Self::Single::from_montgomery_sum(words, carry);
        }
        values
    }

    #[inline(always)]
    #[allow(unsafe_code)]
    fn mul(&self, other: &Self) -> Self::Product {
        // SAFETY: an element holds a token, which proves that the CPU has the features of `mul`.
        Columns(unsafe { mul::<M, W, N>(&self.0, &other.0) }, self.1, PhantomData)
    }

    #[inline(always)]
    #[allow(unsafe_code)]
    fn square(&self) -> Self::Product {
        // SAFETY: the element holds a token, which proves that the CPU has the features of `square`.
        Columns(unsafe { square::<M, W, N>(&self.0) }, self.1, PhantomData)
    }

    #[inline(always)]
    #[allow(unsafe_code)]
    fn mul_pair([a, b]: [&Self; 2], [c, d]: [&Self; 2]) -> [Self::Product; 2] {
        // SAFETY: an element holds a token, which proves that the CPU has the features of `mul_pair`.
        let [y, z] = unsafe { mul_pair::<M, W, N>([&a.0, &b.0], [&c.0, &d.0]) };
        [Columns(y, a.1, PhantomData), Columns(z, a.1, PhantomData)]
    }

    #[inline(always)]
    #[allow(unsafe_code)]
    fn square_pair(a: &Self, b: &Self) -> [Self::Product; 2] {
        // SAFETY: an element holds a token, which proves that the CPU has the features of `square_pair`.
        let [y, z] = unsafe { square_pair::<M, W, N>(&a.0, &b.0) };
        [Columns(y, a.1, PhantomData), Columns(z, a.1, PhantomData)]
    }

    #[inline(always)]
    fn mul_unreduced(&self, other: &Self) -> Self::Unreduced {
        Unreduced(product_columns(&self.0, &other.0, M::start()), PhantomData)
    }

    #[inline(always)]
    fn square_times_8(&self) -> Self::Unreduced {
        Unreduced(square_columns::<3, N>(&self.0, M::start()), PhantomData)
    }

    #[inline(always)]
    #[allow(unsafe_code)]
    fn mul_add_and_mul(
        [a, b]: [&Self; 2],
        c: &Self::Unreduced,
        [d, e]: [&Self; 2],
    ) -> [Self::Product; 2] {
        // SAFETY: an element holds a token, which proves that the CPU has the features of `mul_add_and_mul`.
        let [y, z] = unsafe { mul_add_and_mul::<M, W, N>([&a.0, &b.0], &c.0, [&d.0, &e.0]) };
        [Columns(y, a.1, PhantomData), Columns(z, a.1, PhantomData)]
    }

    #[inline(always)]
    #[allow(unsafe_code)]
    fn mul_add([a, b]: [&Self; 2], c: &Self::Unreduced) -> Self::Product {
        // SAFETY: an element holds a token, which proves that the CPU has the features of `mul_add`.
        Columns(unsafe { mul_add::<M, W, N>([&a.0, &b.0], &c.0) }, a.1, PhantomData)
    }

    #[inline(always)]
    #[allow(unsafe_code)]
    fn mul_add_pair(
        [a, b]: [&Self; 2],
        c: &Self::Unreduced,
        [d, e]: [&Self; 2],
        f: &Self::Unreduced,
    ) -> [Self::Product; 2] {
        // SAFETY: an element holds a token, which proves that the CPU has the features of `mul_add_pair`.
        let [y, z] = unsafe { mul_add_pair::<M, W, N>([&a.0, &b.0], &c.0, [&d.0, &e.0], &f.0) };
        [Columns(y, a.1, PhantomData), Columns(z, a.1, PhantomData)]
    }

    #[inline(always)]
    fn widen(&self) -> Self::Product {
        Columns(clean(&self.0), self.1, PhantomData)
    }

    #[inline(always)]
    fn sum<const A: i32, const B: i32, const C: i32>(
        a: &Self::Product,
        b: &Self::Product,
        c: &Self::Product,
    ) -> Self {
        const {
            assert!(A.unsigned_abs() + B.unsigned_abs() + C.unsigned_abs() <= FACTORS_MAX);
        }
        let mut sum = [zero(); N];
        let mut i = 0;
        while i < N {
            sum[i] = add_times::<C>(add_times::<B>(add_times::<A>(zero(), a.0[i]), b.0[i]), c.0[i]);
            i += 1;
        }
        Fe(carry::<M, W, N>(sum), a.1, PhantomData)
    }

    #[inline(always)]
    fn negate_where(lanes: u32, a: &Self::Product) -> Self::Product {
        let mut columns = a.0;
        let mut i = 0;
        while i < N {
            columns[i] = minus_where(lanes as u8, zero(), columns[i], columns[i]);
            i += 1;
        }
        Columns(columns, a.1, PhantomData)
    }

    #[inline(always)]
    fn select(lanes: u32, if_set: &Self::Product, otherwise: &Self::Product) -> Self::Product {
        let mut columns = otherwise.0;
        let mut i = 0;
        while i < N {
            columns[i] = blend(lanes as u8, if_set.0[i], columns[i]);
            i += 1;
        }
        Columns(columns, if_set.1, PhantomData)
    }

    #[inline(always)]
    fn zeros(&self) -> u32 {
        let limbs = clean(&self.0);
        let mut zeros = 0;
        for multiple in &Self::ZEROS {
            let mut any = zero();
            for i in 0..N {
                any = or(any, differ(limbs[i], all(multiple[i])));
            }
            zeros |= u32::from(test_zero(any, any));
        }
        zeros
    }

    #[inline(always)]
    fn select_entry(token: Ifma, Entries(words): &Entries<W>, digits: &[i8; 8]) -> [Self; 2] {
        // entry 1 is the first
        let index = minus(magnitudes(digits), all(1));
        let mut point = [[zero(); W]; 2];
        for (chosen, words) in point.iter_mut().zip(words) {
            for (chosen, words) in chosen.iter_mut().zip(words) {
                *chosen = word_of_16(words, index);
            }
        }
        let [x, y] = point;
        [Self::of_words(token, &x), Self::of_words(token, &y)]
    }

    #[inline(always)]
    fn select_spread(token: Ifma, Spread(points): &Spread<W>, digits: &[i8; 8]) -> [Self; 2] {
        let magnitudes = magnitudes(digits);
        let mut chosen = [[zero(); W]; 2];
        for (number, point) in (1..).zip(points) {
            let differ = differ(magnitudes, all(number));
            let is_it = test_zero(differ, differ);
            for (chosen, words) in chosen.iter_mut().zip(point) {
                for (chosen, word) in chosen.iter_mut().zip(words) {
                    *chosen = blend(is_it, from_array(*word), *chosen);
                }
            }
        }
        let [x, y] = chosen;
        [Self::of_words(token, &x), Self::of_words(token, &y)]
    }

    #[inline(always)]
    fn rotate<const BY: i32>(a: &Self::Product) -> Self::Product {
        let mut columns = a.0;
        let mut i = 0;
        while i < N {
            columns[i] = rotated::<BY>(columns[i]);
            i += 1;
        }
        Columns(columns, a.1, PhantomData)
    }

    #[inline(always)]
    fn store_pairs(values: &[Self; 2], places: &mut [Pair], step: usize) {
        let (x, y) = (values[0].rows(), values[1].rows());
        for (lane, [first, second]) in places.iter_mut().step_by(step).take(8).enumerate() {
            (first.0, second.0) = (to_array(x[lane]), to_array(y[lane]));
        }
    }

    #[inline(always)]
    fn load_pairs_vartime(token: Ifma, pairs: &[&Pair; 8]) -> [Self; 2] {
        let (mut x, mut y) = ([zero(); 8], [zero(); 8]);
        let mut lane = 0;
        while lane < 8 {
            let [Line(first), Line(second)] = pairs[lane];
            (x[lane], y[lane]) = (from_array(*first), from_array(*second));
            lane += 1;
        }
        let (x, y) = (transpose(&x), transpose(&y));
        let (mut limbs_x, mut limbs_y) = ([zero(); N], [zero(); N]);
        let mut i = 0;
        while i < N {
            (limbs_x[i], limbs_y[i]) = (x[i], y[i]);
            i += 1;
        }
        [Fe(limbs_x, token, PhantomData), Fe(limbs_y, token, PhantomData)]
    }
}

impl<M: LaneModulus<W, N>, const W: usize, const N: usize> EightLanes for Fe<M, W, N> {
    #[inline(always)]
    fn arrange<const FROM: u32>(a: &Self::Product) -> Self::Product {
        Columns(arrange_each::<FROM, N>(a.0), a.1, PhantomData)
    }

    #[inline(always)]
    fn arrange_operand<const FROM: u32>(&self) -> Self {
        Fe(arrange_each::<FROM, N>(self.0), self.1, PhantomData)
    }

    #[inline(always)]
    fn shift<const BY: u32>(a: &Self::Product) -> Self::Product {
        let (counts, _) = const { digits_of(BY) };
        let mut columns = a.0;
        let mut i = 0;
        while i < N {
            columns[i] = shift_left_each(a.0[i], from_array(counts));
            i += 1;
        }
        Columns(columns, a.1, PhantomData)
    }

    #[inline(always)]
    fn combine<const PLUS: u8, const MINUS: u8>(
        a: &Self::Product,
        b: &Self::Product,
    ) -> Self::Product {
        let mut columns = a.0;
        let mut i = 0;
        while i < N {
            let sum = plus_where(PLUS, a.0[i], b.0[i]);
            columns[i] = minus_where(MINUS, sum, b.0[i], sum);
            i += 1;
        }
        Columns(columns, a.1, PhantomData)
    }

    #[inline(always)]
    fn with_pair<const FIRST: u8, const SECOND: u8>(
        &self,
        [Line(first), Line(second)]: &Pair,
    ) -> Self {
        let mut limbs = self.0;
        let mut i = 0;
        while i < N {
            limbs[i] = with_word(SECOND, second[i], with_word(FIRST, first[i], limbs[i]));
            i += 1;
        }
        Fe(limbs, self.1, PhantomData)
    }
}
