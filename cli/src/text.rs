//! Bytes written as text: hexadecimal, base64, or the text itself.
//!
//! Public data only: time depends on the text.

use clap::ValueEnum;
use data_encoding::{
    BASE64, BASE64URL_NOPAD, DecodeError, DecodeKind, Encoding as Base, HEXLOWER_PERMISSIVE,
};

/// How a text cell stands for bytes. A column of a binary type is always its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Encoding {
    /// Hexadecimal digits of either case
    Hex,
    /// Base64 with padding (RFC 4648 section 4), or base64url without (section 5)
    Base64,
    /// The bytes of the text itself (UTF-8)
    Raw,
}

impl Encoding {
    /// The bytes that a text stands for.
    pub(crate) fn decode(self, text: &[u8]) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        self.decode_into(text, &mut bytes)?;
        Ok(bytes)
    }

    /// Appends the bytes that a text stands for; appends nothing on an error.
    pub(crate) fn decode_into(self, text: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
        match self {
            Encoding::Raw => {
                out.extend_from_slice(text);
                Ok(())
            }
            Encoding::Hex => append(&HEXLOWER_PERMISSIVE, "hexadecimal", text, out),
            Encoding::Base64 => {
                let url =
                    text.iter().any(|c| matches!(c, b'-' | b'_')) || !text.len().is_multiple_of(4);
                let base = if url { &BASE64URL_NOPAD } else { &BASE64 };
                append(base, "base64", text, out)
            }
        }
    }
}

fn append(base: &Base, what: &str, text: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
    let before = out.len();
    let most = base.decode_len(text.len()).map_err(|error| say(what, text, error))?;
    out.resize(before + most, 0);
    match base.decode_mut(text, &mut out[before..]) {
        Ok(len) => {
            out.truncate(before + len);
            Ok(())
        }
        Err(partial) => {
            out.truncate(before);
            Err(say(what, text, partial.error))
        }
    }
}

fn say(what: &str, text: &[u8], error: DecodeError) -> String {
    let at = error.position;
    match error.kind {
        DecodeKind::Symbol => {
            let rest = text.get(at..).unwrap_or_default();
            let character = String::from_utf8_lossy(rest).chars().next().unwrap_or('?');
            format!("not {what}: `{}` at position {at}", character.escape_default())
        }
        DecodeKind::Length => format!("not {what}: cut off at position {at}"),
        DecodeKind::Trailing | DecodeKind::Padding => {
            format!("not {what}: wrong end at position {at}")
        }
    }
}
