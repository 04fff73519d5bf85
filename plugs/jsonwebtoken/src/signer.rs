//! Signing: deterministic, constant time but for the length of the message.

use crate::{OTHERS, bad_key, check_family, unsupported};
use jsonwebtoken::crypto::JwtSigner;
use jsonwebtoken::errors::Result;
use jsonwebtoken::{Algorithm, EncodingKey};
use sigmill::ecdsa::{p256, p384};
use sigmill::ed25519;
use signature::{Error, Signer};

pub(crate) fn new(algorithm: &Algorithm, key: &EncodingKey) -> Result<Box<dyn JwtSigner>> {
    let algorithm = *algorithm;
    match Key::read(algorithm, key)? {
        Some(key) => Ok(Box::new(key)),
        None => match OTHERS {
            Some(others) => (others.signer_factory)(&algorithm, key),
            None => Err(unsupported(algorithm)),
        },
    }
}

/// A private key. It is wiped when it is dropped.
enum Key {
    Ed25519(ed25519::SigningKey),
    P256(p256::SigningKey),
    P384(p384::SigningKey),
}

impl Key {
    /// `None`: the algorithm is none of ours.
    fn read(algorithm: Algorithm, key: &EncodingKey) -> Result<Option<Self>> {
        let der = || check_family(algorithm, key.family()).map(|()| key.as_bytes());
        let of = |why| bad_key(algorithm, "private", why);
        Ok(Some(match algorithm {
            Algorithm::EdDSA => {
                Key::Ed25519(ed25519::SigningKey::from_private_key_der(der()?).map_err(of)?)
            }
            Algorithm::ES256 => {
                Key::P256(p256::SigningKey::from_private_key_der(der()?).map_err(of)?)
            }
            Algorithm::ES384 => {
                Key::P384(p384::SigningKey::from_private_key_der(der()?).map_err(of)?)
            }
            _ => return Ok(None),
        }))
    }
}

impl Signer<Vec<u8>> for Key {
    fn try_sign(&self, message: &[u8]) -> std::result::Result<Vec<u8>, Error> {
        Ok(match self {
            Key::Ed25519(key) => key.sign(message).to_bytes().to_vec(),
            Key::P256(key) => key.sign_message(message).to_bytes().to_vec(),
            Key::P384(key) => key.sign_message(message).to_bytes().to_vec(),
        })
    }
}

impl JwtSigner for Key {
    fn algorithm(&self) -> Algorithm {
        match self {
            Key::Ed25519(_) => Algorithm::EdDSA,
            Key::P256(_) => Algorithm::ES256,
            Key::P384(_) => Algorithm::ES384,
        }
    }
}
