//! A crypto provider for [sigstore-crypto](sigstore_crypto) and everything above it, `sigstore-verify` among them:
//! Ed25519 and ECDSA by [sigmill].
//!
//! ```
//! sigstore_crypto::install_default_provider(&sigmill_sigstore::PROVIDER).expect("none was installed before");
//! ```
//!
//! | what | by |
//! |---|---|
//! | verifying ECDSA on P-256 and P-384 with SHA-256 and SHA-384, Ed25519 | sigmill |
//! | keys that sign, made or from PKCS#8: ECDSA on P-256 and P-384, Ed25519 | sigmill |
//! | digests | sha2 |
//! | RSA, ML-DSA | refused, by name |
//!
//! The hosts are built with `default-features = false`, which leaves out aws-lc-rs. Chains of certificates with RSA keys,
//! as some timestamp authorities have them, are then refused.

mod pair;

use sha2::{Digest, Sha256, Sha384, Sha512};
use sigmill::Verdict;
use sigmill::ecdsa::{self, Curve, Encoding, LowS, Prehash};
use sigmill::ed25519::{self, Rule, Variant, rules};
use sigstore_crypto::{
    CryptoProvider, Error, HashContext, KeyAlgorithm, Result, SigningKeyPair, SigningScheme,
};
use sigstore_types::HashAlgorithm;

/// The provider.
pub static PROVIDER: Provider = Provider;

/// The rule by which Ed25519 signatures are judged: `common`, that of aws-lc-rs, the hosts' own provider.
pub const ED25519_RULE: Rule = rules::COMMON;

/// The type of [`PROVIDER`].
#[derive(Clone, Copy, Debug)]
pub struct Provider;

impl CryptoProvider for Provider {
    fn hash(&self, algorithm: HashAlgorithm) -> Result<Box<dyn HashContext>> {
        Ok(match algorithm {
            HashAlgorithm::Sha2256 => Box::new(Hash(Sha256::new())),
            HashAlgorithm::Sha2384 => Box::new(Hash(Sha384::new())),
            HashAlgorithm::Sha2512 => Box::new(Hash(Sha512::new())),
            other => return Err(unsupported(format_args!("{other}"))),
        })
    }

    fn verify_raw(
        &self,
        scheme: SigningScheme,
        key: &[u8],
        message: &[u8],
        signature: &[u8],
    ) -> Result<()> {
        if scheme == SigningScheme::Ed25519 {
            let verdict =
                ed25519::verify_bytes(&ED25519_RULE, Variant::Pure, key, message, signature);
            return judged(scheme, verdict);
        }
        let (curve, prehash) = ecdsa_of(scheme)?;
        judged(scheme, der(curve, prehash).verify(key, message, signature))
    }

    fn verify_prehashed(
        &self,
        scheme: SigningScheme,
        key: &[u8],
        digest: &[u8],
        signature: &[u8],
    ) -> Result<()> {
        let (curve, prehash) = ecdsa_of(scheme)?;
        let expected = if prehash == Prehash::Sha256 { 32 } else { 48 };
        if digest.len() != expected {
            let (name, len) = (scheme.name(), digest.len());
            return Err(Error::Verification(format!(
                "{name}: digest has {len} bytes, not {expected}"
            )));
        }
        judged(scheme, der(curve, Prehash::None).verify(key, digest, signature))
    }

    fn generate_key_pair(&self, algorithm: KeyAlgorithm) -> Result<Box<dyn SigningKeyPair>> {
        pair::generate(algorithm)
    }

    fn key_pair_from_pkcs8_der(&self, pkcs8: &[u8]) -> Result<Box<dyn SigningKeyPair>> {
        pair::read(pkcs8)
    }
}

struct Hash<D>(D);

impl<D: Digest + Send> HashContext for Hash<D> {
    fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }

    fn finalize(self: Box<Self>) -> Vec<u8> {
        self.0.finalize().to_vec()
    }
}

fn unsupported(name: impl std::fmt::Display) -> Error {
    Error::UnsupportedAlgorithm(format!(
        "{name}; sigmill has Ed25519, ECDSA on P-256 and P-384, and SHA-2"
    ))
}

fn ecdsa_of(scheme: SigningScheme) -> Result<(Curve, Prehash)> {
    Ok(match scheme {
        SigningScheme::EcdsaP256Sha256 => (Curve::P256, Prehash::Sha256),
        SigningScheme::EcdsaP256Sha384 => (Curve::P256, Prehash::Sha384),
        SigningScheme::EcdsaP384Sha256 => (Curve::P384, Prehash::Sha256),
        SigningScheme::EcdsaP384Sha384 => (Curve::P384, Prehash::Sha384),
        SigningScheme::Ed25519 => {
            return Err(unsupported("Ed25519 of a digest, where the message is needed"));
        }
        other => return Err(unsupported(other.name())),
    })
}

/// Signatures of sigstore are in DER, and their s may be high.
const fn der(curve: Curve, prehash: Prehash) -> ecdsa::Scheme {
    ecdsa::Scheme { curve, prehash, encoding: Encoding::Der, low_s: LowS::Any }
}

fn judged(scheme: SigningScheme, verdict: Verdict) -> Result<()> {
    verdict.ok().map_err(|why| Error::Verification(format!("{} signature: {why}", scheme.name())))
}
