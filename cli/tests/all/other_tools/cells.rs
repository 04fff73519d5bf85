//! Cells of any format: encodings, nulls, names in binary columns.

use super::{
    VALID, arrow, assert_refused, assert_rows, folder, hex, parquet, row, rows, run, table, text,
};
use arrow_array::types::Int8Type;
use arrow_array::{
    ArrayRef, BinaryArray, BinaryViewArray, DictionaryArray, FixedSizeBinaryArray,
    FixedSizeListArray, Int8Array, LargeBinaryArray, LargeListArray, LargeListViewArray, ListArray,
    ListViewArray, NullArray, RecordBatch, StringArray, UInt8Array,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field};
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
            let message = format!("; --key-encoding {encoding}, or --encoding, reads it");
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

/// Lists of bytes in each layout of Arrow; views in the reverse order of rows, `None` a null.
fn lists(cells: &[Option<&[u8]>]) -> Vec<ArrayRef> {
    let field = || Arc::new(Field::new("item", DataType::UInt8, true));
    let nulls = || Some(NullBuffer::from_iter(cells.iter().map(Option::is_some)));
    let of = |cell: &Option<&[u8]>| cell.unwrap_or_default().to_vec();
    let bytes = |cells: Vec<Vec<u8>>| Arc::new(UInt8Array::from(cells.concat()));
    let in_order = || bytes(cells.iter().map(of).collect());
    let reversed = || bytes(cells.iter().rev().map(of).collect());
    let lengths = || cells.iter().map(|cell| cell.map_or(0, <[u8]>::len));
    let sizes: Vec<usize> = lengths().collect();
    let starts: Vec<usize> = (1..=cells.len()).map(|at| sizes[at..].iter().sum()).collect();
    let small = |numbers: &[usize]| numbers.iter().map(|n| *n as i32).collect::<Vec<_>>();
    let large = |numbers: &[usize]| numbers.iter().map(|n| *n as i64).collect::<Vec<_>>();
    let mut made: Vec<ArrayRef> = vec![
        Arc::new(ListArray::new(
            field(),
            OffsetBuffer::from_lengths(lengths()),
            in_order(),
            nulls(),
        )),
        Arc::new(LargeListArray::new(
            field(),
            OffsetBuffer::from_lengths(lengths()),
            in_order(),
            nulls(),
        )),
        Arc::new(ListViewArray::new(
            field(),
            small(&starts).into(),
            small(&sizes).into(),
            reversed(),
            nulls(),
        )),
        Arc::new(LargeListViewArray::new(
            field(),
            large(&starts).into(),
            large(&sizes).into(),
            reversed(),
            nulls(),
        )),
    ];
    let width = lengths().max().unwrap_or(0);
    if cells.iter().flatten().all(|cell| cell.len() == width) {
        let filled = cells.iter().map(|cell| cell.map_or(vec![0; width], <[u8]>::to_vec)).collect();
        let width = width as i32;
        made.push(Arc::new(FixedSizeListArray::new(field(), width, bytes(filled), nulls())));
    }
    made
}

#[test]
fn lists_of_u8_are_bytes() {
    let folder = folder();
    let rows: Vec<_> = (0..4).map(row).collect();
    let column = |n: usize| lists(&rows.iter().map(|row| Some(&row[n][..])).collect::<Vec<_>>());
    let columns = [column(0), column(1), column(2)];
    let mut with_null: Vec<Option<&[u8]>> = rows.iter().map(|row| Some(&row[1][..])).collect();
    with_null[1] = None;
    let with_null = lists(&with_null);
    let path = folder.path().join("t.arrow");
    for number in 0..columns[0].len() {
        let whole = table([0, 1, 2].map(|n| columns[n][number].clone()));
        arrow(&path, &whole);
        assert_rows(&[text(&path)], &["valid"; 4]);
        arrow(&path, &whole.slice(1, 2));
        assert_rows(&[text(&path)], &["valid"; 2]);
        let null = [&columns[0], &with_null, &columns[2]].map(|column| column[number].clone());
        arrow(&path, &table(null));
        let expected = ["valid", "null", "valid", "valid"];
        assert_rows(&[text(&path)], &expected);
        for output in ["o.parquet", "o.arrow", "o.arrows"] {
            let output = folder.path().join(output);
            assert_rows(&[text(&path), "--force", "-o", text(&output)], &expected);
            assert_rows(&[text(&output)], &expected);
        }
        let path = folder.path().join("t.parquet");
        parquet(&path, &whole);
        assert_rows(&[text(&path)], &["valid"; 4]);
    }
    // beside bytes of their own, shared by rows, and in an encoding
    let keys = Int8Array::from(vec![3, 2, 1, 0]);
    let reversed: Vec<_> = rows.iter().rev().map(|row| Some(&row[1][..])).collect();
    for lists in lists(&reversed) {
        let shared = DictionaryArray::<Int8Type>::try_new(keys.clone(), lists).expect("in range");
        arrow(&path, &table([columns[0][0].clone(), Arc::new(shared), columns[2][2].clone()]));
        assert_rows(&[text(&path)], &["valid"; 4]);
    }
    let digits: Vec<String> = rows.iter().map(|row| hex(&row[1])).collect();
    let digits: Vec<Option<&[u8]>> = digits.iter().map(|text| Some(text.as_bytes())).collect();
    for lists in lists(&digits) {
        arrow(&path, &table([columns[0][0].clone(), lists, columns[2][0].clone()]));
        assert_rows(&[text(&path), "--msg-encoding", "hex"], &["valid"; 4]);
    }
}

#[test]
fn a_null_among_the_bytes_of_a_list_is_unreadable() {
    let folder = folder();
    let path = folder.path().join("t.arrow");
    let rows = rows();
    let column = |n: usize| lists(&rows.iter().map(|row| Some(&row[n][..])).collect::<Vec<_>>());
    let columns = [column(0), column(1), column(2)];
    // of row 1
    let at = rows[0][1].len() + 2;
    let bytes = rows.iter().flat_map(|row| row[1].iter()).enumerate();
    let bytes = UInt8Array::from_iter(bytes.map(|(place, byte)| (place != at).then_some(*byte)));
    let lengths = rows.iter().map(|row| row[1].len());
    let field = Arc::new(Field::new("item", DataType::UInt8, true));
    let offsets = OffsetBuffer::<i32>::from_lengths(lengths);
    let messages: ArrayRef = Arc::new(ListArray::new(field, offsets, Arc::new(bytes), None));
    let shared = DictionaryArray::<Int8Type>::new(Int8Array::from(vec![0, 1, 2]), messages.clone());
    for messages in [messages, Arc::new(shared)] {
        arrow(&path, &table([columns[0][0].clone(), messages, columns[2][0].clone()]));
        assert_rows(&[text(&path)], &["valid", "unreadable", "valid"]);
        let (_, _, err) = run(&[text(&path)], b"");
        assert!(err.contains("row 1, column msg: one of its bytes is null"), "{err}");
    }
    // lists of anything else are named
    for (kind, name) in [(DataType::Int8, "List(Int8"), (DataType::Utf8, "List(Utf8")] {
        let lists = arrow_array::new_null_array(&DataType::new_list(kind, true), 3);
        arrow(&path, &table([columns[0][0].clone(), lists, columns[2][0].clone()]));
        let (code, out, err) = run(&[text(&path), "--jsonl"], b"");
        assert_eq!((code, out.as_str()), (2, ""), "{err}");
        assert!(
            err.contains("bytes, lists of u8 or text are needed") && err.contains(name),
            "{err}"
        );
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
