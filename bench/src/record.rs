//! The record: JSON lines, a header first. It is written under a temporary name and renamed last,
//! so that there is never half a record.

use crate::args::Args;
use crate::clock::{CALIBRATION, tsc_frequency};
use crate::cpu::{Cpu, Instructions};
use crate::engines::Entrant;
use crate::measure::Measured;
use crate::ops::Lengths;
use serde_json::{Map, Value, json};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

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

/// A name that no record has yet. Where something is hidden, what the CPU is then stands at its end.
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
    let millis = CALIBRATION.as_millis();
    let cpu = Cpu::this();
    json!({
        "cpu": cpu.name(),
        "cpu_id": cpu.about(),
        "instructions": instructions.about(),
        "tsc_hz": tsc_frequency().round(),
        "tsc_hz_how": format!("rdtsc and rdtscp with lfence, against CLOCK_MONOTONIC over {millis} ms"),
        "profile": profile(),
        "commit": commit(),
        "date": output("date", &["-u", "+%FT%TZ"]),
        "os": output("uname", &["-sr"]),
        "seconds": args.seconds,
        "tries": args.tries,
        "seed": args.seed,
        "threads": THREADS,
        "engines": engines,
        "not_available": missing,
    })
}

/// The line of one engine, operation and size.
pub(crate) fn line(measured: &Measured) -> Value {
    let rule = Some(measured.rule).filter(|rule| !rule.is_empty());
    let msg_len = match measured.lengths {
        Lengths::Fixed(length) => json!(length),
        Lengths::Between(from, to) => json!(format!("{from}..{to}")),
    };
    let tenths = |value: f64| (value * 10.0).round() / 10.0;
    let mut line = json!({
        "engine": measured.engine,
        "backend": measured.backend,
        "rule": rule,
        "op": measured.op,
        "n": measured.n,
        "msg_len": msg_len,
        "threads": measured.threads,
        "ns_min": tenths(measured.ns_min),
        "ns_median": tenths(measured.ns_median),
        "tsc_min": tenths(measured.tsc_min),
        "slots": measured.slots,
        "tries": measured.tries,
    });
    if measured.is_disturbed {
        line["disturbed"] = json!(true);
    }
    if let Some(pattern) = measured.pattern {
        line["pattern"] = json!(pattern);
    }
    if let Some(samples) = &measured.ns_samples {
        line["ns_samples"] = samples.iter().map(|sample| tenths(*sample)).collect();
    }
    line
}

/// The profile that all builds share, as the manifest has it.
fn profile() -> String {
    let manifest = include_str!("../Cargo.toml");
    let section = manifest.split("[profile.release]").nth(1).unwrap_or_default();
    section.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(", ")
}

fn commit() -> String {
    let folder = env!("CARGO_MANIFEST_DIR");
    output("git", &["-C", folder, "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"])
}

fn output(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    text.ok().filter(|text| !text.is_empty()).unwrap_or_else(|| "unknown".into())
}
