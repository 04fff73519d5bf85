//! The record: JSON lines, a header first, named by date and commit.

use crate::Line;
use crate::programs::{commit, output};
use serde_json::{Map, Value, json};
use std::error::Error;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The crates behind each provider.
const CRATES: [(&str, &[&str]); 4] = [
    ("sigmill", &["sigmill", "ring"]),
    ("ring", &["ring"]),
    ("aws-lc-rs", &["aws-lc-rs", "aws-lc-sys"]),
    ("graviola", &["graviola", "rustls-graviola"]),
];

/// A record that is about to be written, under a temporary name.
pub(crate) struct Record {
    file: File,
    temporary: PathBuf,
    path: PathBuf,
}

impl Record {
    /// Makes sure that the record can be written, before anything is measured.
    pub(crate) fn create(folder: &Path) -> Result<Record, Box<dyn Error>> {
        let name = format!("{}-{}.tls.jsonl", output("date", &["-u", "+%F"]), commit());
        let path = folder.join(name);
        let temporary = path.with_extension("jsonl.tmp");
        let file = File::create(&temporary)
            .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        Ok(Record { file, temporary, path })
    }

    /// Writes the lines and gives the file its name.
    pub(crate) fn finish(
        mut self,
        seconds: f64,
        lines: &[Line],
    ) -> Result<PathBuf, Box<dyn Error>> {
        writeln!(self.file, "{}", header(seconds))?;
        for line in lines {
            writeln!(self.file, "{}", value(line))?;
        }
        self.file.sync_all()?;
        fs::rename(&self.temporary, &self.path)?;
        Ok(self.path.clone())
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        // After a success it has another name; after a failure nobody needs it.
        let _ = fs::remove_file(&self.temporary);
    }
}

/// On what, of what and when.
fn header(seconds: f64) -> Value {
    let engines: Map<String, Value> = CRATES
        .iter()
        .map(|(name, crates)| ((*name).into(), json!({ "version": versions(crates) })))
        .collect();
    let used: Vec<&str> = sigmill::cpu::Feature::ALL
        .into_iter()
        .filter(|feature| sigmill::cpu::has(*feature))
        .map(|feature| feature.name())
        .collect();
    json!({
        "cpu": cpu("model name"),
        "cpu_id": {
            "vendor": cpu("vendor_id"),
            "family": number(&cpu("cpu family")),
            "model": number(&cpu("model")),
            "stepping": number(&cpu("stepping")),
        },
        "sigmill_uses": used,
        "compiler": output("rustc", &["--version"]),
        "profile": profile(),
        "commit": commit(),
        "date": output("date", &["-u", "+%FT%TZ"]),
        "os": output("uname", &["-sr"]),
        "seconds": seconds,
        "threads": 1,
        "rustls": versions(&["rustls"]),
        "engines": engines,
    })
}

fn value(line: &Line) -> Value {
    let tenths = |micros: f64| (micros * 10_000.0).round() / 10.0;
    let mut value = json!({
        "engine": line.provider,
        "op": line.row,
        "end": line.end,
        "ns_min": tenths(line.least),
        "ns_median": tenths(line.median),
        "handshakes": line.handshakes,
    });
    if line.is_disturbed() {
        value["disturbed"] = json!(true);
    }
    value
}

/// Crates with their versions in the lock file; of several the newest, which stands last.
fn versions(crates: &[&str]) -> String {
    let version = |name| {
        let package = format!("name = \"{name}\"\nversion = \"");
        let (_, rest) = include_str!("../../Cargo.lock").rsplit_once(&package)?;
        rest.split('"').next()
    };
    let texts = crates.iter().map(|name| format!("{name} {}", version(name).unwrap_or("unknown")));
    texts.collect::<Vec<_>>().join(", ")
}

/// The profile, as the manifest of the workspace has it.
fn profile() -> String {
    let Some(section) = include_str!("../../Cargo.toml").split("[profile.release]").nth(1) else {
        return "release, as cargo has it".into();
    };
    let lines = section.lines().skip(1).map(str::trim);
    lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(", ")
}

/// The CPU, as Linux describes it.
fn cpu(wanted: &str) -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let fields = text.lines().filter_map(|line| line.split_once(':'));
    let value =
        fields.filter(|(name, _)| name.trim() == wanted).map(|(_, value)| value.trim()).next();
    value.unwrap_or("unknown").to_owned()
}

fn number(text: &str) -> Value {
    text.parse::<u32>().map_or(Value::Null, Value::from)
}
