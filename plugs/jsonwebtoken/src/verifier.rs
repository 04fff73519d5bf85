//! Verification. Everything here is public: time depends on the inputs.

use crate::{OTHERS, bad_key, check_family, unsupported};
use jsonwebtoken::crypto::JwtVerifier;
use jsonwebtoken::errors::Result;
use jsonwebtoken::{Algorithm, DecodingKey};
use sigmill::Verdict;
use sigmill::ecdsa::{LowS, p256, p384};
use sigmill::ed25519::{self, Rule, Variant, rules};
use signature::{Error, Verifier};

/// The rule by which Ed25519 signatures are judged: `common`, that of jsonwebtoken's own providers. A program that
/// switches has the verdicts it had.
pub const ED25519_RULE: Rule = rules::COMMON;

/// RFC 7518 says nothing of a high s, and issuers make it.
const LOW_S: LowS = LowS::Any;

pub(crate) fn new(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>> {
    let algorithm = *algorithm;
    let bytes = || {
        check_family(algorithm, key.family())?;
        key.try_get_as_bytes()
    };
    let of = |why| bad_key(algorithm, "public", why);
    Ok(Box::new(match algorithm {
        Algorithm::EdDSA => Key::Ed25519(ed25519::VerifyingKey::decode(bytes()?).map_err(of)?),
        Algorithm::ES256 => Key::P256(p256::VerifyingKey::from_sec1_bytes(bytes()?).map_err(of)?),
        Algorithm::ES384 => Key::P384(p384::VerifyingKey::from_sec1_bytes(bytes()?).map_err(of)?),
        _ => match OTHERS {
            Some(others) => return (others.verifier_factory)(&algorithm, key),
            None => return Err(unsupported(algorithm)),
        },
    }))
}

enum Key {
    Ed25519(ed25519::VerifyingKey),
    P256(p256::VerifyingKey),
    P384(p384::VerifyingKey),
}

impl Key {
    fn verdict(&self, message: &[u8], signature: &[u8]) -> std::result::Result<Verdict, Error> {
        Ok(match self {
            Key::Ed25519(key) => {
                let signature = ed25519::Signature::from_slice(signature)?;
                key.verify_with(&ED25519_RULE, Variant::Pure, message, &signature)
            }
            Key::P256(key) => {
                let signature =
                    p256::Signature::from_slice(signature).map_err(Error::from_source)?;
                key.verify_with(LOW_S, message, &signature)
            }
            Key::P384(key) => {
                let signature =
                    p384::Signature::from_slice(signature).map_err(Error::from_source)?;
                key.verify_with(LOW_S, message, &signature)
            }
        })
    }
}

impl Verifier<Vec<u8>> for Key {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> std::result::Result<(), Error> {
        self.verdict(message, signature)?.ok().map_err(Error::from_source)
    }
}

impl JwtVerifier for Key {
    fn algorithm(&self) -> Algorithm {
        match self {
            Key::Ed25519(_) => Algorithm::EdDSA,
            Key::P256(_) => Algorithm::ES256,
            Key::P384(_) => Algorithm::ES384,
        }
    }
}
