//! The header of a signature: RFC 7515 §4, RFC 7797 (`b64`).

use super::members::{decode, text_of, texts_of};
use crate::error::{Error, Refusal, Result, quoted};
use crate::json::{Json, parse};
use crate::signed::Scheme;
use sigmill::bulk::Algorithm;
use sigmill::ecdsa::Encoding;
use std::collections::BTreeSet;

/// The longest protected header, in characters of base64url.
pub(super) const LONGEST_HEADER: usize = 64 * 1024;

/// The headers of RFC 7515 §4.1, which `crit` must not name.
const STANDARD: [&str; 11] =
    ["alg", "jku", "jwk", "kid", "x5u", "x5c", "x5t", "x5t#S256", "typ", "cty", "crit"];

/// An algorithm that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Alg {
    /// Ed25519 by its older name, which also stands for Ed448.
    EdDsa,
    /// Ed25519 (RFC 9864).
    Ed25519,
    /// ECDSA on P-256 with SHA-256.
    Es256,
    /// ECDSA on P-384 with SHA-384.
    Es384,
}

impl Alg {
    const ALL: [Alg; 4] = [Alg::EdDsa, Alg::Ed25519, Alg::Es256, Alg::Es384];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Alg::EdDsa => "EdDSA",
            Alg::Ed25519 => "Ed25519",
            Alg::Es256 => "ES256",
            Alg::Es384 => "ES384",
        }
    }

    /// The algorithm with this name. Upper and lower case differ.
    pub(super) fn named(name: &str) -> Option<Self> {
        Alg::ALL.into_iter().find(|alg| alg.name() == name)
    }

    pub(super) const fn algorithm(self) -> Algorithm {
        match self {
            Alg::EdDsa | Alg::Ed25519 => Algorithm::Ed25519,
            Alg::Es256 => Algorithm::P256,
            Alg::Es384 => Algorithm::P384,
        }
    }

    pub(super) const fn scheme(self) -> Scheme {
        Scheme::of(self.algorithm(), Encoding::Fixed)
    }

    /// The bytes of a signature.
    pub(super) const fn signature_len(self) -> usize {
        match self {
            Alg::EdDsa | Alg::Ed25519 | Alg::Es256 => 64,
            Alg::Es384 => 96,
        }
    }
}

/// The members of a header that concern the signature.
pub(super) struct Header {
    pub(super) alg: Alg,
    pub(super) kid: Option<String>,
    /// Whether the payload is signed in base64url.
    pub(super) b64: bool,
}

/// Decodes and parses a protected header.
pub(super) fn protected(text: &[u8]) -> Result<Json> {
    if text.len() > LONGEST_HEADER {
        return Err(too_large());
    }
    let json = parse(&decode(text, "the header", Refusal::NotJws)?, Refusal::NotJws)
        .map_err(|error| Error::new(error.refusal(), format!("the header: {}", error.detail())))?;
    object(&json, "the header")?;
    Ok(json)
}

pub(super) fn too_large() -> Error {
    let detail = format!("the header is longer than {LONGEST_HEADER} characters");
    Error::new(Refusal::TooLarge, detail)
}

/// The members of an object.
pub(super) fn object<'j>(json: &'j Json, name: &str) -> Result<&'j [(String, Json)]> {
    match json {
        Json::Object(members) => Ok(members),
        other => {
            let detail = format!("{name} is {}; it must be an object", other.kind());
            Err(Error::new(Refusal::NotJws, detail))
        }
    }
}

impl Header {
    /// Of a compact serialization, whose header is all protected.
    pub(super) fn of_compact(text: &[u8]) -> Result<Self> {
        Self::of(&protected(text)?, &Json::Object(Vec::new()))
    }

    /// Of a protected and an unprotected header, which are objects.
    pub(super) fn of(protected: &Json, unprotected: &Json) -> Result<Self> {
        let not = Refusal::NotJws;
        let names: BTreeSet<_> = object(protected, "`protected`")?.iter().map(|(n, _)| n).collect();
        for (name, _) in object(unprotected, "`header`")? {
            if names.contains(name) {
                let detail = format!("{} is in both headers", quoted(name));
                return Err(Error::new(Refusal::DuplicateMember, detail));
            }
            if matches!(name.as_str(), "crit" | "b64") {
                return Err(Error::new(not, format!("`{name}` is not in the protected header")));
            }
        }
        let b64 = b64(protected)?;
        let text = |name| match text_of(protected, name, not)? {
            None => text_of(unprotected, name, not),
            found => Ok(found),
        };
        let Some(alg) = text("alg")? else {
            return Err(Error::new(Refusal::AlgMissing, "the header has no `alg`"));
        };
        let Some(alg) = Alg::named(alg) else {
            let detail =
                format!("`alg` is {}; EdDSA, Ed25519, ES256 and ES384 are read", quoted(alg));
            return Err(Error::new(Refusal::AlgUnknown, detail));
        };
        Ok(Header { alg, kid: text("kid")?.map(str::to_owned), b64 })
    }
}

/// Checks `crit`, and reads `b64`: the one extension that is understood.
fn b64(protected: &Json) -> Result<bool> {
    let not = Refusal::NotJws;
    let critical = texts_of(protected, "crit", not)?;
    for name in critical.iter().flatten() {
        if *name != "b64" {
            let standard = STANDARD.contains(name);
            let why = if standard { "a header of RFC 7515" } else { "not understood" };
            let detail = format!("`crit` names {}, which is {why}", quoted(name));
            return Err(Error::new(Refusal::CritUnknown, detail));
        }
    }
    if critical.as_ref().is_some_and(Vec::is_empty) {
        return Err(Error::new(not, "`crit` is empty"));
    }
    match (protected.get("b64"), critical) {
        (None, None) => Ok(true),
        (None, Some(_)) => Err(Error::new(not, "`crit` names `b64`, which the header lacks")),
        (Some(Json::Bool(true)), _) => Ok(true),
        (Some(Json::Bool(false)), Some(_)) => Ok(false),
        (Some(Json::Bool(false)), None) => Err(Error::new(not, "`b64` is false and not in `crit`")),
        (Some(other), _) => {
            Err(Error::new(not, format!("`b64` is {}; it must be a boolean", other.kind())))
        }
    }
}
