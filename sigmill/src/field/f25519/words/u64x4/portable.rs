//! Products, sums and choices of four words for every target: 64-bit products and carries, as the compiler makes them.

use crate::ct::Mask;
use crate::word::{add_carry, mul_add, sub_words};

/// `x·y` for words below 2^256, below 2^255 + `EXCESS`.
#[inline(always)]
pub(super) fn product(x: &[u64; 4], y: &[u64; 4]) -> [u64; 4] {
    let mut wide = [0; 8];
    for (i, x) in x.iter().enumerate() {
        let products = y.map(|y| u128::from(*x).wrapping_mul(y.into()));
        // two chains of carries: one of the low halves, one of the high ones
        let (mut low, mut high) = (0, 0);
        for (j, product) in products.iter().enumerate() {
            (wide[i + j], low) = add_carry(wide[i + j], *product as u64, low);
        }
        wide[i + 4] = low;
        for (j, product) in products.iter().enumerate() {
            (wide[i + j + 1], high) = add_carry(wide[i + j + 1], (product >> 64) as u64, high);
        }
    }
    folded_once(&wide)
}

/// `x^(2^n)` for words below 2^256 and n from 1 on, below 2^255 + `EXCESS`. Time depends on n.
#[inline(always)]
pub(super) fn power(x: &[u64; 4], n: u32) -> [u64; 4] {
    (0..n).fold(*x, |x, _| square(&x))
}

/// `x·n` for words below 2^256 and n up to `SMALL_MAX`, below 2^255 + `EXCESS`.
#[inline(always)]
pub(super) fn small_product(x: &[u64; 4], n: u64) -> [u64; 4] {
    let (mut words, mut top) = ([0; 4], 0);
    for (word, x) in words.iter_mut().zip(x) {
        (*word, top) = mul_add(0, *x, n, top);
    }
    folded_at_bit_255(words, top)
}

/// `x²`, below 2^255 + `EXCESS`: products of different words once, and doubled.
#[inline(always)]
pub(super) fn square(x: &[u64; 4]) -> [u64; 4] {
    let [a, b, c, d] = *x;
    let (w1, carry) = mul_add(0, a, b, 0);
    let (w2, carry) = mul_add(0, a, c, carry);
    let (w3, w4) = mul_add(0, a, d, carry);
    let (w3, carry) = mul_add(w3, b, c, 0);
    let (w4, w5) = mul_add(w4, b, d, carry);
    let (w5, w6) = mul_add(w5, c, d, 0);
    let mut wide = [0, w1, w2, w3, w4, w5, w6, 0];
    let mut carry = 0;
    for word in &mut wide[1..] {
        (*word, carry) = add_carry(*word, *word, carry);
    }
    carry = 0;
    for (pair, x) in wide.chunks_exact_mut(2).zip(x) {
        let square = u128::from(*x).wrapping_mul((*x).into());
        (pair[0], carry) = add_carry(pair[0], square as u64, carry);
        (pair[1], carry) = add_carry(pair[1], (square >> 64) as u64, carry);
    }
    folded_once(&wide)
}

/// The upper half, times 38, added to the lower one; then what is above bit 255 folded.
#[inline(always)]
fn folded_once(wide: &[u64; 8]) -> [u64; 4] {
    let (low, high) = wide.split_at(4);
    let (mut words, mut top) = ([0; 4], 0);
    for ((word, low), high) in words.iter_mut().zip(low).zip(high) {
        (*word, top) = mul_add(*low, *high, 38, top);
    }
    folded_at_bit_255(words, top)
}

/// q·2^255 + r with r below 2^255 as r + 19·q, for a top of at most 17 bits above the words.
#[inline(always)]
fn folded_at_bit_255([a, b, c, d]: [u64; 4], top: u64) -> [u64; 4] {
    let q = top << 1 | d >> 63;
    let (a, carry) = add_carry(a, q.wrapping_mul(19), 0);
    let (b, carry) = add_carry(b, 0, carry);
    let (c, carry) = add_carry(c, 0, carry);
    let (d, _) = add_carry(d & (u64::MAX >> 1), 0, carry);
    [a, b, c, d]
}

/// `x + y` and the carry.
#[inline(always)]
fn added(x: &[u64; 4], y: &[u64; 4]) -> ([u64; 4], u64) {
    let (mut sum, mut carry) = ([0; 4], 0);
    for ((sum, x), y) in sum.iter_mut().zip(x).zip(y) {
        (*sum, carry) = add_carry(*x, *y, carry);
    }
    (sum, carry)
}

/// 38 where the carry is 1, 0 where it is 0: what leaves the words at the top comes in again.
#[inline(always)]
fn comes_in(carry: u64) -> u64 {
    carry.wrapping_neg() & 38
}

/// The same residue, below 2^255 + 19, for words below 2^256.
#[inline(always)]
pub(super) fn folded(x: &[u64; 4]) -> [u64; 4] {
    folded_at_bit_255(*x, 0)
}

/// `x + y`, below 2^256, for x + y below 2^256 + 2^64 − 38.
#[inline(always)]
pub(super) fn sum_of_products(x: &[u64; 4], y: &[u64; 4]) -> [u64; 4] {
    let ([a, b, c, d], carry) = added(x, y);
    [a.wrapping_add(comes_in(carry)), b, c, d]
}

/// `x − y`, below 2^256, for x − y from 38 − 2^256 on.
#[inline(always)]
pub(super) fn difference_of_products(x: &[u64; 4], y: &[u64; 4]) -> [u64; 4] {
    let (difference, borrow) = sub_words(x, y);
    sub_words(&difference, &[comes_in(borrow), 0, 0, 0]).0
}

/// `x + y`, below 2^256, for words below 2^256. Where the first 38 passes 2^256, less than 38 is left.
#[inline(always)]
pub(super) fn sum(x: &[u64; 4], y: &[u64; 4]) -> [u64; 4] {
    let (sum, carry) = added(x, y);
    let ([a, b, c, d], carry) = added(&sum, &[comes_in(carry), 0, 0, 0]);
    [a.wrapping_add(comes_in(carry)), b, c, d]
}

/// `x − y`, below 2^256, for words below 2^256. Where the first 38 passes 0, less than 38 is missing to 2^256.
#[inline(always)]
pub(super) fn difference(x: &[u64; 4], y: &[u64; 4]) -> [u64; 4] {
    let (difference, borrow) = sub_words(x, y);
    let ([a, b, c, d], borrow) = sub_words(&difference, &[comes_in(borrow), 0, 0, 0]);
    [a.wrapping_sub(comes_in(borrow)), b, c, d]
}

/// The first where the mask is all ones, the second where it is 0.
#[inline(always)]
pub(super) fn selected(mask: Mask, if_set: &[u64; 4], if_clear: &[u64; 4]) -> [u64; 4] {
    core::array::from_fn(|i| mask.select(if_set[i], if_clear[i]))
}
