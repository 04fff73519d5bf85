//! The encoding of a point (SEC 1 version 2 section 2.3.3) as a value: bytes of the right form and length,
//! of which nothing more is known. The name and functions are those of the crates `p256` and `p384`.
//!
//! Public data only: time depends on it.

use crate::ecdsa::types;
use crate::encoding::hex;
use crate::error::Error;
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::str::FromStr;
#[cfg(feature = "alloc")]
use {alloc::boxed::Box, alloc::vec::Vec};

macro_rules! sec1_point {
    ($module:ident, $width:literal, $compressed:literal, $uncompressed:literal) => {
        pub(super) mod $module {
            use super::*;
            use types::$module::{FieldBytes, VerifyingKey};

            #[doc = concat!("A point as ", $compressed, " bytes, compressed (2 or 3, and x), or ")]
            #[doc = concat!($uncompressed, " (4, x and y), big-endian. Infinity has no such value.")]
            ///
            /// Whether it is on the curve is known when it has become a key.
            ///
            /// ```
            #[doc = concat!("use sigmill::ecdsa::", stringify!($module), "::{Sec1Point, SigningKey, VerifyingKey};")]
            ///
            #[doc = concat!("let key = *SigningKey::from_slice(&[7; ", $width, "])?.verifying_key();")]
            /// let point: Sec1Point = key.to_sec1_point(false);
            /// assert_eq!(point.compress().as_bytes(), key.to_sec1_compressed());
            /// assert_eq!(VerifyingKey::from_sec1_point(&point.compress())?, key);
            /// # Ok::<(), sigmill::Error>(())
            /// ```
            #[derive(Clone, Copy)]
            pub struct Sec1Point {
                bytes: [u8; $uncompressed],
                len: usize,
            }

            #[allow(clippy::len_without_is_empty)] // none is
            impl Sec1Point {
                /// From the encoding; its form and length are checked, not the point.
                ///
                /// # Errors
                /// [`Error::NotAPoint`] for a first byte other than 2, 3 and 4, [`Error::Length`] for another
                /// number of bytes than it asks for.
                pub fn from_bytes(bytes: impl AsRef<[u8]>) -> Result<Self, Error> {
                    let bytes = bytes.as_ref();
                    let expected = match bytes.first() {
                        Some(2 | 3) => $compressed,
                        Some(4) | None => $uncompressed,
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
                    let mut bytes = [0; $uncompressed];
                    bytes[..encoding.len()].copy_from_slice(encoding);
                    Sec1Point { bytes, len: encoding.len() }
                }

                /// From x and y, big-endian.
                pub fn from_affine_coordinates(
                    x: &FieldBytes,
                    y: &FieldBytes,
                    compress: bool,
                ) -> Self {
                    let mut bytes = [4; $uncompressed];
                    bytes[1..1 + $width].copy_from_slice(x);
                    bytes[1 + $width..].copy_from_slice(y);
                    let point = Self::of(&bytes);
                    if compress { point.compress() } else { point }
                }

                /// The encoding.
                pub fn as_bytes(&self) -> &[u8] {
                    &self.bytes[..self.len]
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
                    self.len == $compressed
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
                        point.bytes[0] = 2 | (self.bytes[2 * $width] & 1);
                        point.bytes[$compressed..].fill(0);
                        point.len = $compressed;
                    }
                    point
                }

                /// x, big-endian; there always is one.
                pub fn x(&self) -> Option<&FieldBytes> {
                    self.bytes[1..].first_chunk()
                }

                /// y, big-endian, if the point is not compressed.
                pub fn y(&self) -> Option<&FieldBytes> {
                    (!self.is_compressed()).then(|| self.bytes.last_chunk()).flatten()
                }
            }

            impl AsRef<[u8]> for Sec1Point {
                fn as_ref(&self) -> &[u8] {
                    self.as_bytes()
                }
            }

            impl TryFrom<&[u8]> for Sec1Point {
                type Error = Error;

                fn try_from(bytes: &[u8]) -> Result<Self, Error> {
                    Self::from_bytes(bytes)
                }
            }

            impl From<&VerifyingKey> for Sec1Point {
                fn from(key: &VerifyingKey) -> Self {
                    Self::of(&key.to_sec1_bytes())
                }
            }

            impl From<VerifyingKey> for Sec1Point {
                fn from(key: VerifyingKey) -> Self {
                    Self::from(&key)
                }
            }

            #[cfg(feature = "alloc")]
            impl From<Sec1Point> for Vec<u8> {
                fn from(point: Sec1Point) -> Self {
                    point.as_bytes().into()
                }
            }

            impl VerifyingKey {
                /// The key of an encoded point: of a [`Sec1Point`], or of the crate `sec1`'s type. Time depends on
                /// the bytes.
                ///
                /// # Errors
                /// [`Error::NotAPoint`] if it is not on the curve.
                pub fn from_sec1_point<P: AsRef<[u8]> + ?Sized>(point: &P) -> Result<Self, Error> {
                    Self::from_sec1_bytes(point.as_ref())
                }

                /// The SEC1 encoding, compressed or not.
                pub fn to_sec1_point(&self, compress: bool) -> Sec1Point {
                    let point = Sec1Point::from(self);
                    if compress { point.compress() } else { point }
                }

                /// The older name of [`Self::from_sec1_point`].
                ///
                /// # Errors
                /// Those of [`Self::from_sec1_point`].
                pub fn from_encoded_point<P: AsRef<[u8]> + ?Sized>(
                    point: &P,
                ) -> Result<Self, Error> {
                    Self::from_sec1_point(point)
                }

                /// The older name of [`Self::to_sec1_point`].
                pub fn to_encoded_point(&self, compress: bool) -> Sec1Point {
                    self.to_sec1_point(compress)
                }
            }

            impl TryFrom<&Sec1Point> for VerifyingKey {
                type Error = Error;

                fn try_from(point: &Sec1Point) -> Result<Self, Error> {
                    Self::from_sec1_point(point)
                }
            }

            impl TryFrom<Sec1Point> for VerifyingKey {
                type Error = Error;

                fn try_from(point: Sec1Point) -> Result<Self, Error> {
                    Self::from_sec1_point(&point)
                }
            }

            impl PartialEq for Sec1Point {
                fn eq(&self, other: &Self) -> bool {
                    self.as_bytes() == other.as_bytes()
                }
            }

            impl Eq for Sec1Point {}

            impl PartialOrd for Sec1Point {
                fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                    Some(self.cmp(other))
                }
            }

            impl Ord for Sec1Point {
                fn cmp(&self, other: &Self) -> Ordering {
                    self.as_bytes().cmp(other.as_bytes())
                }
            }

            impl Hash for Sec1Point {
                fn hash<H: Hasher>(&self, state: &mut H) {
                    self.as_bytes().hash(state);
                }
            }

            /// The encoding in hexadecimal, which `FromStr` reads.
            impl fmt::Display for Sec1Point {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    self.as_bytes().iter().try_for_each(|byte| write!(f, "{byte:02X}"))
                }
            }

            impl fmt::UpperHex for Sec1Point {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    fmt::Display::fmt(self, f)
                }
            }

            impl fmt::LowerHex for Sec1Point {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    hex::write(self.as_bytes(), f)
                }
            }

            impl fmt::Debug for Sec1Point {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    write!(f, "Sec1Point({self})")
                }
            }

            /// Hexadecimal of either case.
            impl FromStr for Sec1Point {
                type Err = Error;

                fn from_str(text: &str) -> Result<Self, Error> {
                    let mut bytes = [0; $uncompressed];
                    Self::from_bytes(hex::read("SEC1 point", text, &mut bytes)?)
                }
            }
        }
    };
}

sec1_point!(p256, 32, 33, 65);
sec1_point!(p384, 48, 49, 97);
