//! OpenSSL, the system's library.

use super::Loaded;
use openssl::pkey::{Id, PKey, Private, Public};
use openssl::sign::{Signer, Verifier};
use sigmill_bench_abi::{Engine, Offer, Rows};

pub(crate) fn engine() -> Loaded {
    let offers = vec![
        Offer::each("ed25519.keygen", "", keygen),
        Offer::each("ed25519.keygen_bulk", "", keygen),
        Offer::prepared("ed25519.sign32", "", signing_key, sign),
        Offer::prepared("ed25519.sign1k", "", signing_key, sign),
        Offer::prepared("ed25519.sign_bulk", "", signing_key, sign),
        Offer::each("ed25519.verify_raw", "common", |rows, row, answer| {
            let key = PKey::public_key_from_raw_bytes(rows.publics.row::<32>(row), Id::ED25519);
            answer[0] = key.is_ok_and(|key| verify(&key, rows, row)).into();
        }),
        Offer::prepared("ed25519.verify_parsed", "common", public_key, |key, rows, row, answer| {
            answer[0] = verify(key, rows, row).into();
        }),
    ];
    Ok(Engine::new(openssl::version::version().to_owned(), "detected", offers))
}

fn signing_key(rows: &Rows<'_>, row: usize) -> PKey<Private> {
    let seed = rows.secrets.row::<32>(row);
    PKey::private_key_from_raw_bytes(seed, Id::ED25519).expect("any seed is a key")
}

fn public_key(rows: &Rows<'_>, row: usize) -> PKey<Public> {
    PKey::public_key_from_raw_bytes(rows.publics.row::<32>(row), Id::ED25519).expect("32 bytes")
}

fn keygen(rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
    let public = signing_key(rows, row).raw_public_key().expect("a public key");
    answer.copy_from_slice(&public);
}

fn sign(key: &PKey<Private>, rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
    let mut signer = Signer::new_without_digest(key).expect("a context");
    let written = signer.sign_oneshot(answer, rows.messages.row(row)).expect("a signature");
    assert_eq!(written, answer.len(), "a whole signature");
}

fn verify(key: &PKey<Public>, rows: &Rows<'_>, row: usize) -> bool {
    let mut verifier = Verifier::new_without_digest(key).expect("a context");
    let (signature, message) = (rows.signatures.row::<64>(row), rows.messages.row(row));
    verifier.verify_oneshot(signature, message).unwrap_or(false)
}
