//! One certificate, as it claims to be.

use super::file;
use crate::error::{Error, Refusal, Result, quoted};
use crate::key::Key;
use sigmill::bulk::Algorithm;
use sigmill::ecdsa::{p256, p384};
use sigmill::ed25519;
use std::collections::BTreeSet;
use std::fmt;
use x509_cert::der::asn1::ObjectIdentifier;
use x509_cert::der::{Decode, Encode};

/// The key of a certificate in PEM or DER. Of several in one PEM file the first, which is the leaf. Nothing is verified:
/// neither the signature of the certificate nor its time, names and uses. Whether the bytes are a point is a verdict.
///
/// # Errors
/// Those of [`Certificate::read`] and [`Certificate::key`].
pub fn key(bytes: &[u8]) -> Result<Key> {
    Certificate::read(bytes)?.key()
}

/// A certificate, as it claims to be.
#[derive(Clone)]
pub struct Certificate {
    pub(super) der: Vec<u8>,
    pub(super) read: x509_cert::Certificate,
}

impl Certificate {
    /// Reads a certificate in PEM or DER. Of several in one PEM file the first, which is the leaf. Nothing is verified.
    ///
    /// # Errors
    /// [`Refusal::NotX509`]: other bytes. [`Refusal::TooLarge`]: more than 65,535 bytes. [`Refusal::KeyUse`]: a private
    /// key in the file. [`Refusal::DuplicateMember`]: an extension twice.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        match file::certificates(bytes)?.into_iter().next() {
            Some(der) => Certificate::of_der(der),
            None => Err(Error::new(Refusal::NotX509, "the file has no certificate")),
        }
    }

    pub(super) fn of_der(der: Vec<u8>) -> Result<Self> {
        let read = x509_cert::Certificate::from_der(&der)
            .map_err(|error| Error::new(Refusal::NotX509, format!("no certificate: {error}")))?;
        let mut seen = BTreeSet::new();
        for extension in read.tbs_certificate().extensions().into_iter().flatten() {
            if !seen.insert(extension.extn_id) {
                let detail = format!("the extension {} occurs twice", extension.extn_id);
                return Err(Error::new(Refusal::DuplicateMember, detail));
            }
        }
        Ok(Certificate { der, read })
    }

    /// The key. Nothing says yet that it belongs to the subject.
    ///
    /// # Errors
    /// [`Refusal::AlgUnknown`]: a key of another type, by its name. [`Refusal::NotX509`]: no key of its type.
    pub fn key(&self) -> Result<Key> {
        let spki = self.read.tbs_certificate().subject_public_key_info();
        let refused = |error: String| {
            Error::new(Refusal::NotX509, format!("the key of the certificate: {error}"))
        };
        let der = spki.to_der().map_err(|error| refused(error.to_string()))?;
        let read = |error: sigmill::Error| refused(error.to_string());
        let oid = spki.algorithm.oid;
        if oid == ED25519 {
            let bytes = ed25519::VerifyingKey::bytes_from_spki_der(&der).map_err(read)?;
            return Key::new(Algorithm::Ed25519, &bytes);
        }
        let mut name = oid_text(oid);
        if oid == EC {
            let parameters = spki.algorithm.parameters.as_ref();
            match parameters.and_then(|curve| curve.decode_as::<ObjectIdentifier>().ok()) {
                Some(P256) => {
                    let bytes = p256::VerifyingKey::bytes_from_spki_der(&der).map_err(read)?;
                    return Key::new(Algorithm::P256, &bytes);
                }
                Some(P384) => {
                    let bytes = p384::VerifyingKey::bytes_from_spki_der(&der).map_err(read)?;
                    return Key::new(Algorithm::P384, &bytes);
                }
                Some(curve) => name = format!("ECDSA on {}", oid_text(curve)),
                None => name = "ECDSA on a curve without a name".to_owned(),
            }
        }
        let detail =
            format!("the certificate has a key of {name}; Ed25519, P-256 and P-384 are supported");
        Err(Error::new(Refusal::AlgUnknown, detail))
    }

    /// The name of the subject, in the form of RFC 4514. Names may hold any characters.
    pub fn subject(&self) -> String {
        self.read.tbs_certificate().subject().to_string()
    }

    /// The name of the issuer, in the form of RFC 4514. Names may hold any characters.
    pub fn issuer(&self) -> String {
        self.read.tbs_certificate().issuer().to_string()
    }

    /// The serial number, big-endian.
    pub fn serial(&self) -> &[u8] {
        self.read.tbs_certificate().serial_number().as_bytes()
    }

    /// The first second of validity, since 1970 UTC.
    pub fn not_before(&self) -> u64 {
        self.read.tbs_certificate().validity().not_before.to_unix_duration().as_secs()
    }

    /// The last second of validity, since 1970 UTC.
    pub fn not_after(&self) -> u64 {
        self.read.tbs_certificate().validity().not_after.to_unix_duration().as_secs()
    }

    /// The content of an extension by its object identifier, such as `1.3.6.1.4.1.11129.2.1.17`.
    pub fn extension(&self, oid: &str) -> Option<&[u8]> {
        let oid = ObjectIdentifier::new(oid).ok()?;
        let extensions = self.read.tbs_certificate().extensions()?;
        let extension = extensions.iter().find(|extension| extension.extn_id == oid)?;
        Some(extension.extn_value.as_bytes())
    }

    /// The certificate in DER.
    pub fn der(&self) -> &[u8] {
        &self.der
    }
}

impl fmt::Debug for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Certificate({}, {} bytes)", quoted(&self.subject()), self.der.len())
    }
}

const ED25519: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.101.112");
const EC: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");
const P256: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.3.1.7");
const P384: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.132.0.34");

/// Names of algorithms and curves that certificates have and that are refused.
const NAMES: [(&str, &str); 19] = [
    ("1.2.840.113549.1.1.1", "RSA"),
    ("1.2.840.113549.1.1.4", "RSA with MD5"),
    ("1.2.840.113549.1.1.5", "RSA with SHA-1"),
    ("1.2.840.113549.1.1.10", "RSA-PSS"),
    ("1.2.840.113549.1.1.11", "RSA with SHA-256"),
    ("1.2.840.113549.1.1.12", "RSA with SHA-384"),
    ("1.2.840.113549.1.1.13", "RSA with SHA-512"),
    ("1.2.840.10040.4.1", "DSA"),
    ("1.2.840.10045.2.1", "ECDSA"),
    ("1.2.840.10045.4.1", "ECDSA with SHA-1"),
    ("1.2.840.10045.4.3.1", "ECDSA with SHA-224"),
    ("1.3.101.110", "X25519"),
    ("1.3.101.111", "X448"),
    ("1.3.101.113", "Ed448"),
    ("1.3.132.0.10", "secp256k1"),
    ("1.3.132.0.35", "P-521"),
    ("2.16.840.1.101.3.4.3.17", "ML-DSA-44"),
    ("2.16.840.1.101.3.4.3.18", "ML-DSA-65"),
    ("2.16.840.1.101.3.4.3.19", "ML-DSA-87"),
];

/// An object identifier for messages: its name, if it has one here, and its numbers.
pub(super) fn oid_text(oid: ObjectIdentifier) -> String {
    let numbers = oid.to_string();
    match NAMES.iter().find(|(known, _)| *known == numbers) {
        Some((_, name)) => format!("{name} ({numbers})"),
        None => format!("the algorithm {numbers}"),
    }
}
