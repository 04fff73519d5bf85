//! Private keys as a signer has them.

use crate::error::{Error, Refusal, Result};
use crate::key::Key;
use crate::signed::Scheme;
use sigmill::bulk::Algorithm;
use sigmill::ecdsa::{Curve, p256, p384};
use sigmill::ed25519::{self, Signer};
use std::fmt;
use zeroize::Zeroizing;

/// A private key that signs. It is wiped when it is dropped, and shows nothing of itself.
#[derive(Clone)]
#[non_exhaustive]
pub enum SecretKey {
    /// Ed25519.
    Ed25519(ed25519::SigningKey),
    /// ECDSA on P-256.
    P256(p256::SigningKey),
    /// ECDSA on P-384.
    P384(p384::SigningKey),
}

impl SecretKey {
    /// Of the seed of Ed25519 (32 bytes), or the big-endian scalar of ECDSA (32, or 48 on P-384).
    ///
    /// # Errors
    /// [`Refusal::AlgMismatch`]: another length, or a scalar out of range.
    pub fn new(algorithm: Algorithm, bytes: &[u8]) -> Result<Self> {
        let refused = |error: sigmill::Error| Error::new(Refusal::AlgMismatch, error.to_string());
        match algorithm.curve() {
            None => ed25519::SigningKey::decode(bytes).map(SecretKey::Ed25519).map_err(refused),
            Some(Curve::P256) => {
                p256::SigningKey::from_slice(bytes).map(SecretKey::P256).map_err(refused)
            }
            Some(_) => p384::SigningKey::from_slice(bytes).map(SecretKey::P384).map_err(refused),
        }
    }

    /// The algorithm.
    pub const fn algorithm(&self) -> Algorithm {
        match self {
            SecretKey::Ed25519(_) => Algorithm::Ed25519,
            SecretKey::P256(_) => Algorithm::P256,
            SecretKey::P384(_) => Algorithm::P384,
        }
    }

    /// The seed of Ed25519, or the big-endian scalar of ECDSA.
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        Zeroizing::new(match self {
            SecretKey::Ed25519(key) => Zeroizing::new(key.to_bytes()).to_vec(),
            SecretKey::P256(key) => Zeroizing::new(key.to_bytes()).to_vec(),
            SecretKey::P384(key) => Zeroizing::new(key.to_bytes()).to_vec(),
        })
    }

    /// The public key; of ECDSA the uncompressed point.
    pub fn public_key(&self) -> Key {
        let bytes: Box<[u8]> = match self {
            SecretKey::Ed25519(key) => key.verifying_key().to_bytes().into(),
            SecretKey::P256(key) => key.verifying_key().to_sec1_bytes().as_ref().into(),
            SecretKey::P384(key) => key.verifying_key().to_sec1_bytes().as_ref().into(),
        };
        Key::of(self.algorithm(), bytes)
    }

    /// Signs deterministically: Ed25519 (pure), or ECDSA (RFC 6979) with the hash function and encoding of the scheme.
    ///
    /// # Errors
    /// [`Refusal::AlgMismatch`]: the scheme is another one than the key's, or hashes with another function than the
    /// curve's own.
    pub fn sign(&self, scheme: Scheme, message: &[u8]) -> Result<Vec<u8>> {
        if scheme != Scheme::of(self.algorithm(), scheme.encoding()) {
            let (key, asked) = (self.algorithm().name(), scheme.algorithm().name());
            let detail =
                format!("a key of {key} does not sign with {asked} and that hash function");
            return Err(Error::new(Refusal::AlgMismatch, detail));
        }
        let der = scheme.encoding() == sigmill::ecdsa::Encoding::Der;
        Ok(match self {
            SecretKey::Ed25519(key) => key.sign(message).to_bytes().to_vec(),
            SecretKey::P256(key) if der => key.sign_message(message).to_der().as_bytes().to_vec(),
            SecretKey::P256(key) => key.sign_message(message).to_bytes().to_vec(),
            SecretKey::P384(key) if der => key.sign_message(message).to_der().as_bytes().to_vec(),
            SecretKey::P384(key) => key.sign_message(message).to_bytes().to_vec(),
        })
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretKey({})", self.algorithm().name())
    }
}
