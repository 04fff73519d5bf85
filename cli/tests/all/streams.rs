//! Standard streams that are closed or full: no result is lost with exit code 0.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

const BIN: &str = env!("CARGO_BIN_EXE_sigmill");

/// Exit code and standard error of a command line of a shell, `sigmill` in it being the program.
fn shell(folder: &Path, line: &str) -> (i32, String) {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("sigmill() {{ \"{BIN}\" \"$@\"; }}; {line}")]).current_dir(folder);
    let output = command.stdin(Stdio::null()).output().expect("a shell");
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!err.contains("panicked") && !err.contains("internal error"), "{line}: {err}");
    (output.status.code().expect("ends by itself"), err)
}

/// A key, a message and its signature, and a table of them.
fn inputs() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    fs::write(path.join("m"), "message").expect("written");
    for line in [
        "sigmill keygen --out k --public p",
        "sigmill sign m --key k --format raw --out s",
        "printf 'key,msg,sig\\n%s,%s,%s\\n' $(sigmill pubkey --key k --format hex) 6d657373616765 \
         $(sigmill sign m --key k) > t.csv",
        "sigmill check -q t.csv -o t.jsonl",
    ] {
        assert_eq!(shell(path, line), (0, String::new()), "{line}");
    }
    let secret = fs::metadata(path.join("k")).expect("there").permissions();
    assert_eq!(secret.mode() & 0o777, 0o600);
    folder
}

/// Commands that write to standard output.
const WRITING: &[&str] = &[
    "check t.csv",
    "check --json t.csv",
    "check --jsonl t.csv",
    "check -q --jsonl t.csv",
    "check -q t.csv -o -",
    "check -q t.csv --report -",
    "check t.csv t.jsonl",
    "verify m --key p --sig s",
    "sign m --key k",
    "sign m --key k --format raw",
    "keygen --out -",
    "keygen --out k2 --public -",
    "pubkey --key k",
    "explain --key @p --sig @s --msg @m",
    "explain --key @p --sig @s --msg @m --json",
    "--help",
    "--version",
    "help",
    "help check",
    "check --help",
    "verify --help",
    "sign --help",
    "keygen --help",
    "pubkey --help",
    "explain --help",
];

#[test]
fn a_result_that_is_lost_is_an_error() {
    let folder = inputs();
    let path = folder.path();
    let is_full = File::options().write(true).open("/dev/full").is_ok();
    for command in WRITING {
        let (code, err) = shell(path, &format!("sigmill {command} >&-"));
        assert_eq!(code, 2, "{command}: {err}");
        assert!(err.contains("standard output: is closed"), "{command}: {err}");
        // nobody reads the message either
        assert_eq!(shell(path, &format!("sigmill {command} >&- 2>&-")).0, 2, "{command}");
        assert_eq!(shell(path, &format!("sigmill {command} <&- >&- 2>&-")).0, 2, "{command}");
        if is_full {
            let (code, err) = shell(path, &format!("sigmill {command} > /dev/full"));
            assert_eq!(code, 2, "{command}: {err}");
            assert!(err.contains("standard output: no space left on device"), "{command}: {err}");
        }
    }
    assert!(!path.join("k2").exists());
    // an output appears after its summary could be written, or the exit code says 2
    assert_eq!(shell(path, "sigmill check t.csv -o o.csv >&-").0, 2);
    assert!(!path.join("o.csv").exists());
}

#[test]
fn an_input_that_is_closed_is_not_an_empty_one() {
    let folder = inputs();
    for command in [
        "check -",
        "check - --format csv",
        "verify - --key p --sig s",
        "verify m --key - --sig s",
        "verify m --key p --sig -",
        "verify - --digest --variant ph --key p --sig s",
        "sign - --variant ph --key k",
        "sign - --max-stdin 100 --key k",
        "sign m --key -",
        "pubkey --key -",
        "pubkey --public --key -",
        "keygen --out - --seed -",
        "explain --key @- --sig @s --msg @m",
        "explain --key @p --sig @s --msg @-",
    ] {
        for streams in ["<&-", "<&- 2>&1 >/dev/null"] {
            let (code, err) = shell(folder.path(), &format!("sigmill {command} {streams}"));
            assert_eq!(code, 2, "{command} {streams}: {err}");
        }
        let (_, err) = shell(folder.path(), &format!("sigmill {command} <&-"));
        assert!(err.contains("standard input: is closed"), "{command}: {err}");
    }
}

#[test]
fn a_stream_that_nobody_needs_may_be_closed() {
    let folder = inputs();
    for command in [
        "check t.csv",
        "check -q t.csv",
        "check -q t.csv -o o.csv --force",
        "verify m --key p --sig s",
        "verify -q m --key p --sig s",
        "sign m --key k --out o --force",
        "keygen --out k3 --public p3 --force",
        "pubkey --key k",
    ] {
        assert_eq!(shell(folder.path(), &format!("sigmill {command} <&-")).0, 0, "{command}");
        assert_eq!(shell(folder.path(), &format!("sigmill {command} 2>&-")).0, 0, "{command}");
        if command.contains("-q") || command.contains("--out") {
            let all = shell(folder.path(), &format!("sigmill {command} <&- >&- 2>&-"));
            assert_eq!(all.0, 0, "{command}");
        }
    }
    // the device itself is a place like any other
    assert_eq!(shell(folder.path(), "sigmill check t.csv > /dev/null").0, 0);
    assert_eq!(shell(folder.path(), "sigmill verify - --key p --sig s < m").0, 0);
    assert_eq!(shell(folder.path(), "sigmill verify - --key p --sig s 0<>/dev/null").0, 1);
    assert_eq!(shell(folder.path(), "sigmill check t.csv 1<>/dev/null").0, 0);
}

#[test]
fn a_table_on_standard_output_has_it_for_itself() {
    let folder = inputs();
    let line = "sigmill check t.csv -o - > o.csv";
    let (code, err) = shell(folder.path(), line);
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("1 rows, 1 valid"), "the summary: {err}");
    let written = fs::read_to_string(folder.path().join("o.csv")).expect("there");
    assert_eq!(written.lines().count(), 2, "{written}");
    assert_eq!(shell(folder.path(), "sigmill check -q o.csv").0, 0);
    let (code, err) = shell(folder.path(), "sigmill check t.csv --json --report - > page.html");
    assert!(code == 0 && err.contains("\"valid\":1"), "{err}");
    let page = fs::read_to_string(folder.path().join("page.html")).expect("there");
    assert!(page.trim_end().ends_with("</html>"));
    let (code, err) = shell(folder.path(), "sigmill check t.csv --jsonl -o -");
    assert!(code == 2 && err.contains("has one line for each row with --jsonl"), "{err}");
}
