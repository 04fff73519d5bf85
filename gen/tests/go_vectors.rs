//! The slow reference on 768 signatures by the author of Go's `crypto/ed25519`: every combination of
//! small-order components in A and R. The set is not in this repository; the `go` command fetches it.

#![allow(missing_docs)]

#[path = "../../sigmill/tests/reference/mod.rs"]
mod reference;

use reference::{RULES, Variant, facts, verdict};
use std::path::Path;
use std::process::Command;

const MODULE: &str = "filippo.io/mostly-harmless/ed25519vectors@v0.0.0-20210322192420-30a2d7243a94";

/// Accepted of the 768, in the order of `RULES`. All but those of `strict` and `legacy` are also
/// measured with programs that follow the rule.
const ACCEPTED: [usize; 8] = [198, 172, 424, 768, 43, 212, 106, 198];

/// The values of `"name": "value"` in the order of the text: enough JSON for strings that escape
/// nothing, and an end to the test for others.
fn strings<'a>(json: &'a str, name: &str) -> Vec<&'a str> {
    let start = format!("\"{name}\": \"");
    let values = json.split(&start).skip(1);
    values
        .map(|rest| {
            let (value, _) = rest.split_once('"').expect("a string ends");
            assert!(!value.contains('\\'), "an escape in {name}: {value}");
            value
        })
        .collect()
}

fn unhex(text: &str) -> Vec<u8> {
    assert!(text.is_ascii() && text.len().is_multiple_of(2), "`{text}` is not hexadecimal");
    (0..text.len() / 2)
        .map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).expect("hexadecimal digits"))
        .collect()
}

fn download() -> String {
    let mut command = Command::new("go");
    command.args(["mod", "download", "-json", MODULE]);
    // outside of any module, so that none is changed, and where nobody else can have put one
    command.current_dir(env!("CARGO_TARGET_TMPDIR"));
    let output = command.output().unwrap_or_else(|error| panic!("cannot run go: {error}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?} fails: {text}{errors}");
    let folders = strings(&text, "Dir");
    let [folder] = folders[..] else { panic!("go names no folder: {text}") };
    let path = Path::new(folder).join("ed25519vectors.json");
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn the_reference_gives_the_known_totals() {
    let json = download();
    let columns = ["A", "R", "S", "M"].map(|name| strings(&json, name));
    for column in &columns {
        assert_eq!(column.len(), 768);
    }
    let [keys, rs, scalars, messages] = columns;
    let mut accepted = [0; 8];
    for i in 0..768 {
        let signature = [unhex(rs[i]), unhex(scalars[i])].concat();
        let facts = facts(Variant::Pure, b"", &unhex(keys[i]), messages[i].as_bytes(), &signature);
        for (total, rule) in accepted.iter_mut().zip(RULES) {
            *total += usize::from(verdict(rule, &facts) == "ok");
        }
    }
    assert_eq!(accepted, ACCEPTED, "in the order {RULES:?}");
}
