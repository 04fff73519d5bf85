//! Ed25519 keys as points and scalars of `curve25519-dalek`: what key blinding and conversions to X25519 need.

use super::ed25519_dalek::hazmat::{ExpandedSecretKey, raw_sign};
use super::ed25519_dalek::{Sha512, Signature, SigningKey, Verifier, VerifyingKey};
use super::x25519_dalek::{PublicKey, StaticSecret};
use curve25519_dalek::constants::EIGHT_TORSION;
use curve25519_dalek::edwards::EdwardsPoint;
use curve25519_dalek::montgomery::MontgomeryPoint;
use curve25519_dalek::scalar::{Scalar, clamp_integer};
use curve25519_dalek::traits::Identity;

fn conversions(key: &VerifyingKey, say: &mut impl FnMut(String)) {
    let point = key.to_edwards();
    say(format!("{:?}", point.compress().as_bytes()));
    say(format!("{}", EdwardsPoint::from(*key) == point));
    say(format!("{} {}", point.is_small_order(), point.is_torsion_free()));
    // the canonical bytes of the same point
    let again = VerifyingKey::from(point);
    say(format!("{:?} {}", again.as_bytes(), again.is_weak()));
    say(format!("{}", again == *key));
    let u: MontgomeryPoint = key.to_montgomery().into();
    say(format!("{:?} {}", u.as_bytes(), u == point.to_montgomery()));
    for sign in [0, 1] {
        let back = key.to_montgomery().to_edwards(sign);
        say(format!("{:?}", back.map(|point| point.compress().to_bytes())));
    }
}

/// Key blinding as in Tor's onion services: a·h signs under h·A.
fn blinded(secret: &ExpandedSecretKey, factor: [u8; 32]) -> ExpandedSecretKey {
    let factor = Scalar::from_bytes_mod_order(clamp_integer(factor));
    let scalar = Scalar::from(secret.scalar.clone()) * factor;
    ExpandedSecretKey { scalar: scalar.into(), hash_prefix: [factor.to_bytes()[0]; 32] }
}

pub fn account() -> Vec<String> {
    let mut account = Vec::new();
    let mut say = |line: String| account.push(line);
    for n in 0..8 {
        let key = SigningKey::from_bytes(&[n; 32]);
        let public = key.verifying_key();
        conversions(&public, &mut say);
        let scalar: Scalar = key.to_scalar().into();
        say(format!("{:?} {}", scalar.as_bytes(), key.to_scalar() == scalar));
        say(format!("{}", key.to_scalar() == scalar + Scalar::ONE));
        say(format!("{}", VerifyingKey::from(EdwardsPoint::mul_base(&scalar)) == public));
        // X25519 of the same pair, by points and by functions
        let (secret, u) = (StaticSecret::from(key.to_scalar_bytes()), public.to_montgomery());
        let x25519 = PublicKey::from(u.to_bytes());
        say(format!("{:?} {}", x25519.as_bytes(), x25519 == PublicKey::from(&secret)));
        let shared = secret.diffie_hellman(&PublicKey::from([9 + n; 32]));
        say(format!("{}", (MontgomeryPoint([9 + n; 32]) * scalar).as_bytes() == shared.as_bytes()));
        // a torsion component stays
        for torsion in EIGHT_TORSION {
            conversions(&VerifyingKey::from(public.to_edwards() + torsion), &mut say);
        }
        // blinded keys sign, and their public keys are known without the secret
        let secret = ExpandedSecretKey::from(key.as_bytes());
        let blind = blinded(&secret, [n ^ 0x5a; 32]);
        let factor = Scalar::from_bytes_mod_order(clamp_integer([n ^ 0x5a; 32]));
        let blind_public = VerifyingKey::from(&blind);
        say(format!("{}", VerifyingKey::from(factor * public.to_edwards()) == blind_public));
        let signature: Signature = raw_sign::<Sha512>(&blind, b"message", &blind_public);
        say(format!("{signature} {}", blind_public.verify(b"message", &signature).is_ok()));
        say(format!("{}", public.verify(b"message", &signature).is_ok()));
    }
    for torsion in EIGHT_TORSION {
        conversions(&VerifyingKey::from(torsion), &mut say);
    }
    conversions(&VerifyingKey::from(EdwardsPoint::identity()), &mut say);
    // every encoding of few bits and near p, canonical or not
    for y in 0..120 {
        for (fill, top) in [(0, 0), (0, 0x80), (0xff, 0x7f), (0xff, 0xff)] {
            let mut bytes = [fill; 32];
            (bytes[0], bytes[31]) = (y ^ fill, top);
            match VerifyingKey::from_bytes(&bytes) {
                Ok(key) => conversions(&key, &mut say),
                Err(_) => say(format!("{y} {top}")),
            }
        }
    }
    account
}
