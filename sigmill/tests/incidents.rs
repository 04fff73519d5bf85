//! One test per incident of other signature libraries that concerns Ed25519 and is not the business
//! of the frozen vectors alone. `tests/flaws/` puts each flaw in and runs its test here;
//! `docs/incidents.md` is the list.

#![allow(missing_docs)]

#[path = "reference/mod.rs"]
mod reference;
mod vectors;

use num_bigint::BigUint;
use sigmill::bulk::{self, Column, Spec, Specs, Table};
use sigmill::ed25519::{
    Context, Explanation, PreparedKey, Signature, SigningKey, StreamSigner, StreamVerifier,
    Variant, VerifyingKey, rules, verify_bytes,
};
use sigmill::{Error, Reason, Verdict};
use vectors::verify_vectors;

fn key(n: u8) -> SigningKey {
    SigningKey::from_bytes(&[n; 32])
}

/// The verdict on a pure signature, the same by every way of verifying.
fn by_every_way(rule: &rules::Rule, key: &[u8], message: &[u8], signature: &[u8]) -> Verdict {
    let verdict = verify_bytes(rule, Variant::Pure, key, message, signature);
    let table = Table::new(
        Column::fixed(key, key.len(), 1, None).expect("one key"),
        Column::fixed(message, message.len(), 1, None).expect("one message"),
        Column::fixed(signature, signature.len(), 1, None).expect("one signature"),
        Specs::Same(Spec::ed25519(rule, Variant::Pure)),
    )
    .expect("one row");
    assert_eq!(bulk::verify(&table), [Some(verdict)], "bulk, {rule}");
    let parsed = (VerifyingKey::try_from(key), Signature::try_from(signature));
    if let (Ok(key), Ok(signature)) = parsed {
        assert_eq!(key.verify_with(rule, Variant::Pure, message, &signature), verdict);
        assert_eq!(
            PreparedKey::new(&key).verify_with(rule, Variant::Pure, message, &signature),
            verdict
        );
        let mut stream = StreamVerifier::new(rule, Variant::Pure, &key, &signature);
        stream.update(message);
        assert_eq!(stream.finish(), verdict);
    }
    verdict
}

#[test]
fn incident_01_a_wrong_public_half_never_reaches_a_signature() {
    let (honest, other) = (key(1), key(2));
    let mut pair = honest.to_keypair_bytes();
    assert_eq!(SigningKey::from_keypair_bytes(&pair), Ok(honest.clone()));
    pair[32..].copy_from_slice(other.verifying_key().as_ref());
    assert_eq!(SigningKey::from_keypair_bytes(&pair), Err(Error::KeyPairMismatch));
    for bit in 0..256 {
        let mut pair = honest.to_keypair_bytes();
        pair[32 + bit / 8] ^= 1 << (bit % 8);
        assert_eq!(SigningKey::from_keypair_bytes(&pair), Err(Error::KeyPairMismatch), "bit {bit}");
    }
}

#[test]
fn incident_02_multiples_of_the_order_added_to_s_are_refused_everywhere() {
    let keys: Vec<SigningKey> = (0..10).map(key).collect();
    for i in 0..100_u32 {
        let key = &keys[i as usize % 10];
        let public = key.verifying_key();
        let message = i.to_le_bytes();
        let signature = key.sign(&message).to_bytes();
        for k in 1_u8..16 {
            let s = BigUint::from_bytes_le(&signature[32..]) + reference::order() * k;
            let Ok(r) = <[u8; 32]>::try_from(&signature[..32]) else { unreachable!() };
            if s.bits() > 256 {
                continue;
            }
            let shifted = reference::signature(&r, &s);
            for rule in rules::ALL {
                let legal = rule.name() == "legacy" && s.bits() <= 253;
                let verdict = if k % 5 == 1 {
                    by_every_way(rule, public.as_ref(), &message, &shifted)
                } else {
                    verify_bytes(rule, Variant::Pure, public.as_ref(), &message, &shifted)
                };
                assert_eq!(verdict.is_valid(), legal, "S + {k} l under {rule}");
            }
            // ph has its own way in
            let digest = reference::sha512(&[&message]);
            let ph = key.sign_prehashed_with(Context::EMPTY, &digest).to_bytes();
            let s = BigUint::from_bytes_le(&ph[32..]) + reference::order();
            let Ok(r) = <[u8; 32]>::try_from(&ph[..32]) else { unreachable!() };
            let shifted = Signature::from_bytes(&reference::signature(&r, &s));
            let verdict =
                public.verify_prehashed_with(&rules::COMMON, Context::EMPTY, &digest, &shifted);
            assert_eq!(verdict, Verdict::Invalid(Reason::SOutOfRange));
        }
    }
}

#[test]
fn incident_05_zero_and_identity_keys_are_refused_where_the_rule_says_so() {
    let mut identity = [0; 32];
    identity[0] = 1;
    let forged = reference::signature(&identity, &BigUint::ZERO);
    let mut accepted_by_zip215 = 0;
    for i in 0..1000_u32 {
        let message = i.to_le_bytes();
        for rule in [&rules::STRICT, &rules::NO_SMALL_KEY, &rules::NO_SMALL] {
            let verdict = verify_bytes(rule, Variant::Pure, &[0; 32], &message, &[0; 64]);
            assert_eq!(verdict, Verdict::Invalid(Reason::KeySmallOrder));
            let verdict = verify_bytes(rule, Variant::Pure, &identity, &message, &forged);
            assert_eq!(verdict, Verdict::Invalid(Reason::KeySmallOrder));
        }
        let verdict = verify_bytes(&rules::ZIP215, Variant::Pure, &[0; 32], &message, &[0; 64]);
        accepted_by_zip215 += u32::from(verdict.is_valid());
    }
    assert_eq!(accepted_by_zip215, 1000, "zip215 lets anyone sign for the zero key, as it says");
    assert!(VerifyingKey::from_bytes(&[0; 32]).is_ok_and(|key| key.is_weak()));
    assert!(VerifyingKey::from_bytes(&identity).is_ok_and(|key| key.is_weak()));
}

#[test]
fn incident_06_trivial_signatures_are_refused_for_honest_keys() {
    let mut identity = [0; 32];
    identity[0] = 1;
    for n in 0..20 {
        let public = key(n).verifying_key();
        for message in [&b""[..], b"message", &[n; 64]] {
            for signature in [[0; 64], reference::signature(&identity, &BigUint::ZERO)] {
                for rule in rules::ALL {
                    let verdict = by_every_way(rule, public.as_ref(), message, &signature);
                    assert!(!verdict.is_valid(), "{rule}");
                }
            }
        }
    }
}

#[test]
fn incident_07_only_the_exact_lengths_are_taken() {
    let (key, message) = (key(7), b"lengths");
    let (public, signature) = (key.verifying_key().to_bytes(), key.sign(message).to_bytes());
    for len in 0..=200 {
        let resized = |bytes: &[u8]| {
            let mut bytes = bytes.to_vec();
            bytes.resize(len, 0);
            bytes
        };
        for rule in rules::ALL {
            let verdict = by_every_way(rule, &public, message, &resized(&signature));
            let expected =
                if len == 64 { Verdict::Valid } else { Verdict::Invalid(Reason::SignatureLength) };
            assert_eq!(verdict, expected, "signature of {len} bytes, {rule}");
            let verdict = by_every_way(rule, &resized(&public), message, &signature);
            let expected =
                if len == 32 { Verdict::Valid } else { Verdict::Invalid(Reason::KeyLength) };
            assert_eq!(verdict, expected, "key of {len} bytes, {rule}");
        }
        assert_eq!(VerifyingKey::try_from(&resized(&public)[..]).is_ok(), len == 32);
        assert_eq!(Signature::try_from(&resized(&signature)[..]).is_ok(), len == 64);
        assert_eq!(SigningKey::try_from(&resized(&[7; 32])[..]).is_ok(), len == 32);
    }
}

#[test]
fn incident_08_the_empty_message_is_a_message() {
    let key = key(8);
    let signature = key.sign(b"");
    for rule in rules::ALL {
        assert!(
            by_every_way(rule, key.verifying_key().as_ref(), b"", signature.as_ref()).is_valid()
        );
    }
    for variant in [Variant::Pure, Variant::Ctx(Context::EMPTY), Variant::Ph(Context::EMPTY)] {
        let signature = key.sign_with(variant, b"");
        assert!(
            key.verifying_key().verify_with(&rules::STRICT, variant, b"", &signature).is_valid()
        );
    }
}

/// Vectors of one group, each under every rule.
fn group_is_as_frozen(group: &str) {
    let mut seen = 0;
    for vector in verify_vectors().iter().filter(|v| v.group == group) {
        for rule in rules::ALL {
            let got = verify_bytes(
                rule,
                vector.variant(),
                &vector.key,
                &vector.message,
                &vector.signature,
            );
            assert_eq!(
                vectors::word(got),
                vector.expected(rule),
                "{group}: {} under {rule}",
                vector.note
            );
            seen += 1;
        }
    }
    assert!(seen > 0);
}

#[test]
fn incident_09_the_cofactor_is_multiplied_last() {
    group_is_as_frozen("speccheck");
    group_is_as_frozen("torsion");
}

#[test]
fn incident_10_points_that_share_a_coordinate_with_the_identity_are_told_apart() {
    // [n]B plus the point of order 2 is (−x, −y): never small, never of prime order
    let order_2 = reference::Point::affine(BigUint::ZERO, reference::p() - 1_u8);
    assert!(VerifyingKey::from_bytes(&order_2.encode()).is_ok_and(|key| key.is_weak()));
    for n in 1_u32..60 {
        let mixed = reference::Point::base().times(&BigUint::from(n)).add(&order_2);
        let report = Explanation::new(Variant::Pure, &mixed.encode(), b"", &[0; 64]).a;
        assert!(!report.small && report.torsion_order == 2, "T2 + {n}B");
    }
    let report = Explanation::new(Variant::Pure, &order_2.encode(), b"", &[0; 64]).a;
    assert!(report.small && report.torsion_order == 2);
    // with key (0, −1), odd k and S = r: the residual is (0, −1) itself, which is not the identity
    group_is_as_frozen("small_key");
}

#[test]
fn incident_11_all_fourteen_small_order_encodings_are_weak_and_nothing_else_is() {
    let (mut weak, mut strong) = (0, 0);
    for row in vectors::rows("ed25519/decode.csv") {
        let Ok(bytes) = <[u8; 32]>::try_from(&vectors::unhex(&row["encoding"])[..]) else {
            continue;
        };
        if let Ok(key) = VerifyingKey::from_bytes(&bytes) {
            assert_eq!(key.is_weak(), row["small"] == "1", "{}", row["encoding"]);
            weak += u32::from(row["small"] == "1" && row["note"] == "small order");
            strong += u32::from(row["small"] == "0");
        }
    }
    assert_eq!(weak, 14);
    for n in 0..=255 {
        assert!(!key(n).verifying_key().is_weak());
        strong += 1;
    }
    assert!(strong > 300);
    group_is_as_frozen("grid");
}

#[test]
fn incident_31_a_message_that_changes_between_the_passes_gets_no_signature() {
    let key = key(31);
    for (first_message, second_message) in [
        (&b"message"[..], &b"massage"[..]),
        (b"message", b"message "),
        (b"message", b""),
        (b"", b"x"),
    ] {
        let mut first = StreamSigner::new(&key, Variant::Pure);
        first.update(first_message);
        let mut second = first.second_pass();
        second.update(second_message);
        assert_eq!(second.finish(), Err(Error::MessageChanged));
    }
}

/// A random source that fails, after filling some bytes.
struct Broken;

#[derive(Debug, PartialEq)]
struct NoEntropy;

impl std::fmt::Display for NoEntropy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("no entropy")
    }
}

impl std::error::Error for NoEntropy {}

impl rand_core::TryRng for Broken {
    type Error = NoEntropy;

    fn try_next_u32(&mut self) -> Result<u32, NoEntropy> {
        Err(NoEntropy)
    }

    fn try_next_u64(&mut self) -> Result<u64, NoEntropy> {
        Err(NoEntropy)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), NoEntropy> {
        bytes.fill(1);
        Err(NoEntropy)
    }
}

impl rand_core::TryCryptoRng for Broken {}

#[test]
fn incident_35_a_failing_random_source_makes_no_key() {
    assert_eq!(SigningKey::try_generate(&mut Broken), Err(NoEntropy));
}

#[test]
fn incident_37_no_bytes_of_any_length_panic() {
    // lengths 0 to 128 for every parser, and columns with hostile offsets and indices
    for len in 0..=128 {
        for fill in [0, 1, 0x7f, 0x80, 0xff] {
            let bytes = vec![fill; len];
            let _ = VerifyingKey::try_from(&bytes[..]);
            let _ = SigningKey::try_from(&bytes[..]);
            let _ = Signature::try_from(&bytes[..]);
            let text = String::from_utf8_lossy(&bytes).into_owned();
            assert!(text.parse::<VerifyingKey>().is_err() && text.parse::<Signature>().is_err());
            for rule in rules::ALL {
                let _ = verify_bytes(rule, Variant::Pure, &bytes, &bytes, &bytes);
                let _ = verify_bytes(rule, Variant::Pure, &[fill; 32], &bytes, &[fill; 64]);
            }
        }
    }
    assert!(Column::binary(&[], b"", None).is_err());
    assert!(Column::binary(&[0, 2, 1], b"ab", None).is_err());
    assert!(Column::binary(&[0, 3], b"ab", None).is_err());
    assert!(Column::binary(&[-1, 1], b"ab", None).is_err());
    assert!(Column::large_binary(&[0, i64::MAX], b"ab", None).is_err());
    assert!(Column::fixed(b"abc", 2, 2, None).is_err());
    assert!(Column::fixed(b"", usize::MAX, 2, None).is_err());
    assert!(Column::fixed(b"ab", 1, 2, Some(bulk::Bitmap::new(&[], 0))).is_err());
    assert!(Column::fixed(b"ab", 1, 2, Some(bulk::Bitmap::new(&[3], usize::MAX))).is_err());
    let values = Column::binary(&[0, 1], b"a", None).expect("one value");
    assert!(Column::dictionary(bulk::Indices::I8(&[0, 1]), &values, None).is_err());
    assert!(Column::dictionary(bulk::Indices::I64(&[-1]), &values, None).is_err());
    // garbage under a null is legal
    let nulls = Some(bulk::Bitmap::new(&[0b01], 0));
    let column =
        Column::dictionary(bulk::Indices::U64(&[0, u64::MAX]), &values, nulls).expect("legal");
    assert_eq!((column.get(0), column.get(1), column.get(2)), (Some(&b"a"[..]), None, None));
}

#[test]
fn incident_40_rules_are_values_and_live_side_by_side() {
    // one signature with S + l: two verdicts in one program, whatever was asked before
    let key = key(40);
    let signature = key.sign(b"m").to_bytes();
    let s = BigUint::from_bytes_le(&signature[32..]) + reference::order();
    let Ok(r) = <[u8; 32]>::try_from(&signature[..32]) else { unreachable!() };
    let shifted = Signature::from_bytes(&reference::signature(&r, &s));
    let public = key.verifying_key();
    for _ in 0..2 {
        assert!(public.verify_with(&rules::LEGACY, Variant::Pure, b"m", &shifted).is_valid());
        assert!(!public.verify_with(&rules::COMMON, Variant::Pure, b"m", &shifted).is_valid());
        assert!(!public.verify(b"m", &shifted).is_valid());
    }
}

#[test]
fn incident_42_a_signature_of_one_variant_is_none_of_another() {
    group_is_as_frozen("variants");
    let key = key(42);
    let (a, b) = (Context::new(b"a").expect("short"), Context::new(b"b").expect("short"));
    let modes = [
        Variant::Pure,
        Variant::Ctx(Context::EMPTY),
        Variant::Ctx(a),
        Variant::Ctx(b),
        Variant::Ph(Context::EMPTY),
        Variant::Ph(a),
        Variant::Ph(b),
    ];
    for made in modes {
        let signature = key.sign_with(made, b"m");
        for checked in modes {
            for rule in rules::ALL {
                let verdict = key.verifying_key().verify_with(rule, checked, b"m", &signature);
                assert_eq!(verdict.is_valid(), made == checked, "{made:?} as {checked:?}, {rule}");
            }
        }
    }
    assert_eq!(Context::new(&[0; 256]), Err(Error::ContextTooLong { got: 256 }));
}
