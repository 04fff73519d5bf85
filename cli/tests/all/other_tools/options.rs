//! Options that some formats alone have, quotes in TSV, and nulls in outputs of CSV.

use super::{
    VALID, arrow, assert_refused, assert_rows, folder, hex, json_line, parquet, row, rows, run,
    table, text,
};
use arrow_array::{ArrayRef, BinaryArray};
use arrow_ipc::writer::StreamWriter;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The three rows in each format.
fn tables(folder: &Path) -> Vec<(&'static str, PathBuf)> {
    let column = |n: usize| -> ArrayRef {
        Arc::new(BinaryArray::from_iter_values(rows().iter().map(|row| row[n].clone())))
    };
    let batch = table([column(0), column(1), column(2)]);
    let names = ["t.parquet", "t.arrow", "t.arrows", "t.csv", "t.tsv", "t.jsonl"];
    let paths = names.map(|name| (name, folder.join(name)));
    parquet(&paths[0].1, &batch);
    arrow(&paths[1].1, &batch);
    let jsonl: String = (0..3).map(|number| json_line(number, "")).collect();
    fs::write(&paths[5].1, jsonl).expect("written");
    let file = File::create(&paths[2].1).expect("created");
    let mut writer = StreamWriter::try_new(file, &batch.schema()).expect("a writer");
    writer.write(&batch).expect("written");
    writer.finish().expect("closed");
    for (name, path) in &paths[3..5] {
        let output = [text(&paths[1].1), "-o", text(path)];
        assert_rows(&output, &VALID);
        assert!(path.exists(), "{name}");
    }
    // without the verdicts
    for (_, path) in &paths[3..5] {
        let written = fs::read_to_string(path).expect("there");
        let delimiter = if path.ends_with("t.tsv") { '\t' } else { ',' };
        let lines = written.lines().map(|line| {
            line.split(delimiter).take(3).collect::<Vec<_>>().join(&delimiter.to_string()) + "\n"
        });
        fs::write(path, lines.collect::<String>()).expect("written");
    }
    paths.to_vec()
}

#[test]
fn an_option_of_another_format_is_an_error() {
    let folder = folder();
    let tables = tables(folder.path());
    for (option, value, of) in [
        ("--delimiter", None, &["t.csv", "t.tsv"][..]),
        ("--quote", Some("'"), &["t.csv", "t.tsv"]),
        ("--null", Some("NA"), &["t.csv", "t.tsv"]),
        ("--max-record", Some("1000000"), &["t.csv", "t.tsv", "t.jsonl"]),
    ] {
        for (name, path) in &tables {
            let value = value.unwrap_or(if *name == "t.tsv" { "tab" } else { "," });
            let args = [text(path), option, value];
            if of.contains(name) {
                assert_rows(&args, &VALID);
                continue;
            }
            let (code, out, err) = run(&args, b"");
            assert_eq!((code, out.as_str()), (2, ""), "{args:?}: {err}");
            assert!(err.contains(&format!("{option} is for CSV")), "{args:?}: {err}");
            // one of two tables has it
            let args = [text(path), text(&tables[3].1), option, value];
            if option != "--max-record" {
                assert_eq!(run(&args, b"").0, 0, "{args:?}");
            }
            // and so has an output
            let output = folder.path().join("o.csv");
            let args = [text(path), option, value, "-o", text(&output), "--force"];
            let (code, _, err) = run(&args, b"");
            assert_eq!(code == 0, option != "--max-record", "{args:?}: {err}");
            // by its first bytes, too
            let bytes = fs::read(path).expect("there");
            assert_eq!(run(&["-", option, value], &bytes).0, 2, "{name} {option}");
        }
    }
    let path = text(&tables[3].1);
    for wrong in ["", "ab", "\n", " ", "é"] {
        assert_eq!(run(&[path, "--quote", wrong], b"").0, 2, "{wrong:?}");
    }
    let (code, _, err) = run(&[path, "--quote", ","], b"");
    assert!(code == 2 && err.contains("the same character"), "{err}");
}

/// TSV has no quotes by its definition, as MySQL, PostgreSQL and ClickHouse write it; pandas, DuckDB and Polars quote.
#[test]
fn a_quote_that_is_none_makes_no_cell_of_many_rows() {
    let folder = folder();
    let table = |notes: [&str; 3], delimiter: &str| {
        let rows = rows().into_iter().zip(notes).map(|(row, note)| {
            let cells = row.map(|bytes| hex(&bytes));
            format!("{}{delimiter}{note}\n", cells.join(delimiter))
        });
        format!("key{delimiter}msg{delimiter}sig{delimiter}note\n{}", rows.collect::<String>())
    };
    let unended = "begins with a quote, and its line ends before another";
    let goes_on = "goes on behind the quote that ends it";
    for (name, notes, row, message) in [
        // pandas and Python's csv read one row and lose two
        ("t.tsv", ["\"a", "b", "12\""], 0, unended),
        ("t.tsv", ["a", "\"b", "c"], 1, unended),
        ("t.tsv", ["a", "b", "\"c\" d"], 2, goes_on),
        // and Python drops both quotes here; DuckDB refuses
        ("t.csv", ["a", "\"b\" c", "d"], 1, goes_on),
        ("t.csv", ["a", "b", "\"c"], 2, "the table ends within a quoted cell"),
    ] {
        let message = format!("row {row}, column note: {message}");
        let path = folder.path().join(name);
        let delimiter = if name == "t.tsv" { "\t" } else { "," };
        fs::write(&path, table(notes, delimiter)).expect("written");
        assert_refused(&[text(&path)], folder.path(), &message);
        assert_refused(&[text(&path)], folder.path(), "--quote none, if quotes mean nothing");
        // as it is, it goes on into an output
        let output = folder.path().join(format!("o.{name}"));
        assert_rows(&[text(&path), "--quote", "none", "-o", text(&output)], &VALID);
        let written = fs::read_to_string(&output).expect("there");
        for note in notes {
            assert!(written.contains(&format!("{delimiter}{note}{delimiter}valid")), "{written}");
        }
        fs::remove_file(&output).expect("there");
        let output = folder.path().join("o.jsonl");
        assert_rows(&[text(&path), "--quote", "none", "-o", text(&output), "--force"], &VALID);
        let written = fs::read_to_string(&output).expect("there");
        let first: serde_json::Value =
            serde_json::from_str(written.lines().next().expect("a line")).expect("JSON");
        assert_eq!(first["note"], notes[0]);
    }
    // quotes of a writer that has some, doubled ones and empty cells among them
    let path = folder.path().join("q.tsv");
    fs::write(&path, table(["\"a\tb\"", "\"say \"\"a\"\"\"", "\"\""], "\t")).expect("written");
    assert_rows(&[text(&path)], &VALID);
    fs::write(&path, table(["\"a\nb\"", "c", "\"d\r\n\""], "\t")).expect("written");
    assert_rows(&[text(&path), "--quote", "\""], &VALID);
    let path = folder.path().join("q.csv");
    fs::write(&path, table(["\"a\nb\"", "c", "\"d,\""], ",")).expect("written");
    assert_rows(&[text(&path)], &VALID);
    fs::write(&path, table(["'a,\nb'", "'it''s'", "\"d"], ",")).expect("written");
    assert_rows(&[text(&path), "--quote", "'"], &VALID);
    // what no cell without quotes can hold is not written
    let jsonl = folder.path().join("t.jsonl");
    fs::write(&jsonl, json_line(0, ",\"note\":\"a\\tb\"")).expect("written");
    let output = folder.path().join("none.tsv");
    let (code, _, err) = run(&[text(&jsonl), "-o", text(&output), "--quote", "none"], b"");
    assert!(code == 2 && err.contains("has a delimiter or a line end in it"), "{err}");
    assert!(!output.exists());
}

#[test]
fn the_text_of_a_null_is_written_as_it_is_read() {
    let folder = folder();
    let [key, msg, sig] = row(0).map(|bytes| hex(&bytes));
    let path = folder.path().join("t.csv");
    let csv = format!("key,msg,sig,note\n{key},{msg},{sig},NA\n{key},NA,{sig},\n");
    fs::write(&path, csv).expect("written");
    let output = folder.path().join("o.csv");
    let options = ["--null", "NA", "--allow-null"];
    let args = [&[text(&path), "-o", text(&output)], &options[..]].concat();
    assert_eq!(run(&args, b"").0, 0);
    let written = fs::read_to_string(&output).expect("there");
    assert_eq!(
        written,
        format!(
            "key,msg,sig,note,verdict,reason\n{key},{msg},{sig},NA,valid,NA\n{key},NA,{sig},,NA,null\n"
        )
    );
}
