//! The operations on residues that formulas, curves and schemes need, for any modulus; simultaneous inversion.

use super::{Modulus, PlainModulus, Residue, is_below, words_from_be_bytes, words_to_be_bytes};
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
    fn mul(&self, other: &Self) -> Self;
    fn square(&self) -> Self;
    fn add(&self, other: &Self) -> Self;
    fn sub(&self, other: &Self) -> Self;
    fn neg(&self) -> Self;
    fn halve(&self) -> Self;
    fn select(mask: Mask, if_true: &Self, if_false: &Self) -> Self;
    fn is_zero(&self) -> Mask;
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
        self.mul(other)
    }
    #[inline(always)]
    fn square(&self) -> Self {
        self.square()
    }
    #[inline(always)]
    fn add(&self, other: &Self) -> Self {
        self.add(other)
    }
    #[inline(always)]
    fn sub(&self, other: &Self) -> Self {
        self.sub(other)
    }
    #[inline(always)]
    fn neg(&self) -> Self {
        self.neg()
    }
    #[inline(always)]
    fn halve(&self) -> Self {
        self.halve()
    }
    #[inline(always)]
    fn select(mask: Mask, if_true: &Self, if_false: &Self) -> Self {
        Self::select(mask, if_true, if_false)
    }
    #[inline(always)]
    fn is_zero(&self) -> Mask {
        self.is_zero()
    }
    #[inline(always)]
    fn equal(&self, other: &Self) -> Mask {
        self.equal(other)
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

/// Further operations for curves and schemes, in portable code.
pub(crate) trait PrimeField: Arithmetic<Plain = Self> + Proven<Token = ()> {
    /// Words, the lowest first.
    type Words: Copy + Zeroize + AsRef<[u64]> + AsMut<[u64]>;
    const ZERO: Self;
    const ONE: Self;
    const MODULUS: Self::Words;
    /// Bits of the modulus.
    const BITS: usize;

    fn from_words(words: &Self::Words) -> Self;
    fn to_words(self) -> Self::Words;
    /// Big-endian bytes, as many as the modulus has, mod m; and whether they were below m.
    fn from_be_bytes(bytes: &[u8]) -> (Self, Mask);
    /// The canonical bytes, big-endian, as many as the modulus has.
    fn write_be_bytes(&self, bytes: &mut [u8]);
    /// Becomes the value where the mask is set; is 0 before.
    fn set_where(&mut self, mask: Mask, value: &Self);
    /// Whether the canonical residue is odd.
    fn is_odd(&self) -> Mask;
    fn invert(&self) -> Self;
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
        Self::from_words(words)
    }
    #[inline]
    fn to_words(self) -> [u64; N] {
        self.to_words()
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
        self.invert()
    }
    #[inline]
    fn invert_vartime(&self) -> Self {
        self.invert_vartime()
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
