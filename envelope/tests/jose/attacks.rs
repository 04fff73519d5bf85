//! Attacks on tokens: (name, input, expected refusal or verdict).

use super::keys::OTHERS;
use super::{
    A3_PAYLOAD, ALGORITHMS, B64, compact, detached, forged, json, named, secret, signature,
};
use sigmill::bulk::Algorithm;
use sigmill::ecdsa::Encoding;
use sigmill_envelope::jose::{Headers, Jwk, JwkSet, Verifier, sign_compact};
use sigmill_envelope::{Refusal, Scheme, SecretKey};

/// The keys of the verifier: `ed`, `p256`, `p384`, and those of other kinds.
fn setting() -> (JwkSet, [SecretKey; 3]) {
    let secrets = ALGORITHMS.map(|(algorithm, _)| secret(algorithm, 7));
    let kids = ["ed", "p256", "p384"];
    let keys = secrets.iter().zip(kids).map(|(secret, kid)| named(secret.public_key(), kid));
    let texts: Vec<String> = keys.map(|jwk| jwk.to_json().unwrap()).collect();
    let others: Vec<&str> = OTHERS.iter().map(|(_, text)| *text).collect();
    let text = format!(r#"{{"keys":[{},{}]}}"#, texts.join(","), others.join(","));
    (JwkSet::read(text.as_bytes()).unwrap(), secrets)
}

#[test]
fn attacks_on_compact() {
    use Refusal::*;
    let (keys, [ed, p256, p384]) = setting();
    let ed_token = |header: &str| forged(&ed, header, "eA");
    let good = ed_token(r#"{"alg":"EdDSA"}"#);
    let es256 = forged(&p256, r#"{"alg":"ES256"}"#, "eA");
    assert_eq!(compact(&keys, good.as_bytes()), Ok(true));
    assert_eq!(compact(&keys, es256.as_bytes()), Ok(true));
    let message = |token: &str| token.rsplit_once('.').unwrap().0.to_owned();
    let with = |token: &str, bytes: &[u8]| format!("{}.{}", message(token), B64.encode(bytes));
    let sig = |token: &str| B64.decode(token.rsplit_once('.').unwrap().1.as_bytes()).unwrap();
    let der = {
        let scheme = Scheme::of(Algorithm::P256, Encoding::Der);
        p256.sign(scheme, message(&es256).as_bytes()).unwrap()
    };
    let attacker = named(secret(Algorithm::Ed25519, 66).public_key(), "ed").to_json().unwrap();
    let embedded = forged(
        &secret(Algorithm::Ed25519, 66),
        &format!(r#"{{"alg":"EdDSA","jwk":{attacker}}}"#),
        "eA",
    );
    let text_none =
        |alg: &str| format!("{}.eA.", B64.encode(format!(r#"{{"alg":"{alg}"}}"#).as_bytes()));
    let long = format!(r#"{{"alg":"EdDSA","a":"{}"}}"#, "a".repeat(1 << 20));
    let deep = format!(r#"{{"alg":"EdDSA","a":{}1{}}}"#, "[".repeat(10_000), "]".repeat(10_000));
    let deep_objects = format!(r#"{{"alg":"EdDSA","a":{}"#, r#"{"a":"#.repeat(5_000));
    let bit = |text: &str| {
        // Sets the lowest bit of the last character of 2 or 3, which is beyond the last byte.
        let mut bytes = text.as_bytes().to_vec();
        *bytes.last_mut().unwrap() += 1;
        String::from_utf8(bytes).unwrap()
    };
    let crit = |crit: &str| ed_token(&format!(r#"{{"alg":"EdDSA",{crit}}}"#));
    let crit_payload =
        |crit: &str, payload: &str| forged(&ed, &format!(r#"{{"alg":"EdDSA",{crit}}}"#), payload);

    let table = [
        ("alg none", text_none("none"), Err(AlgUnknown)),
        ("alg None", text_none("None"), Err(AlgUnknown)),
        ("alg nOnE", text_none("nOnE"), Err(AlgUnknown)),
        ("alg none with kid", ed_token(r#"{"alg":"none","kid":"ed"}"#), Err(AlgUnknown)),
        ("HS256 with the public key", ed_token(r#"{"alg":"HS256","kid":"ed"}"#), Err(AlgUnknown)),
        ("HS256 by the oct key", ed_token(r#"{"alg":"HS256","kid":"oct"}"#), Err(AlgUnknown)),
        ("RS256", ed_token(r#"{"alg":"RS256","kid":"rsa"}"#), Err(AlgUnknown)),
        ("PS256", ed_token(r#"{"alg":"PS256","kid":"rsa"}"#), Err(AlgUnknown)),
        ("ES512", ed_token(r#"{"alg":"ES512","kid":"p521"}"#), Err(AlgUnknown)),
        ("ES256K", ed_token(r#"{"alg":"ES256K","kid":"k1"}"#), Err(AlgUnknown)),
        ("Ed448", ed_token(r#"{"alg":"Ed448","kid":"ed448"}"#), Err(AlgUnknown)),
        ("EdDSA by Ed448", ed_token(r#"{"alg":"EdDSA","kid":"ed448"}"#), Err(AlgMismatch)),
        ("EdDSA by X25519", ed_token(r#"{"alg":"EdDSA","kid":"x25519"}"#), Err(AlgMismatch)),
        ("alg in lower case", ed_token(r#"{"alg":"eddsa"}"#), Err(AlgUnknown)),
        ("alg with a space", ed_token(r#"{"alg":"EdDSA "}"#), Err(AlgUnknown)),
        ("alg empty", ed_token(r#"{"alg":""}"#), Err(AlgUnknown)),
        ("alg absent", ed_token(r#"{"kid":"ed"}"#), Err(AlgMissing)),
        ("alg no string", ed_token(r#"{"alg":1}"#), Err(NotJws)),
        ("alg null", ed_token(r#"{"alg":null}"#), Err(NotJws)),
        ("alg an array", ed_token(r#"{"alg":["EdDSA"]}"#), Err(NotJws)),
        ("alg twice", ed_token(r#"{"alg":"none","alg":"EdDSA"}"#), Err(DuplicateMember)),
        (
            "alg twice, escaped",
            ed_token(r#"{"alg":"EdDSA","\u0061lg":"none"}"#),
            Err(DuplicateMember),
        ),
        ("ES256 under Ed25519", ed_token(r#"{"alg":"ES256","kid":"ed"}"#), Err(AlgMismatch)),
        (
            "EdDSA under P-256",
            forged(&p256, r#"{"alg":"EdDSA","kid":"p256"}"#, "eA"),
            Err(AlgMismatch),
        ),
        (
            "ES384 under P-256",
            forged(&p256, r#"{"alg":"ES384","kid":"p256"}"#, "eA"),
            Err(AlgMismatch),
        ),
        (
            "ES256 under P-384",
            forged(&p384, r#"{"alg":"ES256","kid":"p384"}"#, "eA"),
            Err(AlgMismatch),
        ),
        ("signed with another key", forged(&p256, r#"{"alg":"EdDSA"}"#, "eA"), Ok(false)),
        ("kid of another key", ed_token(r#"{"alg":"ES256","kid":"p256"}"#), Ok(false)),
        ("kid unknown", ed_token(r#"{"alg":"EdDSA","kid":"../../dev/null"}"#), Err(KidUnknown)),
        ("kid no string", ed_token(r#"{"alg":"EdDSA","kid":1}"#), Err(NotJws)),
        ("kid null", ed_token(r#"{"alg":"EdDSA","kid":null}"#), Err(NotJws)),
        ("header an array", ed_token(r#"["EdDSA"]"#), Err(NotJws)),
        ("header a string", ed_token(r#""EdDSA""#), Err(NotJws)),
        ("header null", ed_token("null"), Err(NotJws)),
        ("header empty", ed_token(""), Err(NotJws)),
        ("header without members", ed_token("{}"), Err(AlgMissing)),
        ("header no JSON", ed_token("{alg:EdDSA}"), Err(NotJws)),
        ("header with more behind", ed_token(r#"{"alg":"EdDSA"}{}"#), Err(NotJws)),
        ("header with a zero behind", ed_token("{\"alg\":\"EdDSA\"}\0"), Err(NotJws)),
        ("header of 1 MB", ed_token(&long), Err(TooLarge)),
        ("header 10,000 deep", ed_token(&deep), Err(TooDeep)),
        ("header 5,000 objects deep", ed_token(&deep_objects), Err(TooDeep)),
        ("jwk of the attacker", embedded, Ok(false)),
        (
            "jku, x5u and x5c",
            ed_token(r#"{"alg":"EdDSA","jku":"https://a","x5u":"https://a","x5c":[]}"#),
            Ok(true),
        ),
        ("crit empty", crit(r#""crit":[]"#), Err(NotJws)),
        ("crit no array", crit(r#""crit":"b64""#), Err(NotJws)),
        ("crit of numbers", crit(r#""crit":[1]"#), Err(NotJws)),
        ("crit null", crit(r#""crit":null"#), Err(NotJws)),
        ("crit unknown", crit(r#""crit":["x"],"x":1"#), Err(CritUnknown)),
        ("crit exp", crit(r#""crit":["exp"],"exp":1"#), Err(CritUnknown)),
        ("crit alg", crit(r#""crit":["alg"]"#), Err(CritUnknown)),
        ("crit crit", crit(r#""crit":["crit"]"#), Err(CritUnknown)),
        ("crit b64 and unknown", crit(r#""crit":["b64","x"],"b64":true,"x":1"#), Err(CritUnknown)),
        ("crit b64 twice", crit(r#""crit":["b64","b64"],"b64":true"#), Err(DuplicateMember)),
        ("crit without the header", crit(r#""crit":["b64"]"#), Err(NotJws)),
        ("crit with case", crit(r#""crit":["B64"],"B64":false"#), Err(CritUnknown)),
        ("b64 true", crit(r#""crit":["b64"],"b64":true"#), Ok(true)),
        ("b64 true, not critical", crit(r#""b64":true"#), Ok(true)),
        ("b64 false, not critical", crit(r#""b64":false"#), Err(NotJws)),
        ("b64 no boolean", crit(r#""crit":["b64"],"b64":"false""#), Err(NotJws)),
        ("b64 zero", crit(r#""crit":["b64"],"b64":0"#), Err(NotJws)),
        ("b64 false", crit_payload(r#""crit":["b64"],"b64":false"#, "any text~"), Ok(true)),
        (
            "b64 false with a dot",
            crit_payload(r#""crit":["b64"],"b64":false"#, "$.02"),
            Err(NotJws),
        ),
        (
            "b64 false with a newline",
            crit_payload(r#""crit":["b64"],"b64":false"#, "a\n"),
            Err(NotJws),
        ),
        ("b64 false with é", crit_payload(r#""crit":["b64"],"b64":false"#, "é"), Err(NotJws)),
        (
            "b64 dropped",
            {
                let token = crit_payload(r#""crit":["b64"],"b64":false"#, "eA");
                let (_, rest) = token.split_once('.').unwrap();
                format!("{}.{rest}", B64.encode(br#"{"alg":"EdDSA"}"#))
            },
            Ok(false),
        ),
        ("DER", with(&es256, &der), Err(NotJws)),
        ("63 bytes", with(&good, &sig(&good)[..63]), Err(NotJws)),
        ("65 bytes", with(&good, &[&sig(&good)[..], b"\0"].concat()), Err(NotJws)),
        ("63 bytes of ECDSA", with(&es256, &sig(&es256)[..63]), Err(NotJws)),
        ("65 bytes of ECDSA", with(&es256, &[&sig(&es256)[..], b"\0"].concat()), Err(NotJws)),
        (
            "64 bytes of P-384",
            with(&forged(&p384, r#"{"alg":"ES384"}"#, "eA"), &[1; 64]),
            Err(NotJws),
        ),
        ("r = s = 0", with(&es256, &[0; 64]), Ok(false)),
        ("zeros of Ed25519", with(&good, &[0; 64]), Ok(false)),
        ("ones", with(&es256, &[0xFF; 64]), Ok(false)),
        ("no signature", message(&good) + ".", Err(NoSignature)),
        ("1 part", "eyJhbGciOiJFZERTQSJ9".to_owned(), Err(NotJws)),
        ("2 parts", message(&good), Err(NotJws)),
        ("4 parts", good.clone() + ".", Err(NotJws)),
        ("4 parts, empty first", format!(".{good}"), Err(NotJws)),
        ("4 parts, payload with a dot", forged(&ed, r#"{"alg":"EdDSA"}"#, "eHh.eHh4"), Err(NotJws)),
        ("5 parts", good.clone() + ".a.b", Err(NotJws)),
        ("dots", "..".to_owned(), Err(NotJws)),
        ("empty", String::new(), Err(NotJws)),
        ("1 MB without a dot", "a".repeat(1 << 20), Err(TooLarge)),
        ("a JSON serialization", r#"{"payload":"eA"}"#.to_owned(), Err(NotJws)),
        ("payload detached", forged(&ed, r#"{"alg":"EdDSA"}"#, ""), Err(PayloadMissing)),
        ("newline behind", good.clone() + "\n", Err(NotJws)),
        ("space before", format!(" {good}"), Err(NotJws)),
        ("newline in the payload", forged(&ed, r#"{"alg":"EdDSA"}"#, "eHh\n"), Err(NotJws)),
        ("space in the signature", format!("{} {}", &good[..60], &good[61..]), Err(NotJws)),
        ("padding of the payload", forged(&ed, r#"{"alg":"EdDSA"}"#, "eA=="), Err(NotJws)),
        ("padding of the signature", good.clone() + "==", Err(NotJws)),
        ("padding of the header", good.replacen('.', "=.", 1), Err(NotJws)),
        (
            "standard alphabet in the payload",
            forged(&ed, r#"{"alg":"EdDSA"}"#, "a+/a"),
            Err(NotJws),
        ),
        ("payload of 1 character", forged(&ed, r#"{"alg":"EdDSA"}"#, "e"), Err(NotJws)),
        ("payload of 5 characters", forged(&ed, r#"{"alg":"EdDSA"}"#, "eHh4e"), Err(NotJws)),
        ("trailing bits of 2", forged(&ed, r#"{"alg":"EdDSA"}"#, &bit("eA")), Err(NotJws)),
        ("trailing bits of 3", forged(&ed, r#"{"alg":"EdDSA"}"#, &bit("eHg")), Err(NotJws)),
        ("trailing bits of the signature", bit(&with(&good, &[0; 64])), Err(NotJws)),
        (
            "trailing bits of the header",
            {
                let (_, rest) = forged(&ed, r#"{"alg":"EdDSA"} "#, "eA")
                    .split_once('.')
                    .map(|(h, r)| (h.to_owned(), r.to_owned()))
                    .unwrap();
                format!("{}.{rest}", bit(&B64.encode(br#"{"alg":"EdDSA"} "#)))
            },
            Err(NotJws),
        ),
        (
            "standard alphabet in the signature",
            with(&good, &[0xFF; 64]).replace('_', "/"),
            Err(NotJws),
        ),
    ];
    for (name, token, expected) in &table {
        assert_eq!(compact(&keys, token.as_bytes()), *expected, "{name}");
    }
    println!("{} attacks on the compact form", table.len());
    // Not UTF-8.
    for at in [0, good.len() / 2, good.len() - 1] {
        let mut bytes = good.clone().into_bytes();
        bytes[at] = 0xFF;
        assert_eq!(compact(&keys, &bytes), Err(NotJws));
    }
    // Each byte in a payload.
    let headers = [
        (
            r#"{"alg":"EdDSA"}"#,
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".to_owned(),
        ),
        (
            r#"{"alg":"EdDSA","crit":["b64"],"b64":false}"#,
            (' '..='~').filter(|c| *c != '.').collect(),
        ),
    ];
    for (header, alphabet) in headers {
        for byte in 0..=255 {
            let message =
                [format!("{}.e", B64.encode(header.as_bytes())).as_bytes(), &[byte], b"Hh"]
                    .concat();
            let sig = B64.encode(&signature(&ed, &message));
            let seen = compact(&keys, &[&message, b".".as_slice(), sig.as_bytes()].concat());
            let expected = if alphabet.as_bytes().contains(&byte) { Ok(true) } else { Err(NotJws) };
            assert_eq!(seen, expected, "{header}, byte {byte}");
        }
    }
    let unencoded = Headers { unencoded: true, ..Headers::default() };
    let token = unencoded.detached(&ed, b"$.02").unwrap();
    assert_eq!(detached(&keys, token.as_bytes(), b"$.03"), Ok(false));
    assert_eq!(detached(&keys, token.as_bytes(), b""), Ok(false));
}

#[test]
fn attacks_on_json() {
    use Refusal::*;
    let (keys, [ed, p256, _]) = setting();
    let text = |more: &str, header: &str, payload: &str| {
        let protected = B64.encode(header.as_bytes());
        let sig = B64.encode(&signature(&ed, format!("{protected}.{payload}").as_bytes()));
        format!(r#"{{"payload":"{payload}","protected":"{protected}","signature":"{sig}"{more}}}"#)
    };
    let alg = r#"{"alg":"EdDSA"}"#;
    let good = text("", alg, "eA");
    let part = format!(r#"{{{}"#, good.split_once("\"eA\",").unwrap().1);
    let general = |parts: &str| format!(r#"{{"payload":"eA","signatures":[{parts}]}}"#);
    let unprotected = {
        let sig = B64.encode(&signature(&ed, b".eA"));
        format!(r#"{{"payload":"eA","header":{alg},"signature":"{sig}"}}"#)
    };
    let unencoded = Headers { unencoded: true, ..Headers::default() };
    let b64_part = {
        let text = unencoded.flattened(&p256, b"eA", true).unwrap();
        text.to_owned()
    };
    let table = [
        ("good", good.clone(), Ok(vec![Ok(true)])),
        ("unknown member", text(r#","x":1"#, alg, "eA"), Ok(vec![Ok(true)])),
        ("header all unprotected", unprotected, Ok(vec![Ok(true)])),
        ("kid unprotected", text(r#","header":{"kid":"ed"}"#, alg, "eA"), Ok(vec![Ok(true)])),
        (
            "kid unprotected, of another",
            text(r#","header":{"kid":"p256"}"#, alg, "eA"),
            Ok(vec![Err(AlgMismatch)]),
        ),
        (
            "alg in both",
            text(r#","header":{"alg":"EdDSA"}"#, alg, "eA"),
            Ok(vec![Err(DuplicateMember)]),
        ),
        (
            "crit unprotected",
            text(r#","header":{"crit":["b64"]}"#, alg, "eA"),
            Ok(vec![Err(NotJws)]),
        ),
        ("b64 unprotected", text(r#","header":{"b64":false}"#, alg, "eA"), Ok(vec![Err(NotJws)])),
        ("header empty", text(r#","header":{}"#, alg, "eA"), Ok(vec![Err(NotJws)])),
        ("header no object", text(r#","header":[]"#, alg, "eA"), Ok(vec![Err(NotJws)])),
        ("protected empty", text("", "{}", "eA"), Ok(vec![Err(NotJws)])),
        ("alg none", text("", r#"{"alg":"none"}"#, "eA"), Ok(vec![Err(AlgUnknown)])),
        (
            "crit unknown",
            text("", r#"{"alg":"EdDSA","crit":["x"],"x":1}"#, "eA"),
            Ok(vec![Err(CritUnknown)]),
        ),
        ("payload changed", good.replace("\"eA\"", "\"eQ\""), Ok(vec![Ok(false)])),
        ("payload not base64url", text("", alg, "e+"), Err(NotJws)),
        ("payload with trailing bits", text("", alg, "eB"), Err(NotJws)),
        ("payload no string", good.replace("\"eA\"", "1"), Err(NotJws)),
        ("payload null", good.replace("\"eA\"", "null"), Err(NotJws)),
        ("payload absent", good.replace("\"payload\":\"eA\",", ""), Err(PayloadMissing)),
        ("payload twice", text(r#","payload":"eQ""#, alg, "eA"), Err(DuplicateMember)),
        ("signature twice", text(r#","signature":"eQ""#, alg, "eA"), Err(DuplicateMember)),
        ("signature absent", good.replace("signature", "signatur"), Ok(vec![Err(NoSignature)])),
        (
            "signature empty",
            general(&part.replace(part.split('"').nth(7).unwrap(), "")),
            Ok(vec![Err(NoSignature)]),
        ),
        ("signature padded", good.replace("\"}", "==\"}"), Ok(vec![Err(NotJws)])),
        ("trailing data", good.clone() + "x", Err(NotJws)),
        ("an array", format!("[{good}]"), Err(NotJws)),
        ("general", general(&part), Ok(vec![Ok(true)])),
        ("general, none", general(""), Err(NoSignature)),
        ("general, no array", r#"{"payload":"eA","signatures":{}}"#.to_owned(), Err(NotJws)),
        ("general, 17", general(&vec![part.as_str(); 17].join(",")), Err(TooLarge)),
        ("general, a number", general("1"), Ok(vec![Err(NotJws)])),
        ("both forms", text(&format!(r#","signatures":[{part}]"#), alg, "eA"), Err(NotJws)),
        ("b64 differs", general(&format!("{part},{b64_part}")), Err(NotJws)),
        ("deep", text(&format!(",\"x\":{}", "[".repeat(10_000)), alg, "eA"), Err(TooDeep)),
        ("a compact token", format!("eyJ.{A3_PAYLOAD}.eA"), Err(NotJws)),
    ];
    for (name, text, expected) in &table {
        assert_eq!(json(&keys, text, None), *expected, "{name}");
    }
    println!("{} attacks on the JSON forms", table.len());
    let mut verifier = Verifier::new(&keys);
    for len in 0..good.len() {
        assert!(verifier.read_json(&good.as_bytes()[..len], None).is_err(), "{len}");
        let _ = verifier.read_compact(&good.as_bytes()[..len]);
    }
}

#[test]
fn truncated_and_changed() {
    let (keys, secrets) = setting();
    let mut count = [0; 2];
    for (secret, (_, alg)) in secrets.iter().zip(ALGORITHMS) {
        let token = forged(secret, &format!(r#"{{"alg":"{alg}"}}"#), "e30").into_bytes();
        assert_eq!(compact(&keys, &token), Ok(true));
        for len in 0..token.len() {
            assert_ne!(compact(&keys, &token[..len]), Ok(true), "{alg}, {len} bytes");
            count[0] += 1;
        }
        for at in 0..token.len() {
            // All bits of Ed25519; of ECDSA, which takes longer, two of each byte.
            let bits = if alg == "EdDSA" { 0..8 } else { at % 7..at % 7 + 2 };
            for bit in bits {
                let mut changed = token.clone();
                changed[at] ^= 1 << bit;
                assert_ne!(compact(&keys, &changed), Ok(true), "{alg}, bit {bit} of byte {at}");
                count[1] += 1;
            }
        }
    }
    // The JSON serialization, and a detached payload.
    let plain = Headers::default();
    let text = plain.flattened(&secrets[0], b"payload", false).unwrap();
    let token = plain.detached(&secrets[0], b"payload").unwrap();
    for bit in 0..8 * text.len() {
        let mut changed = text.clone().into_bytes();
        changed[bit / 8] ^= 1 << (bit % 8);
        let read = Verifier::new(&keys).read_json(&changed, None);
        for read in read.into_iter().flatten().flatten() {
            assert!(!super::valid(&keys, &read), "bit {bit} of the JSON form");
        }
        count[1] += 1;
    }
    for bit in 0..8 * 7 {
        let mut payload = *b"payload";
        payload[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(detached(&keys, token.as_bytes(), &payload), Ok(false), "bit {bit}");
        count[1] += 1;
    }
    println!("{} truncated and {} changed tokens", count[0], count[1]);
}

#[test]
fn large_headers_take_linear_time() {
    let (keys, _) = setting();
    let members = |prefix: &str, n: usize| -> String {
        (0..n).map(|i| format!("\"{prefix}{i:x}\":1,")).collect()
    };
    let protected = B64.encode(format!(r#"{{{}"alg":"EdDSA"}}"#, members("p", 4000)).as_bytes());
    let text = format!(
        r#"{{"payload":"","protected":"{protected}","header":{{{}"y":1}},"signature":"AA"}}"#,
        members("h", 60_000)
    );
    let start = std::time::Instant::now();
    let read = Verifier::new(&keys).read_json(text.as_bytes(), None).unwrap();
    assert_eq!(read[0].as_ref().map(|_| ()).map_err(|e| e.refusal()), Err(Refusal::NotJws));
    // 240 million comparisons would take seconds
    assert!(start.elapsed().as_secs() < 2, "{:?}", start.elapsed());
}

#[test]
fn refusals_name_the_reason() {
    let (keys, [ed, ..]) = setting();
    let headers = Headers { unencoded: true, kid: Some("unknown"), ..Headers::default() };
    let text = headers.flattened(&ed, b"$ 1+1", false).unwrap();
    let read = Verifier::new(&keys).read_json(text.as_bytes(), None).unwrap();
    assert_eq!(read[0].as_ref().map(|_| ()).map_err(|e| e.refusal()), Err(Refusal::KidUnknown));

    // the verifier has no names, and the token has one
    let key = || Jwk::new(ed.public_key());
    let unnamed = JwkSet::unnamed(vec![key(), key()]).unwrap();
    let token = sign_compact(&ed, Some("k"), None, b"x").unwrap();
    let error = Verifier::new(&unnamed).read_compact(token.as_bytes()).unwrap_err();
    assert_eq!(error.refusal(), Refusal::KidMissing);
    assert!(!error.detail().contains("header has no"), "{error}");
}

#[test]
fn numbers_of_claims_keep_their_digits() {
    let (_, [ed, ..]) = setting();
    let keys = JwkSet::new(vec![Jwk::new(ed.public_key())]).unwrap();
    let payload = br#"{"id":18446744073709551617,"exp":1.10,"n":1e400}"#;
    let token = sign_compact(&ed, None, None, payload).unwrap();
    let mut verifier = Verifier::new(&keys);
    let claims = verifier.read_compact(token.as_bytes()).unwrap().claims(&["id", "exp", "n"]);
    let wanted = ["18446744073709551617", "1.10", "1e+400"].map(|text| Some(text.to_owned()));
    assert_eq!(claims.map_err(|error| error.to_string()), Ok(wanted.to_vec()));
}
