//! Any bytes as a key container: no panic, what is written reads back, and what the traits of the
//! `pkcs8` crate accept, our stricter reader accepts with the same key.

#![no_main]

#[path = "../shared/seeds.rs"]
mod seeds;

use libfuzzer_sys::fuzz_target;
use sigmill::ed25519::pkcs8::spki::der::pem::LineEnding;
use sigmill::ed25519::pkcs8::{
    DecodePrivateKey, DecodePublicKey, EncodePrivateKey, EncodePublicKey,
};
use sigmill::ed25519::{SigningKey, VerifyingKey};

/// A key with all its forms, and the container in both versions, with OpenSSL's bytes among them.
fn seeds() -> Vec<Vec<u8>> {
    let key = SigningKey::from_bytes(&[7; 32]);
    let public = key.verifying_key();
    let version_2 = EncodePrivateKey::to_pkcs8_der(&key).expect("it can be written");
    // ring before 0.17 tagged the public key explicitly
    let mut explicit = version_2.as_bytes().to_vec();
    let bits = explicit.split_off(explicit.len() - 35);
    explicit.extend([0xa1, 0x23, 0x03]);
    explicit.extend(&bits[1..]);
    explicit[1] = u8::try_from(explicit.len() - 2).expect("a short container");
    assert_eq!(SigningKey::from_private_key_der(&explicit), Ok(key.clone()));
    vec![
        key.to_private_key_der().expect("it can be written").to_vec(),
        version_2.as_bytes().to_vec(),
        explicit,
        key.to_private_key_pem().expect("it can be written").as_bytes().to_vec(),
        EncodePrivateKey::to_pkcs8_pem(&key, LineEnding::CRLF)
            .expect("it can be written")
            .as_bytes()
            .to_vec(),
        public.to_spki_der().expect("it can be written"),
        public.to_spki_pem().expect("it can be written").into_bytes(),
    ]
}

/// Everything that can be written of a secret key reads back as it.
fn writes_back(key: &SigningKey) {
    let der = key.to_private_key_der().expect("keys can be written");
    assert_eq!(SigningKey::from_private_key_der(&der).as_ref(), Ok(key));
    let pem = key.to_private_key_pem().expect("keys can be written");
    assert_eq!(SigningKey::from_private_key_pem(&pem).as_ref(), Ok(key));
    let version_2 = EncodePrivateKey::to_pkcs8_der(key).expect("keys can be written");
    for container in [&der[..], version_2.as_bytes()] {
        assert_eq!(SigningKey::from_private_key_der(container).as_ref(), Ok(key));
        assert_eq!(SigningKey::from_pkcs8_der(container).ok().as_ref(), Some(key));
    }
    let pem = EncodePrivateKey::to_pkcs8_pem(key, LineEnding::LF).expect("keys can be written");
    assert_eq!(SigningKey::from_private_key_pem(&pem).as_ref(), Ok(key));
    assert_eq!(SigningKey::from_pkcs8_pem(&pem).ok().as_ref(), Some(key));
}

/// Likewise of a public key.
fn writes_back_public(key: &VerifyingKey) {
    let der = key.to_spki_der().expect("keys can be written");
    assert_eq!(VerifyingKey::from_spki_der(&der), Ok(*key));
    assert_eq!(EncodePublicKey::to_public_key_der(key).expect("as the trait does").as_bytes(), der);
    assert_eq!(VerifyingKey::from_public_key_der(&der).ok(), Some(*key));
    let pem = key.to_spki_pem().expect("keys can be written");
    assert_eq!(VerifyingKey::from_spki_pem(&pem), Ok(*key));
    assert_eq!(VerifyingKey::from_public_key_pem(&pem).ok(), Some(*key));
}

fn binary(bytes: &[u8]) {
    let ours = SigningKey::from_private_key_der(bytes);
    if let Ok(key) = &ours {
        writes_back(key);
    }
    if let Ok(key) = SigningKey::from_pkcs8_der(bytes) {
        assert_eq!(ours, Ok(key));
    }
    let ours = VerifyingKey::from_spki_der(bytes);
    if let Ok(key) = &ours {
        assert_eq!(key.to_spki_der().expect("keys can be written"), bytes);
        assert_eq!(VerifyingKey::bytes_from_spki_der(bytes), Ok(key.to_bytes()));
        writes_back_public(key);
    }
    if let Ok(key) = VerifyingKey::from_public_key_der(bytes) {
        assert_eq!(ours, Ok(key));
    }
}

fn text(text: &str) {
    let ours = SigningKey::from_private_key_pem(text);
    if let Ok(key) = &ours {
        writes_back(key);
    }
    if let Ok(key) = SigningKey::from_pkcs8_pem(text) {
        assert_eq!(ours, Ok(key));
    }
    let ours = VerifyingKey::from_spki_pem(text);
    if let Ok(key) = &ours {
        assert_eq!(VerifyingKey::bytes_from_spki_pem(text), Ok(key.to_bytes()));
        writes_back_public(key);
    }
    if let Ok(key) = VerifyingKey::from_public_key_pem(text) {
        assert_eq!(ours, Ok(key));
    }
}

fuzz_target!(init: seeds::write_if_asked(seeds), |bytes: &[u8]| {
    binary(bytes);
    if let Ok(as_text) = std::str::from_utf8(bytes) {
        text(as_text);
    }
});
