//! Types of the crate `elliptic-curve` 0.14, on which `p256` and `p384` stand, as ours and back: points in SEC1,
//! keys, scalars. All go by their encodings: nothing is computed or decided here.
//!
//! Its keys have their curve as a parameter. Which curve that is, its order says; one that is not ours is an error.
//!
//! Secrets: what this file copies is wiped; constant time here, there as far as that crate is.

use crate::ct::wiping_stack;
use crate::ecdsa::{p256, p384};
use crate::error::Error;
use crate::modular::PrimeField;
use elliptic_curve as theirs;
use elliptic_curve::array::Array;
use elliptic_curve::bigint::ArrayEncoding;
use elliptic_curve::consts::{U32, U48};
use elliptic_curve::sec1::{FromSec1Point, ToSec1Point};
use elliptic_curve::{AffinePoint, Curve, CurveArithmetic};
use sec1::EncodedPoint;

/// Refuses a curve that has another order than n, words from the lowest.
fn of_order<C: Curve>(n: &[u64]) -> Result<(), Error> {
    let order = C::ORDER.as_ref().to_be_byte_array();
    let ours = n.iter().rev().flat_map(|word| word.to_be_bytes());
    if order.iter().copied().eq(ours) { Ok(()) } else { Err(Error::AnotherCurve) }
}

/// What is well formed on one curve as the same curve has it elsewhere.
fn made<T>(read: Result<T, theirs::Error>) -> Result<T, Error> {
    read.map_err(|_| Error::AnotherCurve)
}

/// The conversion of a value, of which there is one of a reference.
macro_rules! by_value {
    ($from:ty, $to:ty) => {
        impl From<$from> for $to {
            fn from(value: $from) -> Self {
                Self::from(&value)
            }
        }
    };
}

macro_rules! types {
    ($module:ident, $size:ty, $width:literal) => {
        const _: () = {
            use $module::{FieldBytes, NonZeroScalar, PublicKey, Scalar, SecretKey, VerifyingKey};

            type Theirs = EncodedPoint<$size>;

            impl From<&$module::Sec1Point> for Theirs {
                fn from(point: &$module::Sec1Point) -> Self {
                    let coordinate = |bytes: &FieldBytes| Array::from(*bytes);
                    let mut y = [0; $width];
                    // of a compressed point they take whether y is odd: so is the first byte
                    y[$width - 1] = point.as_bytes()[0];
                    let x = point.x().map_or_else(Array::default, coordinate);
                    let y = coordinate(point.y().unwrap_or(&y));
                    EncodedPoint::from_affine_coordinates(&x, &y, point.is_compressed())
                }
            }
            by_value!($module::Sec1Point, Theirs);

            impl TryFrom<&Theirs> for $module::Sec1Point {
                type Error = Error;

                /// [`Error::NotAPoint`] for infinity and the compact form, which is x alone.
                fn try_from(point: &Theirs) -> Result<Self, Error> {
                    Self::from_bytes(point.as_bytes())
                }
            }

            impl From<&VerifyingKey> for Theirs {
                fn from(key: &VerifyingKey) -> Self {
                    Self::from(key.to_sec1_point(false))
                }
            }
            by_value!(VerifyingKey, Theirs);

            impl From<&PublicKey> for Theirs {
                fn from(key: &PublicKey) -> Self {
                    Self::from(key.to_sec1_point(false))
                }
            }
            by_value!(PublicKey, Theirs);

            impl TryFrom<&Theirs> for VerifyingKey {
                type Error = Error;

                /// Those of [`VerifyingKey::from_sec1_bytes`]. Time depends on the bytes.
                fn try_from(point: &Theirs) -> Result<Self, Error> {
                    Self::from_sec1_bytes(point.as_bytes())
                }
            }

            impl TryFrom<&Theirs> for PublicKey {
                type Error = Error;

                /// Those of [`PublicKey::from_sec1_bytes`]. Time depends on the bytes.
                fn try_from(point: &Theirs) -> Result<Self, Error> {
                    Self::from_sec1_bytes(point.as_bytes())
                }
            }

            impl<C> TryFrom<&theirs::PublicKey<C>> for PublicKey
            where
                C: CurveArithmetic<FieldBytesSize = $size>,
                AffinePoint<C>: ToSec1Point<C>,
            {
                type Error = Error;

                /// [`Error::AnotherCurve`].
                fn try_from(key: &theirs::PublicKey<C>) -> Result<Self, Error> {
                    of_order::<C>(&Scalar::MODULUS)?;
                    Self::try_from(&key.as_affine().to_sec1_point(false))
                }
            }

            impl<C> TryFrom<&PublicKey> for theirs::PublicKey<C>
            where
                C: CurveArithmetic<FieldBytesSize = $size>,
                AffinePoint<C>: FromSec1Point<C> + ToSec1Point<C>,
            {
                type Error = Error;

                /// [`Error::AnotherCurve`].
                fn try_from(key: &PublicKey) -> Result<Self, Error> {
                    of_order::<C>(&Scalar::MODULUS)?;
                    made(Self::from_sec1_bytes(&key.to_sec1_bytes()))
                }
            }

            impl<C: Curve<FieldBytesSize = $size>> TryFrom<&theirs::SecretKey<C>> for SecretKey {
                type Error = Error;

                /// [`Error::AnotherCurve`].
                fn try_from(key: &theirs::SecretKey<C>) -> Result<Self, Error> {
                    of_order::<C>(&Scalar::MODULUS)?;
                    wiping_stack(|| Self::from_bytes(&key.to_bytes().into()))
                }
            }

            impl<C: Curve<FieldBytesSize = $size>> TryFrom<&SecretKey> for theirs::SecretKey<C> {
                type Error = Error;

                /// [`Error::AnotherCurve`].
                fn try_from(key: &SecretKey) -> Result<Self, Error> {
                    of_order::<C>(&Scalar::MODULUS)?;
                    made(wiping_stack(|| Self::from_slice(&key.to_bytes())))
                }
            }

            impl<C: CurveArithmetic<FieldBytesSize = $size>> TryFrom<&theirs::NonZeroScalar<C>>
                for NonZeroScalar
            {
                type Error = Error;

                /// [`Error::AnotherCurve`].
                fn try_from(scalar: &theirs::NonZeroScalar<C>) -> Result<Self, Error> {
                    of_order::<C>(&Scalar::MODULUS)?;
                    wiping_stack(|| Self::try_from(&theirs::FieldBytes::<C>::from(scalar)[..]))
                }
            }

            impl<C: CurveArithmetic<FieldBytesSize = $size>> TryFrom<&NonZeroScalar>
                for theirs::NonZeroScalar<C>
            {
                type Error = Error;

                /// [`Error::AnotherCurve`].
                fn try_from(scalar: &NonZeroScalar) -> Result<Self, Error> {
                    of_order::<C>(&Scalar::MODULUS)?;
                    made(wiping_stack(|| Self::try_from(&scalar.to_bytes()[..])))
                }
            }
        };
    };
}

types!(p256, U32, 32);
types!(p384, U48, 48);

impl From<Error> for theirs::Error {
    /// It says nothing of what is wrong.
    fn from(_: Error) -> Self {
        theirs::Error
    }
}
