//! Points and scalars from which interesting cases are built: honest ones, torsion, encodings that
//! are not canonical, and bytes that are anything. Made with the slow reference.

#![allow(dead_code)]

use crate::reference::{self, Point};
use arbitrary::Arbitrary;
use num_bigint::BigUint;
use std::sync::LazyLock;

/// So many different honest keys and nonces; each is computed once.
const HONEST: u8 = 16;

/// A point of order 8 (its encoding, RFC 8032 section 5.1.2).
const ORDER_8: &str = "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a";

static TORSION: LazyLock<Vec<Point>> = LazyLock::new(|| {
    let byte = |i| u8::from_str_radix(&ORDER_8[2 * i..2 * i + 2], 16).expect("hexadecimal");
    let (point, _) = Point::decode(&std::array::from_fn(byte)).expect("a point");
    assert_eq!(point.torsion_order(), 8);
    (0..8_u8).map(|n| point.times(&BigUint::from(n))).collect()
});
static SECRETS: LazyLock<Vec<(BigUint, Point)>> = LazyLock::new(|| {
    let secret = |i| reference::expand(&[i; 32]).0;
    (0..HONEST).map(|i| (secret(i), Point::base().times(&secret(i)))).collect()
});
static NONCES: LazyLock<Vec<(BigUint, Point)>> = LazyLock::new(|| {
    let nonce = |i| reference::integer(&reference::sha512(&[b"nonce", &[i]])) % reference::order();
    (0..HONEST).map(|i| (nonce(i), Point::base().times(&nonce(i)))).collect()
});

/// Multiple `n` of a point of order 8.
pub fn torsion(n: u8) -> &'static Point {
    &TORSION[usize::from(n % 8)]
}

/// The secret scalar of the seed of 32 bytes n, and its public point.
pub fn secret(n: u8) -> &'static (BigUint, Point) {
    &SECRETS[usize::from(n % HONEST)]
}

/// A number below ℓ.
pub fn nonce(n: u8) -> BigUint {
    NONCES[usize::from(n % HONEST)].0.clone()
}

/// That number times the base point.
pub fn nonce_point(n: u8) -> Point {
    NONCES[usize::from(n % HONEST)].1.clone()
}

/// The second encoding of a point that has one: y + p where that is below 2^255, the other sign bit
/// where x = 0. Else the first.
pub fn another_encoding(canonical: [u8; 32], add_p: bool, flip_sign: bool) -> [u8; 32] {
    let mut low = canonical;
    low[31] &= 0x7f;
    let mut y = reference::integer(&low);
    let zero_x = y == BigUint::from(1_u8) || y == reference::p() - 1_u8;
    if add_p && y < BigUint::from(19_u8) {
        y += reference::p();
    }
    let mut bytes = reference::bytes32(&y);
    bytes[31] |= canonical[31] & 0x80;
    if flip_sign && zero_x {
        bytes[31] ^= 0x80;
    }
    bytes
}

/// 32 bytes that may be a point.
#[derive(Arbitrary, Debug)]
pub enum PointBytes {
    /// Anything.
    Any([u8; 32]),
    /// y is this small number, or this number above p.
    NearZero { y: u8, above_p: bool, sign: bool },
    /// A point of small order, in any of its encodings.
    Small { torsion: u8, add_p: bool, flip_sign: bool },
    /// An honest public key plus torsion.
    Key { secret: u8, torsion: u8 },
    /// An honest public key with a bit flipped.
    Damaged { secret: u8, bit: u8 },
}

impl PointBytes {
    /// The bytes.
    pub fn bytes(&self) -> [u8; 32] {
        match *self {
            PointBytes::Any(bytes) => bytes,
            PointBytes::NearZero { y, above_p, sign } => {
                let mut y = BigUint::from(y % 19);
                if above_p {
                    y += reference::p();
                }
                let mut bytes = reference::bytes32(&y);
                bytes[31] |= u8::from(sign) << 7;
                bytes
            }
            PointBytes::Small { torsion: n, add_p, flip_sign } => {
                another_encoding(torsion(n).encode(), add_p, flip_sign)
            }
            PointBytes::Key { secret: n, torsion: t } => secret(n).1.add(torsion(t)).encode(),
            PointBytes::Damaged { secret: n, bit } => {
                let mut bytes = secret(n).1.encode();
                bytes[usize::from(bit / 8)] ^= 1 << (bit % 8);
                bytes
            }
        }
    }
}
