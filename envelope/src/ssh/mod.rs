//! OpenSSH: public and private keys, signatures by `ssh-keygen -Y` (SSHSIG), allowed signers.
//!
//! The types of keys are `ssh-ed25519` (RFC 8709), `ecdsa-sha2-nistp256` and `ecdsa-sha2-nistp384` (RFC 5656). Security
//! keys (`sk-…`) and certificates (`…-cert-v01@openssh.com`) are refused as unsupported, other types as unknown
//! algorithms.
//!
//! A verifier with a key of its own compares it with [`Signature::expect_key`]; one with a file of allowed signers asks
//! [`AllowedSigners::check`]. Both then verify what [`Signature::signed`] returns.
//!
//! ```
//! use sigmill::bulk::Algorithm;
//! use sigmill::ed25519::rules::STRICT;
//! use sigmill_envelope::{SecretKey, ssh};
//!
//! let secret = SecretKey::new(Algorithm::Ed25519, &[7; 32])?;
//! let hash = ssh::Hash::Sha512;
//! let armored = ssh::sign(&secret, "file", hash, &hash.digest(b"message"))?;
//!
//! let signature = ssh::Signature::read(armored.as_bytes())?;
//! let line = ssh::write_public(&secret.public_key(), "")?;
//! let allowed = ssh::AllowedSigners::read(format!("*@example.com {line}").as_bytes())?;
//! allowed.check("me@example.com", "file", &signature.key, 1_700_000_000)?;
//! let signed = signature.signed("file", &signature.hash.digest(b"message"))?;
//! assert!(signed.verify(&signature.key, &STRICT)?.is_valid());
//! # Ok::<(), sigmill_envelope::Error>(())
//! ```

mod allowed;
mod private;
mod public;
mod signature;
mod wire;

pub use allowed::AllowedSigners;
pub use private::{is_private_key, read_private, write_private};
pub use public::{fingerprint, is_public_key, read_public, write_public};
pub use signature::{Hash, Hasher, Signature, is_signature, sign};
