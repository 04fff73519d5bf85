//! Values of the functions that `proofs/batch` proves, for edge scalars.

use num_bigint::BigInt;
use std::vec::Vec;

/// The rows of `proofs/batch/table.csv` of a kind, without it. `Table.v` says what a row holds.
pub(crate) fn rows(kind: u8) -> Vec<Vec<BigInt>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../proofs/batch/table.csv");
    let table = std::fs::read_to_string(path).expect("proofs/batch/table.csv");
    let numbers = |line: &str| line.split(',').map(|n| n.parse().expect("integers")).collect();
    let mut rows: Vec<Vec<BigInt>> = table.lines().map(numbers).collect();
    rows.retain(|row| row[0] == BigInt::from(kind));
    assert!(!rows.is_empty(), "no row of kind {kind}");
    rows.iter_mut().for_each(|row| drop(row.remove(0)));
    rows
}

/// An integer of the table in words.
pub(crate) fn words<const N: usize>(x: &BigInt) -> [u64; N] {
    let digits = x.to_biguint().expect("not negative").to_u64_digits();
    assert!(digits.len() <= N, "{x} has {} words", digits.len());
    core::array::from_fn(|i| digits.get(i).copied().unwrap_or(0))
}

/// A small integer of the table.
pub(crate) fn small(x: &BigInt) -> i64 {
    i64::try_from(x).expect("a small integer")
}

/// The triples (h, u, c) that `proofs/batch/HalfSizePairs.v` proves to be pairs.
pub(crate) fn half_size_pairs() -> Vec<[BigInt; 3]> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../proofs/batch/HalfSizePairs.v");
    let page = std::fs::read_to_string(path).expect("proofs/batch/HalfSizePairs.v");
    let triples = page.lines().filter_map(|line| line.strip_prefix("  (")?.split_once(')'));
    let triple = |(inner, _): (&str, &str)| {
        let numbers: Vec<BigInt> =
            inner.split(',').map(|n| n.trim().parse().expect("integers")).collect();
        numbers.try_into().expect("h, u, c")
    };
    triples.map(triple).collect()
}
