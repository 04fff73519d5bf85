//! Ed25519ph with a digest of the caller's choosing. RFC 8032 prehashes with SHA-512; any digest of 64
//! bytes is taken here, and only signatures over the same digest verify. No context means the empty one.

use crate::{
    Digest, DigestSigner, DigestVerifier, Signature, SignatureError, SigningKey, VerifyingKey,
    failed, given, judged, made,
};
use digest::consts::U64;
use sigmill::ed25519::{ContextString, rules};

/// A key with a context of at most 255 bytes, for Ed25519ph.
///
/// ```
/// use sigmill_dalek2::{Digest, DigestSigner, DigestVerifier, Sha512, SigningKey};
///
/// let key = SigningKey::from_bytes(&[7; 32]);
/// let digest = || Sha512::new().chain_update(b"a long message");
/// let signature = key.with_context(b"example.org/files 1")?.sign_digest(digest());
/// let public = key.verifying_key();
/// public.with_context(b"example.org/files 1")?.verify_digest(digest(), &signature)?;
/// # Ok::<(), sigmill_dalek2::SignatureError>(())
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
        context_of(Some(value))?;
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
            /// If the context is longer than 255 bytes.
            pub fn with_context<'k, 'v>(
                &'k self,
                context_value: &'v [u8],
            ) -> Result<Context<'k, 'v, Self>, SignatureError> {
                Context::new(self, context_value)
            }
        }
    };
}

with_context!(SigningKey);
with_context!(VerifyingKey);

fn context_of(context: Option<&[u8]>) -> Result<ContextString<'_>, SignatureError> {
    ContextString::new(context.unwrap_or_default()).map_err(failed)
}

impl SigningKey {
    /// Signs with Ed25519ph a message that was fed to a digest. Constant time but for the length of the
    /// context.
    ///
    /// # Errors
    /// If the context is longer than 255 bytes.
    pub fn sign_prehashed<D: Digest<OutputSize = U64>>(
        &self,
        prehashed_message: D,
        context: Option<&[u8]>,
    ) -> Result<Signature, SignatureError> {
        let (context, digest) = (context_of(context)?, prehashed_message.finalize().into());
        Ok(made(self.as_sigmill().sign_prehashed_with(context, &digest)))
    }

    /// [`VerifyingKey::verify_prehashed`] of the public key.
    ///
    /// # Errors
    /// If the context is longer than 255 bytes, or the rule refuses.
    pub fn verify_prehashed<D: Digest<OutputSize = U64>>(
        &self,
        prehashed_message: D,
        context: Option<&[u8]>,
        signature: &Signature,
    ) -> Result<(), SignatureError> {
        self.verifying_key().verify_prehashed(prehashed_message, context, signature)
    }
}

macro_rules! verify_prehashed {
    ($($name:ident: $rule:ident, $title:literal;)*) => {$(
        #[doc = concat!("Verifies an Ed25519ph signature under the rule `", $title, "`. Time depends on the inputs.")]
        ///
        /// # Errors
        /// If the context is longer than 255 bytes, or the rule refuses.
        pub fn $name<D: Digest<OutputSize = U64>>(
            &self,
            prehashed_message: D,
            context: Option<&[u8]>,
            signature: &Signature,
        ) -> Result<(), SignatureError> {
            let (context, digest) = (context_of(context)?, prehashed_message.finalize().into());
            let (key, signature) = (self.as_sigmill(), given(signature));
            judged(key.verify_prehashed_with(&rules::$rule, context, &digest, &signature))
        }
    )*};
}

impl VerifyingKey {
    verify_prehashed! {
        verify_prehashed: COMMON, "common";
        verify_prehashed_strict: STRICT, "strict";
    }
}

/// Ed25519ph with the empty context.
impl<D: Digest<OutputSize = U64>> DigestSigner<D, Signature> for SigningKey {
    fn try_sign_digest(&self, digest: D) -> Result<Signature, SignatureError> {
        self.sign_prehashed(digest, None)
    }
}

/// Ed25519ph with the context.
impl<D: Digest<OutputSize = U64>> DigestSigner<D, Signature> for Context<'_, '_, SigningKey> {
    fn try_sign_digest(&self, digest: D) -> Result<Signature, SignatureError> {
        self.key.sign_prehashed(digest, Some(self.value))
    }
}

/// Ed25519ph with the empty context, under the rule `common`.
impl<D: Digest<OutputSize = U64>> DigestVerifier<D, Signature> for VerifyingKey {
    fn verify_digest(&self, digest: D, signature: &Signature) -> Result<(), SignatureError> {
        self.verify_prehashed(digest, None, signature)
    }
}

/// Ed25519ph with the context, under the rule `common`.
impl<D: Digest<OutputSize = U64>> DigestVerifier<D, Signature> for Context<'_, '_, VerifyingKey> {
    fn verify_digest(&self, digest: D, signature: &Signature) -> Result<(), SignatureError> {
        self.key.verify_prehashed(digest, Some(self.value), signature)
    }
}
