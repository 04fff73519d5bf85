//! ed25519-simd: eight lanes of AVX-512 IFMA; it needs the instructions at compile time. It only
//! verifies, a verdict for each row.

use ed25519_simd::{DalekPolicy, VerificationPolicy, Verifier, VerifyInput, Zip215Policy};
use sigmill_bench_abi::{Engine, Offer, Rows, locked_version};
use std::ops::Range;

sigmill_bench_abi::export!(engine);

/// The engine.
pub fn engine() -> &'static Engine {
    let offers = ["ed25519.batch_raw", "ed25519.batch_onekey", "ed25519.verify_raw"];
    let offers = offers
        .into_iter()
        .flat_map(|op| [offer::<DalekPolicy>(op, "strict"), offer::<Zip215Policy>(op, "zip215")]);
    let strict = offer::<DalekPolicy>("ed25519.verify_strict_raw", "strict");
    Engine::new(locked_version("ed25519-simd"), "avx512ifma", offers.chain([strict]).collect())
}

fn offer<P: VerificationPolicy>(op: &str, rule: &str) -> Offer {
    Offer::batch(op, rule, |_, n| Some((Verifier::<P>::new(), vec![false; n])), batch::<P>)
}

fn batch<P: VerificationPolicy>(
    (verifier, valid): &mut (Verifier<P>, Vec<bool>),
    rows: &Rows<'_>,
    range: Range<usize>,
    answers: &mut [u8],
) {
    let input = |row| VerifyInput {
        public_key: *rows.publics.row(row),
        signature: *rows.signatures.row(row),
        message: rows.messages.row(row),
    };
    let inputs: Vec<VerifyInput<'_>> = range.map(input).collect();
    verifier.verify_batch(&inputs, valid);
    for (answer, valid) in answers.iter_mut().zip(valid) {
        *answer = (*valid).into();
    }
}
