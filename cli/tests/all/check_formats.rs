//! `sigmill check` and `explain` over every format, encoding and layout, and broken files.

use crate::folder::text;
use arrow_array::types::{Int32Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, DictionaryArray, FixedSizeBinaryArray,
    Int32Array, IntervalYearMonthArray, LargeBinaryArray, RecordBatch, StringArray,
    StringViewArray, UInt64Array, UnionArray,
};
use arrow_schema::{Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use sigmill::ed25519::{Signer, SigningKey};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

const BIN: &str = env!("CARGO_BIN_EXE_sigmill");
const ROWS: usize = 40;

fn run(args: &[&str]) -> Output {
    Command::new(BIN).args(args).output().expect("runs")
}

fn code(args: &[&str]) -> (i32, String, String) {
    let output = run(args);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().expect("ends by itself"), text(&output.stdout), text(&output.stderr))
}

/// Keys, messages and signatures; row 7 has a wrong signature and row 9 a short one.
fn rows() -> Vec<[Vec<u8>; 3]> {
    (0..ROWS)
        .map(|i| {
            let key = SigningKey::from_bytes(&[i as u8 % 5; 32]);
            let message = vec![i as u8; i];
            let mut signature = key.sign(&message).to_bytes().to_vec();
            if i == 7 {
                signature[3] ^= 1;
            }
            if i == 9 {
                signature.truncate(63);
            }
            [key.verifying_key().to_bytes().to_vec(), message, signature]
        })
        .collect()
}

fn column(rows: &[[Vec<u8>; 3]], n: usize) -> impl Iterator<Item = &[u8]> + Clone {
    rows.iter().map(move |row| &row[n][..])
}

fn batch(columns: [ArrayRef; 3]) -> RecordBatch {
    let names = ["key", "msg", "sig"];
    let fields =
        names.iter().zip(&columns).map(|(n, c)| Field::new(*n, c.data_type().clone(), true));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    RecordBatch::try_new(schema, columns.to_vec()).expect("columns of one length")
}

fn write_parquet(path: &Path, batches: &[RecordBatch]) {
    let file = File::create(path).expect("created");
    let mut writer = ArrowWriter::try_new(file, batches[0].schema(), None).expect("a writer");
    for batch in batches {
        writer.write(batch).expect("written");
        writer.flush().expect("a row group");
    }
    writer.close().expect("closed");
}

fn write_ipc(path: &Path, batch: &RecordBatch) {
    let file = File::create(path).expect("created");
    let mut writer =
        arrow_ipc::writer::FileWriter::try_new(file, &batch.schema()).expect("a writer");
    writer.write(batch).expect("written");
    writer.finish().expect("closed");
}

fn hex(bytes: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(bytes)
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

/// The layouts that Arrow has for the same columns.
fn layouts() -> Vec<(&'static str, RecordBatch)> {
    let rows = rows();
    let binary = |n| -> ArrayRef { Arc::new(BinaryArray::from_iter_values(column(&rows, n))) };
    let large = |n| -> ArrayRef { Arc::new(LargeBinaryArray::from_iter_values(column(&rows, n))) };
    let view = |n| -> ArrayRef { Arc::new(BinaryViewArray::from_iter_values(column(&rows, n))) };
    let fixed: ArrayRef =
        Arc::new(FixedSizeBinaryArray::try_from_iter(column(&rows, 0)).expect("32 bytes each"));
    let hexed =
        |n| -> ArrayRef { Arc::new(StringArray::from_iter_values(column(&rows, n).map(hex))) };
    let distinct = BinaryArray::from_iter_values(column(&rows[..5], 0));
    let indices: Int32Array = (0..ROWS).map(|i| (i % 5) as i32).collect();
    let dictionary: ArrayRef = Arc::new(
        DictionaryArray::<Int32Type>::try_new(indices, Arc::new(distinct)).expect("in range"),
    );
    let whole = batch([fixed.clone(), binary(1), binary(2)]);
    // of text each value once, with keys of any width, a value that nobody has, and views
    let keys = column(&rows[..5], 0).map(hex).chain(["no key".to_owned()]);
    let keys: ArrayRef = Arc::new(StringViewArray::from_iter_values(keys));
    let indices: UInt64Array = (0..ROWS).map(|i| (i % 5) as u64).collect();
    let of_text: ArrayRef =
        Arc::new(DictionaryArray::<UInt64Type>::try_new(indices, keys).expect("in range"));
    // a slice with an offset of its own: rows 3 and up of a table with three rows more in front
    let padded = |array: &ArrayRef| {
        let twice = arrow_select::concat::concat(&[array.slice(0, 3).as_ref(), array.as_ref()])
            .expect("one type");
        twice.slice(3, ROWS)
    };
    vec![
        ("binary", batch([binary(0), binary(1), binary(2)])),
        ("large binary", batch([large(0), large(1), large(2)])),
        ("view", batch([view(0), view(1), view(2)])),
        ("fixed", whole.clone()),
        ("hex text", batch([hexed(0), hexed(1), hexed(2)])),
        ("dictionary", batch([dictionary, binary(1), large(2)])),
        ("dictionary of text", batch([of_text, view(1), hexed(2)])),
        ("slice", batch([padded(&fixed), padded(&binary(1)), padded(&binary(2))])),
    ]
}

fn assert_two_bad_rows(args: &[&str], what: &str) {
    let (exit, out, err) = code(&[&["check", "--json"], args].concat());
    assert_eq!(exit, 1, "{what}: {err}");
    let summary: serde_json::Value = serde_json::from_str(&out).expect("one JSON object");
    assert_eq!(summary["rows"], ROWS, "{what}");
    assert_eq!(summary["valid"], ROWS - 2, "{what}");
    assert_eq!(summary["reasons"]["signature_length"], 1, "{what}");
    assert_eq!(summary["rule"], "common", "{what}");
}

#[test]
fn every_format_and_layout_gives_the_same_answer() {
    let folder = folder();
    for (name, batch) in layouts() {
        let parquet = folder.path().join("t.parquet");
        write_parquet(&parquet, &[batch.slice(0, 11), batch.slice(11, ROWS - 11)]);
        assert_two_bad_rows(&[text(&parquet)], &format!("Parquet {name}"));
        let arrow = folder.path().join("t.arrow");
        write_ipc(&arrow, &batch);
        assert_two_bad_rows(&[text(&arrow), "--threads", "1"], &format!("Arrow {name}"));
    }
    let rows = rows();
    for (encoding, encode) in [
        ("hex", hex as fn(&[u8]) -> String),
        ("base64", |bytes| data_encoding::BASE64.encode(bytes)),
    ] {
        let lines = |format: fn(&[String; 3]) -> String| -> String {
            rows.iter()
                .map(|row| format(&[encode(&row[0]), encode(&row[1]), encode(&row[2])]))
                .collect()
        };
        let csv = folder.path().join("t.csv");
        let body = lines(|[k, m, s]| format!("{k},{m},{s}\n"));
        fs::write(&csv, format!("key,msg,sig\n{body}")).expect("written");
        assert_two_bad_rows(&[text(&csv), "--encoding", encoding], &format!("CSV {encoding}"));
        let jsonl = folder.path().join("t.jsonl");
        fs::write(
            &jsonl,
            lines(|[k, m, s]| format!("{{\"key\":\"{k}\",\"msg\":\"{m}\",\"sig\":\"{s}\"}}\n")),
        )
        .expect("written");
        assert_two_bad_rows(
            &[text(&jsonl), "--encoding", encoding],
            &format!("JSON lines {encoding}"),
        );
    }
}

fn read_column(path: &Path, name: &str) -> Vec<Option<String>> {
    let file = File::open(path).expect("there");
    let reader =
        ParquetRecordBatchReaderBuilder::try_new(file).expect("Parquet").build().expect("a reader");
    let mut values = Vec::new();
    for batch in reader {
        let batch = batch.expect("a batch");
        let array = batch.column_by_name(name).expect("the column").clone();
        let array = array.as_any().downcast_ref::<StringArray>().expect("text").clone();
        values.extend(array.iter().map(|value| value.map(str::to_owned)));
    }
    values
}

#[test]
fn outputs_have_verdict_and_reason_in_any_format() {
    let folder = folder();
    let input = folder.path().join("t.parquet");
    write_parquet(&input, &[layouts()[0].1.clone()]);
    let output = folder.path().join("out.parquet");
    let (exit, _, err) = code(&["check", text(&input), "-o", text(&output)]);
    assert_eq!(exit, 1, "{err}");
    let (verdicts, reasons) = (read_column(&output, "verdict"), read_column(&output, "reason"));
    for row in 0..ROWS {
        let expected = match row {
            7 => ("invalid", Some(reasons[7].as_deref().expect("a reason"))),
            9 => ("invalid", Some("signature_length")),
            _ => ("valid", None),
        };
        assert_eq!(
            (verdicts[row].as_deref(), reasons[row].as_deref()),
            (Some(expected.0), expected.1),
            "row {row}"
        );
    }
    // an existing output needs --force, and stays as it was without
    let before = fs::read(&output).expect("there");
    let (exit, _, err) = code(&["check", text(&input), "-o", text(&output)]);
    assert!(exit == 2 && err.contains("exists"), "{err}");
    assert_eq!(fs::read(&output).expect("there"), before);
    // only the bad rows
    let (exit, _, _) = code(&["check", text(&input), "-o", text(&output), "--bad", "--force"]);
    assert_eq!((exit, read_column(&output, "verdict").len()), (1, 2));
    // other formats, and from them back: the same answer again
    for name in ["o.csv", "o.jsonl", "o.arrow", "o.arrows"] {
        let other = folder.path().join(name);
        let (exit, _, err) = code(&["check", text(&input), "-o", text(&other)]);
        assert_eq!(exit, 1, "{name}: {err}");
        assert_two_bad_rows(&[text(&other)], name);
    }
}

#[test]
fn a_column_without_a_text_is_refused_before_an_output_is_begun() {
    let folder = folder();
    let input = folder.path().join("t.arrow");
    let whole = layouts()[0].1.clone();
    let lists = arrow_array::new_null_array(
        &arrow_schema::DataType::new_list(arrow_schema::DataType::Int32, true),
        ROWS,
    );
    let mut columns: Vec<(&str, ArrayRef)> = vec![("lists", lists)];
    columns.extend(["key", "msg", "sig"].into_iter().zip(whole.columns().iter().cloned()));
    let columns = columns.into_iter().map(|(name, column)| (name, column, true));
    write_ipc(&input, &RecordBatch::try_from_iter_with_nullable(columns).expect("of one length"));
    for (name, is_good) in
        [("o.csv", false), ("o.jsonl", false), ("o.parquet", true), ("o.arrow", true)]
    {
        let output = folder.path().join(name);
        let (exit, out, err) = code(&["check", text(&input), "-o", text(&output)]);
        assert_eq!(
            (exit, output.exists()),
            (if is_good { 1 } else { 2 }, is_good),
            "{name}: {err}"
        );
        if !is_good {
            assert!(out.is_empty() && err.lines().count() == 1, "{name}: {out}{err}");
            let what = format!("{}: column `lists` has type List(", text(&output));
            assert!(err.contains(&what) && err.contains("write Parquet or Arrow instead"), "{err}");
        }
    }
}

#[test]
fn per_row_rules_variants_and_contexts_are_followed() {
    let folder = folder();
    let key = SigningKey::from_bytes(&[1; 32]);
    let context = sigmill::ed25519::ContextString::new(b"here").expect("short");
    let variants = [
        ("pure", "", key.sign(b"m")),
        ("ctx", "here", key.sign_with(sigmill::ed25519::Variant::Ctx(context), b"m")),
        ("ph", "here", key.sign_with(sigmill::ed25519::Variant::Ph(context), b"m")),
    ];
    let mut lines = "key,msg,sig,alg,rule,variant,context\n".to_owned();
    for (made, made_context, signature) in &variants {
        for (variant, context, _) in &variants {
            let (key, _) = (key.verifying_key(), made_context);
            lines += &format!("{key},6d,{signature},ed25519,zip215,{variant},{context}\n");
            let _ = made;
        }
    }
    let path = folder.path().join("t.csv");
    fs::write(&path, &lines).expect("written");
    let (exit, out, err) = code(&["check", text(&path), "--jsonl"]);
    assert_eq!(exit, 1, "{err}");
    for (row, line) in out.lines().enumerate() {
        let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(line["row"], row);
        assert_eq!(line["verdict"], if row % 4 == 0 { "valid" } else { "invalid" }, "row {row}");
    }
    assert_eq!(out.lines().count(), 9);
    assert!(err.contains("9 rows, 3 valid, 6 invalid"), "{err}");
}

#[test]
fn nulls_are_counted_and_excused_only_when_asked() {
    let folder = folder();
    let rows = rows();
    let some = |n: usize, null: usize| -> ArrayRef {
        let values =
            rows[..6].iter().enumerate().map(move |(i, row)| (i != null).then_some(&row[n][..]));
        Arc::new(BinaryArray::from_iter(values))
    };
    let path = folder.path().join("t.parquet");
    write_parquet(&path, &[batch([some(0, 0), some(1, 1), some(2, 2)])]);
    let (exit, out, _) = code(&["check", text(&path)]);
    assert!(exit == 2 && out.contains("6 rows, 3 valid, 0 invalid, 3 null"), "{out}");
    assert_eq!(code(&["check", text(&path), "--allow-null"]).0, 0);
    let csv = folder.path().join("t.csv");
    fs::write(&csv, "key,msg,sig\nNA,00,00\n").expect("written");
    let (exit, out, _) = code(&["check", text(&csv), "--null", "NA"]);
    assert!(exit == 2 && out.contains("1 null"), "{out}");
    // a cell that is no hexadecimal is not excused
    fs::write(&csv, "key,msg,sig\nxy,00,00\n").expect("written");
    let (exit, _, err) = code(&["check", text(&csv), "--allow-null"]);
    assert!(
        exit == 2 && err.contains("row 0, column key: not hexadecimal: `x` at position 0"),
        "{err}"
    );
}

#[test]
fn truncated_and_damaged_tables_are_a_message() {
    let folder = folder();
    let (parquet, arrow): (PathBuf, PathBuf) =
        (folder.path().join("t.parquet"), folder.path().join("t.arrow"));
    write_parquet(&parquet, &[layouts()[0].1.clone()]);
    write_ipc(&arrow, &layouts()[0].1);
    for path in [&parquet, &arrow] {
        let whole = fs::read(path).expect("there");
        let broken =
            folder.path().join(format!("broken.{}", path.extension().unwrap().to_str().unwrap()));
        let output = folder.path().join("out.csv");
        let cuts = (1..whole.len()).step_by(whole.len() / 40 + 1);
        let damages = (0..whole.len()).step_by(whole.len() / 60 + 1);
        for cut in cuts {
            fs::write(&broken, &whole[..cut]).expect("written");
            let (exit, _, err) = code(&["check", text(&broken), "-o", text(&output)]);
            assert!(exit == 2 && err.starts_with("sigmill: "), "cut at {cut}: {exit} {err}");
            assert!(
                !err.contains("internal error") && !err.contains("panicked"),
                "cut at {cut}: {err}"
            );
            assert!(!output.exists(), "cut at {cut} left an output");
        }
        for at in damages {
            let mut bytes = whole.clone();
            bytes[at] ^= 0xff;
            fs::write(&broken, &bytes).expect("written");
            let (exit, _, err) = code(&["check", text(&broken), "-q"]);
            assert!((0..=2).contains(&exit), "damage at {at}: {err}");
            assert!(
                !err.contains("internal error") && !err.contains("panicked"),
                "damage at {at}: {err}"
            );
        }
    }
    // nothing temporary is left behind
    let left = fs::read_dir(folder.path()).expect("there").filter(|entry| {
        entry
            .as_ref()
            .is_ok_and(|entry| entry.file_name().to_string_lossy().starts_with(".sigmill"))
    });
    assert_eq!(left.count(), 0);
}

#[test]
fn rows_before_a_damage_get_their_outcomes_first() {
    let (folder, batch) = (folder(), layouts()[0].1.clone());
    let mut stream = Vec::new();
    let mut writer =
        arrow_ipc::writer::StreamWriter::try_new(&mut stream, &batch.schema()).expect("a writer");
    for first in (0..ROWS).step_by(5) {
        writer.write(&batch.slice(first, 5)).expect("written");
    }
    writer.finish().expect("closed");
    drop(writer);
    // the schema is message 0, and the last batch is cut
    let last = ROWS / 5;
    let (cut, whole) = (folder.path().join("cut.arrows"), folder.path().join("whole.arrows"));
    fs::write(&cut, &stream[..stream.len() - 100]).expect("written");
    fs::write(&whole, &stream).expect("written");
    for threads in ["1", "2", "3"] {
        for (path, rows, end) in [
            (&cut, ROWS - 5, format!("message {last} of the Arrow stream is cut off")),
            (&whole, ROWS, String::new()),
        ] {
            let out = folder.path().join("out");
            let file = File::create(&out).expect("created");
            let status = Command::new(BIN)
                .args(["check", text(path), "--jsonl", "--quiet", "--threads", threads])
                .stdout(file.try_clone().expect("a second handle"))
                .stderr(file)
                .status();
            assert_eq!(status.expect("runs").code(), Some(1), "{threads} threads");
            let out = fs::read_to_string(&out).expect("text");
            let mut lines = out.lines();
            for row in 0..rows {
                let line = lines.next().expect("an outcome");
                let start = format!("{{\"row\":{row},\"verdict\":");
                assert!(line.starts_with(&start), "{threads} threads: {out}");
            }
            let rest: String = lines.collect();
            assert!(rest.ends_with(&end), "{threads} threads: {out}");
            assert_eq!(rest.is_empty(), end.is_empty(), "{threads} threads: {out}");
        }
    }
}

#[test]
fn columns_of_a_wrong_type_and_several_tables() {
    let folder = folder();
    let rows = rows();
    let binary = |n| -> ArrayRef { Arc::new(BinaryArray::from_iter_values(column(&rows, n))) };
    let numbers: ArrayRef = Arc::new(Int32Array::from(vec![1; ROWS]));
    let wrong = folder.path().join("wrong.parquet");
    write_parquet(&wrong, &[batch([numbers, binary(1), binary(2)])]);
    let (exit, _, err) = code(&["check", text(&wrong)]);
    assert!(exit == 2 && err.contains("column `key` has type Int32"), "{err}");
    let good = folder.path().join("good.parquet");
    write_parquet(&good, &[layouts()[0].1.slice(0, 5)]);
    let (exit, out, err) = code(&["check", text(&good), text(&good)]);
    assert!(exit == 0 && out.contains("all tables: 10 rows"), "{out}{err}");
    // one table that cannot be read: the others are checked
    let (exit, out, _) = code(&["check", text(&good), text(&wrong)]);
    assert!(exit == 2 && out.contains("5 rows, 5 valid"), "{out}");
    // an invalid row beside it wins
    let bad = folder.path().join("bad.parquet");
    write_parquet(&bad, &[layouts()[0].1.clone()]);
    assert_eq!(code(&["check", text(&bad), text(&wrong)]).0, 1);
}

#[test]
fn explain_tells_why_rules_disagree() {
    // key and R of order 4, S = 0: the exact equation depends on the message, the cofactored holds
    let (key, identity) = ("00".repeat(32), format!("01{}", "00".repeat(31)));
    let signature = format!("{identity}{}", "00".repeat(32));
    let args = ["explain", "--key", &key, "--sig", &signature, "--msg", "61", "--json"];
    let (exit, out, err) = code(&args);
    let report: serde_json::Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{err}"));
    assert_eq!(report["a"]["torsion_order"], 4);
    assert_eq!(report["r"]["small_order"], true);
    assert_eq!(report["cofactored"], true);
    assert_eq!(report["rules"]["zip215"]["valid"], true);
    assert_eq!(report["rules"]["strict"]["reason"], "key_small_order");
    assert_eq!(report["rules"]["common"]["valid"], report["exact"]);
    assert_eq!(exit, i32::from(report["exact"] == false));
    let (exit, out, _) = code(&[&args[..7], &["--rule", "zip215"]].concat());
    assert!(exit == 0 && out.contains("small order 4") && out.contains("ed25519-zebra"), "{out}");
    assert!(out.contains("computed   by single in portable"), "{out}");
    for (backend, strategy) in [("portable", "lanes"), ("portable", "combined")] {
        let forced = ["--backend", backend, "--strategy", strategy];
        let (_, out, err) = code(&[&args[..], &forced].concat());
        let report: serde_json::Value =
            serde_json::from_str(&out).unwrap_or_else(|_| panic!("{err}"));
        assert_eq!(report["backend"], backend);
        assert_eq!(report["strategy"], strategy);
    }
    for (option, value, message) in [
        ("--strategy", "guess", "unknown strategy; known are single, lanes, combined"),
        ("--key", "00", "--key has 1 bytes, not 32"),
        ("--sig", "zz", "--sig: not hexadecimal: `z` at position 0"),
        ("--rule", "best", "unknown rule; known are common"),
        ("--msg", "@/nonexistent", "/nonexistent: no such file"),
    ] {
        let mut args = vec!["explain", "--key", &key, "--sig", &signature, "--msg", "61"];
        match args.iter().position(|arg| *arg == option) {
            Some(at) => args[at + 1] = value,
            None => args.extend([option, value]),
        }
        let (exit, _, err) = code(&args);
        assert!(exit == 2 && err.contains(message), "{option}: {err}");
    }
}

/// Rows of text, one of them of a wrong message.
fn lines_of_text(rows: &[[Vec<u8>; 3]]) -> Vec<String> {
    rows.iter().map(|row| row.each_ref().map(|cell| hex(cell)).join(",")).collect()
}

#[test]
fn a_quote_that_nobody_closes_is_an_error_with_its_row() {
    let folder = folder();
    let lines = lines_of_text(&rows()[5..9]);
    for (name, comma) in [("t.csv", ","), ("t.tsv", "\t")] {
        let path = folder.path().join(name);
        let row = |i: usize, note: &str| format!("{},{note}", lines[i]).replace(',', comma);
        let header = "key,msg,sig,note".replace(',', comma);
        // rows 1 and 2 would be part of the cell, and row 2 is invalid
        let table = [header.clone(), row(0, "ok"), row(1, "\"oops"), row(2, "ok"), String::new()];
        for table in [table.join("\n"), table[..3].join("\n")] {
            fs::write(&path, &table).expect("written");
            for output in [None, Some(folder.path().join("o.parquet"))] {
                let mut args = vec!["check", text(&path)];
                args.extend(output.iter().flat_map(|output| ["-o", text(output)]));
                let (exit, out, err) = code(&args);
                assert!(exit == 2 && out.is_empty(), "{name}: {out}{err}");
                // the definition of TSV knows no quotes, so that a line end says that this was none
                let goes_on = name == "t.tsv" && table.ends_with('\n');
                let what = if goes_on {
                    "begins with a quote"
                } else {
                    "the table ends within a quoted cell"
                };
                assert!(err.contains(&format!("row 1, column note: {what}")), "{name}: {err}");
                assert!(output.is_none_or(|output| !output.exists()));
            }
        }
        let closed = [header, row(0, "\"a\"\"b\nc\""), row(1, "\"\"")].join("\n");
        fs::write(&path, closed).expect("written");
        assert_eq!(code(&["check", text(&path), "--quote", "\""]).0, 0, "{name}");
        assert_eq!(code(&["check", text(&path)]).0, if name == "t.csv" { 0 } else { 2 }, "{name}");
    }
}

#[test]
fn a_column_that_an_option_names_has_to_be_there() {
    let folder = folder();
    let key = SigningKey::from_bytes(&[1; 32]);
    let cells = [hex(&key.verifying_key().to_bytes()), hex(b"m"), hex(&key.sign(b"m").to_bytes())];
    let csv = folder.path().join("t.csv");
    fs::write(&csv, format!("key,msg,sig,policy\n{},strict\n", cells.join(","))).expect("written");
    let jsonl = folder.path().join("t.jsonl");
    let [key, msg, sig] = &cells;
    let line = format!("{{\"key\":\"{key}\",\"msg\":\"{msg}\",\"sig\":\"{sig}\"");
    // the first line may lack it
    fs::write(&jsonl, format!("{line}}}\n{line},\"policy\":\"strict\"}}\n")).expect("written");
    let columns = cells
        .each_ref()
        .map(|cell| -> ArrayRef { Arc::new(StringArray::from_iter_values([cell])) });
    let policy: ArrayRef = Arc::new(StringArray::from_iter_values(["strict"]));
    let columns =
        ["key", "msg", "sig", "policy"].into_iter().zip(columns.into_iter().chain([policy]));
    let batch = RecordBatch::try_from_iter(columns).expect("of one length");
    let (parquet, arrow) = (folder.path().join("t.parquet"), folder.path().join("t.arrow"));
    write_parquet(&parquet, std::slice::from_ref(&batch));
    write_ipc(&arrow, &batch);
    for path in [&csv, &jsonl, &parquet, &arrow] {
        for option in ["--alg-column", "--rule-column", "--variant-column", "--context-column"] {
            let (exit, out, err) = code(&["check", text(path), option, "polcy"]);
            let what = "no column `polcy` (columns: key, msg, sig";
            assert!(exit == 2 && out.is_empty() && err.contains(what), "{path:?}: {out}{err}");
            assert!(err.contains(&format!("name it with {option}")), "{err}");
        }
        assert_eq!(code(&["check", text(path), "--rule-column", "policy"]).0, 0, "{path:?}");
        // nobody looks for it then
        let ignored = ["--rule-column", "polcy", "--ignore-row-options"];
        assert_eq!(code(&[&["check", text(path)][..], &ignored].concat()).0, 0, "{path:?}");
    }
}

#[test]
fn lines_may_lack_fields_in_any_order() {
    let folder = folder();
    let key = SigningKey::from_bytes(&[1; 32]);
    let [key, sig] = [hex(&key.verifying_key().to_bytes()), hex(&key.sign(b"m").to_bytes())];
    let whole = format!("{{\"key\":\"{key}\",\"msg\":\"6d\",\"sig\":\"{sig}\"}}\n");
    let without_key = format!("{{\"msg\":\"6d\",\"sig\":\"{sig}\"}}\n");
    let path = folder.path().join("t.jsonl");
    for lines in [format!("{whole}{without_key}"), format!("{without_key}{whole}")] {
        fs::write(&path, &lines).expect("written");
        let (exit, out, err) = code(&["check", text(&path)]);
        assert!(exit == 2 && out.contains("2 rows, 1 valid, 0 invalid, 1 null"), "{out}{err}");
    }
    // a field that no line has
    for (lines, missing) in [(without_key.repeat(2), "key"), ("{\"a\":1}\n".to_owned(), "key")] {
        fs::write(&path, &lines).expect("written");
        let output = folder.path().join("o.jsonl");
        let (exit, _, err) = code(&["check", text(&path), "-o", text(&output)]);
        let what = format!("no column `{missing}` (columns: ");
        assert!(exit == 2 && err.contains(&what) && !output.exists(), "{err}");
    }
}

#[test]
fn types_that_an_output_would_change_are_refused_before_it_is_begun() {
    let folder = folder();
    let columns = |extra: ArrayRef| {
        let whole = layouts()[0].1.columns().to_vec();
        let columns = ["key", "msg", "sig"].into_iter().zip(whole).chain([("extra", extra)]);
        let columns = columns.map(|(name, column)| (name, column, true));
        RecordBatch::try_from_iter_with_nullable(columns).expect("of one length")
    };
    let numbers: ArrayRef = Arc::new(Int32Array::from_iter_values(0..ROWS as i32));
    let fields = [(0, Arc::new(Field::new("n", numbers.data_type().clone(), true)))];
    let union = UnionArray::try_new(
        fields.into_iter().collect(),
        vec![0_i8; ROWS].into(),
        None,
        vec![numbers],
    );
    let arrow = folder.path().join("t.arrow");
    write_ipc(&arrow, &columns(Arc::new(union.expect("a union"))));
    let output = folder.path().join("o.parquet");
    let (exit, _, err) = code(&["check", text(&arrow), "-o", text(&output)]);
    let what = "Parquet has no unions for column `extra`; write Arrow instead";
    assert!(exit == 2 && err.contains(what) && !output.exists(), "{err}");
    // months of a Parquet file's intervals are lost
    let days = IntervalYearMonthArray::from_iter_values(0..ROWS as i32);
    let parquet = folder.path().join("t.parquet");
    write_parquet(&parquet, &[columns(Arc::new(days))]);
    assert_eq!(code(&["check", text(&parquet)]).0, 1);
    for name in ["o.parquet", "o.arrow", "o.csv"] {
        let output = folder.path().join(name);
        let (exit, _, err) = code(&["check", text(&parquet), "-o", text(&output)]);
        let what = "column `extra` has type INTERVAL, whose months would be lost";
        assert!(exit == 2 && err.contains(what) && !output.exists(), "{err}");
    }
}

#[test]
fn a_column_that_nobody_reads_is_not_decoded() {
    let folder = folder();
    let extra: ArrayRef =
        Arc::new(StringArray::from_iter_values((0..ROWS).map(|_| "patch me here")));
    let whole = layouts()[0].1.columns().to_vec();
    let columns =
        [("extra", extra)].into_iter().chain(["key", "msg", "sig"].into_iter().zip(whole));
    let batch = RecordBatch::try_from_iter(columns).expect("of one length");
    let path = folder.path().join("t.arrow");
    write_ipc(&path, &batch);
    let mut bytes = fs::read(&path).expect("there");
    let at = bytes.windows(8).position(|bytes| bytes == b"patch me").expect("the text");
    bytes[at] = 0xff;
    fs::write(&path, &bytes).expect("written");
    assert_two_bad_rows(&[text(&path)], "text that is not UTF-8");
    let output = folder.path().join("o.csv");
    let (exit, _, err) = code(&["check", text(&path), "-o", text(&output)]);
    assert!(exit == 2 && err.contains("a text column holds bytes: write it as binary"), "{err}");
    // Arrow's schema in a Parquet file may have types that nobody else has
    let path = folder.path().join("t.parquet");
    let schema = KeyValue::new("ARROW:schema".to_owned(), "of another program".to_owned());
    let properties = WriterProperties::builder().set_key_value_metadata(Some(vec![schema]));
    let options = ArrowWriterOptions::new()
        .with_properties(properties.build())
        .with_skip_arrow_metadata(true);
    let file = File::create(&path).expect("created");
    let mut writer =
        ArrowWriter::try_new_with_options(file, batch.schema(), options).expect("opens");
    writer.write(&batch).expect("written");
    writer.close().expect("closed");
    assert_two_bad_rows(&[text(&path)], "a schema of another program");
}
