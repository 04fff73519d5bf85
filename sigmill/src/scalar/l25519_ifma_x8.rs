//! Integers modulo ℓ in eight lanes, AVX-512 IFMA: reductions and products of many rows.
//!
//! Representation: vectors of eight 64-bit limbs, radix 2^52, as many as the integer needs. *Columns* are
//! limbs that have not been carried; they may be negative. Bits at 2^252 and above fold down by
//! 2^252 = −c (mod ℓ), where c = ℓ − 2^252 is below 2^125.
//!
//! Public values only, though nothing branches on them.

use super::l25519::{ORDER, Scalar};
use super::lanes::Terms;
use crate::cpu::Ifma;
use crate::word::add_carry;
use core::arch::x86_64::*;

type V = __m512i;

const LOW_52: u64 = (1 << 52) - 1;
const LOW_44: u64 = (1 << 44) - 1;

/// Limb i of an integer of four words.
const fn limb(words: &[u64; 4], i: usize) -> u64 {
    let (word, shift) = (52 * i / 64, 52 * i % 64);
    let low = words[word] >> shift;
    let high = if shift > 12 && word < 3 { words[word + 1] << (64 - shift) } else { 0 };
    (low | high) & LOW_52
}

/// ℓ, 16·ℓ and c in limbs.
const ORDER_LIMBS: [u64; 5] =
    [limb(&ORDER, 0), limb(&ORDER, 1), limb(&ORDER, 2), limb(&ORDER, 3), limb(&ORDER, 4)];
const SIXTEEN_ORDERS: [u64; 5] = {
    let l = ORDER_LIMBS;
    [16 * l[0], 16 * l[1], 16 * l[2], 16 * l[3], 16 * l[4]]
};
const C: [u64; 3] = [ORDER_LIMBS[0], ORDER_LIMBS[1], ORDER_LIMBS[2]];
const _: () = assert!(ORDER_LIMBS[3] == 0 && ORDER_LIMBS[4] == 1 << 44 && C[2] < 1 << 21);

/// Groups after which sums are carried: at most three low and three high halves fall on a column in each,
/// and columns stay below 2^63.
const GROUPS: usize = 256;
const _: () = assert!(6 * GROUPS < 1 << 11);

/// See [`super::lanes::reduce_rows`].
#[allow(unsafe_code)]
pub(super) fn reduce_rows(_: Ifma, rows: &mut [[u64; 8]]) {
    let (groups, rest) = rows.as_chunks_mut::<8>();
    for group in groups {
        // SAFETY: the token proves that the CPU has AVX-512 F, VL, BW, DQ and IFMA.
        unsafe { reduce_group(group) };
    }
    if !rest.is_empty() {
        let mut group = [[0; 8]; 8];
        group[..rest.len()].copy_from_slice(rest);
        // SAFETY: the token proves that the CPU has AVX-512 F, VL, BW, DQ and IFMA.
        unsafe { reduce_group(&mut group) };
        rest.copy_from_slice(&group[..rest.len()]);
    }
}

/// See [`super::lanes::products_of_eight`].
#[allow(unsafe_code)]
pub(super) fn products(_: Ifma, a: &[[u64; 8]; 3], b: &[[u8; 32]; 8]) -> [[u64; 8]; 4] {
    // SAFETY: the token proves that the CPU has AVX-512 F, VL, BW, DQ and IFMA.
    unsafe { product_group(a, b) }
}

/// See [`super::lanes::combine_rows`].
#[allow(unsafe_code)]
pub(super) fn combine_rows<'a>(
    _: Ifma,
    terms: &Terms,
    random: &[[u64; 3]],
    rows: &mut [[u64; 8]],
    s: impl Fn(usize) -> &'a [u8; 32],
) -> Scalar {
    let mut sum = [0; 8];
    let groups = random.chunks(8 * GROUPS).zip(rows.chunks_mut(8 * GROUPS)).enumerate();
    for (i, (random, rows)) in groups {
        let first = i * 8 * GROUPS;
        // SAFETY: the token proves that the CPU has AVX-512 F, VL, BW, DQ and IFMA.
        let lanes = unsafe { combine_groups(terms, random, rows, |i| s(first + i)) };
        for lane in lanes {
            let mut carry = 0;
            for (sum, word) in sum.iter_mut().zip(&lane) {
                (*sum, carry) = add_carry(*sum, *word, carry);
            }
            sum[7] += carry;
        }
    }
    Scalar::reduce_words(&sum)
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma")]
fn all(word: u64) -> V {
    _mm512_set1_epi64(word as i64)
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma")]
fn shift_right(a: V, bits: usize) -> V {
    _mm512_srlv_epi64(a, all(bits as u64))
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma")]
fn shift_left(a: V, bits: usize) -> V {
    _mm512_sllv_epi64(a, all(bits as u64))
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma")]
fn from_array(words: [u64; 8]) -> V {
    let w = words.map(|word| word as i64);
    _mm512_setr_epi64(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7])
}

/// Eight words to memory.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma")]
#[allow(unsafe_code)]
fn to_array(vector: V) -> [u64; 8] {
    let mut words = [0_u64; 8];
    // SAFETY: the reference is to 64 bytes, and the instruction needs no alignment.
    unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), vector) };
    words
}

/// Eight words from memory.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma")]
#[allow(unsafe_code)]
fn load(words: &[u64; 8]) -> V {
    // SAFETY: the reference is to 64 bytes, and the instruction needs no alignment.
    unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
}

/// Four words from memory.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma")]
#[allow(unsafe_code)]
fn load_half(bytes: &[u8; 32]) -> __m256i {
    // SAFETY: the reference is to 32 bytes, and the instruction needs no alignment.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

/// Four words from memory in each half.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma")]
fn load_halves(low: &[u8; 32], high: &[u8; 32]) -> V {
    _mm512_inserti64x4::<1>(_mm512_castsi256_si512(load_half(low)), load_half(high))
}

/// The words of eight integers of eight words: word j of vector i goes to word i of vector j.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma")]
fn transposed(rows: &[[u64; 8]; 8]) -> [V; 8] {
    let mut halves = [all(0); 8];
    for i in 0..4 {
        let (even, odd) = (load(&rows[2 * i]), load(&rows[2 * i + 1]));
        halves[i] = _mm512_unpacklo_epi64(even, odd);
        halves[i + 4] = _mm512_unpackhi_epi64(even, odd);
    }
    let mut words = [all(0); 8];
    for parity in 0..2 {
        let [a, b, c, d] = [
            halves[4 * parity],
            halves[4 * parity + 1],
            halves[4 * parity + 2],
            halves[4 * parity + 3],
        ];
        let (ab, cd) = (_mm512_shuffle_i64x2::<0x88>(a, b), _mm512_shuffle_i64x2::<0x88>(c, d));
        words[parity] = _mm512_shuffle_i64x2::<0x88>(ab, cd);
        words[4 + parity] = _mm512_shuffle_i64x2::<0xdd>(ab, cd);
        let (ab, cd) = (_mm512_shuffle_i64x2::<0xdd>(a, b), _mm512_shuffle_i64x2::<0xdd>(c, d));
        words[2 + parity] = _mm512_shuffle_i64x2::<0x88>(ab, cd);
        words[6 + parity] = _mm512_shuffle_i64x2::<0xdd>(ab, cd);
    }
    words
}

/// The words of eight integers of 32 bytes, little-endian.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma")]
fn words_of_bytes(bytes: &[&[u8; 32]; 8]) -> [V; 4] {
    let a = load_halves(bytes[0], bytes[2]);
    let b = load_halves(bytes[1], bytes[3]);
    let c = load_halves(bytes[4], bytes[6]);
    let d = load_halves(bytes[5], bytes[7]);
    let (ab, cd) = (_mm512_unpacklo_epi64(a, b), _mm512_unpacklo_epi64(c, d));
    let (ef, gh) = (_mm512_unpackhi_epi64(a, b), _mm512_unpackhi_epi64(c, d));
    [
        _mm512_shuffle_i64x2::<0x88>(ab, cd),
        _mm512_shuffle_i64x2::<0x88>(ef, gh),
        _mm512_shuffle_i64x2::<0xdd>(ab, cd),
        _mm512_shuffle_i64x2::<0xdd>(ef, gh),
    ]
}

/// Writes integers of four words behind the first `first` words of each row.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma")]
fn store_words(words: &[V; 4], rows: &mut [[u64; 8]; 8], first: usize) {
    let words = [to_array(words[0]), to_array(words[1]), to_array(words[2]), to_array(words[3])];
    for (lane, row) in rows.iter_mut().enumerate() {
        for (i, word) in words.iter().enumerate() {
            row[first + i] = word[lane];
        }
    }
}

/// W words as L limbs.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma")]
fn limbs<const W: usize, const L: usize>(words: &[V; W]) -> [V; L] {
    let mut limbs = [all(0); L];
    for (i, limb) in limbs.iter_mut().enumerate() {
        let (word, shift) = (52 * i / 64, 52 * i % 64);
        *limb = shift_right(words[word], shift);
        if shift > 12 && word + 1 < W {
            *limb = _mm512_or_si512(*limb, shift_left(words[word + 1], 64 - shift));
        }
        *limb = _mm512_and_si512(*limb, all(LOW_52));
    }
    limbs
}

/// L carried limbs as W words.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma")]
fn words<const L: usize, const W: usize>(limbs: &[V; L]) -> [V; W] {
    let mut words = [all(0); W];
    for (i, word) in words.iter_mut().enumerate() {
        let (mut limb, shift) = (64 * i / 52, 64 * i % 52);
        *word = shift_right(limbs[limb], shift);
        let mut filled = 52 - shift;
        while filled < 64 && limb + 1 < L {
            limb += 1;
            *word = _mm512_or_si512(*word, shift_left(limbs[limb], filled));
            filled += 52;
        }
    }
    words
}

/// Adds the columns of a·b.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma")]
fn add_product<const A: usize, const B: usize, const N: usize>(
    columns: &mut [V; N],
    a: &[V; A],
    b: &[V; B],
) {
    for i in 0..A {
        for j in 0..B {
            columns[i + j] = _mm512_madd52lo_epu64(columns[i + j], a[i], b[j]);
        }
        for j in 0..B {
            columns[i + j + 1] = _mm512_madd52hi_epu64(columns[i + j + 1], a[i], b[j]);
        }
    }
}

/// Carries columns, which may be negative; the last one keeps what is left.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma")]
fn carry<const N: usize>(columns: &mut [V; N]) {
    for i in 0..N - 1 {
        let over = _mm512_srai_epi64::<52>(columns[i]);
        columns[i + 1] = _mm512_add_epi64(columns[i + 1], over);
        columns[i] = _mm512_and_si512(columns[i], all(LOW_52));
    }
}

/// The bits from 2^252 on of carried limbs, and those below.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma")]
fn split<const N: usize, const H: usize>(x: &[V; N]) -> ([V; H], [V; 5]) {
    let mut high = [all(0); H];
    for (i, high) in high.iter_mut().enumerate() {
        *high = shift_right(x[4 + i], 44);
        if 5 + i < N {
            *high = _mm512_or_si512(*high, shift_left(x[5 + i], 8));
        }
        *high = _mm512_and_si512(*high, all(LOW_52));
    }
    (high, [x[0], x[1], x[2], x[3], _mm512_and_si512(x[4], all(LOW_44))])
}

/// An integer from 0 to 2^255 in columns, reduced mod ℓ, as words.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma")]
fn finish(mut x: [V; 5]) -> [V; 4] {
    carry(&mut x);
    // x = q·2^252 + rest is rest − q·c, above −8·c and below 2^252
    let q = shift_right(x[4], 44);
    x[4] = _mm512_and_si512(x[4], all(LOW_44));
    for i in 0..3 {
        x[i] = _mm512_sub_epi64(x[i], _mm512_mullo_epi64(q, all(C[i])));
    }
    carry(&mut x);
    let negative = _mm512_movepi64_mask(x[4]);
    for (limb, order) in x.iter_mut().zip(ORDER_LIMBS) {
        *limb = _mm512_mask_add_epi64(*limb, negative, *limb, all(order));
    }
    carry(&mut x);
    words(&x)
}

/// The vectors of constant limbs.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma")]
fn constants<const N: usize>(limbs: &[u64; N]) -> [V; N] {
    let mut vectors = [all(0); N];
    for (vector, limb) in vectors.iter_mut().zip(limbs) {
        *vector = all(*limb);
    }
    vectors
}

/// x mod ℓ for N carried limbs below 2^512, H of them from 2^252 on, as words: for x = h·2^252 + l,
/// h·c = t·2^252 + m and t·c = u·2^252 + v it is l − m + v − u·c, and 2ℓ more is positive and below 2^255.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma")]
fn reduced<const N: usize, const H: usize>(x: &[V; N]) -> [V; 4] {
    let c = constants(&C);
    let (h, mut rest) = split::<N, H>(x);
    let mut hc = [all(0); 8];
    add_product(&mut hc, &h, &c);
    carry(&mut hc);
    let (t, m) = split::<8, 3>(&hc);
    let mut tc = [all(0); 6];
    add_product(&mut tc, &t, &c);
    carry(&mut tc);
    let (u, v) = split::<6, 1>(&tc);
    let mut uc = [all(0); 5];
    add_product(&mut uc, &u, &c);
    for i in 0..5 {
        let plus = _mm512_add_epi64(v[i], all(2 * ORDER_LIMBS[i]));
        let minus = _mm512_add_epi64(m[i], uc[i]);
        rest[i] = _mm512_add_epi64(rest[i], _mm512_sub_epi64(plus, minus));
    }
    finish(rest)
}

#[inline(never)]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma")]
fn product_group(a: &[[u64; 8]; 3], b: &[[u8; 32]; 8]) -> [[u64; 8]; 4] {
    let a: [V; 3] = limbs(&[load(&a[0]), load(&a[1]), load(&a[2])]);
    let [b0, b1, b2, b3, b4, b5, b6, b7] = b;
    let b: [V; 5] = limbs(&words_of_bytes(&[b0, b1, b2, b3, b4, b5, b6, b7]));
    let mut product = [all(0); 8];
    add_product(&mut product, &a, &b);
    carry(&mut product);
    let [w0, w1, w2, w3] = reduced::<8, 3>(&product);
    [to_array(w0), to_array(w1), to_array(w2), to_array(w3)]
}

#[inline(never)]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma")]
fn reduce_group(rows: &mut [[u64; 8]; 8]) {
    let x: [V; 10] = limbs(&transposed(rows));
    store_words(&reduced::<10, 5>(&x), rows, 0);
}

/// Writes z·k mod ℓ of each row and returns Σ z·S of the rows of each lane.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma")]
fn combine_groups<'a>(
    terms: &Terms,
    random: &[[u64; 3]],
    rows: &mut [[u64; 8]],
    s: impl Fn(usize) -> &'a [u8; 32],
) -> [[u64; 7]; 8] {
    let mut sum = [all(0); 8];
    let last = rows.len() - rows.len() % 8;
    let (groups, rest) = rows.as_chunks_mut::<8>();
    for (i, (random, rows)) in random.as_chunks::<8>().0.iter().zip(groups).enumerate() {
        let first = 8 * i;
        let s = [
            s(first),
            s(first + 1),
            s(first + 2),
            s(first + 3),
            s(first + 4),
            s(first + 5),
            s(first + 6),
            s(first + 7),
        ];
        combine_group(terms, random, rows, &s, &mut sum);
    }
    if !rest.is_empty() {
        // rows of z = 0 fill the group
        let (mut z, mut group, mut bytes) = ([terms.offset; 8], [[0; 8]; 8], [&[0; 32]; 8]);
        for (i, row) in rest.iter().enumerate() {
            (z[i], group[i], bytes[i]) = (random[last + i], *row, s(last + i));
        }
        combine_group(terms, &z, &mut group, &bytes, &mut sum);
        rest.copy_from_slice(&group[..rest.len()]);
    }
    carry(&mut sum);
    let sum: [V; 7] = words(&sum);
    let mut lanes = [[0; 7]; 8];
    for (i, word) in sum.into_iter().enumerate() {
        for (lane, word) in lanes.iter_mut().zip(to_array(word)) {
            lane[i] = word;
        }
    }
    lanes
}

/// One group: adds z·S to `sum`.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma")]
fn combine_group(
    terms: &Terms,
    random: &[[u64; 3]; 8],
    rows: &mut [[u64; 8]; 8],
    s: &[&[u8; 32]; 8],
    sum: &mut [V; 8],
) {
    // z = |random − offset|, and where that is negative
    let mut z: [V; 3] = limbs(&words_of_triples(random));
    let offset: [V; 3] = limbs(&[all(terms.offset[0]), all(terms.offset[1]), all(terms.offset[2])]);
    for (limb, offset) in z.iter_mut().zip(offset) {
        *limb = _mm512_sub_epi64(*limb, offset);
    }
    carry(&mut z);
    let negative = _mm512_movepi64_mask(z[2]);
    for limb in &mut z {
        *limb = _mm512_mask_sub_epi64(*limb, negative, all(0), *limb);
    }
    carry(&mut z);
    // instead of −z·k and −z·S: z·(ℓ − k) and z·(16ℓ − S)
    let all_words = transposed(rows);
    let mut k: [V; 5] = limbs(&[all_words[0], all_words[1], all_words[2], all_words[3]]);
    if terms.multiples_of_8 {
        k[0] = _mm512_add_epi64(k[0], all(3));
        carry(&mut k);
        k[0] = _mm512_and_si512(k[0], all(!7));
    }
    let mut s: [V; 5] = limbs(&words_of_bytes(s));
    for i in 0..5 {
        k[i] = _mm512_mask_sub_epi64(k[i], negative, all(ORDER_LIMBS[i]), k[i]);
        s[i] = _mm512_mask_sub_epi64(s[i], negative, all(SIXTEEN_ORDERS[i]), s[i]);
    }
    carry(&mut k);
    carry(&mut s);
    add_product(sum, &z, &s);
    let mut zk = [all(0); 8];
    add_product(&mut zk, &z, &k);
    carry(&mut zk);
    store_words(&reduced::<8, 3>(&zk), rows, 4);
}

/// The words of eight integers of three words.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma")]
fn words_of_triples(triples: &[[u64; 3]; 8]) -> [V; 3] {
    let (vectors, _) = triples.as_flattened().as_chunks::<8>();
    let [a, b, c] = [load(&vectors[0]), load(&vectors[1]), load(&vectors[2])];
    let mut words = [a; 3];
    for (i, word) in words.iter_mut().enumerate() {
        // word i of triple t is word 3t + i of the three vectors: of the first two, or of the last
        let at = |t: usize| (3 * t + i) as u64;
        let low = from_array([at(0), at(1), at(2), at(3), at(4), at(5) & 15, 0, 0]);
        let ab = _mm512_permutex2var_epi64(a, low, b);
        let in_ab = (16 - i).div_ceil(3);
        let mut high = [0; 8];
        for (t, index) in high.iter_mut().enumerate() {
            *index = if t < in_ab { t as u64 } else { 8 + at(t) - 16 };
        }
        *word = _mm512_permutex2var_epi64(ab, from_array(high), c);
    }
    words
}
