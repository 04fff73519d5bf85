//! Rows of ECDSA, made by RustCrypto: signatures of messages, and signatures with chosen scalars.

use crate::patterns::{Bits, Pattern};
use crate::random::Random;
use crate::row::Row;

macro_rules! curve {
    ($curve:ident) => {
        pub(crate) mod $curve {
            use super::*;
            use ::$curve::ecdsa::{Signature, SigningKey, signature::Signer};
            use ::$curve::elliptic_curve::PrimeField;
            use ::$curve::elliptic_curve::ops::{Invert, Reduce};
            use ::$curve::elliptic_curve::point::AffineCoordinates;
            use ::$curve::{FieldBytes, ProjectivePoint, Scalar};

            /// A message signed by a key.
            pub(crate) fn signed(secret: &[u8], message: Vec<u8>) -> Option<Row> {
                let key = SigningKey::from_slice(secret).ok()?;
                let signature: Signature = key.sign(&message);
                Some(row(&key, message, &signature))
            }

            /// A digest and a signature whose scalars are as the pattern says, by a new key.
            pub(crate) fn patterned(pattern: &Pattern, random: &mut Random) -> Row {
                let mut scalar = |bits: Bits| loop {
                    let mut bytes = FieldBytes::default();
                    bits.write(&mut bytes, random);
                    if let Some(scalar) = Option::<Scalar>::from(Scalar::from_repr(bytes)) {
                        return if matches!(bits, Bits::MinusSmall) { -scalar } else { scalar };
                    }
                };
                let (u1, u2) = (scalar(pattern.u1), scalar(pattern.u2));
                let k = if pattern.key_is_base { u1 + u2 } else { scalar(Bits::Random) };
                let u2_inverse = Option::<Scalar>::from(Invert::invert(&u2)).expect("not zero");
                let secret = (k - u1) * u2_inverse;
                let point = (ProjectivePoint::GENERATOR * k).to_affine();
                let r = <Scalar as Reduce<FieldBytes>>::reduce(&point.x());
                let s = r * u2_inverse;
                let key = SigningKey::from_bytes(&secret.to_repr()).expect("not zero");
                let signature = Signature::from_scalars(r.to_repr(), s.to_repr());
                row(&key, (u1 * s).to_repr().to_vec(), &signature.expect("not zero"))
            }

            fn row(key: &SigningKey, message: Vec<u8>, signature: &Signature) -> Row {
                Row {
                    secret: key.to_bytes().to_vec(),
                    public: key.verifying_key().to_sec1_point(false).as_bytes().to_vec(),
                    message,
                    signature: signature.to_bytes().to_vec(),
                }
            }
        }
    };
}

curve!(p256);
curve!(p384);
