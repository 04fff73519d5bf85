//! sigmill: signatures that are checked the same way everywhere.
//!
//! A verification rule is a value that the caller names. Single, prepared, streaming and bulk
//! verification return that rule's verdict, bit for bit.
//!
//! | module | what it is |
//! |---|---|
//! | [`ed25519`] | keys, signatures, signing, verification under a rule |
//! | [`ecdsa`] | the same for ECDSA on P-256 and P-384 |
//! | [`x25519`] | agreement on a secret |
//! | [`ecdh`] | the same on P-256 and P-384 |
//! | [`bulk`] | columns of signatures: one verdict and reason a row |
//! | [`cpu`] | what the CPU can do |
//!
//! The crate is `no_std` without default features and needs no allocator for single operations.
//! `ARCHITECTURE.md` in the repository walks through the rooms.

#![no_std]
#![deny(unsafe_code)]
#![doc(html_root_url = "https://docs.rs/sigmill")]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

pub mod bulk;
pub mod cpu;
mod ct;
mod curve;
pub mod ecdh;
pub mod ecdsa;
pub mod ed25519;
mod encoding;
mod error;
mod field;
mod hash;
#[cfg(feature = "containers")]
mod keyfile;
mod memory;
mod modular;
mod random;
mod scalar;
#[cfg(test)]
mod tests;
mod word;
pub mod x25519;

#[cfg(sigmill_valgrind)]
pub use ct::make_secret;
#[cfg(feature = "containers")]
pub use error::KeyFormatError;
pub use error::{Error, Reason, SignatureDerError, Verdict};

/// The field backend that single operations run on: `u64x5`, `u32x10`, `fiat64` or `fiat32`, by the name
/// it has for Ed25519; ECDSA computes in words of the same size, by fiat where Ed25519 does. It is chosen
/// when the library is built (`--cfg sigmill_field="…"`) and changes no result.
pub const fn field_backend() -> &'static str {
    field::f25519::NAME
}
