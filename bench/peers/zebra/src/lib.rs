//! ed25519-zebra: in the program as it comes, and as a library with the IFMA backend.

use ed25519_zebra::{Signature, SigningKey, VerificationKey, VerificationKeyBytes, batch};
use sigmill_bench_abi::{Engine, Offer, Rows, curve25519_dalek_backend, locked_version};
use std::hint::black_box;
use std::ops::Range;

sigmill_bench_abi::export!(engine);

/// The engine in this build's backend.
pub fn engine() -> &'static Engine {
    // as of dalek, whose backends have vectors for verification alone
    let signing = Offer::ed25519_signing(keygen, signing_key, sign);
    let mut offers = Vec::from(signing.map(|offer| offer.on("serial")));
    offers.extend([
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
    ]);
    let versions = ["ed25519-zebra", "curve25519-dalek"].map(locked_version);
    Engine::new(versions.join(", "), curve25519_dalek_backend(), offers)
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
