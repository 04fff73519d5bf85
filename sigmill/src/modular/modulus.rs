//! An odd prime as a modulus: the steps of its reduction, and the portable arithmetic of residues in Montgomery form.

#![allow(clippy::needless_range_loop)] // carries run through several arrays at once

use super::integer::{inverse_mod_word, subtract_once};
use crate::ct::Mask;
use crate::simd::Instructions;
use crate::word::{add_carry, mul_add, sub_words};

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
pub(super) fn reduced<M: Modulus<N>, const N: usize>(low: &[u64; N], high: &[u64; N]) -> [u64; N] {
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
pub(super) fn add<M: Modulus<N>, const N: usize>(a: &[u64; N], b: &[u64; N]) -> [u64; N] {
    let (mut sum, mut carry) = ([0; N], 0);
    for i in 0..N {
        (sum[i], carry) = add_carry(a[i], b[i], carry);
    }
    subtract_once(sum, carry, &M::MODULUS)
}

/// The portable [`Modulus::sub`].
#[inline(always)]
pub(super) fn sub<M: Modulus<N>, const N: usize>(a: &[u64; N], b: &[u64; N]) -> [u64; N] {
    let (mut difference, borrow) = sub_words(a, b);
    let negative = Mask::from_bit(borrow).word();
    let mut carry = 0;
    for i in 0..N {
        (difference[i], carry) = add_carry(difference[i], M::MODULUS[i] & negative, carry);
    }
    difference
}

/// The portable [`Modulus::halve`]: the even one of a and a + m, shifted.
#[inline(always)]
pub(super) fn halve<M: Modulus<N>, const N: usize>(a: &[u64; N]) -> [u64; N] {
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
