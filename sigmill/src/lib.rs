//! sigmill: signatures that are checked the same way everywhere.
//!
//! A verification rule is a value that the caller names. Single, prepared, streaming and bulk
//! verification return that rule's verdict, bit for bit.
//!
//! ```
//! use sigmill::ed25519::{Signer, SigningKey, Variant, Verifier, rules};
//!
//! let key = SigningKey::from_bytes(&[7; 32]);
//! let signature = key.sign(b"attack at dawn");
//! let public = key.verifying_key();
//! assert!(public.verify(b"attack at dawn", &signature).is_ok()); // rule common
//! let verdict = public.verify_with(&rules::ZIP215, Variant::Pure, b"attack at noon", &signature);
//! assert_eq!(verdict.to_string(), "invalid: verification equation does not hold");
//! ```
//!
//! | module | contents |
//! |---|---|
//! | [`ed25519`] | keys, signatures, signing, verification under a rule |
//! | [`ecdsa`] | the same for ECDSA on P-256 and P-384 |
//! | [`x25519`] | agreement on a secret |
//! | [`ecdh`] | the same on P-256 and P-384 |
//! | [`bulk`] | columns of signatures: one verdict and reason a row |
//! | [`cpu`] | features of the CPU |
//!
//! # First steps
//!
//! New keys, and keys from files as OpenSSL writes them (features `getrandom` and `pem`):
//!
//! ```
//! # #[cfg(all(feature = "getrandom", feature = "pem"))] {
//! use sigmill::ecdsa::p256;
//! use sigmill::ed25519::{SigningKey, VerifyingKey};
//!
//! let key = SigningKey::try_generate(&mut getrandom::SysRng).map_err(|_| sigmill::Error::Randomness)?;
//! let (private, public) = (key.to_private_key_pem()?, key.verifying_key().to_spki_pem()?);
//! assert_eq!(SigningKey::from_private_key_pem(&private)?, key);
//! assert_eq!(VerifyingKey::from_spki_pem(&public)?, key.verifying_key());
//!
//! let key = p256::SigningKey::try_generate()?;
//! assert_eq!(p256::SigningKey::from_private_key_pem(&key.to_private_key_pem()?)?, key);
//! # }
//! # Ok::<(), sigmill::Error>(())
//! ```
//!
//! A signature of ECDSA in DER, as certificates, TLS and OpenSSL have it, from bytes:
//!
//! ```
//! use sigmill::ecdsa::{LowS, p256::{Signature, VerifyingKey}};
//!
//! # let secret = sigmill::ecdsa::p256::SigningKey::from_slice(&[7; 32])?;
//! # let (key, der) = (secret.verifying_key().to_sec1_bytes(), secret.sign_message(b"hello").to_der());
//! # let der = der.as_bytes();
//! let key = VerifyingKey::from_sec1_bytes(&key)?;
//! let signature = Signature::from_der(der)?;
//! assert!(key.verify_with(LowS::Any, b"hello", &signature).is_valid());
//! # Ok::<(), sigmill::Error>(())
//! ```
//!
//! Keys and signatures in other formats (feature `serde`):
//!
//! ```
//! # #[cfg(feature = "serde")] {
//! use serde::{Deserialize, Serialize};
//! use sigmill::ed25519::{Signature, Signer, SigningKey, VerifyingKey};
//!
//! #[derive(Serialize, Deserialize)]
//! struct Signed {
//!     by: VerifyingKey,
//!     message: String,
//!     signature: Signature,
//! }
//!
//! let key = SigningKey::from_bytes(&[7; 32]);
//! let signed = Signed { by: key.verifying_key(), message: "hello".into(), signature: key.sign(b"hello") };
//! let json = serde_json::to_string(&signed)?;
//! let read: Signed = serde_json::from_str(&json)?;
//! assert!(read.by.verify_strict(read.message.as_bytes(), &read.signature).is_ok());
//! # }
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! TLS: the crate `sigmill-rustls` is a provider for rustls.
//!
//! # Features
//!
//! | feature | | adds |
//! |---|---|---|
//! | `std` | default | `alloc` and `getrandom` |
//! | `ecdsa` | default | ECDSA and ECDH on P-256 and P-384 |
//! | `x25519` | default | X25519 |
//! | `bulk` | default | columns of signatures, `verify_batch`: what computes many at once |
//! | `rayon` | default | bulk operations on all cores; `bulk`, `std` |
//! | `alloc` | by `std` | what returns vectors, text and boxes; sources of `SignatureError` |
//! | `getrandom` | by `std` | random bytes of the system: `generate()`, `random()`, combined verification |
//! | `containers` | | keys in PKCS#8, SubjectPublicKeyInfo and ECPrivateKey, DER and PEM, in the caller's memory; `FileKind`, `KeyCell` |
//! | `pkcs8` | | the same in memory of their own, and the traits of the crate `pkcs8`; `containers`, `alloc` |
//! | `pem` | | the same in PEM; `pkcs8` |
//! | `digest` | | Ed25519ph with a digest of the caller's choosing, `DigestSigner`, `DigestVerifier`, `Generate` |
//! | `hazmat` | | signing with a scalar that did not come from a seed; dangerous; `digest` |
//! | `rand_core` | | `RandomizedSigner`: hedged signing |
//! | `serde` | | keys and signatures in the data model of serde |
//! | `base64` | | ECDSA signatures and public keys as text in base64; `alloc` |
//! | `curve25519-dalek` | | Ed25519 and X25519 keys as points of curve25519-dalek 5, and back; with `hazmat` scalars, too |
//! | `elliptic-curve` | | keys, points and scalars of P-256 and P-384 as types of elliptic-curve 0.14 and sec1 0.8, and back; `ecdsa` |
//! | `batch` | | `bulk`, by the name that programs for ed25519-dalek ask for |
//! | `fast`, `asm`, `zeroize` | | nothing: names that they ask for, too |
//!
//! The crate is `no_std` without default features, has Ed25519 alone then, and needs no allocator. No feature changes
//! a verdict. [The cost of depending on sigmill](https://github.com/sigmill/sigmill/blob/main/docs/cost.md) has the build times of
//! `ecdsa`, `x25519` and `bulk`.

#![no_std]
#![deny(unsafe_code)]
// code that features share has no feature of its own: unused code is not compiled
#![cfg_attr(
    not(all(feature = "bulk", feature = "ecdsa", feature = "x25519")),
    allow(dead_code, unreachable_pub, unused_imports, unused_macros)
)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(docsrs, doc(auto_cfg(hide(target_family = "wasm", target_os = "unknown"))))]
#![doc(html_root_url = "https://docs.rs/sigmill")]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(any(feature = "std", sigmill_tables = "computed"))]
extern crate std;

mod algorithms;
#[cfg(feature = "bulk")]
pub mod bulk;
pub mod cpu;
mod ct;
mod curve;
#[cfg(feature = "curve25519-dalek")]
mod dalek_types;
#[cfg(feature = "ecdsa")]
pub mod ecdh;
#[cfg(feature = "ecdsa")]
pub mod ecdsa;
pub mod ed25519;
#[cfg(feature = "elliptic-curve")]
mod elliptic_types;
#[cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]
mod encoding;
mod error;
mod field;
#[cfg(feature = "containers")]
#[cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]
mod file_kind;
mod hash;
mod impls;
#[cfg(feature = "containers")]
#[cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]
mod key_cell;
#[cfg(feature = "containers")]
#[cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]
mod keyfile;
mod memory;
mod modular;
mod random;
mod scalar;
#[cfg_attr(not(sigmill_lanes), allow(dead_code))]
mod simd;
#[cfg(any(doctest, test))]
mod tests;
mod word;
#[cfg(feature = "x25519")]
pub mod x25519;

#[cfg(sigmill_valgrind)]
pub use ct::make_secret;
#[cfg(feature = "containers")]
pub use error::KeyFormatError;
pub use error::{Error, Reason, SignatureDerError, Verdict};
#[cfg(feature = "containers")]
pub use file_kind::FileKind;
#[cfg(feature = "containers")]
pub use key_cell::KeyCell;

/// The field backend that single operations run on: `u64x4`, `u32x10`, `fiat64` or `fiat32`, by the name
/// it has for Ed25519; ECDSA computes in words of the same size, by fiat where Ed25519 does. It is chosen
/// when the library is built (`--cfg sigmill_field="…"`) and changes no result.
pub const fn field_backend() -> &'static str {
    field::f25519::NAME
}
