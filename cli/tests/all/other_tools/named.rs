//! Whole tables: the ones that are read, and the names of what is none.

use super::Ours::{Refuses, Rows};
use super::{
    BIN, Ours, VALID, assert_refused, assert_rows, folder, hex, json_line, made, row, run, text,
};
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

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
