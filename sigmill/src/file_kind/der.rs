//! Keys and certificates in DER by tags, lengths and object identifiers.
//!
//! DER is walked here and not by `der`, which reads whole containers alone: of PEM only the beginning is decoded.

use super::kinds::FileKind;
use crate::algorithms;
use crate::encoding::ObjectIdentifier;

/// Algorithms of keys that need no parameters to be told.
const ALGORITHMS: &[(&str, &str)] = &[
    (algorithms::ED25519.key_oid, algorithms::ED25519.title),
    (algorithms::X25519_KEY_OID, "X25519"),
    ("1.3.101.111", "X448"),
    ("1.3.101.113", "Ed448"),
    ("1.2.840.113549.1.1.1", "RSA"),
    ("1.2.840.113549.1.1.10", "RSA-PSS"),
    ("1.2.840.10040.4.1", "DSA"),
    ("1.2.840.113549.1.3.1", "DH"),
    ("2.16.840.1.101.3.4.3.17", "ML-DSA-44"),
    ("2.16.840.1.101.3.4.3.18", "ML-DSA-65"),
    ("2.16.840.1.101.3.4.3.19", "ML-DSA-87"),
];

/// id-ecPublicKey, whose parameters name the curve.
const EC_PUBLIC_KEY: &str = "1.2.840.10045.2.1";

const CURVES: &[(&str, &str)] = &[
    (algorithms::P256.key_oid, algorithms::P256.title),
    (algorithms::P384.key_oid, algorithms::P384.title),
    ("1.3.132.0.35", "P-521"),
    ("1.3.132.0.33", "P-224"),
    ("1.2.840.10045.3.1.1", "P-192"),
    ("1.3.132.0.10", "secp256k1"),
    ("1.3.36.3.3.2.8.1.1.7", "brainpoolP256r1"),
    ("1.3.36.3.3.2.8.1.1.11", "brainpoolP384r1"),
    ("1.3.36.3.3.2.8.1.1.13", "brainpoolP512r1"),
    ("1.2.156.10197.1.301", "SM2"),
];

pub(super) const UNKNOWN: &str = "unknown algorithm";

/// An element of DER or BER.
struct Element<'a> {
    tag: u8,
    /// As much of its content as there is.
    content: &'a [u8],
}

const INTEGER: u8 = 0x02;
const BIT_STRING: u8 = 0x03;
const OCTET_STRING: u8 = 0x04;
const OBJECT_IDENTIFIER: u8 = 0x06;
const SEQUENCE: u8 = 0x30;
const CONTEXT_0: u8 = 0xa0;

/// Takes the next element, of which the end may be missing.
fn element<'a>(bytes: &mut &'a [u8]) -> Option<Element<'a>> {
    let (&[tag, first], mut rest) = bytes.split_first_chunk()?;
    let len = match first {
        0..0x80 => usize::from(first),
        // to an end that is marked
        0x80 => usize::MAX,
        0x81..=0x84 => {
            let len = rest.split_off(..usize::from(first & 0x7f))?;
            len.iter().fold(0, |len, byte| len << 8 | usize::from(*byte))
        }
        _ => return None,
    };
    let (content, rest) = rest.split_at(len.min(rest.len()));
    *bytes = rest;
    Some(Element { tag, content })
}

pub(crate) fn of_der(bytes: &[u8]) -> Option<FileKind> {
    let mut outer = element(&mut { bytes }).filter(|outer| outer.tag == SEQUENCE)?.content;
    let first = element(&mut outer)?;
    match first.tag {
        INTEGER => of_version(first.content, outer),
        SEQUENCE => of_nested(first.content, element(&mut outer)),
        // signedData and its kin
        OBJECT_IDENTIFIER if is_oid(first.content, "1.2.840.113549.1.7.2") => Some(FileKind::Pkcs7),
        _ => None,
    }
}

/// A structure that begins with a number, the version mostly.
fn of_version(version: &[u8], mut rest: &[u8]) -> Option<FileKind> {
    let second = element(&mut rest)?;
    match (second.tag, version) {
        (SEQUENCE, [0 | 1]) => Some(FileKind::PrivateKey(algorithm(second.content))),
        (SEQUENCE, [3]) => Some(FileKind::Pkcs12),
        (OCTET_STRING, [1]) => {
            let parameters = element(&mut rest).filter(|next| next.tag == CONTEXT_0);
            let curve = parameters.map_or("unnamed curve", |found| curve(found.content));
            Some(FileKind::EcPrivateKey(curve))
        }
        (INTEGER, [0]) => {
            // the third number is an exponent, and in DSA the order of a group
            let third = element(&mut rest).filter(|third| third.tag == INTEGER)?;
            Some(if third.content.len() > 8 {
                FileKind::DsaPrivateKey
            } else {
                FileKind::RsaPrivateKey
            })
        }
        (INTEGER, modulus) if modulus.len() > 100 => Some(FileKind::RsaPublicKey),
        (INTEGER, _) if rest.is_empty() => Some(FileKind::EcdsaSignature),
        _ => None,
    }
}

/// A structure that begins with another.
fn of_nested(mut inner: &[u8], second: Option<Element<'_>>) -> Option<FileKind> {
    let whole = inner;
    let first = element(&mut inner)?;
    match (first.tag, second.map(|second| second.tag)) {
        (OBJECT_IDENTIFIER, Some(BIT_STRING)) => Some(FileKind::PublicKey(algorithm(whole))),
        (OBJECT_IDENTIFIER, Some(OCTET_STRING)) => Some(FileKind::EncryptedPrivateKey),
        (CONTEXT_0, _) => Some(FileKind::Certificate),
        (INTEGER, _) if first.content == [0] => Some(FileKind::CertificateRequest),
        _ => None,
    }
}

fn is_oid(content: &[u8], oid: &str) -> bool {
    ObjectIdentifier::new(oid).is_ok_and(|oid| oid.as_bytes() == content)
}

fn named(table: &[(&str, &'static str)], content: &[u8]) -> Option<&'static str> {
    table.iter().find(|(oid, _)| is_oid(content, oid)).map(|(_, name)| *name)
}

/// The name of an AlgorithmIdentifier.
fn algorithm(mut identifier: &[u8]) -> &'static str {
    let Some(oid) = element(&mut identifier) else { return UNKNOWN };
    match is_oid(oid.content, EC_PUBLIC_KEY) {
        true => curve(identifier),
        false => named(ALGORITHMS, oid.content).unwrap_or(UNKNOWN),
    }
}

/// The name of a curve in ECParameters.
fn curve(mut parameters: &[u8]) -> &'static str {
    match element(&mut parameters) {
        Some(Element { tag: OBJECT_IDENTIFIER, content }) => {
            named(CURVES, content).unwrap_or("unknown curve")
        }
        Some(Element { tag: SEQUENCE, .. }) => "explicit curve parameters",
        _ => "unnamed curve",
    }
}
