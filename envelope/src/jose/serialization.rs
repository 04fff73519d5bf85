//! The JSON serialization (RFC 7515 §7.2), flattened and general.

use super::compact::{Outcome, Verifier, describe_signature};
use super::header::{self, Alg, Header};
use super::members::{decode, text_of};
use super::token::Token;
use crate::error::{Error, Refusal, Result};
use crate::json::{Json, parse};
use crate::signed::Signed;
use data_encoding::BASE64URL_NOPAD;
use std::borrow::Cow;

/// The most signatures of one payload. Each has a message of its own in memory.
const MOST_SIGNATURES: usize = 16;

const NOT: Refusal = Refusal::NotJws;

impl Verifier<'_> {
    /// Reads the JSON serialization: one result a signature, in their order; one of the flattened form. A signature
    /// that the verifier has no key for does not hinder the others. The caller says how many have to be valid, and of
    /// which keys. The payload is given beside the text if, and only if, it has no member `payload`.
    ///
    /// # Errors
    /// [`Refusal::NotJws`], [`Refusal::DuplicateMember`], [`Refusal::TooDeep`]: the text is malformed, or `b64` differs
    /// between signatures. [`Refusal::NoSignature`], [`Refusal::TooLarge`]: no signature, or more than 16.
    /// [`Refusal::PayloadMissing`], [`Refusal::PayloadTwice`]. Inside, those of [`Verifier::read_compact`].
    pub fn read_json(
        &self,
        text: &[u8],
        payload: Option<&[u8]>,
    ) -> Result<Vec<Result<Token<'static>>>> {
        let json = parse(text, NOT)?;
        header::object(&json, "the text")?;
        let signatures = signatures(&json)?;
        let payload = match (text_of(&json, "payload", NOT)?, payload) {
            (Some(held), None) => Payload::Held(held),
            (None, Some(given)) => Payload::Given(given),
            (None, None) => {
                let detail = "the text has no `payload`, and none was given beside it";
                return Err(Error::new(Refusal::PayloadMissing, detail));
            }
            (Some(_), Some(_)) => {
                let detail = "a payload was given beside the text, which has a `payload`";
                return Err(Error::new(Refusal::PayloadTwice, detail));
            }
        };
        let parts: Vec<Result<Part<'_>>> =
            signatures.iter().map(|signature| self.part(signature)).collect();
        let mut forms = parts.iter().flatten().map(|part| part.outcome.b64);
        let Some(b64) = forms.next() else {
            // no header says how the payload is encoded
            return Ok(parts.into_iter().filter_map(Result::err).map(Err).collect());
        };
        if forms.any(|other| other != b64) {
            return Err(Error::new(NOT, "`b64` differs between the signatures"));
        }
        let payload = payload.into_signed(b64)?;
        let token = |part: Part<'_>| Token {
            key: part.outcome.key,
            signed: Signed {
                scheme: part.outcome.alg.scheme(),
                message: Cow::Owned([part.protected.as_bytes(), b".", &*payload].concat()),
                signature: Cow::Owned(part.signature),
            },
            payload: Cow::Owned(payload.to_vec()),
            encoded: b64,
        };
        Ok(parts.into_iter().map(|part| part.map(token)).collect())
    }

    fn part<'j>(&self, json: &'j Json) -> Result<Part<'j>> {
        header::object(json, "a signature")?;
        let protected = text_of(json, "protected", NOT)?;
        let parsed = match protected {
            Some(text) => header::protected(text.as_bytes())?,
            None => Json::Object(Vec::new()),
        };
        let none = Json::Object(Vec::new());
        let unprotected = json.get("header").unwrap_or(&none);
        let empty = |header: &Json| *header == none;
        if protected.is_some() && empty(&parsed) || json.get("header").is_some_and(empty) {
            return Err(Error::new(NOT, "a header without members must be absent"));
        }
        let outcome = self.choose(&Header::of(&parsed, unprotected)?)?;
        let Some(text) = text_of(json, "signature", NOT)? else {
            return Err(Error::new(Refusal::NoSignature, "there is no `signature`"));
        };
        let signature = signature(text.as_bytes(), outcome.alg)?;
        Ok(Part { protected: protected.unwrap_or_default(), outcome, signature })
    }
}

/// One signature of a text.
struct Part<'j> {
    protected: &'j str,
    outcome: Outcome,
    signature: Vec<u8>,
}

enum Payload<'p> {
    Held(&'p str),
    Given(&'p [u8]),
}

impl<'p> Payload<'p> {
    /// As it stands in the message.
    fn into_signed(self, b64: bool) -> Result<Cow<'p, [u8]>> {
        match (self, b64) {
            (Payload::Held(text), true) => {
                decode(text.as_bytes(), "`payload`", NOT)?;
                Ok(Cow::Borrowed(text.as_bytes()))
            }
            (Payload::Held(text), false) => Ok(Cow::Borrowed(text.as_bytes())),
            (Payload::Given(bytes), true) => {
                Ok(Cow::Owned(BASE64URL_NOPAD.encode(bytes).into_bytes()))
            }
            (Payload::Given(bytes), false) => Ok(Cow::Borrowed(bytes)),
        }
    }
}

/// The objects with signatures: those of `signatures`, or the text itself.
fn signatures(json: &Json) -> Result<&[Json]> {
    let signatures = match json.get("signatures") {
        None => return Ok(std::slice::from_ref(json)),
        Some(Json::Array(signatures)) => signatures,
        Some(other) => {
            let detail = format!("`signatures` is {}; it must be an array", other.kind());
            return Err(Error::new(NOT, detail));
        }
    };
    if let Some(name) =
        ["signature", "protected", "header"].iter().find(|name| json.get(name).is_some())
    {
        let detail = format!("`{name}` beside `signatures`: one form or the other");
        return Err(Error::new(NOT, detail));
    }
    match signatures.len() {
        0 => Err(Error::new(Refusal::NoSignature, "`signatures` is empty")),
        len if len > MOST_SIGNATURES => {
            let detail = format!("there are {len} signatures; the limit is {MOST_SIGNATURES}");
            Err(Error::new(Refusal::TooLarge, detail))
        }
        _ => Ok(signatures),
    }
}

fn signature(text: &[u8], alg: Alg) -> Result<Vec<u8>> {
    match BASE64URL_NOPAD.decode(text) {
        Ok(bytes) if bytes.len() == alg.signature_len() => Ok(bytes),
        _ => Err(describe_signature(text, alg)),
    }
}
