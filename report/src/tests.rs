use super::*;
use sigmill::bulk::NULL_SPEC;
use sigmill::ecdsa::Scheme;
use sigmill::ed25519::{Explanation, Signer, SigningKey, Variant};
use std::time::UNIX_EPOCH;

/// Rows with memory of their own.
#[derive(Default)]
struct Memory {
    cells: [Vec<Vec<u8>>; 3],
    codes: Vec<u8>,
}

/// The neutral point, canonical or not: a key of small order.
fn neutral(last: u8) -> Vec<u8> {
    let mut key = vec![0; 32];
    (key[0], key[31]) = (1, last);
    key
}

impl Memory {
    fn push(&mut self, row: [&[u8]; 3], code: u8) {
        for (cells, value) in self.cells.iter_mut().zip(row) {
            cells.push(value.to_vec());
        }
        self.codes.push(code);
    }

    /// A row of one of several kinds, with the code that the engine gives it.
    fn push_kind(&mut self, number: u64, kind: &str, rule: &Rule) {
        let key = SigningKey::from_bytes(&[number as u8 % 7; 32]);
        let message = number.to_le_bytes();
        let mut public = key.verifying_key().to_bytes().to_vec();
        let mut signature = key.sign(&message).to_bytes().to_vec();
        match kind {
            "good" => {}
            "message" => signature[40] ^= 1,
            "short" => signature.truncate(63),
            // R = the neutral point and S = 0: valid wherever such points are, since [k]A vanishes
            "edge" | "encoding" => {
                public = neutral(if kind == "edge" { 0 } else { 0x80 });
                signature = [neutral(0), vec![0; 32]].concat();
            }
            _ => panic!("{kind}"),
        }
        let verdict =
            sigmill::ed25519::verify_bytes(rule, Variant::Pure, &public, &message, &signature);
        self.push([&public, &message, &signature], verdict.code());
    }

    fn with<O>(&self, range: Range<usize>, specs: Specs<'_>, f: impl FnOnce(&Rows<'_>) -> O) -> O {
        let slices = self
            .cells
            .each_ref()
            .map(|cells| cells[range.clone()].iter().map(Vec::as_slice).collect::<Vec<_>>());
        let [keys, messages, signatures] = slices.each_ref().map(|slices| Column::slices(slices));
        f(&Rows { keys, messages, signatures, specs, codes: &self.codes[range] })
    }
}

fn settings(table: &str) -> Settings {
    Settings { date: UNIX_EPOCH, ..Settings::new(table, Engine::new()) }
}

fn same(rule: &Rule) -> Specs<'static> {
    Specs::Same(Spec::ed25519(rule, Variant::Pure))
}

/// A report of rows that come in batches of this size.
fn report_of(memory: &Memory, rule: &Rule, batch: usize) -> Report {
    let mut report = Report::new(settings("t"));
    let rows = memory.codes.len();
    for first in (0..rows).step_by(batch) {
        memory.with(first..rows.min(first + batch), same(rule), |rows| {
            report.add(first as u64, rows).expect("columns of one length");
        });
    }
    report
}

fn mixed(rows: u64, rule: &Rule) -> Memory {
    let mut memory = Memory::default();
    for row in 0..rows {
        let kind = match row % 8 {
            1 => "message",
            3 => "short",
            5 => "edge",
            7 => "encoding",
            _ => "good",
        };
        memory.push_kind(row, kind, rule);
    }
    memory
}

#[test]
fn what_is_counted_does_not_depend_on_batches() {
    let memory = mixed(300, &rules::COMMON);
    let whole = report_of(&memory, &rules::COMMON, 300).html();
    for batch in [1, 7, 64] {
        assert_eq!(report_of(&memory, &rules::COMMON, batch).html(), whole, "{batch}");
    }
}

#[test]
fn counts_are_those_of_the_rows() {
    let memory = mixed(80, &rules::COMMON);
    let report = report_of(&memory, &rules::COMMON, 80);
    assert_eq!((report.rows(), report.valid(), report.invalid()), (80, 60, 20));
    let html = report.html();
    for expected in [
        "<code>equation</code>",
        "<code>signature_length</code>",
        "ed25519, rule common, variant pure: 80 rows",
        "<b>60</b>",
        "75.00 %",
        "row 79",
        "Invalid rows: all 20",
        "all 20 invalid and all 20 edge rows",
    ] {
        assert!(html.contains(expected), "{expected}: {html}");
    }
}

#[test]
fn other_rules_say_what_explanations_say() {
    for rule in rules::ALL {
        let memory = mixed(64, rule);
        let report = report_of(&memory, rule, 64);
        let mut expected: [[BTreeMap<u8, u64>; 8]; 2] = Default::default();
        for row in 0..64 {
            let kind = row % 8;
            if kind % 2 == 0 {
                continue;
            }
            let [key, message, signature] = memory.cells.each_ref().map(|cells| &cells[row][..]);
            let valid = memory.codes[row] == 0;
            for (other, codes) in rules::ALL.into_iter().zip(&mut expected[usize::from(valid)]) {
                let code = match (key.try_into(), signature.try_into()) {
                    (Ok(key), Ok(signature)) => {
                        Explanation::new(Variant::Pure, key, message, signature)
                            .verdict(other)
                            .code()
                    }
                    _ => Reason::SignatureLength.code(),
                };
                *codes.entry(code).or_default() += 1;
            }
        }
        assert_eq!([&report.invalid.codes, &report.edges.codes], expected.each_ref(), "{rule}");
    }
}

#[test]
fn a_listed_row_says_under_which_rules_it_is_valid() {
    let memory = mixed(8, &rules::STRICT);
    let report = report_of(&memory, &rules::STRICT, 8);
    let [invalid, _] = &report.listed;
    let rows: Vec<u64> = invalid.iter().map(|listed| listed.row).collect();
    assert_eq!(rows, [1, 3, 5, 7]);
    let valid: Vec<Vec<&str>> = invalid
        .iter()
        .map(|listed| listed.valid_under.iter().flatten().map(|rule| rule.name()).collect())
        .collect();
    assert!(valid[0].is_empty() && valid[1].is_empty());
    assert_eq!(valid[2], ["common", "rfc8032_exact", "rfc8032", "zip215", "legacy"]);
    assert_eq!(valid[3], ["common", "zip215", "legacy"]);
}

#[test]
fn lists_and_trials_are_capped() {
    let mut memory = Memory::default();
    for _ in 0..3000 {
        memory.push([&[1; 32], b"", &[2; 64]], Reason::Equation.code());
        memory.push([&neutral(0), b"", &[[neutral(0), vec![0; 32]].concat()].concat()], 0);
        memory.push([&[1; 32], b"", &[2; 64]], NULL_CODE);
    }
    let report = report_of(&memory, &rules::COMMON, 1000);
    assert_eq!([report.listed[0].len(), report.listed[1].len()], LISTED);
    for tried in [&report.invalid, &report.edges] {
        assert_eq!((tried.met, tried.tried), (3000, 512 + 4));
        assert_eq!(tried.codes[0].values().sum::<u64>(), tried.tried);
    }
    let html = report.html();
    assert!(html.contains("516 of 3,000 invalid and 516 of 3,000 edge rows"), "{html}");
    assert!(html.contains("Invalid rows: the first 100 of 3,000"), "{html}");
    assert_eq!(may_be_tried(u64::MAX), MOST_TRIED);
}

#[test]
fn a_page_is_bounded_whatever_the_table() {
    let mut report = Report::new(settings(&"<".repeat(100_000)));
    let mut memory = Memory::default();
    for row in 0..2048_u64 {
        let key = [row.to_le_bytes().as_slice(), &[9; 4000]].concat();
        memory.push([&key, b"", b""], if row % 3 == 0 { UNREADABLE_CODE } else { 1 });
    }
    for batch in 0..8 {
        memory.with(0..2048, same(&rules::COMMON), |rows| {
            report.add(batch * 2048, rows).expect("counted");
        });
    }
    let len = report.html().len();
    assert!(len < 400_000, "{len} bytes");
}

#[test]
fn foreign_text_stays_text() {
    let script = "<script>alert('x')</script>.csv";
    let mut settings = settings(script);
    settings.details = vec![(script.to_owned(), format!("\"{script}"))];
    let html = Report::new(settings).html();
    assert!(!html.contains("<script") && !html.contains("alert('x')"), "{html}");
    assert_eq!(html.matches("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;.csv").count(), 4);
}

#[test]
fn a_page_asks_for_nothing_from_elsewhere() {
    let memory = mixed(64, &rules::ZIP215);
    let html = report_of(&memory, &rules::ZIP215, 64).html();
    for forbidden in
        ["http://", "https://", "src=", "url(", "@import", "<script", "<iframe", "<img"]
    {
        assert!(!html.contains(forbidden), "{forbidden}");
    }
    assert_eq!(html.matches("href=").count(), 1, "the empty icon");
    assert!(html.contains("cofactored rule is not tried"));
    let opened = html.matches("<section>").count();
    assert_eq!((opened, html.matches("</section>").count()), (7, 7));
}

#[test]
fn empty_table_and_rows_without_verdicts_have_pages() {
    let html = Report::new(settings("nothing")).html();
    assert!(html.contains("The table has no rows.") && !html.contains("NaN"), "{html}");
    let mut memory = Memory::default();
    for code in [NULL_CODE, UNKNOWN_CODE, CONTEXT_CODE, UNREADABLE_CODE, 77] {
        memory.push([b"", b"", b""], code);
    }
    let index = [NULL_SPEC; 5];
    let mut report = Report::new(settings("nothing"));
    memory.with(0..5, Specs::PerRow { distinct: &[], index: &index }, |rows| {
        report.add(0, rows).expect("counted");
    });
    assert_eq!((report.rows(), report.valid(), report.invalid()), (5, 0, 0));
    let html = report.html();
    for name in ["null", "unknown", "context", "unreadable", "other"] {
        assert!(html.contains(&format!("<code>{name}</code>")), "{name}: {html}");
    }
}

#[test]
fn reasons_of_the_caller_and_names_of_keys_are_shown() {
    let mut memory = mixed(4, &rules::COMMON);
    memory.push([b"", b"", b""], 150);
    memory.push([b"", b"", b""], 151);
    let refusal = Refusal { code: 150, name: "kid_unknown", text: "no key has this identifier" };
    let (named, name) = (memory.cells[0][1].clone(), "<b>k1".to_owned());
    let mut settings = settings("t");
    settings.refusals = vec![refusal];
    settings.key_names = vec![(vec![7; 32], "another".to_owned()), (named.clone(), name)];
    let mut report = Report::new(settings);
    let index = [0, 0, 0, 0, NULL_SPEC, NULL_SPEC];
    let distinct = [Spec::ed25519(&rules::COMMON, Variant::Pure)];
    memory.with(0..6, Specs::PerRow { distinct: &distinct, index: &index }, |rows| {
        report.add(0, rows).expect("counted");
    });
    // a code that nobody named is no verdict
    let invalid = 1 + memory.codes[..4].iter().filter(|code| **code != VALID_CODE).count() as u64;
    assert_eq!((report.rows(), report.invalid()), (6, invalid));
    let html = report.html();
    assert!(html.contains("<code>kid_unknown</code>") && html.contains(refusal.text), "{html}");
    assert!(html.contains("<code>other</code>"), "{html}");
    let cell = format!("<code>{}</code><span class=\"soft\">&lt;b&gt;k1</span>", text::Hex(&named));
    assert!(html.matches(&cell).count() >= 2 && !html.contains("another"), "{html}");
}

#[test]
fn rows_of_several_kinds_are_told_apart() {
    let mut memory = mixed(8, &rules::COMMON);
    memory.push([&[4; 65], b"m", &[1; 64]], Reason::KeyNotAPoint.code());
    memory.push([&[4; 65], b"m", &[1; 64]], NULL_CODE);
    let distinct = [Spec::Ecdsa(Scheme::P256), Spec::ed25519(&rules::COMMON, Variant::Pure)];
    let index = [1, 1, 1, 1, 1, 1, 1, 1, 0, NULL_SPEC];
    let mut report = Report::new(settings("t"));
    memory.with(0..10, Specs::PerRow { distinct: &distinct, index: &index }, |rows| {
        report.add(0, rows).expect("counted");
    });
    // no rule is tried for ECDSA
    assert_eq!((report.invalid(), report.invalid.met), (3, 2));
    let html = report.html();
    assert!(html.contains("p256, hash sha256, raw signatures: 1 row<"), "{html}");
    assert!(html.contains("Rows of ECDSA have no other rule."));
    assert!(html.contains("not tried"));
}

#[test]
fn columns_of_other_lengths_are_refused() {
    let memory = mixed(8, &rules::COMMON);
    let mut report = Report::new(settings("t"));
    memory.with(0..8, same(&rules::COMMON), |rows| {
        let short = Rows { codes: &rows.codes[1..], ..*rows };
        assert!(matches!(report.add(0, &short), Err(BulkError::Rows { .. })));
        let index = [0; 7];
        let specs = Specs::PerRow { distinct: rows.distinct(), index: &index };
        let short = Rows { specs, ..*rows };
        assert!(matches!(report.add(0, &short), Err(BulkError::Rows { what: "spec index", .. })));
    });
    assert_eq!(report.rows(), 0);
}
