//! Any bytes as a key container: no panic, what is written reads back, and what the traits of the
//! `pkcs8` crate accept, our reader accepts with the same key. Of PEM exactly that is read which the strict reader of
//! `pem-rfc7468` reads once white space, other text and other blocks are gone, and a good key is read whatever stands
//! between its characters that means nothing.

#![no_main]

#[path = "../shared/seeds.rs"]
mod seeds;

use libfuzzer_sys::fuzz_target;
use sigmill::ed25519::pkcs8::spki::der::pem::{self, LineEnding};
use sigmill::ed25519::pkcs8::{
    DecodePrivateKey, DecodePublicKey, EncodePrivateKey, EncodePublicKey,
};
use sigmill::ed25519::{SigningKey, VerifyingKey};
use sigmill::x25519::{PublicKey, StaticSecret};
use sigmill::{Error, FileKind, KeyFormatError};

/// A key with all its forms, and the container in both versions, with OpenSSL's bytes among them.
fn seeds() -> Vec<Vec<u8>> {
    let key = SigningKey::from_bytes(&[7; 32]);
    let public = key.verifying_key();
    let version_2 = EncodePrivateKey::to_pkcs8_der(&key).expect("it can be written");
    // ring before 0.17 tagged the public key explicitly
    let mut explicit = version_2.as_bytes().to_vec();
    let bits = explicit.split_off(explicit.len() - 35);
    explicit.extend([0xa1, 0x23, 0x03]);
    explicit.extend(&bits[1..]);
    explicit[1] = u8::try_from(explicit.len() - 2).expect("a short container");
    assert_eq!(SigningKey::from_private_key_der(&explicit), Ok(key.clone()));
    let text = key.to_private_key_pem().expect("it can be written");
    let others = "\u{feff}\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    vec![
        format!("caf\u{e9}{others}{}", text.replace('\n', " \r\n\r")).into_bytes(),
        text.replace("PRIVATE", "EC PRIVATE").into_bytes(),
        text.replace('\n', "\r").into_bytes(),
        text.replacen("MC", "M\nC\t", 1).into_bytes(),
        StaticSecret::from([7; 32]).to_private_key_der().expect("it can be written").to_vec(),
        PublicKey::from([9; 32]).to_spki_pem().expect("it can be written").into_bytes(),
        key.to_private_key_der().expect("it can be written").to_vec(),
        version_2.as_bytes().to_vec(),
        explicit,
        key.to_private_key_pem().expect("it can be written").as_bytes().to_vec(),
        EncodePrivateKey::to_pkcs8_pem(&key, LineEnding::CRLF)
            .expect("it can be written")
            .as_bytes()
            .to_vec(),
        public.to_spki_der().expect("it can be written"),
        public.to_spki_pem().expect("it can be written").into_bytes(),
    ]
}

/// Everything that can be written of a secret key reads back as it.
fn writes_back(key: &SigningKey) {
    let der = key.to_private_key_der().expect("keys can be written");
    assert_eq!(SigningKey::from_private_key_der(&der).as_ref(), Ok(key));
    let pem = key.to_private_key_pem().expect("keys can be written");
    assert_eq!(SigningKey::from_private_key_pem(&pem).as_ref(), Ok(key));
    let version_2 = EncodePrivateKey::to_pkcs8_der(key).expect("keys can be written");
    for container in [&der[..], version_2.as_bytes()] {
        assert_eq!(SigningKey::from_private_key_der(container).as_ref(), Ok(key));
        assert_eq!(SigningKey::from_pkcs8_der(container).ok().as_ref(), Some(key));
    }
    let pem = EncodePrivateKey::to_pkcs8_pem(key, LineEnding::LF).expect("keys can be written");
    assert_eq!(SigningKey::from_private_key_pem(&pem).as_ref(), Ok(key));
    assert_eq!(SigningKey::from_pkcs8_pem(&pem).ok().as_ref(), Some(key));
}

/// Likewise of a public key.
fn writes_back_public(key: &VerifyingKey) {
    let der = key.to_spki_der().expect("keys can be written");
    assert_eq!(VerifyingKey::from_spki_der(&der), Ok(*key));
    assert_eq!(EncodePublicKey::to_public_key_der(key).expect("as the trait does").as_bytes(), der);
    assert_eq!(VerifyingKey::from_public_key_der(&der).ok(), Some(*key));
    let pem = key.to_spki_pem().expect("keys can be written");
    assert_eq!(VerifyingKey::from_spki_pem(&pem), Ok(*key));
    assert_eq!(VerifyingKey::from_public_key_pem(&pem).ok(), Some(*key));
}

/// The longest container that is read without an allocator.
const LONGEST: usize = 4096;
const BLANKS: [char; 4] = [' ', '\t', '\x0b', '\x0c'];

/// The container of the first block with one of these labels, by the strict reader.
fn strictly(labels: &[&str], bytes: &[u8]) -> Option<Vec<u8>> {
    // what is not text is no character of a line that counts
    let text: String = bytes.iter().map(|byte| char::from(*byte)).collect();
    let lines: Vec<&str> = text.split(['\r', '\n']).collect();
    let first = |line: &str| {
        let line = line.strip_prefix("\u{ef}\u{bb}\u{bf}").unwrap_or(line);
        let line = line.trim_matches([' ', '\t', '\x0c']);
        labels.iter().position(|label| line == format!("-----BEGIN {label}-----"))
    };
    let (at, label) =
        lines.iter().enumerate().find_map(|(at, line)| Some((at, labels[first(line)?])))?;
    // the line has to end
    let rest = lines.get(at + 1..)?;
    let end = rest.iter().position(|line| line.contains('-'))?;
    let last = rest[end].trim_start_matches(BLANKS).trim_end_matches([' ', '\t', '\x0c']);
    if last != format!("-----END {label}-----") {
        return None;
    }
    let base64: Vec<char> =
        rest[..end].concat().chars().filter(|character| !BLANKS.contains(character)).collect();
    let lines: Vec<String> = base64.chunks(64).map(|line| line.iter().collect()).collect();
    let text = format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", lines.join("\n"));
    let (_, der) = pem::decode_vec(text.as_bytes()).ok()?;
    (!base64.is_empty()).then_some(der)
}

/// Exactly what the strict reader makes of it.
fn reads<T: PartialEq + std::fmt::Debug>(
    labels: &[&str],
    bytes: &[u8],
    read: fn(&[u8]) -> Result<T, Error>,
    of_der: fn(&[u8]) -> Result<T, Error>,
) {
    let expected = match strictly(labels, bytes) {
        None => Err(Error::KeyFormat(KeyFormatError::Pem)),
        Some(der) if der.len() > LONGEST => return,
        Some(der) => of_der(&der),
    };
    match read(bytes) {
        // by the length of a text that need not be base64
        Err(Error::KeyFormat(KeyFormatError::TooLong { got, .. })) => assert!(got > LONGEST),
        got => assert_eq!(got, expected),
    }
}

/// A key between characters that mean nothing, which the bytes choose.
fn loosened(bytes: &[u8]) {
    let key = SigningKey::from_bytes(&[7; 32]);
    let text = key.to_private_key_pem().expect("it can be written");
    let mut choices = bytes.iter();
    let mut loose = match choices.next() {
        Some(0) => "\u{feff}".as_bytes().to_vec(),
        Some(1) => b"\xe9\0\xff\n".to_vec(),
        Some(2) => {
            b"-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\r"
                .to_vec()
        }
        _ => Vec::new(),
    };
    for line in text.lines() {
        let is_body = !line.starts_with('-');
        for character in line.bytes() {
            loose.push(character);
            match choices.next() {
                Some(0) if is_body => loose.push(b'\n'),
                Some(1) if is_body => loose.extend(b"\r\n"),
                Some(2) if is_body => loose.extend(b" \t\x0b\x0c"),
                _ => {}
            }
        }
        match choices.next() {
            Some(0) => loose.extend(b" \t\n"),
            Some(1) => loose.push(b'\r'),
            Some(2) => loose.extend(b"\r\n\r\n"),
            _ => loose.push(b'\n'),
        }
    }
    loose.extend(choices.as_slice());
    assert_eq!(SigningKey::read_private_key_pem(&loose).as_ref(), Ok(&key));
    if let Ok(text) = std::str::from_utf8(&loose) {
        assert_eq!(SigningKey::from_private_key_pem(text), Ok(key));
    }
}

fn as_pem(bytes: &[u8]) {
    const PRIVATE: &[&str] = &["PRIVATE KEY", "EC PRIVATE KEY"];
    const PUBLIC: &[&str] = &["PUBLIC KEY"];
    reads(PRIVATE, bytes, SigningKey::read_private_key_pem, SigningKey::from_private_key_der);
    reads(PRIVATE, bytes, StaticSecret::read_private_key_pem, StaticSecret::from_private_key_der);
    reads(PUBLIC, bytes, VerifyingKey::read_spki_pem, VerifyingKey::from_spki_der);
    reads(PUBLIC, bytes, PublicKey::read_spki_pem, PublicKey::from_spki_der);
    loosened(bytes);
}

fn binary(bytes: &[u8]) {
    if let Some(kind) = FileKind::of(bytes) {
        assert!(!kind.to_string().is_empty());
    }
    if let Ok(secret) = StaticSecret::from_private_key_der(bytes) {
        assert_eq!(FileKind::of(bytes), Some(FileKind::PrivateKey("X25519")));
        let der = secret.to_private_key_der().expect("keys can be written");
        assert_eq!(StaticSecret::from_private_key_der(&der), Ok(secret));
    }
    if let Ok(key) = PublicKey::from_spki_der(bytes) {
        assert_eq!(FileKind::of(bytes), Some(FileKind::PublicKey("X25519")));
        assert_eq!(key.to_spki_der().expect("keys can be written"), bytes);
    }
    let ours = SigningKey::from_private_key_der(bytes);
    if let Ok(key) = &ours {
        writes_back(key);
    }
    if let Ok(key) = SigningKey::from_pkcs8_der(bytes) {
        assert_eq!(ours, Ok(key));
    }
    let ours = VerifyingKey::from_spki_der(bytes);
    if let Ok(key) = &ours {
        assert_eq!(key.to_spki_der().expect("keys can be written"), bytes);
        assert_eq!(VerifyingKey::bytes_from_spki_der(bytes), Ok(key.to_bytes()));
        writes_back_public(key);
    }
    if let Ok(key) = VerifyingKey::from_public_key_der(bytes) {
        assert_eq!(ours, Ok(key));
    }
}

fn text(text: &str) {
    let ours = SigningKey::from_private_key_pem(text);
    if let Ok(key) = &ours {
        writes_back(key);
    }
    // the other reader skips a block that does not begin after a line feed
    let is_only_block = text.matches("-----BEGIN ").count() == 1;
    if let (Ok(key), true) = (SigningKey::from_pkcs8_pem(text), is_only_block) {
        assert_eq!(ours, Ok(key));
    }
    let ours = VerifyingKey::from_spki_pem(text);
    if let Ok(key) = &ours {
        assert_eq!(VerifyingKey::bytes_from_spki_pem(text), Ok(key.to_bytes()));
        writes_back_public(key);
    }
    if let (Ok(key), true) = (VerifyingKey::from_public_key_pem(text), is_only_block) {
        assert_eq!(ours, Ok(key));
    }
}

fuzz_target!(init: seeds::write_if_asked(seeds), |bytes: &[u8]| {
    binary(bytes);
    as_pem(bytes);
    if let Ok(as_text) = std::str::from_utf8(bytes) {
        text(as_text);
    }
});
