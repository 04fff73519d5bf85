//! How many rows are computed: by which backend and strategy, and on how many of the caller's tasks.

use super::outputs::Outputs;
use super::report::Problem;
use crate::fault::Fault;
use crate::pointer::{In, MOST_TASKS, Opaque, Run, plain_struct, run_tasks};
use core::ffi::c_int;
use core::sync::atomic::{AtomicI32, AtomicUsize, Ordering};
use sigmill::bulk::{CHUNK_ROWS, Engine, Strategy};
use sigmill::cpu::Backend;

plain_struct! {
    /// `struct sigmill_bulk`.
    pub struct Bulk {
        backend: c_int,
        strategy: c_int,
        deterministic: c_int,
        unused: c_int,
        entropy: In<[u8; 32]>,
        tasks: usize,
        run: Option<Run>,
        context: Opaque,
    }
}

/// The same, read.
pub(super) struct Plan {
    pub(super) engine: Engine,
    pub(super) tasks: usize,
    run: Option<Run>,
    context: Opaque,
}

impl Bulk {
    /// Tells of what is read to know how to compute.
    pub(super) fn inputs(how: In<Bulk>, outputs: &mut Outputs) {
        outputs.input(how.extent(1));
        if let Ok(Some(how)) = how.optional() {
            outputs.input(how.entropy.extent(1));
        }
    }
}

impl Plan {
    pub(super) fn new(how: In<Bulk>) -> Result<Self, Fault> {
        let Some(how) = how.optional()? else {
            return Ok(Plan { engine: Engine::new(), tasks: 1, run: None, context: Opaque::NONE });
        };
        let mut engine = Engine::new();
        let backend = match how.backend {
            0 => None,
            1 => Some(Backend::Portable),
            2 => Some(Backend::Avx2),
            3 => Some(Backend::Ifma),
            4 => Some(Backend::Simd128),
            _ => return Err(Fault::Backend),
        };
        if let Some(backend) = backend {
            engine = engine.with_backend(backend).map_err(|_| Fault::Backend)?;
        }
        match how.strategy {
            0 => {}
            1 => engine = engine.with_strategy(Strategy::Single),
            2 => engine = engine.with_strategy(Strategy::Lanes),
            3 => engine = engine.with_strategy(Strategy::Combined),
            _ => return Err(Fault::Algorithm),
        }
        match how.deterministic {
            0 => {}
            1 => engine = engine.deterministic(),
            _ => return Err(Fault::Algorithm),
        }
        if let Some(entropy) = how.entropy.optional()? {
            engine = engine.with_entropy(*entropy);
        }
        let tasks = how.tasks.clamp(1, MOST_TASKS);
        Ok(Plan { engine, tasks, run: how.run, context: how.context })
    }

    /// The rows that a task takes at a time: short tables are cut finer, so that every task has some.
    pub(super) fn part_rows(&self, rows: usize) -> usize {
        rows.div_ceil(self.tasks).min(CHUNK_ROWS).next_multiple_of(8).clamp(8, CHUNK_ROWS)
    }

    /// Does `work(task, first, rows)` for all rows, part by part; the first error ends it.
    pub(super) fn run(
        &self,
        rows: usize,
        work: impl Fn(usize, usize, usize) -> Result<(), Problem> + Sync,
    ) -> Result<(), Problem> {
        let part = self.part_rows(rows);
        let (next, error, at) = (AtomicUsize::new(0), AtomicI32::new(0), AtomicUsize::new(0));
        let take = |task: usize| {
            while error.load(Ordering::Relaxed) == 0 {
                let first = next.fetch_add(1, Ordering::Relaxed).saturating_mul(part);
                if first >= rows {
                    break;
                }
                if let Err(problem) = work(task, first, part.min(rows - first)) {
                    let number = problem.fault as i32;
                    if error
                        .compare_exchange(0, number, Ordering::Relaxed, Ordering::Relaxed)
                        .is_ok()
                    {
                        at.store(problem.row, Ordering::Relaxed);
                    }
                }
            }
        };
        run_tasks(self.run, self.context, self.tasks.min(rows.div_ceil(part)), &take)?;
        match error.into_inner() {
            0 => Ok(()),
            number => {
                Err(Problem { fault: Fault::of_number(number), row: at.into_inner(), what: None })
            }
        }
    }
}
