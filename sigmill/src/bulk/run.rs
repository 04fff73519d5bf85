//! Runs chunks of rows, on one thread or many, and writes the outcomes.
//!
//! Within a chunk the rows of one spec are verified together, by the strategy that is fastest for
//! their number, or by the one that was asked for. Chunks are independent and write only their own
//! outcomes.

use super::plan::{CHUNK_ROWS, group_keys, order_rows};
use super::sign::check_rows;
use super::specs::{Spec, Specs};
use super::{BulkError, Table};
use crate::cpu::{self, Backend, Feature};
use crate::ecdsa;
use crate::ed25519::many::{self, Combination, Given, Lanes};
use crate::ed25519::rules::{Equation, of_digest_length, of_lengths};
use crate::ed25519::{
    PreparedKey, Rule, Signature, VerifyingKey, verify_bytes, verify_prehashed_bytes,
};
use crate::error::Verdict;
use crate::memory::{Memory, Scratch};
use core::fmt;

/// The verdict on a row; `None` where something in it is null.
pub type Outcome = Option<Verdict>;

/// The code of a row in which something is null; 0 is valid, and every other one a
/// [`Reason::code`](crate::Reason::code).
pub const NULL_CODE: u8 = 255;

/// Where what was found out about rows is written.
enum Results<'r> {
    Outcomes(&'r mut [Outcome]),
    Codes(&'r mut [u8]),
}

impl Results<'_> {
    const fn len(&self) -> usize {
        match self {
            Results::Outcomes(outcomes) => outcomes.len(),
            Results::Codes(codes) => codes.len(),
        }
    }

    fn clear(&mut self) {
        match self {
            Results::Outcomes(outcomes) => outcomes.fill(None),
            Results::Codes(codes) => codes.fill(NULL_CODE),
        }
    }

    #[inline(always)]
    fn set(&mut self, row: u32, outcome: Outcome) {
        match self {
            Results::Outcomes(outcomes) => outcomes[row as usize] = outcome,
            Results::Codes(codes) => codes[row as usize] = outcome.map_or(NULL_CODE, Verdict::code),
        }
    }

    #[inline(always)]
    fn is_open(&self, row: u32) -> bool {
        match self {
            Results::Outcomes(outcomes) => outcomes[row as usize].is_none(),
            Results::Codes(codes) => codes[row as usize] == NULL_CODE,
        }
    }
}

/// How the rows of a chunk are verified. Every strategy gives the same verdicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Strategy {
    /// One after the other; keys that occur often get tables.
    Single,
    /// Each row by its own equation, as many side by side as the backend has lanes.
    Lanes,
    /// Many rows by one equation with random coefficients, and lanes for what it leaves open. A wrong
    /// row is accepted with probability at most 2^-128; `docs/exact-batch.md` has the proof. An error
    /// ([`BulkError::Randomness`]) where nothing random is to be had and [`Engine::deterministic`] was not
    /// asked for.
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

/// Where the coefficients of combinations come from, beside the rows.
#[derive(Clone, Copy)]
enum Entropy {
    /// The system is asked, once for each combination.
    System,
    /// There is no system to ask and nothing was given: nothing is combined.
    None,
    /// The caller has given it.
    Given([u8; 32]),
    /// The caller wants none.
    RowsAlone,
}

impl fmt::Debug for Entropy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Entropy::System => "System",
            Entropy::None => "None",
            Entropy::Given(_) => "Given",
            Entropy::RowsAlone => "RowsAlone",
        })
    }
}

/// Verifies tables, by the backend and strategy of its choice or the caller's.
#[derive(Clone, Copy, Debug)]
pub struct Engine {
    backend: Backend,
    strategy: Option<Strategy>,
    entropy: Entropy,
}

impl Default for Engine {
    fn default() -> Self {
        Engine::new()
    }
}

impl Engine {
    /// The fastest backend of this CPU, and for each chunk the fastest strategy, with coefficients from
    /// random bytes of the system. Where there is none to ask (without the feature `getrandom`, and in
    /// WebAssembly outside a system) nothing is combined until [`Engine::with_entropy`] or
    /// [`Engine::deterministic`] says where coefficients come from.
    pub fn new() -> Self {
        let entropy = if system::IS_THERE { Entropy::System } else { Entropy::None };
        Engine { backend: Backend::best(), strategy: None, entropy }
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

    /// Derives the coefficients of combinations from these bytes and from the rows, without asking the
    /// system. They may serve for any number of tables: a wrong row is accepted with probability at most
    /// 2^-128 as long as whoever makes the rows does not know them. If he does, it is as with
    /// [`Engine::deterministic`].
    pub fn with_entropy(self, entropy: [u8; 32]) -> Self {
        Engine { entropy: Entropy::Given(entropy), ..self }
    }

    /// Derives the coefficients of combinations from the rows alone, without asking the system for
    /// random bytes. Whoever can try 2^t crafted batches offline then gets a wrong row accepted with
    /// probability 2^(t−128).
    pub fn deterministic(self) -> Self {
        Engine { entropy: Entropy::RowsAlone, ..self }
    }

    /// The backend in use.
    pub const fn backend(&self) -> Backend {
        self.backend
    }

    /// The strategy for `rows` rows of one spec in a chunk, whose keys are bytes. An engine that has
    /// nothing to derive coefficients from never chooses [`Strategy::Combined`].
    pub fn strategy(&self, rule: &Rule, rows: usize) -> Strategy {
        self.strategy_for(rule, rows, false)
    }

    /// The same for keys with or without tables: with them lanes pay for more rows.
    fn strategy_for(&self, rule: &Rule, rows: usize, prepared: bool) -> Strategy {
        if let Some(strategy) = self.strategy {
            return strategy;
        }
        // measured (docs/performance.md); the second number is that for keys with tables
        let combined = match (self.backend, rule.equation()) {
            (Backend::Ifma, Equation::Exact) => [128, 256],
            (Backend::Ifma, Equation::Cofactored) => [56, 112],
            (Backend::Avx2, Equation::Exact) => [40, 176],
            (Backend::Avx2, Equation::Cofactored) => [24, 56],
            // single operations have what the CPU has, and combinations have not
            (Backend::Portable, Equation::Exact) if cpu::has(Feature::Adx) => [768, usize::MAX],
            (Backend::Portable, Equation::Cofactored) if cpu::has(Feature::Adx) => [48, 112],
            (Backend::Portable, Equation::Exact) => [40, 256],
            (Backend::Portable, Equation::Cofactored) => [20, 32],
        };
        match rows {
            rows if rows >= combined[usize::from(prepared)] && self.combines() => {
                Strategy::Combined
            }
            rows if self.backend.lanes() > 0 && rows > self.few() => Strategy::Lanes,
            _ => Strategy::Single,
        }
    }

    /// How many rows take no longer one by one than in lanes, most of which they would leave empty.
    fn few(&self) -> usize {
        let quick = self.backend == Backend::Ifma || cpu::has(Feature::Adx);
        if quick { 2 } else { 1 }
    }

    /// How many of the rows for lanes are soonest verified one by one: those that are left after full lanes, if
    /// they are few.
    fn left_of(&self, rows: usize) -> usize {
        let left = rows.checked_rem(self.backend.lanes()).unwrap_or_default();
        if left <= self.few() { left } else { 0 }
    }

    /// Whether there is something to derive coefficients from.
    fn combines(&self) -> bool {
        !matches!(self.entropy, Entropy::None)
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

    /// How many [`Scratch`] make these rows fastest: those of [`Engine::scratch_len`], and at most 720 where some
    /// are ECDSA's, which have their tables there. With less than that, fewer of these go side by side.
    pub fn scratch_len_for(&self, rows: usize, specs: &Specs<'_>) -> usize {
        let len = self.scratch_len(rows);
        if !specs.have_ecdsa() {
            return len;
        }
        let rows = rows.min(CHUNK_ROWS);
        let order = (rows * size_of::<u32>()).next_multiple_of(64);
        len.max((order + ecdsa::many::memory_needed(rows)).div_ceil(size_of::<Scratch>()))
    }

    /// Verifies every row, on this thread, without allocating.
    ///
    /// # Errors
    /// [`BulkError::Rows`] if `outcomes` has another length than the table,
    /// [`BulkError::BufferLength`] if `scratch` is shorter than [`Engine::scratch_len`]; outcomes are
    /// then untouched. [`BulkError::Randomness`] if random bytes are wanted and there are
    /// none.
    pub fn verify_into(
        &self,
        table: &Table<'_>,
        outcomes: &mut [Outcome],
        scratch: &mut [Scratch],
    ) -> Result<Report, BulkError> {
        check_rows("outcome buffer", table.len(), outcomes.len())?;
        self.check_scratch(outcomes.len(), scratch)?;
        let mut report = Report::default();
        for (i, outcomes) in outcomes.chunks_mut(CHUNK_ROWS).enumerate() {
            let results = Results::Outcomes(outcomes);
            self.run_chunk(table, i * CHUNK_ROWS, results, scratch, &mut report)?;
        }
        Ok(report)
    }

    /// Verifies as [`Engine::verify_into`], with one byte for each row: 0 if it is valid, the
    /// [`Reason::code`](crate::Reason::code) if it is not, [`NULL_CODE`] where something in it is null.
    ///
    /// # Errors
    /// As there. No code is 0 then but for rows that were verified.
    pub fn verify_codes_into(
        &self,
        table: &Table<'_>,
        codes: &mut [u8],
        scratch: &mut [Scratch],
    ) -> Result<Report, BulkError> {
        // whoever does not look at an error must not find zeros of his own
        codes.fill(NULL_CODE);
        check_rows("code buffer", table.len(), codes.len())?;
        self.verify_codes_of(table, 0, codes, scratch)
    }

    /// Verifies the rows from `first` on, as many as there are codes, as [`Engine::verify_codes_into`]: a
    /// part of a table, so that threads of the caller's own can share it. [`Engine::scratch_len`] of that
    /// many rows is enough. Codes do not depend on how a table is cut; rows are combined within a part only,
    /// so parts of some thousand rows are fastest, and none has to be longer than [`CHUNK_ROWS`].
    ///
    /// # Errors
    /// [`BulkError::Rows`] if the table does not have these rows; else as [`Engine::verify_codes_into`].
    pub fn verify_codes_of(
        &self,
        table: &Table<'_>,
        first: usize,
        codes: &mut [u8],
        scratch: &mut [Scratch],
    ) -> Result<Report, BulkError> {
        codes.fill(NULL_CODE);
        let (expected, got) = (first.saturating_add(codes.len()), table.len());
        if got < expected {
            return Err(BulkError::Rows { what: "table", expected, got });
        }
        self.check_scratch(codes.len(), scratch)?;
        let mut report = Report::default();
        for (i, codes) in codes.chunks_mut(CHUNK_ROWS).enumerate() {
            let results = Results::Codes(codes);
            self.run_chunk(table, first + i * CHUNK_ROWS, results, scratch, &mut report)?;
        }
        Ok(report)
    }

    fn check_scratch(&self, rows: usize, scratch: &[Scratch]) -> Result<(), BulkError> {
        let (expected, got) = (self.scratch_len(rows), scratch.len());
        if got < expected {
            return Err(BulkError::BufferLength { what: "scratch memory", expected, got });
        }
        Ok(())
    }

    /// Verifies every row, on this thread.
    ///
    /// # Errors
    /// [`BulkError::Randomness`] if random bytes are wanted and there are none.
    #[cfg(feature = "alloc")]
    pub fn verify(
        &self,
        table: &Table<'_>,
    ) -> Result<(alloc::vec::Vec<Outcome>, Report), BulkError> {
        let mut outcomes = alloc::vec![None; table.len()];
        let len = self.scratch_len_for(table.len(), &table.specs);
        let mut scratch = alloc::vec![Scratch::new(); len];
        let report = self.verify_into(table, &mut outcomes, &mut scratch)?;
        Ok((outcomes, report))
    }

    /// Verifies every row, on all threads of the current rayon pool.
    ///
    /// # Errors
    /// [`BulkError::Randomness`] if random bytes are wanted and there are none.
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
            let len = self.scratch_len_for(rows, &table.specs);
            let mut scratch = alloc::vec![Scratch::new(); len];
            let mut report = Report::default();
            let mut result = Ok(());
            while result.is_ok() {
                let Some((i, outcomes)) = lock().0.next() else { break };
                let results = Results::Outcomes(outcomes);
                result = self.run_chunk(table, i * rows, results, &mut scratch, &mut report);
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

    /// Verifies the rows from `first` on, as many as there are results.
    fn run_chunk(
        &self,
        table: &Table<'_>,
        first: usize,
        mut results: Results<'_>,
        scratch: &mut [Scratch],
        report: &mut Report,
    ) -> Result<(), BulkError> {
        results.clear();
        let mut memory = Memory::new(scratch);
        let Some(order) = memory.take(results.len()) else {
            return Err(BulkError::ScratchExhausted { row: first, rows: results.len() });
        };
        let len = order_rows(table, first..first + results.len(), order);
        let mut rest = &mut order[..len];
        while let Some(&row) = rest.first() {
            let group = table.specs.group(first + row as usize);
            let same = |other: &u32| table.specs.group(first + *other as usize) == group;
            let len = rest.iter().take_while(|row| same(row)).count();
            let (rows, others) = rest.split_at_mut(len);
            let (rule, given) = match table.specs.spec(group) {
                Some(Spec::Ed25519 { rule, variant }) => (rule, Given::Message(variant)),
                Some(Spec::Ed25519Prehashed { rule, context }) => (rule, Given::Digest(context)),
                Some(Spec::Ecdsa(scheme)) => {
                    let memory = memory.again();
                    self.run_ecdsa(table, &scheme, (first, rows), memory, &mut results, report);
                    rest = others;
                    continue;
                }
                None => {
                    rest = others;
                    continue;
                }
            };
            let (keys, signatures) = (table.keys.arrays(), table.signatures.arrays());
            let part = Part { table, rule, given, first, keys, signatures };
            self.run_part(&part, rows, &mut results, memory.again(), report)?;
            rest = others;
        }
        Ok(())
    }

    /// Verifies rows that share their scheme of ECDSA. There is no equation for many of them: r is all
    /// that is known of a point. A function of its own: the rows of a group are on its stack.
    #[inline(never)]
    fn run_ecdsa(
        &self,
        table: &Table<'_>,
        scheme: &ecdsa::Scheme,
        (first, rows): (usize, &[u32]),
        memory: Memory<'_>,
        results: &mut Results<'_>,
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
        let verdict = |i: usize, verdict| results.set(rows[i], Some(verdict));
        let lanes = ecdsa::many::verify(backend, scheme, rows.len(), memory, row, verdict);
        report.lanes += lanes;
        report.single += rows.len() - lanes;
    }

    /// Verifies rows that share their spec.
    fn run_part(
        &self,
        part: &Part<'_, '_>,
        rows: &mut [u32],
        results: &mut Results<'_>,
        mut memory: Memory<'_>,
        report: &mut Report,
    ) -> Result<(), BulkError> {
        // rows with a wrong length are refused before anything is computed
        let mut kept = 0;
        for i in 0..rows.len() {
            let row = rows[i];
            match part.wrong_length(row) {
                Some(refused) => results.set(row, Some(refused)),
                None => {
                    rows[kept] = row;
                    kept += 1;
                }
            }
        }
        report.single += rows.len() - kept;
        // cannot happen with as much memory as `scratch_len` asks for
        let exhausted = BulkError::ScratchExhausted { row: part.first, rows: results.len() };
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
            run_single(part, rows, keys, results);
            report.single += rows.len();
            return Ok(());
        }
        let Some(scalars) = memory.take::<[u64; 8]>(rows.len()) else {
            return Err(exhausted);
        };
        let hash = |rows: &[u32], scalars: &mut [[u64; 8]]| {
            let row =
                |i: usize| (part.key(rows[i]), part.message(rows[i]), part.signature(rows[i]));
            many::hash_challenges(self.backend, part.given, rows.len(), row, scalars);
        };
        hash(rows, scalars);
        let mut open = rows.len();
        if strategy == Strategy::Combined {
            let entropy = self.entropy()?;
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
                entropy.as_ref(),
                memory.again(),
                |i, verdict| results.set(rows[i], verdict),
            );
            if verdicts.is_some() {
                // what it has left open moves to the front
                open = 0;
                for i in 0..rows.len() {
                    if results.is_open(rows[i]) {
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
        let left = if self.strategy == Some(Strategy::Lanes) { 0 } else { self.left_of(open) };
        for row in &rows[open - left..open] {
            results.set(*row, Some(part.verify_singly(*row)));
        }
        open -= left;
        report.single += left;
        report.lanes += open;
        let rows = &rows[..open];
        let lanes = Lanes { rule: &part.rule, scalars: &scalars[..open] };
        let verdict = |i: usize, verdict: Option<Verdict>| {
            let verdict = verdict.unwrap_or_else(|| part.verify_singly(rows[i]));
            results.set(rows[i], Some(verdict));
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

    /// What coefficients are derived from beside the rows, if anything is wanted.
    fn entropy(&self) -> Result<Option<[u8; 32]>, BulkError> {
        match self.entropy {
            Entropy::System => system::random_bytes().map(Some),
            Entropy::None => Err(BulkError::Randomness),
            Entropy::Given(bytes) => Ok(Some(bytes)),
            Entropy::RowsAlone => Ok(None),
        }
    }
}

#[cfg(all(feature = "getrandom", not(all(target_family = "wasm", target_os = "unknown"))))]
mod system {
    //! Random bytes of the system.

    use super::BulkError;

    pub(super) const IS_THERE: bool = true;

    pub(super) fn random_bytes() -> Result<[u8; 32], BulkError> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|_| BulkError::Randomness)?;
        Ok(bytes)
    }
}

#[cfg(not(all(feature = "getrandom", not(all(target_family = "wasm", target_os = "unknown")))))]
mod system {
    //! There is no system to ask.

    use super::BulkError;

    pub(super) const IS_THERE: bool = false;

    pub(super) fn random_bytes() -> Result<[u8; 32], BulkError> {
        Err(BulkError::Randomness)
    }
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
    given: Given<'a>,
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
        let refused =
            of_lengths(is(32, self.table.keys.get(row)), is(64, self.table.signatures.get(row)))
                .err();
        match self.given {
            Given::Digest(_) if refused.is_none() => {
                of_digest_length(is(64, self.table.messages.get(row))).err()
            }
            _ => refused,
        }
    }

    fn verify_singly(&self, row: u32) -> Verdict {
        self.verify(self.prepared_key(row), row)
    }

    /// The verdict on a row, whose key may have tables.
    fn verify(&self, tables: Option<&PreparedKey>, row: u32) -> Verdict {
        let (rule, message, signature) = (&self.rule, self.message(row), self.signature(row));
        match (tables, self.given) {
            (Some(key), Given::Message(variant)) => {
                key.verify_with(rule, variant, message, &Signature::from_bytes(signature))
            }
            (Some(key), Given::Digest(context)) => {
                key.verify_prehashed_bytes(rule, context, message, signature)
            }
            (None, Given::Message(variant)) => {
                verify_bytes(rule, variant, self.key(row), message, signature)
            }
            (None, Given::Digest(context)) => {
                verify_prehashed_bytes(rule, context, self.key(row), message, signature)
            }
        }
    }
}

/// From how many rows with the same key on its tables pay (`PreparedKey`): they take as long as two or three rows in
/// words, and more of those that the CPU verifies in lanes.
fn rows_to_prepare() -> usize {
    if cpu::has(Feature::Ifma) { 8 } else { 3 }
}

/// Verifies rows one after the other; equal keys are together, and have tables if they are many. A function of its
/// own: a key's tables are on its stack.
#[inline(never)]
fn run_single(part: &Part<'_, '_>, rows: &[u32], keys: &[u32], results: &mut Results<'_>) {
    let mut i = 0;
    while i < rows.len() {
        let run = keys[i..].iter().take_while(|key| **key == keys[i]).count();
        let mut place;
        let mut tables = part.prepared_key(rows[i]);
        if tables.is_none()
            && run >= rows_to_prepare()
            && let Ok(key) = VerifyingKey::decode(part.key(rows[i]))
        {
            place = PreparedKey::place_for(&key);
            place.replace(&key);
            tables = Some(&place);
        }
        for row in &rows[i..i + run] {
            results.set(*row, Some(part.verify(tables, *row)));
        }
        i += run;
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
