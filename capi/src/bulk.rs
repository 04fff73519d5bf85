//! Many rows: columns of the caller's memory, and what is done with them on one thread or many.

mod arrow;
mod column;
mod make;
mod outputs;
mod verify;

use crate::fault::Fault;
use crate::pointer::{In, MOST_TASKS, Opaque, Out, Run, plain_struct, run_tasks};
use core::ffi::c_int;
use core::sync::atomic::{AtomicI32, AtomicUsize, Ordering};
use outputs::Outputs;
use sigmill::bulk::{BulkError, CHUNK_ROWS, Engine, Strategy};
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

/// How to compute.
struct Plan {
    engine: Engine,
    tasks: usize,
    run: Option<Run>,
    context: Opaque,
}

impl Bulk {
    /// Tells of what is read to know how to compute.
    fn inputs(how: In<Bulk>, outputs: &mut Outputs) {
        outputs.input(how.extent(1));
        if let Ok(Some(how)) = how.optional() {
            outputs.input(how.entropy.extent(1));
        }
    }
}

impl Plan {
    fn new(how: In<Bulk>) -> Result<Self, Fault> {
        let Some(how) = how.optional()? else {
            return Ok(Plan { engine: Engine::new(), tasks: 1, run: None, context: Opaque::NONE });
        };
        let mut engine = Engine::new();
        let backend = match how.backend {
            0 => None,
            1 => Some(Backend::Portable),
            2 => Some(Backend::Avx2),
            3 => Some(Backend::Ifma),
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
    fn part_rows(&self, rows: usize) -> usize {
        rows.div_ceil(self.tasks).min(CHUNK_ROWS).next_multiple_of(8).clamp(8, CHUNK_ROWS)
    }

    /// Does `work(task, first, rows)` for all rows, part by part; the first error ends it.
    fn run(
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

/// What is wrong, and where.
#[derive(Clone, Copy)]
struct Problem {
    fault: Fault,
    row: usize,
    what: Option<&'static core::ffi::CStr>,
}

impl From<Fault> for Problem {
    fn from(fault: Fault) -> Self {
        Problem { fault, row: 0, what: None }
    }
}

impl From<BulkError> for Problem {
    fn from(error: BulkError) -> Self {
        let (fault, row) = match error {
            BulkError::BufferLength { .. } => (Fault::Column, 0),
            BulkError::ScratchExhausted { row, .. } => (Fault::Internal, row),
            BulkError::Offset { row } | BulkError::Index { row } => (Fault::Column, row),
            BulkError::Backend { .. } => (Fault::Backend, 0),
            BulkError::Randomness => (Fault::Randomness, 0),
            BulkError::NullMessage { row } => (Fault::NullMessage, row),
            BulkError::EmptyDigest { row } => (Fault::Digest, row),
            BulkError::MessageChanged { row } => (Fault::MessageChanged, row),
            BulkError::Fault { row } => (Fault::Made, row),
            BulkError::SecretOutOfRange { row } => (Fault::Secret, row),
            BulkError::Rows { .. } => (Fault::Rows, 0),
            _ => (Fault::Internal, 0),
        };
        Problem { fault, row, what: None }
    }
}

plain_struct! {
    /// `struct sigmill_report`.
    pub struct Report {
        valid: usize,
        invalid: usize,
        null: usize,
        single: usize,
        lanes: usize,
        combined: usize,
        row: usize,
        what: In<u8>,
    }
}

impl Report {
    const NOTHING: Report = Report {
        valid: 0,
        invalid: 0,
        null: 0,
        single: 0,
        lanes: 0,
        combined: 0,
        row: 0,
        what: In::NULL,
    };
}

/// The number of a result, with a report for whoever wants one. Nothing is done if the report has no place, or an output
/// lies in something else.
fn reported(
    place: Out<Report>,
    outputs: &Outputs,
    compute: impl FnOnce() -> Result<(c_int, Report), Problem>,
) -> c_int {
    if !place.is_null()
        && let Err(fault) = place.place()
    {
        return fault as c_int;
    }
    let (number, report) = match outputs.apart().and_then(|()| compute()) {
        Ok(both) => both,
        Err(problem) => {
            let what = problem.what.map_or(In::NULL, In::of_text);
            (problem.fault as c_int, Report { row: problem.row, what, ..Report::NOTHING })
        }
    };
    if let Ok(place) = place.place()
        && outputs.report_is_apart()
    {
        place.put(report);
    }
    number
}

/// What `abi` compares with the header.
#[cfg(all(test, feature = "std", feature = "all"))]
pub fn layouts() -> Vec<String> {
    use crate::abi::layouts;
    let mut lines = layouts! {
        "sigmill_bulk" = self::Bulk {
            backend, strategy, deterministic, unused, entropy, tasks, run, context as run_context
        };
        "sigmill_report" = self::Report { valid, invalid, null, single, lanes, combined, row, what };
    };
    lines.extend(column::layouts());
    lines.extend(verify::layouts());
    lines
}

#[cfg(all(test, feature = "std", feature = "all"))]
pub use arrow::layouts as arrow_layouts;
