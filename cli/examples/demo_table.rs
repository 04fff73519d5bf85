//! The demo's two tables, in Parquet: the Wycheproof set with its own labels, and a million rows
//! signed here with planted bad rows of every kind.
//!
//! `demo_table wycheproof FILE` writes the set. `demo_table signed FILE ROWS` writes the rows, the
//! same ones every time. `demo_table compare FILE RULE` reads what `sigmill check -o` wrote for
//! either table and compares row by row with what the rule should say; it fails if a row differs.
//!
//! The verdicts that are expected come from the labels and from how each row was made, never from
//! this library.

use arrow_array::builder::{BinaryBuilder, StringBuilder};
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use rayon::prelude::*;
use sigmill::ed25519::{Signer, SigningKey};
use std::collections::BTreeMap;
use std::error::Error;
use std::fs::File;
use std::process::ExitCode;
use std::sync::Arc;

/// Distinct honest keys.
const KEYS: usize = 4096;
/// Rows of a row group, made by all threads together.
const GROUP_ROWS: usize = 131_072;
/// Every so many rows one is bad; the kinds take turns.
const BAD_EVERY: usize = 97;

/// ℓ, the order of the base point, little-endian.
const ORDER: [u8; 32] = [
    0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
];
/// The identity (0, 1) as RFC 8032 encodes it.
const IDENTITY: [u8; 32] = {
    let mut bytes = [0; 32];
    bytes[0] = 1;
    bytes
};
/// The identity with the sign bit of x = 0 set: the same point to a lenient reader.
const IDENTITY_NOT_CANONICAL: [u8; 32] = {
    let mut bytes = IDENTITY;
    bytes[31] = 0x80;
    bytes
};
/// y = 2: no x satisfies the curve equation.
const NO_POINT: [u8; 32] = {
    let mut bytes = [0; 32];
    bytes[0] = 2;
    bytes
};

/// A kind of row, and what a rule says of it: `valid`, a reason, or (`null`) nothing.
struct Kind {
    name: &'static str,
    common: &'static str,
    zip215: &'static str,
}

/// The reasons that a rule may give if one bad bit makes half of all encodings undecodable.
const R_BROKEN: &str = "equation or r_not_a_point or r_not_canonical";

/// The planted kinds. Those where the columns differ are the ones that change sides.
const KINDS: [Kind; 11] = [
    Kind { name: "message_bit", common: "equation", zip215: "equation" },
    Kind { name: "r_bit", common: R_BROKEN, zip215: R_BROKEN },
    Kind { name: "s_bit", common: "equation", zip215: "equation" },
    Kind { name: "wrong_key", common: "equation", zip215: "equation" },
    Kind { name: "other_row", common: "equation", zip215: "equation" },
    Kind { name: "s_plus_order", common: "s_out_of_range", zip215: "s_out_of_range" },
    Kind { name: "r_not_canonical", common: "r_not_canonical", zip215: "valid" },
    // [k]A vanishes for every fourth message; the factor 8 makes it vanish for all
    Kind { name: "small_order_key", common: "equation or valid", zip215: "valid" },
    Kind { name: "key_no_point", common: "key_not_a_point", zip215: "key_not_a_point" },
    Kind { name: "short_signature", common: "signature_length", zip215: "signature_length" },
    Kind { name: "null", common: "null", zip215: "null" },
];

/// Wycheproof cases that a rule decides unlike their label, by design.
fn differs_by_design(rule: &str, case: &str) -> bool {
    matches!((rule, case), ("zip215", "151") | ("legacy", "63" | "85"))
}

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// SplitMix64: all that a demo needs of randomness, and the same on every machine.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn bytes(&mut self, len: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(len + 8);
        while bytes.len() < len {
            bytes.extend_from_slice(&self.next().to_le_bytes());
        }
        bytes.truncate(len);
        bytes
    }
}

#[derive(Clone, Default)]
struct Row {
    key: Option<Vec<u8>>,
    message: Option<Vec<u8>>,
    signature: Option<Vec<u8>>,
    kind: &'static str,
}

fn flip(bytes: &mut [u8], numbers: &mut Numbers, bits: usize) {
    let bit = numbers.next() as usize % bits;
    bytes[bit / 8] ^= 1 << (bit % 8);
}

/// The public parts of a row, the same for every caller: its key's number and its message.
fn message_of(row: usize) -> (usize, Vec<u8>, Numbers) {
    let mut numbers = Numbers(row as u64 ^ 0x7369_676d_696c_6c00);
    let key = numbers.next() as usize % KEYS;
    let len = 32 + numbers.next() as usize % 97;
    let message = numbers.bytes(len);
    (key, message, numbers)
}

fn make_row(row: usize, keys: &[SigningKey]) -> Row {
    let (number, mut message, mut numbers) = message_of(row);
    let mut key = keys[number].verifying_key().to_bytes().to_vec();
    let mut signature = keys[number].sign(&message).to_bytes().to_vec();
    if row % BAD_EVERY != BAD_EVERY - 1 {
        let (key, message, signature) = (Some(key), Some(message), Some(signature));
        return Row { key, message, signature, kind: "good" };
    }
    let turn = row / BAD_EVERY;
    let kind = KINDS[turn % KINDS.len()].name;
    match kind {
        "message_bit" => {
            let bits = 8 * message.len();
            flip(&mut message, &mut numbers, bits);
        }
        "r_bit" => flip(&mut signature[..32], &mut numbers, 256),
        // The low 252 bits: a higher one would put S out of range instead.
        "s_bit" => flip(&mut signature[32..], &mut numbers, 248),
        "wrong_key" => key = keys[(number + 1) % KEYS].verifying_key().to_bytes().to_vec(),
        "other_row" => {
            let (other, text, _) = message_of(row + 1);
            signature = keys[other].sign(&text).to_bytes().to_vec();
        }
        "s_plus_order" => {
            let mut carry = 0;
            for (place, limb) in signature[32..].iter_mut().zip(ORDER) {
                let sum = u16::from(*place) + u16::from(limb) + carry;
                *place = sum as u8;
                carry = sum >> 8;
            }
        }
        // With A = (0, 1), [S]B = R + [k]A asks for R = [S]B; S = 0 makes R the identity, for any
        // message and without a secret. Which encoding of it is let in is up to the rule.
        "r_not_canonical" => {
            key = IDENTITY.to_vec();
            signature = [IDENTITY_NOT_CANONICAL, [0; 32]].concat();
        }
        "small_order_key" => {
            key = vec![0; 32]; // y = 0, a point of order 4: nobody needs a secret to sign for it
            signature = [IDENTITY, [0; 32]].concat();
        }
        "key_no_point" => key = NO_POINT.to_vec(),
        "short_signature" => signature.truncate(63),
        _ => {}
    }
    let mut made = Row { key: Some(key), message: Some(message), signature: Some(signature), kind };
    if kind == "null" {
        match turn / KINDS.len() % 3 {
            0 => made.key = None,
            1 => made.message = None,
            _ => made.signature = None,
        }
    }
    made
}

fn fields(own: Field) -> Arc<Schema> {
    let binary = |name: &str| Field::new(name, DataType::Binary, true);
    Arc::new(Schema::new(vec![binary("key"), binary("msg"), binary("sig"), own]))
}

fn columns(rows: &[Row], own: ArrayRef, schema: &Arc<Schema>) -> Result<RecordBatch> {
    let column = |cell: fn(&Row) -> Option<&[u8]>| -> ArrayRef {
        let mut column = BinaryBuilder::new();
        rows.iter().for_each(|row| column.append_option(cell(row)));
        Arc::new(column.finish())
    };
    let key = column(|row| row.key.as_deref());
    let message = column(|row| row.message.as_deref());
    let signature = column(|row| row.signature.as_deref());
    Ok(RecordBatch::try_new(schema.clone(), vec![key, message, signature, own])?)
}

fn write_signed(path: &str, num_rows: usize) -> Result<()> {
    let schema = fields(Field::new("kind", DataType::Utf8, false));
    let keys: Vec<SigningKey> = (0..KEYS as u64)
        .into_par_iter()
        .map(|number| {
            let mut seed = [0; 32];
            seed.copy_from_slice(&Numbers(number).bytes(32));
            SigningKey::from_bytes(&seed)
        })
        .collect();
    let mut writer = ArrowWriter::try_new(File::create(path)?, schema.clone(), None)?;
    let mut kinds = BTreeMap::new();
    for start in (0..num_rows).step_by(GROUP_ROWS) {
        let end = num_rows.min(start + GROUP_ROWS);
        let rows: Vec<Row> = (start..end).into_par_iter().map(|row| make_row(row, &keys)).collect();
        let mut kind = StringBuilder::new();
        for row in &rows {
            kind.append_value(row.kind);
            *kinds.entry(row.kind).or_insert(0) += 1;
        }
        writer.write(&columns(&rows, Arc::new(kind.finish()), &schema)?)?;
        writer.flush()?; // ends the row group
    }
    let groups = writer.close()?.num_row_groups();
    println!("{num_rows} rows in {groups} row groups, {KEYS} keys");
    for (kind, count) in kinds {
        println!("  {count:>10} {kind}");
    }
    Ok(())
}

fn write_wycheproof(path: &str) -> Result<()> {
    use wycheproof::{TestResult, eddsa};
    let set = eddsa::TestSet::load(eddsa::TestName::Ed25519)?;
    let schema = fields(Field::new("kind", DataType::Utf8, false));
    let (mut rows, mut labels) = (Vec::new(), StringBuilder::new());
    for group in &set.test_groups {
        for test in &group.tests {
            let valid = test.result == TestResult::Valid;
            let label = if valid { "valid" } else { "invalid" };
            labels.append_value(format!("wycheproof {} {label}", test.tc_id));
            rows.push(Row {
                key: Some(group.key.pk.to_vec()),
                message: Some(test.msg.to_vec()),
                signature: Some(test.sig.to_vec()),
                kind: "",
            });
        }
    }
    let mut writer = ArrowWriter::try_new(File::create(path)?, schema.clone(), None)?;
    writer.write(&columns(&rows, Arc::new(labels.finish()), &schema)?)?;
    writer.close()?;
    println!("{} cases of Wycheproof's Ed25519 set", rows.len());
    Ok(())
}

fn text_column<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a StringArray> {
    let column = batch.column_by_name(name).ok_or_else(|| format!("no column `{name}`"))?;
    Ok(column.as_any().downcast_ref().ok_or_else(|| format!("column `{name}` is no text"))?)
}

/// The answer of a checked row: `valid`, a reason, or `null`.
fn answer<'a>(verdicts: &'a StringArray, reasons: &'a StringArray, row: usize) -> &'a str {
    if verdicts.is_null(row) {
        return "null";
    }
    match verdicts.value(row) {
        "invalid" if !reasons.is_null(row) => reasons.value(row),
        verdict => verdict,
    }
}

/// The expected answer for a row of this kind, and the name to count it under.
fn expectation(kind: &str, rule: &str) -> Result<(String, &'static str)> {
    if let Some(case) = kind.strip_prefix("wycheproof ") {
        let (case, label) = case.split_once(' ').ok_or("no label")?;
        let valid = (label == "valid") != differs_by_design(rule, case);
        return Ok((label.to_owned(), if valid { "valid" } else { "invalid" }));
    }
    if kind == "good" {
        return Ok((kind.to_owned(), "valid"));
    }
    let kind = KINDS.iter().find(|known| known.name == kind).ok_or("unknown kind")?;
    match rule {
        "common" => Ok((kind.name.to_owned(), kind.common)),
        "zip215" => Ok((kind.name.to_owned(), kind.zip215)),
        _ => Err(format!("nothing is expected under `{rule}`").into()),
    }
}

fn agrees(expected: &str, got: &str) -> bool {
    match expected {
        "invalid" => got != "valid" && got != "null",
        _ => expected.split(" or ").any(|one| one == got),
    }
}

fn compare(path: &str, rule: &str) -> Result<()> {
    let mut counts: BTreeMap<(String, &str), (usize, usize)> = BTreeMap::new();
    let (mut row_number, mut wrong) = (0, 0);
    for batch in ParquetRecordBatchReaderBuilder::try_new(File::open(path)?)?.build()? {
        let batch = batch?;
        let kinds = text_column(&batch, "kind")?;
        let (verdicts, reasons) = (text_column(&batch, "verdict")?, text_column(&batch, "reason")?);
        for row in 0..batch.num_rows() {
            let (name, expected) = expectation(kinds.value(row), rule)?;
            let got = answer(verdicts, reasons, row);
            let count = counts.entry((name, expected)).or_default();
            count.0 += 1;
            count.1 += usize::from(agrees(expected, got));
            if !agrees(expected, got) {
                wrong += 1;
                if wrong <= 10 {
                    println!(
                        "  MISMATCH row {row_number} ({}): {got}, not {expected}",
                        kinds.value(row)
                    );
                }
            }
            row_number += 1;
        }
    }
    println!("  {:<16} {:<46} {:>9} {:>9}", "kind", "expected", "rows", "as expected");
    for ((name, expected), (rows, right)) in &counts {
        println!("  {name:<16} {expected:<46} {rows:>9} {right:>9}");
    }
    if wrong > 0 || row_number == 0 {
        return Err(format!("{wrong} of {row_number} rows are not as expected under {rule}").into());
    }
    println!("  {row_number} rows, all as expected under {rule}");
    Ok(())
}

fn changes_sides() {
    for kind in KINDS.iter().filter(|kind| (kind.common == "valid") != (kind.zip215 == "valid")) {
        println!("  {}: {} under common, {} under zip215", kind.name, kind.common, kind.zip215);
    }
}

fn run() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args.as_slice() {
        ["wycheproof", path] => write_wycheproof(path),
        ["signed", path, rows] => write_signed(path, rows.parse()?),
        ["compare", path, rule] => compare(path, rule),
        ["sides"] => {
            changes_sides();
            Ok(())
        }
        _ => {
            Err("usage: demo_table wycheproof FILE | signed FILE ROWS | compare FILE RULE | sides"
                .into())
        }
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("demo_table: {error}");
            ExitCode::FAILURE
        }
    }
}
