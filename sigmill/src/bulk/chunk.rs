//! A chunk of rows, verified in steps. Each call does as many rows as there is work for, and leaves the rest to the next
//! one, in [`Chunk`] and in the scratch memory, which every call cuts alike.

use super::engine::Engine;
use super::error::BulkError;
use super::part::Part;
use super::plan::order_rows;
use super::results::{Report, Results};
use super::specs::Spec;
use super::stages::{PartProgress, Step};
use super::table::Table;
use crate::ed25519::many::rows::{Given, Rate};
use crate::memory::{Memory, Scratch};

/// How far a chunk has come.
#[derive(Clone, Copy)]
pub(super) struct Chunk {
    /// Its first row in the table.
    first: usize,
    /// The range of the rows that are left in their order, once they have one.
    left: Option<[usize; 2]>,
    /// The first of these: the rows of one spec.
    part: Option<PartProgress>,
    pub(super) report: Report,
    /// Of the rows of the table so far.
    pub(super) rate: Rate,
}

impl Chunk {
    /// The rows from `first` on, before anything is done.
    pub(super) const fn new(first: usize, rate: Rate) -> Self {
        let report = Report { single: 0, lanes: 0, combined: 0 };
        Chunk { first, left: None, part: None, report, rate }
    }

    /// Goes on with as many rows as there are results, until no work is left or all is done; reports whether all is done.
    /// Work is counted in additions of points. The last stage may go beyond it.
    pub(super) fn advance(
        &mut self,
        engine: &Engine,
        table: &Table<'_>,
        results: &mut Results<'_>,
        scratch: &mut [Scratch],
        work: &mut usize,
    ) -> Result<bool, BulkError> {
        let Chunk { first, left, part: in_hand, report, rate } = self;
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
            let mut step = Step { engine, progress, rows, results, memory, report, rate, work };
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
