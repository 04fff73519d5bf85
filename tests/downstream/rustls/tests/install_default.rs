//! hyper-rustls, reqwest and quinn with `install_default()` as their only line: each gets an answer from a server, refuses one
//! whose certificate it does not know, and agrees on keys by our provider. The test of the provider counts what is asked of it.

use http_body_util::{BodyExt, Empty, Full};
use hyper::body::Bytes;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::crypto::{ActiveKeyExchange, CryptoProvider, SupportedKxGroup};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, Error, NamedGroup, RootCertStore, ServerConfig};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Once};

/// How often a key exchange of ours was begun.
static EXCHANGES: AtomicUsize = AtomicUsize::new(0);

/// A group of our provider that counts.
#[derive(Debug)]
struct Counted(&'static dyn SupportedKxGroup);

impl SupportedKxGroup for Counted {
    fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
        EXCHANGES.fetch_add(1, Ordering::Relaxed);
        self.0.start()
    }

    fn name(&self) -> NamedGroup {
        self.0.name()
    }
}

/// The line, and the count.
fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let mut provider = sigmill_rustls::default_provider();
        for group in &mut provider.kx_groups {
            *group = Box::leak(Box::new(Counted(*group)));
        }
        provider.install_default().expect("no provider was chosen before");
    });
}

/// A certificate for localhost under a key of this algorithm.
fn certificate(algorithm: &'static rcgen::SignatureAlgorithm) -> (CertificateDer<'static>, PrivateKeyDer<'static>) {
    let key = rcgen::KeyPair::generate_for(algorithm).unwrap();
    let params = rcgen::CertificateParams::new(["localhost".to_owned()]).unwrap();
    let certificate = params.self_signed(&key).unwrap();
    (certificate.der().clone(), PrivateKeyDer::try_from(key.serialize_der()).unwrap())
}

fn server_config(key: &(CertificateDer<'static>, PrivateKeyDer<'static>)) -> ServerConfig {
    let builder = ServerConfig::builder().with_no_client_auth();
    builder.with_single_cert(vec![key.0.clone()], key.1.clone_key()).unwrap()
}

fn client_config(known: &CertificateDer<'static>) -> ClientConfig {
    let mut roots = RootCertStore::empty();
    roots.add(known.clone()).unwrap();
    ClientConfig::builder().with_root_certificates(roots).with_no_client_auth()
}

/// A server that answers every request.
async fn https(config: ServerConfig) -> SocketAddr {
    let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(config));
    let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let Ok(stream) = acceptor.accept(stream).await else { return };
                let answer = service_fn(|_| async {
                    Ok::<_, hyper::Error>(hyper::Response::new(Full::new(Bytes::from("hello"))))
                });
                let server = hyper::server::conn::http1::Builder::new();
                let _ = server.serve_connection(TokioIo::new(stream), answer).await;
            });
        }
    });
    address
}

/// Runs a client with a server under keys of each kind, known and unknown; every time both sides exchange keys by ours.
async fn with_each_key<F: Future<Output = Option<String>>>(client: impl Fn(ClientConfig, u16) -> F) {
    install();
    for algorithm in [&rcgen::PKCS_ED25519, &rcgen::PKCS_ECDSA_P256_SHA256, &rcgen::PKCS_ECDSA_P384_SHA384] {
        let key = certificate(algorithm);
        let port = https(server_config(&key)).await.port();
        let before = EXCHANGES.load(Ordering::Relaxed);
        assert_eq!(client(client_config(&key.0), port).await.as_deref(), Some("hello"), "{algorithm:?}");
        assert!(EXCHANGES.load(Ordering::Relaxed) > before, "{algorithm:?}: not by our provider");
        let unknown = certificate(algorithm);
        assert_eq!(client(client_config(&unknown.0), port).await, None, "{algorithm:?}");
    }
}

#[tokio::test]
async fn hyper_rustls() {
    with_each_key(|config, port| async move {
        let connector = hyper_rustls::HttpsConnectorBuilder::new().with_tls_config(config).https_only().enable_http1().build();
        let client = hyper_util::client::legacy::Client::builder(TokioExecutor::new()).build::<_, Empty<Bytes>>(connector);
        let answer = client.get(format!("https://localhost:{port}/").parse().unwrap()).await.ok()?;
        String::from_utf8(answer.into_body().collect().await.ok()?.to_bytes().to_vec()).ok()
    })
    .await;
}

#[tokio::test]
async fn reqwest() {
    with_each_key(|config, port| async move {
        let client = reqwest::Client::builder().tls_backend_preconfigured(config).build().unwrap();
        client.get(format!("https://localhost:{port}/")).send().await.ok()?.text().await.ok()
    })
    .await;
}

/// reqwest makes the configuration itself, of the default provider.
#[tokio::test]
async fn reqwest_by_itself() {
    install();
    let key = certificate(&rcgen::PKCS_ED25519);
    let port = https(server_config(&key)).await.port();
    let known = reqwest::Certificate::from_der(&key.0).unwrap();
    let client = reqwest::Client::builder().tls_certs_only([known]).build().unwrap();
    let answer = client.get(format!("https://localhost:{port}/")).send().await.unwrap();
    assert_eq!(answer.text().await.unwrap(), "hello");
}

#[tokio::test]
async fn quinn() {
    install();
    for algorithm in [&rcgen::PKCS_ED25519, &rcgen::PKCS_ECDSA_P256_SHA256, &rcgen::PKCS_ECDSA_P384_SHA384] {
        let key = certificate(algorithm);
        let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let config = quinn::crypto::rustls::QuicServerConfig::try_from(server_config(&key)).unwrap();
        let server = quinn::Endpoint::server(quinn::ServerConfig::with_crypto(Arc::new(config)), any).unwrap();
        let address = server.local_addr().unwrap();
        tokio::spawn(async move {
            while let Some(incoming) = server.accept().await {
                let Ok(connection) = incoming.await else { continue };
                let mut stream = connection.open_uni().await.unwrap();
                stream.write_all(b"hello").await.unwrap();
                stream.finish().unwrap();
                connection.closed().await;
            }
        });
        let client = quinn::Endpoint::client(any).unwrap();
        let before = EXCHANGES.load(Ordering::Relaxed);
        for (known, expected) in [(key.0, true), (certificate(algorithm).0, false)] {
            let config = quinn::crypto::rustls::QuicClientConfig::try_from(client_config(&known)).unwrap();
            let config = quinn::ClientConfig::new(Arc::new(config));
            let connection = client.connect_with(config, address, "localhost").unwrap().await;
            assert_eq!(connection.is_ok(), expected, "{algorithm:?}");
            if let Ok(connection) = connection {
                let mut stream = connection.accept_uni().await.unwrap();
                assert_eq!(stream.read_to_end(100).await.unwrap(), b"hello");
                connection.close(0_u32.into(), b"");
            }
        }
        assert!(EXCHANGES.load(Ordering::Relaxed) > before, "{algorithm:?}: not by our provider");
    }
    assert!(CryptoProvider::get_default().is_some());
}
