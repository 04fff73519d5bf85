//! Public keys on a line: type, base64, comment.

use super::wire::{algorithm, blob, check_text, is_key_type, not_ssh, read_blob, type_name};
use crate::error::{Error, Refusal, Result, quoted};
use crate::key::Key;
use base64ct::{Base64, Base64Unpadded, Encoding};
use sha2::{Digest, Sha256};

/// The longest line, in bytes.
const LONGEST_LINE: usize = 1 << 13;

/// The bytes between words.
pub(super) const BLANKS: [char; 2] = [' ', '\t'];

/// True if the bytes begin as a public key of OpenSSH does: a type of key, known or not, and the base64 of a short
/// field.
pub fn is_public_key(bytes: &[u8]) -> bool {
    let mut words = bytes.splitn(2, |b| matches!(b, b' ' | b'\t'));
    let (word, rest) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    is_key_type(word) && rest.trim_ascii_start().starts_with(b"AAAA")
}

/// Reads one line `type base64 comment` (sshd(8), AUTHORIZED_KEYS FILE FORMAT, without options): the key and the comment,
/// which is empty if there is none. The line may end with `\n` or `\r\n`, and nothing follows it.
///
/// # Errors
/// [`Refusal::Unsupported`]: a security key or a certificate. [`Refusal::AlgUnknown`]: another type of key, such as
/// `ssh-rsa`. [`Refusal::AlgMismatch`]: the type in front is not the one inside, or the key does not fit it.
/// [`Refusal::TooLarge`]: more than 8192 bytes. [`Refusal::NotSsh`]: anything else.
pub fn read_public(text: &[u8]) -> Result<(Key, String)> {
    check_line_length(text.len())?;
    let line = text.strip_suffix(b"\n").unwrap_or(text);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let line = std::str::from_utf8(line).map_err(|_| not_ssh("the line is not UTF-8"))?;
    let (key, comment) = read_words(line)?;
    Ok((key, comment.to_owned()))
}

fn check_line_length(len: usize) -> Result<()> {
    if len > LONGEST_LINE {
        let detail = format!("the line is {len} bytes; at most {LONGEST_LINE} are allowed");
        return Err(Error::new(Refusal::TooLarge, detail));
    }
    Ok(())
}

/// Reads the words of a line, without its end.
pub(super) fn read_words(line: &str) -> Result<(Key, &str)> {
    check_line_length(line.len())?;
    let (name, rest) = line.split_once(BLANKS).unwrap_or((line, ""));
    let named = algorithm(name.as_bytes())?;
    let rest = rest.trim_start_matches(BLANKS);
    let (base64, comment) = rest.split_once(BLANKS).unwrap_or((rest, ""));
    let comment = comment.trim_start_matches(BLANKS);
    check_text(comment, "comment")?;
    let blob = Base64::decode_vec(base64).map_err(|_| {
        not_ssh(format!("the key is not padded, canonical base64: {}", quoted(base64)))
    })?;
    let key = read_blob(&blob)?;
    if key.algorithm() != named {
        let inside = type_name(key.algorithm());
        let detail = format!("the line says `{name}`; the key inside is `{inside}`");
        return Err(Error::new(Refusal::AlgMismatch, detail));
    }
    Ok((key, comment))
}

/// The line `type base64 comment` with `\n` at its end, as `ssh-keygen` writes it. The comment may be empty.
///
/// # Errors
/// [`Refusal::NotSsh`]: the comment has a control character, or the key is compressed and no point.
/// [`Refusal::TooLarge`]: the comment has more than 4096 bytes.
pub fn write_public(key: &Key, comment: &str) -> Result<String> {
    check_text(comment, "comment")?;
    let (name, base64) = (type_name(key.algorithm()), Base64::encode_string(&blob(key)?));
    let blank = if comment.is_empty() { "" } else { " " };
    Ok(format!("{name} {base64}{blank}{comment}\n"))
}

/// `SHA256:` and the base64, without padding, of the hash of the key, as `ssh-keygen -l` shows it.
///
/// # Errors
/// [`Refusal::NotSsh`]: the key is compressed and no point.
pub fn fingerprint(key: &Key) -> Result<String> {
    Ok(format!("SHA256:{}", Base64Unpadded::encode_string(&Sha256::digest(blob(key)?))))
}
