//! Signed digit forms of scalars. The name says which one and at what cost in time.
//!
//! | form | digits | for |
//! |---|---|---|
//! | [`Windows`] | w bits each, cut at fixed places; signed ones of a scalar with an offset added, without a carry from digit to digit | lanes, where all digits are added at the same time; secrets |
//! | `odd_digits` | w bits each, all odd, by places, reaching ±(2^w − 1) | multiples of G by secrets |
//! | `signed_radix_16_of`, `signed_radix_32` | the same digits by a carry, where digits are wanted one after the other and reach ±2^(w−1) | multiples by secrets |
//! | [`OddWindows`] | w bits each, all odd: none is 0 | \[u1\]G + \[u2\]Q in lanes |
//! | `naf_vartime` | zero or odd, mostly zero | one public scalar |

use crate::modular::PrimeField;
use zeroize::Zeroize;

/// How a scalar is cut: windows of `width` bits, signed (digits −2^(width−1) to 2^(width−1), from
/// scalars with [`Windows::offset`] added) or unsigned.
#[derive(Clone, Copy)]
pub(crate) struct Windows {
    pub(crate) width: u32,
    pub(crate) signed: bool,
}

impl Windows {
    /// Signed ones.
    pub(crate) const fn signed(width: u32) -> Self {
        Windows { width, signed: true }
    }

    /// Σ 2^(width−1)·2^(width·i) over so many windows, as far as there are bits: added to a scalar before it is cut.
    pub(crate) const fn offset<const N: usize>(self, windows: u32) -> [u64; N] {
        let mut offset = [0; N];
        let mut i = 0;
        while i < windows {
            let bit = (self.width * i + self.width - 1) as usize;
            if bit < 64 * N {
                offset[bit / 64] |= 1 << (bit % 64);
            }
            i += 1;
        }
        offset
    }

    /// The bits of the window that begins at bit `shift` of `low`, where `high` is the word after it. Constant time.
    #[inline(always)]
    pub(crate) const fn bits(self, low: u64, high: u64, shift: u32) -> u64 {
        (low >> shift | high << 1 << (63 - shift)) & ((1 << self.width) - 1)
    }

    /// The digit of a window's bits: its magnitude, and 1 where it is negative.
    #[inline(always)]
    pub(crate) const fn digit(self, bits: u32) -> (u32, u32) {
        if self.signed {
            let digit = bits as i32 - (1 << (self.width - 1));
            (digit.unsigned_abs(), (digit < 0) as u32)
        } else {
            (bits, 0)
        }
    }
}

/// Signed windows without a digit 0: those of an odd scalar, up to n, in words, and whether it stands for the opposite
/// one. Digit i of width w is 2·b + 1 − 2^w, where b are the bits w·i + 1 to w·i + w; of the highest 2·b + 1, with b one
/// bit shorter.
#[derive(Clone, Copy)]
pub(crate) struct OddWindows([u64; 8], bool);

impl OddWindows {
    pub(crate) const ZERO: Self = OddWindows([0; 8], false);

    /// u, or n − u to stand for it.
    pub(crate) fn of_vartime<S: PrimeField>(u: &S) -> Self {
        let (mut words, mut borrow) = ([0; 8], false);
        let (u, n) = (u.to_words(), S::MODULUS);
        let even = u.as_ref()[0] & 1 == 0;
        for (i, (u, n)) in u.as_ref().iter().zip(n.as_ref()).enumerate() {
            let (difference, first) = n.overflowing_sub(*u);
            let (difference, second) = difference.overflowing_sub(u64::from(borrow));
            borrow = first | second;
            words[i] = if even { difference } else { *u };
        }
        OddWindows(words, even)
    }

    /// The entry of digit i of this width, and whether it is negative: entry e is the multiple by 2·e + 1.
    #[inline(always)]
    pub(crate) fn digit(&self, i: usize, width: usize, highest: bool) -> (usize, bool) {
        let at = width * i + 1;
        let low = self.0[at / 64] >> (at % 64);
        let high = self.0.get(at / 64 + 1).map_or(0, |word| word << 1 << (63 - at % 64));
        let bits = ((low | high) & ((1 << width) - 1)) as usize;
        let half = 1 << (width - 1);
        if highest {
            (bits & (half - 1), self.1)
        } else if bits < half {
            (half - 1 - bits, !self.1)
        } else {
            (bits - half, self.1)
        }
    }
}

/// Digits of [`signed_radix_16_of`] for nine words.
pub(crate) const RADIX_16_DIGITS: usize = 144;

/// Σ dᵢ·16ⁱ with −8 ≤ dᵢ ≤ 8, for an integer of at most nine words whose top bit is not set; only the last
/// digit can be 8. Constant time.
pub(crate) fn signed_radix_16_of(words: &[u64]) -> [i8; RADIX_16_DIGITS] {
    let mut digits = [0_i8; RADIX_16_DIGITS];
    let mut carry = 0;
    let last = 16 * words.len() - 1;
    for (i, digit) in digits.iter_mut().enumerate().take(last + 1) {
        // 0..=16 becomes −8..8 with a carry of 0 or 1
        let value = ((words[i / 16] >> (4 * (i % 16)) & 15) as i8).wrapping_add(carry);
        carry = if i < last { value.wrapping_add(8) >> 4 } else { 0 };
        *digit = value.wrapping_sub(carry << 4);
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
    let mut digits = [0_i16; DIGITS];
    write_naf_vartime(words, width, &mut digits, |digit| digit);
    digits
}

/// [`naf_vartime`] of as many words as there are, to digits that are zero; `narrow` makes them of a smaller type.
#[inline(never)]
pub(crate) fn naf_into_vartime<D>(
    words: &[u64],
    width: u32,
    digits: &mut [D],
    narrow: impl Fn(i16) -> D,
) {
    write_naf_vartime(words, width, digits, narrow);
}

#[inline(always)]
fn write_naf_vartime<D>(words: &[u64], width: u32, digits: &mut [D], narrow: impl Fn(i16) -> D) {
    let mut place = NafPlace::default();
    while !place.at_end(words) {
        if let Some((position, digit)) = place.step_vartime(words, width) {
            let Some(place) = digits.get_mut(position) else { break };
            *place = narrow(digit);
        }
    }
}

/// How far [`naf_vartime`] has come: for whoever goes on a digit at a time.
#[derive(Clone, Copy, Default)]
pub(crate) struct NafPlace {
    position: usize,
    /// 0, or all ones where a digit before was negative: then 1 is to be added.
    carry: u64,
}

impl NafPlace {
    /// Whether the digits after this place are all 0.
    #[inline(always)]
    pub(crate) fn at_end(&self, words: &[u64]) -> bool {
        self.position >= 64 * words.len()
    }

    /// The next digit that is not 0, and its position, or none yet: zeros only. Not to be asked at the end.
    #[inline(always)]
    pub(crate) fn step_vartime(&mut self, words: &[u64], width: u32) -> Option<(usize, i16)> {
        debug_assert!((2..=9).contains(&width) && words.last().is_some_and(|top| top >> 63 == 0));
        let window = 1_u64 << width;
        let (word, bit) = (self.position / 64, self.position as u32 % 64);
        let [low, next] = [word, word + 1].map(|i| words.get(i).copied().unwrap_or(0));
        let bits = low >> bit | next << 1 << (63 - bit);
        // 0 with nothing carried, and 1 with 1 carried: a zero digit, and the carry stays as it is
        let run = (bits ^ self.carry).trailing_zeros();
        if run + width > 64 {
            // too few bits are left to make a digit of
            self.position += run.min(64 - width) as usize;
            return None;
        }
        let position = self.position + run as usize;
        let value = ((bits >> run) & (window - 1)).wrapping_sub(self.carry);
        let negative = value >> (width - 1);
        self.carry = negative.wrapping_neg();
        self.position = position + width as usize;
        Some((position, value as i16 - (negative << width) as i16))
    }
}

/// Digits of [`signed_radix_32`] for nine words.
pub(crate) const RADIX_32_DIGITS: usize = 116;

/// Σ dᵢ·32ⁱ with −16 ≤ dᵢ ≤ 16, for an integer of at most nine words. Constant time but for their number.
pub(crate) fn signed_radix_32(words: &[u64]) -> [i8; RADIX_32_DIGITS] {
    let mut digits = [0_i8; RADIX_32_DIGITS];
    let word = |i: usize| words.get(i).copied().unwrap_or(0);
    let mut carry = 0;
    for (i, digit) in digits.iter_mut().enumerate().take((64 * words.len()).div_ceil(5)) {
        let (first, shift) = (5 * i / 64, 5 * i % 64);
        let bits = word(first) >> shift | word(first + 1) << 1 << (63 - shift);
        // 0..=32 becomes −16..=16 with a carry of 0 or 1
        let value = ((bits & 31) as i8).wrapping_add(carry);
        carry = value.wrapping_add(15) >> 5;
        *digit = value.wrapping_sub(carry << 5);
    }
    digits
}

/// Σ dᵢ·2^(width·i), every dᵢ odd and |dᵢ| < 2^width, for an odd integer of so many words as there are digits for, whose
/// top bit is not set; how many digits it has: [`odd_digits_of`]. 2 ≤ width ≤ 6. Constant time but for the number of words.
pub(crate) fn odd_digits<const DIGITS: usize>(words: &[u64], width: usize) -> [i8; DIGITS] {
    let mut digits = [0_i8; DIGITS];
    let word = |i: usize| words.get(i).copied().unwrap_or(0);
    let last = odd_digits_of(words.len(), width) - 1;
    for (i, digit) in digits.iter_mut().enumerate().take(last + 1) {
        let (first, shift) = ((width * i + 1) / 64, (width * i + 1) % 64);
        let bits = word(first) >> shift | word(first + 1) << 1 << (63 - shift);
        let bits = (bits & ((1 << width) - 1)) as i8;
        // each takes from the next one what makes it odd
        let taken = if i < last { 1 << width } else { 0 };
        *digit = (i16::from(bits) << 1 | 1).wrapping_sub(taken) as i8;
    }
    digits
}

/// Digits of [`odd_digits`] for so many words.
pub(crate) const fn odd_digits_of(words: usize, width: usize) -> usize {
    (64 * words - 2).div_ceil(width)
}

/// Wipes digits of a secret scalar.
pub(crate) fn wipe(digits: &mut [i8]) {
    digits.zeroize();
}
