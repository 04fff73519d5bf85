//! crrl: portable code, cofactored verification.

use crrl::ed25519::{Point, PrivateKey, PublicKey};
use crrl::x25519::{x25519, x25519_base};
use sigmill_bench_abi::{Engine, Offer, Rows, locked_version};
use std::hint::black_box;

pub(crate) fn engine() -> &'static Engine {
    let rule = "rfc8032";
    let mut offers = Vec::from(Offer::ed25519_signing(keygen, private_key, sign));
    offers.extend([
        Offer::each("ed25519.verify_raw", rule, |rows, row, answer| {
            let key = PublicKey::decode(rows.publics.row::<32>(row));
            answer[0] = key.is_some_and(|key| verify(&key, rows, row)).into();
        }),
        Offer::prepared("ed25519.verify_parsed", rule, public_key, |key, rows, row, answer| {
            answer[0] = verify(key, rows, row).into();
        }),
        Offer::each("ed25519.decompress", "", |rows, row, answer| {
            answer[0] = black_box(Point::decode(rows.publics.row::<32>(row))).is_some().into();
        }),
        Offer::each("x25519.base", "", base),
        Offer::each("x25519.base_bulk", "", base),
        Offer::each("x25519.shared", "", shared),
        Offer::each("x25519.shared_bulk", "", shared),
    ]);
    Engine::new(locked_version("crrl"), "portable", offers)
}

fn private_key(rows: &Rows<'_>, row: usize) -> PrivateKey {
    PrivateKey::from_seed(rows.secrets.row::<32>(row))
}

fn public_key(rows: &Rows<'_>, row: usize) -> PublicKey {
    PublicKey::decode(rows.publics.row::<32>(row)).expect("a point")
}

fn keygen(rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
    answer.copy_from_slice(&private_key(rows, row).public_key.encode());
}

fn sign(key: &PrivateKey, rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
    answer.copy_from_slice(&key.sign_raw(rows.messages.row(row)));
}

fn verify(key: &PublicKey, rows: &Rows<'_>, row: usize) -> bool {
    key.verify_raw(rows.signatures.row::<64>(row), rows.messages.row(row))
}

fn base(rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
    answer.copy_from_slice(&x25519_base(rows.secrets.row(row)));
}

fn shared(rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
    let other = rows.messages.row(row).try_into().expect("32 bytes");
    answer.copy_from_slice(&x25519(other, rows.secrets.row(row)));
}
