//! Rows that rules may decide differently although they are valid, told by their bytes alone, since every valid row of
//! a table is looked at: key or R encoded otherwise than canonically or of small order, or S not below the order
//! of the group. `tests` compares with what the library says of each such point.

/// The y of points of small order, little-endian; 1 and −1 are those of the points with x = 0.
const SMALL_ORDER: [[u8; 32]; 5] = [
    with_ends(0, 0, 0),
    with_ends(1, 0, 0),
    with_ends(0xec, 0xff, 0x7f),
    [
        0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67,
        0x0f, 0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac,
        0x03, 0x7a,
    ],
    [
        0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98,
        0xf0, 0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53,
        0xfc, 0x05,
    ],
];

/// p = 2^255 − 19: an encoding of y = p or more is not canonical.
const P_FIRST: u8 = 0xed;

const fn with_ends(first: u8, middle: u8, last: u8) -> [u8; 32] {
    let mut bytes = [middle; 32];
    bytes[0] = first;
    bytes[31] = last;
    bytes
}

/// The highest 63 bits of y.
#[inline]
const fn top_of(point: &[u8; 32]) -> u64 {
    let [_, _, _, .., a, b, c, d, e, f, g, h] = *point;
    u64::from_le_bytes([a, b, c, d, e, f, g, h]) & u64::MAX >> 1
}

const TOPS: [u64; 4] = [
    top_of(&SMALL_ORDER[0]),
    top_of(&SMALL_ORDER[2]),
    top_of(&SMALL_ORDER[3]),
    top_of(&SMALL_ORDER[4]),
];

/// A test that tells all but one point in 2^60.
#[inline]
fn has_top(point: &[u8; 32]) -> bool {
    let top = top_of(point);
    TOPS.iter().fold(false, |found, other| found | (top == *other))
}

/// Whether an encoding that decodes is not canonical, or one of a point of small order. Of y = 1 and −1 with a sign it is
/// both, whatever the sign.
#[cold]
fn is_edge_point(point: &[u8; 32]) -> bool {
    let mut y = *point;
    y[31] &= 0x7f;
    let is_above_p = y[0] >= P_FIRST && y[1..31] == [0xff; 30] && y[31] == 0x7f;
    is_above_p || SMALL_ORDER.contains(&y)
}

/// Whether a row of Ed25519 is one of these. No S from 2^252 up to the order of the group is ever met.
#[inline]
pub(crate) fn is_edge(key: &[u8], signature: &[u8]) -> bool {
    let (Ok(key), Some((r, s))) = (<&[u8; 32]>::try_from(key), signature.split_first_chunk::<32>())
    else {
        return false;
    };
    let s_is_high = s.last().is_some_and(|last| *last >= 0x10);
    if !(has_top(key) | has_top(r) | s_is_high) {
        return false;
    }
    s_is_high || is_edge_point(key) || is_edge_point(r)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sigmill::ed25519::{Explanation, Variant};

    /// The library's answer about an encoding as a key, if it decodes.
    fn by_facts(point: &[u8; 32]) -> Option<bool> {
        let a = Explanation::new(Variant::Pure, point, b"", &[0; 64]).a;
        a.decodes.then_some(!a.canonical || a.small)
    }

    fn by_bytes(point: &[u8; 32]) -> [bool; 2] {
        let mut signature = [0x55; 64];
        signature[63] = 0;
        let plain = [0x55; 32];
        let as_key = is_edge(point, &signature);
        signature[..32].copy_from_slice(point);
        [as_key, is_edge(&plain, &signature)]
    }

    #[test]
    fn bytes_tell_what_the_library_says() {
        let mut points = Vec::new();
        for last in [0, 0x05, 0x7a, 0x7f, 0x80, 0xff] {
            for middle in [0, 0xff] {
                points.extend((0..=255).map(|first| with_ends(first, middle, last)));
            }
        }
        for y in SMALL_ORDER {
            for bit in 0..256 {
                let mut point = y;
                point[bit / 8] ^= 1 << (bit % 8);
                points.extend([y, point]);
            }
        }
        let mut edges = 0;
        for point in points {
            if let Some(expected) = by_facts(&point) {
                assert_eq!(by_bytes(&point), [expected; 2], "{point:02x?}");
                edges += usize::from(expected);
            }
        }
        assert!(edges > 30, "{edges}");
    }

    #[test]
    fn s_above_the_order_is_an_edge() {
        let (key, mut signature) = ([0x55; 32], [0x55; 64]);
        signature[63] = 0x0f;
        assert!(!is_edge(&key, &signature));
        signature[63] = 0x10;
        assert!(is_edge(&key, &signature));
        assert!(!is_edge(&key[..31], &signature) && !is_edge(&key, &signature[..10]));
    }
}
