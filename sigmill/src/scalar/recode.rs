//! Signed digit forms of scalars. The name says which one and at what cost in time.

use zeroize::Zeroize;

/// Digits of [`signed_radix_16_of`] for six words.
pub(crate) const RADIX_16_DIGITS: usize = 96;

/// Σ dᵢ·16ⁱ with −8 ≤ dᵢ ≤ 8, for an integer of at most six words whose top bit is not set; only the last
/// digit can be 8. Constant time.
pub(crate) fn signed_radix_16_of(words: &[u64]) -> [i8; RADIX_16_DIGITS] {
    let mut digits = [0_i8; RADIX_16_DIGITS];
    let mut carry = 0;
    let last = 16 * words.len() - 1;
    for (i, digit) in digits.iter_mut().enumerate().take(last + 1) {
        // 0..=16 becomes −8..8 with a carry of 0 or 1
        let value = (words[i / 16] >> (4 * (i % 16)) & 15) as i8 + carry;
        carry = if i < last { (value + 8) >> 4 } else { 0 };
        *digit = value - (carry << 4);
    }
    digits
}

/// The width-`width` non-adjacent form: Σ dᵢ·2ⁱ, each dᵢ zero or odd with |dᵢ| < 2^(width−1), and
/// at most one of any `width` neighbours not zero. For an integer below 2^(64·N − 1), with
/// `DIGITS` > 64·N − 1 + 1 at most used; 2 ≤ width ≤ 9. Time depends on the scalar: public data only.
pub(crate) fn naf_vartime<const WORDS: usize, const DIGITS: usize>(
    words: &[u64; WORDS],
    width: u32,
) -> [i16; DIGITS] {
    debug_assert!((2..=9).contains(&width) && DIGITS > 64 * WORDS - 1);
    let window = 1_u64 << width;
    let mut digits = [0_i16; DIGITS];
    let mut carry = 0;
    let mut position = 0;
    while position < 64 * WORDS {
        let (word, bit) = (position / 64, position % 64);
        let mut bits = words[word] >> bit;
        if bit as u32 + width > 64 && word + 1 < WORDS {
            bits |= words[word + 1] << (64 - bit);
        }
        let value = (bits & (window - 1)) + carry;
        if value & 1 == 0 {
            // an even window: a zero digit, and the carry stays as it is
            position += 1;
            continue;
        }
        if value < window / 2 {
            carry = 0;
            digits[position] = value as i16;
        } else {
            carry = 1;
            digits[position] = (value as i64 - window as i64) as i16;
        }
        position += width as usize;
    }
    if carry == 1 && position < DIGITS {
        digits[position] = 1;
    }
    digits
}

/// Digits of [`signed_radix_32`] for six words.
pub(crate) const RADIX_32_DIGITS: usize = 78;

/// Σ dᵢ·32ⁱ with −16 ≤ dᵢ ≤ 16, for an integer of at most six words. Constant time.
pub(crate) fn signed_radix_32(words: &[u64]) -> [i8; RADIX_32_DIGITS] {
    let mut digits = [0_i8; RADIX_32_DIGITS];
    let word = |i: usize| words.get(i).copied().unwrap_or(0);
    let mut carry = 0;
    for (i, digit) in digits.iter_mut().enumerate() {
        let (first, shift) = (5 * i / 64, 5 * i % 64);
        let bits = word(first) >> shift | word(first + 1) << 1 << (63 - shift);
        // 0..=32 becomes −16..=16 with a carry of 0 or 1
        let value = (bits & 31) as i8 + carry;
        carry = (value + 15) >> 5;
        *digit = value - (carry << 5);
    }
    digits
}

/// Wipes digits of a secret scalar.
pub(crate) fn wipe(digits: &mut [i8]) {
    digits.zeroize();
}
