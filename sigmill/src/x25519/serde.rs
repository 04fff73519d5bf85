//! Keys in the data model of `serde`: a tuple of 32 bytes, as `x25519-dalek` has them.
//!
//! A secret key is written as its bytes; a format wipes its own buffers, or does not.

use super::{PublicKey, StaticSecret};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use zeroize::Zeroizing;

impl Serialize for PublicKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_bytes().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for PublicKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <[u8; 32]>::deserialize(deserializer).map(Self::from)
    }
}

impl Serialize for StaticSecret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_bytes().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for StaticSecret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes = Zeroizing::new(<[u8; 32]>::deserialize(deserializer)?);
        Ok(Self::from(*bytes))
    }
}
