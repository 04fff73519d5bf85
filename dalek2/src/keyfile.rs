//! The traits of `pkcs8` 0.10. Containers are read and written by the `pkcs8` and `ed25519` crates: private
//! keys as PKCS#8 version 2, with the public key.
//!
//! Secrets: a public key beside a secret one is compared with the derived one in constant time.

use crate::pkcs8::spki::{self, SubjectPublicKeyInfoRef};
use crate::pkcs8::{Error, KeypairBytes, PrivateKeyInfo, PublicKeyBytes, Result};
use crate::{SigningKey, VerifyingKey};
use zeroize::Zeroizing;

impl From<&SigningKey> for KeypairBytes {
    fn from(key: &SigningKey) -> Self {
        let public_key = Some(PublicKeyBytes(key.verifying_key().to_bytes()));
        KeypairBytes { secret_key: key.to_bytes(), public_key }
    }
}

impl From<SigningKey> for KeypairBytes {
    fn from(key: SigningKey) -> Self {
        Self::from(&key)
    }
}

/// Fails if there is a public key that does not belong to the secret one.
impl TryFrom<&KeypairBytes> for SigningKey {
    type Error = Error;

    fn try_from(pair: &KeypairBytes) -> Result<Self> {
        match pair.to_bytes().map(Zeroizing::new) {
            None => Ok(Self::from_bytes(&pair.secret_key)),
            Some(bytes) => Self::from_keypair_bytes(&bytes).map_err(|_| Error::KeyMalformed),
        }
    }
}

impl TryFrom<KeypairBytes> for SigningKey {
    type Error = Error;

    fn try_from(pair: KeypairBytes) -> Result<Self> {
        Self::try_from(&pair)
    }
}

/// Gives `DecodePrivateKey`.
impl TryFrom<PrivateKeyInfo<'_>> for SigningKey {
    type Error = Error;

    fn try_from(container: PrivateKeyInfo<'_>) -> Result<Self> {
        Self::try_from(&KeypairBytes::try_from(container)?)
    }
}

impl From<&VerifyingKey> for PublicKeyBytes {
    fn from(key: &VerifyingKey) -> Self {
        PublicKeyBytes(key.to_bytes())
    }
}

impl From<VerifyingKey> for PublicKeyBytes {
    fn from(key: VerifyingKey) -> Self {
        Self::from(&key)
    }
}

/// Fails if the bytes are not a point.
impl TryFrom<&PublicKeyBytes> for VerifyingKey {
    type Error = spki::Error;

    fn try_from(key: &PublicKeyBytes) -> spki::Result<Self> {
        Self::from_bytes(key.as_ref()).map_err(|_| spki::Error::KeyMalformed)
    }
}

impl TryFrom<PublicKeyBytes> for VerifyingKey {
    type Error = spki::Error;

    fn try_from(key: PublicKeyBytes) -> spki::Result<Self> {
        Self::try_from(&key)
    }
}

/// Gives `DecodePublicKey`.
impl TryFrom<SubjectPublicKeyInfoRef<'_>> for VerifyingKey {
    type Error = spki::Error;

    fn try_from(container: SubjectPublicKeyInfoRef<'_>) -> spki::Result<Self> {
        Self::try_from(&PublicKeyBytes::try_from(container)?)
    }
}

/// The functions that allocate.
#[cfg(feature = "alloc")]
mod written {
    use super::{KeypairBytes, PublicKeyBytes, Result, SigningKey, VerifyingKey, spki};
    use crate::pkcs8::{
        ALGORITHM_OID, Document, EncodePrivateKey, EncodePublicKey, SecretDocument,
    };
    use spki::{AlgorithmIdentifierOwned, DynSignatureAlgorithmIdentifier};

    const ALGORITHM: AlgorithmIdentifierOwned =
        AlgorithmIdentifierOwned { oid: ALGORITHM_OID, parameters: None };

    impl EncodePrivateKey for SigningKey {
        fn to_pkcs8_der(&self) -> Result<SecretDocument> {
            KeypairBytes::from(self).to_pkcs8_der()
        }
    }

    impl EncodePublicKey for VerifyingKey {
        fn to_public_key_der(&self) -> spki::Result<Document> {
            PublicKeyBytes::from(self).to_public_key_der()
        }
    }

    impl DynSignatureAlgorithmIdentifier for SigningKey {
        fn signature_algorithm_identifier(&self) -> spki::Result<AlgorithmIdentifierOwned> {
            Ok(ALGORITHM)
        }
    }

    impl DynSignatureAlgorithmIdentifier for VerifyingKey {
        fn signature_algorithm_identifier(&self) -> spki::Result<AlgorithmIdentifierOwned> {
            Ok(ALGORITHM)
        }
    }
}
