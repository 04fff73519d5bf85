//! Envelopes on the command line: each form made by us and by others, keys in the forms of others, columns.

use crate::keys_files::Folder;
use arrow_array::{
    ArrayRef, BinaryArray, DictionaryArray, RecordBatch, StringArray, StringViewArray,
    types::Int32Type,
};
use parquet::arrow::ArrowWriter;
use sigmill::bulk::Algorithm;
use sigmill_envelope::jose::{Headers, Jwk, JwkSet};
use sigmill_envelope::{SecretKey, cose, ssh};
use std::process::Command;
use std::sync::Arc;

const FORMS: [&str; 6] = ["ssh", "minisign", "signify", "jws", "cose", "dsse"];

pub(crate) fn is_missing(program: &str) -> bool {
    let missing = Command::new(program).arg("-h").output().is_err();
    if missing {
        println!("not run here: {program} (it is not installed)");
    }
    missing
}

/// The options that verify what `sign --form` of the same form has written.
fn files(form: &str) -> &'static str {
    if ["ssh", "minisign", "signify"].contains(&form) { "m --sig e" } else { "e" }
}

#[test]
fn every_form_is_written_told_and_decided() {
    let folder = Folder::new("envelopes_forms");
    folder.put("m", "attack at dawn\n");
    let mut forms = 0;
    for alg in ["ed25519", "p256", "p384"] {
        folder.expect(0, &format!("keygen --alg {alg} -o k --public p --force"));
        folder.expect(0, &format!("keygen --alg {alg} -o other --public q --force"));
        for form in FORMS {
            let more = if form == "dsse" { " --payload-type text/plain" } else { "" };
            let sign = format!("sign m --key k --form {form}{more} -o e --force");
            if ["minisign", "signify"].contains(&form) && alg != "ed25519" {
                folder.refuses(&sign, &["Ed25519 alone"]);
                continue;
            }
            folder.expect(0, &sign);
            let line = folder.expect(0, &format!("verify {} --key p", files(form)));
            assert!(line.contains(&format!("valid ({form}, key {alg} SHA256:")), "{line}");
            folder.expect(0, &format!("verify {} --key p --form {form}", files(form)));
            let line = folder.expect(1, &format!("verify {} --key q", files(form)));
            assert!(line.contains(": invalid: "), "{line}");
            // one byte of the signature or of what is signed
            let mut envelope = folder.get("e");
            let middle = envelope.len() * 2 / 3;
            // a letter of base64 for another, so that the form stays the same
            envelope[middle] = if envelope[middle] == b'A' { b'B' } else { b'A' };
            folder.put("e", &envelope);
            folder.expect(1, &format!("verify {} --key p", files(form)));
            forms += 1;
        }
    }
    assert_eq!(forms, 14);
}

#[test]
fn a_message_of_another_is_invalid_in_each_form() {
    let folder = Folder::new("envelopes_messages");
    folder.put("m", "attack at dawn\n");
    folder.expect(0, "keygen -o k --public p");
    for form in ["ssh", "minisign", "signify"] {
        folder.put("m", "attack at dawn\n");
        folder.expect(0, &format!("sign m --key k --form {form} -o e --force"));
        folder.put("m", "attack at noon\n");
        let line = folder.expect(1, "verify m --sig e --key p");
        assert!(line.contains("equation"), "{line}");
        assert!(!line.contains("comment"), "nothing vouches for it: {line}");
    }
}

#[test]
fn bad_use_of_envelopes_is_one_message() {
    let folder = Folder::new("envelopes_bad");
    folder.put("m", "attack at dawn\n");
    folder.put("empty", "");
    folder.put("noise", [0xff; 100]);
    folder.put("big", vec![b'{'; 70_000]);
    folder.expect(0, "keygen -o k --public p");
    folder.expect(0, "sign m --key k --form ssh -o e");
    folder.expect(0, "sign m --key k --form jws -o t");
    for (args, words) in [
        ("verify m --key p", &["is no envelope that holds its signature", "--sig"][..]),
        ("verify empty --key p", &["is no envelope"]),
        ("verify noise --key p", &["is no envelope"]),
        ("verify e --key p", &["beside its message", "--sig"]),
        ("verify m --sig e --key p --variant ph", &["--variant"]),
        ("verify m --sig e --key p --hash sha256", &["--hash"]),
        ("verify m --sig e --key p --digest", &["--digest"]),
        ("verify m --sig e --key p --payload-type x", &["option of dsse"]),
        ("verify t --key p --namespace x", &["option of ssh"]),
        ("verify m --sig e --key nope", &["nope", "no such file"]),
        ("verify m --sig empty --key p", &["is empty"]),
        ("verify m --sig big --key p", &["over 65536 bytes"]),
        ("verify m --sig e --key m", &["not a key of ed25519"]),
        ("sign m --key k --form dsse", &["--payload-type"]),
        ("sign m --key k --form ssh --kid x", &["--kid", "ssh"]),
        ("sign m --key k --form jws --variant ph", &["--variant", "jws"]),
        ("sign nope --key k --form ssh", &["nope"]),
        ("sign m --key k --passphrase-file m", &["is not a key of OpenSSH"]),
        ("check m --envelope jws", &["--keys"]),
    ] {
        let text = folder.expect(2, args);
        for word in words {
            assert!(text.contains(word), "sigmill {args}: no `{word}` in {text}");
        }
    }
    for args in [
        "verify m --sig e --key p --form jws",
        "verify m --sig t --key p",
        "verify t --key p --form cose",
    ] {
        let line = folder.expect(1, args);
        assert!(line.contains("invalid: "), "{args}: {line}");
    }
    for form in ["jws", "cose", "dsse --payload-type text/plain"] {
        folder.expect(0, &format!("sign m --key k --form {form} -o whole --force"));
        let line = folder.expect(
            1,
            &format!("verify m --sig whole --key p --form {}", form.split(' ').next().unwrap()),
        );
        assert!(line.contains("verify whole by itself, as FILE without --sig"), "{form}: {line}");
    }
}

#[test]
fn keys_of_others_serve_every_command() {
    let folder = Folder::new("envelopes_keys");
    folder.put("m", "attack at dawn\n");
    for alg in ["ed25519", "p256", "p384"] {
        folder.expect(0, &format!("keygen --alg {alg} -o own --public own.pub --force"));
        let mut signatures = Vec::new();
        for form in ["pem", "openssh", "jwk", "minisign"] {
            if form == "minisign" && alg != "ed25519" {
                folder.refuses(
                    "keygen --seed own --format minisign -o k --force",
                    &["Ed25519 alone"],
                );
                continue;
            }
            folder.expect(0, &format!("keygen --seed own --format {form} -o k --public p --force"));
            folder.expect(0, "pubkey --key k --format pem -o pem --force");
            assert_eq!(folder.get("pem"), folder.get("own.pub"), "{alg}, {form}");
            folder.expect(0, "pubkey --public --key p --format pem -o pem --force");
            assert_eq!(folder.get("pem"), folder.get("own.pub"), "{alg}, {form}");
            folder.expect(0, &format!("pubkey --key own --format {form} -o q --force"));
            assert_eq!(folder.get("q"), folder.get("p"), "{alg}, {form}");
            signatures.push(folder.expect(0, "sign m --key k"));
            folder.put("s", signatures[0].as_bytes());
            folder.expect(0, "verify m --key p --sig s");
            if form != "pem" {
                folder.expect(0, &format!("verify m --key p --sig s --key-format {form}"));
                folder.expect(2, "verify m --key own.pub --sig s --key-format openssh");
            }
        }
        assert!(signatures.iter().all(|signature| *signature == signatures[0]), "{signatures:?}");
    }
    folder.expect(0, "keygen --alg x25519 -o x");
    folder.refuses("pubkey --key x --format jwk", &["x25519"]);
}

#[test]
fn envelopes_are_explained_as_the_signatures_in_them() {
    let folder = Folder::new("envelopes_explained");
    folder.put("m", "attack at dawn\n");
    folder.put("other", "attack at noon\n");
    let mut explained = 0;
    for alg in ["ed25519", "p256"] {
        folder.expect(0, &format!("keygen --alg {alg} -o k --public p --force"));
        folder.expect(0, &format!("keygen --alg {alg} -o other.key --public q --force"));
        for form in FORMS {
            if ["minisign", "signify"].contains(&form) && alg != "ed25519" {
                continue;
            }
            let more = if form == "dsse" { " --payload-type text/plain" } else { "" };
            folder.expect(0, &format!("sign m --key k --form {form}{more} -o e --force"));
            let is_beside = files(form) != "e";
            let msg = if is_beside { " --msg @m" } else { "" };
            let text = folder.expect(0, &format!("explain --envelope e --key @p{msg}"));
            assert!(text.contains("valid"), "{form}: {text}");
            // the key is the verifier's, whatever the envelope names
            let (code, text) = folder.sigmill(&format!("explain --envelope e --key @q{msg}"));
            assert!(code == 1 || code == 2 && form == "ssh", "{form}: {code}, {text}");
            if is_beside {
                folder.expect(1, "explain --envelope e --key @p --msg @other");
                folder.refuses("explain --envelope e --key @p", &["--msg is needed"]);
            }
            explained += 1;
        }
    }
    assert_eq!(explained, 10);
    folder.refuses("explain --envelope m --key @p", &["is no envelope"]);
    folder.refuses("explain --envelope e --key p", &["--key @FILE"]);
    folder.refuses("explain --envelope e --key @p --variant ph", &["--variant"]);
    folder.refuses("explain --key @p --sig 00 --msg 00 --namespace x", &["--envelope"]);
}

#[test]
fn chains_of_certificates_are_decided() {
    if is_missing("openssl") {
        return;
    }
    let folder = Folder::new("envelopes_chain");
    for (name, curve) in [("root.key", "P-384"), ("leaf.key", "P-256")] {
        assert!(folder.openssl(&format!(
            "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:{curve} -out {name}"
        )));
    }
    assert!(folder.openssl("req -x509 -new -key root.key -subj /CN=root -days 30 -out root"));
    assert!(folder.openssl("req -x509 -new -key leaf.key -subj /CN=other -days 30 -out other"));
    assert!(folder.openssl("req -new -key leaf.key -subj /CN=leaf -out request"));
    folder.put("extensions", "basicConstraints=CA:FALSE\n");
    assert!(folder.openssl("x509 -req -in request -CA root -CAkey root.key -set_serial 2 -days 30 -extfile extensions -out leaf"));
    let line = folder.expect(0, "chain leaf --roots root");
    assert!(line.contains("valid (CN=leaf, key p256 SHA256:"), "{line}");
    let line = folder.expect(1, "chain leaf --roots other");
    assert!(line.contains("invalid: another key than the trusted one"), "{line}");
    let line = folder.expect(1, "chain leaf --roots root --time 1");
    assert!(line.contains("not valid at this time"), "{line}");
    folder.put("noise", [0x30; 300]);
    folder.refuses("chain noise --roots root", &["noise", "not an X.509 certificate"]);
    folder.refuses("chain leaf --roots noise", &["noise", "not an X.509 certificate"]);
    folder.refuses("chain leaf --roots nope", &["nope"]);
    folder.put("empty", "");
    folder.refuses("chain empty --roots root", &["is empty"]);
}

#[test]
fn completions_and_manual_pages_are_written() {
    let folder = Folder::new("envelopes_manual");
    for shell in ["bash", "zsh", "fish"] {
        let text = folder.expect(0, &format!("completions {shell}"));
        assert!(text.contains("payload-type"), "{shell}");
    }
    folder.expect(2, "completions nope");
    folder.expect(0, "man pages");
    let page = String::from_utf8(folder.get("pages/sigmill-verify.1")).unwrap();
    assert!(page.contains("namespace"));
}

#[test]
fn ssh_keygen_and_we_accept_each_other() {
    if is_missing("ssh-keygen") {
        return;
    }
    let folder = Folder::new("envelopes_ssh");
    folder.put("m", "attack at dawn\n");
    folder.put("word", "open sesame\n");
    let keygen = |args: &[&str], stdin: &[u8]| {
        let status = Command::new("ssh-keygen").args(args).current_dir(folder.root()).output();
        let _ = stdin;
        status.expect("runs").status.success()
    };
    for (kind, bits) in [("ed25519", "256"), ("ecdsa", "256"), ("ecdsa", "384")] {
        for name in ["k", "k.pub", "c", "c.pub"] {
            let _ = std::fs::remove_file(folder.root().join(name));
        }
        assert!(keygen(&["-q", "-t", kind, "-b", bits, "-N", "", "-C", "me", "-f", "k"], b""));
        assert!(keygen(&["-q", "-t", kind, "-b", bits, "-N", "open sesame", "-f", "c"], b""));
        let _ = std::fs::remove_file(folder.root().join("m.sig"));
        assert!(keygen(&["-q", "-Y", "sign", "-n", "release", "-f", "k", "m"], b""));
        folder.expect(0, "verify m --sig m.sig --key k.pub --namespace release");
        let line = folder.expect(1, "verify m --sig m.sig --key k.pub");
        assert!(line.contains("`release`") && line.contains("`file`"), "{line}");
        let public = String::from_utf8(folder.get("k.pub")).unwrap();
        folder.put(
            "allowed",
            format!("me@example.com namespaces=\"release\",valid-before=\"20300101\" {public}"),
        );
        let verify = "verify m --sig m.sig --key allowed --namespace release --principal";
        folder.expect(0, &format!("{verify} me@example.com"));
        folder.expect(1, &format!("{verify} you@example.com"));
        folder.expect(1, &format!("{verify} me@example.com --time 1900000000"));

        folder.expect(0, "sign m --key k --form ssh --namespace release -o m.sig --force");
        assert!(
            keygen(&["-Y", "check-novalidate", "-n", "release", "-s", "m.sig"], b"") || {
                // the message goes to standard input
                let output = folder.run(
                    "ssh-keygen",
                    "-Y check-novalidate -n release -s m.sig",
                    b"attack at dawn\n",
                );
                output.status.success()
            }
        );
        folder.refuses("sign m --key c --form ssh", &["passphrase", "--passphrase-file"]);
        folder.expect(0, "sign m --key c --form ssh --passphrase-file word -o m.sig --force");
        folder.expect(0, "verify m --sig m.sig --key c.pub");
        folder.refuses("sign m --key c --form ssh --passphrase-file m", &["wrong passphrase"]);
    }
}

#[test]
fn minisign_and_signify_and_we_accept_each_other() {
    if is_missing("minisign") || is_missing("signify-openbsd") {
        return;
    }
    let folder = Folder::new("envelopes_minisign");
    folder.put("m", "attack at dawn\n");
    let ok = |program: &str, args: &str| folder.run(program, args, b"").status.success();
    assert!(ok("minisign", "-G -W -p p -s k"));
    assert!(ok("minisign", "-S -s k -m m -x s -t by-minisign"));
    let line = folder.expect(0, "verify m --sig s --key p");
    assert!(line.contains("comment by-minisign"), "{line}");
    folder.expect(0, "sign m --key k --form minisign --comment ours -o s --force");
    assert!(ok("minisign", "-V -p p -m m -x s"));
    folder.expect(0, "keygen --format minisign -o ours --public ours.pub");
    folder.expect(0, "sign m --key ours --form minisign -o s --force");
    assert!(ok("minisign", "-V -p ours.pub -m m -x s"));
    let line = folder.expect(1, "verify m --sig s --key p");
    assert!(line.contains("no key has this identifier"), "{line}");

    assert!(ok("signify-openbsd", "-G -n -p b.pub -s b.sec"));
    assert!(ok("signify-openbsd", "-S -s b.sec -m m -x s"));
    folder.expect(0, "verify m --sig s --key b.pub");
    assert!(ok("signify-openbsd", "-S -e -s b.sec -m m -x e"));
    folder.expect(0, "verify e --key b.pub");
    folder.expect(0, "sign m --key ours --form signify -o s --force");
    assert!(ok("signify-openbsd", "-V -p ours.pub -m m -x s"));
}

/// Private keys, and their public keys as a set.
pub(crate) fn keys() -> (Vec<SecretKey>, String) {
    let secrets: Vec<SecretKey> = [Algorithm::Ed25519, Algorithm::P256, Algorithm::P384]
        .into_iter()
        .map(|algorithm| {
            let bytes = [7; 48];
            let width = if algorithm == Algorithm::P384 { 48 } else { 32 };
            SecretKey::new(algorithm, &bytes[..width]).unwrap()
        })
        .collect();
    let jwks = secrets.iter().enumerate().map(|(i, secret)| {
        let mut jwk = Jwk::new(secret.public_key());
        jwk.kid = Some(format!("k{i}"));
        jwk
    });
    let set = JwkSet::new(jwks.collect()).unwrap().to_json().unwrap();
    (secrets, set)
}

fn token(secret: &SecretKey, kid: &str, payload: &str) -> String {
    let headers = Headers { kid: Some(kid), ..Headers::default() };
    headers.compact(secret, payload.as_bytes()).unwrap()
}

pub(crate) fn parquet(folder: &Folder, name: &str, columns: Vec<(&str, ArrayRef)>) {
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let file = std::fs::File::create(folder.root().join(name)).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

/// The reasons of the rows, `valid` where there is none.
pub(crate) fn reasons(folder: &Folder, code: i32, args: &str) -> Vec<String> {
    let output =
        folder.run(env!("CARGO_BIN_EXE_sigmill"), &format!("check {args} --jsonl --quiet"), b"");
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(
        output.status.code(),
        Some(code),
        "{args}: {text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let reason = |line: &str| {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        row["reason"].as_str().unwrap_or("valid").to_owned()
    };
    text.lines().map(reason).collect()
}

#[test]
fn columns_of_tokens_have_a_verdict_and_a_reason_a_row() {
    let folder = Folder::new("envelopes_tokens");
    let (secrets, set) = keys();
    folder.put("keys", set);
    let good: Vec<String> =
        (0..3).map(|i| token(&secrets[i], &format!("k{i}"), "{\"sub\":\"a\"}")).collect();
    let rows: Vec<(Option<String>, &str)> = vec![
        (Some(good[0].clone()), "valid"),
        (Some(good[1].clone()), "valid"),
        (Some(good[2].clone()), "valid"),
        (None, "null"),
        (Some(token(&secrets[0], "k9", "x")), "kid_unknown"),
        (Some(token(&secrets[0], "k1", "x")), "alg_mismatch"),
        (Some("a.b".into()), "not_jws"),
        (Some(String::new()), "not_jws"),
        (Some(good[0].replace('.', "")), "not_jws"),
        (
            Some(format!("eyJhbGciOiJub25lIn0{}", &good[0][good[0].find('.').unwrap()..])),
            "alg_unknown",
        ),
        (Some(token(&secrets[0], "k0", "x").replacen(".eA.", ".eQ.", 1)), "equation"),
        (Some(token(&secrets[1], "k1", "x").replacen(".eA.", ".eQ.", 1)), "equation"),
        (Some(token(&secrets[2], "k2", "x").replacen(".eA.", ".eQ.", 1)), "equation"),
    ];
    let expected: Vec<&str> = rows.iter().map(|(_, reason)| *reason).collect();
    let texts: Vec<Option<&str>> = rows.iter().map(|(token, _)| token.as_deref()).collect();
    let mut dictionary = arrow_array::builder::StringDictionaryBuilder::<Int32Type>::new();
    texts.iter().for_each(|text| dictionary.append_option(*text));
    let shared: DictionaryArray<Int32Type> = dictionary.finish();
    let bytes: Vec<Option<&[u8]>> = texts.iter().map(|text| text.map(str::as_bytes)).collect();
    let columns: [(&str, ArrayRef); 4] = [
        ("text", Arc::new(StringArray::from(texts.clone()))),
        ("view", Arc::new(StringViewArray::from(texts.clone()))),
        ("shared", Arc::new(shared)),
        ("binary", Arc::new(BinaryArray::from(bytes))),
    ];
    for (name, column) in columns {
        parquet(&folder, name, vec![("token", column)]);
        let args = format!("--format parquet {name} --envelope jws --keys keys");
        for threads in [1, 2] {
            let args = format!("{args} --threads {threads}");
            assert_eq!(reasons(&folder, 1, &args), expected, "{name}");
        }
    }
    let lines: String =
        texts.iter().map(|text| serde_json::json!({ "t": text }).to_string() + "\n").collect();
    folder.put("rows.jsonl", lines);
    assert_eq!(reasons(&folder, 1, "rows.jsonl --envelope jws --keys keys --column t"), expected);
    folder.put("rows.csv", format!("token\n{}\n{}\n", good[0], good[1]));
    assert_eq!(reasons(&folder, 0, "rows.csv --envelope jws --keys keys"), ["valid", "valid"]);
    let summary = folder.expect(1, "check rows.jsonl --envelope jws --keys keys --column t");
    for words in [
        "13 rows, 3 valid, 9 invalid, 1 null",
        "kid_unknown",
        "2 p256",
        "row 4, column t: no key has",
    ] {
        assert!(summary.contains(words), "no `{words}` in {summary}");
    }
    folder.expect(1, "check rows.jsonl --envelope jws --keys keys --column t -o out.jsonl --bad");
    assert_eq!(String::from_utf8(folder.get("out.jsonl")).unwrap().lines().count(), 10);

    let claims = [
        token(&secrets[0], "k0", "{\"sub\":\"a\",\"n\":18446744073709551617,\"x\":[1, 2]}"),
        token(&secrets[1], "k1", "no object"),
        token(&secrets[0], "k0", "{\"sub\":\"b\"}").replacen(".ey", ".fy", 1),
    ];
    folder.put("claims.csv", format!("token\n{}\n", claims.join("\n")));
    let args = "check claims.csv --envelope jws --keys keys --claims sub,n,x --quiet --force -o";
    folder.expect(1, &format!("{args} out.csv"));
    let text = String::from_utf8(folder.get("out.csv")).unwrap();
    let rows: Vec<&str> = text.lines().map(|line| line.split_once(',').unwrap().1).collect();
    assert_eq!(
        rows,
        [
            "verdict,reason,sub,n,x",
            "valid,,a,18446744073709551617,\"[1,2]\"",
            "valid,,,,",
            "invalid,equation,,,"
        ]
    );
    folder.expect(1, &format!("{args} out.jsonl"));
    let text = String::from_utf8(folder.get("out.jsonl")).unwrap();
    let row: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!((row["sub"].as_str(), row["reason"].as_str()), (Some("a"), None));
    let claims = "check claims.csv --keys keys --claims";
    folder.refuses(&format!("{claims} token -o o.csv --envelope jws"), &["`token` already"]);
    folder.refuses(&format!("{claims} sub -o o.csv --envelope dsse"), &["--envelope jws"]);
    folder.expect(2, &format!("{claims} sub --envelope jws"));
}

#[test]
fn columns_of_each_form_are_verified() {
    let folder = Folder::new("envelopes_columns");
    let (secrets, set) = keys();
    folder.put("keys", set);
    let lines = secrets.iter().map(|secret| ssh::write_public(&secret.public_key(), "").unwrap());
    folder.put("lines", lines.collect::<String>());
    let messages: Vec<Vec<u8>> = (0..6).map(|i| vec![i; 40]).collect();
    let secret = |i: usize| &secrets[i % 3];
    let of = |make: &dyn Fn(usize) -> Vec<u8>| -> Vec<Vec<u8>> { (0..6).map(make).collect() };
    let signatures = of(&|i| {
        let digest = ssh::Hash::Sha512.digest(&messages[i]);
        ssh::sign(secret(i), "file", ssh::Hash::Sha512, &digest).unwrap().into_bytes()
    });
    let cose = of(&|i| {
        let kid = format!("k{}", i % 3);
        cose::sign(secret(i), Some(kid.as_bytes()), &messages[i], false, i % 2 == 0, b"").unwrap()
    });
    let binary = |rows: &[Vec<u8>]| -> ArrayRef { Arc::new(BinaryArray::from_iter_values(rows)) };
    parquet(
        &folder,
        "t",
        vec![
            ("envelope", binary(&signatures)),
            ("msg", binary(&messages)),
            ("cose", binary(&cose)),
        ],
    );
    let all = ["valid"; 6];
    assert_eq!(
        reasons(&folder, 0, "t --format parquet --envelope ssh --keys lines --namespace file"),
        all
    );
    let other =
        reasons(&folder, 1, "t --format parquet --envelope ssh --keys lines --namespace git");
    assert_eq!(other, ["namespace_mismatch"; 6]);
    let unnamed =
        reasons(&folder, 0, "t --format parquet --envelope cose --column cose --keys lines");
    assert_eq!(unnamed, all);
    let wrong = reasons(&folder, 1, "t --format parquet --envelope dsse --column cose --keys keys");
    assert_eq!(wrong, ["not_dsse"; 6]);
    for (args, words) in [
        ("check t --format parquet --envelope ssh --keys lines", "namespace"),
        ("check t --format parquet --envelope jws --keys lines --namespace x", "no namespaces"),
        ("check t --format parquet --envelope jws --keys t", "names no form of keys"),
        ("check t --format parquet --envelope jws --keys lines", "no column `token`"),
        ("check t --format parquet --envelope jws --keys lines --alg p256", "cannot be used with"),
        (
            "check t --format parquet --envelope jws --keys lines --external-data keys",
            "signed by cose alone",
        ),
        ("check t --format parquet --keys lines", "--envelope"),
    ] {
        let text = folder.expect(2, args);
        assert!(text.contains(words), "sigmill {args}: no `{words}` in {text}");
    }
}
