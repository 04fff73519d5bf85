//! Kinds of cells in key columns, as OpenSSL writes them.

use super::ecdsa_keyfile::Folder;
use sigmill::ed25519::SigningKey;
use sigmill::{FileKind, KeyCell};
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

/// As NaCl, libsodium and Go write a secret key: 64 bytes, of which the last 32 are the public key.
#[test]
fn a_seed_with_its_public_key_is_named() {
    const NAME: &str = "an Ed25519 seed and its public key, as NaCl and Go write a secret key";
    let mut pair = SigningKey::from_bytes(&[7; 32]).to_keypair_bytes();
    assert_eq!(KeyCell::of(&pair), Some(KeyCell::Binary(FileKind::KeyPair)));
    assert_eq!(seen(&pair), NAME);
    assert_eq!(seen(hex(&pair).as_bytes()), format!("{NAME} in hexadecimal"));
    let folder = Folder::new("key_pairs");
    folder.write("pair", pair);
    let text = folder.openssl("base64 -A -in pair").trim_ascii_end().to_vec();
    assert_eq!(seen(&text), format!("{NAME} in base64"));
    let advice = KeyCell::of(&pair).and_then(KeyCell::kind).and_then(FileKind::advice);
    assert_eq!(advice, Some("the last 32 of its 64 bytes are the public key"));
    // any other 64 bytes are a key of a wrong length
    for at in [0, 31, 32, 63] {
        pair[at] ^= 1;
        assert_eq!(seen(&pair), "nothing");
        assert_eq!(seen(hex(&pair).as_bytes()), "nothing");
        pair[at] ^= 1;
    }
    // a file of 64 bytes may be anything
    assert_eq!(FileKind::of(&pair), None);
}

/// As pyca's and Node's libraries of WebAuthn give them (RFC 9053, with the lengths of keys in it).
#[test]
fn keys_of_cose_are_named() {
    let ed25519 = [&[0xa4, 1, 1, 3, 0x27, 0x20, 6, 0x21, 0x58, 32][..], &[9; 32]].concat();
    let p256 = [
        &[0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32][..],
        &[9; 32],
        &[0x22, 0x58, 32],
        &[9; 32],
    ]
    .concat();
    // with a name and operations in front, and labels in another order
    let named =
        [&[0xa5, 2, 0x42, 7, 7, 4, 0x81, 2, 1, 1, 0x20, 6, 0x21, 0x58, 32][..], &[9; 32]].concat();
    for cell in [&ed25519, &p256, &named] {
        assert_eq!(KeyCell::of(cell), Some(KeyCell::Binary(FileKind::CoseKey)));
        assert_eq!(seen(cell), "a COSE key");
        assert_eq!(seen(hex(cell).as_bytes()), "a COSE key in hexadecimal");
        for len in 0..cell.len() {
            assert_eq!(seen(&cell[..len]), "nothing", "{len}");
        }
        assert_eq!(seen(&[&cell[..], &[0]].concat()), "nothing");
    }
    // no type of a key, a type that is none, and a number of operations that no memory holds
    for cell in [
        &[0xa3, 2, 1, 3, 0x27, 0x20, 6][..],
        &[0xa3, 1, 0, 3, 0x27, 0x20, 6],
        &[0xa3, 1, 1, 3, 0x27, 4, 0x9b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1],
        &[0xa1, 1, 0xa1, 1, 1],
        &[0xa0],
        &[0xbf, 1, 1, 0xff],
    ] {
        assert_eq!(seen(cell), "nothing");
    }
}
