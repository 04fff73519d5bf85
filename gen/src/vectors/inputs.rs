//! Inputs that are the same on every run, and the lists of special encodings.

use crate::reference::{Point, bytes32, integer, order, p, sha512};
use num_bigint::BigUint;
use std::fmt::Write;

pub(super) fn stretch(label: &str, len: usize) -> Vec<u8> {
    let blocks = (0_u32..).flat_map(|i| sha512(&[label.as_bytes(), &i.to_le_bytes()]));
    blocks.take(len).collect()
}

pub(super) fn seed(label: &str) -> [u8; 32] {
    stretch(label, 32).try_into().expect("32 bytes")
}

pub(super) fn scalar(label: &str) -> BigUint {
    integer(&stretch(label, 64)) % order()
}

pub(super) fn from_hex(text: &str) -> Vec<u8> {
    (0..text.len() / 2)
        .map(|i| {
            u8::from_str_radix(&text[2 * i..2 * i + 2], 16).expect("the constants are hexadecimal")
        })
        .collect()
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// T, a point of order 8.
pub(super) fn generator_of_torsion() -> Point {
    let encoding = from_hex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a");
    let bytes: [u8; 32] = encoding.try_into().expect("32 bytes");
    Point::decode(&bytes).expect("T decodes").0
}

pub(super) fn with_torsion(n: &BigUint, torsion: u8) -> Point {
    let torsion = generator_of_torsion().times(&BigUint::from(torsion));
    Point::base().times(n).add(&torsion)
}

/// The encodings with y from p up, and the two with x = 0 and sign bit 1, that decode.
pub(super) fn non_canonical_encodings() -> Vec<[u8; 32]> {
    let mut list = Vec::new();
    let mut add = |y: BigUint, sign: u8| {
        let mut bytes = bytes32(&y);
        bytes[31] |= sign << 7;
        if Point::decode(&bytes).is_some_and(|(_, canonical)| !canonical) {
            list.push(bytes);
        }
    };
    for k in 0_u8..19 {
        add(p() + k, 0);
        add(p() + k, 1);
    }
    add(BigUint::from(1_u8), 1);
    add(p() - 1_u8, 1);
    list
}

/// The 14 encodings of the 8 points of small order: canonical ones first.
pub(super) fn small_order_encodings() -> Vec<[u8; 32]> {
    let mut list: Vec<[u8; 32]> =
        (0..8).map(|i| with_torsion(&BigUint::ZERO, i).encode()).collect();
    let small = |bytes: &[u8; 32]| Point::decode(bytes).is_some_and(|(point, _)| point.is_small());
    list.extend(non_canonical_encodings().into_iter().filter(small));
    list
}

/// i with the point = [i]T.
pub(super) fn torsion_index(point: &Point) -> Option<u8> {
    (0..8).find(|i| with_torsion(&BigUint::ZERO, *i).encode() == point.encode())
}

pub(super) fn off_curve_encodings(count: usize) -> Vec<[u8; 32]> {
    let candidates = (0..).map(|i| {
        let mut bytes = seed(&format!("off curve {i}"));
        bytes[31] &= 0x7f;
        bytes
    });
    candidates.filter(|bytes| Point::decode(bytes).is_none()).take(count).collect()
}
