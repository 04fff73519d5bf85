//! ed25519-zebra: in the program as it comes, and as a library with the IFMA backend.

use ed25519_zebra::{Signature, SigningKey, VerificationKey, VerificationKeyBytes, batch};
use sigmill_bench_abi::{Engine, Offer, Rows, locked_version};
use std::hint::black_box;
use std::ops::Range;

sigmill_bench_abi::export!(engine);

/// The engine in this build's backend.
pub fn engine() -> &'static Engine {
    // as of dalek, whose backends have vectors for verification alone
    let offers = vec![
        Offer::each("ed25519.keygen", "", keygen).on("serial"),
        Offer::each("ed25519.keygen_bulk", "", keygen).on("serial"),
        Offer::prepared("ed25519.sign32", "", signing_key, sign).on("serial"),
        Offer::prepared("ed25519.sign1k", "", signing_key, sign).on("serial"),
        Offer::prepared("ed25519.sign_bulk", "", signing_key, sign).on("serial"),
        Offer::each("ed25519.verify_raw", "zip215", |rows, row, answer| {
            let (message, signature) = (rows.messages.row(row), signature(rows, row));
            let key = VerificationKey::try_from(*rows.publics.row(row));
            answer[0] = key.is_ok_and(|key| key.verify(&signature, message).is_ok()).into();
        }),
        Offer::prepared(
            "ed25519.verify_parsed",
            "zip215",
            |rows, row| VerificationKey::try_from(*rows.publics.row(row)).expect("a point"),
            |key, rows, row, answer| {
                let valid = key.verify(&signature(rows, row), rows.messages.row(row)).is_ok();
                answer[0] = valid.into();
            },
        ),
        Offer::each("ed25519.decompress", "", |rows, row, answer| {
            let key = black_box(VerificationKey::try_from(*rows.publics.row(row)));
            answer[0] = key.is_ok().into();
        })
        .on("serial"),
        Offer::batch("ed25519.batch_raw", "zip215", |_, _| Some(()), batch_raw),
        Offer::batch("ed25519.batch_onekey", "zip215", |_, _| Some(()), batch_raw),
    ];
    let versions = ["ed25519-zebra", "curve25519-dalek"].map(locked_version);
    Engine::new(versions.join(", "), backend(), offers)
}

fn backend() -> &'static str {
    let ifma = is_x86_feature_detected!("avx512ifma") && is_x86_feature_detected!("avx512vl");
    let built = cfg!(all(target_feature = "avx512ifma", target_feature = "avx512vl"));
    if ifma && (built || cfg!(curve25519_dalek_backend = "avx512")) {
        "avx512ifma"
    } else if is_x86_feature_detected!("avx2") {
        "avx2"
    } else {
        "serial"
    }
}

fn signing_key(rows: &Rows<'_>, row: usize) -> SigningKey {
    SigningKey::from(*rows.secrets.row::<32>(row))
}

fn signature(rows: &Rows<'_>, row: usize) -> Signature {
    Signature::from_bytes(rows.signatures.row(row))
}

fn keygen(rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
    let key = signing_key(rows, row).verification_key();
    answer.copy_from_slice(key.as_ref());
}

fn sign(key: &SigningKey, rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
    answer.copy_from_slice(&key.sign(rows.messages.row(row)).to_bytes());
}

/// One answer for all rows is all that a combined equation gives.
fn batch_raw(_: &mut (), rows: &Rows<'_>, range: Range<usize>, answers: &mut [u8]) {
    let mut verifier = batch::Verifier::new();
    for row in range {
        let key = VerificationKeyBytes::from(*rows.publics.row::<32>(row));
        verifier.queue((key, signature(rows, row), rows.messages.row(row)));
    }
    answers.fill(verifier.verify(rand::rng()).is_ok().into());
}
