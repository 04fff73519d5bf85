//! b and multiples of the base point G of P-384 as (x, y): residues times 2^384 mod p in 6 words each.

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
pub(in super::super) static BASE_ROWS: [[Affine<Fe>; 16]; 39] =
    read_affine(include_bytes!("p384_odd_radix_32.bin"));

/// Row i holds 1, 2, ..., 8 times 16^i G.
pub(in super::super) static BASE_RADIX_16: [[Affine<Fe>; 8]; 96] =
    read_affine(include_bytes!("p384_radix_16.bin"));

/// Entry i is 2 i + 1 times G.
pub(in super::super) static BASE_ODD_MULTIPLES: [Affine<Fe>; 128] = {
    let [row] = read_affine(include_bytes!("p384_odd_multiples.bin"));
    row
};
