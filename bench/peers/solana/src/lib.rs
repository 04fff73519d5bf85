//! solana-ed25519, a fork of dalek and zebra that halves scalars: in the program as it comes, and as a library with the serial
//! backend.

use sigmill_bench_abi::{Engine, Offer, Rows, locked_version};
use solana_ed25519::ed_sigs::{
    Signature, SigningKey, VerificationKey, VerificationKeyBytes, batch,
};
use std::hint::black_box;
use std::ops::Range;

sigmill_bench_abi::export!(engine);

/// The engine in this build's backend.
pub fn engine() -> &'static Engine {
    let signing = Offer::ed25519_signing(keygen, signing_key, sign);
    // as in dalek, vectors are for verification alone
    let mut offers = Vec::from(signing.map(|offer| offer.on("serial")));
    offers.extend([
        Offer::each("ed25519.verify_raw", "zip215", |rows, row, answer| {
            let (message, signature) = (rows.messages.row(row), signature(rows, row));
            let key = VerificationKey::try_from(*rows.publics.row::<32>(row));
            answer[0] = key.is_ok_and(|key| key.verify(&signature, message).is_ok()).into();
        }),
        Offer::prepared(
            "ed25519.verify_parsed",
            "zip215",
            |rows, row| VerificationKey::try_from(*rows.publics.row::<32>(row)).expect("a point"),
            |key, rows, row, answer| {
                let valid = key.verify(&signature(rows, row), rows.messages.row(row)).is_ok();
                answer[0] = valid.into();
            },
        ),
        Offer::each("ed25519.decompress", "", |rows, row, answer| {
            let key = black_box(VerificationKey::try_from(*rows.publics.row::<32>(row)));
            answer[0] = key.is_ok().into();
        })
        .on("serial"),
        Offer::batch("ed25519.batch_raw", "zip215", |_, _| Some(()), batch_raw),
        Offer::batch("ed25519.batch_onekey", "zip215", |_, _| Some(()), batch_raw),
    ]);
    Engine::new(locked_version("solana-ed25519"), backend(), offers)
}

/// The backend that is chosen at run time, unless it was built without vectors.
fn backend() -> &'static str {
    #[cfg(all(target_arch = "x86_64", not(curve25519_backend = "serial")))]
    if std::arch::is_x86_feature_detected!("avx2") {
        return "avx2";
    }
    "serial"
}

fn signing_key(rows: &Rows<'_>, row: usize) -> SigningKey {
    SigningKey::from_bytes(rows.secrets.row::<32>(row))
}

fn signature(rows: &Rows<'_>, row: usize) -> Signature {
    Signature::from_bytes(rows.signatures.row(row))
}

fn keygen(rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
    answer.copy_from_slice(signing_key(rows, row).verification_key().as_ref());
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
    answers.fill(verifier.verify().is_ok().into());
}
