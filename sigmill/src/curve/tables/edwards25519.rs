//! Multiples of the base point B of edwards25519 as (y+x, y−x, 2dxy), canonical residues mod 2^255 − 19
//! in four words each.

use super::{AffineWords, read};
use crate::field::Entries;

/// Row i holds 0, 1, 2, ..., 128 times 2^(64 i) B.
pub(in super::super) static BASE_MULTIPLES: [[AffineWords; 129]; 4] = {
    let mut rows = [[[[0; 4]; 3]; 129]; 4];
    let words = rows.as_flattened_mut().as_flattened_mut().as_flattened_mut();
    read(words, include_bytes!("edwards25519_multiples.bin"));
    rows
};

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
