//! x25519-dalek 2 and ours: one program on both, and points of curve25519-dalek 4.

#![allow(missing_docs)]

macro_rules! program {
    ($module:ident, $x25519:path) => {
        mod $module {
            use library::{
                EphemeralSecret, PublicKey, ReusableSecret, StaticSecret, X25519_BASEPOINT_BYTES,
                x25519,
            };
            use rand_core::{CryptoRng, Error, RngCore};
            use $x25519 as library;

            /// A random source for tests: a counter.
            struct Counter(u8);

            impl RngCore for Counter {
                fn next_u32(&mut self) -> u32 {
                    self.0 = self.0.wrapping_add(1);
                    u32::from(self.0)
                }

                fn next_u64(&mut self) -> u64 {
                    self.next_u32().into()
                }

                fn fill_bytes(&mut self, bytes: &mut [u8]) {
                    bytes.fill_with(|| self.next_u32() as u8);
                }

                fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Error> {
                    self.fill_bytes(bytes);
                    Ok(())
                }
            }

            impl CryptoRng for Counter {}

            pub(super) fn account() -> Vec<String> {
                let mut said = Vec::new();
                let mut keys: Vec<[u8; 32]> = (0..20).map(|n| [n * 13; 32]).collect();
                keys.push(X25519_BASEPOINT_BYTES);
                keys.push([0xff; 32]);
                for (n, bytes) in keys.iter().enumerate() {
                    let their_public = PublicKey::from(*bytes);
                    let mut rng = Counter(n as u8);
                    let secret = StaticSecret::random_from_rng(&mut rng);
                    let again = StaticSecret::from(secret.to_bytes());
                    let public = PublicKey::from(&secret);
                    said.push(format!("{:?} {:?}", secret.as_bytes(), public.as_bytes()));
                    said.push(format!("{}", again.clone().as_ref() == secret.as_ref()));
                    let shared = secret.diffie_hellman(&their_public);
                    said.push(format!("{:?} {}", shared.as_bytes(), shared.was_contributory()));
                    said.push(format!(
                        "{}",
                        x25519(secret.to_bytes(), *bytes) == shared.to_bytes()
                    ));
                    said.push(serde_json::to_string(&secret).unwrap());
                    let json = serde_json::to_string(&public).unwrap();
                    said.push(format!(
                        "{}",
                        serde_json::from_str::<PublicKey>(&json).unwrap() == public
                    ));
                    said.push(json);
                    let ephemeral = EphemeralSecret::random_from_rng(&mut rng);
                    said.push(format!("{:?}", PublicKey::from(&ephemeral).to_bytes()));
                    said.push(format!("{:?}", ephemeral.diffie_hellman(&their_public).as_ref()));
                    let reusable = ReusableSecret::random_from_rng(&mut rng);
                    said.push(format!("{:?}", PublicKey::from(&reusable).to_bytes()));
                    said.push(format!(
                        "{:?}",
                        reusable.clone().diffie_hellman(&their_public).to_bytes()
                    ));
                }
                assert!(StaticSecret::random().to_bytes() != StaticSecret::random().to_bytes());
                said
            }
        }
    };
}

#[cfg(all(feature = "getrandom", feature = "serde", feature = "x25519"))]
program!(theirs, ::x25519_dalek);
#[cfg(all(feature = "getrandom", feature = "serde", feature = "x25519"))]
program!(ours, ::sigmill_dalek2::x25519);

#[cfg(all(feature = "getrandom", feature = "serde", feature = "x25519"))]
#[test]
fn agreement_is_that_of_dalek() {
    let (theirs, ours) = (theirs::account(), ours::account());
    assert!(ours.len() > 100);
    for (ours, theirs) in ours.iter().zip(&theirs) {
        assert_eq!(ours, theirs, "left: ours, right: x25519-dalek");
    }
    assert_eq!(ours.len(), theirs.len());
}

#[cfg(feature = "curve25519-dalek")]
#[test]
fn points_are_those_of_dalek() {
    use curve25519_dalek::constants::EIGHT_TORSION;
    use curve25519_dalek::edwards::EdwardsPoint;
    use sigmill_dalek2::{SigningKey, VerifyingKey};
    for n in 0..20 {
        let key = SigningKey::from_bytes(&[n; 32]).verifying_key();
        let their_key = dalek::SigningKey::from_bytes(&[n; 32]).verifying_key();
        assert_eq!(key.to_edwards(), their_key.to_edwards());
        assert_eq!(EdwardsPoint::from(key), key.to_edwards());
        for torsion in EIGHT_TORSION {
            let point = key.to_edwards() + torsion;
            let (ours, theirs) = (VerifyingKey::from(point), dalek::VerifyingKey::from(point));
            assert_eq!(ours.to_bytes(), theirs.to_bytes());
            assert_eq!(ours.to_montgomery().to_bytes(), theirs.to_montgomery().to_bytes());
            assert_eq!(ours.to_edwards(), point);
        }
    }
    for torsion in EIGHT_TORSION {
        assert!(
            VerifyingKey::from(torsion).is_weak() && dalek::VerifyingKey::from(torsion).is_weak()
        );
    }
}
