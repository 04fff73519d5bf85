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
/// at most one of any `width` neighbours not zero. For an integer below 2^(`DIGITS` − 1), of which at
/// most 64·`WORDS` − 1 bits are used; 2 ≤ width ≤ 9. Time depends on the scalar: public data only.
#[inline(never)]
pub(crate) fn naf_vartime<const WORDS: usize, const DIGITS: usize>(
    words: &[u64; WORDS],
    width: u32,
) -> [i16; DIGITS] {
    debug_assert!((2..=9).contains(&width) && words[WORDS - 1] >> 63 == 0);
    let window = 1_u64 << width;
    let mut digits = [0_i16; DIGITS];
    // 0, or all ones where a digit before was negative: then 1 is to be added
    let mut carry = 0_u64;
    let mut position = 0;
    while position < 64 * WORDS {
        let (word, bit) = (position / 64, position as u32 % 64);
        let next = words.get(word + 1).copied().unwrap_or(0);
        let bits = words[word] >> bit | next << 1 << (63 - bit);
        // 0 with nothing carried, and 1 with 1 carried: a zero digit, and the carry stays as it is
        let run = (bits ^ carry).trailing_zeros();
        if run + width > 64 {
            // too few bits are left to make a digit of
            position += run.min(64 - width) as usize;
            continue;
        }
        position += run as usize;
        let value = ((bits >> run) & (window - 1)).wrapping_sub(carry);
        let negative = value >> (width - 1);
        carry = negative.wrapping_neg();
        let Some(digit) = digits.get_mut(position) else { break };
        *digit = value as i16 - (negative << width) as i16;
        position += width as usize;
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
