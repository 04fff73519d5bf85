//! Multiples of the base point B of edwards25519 as (y+x, y−x, 2dxy), canonical residues mod 2^255 − 19
//! in four words each.
//!
//! A program has the tables that it uses, of which one that verifies without prepared keys needs the first alone.

use super::{AffineWords, read};
use crate::field::f25519::Entries;

/// 1, 3, 5, ..., 127 times a point.
pub(in super::super) type OddMultiples = [AffineWords; 64];

/// Row i holds odd multiples of 2^(128 i) B.
pub(in super::super) static BASE_ODD_MULTIPLES: [OddMultiples; 2] =
    multiples(include_bytes!("edwards25519_odd_multiples.bin"));

/// Row i holds odd multiples of 2^(128 i + 64) B.
static BASE_ODD_MULTIPLES_BETWEEN: [OddMultiples; 2] =
    multiples(include_bytes!("edwards25519_odd_multiples_between.bin"));

/// Row i holds 0, 2, 4, ..., 128 times 2^(64 i) B.
static BASE_EVEN_MULTIPLES: [[AffineWords; 65]; 4] =
    multiples(include_bytes!("edwards25519_even_multiples.bin"));

/// Odd multiples of 2^(64 i) B, for i from 0 to 3.
pub(in super::super) static BASE_ODD_MULTIPLES_OF_PARTS: [&OddMultiples; 4] = {
    let [first, third] = &BASE_ODD_MULTIPLES;
    let [second, fourth] = &BASE_ODD_MULTIPLES_BETWEEN;
    [first, second, third, fourth]
};

/// Even and odd multiples of 2^(64 i) B, for i from 0 to 3.
static BASE_MULTIPLES_OF_PARTS: [[&[AffineWords]; 2]; 4] = {
    let [even_0, even_1, even_2, even_3] = &BASE_EVEN_MULTIPLES;
    let [odd_0, odd_1, odd_2, odd_3] = &BASE_ODD_MULTIPLES_OF_PARTS;
    [[even_0, *odd_0], [even_1, *odd_1], [even_2, *odd_2], [even_3, *odd_3]]
};

/// `multiple` times 2^(64 part) B, for a multiple of at most 128. The multiple selects an address, with no branch
/// to mispredict.
#[inline(always)]
pub(in super::super) fn base_multiple_vartime(part: usize, multiple: u32) -> &'static AffineWords {
    &BASE_MULTIPLES_OF_PARTS[part][multiple as usize % 2][multiple as usize / 2]
}

/// Rows of multiples.
const fn multiples<const ENTRIES: usize, const ROWS: usize>(
    file: &[u8],
) -> [[AffineWords; ENTRIES]; ROWS] {
    let mut rows = [[[[0; 4]; 3]; ENTRIES]; ROWS];
    read(rows.as_flattened_mut().as_flattened_mut().as_flattened_mut(), file);
    rows
}

/// Row i holds 1, 2, ..., 16 times 1024^i B, for selection in lanes: word w of entry e is `[w][e]`.
pub(in super::super) static BASE_RADIX_32: [Entries; 26] = {
    let mut rows = [const { Entries([[0; 16]; 12]) }; 26];
    let mut words = [[[0; 16]; 12]; 26];
    read(words.as_flattened_mut().as_flattened_mut(), include_bytes!("edwards25519_radix_32.bin"));
    let mut i = 0;
    while i < rows.len() {
        rows[i] = Entries(words[i]);
        i += 1;
    }
    rows
};
