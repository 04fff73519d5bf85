//! Integers of N words, the lowest first.

#![allow(clippy::needless_range_loop)] // carries run through several arrays at once

use crate::ct::Mask;
use crate::word::{add_carry, sub_borrow, sub_words};

/// 1/x mod 2^64 for an odd x: each step of Newton's iteration doubles the bits that are right, and x
/// is its own inverse mod 8.
pub(super) const fn inverse_mod_word(x: u64) -> u64 {
    let mut inverse = x;
    let mut bits = 3;
    while bits < 64 {
        inverse = inverse.wrapping_mul(2_u64.wrapping_sub(x.wrapping_mul(inverse)));
        bits *= 2;
    }
    inverse
}

/// 2^doublings · x mod m, for x below m.
pub(crate) const fn double_times<const N: usize>(
    mut x: [u64; N],
    m: &[u64; N],
    doublings: usize,
) -> [u64; N] {
    let mut n = 0;
    while n < doublings {
        let (mut twice, mut less) = ([0; N], [0; N]);
        let (mut carry, mut borrow) = (0, 0);
        let mut i = 0;
        while i < N {
            (twice[i], carry) = add_carry(x[i], x[i], carry);
            (less[i], borrow) = sub_borrow(twice[i], m[i], borrow);
            i += 1;
        }
        x = if carry == 1 || borrow == 0 { less } else { twice };
        n += 1;
    }
    x
}

/// `x` or `x − m`, whichever is not negative and smaller, for x = words + carry·R below 2·m.
#[inline(always)]
pub(super) fn subtract_once<const N: usize>(words: [u64; N], carry: u64, m: &[u64; N]) -> [u64; N] {
    let (mut less, borrow) = sub_words(&words, m);
    // too small if there is a borrow that the carry does not pay
    let too_small = Mask::from_bit(borrow & (carry ^ 1));
    for i in 0..N {
        less[i] = too_small.select(words[i], less[i]);
    }
    less
}

/// Whether an integer is below another, in words, the lowest first.
#[inline]
pub(crate) fn is_below<const N: usize>(a: &[u64; N], b: &[u64; N]) -> Mask {
    Mask::from_bit(sub_words(a, b).1)
}

/// Big-endian bytes as words, the lowest first. The slice has 8·N bytes at most; fewer stand for the
/// lower ones.
#[inline]
pub(crate) fn words_from_be_bytes<const N: usize>(bytes: &[u8]) -> [u64; N] {
    let mut words = [0; N];
    for (i, byte) in bytes.iter().rev().take(8 * N).enumerate() {
        words[i / 8] |= u64::from(*byte) << (8 * (i % 8));
    }
    words
}

/// Words, the lowest first, as 8·N big-endian bytes; a shorter slice gets the lower ones.
#[inline]
pub(crate) fn words_to_be_bytes<const N: usize>(words: &[u64; N], bytes: &mut [u8]) {
    for (i, byte) in bytes.iter_mut().rev().take(8 * N).enumerate() {
        *byte = (words[i / 8] >> (8 * (i % 8))) as u8;
    }
}
