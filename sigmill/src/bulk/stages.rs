//! The stages in which the rows of one spec are verified, a function each.
//!
//! A stage does as many rows as there is work for. It leaves the rest to the next call, in [`PartProgress`] and in the
//! scratch memory, which every call cuts alike.

use super::engine::Engine;
use super::error::BulkError;
use super::part::Part;
use super::plan::group_keys;
use super::results::{Report, Results};
use super::specs::Spec;
use super::strategy::{Load, Strategy};
#[cfg(feature = "ecdsa")]
use super::table::Table;
#[cfg(feature = "ecdsa")]
use crate::cpu::Backend;
#[cfg(feature = "ecdsa")]
use crate::ecdsa;
use crate::ed25519::PreparedKey;
use crate::ed25519::many::rows::{self, Lanes, Rate, RowsByKey, Search, State};
use crate::ed25519::rules::is_wrong_equation;
use crate::error::Verdict;
use crate::memory::Memory;

/// How far the rows of one spec have come.
#[derive(Clone, Copy)]
pub(super) struct PartProgress {
    pub(super) rows: usize,
    /// How many of them have keys and signatures of the right lengths: these stand first.
    kept: usize,
    /// The kept rows in hand, from the first to before the last: a sample, and then the others.
    batch: [usize; 2],
    stage: Stage,
    /// The rows and keys that the strategy is chosen by, once the number of keys is known.
    load: Load,
    strategy: Strategy,
    combination: Option<State>,
}

/// The next stage. A number says with how many rows of the batch it is done.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Rows with a wrong length are refused before anything is computed.
    Lengths,
    /// Rows with the same key are put together.
    Keys,
    #[cfg(feature = "ecdsa")]
    Ecdsa(usize),
    Single(usize),
    Hash(usize),
    /// Hashes become k, and coefficients depend on them.
    Scalars,
    Combination,
    /// `open` rows need their own equation, and `done` of them have had it.
    Own {
        open: usize,
        done: usize,
    },
    Done,
}

// Work is counted in additions of points. The numbers were measured, and need not be exact.

/// To verify a row: in lanes, alone, and of ECDSA.
const LANES: usize = 250;
const SINGLE: usize = 300;
#[cfg(feature = "ecdsa")]
const ECDSA: usize = 600;
/// To hash a row; each `BYTES` bytes of its message take one addition more.
const HASH: usize = 3;
const BYTES: usize = 64;
/// To make k of a row's hash, and to let coefficients depend on it.
const SCALARS: usize = 3;
/// To look a row's key up.
const LOOK_UP: usize = 2;

/// More work than any table is.
const WITHOUT_END: usize = usize::MAX / 2;

/// At least so many rows are done together: as many as there can be lanes.
const TOGETHER: usize = 8;

/// How many of these rows, from the first on, there is work for, at `each` a row and more for its message.
fn affordable<'a>(
    rows: &[u32],
    each: usize,
    message: impl Fn(u32) -> &'a [u8],
    work: &mut usize,
) -> usize {
    if *work > WITHOUT_END {
        return rows.len();
    }
    let mut count = 0;
    while count < rows.len() && (*work > 0 || !count.is_multiple_of(TOGETHER)) {
        *work = work.saturating_sub(each + message(rows[count]).len() / BYTES);
        count += 1;
    }
    count
}

impl PartProgress {
    pub(super) fn new(spec: Option<&Spec<'_>>, rows: usize) -> Self {
        let stage = match spec {
            #[cfg(feature = "ecdsa")]
            Some(Spec::Ecdsa(_)) => Stage::Ecdsa(0),
            _ => Stage::Lengths,
        };
        let load = Load { rows: 0, keys: 0, prepared: false };
        let (strategy, batch) = (Strategy::Single, [0; 2]);
        PartProgress { rows, kept: 0, batch, stage, load, strategy, combination: None }
    }

    /// The first stage of a batch.
    fn begin(&self) -> Stage {
        match self.strategy {
            Strategy::Single => Stage::Single(0),
            Strategy::Lanes | Strategy::Combined => Stage::Hash(0),
        }
    }
}

/// The batch in hand, and its part of the scratch memory.
struct Batch<'b> {
    /// Its first place among the kept rows.
    first: usize,
    rows: &'b mut [u32],
    /// The number of each row's key, and where each key is first among the kept rows.
    key_of: &'b [u32],
    first_of: &'b [u32],
    /// The hash of each row, which becomes its k.
    scalars: &'b mut [[u64; 8]],
    memory: Memory<'b>,
}

impl<'b> Batch<'b> {
    /// `None` if there is less memory than `scratch_len` asks for.
    fn cut(
        progress: &PartProgress,
        rows: &'b mut [u32],
        memory: &'b mut Memory<'_>,
    ) -> Option<Self> {
        let [first, end] = progress.batch;
        let mut memory = memory.again();
        let (key_of, first_of) = (memory.take(progress.kept)?, memory.take(progress.kept)?);
        let scalars = memory.take(end - first)?;
        let (rows, key_of) = (&mut rows[first..end], &key_of[first..end]);
        Some(Batch { first, rows, key_of, first_of, scalars, memory })
    }

    fn len(&self) -> usize {
        self.rows.len()
    }

    /// Moves the rows without a result to the front, with their k, and counts them.
    fn gather_open(&mut self, results: &Results<'_>) -> usize {
        let mut open = 0;
        for i in 0..self.len() {
            if results.is_open(self.rows[i]) {
                (self.rows[open], self.scalars[open]) = (self.rows[i], self.scalars[i]);
                open += 1;
            }
        }
        open
    }
}

/// The rows of a batch, with their keys numbered from 0 in the batch.
struct KeyedRows<'b, 't, 'a> {
    part: &'b Part<'t, 'a>,
    first: usize,
    rows: &'b [u32],
    key_of: &'b [u32],
    first_of: &'b [u32],
}

impl KeyedRows<'_, '_, '_> {
    /// The number of row 0's key among all keys.
    fn first_key(&self) -> usize {
        self.key_of.first().map_or(0, |key| *key as usize)
    }

    /// The first row of the batch that has a key.
    fn first_row(&self, key: usize) -> u32 {
        let first = self.first_of[self.first_key() + key] as usize;
        // the first key may have rows in the batch before
        self.rows[first.saturating_sub(self.first)]
    }
}

impl<'a> RowsByKey<'a> for KeyedRows<'_, '_, 'a> {
    fn len(&self) -> usize {
        self.rows.len()
    }

    fn keys(&self) -> usize {
        self.key_of.last().map_or(0, |last| *last as usize + 1) - self.first_key()
    }

    fn key(&self, key: usize) -> &'a [u8; 32] {
        self.part.key(self.first_row(key))
    }

    fn prepared_key(&self, key: usize) -> Option<&'a PreparedKey> {
        self.part.prepared_key(self.first_row(key))
    }

    fn key_of(&self, row: usize) -> usize {
        self.key_of[row] as usize - self.first_key()
    }

    fn signature(&self, row: usize) -> &'a [u8; 64] {
        self.part.signature(self.rows[row])
    }
}

/// A call's engine, rows and results, its memory, and its work.
pub(super) struct Step<'s, 'm, 'r> {
    pub(super) engine: &'s Engine,
    pub(super) progress: &'s mut PartProgress,
    pub(super) rows: &'s mut [u32],
    pub(super) results: &'s mut Results<'r>,
    pub(super) memory: Memory<'m>,
    pub(super) report: &'s mut Report,
    /// Of the rows of the table before these.
    pub(super) rate: &'s mut Rate,
    pub(super) work: &'s mut usize,
}

impl Step<'_, '_, '_> {
    /// Verifies rows of one scheme of ECDSA, and reports whether all are done. No equation holds for many of them at once,
    /// because a signature has r and no point. A function of its own: the rows of a group are on its stack.
    #[cfg(feature = "ecdsa")]
    #[inline(never)]
    pub(super) fn verify_ecdsa(
        &mut self,
        table: &Table<'_>,
        scheme: &ecdsa::Scheme,
        first: usize,
    ) -> bool {
        let backend = match self.engine.strategy {
            Some(Strategy::Single) => Backend::Portable,
            _ => self.engine.backend,
        };
        while let Stage::Ecdsa(done) = self.progress.stage
            && done < self.rows.len()
        {
            if *self.work == 0 {
                return false;
            }
            let rows = &self.rows[done..];
            let message = |row: u32| table.messages.get(first + row as usize).unwrap_or_default();
            let rows = &rows[..affordable(rows, ECDSA, message, self.work)];
            let row = |i: usize| {
                let row = first + rows[i] as usize;
                [&table.keys, &table.messages, &table.signatures]
                    .map(|column| column.get(row).unwrap_or_default())
            };
            let results = &mut *self.results;
            let verdict = |i: usize, verdict| results.set(rows[i], Some(verdict));
            let memory = self.memory.again();
            let lanes = ecdsa::lanes::verify(backend, scheme, rows.len(), memory, row, verdict);
            self.report.lanes += lanes;
            self.report.single += rows.len() - lanes;
            self.progress.stage = Stage::Ecdsa(done + rows.len());
        }
        true
    }

    /// Verifies rows of one spec of Ed25519, and reports whether all are done.
    pub(super) fn verify(&mut self, part: &Part<'_, '_>) -> Result<bool, BulkError> {
        while self.progress.stage != Stage::Done {
            if *self.work == 0 {
                return Ok(false);
            }
            // cannot happen with as much memory as `scratch_len` asks for
            let (row, rows) = (part.first, self.results.len());
            let exhausted = BulkError::ScratchExhausted { row, rows };
            let next = self.run_stage(part)?.ok_or(exhausted)?;
            self.progress.stage = if next == Stage::Done { self.begin_rest(part) } else { next };
        }
        Ok(true)
    }

    /// Runs the stage that is next, and returns the one after it; `None` if there is too little memory.
    fn run_stage(&mut self, part: &Part<'_, '_>) -> Result<Option<Stage>, BulkError> {
        Ok(match self.progress.stage {
            Stage::Lengths => Some(self.refuse_lengths(part)),
            Stage::Keys => self.group_keys(part),
            Stage::Single(done) => self.verify_singly(part, done),
            Stage::Hash(done) => self.hash(part, done),
            Stage::Scalars => self.make_scalars(part)?,
            Stage::Combination => self.combine(part),
            Stage::Own { open, done } => self.verify_own(part, open, done),
            #[cfg(feature = "ecdsa")]
            Stage::Ecdsa(_) => Some(Stage::Done),
            Stage::Done => Some(Stage::Done),
        })
    }

    fn refuse_lengths(&mut self, part: &Part<'_, '_>) -> Stage {
        let mut kept = 0;
        for i in 0..self.rows.len() {
            let row = self.rows[i];
            match part.wrong_length(row) {
                Some(refused) => self.results.set(row, Some(refused)),
                None => {
                    self.rows[kept] = row;
                    kept += 1;
                }
            }
        }
        self.report.single += self.rows.len() - kept;
        self.progress.kept = kept;
        if kept == 0 { Stage::Done } else { Stage::Keys }
    }

    /// Puts rows with the same key together, and chooses the strategy.
    fn group_keys(&mut self, part: &Part<'_, '_>) -> Option<Stage> {
        let Step { engine, progress, rows, memory, work, .. } = self;
        let rows = &mut rows[..progress.kept];
        let len = rows.len();
        let mut memory = memory.again();
        let (key_of, first_of) = (memory.take(len)?, memory.take(len)?);
        **work = work.saturating_sub(LOOK_UP * len);
        let keys = match engine.strategy {
            Some(Strategy::Lanes) => len,
            _ => group_keys(|row| part.key(row), rows, key_of, first_of, memory),
        };
        progress.load = Load { rows: len, keys, prepared: part.prepared_key(rows[0]).is_some() };
        let (strategy, sample) = engine.begin(&part.rule, progress.load, self.rate);
        (progress.strategy, progress.batch) = (strategy, [0, sample]);
        Some(progress.begin())
    }

    fn verify_singly(&mut self, part: &Part<'_, '_>, done: usize) -> Option<Stage> {
        let batch = Batch::cut(self.progress, self.rows, &mut self.memory)?;
        let rows = &batch.rows[done..];
        let count = affordable(rows, SINGLE, |row| part.message(row), self.work);
        let end = done + count;
        let bad = part.verify_rows(&rows[..count], &batch.key_of[done..end], self.results);
        self.report.single += count;
        self.rate.add(count, bad);
        Some(if end < batch.len() { Stage::Single(end) } else { Stage::Done })
    }

    /// Hashes R, A and the message of each row.
    fn hash(&mut self, part: &Part<'_, '_>, done: usize) -> Option<Stage> {
        let batch = Batch::cut(self.progress, self.rows, &mut self.memory)?;
        let rows = &batch.rows[done..];
        let count = affordable(rows, HASH, |row| part.message(row), self.work);
        let row = |i: usize| (part.key(rows[i]), part.message(rows[i]), part.signature(rows[i]));
        let hashes = &mut batch.scalars[done..];
        rows::hash_challenges(self.engine.backend, part.given, count, row, hashes);
        let end = done + count;
        Some(if end < batch.rows.len() { Stage::Hash(end) } else { Stage::Scalars })
    }

    /// Makes k of each hash, and the coefficients where rows are combined.
    fn make_scalars(&mut self, part: &Part<'_, '_>) -> Result<Option<Stage>, BulkError> {
        let Step { engine, progress, work, .. } = self;
        let Some(batch) = Batch::cut(progress, self.rows, &mut self.memory) else {
            return Ok(None);
        };
        let Batch { rows, scalars, memory, .. } = batch;
        **work = work.saturating_sub(SCALARS * rows.len());
        progress.combination = None;
        if progress.strategy == Strategy::Combined {
            let entropy = engine.entropy()?;
            let signature = |i: usize| part.signature(rows[i]);
            let (rule, system) = (&part.rule, entropy.as_ref());
            let search = Search::new(rows.len(), *self.rate, engine.limits_of(rule, progress.load));
            progress.combination = rows::begin_combination(
                engine.backend,
                rule,
                signature,
                scalars,
                system,
                search,
                memory,
            );
        } else {
            rows::reduce_rows(engine.backend, scalars);
        }
        // without coefficients there was too little memory for them
        Ok(Some(match progress.combination {
            Some(_) => Stage::Combination,
            None => Stage::Own { open: rows.len(), done: 0 },
        }))
    }

    fn combine(&mut self, part: &Part<'_, '_>) -> Option<Stage> {
        let mut state = self.progress.combination?;
        let mut batch = Batch::cut(self.progress, self.rows, &mut self.memory)?;
        let (rows, results) = (&*batch.rows, &mut *self.results);
        let Batch { first, key_of, first_of, .. } = batch;
        let keyed = KeyedRows { part, first, rows, key_of, first_of };
        let verdict = |i: usize, verdict: Option<Verdict>| results.set(rows[i], verdict);
        let done = rows::combine(
            self.engine.backend,
            &part.rule,
            keyed,
            (&mut state, &mut *self.work),
            batch.scalars,
            batch.memory.again(),
            verdict,
        );
        self.progress.combination = Some(state);
        Some(match done {
            Some(false) => Stage::Combination,
            Some(true) => {
                let open = batch.gather_open(self.results);
                self.report.combined += batch.len() - open;
                self.rate.add(batch.len() - open, 0);
                Stage::Own { open, done: 0 }
            }
            // too little memory
            None => Stage::Own { open: batch.len(), done: 0 },
        })
    }

    /// Verifies the rows that are open by their own equations: in lanes, and the last ones singly where they would leave
    /// most lanes empty.
    fn verify_own(&mut self, part: &Part<'_, '_>, open: usize, done: usize) -> Option<Stage> {
        let engine = self.engine;
        let batch = Batch::cut(self.progress, self.rows, &mut self.memory)?;
        let results = &mut *self.results;
        let left = match engine.strategy {
            Some(Strategy::Lanes) => 0,
            _ => engine.left_of(open),
        };
        let (in_lanes, singly) = batch.rows[..open].split_at(open - left);
        if done == 0 {
            for row in singly {
                results.set(*row, Some(part.verify_singly(*row)));
            }
            self.report.single += singly.len();
            self.report.lanes += in_lanes.len();
        }
        let count = affordable(&in_lanes[done..], LANES, |_| &[], self.work);
        let end = done + count;
        let (rows, scalars) = (&in_lanes[done..end], &batch.scalars[done..end]);
        let lanes = Lanes { rule: &part.rule, scalars };
        let mut bad = 0;
        let verdict = |i: usize, verdict: Option<Verdict>| {
            let verdict = verdict.unwrap_or_else(|| part.verify_singly(rows[i]));
            bad += usize::from(is_wrong_equation(verdict));
            results.set(rows[i], Some(verdict));
        };
        match rows.first().and_then(|row| part.prepared_key(*row)) {
            Some(first) => {
                let row = |i: usize| {
                    (part.prepared_key(rows[i]).unwrap_or(first), part.signature(rows[i]))
                };
                rows::verify(engine.backend, &lanes, row, verdict);
            }
            None => {
                let row = |i: usize| (part.key(rows[i]), part.signature(rows[i]));
                rows::verify(engine.backend, &lanes, row, verdict);
            }
        }
        self.rate.add(count, bad);
        Some(if end < in_lanes.len() { Stage::Own { open, done: end } } else { Stage::Done })
    }

    /// Goes on with the rows that are left after a batch. Where many equations are wrong, a combination costs more than it
    /// decides: if a sample has as many, the other rows are not combined.
    fn begin_rest(&mut self, part: &Part<'_, '_>) -> Stage {
        self.rate.forget(Rate::MEMORY);
        let progress = &mut *self.progress;
        let [_, end] = progress.batch;
        if end == progress.kept {
            return Stage::Done;
        }
        if self.rate.is_above(&self.engine.limits_of(&part.rule, progress.load)) {
            progress.strategy = self.engine.strategy_of_own(&part.rule, progress.load);
        }
        (progress.batch, progress.combination) = ([end, progress.kept], None);
        progress.begin()
    }
}
