//! PEM: a labelled container in base64 (RFC 7468, the strict form: lines of 64 characters, the
//! same label at both ends, nothing after the last line; text before the first is skipped).
//!
//! Secrets: both directions use memory that is wiped, and base64 is decoded without tables or branches on
//! its characters (`base64ct`).

use crate::error::KeyFormatError;
use ::pkcs8::LineEnding;
use alloc::string::String;
use alloc::vec::Vec;
use der::pem;
use zeroize::Zeroizing;

/// The label of a PKCS#8 container.
pub(crate) const PRIVATE_KEY: &str = "PRIVATE KEY";
/// The label of an ECPrivateKey that stands by itself (RFC 5915 section 4).
pub(crate) const EC_PRIVATE_KEY: &str = "EC PRIVATE KEY";
/// The label of a SubjectPublicKeyInfo container.
pub(crate) const PUBLIC_KEY: &str = "PUBLIC KEY";

/// Reads the container with this label.
pub(crate) fn parse(label: &str, text: &str) -> Result<Zeroizing<Vec<u8>>, KeyFormatError> {
    let not_pem = |_| KeyFormatError::Pem;
    let mut decoder = pem::Decoder::new(text.as_bytes()).map_err(not_pem)?;
    if decoder.type_label() != label {
        return Err(KeyFormatError::Pem);
    }
    let mut bytes = Zeroizing::new(alloc::vec![0; decoder.remaining_len()]);
    decoder.decode(&mut bytes).map_err(not_pem)?;
    if !decoder.is_finished() {
        return Err(KeyFormatError::Pem);
    }
    Ok(bytes)
}

/// Writes a container, with a line feed after every line.
pub(crate) fn write(label: &str, bytes: &[u8]) -> Result<Zeroizing<String>, KeyFormatError> {
    pem::encode_string(label, LineEnding::LF, bytes)
        .map(Zeroizing::new)
        .map_err(|_| KeyFormatError::Pem)
}
