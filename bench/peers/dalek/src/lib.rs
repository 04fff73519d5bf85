//! ed25519-dalek: in the program as it comes, and as libraries with other backends.

use ed25519_dalek::{Signature, Signer, SigningKey, Verifier, VerifyingKey, verify_batch};
use sigmill_bench_abi::{Engine, Offer, Rows, curve25519_dalek_backend, locked_version};
use std::hint::black_box;
use std::ops::Range;
use x25519_dalek::{PublicKey, StaticSecret};

sigmill_bench_abi::export!(engine);

/// The engine in this build's backend.
pub fn engine() -> &'static Engine {
    // vectors are for verification alone: multiples of the base point and decoding have none in any backend
    let signing = Offer::ed25519_signing(keygen, signing_key, sign);
    let mut offers = Vec::from(signing.map(|offer| offer.on("serial")));
    offers.extend([
        Offer::each("ed25519.verify_raw", "common", |rows, row, answer| {
            let key = VerifyingKey::from_bytes(rows.publics.row(row));
            let signature = signature(rows, row);
            let valid = key.is_ok_and(|key| key.verify(rows.messages.row(row), &signature).is_ok());
            answer[0] = valid.into();
        }),
        Offer::prepared(
            "ed25519.verify_parsed",
            "common",
            verifying_key,
            |key, rows, row, answer| {
                let valid = key.verify(rows.messages.row(row), &signature(rows, row)).is_ok();
                answer[0] = valid.into();
            },
        ),
        Offer::each("ed25519.verify_strict_raw", "strict", |rows, row, answer| {
            let key = VerifyingKey::from_bytes(rows.publics.row(row));
            let (message, signature) = (rows.messages.row(row), signature(rows, row));
            let valid = key.is_ok_and(|key| key.verify_strict(message, &signature).is_ok());
            answer[0] = valid.into();
        }),
        Offer::each("ed25519.decompress", "", |rows, row, answer| {
            let key = black_box(VerifyingKey::from_bytes(rows.publics.row(row)));
            answer[0] = key.is_ok().into();
        })
        .on("serial"),
        Offer::batch("ed25519.batch_raw", "dalek_batch", |_, _| Some(()), batch_raw),
        Offer::batch("ed25519.batch_onekey", "dalek_batch", |_, _| Some(()), batch_raw),
        Offer::batch(
            "ed25519.batch_parsed",
            "dalek_batch",
            |rows, _| Some((0..rows.count).map(|row| verifying_key(rows, row)).collect()),
            |keys: &mut Vec<VerifyingKey>, rows, range, answers| {
                batch(&keys[range.clone()], rows, range, answers);
            },
        ),
        Offer::each("x25519.base", "", x25519_base).on("serial"),
        Offer::each("x25519.base_bulk", "", x25519_base).on("serial"),
        Offer::prepared("x25519.shared", "", x25519_secret, x25519_shared).on("serial"),
        Offer::prepared("x25519.shared_bulk", "", x25519_secret, x25519_shared).on("serial"),
    ]);
    let versions = ["ed25519-dalek", "curve25519-dalek", "x25519-dalek"].map(locked_version);
    Engine::new(versions.join(", "), curve25519_dalek_backend(), offers)
}

fn signing_key(rows: &Rows<'_>, row: usize) -> SigningKey {
    SigningKey::from_bytes(rows.secrets.row(row))
}

fn verifying_key(rows: &Rows<'_>, row: usize) -> VerifyingKey {
    VerifyingKey::from_bytes(rows.publics.row(row)).expect("a point")
}

fn signature(rows: &Rows<'_>, row: usize) -> Signature {
    Signature::from_bytes(rows.signatures.row(row))
}

fn keygen(rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
    let key = SigningKey::from_bytes(rows.secrets.row(row));
    answer.copy_from_slice(key.verifying_key().as_bytes());
}

fn sign(key: &SigningKey, rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
    answer.copy_from_slice(&key.sign(rows.messages.row(row)).to_bytes());
}

fn batch_raw(_: &mut (), rows: &Rows<'_>, range: Range<usize>, answers: &mut [u8]) {
    let key = |row| VerifyingKey::from_bytes(rows.publics.row(row));
    match range.clone().map(key).collect::<Result<Vec<_>, _>>() {
        Ok(keys) => batch(&keys, rows, range, answers),
        Err(_) => answers.fill(0),
    }
}

/// One answer for all rows is all that a combined equation gives.
fn batch(keys: &[VerifyingKey], rows: &Rows<'_>, range: Range<usize>, answers: &mut [u8]) {
    let messages: Vec<&[u8]> = rows.messages.rows(range.clone()).collect();
    let signatures: Vec<Signature> = range.map(|row| signature(rows, row)).collect();
    answers.fill(verify_batch(&messages, &signatures, keys).is_ok().into());
}

fn x25519_secret(rows: &Rows<'_>, row: usize) -> StaticSecret {
    StaticSecret::from(*rows.secrets.row::<32>(row))
}

fn x25519_base(rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
    answer.copy_from_slice(PublicKey::from(&x25519_secret(rows, row)).as_bytes());
}

fn x25519_shared(secret: &StaticSecret, rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
    let other: [u8; 32] = rows.messages.row(row).try_into().expect("32 bytes");
    answer.copy_from_slice(secret.diffie_hellman(&PublicKey::from(other)).as_bytes());
}
