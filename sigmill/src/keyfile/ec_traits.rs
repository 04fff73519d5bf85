//! The traits of the `pkcs8` crate for ECDSA keys and signatures, whose errors say less than those of the
//! functions in `ec`.
//!
//! Secrets: memory with a private key is wiped; a public key beside a secret one is not believed but
//! compared with the derived one.

use super::ec::EC_PUBLIC_KEY;
use crate::ecdh::{PublicKey, SecretKey};
use crate::ecdsa::curves::EcdsaCurve;
use crate::ecdsa::{DerSignature, Signature, SigningKey, VerifyingKey};
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

/// Gives `DecodePrivateKey`.
impl<C: EcdsaCurve> TryFrom<PrivateKeyInfoRef<'_>> for SigningKey<C> {
    type Error = ::pkcs8::Error;

    fn try_from(container: PrivateKeyInfoRef<'_>) -> ::pkcs8::Result<Self> {
        let invalid = |_| ::pkcs8::Error::KeyMalformed(KeyError::Invalid);
        let algorithm = container.algorithm;
        Self::CURVE.check(algorithm).map_err(|_| not_read(algorithm))?;
        let key = Self::CURVE.parse(container.private_key.as_bytes()).map_err(invalid)?;
        let outer = match container.public_key {
            None => None,
            Some(public) => Some(public.as_bytes().ok_or_else(|| invalid(KeyFormatError::Der))?),
        };
        Self::of_container(&key, outer).map_err(|_| ::pkcs8::Error::KeyMalformed(KeyError::Invalid))
    }
}

impl<C: EcdsaCurve> EncodePrivateKey for SigningKey<C> {
    fn to_pkcs8_der(&self) -> ::pkcs8::Result<SecretDocument> {
        let invalid = |_| ::pkcs8::Error::KeyMalformed(KeyError::Invalid);
        let der = self.to_private_key_der().map_err(invalid)?;
        Ok(SecretDocument::try_from(der.as_slice())?)
    }
}

/// Gives `DecodePublicKey`.
impl<C: EcdsaCurve> TryFrom<SubjectPublicKeyInfoRef<'_>> for VerifyingKey<C> {
    type Error = SpkiError;

    fn try_from(container: SubjectPublicKeyInfoRef<'_>) -> Result<Self, SpkiError> {
        let algorithm = container.algorithm;
        Self::CURVE.check(algorithm).map_err(|_| not_read(algorithm))?;
        let key = container.subject_public_key.as_bytes().ok_or(SpkiError::KeyMalformed)?;
        Self::from_sec1_bytes(key).map_err(|_| SpkiError::KeyMalformed)
    }
}

impl<C: EcdsaCurve> EncodePublicKey for VerifyingKey<C> {
    fn to_public_key_der(&self) -> Result<Document, SpkiError> {
        let der = self.to_spki_der().map_err(|_| SpkiError::KeyMalformed)?;
        Ok(Document::try_from(der.as_slice())?)
    }
}

impl<C: EcdsaCurve> AssociatedAlgorithmIdentifier for SigningKey<C> {
    type Params = ObjectIdentifier;

    const ALGORITHM_IDENTIFIER: AlgorithmIdentifier<ObjectIdentifier> =
        AlgorithmIdentifier { oid: EC_PUBLIC_KEY, parameters: Some(Self::CURVE.curve) };
}

impl<C: EcdsaCurve> AssociatedAlgorithmIdentifier for VerifyingKey<C> {
    type Params = ObjectIdentifier;

    const ALGORITHM_IDENTIFIER: AlgorithmIdentifier<ObjectIdentifier> =
        SigningKey::<C>::ALGORITHM_IDENTIFIER;
}

/// With the hash function that the curve has by itself; without parameters.
impl<C: EcdsaCurve> AssociatedAlgorithmIdentifier for Signature<C> {
    type Params = AnyRef<'static>;

    const ALGORITHM_IDENTIFIER: AlgorithmIdentifierRef<'static> = AlgorithmIdentifierRef {
        oid: ObjectIdentifier::new_unwrap(C::NAMES.signature_oid),
        parameters: None,
    };
}

impl<C: EcdsaCurve> SignatureAlgorithmIdentifier for SigningKey<C> {
    type Params = AnyRef<'static>;

    const SIGNATURE_ALGORITHM_IDENTIFIER: AlgorithmIdentifierRef<'static> =
        Signature::<C>::ALGORITHM_IDENTIFIER;
}

impl<C: EcdsaCurve> SignatureAlgorithmIdentifier for VerifyingKey<C> {
    type Params = AnyRef<'static>;

    const SIGNATURE_ALGORITHM_IDENTIFIER: AlgorithmIdentifierRef<'static> =
        Signature::<C>::ALGORITHM_IDENTIFIER;
}

impl<C: EcdsaCurve> SignatureBitStringEncoding for DerSignature<C> {
    fn to_bitstring(&self) -> ::pkcs8::der::Result<BitString> {
        BitString::new(0, self.as_bytes())
    }
}

/// PKCS#8 in PEM.
#[cfg(feature = "pem")]
impl<C: EcdsaCurve> FromStr for SigningKey<C> {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Self::from_private_key_pem(text)
    }
}

/// Reads the text that `Display` writes, the SEC1 bytes in hexadecimal, or SubjectPublicKeyInfo in PEM.
#[cfg(feature = "pem")]
impl<C: EcdsaCurve> FromStr for VerifyingKey<C> {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        if text.contains("-----") { Self::from_spki_pem(text) } else { Self::from_sec1_hex(text) }
    }
}

/// Gives `DecodePrivateKey`.
impl<C: EcdsaCurve> TryFrom<PrivateKeyInfoRef<'_>> for SecretKey<C> {
    type Error = ::pkcs8::Error;

    fn try_from(container: PrivateKeyInfoRef<'_>) -> ::pkcs8::Result<Self> {
        SigningKey::<C>::try_from(container).map(Self::from)
    }
}

impl<C: EcdsaCurve> EncodePrivateKey for SecretKey<C> {
    fn to_pkcs8_der(&self) -> ::pkcs8::Result<SecretDocument> {
        SigningKey::<C>::from(self).to_pkcs8_der()
    }
}

/// Gives `DecodePublicKey`.
impl<C: EcdsaCurve> TryFrom<SubjectPublicKeyInfoRef<'_>> for PublicKey<C> {
    type Error = SpkiError;

    fn try_from(container: SubjectPublicKeyInfoRef<'_>) -> Result<Self, SpkiError> {
        VerifyingKey::<C>::try_from(container).map(Self::from)
    }
}

impl<C: EcdsaCurve> EncodePublicKey for PublicKey<C> {
    fn to_public_key_der(&self) -> Result<Document, SpkiError> {
        VerifyingKey::<C>::from(self).to_public_key_der()
    }
}

impl<C: EcdsaCurve> AssociatedAlgorithmIdentifier for SecretKey<C> {
    type Params = ObjectIdentifier;

    const ALGORITHM_IDENTIFIER: AlgorithmIdentifier<ObjectIdentifier> =
        SigningKey::<C>::ALGORITHM_IDENTIFIER;
}

impl<C: EcdsaCurve> AssociatedAlgorithmIdentifier for PublicKey<C> {
    type Params = ObjectIdentifier;

    const ALGORITHM_IDENTIFIER: AlgorithmIdentifier<ObjectIdentifier> =
        SigningKey::<C>::ALGORITHM_IDENTIFIER;
}

/// PKCS#8 in PEM.
#[cfg(feature = "pem")]
impl<C: EcdsaCurve> FromStr for SecretKey<C> {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        SigningKey::<C>::from_private_key_pem(text).map(Self::from)
    }
}

/// SubjectPublicKeyInfo in PEM, which `FromStr` reads.
#[cfg(feature = "pem")]
impl<C: EcdsaCurve> core::fmt::Display for PublicKey<C> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let key = VerifyingKey::<C>::from(self);
        f.write_str(&key.to_spki_pem().map_err(|_| core::fmt::Error)?)
    }
}

/// SubjectPublicKeyInfo in PEM.
#[cfg(feature = "pem")]
impl<C: EcdsaCurve> FromStr for PublicKey<C> {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        VerifyingKey::<C>::from_spki_pem(text).map(Self::from)
    }
}
