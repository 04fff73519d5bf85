//! From the first bytes of a table to a name: of the formats that are read here, and of others that lie under
//! their names. CSV has no first bytes of its own.

use super::Format;

/// So many bytes are looked at.
pub(super) const LEN: usize = 512;

/// The kind of a file, by its first bytes.
pub(super) struct Kind {
    /// As a message calls it.
    pub(super) name: &'static str,
    /// Its format, if it is one that is read here.
    pub(super) format: Option<Format>,
    /// The advice about one that is not.
    pub(super) hint: &'static str,
}

const fn read(name: &'static str, format: Format) -> Kind {
    Kind { name, format: Some(format), hint: "" }
}

const fn other(name: &'static str, hint: &'static str) -> Kind {
    Kind { name, format: None, hint }
}

/// With bytes that are no text, in which no CSV or JSON can begin.
const BINARY: &[(&[u8], Kind)] = &[
    (b"PAR1", read("Parquet", Format::Parquet)),
    (b"PARE", other("encrypted Parquet", "decrypt it first, with the program that has its keys")),
    (b"ARROW1", read("an Arrow IPC file", Format::Arrow)),
    (b"\xff\xff\xff\xff", read("an Arrow IPC stream", Format::ArrowStream)),
    (b"FEA1", other("Feather version 1", "write it as Arrow IPC (Feather version 2)")),
    (b"\x1f\x8b", other("gzip", "decompress it first: gzip -dc")),
    (b"\x28\xb5\x2f\xfd", other("zstd", "decompress it first: zstd -dc")),
    (b"\xfd7zXZ\x00", other("xz", "decompress it first: xz -dc")),
    (b"\x04\x22\x4d\x18", other("LZ4", "decompress it first: lz4 -dc")),
    (b"\xff\x06\x00\x00sNaPpY", other("framed Snappy", "decompress it first")),
    (b"BZh", other("bzip2", "decompress it first: bzip2 -dc")),
    (b"PK\x03\x04", other("a ZIP archive (or a workbook of Excel)", "unpack it first")),
    (b"PK\x05\x06", other("a ZIP archive without files", "unpack it first")),
    (b"7z\xbc\xaf\x27\x1c", other("a 7z archive", "unpack it first")),
    (b"ORC", other("ORC", "write it as Parquet")),
    (b"Obj\x01", other("Avro", "write it as Parquet")),
    (b"SQLite format 3\x00", other("an SQLite database", "export the table")),
    (b"\x89HDF\r\n\x1a\n", other("HDF5", "write it as Parquet")),
    (b"\xd0\xcf\x11\xe0", other("a workbook of old Excel", "export the table as CSV")),
];

/// Text that is no table. A mark of UTF-16 is the end of one of UTF-32.
const TEXT: &[(&[u8], Kind)] = &[
    (b"\xff\xfe\x00\x00", other("UTF-32", "write it as UTF-8")),
    (b"\x00\x00\xfe\xff", other("UTF-32", "write it as UTF-8")),
    (b"\xff\xfe", other("UTF-16", "write it as UTF-8: iconv -f UTF-16 -t UTF-8")),
    (b"\xfe\xff", other("UTF-16", "write it as UTF-8: iconv -f UTF-16 -t UTF-8")),
    (b"-----BEGIN ", other("PEM", "a table of keys, messages and signatures is needed")),
    (b"<!DOCTYPE", other("HTML", "a table is needed")),
    (b"<html", other("HTML", "a table is needed")),
    (b"<?xml", other("XML", "a table is needed")),
];

const JSON_ARRAY: Kind =
    other("a JSON array, not JSON lines", "write one object a line: jq -c '.[]'");
const JSON_LINES: Kind = read("JSON lines", Format::Jsonl);
const UTF_16: Kind = other("UTF-16", "write it as UTF-8: iconv -f UTF-16 -t UTF-8");
const TAR: Kind = other("a tar archive", "unpack it first");

/// Whether there is a byte that text in UTF-8, or in any code page, has not.
fn is_binary(start: &[u8]) -> bool {
    start.iter().any(|byte| *byte < b' ' && !matches!(byte, b'\t' | b'\n' | 0x0c | b'\r'))
        || start.starts_with(b"\xff")
}

/// The kind that begins with these bytes, as far as they say it.
pub(super) fn kind(start: &[u8]) -> Option<&'static Kind> {
    let find = |list: &'static [(&[u8], Kind)]| {
        list.iter().find(|(magic, _)| start.starts_with(magic)).map(|(_, kind)| kind)
    };
    if let Some(kind) = find(TEXT) {
        return Some(kind);
    }
    // four characters of ASCII in UTF-16 without a mark
    if let [a, b, c, d, e, f, ..] = start {
        let is_ascii = |byte: &u8| byte.is_ascii_graphic();
        let is_utf_16 = |text: [&u8; 3], zeros: [&u8; 3]| {
            text.into_iter().all(is_ascii) && zeros.into_iter().all(|byte| *byte == 0)
        };
        if is_utf_16([a, c, e], [b, d, f]) || is_utf_16([b, d, f], [a, c, e]) {
            return Some(&UTF_16);
        }
    }
    if is_binary(start) || start.len() < 16 {
        if start.get(257..262) == Some(b"ustar") {
            return Some(&TAR);
        }
        if let Some(kind) = find(BINARY) {
            return Some(kind);
        }
    }
    match start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start() {
        [b'{', ..] => Some(&JSON_LINES),
        [b'[', ..] => Some(&JSON_ARRAY),
        _ => None,
    }
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

/// The format in which a table is read that begins so and was said to be in `format`.
///
/// # Errors
/// It is something else, which the message names.
pub(super) fn check(start: &[u8], format: Format) -> Result<Format, String> {
    let Some(kind) = kind(start) else {
        return Ok(match format {
            Format::Arrow if is_old_stream(start) => Format::ArrowStream,
            format => format,
        });
    };
    match (kind.format, format) {
        (Some(found), format) if found == format => Ok(format),
        // both are called Arrow
        (
            Some(found @ (Format::Arrow | Format::ArrowStream)),
            Format::Arrow | Format::ArrowStream,
        ) => Ok(found),
        // a header of CSV may begin like JSON
        (_, Format::Csv | Format::Tsv) if matches!(kind.name, "JSON lines") => Ok(format),
        (None, Format::Csv | Format::Tsv) if std::ptr::eq(kind, &JSON_ARRAY) => Ok(format),
        (Some(found), _) => Err(format!(
            "is {}, not {}; --format {} reads it",
            kind.name,
            format.title(),
            found.option()
        )),
        (None, _) if std::ptr::eq(kind, &JSON_ARRAY) && format == Format::Jsonl => {
            Err(format!("is {}; {}", kind.name, kind.hint))
        }
        (None, _) => Err(format!("is {}, not {}; {}", kind.name, format.title(), kind.hint)),
    }
}
