//! The page that `--report` asks for: what the crate of reports makes of the rows, written as other outputs are.

use super::report::Counts;
use super::write::is_same_file;
use super::{Args, Outcome};
use crate::output::Output;
use crate::status::{Failure, Result, plain, quoted, shown};
use sigmill::bulk::{BulkError, Column, Engine, NULL_CODE, Specs};
use sigmill_report::{CONTEXT_CODE, Report, Rows, Settings, UNKNOWN_CODE, UNREADABLE_CODE};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A page that is being made.
pub(super) struct Page<'p> {
    path: &'p Path,
    output: Output,
    report: Report,
    pool: &'p rayon::ThreadPool,
}

impl<'p> Page<'p> {
    /// Says no before any row is read if the page cannot be written.
    pub(super) fn create(
        args: &Args,
        path: &'p Path,
        input: &Path,
        (pool, engine): (&'p rayon::ThreadPool, &Engine),
    ) -> Result<Self> {
        if is_same_file(path, input) {
            return Err(Failure::at(path, "is the input; choose another file for the report"));
        }
        if args.output.as_ref().is_some_and(|output| place_of(output) == place_of(path)) {
            return Err(Failure::at(path, "is the output; choose another file for the report"));
        }
        let columns = [&args.key, &args.msg, &args.sig].map(|name| quoted(name));
        let mut settings = Settings::new(shown(input), *engine);
        settings.details = vec![
            ("Columns".to_owned(), columns.join(", ")),
            ("Threads".to_owned(), pool.current_num_threads().to_string()),
        ];
        let output = Output::create(path, args.force, false)?;
        Ok(Page { path, output, report: Report::new(settings), pool })
    }

    /// Counts a batch.
    pub(super) fn add(
        &mut self,
        first_row: u64,
        [keys, messages, signatures]: [Column<'_>; 3],
        specs: Specs<'_>,
        outcomes: &[Outcome],
    ) -> std::result::Result<(), BulkError> {
        let codes: Vec<u8> = outcomes.iter().map(|outcome| outcome.code()).collect();
        let rows = Rows { keys, messages, signatures, specs, codes: &codes };
        self.pool.install(|| self.report.add(first_row, &rows))
    }

    /// Completes the page and gives it its name.
    pub(super) fn finish(mut self, counts: &Counts) -> Result<()> {
        self.report.finish(counts.seconds(), &counts.report);
        let html = self.report.html();
        let written = self.output.write_all(html.as_bytes());
        written.map_err(|error| Failure::at(self.path, plain(&error)))?;
        self.output.finish()
    }
}

impl Outcome {
    /// The byte of the row in a report.
    const fn code(self) -> u8 {
        match self {
            Outcome::Judged(verdict) => verdict.code(),
            Outcome::Null => NULL_CODE,
            Outcome::Unknown => UNKNOWN_CODE,
            Outcome::Context => CONTEXT_CODE,
            Outcome::Unreadable => UNREADABLE_CODE,
        }
    }
}

/// Where a file will be, whatever leads there.
fn place_of(path: &Path) -> PathBuf {
    if let Ok(place) = fs::canonicalize(path) {
        return place;
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = fs::canonicalize(folder.unwrap_or(Path::new("."))).ok();
    match (folder, path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}
