//! A thousand signatures verified in one call under a rule that is named, and what is wrong with those that are refused:
//!
//!     cargo run --release -p sigmill --example batch [RULE]
//!
//! Two rows are spoiled: one signature has another message, one is signed with a key of small order, which some rules
//! allow. The verdict of a row never depends on the others: it is the one that it has alone.

use sigmill::ed25519::{
    Rule, Signature, Signer, SigningKey, Variant, VerifyingKey, rules, verify_batch_with,
};
use std::error::Error;
use std::process::ExitCode;

const ROWS: usize = 1000;

fn main() -> ExitCode {
    let name = std::env::args().nth(1).unwrap_or_else(|| "common".into());
    let Some(rule) = Rule::from_name(&name) else {
        let known: Vec<_> = rules::ALL.iter().map(|rule| rule.name()).collect();
        eprintln!("batch: no rule {name:?}; there are {}", known.join(", "));
        return ExitCode::from(2);
    };
    match run(rule) {
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("batch: {error}");
            ExitCode::from(2)
        }
    }
}

/// How many rows are valid.
pub fn run(rule: &Rule) -> Result<usize, Box<dyn Error>> {
    // seeds that anybody can guess: only for an example
    let keys: Vec<_> = (0..4).map(|n| SigningKey::from_bytes(&[n; 32])).collect();
    let texts: Vec<_> = (0..ROWS).map(|row| format!("message {row}")).collect();
    let mut messages: Vec<_> = texts.iter().map(String::as_bytes).collect();
    let mut publics: Vec<_> = (0..ROWS).map(|row| keys[row % keys.len()].verifying_key()).collect();
    let mut signatures: Vec<_> = messages
        .iter()
        .enumerate()
        .map(|(row, message)| keys[row % keys.len()].sign(message))
        .collect();

    messages[17] = b"another message";
    // the identity is a point of order 1: R = 1, A = 1 and S = 0 satisfy the equation whatever the message
    let mut identity = [0; 32];
    identity[0] = 1;
    publics[400] = VerifyingKey::decode(&identity)?;
    signatures[400] = Signature::from_components(identity, [0; 32]);

    let verdicts = verify_batch_with(rule, Variant::Pure, &messages, &signatures, &publics)?;
    for (row, verdict) in verdicts.iter().enumerate().filter(|(_, verdict)| !verdict.is_valid()) {
        println!("row {row}: {verdict}");
    }
    let valid = verdicts.iter().filter(|verdict| verdict.is_valid()).count();
    println!("{valid} of {ROWS} signatures are valid under {rule}");

    // the same one by one
    for (row, verdict) in verdicts.iter().enumerate() {
        let alone = publics[row].verify_with(rule, Variant::Pure, messages[row], &signatures[row]);
        if alone != *verdict {
            return Err(format!("row {row} alone: {alone}").into());
        }
    }
    Ok(valid)
}
