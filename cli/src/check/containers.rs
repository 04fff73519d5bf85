//! Columns of keys in containers: SubjectPublicKeyInfo, in DER or in PEM. The library reads them; this says of
//! which algorithm each is, and it names a column that holds some without being said to.
//!
//! Public data only: time depends on the bytes. Secret keys in the place of public ones are named, too.

use crate::alg::Alg;
use crate::status::quoted;
use crate::text::Encoding;
use clap::ValueEnum;
use sigmill::ecdsa::Curve;
use sigmill::ecdsa::{p256, p384};
use sigmill::ed25519::{SigningKey, VerifyingKey};
use sigmill::{Error, FileKind, KeyFormatError};

/// How cells of a key column hold their keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum KeyForm {
    /// The bytes of the key: 32, or those of SEC1
    Raw,
    /// SubjectPublicKeyInfo in DER or PEM, as key management services, WebAuthn and OpenSSL give it
    Spki,
}

const PEM: &[u8] = b"-----BEGIN ";
const PUBLIC_KEY: &[u8] = b"PUBLIC KEY";

/// The text from the first line of PEM on, without blanks at its end, if the cell is PEM. Text may stand before it, as
/// OpenSSL writes it; DER is never PEM.
fn pem(cell: &[u8]) -> Option<&[u8]> {
    if content_of(cell).is_some() {
        return None;
    }
    let mut lines = cell.split_inclusive(|byte| matches!(byte, b'\n' | b'\r'));
    let mut at = 0;
    let start = lines.find_map(|line| {
        let text = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii_start();
        let start = at + line.len() - text.len();
        at += line.len();
        text.starts_with(PEM).then_some(start)
    })?;
    Some(cell[start..].trim_ascii_end())
}

/// Appends the key that a cell holds in PEM, or in DER as the encoding has it, and says whose it is.
pub(super) fn key_of(cell: &[u8], encoding: Encoding, out: &mut Vec<u8>) -> Result<Alg, String> {
    if let Some(pem) = pem(cell) {
        let text = std::str::from_utf8(pem).map_err(|_| "not text, though it begins like PEM")?;
        return read(
            || VerifyingKey::bytes_from_spki_pem(text).map(Vec::from),
            || p256::VerifyingKey::bytes_from_spki_pem(text),
            || p384::VerifyingKey::bytes_from_spki_pem(text),
            out,
        );
    }
    let mut decoded = Vec::new();
    let der = match encoding {
        Encoding::Raw => cell,
        encoding => {
            encoding.decode_into(cell, &mut decoded)?;
            &decoded
        }
    };
    read(
        || VerifyingKey::bytes_from_spki_der(der).map(Vec::from),
        || p256::VerifyingKey::bytes_from_spki_der(der),
        || p384::VerifyingKey::bytes_from_spki_der(der),
        out,
    )
    .map_err(|what| format!("{what}: {} bytes", der.len()))
}

type Read = Result<Vec<u8>, Error>;

/// Reads a container as each algorithm, of which one at most is the one it names.
fn read(
    ed25519: impl FnOnce() -> Read,
    p256: impl FnOnce() -> Read,
    p384: impl FnOnce() -> Read,
    out: &mut Vec<u8>,
) -> Result<Alg, String> {
    use KeyFormatError::{Algorithm, AnotherCurve, NotEd25519};
    let is_of_another =
        |error: &Error| matches!(error, Error::KeyFormat(NotEd25519 | Algorithm | AnotherCurve));
    let (alg, key) = match ed25519() {
        Err(error) if is_of_another(&error) => match p256() {
            Err(error) if is_of_another(&error) => (Alg::of_curve(Curve::P384), p384()),
            other => (Alg::of_curve(Curve::P256), other),
        },
        other => (Alg::ED25519, other),
    };
    match key {
        Ok(key) => {
            out.extend_from_slice(&key);
            Ok(alg)
        }
        Err(error) if is_of_another(&error) => {
            Err("a key of another algorithm than Ed25519, P-256 and P-384".to_owned())
        }
        Err(Error::KeyFormat(error)) => Err(format!("not a SubjectPublicKeyInfo: {error}")),
        Err(error) => Err(error.to_string()),
    }
}

/// So long are keys by themselves: Ed25519's, and those of SEC1.
const KEY_LENS: [usize; 5] = [32, 33, 49, 65, 97];

/// A cell that cannot be a key by itself, named by its outer structure.
#[derive(Clone, PartialEq, Eq)]
enum Container {
    Spki,
    Certificate,
    Pkcs8,
    Pem(String),
    /// A key of SSH, by the name of its kind.
    Ssh(FileKind),
    /// A secret key of Ed25519 and its public key.
    Pair,
    /// x and y of a point.
    Coordinates,
    /// Digits in a column that was not said to hold any.
    Text(&'static str),
    /// The same, of SubjectPublicKeyInfo.
    TextOfSpki(&'static str),
    /// Hexadecimal with `0x` in front.
    Prefixed,
}

impl Container {
    fn of(cell: &[u8]) -> Option<Container> {
        if let Some(pem) = pem(cell) {
            let is_end = |byte: &u8| *byte == b'-' || *byte == b'\n';
            let blocks = pem.split(|byte| matches!(byte, b'\n' | b'\r'));
            let labels = blocks.filter_map(|line| line.strip_prefix(PEM)?.split(is_end).next());
            // one with a key counts, whatever stands beside it
            let label = labels.reduce(|first, next| if next == PUBLIC_KEY { next } else { first });
            let label = String::from_utf8_lossy(label.unwrap_or_default());
            return Some(Container::Pem(quoted(&label)));
        }
        if KEY_LENS.contains(&cell.len()) {
            return None;
        }
        if let Ok(pair) = cell.try_into() {
            return Container::of_64(pair);
        }
        use FileKind::{Ssh2PublicKey, SshEd25519PublicKey, SshPublicKey, SshSecurityKey};
        let kind = FileKind::of(cell);
        if let Some(kind @ (Ssh2PublicKey | SshEd25519PublicKey | SshPublicKey | SshSecurityKey)) =
            kind
        {
            return Some(Container::Ssh(kind));
        }
        // one SEQUENCE, and nothing after it
        let inside = content_of(cell)?;
        match inside {
            // AlgorithmIdentifier: a SEQUENCE that begins with an OBJECT IDENTIFIER
            [0x30, ..] => match head_of(inside)?.1 {
                [0x06, ..] => Some(Container::Spki),
                // version and serial number
                [0xa0 | 0x02, ..] => Some(Container::Certificate),
                _ => None,
            },
            [0x02, 1, 0 | 1, 0x30, ..] => Some(Container::Pkcs8),
            _ => None,
        }
    }
}

impl Container {
    /// 64 bytes, which no public key has.
    fn of_64(cell: &[u8; 64]) -> Option<Container> {
        let is_point = || {
            let sec1 = [&[4], &cell[..]].concat();
            p256::VerifyingKey::from_sec1_bytes(&sec1).is_ok()
        };
        match SigningKey::from_keypair_bytes(cell) {
            Ok(_) => Some(Container::Pair),
            Err(_) => is_point().then_some(Container::Coordinates),
        }
    }

    /// Hexadecimal or base64 of a key, of which no length is that of a key.
    fn text(cell: &[u8]) -> Option<Container> {
        let is_hex = |text: &[u8]| text.iter().all(u8::is_ascii_hexdigit);
        let is_of = |len: fn(usize) -> usize| KEY_LENS.iter().any(|key| len(*key) == cell.len());
        let is_spki = |encoding| key_of(cell, encoding, &mut Vec::new()).is_ok();
        if let Some(digits) = cell.strip_prefix(b"0x").or(cell.strip_prefix(b"0X")) {
            return (is_hex(digits) && digits.len() >= 64).then_some(Container::Prefixed);
        }
        if is_hex(cell) {
            return match is_of(|key| 2 * key) {
                true => Some(Container::Text("hex")),
                false => is_spki(Encoding::Hex).then_some(Container::TextOfSpki("hex")),
            };
        }
        let is_base64 = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/-_=".contains(byte);
        let is_len = is_of(|key| key.div_ceil(3) * 4) || is_of(|key| (4 * key).div_ceil(3));
        if is_len && cell.iter().all(is_base64) {
            return Some(Container::Text("base64"));
        }
        is_spki(Encoding::Base64).then_some(Container::TextOfSpki("base64"))
    }
}

/// The length that a value of DER states, and the bytes behind it.
fn head_of(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let [_, len, rest @ ..] = bytes else { return None };
    match (len, rest) {
        (0..=0x7f, rest) => Some((usize::from(*len), rest)),
        (0x81, [len, rest @ ..]) => Some((usize::from(*len), rest)),
        (0x82, [high, low, rest @ ..]) => {
            Some((usize::from(u16::from_be_bytes([*high, *low])), rest))
        }
        _ => None,
    }
}

/// The content of a SEQUENCE that is all there is.
fn content_of(bytes: &[u8]) -> Option<&[u8]> {
    let (len, content) = head_of(bytes.strip_prefix(&[0x30]).map(|_| bytes)?)?;
    (len == content.len()).then_some(content)
}

/// The message about a key column all cells of which are containers of one kind, nulls aside; `None` where one is
/// not, or where there is none. Cells that are decoded as far as the options say may be text all the same.
pub(super) fn refusal<'a>(
    column: &str,
    are_decoded: bool,
    cells: impl Iterator<Item = Option<&'a [u8]>>,
) -> Option<String> {
    let mut found: Option<(Container, &[u8])> = None;
    for cell in cells.flatten() {
        let text = || are_decoded.then(|| Container::text(cell)).flatten();
        let container = Container::of(cell).or_else(text)?;
        match &found {
            None => found = Some((container, cell)),
            Some((first, _)) if *first == container => {}
            Some(_) => return None,
        }
    }
    let (container, first) = found?;
    let len = first.len();
    const NEEDED: &str = "public keys, or SubjectPublicKeyInfo with --key-form spki, are needed";
    let what = match &container {
        Container::Spki => format!("SubjectPublicKeyInfo in DER, {len} bytes in its first key"),
        Container::Certificate => format!("X.509 certificates in DER, {len} bytes in the first"),
        Container::Pkcs8 => format!("private keys (PKCS#8 in DER), {len} bytes in the first"),
        Container::Pem(label) => format!("PEM ({label})"),
        Container::Ssh(kind) => format!("keys of SSH, of which the first is {kind}"),
        Container::Pair => "secret keys: 64 bytes, a seed and its public key, as libsodium and Go \
                            write it"
            .to_owned(),
        Container::Coordinates => "64 bytes, x and y of a point on P-256".to_owned(),
        Container::Prefixed => "hexadecimal with `0x` in front".to_owned(),
        Container::Text(encoding) => format!("{len} characters of text that may be {encoding}"),
        Container::TextOfSpki(encoding) => {
            format!("{len} characters of {encoding} of SubjectPublicKeyInfo")
        }
    };
    let hint = match &container {
        Container::Pem(label) if label.as_bytes() != PUBLIC_KEY => {
            "keys, or SubjectPublicKeyInfo with --key-form spki, are needed".to_owned()
        }
        Container::Certificate | Container::Pkcs8 | Container::Ssh(_) => NEEDED.to_owned(),
        Container::Pair => "the last 32 are the public key".to_owned(),
        Container::Coordinates => "SEC1 has a byte of 4 in front of them".to_owned(),
        Container::Prefixed => "--key-encoding hex reads it without".to_owned(),
        Container::Text(encoding) => {
            format!("--key-encoding {encoding}, or --encoding, reads it")
        }
        Container::TextOfSpki(encoding) => {
            format!("--key-form spki and --key-encoding {encoding}, or --encoding, read it")
        }
        Container::Spki | Container::Pem(_) => hint_of_spki(first),
    };
    Some(format!("column `{column}` holds no keys by themselves but {what}; {hint}"))
}

/// What is to be done about a column of SubjectPublicKeyInfo that begins with this one.
fn hint_of_spki(first: &[u8]) -> String {
    let Err(what) = key_of(first, Encoding::Raw, &mut Vec::new()) else {
        return "--key-form spki reads it".to_owned();
    };
    match FileKind::of(first) {
        Some(kind @ (FileKind::PemOutOfLine | FileKind::EscapedPem)) => {
            let advice = kind.advice().unwrap_or_default();
            format!("it is {kind}, which --key-form spki does not read; {advice}")
        }
        Some(kind @ FileKind::PublicKey(_)) => {
            format!("the first is {kind}, which --key-form spki does not read: {what}")
        }
        _ => format!("--key-form spki does not read the first: {what}"),
    }
}

/// The message about a key column that could not be decoded, all cells of which are base64 of keys, or hexadecimal
/// with `0x` in front.
pub(super) fn undecoded_refusal<'a>(
    column: &str,
    cells: impl Iterator<Item = Option<&'a [u8]>>,
) -> Option<String> {
    let mut are_prefixed = None;
    for cell in cells.flatten() {
        let is_prefixed = match Container::text(cell)? {
            Container::Text("base64") | Container::TextOfSpki("base64") => false,
            Container::Prefixed => true,
            _ => return None,
        };
        if *are_prefixed.get_or_insert(is_prefixed) != is_prefixed {
            return None;
        }
    }
    Some(match are_prefixed? {
        true => format!(
            "column `{column}` is hexadecimal with `0x` in front, which no encoding reads; leave it out"
        ),
        false => format!(
            "column `{column}` is not hexadecimal, and may be base64; --key-encoding base64, or --encoding, reads it"
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sigmill::ed25519::SigningKey;

    #[test]
    fn a_column_of_other_forms_of_keys_is_named() {
        let key = SigningKey::from_bytes(&[7; 32]);
        let public = key.verifying_key();
        let spki = public.to_spki_der().unwrap();
        let refused = |cell: &[u8]| refusal("k", true, [Some(cell)].into_iter());
        let hex = |bytes: &[u8]| data_encoding::HEXLOWER.encode(bytes);
        let base64 = |bytes: &[u8]| data_encoding::BASE64.encode(bytes);
        let point =
            p256::SigningKey::from_bytes(&[7; 32].into()).unwrap().verifying_key().to_sec1_bytes();
        let rsa =
            hex_of("305c300d06092a864886f70d0101010500034b003048024100d5a0f1c2b3a49586776859");
        let x25519 = hex_of(&format!("302a300506032b656e032100{}", hex(&[9; 32])));
        let one_line = public.to_spki_pem().unwrap().replace('\n', "");
        let escaped = public.to_spki_pem().unwrap().replace('\n', "\\n");
        let explicit = [hex_of("30819d"), [0x30, 0x80].to_vec()].concat();
        assert_eq!(refused(&explicit), None);
        assert_eq!(refused(&rsa), None);
        for (cell, expected) in [
            (
                format!("0x{}", hex(public.as_bytes())).into_bytes(),
                "hexadecimal with `0x` in front; --key-encoding hex reads it without",
            ),
            (
                hex(&spki).into_bytes(),
                "88 characters of hex of SubjectPublicKeyInfo; --key-form spki and --key-encoding hex, or",
            ),
            (
                base64(&spki).into_bytes(),
                "60 characters of base64 of SubjectPublicKeyInfo; --key-form spki and --key-encoding base64, or",
            ),
            (key.to_keypair_bytes().to_vec(), "secret keys: 64 bytes, a seed and its public key"),
            (point[1..].to_vec(), "64 bytes, x and y of a point on P-256; SEC1 has a byte of 4"),
            (
                b"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI me".to_vec(),
                "the first is an SSH public key (Ed25519); public keys, or",
            ),
            (
                x25519,
                "a public key (X25519), which --key-form spki does not read: a key of another algorithm",
            ),
            (
                one_line.into_bytes(),
                "PEM whose labels do not have lines of their own, which --key-form spki does not read",
            ),
            (
                escaped.into_bytes(),
                "PEM whose line ends are written as `\\n`, which --key-form spki does not read",
            ),
        ] {
            let said = refused(&cell).unwrap_or_default();
            assert!(said.contains(expected), "{said}: must be {expected}");
        }
        let text = base64(public.as_bytes());
        let said =
            undecoded_refusal("k", [None, Some(text.as_bytes())].into_iter()).expect("base64");
        assert!(said.contains("--key-encoding base64, or --encoding, reads it"), "{said}");
        assert_eq!(
            undecoded_refusal("k", [Some(hex(public.as_bytes()).as_bytes())].into_iter()),
            None
        );
        assert_eq!(undecoded_refusal("k", [None].into_iter()), None);
        let prefixed = format!("0x{}", hex(public.as_bytes()));
        let said = undecoded_refusal("k", [Some(prefixed.as_bytes())].into_iter()).expect("0x");
        assert!(said.contains("hexadecimal with `0x` in front"), "{said}");
        let both = [Some(prefixed.as_bytes()), Some(text.as_bytes())];
        assert_eq!(undecoded_refusal("k", both.into_iter()), None);
        assert_eq!(undecoded_refusal("k", [Some(&b"zz"[..])].into_iter()), None);
    }

    fn hex_of(text: &str) -> Vec<u8> {
        data_encoding::HEXLOWER.decode(text.as_bytes()).unwrap()
    }

    #[test]
    fn a_column_of_containers_is_told_from_one_of_keys() {
        let key = SigningKey::from_bytes(&[7; 32]);
        let public = key.verifying_key();
        let (spki, pem) = (public.to_spki_der().unwrap(), public.to_spki_pem().unwrap());
        let pkcs8 = key.to_private_key_der().unwrap();
        let refused = |cells: &[Option<&[u8]>]| refusal("k", true, cells.iter().copied());
        let is_spki = refused(&[None, Some(&spki), Some(&spki)]).expect("containers");
        assert_eq!(
            is_spki,
            "column `k` holds no keys by themselves but SubjectPublicKeyInfo in DER, 44 bytes in its first \
             key; --key-form spki reads it"
        );
        let pem = format!("\u{feff}\n{pem}");
        let (before, certificate) = ("Key:\n", "-----BEGIN CERTIFICATE-----\nAA==\n");
        for text in
            [format!("{before}{pem}"), format!("{pem}{certificate}"), format!("{certificate}{pem}")]
        {
            let what = refused(&[Some(text.as_bytes())]).expect("PEM");
            assert!(what.contains("PEM (PUBLIC KEY); --key"), "{what}");
        }
        let what = refused(&[Some(certificate.as_bytes())]).expect("PEM");
        assert!(what.contains("PEM (CERTIFICATE); keys, or"), "{what}");
        assert!(refused(&[Some(pem.as_bytes())]).expect("PEM").contains("PEM (PUBLIC KEY); --key"));
        assert!(refused(&[Some(&pkcs8)]).expect("PKCS#8").contains("private keys"));
        // one key by itself, or a container of another kind: rows tell
        assert_eq!(refused(&[Some(&spki), Some(public.as_bytes())]), None);
        assert_eq!(refused(&[Some(&spki), Some(pem.as_bytes())]), None);
        assert_eq!(refused(&[None, None]), None);
        let digits = data_encoding::HEXLOWER.encode(public.as_bytes());
        let base64 = data_encoding::BASE64.encode(public.as_bytes());
        assert!(refused(&[Some(digits.as_bytes())]).expect("text").contains("--key-encoding hex"));
        assert!(refused(&[Some(base64.as_bytes())]).expect("text").contains("-encoding base64"));
        assert_eq!(refusal("k", false, [Some(digits.as_bytes())].into_iter()), None);
        assert_eq!(refused(&[Some(&spki[..43])]), None);
        // as long as a key, it is one
        for len in KEY_LENS {
            let mut bytes = spki.clone();
            bytes.resize(len, 0);
            bytes[1] = len as u8 - 2;
            assert_eq!(refused(&[Some(&bytes)]), None, "{len}");
        }
    }
}
