//! b and multiples of the base point G of P-256 as (x, y): residues times 2^256 mod p in 4 words each.

#[cfg(any(test, sigmill_tables = "computed"))]
pub(super) use self::computed::*;
use super::table;
use super::weierstrass::read_affine;
use crate::curve::weierstrass::Affine;
use crate::field::nist::p256::Fe;

/// b.
pub(in super::super) const B: Fe = Fe::from_montgomery([
    0xd89cdf6229c4bddf,
    0xacf005cd78843090,
    0xe5a220abf7212ed6,
    0xdc30061d04874834,
]);

/// Row i holds 1, 2, ..., 16 times 1024^i G.
pub(in super::super) static BASE_RADIX_32: [[Affine<Fe>; 16]; 26] =
    read_affine(include_bytes!("p256_radix_32.bin"));

/// Bits of a digit in `BASE_ROWS`.
pub(in super::super) const WINDOW: usize = 6;

/// Row i holds 1, 3, ..., 63 times 4096^i G.
#[inline(always)]
pub(in super::super) fn base_rows() -> &'static [Affine<Fe>] {
    table!([Affine<Fe>], *BASE_ROWS.as_flattened(), rows())
}

#[cfg(any(test, not(sigmill_tables = "computed")))]
pub(super) static BASE_ROWS: [[Affine<Fe>; 32]; 22] =
    read_affine(include_bytes!("p256_odd_radix_64.bin"));

/// Row i holds 1, 2, ..., 8 times 16^i G.
pub(in super::super) static BASE_RADIX_16: [[Affine<Fe>; 8]; 64] =
    read_affine(include_bytes!("p256_radix_16.bin"));

/// Entry i is 2 i + 1 times G.
#[inline(always)]
pub(in super::super) fn base_odd_multiples() -> &'static [Affine<Fe>] {
    table!([Affine<Fe>], BASE_ODD_MULTIPLES, odd_multiples())
}

/// The same from its file.
pub(in super::super) static BASE_ODD_MULTIPLES: [Affine<Fe>; 128] = {
    let [row] = read_affine(include_bytes!("p256_odd_multiples.bin"));
    row
};

#[cfg(any(test, sigmill_tables = "computed"))]
mod computed {
    use super::super::compute::weierstrass;
    use super::*;
    use std::boxed::Box;

    const G: Affine<Fe> = Affine {
        x: Fe::from_montgomery([
            0x79e730d418a9143c,
            0x75ba95fc5fedb601,
            0x79fb732b77622510,
            0x18905f76a53755c6,
        ]),
        y: Fe::from_montgomery([
            0xddf25357ce95560a,
            0x8b4ab8e4ba19e45c,
            0xd2e88688dd21f325,
            0x8571ff1825885d85,
        ]),
    };

    pub(in super::super) fn rows() -> Box<[Affine<Fe>]> {
        weierstrass(&G, 2 * WINDOW, 22, 1 << (WINDOW - 1)).into()
    }

    pub(in super::super) fn odd_multiples() -> Box<[Affine<Fe>]> {
        weierstrass(&G, 0, 1, 128).into()
    }
}
