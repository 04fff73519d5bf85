//! Paths that cannot be an output: the message says what is there, and nothing is left behind.

use std::fs;
use std::path::Path;
use std::process::Command;

const BIN: &str = env!("CARGO_BIN_EXE_sigmill");

fn sigmill(folder: &Path, args: &str) -> (i32, String) {
    let output = Command::new(BIN).args(args.split(' ')).current_dir(folder).output();
    let output = output.expect("runs");
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code().expect("ends by itself"), err)
}

fn names(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder).expect("a folder");
    let name = |file: fs::DirEntry| file.file_name().to_string_lossy().into_owned();
    let mut names: Vec<String> = files.map(|file| name(file.expect("an entry"))).collect();
    names.sort();
    names
}

#[test]
fn a_path_of_a_directory_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    fs::write(path.join("m"), "message").expect("written");
    fs::create_dir(path.join("d")).expect("made");
    for args in ["keygen --out k --public p", "sign m --key k --format raw --out s"] {
        assert_eq!(sigmill(path, args).0, 0, "{args}");
    }
    let hex = |args: &str| {
        let output = Command::new(BIN).args(args.split(' ')).current_dir(path).output();
        String::from_utf8(output.expect("runs").stdout).expect("text").trim().to_owned()
    };
    let (key, sig) = (hex("pubkey --key k --format hex"), hex("sign m --key k"));
    let table =
        format!("key,msg,sig\n{key},{},{sig}\n", data_encoding::HEXLOWER.encode(b"message"));
    fs::write(path.join("t.csv"), table).expect("written");
    std::os::unix::fs::symlink("d", path.join("link")).expect("made");
    let before = names(path);
    for command in [
        "keygen --out",
        "keygen --out new --public",
        "keygen --force --out",
        "pubkey --key k -o",
        "pubkey --key k --force -o",
        "sign m --key k --out",
        "check -q t.csv -o",
        "check -q t.csv --force -o",
        "check -q t.csv --report",
        "check -q t.csv -o new.csv --report",
    ] {
        for (place, message) in [
            ("d", "d: is a directory; expected the name of a file"),
            ("d/", "d/: is a directory; expected the name of a file"),
            ("link", "link: is a directory; expected the name of a file"),
            ("d/.", "d/.: is a directory; expected the name of a file"),
            ("d/..", "d/..: is a directory; expected the name of a file"),
            ("/", "/: is a directory; expected the name of a file"),
            ("x/", "x/: ends in `/`, as the name of a directory does; expected the name of a file"),
            (
                "x/.",
                "x/.: ends in `.`, as the name of a directory does; expected the name of a file",
            ),
            ("d/x/", "d/x/: ends in `/`, as the name of a directory does; expected"),
            ("k/", "k/: ends in `/`, as the name of a directory does; expected"),
            ("x/y", "x/y: there is no directory `x`; make it first"),
            ("x/y/z", "x/y/z: there is no directory `x/y`; make it first"),
            ("k/x", "k/x: `k` is not a directory; expected the name of a file"),
        ] {
            if (command, place) == ("keygen --out", "link") {
                // a secret key goes into no link, whatever is behind it
                continue;
            }
            let (code, err) = sigmill(path, &format!("{command} {place}"));
            assert_eq!(code, 2, "{command} {place}: {err}");
            assert!(err.contains(message), "{command} {place}: {err}");
            assert_eq!(names(path), before, "{command} {place}");
        }
    }
    assert!(names(&path.join("d")).is_empty());
}

/// Keys and signatures set out as `xxd`, `od`, OpenSSL's `-text` and programs with quotes do it: none is read, each is named.
#[test]
fn digits_that_are_set_out_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    fs::write(path.join("m"), "message").expect("written");
    assert_eq!(sigmill(path, "keygen --out k --public p --format hex").0, 0);
    assert_eq!(sigmill(path, "sign m --key k --out s").0, 0);
    let read = |name: &str| fs::read_to_string(path.join(name)).expect("text").trim().to_owned();
    let (key, sig, seed) = (read("p"), read("s"), read("k"));
    let pairs = |digits: &str, between: &str| {
        let pairs: Vec<&str> = (0..digits.len() / 2).map(|at| &digits[2 * at..][..2]).collect();
        pairs.join(between)
    };
    for digits in [&key, &sig, &seed] {
        for (text, message) in [
            (format!("0x{digits}\n"), "(`0x` in front of its digits is too much)"),
            (format!("\\x{digits}"), "(`0x` in front of its digits is too much)"),
            (format!("\"{digits}\"\n"), "(the quotes around it are too much)"),
            (pairs(digits, ":"), "(`tr -d :` takes out the colons between its digits)"),
            (
                format!(" {}\n", pairs(digits, " ")),
                "(`tr -d ' '` takes out the blanks between its digits)",
            ),
            (
                format!("00000000: {digits}  ....\n"),
                "(`xxd -r FILE` gives the bytes of what `xxd` prints)",
            ),
        ] {
            fs::write(path.join("f"), text).expect("written");
            let command = match digits {
                digits if *digits == key => "pubkey --public --key f",
                digits if *digits == sig => "verify m --key p --sig f",
                _ => "pubkey --key f",
            };
            let (code, err) = sigmill(path, command);
            assert!(code == 2 && err.contains(message), "{command}: {err}");
        }
    }
    // a secret key of NaCl in the place of a public one
    let pair = format!("{seed}{key}");
    let bytes = data_encoding::HEXLOWER.decode(pair.as_bytes()).expect("digits");
    for content in [bytes, pair.into_bytes()] {
        fs::write(path.join("f"), content).expect("written");
        for command in ["pubkey --public --key f", "verify m --key f --sig s"] {
            let (code, err) = sigmill(path, command);
            assert!(
                code == 2 && err.contains("the last 32 are the public key"),
                "{command}: {err}"
            );
        }
    }
}
