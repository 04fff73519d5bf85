//! Public keys as SubjectPublicKeyInfo (RFC 5280 section 4.1.2.7), in strict DER.
//!
//! Public data only: time depends on the bytes.

use super::{AlgorithmIdentifierRef, not_der};
use crate::error::KeyFormatError;
use ::pkcs8::SubjectPublicKeyInfoRef;
use alloc::vec::Vec;
use der::asn1::BitStringRef;
use der::{Decode, Encode};

/// Reads a container: whose key it is, and the key.
pub(crate) fn parse(bytes: &[u8]) -> Result<(AlgorithmIdentifierRef<'_>, &[u8]), KeyFormatError> {
    let info = SubjectPublicKeyInfoRef::from_der(bytes).map_err(not_der)?;
    let key = info.subject_public_key.as_bytes().ok_or(KeyFormatError::Der)?;
    Ok((info.algorithm, key))
}

/// Writes a container.
pub(crate) fn write(
    algorithm: AlgorithmIdentifierRef<'_>,
    key: &[u8],
) -> Result<Vec<u8>, KeyFormatError> {
    let subject_public_key = BitStringRef::from_bytes(key).map_err(not_der)?;
    SubjectPublicKeyInfoRef { algorithm, subject_public_key }.to_der().map_err(not_der)
}
