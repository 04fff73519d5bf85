//! Any bytes as a key container: no panic, and what is accepted is written back byte for byte.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sigmill::ed25519::{SigningKey, VerifyingKey};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(key) = SigningKey::from_pkcs8_der(bytes) {
        let written = key.to_pkcs8_der().expect("keys can be written");
        assert_eq!(SigningKey::from_pkcs8_der(&written), Ok(key));
    }
    if let Ok(key) = VerifyingKey::from_public_key_der(bytes) {
        assert_eq!(key.to_public_key_der().expect("keys can be written"), bytes);
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = SigningKey::from_pkcs8_pem(text);
        let _ = VerifyingKey::from_public_key_pem(text);
    }
});
