//! graviola. It stops the program on a CPU without the instructions that it needs.

use super::Loaded;
use graviola::signing::eddsa::{Ed25519SigningKey, Ed25519VerifyingKey};
use sigmill_bench_abi::{Engine, Offer, Rows, locked_version};
use std::hint::black_box;

pub(crate) fn engine() -> Loaded {
    let needed = is_x86_feature_detected!("aes")
        && is_x86_feature_detected!("pclmulqdq")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("adx")
        && is_x86_feature_detected!("avx2");
    if !needed {
        return Err("this CPU lacks AES, PCLMULQDQ, BMI1, BMI2, ADX or AVX2".into());
    }
    let rule = "rfc8032_exact";
    let offers = vec![
        Offer::each("ed25519.keygen", "", keygen),
        Offer::each("ed25519.keygen_bulk", "", keygen),
        Offer::prepared("ed25519.sign32", "", signing_key, sign),
        Offer::prepared("ed25519.sign1k", "", signing_key, sign),
        Offer::prepared("ed25519.sign_bulk", "", signing_key, sign),
        Offer::each("ed25519.verify_raw", rule, |rows, row, answer| {
            let key = Ed25519VerifyingKey::from_bytes(rows.publics.row::<32>(row));
            answer[0] = key.is_ok_and(|key| verify(&key, rows, row)).into();
        }),
        Offer::prepared("ed25519.verify_parsed", rule, verifying_key, |key, rows, row, answer| {
            answer[0] = verify(key, rows, row).into();
        }),
        Offer::each("ed25519.decompress", "", |rows, row, answer| {
            let key = black_box(Ed25519VerifyingKey::from_bytes(rows.publics.row::<32>(row)));
            answer[0] = key.is_ok().into();
        }),
    ];
    Ok(Engine::new(locked_version("graviola"), "bmi2+adx", offers))
}

fn signing_key(rows: &Rows<'_>, row: usize) -> Ed25519SigningKey {
    Ed25519SigningKey::from_bytes(rows.secrets.row::<32>(row)).expect("any seed is a key")
}

fn verifying_key(rows: &Rows<'_>, row: usize) -> Ed25519VerifyingKey {
    Ed25519VerifyingKey::from_bytes(rows.publics.row::<32>(row)).expect("a point")
}

fn keygen(rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
    answer.copy_from_slice(&signing_key(rows, row).public_key().as_bytes());
}

fn sign(key: &Ed25519SigningKey, rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
    answer.copy_from_slice(&key.sign(rows.messages.row(row)));
}

fn verify(key: &Ed25519VerifyingKey, rows: &Rows<'_>, row: usize) -> bool {
    key.verify(rows.signatures.row::<64>(row), rows.messages.row(row)).is_ok()
}
