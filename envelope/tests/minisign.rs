//! minisign: published signatures, the tool both ways, and attacks.

use sigmill::bulk::Algorithm;
use sigmill::ed25519::rules::COMMON;
use sigmill_envelope::minisign::{
    self, Hasher, MEMLIMIT, OPSLIMIT, PublicKey, SecretKeyFile, Signature, id_text,
};
use sigmill_envelope::{Refusal, Result, SecretKey};
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const FILE: &[u8] = b"the file\nthat is signed\n";
const ID: [u8; 8] = [1, 2, 3, 4, 5, 6, 7, 8];

fn secret() -> SecretKeyFile {
    let key = SecretKey::new(Algorithm::Ed25519, &[7; 32]).unwrap();
    SecretKeyFile { key, id: ID, untrusted_comment: "minisign encrypted secret key".into() }
}

fn public() -> PublicKey {
    secret().public_key(Some("minisign public key 807060504030201".into()))
}

fn digest(file: &[u8]) -> [u8; 64] {
    let mut hasher = Hasher::new();
    for part in file.chunks(5) {
        hasher.update(part);
    }
    hasher.finish()
}

fn signature() -> String {
    minisign::sign(&secret().key, ID, &digest(FILE), "timestamp:1\tfile:f", "by a test").unwrap()
}

/// A legacy signature: the form has no writer of its own.
fn legacy() -> String {
    let mut signature = Signature::read(signature().as_bytes()).unwrap();
    let scheme = sigmill_envelope::Scheme::Ed25519;
    signature.prehashed = false;
    signature.signature = secret().key.sign(scheme, FILE).unwrap().try_into().unwrap();
    let bound = [&signature.signature[..], signature.trusted_comment.as_bytes()].concat();
    signature.global_signature = secret().key.sign(scheme, &bound).unwrap().try_into().unwrap();
    signature.write().unwrap()
}

/// As the tool decides: the identifier, both signatures.
fn verify(text: &[u8], key: &PublicKey, file: &[u8]) -> Result<bool> {
    let signature = Signature::read(text)?;
    signature.check_key(key)?;
    let mut valid = signature.signed_comment().verify(&key.key, &COMMON)?.is_valid();
    valid &= signature.signed_file(file).verify(&key.key, &COMMON)?.is_valid();
    if signature.prehashed {
        let digest = digest(file);
        let by_digest = signature.signed_digest(&digest)?.verify(&key.key, &COMMON)?;
        assert_eq!(by_digest, signature.signed_file(file).verify(&key.key, &COMMON)?);
    }
    Ok(valid)
}

#[test]
fn published_signatures_verify() {
    // the tests of jedisct1/rust-minisign-verify
    let key = PublicKey::read(b"RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3").unwrap();
    assert_eq!(id_text(&key.id), "E7620F1842B4E81F");
    for (prehashed, line, comment, global) in [
        (
            false,
            "RWQf6LRCGA9i59SLOFxz6NxvASXDJeRtuZykwQepbDEGt87ig1BNpWaVWuNrm73YiIiJbq71Wi+dP9eKL8OC351vwIasSSbXxwA=",
            "timestamp:1555779966\tfile:test",
            "QtKMXWyYcwdpZAlPF7tE2ENJkRd1ujvKjlj1m9RtHTBnZPa5WKU5uWRs5GoP5M/VqE81QFuMKI5k/SfNQUaOAA==",
        ),
        (
            true,
            "RUQf6LRCGA9i559r3g7V1qNyJDApGip8MfqcadIgT9CuhV3EMhHoN1mGTkUidF/z7SrlQgXdy8ofjb7bNJJylDOocrCo8KLzZwo=",
            "timestamp:1556193335\tfile:test",
            "y/rUw2y8/hOUYjZU71eHp/Wo1KZ40fGy2VJEDl34XMJM+TX48Ss/17u3IvIfbVR1FkZZSNCisQbuQY+bHwhEBg==",
        ),
    ] {
        // without the last line break, as the vectors are
        let text = format!(
            "untrusted comment: signature from minisign secret key\n{line}\ntrusted comment: {comment}\n{global}"
        );
        let signature = Signature::read(text.as_bytes()).unwrap();
        assert_eq!(signature.prehashed, prehashed);
        assert_eq!(signature.trusted_comment, comment);
        assert_eq!(signature.write().unwrap(), text.clone() + "\n");
        assert!(verify(text.as_bytes(), &key, b"test").unwrap());
        assert!(!verify(text.as_bytes(), &key, b"Test").unwrap());
    }
}

#[test]
fn keys_come_back() {
    let (secret, public) = (secret(), public());
    assert_eq!(PublicKey::read(public.write().unwrap().as_bytes()).unwrap(), public);
    let bare = PublicKey { untrusted_comment: None, ..public };
    let line = bare.write().unwrap();
    assert!(!line.contains('\n'));
    assert_eq!(PublicKey::read(line.as_bytes()).unwrap(), bare);

    let same = |read: SecretKeyFile| {
        assert_eq!(*read.key.to_bytes(), *secret.key.to_bytes());
        assert_eq!((read.id, &read.untrusted_comment), (ID, &secret.untrusted_comment));
    };
    same(SecretKeyFile::read(secret.write().unwrap().as_bytes(), None).unwrap());
    // p = 1 with N by the computations, N by the memory, p above 1, N at its least
    for (opslimit, memlimit) in [(1 << 15, 1 << 24), (1 << 18, 1 << 20), (1 << 20, 1 << 17), (0, 0)]
    {
        let text = secret.write_encrypted(b"pass", opslimit, memlimit).unwrap();
        same(SecretKeyFile::read(text.as_bytes(), Some(b"pass")).unwrap());
        let wrong = SecretKeyFile::read(text.as_bytes(), Some(b"Pass")).unwrap_err();
        assert_eq!(wrong.refusal(), Refusal::PassphraseWrong);
        let missing = SecretKeyFile::read(text.as_bytes(), None).unwrap_err();
        assert_eq!(missing.refusal(), Refusal::PassphraseMissing);
    }
    assert!(verify(signature().as_bytes(), &self::public(), FILE).unwrap());
    assert!(verify(legacy().as_bytes(), &self::public(), FILE).unwrap());
}

/// The tool in a folder, with a passphrase for each time that it asks; `None` where it is not installed.
fn tool(folder: &Path, input: &str, arguments: &[&str]) -> Option<Output> {
    let child = Command::new("minisign")
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        println!("not run here: minisign is not installed");
        return None;
    };
    // a tool that does not ask may have closed its end
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    Some(child.wait_with_output().unwrap())
}

fn succeeds(output: &Output) {
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
}

#[test]
fn the_tool_reads_and_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let (at, path) = (folder.path(), |name: &str| folder.path().join(name));
    fs::write(path("f"), FILE).unwrap();
    let Some(made) = tool(at, "", &["-G", "-W", "-p", "t.pub", "-s", "t.key"]) else { return };
    succeeds(&made);

    // its keys
    let (public_text, secret_text) =
        (fs::read(path("t.pub")).unwrap(), fs::read(path("t.key")).unwrap());
    let key = PublicKey::read(&public_text).unwrap();
    assert_eq!(key.write().unwrap().as_bytes(), public_text);
    let file = SecretKeyFile::read(&secret_text, None).unwrap();
    assert_eq!(file.write().unwrap().as_bytes(), secret_text);
    assert_eq!(file.public_key(key.untrusted_comment.clone()), key);

    // its signatures
    for (prehashed, arguments) in [
        (true, ["-S", "-s", "t.key", "-m", "f", "-x", "t.sig", "-t", "a\tb ü"].as_slice()),
        (false, &["-S", "-l", "-s", "t.key", "-m", "f", "-x", "t.sig", "-c", "c"]),
        (true, &["-S", "-s", "t.key", "-m", "f", "-x", "t.sig"]),
    ] {
        succeeds(&tool(at, "", arguments).unwrap());
        let text = fs::read(path("t.sig")).unwrap();
        assert!(verify(&text, &key, FILE).unwrap());
        assert!(!verify(&text, &key, b"another file").unwrap());
        let signature = Signature::read(&text).unwrap();
        assert_eq!(signature.prehashed, prehashed);
        assert_eq!(signature.write().unwrap().as_bytes(), text);
        // Ed25519 is deterministic: the same bytes come from here
        if prehashed {
            let (trusted, untrusted) = (&signature.trusted_comment, &signature.untrusted_comment);
            let again = minisign::sign(&file.key, file.id, &digest(FILE), trusted, untrusted);
            assert_eq!(again.unwrap().as_bytes(), text);
        }
    }

    // keys and signatures from here
    fs::write(path("o.pub"), public().write().unwrap()).unwrap();
    fs::write(path("o.key"), secret().write().unwrap().as_bytes()).unwrap();
    fs::write(path("o.sig"), signature()).unwrap();
    succeeds(&tool(at, "", &["-V", "-H", "-p", "o.pub", "-m", "f", "-x", "o.sig"]).unwrap());
    fs::write(path("l.sig"), legacy()).unwrap();
    succeeds(&tool(at, "", &["-V", "-p", "o.pub", "-m", "f", "-x", "l.sig"]).unwrap());
    let bare = PublicKey { untrusted_comment: None, ..public() }.write().unwrap();
    succeeds(&tool(at, "", &["-V", "-P", &bare, "-m", "f", "-x", "o.sig"]).unwrap());
    succeeds(&tool(at, "", &["-R", "-s", "o.key", "-p", "r.pub"]).unwrap());
    assert_eq!(fs::read_to_string(path("r.pub")).unwrap(), public().write().unwrap());
    succeeds(&tool(at, "", &["-S", "-s", "o.key", "-m", "f", "-x", "k.sig"]).unwrap());
    assert!(verify(&fs::read(path("k.sig")).unwrap(), &public(), FILE).unwrap());
    // and the tool does refuse
    fs::write(path("f"), b"another file").unwrap();
    let refused = tool(at, "", &["-V", "-p", "o.pub", "-m", "f", "-x", "o.sig"]).unwrap();
    assert!(!refused.status.success());
}

#[test]
fn passphrases_of_the_tool() {
    if std::env::var_os("SIGMILL_LONG").is_none() {
        println!("not run at this commit: keys under a password, which take 1 GiB (SIGMILL_LONG)");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (at, path) = (folder.path(), |name: &str| folder.path().join(name));
    fs::write(path("f"), FILE).unwrap();
    let Some(made) = tool(at, "pass\npass\n", &["-G", "-p", "t.pub", "-s", "t.key"]) else {
        return;
    };
    succeeds(&made);
    let file = SecretKeyFile::read(&fs::read(path("t.key")).unwrap(), Some(b"pass")).unwrap();
    let key = PublicKey::read(&fs::read(path("t.pub")).unwrap()).unwrap();
    assert_eq!(file.public_key(key.untrusted_comment.clone()), key);

    let text = secret().write_encrypted(b"word", OPSLIMIT, MEMLIMIT).unwrap();
    fs::write(path("o.key"), text.as_bytes()).unwrap();
    succeeds(&tool(at, "word\n", &["-S", "-s", "o.key", "-m", "f", "-x", "o.sig"]).unwrap());
    assert!(verify(&fs::read(path("o.sig")).unwrap(), &public(), FILE).unwrap());
}

/// The text with this line (from 0) in place of its own.
fn with_line(text: &str, number: usize, line: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    lines[number] = line;
    lines.join("\n") + "\n"
}

/// The line with its bytes changed.
fn with_bytes(text: &str, number: usize, change: impl Fn(&mut Vec<u8>)) -> String {
    let base64 = data_encoding::BASE64;
    let mut bytes = base64.decode(text.lines().nth(number).unwrap().as_bytes()).unwrap();
    change(&mut bytes);
    with_line(text, number, &base64.encode(&bytes))
}

#[test]
fn attacks() {
    use Refusal::*;
    let (text, other) = (signature(), PublicKey { id: [9; 8], ..public() });
    let another = minisign::sign(&secret().key, ID, &digest(FILE), "another", "by a test").unwrap();
    let line = |text: &str, number| text.lines().nth(number).unwrap().to_owned();
    let set = |at: usize, byte: u8| with_bytes(&text, 1, move |bytes| bytes[at] = byte);
    let long = "x".repeat(9000);
    // `Ok(false)`: read, and not valid
    let signatures: Vec<(&str, String, std::result::Result<bool, Refusal>)> = vec![
        ("as it is", text.clone(), Ok(true)),
        ("another untrusted comment", with_line(&text, 0, "untrusted comment: !"), Ok(true)),
        ("another trusted comment", with_line(&text, 2, "trusted comment: !"), Ok(false)),
        ("global signature of another", with_line(&text, 3, &line(&another, 3)), Ok(false)),
        ("legacy in place of prehashed", set(1, b'd'), Ok(false)),
        ("prehashed in place of legacy", with_bytes(&legacy(), 1, |b| b[1] = b'D'), Ok(false)),
        ("unknown algorithm", set(1, b'e'), Err(AlgUnknown)),
        ("RSA", set(0, b'R'), Err(AlgUnknown)),
        ("another key id", set(2, 0xff), Err(KidUnknown)),
        ("a public key", public().write().unwrap(), Err(NotMinisign)),
        ("two lines alone", format!("{}\n{}\n", line(&text, 0), line(&text, 1)), Err(NotMinisign)),
        ("trailing line breaks", text.clone() + "\r\n\n", Ok(true)),
        ("CR CR LF", text.replace('\n', "\r\r\n"), Err(NotMinisign)),
        ("trailing space", text.clone() + "\n ", Err(NotMinisign)),
        ("two signatures", text.clone() + &text, Err(NotMinisign)),
        ("CR LF", text.replace('\n', "\r\n"), Ok(true)),
        ("leading space", format!(" {text}"), Err(NotMinisign)),
        (
            "space in the base64",
            with_line(&text, 1, &format!("{} ", line(&text, 1))),
            Err(NotMinisign),
        ),
        (
            "base64 without padding",
            with_line(&text, 3, line(&text, 3).trim_end_matches('=')),
            Err(NotMinisign),
        ),
        (
            "bits after the end",
            with_line(&text, 1, &line(&text, 1).replace("=", "B")),
            Err(NotMinisign),
        ),
        ("URL-safe base64", with_line(&text, 3, &"-".repeat(88)), Err(NotMinisign)),
        ("short signature", with_bytes(&text, 1, |b| b.truncate(73)), Err(NotMinisign)),
        ("long signature", with_bytes(&text, 1, |b| b.extend([0; 3])), Err(NotMinisign)),
        ("no trusted comment", with_line(&text, 2, "untrusted comment: x"), Err(NotMinisign)),
        (
            "an escape in the comment",
            with_line(&text, 2, "trusted comment: \u{1b}[1A"),
            Err(NotMinisign),
        ),
        ("a zero in the comment", with_line(&text, 2, "trusted comment: a\0b"), Err(NotMinisign)),
        ("a CR in the comment", with_line(&text, 2, "trusted comment: a\rb"), Err(NotMinisign)),
        (
            "long untrusted comment",
            with_line(&text, 0, &format!("untrusted comment: {long}")),
            Err(TooLarge),
        ),
        (
            "long trusted comment",
            with_line(&text, 2, &format!("trusted comment: {long}")),
            Err(TooLarge),
        ),
        ("long base64", with_line(&text, 1, &long), Err(TooLarge)),
        ("one long line", "x".repeat(1 << 20), Err(TooLarge)),
        ("nothing", String::new(), Err(NotMinisign)),
    ];
    for (name, input, expected) in &signatures {
        let got = verify(input.as_bytes(), &public(), FILE).map_err(|error| error.refusal());
        assert_eq!(got, *expected, "{name}");
    }
    assert_eq!(verify(text.as_bytes(), &other, FILE).unwrap_err().refusal(), KidUnknown);
    let invalid = b"untrusted comment: \xff\n";
    assert_eq!(Signature::read(invalid).unwrap_err().refusal(), NotMinisign);
    let read = Signature::read(legacy().as_bytes()).unwrap();
    assert_eq!(read.signed_digest(&[0; 64]).unwrap_err().refusal(), Unsupported);
    println!("{} signatures", signatures.len());

    let plain = secret().write().unwrap().to_string();
    let sealed = secret().write_encrypted(b"pass", 1 << 15, 1 << 20).unwrap().to_string();
    let set = |text: &str, at: usize, new: &[u8]| {
        with_bytes(text, 1, |bytes| bytes[at..at + new.len()].copy_from_slice(new))
    };
    let keys: Vec<(&str, String, Refusal)> = vec![
        ("unknown algorithm", set(&plain, 0, b"ED"), AlgUnknown),
        ("unknown derivation", set(&plain, 2, b"Ar"), Unsupported),
        ("unknown checksum", set(&plain, 4, b"SH"), Unsupported),
        ("a public half of another key", set(&plain, 62 + 32, &[1]), NotMinisign),
        ("a seed of another key", set(&plain, 62, &[1]), NotMinisign),
        ("a wrong checksum", set(&plain, 126, &[1]), NotMinisign),
        ("encrypted in name alone", set(&plain, 2, b"Sc"), PassphraseWrong),
        ("unencrypted in name alone", set(&sealed, 2, &[0, 0]), NotMinisign),
        ("another salt", set(&sealed, 6, &[0; 32]), PassphraseWrong),
        ("memory above 1 GiB", set(&sealed, 46, &(MEMLIMIT + 1).to_le_bytes()), TooLarge),
        ("all the memory", set(&sealed, 46, &[0xff; 8]), TooLarge),
        ("all the time", set(&sealed, 38, &[0xff; 8]), TooLarge),
        (
            "many lanes",
            set(&sealed, 38, &[0, 0, 0, 8, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0]),
            TooLarge,
        ),
        ("trailing line", plain.clone() + "x\n", NotMinisign),
        ("a public key", public().write().unwrap(), NotMinisign),
    ];
    for (name, input, expected) in &keys {
        let error = SecretKeyFile::read(input.as_bytes(), Some(b"pass")).unwrap_err();
        assert_eq!(error.refusal(), *expected, "{name}: {error}");
    }
    println!("{} secret keys", keys.len());

    for comment in ["a\nb", "a\rb", "a\0b", "\u{1b}[1A", "a\u{85}b", "a\u{2028}b"] {
        for (trusted, untrusted) in [(comment, ""), ("", comment)] {
            let error =
                minisign::sign(&secret().key, ID, &[0; 64], trusted, untrusted).unwrap_err();
            assert_eq!(error.refusal(), NotMinisign);
        }
        let key = PublicKey { untrusted_comment: Some(comment.into()), ..public() };
        assert_eq!(key.write().unwrap_err().refusal(), NotMinisign);
    }
    let p256 = SecretKey::new(Algorithm::P256, &[7; 32]).unwrap();
    assert_eq!(minisign::sign(&p256, ID, &[0; 64], "", "").unwrap_err().refusal(), AlgMismatch);
    let key = PublicKey { key: p256.public_key(), ..public() };
    assert_eq!(key.write().unwrap_err().refusal(), AlgMismatch);
    assert_eq!(verify(text.as_bytes(), &key, FILE).unwrap_err().refusal(), AlgMismatch);
}

#[test]
fn no_part_and_no_changed_bit_is_valid() {
    let (text, key) = (signature().into_bytes(), public());
    let first_line = text.iter().position(|&byte| byte == b'\n').unwrap();
    // the last line break may be missing
    for end in 0..text.len() - 1 {
        assert!(!verify(&text[..end], &key, FILE).unwrap_or(false), "{end} bytes");
    }
    let mut verified = 0;
    for at in first_line..text.len() {
        for bit in 0..8 {
            let mut changed = text.clone();
            changed[at] ^= 1 << bit;
            let verdict = verify(&changed, &key, FILE);
            verified += usize::from(verdict.is_ok());
            assert!(!verdict.unwrap_or(false), "bit {bit} of byte {at}");
        }
    }
    println!("{} bits changed, {verified} of them read", 8 * (text.len() - first_line));
    for bit in 0..8 * FILE.len() {
        let mut file = FILE.to_vec();
        file[bit / 8] ^= 1 << (bit % 8);
        assert!(!verify(&text, &key, &file).unwrap());
    }
    let (public, secret) = (public().write().unwrap(), secret().write().unwrap());
    for end in 0..public.len() - 1 {
        assert!(PublicKey::read(&public.as_bytes()[..end]).is_err());
    }
    for end in 0..secret.len() - 1 {
        assert!(SecretKeyFile::read(&secret.as_bytes()[..end], Some(b"")).is_err());
    }
}
