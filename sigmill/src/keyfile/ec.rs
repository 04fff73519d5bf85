//! ECDSA keys in the containers that other programs read and write: PKCS#8 (RFC 5958), ECPrivateKey
//! (RFC 5915) and SubjectPublicKeyInfo (RFC 5480), in DER and PEM, each asked for by its name; and the
//! traits of the `pkcs8` crate, which say less of what is wrong.
//!
//! Secrets: memory with a private key is wiped; a public key beside a secret one is not believed but
//! compared with the derived one.

use crate::encoding::sec1::{EcPrivateKey, NamedCurve};
use crate::encoding::{AlgorithmIdentifierRef, ObjectIdentifier, pkcs8, spki};
use crate::error::{Error, KeyFormatError};
use ::pkcs8::der::asn1::{AnyRef, BitString};
use ::pkcs8::spki::{
    AlgorithmIdentifier, AssociatedAlgorithmIdentifier, Error as SpkiError,
    SignatureAlgorithmIdentifier, SignatureBitStringEncoding,
};
use ::pkcs8::{
    Document, EncodePrivateKey, EncodePublicKey, KeyError, PrivateKeyInfoRef, SecretDocument,
    SubjectPublicKeyInfoRef,
};
use alloc::vec::Vec;
use zeroize::Zeroizing;
#[cfg(feature = "pem")]
use {
    crate::encoding::pem, alloc::string::String, core::ops::Deref, core::str::FromStr,
    signature::Error as SignatureError,
};

/// id-ecPublicKey (RFC 5480 section 2.1.1).
const EC_PUBLIC_KEY: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");

/// An algorithm identifier that is not this curve's, in the words of the `pkcs8` traits: the curve's name
/// or, where there is none, the algorithm's.
fn not_read(found: AlgorithmIdentifierRef<'_>) -> SpkiError {
    SpkiError::OidUnknown { oid: found.parameters_oid().unwrap_or(found.oid) }
}

macro_rules! containers {
    ($module:ident, $curve:ident, $oid:literal, $with_hash:literal, $uncompressed:literal) => {
        const $curve: NamedCurve = NamedCurve {
            algorithm: EC_PUBLIC_KEY,
            curve: ObjectIdentifier::new_unwrap($oid),
            key_len: crate::ecdsa::$module::FIELD_LENGTH,
        };

        impl crate::ecdsa::$module::SigningKey {
            /// Reads a PKCS#8 private key in DER, version 1 or 2, with an ECPrivateKey inside.
            ///
            /// Time depends on the shape of the container, not on the key.
            ///
            /// # Errors
            /// [`Error::KeyFormat`] unless the bytes are exactly one such container with a key on this
            /// curve, which has a name; [`Error::ScalarOutOfRange`]; [`Error::KeyPairMismatch`] if it
            /// has a public key that does not belong to the secret one, [`Error::NotAPoint`] or
            /// [`Error::Length`] if that is not a point.
            pub fn from_private_key_der(bytes: &[u8]) -> Result<Self, Error> {
                let outer = pkcs8::parse(bytes)?;
                $curve.check(outer.algorithm)?;
                let key = $curve.parse(outer.private_key)?;
                Self::of_container(&key, outer.public_key)
            }

            /// Reads an ECPrivateKey in DER (RFC 5915), a file of its own. Where it names no curve it
            /// is taken for this one's.
            ///
            /// Time depends on the shape of the container, not on the key.
            ///
            /// # Errors
            /// As [`Self::from_private_key_der`].
            pub fn from_sec1_der(bytes: &[u8]) -> Result<Self, Error> {
                Self::of_container(&$curve.parse(bytes)?, None)
            }

            fn of_container(key: &EcPrivateKey<'_>, outer: Option<&[u8]>) -> Result<Self, Error> {
                let secret = Self::from_slice(key.private_key())?;
                for public in [key.public_key(), outer].into_iter().flatten() {
                    let public = crate::ecdsa::$module::VerifyingKey::from_sec1_bytes(public)?;
                    if public != *secret.verifying_key() {
                        return Err(Error::KeyPairMismatch);
                    }
                }
                Ok(secret)
            }

            /// The key as PKCS#8 version 1 in DER, with the public key inside: the bytes that OpenSSL
            /// writes. The memory is wiped when dropped. Constant time.
            ///
            /// # Errors
            /// [`Error::KeyFormat`] is what the encoder's type allows; it does not happen.
            pub fn to_private_key_der(&self) -> Result<Zeroizing<Vec<u8>>, Error> {
                let secret = Zeroizing::new(self.to_bytes());
                let public = self.verifying_key().to_sec1_bytes();
                let inner = $curve.write_unnamed(secret.as_slice(), &public)?;
                Ok(pkcs8::write($curve.algorithm(), &inner)?)
            }

            /// The key as ECPrivateKey in DER, with the curve's name and the public key: the bytes
            /// that OpenSSL writes. The memory is wiped when dropped. Constant time.
            ///
            /// # Errors
            /// [`Error::KeyFormat`] is what the encoder's type allows; it does not happen.
            pub fn to_sec1_der(&self) -> Result<Zeroizing<Vec<u8>>, Error> {
                let secret = Zeroizing::new(self.to_bytes());
                let public = self.verifying_key().to_sec1_bytes();
                Ok($curve.write(secret.as_slice(), &public)?)
            }

            /// Reads a PKCS#8 private key in PEM, between lines that say `PRIVATE KEY` (RFC 7468,
            /// strict).
            ///
            /// # Errors
            /// [`Error::KeyFormat`] if the text is not such PEM; else those of
            /// [`Self::from_private_key_der`].
            #[cfg(feature = "pem")]
            pub fn from_private_key_pem(text: &str) -> Result<Self, Error> {
                Self::from_private_key_der(&pem::parse(pem::PRIVATE_KEY, text)?)
            }

            /// Reads an ECPrivateKey in PEM, between lines that say `EC PRIVATE KEY`.
            ///
            /// # Errors
            /// [`Error::KeyFormat`] if the text is not such PEM; else those of
            /// [`Self::from_sec1_der`].
            #[cfg(feature = "pem")]
            pub fn from_sec1_pem(text: &str) -> Result<Self, Error> {
                Self::from_sec1_der(&pem::parse(pem::EC_PRIVATE_KEY, text)?)
            }

            /// The key as PKCS#8 version 1 in PEM. The memory is wiped when dropped. Constant time.
            ///
            /// # Errors
            /// [`Error::KeyFormat`] is what the encoder's type allows; it does not happen.
            #[cfg(feature = "pem")]
            pub fn to_private_key_pem(&self) -> Result<Zeroizing<String>, Error> {
                Ok(pem::write(pem::PRIVATE_KEY, &self.to_private_key_der()?)?)
            }

            /// The key as ECPrivateKey in PEM. The memory is wiped when dropped. Constant time.
            ///
            /// # Errors
            /// [`Error::KeyFormat`] is what the encoder's type allows; it does not happen.
            #[cfg(feature = "pem")]
            pub fn to_sec1_pem(&self) -> Result<Zeroizing<String>, Error> {
                Ok(pem::write(pem::EC_PRIVATE_KEY, &self.to_sec1_der()?)?)
            }
        }

        /// Gives `DecodePrivateKey`.
        impl TryFrom<PrivateKeyInfoRef<'_>> for crate::ecdsa::$module::SigningKey {
            type Error = ::pkcs8::Error;

            fn try_from(container: PrivateKeyInfoRef<'_>) -> ::pkcs8::Result<Self> {
                let invalid = |_| ::pkcs8::Error::KeyMalformed(KeyError::Invalid);
                let algorithm = container.algorithm;
                $curve.check(algorithm).map_err(|_| not_read(algorithm))?;
                let key = $curve.parse(container.private_key.as_bytes()).map_err(invalid)?;
                let outer = match container.public_key {
                    None => None,
                    Some(public) => {
                        Some(public.as_bytes().ok_or_else(|| invalid(KeyFormatError::Der))?)
                    }
                };
                Self::of_container(&key, outer)
                    .map_err(|_| ::pkcs8::Error::KeyMalformed(KeyError::Invalid))
            }
        }

        impl EncodePrivateKey for crate::ecdsa::$module::SigningKey {
            fn to_pkcs8_der(&self) -> ::pkcs8::Result<SecretDocument> {
                let invalid = |_| ::pkcs8::Error::KeyMalformed(KeyError::Invalid);
                let der = self.to_private_key_der().map_err(invalid)?;
                Ok(SecretDocument::try_from(der.as_slice())?)
            }
        }

        /// Gives `DecodePublicKey`.
        impl TryFrom<SubjectPublicKeyInfoRef<'_>> for crate::ecdsa::$module::VerifyingKey {
            type Error = SpkiError;

            fn try_from(container: SubjectPublicKeyInfoRef<'_>) -> Result<Self, SpkiError> {
                let algorithm = container.algorithm;
                $curve.check(algorithm).map_err(|_| not_read(algorithm))?;
                let key = container.subject_public_key.as_bytes().ok_or(SpkiError::KeyMalformed)?;
                Self::from_sec1_bytes(key).map_err(|_| SpkiError::KeyMalformed)
            }
        }

        impl EncodePublicKey for crate::ecdsa::$module::VerifyingKey {
            fn to_public_key_der(&self) -> Result<Document, SpkiError> {
                let der = self.to_spki_der().map_err(|_| SpkiError::KeyMalformed)?;
                Ok(Document::try_from(der.as_slice())?)
            }
        }

        impl AssociatedAlgorithmIdentifier for crate::ecdsa::$module::SigningKey {
            type Params = ObjectIdentifier;

            const ALGORITHM_IDENTIFIER: AlgorithmIdentifier<ObjectIdentifier> =
                AlgorithmIdentifier { oid: EC_PUBLIC_KEY, parameters: Some($curve.curve) };
        }

        impl AssociatedAlgorithmIdentifier for crate::ecdsa::$module::VerifyingKey {
            type Params = ObjectIdentifier;

            const ALGORITHM_IDENTIFIER: AlgorithmIdentifier<ObjectIdentifier> =
                crate::ecdsa::$module::SigningKey::ALGORITHM_IDENTIFIER;
        }

        /// With the hash function that the curve has by itself; without parameters.
        impl AssociatedAlgorithmIdentifier for crate::ecdsa::$module::Signature {
            type Params = AnyRef<'static>;

            const ALGORITHM_IDENTIFIER: AlgorithmIdentifierRef<'static> = AlgorithmIdentifierRef {
                oid: ObjectIdentifier::new_unwrap($with_hash),
                parameters: None,
            };
        }

        impl SignatureAlgorithmIdentifier for crate::ecdsa::$module::SigningKey {
            type Params = AnyRef<'static>;

            const SIGNATURE_ALGORITHM_IDENTIFIER: AlgorithmIdentifierRef<'static> =
                crate::ecdsa::$module::Signature::ALGORITHM_IDENTIFIER;
        }

        impl SignatureAlgorithmIdentifier for crate::ecdsa::$module::VerifyingKey {
            type Params = AnyRef<'static>;

            const SIGNATURE_ALGORITHM_IDENTIFIER: AlgorithmIdentifierRef<'static> =
                crate::ecdsa::$module::Signature::ALGORITHM_IDENTIFIER;
        }

        impl SignatureBitStringEncoding for crate::ecdsa::$module::DerSignature {
            fn to_bitstring(&self) -> ::pkcs8::der::Result<BitString> {
                BitString::new(0, self.as_bytes())
            }
        }

        /// PKCS#8 in PEM.
        #[cfg(feature = "pem")]
        impl FromStr for crate::ecdsa::$module::SigningKey {
            type Err = SignatureError;

            fn from_str(text: &str) -> Result<Self, SignatureError> {
                Ok(Self::from_private_key_pem(text)?)
            }
        }

        /// SubjectPublicKeyInfo in PEM.
        #[cfg(feature = "pem")]
        impl FromStr for crate::ecdsa::$module::VerifyingKey {
            type Err = SignatureError;

            fn from_str(text: &str) -> Result<Self, SignatureError> {
                Ok(Self::from_spki_pem(text)?)
            }
        }

        impl crate::ecdsa::$module::VerifyingKey {
            /// Reads a SubjectPublicKeyInfo in DER, with a point compressed or not. Time depends on
            /// the bytes.
            ///
            /// # Errors
            /// [`Error::KeyFormat`] unless the bytes are exactly one such container with a key on this
            /// curve, which has a name; those of [`Self::from_sec1_bytes`].
            pub fn from_spki_der(bytes: &[u8]) -> Result<Self, Error> {
                Self::from_sec1_bytes(&Self::bytes_from_spki_der(bytes)?)
            }

            /// The SEC1 bytes of the key in a SubjectPublicKeyInfo in DER. Whether they are a point is
            /// left to the verdict.
            ///
            /// # Errors
            /// [`Error::KeyFormat`] unless the bytes are exactly one such container with a key on this
            /// curve, which has a name.
            pub fn bytes_from_spki_der(bytes: &[u8]) -> Result<Vec<u8>, Error> {
                let (algorithm, key) = spki::parse(bytes)?;
                $curve.check(algorithm)?;
                Ok(key.to_vec())
            }

            /// The key as SubjectPublicKeyInfo in DER, the point not compressed.
            ///
            /// # Errors
            /// [`Error::KeyFormat`] is what the encoder's type allows; it does not happen.
            pub fn to_spki_der(&self) -> Result<Vec<u8>, Error> {
                let point: [u8; $uncompressed] = self.to_sec1_bytes();
                Ok(spki::write($curve.algorithm(), &point)?)
            }

            /// Reads a SubjectPublicKeyInfo in PEM, between lines that say `PUBLIC KEY` (RFC 7468,
            /// strict).
            ///
            /// # Errors
            /// [`Error::KeyFormat`] if the text is not such PEM; else those of
            /// [`Self::from_spki_der`].
            #[cfg(feature = "pem")]
            pub fn from_spki_pem(text: &str) -> Result<Self, Error> {
                Self::from_spki_der(&pem::parse(pem::PUBLIC_KEY, text)?)
            }

            /// The SEC1 bytes of the key in a SubjectPublicKeyInfo in PEM. Whether they are a point is
            /// left to the verdict.
            ///
            /// # Errors
            /// [`Error::KeyFormat`] if the text is not such PEM; else those of
            /// [`Self::bytes_from_spki_der`].
            #[cfg(feature = "pem")]
            pub fn bytes_from_spki_pem(text: &str) -> Result<Vec<u8>, Error> {
                Self::bytes_from_spki_der(&pem::parse(pem::PUBLIC_KEY, text)?)
            }

            /// The key as SubjectPublicKeyInfo in PEM.
            ///
            /// # Errors
            /// [`Error::KeyFormat`] is what the encoder's type allows; it does not happen.
            #[cfg(feature = "pem")]
            pub fn to_spki_pem(&self) -> Result<String, Error> {
                Ok(pem::write(pem::PUBLIC_KEY, &self.to_spki_der()?)?.deref().clone())
            }
        }
    };
}

// secp256r1 and secp384r1 (RFC 5480 section 2.1.1.1), ecdsa-with-SHA256 and ecdsa-with-SHA384 (RFC 5758
// section 3.2)
containers!(p256, P256, "1.2.840.10045.3.1.7", "1.2.840.10045.4.3.2", 65);
containers!(p384, P384, "1.3.132.0.34", "1.2.840.10045.4.3.3", 97);
