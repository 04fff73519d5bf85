//! A chunk of rows, verified in steps: as many at a time as there is work for. What one call leaves for the next is in
//! [`Chunk`] and in the scratch memory, which is cut alike each time.

use super::engine::Engine;
use super::error::BulkError;
use super::plan::{group_keys, order_rows};
use super::results::{Report, Results};
use super::specs::Spec;
use super::strategy::{Load, Strategy};
use super::table::Table;
use crate::cpu::{self, Backend, Feature};
#[cfg(feature = "ecdsa")]
use crate::ecdsa;
use crate::ed25519::rows::{self, Given, Lanes, SharedKeys, State};
use crate::ed25519::rules::{is_wrong_equation, of_digest_length, of_lengths};
use crate::ed25519::{
    PreparedKey, Rule, Signature, VerifyingKey, verify_bytes, verify_prehashed_bytes,
};
use crate::error::Verdict;
use crate::memory::{Memory, Scratch};

/// How far a chunk has come.
#[derive(Clone, Copy)]
pub(super) struct Chunk {
    /// Its first row in the table.
    first: usize,
    /// Where in their order the rows that are left begin and end, once they have one.
    left: Option<[usize; 2]>,
    /// The first of these, those of one spec.
    part: Option<PartProgress>,
    /// What has been done.
    pub(super) report: Report,
}

/// How far the rows of one spec have come.
#[derive(Clone, Copy)]
struct PartProgress {
    rows: usize,
    /// How many of these have keys and signatures of the right lengths: the first.
    kept: usize,
    /// Of these the ones in hand, from the first to before the last: a sample, and then what is left.
    batch: [usize; 2],
    stage: Stage,
    /// How they are verified, once it is known how many keys they have.
    load: Load,
    strategy: Strategy,
    combination: Option<State>,
    /// Whether one of those that were combined has a wrong equation.
    wrong: bool,
}

/// What is to be done next. Numbers are how many rows of the batch it has been done with.
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
    /// Hashes become k, and coefficients.
    Scalars,
    Combination,
    /// So many rows are open, for their own equation, and so many of them done.
    Own {
        open: usize,
        done: usize,
    },
    Done,
}

// What steps take, in additions of points: measured, and no more exact than that.

/// To verify a row: in lanes, alone, and of ECDSA.
const LANES: usize = 250;
const SINGLE: usize = 300;
const ECDSA: usize = 600;
/// To hash a row; so many bytes more take one addition.
const HASH: usize = 3;
const BYTES: usize = 64;
/// To make k of a row's hash, and coefficients depend on it.
const SCALARS: usize = 3;

/// More work than any table is.
const WITHOUT_END: usize = usize::MAX / 2;

/// Rows that are done together at least: as many as there can be lanes.
const TOGETHER: usize = 8;

impl Chunk {
    /// That of the rows from `first` on, before anything is done.
    pub(super) const fn new(first: usize) -> Self {
        let report = Report { single: 0, lanes: 0, combined: 0 };
        Chunk { first, left: None, part: None, report }
    }

    /// Goes on with as many rows as there are results, until no work is left or all is done: whether the latter. Work
    /// is counted in additions of points; the last step may go beyond it.
    pub(super) fn advance(
        &mut self,
        engine: &Engine,
        table: &Table<'_>,
        results: &mut Results<'_>,
        scratch: &mut [Scratch],
        work: &mut usize,
    ) -> Result<bool, BulkError> {
        let Chunk { first, left, part: in_hand, report } = self;
        let (first, len) = (*first, results.len());
        let mut memory = Memory::new(scratch);
        let Some(order) = memory.take(len) else {
            return Err(BulkError::ScratchExhausted { row: first, rows: len });
        };
        let [at, end] = left.get_or_insert_with(|| {
            results.clear();
            *work = work.saturating_sub(len);
            [0, order_rows(table, first..first + len, order)]
        });
        while *at < *end {
            let rest = &mut order[*at..*end];
            let group = table.specs.group(first + rest[0] as usize);
            let same = |other: &&u32| table.specs.group(first + **other as usize) == group;
            let (spec, count) = (table.specs.spec(group), || rest.iter().take_while(same).count());
            let progress = in_hand.get_or_insert_with(|| PartProgress::new(spec.as_ref(), count()));
            let rows = &mut rest[..progress.rows];
            let memory = memory.again();
            let mut step = Step { engine, progress, rows, results, memory, report, work };
            let done = match spec {
                Some(Spec::Ed25519 { rule, variant }) => {
                    step.verify(&Part::new(table, rule, Given::Message(variant), first))?
                }
                Some(Spec::Ed25519Prehashed { rule, context }) => {
                    step.verify(&Part::new(table, rule, Given::Digest(context), first))?
                }
                #[cfg(feature = "ecdsa")]
                Some(Spec::Ecdsa(scheme)) => step.verify_ecdsa(table, &scheme, first),
                None => true,
            };
            if !done {
                return Ok(false);
            }
            *at += progress.rows;
            *in_hand = None;
        }
        Ok(true)
    }
}

impl PartProgress {
    fn new(spec: Option<&Spec<'_>>, rows: usize) -> Self {
        let stage = match spec {
            #[cfg(feature = "ecdsa")]
            Some(Spec::Ecdsa(_)) => Stage::Ecdsa(0),
            _ => Stage::Lengths,
        };
        let load = Load { rows: 0, keys: 0, prepared: false };
        let (strategy, batch) = (Strategy::Single, [0; 2]);
        let (kept, combination, wrong) = (0, None, false);
        PartProgress { rows, kept, batch, stage, load, strategy, combination, wrong }
    }

    /// The first step with a batch.
    fn begin(&self) -> Stage {
        match self.strategy {
            Strategy::Single => Stage::Single(0),
            Strategy::Lanes | Strategy::Combined => Stage::Hash(0),
        }
    }
}

/// What the steps of a part work on.
struct Step<'s, 'm, 'r> {
    engine: &'s Engine,
    progress: &'s mut PartProgress,
    rows: &'s mut [u32],
    results: &'s mut Results<'r>,
    memory: Memory<'m>,
    report: &'s mut Report,
    work: &'s mut usize,
}

impl Step<'_, '_, '_> {
    /// Verifies rows that share their scheme of ECDSA; whether all. There is no equation for many of them: r is all
    /// that is known of a point. A function of its own: the rows of a group are on its stack.
    #[cfg(feature = "ecdsa")]
    #[inline(never)]
    fn verify_ecdsa(&mut self, table: &Table<'_>, scheme: &ecdsa::Scheme, first: usize) -> bool {
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

    /// Verifies rows that share their spec; whether all.
    fn verify(&mut self, part: &Part<'_, '_>) -> Result<bool, BulkError> {
        while self.progress.stage != Stage::Done {
            if *self.work == 0 {
                return Ok(false);
            }
            self.progress.stage = match self.progress.stage {
                Stage::Lengths => self.refuse_lengths(part),
                _ => self.verify_kept(part)?,
            };
            if self.progress.stage == Stage::Done {
                self.progress.stage = self.begin_rest(part);
            }
        }
        Ok(true)
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

    /// Goes on with the rows that are left after a batch. Where many equations are wrong, one for all of them would
    /// cost more than it decides: those after a sample with a wrong one are not combined.
    fn begin_rest(&mut self, part: &Part<'_, '_>) -> Stage {
        let progress = &mut *self.progress;
        let [_, end] = progress.batch;
        if end == progress.kept {
            return Stage::Done;
        }
        if progress.wrong {
            progress.strategy = self.engine.strategy_of_own(&part.rule, progress.load);
        }
        (progress.batch, progress.combination) = ([end, progress.kept], None);
        progress.begin()
    }

    /// Does the next step with rows that have their lengths.
    fn verify_kept(&mut self, part: &Part<'_, '_>) -> Result<Stage, BulkError> {
        let Step { engine, progress, rows, results, memory, report, work } = self;
        let work = &mut **work;
        let backend = engine.backend;
        // cannot happen with as much memory as `scratch_len` asks for
        let exhausted = BulkError::ScratchExhausted { row: part.first, rows: results.len() };
        let rows = &mut rows[..progress.kept];
        let prepared = part.prepared_key(rows[0]);
        let mut memory = memory.again();
        let (Some(keys), Some(firsts)) = (memory.take(rows.len()), memory.take(rows.len())) else {
            return Err(exhausted);
        };
        if progress.stage == Stage::Keys {
            *work = work.saturating_sub(2 * rows.len());
            let distinct = if engine.strategy == Some(Strategy::Lanes) {
                rows.len()
            } else {
                group_keys(|row| part.key(row), rows, keys, firsts, memory.again())
            };
            let load = Load { rows: rows.len(), keys: distinct, prepared: prepared.is_some() };
            progress.load = load;
            progress.strategy = engine.strategy_for(&part.rule, load);
            progress.batch = [0, engine.sample_of(progress.strategy, rows.len())];
            return Ok(progress.begin());
        }
        let [first, end] = progress.batch;
        let (rows, keys) = (&mut rows[first..end], &keys[first..end]);
        let len = rows.len();
        if let Stage::Single(done) = progress.stage {
            let count = affordable(&rows[done..], SINGLE, |row| part.message(row), work);
            let range = done..done + count;
            run_single(part, &rows[range.clone()], &keys[range], results);
            report.single += count;
            return Ok(if done + count < len { Stage::Single(done + count) } else { Stage::Done });
        }
        let Some(scalars) = memory.take::<[u64; 8]>(len) else {
            return Err(exhausted);
        };
        let rows = &mut *rows;
        Ok(match progress.stage {
            Stage::Hash(done) => {
                let count = affordable(&rows[done..], HASH, |row| part.message(row), work);
                let row = |i: usize| {
                    let row = rows[done + i];
                    (part.key(row), part.message(row), part.signature(row))
                };
                rows::hash_challenges(backend, part.given, count, row, &mut scalars[done..]);
                if done + count < len { Stage::Hash(done + count) } else { Stage::Scalars }
            }
            Stage::Scalars => {
                *work = work.saturating_sub(SCALARS * len);
                if progress.strategy == Strategy::Combined {
                    let entropy = engine.entropy()?;
                    let signature = |i: usize| part.signature(rows[i]);
                    let (rule, system) = (&part.rule, entropy.as_ref());
                    progress.combination =
                        rows::begin_combination(backend, rule, signature, scalars, system, memory);
                } else {
                    rows::reduce_rows(backend, scalars);
                }
                // without coefficients there was too little memory for them
                match progress.combination {
                    Some(_) => Stage::Combination,
                    None => Stage::Own { open: len, done: 0 },
                }
            }
            Stage::Combination => {
                let combination =
                    SharedKeys { rule: &part.rule, first, key_of: keys, first_of: firsts };
                let row = |i: usize| {
                    let row = rows[i];
                    (part.key(row), part.prepared_key(row), part.signature(row))
                };
                let Some(state) = &mut progress.combination else { return Err(exhausted) };
                let verdict = |i: usize, verdict: Option<Verdict>| {
                    // what is left open is in a combination that does not hold
                    progress.wrong |= verdict.is_none_or(is_wrong_equation);
                    results.set(rows[i], verdict);
                };
                let state = (state, work);
                let done =
                    rows::combine(backend, &combination, row, state, scalars, memory, verdict);
                match done {
                    Some(false) => Stage::Combination,
                    Some(true) => {
                        // what it has left open moves to the front
                        let mut open = 0;
                        for i in 0..len {
                            if results.is_open(rows[i]) {
                                (rows[open], scalars[open]) = (rows[i], scalars[i]);
                                open += 1;
                            }
                        }
                        report.combined += len - open;
                        Stage::Own { open, done: 0 }
                    }
                    // too little memory
                    None => Stage::Own { open: len, done: 0 },
                }
            }
            Stage::Own { open, mut done } => {
                let left = match engine.strategy {
                    Some(Strategy::Lanes) => 0,
                    _ => engine.left_of(open),
                };
                if done == 0 {
                    for row in &rows[open - left..open] {
                        results.set(*row, Some(part.verify_singly(*row)));
                    }
                    report.single += left;
                    report.lanes += open - left;
                }
                let open_in_lanes = open - left;
                let count = affordable(&rows[done..open_in_lanes], LANES, |_| &[], work);
                let range = done..done + count;
                let rows = &rows[range.clone()];
                let lanes = Lanes { rule: &part.rule, scalars: &scalars[range] };
                let verdict = |i: usize, verdict: Option<Verdict>| {
                    let verdict = verdict.unwrap_or_else(|| part.verify_singly(rows[i]));
                    results.set(rows[i], Some(verdict));
                };
                if let Some(first) = prepared {
                    let row = |i: usize| {
                        (part.prepared_key(rows[i]).unwrap_or(first), part.signature(rows[i]))
                    };
                    rows::verify_prepared(backend, &lanes, row, verdict);
                } else {
                    let row = |i: usize| (part.key(rows[i]), part.signature(rows[i]));
                    rows::verify(backend, &lanes, row, verdict);
                }
                done += count;
                if done < open_in_lanes { Stage::Own { open, done } } else { Stage::Done }
            }
            _ => Stage::Done,
        })
    }
}

/// How many of these rows, from the first on, there is work for, at so much each and for their messages.
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

impl<'t, 'a> Part<'t, 'a> {
    fn new(table: &'t Table<'a>, rule: Rule, given: Given<'a>, first: usize) -> Self {
        let (keys, signatures) = (table.keys.arrays(), table.signatures.arrays());
        Part { table, rule, given, first, keys, signatures }
    }

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
