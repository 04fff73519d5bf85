//! Types of the crate `elliptic-curve` 0.14, on which `p256` and `p384` stand, as ours and back: points in SEC1,
//! keys, scalars. All go by their encodings: nothing is computed or decided here.
//!
//! Its keys have their curve as a parameter. The order identifies the curve; other curves are an error.
//!
//! Secrets: what this file copies is wiped; constant time here, there as far as that crate is.

use crate::ct::wiping_stack;
use crate::ecdh::{PublicKey, SecretKey};
use crate::ecdsa::EcdsaCurve;
use crate::ecdsa::p256::NistP256;
use crate::ecdsa::p384::NistP384;
use crate::ecdsa::{NonZeroScalar, Sec1Point, VerifyingKey};
use crate::error::Error;
use crate::impls::by_value;
use crate::modular::PrimeField;
use elliptic_curve as theirs;
use elliptic_curve::array::Array;
use elliptic_curve::bigint::ArrayEncoding;
use elliptic_curve::consts::{U32, U48};
use elliptic_curve::sec1::{FromSec1Point, ToSec1Point};
use elliptic_curve::{AffinePoint, Curve, CurveArithmetic};
use sec1::EncodedPoint;
use sec1::point::ModulusSize;

/// Refuses a curve that has another order than ours.
fn of_order<C: Curve, O: EcdsaCurve>() -> Result<(), Error> {
    let order = C::ORDER.as_ref().to_be_byte_array();
    let n = O::Scalar::MODULUS;
    let ours = n.as_ref().iter().rev().flat_map(|word| word.to_be_bytes());
    if order.iter().copied().eq(ours) { Ok(()) } else { Err(Error::AnotherCurve) }
}

/// Converts between types of the same curve; another curve is an error.
fn made<T>(read: Result<T, theirs::Error>) -> Result<T, Error> {
    read.map_err(|_| Error::AnotherCurve)
}

/// A curve by the number of its bytes, as these crates write it.
pub trait Width: EcdsaCurve {
    /// That number.
    type Size: ModulusSize;
}

impl Width for NistP256 {
    type Size = U32;
}

impl Width for NistP384 {
    type Size = U48;
}

impl<O: Width> From<&Sec1Point<O>> for EncodedPoint<O::Size> {
    fn from(point: &Sec1Point<O>) -> Self {
        let (mut x, mut y) = (Array::default(), Array::default());
        let (tag, coordinates) = point.as_bytes().split_at(1);
        let (its_x, its_y) = coordinates.split_at(O::WIDTH);
        x.copy_from_slice(its_x);
        // of a compressed point they take whether y is odd: so is the first byte
        let its_last = if point.is_compressed() { tag } else { its_y };
        y[O::WIDTH - its_last.len()..].copy_from_slice(its_last);
        EncodedPoint::from_affine_coordinates(&x, &y, point.is_compressed())
    }
}
by_value!([O: Width] Sec1Point<O> => EncodedPoint<O::Size>);

impl<O: Width> TryFrom<&EncodedPoint<O::Size>> for Sec1Point<O> {
    type Error = Error;

    /// [`Error::NotAPoint`] for infinity and the compact form, which is x alone.
    fn try_from(point: &EncodedPoint<O::Size>) -> Result<Self, Error> {
        Self::from_bytes(point.as_bytes())
    }
}

impl<O: Width> From<&VerifyingKey<O>> for EncodedPoint<O::Size> {
    fn from(key: &VerifyingKey<O>) -> Self {
        Self::from(key.to_sec1_point(false))
    }
}
by_value!([O: Width] VerifyingKey<O> => EncodedPoint<O::Size>);

impl<O: Width> From<&PublicKey<O>> for EncodedPoint<O::Size> {
    fn from(key: &PublicKey<O>) -> Self {
        Self::from(key.to_sec1_point(false))
    }
}
by_value!([O: Width] PublicKey<O> => EncodedPoint<O::Size>);

impl<O: Width> TryFrom<&EncodedPoint<O::Size>> for VerifyingKey<O> {
    type Error = Error;

    /// Those of [`VerifyingKey::from_sec1_bytes`]. Time depends on the bytes.
    fn try_from(point: &EncodedPoint<O::Size>) -> Result<Self, Error> {
        Self::from_sec1_bytes(point.as_bytes())
    }
}

impl<O: Width> TryFrom<&EncodedPoint<O::Size>> for PublicKey<O> {
    type Error = Error;

    /// Those of [`PublicKey::from_sec1_bytes`]. Time depends on the bytes.
    fn try_from(point: &EncodedPoint<O::Size>) -> Result<Self, Error> {
        Self::from_sec1_bytes(point.as_bytes())
    }
}

impl<O: Width, C> TryFrom<&theirs::PublicKey<C>> for PublicKey<O>
where
    C: CurveArithmetic<FieldBytesSize = O::Size>,
    AffinePoint<C>: ToSec1Point<C>,
{
    type Error = Error;

    /// [`Error::AnotherCurve`].
    fn try_from(key: &theirs::PublicKey<C>) -> Result<Self, Error> {
        of_order::<C, O>()?;
        Self::try_from(&key.as_affine().to_sec1_point(false))
    }
}

impl<O: Width, C> TryFrom<&PublicKey<O>> for theirs::PublicKey<C>
where
    C: CurveArithmetic<FieldBytesSize = O::Size>,
    AffinePoint<C>: FromSec1Point<C> + ToSec1Point<C>,
{
    type Error = Error;

    /// [`Error::AnotherCurve`].
    fn try_from(key: &PublicKey<O>) -> Result<Self, Error> {
        of_order::<C, O>()?;
        made(Self::from_sec1_bytes(key.to_sec1_bytes().as_ref()))
    }
}

impl<O: Width, C: Curve<FieldBytesSize = O::Size>> TryFrom<&theirs::SecretKey<C>> for SecretKey<O> {
    type Error = Error;

    /// [`Error::AnotherCurve`].
    fn try_from(key: &theirs::SecretKey<C>) -> Result<Self, Error> {
        of_order::<C, O>()?;
        wiping_stack(|| Self::from_slice(&key.to_bytes()))
    }
}

impl<O: Width, C: Curve<FieldBytesSize = O::Size>> TryFrom<&SecretKey<O>> for theirs::SecretKey<C> {
    type Error = Error;

    /// [`Error::AnotherCurve`].
    fn try_from(key: &SecretKey<O>) -> Result<Self, Error> {
        of_order::<C, O>()?;
        made(wiping_stack(|| Self::from_slice(key.to_bytes().as_ref())))
    }
}

impl<O: Width, C: CurveArithmetic<FieldBytesSize = O::Size>> TryFrom<&theirs::NonZeroScalar<C>>
    for NonZeroScalar<O>
{
    type Error = Error;

    /// [`Error::AnotherCurve`].
    fn try_from(scalar: &theirs::NonZeroScalar<C>) -> Result<Self, Error> {
        of_order::<C, O>()?;
        wiping_stack(|| Self::try_from(&theirs::FieldBytes::<C>::from(scalar)[..]))
    }
}

impl<O: Width, C: CurveArithmetic<FieldBytesSize = O::Size>> TryFrom<&NonZeroScalar<O>>
    for theirs::NonZeroScalar<C>
{
    type Error = Error;

    /// [`Error::AnotherCurve`].
    fn try_from(scalar: &NonZeroScalar<O>) -> Result<Self, Error> {
        of_order::<C, O>()?;
        made(wiping_stack(|| Self::try_from(scalar.to_bytes().as_ref())))
    }
}

impl From<Error> for theirs::Error {
    /// The error does not name the fault.
    fn from(_: Error) -> Self {
        theirs::Error
    }
}
