//! PKCS#8 and SubjectPublicKeyInfo, in DER and PEM.

use super::ed25519_dalek::pkcs8::spki::der::pem::LineEnding;
use super::ed25519_dalek::pkcs8::{
    DecodePrivateKey, DecodePublicKey, EncodePrivateKey, EncodePublicKey, KeypairBytes,
    PublicKeyBytes,
};
use super::ed25519_dalek::{SigningKey, VerifyingKey};

fn read(der: &[u8]) -> Option<[u8; 64]> {
    SigningKey::from_pkcs8_der(der).ok().map(|key| key.to_keypair_bytes())
}

pub fn account() -> Vec<String> {
    let mut account = Vec::new();
    let mut say = |line: String| account.push(line);
    let key = SigningKey::from_bytes(&[11; 32]);
    let public = key.verifying_key();
    let der = key.to_pkcs8_der().expect("a key can be written");
    say(format!("{:?} {:?}", der.as_bytes(), read(der.as_bytes()) == Some(key.to_keypair_bytes())));
    let pem = key.to_pkcs8_pem(LineEnding::LF).expect("a key can be written");
    say(pem.to_string());
    say(format!("{:?}", SigningKey::from_pkcs8_pem(&pem).is_ok_and(|read| read == key)));
    let public_der = public.to_public_key_der().expect("a key can be written");
    say(format!("{:?}", public_der.as_bytes()));
    let public_pem = public.to_public_key_pem(LineEnding::LF).expect("a key can be written");
    say(public_pem.clone());
    say(format!("{:?}", VerifyingKey::from_public_key_pem(&public_pem).is_ok_and(|k| k == public)));

    // every prefix, a byte more, and every byte changed
    let mut bytes = der.as_bytes().to_vec();
    for len in 0..bytes.len() {
        say(format!("{len} {:?}", read(&bytes[..len])));
    }
    bytes.push(0);
    say(format!("{:?}", read(&bytes)));
    bytes.pop();
    // (but the count of unused bits of the public key, which one of the two does not look at)
    let unused_bits = bytes.len() - 33;
    for i in (0..bytes.len()).filter(|i| *i != unused_bits) {
        for flip in [1, 0x20, 0x80] {
            let mut changed = bytes.clone();
            changed[i] ^= flip;
            say(format!("{i} {flip} {:?}", read(&changed)));
        }
    }
    let bytes = public_der.as_bytes();
    for i in 0..bytes.len() {
        let mut changed = bytes.to_vec();
        changed[i] ^= 1;
        let read = VerifyingKey::from_public_key_der(&changed).ok();
        say(format!("{i} {:?}", read.map(|key| key.to_bytes())));
    }

    let pair = KeypairBytes::from(&key);
    say(format!("{:?}", pair.to_bytes()));
    say(format!("{:?}", SigningKey::try_from(&pair).is_ok_and(|read| read == key)));
    let other = Some(PublicKeyBytes::from(SigningKey::from_bytes(&[12; 32]).verifying_key()));
    let mismatched = KeypairBytes { secret_key: key.to_bytes(), public_key: other };
    say(format!("{:?}", SigningKey::try_from(mismatched).is_err()));
    let alone = KeypairBytes { secret_key: key.to_bytes(), public_key: None };
    say(format!("{:?}", SigningKey::try_from(alone).is_ok_and(|read| read == key)));
    account
}
