//! A secret key and its public key as one value, with an encoding that holds both: the public part is
//! never believed but compared with the derived one.
//!
//! Secrets: a pair is a `SigningKey`, which wipes itself.

use crate::ecdsa::types;
use crate::error::Error;
use core::fmt;
use rand_core::{CryptoRng, TryCryptoRng};
use zeroize::ZeroizeOnDrop;

macro_rules! pair {
    ($module:ident, $length:literal, $public_length:literal) => {
        pub(super) mod $module {
            use super::*;
            use types::$module::{FIELD_LENGTH, Signature, SigningKey, VerifyingKey};

            /// Bytes of a pair: the secret key, and the public key as an uncompressed SEC1 point.
            pub const KEYPAIR_LENGTH: usize = $length;

            /// A secret key and its public key. Wiped when dropped.
            ///
            /// `Debug` and `Display` show the public part alone. Comparison is constant time.
            ///
            /// ```
            #[doc = concat!("use sigmill::ecdsa::", stringify!($module), "::{KeyPair, SigningKey};")]
            #[doc = concat!("# let key = SigningKey::from_slice(&[7; ", stringify!($public_length), " / 2])?;")]
            ///
            /// let pair = KeyPair::from(key);
            /// let stored = pair.to_bytes(); // secret and public key
            /// assert_eq!(KeyPair::from_bytes(&stored)?.public(), pair.public());
            /// # Ok::<(), sigmill::Error>(())
            /// ```
            #[derive(Clone, PartialEq, Eq)]
            pub struct KeyPair(SigningKey);

            impl KeyPair {
                /// A new pair from a random source that cannot fail; see [`SigningKey::random`].
                pub fn generate<R: CryptoRng + ?Sized>(rng: &mut R) -> Self {
                    KeyPair(SigningKey::random(rng))
                }

                /// A new pair from a random source that may fail; see [`SigningKey::try_random`].
                ///
                /// # Errors
                /// The error of the source; no pair is made.
                pub fn try_generate<R: TryCryptoRng + ?Sized>(
                    rng: &mut R,
                ) -> Result<Self, R::Error> {
                    SigningKey::try_random(rng).map(KeyPair)
                }

                /// From the secret key, big-endian, and the public key behind it, as
                /// [`VerifyingKey::to_sec1_bytes`] writes it. Constant time in the secret key.
                ///
                /// # Errors
                /// Those of [`SigningKey::from_bytes`] and [`VerifyingKey::from_sec1_bytes`];
                /// [`Error::KeyPairMismatch`] if the public key is not that of the secret one.
                pub fn from_bytes(bytes: &[u8; $length]) -> Result<Self, Error> {
                    let (secret, public) = bytes.split_at(FIELD_LENGTH);
                    let key = SigningKey::from_slice(secret)?;
                    if VerifyingKey::from_sec1_bytes(public)? != *key.verifying_key() {
                        return Err(Error::KeyPairMismatch);
                    }
                    Ok(KeyPair(key))
                }

                /// The same from a slice.
                ///
                /// # Errors
                /// [`Error::Length`] for another number of bytes; those of [`Self::from_bytes`].
                pub fn from_slice(bytes: &[u8]) -> Result<Self, Error> {
                    Self::from_bytes(types::exactly("key pair", bytes)?)
                }

                /// The secret key, big-endian, and the uncompressed public key behind it. The caller has
                /// to wipe the copy. Constant time.
                pub fn to_bytes(&self) -> [u8; $length] {
                    let mut bytes = [0; $length];
                    let (secret, public) = bytes.split_at_mut(FIELD_LENGTH);
                    self.0.write_bytes(secret);
                    public.copy_from_slice(&self.public().to_sec1_bytes());
                    bytes
                }

                /// The public part.
                pub const fn public(&self) -> &VerifyingKey {
                    self.0.verifying_key()
                }

                /// The private part.
                pub const fn private(&self) -> &SigningKey {
                    &self.0
                }

                /// Signs as [`SigningKey::sign_message`] does.
                pub fn sign(&self, message: &[u8]) -> Signature {
                    self.0.sign_message(message)
                }
            }

            impl ZeroizeOnDrop for KeyPair {}

            impl From<SigningKey> for KeyPair {
                fn from(key: SigningKey) -> Self {
                    KeyPair(key)
                }
            }

            impl From<KeyPair> for SigningKey {
                fn from(pair: KeyPair) -> Self {
                    pair.0
                }
            }

            impl fmt::Display for KeyPair {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    write!(f, "KeyPair of {}", self.public())
                }
            }

            impl fmt::Debug for KeyPair {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    write!(f, "KeyPair {{ public: {} }}", self.public())
                }
            }

            const _: () = assert!(KEYPAIR_LENGTH == FIELD_LENGTH + $public_length);
        }
    };
}

pair!(p256, 97, 65);
pair!(p384, 145, 97);
