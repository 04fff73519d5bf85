//! Secret keys of two kinds, public keys and shared secrets, the same for each curve but for lengths.
//!
//! Secrets: wiped when dropped, and each public function wipes the stack of the computation below it.

use crate::ct;
use crate::curve::weierstrass::{Affine, Curve, multiple_of_point};
use crate::error::Error;
use crate::modular::PrimeField;
use crate::random::generate;
use core::borrow::Borrow;
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use rand_core::{CryptoRng, TryCryptoRng};
use subtle::{Choice, ConstantTimeEq, CtOption};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Writes x of \[d\]Q, big-endian. Constant time.
#[inline(never)]
fn agree<C: Curve>(d: &C::Scalar, q: &Affine<C::Fe>, x: &mut [u8]) {
    multiple_of_point::<C>(d, q).x.write_be_bytes(x);
}

macro_rules! keys {
    ($module:ident, $name:literal, $curve:ident, $width:literal, $compressed:literal, $uncompressed:literal) => {
        #[doc = concat!("ECDH on ", $name, ".")]
        pub mod $module {
            use super::*;
            use crate::curve::weierstrass::$module::$curve as TheCurve;
            use crate::ecdsa::$module::{FIELD_LENGTH, FieldBytes, NonZeroScalar, Scalar, Sec1Point};
            use crate::ecdsa::$module::{SigningKey, VerifyingKey};

            /// A secret key, an integer from 1 to n − 1. Wiped when dropped.
            ///
            /// It agrees, and becomes a [`SigningKey`]; a key should do one of both. Neither the type nor its
            /// `Debug` form shows a secret. Comparison is constant time.
            ///
            /// ```
            #[doc = concat!("use sigmill::ecdh::", stringify!($module), "::{PublicKey, SecretKey};")]
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
            pub struct SecretKey {
                d: NonZeroScalar,
            }

            impl SecretKey {
                /// The fewest bytes in which a secret key is read: those of 192 bits.
                pub const MIN_SIZE: usize = SigningKey::MIN_SIZE;

                /// The key of an integer from 1 to n − 1, big-endian. Constant time.
                ///
                /// # Errors
                /// [`Error::ScalarOutOfRange`] for any other integer.
                pub fn from_bytes(bytes: &FieldBytes) -> Result<Self, Error> {
                    let d = SigningKey::scalar_of(bytes)?;
                    ct::wipe_stack();
                    Ok(SecretKey { d: NonZeroScalar(d) })
                }

                /// The same from a slice of [`Self::MIN_SIZE`] bytes up to [`FIELD_LENGTH`]; before fewer than
                /// that, zeros are understood. Time depends on how many bytes there are.
                ///
                /// # Errors
                /// [`Error::Length`] for another number of bytes; those of [`Self::from_bytes`].
                pub fn from_slice(bytes: &[u8]) -> Result<Self, Error> {
                    let d = SigningKey::scalar_of_slice(bytes)?;
                    ct::wipe_stack();
                    Ok(SecretKey { d: NonZeroScalar(d) })
                }

                /// A new key from a random source that may fail. Integers out of range are thrown away: with a
                /// source that gives nothing else this never ends.
                ///
                /// # Errors
                /// The error of the source; no key is made.
                pub fn try_generate_from_rng<R: TryCryptoRng + ?Sized>(
                    rng: &mut R,
                ) -> Result<Self, R::Error> {
                    let d = SigningKey::random_scalar(rng)?;
                    ct::wipe_stack();
                    Ok(SecretKey { d: NonZeroScalar(d) })
                }

                /// Another name of [`Self::generate_from_rng`].
                pub fn random<R: CryptoRng + ?Sized>(rng: &mut R) -> Self {
                    Self::generate_from_rng(rng)
                }

                /// The integer, big-endian. The caller has to wipe the copy. Constant time.
                pub fn to_bytes(&self) -> FieldBytes {
                    self.d.to_bytes()
                }

                /// The integer, as [`diffie_hellman`] takes it; it takes the key, too.
                pub fn to_nonzero_scalar(&self) -> NonZeroScalar {
                    self.d.clone()
                }

                /// The public key, which is computed. Constant time.
                pub fn public_key(&self) -> PublicKey {
                    PublicKey(SigningKey::public_of(&self.d.0))
                }

                /// The shared secret. Constant time.
                pub fn diffie_hellman(&self, their_public: &PublicKey) -> SharedSecret {
                    diffie_hellman(self, their_public)
                }
            }

            generate!(SecretKey, "A new key");

            impl ZeroizeOnDrop for SecretKey {} // `d` wipes itself

            impl PartialEq for SecretKey {
                fn eq(&self, other: &Self) -> bool {
                    self.d == other.d
                }
            }

            impl Eq for SecretKey {}

            impl ConstantTimeEq for SecretKey {
                fn ct_eq(&self, other: &Self) -> Choice {
                    self.d.ct_eq(&other.d)
                }
            }

            impl fmt::Debug for SecretKey {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str("SecretKey(not shown)")
                }
            }

            impl TryFrom<&[u8]> for SecretKey {
                type Error = Error;

                fn try_from(bytes: &[u8]) -> Result<Self, Error> {
                    Self::from_slice(bytes)
                }
            }

            /// The conversions of a value, of which there is one of a reference.
            macro_rules! by_value {
                ($from:ident, $to:ident) => {
                    impl From<$from> for $to {
                        fn from(value: $from) -> Self {
                            Self::from(&value)
                        }
                    }
                };
            }

            impl From<&SecretKey> for SigningKey {
                fn from(key: &SecretKey) -> Self {
                    Self::from(&key.d)
                }
            }
            by_value!(SecretKey, SigningKey);

            impl From<&SigningKey> for SecretKey {
                fn from(key: &SigningKey) -> Self {
                    SecretKey { d: NonZeroScalar(*key.scalar()) }
                }
            }
            by_value!(SigningKey, SecretKey);

            impl From<NonZeroScalar> for SecretKey {
                fn from(d: NonZeroScalar) -> Self {
                    SecretKey { d }
                }
            }

            impl From<&NonZeroScalar> for SecretKey {
                fn from(d: &NonZeroScalar) -> Self {
                    SecretKey { d: d.clone() }
                }
            }

            impl From<&SecretKey> for NonZeroScalar {
                fn from(key: &SecretKey) -> Self {
                    key.to_nonzero_scalar()
                }
            }
            by_value!(SecretKey, NonZeroScalar);

            impl Borrow<NonZeroScalar> for SecretKey {
                fn borrow(&self) -> &NonZeroScalar {
                    &self.d
                }
            }

            impl Borrow<NonZeroScalar> for &SecretKey {
                fn borrow(&self) -> &NonZeroScalar {
                    &self.d
                }
            }

            /// A public key: a point of the curve other than infinity.
            ///
            /// The same point as a [`VerifyingKey`], to agree with.
            ///
            /// ```
            #[doc = concat!("use sigmill::ecdh::", stringify!($module), "::{PublicKey, SecretKey};")]
            ///
            #[doc = concat!("let key = SecretKey::from_slice(&[7; ", $width, "])?.public_key();")]
            /// assert_eq!(PublicKey::from_sec1_bytes(&key.to_sec1_compressed())?, key);
            /// assert_eq!(PublicKey::from_sec1_bytes(&key.to_sec1_bytes())?, key);
            /// # Ok::<(), sigmill::Error>(())
            /// ```
            #[derive(Clone, Copy, PartialEq, Eq)]
            pub struct PublicKey(VerifyingKey);

            /// The point of a public key, which is the public key: there is no arithmetic behind the name.
            pub type AffinePoint = PublicKey;

            impl PublicKey {
                /// The point, as [`diffie_hellman`] takes it: the key itself.
                pub const fn as_affine(&self) -> &AffinePoint {
                    self
                }

                /// From SEC1 bytes, uncompressed (a 4, x and y) or compressed (2 or 3, and x). Time depends on
                /// the bytes.
                ///
                /// # Errors
                /// [`Error::Length`] for another number of bytes, [`Error::NotAPoint`] if it is not on the
                /// curve, or is infinity, or in the hybrid form.
                pub fn from_sec1_bytes(bytes: &[u8]) -> Result<Self, Error> {
                    VerifyingKey::from_sec1_bytes(bytes).map(PublicKey)
                }

                /// SEC1 bytes, uncompressed: 4, x and y, big-endian.
                pub fn to_sec1_bytes(&self) -> [u8; $uncompressed] {
                    self.0.to_sec1_bytes()
                }

                /// SEC1 bytes, compressed: 2 for an even y or 3 for an odd one, and x, big-endian.
                pub fn to_sec1_compressed(&self) -> [u8; $compressed] {
                    self.0.to_sec1_compressed()
                }

                /// The key of an encoded point, none if it is not on the curve:
                /// `Option::from(PublicKey::from_sec1_point(&point))`. [`Self::from_sec1_bytes`] says why. Time
                /// depends on the bytes.
                pub fn from_sec1_point<P: AsRef<[u8]> + ?Sized>(point: &P) -> CtOption<Self> {
                    let none = || PublicKey(SigningKey::public_of(&Scalar::ONE));
                    match Self::from_sec1_bytes(point.as_ref()) {
                        Ok(key) => CtOption::new(key, Choice::from(1)),
                        Err(_) => CtOption::new(none(), Choice::from(0)),
                    }
                }

                /// The SEC1 encoding, compressed or not.
                pub fn to_sec1_point(&self, compress: bool) -> Sec1Point {
                    self.0.to_sec1_point(compress)
                }

                /// The older name of [`Self::from_sec1_point`].
                pub fn from_encoded_point<P: AsRef<[u8]> + ?Sized>(point: &P) -> CtOption<Self> {
                    Self::from_sec1_point(point)
                }

                /// The older name of [`Self::to_sec1_point`].
                pub fn to_encoded_point(&self, compress: bool) -> Sec1Point {
                    self.to_sec1_point(compress)
                }
            }

            impl PartialOrd for PublicKey {
                fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                    Some(self.cmp(other))
                }
            }

            impl Ord for PublicKey {
                fn cmp(&self, other: &Self) -> Ordering {
                    self.0.cmp(&other.0)
                }
            }

            impl Hash for PublicKey {
                fn hash<H: Hasher>(&self, state: &mut H) {
                    self.0.hash(state);
                }
            }

            impl fmt::Debug for PublicKey {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    write!(f, "PublicKey({})", self.0)
                }
            }

            impl TryFrom<&[u8]> for PublicKey {
                type Error = Error;

                fn try_from(bytes: &[u8]) -> Result<Self, Error> {
                    Self::from_sec1_bytes(bytes)
                }
            }

            impl TryFrom<Sec1Point> for PublicKey {
                type Error = Error;

                fn try_from(point: Sec1Point) -> Result<Self, Error> {
                    Self::try_from(&point)
                }
            }

            impl TryFrom<&Sec1Point> for PublicKey {
                type Error = Error;

                fn try_from(point: &Sec1Point) -> Result<Self, Error> {
                    Self::from_sec1_bytes(point.as_bytes())
                }
            }

            impl From<&PublicKey> for Sec1Point {
                fn from(key: &PublicKey) -> Self {
                    key.to_sec1_point(false)
                }
            }
            by_value!(PublicKey, Sec1Point);

            impl From<&VerifyingKey> for PublicKey {
                fn from(key: &VerifyingKey) -> Self {
                    PublicKey(*key)
                }
            }
            by_value!(VerifyingKey, PublicKey);

            impl From<&PublicKey> for VerifyingKey {
                fn from(key: &PublicKey) -> Self {
                    key.0
                }
            }
            by_value!(PublicKey, VerifyingKey);

            impl From<&SecretKey> for PublicKey {
                fn from(key: &SecretKey) -> Self {
                    key.public_key()
                }
            }
            by_value!(SecretKey, PublicKey);

            impl From<&EphemeralSecret> for PublicKey {
                fn from(secret: &EphemeralSecret) -> Self {
                    secret.public_key()
                }
            }

            /// A secret key for the agreements of one run of a protocol. It has no bytes to store. Wiped when
            /// dropped; never shown.
            ///
            /// ```
            /// # #[cfg(feature = "getrandom")] {
            #[doc = concat!("use sigmill::ecdh::", stringify!($module), "::{EphemeralSecret, PublicKey};")]
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
            pub struct EphemeralSecret(SecretKey);

            impl EphemeralSecret {
                /// A new secret from a random source that may fail; see
                /// [`SecretKey::try_generate_from_rng`].
                ///
                /// # Errors
                /// The error of the source; no secret is made.
                pub fn try_generate_from_rng<R: TryCryptoRng + ?Sized>(
                    rng: &mut R,
                ) -> Result<Self, R::Error> {
                    SecretKey::try_generate_from_rng(rng).map(EphemeralSecret)
                }

                /// Another name of [`Self::generate_from_rng`].
                pub fn random<R: CryptoRng + ?Sized>(rng: &mut R) -> Self {
                    Self::generate_from_rng(rng)
                }

                /// The public key, which is computed. Constant time.
                pub fn public_key(&self) -> PublicKey {
                    self.0.public_key()
                }

                /// The shared secret. Constant time.
                pub fn diffie_hellman(&self, their_public: &PublicKey) -> SharedSecret {
                    self.0.diffie_hellman(their_public)
                }
            }

            generate!(EphemeralSecret, "A new secret");

            impl ZeroizeOnDrop for EphemeralSecret {}

            impl fmt::Debug for EphemeralSecret {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str("EphemeralSecret(not shown)")
                }
            }

            #[doc = concat!("What two parties agree on: x of a point, ", $width, " bytes, big-endian. Wiped when")]
            /// dropped; never shown; comparison is constant time.
            ///
            /// ```
            #[doc = concat!("use sigmill::ecdh::", stringify!($module), "::{SecretKey, SharedSecret};")]
            ///
            #[doc = concat!("let ours = SecretKey::from_slice(&[1; ", $width, "])?;")]
            #[doc = concat!("let theirs = SecretKey::from_slice(&[2; ", $width, "])?;")]
            /// let shared: SharedSecret = ours.diffie_hellman(&theirs.public_key());
            /// assert!(shared == theirs.diffie_hellman(&ours.public_key())); // in constant time
            /// # Ok::<(), sigmill::Error>(())
            /// ```
            pub struct SharedSecret(FieldBytes);

            impl SharedSecret {
                /// The bytes, which are not uniform: derive keys from them by a function for that, such as HKDF
                /// (RFC 5869).
                pub const fn raw_secret_bytes(&self) -> &FieldBytes {
                    &self.0
                }
            }

            impl ConstantTimeEq for SharedSecret {
                fn ct_eq(&self, other: &Self) -> Choice {
                    self.0.ct_eq(&other.0)
                }
            }

            impl PartialEq for SharedSecret {
                fn eq(&self, other: &Self) -> bool {
                    let equal = ct::bytes_equal(&self.0, &other.0);
                    ct::declassify("shared_secrets_equal", equal).is_true_vartime()
                }
            }

            impl Eq for SharedSecret {}

            impl Drop for SharedSecret {
                fn drop(&mut self) {
                    self.0.zeroize();
                }
            }

            impl ZeroizeOnDrop for SharedSecret {}

            impl fmt::Debug for SharedSecret {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str("SharedSecret(not shown)")
                }
            }

            /// The shared secret of a secret key and the other side's public key, or of what
            /// [`SecretKey::to_nonzero_scalar`] and [`PublicKey::as_affine`] make of them. Constant time.
            pub fn diffie_hellman(
                secret: impl Borrow<NonZeroScalar>,
                their_public: impl Borrow<AffinePoint>,
            ) -> SharedSecret {
                let mut shared = SharedSecret([0; FIELD_LENGTH]);
                agree::<TheCurve>(&secret.borrow().0, their_public.borrow().0.point(), &mut shared.0);
                ct::wipe_stack();
                shared
            }
        }
    };
}

keys!(p256, "P-256", P256, 32, 33, 65);
keys!(p384, "P-384", P384, 48, 49, 97);
