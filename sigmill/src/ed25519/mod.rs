//! Ed25519 (RFC 8032): keys, signatures, signing, and verification under a named rule.
//!
//! ```
//! use sigmill::ed25519::{Signer, SigningKey, Variant, Verifier, rules};
//!
//! let key = SigningKey::from_bytes(&[7; 32]);
//! let signature = key.sign(b"attack at dawn");
//! let public = key.verifying_key();
//! assert!(public.verify(b"attack at dawn", &signature).is_ok());
//! assert!(public.verify_with(&rules::ZIP215, Variant::Pure, b"attack at dawn", &signature).is_valid());
//! ```
//!
//! Every way of verifying, one at a time, with a prepared key, streaming or in bulk, gives the
//! verdict of the rule that was named.
//!
//! **Two sets of names.** The names and signatures of `ed25519-dalek` 3 are here, so that a program
//! switches by its `use` line; they verify under the rule `common` (`*_strict`: `strict`) and return
//! `Result<(), SignatureError>`. Functions that end in `_with` take the rule and return a
//! [`Verdict`] with its reason. [From ed25519-dalek](https://github.com/sigmill/sigmill/blob/main/docs/migrating-from-dalek.md)
//! lists what differs.

#[cfg(all(feature = "alloc", feature = "bulk"))]
mod batch;
mod bytes;
mod checked;
mod explain;
#[cfg(feature = "hazmat")]
pub mod hazmat;
#[cfg(feature = "bulk")]
pub(crate) mod many;
mod own_hash;
#[cfg(feature = "digest")]
mod prehashed;
pub mod rules;
#[cfg(feature = "serde")]
mod serde;
mod shared;
mod sign;
mod signing;
mod stream;
mod variant;
mod verify;
mod verifying;

#[cfg(all(feature = "alloc", feature = "bulk"))]
pub use batch::{verify_batch, verify_batch_with};
pub use bytes::{
    EXPANDED_SECRET_KEY_LENGTH, KEYPAIR_LENGTH, PUBLIC_KEY_LENGTH, SECRET_KEY_LENGTH,
    SIGNATURE_LENGTH, SecretKey, SignatureError,
};
pub use explain::{Explanation, PointReport, ResidualReport};
pub use own_hash::{OwnHash, public_key_with_hash, sign_with_hash, verify_with_hash};
#[cfg(feature = "digest")]
pub use prehashed::Context;
pub use rules::Rule;
pub use shared::{
    OwnPieceHash, SharedMessage, sign_shared_with_hash, sign_shared_with_keypair,
    sign_shared_with_seed,
};
pub use signing::{SigningKey, sign_with_keypair, sign_with_seed};
pub use stream::{SecondPass, StreamSigner, StreamVerifier};
pub use variant::{ContextString, Variant};
pub use verify::{verify_bytes, verify_prehashed_bytes};
pub use verifying::{MontgomeryPoint, PreparedKey, VerifyingKey};

pub use ::ed25519;
/// A signature as it came: 64 bytes, R followed by S. Nothing about them has been judged; the rule
/// that verifies it does that.
///
/// ```
/// use sigmill::ed25519::{Signature, Signer, SigningKey};
///
/// let signature = SigningKey::from_bytes(&[7; 32]).sign(b"hello");
/// let bytes = signature.to_bytes();
/// assert_eq!(Signature::from_bytes(&bytes), signature);
/// assert_eq!(Signature::try_from(bytes.as_slice()).ok(), Some(signature)); // of any length: an error
/// assert_eq!(signature.to_string().parse().ok(), Some(signature)); // hexadecimal
/// ```
pub use ::ed25519::Signature;
#[cfg(feature = "pkcs8")]
pub use ::ed25519::pkcs8;
#[cfg(feature = "rand_core")]
pub use rand_core;
pub use sha2::{Digest, Sha512};
#[cfg(feature = "rand_core")]
pub use signature::RandomizedSigner;
#[cfg(feature = "digest")]
pub use signature::{DigestSigner, DigestVerifier};
pub use signature::{KeypairRef, MultipartSigner, MultipartVerifier, Signer, Verifier};

use crate::error::Verdict;

/// [`VerifyingKey::check`] for a key from bytes of any length.
pub fn check_key_bytes(rule: &Rule, key: &[u8]) -> Verdict {
    let key: Option<&[u8; 32]> = key.try_into().ok();
    match rules::of_lengths(key, Some(())) {
        Ok((key, ())) => match VerifyingKey::decode(key) {
            Ok(key) => key.check(rule),
            Err(_) => rules::without_key(rule),
        },
        Err(refused) => refused,
    }
}
