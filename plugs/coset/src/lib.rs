//! COSE_Sign1 by [coset], signed and verified by [sigmill].
//!
//! coset leaves cryptography to closures. [`sign`] and [`verify`] are these closures with a check in front: the key
//! decides the algorithm, and `alg` in the protected header must be its own.
//!
//! | key | `alg` |
//! |---|---|
//! | Ed25519 | −8 (EdDSA) and −19 (Ed25519) |
//! | ECDSA on P-256, P-384 | −7 (ES256), −35 (ES384); −9 (ESP256), −51 (ESP384) |

use coset::iana::Algorithm;
use coset::{CoseSign1, CoseSign1Builder, HeaderBuilder, RegisteredLabelWithPrivate};
use sigmill::ecdsa::{self, p256, p384};
use sigmill::ed25519::{self, Rule, Signer, Variant, rules};
use sigmill::{Reason, Verdict};
use std::fmt;

/// The rule by which Ed25519 signatures are judged.
pub const ED25519_RULE: Rule = rules::COMMON;

/// The verifier's key.
#[derive(Clone, Debug)]
pub enum PublicKey {
    /// 32 bytes of Ed25519.
    Ed25519([u8; 32]),
    /// A point on P-256, as SEC 1 has it.
    P256(Vec<u8>),
    /// A point on P-384.
    P384(Vec<u8>),
}

/// The signer's key. It is wiped when it is dropped.
pub enum SecretKey {
    /// Ed25519.
    Ed25519(ed25519::SigningKey),
    /// ECDSA on P-256.
    P256(p256::SigningKey),
    /// ECDSA on P-384.
    P384(p384::SigningKey),
}

/// Why a message is refused.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    /// `alg` in the protected header is missing or does not fit the key.
    Alg {
        /// The algorithm of the header.
        found: Option<RegisteredLabelWithPrivate<Algorithm>>,
        /// Those of the key.
        expected: [Algorithm; 2],
    },
    /// The payload is detached; coset has another call for it.
    Detached,
    /// The signature is not valid.
    Signature(Reason),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Alg { found: None, expected: [one, other] } => {
                write!(f, "no alg in the protected header; the key is for {one:?} or {other:?}")
            }
            Refusal::Alg { found: Some(found), expected: [one, other] } => {
                write!(f, "alg is {found:?}; the key is for {one:?} or {other:?}")
            }
            Refusal::Detached => f.write_str("the payload is detached"),
            Refusal::Signature(reason) => write!(f, "invalid signature: {reason}"),
        }
    }
}

impl std::error::Error for Refusal {}

impl PublicKey {
    const fn algorithms(&self) -> [Algorithm; 2] {
        match self {
            PublicKey::Ed25519(_) => [Algorithm::EdDSA, Algorithm::Ed25519],
            PublicKey::P256(_) => [Algorithm::ES256, Algorithm::ESP256],
            PublicKey::P384(_) => [Algorithm::ES384, Algorithm::ESP384],
        }
    }

    fn verdict(&self, message: &[u8], signature: &[u8]) -> Verdict {
        match self {
            PublicKey::Ed25519(key) => {
                ed25519::verify_bytes(&ED25519_RULE, Variant::Pure, key, message, signature)
            }
            PublicKey::P256(key) => ecdsa::Scheme::P256.verify(key, message, signature),
            PublicKey::P384(key) => ecdsa::Scheme::P384.verify(key, message, signature),
        }
    }
}

/// Verifies a message with its payload inside.
///
/// # Errors
/// Why it is refused. [`Refusal::Alg`] comes before the signature is looked at.
pub fn verify(message: &CoseSign1, aad: &[u8], key: &PublicKey) -> Result<(), Refusal> {
    let found = message.protected.header.alg.clone();
    let expected = key.algorithms();
    let fits = expected.iter().any(|alg| found == Some(RegisteredLabelWithPrivate::Assigned(*alg)));
    if !fits {
        return Err(Refusal::Alg { found, expected });
    }
    if message.payload.is_none() {
        return Err(Refusal::Detached);
    }
    message.verify_signature(aad, |signature, bytes| {
        key.verdict(bytes, signature).ok().map_err(Refusal::Signature)
    })
}

/// Signs a payload, which the message then holds.
pub fn sign(key: &SecretKey, payload: Vec<u8>, aad: &[u8]) -> CoseSign1 {
    let algorithm = match key {
        SecretKey::Ed25519(_) => Algorithm::EdDSA,
        SecretKey::P256(_) => Algorithm::ES256,
        SecretKey::P384(_) => Algorithm::ES384,
    };
    CoseSign1Builder::new()
        .protected(HeaderBuilder::new().algorithm(algorithm).build())
        .payload(payload)
        .create_signature(aad, |bytes| match key {
            SecretKey::Ed25519(key) => key.sign(bytes).to_bytes().to_vec(),
            SecretKey::P256(key) => key.sign_message(bytes).to_bytes().to_vec(),
            SecretKey::P384(key) => key.sign_message(bytes).to_bytes().to_vec(),
        })
        .build()
}
