//! Signatures: as r ‖ s and in DER.

use crate::ecdsa::curves::{ByteArray, EcdsaCurve};
use crate::encoding::{hex, signature_der};
use crate::error::Error;
use crate::impls::from_slice;
use core::fmt;

/// Takes bytes of one exact length.
pub(in crate::ecdsa) fn exactly<'a, B: ByteArray>(
    what: &'static str,
    bytes: &'a [u8],
) -> Result<&'a B, Error> {
    B::of(bytes).ok_or(Error::Length { what, expected: B::LEN, got: bytes.len() })
}

/// A signature with 1 ≤ r, s < n.
///
/// ```
/// use sigmill::ecdsa::p256::{SigningKey, Signature};
///
/// # use sigmill::ecdsa::p256::FIELD_LENGTH;
/// # let signed = SigningKey::from_slice(&[7; FIELD_LENGTH])?.sign_message(b"hello");
/// # let der = signed.to_der();
/// let signature = Signature::from_der(der.as_bytes())?; // as certificates, TLS and OpenSSL have it
/// assert_eq!(Signature::from_slice(&signature.to_bytes())?, signature); // r ‖ s, as JOSE and WebCrypto do
/// assert!(signature.normalize_s().is_low_s());
/// # assert_eq!(signature, signed);
/// # Ok::<(), sigmill::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Signature<C: EcdsaCurve>(pub(super) C::SignatureBytes);

impl<C: EcdsaCurve> Signature<C> {
    /// From r ‖ s, both big-endian.
    ///
    /// # Errors
    /// [`Error::ScalarOutOfRange`] if r or s is 0 or not below n.
    pub fn from_bytes(bytes: &C::SignatureBytes) -> Result<Self, Error> {
        let signature = Signature(*bytes);
        let (r, s) = signature.halves();
        for (what, scalar) in [("r of the signature", r), ("s of the signature", s)] {
            let (_, in_range) = C::scalar_in_range(scalar);
            if !in_range.is_true_vartime() {
                return Err(Error::ScalarOutOfRange { what });
            }
        }
        Ok(signature)
    }

    /// From r ‖ s in a slice, and from nothing else: DER is not guessed.
    ///
    /// # Errors
    /// [`Error::Length`] for another number of bytes; those of
    /// [`Signature::from_bytes`].
    pub fn from_slice(bytes: &[u8]) -> Result<Self, Error> {
        Self::from_bytes(exactly("signature", bytes)?)
    }

    /// From DER (RFC 3279 section 2.2.3), strictly: each signature has one encoding.
    ///
    /// # Errors
    /// [`Error::SignatureDer`] if the bytes are not such an encoding; those of
    /// [`Signature::from_bytes`].
    pub fn from_der(bytes: &[u8]) -> Result<Self, Error> {
        Self::from_bytes(&Self::bytes_from_der(bytes)?)
    }

    /// r ‖ s of a signature in DER, strictly. Whether they are in range is left to the
    /// verdict.
    ///
    /// # Errors
    /// [`Error::SignatureDer`] if the bytes are not such an encoding.
    pub fn bytes_from_der(bytes: &[u8]) -> Result<C::SignatureBytes, Error> {
        let mut signature = C::SignatureBytes::ZERO;
        let (r, s) = signature.as_mut().split_at_mut(C::WIDTH);
        signature_der::parse(bytes, r, s).map_err(Error::SignatureDer)?;
        Ok(signature)
    }

    /// From r and s, both big-endian: arrays, or types that become one.
    ///
    /// # Errors
    /// Those of [`Signature::from_bytes`].
    pub fn from_scalars(
        r: impl Into<C::FieldBytes>,
        s: impl Into<C::FieldBytes>,
    ) -> Result<Self, Error> {
        let mut bytes = C::SignatureBytes::ZERO;
        let (r_place, s_place) = bytes.as_mut().split_at_mut(C::WIDTH);
        r_place.copy_from_slice(r.into().as_ref());
        s_place.copy_from_slice(s.into().as_ref());
        Self::from_bytes(&bytes)
    }

    /// r ‖ s, both big-endian.
    pub const fn to_bytes(&self) -> C::SignatureBytes {
        self.0
    }

    /// r and s, both big-endian.
    pub fn split_bytes(&self) -> (C::FieldBytes, C::FieldBytes) {
        let (mut r, mut s) = (C::FieldBytes::ZERO, C::FieldBytes::ZERO);
        r.as_mut().copy_from_slice(self.halves().0);
        s.as_mut().copy_from_slice(self.halves().1);
        (r, s)
    }

    fn halves(&self) -> (&[u8], &[u8]) {
        self.0.as_ref().split_at(C::WIDTH)
    }

    /// The signature in DER.
    pub fn to_der(&self) -> DerSignature<C> {
        let mut der = DerSignature::<C> { bytes: C::DerBytes::ZERO, len: 0 };
        let (r, s) = self.halves();
        // the memory is as long as the longest encoding
        der.len = signature_der::write(r, s, der.bytes.as_mut()).unwrap_or(0);
        der
    }

    /// Whether s is at most (n − 1)/2.
    pub fn is_low_s(&self) -> bool {
        self.normalize_s() == *self
    }

    /// The signature with the lower of s and n − s: valid where this one is.
    #[must_use]
    pub fn normalize_s(&self) -> Self {
        let mut normal = *self;
        C::lower(&mut normal.0.as_mut()[C::WIDTH..]);
        normal
    }
}

impl<C: EcdsaCurve> AsRef<[u8]> for Signature<C> {
    fn as_ref(&self) -> &[u8] {
        self.0.as_ref()
    }
}

from_slice!([C: EcdsaCurve] Signature<C>, from_slice, Error);

impl<C: EcdsaCurve> fmt::Display for Signature<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_ref().iter().try_for_each(|byte| write!(f, "{byte:02X}"))
    }
}

impl<C: EcdsaCurve> fmt::LowerHex for Signature<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hex::write(self.as_ref(), f)
    }
}

impl<C: EcdsaCurve> fmt::UpperHex for Signature<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<C: EcdsaCurve> fmt::Debug for Signature<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signature({self})")
    }
}

/// A signature in DER, with 1 ≤ r, s < n.
///
/// ```
/// use sigmill::ecdsa::p256::{DerSignature, FIELD_LENGTH, SigningKey};
///
/// let signature = SigningKey::from_slice(&[7; FIELD_LENGTH])?.sign_message(b"hello");
/// let der = DerSignature::from_bytes(signature.to_der().as_bytes())?;
/// assert_eq!(der.as_bytes()[0], 0x30); // SEQUENCE
/// # assert_eq!(der, signature.to_der());
/// # Ok::<(), sigmill::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct DerSignature<C: EcdsaCurve> {
    bytes: C::DerBytes,
    len: usize,
}

impl<C: EcdsaCurve> DerSignature<C> {
    /// The encoding.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes.as_ref()[..self.len]
    }
}

impl<C: EcdsaCurve> AsRef<[u8]> for DerSignature<C> {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl<C: EcdsaCurve> fmt::Debug for DerSignature<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DerSignature(")?;
        self.as_bytes().iter().try_for_each(|byte| write!(f, "{byte:02X}"))?;
        write!(f, ")")
    }
}
