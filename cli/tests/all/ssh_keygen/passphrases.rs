//! Keys that are encrypted.

use super::{BIN, KEYGEN, command, has_tools, prepared, run};
use crate::folder::{Folder, text};
use std::fs::{self, Permissions};
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn an_encrypted_key_asks_for_its_passphrase() {
    if !has_tools() {
        return;
    }
    let folder = prepared();
    let (key, message) = (folder.path("locked"), folder.path("m"));
    let made = Command::new(KEYGEN)
        .args(["-q", "-t", "ed25519", "-N", "open sesame", "-f", text(&key)])
        .status();
    assert!(made.expect("runs").success());
    let script = |name: &str, body: &str| {
        let path = folder.put(name, format!("#!/bin/sh\n{body}\n"));
        fs::set_permissions(&path, Permissions::from_mode(0o755)).expect("set");
        path
    };
    let said = folder.path("said");
    let right =
        script("right", &format!("echo \"$1\" >{}; echo open sesame; echo more", text(&said)));
    let wrong = script("wrong", "echo open sesam");
    let nothing = script("nothing", "true");
    let cancel = script("cancel", "echo open sesame; exit 1");
    let endless = script("endless", "exec yes | tr -d '\\n'");
    let sign = |program: &str, askpass: &Path, envs: &[(&str, &str)]| {
        let _ = fs::remove_file(folder.path("m.sig"));
        // of a session without a terminal
        let mut command = command("setsid");
        command.args(["-w", program, "-Y", "sign", "-n", "git", "-f", text(&key), text(&message)]);
        let command = command.env("SSH_ASKPASS", askpass).envs(envs.iter().copied());
        let (code, _, err) = run(command, b"open sesame\n");
        assert_eq!(code == 0, folder.path("m.sig").exists(), "{err}");
        (code, err)
    };
    if Command::new("setsid").arg("--version").output().is_err() {
        println!("not run here: setsid is needed");
        return;
    }
    const FORCE: &[(&str, &str)] = &[("SSH_ASKPASS_REQUIRE", "FORCE")];
    for program in [KEYGEN, BIN] {
        let (code, err) = sign(program, &right, FORCE);
        assert_eq!(code, 0, "{program} {err}");
        let prompt = fs::read_to_string(&said).expect("asked");
        // older versions of OpenSSH do not name the file
        assert!(prompt.starts_with("Enter passphrase"), "{program} {prompt}");
        assert!(program == KEYGEN || prompt.contains(text(&key)), "{prompt}");
        for (askpass, message) in [
            (&wrong, "locked: wrong passphrase: the two check numbers differ"),
            (&nothing, "locked: encrypted, and no passphrase was given"),
            (&cancel, "cancel: SSH_ASKPASS: no passphrase (exit status: 1)"),
            (&endless, "endless: SSH_ASKPASS: longer than 1023 bytes"),
            (&folder.path("absent"), "absent: SSH_ASKPASS: no such file or directory"),
        ] {
            let (code, err) = sign(program, askpass, FORCE);
            assert_eq!(code, 255, "{program} {err}");
            assert!(program == KEYGEN || err.contains(message), "{err}");
            assert!(!err.contains("sesam"), "{err}");
        }
    }
    for (envs, is_asked) in [
        (&[][..], false),
        (&[("DISPLAY", ":0")], true),
        (&[("WAYLAND_DISPLAY", "w")], true),
        (&[("DISPLAY", "")], false),
        (&[("SSH_ASKPASS_REQUIRE", "prefer")], false),
        (&[("SSH_ASKPASS_REQUIRE", "prefer"), ("DISPLAY", ":0")], true),
        (&[("SSH_ASKPASS_REQUIRE", "never"), ("DISPLAY", ":0")], false),
    ] {
        let _ = fs::remove_file(&said);
        let theirs = sign(KEYGEN, &right, envs);
        let asked = [said.exists(), {
            let _ = fs::remove_file(&said);
            let (code, err) = sign(BIN, &right, envs);
            assert_eq!(code == 0, is_asked, "{envs:?} {err}");
            assert!(is_asked || err.contains("SSH_ASKPASS_REQUIRE=force"), "{envs:?} {err}");
            said.exists()
        }];
        // older versions of OpenSSH do not know WAYLAND_DISPLAY
        let is_old = envs.iter().any(|(name, _)| *name == "WAYLAND_DISPLAY") && !asked[0];
        assert_eq!(asked, [is_asked && !is_old, is_asked], "{envs:?} {}", theirs.1);
    }
}

/// `script` of util-linux runs a command in a terminal of its own.
#[test]
fn a_terminal_is_asked_for_a_passphrase_that_it_does_not_show() {
    let has_script = Command::new("script").arg("--version").output();
    if !has_tools() || !has_script.is_ok_and(|output| output.status.success()) {
        println!("not run here: script of util-linux is needed");
        return;
    }
    let folder = Folder::new();
    let (key, file) = (folder.path("locked"), folder.put("m", "message"));
    let made = Command::new(KEYGEN)
        .args(["-q", "-t", "ed25519", "-N", "open sesame", "-f", text(&key)])
        .status();
    assert!(made.expect("runs").success());
    let long = "sesam".repeat(300);
    // a shell starts what runs in the background with SIGINT ignored
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    let is_ignored = ignored.is_some_and(|mask| mask >> 1 & 1 == 1);
    let (interrupted, said) = if is_ignored { (255, "interrupted") } else { (130, "") };
    for (typed, wanted, message) in [
        ("open sesame\n", 0, "Write signature to"),
        ("open sesan\u{7f}me\n", 0, "Write signature to"),
        ("open sesam\n", 255, "locked: wrong passphrase"),
        ("\n", 255, "locked: encrypted, and no passphrase was given"),
        ("open sesame\u{3}", interrupted, said),
        (&format!("{long}\n"), 255, "locked: passphrase: longer than 1023 bytes"),
    ] {
        let line = format!("{BIN} -Y sign -n git -f {} {}", text(&key), text(&file));
        let mut command = command("script");
        command.args(["-qec", &line, "/dev/null"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("runs");
        let mut keyboard = child.stdin.take().expect("a pipe");
        let mut screen = child.stdout.take().expect("a pipe");
        let (mut shown, mut byte) = (Vec::new(), [0]);
        while !shown.ends_with(b": ") && screen.read(&mut byte).expect("readable") == 1 {
            shown.extend(byte);
        }
        keyboard.write_all(typed.as_bytes()).expect("written");
        screen.read_to_end(&mut shown).expect("readable");
        let (code, shown) = (child.wait().expect("ends").code(), String::from_utf8_lossy(&shown));
        assert_eq!(code, Some(wanted), "{shown}");
        assert!(shown.starts_with("Enter passphrase for ") && !shown.contains("sesam"), "{shown}");
        assert!(shown.contains(message), "{shown}");
        assert_eq!(fs::remove_file(folder.path("m.sig")).is_ok(), wanted == 0, "{shown}");
    }
}
