//! Verifies the signatures of certificates with keys on P-256 and P-384 in a PEM file, each under the
//! certificate of its issuer in the same file, and counts them. Without a file it reads the roots that this
//! machine trusts:
//!
//!     cargo run --release -p sigmill --features pkcs8 --example certificates [FILE]
//!
//! A signature alone makes no certificate valid: names, times, and what a key may be used for are not
//! looked at here.

use sigmill::ecdsa::{LowS, p256, p384};
use sigmill::{Error, KeyFormatError};
use std::collections::BTreeMap;
use std::process::ExitCode;
use x509_cert::certificate::{CertificateInner, Raw};
use x509_cert::der::Encode;
use x509_cert::spki::ObjectIdentifier;

/// Where Linux distributions and BSDs keep the certificates that they trust.
const BUNDLES: [&str; 4] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// The first of [`BUNDLES`] that is there.
pub fn bundle() -> Option<&'static str> {
    BUNDLES.into_iter().find(|path| std::fs::exists(path).is_ok_and(|exists| exists))
}

#[derive(Clone, Copy, Debug)]
enum Key {
    P256(p256::VerifyingKey),
    P384(p384::VerifyingKey),
}

impl Key {
    /// `None` for keys of other algorithms and on other curves.
    fn of_spki(der: &[u8]) -> Result<Option<Key>, Error> {
        match p256::VerifyingKey::from_spki_der(der) {
            Err(Error::KeyFormat(KeyFormatError::AnotherCurve)) => {}
            Err(Error::KeyFormat(KeyFormatError::Algorithm)) => return Ok(None),
            key => return key.map(|key| Some(Key::P256(key))),
        }
        match p384::VerifyingKey::from_spki_der(der) {
            Err(Error::KeyFormat(KeyFormatError::AnotherCurve)) => Ok(None),
            key => key.map(|key| Some(Key::P384(key))),
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Hash {
    Sha256,
    Sha384,
    Sha512,
}

impl Hash {
    /// Of ecdsa-with-SHA256 and so on (RFC 5758 section 3.2).
    fn of_algorithm(algorithm: ObjectIdentifier) -> Option<Hash> {
        match algorithm.to_string().as_str() {
            "1.2.840.10045.4.3.2" => Some(Hash::Sha256),
            "1.2.840.10045.4.3.3" => Some(Hash::Sha384),
            "1.2.840.10045.4.3.4" => Some(Hash::Sha512),
            _ => None,
        }
    }
}

/// A signed certificate and the key of its issuer.
pub struct Signed {
    /// Its name.
    pub subject: String,
    key: Key,
    hash: Hash,
    /// The TBSCertificate in DER.
    pub message: Vec<u8>,
    /// In DER.
    pub signature: Vec<u8>,
}

impl Signed {
    /// The curve of the key and the hash function.
    pub fn kind(&self) -> String {
        let curve = match self.key {
            Key::P256(_) => "P-256",
            Key::P384(_) => "P-384",
        };
        format!("{curve} with {:?}", self.hash)
    }

    /// Whether a signature in DER is one of the message under the key of the issuer.
    pub fn accepts(&self, message: &[u8], signature: &[u8]) -> bool {
        macro_rules! accepts {
            ($module:ident, $key:expr) => {{
                let Ok(signature) = $module::Signature::from_der(signature) else { return false };
                match self.hash {
                    Hash::Sha256 => {
                        $key.verify_with_hash::<sha2::Sha256>(LowS::Any, message, &signature)
                    }
                    Hash::Sha384 => {
                        $key.verify_with_hash::<sha2::Sha384>(LowS::Any, message, &signature)
                    }
                    Hash::Sha512 => {
                        $key.verify_with_hash::<sha2::Sha512>(LowS::Any, message, &signature)
                    }
                }
            }};
        }
        let verdict = match &self.key {
            Key::P256(key) => accepts!(p256, key),
            Key::P384(key) => accepts!(p384, key),
        };
        verdict.is_valid()
    }
}

/// What a file holds.
pub struct Certificates {
    /// How many certificates.
    pub all: usize,
    /// Those whose issuer is there and has a key on P-256 or P-384.
    pub signed: Vec<Signed>,
    /// The names of those whose issuer is not there.
    pub without_issuer: Vec<String>,
}

/// Reads certificates in PEM, one after the other, in any order.
pub fn read(pem: &[u8]) -> Result<Certificates, String> {
    type Certificate = CertificateInner<Raw>;
    let all = Certificate::load_pem_chain(pem).map_err(|error| error.to_string())?;
    let mut certificates =
        Certificates { all: all.len(), signed: Vec::new(), without_issuer: Vec::new() };
    for certificate in &all {
        let body = certificate.tbs_certificate();
        let subject = body.subject().to_string();
        let says = |what: &dyn std::fmt::Display| format!("{subject}: {what}");
        // a root is its own issuer, even where another one has its name
        let own = (body.subject() == body.issuer()).then_some(certificate);
        let has_name = |other: &&Certificate| other.tbs_certificate().subject() == body.issuer();
        let Some(issuer) = own.or_else(|| all.iter().find(has_name)) else {
            certificates.without_issuer.push(subject);
            continue;
        };
        let info = issuer.tbs_certificate().subject_public_key_info().to_der();
        let info = info.map_err(|error| says(&error))?;
        let Some(key) = Key::of_spki(&info).map_err(|error| says(&error))? else { continue };
        let algorithm = certificate.signature_algorithm();
        let hash = Hash::of_algorithm(algorithm.oid)
            .ok_or_else(|| says(&format!("signed by an ECDSA key with {}", algorithm.oid)))?;
        let message = body.to_der().map_err(|error| says(&error))?;
        let signature = certificate.signature().raw_bytes().to_vec();
        certificates.signed.push(Signed { subject, key, hash, message, signature });
    }
    Ok(certificates)
}

fn run() -> Result<bool, String> {
    let path = std::env::args().nth(1).or_else(|| bundle().map(str::to_owned));
    let path = path.ok_or_else(|| format!("no file is named, and there is none of {BUNDLES:?}"))?;
    let pem = std::fs::read(&path).map_err(|error| format!("{path}: {error}"))?;
    let certificates = read(&pem).map_err(|error| format!("{path}: {error}"))?;
    let mut counts = BTreeMap::<_, [usize; 2]>::new();
    for signed in &certificates.signed {
        let valid = signed.accepts(&signed.message, &signed.signature);
        counts.entry(signed.kind()).or_default()[usize::from(!valid)] += 1;
        if !valid {
            println!("invalid: {}", signed.subject);
        }
    }
    for name in &certificates.without_issuer {
        println!("issuer not in the file: {name}");
    }
    println!("{path}: {} certificates", certificates.all);
    for (kind, [valid, invalid]) in &counts {
        println!("{kind}: {valid} valid, {invalid} invalid");
    }
    let (ours, orphans) = (certificates.signed.len(), certificates.without_issuer.len());
    println!("keys of other algorithms and curves: {}", certificates.all - ours - orphans);
    Ok(orphans == 0 && counts.values().all(|[_, invalid]| *invalid == 0))
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("certificates: {message}");
            ExitCode::from(2)
        }
    }
}
