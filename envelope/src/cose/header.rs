//! Header parameters (RFC 9052 section 3.1) and algorithms (RFC 9053 section 2, RFC 9864 section 2).

use super::cbor::{algorithm_text, entries, kind, label_text, not_cose, read};
use crate::error::{Error, Refusal, Result, quoted};
use crate::key::Key;
use crate::signed::Scheme;
use coset::cbor::Value;
use coset::{AsCborValue, Label};
use sigmill::bulk::Algorithm;
use sigmill::ecdsa::Encoding;
use std::collections::BTreeSet;

pub(super) const ALG: i64 = 1;
const CRIT: i64 = 2;
const CONTENT_TYPE: i64 = 3;
pub(super) const KID: i64 = 4;

/// An algorithm of COSE: its number, its name and the keys that it fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Alg {
    pub(super) number: i64,
    pub(super) name: &'static str,
    algorithm: Algorithm,
}

/// The algorithms that are understood; the first of each key type is the one that is written.
const ALGS: [Alg; 6] = [
    Alg { number: -8, name: "EdDSA", algorithm: Algorithm::Ed25519 },
    Alg { number: -7, name: "ES256", algorithm: Algorithm::P256 },
    Alg { number: -35, name: "ES384", algorithm: Algorithm::P384 },
    Alg { number: -19, name: "Ed25519", algorithm: Algorithm::Ed25519 },
    Alg { number: -9, name: "ESP256", algorithm: Algorithm::P256 },
    Alg { number: -51, name: "ESP384", algorithm: Algorithm::P384 },
];

impl Alg {
    /// Of the value of `alg` in a header or key.
    pub(super) fn read(value: &Value) -> Result<Self> {
        let number = match value {
            Value::Integer(number) => i64::try_from(*number).ok(),
            Value::Text(_) => None,
            other => return Err(not_cose(format!("`alg` (label 1) is {}", kind(other)))),
        };
        ALGS.into_iter().find(|alg| Some(alg.number) == number).ok_or_else(|| {
            let detail = format!(
                "`alg` is {}; EdDSA, Ed25519, ES256, ESP256, ES384 and ESP384 are supported",
                algorithm_text(value)
            );
            Error::new(Refusal::AlgUnknown, detail)
        })
    }

    /// The one that is written for a key.
    pub(super) fn of(algorithm: Algorithm) -> Result<Self> {
        ALGS.into_iter().find(|alg| alg.algorithm == algorithm).ok_or_else(|| {
            let detail = format!("COSE has no algorithm for a key of {}", algorithm.name());
            Error::new(Refusal::AlgUnknown, detail)
        })
    }

    /// Whether it is one for keys of this type.
    pub(super) fn fits(self, algorithm: Algorithm) -> bool {
        self.algorithm == algorithm
    }

    /// Refuses keys of another type.
    pub(super) fn check(self, algorithm: Algorithm) -> Result<()> {
        if self.fits(algorithm) {
            return Ok(());
        }
        let (name, number, key) = (self.name, self.number, algorithm.name());
        let detail = match (self.number, algorithm.curve()) {
            // these two name the hash function; RFC 9053 section 2.1 leaves the curve to the key
            (-7 | -35, Some(curve)) => format!(
                "`alg` is {name} ({number}) and so names a hash function; a key of {key} is used \
                 with {:?} only",
                curve.own_hash()
            ),
            _ => format!("`alg` is {name} ({number}); the key is one of {key}"),
        };
        Err(Error::new(Refusal::AlgMismatch, detail))
    }

    /// The scheme of a key that it fits.
    pub(super) fn scheme(self, key: &Key) -> Result<Scheme> {
        self.check(key.algorithm())?;
        Ok(Scheme::of(key.algorithm(), Encoding::Fixed))
    }
}

/// The type of a payload (label 3).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ContentType {
    /// The number of a content format of CoAP (RFC 7252 section 12.3).
    Number(u64),
    /// A media type, such as `application/cwt`.
    Text(String),
}

/// A protected header. Envelopes of one signer mostly share it.
#[derive(Clone, Debug)]
pub(super) struct Protected {
    pub(super) alg: Alg,
    labels: BTreeSet<Label>,
    kid: Option<Vec<u8>>,
    content_type: Option<ContentType>,
}

/// Parameters of the two headers together that are not the algorithm.
#[derive(Clone, Debug)]
pub(super) struct Parameters {
    pub(super) kid: Option<Vec<u8>>,
    pub(super) content_type: Option<ContentType>,
}

impl Protected {
    /// Reads the content of the byte string of the protected header.
    pub(super) fn read(bytes: &[u8]) -> Result<Self> {
        const PLACE: &str = "the protected header";
        let mut header = Vec::new();
        if !bytes.is_empty() {
            header = entries(PLACE, &mut read(PLACE, bytes)?.0)?;
        }
        let labels: BTreeSet<Label> = header.iter().map(|(label, _)| label.clone()).collect();
        let (mut alg, mut kid, mut content_type) = (None, None, None);
        for (label, value) in &header {
            match label {
                Label::Int(ALG) => alg = Some(Alg::read(&value.0)?),
                Label::Int(CRIT) => check_crit(&value.0, &labels)?,
                Label::Int(CONTENT_TYPE) => content_type = Some(read_content_type(&value.0)?),
                Label::Int(KID) => kid = Some(read_kid(&value.0)?),
                _ => {}
            }
        }
        let alg = alg.ok_or_else(|| {
            Error::new(Refusal::AlgMissing, "the protected header has no `alg` (label 1)")
        })?;
        Ok(Protected { alg, labels, kid, content_type })
    }

    /// Reads the unprotected header beside this one: no label is in both.
    pub(super) fn beside(&self, unprotected: &mut Value) -> Result<Parameters> {
        let (mut kid, mut content_type) = (None, None);
        for (label, value) in entries("the unprotected header", unprotected)? {
            if self.labels.contains(&label) {
                let name = label_text(&label);
                let detail = format!("label {name} is in the protected and unprotected header");
                return Err(Error::new(Refusal::DuplicateMember, detail));
            }
            match label {
                Label::Int(CRIT) => {
                    return Err(not_cose("`crit` (label 2) is in the unprotected header"));
                }
                Label::Int(CONTENT_TYPE) => content_type = Some(read_content_type(&value.0)?),
                Label::Int(KID) => kid = Some(read_kid(&value.0)?),
                _ => {}
            }
        }
        Ok(Parameters {
            kid: kid.or_else(|| self.kid.clone()),
            content_type: content_type.or_else(|| self.content_type.clone()),
        })
    }
}

/// `crit`: labels of this header that are understood, and at least one. Those of the RFC that have a meaning for
/// signatures are: 1, 3 and 4.
fn check_crit(value: &Value, labels: &BTreeSet<Label>) -> Result<()> {
    let critical = match value {
        Value::Array(critical) if !critical.is_empty() => critical,
        Value::Array(_) => return Err(not_cose("`crit` (label 2) is an empty array")),
        other => return Err(not_cose(format!("`crit` (label 2) is {}", kind(other)))),
    };
    let mut seen = BTreeSet::new();
    for value in critical {
        let label = Label::from_cbor_value(value.clone())
            .map_err(|_| not_cose(format!("`crit` (label 2) holds {}", kind(value))))?;
        let name = label_text(&label);
        if !matches!(label, Label::Int(ALG | CONTENT_TYPE | KID)) {
            let detail = format!("`crit` names label {name}, which is not understood");
            return Err(Error::new(Refusal::CritUnknown, detail));
        }
        if !labels.contains(&label) {
            return Err(not_cose(format!(
                "`crit` names label {name}, which the protected header does not have"
            )));
        }
        if !seen.insert(label) {
            let detail = format!("`crit` names label {name} twice");
            return Err(Error::new(Refusal::DuplicateMember, detail));
        }
    }
    Ok(())
}

pub(super) fn read_kid(value: &Value) -> Result<Vec<u8>> {
    match value {
        Value::Bytes(kid) => Ok(kid.clone()),
        other => Err(not_cose(format!("`kid` is {}; a byte string was expected", kind(other)))),
    }
}

fn read_content_type(value: &Value) -> Result<ContentType> {
    match value {
        Value::Text(text) => Ok(ContentType::Text(text.clone())),
        Value::Integer(number) => u64::try_from(*number)
            .map(ContentType::Number)
            .map_err(|_| not_cose("`content type` (label 3) is negative")),
        other => Err(not_cose(format!("`content type` (label 3) is {}", kind(other)))),
    }
}

/// An identifier for messages: as text where it is text, else in hexadecimal.
pub(crate) fn kid_text(kid: &[u8]) -> String {
    match std::str::from_utf8(kid) {
        Ok(text) => quoted(text),
        Err(_) => {
            let hex: String = kid.iter().take(32).map(|byte| format!("{byte:02x}")).collect();
            format!("0x{hex}{}", if kid.len() > 32 { "…" } else { "" })
        }
    }
}
