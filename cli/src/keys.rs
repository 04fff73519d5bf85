//! Reading and writing keys, and reading signatures, of every algorithm and in every form.
//!
//! How a form is found out, so that no guess can change a verdict: PEM by a line that begins
//! `-----BEGIN `; raw by a length that keys of the algorithm have (of ECDSA's public keys, by the first
//! byte too, which is 2, 3 or 4); hex and base64 by being printable text of exactly the right length, a
//! newline at its end aside; anything else must be DER, in full and with nothing after it. Bytes of raw
//! length that could be the hex of half a key are refused. `--key-format` names the form instead.
//!
//! The algorithm is the one that a container names, and must then be that of `--alg`. Raw, hex and
//! base64 name none: without `--alg` they are Ed25519. Whether r and s of a signature are in DER is
//! never found out: `--sig-format` says it.
//!
//! Secrets: file contents and decoded keys live in memory that is wiped.

use crate::alg::{Alg, SigFormat};
use crate::curve;
use crate::form::{
    Bytes, Form, decode, detect_text, encode, is_pem, is_text, read_small, refuse_half_hex,
    text_of, trim_newline, wiped_text,
};
use crate::status::{Failure, Result, shown};
use clap::ValueEnum;
use sigmill::ecdsa::Curve;
use sigmill::ed25519::{SigningKey, VerifyingKey};
use sigmill::{Error, KeyFormatError};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use zeroize::Zeroizing;

pub(crate) type Read<T> = std::result::Result<T, Error>;

/// A secret key.
pub(crate) enum SecretKey {
    Ed25519(SigningKey),
    Ecdsa(curve::Key),
}

impl SecretKey {
    /// A new key from the system's randomness.
    pub(crate) fn generate(alg: Alg) -> Result<Self> {
        let made = match alg.curve() {
            None => SigningKey::try_generate(&mut getrandom::SysRng).map(SecretKey::Ed25519),
            Some(curve) => curve::on(curve).generate().map(SecretKey::Ecdsa),
        };
        made.map_err(|error| Failure::new(format!("the system's randomness: {error}")))
    }

    pub(crate) fn alg(&self) -> Alg {
        match self {
            SecretKey::Ed25519(_) => Alg::ED25519,
            SecretKey::Ecdsa(key) => Alg::of_curve(key.curve()),
        }
    }

    pub(crate) fn public_key(&self) -> PublicKey {
        let bytes = match self {
            SecretKey::Ed25519(key) => key.verifying_key().to_bytes().to_vec(),
            SecretKey::Ecdsa(key) => key.public_key(),
        };
        PublicKey { alg: self.alg(), bytes }
    }

    /// PKCS#8, or the bytes of the seed or integer.
    pub(crate) fn encoded(&self, form: Form) -> Result<Bytes> {
        let encoded = match (self, form) {
            (SecretKey::Ecdsa(key), form) => key.encoded(form),
            (SecretKey::Ed25519(key), Form::Pem) => key.to_private_key_pem().map(wiped_text),
            (SecretKey::Ed25519(key), Form::Der) => key.to_private_key_der(),
            (SecretKey::Ed25519(key), form) => {
                Ok(encode(form, Zeroizing::new(key.to_bytes()).as_slice()))
            }
        };
        encoded.map_err(|error| Failure::new(error.to_string()))
    }

    /// Of PKCS#8.
    fn of_der(alg: Alg, bytes: &[u8]) -> Read<Self> {
        match alg.curve() {
            None => SigningKey::from_private_key_der(bytes).map(SecretKey::Ed25519),
            Some(curve) => curve::on(curve).key_of_der(bytes).map(SecretKey::Ecdsa),
        }
    }

    /// Of PKCS#8.
    fn of_pem(alg: Alg, text: &str) -> Read<Self> {
        match alg.curve() {
            None => SigningKey::from_private_key_pem(text).map(SecretKey::Ed25519),
            Some(curve) => curve::on(curve).key_of_pem(text).map(SecretKey::Ecdsa),
        }
    }

    /// Of ECPrivateKey.
    fn of_sec1(curve: Curve, bytes: &[u8], is_pem: bool) -> Read<Self> {
        curve::on(curve).key_of_sec1(bytes, is_pem).map(SecretKey::Ecdsa)
    }

    /// The bytes of a seed or integer.
    fn of_bytes(alg: Alg, bytes: &[u8]) -> Read<Self> {
        match alg.curve() {
            None => SigningKey::decode(bytes).map(SecretKey::Ed25519),
            Some(curve) => curve::on(curve).key_of_bytes(bytes).map(SecretKey::Ecdsa),
        }
    }
}

/// A public key: 32 bytes, or SEC1. Whether they are a point is a verdict, not a failure.
pub(crate) struct PublicKey {
    pub(crate) alg: Alg,
    pub(crate) bytes: Vec<u8>,
}

impl PublicKey {
    /// SubjectPublicKeyInfo, or the bytes, those of ECDSA uncompressed.
    ///
    /// # Errors
    /// The key is no point.
    pub(crate) fn encoded(&self, form: Form) -> Read<Vec<u8>> {
        if let Some(curve) = self.alg.curve() {
            return curve::on(curve).public_encoded(&self.bytes, form);
        }
        let key = VerifyingKey::decode(&self.bytes)?;
        Ok(match form {
            Form::Pem => key.to_spki_pem()?.into_bytes(),
            Form::Der => key.to_spki_der()?,
            form => encode(form, &key.to_bytes()).to_vec(),
        })
    }

    fn of_der(alg: Alg, bytes: &[u8]) -> Read<Self> {
        let bytes = match alg.curve() {
            None => VerifyingKey::bytes_from_spki_der(bytes)?.to_vec(),
            Some(curve) => curve::on(curve).public_of_der(bytes)?,
        };
        Ok(PublicKey { alg, bytes })
    }

    fn of_pem(alg: Alg, text: &str) -> Read<Self> {
        let bytes = match alg.curve() {
            None => VerifyingKey::bytes_from_spki_pem(text)?.to_vec(),
            Some(curve) => curve::on(curve).public_of_pem(text)?,
        };
        Ok(PublicKey { alg, bytes })
    }
}

/// Reads the secret key that signs.
pub(crate) fn secret_key(path: &Path, form: Option<Form>, asked: Option<Alg>) -> Result<SecretKey> {
    let bytes = read_small(path, "a secret key")?;
    let lens = &[asked.unwrap_or_default().curve().map_or(32, |curve| curve::on(curve).width())];
    // PKCS#8 of Ed25519 is as long as an integer of P-384
    let is_raw = |bytes: &[u8]| {
        lens.contains(&bytes.len()) && SecretKey::of_der(Alg::ED25519, bytes).is_err()
    };
    let form = form.map_or_else(|| detect_key(path, &bytes, asked, lens, is_raw), Ok)?;
    let expected = "a PKCS#8 private key";
    let key = match form {
        Form::Pem => {
            let text = text_of(path, &bytes)?;
            if text.lines().any(|line| line.trim_end() == "-----BEGIN EC PRIVATE KEY-----") {
                sec1_key(path, &bytes, true, asked)?
            } else {
                of_any(|alg| SecretKey::of_pem(alg, text)).map_err(|e| e.at(path, expected))?
            }
        }
        Form::Der => match of_any(|alg| SecretKey::of_der(alg, &bytes)) {
            Err(Refusal::Error(Error::KeyFormat(KeyFormatError::Der))) if is_sec1_der(&bytes) => {
                sec1_key(path, &bytes, false, asked)?
            }
            other => other.map_err(|e| e.at(path, expected))?,
        },
        form => {
            let bytes = decode(path, bytes, form, lens)?;
            let key = SecretKey::of_bytes(asked.unwrap_or_default(), &bytes);
            key.map_err(|error| Failure::at(path, error))?
        }
    };
    check_alg(path, key.alg(), asked)?;
    warn_if_shared(path);
    Ok(key)
}

/// Warns where others may do something with the file of a secret key.
fn warn_if_shared(path: &Path) {
    let Ok(found) = fs::metadata(path) else { return };
    let mode = found.permissions().mode() & 0o7777;
    if path != Path::new("-") && found.is_file() && mode & 0o077 != 0 {
        eprintln!(
            "sigmill: warning: {}: others have access to this secret key (mode {mode:04o}); `chmod 600` ends that",
            shown(path)
        );
    }
}

/// Reads the public key that verifies.
pub(crate) fn public_key(path: &Path, form: Option<Form>, asked: Option<Alg>) -> Result<PublicKey> {
    let bytes = read_small(path, "a public key")?;
    let alg = asked.unwrap_or_default();
    let lens = &public_key_lens(alg)[..];
    let is_raw = |bytes: &[u8]| {
        lens.contains(&bytes.len()) && (alg == Alg::ED25519 || matches!(bytes[0], 2..=4))
    };
    let form = form.map_or_else(|| detect_key(path, &bytes, asked, lens, is_raw), Ok)?;
    let expected = "a public key";
    let key = match form {
        Form::Pem => {
            let text = text_of(path, &bytes)?;
            of_any(|alg| PublicKey::of_pem(alg, text)).map_err(|e| e.at(path, expected))?
        }
        Form::Der => {
            of_any(|alg| PublicKey::of_der(alg, &bytes)).map_err(|e| e.at(path, expected))?
        }
        form => {
            let bytes = decode(path, bytes, form, lens)?.to_vec();
            if !lens.contains(&bytes.len()) {
                let (got, expected) = (bytes.len(), lens[lens.len() - 1]);
                let what = "public key";
                return Err(Failure::at(path, Error::Length { what, expected, got }));
            }
            PublicKey { alg, bytes }
        }
    };
    check_alg(path, key.alg, asked)?;
    Ok(key)
}

/// Bytes of a public key; of ECDSA compressed and uncompressed.
pub(crate) fn public_key_lens(alg: Alg) -> Vec<usize> {
    match alg.curve().map(|curve| curve::on(curve).width()) {
        None => vec![32],
        Some(width) => vec![1 + width, 1 + 2 * width],
    }
}

/// Bytes of a signature, of ECDSA as r and s.
pub(crate) fn signature_len(alg: Alg) -> usize {
    alg.curve().map_or(64, |curve| 2 * curve::on(curve).width())
}

/// Reads a signature. One that is not in DER has the right length; its bytes are not judged here.
pub(crate) fn signature(path: &Path, alg: Alg, format: SigFormat) -> Result<Vec<u8>> {
    let bytes = read_small(path, "a signature")?;
    let lens = &[signature_len(alg)];
    let (form, lens) = match format {
        SigFormat::Der => (detect_der_signature(path, &bytes)?, &[][..]),
        SigFormat::Raw => (detect_signature(path, &bytes, alg, lens[0])?, &lens[..]),
    };
    Ok(decode(path, bytes, form, lens)?.to_vec())
}

/// Why a container gives no key.
enum Refusal {
    Error(Error),
    OtherAlgorithm,
}

impl Refusal {
    fn at(self, path: &Path, expected: &str) -> Failure {
        match self {
            Refusal::Error(Error::KeyFormat(error)) => {
                Failure::at(path, format!("{error} (expected {expected})"))
            }
            Refusal::Error(error) => Failure::at(path, error),
            Refusal::OtherAlgorithm => Failure::at(
                path,
                "holds a key of another algorithm; known are Ed25519 and ECDSA on P-256 and P-384",
            ),
        }
    }
}

/// Reads a container as each algorithm, of which one at most is the one it names.
fn of_any<T>(read: impl Fn(Alg) -> Read<T>) -> std::result::Result<T, Refusal> {
    use KeyFormatError::{Algorithm, AnotherCurve, NotEd25519};
    for alg in Alg::value_variants() {
        match read(*alg) {
            Err(Error::KeyFormat(NotEd25519 | Algorithm | AnotherCurve)) => {}
            other => return other.map_err(Refusal::Error),
        }
    }
    Err(Refusal::OtherAlgorithm)
}

fn is_sec1_der(bytes: &[u8]) -> bool {
    let not_der = |curve| {
        let read = SecretKey::of_sec1(curve, bytes, false);
        matches!(read, Err(Error::KeyFormat(KeyFormatError::Der)))
    };
    !Curve::ALL.into_iter().any(not_der)
}

/// Reads an ECPrivateKey. It need not name its curve: then `--alg` has to.
fn sec1_key(path: &Path, bytes: &[u8], is_pem: bool, asked: Option<Alg>) -> Result<SecretKey> {
    const ANOTHER: Error = Error::KeyFormat(KeyFormatError::AnotherCurve);
    let refuse = |error| Refusal::Error(error).at(path, "an ECPrivateKey");
    let read = |curve: &Curve| (*curve, SecretKey::of_sec1(*curve, bytes, is_pem));
    let all: Vec<(Curve, Read<SecretKey>)> = Curve::ALL.iter().map(read).collect();
    let is_named = all.iter().any(|(_, read)| matches!(read, Err(ANOTHER)));
    let mut candidates = all.into_iter().filter(|(_, read)| !matches!(read, Err(ANOTHER)));
    if is_named {
        // a curve that is named is another one to all but itself
        return match candidates.next() {
            None => Err(Refusal::OtherAlgorithm.at(path, "")),
            Some((_, named)) => named.map_err(refuse),
        };
    }
    let mut candidates: Vec<(Curve, Read<SecretKey>)> = candidates.collect();
    let wanted = match asked.and_then(Alg::curve) {
        Some(asked) => candidates.iter().position(|(curve, _)| *curve == asked),
        // what is wrong beside
        None => candidates.iter().all(|(_, read)| read.is_err()).then_some(0),
    };
    match wanted {
        Some(i) => candidates.swap_remove(i).1.map_err(refuse),
        None => Err(Failure::at(path, "does not name the curve of its key; --alg says it")),
    }
}

fn check_alg(path: &Path, found: Alg, asked: Option<Alg>) -> Result<()> {
    match asked {
        Some(asked) if asked != found => {
            Err(Failure::at(path, format!("holds a key of {found}, but --alg says {asked}")))
        }
        _ => Ok(()),
    }
}

fn detect_key(
    path: &Path,
    bytes: &[u8],
    asked: Option<Alg>,
    lens: &[usize],
    is_raw: impl Fn(&[u8]) -> bool,
) -> Result<Form> {
    if is_pem(bytes) {
        return Ok(Form::Pem);
    }
    if is_raw(bytes) {
        refuse_half_hex(path, bytes, "; --key-format says which")?;
        return Ok(Form::Raw);
    }
    if !is_text(bytes) {
        return Ok(Form::Der);
    }
    detect_text(bytes, lens).map_err(|known| {
        let (alg, len) = (asked.unwrap_or_default(), trim_newline(bytes).len());
        let hint = if asked.is_none() { "; --alg names another algorithm" } else { "" };
        Failure::at(
            path,
            format!(
                "{len} characters of text are not a key of {alg}: neither PEM, nor {known}{hint}"
            ),
        )
    })
}

fn detect_signature(path: &Path, bytes: &[u8], alg: Alg, len: usize) -> Result<Form> {
    if bytes.len() == len {
        refuse_half_hex(path, bytes, "")?;
        return Ok(Form::Raw);
    }
    let other = match alg.curve() {
        Some(_) => "; --sig-format says whether it is DER",
        None => "",
    };
    detect_text(bytes, &[len]).map_err(|known| {
        let got = bytes.len();
        let what = format!(
            "{got} bytes are not a signature of {alg}: neither {len} raw, nor {known}{other}"
        );
        Failure::at(path, what)
    })
}

/// DER begins with the byte 0x30, its hex with `30`, its base64 with `M`: no two begin alike.
fn detect_der_signature(path: &Path, bytes: &[u8]) -> Result<Form> {
    match bytes[0] {
        0x30 => Ok(Form::Raw),
        b'3' => Ok(Form::Hex),
        b'M' => Ok(Form::Base64),
        _ => Err(Failure::at(
            path,
            "is not a signature in DER (whose first byte is 0x30), nor its hex or base64",
        )),
    }
}
