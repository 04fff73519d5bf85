//! The verifier's keys, prepared once for columns of messages.

use super::header::{Protected, kid_text};
use super::key::{PublicKey, public_keys};
use super::sign1::Sign1;
use crate::error::{Error, Refusal, Result};
use crate::key::Key;
use crate::signed::Signed;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// The most protected headers that are remembered; then they are forgotten and collected again.
const MOST_HEADERS: usize = 1024;

/// The longest protected header that is remembered, in bytes.
const LONGEST_HEADER: usize = 1024;

/// Protected headers by their bytes, and what reading them gave.
type Headers = HashMap<Box<[u8]>, Result<Arc<Protected>>>;

/// The verifier's keys. Envelopes of one signer share their protected header, which is read once and remembered: at most
/// 1,024 of at most 1 KiB.
#[derive(Debug, Default)]
pub struct Keys {
    keys: Vec<PublicKey>,
    named: HashMap<Vec<u8>, usize>,
    /// Whether a `kid` means nothing to the verifier.
    unnamed: bool,
    headers: RwLock<Headers>,
}

impl Clone for Keys {
    fn clone(&self) -> Self {
        let (keys, named) = (self.keys.clone(), self.named.clone());
        Keys { keys, named, unnamed: self.unnamed, headers: RwLock::default() }
    }
}

impl Keys {
    /// These keys. Each identifier names one.
    ///
    /// # Errors
    /// [`Refusal::DuplicateMember`]: an identifier twice.
    pub fn new(keys: Vec<PublicKey>) -> Result<Self> {
        let mut named = HashMap::with_capacity(keys.len());
        for (i, key) in keys.iter().enumerate() {
            let Some(kid) = &key.kid else { continue };
            if named.insert(kid.clone(), i).is_some() {
                let detail = format!("two keys have the identifier {}", kid_text(kid));
                return Err(Error::new(Refusal::DuplicateMember, detail));
            }
        }
        Ok(Keys { keys, named, unnamed: false, headers: RwLock::default() })
    }

    /// Keys of a verifier who knows no identifiers: one that a message names means nothing, and the only key that fits
    /// serves.
    pub fn unnamed(keys: Vec<Key>) -> Self {
        let keys = keys.into_iter().map(|key| PublicKey { kid: None, key }).collect();
        Keys { keys, unnamed: true, ..Keys::default() }
    }

    /// Reads a COSE_KeySet or a COSE_Key.
    ///
    /// # Errors
    /// Those of [`public_keys`] and [`Keys::new`].
    pub fn read(bytes: &[u8]) -> Result<Self> {
        Keys::new(public_keys(bytes)?)
    }

    /// The keys, in order.
    pub fn keys(&self) -> &[PublicKey] {
        &self.keys
    }

    /// The key for a message: the one that `kid` names, which `alg` must fit; without a `kid` the only one that `alg`
    /// fits.
    ///
    /// # Errors
    /// [`Refusal::KidUnknown`]: no key has that identifier. [`Refusal::KidMissing`]: no key is named, and several fit.
    /// [`Refusal::AlgMismatch`]: no key fits.
    pub fn choose(&self, sign1: &Sign1) -> Result<&Key> {
        self.chosen(sign1).map(|(_, key)| key)
    }

    /// That key with its place.
    fn chosen(&self, sign1: &Sign1) -> Result<(usize, &Key)> {
        let alg = sign1.header.alg;
        let keys = self.keys.iter().map(|key| &key.key).enumerate();
        if let Some(kid) = sign1.kid().filter(|_| !self.unnamed) {
            let named = self.named.get(kid).and_then(|place| keys.clone().nth(*place));
            let (place, key) = named.ok_or_else(|| {
                let detail = format!("`kid` is {}, which no key has", kid_text(kid));
                Error::new(Refusal::KidUnknown, detail)
            })?;
            alg.check(key.algorithm())?;
            return Ok((place, key));
        }
        let mut fitting = keys.filter(|(_, key)| alg.fits(key.algorithm()));
        match (fitting.next(), fitting.count()) {
            (Some(only), 0) => Ok(only),
            (Some(_), more) => {
                let (name, all) = (alg.name, more + 1);
                let why = match self.unnamed {
                    true => "the keys of the verifier have no identifiers",
                    false => "no `kid`",
                };
                let detail = format!("{why}, and {all} keys fit {name}");
                Err(Error::new(Refusal::KidMissing, detail))
            }
            (None, _) => {
                let detail = format!("`alg` is {}, and no key fits it", alg.name);
                Err(Error::new(Refusal::AlgMismatch, detail))
            }
        }
    }

    /// Reads a message and chooses its key; else as [`Sign1::signed`].
    ///
    /// # Errors
    /// Those of [`Sign1::read`], [`Keys::choose`] and [`Sign1::signed`].
    pub fn signed(
        &self,
        bytes: &[u8],
        payload: Option<&[u8]>,
        external_aad: &[u8],
    ) -> Result<(&Key, Signed<'static>)> {
        self.read_row(bytes, payload, external_aad).map(|(_, key, signed)| (key, signed))
    }

    /// The same with the place of the key.
    pub(crate) fn read_row(
        &self,
        bytes: &[u8],
        payload: Option<&[u8]>,
        external_aad: &[u8],
    ) -> Result<(usize, &Key, Signed<'static>)> {
        let sign1 = Sign1::read_with(bytes, |protected| self.header(protected))?;
        let (place, key) = self.chosen(&sign1)?;
        let scheme = sign1.header.alg.scheme(key)?;
        let message = Cow::Owned(sign1.message(payload, external_aad)?);
        Ok((place, key, Signed { scheme, message, signature: Cow::Owned(sign1.signature) }))
    }

    fn header(&self, bytes: &[u8]) -> Result<Arc<Protected>> {
        let known = self.headers.read().unwrap_or_else(PoisonError::into_inner).get(bytes).cloned();
        if let Some(outcome) = known {
            return outcome;
        }
        let outcome = Protected::read(bytes).map(Arc::new);
        if bytes.len() <= LONGEST_HEADER {
            let mut headers = self.headers.write().unwrap_or_else(PoisonError::into_inner);
            if headers.len() >= MOST_HEADERS {
                headers.clear();
            }
            headers.insert(bytes.into(), outcome.clone());
        }
        outcome
    }
}
