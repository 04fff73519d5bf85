//! The rest of the interface of RustCrypto's crates of the curves, for programs written for them: signatures in DER as
//! a type, messages in parts, hash functions of the caller's choosing, hexadecimal text.
//!
//! Signing goes through `SigningKey::sign_message` and its kin, which wipe. Verification takes any s, as
//! there.

#[cfg(feature = "digest")]
use crate::ecdsa::Digest;
use crate::ecdsa::LowS;
use crate::ecdsa::curves::{ByteArray, EcdsaCurve};
use crate::ecdsa::types::{DerSignature, Signature, SigningKey, VerifyingKey};
use crate::ecdsa::{MultipartSigner, MultipartVerifier, PrehashSigner, PrehashVerifier};
use crate::ecdsa::{Signer, Verifier};
use crate::encoding::hex;
use crate::error::Error;
use crate::impls::from_slice;
use core::str::FromStr;
#[cfg(feature = "digest")]
use signature::{DigestSigner, DigestVerifier, digest::Update};
#[cfg(feature = "rand_core")]
use signature::{RandomizedSigner, hazmat::RandomizedPrehashSigner};
#[cfg(feature = "alloc")]
use {alloc::boxed::Box, alloc::vec::Vec};

type SignatureError = signature::Error;

/// The digest of the bytes that the function feeds.
#[cfg(feature = "digest")]
fn fed<D: Digest + Update>(
    feed: impl Fn(&mut D) -> Result<(), SignatureError>,
) -> Result<impl AsRef<[u8]>, SignatureError> {
    let mut digest = D::new();
    feed(&mut digest)?;
    Ok(digest.finalize())
}

#[cfg(feature = "alloc")]
impl<C: EcdsaCurve> Signature<C> {
    /// r ‖ s, both big-endian.
    pub fn to_vec(&self) -> Vec<u8> {
        self.as_ref().to_vec()
    }
}

/// r ‖ s in hexadecimal of either case.
impl<C: EcdsaCurve> FromStr for Signature<C> {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let mut bytes = C::SignatureBytes::ZERO;
        Self::from_slice(hex::read("signature", text, bytes.as_mut())?)
    }
}

impl<C: EcdsaCurve> VerifyingKey<C> {
    /// From SEC1 bytes, compressed or not, in hexadecimal of either case.
    pub(crate) fn from_sec1_hex(text: &str) -> Result<Self, Error> {
        let mut bytes = C::UncompressedPoint::ZERO;
        Self::from_sec1_bytes(hex::read("public key", text, bytes.as_mut())?)
    }
}

/// The text that `Display` writes: the SEC1 bytes in hexadecimal; with the feature `pem`
/// SubjectPublicKeyInfo in PEM, too.
#[cfg(not(feature = "pem"))]
impl<C: EcdsaCurve> FromStr for VerifyingKey<C> {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Self::from_sec1_hex(text)
    }
}

#[allow(clippy::len_without_is_empty)] // none is
impl<C: EcdsaCurve> DerSignature<C> {
    /// From DER (RFC 3279 section 2.2.3), strictly.
    ///
    /// # Errors
    /// Those of [`Signature::from_der`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        Signature::<C>::from_der(bytes).map(Self::from)
    }

    /// The encoding.
    #[cfg(feature = "alloc")]
    pub fn to_bytes(&self) -> Box<[u8]> {
        self.as_bytes().into()
    }

    /// Bytes of the encoding.
    pub fn len(&self) -> usize {
        self.as_bytes().len()
    }
}

impl<C: EcdsaCurve> From<Signature<C>> for DerSignature<C> {
    fn from(signature: Signature<C>) -> Self {
        signature.to_der()
    }
}

impl<C: EcdsaCurve> TryFrom<DerSignature<C>> for Signature<C> {
    type Error = Error;

    fn try_from(der: DerSignature<C>) -> Result<Self, Error> {
        Self::from_der(der.as_bytes())
    }
}

from_slice!([C: EcdsaCurve] DerSignature<C>, from_bytes, Error);

#[cfg(feature = "alloc")]
impl<C: EcdsaCurve> From<DerSignature<C>> for Box<[u8]> {
    fn from(der: DerSignature<C>) -> Self {
        der.to_bytes()
    }
}

#[cfg(feature = "alloc")]
impl<C: EcdsaCurve> signature::SignatureEncoding for DerSignature<C> {
    type Repr = Box<[u8]>;
}

impl<C: EcdsaCurve> MultipartSigner<Signature<C>> for SigningKey<C> {
    fn try_multipart_sign(&self, parts: &[&[u8]]) -> Result<Signature<C>, SignatureError> {
        Ok(self.sign_digest_bytes(C::digest(parts).as_ref())?)
    }
}

/// The traits that make and verify signatures, for one form of these: `$form` makes it of a [`Signature`], and `$read` reads
/// it.
macro_rules! traits_of {
    ($signature:ident, |$made:ident| $form:expr, |$given:ident| $read:expr) => {
        impl<C: EcdsaCurve> Signer<$signature<C>> for SigningKey<C> {
            fn try_sign(&self, message: &[u8]) -> Result<$signature<C>, SignatureError> {
                let $made = self.sign_message(message);
                Ok($form)
            }
        }

        impl<C: EcdsaCurve> PrehashSigner<$signature<C>> for SigningKey<C> {
            fn sign_prehash(&self, digest: &[u8]) -> Result<$signature<C>, SignatureError> {
                let $made = self.sign_digest_bytes(digest)?;
                Ok($form)
            }
        }

        /// The nonce is that of RFC 6979 for the default hash, whichever made the digest.
        #[cfg(feature = "digest")]
        impl<C: EcdsaCurve, D: Digest + Update> DigestSigner<D, $signature<C>> for SigningKey<C> {
            fn try_sign_digest<F: Fn(&mut D) -> Result<(), SignatureError>>(
                &self,
                feed: F,
            ) -> Result<$signature<C>, SignatureError> {
                self.sign_prehash(fed(feed)?.as_ref())
            }
        }

        #[cfg(feature = "rand_core")]
        impl<C: EcdsaCurve> RandomizedPrehashSigner<$signature<C>> for SigningKey<C> {
            fn sign_prehash_with_rng<R: rand_core::TryCryptoRng + ?Sized>(
                &self,
                rng: &mut R,
                digest: &[u8],
            ) -> Result<$signature<C>, SignatureError> {
                let $made = self.sign_with_random(rng, digest)?;
                Ok($form)
            }
        }

        #[cfg(feature = "rand_core")]
        impl<C: EcdsaCurve> RandomizedSigner<$signature<C>> for SigningKey<C> {
            fn try_sign_with_rng<R: rand_core::TryCryptoRng + ?Sized>(
                &self,
                rng: &mut R,
                message: &[u8],
            ) -> Result<$signature<C>, SignatureError> {
                self.sign_prehash_with_rng(rng, C::digest(&[message]).as_ref())
            }
        }

        impl<C: EcdsaCurve> Verifier<$signature<C>> for VerifyingKey<C> {
            fn verify(&self, message: &[u8], $given: &$signature<C>) -> Result<(), SignatureError> {
                Ok(self.verify_with(LowS::Any, message, &$read).ok()?)
            }
        }

        impl<C: EcdsaCurve> PrehashVerifier<$signature<C>> for VerifyingKey<C> {
            fn verify_prehash(
                &self,
                digest: &[u8],
                $given: &$signature<C>,
            ) -> Result<(), SignatureError> {
                Ok(self.verify_digest_with(LowS::Any, digest, &$read).ok()?)
            }
        }

        impl<C: EcdsaCurve> MultipartVerifier<$signature<C>> for VerifyingKey<C> {
            fn multipart_verify(
                &self,
                parts: &[&[u8]],
                signature: &$signature<C>,
            ) -> Result<(), SignatureError> {
                self.verify_prehash(C::digest(parts).as_ref(), signature)
            }
        }

        #[cfg(feature = "digest")]
        impl<C: EcdsaCurve, D: Digest + Update> DigestVerifier<D, $signature<C>>
            for VerifyingKey<C>
        {
            fn verify_digest<F: Fn(&mut D) -> Result<(), SignatureError>>(
                &self,
                feed: F,
                signature: &$signature<C>,
            ) -> Result<(), SignatureError> {
                self.verify_prehash(fed(feed)?.as_ref(), signature)
            }
        }
    };
}

traits_of!(Signature, |made| made, |given| *given);
traits_of!(DerSignature, |made| made.to_der(), |given| Signature::<C>::try_from(*given)?);
