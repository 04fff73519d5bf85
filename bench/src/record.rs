//! The record: JSON lines, a header first. It is written under a temporary name and renamed last,
//! so that there is never half a record.

use crate::args::Args;
use crate::clock;
use crate::cpu::{Cpu, Instructions};
use crate::engines::Entrant;
use crate::ops::Lengths;
use crate::positions::Spread;
use crate::programs::{commit, output};
use crate::results::{Counted, Measured, Subject};
use serde_json::{Map, Value, json};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/record");
/// Engines run on one thread, but for operations whose lines say otherwise.
const THREADS: u32 = 1;

/// A record that is about to be written.
pub(crate) struct Record {
    file: File,
    temporary: PathBuf,
    path: PathBuf,
}

impl Record {
    /// Makes sure that the record can be written, before anything is measured.
    pub(crate) fn create(path: &Path) -> Result<Record, String> {
        if path.is_dir() {
            return Err(format!("cannot write {}: it is a folder", path.display()));
        }
        let mut temporary = path.as_os_str().to_owned();
        temporary.push(".tmp");
        let file = File::create(&temporary)
            .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        Ok(Record { file, temporary: temporary.into(), path: path.to_owned() })
    }

    /// Writes the lines and gives the file its name.
    pub(crate) fn finish(mut self, lines: &[Value]) -> Result<(), String> {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        self.file
            .write_all(text.as_bytes())
            .and_then(|()| self.file.sync_all())
            .and_then(|()| fs::rename(&self.temporary, &self.path))
            .map_err(|error| format!("cannot write {}: {error}", self.path.display()))
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        // After a success it has another name; after a failure nobody needs it.
        let _ = fs::remove_file(&self.temporary);
    }
}

/// A name that no record has yet. If instructions are hidden, it ends with the class that is left.
pub(crate) fn default_path(instructions: &Instructions) -> PathBuf {
    let (date, commit) = (output("date", &["-u", "+%F"]), commit());
    let class = match &instructions.hidden[..] {
        [] => String::new(),
        _ => format!(".{}", instructions.class().unwrap_or("other")),
    };
    let name = |i: usize| match i {
        1 => format!("{date}-{commit}{class}.jsonl"),
        _ => format!("{date}-{commit}-{i}{class}.jsonl"),
    };
    let mut paths = (1..).map(|i| Path::new(FOLDER).join(name(i)));
    paths.find(|path| !path.exists()).expect("numbers do not end")
}

/// The first line: on what, of what and when.
pub(crate) fn header(entrants: &[Entrant], instructions: &Instructions, args: &Args) -> Value {
    let mut engines = Map::new();
    let mut missing = Map::new();
    for entrant in entrants {
        match &entrant.engine {
            Ok(engine) => {
                let about = json!({
                    "version": engine.version.as_str(),
                    "backend": engine.backend.as_str(),
                    "compiler": engine.compiler.as_str(),
                    "flags": engine.flags.as_str(),
                });
                engines.insert(entrant.name.into(), about);
            }
            Err(reason) => {
                missing.insert(entrant.name.into(), json!(reason));
            }
        }
    }
    let cpu = Cpu::this();
    let mut header = json!({
        "cpu": cpu.name(),
        "cpu_id": cpu.about(),
        "instructions": instructions.about(),
        "tsc_hz": clock::frequency().round(),
        "tsc_hz_how": clock::frequency_how(),
        "profile": profile(),
        "commit": commit(),
        "date": output("date", &["-u", "+%FT%TZ"]),
        "os": output("uname", &["-sr"]),
        "seconds": args.counter.is_none().then_some(args.seconds),
        "tries": (args.positions.is_none() && args.counter.is_none()).then_some(args.tries),
        "seed": args.seed,
        "threads": THREADS,
        "engines": engines,
        "not_available": missing,
    });
    if let Some(positions) = args.positions {
        header["positions"] = json!(positions.count);
    }
    if let Some(emulator) = &args.emulator {
        header["counted_by"] = json!(emulator);
    }
    header
}

/// The line of one engine, operation and size.
pub(crate) fn line(measured: &Measured) -> Value {
    let mut line = subject(&measured.subject);
    line["ns_min"] = tenths(measured.ns_min);
    line["ns_median"] = tenths(measured.ns_median);
    line["tsc_min"] = tenths(measured.tsc_min);
    line["slots"] = json!(measured.slots);
    line["tries"] = json!(measured.tries);
    if measured.is_disturbed {
        line["disturbed"] = json!(true);
    }
    if let Some(pattern) = measured.subject.pattern {
        line["pattern"] = json!(pattern);
    }
    if let Some(samples) = &measured.ns_samples {
        line["ns_samples"] = samples.iter().copied().map(tenths).collect();
    }
    line
}

/// The instructions of one engine, operation and size.
pub(crate) fn count_line(counted: &Counted) -> Value {
    let mut line = subject(&counted.subject);
    line["instructions"] = json!(counted.instructions.round());
    line["slots"] = json!(counted.slots);
    if let Some(pattern) = counted.subject.pattern {
        line["pattern"] = json!(pattern);
    }
    line
}

/// The same at positions of the stack.
pub(crate) fn spread_line(spread: &Spread) -> Value {
    let ((best, best_position), (worst, worst_position)) = (spread.best(), spread.worst());
    let mut line = subject(&spread.subject);
    line["ns_best"] = tenths(best);
    line["best_position"] = json!(best_position);
    line["ns_worst"] = tenths(worst);
    line["worst_position"] = json!(worst_position);
    line["ratio"] = json!((spread.ratio() * 1000.0).round() / 1000.0);
    line["slots"] = json!(spread.slots);
    if let Some(pattern) = spread.subject.pattern {
        line["pattern"] = json!(pattern);
    }
    line["ns_positions"] = spread.ns.iter().copied().map(tenths).collect();
    line
}

/// A line without times.
fn subject(subject: &Subject) -> Value {
    let rule = Some(subject.rule).filter(|rule| !rule.is_empty());
    let msg_len = match subject.lengths {
        Lengths::Fixed(length) => json!(length),
        Lengths::Between(from, to) => json!(format!("{from}..{to}")),
    };
    json!({
        "engine": subject.engine,
        "backend": subject.backend,
        "rule": rule,
        "op": subject.op,
        "n": subject.n,
        "msg_len": msg_len,
        "threads": subject.threads,
    })
}

fn tenths(value: f64) -> Value {
    json!((value * 10.0).round() / 10.0)
}

/// The profile that all builds share, as the manifest has it.
fn profile() -> String {
    let manifest = include_str!("../Cargo.toml");
    let section = manifest.split("[profile.release]").nth(1).unwrap_or_default();
    section.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(", ")
}
