//! Points of curve25519-dalek 4 as keys and back, by their encodings. Public data: time depends on it.

use crate::VerifyingKey;
use curve25519_dalek::edwards::{CompressedEdwardsY, EdwardsPoint};
use sigmill::ed25519::VerifyingKey as Ours;

/// A decoded value that cannot fail, since both libraries decode the same encodings of points.
fn sure<T>(decoded: Option<T>) -> T {
    match decoded {
        Some(point) => point,
        None => unreachable!("a point of the curve has an encoding that decodes"),
    }
}

impl VerifyingKey {
    /// The point of the key, whose coordinates are computed again. Time depends on the key.
    pub fn to_edwards(&self) -> EdwardsPoint {
        sure(CompressedEdwardsY(self.to_bytes()).decompress())
    }
}

impl From<VerifyingKey> for EdwardsPoint {
    fn from(key: VerifyingKey) -> Self {
        key.to_edwards()
    }
}

impl From<EdwardsPoint> for VerifyingKey {
    /// The key whose bytes are the canonical encoding of the point, whatever its order is: the rule decides. Time
    /// depends on the point.
    fn from(point: EdwardsPoint) -> Self {
        sure(Ours::decode(point.compress().as_bytes()).ok()).into()
    }
}
