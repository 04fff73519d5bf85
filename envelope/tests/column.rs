//! Columns: rows of each form, keys in each form, and what a row refuses.

use sigmill::Verdict;
use sigmill::bulk::Algorithm;
use sigmill::ed25519::rules::COMMON;
use sigmill_envelope::jose::{Headers, Jwk, JwkSet};
use sigmill_envelope::{
    Candidate, Candidates, ColumnReader, Form, Key, Refusal, Result, Scheme, SecretKey, Signed,
    Trusted, cose, dsse, minisign, ssh,
};

const PAYLOAD: &[u8] = b"{\"sub\":\"a\"}";

fn secrets() -> [SecretKey; 3] {
    [
        SecretKey::new(Algorithm::Ed25519, &[7; 32]).unwrap(),
        SecretKey::new(Algorithm::P256, &[8; 32]).unwrap(),
        SecretKey::new(Algorithm::P384, &[9; 48]).unwrap(),
    ]
}

fn named() -> Trusted {
    let keys = secrets().into_iter().enumerate().map(|(i, secret)| {
        let mut jwk = Jwk::new(secret.public_key());
        jwk.kid = Some(format!("k{i}"));
        jwk
    });
    Trusted::Jwk(JwkSet::new(keys.collect()).unwrap())
}

fn unnamed() -> Trusted {
    Trusted::Keys(secrets().iter().map(SecretKey::public_key).collect())
}

/// An envelope by each key.
fn envelopes(form: Form) -> Vec<Vec<u8>> {
    let by = |(i, secret): (usize, &SecretKey)| {
        let kid = format!("k{i}");
        match form {
            Form::Jws => {
                let headers = Headers { kid: Some(&kid), ..Headers::default() };
                headers.compact(secret, PAYLOAD).unwrap().into_bytes()
            }
            Form::Cose => {
                cose::sign(secret, Some(kid.as_bytes()), PAYLOAD, false, true, b"").unwrap()
            }
            Form::Dsse => {
                let encoding = sigmill::ecdsa::Encoding::Der;
                let key = dsse::SigningKey { keyid: Some(&kid), key: secret, encoding };
                dsse::sign(&[key], dsse::IN_TOTO, PAYLOAD).unwrap().into_bytes()
            }
            _ => {
                let digest = ssh::Hash::Sha512.digest(PAYLOAD);
                ssh::sign(secret, "file", ssh::Hash::Sha512, &digest).unwrap().into_bytes()
            }
        }
    };
    secrets().iter().enumerate().map(by).collect()
}

/// The candidates of a row behind others, with their verdicts.
fn judge(
    reader: &ColumnReader,
    envelope: &[u8],
    message: Option<&[u8]>,
) -> Result<Vec<(Candidate, Verdict)>> {
    let other = Candidate { key: 9, scheme: Scheme::Ed25519, signature: 1..3 };
    let before = Candidates { signatures: vec![1, 2, 3], list: vec![other] };
    let mut candidates = before.clone();
    let message = reader.rows().read(envelope, message, &mut candidates).inspect_err(|_| {
        assert_eq!(candidates, before, "nothing is appended");
    })?;
    assert_eq!(candidates.list[0], before.list[0]);
    assert!((2..=1 + reader.most_candidates()).contains(&candidates.list.len()));
    let verdict = |one: &Candidate| {
        let signature = candidates.signature(one).into();
        let signed = Signed { scheme: one.scheme, message: message.clone(), signature };
        Ok((one.clone(), signed.verify(&reader.keys()[one.key], &COMMON)?))
    };
    candidates.list[1..].iter().map(verdict).collect()
}

/// The key that decides a row, and whether the row is valid.
fn verify(reader: &ColumnReader, envelope: &[u8], message: Option<&[u8]>) -> Result<(usize, bool)> {
    let judged = judge(reader, envelope, message)?;
    let (one, verdict) = &judged[Candidates::deciding(&judged, |(_, verdict)| verdict.is_valid())];
    Ok((one.key, verdict.is_valid()))
}

#[test]
fn rows_of_each_form_have_their_keys_and_verdicts() {
    let mut rows = 0;
    for form in [Form::Jws, Form::Cose, Form::Dsse, Form::Ssh] {
        let (namespace, message) = match form {
            Form::Ssh => (Some("file"), Some(PAYLOAD)),
            _ => (None, None),
        };
        for trusted in [named(), unnamed()] {
            let reader = ColumnReader::new(form, &trusted, namespace).unwrap();
            assert_eq!(reader.needs_message(), form == Form::Ssh);
            for (i, envelope) in envelopes(form).iter().enumerate() {
                assert_eq!(Form::of(envelope), Some(form));
                assert_eq!(verify(&reader, envelope, message), Ok((i, true)), "{form:?}");
                rows += 1;
                for end in 0..envelope.len() {
                    let cut = verify(&reader, &envelope[..end], message);
                    let is_end = envelope[end..].iter().all(u8::is_ascii_whitespace);
                    assert!(is_end || !matches!(cut, Ok((_, true))), "{form:?}, {end} bytes");
                }
            }
        }
    }
    assert_eq!(rows, 24);
}

#[test]
fn claims_are_those_of_tokens() {
    let (trusted, names) = (named(), ["sub", "exp"]);
    let reader = ColumnReader::new(Form::Jws, &trusted, None).unwrap();
    let mut rows = reader.rows();
    for token in envelopes(Form::Jws) {
        assert_eq!(rows.claims(&token, &names).unwrap(), [Some("a".to_owned()), None]);
        let cut = rows.claims(&token[..token.len() - 1], &names);
        assert_eq!(cut.unwrap_err().refusal(), Refusal::NotJws);
    }
    let reader = ColumnReader::new(Form::Dsse, &trusted, None).unwrap();
    for envelope in envelopes(Form::Dsse) {
        let read = reader.rows().claims(&envelope, &names);
        assert_eq!(read.unwrap_err().refusal(), Refusal::Unsupported);
    }
}

#[test]
fn what_no_row_can_be_is_refused() {
    let refusal = |form, trusted: &Trusted, namespace| {
        ColumnReader::new(form, trusted, namespace).map(|_| ()).map_err(|error| error.refusal())
    };
    assert_eq!(refusal(Form::Ssh, &named(), None), Err(Refusal::NamespaceMismatch));
    assert_eq!(refusal(Form::Ssh, &named(), Some("")), Err(Refusal::NamespaceMismatch));
    assert_eq!(refusal(Form::Jws, &named(), Some("file")), Err(Refusal::NamespaceMismatch));
    assert_eq!(refusal(Form::Minisign, &named(), None), Err(Refusal::Unsupported));
    assert_eq!(refusal(Form::Jws, &Trusted::Keys(vec![]), None), Err(Refusal::KeyUnknown));

    let one = Trusted::Keys(vec![secrets()[0].public_key()]);
    let by_another = |form, namespace, message| {
        let reader = ColumnReader::new(form, &one, namespace).unwrap();
        verify(&reader, &envelopes(form)[1], message).map_err(|error| error.refusal())
    };
    assert_eq!(by_another(Form::Jws, None, None), Err(Refusal::AlgMismatch));
    assert_eq!(by_another(Form::Cose, None, None), Err(Refusal::AlgMismatch));
    assert_eq!(by_another(Form::Dsse, None, None), Err(Refusal::KeyUnknown));
    assert_eq!(by_another(Form::Ssh, Some("file"), Some(PAYLOAD)), Err(Refusal::KeyUnknown));

    let reader = ColumnReader::new(Form::Ssh, &unnamed(), Some("git")).unwrap();
    let (envelope, read) =
        (&envelopes(Form::Ssh)[0], |message| verify(&reader, &envelopes(Form::Ssh)[0], message));
    assert_eq!(read(Some(PAYLOAD)).map_err(|e| e.refusal()), Err(Refusal::NamespaceMismatch));
    let reader = ColumnReader::new(Form::Ssh, &unnamed(), Some("file")).unwrap();
    assert_eq!(
        verify(&reader, envelope, None).map_err(|e| e.refusal()),
        Err(Refusal::PayloadMissing)
    );
    assert_eq!(verify(&reader, envelope, Some(b"another")).unwrap(), (0, false));
}

#[test]
fn keys_name_their_form() {
    let public = secrets().map(|secret| secret.public_key());
    let read = |bytes: &[u8]| {
        Trusted::read(bytes).unwrap().map(|t| t.keys().into_iter().cloned().collect::<Vec<Key>>())
    };
    let lines: String =
        public.iter().map(|key| ssh::write_public(key, "a comment").unwrap()).collect();
    assert_eq!(read(format!("# keys\n\n{lines}").as_bytes()), Some(public.to_vec()));
    assert_eq!(
        read(Jwk::new(public[1].clone()).to_json().unwrap().as_bytes()),
        Some(vec![public[1].clone()])
    );
    let Trusted::Jwk(set) = named() else { unreachable!() };
    assert_eq!(read(set.to_json().unwrap().as_bytes()), Some(public.to_vec()));
    let key = minisign::PublicKey {
        key: public[0].clone(),
        id: [1; 8],
        untrusted_comment: Some("k".into()),
    };
    assert_eq!(read(key.write().unwrap().as_bytes()), Some(vec![public[0].clone()]));
    let pem =
        sigmill::ed25519::SigningKey::from_bytes(&[7; 32]).verifying_key().to_spki_pem().unwrap();
    assert_eq!(read(pem.as_bytes()), Some(vec![public[0].clone()]));
    let pem = sigmill::ecdsa::p384::SigningKey::from_slice(&[9; 48])
        .unwrap()
        .verifying_key()
        .to_spki_pem()
        .unwrap();
    assert_eq!(read(format!("\r\n{pem}").as_bytes()), Some(vec![public[2].clone()]));
    for nameless in [&b""[..], &[7; 32], b"0a0b", b"-----BEGIN SOMETHING-----", b"ssh", b"\xff\xfe"]
    {
        assert_eq!(read(nameless), None);
    }
    for (bad, refusal) in [
        ("{}", Refusal::NotJwk),
        ("-----BEGIN PUBLIC KEY-----\nAA==\n-----END PUBLIC KEY-----\n", Refusal::AlgUnknown),
        ("-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n", Refusal::NotX509),
        ("untrusted comment: k\nAA\n", Refusal::NotMinisign),
        ("ssh-ed25519 AAAA", Refusal::NotSsh),
    ] {
        assert_eq!(
            Trusted::read(bad.as_bytes()).map(|_| ()).map_err(|e| e.refusal()),
            Err(refusal),
            "{bad}"
        );
    }
}

#[test]
fn every_public_key_of_a_file_counts() {
    let pem = |fill| {
        let key = sigmill::ed25519::SigningKey::from_bytes(&[fill; 32]).verifying_key();
        key.to_spki_pem().unwrap()
    };
    let read = |text: String| {
        let trusted = Trusted::read(text.as_bytes()).map_err(|error| error.refusal())?;
        Ok(trusted.map(|trusted| trusted.keys().len()))
    };
    assert_eq!(read(format!("first\n{}\r\nsecond\n{}\n", pem(7), pem(8))), Ok(Some(2)));
    assert_eq!(read(format!("\u{feff}{}", pem(7))), Ok(Some(1)), "as Windows writes it");
    let line = ssh::write_public(&secrets()[0].public_key(), "").unwrap();
    // a key of another type signs nothing here, whatever stands in its line
    assert_eq!(read(format!("# x\n\n{line}ssh-rsa AAAA\n{line}")), Ok(Some(2)));
    for (text, refusal) in [
        ("# x\n\n\nssh-rsa AAAA\n".to_owned(), Refusal::AlgUnknown),
        (format!("# x\n\n{line}ssh-ed25519 AAAA\n"), Refusal::NotSsh),
    ] {
        let error = Trusted::read(text.as_bytes()).unwrap_err();
        assert_eq!(error.refusal(), refusal);
        assert!(error.detail().starts_with("line 4: "), "{error}");
    }
    let certificate = "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n";
    assert_eq!(read(format!("{}{certificate}", pem(7))), Err(Refusal::Unsupported));
    assert_eq!(read(pem(7).repeat(1025)), Err(Refusal::TooLarge));
}

#[test]
fn keys_for_other_uses_verify_nothing() {
    let keys = secrets().map(|secret| Jwk::new(secret.public_key()));
    let [mut encrypts, verifies, mut signs] = keys;
    encrypts.usage = Some("enc".into());
    signs.key_ops = Some(vec!["sign".into()]);
    let trusted = Trusted::Jwk(JwkSet::new(vec![encrypts.clone(), verifies, signs]).unwrap());
    for form in [Form::Jws, Form::Cose, Form::Dsse, Form::Ssh] {
        let (namespace, message) = match form {
            Form::Ssh => (Some("file"), Some(PAYLOAD)),
            _ => (None, None),
        };
        let reader = ColumnReader::new(form, &trusted, namespace).unwrap();
        // the names would be unknown to the set, which has none
        let envelopes = match form {
            Form::Jws => secrets()
                .map(|key| Headers::default().compact(&key, PAYLOAD).unwrap().into_bytes())
                .to_vec(),
            Form::Cose => secrets()
                .map(|key| cose::sign(&key, None, PAYLOAD, false, true, b"").unwrap())
                .into(),
            _ => envelopes(form),
        };
        let seen: Vec<_> =
            envelopes.iter().map(|envelope| verify(&reader, envelope, message).ok()).collect();
        assert_eq!(seen, [None, Some((0, true)), None], "{form:?}");
    }
    assert!(trusted.keys().len() == 1 && trusted.dsse_keys().len() == 1);
    let none = Trusted::Jwk(JwkSet::new(vec![encrypts]).unwrap());
    let refused = ColumnReader::new(Form::Dsse, &none, None).map(|_| ()).unwrap_err();
    assert_eq!(refused.refusal(), Refusal::KeyUnknown);
}

#[test]
fn signatures_of_ed25519_are_not_taken_for_der() {
    let reader = ColumnReader::new(Form::Dsse, &unnamed(), None).unwrap();
    let encoding = sigmill::ecdsa::Encoding::Der;
    let [ed25519, ..] = secrets();
    let key = dsse::SigningKey { keyid: None, key: &ed25519, encoding };
    let text = (0..u32::MAX)
        .map(|i| dsse::sign(std::slice::from_ref(&key), "t", &i.to_be_bytes()).unwrap())
        .find(|text| {
            dsse::Envelope::read(text.as_bytes()).unwrap().signatures()[0].sig.starts_with(&[0x30])
        })
        .unwrap();
    assert_eq!(verify(&reader, text.as_bytes(), None), Ok((0, true)));
}

#[test]
fn keys_of_two_types_may_share_a_name() {
    let keys = secrets().map(|secret| {
        let mut jwk = Jwk::new(secret.public_key());
        jwk.kid = Some("k0".into());
        jwk
    });
    let trusted = Trusted::Jwk(JwkSet::new(keys.to_vec()).unwrap());
    for form in [Form::Jws, Form::Dsse] {
        let reader = ColumnReader::new(form, &trusted, None).unwrap();
        assert_eq!(verify(&reader, &envelopes(form)[0], None), Ok((0, true)), "{form:?}");
    }
}

#[test]
fn one_valid_signature_of_several_is_enough() {
    let encoding = sigmill::ecdsa::Encoding::Der;
    let stranger = SecretKey::new(Algorithm::Ed25519, &[1; 32]).unwrap();
    let [ed25519, p256, p384] = secrets();
    let sign = |keys: &[(&SecretKey, Option<&str>)]| {
        let keys: Vec<_> = keys
            .iter()
            .map(|(key, keyid)| dsse::SigningKey { keyid: *keyid, key, encoding })
            .collect();
        dsse::sign(&keys, dsse::IN_TOTO, PAYLOAD).unwrap()
    };
    let of_bundle = |envelope: &str| {
        format!(
            r#"{{"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json","verificationMaterial":{{"publicKey":{{}}}},"dsseEnvelope":{envelope}}}"#
        )
    };
    let one = sign(&[(&p384, Some("k2"))]);
    let message = r#"{"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json","verificationMaterial":{"publicKey":{}},"messageSignature":{"signature":"AAAA"}}"#;
    let cases = [
        ("all", sign(&[(&ed25519, Some("k0")), (&p256, Some("k1"))])),
        ("the second", sign(&[(&stranger, Some("k0")), (&p384, Some("k2"))])),
        ("the second, without a name", sign(&[(&stranger, None), (&p256, None)])),
        ("one under another's name", sign(&[(&p256, Some("k0"))])),
        ("none", sign(&[(&stranger, Some("k0")), (&stranger, None)])),
        ("a bundle", of_bundle(&one)),
        ("a bundle, changed", of_bundle(&one.replace("\"sig\":\"MG", "\"sig\":\"MC"))),
        ("a bundle of two", of_bundle(&sign(&[(&ed25519, None), (&p256, None)]))),
        ("a signature of an artifact", message.to_owned()),
        ("no form of a signature", one.replace("\"sig\":\"", "\"sig\":\"AAAA").replace("k2", "x")),
    ];
    let mut seen = Vec::new();
    for trusted in [named(), unnamed()] {
        let (reader, keys) =
            (ColumnReader::new(Form::Dsse, &trusted, None).unwrap(), trusted.dsse_keys());
        for (name, text) in &cases {
            let by_column = verify(&reader, text.as_bytes(), None).map_err(|e| e.refusal());
            let content =
                dsse::Content::read(text.as_bytes()).and_then(dsse::Content::into_envelope);
            let singly = content.map_err(|e| e.refusal()).map(|envelope| {
                let candidates = envelope.candidates(&keys).unwrap();
                assert_eq!(by_column.is_err(), candidates.is_empty(), "{name}");
                envelope.verify(dsse::IN_TOTO, &keys, 1, &COMMON).is_ok()
            });
            assert_eq!(by_column.is_ok_and(|(_, is_valid)| is_valid), singly == Ok(true), "{name}");
            if let Err(refusal) = singly {
                assert_eq!(by_column, Err(refusal), "{name}");
            }
            seen.push(by_column);
        }
    }
    let refused = [Refusal::NotDsse, Refusal::PayloadMissing, Refusal::KeyUnknown].map(Err);
    let named = [Ok((0, true)), Ok((2, true)), Ok((1, true)), Ok((0, false)), Ok((0, false))];
    let unnamed = [Ok((0, true)), Ok((2, true)), Ok((1, true)), Ok((1, true)), Ok((0, false))];
    let first = [Ok((2, true)), Ok((2, false))];
    let second = [Ok((2, true)), Err(Refusal::KeyUnknown)];
    assert_eq!(seen[..10], [&named[..], &first, &refused].concat());
    assert_eq!(seen[10..], [&unnamed[..], &second, &refused].concat());
}

#[test]
fn a_signature_is_held_once_for_all_keys() {
    let keys: Vec<Key> = (1..=16)
        .map(|i| SecretKey::new(Algorithm::Ed25519, &[i; 32]).unwrap().public_key())
        .collect();
    let reader = ColumnReader::new(Form::Dsse, &Trusted::Keys(keys), None).unwrap();
    let envelope = |signatures: usize| {
        let signature = format!("{{\"sig\":\"{}==\"}}", "A".repeat(86));
        let signatures = vec![signature; signatures].join(",");
        format!("{{\"payload\":\"\",\"payloadType\":\"t\",\"signatures\":[{signatures}]}}")
    };
    let mut candidates = Candidates::default();
    let text = envelope(256);
    assert!(reader.rows().read(text.as_bytes(), None, &mut candidates).is_ok());
    assert_eq!((candidates.list.len(), candidates.signatures.len()), (4096, 256 * 64));
    assert_eq!(candidates.list[4095].signature, 255 * 64..256 * 64);
    assert_eq!(reader.most_candidates(), 4096);
    let keys = (1..=17).map(|i| SecretKey::new(Algorithm::Ed25519, &[i; 32]).unwrap().public_key());
    let reader = ColumnReader::new(Form::Dsse, &Trusted::Keys(keys.collect()), None).unwrap();
    let refused = reader.rows().read(text.as_bytes(), None, &mut Candidates::default());
    assert_eq!(refused.unwrap_err().refusal(), Refusal::TooLarge);
}

#[test]
fn forms_are_told_by_their_headers() {
    for form in [Form::Jws, Form::Cose, Form::Dsse, Form::Ssh] {
        for envelope in envelopes(form) {
            assert_eq!(Form::of(&envelope), Some(form));
        }
    }
    // {\n "alg":"EdDSA"}
    let pretty = "ewogImFsZyI6IkVkRFNBIn0";
    let bundle = r#"{"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json"}"#;
    let image = r#"{"mediaType":"application/vnd.oci.image.manifest.v1+json"}"#;
    for (text, form) in [
        (format!("{pretty}.e30.AAAA"), Some(Form::Jws)),
        (format!("{pretty}..AAAA\n"), Some(Form::Jws)),
        (format!("{pretty}.$ 1+1!.AAAA"), Some(Form::Jws)),
        ("eyes are. open.".to_owned(), None),
        ("eyes.are.open, too".to_owned(), None),
        (format!("{pretty}.e30.AAAA.AAAA"), None),
        (bundle.to_owned(), Some(Form::Dsse)),
        (image.to_owned(), None),
    ] {
        assert_eq!(Form::of(text.as_bytes()), form, "{text}");
    }
    let [head, rest @ ..] = &envelopes(Form::Cose)[0][..] else { unreachable!() };
    assert_eq!(*head, 0xd2);
    assert_eq!(Form::of(&[&[0xd8, 18], rest].concat()), Some(Form::Cose));
    assert_eq!(Form::of(&[&[0xd8, 61, 0xd8, 18], rest].concat()), Some(Form::Cose));
}

#[test]
fn codes_are_those_of_no_reason() {
    let codes: Vec<u8> = Refusal::ALL.iter().map(|refusal| refusal.code()).collect();
    assert!(
        codes.iter().zip(128..).all(|(code, i)| *code == i) && codes.iter().all(|code| *code < 240)
    );
    assert!(sigmill::Reason::ALL.iter().all(|reason| reason.code() < 128));
}
