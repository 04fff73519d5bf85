//! `sigmill -Y` against `ssh-keygen -Y`.

mod calls;
mod files;
mod passphrases;

use crate::folder::{Folder, text};
use std::fs::{self, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub(crate) const BIN: &str = env!("CARGO_BIN_EXE_sigmill");
pub(crate) const KEYGEN: &str = "ssh-keygen";

/// Keys by name, with the options by which `ssh-keygen` makes them.
pub(crate) const TYPES: [(&str, &str); 3] =
    [("ed25519", "-t ed25519"), ("p256", "-t ecdsa -b 256"), ("p384", "-t ecdsa -b 384")];

/// Whether Git and OpenSSH are here, in versions that sign with one another.
pub(crate) fn has_tools() -> bool {
    let has =
        |name: &str, arg: &str| Command::new(name).arg(arg).stdin(Stdio::null()).output().is_ok();
    let found = has("git", "--version") && has(KEYGEN, "-?");
    if !found {
        println!("not run here: git and ssh-keygen are needed");
    }
    found
}

/// Makes a pair of keys, `NAME` and `NAME.pub`.
pub(crate) fn key(folder: &Folder, name: &str, kind: &str) -> PathBuf {
    let path = folder.path(name);
    let made = Command::new(KEYGEN)
        .args(kind.split(' '))
        .args(["-q", "-N", "", "-C", name, "-f", text(&path)])
        .status();
    assert!(made.expect("runs").success(), "{name}");
    path
}

/// The line of a public key.
pub(crate) fn public(folder: &Folder, name: &str) -> String {
    fs::read_to_string(folder.path(&format!("{name}.pub"))).expect("a key")
}

/// The exit code, standard output and standard error of a program.
pub(crate) fn call(program: &str, args: &[&str], stdin: &[u8]) -> (i32, String, String) {
    run(command(program).args(args), stdin)
}

/// A program without an agent and without a display.
fn command(program: &str) -> Command {
    let mut command = Command::new(program);
    command.env_remove("SSH_AUTH_SOCK").env_remove("SSH_ASKPASS_REQUIRE");
    command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    command
}

fn run(command: &mut Command, stdin: &[u8]) -> (i32, String, String) {
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().expect("runs");
    // a program that refuses reads nothing
    let _ = child.stdin.take().expect("a pipe").write_all(stdin);
    let output = child.wait_with_output().expect("ends");
    let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().expect("no signal"), lossy(&output.stdout), lossy(&output.stderr))
}

/// Arguments of a line, in which `DIR` stands for a folder and `''` for nothing.
fn words(folder: &Path, line: &str) -> Vec<String> {
    let word = |word: &str| match word {
        "''" => String::new(),
        word => word.replace("DIR", text(folder)),
    };
    line.split(' ').map(word).collect()
}

/// Keys, a message, its signatures by `ssh-keygen`, and allowed signers.
fn prepared() -> Folder {
    let folder = Folder::new();
    folder.put("m", "message");
    let mut allowed = String::from("# signers\n\n");
    for (name, kind) in TYPES {
        let key = key(&folder, name, kind);
        let file = folder.put(name, fs::read(&key).expect("there"));
        fs::set_permissions(&file, Permissions::from_mode(0o600)).expect("set");
        for (namespace, end) in [("git", "sig"), ("file", "file")] {
            let message = folder.path("m");
            let args = ["-Y", "sign", "-n", namespace, "-f", text(&key), text(&message)];
            assert_eq!(call(KEYGEN, &args, b"").0, 0);
            fs::rename(folder.path("m.sig"), folder.path(&format!("{name}.{end}"))).expect("there");
        }
        let public = public(&folder, name);
        allowed += &format!("{name}@x,{name}@y {public}");
        folder.put(&format!("{name}.limits"), format!(
            "{name}@x valid-after=\"20240101Z\",valid-before=\"20250101Z\",namespaces=\"git\" {public}"
        ));
    }
    folder.put("allowed", allowed);
    folder.put("empty", "");
    folder.put("garbage", "garbage\n");
    folder.put("huge", vec![b'A'; 1 << 20]);
    folder.put("none.sig", "-----BEGIN SSH SIGNATURE-----\n-----END SSH SIGNATURE-----\n");
    folder
}

/// The standard error of a call of sigmill that ends with this code.
fn refused(folder: &Folder, line: &str, code: i32, stdin: &[u8]) -> String {
    let dir = folder.path("m").parent().expect("a folder").to_owned();
    let args = words(&dir, &format!("-Y {line}"));
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let (got, out, err) = call(BIN, &args, stdin);
    assert_eq!(got, code, "{line}: {out}{err}");
    err
}

#[test]
fn only_the_first_argument_makes_it_ssh_keygen() {
    let folder = Folder::new();
    let file = folder.path("m");
    for args in
        [&["-Ysign"][..], &["sign", "-Y"], &["--", "-Y", "sign"], &["verify", "-Y", "-n"], &[]]
    {
        let (code, _, err) = call(BIN, args, b"");
        assert!(code == 2 && !err.contains("OPERATION"), "{args:?} {code} {err}");
    }
    for (args, message) in [
        (&["-Y"][..], "find-principals"),
        (&["-Y", "match-principals"], "sign|verify|find-principals|check-novalidate"),
        (&["-Y", "sign", "-h"], "unexpected argument '-h'"),
        (&["-Y", "verify", "-n", "git", text(&file)], "not from a file"),
        (&["-Y", "-n", "git", "sign"], "unexpected argument '-n'"),
    ] {
        let (code, out, err) = call(BIN, args, b"");
        assert_eq!((code, out.as_str()), (1, ""), "{args:?} {err}");
        assert!(err.contains(message), "{args:?} {err}");
    }
}
