//! Any key, message and signature: every rule gives the verdict and reason of the slow reference.

#![no_main]

#[path = "../../sigmill/tests/reference/mod.rs"]
mod reference;

use libfuzzer_sys::fuzz_target;
use sigmill::Verdict;
use sigmill::ed25519::{Variant, rules, verify_bytes};

fuzz_target!(|input: (Vec<u8>, Vec<u8>, Vec<u8>, bool)| {
    let (mut key, message, mut signature, right_lengths) = input;
    if right_lengths {
        key.resize(32, 0);
        signature.resize(64, 0);
    }
    let facts = reference::facts(reference::Variant::Pure, b"", &key, &message, &signature);
    for rule in rules::ALL {
        let got = match verify_bytes(rule, Variant::Pure, &key, &message, &signature) {
            Verdict::Valid => "ok",
            Verdict::Invalid(reason) => reason.name(),
        };
        assert_eq!(got, reference::verdict(rule.name(), &facts), "{rule}");
    }
});
