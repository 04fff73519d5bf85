//! Residues modulo an odd prime, in 64-bit words, for any number of words.
//!
//! Representation: x is kept as x·R mod m, R = 2^(64·N) (Montgomery 1985), in N words, the lowest
//! first, fully reduced. A step of the reduction adds the multiple of m that makes the lowest word
//! zero and drops that word; N steps divide by R. A modulus of a special form says how a step is
//! done with fewer multiplications.
//!
//! | file | contents |
//! |---|---|
//! | `arithmetic` | what formulas, curves and schemes ask of residues, as traits; simultaneous inversion |
//! | `divsteps` | inversion by Bernstein's and Yang's division steps |
//! | `x86_64` | twenty of these steps, in assembly |
//! | `words32` | products by multiplications of 32-bit words |
//! | `fiat` | arithmetic that was generated with a proof, in 64-bit or 32-bit words |
//!
//! A modulus gets the arithmetic of the build by [`Chosen`], as the field of Ed25519 does: the one that
//! `--cfg sigmill_field="…"` names (`u64x4`: the modulus as it is, `u32x10`: `words32`, `fiat64`,
//! `fiat32`), else the one that fits the words of the target. None changes a result; tests have them all
//! and choose by type.
//!
//! All operations are constant time unless their name ends in `_vartime`.

#![allow(clippy::needless_range_loop)] // carries run through several arrays at once

mod arithmetic;
mod divsteps;
#[cfg(any(test, sigmill_words = "fiat64", sigmill_words = "fiat32"))]
pub(crate) mod fiat;
#[cfg(any(test, sigmill_words = "u32x10"))]
mod words32;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(test)]
mod tests;

use crate::ct::Mask;
use crate::simd::Instructions;
use crate::word::{add_carry, mul_add, sub_borrow};
use zeroize::Zeroize;

pub(crate) use arithmetic::{Arithmetic, PrimeField, Products};

/// The modulus M with the arithmetic of this build.
#[cfg(sigmill_words = "fiat32")]
pub(crate) type Chosen<M> = fiat::Fiat32<M>;
/// The modulus M with the arithmetic of this build.
#[cfg(sigmill_words = "fiat64")]
pub(crate) type Chosen<M> = fiat::Fiat64<M>;
/// The modulus M with the arithmetic of this build.
#[cfg(sigmill_words = "u32x10")]
pub(crate) type Chosen<M> = words32::Words32<M>;
/// The modulus M with the arithmetic of this build: its own.
#[cfg(sigmill_words = "u64x4")]
pub(crate) type Chosen<M> = M;

/// An odd prime of N words, and the arithmetic modulo it.
pub(crate) trait Modulus<const N: usize>: Copy + 'static {
    /// Proof that the CPU can multiply this way: a token, or nothing where every CPU can.
    type Token: Instructions + 'static;
    /// The same modulus in portable code.
    type Plain: PlainModulus<N>;
    const MODULUS: [u64; N];

    /// (t + q·m)/2^64 for t = words + top·R and the q below 2^64 with which it is an integer, as words
    /// and a carry.
    #[inline(always)]
    fn step(words: &[u64; N], top: u64) -> ([u64; N], u64) {
        let q = words[0].wrapping_mul(const { inverse_mod_word(Self::MODULUS[0]).wrapping_neg() });
        let (_, mut carry) = mul_add(words[0], q, Self::MODULUS[0], 0);
        let mut next = [0; N];
        for i in 1..N {
            (next[i - 1], carry) = mul_add(words[i], q, Self::MODULUS[i], carry);
        }
        (next[N - 1], carry) = add_carry(top, carry, 0);
        (next, carry)
    }

    /// a·b/R mod m, below m, for both below m.
    #[inline(always)]
    fn product(_: Self::Token, a: &[u64; N], b: &[u64; N]) -> [u64; N] {
        product::<Self, N>(a, b)
    }

    /// a²/R mod m, below m, for a below m.
    #[inline(always)]
    fn square(_: Self::Token, a: &[u64; N]) -> [u64; N] {
        square::<Self, N>(a)
    }

    /// a + b mod m, for both below m.
    #[inline(always)]
    fn add(a: &[u64; N], b: &[u64; N]) -> [u64; N] {
        add::<Self, N>(a, b)
    }

    /// a − b mod m, for both below m.
    #[inline(always)]
    fn sub(a: &[u64; N], b: &[u64; N]) -> [u64; N] {
        sub::<Self, N>(a, b)
    }

    /// a/2 mod m, for a below m.
    #[inline(always)]
    fn halve(a: &[u64; N]) -> [u64; N] {
        halve::<Self, N>(a)
    }

    /// a/R mod m, below m, for a below m: the integer whose Montgomery form a is.
    #[inline(always)]
    fn canonical(a: &[u64; N]) -> [u64; N] {
        reduced::<Self, N>(a, &[0; N])
    }
}

/// A modulus with which every CPU can multiply.
pub(crate) trait PlainModulus<const N: usize>: Modulus<N, Token = (), Plain = Self> {}

impl<M: Modulus<N, Token = (), Plain = M>, const N: usize> PlainModulus<N> for M {}

/// 1/x mod 2^64 for an odd x: each step of Newton's iteration doubles the bits that are right, and x
/// is its own inverse mod 8.
const fn inverse_mod_word(x: u64) -> u64 {
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

/// An integer modulo `M::MODULUS`.
pub(crate) struct Residue<M: Modulus<N>, const N: usize>([u64; N], M::Token);

impl<M: Modulus<N>, const N: usize> Clone for Residue<M, N> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<M: Modulus<N>, const N: usize> Copy for Residue<M, N> {}

impl<M: Modulus<N>, const N: usize> Zeroize for Residue<M, N> {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

impl<M: PlainModulus<N>, const N: usize> Residue<M, N> {
    pub(crate) const ZERO: Self = Residue([0; N], ());
    /// R mod m.
    pub(crate) const ONE: Self = {
        assert!(M::MODULUS[N - 1] != 0 && M::MODULUS[0] & 1 == 1);
        let mut one = [0; N];
        one[0] = 1;
        Residue(double_times(one, &M::MODULUS, 64 * N), ())
    };
    /// R² mod m.
    const R_SQUARED: Self = Residue(double_times(Self::ONE.0, &M::MODULUS, 64 * N), ());

    /// The residue whose Montgomery form these words are; they are below m.
    #[inline(always)]
    pub(crate) const fn from_montgomery(words: [u64; N]) -> Self {
        Residue(words, ())
    }

    /// The same for words and a carry that stand for an integer below 3·m.
    #[cfg(sigmill_lanes)]
    #[inline]
    pub(crate) fn from_montgomery_sum(mut words: [u64; N], mut carry: u64) -> Self {
        for _ in 0..2 {
            let (mut less, mut borrow) = ([0; N], 0);
            for i in 0..N {
                (less[i], borrow) = sub_borrow(words[i], M::MODULUS[i], borrow);
            }
            let too_small = Mask::from_bit(borrow & (carry ^ 1));
            for i in 0..N {
                words[i] = too_small.select(words[i], less[i]);
            }
            // through a mask, or the compiler branches on it
            carry &= (!Mask::from_bit(borrow)).word();
        }
        Residue(words, ())
    }
}

impl<M: Modulus<N>, const N: usize> Residue<M, N> {
    /// The words of the Montgomery form, below m.
    #[inline(always)]
    pub(crate) const fn words(&self) -> [u64; N] {
        self.0
    }

    /// `a^e` for an exponent in words, the lowest first, in windows of four bits. Time depends on the
    /// exponent only.
    pub(crate) fn power(&self, exponent: &[u64; N]) -> Self {
        let mut powers = [Self::one(self.1); 16];
        for i in 1..16 {
            powers[i] = powers[i - 1].mul(self);
        }
        let mut result = powers[0];
        for window in (0..16 * N).rev() {
            for _ in 0..4 {
                result = result.square();
            }
            let digit = exponent[window / 16] >> (4 * (window % 16)) & 15;
            if digit != 0 {
                result = result.mul(&powers[digit as usize]);
            }
        }
        result
    }
}

/// `1/a mod m` for a below m, and 0 for 0; m is odd, its inverse exists.
#[allow(dead_code)] // only the backend `u64x4` asks
pub(crate) fn inverse<const N: usize>(a: &[u64; N], m: &[u64; N]) -> [u64; N] {
    let mut one = [0; N];
    one[0] = 1;
    divsteps::quotient::<false, N>(&one, a, m)
}

/// The portable [`Modulus::product`], in 64-bit words.
#[inline(always)]
pub(crate) fn product<M: Modulus<N>, const N: usize>(a: &[u64; N], b: &[u64; N]) -> [u64; N] {
    // sum + top·R, below 2·m + m/2^64 after each step: twice 2^64·m and what there was, over 2^64; so for any a below R
    let (mut sum, mut top) = ([0; N], 0);
    for a in a {
        let mut carry = 0;
        for i in 0..N {
            (sum[i], carry) = mul_add(sum[i], *a, b[i], carry);
        }
        let overflow;
        (carry, overflow) = add_carry(top, carry, 0);
        (sum, top) = M::step(&sum, carry);
        top = top.wrapping_add(overflow);
    }
    subtract_once(sum, top, &M::MODULUS)
}

/// The portable [`Modulus::square`]: the products of different words once and doubled.
#[inline(always)]
pub(crate) fn square<M: Modulus<N>, const N: usize>(a: &[u64; N]) -> [u64; N] {
    let mut words = [[0; N]; 2];
    let t = words.as_flattened_mut();
    for i in 0..N {
        let mut carry = 0;
        for j in i + 1..N {
            (t[i + j], carry) = mul_add(t[i + j], a[i], a[j], carry);
        }
        t[i + N] = carry;
    }
    let (mut carry, mut shifted) = (0, 0);
    for i in 0..N {
        let (low, high) = mul_add(0, a[i], a[i], 0);
        let [t0, t1] = [t[2 * i], t[2 * i + 1]];
        (t[2 * i], carry) = add_carry(t0 << 1 | shifted, low, carry);
        (t[2 * i + 1], carry) = add_carry(t1 << 1 | t0 >> 63, high, carry);
        shifted = t1 >> 63;
    }
    let [low, high] = words;
    reduced::<M, N>(&low, &high)
}

/// (low + high·R)/R mod m, below m; high is below m.
#[inline(always)]
fn reduced<M: Modulus<N>, const N: usize>(low: &[u64; N], high: &[u64; N]) -> [u64; N] {
    let mut sum = *low;
    for _ in 0..N {
        // what is left of low, and less than m: no carry, as one of them is small where the other is not
        (sum, _) = M::step(&sum, 0);
    }
    let mut carry = 0;
    for i in 0..N {
        (sum[i], carry) = add_carry(sum[i], high[i], carry);
    }
    subtract_once(sum, carry, &M::MODULUS)
}

/// The portable [`Modulus::add`].
#[inline(always)]
fn add<M: Modulus<N>, const N: usize>(a: &[u64; N], b: &[u64; N]) -> [u64; N] {
    let (mut sum, mut carry) = ([0; N], 0);
    for i in 0..N {
        (sum[i], carry) = add_carry(a[i], b[i], carry);
    }
    subtract_once(sum, carry, &M::MODULUS)
}

/// The portable [`Modulus::sub`].
#[inline(always)]
fn sub<M: Modulus<N>, const N: usize>(a: &[u64; N], b: &[u64; N]) -> [u64; N] {
    let (mut difference, mut borrow) = ([0; N], 0);
    for i in 0..N {
        (difference[i], borrow) = sub_borrow(a[i], b[i], borrow);
    }
    let negative = Mask::from_bit(borrow).word();
    let mut carry = 0;
    for i in 0..N {
        (difference[i], carry) = add_carry(difference[i], M::MODULUS[i] & negative, carry);
    }
    difference
}

/// The portable [`Modulus::halve`]: the even one of a and a + m, shifted.
#[inline(always)]
fn halve<M: Modulus<N>, const N: usize>(a: &[u64; N]) -> [u64; N] {
    let odd = Mask::from_bit(a[0] & 1).word();
    let (mut even, mut carry) = ([0; N], 0);
    for i in 0..N {
        (even[i], carry) = add_carry(a[i], M::MODULUS[i] & odd, carry);
    }
    let mut half = [0; N];
    for i in 0..N {
        let above = if i + 1 < N { even[i + 1] } else { carry };
        half[i] = even[i] >> 1 | above << 63;
    }
    half
}

/// `x` or `x − m`, whichever is not negative and smaller, for x = words + carry·R below 2·m.
#[inline(always)]
fn subtract_once<const N: usize>(words: [u64; N], carry: u64, m: &[u64; N]) -> [u64; N] {
    let (mut less, mut borrow) = ([0; N], 0);
    for i in 0..N {
        (less[i], borrow) = sub_borrow(words[i], m[i], borrow);
    }
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
    let mut borrow = 0;
    for i in 0..N {
        (_, borrow) = sub_borrow(a[i], b[i], borrow);
    }
    Mask::from_bit(borrow)
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
