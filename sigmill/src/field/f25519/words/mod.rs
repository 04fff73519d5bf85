//! GF(2^255 − 19), one value, in words.
//!
//! One of four backends serves single operations: the one that `--cfg sigmill_field="…"` names, else the
//! one that fits the words of the target.
//!
//! | backend | what | default |
//! |---|---|---|
//! | `u64x4` | four words, portable 64-bit | on 64-bit targets |
//! | `u32x10` | radix 2^25.5, portable 32-bit | on all others |
//! | `fiat64`, `fiat32` | radix 2^51 and 2^25.5, generated with a proof by fiat-crypto | never |
//!
//! No backend changes a result. Tests have them all and choose by type.

#[cfg(any(test, sigmill_words = "fiat64", sigmill_words = "fiat32"))]
pub(super) mod fiat;
#[cfg(any(test, sigmill_words = "u32x10"))]
pub(super) mod u32x10;
#[cfg(any(test, sigmill_words = "u64x4"))]
pub(super) mod u64x4;

#[cfg(sigmill_words = "fiat32")]
use fiat::fiat32 as chosen;
#[cfg(sigmill_words = "fiat64")]
use fiat::fiat64 as chosen;
#[cfg(sigmill_words = "u32x10")]
use u32x10 as chosen;
#[cfg(sigmill_words = "u64x4")]
use u64x4 as chosen;

/// The backend of single operations.
pub(crate) type Fe = chosen::Fe;
/// Its name.
pub(crate) const NAME: &str = chosen::NAME;
