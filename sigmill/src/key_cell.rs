//! A name for a cell of a column of public keys that is no key by itself, for messages about such columns.
//!
//! The command line and the Python package ask here, so that both refuse the same columns. Like `file_kind` it looks
//! at beginnings and checks nothing; whether a reader takes the cell is asked of the reader.
//!
//! A pair of a seed and a public key is the exception: any 64 bytes may be one, so the public key is derived.
//!
//! Public data: time depends on the bytes. What is decoded of text may be the private key that somebody put there, and
//! is wiped.

use crate::ed25519::SigningKey;
use crate::encoding::pem;
use crate::file_kind::{FileKind, contains, of_block, of_der, of_pem};
use base64ct::{Base64, Encoding};
use core::fmt;
use zeroize::Zeroizing;

/// The lengths of keys by themselves: those of Ed25519, and those of SEC1 on both curves.
const KEY_LENS: [usize; 5] = [32, 33, 49, 65, 97];

/// How much of a container in hexadecimal or base64 is decoded.
const BEGINNING: usize = 528;

/// A cell of a column of public keys that is something else than the bytes of a key. For messages; a container may
/// still be damaged.
///
/// ```
/// use sigmill::{FileKind, KeyCell};
///
/// let text = b"-----BEGIN CERTIFICATE-----\nMIIBLDCB36ADAgECAhRl...\n-----END CERTIFICATE-----\n";
/// let cell = KeyCell::of(text).ok_or("nothing known")?;
/// assert_eq!(cell, KeyCell::Pem(Some(FileKind::Certificate)));
/// assert_eq!(cell.to_string(), "a certificate in PEM");
/// assert_eq!(KeyCell::of(&[b'a'; 64]), Some(KeyCell::Hex(None)));
/// // a key, whatever its bytes
/// assert_eq!(KeyCell::of(&[b'a'; 32]), None);
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum KeyCell {
    /// A container in DER, with nothing after it.
    Der(FileKind),
    /// PEM; `None` where its label is unknown.
    Pem(Option<FileKind>),
    /// PEM without line ends, or with `\n` written as two characters.
    PemInOneLine,
    /// Another text with a key, such as a public key of SSH.
    Text(FileKind),
    /// Other bytes with a key: a key of COSE, or a seed with its public key.
    Binary(FileKind),
    /// Hexadecimal digits of a key by itself, or of a container.
    Hex(Option<FileKind>),
    /// Base64 of either alphabet, with or without padding, of a key by itself, or of a container.
    Base64(Option<FileKind>),
}

impl KeyCell {
    /// The kind of a cell. `None` for one as long as a key, and for bytes of no known kind.
    ///
    /// Time depends on the bytes.
    pub fn of(cell: &[u8]) -> Option<KeyCell> {
        if KEY_LENS.contains(&cell.len()) {
            return None;
        }
        container(cell, cell.len())
            .or_else(|| of_hex(cell))
            .or_else(|| of_base64(cell))
            .or_else(|| of_binary(cell, cell.len()))
    }

    /// Whether it is hexadecimal or base64, which may be decoded to a key.
    pub const fn is_encoded(self) -> bool {
        matches!(self, KeyCell::Hex(_) | KeyCell::Base64(_))
    }

    /// The kind of the container, if it is one of a known kind.
    pub const fn kind(self) -> Option<FileKind> {
        match self {
            KeyCell::Der(kind) | KeyCell::Text(kind) | KeyCell::Binary(kind) => Some(kind),
            KeyCell::Pem(kind) | KeyCell::Hex(kind) | KeyCell::Base64(kind) => kind,
            KeyCell::PemInOneLine => None,
        }
    }
}

/// Its name, such as `a certificate in DER`.
impl fmt::Display for KeyCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind() {
            Some(FileKind::PublicKey(of)) => write!(f, "SubjectPublicKeyInfo ({of})")?,
            Some(kind) => kind.fmt(f)?,
            None => {}
        }
        f.write_str(match self {
            KeyCell::Der(_) => " in DER",
            KeyCell::Pem(Some(_)) => " in PEM",
            KeyCell::Pem(None) => "PEM with an unknown label",
            KeyCell::PemInOneLine => "PEM without line ends",
            KeyCell::Text(_) | KeyCell::Binary(_) => "",
            KeyCell::Hex(Some(_)) => " in hexadecimal",
            KeyCell::Hex(None) => "text that may be hexadecimal",
            KeyCell::Base64(Some(_)) => " in base64",
            KeyCell::Base64(None) => "text that may be base64",
        })
    }
}

/// A container of `len` bytes that begins with these.
fn container(beginning: &[u8], len: usize) -> Option<KeyCell> {
    if is_sequence(beginning, len) {
        return of_der(beginning).map(KeyCell::Der);
    }
    if contains(beginning, b"-----BEGIN ") {
        return Some(match pem::next_label(beginning) {
            Some(_) => KeyCell::Pem(public_block(beginning).or_else(|| of_pem(beginning))),
            None => KeyCell::PemInOneLine,
        });
    }
    FileKind::of(beginning).filter(|kind| is_text_of_key(*kind)).map(KeyCell::Text)
}

/// Text that names itself by more than a character or two, which wrong bytes could begin with.
const fn is_text_of_key(kind: FileKind) -> bool {
    use FileKind::{AgeKey, JsonWebKey, Minisign, PuttyPrivateKey};
    use FileKind::{SshCertificate, SshEd25519PublicKey, SshPublicKey};
    matches!(
        kind,
        SshEd25519PublicKey
            | SshPublicKey
            | SshCertificate
            | PuttyPrivateKey
            | JsonWebKey
            | AgeKey
            | Minisign
    )
}

/// The public key among blocks of PEM, which readers take wherever it stands.
fn public_block(mut text: &[u8]) -> Option<FileKind> {
    while let Some((label, body)) = pem::next_label(text) {
        if label == pem::PUBLIC_KEY.as_bytes() {
            return of_block(label, body);
        }
        text = body;
    }
    None
}

/// Whether `len` bytes that begin with these are one SEQUENCE, and nothing after it.
fn is_sequence(beginning: &[u8], len: usize) -> bool {
    let (head, content) = match beginning {
        [0x30, 0x81, content, ..] => (3, usize::from(*content)),
        [0x30, 0x82, high, low, ..] => (4, usize::from(u16::from_be_bytes([*high, *low]))),
        [0x30, content, ..] if *content < 0x80 => (2, usize::from(*content)),
        _ => return false,
    };
    len.checked_sub(head) == Some(content)
}

/// Other bytes with a key, `len` of them, that begin with these.
fn of_binary(beginning: &[u8], len: usize) -> Option<KeyCell> {
    let whole = Some(beginning).filter(|beginning| beginning.len() == len)?;
    if is_cose_key(whole) == Some(true) {
        return Some(KeyCell::Binary(FileKind::CoseKey));
    }
    let pair = <&[u8; 64]>::try_from(whole).ok()?;
    SigningKey::from_keypair_bytes(pair).ok().map(|_| KeyCell::Binary(FileKind::KeyPair))
}

/// Whether the bytes are a map of CBOR with the type of a key, OKP, EC2 or RSA, and nothing after it. `None`: they are no
/// such map.
fn is_cose_key(mut bytes: &[u8]) -> Option<bool> {
    let Item { kind: MAP, number: entries @ 1..=15, .. } = item(&mut bytes)? else { return None };
    let mut has_type = false;
    for _ in 0..entries {
        let (label, value) = (item(&mut bytes)?, item(&mut bytes)?);
        let is_type = (label.kind, label.number) == (UNSIGNED, 1);
        has_type |= is_type && value.kind == UNSIGNED && (1..=3).contains(&value.number);
        match (label.kind, value.kind) {
            (MAP.., _) | (_, MAP..SIMPLE) => return None,
            // the operations of a key
            (_, ARRAY) => (0..value.number).try_for_each(|_| {
                item(&mut bytes).filter(|operation| operation.kind < ARRAY).map(|_| ())
            })?,
            _ => {}
        }
    }
    Some(has_type && bytes.is_empty())
}

/// An item of CBOR (RFC 8949): its major type and its number, which is a length of strings and arrays.
struct Item {
    kind: u8,
    number: u64,
}

const UNSIGNED: u8 = 0;
const BYTES: u8 = 2;
const TEXT: u8 = 3;
const ARRAY: u8 = 4;
const MAP: u8 = 5;
const SIMPLE: u8 = 7;

/// Takes the next item; of an array or a map only what stands before its content.
fn item(bytes: &mut &[u8]) -> Option<Item> {
    let head = bytes.split_off_first()?;
    let (kind, short) = (head >> 5, head & 0x1f);
    let number = match short {
        0..24 => u64::from(short),
        24..=27 => {
            let digits = bytes.split_off(..1 << (short & 3))?;
            digits.iter().fold(0, |number, digit| number << 8 | u64::from(*digit))
        }
        _ => return None,
    };
    if matches!(kind, BYTES | TEXT) {
        bytes.split_off(..usize::try_from(number).ok()?)?;
    }
    Some(Item { kind, number })
}

/// Bytes that are being decoded, of which the beginning is kept.
struct Decoded {
    place: Zeroizing<[u8; BEGINNING]>,
    /// How many there are.
    len: usize,
}

impl Decoded {
    fn new() -> Self {
        Decoded { place: Zeroizing::new([0; BEGINNING]), len: 0 }
    }

    fn push(&mut self, bytes: &[u8]) {
        if let Some(place) =
            self.place.get_mut(self.len..).and_then(|rest| rest.get_mut(..bytes.len()))
        {
            place.copy_from_slice(bytes);
        }
        self.len = self.len.saturating_add(bytes.len());
    }

    /// The kind of the encoded bytes: a key by itself, a container of a kind, or nothing known.
    fn kind(&self) -> Option<Option<FileKind>> {
        if KEY_LENS.contains(&self.len) {
            return Some(None);
        }
        let beginning = self.place.get(..self.len.min(BEGINNING)).unwrap_or_default();
        let cell = container(beginning, self.len).or_else(|| of_binary(beginning, self.len));
        cell?.kind().map(Some)
    }
}

fn of_hex(cell: &[u8]) -> Option<KeyCell> {
    let digits = cell.strip_prefix(b"0x").or_else(|| cell.strip_prefix(b"\\x")).unwrap_or(cell);
    let mut decoded = Decoded::new();
    let mut high = None;
    for byte in digits.iter().filter(|byte| !byte.is_ascii_whitespace()) {
        let digit = char::from(*byte).to_digit(16)? as u8;
        match high.take() {
            None => high = Some(digit),
            Some(high) => decoded.push(&[high << 4 | digit]),
        }
    }
    decoded.kind().filter(|_| high.is_none()).map(KeyCell::Hex)
}

fn of_base64(cell: &[u8]) -> Option<KeyCell> {
    let mut decoded = Decoded::new();
    // four characters that stand for less count as zeros
    let (mut four, mut filled, mut padding) = (Zeroizing::new([b'A'; 4]), 0_usize, 0_usize);
    let mut decode = |four: &mut [u8; 4], len: usize| -> Option<()> {
        let mut three = Zeroizing::new([0; 3]);
        decoded.push(Base64::decode(*four, &mut *three).ok()?.get(..len)?);
        *four = [b'A'; 4];
        Some(())
    };
    for byte in cell.iter().filter(|byte| !byte.is_ascii_whitespace()) {
        let character = match byte {
            b'-' => b'+',
            b'_' => b'/',
            b'=' => {
                padding = padding.saturating_add(1);
                continue;
            }
            other => *other,
        };
        if padding > 0 {
            return None;
        }
        *four.get_mut(filled)? = character;
        filled = filled.wrapping_add(1) % 4;
        if filled == 0 {
            decode(&mut four, 3)?;
        }
    }
    match (filled, padding) {
        (0, 0) => {}
        (2, 0 | 2) => decode(&mut four, 1)?,
        (3, 0 | 1) => decode(&mut four, 2)?,
        _ => return None,
    }
    decoded.kind().map(KeyCell::Base64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_decoded_as_far_as_they_are_kept() {
        let mut hex = Decoded::new();
        for _ in 0..BEGINNING + 5 {
            hex.push(&[7]);
        }
        assert_eq!((hex.len, hex.place[BEGINNING - 1]), (BEGINNING + 5, 7));
        // an element is as long as it says, whether its end is kept or not
        assert!(
            is_sequence(&[0x30, 0x82, 2, 0x20], 0x224)
                && !is_sequence(&[0x30, 0x82, 2, 0x20], 0x223)
        );
        for (text, expected) in [
            (&b"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="[..], Some(KeyCell::Base64(None))),
            (b"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", Some(KeyCell::Base64(None))),
            (b"_-_-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n", Some(KeyCell::Base64(None))),
            (b"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==", None),
            (b"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=AA", None),
            (b"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA!=", None),
            (b"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", None),
        ] {
            assert_eq!(KeyCell::of(text), expected, "{}", text.escape_ascii());
        }
        let mut digits = [b'0'; 66];
        assert_eq!(KeyCell::of(&digits), Some(KeyCell::Hex(None)));
        digits[1] = b'x';
        assert_eq!(KeyCell::of(&digits), Some(KeyCell::Hex(None)));
        digits[0] = b'\\';
        assert_eq!(KeyCell::of(&digits), Some(KeyCell::Hex(None)));
        assert_eq!(KeyCell::of(&digits[..65]), None);
        assert_eq!(KeyCell::of(&[b'0'; 63]), None);
        assert_eq!(KeyCell::of(b""), None);
    }
}
