//! COSE_Key and COSE_KeySet (RFC 9052 section 7, RFC 9053 section 7).

use super::cbor::{
    Wiped, entries, kind, label_text, not_cose, read, registered, write as write_value,
};
use super::header::{Alg, read_kid};
use crate::error::{Error, Refusal, Result};
use crate::key::{Key, width};
use crate::secret::SecretKey;
use coset::cbor::Value;
use coset::{Label, iana};
use sigmill::bulk::Algorithm;
use sigmill::ecdsa::Curve;
use zeroize::Zeroizing;

const KTY: i64 = 1;
const KID: i64 = 2;
const ALG: i64 = 3;
const KEY_OPS: i64 = 4;
const CRV: i64 = -1;
const X: i64 = -2;
const Y: i64 = -3;
const D: i64 = -4;

const OKP: i64 = 1;
const EC2: i64 = 2;

/// The key types and curves that are read: `kty`, `crv`.
const TYPES: [(Algorithm, i64, i64); 3] =
    [(Algorithm::Ed25519, OKP, 6), (Algorithm::P256, EC2, 1), (Algorithm::P384, EC2, 2)];

/// The operations of `key_ops` (RFC 9052 section 7.1).
const SIGN: (i64, &str) = (1, "sign");
const VERIFY: (i64, &str) = (2, "verify");

/// A public key with its identifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicKey {
    /// The identifier (label 2).
    pub kid: Option<Vec<u8>>,
    /// The key.
    pub key: Key,
}

impl PublicKey {
    /// Writes the COSE_Key: `kty`, `kid`, `alg`, `crv` and the coordinates, of ECDSA both as byte strings.
    ///
    /// # Errors
    /// [`Refusal::NotCose`]: the bytes of a key of ECDSA are no point, so that it has no coordinates.
    pub fn write(&self) -> Result<Vec<u8>> {
        let map = Wiped(public_map(self.kid.as_deref(), &self.key)?);
        Ok(write_value(&map)?.to_vec())
    }
}

/// Reads a COSE_Key for verification. Whether its bytes are a point is a verdict.
///
/// # Errors
/// [`Refusal::NotCose`], [`Refusal::TooDeep`], [`Refusal::TooLarge`]: other bytes. [`Refusal::AlgUnknown`]: another
/// `kty`, `crv` or `alg`. [`Refusal::AlgMismatch`]: `alg` or a length does not fit the type. [`Refusal::KeyUse`]:
/// `key_ops` without verify (2), or a private key. [`Refusal::DuplicateMember`]: a label twice.
pub fn public_key(bytes: &[u8]) -> Result<PublicKey> {
    of_value(&mut read("the key", bytes)?.0)
}

/// Reads a COSE_KeySet, or one COSE_Key. Keys of other types, algorithms and uses are left out, as RFC 9052 section 7
/// has it; a private key is refused.
///
/// # Errors
/// Those of [`public_key`]; the first of them if no key is left.
pub fn public_keys(bytes: &[u8]) -> Result<Vec<PublicKey>> {
    let mut value = read("the keys", bytes)?;
    let Value::Array(items) = &mut value.0 else {
        return Ok(vec![of_value(&mut value.0)?]);
    };
    let (mut keys, mut first) = (Vec::new(), None);
    for item in items {
        match of_value(item) {
            Ok(key) => keys.push(key),
            Err(error) if is_other(&error) => first = first.or(Some(error)),
            Err(error) => return Err(error),
        }
    }
    if keys.is_empty() {
        return Err(first.unwrap_or_else(|| not_cose("the set of keys is empty")));
    }
    Ok(keys)
}

/// Whether a key of a set is left out: it is for something else. Private keys are not.
fn is_other(error: &Error) -> bool {
    match error.refusal() {
        Refusal::AlgUnknown => true,
        Refusal::KeyUse => error.detail() != PRIVATE,
        _ => false,
    }
}

const PRIVATE: &str = "the key is a private one (label -4); a public key was expected";

fn of_value(value: &mut Value) -> Result<PublicKey> {
    let map = Map::read(value, VERIFY)?;
    if map.get(D).is_some() {
        return Err(Error::new(Refusal::KeyUse, PRIVATE));
    }
    let key = map.public()?.ok_or_else(|| not_cose("the key has no `x` (label -2)"))?;
    Ok(PublicKey { kid: map.kid()?, key })
}

/// Reads a COSE_Key that signs, with its identifier. A public part beside `d` must belong to it; it may be absent.
///
/// # Errors
/// Those of [`public_key`]; [`Refusal::KeyUse`] also if there is no `d`, or `key_ops` without sign (1);
/// [`Refusal::NotCose`] if the public part belongs to another key.
pub fn secret_key(bytes: &[u8]) -> Result<(Option<Vec<u8>>, SecretKey)> {
    let mut value = read("the key", bytes)?;
    let map = Map::read(&mut value.0, SIGN)?;
    let d = match map.get(D) {
        Some(Value::Bytes(d)) => d,
        Some(other) => {
            return Err(not_cose(format!("`d` is {}; a byte string was expected", kind(other))));
        }
        None => return Err(Error::new(Refusal::KeyUse, "the key has no `d` (label -4)")),
    };
    let secret = SecretKey::new(map.algorithm, d)?;
    if let Some(public) = map.public()? {
        let own = secret.public_key();
        let same = own.bytes() == public.bytes()
            || own.coordinates().is_some_and(|own| Some(own) == public.coordinates());
        if !same {
            return Err(not_cose("the public part of the key does not belong to its `d`"));
        }
    }
    Ok((map.kid()?, secret))
}

/// Writes a COSE_Key that signs, with its public part.
///
/// # Errors
/// None that a key of these types meets.
pub fn write_secret_key(kid: Option<&[u8]>, key: &SecretKey) -> Result<Zeroizing<Vec<u8>>> {
    let mut map = Wiped(public_map(kid, &key.public_key())?);
    if let Value::Map(entries) = &mut map.0 {
        // the copy inside is wiped with the map
        entries.push((Value::from(D), Value::Bytes(key.to_bytes().to_vec())));
    }
    write_value(&map)
}

fn public_map(kid: Option<&[u8]>, key: &Key) -> Result<Value> {
    let alg = Alg::of(key.algorithm())?;
    let (_, kty, crv) = TYPES
        .into_iter()
        .find(|(algorithm, ..)| *algorithm == key.algorithm())
        .ok_or_else(|| not_cose("COSE has no type for this key"))?;
    let mut map = vec![(Value::from(KTY), Value::from(kty))];
    if let Some(kid) = kid {
        map.push((Value::from(KID), Value::Bytes(kid.to_vec())));
    }
    map.push((Value::from(ALG), Value::from(alg.number)));
    map.push((Value::from(CRV), Value::from(crv)));
    if kty == OKP {
        map.push((Value::from(X), Value::Bytes(key.bytes().to_vec())));
    } else {
        let (x, y) = key
            .coordinates()
            .ok_or_else(|| not_cose("the key is no point, so that it has no coordinates"))?;
        map.push((Value::from(X), Value::Bytes(x)));
        map.push((Value::from(Y), Value::Bytes(y)));
    }
    Ok(Value::Map(map))
}

/// The parameters of a key of a known type that serves for an operation.
struct Map {
    entries: Vec<(Label, Wiped)>,
    algorithm: Algorithm,
}

impl Map {
    fn read(value: &mut Value, operation: (i64, &'static str)) -> Result<Self> {
        let mut map = Map { entries: entries("the key", value)?, algorithm: Algorithm::Ed25519 };
        map.algorithm = map.algorithm_of_type()?;
        if let Some(alg) = map.get(ALG) {
            Alg::read(alg)?.check(map.algorithm)?;
        }
        map.check_operations(operation)?;
        Ok(map)
    }

    fn get(&self, label: i64) -> Option<&Value> {
        let wanted = Label::Int(label);
        self.entries.iter().find(|(label, _)| *label == wanted).map(|(_, value)| &value.0)
    }

    fn algorithm_of_type(&self) -> Result<Algorithm> {
        let kty = self.get(KTY).ok_or_else(|| not_cose("the key has no `kty` (label 1)"))?;
        let refused = |name: String| {
            let detail =
                format!("{name}; OKP with Ed25519 and EC2 with P-256 or P-384 are supported");
            Error::new(Refusal::AlgUnknown, detail)
        };
        if ![OKP, EC2].map(Value::from).contains(kty) {
            return Err(refused(format!("`kty` is {}", registered::<iana::KeyType>(kty))));
        }
        let crv = self.get(CRV).ok_or_else(|| not_cose("the key has no `crv` (label -1)"))?;
        TYPES
            .into_iter()
            .find(|(_, type_, curve)| *kty == Value::from(*type_) && *crv == Value::from(*curve))
            .map(|(algorithm, ..)| algorithm)
            .ok_or_else(|| {
                let (kty, crv) =
                    (registered::<iana::KeyType>(kty), registered::<iana::EllipticCurve>(crv));
                refused(format!("`kty` is {kty} and `crv` is {crv}"))
            })
    }

    fn check_operations(&self, (number, name): (i64, &str)) -> Result<()> {
        let operations = match self.get(KEY_OPS) {
            None => return Ok(()),
            Some(Value::Array(operations)) if !operations.is_empty() => operations,
            Some(Value::Array(_)) => {
                return Err(not_cose("`key_ops` (label 4) is an empty array"));
            }
            Some(other) => return Err(not_cose(format!("`key_ops` (label 4) is {}", kind(other)))),
        };
        // RFC 9052 section 7.1 registers the operations by number; a text may name one as well
        let allows = |value: &Value| match value {
            Value::Text(text) => text == name,
            value => *value == Value::from(number),
        };
        if operations.iter().any(allows) {
            return Ok(());
        }
        let detail = format!("`key_ops` (label 4) does not list {name} ({number})");
        Err(Error::new(Refusal::KeyUse, detail))
    }

    fn kid(&self) -> Result<Option<Vec<u8>>> {
        self.get(KID).map(read_kid).transpose()
    }

    fn bytes(&self, label: i64) -> Result<Option<&[u8]>> {
        match self.get(label) {
            None => Ok(None),
            Some(Value::Bytes(bytes)) => Ok(Some(bytes)),
            Some(other) => {
                let (label, kind) = (label_text(&Label::Int(label)), kind(other));
                Err(not_cose(format!("label {label} is {kind}; a byte string was expected")))
            }
        }
    }

    /// The public key, if it has an `x`.
    fn public(&self) -> Result<Option<Key>> {
        let Some(x) = self.bytes(X)? else { return Ok(None) };
        match self.algorithm.curve() {
            None => Key::new(self.algorithm, x).map(Some),
            Some(curve) => self.point(curve, x).map(Some),
        }
    }

    /// y is a coordinate, or the lowest bit of it (RFC 9053 section 7.1.1).
    fn point(&self, curve: Curve, x: &[u8]) -> Result<Key> {
        let Some(Value::Bool(odd)) = self.get(Y) else {
            let y = self.bytes(Y)?.ok_or_else(|| not_cose("the key has no `y` (label -3)"))?;
            return Key::of_coordinates(curve, x, y);
        };
        if x.len() != width(curve) {
            let (on, w, len) = (curve.name(), width(curve), x.len());
            let detail = format!("x of a point on {on} has {w} bytes; got {len}");
            return Err(Error::new(Refusal::AlgMismatch, detail));
        }
        let first = if *odd { 3 } else { 2 };
        Key::new(self.algorithm, &[&[first], x].concat())
    }
}
