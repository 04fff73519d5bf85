//! Handshakes on the loopback with `openssl s_server` and `openssl s_client`: both versions, each kind of key,
//! certificates on both sides; certificates with each hash that OpenSSL's command line signs with.

use crate::party::{Authority, Kind, Party, VERSIONS, client, openssl, ours, roots, server};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{
    ClientConfig, ClientConnection, NamedGroup, ProtocolVersion, ServerConfig, ServerConnection,
    StreamOwned, SupportedProtocolVersion,
};
use std::fs;
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const PATIENCE: Duration = Duration::from_secs(120);

/// A program that does not outlive its test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Files of PEM.
struct Files(TempDir);

impl Files {
    fn new() -> Self {
        Files(tempfile::tempdir().expect("a folder"))
    }

    fn write(&self, name: &str, pem: &str) -> String {
        let path: PathBuf = self.0.path().join(name);
        fs::write(&path, pem).expect("a file");
        path.to_str().expect("text").to_owned()
    }

    fn party(&self, party: &Party) -> [String; 4] {
        let [certificate, key] = [("certificate", &party.certificate_pem), ("key", &party.key_pem)]
            .map(|(name, pem)| self.write(name, pem));
        ["-cert".into(), certificate, "-key".into(), key]
    }
}

fn flag(version: ProtocolVersion) -> &'static str {
    if version == ProtocolVersion::TLSv1_2 { "-tls1_2" } else { "-tls1_3" }
}

fn patient(stream: TcpStream) -> TcpStream {
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    stream
}

fn connect(config: ClientConfig, port: u16) -> StreamOwned<ClientConnection, TcpStream> {
    let name = ServerName::try_from("localhost").expect("a name");
    let connection = ClientConnection::new(Arc::new(config), name).expect("a configuration");
    let stream = TcpStream::connect(("127.0.0.1", port)).expect("a server");
    StreamOwned::new(connection, patient(stream))
}

/// `openssl s_server`, which sends each line back with its letters reversed, and its port.
fn openssl_server(arguments: &[String]) -> (Running, u16) {
    let child = Command::new("openssl")
        .args(["s_server", "-accept", "127.0.0.1:0", "-rev", "-verify_return_error"])
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("openssl is installed");
    let mut child = Running(child);
    let output = BufReader::new(child.0.stdout.take().expect("a pipe"));
    let port = output
        .lines()
        .map_while(Result::ok)
        .find_map(|line| line.strip_prefix("ACCEPT 127.0.0.1:")?.trim().parse().ok());
    (child, port.expect("a server that names its port"))
}

/// The answer of a server of [`openssl_server`] to a line.
fn reversed_hello(stream: &mut StreamOwned<ClientConnection, TcpStream>) -> Result<String, String> {
    let mut line = String::new();
    stream
        .write_all(b"hello\n")
        .and_then(|()| BufReader::new(stream).read_line(&mut line))
        .map(|_| line)
        .map_err(|error| error.to_string())
}

/// One of the handshakes with each kind of key, in each version, without and with a certificate of the client.
struct Case {
    kind: Kind,
    authority: Authority,
    party: Party,
    client_party: Party,
    version: &'static SupportedProtocolVersion,
    with_certificate: bool,
    files: Files,
}

fn for_each_case(test: impl Fn(&Case)) {
    for kind in Kind::ALL {
        for version in VERSIONS {
            for with_certificate in [false, true] {
                let authority = Authority::new(kind);
                let (party, client_party) = (authority.issue(kind), authority.issue(kind));
                let files = Files::new();
                test(&Case {
                    kind,
                    authority,
                    party,
                    client_party,
                    version,
                    with_certificate,
                    files,
                });
            }
        }
    }
}

#[test]
fn as_clients_of_openssl() {
    for_each_case(|case| {
        let mut arguments = case.files.party(&case.party).to_vec();
        arguments.push(flag(case.version.version).into());
        if case.with_certificate {
            let authority = case.files.write("authority", &case.authority.pem());
            arguments.extend(["-Verify", "1", "-CAfile", &authority].map(String::from));
        }
        let (_running, port) = openssl_server(&arguments);
        let own = case.with_certificate.then_some(&case.client_party);
        let config = client(&ours(), case.version, &case.authority.roots(), own).expect("a key");
        let mut stream = connect(config, port);
        let (kind, version, with_certificate) = (case.kind, case.version, case.with_certificate);
        let what = format!("{kind:?} {version:?}, certificate: {with_certificate}");
        assert_eq!(reversed_hello(&mut stream), Ok("olleh\n".into()), "{what}");
        assert_eq!(stream.conn.protocol_version(), Some(case.version.version));
        let group = stream.conn.negotiated_key_exchange_group().map(|group| group.name());
        assert_eq!(group, Some(NamedGroup::X25519));
    });
}

/// The line that our server receives from `openssl s_client`, and whether its answer arrives there.
fn serve_openssl(config: ServerConfig, arguments: &[String]) -> (Result<String, String>, bool) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let child = Command::new("openssl")
        .args(["s_client", "-connect", &address, "-servername", "localhost", "-quiet"])
        .args(["-verify_return_error", "-verify_hostname", "localhost"])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("openssl is installed");
    let mut child = Running(child);
    let mut input = child.0.stdin.take().expect("a pipe");
    input.write_all(b"hello\n").expect("a pipe");
    let connection = ServerConnection::new(Arc::new(config)).expect("a configuration");
    let mut stream = StreamOwned::new(connection, patient(accept(&listener)));
    let mut line = String::new();
    let read = BufReader::new(&mut stream).read_line(&mut line);
    let heard = read.map(|_| line).map_err(|error| error.to_string());
    let mut told = String::new();
    let output = child.0.stdout.take().expect("a pipe");
    if heard.is_ok() {
        stream.write_all(b"welcome\n").expect("a client");
        let group = stream.conn.negotiated_key_exchange_group().map(|group| group.name());
        assert_eq!(group, Some(NamedGroup::X25519));
        BufReader::new(output).read_line(&mut told).expect("text");
    }
    (heard, told == "welcome\n")
}

/// The first who comes.
fn accept(listener: &TcpListener) -> TcpStream {
    listener.set_nonblocking(true).expect("a socket");
    let start = Instant::now();
    loop {
        match listener.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(false).expect("a socket");
                return stream;
            }
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::WouldBlock);
                assert!(start.elapsed() < PATIENCE, "nobody comes");
                thread::sleep(Duration::from_millis(2));
            }
        }
    }
}

#[test]
fn as_servers_of_openssl() {
    for_each_case(|case| {
        let trusted = case.files.write("authority", &case.authority.pem());
        let mut arguments = vec!["-CAfile".into(), trusted, flag(case.version.version).into()];
        // those of certificates in TLS 1.2, too
        arguments.extend(["-groups", "X25519:P-256:P-384"].map(String::from));
        if case.with_certificate {
            arguments.extend(case.files.party(&case.client_party));
        }
        let wanted = case.authority.roots();
        let wanted = case.with_certificate.then_some(&wanted);
        let config = server(&ours(), case.version, &case.party, wanted).expect("a key");
        let told = serve_openssl(config, &arguments);
        let what = format!("{:?} {:?}", case.kind, case.version);
        assert_eq!(told, (Ok("hello\n".into()), true), "{what}");
    });
}

#[test]
fn openssl_refuses_what_it_should_of_ours_and_we_of_its() {
    // the certificate of another authority, on either side
    let (authority, other) = (Authority::new(Kind::P256), Authority::new(Kind::Ed25519));
    let (party, foreign) = (authority.issue(Kind::P384), other.issue(Kind::Ed25519));
    for version in VERSIONS {
        let files = Files::new();
        let trusted = files.write("authority", &other.pem());
        let arguments = ["-CAfile".into(), trusted, flag(version.version).into()];
        let config = server(&ours(), version, &party, None).expect("a key");
        let (heard, told) = serve_openssl(config, &arguments);
        assert!(heard.is_err() && !told, "{heard:?}");

        let files = Files::new();
        let trusted = files.write("authority", &authority.pem());
        let mut arguments = vec!["-CAfile".into(), trusted, flag(version.version).into()];
        arguments.extend(files.party(&foreign));
        let config = server(&ours(), version, &party, Some(&authority.roots())).expect("a key");
        let (heard, told) = serve_openssl(config, &arguments);
        let heard = heard.expect_err("a stranger");
        assert!(heard.contains("UnknownIssuer") && !told, "{heard}");
    }
}

/// Each certificate of a chain whose authority signs with this hash on this curve is OpenSSL's.
#[test]
fn certificates_of_openssl_with_each_hash() {
    for curve in ["P-256", "P-384"] {
        for hash in ["-sha256", "-sha384", "-sha512"] {
            let files = Files::new();
            let group = format!("ec_paramgen_curve:{curve}");
            let new_key = || openssl(&["genpkey", "-algorithm", "EC", "-pkeyopt", &group], &[]);
            let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("PEM");
            let authority_key = files.write("authority.key", &text(new_key()));
            let authority_pem = text(openssl(
                &["req", "-x509", "-new", "-subj", "/CN=authority", "-key", &authority_key, hash],
                &[],
            ));
            let authority = files.write("authority", &authority_pem);
            let key_pem = text(new_key());
            let key = files.write("key", &key_pem);
            let request = openssl(&["req", "-new", "-subj", "/CN=localhost", "-key", &key], &[]);
            let names = files.write("names", "subjectAltName = DNS:localhost\n");
            let certificate_pem = text(openssl(
                &[
                    "x509",
                    "-req",
                    "-CA",
                    &authority,
                    "-CAkey",
                    &authority_key,
                    "-extfile",
                    &names,
                    hash,
                    "-set_serial",
                    "1",
                ],
                &request,
            ));
            let certificate =
                CertificateDer::from_pem_slice(certificate_pem.as_bytes()).expect("a certificate");
            let authority =
                CertificateDer::from_pem_slice(authority_pem.as_bytes()).expect("a certificate");
            let key = PrivateKeyDer::from_pem_slice(key_pem.as_bytes()).expect("a key");
            let party = Party { certificate, key, certificate_pem, key_pem };
            for version in VERSIONS {
                let mut arguments = files.party(&party).to_vec();
                arguments.push(flag(version.version).into());
                let (_running, port) = openssl_server(&arguments);
                let config = client(&ours(), version, &roots(&authority), None).expect("roots");
                let mut stream = connect(config, port);
                let answer = reversed_hello(&mut stream);
                assert_eq!(answer, Ok("olleh\n".into()), "{curve} {hash} {version:?}");
            }
        }
    }
}

/// As in the first ten minutes of the page.
#[test]
fn a_certificate_that_is_trusted_itself() {
    let files = Files::new();
    let [key, certificate] = ["key", "certificate"].map(|name| files.write(name, ""));
    openssl(
        &[
            "req",
            "-x509",
            "-newkey",
            "ed25519",
            "-nodes",
            "-keyout",
            &key,
            "-out",
            &certificate,
            "-subj",
            "/CN=localhost",
            "-addext",
            "subjectAltName=DNS:localhost",
            "-addext",
            "basicConstraints=critical,CA:FALSE",
        ],
        &[],
    );
    let party = Party {
        certificate: CertificateDer::from_pem_file(&certificate).expect("a certificate"),
        key: PrivateKeyDer::from_pem_file(&key).expect("a key"),
        certificate_pem: fs::read_to_string(&certificate).expect("a file"),
        key_pem: fs::read_to_string(&key).expect("a file"),
    };
    for version in VERSIONS {
        let mut arguments = files.party(&party).to_vec();
        arguments.push(flag(version.version).into());
        let (_running, port) = openssl_server(&arguments);
        let config = client(&ours(), version, &roots(&party.certificate), None).expect("roots");
        assert_eq!(reversed_hello(&mut connect(config, port)), Ok("olleh\n".into()));

        let config = server(&ours(), version, &party, None).expect("a key");
        let arguments = ["-CAfile", &certificate, flag(version.version)].map(String::from);
        assert_eq!(serve_openssl(config, &arguments), (Ok("hello\n".into()), true));
    }
}
