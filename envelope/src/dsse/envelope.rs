//! One envelope: read, verified, and made.

use crate::error::{Error, Refusal, Result, quoted};
use crate::json::{self, Json};
use crate::key::Key;
use crate::secret::SecretKey;
use crate::signed::{Scheme, Signed};
use data_encoding::{BASE64, BASE64URL};
use sigmill::ecdsa::Encoding;
use sigmill::ed25519::Rule;
use std::borrow::Cow;

const FORM: Refusal = Refusal::NotDsse;

/// The type of payloads with statements of in-toto.
pub const IN_TOTO: &str = "application/vnd.in-toto+json";
/// The longest text of an envelope or bundle in bytes.
pub const LONGEST_TEXT: usize = 64 << 20;
/// The most signatures of an envelope.
pub const MOST_SIGNATURES: usize = 256;
/// The most pairs of signatures and keys that [`Envelope::candidates`] gives.
pub const MOST_PAIRS: usize = 4096;
/// The most bytes that candidates hash: each hashes the whole message.
const MOST_HASHED: usize = 1 << 30;

/// A key that the verifier trusts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustedKey {
    /// The identifier by which envelopes may name the key.
    pub keyid: Option<String>,
    /// The key.
    pub key: Key,
    /// The encoding of r and s in its signatures; of no effect with Ed25519.
    pub encoding: Encoding,
}

impl TrustedKey {
    /// A key without an identifier, whose signatures are DER if they are ECDSA.
    pub const fn new(key: Key) -> Self {
        TrustedKey { keyid: None, key, encoding: Encoding::Der }
    }

    pub(super) const fn scheme(&self) -> Scheme {
        Scheme::of(self.key.algorithm(), self.encoding)
    }

    /// True if a signature may be of this key, by its form alone.
    fn fits(&self, signature: &[u8]) -> bool {
        match (self.key.algorithm().curve(), self.encoding) {
            (None, _) => signature.len() == 64,
            (Some(curve), Encoding::Der) => is_der(signature, crate::key::width(curve)),
            (Some(curve), _) => signature.len() == 2 * crate::key::width(curve),
        }
    }

    /// One value for all encodings of the key.
    fn identity(&self) -> Cow<'_, [u8]> {
        match self.key.coordinates() {
            Some((x, y)) => Cow::Owned([x, y].concat()),
            None => Cow::Borrowed(self.key.bytes()),
        }
    }
}

/// True of a sequence of two integers in DER, the longer of which has about the width of the curve: one of P-256 is none of
/// P-384 but with a chance of 2^-112, and 64 bytes of Ed25519 are none of either.
fn is_der(signature: &[u8], width: usize) -> bool {
    let integer = |bytes: &[u8]| match bytes {
        [2, len, rest @ ..] => Some((usize::from(*len), rest.len())),
        _ => None,
    };
    let [0x30, len, body @ ..] = signature else { return false };
    let Some((r, left)) = integer(body) else { return false };
    let Some((s, end)) = left.checked_sub(r).and_then(|n| integer(body.get(body.len() - n..)?))
    else {
        return false;
    };
    usize::from(*len) == body.len() && s == end && (width - 14..=width + 1).contains(&r.max(s))
}

/// A key that signs.
#[derive(Clone, Debug)]
pub struct SigningKey<'k> {
    /// The identifier that the envelope gets as a hint.
    pub keyid: Option<&'k str>,
    /// The key.
    pub key: &'k SecretKey,
    /// The encoding of r and s; of no effect with Ed25519.
    pub encoding: Encoding,
}

/// One signature of an envelope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// A hint to the key, which nothing signs; `None` where it is missing or empty.
    pub keyid: Option<String>,
    /// The bytes.
    pub sig: Vec<u8>,
}

/// An envelope: a payload with its type, and signatures over both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// The message that is signed, at whose end the payload lies.
    pae: Vec<u8>,
    payload_at: usize,
    payload_type: String,
    signatures: Vec<Signature>,
}

/// A signature with a trusted key that it may be of. The library decides whether it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate<'a> {
    /// The place among the signatures of the envelope.
    pub signature: usize,
    /// The place among the trusted keys.
    pub key: usize,
    /// The message and the signature.
    pub signed: Signed<'a>,
}

impl Envelope {
    /// Reads the JSON.
    ///
    /// # Errors
    /// [`Refusal::NotDsse`]: another form. [`Refusal::NoSignature`]: no signature. [`Refusal::TooLarge`],
    /// [`Refusal::TooDeep`], [`Refusal::DuplicateMember`]: as the module says.
    pub fn read(json: &[u8]) -> Result<Self> {
        check_size(json)?;
        Envelope::of(&json::parse(json, FORM)?, "the envelope")
    }

    pub(super) fn of(json: &Json, place: &str) -> Result<Self> {
        let payload_type = text(json, "payloadType", place)?;
        let payload = base64(json, "payload", place)?;
        let Json::Array(values) = member(json, "signatures", place)? else {
            return Err(Error::new(FORM, format!("`signatures` of {place} is no array")));
        };
        if values.is_empty() {
            return Err(Error::new(
                Refusal::NoSignature,
                format!("`signatures` of {place} is empty"),
            ));
        }
        if values.len() > MOST_SIGNATURES {
            let detail = format!("{} signatures; at most {MOST_SIGNATURES} are read", values.len());
            return Err(Error::new(Refusal::TooLarge, detail));
        }
        let mut signatures = Vec::with_capacity(values.len());
        for (i, value) in values.iter().enumerate() {
            let place = format!("signature {i}");
            let keyid = optional_text(value, "keyid", &place)?;
            let sig = base64(value, "sig", &place)?;
            signatures.push(Signature { keyid, sig });
        }
        let pae = pae(payload_type, &payload);
        let payload_at = pae.len() - payload.len();
        Ok(Envelope { pae, payload_at, payload_type: payload_type.to_owned(), signatures })
    }

    /// The payload. It is to be looked at only after [`Envelope::verify`].
    pub fn payload(&self) -> &[u8] {
        self.pae.get(self.payload_at..).unwrap_or_default()
    }

    /// The type of the payload, which is signed with it.
    pub fn payload_type(&self) -> &str {
        &self.payload_type
    }

    /// The signatures, at least one.
    pub fn signatures(&self) -> &[Signature] {
        &self.signatures
    }

    /// The message that is signed: the encoding PAE of the type and the payload.
    pub fn message(&self) -> &[u8] {
        &self.pae
    }

    /// The message, without a copy.
    pub(crate) fn into_message(self) -> Vec<u8> {
        self.pae
    }

    /// Refuses a payload of another type.
    ///
    /// # Errors
    /// [`Refusal::PayloadType`], with both types.
    pub fn check_type(&self, expected: &str) -> Result<()> {
        if self.payload_type == expected {
            return Ok(());
        }
        let (seen, wanted) = (quoted(&self.payload_type), quoted(expected));
        let detail = format!("the payload is of type {seen}; expected {wanted}");
        Err(Error::new(Refusal::PayloadType, detail))
    }

    /// The signature at this place under a key, whatever it names; `None` where there is no such place.
    pub fn signed(&self, signature: usize, key: &TrustedKey) -> Option<Signed<'_>> {
        let signature = Cow::Borrowed(self.signatures.get(signature)?.sig.as_slice());
        Some(Signed { scheme: key.scheme(), message: Cow::Borrowed(&self.pae), signature })
    }

    /// The pairs of signatures and keys to be verified. Where a signature names a key that is trusted, those of this name,
    /// and of several the ones whose signatures have this form; else all whose signatures have it: 64 bytes of Ed25519, of
    /// ECDSA two integers of about the curve's width in DER, or the fixed width. The name is a hint that
    /// nothing signs, and decides nothing else.
    ///
    /// # Errors
    /// [`Refusal::TooLarge`]: more than [`MOST_PAIRS`] candidates, or more than 1 GiB to hash for them.
    pub fn candidates(&self, keys: &[TrustedKey]) -> Result<Vec<Candidate<'_>>> {
        let mut candidates = Vec::new();
        for (i, signature) in self.signatures.iter().enumerate() {
            let named = |key: &TrustedKey| key.keyid.is_some() && key.keyid == signature.keyid;
            let fits = |key: &TrustedKey| key.fits(&signature.sig);
            let known = keys.iter().any(named);
            let known_by_form = keys.iter().any(|key| named(key) && fits(key));
            for (k, key) in keys.iter().enumerate() {
                let tried = (!known || named(key)) && (known && !known_by_form || fits(key));
                if tried && let Some(signed) = self.signed(i, key) {
                    candidates.push(Candidate { signature: i, key: k, signed });
                }
            }
        }
        let (pairs, bytes) = (candidates.len(), self.pae.len());
        if pairs > MOST_PAIRS || pairs.saturating_mul(bytes) > MOST_HASHED {
            let detail = format!(
                "{pairs} pairs of signature and key over {bytes} bytes; at most {MOST_PAIRS} pairs and {MOST_HASHED} \
                 bytes in all are tried"
            );
            return Err(Error::new(Refusal::TooLarge, detail));
        }
        Ok(candidates)
    }

    /// Verifies all candidates under a rule, which is one for Ed25519: the payload is of this type, and as many distinct
    /// keys as the threshold says have a valid signature. Gives the places of these keys, as [`check_threshold`].
    ///
    /// # Errors
    /// [`Refusal::PayloadType`]: another type. [`Refusal::NoSignature`]: too few keys. [`Refusal::Unsupported`]: a
    /// threshold of 0. [`Refusal::TooLarge`]: as [`Envelope::candidates`].
    pub fn verify(
        &self,
        payload_type: &str,
        keys: &[TrustedKey],
        threshold: usize,
        rule: &Rule,
    ) -> Result<Vec<usize>> {
        self.check_type(payload_type)?;
        let mut valid = Vec::new();
        for candidate in self.candidates(keys)? {
            if let Some(key) = keys.get(candidate.key)
                && candidate.signed.verify(&key.key, rule)?.is_valid()
            {
                valid.push(candidate.key);
            }
        }
        check_threshold(keys, &valid, threshold)
    }
}

/// Checks that enough distinct keys signed, by the places of the keys whose candidates were valid. A key in two encodings or
/// under two names counts once. Gives the places of the distinct keys in ascending order.
///
/// # Errors
/// [`Refusal::NoSignature`]: fewer than the threshold. [`Refusal::Unsupported`]: a threshold of 0, which nobody's signature
/// would meet.
pub fn check_threshold(
    keys: &[TrustedKey],
    valid: &[usize],
    threshold: usize,
) -> Result<Vec<usize>> {
    if threshold == 0 {
        return Err(Error::new(Refusal::Unsupported, "the threshold is 0; at least one key signs"));
    }
    let mut seen = Vec::new();
    let mut distinct = Vec::new();
    for (k, key) in keys.iter().enumerate() {
        if valid.contains(&k) {
            let identity = key.identity();
            if !seen.contains(&identity) {
                seen.push(identity);
                distinct.push(k);
            }
        }
    }
    if distinct.len() < threshold {
        let signed = distinct.len();
        let detail =
            format!("distinct keys with a valid signature: {signed}; the threshold is {threshold}");
        return Err(Error::new(Refusal::NoSignature, detail));
    }
    Ok(distinct)
}

/// Signs a payload with every key, and writes the envelope on a line without a line break, in standard base64.
///
/// # Errors
/// [`Refusal::NoSignature`]: no key. [`Refusal::TooLarge`]: more than [`MOST_SIGNATURES`].
pub fn sign(keys: &[SigningKey<'_>], payload_type: &str, payload: &[u8]) -> Result<String> {
    if keys.is_empty() {
        return Err(Error::new(Refusal::NoSignature, "no key signs"));
    }
    if keys.len() > MOST_SIGNATURES {
        let detail = format!("{} keys; an envelope has at most {MOST_SIGNATURES}", keys.len());
        return Err(Error::new(Refusal::TooLarge, detail));
    }
    let message = pae(payload_type, payload);
    let mut signatures = Vec::with_capacity(keys.len());
    for key in keys {
        let scheme = Scheme::of(key.key.algorithm(), key.encoding);
        let sig = BASE64.encode(&key.key.sign(scheme, &message)?);
        let keyid = match key.keyid {
            Some(keyid) => format!("\"keyid\":{},", string(keyid)?),
            None => String::new(),
        };
        signatures.push(format!("{{{keyid}\"sig\":\"{sig}\"}}"));
    }
    let (payload, payload_type) = (BASE64.encode(payload), string(payload_type)?);
    let signatures = signatures.join(",");
    let json = format!(
        "{{\"payload\":\"{payload}\",\"payloadType\":{payload_type},\"signatures\":[{signatures}]}}"
    );
    check_size(json.as_bytes())?;
    Ok(json)
}

/// The encoding PAE: `DSSEv1`, the length of the type in bytes, the type, the length of the payload, the payload; a space
/// between all.
fn pae(payload_type: &str, payload: &[u8]) -> Vec<u8> {
    let head = format!("DSSEv1 {} {payload_type} {} ", payload_type.len(), payload.len());
    [head.as_bytes(), payload].concat()
}

fn string(text: &str) -> Result<String> {
    serde_json::to_string(text).map_err(|error| Error::new(FORM, error.to_string()))
}

pub(super) fn check_size(json: &[u8]) -> Result<()> {
    if json.len() <= LONGEST_TEXT {
        return Ok(());
    }
    let detail = format!("{} bytes of JSON; at most {LONGEST_TEXT} are read", json.len());
    Err(Error::new(Refusal::TooLarge, detail))
}

/// A member that must be there.
pub(super) fn member<'j>(json: &'j Json, name: &str, place: &str) -> Result<&'j Json> {
    optional(json, name, place)?
        .ok_or_else(|| Error::new(FORM, format!("`{name}` of {place} is missing")))
}

/// A member that may be missing or null.
pub(super) fn optional<'j>(json: &'j Json, name: &str, place: &str) -> Result<Option<&'j Json>> {
    if !matches!(json, Json::Object(_)) {
        return Err(Error::new(FORM, format!("{place} is no object")));
    }
    Ok(json.get(name).filter(|value| !matches!(value, Json::Null)))
}

pub(super) fn text<'j>(json: &'j Json, name: &str, place: &str) -> Result<&'j str> {
    match member(json, name, place)? {
        Json::Text(text) => Ok(text),
        _ => Err(Error::new(FORM, format!("`{name}` of {place} is no string"))),
    }
}

/// A text that may be missing or null; empty text is as missing.
pub(super) fn optional_text(json: &Json, name: &str, place: &str) -> Result<Option<String>> {
    match optional(json, name, place)? {
        None => Ok(None),
        Some(_) => Ok(Some(text(json, name, place)?.to_owned()).filter(|text| !text.is_empty())),
    }
}

/// The bytes of a member in base64.
pub(super) fn base64(json: &Json, name: &str, place: &str) -> Result<Vec<u8>> {
    let text = text(json, name, place)?;
    let (alphabet, encoding) = match text.contains(['-', '_']) {
        true => ("URL-safe", BASE64URL),
        false => ("standard", BASE64),
    };
    let refused = |error: String| {
        let detail = format!("`{name}` of {place} is no {alphabet} base64 with padding: {error}");
        Error::new(FORM, detail)
    };
    // data-encoding takes several texts with padding in a row
    if text.trim_end_matches('=').contains('=') {
        return Err(refused("padding before the end".to_owned()));
    }
    encoding.decode(text.as_bytes()).map_err(|error| refused(error.to_string()))
}
