//! Wrong keys, confused algorithms, signatures of other forms.

use crate::{ALGORITHMS, HOSTS, accepts, install, pair, refusal, sign};
use data_encoding::{BASE64URL_NOPAD, HEXLOWER};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation, decode, encode};
use serde_json::{Value, json};
use sigmill::ecdsa::p256;
use sigmill_jsonwebtoken::PROVIDER;
use std::fs;

/// The message of an error says the algorithm, what was found and what was expected.
#[track_caller]
fn names(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in {text:?}");
    }
}

#[test]
fn keys_of_another_kind_are_refused() {
    for algorithm in ALGORITHMS {
        for other in ALGORITHMS {
            if other == algorithm {
                continue;
            }
            let (secret, public) = pair(other, 7);
            let signer = (PROVIDER.signer_factory)(&algorithm, &secret);
            let name = format!("{algorithm:?}");
            let Err(error) = signer else { panic!("{algorithm:?} signs with a key of {other:?}") };
            names(&error.to_string(), &[&name]);
            names(&refusal(algorithm, &public), &[&name]);
        }
        let secret = DecodingKey::from_secret(b"secret").unwrap();
        names(&refusal(algorithm, &secret), &["needs a key of the family", "got one of Hmac"]);
        let rsa = DecodingKey::from_rsa_components("AQAB", "AQAB").unwrap();
        names(&refusal(algorithm, &rsa), &["got one of Rsa"]);
    }
}

#[test]
fn keys_of_another_length_are_refused() {
    for length in [0, 1, 31, 33, 57, 64] {
        let key = DecodingKey::from_ed_der(&vec![1; length]);
        let text = refusal(Algorithm::EdDSA, &key);
        names(&text, &["public key for EdDSA", &format!("{length} bytes, not 32")]);
    }
    for algorithm in [Algorithm::ES256, Algorithm::ES384] {
        let (_, public) = pair(algorithm, 7);
        let point = public.try_get_as_bytes().unwrap();
        for wrong in [&[][..], &point[1..], &point[..point.len() - 1], &[point, &[0]].concat()] {
            names(&refusal(algorithm, &DecodingKey::from_ec_der(wrong)), &["public key for ES"]);
        }
        let mut off_curve = point.to_vec();
        *off_curve.last_mut().unwrap() ^= 1;
        let text = refusal(algorithm, &DecodingKey::from_ec_der(&off_curve));
        names(&text, &["not a point on the curve"]);
        let cut = EncodingKey::from_ec_der(&[0x30, 0x03, 0x02, 0x01, 0x00]);
        let Err(error) = (PROVIDER.signer_factory)(&algorithm, &cut) else { panic!("signs") };
        names(&error.to_string(), &["private key for ES"]);
    }
}

/// A token whose `alg` the attacker has chosen, signed with the bytes of the public key as a secret.
#[test]
fn a_public_key_is_no_secret() {
    install();
    let claims = json!({ "exp": 4_102_444_800_u64 });
    for algorithm in ALGORITHMS {
        let (_, public) = pair(algorithm, 7);
        let secret = EncodingKey::from_secret(public.try_get_as_bytes().unwrap()).unwrap();
        let message = "eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjQxMDI0NDQ4MDB9";
        let signature = sign(HOSTS, Algorithm::HS256, &secret, message.as_bytes());
        let token = format!("{message}.{}", BASE64URL_NOPAD.encode(&signature));
        let read = decode::<Value>(&token, &public, &Validation::new(algorithm));
        assert_eq!(read.unwrap_err().to_string(), "InvalidAlgorithm");
        // even a verifier that allows HS256 does not verify by it under such a key
        let read = decode::<Value>(&token, &public, &Validation::new(Algorithm::HS256));
        read.unwrap_err();
        let made = encode(&Header::new(algorithm), &claims, &secret);
        assert_eq!(made.unwrap_err().to_string(), "InvalidAlgorithm");
    }
}

#[test]
fn another_alg_in_the_header_is_refused() {
    install();
    let claims = json!({ "exp": 4_102_444_800_u64 });
    for algorithm in ALGORITHMS {
        let (secret, _) = pair(algorithm, 7);
        let token = encode(&Header::new(algorithm), &claims, &secret).unwrap();
        for other in ALGORITHMS {
            let (_, public) = pair(other, 7);
            let read = decode::<Value>(&token, &public, &Validation::new(other));
            assert_eq!(read.is_err(), other != algorithm, "{algorithm:?} as {other:?}");
        }
    }
    // ES256 and ES384 are one family: a verifier may allow both, and the key decides
    let mut both = Validation::new(Algorithm::ES256);
    both.algorithms = vec![Algorithm::ES256, Algorithm::ES384];
    let (secret, _) = pair(Algorithm::ES384, 7);
    let (_, public) = pair(Algorithm::ES256, 7);
    let token = encode(&Header::new(Algorithm::ES384), &claims, &secret).unwrap();
    names(&decode::<Value>(&token, &public, &both).unwrap_err().to_string(), &["ES384"]);
    let none = "eyJhbGciOiJub25lIn0.e30.";
    decode::<Value>(none, &public, &both).unwrap_err();
}

#[test]
fn signatures_of_another_form_are_refused() {
    for algorithm in ALGORITHMS {
        let (secret, public) = pair(algorithm, 7);
        let signature = sign(&PROVIDER, algorithm, &secret, b"text");
        let longer = [&signature[..], &[0]].concat();
        for wrong in [&[][..], &signature[1..], &longer, &vec![0; signature.len()]] {
            assert!(!accepts(&PROVIDER, algorithm, &public, b"text", wrong).unwrap());
        }
    }
    let key = p256::SigningKey::from_slice(&[7; 32]).unwrap();
    let (_, public) = pair(Algorithm::ES256, 7);
    let signature = key.sign_message(b"text");
    let der = signature.to_der();
    assert!(!accepts(&PROVIDER, Algorithm::ES256, &public, b"text", der.as_bytes()).unwrap());
    // RFC 7518 says nothing of a high s: both of them are valid, as with the host's provider
    let mut high = signature.to_bytes();
    for (at, difference) in high[32..].iter_mut().zip(minus(&ORDER, &signature.to_bytes()[32..])) {
        *at = difference;
    }
    for by in [&PROVIDER, HOSTS] {
        assert!(accepts(by, Algorithm::ES256, &public, b"text", &high).unwrap());
    }
}

/// n of P-256.
const ORDER: [u8; 32] = [
    0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xbc, 0xe6, 0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51,
];

fn minus(a: &[u8; 32], b: &[u8]) -> [u8; 32] {
    let mut difference = [0; 32];
    let mut borrow = false;
    for i in (0..32).rev() {
        let (step, first) = a[i].overflowing_sub(b[i]);
        let (step, second) = step.overflowing_sub(u8::from(borrow));
        (difference[i], borrow) = (step, first || second);
    }
    difference
}

/// The frozen rows of small orders, of encodings and of s out of range: the verdicts are those of the rule, and those
/// of the host's provider wherever it takes the key.
#[test]
fn ed25519_has_the_verdicts_of_its_rule_and_of_the_host() {
    let (mut rows, mut valid) = (0, 0);
    let text = fs::read_to_string(FROZEN).unwrap();
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap().split(',').collect();
    let at = |column| head.iter().position(|name| *name == column).unwrap();
    let columns = ["variant", "key", "message", "signature", "common"].map(at);
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let [variant, key, message, signature, verdict] = columns.map(|column| cells[column]);
        if variant != "pure" {
            continue;
        }
        let [key, message, signature] =
            [key, message, signature].map(|text| HEXLOWER.decode(text.as_bytes()).unwrap());
        let of = DecodingKey::from_ed_der(&key);
        let accepted =
            |by| accepts(by, Algorithm::EdDSA, &of, &message, &signature).is_ok_and(|valid| valid);
        assert_eq!(accepted(&PROVIDER), verdict == "ok", "{line}");
        // the host's own provider panics at a key of less than 32 bytes, and cuts longer ones
        if key.len() == 32 {
            assert_eq!(accepted(HOSTS), verdict == "ok", "{line}");
        }
        rows += 1;
        valid += usize::from(verdict == "ok");
    }
    println!("{rows} rows, {valid} of them valid");
    assert!(rows > 100 && valid > 10);
}

const FROZEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors/ed25519/verify.csv");
