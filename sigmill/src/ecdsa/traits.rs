//! What programs written for the crates `p256` and `p384` call besides: signatures in DER as a type of
//! their own, messages in parts, hash functions of the caller's choosing, hexadecimal text.
//!
//! Signing goes through `SigningKey::sign_message` and its kin, which wipe. Verification takes any s, as
//! there.

use crate::ecdsa::types::{p256, p384};
use crate::ecdsa::{Digest, MultipartSigner, MultipartVerifier, PrehashSigner, PrehashVerifier};
use crate::ecdsa::{Signer, Verifier};
use crate::encoding::hex;
use crate::error::Error;
use core::str::FromStr;
#[cfg(feature = "digest")]
use signature::{DigestSigner, DigestVerifier, digest::Update};
#[cfg(feature = "rand_core")]
use signature::{RandomizedSigner, hazmat::RandomizedPrehashSigner};
#[cfg(feature = "alloc")]
use {alloc::boxed::Box, alloc::vec::Vec};

type SignatureError = signature::Error;

/// The digest of what the function feeds.
#[cfg(feature = "digest")]
fn fed<D: Digest + Update>(
    feed: impl Fn(&mut D) -> Result<(), SignatureError>,
) -> Result<impl AsRef<[u8]>, SignatureError> {
    let mut digest = D::new();
    feed(&mut digest)?;
    Ok(digest.finalize())
}

macro_rules! traits {
    ($module:ident, $hash:ident) => {
        const _: () = {
            use crate::hash::$hash as DefaultHash;
            use $module::{DerSignature, Signature, SigningKey, VerifyingKey};

            fn hash_of_parts(parts: &[&[u8]]) -> impl AsRef<[u8]> {
                let mut hash = DefaultHash::new();
                parts.iter().for_each(|part| Digest::update(&mut hash, part));
                hash.finalize()
            }

            #[cfg(feature = "alloc")]
            impl Signature {
                /// r ‖ s, both big-endian.
                pub fn to_vec(&self) -> Vec<u8> {
                    self.as_ref().to_vec()
                }
            }

            /// r ‖ s in hexadecimal of either case.
            impl FromStr for Signature {
                type Err = Error;

                fn from_str(text: &str) -> Result<Self, Error> {
                    let mut bytes = [0; $module::SIGNATURE_LENGTH];
                    Self::from_slice(hex::read("signature", text, &mut bytes)?)
                }
            }

            impl VerifyingKey {
                /// From SEC1 bytes, compressed or not, in hexadecimal of either case.
                pub(crate) fn from_sec1_hex(text: &str) -> Result<Self, Error> {
                    let mut bytes = [0; 2 * $module::FIELD_LENGTH + 1];
                    Self::from_sec1_bytes(hex::read("public key", text, &mut bytes)?)
                }
            }

            /// What `Display` writes: the SEC1 bytes in hexadecimal; with the feature `pem`
            /// SubjectPublicKeyInfo in PEM, too.
            #[cfg(not(feature = "pem"))]
            impl FromStr for VerifyingKey {
                type Err = Error;

                fn from_str(text: &str) -> Result<Self, Error> {
                    Self::from_sec1_hex(text)
                }
            }

            #[allow(clippy::len_without_is_empty)] // none is
            impl DerSignature {
                /// From DER (RFC 3279 section 2.2.3), strictly.
                ///
                /// # Errors
                /// Those of [`Signature::from_der`].
                pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
                    Signature::from_der(bytes).map(Self::from)
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

            impl From<Signature> for DerSignature {
                fn from(signature: Signature) -> Self {
                    signature.to_der()
                }
            }

            impl TryFrom<DerSignature> for Signature {
                type Error = Error;

                fn try_from(der: DerSignature) -> Result<Self, Error> {
                    Self::from_der(der.as_bytes())
                }
            }

            impl TryFrom<&[u8]> for DerSignature {
                type Error = Error;

                fn try_from(bytes: &[u8]) -> Result<Self, Error> {
                    Self::from_bytes(bytes)
                }
            }

            #[cfg(feature = "alloc")]
            impl From<DerSignature> for Box<[u8]> {
                fn from(der: DerSignature) -> Self {
                    der.to_bytes()
                }
            }

            #[cfg(feature = "alloc")]
            impl signature::SignatureEncoding for DerSignature {
                type Repr = Box<[u8]>;
            }

            impl Signer<DerSignature> for SigningKey {
                fn try_sign(&self, message: &[u8]) -> Result<DerSignature, SignatureError> {
                    Ok(self.sign_message(message).to_der())
                }
            }

            impl PrehashSigner<DerSignature> for SigningKey {
                fn sign_prehash(&self, digest: &[u8]) -> Result<DerSignature, SignatureError> {
                    Ok(self.sign_digest_bytes(digest)?.to_der())
                }
            }

            impl MultipartSigner<Signature> for SigningKey {
                fn try_multipart_sign(&self, parts: &[&[u8]]) -> Result<Signature, SignatureError> {
                    Ok(self.sign_digest_bytes(hash_of_parts(parts).as_ref())?)
                }
            }

            /// The nonce is that of RFC 6979 for the default hash, whichever made the digest.
            #[cfg(feature = "digest")]
            impl<D: Digest + Update> DigestSigner<D, Signature> for SigningKey {
                fn try_sign_digest<F: Fn(&mut D) -> Result<(), SignatureError>>(
                    &self,
                    feed: F,
                ) -> Result<Signature, SignatureError> {
                    Ok(self.sign_digest_bytes(fed(feed)?.as_ref())?)
                }
            }

            /// The nonce is that of RFC 6979 for the default hash, whichever made the digest.
            #[cfg(feature = "digest")]
            impl<D: Digest + Update> DigestSigner<D, DerSignature> for SigningKey {
                fn try_sign_digest<F: Fn(&mut D) -> Result<(), SignatureError>>(
                    &self,
                    feed: F,
                ) -> Result<DerSignature, SignatureError> {
                    Ok(self.sign_digest_bytes(fed(feed)?.as_ref())?.to_der())
                }
            }

            #[cfg(feature = "rand_core")]
            impl RandomizedPrehashSigner<DerSignature> for SigningKey {
                fn sign_prehash_with_rng<R: rand_core::TryCryptoRng + ?Sized>(
                    &self,
                    rng: &mut R,
                    digest: &[u8],
                ) -> Result<DerSignature, SignatureError> {
                    let signature: Signature = self.sign_prehash_with_rng(rng, digest)?;
                    Ok(signature.to_der())
                }
            }

            #[cfg(feature = "rand_core")]
            impl RandomizedSigner<DerSignature> for SigningKey {
                fn try_sign_with_rng<R: rand_core::TryCryptoRng + ?Sized>(
                    &self,
                    rng: &mut R,
                    message: &[u8],
                ) -> Result<DerSignature, SignatureError> {
                    let signature: Signature = self.try_sign_with_rng(rng, message)?;
                    Ok(signature.to_der())
                }
            }

            impl Verifier<DerSignature> for VerifyingKey {
                fn verify(&self, message: &[u8], der: &DerSignature) -> Result<(), SignatureError> {
                    self.verify(message, &Signature::try_from(*der)?)
                }
            }

            impl PrehashVerifier<DerSignature> for VerifyingKey {
                fn verify_prehash(
                    &self,
                    digest: &[u8],
                    der: &DerSignature,
                ) -> Result<(), SignatureError> {
                    self.verify_prehash(digest, &Signature::try_from(*der)?)
                }
            }

            impl MultipartVerifier<Signature> for VerifyingKey {
                fn multipart_verify(
                    &self,
                    parts: &[&[u8]],
                    signature: &Signature,
                ) -> Result<(), SignatureError> {
                    self.verify_prehash(hash_of_parts(parts).as_ref(), signature)
                }
            }

            impl MultipartVerifier<DerSignature> for VerifyingKey {
                fn multipart_verify(
                    &self,
                    parts: &[&[u8]],
                    der: &DerSignature,
                ) -> Result<(), SignatureError> {
                    self.verify_prehash(hash_of_parts(parts).as_ref(), der)
                }
            }

            #[cfg(feature = "digest")]
            impl<D: Digest + Update> DigestVerifier<D, Signature> for VerifyingKey {
                fn verify_digest<F: Fn(&mut D) -> Result<(), SignatureError>>(
                    &self,
                    feed: F,
                    signature: &Signature,
                ) -> Result<(), SignatureError> {
                    self.verify_prehash(fed(feed)?.as_ref(), signature)
                }
            }

            #[cfg(feature = "digest")]
            impl<D: Digest + Update> DigestVerifier<D, DerSignature> for VerifyingKey {
                fn verify_digest<F: Fn(&mut D) -> Result<(), SignatureError>>(
                    &self,
                    feed: F,
                    der: &DerSignature,
                ) -> Result<(), SignatureError> {
                    self.verify_prehash(fed(feed)?.as_ref(), der)
                }
            }
        };
    };
}

traits!(p256, Sha256);
traits!(p384, Sha384);
