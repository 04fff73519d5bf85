//! Ed25519ph with a digest of the caller's choosing, in the names of `ed25519-dalek`.
//!
//! RFC 8032 prehashes with SHA-512; any digest of 64 bytes is taken here, and only signatures over
//! the same digest verify. Where a context may be given, none means the empty one.

use super::{
    ContextString, Digest, DigestSigner, DigestVerifier, Signature, SignatureError, SigningKey,
    VerifyingKey, rules,
};
use crate::error::Error;
use digest::Update;
use digest::common::{Generate, InvalidKey, Key, KeySizeUser, TryKeyInit};
use digest::consts::{U32, U64};
use rand_core::TryCryptoRng;

/// A key with a context of at most 255 bytes, for Ed25519ph.
///
/// ```
/// use sigmill::ed25519::{Digest, DigestSigner, DigestVerifier, Sha512, SigningKey};
///
/// let key = SigningKey::from_bytes(&[7; 32]);
/// let public = key.verifying_key();
/// let ours = key.with_context(b"example.org/files 1")?;
/// let feed = |hash: &mut Sha512| {
///     Digest::update(hash, b"a long message");
///     Ok(())
/// };
/// let signature = ours.sign_digest(|hash: &mut Sha512| Digest::update(hash, b"a long message"));
/// assert!(public.with_context(ours.value())?.verify_digest(feed, &signature).is_ok());
/// # Ok::<(), sigmill::ed25519::SignatureError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Context<'k, 'v, K> {
    key: &'k K,
    value: &'v [u8],
}

impl<'k, 'v, K> Context<'k, 'v, K> {
    /// The longest context, in bytes.
    pub const MAX_LENGTH: usize = 255;

    fn new(key: &'k K, value: &'v [u8]) -> Result<Self, SignatureError> {
        ContextString::new(value)?;
        Ok(Context { key, value })
    }

    /// The key.
    pub fn key(&self) -> &'k K {
        self.key
    }

    /// The context.
    pub fn value(&self) -> &'v [u8] {
        self.value
    }
}

macro_rules! with_context {
    ($key:ident) => {
        impl $key {
            /// This key with a context, for Ed25519ph.
            ///
            /// # Errors
            /// [`Error::ContextTooLong`] over 255 bytes, as the error's source.
            pub fn with_context<'k, 'v>(
                &'k self,
                context: &'v [u8],
            ) -> Result<Context<'k, 'v, Self>, SignatureError> {
                Context::new(self, context)
            }
        }
    };
}

with_context!(SigningKey);
with_context!(VerifyingKey);

fn digest_of<D: Digest<OutputSize = U64>>(message: D) -> [u8; 64] {
    message.finalize().into()
}

fn context_of(context: Option<&[u8]>) -> Result<ContextString<'_>, Error> {
    ContextString::new(context.unwrap_or_default())
}

impl SigningKey {
    /// Signs with Ed25519ph a message that was fed to a digest. Constant time but for the length of
    /// the context.
    ///
    /// # Errors
    /// [`Error::ContextTooLong`] over 255 bytes, as the error's source.
    pub fn sign_prehashed<D: Digest<OutputSize = U64>>(
        &self,
        message: D,
        context: Option<&[u8]>,
    ) -> Result<Signature, SignatureError> {
        Ok(self.sign_prehashed_with(context_of(context)?, &digest_of(message)))
    }

    /// [`VerifyingKey::verify_prehashed`] of the public key.
    ///
    /// # Errors
    /// [`Error::ContextTooLong`] or the reason why the rule `common` refuses, as the error's source.
    pub fn verify_prehashed<D: Digest<OutputSize = U64>>(
        &self,
        message: D,
        context: Option<&[u8]>,
        signature: &Signature,
    ) -> Result<(), SignatureError> {
        self.verifying_key.verify_prehashed(message, context, signature)
    }
}

macro_rules! verify_prehashed {
    ($($name:ident: $rule:ident, $title:literal;)*) => {$(
        #[doc = concat!("Verifies an Ed25519ph signature under the rule `", $title, "`. Time depends on the inputs.")]
        ///
        /// # Errors
        /// [`Error::ContextTooLong`] or the reason why the rule refuses, as the error's source.
        pub fn $name<D: Digest<OutputSize = U64>>(
            &self,
            message: D,
            context: Option<&[u8]>,
            signature: &Signature,
        ) -> Result<(), SignatureError> {
            let (context, digest) = (context_of(context)?, digest_of(message));
            Ok(self.verify_prehashed_with(&rules::$rule, context, &digest, signature).ok()?)
        }
    )*};
}

impl VerifyingKey {
    verify_prehashed! {
        verify_prehashed: COMMON, "common";
        verify_prehashed_strict: STRICT, "strict";
    }
}

/// A digest that `feed` was given, or the error of `feed`.
fn fed<D: Digest>(
    feed: impl Fn(&mut D) -> Result<(), SignatureError>,
) -> Result<D, SignatureError> {
    let mut digest = D::new();
    feed(&mut digest)?;
    Ok(digest)
}

/// Ed25519ph with the empty context.
impl<D: Digest<OutputSize = U64> + Update> DigestSigner<D, Signature> for SigningKey {
    fn try_sign_digest<F: Fn(&mut D) -> Result<(), SignatureError>>(
        &self,
        feed: F,
    ) -> Result<Signature, SignatureError> {
        self.sign_prehashed(fed(feed)?, None)
    }
}

/// Ed25519ph with the context.
impl<D: Digest<OutputSize = U64> + Update> DigestSigner<D, Signature>
    for Context<'_, '_, SigningKey>
{
    fn try_sign_digest<F: Fn(&mut D) -> Result<(), SignatureError>>(
        &self,
        feed: F,
    ) -> Result<Signature, SignatureError> {
        self.key.sign_prehashed(fed(feed)?, Some(self.value))
    }
}

/// Ed25519ph with the empty context, under the rule `common`.
impl<D: Digest<OutputSize = U64> + Update> DigestVerifier<D, Signature> for VerifyingKey {
    fn verify_digest<F: Fn(&mut D) -> Result<(), SignatureError>>(
        &self,
        feed: F,
        signature: &Signature,
    ) -> Result<(), SignatureError> {
        self.verify_prehashed(fed(feed)?, None, signature)
    }
}

/// Ed25519ph with the context, under the rule `common`.
impl<D: Digest<OutputSize = U64> + Update> DigestVerifier<D, Signature>
    for Context<'_, '_, VerifyingKey>
{
    fn verify_digest<F: Fn(&mut D) -> Result<(), SignatureError>>(
        &self,
        feed: F,
        signature: &Signature,
    ) -> Result<(), SignatureError> {
        self.key.verify_prehashed(fed(feed)?, Some(self.value), signature)
    }
}

impl KeySizeUser for SigningKey {
    type KeySize = U32;
}

impl KeySizeUser for VerifyingKey {
    type KeySize = U32;
}

/// Every seed is a key: never fails.
impl TryKeyInit for SigningKey {
    fn new(seed: &Key<Self>) -> Result<Self, InvalidKey> {
        Ok(Self::from_bytes(seed.as_ref()))
    }
}

/// As [`SigningKey::try_generate`].
impl Generate for SigningKey {
    fn try_generate_from_rng<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<Self, R::Error> {
        Self::try_generate(rng)
    }
}
