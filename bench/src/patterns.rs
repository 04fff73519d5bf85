//! ECDSA signatures whose two scalars are chosen: what verification costs at worst, where its time
//! depends on them. For what charges a fixed price for a verification.

use crate::random::Random;

/// How the scalars of a signature are chosen: u₁ = e/s, with which the base point is multiplied, and
/// u₂ = r/s, with which the key is.
#[derive(Clone, Copy)]
pub(crate) struct Pattern {
    pub(crate) name: &'static str,
    pub(crate) u1: Bits,
    pub(crate) u2: Bits,
    /// The key is the base point.
    pub(crate) key_is_base: bool,
}

/// The bits of a scalar.
#[derive(Clone, Copy)]
pub(crate) enum Bits {
    Random,
    Zero,
    /// All but the top one.
    Ones,
    /// Every second.
    Alternating,
    /// The top one.
    One,
    /// Of sixteen bits.
    Small,
    /// The order less such a one.
    MinusSmall,
    /// An odd digit at every w-th bit, below half of what w bits hold: the non-adjacent form of that
    /// width has as many digits as it can.
    Digits(usize),
}

const fn both(name: &'static str, bits: Bits) -> Pattern {
    Pattern { name, u1: bits, u2: bits, key_is_base: false }
}

/// The pattern of signatures by an honest signer.
pub(crate) const USUAL: &str = "random";

/// All patterns.
pub(crate) const PATTERNS: &[Pattern] = &[
    both(USUAL, Bits::Random),
    both("all ones", Bits::Ones),
    both("alternating bits", Bits::Alternating),
    both("one bit", Bits::One),
    both("small", Bits::Small),
    both("minus small", Bits::MinusSmall),
    // the widths of sigmill
    Pattern {
        u1: Bits::Digits(9),
        u2: Bits::Digits(5),
        ..both("digits of 9 and 5 bits", Bits::Zero)
    },
    both("digits of 7 bits", Bits::Digits(7)),
    both("digits of 6 bits", Bits::Digits(6)),
    both("digits of 5 bits", Bits::Digits(5)),
    both("digits of 4 bits", Bits::Digits(4)),
    Pattern { u1: Bits::Zero, ..both("digest 0", Bits::Random) },
    Pattern { key_is_base: true, ..both("key is base point", Bits::Random) },
];

impl Bits {
    /// Writes the scalar, big-endian; of [`Bits::MinusSmall`] what is to be subtracted. A random one
    /// may be above the order.
    pub(crate) fn write(self, scalar: &mut [u8], random: &mut Random) {
        let last = scalar.len() - 1;
        match self {
            Bits::Zero => scalar.fill(0),
            Bits::Random => scalar.fill_with(|| random.next() as u8),
            Bits::Alternating => scalar.fill(0x55),
            Bits::Ones => {
                scalar.fill(0xff);
                scalar[0] = 0x7f;
            }
            Bits::One => {
                scalar.fill(0);
                scalar[0] = 0x80;
            }
            Bits::Small | Bits::MinusSmall => {
                scalar.fill(0);
                scalar[last - 1] = random.next() as u8;
                scalar[last] = random.next() as u8 | 1;
            }
            Bits::Digits(width) => {
                scalar.fill(0);
                for first in (0..=8 * scalar.len() - width).step_by(width) {
                    let digit = (random.next() % (1 << (width - 1))) | 1;
                    for bit in (0..width).filter(|bit| digit >> bit & 1 == 1) {
                        scalar[last - (first + bit) / 8] |= 1 << ((first + bit) % 8);
                    }
                }
            }
        }
    }
}
