//! Reading keys and signatures in every form: PEM, DER, raw, hex, base64.
//!
//! How a form is found out, so that no guess can change a verdict: PEM by a line that begins
//! `-----BEGIN `; raw by a length of exactly 32 bytes (a signature: 64); hex and base64 by being
//! printable text of exactly the right length, a newline at its end aside; anything else must be
//! DER, in full and with nothing after it. Bytes of raw length that could be the hex of half a key
//! are refused. `--key-format` names the form instead.
//!
//! Secrets: file contents and decoded keys live in memory that is wiped. Reach: `status`.

use crate::status::{Failure, Result, plain};
use base64ct::{Base64, Encoding};
use sigmill::Error;
use sigmill::ed25519::{Signature, SigningKey, VerifyingKey};
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
    /// Base64 with padding
    Base64,
}

type Bytes = Zeroizing<Vec<u8>>;

/// Reads a small file whole; `-` is standard input.
fn read_small(path: &Path, what: &str) -> Result<Bytes> {
    let failure = |error: io::Error| Failure::at(path, plain(&error));
    // Room for all that may come: growing would leave copies behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(2 * FILE_LIMIT));
    let limit = FILE_LIMIT as u64 + 1;
    if path == Path::new("-") {
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

/// Reads the secret key that signs.
pub(crate) fn signing_key(path: &Path, form: Option<Form>) -> Result<SigningKey> {
    let bytes = read_small(path, "a secret key")?;
    let key = match form.map_or_else(|| detect_key(path, &bytes), Ok)? {
        Form::Pem => SigningKey::from_private_key_pem(text_of(path, &bytes)?),
        Form::Der => SigningKey::from_private_key_der(&bytes),
        form => SigningKey::decode(&decode(path, bytes, form, 32)?),
    };
    key.map_err(|error| Failure::at(path, Explained(error, "a PKCS#8 private key")))
}

/// Reads the 32 bytes of the public key that verifies. Whether they are a point is a verdict, not a
/// failure.
pub(crate) fn public_key(path: &Path, form: Option<Form>) -> Result<[u8; 32]> {
    let bytes = read_small(path, "a public key")?;
    let bytes = match form.map_or_else(|| detect_key(path, &bytes), Ok)? {
        Form::Pem => VerifyingKey::bytes_from_spki_pem(text_of(path, &bytes)?),
        Form::Der => VerifyingKey::bytes_from_spki_der(&bytes),
        form => {
            let bytes = decode(path, bytes, form, 32)?;
            let got = bytes.len();
            <[u8; 32]>::try_from(bytes.as_slice()).map_err(|_| Error::Length {
                what: "public key",
                expected: 32,
                got,
            })
        }
    };
    bytes.map_err(|error| Failure::at(path, Explained(error, "a public key")))
}

/// Reads a signature; its 64 bytes are not judged here.
pub(crate) fn signature(path: &Path) -> Result<Signature> {
    let bytes = read_small(path, "a signature")?;
    let form = detect_signature(path, &bytes)?;
    let bytes = decode(path, bytes, form, 64)?;
    let got = bytes.len();
    Signature::try_from(bytes.as_slice())
        .map_err(|_| Failure::at(path, Error::Length { what: "signature", expected: 64, got }))
}

/// An error of the library, with what a container should have held.
struct Explained(Error, &'static str);

impl std::fmt::Display for Explained {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Error::KeyFormat(error) => write!(f, "{error} (expected {})", self.1),
            error => error.fmt(f),
        }
    }
}

/// A form that is not a container.
fn decode(path: &Path, bytes: Bytes, form: Form, len: usize) -> Result<Bytes> {
    match form {
        Form::Hex => decode_hex(path, &bytes, len),
        Form::Base64 => decode_base64(path, &bytes, len),
        Form::Raw | Form::Pem | Form::Der => Ok(bytes),
    }
}

fn detect_key(path: &Path, bytes: &[u8]) -> Result<Form> {
    const PEM: &[u8] = b"-----BEGIN ";
    if bytes.split(|byte| *byte == b'\n').any(|line| line.starts_with(PEM)) {
        return Ok(Form::Pem);
    }
    if bytes.len() == 32 {
        refuse_half_hex(path, bytes, "; --key-format says which")?;
        return Ok(Form::Raw);
    }
    if !is_text(bytes) {
        return Ok(Form::Der);
    }
    match trim_newline(bytes).len() {
        64 => Ok(Form::Hex),
        44 => Ok(Form::Base64),
        len => Err(Failure::new(format!(
            "{}: {len} characters of text are no key: neither PEM, nor 64 of hex, nor 44 of base64",
            path.display()
        ))),
    }
}

fn detect_signature(path: &Path, bytes: &[u8]) -> Result<Form> {
    if bytes.len() == 64 {
        refuse_half_hex(path, bytes, "")?;
        return Ok(Form::Raw);
    }
    let len = trim_newline(bytes).len();
    match len {
        128 if is_text(bytes) => Ok(Form::Hex),
        88 if is_text(bytes) => Ok(Form::Base64),
        _ => Err(Failure::new(format!(
            "{}: {} bytes are no signature: neither 64 raw, nor 128 of hex, nor 88 of base64",
            path.display(),
            bytes.len()
        ))),
    }
}

fn refuse_half_hex(path: &Path, bytes: &[u8], option: &str) -> Result<()> {
    if bytes.iter().all(u8::is_ascii_hexdigit) {
        let (path, len) = (path.display(), bytes.len());
        return Err(Failure::new(format!(
            "{path}: {len} hexadecimal digits may be {len} raw bytes or {} in hex{option}",
            len / 2
        )));
    }
    Ok(())
}

fn is_text(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace())
}

/// Without the one line ending that editors and `echo` put at the end.
fn trim_newline(bytes: &[u8]) -> &[u8] {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    bytes.strip_suffix(b"\r").unwrap_or(bytes)
}

fn text_of<'a>(path: &Path, bytes: &'a [u8]) -> Result<&'a str> {
    std::str::from_utf8(bytes).map_err(|error| {
        let position = error.valid_up_to();
        Failure::new(format!("{}: no text at byte {position}", path.display()))
    })
}

fn expect_len(path: &Path, text: &[u8], len: usize, form: &str) -> Result<()> {
    if text.len() != len {
        let (path, got) = (path.display(), text.len());
        return Err(Failure::new(format!("{path}: {got} characters of {form}, not {len}")));
    }
    Ok(())
}

/// Decodes hex without a branch on a digit, unless one is wrong and has to be pointed at.
fn decode_hex(path: &Path, bytes: &[u8], len: usize) -> Result<Bytes> {
    let text = trim_newline(bytes);
    if let Some(position) = text.iter().position(|byte| !byte.is_ascii_hexdigit()) {
        let path = path.display();
        return Err(Failure::new(format!("{path}: no hexadecimal digit at byte {position}")));
    }
    expect_len(path, text, 2 * len, "hex")?;
    let mut out = Zeroizing::new(vec![0; len]);
    base16ct::mixed::decode(text, &mut out)
        .map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
    Ok(out)
}

fn decode_base64(path: &Path, bytes: &[u8], len: usize) -> Result<Bytes> {
    let text = trim_newline(bytes);
    let is_base64 = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=".contains(byte);
    if let Some(position) = text.iter().position(|byte| !is_base64(byte)) {
        let path = path.display();
        return Err(Failure::new(format!("{path}: no base64 character at byte {position}")));
    }
    expect_len(path, text, len.div_ceil(3) * 4, "base64")?;
    let mut out = Zeroizing::new(vec![0; len]);
    match Base64::decode(text, &mut out) {
        Ok(decoded) if decoded.len() == len => Ok(out),
        _ => Err(Failure::new(format!("{}: not the padded base64 of {len} bytes", path.display()))),
    }
}

fn line_of_hex(bytes: &[u8]) -> Bytes {
    let mut text = Zeroizing::new(vec![b'\n'; 2 * bytes.len() + 1]);
    // The place is large enough; what the digits leave is the line ending.
    let _ = base16ct::lower::encode(bytes, &mut text);
    text
}

fn line_of_base64(bytes: &[u8]) -> Bytes {
    let mut text = Zeroizing::new(vec![b'\n'; bytes.len().div_ceil(3) * 4 + 1]);
    let _ = Base64::encode(bytes, &mut text);
    text
}

/// Writes bytes as they are, or as a line of hex or base64.
pub(crate) fn encode(form: Form, bytes: &[u8]) -> Bytes {
    match form {
        Form::Hex => line_of_hex(bytes),
        Form::Base64 => line_of_base64(bytes),
        Form::Raw | Form::Pem | Form::Der => Zeroizing::new(bytes.to_vec()),
    }
}
