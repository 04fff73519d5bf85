//! Key files: round trips, OpenSSL's own, both versions of PKCS#8, and everything that must be
//! refused.

use sigmill::Error;
use sigmill::ed25519::{SigningKey, VerifyingKey};
use std::io::Write;
use std::process::{Command, Stdio};

const SEED: [u8; 32] = [7; 32];
/// SEQUENCE, version 0, id-Ed25519, OCTET STRING around an OCTET STRING of 32 bytes.
const PKCS8_HEAD: [u8; 16] =
    [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20];
const SPKI_HEAD: [u8; 12] = [0x30, 0x2a, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 3, 0x21, 0];

fn key() -> SigningKey {
    SigningKey::from_bytes(&SEED)
}

fn secret_der() -> Vec<u8> {
    [&PKCS8_HEAD[..], &SEED].concat()
}

fn public_der() -> Vec<u8> {
    [&SPKI_HEAD[..], key().verifying_key().as_bytes()].concat()
}

/// PKCS#8 version 2 with a public key field that begins with `tag`.
fn version_2(tag: &[u8], public: &[u8]) -> Vec<u8> {
    let mut der = [&PKCS8_HEAD[..], &SEED, tag, public].concat();
    der[1] = (der.len() - 2) as u8;
    der[4] = 1;
    der
}

pub(crate) fn openssl(args: &[&str], input: &[u8]) -> Vec<u8> {
    let mut child = Command::new("openssl")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("these tests need the program openssl");
    child.stdin.take().expect("piped").write_all(input).expect("openssl reads");
    let output = child.wait_with_output().expect("openssl ends");
    assert!(output.status.success(), "openssl {args:?}");
    output.stdout
}

/// The name of what is wrong with a container.
pub(crate) fn what_is_wrong<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    match result {
        Err(Error::KeyFormat(error)) => format!("{error:?}"),
        other => panic!("{other:?}"),
    }
}

fn refused(der: &[u8]) -> String {
    what_is_wrong(SigningKey::from_private_key_der(der))
}

fn refused_public(der: &[u8]) -> String {
    what_is_wrong(VerifyingKey::from_spki_der(der))
}

#[test]
fn keys_survive_the_round_trip() {
    let key = key();
    let public = key.verifying_key();
    assert_eq!(key.to_private_key_der().unwrap().as_slice(), secret_der());
    assert_eq!(public.to_spki_der().unwrap(), public_der());
    assert_eq!(SigningKey::from_private_key_der(&secret_der()), Ok(key.clone()));
    assert_eq!(VerifyingKey::from_spki_der(&public_der()), Ok(public));
    assert_eq!(SigningKey::from_private_key_pem(&key.to_private_key_pem().unwrap()), Ok(key));
    assert_eq!(VerifyingKey::from_spki_pem(&public.to_spki_pem().unwrap()), Ok(public));
}

#[test]
fn openssl_and_we_write_the_same_files() {
    for _ in 0..4 {
        let pem = String::from_utf8(openssl(&["genpkey", "-algorithm", "ed25519"], b"")).unwrap();
        let der = openssl(&["pkey", "-outform", "DER"], pem.as_bytes());
        let public_pem = String::from_utf8(openssl(&["pkey", "-pubout"], pem.as_bytes())).unwrap();
        let public_der = openssl(&["pkey", "-pubout", "-outform", "DER"], pem.as_bytes());

        let key = SigningKey::from_private_key_pem(&pem).unwrap();
        assert_eq!(SigningKey::read_private_key_pem(pem.as_bytes()), Ok(key.clone()));
        assert_eq!(SigningKey::from_private_key_der(&der), Ok(key.clone()));
        assert_eq!(*key.to_private_key_pem().unwrap(), pem);
        assert_eq!(key.to_private_key_der().unwrap().as_slice(), der);

        let public = VerifyingKey::from_spki_pem(&public_pem).unwrap();
        assert_eq!(public, key.verifying_key());
        assert_eq!(VerifyingKey::read_spki_pem(public_pem.as_bytes()), Ok(public));
        assert_eq!(VerifyingKey::from_spki_der(&public_der), Ok(public));
        assert_eq!(public.to_spki_pem().unwrap(), public_pem);
        assert_eq!(public.to_spki_der().unwrap(), public_der);
    }
}

#[test]
fn the_public_key_of_version_2_is_compared_not_believed() {
    let public = key().verifying_key().to_bytes();
    let other = SigningKey::from_bytes(&[8; 32]).verifying_key().to_bytes();
    for tag in [&[0x81, 0x21, 0][..], &[0xa1, 0x23, 3, 0x21, 0]] {
        assert_eq!(SigningKey::from_private_key_der(&version_2(tag, &public)), Ok(key()));
        assert_eq!(
            SigningKey::from_private_key_der(&version_2(tag, &other)),
            Err(Error::KeyPairMismatch)
        );
        let mut without_version = version_2(tag, &public);
        without_version[4] = 0;
        assert_eq!(refused(&without_version), "Der");
    }
    assert_eq!(refused(&version_2(&[], &[])), "Der");
    assert_eq!(refused(&version_2(&[0x81, 0x20, 0], &public[1..])), "KeyLength");
    assert_eq!(refused(&version_2(&[0x81, 0x21, 1], &public)), "Der");
}

#[test]
fn attributes_are_skipped() {
    // RFC 8410 section 10.3: version 2, an attribute, the public key
    let pem = "-----BEGIN PRIVATE KEY-----\n\
        MHICAQEwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n\
        oB8wHQYKKoZIhvcNAQkJFDEPDA1DdXJkbGUgQ2hhaXJzgSEAGb9ECWmEzf6FQbrB\n\
        Z9w7lshQhqowtrbLDFw4rXAxZuE=\n\
        -----END PRIVATE KEY-----\n";
    let key = SigningKey::from_private_key_pem(pem).unwrap();
    assert_eq!(SigningKey::read_private_key_pem(pem.as_bytes()).as_ref(), Ok(&key));
    assert!(key.verifying_key().to_string().starts_with("19bf44096984cdfe"));
}

#[test]
fn other_algorithms_and_parameters_are_refused() {
    for last in [0x6e, 0x6f, 0x71] {
        // X25519, X448, Ed448
        let (mut secret, mut public) = (secret_der(), public_der());
        (secret[11], public[8]) = (last, last);
        assert_eq!(refused(&secret), "NotEd25519");
        assert_eq!(refused_public(&public), "NotEd25519");
    }
    let mut secret = secret_der();
    secret.splice(12..12, [5, 0]);
    (secret[1], secret[6]) = (0x30, 7);
    assert_eq!(refused(&secret), "Parameters");
    let mut public = public_der();
    public.splice(9..9, [5, 0]);
    (public[1], public[3]) = (0x2c, 7);
    assert_eq!(refused_public(&public), "Parameters");
}

#[test]
fn other_lengths_are_refused() {
    for len in (0..100_u8).filter(|len| *len != 32) {
        let mut der = [&PKCS8_HEAD[..], &vec![7; usize::from(len)]].concat();
        (der[1], der[13], der[15]) = (14 + len, 2 + len, len);
        assert_eq!(refused(&der), "KeyLength", "{len}");
        let mut der = [&SPKI_HEAD[..], &vec![7; usize::from(len)]].concat();
        (der[1], der[10]) = (10 + len, 1 + len);
        assert_eq!(refused_public(&der), "KeyLength", "{len}");
    }
}

#[test]
fn bytes_after_the_end_and_missing_ones_are_refused() {
    let (secret, public) = (secret_der(), public_der());
    for len in 0..secret.len() {
        assert_eq!(refused(&secret[..len]), "Der");
    }
    for len in 0..public.len() {
        assert_eq!(refused_public(&public[..len]), "Der");
    }
    for byte in 0..=255 {
        assert_eq!(refused(&[&secret[..], &[byte]].concat()), "Der");
        assert_eq!(refused_public(&[&public[..], &[byte]].concat()), "Der");
    }
    // inside the sequence, and inside the outer OCTET STRING
    let mut inside = [&secret[..], &[5, 0]].concat();
    inside[1] += 2;
    assert_eq!(refused(&inside), "Der");
    inside[13] += 2;
    assert_eq!(refused(&inside), "Der");
}

#[test]
fn ber_is_refused() {
    let secret = secret_der();
    // a length in more bytes than it needs, and an indefinite one
    assert_eq!(refused(&[&[0x30, 0x81, 0x2e], &secret[2..]].concat()), "Der");
    assert_eq!(refused(&[&[0x30, 0x82, 0, 0x2e], &secret[2..]].concat()), "Der");
    assert_eq!(refused(&[&[0x30, 0x80], &secret[2..], &[0, 0]].concat()), "Der");
    // a version with a leading zero
    let mut version = secret.clone();
    version.splice(3..5, [2, 0, 0]);
    version[1] += 1;
    assert_eq!(refused(&version), "Der");
}

#[test]
fn other_text_is_not_pem() {
    let pem = key().to_private_key_pem().unwrap().to_string();
    let public = key().verifying_key().to_spki_pem().unwrap();
    let cases = [
        public.clone(),
        pem.replace("PRIVATE", "RSA PRIVATE"),
        pem.replace("END PRIVATE", "END PUBLIC"),
        pem.replacen("MC4", "MC!", 1),
        pem.replacen("-----\n", "-----x\n", 1),
        pem[..pem.len() / 2].to_owned(),
        String::new(),
    ];
    for text in cases {
        assert_eq!(what_is_wrong(SigningKey::from_private_key_pem(&text)), "Pem", "{text}");
        let read = SigningKey::read_private_key_pem(text.as_bytes());
        assert_eq!(what_is_wrong(read), "Pem", "{text}");
    }
    assert_eq!(what_is_wrong(VerifyingKey::from_spki_pem(&pem)), "Pem");
}

#[test]
fn a_key_that_is_no_point_is_named() {
    let mut der = public_der();
    der[12..].fill(0);
    der[12] = 2;
    assert_eq!(VerifyingKey::from_spki_der(&der), Err(Error::NotAPoint));
}

/// Whatever is accepted after a mutation says the same when written and read again.
#[test]
fn mutated_containers_never_panic_and_never_lie() {
    let mut state = 1_u64;
    let mut next = move |bound: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % bound
    };
    let public = key().verifying_key().to_bytes();
    let seeds = [
        secret_der(),
        public_der(),
        version_2(&[0x81, 0x21, 0], &public),
        version_2(&[0xa1, 0x23, 3, 0x21, 0], &public),
    ];
    let mut accepted = 0;
    for round in 0..20_000 {
        let mut der = seeds[round % seeds.len()].clone();
        for _ in 0..=next(3) {
            let at = next(der.len());
            match next(4) {
                0 => der[at] ^= 1 << next(8),
                1 => der[at] = next(256) as u8,
                2 => der.insert(at, next(256) as u8),
                _ => drop(der.remove(at)),
            }
        }
        if let Ok(key) = SigningKey::from_private_key_der(&der) {
            assert_eq!(
                SigningKey::from_private_key_der(&key.to_private_key_der().unwrap()),
                Ok(key.clone())
            );
            assert!(der.windows(32).any(|window| window == key.to_bytes()));
            accepted += 1;
        }
        if let Ok(key) = VerifyingKey::from_spki_der(&der) {
            assert_eq!(key.to_spki_der().unwrap(), der);
            accepted += 1;
        }
        let same_of_both = |text: &str| {
            let read = SigningKey::read_private_key_pem(text.as_bytes());
            assert_eq!(read, SigningKey::from_private_key_pem(text), "{text:?}");
        };
        same_of_both(&String::from_utf8_lossy(&der));
        let mut pem = key().to_private_key_pem().unwrap().as_bytes().to_vec();
        let at = next(pem.len());
        pem[at] = next(128) as u8;
        same_of_both(&String::from_utf8_lossy(&pem));
    }
    assert!(accepted > 100, "{accepted}: the mutations are too rough to test anything");
}

/// Found by fuzzing: the conversion behind `DecodePrivateKey` takes such a public key for absent.
#[test]
fn a_public_key_with_unused_bits_is_refused_by_both_readers() {
    use sigmill::ed25519::pkcs8::{DecodePrivateKey, EncodePrivateKey};
    let document = key().to_pkcs8_der().unwrap();
    let mut der = document.as_bytes().to_vec();
    assert_eq!(SigningKey::from_pkcs8_der(&der).ok(), Some(key()));
    assert_eq!(SigningKey::from_private_key_der(&der), Ok(key()));
    let unused_bits = der.len() - 33;
    *der.last_mut().unwrap() &= 0xf0;
    for bits in [1, 4] {
        der[unused_bits] = bits;
        assert!(SigningKey::from_pkcs8_der(&der).is_err(), "{bits} unused bits");
        assert_eq!(what_is_wrong(SigningKey::from_private_key_der(&der)), "Der");
    }
}
