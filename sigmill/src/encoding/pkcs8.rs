//! Private keys in PKCS#8: version 1 (RFC 5208) and version 2, which adds the public key
//! (RFC 5958). Written as version 1, which every reader understands.
//!
//! Strict DER: another encoding of the same structure, a byte after its end and a field that
//! neither RFC names are refused. Attributes are skipped; no reader of signatures needs them.
//!
//! Secrets: the private key is borrowed from the caller's bytes, and written straight to where the container goes.

use super::{AlgorithmIdentifierRef, not_der};
use crate::error::KeyFormatError;
use ::pkcs8::Version;
use der::asn1::{BitStringRef, OctetStringRef, SequenceRef};
use der::{
    Decode, Encode, EncodeValue, FixedTag, Header, Length, Reader, SliceReader, Tag, TagMode,
    TagNumber, Tagged, Writer,
};

const ATTRIBUTES: TagNumber = TagNumber(0);
const PUBLIC_KEY: TagNumber = TagNumber(1);

/// The contents of a PKCS#8 container.
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

/// Bytes as an OCTET STRING, as [`parse_octet_string`] reads them.
pub(crate) fn octet_string(bytes: &[u8]) -> Result<&OctetStringRef, KeyFormatError> {
    OctetStringRef::new(bytes).map_err(not_der)
}

/// A version 1 container to be written, around a private key in the encoding that its algorithm prescribes.
pub(crate) struct Version1<'a, K> {
    pub(crate) algorithm: AlgorithmIdentifierRef<'a>,
    pub(crate) private_key: K,
}

impl<K: Encode> Version1<'_, K> {
    /// The header before the private key, inside the OCTET STRING that holds it.
    fn private_key_header(&self) -> der::Result<Header> {
        Ok(Header::new(Tag::OctetString, self.private_key.encoded_len()?))
    }
}

impl<K> FixedTag for Version1<'_, K> {
    const TAG: Tag = Tag::Sequence;
}

impl<K: Encode> EncodeValue for Version1<'_, K> {
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "the sum of two lengths of `der` is a `Result`"
    )]
    fn value_len(&self) -> der::Result<Length> {
        Version::V1.encoded_len()?
            + self.algorithm.encoded_len()?
            + self.private_key_header()?.encoded_len()?
            + self.private_key.encoded_len()?
    }

    fn encode_value(&self, writer: &mut impl Writer) -> der::Result<()> {
        Version::V1.encode(writer)?;
        self.algorithm.encode(writer)?;
        self.private_key_header()?.encode(writer)?;
        self.private_key.encode(writer)
    }
}
