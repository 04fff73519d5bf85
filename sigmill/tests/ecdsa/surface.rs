//! What the types promise beside verdicts.

use crate::counter::Counter;
use sigmill::ecdsa::{LowS, PrehashSigner, PrehashVerifier, Signer, Verifier, p256, p384};
use sigmill::{Error, Reason};

macro_rules! surface {
    ($test:ident, $module:ident) => {
        #[test]
        fn $test() {
            const WIDTH: usize = $module::FIELD_LENGTH;
            let secret = [0x9c; WIDTH];
            let key = $module::SigningKey::from_slice(&secret).unwrap();
            let public = *key.verifying_key();
            // neither form of a secret key shows its digits
            for text in [format!("{key}"), format!("{key:?}"), format!("{key:#?}")] {
                assert!(!text.to_lowercase().contains("9c9c9c"), "{text}");
            }
            assert_eq!(key.to_bytes(), secret);
            // the traits, and both orders of s
            let signature: $module::Signature = key.sign(b"message");
            assert!(public.verify(b"message", &signature).is_ok());
            assert!(public.verify(b"massage", &signature).is_err());
            let mut orders = [0; 2];
            for counter in 0..40_u8 {
                let signature = key.sign_message(&[counter]);
                let normal = signature.normalize_s();
                orders[usize::from(signature.is_low_s())] += 1;
                assert!(normal.is_low_s());
                assert_eq!(normal == signature, signature.is_low_s());
                assert_eq!(normal.normalize_s(), normal);
                // each way to the same signature gives the same verdict
                let (r, s) = signature.split_bytes();
                let made = [
                    signature,
                    $module::Signature::from_slice(signature.as_ref()).unwrap(),
                    $module::Signature::from_der(signature.to_der().as_bytes()).unwrap(),
                    $module::Signature::from_scalars(r, s).unwrap(),
                ];
                for made in made {
                    let verdict = |low_s| public.verify_with(low_s, &[counter], &made);
                    assert!(verdict(LowS::Any).is_valid());
                    let refused = verdict(LowS::Required).ok() == Err(Reason::SHigh);
                    assert_eq!(refused, !signature.is_low_s());
                }
                assert!(public.verify_with(LowS::Required, &[counter], &normal).is_valid());
            }
            assert!(orders.iter().all(|count| *count > 5), "{orders:?}");
            // nothing is guessed: r begins like DER, and DER is no r and s
            let mut bytes = signature.to_bytes();
            (bytes[0], bytes[1]) = (0x30, 2 * WIDTH as u8 - 2);
            assert_eq!($module::Signature::from_slice(&bytes).unwrap().to_bytes(), bytes);
            assert!($module::Signature::from_der(&bytes).is_err());
            let der = signature.to_der();
            let length =
                Error::Length { what: "signature", expected: 2 * WIDTH, got: der.as_bytes().len() };
            assert_eq!($module::Signature::from_slice(der.as_bytes()), Err(length));
            // an empty digest
            assert_eq!(key.sign_digest_bytes(b""), Err(Error::DigestEmpty));
            let nonce_hash = key.sign_digest_with_nonce_hash::<sha2::Sha512>(b"");
            assert_eq!(nonce_hash, Err(Error::DigestEmpty));
            let once = |secret: &[u8; WIDTH], digest: &[u8]| {
                $module::SigningKey::sign_digest_once::<sha2::Sha512>(secret, None, digest)
            };
            assert_eq!(once(&[7; WIDTH], b""), Err(Error::DigestEmpty));
            assert!(PrehashSigner::<$module::Signature>::sign_prehash(&key, b"").is_err());
            assert!(public.verify_prehash(b"", &signature).is_err());
            // secrets out of range
            let out_of_range = Err(Error::ScalarOutOfRange { what: "secret key" });
            for bytes in [[0; WIDTH], [0xff; WIDTH]] {
                assert_eq!($module::SigningKey::from_bytes(&bytes).map(|_| ()), out_of_range);
                assert_eq!(once(&bytes, b"digest").map(|_| ()), out_of_range);
            }
            // keys are ordered and compared by value, whichever way they came
            let compressed = public.to_sec1_compressed();
            let again = $module::VerifyingKey::from_sec1_bytes(&compressed).unwrap();
            assert_eq!((again, again.cmp(&public)), (public, std::cmp::Ordering::Equal));
            let other = $module::SigningKey::from_slice(&[1; WIDTH]).unwrap();
            assert!(other != key && other.verifying_key() != key.verifying_key());
        }
    };
}

surface!(p256_keeps_its_promises, p256);
surface!(p384_keeps_its_promises, p384);

macro_rules! pairs {
    ($test:ident, $module:ident, $length:literal) => {
        #[test]
        fn $test() {
            use $module::{FIELD_LENGTH, KEYPAIR_LENGTH, KeyPair, SigningKey, VerifyingKey};
            assert_eq!(KEYPAIR_LENGTH, $length);
            let key = SigningKey::from_slice(&[0x9c; FIELD_LENGTH]).unwrap();
            let pair = KeyPair::from(key.clone());
            assert!(*pair.private() == key && pair.public() == key.verifying_key());
            assert_eq!(pair.sign(b"message"), key.sign_message(b"message"));
            let bytes = pair.to_bytes();
            assert_eq!(bytes[..FIELD_LENGTH], key.to_bytes());
            assert_eq!(bytes[FIELD_LENGTH..], key.verifying_key().to_sec1_bytes());
            assert!(KeyPair::from_bytes(&bytes).is_ok_and(|read| read == pair));
            for text in [format!("{pair}"), format!("{pair:?}"), format!("{pair:#?}")] {
                assert!(!text.to_lowercase().contains("9c9c9c"), "{text}");
                assert!(text.contains(&key.verifying_key().to_string()), "{text}");
            }
            // the public part is not believed: that of another key, and what is no point
            let other = SigningKey::from_slice(&[7; FIELD_LENGTH]).unwrap();
            let mut wrong = bytes;
            wrong[FIELD_LENGTH..].copy_from_slice(&other.verifying_key().to_sec1_bytes());
            assert_eq!(KeyPair::from_bytes(&wrong), Err(Error::KeyPairMismatch));
            for at in FIELD_LENGTH..$length {
                let mut wrong = bytes;
                wrong[at] ^= 1;
                assert!(KeyPair::from_bytes(&wrong).is_err(), "byte {at}");
            }
            let mut zero = bytes;
            zero[..FIELD_LENGTH].fill(0);
            let out_of_range = Error::ScalarOutOfRange { what: "secret key" };
            assert_eq!(KeyPair::from_bytes(&zero), Err(out_of_range));
            let longer = [&bytes[..], &[0]].concat();
            for got in [0, FIELD_LENGTH, $length - 1, $length + 1] {
                let length = Error::Length { what: "key pair", expected: $length, got };
                assert_eq!(KeyPair::from_slice(&longer[..got]), Err(length));
            }
            // the same random bytes make the same key
            let made = KeyPair::generate(&mut Counter(1));
            assert!(made == KeyPair::from(SigningKey::random(&mut Counter(1))) && made != pair);
            assert_eq!(SigningKey::from(pair), key);
            // a signature is its bytes
            let signature = key.sign_message(b"message");
            assert_eq!(signature.as_ref(), signature.to_bytes());
            assert_eq!(signature.as_ref().len(), 2 * FIELD_LENGTH);
            assert_eq!(format!("{signature:X}"), signature.to_string());
            assert_eq!(format!("{signature:x}"), signature.to_string().to_lowercase());
            // ordering is that of the bytes
            let others = (0..20_u8).map(|n| other.sign_message(&[n])).collect::<Vec<_>>();
            for b in &others {
                assert_eq!(signature.cmp(b), signature.to_bytes().cmp(&b.to_bytes()));
            }
            let keys = (1..20)
                .map(|n| *SigningKey::from_slice(&[n; FIELD_LENGTH]).unwrap().verifying_key());
            let mut keys: Vec<VerifyingKey> = keys.collect();
            keys.sort();
            assert!(keys.is_sorted_by_key(VerifyingKey::to_sec1_bytes));
        }
    };
}

pairs!(p256_pairs, p256, 97);
pairs!(p384_pairs, p384, 145);

#[cfg(feature = "base64")]
macro_rules! base64 {
    ($test:ident, $module:ident) => {
        #[test]
        fn $test() {
            use $module::{FIELD_LENGTH, Signature, SigningKey, VerifyingKey};
            let standard = &base64::engine::general_purpose::STANDARD;
            let key = SigningKey::from_slice(&[0x9c; FIELD_LENGTH]).unwrap();
            let (public, signature) = (*key.verifying_key(), key.sign_message(b"message"));
            let text = signature.encode_base64();
            assert_eq!(text, standard.encode(signature.to_bytes()));
            assert_eq!(Signature::decode_base64(&text), Ok(signature));
            let key_text = public.encode_base64();
            assert_eq!(key_text, standard.encode(public.to_sec1_compressed()));
            assert_eq!(VerifyingKey::decode_base64(&key_text), Ok(public));
            let long = standard.encode(public.to_sec1_bytes());
            assert_eq!(VerifyingKey::decode_base64(&long), Ok(public));
            // one text for each value, whatever character is changed, added or left out
            for (at, c) in text.char_indices() {
                for other in ['A', 'B', 'Q', '+', '/', '=', '-', '_', ' ', '\n', '\0'] {
                    if other != c {
                        let mut changed = text.clone();
                        changed.replace_range(at..at + 1, &other.to_string());
                        assert_ne!(Signature::decode_base64(&changed), Ok(signature), "{changed}");
                        changed = text.clone();
                        changed.insert(at, other);
                        assert_eq!(Signature::decode_base64(&changed), Err(Error::Base64));
                    }
                }
                let mut shorter = text.clone();
                shorter.remove(at);
                assert_eq!(Signature::decode_base64(&shorter), Err(Error::Base64), "{shorter}");
            }
            for text in [text.trim_end_matches('=').to_owned() + "=", format!("{text}\n"), "é".into()] {
                assert_eq!(Signature::decode_base64(&text), Err(Error::Base64), "{text:?}");
            }
            // other lengths
            let no_base64 = "A".repeat(4 * FIELD_LENGTH + 2);
            assert_eq!(Signature::decode_base64(&no_base64), Err(Error::Base64));
            for len in [0, 1, 2 * FIELD_LENGTH - 1, 2 * FIELD_LENGTH + 1, 2 * FIELD_LENGTH + 60] {
                let text = standard.encode(vec![1; len]);
                let read = Signature::decode_base64(&text);
                let expected = 2 * FIELD_LENGTH;
                assert!(
                    matches!(read, Err(Error::Length { what: "signature", expected: e, .. }) if e == expected),
                    "{len}: {read:?}"
                );
                assert!(VerifyingKey::decode_base64(&text).is_err());
            }
            // the values inside are looked at
            let zeros = standard.encode([0; 2 * FIELD_LENGTH]);
            let out_of_range = Error::ScalarOutOfRange { what: "r of the signature" };
            assert_eq!(Signature::decode_base64(&zeros), Err(out_of_range));
            let mut off = public.to_sec1_bytes();
            off[FIELD_LENGTH] ^= 1;
            assert_eq!(VerifyingKey::decode_base64(&standard.encode(off)), Err(Error::NotAPoint));
        }
    };
}

#[cfg(feature = "base64")]
use base64::Engine;

#[cfg(feature = "base64")]
base64!(p256_in_base64, p256);
#[cfg(feature = "base64")]
base64!(p384_in_base64, p384);

#[cfg(feature = "serde")]
macro_rules! in_serde {
    ($test:ident, $module:ident, $curve_crate:ident) => {
        #[test]
        fn $test() {
            use $module::{FIELD_LENGTH, Signature, SigningKey, VerifyingKey};
            let secret = SigningKey::from_slice(&[0x9c; FIELD_LENGTH]).unwrap();
            let (public, signature) = (*secret.verifying_key(), secret.sign_message(b"message"));
            there_and_back(&secret);
            there_and_back(&public);
            there_and_back(&signature);
            there_and_back(&(secret.clone(), public, signature));
            // the forms themselves: those of Ed25519's keys, and those of the other crate's signatures
            let json = serde_json::to_string(&secret).unwrap();
            assert_eq!(json, serde_json::to_string(&[0x9c; FIELD_LENGTH][..]).unwrap());
            let bytes = public.to_sec1_bytes();
            assert_eq!(
                serde_json::to_string(&public).unwrap(),
                format!("{bytes:?}").replace(' ', "")
            );
            assert_eq!(serde_json::to_string(&signature).unwrap(), format!("\"{signature}\""));
            let theirs = $curve_crate::ecdsa::Signature::from_slice(signature.as_ref()).unwrap();
            assert_eq!(serde_json::to_string(&theirs).ok(), serde_json::to_string(&signature).ok());
            assert_eq!(bincode::serialize(&theirs).ok(), bincode::serialize(&signature).ok());
            assert_eq!(postcard::to_allocvec(&theirs).ok(), postcard::to_allocvec(&signature).ok());
            // a compressed point is read too
            let compressed = serde_json::to_string(&public.to_sec1_compressed()[..]).unwrap();
            assert_eq!(serde_json::from_str::<VerifyingKey>(&compressed).ok(), Some(public));
            // lengths and values that are none
            for len in [0, 1, FIELD_LENGTH - 1, FIELD_LENGTH + 1, 2 * FIELD_LENGTH + 2, 500] {
                let list = serde_json::to_string(&vec![1_u8; len]).unwrap();
                assert!(serde_json::from_str::<SigningKey>(&list).is_err(), "{len}");
                assert!(serde_json::from_str::<VerifyingKey>(&list).is_err(), "{len}");
                assert!(serde_json::from_str::<Signature>(&list).is_err(), "{len}");
                let hex = format!("\"{}\"", "01".repeat(len));
                assert!(serde_json::from_str::<Signature>(&hex).is_err(), "{len}");
            }
            for fill in [0, 0xff] {
                let list = serde_json::to_string(&[fill; FIELD_LENGTH][..]).unwrap();
                assert!(serde_json::from_str::<SigningKey>(&list).is_err(), "{fill}");
                let hex = format!("\"{}\"", format!("{fill:02X}").repeat(2 * FIELD_LENGTH));
                assert!(serde_json::from_str::<Signature>(&hex).is_err(), "{fill}");
            }
            let mut off = bytes;
            off[FIELD_LENGTH] ^= 1;
            let list = serde_json::to_string(&off[..]).unwrap();
            assert!(serde_json::from_str::<VerifyingKey>(&list).is_err());
            for text in ["null", "[]", "\"key\"", "7", "{}", "[256]", "[-1]", "[1,"] {
                assert!(serde_json::from_str::<SigningKey>(text).is_err(), "{text}");
                assert!(serde_json::from_str::<VerifyingKey>(text).is_err(), "{text}");
                assert!(serde_json::from_str::<Signature>(text).is_err(), "{text}");
            }
        }
    };
}

#[cfg(feature = "serde")]
fn there_and_back<T>(value: &T)
where
    T: serde::Serialize + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug,
{
    let json = serde_json::to_string(value).unwrap();
    assert_eq!(serde_json::from_str::<T>(&json).ok().as_ref(), Some(value));
    let compact = bincode::serialize(value).unwrap();
    assert_eq!(bincode::deserialize::<T>(&compact).ok().as_ref(), Some(value));
    let post = postcard::to_allocvec(value).unwrap();
    assert_eq!(postcard::from_bytes::<T>(&post).ok().as_ref(), Some(value));
    for len in 0..post.len() {
        assert!(postcard::from_bytes::<T>(&post[..len]).is_err());
        assert!(bincode::deserialize::<T>(&compact[..len.min(compact.len() - 1)]).is_err());
    }
    #[derive(serde::Serialize, serde::Deserialize, PartialEq, Debug)]
    struct Table<T> {
        value: T,
    }
    let toml = toml::to_string(&Table { value }).unwrap();
    assert_eq!(
        toml::from_str::<Table<T>>(&toml).ok().map(|table| table.value).as_ref(),
        Some(value)
    );
}

#[cfg(feature = "serde")]
in_serde!(p256_in_serde, p256, rust_p256);
#[cfg(feature = "serde")]
in_serde!(p384_in_serde, p384, rust_p384);
#[cfg(feature = "serde")]
use {::p256 as rust_p256, ::p384 as rust_p384};
