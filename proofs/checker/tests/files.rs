//! Files that are no certificates: an error, and never more.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn run(arguments: &[&Path]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_check")).args(arguments).output().unwrap()
}

fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("files");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn files_that_are_no_certificates() {
    let good = include_bytes!("certificates/loop.cert");
    for (name, bytes, expected) in [
        ("empty.cert", &b""[..], "1: end: the text ends"),
        ("blank.cert", b"\n\n\n", "4: end: the text ends"),
        ("text.cert", b"Dear reader,\n", "1: Dear: no such statement outside a segment"),
        ("elf.cert", b"\x7fELF\x02\x01\x01\x00\xff\xff", "1: line: not UTF-8"),
        ("dos.cert", b"certificate 1\r\n", "1: certificate: \"1\\r\"; 1 is expected"),
        ("mark.cert", b"\xef\xbb\xbfcertificate 1\n", "no such statement"),
        ("short.cert", &good[..good.len() / 2], ": "),
        ("twice.cert", &[&good[..], good].concat(), "certificate: follows End"),
    ] {
        let output = run(&[&file(name, bytes)]);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{name}: {message}");
        assert!(message.contains(expected) && !message.contains("panicked"), "{name}: {message}");
    }
    let missing = run(&[Path::new("/nonexistent.cert")]);
    assert_eq!(missing.status.code(), Some(1));
    assert_eq!(run(&[]).status.code(), Some(2));
}

/// Nobody reads the output.
#[test]
fn closed_output() {
    let good = file("good.cert", include_bytes!("certificates/loop.cert"));
    let mut child = Command::new(env!("CARGO_BIN_EXE_check"))
        .args(vec![&good; 200])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("standard output") && !message.contains("panicked"), "{message}");
}
