//! TLS handshakes a second with sigmill and with other providers, on one thread, interleaved: in a round each provider
//! does a few handshakes, and what is printed is the median of the rounds. Time is counted at each end apart, so that a
//! server's and a client's are seen. Compare only what was printed by one run.

use clap::Parser;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, PKCS_ECDSA_P256_SHA256,
    PKCS_ECDSA_P384_SHA384, PKCS_ED25519, SignatureAlgorithm,
};
use rustls::client::Resumption;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{PrivatePkcs8KeyDer, ServerName};
use rustls::server::NoServerSessionStorage;
use rustls::{
    ClientConfig, ClientConnection, NamedGroup, RootCertStore, ServerConfig, ServerConnection,
    SupportedProtocolVersion, version,
};
use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

#[derive(Parser)]
#[command(about = "TLS handshakes a second of sigmill and other providers, interleaved")]
struct Options {
    /// Seconds for each kind of key and version of TLS
    #[arg(long, default_value_t = 3.0)]
    seconds: f64,
}

type Provider = (&'static str, Arc<CryptoProvider>);

/// The providers with X25519 alone, so that all do the same.
fn providers() -> Vec<Provider> {
    let all = [
        ("sigmill", sigmill_rustls::default_provider()),
        ("ring", rustls::crypto::ring::default_provider()),
        ("aws-lc-rs", rustls::crypto::aws_lc_rs::default_provider()),
        ("graviola", rustls_graviola::default_provider()),
    ];
    all.map(|(name, mut provider)| {
        provider.kx_groups.retain(|group| group.name() == NamedGroup::X25519);
        (name, Arc::new(provider))
    })
    .into()
}

/// Both ends of a provider, and the time of each in one slot.
struct Contender {
    name: &'static str,
    client: Arc<ClientConfig>,
    server: Arc<ServerConfig>,
    client_times: Vec<Duration>,
    server_times: Vec<Duration>,
}

const SLOT: u32 = 8;

impl Contender {
    /// `None` where the provider has no such keys.
    fn new(
        (name, provider): &Provider,
        algorithm: &'static SignatureAlgorithm,
        version: &'static SupportedProtocolVersion,
    ) -> Result<Option<Self>, Box<dyn Error>> {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = CertifiedIssuer::self_signed(params, KeyPair::generate_for(algorithm)?)?;
        let key = KeyPair::generate_for(algorithm)?;
        let certificate =
            CertificateParams::new(["localhost".into()])?.signed_by(&key, &authority)?;
        let mut roots = RootCertStore::empty();
        roots.add(authority.der().clone())?;
        let mut client = ClientConfig::builder_with_provider(Arc::clone(provider))
            .with_protocol_versions(&[version])?
            .with_root_certificates(roots)
            .with_no_client_auth();
        client.resumption = Resumption::disabled();
        let key = PrivatePkcs8KeyDer::from(key.serialize_der()).into();
        let server = ServerConfig::builder_with_provider(Arc::clone(provider))
            .with_protocol_versions(&[version])?
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key);
        let Ok(mut server) = server else { return Ok(None) };
        server.session_storage = Arc::new(NoServerSessionStorage {});
        server.send_tls13_tickets = 0;
        let mut contender = Contender {
            name,
            client: Arc::new(client),
            server: Arc::new(server),
            client_times: Vec::new(),
            server_times: Vec::new(),
        };
        Ok(match contender.slot() {
            Ok(()) => {
                contender.client_times.clear();
                contender.server_times.clear();
                Some(contender)
            }
            // no signature scheme that it verifies
            Err(_) => None,
        })
    }

    /// One handshake that is not timed, and then some that are.
    fn slot(&mut self) -> Result<(), Box<dyn Error>> {
        self.handshake(&mut [Duration::ZERO; 2])?;
        let mut times = [Duration::ZERO; 2];
        for _ in 0..SLOT {
            self.handshake(&mut times)?;
        }
        self.client_times.push(times[0] / SLOT);
        self.server_times.push(times[1] / SLOT);
        Ok(())
    }

    fn handshake(&self, times: &mut [Duration; 2]) -> Result<(), Box<dyn Error>> {
        let start = Instant::now();
        let name = ServerName::try_from("localhost")?;
        let mut client = ClientConnection::new(Arc::clone(&self.client), name)?;
        times[0] += start.elapsed();
        let start = Instant::now();
        let mut server = ServerConnection::new(Arc::clone(&self.server))?;
        times[1] += start.elapsed();
        let mut wire = Vec::new();
        while client.is_handshaking() || server.is_handshaking() || client.wants_write() {
            let start = Instant::now();
            while client.wants_write() {
                client.write_tls(&mut wire)?;
            }
            times[0] += start.elapsed();
            let start = Instant::now();
            let mut sent = wire.as_slice();
            while !sent.is_empty() {
                server.read_tls(&mut sent)?;
                server.process_new_packets()?;
            }
            wire.clear();
            while server.wants_write() {
                server.write_tls(&mut wire)?;
            }
            times[1] += start.elapsed();
            let start = Instant::now();
            let mut sent = wire.as_slice();
            while !sent.is_empty() {
                client.read_tls(&mut sent)?;
                client.process_new_packets()?;
            }
            wire.clear();
            times[0] += start.elapsed();
        }
        Ok(())
    }
}

fn a_second(times: &mut [Duration]) -> f64 {
    times.sort();
    1.0 / times[times.len() / 2].as_secs_f64()
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    let providers = providers();
    println!(
        "handshakes a second on one thread, X25519, no resumption, a certificate and its authority"
    );
    println!("{:<10} {:<8} {:<10} {:>10} {:>10}", "key", "version", "provider", "server", "client");
    let kinds = [
        ("Ed25519", &PKCS_ED25519),
        ("P-256", &PKCS_ECDSA_P256_SHA256),
        ("P-384", &PKCS_ECDSA_P384_SHA384),
    ];
    for (kind, algorithm) in kinds {
        for (version_name, version) in [("TLS 1.3", &version::TLS13), ("TLS 1.2", &version::TLS12)]
        {
            let mut contenders = Vec::new();
            for provider in &providers {
                match Contender::new(provider, algorithm, version)? {
                    Some(contender) => contenders.push(contender),
                    None => {
                        println!("{kind:<10} {version_name:<8} {:<10} has no such keys", provider.0)
                    }
                }
            }
            let end = Instant::now() + Duration::from_secs_f64(options.seconds);
            while Instant::now() < end || contenders[0].client_times.is_empty() {
                for contender in &mut contenders {
                    contender.slot()?;
                }
            }
            for contender in &mut contenders {
                println!(
                    "{kind:<10} {version_name:<8} {:<10} {:>10.0} {:>10.0}",
                    contender.name,
                    a_second(&mut contender.server_times),
                    a_second(&mut contender.client_times)
                );
            }
        }
    }
    Ok(())
}
