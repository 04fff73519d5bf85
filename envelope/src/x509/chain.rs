//! Chains of certificates, verified by webpki with the algorithms of this library.

use super::algorithms::{ECDSA, Ed25519};
use super::certificate::{Certificate, oid_text};
use super::file;
use crate::error::{Error, Refusal, Result, quoted};
use crate::key::Key;
use rustls_pki_types::{CertificateDer, SignatureVerificationAlgorithm, UnixTime};
use sigmill::ed25519::Rule;
use std::time::Duration;
use webpki::{EndEntityCert, ExtendedKeyUsageValidator, KeyPurposeIdIter, VerifiedPath};
use x509_cert::der::{DateTime, Encode};
use x509_cert::ext::pkix::{BasicConstraints, KeyUsage};

/// The most certificates beside the roots.
const MOST_CERTIFICATES: usize = 32;

/// A chain that holds.
#[derive(Clone, Debug)]
pub struct Chain {
    key: Key,
    leaf: Certificate,
    intermediates: Vec<Certificate>,
    root: usize,
}

impl Chain {
    /// The key of the leaf.
    pub const fn key(&self) -> &Key {
        &self.key
    }

    /// The first certificate, whose key it is.
    pub const fn leaf(&self) -> &Certificate {
        &self.leaf
    }

    /// The certificates between leaf and root, the issuer of the leaf first. Certificates that were given and are not
    /// part of the path are left out.
    pub fn intermediates(&self) -> &[Certificate] {
        &self.intermediates
    }

    /// The index of the root among all certificates of `roots`, in order.
    pub const fn root(&self) -> usize {
        self.root
    }
}

/// Verifies a chain from the first certificate to one of the roots (RFC 5280 section 6) at a time, in seconds since 1970
/// UTC. Files are in PEM, with any number of certificates, or DER. The intermediates may stand in any order.
///
/// Checked are of each certificate but the root the signature (ECDSA with SHA-256, SHA-384 or SHA-512; Ed25519 by the
/// rule), the validity, and critical extensions; of intermediates that they are a CA's, their key usage and path length;
/// name constraints. A root is trusted as it is given: its name, key and name constraints count, and neither its
/// signature on itself nor its validity and path length. A self-signed certificate in `chain` is not trusted. The leaf is
/// not a CA's.
///
/// Not checked: revocation; the uses of the leaf, for which any extended key usage or none is accepted; and its names.
/// All these are the caller's.
///
/// # Errors
/// [`Refusal::NotX509`], [`Refusal::TooLarge`], [`Refusal::KeyUse`], [`Refusal::DuplicateMember`]: as
/// [`Certificate::read`]. [`Refusal::KeyUnknown`]: no path ends at a root. [`Refusal::OutsideValidity`]: a certificate is
/// not valid at this time. [`Refusal::AlgUnknown`]: another algorithm. [`Refusal::CritUnknown`]: a critical extension
/// that is not understood. [`Refusal::BadChain`]: a wrong signature, no CA, a path length or a name constraint.
/// [`Refusal::TooDeep`]: more than six intermediates on the path.
///
/// ```no_run
/// use sigmill::ed25519::rules;
/// use sigmill_envelope::x509;
///
/// let chain = [std::fs::read("chain.pem")?];
/// let roots = [std::fs::read("roots.pem")?];
/// let chain = x509::verify_chain(&chain, &roots, 1_800_000_000, &rules::STRICT)?;
/// println!("{} {:?}", chain.leaf().subject(), chain.key());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn verify_chain<C: AsRef<[u8]>, R: AsRef<[u8]>>(
    chain: &[C],
    roots: &[R],
    time: u64,
    rule: &Rule,
) -> Result<Chain> {
    let certificates = read_chain(chain)?;
    let Some((leaf, others)) = certificates.split_first() else {
        return Err(Error::new(Refusal::NotX509, "no certificate was given"));
    };
    let mut root_ders = Vec::new();
    for root in roots {
        root_ders.extend(file::certificates(root.as_ref())?.into_iter().map(CertificateDer::from));
    }
    let mut anchors = Vec::with_capacity(root_ders.len());
    for (i, root) in root_ders.iter().enumerate() {
        let anchor = webpki::anchor_from_trusted_cert(root);
        anchors.push(anchor.map_err(|error| {
            Error::new(Refusal::NotX509, format!("root {i} is no certificate: {error}"))
        })?);
    }

    let ed25519 = Ed25519(*rule);
    let mut algorithms: Vec<&dyn SignatureVerificationAlgorithm> = vec![&ed25519];
    algorithms.extend(ECDSA);
    let intermediates: Vec<_> =
        others.iter().map(|certificate| CertificateDer::from(certificate.der())).collect();
    let explained = |error| {
        let of = Given { certificates: &certificates, roots: &root_ders, algorithms: &algorithms };
        of.explain(error)
    };
    let leaf_der = CertificateDer::from(leaf.der());
    let end = EndEntityCert::try_from(&leaf_der).map_err(explained)?;
    let path = end
        .verify_for_usage(
            &algorithms,
            &anchors,
            &intermediates,
            UnixTime::since_unix_epoch(Duration::from_secs(time)),
            AnyPurpose,
            None,
            Some(&issuers_sign_certificates),
        )
        .map_err(explained)?;

    let root = anchors.iter().position(|anchor| anchor == path.anchor()).unwrap_or_default();
    let used =
        path.intermediate_certificates().map(|used| Certificate::of_der(used.der().to_vec()));
    Ok(Chain {
        key: leaf.key()?,
        leaf: leaf.clone(),
        intermediates: used.collect::<Result<_>>()?,
        root,
    })
}

fn read_chain<C: AsRef<[u8]>>(chain: &[C]) -> Result<Vec<Certificate>> {
    let mut certificates = Vec::new();
    for bytes in chain {
        for der in file::certificates(bytes.as_ref())? {
            if certificates.len() == MOST_CERTIFICATES {
                let detail = format!("more than {MOST_CERTIFICATES} certificates beside the roots");
                return Err(Error::new(Refusal::TooLarge, detail));
            }
            certificates.push(Certificate::of_der(der)?);
        }
    }
    Ok(certificates)
}

/// Accepts any extended key usage that can be read, and none.
struct AnyPurpose;

impl ExtendedKeyUsageValidator for AnyPurpose {
    fn validate(
        &self,
        purposes: KeyPurposeIdIter<'_, '_>,
    ) -> std::result::Result<(), webpki::Error> {
        purposes.into_iter().try_for_each(|purpose| purpose.map(|_| ()))
    }
}

/// The key usage of the intermediates of a path, which webpki leaves aside (RFC 5280 section 6.1.4 (n)).
fn issuers_sign_certificates(path: &VerifiedPath<'_>) -> std::result::Result<(), webpki::Error> {
    for issuer in path.intermediate_certificates() {
        let issuer = Certificate::of_der(issuer.der().to_vec());
        if !issuer.is_ok_and(|issuer| signs_certificates(&issuer)) {
            return Err(webpki::Error::EndEntityUsedAsCa);
        }
    }
    Ok(())
}

fn signs_certificates(certificate: &Certificate) -> bool {
    match certificate.read.tbs_certificate().get_extension::<KeyUsage>() {
        Ok(usage) => usage.is_none_or(|(_, usage)| usage.key_cert_sign()),
        Err(_) => false,
    }
}

fn is_ca(certificate: &Certificate) -> bool {
    let constraints = certificate.read.tbs_certificate().get_extension::<BasicConstraints>();
    constraints.is_ok_and(|constraints| constraints.is_some_and(|(_, basic)| basic.ca))
}

/// The critical extensions that webpki understands: the last number of 2.5.29.
const UNDERSTOOD: [&str; 6] =
    ["2.5.29.15", "2.5.29.17", "2.5.29.19", "2.5.29.30", "2.5.29.31", "2.5.29.37"];

/// The most signatures of one certificate that are looked at for a message.
const MOST_ISSUERS: usize = 4;

/// Everything that a refusal is explained with. None of it decides.
struct Given<'a> {
    certificates: &'a [Certificate],
    roots: &'a [CertificateDer<'a>],
    algorithms: &'a [&'a dyn SignatureVerificationAlgorithm],
}

impl Given<'_> {
    fn explain(&self, error: webpki::Error) -> Error {
        use webpki::Error as E;
        let (refusal, detail) = match error {
            E::CertExpired { time, not_after } => {
                let whose = self.first(|c| c.not_after() == not_after.as_secs());
                let (end, now) = (date(not_after), date(time));
                (
                    Refusal::OutsideValidity,
                    format!("{whose} is valid until {end}; the time is {now}"),
                )
            }
            E::CertNotValidYet { time, not_before } => {
                let whose = self.first(|c| c.not_before() == not_before.as_secs());
                let (start, now) = (date(not_before), date(time));
                (
                    Refusal::OutsideValidity,
                    format!("{whose} is valid from {start}; the time is {now}"),
                )
            }
            E::UnknownIssuer => (Refusal::KeyUnknown, self.missing_issuer()),
            E::InvalidSignatureForPublicKey => {
                let whose = self.first(|c| self.signature_is_wrong(c));
                (Refusal::BadChain, format!("the signature of {whose} is not valid"))
            }
            E::CaUsedAsEndEntity => {
                let whose = self.first(|_| true);
                (Refusal::BadChain, format!("{whose} is a CA's; a leaf was expected first"))
            }
            E::EndEntityUsedAsCa => {
                let whose = self.issuer(|c| !is_ca(c) || !signs_certificates(c));
                let detail = format!("{whose} issues, and is no CA's or may not sign certificates");
                (Refusal::BadChain, detail)
            }
            E::PathLenConstraintViolated => {
                (Refusal::BadChain, "more CAs follow than a path length allows".to_owned())
            }
            E::NameConstraintViolation => {
                let detail = "a name is outside the name constraints of a CA above it";
                (Refusal::BadChain, detail.to_owned())
            }
            E::InvalidCertValidity => {
                let whose = self.first(|c| c.not_before() > c.not_after());
                (Refusal::OutsideValidity, format!("{whose} ends before it begins"))
            }
            E::UnsupportedCriticalExtension => (Refusal::CritUnknown, self.critical_extension()),
            E::UnsupportedSignatureAlgorithmContext(_) => {
                (Refusal::AlgUnknown, self.unknown_algorithm())
            }
            E::UnsupportedSignatureAlgorithmForPublicKeyContext(_) => {
                let detail = "a certificate is signed with an algorithm that is not that of the key \
                              of its issuer";
                (Refusal::AlgMismatch, detail.to_owned())
            }
            E::SignatureAlgorithmMismatch => {
                let detail = "a certificate names two algorithms of its signature";
                (Refusal::AlgMismatch, detail.to_owned())
            }
            E::MaximumPathDepthExceeded => {
                (Refusal::TooDeep, "the path has more than six intermediates".to_owned())
            }
            E::MaximumPathBuildCallsExceeded
            | E::MaximumSignatureChecksExceeded
            | E::MaximumNameConstraintComparisonsExceeded => {
                let detail = format!("too many paths through the certificates ({error})");
                (Refusal::TooLarge, detail)
            }
            E::UnsupportedCertVersion => {
                (Refusal::Unsupported, "a certificate is not of version 3".to_owned())
            }
            other => (Refusal::NotX509, format!("a certificate is malformed ({other})")),
        };
        Error::new(refusal, detail)
    }

    /// The first certificate that fits, for a message.
    fn first(&self, fits: impl Fn(&Certificate) -> bool) -> String {
        match self.certificates.iter().enumerate().find(|(_, certificate)| fits(certificate)) {
            Some((i, certificate)) => {
                format!("certificate {i} ({})", quoted(&certificate.subject()))
            }
            None => "a certificate".to_owned(),
        }
    }

    /// The same among those that issued another one.
    fn issuer(&self, fits: impl Fn(&Certificate) -> bool) -> String {
        self.first(|issuer| {
            fits(issuer)
                && self.certificates.iter().any(|c| c.der != issuer.der && issued(issuer, c))
        })
    }

    fn missing_issuer(&self) -> String {
        let mut current = self.certificates.first();
        let mut missing = None;
        for _ in 0..MOST_CERTIFICATES {
            let Some(certificate) = current else { break };
            missing = Some(certificate);
            current = self
                .certificates
                .iter()
                .find(|issuer| issuer.der != certificate.der && issued(issuer, certificate));
            if current.is_some_and(|issuer| issued(issuer, issuer)) {
                missing = current;
                break;
            }
        }
        let issuer = missing.map(Certificate::issuer).unwrap_or_default();
        format!("no root is the issuer {}; {} roots were given", quoted(&issuer), self.roots.len())
    }

    fn signature_is_wrong(&self, certificate: &Certificate) -> bool {
        let roots = self.roots.iter().filter_map(|der| Certificate::of_der(der.to_vec()).ok());
        let issuers: Vec<_> = self
            .certificates
            .iter()
            .cloned()
            .chain(roots)
            .filter(|issuer| issued(issuer, certificate))
            .take(MOST_ISSUERS)
            .collect();
        !issuers.is_empty() && !issuers.iter().any(|issuer| self.verifies(issuer, certificate))
    }

    fn verifies(&self, issuer: &Certificate, certificate: &Certificate) -> bool {
        let spki = issuer.read.tbs_certificate().subject_public_key_info();
        let (Ok(message), Ok(public_id), Ok(signature_id)) = (
            certificate.read.tbs_certificate().to_der(),
            spki.algorithm.to_der(),
            certificate.read.signature_algorithm().to_der(),
        ) else {
            return false;
        };
        let signature = certificate.read.signature().raw_bytes();
        self.algorithms.iter().any(|algorithm| {
            // webpki has the content of these sequences
            public_id.get(2..) == Some(&*algorithm.public_key_alg_id())
                && signature_id.get(2..) == Some(&*algorithm.signature_alg_id())
                && algorithm
                    .verify_signature(spki.subject_public_key.raw_bytes(), &message, signature)
                    .is_ok()
        })
    }

    fn critical_extension(&self) -> String {
        for (i, certificate) in self.certificates.iter().enumerate() {
            for extension in certificate.read.tbs_certificate().extensions().into_iter().flatten() {
                let oid = extension.extn_id.to_string();
                if extension.critical && !UNDERSTOOD.contains(&&*oid) {
                    let subject = quoted(&certificate.subject());
                    return format!(
                        "certificate {i} ({subject}) has the critical extension {oid}, which is not \
                         understood"
                    );
                }
            }
        }
        "a certificate has a critical extension that is not understood".to_owned()
    }

    fn unknown_algorithm(&self) -> String {
        for (i, certificate) in self.certificates.iter().enumerate() {
            let algorithm = certificate.read.signature_algorithm();
            let known = algorithm.to_der().is_ok_and(|id| {
                self.algorithms.iter().any(|ours| id.get(2..) == Some(&*ours.signature_alg_id()))
            });
            if !known {
                let (subject, name) = (quoted(&certificate.subject()), oid_text(algorithm.oid));
                return format!(
                    "certificate {i} ({subject}) is signed with {name}; ECDSA with SHA-256, SHA-384 \
                     and SHA-512, and Ed25519, are supported"
                );
            }
        }
        "a certificate is signed with an algorithm that is not supported".to_owned()
    }
}

/// Whether the names say that one certificate issued another.
fn issued(issuer: &Certificate, certificate: &Certificate) -> bool {
    issuer.read.tbs_certificate().subject() == certificate.read.tbs_certificate().issuer()
}

fn date(time: UnixTime) -> String {
    let seconds = Duration::from_secs(time.as_secs());
    match DateTime::from_unix_duration(seconds) {
        Ok(date) => date.to_string(),
        Err(_) => format!("{} s since 1970", time.as_secs()),
    }
}
