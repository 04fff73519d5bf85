//! The traits of the `pkcs8` crate for our keys, as `ed25519-dalek` has them, so that generic code
//! reads and writes them: private keys are written as version 2, with the public key.
//!
//! Containers are parsed by the `pkcs8` and `ed25519` crates here, which know one way of tagging the
//! public key; [`SigningKey::from_private_key_der`] knows both and names the fault.
//!
//! Secrets: a public key beside a secret one is compared with the derived one in constant time.

use crate::ed25519::pkcs8::spki::der::AnyRef;
use crate::ed25519::pkcs8::spki::{
    self, AlgorithmIdentifier, AssociatedAlgorithmIdentifier, SignatureAlgorithmIdentifier,
    SubjectPublicKeyInfoRef,
};
use crate::ed25519::pkcs8::{EncodePrivateKey, EncodePublicKey, KeypairBytes, PublicKeyBytes};
use crate::ed25519::{Signature, SigningKey, VerifyingKey};
use crate::impls::by_value;
use ::pkcs8::{Document, KeyError, PrivateKeyInfoRef, SecretDocument};
use zeroize::Zeroizing;

impl EncodePrivateKey for SigningKey {
    fn to_pkcs8_der(&self) -> ::pkcs8::Result<SecretDocument> {
        KeypairBytes::from(self).to_pkcs8_der()
    }
}

impl From<&SigningKey> for KeypairBytes {
    fn from(key: &SigningKey) -> Self {
        let public_key = Some(PublicKeyBytes(key.verifying_key().to_bytes()));
        KeypairBytes { secret_key: key.to_bytes(), public_key }
    }
}

by_value!([] SigningKey => KeypairBytes);

/// Fails if there is a public key that does not belong to the secret one.
impl TryFrom<&KeypairBytes> for SigningKey {
    type Error = ::pkcs8::Error;

    fn try_from(pair: &KeypairBytes) -> ::pkcs8::Result<Self> {
        match pair.to_bytes() {
            None => Ok(Self::from_bytes(&pair.secret_key)),
            Some(bytes) => Self::checked_pair(&Zeroizing::new(bytes))
                .map_err(|_| ::pkcs8::Error::KeyMalformed(KeyError::Invalid)),
        }
    }
}

by_value!([] KeypairBytes => SigningKey, ::pkcs8::Error, ::pkcs8::Result<Self>);

/// Gives `DecodePrivateKey`.
impl TryFrom<PrivateKeyInfoRef<'_>> for SigningKey {
    type Error = ::pkcs8::Error;

    fn try_from(container: PrivateKeyInfoRef<'_>) -> ::pkcs8::Result<Self> {
        let has_public_key = container.public_key.is_some();
        let pair = KeypairBytes::try_from(container)?;
        // the conversion overlooks a public key that is not a whole number of bytes
        if has_public_key && pair.public_key.is_none() {
            return Err(::pkcs8::Error::KeyMalformed(KeyError::Invalid));
        }
        Self::try_from(&pair)
    }
}

impl SignatureAlgorithmIdentifier for SigningKey {
    type Params = AnyRef<'static>;

    const SIGNATURE_ALGORITHM_IDENTIFIER: AlgorithmIdentifier<Self::Params> =
        Signature::ALGORITHM_IDENTIFIER;
}

impl EncodePublicKey for VerifyingKey {
    fn to_public_key_der(&self) -> spki::Result<Document> {
        PublicKeyBytes::from(self).to_public_key_der()
    }
}

impl From<&VerifyingKey> for PublicKeyBytes {
    fn from(key: &VerifyingKey) -> Self {
        PublicKeyBytes(key.to_bytes())
    }
}

by_value!([] VerifyingKey => PublicKeyBytes);

/// Fails if the bytes are not a point.
impl TryFrom<&PublicKeyBytes> for VerifyingKey {
    type Error = spki::Error;

    fn try_from(key: &PublicKeyBytes) -> spki::Result<Self> {
        Self::decode(key.as_ref()).map_err(|_| spki::Error::KeyMalformed)
    }
}

by_value!([] PublicKeyBytes => VerifyingKey, spki::Error, spki::Result<Self>);

/// Gives `DecodePublicKey`.
impl TryFrom<SubjectPublicKeyInfoRef<'_>> for VerifyingKey {
    type Error = spki::Error;

    fn try_from(container: SubjectPublicKeyInfoRef<'_>) -> spki::Result<Self> {
        Self::try_from(&PublicKeyBytes::try_from(container)?)
    }
}

impl SignatureAlgorithmIdentifier for VerifyingKey {
    type Params = AnyRef<'static>;

    const SIGNATURE_ALGORITHM_IDENTIFIER: AlgorithmIdentifier<Self::Params> =
        Signature::ALGORITHM_IDENTIFIER;
}
