//! A residue: its words in Montgomery form, and the proof that the CPU can multiply them.

#![allow(clippy::needless_range_loop)] // carries run through several arrays at once

use super::integer::double_times;
use super::modulus::{Modulus, PlainModulus};
#[cfg(sigmill_lanes)]
use crate::ct::Mask;
#[cfg(sigmill_lanes)]
use crate::word::sub_words;
use zeroize::Zeroize;

/// An integer modulo `M::MODULUS`.
pub(crate) struct Residue<M: Modulus<N>, const N: usize>(pub(super) [u64; N], pub(super) M::Token);

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
    pub(super) const R_SQUARED: Self = Residue(double_times(Self::ONE.0, &M::MODULUS, 64 * N), ());

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
            let (less, borrow) = sub_words(&words, &M::MODULUS);
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
}
