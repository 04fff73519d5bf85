//! TLS handshakes a second with sigmill and with other providers, on one thread, interleaved: in a round each provider
//! does a few handshakes, another one first in each round, and what is printed is the median of the handshakes. Both ends
//! are in this process, without a network; time is counted at each end apart, so that a server's and a client's are
//! seen. Every provider has the same certificates, suite and group. Compare only what was printed by one run.

#[path = "../../../bench/src/programs.rs"]
mod programs;
mod record;

use clap::Parser;
use clap::builder::PossibleValuesParser;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, PKCS_ECDSA_P256_SHA256,
    PKCS_ECDSA_P384_SHA384, PKCS_ED25519, SignatureAlgorithm,
};
use rustls::client::{Resumption, WebPkiServerVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName};
use rustls::server::{NoServerSessionStorage, WebPkiClientVerifier};
use rustls::{
    CipherSuite, ClientConfig, ClientConnection, NamedGroup, RootCertStore, ServerConfig,
    ServerConnection, SupportedProtocolVersion, version,
};
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

#[derive(Parser)]
#[command(about = "TLS handshakes a second of sigmill and other providers, interleaved")]
struct Options {
    /// Seconds for each row, all providers together
    #[arg(long, default_value_t = 8.0)]
    seconds: f64,
    /// Only rows whose name has this in it
    #[arg(long, default_value = "")]
    rows: String,
    /// Only these providers
    #[arg(long, value_delimiter = ',', default_values = NAMES, value_parser = PossibleValuesParser::new(NAMES))]
    providers: Vec<String>,
    /// A folder for the record, DATE-COMMIT.tls.jsonl
    #[arg(long)]
    record: Option<PathBuf>,
}

const NAMES: [&str; 4] = ["sigmill", "ring", "aws-lc-rs", "graviola"];

fn provider(name: &str) -> Option<CryptoProvider> {
    Some(match name {
        "sigmill" => sigmill_rustls::default_provider(),
        "ring" => rustls::crypto::ring::default_provider(),
        "aws-lc-rs" => rustls::crypto::aws_lc_rs::default_provider(),
        "graviola" => rustls_graviola::default_provider(),
        _ => return None,
    })
}

/// The work of both ends.
struct Row {
    kind: &'static str,
    version: &'static SupportedProtocolVersion,
    group: NamedGroup,
    client_has_certificate: bool,
}

impl Row {
    fn all() -> Vec<Row> {
        let x25519 = NamedGroup::X25519;
        let row = |kind, version, group, client_has_certificate| Row {
            kind,
            version,
            group,
            client_has_certificate,
        };
        let mut rows = Vec::new();
        for (version, client_has_certificate) in
            [(&version::TLS13, false), (&version::TLS13, true), (&version::TLS12, false)]
        {
            for kind in ["Ed25519", "P-256", "P-384"] {
                rows.push(row(kind, version, x25519, client_has_certificate));
            }
        }
        rows.push(row("P-256", &version::TLS13, NamedGroup::secp256r1, false));
        rows.push(row("P-384", &version::TLS13, NamedGroup::secp384r1, false));
        rows
    }

    fn name(&self) -> String {
        let version =
            if self.version.version == rustls::ProtocolVersion::TLSv1_3 { "1.3" } else { "1.2" };
        let group = match self.group {
            NamedGroup::X25519 => "X25519",
            NamedGroup::secp256r1 => "ECDH P-256",
            _ => "ECDH P-384",
        };
        let sides = if self.client_has_certificate { ", both sides" } else { "" };
        format!("TLS {version}, {}{sides}, {group}", self.kind)
    }

    fn algorithm(&self) -> &'static SignatureAlgorithm {
        match self.kind {
            "Ed25519" => &PKCS_ED25519,
            "P-256" => &PKCS_ECDSA_P256_SHA256,
            _ => &PKCS_ECDSA_P384_SHA384,
        }
    }
}

/// An authority and a certificate of it, for both sides.
struct Certificates {
    roots: Arc<RootCertStore>,
    certificate: CertificateDer<'static>,
    key: PrivateKeyDer<'static>,
}

impl Certificates {
    fn new(algorithm: &'static SignatureAlgorithm) -> Result<Self, Box<dyn Error>> {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = CertifiedIssuer::self_signed(params, KeyPair::generate_for(algorithm)?)?;
        let key = KeyPair::generate_for(algorithm)?;
        let params = CertificateParams::new(["localhost".into()])?;
        let mut roots = RootCertStore::empty();
        roots.add(authority.der().clone())?;
        Ok(Certificates {
            roots: Arc::new(roots),
            certificate: params.signed_by(&key, &authority)?.der().clone(),
            key: PrivatePkcs8KeyDer::from(key.serialize_der()).into(),
        })
    }
}

/// Handshakes that a provider does in a round, and that are timed.
const SLOT: usize = 8;
/// A median above this many times the least time is one of a disturbed machine.
const STEADY: f64 = 1.1;

/// Both ends of a provider, and the times of each in every handshake.
struct Contender {
    name: String,
    client: Arc<ClientConfig>,
    server: Arc<ServerConfig>,
    /// Of the client and of the server.
    times: [Vec<Duration>; 2],
}

impl Contender {
    /// An error where the provider lacks something.
    fn new(name: &str, row: &Row, certificates: &Certificates) -> Result<Self, Box<dyn Error>> {
        let mut provider = provider(name).ok_or("no such provider")?;
        provider.kx_groups.retain(|group| group.name() == row.group);
        provider.cipher_suites.retain(|suite| {
            [
                CipherSuite::TLS13_AES_256_GCM_SHA384,
                CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
            ]
            .contains(&suite.suite())
        });
        let provider = Arc::new(provider);
        let roots = &certificates.roots;
        let chain = vec![certificates.certificate.clone()];
        let client = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_protocol_versions(&[row.version])?
            .with_webpki_verifier(
                WebPkiServerVerifier::builder_with_provider(
                    Arc::clone(roots),
                    Arc::clone(&provider),
                )
                .build()?,
            );
        let mut client = match row.client_has_certificate {
            true => client.with_client_auth_cert(chain.clone(), certificates.key.clone_key())?,
            false => client.with_no_client_auth(),
        };
        client.resumption = Resumption::disabled();
        let server = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_protocol_versions(&[row.version])?;
        let server = match row.client_has_certificate {
            true => server.with_client_cert_verifier(
                WebPkiClientVerifier::builder_with_provider(Arc::clone(roots), provider).build()?,
            ),
            false => server.with_no_client_auth(),
        };
        let mut server = server.with_single_cert(chain, certificates.key.clone_key())?;
        server.session_storage = Arc::new(NoServerSessionStorage {});
        server.send_tls13_tickets = 0;
        let mut contender = Contender {
            name: name.into(),
            client: Arc::new(client),
            server: Arc::new(server),
            times: Default::default(),
        };
        contender.slot()?;
        contender.times = Default::default();
        Ok(contender)
    }

    /// One handshake that is not timed, and then some that are.
    fn slot(&mut self) -> Result<(), Box<dyn Error>> {
        self.handshake(&mut [Duration::ZERO; 2])?;
        for _ in 0..SLOT {
            let mut times = [Duration::ZERO; 2];
            self.handshake(&mut times)?;
            for (all, time) in self.times.iter_mut().zip(times) {
                all.push(time);
            }
        }
        Ok(())
    }

    fn handshake(
        &self,
        [client_time, server_time]: &mut [Duration; 2],
    ) -> Result<(), Box<dyn Error>> {
        let name = ServerName::try_from("localhost")?;
        let mut client =
            timed(client_time, || ClientConnection::new(Arc::clone(&self.client), name))?;
        let mut server = timed(server_time, || ServerConnection::new(Arc::clone(&self.server)))?;
        let mut wire = Vec::new();
        while client.is_handshaking() || server.is_handshaking() || client.wants_write() {
            timed(client_time, || turn(&mut client, &mut wire))?;
            timed(server_time, || turn(&mut server, &mut wire))?;
        }
        Ok(())
    }
}

fn timed<T>(time: &mut Duration, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    *time += start.elapsed();
    result
}

/// One end reads what is on the wire, and writes what it has to say.
fn turn<Data>(
    end: &mut rustls::ConnectionCommon<Data>,
    wire: &mut Vec<u8>,
) -> Result<(), Box<dyn Error>> {
    let mut sent = wire.as_slice();
    while !sent.is_empty() {
        end.read_tls(&mut sent)?;
        end.process_new_packets()?;
    }
    wire.clear();
    while end.wants_write() {
        end.write_tls(wire)?;
    }
    Ok(())
}

/// Times of one end of a provider in one row, in microseconds a handshake.
pub(crate) struct Line {
    row: String,
    provider: String,
    end: &'static str,
    least: f64,
    median: f64,
    handshakes: usize,
}

impl Line {
    fn is_disturbed(&self) -> bool {
        self.median > STEADY * self.least
    }

    fn a_second(&self) -> f64 {
        1e6 / self.median
    }
}

fn measured(row: &Row, options: &Options) -> Result<Vec<Line>, Box<dyn Error>> {
    let certificates = Certificates::new(row.algorithm())?;
    let mut contenders = Vec::new();
    for name in &options.providers {
        match Contender::new(name, row, &certificates) {
            Ok(contender) => contenders.push(contender),
            Err(error) => println!("{}: {name} takes no part: {error}", row.name()),
        }
    }
    let end = Instant::now() + Duration::from_secs_f64(options.seconds);
    let mut rounds = 0;
    while !contenders.is_empty() && (rounds == 0 || Instant::now() < end) {
        for contender in &mut contenders {
            contender.slot()?;
        }
        contenders.rotate_left(1);
        rounds += 1;
    }
    contenders
        .sort_by_key(|contender| options.providers.iter().position(|name| *name == contender.name));
    let mut lines = Vec::new();
    for (side, end) in [(1, "server"), (0, "client")] {
        for contender in &mut contenders {
            let times = &mut contender.times[side];
            times.sort();
            let micros = |time: Duration| time.as_secs_f64() * 1e6;
            lines.push(Line {
                row: row.name(),
                provider: contender.name.clone(),
                end,
                least: micros(times[0]),
                median: micros(times[times.len() / 2]),
                handshakes: times.len(),
            });
        }
    }
    Ok(lines)
}

/// A row: handshakes a second of each provider, and how many times the first of them makes as many as this one.
fn print(row: &Row, lines: &[Line], options: &Options) {
    for end in ["server", "client"] {
        let mut first = None;
        let mut cells = String::new();
        for name in &options.providers {
            let line = lines.iter().find(|line| line.end == end && line.provider == *name);
            let cell = line.map_or(String::new(), |line| {
                let star = if line.is_disturbed() { "*" } else { "" };
                let rate = line.a_second();
                match first {
                    None => {
                        first = Some(rate);
                        format!("{rate:.0}{star}")
                    }
                    Some(first) => format!("{rate:.0}{star} ({:.2})", first / rate),
                }
            });
            cells += &format!(" {cell:>16}");
        }
        println!("{:<36} {end}{cells}", row.name());
    }
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let mut rows = Row::all();
    rows.retain(|row| row.name().contains(&options.rows));
    if rows.is_empty() {
        return Err(format!("no row has {:?} in its name", options.rows).into());
    }
    let record = options.record.as_deref().map(record::Record::create).transpose()?;
    println!(
        "Handshakes a second of each end on one thread, no resumption, a certificate below a trusted one.\n\
         In brackets: how many times as many {} makes. A star: the machine was disturbed.\n",
        options.providers[0]
    );
    let names: String = options.providers.iter().map(|name| format!(" {name:>16}")).collect();
    println!("{:<36} end   {names}", "handshake");
    let mut lines = Vec::new();
    for row in rows {
        let new = measured(&row, options)?;
        print(&row, &new, options);
        lines.extend(new);
    }
    if let Some(record) = record {
        let path = record.finish(options.seconds, &lines)?;
        println!("record: {}", path.display());
    }
    Ok(())
}
