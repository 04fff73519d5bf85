//! PEM: a labelled container in base64 (RFC 7468, the strict form: lines of 64 characters, the
//! same label at both ends, nothing after the last line; text before the first is skipped).
//!
//! Secrets: decoded bytes are wiped; base64 is encoded here and decoded by `base64ct`, both without tables or branches
//! on its characters. Here no build has a branch for an overflow either.

use super::beginning;
use crate::error::{Error, KeyFormatError};
use pem_rfc7468::Decoder;
use zeroize::Zeroizing;

/// The label of a PKCS#8 container.
pub(crate) const PRIVATE_KEY: &str = "PRIVATE KEY";
/// The label of an ECPrivateKey that stands by itself (RFC 5915 section 4).
pub(crate) const EC_PRIVATE_KEY: &str = "EC PRIVATE KEY";
/// The label of a SubjectPublicKeyInfo container.
pub(crate) const PUBLIC_KEY: &str = "PUBLIC KEY";

/// The longest container that [`parse`] reads, in bytes of DER.
pub(crate) const MAX_LEN: usize = 4096;

/// Reads the container with this label in memory on the stack, at most [`MAX_LEN`] bytes, and gives it to
/// `then`.
pub(crate) fn parse<T>(
    label: &str,
    text: &[u8],
    then: impl FnOnce(&[u8]) -> Result<T, Error>,
) -> Result<T, Error> {
    let decoder = decoder(label, text)?;
    let got = decoder.remaining_len();
    let mut bytes = Zeroizing::new([0; MAX_LEN]);
    let too_long = KeyFormatError::TooLong { got, max: MAX_LEN };
    let place = bytes.get_mut(..got).ok_or(too_long)?;
    decode(decoder, place)?;
    then(place)
}

/// Reads the container with this label in allocated memory, however long it is, and gives it to `then`.
#[cfg(feature = "pem")]
pub(crate) fn parse_any<T>(
    label: &str,
    text: &str,
    then: impl FnOnce(&[u8]) -> Result<T, Error>,
) -> Result<T, Error> {
    let decoder = decoder(label, text.as_bytes())?;
    let mut bytes = Zeroizing::new(alloc::vec![0; decoder.remaining_len()]);
    decode(decoder, &mut bytes)?;
    then(&bytes)
}

/// Whether the text is PEM with this label, as far as its first line says.
#[cfg(feature = "pem")]
pub(crate) fn has_label(label: &str, text: &str) -> bool {
    decoder(label, text.as_bytes()).is_ok()
}

/// What decodes the text between the lines with this label.
fn decoder<'a>(label: &str, text: &'a [u8]) -> Result<Decoder<'a>, KeyFormatError> {
    match Decoder::new(text) {
        Ok(decoder) if decoder.type_label() == label => Ok(decoder),
        _ => Err(KeyFormatError::Pem),
    }
}

/// Fills memory of the length that the decoder says is left, with all there is.
fn decode(mut decoder: Decoder<'_>, place: &mut [u8]) -> Result<(), KeyFormatError> {
    match decoder.decode(place) {
        Ok(_) if decoder.is_finished() => Ok(()),
        _ => Err(KeyFormatError::Pem),
    }
}

/// Characters of base64 in a full line.
const LINE: usize = 64;

/// How many bytes [`write`] writes for a container of `len` bytes.
pub(crate) const fn text_len(label: &str, len: usize) -> usize {
    let base64 = len.div_ceil(3) * 4;
    let lines = "-----BEGIN -----\n".len() + "-----END -----\n".len() + 2 * label.len();
    lines + base64 + base64.div_ceil(LINE)
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
    let mut word = [0; 4];
    word[1..=bytes.len()].copy_from_slice(bytes);
    let word = u32::from_be_bytes(word);
    core::array::from_fn(|i| match i <= bytes.len() {
        true => character(word >> (18 - 6 * i) & 63),
        false => b'=',
    })
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

/// Fills memory of [`text_len`] bytes. Base64 goes line by line, and not by `pem_rfc7468::Encoder`, which
/// looks at the characters afterwards.
fn encode(label: &str, bytes: &[u8], mut place: &mut [u8]) -> Result<(), KeyFormatError> {
    let mut next = |len: usize| place.split_off_mut(..len).ok_or(KeyFormatError::Pem);
    for part in ["-----BEGIN ", label, "-----\n"] {
        next(part.len())?.copy_from_slice(part.as_bytes());
    }
    for line in bytes.chunks(LINE / 4 * 3) {
        let text = next(line.len().div_ceil(3) * 4)?;
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
