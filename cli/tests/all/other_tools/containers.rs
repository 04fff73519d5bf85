//! Keys in containers.

use super::{assert_refused, assert_rows, folder, hex, parquet, reasons, table, text};
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, BinaryArray, DictionaryArray, StringArray};
use sigmill::bulk::Algorithm;
use sigmill::ecdsa::{Curve, p256, p384};
use sigmill::ed25519::{Signer, SigningKey};
use std::fs;
use std::sync::Arc;

/// Algorithm, key in SubjectPublicKeyInfo as DER and PEM, message, signature.
type InSpki = (Algorithm, Vec<u8>, String, Vec<u8>, Vec<u8>);

fn in_spki() -> Vec<InSpki> {
    let message = b"message".to_vec();
    let ed25519 = SigningKey::from_bytes(&[7; 32]);
    let p256 = p256::ecdsa::SigningKey::from_bytes(&[7; 32]).expect("a key");
    let p384 = p384::ecdsa::SigningKey::from_bytes(&[7; 48]).expect("a key");
    let key = ed25519.verifying_key();
    let of_p256: p256::ecdsa::Signature = Signer::sign(&p256, &message);
    let of_p384: p384::ecdsa::Signature = Signer::sign(&p384, &message);
    vec![
        (
            Algorithm::Ed25519,
            key.to_spki_der().expect("DER"),
            key.to_spki_pem().expect("PEM"),
            message.clone(),
            ed25519.sign(&message).to_bytes().to_vec(),
        ),
        (
            Algorithm::of_curve(Curve::P256),
            p256.verifying_key().to_spki_der().expect("DER"),
            p256.verifying_key().to_spki_pem().expect("PEM"),
            message.clone(),
            of_p256.to_bytes().to_vec(),
        ),
        (
            Algorithm::of_curve(Curve::P384),
            p384.verifying_key().to_spki_der().expect("DER"),
            p384.verifying_key().to_spki_pem().expect("PEM"),
            message,
            of_p384.to_bytes().to_vec(),
        ),
    ]
}

#[test]
fn keys_in_containers_are_read_where_the_option_says_so() {
    let folder = folder();
    for (alg, der, pem, message, signature) in in_spki() {
        let alg = alg.name();
        let binary =
            |cells: [&[u8]; 2]| -> ArrayRef { Arc::new(BinaryArray::from_iter_values(cells)) };
        let (messages, signatures) = (binary([&message; 2]), binary([&signature; 2]));
        let indices = arrow_array::Int32Array::from(vec![0, 0]);
        let values: ArrayRef = Arc::new(BinaryArray::from_iter_values([&der]));
        let columns: [ArrayRef; 4] = [
            binary([&der; 2]),
            binary([pem.as_bytes(); 2]),
            Arc::new(StringArray::from_iter_values([pem.as_str(), &format!("\u{feff}\n{pem}\n")])),
            Arc::new(DictionaryArray::<Int32Type>::try_new(indices, values).expect("in range")),
        ];
        for keys in columns {
            let path = folder.path().join("t.parquet");
            parquet(&path, &table([keys, messages.clone(), signatures.clone()]));
            assert_rows(&[text(&path), "--alg", alg, "--key-form", "spki"], &["valid"; 2]);
            // said before the table is judged
            let message = "; --key-form spki reads it";
            assert_refused(&[text(&path), "--alg", alg], folder.path(), message);
        }
        // in text: DER in hexadecimal or base64, or PEM
        let path = folder.path().join("t.jsonl");
        let line = |key: &str, encode: fn(&[u8]) -> String| {
            serde_json::json!({"key": key, "msg": encode(&message), "sig": encode(&signature)})
                .to_string()
                + "\n"
        };
        let base64: fn(&[u8]) -> String = |bytes| data_encoding::BASE64.encode(bytes);
        for (encoding, encode) in [("hex", hex as fn(&[u8]) -> String), ("base64", base64)] {
            fs::write(&path, line(&encode(&der), encode) + &line(&pem, encode)).expect("written");
            let args = [text(&path), "--alg", alg, "--key-form", "spki", "--encoding", encoding];
            assert_rows(&args, &["valid"; 2]);
            for key in [encode(&der), pem.clone()] {
                fs::write(&path, line(&key, encode)).expect("written");
                let args = [text(&path), "--alg", alg, "--encoding", encoding];
                assert_refused(&args, folder.path(), "; --key-form spki reads it");
            }
        }
    }
}

#[test]
fn a_container_of_another_algorithm_is_a_problem_of_its_row() {
    let folder = folder();
    let path = folder.path().join("t.jsonl");
    let all = in_spki();
    let line = |of_key: usize, of_row: usize| {
        let ((_, key, ..), (alg, _, _, message, signature)) = (&all[of_key], &all[of_row]);
        serde_json::json!({"alg": alg.name(), "key": hex(key), "msg": hex(message), "sig": hex(signature)})
            .to_string() + "\n"
    };
    let (mut lines, mut expected) = (String::new(), Vec::new());
    for of_key in 0..3 {
        for of_row in 0..3 {
            lines += &line(of_key, of_row);
            expected.push(if of_key == of_row { "valid" } else { "unreadable" });
        }
    }
    // a key of X25519, a key by itself, and no DER at all
    let mut x25519 = all[0].1.clone();
    x25519[8] = 0x6e;
    let itself = &all[0].1[12..];
    for key in [&x25519[..], itself, b"\x30"] {
        lines += &(serde_json::json!({"alg": "ed25519", "key": hex(key), "msg": "", "sig": ""})
            .to_string()
            + "\n");
        expected.push("unreadable");
    }
    fs::write(&path, lines).expect("written");
    let args = [text(&path), "--key-form", "spki"];
    assert_rows(&args, &expected);
    let (_, _, err) = reasons(&args);
    for message in [
        "row 1, column key: holds a key of ed25519; the row is of p256",
        "row 3, column key: holds a key of p256; the row is of ed25519",
        "row 9, column key: a key of another algorithm than Ed25519, P-256 and P-384: 44 bytes",
        "row 10, column key: not a SubjectPublicKeyInfo: ",
    ] {
        assert!(err.contains(message), "{message}: {err}");
    }
}
