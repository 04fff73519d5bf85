//! Our ECDSA: one operation after the other, and columns of signatures.

use super::columns::messages;
use sigmill::bulk::{Column, Engine, Scratch, SigningKeys, Spec, Specs, Table};
use sigmill::cpu::{Backend, Feature, has};
use sigmill::ecdsa::{Prehash, Scheme};
use sigmill_bench_abi::{Offer, Rows};

macro_rules! curve {
    ($curve:ident, $name:literal, $width:literal, $words:literal, $prehash:ident) => {
        mod $curve {
            use super::*;
            use ::sigmill::ecdsa::LowS;
            use ::sigmill::ecdsa::$curve::{Signature, SigningKey, VerifyingKey};

            pub(super) fn offers() -> [Offer; 5] {
                [
                    Offer::each(concat!($name, ".keygen"), "", |rows, row, answer| {
                        let public = signing_key(rows, row).verifying_key().to_sec1_bytes();
                        answer.copy_from_slice(&public);
                    })
                    .on(backend($words)),
                    Offer::prepared(
                        concat!($name, ".sign"),
                        "",
                        signing_key,
                        |key, rows, row, answer| {
                            let signature = key.sign_message(rows.messages.row(row));
                            answer.copy_from_slice(&signature.to_bytes());
                        },
                    )
                    .on(backend($words)),
                    Offer::prepared(concat!($name, ".verify"), "", verifying_key, verify)
                        .on(backend($words)),
                    Offer::each(concat!($name, ".verify_raw"), "", |rows, row, answer| {
                        match VerifyingKey::from_sec1_bytes(rows.publics.get(row)) {
                            Ok(key) => verify(&key, rows, row, answer),
                            Err(_) => answer[0] = 0,
                        }
                    })
                    .on(backend($words)),
                    Offer::prepared(
                        concat!($name, ".verify_patterns"),
                        "",
                        verifying_key,
                        |key, rows, row, answer| {
                            let digest = rows.messages.row(row);
                            answer[0] = signature(rows, row)
                                .is_some_and(|signature| {
                                    key.verify_digest_with(LowS::Any, digest, &signature).is_valid()
                                })
                                .into();
                        },
                    )
                    .on(backend($words)),
                ]
            }

            /// Signatures by key objects that were made beforehand.
            pub(super) fn sign_bulk() -> Offer {
                let bulk = Engine::new();
                let keys = |rows: &Rows<'_>, _| {
                    Some((0..rows.count).map(|row| signing_key(rows, row)).collect::<Vec<_>>())
                };
                let op = concat!($name, ".sign_bulk");
                let offer = Offer::batch(op, "", keys, move |keys, rows, range, answers| {
                    let keys = SigningKeys::Each(&keys[range.clone()]);
                    let signatures = answers.as_chunks_mut::<{ 2 * $width }>().0;
                    bulk.sign_ecdsa_into(
                        keys,
                        Prehash::$prehash,
                        &messages(rows, range),
                        signatures,
                    )
                    .expect("columns of one length");
                });
                offer.on(backend($words))
            }

            fn signing_key(rows: &Rows<'_>, row: usize) -> SigningKey {
                SigningKey::from_slice(rows.secrets.get(row)).expect("a secret key")
            }

            fn verifying_key(rows: &Rows<'_>, row: usize) -> VerifyingKey {
                VerifyingKey::from_sec1_bytes(rows.publics.get(row)).expect("a point")
            }

            fn signature(rows: &Rows<'_>, row: usize) -> Option<Signature> {
                Signature::from_slice(rows.signatures.get(row)).ok()
            }

            fn verify(key: &VerifyingKey, rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
                let message = rows.messages.row(row);
                answer[0] = signature(rows, row)
                    .is_some_and(|it| key.verify_with(LowS::Any, message, &it).is_valid())
                    .into();
            }
        }
    };
}

curve!(p256, "p256", 32, "u64x4", Sha256);
curve!(p384, "p384", 48, "u64x6", Sha384);

/// The backend of operations on a curve, single or bulk: with ADX, products in words have code of their own.
fn backend(words: &str) -> &str {
    if has(Feature::Ifma) {
        Backend::Ifma.name()
    } else if has(Feature::Adx) {
        Feature::Adx.name()
    } else {
        words
    }
}

/// Operations on both curves.
pub(super) fn offers() -> impl Iterator<Item = Offer> {
    p256::offers().into_iter().chain(p384::offers()).chain([
        columns("p256.verify_bulk", Scheme::P256, "u64x4"),
        columns("p384.verify_bulk", Scheme::P384, "u64x6"),
        p256::sign_bulk(),
        p384::sign_bulk(),
    ])
}

/// Verification of columns of bytes, keys in SEC1 bytes.
fn columns(op: &str, scheme: Scheme, words: &str) -> Offer {
    let bulk = Engine::new();
    let memory =
        move |_: &Rows<'_>, n| Some((vec![None; n], vec![Scratch::new(); bulk.scratch_len(n)]));
    let offer = Offer::batch(op, "", memory, move |memory, rows, range, answers| {
        let (outcomes, scratch) = memory;
        let specs = Specs::Same(Spec::Ecdsa(scheme));
        let table = Table::new(
            fixed(rows.publics.bytes(range.clone()), range.len()),
            messages(rows, range.clone()),
            fixed(rows.signatures.bytes(range.clone()), range.len()),
            specs,
        );
        bulk.verify_into(&table.expect("columns of one length"), outcomes, scratch)
            .expect("memory");
        for (answer, outcome) in answers.iter_mut().zip(outcomes.iter()) {
            *answer = outcome.is_some_and(|verdict| verdict.is_valid()).into();
        }
    });
    offer.on(backend(words))
}

fn fixed(bytes: &[u8], rows: usize) -> Column<'_> {
    Column::fixed(bytes, bytes.len() / rows, rows, None).expect("whole rows")
}
