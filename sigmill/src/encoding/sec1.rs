//! Keys of elliptic curves: ECPrivateKey (RFC 5915, SEC1 section C.4), which stands in a file of its own
//! or in PKCS#8, and the curve that a container names (RFC 5480 section 2.1.1).
//!
//! Strict DER. A curve has a name or is refused: explicit parameters let a file choose a generator
//! under which somebody else's public key is its own (CVE-2020-0601). Points are passed on as they
//! are, compressed or not.
//!
//! Secrets: the private key is borrowed from the caller's bytes, and written straight to where the container goes.

use super::{AlgorithmIdentifierRef, ObjectIdentifier, not_der};
use crate::error::KeyFormatError;
use der::asn1::{AnyRef, BitStringRef, ContextSpecific, OctetStringRef};
use der::{
    Decode, DecodeValue, Encode, EncodeValue, Header, Length, Reader, Sequence, Tag, TagMode,
    TagNumber, Tagged, Writer,
};

/// ecPrivkeyVer1 (RFC 5915 section 3).
const VERSION: u8 = 1;
/// The fewest bytes of a private key: some programs leave out the zeros in front, which RFC 5915 section 3 asks
/// for, and readers that go on take what is left of 192 bits at least.
const MIN_KEY_LEN: usize = 24;
const PARAMETERS: TagNumber = TagNumber(0);
const PUBLIC_KEY: TagNumber = TagNumber(1);

/// A curve that the caller asks for, as containers name it.
pub(crate) struct NamedCurve {
    /// The algorithm of the keys.
    pub(crate) algorithm: ObjectIdentifier,
    /// The curve, in the algorithm's parameters.
    pub(crate) curve: ObjectIdentifier,
    /// The length of a private key in bytes.
    pub(crate) key_len: usize,
}

impl NamedCurve {
    /// The algorithm identifier of a key on this curve.
    pub(crate) fn algorithm(&self) -> AlgorithmIdentifierRef<'_> {
        AlgorithmIdentifierRef { oid: self.algorithm, parameters: Some((&self.curve).into()) }
    }

    /// Refuses the algorithm identifier of any other key.
    pub(crate) fn check(&self, found: AlgorithmIdentifierRef<'_>) -> Result<(), KeyFormatError> {
        if found.oid != self.algorithm {
            return Err(KeyFormatError::Algorithm);
        }
        self.check_parameters(found.parameters.ok_or(KeyFormatError::NoCurve)?)
    }

    /// `ECParameters ::= CHOICE { namedCurve OBJECT IDENTIFIER, implicitCurve NULL, specifiedCurve
    /// SEQUENCE }`, of which RFC 5480 allows the first.
    fn check_parameters(&self, parameters: AnyRef<'_>) -> Result<(), KeyFormatError> {
        match parameters.tag() {
            Tag::ObjectIdentifier => {
                let curve: ObjectIdentifier = parameters.decode_as().map_err(not_der)?;
                if curve == self.curve { Ok(()) } else { Err(KeyFormatError::AnotherCurve) }
            }
            Tag::Sequence => Err(KeyFormatError::ExplicitCurve),
            Tag::Null => Err(KeyFormatError::NoCurve),
            _ => Err(KeyFormatError::Der),
        }
    }

    /// Reads an ECPrivateKey. Its own parameters may be missing, as they are in PKCS#8. Time depends on
    /// its shape.
    ///
    /// # Errors
    /// The first that applies: not this structure, not this curve, a private key that is longer than the curve's,
    /// one zero in front aside, or shorter than 24 bytes.
    pub(crate) fn parse<'a>(&self, bytes: &'a [u8]) -> Result<EcPrivateKey<'a>, KeyFormatError> {
        let mut key = EcPrivateKey::from_der(bytes).map_err(not_der)?;
        if let Some(parameters) = key.parameters {
            self.check_parameters(parameters.value)?;
        }
        // some programs write the integer as DER has it, with a zero before a first byte of 128 or more
        // the length comes first: of a key that has its own, no byte is looked at
        if key.private_key().len() == self.key_len.wrapping_add(1)
            && let [0, rest @ ..] = key.private_key()
        {
            key.private_key = OctetStringRef::new(rest).map_err(not_der)?;
        }
        if !(MIN_KEY_LEN..=self.key_len).contains(&key.private_key().len()) {
            return Err(KeyFormatError::KeyLength);
        }
        Ok(key)
    }

    /// The same for a file of its own. If neither parameters nor a public key tell the curve, the key's
    /// length has to fit: a key of another curve is not taken for a short one of this.
    ///
    /// # Errors
    /// As [`Self::parse`].
    pub(crate) fn parse_file<'a>(
        &self,
        bytes: &'a [u8],
    ) -> Result<EcPrivateKey<'a>, KeyFormatError> {
        let key = self.parse(bytes)?;
        let unnamed = key.parameters.is_none() && key.public_key().is_none();
        if unnamed && key.private_key().len() != self.key_len {
            return Err(KeyFormatError::KeyLength);
        }
        Ok(key)
    }

    /// An ECPrivateKey to be written to a file of its own, with the name of the curve.
    pub(crate) fn key<'a>(
        &'a self,
        private_key: &'a [u8],
        public_key: &'a [u8],
    ) -> Result<EcPrivateKey<'a>, KeyFormatError> {
        let parameters = Some(explicit(PARAMETERS, (&self.curve).into()));
        Ok(EcPrivateKey { parameters, ..self.unnamed_key(private_key, public_key)? })
    }

    /// An ECPrivateKey to be written into PKCS#8, which names the curve outside of it.
    pub(crate) fn unnamed_key<'a>(
        &self,
        private_key: &'a [u8],
        public_key: &'a [u8],
    ) -> Result<EcPrivateKey<'a>, KeyFormatError> {
        if private_key.len() != self.key_len {
            return Err(KeyFormatError::KeyLength);
        }
        let public_key = BitStringRef::from_bytes(public_key).map_err(not_der)?;
        Ok(EcPrivateKey {
            private_key: OctetStringRef::new(private_key).map_err(not_der)?,
            parameters: None,
            public_key: Some(explicit(PUBLIC_KEY, public_key)),
        })
    }
}

fn explicit<T>(tag_number: TagNumber, value: T) -> ContextSpecific<T> {
    ContextSpecific { tag_number, tag_mode: TagMode::Explicit, value }
}

/// The contents of an ECPrivateKey, read or to be written.
pub(crate) struct EcPrivateKey<'a> {
    private_key: &'a OctetStringRef,
    parameters: Option<ContextSpecific<AnyRef<'a>>>,
    public_key: Option<ContextSpecific<BitStringRef<'a>>>,
}

impl<'a> EcPrivateKey<'a> {
    /// A big-endian integer of the curve's length, or shorter by zeros in front.
    pub(crate) fn private_key(&self) -> &'a [u8] {
        self.private_key.as_bytes()
    }

    /// A point (SEC1 section 2.3.3) of which nothing is known, not even that it belongs to the private
    /// key.
    pub(crate) fn public_key(&self) -> Option<&'a [u8]> {
        self.public_key.as_ref()?.value.as_bytes()
    }
}

impl Sequence<'_> for EcPrivateKey<'_> {}

impl<'a> DecodeValue<'a> for EcPrivateKey<'a> {
    type Error = der::Error;

    fn decode_value<R: Reader<'a>>(reader: &mut R, _: Header) -> der::Result<Self> {
        if u8::decode(reader)? != VERSION {
            return Err(Tag::Integer.value_error().into());
        }
        let key = EcPrivateKey {
            private_key: reader.decode()?,
            parameters: ContextSpecific::decode_explicit(reader, PARAMETERS)?,
            public_key: ContextSpecific::decode_explicit(reader, PUBLIC_KEY)?,
        };
        match &key.public_key {
            Some(field) if field.value.has_unused_bits() => {
                Err(Tag::BitString.value_error().into())
            }
            _ => Ok(key),
        }
    }
}

impl EncodeValue for EcPrivateKey<'_> {
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "the sum of two lengths of `der` is a `Result`"
    )]
    fn value_len(&self) -> der::Result<Length> {
        VERSION.encoded_len()?
            + self.private_key.encoded_len()?
            + self.parameters.encoded_len()?
            + self.public_key.encoded_len()?
    }

    fn encode_value(&self, writer: &mut impl Writer) -> der::Result<()> {
        VERSION.encode(writer)?;
        self.private_key.encode(writer)?;
        self.parameters.encode(writer)?;
        self.public_key.encode(writer)
    }
}

#[cfg(test)]
mod tests;
