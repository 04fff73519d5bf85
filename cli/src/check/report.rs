//! Counting outcomes, and telling people: progress while it runs, a summary at the end.

use super::options::{ColumnNames, RowOptions};
use super::outcome::Outcome;
use super::specs::Curves;
use crate::alg::Alg;
use crate::status::{Failure, Result, Status, shown, tell};
use crate::streams;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Map, Value, json};
use sigmill::Verdict;
use sigmill::bulk::{self, Backend};
use sigmill::ecdsa::{Curve, LowS};
use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};
use std::iter;
use std::path::Path;
use std::time::Duration;

const CURVES: usize = Curve::ALL.len();

/// How many rows had which outcome.
pub(super) struct Counts {
    valid: u64,
    invalid: BTreeMap<u8, (&'static str, u64)>,
    null: u64,
    unknown: u64,
    context: u64,
    unreadable: u64,
    /// Rows with a verdict of ECDSA on each curve; the others with one are of Ed25519.
    ecdsa: [u64; CURVES],
    /// Invalid rows whose envelope was refused: they have no algorithm.
    refused: u64,
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
            context: 0,
            unreadable: 0,
            ecdsa: [0; CURVES],
            refused: 0,
            time: Duration::ZERO,
            described: 0,
            backend,
            report: bulk::Report::default(),
        }
    }

    pub(super) fn count(&mut self, outcomes: &[Outcome], curves: &Curves) {
        for (row, outcome) in outcomes.iter().enumerate() {
            if let (Outcome::Judged(_), Some(of_row)) = (outcome, curves.of(row)) {
                for (curve, count) in Curve::ALL.iter().zip(&mut self.ecdsa) {
                    *count += u64::from(*curve == of_row);
                }
            }
            match outcome {
                Outcome::Judged(Verdict::Valid) => self.valid += 1,
                Outcome::Judged(Verdict::Invalid(reason)) => {
                    self.invalid.entry(reason.code()).or_insert((reason.name(), 0)).1 += 1;
                }
                Outcome::Refused(refusal) => {
                    self.refused += 1;
                    self.invalid.entry(refusal.code()).or_insert((refusal.name(), 0)).1 += 1;
                }
                Outcome::Null => self.null += 1,
                Outcome::Unknown => self.unknown += 1,
                Outcome::Context => self.context += 1,
                Outcome::Unreadable => self.unreadable += 1,
            }
        }
    }

    pub(super) fn add(&mut self, other: &Counts) {
        self.valid += other.valid;
        self.null += other.null;
        self.unknown += other.unknown;
        self.context += other.context;
        self.unreadable += other.unreadable;
        self.refused += other.refused;
        for (count, others) in self.ecdsa.iter_mut().zip(&other.ecdsa) {
            *count += others;
        }
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
        self.valid + self.invalid() + self.null + self.unknown + self.context + self.unreadable
    }

    /// Rows with a verdict of Ed25519.
    fn ed25519(&self) -> u64 {
        self.valid + self.invalid() - self.refused - self.ecdsa.iter().sum::<u64>()
    }

    /// Rows with a verdict of each algorithm.
    fn by_algorithm(&self) -> impl Iterator<Item = (Alg, u64)> {
        let ecdsa = Curve::ALL.map(Alg::of_curve).into_iter().zip(self.ecdsa);
        iter::once((Alg::ED25519, self.ed25519())).chain(ecdsa)
    }

    pub(super) fn status(&self, allow_null: bool, failed: bool) -> Status {
        if self.invalid() > 0 {
            Status::SomeInvalid
        } else if failed
            || self.unreadable + self.context > 0
            || (!allow_null && self.null + self.unknown > 0)
        {
            Status::NotChecked
        } else {
            Status::AllValid
        }
    }
}

/// A bar with rows per second and time left, on a terminal.
pub(super) struct Progress(ProgressBar);

impl Progress {
    pub(super) fn new(is_wanted: bool, path: &Path, rows: Option<u64>) -> Self {
        if !is_wanted || !io::stderr().is_terminal() {
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

/// The options of a summary.
pub(super) struct Summary<'a> {
    pub(super) names: &'a ColumnNames,
    pub(super) rows: &'a RowOptions,
    pub(super) is_json: bool,
    /// Standard output has something else; the summary goes to standard error.
    pub(super) to_stderr: bool,
}

/// Prints the summary of a table, or of all of them.
pub(super) fn print(
    summary: &Summary<'_>,
    path: Option<&Path>,
    counts: &Counts,
    time: Duration,
) -> Result<()> {
    let name = path.map_or("all tables".to_owned(), shown);
    let text = if summary.is_json {
        as_json(summary, &name, counts, time)
    } else {
        as_text(summary, &name, counts, time)
    };
    if summary.to_stderr {
        tell(format_args!("{}", text.trim_end_matches('\n')));
        return Ok(());
    }
    streams::check_stdout()?;
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(|e| Failure::stdout(&e))
}

fn rate(counts: &Counts, time: Duration) -> u64 {
    (counts.rows() as f64 / time.as_secs_f64().max(1e-9)) as u64
}

/// The rule and schemes of the rows: the rule of those of Ed25519 and where it comes from, and the schemes
/// of ECDSA that occurred.
fn schemes(summary: &Summary<'_>, counts: &Counts) -> String {
    let mut schemes = Vec::new();
    let only = summary.rows.only_alg(summary.names).and_then(Alg::curve);
    if counts.ed25519() > 0 || (counts.ecdsa == [0; CURVES] && only.is_none()) {
        let otherwise =
            if summary.names.ignore_row_options { "" } else { " (where the table names no other)" };
        schemes.push(format!("rule {}{otherwise}", summary.rows.rule()));
    }
    for (curve, rows) in Curve::ALL.into_iter().zip(counts.ecdsa) {
        if rows > 0 || only == Some(curve) {
            schemes.push(summary.rows.ecdsa.scheme(curve).to_string());
        }
    }
    schemes.join("; ")
}

fn as_text(summary: &Summary<'_>, name: &str, counts: &Counts, time: Duration) -> String {
    let mut text = format!(
        "{name}: {} rows, {} valid, {} invalid, {} null, {} unknown, {} unreadable\n",
        counts.rows(),
        counts.valid,
        counts.invalid(),
        counts.null,
        counts.unknown,
        counts.unreadable
    );
    if counts.context > 0 {
        text += &format!("  {:>10} with a context that cannot be\n", counts.context);
    }
    for (reason, count) in counts.invalid.values() {
        text += &format!("  {count:>10} {reason}\n");
    }
    let (seconds, rate) = (time.as_secs_f64(), rate(counts, time));
    let bulk::Report { combined, lanes, single } = counts.report;
    text += &format!(
        "  backend {}: {combined} combined, {lanes} in lanes, {single} single\n",
        counts.backend
    );
    if counts.ecdsa != [0; CURVES] {
        let rows: Vec<String> =
            counts.by_algorithm().map(|(alg, rows)| format!("{rows} {alg}")).collect();
        text += &format!("  {}\n", rows.join(", "));
    }
    let schemes = schemes(summary, counts);
    text + &format!("  {schemes}; {seconds:.2} s, {rate} rows/s\n")
}

fn as_json(summary: &Summary<'_>, name: &str, counts: &Counts, time: Duration) -> String {
    let reasons: Map<String, Value> =
        counts.invalid.values().map(|(name, count)| ((*name).to_owned(), json!(count))).collect();
    let algorithms: Map<String, Value> =
        counts.by_algorithm().map(|(alg, rows)| (alg.name().to_owned(), json!(rows))).collect();
    let is_ed25519 = summary.rows.only_alg(summary.names).is_none_or(|alg| alg == Alg::ED25519);
    let scheme = |curve: Curve| {
        let scheme = summary.rows.ecdsa.scheme(curve);
        json!({
            "hash": scheme.hash.name(),
            "sig_format": scheme.format.name(),
            "low_s": scheme.low_s == LowS::Required,
        })
    };
    let mut object = json!({
        "table": name,
        "rule": is_ed25519.then(|| summary.rows.rule().name()),
    });
    for curve in Curve::ALL {
        object[Alg::of_curve(curve).name()] = scheme(curve);
    }
    for (name, value) in [
        ("algorithms", json!(algorithms)),
        ("rows", json!(counts.rows())),
        ("valid", json!(counts.valid)),
        ("invalid", json!(counts.invalid())),
        ("reasons", json!(reasons)),
        ("null", json!(counts.null)),
        ("unknown", json!(counts.unknown)),
        ("context", json!(counts.context)),
        ("unreadable", json!(counts.unreadable)),
        ("backend", json!(counts.backend.name())),
        ("combined", json!(counts.report.combined)),
        ("lanes", json!(counts.report.lanes)),
        ("single", json!(counts.report.single)),
        ("seconds", json!(time.as_secs_f64())),
        ("rows_per_second", json!(rate(counts, time))),
    ] {
        object[name] = value;
    }
    format!("{object}\n")
}
