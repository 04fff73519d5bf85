//! Files that are signed, and files that are refused.

use super::{BIN, KEYGEN, TYPES, call, has_tools, key, prepared, public, refused, words};
use crate::folder::text;
use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;

#[test]
fn signed_files_are_verified_by_ssh_keygen() {
    if !has_tools() {
        return;
    }
    let folder = prepared();
    for (name, _) in TYPES {
        for hash in ["sha512", "sha256"] {
            for file in ["a", "b c"] {
                folder.put(file, format!("{file} {hash}"));
                let _ = fs::remove_file(folder.path(&format!("{file}.sig")));
            }
            let (key, a, b) = (folder.path(name), folder.path("a"), folder.path("b c"));
            let option = format!("-Ohashalg={hash}");
            let args = ["-Y", "sign", &option, "-n", "git", "-f", text(&key), text(&a), text(&b)];
            let (code, out, err) = call(BIN, &args, b"");
            assert_eq!((code, out.as_str()), (0, ""), "{err}");
            for path in [a, b] {
                let sig = format!("{}.sig", text(&path));
                assert!(err.contains(&format!("Write signature to {sig}")), "{err}");
                let principal = format!("{name}@x");
                let allowed = folder.path("allowed");
                let args = [
                    "-Y",
                    "verify",
                    "-n",
                    "git",
                    "-f",
                    text(&allowed),
                    "-I",
                    &principal,
                    "-s",
                    &sig,
                ];
                let message = fs::read(&path).expect("there");
                let [theirs, ours] = [KEYGEN, BIN].map(|program| call(program, &args, &message));
                assert_eq!((theirs.0, ours.0), (0, 0), "{name} {hash} {}", theirs.2);
                assert_eq!(theirs.1, ours.1);
                assert!(call(BIN, &args, b"other").1.starts_with("Could not verify"));
            }
        }
    }
    // nothing is overwritten, and `ssh-keygen` would ask
    let err = refused(&folder, "sign -n git -f DIR/p256 DIR/a", 255, b"");
    assert!(
        err.contains("a.sig: exists already, and is not overwritten; remove it first"),
        "{err}"
    );
}

#[test]
fn keys_that_do_not_sign_are_refused_by_name() {
    if !has_tools() {
        return;
    }
    let folder = prepared();
    key(&folder, "rsa", "-t rsa -b 2048");
    key(&folder, "p521", "-t ecdsa -b 521");
    folder.put("alone.pub", public(&folder, "ed25519"));
    folder.put("line", public(&folder, "ed25519"));
    folder.put("wrong.pub", public(&folder, "p256"));
    let private = fs::read(folder.path("ed25519")).expect("there");
    for (name, mode) in [("wrong", 0o600), ("shared", 0o640), ("readable", 0o604)] {
        let path = folder.put(name, &private);
        fs::set_permissions(path, Permissions::from_mode(mode)).expect("set");
    }
    folder.put("cut", &private[..private.len() / 2]);
    fs::set_permissions(folder.path("cut"), Permissions::from_mode(0o600)).expect("set");
    let names = folder.names();
    for (name, message) in [
        ("alone.pub", "the private key DIR/alone is not there, and sigmill talks to no agent"),
        ("line", "line: is a public key, and sigmill talks to no agent"),
        ("wrong.pub", "wrong.pub: is not the public key of DIR/wrong"),
        ("shared", "others have access to this private key (mode 0640); `chmod 600` ends that"),
        ("readable", "(mode 0604)"),
        ("cut", "cut: not an OpenSSH key or signature: armor of `OPENSSH PRIVATE KEY`"),
        ("rsa", "rsa: unknown algorithm: key type `ssh-rsa`; expected ssh-ed25519"),
        ("rsa.pub", "rsa.pub: unknown algorithm: key type `ssh-rsa`"),
        ("p521", "unknown algorithm: key type `ecdsa-sha2-nistp521`"),
        ("m", "m: not an OpenSSH key or signature: the first line is not"),
        ("huge", "huge: over 65536 bytes; expected a private key of OpenSSH"),
        ("empty", "empty: is empty; expected a private key of OpenSSH"),
    ] {
        let err = refused(&folder, &format!("sign -n git -f DIR/{name} DIR/m"), 255, b"");
        let message = message.replace("DIR", text(folder.path("m").parent().expect("a folder")));
        assert!(err.contains(&message), "{name}: {err}");
    }
    let err = refused(&folder, "sign -n git -f DIR/ed25519 DIR", 255, b"");
    assert!(err.contains("is a directory"), "{err}");
    let long = "n".repeat(5_000);
    let err = refused(&folder, &format!("sign -n {long} -f DIR/ed25519 DIR/m"), 255, b"");
    assert!(err.contains("at most 4096 are allowed"), "{err}");
    assert_eq!(folder.names(), names, "nothing is left behind");
    // `ssh-keygen` refuses the same files of keys that others can read
    let shared = folder.path("shared");
    let args = ["-Y", "sign", "-n", "git", "-f", text(&shared), text(&folder.path("m"))]
        .map(str::to_owned);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    assert_eq!(call(KEYGEN, &args, b"").0, 255);
}

#[test]
fn a_list_of_revoked_keys_is_understood_or_refused() {
    if !has_tools() {
        return;
    }
    let folder = prepared();
    for (name, kind) in [("rsa", "-t rsa -b 2048"), ("p521", "-t ecdsa -b 521")] {
        key(&folder, name, kind);
    }
    let [own, p256, p384, rsa, p521] =
        ["ed25519", "p256", "p384", "rsa", "p521"].map(|name| public(&folder, name));
    let certificate = {
        let [authority, key] = ["p256", "ed25519"].map(|name| folder.path(name));
        let args =
            ["-q", "-s", text(&authority), "-I", "i", "-n", "n", &format!("{}.pub", text(&key))]
                .map(str::to_owned);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        assert_eq!(call(KEYGEN, &args, b"").0, 0);
        fs::read_to_string(folder.path("ed25519-cert.pub")).expect("a certificate")
    };
    let list = "verify -n git -f DIR/allowed -I ed25519@x -s DIR/ed25519.sig -r DIR/list";
    let bare = own.rsplit_once(' ').expect("a comment").0.to_owned();
    let mistyped = own.replace("ssh-ed25519", "ssh-ed25518");
    for (text, code, message) in [
        (String::new(), 0, ""),
        (format!("# old\n\n{p256}{p384}{rsa}{p521}"), 0, ""),
        (format!("{p256}{own}"), 255, "list: line 2: the key is revoked"),
        (format!(" \t{bare}\r\n"), 255, "line 1: the key is revoked"),
        (bare.clone(), 255, "line 1: the key is revoked"),
        (format!("{rsa}{p521}{bare}"), 255, "line 3: the key is revoked"),
        (format!("{p256}{certificate}"), 255, "line 2: not supported"),
        (mistyped, 255, "line 1: unknown algorithm: key type `ssh-ed25518`"),
        (format!("no-pty {own}"), 255, "line 1: "),
        (own[..40].to_owned(), 255, "line 1: "),
    ] {
        folder.put("list", &text);
        let dir = folder.path("m").parent().expect("a folder").to_owned();
        let args = words(&dir, &format!("-Y {list}"));
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let [theirs, ours] = [KEYGEN, BIN].map(|program| call(program, &args, b"message"));
        assert_eq!(
            (ours.0, ours.1.as_str()),
            (code, theirs.1.as_str()),
            "{text}{ours:?} {theirs:?}"
        );
        assert!(ours.2.contains(message), "{}", ours.2);
    }
    let (krl, other) = (folder.path("list"), folder.path("p256.pub"));
    fs::remove_file(&krl).expect("removed");
    assert_eq!(call(KEYGEN, &["-q", "-k", "-f", text(&krl), text(&other)], b"").0, 0);
    let err = refused(&folder, list, 255, b"message");
    assert!(
        err.contains("list: is a key revocation list in binary form (KRL), which is not read"),
        "{err}"
    );
}

#[test]
fn inputs_of_any_size_are_read_with_bounds() {
    if !has_tools() {
        return;
    }
    let folder = prepared();
    let message = vec![7; 20 << 20];
    folder.put("large", &message);
    assert!(refused(&folder, "sign -n git -f DIR/p384 DIR/large", 0, b"").contains("Write"));
    let dir = folder.path("m").parent().expect("a folder").to_owned();
    let args = words(&dir, "-Y verify -n git -f DIR/allowed -I p384@x -s DIR/large.sig");
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    for program in [KEYGEN, BIN] {
        assert_eq!(call(program, &args, &message).0, 0, "{program}");
        assert_eq!(call(program, &args, &message[1..]).0, 255, "{program}");
    }
    for (name, len) in [("long", (1 << 24) + 1), ("longer", 1 << 40)] {
        let file = File::create(folder.path(name)).expect("made");
        file.set_len(len).expect("sparse");
    }
    for file in ["DIR/long", "DIR/longer", "/dev/zero"] {
        for (line, message) in [
            (format!("find-principals -s DIR/p256.sig -f {file}"), "is over 16777216 bytes"),
            (
                format!("find-principals -f DIR/allowed -s {file}"),
                "over 65536 bytes; expected a signature",
            ),
            (
                format!("verify -n git -I p256@x -s DIR/p256.sig -f DIR/allowed -r {file}"),
                "is over 16777216 bytes",
            ),
            (format!("sign -n git -f {file} DIR/m"), "over 65536 bytes; expected a private key"),
        ] {
            let err = refused(&folder, &line, 255, b"message");
            assert!(err.contains(message) && err.len() < 1_000, "{line}: {err}");
        }
    }
    // a line that is wrong anywhere in the file refuses all of it; `ssh-keygen` stops reading before it
    let allowed = fs::read_to_string(folder.path("allowed")).expect("text");
    folder.put("allowed", format!("{allowed}someone namespace=\"git\" ssh-ed25519 AAAA\n"));
    let err = refused(&folder, "find-principals -f DIR/allowed -s DIR/p256.sig", 255, b"");
    assert!(err.contains("unknown critical header: line 6: `namespace` is no option"), "{err}");
}

/// Git reads lines: a name with two of them would be two results.
#[test]
fn a_principal_is_one_line() {
    if !has_tools() {
        return;
    }
    let folder = prepared();
    let (allowed, sig) = (folder.path("all"), folder.path("p384.sig"));
    folder.put("all", format!("* {}", public(&folder, "p384")));
    for (principal, wanted) in [("a b \"c\" ä", 0), ("a\nGood", 255), ("a\u{1b}[0m", 255)] {
        let args = ["-n", "git", "-f", text(&allowed), "-I", principal, "-s", text(&sig)];
        let (code, out, err) = call(BIN, &[&["-Y", "verify"][..], &args].concat(), b"message");
        assert_eq!(code, wanted, "{err}");
        match code {
            0 => assert!(out.starts_with(&format!("Good \"git\" signature for {principal} with "))),
            _ => assert_eq!(out, "Could not verify signature.\n"),
        }
        assert!(code == 0 || err.contains("has a control character"), "{err}");
    }
}
