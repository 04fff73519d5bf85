//! The compact serialization (RFC 7515 §7.1), also for columns of tokens.

use super::header::{self, Alg, Header, LONGEST_HEADER};
use super::jwks::JwkSet;
use super::members::decode;
use super::token::Token;
use crate::error::{Error, Refusal, Result};
use crate::signed::{Scheme, Signed};
use data_encoding::BASE64URL_NOPAD;
use std::borrow::Cow;
use std::collections::HashMap;

/// The bytes of the longest signature: r and s of P-384.
pub const LONGEST_SIGNATURE: usize = 96;

/// The most headers that a verifier remembers.
const MOST_HEADERS: usize = 1024;

/// The longest header that a verifier remembers, in characters.
const LONGEST_REMEMBERED: usize = 1024;

/// Reads signatures for the keys of a set. It remembers the headers it has seen, at most 1,024 of at most 1 KiB: tokens
/// of one issuer share a few. Each thread has its own.
#[derive(Clone, Debug)]
pub struct Verifier<'k> {
    pub(super) keys: &'k JwkSet,
    headers: HashMap<Box<[u8]>, Result<Outcome>>,
    /// The last good header.
    last: Option<(Vec<u8>, Outcome)>,
}

/// The outcome of a header: which key, and how it is signed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outcome {
    pub(super) key: usize,
    pub(super) alg: Alg,
    pub(super) b64: bool,
}

/// A compact token of a column: borrowed, but for the signature, which lies in the buffer of the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row<'t> {
    /// The index of the key in the set.
    pub key: usize,
    /// The scheme of the key.
    pub scheme: Scheme,
    /// The message that was signed: header, dot and payload, as they stand in the token.
    pub message: &'t [u8],
    /// The bytes of the signature at the beginning of the buffer: 64, or 96 on P-384.
    pub signature_len: usize,
}

impl<'k> Verifier<'k> {
    /// For the keys of a set.
    pub fn new(keys: &'k JwkSet) -> Self {
        Verifier { keys, headers: HashMap::new(), last: None }
    }

    /// Reads a compact token that holds its payload.
    ///
    /// # Errors
    /// [`Refusal::NotJws`], [`Refusal::DuplicateMember`], [`Refusal::TooDeep`], [`Refusal::TooLarge`]: it is malformed.
    /// [`Refusal::AlgMissing`], [`Refusal::AlgUnknown`], [`Refusal::CritUnknown`]: the header. [`Refusal::KidUnknown`],
    /// [`Refusal::KidMissing`], [`Refusal::AlgMismatch`], [`Refusal::KeyUse`]: no key can be chosen.
    /// [`Refusal::NoSignature`]: the third part is empty. [`Refusal::PayloadMissing`]: the second is, which holds of an
    /// empty payload too; [`Verifier::read_detached`] reads it.
    pub fn read_compact<'t>(&mut self, token: &'t [u8]) -> Result<Token<'t>> {
        let mut buffer = [0; LONGEST_SIGNATURE];
        let (outcome, payload, row) = self.read_whole(token, &mut buffer)?;
        let signed = Signed {
            scheme: row.scheme,
            message: Cow::Borrowed(row.message),
            signature: Cow::Owned(head(&buffer, row.signature_len).to_vec()),
        };
        Ok(Token { key: row.key, signed, payload: Cow::Borrowed(payload), encoded: outcome.b64 })
    }

    /// Reads a compact token of a column, likewise. The signature goes to the buffer; nothing is allocated for a header
    /// that was seen before, unless it is refused.
    ///
    /// # Errors
    /// Those of [`Verifier::read_compact`].
    pub fn read_row<'t>(
        &mut self,
        token: &'t [u8],
        signature: &mut [u8; LONGEST_SIGNATURE],
    ) -> Result<Row<'t>> {
        self.read_whole(token, signature).map(|(_, _, row)| row)
    }

    /// Reads a compact token with an empty second part and the payload beside it (RFC 7515 appendix F, RFC 7797).
    ///
    /// # Errors
    /// Those of [`Verifier::read_compact`]; [`Refusal::PayloadTwice`]: the token holds a payload.
    pub fn read_detached<'t>(&mut self, token: &[u8], payload: &'t [u8]) -> Result<Token<'t>> {
        let mut buffer = [0; LONGEST_SIGNATURE];
        let (header, rest) = split(token)?;
        let outcome = self.outcome(header)?;
        let (held, len) = split_signature(rest, outcome.alg, &mut buffer)?;
        if !held.is_empty() {
            let detail = "a payload was given beside the token, which holds one";
            return Err(Error::new(Refusal::PayloadTwice, detail));
        }
        let payload = match outcome.b64 {
            true => Cow::Owned(BASE64URL_NOPAD.encode(payload).into_bytes()),
            false => Cow::Borrowed(payload),
        };
        let signed = Signed {
            scheme: outcome.alg.scheme(),
            message: Cow::Owned([header, b".", &payload].concat()),
            signature: Cow::Owned(head(&buffer, len).to_vec()),
        };
        Ok(Token { key: outcome.key, signed, payload, encoded: outcome.b64 })
    }

    fn read_whole<'t>(
        &mut self,
        token: &'t [u8],
        signature: &mut [u8; LONGEST_SIGNATURE],
    ) -> Result<(Outcome, &'t [u8], Row<'t>)> {
        let (outcome, header_len, rest) = match self.remembered(token) {
            Some(found) => found,
            None => {
                let (header, rest) = split(token)?;
                (self.outcome(header)?, header.len(), rest)
            }
        };
        let (payload, signature_len) = split_signature(rest, outcome.alg, signature)?;
        if payload.is_empty() {
            let detail = "the second part is empty; the payload must be given beside the token";
            return Err(Error::new(Refusal::PayloadMissing, detail));
        }
        check_payload(payload, outcome.b64)?;
        let message = head(token, header_len + 1 + payload.len());
        let scheme = outcome.alg.scheme();
        Ok((outcome, payload, Row { key: outcome.key, scheme, message, signature_len }))
    }

    /// The last header once more: its outcome, its length, and what follows its dot.
    fn remembered<'t>(&self, token: &'t [u8]) -> Option<(Outcome, usize, &'t [u8])> {
        let (header, outcome) = self.last.as_ref()?;
        let rest = token.strip_prefix(header.as_slice())?.strip_prefix(b".")?;
        Some((*outcome, header.len(), rest))
    }

    /// The outcome of a header, from memory or read.
    fn outcome(&mut self, header: &[u8]) -> Result<Outcome> {
        let outcome = match self.headers.get(header) {
            Some(known) => known.clone()?,
            None => {
                let read = Header::of_compact(header).and_then(|read| self.choose(&read));
                if header.len() <= LONGEST_REMEMBERED {
                    // An attacker who fills the memory with headers does not keep others out of it.
                    if self.headers.len() == MOST_HEADERS {
                        self.headers.clear();
                    }
                    self.headers.insert(header.into(), read.clone());
                }
                read?
            }
        };
        if header.len() <= LONGEST_REMEMBERED {
            let (last, of) = self.last.get_or_insert_with(|| (Vec::new(), outcome));
            last.clear();
            last.extend_from_slice(header);
            *of = outcome;
        }
        Ok(outcome)
    }

    pub(super) fn choose(&self, header: &Header) -> Result<Outcome> {
        let key = self.keys.choose(header.alg, header.kid.as_deref())?;
        Ok(Outcome { key, alg: header.alg, b64: header.b64 })
    }
}

/// The beginning of a slice that is long enough.
fn head(bytes: &[u8], len: usize) -> &[u8] {
    bytes.get(..len).unwrap_or(bytes)
}

/// The header, and what follows its dot.
fn split(token: &[u8]) -> Result<(&[u8], &[u8])> {
    let searched = head(token, LONGEST_HEADER + 1);
    let Some(dot) = searched.iter().position(|&b| b == b'.') else {
        if searched.len() < token.len() {
            return Err(header::too_large());
        }
        return Err(Error::new(
            Refusal::NotJws,
            "a token has three parts with dots between; got 1",
        ));
    };
    let (header, rest) = token.split_at(dot);
    Ok((header, rest.get(1..).unwrap_or_default()))
}

/// Splits payload and signature, and decodes the signature. Its length is that of the algorithm.
fn split_signature<'t>(
    rest: &'t [u8],
    alg: Alg,
    buffer: &mut [u8; LONGEST_SIGNATURE],
) -> Result<(&'t [u8], usize)> {
    let len = alg.signature_len();
    let characters = BASE64URL_NOPAD.encode_len(len);
    let parts = rest.len().checked_sub(characters + 1).and_then(|at| rest.split_at_checked(at));
    let (Some((payload, [b'.', text @ ..])), Some(out)) = (parts, buffer.get_mut(..len)) else {
        return Err(describe(rest, alg));
    };
    if BASE64URL_NOPAD.decode_mut(text, out).is_err() {
        return Err(describe(rest, alg));
    }
    Ok((payload, len))
}

/// The reason that what follows the header is no payload and signature.
fn describe(rest: &[u8], alg: Alg) -> Error {
    let parts = 2 + rest.iter().filter(|&&b| b == b'.').count();
    if parts != 3 {
        let detail = format!("a token has three parts with dots between; got {parts}");
        return Error::new(Refusal::NotJws, detail);
    }
    let text = rest.rsplit(|&b| b == b'.').next().unwrap_or_default();
    describe_signature(text, alg)
}

/// The reason that a text is no signature of an algorithm.
pub(super) fn describe_signature(text: &[u8], alg: Alg) -> Error {
    let (name, wanted) = (alg.name(), alg.signature_len());
    if text.is_empty() {
        return Error::new(Refusal::NoSignature, "the signature is empty");
    }
    match decode(text, "the signature", Refusal::NotJws) {
        Err(error) => error,
        Ok(bytes) => {
            let len = bytes.len();
            let detail = format!("the signature is {len} bytes; one of {name} is {wanted}");
            Error::new(Refusal::NotJws, detail)
        }
    }
}

/// Checks the characters of a payload: base64url without trailing bits, or the printable characters that RFC 7797 §5.2
/// leaves to an unencoded one.
fn check_payload(payload: &[u8], b64: bool) -> Result<()> {
    // Every byte is looked at: the loop has no branch and becomes vector instructions.
    let good = match b64 {
        true => payload.iter().fold(true, |good, &b| good & is_base64url(b)),
        false => payload.iter().fold(true, |good, &b| good & is_unencoded(b)),
    };
    if good && (!b64 || has_good_end(payload)) {
        return Ok(());
    }
    if payload.contains(&b'.') {
        let parts = 3 + payload.iter().filter(|&&b| b == b'.').count();
        let detail = format!("a token has three parts with dots between; got {parts}");
        return Err(Error::new(Refusal::NotJws, detail));
    }
    if b64 {
        decode(payload, "the payload", Refusal::NotJws)?;
    }
    let detail = "an unencoded payload in a token has a character that is not printable ASCII";
    Err(Error::new(Refusal::NotJws, detail))
}

const fn is_base64url(b: u8) -> bool {
    ((b | 0x20).wrapping_sub(b'a') < 26) | (b.wrapping_sub(b'0') < 10) | (b == b'-') | (b == b'_')
}

/// RFC 7797 §5.2: `%x20-2D / %x2F-7E`.
pub(super) const fn is_unencoded(b: u8) -> bool {
    (b.wrapping_sub(0x20) < 0x5F) & (b != b'.')
}

/// Whether the last character has no bits beyond the last byte, and the length is one of base64.
fn has_good_end(payload: &[u8]) -> bool {
    let tail = payload.get(payload.len() / 4 * 4..).unwrap_or_default();
    match tail.len() {
        0 => true,
        2 => BASE64URL_NOPAD.decode_mut(tail, &mut [0; 1]).is_ok(),
        3 => BASE64URL_NOPAD.decode_mut(tail, &mut [0; 2]).is_ok(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_bounded() {
        let keys = JwkSet::new(Vec::new()).unwrap();
        let mut verifier = Verifier::new(&keys);
        for i in 0..2 * MOST_HEADERS + 10 {
            let header = BASE64URL_NOPAD.encode(format!(r#"{{"alg":"EdDSA","i":{i}}}"#).as_bytes());
            assert!(verifier.read_compact(format!("{header}.eA.").as_bytes()).is_err());
            assert!(verifier.headers.len() <= MOST_HEADERS);
        }
        assert_eq!(verifier.headers.len(), 10);
        let long = BASE64URL_NOPAD.encode(&[b' '; LONGEST_REMEMBERED]);
        assert!(verifier.read_compact(format!("{long}.eA.").as_bytes()).is_err());
        assert_eq!(verifier.headers.len(), 10);
    }
}
