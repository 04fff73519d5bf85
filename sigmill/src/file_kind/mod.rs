//! A name for the kind of a file by its first bytes, for messages about files of an unexpected kind.
//!
//! It looks at beginnings: magic numbers, labels of PEM, tags, lengths and object identifiers of DER. Nothing is
//! checked, and nothing decides by it.
//!
//! Secrets: what is decoded of PEM is wiped, and a name says nothing of a key. Time depends on the shape of a
//! container, not on the key in it; of text that is neither PEM nor DER it depends on the characters.

mod der;
mod kinds;
mod pem;
mod text;

pub(crate) use der::of_der;
pub use kinds::FileKind;
use pem::of_broken_pem;
pub(crate) use pem::{contains, of_block, of_pem};
use text::of_text;

/// Beginnings of binary files. Some are words in capitals, with which text may begin, too.
const BINARY: &[(&[u8], FileKind)] = &[
    (b"\x1f\x8b", FileKind::Gzip),
    (b"\x28\xb5\x2f\xfd", FileKind::Zstd),
    (b"BZh", FileKind::Bzip2),
    (b"\xfd7zXZ\0", FileKind::Xz),
    (b"\x04\x22\x4d\x18", FileKind::Lz4),
    (b"\xff\x06\0\0sNaPpY", FileKind::Snappy),
    (b"PK\x03\x04", FileKind::Zip),
    (b"PK\x05\x06", FileKind::Zip),
    (b"7z\xbc\xaf\x27\x1c", FileKind::SevenZip),
    (b"\xd0\xcf\x11\xe0", FileKind::OldWorkbook),
    (b"PAR1", FileKind::Parquet),
    (b"PARE", FileKind::EncryptedParquet),
    (b"ARROW1", FileKind::ArrowFile),
    // a continuation marker and the length of the schema, which is no gigabyte
    (b"\xff\xff\xff\xff", FileKind::ArrowStream),
    (b"FEA1", FileKind::Feather1),
    (b"ORC", FileKind::Orc),
    (b"Obj\x01", FileKind::Avro),
    (b"\x89HDF\r\n\x1a\n", FileKind::Hdf5),
    (b"SQLite format 3\0", FileKind::Sqlite),
    (b"\x93NUMPY", FileKind::Npy),
    (b"\xfe\xed\xfe\xed", FileKind::JavaKeyStore),
    (b"\xce\xce\xce\xce", FileKind::JavaKeyStore),
    // the number of a protocol, and a frame or the first of what is in it
    (b"\x80\x04\x95", FileKind::Pickle),
    (b"\x80\x05\x95", FileKind::Pickle),
    (b"\x80\x03c", FileKind::Pickle),
    (b"\x80\x03}q\0", FileKind::Pickle),
    (b"\x80\x03]q\0", FileKind::Pickle),
    (b"\x80\x02c", FileKind::Pickle),
    (b"\x80\x02}q\0", FileKind::Pickle),
    (b"\x80\x02]q\0", FileKind::Pickle),
];

/// Names that stand behind a checksum, or behind the name of the first file.
const LATER: &[(usize, &[u8], FileKind)] =
    &[(257, b"ustar", FileKind::Tar), (8, b"DUCK", FileKind::DuckDb)];

/// Beginnings of text. The mark of UTF-16 is the beginning of that of UTF-32.
const TEXT: &[(&[u8], FileKind)] = &[
    (b"\xff\xfe\0\0", FileKind::Utf32),
    (b"\0\0\xfe\xff", FileKind::Utf32),
    (b"\xff\xfe", FileKind::Utf16),
    (b"\xfe\xff", FileKind::Utf16),
    (b"untrusted comment:", FileKind::Minisign),
    (b"PuTTY-User-Key-File-", FileKind::PuttyPrivateKey),
    (b"---- BEGIN SSH2 PUBLIC KEY ----", FileKind::Ssh2PublicKey),
    (b"age-encryption.org/v1", FileKind::AgeFile),
    (b"AGE-SECRET-KEY-1", FileKind::AgeKey),
    (b"<!DOCTYPE html", FileKind::Html),
    (b"<!doctype html", FileKind::Html),
    (b"<html", FileKind::Html),
    (b"<?xml", FileKind::Xml),
];

/// Beginnings of the first word of a public key of SSH, which a blank follows.
const SSH: &[(&[u8], FileKind)] = &[
    (b"ssh-ed25519", FileKind::SshEd25519PublicKey),
    (b"ssh-rsa", FileKind::SshPublicKey),
    (b"ssh-dss", FileKind::SshPublicKey),
    (b"ecdsa-sha2-", FileKind::SshPublicKey),
    (b"sk-ssh-", FileKind::SshSecurityKey),
    (b"sk-ecdsa-", FileKind::SshSecurityKey),
];

impl FileKind {
    /// The kind of the file that begins with these bytes; the more of it, the better, and its first kilobyte is
    /// mostly enough. `None` where nothing is recognised, as of CSV.
    ///
    /// Time depends on the shape of a container, not on the private key in it; of other text on the characters.
    pub fn of(bytes: &[u8]) -> Option<FileKind> {
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        beginning(TEXT, text)
            .or_else(|| of_binary(bytes))
            .or_else(|| of_ssh(text))
            // bytes of a key may read as a label of PEM
            .or_else(|| of_der(bytes))
            .or_else(|| of_pem(text))
            .or_else(|| of_broken_pem(text))
            .or_else(|| of_text(text))
    }
}

fn beginning(list: &[(&[u8], FileKind)], bytes: &[u8]) -> Option<FileKind> {
    list.iter().find(|(magic, _)| bytes.starts_with(magic)).map(|(_, kind)| *kind)
}

/// Bytes that are examined to tell text from binary files.
const TOLD_BY: usize = 512;
/// A shorter beginning may lack the bytes that are no text.
const TOO_SHORT: usize = 16;

/// Whether the beginning has a byte that no text has.
fn has_control(bytes: &[u8]) -> bool {
    let is_control = |byte: &u8| *byte < b' ' && !matches!(byte, b'\t' | b'\n' | 0x0c | b'\r');
    bytes.iter().take(TOLD_BY).any(is_control)
}

fn of_binary(bytes: &[u8]) -> Option<FileKind> {
    if bytes.len() >= TOO_SHORT && bytes.first() != Some(&0xff) && !has_control(bytes) {
        return None;
    }
    let later = LATER
        .iter()
        .find(|(at, name, _)| bytes.get(*at..).is_some_and(|rest| rest.starts_with(name)));
    // a name may begin like any other file
    later
        .map(|(.., kind)| *kind)
        .or_else(|| beginning(BINARY, bytes))
        .or_else(|| of_cose(bytes))
        .or_else(|| of_pgp(bytes))
}

/// A map of CBOR whose first entry is the type of a key: OKP, EC2 or RSA.
fn of_cose(bytes: &[u8]) -> Option<FileKind> {
    matches!(bytes, [0xa3..=0xaf, 1, 1..=3, ..]).then_some(FileKind::CoseKey)
}

/// A packet of OpenPGP (RFC 9580 section 4.2) with a key or a signature: tag, length and version.
fn of_pgp(bytes: &[u8]) -> Option<FileKind> {
    let (&[head, first], _) = bytes.split_first_chunk()?;
    let (tag, len) = match (head, first) {
        (0xc0.., 0..192) => (head & 0x3f, 1),
        (0xc0.., 192..224) => (head & 0x3f, 2),
        (0xc0.., 255) => (head & 0x3f, 5),
        (0x80..0xc0, _) if head & 3 < 3 => (head >> 2 & 0xf, 1 << (head & 3)),
        _ => return None,
    };
    let algorithm = match (tag, bytes.get(1..)?.get(len..)?) {
        (2, [3..=6, _, algorithm, 1..=14, ..]) => algorithm,
        // behind four bytes of a time
        (5..=7 | 14, [4..=6, _, _, _, _, algorithm, ..]) => algorithm,
        _ => return None,
    };
    matches!(algorithm, 1..=3 | 16..=28).then_some(FileKind::Pgp)
}

fn of_ssh(text: &[u8]) -> Option<FileKind> {
    let word = text.get(..text.iter().position(|byte| *byte == b' ')?)?;
    let is_name = word.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-@.".contains(byte));
    let kind = beginning(SSH, word).filter(|_| is_name)?;
    Some(if contains(word, b"-cert-v0") { FileKind::SshCertificate } else { kind })
}
