//! Keys from containers: those of other programs are read, and what is no key of ours says what it is.

use crate::party::{Authority, Kind, VERSIONS, new_key, openssl, ours, ring, server};
use rustls::pki_types::pem::{self, PemObject};
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

/// An ECPrivateKey that names no curve, and its public key where there is one.
fn unnamed(secret: &[u8], public: &[u8]) -> PrivateKeyDer<'static> {
    let len = |bytes: &[u8]| u8::try_from(bytes.len()).expect("a length");
    let mut fields = vec![2, 1, 1, 4, len(secret)];
    fields.extend(secret);
    if !public.is_empty() {
        fields.extend([0xa1, len(public) + 3, 3, len(public) + 1, 0]);
        fields.extend(public);
    }
    let head: &[u8] = if fields.len() < 0x80 { &[0x30] } else { &[0x30, 0x81] };
    sec1(&[head, &[len(&fields)], &fields].concat())
}

#[test]
fn an_ec_private_key_without_a_curve_is_known_by_its_lengths() {
    const NEITHER: &str = "private key: container names no curve, and its secret key has the length of neither P-256 (32 bytes) nor P-384 (48)";
    const LENGTH: &str = "private key: key in the container has the wrong length for its algorithm";
    const MISMATCH: &str =
        "private key: public half of the key pair does not belong to its secret half";
    for (curve, len, scheme) in [
        ("P-256", 32, SignatureScheme::ECDSA_NISTP256_SHA256),
        ("P-384", 48, SignatureScheme::ECDSA_NISTP384_SHA384),
    ] {
        let whole = to_sec1(&on_curve(curve));
        // SEQUENCE { INTEGER 1, OCTET STRING, … }, its length in one or two bytes
        let at = whole.windows(4).position(|w| w == [1, 1, 4, len]).expect("a version") + 4;
        let len = usize::from(len);
        let secret = &whole[at..at + len];
        let public = &whole[whole.len() - 1 - 2 * len..];
        let mut compressed = public[..1 + len].to_vec();
        compressed[0] = 2 + (public[2 * len] & 1);
        for public in [&[], public, &compressed] {
            let key = load(unnamed(secret, public)).expect("a key");
            assert!(key.choose_scheme(&[scheme]).is_some());
        }
        for other in [1, 24, len - 1, len + 1, 64] {
            let mut secret = secret.to_vec();
            secret.resize(other, 1);
            assert_eq!(load(unnamed(&secret, &[])).unwrap_err(), NEITHER, "{curve}, {other}");
        }
        let error = load(unnamed(&vec![0; len], &[])).unwrap_err();
        assert_eq!(error, "private key: secret key is 0 or not below the order of the group");
        // shorter than the other curve's, too: the public key says which one it is
        for public in [public, &compressed] {
            for short in [&secret[1..], &secret[len - 24..]] {
                assert_eq!(load(unnamed(short, public)).unwrap_err(), MISMATCH, "{curve}");
            }
        }
        assert_eq!(load(unnamed(&secret[..23], public)).unwrap_err(), NEITHER, "{curve}");
        let long = [secret, &[1]].concat();
        let expected = if len == 32 { LENGTH } else { NEITHER };
        assert_eq!(load(unnamed(&long, public)).unwrap_err(), expected, "{curve}");
    }
}

#[test]
fn what_is_no_private_key_says_so() {
    const NO_STRUCTURE: &str =
        "private key: container is not the expected DER structure, or bytes follow it";
    for key in [new_key(&["-algorithm", "ED25519"]), on_curve("P-256"), on_curve("P-384")] {
        let encrypted = |form| {
            let arguments = ["pkcs8", "-topk8", "-inform", "DER", "-passout", "pass:word"];
            openssl(&[&arguments[..], &["-outform", form]].concat(), &key)
        };
        let error = load(pkcs8(&encrypted("DER"))).unwrap_err();
        assert_eq!(error, "private key: container is encrypted; it has to be decrypted before");
        // in PEM it has another label, which is not looked for
        let error = PrivateKeyDer::from_pem_slice(&encrypted("PEM")).unwrap_err();
        assert!(matches!(error, pem::Error::NoItemsFound), "{error:?}");

        let public = openssl(&["pkey", "-inform", "DER", "-pubout", "-outform", "DER"], &key);
        assert_eq!(load(pkcs8(&public)).unwrap_err(), NO_STRUCTURE);
        assert_eq!(load(sec1(&public)).unwrap_err(), NO_STRUCTURE);

        let text = openssl(&["pkey", "-inform", "DER"], &key);
        assert!(PrivateKeyDer::from_pem_slice(&text).is_ok());
        for len in 0..text.len() - 2 {
            let error = PrivateKeyDer::from_pem_slice(&text[..len]).unwrap_err();
            let expected = matches!(
                error,
                pem::Error::NoItemsFound
                    | pem::Error::MissingSectionEnd { .. }
                    | pem::Error::IllegalSectionStart { .. }
            );
            assert!(expected, "{len} bytes: {error:?}");
        }
    }
    let certificate = Authority::new(Kind::P256).issue(Kind::P256).certificate;
    assert_eq!(load(pkcs8(&certificate)).unwrap_err(), NO_STRUCTURE);
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
        (Kind::Ed25519, Kind::Rsa),
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
