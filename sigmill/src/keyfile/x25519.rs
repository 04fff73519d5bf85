//! X25519 keys in the containers of RFC 8410: PKCS#8 and SubjectPublicKeyInfo, in DER and PEM.
//!
//! Secrets: copies are wiped; a public key beside a secret one is not believed but compared with the derived one.

use super::forms::{public_key_forms, read_private_key_pem, write_private_key};
use super::{LONGEST_DER, Rfc8410};
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

    write_private_key!(pkcs8);

    read_private_key_pem!("a PKCS#8 private key", Self::from_private_key_der,
        /// ```
        /// use sigmill::x25519::StaticSecret;
        ///
        /// # let text = StaticSecret::from([7; 32]).to_private_key_pem()?;
        /// // what `openssl genpkey -algorithm x25519` writes
        /// let secret = StaticSecret::from_private_key_pem(&text)?;
        /// assert!(secret.to_private_key_pem()?.starts_with("-----BEGIN PRIVATE KEY-----"));
        /// # Ok::<(), sigmill::Error>(())
        /// ```
    );
}

/// Containers (feature `containers`).
impl PublicKey {
    /// Bytes of the key as [`PublicKey::write_spki_der`] writes it.
    pub const SPKI_DER_LENGTH: usize = Rfc8410::SPKI_DER_LENGTH;

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

    public_key_forms!(
        /// ```
        /// use sigmill::x25519::{PublicKey, StaticSecret};
        ///
        /// let key = PublicKey::from(&StaticSecret::from([7; 32]));
        /// let text = key.to_spki_pem()?; // -----BEGIN PUBLIC KEY-----
        /// assert_eq!(PublicKey::from_spki_pem(&text)?, key);
        /// # Ok::<(), sigmill::Error>(())
        /// ```
    );
}
