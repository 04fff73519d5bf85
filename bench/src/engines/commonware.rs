//! commonware-cryptography-curve25519. It signs messages with the name of a protocol before them, at least the byte that says how
//! long this is: its signatures of the rows are made beforehand from those of the rows, and damaged if they are.

use commonware_codec::{Copying, DecodeExt};
use commonware_cryptography::{BatchEntry, BatchVerifier};
use commonware_cryptography_curve25519::key_exchange::{PublicKey, SecretKey};
use commonware_cryptography_curve25519::signing::{Signature, SigningKey, VerifyingKey};
use commonware_math::algebra::Random;
use commonware_parallel::Sequential;
use rand_core::{Infallible, TryCryptoRng, TryRng};
use sigmill::ed25519::{self, Variant};
use sigmill_bench_abi::{Engine, Offer, Rows, locked_version};
use std::ops::Range;

/// The name of no protocol.
const NO_NAME: &[u8] = b"";

pub(super) fn engine() -> &'static Engine {
    let rule = "zip215";
    let mut offers = Vec::from(Offer::ed25519_signing(keygen, Framed::of, sign));
    offers.extend([
        Offer::prepared("ed25519.verify_raw", rule, signature, |signature, rows, row, answer| {
            answer[0] = verify(&verifying_key(rows, row), signature, rows, row).into();
        }),
        Offer::prepared(
            "ed25519.verify_parsed",
            rule,
            |rows, row| (signing_key(rows, row).verifying_key(), signature(rows, row)),
            |(key, signature), rows, row, answer| {
                answer[0] = verify(key, signature, rows, row).into();
            },
        ),
        Offer::batch("ed25519.batch_raw", rule, signatures, |state, rows, range, answers| {
            batch_raw(state, rows, range, answers);
        }),
        Offer::batch("ed25519.batch_onekey", rule, signatures, |state, rows, range, answers| {
            batch_raw(state, rows, range, answers);
        }),
        Offer::each("x25519.base", "", x25519_base),
        Offer::each("x25519.base_bulk", "", x25519_base),
        Offer::each("x25519.shared", "", x25519_shared),
        Offer::each("x25519.shared_bulk", "", x25519_shared),
    ]);
    Engine::new(locked_version("commonware-cryptography-curve25519"), backend(), offers)
}

/// The backend that it chooses at run time.
fn backend() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx512ifma") {
        return "ifma";
    }
    "portable"
}

/// A key, and by what its signature of a row with the name before it differs from the signature of the row.
struct Framed {
    key: SigningKey,
    difference: [u8; 64],
}

impl Framed {
    fn of(rows: &Rows<'_>, row: usize) -> Framed {
        let (key, message) = (signing_key(rows, row), rows.messages.row(row));
        let of_row = ed25519::SigningKey::from_bytes(rows.secrets.row(row))
            .sign_with(Variant::Pure, message);
        let framed = key.sign(NO_NAME, message);
        Framed { difference: xor(bytes(&framed), &of_row.to_bytes()), key }
    }
}

fn bytes(signature: &Signature) -> &[u8; 64] {
    signature.as_ref().try_into().expect("64 bytes")
}

fn xor(a: &[u8; 64], b: &[u8; 64]) -> [u8; 64] {
    std::array::from_fn(|i| a[i] ^ b[i])
}

fn signing_key(rows: &Rows<'_>, row: usize) -> SigningKey {
    SigningKey::decode(Copying(rows.secrets.row::<32>(row))).expect("any seed is a key")
}

fn verifying_key(rows: &Rows<'_>, row: usize) -> VerifyingKey {
    VerifyingKey::decode(Copying(rows.publics.row::<32>(row))).expect("32 bytes")
}

/// The signature of a row as this library would have made it, damaged if that of the row is.
fn signature(rows: &Rows<'_>, row: usize) -> Signature {
    let bytes = xor(rows.signatures.row(row), &Framed::of(rows, row).difference);
    Signature::decode(Copying(&bytes)).expect("64 bytes")
}

fn signatures(rows: &Rows<'_>, _: usize) -> Option<Vec<Signature>> {
    Some((0..rows.count).map(|row| signature(rows, row)).collect())
}

fn keygen(rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
    answer.copy_from_slice(signing_key(rows, row).verifying_key().as_ref());
}

fn sign(key: &Framed, rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
    let signature = key.key.sign(NO_NAME, rows.messages.row(row));
    answer.copy_from_slice(&xor(bytes(&signature), &key.difference));
}

fn verify(key: &VerifyingKey, signature: &Signature, rows: &Rows<'_>, row: usize) -> bool {
    key.verify(NO_NAME, rows.messages.row(row), signature)
}

type Item<'a> = (VerifyingKey, &'a [u8], &'a Signature);

fn entry<'a>(
    _: usize,
    (public_key, message, signature): &'a Item<'_>,
) -> BatchEntry<'a, VerifyingKey> {
    BatchEntry { namespace: NO_NAME, message, public_key, signature }
}

/// One answer for all rows is all that a combined equation gives.
fn batch_raw(signatures: &[Signature], rows: &Rows<'_>, range: Range<usize>, answers: &mut [u8]) {
    let item = |row| (verifying_key(rows, row), rows.messages.row(row), &signatures[row]);
    let items: Vec<_> = range.map(item).collect();
    let valid = VerifyingKey::verify_batch(&mut rand::rng(), &items, entry, &Sequential);
    answers.fill(valid.into());
}

fn secret_key(rows: &Rows<'_>, row: usize) -> SecretKey {
    SecretKey::random(Given(*rows.secrets.row(row)))
}

fn x25519_base(rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
    answer.copy_from_slice(secret_key(rows, row).public_key().as_ref());
}

fn x25519_shared(rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
    let other = PublicKey::decode(Copying(rows.messages.row(row))).expect("32 bytes");
    answer.copy_from_slice(secret_key(rows, row).exchange(&other).expect("not zero").as_bytes());
}

/// The secret of a row as the source of random bytes, which is the one way to such a key.
struct Given([u8; 32]);

impl TryRng for Given {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        unreachable!("keys ask for bytes")
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        unreachable!("keys ask for bytes")
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        bytes.copy_from_slice(&self.0);
        Ok(())
    }
}

impl TryCryptoRng for Given {}
