//! `check`: verifies every row of tables, streaming, on all cores.
//!
//! A table is read in batches of bounded size (`read`, and `ipc` for Arrow), the next one while the last
//! is verified (`ahead`); the columns of a batch become borrowed columns of the library (`columns`), which
//! gives an outcome a row; the batch goes on to the output (`write`) and is counted (`report`, and `html` for a page).
//! Nothing of the table is kept.

mod ahead;
mod cells;
mod columns;
mod containers;
mod cut;
mod html;
mod ipc;
mod jsonl;
mod pages;
mod read;
mod report;
mod sniff;
mod threads;
mod thrift;
mod write;

use crate::alg::{Alg, EcdsaArgs};
use crate::engine::EngineArgs;
use crate::memory;
use crate::output::{self, Output};
use crate::status::{
    Failure, LONGEST_QUOTE, Result, Status, plain, printable, quoted, shown, tell,
};
use crate::text::Encoding;
use crate::variant::{Kind, parse_rule};
use ahead::Batches;
use clap::ValueEnum;
use columns::BatchColumns;
use containers::KeyForm;
use html::Page;
use rayon::ThreadPool;
use read::{Batch, Source};
use report::{Counts, Progress};
use sigmill::Verdict;
use sigmill::bulk::{Engine, Scratch, Table};
use sigmill::ed25519::{Rule, rules};
use std::io::{self, Write};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Instant;
use write::Sink;

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

    /// The algorithm of rows for which no column says it [default: ed25519]
    #[arg(long = "alg", value_name = "ALG", value_enum)]
    given_alg: Option<Alg>,
    #[command(flatten)]
    ecdsa: EcdsaArgs,

    /// Ed25519: the verification rule. It says nothing of ECDSA [default: common]
    #[arg(long = "rule", value_name = "RULE", value_parser = parse_rule)]
    given_rule: Option<Rule>,
    /// Ed25519: which variant [default: pure]
    #[arg(long = "variant", value_name = "VARIANT", value_enum)]
    given_variant: Option<Kind>,
    /// Ed25519: the context, for ctx and ph
    #[arg(long = "context", value_name = "CONTEXT")]
    given_context: Option<String>,

    /// Name of the key column
    #[arg(long, value_name = "COLUMN", default_value = "key")]
    key: String,
    /// Name of the message column
    #[arg(long, value_name = "COLUMN", default_value = "msg")]
    msg: String,
    /// Name of the signature column
    #[arg(long, value_name = "COLUMN", default_value = "sig")]
    sig: String,
    /// Name of the column that holds the algorithm of each row
    #[arg(long, value_name = "COLUMN", default_value = "alg")]
    alg_column: String,
    /// Name of the column that holds the rule of each row
    #[arg(long, value_name = "COLUMN", default_value = "rule")]
    rule_column: String,
    /// Name of the column that holds the variant of each row
    #[arg(long, value_name = "COLUMN", default_value = "variant")]
    variant_column: String,
    /// Name of the column that holds the context of each row
    #[arg(long, value_name = "COLUMN", default_value = "context")]
    context_column: String,
    /// Do not look for columns with algorithm, rule, variant and context
    #[arg(long)]
    ignore_row_options: bool,
    /// Let such columns win where they contradict --alg, --rule, --variant or --context; else an error
    #[arg(long, conflicts_with = "ignore_row_options")]
    prefer_row_options: bool,

    /// How columns hold keys, messages and signatures; without it, binary ones as bytes, text ones in hex
    #[arg(long, value_enum)]
    encoding: Option<Encoding>,
    /// How the column holds keys, if not as --encoding says
    #[arg(long, value_enum)]
    key_encoding: Option<Encoding>,
    /// How the column holds messages, if not as --encoding says
    #[arg(long, value_enum)]
    msg_encoding: Option<Encoding>,
    /// How the column holds signatures, if not as --encoding says
    #[arg(long, value_enum)]
    sig_encoding: Option<Encoding>,
    /// How --context and the column hold contexts [default: raw]
    #[arg(long, value_enum)]
    context_encoding: Option<Encoding>,
    /// The form of the keys: by themselves, or in containers
    #[arg(long, value_enum, default_value = "raw")]
    key_form: KeyForm,
    /// The character between the cells of CSV, such as ';', or tab [default: a comma, of TSV a tab]
    #[arg(long = "delimiter", value_name = "CHARACTER", value_parser = parse_delimiter)]
    given_delimiter: Option<u8>,
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
    /// CSV and JSON lines: no record may be longer than this many bytes
    #[arg(long, value_name = "BYTES", default_value_t = 16 << 20)]
    max_record: u64,

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
    /// The algorithm of rows that name none.
    fn alg(&self) -> Alg {
        self.given_alg.unwrap_or_default()
    }

    /// The algorithm of all rows, where the options alone say it.
    fn only_alg(&self) -> Option<Alg> {
        match (self.given_alg, self.ignore_row_options) {
            (given, true) => Some(given.unwrap_or_default()),
            // a row may not contradict it
            (given, false) => given.filter(|_| !self.prefer_row_options),
        }
    }

    /// Refuses options that say nothing of any row, all of which are of one algorithm.
    fn refuse_foreign(&self, alg: Alg, said_by: &str) -> Result<()> {
        let ed25519 = [
            (self.given_rule.is_some(), "--rule"),
            (self.given_variant.is_some(), "--variant"),
            (self.given_context.is_some(), "--context"),
        ];
        let ed25519 = ed25519.into_iter().find(|(given, _)| *given).map(|(_, option)| option);
        alg.refuse_others(said_by, ed25519, self.ecdsa.given())
    }

    fn check_options(&self) -> Result<()> {
        if let Some(only) = self.only_alg() {
            let said_by = match self.given_alg {
                Some(_) => "--alg says",
                None => "without --alg all rows are of",
            };
            self.refuse_foreign(only, said_by)?;
        }
        if self.variant() == Kind::Pure && !self.context().is_empty() && !self.prefer_row_options {
            return Err(Failure::new("--context needs --variant ctx or ph"));
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

    /// The character between the cells of such a table.
    fn delimiter(&self, format: Format) -> u8 {
        let usual = if format == Format::Tsv { b'\t' } else { b',' };
        self.given_delimiter.unwrap_or(usual)
    }

    /// The rule of rows that name none.
    fn rule(&self) -> Rule {
        self.given_rule.unwrap_or(rules::COMMON)
    }

    /// The variant of rows that name none.
    fn variant(&self) -> Kind {
        self.given_variant.unwrap_or(Kind::Pure)
    }

    /// The context of rows that have none, as it was typed.
    fn context(&self) -> &str {
        self.given_context.as_deref().unwrap_or_default()
    }
}

/// A format of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Parquet (.parquet)
    Parquet,
    /// Arrow IPC file (.arrow, .feather, .ipc)
    Arrow,
    /// Arrow IPC stream (.arrows)
    ArrowStream,
    /// Comma-separated values with a header (.csv)
    Csv,
    /// Tab-separated values with a header (.tsv, .tab)
    Tsv,
    /// One JSON object a line (.jsonl, .ndjson, .json)
    Jsonl,
}

impl Format {
    /// The format that a file name tells.
    fn of(path: &Path) -> Option<Format> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        Some(match extension.as_str() {
            "parquet" | "pq" => Format::Parquet,
            "arrow" | "feather" | "ipc" => Format::Arrow,
            "arrows" => Format::ArrowStream,
            "csv" => Format::Csv,
            "tsv" | "tab" => Format::Tsv,
            "jsonl" | "ndjson" | "json" => Format::Jsonl,
            _ => return None,
        })
    }

    /// Its name for `--format`.
    fn option(self) -> &'static str {
        match self {
            Format::Parquet => "parquet",
            Format::Arrow => "arrow",
            Format::ArrowStream => "arrow-stream",
            Format::Csv => "csv",
            Format::Tsv => "tsv",
            Format::Jsonl => "jsonl",
        }
    }

    /// As a message calls it.
    fn title(self) -> &'static str {
        match self {
            Format::Parquet => "Parquet",
            Format::Arrow => "an Arrow IPC file",
            Format::ArrowStream => "an Arrow IPC stream",
            Format::Csv => "CSV",
            Format::Tsv => "TSV",
            Format::Jsonl => "JSON lines",
        }
    }
}

/// A character that may stand between the cells of CSV.
fn parse_delimiter(text: &str) -> std::result::Result<u8, String> {
    match text.as_bytes() {
        b"tab" | b"\\t" => Ok(b'\t'),
        [delimiter] if delimiter.is_ascii() && !matches!(delimiter, b'"' | b'\r' | b'\n' | 0) => {
            Ok(*delimiter)
        }
        _ => {
            Err("one character of ASCII, or `tab`, is needed; not a quote or a line end".to_owned())
        }
    }
}

/// What became of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Judged(Verdict),
    /// Something in the row is null.
    Null,
    /// The row names an algorithm, rule or variant that nobody knows.
    Unknown,
    /// The row has a context that is too long, or that its variant cannot have.
    Context,
    /// A cell cannot be read.
    Unreadable,
}

impl Outcome {
    fn verdict(self) -> &'static str {
        match self {
            Outcome::Judged(Verdict::Valid) => "valid",
            Outcome::Judged(Verdict::Invalid(_)) => "invalid",
            Outcome::Null | Outcome::Unknown | Outcome::Context | Outcome::Unreadable => "null",
        }
    }

    /// Why the row is not valid.
    fn reason(self) -> Option<&'static str> {
        match self {
            Outcome::Judged(Verdict::Valid) => None,
            Outcome::Judged(Verdict::Invalid(reason)) => Some(reason.name()),
            Outcome::Null => Some("null"),
            Outcome::Unknown => Some("unknown"),
            Outcome::Context => Some("context"),
            Outcome::Unreadable => Some("unreadable"),
        }
    }
}

/// A cell that cannot be used.
struct Problem {
    row: usize,
    column: String,
    what: String,
    /// What becomes of its row.
    outcome: Outcome,
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
    args.check_options()?;
    let pool = threads::pool(args)?;
    memory::limit(pool.current_num_threads());
    let engine = args.engine.engine()?;
    let mut total = Counts::new(engine.backend());
    let mut failures = 0;
    for path in &args.tables {
        let start = Instant::now();
        let mut counts = Counts::new(engine.backend());
        memory::set_name(shown(path));
        match check_table(args, path, (&pool, &engine), &mut counts) {
            Ok(()) => report::print(args, Some(path), &counts, start.elapsed())?,
            Err(failure) if failure.is_quiet() => return Err(failure),
            Err(failure) => {
                // the other tables are still checked, and an invalid row stays one
                tell(format_args!("sigmill: {failure}"));
                failures += 1;
            }
        }
        total.add(&counts);
    }
    if args.tables.len() > 1 {
        report::print(args, None, &total, total.seconds())?;
    }
    Ok(total.status(args.allow_null, failures > 0))
}

fn check_table(
    args: &Args,
    path: &Path,
    engine: (&ThreadPool, &Engine),
    counts: &mut Counts,
) -> Result<()> {
    let start = Instant::now();
    let source = Source::open(args, path)?;
    let mut sink = match &args.output {
        Some(output) => Some(Sink::create(args, output, path, &source)?),
        None => None,
    };
    let mut page = match &args.report {
        Some(report) => Some(Page::create(args, report, path, engine)?),
        None => None,
    };
    let progress = Progress::new(args, path, source.rows());
    let mut stdout = io::stdout().lock();
    let mut batches = Batches::of(source, path, engine.0.current_num_threads() > 1);
    let mut scratch = Vec::new();
    while let Some(mut batch) = batches.next_batch()? {
        let engine = (engine.0, engine.1, &mut scratch);
        let outcomes = check_batch(args, path, &mut batch, engine, counts, page.as_mut())?;
        progress.at(counts.rows());
        if args.jsonl {
            print_lines(&mut stdout, batch.first_row, &outcomes)
                .map_err(|e| Failure::stdout(&e))?;
        }
        if let Some(sink) = &mut sink {
            sink.write(&batch, &outcomes)?;
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

/// The outcomes of one batch. The scratch memory serves one after the other.
fn check_batch(
    args: &Args,
    path: &Path,
    batch: &mut Batch,
    (pool, engine, scratch): (&ThreadPool, &Engine, &mut Vec<Scratch>),
    counts: &mut Counts,
    page: Option<&mut Page<'_>>,
) -> Result<Vec<Outcome>> {
    let mut problems = mem::take(&mut batch.problems);
    let rows = BatchColumns::read(args, path, &batch.table, batch.first_row, &mut problems)?;
    let values = rows.values(path)?;
    let columns = rows.columns(path, &values)?;
    let [keys, messages, signatures] = columns;
    let specs = rows.specs();
    let specs_of_rows = rows.of_rows(&specs);
    let mut verdicts = vec![None; keys.len()];
    let report = Table::new(keys, messages, signatures, specs_of_rows)
        .and_then(|table| {
            pool.install(|| {
                let len = engine.parallel_scratch_len(table.len(), &specs_of_rows);
                scratch.resize(len.max(scratch.len()), Scratch::new());
                engine.verify_parallel_into(&table, &mut verdicts, scratch)
            })
        })
        .map_err(|error| Failure::at(path, error))?;
    counts.report.add(&report);
    let mut outcomes: Vec<Outcome> =
        verdicts.into_iter().map(|v| v.map_or(Outcome::Null, Outcome::Judged)).collect();
    // a row with a null is null, whatever else is wrong with it; an unreadable cell is a null in its column
    let has_null = |row| columns.iter().any(|column| column.get(row).is_none());
    for Problem { row, column, what, outcome } in &problems {
        let hidden = *outcome != Outcome::Unreadable && has_null(*row);
        if outcomes[*row] != Outcome::Unreadable && !hidden {
            outcomes[*row] = *outcome;
        }
        if counts.described < DESCRIBED_PROBLEMS {
            counts.described += 1;
            let number = batch.first_row + *row as u64;
            let (column, what) = (quoted(column), printable(what, LONGEST_QUOTE));
            tell(format_args!("sigmill: {}: row {number}, column {column}: {what}", shown(path)));
        }
    }
    counts.count(&outcomes, rows.curves());
    if let Some(page) = page {
        page.add(batch.first_row, columns, specs_of_rows, &outcomes)
            .map_err(|error| Failure::at(path, error))?;
    }
    if outcomes.iter().any(|outcome| outcome.verdict() == "invalid") {
        memory::set_invalid();
    }
    Ok(outcomes)
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

/// An error of reading a table.
fn unreadable(path: &Path, error: &io::Error) -> Failure {
    Failure::at(path, plain(error))
}

/// Runs a decoder or encoder. A panic inside it is a failure that says `gave_up`.
fn guarded<T>(
    path: &Path,
    gave_up: &str,
    work: impl FnOnce() -> std::result::Result<T, String>,
) -> Result<T> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result.map_err(|what| Failure::at(path, what)),
        Err(_) => Err(Failure::at(path, gave_up)),
    }
}

/// What a decoder says, without the name of its kind of error.
fn say(error: impl std::fmt::Display) -> String {
    let text = error.to_string();
    let text = ["Parquet argument error: ", "Parquet error: ", "External: ", "Io error: "]
        .iter()
        .fold(text.as_str(), |text, prefix| text.strip_prefix(prefix).unwrap_or(text));
    printable(text, LONGEST_QUOTE)
}

/// Whether there is so much memory: a decoder that asks and is refused ends the process.
fn check_memory(bytes: u64) -> std::result::Result<(), String> {
    match usize::try_from(bytes).is_ok_and(memory::has_room) {
        true => Ok(()),
        false => Err("is too large for the memory".to_owned()),
    }
}
