//! Any 32 bytes as a point: what the library says about them is what the slow reference says.

#![no_main]

#[path = "../shared/material.rs"]
mod material;
#[path = "../../sigmill/tests/reference/mod.rs"]
mod reference;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use material::PointBytes;
use num_bigint::BigUint;
use reference::Point;
use sigmill::ed25519::{Explanation, PointReport, PreparedKey, Variant, VerifyingKey, rules};
use sigmill::{Error, Verdict};

#[derive(Arbitrary, Debug)]
struct Input {
    a: PointBytes,
    r: PointBytes,
    message: u8,
}

/// What the reference says about bytes as a point.
fn report(bytes: &[u8; 32]) -> PointReport {
    match Point::decode(bytes) {
        Some((point, canonical)) => PointReport {
            decodes: true,
            canonical,
            small: point.is_small(),
            torsion_order: point.torsion_order(),
        },
        None => PointReport { decodes: false, canonical: false, small: false, torsion_order: 0 },
    }
}

/// (1 + y)/(1 − y), with 0 for the neutral point: the inverse of 0 is 0.
fn montgomery_u(point: &Point) -> [u8; 32] {
    let p = reference::p();
    let (_, y) = point.coordinates();
    let below: BigUint = (p + 1_u8 - &y) % p;
    reference::bytes32(&((y + 1_u8) * below.modpow(&(p - 2_u8), p) % p))
}

/// The key itself: decoding, its facts, and which rules let it in.
fn check_key(bytes: &[u8; 32], wanted: &PointReport) {
    let key = match VerifyingKey::decode(bytes) {
        Ok(key) => key,
        Err(error) => {
            assert_eq!((error, wanted.decodes), (Error::NotAPoint, false));
            assert!(VerifyingKey::from_bytes(bytes).is_err());
            return;
        }
    };
    assert!(wanted.decodes);
    assert_eq!(key.as_bytes(), bytes);
    assert_eq!(key.is_canonical(), wanted.canonical);
    assert_eq!(key.is_weak(), wanted.small);
    let (point, _) = Point::decode(bytes).expect("it decodes");
    assert_eq!(key.to_montgomery().to_bytes(), montgomery_u(&point));
    assert_eq!(PreparedKey::new(&key).verifying_key(), &key);
    assert_eq!(key.to_string().parse(), Ok(key));
    // the verdict on a signature with which nothing else is wrong
    let facts = reference::Facts {
        a: Some(reference::PointFacts { canonical: wanted.canonical, small: wanted.small }),
        r: Some(reference::PointFacts { canonical: true, small: false }),
        s: BigUint::ZERO,
        exact: true,
        cofactored: true,
    };
    let facts = Ok(facts);
    for rule in rules::ALL {
        let got = match key.check(rule) {
            Verdict::Valid => "ok",
            Verdict::Invalid(reason) => reason.name(),
        };
        assert_eq!(got, reference::verdict(rule.name(), &facts), "{rule}");
    }
}

fuzz_target!(|input: Input| {
    let (a, r) = (input.a.bytes(), input.r.bytes());
    let wanted = report(&a);
    check_key(&a, &wanted);
    let message = [input.message];
    let k = reference::challenge(reference::Variant::Pure, b"", &r, &a, &message);
    let s = material::nonce(input.message);
    let signature = reference::signature(&r, &s);
    let explained = Explanation::new(Variant::Pure, &a, &message, &signature);
    assert_eq!(explained.a, wanted);
    assert_eq!(explained.r, report(&r));
    assert_eq!(explained.k, reference::bytes32(&k));
    let (Some((a, _)), Some((r, _))) = (Point::decode(&a), Point::decode(&r)) else {
        assert_eq!(explained.residual, None);
        return;
    };
    let residual = material::nonce_point(input.message).add(&a.times(&k).neg()).add(&r.neg());
    let got = explained.residual.expect("both points decode");
    assert_eq!(got.identity, residual.is_identity());
    assert_eq!(got.small, residual.is_small());
    assert_eq!(got.torsion_order, residual.torsion_order());
});
