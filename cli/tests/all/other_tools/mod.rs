//! Tables as other tools write them: what is read, and the name of what is not.

mod arrow_files;
mod cells;
mod containers;
mod csv_files;
mod json_lines;
mod named;
mod options;
mod parquet_files;
mod types;

use arrow_array::{ArrayRef, RecordBatch};
use parquet::arrow::ArrowWriter;
use sigmill::ed25519::{Signer, SigningKey};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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
