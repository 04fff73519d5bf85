//! JSON Web Keys (RFC 7517) and JSON Web Signatures (RFC 7515).
//!
//! Read and written are the algorithms `EdDSA` (RFC 8037; only with a key of Ed25519), `Ed25519` (RFC 9864), `ES256`
//! and `ES384` (RFC 7518 §3.4). All others, `none` among them, are refused by name. The key comes from the set of the
//! verifier: by `kid`, or by its type where just one key fits. The headers `jwk`, `jku`, `x5c` and `x5u` are ignored:
//! the bearer of a token does not choose the key. Names and times in a payload are data; the caller checks `exp`,
//! `nbf`, `aud`, `iss` and `typ`.
//!
//! ```
//! use sigmill::{bulk::Algorithm, ed25519::rules};
//! use sigmill_envelope::SecretKey;
//! use sigmill_envelope::jose::{Jwk, JwkSet, Verifier, sign_compact};
//!
//! let secret = SecretKey::new(Algorithm::Ed25519, &[7; 32])?;
//! let token = sign_compact(&secret, Some("2026"), Some("JWT"), br#"{"sub":"alice"}"#)?;
//!
//! let mut jwk = Jwk::new(secret.public_key());
//! jwk.kid = Some("2026".into());
//! let keys = JwkSet::new(vec![jwk])?;
//! let mut verifier = Verifier::new(&keys);
//! let read = verifier.read_compact(token.as_bytes())?;
//! let key = keys.key(read.key).expect("an index of the set");
//! assert!(read.signed.verify(key, &rules::COMMON)?.is_valid());
//! assert_eq!(read.claims(&["sub", "exp"])?, [Some("alice".into()), None]);
//! # Ok::<(), sigmill_envelope::Error>(())
//! ```

mod compact;
mod header;
mod jwk;
mod jwks;
mod members;
mod serialization;
mod sign;
mod token;

pub use compact::{LONGEST_SIGNATURE, Row, Verifier};
pub use jwk::{Jwk, private_to_json, read_private};
pub use jwks::JwkSet;
pub use sign::{Headers, sign_compact, sign_general};
pub use token::Token;
