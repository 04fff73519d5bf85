//! Messages that are valid, and the keys that are chosen for them.

use super::*;

#[test]
fn published_messages_are_valid() {
    let vectors = [
        (RFC9052, p256(RFC9052_X, RFC9052_Y), &b"11"[..], &b"This is the content."[..]),
        (
            EDDSA_01,
            Key::new(Algorithm::Ed25519, &hex(EDDSA_01_X)).unwrap(),
            b"11",
            b"This is the content.",
        ),
    ];
    for (message, key, kid, payload) in vectors {
        let message = hex(message);
        let sign1 = Sign1::read(&message).unwrap();
        assert_eq!((sign1.kid(), sign1.payload()), (Some(kid), Some(payload)));
        assert_eq!(is_valid(&message, &key, None, b""), Ok(true));
        assert_eq!(is_valid(&message, &key, None, b"other"), Ok(false));
        assert_eq!(is_valid(&message[1..], &key, None, b""), Ok(true), "without its tag");
    }
    let eddsa = Sign1::read(&hex(EDDSA_01)).unwrap();
    assert_eq!(eddsa.content_type(), Some(&ContentType::Number(0)));

    let (token, key) = (hex(RFC8392), p256(RFC8392_X, RFC8392_Y));
    assert_eq!(Sign1::read(&token).unwrap().kid(), Some(&b"AsymmetricECDSA256"[..]));
    assert_eq!(is_valid(&token, &key, None, b""), Ok(true));
    // RFC 8392 section 6: the tag 61 stands before a tagged message
    let tagged = [&[0xd8, 61][..], &token].concat();
    assert_eq!(is_valid(&tagged, &key, None, b""), Ok(true));
    let error = Sign1::read(&[&[0xd8, 61][..], &token[1..]].concat()).unwrap_err();
    assert_eq!(error.refusal(), Refusal::NotCose);
}

#[test]
fn messages_round_trip() {
    for secret in secrets() {
        let key = secret.public_key();
        for (detached, tagged) in [(false, false), (false, true), (true, false), (true, true)] {
            for (kid, aad) in [(None, &b""[..]), (Some(&b"k"[..]), b"context")] {
                let message = sign(&secret, kid, b"hello", detached, tagged, aad).unwrap();
                let sign1 = Sign1::read(&message).unwrap();
                assert_eq!(sign1.kid(), kid);
                assert_eq!(sign1.payload().is_none(), detached);
                let beside = detached.then_some(&b"hello"[..]);
                assert_eq!(is_valid(&message, &key, beside, aad), Ok(true));
                assert_eq!(is_valid(&message, &key, beside, b"another"), Ok(false));
                let (wrong, refusal) = match detached {
                    true => (None, Refusal::PayloadMissing),
                    false => (Some(&b"hello"[..]), Refusal::PayloadTwice),
                };
                let error = sign1.signed(&key, wrong, aad).unwrap_err();
                assert_eq!(error.refusal(), refusal);
                if detached {
                    assert_eq!(is_valid(&message, &key, Some(b"hellO"), aad), Ok(false));
                }
            }
        }
        let long = vec![1; 70_000];
        let message = sign(&secret, None, &long, false, true, &long).unwrap();
        assert_eq!(is_valid(&message, &key, None, &long), Ok(true));
    }
}

#[test]
fn coset_reads_and_writes_the_same() {
    let algs = [iana::Algorithm::EdDSA, iana::Algorithm::ES256, iana::Algorithm::ES384];
    for (secret, alg) in secrets().into_iter().zip(algs) {
        let (key, scheme) = (secret.public_key(), Scheme::of(secret.algorithm(), Encoding::Fixed));
        let ours = sign(&secret, Some(b"k"), b"hello", false, true, b"aad").unwrap();
        let theirs = CoseSign1::from_tagged_slice(&ours).unwrap();
        assert_eq!(theirs.protected.header.alg, Some(coset::Algorithm::Assigned(alg)));
        assert_eq!(theirs.unprotected.key_id, b"k");
        let sign1 = Sign1::read(&ours).unwrap();
        let signed = sign1.signed(&key, None, b"aad").unwrap();
        assert_eq!(*signed.message, theirs.tbs_data(b"aad"));
        assert_eq!(*signed.signature, theirs.signature[..]);

        let header =
            HeaderBuilder::new().algorithm(alg).key_id(b"in".to_vec()).content_type("a/b".into());
        let built = CoseSign1Builder::new()
            .protected(header.build())
            .payload(b"hello".to_vec())
            .create_signature(b"aad", |message| secret.sign(scheme, message).unwrap())
            .build();
        let tagged = built.clone().to_tagged_vec().unwrap();
        for message in [tagged, built.to_vec().unwrap()] {
            let sign1 = Sign1::read(&message).unwrap();
            assert_eq!(sign1.kid(), Some(&b"in"[..]));
            assert_eq!(sign1.content_type(), Some(&ContentType::Text("a/b".into())));
            assert_eq!(is_valid(&message, &key, None, b"aad"), Ok(true));
        }
    }
}

#[test]
fn algorithms_fit_their_keys_only() {
    let fitting = [
        (-8, Algorithm::Ed25519),
        (-19, Algorithm::Ed25519),
        (-7, Algorithm::P256),
        (-9, Algorithm::P256),
        (-35, Algorithm::P384),
        (-51, Algorithm::P384),
    ];
    for (number, algorithm) in fitting {
        for secret in secrets() {
            let key = secret.public_key();
            let protected = encoded(&map(&[(1, int(number))]));
            let message = message(&secret, &protected, map(&[]), b"hello");
            assert_eq!(Sign1::read(&message).unwrap().alg(), number);
            let outcome = is_valid(&message, &key, None, b"");
            if key.algorithm() == algorithm {
                assert_eq!(outcome, Ok(true), "{number}");
            } else {
                let error = outcome.unwrap_err();
                assert_eq!(error.refusal(), Refusal::AlgMismatch, "{number}");
            }
        }
    }
    let protected = encoded(&map(&[(1, int(-7))]));
    let secret = &secrets()[2];
    let error =
        is_valid(&message(secret, &protected, map(&[]), b""), &secret.public_key(), None, b"")
            .unwrap_err();
    assert_eq!(
        error.detail(),
        "`alg` is ES256 (-7) and so names a hash function; a key of p384 is used with Sha384 only"
    );

    // by name: ES512, ESP512, ES256K, RS256, PS256, Ed448, HMAC, AES-GCM, a private one, one that nobody has
    for (number, name) in [
        (-36, "ES512"),
        (-52, "ESP512"),
        (-47, "ES256K"),
        (-257, "RS256"),
        (-37, "PS256"),
        (-53, "Ed448"),
        (5, "HMAC_256_256"),
        (1, "A128GCM"),
        (-70_000, "-70000"),
        (0, "Reserved"),
    ] {
        let protected = encoded(&map(&[(1, int(number))]));
        let error = Sign1::read(&message(&secrets()[0], &protected, map(&[]), b"")).unwrap_err();
        assert_eq!(error.refusal(), Refusal::AlgUnknown, "{number}");
        assert!(error.detail().contains(name), "{error}");
    }
}

#[test]
fn unusual_encodings_are_valid() {
    let secret = &secrets()[0];
    let key = secret.public_key();
    let eddsa = map(&[(1, int(-8))]);
    let allowed = [
        (
            "critical parameters of the RFC",
            encoded(&map(&[(1, int(-8)), (2, Value::Array(vec![int(1), int(3)])), (3, int(0))])),
            map(&[]),
        ),
        (
            "unknown parameters",
            encoded(&map(&[(1, int(-8)), (99, int(1))])),
            map(&[(100, Value::Array(vec![Value::Float(1.5)]))]),
        ),
        ("a map without length", hex("bf0127ff"), map(&[])),
        ("a long integer", hex("a1013900 07"), map(&[])),
        ("a long label", hex("a1180127"), map(&[])),
        (
            "14 levels",
            encoded(&eddsa),
            map(&[(99, (0..13).fold(int(0), |inner, _| Value::Array(vec![inner])))]),
        ),
    ];
    for (name, protected, unprotected) in allowed {
        let message = message(secret, &protected, unprotected, b"hello");
        assert_eq!(is_valid(&message, &key, None, b""), Ok(true), "{name}");
    }
}

#[test]
fn keys_are_chosen_by_their_identifier() {
    let [ed25519, p256, _] = secrets();
    let other = SecretKey::new(Algorithm::Ed25519, &[8; 32]).unwrap();
    let named = |kid: &[u8], secret: &SecretKey| PublicKey {
        kid: Some(kid.to_vec()),
        key: secret.public_key(),
    };
    let keys =
        Keys::new(vec![named(b"a", &ed25519), named(b"b", &p256), named(b"c", &other)]).unwrap();
    let choose = |secret: &SecretKey, kid: Option<&[u8]>| {
        let message = sign(secret, kid, b"hello", false, true, b"").unwrap();
        keys.choose(&Sign1::read(&message).unwrap()).cloned().map_err(|error| error.refusal())
    };
    assert_eq!(choose(&ed25519, Some(b"a")), Ok(ed25519.public_key()));
    assert_eq!(choose(&other, Some(b"c")), Ok(other.public_key()));
    assert_eq!(choose(&p256, None), Ok(p256.public_key()), "the only one that fits");
    assert_eq!(choose(&ed25519, None), Err(Refusal::KidMissing));
    assert_eq!(choose(&ed25519, Some(b"d")), Err(Refusal::KidUnknown));
    assert_eq!(choose(&ed25519, Some(b"")), Err(Refusal::KidUnknown));
    assert_eq!(choose(&ed25519, Some(b"b")), Err(Refusal::AlgMismatch));
    assert_eq!(choose(&secrets()[2], None), Err(Refusal::AlgMismatch));
    let twice = Keys::new(vec![named(b"a", &ed25519), named(b"a", &p256)]).unwrap_err();
    assert_eq!(twice.refusal(), Refusal::DuplicateMember);
}

#[test]
fn remembered_headers_change_nothing() {
    let secret = &secrets()[0];
    let keys = Keys::new(vec![PublicKey { kid: None, key: secret.public_key() }]).unwrap();
    let check = |i: i64, size: usize| {
        let protected = encoded(&map(&[(1, int(-8)), (99, int(i)), (100, bytes(&vec![0; size]))]));
        let good = message(secret, &protected, map(&[(98, int(0))]), b"hello");
        assert!(keys.signed(&good, None, b"").is_ok());
        // the labels of a remembered header count as well
        let twice = message(secret, &protected, map(&[(99, int(0))]), b"hello");
        let error = keys.signed(&twice, None, b"").unwrap_err();
        assert_eq!(error.refusal(), Refusal::DuplicateMember);
    };
    (0..2100).for_each(|i| check(i, 0));
    (0..3).for_each(|i| check(i, 5000));
    let good = sign(secret, None, b"hello", false, true, b"").unwrap();
    for _ in 0..2 {
        let (key, signed) = keys.signed(&good, None, b"").unwrap();
        assert!(signed.verify(key, &STRICT).unwrap().is_valid());
    }
}
