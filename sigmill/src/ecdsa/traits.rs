//! The rest of the interface of RustCrypto's crates of the curves, for programs written for them: signatures in DER as
//! a type, messages in parts, hash functions of the caller's choosing, hexadecimal text.
//!
//! Signing goes through `SigningKey::sign_message` and its kin, which wipe. Verification takes any s, as
//! there.

#[cfg(feature = "digest")]
use crate::ecdsa::Digest;
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

impl<C: EcdsaCurve> Signer<DerSignature<C>> for SigningKey<C> {
    fn try_sign(&self, message: &[u8]) -> Result<DerSignature<C>, SignatureError> {
        Ok(self.sign_message(message).to_der())
    }
}

impl<C: EcdsaCurve> PrehashSigner<DerSignature<C>> for SigningKey<C> {
    fn sign_prehash(&self, digest: &[u8]) -> Result<DerSignature<C>, SignatureError> {
        Ok(self.sign_digest_bytes(digest)?.to_der())
    }
}

impl<C: EcdsaCurve> MultipartSigner<Signature<C>> for SigningKey<C> {
    fn try_multipart_sign(&self, parts: &[&[u8]]) -> Result<Signature<C>, SignatureError> {
        Ok(self.sign_digest_bytes(C::digest(parts).as_ref())?)
    }
}

/// The nonce is that of RFC 6979 for the default hash, whichever made the digest.
#[cfg(feature = "digest")]
impl<C: EcdsaCurve, D: Digest + Update> DigestSigner<D, Signature<C>> for SigningKey<C> {
    fn try_sign_digest<F: Fn(&mut D) -> Result<(), SignatureError>>(
        &self,
        feed: F,
    ) -> Result<Signature<C>, SignatureError> {
        Ok(self.sign_digest_bytes(fed(feed)?.as_ref())?)
    }
}

/// The nonce is that of RFC 6979 for the default hash, whichever made the digest.
#[cfg(feature = "digest")]
impl<C: EcdsaCurve, D: Digest + Update> DigestSigner<D, DerSignature<C>> for SigningKey<C> {
    fn try_sign_digest<F: Fn(&mut D) -> Result<(), SignatureError>>(
        &self,
        feed: F,
    ) -> Result<DerSignature<C>, SignatureError> {
        Ok(self.sign_digest_bytes(fed(feed)?.as_ref())?.to_der())
    }
}

#[cfg(feature = "rand_core")]
impl<C: EcdsaCurve> RandomizedPrehashSigner<DerSignature<C>> for SigningKey<C> {
    fn sign_prehash_with_rng<R: rand_core::TryCryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        digest: &[u8],
    ) -> Result<DerSignature<C>, SignatureError> {
        let signature: Signature<C> = self.sign_prehash_with_rng(rng, digest)?;
        Ok(signature.to_der())
    }
}

#[cfg(feature = "rand_core")]
impl<C: EcdsaCurve> RandomizedSigner<DerSignature<C>> for SigningKey<C> {
    fn try_sign_with_rng<R: rand_core::TryCryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        message: &[u8],
    ) -> Result<DerSignature<C>, SignatureError> {
        let signature: Signature<C> = self.try_sign_with_rng(rng, message)?;
        Ok(signature.to_der())
    }
}

impl<C: EcdsaCurve> Verifier<DerSignature<C>> for VerifyingKey<C> {
    fn verify(&self, message: &[u8], der: &DerSignature<C>) -> Result<(), SignatureError> {
        self.verify(message, &Signature::<C>::try_from(*der)?)
    }
}

impl<C: EcdsaCurve> PrehashVerifier<DerSignature<C>> for VerifyingKey<C> {
    fn verify_prehash(&self, digest: &[u8], der: &DerSignature<C>) -> Result<(), SignatureError> {
        self.verify_prehash(digest, &Signature::<C>::try_from(*der)?)
    }
}

impl<C: EcdsaCurve> MultipartVerifier<Signature<C>> for VerifyingKey<C> {
    fn multipart_verify(
        &self,
        parts: &[&[u8]],
        signature: &Signature<C>,
    ) -> Result<(), SignatureError> {
        self.verify_prehash(C::digest(parts).as_ref(), signature)
    }
}

impl<C: EcdsaCurve> MultipartVerifier<DerSignature<C>> for VerifyingKey<C> {
    fn multipart_verify(
        &self,
        parts: &[&[u8]],
        der: &DerSignature<C>,
    ) -> Result<(), SignatureError> {
        self.verify_prehash(C::digest(parts).as_ref(), der)
    }
}

#[cfg(feature = "digest")]
impl<C: EcdsaCurve, D: Digest + Update> DigestVerifier<D, Signature<C>> for VerifyingKey<C> {
    fn verify_digest<F: Fn(&mut D) -> Result<(), SignatureError>>(
        &self,
        feed: F,
        signature: &Signature<C>,
    ) -> Result<(), SignatureError> {
        self.verify_prehash(fed(feed)?.as_ref(), signature)
    }
}

#[cfg(feature = "digest")]
impl<C: EcdsaCurve, D: Digest + Update> DigestVerifier<D, DerSignature<C>> for VerifyingKey<C> {
    fn verify_digest<F: Fn(&mut D) -> Result<(), SignatureError>>(
        &self,
        feed: F,
        der: &DerSignature<C>,
    ) -> Result<(), SignatureError> {
        self.verify_prehash(fed(feed)?.as_ref(), der)
    }
}
