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
//! # Programs for the crates `p256` and `p384`
//!
//! [`p256`] and [`p384`] have the names of these crates (versions 0.14), so that such a program changes its `use`
//! lines: those of `p256::ecdsa`, of `p256::ecdh` and of the root (`SecretKey`, `PublicKey`, `Sec1Point`,
//! `FieldBytes`), the traits of `signature`, with `pkcs8` those of containers and algorithm identifiers, with
//! `pem` keys from text by `parse`, with `digest` `DigestSigner`, `DigestVerifier` and `Generate`, with
//! `getrandom` `generate()`.
//!
//! ```
//! # #[cfg(feature = "getrandom")] {
//! use sigmill::ecdsa::p256; // before: use p256;
//! use p256::ecdsa::{Signature, SigningKey, VerifyingKey, signature::{Signer, Verifier}};
//!
//! let key = SigningKey::generate();
//! let public = key.verifying_key().to_sec1_point(false);
//! let signature: Signature = key.sign(b"message");
//! let public = VerifyingKey::from_sec1_bytes(public.as_ref())?;
//! public.verify(b"message", &signature)?;
//! # }
//! # Ok::<(), sigmill::ecdsa::Error>(())
//! ```
//!
//! [From p256 and p384](https://github.com/sigmill/sigmill/blob/main/docs/migrating-from-p256-p384.md) goes through them call by call, and says what differs. Left out are the types
//! of `elliptic_curve` that compute (points, scalars, `Signature::r` and `s`), `RecoveryId`, `SignatureWithOid`, and
//! randomised signing of parts and digests of a named hash. `DerSignature` is narrower: r and s are in range, as in
//! `Signature`.
//!
//! # Errors
//!
//! Constructors from bytes fail with [`Error`]. `?` converts it to `signature::Error`, which the traits return
//! (`TryFrom`, `FromStr`, `Verifier`), and back; with an allocator nothing is lost on the way.

// curves     what a curve is to all of the others
// types      keys and signatures
// pair       a secret key and its public key as one value
// rules      facts and policy to a verdict; `verify`: bytes to facts
// nonce      RFC 6979; `sign`: signing, public keys
// lanes      rows in lanes, with `sign_lanes` and `nonce_lanes`
// fault      where tests let a step of signing go wrong
// traits     what programs for `p256` and `p384` call besides; `names`: the modules in which they look for it

#[cfg(feature = "base64")]
mod base64;
pub(crate) mod curves;
mod fault;
pub(crate) mod lanes;
mod names;
mod nonce;
mod nonce_lanes;
mod nonzero_scalar;
mod pair;
mod rules;
mod sec1_point;
#[cfg(feature = "serde")]
mod serde;
mod sign;
pub(crate) mod sign_lanes;
mod traits;
mod types;
mod verify;

pub use crate::error::Error;
#[cfg(feature = "pkcs8")]
pub use ::pkcs8;
pub use curves::{ByteArray, Curve, EcdsaCurve, OnCurve, Prehash};
pub use lanes::{Encoding, Scheme};
pub use names::{p256, p384};
pub use nonzero_scalar::NonZeroScalar;
pub use pair::KeyPair;
pub use rules::LowS;
pub use sec1_point::Sec1Point;
pub use sha2::{
    Sha256, Sha384, Sha512,
    digest::{Digest, common::BlockSizeUser},
};
pub use sign_lanes::CurveKey;
pub use signature::hazmat::{PrehashSigner, PrehashVerifier};
#[cfg(feature = "digest")]
pub use signature::{DigestSigner, DigestVerifier};
pub use signature::{KeypairRef, MultipartSigner, MultipartVerifier, Signer, Verifier};
#[cfg(feature = "rand_core")]
pub use signature::{RandomizedSigner, hazmat::RandomizedPrehashSigner};
pub use types::{DerSignature, Signature, SigningKey, VerifyingKey};
