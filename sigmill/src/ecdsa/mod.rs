//! ECDSA (FIPS 186-5 section 6) on P-256 and P-384.
//!
//! Signing is deterministic (RFC 6979), or hedged with additional input. Any hash function serves with
//! either curve; [`p256`] takes SHA-256 and [`p384`] takes SHA-384 where none is named. High s are
//! accepted and s is not changed in signing, unless the caller wants it: [`LowS`]. Digests given by the
//! caller may have any length but 0; of those longer than the order the leftmost bits count.
//!
//! ```
//! use sigmill::ecdsa::p384::{Signature, SigningKey};
//! use sigmill::ecdsa::LowS;
//! let key = SigningKey::from_slice(&[7; 48])?;
//! let signature = key.sign_message(b"hello");
//! assert!(key.verifying_key().verify_with(LowS::Any, b"hello", &signature).is_valid());
//! assert_eq!(Signature::from_der(signature.to_der().as_bytes())?, signature);
//! # Ok::<(), sigmill::Error>(())
//! ```
//!
//! | file | what it holds |
//! |---|---|
//! | `types` | keys and signatures, for each curve |
//! | `pair` | a secret key and its public key as one value |
//! | `base64`, `serde` | signatures and keys as text, and in the data model of serde |
//! | `rules` | facts and policy to a verdict |
//! | `verify` | bytes to facts |
//! | `nonce`, `sign` | RFC 6979; signing, public keys |
//! | `many`, `sign_many`, `nonce_many` | many rows in lanes: verifying, signing, nonces |
//! | `fault` | where tests let a step of signing go wrong |
//! | `traits` | what programs for `p256` and `p384` call besides |
//!
//! # Programs for the crates `p256` and `p384`
//!
//! [`p256`] and [`p384`] have the names of `p256::ecdsa` and `p384::ecdsa` (versions 0.14), so that such a
//! program changes its `use` lines: keys, `Signature`, `DerSignature`, the traits of `signature`, with
//! `pkcs8` those of containers and algorithm identifiers, with `pem` keys from text by `parse`, with
//! `digest` `DigestSigner` and `DigestVerifier`. Left out, with what stands for it:
//!
//! | there | here |
//! |---|---|
//! | `to_sec1_point(compress)`, `from_sec1_point` | `to_sec1_bytes()`, `to_sec1_compressed()`, `from_sec1_bytes` |
//! | `Generate::generate` | `SigningKey::random`, `try_random` |
//! | `Error` | `signature::Error`, [`Error`](crate::Error) |
//! | types of `elliptic_curve`: points, scalars, `SecretKey`, `PublicKey`, `Signature::r` and `s` | bytes: arithmetic is private |
//! | `RecoveryId`, `SignatureWithOid`, randomised signing of parts and digests of a named hash | – |
//!
//! `DerSignature` is narrower: r and s are in range, as in `Signature`.

#[cfg(feature = "base64")]
mod base64;
mod fault;
mod hex;
pub(crate) mod many;
mod names;
mod nonce;
mod nonce_many;
mod pair;
mod rules;
mod sec1_point;
#[cfg(feature = "serde")]
mod serde;
mod sign;
pub(crate) mod sign_many;
mod traits;
mod types;
mod verify;

#[cfg(test)]
#[path = "../tests/ecdsa_rules.rs"]
mod rules_tests;

pub use crate::error::Error;
#[cfg(feature = "pkcs8")]
pub use ::pkcs8;
pub use many::{Curve, Encoding, Prehash, Scheme};
pub use rules::LowS;
pub use sha2::digest::{Digest, common::BlockSizeUser};
pub use sign_many::CurveKey;
pub use signature::hazmat::{PrehashSigner, PrehashVerifier};
#[cfg(feature = "digest")]
pub use signature::{DigestSigner, DigestVerifier};
pub use signature::{KeypairRef, MultipartSigner, MultipartVerifier, Signer, Verifier};
#[cfg(feature = "rand_core")]
pub use signature::{RandomizedSigner, hazmat::RandomizedPrehashSigner};
pub use types::{p256, p384};

#[cfg(test)]
#[path = "../tests/ecdsa_faults.rs"]
mod fault_tests;
