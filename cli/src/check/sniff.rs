//! From the first bytes of a table to its format, or to the name that `sigmill::FileKind` has for something else.
//! CSV has no first bytes of its own.

use super::format::Format;
use sigmill::FileKind;

/// So many bytes are looked at.
pub(super) const LEN: usize = 512;

/// The kind of file that a beginning shows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Table(Format),
    Other(FileKind),
}

impl Kind {
    /// The kind that begins with these bytes, as far as they say it.
    pub(super) fn of(start: &[u8]) -> Option<Kind> {
        let format = match FileKind::of(start)? {
            FileKind::Parquet => Format::Parquet,
            FileKind::ArrowFile => Format::Arrow,
            FileKind::ArrowStream => Format::ArrowStream,
            FileKind::JsonObject | FileKind::JsonWebKey => Format::Jsonl,
            // a column of base64
            FileKind::Base64WithoutPadding => return None,
            other => return Some(Kind::Other(other)),
        };
        Some(Kind::Table(format))
    }

    /// Whether CSV may begin so: with a field in brackets or braces.
    fn may_be_csv(self, start: &[u8]) -> bool {
        let is_like_json = matches!(
            self,
            Kind::Table(Format::Jsonl) | Kind::Other(FileKind::JsonArray | FileKind::Ini)
        );
        is_like_json && !is_object(start)
    }
}

/// Whether an object of JSON stands here, alone or as the first of an array: a brace and a name in quotes, or nothing.
fn is_object(start: &[u8]) -> bool {
    let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
    let text = text.strip_prefix(b"[").unwrap_or(text).trim_ascii_start();
    let inside = text.strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
    inside.is_some_and(|inside| matches!(inside, [b'"' | b'}', ..]))
}

/// The advice about a file that is no table.
pub(super) fn advice(kind: FileKind) -> &'static str {
    match kind {
        FileKind::PrivateKey(_)
        | FileKind::EcPrivateKey(_)
        | FileKind::PublicKey(_)
        | FileKind::Certificate
        | FileKind::CertificateRequest
        | FileKind::JsonNumbers
        | FileKind::Pkcs12 => None,
        kind => kind.advice(),
    }
    .unwrap_or("a table of keys, messages and signatures is needed")
}

/// Whether a message of Arrow before 0.15 stands here, with its length in front and no mark: in its metadata, a
/// table of flatbuffers, the first number says where inside of it the root is.
fn is_old_stream(start: &[u8]) -> bool {
    let word = |at: usize| {
        let bytes = start.get(at..).and_then(<[u8]>::first_chunk);
        bytes.map_or(0, |bytes| i32::from_le_bytes(*bytes))
    };
    let (len, root) = (word(0), word(4));
    (8..1 << 24).contains(&len) && len % 4 == 0 && (4..len).contains(&root)
}

/// Whether a file begins like text, and not like the formats that begin with a word.
fn is_text(start: &[u8]) -> bool {
    let is_word = |word: &[u8]| start.starts_with(word);
    // the last character may be cut
    let is_utf8 = std::str::from_utf8(start).map_or_else(|e| e.error_len().is_none(), |_| true);
    let is_control = |byte: &u8| *byte < b' ' && !b"\t\n\r".contains(byte);
    !is_word(b"PAR1") && !is_word(b"ARROW1") && !start.iter().any(is_control) && is_utf8
}

/// The format in which a table is read that begins so and was said to be in `format`.
///
/// # Errors
/// It is something else, which the message names.
pub(super) fn check(start: &[u8], format: Format) -> Result<Format, String> {
    use Format::{Arrow, ArrowStream, Csv, Parquet, Tsv};
    match (Kind::of(start), format) {
        (None, Arrow) if is_old_stream(start) => Ok(ArrowStream),
        (None, Parquet | Arrow | ArrowStream) if is_text(start) => Err(format!(
            "is text, not {}; --format csv, tsv or jsonl reads it if it is a table",
            format.title()
        )),
        (None, format) => Ok(format),
        (Some(kind), Csv | Tsv) if kind.may_be_csv(start) => Ok(format),
        (Some(Kind::Table(found)), format) if found == format => Ok(format),
        // both are called Arrow
        (Some(Kind::Table(found @ (Arrow | ArrowStream))), Arrow | ArrowStream) => Ok(found),
        (Some(Kind::Table(found)), _) => Err(format!(
            "is {}, not {}; --format {} reads it",
            found.title(),
            format.title(),
            found.option()
        )),
        (Some(Kind::Other(kind)), _) => {
            Err(format!("is {kind}, not {}; {}", format.title(), advice(kind)))
        }
    }
}
