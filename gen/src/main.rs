//! Makes the files that are generated and checked in.
//!
//! `gen vectors` writes `vectors/`, `gen tables` writes the precomputed points of the library. With
//! `--check` nothing is written: the program fails at the first byte that differs.

#[path = "../../sigmill/tests/reference/mod.rs"]
mod reference;
mod tables;
mod vectors;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A file to write, relative to the repository, and what is in it.
type File<Contents = String> = (&'static str, Contents);

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("gen: {message}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (what, check) = match words[..] {
        [what] => (what, false),
        [what, "--check"] => (what, true),
        _ => return Err("usage: gen vectors|tables [--check]".to_owned()),
    };
    let files = match what {
        "vectors" => {
            vectors::files()?.into_iter().map(|(name, text)| (name, text.into_bytes())).collect()
        }
        "tables" => tables::files(),
        _ => return Err(format!("unknown target `{what}`; known: vectors tables")),
    };
    for (name, bytes) in files {
        let path = root().join(name);
        if check {
            compare(&path, name, &bytes)?;
            println!("{name}: as generated");
        } else {
            fs::write(&path, &bytes).map_err(|error| format!("{name}: {error}"))?;
            println!("{name}: {} bytes", bytes.len());
        }
    }
    Ok(())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn compare(path: &Path, name: &str, made: &[u8]) -> Result<(), String> {
    let found = fs::read(path).map_err(|error| format!("{name}: {error}"))?;
    if found == made {
        return Ok(());
    }
    let end = found.len().min(made.len());
    let at = found.iter().zip(made).position(|(found, made)| found != made).unwrap_or(end);
    let line = 1 + made[..at].iter().filter(|byte| **byte == b'\n').count();
    Err(format!("{name}: byte {at} (line {line} of a text) is not as generated"))
}
