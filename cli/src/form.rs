//! The forms in which files hold keys and signatures: PEM, DER, raw, hex, base64.
//!
//! Secrets: file contents and decoded bytes live in memory that is wiped.

use crate::status::{Failure, Result, plain};
use crate::streams;
use crate::text::{Encoding, decode_secret, unwrapped};
use base64ct::{Base64, Encoding as _};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use zeroize::Zeroizing;

/// No key or signature in any form is near this long.
const FILE_LIMIT: usize = 64 * 1024;

/// A form of a key or signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Form {
    /// PKCS#8 (secret key) or SubjectPublicKeyInfo (public key) as PEM text
    Pem,
    /// The same as DER bytes
    Der,
    /// The bytes themselves
    Raw,
    /// Hexadecimal digits
    Hex,
    /// Base64 or base64url
    Base64,
    /// As OpenSSH writes keys
    Openssh,
    /// As minisign writes keys, which are of Ed25519
    Minisign,
    /// A JSON Web Key (RFC 7517)
    Jwk,
    /// A COSE_Key (RFC 9052)
    Cose,
}

impl Form {
    /// Whether `sigmill-envelope` reads and writes keys in this form.
    pub(crate) const fn is_of_others(self) -> bool {
        matches!(self, Form::Openssh | Form::Minisign | Form::Jwk | Form::Cose)
    }

    /// The name in options.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Form::Pem => "pem",
            Form::Der => "der",
            Form::Raw => "raw",
            Form::Hex => "hex",
            Form::Base64 => "base64",
            Form::Openssh => "openssh",
            Form::Minisign => "minisign",
            Form::Jwk => "jwk",
            Form::Cose => "cose",
        }
    }
}

pub(crate) type Bytes = Zeroizing<Vec<u8>>;

/// Reads a small file whole; `-` is standard input.
pub(crate) fn read_small(path: &Path, what: &str) -> Result<Bytes> {
    let failure = |error: io::Error| Failure::at(path, plain(&error));
    // Room for all that may come: growing would leave copies behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(2 * FILE_LIMIT));
    let limit = FILE_LIMIT as u64 + 1;
    if path == Path::new("-") {
        streams::check_stdin()?;
        io::stdin().lock().take(limit).read_to_end(&mut bytes).map_err(failure)?;
    } else {
        let file = File::open(path).map_err(failure)?;
        file.take(limit).read_to_end(&mut bytes).map_err(failure)?;
    }
    if bytes.is_empty() {
        return Err(Failure::at(path, format!("is empty; expected {what}")));
    }
    if bytes.len() > FILE_LIMIT {
        return Err(Failure::at(path, format!("over {FILE_LIMIT} bytes; expected {what}")));
    }
    Ok(bytes)
}

/// Whether a line begins like the first of PEM, blanks and a byte-order mark aside.
pub(crate) fn is_pem(bytes: &[u8]) -> bool {
    bytes.split(|byte| matches!(byte, b'\r' | b'\n')).any(|line| {
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        line.trim_ascii_start().starts_with(b"-----BEGIN ")
    })
}

pub(crate) fn is_text(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace())
}

const fn hex_len(len: usize) -> usize {
    2 * len
}

/// Characters of base64 with padding.
const fn base64_len(len: usize) -> usize {
    len.div_ceil(3) * 4
}

/// The same without padding.
const fn unpadded_len(len: usize) -> usize {
    (4 * len).div_ceil(3)
}

/// Lengths as a sentence has them, such as `66 or 130`.
fn listed(lens: &[usize], of: impl Fn(usize) -> usize) -> String {
    let texts: Vec<String> = lens.iter().map(|len| of(*len).to_string()).collect();
    texts.join(" or ")
}

/// Whether bytes are the hex or the base64 of one of these lengths, line ends aside. The error lists what
/// would be.
pub(crate) fn detect_text(bytes: &[u8], lens: &[usize]) -> std::result::Result<Form, String> {
    let text = unwrapped(bytes);
    let is_one_of =
        |of: fn(usize) -> usize| is_text(bytes) && lens.iter().any(|len| text.len() == of(*len));
    if is_one_of(hex_len) {
        return Ok(Form::Hex);
    }
    // the hex of a shorter key is as long as the base64 of a longer one
    let is_hex = text.iter().all(u8::is_ascii_hexdigit);
    if (is_one_of(base64_len) || is_one_of(unpadded_len)) && !is_hex {
        return Ok(Form::Base64);
    }
    let (hex, base64) = (listed(lens, hex_len), listed(lens, base64_len));
    let not_only = if is_hex { ", which has more than hexadecimal digits" } else { "" };
    let set_out = set_out(bytes).map_or(String::new(), |how| format!(" ({how})"));
    Err(format!("{hex} of hex, nor {base64} of base64{not_only}{set_out}"))
}

/// The way in which another program sets out digits, and how to undo it.
fn set_out(bytes: &[u8]) -> Option<&'static str> {
    let text = bytes.trim_ascii();
    let are_digits = |text: &[u8], between: u8| {
        let mut others = text.iter().filter(|byte| !byte.is_ascii_hexdigit());
        text.contains(&between) && others.all(|byte| *byte == between || byte.is_ascii_whitespace())
    };
    let prefix =
        [&b"0x"[..], b"0X", b"\\x"].into_iter().find_map(|prefix| text.strip_prefix(prefix));
    match text {
        _ if prefix.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)) => {
            Some("`0x` in front of its digits is too much")
        }
        [b'"', .., b'"'] | [b'\'', .., b'\''] => Some("the quotes around it are too much"),
        [b'0', b'0', b'0', b'0', b'0', b'0', b'0', b'0', b':', ..] => {
            Some("`xxd -r FILE` gives the bytes of what `xxd` prints")
        }
        text if are_digits(text, b':') => Some("`tr -d :` takes out the colons between its digits"),
        text if are_digits(text, b' ') => {
            Some("`tr -d ' '` takes out the blanks between its digits")
        }
        _ => None,
    }
}

/// Refuses raw bytes that may be the hex of half as many.
pub(crate) fn refuse_half_hex(path: &Path, bytes: &[u8], option: &str) -> Result<()> {
    if bytes.iter().all(u8::is_ascii_hexdigit) {
        let len = bytes.len();
        let what = format!(
            "{len} hexadecimal digits may be {len} raw bytes or {} in hex{option}",
            len / 2
        );
        return Err(Failure::at(path, what));
    }
    Ok(())
}

pub(crate) fn wiped_text(text: Zeroizing<String>) -> Bytes {
    Zeroizing::new(text.as_bytes().to_vec())
}

/// The bytes of a form that is not a container. Text must be that of one of these lengths; with none, of any.
/// Secrets in it are decoded without a branch or an index on a character.
pub(crate) fn decode(path: &Path, bytes: Bytes, form: Form, lens: &[usize]) -> Result<Bytes> {
    let encoding = match form {
        Form::Hex => Encoding::Hex,
        Form::Base64 => Encoding::Base64,
        _ => return Ok(bytes),
    };
    let decoded = decode_secret(encoding, &bytes).map_err(|error| Failure::at(path, error))?;
    if lens.is_empty() || lens.contains(&decoded.len()) {
        return Ok(decoded);
    }
    let (name, of): (_, fn(usize) -> usize) = match form {
        Form::Hex => ("hex", hex_len),
        _ => ("base64", base64_len),
    };
    let got = unwrapped(&bytes).len();
    Err(Failure::at(path, format!("{got} characters of {name}, not {}", listed(lens, of))))
}

fn line_of_hex(bytes: &[u8]) -> Bytes {
    let mut text = Zeroizing::new(vec![b'\n'; 2 * bytes.len() + 1]);
    // The place is large enough; what the digits leave is the line ending.
    let _ = base16ct::lower::encode(bytes, &mut text);
    text
}

fn line_of_base64(bytes: &[u8]) -> Bytes {
    let mut text = Zeroizing::new(vec![b'\n'; base64_len(bytes.len()) + 1]);
    let _ = Base64::encode(bytes, &mut text);
    text
}

/// Writes bytes as they are, or as a line of hex or base64.
pub(crate) fn encode(form: Form, bytes: &[u8]) -> Bytes {
    match form {
        Form::Hex => line_of_hex(bytes),
        Form::Base64 => line_of_base64(bytes),
        _ => Zeroizing::new(bytes.to_vec()),
    }
}
