//! Counting outcomes, and telling people: progress while it runs, a summary at the end.
//!
//! Reach: own `mod`.

use super::{Args, Outcome};
use crate::status::{Failure, Result, Status, shown};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Map, Value, json};
use sigmill::Verdict;
use sigmill::bulk::{self, Backend};
use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::time::Duration;

/// How many rows had which outcome.
pub(super) struct Counts {
    valid: u64,
    invalid: BTreeMap<u8, (&'static str, u64)>,
    null: u64,
    unknown: u64,
    unreadable: u64,
    time: Duration,
    /// Unreadable cells that have been described.
    pub(super) described: u64,
    backend: Backend,
    /// How many rows each strategy has verified.
    pub(super) report: bulk::Report,
}

impl Counts {
    pub(super) fn new(backend: Backend) -> Self {
        Counts {
            valid: 0,
            invalid: BTreeMap::new(),
            null: 0,
            unknown: 0,
            unreadable: 0,
            time: Duration::ZERO,
            described: 0,
            backend,
            report: bulk::Report::default(),
        }
    }

    pub(super) fn count(&mut self, outcomes: &[Outcome]) {
        for outcome in outcomes {
            match outcome {
                Outcome::Judged(Verdict::Valid) => self.valid += 1,
                Outcome::Judged(Verdict::Invalid(reason)) => {
                    self.invalid.entry(reason.code()).or_insert((reason.name(), 0)).1 += 1;
                }
                Outcome::Null => self.null += 1,
                Outcome::Unknown => self.unknown += 1,
                Outcome::Unreadable => self.unreadable += 1,
            }
        }
    }

    pub(super) fn add(&mut self, other: &Counts) {
        self.valid += other.valid;
        self.null += other.null;
        self.unknown += other.unknown;
        self.unreadable += other.unreadable;
        self.time += other.time;
        self.report.add(&other.report);
        for (code, (name, count)) in &other.invalid {
            self.invalid.entry(*code).or_insert((name, 0)).1 += count;
        }
    }

    pub(super) fn take_time(&mut self, time: Duration) {
        self.time = time;
    }

    pub(super) fn seconds(&self) -> Duration {
        self.time
    }

    fn invalid(&self) -> u64 {
        self.invalid.values().map(|(_, count)| count).sum()
    }

    pub(super) fn rows(&self) -> u64 {
        self.valid + self.invalid() + self.null + self.unknown + self.unreadable
    }

    pub(super) fn status(&self, allow_null: bool, failed: bool) -> Status {
        if self.invalid() > 0 {
            Status::SomeInvalid
        } else if failed || self.unreadable > 0 || (!allow_null && self.null + self.unknown > 0) {
            Status::NotChecked
        } else {
            Status::AllValid
        }
    }
}

/// A bar with rows per second and time left, on a terminal.
pub(super) struct Progress(ProgressBar);

impl Progress {
    pub(super) fn new(args: &Args, path: &Path, rows: Option<u64>) -> Self {
        if args.quiet || !io::stderr().is_terminal() {
            return Progress(ProgressBar::hidden());
        }
        let (bar, template) = match rows {
            Some(rows) => {
                (ProgressBar::new(rows), "{msg} {wide_bar} {pos}/{len} rows, {per_sec}, {eta} left")
            }
            None => (ProgressBar::no_length(), "{msg} {spinner} {pos} rows, {per_sec}"),
        };
        bar.set_draw_target(ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(shown(path));
        Progress(bar)
    }

    pub(super) fn at(&self, rows: u64) {
        self.0.set_position(rows);
    }

    pub(super) fn finish(&self) {
        self.0.finish_and_clear();
    }
}

/// Prints the summary of a table, or of all of them.
pub(super) fn print(
    args: &Args,
    path: Option<&Path>,
    counts: &Counts,
    time: Duration,
) -> Result<()> {
    if args.quiet {
        return Ok(());
    }
    let name = path.map_or("all tables".to_owned(), shown);
    let text = if args.json {
        as_json(args, &name, counts, time)
    } else {
        as_text(args, &name, counts, time)
    };
    if args.jsonl {
        eprint!("{text}");
        return Ok(());
    }
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(|e| Failure::stdout(&e))
}

fn rate(counts: &Counts, time: Duration) -> u64 {
    (counts.rows() as f64 / time.as_secs_f64().max(1e-9)) as u64
}

/// Where the rule comes from.
fn rule(args: &Args) -> String {
    let otherwise = if args.ignore_row_options { "" } else { " (where the table names no other)" };
    format!("{}{otherwise}", args.rule())
}

fn as_text(args: &Args, name: &str, counts: &Counts, time: Duration) -> String {
    let mut text = format!(
        "{name}: {} rows, {} valid, {} invalid, {} null, {} unknown, {} unreadable\n",
        counts.rows(),
        counts.valid,
        counts.invalid(),
        counts.null,
        counts.unknown,
        counts.unreadable
    );
    for (reason, count) in counts.invalid.values() {
        text += &format!("  {count:>10} {reason}\n");
    }
    let (seconds, rate) = (time.as_secs_f64(), rate(counts, time));
    let bulk::Report { combined, lanes, single } = counts.report;
    text += &format!(
        "  backend {}: {combined} combined, {lanes} in lanes, {single} single\n",
        counts.backend
    );
    text + &format!("  rule {}; {seconds:.2} s, {rate} rows/s\n", rule(args))
}

fn as_json(args: &Args, name: &str, counts: &Counts, time: Duration) -> String {
    let reasons: Map<String, Value> =
        counts.invalid.values().map(|(name, count)| ((*name).to_owned(), json!(count))).collect();
    let object = json!({
        "table": name,
        "rule": args.rule().name(),
        "rows": counts.rows(),
        "valid": counts.valid,
        "invalid": counts.invalid(),
        "reasons": reasons,
        "null": counts.null,
        "unknown": counts.unknown,
        "unreadable": counts.unreadable,
        "backend": counts.backend.name(),
        "combined": counts.report.combined,
        "lanes": counts.report.lanes,
        "single": counts.report.single,
        "seconds": time.as_secs_f64(),
        "rows_per_second": rate(counts, time),
    });
    format!("{object}\n")
}
