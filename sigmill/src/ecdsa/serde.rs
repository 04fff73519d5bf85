//! Keys and signatures in the data model of `serde`.
//!
//! Keys are byte strings, as those of Ed25519: a secret key the bytes of its integer, a public key those
//! of an uncompressed SEC1 point; both forms of a point are read. Formats without byte strings, such as
//! JSON and TOML, write a list of numbers; both are read. Signatures are as the crates `ed25519`, `p256`
//! and `p384` have theirs: r ‖ s, in hexadecimal where the format is for human eyes.
//!
//! Wiping what a format buffers is up to the format.

use crate::ecdsa::types::{exactly, p256, p384};
use core::fmt;
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use zeroize::Zeroizing;

/// Reads at most N bytes, from a byte string or from a list of numbers, and hands them to a constructor.
struct Bytes<const N: usize, T> {
    what: &'static str,
    read: fn(&[u8]) -> Result<T, crate::error::Error>,
}

impl<'de, const N: usize, T> Visitor<'de> for Bytes<N, T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of at most {N} bytes", self.what)
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<T, E> {
        (self.read)(bytes).map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<T, A::Error> {
        let mut bytes = Zeroizing::new([0; N]);
        let mut len = 0;
        while let Some(byte) = list.next_element()? {
            let Some(place) = bytes.get_mut(len) else {
                return Err(A::Error::invalid_length(N + 1, &self));
            };
            *place = byte;
            len += 1;
        }
        (self.read)(&bytes[..len]).map_err(A::Error::custom)
    }
}

macro_rules! serde {
    ($module:ident, $name:literal, $uncompressed:literal) => {
        impl Serialize for $module::SigningKey {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let bytes = Zeroizing::new(self.to_bytes());
                serializer.serialize_bytes(bytes.as_slice())
            }
        }

        impl<'de> Deserialize<'de> for $module::SigningKey {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let what = concat!("a secret key on ", $name);
                deserializer.deserialize_bytes(Bytes::<{ $module::FIELD_LENGTH }, _> {
                    what,
                    read: |bytes| Self::from_bytes(exactly("secret key", bytes)?),
                })
            }
        }

        impl Serialize for $module::VerifyingKey {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_bytes(&self.to_sec1_bytes())
            }
        }

        impl<'de> Deserialize<'de> for $module::VerifyingKey {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let what = concat!("a public key on ", $name);
                let read = Self::from_sec1_bytes;
                deserializer.deserialize_bytes(Bytes::<$uncompressed, _> { what, read })
            }
        }

        impl Serialize for $module::Signature {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serdect::array::serialize_hex_upper_or_bin(&self.to_bytes(), serializer)
            }
        }

        impl<'de> Deserialize<'de> for $module::Signature {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let mut bytes = [0; $module::SIGNATURE_LENGTH];
                // of hexadecimal that is too short it says no more than by what it returns
                let read = serdect::array::deserialize_hex_or_bin(&mut bytes, deserializer)?;
                Self::from_slice(read).map_err(D::Error::custom)
            }
        }
    };
}

serde!(p256, "P-256", 65);
serde!(p384, "P-384", 97);
