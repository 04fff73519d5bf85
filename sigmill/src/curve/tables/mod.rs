//! Precomputed points, read from files when the library is compiled. The files hold words of eight bytes,
//! little-endian, and nothing else; `gen` makes them, and the library's sources say what an entry is.

pub(super) mod edwards25519;
pub(super) mod p256;
pub(super) mod p384;

use super::edwards::AffineCached;
use super::weierstrass::Affine;
use crate::field::SingleField;
use crate::modular::{Modulus, Residue};

/// A precomputed affine point (y+x, y−x, 2dxy): canonical residues in little-endian words, the
/// same for every field backend.
pub(crate) type AffineWords = [[u64; 4]; 3];

#[inline(always)]
pub(super) fn load<F: SingleField>(
    token: F::Token,
    [y_plus_x, y_minus_x, xy_2d]: &AffineWords,
) -> AffineCached<F> {
    AffineCached {
        y_plus_x: F::splat(token, y_plus_x),
        y_minus_x: F::splat(token, y_minus_x),
        xy_2d: F::splat(token, xy_2d),
    }
}

/// Writes the words of a file; it has as many.
const fn read(words: &mut [u64], file: &[u8]) {
    let (found, rest) = file.as_chunks();
    assert!(found.len() == words.len() && rest.is_empty());
    let mut i = 0;
    while i < words.len() {
        words[i] = u64::from_le_bytes(found[i]);
        i += 1;
    }
}

/// Points of a curve in Weierstrass form, rows of `W`: x and y of each, residues times 2^(64 N) mod p.
const fn read_affine<M: Modulus<N>, const N: usize, const W: usize, const ROWS: usize>(
    file: &[u8],
) -> [[Affine<Residue<M, N>>; W]; ROWS] {
    let mut words = [[[[0; N]; 2]; W]; ROWS];
    read(words.as_flattened_mut().as_flattened_mut().as_flattened_mut(), file);
    let mut points = [[Affine { x: Residue::ZERO, y: Residue::ZERO }; W]; ROWS];
    let mut row = 0;
    while row < ROWS {
        let mut i = 0;
        while i < W {
            let [x, y] = words[row][i];
            points[row][i] =
                Affine { x: Residue::from_montgomery(x), y: Residue::from_montgomery(y) };
            i += 1;
        }
        row += 1;
    }
    points
}
