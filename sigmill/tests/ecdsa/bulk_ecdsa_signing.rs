//! Bulk ECDSA signing and key generation in every backend give the bytes of the single ones.
//!
//! A backend that this CPU does not have is named on standard error and left out.

use crate::engines::{Messages, engines};
use sha2::{Digest, Sha256, Sha384, Sha512};
use sigmill::bulk::{Bitmap, BulkError, Column, SigningKeys};
use sigmill::ecdsa::Prehash;

/// Rows on both sides of the ends of vectors and groups.
const ROWS: [usize; 12] = [0, 1, 2, 7, 8, 9, 15, 16, 17, 127, 129, 260];
const MOST: usize = 260;

/// Secret keys at both ends of their range, with few bits, and others.
fn secret<const N: usize>(order: &[u8; N], i: usize) -> [u8; N] {
    let mut secret = [0; N];
    match i {
        0..=20 => secret[N - 1] = i as u8 + 1,
        // n − 1 and below
        21..=40 => {
            secret = *order;
            secret[N - 1] -= (i - 20) as u8;
        }
        // 2^(8·place)
        41..=60 => secret[N - 1 - (i - 41)] = 1,
        _ => {
            for (at, byte) in secret.iter_mut().enumerate() {
                *byte = (((i + 1) * (2 * at + 7) * 37) >> 3) as u8;
            }
            secret[0] = i as u8 & 127;
        }
    }
    secret
}

fn message(i: usize) -> Vec<u8> {
    (0..i * 29 % 300).map(|at| (at * 31 + i * 7) as u8).collect()
}

macro_rules! curve {
    ($module:ident, $width:literal, $order:expr) => {
        mod $module {
            use super::*;
            use sigmill::ecdsa::$module::SigningKey;

            fn secrets() -> Vec<[u8; $width]> {
                (0..MOST).map(|i| secret(&$order, i)).collect()
            }

            fn keys() -> Vec<SigningKey> {
                secrets().iter().map(|secret| SigningKey::from_bytes(secret).unwrap()).collect()
            }

            #[test]
            fn signatures_are_the_single_ones() {
                let keys = keys();
                let messages: Vec<Vec<u8>> = (0..MOST).map(message).collect();
                // digests shorter and longer than the order, and above it
                let digests: Vec<Vec<u8>> = (0..MOST)
                    .map(|i| match i % 4 {
                        0 => vec![i as u8; 1 + i % 70],
                        1 => vec![0xff; $width],
                        2 => vec![0; $width],
                        _ => Sha384::digest(&messages[i]).to_vec(),
                    })
                    .collect();
                for prehash in [Prehash::Sha256, Prehash::Sha384, Prehash::Sha512, Prehash::None] {
                    let inputs = if prehash == Prehash::None { &digests } else { &messages };
                    let sign = |key: &SigningKey, i: usize| {
                        let input = &inputs[i];
                        let signature = match prehash {
                            Prehash::Sha256 => key.sign_with_hash::<Sha256>(input),
                            Prehash::Sha384 => key.sign_with_hash::<Sha384>(input),
                            Prehash::Sha512 => key.sign_with_hash::<Sha512>(input),
                            _ => key.sign_digest_bytes(input).unwrap(),
                        };
                        signature.to_bytes()
                    };
                    let each: Vec<_> = (0..MOST).map(|i| sign(&keys[i], i)).collect();
                    let one: Vec<_> = (0..MOST).map(|i| sign(&keys[70], i)).collect();
                    let columns = Messages::new(inputs.iter().cloned());
                    for (engine, rows) in engines().iter().flat_map(|e| ROWS.map(|n| (e, n))) {
                        let column = columns.column(rows);
                        for (signers, expected) in [
                            (SigningKeys::Each(&keys[..rows]), &each),
                            (SigningKeys::One(&keys[70]), &one),
                        ] {
                            let mut signatures = vec![[0xee; 2 * $width]; rows];
                            engine
                                .sign_ecdsa_into(signers, prehash, &column, &mut signatures)
                                .unwrap();
                            assert!(
                                signatures == expected[..rows],
                                "{engine:?} {prehash:?} {rows} rows"
                            );
                            #[cfg(feature = "rayon")]
                            {
                                let signatures =
                                    engine.sign_ecdsa_parallel(signers, prehash, &column).unwrap();
                                assert!(signatures == expected[..rows], "{engine:?} in parallel");
                            }
                        }
                    }
                }
            }

            #[cfg(feature = "alloc")]
            #[test]
            fn checked_signatures_are_the_same() {
                let keys = keys();
                let columns = Messages::new((0..MOST).map(|i| vec![i as u8; 1 + i % 70]));
                for prehash in [Prehash::Sha256, Prehash::Sha384, Prehash::Sha512, Prehash::None] {
                    for (engine, rows) in
                        engines().iter().flat_map(|e| [0, 1, 9, 130].map(|n| (e, n)))
                    {
                        let column = columns.column(rows);
                        for signers in
                            [SigningKeys::Each(&keys[..rows]), SigningKeys::One(&keys[70])]
                        {
                            let mut plain = vec![[0xee; 2 * $width]; rows];
                            let mut checked = plain.clone();
                            engine.sign_ecdsa_into(signers, prehash, &column, &mut plain).unwrap();
                            engine
                                .sign_ecdsa_checked_into(signers, prehash, &column, &mut checked)
                                .unwrap();
                            assert!(checked == plain, "{engine:?} {prehash:?} {rows} rows");
                            #[cfg(feature = "rayon")]
                            {
                                let checked =
                                    engine.sign_ecdsa_checked_parallel(signers, prehash, &column);
                                assert!(checked.unwrap() == plain, "{engine:?} in parallel");
                            }
                        }
                    }
                }
            }

            #[test]
            fn public_keys_are_the_single_ones() {
                let (secrets, keys) = (secrets(), keys());
                let single: Vec<_> =
                    keys.iter().map(|key| key.verifying_key().to_sec1_bytes()).collect();
                for (engine, rows) in engines().iter().flat_map(|e| ROWS.map(|n| (e, n))) {
                    let mut publics = vec![[0xee; 2 * $width + 1]; rows];
                    engine
                        .ecdsa_public_keys_into::<SigningKey>(&secrets[..rows], &mut publics)
                        .unwrap();
                    assert!(publics == single[..rows], "{engine:?} {rows} rows");
                    #[cfg(feature = "alloc")]
                    {
                        let found = engine.ecdsa_signing_keys::<SigningKey>(&secrets[..rows]);
                        assert!(found.unwrap() == keys[..rows], "{engine:?} {rows} rows");
                    }
                }
            }

            #[test]
            fn a_secret_out_of_range_is_an_error_that_names_its_row() {
                let order: [u8; $width] = $order;
                for bad in [[0; $width], order, [0xff; $width]] {
                    for row in [0, 8, 140] {
                        let mut secrets = secrets();
                        secrets[row] = bad;
                        for engine in engines() {
                            let mut publics = vec![[0xee; 2 * $width + 1]; MOST];
                            let error = Err(BulkError::SecretOutOfRange { row });
                            assert_eq!(
                                engine.ecdsa_public_keys_into::<SigningKey>(&secrets, &mut publics),
                                error
                            );
                            assert!(publics == vec![[0xee; 2 * $width + 1]; MOST]);
                            #[cfg(feature = "alloc")]
                            assert_eq!(
                                engine.ecdsa_signing_keys::<SigningKey>(&secrets).map(|_| ()),
                                error
                            );
                        }
                    }
                }
            }

            #[test]
            fn what_cannot_be_signed_is_an_error_and_nothing_is() {
                let keys = keys();
                let mut inputs: Vec<Vec<u8>> = (0..20).map(|i| vec![i as u8; 32]).collect();
                inputs[9].clear();
                let columns = Messages::new(inputs);
                let column = columns.column(20);
                let bits = [0xff, 0xff, 0xf7];
                let with_null = Column::large_binary(
                    &columns.offsets,
                    &columns.bytes,
                    Some(Bitmap::new(&bits, 0)),
                )
                .unwrap();
                let all = SigningKeys::Each(&keys[..20]);
                for engine in engines() {
                    let mut signatures = vec![[0xee; 2 * $width]; 20];
                    let mut sign = |signers, prehash, column: &Column<'_>| {
                        let result =
                            engine.sign_ecdsa_into(signers, prehash, column, &mut signatures);
                        #[cfg(feature = "alloc")]
                        assert_eq!(
                            engine.sign_ecdsa_checked_into(
                                signers,
                                prehash,
                                column,
                                &mut signatures
                            ),
                            result
                        );
                        #[cfg(feature = "rayon")]
                        assert_eq!(
                            engine
                                .sign_ecdsa_checked_parallel(signers, prehash, column)
                                .map(|_| ()),
                            result
                        );
                        result
                    };
                    assert_eq!(
                        sign(all, Prehash::None, &column),
                        Err(BulkError::EmptyDigest { row: 9 })
                    );
                    assert_eq!(
                        sign(all, Prehash::Sha256, &with_null),
                        Err(BulkError::NullMessage { row: 19 })
                    );
                    let few = SigningKeys::Each(&keys[..19]);
                    let wrong = |what, got| Err(BulkError::Rows { what, expected: 20, got });
                    assert_eq!(
                        sign(few, Prehash::Sha256, &column),
                        wrong("list of signing keys", 19)
                    );
                    assert!(signatures == vec![[0xee; 2 * $width]; 20]);
                    let mut place = vec![[0xee; 2 * $width]; 21];
                    assert_eq!(
                        engine.sign_ecdsa_into(all, Prehash::Sha256, &column, &mut place),
                        wrong("signature buffer", 21)
                    );
                    #[cfg(feature = "alloc")]
                    assert_eq!(
                        engine.sign_ecdsa_checked_into(all, Prehash::Sha256, &column, &mut place),
                        wrong("signature buffer", 21)
                    );
                    assert!(place == vec![[0xee; 2 * $width]; 21]);
                    // an empty message is one like others
                    engine.sign_ecdsa_into(all, Prehash::Sha256, &column, &mut signatures).unwrap();
                    let expected = keys[9].sign_with_hash::<Sha256>(b"").to_bytes();
                    assert_eq!(signatures[9], expected);
                }
            }
        }
    };
}

const ORDER_256: [u8; 32] = [
    0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xbc, 0xe6,
    0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51,
];
const ORDER_384: [u8; 48] = [
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xc7, 0x63, 0x4d, 0x81, 0xf4, 0x37, 0x2d, 0xdf,
    0x58, 0x1a, 0x0d, 0xb2, 0x48, 0xb0, 0xa7, 0x7a, 0xec, 0xec, 0x19, 0x6a, 0xcc, 0xc5, 0x29, 0x73,
];

curve!(p256, 32, ORDER_256);
curve!(p384, 48, ORDER_384);
