//! Multiples of the base point B of edwards25519 as (y+x, y−x, 2dxy), canonical residues mod 2^255 − 19
//! in four words each.
//!
//! A program has the tables that it uses, of which one that verifies without prepared keys needs the first alone.

#[cfg(any(test, sigmill_tables = "computed"))]
pub(super) use self::computed::*;
#[cfg(any(test, not(sigmill_tables = "computed")))]
pub(super) use self::files::*;
use super::{AffineWords, table};
use crate::field::f25519::Entries;

/// 1, 3, 5, ..., 127 times a point.
pub(in super::super) type OddMultiples = [AffineWords; 64];
/// 0, 2, 4, ..., 128 times a point.
type EvenMultiples = [AffineWords; 65];
/// Even and odd multiples of 2^(64 i) B, for i from 0 to 3.
type MultiplesOfParts = [[&'static [AffineWords]; 2]; 4];

/// Row i holds odd multiples of 2^(128 i) B.
#[inline(always)]
pub(in super::super) fn base_odd_multiples() -> &'static [OddMultiples; 2] {
    table!([OddMultiples; 2], ODD_MULTIPLES, odd_multiples())
}

/// Odd multiples of 2^(64 i) B, for i from 0 to 3.
#[inline(always)]
pub(in super::super) fn base_odd_multiples_of_parts() -> &'static [&'static OddMultiples; 4] {
    table!([&'static OddMultiples; 4], ODD_MULTIPLES_OF_PARTS, odd_multiples_of_parts())
}

/// `multiple` times 2^(64 part) B, for a multiple of at most 128. The multiple selects an address, with no branch
/// to mispredict.
#[inline(always)]
pub(in super::super) fn base_multiple_vartime(part: usize, multiple: u32) -> &'static AffineWords {
    let multiples = table!(MultiplesOfParts, MULTIPLES_OF_PARTS, multiples_of_parts());
    &multiples[part][multiple as usize % 2][multiple as usize / 2]
}

/// Row i holds 1, 2, ..., 16 times 1024^i B, for selection in lanes: word w of entry e is `[w][e]`.
#[inline(always)]
pub(in super::super) fn base_radix_32() -> &'static [Entries; 26] {
    table!([Entries; 26], RADIX_32, radix_32())
}

#[cfg(any(test, not(sigmill_tables = "computed")))]
mod files {
    use super::super::read;
    use super::*;

    pub(in super::super) static ODD_MULTIPLES: [OddMultiples; 2] =
        multiples(include_bytes!("edwards25519_odd_multiples.bin"));

    /// Row i holds odd multiples of 2^(128 i + 64) B.
    pub(in super::super) static ODD_MULTIPLES_BETWEEN: [OddMultiples; 2] =
        multiples(include_bytes!("edwards25519_odd_multiples_between.bin"));

    /// Row i holds even multiples of 2^(64 i) B.
    pub(in super::super) static EVEN_MULTIPLES: [EvenMultiples; 4] =
        multiples(include_bytes!("edwards25519_even_multiples.bin"));

    pub(in super::super) static ODD_MULTIPLES_OF_PARTS: [&OddMultiples; 4] = {
        let [first, third] = &ODD_MULTIPLES;
        let [second, fourth] = &ODD_MULTIPLES_BETWEEN;
        [first, second, third, fourth]
    };

    pub(in super::super) static MULTIPLES_OF_PARTS: MultiplesOfParts = {
        let [even_0, even_1, even_2, even_3] = &EVEN_MULTIPLES;
        let [odd_0, odd_1, odd_2, odd_3] = &ODD_MULTIPLES_OF_PARTS;
        [[even_0, *odd_0], [even_1, *odd_1], [even_2, *odd_2], [even_3, *odd_3]]
    };

    pub(in super::super) static RADIX_32: [Entries; 26] = {
        let mut rows = [const { Entries([[0; 16]; 12]) }; 26];
        let mut words = [[[0; 16]; 12]; 26];
        read(
            words.as_flattened_mut().as_flattened_mut(),
            include_bytes!("edwards25519_radix_32.bin"),
        );
        let mut i = 0;
        while i < rows.len() {
            rows[i] = Entries(words[i]);
            i += 1;
        }
        rows
    };

    /// Rows of multiples.
    const fn multiples<const ENTRIES: usize, const ROWS: usize>(
        file: &[u8],
    ) -> [[AffineWords; ENTRIES]; ROWS] {
        let mut rows = [[[[0; 4]; 3]; ENTRIES]; ROWS];
        read(rows.as_flattened_mut().as_flattened_mut().as_flattened_mut(), file);
        rows
    }
}

#[cfg(any(test, sigmill_tables = "computed"))]
mod computed {
    use super::super::compute::{Multiples, Rows, edwards};
    use super::*;
    use std::boxed::Box;

    pub(in super::super) fn odd_multiples() -> Box<[OddMultiples; 2]> {
        multiples(0, 128, Multiples::Odd)
    }

    /// Row i holds odd multiples of 2^(128 i + 64) B.
    pub(in super::super) fn odd_multiples_between() -> Box<[OddMultiples; 2]> {
        multiples(64, 128, Multiples::Odd)
    }

    /// Row i holds even multiples of 2^(64 i) B.
    pub(in super::super) fn even_multiples() -> Box<[EvenMultiples; 4]> {
        multiples(0, 64, Multiples::Even)
    }

    #[cfg(sigmill_tables = "computed")]
    pub(super) fn odd_multiples_of_parts() -> Box<[&'static OddMultiples; 4]> {
        let [first, third] = base_odd_multiples();
        let [second, fourth] = Box::leak(odd_multiples_between());
        Box::new([first, second, third, fourth])
    }

    #[cfg(sigmill_tables = "computed")]
    pub(super) fn multiples_of_parts() -> Box<MultiplesOfParts> {
        let (even, odd) = (Box::leak(even_multiples()), base_odd_multiples_of_parts());
        Box::new(core::array::from_fn(|part| [even[part].as_slice(), odd[part].as_slice()]))
    }

    pub(in super::super) fn radix_32() -> Box<[Entries; 26]> {
        let mut table = Box::new([const { Entries([[0; 16]; 12]) }; 26]);
        let rows =
            Rows { exponent: 0, apart: 10, multiples: Multiples::All, rows: 26, entries: 16 };
        for (row, points) in table.iter_mut().zip(edwards(&rows).chunks(16)) {
            for (entry, point) in points.iter().enumerate() {
                for (places, word) in row.0.iter_mut().zip(point.as_flattened()) {
                    places[entry] = *word;
                }
            }
        }
        table
    }

    /// Rows of multiples of 2^(apart·i + exponent)·B.
    fn multiples<const ENTRIES: usize, const ROWS: usize>(
        exponent: u32,
        apart: u32,
        multiples: Multiples,
    ) -> Box<[[AffineWords; ENTRIES]; ROWS]> {
        let mut table = Box::new([[[[0; 4]; 3]; ENTRIES]; ROWS]);
        let points = edwards(&Rows { exponent, apart, multiples, rows: ROWS, entries: ENTRIES });
        for (entry, point) in table.as_flattened_mut().iter_mut().zip(points) {
            *entry = point;
        }
        table
    }
}
