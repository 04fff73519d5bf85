//! Residues with the products and squares of CPUs that have MULX, ADCX and ADOX.

use crate::cpu::Adx;
use crate::modular::{Modulus, PlainModulus};
use core::marker::PhantomData;

/// A modulus with these products; of one without, those that every CPU has.
pub(crate) trait AdxModulus<const N: usize>: PlainModulus<N> {
    /// a·b/R mod m, below m, for both below m.
    #[inline(always)]
    fn product(_: Adx, a: &[u64; N], b: &[u64; N]) -> [u64; N] {
        <Self as Modulus<N>>::product((), a, b)
    }

    /// a²/R mod m, below m, for a below m.
    #[inline(always)]
    fn square(_: Adx, a: &[u64; N]) -> [u64; N] {
        <Self as Modulus<N>>::square((), a)
    }
}

/// The modulus M with these products.
#[derive(Clone, Copy)]
pub(crate) struct WithAdx<M>(PhantomData<M>);

impl<M: AdxModulus<N>, const N: usize> Modulus<N> for WithAdx<M> {
    type Token = Adx;
    type Plain = M;
    const MODULUS: [u64; N] = M::MODULUS;

    #[inline(always)]
    fn product(token: Adx, a: &[u64; N], b: &[u64; N]) -> [u64; N] {
        <M as AdxModulus<N>>::product(token, a, b)
    }

    #[inline(always)]
    fn square(token: Adx, a: &[u64; N]) -> [u64; N] {
        <M as AdxModulus<N>>::square(token, a)
    }

    #[inline(always)]
    fn add(a: &[u64; N], b: &[u64; N]) -> [u64; N] {
        M::add(a, b)
    }

    #[inline(always)]
    fn sub(a: &[u64; N], b: &[u64; N]) -> [u64; N] {
        M::sub(a, b)
    }

    #[inline(always)]
    fn halve(a: &[u64; N]) -> [u64; N] {
        M::halve(a)
    }

    #[inline(always)]
    fn canonical(a: &[u64; N]) -> [u64; N] {
        M::canonical(a)
    }
}
