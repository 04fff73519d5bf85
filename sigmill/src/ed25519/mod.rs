//! Ed25519 (RFC 8032): keys, signatures, signing, and verification under a named rule.
//!
//! ```
//! use sigmill::ed25519::{SigningKey, Variant, rules};
//!
//! let key = SigningKey::from_bytes(&[7; 32]);
//! let signature = key.sign(b"attack at dawn");
//! let public = key.verifying_key();
//! assert!(public.verify(b"attack at dawn", &signature).is_valid());
//! assert!(public.verify_with(&rules::ZIP215, Variant::Pure, b"attack at dawn", &signature).is_valid());
//! ```
//!
//! Every way of verifying, one at a time, with a prepared key, streaming or in bulk, gives the
//! verdict of the rule that was named.
//!
//! Reach: everything but `bulk` and `keyfile`.

mod explain;
mod hex;
pub mod rules;
mod sign;
mod stream;
mod variant;
mod verify;

#[cfg(test)]
#[path = "../tests/rules.rs"]
mod tests;

pub use explain::{Explanation, PointReport, ResidualReport};
pub use rules::Rule;
pub use stream::{SecondPass, StreamSigner, StreamVerifier};
pub use variant::{Context, Variant};

use crate::ct;
use crate::curve::edwards::Extended;
use crate::curve::mul::PreparedPoint;
use crate::error::{Error, Reason, Verdict};
use crate::field::f25519::Fe;
use crate::scalar::l25519::Scalar;
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::str::FromStr;
use rand_core::{CryptoRng, TryCryptoRng};
use sign::{Expanded, Nonce, challenge_hash};
use variant::MessageHash;
use verify::{PointFacts, decode_vartime};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Length of a secret key (RFC 8032's 32-byte private key, the seed), in bytes.
pub const SECRET_KEY_LENGTH: usize = 32;
/// Length of a public key, in bytes.
pub const PUBLIC_KEY_LENGTH: usize = 32;
/// Length of a secret key followed by its public key, in bytes.
pub const KEYPAIR_LENGTH: usize = 64;
/// Length of a signature, in bytes.
pub const SIGNATURE_LENGTH: usize = 64;

/// Takes bytes of one exact length.
fn exactly<'a, const N: usize>(what: &'static str, bytes: &'a [u8]) -> Result<&'a [u8; N], Error> {
    bytes.try_into().map_err(|_| Error::Length { what, expected: N, got: bytes.len() })
}

/// A signature as it came: 64 bytes, R followed by S. Nothing about them has been judged; the rule
/// that verifies it does that.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Signature([u8; 64]);

impl Signature {
    /// Takes 64 bytes.
    pub const fn from_bytes(bytes: &[u8; 64]) -> Self {
        Signature(*bytes)
    }

    /// The 64 bytes, R followed by S.
    pub const fn to_bytes(&self) -> [u8; 64] {
        self.0
    }
}

/// A public key whose bytes decode to a point of the curve, with that point and its facts.
///
/// Whether the key's encoding is canonical or its order small is a fact, not an error: rules differ
/// about it.
#[derive(Clone, Copy)]
pub struct VerifyingKey {
    bytes: [u8; 32],
    facts: PointFacts,
    minus_a: Extended<Fe>,
}

impl VerifyingKey {
    /// Decodes a public key. Time depends on the bytes.
    ///
    /// # Errors
    /// [`Error::NotAPoint`] if no point has this encoding.
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<Self, Error> {
        let (point, facts) = decode_vartime::<Fe>(bytes);
        if !facts.decodes {
            return Err(Error::NotAPoint);
        }
        Ok(VerifyingKey { bytes: *bytes, facts, minus_a: point.neg() })
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

    /// Whether a rule lets this key in at all, whatever the signature. Some keys can be told from
    /// others only here: nobody can make signatures for them.
    pub fn check(&self, rule: &Rule) -> Verdict {
        let facts = rules::Facts {
            a_decodes: self.facts.decodes,
            a_canonical: self.facts.canonical,
            a_small: self.facts.small,
            r_decodes: true,
            r_canonical: true,
            r_small: false,
            s_below_order: true,
            s_top_bits_clear: true,
            exact: true,
            cofactored: true,
        };
        rules::verdict(&rules::decide(rule, &facts))
    }

    /// Verifies a pure Ed25519 signature under the rule `common`. Time depends on the inputs.
    pub fn verify(&self, message: &[u8], signature: &Signature) -> Verdict {
        self.verify_with(&rules::COMMON, Variant::Pure, message, signature)
    }

    /// Verifies under a named rule. Time depends on the inputs.
    pub fn verify_with(
        &self,
        rule: &Rule,
        variant: Variant<'_>,
        message: &[u8],
        signature: &Signature,
    ) -> Verdict {
        let mut hash = self.challenge_hash(variant, signature);
        hash.update(message);
        self.verify_hashed(rule, hash.finish(), signature)
    }

    /// Verifies an Ed25519ph signature, given SHA-512 of the message, under a named rule. Time
    /// depends on the inputs.
    pub fn verify_prehashed_with(
        &self,
        rule: &Rule,
        context: Context<'_>,
        digest: &[u8; 64],
        signature: &Signature,
    ) -> Verdict {
        let hash = self.challenge_hash(Variant::Ph(context), signature);
        self.verify_hashed(rule, hash.fed_with_digest(digest).finish(), signature)
    }

    fn challenge_hash(&self, variant: Variant<'_>, signature: &Signature) -> MessageHash {
        challenge_hash(variant, verify::Halves::of(&signature.0).r, &self.bytes)
    }

    fn verify_hashed(&self, rule: &Rule, digest: [u8; 64], signature: &Signature) -> Verdict {
        let k = Scalar::reduce_wide(&digest);
        verify::verify(rule, self.facts, &self.minus_a, &k, &signature.0)
    }
}

/// Verifies a signature under a named rule, from bytes of any length: the verdict says what is
/// wrong with them. Time depends on the inputs.
pub fn verify_bytes(
    rule: &Rule,
    variant: Variant<'_>,
    key: &[u8],
    message: &[u8],
    signature: &[u8],
) -> Verdict {
    let Ok(key) = <&[u8; 32]>::try_from(key) else {
        return Verdict::Invalid(Reason::KeyLength);
    };
    let Ok(signature) = <&[u8; 64]>::try_from(signature) else {
        return Verdict::Invalid(Reason::SignatureLength);
    };
    match VerifyingKey::from_bytes(key) {
        Ok(key) => key.verify_with(rule, variant, message, &Signature(*signature)),
        Err(_) => Verdict::Invalid(Reason::KeyNotAPoint),
    }
}

/// A public key with tables of its multiples (about 5 KiB): verification with it needs half the
/// doublings. Making one costs about as much as one verification; it pays from the third or so.
#[derive(Clone)]
pub struct PreparedKey {
    key: VerifyingKey,
    multiples: PreparedPoint<Fe>,
}

impl PreparedKey {
    /// Computes the tables. Time depends on the key.
    pub fn new(key: &VerifyingKey) -> Self {
        PreparedKey { key: *key, multiples: PreparedPoint::new(&key.minus_a) }
    }

    /// The key without its tables.
    pub const fn verifying_key(&self) -> &VerifyingKey {
        &self.key
    }

    /// Verifies a pure Ed25519 signature under the rule `common`. Time depends on the inputs.
    pub fn verify(&self, message: &[u8], signature: &Signature) -> Verdict {
        self.verify_with(&rules::COMMON, Variant::Pure, message, signature)
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
        let k = Scalar::reduce_wide(&hash.finish());
        verify::verify(rule, self.key.facts, &self.multiples, &k, &signature.0)
    }
}

/// A secret key: the 32-byte seed of RFC 8032, with what is derived from it. Wiped when dropped.
///
/// Neither the type nor its `Debug` form shows a secret. Comparison is constant time.
#[derive(Clone)]
pub struct SigningKey {
    seed: [u8; 32],
    expanded: Expanded,
    verifying_key: VerifyingKey,
}

impl SigningKey {
    /// The key of a 32-byte seed. Every seed is a key. Constant time.
    pub fn from_bytes(seed: &[u8; 32]) -> Self {
        let expanded = Expanded::from_seed(seed);
        let (point, bytes) = expanded.public_key::<Fe>();
        ct::wipe_stack();
        let facts = PointFacts {
            decodes: true,
            canonical: true,
            small: point.projective().is_small().is_true_vartime(),
        };
        let verifying_key = VerifyingKey { bytes, facts, minus_a: point.neg() };
        SigningKey { seed: *seed, expanded, verifying_key }
    }

    /// The key of a 64-byte pair, seed followed by public key. The public key is derived again and
    /// compared in constant time.
    ///
    /// # Errors
    /// [`Error::KeyPairMismatch`] if the public half does not belong to the seed.
    pub fn from_keypair_bytes(bytes: &[u8; 64]) -> Result<Self, Error> {
        let halves = verify::Halves::of(bytes);
        let key = SigningKey::from_bytes(halves.r);
        let matches = ct::bytes_equal(halves.s, &key.verifying_key.bytes);
        if ct::declassify("keypair_matches", matches).is_true_vartime() {
            Ok(key)
        } else {
            Err(Error::KeyPairMismatch)
        }
    }

    /// A new key from a random source that cannot fail.
    pub fn generate<R: CryptoRng + ?Sized>(rng: &mut R) -> Self {
        match Self::try_generate(rng) {
            Ok(key) => key,
            Err(never) => match never {},
        }
    }

    /// A new key from a random source that may fail, such as the operating system's.
    ///
    /// # Errors
    /// The error of the source; no key is made.
    pub fn try_generate<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<Self, R::Error> {
        let mut seed = [0; 32];
        rng.try_fill_bytes(&mut seed)?;
        let key = Self::from_bytes(&seed);
        seed.zeroize();
        Ok(key)
    }

    /// The seed. The caller has to wipe the copy.
    pub const fn to_bytes(&self) -> [u8; 32] {
        self.seed
    }

    /// The seed followed by the public key. The caller has to wipe the copy.
    pub fn to_keypair_bytes(&self) -> [u8; 64] {
        let mut bytes = [0; 64];
        bytes[..32].copy_from_slice(&self.seed);
        bytes[32..].copy_from_slice(&self.verifying_key.bytes);
        bytes
    }

    /// The public key.
    pub const fn verifying_key(&self) -> VerifyingKey {
        self.verifying_key
    }

    /// Signs with pure Ed25519. Constant time but for the length of the message.
    pub fn sign(&self, message: &[u8]) -> Signature {
        self.sign_with(Variant::Pure, message)
    }

    /// Signs with the given variant. Constant time but for the lengths of message and context.
    pub fn sign_with(&self, variant: Variant<'_>, message: &[u8]) -> Signature {
        let signature = self.sign_hashing(variant, |mut hash| {
            hash.update(message);
            hash
        });
        ct::wipe_stack();
        signature
    }

    /// Signs with Ed25519ph, given SHA-512 of the message. Constant time.
    pub fn sign_prehashed_with(&self, context: Context<'_>, digest: &[u8; 64]) -> Signature {
        let signature =
            self.sign_hashing(Variant::Ph(context), |hash| hash.fed_with_digest(digest));
        ct::wipe_stack();
        signature
    }

    /// Both passes over the message: `feed` gives it to each of the two hashes. The caller wipes the
    /// stack, this function's frame included.
    #[inline(never)]
    fn sign_hashing(
        &self,
        variant: Variant<'_>,
        feed: impl Fn(MessageHash) -> MessageHash,
    ) -> Signature {
        let nonce = Nonce::new::<Fe>(feed(self.expanded.nonce_hash(variant)));
        let challenge = feed(nonce.challenge_hash(variant, &self.verifying_key.bytes));
        let k = Scalar::reduce_wide(&challenge.finish());
        Signature(self.expanded.finish(&nonce, &k))
    }
}

impl Drop for SigningKey {
    fn drop(&mut self) {
        self.seed.zeroize(); // `expanded` wipes itself
    }
}

impl ZeroizeOnDrop for SigningKey {}

impl PartialEq for SigningKey {
    fn eq(&self, other: &Self) -> bool {
        let equal = ct::bytes_equal(&self.seed, &other.seed);
        ct::declassify("keys_equal", equal).is_true_vartime()
    }
}

impl Eq for SigningKey {}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey(public {})", self.verifying_key)
    }
}

impl From<[u8; 32]> for SigningKey {
    fn from(seed: [u8; 32]) -> Self {
        Self::from_bytes(&seed)
    }
}

impl TryFrom<&[u8]> for SigningKey {
    type Error = Error;

    fn try_from(seed: &[u8]) -> Result<Self, Error> {
        exactly("secret key", seed).map(Self::from_bytes)
    }
}

impl From<&SigningKey> for VerifyingKey {
    fn from(key: &SigningKey) -> Self {
        key.verifying_key
    }
}

impl PartialEq for VerifyingKey {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for VerifyingKey {}

impl PartialOrd for VerifyingKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for VerifyingKey {
    fn cmp(&self, other: &Self) -> Ordering {
        self.bytes.cmp(&other.bytes)
    }
}

impl Hash for VerifyingKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.bytes.hash(state);
    }
}

impl TryFrom<&[u8]> for VerifyingKey {
    type Error = Error;

    fn try_from(bytes: &[u8]) -> Result<Self, Error> {
        Self::from_bytes(exactly("public key", bytes)?)
    }
}

impl FromStr for VerifyingKey {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Self::from_bytes(&hex::parse("public key", text)?)
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

impl From<[u8; 64]> for Signature {
    fn from(bytes: [u8; 64]) -> Self {
        Signature(bytes)
    }
}

impl TryFrom<&[u8]> for Signature {
    type Error = Error;

    fn try_from(bytes: &[u8]) -> Result<Self, Error> {
        exactly("signature", bytes).map(Self::from_bytes)
    }
}

impl FromStr for Signature {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        hex::parse("signature", text).map(Signature)
    }
}

impl AsRef<[u8]> for Signature {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hex::write(&self.0, f)
    }
}

impl fmt::Debug for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signature({self})")
    }
}
