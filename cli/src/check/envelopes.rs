//! A column of envelopes: `sigmill_envelope` gives a row's key, message and signature, and the engine verifies rows together.

use super::bytes::{self, cells};
use super::columns::{Asked, at};
use super::options::{Envelope, EnvelopeArgs};
use super::outcome::{Outcome, Problem};
use super::specs::Curves;
use crate::alg::Alg;
use crate::envelope::read_whole;
use crate::form::read_small;
use crate::status::{Failure, Result};
use crate::text::Encoding;
use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, RecordBatch};
use rayon::prelude::*;
use sigmill::bulk::{Algorithm, Bitmap, BulkError, Column, Indices, NULL_SPEC, Spec, Specs};
use sigmill::ed25519::Rule;
use sigmill_envelope::{self as envelope, Candidate, Candidates, ColumnReader, Scheme, Trusted};
use std::borrow::Cow;
use std::mem;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Fewer rows than this are read on one thread.
const FEWEST_ROWS: usize = 1024;
/// A thread reads no further row once it has so many candidates: more than rows of a batch are verified in several parts.
const MOST_CANDIDATES: usize = 1 << 14;

/// The reader of a column, with the keys of its option.
pub(super) struct Envelopes(ColumnReader);

/// The columns of a batch: envelopes, and their messages where these lie beside them.
pub(super) struct EnvelopeColumns<'a> {
    envelopes: bytes::Cells<'a>,
    messages: Option<bytes::Cells<'a>>,
}

impl<'a> EnvelopeColumns<'a> {
    pub(super) fn read(
        asked: &Asked<'_>,
        path: &Path,
        table: &'a RecordBatch,
        problems: &mut Vec<Problem>,
    ) -> Result<Self> {
        let Asked { names, encodings, .. } = *asked;
        let args = &names.envelopes;
        let columns: Vec<String> =
            table.schema().fields().iter().map(|f| f.name().clone()).collect();
        let mut read = || {
            names.check(&columns)?;
            let encoding = (args.encoding(encodings.encoding), Encoding::Hex);
            let envelopes = cells(table, args.column(), encoding, problems)?;
            let messages = match args.envelope {
                Some(Envelope::Ssh) => {
                    let encoding = (encodings.msg_encoding.or(encodings.encoding), Encoding::Hex);
                    Some(cells(table, &names.msg, encoding, problems)?)
                }
                _ => None,
            };
            Ok(EnvelopeColumns { envelopes, messages })
        };
        read().map_err(|what: String| Failure::at(path, what))
    }

    /// The values of envelopes and messages.
    pub(super) fn values(&self, path: &Path) -> Result<(Column<'_>, Option<Column<'_>>)> {
        let messages = self.messages.as_ref().map(|cells| at(path, "message", cells.values()));
        Ok((at(path, "envelope", self.envelopes.values())?, messages.transpose()?))
    }

    /// Envelopes and messages, row by row, of their values.
    pub(super) fn columns<'b>(
        &'b self,
        path: &Path,
        (envelopes, messages): &'b (Column<'b>, Option<Column<'b>>),
    ) -> Result<(Column<'b>, Option<Column<'b>>)> {
        let messages = self.messages.as_ref().zip(messages.as_ref());
        let messages = messages
            .map(|(cells, values)| at(path, "message", cells.column(values)))
            .transpose()?;
        Ok((at(path, "envelope", self.envelopes.column(envelopes))?, messages))
    }
}

/// Consecutive rows, each with its candidates.
pub(super) struct Part<'t> {
    first: usize,
    messages: Vec<Cow<'t, [u8]>>,
    candidates: Candidates,
    /// The end of each row's candidates. A row without candidates is null, or a problem says why.
    ends: Vec<usize>,
    refused: Vec<(usize, Option<envelope::Error>)>,
}

impl Envelopes {
    /// Reads the keys. `None`: rows are no envelopes.
    pub(super) fn of(args: &EnvelopeArgs) -> Result<Option<Self>> {
        let (Some(form), Some(path)) = (args.envelope, args.keys.as_deref()) else {
            return Ok(None);
        };
        let bytes = read_small(path, "keys that verify envelopes")?;
        let failure = |error: envelope::Error| Failure::at(path, error);
        let trusted = match Trusted::read(&bytes).map_err(failure)? {
            Some(trusted) => trusted,
            None if form.form() == envelope::Form::Cose => {
                Trusted::read_cose(&bytes).map_err(failure)?
            }
            None => {
                return Err(Failure::at(
                    path,
                    "names no form of keys; known are JSON Web Keys, PEM, certificates, lines of OpenSSH, minisign",
                ));
            }
        };
        let reader = ColumnReader::new(form.form(), &trusted, args.namespace.as_deref());
        let reader = reader.map_err(failure)?;
        let Some(external) = &args.external_data else { return Ok(Some(Envelopes(reader))) };
        let reader = reader.with_external_data(read_whole(external)?);
        reader
            .map(|reader| Some(Envelopes(reader)))
            .map_err(|error| Failure::new(format!("--external-data: {error}")))
    }

    /// The bytes of the keys that have names, and these.
    pub(super) fn key_names(&self) -> Vec<(Vec<u8>, String)> {
        let keys = self.0.keys().iter().enumerate();
        keys.filter_map(|(i, key)| Some((key.bytes().to_vec(), self.0.key_name(i)?))).collect()
    }

    /// The bytes of the keys.
    pub(super) fn keys(&self) -> Vec<&[u8]> {
        self.0.keys().iter().map(|key| key.bytes()).collect()
    }

    /// The ranges of rows that threads of the pool read at the same time.
    pub(super) fn ranges(rows: usize, threads: usize) -> Vec<Range<usize>> {
        let parts = threads.min(rows / FEWEST_ROWS).max(1);
        let part = rows.div_ceil(parts).max(1);
        (0..rows).step_by(part).map(|first| first..rows.min(first + part)).collect()
    }

    /// Reads rows of each range, on the threads of the pool that this runs in, until a range has [`MOST_CANDIDATES`] or one
    /// candidate for each row.
    pub(super) fn read<'t>(
        &self,
        ranges: &[Range<usize>],
        tokens: &Column<'t>,
        messages: Option<&Column<'t>>,
    ) -> Parts<'t> {
        let part = |range: &Range<usize>| self.part(range.clone(), tokens, messages);
        Parts(ranges.par_iter().map(part).collect())
    }

    /// Members of the payloads of valid rows, a column a name.
    pub(super) fn claims(
        &self,
        tokens: &Column<'_>,
        outcomes: &[Outcome],
        names: &[String],
    ) -> Vec<ArrayRef> {
        if names.is_empty() {
            return Vec::new();
        }
        let (mut rows, wanted) = (self.0.rows(), names.iter().map(String::as_str));
        let wanted: Vec<&str> = wanted.collect();
        let mut columns: Vec<StringBuilder> = names.iter().map(|_| StringBuilder::new()).collect();
        for (number, outcome) in outcomes.iter().enumerate() {
            let token = tokens.get(number).filter(|_| outcome.verdict() == "valid");
            // the payload of a valid token need not be an object
            let values = token.and_then(|token| rows.claims(token, &wanted).ok());
            let mut values = values.unwrap_or_default().into_iter();
            for column in &mut columns {
                column.append_option(values.next().flatten());
            }
        }
        columns.iter_mut().map(|column| Arc::new(column.finish()) as ArrayRef).collect()
    }

    fn part<'t>(
        &self,
        range: Range<usize>,
        tokens: &Column<'t>,
        messages: Option<&Column<'t>>,
    ) -> Part<'t> {
        let (mut part, mut rows) = (Part::new(range.start, range.len()), self.0.rows());
        let most = range.len().max(MOST_CANDIDATES);
        for number in range {
            if part.candidates.list.len() >= most {
                break;
            }
            let message = messages.and_then(|messages| messages.get(number));
            let is_null = messages.is_some() && message.is_none();
            let read = match tokens.get(number).filter(|_| !is_null) {
                Some(token) => rows.read(token, message, &mut part.candidates).map_err(Some),
                None => Err(None),
            };
            part.messages.push(read.unwrap_or_else(|error| {
                part.refused.push((number, error));
                Cow::Borrowed(&[])
            }));
            part.ends.push(part.candidates.list.len());
        }
        part
    }
}

impl<'t> Part<'t> {
    fn new(first: usize, rows: usize) -> Self {
        let list = Vec::with_capacity(rows);
        Part {
            first,
            messages: Vec::with_capacity(rows),
            candidates: Candidates { signatures: Vec::with_capacity(64 * rows), list },
            ends: Vec::with_capacity(rows),
            refused: Vec::new(),
        }
    }

    /// The row after the last.
    fn end(&self) -> usize {
        self.first + self.ends.len()
    }

    /// The candidates of each row.
    fn of_rows(&self) -> impl Iterator<Item = Range<usize>> {
        let mut first = 0;
        self.ends.iter().map(move |end| mem::replace(&mut first, *end)..*end)
    }

    /// Keeps the candidate of each row that decides it.
    fn decide(&mut self, verdicts: &[Outcome], outcomes: &mut [Outcome]) {
        let is_valid = |outcome: &Outcome| outcome.verdict() == "valid";
        let (mut kept, mut ends) = (Vec::new(), Vec::with_capacity(self.ends.len()));
        for (outcome, range) in outcomes[self.first..].iter_mut().zip(self.of_rows()) {
            let of_row = &verdicts[range.clone()];
            let place = Candidates::deciding(of_row, is_valid);
            if let Some(verdict) = of_row.get(place) {
                *outcome = *verdict;
                kept.push(self.candidates.list[range.start + place].clone());
            }
            ends.push(kept.len());
        }
        (self.candidates.list, self.ends) = (kept, ends);
        // rows that are left to later parts have taken room here
        self.messages.shrink_to_fit();
        self.candidates.signatures.shrink_to_fit();
    }
}

/// Rows for the engine.
#[derive(Default)]
pub(super) struct Cells<'a> {
    keys: Vec<u32>,
    messages: Vec<&'a [u8]>,
    signatures: Vec<&'a [u8]>,
    /// The specs that occur, and the place of each row's spec among them.
    specs: (Vec<Spec<'static>>, Vec<u32>),
    schemes: Vec<Scheme>,
    /// A bit for each row, which a row without a candidate has not.
    validity: Vec<u8>,
}

impl<'a> Cells<'a> {
    fn push_null(&mut self) {
        if self.keys.len().is_multiple_of(8) {
            self.validity.push(0);
        }
        self.specs.1.push(NULL_SPEC);
        self.keys.push(0);
        self.messages.push(&[]);
        self.signatures.push(&[]);
    }

    fn push(&mut self, message: &'a [u8], signature: &'a [u8], of: &Candidate, rule: &Rule) {
        let (distinct, index) = &mut self.specs;
        let known = self.schemes.iter().position(|known| *known == of.scheme);
        let place = known.unwrap_or_else(|| {
            self.schemes.push(of.scheme);
            distinct.push(of.scheme.spec(rule));
            distinct.len() - 1
        });
        index.push(place as u32);
        let row = self.keys.len();
        if row.is_multiple_of(8) {
            self.validity.push(0);
        }
        self.validity[row / 8] |= 1 << (row % 8);
        self.keys.push(of.key as u32);
        self.messages.push(message);
        self.signatures.push(signature);
    }

    /// The columns of keys, messages and signatures, and the specs.
    pub(super) fn columns<'b>(
        &'b self,
        keys: &'b Column<'b>,
    ) -> std::result::Result<([Column<'b>; 3], Specs<'b>), BulkError> {
        let keys = Column::dictionary(
            Indices::U32(&self.keys),
            keys,
            Some(Bitmap::new(&self.validity, 0)),
        )?;
        let (distinct, index) = &self.specs;
        let columns = [keys, Column::slices(&self.messages), Column::slices(&self.signatures)];
        Ok((columns, Specs::of_rows(distinct, Some(index))))
    }
}

/// Parts of a batch.
#[derive(Default)]
pub(super) struct Parts<'t>(Vec<Part<'t>>);

impl<'t> Parts<'t> {
    /// The rows that ranges have left.
    pub(super) fn rest(&self, ranges: &[Range<usize>]) -> Vec<Range<usize>> {
        let left = ranges.iter().zip(&self.0).map(|(range, part)| part.end()..range.end);
        left.filter(|range| !range.is_empty()).collect()
    }

    /// Gives rows the verdicts of their candidates: valid if one is valid, else that of the first.
    pub(super) fn decide(&mut self, verdicts: &[Outcome], outcomes: &mut [Outcome]) {
        let mut rest = verdicts;
        for part in &mut self.0 {
            let (of_part, others) = rest.split_at(part.candidates.list.len());
            part.decide(of_part, outcomes);
            rest = others;
        }
    }

    /// More rows of the batch.
    pub(super) fn append(&mut self, mut more: Parts<'t>) {
        self.0.append(&mut more.0);
        self.0.sort_unstable_by_key(|part| part.first);
    }

    /// The candidates, row by row, as rows of the engine.
    pub(super) fn candidates(&self, rule: &Rule) -> Cells<'_> {
        let mut cells = Cells::default();
        for part in &self.0 {
            for (message, range) in part.messages.iter().zip(part.of_rows()) {
                for candidate in &part.candidates.list[range] {
                    cells.push(message, part.candidates.signature(candidate), candidate, rule);
                }
            }
        }
        cells
    }

    /// The rows that are decided, for a report; those without a candidate have no key and no spec.
    pub(super) fn rows(&self, rule: &Rule) -> Cells<'_> {
        let mut cells = Cells::default();
        for part in &self.0 {
            for (message, range) in part.messages.iter().zip(part.of_rows()) {
                match part.candidates.list.get(range.start).filter(|_| !range.is_empty()) {
                    Some(one) => cells.push(message, part.candidates.signature(one), one, rule),
                    None => cells.push_null(),
                }
            }
        }
        cells
    }

    /// The candidate that decides each row; `None`: the row has none.
    fn deciding(&self) -> impl Iterator<Item = Option<&Candidate>> {
        self.0.iter().flat_map(|part| {
            part.of_rows().map(|range| part.candidates.list.get(range).and_then(<[_]>::first))
        })
    }

    /// The algorithms of rows that are decided.
    pub(super) fn curves(&self) -> Curves {
        let algorithms: Vec<Option<Algorithm>> =
            self.deciding().map(|one| one.map(|one| one.scheme.algorithm())).collect();
        let curves = algorithms.iter().map(|algorithm| algorithm.and_then(Algorithm::curve));
        let algs = algorithms.iter().map(|algorithm| algorithm.map(Alg::of));
        Curves::PerRow { curves: curves.collect(), algs: algs.collect() }
    }

    /// The rows whose envelope is refused.
    pub(super) fn problems(&self, column: &str) -> impl Iterator<Item = Problem> {
        self.0.iter().flat_map(|part| &part.refused).filter_map(|(row, error)| {
            let (what, outcome) =
                error.as_ref().map(|e| (e.to_string(), Outcome::Refused(e.refusal())))?;
            Some(Problem { row: *row, column: column.to_owned(), what, outcome })
        })
    }
}
