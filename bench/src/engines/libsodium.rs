//! libsodium, as its `-sys` crate builds it. Its only verification is a strict one.

use super::entrant::Loaded;
use libsodium_sys::{
    crypto_scalarmult, crypto_scalarmult_base, crypto_sign_detached, crypto_sign_seed_keypair,
    crypto_sign_verify_detached, sodium_init, sodium_version_string,
};
use sigmill_bench_abi::{Engine, Offer, Rows};
use std::ffi::CStr;
use std::ptr;

pub(crate) fn engine() -> Loaded {
    // SAFETY: it has no arguments and may be called at any time.
    if unsafe { sodium_init() } < 0 {
        return Err("sodium_init failed".into());
    }
    let mut offers = Vec::from(Offer::ed25519_signing(keygen, key_pair, sign));
    offers.extend([
        Offer::each("ed25519.verify_raw", "strict", verify),
        Offer::each("ed25519.verify_strict_raw", "strict", verify),
        Offer::each("x25519.base", "", x25519_base),
        Offer::each("x25519.base_bulk", "", x25519_base),
        Offer::each("x25519.shared", "", x25519_shared).on(ladder()),
        Offer::each("x25519.shared_bulk", "", x25519_shared).on(ladder()),
    ]);
    // SAFETY: it has no arguments; the answer is constant text.
    let version = unsafe { sodium_version_string() };
    // SAFETY: the text ends in a zero.
    let version = unsafe { CStr::from_ptr(version) }.to_string_lossy();
    Ok(Engine::new(format!("libsodium {version}"), "portable", offers))
}

/// The form of X25519 that it chooses at run time.
fn ladder() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx") {
        return "avx";
    }
    "portable"
}

fn key_pair(rows: &Rows<'_>, row: usize) -> ([u8; 32], [u8; 64]) {
    let seed = rows.secrets.row::<32>(row);
    let (mut public, mut secret) = ([0; 32], [0; 64]);
    // SAFETY: pointers to 32 and 64 bytes to write and 32 bytes to read, as the function wants.
    unsafe {
        crypto_sign_seed_keypair(public.as_mut_ptr(), secret.as_mut_ptr(), seed.as_ptr());
    }
    (public, secret)
}

fn keygen(rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
    answer.copy_from_slice(&key_pair(rows, row).0);
}

fn sign((_, secret): &([u8; 32], [u8; 64]), rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
    let (message, signature) = (rows.messages.row(row), answer.as_mut_ptr());
    assert_eq!(answer.len(), 64, "a signature");
    let length = message.len() as u64;
    // SAFETY: 64 bytes to write, the message with its length, and a secret key of 64 bytes.
    unsafe {
        let none = ptr::null_mut();
        crypto_sign_detached(signature, none, message.as_ptr(), length, secret.as_ptr());
    }
}

fn verify(rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
    let (message, key) = (rows.messages.row(row), rows.publics.row::<32>(row).as_ptr());
    let signature = rows.signatures.row::<64>(row).as_ptr();
    let length = message.len() as u64;
    // SAFETY: a signature of 64 bytes, the message with its length, and a key of 32 bytes.
    let status = unsafe { crypto_sign_verify_detached(signature, message.as_ptr(), length, key) };
    answer[0] = (status == 0).into();
}

fn x25519_base(rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
    assert_eq!(answer.len(), 32, "a public key");
    let secret = rows.secrets.row::<32>(row).as_ptr();
    // SAFETY: pointers to 32 bytes to write and 32 to read.
    let status = unsafe { crypto_scalarmult_base(answer.as_mut_ptr(), secret) };
    assert_eq!(status, 0, "it has a public key");
}

fn x25519_shared(rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
    let other = rows.messages.row(row);
    assert_eq!((answer.len(), other.len()), (32, 32), "a shared secret and a public key");
    let secret = rows.secrets.row::<32>(row).as_ptr();
    // SAFETY: pointers to 32 bytes to write, 32 and 32 to read.
    let status = unsafe { crypto_scalarmult(answer.as_mut_ptr(), secret, other.as_ptr()) };
    assert_eq!(status, 0, "the shared secret is not zero");
}
