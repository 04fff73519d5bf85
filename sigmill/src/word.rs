//! Carries and products of 64-bit words, and little-endian loads and stores.
//!
//! All operations are constant time.

#[cfg(sigmill_aarch64)]
mod aarch64;
#[cfg(test)]
mod tests;

/// `a + b + carry`: the low word and the carry (0 or 1).
#[inline(always)]
pub(crate) const fn add_carry(a: u64, b: u64, carry: u64) -> (u64, u64) {
    let (sum, first) = a.overflowing_add(b);
    let (sum, second) = sum.overflowing_add(carry);
    (sum, (first | second) as u64)
}

/// `a − b − borrow`: the low word and the borrow (0 or 1).
#[inline(always)]
pub(crate) const fn sub_borrow(a: u64, b: u64, borrow: u64) -> (u64, u64) {
    // the form that LLVM makes one instruction of
    let (difference, first) = a.overflowing_sub(b);
    let (difference, second) = difference.overflowing_sub(borrow);
    (difference, (first | second) as u64)
}

/// `a − b` of words, the lowest first: the difference modulo 2^(64·N) and the borrow (0 or 1).
#[inline(always)]
pub(crate) fn sub_words<const N: usize>(a: &[u64; N], b: &[u64; N]) -> ([u64; N], u64) {
    #[cfg(sigmill_aarch64)]
    if let Some(difference) = aarch64::sub_words(a, b) {
        return difference;
    }
    let (mut difference, mut borrow) = ([0; N], 0);
    for ((difference, a), b) in difference.iter_mut().zip(a).zip(b) {
        (*difference, borrow) = sub_borrow(*a, *b, borrow);
    }
    (difference, borrow)
}

/// `acc + a·b + carry`: the low and the high word. Cannot overflow: (2^64−1)^2 + 2·(2^64−1) = 2^128−1. Wraps, so
/// that no build looks for an overflow.
#[inline(always)]
pub(crate) const fn mul_add(acc: u64, a: u64, b: u64, carry: u64) -> (u64, u64) {
    let product = (a as u128).wrapping_mul(b as u128);
    let sum = product.wrapping_add(acc as u128).wrapping_add(carry as u128);
    (sum as u64, (sum >> 64) as u64)
}

/// 32 bytes, little-endian, as four words, the lowest first.
#[inline]
pub(crate) const fn load_le(bytes: &[u8; 32]) -> [u64; 4] {
    let (chunks, _) = bytes.as_chunks();
    [
        u64::from_le_bytes(chunks[0]),
        u64::from_le_bytes(chunks[1]),
        u64::from_le_bytes(chunks[2]),
        u64::from_le_bytes(chunks[3]),
    ]
}

/// Four words, the lowest first, as 32 bytes, little-endian.
#[inline]
pub(crate) fn store_le(words: &[u64; 4]) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (chunk, word) in bytes.chunks_exact_mut(8).zip(words) {
        chunk.copy_from_slice(&word.to_le_bytes());
    }
    bytes
}
