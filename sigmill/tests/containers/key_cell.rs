//! Kinds of cells in key columns, as OpenSSL writes them.

use super::ecdsa_keyfile::Folder;
use sigmill::KeyCell;
use std::fmt::Write;

fn seen(cell: &[u8]) -> String {
    KeyCell::of(cell).map_or("nothing".to_owned(), |cell| cell.to_string())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string");
        text
    })
}

#[test]
fn containers_are_named_in_every_encoding() {
    let folder = Folder::new("key_cells");
    let both = |args: &str, name: &str| {
        let (pem, der) = (folder.openssl(args), folder.openssl(&format!("{args} -outform DER")));
        assert_eq!(seen(&pem), format!("{name} in PEM"));
        assert_eq!(seen(&der), format!("{name} in DER"));
        assert_eq!(seen(hex(&der).as_bytes()), format!("{name} in hexadecimal"));
        assert_eq!(seen(format!("0x{}\n", hex(&pem)).as_bytes()), format!("{name} in hexadecimal"));
        for encoded in [&pem, &der] {
            folder.write("encoded", encoded);
            for args in ["base64 -in encoded", "base64 -A -in encoded"] {
                // a line of 64 characters and its end are as long as a key of SEC1
                let text = folder.openssl(args).trim_ascii_end().to_vec();
                assert_eq!(seen(&text), format!("{name} in base64"));
                let unpadded = String::from_utf8(text).expect("text").replace('=', "");
                assert_eq!(seen(unpadded.as_bytes()), format!("{name} in base64"));
            }
        }
        // around it whatever is not the container
        assert_eq!(seen(&[b"caf\xe9\r\n", &pem[..]].concat()), format!("{name} in PEM"));
        assert_eq!(seen(&[&der[..], b"\0"].concat()), "nothing");
        assert_eq!(seen(&der[..der.len() - 1]), "nothing");
        let text = String::from_utf8(pem).expect("text");
        for line_end in [" ", "", "\\n"] {
            assert_eq!(seen(text.replace('\n', line_end).as_bytes()), "PEM without line ends");
        }
        for len in 0..der.len() {
            let _ = KeyCell::of(&der[..len]);
        }
    };
    for (args, name) in [
        ("genpkey -algorithm ed25519", "Ed25519"),
        ("genpkey -algorithm x25519", "X25519"),
        ("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:4096", "RSA"),
        ("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-384", "P-384"),
    ] {
        folder.write("key.pem", folder.openssl(args));
        both("pkey -in key.pem -pubout", &format!("SubjectPublicKeyInfo ({name})"));
        both("pkcs8 -topk8 -nocrypt -in key.pem", &format!("a private key ({name})"));
        // which does not sign
        if name != "X25519" {
            both("req -x509 -new -subj /CN=a -key key.pem", "a certificate");
        }
    }
}

#[test]
fn what_may_be_a_key_is_nothing_else() {
    for len in [32, 33, 49, 65, 97] {
        assert_eq!(seen(&vec![b'a'; len]), "nothing");
        let mut sequence = vec![0; len];
        sequence[..2].copy_from_slice(&[0x30, len as u8 - 2]);
        assert_eq!(seen(&sequence), "nothing");
        assert_eq!(seen(hex(&sequence).as_bytes()), "text that may be hexadecimal");
    }
    // beginnings of files that wrong bytes may have, too
    for bytes in [&b"["[..], b"{", b"\x1f\x8b\x08", b"\xff\xfe", b"BZh9", b"", &[0; 64]] {
        assert_eq!(seen(bytes), "nothing");
    }
    assert_eq!(seen(b"-----BEGIN THING-----\nAA==\n"), "PEM with an unknown label");
    assert_eq!(seen(b"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA me"), "an SSH public key (Ed25519)");
    assert_eq!(seen(br#"{"kty":"OKP","crv":"Ed25519"}"#), "a JSON Web Key");
}
