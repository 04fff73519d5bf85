//! Parquet.

use super::{assert_refused, folder, made, row, text};
use std::fs;

/// pyarrow 26.0.1 reads such a page unless it is told to verify, and Polars 2.1.0 reads it; a signature is checked so
/// that such damage is seen.
#[test]
fn a_page_whose_checksum_does_not_fit_is_damage() {
    let folder = folder();
    let whole = fs::read(made("checksums.parquet")).expect("there");
    let path = folder.path().join("t.parquet");
    for (number, name) in ["key", "msg", "sig"].into_iter().enumerate() {
        let cell = &row(1)[number];
        let at = whole.windows(cell.len()).position(|bytes| bytes == cell).expect("not compressed");
        let mut bytes = whole.clone();
        bytes[at + 3] ^= 1;
        fs::write(&path, &bytes).expect("written");
        let message = format!(
            "row group 0, column `{name}`, page 0: the checksum of a page does not fit; the file is damaged"
        );
        assert_refused(&[text(&path)], folder.path(), &message);
    }
}

/// pyarrow: Parquet magic bytes not found in footer; of bytes in front it says nothing and reads wrong ones.
#[test]
fn bytes_around_a_file_are_named() {
    let folder = folder();
    let whole = fs::read(made("checksums.parquet")).expect("there");
    let path = folder.path().join("t.parquet");
    for (bytes, message) in [
        ([&whole[..], b"\n"].concat(), "does not end with `PAR1`, as Parquet does"),
        (whole[..whole.len() - 20].to_vec(), "does not end with `PAR1`, as Parquet does"),
        ([b"\n", &whole[..]].concat(), "does not begin with `PAR1`, as Parquet does"),
        ([&whole[..9]].concat(), "does not end with `PAR1`, as Parquet does"),
    ] {
        fs::write(&path, bytes).expect("written");
        assert_refused(&[text(&path)], folder.path(), message);
    }
}
