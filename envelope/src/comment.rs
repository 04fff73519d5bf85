//! The text form that minisign and signify share: a comment on a line, then base64 on a line. The public key in it is the
//! same in both: `Ed`, 8 bytes of an identifier, 32 bytes.

use crate::error::{Error, Refusal, Result, quoted};
use crate::key::Key;
use crate::secret::SecretKey;
use base64ct::{Base64, Encoding};
use sigmill::bulk::Algorithm;
use zeroize::Zeroizing;

/// The line of a comment that nothing signs begins with this.
pub(crate) const UNTRUSTED: &str = "untrusted comment: ";

/// The longest line with an untrusted comment in bytes: minisign reads it into 1,024 bytes with the line break and a zero.
pub(crate) const LONGEST_UNTRUSTED: usize = 1022;

/// Reads line by line; no line is longer than its reader says.
pub(crate) struct Lines<'a> {
    form: Refusal,
    rest: &'a [u8],
    line: usize,
    broken_off: bool,
}

impl<'a> Lines<'a> {
    /// Of a whole file; other text is refused as not of this form.
    pub(crate) fn new(text: &'a [u8], form: Refusal) -> Self {
        Lines { form, rest: text, line: 0, broken_off: false }
    }

    /// The next line without its line break.
    fn next(&mut self, name: &str, longest: usize) -> Result<&'a [u8]> {
        self.line += 1;
        let number = self.line;
        if self.rest.is_empty() {
            return Err(Error::new(self.form, format!("line {number}, with {name}, is missing")));
        }
        // one byte more than the longest line, so that a file of any size costs no more than a line
        let window = self.rest.get(..=longest).unwrap_or(self.rest);
        let (line, rest) = match window.iter().position(|&byte| byte == b'\n') {
            Some(at) => (self.rest.get(..at), self.rest.get(at + 1..)),
            None if self.rest.len() <= longest => {
                self.broken_off = true;
                (Some(self.rest), None)
            }
            None => {
                let detail = format!("line {number}, with {name}, is longer than {longest} bytes");
                return Err(Error::new(Refusal::TooLarge, detail));
            }
        };
        self.rest = rest.unwrap_or_default();
        let line = line.unwrap_or_default();
        // both tools read CR LF, which a checkout on Windows may have made of LF
        Ok(line.strip_suffix(b"\r").unwrap_or(line))
    }

    /// The comment of the next line, which begins with the prefix. Controls other than tabs are refused.
    pub(crate) fn comment(&mut self, prefix: &str, longest: usize) -> Result<String> {
        let line = self.next("a comment", longest)?;
        let number = self.line;
        let Ok(line) = std::str::from_utf8(line) else {
            return Err(Error::new(self.form, format!("line {number} is not UTF-8")));
        };
        let Some(comment) = line.strip_prefix(prefix) else {
            // the line is not shown: it may be the secret one of a file without a comment
            let detail = format!("line {number} does not begin with {}", quoted(prefix));
            return Err(Error::new(self.form, detail));
        };
        check_comment(self.form, prefix, comment, longest)?;
        Ok(comment.to_owned())
    }

    /// The bytes of the next line, as many as there must be, in base64 with padding. Time does not depend on them.
    pub(crate) fn base64<const N: usize>(&mut self, name: &str) -> Result<Zeroizing<[u8; N]>> {
        let characters = N.div_ceil(3) * 4;
        let line = self.next(name, 4096)?;
        let number = self.line;
        if line.len() != characters {
            let detail = format!(
                "line {number} has {} characters; {name} has {N} bytes, {characters} characters in base64",
                line.len()
            );
            return Err(Error::new(self.form, detail));
        }
        let mut bytes = Zeroizing::new([0; N]);
        match Base64::decode(line, bytes.as_mut_slice()) {
            Ok(decoded) if decoded.len() == N => Ok(bytes),
            _ => {
                let detail = format!("line {number}, {name}, is not base64 of {N} bytes");
                Err(Error::new(self.form, detail))
            }
        }
    }

    /// Nothing may follow but line breaks.
    pub(crate) fn end(&self) -> Result<()> {
        if is_blank(self.rest) {
            return Ok(());
        }
        let (bytes, line) = (self.rest.len(), self.line);
        let detail = format!("{bytes} bytes follow line {line}, which is the last");
        Err(Error::new(self.form, detail))
    }

    /// All that follows. The line before it has its line break.
    pub(crate) fn rest(&self) -> Result<&'a [u8]> {
        if self.broken_off {
            let detail = format!("line {} has no line break at its end", self.line);
            return Err(Error::new(self.form, detail));
        }
        Ok(self.rest)
    }
}

/// True of line breaks alone.
pub(crate) fn is_blank(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| matches!(byte, b'\n' | b'\r'))
}

/// Refuses controls other than tabs, line breaks of Unicode, and comments too long for their line.
fn check_comment(form: Refusal, prefix: &str, comment: &str, longest: usize) -> Result<()> {
    let bytes = prefix.len() + comment.len();
    if bytes > longest {
        let detail = format!(
            "a comment has {} bytes; {} fit on the line",
            comment.len(),
            longest.saturating_sub(prefix.len())
        );
        return Err(Error::new(Refusal::TooLarge, detail));
    }
    let bad = |c: &char| (c.is_control() && *c != '\t') || matches!(c, '\u{2028}' | '\u{2029}');
    if let Some(c) = comment.chars().find(bad) {
        let detail = format!("a comment has the character U+{:04X}", u32::from(c));
        return Err(Error::new(form, detail));
    }
    Ok(())
}

/// Adds a line with a comment.
pub(crate) fn push_comment(
    text: &mut String,
    form: Refusal,
    prefix: &str,
    comment: &str,
    longest: usize,
) -> Result<()> {
    check_comment(form, prefix, comment, longest)?;
    for part in [prefix, comment, "\n"] {
        text.push_str(part);
    }
    Ok(())
}

/// A line with an untrusted comment and a line of base64. The text is allocated once, because the bytes may be secret.
pub(crate) fn two_lines(form: Refusal, comment: &str, bytes: &[u8]) -> Result<Zeroizing<String>> {
    let mut base64 = Zeroizing::new(vec![0; Base64::encoded_len(bytes)]);
    let Ok(base64) = Base64::encode(bytes, &mut base64) else {
        return Err(Error::new(form, "the bytes do not fit into base64"));
    };
    let len = UNTRUSTED.len() + comment.len() + base64.len() + 2;
    let mut text = Zeroizing::new(String::with_capacity(len));
    push_comment(&mut text, form, UNTRUSTED, comment, LONGEST_UNTRUSTED)?;
    text.push_str(base64);
    text.push('\n');
    Ok(text)
}

/// `Ed`, the identifier and the rest: 32 bytes of a key or 64 of a signature.
pub(crate) fn split<const N: usize>(bytes: &[u8]) -> Option<([u8; 2], [u8; 8], [u8; N])> {
    let (algorithm, rest) = bytes.split_first_chunk()?;
    let (id, rest) = rest.split_first_chunk()?;
    Some((*algorithm, *id, *rest.first_chunk()?))
}

/// A public key: its identifier and the key.
pub(crate) fn public_key(form: Refusal, bytes: &[u8; 42]) -> Result<([u8; 8], Key)> {
    let Some((algorithm, id, key)) = split::<32>(bytes) else {
        return Err(Error::new(form, "the key is too short"));
    };
    check_algorithm("a key", algorithm)?;
    Ok((id, Key::new(Algorithm::Ed25519, &key)?))
}

/// The algorithm of keys, and of signatures over the file itself, is `Ed`.
pub(crate) fn check_algorithm(of: &str, algorithm: [u8; 2]) -> Result<()> {
    if algorithm == *b"Ed" {
        return Ok(());
    }
    let seen = quoted(&String::from_utf8_lossy(&algorithm));
    Err(Error::new(Refusal::AlgUnknown, format!("the algorithm of {of} is {seen}; `Ed` is known")))
}

/// The bytes of a public key.
pub(crate) fn public_bytes(id: &[u8; 8], key: &Key) -> Result<Vec<u8>> {
    check_ed25519(key.algorithm())?;
    Ok([b"Ed", id.as_slice(), key.bytes()].concat())
}

/// Of 64 bytes, the seed and the public key, which must belong together: a signature with another public key would
/// betray the secret one.
pub(crate) fn secret_key(form: Refusal, bytes: &[u8; 64]) -> Result<SecretKey> {
    let (seed, public) = bytes.split_at(32);
    let key = SecretKey::new(Algorithm::Ed25519, seed)?;
    if key.public_key().bytes() != public {
        return Err(Error::new(form, "the public half of the secret key is not that of its seed"));
    }
    Ok(key)
}

/// The seed and the public key.
pub(crate) fn secret_bytes(key: &SecretKey) -> Result<Zeroizing<[u8; 64]>> {
    check_ed25519(key.algorithm())?;
    let mut bytes = Zeroizing::new([0; 64]);
    let (seed, public) = bytes.split_at_mut(32);
    copy(&key.to_bytes(), seed);
    copy(key.public_key().bytes(), public);
    Ok(bytes)
}

/// Copies as many bytes as both have.
pub(crate) fn copy(from: &[u8], to: &mut [u8]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from;
    }
}

/// Adds a stream of as many bytes to a secret.
pub(crate) fn xor(bytes: &mut [u8], stream: &[u8]) {
    for (byte, key) in bytes.iter_mut().zip(stream) {
        *byte ^= key;
    }
}

/// Compares two checksums in time that does not depend on them.
pub(crate) fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
}

/// Both tools have Ed25519 alone.
pub(crate) fn check_ed25519(algorithm: Algorithm) -> Result<()> {
    if algorithm == Algorithm::Ed25519 {
        return Ok(());
    }
    let detail = format!("the key is one of {}; this form has Ed25519 alone", algorithm.name());
    Err(Error::new(Refusal::AlgMismatch, detail))
}

/// The signature names the key.
pub(crate) fn check_id(signature: String, key: String) -> Result<()> {
    if signature == key {
        return Ok(());
    }
    let detail = format!("the signature is of the key {signature}; the trusted key is {key}");
    Err(Error::new(Refusal::KidUnknown, detail))
}

/// Signs the message as it is.
pub(crate) fn sign(form: Refusal, key: &SecretKey, message: &[u8]) -> Result<[u8; 64]> {
    check_ed25519(key.algorithm())?;
    let signature = key.sign(crate::signed::Scheme::Ed25519, message)?;
    signature.try_into().map_err(|_| Error::new(form, "the signature is not 64 bytes"))
}
