//! The threads of the current rayon pool: verification of tables on them, and rows in parts for them.

use super::engine::Engine;
use super::error::BulkError;
use super::plan::CHUNK_ROWS;
use super::results::{Outcome, Report, Results, check_rows, check_scratch, places};
use super::specs::Specs;
use super::table::Table;
use crate::ed25519::many::rows::Rate;
use crate::memory::Scratch;
use alloc::vec::Vec;
use core::iter::Enumerate;
use core::slice::ChunksMut;
use std::sync::{Mutex, MutexGuard, PoisonError};

impl Engine {
    /// Verifies every row, on as many threads as the current rayon pool has, this one among them, each with new memory.
    ///
    /// # Errors
    /// [`BulkError::Randomness`] if random bytes are wanted and there are none; [`BulkError::Memory`].
    pub fn verify_parallel(&self, table: &Table<'_>) -> Result<(Vec<Outcome>, Report), BulkError> {
        let mut outcomes = places(None, table.len())?;
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

    /// [`Engine::verify_parallel`] in memory of the caller's, which serves again: new memory for each table costs up
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
    pub fn verify_parallel_into(
        &self,
        table: &Table<'_>,
        outcomes: &mut [Outcome],
        scratch: &mut [Scratch],
    ) -> Result<Report, BulkError> {
        check_rows("outcome buffer", table.len(), outcomes.len())?;
        let shares = Shares::of(self, table.len(), &table.specs);
        check_scratch(shares.threads * shares.scratch, scratch.len())?;
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
    pub fn parallel_scratch_len(&self, rows: usize, specs: &Specs<'_>) -> usize {
        let shares = Shares::of(self, rows, specs);
        shares.threads * shares.scratch
    }
}

/// Verifies every row, on as many threads as the current rayon pool has: [`Engine::verify_parallel`] of a new engine.
///
/// # Errors
/// As there.
pub fn verify_parallel(table: &Table<'_>) -> Result<Vec<Outcome>, BulkError> {
    Engine::new().verify_parallel(table).map(|(outcomes, _)| outcomes)
}

/// Cuts rows into parts for the threads of the current rayon pool: `work(first, part)`.
pub(super) fn in_parallel<T: Send>(rows: &mut [T], work: impl Fn(usize, &mut [T]) + Sync) {
    // short columns are cut finer, so that every thread has something to do
    let threads = rayon_core::current_num_threads().max(1);
    let len = rows.len().div_ceil(threads).next_multiple_of(8).clamp(8, CHUNK_ROWS);
    let work = &work;
    rayon_core::scope(|scope| {
        for (i, part) in rows.chunks_mut(len).enumerate() {
            scope.spawn(move |_| work(i * len, part));
        }
    });
}

/// How a table is shared by the threads of the current rayon pool.
struct Shares {
    threads: usize,
    /// Rows of a part; each thread takes one after the other.
    rows: usize,
    /// Scratch memory of a thread.
    scratch: usize,
}

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

/// Parts of a table. Each is verified by the first thread that is free.
struct Parts<'p, 't> {
    engine: &'p Engine,
    table: &'p Table<'t>,
    rows: usize,
    state: Mutex<State<'p>>,
}

/// The parts that are left, and the report on the others.
struct State<'p> {
    left: Enumerate<ChunksMut<'p, Outcome>>,
    report: Result<Report, BulkError>,
    rate: Rate,
}

impl<'p, 't> Parts<'p, 't> {
    fn new(
        engine: &'p Engine,
        table: &'p Table<'t>,
        outcomes: &'p mut [Outcome],
        rows: usize,
    ) -> Self {
        let left = outcomes.chunks_mut(rows).enumerate();
        let state = State { left, report: Ok(Report::default()), rate: table.known_rate() };
        let state = Mutex::new(state);
        Parts { engine, table, rows, state }
    }

    fn state(&self) -> MutexGuard<'_, State<'p>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Verifies parts until there is none left, or one fails.
    fn verify(&self, scratch: &mut [Scratch]) {
        let mut report = Report::default();
        let mut result = Ok(());
        while result.is_ok() {
            let (next, mut rate) = {
                let mut state = self.state();
                (state.left.next(), state.rate)
            };
            let Some((i, outcomes)) = next else { break };
            let (first, results) = (i * self.rows, Results::Outcomes(outcomes));
            let learnt = (&mut report, &mut rate);
            result = self.engine.run_chunk(self.table, first, results, scratch, learnt);
            self.state().rate = rate;
        }
        match (&mut self.state().report, result) {
            (Ok(sum), Ok(())) => sum.add(&report),
            (sum, Err(error)) => *sum = Err(error),
            _ => {}
        }
    }

    fn report(self) -> Result<Report, BulkError> {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).report
    }
}
