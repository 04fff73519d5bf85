//! Points and scalars of curve25519-dalek as keys, under each rule: small order, and a component of small order.

use curve25519_dalek::constants::EIGHT_TORSION;
use curve25519_dalek::edwards::{CompressedEdwardsY, EdwardsPoint};
use curve25519_dalek::montgomery::MontgomeryPoint;
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::Identity;
use sha2::{Digest, Sha512};
use sigmill::ed25519::{Signature, SigningKey, Variant, VerifyingKey, rules};
use sigmill::x25519::{PublicKey, StaticSecret};
use sigmill::{Error, Reason};

/// A signature by a whose key and R are the points named: S = r + k·a.
fn signed(a: &Scalar, key: &VerifyingKey, r: &Scalar, point: EdwardsPoint, m: &[u8]) -> Signature {
    let r_bytes = point.compress().to_bytes();
    let k = Sha512::new().chain_update(r_bytes).chain_update(key.as_bytes()).chain_update(m);
    let k = Scalar::from_bytes_mod_order_wide(&k.finalize().into());
    Signature::from_components(r_bytes, (r + k * a).to_bytes())
}

#[test]
fn a_point_of_small_order_is_a_key_that_some_rules_refuse() {
    for torsion in EIGHT_TORSION {
        let key = VerifyingKey::from(torsion);
        assert!(key.is_weak() && key.is_canonical() && key.to_edwards() == torsion);
        for rule in rules::ALL {
            let refuses = ["strict", "no_small_key", "no_small"].contains(&rule.name());
            let refused = refuses.then_some(Reason::KeySmallOrder);
            assert_eq!(key.check(rule).ok().err(), refused, "{}", rule.name());
        }
        // X25519 takes it, and `agree` says what it is
        let public = PublicKey::from(torsion.to_montgomery());
        let refused = StaticSecret::from([7; 32]).agree(&public);
        assert_eq!(refused.err(), Some(Error::NotContributory));
    }
    assert!(VerifyingKey::from(EdwardsPoint::identity()).is_weak());
}

#[test]
fn a_point_with_torsion_is_a_key_to_which_the_rule_says_what_it_signed() {
    let a = Scalar::from_bytes_mod_order([0x5a; 32]);
    let r = Scalar::from_bytes_mod_order([0xa5; 32]);
    let mut seen = [0; 2];
    for (i, torsion) in EIGHT_TORSION.into_iter().enumerate().skip(1) {
        let key = VerifyingKey::from(EdwardsPoint::mul_base(&a) + torsion);
        assert!(!key.is_weak() && !key.to_edwards().is_torsion_free());
        for counter in 0..40_u8 {
            let message = [counter, i as u8];
            let signature = signed(&a, &key, &r, EdwardsPoint::mul_base(&r), &message);
            let k = Sha512::new().chain_update(signature.r_bytes()).chain_update(key.as_bytes());
            let k = Scalar::from_bytes_mod_order_wide(&k.chain_update(message).finalize().into());
            let exact = k * torsion == EdwardsPoint::identity();
            seen[usize::from(exact)] += 1;
            for rule in rules::ALL {
                assert!(key.check(rule).is_valid());
                let verdict = key.verify_with(rule, Variant::Pure, &message, &signature);
                let cofactored =
                    ["rfc8032", "zip215", "no_small_key", "no_small"].contains(&rule.name());
                assert_eq!(verdict.is_valid(), cofactored || exact, "{} {i}", rule.name());
            }
        }
    }
    assert!(seen.iter().all(|count| *count > 20), "{seen:?}");
}

#[test]
fn u_coordinates_are_their_bytes() {
    for n in 0..40 {
        let key = SigningKey::from_bytes(&[n; 32]).verifying_key();
        let u = MontgomeryPoint::from(key.to_montgomery());
        assert_eq!(u, key.to_edwards().to_montgomery());
        assert_eq!(PublicKey::from(u), PublicKey::from(&key));
        assert_eq!(MontgomeryPoint::from(PublicKey::from(u)).0, u.0);
        // bytes that are no canonical u stay as they came
        assert_eq!(PublicKey::from(MontgomeryPoint([0xff - n; 32])).to_bytes(), [0xff - n; 32]);
    }
}

#[cfg(feature = "hazmat")]
#[test]
fn scalars_are_the_same_integers() {
    use sigmill::ed25519::hazmat;
    for n in 0..40_u8 {
        let theirs = Scalar::from_bytes_mod_order([n.wrapping_mul(37); 32]);
        let ours = hazmat::Scalar::from(theirs);
        assert_eq!(ours.to_bytes(), theirs.to_bytes());
        assert_eq!(hazmat::Scalar::from(&theirs), ours);
        assert_eq!(Scalar::from(&ours), theirs);
        assert_eq!(Scalar::from(ours), theirs);
    }
    // ℓ − 1 and 0, the ends
    for end in [-Scalar::ONE, Scalar::ZERO] {
        assert_eq!(Scalar::from(hazmat::Scalar::from(end)), end);
    }
}

/// What decodes here decodes there, to the same point: without that `to_edwards` would have nothing to return.
#[test]
fn the_same_encodings_decode() {
    let mut decoded = 0;
    for n in 0..4000_u32 {
        let hash = Sha512::digest(n.to_le_bytes());
        let bytes: [u8; 32] = *hash.first_chunk().unwrap();
        let theirs = CompressedEdwardsY(bytes).decompress();
        let ours = VerifyingKey::decode(&bytes).ok();
        assert_eq!(ours.map(|key| key.to_edwards()), theirs);
        assert_eq!(theirs.map(|point| VerifyingKey::from(point).to_bytes()), ours.map(|_| bytes));
        decoded += usize::from(ours.is_some());
    }
    assert!((1800..2200).contains(&decoded), "{decoded}");
}
