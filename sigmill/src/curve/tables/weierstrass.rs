//! Files of points of a curve in Weierstrass form: x and y of each point, residues times 2^(64 N) mod p.

use super::read;
use crate::curve::weierstrass::Affine;
use crate::modular::{PlainModulus, Residue};

/// The points of a file, in rows of `W`.
pub(super) const fn read_affine<
    M: PlainModulus<N>,
    const N: usize,
    const W: usize,
    const ROWS: usize,
>(
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
