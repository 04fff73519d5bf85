//! Handshakes in memory: each kind of key, both versions, certificates on both sides, against ourselves and rustls'
//! *ring* provider; and what must not come to an end.

use crate::party::{Authority, Kind, Party, VERSIONS, client, ours, ring, server};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::ServerName;
use rustls::sign::{CertifiedKey, Signer, SigningKey, SingleCertAndKey};
use rustls::{
    CertificateError, ClientConfig, ClientConnection, Error, NamedGroup, ServerConfig,
    ServerConnection, SignatureAlgorithm, SignatureScheme,
};
use std::io::{Read, Write};
use std::sync::Arc;

type Connections = (ClientConnection, ServerConnection);

/// Both ends after a handshake, or the error of the end that has one first.
fn handshake(client: ClientConfig, server: ServerConfig, name: &str) -> Result<Connections, Error> {
    let name = ServerName::try_from(name.to_owned()).expect("a name");
    let mut client = ClientConnection::new(Arc::new(client), name)?;
    let mut server = ServerConnection::new(Arc::new(server))?;
    for _ in 0..10 {
        let mut sent = Vec::new();
        while client.wants_write() {
            client.write_tls(&mut sent).expect("memory");
        }
        let mut sent = sent.as_slice();
        while !sent.is_empty() {
            server.read_tls(&mut sent).expect("memory");
            server.process_new_packets()?;
        }
        let mut sent = Vec::new();
        while server.wants_write() {
            server.write_tls(&mut sent).expect("memory");
        }
        let mut sent = sent.as_slice();
        while !sent.is_empty() {
            client.read_tls(&mut sent).expect("memory");
            client.process_new_packets()?;
        }
        if !client.wants_write() && !client.is_handshaking() && !server.is_handshaking() {
            return Ok((client, server));
        }
    }
    panic!("the handshake does not end");
}

fn group(connections: &Connections) -> Option<NamedGroup> {
    let group = connections.0.negotiated_key_exchange_group().map(|group| group.name());
    assert_eq!(
        group,
        connections.1.negotiated_key_exchange_group().map(|group| group.name()),
        "both ends say the same"
    );
    group
}

#[test]
fn both_ends_of_each_kind_agree_with_ourselves_and_with_ring() {
    for kind in Kind::ALL {
        let authority = Authority::new(kind);
        let (roots, server_party, client_party) =
            (authority.roots(), authority.issue(kind), authority.issue(kind));
        for version in VERSIONS {
            for (one, other) in [(ours(), ours()), (ours(), ring()), (ring(), ours())] {
                for client_has_certificate in [false, true] {
                    let party = client_has_certificate.then_some(&client_party);
                    let wanted = client_has_certificate.then_some(&roots);
                    let client = client(&one, version, &roots, party).expect("a key");
                    let server = server(&other, version, &server_party, wanted).expect("a key");
                    let mut both = handshake(client, server, "localhost")
                        .unwrap_or_else(|error| panic!("{kind:?} {version:?}: {error}"));
                    assert_eq!(both.0.protocol_version(), Some(version.version));
                    assert_eq!(group(&both), Some(NamedGroup::X25519));
                    let shown = |chain: Option<&[_]>| chain.map(<[_]>::to_vec);
                    assert_eq!(
                        shown(both.0.peer_certificates()),
                        Some(vec![server_party.certificate.clone()])
                    );
                    assert_eq!(
                        shown(both.1.peer_certificates()),
                        party.map(|party| vec![party.certificate.clone()])
                    );
                    says_hello(&mut both);
                }
            }
        }
    }
}

fn says_hello((client, server): &mut Connections) {
    client.writer().write_all(b"hello").expect("memory");
    let mut sent = Vec::new();
    client.write_tls(&mut sent).expect("memory");
    server.read_tls(&mut sent.as_slice()).expect("memory");
    server.process_new_packets().expect("a record");
    let mut got = [0; 5];
    server.reader().read_exact(&mut got).expect("five bytes");
    assert_eq!(&got, b"hello");
}

#[test]
fn certificates_of_one_kind_are_signed_by_another() {
    for (authority, party) in
        [(Kind::P256, Kind::P384), (Kind::P384, Kind::Ed25519), (Kind::Rsa, Kind::P256)]
    {
        let (authority, kind) = (Authority::new(authority), party);
        let (roots, party) = (authority.roots(), authority.issue(kind));
        for version in VERSIONS {
            let client = client(&ours(), version, &roots, None).expect("roots");
            let server = server(&ours(), version, &party, None).expect("a key");
            handshake(client, server, "localhost").expect("a handshake");
        }
    }
}

#[test]
fn each_group_alone_and_what_the_provider_is_made_of() {
    let provider = ours();
    let names: Vec<_> = provider.kx_groups.iter().map(|group| group.name()).collect();
    assert_eq!(names, [NamedGroup::X25519, NamedGroup::secp256r1, NamedGroup::secp384r1]);
    let groups: Vec<_> = provider.kx_groups.iter().map(|group| format!("{group:?}")).collect();
    assert_eq!(groups, ["X25519Group", "Group", "Group"]);
    assert_eq!(format!("{:?}", provider.key_provider), "Keys");
    let schemes =
        |provider: &CryptoProvider| provider.signature_verification_algorithms.supported_schemes();
    assert_eq!(schemes(&provider), schemes(&ring()));
    let authority = Authority::new(Kind::P256);
    let (roots, party) = (authority.roots(), authority.issue(Kind::P256));
    for name in names {
        let mut alone = sigmill_rustls::default_provider();
        alone.kx_groups.retain(|group| group.name() == name);
        let alone = Arc::new(alone);
        for version in VERSIONS {
            let client = client(&alone, version, &roots, None).expect("roots");
            let server = server(&ours(), version, &party, None).expect("a key");
            let both = handshake(client, server, "localhost").expect("a handshake");
            assert_eq!(group(&both), Some(name));
        }
    }
}

/// A key whose signatures have one bit changed.
#[derive(Debug)]
struct Forger(Arc<dyn SigningKey>);

#[derive(Debug)]
struct ForgedSigner(Box<dyn Signer>);

impl SigningKey for Forger {
    fn choose_scheme(&self, offered: &[SignatureScheme]) -> Option<Box<dyn Signer>> {
        self.0.choose_scheme(offered).map(|signer| Box::new(ForgedSigner(signer)) as _)
    }

    fn algorithm(&self) -> SignatureAlgorithm {
        self.0.algorithm()
    }
}

impl Signer for ForgedSigner {
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, Error> {
        let mut signature = self.0.sign(message)?;
        *signature.last_mut().expect("a signature") ^= 1;
        Ok(signature)
    }

    fn scheme(&self) -> SignatureScheme {
        self.0.scheme()
    }
}

fn forger(party: &Party) -> Arc<SingleCertAndKey> {
    let key = ours().key_provider.load_private_key(party.key.clone_key()).expect("a key");
    let forged = CertifiedKey::new(vec![party.certificate.clone()], Arc::new(Forger(key)));
    Arc::new(SingleCertAndKey::from(forged))
}

const BAD_SIGNATURE: Error = Error::InvalidCertificate(CertificateError::BadSignature);

#[test]
fn forged_signatures_of_handshakes_are_refused_by_both_ends() {
    for kind in Kind::ALL {
        let authority = Authority::new(kind);
        let (roots, party) = (authority.roots(), authority.issue(kind));
        for version in VERSIONS {
            let mut forging = server(&ours(), version, &party, None).expect("a key");
            forging.cert_resolver = forger(&party);
            let honest = client(&ours(), version, &roots, None).expect("roots");
            let refused = handshake(honest, forging, "localhost").err();
            assert_eq!(refused, Some(BAD_SIGNATURE), "{kind:?} {version:?}: the client");

            let honest = server(&ours(), version, &party, Some(&roots)).expect("a key");
            let mut forging = client(&ours(), version, &roots, Some(&party)).expect("a key");
            forging.client_auth_cert_resolver = forger(&party);
            let refused = handshake(forging, honest, "localhost").err();
            assert_eq!(refused, Some(BAD_SIGNATURE), "{kind:?} {version:?}: the server");
        }
    }
}

#[test]
fn forged_certificates_and_other_names_are_refused() {
    for kind in Kind::ALL {
        let authority = Authority::new(kind);
        let (trusted, party) = (authority.roots(), authority.issue(kind));
        for version in VERSIONS {
            let mut forged = party.clone();
            let mut der = forged.certificate.to_vec();
            *der.last_mut().expect("a certificate") ^= 1;
            forged.certificate = der.into();
            let config = server(&ours(), version, &forged, None).expect("a key");
            let refused =
                handshake(client(&ours(), version, &trusted, None).unwrap(), config, "localhost");
            assert_eq!(refused.err(), Some(BAD_SIGNATURE), "{kind:?}");

            let config = server(&ours(), version, &party, None).expect("a key");
            let refused =
                handshake(client(&ours(), version, &trusted, None).unwrap(), config, "example.org");
            let Some(Error::InvalidCertificate(error)) = refused.err() else {
                panic!("{kind:?}: another name passes")
            };
            assert!(matches!(error, CertificateError::NotValidForNameContext { .. }), "{error:?}");

            // an authority of the same name with another key
            let other = Authority::new(kind).roots();
            let config = server(&ours(), version, &party, None).expect("a key");
            let refused =
                handshake(client(&ours(), version, &other, None).unwrap(), config, "localhost");
            assert_eq!(refused.err(), Some(BAD_SIGNATURE), "{kind:?}");
        }
    }
    let party = Authority::new(Kind::P256).issue(Kind::P256);
    let unknown = Authority::new(Kind::P384).roots();
    let config = server(&ours(), VERSIONS[1], &party, None).expect("a key");
    let config = (client(&ours(), VERSIONS[1], &unknown, None).expect("roots"), config);
    let refused = handshake(config.0, config.1, "localhost");
    let unknown = Error::InvalidCertificate(CertificateError::UnknownIssuer);
    assert_eq!(refused.err(), Some(unknown));
}
