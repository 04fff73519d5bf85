//! The page that `--report` asks for: what the crate of reports makes of the rows, written as other outputs are.

use super::envelopes::Envelopes;
use super::options::ColumnNames;
use super::outcome::Outcome;
use super::report::Counts;
use crate::output::{Output, Rights};
use crate::status::{Result, quoted, shown};
use sigmill::bulk::{BulkError, Column, Engine, NULL_CODE, Specs};
use sigmill_envelope as envelope;
use sigmill_report::{
    CONTEXT_CODE, Refusal, Report, Rows, Settings, UNKNOWN_CODE, UNREADABLE_CODE,
};
use std::path::Path;

/// A page that is being made.
pub(super) struct Page<'p> {
    output: Output,
    report: Report,
    pool: &'p rayon::ThreadPool,
}

impl<'p> Page<'p> {
    /// Says no before any row is read if the page cannot be written.
    pub(super) fn create(
        (names, envelopes): (&ColumnNames, Option<&Envelopes>),
        path: &Path,
        force: bool,
        input: &Path,
        (pool, engine): (&'p rayon::ThreadPool, &Engine),
    ) -> Result<Self> {
        let mut settings = Settings::new(shown(input), *engine);
        let of_envelopes = names.envelopes.described(&names.msg);
        let columns = of_envelopes.unwrap_or_else(|| {
            vec![(
                "Columns",
                [&names.key, &names.msg, &names.sig].map(|name| quoted(name)).join(", "),
            )]
        });
        let threads = ("Threads", pool.current_num_threads().to_string());
        let details = columns.into_iter().chain([threads]);
        settings.details = details.map(|(name, value)| (name.to_owned(), value)).collect();
        if let Some(envelopes) = envelopes {
            settings.key_names = envelopes.key_names();
            let refusal = |of: &envelope::Refusal| Refusal {
                code: of.code(),
                name: of.name(),
                text: of.text(),
            };
            settings.refusals = envelope::Refusal::ALL.iter().map(refusal).collect();
        }
        let rights = Rights { force, is_secret: false, inputs: &[input] };
        let output = Output::create(path, rights)?;
        Ok(Page { output, report: Report::new(settings), pool })
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

    /// Completes the page, which has no name yet.
    pub(super) fn complete(mut self, counts: &Counts) -> Result<Output> {
        self.report.finish(counts.seconds(), &counts.report);
        let html = self.report.html();
        self.output.put(html.as_bytes())?;
        Ok(self.output)
    }
}

impl Outcome {
    /// The byte of the row in a report.
    const fn code(self) -> u8 {
        match self {
            Outcome::Judged(verdict) => verdict.code(),
            Outcome::Refused(refusal) => refusal.code(),
            Outcome::Null => NULL_CODE,
            Outcome::Unknown => UNKNOWN_CODE,
            Outcome::Context => CONTEXT_CODE,
            Outcome::Unreadable => UNREADABLE_CODE,
        }
    }
}
