//! Key containers: bytes to an algorithm identifier with key bytes, and back.
//!
//! A thin room over the RustCrypto formats crates (`der`, `spki`, `pkcs8`, `pem-rfc7468`). It
//! knows no curve and no algorithm; `keyfile` says which identifiers mean what.
//!
//! Secrets: buffers that this room allocates for private keys are wiped. Parsing is not constant
//! time: a container's shape is public, and no branch looks at the key bytes inside it.
//!
//! | file | what it holds |
//! |---|---|
//! | `pkcs8` | private keys: PKCS#8 v1 (RFC 5208) and v2 (RFC 5958) |
//! | `spki` | public keys: SubjectPublicKeyInfo (RFC 5280 section 4.1.2.7) |
//! | `pem` | either of them as text (RFC 7468, strict) |
//!
//! Reach: `error`.

#[cfg(feature = "pem")]
pub(crate) mod pem;
pub(crate) mod pkcs8;
pub(crate) mod spki;

pub(crate) use ::pkcs8::{AlgorithmIdentifierRef, ObjectIdentifier};

use crate::error::KeyFormatError;
use ::pkcs8::der;

/// Every way of not being DER is one error: where a container breaks tells nobody what to do.
fn not_der(_: der::Error) -> KeyFormatError {
    KeyFormatError::Der
}
