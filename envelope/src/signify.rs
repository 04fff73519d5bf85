//! signify of OpenBSD: keys and signatures.
//!
//! The forms are those of signify(1) and of its source, `usr.bin/signify/signify.c`: a line with a comment, then a line of
//! base64, both ended by LF, or by CR LF when they are read. Signatures are pure Ed25519 over the file itself, which lies
//! beside the signature or follows it in the same file (`signify -S -e`). Lists of checksums (`signify -C`) and compressed archives (`-z`) are not read:
//! a list comes out as the message of its signature.

use crate::comment::{self, LONGEST_UNTRUSTED, Lines, UNTRUSTED};
use crate::error::{Error, Refusal, Result, quoted};
use crate::key::Key;
use crate::secret::SecretKey;
use crate::signed::{Scheme, Signed};
use sha2::{Digest, Sha512};
use std::borrow::Cow;
use zeroize::Zeroizing;

const FORM: Refusal = Refusal::NotSignify;

/// The rounds of bcrypt_pbkdf that signify writes.
pub const ROUNDS: u32 = 42;
/// The most rounds that are read.
pub const MOST_ROUNDS: u32 = 1024;

/// An identifier of a key in 16 hexadecimal digits.
pub fn id_text(id: &[u8; 8]) -> String {
    format!("{:016x}", u64::from_be_bytes(*id))
}

/// A public key with its identifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicKey {
    /// The key of Ed25519.
    pub key: Key,
    /// Its identifier, drawn at random with the key; nothing binds them together.
    pub id: [u8; 8],
    /// The comment of its file, which nothing signs.
    pub untrusted_comment: String,
}

impl PublicKey {
    /// Reads the two lines.
    ///
    /// # Errors
    /// [`Refusal::NotSignify`], [`Refusal::TooLarge`]: another form. [`Refusal::AlgUnknown`]: an algorithm other than `Ed`.
    pub fn read(text: &[u8]) -> Result<Self> {
        let (untrusted_comment, bytes) = two_lines::<42>(text, "a public key")?;
        let (id, key) = comment::public_key(FORM, &bytes)?;
        Ok(PublicKey { key, id, untrusted_comment })
    }

    /// The two lines.
    ///
    /// # Errors
    /// [`Refusal::AlgMismatch`]: the key is not one of Ed25519. [`Refusal::NotSignify`], [`Refusal::TooLarge`]: a comment
    /// with controls, or a long one.
    pub fn write(&self) -> Result<String> {
        let bytes = comment::public_bytes(&self.id, &self.key)?;
        Ok(comment::two_lines(FORM, &self.untrusted_comment, &bytes)?.to_string())
    }
}

/// The comment and the bytes of a file of two lines.
fn two_lines<const N: usize>(text: &[u8], name: &str) -> Result<(String, Zeroizing<[u8; N]>)> {
    let mut lines = Lines::new(text, FORM);
    let comment = lines.comment(UNTRUSTED, LONGEST_UNTRUSTED)?;
    let bytes = lines.base64(name)?;
    lines.rest()?;
    lines.end()?;
    Ok((comment, bytes))
}

/// A secret key with its identifier, as its file has it.
#[derive(Clone, Debug)]
pub struct SecretKeyFile {
    /// The key of Ed25519.
    pub key: SecretKey,
    /// Its identifier.
    pub id: [u8; 8],
    /// The comment of the file, which nothing signs.
    pub untrusted_comment: String,
}

impl SecretKeyFile {
    /// Reads the file; the passphrase is not looked at where the key is not encrypted.
    ///
    /// # Errors
    /// [`Refusal::NotSignify`]: another form, a wrong checksum of a key without a passphrase, or a public half that does
    /// not belong to the seed. [`Refusal::AlgUnknown`], [`Refusal::Unsupported`]: an algorithm or derivation other than
    /// `Ed` and `BK`. [`Refusal::TooLarge`]: more than [`MOST_ROUNDS`]. [`Refusal::PassphraseMissing`],
    /// [`Refusal::PassphraseWrong`]: encrypted, and the passphrase does not fit.
    pub fn read(text: &[u8], passphrase: Option<&[u8]>) -> Result<Self> {
        let (untrusted_comment, bytes) = two_lines::<104>(text, "a secret key")?;
        let Some(fields) = Fields::of(&bytes) else {
            return Err(Error::new(FORM, "the secret key is too short"));
        };
        comment::check_algorithm("a secret key", fields.algorithm)?;
        if fields.derivation != *b"BK" {
            let seen = quoted(&String::from_utf8_lossy(&fields.derivation));
            let detail = format!("the derivation is {seen}; `BK` (bcrypt_pbkdf) is known");
            return Err(Error::new(Refusal::Unsupported, detail));
        }
        let mut secret = Zeroizing::new(*fields.secret);
        let encrypted = fields.rounds != 0;
        if encrypted {
            check_rounds(fields.rounds)?;
            let Some(passphrase) = passphrase else {
                let detail = "the secret key is encrypted with bcrypt_pbkdf";
                return Err(Error::new(Refusal::PassphraseMissing, detail));
            };
            let stream = stream(passphrase, fields.salt, fields.rounds)?;
            comment::xor(secret.as_mut_slice(), stream.as_slice());
        }
        if !comment::same(checksum(&secret).as_slice(), fields.checksum) {
            let (refusal, detail) = match encrypted {
                true => (Refusal::PassphraseWrong, "the checksum under this passphrase is wrong"),
                false => (FORM, "the checksum of the secret key is wrong"),
            };
            return Err(Error::new(refusal, detail));
        }
        let key = comment::secret_key(FORM, &secret)?;
        Ok(SecretKeyFile { key, id: fields.id, untrusted_comment })
    }

    /// The file without a passphrase, as `signify -G -n` writes it.
    ///
    /// # Errors
    /// As [`PublicKey::write`]; [`Refusal::Unsupported`]: the system has no random bytes.
    pub fn write(&self) -> Result<Zeroizing<String>> {
        self.write_rounds(&[], 0)
    }

    /// The file with a passphrase: bcrypt_pbkdf with so many rounds, for signify's own [`ROUNDS`], and fresh salt of the
    /// operating system.
    ///
    /// # Errors
    /// As [`SecretKeyFile::write`]; [`Refusal::PassphraseMissing`]: it is empty; [`Refusal::TooLarge`]: no rounds, or more
    /// than [`MOST_ROUNDS`].
    pub fn write_encrypted(&self, passphrase: &[u8], rounds: u32) -> Result<Zeroizing<String>> {
        check_rounds(rounds)?;
        self.write_rounds(passphrase, rounds)
    }

    fn write_rounds(&self, passphrase: &[u8], rounds: u32) -> Result<Zeroizing<String>> {
        let mut salt = [0; 16];
        getrandom::fill(&mut salt).map_err(|error| {
            Error::new(Refusal::Unsupported, format!("the system has no random bytes: {error}"))
        })?;
        let mut secret = comment::secret_bytes(&self.key)?;
        let sum = checksum(&secret);
        if rounds != 0 {
            comment::xor(secret.as_mut_slice(), stream(passphrase, &salt, rounds)?.as_slice());
        }
        let rounds = rounds.to_be_bytes();
        let parts: [&[u8]; 7] =
            [b"Ed", b"BK", &rounds, &salt, sum.as_slice(), &self.id, secret.as_slice()];
        let bytes = Zeroizing::new(parts.concat());
        comment::two_lines(FORM, &self.untrusted_comment, &bytes)
    }

    /// The public key under this comment.
    pub fn public_key(&self, untrusted_comment: String) -> PublicKey {
        PublicKey { key: self.key.public_key(), id: self.id, untrusted_comment }
    }
}

/// The 104 bytes of a secret key.
struct Fields<'a> {
    algorithm: [u8; 2],
    derivation: [u8; 2],
    rounds: u32,
    salt: &'a [u8; 16],
    checksum: &'a [u8; 8],
    id: [u8; 8],
    /// The seed and the public key; encrypted if there are rounds.
    secret: &'a [u8; 64],
}

impl<'a> Fields<'a> {
    fn of(bytes: &'a [u8; 104]) -> Option<Self> {
        let (algorithm, rest) = bytes.split_first_chunk()?;
        let (derivation, rest) = rest.split_first_chunk()?;
        let (rounds, rest) = rest.split_first_chunk()?;
        let (salt, rest) = rest.split_first_chunk()?;
        let (checksum, rest) = rest.split_first_chunk()?;
        let (id, rest) = rest.split_first_chunk()?;
        Some(Fields {
            algorithm: *algorithm,
            derivation: *derivation,
            rounds: u32::from_be_bytes(*rounds),
            salt,
            checksum,
            id: *id,
            secret: rest.first_chunk()?,
        })
    }
}

/// The first bytes of SHA-512 of the key.
fn checksum(secret: &[u8; 64]) -> Zeroizing<[u8; 8]> {
    let digest = Zeroizing::new(<[u8; 64]>::from(Sha512::digest(secret)));
    let mut sum = Zeroizing::new([0; 8]);
    comment::copy(digest.as_slice(), sum.as_mut_slice());
    sum
}

fn check_rounds(rounds: u32) -> Result<()> {
    if (1..=MOST_ROUNDS).contains(&rounds) {
        return Ok(());
    }
    let detail = format!("bcrypt_pbkdf has {rounds} rounds; 1 to {MOST_ROUNDS} are read");
    Err(Error::new(Refusal::TooLarge, detail))
}

/// The 64 bytes that a key is encrypted with.
fn stream(passphrase: &[u8], salt: &[u8; 16], rounds: u32) -> Result<Zeroizing<[u8; 64]>> {
    if passphrase.is_empty() {
        return Err(Error::new(Refusal::PassphraseMissing, "signify takes no empty passphrase"));
    }
    let mut stream = Zeroizing::new([0; 64]);
    match bcrypt_pbkdf::bcrypt_pbkdf(passphrase, salt, rounds, stream.as_mut_slice()) {
        Ok(()) => Ok(stream),
        Err(error) => Err(Error::new(FORM, format!("bcrypt_pbkdf: {error}"))),
    }
}

/// A signature file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The key that the signature names.
    pub key_id: [u8; 8],
    /// The comment, which nothing signs.
    pub untrusted_comment: String,
    /// The signature of the message.
    pub signature: [u8; 64],
}

impl Signature {
    /// Reads a signature beside its message: two lines, and at most line breaks after them.
    ///
    /// # Errors
    /// [`Refusal::NotSignify`], [`Refusal::TooLarge`]: another form. [`Refusal::AlgUnknown`]: an algorithm other than `Ed`.
    pub fn read(text: &[u8]) -> Result<Self> {
        let (signature, message) = Signature::read_embedded(text)?;
        if !comment::is_blank(message) {
            let detail = format!(
                "{} bytes follow the signature; a signature with its message in it (`-e`) is read as such",
                message.len()
            );
            return Err(Error::new(FORM, detail));
        }
        Ok(signature)
    }

    /// Reads a signature that its message follows (`signify -S -e`), and gives the message too.
    ///
    /// # Errors
    /// As [`Signature::read`].
    pub fn read_embedded(text: &[u8]) -> Result<(Self, &[u8])> {
        let mut lines = Lines::new(text, FORM);
        let untrusted_comment = lines.comment(UNTRUSTED, LONGEST_UNTRUSTED)?;
        let bytes = lines.base64::<74>("a signature")?;
        let message = lines.rest()?;
        let Some((algorithm, key_id, signature)) = comment::split(bytes.as_slice()) else {
            return Err(Error::new(FORM, "the signature is too short"));
        };
        comment::check_algorithm("a signature", algorithm)?;
        Ok((Signature { key_id, untrusted_comment, signature }, message))
    }

    /// The two lines.
    ///
    /// # Errors
    /// [`Refusal::NotSignify`], [`Refusal::TooLarge`]: a comment with controls, or a long one.
    pub fn write(&self) -> Result<String> {
        let bytes = [b"Ed", self.key_id.as_slice(), &self.signature].concat();
        Ok(comment::two_lines(FORM, &self.untrusted_comment, &bytes)?.to_string())
    }

    /// The two lines and the message after them, as `signify -S -e` writes them.
    ///
    /// # Errors
    /// As [`Signature::write`].
    pub fn write_embedded(&self, message: &[u8]) -> Result<Vec<u8>> {
        Ok([self.write()?.as_bytes(), message].concat())
    }

    /// Refuses a signature that names another key.
    ///
    /// # Errors
    /// [`Refusal::KidUnknown`], with both identifiers.
    pub fn check_key(&self, key: &PublicKey) -> Result<()> {
        comment::check_id(id_text(&self.key_id), id_text(&key.id))
    }

    /// Of the message.
    pub fn signed<'a>(&'a self, message: &'a [u8]) -> Signed<'a> {
        let (message, signature) = (Cow::Borrowed(message), Cow::Borrowed(&self.signature[..]));
        Signed { scheme: Scheme::Ed25519, message, signature }
    }
}

/// Signs a message. signify's own comment is `verify with` and the name of the file with the public key.
///
/// # Errors
/// [`Refusal::AlgMismatch`]: the key is not one of Ed25519. [`Refusal::NotSignify`], [`Refusal::TooLarge`]: a comment with
/// controls, or a long one.
pub fn sign(
    key: &SecretKey,
    id: [u8; 8],
    message: &[u8],
    untrusted_comment: &str,
) -> Result<Signature> {
    let signature = comment::sign(FORM, key, message)?;
    // a comment that cannot be written is refused here, not later
    let signature =
        Signature { key_id: id, untrusted_comment: untrusted_comment.to_owned(), signature };
    signature.write()?;
    Ok(signature)
}
