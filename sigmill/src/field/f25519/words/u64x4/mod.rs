//! GF(2^255 − 19), one lane, 64-bit: four words. The portable backend, and that of CPUs with MULX, ADCX and ADOX; which of
//! them an element is for, its token says. The portable one is the reference that other backends are compared to.
//!
//! | file | what it holds |
//! |---|---|
//! | `portable` | products, sums and choices for every target |
//! | `x86_64` | the same for every x86-64 |
//! | `adx` | products with two chains of carries |
//! | `aarch64` | the same as `portable` for every 64-bit Arm |
//!
//! Representation: four 64-bit words, the lowest first, without spare bits. 2^256 = 38 and 2^255 = 19 modulo p,
//! so what leaves the words at the top comes in again at the bottom.
//!
//! Bounds (of the whole integer):
//!
//! | type | below | made by |
//! |---|---|---|
//! | `Product` | 2^255 + `EXCESS` | `mul`, `square`, `mul_small`, `widen`: what is above bit 255 is folded once |
//! | `Fe` | 2^256 | a product as it is; `sum`: one fold for two products, two where a sum is added |
//!
//! The sum of two products passes 2^256 by little: the 38 that then comes in does not leave the lowest word.
//!
//! All operations are constant time.

#[cfg(sigmill_aarch64)]
mod aarch64;
#[cfg(sigmill_x86_64)]
mod adx;
#[cfg_attr(any(target_arch = "x86_64", sigmill_aarch64), allow(dead_code))]
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86_64;

use super::super::field::Field;
use crate::ct::Mask;
use crate::field::algebra::Algebra;
use crate::simd::{Instructions, Proven};
use crate::word::{self, add_carry};
#[cfg(sigmill_aarch64)]
use aarch64 as words;
#[cfg(not(any(target_arch = "x86_64", sigmill_aarch64)))]
use portable as words;
#[cfg(target_arch = "x86_64")]
use x86_64 as words;

pub(in crate::field::f25519) const NAME: &str = "u64x4";

/// Products of words below 2^256, below 2^255 + `EXCESS`.
pub(crate) trait Multiply: Instructions + 'static {
    /// `x·y`.
    fn product(self, x: &[u64; 4], y: &[u64; 4]) -> [u64; 4];
    /// `x²`.
    fn square(self, x: &[u64; 4]) -> [u64; 4];
    /// `x^(2^n)` for n from 1 on. Time depends on n.
    fn power(self, x: &[u64; 4], n: u32) -> [u64; 4];
    /// `x·n` for n up to `SMALL_MAX`.
    fn small_product(self, x: &[u64; 4], n: u64) -> [u64; 4];
    /// The token, where the CPU can multiply so.
    #[cfg(test)]
    fn available() -> Option<Self>;
}

/// Portable code, for every CPU of the target.
impl Multiply for () {
    #[inline(always)]
    fn product(self, x: &[u64; 4], y: &[u64; 4]) -> [u64; 4] {
        words::product(x, y)
    }

    #[inline(always)]
    fn square(self, x: &[u64; 4]) -> [u64; 4] {
        words::square(x)
    }

    #[inline(always)]
    fn power(self, x: &[u64; 4], n: u32) -> [u64; 4] {
        words::power(x, n)
    }

    #[inline(always)]
    fn small_product(self, x: &[u64; 4], n: u64) -> [u64; 4] {
        portable::small_product(x, n)
    }

    #[cfg(test)]
    fn available() -> Option<Self> {
        Some(())
    }
}

/// An operand: below 2^256.
#[derive(Clone, Copy)]
pub(crate) struct Fe<T = ()> {
    words: [u64; 4],
    token: T,
}

/// One product: below 2^255 + `EXCESS`.
#[derive(Clone, Copy)]
pub(crate) struct Product<T>(Fe<T>);

/// By how much a product may be above 2^255.
const EXCESS: u64 = 1 << 23;
/// The largest factor of `mul_small`.
const SMALL_MAX: u64 = (1 << 17) - 1;
/// The most that is above 2^256 when the upper half of a product, times 38, has been added to the lower.
const TOP_MAX: u64 = 38;

// Every inequality that the arithmetic below relies on.
const _: () = {
    // (2^256 − 1)·38 + 2^256 − 1 is below (TOP_MAX + 1)·2^256
    assert!(38 < TOP_MAX + 1);
    // q·2^255 + r with r below 2^255 becomes r + 19·q: q is twice the top and bit 255
    assert!(19 * (2 * TOP_MAX + 1) < EXCESS);
    assert!(19 * (2 * SMALL_MAX + 1) < EXCESS);
    assert!(19 < EXCESS);
    // a sum of products that passes 2^256 leaves less than 2·EXCESS, to which 38 is added in one word
    assert!(2 * EXCESS <= u64::MAX - 38);
    // a difference of products that is negative is above −2^255 − EXCESS: with 2^256 − 38 added, not negative
    assert!(EXCESS + 38 < u64::MAX);
};

impl<T: Multiply> Fe<T> {
    /// The residue below p.
    #[inline(always)]
    fn canonical(&self) -> [u64; 4] {
        let [a, b, c, d] = words::folded(&self.words); // below 2p
        // q = 1 exactly if a ≥ p: then a + 19 reaches 2^255
        let (a19, carry) = add_carry(a, 19, 0);
        let (b19, carry) = add_carry(b, 0, carry);
        let (c19, carry) = add_carry(c, 0, carry);
        let (d19, _) = add_carry(d, 0, carry);
        let reaches = Mask::from_bit(d19 >> 63);
        let low_63 = u64::MAX >> 1;
        [
            reaches.select(a19, a),
            reaches.select(b19, b),
            reaches.select(c19, c),
            reaches.select(d19 & low_63, d),
        ]
    }
}

impl<T: Multiply> Proven for Fe<T> {
    type Token = T;
}

impl<T: Multiply> Algebra for Fe<T> {
    type Product = Product<T>;

    #[inline(always)]
    fn mul(&self, other: &Self) -> Product<T> {
        Product(Fe { words: self.token.product(&self.words, &other.words), token: self.token })
    }

    #[inline(always)]
    fn square(&self) -> Product<T> {
        Product(Fe { words: self.token.square(&self.words), token: self.token })
    }

    #[inline(always)]
    fn widen(&self) -> Product<T> {
        Product(Fe { words: words::folded(&self.words), token: self.token })
    }

    #[inline(always)]
    fn sum<const A: i32, const B: i32, const C: i32>(
        a: &Product<T>,
        b: &Product<T>,
        c: &Product<T>,
    ) -> Self {
        let token = a.0.token;
        let (a, b, c) = (&a.0.words, &b.0.words, &c.0.words);
        let one = |words: [u64; 4]| Fe { words, token };
        if A == 1 && C == 0 {
            return one(match B {
                0 => *a,
                1 => words::sum_of_products(a, b),
                _ => words::difference_of_products(a, b),
            });
        }
        let a = if A == 2 { words::sum_of_products(a, a) } else { *a };
        one(match (B, C) {
            (0, _) => a,
            (1, 0) => words::sum(&a, b),
            (1, 1) => words::sum(&a, &words::sum_of_products(b, c)),
            (1, _) => words::sum(&a, &words::difference_of_products(b, c)),
            (_, 0) => words::difference(&a, b),
            (_, 1) => words::difference(&a, &words::difference_of_products(b, c)),
            _ => words::difference(&a, &words::sum_of_products(b, c)),
        })
    }
}

impl<T: Multiply> Field for Fe<T> {
    type Mask = Mask;
    type Bytes = [u8; 32];

    #[inline(always)]
    fn token(&self) -> T {
        self.token
    }

    #[inline(always)]
    fn splat(token: T, words: &[u64; 4]) -> Self {
        #[cfg(test)]
        assert!(words[3] >> 63 == 0);
        Fe { words: *words, token }
    }

    #[inline(always)]
    fn from_bytes(token: T, bytes: &[u8; 32]) -> Self {
        let mut words = word::load_le(bytes);
        words[3] &= u64::MAX >> 1;
        Fe { words, token }
    }

    #[inline(always)]
    fn to_bytes(&self, top_bit: Mask) -> [u8; 32] {
        let mut words = self.canonical();
        words[3] |= top_bit.word() << 63;
        word::store_le(&words)
    }

    #[inline(always)]
    fn mul_small(&self, n: u32) -> Product<T> {
        debug_assert!(u64::from(n) <= SMALL_MAX);
        let words = self.token.small_product(&self.words, u64::from(n));
        Product(Fe { words, token: self.token })
    }

    /// In the order in which an addition that follows can start.
    #[inline(always)]
    fn mul_crosswise(a: &Self, b: &Self, c: &Self, d: &Self) -> [Product<T>; 4] {
        let cd = c.mul(d);
        let bc = b.mul(c);
        [a.mul(b), cd, bc, a.mul(d)]
    }

    /// One element stays in registers; of several, each step is done to all before the next.
    #[inline(never)]
    fn square_times(elements: &mut [Self], n: u32) {
        match elements {
            [a] if n > 0 => a.words = a.token.power(&a.words, n),
            _ => {
                for _ in 0..n {
                    for a in &mut *elements {
                        a.words = a.token.square(&a.words);
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn select(mask: Mask, if_true: &Self, if_false: &Self) -> Self {
        let words = words::selected(mask, &if_true.words, &if_false.words);
        Fe { words, token: if_true.token }
    }

    #[inline(always)]
    fn equal(&self, other: &Self) -> Mask {
        let (a, b) = (self.canonical(), other.canonical());
        Mask::is_zero(a.iter().zip(&b).fold(0, |acc, (x, y)| acc | (x ^ y)))
    }

    #[inline(always)]
    fn is_zero(&self) -> Mask {
        Mask::is_zero(self.canonical().iter().fold(0, |acc, word| acc | word))
    }

    #[inline(always)]
    fn is_odd(&self) -> Mask {
        Mask::from_bit(self.canonical()[0] & 1)
    }
}

#[cfg(test)]
mod tests;
