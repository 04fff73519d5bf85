//! Tokens and JSON Web Keys, as programs make and read them.

use crate::{ALGORITHMS, HOSTS, accepts, install, pair, sign};
use jsonwebtoken::jwk::{EllipticCurve, Jwk, ThumbprintHash};
use jsonwebtoken::{
    Algorithm, DecodingKey, EncodingKey, Header, Validation, decode, decode_header, encode,
};
use serde_json::{Value, json};
use sigmill::ecdsa::{p256, p384};
use sigmill::ed25519;
use sigmill_jsonwebtoken::PROVIDER;

/// 2100.
const LATER: u64 = 4_102_444_800;

fn claims() -> Value {
    json!({ "sub": "carol", "aud": "house", "exp": LATER })
}

fn validation(algorithm: Algorithm) -> Validation {
    let mut validation = Validation::new(algorithm);
    validation.set_audience(&["house"]);
    validation
}

#[test]
fn tokens_come_back_and_of_no_other_key() {
    install();
    for algorithm in ALGORITHMS {
        let (secret, public) = pair(algorithm, 7);
        let mut header = Header::new(algorithm);
        header.kid = Some("seven".into());
        let token = encode(&header, &claims(), &secret).unwrap();
        assert_eq!(decode_header(&token).unwrap().kid.as_deref(), Some("seven"));
        let read = decode::<Value>(&token, &public, &validation(algorithm)).unwrap();
        assert_eq!(read.claims, claims());
        assert_eq!(token, encode(&header, &claims(), &secret).unwrap(), "signing is deterministic");

        let (_, other) = pair(algorithm, 8);
        let error = decode::<Value>(&token, &other, &validation(algorithm)).unwrap_err();
        assert_eq!(error.to_string(), "InvalidSignature", "{algorithm:?}");
    }
}

#[test]
fn claims_are_validated_as_before() {
    install();
    let (secret, public) = pair(Algorithm::ES256, 7);
    for (claims, error) in [
        (json!({ "aud": "house", "exp": 1 }), "ExpiredSignature"),
        (json!({ "aud": "barn", "exp": LATER }), "InvalidAudience"),
    ] {
        let token = encode(&Header::new(Algorithm::ES256), &claims, &secret).unwrap();
        let read = decode::<Value>(&token, &public, &validation(Algorithm::ES256));
        assert_eq!(read.unwrap_err().to_string(), error);
    }
}

#[test]
fn the_hosts_provider_and_ours_accept_each_other() {
    for algorithm in ALGORITHMS {
        for number in [1, 7, 200] {
            let (secret, public) = pair(algorithm, number);
            for length in [0, 1, 64, 1000] {
                let text = vec![number; length];
                let ours = sign(&PROVIDER, algorithm, &secret, &text);
                let theirs = sign(HOSTS, algorithm, &secret, &text);
                if algorithm == Algorithm::EdDSA {
                    assert_eq!(ours, theirs, "RFC 8032 leaves no choice");
                }
                for signature in [&ours, &theirs] {
                    for by in [&PROVIDER, HOSTS] {
                        assert!(accepts(by, algorithm, &public, &text, signature).unwrap());
                    }
                }
                for bit in [0, 200, 8 * ours.len() - 1] {
                    let mut changed = ours.clone();
                    changed[bit / 8] ^= 1 << (bit % 8);
                    for by in [&PROVIDER, HOSTS] {
                        assert!(!accepts(by, algorithm, &public, &text, &changed).unwrap());
                    }
                }
            }
        }
    }
}

#[test]
fn keys_in_pem() {
    install();
    let ed = ed25519::SigningKey::from_bytes(&[7; 32]);
    let (p256, p384) = (
        p256::SigningKey::from_slice(&[7; 32]).unwrap(),
        p384::SigningKey::from_slice(&[7; 48]).unwrap(),
    );
    let pem = |secret: &str| secret.as_bytes().to_vec();
    let ed_pem = ed.to_private_key_pem().unwrap();
    let p256_pem = p256.to_private_key_pem().unwrap();
    let p384_pem = p384.to_private_key_pem().unwrap();
    let pairs = [
        (
            Algorithm::EdDSA,
            EncodingKey::from_ed_pem(&pem(&ed_pem)).unwrap(),
            DecodingKey::from_ed_pem(ed.verifying_key().to_spki_pem().unwrap().as_bytes()).unwrap(),
        ),
        (
            Algorithm::ES256,
            EncodingKey::from_ec_pem(&pem(&p256_pem)).unwrap(),
            DecodingKey::from_ec_pem(p256.verifying_key().to_spki_pem().unwrap().as_bytes())
                .unwrap(),
        ),
        (
            Algorithm::ES384,
            EncodingKey::from_ec_pem(&pem(&p384_pem)).unwrap(),
            DecodingKey::from_ec_pem(p384.verifying_key().to_spki_pem().unwrap().as_bytes())
                .unwrap(),
        ),
    ];
    for (algorithm, secret, public) in pairs {
        let token = encode(&Header::new(algorithm), &claims(), &secret).unwrap();
        decode::<Value>(&token, &public, &validation(algorithm)).unwrap();
    }
}

#[test]
fn json_web_keys_are_those_of_the_host() {
    install();
    for algorithm in ALGORITHMS {
        let (secret, public) = pair(algorithm, 7);
        let jwk = Jwk::from_encoding_key(&secret, algorithm).unwrap();
        let token = encode(&Header::new(algorithm), &claims(), &secret).unwrap();
        let key = DecodingKey::from_jwk(&jwk).unwrap();
        decode::<Value>(&token, &key, &validation(algorithm)).unwrap();
        assert_eq!(key.try_get_as_bytes().unwrap(), public.try_get_as_bytes().unwrap());

        let (ours, theirs) = (&PROVIDER.key_utils, &HOSTS.key_utils);
        if algorithm == Algorithm::EdDSA {
            let of = |utils: &jsonwebtoken::crypto::KeyUtils| {
                (utils.ed_pub_components_from_private_key)(
                    secret.as_bytes(),
                    &EllipticCurve::Ed25519,
                )
            };
            assert_eq!(of(ours).unwrap(), of(theirs).unwrap());
        } else {
            let of = |utils: &jsonwebtoken::crypto::KeyUtils| {
                (utils.ec_pub_components_from_private_key)(secret.as_bytes(), algorithm)
            };
            assert_eq!(of(ours).unwrap(), of(theirs).unwrap());
        }
        let hashes = [ThumbprintHash::SHA256, ThumbprintHash::SHA384, ThumbprintHash::SHA512];
        for (hash, length) in hashes.into_iter().zip([43, 64, 86]) {
            assert_eq!(jwk.thumbprint(hash).unwrap().len(), length, "base64url of the digest");
        }
    }
}

/// HMAC and RSA: by the host's provider with the feature, refused by name without it.
#[test]
fn other_algorithms() {
    install();
    let secret = EncodingKey::from_secret(b"0123456789abcdef0123456789abcdef").unwrap();
    let public = DecodingKey::from_secret(b"0123456789abcdef0123456789abcdef").unwrap();
    let token = encode(&Header::new(Algorithm::HS256), &claims(), &secret);
    if cfg!(feature = "rust_crypto") {
        let token = token.unwrap();
        decode::<Value>(&token, &public, &validation(Algorithm::HS256)).unwrap();
        return;
    }
    let text = token.unwrap_err().to_string();
    assert!(text.contains("HS256 is not supported; EdDSA, ES256 and ES384 are"), "{text}");
    let token = "eyJhbGciOiJIUzI1NiJ9.e30.AAAA";
    let error = decode::<Value>(token, &public, &validation(Algorithm::HS256)).unwrap_err();
    assert!(error.to_string().contains("HS256 is not supported"), "{error}");
    let rsa = DecodingKey::from_rsa_components("AQAB", "AQAB").unwrap();
    assert!(crate::refusal(Algorithm::PS512, &rsa).contains("PS512 is not supported"));
    let parts = (PROVIDER.key_utils.rsa_pub_components_from_private_key)(&[]);
    assert!(parts.unwrap_err().to_string().contains("RS256 is not supported"));
}
