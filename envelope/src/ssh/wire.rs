//! Fields of SSH (RFC 4251 section 5), the armor around them, and public keys in them.

use crate::error::{Error, Refusal, Result, quoted};
use crate::key::{Key, width};
use sigmill::bulk::Algorithm;
use sigmill::ecdsa::Curve;
use ssh_encoding::pem::{DecodePem, EncodePem, LineEnding, PemLabel};
use ssh_encoding::{Decode, Encode, Reader, Writer};
use std::borrow::Cow;
use zeroize::Zeroizing;

/// The longest armored text, in bytes.
const LONGEST_ARMOR: usize = 1 << 16;

/// The longest namespace or comment, in bytes.
const LONGEST_TEXT: usize = 4096;

pub(super) fn not_ssh(detail: impl Into<Cow<'static, str>>) -> Error {
    Error::new(Refusal::NotSsh, detail)
}

/// Takes a `string`: a length of four bytes, then that many bytes.
pub(super) fn string<'a>(reader: &mut &'a [u8], name: &str) -> Result<&'a [u8]> {
    let left = reader.len();
    reader
        .read_prefixed(|field: &mut &'a [u8]| Ok(std::mem::take(field)))
        .map_err(|_: ssh_encoding::Error| cut_short(name, left))
}

/// Takes a `uint32`.
pub(super) fn uint32(reader: &mut &[u8], name: &str) -> Result<u32> {
    let left = reader.len();
    u32::decode(reader).map_err(|_| cut_short(name, left))
}

fn cut_short(name: &str, left: usize) -> Error {
    not_ssh(format!("`{name}` is cut short: {left} bytes are left for its length and itself"))
}

/// Takes a `string` of text.
pub(super) fn text<'a>(reader: &mut &'a [u8], name: &str) -> Result<&'a str> {
    let text = std::str::from_utf8(string(reader, name)?)
        .map_err(|_| not_ssh(format!("`{name}` is not UTF-8")))?;
    check_text(text, name)?;
    Ok(text)
}

/// Refuses controls, and more than [`LONGEST_TEXT`].
pub(super) fn check_text(text: &str, name: &str) -> Result<()> {
    let len = text.len();
    if len > LONGEST_TEXT {
        let detail = format!("`{name}` is {len} bytes; at most {LONGEST_TEXT} are allowed");
        return Err(Error::new(Refusal::TooLarge, detail));
    }
    if text.chars().any(|c| c.is_control() && c != '\t') {
        let seen = quoted(text);
        return Err(not_ssh(format!("`{name}` has a control character: {seen}")));
    }
    Ok(())
}

/// Refuses bytes after the last field.
pub(super) fn ended(reader: &[u8], name: &str) -> Result<()> {
    match reader.len() {
        0 => Ok(()),
        left => Err(not_ssh(format!("{left} bytes follow the last field of {name}"))),
    }
}

/// Takes an `mpint` that is not negative, and has at most `width` bytes without the zero of the sign. It must have as
/// few bytes as the number needs. No copy is made, since the number may be secret.
pub(super) fn magnitude<'a>(reader: &mut &'a [u8], name: &str, width: usize) -> Result<&'a [u8]> {
    let magnitude = match string(reader, name)? {
        [0x80..=0xff, ..] => return Err(not_ssh(format!("`{name}` is negative"))),
        [0] | [0, 0..=0x7f, ..] => {
            return Err(not_ssh(format!("`{name}` begins with a zero that it does not need")));
        }
        [0, rest @ ..] => rest,
        bytes => bytes,
    };
    match magnitude.len() {
        len if len > width => {
            Err(not_ssh(format!("`{name}` is {len} bytes; at most {width} are allowed")))
        }
        _ => Ok(magnitude),
    }
}

/// Writes a magnitude to the end of `out`, whose other bytes are zero.
pub(super) fn right_align(out: &mut [u8], magnitude: &[u8]) {
    out.iter_mut().rev().zip(magnitude.iter().rev()).for_each(|(to, from)| *to = *from);
}

/// Appends a field.
pub(super) fn put<T: Encode + ?Sized>(out: &mut Vec<u8>, field: &T) -> Result<()> {
    field.encode(out).map_err(|e| Error::new(Refusal::TooLarge, e.to_string()))
}

/// Appends an `mpint` of big-endian bytes.
pub(super) fn put_magnitude(out: &mut Vec<u8>, bytes: &[u8]) -> Result<()> {
    let zeros = bytes.iter().take_while(|b| **b == 0).count();
    let magnitude = bytes.get(zeros..).unwrap_or_default();
    let sign: &[u8] = if matches!(magnitude, [0x80..=0xff, ..]) { &[0] } else { &[] };
    put(out, &(sign.len() + magnitude.len()))?;
    out.extend_from_slice(sign);
    out.extend_from_slice(magnitude);
    Ok(())
}

/// Bytes in armor: of a private key, or of a signature.
struct Armored<const PRIVATE: bool>(Zeroizing<Vec<u8>>);

impl PemLabel for Armored<true> {
    const PEM_LABEL: &'static str = "OPENSSH PRIVATE KEY";
}

impl PemLabel for Armored<false> {
    const PEM_LABEL: &'static str = "SSH SIGNATURE";
}

impl<const PRIVATE: bool> Decode for Armored<PRIVATE> {
    type Error = ssh_encoding::Error;

    fn decode(reader: &mut impl Reader) -> ssh_encoding::Result<Self> {
        let mut bytes = Zeroizing::new(vec![0; reader.remaining_len()]);
        reader.read(&mut bytes)?;
        Ok(Armored(bytes))
    }
}

impl<const PRIVATE: bool> Encode for Armored<PRIVATE> {
    fn encoded_len(&self) -> ssh_encoding::Result<usize> {
        Ok(self.0.len())
    }

    fn encode(&self, writer: &mut impl Writer) -> ssh_encoding::Result<()> {
        writer.write(&self.0)
    }
}

fn has_header<const PRIVATE: bool>(text: &[u8]) -> bool
where
    Armored<PRIVATE>: PemLabel,
{
    text.strip_prefix(b"-----BEGIN ")
        .and_then(|text| text.strip_prefix(Armored::PEM_LABEL.as_bytes()))
        .is_some_and(|text| text.starts_with(b"-----"))
}

fn dearmor<const PRIVATE: bool>(text: &[u8]) -> Result<Zeroizing<Vec<u8>>>
where
    Armored<PRIVATE>: PemLabel,
{
    let label = Armored::PEM_LABEL;
    if !has_header(text) {
        return Err(not_ssh(format!("the first line is not `-----BEGIN {label}-----`")));
    }
    if text.len() > LONGEST_ARMOR {
        let len = text.len();
        let detail = format!("the file is {len} bytes; at most {LONGEST_ARMOR} are allowed");
        return Err(Error::new(Refusal::TooLarge, detail));
    }
    match Armored::decode_pem(text.trim_ascii_end()) {
        Ok(Armored(bytes)) => Ok(bytes),
        Err(error) => Err(not_ssh(format!("armor of `{label}`: {error}"))),
    }
}

/// The text as `ssh-keygen` writes it: 70 columns.
fn armor<const PRIVATE: bool>(bytes: Zeroizing<Vec<u8>>) -> Result<Zeroizing<String>>
where
    Armored<PRIVATE>: PemLabel,
{
    Armored(bytes)
        .encode_pem_string(LineEnding::LF)
        .map(Zeroizing::new)
        .map_err(|e| Error::new(Refusal::TooLarge, e.to_string()))
}

pub(super) fn has_private_header(text: &[u8]) -> bool {
    has_header::<true>(text)
}

pub(super) fn has_signature_header(text: &[u8]) -> bool {
    has_header::<false>(text)
}

pub(super) fn dearmor_private(text: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
    dearmor::<true>(text)
}

pub(super) fn dearmor_signature(text: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
    dearmor::<false>(text)
}

pub(super) fn armor_private(bytes: Zeroizing<Vec<u8>>) -> Result<Zeroizing<String>> {
    armor::<true>(bytes)
}

pub(super) fn armor_signature(bytes: Vec<u8>) -> Result<String> {
    armor::<false>(Zeroizing::new(bytes)).map(|mut text| std::mem::take(&mut *text))
}

/// The name of a type of key, which is also that of its signatures.
pub(super) const fn type_name(algorithm: Algorithm) -> &'static str {
    match algorithm.curve() {
        None => "ssh-ed25519",
        Some(Curve::P256) => "ecdsa-sha2-nistp256",
        Some(_) => "ecdsa-sha2-nistp384",
    }
}

pub(super) const fn curve_name(curve: Curve) -> &'static str {
    match curve {
        Curve::P256 => "nistp256",
        _ => "nistp384",
    }
}

/// The algorithm of a type of key.
pub(super) fn algorithm(name: &[u8]) -> Result<Algorithm> {
    let algorithms = [Algorithm::Ed25519, Algorithm::P256, Algorithm::P384];
    if let Some(found) = algorithms.into_iter().find(|a| type_name(*a).as_bytes() == name) {
        return Ok(found);
    }
    let name = String::from_utf8_lossy(name);
    let shown = quoted(&name);
    Err(if name.contains("-cert-v") {
        Error::new(Refusal::Unsupported, format!("{shown} is a certificate"))
    } else if name.starts_with("sk-") || name.starts_with("webauthn-sk-") {
        Error::new(Refusal::Unsupported, format!("{shown} is a security key"))
    } else {
        let [ed25519, p256, p384] = algorithms.map(type_name);
        let detail = format!("key type {shown}; expected {ed25519}, {p256} or {p384}");
        Error::new(Refusal::AlgUnknown, detail)
    })
}

/// True of words that name a type of key, known or not.
pub(super) fn is_key_type(word: &[u8]) -> bool {
    ["ssh-", "ecdsa-", "sk-", "webauthn-sk-", "rsa-", "x509v3-"]
        .iter()
        .any(|prefix| word.starts_with(prefix.as_bytes()))
}

/// Takes the fields of a public key after its type: 32 bytes of Ed25519, or the name of the curve and the point,
/// uncompressed, as OpenSSH demands.
pub(super) fn public_fields(reader: &mut &[u8], algorithm: Algorithm) -> Result<Key> {
    let Some(curve) = algorithm.curve() else {
        return Key::new(algorithm, string(reader, "public key")?);
    };
    let (got, wanted) = (string(reader, "curve")?, curve_name(curve));
    if got != wanted.as_bytes() {
        let (name, got) = (type_name(algorithm), quoted(&String::from_utf8_lossy(got)));
        let detail = format!("a key of {name} is on `{wanted}`; got {got}");
        return Err(Error::new(Refusal::AlgMismatch, detail));
    }
    let point = string(reader, "point")?;
    match point {
        [4, ..] => Key::new(algorithm, point),
        _ => {
            let (len, w) = (point.len(), 1 + 2 * width(curve));
            Err(not_ssh(format!("a point is {w} bytes and begins with 4; got {len} bytes")))
        }
    }
}

/// The key that a blob holds.
pub(super) fn read_blob(mut blob: &[u8]) -> Result<Key> {
    let key = algorithm(string(&mut blob, "key type")?)?;
    let key = public_fields(&mut blob, key)?;
    ended(blob, "the public key")?;
    Ok(key)
}

/// Appends the fields of a public key, its type first.
pub(super) fn put_public(out: &mut Vec<u8>, key: &Key) -> Result<()> {
    put(out, type_name(key.algorithm()))?;
    if let Some(curve) = key.algorithm().curve() {
        put(out, curve_name(curve))?;
    }
    put(out, uncompressed(key)?.bytes())
}

/// The key as a blob.
pub(super) fn blob(key: &Key) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    put_public(&mut out, key)?;
    Ok(out)
}

/// The key with its point uncompressed, as OpenSSH has it.
pub(super) fn uncompressed(key: &Key) -> Result<Cow<'_, Key>> {
    match (key.algorithm().curve(), key.bytes()) {
        (Some(curve), [2 | 3, ..]) => match key.coordinates() {
            Some((x, y)) => Key::of_coordinates(curve, &x, &y).map(Cow::Owned),
            None => {
                let on = curve.name();
                Err(not_ssh(format!("the compressed key is no point on {on}")))
            }
        },
        _ => Ok(Cow::Borrowed(key)),
    }
}
