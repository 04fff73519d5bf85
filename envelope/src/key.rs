//! Public keys as a verifier has them, in whatever form they came.

use crate::error::{Error, Refusal, Result};
use sigmill::bulk::Algorithm;
use sigmill::ecdsa::{Curve, p256, p384};
use std::fmt;

/// A public key: its algorithm, and 32 bytes of Ed25519 or a point in the form of SEC 1. Whether the bytes are a point
/// is a verdict, not an error.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Key {
    algorithm: Algorithm,
    bytes: Box<[u8]>,
}

impl Key {
    /// A key of these bytes: 32 of Ed25519; of ECDSA 1 + 2·w uncompressed (first byte 4) or 1 + w compressed (2 or 3),
    /// where w is 32 on P-256 and 48 on P-384.
    ///
    /// # Errors
    /// [`Refusal::AlgMismatch`]: the bytes have another length or first byte.
    pub fn new(algorithm: Algorithm, bytes: &[u8]) -> Result<Self> {
        let fits = match (algorithm.curve(), bytes) {
            (None, _) => bytes.len() == 32,
            (Some(curve), [4, rest @ ..]) => rest.len() == 2 * width(curve),
            (Some(curve), [2 | 3, rest @ ..]) => rest.len() == width(curve),
            (Some(_), _) => false,
        };
        if !fits {
            let (name, len) = (algorithm.name(), bytes.len());
            let detail = match algorithm.curve() {
                None => format!("a key of {name} has 32 bytes; got {len}"),
                Some(curve) => {
                    let w = width(curve);
                    format!(
                        "a key of {name} has {} bytes and begins with 4, or {} and begins with 2 or 3; got {len}",
                        1 + 2 * w,
                        1 + w
                    )
                }
            };
            return Err(Error::new(Refusal::AlgMismatch, detail));
        }
        Ok(Key { algorithm, bytes: bytes.into() })
    }

    /// A key of ours.
    pub(crate) const fn of(algorithm: Algorithm, bytes: Box<[u8]>) -> Self {
        Key { algorithm, bytes }
    }

    /// Of the two coordinates, big-endian, each of the width of the curve.
    ///
    /// # Errors
    /// [`Refusal::AlgMismatch`]: another length.
    pub fn of_coordinates(curve: Curve, x: &[u8], y: &[u8]) -> Result<Self> {
        let w = width(curve);
        for (name, coordinate) in [("x", x), ("y", y)] {
            if coordinate.len() != w {
                let (on, len) = (curve.name(), coordinate.len());
                let detail = format!("{name} of a point on {on} has {w} bytes; got {len}");
                return Err(Error::new(Refusal::AlgMismatch, detail));
            }
        }
        Key::new(Algorithm::of_curve(curve), &[&[4], x, y].concat())
    }

    /// The algorithm, which the verifier's key decides and no envelope.
    pub const fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// The bytes: 32 of Ed25519, of ECDSA SEC 1.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// x and y, big-endian, of a key of ECDSA; the point is decompressed if need be. `None` of Ed25519 and where the
    /// bytes are no point.
    pub fn coordinates(&self) -> Option<(Vec<u8>, Vec<u8>)> {
        let curve = self.algorithm.curve()?;
        let point = match curve {
            Curve::P256 => {
                p256::VerifyingKey::from_sec1_bytes(&self.bytes).ok()?.to_sec1_bytes().to_vec()
            }
            Curve::P384 => {
                p384::VerifyingKey::from_sec1_bytes(&self.bytes).ok()?.to_sec1_bytes().to_vec()
            }
            _ => return None,
        };
        let (x, y) = point.get(1..)?.split_at(width(curve));
        Some((x.to_vec(), y.to_vec()))
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({}, {:02x?})", self.algorithm.name(), &self.bytes)
    }
}

/// The bytes of a coordinate or scalar.
pub(crate) const fn width(curve: Curve) -> usize {
    match curve {
        Curve::P256 => 32,
        _ => 48,
    }
}
