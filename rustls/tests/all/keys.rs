//! Keys from containers: those of other programs are read, and what is no key of ours says what it is.

use crate::party::{Authority, Kind, VERSIONS, new_key, openssl, ours, ring, server};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs1KeyDer, PrivatePkcs8KeyDer, PrivateSec1KeyDer};
use rustls::sign::SigningKey;
use rustls::{Error, InconsistentKeys, SignatureAlgorithm, SignatureScheme};
use std::sync::Arc;

fn load(key: PrivateKeyDer<'static>) -> Result<Arc<dyn SigningKey>, String> {
    ours().key_provider.load_private_key(key).map_err(|error| match error {
        Error::General(text) => text,
        other => panic!("another kind of error: {other:?}"),
    })
}

fn pkcs8(der: &[u8]) -> PrivateKeyDer<'static> {
    PrivatePkcs8KeyDer::from(der.to_vec()).into()
}

fn sec1(der: &[u8]) -> PrivateKeyDer<'static> {
    PrivateSec1KeyDer::from(der.to_vec()).into()
}

fn on_curve(curve: &str) -> Vec<u8> {
    new_key(&["-algorithm", "EC", "-pkeyopt", &format!("ec_paramgen_curve:{curve}")])
}

/// The same key as an ECPrivateKey, which names its curve.
fn to_sec1(pkcs8: &[u8]) -> Vec<u8> {
    openssl(&["ec", "-inform", "DER", "-outform", "DER"], pkcs8)
}

#[test]
fn keys_of_openssl_are_read_and_have_its_public_key() {
    let kinds = [
        (new_key(&["-algorithm", "ED25519"]), SignatureScheme::ED25519),
        (on_curve("P-256"), SignatureScheme::ECDSA_NISTP256_SHA256),
        (on_curve("P-384"), SignatureScheme::ECDSA_NISTP384_SHA384),
    ];
    for (der, scheme) in kinds {
        let spki = openssl(&["pkey", "-inform", "DER", "-pubout", "-outform", "DER"], &der);
        let mut containers = vec![pkcs8(&der)];
        if scheme != SignatureScheme::ED25519 {
            containers.push(sec1(&to_sec1(&der)));
        }
        for container in containers {
            let key = load(container).expect("a key");
            assert_eq!(key.public_key().expect("a public key").as_ref(), spki);
            let expected = match scheme {
                SignatureScheme::ED25519 => SignatureAlgorithm::ED25519,
                _ => SignatureAlgorithm::ECDSA,
            };
            assert_eq!(key.algorithm(), expected);
            let every = ours().signature_verification_algorithms.supported_schemes();
            let signer = key.choose_scheme(&every).expect("a scheme");
            assert_eq!(signer.scheme(), scheme);
            let others: Vec<_> = every.into_iter().filter(|other| *other != scheme).collect();
            assert!(key.choose_scheme(&others).is_none());
            let shown = format!("{key:?} {signer:?}");
            assert_eq!(shown, format!("Key({scheme:?}, not shown) Key({scheme:?}, not shown)"));
            // deterministic
            assert_eq!(signer.sign(b"message"), signer.sign(b"message"));
        }
    }
}

#[test]
fn an_ed25519_key_with_its_public_key_as_ring_writes_it_is_read() {
    let pair = rcgen::KeyPair::generate_for(&rcgen::PKCS_ED25519).expect("a new key");
    let key = load(pkcs8(pair.serialized_der())).expect("a key");
    let spki = key.public_key().expect("a public key");
    assert!(spki.ends_with(pair.public_key_raw()));
    let mut damaged = pair.serialize_der();
    *damaged.last_mut().expect("a key") ^= 1;
    let error = load(pkcs8(&damaged)).unwrap_err();
    assert!(error.contains("does not belong to its secret half"), "{error}");
}

#[test]
fn keys_of_rsa_are_read_by_ring() {
    let der = new_key(&["-algorithm", "RSA"]);
    let traditional = openssl(&["rsa", "-inform", "DER", "-outform", "DER", "-traditional"], &der);
    for container in [pkcs8(&der), PrivatePkcs1KeyDer::from(traditional.clone()).into()] {
        let key = load(container).expect("a key");
        assert_eq!(key.algorithm(), SignatureAlgorithm::RSA);
        assert!(key.choose_scheme(&[SignatureScheme::RSA_PSS_SHA256]).is_some());
    }
    let error = load(PrivatePkcs1KeyDer::from(traditional[..600].to_vec()).into()).unwrap_err();
    assert_eq!(
        error,
        "private key: neither Ed25519 nor ECDSA on P-256 or P-384; failed to parse RSA private key: InvalidEncoding"
    );
}

#[test]
fn keys_of_other_kinds_say_so() {
    const OTHER_CURVE: &str = "private key: elliptic curve is neither P-256 nor P-384";
    for curve in ["P-521", "secp256k1"] {
        let der = on_curve(curve);
        assert_eq!(load(pkcs8(&der)).unwrap_err(), OTHER_CURVE);
        assert_eq!(load(sec1(&to_sec1(&der))).unwrap_err(), OTHER_CURVE);
    }
    let error = load(pkcs8(&new_key(&["-algorithm", "ED448"]))).unwrap_err();
    assert!(error.starts_with("private key: neither Ed25519 nor ECDSA"), "{error}");
    let explicit = new_key(&[
        "-algorithm",
        "EC",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-pkeyopt",
        "ec_param_enc:explicit",
    ]);
    let error = load(pkcs8(&explicit)).unwrap_err();
    assert!(error.contains("explicit parameters"), "{error}");
}

#[test]
fn an_ec_private_key_without_a_curve_is_known_by_its_length() {
    for (curve, len, scheme) in [
        ("P-256", 32, SignatureScheme::ECDSA_NISTP256_SHA256),
        ("P-384", 48, SignatureScheme::ECDSA_NISTP384_SHA384),
    ] {
        let whole = to_sec1(&on_curve(curve));
        // SEQUENCE { INTEGER 1, OCTET STRING, … }, its length in one or two bytes
        let at = whole.windows(4).position(|w| w == [1, 1, 4, len]).expect("a version") + 4;
        let secret = &whole[at..at + usize::from(len)];
        let short = |secret: &[u8]| {
            let secret_len = u8::try_from(secret.len()).expect("a length");
            let mut der = vec![0x30, secret_len + 5, 2, 1, 1, 4, secret_len];
            der.extend(secret);
            sec1(&der)
        };
        let key = load(short(secret)).expect("a key");
        assert!(key.choose_scheme(&[scheme]).is_some());
        let error = load(short(&secret[1..])).unwrap_err();
        assert_eq!(
            error,
            "private key: key in the container has the wrong length for its algorithm"
        );
        let error = load(short(&vec![0; usize::from(len)])).unwrap_err();
        assert_eq!(error, "private key: secret key is 0 or not below the order of the group");
    }
}

#[test]
fn damaged_keys_are_errors() {
    let ed25519 = new_key(&["-algorithm", "ED25519"]);
    let p256 = on_curve("P-256");
    let p384 = on_curve("P-384");
    for der in [&ed25519, &p256, &p384] {
        for len in 0..der.len() {
            let error = load(pkcs8(&der[..len])).unwrap_err();
            assert!(error.starts_with("private key: "), "{error}");
        }
        let error = load(pkcs8(&[der.as_slice(), &[0]].concat())).unwrap_err();
        assert_eq!(
            error,
            "private key: container is not the expected DER structure, or bytes follow it"
        );
    }
    for der in [to_sec1(&p256), to_sec1(&p384)] {
        for len in 0..der.len() {
            load(sec1(&der[..len])).unwrap_err();
        }
        // a container in the place of another
        load(pkcs8(&der)).unwrap_err();
    }
    load(sec1(&p256)).unwrap_err();
    // the public half of the pair is another key's
    let mut damaged = p256;
    *damaged.last_mut().expect("a key") ^= 1;
    load(pkcs8(&damaged)).unwrap_err();
    // any byte: an error or a key, never a panic
    for at in 0..p384.len() {
        for flip in [1, 0x80, 0xff] {
            let mut damaged = p384.clone();
            damaged[at] ^= flip;
            let _ = load(pkcs8(&damaged));
        }
    }
}

#[test]
fn a_key_that_is_not_the_certificates_is_refused() {
    for (kind, other) in [
        (Kind::P256, Kind::P384),
        (Kind::P384, Kind::P256),
        (Kind::Ed25519, Kind::P256),
        (Kind::Ed25519, Kind::Ed25519),
        (Kind::P256, Kind::P256),
        (Kind::Rsa, Kind::P384),
    ] {
        let authority = Authority::new(kind);
        let mut party = authority.issue(kind);
        party.key = authority.issue(other).key;
        for provider in [ours(), ring()] {
            let refused = server(&provider, VERSIONS[1], &party, None).err();
            let mismatch = Error::InconsistentKeys(InconsistentKeys::KeyMismatch);
            assert_eq!(refused, Some(mismatch), "{kind:?} with a key for {other:?}");
        }
    }
}
