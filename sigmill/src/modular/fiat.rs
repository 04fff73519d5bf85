//! Residues on the arithmetic of the `fiat-crypto` crate, which was generated together with a proof that
//! it computes what it says: products, squares, sums, differences and the way out of Montgomery form, in
//! 64-bit or 32-bit words. Halves and inverses are our own.
//!
//! Fiat's Montgomery form is ours, R included, and its operands are below m, as ours are. A modulus gets
//! its two backends by [`backends`], beside its definition.
//!
//! All operations are constant time.

use core::marker::PhantomData;

/// A modulus in 64-bit words.
#[cfg(any(test, sigmill_words = "fiat64"))]
#[derive(Clone, Copy)]
pub(crate) struct Fiat64<M>(PhantomData<M>);

/// A modulus in 32-bit words.
#[cfg(any(test, sigmill_words = "fiat32"))]
#[derive(Clone, Copy)]
pub(crate) struct Fiat32<M>(PhantomData<M>);

/// The modulus `$prime` of `$n` words by the functions of fiat's modules of 64-bit and 32-bit words.
macro_rules! backends {
    ($prime:ident, $n:literal, $module64:ident, $module32:ident, $functions:tt) => {
        #[cfg(any(test, sigmill_words = "fiat64"))]
        $crate::modular::fiat::backend!(Fiat64, u64, $prime, $n, $module64, $functions);
        #[cfg(any(test, sigmill_words = "fiat32"))]
        $crate::modular::fiat::backend!(Fiat32, u32, $prime, $n, $module32, $functions);
    };
}

macro_rules! backend {
    (
        $backend:ident, $word:ty, $prime:ident, $n:literal, $module:ident,
        ($residue:ident, $integer:ident, $mul:ident, $square:ident, $add:ident, $sub:ident, $leave:ident)
    ) => {
        const _: () = {
            use fiat_crypto::$module::{
                $add, $integer as Integer, $leave, $mul, $residue as Residue, $square, $sub,
            };

            const BITS: usize = <$word>::BITS as usize;
            const WORDS: usize = 64 * $n / BITS;

            fn residue(words: &[u64; $n]) -> Residue {
                Residue(core::array::from_fn(|i| {
                    (words[i * BITS / 64] >> (i * BITS % 64)) as $word
                }))
            }

            #[allow(clippy::unnecessary_cast)]
            fn words(parts: &[$word; WORDS]) -> [u64; $n] {
                let mut words = [0; $n];
                for (i, part) in parts.iter().enumerate() {
                    words[i * BITS / 64] |= (*part as u64) << (i * BITS % 64);
                }
                words
            }

            impl $crate::modular::modulus::Modulus<$n> for $crate::modular::fiat::$backend<$prime> {
                type Token = ();
                type Plain = Self;
                const MODULUS: [u64; $n] =
                    <$prime as $crate::modular::modulus::Modulus<$n>>::MODULUS;

                fn product((): (), a: &[u64; $n], b: &[u64; $n]) -> [u64; $n] {
                    let mut product = Residue([0; WORDS]);
                    $mul(&mut product, &residue(a), &residue(b));
                    words(&product.0)
                }

                fn square((): (), a: &[u64; $n]) -> [u64; $n] {
                    let mut square = Residue([0; WORDS]);
                    $square(&mut square, &residue(a));
                    words(&square.0)
                }

                fn add(a: &[u64; $n], b: &[u64; $n]) -> [u64; $n] {
                    let mut sum = Residue([0; WORDS]);
                    $add(&mut sum, &residue(a), &residue(b));
                    words(&sum.0)
                }

                fn sub(a: &[u64; $n], b: &[u64; $n]) -> [u64; $n] {
                    let mut difference = Residue([0; WORDS]);
                    $sub(&mut difference, &residue(a), &residue(b));
                    words(&difference.0)
                }

                fn canonical(a: &[u64; $n]) -> [u64; $n] {
                    let mut integer = Integer([0; WORDS]);
                    $leave(&mut integer, &residue(a));
                    words(&integer.0)
                }
            }
        };
    };
}

pub(crate) use {backend, backends};
