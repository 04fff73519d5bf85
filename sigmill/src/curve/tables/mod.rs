//! Precomputed points, read from files when the library is compiled. The files hold words of eight bytes,
//! little-endian, and nothing else; `gen` makes them, and the library's sources say what an entry is.
//!
//! With `--cfg sigmill_tables="computed"` the library computes the tables that single operations read, each when it is
//! first read, and has no files of them: a smaller program, which needs `std`. Tests compare both.

#[cfg(any(test, sigmill_tables = "computed"))]
mod compute;
pub(super) mod edwards25519;
#[cfg(feature = "ecdsa")]
pub(super) mod p256;
#[cfg(feature = "ecdsa")]
pub(super) mod p384;
#[cfg(feature = "ecdsa")]
mod weierstrass;

use super::edwards::AffineCached;
use crate::field::f25519::SingleField;

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

/// A table: that of a file, or the one that is computed when it is first read.
macro_rules! table {
    ($table:ty, $file:expr, $computed:expr) => {{
        #[cfg(not(sigmill_tables = "computed"))]
        let table: &'static $table = &$file;
        #[cfg(sigmill_tables = "computed")]
        let table: &'static $table = {
            static TABLE: std::sync::OnceLock<std::boxed::Box<$table>> = std::sync::OnceLock::new();
            TABLE.get_or_init(|| $computed)
        };
        table
    }};
}
use table;

/// Writes the words of a file; it has as many.
#[cfg_attr(all(sigmill_tables = "computed", not(feature = "ecdsa")), allow(dead_code))]
const fn read(words: &mut [u64], file: &[u8]) {
    let (found, rest) = file.as_chunks();
    assert!(found.len() == words.len() && rest.is_empty());
    let mut i = 0;
    while i < words.len() {
        words[i] = u64::from_le_bytes(found[i]);
        i += 1;
    }
}

#[cfg(test)]
mod tests;
