//! minisign: keys, signatures, trusted comments.
//!
//! The forms are those of the description at <https://jedisct1.github.io/minisign/>. Text is UTF-8 in lines that end with
//! LF or CR LF; the last line break may be missing, and more may follow, as the tool allows it. Other trailing bytes,
//! controls other than tabs, and base64 that is not canonical are refused.
//!
//! A signature has two parts, and both must verify: [`Signature::signed_file`] (or [`Signature::signed_digest`]) of the
//! file, and [`Signature::signed_comment`] of the signature with the trusted comment.

use crate::comment::{self, LONGEST_UNTRUSTED, Lines, UNTRUSTED};
use crate::error::{Error, Refusal, Result, quoted};
use crate::key::Key;
use crate::secret::SecretKey;
use crate::signed::{Scheme, Signed};
use blake2::{Blake2b256, Blake2b512, Digest};
use std::borrow::Cow;
use zeroize::Zeroizing;

const FORM: Refusal = Refusal::NotMinisign;
const TRUSTED: &str = "trusted comment: ";
const LONGEST_TRUSTED: usize = 8190;

/// The computation limit that minisign writes: with [`MEMLIMIT`] it is scrypt with N = 2^20, r = 8, p = 1.
pub const OPSLIMIT: u64 = 1 << 25;
/// The memory limit that minisign writes in bytes, and the highest one that is read.
pub const MEMLIMIT: u64 = 1 << 30;

const LARGEST_OPSLIMIT: u64 = 4 * OPSLIMIT;
const MOST_LANES: u64 = 1024;
/// scrypt's r, which is fixed.
const BLOCKS: u64 = 8;

/// An identifier of a key as minisign shows it: up to 16 hexadecimal digits, the last byte first, without leading zeros.
pub fn id_text(id: &[u8; 8]) -> String {
    format!("{:X}", u64::from_le_bytes(*id))
}

/// A public key with its identifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicKey {
    /// The key of Ed25519.
    pub key: Key,
    /// Its identifier, drawn at random with the key; nothing binds them together.
    pub id: [u8; 8],
    /// The comment of its file, which nothing signs; `None` of a key without a file.
    pub untrusted_comment: Option<String>,
}

impl PublicKey {
    /// Of a file of two lines, or of the line in base64 alone, as `minisign -P` takes it.
    ///
    /// # Errors
    /// [`Refusal::NotMinisign`], [`Refusal::TooLarge`]: another form. [`Refusal::AlgUnknown`]: an algorithm other than
    /// `Ed`.
    pub fn read(text: &[u8]) -> Result<Self> {
        let mut lines = Lines::new(text, FORM);
        let untrusted_comment = match text.starts_with(UNTRUSTED.as_bytes()) {
            true => Some(lines.comment(UNTRUSTED, LONGEST_UNTRUSTED)?),
            false => None,
        };
        let bytes = lines.base64::<42>("a public key")?;
        lines.end()?;
        let (id, key) = comment::public_key(FORM, &bytes)?;
        Ok(PublicKey { key, id, untrusted_comment })
    }

    /// The file of two lines; without a comment, the line in base64 alone.
    ///
    /// # Errors
    /// [`Refusal::AlgMismatch`]: the key is not one of Ed25519. [`Refusal::NotMinisign`], [`Refusal::TooLarge`]: a comment
    /// with controls, or a long one.
    pub fn write(&self) -> Result<String> {
        let bytes = comment::public_bytes(&self.id, &self.key)?;
        let text = self.untrusted_comment.as_deref().unwrap_or_default();
        let text = comment::two_lines(FORM, text, &bytes)?.to_string();
        match (&self.untrusted_comment, text.split_once('\n')) {
            (None, Some((_, base64))) => Ok(base64.trim_end().to_owned()),
            _ => Ok(text),
        }
    }
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
    /// Reads the file; the passphrase is not looked at where the key is not encrypted. Decryption takes up to 1 GiB of
    /// memory, which the library of scrypt does not wipe.
    ///
    /// # Errors
    /// [`Refusal::NotMinisign`]: another form, or a public half that does not belong to the seed.
    /// [`Refusal::AlgUnknown`], [`Refusal::Unsupported`]: an algorithm, checksum or derivation other than `Ed`, `B2`, and
    /// scrypt or none. [`Refusal::TooLarge`]: costs beyond [`MEMLIMIT`] or 4 times [`OPSLIMIT`].
    /// [`Refusal::PassphraseMissing`], [`Refusal::PassphraseWrong`]: encrypted, and the passphrase does not fit.
    pub fn read(text: &[u8], passphrase: Option<&[u8]>) -> Result<Self> {
        let mut lines = Lines::new(text, FORM);
        let untrusted_comment = lines.comment(UNTRUSTED, LONGEST_UNTRUSTED)?;
        let bytes = lines.base64::<158>("a secret key")?;
        lines.end()?;
        let Some(fields) = Fields::of(&bytes) else {
            return Err(Error::new(FORM, "the secret key is too short"));
        };
        comment::check_algorithm("a secret key", fields.algorithm)?;
        if fields.checksum != *b"B2" {
            let seen = quoted(&String::from_utf8_lossy(&fields.checksum));
            let detail = format!("the checksum is {seen}; `B2` (BLAKE2b-256) is known");
            return Err(Error::new(Refusal::Unsupported, detail));
        }
        let mut secret = Zeroizing::new(*fields.secret);
        let encrypted = match &fields.derivation {
            b"Sc" => true,
            [0, 0] => false,
            other => {
                let seen = quoted(&String::from_utf8_lossy(other));
                let detail = format!("the derivation is {seen}; `Sc` (scrypt) and none are known");
                return Err(Error::new(Refusal::Unsupported, detail));
            }
        };
        if encrypted {
            // the costs are judged before the passphrase, so that a hostile file does not ask for it
            scrypt_cost(fields.opslimit, fields.memlimit)?;
            let Some(passphrase) = passphrase else {
                let detail = "the secret key is encrypted with scrypt";
                return Err(Error::new(Refusal::PassphraseMissing, detail));
            };
            let stream = stream(passphrase, fields.salt, fields.opslimit, fields.memlimit)?;
            comment::xor(secret.as_mut_slice(), stream.as_slice());
        }
        let Some((id, key, sum)) = secret_fields(&secret) else {
            return Err(Error::new(FORM, "the secret key is too short"));
        };
        let fits = comment::same(checksum(id, key).as_slice(), sum);
        // minisign leaves the checksum of a key without a passphrase at zero
        if !fits && (encrypted || *sum != [0; 32]) {
            let (refusal, detail) = match encrypted {
                true => (Refusal::PassphraseWrong, "the checksum under this passphrase is wrong"),
                false => (FORM, "the checksum of the secret key is wrong"),
            };
            return Err(Error::new(refusal, detail));
        }
        let key = comment::secret_key(FORM, key)?;
        Ok(SecretKeyFile { key, id: *id, untrusted_comment })
    }

    /// The file without a passphrase, as `minisign -G -W` writes it.
    ///
    /// # Errors
    /// As [`PublicKey::write`].
    pub fn write(&self) -> Result<Zeroizing<String>> {
        let mut secret = Zeroizing::new([0; 104]);
        let key = comment::secret_bytes(&self.key)?;
        let (start, rest) = secret.split_at_mut(8);
        comment::copy(&self.id, start);
        comment::copy(key.as_slice(), rest);
        self.write_fields(b"\0\0", &[0; 48], &secret)
    }

    /// The file with a passphrase: scrypt under these limits, for minisign's own [`OPSLIMIT`] and [`MEMLIMIT`], with fresh
    /// salt of the operating system.
    ///
    /// # Errors
    /// As [`PublicKey::write`]; [`Refusal::TooLarge`]: limits that would not be read again; [`Refusal::Unsupported`]: the
    /// system has no random bytes.
    pub fn write_encrypted(
        &self,
        passphrase: &[u8],
        opslimit: u64,
        memlimit: u64,
    ) -> Result<Zeroizing<String>> {
        let mut salt = [0; 32];
        getrandom::fill(&mut salt).map_err(|error| {
            Error::new(Refusal::Unsupported, format!("the system has no random bytes: {error}"))
        })?;
        let key = comment::secret_bytes(&self.key)?;
        let mut secret = Zeroizing::new([0; 104]);
        let (start, rest) = secret.split_at_mut(8);
        comment::copy(&self.id, start);
        let (middle, end) = rest.split_at_mut(64);
        comment::copy(key.as_slice(), middle);
        comment::copy(checksum(&self.id, &key).as_slice(), end);
        comment::xor(
            secret.as_mut_slice(),
            stream(passphrase, &salt, opslimit, memlimit)?.as_slice(),
        );
        let mut derivation = [0; 48];
        let (start, limits) = derivation.split_at_mut(32);
        comment::copy(&salt, start);
        comment::copy(&[opslimit.to_le_bytes(), memlimit.to_le_bytes()].concat(), limits);
        self.write_fields(b"Sc", &derivation, &secret)
    }

    fn write_fields(
        &self,
        kind: &[u8; 2],
        derivation: &[u8; 48],
        secret: &[u8; 104],
    ) -> Result<Zeroizing<String>> {
        let parts = [b"Ed", kind.as_slice(), b"B2", derivation, secret];
        let bytes = Zeroizing::new(parts.concat());
        comment::two_lines(FORM, &self.untrusted_comment, &bytes)
    }

    /// The public key under this comment.
    pub fn public_key(&self, untrusted_comment: Option<String>) -> PublicKey {
        PublicKey { key: self.key.public_key(), id: self.id, untrusted_comment }
    }
}

/// The 158 bytes of a secret key.
struct Fields<'a> {
    algorithm: [u8; 2],
    derivation: [u8; 2],
    checksum: [u8; 2],
    salt: &'a [u8; 32],
    opslimit: u64,
    memlimit: u64,
    /// Encrypted if the key is: the identifier, 64 bytes of the key, the checksum.
    secret: &'a [u8; 104],
}

impl<'a> Fields<'a> {
    fn of(bytes: &'a [u8; 158]) -> Option<Self> {
        let (algorithm, rest) = bytes.split_first_chunk()?;
        let (derivation, rest) = rest.split_first_chunk()?;
        let (checksum, rest) = rest.split_first_chunk()?;
        let (salt, rest) = rest.split_first_chunk()?;
        let (opslimit, rest) = rest.split_first_chunk()?;
        let (memlimit, rest) = rest.split_first_chunk()?;
        Some(Fields {
            algorithm: *algorithm,
            derivation: *derivation,
            checksum: *checksum,
            salt,
            opslimit: u64::from_le_bytes(*opslimit),
            memlimit: u64::from_le_bytes(*memlimit),
            secret: rest.first_chunk()?,
        })
    }
}

/// The identifier, the key and the checksum.
fn secret_fields(secret: &[u8; 104]) -> Option<(&[u8; 8], &[u8; 64], &[u8; 32])> {
    let (id, rest) = secret.split_first_chunk()?;
    let (key, rest) = rest.split_first_chunk()?;
    Some((id, key, rest.first_chunk()?))
}

fn checksum(id: &[u8; 8], key: &[u8; 64]) -> Zeroizing<[u8; 32]> {
    let hasher = Blake2b256::new().chain_update(b"Ed").chain_update(id).chain_update(key);
    Zeroizing::new(hasher.finalize().into())
}

/// scrypt's parameters by the two limits of libsodium's `crypto_pwhash_scryptsalsa208sha256`.
fn scrypt_cost(opslimit: u64, memlimit: u64) -> Result<scrypt::Params> {
    for (name, limit, most) in
        [("memory", memlimit, MEMLIMIT), ("computation", opslimit, LARGEST_OPSLIMIT)]
    {
        if limit > most {
            let detail = format!("the {name} limit of scrypt is {limit}; at most {most} is read");
            return Err(Error::new(Refusal::TooLarge, detail));
        }
    }
    let operations = opslimit.max(32_768);
    let by_memory = operations >= memlimit / 32;
    let largest_n = if by_memory { memlimit / (128 * BLOCKS) } else { operations / (4 * BLOCKS) };
    let mut log_n: u8 = 1;
    while log_n < 63 && 1_u64 << log_n <= largest_n / 2 {
        log_n += 1;
    }
    let lanes = if by_memory { ((operations / 4) >> log_n) / BLOCKS } else { 1 };
    if lanes > MOST_LANES {
        let detail = format!("scrypt has p = {lanes}; at most {MOST_LANES} is read");
        return Err(Error::new(Refusal::TooLarge, detail));
    }
    let (Ok(lanes), Ok(blocks)) = (u32::try_from(lanes), u32::try_from(BLOCKS)) else {
        return Err(Error::new(Refusal::TooLarge, "scrypt's p has more than 32 bits"));
    };
    scrypt::Params::new(log_n, blocks, lanes).map_err(|_| {
        let detail = format!("scrypt has no parameters for the limits {opslimit} and {memlimit}");
        Error::new(FORM, detail)
    })
}

/// The 104 bytes that a secret is encrypted with.
fn stream(
    passphrase: &[u8],
    salt: &[u8; 32],
    opslimit: u64,
    memlimit: u64,
) -> Result<Zeroizing<[u8; 104]>> {
    let cost = scrypt_cost(opslimit, memlimit)?;
    // the library of scrypt would abort where memory is short
    let bytes = usize::try_from((cost.n() + u64::from(cost.p())) * 128 * BLOCKS);
    let there = bytes.is_ok_and(|bytes| Vec::<u8>::new().try_reserve_exact(bytes).is_ok());
    if !there {
        let detail = format!("there is no memory for scrypt with N = {}", cost.n());
        return Err(Error::new(Refusal::TooLarge, detail));
    }
    let mut stream = Zeroizing::new([0; 104]);
    match scrypt::scrypt(passphrase, salt, &cost, stream.as_mut_slice()) {
        Ok(()) => Ok(stream),
        Err(_) => Err(Error::new(FORM, "scrypt does not give 104 bytes")),
    }
}

/// BLAKE2b-512 of a file that comes in parts.
#[derive(Clone, Debug, Default)]
pub struct Hasher(Blake2b512);

impl Hasher {
    /// Of nothing yet.
    pub fn new() -> Self {
        Hasher::default()
    }

    /// Adds the next part of the file.
    pub fn update(&mut self, part: &[u8]) {
        self.0.update(part);
    }

    /// The digest of all parts.
    pub fn finish(self) -> [u8; 64] {
        self.0.finalize().into()
    }
}

/// A signature file.
///
/// Nothing signs the bit between prehashed and legacy: a prehashed signature with `ED` changed to `Ed` is a legacy
/// signature of a file that is the digest, 64 bytes. Refuse legacy signatures wherever no old ones are around, as
/// `minisign -H` does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The key that the signature names.
    pub key_id: [u8; 8],
    /// True: over BLAKE2b-512 of the file (`ED`). False: over the file itself (`Ed`), which is the legacy form.
    pub prehashed: bool,
    /// The first comment, which nothing signs.
    pub untrusted_comment: String,
    /// The second comment, which [`Signature::signed_comment`] binds to the signature.
    pub trusted_comment: String,
    /// The signature of the file or its digest.
    pub signature: [u8; 64],
    /// The signature of `signature` and the trusted comment.
    pub global_signature: [u8; 64],
}

impl Signature {
    /// Reads the four lines.
    ///
    /// # Errors
    /// [`Refusal::NotMinisign`], [`Refusal::TooLarge`]: another form. [`Refusal::AlgUnknown`]: an algorithm other than `Ed`
    /// and `ED`.
    pub fn read(text: &[u8]) -> Result<Self> {
        let mut lines = Lines::new(text, FORM);
        let untrusted_comment = lines.comment(UNTRUSTED, LONGEST_UNTRUSTED)?;
        let bytes = lines.base64::<74>("a signature")?;
        let trusted_comment = lines.comment(TRUSTED, LONGEST_TRUSTED)?;
        let global_signature = *lines.base64::<64>("a global signature")?;
        lines.end()?;
        let Some((algorithm, key_id, signature)) = comment::split(bytes.as_slice()) else {
            return Err(Error::new(FORM, "the signature is too short"));
        };
        let prehashed = algorithm == *b"ED";
        if !prehashed {
            comment::check_algorithm("a signature", algorithm)?;
        }
        Ok(Signature {
            key_id,
            prehashed,
            untrusted_comment,
            trusted_comment,
            signature,
            global_signature,
        })
    }

    /// The four lines.
    ///
    /// # Errors
    /// [`Refusal::NotMinisign`], [`Refusal::TooLarge`]: a comment with controls, or a long one.
    pub fn write(&self) -> Result<String> {
        let algorithm = if self.prehashed { b"ED" } else { b"Ed" };
        let bytes = [algorithm.as_slice(), &self.key_id, &self.signature].concat();
        let mut text = comment::two_lines(FORM, &self.untrusted_comment, &bytes)?.to_string();
        comment::push_comment(&mut text, FORM, TRUSTED, &self.trusted_comment, LONGEST_TRUSTED)?;
        text.push_str(&data_encoding::BASE64.encode(&self.global_signature));
        text.push('\n');
        Ok(text)
    }

    /// Refuses a signature that names another key.
    ///
    /// # Errors
    /// [`Refusal::KidUnknown`], with both identifiers.
    pub fn check_key(&self, key: &PublicKey) -> Result<()> {
        comment::check_id(id_text(&self.key_id), id_text(&key.id))
    }

    /// Of the whole file, which is hashed here if the signature is prehashed.
    pub fn signed_file<'a>(&'a self, file: &'a [u8]) -> Signed<'a> {
        let message = match self.prehashed {
            true => Cow::Owned(Blake2b512::digest(file).to_vec()),
            false => Cow::Borrowed(file),
        };
        Signed { scheme: Scheme::Ed25519, message, signature: Cow::Borrowed(&self.signature) }
    }

    /// Of the digest of the file, as [`Hasher`] gives it.
    ///
    /// # Errors
    /// [`Refusal::Unsupported`]: a legacy signature, which is over the file itself.
    pub fn signed_digest<'a>(&'a self, digest: &'a [u8; 64]) -> Result<Signed<'a>> {
        if !self.prehashed {
            let detail = "a legacy signature (`Ed`) is over the file, not over its digest";
            return Err(Error::new(Refusal::Unsupported, detail));
        }
        let (message, signature) = (Cow::from(digest.as_slice()), Cow::from(&self.signature[..]));
        Ok(Signed { scheme: Scheme::Ed25519, message, signature })
    }

    /// Of the signature with the trusted comment.
    pub fn signed_comment(&self) -> Signed<'_> {
        let message = Cow::Owned(bound(&self.signature, &self.trusted_comment));
        let signature = Cow::Borrowed(self.global_signature.as_slice());
        Signed { scheme: Scheme::Ed25519, message, signature }
    }
}

/// The message of the global signature.
fn bound(signature: &[u8; 64], trusted_comment: &str) -> Vec<u8> {
    [signature.as_slice(), trusted_comment.as_bytes()].concat()
}

/// Signs the digest of a file ([`Hasher`]) as minisign does: prehashed, with a trusted comment.
///
/// # Errors
/// [`Refusal::AlgMismatch`]: the key is not one of Ed25519. [`Refusal::NotMinisign`], [`Refusal::TooLarge`]: a comment with
/// controls, or a long one.
pub fn sign(
    key: &SecretKey,
    id: [u8; 8],
    digest: &[u8; 64],
    trusted_comment: &str,
    untrusted_comment: &str,
) -> Result<String> {
    let signature = comment::sign(FORM, key, digest)?;
    let global_signature = comment::sign(FORM, key, &bound(&signature, trusted_comment))?;
    Signature {
        key_id: id,
        prehashed: true,
        untrusted_comment: untrusted_comment.to_owned(),
        trusted_comment: trusted_comment.to_owned(),
        signature,
        global_signature,
    }
    .write()
}
