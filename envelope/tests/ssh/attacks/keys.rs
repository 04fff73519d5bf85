//! Attacks on public and private keys.

use super::blob;
use crate::{TYPES, armor, dearmor, field, fields, secret};
use Refusal::{
    AlgMismatch, AlgUnknown, NotSsh, PassphraseMissing, PassphraseWrong, TooLarge, Unsupported,
};
use sigmill::bulk::Algorithm;
use sigmill_envelope::{Refusal, ssh};

fn line(name: &str, blob: &[u8]) -> Vec<u8> {
    format!("{name} {} comment\n", data_encoding::BASE64.encode(blob)).into_bytes()
}

#[test]
fn public_keys() {
    let (ed, p256) = (blob(Algorithm::Ed25519), blob(Algorithm::P256));
    let ecdsa =
        |name: &str, curve: &str, point: &[u8]| fields(&[name.as_bytes(), curve.as_bytes(), point]);
    let p256_name = "ecdsa-sha2-nistp256";
    let good = line("ssh-ed25519", &ed);
    let with = |from: &str, to: &str| {
        String::from_utf8(good.clone()).unwrap().replace(from, to).into_bytes()
    };
    let table: Vec<(&str, Vec<u8>, Refusal)> = vec![
        ("nothing", vec![], AlgUnknown),
        ("RSA", line("ssh-rsa", &fields(&[b"ssh-rsa", &[3], &[5; 256]])), AlgUnknown),
        ("DSA", line("ssh-dss", &ed), AlgUnknown),
        ("Ed448", line("ssh-ed448", &fields(&[b"ssh-ed448", &[5; 57]])), AlgUnknown),
        ("P-521", line("ecdsa-sha2-nistp521", &p256), AlgUnknown),
        ("none", line("none", &ed), AlgUnknown),
        ("security key", line("sk-ssh-ed25519@openssh.com", &ed), Unsupported),
        ("security key of ECDSA", line("sk-ecdsa-sha2-nistp256@openssh.com", &p256), Unsupported),
        ("certificate", line("ssh-ed25519-cert-v01@openssh.com", &ed), Unsupported),
        ("RSA inside", line("ssh-ed25519", &fields(&[b"ssh-rsa", &[3], &[5; 256]])), AlgUnknown),
        (
            "security key inside",
            line("ssh-ed25519", &fields(&[b"sk-ssh-ed25519@openssh.com", &[5; 32], b"ssh:"])),
            Unsupported,
        ),
        ("P-256 in front of Ed25519", line(p256_name, &ed), AlgMismatch),
        ("Ed25519 in front of P-256", line("ssh-ed25519", &p256), AlgMismatch),
        ("P-384 in front of P-256", line("ecdsa-sha2-nistp384", &p256), AlgMismatch),
        ("curve of P-384", line(p256_name, &ecdsa(p256_name, "nistp384", &[4; 65])), AlgMismatch),
        ("point of P-384", line(p256_name, &ecdsa(p256_name, "nistp256", &[4; 97])), AlgMismatch),
        ("compressed point", line(p256_name, &ecdsa(p256_name, "nistp256", &[2; 33])), NotSsh),
        ("point at infinity", line(p256_name, &ecdsa(p256_name, "nistp256", &[0])), NotSsh),
        ("no point", line(p256_name, &ecdsa(p256_name, "nistp256", &[])), NotSsh),
        ("31 bytes", line("ssh-ed25519", &fields(&[b"ssh-ed25519", &[5; 31]])), AlgMismatch),
        ("33 bytes", line("ssh-ed25519", &fields(&[b"ssh-ed25519", &[5; 33]])), AlgMismatch),
        ("trailing byte", line("ssh-ed25519", &[&ed[..], &[0]].concat()), NotSsh),
        ("trailing field", line("ssh-ed25519", &[&ed[..], &field(b"x")].concat()), NotSsh),
        (
            "length of 4 GiB",
            line("ssh-ed25519", &[&field(b"ssh-ed25519")[..], &[255; 4], &[5; 32]].concat()),
            NotSsh,
        ),
        ("empty blob", b"ssh-ed25519 ".to_vec(), NotSsh),
        ("type alone", b"ssh-ed25519".to_vec(), NotSsh),
        ("two lines", [&good[..], &good].concat(), NotSsh),
        ("empty line after it", [&good[..], b"\n"].concat(), NotSsh),
        ("blank in front", with("ssh-ed25519 ", " ssh-ed25519 "), AlgUnknown),
        ("options", with("ssh-ed25519 ", "no-pty ssh-ed25519 "), AlgUnknown),
        ("type in capitals", with("ssh-ed25519 ", "SSH-ED25519 "), AlgUnknown),
        ("padding too much", with(" comment", "= comment"), NotSsh),
        (
            "base64 of URLs",
            line("ssh-ed25519", &fields(&[b"ssh-ed25519", &[255; 32]]))
                .iter()
                .map(|b| if *b == b'/' { b'_' } else { *b })
                .collect(),
            NotSsh,
        ),
        ("control in the comment", with("comment", "a\u{1b}[2J"), NotSsh),
        ("NUL in the comment", with("comment", "a\0b"), NotSsh),
        ("comment not UTF-8", [&line("ssh-ed25519", &ed)[..85], &[255, 10]].concat(), NotSsh),
        ("long comment", with("comment", &"c".repeat(4097)), TooLarge),
        ("long line", with("comment", &"c".repeat(1 << 20)), TooLarge),
        (
            "private key",
            ssh::write_private(&secret(Algorithm::P256), "", None).unwrap().as_bytes().to_vec(),
            AlgUnknown,
        ),
    ];
    for (name, text, refusal) in &table {
        let error = ssh::read_public(text).expect_err(name);
        assert_eq!(error.refusal(), *refusal, "{name}: {error}");
    }
    for (algorithm, name, ..) in TYPES {
        let text = line(name, &blob(algorithm));
        let end = text.len() - " comment\n".len();
        (0..end).for_each(|len| assert!(ssh::read_public(&text[..len]).is_err(), "{name} {len}"));
    }
    println!("{} public keys refused", table.len());
}

/// Fields of a private key without encryption, which a case changes.
#[derive(Clone)]
struct Private {
    magic: Vec<u8>,
    cipher: Vec<u8>,
    kdf: Vec<u8>,
    options: Vec<u8>,
    count: u32,
    public: Vec<u8>,
    checks: [u32; 2],
    key: Vec<u8>,
    comment: Vec<u8>,
    padding: Option<Vec<u8>>,
    after: Vec<u8>,
}

impl Private {
    fn good(algorithm: Algorithm) -> Self {
        let (seed, public) = (secret(algorithm).to_bytes(), blob(algorithm));
        let private = match algorithm {
            Algorithm::Ed25519 => [&seed[..], secret(algorithm).public_key().bytes()].concat(),
            _ if seed[0] >= 128 => [&[0], &seed[..]].concat(),
            _ => seed.to_vec(),
        };
        Private {
            magic: b"openssh-key-v1\0".to_vec(),
            cipher: b"none".to_vec(),
            kdf: b"none".to_vec(),
            options: vec![],
            count: 1,
            key: [&public[..], &field(&private)].concat(),
            public,
            checks: [7, 7],
            comment: b"c".to_vec(),
            padding: None,
            after: vec![],
        }
    }

    fn with(algorithm: Algorithm, change: impl FnOnce(&mut Self)) -> Vec<u8> {
        let mut all = Private::good(algorithm);
        change(&mut all);
        let mut section = all.checks.map(u32::to_be_bytes).concat();
        section.extend([&all.key[..], &field(&all.comment)].concat());
        let short = section.len().next_multiple_of(8) - section.len();
        section.extend(all.padding.unwrap_or((1..).take(short).collect()));
        let bytes = [
            &all.magic[..],
            &fields(&[&all.cipher, &all.kdf, &all.options]),
            &all.count.to_be_bytes(),
            &fields(&[&all.public, &section]),
            &all.after,
        ];
        armor("OPENSSH PRIVATE KEY", &bytes.concat())
    }
}

#[test]
fn private_keys() {
    let (ed, p256) = (Algorithm::Ed25519, Algorithm::P256);
    let bcrypt = |salt: &[u8], rounds: u32| [&field(salt)[..], &rounds.to_be_bytes()].concat();
    let encrypted = |options: Vec<u8>| {
        Private::with(ed, |p| {
            (p.cipher, p.kdf, p.options) = (b"aes256-ctr".to_vec(), b"bcrypt".to_vec(), options);
            // Blocks are of 16 bytes.
            p.comment = b"0123456789abc".to_vec();
        })
    };
    let scalar = |bytes: &[u8]| {
        let key = [&blob(p256)[..], &field(bytes)].concat();
        Private::with(p256, |p| p.key = key)
    };
    let pair = |bytes: &[u8]| {
        let key = [&blob(ed)[..], &field(bytes)].concat();
        Private::with(ed, |p| p.key = key)
    };
    let public = secret(ed).public_key().bytes().to_vec();
    let p256_bytes = secret(p256).to_bytes().to_vec();
    let good = Private::with(ed, |_| {});
    let text = |from: &str, to: &str| {
        String::from_utf8(good.clone()).unwrap().replacen(from, to, 1).into_bytes()
    };
    for (algorithm, ..) in TYPES {
        let (read, comment) = ssh::read_private(&Private::with(algorithm, |_| {}), None).unwrap();
        assert_eq!((read.to_bytes(), &*comment), (secret(algorithm).to_bytes(), "c"));
    }
    let table: Vec<(&str, Vec<u8>, Refusal)> = vec![
        ("nothing", vec![], NotSsh),
        ("magic", Private::with(ed, |p| p.magic[13] = b'2'), NotSsh),
        ("other label", text("BEGIN OPENSSH", "BEGIN ENCRYPTED"), NotSsh),
        ("text in front", text("-----BEGIN", "Key:\n-----BEGIN"), NotSsh),
        ("text after", [&good[..], b"x"].concat(), NotSsh),
        ("twice", [&good[..], &good].concat(), NotSsh),
        ("header of PEM", text("KEY-----\n", "KEY-----\nProc-Type: 4\n\n"), NotSsh),
        ("large", [&good[..], &vec![b'\n'; 1 << 16]].concat(), TooLarge),
        ("trailing data", Private::with(ed, |p| p.after = vec![0]), NotSsh),
        ("no key", Private::with(ed, |p| p.count = 0), Unsupported),
        ("two keys", Private::with(ed, |p| p.count = 2), Unsupported),
        ("4 billion keys", Private::with(ed, |p| p.count = u32::MAX), Unsupported),
        ("unknown cipher", Private::with(ed, |p| p.cipher = b"rot13".to_vec()), Unsupported),
        ("AES-CBC", Private::with(ed, |p| p.cipher = b"aes256-cbc".to_vec()), Unsupported),
        (
            "AES-GCM",
            Private::with(ed, |p| p.cipher = b"aes256-gcm@openssh.com".to_vec()),
            Unsupported,
        ),
        (
            "ChaCha20",
            Private::with(ed, |p| p.cipher = b"chacha20-poly1305@openssh.com".to_vec()),
            Unsupported,
        ),
        ("kdf without cipher", Private::with(ed, |p| p.kdf = b"bcrypt".to_vec()), NotSsh),
        ("options without kdf", Private::with(ed, |p| p.options = vec![0]), NotSsh),
        (
            "cipher without kdf",
            Private::with(ed, |p| {
                (p.cipher, p.comment) = (b"aes256-ctr".to_vec(), b"0123456789abc".to_vec())
            }),
            NotSsh,
        ),
        ("no salt", encrypted(bcrypt(b"", 1)), NotSsh),
        ("no rounds", encrypted(bcrypt(b"salt", 0)), NotSsh),
        ("1025 rounds", encrypted(bcrypt(b"salt", 1025)), TooLarge),
        ("4 billion rounds", encrypted(bcrypt(b"salt", u32::MAX)), TooLarge),
        ("options cut short", encrypted(field(b"salt")), NotSsh),
        ("more options", encrypted([bcrypt(b"salt", 1), vec![0]].concat()), NotSsh),
        ("encrypted", encrypted(bcrypt(b"salt", 1)), PassphraseWrong),
        (
            "RSA",
            Private::with(ed, |p| p.public = fields(&[b"ssh-rsa", &[3], &[5; 256]])),
            AlgUnknown,
        ),
        (
            "security key",
            Private::with(ed, |p| {
                p.public = fields(&[b"sk-ssh-ed25519@openssh.com", &[5; 32], b"ssh:"])
            }),
            Unsupported,
        ),
        (
            "RSA inside",
            Private::with(ed, |p| p.key = fields(&[b"ssh-rsa", &[3], &[5; 256]])),
            AlgUnknown,
        ),
        ("another public key", Private::with(ed, |p| p.public[20] ^= 1), NotSsh),
        ("public key of another type", Private::with(ed, |p| p.public = blob(p256)), NotSsh),
        (
            "public keys of another private one",
            Private::with(ed, |p| {
                // In all three places: in front, inside, and beside the seed.
                let offset = p.key.len() - 32;
                (p.public[20], p.key[20], p.key[offset + 1]) = (1, 1, 1);
            }),
            NotSsh,
        ),
        ("public key of another scalar", scalar(&[1; 32]), NotSsh),
        (
            "copy of the public key differs",
            pair(&[&secret(ed).to_bytes()[..], &[1; 32]].concat()),
            NotSsh,
        ),
        ("seed alone", pair(&secret(ed).to_bytes()), NotSsh),
        ("65 bytes", pair(&[&secret(ed).to_bytes()[..], &public, &[0]].concat()), NotSsh),
        ("negative scalar", scalar(&p256_bytes), NotSsh),
        ("scalar with zeros", scalar(&[&[0, 0], &p256_bytes[..]].concat()), NotSsh),
        ("long scalar", scalar(&[&[1], &p256_bytes[..]].concat()), NotSsh),
        ("scalar 0", scalar(&[]), AlgMismatch),
        ("scalar out of range", scalar(&[&[0][..], &[255; 32]].concat()), AlgMismatch),
        ("check numbers", Private::with(ed, |p| p.checks = [7, 8]), NotSsh),
        ("control in the comment", Private::with(ed, |p| p.comment = b"a\nb".to_vec()), NotSsh),
        ("comment not UTF-8", Private::with(ed, |p| p.comment = vec![255]), NotSsh),
        ("long comment", Private::with(ed, |p| p.comment = vec![b'c'; 4097]), TooLarge),
        (
            "zeros for padding",
            Private::with(ed, |p| (p.comment, p.padding) = (b"01".to_vec(), Some(vec![0; 3]))),
            NotSsh,
        ),
        (
            "a whole block of padding",
            Private::with(ed, |p| {
                (p.comment, p.padding) = (b"01234".to_vec(), Some((1..=8).collect()))
            }),
            NotSsh,
        ),
        ("part of a block", Private::with(ed, |p| p.padding = Some(vec![1])), NotSsh),
    ];
    for (name, pem, refusal) in &table {
        let error = ssh::read_private(pem, Some(b"passphrase")).err();
        let error = error.unwrap_or_else(|| panic!("{name}: read"));
        assert_eq!(error.refusal(), *refusal, "{name}: {error}");
    }
    let missing = ssh::read_private(&encrypted(bcrypt(b"salt", 1)), None).unwrap_err();
    assert_eq!(missing.refusal(), PassphraseMissing);

    let bytes = dearmor(&good);
    for len in 0..bytes.len() {
        assert!(ssh::read_private(&armor("OPENSSH PRIVATE KEY", &bytes[..len]), None).is_err());
    }
    for len in 0..good.len() - 1 {
        assert!(ssh::read_private(&good[..len], None).is_err());
    }
    // A changed bit is refused, or changes the comment alone.
    for at in 0..bytes.len() * 8 {
        let mut changed = bytes.clone();
        changed[at / 8] ^= 1 << (at % 8);
        if let Ok((read, comment)) =
            ssh::read_private(&armor("OPENSSH PRIVATE KEY", &changed), None)
        {
            assert!(read.to_bytes() == secret(ed).to_bytes() && comment != "c", "bit {at}");
        }
    }
    println!("{} private keys refused, {} bits changed", table.len(), bytes.len() * 8);
}
