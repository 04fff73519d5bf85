//! Text that is neither PEM nor a name at the beginning: JSON, settings, base64 and hexadecimal of containers.

use super::der::of_der;
use super::has_control;
use super::kinds::FileKind;
use super::pem::{PRIVATE_BEGINNING, contains};
use crate::encoding::pem;
use zeroize::Zeroizing;

/// Bech32 with age's prefix: a word of 62 characters.
fn is_age_recipient(text: &[u8]) -> bool {
    let word = text.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    word.starts_with(b"age1") && word.len() > 40 && word.iter().all(u8::is_ascii_alphanumeric)
}

/// A text that begins with a bracket: an array as JSON, or a section of settings.
fn of_bracket(text: &[u8]) -> Option<FileKind> {
    let inside = text.get(1..).unwrap_or_default();
    let is_number = |byte: &u8| byte.is_ascii_digit() || b", \t\r\n]".contains(byte);
    // as many as a key has bytes
    let commas = inside.iter().filter(|byte| **byte == b',').count();
    if commas >= 31 && inside.iter().all(is_number) {
        return Some(FileKind::JsonNumbers);
    }
    let line = text.split(|byte| matches!(byte, b'\r' | b'\n')).next()?.trim_ascii_end();
    let name = line.strip_prefix(b"[").and_then(|rest| rest.strip_suffix(b"]"));
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b" ._:-".contains(byte);
    let is_value = |name: &[u8]| {
        !name.iter().any(u8::is_ascii_alphabetic) || matches!(name, b"true" | b"false" | b"null")
    };
    let is_section = |name: &[u8]| name.iter().all(is_word) && !is_value(name.trim_ascii());
    Some(if name.is_some_and(is_section) { FileKind::Ini } else { FileKind::JsonArray })
}

/// Whether the object that begins here goes on in the next line, rather than that a line of a table is cut off.
fn is_in_lines(text: &[u8]) -> bool {
    let mut lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let (first, mut others) =
        (lines.next().unwrap_or_default(), lines.filter(|line| !line.is_empty()));
    let next = others.next().and_then(|line| line.first());
    match (first.last(), next) {
        (Some(b'{' | b','), Some(b'"')) | (Some(b'['), Some(_)) => true,
        (Some(b':'), Some(byte)) => *byte != b'}',
        _ => false,
    }
}

/// The base64 of the first characters of PEM.
const BASE64_OF_BEGIN: &[u8] = b"LS0tLS1CRUdJTi";

/// Whether DER begins like a key or a certificate. A signature in DER has text forms of its own.
fn is_container(der: &[u8]) -> bool {
    of_der(der).is_some_and(|kind| kind != FileKind::EcdsaSignature)
}

/// The bytes at the beginning of hexadecimal digits, as many as there is memory for. Without a table or a branch on a
/// digit.
fn hex_beginning<'a>(text: &[u8], place: &'a mut [u8]) -> &'a [u8] {
    let mut digits = text.iter().filter(|byte| !byte.is_ascii_whitespace());
    let value = |digit: u8| {
        let letter = digit >> 6 & 1;
        (digit & 0xf).wrapping_add(letter.wrapping_mul(9))
    };
    let mut len = 0_usize;
    for byte in place.iter_mut() {
        let (Some(high), Some(low)) = (digits.next(), digits.next()) else { break };
        *byte = value(*high) << 4 | value(*low);
        len = len.wrapping_add(1);
    }
    place.get(..len).unwrap_or_default()
}

pub(super) fn of_text(text: &[u8]) -> Option<FileKind> {
    // a character and a zero in turns, without a mark of their order
    if let Some([a, b, c, d]) = text.first_chunk()
        && [[a, c, b, d], [b, d, a, c]].iter().any(|[first, second, zeros @ ..]| {
            first.is_ascii_graphic() && second.is_ascii_graphic() && *zeros == [&0, &0]
        })
    {
        return Some(FileKind::Utf16);
    }
    if text.split(|byte| *byte == b'\n').any(|line| line.starts_with(b"AGE-SECRET-KEY-1")) {
        return Some(FileKind::AgeKey);
    }
    let text = text.trim_ascii();
    match text.first()? {
        // one raw key in 128 begins so
        b'[' | b'{' if has_control(text) => return None,
        b'[' => return of_bracket(text),
        b'{' if contains(text, b"\"kty\"") => return Some(FileKind::JsonWebKey),
        b'{' if is_in_lines(text) => return Some(FileKind::JsonInLines),
        b'{' => return Some(FileKind::JsonObject),
        b'a' if is_age_recipient(text) => return Some(FileKind::AgeKey),
        b'L' if text.starts_with(BASE64_OF_BEGIN) => return Some(FileKind::Base64Pem),
        _ => {}
    }
    // no word, and no number in decimal or hexadecimal digits
    let mut len = 0_usize;
    let (mut strangers, mut digits) = (0_usize, true);
    for byte in text.iter().filter(|byte| !byte.is_ascii_whitespace()) {
        len = len.wrapping_add(1);
        let is_known = byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_');
        strangers = strangers.wrapping_add(usize::from(!is_known));
        digits &= byte.is_ascii_hexdigit();
    }
    let padding = text.iter().rev().take_while(|byte| **byte == b'=').count();
    let mut place = Zeroizing::new([0; PRIVATE_BEGINNING]);
    if len >= 40 && digits && is_container(hex_beginning(text, &mut *place)) {
        return Some(FileKind::HexDer);
    }
    if len >= 40 && padding <= 2 && strangers == padding {
        let is_der = is_container(pem::decode_beginning(text, &mut *place));
        if is_der {
            return Some(FileKind::Base64Der);
        }
    }
    let is_base64 = len >= 40 && strangers == 0 && !digits;
    (is_base64 && matches!(len % 4, 2 | 3)).then_some(FileKind::Base64WithoutPadding)
}
