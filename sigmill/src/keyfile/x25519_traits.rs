//! The traits of the `pkcs8` crate for X25519 keys, whose errors say less than those of the functions in `x25519`.
//!
//! Secrets: memory with a private key is wiped; a public key beside a secret one is not believed but compared with
//! the derived one.

use super::x25519::{X25519, checked};
use super::{key_bytes, pkcs8 as container};
use crate::error::KeyFormatError;
use crate::x25519::{PublicKey, StaticSecret};
use ::pkcs8::spki::{self, SubjectPublicKeyInfoRef};
use ::pkcs8::{
    Document, EncodePrivateKey, EncodePublicKey, Error, KeyError, PrivateKeyInfoRef, SecretDocument,
};

/// Gives `DecodePrivateKey`.
impl TryFrom<PrivateKeyInfoRef<'_>> for StaticSecret {
    type Error = Error;

    fn try_from(found: PrivateKeyInfoRef<'_>) -> ::pkcs8::Result<Self> {
        let invalid = |_| Error::KeyMalformed(KeyError::Invalid);
        found.algorithm.assert_algorithm_oid(X25519.algorithm.oid)?;
        X25519.check(found.algorithm).map_err(invalid)?;
        let secret = container::parse_octet_string(found.private_key.as_bytes());
        let secret = secret.and_then(key_bytes).map_err(invalid)?;
        let public_key = match found.public_key {
            None => None,
            Some(bits) => {
                let bytes = bits.as_bytes().ok_or(KeyFormatError::Der);
                Some(bytes.and_then(key_bytes).map_err(invalid)?)
            }
        };
        checked(secret, public_key).map_err(|_| Error::KeyMalformed(KeyError::Invalid))
    }
}

impl EncodePrivateKey for StaticSecret {
    fn to_pkcs8_der(&self) -> ::pkcs8::Result<SecretDocument> {
        let der = self.to_private_key_der();
        let der = der.map_err(|_| Error::KeyMalformed(KeyError::Invalid))?;
        Ok(SecretDocument::try_from(der.as_slice())?)
    }
}

/// Gives `DecodePublicKey`.
impl TryFrom<SubjectPublicKeyInfoRef<'_>> for PublicKey {
    type Error = spki::Error;

    fn try_from(found: SubjectPublicKeyInfoRef<'_>) -> spki::Result<Self> {
        found.algorithm.assert_algorithm_oid(X25519.algorithm.oid)?;
        X25519.check(found.algorithm).map_err(|_| spki::Error::KeyMalformed)?;
        let bytes = found.subject_public_key.as_bytes().ok_or(spki::Error::KeyMalformed)?;
        key_bytes(bytes).map(|key| PublicKey::from(*key)).map_err(|_| spki::Error::KeyMalformed)
    }
}

impl EncodePublicKey for PublicKey {
    fn to_public_key_der(&self) -> spki::Result<Document> {
        let der = self.to_spki_der().map_err(|_| spki::Error::KeyMalformed)?;
        Ok(Document::try_from(der.as_slice())?)
    }
}
