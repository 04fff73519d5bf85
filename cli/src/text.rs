//! Bytes written as text: hexadecimal, base64, or the text itself.
//!
//! Public data only: time depends on the text. Reach: nothing.

use clap::ValueEnum;
use data_encoding::{BASE64, BASE64URL_NOPAD, DecodeError, DecodeKind, HEXLOWER_PERMISSIVE};

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
        match self {
            Encoding::Raw => Ok(text.to_vec()),
            Encoding::Hex => HEXLOWER_PERMISSIVE.decode(text).map_err(|e| say("hexadecimal", text, e)),
            Encoding::Base64 => {
                let url = text.iter().any(|c| matches!(c, b'-' | b'_')) || text.len() % 4 != 0;
                let base = if url { BASE64URL_NOPAD } else { BASE64 };
                base.decode(text).map_err(|e| say("base64", text, e))
            }
        }
    }
}

fn say(what: &str, text: &[u8], error: DecodeError) -> String {
    let at = error.position;
    match error.kind {
        DecodeKind::Symbol => {
            let character = String::from_utf8_lossy(&text[at..]).chars().next().unwrap_or('?');
            format!("not {what}: `{}` at position {at}", character.escape_default())
        }
        DecodeKind::Length => format!("not {what}: cut off at position {at}"),
        DecodeKind::Trailing | DecodeKind::Padding => format!("not {what}: wrong end at position {at}"),
    }
}
