//! What is seen of files that the programs themselves wrote, and of bytes that are nothing.

use super::ecdsa_keyfile::Folder;
use sigmill::FileKind;
use std::io::Write;
use std::process::{Command, Stdio};

/// What a program writes to its standard output.
fn output_of(program: &str, args: &str, input: &[u8]) -> Option<Vec<u8>> {
    let mut child = Command::new(program)
        .args(args.split_whitespace())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    child.stdin.take().expect("piped").write_all(input).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{program} {args}");
    Some(output.stdout)
}

fn seen(bytes: &[u8]) -> String {
    FileKind::of(bytes).map_or("nothing".to_owned(), |kind| kind.to_string())
}

#[test]
fn what_openssl_writes_is_named() {
    let folder = Folder::new("file_kinds");
    let made = |args: &str| folder.openssl(args);
    let both = |args: &str, expected: &str| {
        let pem = made(args);
        assert_eq!(seen(&pem), expected, "openssl {args}");
        // in the middle of other text, and in DER
        assert_eq!(seen(&[b"caf\xe9\r\n", &pem[..]].concat()), expected, "openssl {args}");
        let der = made(&format!("{args} -outform DER"));
        assert_eq!(seen(&der), expected, "openssl {args} in DER");
        for len in 0..pem.len() {
            let _ = FileKind::of(&pem[..len]);
        }
        for len in 0..der.len() {
            let _ = FileKind::of(&der[..len]);
        }
        pem
    };
    let ec = |curve: &str| format!("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:{curve}");
    for (args, name) in [
        ("genpkey -algorithm ed25519", "Ed25519"),
        ("genpkey -algorithm x25519", "X25519"),
        ("genpkey -algorithm ed448", "Ed448"),
        ("genpkey -algorithm x448", "X448"),
        ("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:1024", "RSA"),
        (&ec("P-256"), "P-256"),
        (&ec("P-384"), "P-384"),
        (&ec("P-521"), "P-521"),
        (&ec("secp256k1"), "secp256k1"),
        (&ec("brainpoolP256r1"), "brainpoolP256r1"),
    ] {
        folder.write("key.pem", made(args));
        both("pkcs8 -topk8 -nocrypt -in key.pem", &format!("a private key ({name})"));
        both("pkey -in key.pem -pubout", &format!("a public key ({name})"));
        let encrypted = "pkcs8 -topk8 -in key.pem -passout pass:x";
        both(encrypted, "an encrypted PKCS#8 private key");
        if name.contains(['-', 'k', 'b']) {
            both("ec -in key.pem", &format!("a private key ({name}, ECPrivateKey)"));
            let encrypted = made("ec -in key.pem -aes128 -passout pass:x");
            assert_eq!(seen(&encrypted), "an encrypted private key");
        }
    }
    folder.write("rsa.pem", made("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:1024"));
    both("rsa -in rsa.pem -traditional", "an RSA private key");
    both("rsa -in rsa.pem -RSAPublicKey_out", "an RSA public key");
    folder.write("key.pem", made(&ec("P-256")));
    let explicit = "ec -in key.pem -param_enc explicit -pubout";
    both(explicit, "a public key (explicit curve parameters)");
    let genkey = made("ecparam -name prime256v1 -genkey");
    assert!(genkey.starts_with(b"-----BEGIN EC PARAMETERS-----"));
    assert_eq!(seen(&genkey), "a private key (P-256, ECPrivateKey)");
    assert_eq!(seen(&made("ecparam -name prime256v1")), "parameters of a curve, without a key");

    folder.write("ed.pem", made("genpkey -algorithm ed25519"));
    both("req -new -subj /CN=a -key ed.pem", "a certificate request");
    folder.write("cert.pem", both("req -x509 -new -subj /CN=a -key ed.pem", "a certificate"));
    let key_too = [folder.read("cert.pem"), folder.read("ed.pem")].concat();
    assert_eq!(seen(&key_too), "a certificate");
    let pkcs12 = made("pkcs12 -export -in cert.pem -inkey ed.pem -passout pass:x");
    assert_eq!(seen(&pkcs12), "a PKCS#12 file");
    both("crl2pkcs7 -nocrl -certfile cert.pem", "a PKCS#7 or CMS file");
    folder.write("message", b"message");
    let signature = made("dgst -sha256 -sign key.pem message");
    assert_eq!(seen(&signature), "an ECDSA signature in DER");
    // and what is advised gives the keys
    folder.openssl("pkcs8 -topk8 -in ed.pem -passout pass:x -out FILE");
    folder.openssl("pkey -in FILE -passin pass:x -out KEY");
    assert_eq!(folder.read("KEY"), folder.read("ed.pem"));
    folder.openssl("x509 -in cert.pem -pubkey -noout");
    folder.openssl("req -new -subj /CN=a -key ed.pem -out FILE");
    folder.openssl("req -in FILE -pubkey -noout");
}

#[test]
fn what_ssh_keygen_writes_is_named() {
    let folder = Folder::new("file_kinds_ssh");
    let keygen = |args: &str| {
        let mut command = Command::new("ssh-keygen");
        command.current_dir(folder.path()).args(args.split_whitespace());
        match command.args(["-N", ""]).output() {
            Ok(output) => assert!(output.status.success(), "ssh-keygen {args}"),
            Err(_) => return false,
        }
        true
    };
    if !keygen("-q -t ed25519 -f ed") {
        return;
    }
    assert_eq!(seen(&folder.read("ed")), "an OpenSSH private key (Ed25519)");
    assert_eq!(seen(&folder.read("ed.pub")), "an SSH public key (Ed25519)");
    let rfc4716 = output_of(
        "ssh-keygen",
        &format!("-e -m RFC4716 -f {}", folder.path().join("ed.pub").display()),
        b"",
    )
    .expect("it runs");
    assert_eq!(seen(&rfc4716), "an SSH public key in the form of RFC 4716");
    folder.write("ed.rfc", rfc4716);
    let back =
        output_of("ssh-keygen", &format!("-i -f {}", folder.path().join("ed.rfc").display()), b"")
            .expect("it runs");
    assert_eq!(seen(&back), "an SSH public key (Ed25519)");
    assert!(keygen("-q -t ecdsa -f ec"));
    assert_eq!(seen(&folder.read("ec")), "an OpenSSH private key");
    assert_eq!(seen(&folder.read("ec.pub")), "an SSH public key");
    // what is advised
    assert!(keygen("-q -p -m PKCS8 -f ec"));
    assert_eq!(seen(&folder.read("ec")), "a private key (P-256)");
}

/// Bytes that programs wrote which not every machine has.
const WRITTEN: &[(&[u8], &str)] = &[
    (b"untrusted comment: minisign public key 1DBA8E7F2A4C6B30\n", "a key or signature of minisign or signify"),
    (b"# created: 2026-01-01T00:00:00Z\n# public key: age1\nAGE-SECRET-KEY-1QQ\n", "a key of age"),
    (b"age-encryption.org/v1\n-> X25519 ", "a file encrypted by age"),
    (b"-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmDME", "an OpenPGP file"),
    (b"PuTTY-User-Key-File-3: ssh-ed25519\r\n", "a PuTTY private key"),
    (b"PAR1\x15\x04", "a Parquet file"),
    (b"PARE\x15\x04", "an encrypted Parquet file"),
    (b"ARROW1\0\0\xff\xff\xff\xff", "an Arrow file"),
    (b"\xff\xff\xff\xff\x70\0\0\0", "an Arrow stream"),
    (b"PK\x03\x04\x14\0", "a ZIP archive"),
    (b"SQLite format 3\0\x10", "a SQLite database"),
    (b"[\n  {\"key\": 1}]", "a JSON array"),
    (b"{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\"}", "a JSON Web Key"),
    (b"\xff\xfek\0e\0y\0", "text in UTF-16"),
    (b"k\0e\0y\0", "text in UTF-16"),
    (b"\0k\0e\0y", "text in UTF-16"),
    (b"<!DOCTYPE html><html>", "a page of HTML"),
    (b"11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo", "base64 without padding"),
    (b"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\r\n", "base64 without padding"),
    (b"\xef\xbb\xbf[1]", "a JSON array"),
    (b"{\"key\": 1}\n", "JSON"),
    (b"\xff\xfe\0\0k\0\0\0", "text in UTF-32"),
    (b"<?xml version=\"1.0\"?>", "XML"),
    (b"7z\xbc\xaf\x27\x1c\0\x04", "a 7z archive"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a workbook of old Excel"),
    (b"\x89HDF\r\n\x1a\n\0", "an HDF5 file"),
    (b"age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kudkj2uussjjdx8\n", "a key of age"),
    (b"---- BEGIN SSH2 PUBLIC KEY ----\nComment: a\nAAAAC3NzaC1lZDI1NTE5", "an SSH public key in the form of RFC 4716"),
    (b"sk-ssh-ed25519@openssh.com AAAAGnNr me\n", "an SSH public key of a security key"),
    (b"ssh-ed25519-cert-v01@openssh.com AAAAIHNz me\n", "an SSH certificate"),
    (b"ecdsa-sha2-nistp256-cert-v01@openssh.com AAAAKGVj me\n", "an SSH certificate"),
    (b"\xfe\xed\xfe\xed\0\0\0\x02\0\0\0\x01", "a Java keystore"),
    (b"\xce\xce\xce\xce\0\0\0\x02\0\0\0\x01", "a Java keystore"),
    (b"\xa4\x01\x01\x03\x27\x20\x06\x21\x58\x20", "a COSE key"),
    (b"\xa5\x01\x02\x03\x26\x20\x01\x21\x58\x20", "a COSE key"),
    // a public key, a secret one and a signature of GnuPG; the same in packets of the new form
    (b"\x98\x33\x04\x6b\x0a\xa2\x41\x16\x09\x2b\x06\x01", "an OpenPGP file"),
    (b"\x94\x58\x04\x6b\x0a\xa2\x41\x16\x09\x2b\x06\x01", "an OpenPGP file"),
    (b"\x88\x75\x04\0\x16\x08\0\x1d\x16\x21\x04\x8b", "an OpenPGP file"),
    (b"\x99\x01\x0d\x04\x6b\x0a\xa2\x41\x01\x08\0\x9e", "an OpenPGP file"),
    (b"\xc6\x33\x04\x6b\x0a\xa2\x41\x16\x09\x2b\x06\x01", "an OpenPGP file"),
    (b"\xc5\xc0\x58\x04\x6b\x0a\xa2\x41\x01\x09\x2b\x06", "an OpenPGP file"),
    (b"MC4CAQAwBQYDK2VwBCIEID3DyHXTSPeyT+A8/pY25AXjmpEiKsD662NHbjhR3zDa\n", "base64 of DER, without the labels of PEM"),
    (b"MCowBQYDK2VwAyEACE7I6cLxGsl8EJ6v0AqLNUQtS8D4f1v4R84Io80fWwM=", "base64 of DER, without the labels of PEM"),
    (b"LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0tCk1DNENBUUF3QlFZREsyVndCQ0lFSUQz", "base64 of PEM"),
    (b"302a300506032b6570032100084ec8e9c2f11ac97c109eafd00a8b35442d4bc0f87f5bf847ce08a3cd1f5b03\n", "hexadecimal of DER"),
    (b"302A300506032B6570032100084EC8E9C2F11AC97C109EAFD00A8B35442D4BC0F87F5BF847CE08A3CD1F5B03", "hexadecimal of DER"),
    (b"-----BEGIN PRIVATE KEY-----MC4CAQ-----END PRIVATE KEY-----\n", "PEM whose labels do not have lines of their own"),
    (b"> -----BEGIN PRIVATE KEY-----\n> MC4CAQ\n", "PEM whose labels do not have lines of their own"),
    (b"-----BEGIN PRIVATE KEY-----\\nMC4CAQ\\n", "PEM whose line ends are written as `\\n`"),
    (b"\"-----BEGIN PRIVATE KEY-----\\r\\nMC4CAQ", "PEM whose line ends are written as `\\n`"),
    (b"{\"key\":\"-----BEGIN PUBLIC KEY-----\\nMCow\"}\n", "JSON"),
    (b"[Interface]\nPrivateKey = yZmZp8D4F9ZHjUhXkUAJmvkgSwyM89GifU06UdSxwy8=\n", "an INI file"),
    (b"[null]", "a JSON array"),
    (b"[12]\n", "a JSON array"),
    (b"[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32]", "a JSON array of numbers, as Solana's tools write a key"),
    (b"{\n  \"key\": \"00\",\n", "a JSON object over several lines"),
    (b"{\"rows\": [\n  {\"key\": \"00\"},\n", "a JSON object over several lines"),
    (b"{\"a\": 1,\n\"key\": \"00\"}", "a JSON object over several lines"),
    // a line that is cut off, or wrong, and another
    (b"{\"key\": \"0\n{\"key\": \"00\"}\n", "JSON"),
    (b"{\"a\": 1,\n{\"a\": 2}\n", "JSON"),
    (b"{\n{\"a\": 2}\n", "JSON"),
    (b"\x1b\0\0\0\0\0\0\0DUCK\x40\0\0\0", "a DuckDB database"),
    (b"\x93NUMPY\x01\0v\0{'descr'", "an array of NumPy"),
    (b"\x80\x04\x95\x1a\0\0\0", "a pickle of Python"),
    (b"\x80\x02}q\0(X\x03\0", "a pickle of Python"),
    (b"-----BEGIN PRIVATE KEY-----\nAAAA", "a private key (unknown algorithm)"),
    (b"-----BEGIN PUBLIC KEY-----\n", "a public key (unknown algorithm)"),
    // a label of PEM in the bytes of the key, as fuzzing found one
    (
        b"\x30\x2e\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x6e\x04\x22\x04\x20key-----BEGIN PRIVATE KEY-----\n\0",
        "a private key (X25519)",
    ),
];

#[test]
fn what_others_write_is_named() {
    for (bytes, expected) in WRITTEN {
        assert_eq!(seen(bytes), *expected, "{}", String::from_utf8_lossy(bytes));
    }
    for (program, args, expected) in [
        ("gzip", "-c", "gzip"),
        ("zstd", "-c", "zstd"),
        ("bzip2", "-c", "bzip2"),
        ("xz", "-c", "xz"),
        ("lz4", "-c", "lz4"),
        ("iconv", "-f UTF-8 -t UTF-16", "text in UTF-16"),
        ("iconv", "-f UTF-8 -t UTF-16BE", "text in UTF-16"),
    ] {
        // not every machine has all of them
        if let Some(bytes) = output_of(program, args, b"key,message,signature\n") {
            assert_eq!(seen(&bytes), expected, "{program} {args}");
        }
    }
}

#[test]
fn tables_and_bare_keys_are_nothing_else() {
    for bytes in [
        &b""[..],
        b"\n",
        b"key,message,signature\n00,11,22\n",
        // words of text with which other files begin
        b"ORC,message,signature\n",
        b"BZh,message,signature\n",
        b"age1,message,signature\n",
        b"ssh-rsa,message,the signature\n",
        // base64 and hexadecimal of a signature in DER, and of no DER
        b"MEUCIQCQkZKTlJWWl5iZmpucnZ6foKGio6SlpqeoqaqrrK2urwIgEBESExQVFhcYGRobHB0eHyAhIiMkJSYnKCkqKywtLi8=",
        b"300000000000000000000000000000000000000000000000000000000000000000",
        b"ecdsa-sha2-key,message,the signature\n",
        // bytes of a key that begin as JSON does
        b"{\x9a\x03\xf1\x55\x80\x11\x7c\x02\xb4\x1f\x66\xc0\x9e\x0d\x3a\x91",
        b"[\x9a\x03\xf1\x55\x80\x11\x7c\x02\xb4\x1f\x66\xc0\x9e\x0d\x3a\x91",
        &[7; 32],
        &[b'a'; 64],
        b"hello world",
        b"11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=",
        b"d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        b"d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a00",
        &[0x30, 0x80],
        &[0x30, 0x84, 0xff, 0xff, 0xff, 0xff],
        &[0x30, 0x85, 0, 0, 0, 0, 0],
    ] {
        assert_eq!(FileKind::of(bytes), None, "{}", String::from_utf8_lossy(bytes));
    }
}
