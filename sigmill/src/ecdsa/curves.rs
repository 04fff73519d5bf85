//! Curves as keys and signatures see them: the lengths of their bytes, a hash function and names.
//!
//! Types are generic over the curve. The functions that compute belong to one curve each, so that a program that uses the
//! types does not compile arithmetic again.

use super::rules::{KeyFault, LowS, decide};
use super::sign;
use super::verify::{facts_vartime, is_low, point_of_sec1, scalar_in_range};
use crate::algorithms::{self, Algorithm};
use crate::ct::{self, Mask};
use crate::curve::weierstrass::{self, Affine, MAX_WIDTH, multiple_of_point};
pub use crate::curve::weierstrass::{NistP256, NistP384};
use crate::encoding::signature_der;
use crate::error::Verdict;
use crate::hash::{Sha256, Sha384};
use crate::modular::{Arithmetic, PrimeField};
use core::fmt::Debug;
use core::hash::Hash;
use sha2::digest::{Digest, Output};
use zeroize::Zeroize;

/// Evaluates an expression with the type of a curve that is a value.
macro_rules! on_curve {
    ($curve:expr, $type:ident => $value:expr) => {
        match $curve {
            $crate::ecdsa::Curve::P256 => {
                type $type = $crate::curve::weierstrass::NistP256;
                $value
            }
            $crate::ecdsa::Curve::P384 => {
                type $type = $crate::curve::weierstrass::NistP384;
                $value
            }
        }
    };
}
pub(crate) use on_curve;

/// A curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Curve {
    /// P-256: r ‖ s has 64 bytes.
    P256,
    /// P-384: r ‖ s has 96 bytes.
    P384,
}

/// An operation that is generic over the curve, for a curve that is a value: see [`Curve::with`].
///
/// ```
/// use sigmill::ecdsa::{Curve, EcdsaCurve, OnCurve, VerifyingKey};
///
/// struct IsKey<'a>(&'a [u8]);
///
/// impl OnCurve for IsKey<'_> {
///     type Output = bool;
///     fn on<C: EcdsaCurve>(self) -> bool {
///         VerifyingKey::<C>::from_sec1_bytes(self.0).is_ok()
///     }
/// }
/// assert!(Curve::ALL.iter().all(|curve| !curve.with(IsKey(b"not a key"))));
/// ```
pub trait OnCurve {
    /// The result of the operation.
    type Output;
    /// Does it on one curve.
    fn on<C: EcdsaCurve>(self) -> Self::Output;
}

impl Curve {
    /// Every curve.
    pub const ALL: [Curve; 2] = [Curve::P256, Curve::P384];

    /// The name in FIPS 186-5, such as `P-256`.
    pub const fn name(self) -> &'static str {
        on_curve!(self, C => C::NAMES.title)
    }

    /// The hash function of the curve's own size.
    pub const fn own_hash(self) -> Prehash {
        on_curve!(self, C => C::HASH)
    }

    /// Runs an operation that is generic over curves on this one.
    pub fn with<F: OnCurve>(self, does: F) -> F::Output {
        on_curve!(self, C => does.on::<C>())
    }
}

/// The hash function that makes the digest of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Prehash {
    /// SHA-256.
    Sha256,
    /// SHA-384.
    Sha384,
    /// SHA-512.
    Sha512,
    /// Nothing: the message is the digest.
    None,
}

/// Bytes of one length, an array.
pub trait ByteArray:
    AsRef<[u8]> + AsMut<[u8]> + Copy + Debug + Eq + Ord + Hash + Zeroize + Send + Sync + 'static
{
    /// How many.
    const LEN: usize;
    /// As many zeros.
    const ZERO: Self;

    /// The bytes, if there are as many.
    fn of(bytes: &[u8]) -> Option<&Self>;
}

impl<const N: usize> ByteArray for [u8; N] {
    const LEN: usize = N;
    const ZERO: Self = [0; N];

    fn of(bytes: &[u8]) -> Option<&Self> {
        bytes.try_into().ok()
    }
}

/// A curve on which keys sign, verify and agree: one of this library.
///
/// ```
/// use sigmill::ecdsa::{EcdsaCurve, SigningKey, p256::NistP256, p384::NistP384};
///
/// fn signed<C: EcdsaCurve>(secret: &[u8], message: &[u8]) -> Result<Vec<u8>, sigmill::Error> {
///     Ok(SigningKey::<C>::from_slice(secret)?.sign_message(message).to_vec())
/// }
/// assert_eq!(signed::<NistP256>(&[7; 32], b"hello")?.len(), 64);
/// assert_eq!(signed::<NistP384>(&[7; 48], b"hello")?.len(), 96);
/// # Ok::<(), sigmill::Error>(())
/// ```
#[allow(private_bounds)] // nobody else can name what a curve has to be able to do
pub trait EcdsaCurve:
    Operations + Copy + Debug + Default + Eq + Ord + Hash + Send + Sync + 'static
{
    /// A secret key, a coordinate, r or s, big-endian.
    type FieldBytes: ByteArray;
    /// r ‖ s, both big-endian.
    type SignatureBytes: ByteArray;
    /// A point in SEC1, compressed: 2 or 3, and x.
    type CompressedPoint: ByteArray;
    /// A point in SEC1, uncompressed: 4, x and y.
    type UncompressedPoint: ByteArray;
    /// A secret key and its public key, uncompressed.
    type KeyPairBytes: ByteArray;
    /// The curve as a value.
    const CURVE: Curve;
}

/// The operations on a curve.
pub(crate) trait Operations: weierstrass::Curve {
    /// Memory for any signature in DER.
    type DerBytes: ByteArray;
    /// A digest of the curve's own hash function.
    type Digest: AsRef<[u8]>;
    /// That function.
    const HASH: Prehash;
    /// The names of ECDSA on this curve.
    const NAMES: Algorithm;

    /// The digest of parts one after the other, by the curve's own hash function.
    fn digest(parts: &[&[u8]]) -> Self::Digest;
    /// A scalar from 1 to n − 1, if the bytes are one. Constant time.
    fn scalar_in_range(bytes: &[u8]) -> (Self::Scalar, Mask);
    /// The point of a SEC1 encoding. Time depends on the bytes.
    fn point_of_sec1(bytes: &[u8]) -> Result<Affine<Self::Fe>, KeyFault>;
    /// [d]G. The stack below is wiped.
    fn public_key(d: &Self::Scalar) -> Affine<Self::Fe>;
    /// Writes r ‖ s of a digest that is not empty, with the nonce of RFC 6979 for the curve's own hash function.
    /// The stack below is wiped.
    fn sign(d: &Self::Scalar, digest: &[u8], additional: &[u8], signature: &mut [u8]);
    /// The verdict about r ‖ s. Time depends on it.
    fn verify(low_s: LowS, q: &Affine<Self::Fe>, digest: &[u8], signature: &[u8]) -> Verdict;
    /// Makes s, big-endian, the lower of s and n − s.
    fn lower(s: &mut [u8]);
    /// Writes x of \[d\]Q, big-endian. Constant time; the stack below is wiped.
    fn agree(d: &Self::Scalar, q: &Affine<Self::Fe>, x: &mut [u8]);
}

/// A curve by its width in bytes and its hash function.
macro_rules! curve {
    ($curve:ident, $value:ident, $width:literal, $hash:ident) => {
        impl EcdsaCurve for $curve {
            type FieldBytes = [u8; $width];
            type SignatureBytes = [u8; 2 * $width];
            type CompressedPoint = [u8; 1 + $width];
            type UncompressedPoint = [u8; 1 + 2 * $width];
            type KeyPairBytes = [u8; 1 + 3 * $width];
            const CURVE: Curve = Curve::$value;
        }

        const _: () =
            assert!(<$curve as weierstrass::Curve>::WIDTH == $width && $width <= MAX_WIDTH);

        impl Operations for $curve {
            type DerBytes = [u8; signature_der::max_len($width)];
            type Digest = Output<$hash>;
            const HASH: Prehash = Prehash::$hash;
            const NAMES: Algorithm = algorithms::$value;

            fn digest(parts: &[&[u8]]) -> Self::Digest {
                let mut hash = $hash::new();
                parts.iter().for_each(|part| hash.update(part));
                hash.finalize()
            }

            fn scalar_in_range(bytes: &[u8]) -> (Self::Scalar, Mask) {
                scalar_in_range::<Self>(bytes)
            }

            fn point_of_sec1(bytes: &[u8]) -> Result<Affine<Self::Fe>, KeyFault> {
                point_of_sec1::<Self>(bytes)
            }

            fn public_key(d: &Self::Scalar) -> Affine<Self::Fe> {
                let point = sign::public_key::<Self>(d);
                ct::wipe_stack(ct::StackUse::Single);
                point
            }

            fn sign(d: &Self::Scalar, digest: &[u8], additional: &[u8], signature: &mut [u8]) {
                let (r, s) = signature.split_at_mut($width);
                sign::sign::<Self, $hash>(d, digest, additional, r, s);
                ct::wipe_stack(ct::StackUse::Single);
            }

            fn verify(
                low_s: LowS,
                q: &Affine<Self::Fe>,
                digest: &[u8],
                signature: &[u8],
            ) -> Verdict {
                let (r, s) = signature.split_at($width);
                decide(low_s, &facts_vartime::<Self>(q, digest, r, s))
            }

            fn lower(s: &mut [u8]) {
                let (scalar, _) = scalar_in_range::<Self>(s);
                if !is_low::<Self>(&scalar).is_true_vartime() {
                    scalar.neg().write_be_bytes(s);
                }
            }

            fn agree(d: &Self::Scalar, q: &Affine<Self::Fe>, x: &mut [u8]) {
                agree::<Self>(d, q, x);
                ct::wipe_stack(ct::StackUse::Single);
            }
        }
    };
}

#[inline(never)]
fn agree<C: weierstrass::Curve>(d: &C::Scalar, q: &Affine<C::Fe>, x: &mut [u8]) {
    multiple_of_point::<C>(d, q).x.write_be_bytes(x);
}

curve!(NistP256, P256, 32, Sha256);
curve!(NistP384, P384, 48, Sha384);

/// Calls a macro with the module, the type, and the name of each curve.
macro_rules! for_curves {
    ($call:ident) => {
        $call!(p256, NistP256, "P-256", "SHA-256");
        $call!(p384, NistP384, "P-384", "SHA-384");
    };
}
pub(crate) use for_curves;
