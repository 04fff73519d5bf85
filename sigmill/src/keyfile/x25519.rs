//! X25519 keys in the containers of RFC 8410: PKCS#8 and SubjectPublicKeyInfo, in DER and PEM.
//!
//! Secrets: copies are wiped; a public key beside a secret one is not believed but compared with the derived one.

use super::{PRIVATE_KEY_PEM, PUBLIC_KEY_PEM, Rfc8410};
use crate::algorithms;
use crate::ct::wiping_stack;
use crate::encoding::{AlgorithmIdentifierRef, ObjectIdentifier, pem};
use crate::error::{Error, KeyFormatError};
use crate::x25519::{PublicKey, StaticSecret};
use zeroize::Zeroizing;
#[cfg(feature = "pkcs8")]
use {super::allocated, alloc::vec::Vec, core::mem};
#[cfg(feature = "pem")]
use {super::allocated_text, alloc::string::String};

pub(super) const X25519: Rfc8410 = Rfc8410 {
    algorithm: AlgorithmIdentifierRef {
        oid: ObjectIdentifier::new_unwrap(algorithms::X25519_KEY_OID),
        parameters: None,
    },
    another: KeyFormatError::Algorithm,
};

/// A secret key from its bytes, and, where there is one, the public key that has to belong to it.
pub(super) fn checked(
    secret: &[u8; 32],
    public_key: Option<&[u8; 32]>,
) -> Result<StaticSecret, Error> {
    let secret = StaticSecret::from(*secret);
    match public_key {
        Some(bytes) if PublicKey::from(&secret) != PublicKey::from(*bytes) => {
            Err(Error::KeyPairMismatch)
        }
        _ => Ok(secret),
    }
}

/// Containers (feature `containers`).
impl StaticSecret {
    /// Bytes of the key as [`StaticSecret::write_private_key_der`] writes it.
    pub const PRIVATE_KEY_DER_LENGTH: usize = Rfc8410::PRIVATE_KEY_DER_LENGTH;
    /// Bytes of the key as [`StaticSecret::write_private_key_pem`] writes it.
    pub const PRIVATE_KEY_PEM_LENGTH: usize =
        pem::text_len(pem::PRIVATE_KEY, Self::PRIVATE_KEY_DER_LENGTH);

    /// Reads a PKCS#8 private key in DER, version 1 or 2 (RFC 8410 section 7). Of the two ways in
    /// which programs tag the public key of version 2, both are read.
    ///
    /// Time depends on the shape of the container, not on the key.
    ///
    /// # Errors
    /// [`Error::KeyFormat`] unless the bytes are exactly one such container with an X25519 key;
    /// [`Error::KeyPairMismatch`] if it has a public key that does not belong to the secret one.
    pub fn from_private_key_der(bytes: &[u8]) -> Result<Self, Error> {
        let (secret, public_key) = X25519.parse_private_key(bytes)?;
        wiping_stack(|| checked(secret, public_key))
    }

    /// Writes the key to the beginning of `out`, as PKCS#8 version 1 in DER: 48 bytes, the ones that
    /// OpenSSL writes. Returns how many there are. The caller has to wipe them.
    ///
    /// Constant time.
    ///
    /// # Errors
    /// [`Error::Length`] if `out` has fewer bytes; it stays as it was.
    /// The encoder's type allows [`Error::KeyFormat`]; it does not occur.
    pub fn write_private_key_der(&self, out: &mut [u8]) -> Result<usize, Error> {
        wiping_stack(|| X25519.write_private_key_der(self.as_bytes(), out))
    }

    /// The key as PKCS#8 version 1 in DER: 48 bytes, the ones that OpenSSL writes. The memory is
    /// wiped when dropped.
    ///
    /// Constant time.
    ///
    /// # Errors
    /// The encoder's type allows [`Error::KeyFormat`]; it does not occur.
    #[cfg(feature = "pkcs8")]
    pub fn to_private_key_der(&self) -> Result<Zeroizing<Vec<u8>>, Error> {
        allocated(Self::PRIVATE_KEY_DER_LENGTH, |out| self.write_private_key_der(out))
    }

    /// Reads a PKCS#8 private key in PEM, as
    /// [`SigningKey::read_private_key_pem`](crate::ed25519::SigningKey::read_private_key_pem) does.
    ///
    /// # Errors
    /// [`KeyFormatError::Pem`] if the text is not such PEM, [`KeyFormatError::TooLong`] if there are more
    /// bytes; else those of [`StaticSecret::from_private_key_der`].
    pub fn read_private_key_pem(text: &[u8]) -> Result<Self, Error> {
        wiping_stack(|| pem::parse(pem::PRIVATE_KEYS, text, Self::from_private_key_der))
    }

    /// Reads a PKCS#8 private key in PEM, as
    /// [`SigningKey::from_private_key_pem`](crate::ed25519::SigningKey::from_private_key_pem) does.
    ///
    /// # Errors
    /// [`KeyFormatError::Pem`] if the text is not such PEM; else those of
    /// [`StaticSecret::from_private_key_der`].
    ///
    /// ```
    /// use sigmill::x25519::StaticSecret;
    ///
    /// # let text = StaticSecret::from([7; 32]).to_private_key_pem()?;
    /// // what `openssl genpkey -algorithm x25519` writes
    /// let secret = StaticSecret::from_private_key_pem(&text)?;
    /// assert!(secret.to_private_key_pem()?.starts_with("-----BEGIN PRIVATE KEY-----"));
    /// # Ok::<(), sigmill::Error>(())
    /// ```
    #[cfg(feature = "pem")]
    pub fn from_private_key_pem(text: &str) -> Result<Self, Error> {
        wiping_stack(|| pem::parse_any(pem::PRIVATE_KEYS, text, Self::from_private_key_der))
    }

    /// Writes the key to the beginning of `out`, as PKCS#8 version 1 in PEM, as OpenSSL writes it. Returns
    /// how many bytes there are. The caller has to wipe them.
    ///
    /// Constant time.
    ///
    /// # Errors
    /// [`Error::Length`] if `out` has fewer bytes; it stays as it was.
    /// The encoder's type allows [`Error::KeyFormat`]; it does not occur.
    pub fn write_private_key_pem(&self, out: &mut [u8]) -> Result<usize, Error> {
        wiping_stack(|| {
            let mut der = Zeroizing::new([0; Self::PRIVATE_KEY_DER_LENGTH]);
            self.write_private_key_der(&mut *der)?;
            pem::write(PRIVATE_KEY_PEM, pem::PRIVATE_KEY, &*der, out)
        })
    }

    /// The key as PKCS#8 version 1 in PEM, as OpenSSL writes it. The memory is wiped when dropped.
    ///
    /// Constant time.
    ///
    /// # Errors
    /// The encoder's type allows [`Error::KeyFormat`]; it does not occur.
    #[cfg(feature = "pem")]
    pub fn to_private_key_pem(&self) -> Result<Zeroizing<String>, Error> {
        allocated_text(Self::PRIVATE_KEY_PEM_LENGTH, |out| self.write_private_key_pem(out))
    }
}

/// Containers (feature `containers`).
impl PublicKey {
    /// Bytes of the key as [`PublicKey::write_spki_der`] writes it.
    pub const SPKI_DER_LENGTH: usize = Rfc8410::SPKI_DER_LENGTH;
    /// Bytes of the key as [`PublicKey::write_spki_pem`] writes it.
    pub const SPKI_PEM_LENGTH: usize = pem::text_len(pem::PUBLIC_KEY, Self::SPKI_DER_LENGTH);

    /// Reads a SubjectPublicKeyInfo in DER (RFC 8410 section 4). Time depends on the bytes.
    ///
    /// # Errors
    /// [`Error::KeyFormat`] unless the bytes are exactly one such container with an X25519 key.
    pub fn from_spki_der(bytes: &[u8]) -> Result<Self, Error> {
        Ok(PublicKey::from(*X25519.parse_spki(bytes)?))
    }

    /// Writes the key to the beginning of `out`, as SubjectPublicKeyInfo in DER: 44 bytes. Returns how
    /// many there are.
    ///
    /// # Errors
    /// [`Error::Length`] if `out` has fewer bytes; it stays as it was.
    /// The encoder's type allows [`Error::KeyFormat`]; it does not occur.
    pub fn write_spki_der(&self, out: &mut [u8]) -> Result<usize, Error> {
        X25519.write_spki_der(self.as_bytes(), out)
    }

    /// The key as SubjectPublicKeyInfo in DER: 44 bytes.
    ///
    /// # Errors
    /// The encoder's type allows [`Error::KeyFormat`]; it does not occur.
    #[cfg(feature = "pkcs8")]
    pub fn to_spki_der(&self) -> Result<Vec<u8>, Error> {
        let mut der = allocated(Self::SPKI_DER_LENGTH, |out| self.write_spki_der(out))?;
        Ok(mem::take(&mut *der))
    }

    /// Reads a SubjectPublicKeyInfo in PEM, as
    /// [`VerifyingKey::read_spki_pem`](crate::ed25519::VerifyingKey::read_spki_pem) does.
    ///
    /// # Errors
    /// [`KeyFormatError::Pem`] if the text is not such PEM, [`KeyFormatError::TooLong`] if there are more
    /// bytes; else those of [`PublicKey::from_spki_der`].
    pub fn read_spki_pem(text: &[u8]) -> Result<Self, Error> {
        pem::parse(&[pem::PUBLIC_KEY], text, Self::from_spki_der)
    }

    /// Reads a SubjectPublicKeyInfo in PEM, as
    /// [`VerifyingKey::from_spki_pem`](crate::ed25519::VerifyingKey::from_spki_pem) does.
    ///
    /// # Errors
    /// [`KeyFormatError::Pem`] if the text is not such PEM; else those of [`PublicKey::from_spki_der`].
    ///
    /// ```
    /// use sigmill::x25519::{PublicKey, StaticSecret};
    ///
    /// let key = PublicKey::from(&StaticSecret::from([7; 32]));
    /// let text = key.to_spki_pem()?; // -----BEGIN PUBLIC KEY-----
    /// assert_eq!(PublicKey::from_spki_pem(&text)?, key);
    /// # Ok::<(), sigmill::Error>(())
    /// ```
    #[cfg(feature = "pem")]
    pub fn from_spki_pem(text: &str) -> Result<Self, Error> {
        pem::parse_any(&[pem::PUBLIC_KEY], text, Self::from_spki_der)
    }

    /// Writes the key to the beginning of `out`, as SubjectPublicKeyInfo in PEM. Returns how many bytes
    /// there are.
    ///
    /// # Errors
    /// [`Error::Length`] if `out` has fewer bytes; it stays as it was.
    /// The encoder's type allows [`Error::KeyFormat`]; it does not occur.
    pub fn write_spki_pem(&self, out: &mut [u8]) -> Result<usize, Error> {
        let mut der = [0; Self::SPKI_DER_LENGTH];
        self.write_spki_der(&mut der)?;
        pem::write(PUBLIC_KEY_PEM, pem::PUBLIC_KEY, &der, out)
    }

    /// The key as SubjectPublicKeyInfo in PEM.
    ///
    /// # Errors
    /// The encoder's type allows [`Error::KeyFormat`]; it does not occur.
    #[cfg(feature = "pem")]
    pub fn to_spki_pem(&self) -> Result<String, Error> {
        let mut text = allocated_text(Self::SPKI_PEM_LENGTH, |out| self.write_spki_pem(out))?;
        Ok(mem::take(&mut *text))
    }
}
