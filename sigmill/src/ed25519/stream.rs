//! Messages of any size in constant memory: verifying in one pass, signing in two.

use super::rules::{self, Facts};
use super::sign::{Expanded, Nonce};
use super::variant::{MessageHash, Variant};
use super::{Rule, Signature, SignatureError, SigningKey, VerifyingKey};
use crate::ct;
use crate::error::{Error, Verdict};
use crate::hash::Sha512;
use crate::scalar::l25519::{Scalar, is_below_order};
use core::fmt;
use core::marker::PhantomData;

/// Verifies one signature over a message that comes in pieces. Time depends on the inputs.
///
/// ```
/// # use sigmill::ed25519::{Signer, SigningKey, StreamVerifier, Variant, rules};
/// let key = SigningKey::from_bytes(&[7; 32]);
/// let signature = key.sign(b"attack at dawn");
/// let mut verifier = StreamVerifier::new(&rules::COMMON, Variant::Pure, &key.verifying_key(), &signature);
/// verifier.update(b"attack ");
/// verifier.update(b"at dawn");
/// assert!(verifier.finish().is_valid());
/// ```
#[derive(Clone)]
pub struct StreamVerifier {
    rule: Rule,
    key: VerifyingKey,
    signature: Signature,
    hash: MessageHash,
}

impl VerifyingKey {
    /// Begins to verify a pure Ed25519 signature under the rule `common`, over a message that comes
    /// in pieces.
    ///
    /// # Errors
    /// If S is not below ℓ: no message can make the signature valid.
    pub fn verify_stream(&self, signature: &Signature) -> Result<StreamVerifier, SignatureError> {
        let rule = &rules::COMMON;
        let s_below_order = is_below_order(signature.s_bytes()).is_true_vartime();
        let facts = Facts { s_below_order, ..Facts::FAULTLESS };
        rules::verdict(&rules::decide(rule, &facts)).ok()?;
        Ok(StreamVerifier::new(rule, Variant::Pure, self, signature))
    }
}

impl SigningKey {
    /// [`VerifyingKey::verify_stream`] of the public key.
    ///
    /// # Errors
    /// If S is not below ℓ.
    pub fn verify_stream(&self, signature: &Signature) -> Result<StreamVerifier, SignatureError> {
        self.verifying_key.verify_stream(signature)
    }
}

impl StreamVerifier {
    /// Begins with everything but the message.
    pub fn new(
        rule: &Rule,
        variant: Variant<'_>,
        key: &VerifyingKey,
        signature: &Signature,
    ) -> Self {
        let hash = key.challenge_hash(variant, signature);
        StreamVerifier { rule: *rule, key: *key, signature: *signature, hash }
    }

    /// Begins with a key and a signature of any length, as [`super::verify_bytes`] takes them.
    ///
    /// # Errors
    /// The verdict, if it does not depend on the message: a length is wrong, or the key is not a point.
    pub fn from_bytes(
        rule: &Rule,
        variant: Variant<'_>,
        key: &[u8],
        signature: &[u8],
    ) -> Result<Self, Verdict> {
        let (key, signature): (&[u8; 32], &[u8; 64]) =
            rules::of_lengths(key.try_into().ok(), signature.try_into().ok())?;
        let key = VerifyingKey::decode(key).map_err(|_| rules::without_key(rule))?;
        Ok(Self::new(rule, variant, &key, &Signature::from_bytes(signature)))
    }

    /// Takes the next piece of the message.
    pub fn update(&mut self, piece: impl AsRef<[u8]>) {
        self.hash.update(piece.as_ref());
    }

    /// The verdict on the message so far.
    pub fn finish(self) -> Verdict {
        self.key.verify_hashed(&self.rule, self.hash.finish(), &self.signature)
    }

    /// [`StreamVerifier::finish`] as a result.
    ///
    /// # Errors
    /// The reason why the rule refuses, as the error's source.
    pub fn finalize_and_verify(self) -> Result<(), SignatureError> {
        Ok(self.finish().ok()?)
    }
}

impl fmt::Debug for StreamVerifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StreamVerifier({}, {})", self.rule, self.key)
    }
}

/// The first of two passes over a message to be signed: derives the nonce.
///
/// RFC 8032 signs a message by reading it twice. Each pass also takes SHA-512 of the message alone,
/// and [`SecondPass::finish`] refuses if the two differ: two signatures of different messages under
/// one nonce would give the key away. Constant time but for the length of the message.
///
/// ```
/// # use sigmill::ed25519::{Signer, SigningKey, StreamSigner, Variant};
/// let key = SigningKey::from_bytes(&[7; 32]);
/// let mut first = StreamSigner::new(&key, Variant::Pure);
/// first.update(b"attack at dawn");
/// let mut second = first.second_pass();
/// second.update(b"attack at dawn");
/// assert_eq!(second.finish(), Ok(key.sign(b"attack at dawn")));
/// ```
pub struct StreamSigner<'a> {
    public_key: VerifyingKey,
    secrets: Expanded,
    /// dom alone: a context is hashed once, and is the same in both passes whatever its memory holds later.
    dom: MessageHash,
    nonce_hash: MessageHash,
    message: Sha512,
    key: PhantomData<&'a SigningKey>,
}

impl<'a> StreamSigner<'a> {
    /// Begins the first pass.
    pub fn new(key: &'a SigningKey, variant: Variant<'_>) -> Self {
        Self::with(key, key.expanded.clone(), variant)
    }

    /// Begins the first pass with 32 random bytes in the nonce ([`SigningKey::sign_hedged`]).
    pub fn hedged(key: &'a SigningKey, variant: Variant<'_>, noise: &[u8; 32]) -> Self {
        let signer = Self::with(key, key.expanded.hedged(noise), variant);
        ct::wipe_stack(ct::StackUse::Curve25519);
        signer
    }

    fn with(key: &'a SigningKey, secrets: Expanded, variant: Variant<'_>) -> Self {
        let dom = MessageHash::new(variant, &[]);
        StreamSigner {
            public_key: key.verifying_key,
            nonce_hash: dom.clone().with_prefix(&[&secrets.prefix]),
            secrets,
            dom,
            message: Sha512::new(),
            key: PhantomData,
        }
    }

    /// Takes the next piece of the message.
    pub fn update(&mut self, piece: &[u8]) {
        self.nonce_hash.update(piece);
        self.message.update(piece);
    }

    /// Ends the first pass and begins the second.
    pub fn second_pass(self) -> SecondPass<'a> {
        let nonce = Nonce::new(self.nonce_hash);
        let challenge_hash = self.dom.with_prefix(&[nonce.r_encoded(), &self.public_key.bytes]);
        ct::wipe_stack(ct::StackUse::Curve25519);
        SecondPass {
            public_key: self.public_key,
            secrets: self.secrets,
            nonce,
            challenge_hash,
            first: self.message.finish(),
            message: Sha512::new(),
            key: PhantomData,
        }
    }
}

impl fmt::Debug for StreamSigner<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StreamSigner(public {})", self.public_key)
    }
}

/// The second of two passes over a message to be signed.
pub struct SecondPass<'a> {
    public_key: VerifyingKey,
    secrets: Expanded,
    nonce: Nonce,
    challenge_hash: MessageHash,
    first: [u8; 64],
    message: Sha512,
    key: PhantomData<&'a SigningKey>,
}

impl SecondPass<'_> {
    /// Takes the next piece of the message.
    pub fn update(&mut self, piece: &[u8]) {
        self.challenge_hash.update(piece);
        self.message.update(piece);
    }

    /// The signature.
    ///
    /// # Errors
    /// [`Error::MessageChanged`] if the second pass did not see the bytes of the first.
    pub fn finish(self) -> Result<Signature, Error> {
        if self.message.finish() != self.first {
            return Err(Error::MessageChanged);
        }
        let k = Scalar::reduce_wide(&self.challenge_hash.finish());
        let signature = self.secrets.finish(&self.nonce, &k);
        ct::wipe_stack(ct::StackUse::Curve25519);
        Ok(Signature::from_bytes(&signature))
    }
}

impl fmt::Debug for SecondPass<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecondPass(public {})", self.public_key)
    }
}
