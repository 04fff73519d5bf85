//! Public keys as SubjectPublicKeyInfo (RFC 5280 section 4.1.2.7), in strict DER.
//!
//! Public data only: time depends on the bytes.

use super::{AlgorithmIdentifierRef, not_der};
use crate::error::KeyFormatError;
use ::pkcs8::SubjectPublicKeyInfoRef;
use der::Decode;
use der::asn1::BitStringRef;

/// Reads a container: whose key it is, and the key.
pub(crate) fn parse(bytes: &[u8]) -> Result<(AlgorithmIdentifierRef<'_>, &[u8]), KeyFormatError> {
    let info = SubjectPublicKeyInfoRef::from_der(bytes).map_err(not_der)?;
    let key = info.subject_public_key.as_bytes().ok_or(KeyFormatError::Der)?;
    Ok((info.algorithm, key))
}

/// A container to be written.
pub(crate) fn container<'a>(
    algorithm: AlgorithmIdentifierRef<'a>,
    key: &'a [u8],
) -> Result<SubjectPublicKeyInfoRef<'a>, KeyFormatError> {
    let subject_public_key = BitStringRef::from_bytes(key).map_err(not_der)?;
    Ok(SubjectPublicKeyInfoRef { algorithm, subject_public_key })
}
