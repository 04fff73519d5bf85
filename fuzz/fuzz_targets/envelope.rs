//! Any bytes as an envelope or key in the form that the first byte names: no panic; the signatures that verify are of messages
//! that this target signed; what was read, written and read again is the same; a form is never told to be another one; a row
//! of a column agrees with its envelope.

#![no_main]

#[path = "../shared/envelopes.rs"]
mod envelopes;
#[path = "../shared/seeds.rs"]
mod seeds;

use data_encoding::BASE64;
use envelopes::Own;
use libfuzzer_sys::fuzz_target;
use sigmill::bulk::Algorithm;
use sigmill::ecdsa::Encoding;
use sigmill::ed25519::rules::COMMON;
use sigmill_envelope::jose::{self, Headers, Jwk, JwkSet, Verifier};
use sigmill_envelope::{
    Candidates, ColumnReader, Form, Key, Refusal, Signed, Trusted, cose, dsse, minisign, signify,
    ssh, x509,
};
use std::sync::LazyLock;

const PAYLOAD: &[u8] = b"{\"sub\":\"a\",\"exp\":1}";
const DETACHED: &[u8] = b"beside the envelope";
const ID: [u8; 8] = [1; 8];
const CHAIN: &[u8] = include_bytes!("../shared/chain/chain.pem");
const ROOT: &[u8] = include_bytes!("../shared/chain/root.pem");
/// A time at which the chain is valid: 2030.
const TIME: u64 = 1_893_456_000;
/// The most bytes that one input may hash for a passphrase: N * r of scrypt, and rounds of bcrypt.
const CHEAP_ROUNDS: u32 = 2;
const CHEAP_LIMIT: u64 = 1 << 15;

/// The forms by the first byte, modulo their number.
const FORMS: [fn(&[u8]); 18] = [
    ssh_public,
    ssh_private,
    ssh_signature,
    allowed_signers,
    minisign_public,
    minisign_secret,
    minisign_signature,
    signify_public,
    signify_secret,
    signify_signature,
    jwk,
    jws,
    jws_json,
    cose_sign1,
    cose_key,
    dsse_envelope,
    certificate,
    trusted,
];

static OWN: LazyLock<Own> = LazyLock::new(Own::new);

/// The bytes are of one of these forms, or name none.
fn is_told(bytes: &[u8], forms: &[Form]) {
    if let Some(form) = Form::of(bytes) {
        assert!(forms.contains(&form), "{form:?} in place of {forms:?}");
    }
}

/// The same of both readers, row by row.
fn rows(form: usize, bytes: &[u8], message: Option<&[u8]>) {
    for reader in &OWN.columns[2 * form..2 * form + 2] {
        let mut rows = reader.rows();
        let mut candidates = Candidates::default();
        let first = rows.read(bytes, message, &mut candidates);
        assert_eq!(first.is_ok(), !candidates.list.is_empty());
        for candidate in &candidates.list {
            let message = first.clone().expect("of the candidates");
            let signature = candidates.signature(candidate).into();
            let signed = Signed { scheme: candidate.scheme, message, signature };
            OWN.check(&reader.keys()[candidate.key], &signed);
        }
        let mut again = Candidates::default();
        assert_eq!(rows.read(bytes, message, &mut again), first, "from memory");
        assert_eq!(again, candidates);
    }
}

fn ssh_public(bytes: &[u8]) {
    if let Ok((key, comment)) = ssh::read_public(bytes) {
        assert!(ssh::is_public_key(bytes));
        let text = ssh::write_public(&key, &comment).expect("as read");
        assert_eq!(ssh::read_public(text.as_bytes()), Ok((key, comment)));
    }
}

fn ssh_private(bytes: &[u8]) {
    if let Ok((key, comment)) = ssh::read_private(bytes, None) {
        assert!(ssh::is_private_key(bytes));
        let text = ssh::write_private(&key, &comment, None).expect("as read");
        let (same, of) = ssh::read_private(text.as_bytes(), None).expect("as written");
        assert!(*same.to_bytes() == *key.to_bytes() && of == comment);
    }
}

fn ssh_signature(bytes: &[u8]) {
    rows(3, bytes, Some(DETACHED));
    let Ok(signature) = ssh::Signature::read(bytes) else { return };
    assert_eq!(Form::of(bytes), Some(Form::Ssh));
    let digest = signature.hash.digest(DETACHED);
    let Ok(signed) = signature.signed("file", &digest) else { return };
    for key in OWN.keys.iter().filter(|key| signature.expect_key(key).is_ok()) {
        assert_eq!(*key, signature.key);
        OWN.check(key, &signed);
    }
}

fn allowed_signers(bytes: &[u8]) {
    let Ok(signers) = ssh::AllowedSigners::read(bytes) else { return };
    for key in &OWN.keys {
        for (principal, namespace) in [("me", "file"), ("c@a.example", "gitx"), ("b@a.example", "")]
        {
            if signers.check(principal, namespace, key, TIME).is_ok() {
                assert!(!signers.principals(key, namespace, TIME).is_empty());
            }
        }
    }
}

fn minisign_public(bytes: &[u8]) {
    if let Ok(key) = minisign::PublicKey::read(bytes) {
        let text = key.write().expect("as read");
        assert_eq!(minisign::PublicKey::read(text.as_bytes()), Ok(key));
    }
}

/// The second line of a file, if its base64 can be read.
fn second_line(bytes: &[u8]) -> Option<Vec<u8>> {
    BASE64.decode(bytes.split(|b| *b == b'\n').nth(1)?.trim_ascii()).ok()
}

fn minisign_secret(bytes: &[u8]) {
    let limit = |at: usize| {
        let limit = second_line(bytes)?.get(at..at + 8)?.try_into().ok()?;
        Some(u64::from_le_bytes(limit))
    };
    let cheap = limit(38).is_some_and(|ops| ops <= CHEAP_LIMIT)
        && limit(46).is_some_and(|memory| memory <= 1 << 20);
    let Ok(file) = minisign::SecretKeyFile::read(bytes, cheap.then_some(b"p")) else { return };
    let text = file.write().expect("as read");
    let same = minisign::SecretKeyFile::read(text.as_bytes(), None).expect("as written");
    assert!(*same.key.to_bytes() == *file.key.to_bytes() && same.id == file.id);
    assert_eq!(same.untrusted_comment, file.untrusted_comment);
}

fn minisign_signature(bytes: &[u8]) {
    let Ok(signature) = minisign::Signature::read(bytes) else { return };
    assert_eq!(Form::of(bytes), Some(Form::Minisign));
    let text = signature.write().expect("as read");
    assert_eq!(minisign::Signature::read(text.as_bytes()).as_ref(), Ok(&signature));
    OWN.check(&OWN.keys[0], &signature.signed_file(DETACHED));
    if OWN.check(&OWN.keys[0], &signature.signed_comment()) {
        assert_eq!(signature.trusted_comment, "trusted");
    }
}

fn signify_public(bytes: &[u8]) {
    if let Ok(key) = signify::PublicKey::read(bytes) {
        let text = key.write().expect("as read");
        assert_eq!(signify::PublicKey::read(text.as_bytes()), Ok(key));
        assert!(minisign::PublicKey::read(bytes).is_ok(), "the same form");
    }
}

fn signify_secret(bytes: &[u8]) {
    let rounds = || second_line(bytes)?.get(4..8)?.try_into().ok().map(u32::from_be_bytes);
    let cheap = rounds().is_some_and(|rounds| rounds <= CHEAP_ROUNDS);
    let Ok(file) = signify::SecretKeyFile::read(bytes, cheap.then_some(b"p")) else { return };
    let text = file.write().expect("as read");
    let same = signify::SecretKeyFile::read(text.as_bytes(), None).expect("as written");
    assert!(*same.key.to_bytes() == *file.key.to_bytes() && same.id == file.id);
}

fn signify_signature(bytes: &[u8]) {
    let Ok((signature, message)) = signify::Signature::read_embedded(bytes) else { return };
    // a message may look like the end of a file of minisign
    is_told(bytes, &[Form::Signify, Form::Minisign]);
    let written = signature.write_embedded(message).expect("as read");
    let same = signify::Signature::read_embedded(&written).expect("as written");
    assert_eq!(same, (signature.clone(), message));
    OWN.check(&OWN.keys[0], &signature.signed(message));
    OWN.check(&OWN.keys[0], &signature.signed(DETACHED));
}

fn jwk(bytes: &[u8]) {
    if let Ok(jwk) = Jwk::read(bytes)
        && let Ok(text) = jwk.to_json()
    {
        assert_eq!(Jwk::read(text.as_bytes()), Ok(jwk));
    }
    if let Ok(set) = JwkSet::read(bytes)
        && let Ok(text) = set.to_json()
    {
        let same = JwkSet::read(text.as_bytes()).expect("as written");
        let of = |set: &JwkSet| -> Vec<Jwk> {
            (0..set.len()).filter_map(|i| set.jwk(i).cloned()).collect()
        };
        assert_eq!(of(&same), of(&set));
    }
    if let Ok((key, jwk)) = jose::read_private(bytes) {
        let text = jose::private_to_json(&key, jwk.kid.as_deref()).expect("a key");
        let (same, of) = jose::read_private(text.as_bytes()).expect("as written");
        assert!(*same.to_bytes() == *key.to_bytes() && of.kid == jwk.kid);
    }
}

fn jws_token(set: &JwkSet, token: &jose::Token<'_>) {
    assert!(token.payload().is_ok(), "reading checks the payload");
    let _ = token.claims(&["sub", "exp"]);
    assert!(token.header(&["typ", "alg"]).is_ok(), "reading checks the header");
    OWN.check(set.key(token.key).expect("an index of the set"), &token.signed);
}

fn jws(bytes: &[u8]) {
    rows(0, bytes, None);
    for set in [&OWN.set, &OWN.unnamed] {
        let mut verifier = Verifier::new(set);
        for token in [verifier.read_compact(bytes), verifier.read_detached(bytes, DETACHED)] {
            if let Ok(token) = token {
                is_told(bytes, &[Form::Jws]);
                jws_token(set, &token);
            }
        }
    }
}

fn jws_json(bytes: &[u8]) {
    for set in [&OWN.set, &OWN.unnamed] {
        let verifier = Verifier::new(set);
        for payload in [None, Some(DETACHED)] {
            let Ok(tokens) = verifier.read_json(bytes, payload) else { continue };
            is_told(bytes, &[Form::Jws, Form::Dsse]);
            tokens.iter().flatten().for_each(|token| jws_token(set, token));
        }
    }
}

fn cose_sign1(bytes: &[u8]) {
    rows(1, bytes, None);
    for payload in [None, Some(DETACHED)] {
        for keys in &OWN.cose {
            if let Ok((key, signed)) = keys.signed(bytes, payload, b"") {
                OWN.check(key, &signed);
            }
        }
        let Ok(sign1) = cose::Sign1::read(bytes) else { return };
        is_told(bytes, &[Form::Cose]);
        for key in &OWN.keys {
            if let Ok(signed) = sign1.signed(key, payload, b"") {
                OWN.check(key, &signed);
            }
        }
    }
}

/// The bytes of a key with its point uncompressed.
fn point(key: &Key) -> Option<Vec<u8>> {
    key.coordinates().map(|(x, y)| [x, y].concat())
}

fn cose_key(bytes: &[u8]) {
    for key in cose::public_keys(bytes).into_iter().flatten() {
        let Ok(written) = key.write() else { continue };
        let same = cose::public_key(&written).expect("as written");
        assert_eq!((&same.kid, point(&same.key)), (&key.kid, point(&key.key)));
        assert!(key.key.algorithm() != Algorithm::Ed25519 || key == same);
    }
    let _ = Trusted::read_cose(bytes);
    if let Ok((kid, key)) = cose::secret_key(bytes) {
        let written = cose::write_secret_key(kid.as_deref(), &key).expect("a key");
        let (of, same) = cose::secret_key(&written).expect("as written");
        assert!(of == kid && *same.to_bytes() == *key.to_bytes());
    }
}

fn dsse_envelope(bytes: &[u8]) {
    rows(2, bytes, None);
    let bundle = dsse::Bundle::read(bytes);
    let mut found = dsse::Envelope::read(bytes).ok().into_iter().collect::<Vec<_>>();
    if let Ok(bundle) = &bundle {
        found.extend(bundle.content.clone().into_envelope());
        for key in &OWN.dsse {
            if let Ok(signed) = bundle.content.signed_artifact(DETACHED, key) {
                OWN.check(&key.key, &signed);
            }
        }
    }
    if bundle.is_ok() || !found.is_empty() {
        assert_eq!(Form::of(bytes), Some(Form::Dsse));
    }
    for envelope in &found {
        for candidate in envelope.candidates(&OWN.dsse).into_iter().flatten() {
            OWN.check(&OWN.dsse[candidate.key].key, &candidate.signed);
        }
        for threshold in 0..3 {
            match envelope.verify(dsse::IN_TOTO, &OWN.dsse, threshold, &COMMON) {
                Ok(keys) => assert!(keys.len() >= threshold && envelope.payload() == PAYLOAD),
                Err(error) => assert!(threshold > 0 || error.refusal() != Refusal::NoSignature),
            }
        }
    }
}

fn certificate(bytes: &[u8]) {
    if let Ok(certificate) = x509::Certificate::read(bytes) {
        let same = x509::Certificate::read(certificate.der()).expect("as read");
        assert_eq!(same.der(), certificate.der());
        assert_eq!(same.key(), certificate.key());
        let _ = (certificate.subject(), certificate.issuer(), certificate.serial().len());
        let _ = (certificate.not_before(), certificate.not_after(), format!("{certificate:?}"));
    }
    if let Ok(chain) = x509::verify_chain(&[bytes], &[ROOT], TIME, &COMMON) {
        assert_eq!(chain.leaf().subject(), "CN=leaf");
        assert_eq!(Ok(chain.key()), x509::key(CHAIN).as_ref());
    }
    let _ = x509::verify_chain(&[CHAIN], &[bytes], TIME, &COMMON);
    let _ = x509::verify_chain(&[bytes], &[bytes], TIME, &COMMON);
}

fn trusted(bytes: &[u8]) {
    let _ = Form::of(bytes);
    let Ok(Some(trusted)) = Trusted::read(bytes) else { return };
    let keys = trusted.keys().len();
    assert_eq!(trusted.dsse_keys().len(), keys);
    assert_eq!(trusted.cose_keys().keys().len(), keys);
    if keys <= 1024 {
        assert!(trusted.jwk_set().expect("not too many").len() >= keys);
    }
}

fuzz_target!(
    init: seeds::write_if_asked(|| OWN.seeds.clone()),
    |bytes: &[u8]| {
        if let Some((form, bytes)) = bytes.split_first() {
            FORMS[usize::from(*form) % FORMS.len()](bytes);
        }
    }
);
