//! RustCrypto: p256 and p384.

use sigmill_bench_abi::{Engine, Offer, Rows, locked_version};

macro_rules! curve {
    ($curve:ident, $name:literal) => {
        mod $curve {
            use super::*;
            use ::$curve::ecdsa::signature::{Signer, Verifier};
            use ::$curve::ecdsa::{Signature, SigningKey, VerifyingKey};

            pub(super) fn offers() -> [Offer; 6] {
                [
                    Offer::each(concat!($name, ".keygen"), "", |rows, row, answer| {
                        let key = signing_key(rows, row);
                        let public = key.verifying_key().to_sec1_point(false);
                        answer.copy_from_slice(public.as_bytes());
                    }),
                    Offer::prepared(concat!($name, ".sign"), "", signing_key, sign),
                    Offer::prepared(concat!($name, ".sign_bulk"), "", signing_key, sign),
                    Offer::prepared(concat!($name, ".verify"), "", verifying_key, verify),
                    Offer::each(concat!($name, ".verify_raw"), "", verify_raw),
                    Offer::each(concat!($name, ".verify_bulk"), "", verify_raw),
                ]
            }

            fn signing_key(rows: &Rows<'_>, row: usize) -> SigningKey {
                SigningKey::from_slice(rows.secrets.get(row)).expect("a secret key")
            }

            fn verifying_key(rows: &Rows<'_>, row: usize) -> VerifyingKey {
                VerifyingKey::from_sec1_bytes(rows.publics.get(row)).expect("a point")
            }

            fn sign(key: &SigningKey, rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
                let signature: Signature = key.sign(rows.messages.row(row));
                answer.copy_from_slice(&signature.to_bytes());
            }

            fn verify(key: &VerifyingKey, rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
                let signature = Signature::from_slice(rows.signatures.get(row));
                let message = rows.messages.row(row);
                answer[0] = signature.is_ok_and(|it| key.verify(message, &it).is_ok()).into();
            }

            fn verify_raw(rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
                match VerifyingKey::from_sec1_bytes(rows.publics.get(row)) {
                    Ok(key) => verify(&key, rows, row, answer),
                    Err(_) => answer[0] = 0,
                }
            }
        }
    };
}

curve!(p256, "p256");
curve!(p384, "p384");

pub(crate) fn engine() -> &'static Engine {
    let offers = p256::offers().into_iter().chain(p384::offers()).collect();
    Engine::new(["p256", "p384"].map(locked_version).join(", "), "portable", offers)
}
