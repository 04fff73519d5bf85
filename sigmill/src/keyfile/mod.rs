//! Ed25519 keys in the containers that other programs read and write: PKCS#8 and
//! SubjectPublicKeyInfo as RFC 8410 profiles them, in DER and PEM. `ec` has those of ECDSA.
//!
//! The only place where an object identifier meets a constructor. One structure is accepted, in
//! one encoding: a key is never guessed.
//!
//! Secrets: copies of a seed are wiped; a public key beside a secret one is not believed but compared with
//! the derived one in constant time.

mod ec;
mod traits;

use crate::ed25519::{SigningKey, VerifyingKey};
use crate::encoding::{AlgorithmIdentifierRef, ObjectIdentifier, pkcs8, spki};
use crate::error::{Error, KeyFormatError};
use alloc::vec::Vec;
use zeroize::Zeroizing;
#[cfg(feature = "pem")]
use {crate::encoding::pem, alloc::string::String, core::ops::Deref};

/// id-Ed25519 (RFC 8410 section 3). Its parameters are absent.
const ED25519: AlgorithmIdentifierRef<'static> =
    AlgorithmIdentifierRef { oid: ObjectIdentifier::new_unwrap("1.3.101.112"), parameters: None };

fn check_algorithm(algorithm: AlgorithmIdentifierRef<'_>) -> Result<(), KeyFormatError> {
    if algorithm.oid != ED25519.oid {
        return Err(KeyFormatError::NotEd25519);
    }
    match algorithm.parameters {
        Some(_) => Err(KeyFormatError::Parameters),
        None => Ok(()),
    }
}

fn key_bytes(bytes: &[u8]) -> Result<&[u8; 32], KeyFormatError> {
    bytes.try_into().map_err(|_| KeyFormatError::KeyLength)
}

impl From<KeyFormatError> for Error {
    fn from(error: KeyFormatError) -> Self {
        Error::KeyFormat(error)
    }
}

impl SigningKey {
    /// Reads a PKCS#8 private key in DER, version 1 or 2 (RFC 8410 section 7). Of the two ways in
    /// which programs tag the public key of version 2, both are read.
    ///
    /// Time depends on the shape of the container, not on the key.
    ///
    /// # Errors
    /// [`Error::KeyFormat`] unless the bytes are exactly one such container with an Ed25519 key;
    /// [`Error::KeyPairMismatch`] if it has a public key that does not belong to the secret one.
    pub fn from_private_key_der(bytes: &[u8]) -> Result<Self, Error> {
        let key = pkcs8::parse(bytes)?;
        check_algorithm(key.algorithm)?;
        let seed = key_bytes(pkcs8::parse_octet_string(key.private_key)?)?;
        let Some(public_key) = key.public_key else {
            return Ok(Self::from_bytes(seed));
        };
        let mut pair = Zeroizing::new([0; 64]);
        let (seed_half, public_half) = pair.split_at_mut(32);
        seed_half.copy_from_slice(seed);
        public_half.copy_from_slice(key_bytes(public_key)?);
        Self::checked_pair(&pair)
    }

    /// The key as PKCS#8 version 1 in DER: 48 bytes, the ones that OpenSSL writes. The memory is
    /// wiped when dropped.
    ///
    /// Constant time.
    ///
    /// # Errors
    /// [`Error::KeyFormat`] is what the encoder's type allows; it does not happen.
    pub fn to_private_key_der(&self) -> Result<Zeroizing<Vec<u8>>, Error> {
        let seed = Zeroizing::new(self.to_bytes());
        Ok(pkcs8::write(ED25519, &pkcs8::write_octet_string(seed.as_slice())?)?)
    }

    /// Reads a PKCS#8 private key in PEM, between lines that say `PRIVATE KEY` (RFC 7468, strict).
    ///
    /// Time depends on the shape of the container, not on the key.
    ///
    /// # Errors
    /// [`KeyFormatError::Pem`] if the text is not such PEM; else those of
    /// [`SigningKey::from_private_key_der`].
    #[cfg(feature = "pem")]
    pub fn from_private_key_pem(text: &str) -> Result<Self, Error> {
        Self::from_private_key_der(&pem::parse(pem::PRIVATE_KEY, text)?)
    }

    /// The key as PKCS#8 version 1 in PEM, as OpenSSL writes it. The memory is wiped when dropped.
    ///
    /// Constant time.
    ///
    /// # Errors
    /// [`Error::KeyFormat`] is what the encoder's type allows; it does not happen.
    #[cfg(feature = "pem")]
    pub fn to_private_key_pem(&self) -> Result<Zeroizing<String>, Error> {
        Ok(pem::write(pem::PRIVATE_KEY, &self.to_private_key_der()?)?)
    }
}

impl VerifyingKey {
    /// Reads a SubjectPublicKeyInfo in DER (RFC 8410 section 4). Time depends on the bytes.
    ///
    /// # Errors
    /// [`Error::KeyFormat`] unless the bytes are exactly one such container with an Ed25519 key;
    /// [`Error::NotAPoint`] if the key does not decode to a point.
    pub fn from_spki_der(bytes: &[u8]) -> Result<Self, Error> {
        Self::decode(&Self::bytes_from_spki_der(bytes)?)
    }

    /// The 32 bytes of the key in a SubjectPublicKeyInfo in DER. Whether they are a point is left
    /// to the verdict.
    ///
    /// # Errors
    /// [`Error::KeyFormat`] unless the bytes are exactly one such container with an Ed25519 key.
    pub fn bytes_from_spki_der(bytes: &[u8]) -> Result<[u8; 32], Error> {
        let (algorithm, key) = spki::parse(bytes)?;
        check_algorithm(algorithm)?;
        Ok(*key_bytes(key)?)
    }

    /// The key as SubjectPublicKeyInfo in DER: 44 bytes.
    ///
    /// # Errors
    /// [`Error::KeyFormat`] is what the encoder's type allows; it does not happen.
    pub fn to_spki_der(&self) -> Result<Vec<u8>, Error> {
        Ok(spki::write(ED25519, self.as_bytes())?)
    }

    /// Reads a SubjectPublicKeyInfo in PEM, between lines that say `PUBLIC KEY` (RFC 7468, strict).
    /// Time depends on the text.
    ///
    /// # Errors
    /// [`KeyFormatError::Pem`] if the text is not such PEM; else those of
    /// [`VerifyingKey::from_spki_der`].
    #[cfg(feature = "pem")]
    pub fn from_spki_pem(text: &str) -> Result<Self, Error> {
        Self::from_spki_der(&pem::parse(pem::PUBLIC_KEY, text)?)
    }

    /// The 32 bytes of the key in a SubjectPublicKeyInfo in PEM. Whether they are a point is left
    /// to the verdict.
    ///
    /// # Errors
    /// [`KeyFormatError::Pem`] if the text is not such PEM; else those of
    /// [`VerifyingKey::bytes_from_spki_der`].
    #[cfg(feature = "pem")]
    pub fn bytes_from_spki_pem(text: &str) -> Result<[u8; 32], Error> {
        Self::bytes_from_spki_der(&pem::parse(pem::PUBLIC_KEY, text)?)
    }

    /// The key as SubjectPublicKeyInfo in PEM.
    ///
    /// # Errors
    /// [`Error::KeyFormat`] is what the encoder's type allows; it does not happen.
    #[cfg(feature = "pem")]
    pub fn to_spki_pem(&self) -> Result<String, Error> {
        let text = pem::write(pem::PUBLIC_KEY, &self.to_spki_der()?)?;
        Ok(text.deref().clone())
    }
}
