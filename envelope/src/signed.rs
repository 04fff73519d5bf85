//! The content of an envelope in all forms: a scheme, the message as it was signed, and the signature. The library decides.

use crate::error::{Error, Refusal, Result};
use crate::key::Key;
use sigmill::Verdict;
use sigmill::bulk::{Algorithm, Spec};
use sigmill::ecdsa::{self, Encoding, LowS};
use sigmill::ed25519::{Rule, Variant, verify_bytes};
use std::borrow::Cow;

/// How a signature of an envelope is verified. All forms sign with pure Ed25519, over a digest where they hash first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scheme {
    /// Pure Ed25519 (RFC 8032).
    Ed25519,
    /// ECDSA on a curve, with its hash function and the encoding of r and s.
    Ecdsa(ecdsa::Scheme),
}

impl Scheme {
    /// That of an algorithm: ECDSA with the hash function of the curve's own size, any s, and this encoding.
    pub const fn of(algorithm: Algorithm, encoding: Encoding) -> Self {
        match algorithm.curve() {
            None => Scheme::Ed25519,
            Some(curve) => Scheme::Ecdsa(ecdsa::Scheme {
                curve,
                prehash: curve.own_hash(),
                encoding,
                low_s: LowS::Any,
            }),
        }
    }

    /// The algorithm.
    pub const fn algorithm(self) -> Algorithm {
        match self {
            Scheme::Ed25519 => Algorithm::Ed25519,
            Scheme::Ecdsa(scheme) => Algorithm::of_curve(scheme.curve),
        }
    }

    /// The encoding of r and s; of Ed25519 its only one, fixed.
    pub const fn encoding(self) -> Encoding {
        match self {
            Scheme::Ed25519 => Encoding::Fixed,
            Scheme::Ecdsa(scheme) => scheme.encoding,
        }
    }

    /// The spec of a row in the bulk engine. The rule is one for Ed25519.
    pub const fn spec(self, rule: &Rule) -> Spec<'static> {
        match self {
            Scheme::Ed25519 => Spec::ed25519(rule, Variant::Pure),
            Scheme::Ecdsa(scheme) => Spec::Ecdsa(scheme),
        }
    }
}

/// A signature with the message that it is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signed<'a> {
    /// How it is verified: by the type of the verifier's key, which what the envelope says must fit.
    pub scheme: Scheme,
    /// The bytes that were signed.
    pub message: Cow<'a, [u8]>,
    /// The signature: 64 bytes of Ed25519; of ECDSA r and s as the scheme encodes them.
    pub signature: Cow<'a, [u8]>,
}

impl Signed<'_> {
    /// The verdict under a rule, which is one for Ed25519. Time depends on the inputs, which are public.
    ///
    /// # Errors
    /// [`Refusal::AlgMismatch`]: the key is of another algorithm.
    pub fn verify(&self, key: &Key, rule: &Rule) -> Result<Verdict> {
        if key.algorithm() != self.scheme.algorithm() {
            let (got, wanted) = (self.scheme.algorithm().name(), key.algorithm().name());
            let detail = format!("the signature is one of {got}; the key is one of {wanted}");
            return Err(Error::new(Refusal::AlgMismatch, detail));
        }
        Ok(match self.scheme {
            Scheme::Ed25519 => {
                verify_bytes(rule, Variant::Pure, key.bytes(), &self.message, &self.signature)
            }
            Scheme::Ecdsa(scheme) => scheme.verify(key.bytes(), &self.message, &self.signature),
        })
    }
}
