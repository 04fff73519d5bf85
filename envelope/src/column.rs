//! Columns of envelopes: rows for the bulk engine, which verifies them together.

use crate::cose;
use crate::dsse::{self, Content};
use crate::error::{Error, Refusal, Result};
use crate::form::Form;
use crate::jose::{JwkSet, LONGEST_SIGNATURE, Verifier};
use crate::key::Key;
use crate::signed::Scheme;
use crate::ssh;
use crate::trusted::Trusted;
use std::borrow::Cow;
use std::ops::Range;

/// Reads a column of envelopes of one form for the keys of a verifier. Threads share it.
#[derive(Debug)]
pub struct ColumnReader {
    keys: Vec<Key>,
    source: Source,
}

#[derive(Debug)]
enum Source {
    /// The set, and for each of `keys` its place there.
    Jws(JwkSet, Vec<usize>),
    /// The keys, and the externally supplied data.
    Cose(cose::Keys, Vec<u8>),
    Dsse(Vec<dsse::TrustedKey>),
    Ssh(String),
}

/// A row for the engine: a key that a signature of an envelope may be by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The place of the key among [`ColumnReader::keys`].
    pub key: usize,
    /// The scheme of the key.
    pub scheme: Scheme,
    /// The place of the signature among [`Candidates::signatures`].
    pub signature: Range<usize>,
}

/// The candidates of envelopes, one envelope after the other. Candidates of an envelope share its message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Candidates {
    /// The bytes of the signatures, each of which occurs once.
    pub signatures: Vec<u8>,
    /// The candidates.
    pub list: Vec<Candidate>,
}

impl Candidates {
    /// The bytes of a candidate's signature.
    pub fn signature(&self, candidate: &Candidate) -> &[u8] {
        self.signatures.get(candidate.signature.clone()).unwrap_or_default()
    }

    /// The place of the candidate that decides an envelope, among the verdicts of its candidates: the first that is valid,
    /// else the first.
    pub fn deciding<V>(verdicts: &[V], is_valid: impl FnMut(&V) -> bool) -> usize {
        verdicts.iter().position(is_valid).unwrap_or_default()
    }

    fn push(&mut self, key: usize, scheme: Scheme, signature: &[u8]) {
        let first = self.signatures.len();
        self.signatures.extend_from_slice(signature);
        self.list.push(Candidate { key, scheme, signature: first..self.signatures.len() });
    }

    fn push_pairs(&mut self, pairs: &[dsse::Candidate<'_>]) {
        let mut before = None;
        for pair in pairs {
            let (key, scheme) = (pair.key, pair.signed.scheme);
            match (before, self.list.last()) {
                (Some(before), Some(last)) if before == pair.signature => {
                    let signature = last.signature.clone();
                    self.list.push(Candidate { key, scheme, signature });
                }
                _ => self.push(key, scheme, &pair.signed.signature),
            }
            before = Some(pair.signature);
        }
    }
}

impl ColumnReader {
    /// For envelopes of a form (`jws`, `cose`, `dsse`, or `ssh` with its namespace) and these keys.
    ///
    /// # Errors
    /// [`Refusal::Unsupported`]: the form has no columns. [`Refusal::NamespaceMismatch`]: `ssh` without a namespace, or
    /// another form with one. [`Refusal::KeyUnknown`]: there is no key.
    pub fn new(form: Form, trusted: &Trusted, namespace: Option<&str>) -> Result<Self> {
        let mut keys: Vec<Key> = trusted.keys().into_iter().cloned().collect();
        if keys.is_empty() {
            return Err(Error::new(Refusal::KeyUnknown, "there is no key that verifies"));
        }
        let source = match (form, namespace) {
            (Form::Ssh, Some(namespace)) if !namespace.is_empty() => Source::Ssh(namespace.into()),
            (Form::Ssh, _) => {
                let detail = "signatures of OpenSSH are made for a namespace; name it";
                return Err(Error::new(Refusal::NamespaceMismatch, detail));
            }
            (form, Some(_)) => {
                let detail = format!("{} has no namespaces", form.name());
                return Err(Error::new(Refusal::NamespaceMismatch, detail));
            }
            (Form::Jws, None) => {
                let set = trusted.jwk_set()?;
                let places = set.serving().map(|(place, _)| place).collect();
                Source::Jws(set, places)
            }
            (Form::Cose, None) => {
                let set = trusted.cose_keys();
                keys = set.keys().iter().map(|key| key.key.clone()).collect();
                Source::Cose(set, Vec::new())
            }
            (Form::Dsse, None) => Source::Dsse(trusted.dsse_keys()),
            (Form::Minisign | Form::Signify, None) => {
                let detail = format!("no columns of {}: jws, cose, dsse or ssh", form.name());
                return Err(Error::new(Refusal::Unsupported, detail));
            }
        };
        Ok(ColumnReader { keys, source })
    }

    /// The same with data that is signed beside each COSE_Sign1 (`external_aad`, RFC 9052 section 4.4).
    ///
    /// # Errors
    /// [`Refusal::Unsupported`]: another form.
    pub fn with_external_data(mut self, data: Vec<u8>) -> Result<Self> {
        let Source::Cose(_, external) = &mut self.source else {
            let detail = "externally supplied data is signed by cose alone";
            return Err(Error::new(Refusal::Unsupported, detail));
        };
        *external = data;
        Ok(self)
    }

    /// The keys. Rows name them by their places.
    pub fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// The name of a key: its `kid` or `keyid`, of `ssh` its fingerprint.
    pub fn key_name(&self, place: usize) -> Option<String> {
        match &self.source {
            Source::Jws(set, places) => set.jwk(*places.get(place)?)?.kid.clone(),
            Source::Cose(set, _) => Some(cose::kid_text(set.keys().get(place)?.kid.as_deref()?)),
            Source::Dsse(keys) => keys.get(place)?.keyid.clone(),
            Source::Ssh(_) => ssh::fingerprint(self.keys.get(place)?).ok(),
        }
    }

    /// The most candidates of an envelope: several where any of its signatures may be enough.
    pub const fn most_candidates(&self) -> usize {
        match self.source {
            Source::Dsse(_) => dsse::MOST_PAIRS,
            _ => 1,
        }
    }

    /// Whether a row needs its message beside the envelope.
    pub const fn needs_message(&self) -> bool {
        matches!(self.source, Source::Ssh(_))
    }

    /// A reader of rows, one a thread: it remembers headers.
    pub fn rows(&self) -> Rows<'_> {
        let tokens = match &self.source {
            Source::Jws(set, _) => Some(Verifier::new(set)),
            _ => None,
        };
        Rows { column: self, tokens }
    }
}

/// Reads rows.
#[derive(Debug)]
pub struct Rows<'k> {
    column: &'k ColumnReader,
    tokens: Option<Verifier<'k>>,
}

impl Rows<'_> {
    /// Reads the envelope of a row, appends its candidates, and gives the bytes that were signed. An envelope has 1 to
    /// [`ColumnReader::most_candidates`], and [`Candidates::deciding`] gives the one whose verdict is the envelope's.
    /// `message` is what was signed where the envelope lies beside it.
    ///
    /// # Errors
    /// The refusals of the form; nothing is appended.
    pub fn read<'t>(
        &mut self,
        envelope: &'t [u8],
        message: Option<&[u8]>,
        candidates: &mut Candidates,
    ) -> Result<Cow<'t, [u8]>> {
        match (&self.column.source, &mut self.tokens) {
            (Source::Jws(_, places), Some(tokens)) => {
                let mut buffer = [0; LONGEST_SIGNATURE];
                let row = tokens.read_row(envelope, &mut buffer)?;
                let signature = buffer.get(..row.signature_len).unwrap_or_default();
                let key = places.binary_search(&row.key).unwrap_or_default();
                candidates.push(key, row.scheme, signature);
                Ok(Cow::Borrowed(row.message))
            }
            (Source::Cose(keys, external), _) => {
                let (key, _, signed) = keys.read_row(envelope, None, external)?;
                candidates.push(key, signed.scheme, &signed.signature);
                Ok(signed.message.into_owned().into())
            }
            (Source::Dsse(keys), _) => {
                let envelope = Content::read(envelope)?.into_envelope()?;
                let pairs = envelope.candidates(keys)?;
                if pairs.is_empty() {
                    let detail = "no signature is by a key of the verifier";
                    return Err(Error::new(Refusal::KeyUnknown, detail));
                }
                candidates.push_pairs(&pairs);
                Ok(envelope.into_message().into())
            }
            (Source::Ssh(namespace), _) => {
                let signature = ssh::Signature::read(envelope)?;
                let mut keys = self.column.keys.iter();
                let Some(key) = keys.position(|key| signature.expect_key(key).is_ok()) else {
                    let named = ssh::fingerprint(&signature.key)?;
                    let detail = format!(
                        "the signature names the key {named}, which is none of the verifier's"
                    );
                    return Err(Error::new(Refusal::KeyUnknown, detail));
                };
                let message = message.ok_or_else(|| {
                    Error::new(Refusal::PayloadMissing, "the signature lies beside its message")
                })?;
                let digest = signature.hash.digest(message);
                let signed = signature.signed(namespace, &digest)?;
                candidates.push(key, signed.scheme, &signed.signature);
                Ok(signed.message.into_owned().into())
            }
            (Source::Jws(..), None) => Err(Error::new(Refusal::NotJws, "no reader of tokens")),
        }
    }

    /// Members of the payload of a JSON Web Signature, as [`Token::claims`](crate::jose::Token::claims) has them. They
    /// count for nothing before the signature is valid.
    ///
    /// # Errors
    /// The refusals of the form, and of a payload that is no object. [`Refusal::Unsupported`]: another form.
    pub fn claims(&mut self, envelope: &[u8], names: &[&str]) -> Result<Vec<Option<String>>> {
        match &mut self.tokens {
            Some(tokens) => tokens.read_compact(envelope)?.claims(names),
            None => {
                let detail = "claims are members of the payload of a JSON Web Signature";
                Err(Error::new(Refusal::Unsupported, detail))
            }
        }
    }
}
