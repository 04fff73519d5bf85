//! Signatures by `ssh-keygen -Y` (PROTOCOL.sshsig of OpenSSH).

use super::wire::{
    algorithm, armor_signature, blob, check_text, dearmor_signature, ended, has_signature_header,
    magnitude, not_ssh, put, put_magnitude, read_blob, right_align, string, text, type_name,
    uint32, uncompressed,
};
use crate::error::{Error, Refusal, Result, quoted};
use crate::key::{Key, width};
use crate::secret::SecretKey;
use crate::signed::{Scheme, Signed};
use sha2::{Digest, Sha256, Sha512};
use sigmill::ecdsa::Encoding;
use std::borrow::Cow;

const MAGIC: &[u8] = b"SSHSIG";

const VERSION: u32 = 1;

/// The hash function of the message. OpenSSH signs with SHA-512 unless told otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Hash {
    /// SHA-256.
    Sha256,
    /// SHA-512.
    Sha512,
}

impl Hash {
    /// The name in signatures: `sha256` or `sha512`.
    pub const fn name(self) -> &'static str {
        match self {
            Hash::Sha256 => "sha256",
            Hash::Sha512 => "sha512",
        }
    }

    /// The bytes of a digest: 32 or 64.
    #[expect(clippy::len_without_is_empty, reason = "a digest is never empty")]
    pub const fn len(self) -> usize {
        match self {
            Hash::Sha256 => 32,
            Hash::Sha512 => 64,
        }
    }

    /// The digest of a message in memory; [`Hasher`] takes one in pieces.
    pub fn digest(self, message: &[u8]) -> Vec<u8> {
        let mut hasher = Hasher::new(self);
        hasher.update(message);
        hasher.finish()
    }

    fn named(name: &[u8]) -> Result<Self> {
        match name {
            b"sha256" => Ok(Hash::Sha256),
            b"sha512" => Ok(Hash::Sha512),
            _ => {
                let name = quoted(&String::from_utf8_lossy(name));
                let detail = format!("hash algorithm {name}; expected `sha256` or `sha512`");
                Err(Error::new(Refusal::AlgUnknown, detail))
            }
        }
    }

    fn check_digest(self, digest: &[u8]) -> Result<()> {
        let (name, wanted, got) = (self.name(), self.len(), digest.len());
        if got != wanted {
            let detail = format!("the digest is {got} bytes; one of {name} is {wanted}");
            return Err(Error::new(Refusal::AlgMismatch, detail));
        }
        Ok(())
    }
}

/// Hashes a message piece by piece.
#[derive(Clone)]
pub struct Hasher(State);

#[derive(Clone)]
enum State {
    Sha256(Sha256),
    Sha512(Sha512),
}

impl Hasher {
    /// Begins.
    pub fn new(hash: Hash) -> Self {
        Hasher(match hash {
            Hash::Sha256 => State::Sha256(Sha256::new()),
            Hash::Sha512 => State::Sha512(Sha512::new()),
        })
    }

    /// Appends a piece of the message.
    pub fn update(&mut self, piece: &[u8]) {
        match &mut self.0 {
            State::Sha256(state) => state.update(piece),
            State::Sha512(state) => state.update(piece),
        }
    }

    /// The digest: 32 or 64 bytes.
    pub fn finish(self) -> Vec<u8> {
        match self.0 {
            State::Sha256(state) => state.finalize().to_vec(),
            State::Sha512(state) => state.finalize().to_vec(),
        }
    }
}

impl std::fmt::Debug for Hasher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self.0 {
            State::Sha256(_) => "Hasher(sha256)",
            State::Sha512(_) => "Hasher(sha512)",
        })
    }
}

/// A signature as `ssh-keygen -Y sign` makes it. Its key is a claim: compare it with the verifier's by
/// [`Signature::expect_key`], or ask [`AllowedSigners`](super::AllowedSigners).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Signature {
    /// The key that the signature names.
    pub key: Key,
    /// The purpose that the signature was made for, such as `file` or `git`. Never empty.
    pub namespace: String,
    /// The hash function of the message.
    pub hash: Hash,
    /// 64 bytes of Ed25519; of ECDSA r and s, each of the width of the curve.
    signature: Vec<u8>,
}

/// True if the bytes begin as a signature of OpenSSH does: `-----BEGIN SSH SIGNATURE-----`.
pub fn is_signature(bytes: &[u8]) -> bool {
    has_signature_header(bytes)
}

impl Signature {
    /// Reads an armored signature. The reserved field, which OpenSSH ignores and does not sign, must be empty.
    ///
    /// # Errors
    /// [`Refusal::AlgMismatch`]: the signature does not fit the key that it names. [`Refusal::AlgUnknown`]: another type
    /// of key, such as `ssh-rsa`, or another hash function. [`Refusal::Unsupported`]: a security key, a certificate,
    /// another version, or a reserved field. [`Refusal::NoSignature`]: the field is empty. [`Refusal::TooLarge`]: more
    /// than 65536 bytes, or a namespace of more than 4096. [`Refusal::NotSsh`]: anything else, such as an empty
    /// namespace, or an r or s that is negative or longer than it has to be.
    pub fn read(armored: &[u8]) -> Result<Self> {
        let bytes = dearmor_signature(armored)?;
        let mut rest = bytes
            .strip_prefix(MAGIC)
            .ok_or_else(|| not_ssh("the signature does not begin with `SSHSIG`"))?;
        let version = uint32(&mut rest, "version")?;
        if version != VERSION {
            let detail = format!("the signature has version {version}; expected {VERSION}");
            return Err(Error::new(Refusal::Unsupported, detail));
        }
        let key = read_blob(string(&mut rest, "public key")?)?;
        let namespace = text(&mut rest, "namespace")?.to_owned();
        check_namespace(&namespace)?;
        let reserved = string(&mut rest, "reserved")?.len();
        if reserved != 0 {
            let detail = format!("`reserved` is {reserved} bytes; expected none");
            return Err(Error::new(Refusal::Unsupported, detail));
        }
        let hash = Hash::named(string(&mut rest, "hash algorithm")?)?;
        let signature = read_inner(&key, string(&mut rest, "signature")?)?;
        ended(rest, "the signature")?;
        Ok(Signature { key, namespace, hash, signature })
    }

    /// Refuses a signature that names another key than the verifier's.
    ///
    /// # Errors
    /// [`Refusal::KeyUnknown`]: another key. [`Refusal::AlgMismatch`]: a key of another type.
    pub fn expect_key(&self, key: &Key) -> Result<()> {
        let (got, wanted) = (self.key.algorithm(), key.algorithm());
        if got != wanted {
            let (got, wanted) = (type_name(got), type_name(wanted));
            let detail = format!("the signature is by a key of {got}; the key is one of {wanted}");
            return Err(Error::new(Refusal::AlgMismatch, detail));
        }
        if self.key != *uncompressed(key)? {
            let (got, wanted) = (super::fingerprint(&self.key)?, super::fingerprint(key)?);
            let detail = format!("the signature is by {got}; the key is {wanted}");
            return Err(Error::new(Refusal::KeyUnknown, detail));
        }
        Ok(())
    }

    /// The signature with the bytes that were signed: `SSHSIG`, the namespace, a reserved field, the name of the hash
    /// function, and the digest of the message under [`Signature::hash`].
    ///
    /// # Errors
    /// [`Refusal::NamespaceMismatch`]: the signature was made for another namespace than the verifier's.
    /// [`Refusal::AlgMismatch`]: the digest has another length than one of the hash function.
    pub fn signed(&self, namespace: &str, digest: &[u8]) -> Result<Signed<'_>> {
        if namespace != self.namespace {
            let (got, wanted) = (quoted(&self.namespace), quoted(namespace));
            let detail = format!("the signature is for {got}; expected {wanted}");
            return Err(Error::new(Refusal::NamespaceMismatch, detail));
        }
        Ok(Signed {
            scheme: Scheme::of(self.key.algorithm(), Encoding::Fixed),
            message: Cow::Owned(signed_bytes(&self.namespace, self.hash, digest)?),
            signature: Cow::Borrowed(&self.signature),
        })
    }
}

fn check_namespace(namespace: &str) -> Result<()> {
    check_text(namespace, "namespace")?;
    if namespace.is_empty() {
        return Err(not_ssh("the namespace is empty"));
    }
    Ok(())
}

fn signed_bytes(namespace: &str, hash: Hash, digest: &[u8]) -> Result<Vec<u8>> {
    hash.check_digest(digest)?;
    let mut out = MAGIC.to_vec();
    put(&mut out, namespace)?;
    put(&mut out, "")?;
    put(&mut out, hash.name())?;
    put(&mut out, digest)?;
    Ok(out)
}

/// Reads the name of the algorithm, which must be that of the key, and the signature: 64 bytes (RFC 8709 section 6), or
/// r and s (RFC 5656 section 3.1.2).
fn read_inner(key: &Key, mut bytes: &[u8]) -> Result<Vec<u8>> {
    if bytes.is_empty() {
        return Err(Error::new(Refusal::NoSignature, "the field `signature` is empty"));
    }
    let (name, wanted) = (string(&mut bytes, "signature algorithm")?, key.algorithm());
    if name != type_name(wanted).as_bytes() {
        let (name, wanted) = (quoted(&String::from_utf8_lossy(name)), type_name(wanted));
        let detail = format!("the signature is one of {name}; its key is one of `{wanted}`");
        return Err(Error::new(Refusal::AlgMismatch, detail));
    }
    let mut inner = string(&mut bytes, "signature")?;
    ended(bytes, "the signature and its algorithm")?;
    let Some(curve) = algorithm(name)?.curve() else {
        return match inner.len() {
            64 => Ok(inner.to_vec()),
            len => {
                let detail = format!("`signature` is {len} bytes; an Ed25519 signature is 64");
                Err(Error::new(Refusal::AlgMismatch, detail))
            }
        };
    };
    let w = width(curve);
    let mut fixed = vec![0; 2 * w];
    let (r, s) = fixed.split_at_mut(w);
    right_align(r, magnitude(&mut inner, "r", w)?);
    right_align(s, magnitude(&mut inner, "s", w)?);
    ended(inner, "r and s")?;
    Ok(fixed)
}

/// Signs the digest of a message for a namespace, deterministically. The armored text is the one that `ssh-keygen -Y
/// sign` writes.
///
/// # Errors
/// [`Refusal::NotSsh`] and [`Refusal::TooLarge`]: the namespace is empty, has control characters, or more than 4096
/// bytes. [`Refusal::AlgMismatch`]: the digest has another length than one of the hash function.
pub fn sign(key: &SecretKey, namespace: &str, hash: Hash, digest: &[u8]) -> Result<String> {
    check_namespace(namespace)?;
    let scheme = Scheme::of(key.algorithm(), Encoding::Fixed);
    let signature = key.sign(scheme, &signed_bytes(namespace, hash, digest)?)?;
    let mut inner = Vec::new();
    match key.algorithm().curve().and_then(|c| signature.split_at_checked(width(c))) {
        None => inner = signature,
        Some((r, s)) => {
            put_magnitude(&mut inner, r)?;
            put_magnitude(&mut inner, s)?;
        }
    }
    let mut named = Vec::new();
    put(&mut named, type_name(key.algorithm()))?;
    put(&mut named, &inner)?;

    let mut out = MAGIC.to_vec();
    put(&mut out, &VERSION)?;
    put(&mut out, &blob(&key.public_key())?)?;
    put(&mut out, namespace)?;
    put(&mut out, "")?;
    put(&mut out, hash.name())?;
    put(&mut out, &named)?;
    armor_signature(out)
}
