//! Columns: rows of each form, keys in each form, and what a row refuses.

use sigmill::bulk::Algorithm;
use sigmill::ed25519::rules::COMMON;
use sigmill_envelope::jose::{Headers, Jwk, JwkSet};
use sigmill_envelope::{
    ColumnReader, Form, Key, Refusal, Result, SecretKey, Signed, Trusted, cose, dsse, minisign, ssh,
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

/// The verdict of a row, whose key and signature the reader gives.
fn verify(reader: &ColumnReader, envelope: &[u8], message: Option<&[u8]>) -> Result<(usize, bool)> {
    let mut signatures = vec![1, 2, 3];
    let read = reader.rows().read(envelope, message, &mut signatures);
    let row = match read {
        Ok(row) => row,
        Err(error) => {
            assert_eq!(signatures, [1, 2, 3], "nothing is appended");
            return Err(error);
        }
    };
    let signature = signatures[3..].into();
    let signed = Signed { scheme: row.scheme, message: row.message, signature };
    let verdict = signed.verify(&reader.keys()[row.key], &COMMON)?;
    Ok((row.key, verdict.is_valid()))
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
