//! An integer from 1 to n − 1 as a value: r and s of a signature, or a secret key on its way to another type. The
//! name is that of the crates `p256` and `p384`; there is no arithmetic behind it.
//!
//! Taken as secret: constant time, wiped when dropped.

use crate::ct;
use crate::ecdsa::types;
use crate::ecdsa::types::exactly;
use crate::ecdsa::verify::scalar_in_range;
use crate::error::Error;
use crate::modular::PrimeField;
use core::fmt;
use subtle::{Choice, ConstantTimeEq, CtOption};
use zeroize::{Zeroize, ZeroizeOnDrop};

macro_rules! nonzero_scalar {
    ($module:ident, $curve:ident, $width:literal) => {
        pub(super) mod $module {
            use super::*;
            use crate::curve::weierstrass::$module::$curve as TheCurve;
            use types::$module::{FieldBytes, Scalar, Signature, SigningKey};

            /// An integer from 1 to n − 1: r or s of a signature, or a secret key. Wiped when dropped; never shown;
            /// comparison is constant time.
            ///
            /// ```
            #[doc = concat!("use sigmill::ecdsa::", stringify!($module), "::{NonZeroScalar, Signature, SigningKey};")]
            ///
            #[doc = concat!("let scalar = NonZeroScalar::try_from(&[7; ", $width, "][..])?;")]
            /// let signature = SigningKey::from(scalar).sign_message(b"attack at dawn");
            /// let (r, s) = signature.split_scalars();
            /// assert_eq!((r.to_bytes(), s.to_bytes()), signature.split_bytes());
            /// assert_eq!(Signature::from_scalars(r, s)?, signature);
            /// # Ok::<(), sigmill::Error>(())
            /// ```
            #[derive(Clone)]
            pub struct NonZeroScalar(pub(crate) Scalar);

            impl NonZeroScalar {
                /// From its bytes, big-endian; none for an integer that is 0 or not below n. Constant time.
                pub fn from_repr(bytes: FieldBytes) -> CtOption<Self> {
                    let read = Self::try_from(&bytes[..]);
                    let exists = Choice::from(u8::from(read.is_ok()));
                    CtOption::new(read.unwrap_or(NonZeroScalar(Scalar::ONE)), exists)
                }

                #[doc = concat!("The ", $width, " bytes, big-endian. The caller has to wipe those of a secret.")]
                pub fn to_bytes(&self) -> FieldBytes {
                    let mut bytes = [0; $width];
                    self.0.write_be_bytes(&mut bytes);
                    bytes
                }
            }

            impl TryFrom<&[u8]> for NonZeroScalar {
                type Error = Error;

                fn try_from(bytes: &[u8]) -> Result<Self, Error> {
                    let scalar = SigningKey::scalar_of(exactly("scalar", bytes)?);
                    ct::wipe_stack();
                    scalar.map(NonZeroScalar)
                }
            }

            impl From<&NonZeroScalar> for FieldBytes {
                fn from(scalar: &NonZeroScalar) -> Self {
                    scalar.to_bytes()
                }
            }

            impl From<NonZeroScalar> for FieldBytes {
                fn from(scalar: NonZeroScalar) -> Self {
                    scalar.to_bytes()
                }
            }

            impl From<&NonZeroScalar> for SigningKey {
                fn from(scalar: &NonZeroScalar) -> Self {
                    Self::from_scalar(scalar.0)
                }
            }

            impl From<NonZeroScalar> for SigningKey {
                fn from(scalar: NonZeroScalar) -> Self {
                    Self::from(&scalar)
                }
            }

            impl Drop for NonZeroScalar {
                fn drop(&mut self) {
                    self.0.zeroize();
                }
            }

            impl ZeroizeOnDrop for NonZeroScalar {}

            impl ConstantTimeEq for NonZeroScalar {
                fn ct_eq(&self, other: &Self) -> Choice {
                    Choice::from((self.0.equal(&other.0).word() & 1) as u8)
                }
            }

            impl PartialEq for NonZeroScalar {
                fn eq(&self, other: &Self) -> bool {
                    ct::declassify("scalars_equal", self.0.equal(&other.0)).is_true_vartime()
                }
            }

            impl Eq for NonZeroScalar {}

            impl fmt::Debug for NonZeroScalar {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str("NonZeroScalar(not shown)")
                }
            }

            impl Signature {
                /// r. [`Signature::split_bytes`] gives the bytes of both.
                pub fn r(&self) -> NonZeroScalar {
                    self.split_scalars().0
                }

                /// s.
                pub fn s(&self) -> NonZeroScalar {
                    self.split_scalars().1
                }

                /// r and s.
                pub fn split_scalars(&self) -> (NonZeroScalar, NonZeroScalar) {
                    let (r, s) = self.split_bytes();
                    // in range since there is a signature
                    let scalar = |bytes: &[u8]| NonZeroScalar(scalar_in_range::<TheCurve>(bytes).0);
                    (scalar(&r), scalar(&s))
                }
            }
        }
    };
}

nonzero_scalar!(p256, P256, 32);
nonzero_scalar!(p384, P384, 48);
