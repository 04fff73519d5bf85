//! An integer from 1 to n − 1 as a value: r and s of a signature, or a secret key on its way to another type. The
//! name is that of RustCrypto's crates; there is no arithmetic behind it.
//!
//! Taken as secret: constant time, wiped when dropped.

use crate::ct;
use crate::ecdsa::curves::{ByteArray, EcdsaCurve, NistP256, NistP384};
use crate::ecdsa::types::{Signature, SigningKey, exactly};
use crate::error::Error;
use crate::impls::{by_value, equal_where, not_shown};
use crate::modular::{Arithmetic, PrimeField};
use signature::SignatureEncoding;
use subtle::{Choice, ConstantTimeEq, CtOption};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// An integer from 1 to n − 1: r or s of a signature, or a secret key. Wiped when dropped; never shown;
/// comparison is constant time.
///
/// ```
/// use sigmill::ecdsa::p256::{NonZeroScalar, Signature, SigningKey};
///
/// let scalar = NonZeroScalar::try_from(&[7; 32][..])?;
/// let signature = SigningKey::from(scalar).sign_message(b"attack at dawn");
/// let (r, s) = signature.split_scalars();
/// assert_eq!((r.to_bytes(), s.to_bytes()), signature.split_bytes());
/// assert_eq!(Signature::from_scalars(r, s)?, signature);
/// # Ok::<(), sigmill::Error>(())
/// ```
#[derive(Clone)]
pub struct NonZeroScalar<C: EcdsaCurve>(pub(crate) C::Scalar);

impl<C: EcdsaCurve> NonZeroScalar<C> {
    /// From its bytes, big-endian; none for an integer that is 0 or not below n. Constant time.
    pub fn from_repr(bytes: C::FieldBytes) -> CtOption<Self> {
        let read = Self::try_from(bytes.as_ref());
        let exists = Choice::from(u8::from(read.is_ok()));
        CtOption::new(read.unwrap_or(NonZeroScalar(C::Scalar::ONE)), exists)
    }

    /// The bytes, big-endian. The caller has to wipe those of a secret.
    pub fn to_bytes(&self) -> C::FieldBytes {
        let mut bytes = C::FieldBytes::ZERO;
        self.0.write_be_bytes(bytes.as_mut());
        bytes
    }
}

impl<C: EcdsaCurve> TryFrom<&[u8]> for NonZeroScalar<C> {
    type Error = Error;

    fn try_from(bytes: &[u8]) -> Result<Self, Error> {
        let scalar = SigningKey::<C>::scalar_of(exactly("scalar", bytes)?);
        ct::wipe_stack(ct::StackUse::Single);
        scalar.map(NonZeroScalar)
    }
}

impl<C: EcdsaCurve> From<&NonZeroScalar<C>> for SigningKey<C> {
    fn from(scalar: &NonZeroScalar<C>) -> Self {
        Self::from_scalar(scalar.0)
    }
}

by_value!([C: EcdsaCurve] NonZeroScalar<C> => SigningKey<C>);

impl<C: EcdsaCurve> Drop for NonZeroScalar<C> {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl<C: EcdsaCurve> ZeroizeOnDrop for NonZeroScalar<C> {}

impl<C: EcdsaCurve> ConstantTimeEq for NonZeroScalar<C> {
    fn ct_eq(&self, other: &Self) -> Choice {
        Choice::from((self.0.equal(&other.0).word() & 1) as u8)
    }
}

equal_where!([C: EcdsaCurve] NonZeroScalar<C>, |a, b| ct::declassify("scalars_equal", a.0.equal(&b.0)));

not_shown!([C: EcdsaCurve] NonZeroScalar<C>, "NonZeroScalar");

impl<C: EcdsaCurve> Signature<C> {
    /// r. [`Signature::split_bytes`] gives the bytes of both.
    pub fn r(&self) -> NonZeroScalar<C> {
        self.split_scalars().0
    }

    /// s.
    pub fn s(&self) -> NonZeroScalar<C> {
        self.split_scalars().1
    }

    /// r and s.
    pub fn split_scalars(&self) -> (NonZeroScalar<C>, NonZeroScalar<C>) {
        let (r, s) = self.split_bytes();
        // in range since there is a signature
        let scalar = |bytes: &[u8]| NonZeroScalar(C::scalar_in_range(bytes).0);
        (scalar(r.as_ref()), scalar(s.as_ref()))
    }
}

/// Arrays of signatures and scalars. The compiler has to know whose array it is, so that these are not generic.
macro_rules! arrays {
    ($curve:ident, $width:literal) => {
        impl From<Signature<$curve>> for [u8; 2 * $width] {
            fn from(signature: Signature<$curve>) -> Self {
                signature.to_bytes()
            }
        }

        impl SignatureEncoding for Signature<$curve> {
            type Repr = [u8; 2 * $width];
        }

        impl From<&NonZeroScalar<$curve>> for [u8; $width] {
            fn from(scalar: &NonZeroScalar<$curve>) -> Self {
                scalar.to_bytes()
            }
        }

        impl From<NonZeroScalar<$curve>> for [u8; $width] {
            fn from(scalar: NonZeroScalar<$curve>) -> Self {
                scalar.to_bytes()
            }
        }
    };
}

arrays!(NistP256, 32);
arrays!(NistP384, 48);
