//! What users may rely on about the public types: traits, text forms, errors, no secret shown.

use crate::counter::Counter;
use sigmill::ed25519::{
    PreparedKey, Rule, Signature, SignatureError, Signer, SigningKey, StreamVerifier, Variant,
    Verifier, VerifyingKey, rules,
};
use sigmill::x25519::{EphemeralSecret, PublicKey, ReusableSecret, SharedSecret, StaticSecret};
use sigmill::{Error, Reason, Verdict};
use std::collections::{BTreeSet, HashSet};
use std::fmt::{Debug, Display};
use std::hash::Hash;
use std::str::FromStr;

fn public_value<T>()
where
    T: Eq + FromStr + Display + Debug + Copy + Send + Sync,
    for<'a> T: TryFrom<&'a [u8], Error = SignatureError>,
{
}

fn thread_safe<T: Send + Sync + Clone + Debug>() {}

#[test]
fn public_types_have_the_traits_of_values() {
    public_value::<VerifyingKey>();
    fn ordered<T: Ord + Hash + AsRef<[u8]> + FromStr<Err = Error>>() {}
    ordered::<VerifyingKey>();
    public_value::<Signature>();
    thread_safe::<SigningKey>();
    thread_safe::<PreparedKey>();
    thread_safe::<StreamVerifier>();
    thread_safe::<PublicKey>();
    thread_safe::<StaticSecret>();
    thread_safe::<ReusableSecret>();
    fn in_one_place<T: Send + Sync + Debug>() {}
    in_one_place::<EphemeralSecret>();
    in_one_place::<SharedSecret>();
    thread_safe::<Rule>();
    fn error<T: std::error::Error + Send + Sync + 'static>() {}
    error::<Error>();
    error::<SignatureError>();
    error::<Reason>();
    error::<sigmill::bulk::BulkError>();
    error::<sigmill::bulk::SpecError>();
}

#[test]
fn text_is_hexadecimal_and_comes_back() {
    let key = SigningKey::from_bytes(&[9; 32]);
    let (public, signature) = (key.verifying_key(), key.sign(b"m"));
    assert_eq!(public.to_string().parse(), Ok(public));
    assert_eq!(signature.to_string().parse::<Signature>().ok(), Some(signature));
    assert_eq!(signature.to_string().to_lowercase().parse::<Signature>().ok(), Some(signature));
    let text = public.to_string();
    let wrong = |text: &str| text.parse::<VerifyingKey>();
    assert_eq!(
        wrong(&text[..62]),
        Err(Error::Length { what: "public key", expected: 32, got: 31 })
    );
    assert_eq!(wrong(&text[..63]), Err(Error::Hex { position: 63 }));
    assert_eq!(
        wrong(&text.replacen(&text[4..5], "g", 1)).map_err(|e| matches!(e, Error::Hex { .. })),
        Err(true)
    );
    assert_eq!(
        wrong(&format!("{text}00")),
        Err(Error::Length { what: "public key", expected: 32, got: 33 })
    );
    assert_eq!(wrong(""), Err(Error::Length { what: "public key", expected: 32, got: 0 }));
    // the sentence of every face: the length that was given, then the one that is needed
    let said = wrong(&text[..62]).expect_err("31 bytes").to_string();
    assert_eq!(said, "public key has 31 bytes, not 32");
}

#[test]
fn values_compare_by_their_bytes() {
    let keys: Vec<VerifyingKey> =
        (0..20).map(|n| SigningKey::from_bytes(&[n; 32]).verifying_key()).collect();
    let sorted: Vec<[u8; 32]> =
        keys.iter().collect::<BTreeSet<_>>().into_iter().map(|k| k.to_bytes()).collect();
    assert!(sorted.is_sorted() && sorted.len() == 20);
    assert_eq!(keys.iter().chain(&keys).collect::<HashSet<_>>().len(), 20);
}

#[test]
fn nothing_prints_a_secret() {
    let seed = [0xab; 32];
    let key = SigningKey::from_bytes(&seed);
    let shown = format!("{key:?} {:?} {:#?}", PreparedKey::new(&key.verifying_key()), key.clone());
    assert!(!shown.contains("abab") && !shown.contains("171"), "{shown}");
    assert!(shown.contains(&key.verifying_key().to_string()));
    assert!(
        !format!("{:?}", sigmill::ed25519::StreamSigner::new(&key, Variant::Pure)).contains("abab")
    );
}

#[test]
fn verdicts_and_reasons_say_what_they_mean() {
    assert_eq!(Verdict::Valid.ok(), Ok(()));
    assert_eq!(Verdict::Invalid(Reason::Equation).ok(), Err(Reason::Equation));
    assert_eq!(
        Verdict::Invalid(Reason::KeyLength).to_string(),
        "invalid: public key has the wrong length"
    );
    assert_eq!(Reason::ALL.len(), 15);
    for (i, reason) in Reason::ALL.iter().enumerate() {
        assert_eq!(usize::from(reason.code()), i + 1);
        assert!(!reason.name().is_empty() && !reason.to_string().is_empty());
    }
}

#[test]
fn signature_errors_have_our_errors_and_reasons_as_their_source() {
    use std::error::Error as _;
    fn source<T: Copy + std::error::Error + 'static>(error: &SignatureError) -> Option<T> {
        error.source()?.downcast_ref().copied()
    }
    let mut off_curve = [0; 32];
    off_curve[0] = 2;
    let error = VerifyingKey::from_bytes(&off_curve).expect_err("2 is no y of the curve");
    assert_eq!(source(&error), Some(Error::NotAPoint));
    let error = SigningKey::try_from(&[1; 31][..]).expect_err("31 bytes");
    assert_eq!(source(&error), Some(Error::Length { what: "secret key", expected: 32, got: 31 }));
    let key = SigningKey::from_bytes(&[1; 32]);
    let error = key.verify(b"n", &key.sign(b"m")).expect_err("another message");
    assert_eq!(source(&error), Some(Reason::Equation));
    let weak = VerifyingKey::from_bytes(&[0; 32]).expect("a point of order 4");
    let nothing = Signature::from_bytes(&[0; 64]);
    let error = weak.verify_strict(b"m", &nothing).expect_err("a key of small order");
    assert_eq!(source(&error), Some(Reason::KeySmallOrder));
    let prepared = PreparedKey::new(&key.verifying_key());
    assert!(prepared.verify(b"m", &key.sign(b"m")).is_ok());
    assert!(prepared.verify(b"n", &key.sign(b"m")).is_err());
}

#[test]
fn keys_come_from_seeds_pairs_and_random_sources() {
    let seed: [u8; 32] = core::array::from_fn(|i| i as u8 + 1);
    let key = SigningKey::generate(&mut Counter(0));
    assert_eq!(key.to_bytes(), seed);
    assert_eq!(key, SigningKey::from_bytes(&seed));
    assert_ne!(key, SigningKey::generate(&mut Counter(1)));
    assert_eq!(SigningKey::from_keypair_bytes(&key.to_keypair_bytes()).ok(), Some(key));
}

#[test]
fn cpu_detection_agrees_with_the_standard_library() {
    use sigmill::cpu::{Feature, force, has};
    #[cfg(target_arch = "x86_64")]
    {
        assert_eq!(has(Feature::Avx2), std::is_x86_feature_detected!("avx2"));
        let adx = std::is_x86_feature_detected!("adx") && std::is_x86_feature_detected!("bmi2");
        assert_eq!(has(Feature::Adx), adx);
        let expected = std::is_x86_feature_detected!("avx512f")
            && std::is_x86_feature_detected!("avx512vl")
            && std::is_x86_feature_detected!("avx512bw")
            && std::is_x86_feature_detected!("avx512dq")
            && std::is_x86_feature_detected!("avx512ifma");
        assert_eq!(has(Feature::Ifma), expected);
    }
    let detected = Feature::ALL.map(has);
    force(&[]);
    assert_eq!(Feature::ALL.map(has), [false; 3]);
    force(&Feature::ALL);
    assert_eq!(Feature::ALL.map(has), detected);
}

#[test]
fn every_rule_is_reached_by_name() {
    for rule in rules::ALL {
        assert_eq!(Rule::from_name(rule.name()), Some(rule));
        assert_eq!(rule.to_string(), rule.name());
    }
}

#[test]
fn names_that_make_no_spec_are_told_apart() {
    use sigmill::bulk::{Algorithm, SpecError, SpecSet};
    let mut set = SpecSet::new();
    let mut wrong = |algorithm: &str, rule: &str, variant: &str, context: &[u8]| {
        let error = set.intern(algorithm, rule, variant, context).expect_err("no spec");
        (error.to_string(), error)
    };
    assert_eq!(
        wrong("rsa", "common", "pure", b""),
        (
            "unknown algorithm `rsa` (known: ed25519 p256 p384)".to_owned(),
            SpecError::Algorithm("rsa".to_owned())
        )
    );
    assert_eq!(
        wrong("p384", "common", "pure", b""),
        (
            "the algorithm `p384` does not have the rules and variants of `ed25519`".to_owned(),
            SpecError::NotEd25519(Algorithm::P384)
        )
    );
    assert_eq!(wrong("ed25519", "comon", "pure", b"").1, SpecError::Rule("comon".to_owned()));
    assert_eq!(
        wrong("ed25519", "common", "prehash", b"").1,
        SpecError::Variant("prehash".to_owned())
    );
    assert_eq!(wrong("ed25519", "common", "pure", b"c").1, SpecError::ContextOfPure);
    assert_eq!(
        wrong("ed25519", "common", "ctx", &[0; 256]),
        (
            "context has 256 bytes; at most 255 are allowed".to_owned(),
            SpecError::Context(Error::ContextTooLong { got: 256 })
        )
    );
    assert_eq!(set.specs().len(), 0);
}
