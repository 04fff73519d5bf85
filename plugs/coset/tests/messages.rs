//! Messages through coset: against dalek and RustCrypto in the same closures, and attacks.

#![allow(missing_docs)]

use coset::iana::Algorithm;
use coset::{CoseSign1, CoseSign1Builder, HeaderBuilder, TaggedCborSerializable};
use ed25519_dalek as dalek;
use p256::ecdsa::signature::{Signer as _, Verifier as _};
use sigmill::Reason;
use sigmill::ecdsa::{p256 as ours256, p384 as ours384};
use sigmill::ed25519;
use sigmill_coset_example::{PublicKey, Refusal, SecretKey, sign, verify};
use std::io::Write;
use std::process::{Command, Output, Stdio};

const ALGORITHMS: [Algorithm; 3] = [Algorithm::EdDSA, Algorithm::ES256, Algorithm::ES384];

fn pair(algorithm: Algorithm, number: u8) -> (SecretKey, PublicKey) {
    match algorithm {
        Algorithm::ES256 => {
            let key = ours256::SigningKey::from_slice(&[number; 32]).unwrap();
            let public = key.verifying_key().to_sec1_bytes().to_vec();
            (SecretKey::P256(key), PublicKey::P256(public))
        }
        Algorithm::ES384 => {
            let key = ours384::SigningKey::from_slice(&[number; 48]).unwrap();
            let public = key.verifying_key().to_sec1_bytes().to_vec();
            (SecretKey::P384(key), PublicKey::P384(public))
        }
        _ => {
            let key = ed25519::SigningKey::from_bytes(&[number; 32]);
            let public = key.verifying_key().to_bytes();
            (SecretKey::Ed25519(key), PublicKey::Ed25519(public))
        }
    }
}

/// The signature of the others' libraries.
fn their_signature(algorithm: Algorithm, number: u8, message: &[u8]) -> Vec<u8> {
    match algorithm {
        Algorithm::ES256 => {
            let key = p256::ecdsa::SigningKey::from_slice(&[number; 32]).unwrap();
            let signature: p256::ecdsa::Signature = key.sign(message);
            signature.to_vec()
        }
        Algorithm::ES384 => {
            let key = p384::ecdsa::SigningKey::from_slice(&[number; 48]).unwrap();
            let signature: p384::ecdsa::Signature = key.sign(message);
            signature.to_vec()
        }
        _ => dalek::SigningKey::from_bytes(&[number; 32]).sign(message).to_vec(),
    }
}

/// Whether the others' libraries accept a signature.
fn they_accept(key: &PublicKey, message: &[u8], signature: &[u8]) -> bool {
    match key {
        PublicKey::P256(point) => {
            let key = p256::ecdsa::VerifyingKey::from_sec1_bytes(point).unwrap();
            key.verify(message, &p256::ecdsa::Signature::from_slice(signature).unwrap()).is_ok()
        }
        PublicKey::P384(point) => {
            let key = p384::ecdsa::VerifyingKey::from_sec1_bytes(point).unwrap();
            key.verify(message, &p384::ecdsa::Signature::from_slice(signature).unwrap()).is_ok()
        }
        PublicKey::Ed25519(bytes) => {
            let key = dalek::VerifyingKey::from_bytes(bytes).unwrap();
            key.verify(message, &dalek::Signature::from_slice(signature).unwrap()).is_ok()
        }
    }
}

fn header(algorithm: Algorithm) -> coset::Header {
    HeaderBuilder::new().algorithm(algorithm).build()
}

#[test]
fn messages_of_both_are_accepted_by_both() {
    for algorithm in ALGORITHMS {
        let (secret, public) = pair(algorithm, 7);
        let ours = sign(&secret, b"text".to_vec(), b"more");
        let theirs = CoseSign1Builder::new()
            .protected(header(algorithm))
            .payload(b"text".to_vec())
            .create_signature(b"more", |bytes| their_signature(algorithm, 7, bytes))
            .build();
        for message in [ours, theirs] {
            let bytes = message.to_tagged_vec().unwrap();
            let read = CoseSign1::from_tagged_slice(&bytes).unwrap();
            verify(&read, b"more", &public).unwrap();
            let accepted = read.verify_signature(b"more", |signature, bytes| {
                they_accept(&public, bytes, signature).then_some(()).ok_or("refused")
            });
            assert_eq!(accepted, Ok(()), "{algorithm:?}");

            let invalid = Err(Refusal::Signature(Reason::Equation));
            assert_eq!(verify(&read, b"less", &public), invalid);
            assert_eq!(verify(&read, b"more", &pair(algorithm, 8).1), invalid);
            let mut changed = read.clone();
            changed.payload = Some(b"next".to_vec());
            assert_eq!(verify(&changed, b"more", &public), invalid);
        }
    }
}

/// RFC 9864 has names for the algorithms of one curve.
#[test]
fn fully_specified_algorithms() {
    for (algorithm, own) in [
        (Algorithm::Ed25519, Algorithm::EdDSA),
        (Algorithm::ESP256, Algorithm::ES256),
        (Algorithm::ESP384, Algorithm::ES384),
    ] {
        let message = CoseSign1Builder::new()
            .protected(header(algorithm))
            .payload(b"text".to_vec())
            .create_signature(b"", |bytes| their_signature(own, 7, bytes))
            .build();
        verify(&message, b"", &pair(own, 7).1).unwrap();
    }
}

#[test]
fn the_key_decides_the_algorithm() {
    for algorithm in ALGORITHMS {
        let (secret, public) = pair(algorithm, 7);
        for other in [Algorithm::EdDSA, Algorithm::ES256, Algorithm::ES384, Algorithm::HMAC_256_256]
        {
            if other == algorithm {
                continue;
            }
            let mut message = sign(&secret, b"text".to_vec(), b"");
            message.protected =
                coset::ProtectedHeader { header: header(other), ..Default::default() };
            let refusal = verify(&message, b"", &public).unwrap_err();
            let text = refusal.to_string();
            assert!(text.contains(&format!("{other:?}")), "{text}");
            assert!(text.contains(&format!("the key is for {algorithm:?}")), "{text}");
        }
        // an alg that is not signed counts for nothing
        let mut message = sign(&secret, b"text".to_vec(), b"");
        message.unprotected = header(algorithm);
        message.protected = coset::ProtectedHeader::default();
        let refusal = verify(&message, b"", &public).unwrap_err();
        assert!(refusal.to_string().contains("no alg in the protected header"), "{refusal}");
    }
}

#[test]
fn other_signatures_keys_and_payloads_are_refused() {
    for algorithm in ALGORITHMS {
        let (secret, public) = pair(algorithm, 7);
        let message = sign(&secret, b"text".to_vec(), b"");
        for length in [0, 1, message.signature.len() - 1, message.signature.len() + 1] {
            let mut cut = message.clone();
            cut.signature.resize(length, 0);
            let refusal = verify(&cut, b"", &public);
            assert_eq!(refusal, Err(Refusal::Signature(Reason::SignatureLength)));
        }
        let mut detached = message.clone();
        detached.payload = None;
        assert_eq!(verify(&detached, b"", &public), Err(Refusal::Detached));
        let key = match public {
            PublicKey::Ed25519(_) => continue,
            PublicKey::P256(point) => PublicKey::P256(point[1..].to_vec()),
            PublicKey::P384(point) => PublicKey::P384(point[1..].to_vec()),
        };
        assert_eq!(verify(&message, b"", &key), Err(Refusal::Signature(Reason::KeyLength)));
    }
}

/// Runs the example.
fn run(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(example())
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // it may refuse its arguments, and end, before it reads
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

/// The example lies beside the folder of the tests.
fn example() -> std::path::PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent().unwrap().with_file_name("examples").join("cose")
}

#[test]
fn the_example_signs_and_verifies() {
    let folder = tempfile::tempdir().unwrap();
    let seed = folder.path().join("seed");
    std::fs::write(&seed, [7; 32]).unwrap();
    let signed = run(&["sign", seed.to_str().unwrap()], b"a text");
    assert!(signed.status.success());
    let key = String::from_utf8(signed.stderr).unwrap();
    let read = run(&["verify", key.trim()], &signed.stdout);
    assert!(read.status.success());
    assert_eq!(read.stdout, b"a text");

    let mut changed = signed.stdout.clone();
    *changed.last_mut().unwrap() ^= 1;
    for (bytes, text) in [(&changed[..], "invalid signature"), (b"text", "not a COSE_Sign1")] {
        let refused = run(&["verify", key.trim()], bytes);
        assert!(!refused.status.success() && refused.stdout.is_empty());
        let said = String::from_utf8(refused.stderr).unwrap();
        assert!(said.contains(text), "{said}");
    }
    std::fs::write(&seed, [7; 31]).unwrap();
    let refused = run(&["sign", seed.to_str().unwrap()], b"a text");
    assert!(!refused.status.success());
}
