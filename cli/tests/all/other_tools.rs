//! Tables as other tools write them: what is read, and the name of what is not.

use arrow_array::types::{Int8Type, Int32Type};
use arrow_array::{
    ArrayRef, BinaryArray, BinaryViewArray, DictionaryArray, FixedSizeBinaryArray, Int8Array,
    LargeBinaryArray, NullArray, RecordBatch, StringArray,
};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use sigmill::bulk::Algorithm;
use sigmill::ecdsa::{Curve, p256, p384};
use sigmill::ed25519::{Signer, SigningKey};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use Ours::{Refuses, Rows};

const BIN: &str = env!("CARGO_BIN_EXE_sigmill");

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path of text")
}

/// A table of this repository; see the README of its folder.
fn made(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files").join(name)
}

fn run(args: &[&str], stdin: &[u8]) -> (i32, String, String) {
    let mut command = Command::new(BIN);
    command.arg("check").args(args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("runs");
    // it need not read to the end
    let _ = child.stdin.take().expect("a pipe").write_all(stdin);
    let output = child.wait_with_output().expect("ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().expect("ends by itself"), text(&output.stdout), text(&output.stderr))
}

/// Exit code, and the reasons of the rows, `valid` where there is none.
fn reasons(args: &[&str]) -> (i32, Vec<String>, String) {
    let (code, out, err) = run(&[&["--jsonl", "--quiet"], args].concat(), b"");
    assert!(!err.contains("internal error") && !err.contains("panicked"), "{args:?}: {err}");
    let rows = out.lines().map(|line| {
        let row: serde_json::Value = serde_json::from_str(line).expect("JSON");
        row["reason"].as_str().unwrap_or("valid").to_owned()
    });
    (code, rows.collect(), err)
}

fn assert_rows(args: &[&str], expected: &[&str]) {
    let (code, rows, err) = reasons(args);
    assert_eq!(rows, expected, "{args:?}: {err}");
    let is_good = expected.iter().all(|row| *row == "valid");
    assert_eq!(code == 0, is_good, "{args:?}: {err}");
}

/// One message, exit code 2, no row and no output.
fn assert_refused(args: &[&str], folder: &Path, message: &str) {
    for format in ["csv", "parquet", "jsonl"] {
        let output = folder.join(format!("refused.{format}"));
        let args = [&["-o", text(&output), "--jsonl"], args].concat();
        let (code, out, err) = run(&args, b"");
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}: {err}");
        assert!(err.contains(message) && err.lines().count() == 1, "{args:?}: {err}");
        assert!(!output.exists(), "{args:?}");
    }
}

fn hex(bytes: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(bytes)
}

type Row = [Vec<u8>; 3];

/// Key, message and signature.
fn row(number: u8) -> Row {
    let key = SigningKey::from_bytes(&[number + 1; 32]);
    let message = format!("message {number}").into_bytes();
    let signature = key.sign(&message).to_bytes().to_vec();
    [key.verifying_key().to_bytes().to_vec(), message, signature]
}

fn rows() -> Vec<Row> {
    (0..3).map(row).collect()
}

fn table(columns: [ArrayRef; 3]) -> RecordBatch {
    let columns = ["key", "msg", "sig"].into_iter().zip(columns);
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true)))
        .expect("of one length")
}

fn parquet(path: &Path, table: &RecordBatch) {
    let file = File::create(path).expect("created");
    let mut writer = ArrowWriter::try_new(file, table.schema(), None).expect("a writer");
    writer.write(table).expect("written");
    writer.close().expect("closed");
}

fn arrow(path: &Path, table: &RecordBatch) {
    let file = File::create(path).expect("created");
    let mut writer =
        arrow_ipc::writer::FileWriter::try_new(file, &table.schema()).expect("a writer");
    writer.write(table).expect("written");
    writer.finish().expect("closed");
}

fn json_line(number: u8, more: &str) -> String {
    let [key, msg, sig] = row(number).map(|bytes| hex(&bytes));
    format!("{{\"key\":\"{key}\",\"msg\":\"{msg}\",\"sig\":\"{sig}\"{more}}}\n")
}

const VALID: [&str; 3] = ["valid"; 3];

/// The result of `check` on a table.
enum Ours {
    Rows(&'static [&'static str]),
    Refuses(&'static str),
}

/// The tables of `tests/files`: what pyarrow 26.0.1 and Polars 2.1.0 do with them, what we do, and why where that
/// differs.
const FILES: &[(&str, &str, Ours)] = &[
    ("polars_write.arrow", "both read it", Rows(&VALID)),
    ("polars_sink.arrow", "both read it", Rows(&VALID)),
    ("polars_empty.arrow", "both read no rows", Rows(&[])),
    ("polars_write.arrows", "both read it", Rows(&VALID)),
    ("polars_write.parquet", "both read it", Rows(&VALID)),
    ("v4.arrow", "both read it", Rows(&VALID)),
    ("v4.arrows", "both read it", Rows(&VALID)),
    ("v4_legacy.arrow", "both read it", Rows(&VALID)),
    ("v4_legacy.arrows", "both read it", Rows(&VALID)),
    ("checksums.parquet", "both read it", Rows(&VALID)),
    ("runs.arrow", "pyarrow reads it, Polars panics: not yet implemented", Rows(&VALID)),
    // pyarrow still has a reader of its own for a format of 2016; `arrow-ipc` has none
    (
        "v1.feather",
        "pyarrow reads it and says that it will not for long, Polars: InvalidFooter",
        Refuses("is a Feather file of version 1, not an Arrow IPC file; write it as version 2"),
    ),
    (
        "encrypted.parquet",
        "both refuse it without its keys",
        Refuses("is an encrypted Parquet file, not Parquet; decrypt it"),
    ),
    (
        "encrypted_columns.parquet",
        "both refuse it without its keys",
        Refuses("has encrypted columns; decrypt it first"),
    ),
];

#[test]
fn tables_of_other_tools_are_read_or_named() {
    let folder = folder();
    for (name, others, ours) in FILES {
        let path = made(name);
        match ours {
            Refuses(message) => assert_refused(&[text(&path)], folder.path(), message),
            Rows(expected) => {
                assert_rows(&[text(&path)], expected);
                for output in ["o.parquet", "o.arrow", "o.csv", "o.jsonl"] {
                    let output = folder.path().join(output);
                    assert_rows(&[text(&path), "--force", "-o", text(&output)], expected);
                    let is_empty = expected.is_empty() && output.ends_with("o.jsonl");
                    if !is_empty {
                        assert_rows(&[text(&output)], expected);
                    }
                }
            }
        }
        assert!(!others.is_empty());
    }
    let here = fs::read_dir(made("")).expect("the folder").map(|entry| entry.expect("an entry"));
    let names = here.map(|entry| entry.file_name().to_string_lossy().into_owned());
    for name in names.filter(|name| name != "README.md" && name != "make.py") {
        assert!(FILES.iter().any(|(known, ..)| *known == name), "{name}");
    }
}

/// Tables of text, `KEY`, `MSG` and `SIG` of row 0 in hexadecimal in them: what Python's json, pyarrow 26.0.1 and Polars
/// 2.1.0 do with them, what we do, and why where that differs.
const TEXTS: &[(&str, &str, &str, Ours)] = &[
    // the last wins, the first wins, or an error: a field with two values has none
    (
        "twice.jsonl",
        r#"{"key":"KEY","msg":"00","msg":"MSG","sig":"SIG"}"#,
        "json takes the last, Polars the first; pyarrow refuses the table",
        Rows(&["unreadable"]),
    ),
    (
        "nan.jsonl",
        r#"{"key":"KEY","msg":"MSG","sig":"SIG","n":NaN}"#,
        "json and pyarrow read it; Polars refuses the table",
        Rows(&["valid"]),
    ),
    // nobody reads the note: it stays as it came, where Polars makes a zero of it
    (
        "surrogate.jsonl",
        r#"{"key":"KEY","msg":"MSG","sig":"SIG","note":"\ud83d"}"#,
        "json keeps it, Polars reads U+0000; pyarrow refuses the table",
        Rows(&["valid"]),
    ),
    (
        "mark.jsonl",
        "\u{feff}{\"key\":\"KEY\",\"msg\":\"MSG\",\"sig\":\"SIG\"}",
        "pyarrow reads it; json and Polars refuse it",
        Rows(&["valid"]),
    ),
    (
        "array.json",
        r#"[{"key":"KEY","msg":"MSG","sig":"SIG"}]"#,
        "pyarrow and Polars refuse it",
        Refuses("is a JSON array, not JSON lines; `jq -c '.[]' FILE` makes lines of it"),
    ),
    (
        "tabs.tsv",
        "key\tmsg\tsig\nKEY\tMSG\tSIG\n",
        "both read it where they are told the delimiter",
        Rows(&["valid"]),
    ),
    ("mark.csv", "\u{feff}key,msg,sig\nKEY,MSG,SIG\n", "both read it", Rows(&["valid"])),
    // there is nothing to check in a table without the three columns
    (
        "semicolons.csv",
        "key;msg;sig\nKEY;MSG;SIG\n",
        "both read one column",
        Refuses("or say --delimiter ';'"),
    ),
];

#[test]
fn tables_of_text_are_read_or_named() {
    let folder = folder();
    let [key, msg, sig] = row(0).map(|bytes| hex(&bytes));
    for (name, content, others, ours) in TEXTS {
        let path = folder.path().join(name);
        let content = content.replace("KEY", &key).replace("MSG", &msg).replace("SIG", &sig);
        fs::write(&path, content).expect("written");
        match ours {
            Rows(expected) => assert_rows(&[text(&path)], expected),
            Refuses(message) => assert_refused(&[text(&path)], folder.path(), message),
        }
        assert!(!others.is_empty());
    }
}

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

/// pyarrow reads such a page unless it is told to verify, and Polars always does; a signature is checked so that such
/// damage is seen.
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
fn a_field_that_is_there_twice_makes_its_row_unreadable() {
    let folder = folder();
    let path = folder.path().join("t.jsonl");
    let pairs = [
        ("key", "00"),
        ("msg", "00"),
        ("sig", "00"),
        ("alg", "ed25519"),
        ("rule", "common"),
        ("variant", "pure"),
        ("context", ""),
    ];
    for (name, value) in pairs {
        let good = json_line(0, &format!(",\"{name}\":\"{value}\""));
        let twice = match name {
            "key" | "msg" | "sig" => good,
            _ => json_line(0, &format!(",\"{name}\":\"{value}\",\"{name}\":\"{value}\"")),
        };
        // by another spelling of the same name, too, and where the second is null
        let spelt = twice.replacen(
            &format!("\"{name}\""),
            &format!("\"\\u{:04x}{}\"", name.as_bytes()[0], &name[1..]),
            1,
        );
        let null = json_line(0, &format!(",\"{name}\":null,\"{name}\":null"));
        for line in [twice, spelt, null] {
            fs::write(&path, [json_line(1, ""), line, json_line(2, "")].concat()).expect("written");
            let args = [text(&path), "--allow-null"];
            assert_rows(&args, &["valid", "unreadable", "valid"]);
            let (_, _, err) = reasons(&args);
            assert!(err.contains(&format!("row 1, column {name}: is there twice")), "{err}");
            for output in ["o.csv", "o.jsonl", "o.parquet"] {
                let output = folder.path().join(output);
                let args = [text(&path), "--force", "-o", text(&output)];
                assert_rows(&args, &["valid", "unreadable", "valid"]);
            }
            // JSON lines keep both
            let written = fs::read_to_string(folder.path().join("o.jsonl")).expect("written");
            let doubled = written.lines().nth(1).expect("a row");
            assert!(doubled.matches(&format!("{}\":", &name[1..])).count() >= 2, "{doubled}");
        }
    }
    // one that nobody reads has no value in a column, and keeps both in JSON lines
    fs::write(&path, json_line(0, ",\"n\":1,\"n\":2")).expect("written");
    assert_rows(&[text(&path)], &["valid"]);
    let output = folder.path().join("p.jsonl");
    assert_rows(&[text(&path), "-o", text(&output)], &["valid"]);
    assert!(fs::read_to_string(&output).expect("written").contains("\"n\":1,\"n\":2,\"verdict\""));
    let output = folder.path().join("p.csv");
    let (code, _, err) = run(&[text(&path), "-o", text(&output)], b"");
    assert!(
        code == 2 && err.contains("row 0 has the field `n` twice") && !output.exists(),
        "{err}"
    );
}

#[test]
fn fields_that_appear_later_are_columns() {
    let folder = folder();
    let path = folder.path().join("t.jsonl");
    let lines = [
        json_line(0, ""),
        json_line(1, ",\"owner\":\"x\",\"n\":[1, 2]"),
        json_line(2, ",\"z\":null,\"owner\":\"y\""),
    ];
    fs::write(&path, lines.concat()).expect("written");
    for (name, input) in [("o.csv", text(&path)), ("o.tsv", text(&path)), ("p.csv", "-")] {
        let output = folder.path().join(name);
        let args = [input, "--format", "jsonl", "-o", text(&output)];
        let (code, _, err) = run(&args, lines.concat().as_bytes());
        assert_eq!(code, 0, "{err}");
        let written = fs::read_to_string(&output).expect("written");
        let delimiter = if name == "o.tsv" { b'\t' } else { b',' };
        let mut reader =
            csv::ReaderBuilder::new().delimiter(delimiter).from_reader(written.as_bytes());
        let header = reader.headers().expect("a header").clone();
        let at = |name: &str| header.iter().position(|cell| cell == name).expect("a column");
        let rows: Vec<csv::StringRecord> =
            reader.records().map(|row| row.expect("a row")).collect();
        let cells =
            |name: &str| rows.iter().map(|row| row[at(name)].to_owned()).collect::<Vec<_>>();
        assert_eq!(cells("owner"), ["", "x", "y"]);
        assert_eq!(cells("n"), ["", "[1, 2]", ""]);
        assert_eq!(cells("z"), ["", "", ""]);
    }
    for name in ["o.parquet", "o.arrow", "o.arrows"] {
        let output = folder.path().join(name);
        assert_rows(&[text(&path), "-o", text(&output)], &VALID);
    }
    let file = File::open(folder.path().join("o.parquet")).expect("there");
    let mut reader =
        ParquetRecordBatchReaderBuilder::try_new(file).expect("Parquet").build().expect("a reader");
    let batch = reader.next().expect("rows").expect("rows");
    let owner = batch.column_by_name("owner").expect("a column");
    let owner = owner.as_any().downcast_ref::<StringArray>().expect("text");
    assert_eq!(owner.iter().collect::<Vec<_>>(), [None, Some("x"), Some("y")]);
    // so many names, or so long, are none of a table in columns
    let many: String = (0..1001).map(|n| format!(",\"n{n}\":1")).collect();
    let long: String = (0..3).map(|n| format!(",\"{n}{}\":1", "x".repeat(400_000))).collect();
    for more in [many, long] {
        fs::write(&path, [json_line(0, ""), json_line(1, &more)].concat()).expect("written");
        assert_rows(&[text(&path)], &["valid", "valid"]);
        let output = folder.path().join("many.csv");
        let (code, _, err) = run(&[text(&path), "-o", text(&output)], b"");
        assert!(code == 2 && err.contains("no format but JSON lines can hold that"), "{err}");
        assert!(!output.exists());
        assert_rows(
            &[text(&path), "--force", "-o", text(&output.with_extension("jsonl"))],
            &["valid", "valid"],
        );
    }
    // not even the first row need have what a row needs, and what is added must be nobody's
    let late = ["{\"n\":1}\n".to_owned(), json_line(1, "")].concat();
    fs::write(&path, late).expect("written");
    let output = folder.path().join("late.csv");
    assert_rows(&[text(&path), "-o", text(&output)], &["null", "valid"]);
    for name in ["verdict", "reason"] {
        fs::write(&path, [json_line(0, ""), json_line(1, &format!(",\"{name}\":1"))].concat())
            .expect("written");
        for format in ["parquet", "csv", "jsonl"] {
            let output = folder.path().join(format!("added.{format}"));
            let (code, _, err) = run(&[text(&path), "-o", text(&output)], b"");
            assert!(
                code == 2 && err.contains(&format!("`{name}` already; rename it first")),
                "{err}"
            );
            assert!(!output.exists());
        }
    }
}

#[test]
fn a_field_that_nobody_reads_does_not_spoil_its_row() {
    let folder = folder();
    let path = folder.path().join("t.jsonl");
    let odd = [
        ",\"note\":\"\\ud83d\"",
        ",\"note\":NaN",
        ",\"note\":[Infinity,{\"a\":-Infinity}]",
        ",\"note\":\"a\u{1}b\"",
        ",\"note\":1e999999",
    ];
    for more in odd {
        fs::write(&path, [json_line(0, ""), json_line(1, more), json_line(2, "")].concat())
            .expect("written");
        assert_rows(&[text(&path)], &VALID);
        for name in ["o.jsonl", "o.csv", "o.parquet", "o.arrow"] {
            let output = folder.path().join(name);
            assert_rows(&[text(&path), "--force", "-o", text(&output)], &VALID);
        }
        let written = fs::read_to_string(folder.path().join("o.jsonl")).expect("written");
        let kept = written.lines().nth(1).expect("a row");
        assert!(
            kept.contains(more) && kept.ends_with(",\"verdict\":\"valid\",\"reason\":null}"),
            "{kept}"
        );
    }
    // as bytes that are no text: only an output in columns needs it
    let line = json_line(1, ",\"note\":\"?\"").into_bytes();
    let line: Vec<u8> =
        line.into_iter().map(|byte| if byte == b'?' { 0xe9 } else { byte }).collect();
    fs::write(&path, [json_line(0, "").as_bytes(), &line].concat()).expect("written");
    assert_rows(&[text(&path)], &["valid", "valid"]);
    let output = folder.path().join("latin.csv");
    assert_rows(&[text(&path), "-o", text(&output)], &["valid", "unreadable"]);
    // a field that is read is its row's problem, and no other's
    for (value, message) in [
        ("\"\\ud83d\"", "not a string of JSON: "),
        ("NaN", "NaN is not a string"),
        ("{\"a\":1}", "{\"a\":1} is not a string"),
        ("\"zz\"", "not hexadecimal: `z` at position 0"),
    ] {
        let line = json_line(1, "").replacen(&format!("\"{}\"", hex(&row(1)[1])), value, 1);
        fs::write(&path, [json_line(0, ""), line, json_line(2, "")].concat()).expect("written");
        assert_rows(&[text(&path)], &["valid", "unreadable", "valid"]);
        let (_, _, err) = reasons(&[text(&path)]);
        assert!(err.contains(&format!("row 1, column msg: {message}")), "{err}");
    }
}

#[test]
fn a_byte_order_mark_is_no_part_of_a_table() {
    let folder = folder();
    let [key, msg, sig] = row(0).map(|bytes| hex(&bytes));
    let csv = format!("\u{feff}key,msg,sig\n{key},{msg},{sig}\n");
    let jsonl = format!("\u{feff}{}", json_line(0, ""));
    for (name, content) in [("t.csv", &csv), ("t.jsonl", &jsonl)] {
        let path = folder.path().join(name);
        fs::write(&path, content).expect("written");
        assert_rows(&[text(&path)], &["valid"]);
        let output = folder.path().join(format!("o.{name}"));
        assert_rows(&[text(&path), "-o", text(&output)], &["valid"]);
    }
    assert_eq!(run(&["-"], jsonl.as_bytes()).0, 0);
}

#[test]
fn cells_of_csv_stand_between_what_the_option_says() {
    let folder = folder();
    let with = |delimiter: &str| -> String {
        let line = |cells: [String; 4]| cells.join(delimiter) + "\n";
        let rows = rows().into_iter().map(|row| {
            let [key, msg, sig] = row.map(|bytes| hex(&bytes));
            line([key, msg, sig, format!("\"a{delimiter}b\"")])
        });
        line(["key", "msg", "sig", "note"].map(str::to_owned)) + &rows.collect::<String>()
    };
    for (name, delimiter, option) in [
        ("t.tsv", "\t", None),
        ("t.tab", "\t", None),
        ("t.csv", ";", Some(";")),
        ("u.csv", "|", Some("|")),
        ("v.csv", "\t", Some("tab")),
        ("w.csv", "\t", Some("\\t")),
        ("x.tsv", ";", Some(";")),
    ] {
        let path = folder.path().join(name);
        fs::write(&path, with(delimiter)).expect("written");
        let options = option.map_or(vec![], |option| vec!["--delimiter", option]);
        assert_rows(&[&[text(&path)], &options[..]].concat(), &VALID);
        // an output is read the same way
        for output in [format!("o.{name}"), format!("{name}.out.tsv")] {
            let output = folder.path().join(output);
            assert_rows(&[&[text(&path), "-o", text(&output)], &options[..]].concat(), &VALID);
            assert_rows(&[&[text(&output)], &options[..]].concat(), &VALID);
        }
    }
    assert_eq!(run(&["-", "--format", "tsv"], with("\t").as_bytes()).0, 0);
    // without the option, the message says what may be missing
    for (name, delimiter, hint) in
        [("t.csv", ";", "';'"), ("w.csv", "\t", "tab"), ("x.tsv", ",", "','")]
    {
        let path = folder.path().join(name);
        fs::write(&path, with(delimiter)).expect("written");
        assert_refused(&[text(&path)], folder.path(), &format!("or say --delimiter {hint}"));
    }
    let path = folder.path().join("t.csv");
    for wrong in ["", "ab", "\"", "\n", "é"] {
        assert_eq!(run(&[text(&path), "--delimiter", wrong], b"").0, 2, "{wrong:?}");
    }
    // Latin-1 in a column that nobody reads
    let latin: Vec<u8> = with(",").replace("a,b", "caf?").into_bytes();
    let latin: Vec<u8> =
        latin.into_iter().map(|byte| if byte == b'?' { 0xe9 } else { byte }).collect();
    fs::write(&path, latin).expect("written");
    assert_rows(&[text(&path)], &VALID);
    let output = folder.path().join("latin.jsonl");
    assert_rows(&[text(&path), "-o", text(&output)], &["unreadable"; 3]);
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

/// Algorithm, key in SubjectPublicKeyInfo as DER and PEM, message, signature.
type InSpki = (Algorithm, Vec<u8>, String, Vec<u8>, Vec<u8>);

fn in_spki() -> Vec<InSpki> {
    let message = b"message".to_vec();
    let ed25519 = SigningKey::from_bytes(&[7; 32]);
    let p256 = p256::ecdsa::SigningKey::from_bytes(&[7; 32]).expect("a key");
    let p384 = p384::ecdsa::SigningKey::from_bytes(&[7; 48]).expect("a key");
    let key = ed25519.verifying_key();
    let of_p256: p256::ecdsa::Signature = Signer::sign(&p256, &message);
    let of_p384: p384::ecdsa::Signature = Signer::sign(&p384, &message);
    vec![
        (
            Algorithm::Ed25519,
            key.to_spki_der().expect("DER"),
            key.to_spki_pem().expect("PEM"),
            message.clone(),
            ed25519.sign(&message).to_bytes().to_vec(),
        ),
        (
            Algorithm::of_curve(Curve::P256),
            p256.verifying_key().to_spki_der().expect("DER"),
            p256.verifying_key().to_spki_pem().expect("PEM"),
            message.clone(),
            of_p256.to_bytes().to_vec(),
        ),
        (
            Algorithm::of_curve(Curve::P384),
            p384.verifying_key().to_spki_der().expect("DER"),
            p384.verifying_key().to_spki_pem().expect("PEM"),
            message,
            of_p384.to_bytes().to_vec(),
        ),
    ]
}

#[test]
fn keys_in_containers_are_read_where_the_option_says_so() {
    let folder = folder();
    for (alg, der, pem, message, signature) in in_spki() {
        let alg = alg.name();
        let binary =
            |cells: [&[u8]; 2]| -> ArrayRef { Arc::new(BinaryArray::from_iter_values(cells)) };
        let (messages, signatures) = (binary([&message; 2]), binary([&signature; 2]));
        let indices = arrow_array::Int32Array::from(vec![0, 0]);
        let values: ArrayRef = Arc::new(BinaryArray::from_iter_values([&der]));
        let columns: [ArrayRef; 4] = [
            binary([&der; 2]),
            binary([pem.as_bytes(); 2]),
            Arc::new(StringArray::from_iter_values([pem.as_str(), &format!("\u{feff}\n{pem}\n")])),
            Arc::new(DictionaryArray::<Int32Type>::try_new(indices, values).expect("in range")),
        ];
        for keys in columns {
            let path = folder.path().join("t.parquet");
            parquet(&path, &table([keys, messages.clone(), signatures.clone()]));
            assert_rows(&[text(&path), "--alg", alg, "--key-form", "spki"], &["valid"; 2]);
            // said before the table is judged
            let message = "; --key-form spki reads it";
            assert_refused(&[text(&path), "--alg", alg], folder.path(), message);
        }
        // in text: DER in hexadecimal or base64, or PEM
        let path = folder.path().join("t.jsonl");
        let line = |key: &str, encode: fn(&[u8]) -> String| {
            serde_json::json!({"key": key, "msg": encode(&message), "sig": encode(&signature)})
                .to_string()
                + "\n"
        };
        let base64: fn(&[u8]) -> String = |bytes| data_encoding::BASE64.encode(bytes);
        for (encoding, encode) in [("hex", hex as fn(&[u8]) -> String), ("base64", base64)] {
            fs::write(&path, line(&encode(&der), encode) + &line(&pem, encode)).expect("written");
            let args = [text(&path), "--alg", alg, "--key-form", "spki", "--encoding", encoding];
            assert_rows(&args, &["valid"; 2]);
            for key in [encode(&der), pem.clone()] {
                fs::write(&path, line(&key, encode)).expect("written");
                let args = [text(&path), "--alg", alg, "--encoding", encoding];
                assert_refused(&args, folder.path(), "; --key-form spki reads it");
            }
        }
    }
}

#[test]
fn a_container_of_another_algorithm_is_a_problem_of_its_row() {
    let folder = folder();
    let path = folder.path().join("t.jsonl");
    let all = in_spki();
    let line = |of_key: usize, of_row: usize| {
        let ((_, key, ..), (alg, _, _, message, signature)) = (&all[of_key], &all[of_row]);
        serde_json::json!({"alg": alg.name(), "key": hex(key), "msg": hex(message), "sig": hex(signature)})
            .to_string() + "\n"
    };
    let (mut lines, mut expected) = (String::new(), Vec::new());
    for of_key in 0..3 {
        for of_row in 0..3 {
            lines += &line(of_key, of_row);
            expected.push(if of_key == of_row { "valid" } else { "unreadable" });
        }
    }
    // a key of X25519, a key by itself, and no DER at all
    let mut x25519 = all[0].1.clone();
    x25519[8] = 0x6e;
    let itself = &all[0].1[12..];
    for key in [&x25519[..], itself, b"\x30"] {
        lines += &(serde_json::json!({"alg": "ed25519", "key": hex(key), "msg": "", "sig": ""})
            .to_string()
            + "\n");
        expected.push("unreadable");
    }
    fs::write(&path, lines).expect("written");
    let args = [text(&path), "--key-form", "spki"];
    assert_rows(&args, &expected);
    let (_, _, err) = reasons(&args);
    for message in [
        "row 1, column key: holds a key of ed25519; the row is of p256",
        "row 3, column key: holds a key of p256; the row is of ed25519",
        "row 9, column key: a key of another algorithm than Ed25519, P-256 and P-384: 44 bytes",
        "row 10, column key: not a SubjectPublicKeyInfo: ",
    ] {
        assert!(err.contains(message), "{message}: {err}");
    }
}

#[test]
fn what_is_no_table_is_named() {
    let folder = folder();
    let [key, msg, sig] = row(0).map(|bytes| hex(&bytes));
    let csv = format!("key,msg,sig\n{key},{msg},{sig}\n");
    let wide = |text: &str, big: bool, mark: bool| -> Vec<u8> {
        let units = mark.then_some(0xfeff).into_iter().chain(text.encode_utf16());
        units.flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
    };
    let compressed = |program: &str, bytes: &[u8]| -> Option<Vec<u8>> {
        let mut child = Command::new(program)
            .arg("-c")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .ok()?;
        child.stdin.take()?.write_all(bytes).ok()?;
        Some(child.wait_with_output().ok()?.stdout)
    };
    // the name of one file of tar, and what says that it is one
    let tar = |bytes: &[u8]| [b"table.csv", &[0; 248][..], b"ustar\x0000", bytes].concat();
    let mut cases: Vec<(Vec<u8>, &str)> = vec![
        (wide(&csv, false, true), "is text in UTF-16"),
        (wide(&csv, true, true), "is text in UTF-16"),
        (wide(&csv, false, false), "is text in UTF-16"),
        (wide(&csv, true, false), "is text in UTF-16"),
        (fs::read(made("checksums.parquet")).expect("there"), "is Parquet"),
        (fs::read(made("encrypted.parquet")).expect("there"), "is an encrypted Parquet file"),
        (fs::read(made("v1.feather")).expect("there"), "is a Feather file of version 1"),
        (fs::read(made("v4.arrow")).expect("there"), "is an Arrow IPC file"),
        (fs::read(made("v4.arrows")).expect("there"), "is an Arrow IPC stream"),
        (b"PK\x03\x04\x14\0\0\0\x08\0abcdefgh".to_vec(), "is a ZIP archive"),
        (tar(csv.as_bytes()), "is a tar archive"),
        (b"-----BEGIN CERTIFICATE-----\nMIIB".to_vec(), "is a certificate"),
        (b"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5 me\n".to_vec(), "is an SSH public key (Ed25519)"),
        (b"<?xml version=\"1.0\"?>\n<rows/>\n".to_vec(), "is XML"),
    ];
    for (program, name) in [
        ("gzip", "is gzip"),
        ("zstd", "is zstd"),
        ("xz", "is xz"),
        ("bzip2", "is bzip2"),
        ("lz4", "is lz4"),
    ] {
        // as the tool of that name writes it, where it is installed
        cases.extend(compressed(program, csv.as_bytes()).map(|bytes| (bytes, name)));
    }
    assert!(cases.iter().any(|(_, name)| *name == "is gzip"));
    for (bytes, name) in &cases {
        for extension in ["csv", "tsv", "jsonl", "parquet", "arrow", "arrows"] {
            let is_own = match extension {
                "parquet" => *name == "is Parquet",
                "arrow" | "arrows" => name.contains("Arrow IPC"),
                _ => false,
            };
            if !is_own {
                let path = folder.path().join(format!("t.{extension}"));
                fs::write(&path, bytes).expect("written");
                assert_refused(&[text(&path)], folder.path(), name);
            }
        }
        // without a name
        let (code, _, err) = run(&["-"], bytes);
        let is_read =
            ["is Parquet", "is an Arrow IPC file", "is an Arrow IPC stream"].contains(name);
        assert!(if is_read { code == 0 } else { code == 2 && err.contains(name) }, "{name}: {err}");
    }
    let path = folder.path().join("t.json");
    for array in
        [format!("[{}]", json_line(0, "").trim()), format!("\u{feff} [\n{}]", json_line(0, ""))]
    {
        fs::write(&path, array).expect("written");
        assert_refused(
            &[text(&path)],
            folder.path(),
            "is a JSON array, not JSON lines; `jq -c '.[]' FILE` makes lines of it",
        );
    }
    // a header may begin like JSON, and like many another file
    let path = folder.path().join("t.csv");
    for name in ["[n]", "{n}", "age1", "ORC", "PAR1", "BZh", "ssh-rsa", "ecdsa-sha2-n", "0"] {
        fs::write(&path, format!("{name},key,msg,sig\n1,{key},{msg},{sig}\n")).expect("written");
        assert_rows(&[text(&path)], &["valid"]);
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

#[test]
fn messages_that_nobody_reads_change_no_exit_code() {
    let folder = folder();
    let path = folder.path().join("t.csv");
    fs::write(&path, "key,msg,sig\n-,-,-\n").expect("written");
    let missing = folder.path().join("missing.pem");
    let (path, missing) = (text(&path), text(&missing));
    for (args, expected) in [
        (&["check", path][..], 2),
        (&["check", path, "--jsonl"], 2),
        (&["pubkey", "--key", missing], 2),
    ] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = Command::new(BIN).args(args).stderr(writer).output().expect("runs");
        assert_eq!(output.status.code(), Some(expected), "{args:?}");
    }
}
