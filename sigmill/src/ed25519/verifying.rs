//! Public keys: parsing, verifying under a named rule, and the forms of a key.
//!
//! Public data only: time depends on it.

use super::bytes::{SignatureError, exactly};
use super::rules::{self, Facts, Order, PointFacts};
use super::variant::{ContextString, MessageHash, Variant, challenge_hash};
use super::verify::{decode, facts_of_vartime, verify_decoded, verify_prepared};
use super::{MultipartVerifier, Rule, Signature, Verifier};
use crate::curve::edwards::Extended;
use crate::curve::edwards::half_size::Decoded;
use crate::curve::edwards::straus::PreparedPoint;
use crate::encoding::hex;
use crate::error::{Error, Verdict};
use crate::field::f25519::Fe;
use crate::impls::{compared_by, from_slice};
use crate::scalar::l25519::Scalar;
use core::fmt;
use core::str::FromStr;

/// A public key whose bytes decode to a point of the curve, with that point and its facts.
///
/// Whether the key's encoding is canonical or its order small is a fact, not an error: rules differ
/// about it. There is no default key: the neutral point, under which anybody can sign, must be asked
/// for by its bytes.
///
/// ```
/// use sigmill::Reason;
/// use sigmill::ed25519::{Signer, SigningKey, Variant, Verifier, VerifyingKey, rules};
///
/// # let secret = SigningKey::from_bytes(&[7; 32]);
/// # let (bytes, signature) = (secret.verifying_key().to_bytes(), secret.sign(b"hello"));
/// let key = VerifyingKey::decode(&bytes)?;
/// assert!(key.verify(b"hello", &signature).is_ok()); // rule common
/// let verdict = key.verify_with(&rules::RFC8032, Variant::Pure, b"hullo", &signature);
/// assert_eq!(verdict.ok(), Err(Reason::Equation));
/// # Ok::<(), sigmill::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct VerifyingKey {
    pub(super) bytes: [u8; 32],
    pub(super) facts: PointFacts<bool>,
    pub(super) a: Decoded,
}

impl VerifyingKey {
    /// Decodes a public key. Time depends on the bytes.
    ///
    /// # Errors
    /// If no point has this encoding; [`VerifyingKey::decode`] gives the reason without an
    /// allocation.
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<Self, SignatureError> {
        Ok(Self::decode(bytes)?)
    }

    /// Decodes a public key of any length. Time depends on the bytes.
    ///
    /// # Errors
    /// [`Error::Length`] unless there are 32 bytes, [`Error::NotAPoint`] if no point has this
    /// encoding.
    pub fn decode(bytes: &[u8]) -> Result<Self, Error> {
        let bytes = exactly("public key", bytes)?;
        let [a] = decode([bytes]);
        if !a.decoding.decodes {
            return Err(Error::NotAPoint);
        }
        let facts = facts_of_vartime(&a, Order::RejectSmall);
        Ok(VerifyingKey { bytes: *bytes, facts, a })
    }

    /// The public key of a multiple of B with Z = 1, and its encoding. `zero` says that the multiple
    /// is 0: no other one has small order.
    pub(super) fn from_multiple(point: &Extended<Fe>, bytes: [u8; 32], zero: bool) -> Self {
        let (decodes, canonical, small) = (true, true, zero);
        let facts = PointFacts { decodes, canonical, small };
        VerifyingKey { bytes, facts, a: Decoded::from_point(point) }
    }

    /// The 32 bytes as they came.
    pub const fn to_bytes(&self) -> [u8; 32] {
        self.bytes
    }

    /// The 32 bytes as they came.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.bytes
    }

    /// Whether the key has order 1, 2, 4 or 8: anybody can make signatures under it that some rules
    /// accept for almost any message.
    pub const fn is_weak(&self) -> bool {
        self.facts.small
    }

    /// Whether the bytes are the canonical encoding of the point.
    pub const fn is_canonical(&self) -> bool {
        self.facts.canonical
    }

    /// Whether a rule accepts this key at all, whatever the signature. Some keys can be told from
    /// others only here: nobody can make signatures for them.
    pub fn check(&self, rule: &Rule) -> Verdict {
        let facts = Facts {
            a_decodes: self.facts.decodes,
            a_canonical: self.facts.canonical,
            a_small: self.facts.small,
            ..Facts::FAULTLESS
        };
        rules::verdict(&rules::decide(rule, &facts))
    }

    /// The u-coordinate of the point on the Montgomery curve, the X25519 public key that belongs to
    /// this Ed25519 key: (1 + y)/(1 − y), and 0 for the neutral point (RFC 7748 section 4.1).
    pub fn to_montgomery(&self) -> MontgomeryPoint {
        MontgomeryPoint(self.a.extended::<Fe>(()).projective().montgomery_u())
    }

    /// Verifies a pure Ed25519 signature under the rule `strict`, which refuses keys and R of small
    /// order. Time depends on the inputs.
    ///
    /// # Errors
    /// The [`crate::Reason`] why the rule refuses, as the error's source.
    pub fn verify_strict(
        &self,
        message: &[u8],
        signature: &Signature,
    ) -> Result<(), SignatureError> {
        Ok(self.verify_with(&rules::STRICT, Variant::Pure, message, signature).ok()?)
    }

    /// Verifies under a named rule. Time depends on the inputs.
    pub fn verify_with(
        &self,
        rule: &Rule,
        variant: Variant<'_>,
        message: &[u8],
        signature: &Signature,
    ) -> Verdict {
        self.verify_parts(rule, variant, &[message], signature)
    }

    /// Verifies an Ed25519ph signature, given SHA-512 of the message, under a named rule. Time
    /// depends on the inputs.
    pub fn verify_prehashed_with(
        &self,
        rule: &Rule,
        context: ContextString<'_>,
        digest: &[u8; 64],
        signature: &Signature,
    ) -> Verdict {
        let hash = self.challenge_hash(Variant::Ph(context), signature);
        self.verify_hashed(rule, hash.fed_with_digest(digest).finish(), signature)
    }

    fn verify_parts(
        &self,
        rule: &Rule,
        variant: Variant<'_>,
        message: &[&[u8]],
        signature: &Signature,
    ) -> Verdict {
        let mut hash = self.challenge_hash(variant, signature);
        message.iter().for_each(|part| hash.update(part));
        self.verify_hashed(rule, hash.finish(), signature)
    }

    pub(super) fn challenge_hash(
        &self,
        variant: Variant<'_>,
        signature: &Signature,
    ) -> MessageHash {
        challenge_hash(variant, signature.r_bytes(), &self.bytes)
    }

    pub(super) fn verify_hashed(
        &self,
        rule: &Rule,
        digest: [u8; 64],
        signature: &Signature,
    ) -> Verdict {
        let k = Scalar::reduce_wide(&digest);
        verify_decoded(rule, &self.a, self.facts, &k, parts(signature))
    }
}

/// R and S.
fn parts(signature: &Signature) -> [&[u8; 32]; 2] {
    [signature.r_bytes(), signature.s_bytes()]
}

/// A public key with tables of its multiples (6.4 KiB): verification with it needs a quarter of the
/// doublings. Making one costs a little more than one verification; it pays from the third on.
///
/// ```
/// use sigmill::ed25519::{PreparedKey, Signer, SigningKey, Variant, rules};
///
/// let secret = SigningKey::from_bytes(&[7; 32]);
/// let key = PreparedKey::new(&secret.verifying_key());
/// for message in [b"one", b"two"] {
///     let signature = secret.sign(message);
///     assert!(key.verify_with(&rules::COMMON, Variant::Pure, message, &signature).is_valid());
/// }
/// ```
#[derive(Clone)]
pub struct PreparedKey {
    key: VerifyingKey,
    multiples: PreparedPoint,
}

impl PreparedKey {
    /// Computes the tables. Time depends on the key.
    pub fn new(key: &VerifyingKey) -> Self {
        let mut prepared = PreparedKey::place_for(key);
        prepared.replace(key);
        prepared
    }

    /// A key whose tables are still to be made, by [`PreparedKey::replace`].
    #[inline(always)]
    pub(crate) fn place_for(key: &VerifyingKey) -> Self {
        PreparedKey { key: *key, multiples: PreparedPoint::EMPTY }
    }

    /// Puts another key in this one's place: what [`PreparedKey::new`] gives, made where it is to be, which needs
    /// 10 KiB of stack and not 24.
    pub fn replace(&mut self, key: &VerifyingKey) {
        self.key = *key;
        self.multiples.fill(&key.a.extended::<Fe>(()).neg());
    }

    /// Multiples of −A.
    pub(crate) fn multiples(&self) -> &PreparedPoint {
        &self.multiples
    }

    /// The key without its tables.
    pub const fn verifying_key(&self) -> &VerifyingKey {
        &self.key
    }

    /// Verifies under a named rule; the verdict is that of [`VerifyingKey::verify_with`]. Time
    /// depends on the inputs.
    pub fn verify_with(
        &self,
        rule: &Rule,
        variant: Variant<'_>,
        message: &[u8],
        signature: &Signature,
    ) -> Verdict {
        let mut hash = self.key.challenge_hash(variant, signature);
        hash.update(message);
        self.verify_hashed(rule, hash.finish(), signature)
    }

    /// Verifies an Ed25519ph signature, given SHA-512 of the message, under a named rule; the verdict is
    /// that of [`VerifyingKey::verify_prehashed_with`]. Time depends on the inputs.
    pub fn verify_prehashed_with(
        &self,
        rule: &Rule,
        context: ContextString<'_>,
        digest: &[u8; 64],
        signature: &Signature,
    ) -> Verdict {
        let hash = self.key.challenge_hash(Variant::Ph(context), signature);
        self.verify_hashed(rule, hash.fed_with_digest(digest).finish(), signature)
    }

    fn verify_hashed(&self, rule: &Rule, digest: [u8; 64], signature: &Signature) -> Verdict {
        let k = Scalar::reduce_wide(&digest);
        verify_prepared(rule, self.key.facts, &self.multiples, &k, parts(signature))
    }

    /// [`super::verify_bytes`] for this key: a signature of another length is refused. Time depends on the
    /// inputs.
    pub fn verify_bytes(
        &self,
        rule: &Rule,
        variant: Variant<'_>,
        message: &[u8],
        signature: &[u8],
    ) -> Verdict {
        match rules::of_lengths(Some(self), signature.try_into().ok()) {
            Ok((key, signature)) => {
                key.verify_with(rule, variant, message, &Signature::from_bytes(signature))
            }
            Err(refused) => refused,
        }
    }

    /// [`super::verify_prehashed_bytes`] for this key. Time depends on the inputs.
    pub fn verify_prehashed_bytes(
        &self,
        rule: &Rule,
        context: ContextString<'_>,
        digest: &[u8],
        signature: &[u8],
    ) -> Verdict {
        let lengths = rules::of_lengths(Some(self), signature.try_into().ok());
        let digest = || rules::of_digest_length(digest.try_into().ok());
        match lengths.and_then(|(key, signature)| Ok((key, signature, digest()?))) {
            Ok((key, signature, digest)) => {
                let signature = Signature::from_bytes(signature);
                key.verify_prehashed_with(rule, context, digest, &signature)
            }
            Err(refused) => refused,
        }
    }
}

/// The u-coordinate of a point of Curve25519: 32 bytes, little-endian, below p.
///
/// ```
/// use sigmill::{ed25519::SigningKey, x25519};
///
/// let key = SigningKey::from_bytes(&[7; 32]);
/// let public = x25519::PublicKey::from(key.verifying_key().to_montgomery());
/// assert_eq!(public, x25519::PublicKey::from(&x25519::StaticSecret::from(&key)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MontgomeryPoint(pub [u8; 32]);

impl MontgomeryPoint {
    /// The 32 bytes.
    pub const fn to_bytes(&self) -> [u8; 32] {
        self.0
    }

    /// The 32 bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// Pure Ed25519 under the rule `common`.
impl Verifier<Signature> for VerifyingKey {
    fn verify(&self, message: &[u8], signature: &Signature) -> Result<(), SignatureError> {
        self.multipart_verify(&[message], signature)
    }
}

/// Pure Ed25519 under the rule `common`, over a message in parts.
impl MultipartVerifier<Signature> for VerifyingKey {
    fn multipart_verify(
        &self,
        message: &[&[u8]],
        signature: &Signature,
    ) -> Result<(), SignatureError> {
        Ok(self.verify_parts(&rules::COMMON, Variant::Pure, message, signature).ok()?)
    }
}

/// Pure Ed25519 under the rule `common`.
impl Verifier<Signature> for PreparedKey {
    fn verify(&self, message: &[u8], signature: &Signature) -> Result<(), SignatureError> {
        Ok(self.verify_with(&rules::COMMON, Variant::Pure, message, signature).ok()?)
    }
}

compared_by!([] VerifyingKey, as_bytes);
from_slice!([] VerifyingKey, decode, SignatureError);

impl FromStr for VerifyingKey {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Self::decode(&hex::read_array::<32>("public key", text)?)
    }
}

impl AsRef<[u8]> for VerifyingKey {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl fmt::Display for VerifyingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hex::write(&self.bytes, f)
    }
}

impl fmt::Debug for VerifyingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VerifyingKey({self})")
    }
}

impl fmt::Debug for PreparedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PreparedKey({})", self.key)
    }
}

impl From<&VerifyingKey> for PreparedKey {
    fn from(key: &VerifyingKey) -> Self {
        Self::new(key)
    }
}
