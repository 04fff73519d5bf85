//! Public keys: parsing, verifying, and the forms of a key.
//!
//! Public data only: time depends on it.

use super::signature::Signature;
use crate::curve::weierstrass::Affine;
use crate::ecdsa::Digest;
use crate::ecdsa::curves::{ByteArray, EcdsaCurve};
use crate::ecdsa::rules::{KeyFault, LowS, SignatureFault, of_bytes};
use crate::encoding::hex;
use crate::error::{Error, Verdict};
use crate::impls::{compared_by, from_slice};
use crate::modular::PrimeField;
use core::fmt;

/// A public key: a point of the curve other than infinity.
///
/// ```
/// use sigmill::ecdsa::{LowS, Verifier};
/// use sigmill::ecdsa::p256::{Signature, VerifyingKey};
///
/// # let secret = sigmill::ecdsa::p256::SigningKey::from_slice(&[7; 32])?;
/// # let (sec1, der) = (secret.verifying_key().to_sec1_compressed(), secret.sign_message(b"hello").to_der());
/// # let der = der.as_bytes();
/// let key = VerifyingKey::from_sec1_bytes(&sec1)?; // compressed or not
/// let signature = Signature::from_der(der)?;
/// assert!(key.verify(b"hello", &signature).is_ok());
/// assert!(!key.verify_with(LowS::Any, b"hullo", &signature).is_valid());
/// # Ok::<(), sigmill::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct VerifyingKey<C: EcdsaCurve>(pub(in crate::ecdsa) Affine<C::Fe>);

impl<C: EcdsaCurve> VerifyingKey<C> {
    /// From SEC1 bytes, uncompressed (a 4, x and y) or compressed (2 or 3, and x). Time
    /// depends on the bytes.
    ///
    /// # Errors
    /// [`Error::Length`] for another number of bytes, which infinity has, too; [`Error::NotAPoint`] if it
    /// is not on the curve, or in the hybrid form.
    pub fn from_sec1_bytes(bytes: &[u8]) -> Result<Self, Error> {
        C::point_of_sec1(bytes).map(VerifyingKey).map_err(|fault| match (fault, bytes.first()) {
            (KeyFault::Length, first) => {
                let expected = match first {
                    Some(2 | 3) => C::CompressedPoint::LEN,
                    _ => C::UncompressedPoint::LEN,
                };
                Error::Length { what: "public key", expected, got: bytes.len() }
            }
            (KeyFault::NotAPoint, _) => Error::NotAPoint,
        })
    }

    pub(crate) const fn point(&self) -> &Affine<C::Fe> {
        &self.0
    }

    /// SEC1 bytes, uncompressed: 4, x and y, big-endian.
    pub fn to_sec1_bytes(&self) -> C::UncompressedPoint {
        let mut bytes = C::UncompressedPoint::ZERO;
        let (tag, coordinates) = bytes.as_mut().split_at_mut(1);
        let (x, y) = coordinates.split_at_mut(C::WIDTH);
        tag[0] = 4;
        self.0.x.write_be_bytes(x);
        self.0.y.write_be_bytes(y);
        bytes
    }

    /// SEC1 bytes, compressed: 2 for an even y or 3 for an odd one, and x, big-endian.
    pub fn to_sec1_compressed(&self) -> C::CompressedPoint {
        let mut bytes = C::CompressedPoint::ZERO;
        let (tag, x) = bytes.as_mut().split_at_mut(1);
        tag[0] = 2 + u8::from(self.0.y.is_odd().is_true_vartime());
        self.0.x.write_be_bytes(x);
        bytes
    }

    /// Verifies a signature of a message hashed with the curve's own hash function. Time depends on the inputs.
    pub fn verify_with(&self, low_s: LowS, message: &[u8], signature: &Signature<C>) -> Verdict {
        self.verify_digest_with(low_s, C::digest(&[message]).as_ref(), signature)
    }

    /// Verifies a signature of a message hashed with any hash function. Time depends on
    /// the inputs.
    pub fn verify_with_hash<D: Digest>(
        &self,
        low_s: LowS,
        message: &[u8],
        signature: &Signature<C>,
    ) -> Verdict {
        self.verify_digest_with(low_s, &D::digest(message), signature)
    }

    /// Verifies a signature of a digest, of which the leftmost bits count, as many as n
    /// has; an empty one is [`crate::Reason::DigestEmpty`]. Time depends on the inputs.
    pub fn verify_digest_with(
        &self,
        low_s: LowS,
        digest: &[u8],
        signature: &Signature<C>,
    ) -> Verdict {
        C::verify(low_s, &self.0, digest, signature.as_ref())
    }
}

/// The verdict on a key in bytes, and on a signature of the right length.
fn verify_bytes<C: EcdsaCurve>(
    low_s: LowS,
    key: &[u8],
    digest: &[u8],
    signature: Result<&[u8], SignatureFault>,
) -> Verdict {
    match of_bytes(C::point_of_sec1(key), signature) {
        Ok((key, signature)) => C::verify(low_s, &key, digest, signature),
        Err(refused) => refused,
    }
}

pub(in crate::ecdsa) fn verify_digest_bytes<C: EcdsaCurve>(
    low_s: LowS,
    key: &[u8],
    digest: &[u8],
    signature: &[u8],
) -> Verdict {
    let is_whole = signature.len() == C::SignatureBytes::LEN;
    let signature = is_whole.then_some(signature).ok_or(SignatureFault::Length);
    verify_bytes::<C>(low_s, key, digest, signature)
}

pub(in crate::ecdsa) fn verify_digest_der_bytes<C: EcdsaCurve>(
    low_s: LowS,
    key: &[u8],
    digest: &[u8],
    signature: &[u8],
) -> Verdict {
    let signature = Signature::<C>::bytes_from_der(signature);
    let signature = signature.as_ref().map(AsRef::as_ref).map_err(|_| SignatureFault::Der);
    verify_bytes::<C>(low_s, key, digest, signature)
}

compared_by!([C: EcdsaCurve] VerifyingKey<C>, to_sec1_bytes);

/// The compressed SEC1 bytes in hexadecimal, which `FromStr` reads.
impl<C: EcdsaCurve> fmt::Display for VerifyingKey<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hex::write(self.to_sec1_compressed().as_ref(), f)
    }
}

impl<C: EcdsaCurve> fmt::Debug for VerifyingKey<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VerifyingKey({self})")
    }
}

from_slice!([C: EcdsaCurve] VerifyingKey<C>, from_sec1_bytes, Error);
