//! Keys and certificates that the tests make, and configurations that use them.

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, KeyUsagePurpose,
    PKCS_ECDSA_P256_SHA256, PKCS_ECDSA_P384_SHA384, PKCS_ED25519, PKCS_RSA_SHA256,
};
use rustls::client::WebPkiServerVerifier;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{ClientConfig, Error, RootCertStore, ServerConfig, SupportedProtocolVersion, version};
use std::process::{Command, Stdio};
use std::sync::Arc;

pub(crate) static VERSIONS: [&SupportedProtocolVersion; 2] = [&version::TLS12, &version::TLS13];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Ed25519,
    P256,
    P384,
    Rsa,
}

impl Kind {
    pub(crate) const ALL: [Kind; 4] = [Kind::Ed25519, Kind::P256, Kind::P384, Kind::Rsa];

    fn key_pair(self) -> KeyPair {
        let by_openssl = |name, algorithm| {
            let der = PrivatePkcs8KeyDer::from(new_key(&["-algorithm", name]));
            KeyPair::from_pkcs8_der_and_sign_algo(&der, algorithm).expect("a key of OpenSSL")
        };
        let algorithm = match self {
            // ring's form, which has the public key, is none that OpenSSL reads
            Kind::Ed25519 => return by_openssl("ED25519", &PKCS_ED25519),
            Kind::P256 => &PKCS_ECDSA_P256_SHA256,
            Kind::P384 => &PKCS_ECDSA_P384_SHA384,
            // ring makes none
            Kind::Rsa => return by_openssl("RSA", &PKCS_RSA_SHA256),
        };
        KeyPair::generate_for(algorithm).expect("a new key")
    }
}

/// The output of OpenSSL's command line, given `input`.
pub(crate) fn openssl(arguments: &[&str], input: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut child = Command::new("openssl")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("openssl is installed");
    child.stdin.take().expect("a pipe").write_all(input).expect("openssl reads");
    let output = child.wait_with_output().expect("openssl ends");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "openssl {arguments:?}: {errors}");
    output.stdout
}

/// A new key in PKCS#8, which `genpkey` writes in PEM alone.
pub(crate) fn new_key(arguments: &[&str]) -> Vec<u8> {
    let pem = openssl(&[&["genpkey"], arguments].concat(), &[]);
    openssl(&["pkcs8", "-topk8", "-nocrypt", "-outform", "DER"], &pem)
}

/// A certificate authority.
pub(crate) struct Authority(CertifiedIssuer<'static, KeyPair>);

/// A certificate and its key.
pub(crate) struct Party {
    pub(crate) certificate: CertificateDer<'static>,
    pub(crate) key: PrivateKeyDer<'static>,
    pub(crate) certificate_pem: String,
    pub(crate) key_pem: String,
}

impl Clone for Party {
    fn clone(&self) -> Self {
        Party {
            certificate: self.certificate.clone(),
            key: self.key.clone_key(),
            certificate_pem: self.certificate_pem.clone(),
            key_pem: self.key_pem.clone(),
        }
    }
}

impl Authority {
    pub(crate) fn new(kind: Kind) -> Self {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, format!("{kind:?} authority"));
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        Authority(CertifiedIssuer::self_signed(params, kind.key_pair()).expect("a certificate"))
    }

    pub(crate) fn pem(&self) -> String {
        self.0.pem()
    }

    pub(crate) fn roots(&self) -> Arc<RootCertStore> {
        roots(self.0.der())
    }

    /// A certificate for `localhost`.
    pub(crate) fn issue(&self, kind: Kind) -> Party {
        let mut params = CertificateParams::new(["localhost".into()]).expect("a name");
        params.distinguished_name.push(DnType::CommonName, format!("{kind:?} party"));
        let key = kind.key_pair();
        let certificate = params.signed_by(&key, &self.0).expect("a certificate");
        Party {
            certificate: certificate.der().clone(),
            key: PrivatePkcs8KeyDer::from(key.serialize_der()).into(),
            certificate_pem: certificate.pem(),
            key_pem: key.serialize_pem(),
        }
    }
}

pub(crate) fn roots(certificate: &CertificateDer<'_>) -> Arc<RootCertStore> {
    let mut roots = RootCertStore::empty();
    roots.add(certificate.clone().into_owned()).expect("a certificate");
    Arc::new(roots)
}

pub(crate) fn ours() -> Arc<CryptoProvider> {
    Arc::new(sigmill_rustls::default_provider())
}

pub(crate) fn ring() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

/// A server that asks for certificates under `roots`, if there are any.
pub(crate) fn server(
    provider: &Arc<CryptoProvider>,
    version: &'static SupportedProtocolVersion,
    party: &Party,
    roots: Option<&Arc<RootCertStore>>,
) -> Result<ServerConfig, Error> {
    let config = ServerConfig::builder_with_provider(Arc::clone(provider))
        .with_protocol_versions(&[version])?;
    let config = match roots {
        None => config.with_no_client_auth(),
        Some(roots) => config.with_client_cert_verifier(
            WebPkiClientVerifier::builder_with_provider(Arc::clone(roots), Arc::clone(provider))
                .build()
                .expect("roots"),
        ),
    };
    config.with_single_cert(vec![party.certificate.clone()], party.key.clone_key())
}

/// A client with a certificate, if there is any.
pub(crate) fn client(
    provider: &Arc<CryptoProvider>,
    version: &'static SupportedProtocolVersion,
    roots: &Arc<RootCertStore>,
    party: Option<&Party>,
) -> Result<ClientConfig, Error> {
    let verifier =
        WebPkiServerVerifier::builder_with_provider(Arc::clone(roots), Arc::clone(provider))
            .build()
            .expect("roots");
    let config = ClientConfig::builder_with_provider(Arc::clone(provider))
        .with_protocol_versions(&[version])?
        .with_webpki_verifier(verifier);
    match party {
        None => Ok(config.with_no_client_auth()),
        Some(party) => {
            config.with_client_auth_cert(vec![party.certificate.clone()], party.key.clone_key())
        }
    }
}
