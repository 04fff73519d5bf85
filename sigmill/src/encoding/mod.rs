//! Containers: bytes to an identifier with key bytes, or to the integers of a signature, and back.
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
//! | `sec1` | private keys of elliptic curves: ECPrivateKey (RFC 5915), and the names of curves |
//! | `spki` | public keys: SubjectPublicKeyInfo (RFC 5280 section 4.1.2.7) |
//! | `pem` | any of them as text (RFC 7468, strict) |
//! | `signature_der` | ECDSA signatures: ECDSA-Sig-Value (RFC 3279 section 2.2.3) |
//!
//! Keys need the feature `pkcs8`, text the feature `pem`.

#[cfg(feature = "pem")]
pub(crate) mod pem;
#[cfg(feature = "pkcs8")]
pub(crate) mod pkcs8;
#[cfg(feature = "pkcs8")]
pub(crate) mod sec1;
pub(crate) mod signature_der;
#[cfg(feature = "pkcs8")]
pub(crate) mod spki;

#[cfg(feature = "pkcs8")]
pub(crate) use ::pkcs8::{AlgorithmIdentifierRef, ObjectIdentifier};
#[cfg(feature = "pkcs8")]
use {crate::error::KeyFormatError, alloc::vec::Vec, zeroize::Zeroizing};

/// Every way of not being DER is one error: where a container breaks tells nobody what to do.
#[cfg(feature = "pkcs8")]
fn not_der(_: der::Error) -> KeyFormatError {
    KeyFormatError::Der
}

/// Encodes into memory of the exact length, so that nothing is left behind by growing it.
#[cfg(feature = "pkcs8")]
fn write_secret(value: &impl der::Encode) -> Result<Zeroizing<Vec<u8>>, KeyFormatError> {
    let len = value.encoded_len().and_then(usize::try_from).map_err(not_der)?;
    let mut bytes = Zeroizing::new(alloc::vec![0; len]);
    value.encode_to_slice(&mut bytes).map_err(not_der)?;
    Ok(bytes)
}
