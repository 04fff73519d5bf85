//! Columns of keys in containers: SubjectPublicKeyInfo, in DER or in PEM. The library reads them; this says of
//! which algorithm each is, and it refuses a column that holds some without being said to.
//!
//! Public data only: time depends on the bytes.

use crate::alg::Alg;
use crate::text::Encoding;
use clap::ValueEnum;
use sigmill::ecdsa::Curve;
use sigmill::ecdsa::{p256, p384};
use sigmill::ed25519::VerifyingKey;
use sigmill::{Error, FileKind, KeyCell, KeyFormatError};

/// How cells of a key column hold their keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum KeyForm {
    /// The bytes of the key: 32, or those of SEC1
    Raw,
    /// SubjectPublicKeyInfo in DER or PEM, as key management services, WebAuthn and OpenSSL give it
    Spki,
}

const PEM: &[u8] = b"-----BEGIN ";

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

/// The message about a key column none of whose cells can be a key by itself, nulls aside, as `sigmill::KeyCell` names
/// them; `None` where one can be, or where there is none. Cells that are decoded as far as the options say may be text
/// all the same.
pub(super) fn refusal<'a>(
    column: &str,
    are_decoded: bool,
    cells: impl Iterator<Item = Option<&'a [u8]>>,
) -> Option<String> {
    let (found, cell) = first_of_all(cells, |found| are_decoded || !found.is_encoded())?;
    let (len, hint) = (cell.len(), hint(found, cell));
    Some(format!(
        "column `{column}` holds no keys by themselves but {found}, {len} bytes in its first cell; {hint}"
    ))
}

/// The message about a key column of which no cell could be decoded as hexadecimal: its cells are base64 of keys, or
/// have `0x` in front.
pub(super) fn undecoded_refusal<'a>(
    column: &str,
    cells: impl Iterator<Item = Option<&'a [u8]>>,
) -> Option<String> {
    match first_of_all(cells, KeyCell::is_encoded)? {
        (found @ KeyCell::Base64(_), cell) => {
            let hint = hint(found, cell);
            Some(format!("column `{column}` is not hexadecimal but {found}; {hint}"))
        }
        (_, cell) => {
            let prefix = [b"0x", b"\\x"].into_iter().find(|prefix| cell.starts_with(*prefix))?;
            let prefix = String::from_utf8_lossy(prefix);
            Some(format!("column `{column}` has `{prefix}` in front of its digits; leave it out"))
        }
    }
}

/// The message about a key column that was decoded as base64, as hexadecimal digits can be, and has these.
pub(super) fn hexadecimal_refusal<'a>(
    column: &str,
    cells: impl Iterator<Item = Option<&'a [u8]>>,
) -> Option<String> {
    let (found, cell) = first_of_all(cells, |found| matches!(found, KeyCell::Hex(_)))?;
    let hint = hint(found, cell);
    Some(format!("column `{column}` is not base64 but {found}; {hint}"))
}

/// The first of cells that are all of such kinds, nulls aside.
fn first_of_all<'a>(
    cells: impl Iterator<Item = Option<&'a [u8]>>,
    is_such: impl Fn(KeyCell) -> bool,
) -> Option<(KeyCell, &'a [u8])> {
    let mut first = None;
    for cell in cells.flatten() {
        let found = KeyCell::of(cell).filter(|found| is_such(*found))?;
        first.get_or_insert((found, cell));
    }
    first
}

/// The options that read the cell, or what is needed in its place.
fn hint(found: KeyCell, cell: &[u8]) -> String {
    let reads_container = |encoding| key_of(cell, encoding, &mut Vec::new()).is_ok();
    let (encoding, name) = match found {
        KeyCell::Hex(_) => (Encoding::Hex, "hex"),
        KeyCell::Base64(_) => (Encoding::Base64, "base64"),
        _ if reads_container(Encoding::Raw) => return "--key-form spki reads it".to_owned(),
        KeyCell::PemInOneLine => return "PEM has lines: put its line ends back".to_owned(),
        _ => {
            let needed = "public keys of Ed25519, P-256 or P-384, by themselves or in SubjectPublicKeyInfo with \
                          --key-form spki, are needed";
            let advice = found.kind().and_then(FileKind::advice);
            return advice.map_or(needed.to_owned(), |advice| format!("{needed} ({advice})"));
        }
    };
    match found.kind() {
        None if encoding.decode(cell).is_ok() => {
            format!("--key-encoding {name}, or --encoding, reads it")
        }
        Some(_) if reads_container(encoding) => {
            format!("--key-form spki with --key-encoding {name} reads it")
        }
        _ => "decode it first".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sigmill::ed25519::SigningKey;

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
            "column `k` holds no keys by themselves but SubjectPublicKeyInfo (Ed25519) in DER, 44 bytes in its first \
             cell; --key-form spki reads it"
        );
        let one_line = pem.replace('\n', "\\n");
        let pem = format!("\u{feff}\n{pem}");
        let (before, certificate) = ("Key:\n", "-----BEGIN CERTIFICATE-----\nAAAAAA==\n");
        for text in
            [format!("{before}{pem}"), format!("{pem}{certificate}"), format!("{certificate}{pem}")]
        {
            let what = refused(&[Some(text.as_bytes())]).expect("PEM");
            assert!(what.contains("SubjectPublicKeyInfo (Ed25519) in PEM"), "{what}");
            assert!(what.ends_with("--key-form spki reads it"), "{what}");
        }
        let what = refused(&[Some(certificate.as_bytes())]).expect("PEM");
        assert!(
            what.contains("a certificate in PEM")
                && what.contains("are needed (its key: `openssl x509"),
            "{what}"
        );
        let what = refused(&[Some(one_line.as_bytes())]).expect("PEM");
        assert!(
            what.contains("PEM without line ends") && what.ends_with("put its line ends back"),
            "{what}"
        );
        assert!(
            refused(&[Some(&pkcs8)]).expect("PKCS#8").contains("a private key (Ed25519) in DER")
        );
        // one key by itself: rows tell; none, whatever they are
        assert_eq!(refused(&[Some(&spki), Some(public.as_bytes())]), None);
        assert_eq!(refused(&[Some(&spki), Some(pem.as_bytes())]), Some(is_spki));
        assert_eq!(refused(&[None, None]), None);
        let digits = data_encoding::HEXLOWER.encode(public.as_bytes());
        let base64 = data_encoding::BASE64.encode(public.as_bytes());
        assert!(refused(&[Some(digits.as_bytes())]).expect("text").contains("--key-encoding hex"));
        assert!(refused(&[Some(base64.as_bytes())]).expect("text").contains("-encoding base64"));
        assert_eq!(refusal("k", false, [Some(digits.as_bytes())].into_iter()), None);
        for (text, hint) in [
            (
                data_encoding::BASE64.encode(&spki),
                "--key-form spki with --key-encoding base64 reads it",
            ),
            (
                data_encoding::HEXLOWER.encode(&spki),
                "--key-form spki with --key-encoding hex reads it",
            ),
            (data_encoding::BASE64.encode(pem.as_bytes()), "decode it first"),
            (format!("0x{digits}"), "decode it first"),
        ] {
            let what = refused(&[Some(text.as_bytes())]).expect("text");
            assert!(what.ends_with(hint), "{text}: {what}");
        }
        let pair = key.to_keypair_bytes();
        let what = refused(&[Some(&pair), Some(&pair)]).expect("a pair");
        assert!(
            what.contains(
                "an Ed25519 seed and its public key, as NaCl and Go write a secret key, 64 bytes"
            ) && what.ends_with("are needed (the last 32 of its 64 bytes are the public key)"),
            "{what}"
        );
        let digits = data_encoding::HEXLOWER.encode(&pair);
        let what = refused(&[Some(digits.as_bytes())]).expect("a pair");
        assert!(what.contains("as NaCl and Go write a secret key in hexadecimal"), "{what}");
        assert_eq!(refused(&[Some(&pair), Some(public.as_bytes())]), None);
        let cose =
            [&[0xa4, 1, 1, 3, 0x27, 0x20, 6, 0x21, 0x58, 32][..], public.as_bytes()].concat();
        let what = refused(&[Some(&cose)]).expect("COSE");
        assert!(
            what.contains("a COSE key, 42 bytes") && what.contains("the value of -2"),
            "{what}"
        );
        assert_eq!(refused(&[Some(&spki[..43])]), None);
        // as long as a key, it is one
        for len in [32, 33, 49, 65, 97] {
            let mut bytes = spki.clone();
            bytes.resize(len, 0);
            bytes[1] = len as u8 - 2;
            assert_eq!(refused(&[Some(&bytes)]), None, "{len}");
        }
    }

    #[test]
    fn a_column_that_no_cell_of_which_is_decoded_is_named() {
        let public = SigningKey::from_bytes(&[7; 32]).verifying_key();
        let text = data_encoding::BASE64.encode(public.as_bytes());
        let refused = |cells: &[Option<&str>]| {
            undecoded_refusal("k", cells.iter().map(|cell| cell.map(str::as_bytes)))
        };
        let said = refused(&[None, Some(&text)]).expect("base64");
        assert!(said.contains("--key-encoding base64, or --encoding, reads it"), "{said}");
        let hex = data_encoding::HEXLOWER.encode(public.as_bytes());
        assert_eq!(refused(&[Some(&hex)]), None);
        assert_eq!((refused(&[None]), refused(&[Some("zz")])), (None, None));
        let said = refused(&[Some(&format!("0x{hex}"))]).expect("0x");
        assert!(said.contains("`0x` in front of its digits"), "{said}");
    }
}
