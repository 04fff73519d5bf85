//! graviola. It stops the program on a CPU without the instructions that it needs.

use super::entrant::Loaded;
use graviola::hashing::{Hash, Sha256, Sha384};
use graviola::key_agreement::{p256, p384, x25519};
use graviola::signing::ecdsa::{self, Curve, P256, P384};
use graviola::signing::eddsa::{Ed25519SigningKey, Ed25519VerifyingKey};
use sigmill_bench_abi::{Engine, Offer, Rows, locked_version};
use std::hint::black_box;

pub(crate) fn engine() -> Loaded {
    needed()?;
    let rule = "rfc8032_exact";
    let mut offers = Vec::from(Offer::ed25519_signing(keygen, signing_key, sign));
    offers.extend([
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
        Offer::each("p256.keygen", "", |rows, row, answer| {
            let key = p256::StaticPrivateKey::from_bytes(rows.secrets.get(row));
            answer.copy_from_slice(&key.expect("a secret key").public_key_uncompressed());
        }),
        Offer::each("p384.keygen", "", |rows, row, answer| {
            let key = p384::StaticPrivateKey::from_bytes(rows.secrets.get(row));
            answer.copy_from_slice(&key.expect("a secret key").public_key_uncompressed());
        }),
        Offer::each("x25519.base", "", x25519_base),
        Offer::each("x25519.base_bulk", "", x25519_base),
        Offer::prepared("x25519.shared", "", x25519_key, x25519_shared),
        Offer::prepared("x25519.shared_bulk", "", x25519_key, x25519_shared),
    ]);
    offers.extend(ecdsa::<P256, Sha256>("p256"));
    offers.extend(ecdsa::<P384, Sha384>("p384"));
    Ok(Engine::new(locked_version("graviola"), super::entrant::assembly(), offers))
}

/// Whether the CPU has all that graviola needs.
#[cfg(target_arch = "x86_64")]
fn needed() -> Result<(), String> {
    let all = is_x86_feature_detected!("aes")
        && is_x86_feature_detected!("pclmulqdq")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("adx")
        && is_x86_feature_detected!("avx2");
    if all { Ok(()) } else { Err("this CPU lacks AES, PCLMULQDQ, BMI1, BMI2, ADX or AVX2".into()) }
}

#[cfg(target_arch = "aarch64")]
fn needed() -> Result<(), String> {
    use std::arch::is_aarch64_feature_detected;
    let all = is_aarch64_feature_detected!("aes")
        && is_aarch64_feature_detected!("pmull")
        && is_aarch64_feature_detected!("sha2");
    if all { Ok(()) } else { Err("this CPU lacks AES, PMULL or SHA-256".into()) }
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

fn ecdsa<C: Curve + 'static, H: Hash + 'static>(curve: &str) -> [Offer; 5] {
    [
        Offer::prepared(&format!("{curve}.sign"), "", ecdsa_key::<C>, ecdsa_sign::<C, H>),
        Offer::prepared(&format!("{curve}.sign_bulk"), "", ecdsa_key::<C>, ecdsa_sign::<C, H>),
        Offer::prepared(
            &format!("{curve}.verify"),
            "",
            |rows, row| ecdsa_public::<C>(rows, row).expect("a point"),
            ecdsa_verify::<C, H>,
        ),
        Offer::each(&format!("{curve}.verify_raw"), "", ecdsa_verify_raw::<C, H>),
        Offer::each(&format!("{curve}.verify_bulk"), "", ecdsa_verify_raw::<C, H>),
    ]
}

/// The key in the form of RFC 5915 without what may be left out: version 1 and the secret.
fn ecdsa_key<C: Curve>(rows: &Rows<'_>, row: usize) -> ecdsa::SigningKey<C> {
    let secret = rows.secrets.get(row);
    let length = secret.len() as u8;
    let der = [&[0x30, length + 5, 2, 1, 1, 4, length], secret].concat();
    ecdsa::SigningKey::from_sec1_der(&der).expect("a secret key")
}

fn ecdsa_public<C: Curve>(rows: &Rows<'_>, row: usize) -> Option<ecdsa::VerifyingKey<C>> {
    ecdsa::VerifyingKey::from_x962_uncompressed(rows.publics.get(row)).ok()
}

fn ecdsa_sign<C: Curve, H: Hash>(
    key: &ecdsa::SigningKey<C>,
    rows: &Rows<'_>,
    row: usize,
    answer: &mut [u8],
) {
    key.sign::<H>(&[rows.messages.row(row)], answer).expect("a signature");
}

fn ecdsa_verify<C: Curve, H: Hash>(
    key: &ecdsa::VerifyingKey<C>,
    rows: &Rows<'_>,
    row: usize,
    answer: &mut [u8],
) {
    let valid = key.verify::<H>(&[rows.messages.row(row)], rows.signatures.get(row));
    answer[0] = valid.is_ok().into();
}

fn ecdsa_verify_raw<C: Curve, H: Hash>(rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
    match ecdsa_public::<C>(rows, row) {
        Some(key) => ecdsa_verify::<C, H>(&key, rows, row, answer),
        None => answer[0] = 0,
    }
}

fn x25519_key(rows: &Rows<'_>, row: usize) -> x25519::StaticPrivateKey {
    x25519::StaticPrivateKey::from_array(rows.secrets.row(row))
}

fn x25519_base(rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
    answer.copy_from_slice(&x25519_key(rows, row).public_key().as_bytes());
}

fn x25519_shared(key: &x25519::StaticPrivateKey, rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
    let other = x25519::PublicKey::try_from_slice(rows.messages.row(row)).expect("32 bytes");
    answer.copy_from_slice(&key.diffie_hellman(&other).expect("not zero").0);
}
