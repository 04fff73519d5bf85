//! Parts of tokens and members of objects, for every reader here.

use crate::error::{Error, Refusal, Result, quoted};
use crate::json::{Json, repeated};
use data_encoding::BASE64URL_NOPAD;

/// Decodes base64url without padding, strictly. The name is that of the part, for messages.
pub(super) fn decode(text: &[u8], name: &str, not: Refusal) -> Result<Vec<u8>> {
    BASE64URL_NOPAD.decode(text).map_err(|error| {
        Error::new(not, format!("{name} is not base64url without padding: {error}"))
    })
}

/// A member that is a string where it is there.
pub(super) fn text_of<'j>(object: &'j Json, name: &str, not: Refusal) -> Result<Option<&'j str>> {
    match object.get(name) {
        None => Ok(None),
        Some(Json::Text(text)) => Ok(Some(text)),
        Some(other) => Err(Error::new(
            not,
            format!("{} is {}; it must be a string", quoted(name), other.kind()),
        )),
    }
}

/// A member that is an array of strings, none of them twice, where it is there.
pub(super) fn texts_of<'j>(
    object: &'j Json,
    name: &str,
    not: Refusal,
) -> Result<Option<Vec<&'j str>>> {
    let values = match object.get(name) {
        None => return Ok(None),
        Some(Json::Array(values)) => values,
        Some(other) => {
            let detail = format!("`{name}` is {}; it must be an array of strings", other.kind());
            return Err(Error::new(not, detail));
        }
    };
    let mut texts = Vec::with_capacity(values.len());
    for value in values {
        let Json::Text(text) = value else {
            let detail = format!("`{name}` holds {}; it must be an array of strings", value.kind());
            return Err(Error::new(not, detail));
        };
        texts.push(text.as_str());
    }
    if let Some(twice) = repeated(texts.clone()) {
        let detail = format!("`{name}` has {} twice", quoted(twice));
        return Err(Error::new(Refusal::DuplicateMember, detail));
    }
    Ok(Some(texts))
}
