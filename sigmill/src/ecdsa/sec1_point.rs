//! The encoding of a point (SEC 1 version 2 section 2.3.3) as a value: bytes of the right form and length,
//! of which nothing more is known. The name and functions are those of RustCrypto's crates.
//!
//! Public data only: time depends on it.

use crate::ecdsa::curves::{ByteArray, EcdsaCurve};
use crate::ecdsa::types::VerifyingKey;
use crate::encoding::hex;
use crate::error::Error;
use crate::impls::{by_value, compared_by, from_slice};
use core::fmt;
use core::str::FromStr;
#[cfg(feature = "alloc")]
use {alloc::boxed::Box, alloc::vec::Vec};

/// A point in bytes, compressed (2 or 3, and x) or not (4, x and y), big-endian. Infinity has no such value.
///
/// Whether it is on the curve is known when it has become a key.
///
/// ```
/// use sigmill::ecdsa::p256::{Sec1Point, SigningKey, VerifyingKey};
///
/// let key = *SigningKey::from_slice(&[7; 32])?.verifying_key();
/// let point: Sec1Point = key.to_sec1_point(false);
/// assert_eq!(point.compress().as_bytes(), key.to_sec1_compressed());
/// assert_eq!(VerifyingKey::from_sec1_point(&point.compress())?, key);
/// # Ok::<(), sigmill::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Sec1Point<C: EcdsaCurve> {
    bytes: C::UncompressedPoint,
    len: usize,
}

#[allow(clippy::len_without_is_empty)] // none is
impl<C: EcdsaCurve> Sec1Point<C> {
    /// From the encoding; its form and length are checked, not the point.
    ///
    /// # Errors
    /// [`Error::NotAPoint`] for a first byte other than 2, 3 and 4, [`Error::Length`] for another
    /// number of bytes than it asks for.
    pub fn from_bytes(bytes: impl AsRef<[u8]>) -> Result<Self, Error> {
        let bytes = bytes.as_ref();
        let expected = match bytes.first() {
            Some(2 | 3) => C::CompressedPoint::LEN,
            Some(4) | None => C::UncompressedPoint::LEN,
            Some(_) => return Err(Error::NotAPoint),
        };
        if bytes.len() != expected {
            let (what, got) = ("SEC1 point", bytes.len());
            return Err(Error::Length { what, expected, got });
        }
        Ok(Self::of(bytes))
    }

    /// Of bytes that are an encoding.
    fn of(encoding: &[u8]) -> Self {
        let mut bytes = C::UncompressedPoint::ZERO;
        bytes.as_mut()[..encoding.len()].copy_from_slice(encoding);
        Sec1Point { bytes, len: encoding.len() }
    }

    /// From x and y, big-endian.
    pub fn from_affine_coordinates(x: &C::FieldBytes, y: &C::FieldBytes, compress: bool) -> Self {
        let mut bytes = C::UncompressedPoint::ZERO;
        let (tag, coordinates) = bytes.as_mut().split_at_mut(1);
        let (x_place, y_place) = coordinates.split_at_mut(C::WIDTH);
        tag[0] = 4;
        x_place.copy_from_slice(x.as_ref());
        y_place.copy_from_slice(y.as_ref());
        let point = Sec1Point { bytes, len: C::UncompressedPoint::LEN };
        if compress { point.compress() } else { point }
    }

    /// The encoding.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes.as_ref()[..self.len]
    }

    /// The encoding.
    #[cfg(feature = "alloc")]
    pub fn to_bytes(&self) -> Box<[u8]> {
        self.as_bytes().into()
    }

    /// Bytes of the encoding.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether it has x alone.
    pub const fn is_compressed(&self) -> bool {
        self.len == C::CompressedPoint::LEN
    }

    /// False: no value of this type is the point at infinity.
    pub const fn is_identity(&self) -> bool {
        false
    }

    /// The same point with x alone.
    #[must_use]
    pub fn compress(&self) -> Self {
        let mut point = *self;
        if !self.is_compressed() {
            let (compressed, y) = point.bytes.as_mut().split_at_mut(C::CompressedPoint::LEN);
            compressed[0] = 2 | (y[C::WIDTH - 1] & 1);
            y.fill(0);
            point.len = compressed.len();
        }
        point
    }

    /// x, big-endian; there always is one.
    pub fn x(&self) -> Option<&C::FieldBytes> {
        C::FieldBytes::of(&self.bytes.as_ref()[1..=C::WIDTH])
    }

    /// y, big-endian, if the point is not compressed.
    pub fn y(&self) -> Option<&C::FieldBytes> {
        C::FieldBytes::of(&self.as_bytes()[1 + C::WIDTH..])
    }
}

impl<C: EcdsaCurve> AsRef<[u8]> for Sec1Point<C> {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

from_slice!([C: EcdsaCurve] Sec1Point<C>, from_bytes, Error);

impl<C: EcdsaCurve> From<&VerifyingKey<C>> for Sec1Point<C> {
    fn from(key: &VerifyingKey<C>) -> Self {
        Self::of(key.to_sec1_bytes().as_ref())
    }
}

by_value!([C: EcdsaCurve] VerifyingKey<C> => Sec1Point<C>);

#[cfg(feature = "alloc")]
impl<C: EcdsaCurve> From<Sec1Point<C>> for Vec<u8> {
    fn from(point: Sec1Point<C>) -> Self {
        point.as_bytes().into()
    }
}

impl<C: EcdsaCurve> VerifyingKey<C> {
    /// The key of an encoded point: of a [`Sec1Point`], or of the crate `sec1`'s type. Time depends on
    /// the bytes.
    ///
    /// # Errors
    /// [`Error::NotAPoint`] if it is not on the curve.
    pub fn from_sec1_point<P: AsRef<[u8]> + ?Sized>(point: &P) -> Result<Self, Error> {
        Self::from_sec1_bytes(point.as_ref())
    }

    /// The SEC1 encoding, compressed or not.
    pub fn to_sec1_point(&self, compress: bool) -> Sec1Point<C> {
        let point = Sec1Point::<C>::from(self);
        if compress { point.compress() } else { point }
    }

    /// The older name of [`Self::from_sec1_point`].
    ///
    /// # Errors
    /// Those of [`Self::from_sec1_point`].
    pub fn from_encoded_point<P: AsRef<[u8]> + ?Sized>(point: &P) -> Result<Self, Error> {
        Self::from_sec1_point(point)
    }

    /// The older name of [`Self::to_sec1_point`].
    pub fn to_encoded_point(&self, compress: bool) -> Sec1Point<C> {
        self.to_sec1_point(compress)
    }
}

impl<C: EcdsaCurve> TryFrom<&Sec1Point<C>> for VerifyingKey<C> {
    type Error = Error;

    fn try_from(point: &Sec1Point<C>) -> Result<Self, Error> {
        Self::from_sec1_point(point)
    }
}

by_value!([C: EcdsaCurve] Sec1Point<C> => VerifyingKey<C>, Error, Result<Self, Error>);

compared_by!([C: EcdsaCurve] Sec1Point<C>, as_bytes);

/// The encoding in hexadecimal, which `FromStr` reads.
impl<C: EcdsaCurve> fmt::Display for Sec1Point<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_bytes().iter().try_for_each(|byte| write!(f, "{byte:02X}"))
    }
}

impl<C: EcdsaCurve> fmt::UpperHex for Sec1Point<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<C: EcdsaCurve> fmt::LowerHex for Sec1Point<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hex::write(self.as_bytes(), f)
    }
}

impl<C: EcdsaCurve> fmt::Debug for Sec1Point<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sec1Point({self})")
    }
}

/// Hexadecimal of either case.
impl<C: EcdsaCurve> FromStr for Sec1Point<C> {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let mut bytes = C::UncompressedPoint::ZERO;
        Self::from_bytes(hex::read("SEC1 point", text, bytes.as_mut())?)
    }
}
