//! Hexadecimal text, of either case. Public data only: time depends on it.

use crate::error::Error;

/// Two digits for each byte, and nothing else, into the beginning of `place`.
///
/// # Errors
/// [`Error::Hex`] if the text is not hexadecimal; [`Error::Length`] if it has more bytes than the place.
pub(super) fn read_hex<'a>(
    what: &'static str,
    text: &str,
    place: &'a mut [u8],
) -> Result<&'a [u8], Error> {
    let digits = text.as_bytes();
    let is_digit = |digit: &u8| digit.is_ascii_hexdigit();
    if let Some(position) = digits.iter().position(|digit| !is_digit(digit)) {
        return Err(Error::Hex { position });
    }
    if !digits.len().is_multiple_of(2) {
        return Err(Error::Hex { position: digits.len() });
    }
    let (expected, got) = (place.len(), digits.len() / 2);
    let place = place.get_mut(..got).ok_or(Error::Length { what, expected, got })?;
    for (byte, digits) in place.iter_mut().zip(digits.chunks_exact(2)) {
        for digit in digits {
            // both are digits
            *byte = *byte << 4 | char::from(*digit).to_digit(16).unwrap_or(0) as u8;
        }
    }
    Ok(place)
}
