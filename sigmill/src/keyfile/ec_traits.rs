//! The traits of the `pkcs8` crate for ECDSA keys and signatures, which say less of what is wrong than the
//! functions in `ec`.
//!
//! Secrets: memory with a private key is wiped; a public key beside a secret one is not believed but
//! compared with the derived one.

use super::ec::{EC_PUBLIC_KEY, P256, P384};
use crate::encoding::{AlgorithmIdentifierRef, ObjectIdentifier};
use crate::error::KeyFormatError;
use ::pkcs8::der::asn1::{AnyRef, BitString};
use ::pkcs8::spki::{
    AlgorithmIdentifier, AssociatedAlgorithmIdentifier, Error as SpkiError,
    SignatureAlgorithmIdentifier, SignatureBitStringEncoding,
};
use ::pkcs8::{
    Document, EncodePrivateKey, EncodePublicKey, KeyError, PrivateKeyInfoRef, SecretDocument,
    SubjectPublicKeyInfoRef,
};
#[cfg(feature = "pem")]
use {crate::error::Error, core::str::FromStr};

/// An algorithm identifier that is not this curve's, in the words of the `pkcs8` traits: the curve's name
/// or, where there is none, the algorithm's.
fn not_read(found: AlgorithmIdentifierRef<'_>) -> SpkiError {
    SpkiError::OidUnknown { oid: found.parameters_oid().unwrap_or(found.oid) }
}

macro_rules! traits {
    ($module:ident, $curve:ident, $with_hash:literal) => {
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
            type Err = Error;

            fn from_str(text: &str) -> Result<Self, Error> {
                Self::from_private_key_pem(text)
            }
        }

        /// What `Display` writes, the SEC1 bytes in hexadecimal, or SubjectPublicKeyInfo in PEM.
        #[cfg(feature = "pem")]
        impl FromStr for crate::ecdsa::$module::VerifyingKey {
            type Err = Error;

            fn from_str(text: &str) -> Result<Self, Error> {
                if text.contains("-----") {
                    Self::from_spki_pem(text)
                } else {
                    Self::from_sec1_hex(text)
                }
            }
        }

        /// Gives `DecodePrivateKey`.
        impl TryFrom<PrivateKeyInfoRef<'_>> for crate::ecdh::$module::SecretKey {
            type Error = ::pkcs8::Error;

            fn try_from(container: PrivateKeyInfoRef<'_>) -> ::pkcs8::Result<Self> {
                crate::ecdsa::$module::SigningKey::try_from(container).map(Self::from)
            }
        }

        impl EncodePrivateKey for crate::ecdh::$module::SecretKey {
            fn to_pkcs8_der(&self) -> ::pkcs8::Result<SecretDocument> {
                crate::ecdsa::$module::SigningKey::from(self).to_pkcs8_der()
            }
        }

        /// Gives `DecodePublicKey`.
        impl TryFrom<SubjectPublicKeyInfoRef<'_>> for crate::ecdh::$module::PublicKey {
            type Error = SpkiError;

            fn try_from(container: SubjectPublicKeyInfoRef<'_>) -> Result<Self, SpkiError> {
                crate::ecdsa::$module::VerifyingKey::try_from(container).map(Self::from)
            }
        }

        impl EncodePublicKey for crate::ecdh::$module::PublicKey {
            fn to_public_key_der(&self) -> Result<Document, SpkiError> {
                crate::ecdsa::$module::VerifyingKey::from(self).to_public_key_der()
            }
        }

        impl AssociatedAlgorithmIdentifier for crate::ecdh::$module::SecretKey {
            type Params = ObjectIdentifier;

            const ALGORITHM_IDENTIFIER: AlgorithmIdentifier<ObjectIdentifier> =
                crate::ecdsa::$module::SigningKey::ALGORITHM_IDENTIFIER;
        }

        impl AssociatedAlgorithmIdentifier for crate::ecdh::$module::PublicKey {
            type Params = ObjectIdentifier;

            const ALGORITHM_IDENTIFIER: AlgorithmIdentifier<ObjectIdentifier> =
                crate::ecdsa::$module::SigningKey::ALGORITHM_IDENTIFIER;
        }

        /// PKCS#8 in PEM.
        #[cfg(feature = "pem")]
        impl FromStr for crate::ecdh::$module::SecretKey {
            type Err = Error;

            fn from_str(text: &str) -> Result<Self, Error> {
                crate::ecdsa::$module::SigningKey::from_private_key_pem(text).map(Self::from)
            }
        }

        /// SubjectPublicKeyInfo in PEM, which `FromStr` reads.
        #[cfg(feature = "pem")]
        impl core::fmt::Display for crate::ecdh::$module::PublicKey {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                let key = crate::ecdsa::$module::VerifyingKey::from(self);
                f.write_str(&key.to_spki_pem().map_err(|_| core::fmt::Error)?)
            }
        }

        /// SubjectPublicKeyInfo in PEM.
        #[cfg(feature = "pem")]
        impl FromStr for crate::ecdh::$module::PublicKey {
            type Err = Error;

            fn from_str(text: &str) -> Result<Self, Error> {
                crate::ecdsa::$module::VerifyingKey::from_spki_pem(text).map(Self::from)
            }
        }
    };
}

// ecdsa-with-SHA256 and ecdsa-with-SHA384 (RFC 5758 section 3.2)
traits!(p256, P256, "1.2.840.10045.4.3.2");
traits!(p384, P384, "1.2.840.10045.4.3.3");
