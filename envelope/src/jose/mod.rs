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
mod serialization;
mod sign;
mod token;

pub use compact::{LONGEST_SIGNATURE, Row, Verifier};
pub use jwk::{Jwk, private_to_json, read_private};
pub use jwks::JwkSet;
pub use sign::{Headers, sign_compact, sign_general};
pub use token::Token;

use crate::error::{Error, Refusal, Result, quoted};
use crate::json::{Json, repeated};
use data_encoding::BASE64URL_NOPAD;

/// Decodes base64url without padding, strictly. The name is that of the part, for messages.
fn decode(text: &[u8], name: &str, not: Refusal) -> Result<Vec<u8>> {
    BASE64URL_NOPAD.decode(text).map_err(|error| {
        Error::new(not, format!("{name} is not base64url without padding: {error}"))
    })
}

/// A member that is a string where it is there.
fn text_of<'j>(object: &'j Json, name: &str, not: Refusal) -> Result<Option<&'j str>> {
    match object.get(name) {
        None => Ok(None),
        Some(Json::Text(text)) => Ok(Some(text)),
        Some(other) => Err(Error::new(
            not,
            format!("{} is {}; it must be a string", quoted(name), other.kind()),
        )),
    }
}

/// A member that is an array of strings, none of them twice, where it is there.
fn texts_of<'j>(object: &'j Json, name: &str, not: Refusal) -> Result<Option<Vec<&'j str>>> {
    let values = match object.get(name) {
        None => return Ok(None),
        Some(Json::Array(values)) => values,
        Some(other) => {
            let detail = format!("`{name}` is {}; it must be an array of strings", other.kind());
            return Err(Error::new(not, detail));
        }
    };
    let mut texts = Vec::with_capacity(values.len());
    for value in values {
        let Json::Text(text) = value else {
            let detail = format!("`{name}` holds {}; it must be an array of strings", value.kind());
            return Err(Error::new(not, detail));
        };
        texts.push(text.as_str());
    }
    if let Some(twice) = repeated(texts.clone()) {
        let detail = format!("`{name}` has {} twice", quoted(twice));
        return Err(Error::new(Refusal::DuplicateMember, detail));
    }
    Ok(Some(texts))
}
