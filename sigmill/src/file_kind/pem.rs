//! PEM by its labels, and by the beginning of what stands between them.

use super::der::{UNKNOWN, of_der};
use super::kinds::FileKind;
use crate::encoding::pem;
use zeroize::Zeroizing;

/// Labels of PEM that say all.
const LABELS: &[(&str, FileKind)] = &[
    ("ENCRYPTED PRIVATE KEY", FileKind::EncryptedPrivateKey),
    ("RSA PRIVATE KEY", FileKind::RsaPrivateKey),
    ("RSA PUBLIC KEY", FileKind::RsaPublicKey),
    ("DSA PRIVATE KEY", FileKind::DsaPrivateKey),
    ("CERTIFICATE", FileKind::Certificate),
    ("X509 CERTIFICATE", FileKind::Certificate),
    ("TRUSTED CERTIFICATE", FileKind::Certificate),
    ("CERTIFICATE REQUEST", FileKind::CertificateRequest),
    ("NEW CERTIFICATE REQUEST", FileKind::CertificateRequest),
    ("PKCS7", FileKind::Pkcs7),
    ("CMS", FileKind::Pkcs7),
    ("SSH SIGNATURE", FileKind::SshSignature),
    ("AGE ENCRYPTED FILE", FileKind::AgeFile),
];

/// How much of a block is decoded: to behind explicit parameters of a curve.
const PEM_BEGINNING: usize = 528;
/// How much of a private key: to behind the name of the curve in any ECPrivateKey, and to before what is secret in
/// any key of OpenSSH.
pub(super) const PRIVATE_BEGINNING: usize = 132;

pub(crate) fn of_pem(text: &[u8]) -> Option<FileKind> {
    let mut found = None;
    let mut rest = text;
    while let Some((label, body)) = pem::next_label(rest) {
        let kind = of_block(label, body);
        match kind {
            // keys follow parameters and certificates
            Some(FileKind::EcParameters | FileKind::Certificate) | None => found = found.or(kind),
            Some(_) if found == Some(FileKind::Certificate) => return found,
            Some(_) => return kind,
        }
        rest = body;
    }
    found
}

const BEGIN: &[u8] = b"-----BEGIN ";

/// PEM that begins in the first line that is not empty, and whose label does not have that line for itself.
pub(super) fn of_broken_pem(text: &[u8]) -> Option<FileKind> {
    let text = text.trim_ascii_start();
    let line = text.split(|byte| matches!(byte, b'\r' | b'\n')).next()?;
    // a table of JSON has its keys in strings
    if matches!(line.first(), Some(b'{' | b'[')) || !contains(line, BEGIN) {
        return None;
    }
    let label =
        line.trim_ascii_end().strip_prefix(BEGIN).and_then(|rest| rest.strip_suffix(b"-----"));
    if label.is_some_and(|label| !contains(label, b"-----")) {
        return None;
    }
    let is_escaped = contains(line, b"-----\\n") || contains(line, b"-----\\r");
    Some(if is_escaped { FileKind::EscapedPem } else { FileKind::PemOutOfLine })
}

pub(crate) fn of_block(label: &[u8], body: &[u8]) -> Option<FileKind> {
    let mut place = Zeroizing::new([0; PEM_BEGINNING]);
    let label = core::str::from_utf8(label).ok()?;
    let is_private = label.ends_with("PRIVATE KEY");
    let len = if is_private { PRIVATE_BEGINNING } else { PEM_BEGINNING };
    let decoded = pem::decode_beginning(body, place.get_mut(..len).unwrap_or_default());
    let is_encrypted = body.trim_ascii_start().starts_with(b"Proc-Type:");
    match label {
        "OPENSSH PRIVATE KEY" => Some(match contains(decoded, b"ssh-ed25519") {
            true => FileKind::OpenSshEd25519,
            false => FileKind::OpenSsh,
        }),
        "EC PARAMETERS" => Some(FileKind::EcParameters),
        _ if is_private && is_encrypted => Some(FileKind::EncryptedPem),
        "PRIVATE KEY" => of_der(decoded).or(Some(FileKind::PrivateKey(UNKNOWN))),
        "EC PRIVATE KEY" => of_der(decoded).or(Some(FileKind::EcPrivateKey(UNKNOWN))),
        "PUBLIC KEY" => of_der(decoded).or(Some(FileKind::PublicKey(UNKNOWN))),
        _ if label.starts_with("PGP ") => Some(FileKind::Pgp),
        _ => LABELS.iter().find(|(known, _)| *known == label).map(|(_, kind)| *kind),
    }
}

/// Names stand before all that is secret, or are not found.
pub(crate) fn contains(bytes: &[u8], name: &[u8]) -> bool {
    bytes.windows(name.len()).any(|window| window == name)
}
