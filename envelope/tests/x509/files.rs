//! Certificates as keys.

use super::*;

#[test]
fn certificates_are_keys() {
    if !has_openssl("certificates_are_keys") {
        return;
    }
    let f = chains();
    for (name, algorithm) in
        [("apple-root", Algorithm::P384), ("apple", Algorithm::P256), ("ed", Algorithm::Ed25519)]
    {
        let (pem, der) = (f.read(&format!("{name}.pem")), f.der(name));
        let key = x509::key(&pem).unwrap();
        assert_eq!(key, f.public(name, algorithm));
        assert_eq!(x509::key(&der).unwrap(), key);
        let crlf = String::from_utf8(pem.clone()).unwrap().replace('\n', "\r\n");
        assert_eq!(x509::key(crlf.as_bytes()).unwrap(), key);
        let several = [&b"subject=/CN=x\n"[..], &pem, b"\n", &f.read("ed-ca.pem")].concat();
        assert_eq!(x509::key(&several).unwrap(), key, "the first one");
    }
    let android = Certificate::read(&f.der("android")).unwrap();
    assert_eq!(android.subject(), "CN=android,O=Test");
    assert_eq!(android.issuer(), "CN=android-ca2,O=Test");
    assert_eq!(android.serial(), [0x12, 0x34]);
    assert_eq!(android.not_after() - android.not_before(), 30 * DAY);
    assert!(now().abs_diff(android.not_before()) < DAY);
    assert_eq!(android.extension("1.3.6.1.4.1.11129.2.1.17"), Some(&[0x30, 3, 2, 1, 4][..]));
    assert_eq!(android.extension("1.3.6.1.4.1.11129.2.1.18"), None);
    assert_eq!(android.der(), f.der("android"));
}

#[test]
fn other_files_are_no_keys() {
    if !has_openssl("other_files_are_no_keys") {
        return;
    }
    let f = chains();
    for kind in ["rsa", "P-521", "secp256k1", "ed448"] {
        f.issue(kind, kind, kind, if kind == "ed448" { "" } else { "sha256" }, LEAF);
    }
    f.must(&[
        "genpkey",
        "-algorithm",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-pkeyopt",
        "ec_param_enc:explicit",
        "-out",
        "explicit.key",
    ]);
    f.must(&["req", "-x509", "-key", "explicit.key", "-subj", "/CN=x", "-out", "explicit.pem"]);
    for (name, words) in [
        ("rsa", "RSA (1.2.840.113549.1.1.1)"),
        ("P-521", "ECDSA on P-521"),
        ("secp256k1", "ECDSA on secp256k1"),
        ("ed448", "Ed448"),
        ("explicit", "a curve without a name"),
    ] {
        let error = x509::key(&f.read(&format!("{name}.pem"))).unwrap_err();
        assert_eq!(error.refusal(), Refusal::AlgUnknown, "{name}");
        assert!(error.detail().contains(words), "{error}");
    }

    let (pem, der, key) = (f.read("ed.pem"), f.der("ed"), f.read("ed.key"));
    let long = [&[0x30][..], &[0; 70_000]].concat();
    let deep = [0x30, 0x80].repeat(50_000);
    let twice = format!("{LEAF}1.2.3.4=DER:0500\n1.2.3.5=DER:0500\n");
    f.issue("twice", "ed25519", "ed-ca", "", &twice);
    let mut doubled = f.der("twice");
    let at = doubled.windows(5).position(|w| w == [6, 3, 0x2a, 3, 5]).unwrap();
    doubled[at + 4] = 4;
    let no_end = &pem[..pem.len() - 10];
    let table: [(&str, Vec<u8>, Refusal); 14] = [
        ("nothing", vec![], Refusal::NotX509),
        ("text", b"hello".to_vec(), Refusal::NotX509),
        ("a private key", key.clone(), Refusal::KeyUse),
        ("a private key before", [&key[..], &pem].concat(), Refusal::KeyUse),
        ("a private key after", [&pem[..], &key].concat(), Refusal::KeyUse),
        (
            "a public key",
            {
                f.public("ed", Algorithm::Ed25519);
                f.read("ed.spki")
            },
            Refusal::NotX509,
        ),
        ("a request", f.read("ed.csr"), Refusal::NotX509),
        ("no end", no_end.to_vec(), Refusal::NotX509),
        ("trailing byte", [&der[..], &[0]].concat(), Refusal::NotX509),
        ("two in DER", [&der[..], &der].concat(), Refusal::NotX509),
        ("too long", long, Refusal::TooLarge),
        ("deep", deep[..60_000].to_vec(), Refusal::NotX509),
        ("an extension twice", doubled, Refusal::DuplicateMember),
        (
            "base64 that is none",
            String::from_utf8(pem.clone()).unwrap().replace("MII", "M*I").into_bytes(),
            Refusal::NotX509,
        ),
    ];
    for (name, file, refusal) in table {
        let error = x509::key(&file).expect_err(name);
        assert_eq!(error.refusal(), refusal, "{name}: {error}");
        let error = x509::verify_chain(&[&file], &[&pem], now(), &STRICT).expect_err(name);
        assert_eq!(error.refusal(), refusal, "{name}: {error}");
    }
    for length in 0..der.len() {
        assert!(x509::key(&der[..length]).is_err(), "{length} bytes");
    }
    for length in 0..pem.len() - 1 {
        assert!(x509::key(&pem[..length]).is_err(), "{length} bytes");
    }
}

#[test]
fn white_space_in_pem_means_nothing() {
    if !has_openssl("white_space_in_pem_means_nothing") {
        return;
    }
    let f = chains();
    let (pem, key) = (String::from_utf8(f.read("ed.pem")).unwrap(), x509::key(&f.der("ed")));
    let lines: Vec<&str> = pem.lines().collect();
    let base64 = lines[1..lines.len() - 1].concat();
    let wrapped = |width: usize, end: &str| {
        let body: Vec<&str> = base64
            .as_bytes()
            .chunks(width)
            .map(|line| std::str::from_utf8(line).unwrap())
            .collect();
        [lines[0], &body.join(end), lines[lines.len() - 1], ""].join(end)
    };
    for (width, end) in
        [(64, "\n"), (64, "\r\n"), (64, " \n"), (76, "\n"), (70, "\n\n"), (1 << 20, "\n")]
    {
        assert_eq!(x509::key(wrapped(width, end).as_bytes()), key, "{width} {end:?}");
    }
    for (name, text) in [
        ("a header", pem.replacen("-----\n", "-----\nProc-Type: 4\n\n", 1)),
        ("base64 in two pieces", pem.replacen("-----\n", "-----\nAA==\n", 1)),
        ("another character", pem.replacen("-----\n", "-----\n!\n", 1)),
    ] {
        assert_eq!(x509::key(text.as_bytes()).unwrap_err().refusal(), Refusal::NotX509, "{name}");
    }
}
