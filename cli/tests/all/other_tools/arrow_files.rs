//! Arrow IPC: files, streams, runs.

use super::{VALID, assert_rows, folder, made, reasons, run, text};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::fs::{self, File};

/// pyarrow has a reader for either, and so has Polars, which refuse the other: their caller says which it is.
#[test]
fn an_arrow_stream_and_an_arrow_file_are_told_by_their_first_bytes() {
    let folder = folder();
    for (from, to) in [
        ("v4.arrows", "s.arrow"),
        ("v4.arrows", "s.feather"),
        ("v4_legacy.arrows", "old.arrow"),
        ("polars_write.arrows", "p.ipc"),
        ("polars_write.arrow", "f.arrows"),
        ("v4_legacy.arrow", "old.arrows"),
    ] {
        let path = folder.path().join(to);
        fs::copy(made(from), &path).expect("copied");
        assert_rows(&[text(&path)], &VALID);
        for format in ["arrow", "arrow-stream"] {
            assert_rows(&[text(&path), "--format", format], &VALID);
            let bytes = fs::read(&path).expect("there");
            let (code, _, err) = run(&["-", "--format", format], &bytes);
            assert_eq!(code, 0, "{from} as {format}: {err}");
        }
    }
}

#[test]
fn rows_in_front_of_the_first_block_of_a_footer_do_not_go_away() {
    // the footer of the file of pyarrow names no block any more: its first batch is seen where it lies
    let folder = folder();
    let whole = fs::read(made("v4.arrow")).expect("there");
    let trailer = whole.len() - 10;
    let len = u32::from_le_bytes(whole[trailer..trailer + 4].try_into().expect("four")) as usize;
    let path = folder.path().join("t.arrow");
    let mut emptied = 0;
    for at in trailer - len..trailer {
        let mut bytes = whole.clone();
        bytes[at] = 0;
        fs::write(&path, &bytes).expect("written");
        let (code, rows, err) = reasons(&[text(&path)]);
        assert!(code != 0 || rows.len() == 3, "at {at}: {err}");
        emptied += usize::from(err.contains("that its footer does not name"));
    }
    assert!(emptied > 0);
}

#[test]
fn runs_are_decoded_for_every_output() {
    let folder = folder();
    for name in ["o.parquet", "o.arrow", "o.arrows", "o.csv", "o.tsv", "o.jsonl"] {
        let output = folder.path().join(name);
        assert_rows(&[text(&made("runs.arrow")), "-o", text(&output)], &VALID);
        assert_rows(&[text(&output)], &VALID);
    }
    let file = File::open(folder.path().join("o.parquet")).expect("there");
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("Parquet");
    assert_eq!(*reader.schema().field(0).data_type(), arrow_schema::DataType::Binary);
}
