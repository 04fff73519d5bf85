//! Signing with a scalar and a hash prefix that did not come from a seed.
//!
//! **Dangerous**, and with the same two precautions as [`sigmill::ed25519::hazmat`]: the parameter
//! `verifying_key` of the signing functions is not believed, A is derived from the scalar at every call; and
//! [`raw_sign_byupdate`] reads the message a third time and gives no signature if it changed.
//!
//! `C` is the digest in the place of SHA-512, `M` the one that a message was fed to for Ed25519ph. Constant
//! time but for the lengths of messages and contexts, as far as the digest is.
//!
//! ```
//! use sigmill_dalek2::hazmat::{ExpandedSecretKey, raw_sign};
//! use sigmill_dalek2::{Sha512, Signer, SigningKey};
//!
//! let key = SigningKey::from_bytes(&[7; 32]);
//! let expanded = ExpandedSecretKey::from(key.as_bytes());
//! let signature = raw_sign::<Sha512>(&expanded, b"hello", &key.verifying_key());
//! assert_eq!(signature, key.sign(b"hello"));
//! ```

use crate::{Digest, Signature, SignatureError, VerifyingKey, converted, given, made};
use core::cell::Cell;
use core::fmt;
use digest::consts::U64;
use digest_011 as digest_new;
use sigmill::ed25519::hazmat as ours;
use subtle::{Choice, ConstantTimeEq};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// An integer modulo ℓ that may be secret, opaque; made from bytes.
pub use ours::Scalar;

/// A secret scalar and the prefix of the nonce hash: comparison is constant time, and it is wiped when
/// dropped.
///
/// ```
/// use sigmill_dalek2::hazmat::{ExpandedSecretKey, raw_sign};
/// use sigmill_dalek2::{Sha512, Verifier, VerifyingKey};
///
/// // 64 bytes from a protocol that derives keys
/// let key = ExpandedSecretKey::from_bytes(&[7; 64]);
/// let public = VerifyingKey::from(&key);
/// let signature = raw_sign::<Sha512>(&key, b"hello", &public);
/// assert!(public.verify(b"hello", &signature).is_ok());
/// ```
pub struct ExpandedSecretKey {
    /// The secret scalar a.
    pub scalar: Scalar,
    /// The prefix of the nonce's hash.
    pub hash_prefix: [u8; 32],
}

impl ExpandedSecretKey {
    /// From the 64 bytes that RFC 8032 computes as SHA-512 of the seed: the first half is clamped and
    /// reduced, the second is the prefix. Constant time.
    pub fn from_bytes(bytes: &[u8; 64]) -> Self {
        Self::of(&ours::ExpandedSecretKey::from_bytes(bytes))
    }

    /// As [`ExpandedSecretKey::from_bytes`], from a slice.
    ///
    /// # Errors
    /// Unless there are 64 bytes.
    pub fn from_slice(bytes: &[u8]) -> Result<Self, SignatureError> {
        ours::ExpandedSecretKey::from_slice(bytes).map(|key| Self::of(&key)).map_err(converted)
    }

    fn of(key: &ours::ExpandedSecretKey) -> Self {
        ExpandedSecretKey { scalar: key.scalar.clone(), hash_prefix: key.hash_prefix }
    }

    fn ours(&self) -> ours::ExpandedSecretKey {
        ours::ExpandedSecretKey { scalar: self.scalar.clone(), hash_prefix: self.hash_prefix }
    }
}

impl TryFrom<&[u8]> for ExpandedSecretKey {
    type Error = SignatureError;

    fn try_from(bytes: &[u8]) -> Result<Self, SignatureError> {
        Self::from_slice(bytes)
    }
}

impl From<&crate::SecretKey> for ExpandedSecretKey {
    fn from(seed: &crate::SecretKey) -> Self {
        Self::of(&ours::ExpandedSecretKey::from(seed))
    }
}

impl From<&ExpandedSecretKey> for VerifyingKey {
    /// The public key of the scalar. Constant time.
    fn from(secret: &ExpandedSecretKey) -> Self {
        sigmill::ed25519::VerifyingKey::from(&secret.ours()).into()
    }
}

impl ConstantTimeEq for ExpandedSecretKey {
    fn ct_eq(&self, other: &Self) -> Choice {
        self.ours().ct_eq(&other.ours())
    }
}

impl PartialEq for ExpandedSecretKey {
    fn eq(&self, other: &Self) -> bool {
        self.ours() == other.ours()
    }
}

impl Eq for ExpandedSecretKey {}

impl Drop for ExpandedSecretKey {
    fn drop(&mut self) {
        self.hash_prefix.zeroize(); // the scalar wipes itself
    }
}

impl ZeroizeOnDrop for ExpandedSecretKey {}

impl fmt::Debug for ExpandedSecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ExpandedSecretKey(not shown)")
    }
}

impl crate::SigningKey {
    /// The secret scalar a, reduced mod ℓ. Constant time.
    pub fn to_scalar(&self) -> Scalar {
        self.as_sigmill().to_scalar()
    }
}

/// A digest of `digest` 0.10 as one of 0.11.
struct Newer<D>(D);

impl<D: Digest> Default for Newer<D> {
    fn default() -> Self {
        Newer(D::new())
    }
}

impl<D> digest_new::HashMarker for Newer<D> {}

impl<D> digest_new::OutputSizeUser for Newer<D> {
    type OutputSize = U64;
}

impl<D: Digest> digest_new::Update for Newer<D> {
    fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }
}

impl<D: Digest<OutputSize = U64>> digest_new::FixedOutput for Newer<D> {
    fn finalize_into(self, out: &mut digest_new::Output<Self>) {
        out.copy_from_slice(&self.0.finalize());
    }
}

/// Signs a message as Ed25519 does. `verifying_key` is not used: see the module.
pub fn raw_sign<C: Digest<OutputSize = U64>>(
    esk: &ExpandedSecretKey,
    message: &[u8],
    verifying_key: &VerifyingKey,
) -> Signature {
    made(ours::raw_sign::<Newer<C>>(&esk.ours(), message, verifying_key.as_sigmill()))
}

/// Signs a message that `msg_update` feeds to the digest, always the same one: it is called three times,
/// and if the third time gives another nonce than the first, no signature is made. `verifying_key` is not
/// used: see the module.
///
/// # Errors
/// The error of `msg_update`; or if the message changed.
pub fn raw_sign_byupdate<C, F>(
    esk: &ExpandedSecretKey,
    msg_update: F,
    verifying_key: &VerifyingKey,
) -> Result<Signature, SignatureError>
where
    C: Digest<OutputSize = U64>,
    F: Fn(&mut C) -> Result<(), SignatureError>,
{
    let error = Cell::new(None);
    let update = |digest: &mut Newer<C>| {
        msg_update(&mut digest.0).map_err(|theirs| {
            error.set(Some(theirs));
            sigmill::ed25519::SignatureError::new()
        })
    };
    let signed = ours::raw_sign_byupdate(&esk.ours(), update, verifying_key.as_sigmill());
    signed.map(made).map_err(|ours| error.take().unwrap_or_else(|| converted(ours)))
}

/// Signs a message that was fed to a digest `M`, as Ed25519ph does. `verifying_key` is not used: see the
/// module.
///
/// # Errors
/// If the context is longer than 255 bytes.
pub fn raw_sign_prehashed<C, M>(
    esk: &ExpandedSecretKey,
    prehashed_message: M,
    verifying_key: &VerifyingKey,
    context: Option<&[u8]>,
) -> Result<Signature, SignatureError>
where
    C: Digest<OutputSize = U64>,
    M: Digest<OutputSize = U64>,
{
    let (message, key) = (Newer(prehashed_message), verifying_key.as_sigmill());
    ours::raw_sign_prehashed::<Newer<C>, _>(&esk.ours(), message, key, context)
        .map(made)
        .map_err(converted)
}

/// Verifies a signature with another digest under the rule `common`. Time depends on the inputs.
///
/// # Errors
/// If the rule refuses.
pub fn raw_verify<C: Digest<OutputSize = U64>>(
    vk: &VerifyingKey,
    message: &[u8],
    signature: &Signature,
) -> Result<(), SignatureError> {
    ours::raw_verify::<Newer<C>>(vk.as_sigmill(), message, &given(signature)).map_err(converted)
}

/// Verifies a signature of a message that was fed to a digest `M`, as Ed25519ph does, under the rule
/// `common`. Time depends on the inputs.
///
/// # Errors
/// If the context is longer than 255 bytes, or the rule refuses.
pub fn raw_verify_prehashed<C, M>(
    vk: &VerifyingKey,
    prehashed_message: M,
    context: Option<&[u8]>,
    signature: &Signature,
) -> Result<(), SignatureError>
where
    C: Digest<OutputSize = U64>,
    M: Digest<OutputSize = U64>,
{
    let (message, signature) = (Newer(prehashed_message), given(signature));
    ours::raw_verify_prehashed::<Newer<C>, _>(vk.as_sigmill(), message, context, &signature)
        .map_err(converted)
}
