//! Keys and signatures in the data model of `serde`.
//!
//! Keys are byte strings, as those of Ed25519: a secret key the bytes of its integer, a public key those
//! of an uncompressed SEC1 point; both forms of a point are read. Formats without byte strings, such as
//! JSON and TOML, write a list of numbers; both are read. Signatures are as the crate `ed25519` and RustCrypto's
//! crates of the curves have theirs: r ‖ s, in hexadecimal where the format is for human eyes.
//!
//! A format wipes its own buffers, or does not.

use crate::ecdsa::curves::{ByteArray, EcdsaCurve};
use crate::ecdsa::types::{Signature, SigningKey, VerifyingKey, exactly};
use core::fmt;
use core::marker::PhantomData;
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use zeroize::Zeroizing;

/// Reads at most as many bytes as B has, from a byte string or from a list of numbers, and hands them to a
/// constructor.
struct Bytes<B, T> {
    what: &'static str,
    curve: &'static str,
    read: fn(&[u8]) -> Result<T, crate::error::Error>,
    of: PhantomData<B>,
}

impl<'de, B: ByteArray, T> Visitor<'de> for Bytes<B, T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on {} of at most {} bytes", self.what, self.curve, B::LEN)
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<T, E> {
        (self.read)(bytes).map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<T, A::Error> {
        let mut bytes = Zeroizing::new(B::ZERO);
        let mut len = 0;
        while let Some(byte) = list.next_element()? {
            let Some(place) = bytes.as_mut().get_mut(len) else {
                return Err(A::Error::invalid_length(B::LEN + 1, &self));
            };
            *place = byte;
            len += 1;
        }
        (self.read)(&bytes.as_ref()[..len]).map_err(A::Error::custom)
    }
}

impl<C: EcdsaCurve> Serialize for SigningKey<C> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes = Zeroizing::new(self.to_bytes());
        serializer.serialize_bytes(bytes.as_ref())
    }
}

impl<'de, C: EcdsaCurve> Deserialize<'de> for SigningKey<C> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(Bytes {
            what: "a secret key",
            curve: C::NAMES.title,
            read: |bytes| Self::from_bytes(exactly("secret key", bytes)?),
            of: PhantomData::<C::FieldBytes>,
        })
    }
}

impl<C: EcdsaCurve> Serialize for VerifyingKey<C> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.to_sec1_bytes().as_ref())
    }
}

impl<'de, C: EcdsaCurve> Deserialize<'de> for VerifyingKey<C> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(Bytes {
            what: "a public key",
            curve: C::NAMES.title,
            read: Self::from_sec1_bytes,
            of: PhantomData::<C::UncompressedPoint>,
        })
    }
}

impl<C: EcdsaCurve> Serialize for Signature<C> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serdect::array::serialize_hex_upper_or_bin(&self.to_bytes(), serializer)
    }
}

impl<'de, C: EcdsaCurve> Deserialize<'de> for Signature<C> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut bytes = C::SignatureBytes::ZERO;
        // of hexadecimal that is too short it says no more than by what it returns
        let read = serdect::array::deserialize_hex_or_bin(bytes.as_mut(), deserializer)?;
        Self::from_slice(read).map_err(D::Error::custom)
    }
}
