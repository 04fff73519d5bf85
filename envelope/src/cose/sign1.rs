//! One message: read, and made.

use super::cbor::{self, Wiped, kind, not_cose, push_bytes, push_head};
use super::header::{ALG, Alg, ContentType, KID, Parameters, Protected};
use crate::error::{Error, Refusal, Result};
use crate::key::Key;
use crate::secret::SecretKey;
use crate::signed::{Scheme, Signed};
use coset::cbor::Value;
use sigmill::ecdsa::Encoding;
use std::borrow::Cow;
use std::sync::Arc;

const SIGN1: u64 = 18;
const CWT: u64 = 61;

/// The tags of other messages (RFC 9052 section 2).
const OTHERS: [(u64, &str); 5] = [
    (98, "COSE_Sign, with many signers"),
    (97, "COSE_Mac"),
    (17, "COSE_Mac0"),
    (96, "COSE_Encrypt"),
    (16, "COSE_Encrypt0"),
];

/// A COSE_Sign1 (RFC 9052 section 4.2): one signature over a payload and a protected header.
#[derive(Clone, Debug)]
pub struct Sign1 {
    protected: Vec<u8>,
    pub(super) header: Arc<Protected>,
    parameters: Parameters,
    payload: Option<Vec<u8>>,
    pub(super) signature: Vec<u8>,
}

impl Sign1 {
    /// Reads a COSE_Sign1, tagged or not, and nothing after it.
    ///
    /// # Errors
    /// [`Refusal::NotCose`], [`Refusal::TooDeep`] and [`Refusal::TooLarge`]: other bytes. [`Refusal::Unsupported`]: a
    /// message of another kind. [`Refusal::AlgMissing`]: no `alg` in the protected header. [`Refusal::AlgUnknown`]: an
    /// algorithm that is none of those above. [`Refusal::CritUnknown`]: a critical parameter that is not understood.
    /// [`Refusal::DuplicateMember`]: a label twice in a header, or in both.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        Self::read_with(bytes, |protected| Protected::read(protected).map(Arc::new))
    }

    /// The same with the protected header from elsewhere.
    pub(super) fn read_with(
        bytes: &[u8],
        read_protected: impl FnOnce(&[u8]) -> Result<Arc<Protected>>,
    ) -> Result<Self> {
        let mut message = cbor::read("the message", bytes)?;
        let mut parts = untagged(&mut message.0)?;
        let [protected, unprotected, payload, signature] = parts.as_mut_slice() else {
            let detail = format!("a COSE_Sign1 is an array of 4; this one has {}", parts.len());
            return Err(not_cose(detail));
        };
        let protected = take_bytes("the protected header", protected)?;
        if matches!(signature, Value::Array(_)) {
            let detail = "this is COSE_Sign, COSE_Mac or COSE_Encrypt, not COSE_Sign1";
            return Err(Error::new(Refusal::Unsupported, detail));
        }
        let payload = match payload {
            Value::Null => None,
            payload => Some(take_bytes("the payload", payload)?),
        };
        let signature = take_bytes("the signature", signature)?;
        let header = read_protected(&protected)?;
        let parameters = header.beside(unprotected)?;
        Ok(Sign1 { protected, header, parameters, payload, signature })
    }

    /// The bytes that were signed, for the verifier's key. The payload is given here if it is detached, and only then.
    ///
    /// The message is the Sig_structure of RFC 9052 section 4.4 with the context `Signature1`. The signature of ECDSA
    /// is r ‖ s; another length is a verdict.
    ///
    /// # Errors
    /// [`Refusal::AlgMismatch`]: `alg` does not fit the key. [`Refusal::PayloadMissing`] and
    /// [`Refusal::PayloadTwice`]: no payload, or two.
    pub fn signed(
        &self,
        key: &Key,
        payload: Option<&[u8]>,
        external_aad: &[u8],
    ) -> Result<Signed<'_>> {
        let scheme = self.header.alg.scheme(key)?;
        let message = self.message(payload, external_aad)?;
        Ok(Signed {
            scheme,
            message: Cow::Owned(message),
            signature: Cow::Borrowed(&self.signature),
        })
    }

    pub(super) fn message(&self, payload: Option<&[u8]>, external_aad: &[u8]) -> Result<Vec<u8>> {
        let payload = match (self.payload.as_deref(), payload) {
            (Some(payload), None) | (None, Some(payload)) => payload,
            (None, None) => {
                let detail = "the payload is nil, and none was given beside the message";
                return Err(Error::new(Refusal::PayloadMissing, detail));
            }
            (Some(own), Some(given)) => {
                let (own, given) = (own.len(), given.len());
                let detail = format!(
                    "{given} bytes were given beside the message, which holds a payload of {own}"
                );
                return Err(Error::new(Refusal::PayloadTwice, detail));
            }
        };
        Ok(sig_structure(&self.protected, external_aad, payload))
    }

    /// The payload, or `None` if it is detached.
    pub fn payload(&self) -> Option<&[u8]> {
        self.payload.as_deref()
    }

    /// The identifier of the key (label 4), of whichever header has it. The unprotected header is not signed.
    pub fn kid(&self) -> Option<&[u8]> {
        self.parameters.kid.as_deref()
    }

    /// The type of the payload (label 3), of whichever header has it. The unprotected header is not signed.
    pub const fn content_type(&self) -> Option<&ContentType> {
        self.parameters.content_type.as_ref()
    }

    /// The number of the algorithm, such as −7.
    pub fn alg(&self) -> i64 {
        self.header.alg.number
    }

    /// The signature: 64 bytes, or 96 on P-384, if it is one.
    pub fn signature(&self) -> &[u8] {
        &self.signature
    }
}

/// The parts of the message inside its tags: none, 18, or 61 around 18.
fn untagged(message: &mut Value) -> Result<Vec<Value>> {
    let mut value = message;
    let mut token = false;
    if let Value::Tag(CWT, inner) = value {
        (value, token) = (&mut **inner, true);
    }
    match value {
        Value::Tag(SIGN1, inner) => value = &mut **inner,
        Value::Tag(tag, _) => {
            let tag = *tag;
            return Err(match OTHERS.iter().find(|(number, _)| *number == tag) {
                Some((_, name)) => {
                    Error::new(Refusal::Unsupported, format!("tag {tag} is {name}, not COSE_Sign1"))
                }
                None => not_cose(format!("the tag is {tag}; COSE_Sign1 has 18")),
            });
        }
        _ if token => return Err(not_cose("no tag 18 is inside the tag 61 of a CBOR Web Token")),
        _ => {}
    }
    match value {
        Value::Array(parts) => Ok(std::mem::take(parts)),
        other => Err(not_cose(format!("the message is {}; an array was expected", kind(other)))),
    }
}

fn take_bytes(place: &'static str, value: &mut Value) -> Result<Vec<u8>> {
    match value {
        Value::Bytes(bytes) => Ok(std::mem::take(bytes)),
        other => Err(not_cose(format!("{place} is {}; a byte string was expected", kind(other)))),
    }
}

/// The bytes that are signed (RFC 9052 section 4.4).
fn sig_structure(protected: &[u8], external_aad: &[u8], payload: &[u8]) -> Vec<u8> {
    const CONTEXT: &[u8] = b"Signature1";
    let length = protected.len() + external_aad.len() + payload.len();
    let mut out = Vec::with_capacity(length + CONTEXT.len() + 32);
    push_head(&mut out, 4, 4);
    push_head(&mut out, 3, CONTEXT.len());
    out.extend(CONTEXT);
    push_bytes(&mut out, protected);
    push_bytes(&mut out, external_aad);
    push_bytes(&mut out, payload);
    out
}

/// Signs a payload as a COSE_Sign1, deterministically. `alg` is EdDSA (−8), ES256 (−7) or ES384 (−35), by the key, in the
/// protected header; the identifier of the key is in the unprotected one. A detached payload is left out of the result.
/// `tagged` puts the tag 18 before it. `external_aad` is signed with it and is empty mostly.
///
/// # Errors
/// None that a key of these types meets.
pub fn sign(
    key: &SecretKey,
    kid: Option<&[u8]>,
    payload: &[u8],
    detached: bool,
    tagged: bool,
    external_aad: &[u8],
) -> Result<Vec<u8>> {
    let alg = Alg::of(key.algorithm())?;
    let header = Value::Map(vec![(Value::from(ALG), Value::from(alg.number))]);
    let protected = cbor::write(&Wiped(header))?.to_vec();
    let message = sig_structure(&protected, external_aad, payload);
    let signature = key.sign(Scheme::of(key.algorithm(), Encoding::Fixed), &message)?;
    let unprotected = kid.map(|kid| (Value::from(KID), Value::Bytes(kid.to_vec())));
    let payload = if detached { Value::Null } else { Value::Bytes(payload.to_vec()) };
    let mut sign1 = Value::Array(vec![
        Value::Bytes(protected),
        Value::Map(unprotected.into_iter().collect()),
        payload,
        Value::Bytes(signature),
    ]);
    if tagged {
        sign1 = Value::Tag(SIGN1, Box::new(sign1));
    }
    Ok(cbor::write(&Wiped(sign1))?.to_vec())
}
