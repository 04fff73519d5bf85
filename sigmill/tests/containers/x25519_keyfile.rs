//! X25519 keys in files, both ways with the program openssl, and what is refused.

use crate::keyfile::{openssl, what_is_wrong};
use sigmill::ed25519::pkcs8::spki::der::pem::LineEnding;
use sigmill::ed25519::pkcs8::{
    DecodePrivateKey, DecodePublicKey, EncodePrivateKey, EncodePublicKey,
};
use sigmill::ed25519::{SigningKey, VerifyingKey};
use sigmill::x25519::{PublicKey, StaticSecret};
use sigmill::{Error, KeyFormatError};

/// SEQUENCE, version 0, id-X25519, OCTET STRING around an OCTET STRING of 32 bytes.
const PKCS8_HEAD: [u8; 16] =
    [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x6e, 4, 0x22, 4, 0x20];

fn secret() -> StaticSecret {
    StaticSecret::from([7; 32])
}

/// PKCS#8 version 2 with a public key field that begins with `tag`.
fn version_2(tag: &[u8], public: &[u8]) -> Vec<u8> {
    let mut der = [&PKCS8_HEAD[..], &[7; 32], tag, public].concat();
    der[1] = (der.len() - 2) as u8;
    der[4] = 1;
    der
}

#[test]
fn openssl_and_we_write_the_same_files() {
    for _ in 0..4 {
        let pem = String::from_utf8(openssl(&["genpkey", "-algorithm", "x25519"], b"")).unwrap();
        let der = openssl(&["pkey", "-outform", "DER"], pem.as_bytes());
        let public_pem = String::from_utf8(openssl(&["pkey", "-pubout"], pem.as_bytes())).unwrap();
        let public_der = openssl(&["pkey", "-pubout", "-outform", "DER"], pem.as_bytes());

        let secret = StaticSecret::from_private_key_pem(&pem).unwrap();
        assert_eq!(StaticSecret::read_private_key_pem(pem.as_bytes()), Ok(secret.clone()));
        assert_eq!(StaticSecret::from_private_key_der(&der), Ok(secret.clone()));
        assert_eq!(StaticSecret::from_pkcs8_der(&der).ok(), Some(secret.clone()));
        assert_eq!(*secret.to_private_key_pem().unwrap(), pem);
        assert_eq!(secret.to_private_key_der().unwrap().as_slice(), der);
        assert_eq!(*secret.to_pkcs8_pem(LineEnding::LF).unwrap(), pem);
        let mut memory = [0; StaticSecret::PRIVATE_KEY_PEM_LENGTH];
        assert_eq!(secret.write_private_key_pem(&mut memory), Ok(pem.len()));
        assert_eq!(memory, pem.as_bytes());

        let public = PublicKey::from_spki_pem(&public_pem).unwrap();
        assert_eq!(public.to_bytes(), PublicKey::from(&secret).to_bytes());
        assert_eq!(PublicKey::read_spki_pem(public_pem.as_bytes()), Ok(public));
        assert_eq!(PublicKey::from_spki_der(&public_der), Ok(public));
        assert_eq!(PublicKey::from_public_key_der(&public_der).ok(), Some(public));
        assert_eq!(public.to_spki_pem().unwrap(), public_pem);
        assert_eq!(public.to_spki_der().unwrap(), public_der);
        assert_eq!(public.to_public_key_der().unwrap().as_bytes(), public_der);
        let mut memory = [0; PublicKey::SPKI_PEM_LENGTH];
        assert_eq!(public.write_spki_pem(&mut memory), Ok(public_pem.len()));
        assert_eq!(memory, public_pem.as_bytes());
    }
}

#[test]
fn the_public_key_of_version_2_is_compared_not_believed() {
    let public = PublicKey::from(&secret()).to_bytes();
    let other = PublicKey::from(&StaticSecret::from([8; 32])).to_bytes();
    for tag in [&[0x81, 0x21, 0][..], &[0xa1, 0x23, 3, 0x21, 0]] {
        let read = StaticSecret::from_private_key_der(&version_2(tag, &public));
        assert_eq!(read, Ok(secret()));
        let read = StaticSecret::from_private_key_der(&version_2(tag, &other));
        assert_eq!(read, Err(Error::KeyPairMismatch));
    }
    let container = version_2(&[0x81, 0x21, 0], &public);
    assert_eq!(StaticSecret::from_pkcs8_der(&container).ok(), Some(secret()));
    assert!(StaticSecret::from_pkcs8_der(&version_2(&[0x81, 0x21, 0], &other)).is_err());
}

#[test]
fn keys_of_ed25519_are_not_taken_for_keys_of_x25519() {
    let signing = SigningKey::from_bytes(&[7; 32]);
    let (der, public) =
        (signing.to_private_key_der().unwrap(), signing.verifying_key().to_spki_der().unwrap());
    let another = "Algorithm";
    assert_eq!(what_is_wrong(StaticSecret::from_private_key_der(&der)), another);
    assert_eq!(what_is_wrong(PublicKey::from_spki_der(&public)), another);
    assert!(StaticSecret::from_pkcs8_der(&der).is_err());
    assert!(PublicKey::from_public_key_der(&public).is_err());
    let der = secret().to_private_key_der().unwrap();
    let public = PublicKey::from(&secret()).to_spki_der().unwrap();
    let not_ed25519 = Error::KeyFormat(KeyFormatError::NotEd25519);
    assert_eq!(SigningKey::from_private_key_der(&der), Err(not_ed25519));
    assert_eq!(VerifyingKey::from_spki_der(&public), Err(not_ed25519));
}

#[test]
fn parameters_lengths_and_what_follows_are_refused() {
    let der = secret().to_private_key_der().unwrap().to_vec();
    assert_eq!(der, [&PKCS8_HEAD[..], &[7; 32]].concat());
    let mut parameters = der.clone();
    parameters.splice(12..12, [5, 0]);
    (parameters[1], parameters[6]) = (0x30, 7);
    assert_eq!(what_is_wrong(StaticSecret::from_private_key_der(&parameters)), "Parameters");
    let mut short = der[..der.len() - 1].to_vec();
    (short[1], short[13], short[15]) = (0x2d, 0x21, 0x1f);
    assert_eq!(what_is_wrong(StaticSecret::from_private_key_der(&short)), "KeyLength");
    assert!(StaticSecret::from_pkcs8_der(&short).is_err());
    for len in 0..der.len() {
        assert_eq!(what_is_wrong(StaticSecret::from_private_key_der(&der[..len])), "Der");
    }
    let longer = [&der[..], &[0]].concat();
    assert_eq!(what_is_wrong(StaticSecret::from_private_key_der(&longer)), "Der");
    let public = PublicKey::from(&secret()).to_spki_der().unwrap();
    let longer = [&public[..], &[0]].concat();
    assert_eq!(what_is_wrong(PublicKey::from_spki_der(&longer)), "Der");
}
