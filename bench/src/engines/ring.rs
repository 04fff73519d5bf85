//! ring: key bytes in every call; it has no object for a parsed public key.

use ring::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
use sigmill_bench_abi::{Engine, Offer, Rows, locked_version};

pub(crate) fn engine() -> &'static Engine {
    let offers = vec![
        Offer::each("ed25519.keygen", "", keygen),
        Offer::each("ed25519.keygen_bulk", "", keygen),
        Offer::prepared("ed25519.sign32", "", key_pair, sign),
        Offer::prepared("ed25519.sign1k", "", key_pair, sign),
        Offer::prepared("ed25519.sign_bulk", "", key_pair, sign),
        Offer::each("ed25519.verify_raw", "common", |rows, row, answer| {
            let key = UnparsedPublicKey::new(&ED25519, rows.publics.row::<32>(row));
            let valid = key.verify(rows.messages.row(row), rows.signatures.row::<64>(row)).is_ok();
            answer[0] = valid.into();
        }),
    ];
    Engine::new(locked_version("ring"), "detected", offers)
}

fn key_pair(rows: &Rows<'_>, row: usize) -> Ed25519KeyPair {
    Ed25519KeyPair::from_seed_unchecked(rows.secrets.row::<32>(row)).expect("any seed is a key")
}

fn keygen(rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
    answer.copy_from_slice(key_pair(rows, row).public_key().as_ref());
}

fn sign(pair: &Ed25519KeyPair, rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
    answer.copy_from_slice(pair.sign(rows.messages.row(row)).as_ref());
}
