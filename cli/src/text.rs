//! Bytes written as text: hexadecimal, base64, or the text itself. One language for tables and for files of
//! keys and signatures.
//!
//! Line ends anywhere in hexadecimal and base64 are passed over, as `xxd -p`, `base64` and `openssl base64` write
//! them. Base64 has the alphabet of RFC 4648 section 4 or that of section 5 (base64url), not both in one
//! value, and its padding or none; half a padding is an error, and so are bits after the last byte that are
//! not zero. A blank is no line end.
//!
//! Two decoders read this language: [`Encoding::decode_into`] the public cells of tables, in a time that depends
//! on them, and [`decode_secret`] what may be secret, without a branch or an index on a character.

use base64ct::{Base64Unpadded, Base64UrlUnpadded, Encoding as _};
use clap::ValueEnum;
use data_encoding::{
    BASE64, BASE64_NOPAD, BASE64URL, BASE64URL_NOPAD, DecodeError, DecodeKind, Encoding as Base,
    HEXLOWER_PERMISSIVE,
};
use zeroize::Zeroizing;

/// How a text stands for bytes. A column of a binary type holds the bytes themselves unless an option says
/// otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Encoding {
    /// Hexadecimal digits of either case
    Hex,
    /// Base64 or base64url, with or without padding (RFC 4648 sections 4 and 5)
    Base64,
    /// The bytes of the text itself (UTF-8)
    Raw,
}

const HEX: &str = "hexadecimal";
const BASE_64: &str = "base64";
const BOTH_ALPHABETS: &str = "characters of base64 and of base64url in one value";
const PARTLY_PADDED: &str = "too little or too much padding";

impl Encoding {
    /// The bytes that a text stands for.
    pub(crate) fn decode(self, text: &[u8]) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        self.decode_into(text, &mut bytes)?;
        Ok(bytes)
    }

    /// Appends the bytes that a text stands for; appends nothing on an error. Time depends on the text.
    pub(crate) fn decode_into(self, text: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
        let (what, decode): (_, Decode) = match self {
            Encoding::Raw => {
                out.extend_from_slice(text);
                return Ok(());
            }
            Encoding::Hex => (HEX, |text, out| append(&HEXLOWER_PERMISSIVE, text, out)),
            Encoding::Base64 => (BASE_64, append_base64),
        };
        // few texts have line ends: they are looked for where a text is none without them
        let Err(fault) = decode(text, out) else { return Ok(()) };
        let fault = if text.iter().any(is_line_end) {
            match decode(&unwrapped(text), out) {
                Ok(()) => return Ok(()),
                Err(fault) => Fault { at: position_in(text, fault.at), ..fault },
            }
        } else {
            fault
        };
        // a wrong character says more than a wrong number of them
        let stranger = text.iter().position(|byte| !is_line_end(byte) && !self.has(byte));
        Err(match (fault.what, stranger) {
            (Wrong::Cut, Some(at)) => say(what, text, &Fault { at, what: Wrong::Symbol }),
            (wrong, _) => say(what, text, &Fault { what: wrong, ..fault }),
        })
    }

    /// Whether a text may have this character.
    fn has(self, byte: &u8) -> bool {
        match self {
            Encoding::Hex => byte.is_ascii_hexdigit(),
            Encoding::Base64 => byte.is_ascii_alphanumeric() || b"+/-_=".contains(byte),
            Encoding::Raw => true,
        }
    }
}

type Decode = fn(&[u8], &mut Vec<u8>) -> Result<(), Fault>;

/// What is wrong with a text.
struct Fault {
    /// In the text without its line ends.
    at: usize,
    what: Wrong,
}

enum Wrong {
    Symbol,
    Cut,
    End,
    Other(&'static str),
}

impl From<DecodeError> for Fault {
    fn from(error: DecodeError) -> Self {
        let what = match error.kind {
            DecodeKind::Symbol => Wrong::Symbol,
            DecodeKind::Length => Wrong::Cut,
            DecodeKind::Trailing | DecodeKind::Padding => Wrong::End,
        };
        Fault { at: error.position, what }
    }
}

fn append_base64(text: &[u8], out: &mut Vec<u8>) -> Result<(), Fault> {
    let is_url = text.iter().any(|byte| matches!(byte, b'-' | b'_'));
    let base = match (is_url, text.ends_with(b"=")) {
        (false, false) => &BASE64_NOPAD,
        (false, true) => &BASE64,
        (true, false) => &BASE64URL_NOPAD,
        (true, true) => &BASE64URL,
    };
    append(base, text, out).map_err(|fault| {
        let rest = text.get(fault.at..).unwrap_or_default();
        let is_padding = !rest.is_empty() && rest.iter().all(|byte| *byte == b'=');
        let what = match (fault.what, rest) {
            (Wrong::Symbol, [b'+' | b'/', ..]) => Wrong::Other(BOTH_ALPHABETS),
            (Wrong::Cut, _) if text.ends_with(b"=") => Wrong::Other(PARTLY_PADDED),
            (_, _) if is_padding => Wrong::Other(PARTLY_PADDED),
            (what, _) => what,
        };
        Fault { what, ..fault }
    })
}

fn append(base: &Base, text: &[u8], out: &mut Vec<u8>) -> Result<(), Fault> {
    let before = out.len();
    let most = base.decode_len(text.len())?;
    out.resize(before + most, 0);
    match base.decode_mut(text, &mut out[before..]) {
        Ok(len) => {
            out.truncate(before + len);
            Ok(())
        }
        Err(partial) => {
            out.truncate(before);
            Err(partial.error.into())
        }
    }
}

fn is_line_end(byte: &u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// A text without its line ends, in memory that is wiped. Time depends on where they are.
pub(crate) fn unwrapped(text: &[u8]) -> Zeroizing<Vec<u8>> {
    // of the full length: growing would leave copies behind
    let mut rest = Zeroizing::new(Vec::with_capacity(text.len()));
    for line in text.split(is_line_end) {
        rest.extend_from_slice(line);
    }
    rest
}

/// Where a character of the unwrapped text stands in the text; its length, where it is past the end.
fn position_in(text: &[u8], unwrapped: usize) -> usize {
    let mut places = text.iter().enumerate().filter(|(_, byte)| !is_line_end(byte));
    places.nth(unwrapped).map_or(text.len(), |(place, _)| place)
}

fn say(what: &str, text: &[u8], fault: &Fault) -> String {
    let at = fault.at;
    match fault.what {
        Wrong::Symbol => {
            let rest = text.get(at..).unwrap_or_default();
            let character = String::from_utf8_lossy(rest).chars().next().unwrap_or('?');
            format!("not {what}: `{}` at position {at}", character.escape_default())
        }
        Wrong::Cut => format!("not {what}: cut off at position {at}"),
        Wrong::End => format!("not {what}: wrong end at position {at}"),
        Wrong::Other(why) => format!("not {what}: {why}, at position {at}"),
    }
}

/// The bytes that a text stands for, which may be secret. Of a text that stands for some, time depends on
/// its length, its line ends, its padding and on which alphabet of base64 it needs; one that does not is looked at
/// again, to say where it goes wrong.
pub(crate) fn decode_secret(encoding: Encoding, text: &[u8]) -> Result<Zeroizing<Vec<u8>>, String> {
    let flat = unwrapped(text);
    let mut bytes = Zeroizing::new(vec![0; flat.len()]);
    let len = match encoding {
        Encoding::Raw => return Ok(Zeroizing::new(text.to_vec())),
        Encoding::Hex => base16ct::mixed::decode(&*flat, &mut bytes).ok().map(<[u8]>::len),
        Encoding::Base64 => base64_of_secret(&flat, &mut bytes),
    };
    match len {
        Some(len) => {
            bytes.truncate(len);
            Ok(bytes)
        }
        None => {
            // no room for copies of what may be the most of a secret
            let mut wiped = Zeroizing::new(Vec::with_capacity(text.len()));
            let said = encoding.decode_into(text, &mut wiped).err();
            Err(said.unwrap_or_else(|| "cannot be decoded".to_owned()))
        }
    }
}

/// How many bytes base64 without line ends stands for; `None` where it stands for none.
fn base64_of_secret(flat: &[u8], out: &mut [u8]) -> Option<usize> {
    let padding = flat.iter().rev().take(3).take_while(|byte| **byte == b'=').count();
    let text = &flat[..flat.len() - padding];
    // padding is whole or not there
    let is_padded = padding > 0;
    if is_padded && (padding > 2 || !flat.len().is_multiple_of(4)) {
        return None;
    }
    // over all characters, wherever one of base64url stands
    let is_url = text.iter().fold(false, |any, byte| any | (*byte == b'-') | (*byte == b'_'));
    let decoded = match is_url {
        true => Base64UrlUnpadded::decode(text, out),
        false => Base64Unpadded::decode(text, out),
    };
    decoded.ok().map(<[u8]>::len)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By both decoders.
    fn decode(encoding: Encoding, text: &str) -> Result<Vec<u8>, String> {
        let decoded = encoding.decode(text.as_bytes());
        let secret = decode_secret(encoding, text.as_bytes()).map(|bytes| bytes.to_vec());
        assert_eq!(secret, decoded, "{encoding:?} of {text:?}");
        decoded
    }

    #[test]
    fn text_is_read_as_tools_write_it() {
        let bytes: Vec<u8> = (0..=255).chain([0xfb, 0xff]).collect();
        let forms = [
            (Encoding::Hex, HEXLOWER_PERMISSIVE.encode(&bytes)),
            (Encoding::Hex, data_encoding::HEXUPPER.encode(&bytes)),
            (Encoding::Base64, BASE64.encode(&bytes)),
            (Encoding::Base64, BASE64_NOPAD.encode(&bytes)),
            (Encoding::Base64, BASE64URL.encode(&bytes)),
            (Encoding::Base64, BASE64URL_NOPAD.encode(&bytes)),
        ];
        for (encoding, text) in &forms {
            assert_eq!(decode(*encoding, text).as_ref(), Ok(&bytes));
            // lines of any width, the last with an end or none
            for (width, end) in [(60, "\n"), (64, "\r\n"), (76, "\n"), (1, "\n\n"), (7, "\r")] {
                let lines = text.as_bytes().chunks(width).map(|line| String::from_utf8_lossy(line));
                let wrapped = lines.collect::<Vec<_>>().join(end);
                assert_eq!(decode(*encoding, &wrapped).as_ref(), Ok(&bytes), "{width}");
                assert_eq!(decode(*encoding, &(wrapped + end)).as_ref(), Ok(&bytes), "{width}");
            }
        }
        for (encoding, text) in [(Encoding::Hex, ""), (Encoding::Base64, "\n")] {
            assert_eq!(decode(encoding, text), Ok(Vec::new()));
        }
        assert_eq!(decode(Encoding::Raw, "a\n"), Ok(b"a\n".to_vec()));
    }

    #[test]
    fn nothing_is_guessed_beyond_the_encoding() {
        for (encoding, text, expected) in [
            (Encoding::Hex, "0g", "not hexadecimal: `g` at position 1"),
            (Encoding::Hex, "00\n0\n", "not hexadecimal: cut off at position 3"),
            (Encoding::Hex, "00\r\n0x", "not hexadecimal: `x` at position 5"),
            (Encoding::Hex, "00 11", "not hexadecimal: ` ` at position 2"),
            (Encoding::Hex, "00 111", "not hexadecimal: ` ` at position 2"),
            (Encoding::Base64, "AA=", "not base64: too little or too much padding, at position 0"),
            (
                Encoding::Base64,
                "AAA==",
                "not base64: too little or too much padding, at position 4",
            ),
            (
                Encoding::Base64,
                "AA=\n",
                "not base64: too little or too much padding, at position 0",
            ),
            (Encoding::Base64, "====", "not base64: too little or too much padding, at position 0"),
            (
                Encoding::Base64,
                "AAAA====",
                "not base64: too little or too much padding, at position 4",
            ),
            (Encoding::Base64, "A=AA", "not base64: `=` at position 1"),
            (Encoding::Base64, "AAAAA", "not base64: cut off at position 4"),
            (
                Encoding::Base64,
                "A-+A",
                "not base64: characters of base64 and of base64url in one value, at position 2",
            ),
            (
                Encoding::Base64,
                "A/\n_A",
                "not base64: characters of base64 and of base64url in one value, at position 1",
            ),
            (Encoding::Base64, "AB", "not base64: wrong end at position 1"),
            (Encoding::Base64, "AB==", "not base64: wrong end at position 1"),
            (Encoding::Base64, "_\n-==", "not base64: wrong end at position 2"),
            (Encoding::Base64, "AA AA", "not base64: ` ` at position 2"),
            (Encoding::Base64, "AÄ", "not base64: `\\u{c4}` at position 1"),
        ] {
            assert_eq!(decode(encoding, text), Err(expected.to_owned()), "{text:?}");
        }
    }

    #[test]
    fn both_decoders_read_one_language() {
        // all texts of up to five of these characters
        let characters = *b"A0g=-+\nz";
        for len in 0..=5 {
            for number in 0..characters.len().pow(len) {
                let text: Vec<u8> = (0..len)
                    .map(|at| characters[number / characters.len().pow(at) % characters.len()])
                    .collect();
                let text = String::from_utf8(text).expect("ASCII");
                let _ = decode(Encoding::Hex, &text);
                let _ = decode(Encoding::Base64, &text);
            }
        }
    }
}
