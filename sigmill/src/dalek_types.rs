//! Types of the crate `curve25519-dalek` 5 as ours and back: points, u-coordinates, secret scalars. All go by
//! their encodings: nothing is computed or decided here.
//!
//! Public data: time depends on it. Scalars are secret: constant time, and what this file copies is wiped;
//! curve25519-dalek's own `Scalar` is not wiped when dropped.

#[cfg(feature = "hazmat")]
use crate::ct::wiping_stack;
#[cfg(feature = "hazmat")]
use crate::ed25519::hazmat::Scalar;
use crate::ed25519::{self, VerifyingKey};
#[cfg(feature = "x25519")]
use crate::x25519::PublicKey;
use curve25519_dalek::edwards::{CompressedEdwardsY, EdwardsPoint};
use curve25519_dalek::montgomery::MontgomeryPoint;

/// A decoded value that cannot fail, since both libraries decode the same encodings of points.
fn sure<T>(decoded: Option<T>) -> T {
    match decoded {
        Some(point) => point,
        None => unreachable!("a point of the curve has an encoding that decodes"),
    }
}

impl VerifyingKey {
    /// The point of the key, whose coordinates are computed again. Time depends on the key.
    ///
    /// A key with a component of small order stays what it is; [`VerifyingKey::is_weak`] tells whether it is that
    /// alone.
    pub fn to_edwards(&self) -> EdwardsPoint {
        sure(CompressedEdwardsY(self.to_bytes()).decompress())
    }
}

impl From<VerifyingKey> for EdwardsPoint {
    /// [`VerifyingKey::to_edwards`].
    fn from(key: VerifyingKey) -> Self {
        key.to_edwards()
    }
}

impl From<EdwardsPoint> for VerifyingKey {
    /// The key whose bytes are the canonical encoding of the point: of any point, as ed25519-dalek has it. Time
    /// depends on the point.
    ///
    /// Torsion is not looked for. Of a point of small order [`VerifyingKey::is_weak`] is true, and the rule decides:
    /// `strict`, `no_small_key` and `no_small` refuse it, the others do not, and anybody can sign for it. A point
    /// with a component of small order beside that of order ℓ is a key under every rule; of what its scalar signs
    /// the cofactored rules accept all, the exact ones some. `EdwardsPoint::is_torsion_free` tells before.
    fn from(point: EdwardsPoint) -> Self {
        sure(VerifyingKey::decode(point.compress().as_bytes()).ok())
    }
}

impl ed25519::MontgomeryPoint {
    /// The point of the Edwards curve with this u-coordinate and the sign of x, 0 or 1; none if there is no such point.
    /// Time depends on the point.
    pub fn to_edwards(&self, sign: u8) -> Option<EdwardsPoint> {
        MontgomeryPoint::from(*self).to_edwards(sign)
    }
}

impl From<ed25519::MontgomeryPoint> for MontgomeryPoint {
    /// The same 32 bytes.
    fn from(point: ed25519::MontgomeryPoint) -> Self {
        MontgomeryPoint(point.to_bytes())
    }
}

#[cfg(feature = "x25519")]
impl From<MontgomeryPoint> for PublicKey {
    /// The same 32 bytes.
    fn from(point: MontgomeryPoint) -> Self {
        PublicKey::from(point.to_bytes())
    }
}

#[cfg(feature = "x25519")]
impl From<PublicKey> for MontgomeryPoint {
    /// The same 32 bytes.
    fn from(key: PublicKey) -> Self {
        MontgomeryPoint(key.to_bytes())
    }
}

#[cfg(feature = "hazmat")]
impl From<&Scalar> for curve25519_dalek::Scalar {
    /// The same integer. Constant time. The caller has to wipe it.
    fn from(scalar: &Scalar) -> Self {
        wiping_stack(|| curve25519_dalek::Scalar::from_bytes_mod_order(scalar.to_bytes()))
    }
}

#[cfg(feature = "hazmat")]
impl From<Scalar> for curve25519_dalek::Scalar {
    /// The same integer. Constant time. The caller has to wipe it.
    fn from(scalar: Scalar) -> Self {
        Self::from(&scalar)
    }
}

#[cfg(feature = "hazmat")]
impl From<&curve25519_dalek::Scalar> for Scalar {
    /// The same integer. Constant time.
    fn from(theirs: &curve25519_dalek::Scalar) -> Self {
        wiping_stack(|| Scalar::from_bytes_mod_order(theirs.to_bytes()))
    }
}

#[cfg(feature = "hazmat")]
impl From<curve25519_dalek::Scalar> for Scalar {
    /// The same integer. Constant time. The caller has to wipe its copy.
    fn from(theirs: curve25519_dalek::Scalar) -> Self {
        Self::from(&theirs)
    }
}

#[cfg(feature = "hazmat")]
impl PartialEq<curve25519_dalek::Scalar> for Scalar {
    /// Constant time.
    fn eq(&self, theirs: &curve25519_dalek::Scalar) -> bool {
        let theirs = Scalar::from(theirs);
        *self == theirs
    }
}
