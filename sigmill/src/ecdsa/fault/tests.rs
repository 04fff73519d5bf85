//! Faults while signing: a step that goes wrong once, a bit that flips in the key, a message that changes
//! between the passes, must suppress the output of `sign_checked` and of bulk signing with checks.

use super::{Step, plant};
use crate::bulk::{Backend, BulkError, Column, Engine, SigningKeys};
use crate::curve::weierstrass::Affine;
use crate::ecdsa::{CurveKey, Prehash};
use crate::error::Error;
use crate::modular::{Arithmetic, PrimeField};
use core::cell::Cell;
use std::vec::Vec;

const MESSAGE: &[u8] = b"attack at dawn";
const STEPS: [Step; 7] =
    [Step::Digest, Step::Nonce, Step::X, Step::R, Step::Inverse, Step::Sum, Step::S];

/// Rows of a group that is not full, in lanes and one vector more.
const ROWS: usize = 9;

fn engines() -> Vec<Engine> {
    Backend::ALL.iter().filter_map(|backend| Engine::new().with_backend(*backend).ok()).collect()
}

/// The result of bulk signing of nine messages, and the contents of the buffer that was full of `filled`.
fn bulk<K: CurveKey>(
    engine: &Engine,
    keys: &[K],
    prehash: Prehash,
    filled: K::Signature,
) -> (Result<(), BulkError>, Vec<K::Signature>) {
    let messages: Vec<u8> = (0..32 * ROWS).map(|i| i as u8).collect();
    let column = Column::fixed(&messages, 32, ROWS, None).unwrap();
    let mut place = std::vec![filled; ROWS];
    let keys = SigningKeys::Each(keys);
    (engine.sign_ecdsa_checked_into(keys, prehash, &column, &mut place), place)
}

macro_rules! curve {
    ($module:ident, $hash:ident, $prehash:ident, $width:literal) => {
        mod $module {
            use super::*;
            use crate::ecdsa::$module::{Signature, SigningKey};
            use crate::hash::$hash as Hash;
            use sha2::digest::Digest;

            fn key(byte: u8) -> SigningKey {
                SigningKey::from_bytes(&[byte; $width]).unwrap()
            }

            /// The key with another secret, and the public key that it had.
            fn with_flipped_secret(key: &SigningKey, bit: usize) -> SigningKey {
                let mut bytes = key.to_bytes();
                bytes[$width - 1 - bit / 8] ^= 1 << (bit % 8);
                let flipped = SigningKey::from_bytes(&bytes).unwrap();
                SigningKey::from_parts(*flipped.scalar(), key.verifying_key().0)
            }

            /// The key with another public key: off the curve, and, where `opposite`, on it.
            fn with_wrong_public_key(key: &SigningKey, opposite: bool) -> SigningKey {
                let Affine { x, mut y } = key.verifying_key().0;
                y = if opposite { y.neg() } else { y.add(&PrimeField::ONE) };
                SigningKey::from_parts(*key.scalar(), Affine { x, y })
            }

            #[test]
            fn without_a_fault_the_signature_is_the_deterministic_one() {
                let (key, noise) = (key(7), [9; 32]);
                let digest = Hash::digest(MESSAGE);
                let plain = key.sign_message(MESSAGE);
                assert_eq!(key.sign_checked(None, MESSAGE), Ok(plain));
                assert_eq!(key.sign_digest_checked(None, &digest), Ok(plain));
                let hedged = key.sign_hedged_with_hash::<Hash>(&noise, MESSAGE);
                assert_ne!(hedged, plain);
                assert_eq!(key.sign_checked(Some(&noise), MESSAGE), Ok(hedged));
                assert_eq!(key.sign_digest_checked(Some(&noise), &digest), Ok(hedged));
                let other = key.sign_with_hash::<sha2::Sha512>(MESSAGE);
                assert_eq!(key.sign_checked_with_hash::<sha2::Sha512>(None, MESSAGE), Ok(other));
                assert_eq!(key.sign_digest_checked(None, &[]), Err(Error::DigestEmpty));
            }

            #[test]
            fn a_step_that_goes_wrong_once_suppresses_the_signature() {
                let key = key(7);
                for step in STEPS {
                    for time in 0..2 {
                        plant(Some((step, time)));
                        assert_eq!(key.sign_checked(None, MESSAGE), Err(Error::Fault), "{step:?}");
                        assert_eq!(plant(None), None, "{step:?} was not reached");
                    }
                }
            }

            #[test]
            fn a_step_that_goes_wrong_once_suppresses_all_signatures_in_bulk() {
                let keys: Vec<SigningKey> = (1..=ROWS as u8).map(key).collect();
                let filled = [0xee; 2 * $width];
                for (engine, step) in engines().iter().flat_map(|e| STEPS.map(|step| (e, step))) {
                    for (time, row) in [(0, 0), (4, 4), (ROWS - 1, ROWS - 1), (ROWS + 2, 2)] {
                        plant(Some((step, time)));
                        let (result, place) = bulk(engine, &keys, Prehash::$prehash, filled);
                        assert_eq!(plant(None), None, "{engine:?} {step:?} was not reached");
                        // lanes go through their rows backwards in the second half
                        let rows = [row, ROWS - 1 - row].map(|row| Err(BulkError::Fault { row }));
                        assert!(rows.contains(&result), "{engine:?} {step:?} {result:?}");
                        assert!(place == [filled; ROWS]);
                    }
                }
            }

            #[test]
            fn a_bit_that_flips_in_the_secret_suppresses_the_signature() {
                let key = key(7);
                for bit in 0..8 * $width - 8 {
                    let key = with_flipped_secret(&key, bit);
                    assert_eq!(key.sign_checked(None, MESSAGE), Err(Error::Fault), "bit {bit}");
                }
            }

            #[test]
            fn a_wrong_public_key_suppresses_the_signature() {
                for opposite in [false, true] {
                    let key = with_wrong_public_key(&key(7), opposite);
                    assert_eq!(key.sign_checked(None, MESSAGE), Err(Error::Fault));
                }
            }

            #[test]
            fn a_key_gone_wrong_suppresses_all_signatures_in_bulk() {
                let filled = [0xee; 2 * $width];
                let good: Vec<SigningKey> = (1..=ROWS as u8).map(key).collect();
                for engine in engines() {
                    for prehash in [Prehash::Sha256, Prehash::Sha384, Prehash::None] {
                        let (result, place) = bulk(&engine, &good, prehash, filled);
                        assert_eq!(result, Ok(()));
                        assert!(place.iter().all(|signature| *signature != filled));
                    }
                    for row in [0, 3, ROWS - 1] {
                        for wrong in [
                            with_flipped_secret(&good[row], 77),
                            with_wrong_public_key(&good[row], false),
                            with_wrong_public_key(&good[row], true),
                        ] {
                            let mut keys = good.clone();
                            keys[row] = wrong;
                            let (result, place) = bulk(&engine, &keys, Prehash::$prehash, filled);
                            assert_eq!(result, Err(BulkError::Fault { row }), "{engine:?}");
                            assert!(place == [filled; ROWS]);
                        }
                    }
                }
            }

            #[test]
            fn a_message_that_changes_between_two_passes_suppresses_the_signature() {
                let sign = |first_changed: u32, last_changed: u32| -> Result<Signature, Error> {
                    let pass = Cell::new(0);
                    key(7).sign_checked_reading(SigningKey::sign_parts::<Hash>, None, || {
                        pass.set(pass.get() + 1);
                        let changed = (first_changed..=last_changed).contains(&pass.get());
                        Hash::digest(if changed { b"attack at dusk" } else { MESSAGE })
                    })
                };
                assert_eq!(sign(4, 4), Ok(key(7).sign_message(MESSAGE)));
                assert_eq!(sign(1, 3), Ok(key(7).sign_message(b"attack at dusk")));
                for (changed, error) in [
                    ((2, 3), Error::MessageChanged),
                    ((2, 2), Error::MessageChanged),
                    ((1, 1), Error::MessageChanged),
                    ((3, 3), Error::Fault),
                    ((1, 2), Error::Fault),
                ] {
                    assert_eq!(sign(changed.0, changed.1), Err(error), "passes {changed:?}");
                }
            }
        }
    };
}

curve!(p256, Sha256, Sha256, 32);
curve!(p384, Sha384, Sha384, 48);

/// A key that is wiped while it signs has a secret of 0, and no nonce makes a signature of a digest of 0 with it.
#[test]
fn signing_with_a_secret_of_zero_ends() {
    use crate::curve::weierstrass::{Curve, NistP256};
    let zero = <NistP256 as Curve>::Scalar::ZERO;
    let (mut r, mut s) = ([1; 32], [1; 32]);
    crate::ecdsa::sign::sign::<NistP256, sha2::Sha256>(&zero, &[0; 32], &[], &mut r, &mut s);
    assert_eq!([r, s], [[0; 32]; 2]);
}
