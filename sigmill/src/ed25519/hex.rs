//! Hexadecimal text of public values: lower case out, either case in.
//!
//! Public data only: time depends on the text.

use crate::error::Error;
use core::fmt;

pub(crate) fn write(bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
}

pub(crate) fn parse<const N: usize>(what: &'static str, text: &str) -> Result<[u8; N], Error> {
    let digit = |position: usize, byte: u8| {
        let value = char::from(byte).to_digit(16);
        value.map(|value| value as u8).ok_or(Error::Hex { position })
    };
    let text = text.as_bytes();
    let mut bytes = [0; N];
    for (i, byte) in text.iter().enumerate() {
        let value = digit(i, *byte)?;
        if let Some(place) = bytes.get_mut(i / 2) {
            *place = *place << 4 | value;
        }
    }
    if text.len() % 2 == 1 {
        return Err(Error::Hex { position: text.len() });
    }
    if text.len() != 2 * N {
        return Err(Error::Length { what, expected: N, got: text.len() / 2 });
    }
    Ok(bytes)
}
