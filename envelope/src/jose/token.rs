//! A signature of JOSE that was read.

use super::header;
use super::members::decode;
use crate::error::{Refusal, Result};
use crate::json::{Json, parse};
use crate::signed::Signed;
use std::borrow::Cow;

/// A signature with its payload and the key of the verifier that it is for.
#[derive(Clone, Debug)]
pub struct Token<'t> {
    /// The index of the key in the set.
    pub key: usize,
    /// The signature, for the key to verify.
    pub signed: Signed<'t>,
    /// As it stands in the message: in base64url, unless `b64` is false.
    pub(super) payload: Cow<'t, [u8]>,
    pub(super) encoded: bool,
}

impl Token<'_> {
    /// The bytes of the payload. They count for nothing before the signature is valid.
    ///
    /// # Errors
    /// [`Refusal::NotJws`]: the payload is not in base64url. Reading has ruled it out.
    pub fn payload(&self) -> Result<Cow<'_, [u8]>> {
        if !self.encoded {
            return Ok(Cow::Borrowed(&self.payload));
        }
        decode(&self.payload, "the payload", Refusal::NotJws).map(Cow::Owned)
    }

    /// Members of the payload, which is an object of JSON: of each name the text of a string, the JSON of another
    /// value, or `None`. Times are not checked.
    ///
    /// # Errors
    /// [`Refusal::NotJws`], [`Refusal::DuplicateMember`], [`Refusal::TooDeep`]: the payload is no such object.
    pub fn claims(&self, names: &[&str]) -> Result<Vec<Option<String>>> {
        let json = parse(&self.payload()?, Refusal::NotJws)?;
        header::object(&json, "the payload")?;
        Ok(members(&json, names))
    }

    /// Members of the protected header, such as `typ`, likewise.
    ///
    /// # Errors
    /// [`Refusal::NotJws`]: the header is malformed. Reading has ruled it out.
    pub fn header(&self, names: &[&str]) -> Result<Vec<Option<String>>> {
        let text = self.signed.message.split(|&b| b == b'.').next().unwrap_or_default();
        if text.is_empty() {
            return Ok(vec![None; names.len()]);
        }
        Ok(members(&header::protected(text)?, names))
    }
}

fn members(json: &Json, names: &[&str]) -> Vec<Option<String>> {
    let text = |name: &&str| match json.get(name)? {
        Json::Text(text) => Some(text.clone()),
        other => Some(other.to_string()),
    };
    names.iter().map(text).collect()
}
