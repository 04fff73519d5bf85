//! Keys of elliptic curves in containers: the files that OpenSSL writes, byte for byte, and what is
//! refused.

use super::{EcPrivateKey, NamedCurve};
use crate::encoding::{self, ObjectIdentifier, pem, pkcs8, spki};
use crate::error::{Error, KeyFormatError};
use crate::tests::Expander;
use der::Encode;
use std::format;
use std::io::Write;
use std::process::{Command, Stdio};
use std::string::{String, ToString};
use std::vec::Vec;

const EC_PUBLIC_KEY: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");
const P256: NamedCurve = NamedCurve {
    algorithm: EC_PUBLIC_KEY,
    curve: ObjectIdentifier::new_unwrap("1.2.840.10045.3.1.7"),
    key_len: 32,
};
const P384: NamedCurve = NamedCurve {
    algorithm: EC_PUBLIC_KEY,
    curve: ObjectIdentifier::new_unwrap("1.3.132.0.34"),
    key_len: 48,
};
const PEM: Error = Error::KeyFormat(KeyFormatError::Pem);
const CURVES: [(&NamedCurve, &str); 2] = [(&P256, "P-256"), (&P384, "P-384")];

fn openssl(args: &str, input: &[u8]) -> Vec<u8> {
    let mut child = Command::new("openssl")
        .args(args.split_whitespace())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("these tests need the program openssl");
    child.stdin.take().expect("piped").write_all(input).expect("openssl reads");
    let output = child.wait_with_output().expect("openssl ends");
    assert!(output.status.success(), "openssl {args}");
    output.stdout
}

/// A new private key in PKCS#8 in PEM, and in DER.
fn generate_both(options: &str) -> [Vec<u8>; 2] {
    let pem = openssl(&format!("genpkey {options}"), b"");
    // some releases write DER in another container
    let der = openssl("pkcs8 -topk8 -nocrypt -outform DER", &pem);
    [pem, der]
}

/// The options for a key on a curve.
fn on(curve: &str) -> String {
    format!("-algorithm EC -pkeyopt ec_paramgen_curve:{curve}")
}

fn generate(curve: &str) -> Vec<u8> {
    let [_, der] = generate_both(&on(curve));
    der
}

/// The same key in another container.
fn convert(pkcs8: &[u8], args: &str) -> Vec<u8> {
    openssl(&format!("ec -inform DER {args}"), pkcs8)
}

/// The ECPrivateKey in PKCS#8.
fn from_pkcs8<'a>(curve: &NamedCurve, bytes: &'a [u8]) -> Result<EcPrivateKey<'a>, KeyFormatError> {
    let container = pkcs8::parse(bytes)?;
    curve.check(container.algorithm)?;
    assert!(container.public_key.is_none(), "OpenSSL writes version 1");
    curve.parse(container.private_key)
}

fn from_spki<'a>(curve: &NamedCurve, bytes: &'a [u8]) -> Result<&'a [u8], KeyFormatError> {
    let (algorithm, point) = spki::parse(bytes)?;
    curve.check(algorithm).map(|()| point)
}

fn written(container: &impl Encode) -> Vec<u8> {
    let mut out = [0; 512];
    let len = encoding::write("memory", container, &mut out).unwrap();
    out[..len].to_vec()
}

fn sec1_of(curve: &NamedCurve, private_key: &[u8], public_key: &[u8]) -> Vec<u8> {
    written(&curve.key(private_key, public_key).unwrap())
}

fn pkcs8_of(curve: &NamedCurve, private_key: &[u8], public_key: &[u8]) -> Vec<u8> {
    let private_key = curve.unnamed_key(private_key, public_key).unwrap();
    written(&pkcs8::Version1 { algorithm: curve.algorithm(), private_key })
}

fn spki_of(curve: &NamedCurve, public_key: &[u8]) -> Vec<u8> {
    written(&spki::container(curve.algorithm(), public_key).unwrap())
}

fn halves(key: Result<EcPrivateKey<'_>, KeyFormatError>) -> (Vec<u8>, Vec<u8>) {
    let key = key.unwrap_or_else(|error| panic!("{error}"));
    (key.private_key().to_vec(), key.public_key().expect("OpenSSL writes it").to_vec())
}

#[test]
fn openssl_and_we_write_the_same_files() {
    for (curve, name) in CURVES {
        for _ in 0..3 {
            let theirs = generate(name);
            let (private_key, public_key) = halves(from_pkcs8(curve, &theirs));
            assert_eq!(private_key.len(), curve.key_len);
            assert_eq!((public_key.len(), public_key[0]), (2 * curve.key_len + 1, 4));
            assert_eq!(pkcs8_of(curve, &private_key, &public_key), theirs);

            let sec1 = convert(&theirs, "-outform DER");
            assert_eq!(halves(curve.parse(&sec1)), (private_key.clone(), public_key.clone()));
            assert_eq!(sec1_of(curve, &private_key, &public_key), sec1);

            let public = convert(&theirs, "-pubout -outform DER");
            assert_eq!(from_spki(curve, &public), Ok(&public_key[..]));
            assert_eq!(spki_of(curve, &public_key), public);
        }
    }
}

#[test]
fn compressed_points_pass_unchanged() {
    for (curve, name) in CURVES {
        let theirs = generate(name);
        let (private_key, _) = halves(from_pkcs8(curve, &theirs));
        let sec1 = convert(&theirs, "-conv_form compressed -outform DER");
        let (same, point) = halves(curve.parse(&sec1));
        assert_eq!(same, private_key);
        assert_eq!(point.len(), curve.key_len + 1);
        assert!([2, 3].contains(&point[0]));
        assert_eq!(sec1_of(curve, &private_key, &point), sec1);
        let public = convert(&theirs, "-pubout -conv_form compressed -outform DER");
        assert_eq!(from_spki(curve, &public), Ok(&point[..]));
        assert_eq!(spki_of(curve, &point), public);
    }
}

/// [`pem::write`] writes as much as it reckons with.
#[test]
fn pem_is_as_long_as_it_is_said_to_be() {
    for len in 1..300 {
        for label in [pem::PRIVATE_KEY, pem::EC_PRIVATE_KEY, pem::PUBLIC_KEY] {
            let der = std::vec![7; len];
            let mut out = [0x55; 600];
            let written = pem::write("memory", label, &der, &mut out).unwrap();
            assert_eq!(written, pem::text_len(label, len), "{label}, {len} bytes");
            assert!(out[..written].is_ascii() && out[..written].ends_with(b"-----\n"));
            assert!(out[written..].iter().all(|byte| *byte == 0x55), "{label}, {len} bytes");
            let read = pem::parse(&[label], &out[..written], |bytes| Ok(bytes.to_vec()));
            assert_eq!(read, Ok(der), "{label}, {len} bytes");
        }
    }
}

#[test]
fn labels_are_those_of_openssl() {
    for (_, name) in CURVES {
        let [pkcs8_pem, theirs] = generate_both(&on(name));
        for (label, text, args) in [
            (pem::PRIVATE_KEY, pkcs8_pem, None),
            (pem::EC_PRIVATE_KEY, convert(&theirs, ""), Some("-outform DER")),
            (pem::PUBLIC_KEY, convert(&theirs, "-pubout"), Some("-pubout -outform DER")),
        ] {
            let der = args.map_or_else(|| theirs.clone(), |args| convert(&theirs, args));
            let mut out = std::vec![0; text.len()];
            assert_eq!(pem::write("memory", label, &der, &mut out), Ok(text.len()));
            assert_eq!(out, text);
            for other in [pem::PRIVATE_KEY, pem::EC_PRIVATE_KEY, pem::PUBLIC_KEY] {
                let read = pem::parse(&[other], &text, |der| Ok(der.to_vec()));
                let expected = if other == label { Ok(&der) } else { Err(&PEM) };
                assert_eq!(read.as_ref(), expected, "{label} {other}");
            }
        }
    }
}

#[test]
fn explicit_parameters_are_refused_wherever_they_stand() {
    use KeyFormatError::ExplicitCurve;
    for (curve, name) in CURVES {
        let options = format!("{} -pkeyopt ec_param_enc:explicit", on(name));
        let [_, explicit] = generate_both(&options);
        assert_eq!(from_pkcs8(curve, &explicit).err(), Some(ExplicitCurve));
        let theirs = generate(name);
        let sec1 = convert(&theirs, "-param_enc explicit -outform DER");
        assert_eq!(curve.parse(&sec1).err(), Some(ExplicitCurve));
        let public = convert(&theirs, "-pubout -param_enc explicit -outform DER");
        assert_eq!(from_spki(curve, &public), Err(ExplicitCurve));
    }
}

#[test]
fn other_curves_and_algorithms_are_named() {
    use KeyFormatError::{Algorithm, AnotherCurve};
    for (curve, own) in CURVES {
        for name in ["P-256", "P-384", "P-521", "secp256k1"].iter().filter(|name| **name != own) {
            let theirs = generate(name);
            assert_eq!(from_pkcs8(curve, &theirs).err(), Some(AnotherCurve), "{name}");
            let sec1 = convert(&theirs, "-outform DER");
            assert_eq!(curve.parse(&sec1).err(), Some(AnotherCurve), "{name}");
            let public = convert(&theirs, "-pubout -outform DER");
            assert_eq!(from_spki(curve, &public), Err(AnotherCurve), "{name}");
        }
        for name in ["ed25519", "X25519", "RSA"] {
            let [_, theirs] = generate_both(&format!("-algorithm {name}"));
            assert_eq!(from_pkcs8(curve, &theirs).err(), Some(Algorithm), "{name}");
            let public = openssl("pkey -inform DER -pubout -outform DER", &theirs);
            assert_eq!(from_spki(curve, &public), Err(Algorithm), "{name}");
        }
    }
}

/// A tag, a length and these contents.
fn tlv(tag: u8, contents: &[&[u8]]) -> Vec<u8> {
    let contents = contents.concat();
    let len = match contents.len() {
        len @ 0..128 => std::vec![len as u8],
        len @ 128..256 => std::vec![0x81, len as u8],
        len => std::vec![0x82, (len >> 8) as u8, len as u8],
    };
    [&[tag], &len[..], &contents].concat()
}

const VERSION_1: &[u8] = &[2, 1, 1];
const OID_P256: &[u8] = &[6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7];
const POINT: [u8; 65] = [4; 65];

fn refused(fields: &[&[u8]]) -> Option<KeyFormatError> {
    P256.parse(&tlv(0x30, fields)).err()
}

#[test]
fn fields_are_those_of_the_structure() {
    use KeyFormatError::{AnotherCurve, Der, ExplicitCurve, KeyLength, NoCurve};
    let key = &tlv(4, &[&[7; 32]])[..];
    let curve = &tlv(0xa0, &[OID_P256])[..];
    let bits = tlv(3, &[&[0], &POINT]);
    let point = &tlv(0xa1, &[&bits])[..];

    // what may be missing
    for (fields, has_point) in [
        (&[VERSION_1, key][..], false),
        (&[VERSION_1, key, curve], false),
        (&[VERSION_1, key, point], true),
        (&[VERSION_1, key, curve, point], true),
    ] {
        let der = tlv(0x30, fields);
        let read = P256.parse(&der).unwrap_or_else(|error| panic!("{error}: {der:02x?}"));
        assert_eq!(read.private_key(), [7; 32]);
        assert_eq!(read.public_key(), has_point.then_some(&POINT[..]));
    }
    assert_eq!(sec1_of(&P256, &[7; 32], &POINT), tlv(0x30, &[VERSION_1, key, curve, point]));
    // zeros in front of the private key may be missing
    for len in 24..32 {
        let der = tlv(0x30, &[VERSION_1, &tlv(4, &[&[7; 32][..len]]), curve, point]);
        assert!(P256.parse(&der).is_ok_and(|read| *read.private_key() == [7; 32][..len]), "{len}");
    }

    let cases: &[(&[&[u8]], KeyFormatError, &str)] = &[
        (&[], Der, "nothing"),
        (&[VERSION_1], Der, "no private key"),
        (&[key, curve, point], Der, "no version"),
        (&[&[2, 1, 0], key, curve, point], Der, "version 0"),
        (&[&[2, 1, 2], key, curve, point], Der, "version 2"),
        (&[&[2, 2, 1, 1], key, curve, point], Der, "version 257"),
        (&[&[2, 2, 0, 1], key, curve, point], Der, "version 1 in two bytes"),
        (&[VERSION_1, key, point, curve], Der, "another order"),
        (&[VERSION_1, key, curve, curve, point], Der, "two curves"),
        (&[VERSION_1, key, curve, point, point], Der, "two points"),
        (&[VERSION_1, key, curve, point, &[5, 0]], Der, "a field after the last"),
        (&[VERSION_1, key, curve, point, &tlv(0xa2, &[&[5, 0]])], Der, "a field [2]"),
        (&[VERSION_1, &tlv(3, &[&[0], &[7; 32]]), curve, point], Der, "key as BIT STRING"),
        (&[VERSION_1, &tlv(2, &[&[7; 32]]), curve, point], Der, "key as INTEGER"),
        (&[VERSION_1, key, &tlv(0x80, &[OID_P256]), point], Der, "a primitive [0]"),
        (&[VERSION_1, key, OID_P256, point], Der, "a curve without its tag"),
        (&[VERSION_1, key, &tlv(0xa0, &[OID_P256, &[5, 0]]), point], Der, "more in [0]"),
        (&[VERSION_1, key, &tlv(0xa0, &[]), point], Der, "nothing in [0]"),
        (&[VERSION_1, key, &tlv(0xa0, &[&[2, 1, 1]]), point], Der, "an INTEGER in [0]"),
        (&[VERSION_1, key, &tlv(0xa0, &[&[6, 0]]), point], Der, "an identifier of no bytes"),
        (&[VERSION_1, key, &tlv(0xa0, &[&[5, 0]]), point], NoCurve, "implicitCurve"),
        (&[VERSION_1, key, &tlv(0xa0, &[&[0x30, 0]]), point], ExplicitCurve, "a SEQUENCE in [0]"),
        (
            &[VERSION_1, key, &tlv(0xa0, &[&[6, 5, 43, 129, 4, 0, 34]]), point],
            AnotherCurve,
            "P-384",
        ),
        (&[VERSION_1, key, curve, &bits], Der, "a point without its tag"),
        (&[VERSION_1, key, curve, &tlv(0x81, &[&[0], &POINT])], Der, "an implicit [1]"),
        (&[VERSION_1, key, curve, &tlv(0xa1, &[&tlv(4, &[&POINT])])], Der, "OCTET STRING in [1]"),
        (&[VERSION_1, key, curve, &tlv(0xa1, &[&tlv(3, &[&[1], &POINT])])], Der, "an unused bit"),
        (&[VERSION_1, &tlv(4, &[]), curve, point], KeyLength, "an empty key"),
        (&[VERSION_1, &tlv(4, &[&[7; 23]]), curve, point], KeyLength, "23 bytes"),
        (&[VERSION_1, &tlv(4, &[&[1], &[7; 32]]), curve, point], KeyLength, "33 bytes"),
        (
            &[VERSION_1, &tlv(4, &[&[0, 0], &[7; 32]]), curve, point],
            KeyLength,
            "two zeros too many",
        ),
    ];
    for (fields, error, what) in cases {
        assert_eq!(refused(fields), Some(*error), "{what}");
    }

    let whole = tlv(0x30, &[VERSION_1, key, curve, point]);
    for len in 0..whole.len() {
        assert_eq!(P256.parse(&whole[..len]).err(), Some(Der), "{len} bytes");
    }
    for byte in 0..=255 {
        let longer = [&whole[..], &[byte]].concat();
        assert_eq!(P256.parse(&longer).err(), Some(Der), "{byte} behind");
    }
    let indefinite = [&[0x30, 0x80], VERSION_1, key, curve, point, &[0, 0]].concat();
    assert_eq!(P256.parse(&indefinite).err(), Some(Der));
    let long_length = [&[0x30, 0x82, 0], &whole[2..]].concat();
    assert_eq!(P256.parse(&long_length).err(), Some(Der));
}

#[test]
fn an_algorithm_without_a_curve_is_refused() {
    let key = tlv(0x30, &[VERSION_1, &tlv(4, &[&[7; 32]])]);
    let wrap = |parameters: &[u8]| {
        let oid = &[6, 7, 0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1];
        tlv(0x30, &[&[2, 1, 0], &tlv(0x30, &[oid, parameters]), &tlv(4, &[&key])])
    };
    assert!(from_pkcs8(&P256, &wrap(OID_P256)).is_ok());
    for (parameters, error) in [
        (&[][..], KeyFormatError::NoCurve),
        (&[5, 0], KeyFormatError::NoCurve),
        (&[0x30, 0], KeyFormatError::ExplicitCurve),
        (&[2, 1, 1], KeyFormatError::Der),
        (&[6, 5, 43, 129, 4, 0, 34], KeyFormatError::AnotherCurve),
    ] {
        assert_eq!(from_pkcs8(&P256, &wrap(parameters)).err(), Some(error), "{parameters:?}");
    }
}

#[test]
fn keys_of_another_length_are_not_written() {
    for len in [0, 31, 33, 48] {
        let key = std::vec![7; len];
        assert_eq!(P256.key(&key, &POINT).err(), Some(KeyFormatError::KeyLength));
        assert_eq!(P256.unnamed_key(&key, &POINT).err(), Some(KeyFormatError::KeyLength));
    }
}

#[test]
fn errors_say_what_is_wrong() {
    for (error, words) in [
        (KeyFormatError::Algorithm, "algorithm is not"),
        (KeyFormatError::ExplicitCurve, "explicit parameters"),
        (KeyFormatError::AnotherCurve, "another curve"),
        (KeyFormatError::NoCurve, "does not name the curve"),
        (KeyFormatError::KeyLength, "wrong length"),
        (KeyFormatError::TooLong { got: 4097, max: 4096 }, "has 4097 bytes; at most 4096"),
    ] {
        let text = Error::from(error).to_string();
        assert!(text.contains(words), "{text}");
    }
}

/// The p384 crate reads what we write; it compares the halves and so gets a pair that belongs together.
#[test]
fn the_p384_crate_reads_what_we_write() {
    use p384::pkcs8::DecodePrivateKey;
    use p384::{SecretKey, elliptic_curve::sec1::ToSec1Point};
    let mut expander = Expander::new("sec1 p384");
    for _ in 0..8 {
        let mut bytes: [u8; 48] = expander.bytes();
        bytes[0] = 0;
        let key = SecretKey::from_slice(&bytes).unwrap();
        for compress in [false, true] {
            let point = key.public_key().to_sec1_point(compress);
            let sec1 = sec1_of(&P384, &bytes, point.as_bytes());
            assert_eq!(SecretKey::from_sec1_der(&sec1).unwrap(), key);
            let container = pkcs8_of(&P384, &bytes, point.as_bytes());
            assert_eq!(SecretKey::from_pkcs8_der(&container).unwrap(), key);
        }
    }
}

/// Whatever is accepted after a mutation is what is written of it.
#[test]
fn mutated_containers_never_panic_and_never_lie() {
    let mut expander = Expander::new("sec1 mutations");
    let named = sec1_of(&P256, &[7; 32], &POINT);
    let container = pkcs8_of(&P256, &[7; 32], &POINT);
    let mut accepted = 0;
    for round in 0..20_000 {
        let mut der = [&named, &container][round % 2].clone();
        for _ in 0..=expander.byte() % 3 {
            let at = usize::from(expander.byte()) % der.len();
            match expander.byte() % 4 {
                0 => der[at] ^= 1 << (expander.byte() % 8),
                1 => der[at] = expander.byte(),
                2 => der.insert(at, expander.byte()),
                _ => drop(der.remove(at)),
            }
        }
        if let Ok(key) = P256.parse(&der) {
            let point = key.public_key().unwrap_or_default();
            assert_eq!(sec1_of(&P256, key.private_key(), point), der);
            accepted += 1;
        }
        let outer = pkcs8::parse(&der).ok().filter(|container| container.public_key.is_none());
        if outer.is_some()
            && let Ok(key) = from_pkcs8(&P256, &der)
        {
            let point = key.public_key().unwrap_or_default();
            assert_eq!(pkcs8_of(&P256, key.private_key(), point), der);
            accepted += 1;
        }
    }
    assert!(accepted > 1_000, "{accepted}: the mutations are too rough to test anything");
}
