//! Tokens through the provider, against jsonwebtoken's own RustCrypto provider, the examples of the RFCs, and attacks.

#![allow(missing_docs)]

mod attacks;
mod rfc;
mod tokens;

use jsonwebtoken::crypto::{CryptoProvider, rust_crypto};
use jsonwebtoken::errors::Result;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey};
use sigmill::ecdsa::{p256, p384};
use sigmill::ed25519;
use sigmill_jsonwebtoken::PROVIDER;

/// The provider of the host.
const HOSTS: &CryptoProvider = &rust_crypto::DEFAULT_PROVIDER;

const ALGORITHMS: [Algorithm; 3] = [Algorithm::EdDSA, Algorithm::ES256, Algorithm::ES384];

/// Makes the provider that of the process; all tests share one.
fn install() {
    let _ = PROVIDER.install_default(); // an error says that another test was first
    assert!(std::ptr::eq(CryptoProvider::try_get_default().unwrap(), &raw const PROVIDER));
}

/// A key pair of an algorithm, made of a number.
fn pair(algorithm: Algorithm, number: u8) -> (EncodingKey, DecodingKey) {
    match algorithm {
        Algorithm::EdDSA => {
            let key = ed25519::SigningKey::from_bytes(&[number; 32]);
            let secret = EncodingKey::from_ed_der(&key.to_private_key_der().unwrap());
            (secret, DecodingKey::from_ed_der(&key.verifying_key().to_bytes()))
        }
        Algorithm::ES256 => {
            let key = p256::SigningKey::from_slice(&[number; 32]).unwrap();
            let secret = EncodingKey::from_ec_der(&key.to_private_key_der().unwrap());
            (secret, DecodingKey::from_ec_der(&key.verifying_key().to_sec1_bytes()))
        }
        _ => {
            let key = p384::SigningKey::from_slice(&[number; 48]).unwrap();
            let secret = EncodingKey::from_ec_der(&key.to_private_key_der().unwrap());
            (secret, DecodingKey::from_ec_der(&key.verifying_key().to_sec1_bytes()))
        }
    }
}

fn sign(by: &CryptoProvider, algorithm: Algorithm, key: &EncodingKey, text: &[u8]) -> Vec<u8> {
    (by.signer_factory)(&algorithm, key).unwrap().try_sign(text).unwrap()
}

/// Whether a provider accepts a signature; an error if it does not take the key.
fn accepts(
    by: &CryptoProvider,
    algorithm: Algorithm,
    key: &DecodingKey,
    text: &[u8],
    signature: &[u8],
) -> Result<bool> {
    let verifier = (by.verifier_factory)(&algorithm, key)?;
    assert_eq!(verifier.algorithm(), algorithm);
    Ok(verifier.verify(text, &signature.to_vec()).is_ok())
}

/// The answer of the provider about a verification key.
fn refusal(algorithm: Algorithm, key: &DecodingKey) -> String {
    match (PROVIDER.verifier_factory)(&algorithm, key) {
        Ok(_) => panic!("{algorithm:?} takes the key"),
        Err(error) => error.to_string(),
    }
}
