//! The programs of `examples/` that need no input come out as their first lines say.

use sigmill::ed25519::rules;

#[allow(dead_code, unreachable_pub)]
#[path = "../../examples/batch.rs"]
mod batch;
#[allow(dead_code, unreachable_pub)]
#[path = "../../examples/sign_and_verify.rs"]
mod sign_and_verify;

#[test]
fn a_signature_verifies_and_another_message_does_not() {
    sign_and_verify::run(b"attack at dawn").expect("a signature and a refusal");
}

#[test]
fn every_rule_refuses_the_spoiled_rows_that_it_has_to() {
    for rule in rules::ALL {
        let valid = batch::run(rule).expect("the verdicts of single verification");
        // without the key of small order, or with it
        let small_is_refused = matches!(rule.name(), "strict" | "no_small_key" | "no_small");
        assert_eq!(valid, 999 - usize::from(small_is_refused), "{rule}");
    }
}
