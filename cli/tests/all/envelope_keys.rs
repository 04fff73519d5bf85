//! Keys of envelopes on the command line: COSE_Key, passphrases of keys that are written; and data beside a COSE_Sign1.

use crate::envelopes::{is_missing, parquet, reasons};
use crate::keys_files::Folder;
use arrow_array::{ArrayRef, BinaryArray};
use sigmill_envelope::{cose, minisign, ssh};
use std::fs;
use std::sync::Arc;

#[test]
fn a_cose_key_serves_every_command() {
    let folder = Folder::new("envelope_keys_cose");
    folder.put("m", "attack at dawn\n");
    for alg in ["ed25519", "p256", "p384"] {
        folder.expect(0, &format!("keygen --alg {alg} -o own --public own.pub --force"));
        folder.expect(0, "keygen --seed own --format cose -o k --public p --force");
        let (kid, secret) = cose::secret_key(&folder.get("k")).unwrap();
        let public = cose::public_key(&folder.get("p")).unwrap();
        assert_eq!((kid, secret.public_key()), (None, public.key));
        folder.expect(0, "pubkey --key k --format pem -o pem --force");
        assert_eq!(folder.get("pem"), folder.get("own.pub"), "{alg}");
        folder.expect(0, "pubkey --public --key p --format pem -o pem --force");
        assert_eq!(folder.get("pem"), folder.get("own.pub"), "{alg}");
        folder.expect(0, "pubkey --key own --format cose -o q --force");
        assert_eq!(folder.get("q"), folder.get("p"), "{alg}");
        for form in ["cose", "jws", "ssh"] {
            folder.expect(0, &format!("sign m --key k --form {form} -o e --force"));
            let files = if form == "ssh" { "m --sig e" } else { "e" };
            for key in ["p", "own.pub"] {
                let line = folder.expect(0, &format!("verify {files} --key {key}"));
                assert!(line.contains(&format!("valid ({form}, key {alg} ")), "{line}");
            }
        }
        // a public part that belongs to another key
        let mut other = folder.get("k");
        let place = other.len() / 3;
        other[place] ^= 1;
        folder.put("other", &other);
        folder.refuses("sign m --key other --form cose", &["public part"]);
        folder.refuses("sign m --key p --form cose", &["no `d`"]);
        folder.refuses("pubkey --public --key k", &["private"]);
        for end in 0..folder.get("k").len() {
            folder.put("cut", &folder.get("k")[..end]);
            if end % 7 == 0 {
                folder.expect(2, "sign m --key cut --key-format cose --form cose");
            }
        }
    }
    folder.refuses("keygen --alg x25519 --format cose -o x", &["x25519"]);
}

#[test]
fn external_data_is_signed_with_the_message() {
    let folder = Folder::new("envelope_keys_external");
    for (name, text) in
        [("m", "attack at dawn\n"), ("a", "to Alice"), ("b", "to Bob"), ("none", "")]
    {
        folder.put(name, text);
    }
    folder.expect(0, "keygen -o k --public p");
    folder.expect(0, "sign m --key k --form cose --external-data a -o e");
    folder.expect(0, "sign m --key k --form cose -o plain");
    folder.expect(0, "sign m --key k --form cose --external-data none -o same");
    assert_eq!(folder.get("plain"), folder.get("same"), "empty data is none");
    let key = sigmill_envelope::Trusted::read(&folder.get("p")).unwrap().unwrap();
    let read = cose::Sign1::read(&folder.get("e")).unwrap();
    let signed = read.signed(key.keys()[0], None, b"to Alice").unwrap();
    assert!(signed.verify(key.keys()[0], &sigmill::ed25519::rules::STRICT).unwrap().is_valid());
    for (file, data, code) in [
        ("e", " --external-data a", 0),
        ("e", " --external-data b", 1),
        ("e", "", 1),
        ("plain", "", 0),
        ("plain", " --external-data none", 0),
        ("plain", " --external-data a", 1),
    ] {
        let line = folder.expect(code, &format!("verify {file} --key p{data}"));
        assert_eq!(line.contains("equation"), code == 1, "{line}");
        folder.expect(code, &format!("explain --envelope {file} --key @p{data}"));
    }
    let rows = [folder.get("e"), folder.get("plain")];
    let column: ArrayRef = Arc::new(BinaryArray::from_iter_values(&rows));
    parquet(&folder, "t", vec![("envelope", column)]);
    let args = "t --format parquet --envelope cose --keys p";
    assert_eq!(reasons(&folder, 1, args), ["equation", "valid"]);
    let alice = reasons(&folder, 1, &format!("{args} --external-data a"));
    assert_eq!(alice, ["valid", "equation"]);
    for (args, words) in [
        ("sign m --key k --form jws --external-data a", "says nothing of --form jws"),
        ("verify m --key p --sig e --form ssh --external-data a", "option of cose"),
        ("verify e --key p --external-data missing", "missing"),
    ] {
        folder.refuses(args, &[words]);
    }
}

#[test]
fn written_keys_are_encrypted_with_a_passphrase() {
    let folder = Folder::new("envelope_keys_passphrase");
    folder.put("m", "attack at dawn\n");
    folder.put("word", "correct horse\nanother line\n");
    folder.put("other", "battery staple\n");
    folder.put("empty", "\n");
    for alg in ["ed25519", "p256", "p384"] {
        let keygen = format!("keygen --alg {alg} --format openssh --passphrase-file word");
        folder.expect(0, &format!("{keygen} -o {alg} --public {alg}.pub"));
        let text = folder.get(alg);
        let (key, _) = ssh::read_private(&text, Some(b"correct horse")).unwrap();
        assert!(ssh::read_private(&text, Some(b"battery staple")).is_err());
        assert!(ssh::read_private(&text, None).is_err());
        let line = String::from_utf8(folder.get(&format!("{alg}.pub"))).unwrap();
        assert_eq!(ssh::read_public(line.trim_ascii().as_bytes()).unwrap().0, key.public_key());
        folder.expect(
            0,
            &format!("sign m --key {alg} --passphrase-file word --form ssh -o s --force"),
        );
        folder.expect(0, &format!("verify m --sig s --key {alg}.pub"));
        folder
            .refuses(&format!("sign m --key {alg} --passphrase-file other"), &["wrong passphrase"]);
        // in and out with two passphrases
        let again =
            format!("keygen --seed {alg} --seed-passphrase-file word --passphrase-file other");
        folder.expect(0, &format!("{again} --format openssh -o again --public again.pub --force"));
        assert_eq!(folder.get("again.pub"), folder.get(&format!("{alg}.pub")));
        assert!(ssh::read_private(&folder.get("again"), Some(b"battery staple")).is_ok());
    }
    for form in ["pem", "der", "raw", "hex", "base64", "jwk", "cose"] {
        folder.refuses(
            &format!("keygen --format {form} --passphrase-file word -o x"),
            &["without a passphrase", "openssh and minisign"],
        );
    }
    folder
        .refuses("keygen --format openssh --passphrase-file empty -o x", &["first line is empty"]);
    folder.refuses("keygen --alg p256 --format minisign --passphrase-file word -o x", &["Ed25519"]);
    folder
        .refuses("keygen --seed - --passphrase-file - --format openssh -o x", &["standard input"]);
    assert!(fs::metadata(folder.root().join("x")).is_err(), "nothing is left");
    if !is_missing("ssh-keygen") {
        for alg in ["ed25519", "p256", "p384"] {
            // not with these rights and this passphrase alone: the public key, too
            let output = folder.run("ssh-keygen", &format!("-y -P battery -f {alg}"), b"");
            assert!(!output.status.success(), "another passphrase");
            let output = std::process::Command::new("ssh-keygen")
                .args(["-y", "-P", "correct horse", "-f", alg])
                .current_dir(folder.root())
                .output()
                .unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let fields = |text: &[u8]| {
                let text = String::from_utf8_lossy(text).into_owned();
                text.split_whitespace().take(2).map(str::to_owned).collect::<Vec<_>>()
            };
            assert_eq!(fields(&output.stdout), fields(&folder.get(&format!("{alg}.pub"))));
        }
    }
}

#[test]
fn a_key_of_minisign_is_encrypted_with_a_passphrase() {
    let folder = Folder::new("envelope_keys_minisign");
    folder.put("m", "attack at dawn\n");
    folder.put("word", "correct horse\n");
    folder.expect(0, "keygen --format minisign --passphrase-file word -o k --public p");
    let file = minisign::SecretKeyFile::read(&folder.get("k"), Some(b"correct horse")).unwrap();
    let public = minisign::PublicKey::read(&folder.get("p")).unwrap();
    assert_eq!((file.key.public_key(), file.id), (public.key, public.id));
    assert!(minisign::SecretKeyFile::read(&folder.get("k"), None).is_err());
    if !is_missing("minisign") {
        let output = folder.run("minisign", "-S -s k -m m", b"correct horse\n");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        folder.expect(0, "verify m --sig m.minisig --key p");
    }
}
