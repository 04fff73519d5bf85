//! COSE_Sign1 and COSE_Key (RFC 9052, algorithms of RFC 9053 and RFC 9864).
//!
//! A [`Sign1`] is read from its bytes, with the tag 18 or without, and with the tag 61 of a CBOR Web Token around it
//! (RFC 8392 section 6). Messages of other kinds (many signers, MACs, encryption) are refused by name. `alg` belongs
//! into the protected header and must fit the verifier's key: EdDSA (−8) and Ed25519 (−19) fit a key of Ed25519, ES256
//! (−7) and ESP256 (−9) one of P-256, ES384 (−35) and ESP384 (−51) one of P-384. RFC 9053 lets ES256 and ES384 stand
//! with any curve; here a key is used with the hash function of its own size only.
//!
//! Encodings need not be deterministic, and the signature covers the protected header as it was received. Refused are
//! strings of indefinite length, `undefined`, bignums, more than 16 levels and more than 65,536 items.
//!
//! ```
//! use sigmill::{bulk::Algorithm, ed25519::rules};
//! use sigmill_envelope::{SecretKey, cose};
//!
//! let secret = SecretKey::new(Algorithm::Ed25519, &[7; 32])?;
//! let bytes = cose::sign(&secret, Some(b"k1"), b"hello", false, true, b"")?;
//!
//! let sign1 = cose::Sign1::read(&bytes)?;
//! assert_eq!((sign1.kid(), sign1.payload()), (Some(&b"k1"[..]), Some(&b"hello"[..])));
//! let key = secret.public_key();
//! assert!(sign1.signed(&key, None, b"")?.verify(&key, &rules::STRICT)?.is_valid());
//! # Ok::<(), sigmill_envelope::Error>(())
//! ```

mod cbor;
mod header;
mod key;
mod keys;
mod sign1;

pub use header::ContentType;
pub(crate) use header::kid_text;
pub use key::{PublicKey, public_key, public_keys, secret_key, write_secret_key};
pub use keys::Keys;
pub use sign1::{Sign1, sign};
