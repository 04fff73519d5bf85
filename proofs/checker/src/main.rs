//! `check FILE…`: checks certificates. A folder stands for its files `*.cert`.

#![forbid(unsafe_code)]

use std::fs::{self, File};
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    if arguments.is_empty() {
        report("usage: check FILE…    a folder stands for its files *.cert");
        return ExitCode::from(2);
    }
    match arguments.iter().try_for_each(|argument| check_all(argument)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            report(&message);
            ExitCode::FAILURE
        }
    }
}

/// Writes a line to standard error, if somebody reads it.
fn report(message: &str) {
    let _ = writeln!(io::stderr(), "{message}");
}

/// Checks a file, or each certificate of a folder, and prints a line of each.
fn check_all(path: &Path) -> Result<(), String> {
    let files = files(path).map_err(|error| format!("{}: {error}", path.display()))?;
    if files.is_empty() {
        return Err(format!("{}: no file *.cert; at least one is expected", path.display()));
    }
    for path in files {
        let start = Instant::now();
        let file = File::open(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let certificate = check::check(BufReader::new(file))
            .map_err(|message| format!("{}:{message}", path.display()))?;
        writeln!(
            io::stdout(),
            "{}: {} segments, {} facts, {} cases, {} goals, {:.2} s",
            certificate.kernel,
            certificate.segments(),
            certificate.facts,
            certificate.cases,
            certificate.goals,
            start.elapsed().as_secs_f64()
        )
        .map_err(|error| format!("standard output: {error}"))?;
    }
    Ok(())
}

fn files(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.into()]);
    }
    let entries = fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.path()));
    let mut files = entries.collect::<io::Result<Vec<_>>>()?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "cert"));
    files.sort();
    Ok(files)
}
