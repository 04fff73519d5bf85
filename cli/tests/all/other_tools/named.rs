//! Whole tables: the ones that are read, and the names of what is none.

use super::Ours::{Refuses, Rows};
use super::{
    BIN, Ours, VALID, arrow, assert_refused, assert_rows, folder, hex, json_line, made, parquet,
    reasons, row, rows, run, table, text,
};
use arrow_array::{ArrayRef, BinaryArray, ListArray, ListViewArray, NullArray, UInt8Array};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field};
use sigmill::ed25519::SigningKey;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

/// The tables of `tests/files`: what pyarrow 26.0.1 and Polars 2.1.0 do with them, what we do, and why where that
/// differs.
const FILES: &[(&str, &str, Ours)] = &[
    ("polars_write.arrow", "both read it", Rows(&VALID)),
    ("polars_sink.arrow", "both read it", Rows(&VALID)),
    ("polars_empty.arrow", "both read no rows", Rows(&[])),
    ("polars_write.arrows", "both read it", Rows(&VALID)),
    ("polars_write.parquet", "both read it", Rows(&VALID)),
    (
        "polars_int128.arrow",
        "Polars reads it, pyarrow: Integers with more than 64 bits not implemented",
        Refuses("column `n` has integers of 128 bits, which no output can hold"),
    ),
    (
        "polars_int128.arrows",
        "Polars reads it, pyarrow: Integers with more than 64 bits not implemented",
        Refuses("column `n` has integers of 128 bits, which no output can hold"),
    ),
    (
        "text_of_bytes.parquet",
        "pyarrow reads it and fails where a text is looked at, Polars refuses it",
        Refuses("a text column holds bytes: write it as binary"),
    ),
    (
        "text_of_bytes.arrow",
        "pyarrow reads it and fails where a text is looked at, Polars refuses it",
        Refuses("a text column holds bytes: write it as binary"),
    ),
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
    // the streams whose dictionaries change are in `types`
    let is_here = |name: &String| {
        name != "README.md" && name != "make.py" && !name.starts_with("dictionary_")
    };
    for name in names.filter(is_here) {
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
    (
        "lines.csv",
        r#"{"key":"KEY","msg":"MSG","sig":"SIG"}"#,
        "both take the object for a header",
        Refuses("is JSON lines, not CSV; --format jsonl reads it"),
    ),
    (
        "pretty.json",
        "{\n  \"key\": \"KEY\",\n  \"msg\": \"MSG\",\n  \"sig\": \"SIG\"\n}\n",
        "pyarrow reads it; Polars refuses it",
        Refuses(
            "is a JSON object over several lines, not JSON lines; `jq -c . FILE` makes a line of it",
        ),
    ),
    (
        "text.parquet",
        "key,msg,sig\nKEY,MSG,SIG\n",
        "both refuse it",
        Refuses("is text, not Parquet; --format csv, tsv or jsonl reads it if it is a table"),
    ),
    (
        "text.arrow",
        "key,msg,sig\nKEY,MSG,SIG\n",
        "both refuse it",
        Refuses("is text, not an Arrow IPC file; --format csv,"),
    ),
    (
        "text.arrows",
        "key,msg,sig\nKEY,MSG,SIG\n",
        "both refuse it",
        Refuses("is text, not an Arrow IPC stream; --format csv,"),
    ),
    // of base64 there would be a line for each row
    (
        "base64.csv",
        "key,msg,sig\n11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=,MSG,SIG\n",
        "the text, which their caller decodes",
        Refuses(
            "column `key` is not hexadecimal but text that may be base64; --key-encoding base64, or --encoding",
        ),
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

/// Hexadecimal digits are base64 of other bytes: there would be a line for each row.
#[test]
fn hexadecimal_that_is_decoded_as_base64_is_named() {
    let folder = folder();
    let path = folder.path().join("hex.csv");
    let [key, _, sig] = row(0).map(|bytes| hex(&bytes));
    let table = |key: &str| format!("key,msg,sig\n{key},,{sig}\n{key},,{sig}\n");
    fs::write(&path, table(&key)).expect("written");
    for option in ["--key-encoding", "--encoding"] {
        let said = "column `key` is not base64 but text that may be hexadecimal; --key-encoding hex, or --encoding";
        assert_refused(&[option, "base64", text(&path)], folder.path(), said);
    }
    // a row that is none leaves all to the rows
    fs::write(&path, table(&key) + &table(&key[1..]).replace("key,msg,sig\n", ""))
        .expect("written");
    let (code, out, err) = run(&["--key-encoding", "base64", text(&path)], b"");
    assert_eq!(code, 1, "{out}{err}");
}

/// A table that is made here.
struct Case {
    name: &'static str,
    content: Vec<u8>,
    /// The options that say what is in it.
    options: &'static [&'static str],
    /// Whether pyarrow 26.0.1 and Polars 2.1.0 read it.
    others: [bool; 2],
    /// Their results, where these are no table of the same cells.
    found: &'static str,
    ours: Ours,
    /// Of a difference.
    why: &'static str,
}

/// Bytes of one or more rows in hexadecimal or base64, a column.
fn column(n: usize, encode: fn(&[u8]) -> String) -> Vec<Vec<u8>> {
    rows().iter().map(|row| encode(&row[n]).into_bytes()).collect()
}

fn unpadded(bytes: &[u8]) -> String {
    data_encoding::BASE64_NOPAD.encode(bytes)
}

fn cases(folder: &Path) -> Vec<Case> {
    let read = |name: &str| fs::read(folder.join(name)).expect("there");
    let binary =
        |cells: Vec<Vec<u8>>| -> ArrayRef { Arc::new(BinaryArray::from_iter_values(cells)) };
    let parquet = |columns: [ArrayRef; 3]| {
        parquet(&folder.join("made.parquet"), &table(columns));
        read("made.parquet")
    };
    let bytes = |n: usize| binary(rows().iter().map(|row| row[n].clone()).collect());
    let in_spki = |row: usize| {
        let key = SigningKey::from_bytes(&[row as u8 + 1; 32]).verifying_key();
        key.to_spki_der().expect("DER")
    };
    let lists = |n: usize, as_views: bool| -> ArrayRef {
        let field = Arc::new(Field::new("item", DataType::UInt8, false));
        let items =
            Arc::new(UInt8Array::from_iter_values(rows().iter().flat_map(|r| r[n].clone())));
        let offsets = OffsetBuffer::<i32>::from_lengths(rows().iter().map(|row| row[n].len()));
        let lists = ListArray::new(field, offsets, items, None);
        if as_views { Arc::new(ListViewArray::from(lists)) } else { Arc::new(lists) }
    };
    let arrow = |as_views: bool| {
        let columns = [lists(0, as_views), lists(1, as_views), lists(2, as_views)];
        arrow(&folder.join("made.arrow"), &table(columns));
        read("made.arrow")
    };
    let csv = |encode: fn(&[u8]) -> String| {
        let [key, msg, sig] = row(0).map(|bytes| encode(&bytes));
        format!("key,msg,sig\n{key},{msg},{sig}\n").into_bytes()
    };
    let damaged = {
        let mut file = fs::read(made("checksums.parquet")).expect("there");
        let cell = &row(1)[2];
        let at = file.windows(64).position(|bytes| bytes == cell).expect("not compressed");
        file[at] ^= 1;
        file
    };
    let gzip = {
        fs::write(folder.join("made.csv"), csv(hex)).expect("written");
        let path = folder.join("made.csv");
        Command::new("gzip").arg("-c").arg(path).output().expect("gzip runs").stdout
    };
    vec![
        Case {
            name: "stream.arrow",
            content: fs::read(made("v4.arrows")).expect("there"),
            options: &[],
            others: [false; 2],
            found: "no footer; as streams both read it",
            ours: Rows(&VALID),
            why: "the first bytes say which it is",
        },
        Case {
            name: "damaged.parquet",
            content: damaged,
            options: &[],
            others: [true; 2],
            found: "pyarrow refuses it with page_checksum_verification",
            ours: Refuses("page 0: the checksum of a page does not fit; the file is damaged"),
            why: "a damaged file is no forgery",
        },
        Case {
            name: "hex.parquet",
            content: parquet([0, 1, 2].map(|n| binary(column(n, hex)))),
            options: &["--encoding", "hex"],
            others: [true; 2],
            found: "the digits, which their caller decodes",
            ours: Rows(&VALID),
            why: "",
        },
        Case {
            name: "null.parquet",
            content: parquet([Arc::new(NullArray::new(3)), bytes(1), bytes(2)]),
            options: &[],
            others: [true; 2],
            found: "",
            ours: Rows(&["null"; 3]),
            why: "",
        },
        Case {
            name: "spki.parquet",
            content: parquet([binary((0..3).map(in_spki).collect()), bytes(1), bytes(2)]),
            options: &["--key-form", "spki"],
            others: [true; 2],
            found: "the containers, which their caller reads",
            ours: Rows(&VALID),
            why: "",
        },
        Case {
            name: "lists.arrow",
            content: arrow(false),
            options: &[],
            others: [true; 2],
            found: "",
            ours: Rows(&VALID),
            why: "",
        },
        Case {
            name: "views.arrow",
            content: arrow(true),
            options: &[],
            others: [true, false],
            found: "Polars panics: not yet implemented",
            ours: Rows(&VALID),
            why: "it is a column of bytes like others",
        },
        Case {
            name: "unpadded.csv",
            content: csv(unpadded),
            options: &["--encoding", "base64"],
            others: [true; 2],
            found: "the text, which Node decodes; Python's base64 and coreutils want padding",
            ours: Rows(&["valid"]),
            why: "",
        },
        Case {
            name: "gzip.csv",
            content: gzip,
            options: &[],
            others: [false, true],
            found: "pyarrow: CSV parse error; Polars decompresses it",
            ours: Refuses("is gzip, not CSV; decompress it with `gzip -dc FILE`"),
            why: "a table of unknown length is bounded before it is decompressed",
        },
        Case {
            name: "later.jsonl",
            content: [json_line(0, ""), json_line(1, ",\"owner\":\"x\"")].concat().into_bytes(),
            options: &["-o", "later.csv"],
            others: [true; 2],
            found: "",
            ours: Rows(&["valid"; 2]),
            why: "",
        },
        Case {
            name: "empty.csv",
            content: Vec::new(),
            options: &[],
            others: [false; 2],
            found: "empty CSV",
            ours: Refuses("is empty; expected CSV with a header"),
            why: "",
        },
        Case {
            name: "empty.jsonl",
            content: Vec::new(),
            options: &[],
            others: [false; 2],
            found: "empty JSON file; empty reader",
            ours: Refuses("is empty; expected JSON lines"),
            why: "",
        },
        Case {
            name: "empty.parquet",
            content: Vec::new(),
            options: &[],
            others: [false; 2],
            found: "0 bytes; neither header nor footer",
            ours: Refuses("is empty; expected Parquet"),
            why: "",
        },
    ]
}

#[test]
fn tables_that_are_made_here_are_read_or_named() {
    let folder = folder();
    for Case { name, content, options, others, found, ours, why } in cases(folder.path()) {
        let path = folder.path().join(name);
        fs::write(&path, content).expect("written");
        let output = folder.path().join("later.csv");
        let own =
            |option: &&'static str| if *option == "later.csv" { text(&output) } else { *option };
        let args: Vec<&str> = [text(&path)].into_iter().chain(options.iter().map(own)).collect();
        match &ours {
            Rows(expected) => assert_rows(&args, expected),
            Refuses(message) => assert_refused(&args, folder.path(), message),
        }
        let is_read = matches!(ours, Rows(_));
        let differs = others.iter().any(|theirs| *theirs != is_read);
        assert_eq!(differs, !why.is_empty(), "{name}: the reason of a difference");
        assert!(!found.is_empty() || others == [true; 2], "{name}: their message");
        // the option is needed
        if let [option @ ("--encoding" | "--key-form"), _] = options {
            let (code, rows, err) = reasons(&[text(&path)]);
            let is_named = err.contains(option) || rows.iter().all(|row| row == "unreadable");
            assert!(code != 0 && is_named, "{name}: {err}");
        }
    }
    let written = fs::read_to_string(folder.path().join("later.csv")).expect("written");
    assert!(written.starts_with("key,msg,sig,owner,"), "{written}");
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
        (b"\x1b\0\0\0\0\0\0\0DUCK\x40\0\0\0\0\0\0\0".to_vec(), "is a DuckDB database"),
        (b"\x93NUMPY\x01\0v\0{'descr': '|u1'".to_vec(), "is an array of NumPy"),
        (b"\x80\x04\x95\x1a\0\0\0\0\0\0\0}\x94(".to_vec(), "is a pickle of Python"),
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
fn an_empty_table_is_named() {
    let folder = folder();
    let formats = [
        ("csv", "csv", "CSV with a header"),
        ("tsv", "tsv", "TSV with a header"),
        ("jsonl", "jsonl", "JSON lines"),
        ("parquet", "parquet", "Parquet"),
        ("arrow", "arrow", "an Arrow IPC file"),
        ("arrows", "arrow-stream", "an Arrow IPC stream"),
    ];
    let unnamed = folder.path().join("table");
    fs::write(&unnamed, "").expect("written");
    for (extension, format, title) in formats {
        let message = format!("is empty; expected {title}");
        let path = folder.path().join(format!("t.{extension}"));
        fs::write(&path, "").expect("written");
        assert_refused(&[text(&path)], folder.path(), &message);
        for input in ["-", text(&unnamed), "/dev/null"] {
            assert_refused(&[input, "--format", format], folder.path(), &message);
        }
    }
    let message = "is empty; expected a table (Parquet, Arrow, CSV, TSV or JSON lines)";
    for input in ["-", text(&unnamed), "/dev/null"] {
        assert_refused(&[input], folder.path(), message);
    }
    // a line end is no header
    let path = folder.path().join("t.csv");
    for content in ["\n", "\r\n\n", "\u{feff}"] {
        fs::write(&path, content).expect("written");
        assert_refused(&[text(&path)], folder.path(), "has no header, which names the columns");
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
