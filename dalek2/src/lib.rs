//! The names of ed25519-dalek 2 on [`sigmill::ed25519`], for programs that are still on `signature` 2,
//! `pkcs8` 0.10, `digest` 0.10 and `rand_core` 0.6. One line of `Cargo.toml` changes:
//!
//! ```toml
//! ed25519-dalek = { package = "sigmill-dalek2", version = "0.1" }
//! ```
//!
//! ```
//! use sigmill_dalek2::{Signer, SigningKey, Verifier};
//!
//! let key = SigningKey::from_bytes(&[7; 32]);
//! let signature = key.sign(b"attack at dawn");
//! assert!(key.verifying_key().verify(b"attack at dawn", &signature).is_ok());
//! ```
//!
//! Nothing is computed or decided here: `verify` and its kin ask for the rule `common`, `*_strict` for the
//! rule `strict`, which accept what ed25519-dalek 2 accepts. [`VerifyingKey::as_sigmill`] leads to the
//! other rules. The crate's README lists the differences from ed25519-dalek 2.

#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "curve25519-dalek")]
mod dalek_types;
#[cfg(feature = "hazmat")]
pub mod hazmat;
#[cfg(feature = "pkcs8")]
mod keyfile;
#[cfg(feature = "digest")]
mod prehashed;
#[cfg(feature = "x25519")]
pub mod x25519;

pub use ed25519;
/// A signature as it came: 64 bytes, R followed by S. In serde it is a tuple of 64 bytes.
pub use ed25519::Signature;
#[cfg(feature = "pkcs8")]
pub use ed25519::pkcs8;
pub use ed25519::signature::{Signer, Verifier};
#[cfg(feature = "digest")]
pub use {
    digest::Digest,
    ed25519::signature::{DigestSigner, DigestVerifier},
    prehashed::Context,
    sha2::Sha512,
};

pub use sigmill::ed25519::{
    EXPANDED_SECRET_KEY_LENGTH, KEYPAIR_LENGTH, MontgomeryPoint, PUBLIC_KEY_LENGTH,
    SECRET_KEY_LENGTH, SIGNATURE_LENGTH, SecretKey,
};

use core::fmt;
use core::hash::{Hash, Hasher};
use sigmill::ed25519 as ours;
use subtle::{Choice, ConstantTimeEq};
use zeroize::ZeroizeOnDrop;

/// The error of everything here. With the feature `std` its source is a [`sigmill::Error`] or a
/// [`sigmill::Reason`].
pub type SignatureError = signature::Error;

/// Why something could not be made, as `signature` 2 has it.
fn failed(error: sigmill::Error) -> SignatureError {
    #[cfg(feature = "std")]
    return SignatureError::from_source(error);
    #[cfg(not(feature = "std"))]
    {
        let _ = error;
        SignatureError::new()
    }
}

/// A verdict, as `signature` 2 has it.
fn judged(verdict: sigmill::Verdict) -> Result<(), SignatureError> {
    verdict.ok().map_err(|reason| {
        #[cfg(feature = "std")]
        return SignatureError::from_source(reason);
        #[cfg(not(feature = "std"))]
        {
            let _ = reason;
            SignatureError::new()
        }
    })
}

/// The error of `signature` 3 as the one of `signature` 2, with the same source.
fn converted(error: ours::SignatureError) -> SignatureError {
    let source = core::error::Error::source(&error);
    if let Some(&error) = source.and_then(|source| source.downcast_ref::<sigmill::Error>()) {
        return failed(error);
    }
    match source.and_then(|source| source.downcast_ref::<sigmill::Reason>()) {
        #[cfg(feature = "std")]
        Some(&reason) => SignatureError::from_source(reason),
        _ => SignatureError::new(),
    }
}

/// A signature as `ed25519` 3 has it.
fn given(signature: &Signature) -> ours::Signature {
    ours::Signature::from_bytes(&signature.to_bytes())
}

/// A signature as `ed25519` 2 has it.
fn made(signature: ours::Signature) -> Signature {
    Signature::from_bytes(&signature.to_bytes())
}

/// A secret key: the 32-byte seed of RFC 8032, with what is derived from it. Wiped when dropped, whatever
/// the features. Neither the type nor its `Debug` form shows a secret; comparison is constant time.
///
/// ```
/// use sigmill::ed25519::{Variant, rules};
/// use sigmill_dalek2::{Signer, SigningKey};
///
/// let key = SigningKey::from_bytes(&[7; 32]); // or: SigningKey::generate(&mut OsRng), feature rand_core
/// let signature = key.sign(b"hello");
/// assert!(key.verify_strict(b"hello", &signature).is_ok());
/// // what sigmill has besides
/// let hedged = key.as_sigmill().sign_hedged(Variant::Pure, &[0; 32], b"hello");
/// assert!(key.as_sigmill().verify_with(&rules::ZIP215, Variant::Pure, b"hello", &hedged).is_valid());
/// ```
#[derive(Clone)]
pub struct SigningKey {
    key: ours::SigningKey,
    /// The public key again, to be lent as it is named here.
    verifying_key: VerifyingKey,
}

impl SigningKey {
    /// The key of a 32-byte seed. Every seed is a key. Constant time.
    pub fn from_bytes(secret_key: &SecretKey) -> Self {
        ours::SigningKey::from_bytes(secret_key).into()
    }

    /// The key of a 64-byte pair, seed followed by public key. The public key is derived again and compared
    /// in constant time.
    ///
    /// # Errors
    /// If the public half does not belong to the seed.
    pub fn from_keypair_bytes(bytes: &[u8; KEYPAIR_LENGTH]) -> Result<Self, SignatureError> {
        ours::SigningKey::from_keypair_bytes(bytes).map(Self::from).map_err(converted)
    }

    /// A new key.
    #[cfg(feature = "rand_core")]
    pub fn generate<R: rand_core::CryptoRngCore + ?Sized>(csprng: &mut R) -> Self {
        let mut seed = zeroize::Zeroizing::new(SecretKey::default());
        csprng.fill_bytes(seed.as_mut_slice());
        Self::from_bytes(&seed)
    }

    /// The seed. The caller has to wipe the copy.
    pub fn to_bytes(&self) -> SecretKey {
        self.key.to_bytes()
    }

    /// The seed.
    pub fn as_bytes(&self) -> &SecretKey {
        self.key.as_bytes()
    }

    /// The seed followed by the public key. The caller has to wipe the copy.
    pub fn to_keypair_bytes(&self) -> [u8; KEYPAIR_LENGTH] {
        self.key.to_keypair_bytes()
    }

    /// The first half of SHA-512(seed), not clamped: the X25519 secret key that belongs to this key. The
    /// caller has to wipe the copy. Constant time.
    pub fn to_scalar_bytes(&self) -> [u8; 32] {
        self.key.to_scalar_bytes()
    }

    /// The public key.
    pub fn verifying_key(&self) -> VerifyingKey {
        self.verifying_key
    }

    /// Pure Ed25519 under the rule `common`. Time depends on the inputs.
    ///
    /// # Errors
    /// If the rule refuses.
    pub fn verify(&self, message: &[u8], signature: &Signature) -> Result<(), SignatureError> {
        self.verifying_key.verify(message, signature)
    }

    /// Pure Ed25519 under the rule `strict`. Time depends on the inputs.
    ///
    /// # Errors
    /// If the rule refuses.
    pub fn verify_strict(
        &self,
        message: &[u8],
        signature: &Signature,
    ) -> Result<(), SignatureError> {
        self.verifying_key.verify_strict(message, signature)
    }

    /// [`VerifyingKey::verify_stream`] of the public key.
    ///
    /// # Errors
    /// If S is not below ℓ.
    pub fn verify_stream(&self, signature: &Signature) -> Result<StreamVerifier, SignatureError> {
        self.verifying_key.verify_stream(signature)
    }

    /// The key as sigmill has it: hedged and checked signing, Ed25519ctx, streams.
    pub fn as_sigmill(&self) -> &ours::SigningKey {
        &self.key
    }
}

/// Pure Ed25519, deterministic, constant time but for the length of the message. Never fails.
impl Signer<Signature> for SigningKey {
    fn try_sign(&self, message: &[u8]) -> Result<Signature, SignatureError> {
        Ok(made(self.key.sign_with(ours::Variant::Pure, message)))
    }
}

/// Pure Ed25519 under the rule `common`.
impl Verifier<Signature> for SigningKey {
    fn verify(&self, message: &[u8], signature: &Signature) -> Result<(), SignatureError> {
        self.verifying_key.verify(message, signature)
    }
}

impl signature::KeypairRef for SigningKey {
    type VerifyingKey = VerifyingKey;
}

impl AsRef<VerifyingKey> for SigningKey {
    fn as_ref(&self) -> &VerifyingKey {
        &self.verifying_key
    }
}

impl ConstantTimeEq for SigningKey {
    fn ct_eq(&self, other: &Self) -> Choice {
        self.key.ct_eq(&other.key)
    }
}

impl PartialEq for SigningKey {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for SigningKey {}

impl ZeroizeOnDrop for SigningKey {}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.key.fmt(f)
    }
}

impl From<SecretKey> for SigningKey {
    fn from(secret: SecretKey) -> Self {
        Self::from_bytes(&secret)
    }
}

impl From<&SecretKey> for SigningKey {
    fn from(secret: &SecretKey) -> Self {
        Self::from_bytes(secret)
    }
}

impl TryFrom<&[u8]> for SigningKey {
    type Error = SignatureError;

    fn try_from(bytes: &[u8]) -> Result<Self, SignatureError> {
        ours::SigningKey::decode(bytes).map(Self::from).map_err(failed)
    }
}

impl From<ours::SigningKey> for SigningKey {
    fn from(key: ours::SigningKey) -> Self {
        let verifying_key = key.verifying_key().into();
        SigningKey { key, verifying_key }
    }
}

impl From<SigningKey> for ours::SigningKey {
    fn from(key: SigningKey) -> Self {
        key.key
    }
}

/// A public key whose bytes decode to a point of the curve. Comparison, order and hash are those of the
/// bytes as they came.
///
/// ```
/// use sigmill_dalek2::{Signer, SigningKey, Verifier, VerifyingKey};
///
/// # let secret = SigningKey::from_bytes(&[7; 32]);
/// # let (bytes, signature) = (secret.verifying_key().to_bytes(), secret.sign(b"hello"));
/// let key = VerifyingKey::from_bytes(&bytes)?;
/// key.verify(b"hello", &signature)?;
/// assert!(key.verify(b"hullo", &signature).is_err());
/// # Ok::<(), sigmill_dalek2::SignatureError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct VerifyingKey(ours::VerifyingKey);

impl VerifyingKey {
    /// Decodes a public key. Time depends on the bytes.
    ///
    /// # Errors
    /// If no point has this encoding.
    pub fn from_bytes(bytes: &[u8; PUBLIC_KEY_LENGTH]) -> Result<Self, SignatureError> {
        Self::try_from(bytes.as_slice())
    }

    /// The 32 bytes as they came.
    pub fn to_bytes(&self) -> [u8; PUBLIC_KEY_LENGTH] {
        self.0.to_bytes()
    }

    /// The 32 bytes as they came.
    pub fn as_bytes(&self) -> &[u8; PUBLIC_KEY_LENGTH] {
        self.0.as_bytes()
    }

    /// Whether the key has order 1, 2, 4 or 8.
    pub fn is_weak(&self) -> bool {
        self.0.is_weak()
    }

    /// The X25519 public key that belongs to this key.
    pub fn to_montgomery(&self) -> MontgomeryPoint {
        self.0.to_montgomery()
    }

    /// Pure Ed25519 under the rule `strict`. Time depends on the inputs.
    ///
    /// # Errors
    /// If the rule refuses.
    pub fn verify_strict(
        &self,
        message: &[u8],
        signature: &Signature,
    ) -> Result<(), SignatureError> {
        let strict = &ours::rules::STRICT;
        judged(self.0.verify_with(strict, ours::Variant::Pure, message, &given(signature)))
    }

    /// Begins to verify a pure Ed25519 signature under the rule `common`, over a message that comes in
    /// pieces.
    ///
    /// # Errors
    /// If S is not below ℓ: no message can make the signature valid.
    pub fn verify_stream(&self, signature: &Signature) -> Result<StreamVerifier, SignatureError> {
        self.0.verify_stream(&given(signature)).map(StreamVerifier).map_err(converted)
    }

    /// The key as sigmill has it: verification under any rule.
    pub fn as_sigmill(&self) -> &ours::VerifyingKey {
        &self.0
    }
}

/// Pure Ed25519 under the rule `common`. Time depends on the inputs.
impl Verifier<Signature> for VerifyingKey {
    fn verify(&self, message: &[u8], signature: &Signature) -> Result<(), SignatureError> {
        let common = &ours::rules::COMMON;
        judged(self.0.verify_with(common, ours::Variant::Pure, message, &given(signature)))
    }
}

impl From<&SigningKey> for VerifyingKey {
    fn from(key: &SigningKey) -> Self {
        key.verifying_key()
    }
}

impl TryFrom<&[u8]> for VerifyingKey {
    type Error = SignatureError;

    fn try_from(bytes: &[u8]) -> Result<Self, SignatureError> {
        ours::VerifyingKey::decode(bytes).map(VerifyingKey).map_err(failed)
    }
}

impl AsRef<[u8]> for VerifyingKey {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl Hash for VerifyingKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl fmt::Debug for VerifyingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<ours::VerifyingKey> for VerifyingKey {
    fn from(key: ours::VerifyingKey) -> Self {
        VerifyingKey(key)
    }
}

impl From<VerifyingKey> for ours::VerifyingKey {
    fn from(key: VerifyingKey) -> Self {
        key.0
    }
}

/// Verifies one signature over a message that comes in pieces, under the rule `common`. Made by
/// [`VerifyingKey::verify_stream`].
///
/// ```
/// use sigmill_dalek2::{Signer, SigningKey};
///
/// let key = SigningKey::from_bytes(&[7; 32]);
/// let mut verifier = key.verify_stream(&key.sign(b"attack at dawn"))?;
/// verifier.update(b"attack ");
/// verifier.update(b"at dawn");
/// verifier.finalize_and_verify()?;
/// # Ok::<(), sigmill_dalek2::SignatureError>(())
/// ```
#[derive(Clone, Debug)]
pub struct StreamVerifier(ours::StreamVerifier);

impl StreamVerifier {
    /// Takes the next piece of the message.
    pub fn update(&mut self, chunk: impl AsRef<[u8]>) {
        self.0.update(chunk);
    }

    /// The verdict on the message so far.
    ///
    /// # Errors
    /// If the rule refuses.
    pub fn finalize_and_verify(self) -> Result<(), SignatureError> {
        judged(self.0.finish())
    }
}

/// Verifies pure Ed25519 signatures under the rule `common`: row i is `messages[i]`, `signatures[i]`,
/// `verifying_keys[i]`. The verdict of a row never depends on the others, unlike ed25519-dalek's; an empty
/// batch is valid.
///
/// # Errors
/// If the slices differ in length, or the rule refuses a row.
#[cfg(feature = "batch")]
pub fn verify_batch(
    messages: &[&[u8]],
    signatures: &[Signature],
    verifying_keys: &[VerifyingKey],
) -> Result<(), SignatureError> {
    extern crate alloc;
    use alloc::vec::Vec;

    let signatures: Vec<_> = signatures.iter().map(given).collect();
    let keys: Vec<_> = verifying_keys.iter().map(|key| key.0).collect();
    ours::verify_batch(messages, &signatures, &keys).map_err(converted)
}

/// Keys in the data model of serde: a byte string of 32 bytes, or a list of 32 numbers.
#[cfg(feature = "serde")]
mod keys_in_serde {
    use super::{SigningKey, VerifyingKey};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    impl Serialize for SigningKey {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            self.key.serialize(serializer)
        }
    }

    impl<'de> Deserialize<'de> for SigningKey {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            super::ours::SigningKey::deserialize(deserializer).map(Self::from)
        }
    }

    impl Serialize for VerifyingKey {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            self.0.serialize(serializer)
        }
    }

    impl<'de> Deserialize<'de> for VerifyingKey {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            super::ours::VerifyingKey::deserialize(deserializer).map(Self::from)
        }
    }
}

/// The examples of pages of the repository are run.
#[cfg(all(doctest, feature = "serde"))]
#[doc = include_str!("../../docs/migrating-from-dalek-2.md")]
struct FromDalek2;
