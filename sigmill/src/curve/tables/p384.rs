//! b and multiples of the base point G of P-384 as (x, y): residues times 2^384 mod p in 6 words each.

#[cfg(any(test, sigmill_tables = "computed"))]
pub(super) use self::computed::*;
use super::table;
use super::weierstrass::read_affine;
use crate::curve::weierstrass::Affine;
use crate::field::nist::p384::Fe;

/// b.
pub(in super::super) const B: Fe = Fe::from_montgomery([
    0x081188719d412dcc,
    0xf729add87a4c32ec,
    0x77f2209b1920022e,
    0xe3374bee94938ae2,
    0xb62b21f41f022094,
    0xcd08114b604fbff9,
]);

/// Row i holds 1, 2, ..., 16 times 1024^i G.
pub(in super::super) static BASE_RADIX_32: [[Affine<Fe>; 16]; 39] =
    read_affine(include_bytes!("p384_radix_32.bin"));

/// Bits of a digit in `BASE_ROWS`.
pub(in super::super) const WINDOW: usize = 5;

/// Row i holds 1, 3, ..., 31 times 1024^i G.
#[inline(always)]
pub(in super::super) fn base_rows() -> &'static [Affine<Fe>] {
    table!([Affine<Fe>], *BASE_ROWS.as_flattened(), rows())
}

#[cfg(any(test, not(sigmill_tables = "computed")))]
pub(super) static BASE_ROWS: [[Affine<Fe>; 16]; 39] =
    read_affine(include_bytes!("p384_odd_radix_32.bin"));

/// Row i holds 1, 2, ..., 8 times 16^i G.
pub(in super::super) static BASE_RADIX_16: [[Affine<Fe>; 8]; 96] =
    read_affine(include_bytes!("p384_radix_16.bin"));

/// Entry i is 2 i + 1 times G.
#[inline(always)]
pub(in super::super) fn base_odd_multiples() -> &'static [Affine<Fe>] {
    table!([Affine<Fe>], BASE_ODD_MULTIPLES, odd_multiples())
}

/// The same from its file.
pub(in super::super) static BASE_ODD_MULTIPLES: [Affine<Fe>; 128] = {
    let [row] = read_affine(include_bytes!("p384_odd_multiples.bin"));
    row
};

#[cfg(any(test, sigmill_tables = "computed"))]
mod computed {
    use super::super::compute::weierstrass;
    use super::*;
    use std::boxed::Box;

    const G: Affine<Fe> = Affine {
        x: Fe::from_montgomery([
            0x3dd0756649c0b528,
            0x20e378e2a0d6ce38,
            0x879c3afc541b4d6e,
            0x6454868459a30eff,
            0x812ff723614ede2b,
            0x4d3aadc2299e1513,
        ]),
        y: Fe::from_montgomery([
            0x23043dad4b03a4fe,
            0xa1bfa8bf7bb4a9ac,
            0x8bade7562e83b050,
            0xc6c3521968f4ffd9,
            0xdd8002263969a840,
            0x2b78abc25a15c5e9,
        ]),
    };

    pub(in super::super) fn rows() -> Box<[Affine<Fe>]> {
        weierstrass(&G, 2 * WINDOW, 39, 1 << (WINDOW - 1)).into()
    }

    pub(in super::super) fn odd_multiples() -> Box<[Affine<Fe>]> {
        weierstrass(&G, 0, 1, 128).into()
    }
}
