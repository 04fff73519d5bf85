//! Reading and writing keys, and reading signatures, of every algorithm and in every form.
//!
//! How a form is found out, so that no guess can change a verdict: PEM by a line that begins
//! `-----BEGIN `; raw by a length that keys of the algorithm have (of ECDSA's public keys, by the first
//! byte too, which is 2, 3 or 4); hex and base64 by being printable text of exactly the right length, line
//! ends aside, base64 with padding or without; anything else must be DER, in full and with nothing after it.
//! Bytes of raw length that could be the hex of half a key are refused. `--key-format` names the form instead.
//!
//! The algorithm is the one that a container names, and must then be that of `--alg`. Raw, hex and
//! base64 name none: without `--alg` they are Ed25519. Whether r and s of a signature are in DER is
//! never found out: `--sig-format` says it.
//!
//! A file that is not read is named where its beginning is known, by `sigmill::FileKind`.
//!
//! Secrets: file contents and decoded keys live in memory that is wiped.

use crate::alg::{Alg, KeyAlg, SigFormat};
use crate::curve::{self, Read};
use crate::form::{
    Bytes, Form, decode, detect_text, encode, is_pem, is_text, read_small, refuse_half_hex,
    wiped_text,
};
use crate::key_forms::{self, PassphraseArgs, Secret};
use crate::status::{Failure, Result, shown, tell};
use crate::text::{Encoding, decode_secret, unwrapped};
use clap::ValueEnum;
use sigmill::ecdsa::Curve;
use sigmill::ed25519::{SigningKey, VerifyingKey};
use sigmill::x25519::{self, StaticSecret};
use sigmill::{Error, FileKind, KeyFormatError};
use sigmill_envelope as envelope;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use zeroize::Zeroizing;

/// A secret key.
pub(crate) enum SecretKey {
    Ed25519(SigningKey),
    Ecdsa(curve::Key),
    X25519(StaticSecret),
}

impl SecretKey {
    /// A new key from the system's randomness.
    pub(crate) fn generate(alg: KeyAlg) -> Result<Self> {
        let rng = &mut getrandom::SysRng;
        let made = match (alg, alg.curve()) {
            (KeyAlg::X25519, _) => StaticSecret::try_random_from_rng(rng).map(SecretKey::X25519),
            (_, None) => SigningKey::try_generate(rng).map(SecretKey::Ed25519),
            (_, Some(curve)) => curve::on(curve).generate().map(SecretKey::Ecdsa),
        };
        made.map_err(|error| Failure::new(format!("the system's randomness: {error}")))
    }

    pub(crate) fn alg(&self) -> KeyAlg {
        match self {
            SecretKey::Ed25519(_) => KeyAlg::Signs(Alg::ED25519),
            SecretKey::Ecdsa(key) => KeyAlg::Signs(Alg::of_curve(key.curve())),
            SecretKey::X25519(_) => KeyAlg::X25519,
        }
    }

    pub(crate) fn public_key(&self) -> PublicKey {
        let bytes = match self {
            SecretKey::Ed25519(key) => key.verifying_key().to_bytes().to_vec(),
            SecretKey::Ecdsa(key) => key.public_key(),
            SecretKey::X25519(key) => x25519::PublicKey::from(key).to_bytes().to_vec(),
        };
        PublicKey { alg: self.alg(), bytes }
    }

    /// The key for envelopes, which are signed by no key for agreement.
    pub(crate) fn for_envelopes(&self) -> Option<envelope::SecretKey> {
        let KeyAlg::Signs(alg) = self.alg() else { return None };
        let bytes = self.encoded(Form::Raw).ok()?;
        envelope::SecretKey::new(alg.of_library(), &bytes).ok()
    }

    /// PKCS#8, the bytes of the seed or integer, or the form of another program.
    pub(crate) fn encoded(&self, form: Form) -> Result<Bytes> {
        if form.is_of_others() {
            return self.in_form_of_others(form, None);
        }
        let encoded = match (self, form) {
            (SecretKey::Ecdsa(key), form) => key.encoded(form),
            (SecretKey::Ed25519(key), Form::Pem) => key.to_private_key_pem().map(wiped_text),
            (SecretKey::Ed25519(key), Form::Der) => key.to_private_key_der(),
            (SecretKey::Ed25519(key), form) => {
                Ok(encode(form, Zeroizing::new(key.to_bytes()).as_slice()))
            }
            (SecretKey::X25519(key), Form::Pem) => key.to_private_key_pem().map(wiped_text),
            (SecretKey::X25519(key), Form::Der) => key.to_private_key_der(),
            (SecretKey::X25519(key), form) => Ok(encode(form, key.as_bytes())),
        };
        encoded.map_err(|error| Failure::new(error.to_string()))
    }

    /// The same, encrypted with a passphrase.
    ///
    /// # Errors
    /// The form is written without passphrases alone.
    pub(crate) fn encrypted(&self, form: Form, passphrase: &[u8]) -> Result<Bytes> {
        if matches!(form, Form::Openssh | Form::Minisign) {
            return self.in_form_of_others(form, Some(passphrase));
        }
        let what = "is written without a passphrase; --passphrase-file is for openssh and minisign";
        Err(Failure::new(format!("--format {}: {what}", form.name())))
    }

    fn in_form_of_others(&self, form: Form, passphrase: Option<&[u8]>) -> Result<Bytes> {
        let key = self.for_envelopes().ok_or_else(|| no_form_of_x25519(form))?;
        key_forms::write_secret(&key, form, passphrase)
    }

    /// Of PKCS#8.
    fn of_der(alg: KeyAlg, bytes: &[u8]) -> Read<Self> {
        match (alg, alg.curve()) {
            (KeyAlg::X25519, _) => StaticSecret::from_private_key_der(bytes).map(SecretKey::X25519),
            (_, None) => SigningKey::from_private_key_der(bytes).map(SecretKey::Ed25519),
            (_, Some(curve)) => curve::on(curve).key_of_der(bytes).map(SecretKey::Ecdsa),
        }
    }

    /// Of PKCS#8, on a curve of ECPrivateKey, too.
    fn of_pem(alg: KeyAlg, text: &[u8]) -> Read<Self> {
        match (alg, alg.curve()) {
            (KeyAlg::X25519, _) => StaticSecret::read_private_key_pem(text).map(SecretKey::X25519),
            (_, None) => SigningKey::read_private_key_pem(text).map(SecretKey::Ed25519),
            (_, Some(curve)) => curve::on(curve).key_of_pem(text).map(SecretKey::Ecdsa),
        }
    }

    /// Of ECPrivateKey.
    fn of_sec1(curve: Curve, bytes: &[u8], form: Form) -> Read<Self> {
        let curve = curve::on(curve);
        let read = match form {
            Form::Pem => curve.key_of_pem(bytes),
            _ => curve.key_of_sec1_der(bytes),
        };
        read.map(SecretKey::Ecdsa)
    }

    /// Of a key that another program wrote.
    fn of_others(key: envelope::SecretKey) -> Option<Self> {
        Some(match key {
            envelope::SecretKey::Ed25519(key) => SecretKey::Ed25519(key),
            envelope::SecretKey::P256(key) => SecretKey::Ecdsa(Box::new(key)),
            envelope::SecretKey::P384(key) => SecretKey::Ecdsa(Box::new(key)),
            _ => return None,
        })
    }

    /// The bytes of a seed or integer.
    fn of_bytes(alg: KeyAlg, bytes: &[u8]) -> Read<Self> {
        match (alg, alg.curve()) {
            (KeyAlg::X25519, _) => {
                let bytes = Zeroizing::new(*exactly::<32>("secret key", bytes)?);
                Ok(SecretKey::X25519(StaticSecret::from(*bytes)))
            }
            (_, None) => SigningKey::decode(bytes).map(SecretKey::Ed25519),
            (_, Some(curve)) => curve::on(curve).key_of_bytes(bytes).map(SecretKey::Ecdsa),
        }
    }
}

/// A public key: 32 bytes, or SEC1. Whether they are a point is a verdict, not a failure.
pub(crate) struct PublicKey<A = KeyAlg> {
    pub(crate) alg: A,
    pub(crate) bytes: Vec<u8>,
}

impl PublicKey {
    /// SubjectPublicKeyInfo, the bytes, those of ECDSA uncompressed, or the form of another program.
    ///
    /// # Errors
    /// The key is no point, or the form is not one for it.
    pub(crate) fn encoded(&self, form: Form) -> Result<Vec<u8>> {
        if form.is_of_others() {
            let KeyAlg::Signs(alg) = self.alg else { return Err(no_form_of_x25519(form)) };
            let key = envelope::Key::new(alg.of_library(), &self.bytes);
            let key = key.map_err(|error| Failure::new(error.to_string()))?;
            return key_forms::write_public(&key, form);
        }
        self.in_own_form(form).map_err(|error| Failure::new(error.to_string()))
    }

    fn in_own_form(&self, form: Form) -> Read<Vec<u8>> {
        if let Some(curve) = self.alg.curve() {
            return curve::on(curve).public_encoded(&self.bytes, form);
        }
        let key = match self.alg {
            KeyAlg::X25519 => {
                let key = x25519::PublicKey::from(self.array()?);
                match form {
                    Form::Pem => return Ok(key.to_spki_pem()?.into_bytes()),
                    Form::Der => return key.to_spki_der(),
                    _ => key.to_bytes(),
                }
            }
            KeyAlg::Signs(_) => {
                let key = VerifyingKey::decode(&self.bytes)?;
                match form {
                    Form::Pem => return Ok(key.to_spki_pem()?.into_bytes()),
                    Form::Der => return key.to_spki_der(),
                    _ => key.to_bytes(),
                }
            }
        };
        Ok(encode(form, &key).to_vec())
    }

    fn array(&self) -> Read<[u8; 32]> {
        exactly("public key", &self.bytes).copied()
    }

    fn of_der(alg: KeyAlg, bytes: &[u8]) -> Read<Self> {
        let bytes = match (alg, alg.curve()) {
            (KeyAlg::X25519, _) => x25519::PublicKey::from_spki_der(bytes)?.to_bytes().to_vec(),
            (_, None) => VerifyingKey::bytes_from_spki_der(bytes)?.to_vec(),
            (_, Some(curve)) => curve::on(curve).public_of_der(bytes)?,
        };
        Ok(PublicKey { alg, bytes })
    }

    fn of_pem(alg: KeyAlg, text: &str) -> Read<Self> {
        let bytes = match (alg, alg.curve()) {
            (KeyAlg::X25519, _) => x25519::PublicKey::from_spki_pem(text)?.to_bytes().to_vec(),
            (_, None) => VerifyingKey::bytes_from_spki_pem(text)?.to_vec(),
            (_, Some(curve)) => curve::on(curve).public_of_pem(text)?,
        };
        Ok(PublicKey { alg, bytes })
    }
}

/// The refusal to write a key for agreement in a form for signatures.
fn no_form_of_x25519(form: Form) -> Failure {
    Failure::new(format!("--format {}: keys of x25519 have no such form here", form.name()))
}

/// The expected content of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expected {
    PrivateKey,
    PublicKey,
}

impl Expected {
    const fn name(self) -> &'static str {
        match self {
            Expected::PrivateKey => "a private key",
            Expected::PublicKey => "a public key",
        }
    }

    /// Whether a file of this kind holds it, as far as its beginning tells.
    const fn is(self, kind: FileKind) -> bool {
        match kind {
            FileKind::PrivateKey(_) | FileKind::EcPrivateKey(_) => {
                matches!(self, Expected::PrivateKey)
            }
            FileKind::PublicKey(_) => matches!(self, Expected::PublicKey),
            _ => false,
        }
    }

    /// The message about a file that is known to be something else, which no secret is in.
    fn refuse_kind(self, path: &Path, bytes: &[u8]) -> Result<()> {
        let Some(kind) = FileKind::of(bytes).filter(|kind| !self.is(*kind)) else { return Ok(()) };
        let advice = match kind {
            // text of a wrong length, of which more is said
            FileKind::Base64WithoutPadding => return Ok(()),
            FileKind::PrivateKey(of) | FileKind::EcPrivateKey(of) if is_known(of) => {
                Some("`sigmill pubkey --key FILE` prints its public key")
            }
            FileKind::PrivateKey(_) | FileKind::EcPrivateKey(_) => Some(KNOWN),
            // of use for tables only
            FileKind::JsonArray | FileKind::JsonInLines => None,
            kind => kind.advice(),
        };
        let advice = advice.map_or(String::new(), |advice| format!("; {advice}"));
        let expected = self.name().replacen("a ", "a plain ", 1);
        Err(Failure::at(path, format!("is {kind}, not {expected}{advice}")))
    }
}

const KNOWN: &str = "known are Ed25519, X25519, and ECDSA on P-256 and P-384";

/// Whether keys are read of the algorithm or curve with this name.
fn is_known(of: &str) -> bool {
    ["Ed25519", "X25519", "P-256", "P-384"].contains(&of)
}

/// Reads the secret key that signs or agrees.
pub(crate) fn secret_key(
    path: &Path,
    form: Option<Form>,
    asked: Option<KeyAlg>,
    passphrase: &PassphraseArgs,
) -> Result<SecretKey> {
    secret_key_with_id(path, form, asked, passphrase).map(|(key, _)| key)
}

/// The same with the identifier of a key of minisign.
pub(crate) fn secret_key_with_id(
    path: &Path,
    form: Option<Form>,
    asked: Option<KeyAlg>,
    passphrase: &PassphraseArgs,
) -> Result<(SecretKey, Option<[u8; 8]>)> {
    const ED25519: KeyAlg = KeyAlg::Signs(Alg::ED25519);
    const EXPECTED: Expected = Expected::PrivateKey;
    let bytes = read_small(path, "a secret key")?;
    let passphrase = passphrase.read()?;
    let of_others =
        key_forms::read_secret(path, &bytes, form, passphrase.as_ref().map(|line| &line[..]))?;
    if let Some(Secret { key, id }) = of_others
        && let Some(key) = SecretKey::of_others(key)
    {
        check_alg(path, key.alg(), asked)?;
        warn_if_shared(path);
        return Ok((key, id));
    }
    if passphrase.is_some() {
        return Err(Failure::at(
            path,
            "is not a key of OpenSSH or minisign, which --passphrase-file is for",
        ));
    }
    let lens = &[asked.unwrap_or_default().curve().map_or(32, |curve| curve::on(curve).width())];
    // PKCS#8 of Ed25519 and X25519 is as long as an integer of P-384
    let is_raw = |bytes: &[u8]| {
        let is_pkcs8 = |alg| SecretKey::of_der(alg, bytes).is_ok();
        lens.contains(&bytes.len()) && !is_pkcs8(ED25519) && !is_pkcs8(KeyAlg::X25519)
    };
    let form = match form {
        Some(form) => form,
        None => detect_key(path, &bytes, EXPECTED, asked, lens, is_raw)?,
    };
    let key = match form {
        Form::Pem | Form::Der => {
            let read = of_any(|alg| match form {
                Form::Pem => SecretKey::of_pem(alg, &bytes),
                _ => SecretKey::of_der(alg, &bytes),
            });
            let read = match read {
                Err(Refusal::Error(Error::KeyFormat(KeyFormatError::Der)))
                    if is_sec1(&bytes, form) =>
                {
                    sec1_key(&bytes, form, asked)
                }
                read => read,
            };
            read.map_err(|refusal| refusal.at(path, &bytes, EXPECTED, form))?
        }
        form => {
            let bytes = decode(path, bytes, form, lens)?;
            let key = SecretKey::of_bytes(asked.unwrap_or_default(), &bytes);
            key.map_err(|error| Failure::at(path, error))?
        }
    };
    check_alg(path, key.alg(), asked)?;
    warn_if_shared(path);
    Ok((key, None))
}

/// Warns where others may do something with the file of a secret key.
fn warn_if_shared(path: &Path) {
    let Ok(found) = fs::metadata(path) else { return };
    let mode = found.permissions().mode() & 0o7777;
    if path != Path::new("-") && found.is_file() && mode & 0o077 != 0 {
        tell(format_args!(
            "sigmill: warning: {}: others have access to this secret key (mode {mode:04o}); `chmod 600` ends that",
            shown(path)
        ));
    }
}

/// Reads a public key.
pub(crate) fn public_key(
    path: &Path,
    form: Option<Form>,
    asked: Option<KeyAlg>,
) -> Result<PublicKey> {
    public_key_of(path, read_small(path, "a public key")?, form, asked)
}

/// The public key in the bytes of a file.
fn public_key_of(
    path: &Path,
    bytes: Bytes,
    form: Option<Form>,
    asked: Option<KeyAlg>,
) -> Result<PublicKey> {
    const EXPECTED: Expected = Expected::PublicKey;
    if let Some(key) = key_forms::read_public(path, &bytes, form)? {
        let alg = KeyAlg::Signs(Alg::of(key.algorithm()));
        check_alg(path, alg, asked)?;
        return Ok(PublicKey { alg, bytes: key.bytes().to_vec() });
    }
    let alg = asked.unwrap_or_default();
    let lens = &public_key_lens(alg.curve())[..];
    let is_raw = |bytes: &[u8]| {
        lens.contains(&bytes.len()) && (alg.curve().is_none() || matches!(bytes[0], 2..=4))
    };
    let form = match form {
        Some(form) => form,
        None => detect_key(path, &bytes, EXPECTED, asked, lens, is_raw)?,
    };
    let key = match form {
        Form::Pem => {
            // what is not text stands outside of the key, or is an error there
            let text = String::from_utf8_lossy(&bytes);
            let read = of_any(|alg| PublicKey::of_pem(alg, &text));
            read.map_err(|refusal| refusal.at(path, &bytes, EXPECTED, Form::Pem))?
        }
        Form::Der => {
            let read = of_any(|alg| PublicKey::of_der(alg, &bytes));
            read.map_err(|refusal| refusal.at(path, &bytes, EXPECTED, Form::Der))?
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

/// Reads the public key that verifies.
pub(crate) fn verifying_key(
    path: &Path,
    form: Option<Form>,
    asked: Option<Alg>,
) -> Result<PublicKey<Alg>> {
    verifying_key_of(path, read_small(path, "a public key")?, form, asked)
}

/// The public key that verifies, in the bytes of a file.
pub(crate) fn verifying_key_of(
    path: &Path,
    bytes: Bytes,
    form: Option<Form>,
    asked: Option<Alg>,
) -> Result<PublicKey<Alg>> {
    let key = public_key_of(path, bytes, form, asked.map(KeyAlg::Signs))?;
    Ok(PublicKey { alg: signing_alg(path, key.alg)?, bytes: key.bytes })
}

/// The scheme of a key, which has to have one.
pub(crate) fn signing_alg(path: &Path, found: KeyAlg) -> Result<Alg> {
    match found {
        KeyAlg::Signs(alg) => Ok(alg),
        KeyAlg::X25519 => Err(signs_nothing(path)),
    }
}

/// The refusal of a key for agreement.
pub(crate) fn signs_nothing(path: &Path) -> Failure {
    Failure::at(path, "holds a key of x25519, which signs nothing")
}

/// Bytes of a public key; of ECDSA compressed and uncompressed.
pub(crate) fn public_key_lens(curve: Option<Curve>) -> Vec<usize> {
    match curve.map(|curve| curve::on(curve).width()) {
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
    signature_of(path, read_small(path, "a signature")?, alg, format)
}

/// The signature in the bytes of a file.
pub(crate) fn signature_of(
    path: &Path,
    bytes: Bytes,
    alg: Alg,
    format: SigFormat,
) -> Result<Vec<u8>> {
    let lens = &[signature_len(alg)];
    let (form, lens) = match format {
        SigFormat::Der => (detect_der_signature(path, &bytes)?, &[][..]),
        SigFormat::Raw => (detect_signature(path, &bytes, alg, lens[0])?, &lens[..]),
    };
    Ok(decode(path, bytes, form, lens)?.to_vec())
}

/// Bytes of one length, or the library's error.
pub(crate) fn exactly<'a, const N: usize>(
    what: &'static str,
    bytes: &'a [u8],
) -> Read<&'a [u8; N]> {
    bytes.try_into().map_err(|_| Error::Length { what, expected: N, got: bytes.len() })
}

/// Reads a digest of `size` bytes that another program wrote: raw, or as text of exactly its length, as of keys.
pub(crate) fn digest(path: &Path, what: &'static str, size: usize) -> Result<Vec<u8>> {
    let bytes = read_small(path, "a digest")?;
    let has_size = bytes.len() == size;
    if has_size {
        refuse_half_hex(path, &bytes, "")?;
    }
    // no digest is text, but the base64 of a shorter one may be as long
    let form = if has_size && !is_text(&bytes) {
        Form::Raw
    } else {
        detect_text(&bytes, &[size])
            .map_err(|known| no_digest(path, &bytes, (what, size), &known))?
    };
    Ok(decode(path, bytes, form, &[size])?.to_vec())
}

/// The message about a file that holds no digest.
fn no_digest(
    path: &Path,
    bytes: &[u8],
    (name, expected): (&'static str, usize),
    known: &str,
) -> Failure {
    let named = FileKind::of(bytes).filter(|kind| *kind != FileKind::Base64WithoutPadding);
    if let Some(kind) = named {
        let advice = kind.advice().map_or(String::new(), |advice| format!("; {advice}"));
        return Failure::at(path, format!("is {kind}, not a {name}{advice}"));
    }
    if !is_text(bytes) {
        return Failure::at(path, Error::Length { what: name, expected, got: bytes.len() });
    }
    let digits = 2 * expected;
    let is_digest = |word: &[u8]| word.len() == digits && word.iter().all(u8::is_ascii_hexdigit);
    let mut words = bytes.split(|byte| byte.is_ascii_whitespace() || *byte == b'=');
    Failure::at(
        path,
        match words.any(is_digest) {
            // as `sha512sum`, `shasum` and `openssl dgst` print it
            true => format!(
                "has more than the {digits} hexadecimal digits of a digest; give these alone"
            ),
            false => format!(
                "{} characters of text are not a {name}: neither {known}",
                unwrapped(bytes).len()
            ),
        },
    )
}

/// Why a container gives no key.
enum Refusal {
    Error(Error),
    OtherAlgorithm,
    /// An ECPrivateKey that says nothing of its curve.
    Unnamed,
}

impl Refusal {
    fn at(self, path: &Path, bytes: &[u8], expected: Expected, form: Form) -> Failure {
        if let Err(failure) = expected.refuse_kind(path, bytes) {
            return failure;
        }
        match self {
            Refusal::Error(Error::KeyFormat(KeyFormatError::Pem)) if bytes[0] == 0x30 => {
                Failure::at(path, "is DER, not PEM; --key-format der reads it")
            }
            Refusal::Error(Error::KeyFormat(KeyFormatError::Pem)) => {
                Failure::at(path, format!("is not PEM: {}", pem_fault(bytes, expected)))
            }
            Refusal::Error(Error::KeyFormat(KeyFormatError::Der))
                if form == Form::Der && is_pem(bytes) =>
            {
                Failure::at(path, "is PEM, not DER; --key-format pem reads it")
            }
            Refusal::Error(Error::KeyFormat(error)) => {
                Failure::at(path, format!("{error} (expected {})", expected.name()))
            }
            Refusal::Error(error) => Failure::at(path, error),
            Refusal::OtherAlgorithm => {
                let found = FileKind::of(bytes).map(|kind| format!(": {kind}"));
                let found = found.unwrap_or_default();
                Failure::at(path, format!("holds a key of another algorithm{found}; {KNOWN}"))
            }
            Refusal::Unnamed => {
                Failure::at(path, "does not name the curve of its key; --alg says it")
            }
        }
    }
}

/// Why text with a line that begins like PEM has no block that is read.
fn pem_fault(bytes: &[u8], expected: Expected) -> String {
    let labels: &[&str] = match expected {
        Expected::PrivateKey => &["PRIVATE KEY", "EC PRIVATE KEY"],
        Expected::PublicKey => &["PUBLIC KEY"],
    };
    let lines = bytes
        .split(|byte| matches!(byte, b'\r' | b'\n'))
        .map(|line| line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii());
    let begin = |line: &[u8]| {
        labels.iter().find(|label| line == format!("-----BEGIN {label}-----").as_bytes()).copied()
    };
    let mut rest = lines.skip_while(|line| begin(line).is_none());
    let Some(label) = rest.next().and_then(begin) else {
        return format!("no line is `-----BEGIN {}-----`", labels.join("-----` or `-----BEGIN "));
    };
    let end = format!("-----END {label}-----");
    match rest.find(|line| line.contains(&b'-')) {
        None => format!("`{end}` is missing; the file may be cut off"),
        Some(line) if line == end.as_bytes() => {
            "between its labels stands other text than base64 with padding".to_owned()
        }
        Some(line) if line.starts_with(end.as_bytes()) => {
            format!("other text stands behind `{end}` in its line")
        }
        Some(line) if line.starts_with(b"-----END ") => {
            format!("another label than `{end}` ends it")
        }
        Some(line) if end.as_bytes().starts_with(line) => {
            format!("`{end}` is not whole; the file may be cut off")
        }
        Some(_) => "between its labels stands other text than base64 with padding".to_owned(),
    }
}

/// Reads a container as each algorithm, of which one at most is the one it names.
fn of_any<T>(read: impl Fn(KeyAlg) -> Read<T>) -> std::result::Result<T, Refusal> {
    use KeyFormatError::{Algorithm, AnotherCurve, NotEd25519};
    for alg in KeyAlg::value_variants() {
        match read(*alg) {
            Err(Error::KeyFormat(NotEd25519 | Algorithm | AnotherCurve)) => {}
            other => return other.map_err(Refusal::Error),
        }
    }
    Err(Refusal::OtherAlgorithm)
}

fn is_sec1(bytes: &[u8], form: Form) -> bool {
    let not_der = |curve| {
        let read = SecretKey::of_sec1(curve, bytes, form);
        matches!(read, Err(Error::KeyFormat(KeyFormatError::Der)))
    };
    !Curve::ALL.into_iter().any(not_der)
}

/// Reads an ECPrivateKey. It need not name its curve: then `--alg` has to.
fn sec1_key(
    bytes: &[u8],
    form: Form,
    asked: Option<KeyAlg>,
) -> std::result::Result<SecretKey, Refusal> {
    const ANOTHER: Error = Error::KeyFormat(KeyFormatError::AnotherCurve);
    let read = |curve: &Curve| (*curve, SecretKey::of_sec1(*curve, bytes, form));
    let all: Vec<(Curve, Read<SecretKey>)> = Curve::ALL.iter().map(read).collect();
    let is_named = all.iter().any(|(_, read)| matches!(read, Err(ANOTHER)));
    let mut candidates = all.into_iter().filter(|(_, read)| !matches!(read, Err(ANOTHER)));
    if is_named {
        // a curve that is named is another one to all but itself
        return match candidates.next() {
            None => Err(Refusal::OtherAlgorithm),
            Some((_, named)) => named.map_err(Refusal::Error),
        };
    }
    let mut candidates: Vec<(Curve, Read<SecretKey>)> = candidates.collect();
    let wanted = match asked.and_then(KeyAlg::curve) {
        Some(asked) => candidates.iter().position(|(curve, _)| *curve == asked),
        // what is wrong beside
        None => candidates.iter().all(|(_, read)| read.is_err()).then_some(0),
    };
    match wanted {
        Some(i) => candidates.swap_remove(i).1.map_err(Refusal::Error),
        None => Err(Refusal::Unnamed),
    }
}

fn check_alg(path: &Path, found: KeyAlg, asked: Option<KeyAlg>) -> Result<()> {
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
    expected: Expected,
    asked: Option<KeyAlg>,
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
    if asked.is_none_or(|alg| alg == KeyAlg::default()) {
        refuse_key_pair(path, bytes, expected)?;
    }
    refuse_mark(path, bytes)?;
    if !is_text(bytes) {
        return Ok(Form::Der);
    }
    let detected = detect_text(bytes, lens);
    if detected == Ok(Form::Hex) && !unwrapped(bytes).iter().all(u8::is_ascii_hexdigit) {
        // text of another kind may be as long
        expected.refuse_kind(path, bytes)?;
    }
    detected.or_else(|known| {
        expected.refuse_kind(path, bytes)?;
        let (alg, len) = (asked.unwrap_or_default(), unwrapped(bytes).len());
        let hint = if asked.is_none() { "; --alg names another algorithm" } else { "" };
        let what = format!(
            "{len} characters of text are not a key of {alg}: neither PEM, nor {known}{hint}"
        );
        Err(Failure::at(path, what))
    })
}

/// The message about 64 bytes, raw or as text: mostly a secret key of Ed25519 with its public key behind it.
fn refuse_key_pair(path: &Path, bytes: &[u8], expected: Expected) -> Result<()> {
    let decoded = match (bytes.len(), unwrapped(bytes).len()) {
        (64, _) if !is_text(bytes) => Some(Zeroizing::new(bytes.to_vec())),
        (_, 128) if is_text(bytes) => decode_secret(Encoding::Hex, bytes).ok(),
        (_, 86 | 88) if is_text(bytes) => decode_secret(Encoding::Base64, bytes).ok(),
        _ => None,
    };
    let Some(pair) = decoded.as_deref().and_then(|bytes| <&[u8; 64]>::try_from(&bytes[..]).ok())
    else {
        return Ok(());
    };
    Err(Failure::at(
        path,
        match SigningKey::from_keypair_bytes(pair) {
            Ok(_) if expected == Expected::PublicKey => {
                "holds 64 bytes: a seed and its public key, as libsodium and Go write a secret key; the last 32 are the public key"
            }
            Ok(_) => {
                "holds 64 bytes: a seed and its public key, as libsodium and Go write it; the first 32 are the seed"
            }
            Err(_) if expected == Expected::PublicKey => return Ok(()),
            Err(_) => {
                expected.refuse_kind(path, bytes)?;
                "holds 64 bytes; a seed and its public key, as libsodium and Go write it, have as many, but here the \
                 second half is not the public key of the first"
            }
        },
    ))
}

/// The message about hexadecimal or base64 behind a byte-order mark.
fn refuse_mark(path: &Path, bytes: &[u8]) -> Result<()> {
    match bytes.strip_prefix(b"\xef\xbb\xbf").is_some_and(is_text) {
        true => Err(Failure::at(
            path,
            "begins with a byte-order mark, which hexadecimal and base64 have not; `tail -c +4 FILE` leaves it out",
        )),
        false => Ok(()),
    }
}

fn detect_signature(path: &Path, bytes: &[u8], alg: Alg, len: usize) -> Result<Form> {
    if bytes.len() == len {
        refuse_half_hex(path, bytes, "")?;
        return Ok(Form::Raw);
    }
    refuse_mark(path, bytes)?;
    let other = match alg.curve() {
        Some(_) => "; --sig-format says whether it is DER",
        None => "",
    };
    detect_text(bytes, &[len]).or_else(|known| {
        refuse_other_than_signature(path, bytes)?;
        let got = bytes.len();
        let what = format!(
            "{got} bytes are not a signature of {alg}: neither {len} raw, nor {known}{other}"
        );
        Err(Failure::at(path, what))
    })
}

/// The message about a file that is known to be no signature.
fn refuse_other_than_signature(path: &Path, bytes: &[u8]) -> Result<()> {
    match FileKind::of(bytes) {
        // of a wrong length or in DER, of which more is said
        None | Some(FileKind::Base64WithoutPadding | FileKind::EcdsaSignature) => Ok(()),
        Some(kind) => {
            let advice = kind.advice().map_or(String::new(), |advice| format!("; {advice}"));
            Err(Failure::at(path, format!("is {kind}, not a signature{advice}")))
        }
    }
}

/// DER begins with the byte 0x30, its hex with `30`, its base64 with `M`: no two begin alike.
fn detect_der_signature(path: &Path, bytes: &[u8]) -> Result<Form> {
    match bytes[0] {
        0x30 => Ok(Form::Raw),
        b'3' => Ok(Form::Hex),
        b'M' => Ok(Form::Base64),
        _ => {
            refuse_mark(path, bytes)?;
            refuse_other_than_signature(path, bytes)?;
            let what =
                "is not a signature in DER (whose first byte is 0x30), nor its hex or base64";
            Err(Failure::at(path, what))
        }
    }
}
