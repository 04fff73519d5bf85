//! Attacks on signatures.

use super::blob;
use crate::{TYPES, armor, dearmor, field, fields, secret};
use Refusal::{AlgMismatch, AlgUnknown, NoSignature, NotSsh, TooLarge, Unsupported};
use sigmill::bulk::Algorithm;
use sigmill::ed25519::rules::STRICT;
use sigmill_envelope::{Refusal, ssh};
use ssh::{Hash, Signature};

/// Fields of a signature, which a case changes.
struct Parts {
    magic: Vec<u8>,
    version: u32,
    key: Vec<u8>,
    namespace: Vec<u8>,
    reserved: Vec<u8>,
    hash: Vec<u8>,
    name: Vec<u8>,
    signature: Vec<u8>,
    after_signature: Vec<u8>,
    after: Vec<u8>,
}

impl Parts {
    fn with(algorithm: Algorithm, change: impl FnOnce(&mut Self)) -> Vec<u8> {
        let digest = Hash::Sha512.digest(b"message");
        let armored = ssh::sign(&secret(algorithm), "file", Hash::Sha512, &digest).unwrap();
        let bytes = dearmor(armored.as_bytes());
        let (_, name, ..) = TYPES.into_iter().find(|(a, ..)| *a == algorithm).unwrap();
        // The signature is the last field, and lies in a field with its name.
        let inner = bytes.windows(name.len()).rposition(|w| w == name.as_bytes()).unwrap();
        let mut all = Parts {
            magic: b"SSHSIG".to_vec(),
            version: 1,
            key: blob(algorithm),
            namespace: b"file".to_vec(),
            reserved: vec![],
            hash: b"sha512".to_vec(),
            name: name.as_bytes().to_vec(),
            signature: bytes[inner + name.len() + 4..].to_vec(),
            after_signature: vec![],
            after: vec![],
        };
        change(&mut all);
        let signature = [fields(&[&all.name, &all.signature]), all.after_signature].concat();
        let bytes = [
            &all.magic[..],
            &all.version.to_be_bytes(),
            &fields(&[&all.key, &all.namespace, &all.reserved, &all.hash, &signature]),
            &all.after,
        ];
        armor("SSH SIGNATURE", &bytes.concat())
    }
}

/// True if the signature verifies as the verifier wants it.
fn is_valid(armored: &[u8], algorithm: Algorithm, digest: &[u8]) -> bool {
    let key = secret(algorithm).public_key();
    Signature::read(armored).is_ok_and(|signature| {
        signature.expect_key(&key).is_ok()
            && signature.signed("file", digest).is_ok_and(|signed| {
                signed.verify(&key, &STRICT).is_ok_and(|verdict| verdict.is_valid())
            })
    })
}

#[test]
fn signatures() {
    let (ed, p256, p384) = (Algorithm::Ed25519, Algorithm::P256, Algorithm::P384);
    let good = Parts::with(ed, |_| {});
    let digest = Hash::Sha512.digest(b"message");
    for (algorithm, ..) in TYPES {
        let armored = Parts::with(algorithm, |_| {});
        assert!(is_valid(&armored, algorithm, &digest));
        assert!(is_valid(&[&armored[..], b"\r\n \n"].concat(), algorithm, &digest));
    }
    let text = |from: &str, to: &str| {
        String::from_utf8(good.clone()).unwrap().replacen(from, to, 1).into_bytes()
    };
    let numbers = |r: &[u8], s: &[u8]| Parts::with(p256, |p| p.signature = fields(&[r, s]));
    let table: Vec<(&str, Vec<u8>, Refusal)> = vec![
        ("nothing", vec![], NotSsh),
        ("text in front", [b"\n", &good[..]].concat(), NotSsh),
        ("text after", [&good[..], b"\nx\n"].concat(), NotSsh),
        ("twice", [&good[..], &good].concat(), NotSsh),
        ("other label", text("BEGIN SSH", "BEGIN PGP"), NotSsh),
        ("other label at the end", text("END SSH", "END PGP"), NotSsh),
        ("blank line", text("-----\n", "-----\n\n"), NotSsh),
        ("blank in base64", text("U1N", "U1 N"), NotSsh),
        ("large", [&good[..], &vec![b'\n'; 1 << 16]].concat(), TooLarge),
        ("magic", Parts::with(ed, |p| p.magic = b"SSHSIH".to_vec()), NotSsh),
        ("version 0", Parts::with(ed, |p| p.version = 0), Unsupported),
        ("version 2", Parts::with(ed, |p| p.version = 2), Unsupported),
        ("trailing byte", Parts::with(ed, |p| p.after = vec![0]), NotSsh),
        (
            "trailing byte in the signature",
            Parts::with(ed, |p| p.after_signature = vec![0]),
            NotSsh,
        ),
        (
            "flags of a security key",
            Parts::with(ed, |p| p.after_signature = vec![1, 0, 0, 0, 9]),
            NotSsh,
        ),
        ("reserved", Parts::with(ed, |p| p.reserved = vec![0]), Unsupported),
        ("empty namespace", Parts::with(ed, |p| p.namespace = vec![]), NotSsh),
        ("NUL in the namespace", Parts::with(ed, |p| p.namespace = b"file\0".to_vec()), NotSsh),
        ("namespace not UTF-8", Parts::with(ed, |p| p.namespace = vec![255]), NotSsh),
        ("long namespace", Parts::with(ed, |p| p.namespace = vec![b'f'; 4097]), TooLarge),
        ("SHA-1", Parts::with(ed, |p| p.hash = b"sha1".to_vec()), AlgUnknown),
        ("SHA-384", Parts::with(ed, |p| p.hash = b"sha384".to_vec()), AlgUnknown),
        ("no hash", Parts::with(ed, |p| p.hash = vec![]), AlgUnknown),
        ("hash in capitals", Parts::with(ed, |p| p.hash = b"SHA512".to_vec()), AlgUnknown),
        ("RSA", Parts::with(ed, |p| p.key = fields(&[b"ssh-rsa", &[3], &[5; 256]])), AlgUnknown),
        (
            "security key",
            Parts::with(ed, |p| {
                p.key = fields(&[b"sk-ssh-ed25519@openssh.com", &[5; 32], b"ssh:"])
            }),
            Unsupported,
        ),
        (
            "certificate",
            Parts::with(ed, |p| p.key = field(b"ssh-ed25519-cert-v01@openssh.com")),
            Unsupported,
        ),
        ("key of P-256", Parts::with(ed, |p| p.key = blob(p256)), AlgMismatch),
        ("key of Ed25519", Parts::with(p256, |p| p.key = blob(ed)), AlgMismatch),
        ("key of P-384", Parts::with(p256, |p| p.key = blob(p384)), AlgMismatch),
        ("trailing byte in the key", Parts::with(ed, |p| p.key.push(0)), NotSsh),
        ("algorithm none", Parts::with(ed, |p| p.name = b"none".to_vec()), AlgMismatch),
        ("algorithm of RSA", Parts::with(ed, |p| p.name = b"rsa-sha2-512".to_vec()), AlgMismatch),
        (
            "algorithm of P-256",
            Parts::with(ed, |p| p.name = b"ecdsa-sha2-nistp256".to_vec()),
            AlgMismatch,
        ),
        (
            "algorithm of P-384",
            Parts::with(p256, |p| p.name = b"ecdsa-sha2-nistp384".to_vec()),
            AlgMismatch,
        ),
        (
            "algorithm of a security key",
            Parts::with(ed, |p| p.name = b"sk-ssh-ed25519@openssh.com".to_vec()),
            AlgMismatch,
        ),
        (
            "no signature",
            armor(
                "SSH SIGNATURE",
                &[&b"SSHSIG\0\0\0\x01"[..], &fields(&[&blob(ed), b"file", b"", b"sha512", b""])]
                    .concat(),
            ),
            NoSignature,
        ),
        ("63 bytes", Parts::with(ed, |p| p.signature.truncate(63)), AlgMismatch),
        ("67 bytes", Parts::with(ed, |p| p.signature.extend([0; 3])), AlgMismatch),
        ("0 bytes", Parts::with(ed, |p| p.signature.clear()), AlgMismatch),
        ("r is -1234, RFC 4251 section 5", numbers(&[0xed, 0xcc], &[1]), NotSsh),
        ("s is negative", numbers(&[1], &[128; 32]), NotSsh),
        ("zero before r", numbers(&[0, 1], &[1]), NotSsh),
        ("zero before s", numbers(&[1], &[0, 127]), NotSsh),
        ("two zeros before s", numbers(&[1], &[0, 0, 128]), NotSsh),
        ("r is a zero byte", numbers(&[0], &[1]), NotSsh),
        ("r has 33 bytes", numbers(&[1; 33], &[1]), NotSsh),
        ("s has 40,000 bytes", numbers(&[1], &vec![1; 40_000]), NotSsh),
        ("three numbers", Parts::with(p256, |p| p.signature.extend(field(&[1]))), NotSsh),
        ("r alone", Parts::with(p256, |p| p.signature = field(&[1])), NotSsh),
        ("r and s of fixed width", Parts::with(p256, |p| p.signature = vec![1; 64]), NotSsh),
        (
            "r and s in DER",
            Parts::with(p256, |p| p.signature = vec![0x30, 6, 2, 1, 1, 2, 1, 1]),
            NotSsh,
        ),
        ("length of 4 GiB", Parts::with(p256, |p| p.signature = vec![255; 8]), NotSsh),
    ];
    for (name, armored, refusal) in &table {
        let error = Signature::read(armored).expect_err(name);
        assert_eq!(error.refusal(), *refusal, "{name}: {error}");
    }
    // These are read, and the library decides.
    let mut order = [255; 33];
    order[0] = 0;
    for (r, s) in [(&[][..], &[1][..]), (&[1], &[]), (&[], &[]), (&order, &[1]), (&[1], &order)] {
        assert!(
            !is_valid(&numbers(r, s), p256, &digest) && Signature::read(&numbers(r, s)).is_ok()
        );
    }
    println!("{} signatures refused", table.len());
}

#[test]
fn no_changed_bit_verifies() {
    let digest = Hash::Sha512.digest(b"message");
    let mut count = 0;
    for (algorithm, name, ..) in TYPES {
        let armored = Parts::with(algorithm, |_| {});
        let bytes = dearmor(&armored);
        for len in 0..bytes.len() {
            assert!(
                Signature::read(&armor("SSH SIGNATURE", &bytes[..len])).is_err(),
                "{name} {len}"
            );
        }
        for len in 0..armored.len() - 1 {
            assert!(Signature::read(&armored[..len]).is_err(), "{name} {len}");
        }
        // All bits of Ed25519; verification of ECDSA is slow without optimisation.
        let step = if algorithm == Algorithm::Ed25519 { 1 } else { 5 };
        for at in (0..bytes.len() * 8).step_by(step) {
            let mut changed = bytes.clone();
            changed[at / 8] ^= 1 << (at % 8);
            assert!(
                !is_valid(&armor("SSH SIGNATURE", &changed), algorithm, &digest),
                "{name}: bit {at}"
            );
            count += 1;
        }
        for at in (0..armored.len() * 8).step_by(step) {
            let mut changed = armored.clone();
            changed[at / 8] ^= 1 << (at % 8);
            assert!(!is_valid(&changed, algorithm, &digest), "{name}: bit {at} of the text");
            count += 1;
        }
        for at in (0..digest.len() * 8).step_by(7) {
            let mut changed = digest.clone();
            changed[at / 8] ^= 1 << (at % 8);
            assert!(!is_valid(&armored, algorithm, &changed), "{name}: bit {at} of the digest");
            count += 1;
        }
    }
    println!("{count} changed bits, none valid");
}
