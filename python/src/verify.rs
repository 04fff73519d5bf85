//! `verify_columns` and `report_columns`: a verdict and a reason a row, and a page about them.

use crate::arrow::{Imported, Problem};
use crate::bytes::text;
use crate::containers;
use crate::errors::{Failure, caught};
use crate::memory::{self, NoMemory};
use crate::request::{Asked, Request};
use crate::run::Plan;
use crate::verdicts::Verdicts;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use sigmill::bulk::{
    self, Algorithm, CHUNK_ROWS, Column, Engine, FailureRate, NULL_CODE, Scratch, Specs, Table,
};
use sigmill_report::{Report, Rows as Reported, Settings, UNREADABLE_CODE};
use std::sync::{Arc, Mutex, RwLock, mpsc};
use std::time::Instant;
use std::{io, mem, thread};

/// The rows of a part: Ctrl-C is to end it within a second, where a slow CPU verifies each row alone, too.
const fn most_rows(has_ecdsa: bool) -> usize {
    if has_ecdsa { 1024 } else { CHUNK_ROWS / 2 }
}

/// Chunks of fewer rows on average are read across their borders.
const FEWEST_ROWS_OF_A_CHUNK: usize = 1024;

/// A function of Python that verifies columns: its own arguments stand between the columns and the options.
macro_rules! of_columns {
    (
        $(#[$doc:meta])*
        fn $name:ident($($own:ident: $type:ty)?) -> $made:ty;
        |$py:ident, $plan:ident, $columns:ident, $asked:ident| $compute:expr
    ) => {
        $(#[$doc])*
        #[pyfunction]
        #[pyo3(signature = (key, msg, sig, $($own,)? *, rule = None, algorithm = None, variant = None, context = None,
                            hash = None, sig_format = None, low_s = false, key_form = None, threads = None,
                            progress = None))]
        #[allow(clippy::too_many_arguments)] // as Python has them
        pub(crate) fn $name<'py>(
            $py: Python<'py>,
            key: &Bound<'py, PyAny>,
            msg: &Bound<'py, PyAny>,
            sig: &Bound<'py, PyAny>,
            $($own: $type,)?
            rule: Option<&Bound<'py, PyAny>>,
            algorithm: Option<&Bound<'py, PyAny>>,
            variant: Option<&Bound<'py, PyAny>>,
            context: Option<&Bound<'py, PyAny>>,
            hash: Option<&str>,
            sig_format: Option<&str>,
            low_s: bool,
            key_form: Option<&str>,
            threads: Option<usize>,
            progress: Option<Bound<'py, PyAny>>,
        ) -> PyResult<$made> {
            let $asked =
                Asked { rule, algorithm, variant, context, hash, sig_format, low_s, key_form };
            let $columns = [key, msg, sig];
            caught(|| {
                let $plan = Plan::new(threads, progress)?;
                $compute
            })
        }
    };
}

of_columns! {
    /// Verifies every row; see `sigmill.verify_columns`.
    fn verify_columns() -> Verdicts;
    |py, plan, columns, asked| verify(py, &plan, columns, &asked, None)
}

of_columns! {
    /// Verifies every row, and makes a page about them; see `sigmill.report`.
    fn report_columns(title: &str) -> (Verdicts, Bound<'py, PyString>);
    |py, plan, columns, asked| {
        let mut report = Report::new(Settings::new(title, Engine::new()));
        let verdicts = verify(py, &plan, columns, &asked, Some(&mut report))?;
        memory::probe::<u8>(REPORT_BYTES)?;
        let page = py.detach(|| report.html());
        Ok((verdicts, text(py, &page)?))
    }
}

/// Reads the columns, and verifies their rows.
fn verify<'py>(
    py: Python<'py>,
    plan: &Plan<'py>,
    columns: [&Bound<'py, PyAny>; 3],
    asked: &Asked<'_, 'py>,
    report: Option<&mut Report>,
) -> PyResult<Verdicts> {
    let Request { mut columns, specs, in_containers } = Request::read(py, columns, asked)?;
    let rows = columns[0].1.rows();
    let no_memory = |error: NoMemory| error.of("key", rows, "rows");
    let mut codes = memory::filled(NULL_CODE, rows).map_err(no_memory)?;
    let distinct = specs.distinct()?;
    let of_rows = specs.of_rows(&distinct);
    let mut unreadable = Vec::new();
    if in_containers {
        let decoded = containers::decoded(py, &columns[0].1, of_rows)?;
        columns[0].1 = decoded.keys;
        unreadable = decoded.unreadable;
    } else if let Some(found) = containers::refusal(&columns[0].1)? {
        return Err(PyValueError::new_err(format!("key: the column {found}")));
    }
    let job = Job { plan, specs: of_rows, without: &specs.without, unreadable: &unreadable };
    verify_rows(py, &job, &columns, &mut codes, report)?;
    Ok(Verdicts::of(codes))
}

/// The work on the rows.
struct Job<'a, 'py> {
    plan: &'a Plan<'py>,
    specs: Specs<'a>,
    /// Rows whose names mean nothing, with their codes.
    without: &'a [(usize, u8)],
    /// Rows whose key cannot be read, and is null.
    unreadable: &'a [usize],
}

/// Writes the code of each row.
fn verify_rows(
    py: Python<'_>,
    job: &Job<'_, '_>,
    columns: &[(&'static str, Imported); 3],
    codes: &mut [u8],
    report: Option<&mut Report>,
) -> PyResult<()> {
    let (rows, specs) = (codes.len(), job.specs);
    let table = |i: usize| {
        let (name, column) = &columns[i];
        column.table().map_err(|error| Problem::from(error).of(name))
    };
    let columns = [table(0)?, table(1)?, table(2)?];
    let [keys, ..] = &columns;
    let together = columns.iter().all(|column| column.ends == keys.ends);
    let few = keys.chunks.len().saturating_mul(FEWEST_ROWS_OF_A_CHUNK) <= rows;
    let mut chunks = Vec::new();
    if together && (keys.chunks.len() <= 1 || few) {
        chunks = memory::vec(keys.chunks.len())?;
        let mut first = 0;
        for (chunk, end) in keys.ends.iter().enumerate() {
            let specs = match specs {
                Specs::Same(spec) => Specs::Same(spec),
                Specs::PerRow { distinct, index } => {
                    Specs::PerRow { distinct, index: &index[first..*end] }
                }
            };
            chunks.push((columns.each_ref().map(|column| column.chunks[chunk].column()), specs));
            first = *end;
        }
    } else {
        chunks.push((columns.each_ref().map(|column| Column::rows(column)), specs));
    }
    let rate = FailureRate::new();
    let mut tables = memory::vec(chunks.len())?;
    for ([keys, messages, signatures], specs) in &chunks {
        let table = Table::new(*keys, *messages, *signatures, *specs).map_err(Failure::from)?;
        tables.push(table.with_failure_rate(&rate));
    }
    let has_ecdsa = match specs {
        Specs::Same(spec) => spec.algorithm() != Algorithm::Ed25519,
        Specs::PerRow { distinct, .. } => {
            distinct.iter().any(|spec| spec.algorithm() != Algorithm::Ed25519)
        }
    };
    let part_rows = job.plan.part_rows(rows, most_rows(has_ecdsa));
    let engine = Engine::new();
    let count = tables.iter().map(|table| table.len().div_ceil(part_rows)).sum();
    let mut rest = &mut *codes;
    let parts = tables.iter().flat_map(|table| {
        let (of_table, others) = mem::take(&mut rest).split_at_mut(table.len());
        rest = others;
        let parts = of_table.chunks_mut(part_rows).enumerate();
        parts.map(move |(i, codes)| (codes.len(), (table, i * part_rows, codes)))
    });
    let scratch = || {
        let len = engine.scratch_len_for(part_rows.min(rows), &specs);
        Ok(memory::filled(Scratch::new(), len)?)
    };
    let (begin, strategies) = (Instant::now(), Mutex::new(bulk::Report::default()));
    job.plan.run(py, rows, count, parts, scratch, |scratch, (table, first, codes), _| {
        let of_part = engine.verify_codes_of(table, first, codes, scratch)?;
        if let Ok(mut strategies) = strategies.lock() {
            strategies.add(&of_part);
        }
        Ok(())
    })?;
    for row in job.unreadable {
        if columns[1..].iter().all(|column| column.shared(*row).is_some()) {
            codes[*row] = UNREADABLE_CODE;
        }
    }
    for (row, code) in job.without {
        // a null anywhere is what is said of a row
        if columns.iter().all(|column| column.shared(*row).is_some()) {
            codes[*row] = *code;
        }
    }
    let Some(report) = report else { return Ok(()) };
    let threads = job.plan.threads();
    py.detach(|| add_to(report, threads, &chunks, codes))?;
    report.finish(begin.elapsed(), &strategies.into_inner().unwrap_or_default());
    Ok(())
}

/// More than a report takes for the rows that it tries under other rules, and for its page.
const REPORT_BYTES: usize = 32 << 20;

/// Adds all rows to a report, on as many threads as there are to be had.
fn add_to(
    report: &mut Report,
    threads: usize,
    chunks: &[([Column<'_>; 3], Specs<'_>)],
    codes: &[u8],
) -> Result<(), Failure> {
    let mut add = || {
        let mut first = 0;
        for ([keys, messages, signatures], specs) in chunks {
            let end = first + keys.len();
            // and the numbers of rows
            memory::probe::<u8>(REPORT_BYTES.saturating_add(keys.len().saturating_mul(16)))?;
            let rows = Reported {
                keys: *keys,
                messages: *messages,
                signatures: *signatures,
                specs: *specs,
                codes: &codes[first..end],
            };
            report.add(first as u64, &rows)?;
            first = end;
        }
        Ok(())
    };
    match pool(memory::startable(threads)) {
        Some(pool) => pool.install(add),
        None => add(),
    }
}

/// A pool of threads, each started after the one before; none where one is enough, or where not all can be had. None of them
/// works before all have started: it would take memory that is meant for the others.
fn pool(start: memory::Start) -> Option<rayon::ThreadPool> {
    if start.threads == 1 {
        return None;
    }
    let (starting, started) = mpsc::channel();
    let gate = Arc::new(RwLock::new(()));
    let closed = gate.write();
    let builder = rayon::ThreadPoolBuilder::new().num_threads(start.threads);
    let spawn = |worker: rayon::ThreadBuilder| {
        if !start.goes_on() {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        let (starting, gate) = (starting.clone(), Arc::clone(&gate));
        let run = move || {
            starting.send(()).unwrap_or_default();
            drop(gate.read());
            worker.run();
        };
        thread::Builder::new().stack_size(memory::STACK).spawn(run)?;
        started.recv().map_err(io::Error::other)
    };
    let pool = builder.spawn_handler(spawn).build().ok();
    drop(closed);
    pool
}
