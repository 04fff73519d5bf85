//! The keys of a verifier, from files that name their own form.

use crate::cose;
use crate::dsse;
use crate::error::{Error, Refusal, Result, quoted};
use crate::jose::{Jwk, JwkSet};
use crate::key::Key;
use crate::minisign;
use crate::ssh;
use crate::x509;
use sigmill::bulk::Algorithm;
use sigmill::ecdsa::{p256, p384};
use sigmill::ed25519;

/// The most keys of a file.
const MOST_KEYS: usize = 1024;

/// The keys that a verifier trusts. JSON Web Signatures and DSSE find a JSON Web Key by its `kid`, COSE a COSE_Key by its own.
/// To all other pairs of forms the keys have no names, and serve whatever name the envelope has.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Trusted {
    /// Keys without names: SubjectPublicKeyInfo, a certificate, lines of OpenSSH.
    Keys(Vec<Key>),
    /// A key of minisign or signify, with its identifier.
    Minisign(minisign::PublicKey),
    /// A JSON Web Key or a set of them.
    Jwk(JwkSet),
    /// A COSE_Key or a COSE_KeySet.
    Cose(cose::Keys),
}

impl Trusted {
    /// Reads a file that names its form: PEM (any number of `PUBLIC KEY`, or `CERTIFICATE`, of which the first counts), lines
    /// of OpenSSH, minisign, signify, JSON. `None`: the bytes name none. Beside keys that serve, those of other types, such as
    /// RSA, are left out: no signature is by them.
    ///
    /// # Errors
    /// The refusal of the form.
    pub fn read(bytes: &[u8]) -> Result<Option<Self>> {
        // a byte-order mark, which editors on Windows write
        let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
        if bytes.starts_with(b"untrusted comment: ") {
            return minisign::PublicKey::read(bytes).map(|key| Some(Trusted::Minisign(key)));
        }
        let text = bytes.trim_ascii();
        if text.starts_with(b"{") {
            return JwkSet::read(text).map(|set| Some(Trusted::Jwk(set)));
        }
        if label(bytes) == Some(b"CERTIFICATE") {
            return x509::key(bytes).map(|key| Some(Trusted::Keys(vec![key])));
        }
        if label(bytes) == Some(b"PUBLIC KEY") {
            return public_keys(bytes).map(|keys| Some(Trusted::Keys(keys)));
        }
        let lines = || {
            let lines = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).zip(1..);
            lines.filter(|(line, _)| !line.is_empty() && !line.starts_with(b"#"))
        };
        if !lines().next().is_some_and(|(line, _)| ssh::is_public_key(line)) {
            return Ok(None);
        }
        if lines().count() > MOST_KEYS {
            return Err(Error::new(Refusal::TooLarge, format!("more than {MOST_KEYS} keys")));
        }
        let (mut keys, mut other) = (Vec::new(), None);
        for (line, number) in lines() {
            let at = |error: Error| {
                let number: usize = number;
                Error::new(error.refusal(), format!("line {number}: {}", error.detail()))
            };
            match ssh::read_public(line).map_err(at) {
                Ok((key, _)) => keys.push(key),
                // it has no signatures here, as a key of RSA in a set has none
                Err(error)
                    if matches!(error.refusal(), Refusal::AlgUnknown | Refusal::Unsupported) =>
                {
                    other = other.or(Some(error));
                }
                Err(error) => return Err(error),
            }
        }
        match other {
            Some(error) if keys.is_empty() => Err(error),
            _ => Ok(Some(Trusted::Keys(keys))),
        }
    }

    /// Reads a COSE_Key or a COSE_KeySet, which have no header of their own.
    ///
    /// # Errors
    /// The refusals of [`cose::Keys::read`].
    pub fn read_cose(bytes: &[u8]) -> Result<Self> {
        cose::Keys::read(bytes).map(Trusted::Cose)
    }

    /// The keys, in the order of the file; of a set without those of other kinds and for other uses.
    pub fn keys(&self) -> Vec<&Key> {
        match self {
            Trusted::Keys(keys) => keys.iter().collect(),
            Trusted::Minisign(key) => vec![&key.key],
            Trusted::Jwk(set) => set.serving().map(|(_, jwk)| &jwk.key).collect(),
            Trusted::Cose(keys) => keys.keys().iter().map(|key| &key.key).collect(),
        }
    }

    /// The set that JSON Web Signatures choose from: that of the file, or its keys without names. Where no key of a set has a
    /// `kid`, one in a token means nothing.
    ///
    /// # Errors
    /// The refusals of [`JwkSet::new`].
    pub fn jwk_set(&self) -> Result<JwkSet> {
        match self {
            Trusted::Jwk(set) => Ok(set.clone().or_unnamed()),
            others => JwkSet::unnamed(others.keys().into_iter().cloned().map(Jwk::new).collect()),
        }
    }

    /// The keys that COSE_Sign1 chooses from, likewise.
    pub fn cose_keys(&self) -> cose::Keys {
        match self {
            Trusted::Cose(keys) => keys.clone(),
            others => cose::Keys::unnamed(others.keys().into_iter().cloned().collect()),
        }
    }

    /// The keys that DSSE envelopes are verified by. A `kid` of a JSON Web Key is its `keyid`.
    pub fn dsse_keys(&self) -> Vec<dsse::TrustedKey> {
        match self {
            Trusted::Jwk(set) => {
                let keys = set.serving().map(|(_, jwk)| jwk);
                keys.map(|jwk| dsse::TrustedKey {
                    keyid: jwk.kid.clone(),
                    ..dsse::TrustedKey::new(jwk.key.clone())
                })
                .collect()
            }
            others => others.keys().into_iter().cloned().map(dsse::TrustedKey::new).collect(),
        }
    }
}

/// The label of the first block of PEM.
fn label(bytes: &[u8]) -> Option<&[u8]> {
    let begin = b"-----BEGIN ";
    let line = bytes.split(|byte| matches!(byte, b'\n' | b'\r')).find(|l| l.starts_with(begin))?;
    line.get(begin.len()..)?.trim_ascii_end().strip_suffix(b"-----")
}

/// The keys of a file with blocks `PUBLIC KEY` alone.
fn public_keys(bytes: &[u8]) -> Result<Vec<Key>> {
    let mut keys = Vec::new();
    let mut rest = bytes;
    while let Some(block) = label(rest) {
        if block != b"PUBLIC KEY" {
            let block = quoted(&String::from_utf8_lossy(block));
            let detail = format!("the file has a block {block} beside `PUBLIC KEY`; split it");
            return Err(Error::new(Refusal::Unsupported, detail));
        }
        if keys.len() == MOST_KEYS {
            return Err(Error::new(Refusal::TooLarge, format!("more than {MOST_KEYS} keys")));
        }
        let end = b"-----END PUBLIC KEY-----";
        let at = rest.windows(end.len()).position(|window| window == end);
        let (block, after) = rest.split_at(at.map_or(rest.len(), |at| at + end.len()));
        keys.push(spki(block)?);
        rest = after;
    }
    Ok(keys)
}

/// The key of a SubjectPublicKeyInfo in PEM.
fn spki(bytes: &[u8]) -> Result<Key> {
    let text = String::from_utf8_lossy(bytes);
    let read = [
        (Algorithm::Ed25519, ed25519::VerifyingKey::bytes_from_spki_pem(&text).map(Vec::from)),
        (Algorithm::P256, p256::VerifyingKey::bytes_from_spki_pem(&text)),
        (Algorithm::P384, p384::VerifyingKey::bytes_from_spki_pem(&text)),
    ];
    let mut first = None;
    for (algorithm, read) in read {
        match read {
            Ok(bytes) => return Key::new(algorithm, &bytes),
            Err(error) => first = first.or(Some(error)),
        }
    }
    let detail = first.map(|error| error.to_string()).unwrap_or_default();
    Err(Error::new(Refusal::AlgUnknown, format!("no key of Ed25519, P-256 or P-384: {detail}")))
}
