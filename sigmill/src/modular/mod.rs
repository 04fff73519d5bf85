//! Residues modulo an odd prime, in 64-bit words, for any number of words.
//!
//! Representation: x is kept as x·R mod m, R = 2^(64·N) (Montgomery 1985), in N words, the lowest
//! first, fully reduced. A step of the reduction adds the multiple of m that makes the lowest word
//! zero and drops that word; N steps divide by R. A modulus of a special form says how a step is
//! done with fewer multiplications.
//!
//! | file | contents |
//! |---|---|
//! | `integer` | integers of N words |
//! | `modulus` | what a modulus is, and the portable arithmetic of its residues |
//! | `residue` | a residue: words and the proof that the CPU can multiply them |
//! | `arithmetic` | what formulas, curves and schemes ask of residues, as traits; simultaneous inversion |
//! | `divsteps` | inversion by Bernstein's and Yang's division steps |
//! | `x86_64`, `divsteps/aarch64` | twenty of these steps, in assembly |
//! | `words32` | products by multiplications of 32-bit words |
//! | `limbs29` | the same where the modulus is the sum of few powers of two |
//! | `fiat` | arithmetic that was generated with a proof, in 64-bit or 32-bit words |
//!
//! A modulus gets the arithmetic of the build by [`Chosen`], as the field of Ed25519 does: the one that
//! `--cfg sigmill_field="…"` names (`u64x4`: the modulus as it is, `u32x10`: `words32` or `limbs29`, `fiat64`,
//! `fiat32`), else the one that fits the words of the target. None changes a result; tests have them all
//! and choose by type.
//!
//! All operations are constant time unless their name ends in `_vartime`.

mod arithmetic;
mod divsteps;
#[cfg(any(test, sigmill_words = "fiat64", sigmill_words = "fiat32"))]
pub(crate) mod fiat;
mod integer;
#[cfg(any(test, sigmill_words = "u32x10"))]
pub(crate) mod limbs29;
pub(crate) mod modulus;
mod residue;
#[cfg(any(test, sigmill_words = "u32x10"))]
mod words32;
#[cfg(all(target_arch = "x86_64", not(sigmill_words = "u32x10")))]
mod x86_64;

#[cfg(test)]
mod tests;

pub(crate) use arithmetic::{Arithmetic, PrimeField, Products};
#[allow(unused_imports)] // only the backend `u64x4` asks
pub(crate) use divsteps::inverse;
#[cfg(sigmill_lanes)]
pub(crate) use integer::double_times;
pub(crate) use modulus::{Modulus, PlainModulus};
pub(crate) use residue::Residue;

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

/// The same of a modulus that is the sum of few powers of two.
#[cfg(sigmill_words = "u32x10")]
pub(crate) type ChosenSparse<M> = limbs29::Limbs29<M>;
/// The same of a modulus that is the sum of few powers of two: it has no other arithmetic.
#[cfg(not(sigmill_words = "u32x10"))]
pub(crate) type ChosenSparse<M> = Chosen<M>;
