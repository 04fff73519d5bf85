//! Runs chunks of rows, on one thread or many, and writes the outcomes.
//!
//! Within a chunk the rows of one spec are verified together, by the strategy that is fastest for
//! their number, or by the one that was asked for. Chunks are independent and write only their own
//! outcomes.

use super::chunk::Chunk;
use super::engine::{Engine, Report};
use super::plan::CHUNK_ROWS;
use super::sign::check_rows;
#[cfg(feature = "rayon")]
use super::specs::Specs;
use super::{BulkError, Table};
use crate::error::Verdict;
use crate::memory::Scratch;
use core::fmt;

/// The verdict on a row; `None` where something in it is null.
pub type Outcome = Option<Verdict>;

/// The code of a row in which something is null; 0 is valid, and every other one a
/// [`Reason::code`](crate::Reason::code).
pub const NULL_CODE: u8 = 255;

/// Where what was found out about rows is written.
pub(super) enum Results<'r> {
    Outcomes(&'r mut [Outcome]),
    Codes(&'r mut [u8]),
}

impl Results<'_> {
    pub(super) const fn len(&self) -> usize {
        match self {
            Results::Outcomes(outcomes) => outcomes.len(),
            Results::Codes(codes) => codes.len(),
        }
    }

    pub(super) fn clear(&mut self) {
        match self {
            Results::Outcomes(outcomes) => outcomes.fill(None),
            Results::Codes(codes) => codes.fill(NULL_CODE),
        }
    }

    #[inline(always)]
    pub(super) fn set(&mut self, row: u32, outcome: Outcome) {
        match self {
            Results::Outcomes(outcomes) => outcomes[row as usize] = outcome,
            Results::Codes(codes) => codes[row as usize] = outcome.map_or(NULL_CODE, Verdict::code),
        }
    }

    #[inline(always)]
    pub(super) fn is_open(&self, row: u32) -> bool {
        match self {
            Results::Outcomes(outcomes) => outcomes[row as usize].is_none(),
            Results::Codes(codes) => codes[row as usize] == NULL_CODE,
        }
    }
}

/// How far a verification in steps has come ([`Engine::verify_codes_step`]).
///
/// ```
/// use sigmill::bulk::{Column, Engine, Progress, Scratch, Spec, Specs, Table};
/// # use sigmill::ed25519::{Signer, SigningKey, Variant, rules};
/// # let key = SigningKey::from_bytes(&[7; 32]);
/// # let (public, signatures) = (key.verifying_key().to_bytes(), [key.sign(b"one").to_bytes(), key.sign(b"two").to_bytes()]);
/// # let (publics, messages): (_, [&[u8]; 2]) = ([&public[..]; 2], [b"one", b"two"]);
/// # let signatures: [&[u8]; 2] = [&signatures[0], &signatures[1]];
/// # let [publics, messages, signatures] = [&publics, &messages, &signatures].map(|rows| Column::slices(rows));
/// # let table = Table::new(publics, messages, signatures, Specs::Same(Spec::ed25519(&rules::COMMON, Variant::Pure)))?;
///
/// let engine = Engine::new();
/// let mut codes = vec![0; table.len()];
/// let mut scratch = vec![Scratch::new(); engine.scratch_len(table.len())];
/// let mut progress = Progress::new();
/// while engine.verify_codes_step(&table, 0, &mut codes, &mut scratch, &mut progress, 1000)?.is_none() {
///     // what else there is to do on this thread
/// }
/// assert_eq!(codes, [0, 0]); // valid
/// # Ok::<(), sigmill::bulk::BulkError>(())
/// ```
#[derive(Clone, Copy, Default)]
pub struct Progress {
    /// Rows of chunks that are done, and the chunk in hand.
    done: usize,
    chunk: Option<Chunk>,
    report: Report,
}

impl Progress {
    /// Not begun.
    pub const fn new() -> Self {
        Progress { done: 0, chunk: None, report: Report { single: 0, lanes: 0, combined: 0 } }
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Progress").field("done", &self.done).finish_non_exhaustive()
    }
}

impl Engine {
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
        check_scratch(self.scratch_len(outcomes.len()), scratch)?;
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
        check_scratch(self.scratch_len(codes.len()), scratch)?;
        let mut report = Report::default();
        for (i, codes) in codes.chunks_mut(CHUNK_ROWS).enumerate() {
            let results = Results::Codes(codes);
            self.run_chunk(table, first + i * CHUNK_ROWS, results, scratch, &mut report)?;
        }
        Ok(report)
    }

    /// Does some of what [`Engine::verify_codes_of`] does, for callers that must not compute for long: about as much as
    /// `work` additions of points take, some 20 to 300 ns each depending on the CPU, and up to a step more. Returns the
    /// report once all is done. Before the first call `progress` is new; the engine and all arguments
    /// but `work` are the same in each, and the codes and the scratch memory as the call before left them. Whoever begins
    /// need not come to the end. Codes mean nothing before.
    ///
    /// What is not cut: the first look at up to [`CHUNK_ROWS`] rows and the making of coefficients for them, up to 0.5 µs a
    /// row, so that some thousand rows at a time are best; and eight rows that are hashed together, with their messages.
    ///
    /// # Errors
    /// As [`Engine::verify_codes_of`].
    ///
    /// # Panics
    /// May panic if something is not the same, or was changed.
    pub fn verify_codes_step(
        &self,
        table: &Table<'_>,
        first: usize,
        codes: &mut [u8],
        scratch: &mut [Scratch],
        progress: &mut Progress,
        work: usize,
    ) -> Result<Option<Report>, BulkError> {
        if progress.done == 0 && progress.chunk.is_none() {
            codes.fill(NULL_CODE);
        }
        let (expected, got) = (first.saturating_add(codes.len()), table.len());
        if got < expected {
            return Err(BulkError::Rows { what: "table", expected, got });
        }
        let mut work = work.max(1);
        while let Some(rest) = codes.get_mut(progress.done..)
            && !rest.is_empty()
        {
            check_scratch(self.scratch_len(expected - first), scratch)?;
            let rows = rest.len().min(CHUNK_ROWS);
            let chunk = progress.chunk.get_or_insert_with(|| Chunk::new(first + progress.done));
            let mut results = Results::Codes(&mut rest[..rows]);
            if !chunk.advance(self, table, &mut results, scratch, &mut work)? {
                return Ok(None);
            }
            progress.report.add(&chunk.report);
            (progress.done, progress.chunk) = (progress.done + rows, None);
        }
        Ok(Some(progress.report))
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

    /// Verifies every row, on as many threads as the current rayon pool has, this one among them, each with new memory.
    ///
    /// # Errors
    /// [`BulkError::Randomness`] if random bytes are wanted and there are none.
    #[cfg(feature = "rayon")]
    pub fn verify_parallel(
        &self,
        table: &Table<'_>,
    ) -> Result<(alloc::vec::Vec<Outcome>, Report), BulkError> {
        let mut outcomes = alloc::vec![None; table.len()];
        let shares = Shares::of(self, table.len(), &table.specs);
        let parts = Parts::new(self, table, &mut outcomes, shares.rows);
        let work = || parts.verify(&mut alloc::vec![Scratch::new(); shares.scratch]);
        rayon_core::in_place_scope(|scope| {
            for _ in 1..shares.threads {
                scope.spawn(|_| work());
            }
            work();
        });
        let report = parts.report()?;
        Ok((outcomes, report))
    }

    /// The same with memory of the caller's, which serves again: new memory for each table costs up
    /// to a tenth of the time.
    ///
    /// ```
    /// # use sigmill::bulk::{Column, Engine, Scratch, Spec, Specs, Table};
    /// # use sigmill::ed25519::{Variant, rules};
    /// # let (keys, signatures) = ([[0; 32]; 3].concat(), [[0; 64]; 3].concat());
    /// # let specs = Specs::Same(Spec::ed25519(&rules::COMMON, Variant::Pure));
    /// # let table = Table::new(
    /// #     Column::fixed(&keys, 32, 3, None)?,
    /// #     Column::fixed(&[0; 3], 1, 3, None)?,
    /// #     Column::fixed(&signatures, 64, 3, None)?,
    /// #     specs,
    /// # )?;
    /// let engine = Engine::new();
    /// let mut outcomes = vec![None; table.len()];
    /// let mut scratch = vec![Scratch::new(); engine.parallel_scratch_len(table.len(), &specs)];
    /// engine.verify_parallel_into(&table, &mut outcomes, &mut scratch)?;
    /// # assert!(outcomes.iter().all(|outcome| outcome.is_some_and(|verdict| !verdict.is_valid())));
    /// # Ok::<(), sigmill::bulk::BulkError>(())
    /// ```
    ///
    /// # Errors
    /// [`BulkError::Rows`] if `outcomes` has another length than the table, [`BulkError::BufferLength`] if `scratch` is
    /// shorter than [`Engine::parallel_scratch_len`] is in this pool; outcomes are then untouched. Else as
    /// [`Engine::verify_parallel`].
    #[cfg(feature = "rayon")]
    pub fn verify_parallel_into(
        &self,
        table: &Table<'_>,
        outcomes: &mut [Outcome],
        scratch: &mut [Scratch],
    ) -> Result<Report, BulkError> {
        check_rows("outcome buffer", table.len(), outcomes.len())?;
        let shares = Shares::of(self, table.len(), &table.specs);
        check_scratch(shares.threads * shares.scratch, scratch)?;
        let parts = Parts::new(self, table, outcomes, shares.rows);
        let mut scratch = scratch.chunks_exact_mut(shares.scratch).take(shares.threads);
        rayon_core::in_place_scope(|scope| {
            let of_this_thread = scratch.next();
            for scratch in scratch {
                scope.spawn(|_| parts.verify(scratch));
            }
            if let Some(scratch) = of_this_thread {
                parts.verify(scratch);
            }
        });
        parts.report()
    }

    /// How many [`Scratch`] [`Engine::verify_parallel_into`] needs for a table of `rows` rows with these specs on the threads
    /// of the current rayon pool.
    #[cfg(feature = "rayon")]
    pub fn parallel_scratch_len(&self, rows: usize, specs: &Specs<'_>) -> usize {
        let shares = Shares::of(self, rows, specs);
        shares.threads * shares.scratch
    }

    /// Verifies the rows from `first` on, as many as there are results.
    pub(super) fn run_chunk(
        &self,
        table: &Table<'_>,
        first: usize,
        mut results: Results<'_>,
        scratch: &mut [Scratch],
        report: &mut Report,
    ) -> Result<(), BulkError> {
        let mut chunk = Chunk::new(first);
        let mut work = usize::MAX;
        while !chunk.advance(self, table, &mut results, scratch, &mut work)? {
            work = usize::MAX;
        }
        report.add(&chunk.report);
        Ok(())
    }
}

fn check_scratch(expected: usize, scratch: &[Scratch]) -> Result<(), BulkError> {
    let got = scratch.len();
    if got < expected {
        return Err(BulkError::BufferLength { what: "scratch memory", expected, got });
    }
    Ok(())
}

/// How a table is shared by the threads of the current rayon pool.
#[cfg(feature = "rayon")]
struct Shares {
    threads: usize,
    /// Rows of a part; each thread takes one after the other.
    rows: usize,
    /// Scratch memory of a thread.
    scratch: usize,
}

#[cfg(feature = "rayon")]
impl Shares {
    /// As many parts for each thread as for any other: of long tables parts of a whole chunk, or a little less.
    fn of(engine: &Engine, rows: usize, specs: &Specs<'_>) -> Self {
        let threads = rayon_core::current_num_threads().max(1);
        let rounds = rows.div_ceil(threads.saturating_mul(CHUNK_ROWS)).max(1);
        let part = rows.div_ceil(threads.saturating_mul(rounds)).next_multiple_of(8);
        let part = part.clamp(8, CHUNK_ROWS);
        let threads = threads.min(rows.div_ceil(part)).max(1);
        Shares { threads, rows: part, scratch: engine.scratch_len_for(part, specs) }
    }
}

/// Parts of a table, verified by whoever comes first.
#[cfg(feature = "rayon")]
struct Parts<'p, 't> {
    engine: &'p Engine,
    table: &'p Table<'t>,
    rows: usize,
    state: std::sync::Mutex<State<'p>>,
}

/// The parts that are left, and what became of the others.
#[cfg(feature = "rayon")]
struct State<'p> {
    left: core::iter::Enumerate<core::slice::ChunksMut<'p, Outcome>>,
    report: Result<Report, BulkError>,
}

#[cfg(feature = "rayon")]
impl<'p, 't> Parts<'p, 't> {
    fn new(
        engine: &'p Engine,
        table: &'p Table<'t>,
        outcomes: &'p mut [Outcome],
        rows: usize,
    ) -> Self {
        let left = outcomes.chunks_mut(rows).enumerate();
        let state = std::sync::Mutex::new(State { left, report: Ok(Report::default()) });
        Parts { engine, table, rows, state }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State<'p>> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Verifies parts until there is none left, or one fails.
    fn verify(&self, scratch: &mut [Scratch]) {
        let mut report = Report::default();
        let mut result = Ok(());
        while result.is_ok() {
            let Some((i, outcomes)) = self.state().left.next() else { break };
            let results = Results::Outcomes(outcomes);
            result =
                self.engine.run_chunk(self.table, i * self.rows, results, scratch, &mut report);
        }
        match (&mut self.state().report, result) {
            (Ok(sum), Ok(())) => sum.add(&report),
            (sum, Err(error)) => *sum = Err(error),
            _ => {}
        }
    }

    fn report(self) -> Result<Report, BulkError> {
        self.state.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).report
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

/// Verifies every row, on as many threads as the current rayon pool has: [`Engine::verify_parallel`] of a new engine.
///
/// # Errors
/// As there.
#[cfg(feature = "rayon")]
pub fn verify_parallel(table: &Table<'_>) -> Result<alloc::vec::Vec<Outcome>, BulkError> {
    Engine::new().verify_parallel(table).map(|(outcomes, _)| outcomes)
}
