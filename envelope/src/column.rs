//! Columns of envelopes: rows for the bulk engine, which verifies them together.

use crate::cose;
use crate::dsse::{self, Envelope};
use crate::error::{Error, Refusal, Result};
use crate::form::Form;
use crate::jose::{JwkSet, LONGEST_SIGNATURE, Verifier};
use crate::key::Key;
use crate::signed::Scheme;
use crate::ssh;
use crate::trusted::Trusted;
use std::borrow::Cow;

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
    Cose(cose::Keys),
    Dsse(Vec<dsse::TrustedKey>),
    Ssh(String),
}

/// A row for the engine. Its signature was appended to the caller's bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row<'t> {
    /// The place of its key among [`ColumnReader::keys`].
    pub key: usize,
    /// The scheme of the key.
    pub scheme: Scheme,
    /// The bytes that were signed.
    pub message: Cow<'t, [u8]>,
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
                Source::Cose(set)
            }
            (Form::Dsse, None) => Source::Dsse(trusted.dsse_keys()),
            (Form::Minisign | Form::Signify, None) => {
                let detail = format!("no columns of {}: jws, cose, dsse or ssh", form.name());
                return Err(Error::new(Refusal::Unsupported, detail));
            }
        };
        Ok(ColumnReader { keys, source })
    }

    /// The keys. Rows name them by their places.
    pub fn keys(&self) -> &[Key] {
        &self.keys
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
    /// Reads the envelope of a row, and appends its signature. `message` is what was signed where the envelope lies
    /// beside it.
    ///
    /// # Errors
    /// The refusals of the form; nothing is appended.
    pub fn read<'t>(
        &mut self,
        envelope: &'t [u8],
        message: Option<&[u8]>,
        signatures: &mut Vec<u8>,
    ) -> Result<Row<'t>> {
        match (&self.column.source, &mut self.tokens) {
            (Source::Jws(_, places), Some(tokens)) => {
                let mut buffer = [0; LONGEST_SIGNATURE];
                let row = tokens.read_row(envelope, &mut buffer)?;
                signatures.extend(buffer.iter().take(row.signature_len));
                let key = places.binary_search(&row.key).unwrap_or_default();
                Ok(Row { key, scheme: row.scheme, message: Cow::Borrowed(row.message) })
            }
            (Source::Cose(keys), _) => {
                let (key, _, signed) = keys.read_row(envelope, None, b"")?;
                signatures.extend_from_slice(&signed.signature);
                Ok(Row { key, scheme: signed.scheme, message: signed.message.into_owned().into() })
            }
            (Source::Dsse(keys), _) => {
                let envelope = Envelope::read(envelope)?;
                let candidates = envelope.candidates(keys)?;
                let [candidate] = &candidates[..] else {
                    return Err(several(candidates.len()));
                };
                signatures.extend_from_slice(&candidate.signed.signature);
                let message = candidate.signed.message.to_vec().into();
                Ok(Row { key: candidate.key, scheme: candidate.signed.scheme, message })
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
                signatures.extend_from_slice(&signed.signature);
                Ok(Row { key, scheme: signed.scheme, message: signed.message.into_owned().into() })
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

/// A row has one signature by one key: several cannot be one verdict of the engine.
fn several(candidates: usize) -> Error {
    match candidates {
        0 => Error::new(Refusal::KeyUnknown, "no signature is by a key of the verifier"),
        n => {
            let detail = format!("{n} pairs of signature and key fit; a row of a column has one");
            Error::new(Refusal::KidMissing, detail)
        }
    }
}
