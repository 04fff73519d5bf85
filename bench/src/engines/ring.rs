//! ring: key bytes in every call; it has no object for a parsed public key. Of X25519 it has only
//! keys that it made itself, and of ECDSA no public key from a secret one. Multiples of the base point of
//! Ed25519 and P-256 are computed with ADX where there is ADX.

use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED,
    ECDSA_P384_SHA384_FIXED_SIGNING, ED25519, EcdsaKeyPair, EcdsaSigningAlgorithm,
    EcdsaVerificationAlgorithm, Ed25519KeyPair, KeyPair, UnparsedPublicKey,
};
use sigmill_bench_abi::{Engine, Offer, Rows, locked_version};

pub(crate) fn engine() -> &'static Engine {
    let mut offers = Vec::from(Offer::ed25519_signing(keygen, key_pair, sign));
    let verify = Offer::each("ed25519.verify_raw", "common", |rows, row, answer| {
        let key = UnparsedPublicKey::new(&ED25519, rows.publics.row::<32>(row));
        let valid = key.verify(rows.messages.row(row), rows.signatures.row::<64>(row)).is_ok();
        answer[0] = valid.into();
    });
    offers.push(verify.on("portable"));
    offers.extend(ecdsa("p256", &ECDSA_P256_SHA256_FIXED_SIGNING, &ECDSA_P256_SHA256_FIXED));
    let p384 = ecdsa("p384", &ECDSA_P384_SHA384_FIXED_SIGNING, &ECDSA_P384_SHA384_FIXED);
    offers.extend(p384.map(|offer| offer.on("x86-64")));
    Engine::new(locked_version("ring"), super::entrant::assembly(), offers)
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

fn ecdsa(
    curve: &str,
    signing: &'static EcdsaSigningAlgorithm,
    verification: &'static EcdsaVerificationAlgorithm,
) -> [Offer; 4] {
    let pair = move |rows: &Rows<'_>, row: usize| {
        let (secret, public) = (rows.secrets.get(row), rows.publics.get(row));
        let random = SystemRandom::new();
        EcdsaKeyPair::from_private_key_and_public_key(signing, secret, public, &random)
            .expect("a pair of keys")
    };
    let sign = |pair: &EcdsaKeyPair, rows: &Rows<'_>, row: usize, answer: &mut [u8]| {
        let signature = pair.sign(&SystemRandom::new(), rows.messages.row(row));
        answer.copy_from_slice(signature.expect("a signature").as_ref());
    };
    let verify = move |rows: &Rows<'_>, row: usize, answer: &mut [u8]| {
        let key = UnparsedPublicKey::new(verification, rows.publics.get(row));
        let valid = key.verify(rows.messages.row(row), rows.signatures.get(row)).is_ok();
        answer[0] = valid.into();
    };
    [
        Offer::prepared(&format!("{curve}.sign"), "", pair, sign),
        Offer::prepared(&format!("{curve}.sign_bulk"), "", pair, sign),
        Offer::each(&format!("{curve}.verify_raw"), "", verify),
        Offer::each(&format!("{curve}.verify_bulk"), "", verify),
    ]
}
