//! `sigmill check` from outside: exit codes, messages, the pipe filter, outputs.

use sigmill::ed25519::{Signer, SigningKey};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::channel;
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

const BIN: &str = env!("CARGO_BIN_EXE_sigmill");
/// So long a program may take for one row.
const PATIENCE: Duration = Duration::from_secs(120);

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Key, message and signature in hexadecimal.
fn row(message: &[u8]) -> [String; 3] {
    let key = SigningKey::from_bytes(&[7; 32]);
    let signature = key.sign(message).to_bytes();
    [hex(&key.verifying_key().to_bytes()), hex(message), hex(&signature)]
}

fn json_row(message: &[u8], more: &str) -> String {
    let [key, msg, sig] = row(message);
    format!("{{\"key\":\"{key}\",\"msg\":\"{msg}\",\"sig\":\"{sig}\"{more}}}\n")
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

fn file(folder: &tempfile::TempDir, name: &str, text: &str) -> PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, text).expect("written");
    path
}

fn check(args: &[&str]) -> Output {
    Command::new(BIN).arg("check").args(args).output().expect("runs")
}

fn assert_ends(args: &[&str], code: i32, message: &str) {
    let output = check(args);
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{args:?}: {err}");
    assert!(err.contains(message), "{args:?}: {err}");
    assert!(!err.contains("panicked") && !err.contains("internal error"), "{err}");
}

#[test]
fn exit_code_tells_valid_from_invalid_from_unchecked() {
    let folder = folder();
    let [key, msg, sig] = row(b"one");
    let header = "key,msg,sig\n";
    let table = |name: &str, rows: &str| file(&folder, name, &format!("{header}{rows}"));
    let good = table("good.csv", &format!("{key},{msg},{sig}\n"));
    let bad = table("bad.csv", &format!("{key},00,{sig}\n{key},{msg},zz\n"));
    let odd = table("odd.csv", &format!("{key},{msg},{sig}\n{key},{msg},zz\n"));
    let none = table("none.csv", "");
    assert_ends(&[good.to_str().unwrap()], 0, "");
    assert_ends(&[bad.to_str().unwrap()], 1, "row 1, column sig: not hexadecimal");
    assert_ends(&[odd.to_str().unwrap()], 2, "row 1, column sig: not hexadecimal");
    assert_ends(&[none.to_str().unwrap()], 0, "");
}

#[test]
fn bad_input_is_one_message_and_exit_code_2() {
    let folder = folder();
    let good = file(&folder, "good.jsonl", &json_row(b"one", ""));
    let good = good.to_str().unwrap();
    assert_ends(&[good, "--key", "pk"], 2, "no column `pk` (columns: key, msg, sig");
    assert_ends(&[folder.path().to_str().unwrap()], 2, "is a directory");
    assert_ends(&[file(&folder, "e.csv", "").to_str().unwrap()], 2, "is empty");
    assert_ends(&[file(&folder, "e.jsonl", "{bad\n").to_str().unwrap()], 2, "row 0: not JSON");
    assert_ends(&[file(&folder, "e.parquet", "PAR1").to_str().unwrap()], 2, "Parquet");
    assert_ends(&[good, "--rule", "nonesuch"], 2, "unknown rule");
}

#[test]
fn row_may_repeat_an_option_but_not_contradict_it() {
    let folder = folder();
    let lines = [json_row(b"one", ""), json_row(b"one", ",\"rule\":\"zip215\"")].concat();
    let table = file(&folder, "t.jsonl", &lines);
    let table = table.to_str().unwrap();
    assert_ends(&[table], 0, "");
    assert_ends(&[table, "--rule", "zip215"], 0, "");
    assert_ends(&[table, "--rule", "strict"], 2, "row 1, column rule: contradicts --rule");
    assert_ends(&[table, "--rule", "strict", "--prefer-row-options"], 0, "");
    assert_ends(&[table, "--rule", "strict", "--ignore-row-options"], 0, "");
}

#[test]
fn unknown_and_null_rules_have_no_verdict() {
    let folder = folder();
    let lines = [json_row(b"one", ",\"rule\":\"new\""), json_row(b"one", ",\"rule\":null")];
    let table = file(&folder, "t.jsonl", &lines.concat());
    let table = table.to_str().unwrap();
    assert_ends(&[table], 2, "row 0, column rule: unknown rule");
    assert_ends(&[table, "--allow-null"], 0, "");
}

#[test]
fn output_is_never_the_input_and_keeps_other_fields() {
    let folder = folder();
    let table =
        file(&folder, "t.jsonl", &json_row(b"one", ",\"n\":1.50,\"big\":12345678901234567890123"));
    let link = folder.path().join("link.jsonl");
    std::os::unix::fs::symlink(&table, &link).expect("linked");
    let hard = folder.path().join("hard.jsonl");
    fs::hard_link(&table, &hard).expect("linked");
    let before = fs::read(&table).expect("read");
    let input = table.to_str().unwrap();
    for output in [&table, &link, &hard] {
        assert_ends(&[input, "-o", output.to_str().unwrap(), "--force"], 2, "is an input");
    }
    assert_eq!(fs::read(&table).expect("read"), before);
    let output = folder.path().join("out.jsonl");
    assert_ends(&[input, "-o", output.to_str().unwrap()], 0, "");
    let text = fs::read_to_string(&output).expect("read");
    assert!(
        text.contains("\"n\":1.50,\"big\":12345678901234567890123,\"verdict\":\"valid\""),
        "{text}"
    );
    assert_ends(&[input, "-o", output.to_str().unwrap()], 2, "exists already");
}

fn filter(threads: &str, stdout: Stdio) -> Child {
    Command::new(BIN)
        .args(["check", "-", "--format", "jsonl", "--jsonl", "-q", "--threads", threads])
        .stdin(Stdio::piped())
        .stdout(stdout)
        .stderr(Stdio::piped())
        .spawn()
        .expect("runs")
}

#[test]
fn filter_answers_each_line_before_the_next_is_written() {
    for threads in ["1", "2"] {
        let mut child = filter(threads, Stdio::piped());
        let mut input = child.stdin.take().expect("piped");
        let answers = BufReader::new(child.stdout.take().expect("piped"));
        let (sender, receiver) = channel();
        let listener = spawn(move || answers.lines().try_for_each(|line| sender.send(line)));
        for row in 0..3 {
            input.write_all(json_row(b"one", "").as_bytes()).expect("written");
            let answer = receiver.recv_timeout(PATIENCE).expect("answered").expect("text");
            let expected = format!("{{\"row\":{row},\"verdict\":\"valid\",\"reason\":null}}");
            assert_eq!(answer, expected, "{threads} threads");
        }
        drop(input);
        assert_eq!(child.wait().expect("ends").code(), Some(0), "{threads} threads");
        listener.join().expect("ends").expect("nobody hangs up");
    }
}

#[test]
fn filter_ends_when_its_answers_cannot_be_written() {
    for threads in ["1", "2"] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux");
        let mut child = filter(threads, full.into());
        let mut input = child.stdin.take().expect("piped");
        input.write_all(json_row(b"one", "").as_bytes()).expect("written");
        // standard input stays open: more may come
        let start = Instant::now();
        while child.try_wait().expect("a child").is_none() {
            if start.elapsed() > PATIENCE {
                child.kill().expect("killed");
                panic!("{threads} threads: waits for its input");
            }
            sleep(Duration::from_millis(10));
        }
        let output = child.wait_with_output().expect("ended");
        assert_eq!(output.status.code(), Some(2), "{threads} threads");
        assert!(String::from_utf8_lossy(&output.stderr).contains("no space left"));
        drop(input);
    }
}

#[test]
fn full_disk_is_a_message() {
    let folder = folder();
    let table = file(&folder, "t.jsonl", &json_row(b"one", ""));
    let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux");
    let output = Command::new(BIN).arg("check").arg(&table).arg("--jsonl").stdout(full).output();
    let output = output.expect("runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no space left"));
}

#[test]
fn rows_before_a_broken_line_get_their_answers() {
    let folder = folder();
    let lines = [json_row(b"one", ""), json_row(b"two", ""), "{broken\n".to_owned()].concat();
    let table = file(&folder, "t.jsonl", &lines);
    let output = check(&[table.to_str().unwrap(), "--jsonl"]);
    assert_eq!(output.status.code(), Some(2));
    let answers = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(answers.lines().count(), 2, "{answers}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("row 2: not JSON"));
    // an invalid row before the end is more than a broken line
    let lines = [json_row(b"one", "").replacen("\"msg\":\"", "\"msg\":\"00", 1), "{\n".to_owned()];
    let table = file(&folder, "u.jsonl", &lines.concat());
    assert_ends(&[table.to_str().unwrap()], 1, "row 1: not JSON");
}

#[test]
fn standard_input_is_told_by_its_first_bytes() {
    let mut child = Command::new(BIN)
        .args(["check", "-", "-q"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    let line = json_row(b"one", ",\"n\":5");
    child.stdin.take().expect("a pipe").write_all(line.as_bytes()).expect("written");
    let output = child.wait_with_output().expect("ends");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_field_that_is_no_string_is_unreadable() {
    let folder = folder();
    let line = json_row(b"one", "").replacen("\"msg\":\"6f6e65\"", "\"msg\":5", 1);
    let table = file(&folder, "t.jsonl", &line);
    for encoding in ["hex", "raw"] {
        let args = [table.to_str().unwrap(), "--msg-encoding", encoding, "--allow-null"];
        assert_ends(&args, 2, "row 0, column msg: 5 is not a string");
    }
}
