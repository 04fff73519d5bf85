//! Runs chunks of rows, on one thread or many, and writes the outcomes.
//!
//! Within a chunk the rows of one spec are verified together, by the strategy that is fastest for
//! their number, or by the one that was asked for. Chunks are independent and write only their own
//! outcomes.

use super::plan::{CHUNK_ROWS, group_keys, order_rows};
use super::specs::Spec;
use super::{BulkError, Table};
use crate::cpu::Backend;
use crate::ecdsa;
use crate::ed25519::many::{self, Combination, Lanes};
use crate::ed25519::rules::{Equation, of_lengths, without_key};
use crate::ed25519::{PreparedKey, Rule, Signature, Variant, VerifyingKey};
use crate::error::Verdict;
use crate::memory::{Memory, Scratch};
use core::fmt;

/// The verdict on a row; `None` where something in it is null.
pub type Outcome = Option<Verdict>;

/// How the rows of a chunk are verified. Every strategy gives the same verdicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Strategy {
    /// One after the other; keys that occur often get tables.
    Single,
    /// Each row by its own equation, as many side by side as the backend has lanes.
    Lanes,
    /// Many rows by one equation with random coefficients, and lanes for what it leaves open. A wrong
    /// row is accepted with probability at most 2^-128; `docs/exact-batch.md` has the proof.
    Combined,
}

impl Strategy {
    /// Every strategy.
    pub const ALL: [Strategy; 3] = [Strategy::Single, Strategy::Lanes, Strategy::Combined];

    /// The name, such as `lanes`.
    pub const fn name(self) -> &'static str {
        match self {
            Strategy::Single => "single",
            Strategy::Lanes => "lanes",
            Strategy::Combined => "combined",
        }
    }

    /// The strategy with this name.
    pub fn from_name(name: &str) -> Option<Strategy> {
        Strategy::ALL.into_iter().find(|strategy| strategy.name() == name)
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How many rows each strategy has verified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// By [`Strategy::Single`], or refused for their lengths.
    pub single: usize,
    /// By [`Strategy::Lanes`].
    pub lanes: usize,
    /// By [`Strategy::Combined`].
    pub combined: usize,
}

impl Report {
    /// Adds another report's rows.
    pub fn add(&mut self, other: &Report) {
        self.single += other.single;
        self.lanes += other.lanes;
        self.combined += other.combined;
    }
}

/// Verifies tables, by the backend and strategy of its choice or the caller's.
#[derive(Clone, Copy, Debug)]
pub struct Engine {
    backend: Backend,
    strategy: Option<Strategy>,
    deterministic: bool,
}

impl Default for Engine {
    fn default() -> Self {
        Engine::new()
    }
}

impl Engine {
    /// The fastest backend of this CPU, and for each chunk the fastest strategy.
    pub fn new() -> Self {
        Engine { backend: Backend::best(), strategy: None, deterministic: false }
    }

    /// Uses this backend.
    ///
    /// # Errors
    /// [`BulkError::Backend`] if this CPU cannot run it.
    pub fn with_backend(self, backend: Backend) -> Result<Self, BulkError> {
        if !backend.is_available() {
            return Err(BulkError::Backend { backend });
        }
        Ok(Engine { backend, ..self })
    }

    /// Uses this strategy whatever the number of rows. [`Strategy::Lanes`] and [`Strategy::Single`]
    /// use no randomness. What a combination leaves open is verified in lanes.
    pub fn with_strategy(self, strategy: Strategy) -> Self {
        Engine { strategy: Some(strategy), ..self }
    }

    /// Derives the coefficients of combinations from the rows alone, without asking the system for
    /// random bytes; without the feature `std`, and in WebAssembly without a system, it is always so.
    /// Whoever can try 2^t crafted batches offline then gets a wrong row accepted with probability
    /// 2^(t−128).
    pub fn deterministic(self) -> Self {
        Engine { deterministic: true, ..self }
    }

    /// The backend in use.
    pub const fn backend(&self) -> Backend {
        self.backend
    }

    /// The strategy for `rows` rows of one spec in a chunk, whose keys are bytes.
    pub fn strategy(&self, rule: &Rule, rows: usize) -> Strategy {
        self.strategy_for(rule, rows, false)
    }

    /// The same for keys with or without tables: with them lanes pay for more rows.
    fn strategy_for(&self, rule: &Rule, rows: usize, prepared: bool) -> Strategy {
        if let Some(strategy) = self.strategy {
            return strategy;
        }
        let (lanes, combined) = match (self.backend, rule.equation()) {
            (Backend::Ifma, Equation::Exact) => (2, [192, 320]),
            (Backend::Ifma, Equation::Cofactored) => (2, [64, 112]),
            (Backend::Avx2, Equation::Exact) => (3, [128, 224]),
            (Backend::Avx2, Equation::Cofactored) => (3, [48, 56]),
            (_, Equation::Exact) => (usize::MAX, [128, 224]),
            (_, Equation::Cofactored) => (usize::MAX, [16, 24]),
        };
        match rows {
            rows if rows >= combined[usize::from(prepared)] => Strategy::Combined,
            rows if rows >= lanes => Strategy::Lanes,
            _ => Strategy::Single,
        }
    }

    /// How many [`Scratch`] [`Engine::verify_into`] needs for a table of `rows` rows.
    pub const fn scratch_len(&self, rows: usize) -> usize {
        match self.strategy {
            Some(Strategy::Combined) => combined_scratch_len(rows),
            Some(_) if rows < CHUNK_ROWS => rows,
            Some(_) => CHUNK_ROWS,
            None => scratch_len(rows),
        }
    }

    /// Verifies every row, on this thread, without allocating.
    ///
    /// # Errors
    /// [`BulkError::Rows`] if `outcomes` has another length than the table,
    /// [`BulkError::BufferLength`] if `scratch` is shorter than [`Engine::scratch_len`]; outcomes are
    /// then untouched. [`BulkError::Randomness`] if the system cannot provide random bytes.
    pub fn verify_into(
        &self,
        table: &Table<'_>,
        outcomes: &mut [Outcome],
        scratch: &mut [Scratch],
    ) -> Result<Report, BulkError> {
        let expected = table.len();
        if outcomes.len() != expected {
            let got = outcomes.len();
            return Err(BulkError::Rows { what: "outcome buffer", expected, got });
        }
        let (expected, got) = (self.scratch_len(expected), scratch.len());
        if got < expected {
            return Err(BulkError::BufferLength { what: "scratch memory", expected, got });
        }
        let mut report = Report::default();
        for (i, outcomes) in outcomes.chunks_mut(CHUNK_ROWS).enumerate() {
            self.run_chunk(table, i * CHUNK_ROWS, outcomes, scratch, &mut report)?;
        }
        Ok(report)
    }

    /// Verifies every row, on this thread.
    ///
    /// # Errors
    /// [`BulkError::Randomness`] if the system cannot provide random bytes.
    #[cfg(feature = "alloc")]
    pub fn verify(
        &self,
        table: &Table<'_>,
    ) -> Result<(alloc::vec::Vec<Outcome>, Report), BulkError> {
        let mut outcomes = alloc::vec![None; table.len()];
        let mut scratch = alloc::vec![Scratch::new(); self.scratch_len(table.len())];
        let report = self.verify_into(table, &mut outcomes, &mut scratch)?;
        Ok((outcomes, report))
    }

    /// Verifies every row, on all threads of the current rayon pool.
    ///
    /// # Errors
    /// [`BulkError::Randomness`] if the system cannot provide random bytes.
    #[cfg(feature = "rayon")]
    pub fn verify_parallel(
        &self,
        table: &Table<'_>,
    ) -> Result<(alloc::vec::Vec<Outcome>, Report), BulkError> {
        use std::sync::Mutex;

        let threads = rayon_core::current_num_threads().max(1);
        // short tables are cut finer, so that every thread has something to do
        let rows = table.len().div_ceil(threads).next_multiple_of(8).clamp(8, CHUNK_ROWS);
        let mut outcomes = alloc::vec![None; table.len()];
        let state = Mutex::new((outcomes.chunks_mut(rows).enumerate(), Ok(Report::default())));
        let lock = || state.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let work = || {
            let mut scratch = alloc::vec![Scratch::new(); self.scratch_len(rows)];
            let mut report = Report::default();
            let mut result = Ok(());
            while result.is_ok() {
                let Some((i, outcomes)) = lock().0.next() else { break };
                result = self.run_chunk(table, i * rows, outcomes, &mut scratch, &mut report);
            }
            match (&mut lock().1, result) {
                (Ok(sum), Ok(())) => sum.add(&report),
                (sum, Err(error)) => *sum = Err(error),
                _ => {}
            }
        };
        rayon_core::scope(|scope| {
            for _ in 1..threads.min(table.len().div_ceil(rows)) {
                scope.spawn(|_| work());
            }
            work();
        });
        let (_, report) = state.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        Ok((outcomes, report?))
    }

    /// Verifies the rows from `first` on, as many as there are outcomes.
    fn run_chunk(
        &self,
        table: &Table<'_>,
        first: usize,
        outcomes: &mut [Outcome],
        scratch: &mut [Scratch],
        report: &mut Report,
    ) -> Result<(), BulkError> {
        outcomes.fill(None);
        let mut memory = Memory::new(scratch);
        let Some(order) = memory.take(outcomes.len()) else {
            return Err(BulkError::ScratchExhausted { row: first, rows: outcomes.len() });
        };
        let len = order_rows(table, first..first + outcomes.len(), order);
        let mut rest = &mut order[..len];
        while let Some(&row) = rest.first() {
            let group = table.specs.group(first + row as usize);
            let same = |other: &u32| table.specs.group(first + *other as usize) == group;
            let len = rest.iter().take_while(|row| same(row)).count();
            let (rows, others) = rest.split_at_mut(len);
            match table.specs.spec(group) {
                Some(Spec::Ed25519 { rule, variant }) => {
                    let (keys, signatures) = (table.keys.arrays(), table.signatures.arrays());
                    let part = Part { table, rule, variant, first, keys, signatures };
                    self.run_part(&part, rows, outcomes, memory.again(), report)?;
                }
                Some(Spec::Ecdsa(scheme)) => {
                    self.run_ecdsa(table, &scheme, first, rows, outcomes, report);
                }
                None => {}
            }
            rest = others;
        }
        Ok(())
    }

    /// Verifies rows that share their scheme of ECDSA. There is no equation for many of them: r is all
    /// that is known of a point.
    fn run_ecdsa(
        &self,
        table: &Table<'_>,
        scheme: &ecdsa::Scheme,
        first: usize,
        rows: &[u32],
        outcomes: &mut [Outcome],
        report: &mut Report,
    ) {
        let backend = match self.strategy {
            Some(Strategy::Single) => Backend::Portable,
            _ => self.backend,
        };
        let row = |i: usize| {
            let row = first + rows[i] as usize;
            [&table.keys, &table.messages, &table.signatures]
                .map(|column| column.get(row).unwrap_or_default())
        };
        let verdict = |i: usize, verdict| outcomes[rows[i] as usize] = Some(verdict);
        let lanes = ecdsa::many::verify(backend, scheme, rows.len(), row, verdict);
        report.lanes += lanes;
        report.single += rows.len() - lanes;
    }

    /// Verifies rows that share their spec.
    fn run_part(
        &self,
        part: &Part<'_, '_>,
        rows: &mut [u32],
        outcomes: &mut [Outcome],
        mut memory: Memory<'_>,
        report: &mut Report,
    ) -> Result<(), BulkError> {
        // rows with a wrong length are refused before anything is computed
        let mut kept = 0;
        for i in 0..rows.len() {
            let row = rows[i];
            match part.wrong_length(row) {
                Some(refused) => outcomes[row as usize] = Some(refused),
                None => {
                    rows[kept] = row;
                    kept += 1;
                }
            }
        }
        report.single += rows.len() - kept;
        // cannot happen with as much memory as `scratch_len` asks for
        let exhausted = BulkError::ScratchExhausted { row: part.first, rows: outcomes.len() };
        let rows = &mut rows[..kept];
        if rows.is_empty() {
            return Ok(());
        }
        let prepared = part.prepared_key(rows[0]);
        let strategy = self.strategy_for(&part.rule, rows.len(), prepared.is_some());
        let (Some(keys), Some(firsts)) = (memory.take(rows.len()), memory.take(rows.len())) else {
            return Err(exhausted);
        };
        if strategy != Strategy::Lanes {
            group_keys(|row| part.key(row), rows, keys, firsts, memory.again());
        }
        if strategy == Strategy::Single {
            run_single(part, rows, keys, outcomes);
            report.single += rows.len();
            return Ok(());
        }
        let Some(scalars) = memory.take::<[u64; 8]>(rows.len()) else {
            return Err(exhausted);
        };
        let hash = |rows: &[u32], scalars: &mut [[u64; 8]]| {
            let row =
                |i: usize| (part.key(rows[i]), part.message(rows[i]), part.signature(rows[i]));
            many::hash_challenges(self.backend, part.variant, rows.len(), row, scalars);
        };
        hash(rows, scalars);
        let mut open = rows.len();
        if strategy == Strategy::Combined {
            let system = self.system_bytes()?;
            let combination = Combination {
                rule: &part.rule,
                keys: keys.last().map_or(0, |last| *last as usize + 1),
                key_of: keys,
                first_of: firsts,
            };
            let verdicts = many::combine(
                self.backend,
                &combination,
                |i| (part.key(rows[i]), part.prepared_key(rows[i]), part.signature(rows[i])),
                scalars,
                system.as_ref(),
                memory.again(),
                |i, verdict| outcomes[rows[i] as usize] = verdict,
            );
            if verdicts.is_some() {
                // what it has left open moves to the front
                open = 0;
                for i in 0..rows.len() {
                    if outcomes[rows[i] as usize].is_none() {
                        (rows[open], scalars[open]) = (rows[i], scalars[i]);
                        open += 1;
                    }
                }
                report.combined += rows.len() - open;
            } else {
                // too little memory, known before the hashes became k or after it
                hash(rows, scalars);
                many::reduce_many(self.backend, scalars);
            }
        } else {
            many::reduce_many(self.backend, scalars);
        }
        report.lanes += open;
        let rows = &rows[..open];
        let lanes = Lanes { rule: &part.rule, scalars: &scalars[..open] };
        let verdict = |i: usize, verdict: Option<Verdict>| {
            let verdict = verdict.unwrap_or_else(|| part.verify_singly(rows[i]));
            outcomes[rows[i] as usize] = Some(verdict);
        };
        if let Some(first) = prepared {
            let row =
                |i: usize| (part.prepared_key(rows[i]).unwrap_or(first), part.signature(rows[i]));
            many::verify_prepared(self.backend, &lanes, row, verdict);
        } else {
            let row = |i: usize| (part.key(rows[i]), part.signature(rows[i]));
            many::verify(self.backend, &lanes, row, verdict);
        }
        Ok(())
    }

    /// Random bytes for coefficients, if they are wanted.
    fn system_bytes(&self) -> Result<Option<[u8; 32]>, BulkError> {
        if self.deterministic { Ok(None) } else { system_bytes() }
    }
}

#[cfg(all(feature = "std", not(all(target_family = "wasm", target_os = "unknown"))))]
fn system_bytes() -> Result<Option<[u8; 32]>, BulkError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|_| BulkError::Randomness)?;
    Ok(Some(bytes))
}

/// There is no system to ask.
#[cfg(not(all(feature = "std", not(all(target_family = "wasm", target_os = "unknown")))))]
fn system_bytes() -> Result<Option<[u8; 32]>, BulkError> {
    Ok(None)
}

/// How many [`Scratch`] [`verify_into`] needs for a table of `rows` rows: one a row, and 128 more where
/// few rows are combined. It does not grow beyond one chunk.
pub const fn scratch_len(rows: usize) -> usize {
    if rows < FEWEST_COMBINED { rows } else { combined_scratch_len(rows) }
}

/// The same where rows may be combined, however few: the buckets of a combination need some memory
/// that does not depend on their number.
const fn combined_scratch_len(rows: usize) -> usize {
    if rows < ROWS_WITH_ROOM {
        rows + ROOM_FOR_BUCKETS
    } else if rows < CHUNK_ROWS {
        rows
    } else {
        CHUNK_ROWS
    }
}

/// No engine combines fewer rows of its own accord.
const FEWEST_COMBINED: usize = 16;
/// What the buckets of few rows need beside the rows' own memory, which from `ROWS_WITH_ROOM` on has
/// room for them: 64 KiB.
const ROOM_FOR_BUCKETS: usize = 128;
const ROWS_WITH_ROOM: usize = 1024;

/// Rows of one spec in a chunk.
struct Part<'t, 'a> {
    table: &'t Table<'a>,
    rule: Rule,
    variant: Variant<'a>,
    /// The first row of the chunk.
    first: usize,
    /// The columns, where their values are arrays: read many times, and so without asking each time
    /// how they lie.
    keys: Option<&'a [[u8; 32]]>,
    signatures: Option<&'a [[u8; 64]]>,
}

impl<'a> Part<'_, 'a> {
    #[inline(never)]
    fn message(&self, row: u32) -> &'a [u8] {
        self.table.messages.get(self.first + row as usize).unwrap_or_default()
    }

    #[inline(always)]
    fn key(&self, row: u32) -> &'a [u8; 32] {
        match self.keys {
            Some(keys) => keys.get(self.first + row as usize).unwrap_or(&[0; 32]),
            None => self.key_of_column(row),
        }
    }

    #[inline(never)]
    fn key_of_column(&self, row: u32) -> &'a [u8; 32] {
        let key = self.table.keys.get(self.first + row as usize).unwrap_or_default();
        key.try_into().unwrap_or(&[0; 32])
    }

    /// The key with tables, where the key column has them.
    #[inline(never)]
    fn prepared_key(&self, row: u32) -> Option<&'a PreparedKey> {
        self.table.keys.prepared_key(self.first + row as usize)
    }

    #[inline(always)]
    fn signature(&self, row: u32) -> &'a [u8; 64] {
        match self.signatures {
            Some(signatures) => signatures.get(self.first + row as usize).unwrap_or(&[0; 64]),
            None => self.signature_of_column(row),
        }
    }

    #[inline(never)]
    fn signature_of_column(&self, row: u32) -> &'a [u8; 64] {
        let signature = self.table.signatures.get(self.first + row as usize).unwrap_or_default();
        signature.try_into().unwrap_or(&[0; 64])
    }

    fn wrong_length(&self, row: u32) -> Option<Verdict> {
        let row = self.first + row as usize;
        let is = |len, bytes: Option<&[u8]>| (bytes.map_or(0, <[u8]>::len) == len).then_some(());
        of_lengths(is(32, self.table.keys.get(row)), is(64, self.table.signatures.get(row))).err()
    }

    fn verify_singly(&self, row: u32) -> Verdict {
        self.decoded_key(row).verify(
            &self.rule,
            self.variant,
            self.message(row),
            self.signature(row),
        )
    }

    /// The key of a row.
    fn decoded_key(&self, row: u32) -> Key<'a> {
        match self.prepared_key(row) {
            Some(key) => Key::Given(key),
            None => VerifyingKey::decode(self.key(row)).map_or(Key::NotAPoint, Key::Plain),
        }
    }
}

/// From how many rows with the same key on its tables pay (`PreparedKey`).
const ROWS_TO_PREPARE: usize = 3;

/// Verifies rows one after the other; equal keys are together and decoded once. A function of its own: a key's
/// tables are on its stack.
#[inline(never)]
fn run_single(part: &Part<'_, '_>, rows: &[u32], keys: &[u32], outcomes: &mut [Outcome]) {
    let mut i = 0;
    while i < rows.len() {
        let run = keys[i..].iter().take_while(|key| **key == keys[i]).count();
        let mut place;
        let key = match part.decoded_key(rows[i]) {
            Key::Plain(key) if run >= ROWS_TO_PREPARE => {
                place = PreparedKey::place_for(&key);
                place.replace(&key);
                Key::Given(&place)
            }
            key => key,
        };
        for row in &rows[i..i + run] {
            let verdict =
                key.verify(&part.rule, part.variant, part.message(*row), part.signature(*row));
            outcomes[*row as usize] = Some(verdict);
        }
        i += run;
    }
}

/// A key, decoded once for all its rows.
enum Key<'a> {
    NotAPoint,
    Given(&'a PreparedKey),
    Plain(VerifyingKey),
}

impl Key<'_> {
    fn verify(
        &self,
        rule: &Rule,
        variant: Variant<'_>,
        message: &[u8],
        signature: &[u8; 64],
    ) -> Verdict {
        let signature = Signature::from_bytes(signature);
        match self {
            Key::NotAPoint => without_key(rule),
            Key::Given(key) => key.verify_with(rule, variant, message, &signature),
            Key::Plain(key) => key.verify_with(rule, variant, message, &signature),
        }
    }
}

/// Verifies every row, on this thread, without allocating: [`Engine::verify_into`] of a new engine.
///
/// # Errors
/// As there.
pub fn verify_into(
    table: &Table<'_>,
    outcomes: &mut [Outcome],
    scratch: &mut [Scratch],
) -> Result<(), BulkError> {
    Engine::new().verify_into(table, outcomes, scratch).map(|_| ())
}

/// Verifies every row, on this thread: [`Engine::verify`] of a new engine.
///
/// # Errors
/// As there.
#[cfg(feature = "alloc")]
pub fn verify(table: &Table<'_>) -> Result<alloc::vec::Vec<Outcome>, BulkError> {
    Engine::new().verify(table).map(|(outcomes, _)| outcomes)
}

/// Verifies every row, on all threads of the current rayon pool: [`Engine::verify_parallel`] of a new
/// engine.
///
/// # Errors
/// As there.
#[cfg(feature = "rayon")]
pub fn verify_parallel(table: &Table<'_>) -> Result<alloc::vec::Vec<Outcome>, BulkError> {
    Engine::new().verify_parallel(table).map(|(outcomes, _)| outcomes)
}

#[cfg(test)]
#[path = "../tests/run.rs"]
mod tests;
