//! JSON lines: fields that are twice, late or not read.

use super::{VALID, assert_rows, folder, hex, json_line, reasons, row, run, text};
use arrow_array::StringArray;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::fs::{self, File};

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
