//! Keys in the data model of `serde`: a byte string of 32 bytes. Formats without byte strings, such
//! as JSON and TOML, write it as a list of numbers; both are read. Signatures bring their own.
//!
//! A secret key is written as its seed; wiping what a format buffers is up to the format.

use super::{SigningKey, VerifyingKey};
use core::fmt;
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use zeroize::Zeroizing;

/// Reads 32 bytes, from a byte string or from a list of exactly 32 numbers.
struct Bytes32(&'static str);

impl<'de> Visitor<'de> for Bytes32 {
    type Value = Zeroizing<[u8; 32]>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of 32 bytes", self.0)
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Self::Value, E> {
        let bytes = bytes.try_into().map_err(|_| E::invalid_length(bytes.len(), &self))?;
        Ok(Zeroizing::new(bytes))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut bytes = Zeroizing::new([0; 32]);
        for (i, byte) in bytes.iter_mut().enumerate() {
            *byte = list.next_element()?.ok_or_else(|| A::Error::invalid_length(i, &self))?;
        }
        let mut length = 32;
        while list.next_element::<u8>()?.is_some() {
            length += 1;
        }
        if length == 32 { Ok(bytes) } else { Err(A::Error::invalid_length(length, &self)) }
    }
}

impl Serialize for SigningKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.as_bytes())
    }
}

impl<'de> Deserialize<'de> for SigningKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let seed = deserializer.deserialize_bytes(Bytes32("an Ed25519 secret key"))?;
        Ok(Self::from_bytes(&seed))
    }
}

impl Serialize for VerifyingKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.as_bytes())
    }
}

impl<'de> Deserialize<'de> for VerifyingKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes = deserializer.deserialize_bytes(Bytes32("an Ed25519 public key"))?;
        Self::decode(bytes.as_slice()).map_err(D::Error::custom)
    }
}
