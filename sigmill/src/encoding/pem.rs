//! PEM: a labelled container in base64 (RFC 7468), written in the strict form and read as OpenSSL and others read it.
//!
//! The first block with a wanted label counts, wherever it stands. Everything around it is skipped: other blocks, text
//! in whatever encoding, a byte-order mark. White space means nothing: lines end with CR, LF or both, have any
//! length, and blanks and empty lines may stand anywhere outside of the labels. All else is as strict as in
//! RFC 7468: the alphabet and the padding of base64, the bits that the last character leaves, both labels, hyphens.
//!
//! Lines are found here, because the crates that read PEM are either strict about white space (`pem-rfc7468`) or
//! decode secrets by tables in allocated memory (`pem`). Base64 is decoded by `base64ct`.
//!
//! Secrets: decoded bytes are wiped; base64 is encoded here and decoded by `base64ct`, both without tables or branches
//! on its characters. Here no build has a branch for an overflow either. The positions of white space,
//! hyphens and padding are public; they are told from other characters without tables or branches, too.

use super::beginning;
use crate::error::{Error, KeyFormatError};
use base64ct::{Base64, Base64Unpadded, Encoding};
use core::hint::black_box;
use zeroize::Zeroizing;

/// The label of a PKCS#8 container.
pub(crate) const PRIVATE_KEY: &str = "PRIVATE KEY";
/// The label of an ECPrivateKey that stands by itself (RFC 5915 section 4).
pub(crate) const EC_PRIVATE_KEY: &str = "EC PRIVATE KEY";
/// The labels under which programs write private keys, either container under either of them: every reader of a
/// file takes the same block for its key.
pub(crate) const PRIVATE_KEYS: &[&str] = &[PRIVATE_KEY, EC_PRIVATE_KEY];
/// The label of a SubjectPublicKeyInfo container.
pub(crate) const PUBLIC_KEY: &str = "PUBLIC KEY";

/// The longest container that [`parse`] reads, in bytes of DER.
pub(crate) const MAX_LEN: usize = 4096;

/// Reads the first container with one of these labels in memory on the stack, at most [`MAX_LEN`] bytes, and gives
/// it to `then`.
pub(crate) fn parse<T>(
    labels: &[&str],
    text: &[u8],
    then: impl FnOnce(&[u8]) -> Result<T, Error>,
) -> Result<T, Error> {
    let block = Block::first(labels, text)?;
    let got = block.decoded_len();
    let mut bytes = Zeroizing::new([0; MAX_LEN]);
    let too_long = KeyFormatError::TooLong { got, max: MAX_LEN };
    let place = bytes.get_mut(..got).ok_or(too_long)?;
    block.decode(place)?;
    then(place)
}

/// Reads the first container with one of these labels in allocated memory, however long it is, and gives it to
/// `then`.
#[cfg(feature = "pem")]
pub(crate) fn parse_any<T>(
    labels: &[&str],
    text: &str,
    then: impl FnOnce(&[u8]) -> Result<T, Error>,
) -> Result<T, Error> {
    let block = Block::first(labels, text.as_bytes())?;
    let mut bytes = Zeroizing::new(alloc::vec![0; block.decoded_len()]);
    block.decode(&mut bytes)?;
    then(&bytes)
}

/// The byte-order mark of UTF-8, which some editors put in front of a file.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A line that says what begins or ends, blanks around it aside: the label and the deed.
fn boundary<'a>(deed: &str, line: &'a [u8]) -> Option<&'a [u8]> {
    let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
    let line = line.trim_ascii().strip_prefix(b"-----")?.strip_suffix(b"-----")?;
    line.strip_prefix(deed.as_bytes())?.strip_prefix(b" ")
}

/// The next line, without its end, and what follows where there is an end.
fn split_line(text: &[u8]) -> (&[u8], Option<&[u8]>) {
    let end = text.iter().position(|byte| matches!(byte, b'\r' | b'\n'));
    match end.and_then(|at| text.split_at_checked(at)) {
        Some((line, rest)) => (line, rest.get(1..)),
        None => (text, None),
    }
}

/// The label of the next block, and the text after that line.
pub(crate) fn next_label(mut text: &[u8]) -> Option<(&[u8], &[u8])> {
    loop {
        let (line, rest) = split_line(text);
        text = rest?;
        if let Some(label) = boundary("BEGIN", line) {
            return Some((label, text));
        }
    }
}

/// The bytes at the beginning of a block, as many as there is memory for, to the first character that is not base64.
pub(crate) fn decode_beginning<'a>(text: &[u8], place: &'a mut [u8]) -> &'a [u8] {
    let mut four = Zeroizing::new([0; 4]);
    let (mut filled, mut len) = (0_usize, 0_usize);
    for byte in text {
        match Character::of(*byte) {
            Character::Blank | Character::EndOfLine => continue,
            Character::Hyphen => break,
            Character::Other | Character::Padding => {
                let Some(place) = four.get_mut(filled) else { break };
                *place = *byte;
            }
        }
        filled = filled.wrapping_add(1) % 4;
        if filled == 0 {
            match Base64::decode(*four, place.get_mut(len..).unwrap_or_default()) {
                Ok(decoded) => len = len.saturating_add(decoded.len()),
                Err(_) => break,
            }
        }
    }
    place.get(..len).unwrap_or_default()
}

/// The kinds of characters between the two lines of a block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Character {
    /// Of base64, or of nothing that belongs here.
    Other,
    Blank,
    EndOfLine,
    Hyphen,
    Padding,
}

impl Character {
    /// Without a table or a branch on the character; the kind itself is public.
    fn of(byte: u8) -> Self {
        let is = |other: u8| u32::from(byte ^ other).wrapping_sub(1) >> 31;
        let blank = is(b' ') | is(b'\t') | is(0x0b) | is(0x0c);
        let end = is(b'\r') | is(b'\n');
        match black_box(blank | end << 1 | is(b'-') << 2 | is(b'=') << 3) {
            0 => Character::Other,
            1 => Character::Blank,
            2 => Character::EndOfLine,
            4 => Character::Hyphen,
            _ => Character::Padding,
        }
    }
}

/// The base64 of a container.
pub(crate) struct Block<'a> {
    /// With white space, to the line that ends the block.
    text: &'a [u8],
    /// How many characters that are not white space.
    characters: usize,
    /// How many of these are padding.
    padding: usize,
}

impl<'a> Block<'a> {
    /// The first block with one of these labels.
    ///
    /// # Errors
    /// There is none, or another line than the one with its label ends it.
    pub(crate) fn first(labels: &[&str], mut text: &'a [u8]) -> Result<Self, KeyFormatError> {
        loop {
            let (label, rest) = next_label(text).ok_or(KeyFormatError::Pem)?;
            if labels.iter().any(|wanted| wanted.as_bytes() == label) {
                return Self::until_end(label, rest);
            }
            text = rest;
        }
    }

    fn until_end(label: &[u8], text: &'a [u8]) -> Result<Self, KeyFormatError> {
        let (mut characters, mut padding) = (0_usize, 0_usize);
        let mut line_start = 0;
        let mut line_is_blank = true;
        for (i, byte) in text.iter().enumerate() {
            match Character::of(*byte) {
                Character::EndOfLine => (line_start, line_is_blank) = (i, true),
                Character::Blank => {}
                Character::Hyphen => {
                    let (line, _) = split_line(text.get(i..).unwrap_or_default());
                    let ends = line_is_blank && boundary("END", line) == Some(label);
                    let text = text.get(..line_start).unwrap_or_default();
                    return match ends && characters > 0 {
                        true => Ok(Block { text, characters, padding }),
                        false => Err(KeyFormatError::Pem),
                    };
                }
                kind => {
                    line_is_blank = false;
                    characters = characters.wrapping_add(1);
                    padding = padding.wrapping_add(usize::from(kind == Character::Padding));
                }
            }
        }
        Err(KeyFormatError::Pem)
    }

    /// How many bytes it has, by the length of the text.
    pub(crate) fn decoded_len(&self) -> usize {
        (self.characters / 4).saturating_mul(3).saturating_sub(self.padding)
    }

    /// Fills memory of that length, with all there is.
    pub(crate) fn decode(&self, mut place: &mut [u8]) -> Result<(), KeyFormatError> {
        let mut line = Zeroizing::new([0; LINE]);
        let mut left = self.characters;
        let mut filled = 0;
        for byte in self.text {
            if !matches!(Character::of(*byte), Character::Other | Character::Padding) {
                continue;
            }
            *line.get_mut(filled).ok_or(KeyFormatError::Pem)? = *byte;
            filled = filled.wrapping_add(1);
            left = left.wrapping_sub(1);
            if filled < LINE && left > 0 {
                continue;
            }
            let line = line.get(..filled).ok_or(KeyFormatError::Pem)?;
            let decoded = match left {
                0 => Base64::decode(line, place),
                // padding is found in the last line only
                _ => Base64Unpadded::decode(line, place),
            };
            let len = decoded.map_err(|_| KeyFormatError::Pem)?.len();
            place = place.get_mut(len..).ok_or(KeyFormatError::Pem)?;
            filled = 0;
        }
        if place.is_empty() { Ok(()) } else { Err(KeyFormatError::Pem) }
    }
}

/// Characters of base64 in a full line.
const LINE: usize = 64;

/// How many bytes [`write`] writes for a container of `len` bytes.
pub(crate) const fn text_len(label: &str, len: usize) -> usize {
    let base64 = len.div_ceil(3).saturating_mul(4);
    let ends = "-----BEGIN -----\n-----END -----\n".len();
    let lines = label.len().saturating_mul(2).saturating_add(ends);
    lines.saturating_add(base64).saturating_add(base64.div_ceil(LINE))
}

/// Writes a container to the beginning of `out`, with a line feed after every line. Returns how many bytes
/// the text has; what is behind them stays as it was. Constant time but for the length.
///
/// # Errors
/// [`Error::Length`] of the memory, by the name `what`, if it is too short; nothing is written then.
pub(crate) fn write(
    what: &'static str,
    label: &str,
    bytes: &[u8],
    out: &mut [u8],
) -> Result<usize, Error> {
    let len = text_len(label, bytes.len());
    encode(label, bytes, beginning(what, len, out)?)?;
    Ok(len)
}

/// The characters of one to three bytes, padded with `=`. Constant time but for their number.
fn base64(bytes: &[u8]) -> [u8; 4] {
    let word = u32::from_be_bytes(match *bytes {
        [] => [0; 4],
        [a] => [0, a, 0, 0],
        [a, b] => [0, a, b, 0],
        [a, b, c, ..] => [0, a, b, c],
    });
    let [first, second, third, fourth] =
        [word >> 18, word >> 12, word >> 6, word].map(|bits| character(bits & 63));
    match bytes.len() {
        0 | 1 => [first, second, b'=', b'='],
        2 => [first, second, third, b'='],
        _ => [first, second, third, fourth],
    }
}

/// The character of six bits: A to Z, a to z, 0 to 9, +, /, each run an offset from the one before.
fn character(six: u32) -> u8 {
    let beyond = |last: u32| last.wrapping_sub(six) >> 31;
    six.wrapping_add(u32::from(b'A'))
        .wrapping_add(beyond(25).wrapping_mul(6))
        .wrapping_sub(beyond(51).wrapping_mul(75))
        .wrapping_sub(beyond(61).wrapping_mul(15))
        .wrapping_add(beyond(62).wrapping_mul(3)) as u8
}

/// Fills memory of [`text_len`] bytes. Base64 goes line by line, and not by `base64ct`, which looks at the
/// characters afterwards where debug assertions are on.
fn encode(label: &str, bytes: &[u8], mut place: &mut [u8]) -> Result<(), KeyFormatError> {
    let mut next = |len: usize| place.split_off_mut(..len).ok_or(KeyFormatError::Pem);
    for part in ["-----BEGIN ", label, "-----\n"] {
        next(part.len())?.copy_from_slice(part.as_bytes());
    }
    for line in bytes.chunks(LINE / 4 * 3) {
        let text = next(line.len().div_ceil(3).saturating_mul(4))?;
        for (three, four) in line.chunks(3).zip(text.as_chunks_mut().0) {
            *four = base64(three);
        }
        next(1)?.fill(b'\n');
    }
    for part in ["-----END ", label, "-----\n"] {
        next(part.len())?.copy_from_slice(part.as_bytes());
    }
    Ok(())
}
