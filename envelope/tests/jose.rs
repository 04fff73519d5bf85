//! JSON Web Keys and Signatures: vectors, round trips, attacks, and interop.

#[path = "jose/attacks.rs"]
mod attacks;
#[path = "jose/interop.rs"]
mod interop;
#[path = "jose/keys.rs"]
mod keys;

use data_encoding::BASE64URL_NOPAD as B64;
use sigmill::bulk::Algorithm;
use sigmill::ecdsa::Encoding;
use sigmill::ed25519::rules;
use sigmill_envelope::jose::{
    Headers, Jwk, JwkSet, LONGEST_SIGNATURE, Token, Verifier, read_private, sign_compact,
    sign_general,
};
use sigmill_envelope::{Key, Refusal, Result, Scheme, SecretKey, Signed};
use std::borrow::Cow;

/// A verdict, or why reading refused.
type Seen = std::result::Result<bool, Refusal>;

const ALGORITHMS: [(Algorithm, &str); 3] =
    [(Algorithm::Ed25519, "EdDSA"), (Algorithm::P256, "ES256"), (Algorithm::P384, "ES384")];

fn secret(algorithm: Algorithm, fill: u8) -> SecretKey {
    let len = if algorithm == Algorithm::P384 { 48 } else { 32 };
    SecretKey::new(algorithm, &vec![fill; len]).unwrap()
}

fn named(key: Key, kid: &str) -> Jwk {
    let mut jwk = Jwk::new(key);
    jwk.kid = Some(kid.into());
    jwk
}

fn valid(keys: &JwkSet, read: &Token<'_>) -> bool {
    let key = keys.key(read.key).unwrap();
    read.signed.verify(key, &rules::COMMON).unwrap().is_valid()
}

/// Reads twice, from memory the second time, and as a row of a column: all must agree.
fn compact(keys: &JwkSet, token: &[u8]) -> Seen {
    let mut verifier = Verifier::new(keys);
    let first = verifier.read_compact(token);
    let mut buffer = [0; LONGEST_SIGNATURE];
    match verifier.read_row(token, &mut buffer) {
        Err(error) => assert_eq!(first.as_ref().err(), Some(&error)),
        Ok(row) => {
            let read = first.as_ref().unwrap();
            assert_eq!((read.key, &*read.signed.message), (row.key, row.message));
            assert_eq!(*read.signed.signature, buffer[..row.signature_len]);
            assert_eq!(read.signed.scheme, row.scheme);
            assert!(matches!(read.signed.message, Cow::Borrowed(_)));
            assert!(read.payload().is_ok(), "reading checks the payload");
        }
    }
    first.map(|read| valid(keys, &read)).map_err(|error| error.refusal())
}

fn detached(keys: &JwkSet, token: &[u8], payload: &[u8]) -> Seen {
    let read = Verifier::new(keys).read_detached(token, payload);
    read.map(|read| valid(keys, &read)).map_err(|error| error.refusal())
}

fn json(
    keys: &JwkSet,
    text: &str,
    payload: Option<&[u8]>,
) -> std::result::Result<Vec<Seen>, Refusal> {
    let read = Verifier::new(keys).read_json(text.as_bytes(), payload);
    let seen = |one: Result<Token<'_>>| {
        one.map(|read| valid(keys, &read)).map_err(|error| error.refusal())
    };
    read.map(|all| all.into_iter().map(seen).collect()).map_err(|error| error.refusal())
}

/// A signed token with any header and any payload part.
fn forged(secret: &SecretKey, header: &str, payload: &str) -> String {
    let message = format!("{}.{payload}", B64.encode(header.as_bytes()));
    format!("{message}.{}", B64.encode(&signature(secret, message.as_bytes())))
}

fn signature(secret: &SecretKey, message: &[u8]) -> Vec<u8> {
    secret.sign(Scheme::of(secret.algorithm(), Encoding::Fixed), message).unwrap()
}

const A3_JWK: &str = r#"{"kty":"EC","crv":"P-256",
 "x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
 "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
 "d":"jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"}"#;
const A3_PAYLOAD: &str = "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
const A3_SIGNATURE: &str =
    "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q";
const A6_KID: &str = "e9bc097a-ce51-4036-9562-d2ade882db0d";

#[test]
fn rfc7515() {
    // Appendix A.3. The key has `d`: the public part alone is kept.
    let keys = JwkSet::read(A3_JWK.as_bytes()).unwrap();
    let token = format!("eyJhbGciOiJFUzI1NiJ9.{A3_PAYLOAD}.{A3_SIGNATURE}");
    assert_eq!(compact(&keys, token.as_bytes()), Ok(true));
    let mut verifier = Verifier::new(&keys);
    let read = verifier.read_compact(token.as_bytes()).unwrap();
    let claims = read.claims(&["iss", "exp", "sub", "http://example.com/is_root"]).unwrap();
    let texts: Vec<_> = claims.iter().map(Option::as_deref).collect();
    assert_eq!(texts, [Some("joe"), Some("1300819380"), None, Some("true")]);
    assert_eq!(read.header(&["alg", "typ"]).unwrap(), [Some("ES256".into()), None]);
    let (private, _) = read_private(A3_JWK.as_bytes()).unwrap();
    let payload = B64.decode(A3_PAYLOAD.as_bytes()).unwrap();
    assert_eq!(&*read.payload().unwrap(), payload);
    let ours = sign_compact(&private, None, None, &payload).unwrap();
    assert_eq!(compact(&keys, ours.as_bytes()), Ok(true));

    // Appendices A.6 and A.7: the kid is in the unprotected header; RS256 beside it does not hinder.
    let (_, mut jwk) = read_private(A3_JWK.as_bytes()).unwrap();
    jwk.kid = Some(A6_KID.into());
    let keys = JwkSet::new(vec![jwk]).unwrap();
    let flattened = format!(
        r#"{{"payload":"{A3_PAYLOAD}","protected":"eyJhbGciOiJFUzI1NiJ9",
         "header":{{"kid":"{A6_KID}"}},"signature":"{A3_SIGNATURE}"}}"#
    );
    assert_eq!(json(&keys, &flattened, None), Ok(vec![Ok(true)]));
    let rsa = r#"{"protected":"eyJhbGciOiJSUzI1NiJ9","header":{"kid":"2010-12-29"},"signature":"cC4hiUPo"}"#;
    let general = format!(
        r#"{{"payload":"{A3_PAYLOAD}","signatures":[{rsa},{{"protected":"eyJhbGciOiJFUzI1NiJ9",
         "header":{{"kid":"{A6_KID}"}},"signature":"{A3_SIGNATURE}"}}]}}"#
    );
    assert_eq!(json(&keys, &general, None), Ok(vec![Err(Refusal::AlgUnknown), Ok(true)]));
}

#[test]
fn rfc8037() {
    // Appendices A.1 to A.5.
    let private = r#"{"kty":"OKP","crv":"Ed25519",
        "d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
        "x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#;
    let (secret, jwk) = read_private(private.as_bytes()).unwrap();
    assert_eq!(jwk.thumbprint().unwrap(), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
    let token = sign_compact(&secret, None, None, b"Example of Ed25519 signing").unwrap();
    let expected = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.\
        hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";
    assert_eq!(token, expected);
    let keys = JwkSet::new(vec![jwk]).unwrap();
    assert_eq!(compact(&keys, token.as_bytes()), Ok(true));
}

#[test]
fn examples_with_other_algorithms() {
    let keys = JwkSet::read(A3_JWK.as_bytes()).unwrap();
    // RFC 7520 §4.1 to §4.4 by their headers, with a signature that could be one of ES256.
    for (alg, kid) in [
        ("RS256", "bilbo.baggins@hobbiton.example"),
        ("PS384", "bilbo.baggins@hobbiton.example"),
        ("ES512", "bilbo.baggins@hobbiton.example"),
        ("HS256", "018c0ae5-4d9b-471b-bfd6-eef314bc7037"),
    ] {
        let header = B64.encode(format!(r#"{{"alg":"{alg}","kid":"{kid}"}}"#).as_bytes());
        let token = format!("{header}.{A3_PAYLOAD}.{A3_SIGNATURE}");
        let error = Verifier::new(&keys).read_compact(token.as_bytes()).unwrap_err();
        assert_eq!(error.refusal(), Refusal::AlgUnknown);
        assert!(error.detail().starts_with(&format!("`alg` is `{alg}`")), "{error}");
    }
    // RFC 7797 §4.1 and §4.2.
    let whole = b"eyJhbGciOiJIUzI1NiJ9.JC4wMg.5mvfOroL-g7HyqJoozehmsaqmvTYGEq5jTI1gVvoEoQ";
    assert_eq!(compact(&keys, whole), Err(Refusal::AlgUnknown));
    let header = "eyJhbGciOiJIUzI1NiIsImI2NCI6ZmFsc2UsImNyaXQiOlsiYjY0Il19";
    let token = format!("{header}..A5dxf2s96_n5FLueVuW1Z_vh161FwXZC4YLPff6dmDY");
    assert_eq!(detached(&keys, token.as_bytes(), b"$.02"), Err(Refusal::AlgUnknown));
    // The same shape in ES256 is read, and its message is the header, a dot and the payload as it is.
    let (secret, _) = read_private(A3_JWK.as_bytes()).unwrap();
    let headers = Headers { unencoded: true, ..Headers::default() };
    let token = headers.detached(&secret, b"$.02").unwrap();
    assert!(token.starts_with(&B64.encode(br#"{"alg":"ES256","b64":false,"crit":["b64"]}"#)));
    let mut verifier = Verifier::new(&keys);
    let read = verifier.read_detached(token.as_bytes(), b"$.02").unwrap();
    assert!(read.signed.message.ends_with(b".$.02") && valid(&keys, &read));
}

#[test]
fn round_trips() {
    let payload = br#"{"sub":"alice","n":1}"#;
    let latin = b"\xff\x00. any bytes";
    for (algorithm, alg) in ALGORITHMS {
        let secret = secret(algorithm, 7);
        let keys = JwkSet::new(vec![named(secret.public_key(), "k")]).unwrap();
        let other = JwkSet::new(vec![named(self::secret(algorithm, 8).public_key(), "k")]).unwrap();
        for (ed25519, unencoded, kid) in [
            (false, false, None),
            (true, false, Some("k")),
            (false, true, Some("k")),
            (true, true, None),
        ] {
            let headers = Headers { kid, typ: Some("JWT"), ed25519, unencoded };
            let token = headers.compact(&secret, payload).unwrap();
            assert_eq!(compact(&keys, token.as_bytes()), Ok(true));
            assert_eq!(compact(&other, token.as_bytes()), Ok(false));
            let mut verifier = Verifier::new(&keys);
            let read = verifier.read_compact(token.as_bytes()).unwrap();
            assert_eq!(&*read.payload().unwrap(), payload);
            assert_eq!(read.claims(&["n"]).unwrap(), [Some("1".into())]);
            let name = if ed25519 && alg == "EdDSA" { "Ed25519" } else { alg };
            assert_eq!(
                read.header(&["alg", "typ"]).unwrap(),
                [Some(name.into()), Some("JWT".into())]
            );
            assert_eq!(detached(&keys, token.as_bytes(), payload), Err(Refusal::PayloadTwice));

            for bytes in [payload.as_slice(), latin, b""] {
                let token = headers.detached(&secret, bytes).unwrap();
                assert_eq!(detached(&keys, token.as_bytes(), bytes), Ok(true));
                assert_eq!(detached(&keys, token.as_bytes(), b"other"), Ok(false));
                assert_eq!(compact(&keys, token.as_bytes()), Err(Refusal::PayloadMissing));
                let text = headers.flattened(&secret, bytes, true).unwrap();
                assert_eq!(json(&keys, &text, Some(bytes)), Ok(vec![Ok(true)]));
                assert_eq!(json(&keys, &text, None), Err(Refusal::PayloadMissing));
                let text = headers.flattened(&secret, bytes, false);
                if unencoded && bytes == latin.as_slice() {
                    assert_eq!(text.map_err(|e| e.refusal()), Err(Refusal::NotJws));
                    assert!(headers.compact(&secret, bytes).is_err());
                    continue;
                }
                let text = text.unwrap();
                assert_eq!(json(&keys, &text, None), Ok(vec![Ok(true)]));
                assert_eq!(json(&keys, &text, Some(bytes)), Err(Refusal::PayloadTwice));
            }
        }
    }
    // The general form, by three signers.
    let secrets = ALGORITHMS.map(|(algorithm, _)| secret(algorithm, 9));
    let all = secrets.iter().map(|secret| Jwk::new(secret.public_key())).collect();
    let keys = JwkSet::new(all).unwrap();
    for detached in [false, true] {
        let signers: Vec<_> = secrets.iter().map(|secret| (secret, Headers::default())).collect();
        let text = sign_general(&signers, payload, detached).unwrap();
        let beside = detached.then_some(payload.as_slice());
        assert_eq!(json(&keys, &text, beside), Ok(vec![Ok(true); 3]));
    }
    let unencoded = Headers { unencoded: true, ..Headers::default() };
    let mixed = [(&secrets[0], unencoded), (&secrets[1], Headers::default())];
    assert_eq!(sign_general(&mixed, payload, false).map_err(|e| e.refusal()), Err(Refusal::NotJws));
    assert_eq!(
        sign_general(&[], payload, false).map_err(|e| e.refusal()),
        Err(Refusal::NoSignature)
    );
}

#[test]
fn many_headers() {
    let secret = secret(Algorithm::Ed25519, 7);
    let keys = JwkSet::new(vec![named(secret.public_key(), "k")]).unwrap();
    let mut verifier = Verifier::new(&keys);
    let good = sign_compact(&secret, Some("k"), None, b"x").unwrap();
    let long = "k".repeat(2000);
    let unknown = sign_compact(&secret, Some(&long), None, b"x").unwrap();
    for i in 0..3000 {
        let kid = format!("k{i}");
        let header = B64.encode(format!(r#"{{"alg":"EdDSA","kid":"{kid}"}}"#).as_bytes());
        let token = format!("{header}.eA.{}", "A".repeat(86));
        for bad in [token.as_bytes(), unknown.as_bytes()] {
            let error = verifier.read_compact(bad).unwrap_err();
            assert_eq!(error.refusal(), Refusal::KidUnknown);
        }
        assert_eq!(verifier.read_compact(good.as_bytes()).unwrap().key, 0);
    }
    // A header that begins another is not taken for it.
    let header = good.split('.').next().unwrap();
    let longer = good.replacen(header, &format!("{header}AAAA"), 1);
    assert!(verifier.read_compact(longer.as_bytes()).is_err());
    let signed: Signed<'_> = verifier.read_compact(good.as_bytes()).unwrap().signed;
    assert!(signed.verify(keys.key(0).unwrap(), &rules::COMMON).unwrap().is_valid());
}
