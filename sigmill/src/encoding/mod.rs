//! Containers: bytes to an identifier with key bytes, or to the integers of a signature, and back.
//!
//! A thin room over the RustCrypto formats crates (`der`, `spki`, `pkcs8`) and `base64ct`. It
//! knows no curve and no algorithm; `keyfile` knows the identifiers. Everything is read from
//! and written to the caller's memory.
//!
//! Secrets: a private key goes from the caller's bytes straight to where it is written; what PEM is decoded
//! into is wiped. Parsing is not constant time: a container's shape is public, and no branch looks at
//! the key bytes inside it.
//!
//! | file | contents |
//! |---|---|
//! | `pkcs8` | private keys: PKCS#8 v1 (RFC 5208) and v2 (RFC 5958) |
//! | `sec1` | private keys of elliptic curves: ECPrivateKey (RFC 5915), and the names of curves |
//! | `spki` | public keys: SubjectPublicKeyInfo (RFC 5280 section 4.1.2.7) |
//! | `pem` | any of them as text (RFC 7468; white space and other text are skipped) |
//! | `hex` | public values as hexadecimal text |
//! | `signature_der` | ECDSA signatures: ECDSA-Sig-Value (RFC 3279 section 2.2.3) |
//!
//! Keys need the feature `containers`.

pub(crate) mod hex;
#[cfg(feature = "containers")]
pub(crate) mod pem;
#[cfg(feature = "containers")]
pub(crate) mod pkcs8;
#[cfg(all(feature = "containers", feature = "ecdsa"))]
pub(crate) mod sec1;
#[cfg(feature = "ecdsa")]
pub(crate) mod signature_der;
#[cfg(feature = "containers")]
pub(crate) mod spki;

#[cfg(feature = "containers")]
use crate::error::{Error, KeyFormatError};
#[cfg(feature = "containers")]
pub(crate) use ::pkcs8::{AlgorithmIdentifierRef, ObjectIdentifier};

/// Every way of not being DER is one error: where a container breaks tells nobody what to do.
#[cfg(feature = "containers")]
fn not_der(_: der::Error) -> KeyFormatError {
    KeyFormatError::Der
}

/// Writes a container to the beginning of `out`. Returns how many bytes it has; what is behind them stays
/// as it was.
///
/// # Errors
/// [`Error::Length`] of the memory, by the name `what`, if it is too short; nothing is written then.
#[cfg(feature = "containers")]
pub(crate) fn write(
    what: &'static str,
    container: &impl der::Encode,
    out: &mut [u8],
) -> Result<usize, Error> {
    let expected = container.encoded_len().and_then(usize::try_from).map_err(not_der)?;
    let place = beginning(what, expected, out)?;
    container.encode_to_slice(place).map_err(not_der)?;
    Ok(expected)
}

#[cfg(feature = "containers")]
fn beginning<'a>(
    what: &'static str,
    expected: usize,
    out: &'a mut [u8],
) -> Result<&'a mut [u8], Error> {
    let got = out.len();
    out.get_mut(..expected).ok_or(Error::Length { what, expected, got })
}
