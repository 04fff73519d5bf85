//! Any bytes as a key container: no panic, and what is accepted is written back byte for byte.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sigmill::ed25519::{SigningKey, VerifyingKey};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(key) = SigningKey::from_private_key_der(bytes) {
        let written = key.to_private_key_der().expect("keys can be written");
        assert_eq!(SigningKey::from_private_key_der(&written), Ok(key));
    }
    if let Ok(key) = VerifyingKey::from_spki_der(bytes) {
        assert_eq!(key.to_spki_der().expect("keys can be written"), bytes);
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = SigningKey::from_private_key_pem(text);
        let _ = VerifyingKey::from_spki_pem(text);
    }
});
