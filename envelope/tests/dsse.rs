//! DSSE and bundles of sigstore: the published vector, round trips, thresholds, and attacks.

use sigmill::bulk::Algorithm;
use sigmill::ecdsa::Encoding;
use sigmill::ed25519::rules::COMMON;
use sigmill_envelope::dsse::{
    self, Bundle, Content, Envelope, IN_TOTO, LONGEST_TEXT, MOST_SIGNATURES, SigningKey,
    TrustedKey, check_threshold,
};
use sigmill_envelope::{Key, Refusal, Result, SecretKey};

const PAYLOAD: &[u8] = b"{\"_type\":\"https://in-toto.io/Statement/v1\"}\xff\xfe";

fn secret(algorithm: Algorithm, fill: u8) -> SecretKey {
    let len = if algorithm == Algorithm::P384 { 48 } else { 32 };
    SecretKey::new(algorithm, &vec![fill; len]).unwrap()
}

/// One key of every algorithm.
fn secrets() -> Vec<SecretKey> {
    [Algorithm::Ed25519, Algorithm::P256, Algorithm::P384].map(|a| secret(a, 7)).into()
}

fn signing<'k>(key: &'k SecretKey, keyid: Option<&'k str>) -> SigningKey<'k> {
    SigningKey { keyid, key, encoding: Encoding::Der }
}

fn trusted(key: &SecretKey, keyid: Option<&str>) -> TrustedKey {
    TrustedKey { keyid: keyid.map(str::to_owned), ..TrustedKey::new(key.public_key()) }
}

fn verify(json: &[u8], keys: &[TrustedKey], threshold: usize) -> Result<Vec<usize>> {
    Envelope::read(json)?.verify(IN_TOTO, keys, threshold, &COMMON)
}

fn refusal<T: std::fmt::Debug>(result: Result<T>) -> Refusal {
    result.unwrap_err().refusal()
}

#[test]
fn the_published_vector_verifies() {
    // protocol.md, "Test Vectors": P-256, deterministic, r and s of fixed width
    let decimal = |text: &str| {
        let mut bytes = [0_u8; 32];
        for digit in text.bytes() {
            let mut carry = u32::from(digit - b'0');
            for byte in bytes.iter_mut().rev() {
                carry += u32::from(*byte) * 10;
                *byte = carry as u8;
                carry >>= 8;
            }
        }
        bytes
    };
    let x =
        decimal("46950820868899156662930047687818585632848591499744589407958293238635476079160");
    let y = decimal("5640078356564379163099075877009565129882514886557779369047442380624545832820");
    let d =
        decimal("97358161215184420915383655311931858321456579547487070936769975997791359926199");
    let sig =
        "A3JqsQGtVsJ2O2xqrI5IcnXip5GToJ3F+FnZ+O88SjtR6rDAajabZKciJTfUiHqJPcIAriEGAHTVeCUjW2JIZA==";
    let payload_type = "http://example.com/HelloWorld";
    let json = format!(
        "{{\"payload\": \"aGVsbG8gd29ybGQ=\",\n \"payloadType\": \"{payload_type}\",\n \"signatures\": [{{\"sig\": \"{sig}\"}}]}}"
    );
    let key = Key::of_coordinates(sigmill::ecdsa::Curve::P256, &x, &y).unwrap();
    let key = TrustedKey { encoding: Encoding::Fixed, ..TrustedKey::new(key) };
    let envelope = Envelope::read(json.as_bytes()).unwrap();
    assert_eq!(envelope.message(), b"DSSEv1 29 http://example.com/HelloWorld 11 hello world");
    assert_eq!(envelope.payload(), b"hello world");
    assert_eq!(envelope.verify(payload_type, &[key], 1, &COMMON).unwrap(), [0]);

    let secret = SecretKey::new(Algorithm::P256, &d).unwrap();
    let signing = SigningKey { encoding: Encoding::Fixed, ..signing(&secret, None) };
    let made = dsse::sign(&[signing], payload_type, b"hello world").unwrap();
    assert_eq!(Envelope::read(made.as_bytes()).unwrap(), envelope);
    assert!(made.contains(sig));
}

#[test]
fn envelopes_come_back() {
    for key in &secrets() {
        for encoding in [Encoding::Der, Encoding::Fixed] {
            for keyid in [None, Some("a key \"é\"\n")] {
                let signing = SigningKey { keyid, key, encoding };
                let json = dsse::sign(&[signing], IN_TOTO, PAYLOAD).unwrap();
                let envelope = Envelope::read(json.as_bytes()).unwrap();
                assert_eq!((envelope.payload(), envelope.payload_type()), (PAYLOAD, IN_TOTO));
                assert_eq!(envelope.signatures()[0].keyid.as_deref(), keyid);
                let trusted = TrustedKey { encoding, ..trusted(key, keyid) };
                assert_eq!(envelope.verify(IN_TOTO, &[trusted], 1, &COMMON).unwrap(), [0]);
                // the same in URL-safe base64
                let safe = json.replace("/v", "\0").replace('+', "-").replace('/', "_");
                let safe = safe.replace('\0', "/v").replace("in-toto-json", "in-toto+json");
                assert_eq!(Envelope::read(safe.as_bytes()).unwrap(), envelope);
            }
        }
    }
    let json = dsse::sign(&[signing(&secret(Algorithm::Ed25519, 7), None)], "ü", b"").unwrap();
    let envelope = Envelope::read(json.as_bytes()).unwrap();
    assert_eq!(envelope.message(), "DSSEv1 2 ü 0 ".as_bytes());
    assert_eq!(refusal(dsse::sign(&[], IN_TOTO, PAYLOAD)), Refusal::NoSignature);
}

#[test]
fn keys_are_found() {
    let (a, b) = (secret(Algorithm::Ed25519, 1), secret(Algorithm::Ed25519, 2));
    let p256 = secret(Algorithm::P256, 3);
    let keys = [trusted(&a, Some("a")), trusted(&b, Some("b")), trusted(&p256, None)];
    let pairs = |signing: &[SigningKey<'_>]| {
        let json = dsse::sign(signing, IN_TOTO, PAYLOAD).unwrap();
        let envelope = Envelope::read(json.as_bytes()).unwrap();
        let pairs = envelope.candidates(&keys).unwrap();
        pairs.iter().map(|pair| (pair.signature, pair.key)).collect::<Vec<_>>()
    };
    // by name; by an unknown name and without one, by form
    assert_eq!(pairs(&[signing(&a, Some("a"))]), [(0, 0)]);
    assert_eq!(pairs(&[signing(&a, Some("c"))]), [(0, 0), (0, 1)]);
    assert_eq!(pairs(&[signing(&a, Some(""))]), [(0, 0), (0, 1)]);
    assert_eq!(pairs(&[signing(&p256, None), signing(&b, Some("b"))]), [(0, 2), (1, 1)]);
    // a name of another key finds that key, whose verdict is no
    assert_eq!(pairs(&[signing(&a, Some("b"))]), [(0, 1)]);
    let json = dsse::sign(&[signing(&a, Some("b"))], IN_TOTO, PAYLOAD).unwrap();
    assert_eq!(refusal(verify(json.as_bytes(), &keys, 1)), Refusal::NoSignature);
    // two keys of one name are both tried
    let twins = [trusted(&b, Some("a")), trusted(&a, Some("a"))];
    let json = dsse::sign(&[signing(&a, Some("a"))], IN_TOTO, PAYLOAD).unwrap();
    assert_eq!(verify(json.as_bytes(), &twins, 1).unwrap(), [1]);
}

#[test]
fn a_threshold_counts_distinct_keys() {
    let (a, b, c) =
        (secret(Algorithm::P256, 1), secret(Algorithm::P384, 2), secret(Algorithm::Ed25519, 3));
    let keys = [trusted(&a, Some("a")), trusted(&b, None), trusted(&c, None)];
    let sign = |signing: &[SigningKey<'_>]| dsse::sign(signing, IN_TOTO, PAYLOAD).unwrap();
    let two = sign(&[signing(&a, None), signing(&b, None)]);
    assert_eq!(verify(two.as_bytes(), &keys, 2).unwrap(), [0, 1]);
    assert_eq!(verify(two.as_bytes(), &keys, 1).unwrap(), [0, 1]);
    assert_eq!(refusal(verify(two.as_bytes(), &keys, 3)), Refusal::NoSignature);
    assert_eq!(refusal(verify(two.as_bytes(), &keys, 0)), Refusal::Unsupported);
    assert_eq!(refusal(verify(two.as_bytes(), &keys, usize::MAX)), Refusal::NoSignature);
    // one key that signs twice is one
    let twice = sign(&[signing(&a, None), signing(&a, Some("x"))]);
    assert_eq!(refusal(verify(twice.as_bytes(), &keys, 2)), Refusal::NoSignature);
    // one key that is trusted under two names, and in two encodings, is one
    let point = a.public_key().bytes().to_vec();
    let short = [&[2 + (point[64] & 1)], &point[1..33]].concat();
    let compressed = Key::new(Algorithm::P256, &short).unwrap();
    let same = [trusted(&a, Some("a")), trusted(&a, Some("b")), TrustedKey::new(compressed)];
    assert_eq!(verify(twice.as_bytes(), &same, 1).unwrap(), [0]);
    assert_eq!(refusal(verify(twice.as_bytes(), &same, 2)), Refusal::NoSignature);
    // a signature that does not verify takes nothing from the others
    let with_bad = two.replacen("{\"sig\"", "{\"sig\":\"AAAA\"},{\"sig\"", 1);
    assert_eq!(verify(with_bad.as_bytes(), &keys, 2).unwrap(), [0, 1]);
    // places that are none count for nothing
    assert_eq!(refusal(check_threshold(&keys, &[7, 7, 1], 2)), Refusal::NoSignature);
}

/// An envelope in JSON of these members.
fn envelope(payload: &str, payload_type: &str, signatures: &str) -> String {
    format!("{{\"payload\":{payload},\"payloadType\":{payload_type},\"signatures\":{signatures}}}")
}

#[test]
fn attacks() {
    use Refusal::*;
    let key = secret(Algorithm::Ed25519, 7);
    let keys = [trusted(&key, Some("k"))];
    let text = dsse::sign(&[signing(&key, Some("k"))], IN_TOTO, b"payload").unwrap();
    let sig = text.split("\"sig\":\"").nth(1).unwrap().split('"').next().unwrap();
    let (payload, payload_type) = ("\"cGF5bG9hZA==\"", "\"application/vnd.in-toto+json\"");
    let good = format!("[{{\"sig\":\"{sig}\"}}]");
    let with_sig = |sig: &str| envelope(payload, payload_type, &format!("[{{\"sig\":\"{sig}\"}}]"));
    let with_payload = |payload: &str| envelope(payload, payload_type, &good);
    let with = |more: &str| text.replacen('{', &format!("{{{more},"), 1);
    let deep = |levels: usize| with(&format!("\"x\":{}{}", "[".repeat(levels), "]".repeat(levels)));
    let objects = format!("\"x\":{}1{}", "{\"a\":".repeat(1 << 16), "}".repeat(1 << 16));
    let many = format!("[{}]", vec!["{\"sig\":\"AA==\"}"; MOST_SIGNATURES + 1].join(","));
    let legacy = |more: &str| with(more).replace("payloadType", "payload_type");
    let foreign =
        dsse::sign(&[signing(&secret(Algorithm::Ed25519, 8), Some("k"))], IN_TOTO, b"payload");
    let p256 = secret(Algorithm::P256, 7);
    let ecdsa = dsse::sign(&[signing(&p256, Some("k"))], IN_TOTO, b"payload").unwrap();
    let url_safe = sig.replace('+', "-").replace('/', "_");
    let cases: Vec<(&str, String, Option<Refusal>)> = vec![
        ("as it is", text.clone(), None),
        ("by its parts", envelope(payload, payload_type, &good), None),
        ("white space", text.replace(',', " ,\r\n\t"), None),
        (
            "escapes",
            text.replace("payloadType", "\\u0070ayloadType")
                .replace("application/", "application\\/"),
            None,
        ),
        (
            "unknown members",
            with("\"x\":[1,-2.5e3,null,true,{\"y\":\"\"}],\"$serde_json::private::Number\":\"1\""),
            None,
        ),
        ("no name", text.replace("\"keyid\":\"k\",", ""), None),
        ("an empty name", text.replace("\"keyid\":\"k\"", "\"keyid\":\"\""), None),
        ("a name that is null", text.replace("\"keyid\":\"k\"", "\"keyid\":null"), None),
        ("an unknown name", text.replace("\"keyid\":\"k\"", "\"keyid\":\"unknown\""), None),
        ("URL-safe signature", with_sig(&url_safe), None),
        ("nesting at the limit", deep(63), None),
        ("nesting beyond it", deep(64), Some(TooDeep)),
        ("deep arrays", deep(1 << 20), Some(TooDeep)),
        ("deep objects", with(&objects), Some(TooDeep)),
        ("another key", foreign.unwrap(), Some(NoSignature)),
        ("ECDSA under the name of a key of Ed25519", ecdsa, Some(NoSignature)),
        ("base64 in two pieces", with_payload("\"cA==YXlsb2Fk\""), Some(NotDsse)),
        ("another payload", with_payload("\"cGF5bG9hZB==\""), Some(NotDsse)),
        ("a payload with another end", with_payload("\"cGF5bG9hZQ==\""), Some(NoSignature)),
        ("another type", text.replace("in-toto", "in-Toto"), Some(PayloadType)),
        ("a type in another case", text.replace("application", "Application"), Some(PayloadType)),
        (
            "the type moved into the payload",
            envelope("\"\"", payload_type, &good),
            Some(NoSignature),
        ),
        ("two payloads", with("\"payload\":\"\""), Some(DuplicateMember)),
        ("two payloads by an escape", with("\"\\u0070ayload\":\"\""), Some(DuplicateMember)),
        ("two types", with("\"payloadType\":\"\""), Some(DuplicateMember)),
        ("two lists of signatures", with("\"signatures\":[]"), Some(DuplicateMember)),
        ("two sigs", text.replace("{\"keyid\"", "{\"sig\":\"\",\"keyid\""), Some(DuplicateMember)),
        (
            "two names",
            text.replace("{\"keyid\"", "{\"keyid\":\"\",\"keyid\""),
            Some(DuplicateMember),
        ),
        (
            "two members of an unknown object",
            with("\"x\":[{\"y\":1,\"z\":2,\"y\":3}]"),
            Some(DuplicateMember),
        ),
        ("no padding", with_payload("\"cGF5bG9hZA\""), Some(NotDsse)),
        ("half the padding", with_payload("\"cGF5bG9hZA=\""), Some(NotDsse)),
        ("too much padding", with_payload("\"cGF5bG9hZA===\""), Some(NotDsse)),
        ("a line break in the base64", with_payload("\"cGF5\\nbG9hZA==\""), Some(NotDsse)),
        ("two alphabets", with_sig("-+AA"), Some(NotDsse)),
        ("a signature of no bytes", with_sig(""), Some(NoSignature)),
        ("63 bytes", with_sig(&"A".repeat(84)), Some(NoSignature)),
        ("64 zeros", with_sig(&("A".repeat(86) + "==")), Some(NoSignature)),
        (
            "a signature that is a number",
            with_sig("").replace("\"sig\":\"\"", "\"sig\":1"),
            Some(NotDsse),
        ),
        ("no signatures", envelope(payload, payload_type, "[]"), Some(NoSignature)),
        ("signatures that are no array", envelope(payload, payload_type, "{}"), Some(NotDsse)),
        ("a signature that is no object", envelope(payload, payload_type, "[1]"), Some(NotDsse)),
        ("a signature without bytes", envelope(payload, payload_type, "[{}]"), Some(NotDsse)),
        ("many signatures", envelope(payload, payload_type, &many), Some(TooLarge)),
        ("many values", with(&format!("\"x\":[{}0]", "0,".repeat(1 << 16))), Some(TooLarge)),
        ("a payload that is an object", with_payload("{}"), Some(NotDsse)),
        ("no type", legacy("\"x\":1"), Some(NotDsse)),
        ("a type that is a number", envelope(payload, "1", &good), Some(NotDsse)),
        ("a name that is a number", text.replace("\"keyid\":\"k\"", "\"keyid\":1"), Some(NotDsse)),
        ("trailing text", text.clone() + "x", Some(NotDsse)),
        ("two envelopes", text.clone() + &text, Some(NotDsse)),
        ("a byte order mark", format!("\u{feff}{text}"), Some(NotDsse)),
        ("a comma too many", text.replace(']', ",]"), Some(NotDsse)),
        ("a comment", format!("/**/{text}"), Some(NotDsse)),
        ("half of a surrogate", with("\"x\":\"\\ud800\""), Some(NotDsse)),
        ("a control in a string", with("\"x\":\"\n\""), Some(NotDsse)),
        ("an array", "[]".into(), Some(NotDsse)),
        ("a text", "\"payload\"".into(), Some(NotDsse)),
        ("null", "null".into(), Some(NotDsse)),
        ("nothing", String::new(), Some(NotDsse)),
    ];
    for (name, input, expected) in &cases {
        let got = verify(input.as_bytes(), &keys, 1);
        assert_eq!(got.as_ref().err().map(|error| error.refusal()), *expected, "{name}: {got:?}");
    }
    println!("{} envelopes", cases.len());
    // a valid signature of a payload of another type than the one asked for
    let envelope = Envelope::read(text.as_bytes()).unwrap();
    assert_eq!(refusal(envelope.verify("application/json", &keys, 1, &COMMON)), PayloadType);
    let large = vec![b' '; LONGEST_TEXT + 1];
    assert_eq!(refusal(Envelope::read(&large)), TooLarge);
    assert_eq!(refusal(Bundle::read(&large)), TooLarge);
    assert_eq!(refusal(Envelope::read(b"{\"x\":\"\xff\"}")), NotDsse);
    let error = Envelope::read(with("\"payload\":\"\"").as_bytes()).unwrap_err();
    assert!(error.detail().contains("`payload` occurs twice"), "{error}");
    // DER does not pass for the fixed width, nor the fixed width for DER
    let fixed = SigningKey { encoding: Encoding::Fixed, ..signing(&p256, Some("k")) };
    let fixed = dsse::sign(&[fixed], IN_TOTO, PAYLOAD).unwrap();
    assert_eq!(refusal(verify(fixed.as_bytes(), &[trusted(&p256, Some("k"))], 1)), NoSignature);
    let der = dsse::sign(&[signing(&p256, Some("k"))], IN_TOTO, PAYLOAD).unwrap();
    let wants_fixed = TrustedKey { encoding: Encoding::Fixed, ..trusted(&p256, Some("k")) };
    assert_eq!(refusal(verify(der.as_bytes(), &[wants_fixed], 1)), NoSignature);
}

#[test]
fn no_part_and_no_changed_bit_is_valid() {
    for key in &secrets() {
        let text = dsse::sign(&[signing(key, None)], IN_TOTO, b"pay").unwrap().into_bytes();
        let keys = [trusted(key, None)];
        assert!(verify(&text, &keys, 1).is_ok());
        for end in 0..text.len() {
            assert!(verify(&text[..end], &keys, 1).is_err(), "{end} bytes");
        }
        let mut read = 0;
        for at in 0..text.len() {
            for bit in 0..8 {
                let mut changed = text.clone();
                changed[at] ^= 1 << bit;
                read += usize::from(Envelope::read(&changed).is_ok());
                let verdict = verify(&changed, &keys, 1);
                assert!(verdict.is_err(), "bit {bit} of byte {at}");
            }
        }
        println!(
            "{}: {} bits changed, {read} of them read",
            key.algorithm().name(),
            8 * text.len()
        );
    }
}

fn bundle(media_type: &str, material: &str, content: &str) -> String {
    format!("{{\"mediaType\":\"{media_type}\",\"verificationMaterial\":{{{material}}},{content}}}")
}

const V03: &str = "application/vnd.dev.sigstore.bundle.v0.3+json";
const HINT: &str = "\"publicKey\":{\"hint\":\"a hint\"},\"tlogEntries\":[{\"logIndex\":\"1\"}]";

#[test]
fn bundles_come_by_key() {
    let base64 = data_encoding::BASE64;
    for key in &secrets() {
        let trusted = trusted(key, None);
        let envelope = dsse::sign(&[signing(key, Some(""))], IN_TOTO, PAYLOAD).unwrap();
        let scheme = sigmill_envelope::Scheme::of(key.algorithm(), Encoding::Der);
        let signature = base64.encode(&key.sign(scheme, PAYLOAD).unwrap());
        let message = format!(
            "\"messageSignature\":{{\"messageDigest\":{{\"algorithm\":\"SHA2_256\",\"digest\":\"AAEC\"}},\"signature\":\"{signature}\"}}"
        );
        for (version, material) in [
            ("application/vnd.dev.sigstore.bundle+json;version=0.1", HINT),
            ("application/vnd.dev.sigstore.bundle+json;version=0.2", "\"publicKey\":{}"),
            (
                "application/vnd.dev.sigstore.bundle+json;version=0.2",
                "\"x509CertificateChain\":{\"certificates\":[{\"rawBytes\":\"AAEC\"},{\"rawBytes\":\"\"}]}",
            ),
            (V03, "\"certificate\":{\"rawBytes\":\"AAEC\"}"),
        ] {
            let json = bundle(version, material, &format!("\"dsseEnvelope\":{envelope}"));
            let read = Bundle::read(json.as_bytes()).unwrap();
            let keys = [trusted.clone()];
            assert_eq!(
                read.content
                    .clone()
                    .into_envelope()
                    .unwrap()
                    .verify(IN_TOTO, &keys, 1, &COMMON)
                    .unwrap(),
                [0]
            );
            assert_eq!(read.key_hint.is_some(), material == HINT);
            assert_eq!(!read.certificates.is_empty(), material.contains("AAEC"));
            assert_eq!(
                refusal(read.content.signed_artifact(PAYLOAD, &trusted)),
                Refusal::PayloadTwice
            );

            let json = bundle(version, material, &message);
            let read = Bundle::read(json.as_bytes()).unwrap();
            let Content::Message { digest: Some(digest), .. } = &read.content else { panic!() };
            assert_eq!(
                (digest.algorithm.as_deref(), &digest.digest[..]),
                (Some("SHA2_256"), &[0, 1, 2][..])
            );
            let valid = |artifact: &[u8]| {
                let signed = read.content.signed_artifact(artifact, &trusted).unwrap();
                signed.verify(&trusted.key, &COMMON).unwrap().is_valid()
            };
            assert!(valid(PAYLOAD) && !valid(b"another"));
            assert_eq!(refusal(read.content.into_envelope()), Refusal::PayloadMissing);
        }
    }
}

#[test]
fn attacks_on_bundles() {
    use Refusal::*;
    let key = secret(Algorithm::P256, 7);
    let envelope = dsse::sign(&[signing(&key, None)], IN_TOTO, PAYLOAD).unwrap();
    let two = dsse::sign(&[signing(&key, None), signing(&key, None)], IN_TOTO, PAYLOAD).unwrap();
    let content = format!("\"dsseEnvelope\":{envelope}");
    let message = "\"messageSignature\":{\"signature\":\"AAEC\"}";
    let good = bundle(V03, HINT, &content);
    let certificate = "\"certificate\":{\"rawBytes\":\"AAEC\"}";
    let chain = "\"x509CertificateChain\":{\"certificates\":[]}";
    let cases: Vec<(&str, String, Option<Refusal>)> = vec![
        ("as it is", good.clone(), None),
        ("a message", bundle(V03, HINT, message), None),
        ("a chain without certificates", bundle(V03, chain, message), None),
        (
            "an unknown version",
            bundle(&V03.replace("0.3", "0.4"), HINT, &content),
            Some(Unsupported),
        ),
        ("another type of media", bundle("application/json", HINT, &content), Some(Unsupported)),
        ("no type of media", good.replace("mediaType", "mediatype"), Some(NotDsse)),
        ("a bare envelope", envelope.clone(), Some(NotDsse)),
        ("no material", format!("{{\"mediaType\":\"{V03}\",{content}}}"), Some(NotDsse)),
        ("empty material", bundle(V03, "", &content), Some(NotDsse)),
        (
            "a key and a certificate",
            bundle(V03, &format!("{HINT},{certificate}"), &content),
            Some(NotDsse),
        ),
        (
            "a certificate and a chain",
            bundle(V03, &format!("{certificate},{chain}"), &content),
            Some(NotDsse),
        ),
        ("both contents", bundle(V03, HINT, &format!("{content},{message}")), Some(NotDsse)),
        ("no content", bundle(V03, HINT, "\"x\":1"), Some(NoSignature)),
        ("content that is null", bundle(V03, HINT, "\"dsseEnvelope\":null"), Some(NoSignature)),
        (
            "two envelopes",
            bundle(V03, HINT, &format!("{content},{content}")),
            Some(DuplicateMember),
        ),
        ("two hints", good.replace("\"hint\"", "\"hint\":\"\",\"hint\""), Some(DuplicateMember)),
        (
            "two entries of a log",
            good.replace("\"logIndex\"", "\"logIndex\":1,\"logIndex\""),
            Some(DuplicateMember),
        ),
        ("two signatures", bundle(V03, HINT, &format!("\"dsseEnvelope\":{two}")), Some(NotDsse)),
        ("a hint that is a number", good.replace("\"a hint\"", "1"), Some(NotDsse)),
        ("an envelope that is a text", bundle(V03, HINT, "\"dsseEnvelope\":\"\""), Some(NotDsse)),
        (
            "a message without a signature",
            bundle(V03, HINT, "\"messageSignature\":{}"),
            Some(NotDsse),
        ),
        (
            "certificates that are no array",
            bundle(V03, &chain.replace("[]", "{}"), message),
            Some(NotDsse),
        ),
        (
            "a certificate that is no base64",
            bundle(V03, &certificate.replace("AAEC", "A"), message),
            Some(NotDsse),
        ),
        ("trailing text", good.clone() + "{}", Some(NotDsse)),
    ];
    for (name, input, expected) in &cases {
        let got = Bundle::read(input.as_bytes());
        assert_eq!(got.as_ref().err().map(|error| error.refusal()), *expected, "{name}: {got:?}");
    }
    println!("{} bundles", cases.len());
    for end in 0..good.len() {
        assert!(Bundle::read(&good.as_bytes()[..end]).is_err());
    }
}

#[test]
fn an_envelope_asks_for_bounded_work() {
    let keys: Vec<TrustedKey> =
        (1..=17).map(|fill| trusted(&secret(Algorithm::Ed25519, fill), None)).collect();
    let sig = format!("{{\"sig\":\"{}\"}}", "A".repeat(86) + "==");
    let many = format!("[{}]", vec![sig; MOST_SIGNATURES].join(","));
    let payload_type = format!("\"{IN_TOTO}\"");
    let text = envelope("\"\"", &payload_type, &many);
    assert_eq!(refusal(verify(text.as_bytes(), &keys, 1)), Refusal::TooLarge, "17 * 256 pairs");
    assert_eq!(refusal(verify(text.as_bytes(), &keys[..1], 1)), Refusal::NoSignature);
    let payload = format!("\"{}\"", "A".repeat(8 << 20));
    let text = envelope(&payload, &payload_type, &many);
    assert_eq!(refusal(verify(text.as_bytes(), &keys[..1], 1)), Refusal::TooLarge, "256 * 6 MiB");
}
