//! The same program on this crate and on ed25519-dalek 2: keys, signatures, verdicts, forms and errors.
//! Verdicts are compared with the frozen ones of `vectors/` as well.

use dalek::Signer as _;
use std::collections::HashMap;
use std::path::Path;

/// A program that both crates run, by the same text: 32 seeds and all forms.
macro_rules! program {
    ($name:ident, $krate:ident) => {
        mod $name {
            use $krate::hazmat::{self, ExpandedSecretKey};
            use $krate::pkcs8::spki::DynSignatureAlgorithmIdentifier;
            use $krate::pkcs8::spki::der::pem::LineEnding;
            use $krate::pkcs8::{
                DecodePrivateKey, DecodePublicKey, EncodePrivateKey, EncodePublicKey, KeypairBytes,
            };
            use $krate::{
                Digest, DigestSigner, DigestVerifier, Sha512, Signature, SignatureError, Signer,
                SigningKey, Verifier, VerifyingKey, verify_batch,
            };

            type Hex = String;

            fn hex(bytes: impl AsRef<[u8]>) -> Hex {
                bytes.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
            }

            /// Every value that the two crates must agree on, line by line.
            pub(super) fn lines(seed: [u8; 32], message: &[u8]) -> Vec<Hex> {
                let key = SigningKey::from_bytes(&seed);
                let public: VerifyingKey = key.verifying_key();
                let signature: Signature = key.sign(message);
                let prehash = || Sha512::new().chain_update(message);
                let context = key.with_context(b"context").unwrap();
                let in_context: Signature = context.sign_digest(prehash());
                let ph: Signature = key.sign_digest(prehash());
                let expanded = ExpandedSecretKey::from(&seed);
                let prefix = expanded.hash_prefix;
                let other = ExpandedSecretKey::from_bytes(&signature.to_bytes());
                let own: VerifyingKey = (&other).into();
                let json = |value: String| hex(value);
                let valid = |result: Result<(), SignatureError>| hex([u8::from(result.is_ok())]);
                let bad = Signature::from_bytes(&[0xff; 64]);
                let feed = |digest: &mut Sha512| {
                    digest.update(message);
                    Ok(())
                };
                let mut stream = public.verify_stream(&signature).unwrap();
                message.chunks(3).for_each(|piece| stream.update(piece));
                vec![
                    hex(key.to_bytes()),
                    hex(key.as_bytes()),
                    hex(key.to_keypair_bytes()),
                    hex(key.to_scalar_bytes()),
                    hex(key.to_scalar().to_bytes()),
                    hex(public.to_bytes()),
                    hex(public.as_ref()),
                    hex(AsRef::<VerifyingKey>::as_ref(&key).as_bytes()),
                    hex(public.to_montgomery().to_bytes()),
                    hex([u8::from(public.is_weak())]),
                    hex(signature.to_bytes()),
                    hex(ph.to_bytes()),
                    hex(in_context.to_bytes()),
                    hex(key.sign_prehashed(prehash(), Some(b"context")).unwrap().to_bytes()),
                    hex(prefix),
                    hex(expanded.scalar.to_bytes()),
                    hex(own.to_bytes()),
                    hex(hazmat::raw_sign::<Sha512>(&other, message, &own).to_bytes()),
                    hex(hazmat::raw_sign_byupdate(&other, feed, &own).unwrap().to_bytes()),
                    hex(hazmat::raw_sign_prehashed::<Sha512, Sha512>(
                        &other,
                        prehash(),
                        &own,
                        Some(b"context"),
                    )
                    .unwrap()
                    .to_bytes()),
                    json(serde_json::to_string(&key).unwrap()),
                    json(serde_json::to_string(&public).unwrap()),
                    json(serde_json::to_string(&signature).unwrap()),
                    hex(bincode::serialize(&key).unwrap()),
                    hex(bincode::serialize(&public).unwrap()),
                    hex(bincode::serialize(&signature).unwrap()),
                    hex(key.to_pkcs8_der().unwrap().as_bytes()),
                    hex(key.to_pkcs8_pem(LineEnding::LF).unwrap().as_bytes()),
                    hex(public.to_public_key_der().unwrap()),
                    hex(public.to_public_key_pem(LineEnding::LF).unwrap()),
                    hex(KeypairBytes::from(&key).to_bytes().unwrap()),
                    format!("{:?}", key.signature_algorithm_identifier().unwrap().oid),
                    format!("{:?}", public.signature_algorithm_identifier().unwrap().oid),
                    valid(key.verify(message, &signature)),
                    valid(key.verify_strict(message, &signature)),
                    valid(public.verify(message, &signature)),
                    valid(public.verify(message, &ph)),
                    valid(public.verify(message, &bad)),
                    valid(public.verify_strict(message, &bad)),
                    valid(public.verify_digest(prehash(), &ph)),
                    valid(
                        public
                            .with_context(b"context")
                            .unwrap()
                            .verify_digest(prehash(), &in_context),
                    ),
                    valid(public.verify_prehashed(prehash(), None, &in_context)),
                    valid(public.verify_prehashed(prehash(), Some(b"context"), &in_context)),
                    valid(public.verify_prehashed_strict(prehash(), None, &ph)),
                    valid(key.verify_prehashed(prehash(), None, &ph)),
                    valid(hazmat::raw_verify::<Sha512>(&public, message, &signature)),
                    valid(hazmat::raw_verify_prehashed::<Sha512, Sha512>(
                        &public,
                        prehash(),
                        Some(b"context"),
                        &in_context,
                    )),
                    valid(stream.finalize_and_verify()),
                    valid(key.verify_stream(&bad).map(|_| ())),
                    valid(verify_batch(&[message, message], &[signature, signature], &[public; 2])),
                    valid(verify_batch(&[message, message], &[signature, bad], &[public; 2])),
                    valid(verify_batch(&[message], &[signature, signature], &[public; 2])),
                ]
            }

            /// Whether each reader takes the bytes, and what it then has.
            pub(super) fn read(bytes: &[u8]) -> Vec<Option<Hex>> {
                let text = String::from_utf8_lossy(bytes);
                let pair = |key: SigningKey| hex(key.to_keypair_bytes());
                let public = |key: VerifyingKey| hex(key.to_bytes());
                vec![
                    SigningKey::try_from(bytes).ok().map(pair),
                    VerifyingKey::try_from(bytes).ok().map(public),
                    Signature::from_slice(bytes).ok().map(|signature| hex(signature.to_bytes())),
                    bytes
                        .try_into()
                        .ok()
                        .and_then(|b| SigningKey::from_keypair_bytes(b).ok().map(pair)),
                    ExpandedSecretKey::from_slice(bytes).ok().map(|key| hex(key.scalar.to_bytes())),
                    SigningKey::from_pkcs8_der(bytes).ok().map(pair),
                    VerifyingKey::from_public_key_der(bytes).ok().map(public),
                    SigningKey::from_pkcs8_pem(&text).ok().map(pair),
                    VerifyingKey::from_public_key_pem(&text).ok().map(public),
                    bincode::deserialize(bytes).ok().map(pair),
                    bincode::deserialize(bytes).ok().map(public),
                    bincode::deserialize(bytes).ok().map(|s: Signature| hex(s.to_bytes())),
                    serde_json::from_slice(bytes).ok().map(pair),
                    serde_json::from_slice(bytes).ok().map(public),
                    serde_json::from_slice(bytes).ok().map(|s: Signature| hex(s.to_bytes())),
                ]
            }

            /// The verdict of each way of verifying a row; none for a key that does not decode.
            pub(super) fn verdicts(
                key: &[u8],
                message: &[u8],
                signature: &[u8],
                context: Option<&[u8]>,
            ) -> Option<[bool; 2]> {
                let key = VerifyingKey::try_from(key).ok()?;
                let signature = Signature::from_slice(signature).ok()?;
                Some(match context {
                    None => [
                        key.verify(message, &signature).is_ok(),
                        key.verify_strict(message, &signature).is_ok(),
                    ],
                    Some(context) => {
                        let digest = Sha512::new().chain_update(message);
                        [
                            key.verify_prehashed(digest.clone(), Some(context), &signature).is_ok(),
                            key.verify_prehashed_strict(digest, Some(context), &signature).is_ok(),
                        ]
                    }
                })
            }
        }
    };
}

program!(ours, sigmill_dalek2);
program!(theirs, dalek);

fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<char> = text.chars().collect();
    let byte = |pair: &[char]| u8::from_str_radix(&pair.iter().collect::<String>(), 16).unwrap();
    digits.chunks(2).map(byte).collect()
}

/// Rows of a file of `vectors/ed25519`, cell by name of column.
fn rows(file: &str) -> Vec<HashMap<String, String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors/ed25519").join(file);
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines().map(|line| line.split(',').map(String::from));
    let names: Vec<String> = lines.next().unwrap().collect();
    lines.map(|cells| names.iter().cloned().zip(cells).collect()).collect()
}

/// 32 seeds, from the hash of a counter.
fn seeds() -> impl Iterator<Item = [u8; 32]> {
    use dalek::Digest;
    (0u8..32).map(|i| dalek::Sha512::digest([i])[..32].try_into().unwrap())
}

#[test]
fn frozen_verdicts_are_those_of_dalek_and_ours() {
    let mut compared = 0;
    for row in rows("verify.csv") {
        let bytes = |name: &str| unhex(&row[name]);
        let (key, message, signature) = (bytes("key"), bytes("message"), bytes("signature"));
        let context = bytes("context");
        let context = match row["variant"].as_str() {
            "pure" => None,
            "ph" => Some(context.as_slice()),
            _ => continue,
        };
        let got = ours::verdicts(&key, &message, &signature, context);
        assert_eq!(got, theirs::verdicts(&key, &message, &signature, context), "row {}", row["id"]);
        let frozen = [row["common"] == "ok", row["strict"] == "ok"];
        assert_eq!(got.unwrap_or_default(), frozen, "row {}", row["id"]);
        compared += 1;
    }
    assert!(compared > 2000, "only {compared} rows");
}

/// S + ℓ stands for the same point as S: refused by `common` and `strict`, for a digest too.
#[test]
fn s_beyond_the_order_is_refused() {
    use sigmill_dalek2::{Digest, Sha512, Signer, SigningKey};
    let key = SigningKey::from_bytes(&[7; 32]);
    let public = key.verifying_key().to_bytes();
    let ph = key.sign_prehashed(Sha512::new().chain_update(b"message"), None).unwrap();
    let order = unhex("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010");
    for (signature, context) in [(key.sign(b"message"), None), (ph, Some(&b""[..]))] {
        let mut bytes = signature.to_bytes();
        assert_eq!(ours::verdicts(&public, b"message", &bytes, context), Some([true; 2]));
        let mut carry = 0;
        for (byte, add) in bytes[32..].iter_mut().zip(&order) {
            let sum = u16::from(*byte) + u16::from(*add) + carry;
            (*byte, carry) = (sum as u8, sum >> 8);
        }
        let got = ours::verdicts(&public, b"message", &bytes, context);
        assert_eq!(got, Some([false; 2]));
        assert_eq!(got, theirs::verdicts(&public, b"message", &bytes, context));
    }
}

#[test]
fn frozen_signatures_are_ours() {
    use sigmill_dalek2::{Signer, SigningKey};
    for row in rows("sign.csv").iter().filter(|row| row["variant"] == "pure") {
        let key = SigningKey::try_from(unhex(&row["seed"]).as_slice()).unwrap();
        let signature = key.sign(&unhex(&row["message"]));
        assert_eq!(signature.to_bytes(), *unhex(&row["signature"]), "row {}", row["id"]);
    }
}

#[test]
fn all_forms_are_those_of_dalek() {
    for (seed, i) in seeds().zip(0..) {
        let message = vec![i; i.into()];
        let (ours, theirs) = (ours::lines(seed, &message), theirs::lines(seed, &message));
        for (line, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
            assert_eq!(ours, theirs, "value {line} of seed {i}");
        }
    }
}

/// A signature in bincode has 64 bytes, and keys have a length before them.
#[test]
fn lengths_in_bincode() {
    use sigmill_dalek2::{Signer, SigningKey};
    let key = SigningKey::from_bytes(&[7; 32]);
    assert_eq!(bincode::serialize(&key.sign(b"")).unwrap().len(), 64);
    assert_eq!(bincode::serialize(&key).unwrap().len(), 40);
    assert_eq!(bincode::serialize(&key.verifying_key()).unwrap().len(), 40);
}

/// Every reader takes what dalek's takes, whole, cut, extended and with one byte changed.
#[test]
fn readers_take_what_those_of_dalek_take() {
    use dalek::pkcs8::spki::der::pem::LineEnding;
    use dalek::pkcs8::{EncodePrivateKey, EncodePublicKey};

    let key = dalek::SigningKey::from_bytes(&seeds().next().unwrap());
    let public = key.verifying_key();
    let mut texts: Vec<Vec<u8>> = vec![
        key.to_bytes().into(),
        key.to_keypair_bytes().into(),
        key.to_pkcs8_der().unwrap().as_bytes().into(),
        public.to_public_key_der().unwrap().into_vec(),
        key.to_pkcs8_pem(LineEnding::LF).unwrap().as_bytes().into(),
        public.to_public_key_pem(LineEnding::CRLF).unwrap().into(),
        serde_json::to_vec(&key).unwrap(),
        serde_json::to_vec(&public).unwrap(),
        serde_json::to_vec(&key.sign(b"")).unwrap(),
        bincode::serialize(&public).unwrap(),
        b"[1,2,3]".to_vec(),
        b"\"text\"".to_vec(),
    ];
    // version 1, without the public key
    let alone = dalek::pkcs8::KeypairBytes { secret_key: key.to_bytes(), public_key: None };
    texts.push(alone.to_pkcs8_der().unwrap().as_bytes().into());
    let mut taken = 0;
    for text in &texts {
        let mut changed: Vec<Vec<u8>> = vec![text.clone(), [text, &b"\0"[..]].concat()];
        changed.extend((0..text.len()).map(|at| text[..at].to_vec()));
        for at in 0..text.len() {
            for bits in [1, 2, 0x80] {
                let mut other = text.clone();
                other[at] ^= bits;
                changed.push(other);
            }
        }
        for bytes in changed {
            let theirs = theirs::read(&bytes);
            taken += theirs.iter().flatten().count();
            assert_eq!(ours::read(&bytes), theirs, "{bytes:02x?}");
        }
    }
    assert!(taken > 500, "only {taken} were taken");
}

#[test]
fn a_list_that_is_too_long_is_refused() {
    for length in [0, 31, 32, 33, 40] {
        let json = serde_json::to_vec(&vec![1; length]).unwrap();
        assert_eq!(ours::read(&json), theirs::read(&json), "{length} numbers");
    }
    let json = serde_json::to_vec(&vec![1; 34]).unwrap();
    let ours = serde_json::from_slice::<sigmill_dalek2::SigningKey>(&json).unwrap_err();
    assert!(ours.to_string().starts_with("invalid length 34"), "{ours}");
}

#[test]
fn errors_carry_what_is_wrong() {
    use sigmill_dalek2::{Signature, SigningKey, VerifyingKey};
    use std::error::Error;

    let key = SigningKey::from_bytes(&[7; 32]);
    let bad = Signature::from_bytes(&[0; 64]);
    let refused = key.verify(b"", &bad).unwrap_err();
    let reason = refused.source().unwrap().downcast_ref::<sigmill::Reason>();
    assert_eq!(reason, Some(&sigmill::Reason::Equation));
    let refused = key.verify_stream(&Signature::from_bytes(&[0xff; 64])).unwrap_err();
    let reason = refused.source().unwrap().downcast_ref::<sigmill::Reason>();
    assert_eq!(reason, Some(&sigmill::Reason::SOutOfRange));
    let error = VerifyingKey::try_from(&[0; 31][..]).unwrap_err();
    let length = sigmill::Error::Length { what: "public key", expected: 32, got: 31 };
    assert_eq!(error.source().unwrap().downcast_ref(), Some(&length));
    let mut pair = key.to_keypair_bytes();
    pair[63] ^= 1;
    let error = SigningKey::from_keypair_bytes(&pair).unwrap_err();
    let mismatch = sigmill::Error::KeyPairMismatch;
    assert_eq!(error.source().unwrap().downcast_ref(), Some(&mismatch));
    let error = key.with_context(&[0; 256]).unwrap_err();
    let long = sigmill::Error::ContextTooLong { got: 256 };
    assert_eq!(error.source().unwrap().downcast_ref(), Some(&long));
}

/// The public key that a signing function of `hazmat` is handed is not believed, the message may not
/// change, and an error of the caller comes back.
#[test]
fn hazmat_is_careful() {
    use sigmill_dalek2::hazmat::{ExpandedSecretKey, raw_sign, raw_sign_byupdate};
    use sigmill_dalek2::{Digest, Sha512, SignatureError, SigningKey};
    use std::cell::Cell;
    use std::error::Error;

    let secret = ExpandedSecretKey::from(&[7; 32]);
    let [own, other] = [[7; 32], [8; 32]].map(|seed| SigningKey::from_bytes(&seed).verifying_key());
    let right = raw_sign::<Sha512>(&secret, b"message", &own);
    assert_eq!(raw_sign::<Sha512>(&secret, b"message", &other), right);

    let calls = Cell::new(0u8);
    let changing = |digest: &mut Sha512| {
        calls.set(calls.get() + 1);
        digest.update([calls.get()]);
        Ok(())
    };
    let error = raw_sign_byupdate(&secret, changing, &own).unwrap_err();
    let changed = sigmill::Error::MessageChanged;
    assert_eq!(error.source().unwrap().downcast_ref(), Some(&changed));

    let failing = |_: &mut Sha512| Err(SignatureError::from_source("the disk is gone"));
    let error = raw_sign_byupdate(&secret, failing, &own).unwrap_err();
    assert_eq!(error.source().unwrap().to_string(), "the disk is gone");
}

#[test]
fn keys_come_from_the_random_source_as_in_dalek() {
    struct Counter(u8);
    impl rand_core::RngCore for Counter {
        fn next_u32(&mut self) -> u32 {
            rand_core::impls::next_u32_via_fill(self)
        }
        fn next_u64(&mut self) -> u64 {
            rand_core::impls::next_u64_via_fill(self)
        }
        fn fill_bytes(&mut self, bytes: &mut [u8]) {
            bytes.iter_mut().for_each(|byte| (*byte, self.0) = (self.0, self.0.wrapping_add(1)));
        }
        fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), rand_core::Error> {
            self.fill_bytes(bytes);
            Ok(())
        }
    }
    impl rand_core::CryptoRng for Counter {}

    let (mut a, mut b) = (Counter(1), Counter(1));
    for _ in 0..3 {
        let ours = sigmill_dalek2::SigningKey::generate(&mut a);
        assert_eq!(ours.to_bytes(), dalek::SigningKey::generate(&mut b).to_bytes());
    }
}
