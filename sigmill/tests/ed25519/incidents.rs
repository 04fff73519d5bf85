//! One test per incident of other signature libraries that concerns Ed25519 and is not the business
//! of the frozen vectors alone. `tests/flaws/` puts each flaw in and runs its test here;
//! `docs/incidents.md` is the list.

use crate::reference;
use crate::vectors::{self, verify_vectors};
use num_bigint::BigUint;
use sigmill::bulk::{self, Column, Spec, Specs, Table};
use sigmill::ed25519::{
    ContextString, Explanation, PreparedKey, Signature, SignatureError, Signer, SigningKey,
    StreamSigner, StreamVerifier, Variant, Verifier, VerifyingKey, rules, sign_with_keypair,
    verify_bytes,
};
use sigmill::{Error, Reason, Verdict};

fn key(n: u8) -> SigningKey {
    SigningKey::from_bytes(&[n; 32])
}

/// Our error behind one that carries a name of the drop-in surface.
fn ours(error: SignatureError) -> Option<Error> {
    std::error::Error::source(&error)?.downcast_ref().copied()
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
    assert_eq!(bulk::verify(&table), Ok(vec![Some(verdict)]), "bulk, {rule}");
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
    let import = |pair: &[u8; 64]| SigningKey::from_keypair_bytes(pair).map_err(ours);
    assert_eq!(import(&pair), Ok(honest.clone()));
    let sign = |pair: &[u8; 64]| sign_with_keypair(pair, Variant::Pure, b"m");
    assert_eq!(sign(&pair), Ok(honest.sign(b"m")));
    pair[32..].copy_from_slice(other.verifying_key().as_ref());
    assert_eq!(import(&pair), Err(Some(Error::KeyPairMismatch)));
    assert_eq!(sign(&pair), Err(Error::KeyPairMismatch));
    for bit in 0..256 {
        let mut pair = honest.to_keypair_bytes();
        pair[32 + bit / 8] ^= 1 << (bit % 8);
        assert_eq!(import(&pair), Err(Some(Error::KeyPairMismatch)), "bit {bit}");
        assert_eq!(sign(&pair), Err(Error::KeyPairMismatch), "bit {bit}");
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
            let ph = key.sign_prehashed_with(ContextString::EMPTY, &digest).to_bytes();
            let s = BigUint::from_bytes_le(&ph[32..]) + reference::order();
            let Ok(r) = <[u8; 32]>::try_from(&ph[..32]) else { unreachable!() };
            let shifted = Signature::from_bytes(&reference::signature(&r, &s));
            let verdict = public.verify_prehashed_with(
                &rules::COMMON,
                ContextString::EMPTY,
                &digest,
                &shifted,
            );
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
            by_every_way(rule, key.verifying_key().as_ref(), b"", &signature.to_bytes()).is_valid()
        );
    }
    for variant in
        [Variant::Pure, Variant::Ctx(ContextString::EMPTY), Variant::Ph(ContextString::EMPTY)]
    {
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

/// Signing with an expanded key takes a public key; a wrong one must change nothing. If S were made
/// with it, two signatures of one message would share R, and (S − S')/(k − k') would be the scalar.
#[test]
#[cfg(feature = "hazmat")]
fn incident_01_an_expanded_key_signs_with_its_own_public_key_whatever_it_is_handed() {
    use sigmill::ed25519::hazmat::{
        ExpandedSecretKey, raw_sign, raw_sign_byupdate, raw_sign_prehashed,
    };
    use sigmill::ed25519::{Digest, Sha512};
    let (honest, other) = (key(1), key(2).verifying_key());
    let own = honest.verifying_key();
    let secret = ExpandedSecretKey::from(honest.as_bytes());
    assert!(secret.belongs_to(&own) && !secret.belongs_to(&other));
    let feed = |digest: &mut Sha512| {
        digest.update(b"m");
        Ok(())
    };
    let prehash = || Sha512::new().chain_update(b"m");
    for handed in [&own, &other] {
        let signatures = [
            raw_sign::<Sha512>(&secret, b"m", handed),
            raw_sign_byupdate(&secret, feed, handed).expect("the same message each time"),
        ];
        assert_eq!(signatures, [honest.sign(b"m"); 2]);
        let signature = raw_sign_prehashed::<Sha512, Sha512>(&secret, prehash(), handed, None);
        assert_eq!(signature.ok(), honest.sign_prehashed(prehash(), None).ok());
    }
    // what the incident recovers: with the flaw, two equations with one r; here, no second equation
    let honest_signature = raw_sign::<Sha512>(&secret, b"m", &own).to_bytes();
    let swapped_signature = raw_sign::<Sha512>(&secret, b"m", &other).to_bytes();
    let s = |signature: &[u8; 64]| BigUint::from_bytes_le(&signature[32..]);
    let l = reference::order();
    let difference = (s(&honest_signature) + &l - s(&swapped_signature)) % &l;
    let k = |public: &[u8; 32]| {
        let r: [u8; 32] = honest_signature[..32].try_into().expect("32 bytes");
        reference::challenge(reference::Variant::Pure, b"", &r, public, b"m")
    };
    let quotient = (k(own.as_bytes()) + &l - k(other.as_bytes())) % &l;
    let recovered = difference * quotient.modpow(&(&l - 2_u8), &l) % &l;
    assert_ne!(recovered, reference::expand(honest.as_bytes()).0 % &l);
    assert_eq!(recovered, BigUint::ZERO);
}

#[test]
#[cfg(feature = "hazmat")]
fn incident_31_a_feed_that_changes_its_message_gets_no_signature() {
    use sigmill::ed25519::hazmat::{ExpandedSecretKey, raw_sign_byupdate};
    use sigmill::ed25519::{Digest, Sha512};
    let secret = ExpandedSecretKey::from(key(31).as_bytes());
    let public = key(31).verifying_key();
    // from which call on the message is another one
    for from in 1..=4 {
        let call = std::cell::Cell::new(0);
        let feed = |digest: &mut Sha512| {
            call.set(call.get() + 1);
            digest.update(if call.get() >= from { b"massage" } else { b"message" });
            Ok(())
        };
        let made = raw_sign_byupdate(&secret, feed, &public);
        assert_eq!(call.get(), 3);
        match from {
            1 => assert_eq!(made.ok(), Some(key(31).sign(b"massage"))),
            2 | 3 => assert_eq!(made.map_err(ours), Err(Some(Error::MessageChanged))),
            _ => assert_eq!(made.ok(), Some(key(31).sign(b"message"))),
        }
    }
}

#[test]
fn incident_32_hedged_signatures_of_one_message_differ() {
    let key = key(32);
    let made: std::collections::BTreeSet<_> = (0..20)
        .map(|n| key.sign_hedged(Variant::Pure, &[n; 32], b"m").to_bytes())
        .chain([key.sign(b"m").to_bytes()])
        .collect();
    assert_eq!(made.len(), 21);
    let halves: std::collections::BTreeSet<_> = made.iter().map(|s| &s[..32]).collect();
    assert_eq!(halves.len(), 21, "every one has its own R");
}

#[test]
#[cfg(feature = "rand_core")]
fn incident_33_hedging_is_asked_for_and_needs_a_working_source() {
    use sigmill::ed25519::RandomizedSigner;
    let key = key(33);
    assert_eq!(key.sign(b"m"), key.sign(b"m"));
    let refused = key.try_sign_with_rng(&mut Broken, b"m");
    assert_eq!(refused.map_err(ours), Err(Some(Error::Randomness)));
}

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
        assert!(public.verify(b"m", &shifted).is_err());
    }
}

#[test]
fn incident_42_a_signature_of_one_variant_is_none_of_another() {
    group_is_as_frozen("variants");
    let key = key(42);
    let (a, b) =
        (ContextString::new(b"a").expect("short"), ContextString::new(b"b").expect("short"));
    let modes = [
        Variant::Pure,
        Variant::Ctx(ContextString::EMPTY),
        Variant::Ctx(a),
        Variant::Ctx(b),
        Variant::Ph(ContextString::EMPTY),
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
    assert_eq!(ContextString::new(&[0; 256]), Err(Error::ContextTooLong { got: 256 }));
}
