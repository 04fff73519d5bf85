//! A secret key and its public key as one value, with an encoding that holds both: the public part is
//! never believed but compared with the derived one.
//!
//! Secrets: a pair is a `SigningKey`, which wipes itself.

use crate::ecdsa::curves::{ByteArray, EcdsaCurve};
use crate::ecdsa::types::{Signature, SigningKey, VerifyingKey, exactly};
use crate::error::Error;
use core::fmt;
use rand_core::{CryptoRng, TryCryptoRng};
use zeroize::ZeroizeOnDrop;

/// A secret key and its public key. Wiped when dropped.
///
/// `Debug` and `Display` show the public part alone. Comparison is constant time.
///
/// ```
/// use sigmill::ecdsa::p256::{KeyPair, SigningKey};
/// # let key = SigningKey::from_slice(&[7; 32])?;
///
/// let pair = KeyPair::from(key);
/// let stored = pair.to_bytes(); // secret and public key
/// assert_eq!(KeyPair::from_bytes(&stored)?.public(), pair.public());
/// # Ok::<(), sigmill::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct KeyPair<C: EcdsaCurve>(SigningKey<C>);

impl<C: EcdsaCurve> KeyPair<C> {
    /// A new pair from a random source that cannot fail; see [`SigningKey::random`].
    pub fn generate<R: CryptoRng + ?Sized>(rng: &mut R) -> Self {
        KeyPair(SigningKey::<C>::random(rng))
    }

    /// A new pair from a random source that may fail; see [`SigningKey::try_random`].
    ///
    /// # Errors
    /// The error of the source; no pair is made.
    pub fn try_generate<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<Self, R::Error> {
        SigningKey::<C>::try_random(rng).map(KeyPair)
    }

    /// From the secret key, big-endian, and the public key behind it, as
    /// [`VerifyingKey::to_sec1_bytes`] writes it. Constant time in the secret key.
    ///
    /// # Errors
    /// Those of [`SigningKey::from_bytes`] and [`VerifyingKey::from_sec1_bytes`];
    /// [`Error::KeyPairMismatch`] if the public key is not that of the secret one.
    pub fn from_bytes(bytes: &C::KeyPairBytes) -> Result<Self, Error> {
        let (secret, public) = bytes.as_ref().split_at(C::WIDTH);
        let key = SigningKey::<C>::from_slice(secret)?;
        if VerifyingKey::<C>::from_sec1_bytes(public)? != *key.verifying_key() {
            return Err(Error::KeyPairMismatch);
        }
        Ok(KeyPair(key))
    }

    /// The same from a slice.
    ///
    /// # Errors
    /// [`Error::Length`] for another number of bytes; those of [`Self::from_bytes`].
    pub fn from_slice(bytes: &[u8]) -> Result<Self, Error> {
        Self::from_bytes(exactly("key pair", bytes)?)
    }

    /// The secret key, big-endian, and the uncompressed public key behind it. The caller has
    /// to wipe the copy. Constant time.
    pub fn to_bytes(&self) -> C::KeyPairBytes {
        let mut bytes = C::KeyPairBytes::ZERO;
        let (secret, public) = bytes.as_mut().split_at_mut(C::WIDTH);
        self.0.write_bytes(secret);
        public.copy_from_slice(self.public().to_sec1_bytes().as_ref());
        bytes
    }

    /// The public part.
    pub const fn public(&self) -> &VerifyingKey<C> {
        self.0.verifying_key()
    }

    /// The private part.
    pub const fn private(&self) -> &SigningKey<C> {
        &self.0
    }

    /// Signs as [`SigningKey::sign_message`] does.
    pub fn sign(&self, message: &[u8]) -> Signature<C> {
        self.0.sign_message(message)
    }
}

impl<C: EcdsaCurve> ZeroizeOnDrop for KeyPair<C> {}

impl<C: EcdsaCurve> From<SigningKey<C>> for KeyPair<C> {
    fn from(key: SigningKey<C>) -> Self {
        KeyPair(key)
    }
}

impl<C: EcdsaCurve> From<KeyPair<C>> for SigningKey<C> {
    fn from(pair: KeyPair<C>) -> Self {
        pair.0
    }
}

impl<C: EcdsaCurve> fmt::Display for KeyPair<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyPair of {}", self.public())
    }
}

impl<C: EcdsaCurve> fmt::Debug for KeyPair<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyPair {{ public: {} }}", self.public())
    }
}
