//! Keys, points and scalars as types of elliptic-curve, and what is on another curve there.

use elliptic_curve::bigint::{Odd, U256, U384};
use elliptic_curve::consts::{U32, U48};
use elliptic_curve::sec1::ToSec1Point;
use sec1::EncodedPoint;
use sigmill::Error;
use sigmill::ecdsa::{p256, p384};

/// Curves of the same widths as ours, with another order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Other256;

impl elliptic_curve::Curve for Other256 {
    type FieldBytesSize = U32;
    type Uint = U256;
    const ORDER: Odd<U256> = Odd::<U256>::from_be_hex(
        "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632553", // n + 2
    );
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Other384;

impl elliptic_curve::Curve for Other384 {
    type FieldBytesSize = U48;
    type Uint = U384;
    const ORDER: Odd<U384> = Odd::<U384>::from_be_hex(concat!(
        "ffffffffffffffffffffffffffffffffffffffffffffffff",
        "c7634d81f4372ddf581a0db248b0a77aecec196accc52975", // n + 2
    ));
}

macro_rules! types {
    ($test:ident, $curve:ident, $size:ident, $other:ident) => {
        #[test]
        fn $test() {
            use $curve::{NonZeroScalar, PublicKey, Sec1Point, SecretKey, VerifyingKey};
            const WIDTH: usize = $curve::FIELD_LENGTH;
            for byte in [1, 0x42, 0x9c, 0xc7] {
                let key = SecretKey::from_slice(&[byte; WIDTH]).unwrap();
                let public = key.public_key();

                // there and back
                let theirs = ::$curve::SecretKey::try_from(&key).unwrap();
                assert_eq!(theirs.to_bytes().as_slice(), [byte; WIDTH]);
                assert_eq!(SecretKey::try_from(&theirs), Ok(key.clone()));
                let theirs_public = ::$curve::PublicKey::try_from(&public).unwrap();
                assert_eq!(theirs_public, theirs.public_key());
                assert_eq!(PublicKey::try_from(&theirs_public), Ok(public));
                let scalar = ::$curve::NonZeroScalar::try_from(&key.to_nonzero_scalar()).unwrap();
                assert_eq!(scalar, theirs.to_nonzero_scalar());
                assert_eq!(NonZeroScalar::try_from(&scalar), Ok(key.to_nonzero_scalar()));

                // what both write
                for compress in [false, true] {
                    let point = public.to_sec1_point(compress);
                    let their_point: EncodedPoint<$size> = (&point).into();
                    assert_eq!(their_point, theirs_public.to_sec1_point(compress));
                    assert_eq!(EncodedPoint::from(point), their_point);
                    assert_eq!(Sec1Point::try_from(&their_point), Ok(point));
                    assert_eq!(PublicKey::try_from(&their_point), Ok(public));
                    let verifying = VerifyingKey::from(public);
                    assert_eq!(VerifyingKey::try_from(&their_point), Ok(verifying));
                    assert_eq!(VerifyingKey::from_sec1_point(&their_point), Ok(verifying));
                    let read: Option<_> = PublicKey::from_sec1_point(&their_point).into();
                    assert_eq!(read, Some(public));
                    let whole = public.to_sec1_point(false).into();
                    assert_eq!(EncodedPoint::from(verifying), whole);
                    assert_eq!(EncodedPoint::from(public), whole);
                    assert_eq!(
                        (EncodedPoint::from(&verifying), EncodedPoint::from(&public)),
                        (whole, whole)
                    );
                }

                // a curve of the same width
                let other =
                    elliptic_curve::SecretKey::<$other>::from_slice(&[byte; WIDTH]).unwrap();
                assert_eq!(SecretKey::try_from(&other).err(), Some(Error::AnotherCurve));
                let made = elliptic_curve::SecretKey::<$other>::try_from(&key);
                assert_eq!(made.err(), Some(Error::AnotherCurve));
            }

            // no point, infinity, the compact form
            let mut no_point = [0; 1 + 2 * WIDTH];
            no_point[0] = 4;
            let no_point = EncodedPoint::<$size>::from_bytes(no_point).unwrap();
            assert_eq!(VerifyingKey::try_from(&no_point), Err(Error::NotAPoint));
            let infinity = EncodedPoint::<$size>::from_bytes([0]).unwrap();
            let mut compact = [7; 1 + WIDTH];
            compact[0] = 5;
            let compact = EncodedPoint::<$size>::from_bytes(compact).unwrap();
            let short = Error::Length { what: "public key", expected: 1 + 2 * WIDTH, got: 1 };
            for (point, error) in [(infinity, short), (compact, Error::NotAPoint)] {
                assert_eq!(Sec1Point::try_from(&point), Err(Error::NotAPoint));
                assert_eq!(PublicKey::try_from(&point), Err(error));
            }

            fn theirs(bytes: &[u8]) -> Result<PublicKey, elliptic_curve::Error> {
                Ok(PublicKey::from_sec1_bytes(bytes)?)
            }
            assert_eq!(theirs(b""), Err(elliptic_curve::Error));
        }
    };
}

types!(p256_there_and_back, p256, U32, Other256);
types!(p384_there_and_back, p384, U48, Other384);
