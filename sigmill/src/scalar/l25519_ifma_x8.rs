//! Integers modulo ℓ in eight lanes, AVX-512 IFMA: reductions and products of many rows.
//!
//! Representation: vectors of eight 64-bit limbs, radix 2^52, as many as the integer needs. *Columns* are
//! limbs that have not been carried; they may be negative. Bits at 2^252 and above fold down by
//! 2^252 = −c (mod ℓ), where c = ℓ − 2^252 is below 2^125.
//!
//! Public values only, though nothing branches on them.

use super::l25519::{ORDER, Scalar, Terms};
use crate::cpu::Ifma;
use crate::simd::avx512::{U64x8, ifma_functions};
use crate::word::add_carry;

type V = U64x8;

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
pub(super) fn reduce_rows(token: Ifma, rows: &mut [[u64; 8]]) {
    let (groups, rest) = rows.as_chunks_mut::<8>();
    for group in groups {
        reduce_group(token, group);
    }
    if !rest.is_empty() {
        let mut group = [[0; 8]; 8];
        group[..rest.len()].copy_from_slice(rest);
        reduce_group(token, &mut group);
        rest.copy_from_slice(&group[..rest.len()]);
    }
}

/// See [`super::lanes::products_of_eight`].
pub(super) fn products(token: Ifma, a: &[[u64; 8]; 3], b: &[[u8; 32]; 8]) -> [[u64; 8]; 4] {
    product_group(token, a, b)
}

/// See [`super::lanes::combine_rows`].
pub(super) fn combine_rows<'a>(
    token: Ifma,
    terms: &Terms,
    random: &[[u64; 3]],
    rows: &mut [[u64; 8]],
    s: impl Fn(usize) -> &'a [u8; 32],
) -> Scalar {
    let mut sum = [0; 8];
    let groups = random.chunks(8 * GROUPS).zip(rows.chunks_mut(8 * GROUPS)).enumerate();
    for (i, (random, rows)) in groups {
        let first = i * 8 * GROUPS;
        let lanes = combine_groups(token, terms, random, rows, |i| s(first + i));
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

/// Writes z·k mod ℓ of each row and returns Σ z·S of the rows of each lane.
fn combine_groups<'a>(
    token: Ifma,
    terms: &Terms,
    random: &[[u64; 3]],
    rows: &mut [[u64; 8]],
    s: impl Fn(usize) -> &'a [u8; 32],
) -> [[u64; 7]; 8] {
    let mut sum = [V::from_array(token, [0; 8]); 8];
    let last = rows.len() - rows.len() % 8;
    let (groups, rest) = rows.as_chunks_mut::<8>();
    for (i, (random, rows)) in random.as_chunks::<8>().0.iter().zip(groups).enumerate() {
        let s = [0, 1, 2, 3, 4, 5, 6, 7].map(|lane| s(8 * i + lane));
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
    words_of_sum(&mut sum)
}

/// By a number of bits that is known when this is compiled, once loops are unrolled.
#[inline(always)]
fn shift_right(a: V, bits: usize) -> V {
    a.shift_right_each(a.splat(bits as u64))
}

#[inline(always)]
fn shift_left(a: V, bits: usize) -> V {
    a.shift_left_each(a.splat(bits as u64))
}

/// Word j of row i goes to word i of vector j.
#[inline(always)]
fn transposed(token: Ifma, rows: &[[u64; 8]; 8]) -> [V; 8] {
    let mut vectors = [V::zero(token); 8];
    for i in 0..8 {
        vectors[i] = V::from_array(token, rows[i]);
    }
    V::transpose(&vectors)
}

/// Writes integers of four words behind the first `first` words of each row.
#[inline(always)]
fn store_words(words: &[V; 4], rows: &mut [[u64; 8]; 8], first: usize) {
    let words =
        [words[0].to_array(), words[1].to_array(), words[2].to_array(), words[3].to_array()];
    for (lane, row) in rows.iter_mut().enumerate() {
        for (i, word) in words.iter().enumerate() {
            row[first + i] = word[lane];
        }
    }
}

/// W words as L limbs.
#[inline(always)]
fn limbs<const W: usize, const L: usize>(words: &[V; W]) -> [V; L] {
    let mut limbs = [words[0].splat(0); L];
    for (i, limb) in limbs.iter_mut().enumerate() {
        let (word, shift) = (52 * i / 64, 52 * i % 64);
        *limb = shift_right(words[word], shift);
        if shift > 12 && word + 1 < W {
            *limb = *limb | shift_left(words[word + 1], 64 - shift);
        }
        *limb = *limb & words[0].splat(LOW_52);
    }
    limbs
}

/// L carried limbs as W words.
#[inline(always)]
fn words<const L: usize, const W: usize>(limbs: &[V; L]) -> [V; W] {
    let mut words = [limbs[0].splat(0); W];
    for (i, word) in words.iter_mut().enumerate() {
        let (mut limb, shift) = (64 * i / 52, 64 * i % 52);
        *word = shift_right(limbs[limb], shift);
        let mut filled = 52 - shift;
        while filled < 64 && limb + 1 < L {
            limb += 1;
            *word = *word | shift_left(limbs[limb], filled);
            filled += 52;
        }
    }
    words
}

/// Adds the columns of a·b.
#[inline(always)]
fn add_product<const A: usize, const B: usize, const N: usize>(
    columns: &mut [V; N],
    a: &[V; A],
    b: &[V; B],
) {
    for i in 0..A {
        for j in 0..B {
            columns[i + j] = columns[i + j].madd_low(a[i], b[j]);
        }
        for j in 0..B {
            columns[i + j + 1] = columns[i + j + 1].madd_high(a[i], b[j]);
        }
    }
}

/// Carries columns, which may be negative; the last one keeps the rest.
#[inline(always)]
fn carry<const N: usize>(columns: &mut [V; N]) {
    for i in 0..N - 1 {
        let over = columns[i].shift_right_signed::<52>();
        columns[i + 1] = columns[i + 1] + over;
        columns[i] = columns[i] & columns[0].splat(LOW_52);
    }
}

/// The bits from 2^252 on of carried limbs, and those below.
#[inline(always)]
fn split<const N: usize, const H: usize>(x: &[V; N]) -> ([V; H], [V; 5]) {
    let mut high = [x[0].splat(0); H];
    for (i, high) in high.iter_mut().enumerate() {
        *high = shift_right(x[4 + i], 44);
        if 5 + i < N {
            *high = *high | shift_left(x[5 + i], 8);
        }
        *high = *high & x[0].splat(LOW_52);
    }
    (high, [x[0], x[1], x[2], x[3], x[4] & x[0].splat(LOW_44)])
}

/// An integer from 0 to 2^255 in columns, reduced mod ℓ, as words.
#[inline(always)]
fn finish(mut x: [V; 5]) -> [V; 4] {
    carry(&mut x);
    // x = q·2^252 + rest is rest − q·c, above −8·c and below 2^252
    let q = shift_right(x[4], 44);
    x[4] = x[4] & x[0].splat(LOW_44);
    for i in 0..3 {
        x[i] = x[i] - q.times(x[0].splat(C[i]));
    }
    carry(&mut x);
    let negative = x[4].top_bits();
    for i in 0..5 {
        x[i] = V::plus_where(negative, x[i], x[i].splat(ORDER_LIMBS[i]));
    }
    carry(&mut x);
    words(&x)
}

/// The vectors of constant limbs.
#[inline(always)]
fn constants<const N: usize>(token: Ifma, limbs: &[u64; N]) -> [V; N] {
    let mut vectors = [V::zero(token); N];
    for (vector, limb) in vectors.iter_mut().zip(limbs) {
        *vector = V::all(token, *limb);
    }
    vectors
}

/// x mod ℓ for N carried limbs below 2^512, H of them from 2^252 on, as words: for x = h·2^252 + l,
/// h·c = t·2^252 + m and t·c = u·2^252 + v it is l − m + v − u·c, and 2ℓ more is positive and below 2^255.
#[inline(always)]
fn reduced<const N: usize, const H: usize>(x: &[V; N]) -> [V; 4] {
    let c = constants(x[0].token(), &C);
    let (h, mut rest) = split::<N, H>(x);
    let mut hc = [x[0].splat(0); 8];
    add_product(&mut hc, &h, &c);
    carry(&mut hc);
    let (t, m) = split::<8, 3>(&hc);
    let mut tc = [x[0].splat(0); 6];
    add_product(&mut tc, &t, &c);
    carry(&mut tc);
    let (u, v) = split::<6, 1>(&tc);
    let mut uc = [x[0].splat(0); 5];
    add_product(&mut uc, &u, &c);
    for i in 0..5 {
        let plus = v[i] + x[0].splat(2 * ORDER_LIMBS[i]);
        let minus = m[i] + uc[i];
        rest[i] = rest[i] + (plus - minus);
    }
    finish(rest)
}

/// The words of eight integers of three words.
#[inline(always)]
fn words_of_triples(token: Ifma, triples: &[[u64; 3]; 8]) -> [V; 3] {
    let (vectors, _) = triples.as_flattened().as_chunks::<8>();
    let (a, b) = (V::from_array(token, vectors[0]), V::from_array(token, vectors[1]));
    let c = V::from_array(token, vectors[2]);
    let mut words = [a; 3];
    for (i, word) in words.iter_mut().enumerate() {
        // word i of triple t is word 3t + i of the three vectors: of the first two, or of the last
        let at = |t: usize| (3 * t + i) as u64;
        let low = V::from_array(token, [at(0), at(1), at(2), at(3), at(4), at(5) & 15, 0, 0]);
        let ab = a.word_of_two(low, b);
        let in_ab = (16 - i).div_ceil(3);
        let mut high = [0; 8];
        for (t, index) in high.iter_mut().enumerate() {
            *index = if t < in_ab { t as u64 } else { 8 + at(t) - 16 };
        }
        *word = ab.word_of_two(V::from_array(token, high), c);
    }
    words
}

ifma_functions! { never
    fn product_group(token: Ifma, a: &[[u64; 8]; 3], b: &[[u8; 32]; 8]) -> [[u64; 8]; 4] {
        let a = [
            V::from_array(token, a[0]),
            V::from_array(token, a[1]),
            V::from_array(token, a[2]),
        ];
        let a: [V; 3] = limbs(&a);
        let b: [V; 5] = limbs(&V::words_of_bytes(token, &b.each_ref()));
        let mut product = [V::zero(token); 8];
        add_product(&mut product, &a, &b);
        carry(&mut product);
        let [w0, w1, w2, w3] = reduced::<8, 3>(&product);
        [w0.to_array(), w1.to_array(), w2.to_array(), w3.to_array()]
    }

    fn reduce_group(token: Ifma, rows: &mut [[u64; 8]; 8]) {
        let x: [V; 10] = limbs(&transposed(token, rows));
        store_words(&reduced::<10, 5>(&x), rows, 0);
    }

    /// One group: adds z·S to `sum`.
    fn combine_group(
        terms: &Terms,
        random: &[[u64; 3]; 8],
        rows: &mut [[u64; 8]; 8],
        s: &[&[u8; 32]; 8],
        sum: &mut [V; 8],
    ) {
        let token = sum[0].token();
        // z = |random − offset|, and where that is negative
        let mut z: [V; 3] = limbs(&words_of_triples(token, random));
        let offset: [V; 3] = limbs(&constants(token, &terms.offset));
        for (limb, offset) in z.iter_mut().zip(offset) {
            *limb = *limb - offset;
        }
        carry(&mut z);
        let negative = z[2].top_bits();
        for limb in &mut z {
            *limb = V::minus_where(negative, V::zero(token), *limb, *limb);
        }
        carry(&mut z);
        // instead of −z·k and −z·S: z·(ℓ − k) and z·(16ℓ − S)
        let all_words = transposed(token, rows);
        let mut k: [V; 5] = limbs(&[all_words[0], all_words[1], all_words[2], all_words[3]]);
        if terms.multiples_of_8 {
            k[0] = k[0] + V::all(token, 3);
            carry(&mut k);
            k[0] = k[0] & V::all(token, !7);
        }
        let mut s: [V; 5] = limbs(&V::words_of_bytes(token, s));
        for i in 0..5 {
            k[i] = V::minus_where(negative, V::all(token, ORDER_LIMBS[i]), k[i], k[i]);
            s[i] = V::minus_where(negative, V::all(token, SIXTEEN_ORDERS[i]), s[i], s[i]);
        }
        carry(&mut k);
        carry(&mut s);
        add_product(sum, &z, &s);
        let mut zk = [V::zero(token); 8];
        add_product(&mut zk, &z, &k);
        carry(&mut zk);
        store_words(&reduced::<8, 3>(&zk), rows, 4);
    }

    /// The integer of each lane.
    fn words_of_sum(sum: &mut [V; 8]) -> [[u64; 7]; 8] {
        carry(sum);
        let sum: [V; 7] = words(sum);
        let mut lanes = [[0; 7]; 8];
        for (i, word) in sum.into_iter().enumerate() {
            for (lane, word) in lanes.iter_mut().zip(word.to_array()) {
                lane[i] = word;
            }
        }
        lanes
    }
}
