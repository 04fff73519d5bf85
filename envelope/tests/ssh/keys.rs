//! Public and private keys.

use crate::tool::Tool;
use crate::{TYPES, secret};
use sigmill::bulk::Algorithm;
use sigmill_envelope::{Key, Refusal, ssh};

#[test]
fn written_keys_are_read() {
    for (algorithm, name, ..) in TYPES {
        let key = secret(algorithm);
        for comment in ["", "me@example.com", "two words"] {
            let line = ssh::write_public(&key.public_key(), comment).unwrap();
            assert!(ssh::is_public_key(line.as_bytes()) && line.starts_with(name));
            let read = ssh::read_public(line.as_bytes()).unwrap();
            assert_eq!(read, (key.public_key(), comment.to_owned()));
            let with_crlf = line.replace('\n', "\r\n");
            assert_eq!(ssh::read_public(with_crlf.as_bytes()).unwrap(), read);

            let pem = ssh::write_private(&key, comment, None).unwrap();
            assert!(ssh::is_private_key(pem.as_bytes()));
            let (read, found) = ssh::read_private(pem.as_bytes(), None).unwrap();
            assert_eq!((read.to_bytes(), &*found), (key.to_bytes(), comment));
        }
        let pem = ssh::write_private(&key, "sealed", Some(b"open sesame")).unwrap();
        let (read, _) = ssh::read_private(pem.as_bytes(), Some(b"open sesame")).unwrap();
        assert_eq!(read.to_bytes(), key.to_bytes());
        let other = ssh::write_private(&key, "sealed", Some(b"open sesame")).unwrap();
        assert_ne!(pem, other, "the salt is random");
        let refusal =
            |passphrase| ssh::read_private(pem.as_bytes(), passphrase).unwrap_err().refusal();
        assert_eq!(refusal(Some(b"open sesam")), Refusal::PassphraseWrong);
        assert_eq!(refusal(Some(b"")), Refusal::PassphraseMissing);
        assert_eq!(refusal(None), Refusal::PassphraseMissing);
    }
    let empty = ssh::write_private(&secret(Algorithm::P256), "", Some(b"")).unwrap_err();
    assert_eq!(empty.refusal(), Refusal::PassphraseMissing);
}

#[test]
fn forms_are_told_by_their_headers() {
    let key = secret(Algorithm::P384);
    let hash = ssh::Hash::Sha256;
    let public = ssh::write_public(&key.public_key(), "").unwrap();
    let private = ssh::write_private(&key, "", None).unwrap();
    let signature = ssh::sign(&key, "file", hash, &hash.digest(b"")).unwrap();
    let told = |bytes: &[u8]| {
        (ssh::is_public_key(bytes), ssh::is_private_key(bytes), ssh::is_signature(bytes))
    };
    assert_eq!(told(public.as_bytes()), (true, false, false));
    assert_eq!(told(private.as_bytes()), (false, true, false));
    assert_eq!(told(signature.as_bytes()), (false, false, true));
    // Types that are refused are told all the same: the refusal names them.
    assert_eq!(told(b"ssh-rsa AAAAB3NzaC1yc2E="), (true, false, false));
    for other in ["", "ssh-ed25519", "ssh-ed25519 x", "me AAAA", "-----BEGIN PRIVATE KEY-----\n"] {
        assert_eq!(told(other.as_bytes()), (false, false, false), "{other}");
    }
}

/// RFC 8032 section 7.1, test 1: the blob of a key is its type and its bytes.
#[test]
fn blob_of_rfc_8032() {
    let line = ssh::write_public(&secret(Algorithm::Ed25519).public_key(), "").unwrap();
    let blob = line.trim_end().split_once(' ').unwrap().1;
    let hex =
        data_encoding::HEXLOWER.encode(&data_encoding::BASE64.decode(blob.as_bytes()).unwrap());
    assert_eq!(
        hex,
        concat!(
            "0000000b7373682d65643235353139",
            "00000020d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
        )
    );
}

#[test]
fn compressed_keys_are_written_uncompressed() {
    for (algorithm, ..) in TYPES.into_iter().skip(1) {
        let key = secret(algorithm).public_key();
        let (x, y) = key.coordinates().unwrap();
        let short = [&[2 + (y.last().unwrap() & 1)], &*x].concat();
        let short = Key::new(algorithm, &short).unwrap();
        assert_eq!(ssh::fingerprint(&short), ssh::fingerprint(&key));
        assert_eq!(ssh::write_public(&short, "c"), ssh::write_public(&key, "c"));
        let no_point = (0..=255).find_map(|b| {
            let bytes = [vec![2], vec![b; x.len()]].concat();
            Key::new(algorithm, &bytes).ok().filter(|key| key.coordinates().is_none())
        });
        let error = ssh::write_public(&no_point.unwrap(), "").unwrap_err();
        assert_eq!(error.refusal(), Refusal::NotSsh);
    }
}

#[test]
fn keys_of_ssh_keygen_are_read() {
    let Some(tool) = Tool::find("keys of ssh-keygen") else { return };
    let mut count = 0;
    for (algorithm, name, kind, bits) in TYPES {
        for (passphrase, cipher) in [
            ("", ""),
            ("secret words", "aes256-ctr"),
            ("secret words", "aes192-ctr"),
            ("secret words", "aes128-ctr"),
        ] {
            let file = format!("{name}-{cipher}");
            let mut args = vec!["-q", "-t", kind, "-b", bits, "-C", "me@host", "-f", &file];
            args.extend(["-N", passphrase, "-a", "2"]);
            if !cipher.is_empty() {
                args.extend(["-Z", cipher]);
            }
            tool.succeed(&args, b"");
            let given = Some(passphrase.as_bytes()).filter(|p| !p.is_empty());
            let (private, comment) = ssh::read_private(&tool.read(&file), given).unwrap();
            assert_eq!((private.algorithm(), &*comment), (algorithm, "me@host"));
            let line = tool.read(&format!("{file}.pub"));
            let (public, comment) = ssh::read_public(&line).unwrap();
            assert_eq!((&public, &*comment), (&private.public_key(), "me@host"));
            assert_eq!(ssh::write_public(&public, "me@host").unwrap().as_bytes(), line);
            let shown = tool.succeed(&["-l", "-f", &format!("{file}.pub")], b"");
            assert_eq!(shown.split(' ').nth(1).unwrap(), ssh::fingerprint(&public).unwrap());
            count += 1;
        }
    }
    println!("{count} keys of ssh-keygen read");

    for (kind, cipher) in [("ed25519", "aes256-gcm@openssh.com"), ("ed25519", "aes256-cbc")] {
        let file = format!("{kind}-{cipher}");
        tool.succeed(
            &["-q", "-t", kind, "-f", &file, "-N", "secret words", "-a", "1", "-Z", cipher],
            b"",
        );
        let error = ssh::read_private(&tool.read(&file), Some(b"secret words")).unwrap_err();
        assert_eq!(error.refusal(), Refusal::Unsupported);
        assert!(error.detail().contains(cipher), "{error}");
    }
    tool.succeed(&["-q", "-t", "rsa", "-b", "2048", "-f", "rsa", "-N", ""], b"");
    tool.succeed(&["-q", "-t", "ecdsa", "-b", "521", "-f", "p521", "-N", ""], b"");
    tool.succeed(&["-q", "-s", "ssh-ed25519-", "-I", "id", "rsa.pub"], b"");
    for (file, name) in [("rsa", "ssh-rsa"), ("p521", "ecdsa-sha2-nistp521")] {
        let private = ssh::read_private(&tool.read(file), None).unwrap_err();
        let public = ssh::read_public(&tool.read(&format!("{file}.pub"))).unwrap_err();
        for error in [private, public] {
            assert_eq!(error.refusal(), Refusal::AlgUnknown);
            assert!(error.detail().contains(name), "{error}");
        }
    }
    let certificate = ssh::read_public(&tool.read("rsa-cert.pub")).unwrap_err();
    assert_eq!(certificate.refusal(), Refusal::Unsupported);
}

#[test]
fn ssh_keygen_reads_our_keys() {
    let Some(tool) = Tool::find("our keys in ssh-keygen") else { return };
    for (algorithm, name, ..) in TYPES {
        let key = secret(algorithm);
        let line = ssh::write_public(&key.public_key(), "me@host").unwrap();
        for passphrase in ["", "secret words"] {
            let given = Some(passphrase.as_bytes()).filter(|p| !p.is_empty());
            let pem = ssh::write_private(&key, "me@host", given).unwrap();
            tool.write("key", pem.as_bytes());
            assert_eq!(tool.succeed(&["-y", "-P", passphrase, "-f", "key"], b""), line, "{name}");
            let changed = ["-q", "-p", "-P", passphrase, "-N", "another", "-a", "1", "-f", "key"];
            tool.succeed(&changed, b"");
            let (read, comment) = ssh::read_private(&tool.read("key"), Some(b"another")).unwrap();
            assert_eq!((read.to_bytes(), &*comment), (key.to_bytes(), "me@host"));
        }
        // Without a passphrase the two check numbers alone are random.
        let ours = ssh::write_private(&key, "me@host", None).unwrap();
        tool.write("key", ours.as_bytes());
        tool.succeed(&["-q", "-p", "-P", "", "-N", "", "-f", "key"], b"");
        let (ours, theirs) = (crate::dearmor(ours.as_bytes()), crate::dearmor(&tool.read("key")));
        let differing = ours.iter().zip(&theirs).filter(|(a, b)| a != b).count();
        assert!(ours.len() == theirs.len() && differing <= 8, "{name}: {differing} bytes differ");
    }
}
