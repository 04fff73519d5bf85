//! Private keys in PKCS#8: version 1 (RFC 5208) and version 2, which adds the public key
//! (RFC 5958). Written as version 1, which every reader understands.
//!
//! Strict DER: another encoding of the same structure, a byte after its end and a field that
//! neither RFC names are refused. Attributes are skipped; no reader of signatures needs them.
//!
//! Secrets: the private key is borrowed from the caller's bytes, and written into memory that is wiped.

use super::{AlgorithmIdentifierRef, not_der, write_secret};
use crate::error::KeyFormatError;
use ::pkcs8::{PrivateKeyInfoRef, Version};
use alloc::vec::Vec;
use der::asn1::{BitStringRef, OctetStringRef, SequenceRef};
use der::{Decode, Reader, SliceReader, Tag, TagMode, TagNumber, Tagged};
use zeroize::Zeroizing;

const ATTRIBUTES: TagNumber = TagNumber(0);
const PUBLIC_KEY: TagNumber = TagNumber(1);

/// What a PKCS#8 container holds.
pub(crate) struct PrivateKey<'a> {
    pub(crate) algorithm: AlgorithmIdentifierRef<'a>,
    /// The private key in the encoding that its algorithm prescribes.
    pub(crate) private_key: &'a [u8],
    /// The public key, which version 2 has and version 1 has not.
    pub(crate) public_key: Option<&'a [u8]>,
}

/// Reads a container. Time depends on its shape.
pub(crate) fn parse(bytes: &[u8]) -> Result<PrivateKey<'_>, KeyFormatError> {
    let mut reader = SliceReader::new(bytes).map_err(not_der)?;
    let key = reader.sequence(parse_fields).map_err(not_der)?;
    reader.finish().map_err(not_der)?;
    Ok(key)
}

fn parse_fields<'a>(reader: &mut SliceReader<'a>) -> der::Result<PrivateKey<'a>> {
    let version = Version::decode(reader)?;
    let algorithm = AlgorithmIdentifierRef::decode(reader)?;
    let private_key: &OctetStringRef = reader.decode()?;
    reader.context_specific::<&SequenceRef>(ATTRIBUTES, TagMode::Implicit)?;
    let public_key = parse_public_key(reader)?;
    if version.has_public_key() != public_key.is_some() {
        return Err(Tag::Integer.value_error().into());
    }
    Ok(PrivateKey { algorithm, private_key: private_key.as_bytes(), public_key })
}

/// The field `[1] PublicKey OPTIONAL`. RFC 5958 tags it implicitly; ring before 0.17 wrote an
/// explicit tag, and its files are still around.
fn parse_public_key<'a>(reader: &mut SliceReader<'a>) -> der::Result<Option<&'a [u8]>> {
    if reader.is_finished() {
        return Ok(None);
    }
    let mode =
        if Tag::peek(reader)?.is_constructed() { TagMode::Explicit } else { TagMode::Implicit };
    let bits = reader.context_specific::<BitStringRef<'a>>(PUBLIC_KEY, mode)?;
    match bits {
        Some(bits) => bits.as_bytes().map(Some).ok_or_else(|| bits.tag().value_error().into()),
        None => Ok(None), // The sequence has bytes left, which its reader refuses.
    }
}

/// The content of an OCTET STRING that fills `bytes`: RFC 8410 section 7 wraps private keys once
/// more (`CurvePrivateKey`).
pub(crate) fn parse_octet_string(bytes: &[u8]) -> Result<&[u8], KeyFormatError> {
    <&OctetStringRef>::from_der(bytes).map(OctetStringRef::as_bytes).map_err(not_der)
}

/// Wraps bytes into an OCTET STRING, as [`parse_octet_string`] reads it.
pub(crate) fn write_octet_string(bytes: &[u8]) -> Result<Zeroizing<Vec<u8>>, KeyFormatError> {
    write_secret(&OctetStringRef::new(bytes).map_err(not_der)?)
}

/// Writes a version 1 container around a private key in the encoding that its algorithm prescribes.
pub(crate) fn write(
    algorithm: AlgorithmIdentifierRef<'_>,
    private_key: &Zeroizing<Vec<u8>>,
) -> Result<Zeroizing<Vec<u8>>, KeyFormatError> {
    let private_key = OctetStringRef::new(private_key).map_err(not_der)?;
    write_secret(&PrivateKeyInfoRef::new(algorithm, private_key))
}
