//! Ed25519 keys in the containers that other programs read and write: PKCS#8 and
//! SubjectPublicKeyInfo as RFC 8410 profiles them, in DER and PEM. `x25519` has those of X25519, `ec` those of
//! ECDSA.
//!
//! The only place where an object identifier meets a constructor. One structure is accepted, in
//! one encoding: a key is never guessed. Everything is written to the caller's memory, and the functions that
//! return memory of their own call the ones that do.
//!
//! Secrets: copies of a seed are wiped; a public key beside a secret one is not believed but compared with
//! the derived one in constant time.

#[cfg(feature = "ecdsa")]
mod ec;
#[cfg(all(feature = "ecdsa", feature = "pkcs8"))]
mod ec_traits;
mod forms;
#[cfg(feature = "pkcs8")]
mod traits;
#[cfg(feature = "x25519")]
mod x25519;
#[cfg(all(feature = "x25519", feature = "pkcs8"))]
mod x25519_traits;

use crate::algorithms;
use crate::ct::wiping_stack;
use crate::ed25519::{SigningKey, VerifyingKey};
use crate::encoding::{self, AlgorithmIdentifierRef, ObjectIdentifier, pem, pkcs8, spki};
use crate::error::{Error, KeyFormatError};
use forms::{public_key_forms, read_private_key_pem, write_private_key};
use zeroize::Zeroizing;
#[cfg(feature = "pem")]
use {alloc::string::String, zeroize::Zeroize};
#[cfg(feature = "pkcs8")]
use {alloc::vec::Vec, core::mem};

const PRIVATE_KEY_DER: &str = "memory for a private key in DER";
const PUBLIC_KEY_DER: &str = "memory for a public key in DER";

/// Bytes of the longest container that is written.
const LONGEST_DER: usize = 256;

/// Allocates the output of `write`, at most `len` bytes, in memory that is wiped.
#[cfg(feature = "pkcs8")]
fn allocated(
    len: usize,
    write: impl FnOnce(&mut [u8]) -> Result<usize, Error>,
) -> Result<Zeroizing<Vec<u8>>, Error> {
    let mut bytes = Zeroizing::new(alloc::vec![0; len]);
    let written = write(&mut bytes)?;
    bytes.truncate(written);
    Ok(bytes)
}

/// The same for text.
#[cfg(feature = "pem")]
fn allocated_text(
    len: usize,
    write: impl FnOnce(&mut [u8]) -> Result<usize, Error>,
) -> Result<Zeroizing<String>, Error> {
    let mut bytes = allocated(len, write)?;
    match String::from_utf8(mem::take(&mut *bytes)) {
        Ok(text) => Ok(Zeroizing::new(text)),
        Err(error) => {
            error.into_bytes().zeroize();
            Err(KeyFormatError::Pem.into())
        }
    }
}

/// An algorithm of RFC 8410 on edwards25519 or curve25519: its keys have 32 bytes, and its identifier has no
/// parameters (section 3).
struct Rfc8410 {
    algorithm: AlgorithmIdentifierRef<'static>,
    /// The error for a key of another algorithm.
    another: KeyFormatError,
}

const ED25519: Rfc8410 = Rfc8410 {
    algorithm: AlgorithmIdentifierRef {
        oid: ObjectIdentifier::new_unwrap(algorithms::ED25519.key_oid),
        parameters: None,
    },
    another: KeyFormatError::NotEd25519,
};

impl Rfc8410 {
    /// Bytes of a private key as [`Self::write_private_key_der`] writes it.
    const PRIVATE_KEY_DER_LENGTH: usize = 48;
    /// Bytes of a public key as [`Self::write_spki_der`] writes it.
    const SPKI_DER_LENGTH: usize = 44;

    fn check(&self, found: AlgorithmIdentifierRef<'_>) -> Result<(), KeyFormatError> {
        if found.oid != self.algorithm.oid {
            return Err(self.another);
        }
        match found.parameters {
            Some(_) => Err(KeyFormatError::Parameters),
            None => Ok(()),
        }
    }

    /// The secret key of a PKCS#8 container, and the public key where version 2 has one, of which nothing is known.
    fn parse_private_key<'a>(
        &self,
        bytes: &'a [u8],
    ) -> Result<(&'a [u8; 32], Option<&'a [u8; 32]>), KeyFormatError> {
        let key = pkcs8::parse(bytes)?;
        self.check(key.algorithm)?;
        let secret = key_bytes(pkcs8::parse_octet_string(key.private_key)?)?;
        Ok((secret, key.public_key.map(key_bytes).transpose()?))
    }

    /// The key of a SubjectPublicKeyInfo.
    fn parse_spki<'a>(&self, bytes: &'a [u8]) -> Result<&'a [u8; 32], KeyFormatError> {
        let (algorithm, key) = spki::parse(bytes)?;
        self.check(algorithm)?;
        key_bytes(key)
    }

    /// Writes PKCS#8 version 1. Constant time.
    fn write_private_key_der(&self, secret: &[u8; 32], out: &mut [u8]) -> Result<usize, Error> {
        let private_key = pkcs8::octet_string(secret)?;
        let container = pkcs8::Version1 { algorithm: self.algorithm, private_key };
        encoding::write(PRIVATE_KEY_DER, &container, out)
    }

    fn write_spki_der(&self, key: &[u8; 32], out: &mut [u8]) -> Result<usize, Error> {
        encoding::write(PUBLIC_KEY_DER, &spki::container(self.algorithm, key)?, out)
    }
}

fn key_bytes(bytes: &[u8]) -> Result<&[u8; 32], KeyFormatError> {
    bytes.try_into().map_err(|_| KeyFormatError::KeyLength)
}

impl SigningKey {
    /// Bytes of the key as [`SigningKey::write_private_key_der`] writes it.
    pub const PRIVATE_KEY_DER_LENGTH: usize = Rfc8410::PRIVATE_KEY_DER_LENGTH;

    /// Reads a PKCS#8 private key in DER, version 1 or 2 (RFC 8410 section 7). Of the two ways in
    /// which programs tag the public key of version 2, both are read.
    ///
    /// Time depends on the shape of the container, not on the key.
    ///
    /// # Errors
    /// [`Error::KeyFormat`] unless the bytes are exactly one such container with an Ed25519 key;
    /// [`Error::KeyPairMismatch`] if it has a public key that does not belong to the secret one.
    pub fn from_private_key_der(bytes: &[u8]) -> Result<Self, Error> {
        let (seed, public_key) = ED25519.parse_private_key(bytes)?;
        let Some(public_key) = public_key else {
            return Ok(Self::from_bytes(seed));
        };
        let mut pair = Zeroizing::new([0; 64]);
        let (seed_half, public_half) = pair.split_at_mut(32);
        seed_half.copy_from_slice(seed);
        public_half.copy_from_slice(public_key);
        Self::checked_pair(&pair)
    }

    /// Writes the key to the beginning of `out`, as PKCS#8 version 1 in DER: 48 bytes, the ones that
    /// OpenSSL writes. Returns how many there are. The caller has to wipe them.
    ///
    /// Constant time.
    ///
    /// # Errors
    /// [`Error::Length`] if `out` has fewer bytes; it stays as it was.
    /// The encoder's type allows [`Error::KeyFormat`]; it does not occur.
    ///
    /// ```
    /// use sigmill::ed25519::SigningKey;
    ///
    /// // without an allocator
    /// let key = SigningKey::from_bytes(&[7; 32]);
    /// let mut memory = [0; SigningKey::PRIVATE_KEY_DER_LENGTH];
    /// let len = key.write_private_key_der(&mut memory)?;
    /// assert_eq!(SigningKey::from_private_key_der(&memory[..len])?, key);
    /// # Ok::<(), sigmill::Error>(())
    /// ```
    pub fn write_private_key_der(&self, out: &mut [u8]) -> Result<usize, Error> {
        wiping_stack(|| ED25519.write_private_key_der(self.as_bytes(), out))
    }

    write_private_key!(pkcs8);

    read_private_key_pem!("a PKCS#8 private key", Self::from_private_key_der,
        /// ```
        /// use sigmill::ed25519::SigningKey;
        ///
        /// # let text = SigningKey::from_bytes(&[7; 32]).to_private_key_pem()?;
        /// // what `openssl genpkey -algorithm ed25519` writes
        /// let key = SigningKey::from_private_key_pem(&text)?;
        /// assert!(key.to_private_key_pem()?.starts_with("-----BEGIN PRIVATE KEY-----"));
        /// # Ok::<(), sigmill::Error>(())
        /// ```
    );
}

impl VerifyingKey {
    /// Bytes of the key as [`VerifyingKey::write_spki_der`] writes it.
    pub const SPKI_DER_LENGTH: usize = Rfc8410::SPKI_DER_LENGTH;

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
        Ok(*ED25519.parse_spki(bytes)?)
    }

    /// Writes the key to the beginning of `out`, as SubjectPublicKeyInfo in DER: 44 bytes. Returns how
    /// many there are.
    ///
    /// # Errors
    /// [`Error::Length`] if `out` has fewer bytes; it stays as it was.
    /// The encoder's type allows [`Error::KeyFormat`]; it does not occur.
    pub fn write_spki_der(&self, out: &mut [u8]) -> Result<usize, Error> {
        ED25519.write_spki_der(self.as_bytes(), out)
    }

    public_key_forms!(
        /// ```
        /// use sigmill::ed25519::{SigningKey, VerifyingKey};
        ///
        /// let key = SigningKey::from_bytes(&[7; 32]).verifying_key();
        /// let text = key.to_spki_pem()?; // -----BEGIN PUBLIC KEY-----
        /// assert_eq!(VerifyingKey::from_spki_pem(&text)?, key);
        /// # Ok::<(), sigmill::Error>(())
        /// ```
    );

    /// The 32 bytes of the key in a SubjectPublicKeyInfo in PEM. Whether they are a point is left
    /// to the verdict.
    ///
    /// # Errors
    /// [`KeyFormatError::Pem`] if the text is not such PEM; else those of
    /// [`VerifyingKey::bytes_from_spki_der`].
    #[cfg(feature = "pem")]
    pub fn bytes_from_spki_pem(text: &str) -> Result<[u8; 32], Error> {
        pem::parse_any(&[pem::PUBLIC_KEY], text, Self::bytes_from_spki_der)
    }
}
