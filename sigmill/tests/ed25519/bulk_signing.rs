//! Bulk signing and key generation in every backend give the bytes of the single ones.
//!
//! A backend that this CPU does not have is named on standard error and left out.

use crate::engines::{Messages, engines};
use crate::vectors::{rows, unhex, variant};
use sigmill::bulk::{Bitmap, BulkError, Column, Engine, SigningKeys};
use sigmill::ed25519::{ContextString, SigningKey, Variant};

fn seed(i: usize) -> [u8; 32] {
    let mut seed = [0x3c; 32];
    seed[..8].copy_from_slice(&(i as u64).to_le_bytes());
    seed[31] = (i * 89) as u8;
    seed
}

/// Lengths on both sides of the ends of the blocks of each of the hashes: 128 bytes, of which padding
/// takes 17, and 32 or 64 or, with dom2, 34 more stand before the message.
const EDGES: [usize; 26] = [
    0, 1, 12, 13, 14, 15, 16, 31, 32, 33, 47, 48, 63, 64, 65, 78, 79, 80, 94, 95, 96, 111, 112,
    127, 128, 129,
];

fn length(i: usize) -> usize {
    if i.is_multiple_of(3) { i * 37 % 301 } else { EDGES[i * 7 % EDGES.len()] + 128 * (i / 50 % 2) }
}

fn message(i: usize) -> Vec<u8> {
    (0..length(i)).map(|at| (at * 31 + i * 7) as u8).collect()
}

fn row_counts() -> impl Iterator<Item = usize> {
    (0..=40).chain([63, 64, 65, 200, 255, 256, 257, 300])
}

#[test]
fn signatures_are_the_single_ones() {
    const MOST: usize = 300;
    let keys: Vec<SigningKey> = (0..MOST).map(|i| SigningKey::from_bytes(&seed(i))).collect();
    let messages = Messages::new((0..MOST).map(message));
    let (short, long) = ([7; 3], [9; 255]);
    let variants = [
        Variant::Pure,
        Variant::Ctx(ContextString::EMPTY),
        Variant::Ctx(ContextString::new(&short).unwrap()),
        Variant::Ctx(ContextString::new(&long).unwrap()),
        Variant::Ph(ContextString::EMPTY),
        Variant::Ph(ContextString::new(&long).unwrap()),
    ];
    for variant in variants {
        let sign = |key: &SigningKey, i: usize| key.sign_with(variant, &message(i)).to_bytes();
        let each: Vec<_> = keys.iter().enumerate().map(|(i, key)| sign(key, i)).collect();
        let one: Vec<_> = (0..MOST).map(|i| sign(&keys[5], i)).collect();
        for engine in engines() {
            for n in row_counts() {
                let column =
                    Column::large_binary(&messages.offsets[..=n], &messages.bytes, None).unwrap();
                let mut signatures = vec![[0xee; 64]; n];
                let signers = SigningKeys::Each(&keys[..n]);
                engine.sign_into(signers, variant, &column, &mut signatures).unwrap();
                assert!(signatures == each[..n], "{engine:?} {variant:?} {n} rows");
                let signer = SigningKeys::One(&keys[5]);
                engine.sign_into(signer, variant, &column, &mut signatures).unwrap();
                assert!(signatures == one[..n], "{engine:?} {variant:?} {n} rows of one key");
                #[cfg(feature = "alloc")]
                for (signers, expected) in [(signers, &each), (signer, &one)] {
                    if [0, 1, 9, 300].contains(&n) {
                        let mut checked = vec![[0xee; 64]; n];
                        engine.sign_checked_into(signers, variant, &column, &mut checked).unwrap();
                        assert!(checked == expected[..n], "{engine:?} {variant:?} {n} checked");
                        #[cfg(feature = "rayon")]
                        let checked = engine.sign_checked_parallel(signers, variant, &column);
                        #[cfg(feature = "rayon")]
                        assert!(checked.unwrap() == expected[..n], "{engine:?} in parallel");
                    }
                }
                #[cfg(feature = "rayon")]
                for (signers, expected) in [(signers, &each), (signer, &one)] {
                    let signatures = engine.sign_parallel(signers, variant, &column).unwrap();
                    assert!(signatures == expected[..n], "{engine:?} {variant:?} {n} in parallel");
                }
            }
        }
    }
}

#[test]
fn public_keys_are_the_single_ones() {
    let seeds: Vec<_> = (0..300).map(seed).collect();
    let single: Vec<_> =
        seeds.iter().map(|seed| SigningKey::from_bytes(seed).verifying_key().to_bytes()).collect();
    for engine in engines() {
        for n in row_counts() {
            let mut publics = vec![[0xee; 32]; n];
            engine.public_keys_into(&seeds[..n], &mut publics).unwrap();
            assert!(publics == single[..n], "{engine:?} {n} rows");
            #[cfg(feature = "rayon")]
            assert!(engine.public_keys_parallel(&seeds[..n]) == single[..n], "{engine:?} {n} rows");
        }
    }
}

#[cfg(feature = "alloc")]
#[test]
fn signing_keys_are_the_single_ones() {
    use sigmill::ed25519::{Signer, rules};

    let seeds: Vec<_> = (0..260).map(seed).collect();
    for engine in engines() {
        for n in [0, 1, 2, 7, 33, 260] {
            let keys = engine.signing_keys(&seeds[..n]);
            assert_eq!(keys.len(), n);
            for (i, (key, seed)) in keys.iter().zip(&seeds).enumerate() {
                let single = SigningKey::from_bytes(seed);
                assert!(*key == single && key.to_scalar_bytes() == single.to_scalar_bytes());
                assert_eq!(key.verifying_key(), single.verifying_key());
                let signature = key.sign(b"message");
                assert_eq!(signature, single.sign(b"message"), "{engine:?} row {i} of {n}");
                // with the point as it was made, not as it is decoded
                let verdict =
                    key.verify_with(&rules::STRICT, Variant::Pure, b"message", &signature);
                assert!(verdict.is_valid(), "{engine:?} row {i} of {n}");
                assert_eq!(
                    key.verifying_key().to_montgomery(),
                    single.verifying_key().to_montgomery()
                );
            }
        }
    }
}

#[test]
fn vectors_of_the_standard_come_out_of_every_backend() {
    let vectors = rows("ed25519/sign.csv");
    assert!(vectors.iter().filter(|row| row["note"].starts_with("RFC 8032")).count() >= 10);
    for (vector, engine) in vectors.iter().flat_map(|v| engines().into_iter().map(move |e| (v, e)))
    {
        let [seed, public, message, signature, context] =
            ["seed", "key", "message", "signature", "context"].map(|name| unhex(&vector[name]));
        let seed: [u8; 32] = seed.try_into().expect("32 bytes");
        let key = SigningKey::from_bytes(&seed);
        let variant = variant(&vector["variant"], &context);
        // alone, and in each lane
        for n in [1, 9] {
            let messages = Messages::new(vec![message.clone(); n]);
            let mut publics = vec![[0; 32]; n];
            engine.public_keys_into(&vec![seed; n], &mut publics).unwrap();
            assert!(publics.iter().all(|got| got[..] == public), "{engine:?} {}", vector["note"]);
            let mut signatures = vec![[0; 64]; n];
            let signer = SigningKeys::One(&key);
            engine
                .sign_into(signer, variant, &messages.column(messages.len()), &mut signatures)
                .unwrap();
            let right = signatures.iter().all(|got| got[..] == signature);
            assert!(right, "{engine:?} {}", vector["note"]);
        }
    }
}

#[test]
fn a_null_message_is_an_error_that_names_its_row() {
    let key = SigningKey::from_bytes(&seed(1));
    let bytes = [5; 300];
    for null in [0, 8, 299] {
        let mut bits = [0xff; 38];
        bits[null / 8] &= !(1 << (null % 8));
        let column = Column::fixed(&bytes, 1, 300, Some(Bitmap::new(&bits, 0))).unwrap();
        for engine in engines() {
            let mut signatures = [[0xee; 64]; 300];
            let result =
                engine.sign_into(SigningKeys::One(&key), Variant::Pure, &column, &mut signatures);
            assert_eq!(result, Err(BulkError::NullMessage { row: null }));
            #[cfg(feature = "alloc")]
            assert_eq!(
                engine.sign_checked_into(
                    SigningKeys::One(&key),
                    Variant::Pure,
                    &column,
                    &mut signatures
                ),
                Err(BulkError::NullMessage { row: null })
            );
            #[cfg(feature = "rayon")]
            for sign in [Engine::sign_parallel, Engine::sign_checked_parallel] {
                assert_eq!(
                    sign(&engine, SigningKeys::One(&key), Variant::Pure, &column),
                    Err(BulkError::NullMessage { row: null })
                );
            }
            assert!(signatures == [[0xee; 64]; 300], "nothing is signed");
        }
    }
    let text = BulkError::NullMessage { row: 8 }.to_string();
    assert_eq!(text, "the message of row 8 is null");
}

#[test]
fn other_numbers_of_rows_are_errors() {
    let keys: Vec<SigningKey> = (0..4).map(|i| SigningKey::from_bytes(&seed(i))).collect();
    let column = Column::fixed(b"abcdef", 2, 3, None).unwrap();
    let wrong = |what, got| Err(BulkError::Rows { what, expected: 3, got });
    for engine in engines() {
        for got in [0, 2, 4] {
            let mut signatures = [[0xee; 64]; 3];
            let each = SigningKeys::Each(&keys[..got]);
            let result = engine.sign_into(each, Variant::Pure, &column, &mut signatures);
            assert_eq!(result, wrong("list of signing keys", got));
            let mut places = vec![[0xee; 64]; got];
            let each = SigningKeys::Each(&keys[..3]);
            let result = engine.sign_into(each, Variant::Pure, &column, &mut places);
            assert_eq!(result, wrong("signature buffer", got));
            #[cfg(feature = "alloc")]
            assert_eq!(
                engine.sign_checked_into(each, Variant::Pure, &column, &mut places),
                wrong("signature buffer", got)
            );
            assert!(signatures == [[0xee; 64]; 3] && places == vec![[0xee; 64]; got]);
            let mut publics = vec![[0xee; 32]; got];
            let result = engine.public_keys_into(&[seed(0), seed(1), seed(2)], &mut publics);
            assert_eq!(result, wrong("public key buffer", got));
            assert!(publics == vec![[0xee; 32]; got]);
        }
    }
}
