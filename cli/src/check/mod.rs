//! `check`: verifies every row of tables, streaming, on all cores.
//!
//! A table is read in batches of bounded size (`read`; `row_groups` of Parquet, `ipc` of Arrow, `csv_rows`, `jsonl`), the
//! next one while the last is verified (`ahead`); the columns of a batch become borrowed columns of the library
//! (`columns`; `specs` of its rows), which gives an outcome a row; the batch goes on to the output (`write`) and is
//! counted (`report`, and `html` for a page). Nothing of the table is kept.

mod ahead;
mod batch;
mod bytes;
mod cells;
mod columns;
mod containers;
mod csv_rows;
mod cut;
mod decoder;
mod envelopes;
mod format;
mod html;
mod ipc;
mod json;
mod jsonl;
mod options;
mod outcome;
mod pages;
mod read;
mod report;
mod row_groups;
mod sniff;
mod specs;
mod threads;
mod thrift;
mod write;

use crate::engine::EngineArgs;
use crate::memory;
use crate::output::{self, Output, place_of};
use crate::status::{Failure, LONGEST_QUOTE, Result, Status, printable, quoted, shown, tell};
use crate::streams;
use crate::variant::Kind;
use ahead::Batches;
use arrow_array::ArrayRef;
use batch::Batch;
use columns::{Asked, BatchColumns};
use envelopes::{EnvelopeColumns, Envelopes, Parts};
use format::{Format, OPTIONS, OfFormats, Quote, parse_delimiter, parse_quote};
use html::Page;
use options::{ColumnNames, Encodings, Envelope as EnvelopeForm, Reading, RowOptions};
use outcome::{Outcome, Problem};
use rayon::ThreadPool;
use read::Source;
use report::{Counts, Progress, Summary};
use sigmill::bulk::{Column, Engine, FailureRate, Scratch, Specs, Table};
use std::io::{self, Write};
use std::mem;
use std::path::{Path, PathBuf};
use std::time::Instant;
use write::{Sink, Writing};

/// Verify every row of tables: Parquet, Arrow IPC, CSV or JSON lines
///
/// A row needs a key, a message and a signature. Columns of a binary type hold bytes, text columns hold
/// hexadecimal, unless --encoding says otherwise. If the table has columns named alg, rule,
/// variant or context, they say per row what the options say for all; rows of different algorithms may
/// stand in one table. Keys of ECDSA are in the form of SEC1, its signatures r and s one after the other
/// unless --sig-format says der. Rows are counted from 0. A
/// table without rows is valid (--not-empty). A row with a null, or one that cannot be read, has no verdict; then
/// the exit code is 2 unless some row is invalid (1). --allow-null excuses nulls and unknown names, but
/// no cell that cannot be read.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The tables. `-`: standard input
    #[arg(required = true, value_name = "TABLE")]
    tables: Vec<PathBuf>,
    /// The format, if the file name does not tell it
    #[arg(long, value_enum)]
    format: Option<Format>,

    #[command(flatten)]
    rows: RowOptions,

    #[command(flatten)]
    names: ColumnNames,

    #[command(flatten)]
    encodings: Encodings,
    /// The character between the cells of CSV, such as ';', or tab [default: a comma, of TSV a tab]
    #[arg(long = "delimiter", value_name = "CHARACTER", value_parser = parse_delimiter)]
    given_delimiter: Option<u8>,
    /// The character around cells of CSV that hold others of its characters; none: a quote is one like any other
    /// [default: "]
    #[arg(long = "quote", value_name = "CHARACTER", value_parser = parse_quote)]
    given_quote: Option<Quote>,
    /// Text that stands for a null in CSV; without it, CSV has no nulls
    #[arg(long, value_name = "TEXT")]
    null: Option<String>,
    /// Nulls and unknown names do not count against the exit code
    #[arg(long)]
    allow_null: bool,
    /// Each table must have this many rows; else it is an error
    #[arg(long, value_name = "N")]
    expect_rows: Option<u64>,
    /// Each table must have rows; else it is an error
    #[arg(long)]
    not_empty: bool,
    /// CSV and JSON lines: no record may be longer than this many bytes [default: 16777216]
    #[arg(long = "max-record", value_name = "BYTES")]
    given_max_record: Option<u64>,

    /// Write the table with columns `verdict` and `reason` (format by the file name)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write only rows that are not valid
    #[arg(long, requires = "output")]
    bad: bool,
    /// Write a page about the table: verdicts and reasons, where bad rows lie, their keys, other rules (HTML)
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Overwrite an existing output or report
    #[arg(long)]
    force: bool,
    /// Print the summary as a JSON object
    #[arg(long)]
    json: bool,
    /// Print a line {"row","verdict","reason"} for each row; the summary goes to standard error
    #[arg(long)]
    jsonl: bool,
    /// No summary and no progress; the exit code answers
    #[arg(short, long)]
    quiet: bool,
    /// Threads to use; all cores by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    #[command(flatten)]
    engine: EngineArgs,
}

impl Args {
    fn check_options(&self) -> Result<()> {
        let (rows, names) = (&self.rows, &self.names);
        if let Some(only) = rows.only_alg(names) {
            let said_by = match rows.given_alg {
                Some(_) => "--alg says",
                None => "without --alg all rows are of",
            };
            rows.refuse_foreign(only, said_by)?;
        }
        let has_context = !rows.context().is_empty();
        if rows.variant() == Kind::Pure && has_context && !names.prefer_row_options {
            return Err(Failure::new("--context needs --variant ctx or ph"));
        }
        if !names.envelopes.claims.is_empty() && names.envelopes.envelope != Some(EnvelopeForm::Jws)
        {
            return Err(Failure::new("--claims needs --envelope jws, whose payloads have members"));
        }
        // of TSV the delimiter is a tab, which no quote is
        if let Some(Quote::Character(quote)) = self.given_quote
            && quote == self.given_delimiter.unwrap_or(b',')
        {
            return Err(Failure::new("--quote and --delimiter are the same character"));
        }
        Ok(())
    }

    /// Whether a table may have so many rows.
    fn check_rows(&self, rows: u64) -> std::result::Result<(), String> {
        match self.expect_rows {
            Some(expected) if rows != expected => {
                Err(format!("has {rows} rows, but --expect-rows says {expected}"))
            }
            _ if self.not_empty && rows == 0 => Err("has no rows (--not-empty)".to_owned()),
            _ => Ok(()),
        }
    }

    fn reading(&self) -> Reading<'_> {
        Reading {
            format: self.format,
            names: &self.names,
            rows: &self.rows,
            encodings: &self.encodings,
            output: self.output.as_deref(),
            delimiter: self.given_delimiter,
            quote: self.given_quote,
            null: self.null.as_deref(),
            max_record: self.given_max_record.unwrap_or(16 << 20),
        }
    }

    fn writing(&self) -> Writing {
        Writing {
            force: self.force,
            only_bad: self.bad,
            claims: self.names.envelopes.claims.clone(),
            delimiter: self.given_delimiter,
            quote: self.given_quote,
            null: self.null.clone(),
        }
    }

    /// Whether an output goes to standard output.
    fn writes_to_stdout(&self) -> bool {
        [&self.output, &self.report].into_iter().flatten().any(|path| path == Path::new("-"))
    }

    /// Refuses options that say nothing of a table, where it is the only one or no other can have them.
    fn check_format(&self, path: &Path, table: Format) -> Result<()> {
        let output = self.output.as_deref().map(|path| Format::of(path).unwrap_or(table));
        let given = [
            self.given_delimiter.is_some(),
            self.given_quote.is_some(),
            self.null.is_some(),
            self.given_max_record.is_some(),
        ];
        let others = self.tables.iter().filter(|other| other.as_path() != path);
        let others: Vec<_> =
            others.map(|other| self.format.or_else(|| Format::of(other))).collect();
        let may_concern = |option: &OfFormats, other: &Option<Format>| {
            other.is_none_or(|other| option.concerns(other, None))
        };
        let foreign = OPTIONS.iter().zip(given).find(|(option, given)| {
            let is_others = others.iter().any(|other| may_concern(option, other));
            *given && !option.concerns(table, output) && !is_others
        });
        match foreign {
            None => Ok(()),
            Some((option, _)) => Err(Failure::at(path, option.refusal(table, output))),
        }
    }

    fn asked(&self) -> Asked<'_> {
        Asked { names: &self.names, rows: &self.rows, encodings: &self.encodings }
    }

    fn summary(&self) -> Summary<'_> {
        Summary {
            names: &self.names,
            rows: &self.rows,
            is_json: self.json,
            to_stderr: self.jsonl || self.writes_to_stdout(),
        }
    }
}

/// So many unreadable cells are described on standard error; the rest are counted.
const DESCRIBED_PROBLEMS: u64 = 10;

pub(crate) fn run(args: &Args) -> Result<Status> {
    for (given, option) in [(&args.output, "-o"), (&args.report, "--report")] {
        if given.is_some() && args.tables.len() > 1 {
            return Err(Failure::new(format!("{option} takes one table")));
        }
    }
    if args.tables.iter().filter(|path| path.as_path() == Path::new("-")).count() > 1 {
        return Err(Failure::new("standard input can be read only once"));
    }
    if args.jsonl && args.writes_to_stdout() {
        let what =
            "standard output: has one line for each row with --jsonl; choose a file for the output";
        return Err(Failure::new(what));
    }
    if args.jsonl || args.writes_to_stdout() || !args.quiet {
        streams::check_stdout()?;
    }
    args.check_options()?;
    let pool = threads::pool(args.threads, args.quiet)?;
    memory::limit(pool.current_num_threads());
    let engine = args.engine.engine()?;
    let envelopes = Envelopes::of(&args.names.envelopes)?;
    let mut total = Counts::new(engine.backend());
    let mut failures = 0;
    for path in &args.tables {
        let start = Instant::now();
        let mut counts = Counts::new(engine.backend());
        memory::set_name(shown(path));
        match check_table(args, envelopes.as_ref(), path, (&pool, &engine), &mut counts) {
            Ok(()) if args.quiet => {}
            Ok(()) => report::print(&args.summary(), Some(path), &counts, start.elapsed())?,
            Err(failure) if failure.is_quiet() => return Err(failure),
            Err(failure) => {
                // the other tables are still checked, and an invalid row stays one
                tell(format_args!("sigmill: {failure}"));
                failures += 1;
            }
        }
        total.add(&counts);
    }
    if args.tables.len() > 1 && !args.quiet {
        report::print(&args.summary(), None, &total, total.seconds())?;
    }
    Ok(total.status(args.allow_null, failures > 0))
}

fn check_table(
    args: &Args,
    envelopes: Option<&Envelopes>,
    path: &Path,
    engine: (&ThreadPool, &Engine),
    counts: &mut Counts,
) -> Result<()> {
    let start = Instant::now();
    let source = Source::open(&args.reading(), path)?;
    args.check_format(path, source.format())?;
    let mut sink = match &args.output {
        Some(output) => Some(Sink::create(&args.writing(), output, path, &source)?),
        None => None,
    };
    let output = args.output.as_deref().map(place_of);
    let mut page = match &args.report {
        Some(report) if output.as_ref() == Some(&place_of(report)) => {
            let what = "is the output; choose another file for the report";
            return Err(Failure::at(report, what));
        }
        Some(report) => {
            Some(Page::create((&args.names, envelopes), report, args.force, path, engine)?)
        }
        None => None,
    };
    let progress = Progress::new(!args.quiet, path, source.rows());
    let mut stdout = io::stdout().lock();
    let mut batches = Batches::of(source, path, engine.0.current_num_threads() > 1);
    let (mut scratch, rate) = (Vec::new(), FailureRate::new());
    while let Some(mut batch) = batches.next_batch()? {
        let engine = (engine.0, engine.1, &mut scratch, &rate);
        let (outcomes, claims) = match envelopes {
            None => {
                let page = page.as_mut();
                let outcomes = check_batch(&args.asked(), path, &mut batch, engine, counts, page)?;
                (outcomes, Vec::new())
            }
            Some(envelopes) => {
                let asked = (&args.asked(), envelopes);
                check_envelopes(asked, path, &mut batch, engine, counts, page.as_mut())?
            }
        };
        progress.at(counts.rows());
        if args.jsonl {
            print_lines(&mut stdout, batch.first_row, &outcomes)
                .map_err(|e| Failure::stdout(&e))?;
        }
        if let Some(sink) = &mut sink {
            sink.write(&batch, &outcomes, claims)?;
        }
    }
    progress.finish();
    counts.take_time(start.elapsed());
    args.check_rows(counts.rows()).map_err(|what| Failure::at(path, what))?;
    let table = sink.map(Sink::complete);
    let page = page.map(|page| page.complete(counts));
    let outputs: Vec<Output> = table.into_iter().chain(page).collect::<Result<_>>()?;
    output::finish(outputs)
}

/// The threads, the engine, its scratch memory, which serves one batch after the other, and the rate of bad rows so far.
type Work<'w> = (&'w ThreadPool, &'w Engine, &'w mut Vec<Scratch>, &'w FailureRate);

/// The outcomes of one batch.
fn check_batch(
    asked: &Asked<'_>,
    path: &Path,
    batch: &mut Batch,
    work: Work<'_>,
    counts: &mut Counts,
    page: Option<&mut Page<'_>>,
) -> Result<Vec<Outcome>> {
    let mut problems = mem::take(&mut batch.problems);
    let rows = BatchColumns::read(asked, path, &batch.table, batch.first_row, &mut problems)?;
    let values = rows.values(path)?;
    let columns = rows.columns(path, &values)?;
    let specs = rows.specs();
    let specs_of_rows = rows.of_rows(&specs);
    let mut outcomes = verify(path, columns, specs_of_rows, work, counts)?;
    // a row with a null is null, whatever else is wrong with it; an unreadable cell is a null in its column
    let has_null = |row| columns.iter().any(|column| column.get(row).is_none());
    for problem in &problems {
        let hidden = problem.outcome != Outcome::Unreadable && has_null(problem.row);
        settle(problem, hidden, &mut outcomes);
    }
    describe(path, batch.first_row, &problems, counts);
    counts.count(&outcomes, rows.curves());
    if let Some(page) = page {
        page.add(batch.first_row, columns, specs_of_rows, &outcomes)
            .map_err(|error| Failure::at(path, error))?;
    }
    note_invalid(&outcomes);
    Ok(outcomes)
}

/// The outcomes of one batch of envelopes, and the columns of claims.
fn check_envelopes(
    (asked, envelopes): (&Asked<'_>, &Envelopes),
    path: &Path,
    batch: &mut Batch,
    work: Work<'_>,
    counts: &mut Counts,
    page: Option<&mut Page<'_>>,
) -> Result<(Vec<Outcome>, Vec<ArrayRef>)> {
    let mut problems = mem::take(&mut batch.problems);
    let cells = EnvelopeColumns::read(asked, path, &batch.table, &mut problems)?;
    let values = cells.values(path)?;
    let (tokens, messages) = cells.columns(path, &values)?;
    let (pool, engine, scratch, rate) = work;
    let (keys, rule) = (envelopes.keys(), asked.rows.rule());
    let keys = Column::slices(&keys);
    let mut outcomes = vec![Outcome::Null; tokens.len()];
    let mut rows = Parts::default();
    let mut ranges = Envelopes::ranges(tokens.len(), pool.current_num_threads());
    while !ranges.is_empty() {
        let mut parts = pool.install(|| envelopes.read(&ranges, &tokens, messages.as_ref()));
        ranges = parts.rest(&ranges);
        let cells = parts.candidates(&rule);
        let (columns, specs) = cells.columns(&keys).map_err(|error| Failure::at(path, error))?;
        let verdicts = verify(path, columns, specs, (pool, engine, &mut *scratch, rate), counts)?;
        parts.decide(&verdicts, &mut outcomes);
        rows.append(parts);
    }
    problems.extend(rows.problems(asked.names.envelopes.column()));
    problems.iter().for_each(|problem| settle(problem, false, &mut outcomes));
    describe(path, batch.first_row, &problems, counts);
    counts.count(&outcomes, &rows.curves());
    if let Some(page) = page {
        let cells = rows.rows(&rule);
        cells
            .columns(&keys)
            .and_then(|(columns, specs)| page.add(batch.first_row, columns, specs, &outcomes))
            .map_err(|error| Failure::at(path, error))?;
    }
    note_invalid(&outcomes);
    let claims = envelopes.claims(&tokens, &outcomes, &asked.names.envelopes.claims);
    Ok((outcomes, claims))
}

/// The verdicts of the engine.
fn verify(
    path: &Path,
    [keys, messages, signatures]: [Column<'_>; 3],
    specs: Specs<'_>,
    (pool, engine, scratch, rate): Work<'_>,
    counts: &mut Counts,
) -> Result<Vec<Outcome>> {
    let mut verdicts = vec![None; keys.len()];
    let report = Table::new(keys, messages, signatures, specs)
        .and_then(|table| {
            pool.install(|| {
                let len = engine.parallel_scratch_len(table.len(), &specs);
                scratch.resize(len.max(scratch.len()), Scratch::new());
                engine.verify_parallel_into(&table.with_failure_rate(rate), &mut verdicts, scratch)
            })
        })
        .map_err(|error| Failure::at(path, error))?;
    counts.report.add(&report);
    Ok(verdicts.into_iter().map(|v| v.map_or(Outcome::Null, Outcome::Judged)).collect())
}

/// Gives a row the outcome of its problem, unless something else hides it. An unreadable cell stays one.
fn settle(problem: &Problem, hidden: bool, outcomes: &mut [Outcome]) {
    if outcomes[problem.row] != Outcome::Unreadable && !hidden {
        outcomes[problem.row] = problem.outcome;
    }
}

/// Describes the first problems of a table on standard error.
fn describe(path: &Path, first_row: u64, problems: &[Problem], counts: &mut Counts) {
    for Problem { row, column, what, .. } in problems {
        if counts.described == DESCRIBED_PROBLEMS {
            return;
        }
        counts.described += 1;
        let number = first_row + *row as u64;
        let (column, what) = (quoted(column), printable(what, LONGEST_QUOTE));
        tell(format_args!("sigmill: {}: row {number}, column {column}: {what}", shown(path)));
    }
}

/// A process that ends for want of memory says by its exit code that some row was invalid.
fn note_invalid(outcomes: &[Outcome]) {
    if outcomes.iter().any(|outcome| outcome.verdict() == "invalid") {
        memory::set_invalid();
    }
}

/// One line a row, flushed together: whoever waits for an answer has it before more is read.
fn print_lines(stdout: &mut impl Write, first_row: u64, outcomes: &[Outcome]) -> io::Result<()> {
    let mut lines = String::new();
    for (row, outcome) in (first_row..).zip(outcomes) {
        let reason = outcome.reason().map_or("null".to_owned(), |reason| format!("\"{reason}\""));
        let verdict = match outcome.verdict() {
            "null" => "null".to_owned(),
            verdict => format!("\"{verdict}\""),
        };
        lines += &format!("{{\"row\":{row},\"verdict\":{verdict},\"reason\":{reason}}}\n");
    }
    stdout.write_all(lines.as_bytes())?;
    stdout.flush()
}
