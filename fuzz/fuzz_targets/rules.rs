//! The decision against `docs/rules.md`, whose table and order of reasons are read from the document
//! itself: every combination of facts once, then any facts in 64 lanes.

#![no_main]

#[path = "../../sigmill/tests/reference/facts.rs"]
mod facts;

use facts::facts;
use libfuzzer_sys::fuzz_target;
use sigmill::Verdict;
use sigmill::ed25519::Rule;
use sigmill::ed25519::rules::{self, Facts, decide, verdict};
use std::sync::LazyLock;

const DOCUMENT: &str = include_str!("../../docs/rules.md");

/// The columns of the table "Requirements of each rule", as it is written.
struct Row {
    s: &'static str,
    a_canonical: &'static str,
    r_canonical: &'static str,
    small_a: &'static str,
    small_r: &'static str,
    equation: &'static str,
}

/// What the document says about a rule.
fn row(rule: &str) -> Row {
    let (_, section) = DOCUMENT.split_once("## Requirements of each rule").expect("the section");
    let name = format!("`{rule}`");
    let cells = section
        .lines()
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>())
        .find(|cells| cells[0] == name)
        .expect("a row of the table for each rule");
    let [_, s, a_canonical, r_canonical, small_a, small_r, equation] = cells[..] else {
        panic!("a row of seven cells: {cells:?}");
    };
    Row { s, a_canonical, r_canonical, small_a, small_r, equation }
}

/// The reasons in the first paragraph of the section "Reasons", in the order of the document. Those of ECDSA follow it.
fn reasons() -> Vec<&'static str> {
    let (_, section) = DOCUMENT.split_once("## Reasons\n\n").expect("the section");
    let (paragraph, _) = section.split_once("\n\n").expect("a paragraph after it");
    paragraph.split('`').skip(1).step_by(2).collect()
}

static TABLE: LazyLock<Vec<(&Rule, Row)>> =
    LazyLock::new(|| rules::ALL.into_iter().map(|rule| (rule, row(rule.name()))).collect());
static REASONS: LazyLock<Vec<&'static str>> = LazyLock::new(reasons);

/// Whether a reason of the document applies.
fn applies(reason: &str, row: &Row, f: &Facts<bool>) -> bool {
    let asked = |word| match word {
        "yes" => true,
        "no" => false,
        other => panic!("yes or no: {other}"),
    };
    let refused = |word| match word {
        "refused" => true,
        "accepted" => false,
        other => panic!("refused or accepted: {other}"),
    };
    match reason {
        // facts are about 32 and 64 bytes
        "key_length" | "signature_length" | "digest_length" => false,
        "key_not_a_point" => !f.a_decodes,
        "key_not_canonical" => asked(row.a_canonical) && !f.a_canonical,
        "key_small_order" => refused(row.small_a) && f.a_small,
        "r_not_a_point" => !f.r_decodes,
        "r_not_canonical" => asked(row.r_canonical) && !f.r_canonical,
        "r_small_order" => refused(row.small_r) && f.r_small,
        "s_out_of_range" => match row.s {
            "< ℓ" => !f.s_below_order,
            "< 2^253" => !f.s_top_bits_clear,
            other => panic!("no bound is written {other}"),
        },
        "equation" => match row.equation {
            "exact" => !f.exact,
            "cofactored" => !f.cofactored,
            other => panic!("no equation is called {other}"),
        },
        other => panic!("no reason is called {other}"),
    }
}

/// The first reason of the document that applies.
fn specified(row: &Row, facts: &Facts<bool>) -> &'static str {
    REASONS.iter().find(|reason| applies(reason, row, facts)).copied().unwrap_or("valid")
}

fn name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Valid => "valid",
        Verdict::Invalid(reason) => reason.name(),
    }
}

/// Before the first input: every combination of facts.
fn start() {
    for (rule, row) in TABLE.iter() {
        for bits in 0..1_u32 << 10 {
            let facts = facts(|i| bits >> i & 1 == 1);
            let got = name(verdict(&decide(rule, &facts)));
            assert_eq!(got, specified(row, &facts), "{rule} {facts:?}");
        }
    }
}

fuzz_target!(init: start(), |words: [u64; 10]| {
    let lanes = facts(|i| words[i]);
    for (rule, row) in TABLE.iter() {
        let refusals = decide(rule, &lanes);
        for lane in 0..64 {
            let bit = |mask: u64| mask >> lane & 1 == 1;
            let first = refusals.iter().find(|(_, mask)| bit(*mask));
            let got = first.map_or("valid", |(reason, _)| reason.name());
            let single = facts(|i| bit(words[i]));
            assert_eq!(got, specified(row, &single), "{rule} lane {lane} {single:?}");
            assert_eq!(got, name(verdict(&decide(rule, &single))), "{rule} {single:?}");
        }
    }
});
