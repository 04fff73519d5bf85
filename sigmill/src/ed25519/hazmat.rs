//! Signing with a scalar and a hash prefix that did not come from a seed, in the names of
//! `ed25519-dalek`.
//!
//! **Dangerous.** A prefix that is known, short or shared with another scalar gives the key away
//! with the first signature. Use [`SigningKey`](super::SigningKey) unless a protocol (key blinding,
//! hierarchical derivation) leaves no choice.
//!
//! The parameter `verifying_key` of the signing functions is not believed: A is derived from the
//! scalar at every call, because two signatures of one message with two different A give the scalar
//! away. A wrong parameter therefore changes nothing; [`ExpandedSecretKey::belongs_to`] tells
//! whether it is right. This makes these functions about twice as slow as signing with a seed.
//!
//! `D` is the digest in the place of SHA-512; with anything but SHA-512 only a verifier with the same
//! digest accepts. Constant time but for the lengths of messages and contexts, as far as the digest is.
//!
//! ```
//! use sigmill::ed25519::hazmat::{ExpandedSecretKey, raw_sign, raw_verify};
//! use sigmill::ed25519::{Sha512, SigningKey, Signer, VerifyingKey};
//!
//! let seed = [7; 32];
//! let key = ExpandedSecretKey::from(&seed);
//! let public = VerifyingKey::from(&key);
//! let signature = raw_sign::<Sha512>(&key, b"hello", &public);
//! assert_eq!(signature, SigningKey::from_bytes(&seed).sign(b"hello"));
//! assert!(raw_verify::<Sha512>(&public, b"hello", &signature).is_ok());
//! ```

use super::bytes::{exactly, halves};
use super::shared::sign_pieces_with;
use super::sign::{Expanded, Nonce};
use super::signing::sign_feeding;
use super::variant::{ContextString, MessageHash, Variant, write_dom};
use super::verify::verify_decoded;
use super::{Digest, Rule, SharedMessage, Signature, SignatureError, VerifyingKey, rules};
use crate::ct::{self, Mask};
use crate::error::Error;
use crate::hash::Sha512;
use crate::impls::{equal_where, from_slice, not_shown};
use crate::scalar::l25519;
use core::convert::Infallible;
use digest::consts::U64;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

/// An integer modulo ℓ that may be secret: comparison is constant time, and it is wiped when
/// dropped.
///
/// ```
/// use sigmill::ed25519::hazmat::Scalar;
///
/// // what is taken mod ℓ is the same integer
/// let order = "edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010";
/// let mut bytes: [u8; 32] = core::array::from_fn(|i| u8::from_str_radix(&order[2 * i..2 * i + 2], 16).unwrap());
/// bytes[0] += 5;
/// assert_eq!(Scalar::from_bytes_mod_order(bytes).to_bytes()[0], 5);
/// ```
#[derive(Clone)]
pub struct Scalar(l25519::Scalar);

impl Scalar {
    /// A 32-byte little-endian integer, reduced. Constant time.
    pub fn from_bytes_mod_order(bytes: [u8; 32]) -> Self {
        Scalar(l25519::Scalar::reduce_narrow(&bytes))
    }

    /// A 64-byte little-endian integer, reduced. Constant time.
    pub fn from_bytes_mod_order_wide(bytes: &[u8; 64]) -> Self {
        Scalar(l25519::Scalar::reduce_wide(bytes))
    }

    /// 32 bytes, little-endian, below ℓ. The caller has to wipe them.
    pub fn to_bytes(&self) -> [u8; 32] {
        self.0.to_bytes()
    }

    /// Whether both are the same, without a copy of either. Constant time.
    fn equal(&self, other: &Self) -> Mask {
        let words = self.0.words().iter().zip(other.0.words());
        Mask::is_zero(words.fold(0, |differ, (a, b)| differ | (a ^ b)))
    }
}

impl Zeroize for Scalar {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

impl Drop for Scalar {
    fn drop(&mut self) {
        self.zeroize();
    }
}

impl ZeroizeOnDrop for Scalar {}

equal_where!([] Scalar, |a, b| ct::declassify("scalars_equal", a.equal(b)));

not_shown!([] Scalar, "Scalar");

/// A secret scalar and the prefix of the nonce hash: comparison is constant time, and it is wiped when
/// dropped.
///
/// ```
/// use sigmill::ed25519::hazmat::{ExpandedSecretKey, raw_sign};
/// use sigmill::ed25519::{Sha512, Verifier, VerifyingKey};
///
/// // 64 bytes from a protocol that derives keys
/// let key = ExpandedSecretKey::from_bytes(&[7; 64]);
/// let public = VerifyingKey::from(&key);
/// let signature = raw_sign::<Sha512>(&key, b"hello", &public);
/// assert!(public.verify(b"hello", &signature).is_ok());
/// ```
#[derive(Clone)]
pub struct ExpandedSecretKey {
    /// The secret scalar a.
    pub scalar: Scalar,
    /// The prefix of the nonce's hash.
    pub hash_prefix: [u8; 32],
}

impl ExpandedSecretKey {
    /// From the 64 bytes that RFC 8032 computes as SHA-512 of the seed: the first half is clamped
    /// and reduced, the second is the prefix. Constant time.
    pub fn from_bytes(bytes: &[u8; 64]) -> Self {
        let expanded = Expanded::from_digest(bytes);
        let secret = ExpandedSecretKey { scalar: Scalar(expanded.a), hash_prefix: expanded.prefix };
        drop(expanded);
        ct::wipe_stack(ct::StackUse::Curve25519);
        secret
    }

    /// From a scalar of 32 bytes, taken mod ℓ and not clamped, and the 32 bytes of a prefix behind it: what programs keep whose
    /// scalars are blinded or derived, such as Tor's and Cardano's. Of the bytes of [`expand`] it makes the same key as
    /// [`ExpandedSecretKey::from_bytes`]. Constant time.
    pub fn from_scalar_and_prefix(bytes: &[u8; 64]) -> Self {
        let [scalar, prefix] = halves(bytes);
        let scalar = Scalar(l25519::Scalar::reduce_narrow(scalar));
        let secret = ExpandedSecretKey { scalar, hash_prefix: *prefix };
        ct::wipe_stack(ct::StackUse::Curve25519);
        secret
    }

    /// Signs in any variant. The public key is derived. Constant time but for the lengths of message and context.
    ///
    /// ```
    /// use sigmill::ed25519::hazmat::{ExpandedSecretKey, expand};
    /// use sigmill::ed25519::{SigningKey, Variant};
    ///
    /// let seed = [7; 32];
    /// let key = ExpandedSecretKey::from_scalar_and_prefix(&expand(&seed));
    /// let signature = key.sign_with(Variant::Pure, b"hello");
    /// assert_eq!(signature, SigningKey::from_bytes(&seed).sign_with(Variant::Pure, b"hello"));
    /// ```
    pub fn sign_with(&self, variant: Variant<'_>, message: &[u8]) -> Signature {
        let signature = self.sign_hashing(variant, |mut hash| {
            hash.update(message);
            hash
        });
        ct::wipe_stack(ct::StackUse::Deriving);
        signature
    }

    /// Signs with Ed25519ph, given SHA-512 of the message. Constant time.
    pub fn sign_prehashed_with(&self, context: ContextString<'_>, digest: &[u8; 64]) -> Signature {
        let signature =
            self.sign_hashing(Variant::Ph(context), |hash| hash.fed_with_digest(digest));
        ct::wipe_stack(ct::StackUse::Deriving);
        signature
    }

    /// [`ExpandedSecretKey::sign_with`] of a message that other code may write to.
    ///
    /// # Errors
    /// [`Error::MessageChanged`] if both passes over the message did not see the same bytes.
    pub fn sign_shared(
        &self,
        variant: Variant<'_>,
        message: &SharedMessage<'_>,
    ) -> Result<Signature, Error> {
        let signature = self.sign_pieces(variant, message);
        ct::wipe_stack(ct::StackUse::Deriving);
        signature
    }

    /// The caller wipes the stack, this function's frame included.
    #[inline(never)]
    fn sign_pieces(
        &self,
        variant: Variant<'_>,
        message: &SharedMessage<'_>,
    ) -> Result<Signature, Error> {
        sign_pieces_with(&self.expanded(), variant, message, |_| Ok(()))
    }

    /// The caller wipes the stack, this function's frame included.
    #[inline(never)]
    fn sign_hashing(
        &self,
        variant: Variant<'_>,
        feed: impl Fn(MessageHash) -> MessageHash,
    ) -> Signature {
        match sign_feeding(&self.expanded(), variant, feed, |_| Ok::<(), Infallible>(())) {
            Ok(signature) => signature,
            Err(never) => match never {},
        }
    }

    /// As [`ExpandedSecretKey::from_bytes`], from a slice.
    ///
    /// # Errors
    /// [`Error::Length`] unless there are 64 bytes, as the error's source.
    pub fn from_slice(bytes: &[u8]) -> Result<Self, SignatureError> {
        Ok(Self::from_bytes(exactly("expanded secret key", bytes)?))
    }

    /// Whether this is the public key of the scalar. Constant time.
    pub fn belongs_to(&self, verifying_key: &VerifyingKey) -> bool {
        VerifyingKey::from(self) == *verifying_key
    }

    fn expanded(&self) -> Expanded {
        Expanded { a: self.scalar.0, prefix: self.hash_prefix }
    }

    /// The digest behind the nonce. `feed` gives the message: PH(M) for Ed25519ph.
    fn nonce_digest<D: Digest<OutputSize = U64>, E>(
        &self,
        variant: Variant<'_>,
        feed: impl Fn(&mut D) -> Result<(), E>,
    ) -> Result<Zeroizing<[u8; 64]>, E> {
        digest_of(variant, &[&self.hash_prefix], feed).map(Zeroizing::new)
    }

    /// Signs a message that `feed` gives three times, if it is the same the third time. The caller wipes the
    /// stack, whatever comes of it.
    #[inline(never)]
    fn sign_unchanged<D: Digest<OutputSize = U64>>(
        &self,
        feed: impl Fn(&mut D) -> Result<(), SignatureError>,
    ) -> Result<Signature, SignatureError> {
        let (signature, first) = self.sign(Variant::Pure, &feed)?;
        let same = ct::bytes_equal(&first, &*self.nonce_digest(Variant::Pure, &feed)?);
        if ct::declassify("message_unchanged", same).is_true_vartime() {
            Ok(signature)
        } else {
            Err(Error::MessageChanged.into())
        }
    }

    /// Signs, and gives the digest behind the nonce as well. The caller wipes the stack.
    #[inline(never)]
    fn sign<D: Digest<OutputSize = U64>, E>(
        &self,
        variant: Variant<'_>,
        feed: impl Fn(&mut D) -> Result<(), E>,
    ) -> Result<(Signature, Zeroizing<[u8; 64]>), E> {
        let expanded = self.expanded();
        let (_, public_key) = expanded.public_key();
        let secret = self.nonce_digest(variant, &feed)?;
        let nonce = Nonce::of_digest(&secret);
        let k = digest_of(variant, &[nonce.r_encoded(), &public_key], feed)?;
        let k = l25519::Scalar::reduce_wide(&k);
        Ok((Signature::from_bytes(&expanded.finish(&nonce, &k)), secret))
    }
}

/// SHA-512 of a seed with its first half clamped (RFC 8032 section 5.1.5, steps 1 and 2): a scalar that has not been reduced,
/// and the prefix. The caller has to wipe it. Constant time.
pub fn expand(seed: &super::SecretKey) -> [u8; 64] {
    #[inline(never)]
    fn below(seed: &super::SecretKey) -> [u8; 64] {
        let mut bytes = Sha512::new().chain(seed).finish();
        bytes[0] &= 248;
        bytes[31] &= 127;
        bytes[31] |= 64;
        bytes
    }
    let bytes = below(seed);
    ct::wipe_stack(ct::StackUse::Curve25519);
    bytes
}

/// D(dom ‖ prefix ‖ what `feed` gives).
fn digest_of<D: Digest<OutputSize = U64>, E>(
    variant: Variant<'_>,
    prefix: &[&[u8; 32]],
    feed: impl Fn(&mut D) -> Result<(), E>,
) -> Result<[u8; 64], E> {
    let mut digest = D::new();
    write_dom(variant, |bytes| digest.update(bytes));
    prefix.iter().for_each(|bytes| digest.update(bytes));
    feed(&mut digest)?;
    Ok(digest.finalize().into())
}

/// Gives a digest a message that is at hand.
fn feeding<D: Digest>(message: &[u8]) -> impl Fn(&mut D) -> Result<(), Infallible> {
    move |digest| {
        digest.update(message);
        Ok(())
    }
}

/// The value of a computation that cannot fail.
fn sure<T>(result: Result<T, Infallible>) -> T {
    match result {
        Ok(value) => value,
        Err(never) => match never {},
    }
}

impl From<&super::SecretKey> for ExpandedSecretKey {
    fn from(seed: &super::SecretKey) -> Self {
        let expanded = Expanded::from_seed(seed);
        let secret = ExpandedSecretKey { scalar: Scalar(expanded.a), hash_prefix: expanded.prefix };
        drop(expanded);
        ct::wipe_stack(ct::StackUse::Curve25519);
        secret
    }
}

impl From<&ExpandedSecretKey> for VerifyingKey {
    /// The public key of the scalar. Constant time.
    fn from(secret: &ExpandedSecretKey) -> Self {
        let (point, bytes) = secret.expanded().public_key();
        ct::wipe_stack(ct::StackUse::Curve25519);
        let neutral = point.projective().is_identity().is_true_vartime();
        VerifyingKey::from_multiple(&point, bytes, neutral)
    }
}

from_slice!([] ExpandedSecretKey, from_slice, SignatureError);

impl subtle::ConstantTimeEq for ExpandedSecretKey {
    fn ct_eq(&self, other: &Self) -> subtle::Choice {
        self.scalar.0.words()[..].ct_eq(&other.scalar.0.words()[..])
            & self.hash_prefix.ct_eq(&other.hash_prefix)
    }
}

equal_where!([] ExpandedSecretKey, |a, b| {
    let prefixes_equal = ct::bytes_equal(&a.hash_prefix, &b.hash_prefix);
    ct::declassify("keys_equal", a.scalar.equal(&b.scalar) & prefixes_equal)
});

impl Drop for ExpandedSecretKey {
    fn drop(&mut self) {
        self.hash_prefix.zeroize(); // the scalar wipes itself
    }
}

impl ZeroizeOnDrop for ExpandedSecretKey {}

not_shown!([] ExpandedSecretKey, "ExpandedSecretKey");

impl super::SigningKey {
    /// The secret scalar a, reduced mod ℓ. Constant time.
    pub fn to_scalar(&self) -> Scalar {
        Scalar(self.expanded.a)
    }
}

/// Signs a message as Ed25519 does. `verifying_key` is not used: see the module.
pub fn raw_sign<D: Digest<OutputSize = U64>>(
    secret: &ExpandedSecretKey,
    message: &[u8],
    verifying_key: &VerifyingKey,
) -> Signature {
    let _ = verifying_key;
    let (signature, _) = sure(secret.sign::<D, _>(Variant::Pure, feeding(message)));
    ct::wipe_stack(ct::StackUse::Curve25519);
    signature
}

/// Signs a message that `update` feeds to the digest, always the same one: it is called three times,
/// and if the third time gives another nonce than the first, no signature is made. A message that differs the second
/// time alone is not seen, and its signature gives the key away: for memory that other code writes to there is
/// [`SigningKey::sign_shared`](super::SigningKey::sign_shared). `verifying_key` is not used: see the module.
///
/// # Errors
/// The error of `update`; [`Error::MessageChanged`], as the error's source.
pub fn raw_sign_byupdate<D, F>(
    secret: &ExpandedSecretKey,
    update: F,
    verifying_key: &VerifyingKey,
) -> Result<Signature, SignatureError>
where
    D: Digest<OutputSize = U64>,
    F: Fn(&mut D) -> Result<(), SignatureError>,
{
    let _ = verifying_key;
    let signed = secret.sign_unchanged(update);
    ct::wipe_stack(ct::StackUse::Curve25519);
    signed
}

/// Signs a message that was fed to a digest `M`, as Ed25519ph does. `verifying_key` is not used: see
/// the module.
///
/// # Errors
/// [`Error::ContextTooLong`] over 255 bytes, as the error's source.
pub fn raw_sign_prehashed<D, M>(
    secret: &ExpandedSecretKey,
    message: M,
    verifying_key: &VerifyingKey,
    context: Option<&[u8]>,
) -> Result<Signature, SignatureError>
where
    D: Digest<OutputSize = U64>,
    M: Digest<OutputSize = U64>,
{
    let _ = verifying_key;
    let variant = Variant::Ph(ContextString::new(context.unwrap_or_default())?);
    let (signature, _) = sure(secret.sign::<D, _>(variant, feeding(&message.finalize())));
    ct::wipe_stack(ct::StackUse::Curve25519);
    Ok(signature)
}

/// Verifies a signature with another digest under the rule `common`. Time depends on the inputs.
///
/// # Errors
/// The reason why the rule refuses, as the error's source.
pub fn raw_verify<D: Digest<OutputSize = U64>>(
    verifying_key: &VerifyingKey,
    message: &[u8],
    signature: &Signature,
) -> Result<(), SignatureError> {
    verify_with_digest::<D>(&rules::COMMON, Variant::Pure, verifying_key, message, signature)
}

/// Verifies a signature of a message that was fed to a digest `M`, as Ed25519ph does, under the rule
/// `common`. Time depends on the inputs.
///
/// # Errors
/// [`Error::ContextTooLong`] or the reason why the rule refuses, as the error's source.
pub fn raw_verify_prehashed<D, M>(
    verifying_key: &VerifyingKey,
    message: M,
    context: Option<&[u8]>,
    signature: &Signature,
) -> Result<(), SignatureError>
where
    D: Digest<OutputSize = U64>,
    M: Digest<OutputSize = U64>,
{
    let variant = Variant::Ph(ContextString::new(context.unwrap_or_default())?);
    let prehash = message.finalize();
    verify_with_digest::<D>(&rules::COMMON, variant, verifying_key, &prehash, signature)
}

fn verify_with_digest<D: Digest<OutputSize = U64>>(
    rule: &Rule,
    variant: Variant<'_>,
    key: &VerifyingKey,
    message: &[u8],
    signature: &Signature,
) -> Result<(), SignatureError> {
    let k =
        sure(digest_of::<D, _>(variant, &[signature.r_bytes(), key.as_bytes()], feeding(message)));
    let k = l25519::Scalar::reduce_wide(&k);
    let signature = [signature.r_bytes(), signature.s_bytes()];
    Ok(verify_decoded(rule, &key.a, key.facts, &k, signature).ok()?)
}
