//! The operations on residues that formulas, curves and schemes need, for any modulus; simultaneous inversion.

#![allow(clippy::needless_range_loop)] // carries run through several arrays at once

use super::divsteps;
use super::integer::{is_below, words_from_be_bytes, words_to_be_bytes};
use super::modulus::{Modulus, PlainModulus};
use super::residue::Residue;
use crate::ct::Mask;
use crate::simd::Proven;
use crate::word::add_carry;
use zeroize::Zeroize;

/// The operations on residues that formulas need, for any modulus and any multiplier of the CPU: see [`Residue`].
pub(crate) trait Arithmetic: Copy + Zeroize + Proven + 'static {
    /// The same residues in portable code.
    type Plain: PrimeField;

    fn from_plain(token: Self::Token, plain: &Self::Plain) -> Self;
    fn plain(&self) -> Self::Plain;
    fn token(&self) -> Self::Token;
    /// `a·b`.
    fn mul(&self, other: &Self) -> Self;
    /// `a²`.
    fn square(&self) -> Self;
    /// `a + b`.
    fn add(&self, other: &Self) -> Self;
    /// `a − b`.
    fn sub(&self, other: &Self) -> Self;
    /// `−a`.
    fn neg(&self) -> Self;
    /// `a/2`.
    fn halve(&self) -> Self;
    /// `if_true` where the mask is set, `if_false` elsewhere.
    fn select(mask: Mask, if_true: &Self, if_false: &Self) -> Self;
    /// Whether the residue is 0.
    fn is_zero(&self) -> Mask;
    /// Whether the two are the same residue.
    fn equal(&self, other: &Self) -> Mask;
    /// A square root, if there is one; m is 3 mod 4.
    fn sqrt(&self) -> (Self, Mask);

    #[inline(always)]
    fn zero(token: Self::Token) -> Self {
        Self::from_plain(token, &Self::Plain::ZERO)
    }
    #[inline(always)]
    fn one(token: Self::Token) -> Self {
        Self::from_plain(token, &Self::Plain::ONE)
    }
}

impl<M: Modulus<N>, const N: usize> Proven for Residue<M, N> {
    type Token = M::Token;
}

impl<M: Modulus<N>, const N: usize> Arithmetic for Residue<M, N> {
    type Plain = Residue<M::Plain, N>;

    #[inline(always)]
    fn from_plain(token: M::Token, plain: &Self::Plain) -> Self {
        Residue(plain.0, token)
    }
    #[inline(always)]
    fn plain(&self) -> Self::Plain {
        Residue(self.0, ())
    }
    #[inline(always)]
    fn token(&self) -> M::Token {
        self.1
    }
    #[inline(always)]
    fn mul(&self, other: &Self) -> Self {
        Residue(M::product(self.1, &self.0, &other.0), self.1)
    }
    #[inline(always)]
    fn square(&self) -> Self {
        Residue(M::square(self.1, &self.0), self.1)
    }
    #[inline(always)]
    fn add(&self, other: &Self) -> Self {
        Residue(M::add(&self.0, &other.0), self.1)
    }
    #[inline(always)]
    fn sub(&self, other: &Self) -> Self {
        Residue(M::sub(&self.0, &other.0), self.1)
    }
    #[inline(always)]
    fn neg(&self) -> Self {
        Residue([0; N], self.1).sub(self)
    }
    #[inline(always)]
    fn halve(&self) -> Self {
        Residue(M::halve(&self.0), self.1)
    }
    #[inline(always)]
    fn select(mask: Mask, if_true: &Self, if_false: &Self) -> Self {
        let mut words = [0; N];
        for i in 0..N {
            words[i] = mask.select(if_true.0[i], if_false.0[i]);
        }
        Residue(words, if_true.1)
    }
    #[inline(always)]
    fn is_zero(&self) -> Mask {
        Mask::is_zero(self.0.iter().fold(0, |all, word| all | word))
    }
    #[inline(always)]
    fn equal(&self, other: &Self) -> Mask {
        self.sub(other).is_zero()
    }
    fn sqrt(&self) -> (Self, Mask) {
        // (m + 1)/4
        let exponent = const {
            let mut exponent = [0; N];
            let mut carry = 1;
            let mut i = 0;
            while i < N {
                let above = if i + 1 < N { M::MODULUS[i + 1] << 62 } else { 0 };
                (exponent[i], carry) = add_carry(M::MODULUS[i] >> 2 | above, 0, carry);
                i += 1;
            }
            assert!(M::MODULUS[0] & 3 == 3 && carry == 0);
            exponent
        };
        let root = self.power(&exponent);
        (root, root.square().equal(self))
    }
}

impl<M: Modulus<N>, const N: usize> Residue<M, N> {
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

/// Further operations for curves and schemes, in portable code.
pub(crate) trait PrimeField: Arithmetic<Plain = Self> + Proven<Token = ()> {
    /// Words, the lowest first.
    type Words: Copy + Zeroize + AsRef<[u64]> + AsMut<[u64]>;
    const ZERO: Self;
    const ONE: Self;
    const MODULUS: Self::Words;
    /// Bits of the modulus.
    const BITS: usize;

    /// x mod m for any x below R.
    fn from_words(words: &Self::Words) -> Self;
    /// The canonical words: below m.
    fn to_words(self) -> Self::Words;
    /// Big-endian bytes, as many as the modulus has, mod m; and whether they were below m.
    fn from_be_bytes(bytes: &[u8]) -> (Self, Mask);
    /// The canonical bytes, big-endian, as many as the modulus has.
    fn write_be_bytes(&self, bytes: &mut [u8]);
    /// Becomes the value where the mask is set; is 0 before.
    fn set_where(&mut self, mask: Mask, value: &Self);
    /// Whether the canonical residue is odd.
    fn is_odd(&self) -> Mask;
    /// `1/a`, and 0 for 0.
    fn invert(&self) -> Self;
    /// [`Self::invert`] in a time that depends on a.
    fn invert_vartime(&self) -> Self;
}

impl<M: PlainModulus<N>, const N: usize> PrimeField for Residue<M, N> {
    type Words = [u64; N];
    const ZERO: Self = Self::ZERO;
    const ONE: Self = Self::ONE;
    const MODULUS: [u64; N] = M::MODULUS;
    const BITS: usize = 64 * N - M::MODULUS[N - 1].leading_zeros() as usize;

    #[inline]
    fn from_words(words: &[u64; N]) -> Self {
        Residue(*words, ()).mul(&Self::R_SQUARED)
    }
    #[inline]
    fn to_words(self) -> [u64; N] {
        M::canonical(&self.0)
    }
    #[inline]
    fn from_be_bytes(bytes: &[u8]) -> (Self, Mask) {
        let mut words = words_from_be_bytes::<N>(bytes);
        let read = (Self::from_words(&words), is_below(&words, &M::MODULUS));
        words.zeroize();
        read
    }
    #[inline]
    fn write_be_bytes(&self, bytes: &mut [u8]) {
        let mut words = self.to_words();
        words_to_be_bytes(&words, bytes);
        words.zeroize();
    }
    #[inline(always)]
    fn set_where(&mut self, mask: Mask, value: &Self) {
        for i in 0..N {
            self.0[i] |= value.0[i] & mask.word();
        }
    }
    #[inline]
    fn is_odd(&self) -> Mask {
        Mask::from_bit(self.to_words()[0] & 1)
    }
    #[inline]
    fn invert(&self) -> Self {
        // of x·R with the factor R²: R²/(x·R) = R/x
        let words = divsteps::quotient::<false, N>(&Self::R_SQUARED.0, &self.0, &M::MODULUS);
        Residue(words, ())
    }
    #[inline]
    fn invert_vartime(&self) -> Self {
        let words = divsteps::quotient::<true, N>(&Self::R_SQUARED.0, &self.0, &M::MODULUS);
        Residue(words, ())
    }
}

/// Simultaneous inversion (Montgomery 1987, section 10.3.1) of values that come one by one, none of them 0: the product
/// of those that came. Constant time but where a name says otherwise; wiped by whoever has secrets in it.
pub(crate) struct Products<F: Arithmetic>(F);

impl<F: Arithmetic> Products<F> {
    /// Of none.
    #[inline(always)]
    pub(crate) fn new(token: F::Token) -> Self {
        Products(F::one(token))
    }

    /// Takes a value; gives the product of those before it, which [`Inverses::pop`] wants back.
    #[inline(always)]
    pub(crate) fn push(&mut self, value: &F) -> F {
        let before = self.0;
        self.0 = before.mul(value);
        before
    }

    /// No more come.
    #[inline(always)]
    pub(crate) fn invert(&self) -> Inverses<F> {
        Inverses(F::from_plain(self.0.token(), &self.0.plain().invert()))
    }

    /// The same. Time depends on the product.
    #[inline(always)]
    pub(crate) fn invert_vartime(&self) -> Inverses<F> {
        Inverses(F::from_plain(self.0.token(), &self.0.plain().invert_vartime()))
    }
}

impl<F: Arithmetic> Zeroize for Products<F> {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

/// The inverse of the product of those that are left.
pub(crate) struct Inverses<F: Arithmetic>(F);

impl<F: Arithmetic> Inverses<F> {
    /// The inverse of the last value that is left.
    #[inline(always)]
    pub(crate) fn pop(&mut self, value: &F, before: &F) -> F {
        let inverse = self.0.mul(before);
        self.0 = self.0.mul(value);
        inverse
    }
}

impl<F: Arithmetic> Zeroize for Inverses<F> {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}
