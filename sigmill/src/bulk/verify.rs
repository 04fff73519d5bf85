//! Verification of tables on one thread: at once, or in steps.
//!
//! A table is verified chunk by chunk. Chunks are independent and write only their own outcomes.

use super::chunk::Chunk;
use super::engine::Engine;
use super::error::BulkError;
use super::failure_rate::FailureRate;
use super::plan::CHUNK_ROWS;
#[cfg(feature = "alloc")]
use super::results::places;
use super::results::{NULL_CODE, Outcome, Report, Results, check_rows, check_scratch};
use super::table::Table;
use crate::ed25519::many::rows::Rate;
use crate::memory::Scratch;
use core::fmt;

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
///     // other work of this thread
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
    rate: Rate,
    begun: Option<Begun>,
}

/// The engine of the first step, and the lengths of its arguments. All steps cut the scratch memory by them.
#[derive(Clone, Copy)]
struct Begun {
    engine: Engine,
    rows: usize,
    first: usize,
    codes: usize,
    scratch: usize,
}

impl Begun {
    /// An error if a later step has other lengths. It may have more scratch memory.
    fn check(&self, now: &Begun) -> Result<(), BulkError> {
        check_rows("table", self.rows, now.rows)?;
        check_rows("table before `first`", self.first, now.first)?;
        check_rows("code buffer", self.codes, now.codes)?;
        check_scratch(self.scratch, now.scratch)
    }
}

impl Progress {
    /// Not begun.
    pub const fn new() -> Self {
        let report = Report { single: 0, lanes: 0, combined: 0 };
        Progress { done: 0, chunk: None, report, rate: Rate::UNKNOWN, begun: None }
    }

    /// Not begun, with the [`rate`](Progress::rate) of another verification. Any number is one, and 0 says nothing.
    pub const fn with_rate(rate: u64) -> Self {
        Progress { rate: Rate::of_words([rate as u32, (rate >> 32) as u32]), ..Progress::new() }
    }

    /// The rate of invalid rows as far as it is known, a [`FailureRate`] that is a number: for callers who verify another
    /// table from the same source, and cannot share memory with it. Time depends on it, and no verdict.
    pub const fn rate(&self) -> u64 {
        let [rows, bad] = self.rate.to_words();
        rows as u64 | (bad as u64) << 32
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
        check_scratch(self.scratch_len(outcomes.len()), scratch.len())?;
        let (mut report, mut rate) = (Report::default(), table.known_rate());
        for (i, outcomes) in outcomes.chunks_mut(CHUNK_ROWS).enumerate() {
            let results = Results::Outcomes(outcomes);
            self.run_chunk(table, i * CHUNK_ROWS, results, scratch, (&mut report, &mut rate))?;
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
        // a caller who ignores an error must not find zeros of his own, which mean valid
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
        check_scratch(self.scratch_len(codes.len()), scratch.len())?;
        let (mut report, mut rate) = (Report::default(), table.known_rate());
        for (i, codes) in codes.chunks_mut(CHUNK_ROWS).enumerate() {
            let (first, results) = (first + i * CHUNK_ROWS, Results::Codes(codes));
            self.run_chunk(table, first, results, scratch, (&mut report, &mut rate))?;
        }
        Ok(report)
    }

    /// Does a part of [`Engine::verify_codes_of`], for callers that must not compute for long: as much as some `work` additions
    /// of points take, 20 to 300 ns each depending on the CPU, and up to a step more. Returns the
    /// report once all is done. Before the first call `progress` is new. The table and all other arguments but `work` are the
    /// same in each call, and the codes and the scratch memory are as the call before left them; the engine is that of the
    /// first call. A verification may be abandoned. Codes mean nothing before its end.
    ///
    /// Two steps are not cut. The first look at up to [`CHUNK_ROWS`] rows and the making of their coefficients take up to
    /// 0.5 µs a row, so that some thousand rows at a time are best. Eight rows are hashed together, with their messages.
    ///
    /// # Errors
    /// As [`Engine::verify_codes_of`]; also [`BulkError::Rows`] if the table, `first` or the codes have another length than in the
    /// first call, and [`BulkError::BufferLength`] if there is less scratch memory.
    ///
    /// # Panics
    /// May panic if the scratch memory was changed since the call before.
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
            progress.rate = table.rate.map_or(progress.rate, FailureRate::get);
        }
        let (expected, got) = (first.saturating_add(codes.len()), table.len());
        if got < expected {
            return Err(BulkError::Rows { what: "table", expected, got });
        }
        let now = Begun {
            engine: *self,
            rows: table.len(),
            first,
            codes: codes.len(),
            scratch: scratch.len(),
        };
        if let Some(begun) = &progress.begun {
            begun.check(&now)?;
        }
        let mut work = work.max(1);
        while let Some(rest) = codes.get_mut(progress.done..)
            && !rest.is_empty()
        {
            let begun = progress.begun.unwrap_or(now);
            check_scratch(begun.engine.scratch_len(expected - first), scratch.len())?;
            progress.begun = Some(begun);
            let scratch = scratch.get_mut(..begun.scratch).unwrap_or_default();
            let rows = rest.len().min(CHUNK_ROWS);
            let chunk = progress
                .chunk
                .get_or_insert_with(|| Chunk::new(first + progress.done, progress.rate));
            let mut results = Results::Codes(&mut rest[..rows]);
            if !chunk.advance(&begun.engine, table, &mut results, scratch, &mut work)? {
                return Ok(None);
            }
            progress.report.add(&chunk.report);
            progress.rate = chunk.rate;
            table.tell_rate(progress.rate);
            (progress.done, progress.chunk) = (progress.done + rows, None);
        }
        Ok(Some(progress.report))
    }

    /// Verifies every row, on this thread.
    ///
    /// # Errors
    /// [`BulkError::Randomness`] if random bytes are wanted and there are none; [`BulkError::Memory`].
    #[cfg(feature = "alloc")]
    pub fn verify(
        &self,
        table: &Table<'_>,
    ) -> Result<(alloc::vec::Vec<Outcome>, Report), BulkError> {
        let mut outcomes = places(None, table.len())?;
        let len = self.scratch_len_for(table.len(), &table.specs);
        let mut scratch = alloc::vec![Scratch::new(); len];
        let report = self.verify_into(table, &mut outcomes, &mut scratch)?;
        Ok((outcomes, report))
    }

    /// Verifies the rows from `first` on, as many as there are results.
    pub(super) fn run_chunk(
        &self,
        table: &Table<'_>,
        first: usize,
        mut results: Results<'_>,
        scratch: &mut [Scratch],
        (report, rate): (&mut Report, &mut Rate),
    ) -> Result<(), BulkError> {
        let mut chunk = Chunk::new(first, *rate);
        let mut work = usize::MAX;
        while !chunk.advance(self, table, &mut results, scratch, &mut work)? {
            work = usize::MAX;
        }
        report.add(&chunk.report);
        *rate = chunk.rate;
        table.tell_rate(*rate);
        Ok(())
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
