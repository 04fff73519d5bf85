//! All doors to coordinates in words.

#[cfg(sigmill_adx)]
use super::with_adx::{AdxModulus, WithAdx};
#[cfg(not(sigmill_adx))]
use crate::modular::PlainModulus;
use crate::modular::{Arithmetic, PrimeField, Residue};
use crate::simd::{Kernel, Proven};

/// One coordinate in words, and what it is where the CPU has more for it than every CPU has.
pub(crate) trait InWords: PrimeField {
    type Fast: Arithmetic<Plain = Self>;
    /// The proof of that, if the CPU has it.
    fn detected() -> Option<<Self::Fast as Proven>::Token>;
}

#[cfg(sigmill_adx)]
impl<M: AdxModulus<N>, const N: usize> InWords for Residue<M, N> {
    type Fast = Residue<WithAdx<M>, N>;

    #[inline(always)]
    fn detected() -> Option<crate::cpu::Adx> {
        crate::cpu::adx()
    }
}

#[cfg(not(sigmill_adx))]
impl<M: PlainModulus<N>, const N: usize> InWords for Residue<M, N> {
    type Fast = Self;

    fn detected() -> Option<()> {
        None
    }
}

/// Runs a kernel with one value at a time, in words: by what the CPU has, which is asked once for all that the kernel
/// computes.
#[inline(always)]
pub(crate) fn run_in_words<F: InWords, O>(
    kernel: impl Kernel<F, Output = O> + Kernel<F::Fast, Output = O>,
) -> O {
    match F::detected() {
        Some(token) => Kernel::<F::Fast>::run(kernel, token),
        None => Kernel::<F>::run(kernel, ()),
    }
}
