//! Cells of any format: encodings, nulls, names in binary columns.

use super::{
    VALID, arrow, assert_refused, assert_rows, folder, hex, parquet, rows, run, table, text,
};
use arrow_array::types::Int8Type;
use arrow_array::{
    ArrayRef, BinaryArray, BinaryViewArray, DictionaryArray, FixedSizeBinaryArray, Int8Array,
    LargeBinaryArray, NullArray, RecordBatch, StringArray,
};
use std::fs;
use std::sync::Arc;

#[test]
fn an_encoding_that_is_given_is_one_of_binary_columns_too() {
    let folder = folder();
    let rows = rows();
    let column = |n: usize, encode: fn(&[u8]) -> String| -> Vec<Vec<u8>> {
        rows.iter().map(|row| encode(&row[n]).into_bytes()).collect()
    };
    let base64: fn(&[u8]) -> String = |bytes| data_encoding::BASE64.encode(bytes);
    for (encoding, encode) in [("hex", hex as fn(&[u8]) -> String), ("base64", base64)] {
        let columns = [0, 1, 2].map(|n| column(n, encode));
        let of = |make: fn(&[Vec<u8>]) -> ArrayRef| {
            table([make(&columns[0]), make(&columns[1]), make(&columns[2])])
        };
        let tables = [
            of(|cells| Arc::new(BinaryArray::from_iter_values(cells))),
            of(|cells| Arc::new(LargeBinaryArray::from_iter_values(cells))),
            of(|cells| Arc::new(BinaryViewArray::from_iter_values(cells))),
            of(|cells| {
                let fixed = FixedSizeBinaryArray::try_from_iter(cells.iter());
                Arc::new(fixed.expect("of one length"))
            }),
            of(|cells| {
                let values = Arc::new(BinaryArray::from_iter_values(cells));
                let keys = Int8Array::from(vec![0, 1, 2]);
                Arc::new(DictionaryArray::<Int8Type>::try_new(keys, values).expect("in range"))
            }),
        ];
        for table in &tables {
            let path = folder.path().join("t.parquet");
            parquet(&path, table);
            assert_rows(&[text(&path), "--encoding", encoding], &VALID);
            let others = ["--key-encoding", encoding, "--sig-encoding", encoding];
            assert_rows(
                &[&[text(&path), "--msg-encoding", encoding], &others[..]].concat(),
                &VALID,
            );
            // without it they are the bytes of keys, which no key is
            let message =
                format!("may be {encoding}; --key-encoding {encoding}, or --encoding, reads it");
            assert_refused(&[text(&path)], folder.path(), &message);
        }
        // bytes beside text: each column as it is said to be
        let mixed = table([
            Arc::new(BinaryArray::from_iter_values(&columns[0])),
            Arc::new(BinaryArray::from_iter_values(rows.iter().map(|row| &row[1]))),
            Arc::new(StringArray::from_iter_values(rows.iter().map(|row| encode(&row[2])))),
        ]);
        let path = folder.path().join("m.parquet");
        parquet(&path, &mixed);
        assert_rows(&[text(&path), "--encoding", encoding, "--msg-encoding", "raw"], &VALID);
        // a cell that is not in the encoding is one of its row
        let others = ["--key-encoding", encoding, "--sig-encoding", encoding];
        let args = [&[text(&path), "--msg-encoding", "hex"], &others[..]].concat();
        assert_rows(&args, &["unreadable"; 3]);
    }
}

#[test]
fn names_may_stand_in_a_binary_column() {
    let folder = folder();
    let rows = rows();
    let column = |n: usize| -> ArrayRef {
        Arc::new(BinaryArray::from_iter_values(rows.iter().map(|row| &row[n])))
    };
    let algs = Arc::new(BinaryArray::from_iter_values(["ed25519", "ed25519", "other"]));
    let columns: [(&str, ArrayRef); 4] =
        [("key", column(0)), ("msg", column(1)), ("sig", column(2)), ("alg", algs)];
    let table = RecordBatch::try_from_iter(columns).expect("of one length");
    let path = folder.path().join("t.parquet");
    parquet(&path, &table);
    assert_rows(&[text(&path)], &["valid", "valid", "unknown"]);
}

#[test]
fn a_column_of_nulls_makes_rows_null() {
    let folder = folder();
    let rows = rows();
    let column = |n: usize| -> ArrayRef {
        Arc::new(BinaryArray::from_iter_values(rows.iter().map(|row| &row[n])))
    };
    let nulls = || -> ArrayRef { Arc::new(NullArray::new(3)) };
    let path = folder.path().join("t.parquet");
    for n in 0..3 {
        let mut columns = [column(0), column(1), column(2)];
        columns[n] = nulls();
        let table = table(columns);
        parquet(&path, &table);
        assert_rows(&[text(&path)], &["null"; 3]);
        if n == 0 {
            assert_rows(&[text(&path), "--key-form", "spki"], &["null"; 3]);
            assert_rows(&[text(&path), "--key-encoding", "base64"], &["null"; 3]);
        }
        let arrow_path = folder.path().join("t.arrow");
        arrow(&arrow_path, &table);
        assert_rows(&[text(&arrow_path)], &["null"; 3]);
        assert_eq!(run(&[text(&path), "--allow-null"], b"").0, 0);
        for output in ["o.parquet", "o.csv", "o.jsonl", "o.arrow"] {
            let output = folder.path().join(output);
            assert_rows(&[text(&path), "--force", "-o", text(&output)], &["null"; 3]);
        }
    }
    for name in ["alg", "rule", "variant", "context"] {
        let columns: [(&str, ArrayRef); 4] =
            [("key", column(0)), ("msg", column(1)), ("sig", column(2)), (name, nulls())];
        let columns = columns.map(|(name, column)| (name, column, true));
        parquet(&path, &RecordBatch::try_from_iter_with_nullable(columns).expect("of one length"));
        // a null context is no context
        let expected = if name == "context" { VALID } else { ["null"; 3] };
        assert_rows(&[text(&path)], &expected);
    }
}

#[test]
fn text_of_keys_and_signatures_is_read_as_tools_print_it() {
    let folder = folder();
    let path = folder.path().join("t.jsonl");
    let wrapped = |text: String, width: usize, end: &str| -> String {
        let lines = text.as_bytes().chunks(width).map(|line| String::from_utf8_lossy(line));
        lines.map(|line| line.into_owned() + end).collect()
    };
    type Encode = Box<dyn Fn(&[u8]) -> String>;
    let forms: Vec<(&str, Encode)> = vec![
        ("hex", Box::new(move |bytes| wrapped(hex(bytes), 60, "\n"))),
        ("base64", Box::new(move |bytes| wrapped(data_encoding::BASE64.encode(bytes), 76, "\n"))),
        ("base64", Box::new(move |bytes| wrapped(data_encoding::BASE64.encode(bytes), 64, "\r\n"))),
        ("base64", Box::new(|bytes| data_encoding::BASE64_NOPAD.encode(bytes))),
        ("base64", Box::new(|bytes| data_encoding::BASE64URL.encode(bytes))),
        ("base64", Box::new(|bytes| data_encoding::BASE64URL_NOPAD.encode(bytes))),
    ];
    for (encoding, encode) in &forms {
        let lines = rows().into_iter().map(|row| {
            let [key, msg, sig] = row.map(|bytes| encode(&bytes));
            serde_json::json!({"key": key, "msg": msg, "sig": sig}).to_string() + "\n"
        });
        fs::write(&path, lines.collect::<String>()).expect("written");
        assert_rows(&[text(&path), "--encoding", encoding], &VALID);
    }
}

#[test]
fn a_null_comes_before_other_faults_of_a_row() {
    let folder = folder();
    let path = folder.path().join("t.jsonl");
    let context = "63".repeat(256);
    let row = |msg: &str, field: &str| {
        format!("{{\"key\":\"00\",\"msg\":{msg},\"sig\":\"00\",{field}}}\n")
    };
    let too_long = format!("\"variant\":\"ctx\",\"context\":\"{context}\"");
    let lines = [
        row("\"00\"", &too_long),
        row("null", &too_long),
        row("null", "\"rule\":\"none\""),
        row("\"00\"", "\"rule\":\"none\""),
    ];
    fs::write(&path, lines.concat()).expect("written");
    let args = [text(&path), "--context-encoding", "hex"];
    assert_rows(&args, &["context", "null", "null", "unknown"]);
}
