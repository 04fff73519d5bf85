//! Private keys, `openssh-key-v1` (PROTOCOL.key of OpenSSH).

use super::wire::{
    algorithm, armor_private, blob, check_text, dearmor_private, ended, has_private_header,
    magnitude, not_ssh, public_fields, put, put_magnitude, put_public, read_blob, right_align,
    string, text, uint32,
};
use crate::error::{Error, Refusal, Result, quoted};
use crate::key::{Key, width};
use crate::secret::SecretKey;
use aes::{Aes128, Aes192, Aes256};
use bcrypt_pbkdf::bcrypt_pbkdf_with_memory;
use ctr::Ctr128BE;
use ctr::cipher::{KeyIvInit, StreamCipher};
use sigmill::bulk::Algorithm;
use zeroize::Zeroizing;

const MAGIC: &[u8] = b"openssh-key-v1\0";

/// The most rounds of bcrypt when a key is read. Each round takes milliseconds.
const MOST_ROUNDS: u32 = 1024;

/// The rounds of bcrypt when a key is written: those of `ssh-keygen` since OpenSSH 9.4.
const ROUNDS: u32 = 24;

/// The bytes of salt when a key is written: those of `ssh-keygen`.
const SALT_LEN: usize = 16;

/// The bytes of a counter of AES-CTR, and of a block.
const BLOCK: usize = 16;

/// AES in counter mode with 16, 24 or 32 bytes of key.
#[derive(Clone, Copy)]
enum Cipher {
    Aes128,
    Aes192,
    Aes256,
}

impl Cipher {
    /// That of a name; `None` if the key is not encrypted.
    fn named(name: &[u8]) -> Result<Option<Self>> {
        Ok(match name {
            b"none" => None,
            b"aes128-ctr" => Some(Cipher::Aes128),
            b"aes192-ctr" => Some(Cipher::Aes192),
            b"aes256-ctr" => Some(Cipher::Aes256),
            _ => {
                let name = quoted(&String::from_utf8_lossy(name));
                let detail = format!(
                    "the key is encrypted with {name}; expected aes256-ctr, aes192-ctr or aes128-ctr: \
                     encrypt it anew with `ssh-keygen -p -Z aes256-ctr`"
                );
                return Err(Error::new(Refusal::Unsupported, detail));
            }
        })
    }

    const fn key_len(self) -> usize {
        match self {
            Cipher::Aes128 => 16,
            Cipher::Aes192 => 24,
            Cipher::Aes256 => 32,
        }
    }

    /// Encrypts or decrypts in place. Key and counter are derived with bcrypt.
    fn apply(self, passphrase: &[u8], salt: &[u8], rounds: u32, data: &mut [u8]) -> Result<()> {
        let mut derived = Zeroizing::new([0; Cipher::Aes256.key_len() + BLOCK]);
        // bcrypt works in whole blocks of 32 bytes.
        let mut memory = Zeroizing::new([0; 64]);
        let failed = || not_ssh("the parameters of bcrypt or of the cipher have wrong lengths");
        let derived = derived.get_mut(..self.key_len() + BLOCK).ok_or_else(failed)?;
        bcrypt_pbkdf_with_memory(passphrase, salt, rounds, derived, &mut memory[..])
            .map_err(|_| failed())?;
        let (key, counter) = derived.split_at_checked(self.key_len()).ok_or_else(failed)?;
        match self {
            Cipher::Aes128 => Ctr128BE::<Aes128>::new_from_slices(key, counter)
                .is_ok_and(|mut stream| stream.try_apply_keystream(data).is_ok()),
            Cipher::Aes192 => Ctr128BE::<Aes192>::new_from_slices(key, counter)
                .is_ok_and(|mut stream| stream.try_apply_keystream(data).is_ok()),
            Cipher::Aes256 => Ctr128BE::<Aes256>::new_from_slices(key, counter)
                .is_ok_and(|mut stream| stream.try_apply_keystream(data).is_ok()),
        }
        .then_some(())
        .ok_or_else(failed)
    }
}

/// True if the bytes begin as a private key of OpenSSH does: `-----BEGIN OPENSSH PRIVATE KEY-----`.
pub fn is_private_key(bytes: &[u8]) -> bool {
    has_private_header(bytes)
}

/// Reads a private key with its comment. The passphrase is used if the key is encrypted, with AES in counter mode and
/// at most 1024 rounds of bcrypt. The public keys in the file must belong to the private one.
///
/// # Errors
/// [`Refusal::PassphraseMissing`] and [`Refusal::PassphraseWrong`]. [`Refusal::Unsupported`]: another cipher, several
/// keys, a security key or a certificate. [`Refusal::AlgUnknown`]: another type of key, such as `ssh-rsa`.
/// [`Refusal::AlgMismatch`]: a key that does not fit its type, or a scalar out of range. [`Refusal::TooLarge`]: more
/// rounds, or more than 65536 bytes. [`Refusal::NotSsh`]: anything else.
pub fn read_private(pem: &[u8], passphrase: Option<&[u8]>) -> Result<(SecretKey, String)> {
    let bytes = dearmor_private(pem)?;
    let mut rest = bytes
        .strip_prefix(MAGIC)
        .ok_or_else(|| not_ssh("the key does not begin with `openssh-key-v1`"))?;
    let cipher = Cipher::named(string(&mut rest, "cipher")?)?;
    let kdf = string(&mut rest, "kdf")?;
    let options = string(&mut rest, "kdf options")?;
    let count = uint32(&mut rest, "number of keys")?;
    if count != 1 {
        let detail = format!("the file has {count} keys; expected one");
        return Err(Error::new(Refusal::Unsupported, detail));
    }
    let public = read_blob(string(&mut rest, "public key")?)?;
    let mut section = Zeroizing::new(string(&mut rest, "private section")?.to_vec());
    ended(rest, "the private key")?;

    let block = if cipher.is_some() { BLOCK } else { 8 };
    if section.is_empty() || section.len() % block != 0 {
        let len = section.len();
        return Err(not_ssh(format!("the private section is {len} bytes, not blocks of {block}")));
    }
    match (cipher, kdf) {
        (None, b"none") if options.is_empty() => {}
        (Some(cipher), b"bcrypt") => decrypt(cipher, options, passphrase, &mut section)?,
        _ => {
            let kdf = quoted(&String::from_utf8_lossy(kdf));
            return Err(not_ssh(format!("the kdf {kdf} or its options do not fit the cipher")));
        }
    }
    read_section(&section, &public, block, cipher.is_some())
}

fn decrypt(
    cipher: Cipher,
    mut options: &[u8],
    passphrase: Option<&[u8]>,
    section: &mut [u8],
) -> Result<()> {
    let salt = string(&mut options, "salt")?;
    let rounds = uint32(&mut options, "rounds")?;
    ended(options, "the kdf options")?;
    if rounds > MOST_ROUNDS {
        let detail = format!("{rounds} rounds of bcrypt; at most {MOST_ROUNDS} are allowed");
        return Err(Error::new(Refusal::TooLarge, detail));
    }
    if salt.is_empty() || rounds == 0 {
        return Err(not_ssh("bcrypt without salt or without rounds"));
    }
    let passphrase = passphrase.filter(|p| !p.is_empty()).ok_or_else(|| {
        Error::new(Refusal::PassphraseMissing, "the private key needs its passphrase")
    })?;
    cipher.apply(passphrase, salt, rounds, section)
}

/// Reads the private section, decrypted.
fn read_section(
    mut rest: &[u8],
    public: &Key,
    block: usize,
    encrypted: bool,
) -> Result<(SecretKey, String)> {
    let rest = &mut rest;
    if uint32(rest, "check number")? != uint32(rest, "check number")? {
        return Err(if encrypted {
            Error::new(Refusal::PassphraseWrong, "the two check numbers differ")
        } else {
            not_ssh("the two check numbers differ")
        });
    }
    let named = algorithm(string(rest, "private key type")?)?;
    let inside = public_fields(rest, named)?;
    if inside != *public {
        return Err(not_ssh("the public key in the private section is not the one in front of it"));
    }
    let secret = match named.curve() {
        None => {
            let pair = string(rest, "private key")?;
            let seed = pair.strip_suffix(inside.bytes()).filter(|seed| seed.len() == 32);
            let seed = seed.ok_or_else(|| {
                let len = pair.len();
                not_ssh(format!(
                    "`private key` is {len} bytes; expected 32 of seed and the 32 of the public key"
                ))
            })?;
            SecretKey::new(named, seed)?
        }
        Some(curve) => {
            let w = width(curve);
            let mut scalar = Zeroizing::new(vec![0; w]);
            right_align(&mut scalar, magnitude(rest, "private key", w)?);
            SecretKey::new(named, &scalar)?
        }
    };
    if secret.public_key() != inside {
        return Err(not_ssh("the public key does not belong to the private key"));
    }
    let comment = text(rest, "comment")?;
    if rest.len() >= block || !rest.iter().zip(1u8..).all(|(byte, i)| *byte == i) {
        return Err(not_ssh(format!("the padding is not 1, 2, 3, … and shorter than {block}")));
    }
    Ok((secret, comment.to_owned()))
}

/// The private key as `ssh-keygen` writes it; with a passphrase encrypted with aes256-ctr, 24 rounds of bcrypt and a
/// random salt of 16 bytes. The comment may be empty.
///
/// # Errors
/// [`Refusal::PassphraseMissing`]: the passphrase is empty. [`Refusal::NoRandomness`]: the system gives no random
/// bytes. [`Refusal::NotSsh`] and [`Refusal::TooLarge`]: the comment has control characters, or more than 4096 bytes.
pub fn write_private(
    key: &SecretKey,
    comment: &str,
    passphrase: Option<&[u8]>,
) -> Result<Zeroizing<String>> {
    check_text(comment, "comment")?;
    if passphrase.is_some_and(<[u8]>::is_empty) {
        let detail = "the passphrase is empty; give none to leave the key unencrypted";
        return Err(Error::new(Refusal::PassphraseMissing, detail));
    }
    let public = key.public_key();
    // Fields without the comment are below 512 bytes: the buffers never grow and leave no copies behind.
    let mut section = Zeroizing::new(Vec::with_capacity(512 + comment.len()));
    let check = u32::from_be_bytes(random()?);
    put(&mut section, &check)?;
    put(&mut section, &check)?;
    put_public(&mut section, &public)?;
    put_secret(&mut section, key, &public)?;
    put(&mut section, comment)?;
    let block = if passphrase.is_some() { BLOCK } else { 8 };
    let padding = section.len().next_multiple_of(block) - section.len();
    section.extend((1u8..).take(padding));

    let mut out = Zeroizing::new(Vec::with_capacity(1024 + comment.len()));
    out.extend_from_slice(MAGIC);
    if let Some(passphrase) = passphrase {
        let salt = random::<SALT_LEN>()?;
        Cipher::Aes256.apply(passphrase, &salt, ROUNDS, &mut section)?;
        let mut options = Vec::new();
        put(&mut options, &salt[..])?;
        put(&mut options, &ROUNDS)?;
        put(&mut out, "aes256-ctr")?;
        put(&mut out, "bcrypt")?;
        put(&mut out, &options)?;
    } else {
        put(&mut out, "none")?;
        put(&mut out, "none")?;
        put(&mut out, "")?;
    }
    put(&mut out, &1u32)?;
    put(&mut out, &blob(&public)?)?;
    put(&mut out, section.as_slice())?;
    armor_private(out)
}

fn put_secret(out: &mut Vec<u8>, key: &SecretKey, public: &Key) -> Result<()> {
    let secret = key.to_bytes();
    if key.algorithm() != Algorithm::Ed25519 {
        return put_magnitude(out, &secret);
    }
    put(out, &(secret.len() + public.bytes().len()))?;
    out.extend_from_slice(&secret);
    out.extend_from_slice(public.bytes());
    Ok(())
}

fn random<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)
        .map_err(|error| Error::new(Refusal::NoRandomness, error.to_string()))?;
    Ok(bytes)
}
