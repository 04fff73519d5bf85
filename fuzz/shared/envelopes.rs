//! Keys, and envelopes of each form that are signed by them: the first inputs of the target `envelope`.

use super::*;
use sigmill_envelope::SecretKey;
use std::collections::HashSet;

/// The keys, and the messages that are signed by them.
pub struct Own {
    pub secrets: [SecretKey; 3],
    pub keys: [Key; 3],
    pub messages: HashSet<Vec<u8>>,
    pub seeds: Vec<Vec<u8>>,
    pub set: JwkSet,
    pub unnamed: JwkSet,
    pub cose: [cose::Keys; 2],
    pub dsse: Vec<dsse::TrustedKey>,
    pub columns: Vec<ColumnReader>,
}

impl Own {
    pub fn new() -> Self {
        let secrets = [
            SecretKey::new(Algorithm::Ed25519, &[7; 32]).expect("a seed"),
            SecretKey::new(Algorithm::P256, &[8; 32]).expect("a scalar"),
            SecretKey::new(Algorithm::P384, &[9; 48]).expect("a scalar"),
        ];
        let keys = secrets.each_ref().map(SecretKey::public_key);
        let jwks = |named: bool| -> Vec<Jwk> {
            let jwk = |(i, key): (usize, &Key)| {
                let mut jwk = Jwk::new(key.clone());
                jwk.kid = named.then(|| format!("k{i}"));
                jwk
            };
            keys.iter().enumerate().map(jwk).collect()
        };
        let set = JwkSet::new(jwks(true)).expect("three names");
        let pairs = keys.iter().enumerate().map(|(i, key)| cose::PublicKey {
            kid: Some(format!("k{i}").into_bytes()),
            key: key.clone(),
        });
        let by_name = cose::Keys::new(pairs.collect()).expect("three names");
        let trusted = [Trusted::Jwk(set.clone()), Trusted::Keys(keys.to_vec())];
        let columns = [Form::Jws, Form::Cose, Form::Dsse, Form::Ssh].into_iter().flat_map(|form| {
            let namespace = (form == Form::Ssh).then_some("file");
            trusted
                .each_ref()
                .map(|t| ColumnReader::new(form, t, namespace).expect("there are keys"))
        });
        let mut own = Own {
            columns: columns.collect(),
            dsse: trusted[0].dsse_keys(),
            unnamed: JwkSet::unnamed(jwks(false)).expect("three keys"),
            cose: [by_name, cose::Keys::unnamed(keys.to_vec())],
            messages: HashSet::new(),
            seeds: Vec::new(),
            set,
            keys,
            secrets,
        };
        own.sign();
        own.write_keys();
        own
    }

    fn seed(&mut self, form: fn(&[u8]), bytes: impl AsRef<[u8]>) {
        let at = FORMS.iter().position(|f| std::ptr::fn_addr_eq(*f, form)).expect("one of them");
        self.seeds.push([&[at as u8], bytes.as_ref()].concat());
    }

    fn signed(&mut self, signed: &Signed<'_>) {
        self.messages.insert(signed.message.to_vec());
    }

    /// Envelopes of each form by each key, and their messages.
    fn sign(&mut self) {
        for (i, secret) in self.secrets.clone().iter().enumerate() {
            let kid = format!("k{i}");
            for hash in [ssh::Hash::Sha256, ssh::Hash::Sha512] {
                let text = ssh::sign(secret, "file", hash, &hash.digest(DETACHED)).expect("a key");
                let read = ssh::Signature::read(text.as_bytes()).expect("as written");
                self.signed(&read.signed("file", &hash.digest(DETACHED)).expect("its namespace"));
                self.seed(ssh_signature, text);
            }
            for unencoded in [false, true] {
                let kid = (!unencoded).then_some(&*kid);
                let headers = Headers { kid, typ: Some("JWT"), unencoded, ed25519: unencoded };
                let texts = [
                    headers.compact(secret, PAYLOAD).expect("printable"),
                    headers.detached(secret, DETACHED).expect("a key"),
                    headers.flattened(secret, PAYLOAD, false).expect("text"),
                    headers.flattened(secret, DETACHED, true).expect("text"),
                    jose::sign_general(&[(secret, headers), (secret, headers)], PAYLOAD, false)
                        .expect("text"),
                ];
                for (at, text) in texts.into_iter().enumerate() {
                    let set = self.set.clone();
                    let mut verifier = Verifier::new(&set);
                    let read = match at {
                        0 => verifier.read_compact(text.as_bytes()),
                        1 => verifier.read_detached(text.as_bytes(), DETACHED),
                        3 => verifier.read_json(text.as_bytes(), Some(DETACHED)).and_then(only),
                        _ => verifier.read_json(text.as_bytes(), None).and_then(only),
                    };
                    self.signed(&read.expect("as written").signed);
                    self.seed(if at < 2 { jws } else { jws_json }, text);
                }
            }
            for (detached, tagged) in [(false, true), (true, false)] {
                let payload = if detached { DETACHED } else { PAYLOAD };
                let bytes =
                    cose::sign(secret, Some(kid.as_bytes()), payload, detached, tagged, b"")
                        .expect("a key");
                let read = cose::Sign1::read(&bytes).expect("as written");
                let beside = detached.then_some(DETACHED);
                self.signed(&read.signed(&secret.public_key(), beside, b"").expect("its key"));
                self.seed(cose_sign1, bytes);
            }
            let signer = |keyid| dsse::SigningKey { keyid, key: secret, encoding: Encoding::Der };
            let signers = [signer(Some(&kid)), signer(None)];
            for signers in [&signers[..1], &signers[1..], &signers] {
                let text = dsse::sign(signers, dsse::IN_TOTO, PAYLOAD).expect("a key");
                let read = dsse::Envelope::read(text.as_bytes()).expect("as written");
                self.messages.insert(read.message().to_vec());
                self.seed(dsse_envelope, &text);
                let bundle = format!(
                    "{{\"mediaType\":\"application/vnd.dev.sigstore.bundle.v0.3+json\",\
                     \"verificationMaterial\":{{\"publicKey\":{{\"hint\":\"{kid}\"}}}},\"dsseEnvelope\":{text}}}"
                );
                self.seed(dsse_envelope, bundle);
            }
        }
        let secret = self.secrets[0].clone();
        let mut hasher = minisign::Hasher::new();
        hasher.update(DETACHED);
        let text = minisign::sign(&secret, ID, &hasher.finish(), "trusted", "untrusted");
        let text = text.expect("short comments");
        let read = minisign::Signature::read(text.as_bytes()).expect("as written");
        self.signed(&read.signed_file(DETACHED));
        self.signed(&read.signed_comment());
        self.seed(minisign_signature, text);
        let read = signify::sign(&secret, ID, DETACHED, "untrusted").expect("a short comment");
        self.signed(&read.signed(DETACHED));
        self.seed(signify_signature, read.write_embedded(DETACHED).expect("a short comment"));
        self.seed(signify_signature, read.write().expect("a short comment"));
    }

    /// Keys in each form.
    fn write_keys(&mut self) {
        let comment = || "untrusted".to_owned();
        for (i, secret) in self.secrets.clone().iter().enumerate() {
            let key = secret.public_key();
            let line = ssh::write_public(&key, "a comment").expect("a point");
            self.seed(ssh_public, &line);
            self.seed(trusted, &line);
            let options =
                "namespaces=\"file,git*\",valid-after=\"20200101Z\",valid-before=\"2040010112\"";
            self.seed(
                allowed_signers,
                format!("# x\n*@a.example,!b@* {options}00 {line}me {line}"),
            );
            self.seed(ssh_private, &*ssh::write_private(secret, "c", None).expect("a key"));
            let text = self.set.jwk(i).expect("of the set").to_json().expect("a point");
            self.seed(jwk, &text);
            self.seed(trusted, &text);
            self.seed(jwk, &*jose::private_to_json(secret, Some("k")).expect("a key"));
            let pair = cose::PublicKey { kid: Some(vec![1]), key };
            let bytes = pair.write().expect("a point");
            self.seed(cose_key, [&[0x82][..], &bytes, &bytes[..].replace_kid()].concat());
            self.seed(cose_key, bytes);
            self.seed(cose_key, &*cose::write_secret_key(None, secret).expect("a key"));
        }
        let text = self.set.to_json().expect("points");
        self.seed(jwk, text);
        let key = self.secrets[0].clone();
        let file =
            minisign::SecretKeyFile { key: key.clone(), id: ID, untrusted_comment: comment() };
        let text = file.public_key(Some(comment())).write().expect("a short comment");
        self.seed(trusted, &text);
        self.seed(minisign_public, &text);
        self.seed(minisign_secret, &*file.write().expect("a short comment"));
        let text = file.write_encrypted(b"p", CHEAP_LIMIT, 1 << 20).expect("low limits");
        self.seed(minisign_secret, &*text);
        let file = signify::SecretKeyFile { key, id: ID, untrusted_comment: comment() };
        self.seed(signify_public, file.public_key(comment()).write().expect("a short comment"));
        self.seed(signify_secret, &*file.write().expect("a short comment"));
        self.seed(signify_secret, &*file.write_encrypted(b"p", 1).expect("one round"));
        for pem in [CHAIN, ROOT] {
            self.seed(certificate, pem);
            self.seed(trusted, pem);
        }
        self.seed(certificate, x509::Certificate::read(CHAIN).expect("a certificate").der());
    }

    /// A signature that verifies was made here.
    pub fn check(&self, key: &Key, signed: &Signed<'_>) -> bool {
        let valid = signed.verify(key, &COMMON).is_ok_and(|verdict| verdict.is_valid());
        assert!(!valid || self.messages.contains(&*signed.message), "nobody signed {signed:?}");
        valid
    }
}

/// Another identifier in a COSE_Key, so that two make a set.
trait ReplaceKid {
    fn replace_kid(&self) -> Vec<u8>;
}

impl ReplaceKid for [u8] {
    fn replace_kid(&self) -> Vec<u8> {
        let mut bytes = self.to_vec();
        let at = self.windows(3).position(|w| w == [2, 0x41, 1]).expect("label 2, a byte");
        bytes[at + 2] = 2;
        bytes
    }
}

fn only<T>(mut read: Vec<sigmill_envelope::Result<T>>) -> sigmill_envelope::Result<T> {
    read.pop().expect("at least one")
}
