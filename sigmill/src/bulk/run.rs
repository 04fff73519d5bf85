//! Runs chunks of rows, on one thread or many, and writes the outcomes.
//!
//! Each row is verified alone, one after the other. Chunks are independent and write only their own
//! outcomes.
//!
//! Reach: own `plan` and `scratch`, `ed25519`.

use super::plan::CHUNK_ROWS;
use super::scratch::{Scratch, scratch_len, words};
use super::specs::{Algorithm, Spec};
use super::{BulkError, Table, plan};
use crate::ed25519::{PreparedKey, Signature, VerifyingKey};
use crate::error::{Reason, Verdict};

/// The verdict on a row; `None` where something in it is null.
pub type Outcome = Option<Verdict>;

/// From how many rows with the same key on its tables pay (`PreparedKey`).
const ROWS_TO_PREPARE: usize = 3;

/// Verifies every row, on this thread, without allocating.
///
/// # Errors
/// [`BulkError::Rows`] if `outcomes` has another length than the table,
/// [`BulkError::BufferLength`] if `scratch` is shorter than [`scratch_len`]. Outcomes are then
/// untouched.
pub fn verify_into(
    table: &Table<'_>,
    outcomes: &mut [Outcome],
    scratch: &mut [Scratch],
) -> Result<(), BulkError> {
    let expected = table.len();
    if outcomes.len() != expected {
        let got = outcomes.len();
        return Err(BulkError::Rows { what: "place for the outcomes", expected, got });
    }
    let (expected, got) = (scratch_len(expected), scratch.len());
    if got < expected {
        return Err(BulkError::BufferLength { what: "scratch memory", expected, got });
    }
    let order = words(scratch);
    for (i, outcomes) in outcomes.chunks_mut(CHUNK_ROWS).enumerate() {
        run_chunk(table, i * CHUNK_ROWS, outcomes, order);
    }
    Ok(())
}

/// Verifies every row, on this thread.
#[cfg(feature = "alloc")]
pub fn verify(table: &Table<'_>) -> alloc::vec::Vec<Outcome> {
    let mut outcomes = alloc::vec![None; table.len()];
    let mut scratch = alloc::vec![Scratch::new(); scratch_len(table.len())];
    let order = words(&mut scratch);
    for (i, outcomes) in outcomes.chunks_mut(CHUNK_ROWS).enumerate() {
        run_chunk(table, i * CHUNK_ROWS, outcomes, order);
    }
    outcomes
}

/// Verifies every row, on all threads of the current rayon pool.
#[cfg(feature = "rayon")]
pub fn verify_parallel(table: &Table<'_>) -> alloc::vec::Vec<Outcome> {
    use rayon::prelude::*;

    // short tables are cut finer, so that every thread has something to do
    let threads = rayon::current_num_threads().max(1);
    let rows = table.len().div_ceil(4 * threads).clamp(1, CHUNK_ROWS);
    let mut outcomes = alloc::vec![None; table.len()];
    outcomes.par_chunks_mut(rows).enumerate().for_each_init(
        || alloc::vec![Scratch::new(); scratch_len(rows)],
        |scratch, (i, outcomes)| run_chunk(table, i * rows, outcomes, words(scratch)),
    );
    outcomes
}

/// Verifies the rows from `first` on, as many as there are outcomes.
fn run_chunk(table: &Table<'_>, first: usize, outcomes: &mut [Outcome], order: &mut [u32]) {
    outcomes.fill(None);
    let len = plan::order_rows(table, first..first + outcomes.len(), order);
    let mut rest = &order[..len];
    while let Some(&row) = rest.first() {
        let row = first + row as usize;
        let (group, key) = (table.specs.group(row), table.keys.get(row).unwrap_or_default());
        let same = |other: &u32| {
            let other = first + *other as usize;
            table.specs.group(other) == group && table.keys.get(other) == Some(key)
        };
        let run = rest.iter().take_while(|other| same(other)).count();
        if let Some(spec) = table.specs.spec(group) {
            verify_run(table, &spec, key, &rest[..run], first, outcomes);
        }
        rest = &rest[run..];
    }
}

/// Verifies rows that share spec and key.
fn verify_run(
    table: &Table<'_>,
    spec: &Spec<'_>,
    key: &[u8],
    rows: &[u32],
    first: usize,
    outcomes: &mut [Outcome],
) {
    let Algorithm::Ed25519 = spec.algorithm;
    let key = Key::new(key, rows.len());
    for row in rows {
        let row = *row as usize;
        let message = table.messages.get(first + row).unwrap_or_default();
        let signature = table.signatures.get(first + row).unwrap_or_default();
        outcomes[row] = Some(key.verify(spec, message, signature));
    }
}

/// A key column's value, decoded once for all its rows.
#[allow(clippy::large_enum_variant)] // lives on the stack, one at a time
enum Key {
    WrongLength,
    NotAPoint,
    Plain(VerifyingKey),
    Prepared(PreparedKey),
}

impl Key {
    fn new(bytes: &[u8], rows: usize) -> Key {
        let Ok(bytes) = <&[u8; 32]>::try_from(bytes) else { return Key::WrongLength };
        match VerifyingKey::decode(bytes) {
            Err(_) => Key::NotAPoint,
            Ok(key) if rows < ROWS_TO_PREPARE => Key::Plain(key),
            Ok(key) => Key::Prepared(PreparedKey::new(&key)),
        }
    }

    fn verify(&self, spec: &Spec<'_>, message: &[u8], signature: &[u8]) -> Verdict {
        if let Key::WrongLength = self {
            return Verdict::Invalid(Reason::KeyLength);
        }
        let Ok(signature) = Signature::try_from(signature) else {
            return Verdict::Invalid(Reason::SignatureLength);
        };
        match self {
            Key::WrongLength => Verdict::Invalid(Reason::KeyLength),
            Key::NotAPoint => Verdict::Invalid(Reason::KeyNotAPoint),
            Key::Plain(key) => key.verify_with(&spec.rule, spec.variant, message, &signature),
            Key::Prepared(key) => key.verify_with(&spec.rule, spec.variant, message, &signature),
        }
    }
}
