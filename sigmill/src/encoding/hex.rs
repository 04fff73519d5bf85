//! Hexadecimal text of public values: lower case out, either case in.
//!
//! Public data only: time depends on the text.

use crate::error::Error;
use core::fmt;

pub(crate) fn write(bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
}

/// Two digits for each byte, and nothing else, into the beginning of `place`, which the result is.
///
/// # Errors
/// [`Error::Hex`] if the text is not hexadecimal; [`Error::Length`] if it has more bytes than the place.
pub(crate) fn read<'a>(
    what: &'static str,
    text: &str,
    place: &'a mut [u8],
) -> Result<&'a [u8], Error> {
    let text = text.as_bytes();
    for (i, byte) in text.iter().enumerate() {
        let value = char::from(*byte).to_digit(16).ok_or(Error::Hex { position: i })?;
        if let Some(place) = place.get_mut(i / 2) {
            *place = *place << 4 | value as u8;
        }
    }
    if text.len() % 2 == 1 {
        return Err(Error::Hex { position: text.len() });
    }
    let (expected, got) = (place.len(), text.len() / 2);
    place.get(..got).ok_or(Error::Length { what, expected, got })
}

/// The same of exactly so many bytes.
///
/// # Errors
/// [`Error::Hex`]; [`Error::Length`] for fewer bytes, too.
pub(crate) fn read_array<const N: usize>(what: &'static str, text: &str) -> Result<[u8; N], Error> {
    let mut bytes = [0; N];
    let got = read(what, text, &mut bytes)?.len();
    if got == N { Ok(bytes) } else { Err(Error::Length { what, expected: N, got }) }
}
