//! Sets of keys (RFC 7517 §5), and the choice of a key for a token.

use super::header::Alg;
use super::jwk::{self, Jwk};
use crate::error::{Error, Refusal, Result, quoted};
use crate::json::{Json, parse, repeated};
use crate::key::Key;
use zeroize::Zeroizing;

/// The most keys of a set.
const MOST_KEYS: usize = 1024;

/// The keys of a verifier, in the order of the set. A key of another kind (RSA, `oct`, P-521, Ed448, X25519, …) or for
/// another algorithm holds its place and its `kid`; a token that names it is refused.
#[derive(Clone, Debug)]
pub struct JwkSet {
    entries: Vec<Entry>,
    /// Whether a `kid` means nothing to the verifier.
    unnamed: bool,
}

/// A key of the set, or the reason that it cannot serve.
#[derive(Clone, Debug)]
struct Entry {
    kid: Option<String>,
    jwk: Result<Jwk>,
}

impl Entry {
    fn fits(&self, alg: Alg) -> Option<&Jwk> {
        self.jwk.as_ref().ok().filter(|jwk| jwk.key.algorithm() == alg.algorithm())
    }
}

impl JwkSet {
    /// A set of keys.
    ///
    /// # Errors
    /// [`Refusal::DuplicateMember`]: two keys of one algorithm that serve for verification share a `kid` (RFC 7517
    /// §4.5). [`Refusal::TooLarge`]: more than 1,024 keys. [`Refusal::AlgMismatch`]: `alg` of a key does not fit it.
    pub fn new(keys: Vec<Jwk>) -> Result<Self> {
        for jwk in &keys {
            jwk::alg_fits(jwk.alg.as_deref(), &jwk.key)?;
        }
        let entry = |jwk: Jwk| Entry { kid: jwk.kid.clone(), jwk: Ok(jwk) };
        Self::of(keys.into_iter().map(entry).collect())
    }

    /// Reads a set (`{"keys":[…]}`), or one key as a set of one.
    ///
    /// # Errors
    /// Those of [`JwkSet::new`]; [`Refusal::NotJwk`], [`Refusal::DuplicateMember`], [`Refusal::TooDeep`]: the text or
    /// one of the keys is malformed.
    pub fn read(text: &[u8]) -> Result<Self> {
        let json = Zeroizing::new(parse(text, Refusal::NotJwk)?);
        let keys = match (json.get("keys"), json.get("kty")) {
            (None, _) => std::slice::from_ref(&*json),
            (Some(Json::Array(keys)), None) => keys,
            (Some(_), Some(_)) => {
                return Err(Error::new(
                    Refusal::NotJwk,
                    "`kty` beside `keys`: a key or a set of keys",
                ));
            }
            (Some(other), None) => {
                let detail = format!("`keys` is {}; it must be an array", other.kind());
                return Err(Error::new(Refusal::NotJwk, detail));
            }
        };
        let mut entries = Vec::with_capacity(keys.len());
        for (i, key) in keys.iter().enumerate() {
            let (kid, jwk) = jwk::of_json(key).map_err(|error| {
                Error::new(error.refusal(), format!("key {i}: {}", error.detail()))
            })?;
            entries.push(Entry { kid, jwk });
        }
        Self::of(entries)
    }

    fn of(entries: Vec<Entry>) -> Result<Self> {
        if entries.len() > MOST_KEYS {
            let detail = format!("the set has {} keys; the limit is {MOST_KEYS}", entries.len());
            return Err(Error::new(Refusal::TooLarge, detail));
        }
        let serving = entries.iter().filter_map(|entry| entry.jwk.as_ref().ok());
        let named = serving
            .filter(|jwk| jwk.usable().is_ok())
            .filter_map(|jwk| Some((jwk.kid.as_deref()?, jwk.key.algorithm().name())));
        if let Some((kid, name)) = repeated(named.collect()) {
            let detail = format!("two keys of {name} have the `kid` {}", quoted(kid));
            return Err(Error::new(Refusal::DuplicateMember, detail));
        }
        Ok(JwkSet { entries, unnamed: false })
    }

    /// Keys of a verifier who knows no identifiers: one that a token names means nothing, and the only key that fits
    /// serves.
    ///
    /// # Errors
    /// Those of [`JwkSet::new`].
    pub fn unnamed(keys: Vec<Jwk>) -> Result<Self> {
        Ok(JwkSet { unnamed: true, ..Self::new(keys)? })
    }

    /// The same set; unnamed if no key has a `kid`.
    pub(crate) fn or_unnamed(mut self) -> Self {
        self.unnamed |= self.entries.iter().all(|entry| entry.kid.is_none());
        self
    }

    /// How many keys, those of other kinds included.
    pub const fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The key at an index of the set; `None` if it is of another kind or for another algorithm, and past the end.
    pub fn key(&self, index: usize) -> Option<&Key> {
        self.jwk(index).map(|jwk| &jwk.key)
    }

    /// The JWK at an index of the set, likewise.
    pub fn jwk(&self, index: usize) -> Option<&Jwk> {
        self.entries.get(index)?.jwk.as_ref().ok()
    }

    /// The keys that serve for verification, with their places: not those for other uses.
    pub(crate) fn serving(&self) -> impl Iterator<Item = (usize, &Jwk)> {
        let keys = (0..self.len()).filter_map(|i| Some((i, self.jwk(i)?)));
        keys.filter(|(_, jwk)| jwk.usable().is_ok())
    }

    /// The text of the set, without the keys of other kinds.
    ///
    /// # Errors
    /// [`Refusal::NotJwk`]: the bytes of a key are no point of their curve.
    pub fn to_json(&self) -> Result<String> {
        let serving = self.entries.iter().filter_map(|entry| entry.jwk.as_ref().ok());
        let keys: Vec<String> = serving.map(Jwk::to_json).collect::<Result<_>>()?;
        Ok(format!("{{\"keys\":[{}]}}", keys.join(",")))
    }

    /// The index of the key for a token: by `kid` if it names one, else the only key that fits.
    pub(super) fn choose(&self, alg: Alg, kid: Option<&str>) -> Result<usize> {
        let kid = kid.filter(|_| !self.unnamed);
        let named = || {
            let entries = self.entries.iter().enumerate();
            entries.filter(move |(_, entry)| kid.is_none() || entry.kid.as_deref() == kid)
        };
        let Some((_, first)) = named().next() else {
            let detail = match kid {
                Some(kid) => format!("no key has the `kid` {}", quoted(kid)),
                None => "the verifier has no keys".to_owned(),
            };
            return Err(Error::new(Refusal::KidUnknown, detail));
        };
        let fitting = || named().filter_map(|(i, entry)| entry.fits(alg).map(|jwk| (i, jwk)));
        let mut usable = fitting().filter(|(_, jwk)| jwk.usable().is_ok());
        match (usable.next(), usable.next()) {
            (Some((index, _)), None) => return Ok(index),
            (Some(_), Some(_)) => {
                let why = match self.unnamed {
                    true => "the keys of the verifier have no names",
                    false => "the header has no `kid`",
                };
                let detail = format!("{why}, and several keys fit {}", alg.name());
                return Err(Error::new(Refusal::KidMissing, detail));
            }
            (None, _) => {}
        }
        if let Some((_, jwk)) = fitting().next() {
            jwk.usable()?;
        }
        let detail = match (kid, &first.jwk) {
            (None, _) => format!("`alg` is {}; no key of the verifier fits it", alg.name()),
            (Some(kid), Ok(jwk)) => {
                let (name, kid) = (jwk.key.algorithm().name(), quoted(kid));
                format!("`alg` is {}; the key {kid} is one of {name}", alg.name())
            }
            (Some(kid), Err(error)) => {
                format!("`alg` is {}; `kid` is {}: {}", alg.name(), quoted(kid), error.detail())
            }
        };
        Err(Error::new(Refusal::AlgMismatch, detail))
    }
}
