//! Secret keys of two kinds, public keys and shared secrets, the same for each curve but for lengths.
//!
//! Secrets: wiped when dropped, and each public function wipes the stack of the computation below it.

use crate::ct::{self, Mask};
use crate::ecdsa::curves::{ByteArray, EcdsaCurve};
use crate::ecdsa::{NonZeroScalar, Sec1Point, SigningKey, VerifyingKey};
use crate::error::Error;
use crate::impls::{by_value, compared_by, equal_where, from_slice, not_shown};
use crate::modular::PrimeField;
use crate::random::generate;
use core::borrow::Borrow;
use core::fmt;
use rand_core::{CryptoRng, TryCryptoRng};
use subtle::{Choice, ConstantTimeEq, CtOption};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// A secret key, an integer from 1 to n − 1. Wiped when dropped.
///
/// It agrees, and becomes a [`SigningKey`]; a key should do one of both. Neither the type nor its
/// `Debug` form shows a secret. Comparison is constant time.
///
/// ```
/// use sigmill::ecdh::p256::{PublicKey, SecretKey};
///
/// # #[cfg(feature = "getrandom")] {
/// let ours = SecretKey::try_generate()?;
/// # let received = SecretKey::try_generate()?.public_key().to_sec1_bytes();
/// let shared = ours.diffie_hellman(&PublicKey::from_sec1_bytes(&received)?);
/// # assert_eq!(shared.raw_secret_bytes().len(), ours.to_bytes().len());
/// assert_eq!(SecretKey::from_slice(&ours.to_bytes())?, ours);
/// # }
/// # Ok::<(), sigmill::Error>(())
/// ```
#[derive(Clone)]
pub struct SecretKey<C: EcdsaCurve> {
    d: NonZeroScalar<C>,
}

impl<C: EcdsaCurve> SecretKey<C> {
    /// The fewest bytes in which a secret key is read: those of 192 bits.
    pub const MIN_SIZE: usize = SigningKey::<C>::MIN_SIZE;

    /// The key of an integer from 1 to n − 1, big-endian. Constant time.
    ///
    /// # Errors
    /// [`Error::ScalarOutOfRange`] for any other integer.
    pub fn from_bytes(bytes: &C::FieldBytes) -> Result<Self, Error> {
        let d = SigningKey::<C>::scalar_of(bytes)?;
        ct::wipe_stack(ct::StackUse::Single);
        Ok(SecretKey { d: NonZeroScalar(d) })
    }

    /// The same from a slice of [`Self::MIN_SIZE`] bytes up to the width of the curve; before fewer than
    /// that, zeros are understood. Time depends on how many bytes there are.
    ///
    /// # Errors
    /// [`Error::Length`] for another number of bytes; those of [`Self::from_bytes`].
    pub fn from_slice(bytes: &[u8]) -> Result<Self, Error> {
        let d = SigningKey::<C>::scalar_of_slice(bytes)?;
        ct::wipe_stack(ct::StackUse::Single);
        Ok(SecretKey { d: NonZeroScalar(d) })
    }

    /// A new key from a random source that may fail. Integers out of range are thrown away: with a
    /// source that gives nothing else this never ends.
    ///
    /// # Errors
    /// The error of the source; no key is made.
    pub fn try_generate_from_rng<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<Self, R::Error> {
        let d = SigningKey::<C>::random_scalar(rng)?;
        ct::wipe_stack(ct::StackUse::Single);
        Ok(SecretKey { d: NonZeroScalar(d) })
    }

    /// Another name of [`Self::generate_from_rng`].
    pub fn random<R: CryptoRng + ?Sized>(rng: &mut R) -> Self {
        Self::generate_from_rng(rng)
    }

    /// The integer, big-endian. The caller has to wipe the copy. Constant time.
    pub fn to_bytes(&self) -> C::FieldBytes {
        self.d.to_bytes()
    }

    /// The integer, as [`p256::diffie_hellman`](super::p256::diffie_hellman) takes it; it takes the key, too.
    pub fn to_nonzero_scalar(&self) -> NonZeroScalar<C> {
        self.d.clone()
    }

    /// The public key, which is computed. Constant time.
    pub fn public_key(&self) -> PublicKey<C> {
        PublicKey(SigningKey::<C>::public_of(&self.d.0))
    }

    /// The shared secret. Constant time.
    pub fn diffie_hellman(&self, their_public: &PublicKey<C>) -> SharedSecret<C> {
        SharedSecret::of(&self.d, their_public)
    }
}

generate!(SecretKey<C: EcdsaCurve>, "A new key");

impl<C: EcdsaCurve> ZeroizeOnDrop for SecretKey<C> {} // `d` wipes itself

impl<C: EcdsaCurve> PartialEq for SecretKey<C> {
    fn eq(&self, other: &Self) -> bool {
        self.d == other.d
    }
}

impl<C: EcdsaCurve> Eq for SecretKey<C> {}

impl<C: EcdsaCurve> ConstantTimeEq for SecretKey<C> {
    fn ct_eq(&self, other: &Self) -> Choice {
        self.d.ct_eq(&other.d)
    }
}

not_shown!([C: EcdsaCurve] SecretKey<C>, "SecretKey");

from_slice!([C: EcdsaCurve] SecretKey<C>, from_slice, Error);

impl<C: EcdsaCurve> From<&SecretKey<C>> for SigningKey<C> {
    fn from(key: &SecretKey<C>) -> Self {
        Self::from(&key.d)
    }
}
by_value!([C: EcdsaCurve] SecretKey<C> => SigningKey<C>);

impl<C: EcdsaCurve> From<&SigningKey<C>> for SecretKey<C> {
    fn from(key: &SigningKey<C>) -> Self {
        SecretKey { d: NonZeroScalar(*key.scalar()) }
    }
}
by_value!([C: EcdsaCurve] SigningKey<C> => SecretKey<C>);

impl<C: EcdsaCurve> From<NonZeroScalar<C>> for SecretKey<C> {
    fn from(d: NonZeroScalar<C>) -> Self {
        SecretKey { d }
    }
}

impl<C: EcdsaCurve> From<&NonZeroScalar<C>> for SecretKey<C> {
    fn from(d: &NonZeroScalar<C>) -> Self {
        SecretKey { d: d.clone() }
    }
}

impl<C: EcdsaCurve> From<&SecretKey<C>> for NonZeroScalar<C> {
    fn from(key: &SecretKey<C>) -> Self {
        key.to_nonzero_scalar()
    }
}
by_value!([C: EcdsaCurve] SecretKey<C> => NonZeroScalar<C>);

impl<C: EcdsaCurve> Borrow<NonZeroScalar<C>> for SecretKey<C> {
    fn borrow(&self) -> &NonZeroScalar<C> {
        &self.d
    }
}

impl<C: EcdsaCurve> Borrow<NonZeroScalar<C>> for &SecretKey<C> {
    fn borrow(&self) -> &NonZeroScalar<C> {
        &self.d
    }
}

/// A public key: a point of the curve other than infinity.
///
/// The same point as a [`VerifyingKey`], to agree with.
///
/// ```
/// use sigmill::ecdh::p256::{PublicKey, SecretKey};
///
/// let key = SecretKey::from_slice(&[7; 32])?.public_key();
/// assert_eq!(PublicKey::from_sec1_bytes(&key.to_sec1_compressed())?, key);
/// assert_eq!(PublicKey::from_sec1_bytes(&key.to_sec1_bytes())?, key);
/// # Ok::<(), sigmill::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct PublicKey<C: EcdsaCurve>(VerifyingKey<C>);

impl<C: EcdsaCurve> PublicKey<C> {
    /// The point, as [`p256::diffie_hellman`](super::p256::diffie_hellman) takes it: the key itself.
    pub const fn as_affine(&self) -> &Self {
        self
    }

    /// From SEC1 bytes, uncompressed (a 4, x and y) or compressed (2 or 3, and x). Time depends on
    /// the bytes.
    ///
    /// # Errors
    /// [`Error::Length`] for another number of bytes, [`Error::NotAPoint`] if it is not on the
    /// curve, or is infinity, or in the hybrid form.
    pub fn from_sec1_bytes(bytes: &[u8]) -> Result<Self, Error> {
        VerifyingKey::<C>::from_sec1_bytes(bytes).map(PublicKey)
    }

    /// SEC1 bytes, uncompressed: 4, x and y, big-endian.
    pub fn to_sec1_bytes(&self) -> C::UncompressedPoint {
        self.0.to_sec1_bytes()
    }

    /// SEC1 bytes, compressed: 2 for an even y or 3 for an odd one, and x, big-endian.
    pub fn to_sec1_compressed(&self) -> C::CompressedPoint {
        self.0.to_sec1_compressed()
    }

    /// The key of an encoded point, none if it is not on the curve:
    /// `Option::from(PublicKey::from_sec1_point(&point))`. [`Self::from_sec1_bytes`] says why. Time
    /// depends on the bytes.
    pub fn from_sec1_point<P: AsRef<[u8]> + ?Sized>(point: &P) -> CtOption<Self> {
        let none = || PublicKey(SigningKey::<C>::public_of(&C::Scalar::ONE));
        match Self::from_sec1_bytes(point.as_ref()) {
            Ok(key) => CtOption::new(key, Choice::from(1)),
            Err(_) => CtOption::new(none(), Choice::from(0)),
        }
    }

    /// The SEC1 encoding, compressed or not.
    pub fn to_sec1_point(&self, compress: bool) -> Sec1Point<C> {
        self.0.to_sec1_point(compress)
    }

    /// The older name of [`Self::from_sec1_point`].
    pub fn from_encoded_point<P: AsRef<[u8]> + ?Sized>(point: &P) -> CtOption<Self> {
        Self::from_sec1_point(point)
    }

    /// The older name of [`Self::to_sec1_point`].
    pub fn to_encoded_point(&self, compress: bool) -> Sec1Point<C> {
        self.to_sec1_point(compress)
    }
}

compared_by!([C: EcdsaCurve] PublicKey<C>, to_sec1_bytes);

impl<C: EcdsaCurve> fmt::Debug for PublicKey<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({})", self.0)
    }
}

from_slice!([C: EcdsaCurve] PublicKey<C>, from_sec1_bytes, Error);

by_value!([C: EcdsaCurve] Sec1Point<C> => PublicKey<C>, Error, Result<Self, Error>);

impl<C: EcdsaCurve> TryFrom<&Sec1Point<C>> for PublicKey<C> {
    type Error = Error;

    fn try_from(point: &Sec1Point<C>) -> Result<Self, Error> {
        Self::from_sec1_bytes(point.as_bytes())
    }
}

impl<C: EcdsaCurve> From<&PublicKey<C>> for Sec1Point<C> {
    fn from(key: &PublicKey<C>) -> Self {
        key.to_sec1_point(false)
    }
}
by_value!([C: EcdsaCurve] PublicKey<C> => Sec1Point<C>);

impl<C: EcdsaCurve> From<&VerifyingKey<C>> for PublicKey<C> {
    fn from(key: &VerifyingKey<C>) -> Self {
        PublicKey(*key)
    }
}
by_value!([C: EcdsaCurve] VerifyingKey<C> => PublicKey<C>);

impl<C: EcdsaCurve> From<&PublicKey<C>> for VerifyingKey<C> {
    fn from(key: &PublicKey<C>) -> Self {
        key.0
    }
}
by_value!([C: EcdsaCurve] PublicKey<C> => VerifyingKey<C>);

impl<C: EcdsaCurve> From<&SecretKey<C>> for PublicKey<C> {
    fn from(key: &SecretKey<C>) -> Self {
        key.public_key()
    }
}
by_value!([C: EcdsaCurve] SecretKey<C> => PublicKey<C>);

impl<C: EcdsaCurve> From<&EphemeralSecret<C>> for PublicKey<C> {
    fn from(secret: &EphemeralSecret<C>) -> Self {
        secret.public_key()
    }
}

/// A secret key for the agreements of one run of a protocol. It has no bytes to store. Wiped when
/// dropped; never shown.
///
/// ```
/// # #[cfg(feature = "getrandom")] {
/// use sigmill::ecdh::p256::{EphemeralSecret, PublicKey};
///
/// let ours = EphemeralSecret::try_generate()?;
/// let sent = ours.public_key().to_sec1_bytes();
/// # let theirs = EphemeralSecret::try_generate()?;
/// # let received = theirs.public_key().to_sec1_bytes();
/// let shared = ours.diffie_hellman(&PublicKey::from_sec1_bytes(&received)?);
/// # assert_eq!(shared, theirs.diffie_hellman(&PublicKey::from_sec1_bytes(&sent)?));
/// # }
/// # Ok::<(), sigmill::Error>(())
/// ```
pub struct EphemeralSecret<C: EcdsaCurve>(SecretKey<C>);

impl<C: EcdsaCurve> EphemeralSecret<C> {
    /// A new secret from a random source that may fail; see
    /// [`SecretKey::try_generate_from_rng`].
    ///
    /// # Errors
    /// The error of the source; no secret is made.
    pub fn try_generate_from_rng<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<Self, R::Error> {
        SecretKey::<C>::try_generate_from_rng(rng).map(EphemeralSecret)
    }

    /// Another name of [`Self::generate_from_rng`].
    pub fn random<R: CryptoRng + ?Sized>(rng: &mut R) -> Self {
        Self::generate_from_rng(rng)
    }

    /// The public key, which is computed. Constant time.
    pub fn public_key(&self) -> PublicKey<C> {
        self.0.public_key()
    }

    /// The shared secret. Constant time.
    pub fn diffie_hellman(&self, their_public: &PublicKey<C>) -> SharedSecret<C> {
        self.0.diffie_hellman(their_public)
    }
}

generate!(EphemeralSecret<C: EcdsaCurve>, "A new secret");

impl<C: EcdsaCurve> ZeroizeOnDrop for EphemeralSecret<C> {}

not_shown!([C: EcdsaCurve] EphemeralSecret<C>, "EphemeralSecret");

/// A shared secret: x of a point, big-endian. Wiped when dropped; never shown; comparison is constant time.
///
/// ```
/// use sigmill::ecdh::p256::{SecretKey, SharedSecret};
///
/// let ours = SecretKey::from_slice(&[1; 32])?;
/// let theirs = SecretKey::from_slice(&[2; 32])?;
/// let shared: SharedSecret = ours.diffie_hellman(&theirs.public_key());
/// assert!(shared == theirs.diffie_hellman(&ours.public_key())); // in constant time
/// # Ok::<(), sigmill::Error>(())
/// ```
pub struct SharedSecret<C: EcdsaCurve>(C::FieldBytes);

impl<C: EcdsaCurve> SharedSecret<C> {
    pub(super) fn of(secret: &NonZeroScalar<C>, their_public: &PublicKey<C>) -> Self {
        let mut shared = SharedSecret::<C>(C::FieldBytes::ZERO);
        C::agree(&secret.0, their_public.0.point(), shared.0.as_mut());
        shared
    }

    /// The bytes, which are not uniform: derive keys from them by a function for that, such as HKDF
    /// (RFC 5869).
    pub const fn raw_secret_bytes(&self) -> &C::FieldBytes {
        &self.0
    }
}

impl<C: EcdsaCurve> ConstantTimeEq for SharedSecret<C> {
    fn ct_eq(&self, other: &Self) -> Choice {
        self.0.as_ref().ct_eq(other.0.as_ref())
    }
}

equal_where!([C: EcdsaCurve] SharedSecret<C>, |a, b| {
    let equal = Mask::from_bit(u64::from(a.ct_eq(b).unwrap_u8()));
    ct::declassify("shared_secrets_equal", equal)
});

impl<C: EcdsaCurve> Drop for SharedSecret<C> {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl<C: EcdsaCurve> ZeroizeOnDrop for SharedSecret<C> {}

not_shown!([C: EcdsaCurve] SharedSecret<C>, "SharedSecret");
