//! Keys in the forms of other programs, which name themselves: OpenSSH, minisign, JSON Web Keys, COSE_Key; of public keys
//! also certificates.
//!
//! Secrets: keys and the texts that hold them live in memory that is wiped.

use crate::form::{Bytes, Form, is_pem, read_small, wiped_text};
use crate::status::{Failure, Result};
use sha2::{Digest, Sha512};
use sigmill::FileKind;
use sigmill_envelope::jose::{self, Jwk};
use sigmill_envelope::minisign::{self, SecretKeyFile};
use sigmill_envelope::{Error, Key, Refusal, SecretKey, Trusted, cose, ssh};
use std::path::{Path, PathBuf};

/// The passphrase of an encrypted key.
#[derive(clap::Args)]
pub(crate) struct PassphraseArgs {
    /// The passphrase of an encrypted key of OpenSSH or minisign: the first line of this file. `-`: standard input
    #[arg(long, value_name = "FILE")]
    passphrase_file: Option<PathBuf>,
}

impl PassphraseArgs {
    /// Of a file, if there is one.
    pub(crate) const fn of(passphrase_file: Option<PathBuf>) -> Self {
        PassphraseArgs { passphrase_file }
    }

    /// The first line, if there is a file.
    pub(crate) fn read(&self) -> Result<Option<Bytes>> {
        let Some(path) = &self.passphrase_file else { return Ok(None) };
        let bytes = read_small(path, "a passphrase")?;
        let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            return Err(Failure::at(path, "its first line is empty; expected a passphrase"));
        }
        Ok(Some(Bytes::new(line.to_vec())))
    }
}

/// A secret key in a form of another program; the identifier is minisign's.
pub(crate) struct Secret {
    pub(crate) key: SecretKey,
    pub(crate) id: Option<[u8; 8]>,
}

/// The form that these bytes of a private key name, if it is one of another program.
fn told(bytes: &[u8]) -> Option<Form> {
    if ssh::is_private_key(bytes) {
        return Some(Form::Openssh);
    }
    if is_cose(bytes) {
        return Some(Form::Cose);
    }
    let text = bytes.trim_ascii();
    // signify begins likewise, and its keys have other lengths
    if text.starts_with(b"untrusted comment: ") {
        return Some(Form::Minisign);
    }
    (text.starts_with(b"{") && text.is_ascii()).then_some(Form::Jwk)
}

/// Whether bytes begin as a COSE_Key does, and have no length of keys by themselves.
fn is_cose(bytes: &[u8]) -> bool {
    FileKind::of(bytes) == Some(FileKind::CoseKey)
        && !matches!(bytes.len(), 32 | 33 | 48 | 49 | 65 | 97)
}

/// Reads a private key that names its form or that `--key-format` says the form of. `None`: it is in no such form.
pub(crate) fn read_secret(
    path: &Path,
    bytes: &[u8],
    asked: Option<Form>,
    passphrase: Option<&[u8]>,
) -> Result<Option<Secret>> {
    let failure = |error: Error| {
        let advice = match error.refusal() {
            Refusal::PassphraseMissing => "; --passphrase-file names it",
            _ => "",
        };
        Failure::at(path, format!("{error}{advice}"))
    };
    let form = match asked {
        Some(form) => form,
        None => match told(bytes) {
            Some(form) => form,
            None => return Ok(None),
        },
    };
    let (key, id) = match form {
        Form::Openssh => (ssh::read_private(bytes, passphrase).map_err(failure)?.0, None),
        Form::Minisign => {
            let file = SecretKeyFile::read(bytes, passphrase).map_err(failure)?;
            (file.key, Some(file.id))
        }
        Form::Jwk => (jose::read_private(bytes.trim_ascii()).map_err(failure)?.0, None),
        Form::Cose => (cose::secret_key(bytes).map_err(failure)?.1, None),
        _ => return Ok(None),
    };
    Ok(Some(Secret { key, id }))
}

/// Reads a public key that names its form. `None`: it names none, or one that `sigmill` reads by itself.
pub(crate) fn read_public(path: &Path, bytes: &[u8], asked: Option<Form>) -> Result<Option<Key>> {
    if !asked.is_none_or(Form::is_of_others) || is_pem(bytes) && !is_certificate(bytes) {
        return Ok(None);
    }
    let failure = |error: Error| Failure::at(path, error);
    if asked == Some(Form::Cose) || asked.is_none() && is_cose(bytes) {
        return cose::public_key(bytes).map(|public| Some(public.key)).map_err(failure);
    }
    let Some(trusted) = Trusted::read(bytes).map_err(failure)? else {
        return match asked {
            Some(form) => {
                Err(Failure::at(path, format!("is not a public key in the form {}", form.name())))
            }
            None => Ok(None),
        };
    };
    match trusted.keys()[..] {
        [key] => Ok(Some(key.clone())),
        ref keys => {
            Err(Failure::at(path, format!("holds {} keys that verify; give one", keys.len())))
        }
    }
}

/// Whether PEM has a certificate and no key, which would go before it.
fn is_certificate(bytes: &[u8]) -> bool {
    let begins = bytes.split(|byte| matches!(byte, b'\r' | b'\n')).filter(|line| is_pem(line));
    let labels: Vec<&[u8]> = begins.collect();
    let is = |label: &[u8], of: &str| label.windows(of.len()).any(|part| part == of.as_bytes());
    labels.iter().any(|label| is(label, "-----BEGIN CERTIFICATE-----"))
        && !labels.iter().any(|label| is(label, " KEY-----"))
}

/// The identifier of a key that has none of minisign's: its own is random, this is the same for both halves.
pub(crate) fn minisign_id(key: &Key) -> [u8; 8] {
    let digest: [u8; 64] = Sha512::digest(key.bytes()).into();
    digest.first_chunk().copied().unwrap_or_default()
}

fn comment(id: &[u8; 8], what: &str) -> String {
    format!("minisign {what} key {}", minisign::id_text(id))
}

/// A private key in a form of another program, encrypted where there is a passphrase, which OpenSSH and minisign have.
pub(crate) fn write_secret(
    key: &SecretKey,
    form: Form,
    passphrase: Option<&[u8]>,
) -> Result<Bytes> {
    let failure = |error: Error| Failure::new(format!("--format {}: {error}", form.name()));
    let text = match form {
        Form::Openssh => ssh::write_private(key, "", passphrase),
        Form::Jwk => jose::private_to_json(key, None).map(line),
        Form::Cose => return cose::write_secret_key(None, key).map_err(failure),
        Form::Minisign => {
            let id = minisign_id(&key.public_key());
            let untrusted_comment = comment(&id, "secret");
            let file = SecretKeyFile { key: key.clone(), id, untrusted_comment };
            match passphrase {
                None => file.write(),
                Some(passphrase) => {
                    let (ops, memory) = (minisign::OPSLIMIT, minisign::MEMLIMIT);
                    file.write_encrypted(passphrase, ops, memory)
                }
            }
        }
        _ => return Err(no_other(form)),
    };
    text.map(wiped_text).map_err(failure)
}

/// A form of `sigmill`'s own, which is not written here.
fn no_other(form: Form) -> Failure {
    Failure::new(format!("--format {}: no form of another program", form.name()))
}

/// A public key in a form of another program.
pub(crate) fn write_public(key: &Key, form: Form) -> Result<Vec<u8>> {
    let failure = |error: Error| Failure::new(format!("--format {}: {error}", form.name()));
    let text = match form {
        Form::Openssh => ssh::write_public(key, ""),
        Form::Jwk => Jwk::new(key.clone()).to_json().map(|json| json + "\n"),
        Form::Cose => {
            return cose::PublicKey { kid: None, key: key.clone() }.write().map_err(failure);
        }
        Form::Minisign => {
            let id = minisign_id(key);
            let untrusted_comment = Some(comment(&id, "public"));
            minisign::PublicKey { key: key.clone(), id, untrusted_comment }.write()
        }
        _ => return Err(no_other(form)),
    };
    text.map(String::into_bytes).map_err(failure)
}

/// The text with an end of line, in memory that is wiped.
fn line(text: zeroize::Zeroizing<String>) -> zeroize::Zeroizing<String> {
    let mut line = zeroize::Zeroizing::new(String::with_capacity(text.len() + 1));
    line.push_str(&text);
    line.push('\n');
    line
}
