//! Files of keys and signatures as other tools write them: what OpenSSL, pyca/cryptography and Node make of
//! them, what we make of them, and why where it differs. All are made here, by the tools themselves or from
//! what they wrote.

use crate::keys_files::Folder;

const OURS_IS_THEIRS: &str = "";

/// A file of a private key.
struct Case {
    name: &'static str,
    file: Vec<u8>,
    /// Whether it is read by the OpenSSL that is here (`openssl pkey`; 3.0 and later), by pyca/cryptography 48
    /// and by Node 20 with OpenSSL 3.0. The first is asked again in each run.
    others: [bool; 3],
    /// The public key that `sigmill pubkey` prints is that of this file, or its message has these words.
    ours: Result<&'static str, &'static [&'static str]>,
    /// Of a difference.
    why: &'static str,
}

/// The lines of PEM with others in the place of its base64.
fn with_body(text: &str, change: impl Fn(&str) -> String) -> Vec<u8> {
    let lines: Vec<&str> = text.lines().collect();
    let (first, last) = (lines[0], lines[lines.len() - 1]);
    let body = lines[1..lines.len() - 1].concat();
    format!("{first}\n{}\n{last}\n", change(&body)).into_bytes()
}

fn wrapped(text: &str, width: usize) -> Vec<u8> {
    with_body(text, |body| {
        let lines = body.as_bytes().chunks(width).map(|line| String::from_utf8_lossy(line));
        lines.collect::<Vec<_>>().join("\n")
    })
}

/// The Ed25519 key `ed`, the P-256 keys `ec` and `sec1`, the certificate `cert`, and what is made of them.
fn cases(folder: &Folder) -> Vec<Case> {
    let text = |name: &str| String::from_utf8(folder.get(name)).expect("PEM is text");
    let (ed, ec, sec1, cert) = (text("ed"), text("ec"), text("sec1"), text("cert"));
    let all = [true; 3];
    let none = [false; 3];
    let case = |name, file: &dyn AsRef<[u8]>, others, ours, why| Case {
        name,
        file: file.as_ref().to_vec(),
        others,
        ours,
        why,
    };
    let read = |name, file: &dyn AsRef<[u8]>, of| case(name, file, all, Ok(of), OURS_IS_THEIRS);
    let lax = "white space means nothing, wherever it stands";
    let either = "programs write either container under either label";
    let latin1 = |before: &[u8], after: &[u8]| [before, ed.as_bytes(), after].concat();
    // ECPrivateKey with a zero before the 32 bytes of its integer
    let zero = {
        use base64ct::{Base64, Encoding};
        let lines: Vec<&str> = sec1.lines().collect();
        let mut der = Base64::decode_vec(&lines[1..lines.len() - 1].concat()).expect("base64");
        assert_eq!(der[5..7], [4, 32]);
        der.insert(7, 0);
        der[6] += 1;
        der[1] += 1;
        let base64 = Base64::encode_string(&der);
        format!("-----BEGIN EC PRIVATE KEY-----\n{base64}\n-----END EC PRIVATE KEY-----\n")
    };
    let refused =
        |name, file: &dyn AsRef<[u8]>, words| case(name, file, none, Err(words), OURS_IS_THEIRS);
    let alphabet = with_body(&ec, |body| body.replace('+', "-").replacen(&body[8..9], "_", 1));
    vec![
        read("ecparam -genkey", &folder.get("genkey"), "genkey"),
        read("a certificate first", &format!("{cert}{ed}"), "ed"),
        read("a certificate behind", &format!("{ed}{cert}"), "ed"),
        read("two keys: the first", &format!("{ed}{ec}"), "ed"),
        read("two keys, the other way round", &format!("{sec1}{ed}"), "ec"),
        read("text before", &format!("Bag Attributes\n    localKeyID: 01\n{ed}"), "ed"),
        read("Latin-1 before", &latin1(b"caf\xe9\n", b""), "ed"),
        read("Latin-1 behind", &latin1(b"", b"caf\xe9\n"), "ed"),
        read("a byte-order mark", &format!("\u{feff}{ed}"), "ed"),
        read("a byte-order mark in the middle", &format!("{cert}\u{feff}{ed}"), "ed"),
        read("more line ends", &format!("{ed}\n\n"), "ed"),
        read("no last line end", &ed.trim_end(), "ed"),
        read("CRLF", &ed.replace('\n', "\r\n"), "ed"),
        read("a blank behind lines", &ed.replace('\n', " \n"), "ed"),
        read("a tab behind lines", &ed.replace('\n', "\t\n"), "ed"),
        read("an empty line inside", &ed.replacen('\n', "\n\n", 1), "ed"),
        read("a blank inside", &ed.replacen("MC4", "MC 4", 1), "ed"),
        read("lines of 76", &wrapped(&ec, 76), "ec"),
        read("lines of one character", &wrapped(&ec, 1), "ec"),
        read("one line", &wrapped(&ec, 1000), "ec"),
        read("X25519", &folder.get("x25519"), "x25519"),
        case("CR", &ed.replace('\n', "\r"), [false, true, false], Ok("ed"), lax),
        case(
            "blanks before lines",
            &format!("  {}", ed.replace('\n', "\n  ")),
            [false, true, false],
            Ok("ed"),
            lax,
        ),
        case(
            "NUL before",
            &format!("\0\n{ed}"),
            [false, true, true],
            Ok("ed"),
            "so is text before",
        ),
        case(
            "ECPrivateKey as PRIVATE KEY",
            &sec1.replace("EC PRIVATE", "PRIVATE"),
            [true, false, false],
            Ok("ec"),
            either,
        ),
        case(
            "PKCS#8 as EC PRIVATE KEY",
            &ec.replace("PRIVATE", "EC PRIVATE"),
            [true, false, true],
            Ok("ec"),
            either,
        ),
        case(
            "Ed25519 as EC PRIVATE KEY",
            &ed.replace("PRIVATE", "EC PRIVATE"),
            [true, false, false],
            Ok("ed"),
            either,
        ),
        case(
            "a zero too many",
            &zero,
            [true, false, true],
            Ok("ec"),
            "the integer is the same, and old programs write it",
        ),
        case(
            "headers",
            &ed.replacen('\n', "\nComment: a\n\n", 1),
            [false, true, false],
            Err(&["is not PEM"]),
            "RFC 7468 has none, and most of them say that the key is encrypted",
        ),
        refused("base64url", &alphabet, &["not PEM"]),
        refused(
            "no padding",
            &with_body(&sec1, |body| body.trim_end_matches('=').to_owned()),
            &["not PEM"],
        ),
        refused("another label at the end", &ed.replace("END PRIVATE", "END PUBLIC"), &["not PEM"]),
        refused("no end", &ed.replace("-----END PRIVATE KEY-----\n", ""), &["not PEM"]),
        refused("small letters", &ed.replace("PRIVATE KEY", "private key"), &["not PEM"]),
        refused(
            "encrypted",
            &folder.get("encrypted"),
            &[
                "is an encrypted PKCS#8 private key, not a plain private key",
                "openssl pkey -in FILE",
            ],
        ),
        case(
            "OpenSSH's own form",
            &folder.get("openssh"),
            none,
            Ok("ed"),
            "pyca reads it by another function, here every command takes it",
        ),
        refused(
            "a certificate",
            &cert,
            &["is a certificate, not a plain private key", "openssl x509"],
        ),
        refused(
            "a public key",
            &folder.get("ed.pub"),
            &["is a public key (Ed25519), not a plain private key"],
        ),
        refused(
            "parameters alone",
            &folder.get("parameters"),
            &["is parameters of a curve, without a key"],
        ),
    ]
}

#[test]
fn private_keys_of_others() {
    let folder = Folder::new("files-of-others");
    for args in [
        "genpkey -algorithm ed25519 -out ed",
        "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out ec",
        "ec -in ec -out sec1",
        "req -x509 -new -subj /CN=a -key ed -out cert",
        "genpkey -algorithm x25519 -out x25519",
        "ecparam -name prime256v1 -genkey -out genkey",
        "ecparam -name prime256v1 -out parameters",
        "pkcs8 -topk8 -in ed -passout pass:x -out encrypted",
        "pkey -in ed -pubout -out ed.pub",
        "pkey -in ec -pubout -out ec.pub",
        "pkey -in genkey -pubout -out genkey.pub",
        "pkey -in x25519 -pubout -out x25519.pub",
    ] {
        assert!(folder.openssl(args), "openssl {args}");
    }
    folder.expect(0, "keygen --seed ed --format openssh -o openssh");
    for Case { name, file, others, ours, why } in cases(&folder) {
        folder.put("file", &file);
        let theirs = folder.openssl("pkey -in file -noout -passin pass:y");
        assert_eq!(theirs, others[0], "{name}: what OpenSSL does has changed");
        let differs = others.iter().any(|theirs| *theirs != ours.is_ok());
        assert_eq!(differs, !why.is_empty(), "{name}: the reason of a difference");
        match ours {
            Ok(of) => {
                let text = folder.expect(0, "pubkey --key file");
                assert_eq!(text.as_bytes(), folder.get(&format!("{of}.pub")), "{name}");
            }
            Err(words) => folder.refuses("pubkey --key file", words),
        }
    }
}

#[test]
fn public_keys_of_others() {
    let folder = Folder::new("public-files-of-others");
    for args in [
        "genpkey -algorithm ed25519 -out ed",
        "pkey -in ed -pubout -out ed.pub",
        "pkey -in ed -pubout -outform der -out ed.der",
        "req -x509 -new -subj /CN=a -key ed -out cert",
        "genpkey -algorithm x25519 -out x25519",
        "pkey -in x25519 -pubout -out x25519.pub",
        "genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:1024 -out rsa",
        "pkey -in rsa -pubout -out rsa.pub",
    ] {
        assert!(folder.openssl(args), "openssl {args}");
    }
    let public = String::from_utf8(folder.get("ed.pub")).expect("PEM is text");
    let cert = String::from_utf8(folder.get("cert")).expect("PEM is text");
    for file in [
        [b"caf\xe9\r\n", public.as_bytes(), b"\xff"].concat(),
        format!("\u{feff}{cert}{public}").into_bytes(),
        public.replace('\n', " \r\n\r\n").into_bytes(),
        wrapped(&public, 10),
        folder.get("ed.der"),
        // its key; a plain key beside it goes before, as in the second file
        cert.clone().into_bytes(),
    ] {
        folder.put("file", &file);
        let text = folder.expect(0, "pubkey --public --key file");
        assert_eq!(text, public, "{}", String::from_utf8_lossy(&file));
    }
    for (name, words) in [
        ("ed", &["is a private key (Ed25519), not a plain public key", "sigmill pubkey"][..]),
        ("rsa.pub", &["another algorithm: a public key (RSA)", "X25519"]),
    ] {
        folder.refuses(&format!("pubkey --public --key {name}"), words);
    }
    // a key of X25519 is one, but verifies and signs nothing
    assert_eq!(folder.expect(0, "pubkey --key x25519").as_bytes(), folder.get("x25519.pub"));
    folder.put("m", "message");
    folder.put("s", [7; 64]);
    folder.refuses("sign --key x25519 m", &["x25519", "signs nothing"]);
    folder.refuses("verify --key x25519.pub --sig s m", &["x25519.pub", "signs nothing"]);
    folder.refuses("pubkey --key x25519 --alg ed25519", &["holds a key of x25519"]);
}

#[test]
fn keys_of_x25519_are_made_and_written_in_every_form() {
    let folder = Folder::new("x25519");
    folder.expect(0, "keygen --alg x25519 -o k --public p");
    assert!(folder.openssl("pkey -in k -pubout -out theirs"));
    assert_eq!(folder.get("p"), folder.get("theirs"));
    for form in ["pem", "der", "raw", "hex", "base64"] {
        let alg = if matches!(form, "pem" | "der") { "" } else { "--alg x25519" };
        folder.expect(0, &format!("keygen --seed k --format {form} -o k.{form}"));
        folder.expect(0, &format!("pubkey --key k.{form} {alg} -o p.{form} --format {form}"));
        folder.expect(0, &format!("pubkey --public --key p.{form} {alg} -o again --force"));
        assert_eq!(folder.get("again"), folder.get("p"), "{form}");
    }
    assert_eq!(folder.get("k.raw").len(), 32);
}

#[test]
fn files_that_are_no_keys_are_named() {
    let folder = Folder::new("no-keys");
    folder.put("m", "message");
    folder.expect(0, "keygen -o k --public p");
    folder.expect(0, "sign --key k --format base64 -o s m");
    let gzip = folder.run("gzip", "-c p", b"").stdout;
    folder.put("p.gz", gzip);
    folder.put("p.utf16", b"\xff\xfep\0u\0b\0l\0i\0c\0 \0k\0e\0y\0");
    folder.put("ssh", "ssh-dss AAAAB3NzaC1kc3MAAACBAP c");
    folder.put("age", "# created: 2026-01-01\nAGE-SECRET-KEY-1QQQQQQQQ\n");
    for (name, words) in [
        ("p.gz", &["is gzip, not a plain public key", "gzip -dc"][..]),
        ("p.utf16", &["is text in UTF-16, not a plain public key", "iconv"]),
        ("ssh", &["key type `ssh-dss`", "ssh-ed25519"]),
        ("age", &["is a key of age, not a plain public key"]),
    ] {
        folder.refuses(&format!("verify --key {name} --sig s m"), words);
    }
    folder.refuses("verify --key p --sig p m", &["is a public key (Ed25519), not a signature"]);
    folder.refuses("verify --key p --sig p.gz m", &["is gzip, not a signature"]);
    // nothing of a secret is in a message
    let secret = String::from_utf8(folder.get("k")).expect("PEM is text");
    let body = secret.lines().nth(1).expect("base64");
    for args in ["verify --key k --sig s m", "verify --key p --sig k m"] {
        let text = folder.expect(2, args);
        assert!(text.contains("is a private key (Ed25519), not a"), "{text}");
        assert!(!text.contains(&body[24..30]), "{text}");
    }
}

/// A signature as a tool prints it: whether `base64 -d` (coreutils), `openssl base64 -d`, Python's `b64decode` and Node's
/// `Buffer` read it. The first two are asked again in each run. We read all of them: line ends and padding carry nothing.
const SIGNATURES: &[(&str, &str, &str, [bool; 4])] = &[
    ("base64: lines of 76", "base64", "s.raw", [true; 4]),
    ("openssl base64: lines of 64", "openssl", "base64 -in s.raw", [true; 4]),
    ("one line", "base64", "-w 0 s.raw", [true, false, true, true]),
    // OpenSSL gives no bytes and no error
    ("no padding", "base64", "-w 0 s.raw", [false, false, false, true]),
];

#[test]
fn signatures_of_others() {
    let folder = Folder::new("signatures-of-others");
    folder.put("m", "message");
    folder.expect(0, "keygen -o k --public p");
    folder.expect(0, "sign --key k --format raw -o s.raw m");
    let raw = folder.get("s.raw");
    for (name, program, args, others) in SIGNATURES {
        let mut text = folder.run(program, args, b"").stdout;
        if *name == "no padding" {
            text.retain(|byte| *byte != b'=');
        }
        folder.put("s", &text);
        let reads = |program, args| folder.run(program, args, b"");
        let coreutils = reads("base64", "-d s");
        let theirs = [
            coreutils.status.success() && coreutils.stdout == raw,
            reads("openssl", "base64 -d -in s").stdout == raw,
        ];
        assert_eq!(theirs, others[..2], "{name}: what they do has changed");
        folder.expect(0, "verify --key p --sig s m");
    }
}

#[test]
fn wrapped_and_unpadded_text_is_read() {
    let folder = Folder::new("wrapped");
    folder.put("m", "message");
    for (alg, options) in [
        ("ed25519", ""),
        ("p256", "--alg p256"),
        ("p256", "--alg p256 --sig-format der"),
        ("p384", "--alg p384"),
        ("p384", "--alg p384 --sig-format der"),
    ] {
        folder.expect(0, &format!("keygen --alg {alg} -o k --public p --force"));
        folder.expect(0, "keygen --seed k --format raw -o k.raw --public p.raw --force");
        folder.expect(0, &format!("sign --key k {options} --format raw -o s.raw --force m"));
        let printed = |file: &str| {
            let of = |program: &str, args: &str| {
                let output = folder.run(program, &format!("{args} {file}"), b"");
                assert!(output.status.success(), "{program} {args} {file}");
                String::from_utf8(output.stdout).expect("text")
            };
            let base64 = of("base64", "");
            let no_padding = base64.replace('=', "");
            vec![
                base64.replace('\n', "\r\n"),
                of("base64", "-w 10"),
                of("openssl", "base64 -in"),
                of("xxd", "-p"),
                of("xxd", "-p -c 7"),
                no_padding.replace('+', "-").replace('/', "_"),
                no_padding,
                base64,
            ]
        };
        for text in printed("s.raw") {
            folder.put("s", &text);
            folder.expect(0, &format!("verify --key p --sig s {options} m"));
        }
        for text in printed("k.raw") {
            folder.put("text", &text);
            let ours = folder.expect(0, &format!("pubkey --key text --alg {alg}"));
            assert_eq!(ours.as_bytes(), folder.get("p"), "{text}");
        }
        for text in printed("p.raw") {
            folder.put("text", &text);
            let alg = if options.is_empty() { "--alg ed25519" } else { options };
            folder.expect(0, &format!("verify --key text {alg} --sig s m"));
        }
    }
    // as strict as ever in what carries meaning
    folder.put("blank", "07".repeat(16) + " " + &"07".repeat(16));
    folder.refuses("pubkey --key blank", &["blank", "65 characters"]);
    folder.put("half", "=".to_owned() + &"A".repeat(43));
    folder.refuses("pubkey --key half", &["half", "not base64: `=` at position 0"]);
}

#[test]
fn other_files_given_as_keys_are_named() {
    use data_encoding::{BASE64, HEXLOWER};
    let folder = Folder::new("other-files");
    for args in [
        "genpkey -algorithm ed25519 -out ed",
        "pkey -in ed -outform der -out ed.der",
        "pkey -in ed -pubout -out ed.pub",
        "pkey -in ed -pubout -outform der -out ed.pub.der",
        "genpkey -algorithm ed448 -out ed448",
        "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:secp256k1 -out k1",
        "genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:1024 -out rsa",
    ] {
        assert!(folder.openssl(args), "openssl {args}");
    }
    let ed = String::from_utf8(folder.get("ed")).expect("PEM is text");
    let (der, spki) = (folder.get("ed.der"), folder.get("ed.pub.der"));
    let pair = [&der[16..], &spki[12..]].concat();
    let pair_text =
        "holds 64 bytes: a seed and its public key, as libsodium and Go write it; the first 32";
    let body = "is base64 of DER, without the labels of PEM, not a plain";
    let mark = "begins with a byte-order mark";
    let numbers = format!("{pair:?}");
    let before = |bytes: &[u8]| [b"\xef\xbb\xbf", bytes].concat();
    let end = "-----END PRIVATE KEY-----";
    for (file, private, words) in [
        (pair.clone(), true, pair_text),
        (HEXLOWER.encode(&pair).into_bytes(), true, pair_text),
        (pair.iter().rev().copied().collect(), true, "holds 64 bytes; a seed and its public key"),
        (BASE64.encode(&pair).into_bytes(), true, pair_text),
        (format!("{}\n", BASE64.encode(&der)).into_bytes(), true, body),
        (BASE64.encode(&spki).into_bytes(), false, body),
        (BASE64.encode(ed.as_bytes()).into_bytes(), true, "is base64 of PEM"),
        (HEXLOWER.encode(&der).into_bytes(), true, "is hexadecimal of DER"),
        (HEXLOWER.encode(&spki).into_bytes(), false, "is hexadecimal of DER"),
        (before(HEXLOWER.encode(&der[16..]).as_bytes()), true, mark),
        (before(BASE64.encode(&spki[12..]).as_bytes()), false, mark),
        (b"\xfe\xed\xfe\xed\0\0\0\x02\0\0\0\x01".to_vec(), true, "is a Java keystore"),
        (
            b"\x98\x33\x04k\x0a\xa2A\x16\x09+\x06\x01\x04\x01\xdaG\x0f".to_vec(),
            true,
            "is an OpenPGP file",
        ),
        (
            ed.replace(end, "-----EN").into_bytes(),
            true,
            "is not PEM: `-----END PRIVATE KEY-----` is not whole",
        ),
        (
            ed.replace(end, "").into_bytes(),
            true,
            "is not PEM: `-----END PRIVATE KEY-----` is missing",
        ),
        (
            ed.replace(end, &format!("{end} # a")).into_bytes(),
            true,
            "other text stands behind `-----END PRIVATE KEY-----`",
        ),
        (
            ed.replace("END PRIVATE", "END PUBLIC").into_bytes(),
            true,
            "another label than `-----END PRIVATE KEY-----` ends it",
        ),
        (
            ed.replace("PRIVATE", "ED PRIVATE").into_bytes(),
            true,
            "no line is `-----BEGIN PRIVATE KEY-----` or",
        ),
        (
            ed.replace('\n', "").into_bytes(),
            true,
            "PEM whose labels do not have lines of their own",
        ),
        (format!("key={ed}").into_bytes(), true, "PEM whose labels do not have lines of their own"),
        (ed.replace('\n', "\\n").into_bytes(), true, "PEM whose line ends are written as `\\n`"),
        (format!("{:?}", ed).into_bytes(), true, "PEM whose line ends are written as `\\n`"),
        (
            b"[Interface]\nPrivateKey = yZmZp8D4F9ZHjUhXkUAJmvkgSwyM89GifU06UdSxwy8=\n".to_vec(),
            true,
            "is an INI file, not",
        ),
        (numbers.into_bytes(), true, "a JSON array of numbers, as Solana's tools write a key"),
        (folder.get("k1"), false, "(secp256k1), not a plain public key; known are Ed25519"),
        (folder.get("ed448"), false, "(Ed448), not a plain public key; known are Ed25519"),
        (folder.get("rsa"), false, "(RSA), not a plain public key; known are Ed25519"),
        (folder.get("ed"), false, "`sigmill pubkey --key FILE` prints its public key"),
    ] {
        folder.put("file", &file);
        folder.put("signature", [0; 64]);
        let command = match private {
            true => "sign file --key file",
            false => "verify file --sig signature --key file",
        };
        folder.refuses(command, &[words]);
    }
    folder.put("array", b"[\"a\"]");
    let array = folder.expect(2, "sign ed --key array");
    assert!(array.contains("is a JSON array, not") && !array.contains("jq"), "{array}");
    folder.refuses(
        "sign ed --key ed --key-format der",
        &["is PEM, not DER; --key-format pem reads it"],
    );
    folder.refuses(
        "sign ed --key ed.der --key-format pem",
        &["is DER, not PEM; --key-format der reads it"],
    );
    folder.put("marked", before(&[b'0'; 128]));
    folder.refuses("verify ed --sig marked --key ed.pub", &[mark]);
    // with what is advised they are read
    folder.put("lined", ed.replace('\n', "\\n"));
    let output = folder.run("sed", r"s/\\n/\n/g lined", b"");
    folder.put("read", output.stdout);
    assert_eq!(folder.expect(0, "pubkey --key read").into_bytes(), folder.get("ed.pub"));
}
