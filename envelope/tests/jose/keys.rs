//! JSON Web Keys, and the choice among them.

use super::{ALGORITHMS, Seen, compact, forged, named, secret, sign_compact};
use sigmill::bulk::Algorithm;
use sigmill_envelope::Refusal;
use sigmill_envelope::jose::{Jwk, JwkSet, private_to_json, read_private};

const X: &str = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";

/// Keys of other kinds by their members (values shortened where they are not read).
pub(crate) const OTHERS: [(&str, &str); 6] = [
    ("rsa", r#"{"kty":"RSA","kid":"rsa","alg":"RS256","n":"0vx7","e":"AQAB"}"#),
    (
        "oct",
        r#"{"kty":"oct","kid":"oct","k":"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"}"#,
    ),
    ("p521", r#"{"kty":"EC","kid":"p521","crv":"P-521","x":"AHKZ","y":"AdymlHvO"}"#),
    ("ed448", r#"{"kty":"OKP","kid":"ed448","crv":"Ed448","x":"AAAA"}"#),
    (
        "x25519",
        r#"{"kty":"OKP","kid":"x25519","crv":"X25519","x":"3p7bfXt9wbTTW2HC7OQ1Nz-DQ8hbeGdNrfx-FG-IK08"}"#,
    ),
    ("k1", r#"{"kty":"EC","kid":"k1","crv":"secp256k1","x":"AAAA","y":"AAAA"}"#),
];

#[test]
fn keys_round_trip() {
    for (algorithm, alg) in ALGORITHMS {
        let secret = secret(algorithm, 7);
        let mut jwk = named(secret.public_key(), "a \"name\"");
        jwk.alg = Some(alg.into());
        jwk.usage = Some("sig".into());
        jwk.key_ops = Some(vec!["verify".into()]);
        let text = jwk.to_json().unwrap();
        assert_eq!(Jwk::read(text.as_bytes()).unwrap(), jwk);
        let mut order: Vec<usize> = Vec::new();
        for name in ["alg", "crv", "key_ops", "kid", "kty", "use", "x"] {
            order.push(text.find(&format!("\"{name}\":")).unwrap());
        }
        assert!(order.is_sorted(), "{text}");

        let private = private_to_json(&secret, Some("k")).unwrap();
        let (read, public) = read_private(private.as_bytes()).unwrap();
        assert_eq!(*read.to_bytes(), *secret.to_bytes());
        assert_eq!(public, named(secret.public_key(), "k"));
        assert_eq!(Jwk::read(private.as_bytes()).unwrap(), public);
        assert_eq!(public.thumbprint(), jwk.thumbprint());
        assert!(!public.to_json().unwrap().contains("\"d\""));

        let set = JwkSet::new(vec![jwk.clone()]).unwrap();
        let again = JwkSet::read(set.to_json().unwrap().as_bytes()).unwrap();
        assert_eq!((again.len(), again.jwk(0)), (1, Some(&jwk)));
    }
}

#[test]
fn keys_refused() {
    let okp = |more: &str| format!(r#"{{"kty":"OKP","crv":"Ed25519","x":"{X}"{more}}}"#);
    let not = Refusal::NotJwk;
    assert!(Jwk::read(okp(r#","alg":"EdDSA","use":"sig","other":{}"#).as_bytes()).is_ok());
    let table = [
        ("not JSON", "{".to_owned(), not),
        ("trailing data", okp("") + "{}", not),
        ("an array", "[]".to_owned(), not),
        ("no kty", format!(r#"{{"crv":"Ed25519","x":"{X}"}}"#), not),
        ("kty no string", r#"{"kty":1}"#.to_owned(), not),
        ("no crv", format!(r#"{{"kty":"OKP","x":"{X}"}}"#), not),
        ("no x", r#"{"kty":"OKP","crv":"Ed25519"}"#.to_owned(), not),
        ("x short", r#"{"kty":"OKP","crv":"Ed25519","x":"AAAA"}"#.to_owned(), not),
        ("x padded", okp("").replace(X, &format!("{X}=")), not),
        ("x trailing bits", okp("").replace("URo\"", "URp\""), not),
        ("x standard alphabet", okp("").replace("VS_7", "VS/7"), not),
        ("x with whitespace", okp("").replace(X, &format!("{X}\\n")), not),
        (
            "no y",
            r#"{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"}"#
                .to_owned(),
            not,
        ),
        ("kid no string", okp(r#","kid":1"#), not),
        ("key_ops no array", okp(r#","key_ops":"verify""#), not),
        ("key_ops of numbers", okp(r#","key_ops":[1]"#), not),
        ("key_ops twice", okp(r#","key_ops":["verify","verify"]"#), Refusal::DuplicateMember),
        ("x twice", okp(&format!(r#","x":"{X}""#)), Refusal::DuplicateMember),
        ("x twice, escaped", okp(&format!(r#","\u0078":"{X}""#)), Refusal::DuplicateMember),
        ("deep", okp(&format!(",\"a\":{}", "[".repeat(10_000))), Refusal::TooDeep),
        ("alg of another", okp(r#","alg":"ES256""#), Refusal::AlgMismatch),
        ("alg of a MAC", okp(r#","alg":"HS256""#), Refusal::AlgMismatch),
        ("kty of another", okp("").replace("OKP", "EC"), Refusal::AlgUnknown),
        ("a set", r#"{"keys":[]}"#.to_owned(), not),
    ];
    for (name, text, refusal) in &table {
        assert_eq!(Jwk::read(text.as_bytes()).map_err(|e| e.refusal()), Err(*refusal), "{name}");
    }
    for (name, text) in OTHERS {
        let error = Jwk::read(text.as_bytes()).unwrap_err();
        assert_eq!(error.refusal(), Refusal::AlgUnknown, "{name}");
    }
    let text = okp("");
    for len in 0..text.len() {
        assert!(Jwk::read(&text.as_bytes()[..len]).is_err());
        assert!(JwkSet::read(&text.as_bytes()[..len]).is_err());
    }

    let d = "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A";
    let private = |d: &str, more: &str| okp(&format!(r#","d":"{d}"{more}"#));
    assert!(read_private(private(d, "").as_bytes()).is_ok());
    let p256 = private_to_json(&secret(Algorithm::P256, 7), None).unwrap();
    let start = p256.find("\"d\":\"").unwrap() + 5;
    let zero = p256.replace(&p256[start..start + 43], &"A".repeat(43));
    let table = [
        ("public", okp(""), not),
        ("another d", private(&d.replace("nW", "nX"), ""), not),
        ("short d", private("AAAA", ""), not),
        ("long d", private(&d.repeat(3), ""), not),
        ("padded d", private(&format!("{d}="), ""), not),
        ("d no string", okp(r#","d":7"#), not),
        ("d of zero", zero, not),
        ("for encryption", private(d, r#","use":"enc""#), Refusal::KeyUse),
        ("verify alone", private(d, r#","key_ops":["verify"]"#), Refusal::KeyUse),
    ];
    for (name, text, refusal) in &table {
        let read = read_private(text.as_bytes()).map(|(_, jwk)| jwk);
        let error = read.map_err(|error| (error.refusal(), error.to_string())).unwrap_err();
        assert_eq!(error.0, *refusal, "{name}: {}", error.1);
        assert!(!error.1.contains(d), "{name}: a secret in a message");
    }
}

#[test]
fn sets_refused() {
    let key = format!(r#"{{"kty":"OKP","crv":"Ed25519","x":"{X}","kid":"a"}}"#);
    let set = |keys: &str| format!(r#"{{"keys":[{keys}]}}"#);
    let many = vec![key.replace("\"a\"", "null"); 1025].join(",").replace(",\"kid\":null", "");
    for (name, text, refusal) in [
        ("keys no array", r#"{"keys":{}}"#.to_owned(), Refusal::NotJwk),
        ("keys and kty", r#"{"keys":[],"kty":"OKP"}"#.to_owned(), Refusal::NotJwk),
        ("a malformed key", set(&key.replace("URo", "U")), Refusal::NotJwk),
        ("one kid, one kind", set(&format!("{key},{key}")), Refusal::DuplicateMember),
        ("too many", set(&many), Refusal::TooLarge),
    ] {
        let read = JwkSet::read(text.as_bytes()).map(|set| set.len());
        assert_eq!(read.map_err(|error| error.refusal()), Err(refusal), "{name}");
    }
    let encrypts = key.replace("{\"kty", "{\"use\":\"enc\",\"kty");
    assert_eq!(JwkSet::read(set(&format!("{key},{encrypts}")).as_bytes()).unwrap().len(), 2);
}

#[test]
fn choice() {
    let [ed, p256, p384] = ALGORITHMS.map(|(algorithm, _)| secret(algorithm, 7));
    let jwk =
        |of: &sigmill_envelope::SecretKey, kid| named(of.public_key(), kid).to_json().unwrap();
    let ecdh = jwk(&p256, "ecdh").replace("{\"crv", "{\"alg\":\"ECDH-ES\",\"crv");
    let enc = jwk(&p384, "enc").replace("\"x\"", "\"use\":\"enc\",\"x\"");
    let signs = jwk(&p384, "signs").replace("\"kid\"", "\"key_ops\":[\"sign\"],\"kid\"");
    let all = [jwk(&ed, "a"), jwk(&p256, "b"), jwk(&p384, "c"), jwk(&p256, "a"), ecdh, enc, signs];
    let others: Vec<&str> = OTHERS.iter().map(|(_, text)| *text).collect();
    let set =
        JwkSet::read(format!(r#"{{"keys":[{},{}]}}"#, all.join(","), others.join(",")).as_bytes());
    let set = set.unwrap();
    assert_eq!(set.len(), 13);
    assert!(set.key(4).is_none() && set.key(7).is_none() && set.key(13).is_none());
    let one = JwkSet::read(all[1].as_bytes()).unwrap();
    let none = JwkSet::read(br#"{"keys":[]}"#).unwrap();
    let only_enc = JwkSet::read(all[5].as_bytes()).unwrap();
    let table: [(&str, &JwkSet, &sigmill_envelope::SecretKey, Option<&str>, Seen); 17] = [
        ("the only Ed25519", &set, &ed, None, Ok(true)),
        ("the only P-384 that serves", &set, &p384, None, Ok(true)),
        ("two P-256", &set, &p256, None, Err(Refusal::KidMissing)),
        ("shared kid, first", &set, &ed, Some("a"), Ok(true)),
        ("shared kid, second", &set, &p256, Some("a"), Ok(true)),
        ("shared kid, neither", &set, &p384, Some("a"), Err(Refusal::AlgMismatch)),
        ("unknown kid", &set, &p256, Some("z"), Err(Refusal::KidUnknown)),
        ("empty kid", &set, &p256, Some(""), Err(Refusal::KidUnknown)),
        ("kid differs by case", &set, &p256, Some("B"), Err(Refusal::KidUnknown)),
        ("kid of another kind", &set, &p384, Some("b"), Err(Refusal::AlgMismatch)),
        ("kid for another algorithm", &set, &p256, Some("ecdh"), Err(Refusal::AlgMismatch)),
        ("kid for encryption", &set, &p384, Some("enc"), Err(Refusal::KeyUse)),
        ("kid for signing alone", &set, &p384, Some("signs"), Err(Refusal::KeyUse)),
        ("encryption, no kid", &only_enc, &p384, None, Err(Refusal::KeyUse)),
        ("no key fits", &one, &ed, None, Err(Refusal::AlgMismatch)),
        ("kid is asked of one key too", &one, &p256, Some("z"), Err(Refusal::KidUnknown)),
        ("no keys", &none, &ed, None, Err(Refusal::KidUnknown)),
    ];
    for (name, keys, secret, kid, expected) in table {
        let token = sign_compact(secret, kid, None, b"x").unwrap();
        assert_eq!(compact(keys, token.as_bytes()), expected, "{name}");
    }
    // A key of another kind never verifies, and is not taken for an unknown one.
    for (kid, _) in OTHERS {
        for (secret, alg) in [(&ed, "EdDSA"), (&ed, "Ed25519"), (&p256, "ES256"), (&p384, "ES384")]
        {
            let token = forged(secret, &format!(r#"{{"alg":"{alg}","kid":"{kid}"}}"#), "eA");
            assert_eq!(compact(&set, token.as_bytes()), Err(Refusal::AlgMismatch), "{kid} {alg}");
        }
    }
}
