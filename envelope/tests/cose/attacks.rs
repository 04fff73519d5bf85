//! Messages that are refused or invalid.

use super::*;

/// Messages that are refused when they are read.
fn attacks() -> Vec<(&'static str, Vec<u8>, Refusal)> {
    let secret = &secrets()[0];
    let eddsa = encoded(&map(&[(1, int(-8))]));
    let good = message(secret, &eddsa, map(&[]), b"hello");
    let of =
        |protected: &[u8], unprotected: Value| message(secret, protected, unprotected, b"hello");
    let protected = |entries: &[(i64, Value)]| of(&encoded(&map(entries)), map(&[]));
    let parts = |parts: Vec<Value>| encoded(&Value::Tag(18, Box::new(Value::Array(parts))));
    let tag = |tag: u64| encoded(&Value::Tag(tag, Box::new(Value::Array(vec![]))));
    let nested = |open: u8| [vec![open; 100_000], vec![0]].concat();
    let crit = |labels: Vec<Value>| {
        protected(&[(1, int(-8)), (2, Value::Array(labels)), (3, int(0)), (99, int(1))])
    };
    vec![
        ("nothing", vec![], Refusal::NotCose),
        ("text", b"eyJhbGciOiJFZERTQSJ9..".to_vec(), Refusal::NotCose),
        ("trailing byte", [&good[..], &[0]].concat(), Refusal::NotCose),
        ("two messages", [&good[..], &good].concat(), Refusal::NotCose),
        (
            "trailing byte in the protected header",
            of(&[&eddsa[..], &[0]].concat(), map(&[])),
            Refusal::NotCose,
        ),
        ("protected header is no map", of(&encoded(&int(-8)), map(&[])), Refusal::NotCose),
        (
            "protected header is a map and no bytes",
            parts(vec![map(&[(1, int(-8))]), map(&[]), bytes(b""), bytes(&[0; 64])]),
            Refusal::NotCose,
        ),
        ("alg is a bignum", of(&[0xa1, 1, 0xc3, 0x41, 7], map(&[])), Refusal::NotCose),
        ("a label is a bignum", of(&[0xa1, 0xc2, 0x41, 1, 0x27], map(&[])), Refusal::NotCose),
        ("three parts", parts(vec![bytes(&eddsa), map(&[]), bytes(b"")]), Refusal::NotCose),
        (
            "five parts",
            parts(vec![bytes(&eddsa), map(&[]), bytes(b""), bytes(b""), bytes(b"")]),
            Refusal::NotCose,
        ),
        (
            "payload is a text",
            parts(vec![bytes(&eddsa), map(&[]), text("hello"), bytes(&[0; 64])]),
            Refusal::NotCose,
        ),
        (
            "signature is nil",
            parts(vec![bytes(&eddsa), map(&[]), bytes(b""), Value::Null]),
            Refusal::NotCose,
        ),
        (
            "payload is undefined",
            [&hex("d28443a10127a0f75840")[..], &[0; 64]].concat(),
            Refusal::NotCose,
        ),
        (
            "payload in chunks",
            [&hex("d28443a10127a05f4101ff5840")[..], &[0; 64]].concat(),
            Refusal::NotCose,
        ),
        ("COSE_Sign", tag(98), Refusal::Unsupported),
        ("COSE_Mac", tag(97), Refusal::Unsupported),
        ("COSE_Mac0", tag(17), Refusal::Unsupported),
        ("COSE_Encrypt", tag(96), Refusal::Unsupported),
        ("COSE_Encrypt0", tag(16), Refusal::Unsupported),
        ("COSE_Mac0 in a CWT", [&[0xd8, 61][..], &tag(17)].concat(), Refusal::Unsupported),
        (
            "COSE_Sign without its tag",
            parts(vec![bytes(&eddsa), map(&[]), bytes(b""), Value::Array(vec![])])[1..].to_vec(),
            Refusal::Unsupported,
        ),
        ("another tag", tag(19), Refusal::NotCose),
        ("tag 18 twice", [&[0xd2][..], &good].concat(), Refusal::NotCose),
        ("tag 61 twice", [&[0xd8, 61, 0xd8, 61][..], &good].concat(), Refusal::NotCose),
        ("tag 61 inside", [&[0xd2, 0xd8, 61][..], &good[1..]].concat(), Refusal::NotCose),
        ("no alg", protected(&[]), Refusal::AlgMissing),
        ("empty protected header", of(b"", map(&[])), Refusal::AlgMissing),
        ("alg unprotected only", of(b"", map(&[(1, int(-8))])), Refusal::AlgMissing),
        ("alg in both headers", of(&eddsa, map(&[(1, int(-8))])), Refusal::DuplicateMember),
        ("alg twice", of(&hex("a201270127"), map(&[])), Refusal::DuplicateMember),
        ("alg twice, once as a bignum", of(&hex("a20127c2410126"), map(&[])), Refusal::NotCose),
        (
            "alg twice, once in two bytes",
            of(&hex("a20127180126"), map(&[])),
            Refusal::DuplicateMember,
        ),
        (
            "an unknown label twice",
            of(&hex("a30127186300186301"), map(&[])),
            Refusal::DuplicateMember,
        ),
        (
            "kid in both headers",
            of(&encoded(&map(&[(1, int(-8)), (4, bytes(b"a"))])), map(&[(4, bytes(b"b"))])),
            Refusal::DuplicateMember,
        ),
        (
            "kid twice unprotected",
            of(&eddsa, Value::Map(vec![(int(4), bytes(b"a")), (int(4), bytes(b"b"))])),
            Refusal::DuplicateMember,
        ),
        (
            "a text label twice",
            of(&eddsa, Value::Map(vec![(text("a"), int(1)), (text("a"), int(1))])),
            Refusal::DuplicateMember,
        ),
        ("none", protected(&[(1, text("none"))]), Refusal::AlgUnknown),
        ("alg by name", protected(&[(1, text("EdDSA"))]), Refusal::AlgUnknown),
        ("HMAC", protected(&[(1, int(5))]), Refusal::AlgUnknown),
        ("alg beyond 64 bits", of(&hex("a1013bffffffffffffffff"), map(&[])), Refusal::AlgUnknown),
        ("alg is bytes", protected(&[(1, bytes(&[0x27]))]), Refusal::NotCose),
        ("label is bytes", of(&hex("a2012741010 0"), map(&[])), Refusal::NotCose),
        (
            "label beyond 64 bits",
            of(&hex("a201271bffffffffffffffff00"), map(&[])),
            Refusal::NotCose,
        ),
        ("unknown critical parameter", crit(vec![int(99)]), Refusal::CritUnknown),
        ("known and unknown critical", crit(vec![int(3), int(99)]), Refusal::CritUnknown),
        ("critical text", crit(vec![text("a")]), Refusal::CritUnknown),
        ("critical countersignature", crit(vec![int(7)]), Refusal::CritUnknown),
        ("critical and absent", crit(vec![int(4)]), Refusal::NotCose),
        ("critical twice", crit(vec![int(3), int(3)]), Refusal::DuplicateMember),
        ("crit empty", crit(vec![]), Refusal::NotCose),
        ("crit is no array", protected(&[(1, int(-8)), (2, int(1))]), Refusal::NotCose),
        ("crit unprotected", of(&eddsa, map(&[(2, Value::Array(vec![int(1)]))])), Refusal::NotCose),
        ("kid is a text", of(&eddsa, map(&[(4, text("a"))])), Refusal::NotCose),
        ("content type is negative", of(&eddsa, map(&[(3, int(-1))])), Refusal::NotCose),
        ("100,000 arrays", nested(0x81), Refusal::TooDeep),
        ("100,000 tags", nested(0xd2), Refusal::TooDeep),
        ("100,000 maps", [0xa1, 0x00].repeat(100_000), Refusal::TooDeep),
        ("100,000 arrays without length", nested(0x9f), Refusal::TooDeep),
        (
            "100,000 arrays unprotected",
            [&hex("d28443a10127")[..], &nested(0x81)].concat(),
            Refusal::TooDeep,
        ),
        (
            "100,000 arrays in the protected header",
            of(&[&hex("a101")[..], &nested(0x81)].concat(), map(&[])),
            Refusal::TooDeep,
        ),
        ("100,000 items", [&hex("9a000186a0")[..], &[0; 100_000]].concat(), Refusal::TooLarge),
        (
            "a million labels",
            of(&[&hex("ba000f4240")[..], &[0; 2_000_000]].concat(), map(&[])),
            Refusal::TooLarge,
        ),
        ("bytes that claim 2^60", hex("d2845b1000000000000000a1"), Refusal::NotCose),
        ("text that claims 2^63", hex("7b8000000000000000"), Refusal::NotCose),
        ("an array that claims 2^60", hex("9b1000000000000000"), Refusal::NotCose),
        ("a map that claims 2^64 - 1", hex("bbffffffffffffffff"), Refusal::NotCose),
        ("a break alone", hex("ff"), Refusal::NotCose),
        ("a break in an array of a length", hex("81ff"), Refusal::NotCose),
        ("a map without length and half an entry", hex("bf01ff"), Refusal::NotCose),
        ("text that is no UTF-8", of(&hex("a2012761ff00"), map(&[])), Refusal::NotCose),
        ("a reserved head", hex("1c"), Refusal::NotCose),
    ]
}

#[test]
fn attacks_are_refused() {
    let keys = Keys::new(vec![PublicKey { kid: None, key: secrets()[0].public_key() }]).unwrap();
    for (name, message, refusal) in attacks() {
        let error = Sign1::read(&message).expect_err(name);
        assert_eq!(error.refusal(), refusal, "{name}: {error}");
        // twice, from the memory the second time
        for _ in 0..2 {
            let error = keys.signed(&message, None, b"").expect_err(name);
            assert_eq!(error.refusal(), refusal, "{name}: {error}");
        }
    }
}

#[test]
fn truncated_and_changed_messages_are_never_valid() {
    for secret in secrets() {
        let key = PublicKey { kid: Some(b"k".to_vec()), key: secret.public_key() };
        let keys = Keys::new(vec![key]).unwrap();
        let outcome = |message: &[u8]| {
            keys.signed(message, None, b"").and_then(|(key, signed)| signed.verify(key, &STRICT))
        };
        let good = sign(&secret, Some(b"k"), b"hi", false, true, b"").unwrap();
        assert!(outcome(&good).unwrap().is_valid());
        for length in 0..good.len() {
            assert!(outcome(&good[..length]).is_err(), "{length} bytes");
        }
        let every_bit = secret.algorithm() == Algorithm::Ed25519;
        // `kid` is not signed: under another label it is an unknown parameter
        let label = good.windows(4).position(|w| w == [0xa1, 4, 0x41, b'k']).unwrap() + 1;
        for at in (0..good.len()).filter(|&at| at != label) {
            for bit in 0..8 {
                if !every_bit && bit != at % 8 {
                    continue;
                }
                let mut changed = good.clone();
                changed[at] ^= 1 << bit;
                assert!(!outcome(&changed).is_ok_and(|verdict| verdict.is_valid()), "{at} {bit}");
            }
        }
    }
}

#[test]
fn changed_bytes_never_panic() {
    let mut state = 1_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let secret = &secrets()[1];
    let key = write_secret_key(Some(b"k"), secret).unwrap();
    let public = PublicKey { kid: None, key: secret.public_key() }.write().unwrap();
    let set = [&[0x82][..], &public, &public].concat();
    for good in [&hex(RFC8392)[..], &hex(EDDSA_01), &key, &public, &set] {
        for _ in 0..10_000 {
            let mut bytes = good.to_vec();
            for _ in 0..1 + next() % 4 {
                let at = next() as usize % bytes.len();
                match next() % 3 {
                    0 => bytes[at] = next() as u8,
                    1 => bytes[at] ^= 1 << (next() % 8),
                    _ => bytes.truncate(at.max(1)),
                }
            }
            let _ = Sign1::read(&bytes);
            let _ = public_keys(&bytes);
            let _ = secret_key(&bytes);
        }
    }
}

#[test]
fn wrong_signatures_are_a_verdict() {
    let [_, secret, _] = secrets();
    let key = secret.public_key();
    let good = sign(&secret, None, b"hello", false, true, b"").unwrap();
    let with = |signature: &[u8]| {
        let mut sign1 = CoseSign1::from_tagged_slice(&good).unwrap();
        sign1.signature = signature.to_vec();
        sign1.to_tagged_vec().unwrap()
    };
    let sign1 = Sign1::read(&good).unwrap();
    let message = sign1.signed(&key, None, b"").unwrap().message.to_vec();
    let der = secret.sign(Scheme::of(Algorithm::P256, Encoding::Der), &message).unwrap();
    let long = [sign1.signature(), &[0]].concat();
    for signature in [&der[..], &[0; 64], &[0xff; 64], b"", &sign1.signature()[1..], &long] {
        assert_eq!(is_valid(&with(signature), &key, None, b""), Ok(false));
    }
    let other = SecretKey::new(Algorithm::P256, &[8; 32]).unwrap().public_key();
    assert_eq!(is_valid(&good, &other, None, b""), Ok(false));
}
