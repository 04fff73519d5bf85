//! Secret keys: making, importing and signing with them.
//!
//! Constant time but for the lengths of messages and contexts; wiped when dropped, and each public
//! function wipes the stack of the computation below it.

use super::bytes::{exactly, halves};
use super::sign::{Expanded, Nonce};
use super::variant::{ContextString, MessageHash, Variant};
use super::{
    KeypairRef, MultipartSigner, MultipartVerifier, Rule, SecretKey, Signature, SignatureError,
    Signer, Verifier, VerifyingKey,
};
use crate::ct;
use crate::error::{Error, Verdict};
use crate::impls::{equal_where, from_slice};
use crate::scalar::l25519::Scalar;
use core::convert::Infallible;
use core::fmt;
use rand_core::{CryptoRng, TryCryptoRng};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// A secret key: the 32-byte seed of RFC 8032, with what is derived from it. Wiped when dropped.
///
/// Neither the type nor its `Debug` form shows a secret. Comparison is constant time.
///
/// ```
/// use sigmill::ed25519::{Signer, SigningKey};
///
/// # #[cfg(feature = "getrandom")] {
/// // a new key, from the system's random bytes (crate getrandom, its feature sys_rng)
/// let key = SigningKey::try_generate(&mut getrandom::SysRng).map_err(|_| sigmill::Error::Randomness)?;
/// # assert!(key.verify(b"hello", &key.sign(b"hello")).is_ok());
/// # }
/// // a stored one
/// let key = SigningKey::from_bytes(&[7; 32]);
/// let signature = key.sign(b"hello");
/// assert!(key.verifying_key().verify_strict(b"hello", &signature).is_ok());
/// # Ok::<(), sigmill::Error>(())
/// ```
#[derive(Clone)]
pub struct SigningKey {
    seed: [u8; 32],
    pub(super) expanded: Expanded,
    pub(super) verifying_key: VerifyingKey,
}

impl SigningKey {
    /// The key of a 32-byte seed. Every seed is a key. Constant time.
    pub fn from_bytes(seed: &SecretKey) -> Self {
        let expanded = Expanded::from_seed(seed);
        let (point, bytes) = expanded.public_key();
        ct::wipe_stack(ct::StackUse::Curve25519);
        // clamping leaves 8m with 2^251 ≤ m < ℓ, which is not 0 mod ℓ
        let verifying_key = VerifyingKey::from_multiple(&point, bytes, false);
        SigningKey { seed: *seed, expanded, verifying_key }
    }

    /// A key with all that is derived from its seed.
    #[cfg(feature = "alloc")]
    pub(super) fn from_parts(
        seed: &SecretKey,
        expanded: Expanded,
        verifying_key: VerifyingKey,
    ) -> Self {
        SigningKey { seed: *seed, expanded, verifying_key }
    }

    /// The key of a seed in a slice. Constant time.
    ///
    /// # Errors
    /// [`Error::Length`] unless there are 32 bytes.
    pub fn decode(seed: &[u8]) -> Result<Self, Error> {
        exactly("secret key", seed).map(Self::from_bytes)
    }

    /// The key of a 64-byte pair, seed followed by public key. The public key is derived again and
    /// compared in constant time.
    ///
    /// # Errors
    /// [`Error::KeyPairMismatch`], as the error's source, if the public half does not belong to the
    /// seed.
    pub fn from_keypair_bytes(bytes: &[u8; 64]) -> Result<Self, SignatureError> {
        Ok(Self::checked_pair(bytes)?)
    }

    pub(crate) fn checked_pair(bytes: &[u8; 64]) -> Result<Self, Error> {
        let [seed, _] = halves(bytes);
        let key = SigningKey::from_bytes(seed);
        check_pair(bytes, &key.verifying_key.bytes)?;
        Ok(key)
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
    pub const fn to_bytes(&self) -> SecretKey {
        self.seed
    }

    /// The seed.
    pub const fn as_bytes(&self) -> &SecretKey {
        &self.seed
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

    /// The first half of SHA-512(seed), not clamped: the X25519 secret key that belongs to this
    /// Ed25519 key. The caller has to wipe the copy. Constant time.
    pub fn to_scalar_bytes(&self) -> [u8; 32] {
        let bytes = Expanded::unclamped_scalar(&self.seed);
        ct::wipe_stack(ct::StackUse::Curve25519);
        bytes
    }

    /// Signs with the given variant, deterministically (RFC 8032 section 5.1.6). Constant time but
    /// for the lengths of message and context.
    ///
    /// The message is read twice, and the two passes must see the same bytes, or the signature gives the key away. Rust's
    /// borrow promises that; a slice that `unsafe` code has made of a mapped file or of shared memory does not. Sign such
    /// memory with [`SigningKey::sign_shared`].
    pub fn sign_with(&self, variant: Variant<'_>, message: &[u8]) -> Signature {
        self.sign_parts(variant, &self.expanded, &[message])
    }

    /// Signs with a hedged nonce: as [`SigningKey::sign_with`], after `noise`, 32 random bytes, is
    /// hashed into the prefix of the nonce hash (draft-irtf-cfrg-det-sigs-with-noise-05 section 3).
    ///
    /// Verifiers cannot tell. If the noise is bad, even all zeros, the signature is as good as a
    /// deterministic one; if it is good, faults and traces of two signatures of one message do not
    /// add up. The noise must be secret. Constant time but for the lengths of message and context.
    ///
    /// ```
    /// # #[cfg(feature = "getrandom")] {
    /// use sigmill::ed25519::{SigningKey, Variant, rules};
    ///
    /// let key = SigningKey::from_bytes(&[7; 32]);
    /// let mut noise = [0; 32];
    /// getrandom::fill(&mut noise).map_err(|_| sigmill::Error::Randomness)?;
    /// let signature = key.sign_hedged(Variant::Pure, &noise, b"hello");
    /// assert!(key.verify_with(&rules::COMMON, Variant::Pure, b"hello", &signature).is_valid());
    /// # }
    /// # Ok::<(), sigmill::Error>(())
    /// ```
    pub fn sign_hedged(&self, variant: Variant<'_>, noise: &[u8; 32], message: &[u8]) -> Signature {
        let hedged = self.expanded.hedged(noise);
        self.sign_parts(variant, &hedged, &[message])
    }

    /// Signs with Ed25519ph, given SHA-512 of the message. Constant time.
    pub fn sign_prehashed_with(&self, context: ContextString<'_>, digest: &[u8; 64]) -> Signature {
        let signature = self.sign_hashing(Variant::Ph(context), &self.expanded, |hash| {
            hash.fed_with_digest(digest)
        });
        ct::wipe_stack(ct::StackUse::Curve25519);
        signature
    }

    /// Verifies under a named rule, with the public key. Time depends on the inputs.
    pub fn verify_with(
        &self,
        rule: &Rule,
        variant: Variant<'_>,
        message: &[u8],
        signature: &Signature,
    ) -> Verdict {
        self.verifying_key.verify_with(rule, variant, message, signature)
    }

    /// [`Verifier::verify`] of the public key: pure Ed25519 under the rule `common`.
    ///
    /// # Errors
    /// The [`crate::Reason`] why the rule refuses, as the error's source.
    pub fn verify(&self, message: &[u8], signature: &Signature) -> Result<(), SignatureError> {
        self.verifying_key.verify(message, signature)
    }

    /// [`VerifyingKey::verify_strict`] of the public key.
    ///
    /// # Errors
    /// The [`crate::Reason`] why the rule `strict` refuses, as the error's source.
    pub fn verify_strict(
        &self,
        message: &[u8],
        signature: &Signature,
    ) -> Result<(), SignatureError> {
        self.verifying_key.verify_strict(message, signature)
    }

    fn sign_parts(&self, variant: Variant<'_>, secrets: &Expanded, message: &[&[u8]]) -> Signature {
        let signature = self.sign_hashing(variant, secrets, |mut hash| {
            message.iter().for_each(|part| hash.update(part));
            hash
        });
        ct::wipe_stack(ct::StackUse::Curve25519);
        signature
    }

    /// Both passes over the message: `feed` gives it to each of the two hashes. The caller wipes the
    /// stack, this function's frame included.
    #[inline(never)]
    pub(super) fn sign_hashing(
        &self,
        variant: Variant<'_>,
        secrets: &Expanded,
        feed: impl Fn(MessageHash) -> MessageHash,
    ) -> Signature {
        let nonce = Nonce::new(feed(secrets.nonce_hash(variant)));
        let challenge = feed(nonce.challenge_hash(variant, &self.verifying_key.bytes));
        let k = Scalar::reduce_wide(&challenge.finish());
        Signature::from_bytes(&secrets.finish(&nonce, &k))
    }
}

/// Signs with the key of a seed, deterministically: [`SigningKey::sign_with`] of
/// [`SigningKey::from_bytes`], in less time where a key signs once. Constant time but for the lengths of
/// message and context.
///
/// ```
/// use sigmill::ed25519::{Signer, SigningKey, Variant, sign_with_seed};
///
/// let seed = [7; 32];
/// let signature = sign_with_seed(&seed, Variant::Pure, b"attack at dawn");
/// assert_eq!(signature, SigningKey::from_bytes(&seed).sign(b"attack at dawn"));
/// ```
pub fn sign_with_seed(seed: &SecretKey, variant: Variant<'_>, message: &[u8]) -> Signature {
    let signature = sign_deriving(seed, variant, feed(message), |_| Ok::<(), Infallible>(()));
    ct::wipe_stack(ct::StackUse::Deriving);
    match signature {
        Ok(signature) => signature,
        Err(never) => match never {},
    }
}

/// The same with a 64-byte pair, seed followed by public key: [`SigningKey::sign_with`] of
/// [`SigningKey::from_keypair_bytes`]. The public key is derived again and compared in constant time.
///
/// # Errors
/// [`Error::KeyPairMismatch`] if the public half does not belong to the seed; nothing is signed then.
pub fn sign_with_keypair(
    pair: &[u8; 64],
    variant: Variant<'_>,
    message: &[u8],
) -> Result<Signature, Error> {
    let [seed, _] = halves(pair);
    let signature =
        sign_deriving(seed, variant, feed(message), |public_key| check_pair(pair, public_key));
    ct::wipe_stack(ct::StackUse::Deriving);
    signature
}

/// Whether the public half of a pair is the public key of its seed. Constant time.
pub(super) fn check_pair(pair: &[u8; 64], public_key: &[u8; 32]) -> Result<(), Error> {
    let [_, claimed] = halves(pair);
    let matches = ct::bytes_equal(claimed, public_key);
    match ct::declassify("keypair_matches", matches).is_true_vartime() {
        true => Ok(()),
        false => Err(Error::KeyPairMismatch),
    }
}

/// Gives a message to a hash.
fn feed(message: &[u8]) -> impl Fn(MessageHash) -> MessageHash {
    move |mut hash| {
        hash.update(message);
        hash
    }
}

/// Signs with the key of a seed if `check` has nothing against its public key, which is derived here and
/// nowhere else; `feed` gives the message to each of the two hashes. The caller wipes the stack, this function's frame
/// included.
#[inline(never)]
fn sign_deriving<E>(
    seed: &SecretKey,
    variant: Variant<'_>,
    feed: impl Fn(MessageHash) -> MessageHash,
    check: impl FnOnce(&[u8; 32]) -> Result<(), E>,
) -> Result<Signature, E> {
    sign_feeding(&Expanded::from_seed(seed), variant, feed, check)
}

/// The same with secrets of any origin.
#[inline(always)]
pub(super) fn sign_feeding<E>(
    secrets: &Expanded,
    variant: Variant<'_>,
    feed: impl Fn(MessageHash) -> MessageHash,
    check: impl FnOnce(&[u8; 32]) -> Result<(), E>,
) -> Result<Signature, E> {
    let hash = feed(secrets.nonce_hash(variant));
    let (nonce, public_key) = Nonce::with_public_key(hash, secrets);
    check(&public_key)?;
    let challenge = feed(nonce.challenge_hash(variant, &public_key));
    let k = Scalar::reduce_wide(&challenge.finish());
    Ok(Signature::from_bytes(&secrets.finish(&nonce, &k)))
}

impl Drop for SigningKey {
    fn drop(&mut self) {
        self.seed.zeroize(); // `expanded` wipes itself
    }
}

impl ZeroizeOnDrop for SigningKey {}

/// Pure Ed25519, deterministic. Never fails.
impl Signer<Signature> for SigningKey {
    fn try_sign(&self, message: &[u8]) -> Result<Signature, SignatureError> {
        Ok(self.sign_with(Variant::Pure, message))
    }
}

/// Pure Ed25519, deterministic, of a message in parts. Never fails.
impl MultipartSigner<Signature> for SigningKey {
    fn try_multipart_sign(&self, message: &[&[u8]]) -> Result<Signature, SignatureError> {
        Ok(self.sign_parts(Variant::Pure, &self.expanded, message))
    }
}

/// Pure Ed25519 with a hedged nonce ([`SigningKey::sign_hedged`]). Fails only if the random source
/// does; no signature is then made.
#[cfg(feature = "rand_core")]
impl super::RandomizedSigner<Signature> for SigningKey {
    fn try_sign_with_rng<R: TryCryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        message: &[u8],
    ) -> Result<Signature, SignatureError> {
        let mut noise = zeroize::Zeroizing::new([0; 32]);
        rng.try_fill_bytes(noise.as_mut_slice()).map_err(|_| Error::Randomness)?;
        Ok(self.sign_hedged(Variant::Pure, &noise, message))
    }
}

/// Pure Ed25519 under the rule `common`.
impl Verifier<Signature> for SigningKey {
    fn verify(&self, message: &[u8], signature: &Signature) -> Result<(), SignatureError> {
        self.verifying_key.verify(message, signature)
    }
}

/// Pure Ed25519 under the rule `common`, over a message in parts.
impl MultipartVerifier<Signature> for SigningKey {
    fn multipart_verify(
        &self,
        message: &[&[u8]],
        signature: &Signature,
    ) -> Result<(), SignatureError> {
        self.verifying_key.multipart_verify(message, signature)
    }
}

impl KeypairRef for SigningKey {
    type VerifyingKey = VerifyingKey;
}

impl AsRef<VerifyingKey> for SigningKey {
    fn as_ref(&self) -> &VerifyingKey {
        &self.verifying_key
    }
}

impl subtle::ConstantTimeEq for SigningKey {
    fn ct_eq(&self, other: &Self) -> subtle::Choice {
        self.seed.ct_eq(&other.seed)
    }
}

equal_where!([] SigningKey, |a, b| ct::declassify("keys_equal", ct::bytes_equal(&a.seed, &b.seed)));

impl From<&SigningKey> for VerifyingKey {
    fn from(key: &SigningKey) -> Self {
        key.verifying_key()
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey(public {})", self.verifying_key)
    }
}

impl From<SecretKey> for SigningKey {
    fn from(seed: SecretKey) -> Self {
        Self::from_bytes(&seed)
    }
}

impl From<&SecretKey> for SigningKey {
    fn from(seed: &SecretKey) -> Self {
        Self::from_bytes(seed)
    }
}

from_slice!([] SigningKey, decode, SignatureError);
