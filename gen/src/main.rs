//! Makes the files that are generated and checked in.
//!
//! `gen vectors` writes `vectors/`, `gen tables` writes the precomputed points of the library. With
//! `--check` nothing is written: the program fails at the first line that differs.

#[path = "../../sigmill/tests/reference/mod.rs"]
mod reference;
mod tables;
mod vectors;
mod weierstrass_tables;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A file to write, relative to the repository, and its text.
type File = (&'static str, String);

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
        "vectors" => vectors::files()?,
        "tables" => [tables::files(), weierstrass_tables::files()].concat(),
        _ => return Err(format!("unknown target `{what}`; known: vectors tables")),
    };
    for (name, text) in files {
        let path = root().join(name);
        if check {
            compare(&path, name, &text)?;
            println!("{name}: as generated");
        } else {
            fs::write(&path, &text).map_err(|error| format!("{name}: {error}"))?;
            println!("{name}: {} lines", text.lines().count());
        }
    }
    Ok(())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn compare(path: &Path, name: &str, text: &str) -> Result<(), String> {
    let found = fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?;
    if found == text {
        return Ok(());
    }
    // split, unlike lines, sees a carriage return and a missing end of the last line
    let (found, made) = (found.split('\n'), text.split('\n'));
    let end = found.clone().count().min(made.clone().count());
    let line = found.zip(made).position(|(found, made)| found != made).unwrap_or(end);
    Err(format!("{name}: line {} is not as generated", line + 1))
}
