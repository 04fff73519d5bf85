//! Any bytes as a key or signature in JSON, postcard, bincode and TOML: no panic, a key is read
//! exactly where a plain visitor finds its 32 bytes, and what is accepted reads back after it is
//! written.

#![no_main]

#[path = "../shared/seeds.rs"]
mod seeds;

use libfuzzer_sys::fuzz_target;
use serde::de::{DeserializeOwned, Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use sigmill::ed25519::{Signature, Signer, SigningKey, VerifyingKey};
use std::fmt::{self, Debug};

/// All three, as a program might keep them.
#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Record {
    key: VerifyingKey,
    secret: SigningKey,
    signature: Signature,
}

/// A byte string or a list of bytes, of any length.
struct Plain(Vec<u8>);

struct AnyBytes;

impl<'de> Visitor<'de> for AnyBytes {
    type Value = Plain;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("bytes")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Plain, E> {
        Ok(Plain(bytes.to_vec()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Plain, A::Error> {
        let mut bytes = Vec::new();
        while let Some(byte) = list.next_element()? {
            bytes.push(byte);
        }
        Ok(Plain(bytes))
    }
}

impl<'de> Deserialize<'de> for Plain {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(AnyBytes)
    }
}

/// The types that are read, each in all formats.
trait Value: Serialize + DeserializeOwned + PartialEq + Debug {}

impl<T: Serialize + DeserializeOwned + PartialEq + Debug> Value for T {}

/// One of the four formats.
#[derive(Clone, Copy, Debug)]
enum Format {
    Json,
    Postcard,
    Bincode,
    Toml,
}

impl Format {
    const ALL: [Format; 4] = [Format::Json, Format::Postcard, Format::Bincode, Format::Toml];

    fn read<T: DeserializeOwned>(self, bytes: &[u8]) -> Option<T> {
        match self {
            Format::Json => serde_json::from_slice(bytes).ok(),
            Format::Postcard => postcard::from_bytes(bytes).ok(),
            Format::Bincode => bincode::deserialize(bytes).ok(),
            Format::Toml => toml::from_str(std::str::from_utf8(bytes).ok()?).ok(),
        }
    }

    /// `None` where the format cannot hold the value: TOML has nothing but tables at its top.
    fn write<T: Value>(self, value: &T) -> Option<Vec<u8>> {
        match self {
            Format::Json => serde_json::to_vec(value).ok(),
            Format::Postcard => postcard::to_allocvec(value).ok(),
            Format::Bincode => bincode::serialize(value).ok(),
            Format::Toml => toml::to_string(value).ok().map(String::into_bytes),
        }
    }
}

/// What one format accepts, all can hold.
fn check<T: Value>(format: Format, bytes: &[u8]) -> Option<T> {
    let value: T = format.read(bytes)?;
    for other in Format::ALL {
        let written = other.write(&value);
        assert!(written.is_some() || matches!(other, Format::Toml), "{other:?}");
        if let Some(written) = written {
            assert_eq!(other.read::<T>(&written).as_ref(), Some(&value), "{other:?}");
        }
    }
    Some(value)
}

fn record() -> Record {
    let secret = SigningKey::from_bytes(&[13; 32]);
    Record { key: secret.verifying_key(), signature: secret.sign(b"message"), secret }
}

/// All values in all formats, and lists and strings of almost the right length in JSON.
fn seeds() -> Vec<Vec<u8>> {
    let record = record();
    let mut seeds = Vec::new();
    for length in 31..=33 {
        let list = serde_json::to_vec(&vec![1_u8; length]).expect("JSON");
        let string = serde_json::to_vec(&"1".repeat(length)).expect("JSON");
        seeds.extend([list, string].map(|form| [&[0], &form[..]].concat()));
    }
    for (number, format) in (0_u8..).zip(Format::ALL) {
        let forms = [
            format.write(&record),
            format.write(&record.key),
            format.write(&record.secret),
            format.write(&record.signature),
        ];
        seeds.extend(forms.into_iter().flatten().map(|form| [&[number], &form[..]].concat()));
    }
    seeds
}

fuzz_target!(init: seeds::write_if_asked(seeds), |bytes: &[u8]| {
    let [number, bytes @ ..] = bytes else { return };
    let format = Format::ALL[usize::from(number % 4)];
    let plain = format.read::<Plain>(bytes).and_then(|Plain(bytes)| bytes.try_into().ok());
    let key = check::<VerifyingKey>(format, bytes);
    assert_eq!(key, plain.and_then(|bytes| VerifyingKey::from_bytes(&bytes).ok()));
    let key = check::<SigningKey>(format, bytes);
    assert_eq!(key, plain.map(|bytes| SigningKey::from_bytes(&bytes)));
    check::<Signature>(format, bytes);
    if let Some(record) = check::<Record>(format, bytes) {
        assert!(VerifyingKey::decode(record.key.as_bytes()).is_ok());
    }
});
