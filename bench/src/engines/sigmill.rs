//! Our own library. Bulk verification is the variant on one thread.

use sigmill::bulk::{self, Column, Spec, Specs, Table};
use sigmill::ed25519::{Rule, Signature, SigningKey, Variant, VerifyingKey, rules, verify_bytes};
use sigmill_bench_abi::{Engine, Offer, Rows, locked_version};
use std::hint::black_box;
use std::ops::Range;

pub(crate) fn engine() -> &'static Engine {
    let offers = vec![
        Offer::each("ed25519.keygen", "", |rows, row, answer| {
            let key = SigningKey::from_bytes(rows.secrets.row(row));
            answer.copy_from_slice(&key.verifying_key().to_bytes());
        }),
        Offer::prepared("ed25519.sign32", "", signing_key, sign),
        Offer::prepared("ed25519.sign1k", "", signing_key, sign),
        verify_raw("ed25519.verify_raw", &rules::COMMON),
        Offer::prepared(
            "ed25519.verify_parsed",
            "common",
            verifying_key,
            |key, rows, row, answer| {
                answer[0] = verify(key, &rules::COMMON, rows, row).into();
            },
        ),
        verify_raw("ed25519.verify_strict_raw", &rules::STRICT),
        Offer::each("ed25519.decompress", "", |rows, row, answer| {
            let key = black_box(VerifyingKey::from_bytes(rows.publics.row(row)));
            answer[0] = key.is_ok().into();
        }),
        batch_raw("ed25519.batch_raw", &rules::COMMON),
        batch_raw("ed25519.batch_raw", &rules::ZIP215),
        batch_parsed(&rules::COMMON),
        batch_parsed(&rules::ZIP215),
        batch_raw("ed25519.batch_onekey", &rules::COMMON),
        batch_raw("ed25519.batch_onekey", &rules::ZIP215),
    ];
    Engine::new(locked_version("sigmill"), "u64x5", offers)
}

fn signing_key(rows: &Rows<'_>, row: usize) -> SigningKey {
    SigningKey::from_bytes(rows.secrets.row(row))
}

fn verifying_key(rows: &Rows<'_>, row: usize) -> VerifyingKey {
    VerifyingKey::from_bytes(rows.publics.row(row)).expect("a point")
}

fn sign(key: &SigningKey, rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
    let signature = key.sign_with(Variant::Pure, rows.messages.row(row));
    answer.copy_from_slice(&signature.to_bytes());
}

fn verify(key: &VerifyingKey, rule: &Rule, rows: &Rows<'_>, row: usize) -> bool {
    let signature = Signature::from_bytes(rows.signatures.row(row));
    key.verify_with(rule, Variant::Pure, rows.messages.row(row), &signature).is_valid()
}

fn verify_raw(op: &str, rule: &'static Rule) -> Offer {
    Offer::each(op, rule.name(), |rows, row, answer| {
        let (key, signature) = (rows.publics.row::<32>(row), rows.signatures.row::<64>(row));
        let verdict = verify_bytes(rule, Variant::Pure, key, rows.messages.row(row), signature);
        answer[0] = verdict.is_valid().into();
    })
}

fn batch_raw(op: &str, rule: &'static Rule) -> Offer {
    Offer::batch(
        op,
        rule.name(),
        |_, _| Some(()),
        |(), rows, range, answers| {
            let n = range.len();
            let table = Table::new(
                Column::fixed(rows.publics.bytes(range.clone()), 32, n, None).expect("keys"),
                Column::binary(
                    rows.messages.offsets(range.clone()),
                    rows.messages.all_bytes(),
                    None,
                )
                .expect("messages"),
                Column::fixed(rows.signatures.bytes(range), 64, n, None).expect("signatures"),
                Specs::Same(Spec::ed25519(rule, Variant::Pure)),
            );
            let outcomes =
                bulk::verify(&table.expect("columns of one length")).expect("random bytes");
            for (answer, outcome) in answers.iter_mut().zip(outcomes) {
                *answer = outcome.is_some_and(|verdict| verdict.is_valid()).into();
            }
        },
    )
}

/// Bulk verification takes bytes; with parsed keys it is one signature after the other.
fn batch_parsed(rule: &'static Rule) -> Offer {
    Offer::batch(
        "ed25519.batch_parsed",
        rule.name(),
        |rows, _| Some((0..rows.count).map(|row| verifying_key(rows, row)).collect()),
        |keys: &mut Vec<VerifyingKey>, rows, range: Range<usize>, answers| {
            for (row, answer) in range.zip(answers) {
                *answer = verify(&keys[row], rule, rows, row).into();
            }
        },
    )
}
