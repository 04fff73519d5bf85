//! signify: the tool both ways, and attacks.

use sigmill::bulk::Algorithm;
use sigmill::ed25519::rules::COMMON;
use sigmill_envelope::signify::{self, MOST_ROUNDS, PublicKey, ROUNDS, SecretKeyFile, Signature};
use sigmill_envelope::{Refusal, Result, SecretKey};
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const FILE: &[u8] = b"the file\nthat is signed\n";
const ID: [u8; 8] = [1, 2, 3, 4, 5, 6, 7, 8];

fn secret() -> SecretKeyFile {
    let key = SecretKey::new(Algorithm::Ed25519, &[7; 32]).unwrap();
    SecretKeyFile { key, id: ID, untrusted_comment: "o secret key".into() }
}

fn public() -> PublicKey {
    secret().public_key("o public key".into())
}

fn signature() -> String {
    signify::sign(&secret().key, ID, FILE, "verify with o.pub").unwrap().write().unwrap()
}

/// As the tool decides: the identifier and the signature.
fn verify(text: &[u8], key: &PublicKey, file: &[u8]) -> Result<bool> {
    let signature = Signature::read(text)?;
    signature.check_key(key)?;
    Ok(signature.signed(file).verify(&key.key, &COMMON)?.is_valid())
}

fn verify_embedded(text: &[u8], key: &PublicKey) -> Result<bool> {
    let (signature, message) = Signature::read_embedded(text)?;
    signature.check_key(key)?;
    Ok(signature.signed(message).verify(&key.key, &COMMON)?.is_valid())
}

#[test]
fn keys_and_signatures_come_back() {
    let (secret, public) = (secret(), public());
    assert_eq!(PublicKey::read(public.write().unwrap().as_bytes()).unwrap(), public);
    let same = |read: SecretKeyFile| {
        assert_eq!(*read.key.to_bytes(), *secret.key.to_bytes());
        assert_eq!((read.id, &read.untrusted_comment), (ID, &secret.untrusted_comment));
    };
    same(SecretKeyFile::read(secret.write().unwrap().as_bytes(), None).unwrap());
    let text = secret.write_encrypted(b"pass", 2).unwrap();
    same(SecretKeyFile::read(text.as_bytes(), Some(b"pass")).unwrap());
    for (passphrase, refusal) in [
        (Some(&b"Pass"[..]), Refusal::PassphraseWrong),
        (Some(b""), Refusal::PassphraseMissing),
        (None, Refusal::PassphraseMissing),
    ] {
        let error = SecretKeyFile::read(text.as_bytes(), passphrase).unwrap_err();
        assert_eq!(error.refusal(), refusal);
    }
    assert!(verify(signature().as_bytes(), &public, FILE).unwrap());
    let signature = Signature::read(signature().as_bytes()).unwrap();
    for message in [FILE, b"", b"\n", b"untrusted comment: \n"] {
        let text = signature.write_embedded(message).unwrap();
        let (again, read) = Signature::read_embedded(&text).unwrap();
        assert_eq!((&again, read), (&signature, message));
        assert_eq!(verify_embedded(&text, &public).unwrap(), message == FILE);
    }
}

/// The tool in a folder, with a passphrase for each time that it asks; `None` where it is not installed.
fn tool(folder: &Path, input: &str, arguments: &[&str]) -> Option<Output> {
    for name in ["signify-openbsd", "signify"] {
        let child = Command::new(name)
            .args(arguments)
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        if let Ok(mut child) = child {
            // a tool that does not ask may have closed its end
            let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
            return Some(child.wait_with_output().unwrap());
        }
    }
    println!("not run here: signify is not installed");
    None
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
    let arguments = ["-G", "-n", "-c", "its comment", "-p", "t.pub", "-s", "t.sec"];
    let Some(made) = tool(at, "", &arguments) else { return };
    succeeds(&made);

    // its keys and signatures
    let text = fs::read(path("t.pub")).unwrap();
    let key = PublicKey::read(&text).unwrap();
    assert_eq!(key.write().unwrap().as_bytes(), text);
    let file = SecretKeyFile::read(&fs::read(path("t.sec")).unwrap(), None).unwrap();
    assert_eq!(file.public_key(key.untrusted_comment.clone()), key);
    succeeds(&tool(at, "", &["-S", "-s", "t.sec", "-m", "f", "-x", "t.sig"]).unwrap());
    let text = fs::read(path("t.sig")).unwrap();
    assert!(verify(&text, &key, FILE).unwrap());
    assert!(!verify(&text, &key, b"another file").unwrap());
    // Ed25519 is deterministic: the same bytes come from here
    let again = signify::sign(&file.key, file.id, FILE, "verify with t.pub").unwrap();
    assert_eq!(again.write().unwrap().as_bytes(), text);
    succeeds(&tool(at, "", &["-S", "-e", "-s", "t.sec", "-m", "f", "-x", "e.sig"]).unwrap());
    let text = fs::read(path("e.sig")).unwrap();
    assert!(verify_embedded(&text, &key).unwrap());
    assert_eq!(again.write_embedded(FILE).unwrap(), text);

    // keys and signatures from here
    fs::write(path("o.pub"), public().write().unwrap()).unwrap();
    fs::write(path("o.sec"), secret().write().unwrap().as_bytes()).unwrap();
    fs::write(path("o.sig"), signature()).unwrap();
    succeeds(&tool(at, "", &["-V", "-p", "o.pub", "-m", "f", "-x", "o.sig"]).unwrap());
    let embedded = signify::sign(&secret().key, ID, FILE, "verify with o.pub").unwrap();
    fs::write(path("oe.sig"), embedded.write_embedded(FILE).unwrap()).unwrap();
    succeeds(&tool(at, "", &["-V", "-e", "-p", "o.pub", "-m", "out", "-x", "oe.sig"]).unwrap());
    assert_eq!(fs::read(path("out")).unwrap(), FILE);
    succeeds(&tool(at, "", &["-S", "-s", "o.sec", "-m", "f", "-x", "k.sig"]).unwrap());
    assert_eq!(fs::read_to_string(path("k.sig")).unwrap(), signature());
    // and the tool does refuse
    fs::write(path("f"), b"another file").unwrap();
    let refused = tool(at, "", &["-V", "-p", "o.pub", "-m", "f", "-x", "o.sig"]).unwrap();
    assert!(!refused.status.success());
}

#[test]
fn passphrases_of_the_tool() {
    let folder = tempfile::tempdir().unwrap();
    let (at, path) = (folder.path(), |name: &str| folder.path().join(name));
    fs::write(path("f"), FILE).unwrap();
    let Some(made) = tool(at, "pass\npass\n", &["-G", "-p", "t.pub", "-s", "t.sec"]) else {
        return;
    };
    succeeds(&made);
    let file = SecretKeyFile::read(&fs::read(path("t.sec")).unwrap(), Some(b"pass")).unwrap();
    let key = PublicKey::read(&fs::read(path("t.pub")).unwrap()).unwrap();
    assert_eq!(file.public_key(key.untrusted_comment.clone()), key);

    let text = secret().write_encrypted(b"word", ROUNDS).unwrap();
    fs::write(path("o.sec"), text.as_bytes()).unwrap();
    succeeds(&tool(at, "word\n", &["-S", "-s", "o.sec", "-m", "f", "-x", "o.sig"]).unwrap());
    assert!(verify(&fs::read(path("o.sig")).unwrap(), &public(), FILE).unwrap());
}

/// The text with its second line in place of its own.
fn with_line(text: &str, line: &str) -> String {
    format!("{}\n{line}\n", text.lines().next().unwrap())
}

/// The text with bytes at a place changed.
fn set(text: &str, at: usize, new: &[u8]) -> String {
    let base64 = data_encoding::BASE64;
    let mut bytes = base64.decode(text.lines().nth(1).unwrap().as_bytes()).unwrap();
    bytes[at..at + new.len()].copy_from_slice(new);
    with_line(text, &base64.encode(&bytes))
}

#[test]
fn attacks() {
    use Refusal::*;
    let text = signature();
    let line = text.lines().nth(1).unwrap();
    let long = "x".repeat(9000);
    // `Ok(false)`: read, and not valid
    let signatures: Vec<(&str, String, std::result::Result<bool, Refusal>)> = vec![
        ("as it is", text.clone(), Ok(true)),
        ("another comment", format!("untrusted comment: !\n{line}\n"), Ok(true)),
        ("another R", set(&text, 10, &[0; 32]), Ok(false)),
        ("another s", set(&text, 42, &[0; 32]), Ok(false)),
        ("prehashed of minisign", set(&text, 0, b"ED"), Err(AlgUnknown)),
        ("unknown algorithm", set(&text, 0, b"Rs"), Err(AlgUnknown)),
        ("another key id", set(&text, 2, &[0xff]), Err(KidUnknown)),
        ("a public key", public().write().unwrap(), Err(NotSignify)),
        ("trailing line breaks", text.clone() + "\r\n\n", Ok(true)),
        ("the message after it", text.clone() + "message", Err(NotSignify)),
        ("no line break at the end", text.trim_end().to_owned(), Err(NotSignify)),
        ("CR LF", text.replace('\n', "\r\n"), Ok(true)),
        ("no comment", format!("{line}\n"), Err(NotSignify)),
        ("a trusted comment", text.replace("untrusted", "trusted"), Err(NotSignify)),
        ("space in the base64", with_line(&text, &format!("{line} ")), Err(NotSignify)),
        ("no padding", with_line(&text, line.trim_end_matches('=')), Err(NotSignify)),
        ("bits after the end", with_line(&text, &line.replace('=', "B")), Err(NotSignify)),
        ("an escape", text.replace("verify", "\u{1b}[1A"), Err(NotSignify)),
        ("a long comment", text.replace("verify", &long), Err(TooLarge)),
        ("a long line", with_line(&text, &long), Err(TooLarge)),
        ("nothing", String::new(), Err(NotSignify)),
    ];
    for (name, input, expected) in &signatures {
        let got = verify(input.as_bytes(), &public(), FILE).map_err(|error| error.refusal());
        assert_eq!(got, *expected, "{name}");
    }
    println!("{} signatures", signatures.len());

    let plain = secret().write().unwrap().to_string();
    let sealed = secret().write_encrypted(b"pass", 1).unwrap().to_string();
    let rounds = |count: u32| set(&sealed, 4, &count.to_be_bytes());
    let keys: Vec<(&str, String, Refusal)> = vec![
        ("unknown algorithm", set(&plain, 0, b"ED"), AlgUnknown),
        ("unknown derivation", set(&plain, 2, b"Sc"), Unsupported),
        ("another public half", set(&plain, 72, &[1]), NotSignify),
        ("another seed", set(&plain, 40, &[1]), NotSignify),
        ("another checksum", set(&plain, 24, &[1]), NotSignify),
        ("encrypted in name alone", set(&plain, 4, &1_u32.to_be_bytes()), PassphraseWrong),
        ("unencrypted in name alone", rounds(0), NotSignify),
        ("another salt", set(&sealed, 8, &[0; 16]), PassphraseWrong),
        ("many rounds", rounds(MOST_ROUNDS + 1), TooLarge),
        ("all the time", rounds(u32::MAX), TooLarge),
        ("trailing line", plain.clone() + "x\n", NotSignify),
        ("a public key", public().write().unwrap(), NotSignify),
    ];
    for (name, input, expected) in &keys {
        let error = SecretKeyFile::read(input.as_bytes(), Some(b"pass")).unwrap_err();
        assert_eq!(error.refusal(), *expected, "{name}: {error}");
    }
    println!("{} secret keys", keys.len());
    // the public half is compared even where the checksum fits
    let base64 = data_encoding::BASE64;
    let mut bytes = base64.decode(plain.lines().nth(1).unwrap().as_bytes()).unwrap();
    bytes[72] ^= 1;
    let sum = <sha2::Sha512 as sha2::Digest>::digest(&bytes[40..]);
    bytes[24..32].copy_from_slice(&sum[..8]);
    let forged = with_line(&plain, &base64.encode(&bytes));
    let error = SecretKeyFile::read(forged.as_bytes(), None).unwrap_err();
    assert_eq!(error.refusal(), NotSignify);
    assert!(error.detail().contains("public half"), "{error}");

    // a message that is not there, and no word of a secret in a message
    let headless = plain.lines().nth(1).unwrap();
    let error = SecretKeyFile::read(headless.as_bytes(), None).unwrap_err().to_string();
    assert!(!error.contains(&headless[..16]), "{error}");

    for comment in ["a\nb", "a\rb", "a\0b", "\u{1b}[1A", "a\u{85}b", "a\u{2029}b"] {
        let error = signify::sign(&secret().key, ID, FILE, comment).unwrap_err();
        assert_eq!(error.refusal(), NotSignify);
    }
    let p256 = SecretKey::new(Algorithm::P256, &[7; 32]).unwrap();
    assert_eq!(signify::sign(&p256, ID, FILE, "").unwrap_err().refusal(), AlgMismatch);
    let key = PublicKey { key: p256.public_key(), ..public() };
    assert_eq!(verify(text.as_bytes(), &key, FILE).unwrap_err().refusal(), AlgMismatch);
    for rounds in [0, MOST_ROUNDS + 1] {
        let error = secret().write_encrypted(b"pass", rounds).unwrap_err();
        assert_eq!(error.refusal(), TooLarge);
    }
}

#[test]
fn no_part_and_no_changed_bit_is_valid() {
    let (text, key) = (signature().into_bytes(), public());
    let embedded = [&text, FILE].concat();
    let first_line = text.iter().position(|&byte| byte == b'\n').unwrap();
    for end in 0..text.len() {
        assert!(!verify(&text[..end], &key, FILE).unwrap_or(false), "{end} bytes");
    }
    for end in 0..embedded.len() {
        assert!(!verify_embedded(&embedded[..end], &key).unwrap_or(false), "{end} bytes");
    }
    let mut verified = 0;
    for at in first_line..embedded.len() {
        for bit in 0..8 {
            let mut changed = embedded.clone();
            changed[at] ^= 1 << bit;
            let verdict = verify_embedded(&changed, &key);
            verified += usize::from(verdict.is_ok());
            assert!(!verdict.unwrap_or(false), "bit {bit} of byte {at}");
        }
    }
    println!("{} bits changed, {verified} of them read", 8 * (embedded.len() - first_line));
    for text in [public().write().unwrap(), secret().write().unwrap().to_string()] {
        for end in 0..text.len() {
            assert!(PublicKey::read(&text.as_bytes()[..end]).is_err());
            assert!(SecretKeyFile::read(&text.as_bytes()[..end], Some(b"")).is_err());
        }
    }
}
