//! One JSON Web Key: RFC 7517, RFC 7518 §6.2 (EC), RFC 8037 §2 (OKP), RFC 7638 (thumbprint).

use super::header::Alg;
use super::members::{decode, text_of, texts_of};
use crate::error::{Error, Refusal, Result, quoted};
use crate::json::{Json, parse, string};
use crate::key::{Key, width};
use crate::secret::SecretKey;
use base64ct::{Base64UrlUnpadded, Encoding as _};
use data_encoding::BASE64URL_NOPAD;
use sha2::{Digest, Sha256};
use sigmill::bulk::Algorithm;
use sigmill::ecdsa::Curve;
use zeroize::{Zeroize, Zeroizing};

/// A public key with what its JWK says of its use.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Jwk {
    /// The key.
    pub key: Key,
    /// `kid`: the name by which tokens choose the key.
    pub kid: Option<String>,
    /// `alg`: an algorithm that fits the key. `EdDSA` and `Ed25519` are one.
    pub alg: Option<String>,
    /// `use`: a key for anything but `sig` is refused when it is chosen.
    pub usage: Option<String>,
    /// `key_ops`: a key without `verify` among them is refused when it is chosen.
    pub key_ops: Option<Vec<String>>,
}

impl Jwk {
    /// A key without a name.
    pub const fn new(key: Key) -> Self {
        Jwk { key, kid: None, alg: None, usage: None, key_ops: None }
    }

    /// Reads a JWK. Of a private key only the public part is kept.
    ///
    /// # Errors
    /// [`Refusal::NotJwk`], [`Refusal::DuplicateMember`], [`Refusal::TooDeep`]: it is malformed.
    /// [`Refusal::AlgUnknown`]: a key of another kind. [`Refusal::AlgMismatch`]: `alg` does not fit the key.
    pub fn read(text: &[u8]) -> Result<Self> {
        let json = Zeroizing::new(parse(text, Refusal::NotJwk)?);
        let (_, jwk) = of_json(&json)?;
        jwk
    }

    /// The text, with its members in lexicographic order and no whitespace.
    ///
    /// # Errors
    /// [`Refusal::NotJwk`]: the bytes of the key are no point of their curve.
    pub fn to_json(&self) -> Result<String> {
        let mut members = public_members(&self.key)?;
        let texts = [("kid", &self.kid), ("alg", &self.alg), ("use", &self.usage)];
        for (name, text) in texts {
            members.extend(text.as_deref().map(|text| (name, string(text))));
        }
        if let Some(ops) = &self.key_ops {
            let ops: Vec<String> = ops.iter().map(|op| string(op)).collect();
            members.push(("key_ops", format!("[{}]", ops.join(","))));
        }
        Ok(object(members))
    }

    /// The thumbprint of RFC 7638 with SHA-256, in base64url.
    ///
    /// # Errors
    /// [`Refusal::NotJwk`]: the bytes of the key are no point of their curve.
    pub fn thumbprint(&self) -> Result<String> {
        let text = object(public_members(&self.key)?);
        Ok(BASE64URL_NOPAD.encode(&Sha256::digest(text.as_bytes())))
    }

    /// Whether the key serves for verification.
    pub(super) fn usable(&self) -> Result<()> {
        usable(self.usage.as_deref(), self.key_ops.as_deref(), "verify")
    }
}

/// Whether a key serves for an operation, by its `use` and `key_ops`.
fn usable<T: AsRef<str>>(usage: Option<&str>, ops: Option<&[T]>, op: &str) -> Result<()> {
    if let Some(usage) = usage.filter(|usage| *usage != "sig") {
        let detail = format!("`use` of the key is {}; it must be `sig`", quoted(usage));
        return Err(Error::new(Refusal::KeyUse, detail));
    }
    if ops.is_some_and(|ops| !ops.iter().any(|of| of.as_ref() == op)) {
        return Err(Error::new(Refusal::KeyUse, format!("`key_ops` of the key lacks `{op}`")));
    }
    Ok(())
}

/// Whether `alg` of a key, if it has one, is an algorithm of the key.
pub(super) fn alg_fits(alg: Option<&str>, key: &Key) -> Result<()> {
    let name = key.algorithm().name();
    match alg {
        Some(alg) if Alg::named(alg).map(Alg::algorithm) != Some(key.algorithm()) => {
            let detail = format!("`alg` of the key is {}; the key is one of {name}", quoted(alg));
            Err(Error::new(Refusal::AlgMismatch, detail))
        }
        _ => Ok(()),
    }
}

/// Reads `kid` and the key. The inner error is of a key that is well-formed and cannot serve: of another kind, or for
/// another algorithm.
pub(super) fn of_json(json: &Json) -> Result<(Option<String>, Result<Jwk>)> {
    let not = Refusal::NotJwk;
    if !matches!(json, Json::Object(_)) {
        return Err(Error::new(not, format!("a key is an object; got {}", json.kind())));
    }
    let kid = text_of(json, "kid", not)?.map(str::to_owned);
    let alg = text_of(json, "alg", not)?;
    let usage = text_of(json, "use", not)?;
    let key_ops = texts_of(json, "key_ops", not)?;
    let key = match public_of(json)? {
        Ok(key) => key,
        Err(other) => return Ok((kid, Err(other))),
    };
    if let Err(error) = alg_fits(alg, &key) {
        return Ok((kid, Err(error)));
    }
    let jwk = Jwk {
        key,
        kid: kid.clone(),
        alg: alg.map(str::to_owned),
        usage: usage.map(str::to_owned),
        key_ops: key_ops.map(|ops| ops.into_iter().map(str::to_owned).collect()),
    };
    Ok((kid, Ok(jwk)))
}

/// Reads the public key; the inner error is of a key of another kind.
fn public_of(json: &Json) -> Result<Result<Key>> {
    let not = Refusal::NotJwk;
    let needed = |name: &str| {
        text_of(json, name, not)?.ok_or_else(|| Error::new(not, format!("a key without `{name}`")))
    };
    let kty = needed("kty")?;
    let other = |kind: String| {
        let detail = format!("the key is one of {kind}; Ed25519, P-256 and P-384 are read");
        Ok(Err(Error::new(Refusal::AlgUnknown, detail)))
    };
    if !matches!(kty, "OKP" | "EC") {
        return other(quoted(kty));
    }
    let crv = needed("crv")?;
    let coordinate = |name: &str, width: usize| {
        let bytes = decode(needed(name)?.as_bytes(), name, not)?;
        if bytes.len() != width {
            let len = bytes.len();
            let detail = format!("`{name}` is {len} bytes; a key of {crv} has {width}");
            return Err(Error::new(not, detail));
        }
        Ok(bytes)
    };
    let curve = match (kty, crv) {
        ("OKP", "Ed25519") => return Key::new(Algorithm::Ed25519, &coordinate("x", 32)?).map(Ok),
        ("EC", "P-256") => Curve::P256,
        ("EC", "P-384") => Curve::P384,
        _ => return other(format!("{kty} on {}", quoted(crv))),
    };
    let w = width(curve);
    Key::of_coordinates(curve, &coordinate("x", w)?, &coordinate("y", w)?).map(Ok)
}

/// Reads a private JWK: the key that signs, and its JWK without `d`. The caller wipes the text.
///
/// # Errors
/// Those of [`Jwk::read`]; [`Refusal::NotJwk`]: there is no `d`, it is malformed or out of range, or `x` and `y` do not
/// belong to it. [`Refusal::KeyUse`]: `use` is not `sig`, or `key_ops` lacks `sign`.
pub fn read_private(text: &[u8]) -> Result<(SecretKey, Jwk)> {
    let not = Refusal::NotJwk;
    let json = Zeroizing::new(parse(text, not)?);
    let jwk = of_json(&json)?.1?;
    usable(jwk.usage.as_deref(), jwk.key_ops.as_deref(), "sign")?;
    let Some(d) = text_of(&json, "d", not)? else {
        return Err(Error::new(not, "the key has no `d`: it is a public key"));
    };
    let algorithm = jwk.key.algorithm();
    let wanted = algorithm.curve().map_or(32, width);
    let mut buffer = Zeroizing::new([0; 48]);
    let bytes = Base64UrlUnpadded::decode(d, buffer.as_mut_slice())
        .ok()
        .filter(|bytes| bytes.len() == wanted)
        .ok_or_else(|| {
            let name = algorithm.name();
            Error::new(not, format!("`d` of a key of {name} is {wanted} bytes in base64url"))
        })?;
    let secret = SecretKey::new(algorithm, bytes)
        .map_err(|error| Error::new(not, format!("`d`: {}", error.detail())))?;
    if secret.public_key() != jwk.key {
        return Err(Error::new(not, "`x` (and `y`) belong to another key than `d`"));
    }
    Ok((secret, jwk))
}

/// The text of a private JWK, with its members in lexicographic order and no whitespace.
///
/// # Errors
/// None for keys that there are.
pub fn private_to_json(secret: &SecretKey, kid: Option<&str>) -> Result<Zeroizing<String>> {
    let mut buffer = Zeroizing::new([0; 64]);
    let bytes = secret.to_bytes();
    let d = Base64UrlUnpadded::encode(&bytes, buffer.as_mut_slice())
        .map_err(|_| Error::new(Refusal::NotJwk, "`d` is longer than 48 bytes"))?;
    let mut members = public_members(&secret.public_key())?;
    members.extend(kid.map(|kid| ("kid", string(kid))));
    let mut quoted_d = Zeroizing::new(String::with_capacity(d.len() + 2));
    for part in ["\"", d, "\""] {
        quoted_d.push_str(part);
    }
    members.push(("d", std::mem::take(&mut *quoted_d)));
    Ok(Zeroizing::new(object(members)))
}

/// The members that make a public key (RFC 7638 §3.2), as text of JSON.
fn public_members(key: &Key) -> Result<Vec<(&'static str, String)>> {
    let encoded = |bytes: &[u8]| string(&BASE64URL_NOPAD.encode(bytes));
    let Some(curve) = key.algorithm().curve() else {
        return Ok(vec![
            ("crv", string("Ed25519")),
            ("kty", string("OKP")),
            ("x", encoded(key.bytes())),
        ]);
    };
    let Some((x, y)) = key.coordinates() else {
        let detail = format!("the bytes of the key are no point on {}", curve.name());
        return Err(Error::new(Refusal::NotJwk, detail));
    };
    Ok(vec![
        ("crv", string(if curve == Curve::P256 { "P-256" } else { "P-384" })),
        ("kty", string("EC")),
        ("x", encoded(&x)),
        ("y", encoded(&y)),
    ])
}

/// An object in the order of its names. The text is reserved once and the values are wiped, as one may be secret.
fn object(mut members: Vec<(&'static str, String)>) -> String {
    members.sort_unstable_by_key(|(name, _)| *name);
    let len: usize = members.iter().map(|(name, value)| name.len() + value.len() + 4).sum();
    let mut text = String::with_capacity(len + 2);
    text.push('{');
    for (i, (name, value)) in members.iter_mut().enumerate() {
        for part in [if i == 0 { "\"" } else { ",\"" }, name, "\":", value] {
            text.push_str(part);
        }
        value.zeroize();
    }
    text.push('}');
    text
}
