//! Keys that sign: deterministic, constant time but for the length of the message.

use crate::unsupported;
use getrandom::SysRng;
use sigmill::ecdsa::{p256, p384};
use sigmill::ed25519::{self, Signer};
use sigmill::{Error as KeyError, KeyFormatError};
use sigstore_crypto::{Error, KeyAlgorithm, Result, SigningKeyPair};

pub(crate) fn generate(algorithm: KeyAlgorithm) -> Result<Box<dyn SigningKeyPair>> {
    let failed = |why: KeyError| Error::KeyGeneration(why.to_string());
    Ok(match algorithm {
        KeyAlgorithm::Ed25519 => {
            let key = ed25519::SigningKey::try_generate(&mut SysRng);
            pair(Secret::Ed25519(key.map_err(|_| failed(KeyError::Randomness))?))
        }
        KeyAlgorithm::EcdsaP256 => {
            pair(Secret::P256(p256::SigningKey::try_generate().map_err(failed)?))
        }
        KeyAlgorithm::EcdsaP384 => {
            pair(Secret::P384(p384::SigningKey::try_generate().map_err(failed)?))
        }
        other => return Err(unsupported(format_args!("{other:?}"))),
    })
}

/// A key in PKCS#8, which names its algorithm and its curve.
pub(crate) fn read(pkcs8: &[u8]) -> Result<Box<dyn SigningKeyPair>> {
    let told = |why: KeyError| Error::InvalidKeyFormat(why.to_string());
    match ed25519::SigningKey::from_private_key_der(pkcs8) {
        Err(KeyError::KeyFormat(KeyFormatError::NotEd25519)) => {}
        read => return read.map(|key| pair(Secret::Ed25519(key))).map_err(told),
    }
    match p256::SigningKey::from_private_key_der(pkcs8) {
        Err(KeyError::KeyFormat(KeyFormatError::AnotherCurve)) => {}
        read => return read.map(|key| pair(Secret::P256(key))).map_err(told),
    }
    p384::SigningKey::from_private_key_der(pkcs8).map(|key| pair(Secret::P384(key))).map_err(told)
}

/// A secret key. It is wiped when it is dropped.
enum Secret {
    Ed25519(ed25519::SigningKey),
    P256(p256::SigningKey),
    P384(p384::SigningKey),
}

struct Pair {
    secret: Secret,
    public: Vec<u8>,
}

fn pair(secret: Secret) -> Box<dyn SigningKeyPair> {
    let public = match &secret {
        Secret::Ed25519(key) => key.verifying_key().to_bytes().to_vec(),
        Secret::P256(key) => key.verifying_key().to_sec1_bytes().to_vec(),
        Secret::P384(key) => key.verifying_key().to_sec1_bytes().to_vec(),
    };
    Box::new(Pair { secret, public })
}

impl SigningKeyPair for Pair {
    fn algorithm(&self) -> KeyAlgorithm {
        match self.secret {
            Secret::Ed25519(_) => KeyAlgorithm::Ed25519,
            Secret::P256(_) => KeyAlgorithm::EcdsaP256,
            Secret::P384(_) => KeyAlgorithm::EcdsaP384,
        }
    }

    fn public_key_bytes(&self) -> &[u8] {
        &self.public
    }

    fn sign_raw(&self, data: &[u8]) -> Result<Vec<u8>> {
        Ok(match &self.secret {
            Secret::Ed25519(key) => key.sign(data).to_bytes().to_vec(),
            Secret::P256(key) => key.sign_message(data).to_der().as_bytes().to_vec(),
            Secret::P384(key) => key.sign_message(data).to_der().as_bytes().to_vec(),
        })
    }

    fn sign_prehashed(&self, digest: &[u8]) -> Result<Vec<u8>> {
        let check = |expected| {
            let len = digest.len();
            let wrong = || Error::Signing(format!("digest has {len} bytes, not {expected}"));
            (len == expected).then_some(digest).ok_or_else(wrong)
        };
        let told = |why: KeyError| Error::Signing(why.to_string());
        Ok(match &self.secret {
            Secret::P256(key) => {
                let signature = key.sign_digest_bytes(check(32)?).map_err(told)?;
                signature.to_der().as_bytes().to_vec()
            }
            Secret::P384(key) => {
                let signature = key.sign_digest_bytes(check(48)?).map_err(told)?;
                signature.to_der().as_bytes().to_vec()
            }
            Secret::Ed25519(_) => {
                return Err(unsupported("Ed25519 of a digest, where the message is needed"));
            }
        })
    }
}
