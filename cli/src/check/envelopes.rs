//! A column of envelopes: `sigmill_envelope` gives a row's key, message and signature, and the engine verifies rows together.

use super::bytes::{Cells, cells};
use super::columns::{Asked, at};
use super::options::{Envelope, EnvelopeArgs};
use super::outcome::{Outcome, Problem};
use super::specs::Curves;
use crate::alg::Alg;
use crate::form::read_small;
use crate::status::{Failure, Result};
use crate::text::Encoding;
use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, RecordBatch};
use rayon::prelude::*;
use sigmill::bulk::{Algorithm, Column, Spec};
use sigmill::ed25519::Rule;
use sigmill_envelope::{self as envelope, ColumnReader, Scheme, Trusted};
use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Fewer rows than this are read on one thread.
const FEWEST_ROWS: usize = 1024;

/// The reader of a column, with the keys of its option.
pub(super) struct Envelopes(ColumnReader);

/// The cells of a batch: envelopes, and their messages where these lie beside them.
pub(super) struct EnvelopeCells<'a> {
    envelopes: Cells<'a>,
    messages: Option<Cells<'a>>,
}

impl<'a> EnvelopeCells<'a> {
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
            Ok(EnvelopeCells { envelopes, messages })
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

/// Rows of a batch. A row without a signature holds no bytes, and a problem says why.
pub(super) struct Rows<'t> {
    /// The place of each row's key.
    pub(super) keys: Vec<u32>,
    messages: Vec<Cow<'t, [u8]>>,
    signatures: Vec<u8>,
    ends: Vec<usize>,
    schemes: Vec<Option<Scheme>>,
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
        reader.map(|reader| Some(Envelopes(reader))).map_err(failure)
    }

    /// The bytes of the keys.
    pub(super) fn keys(&self) -> Vec<&[u8]> {
        self.0.keys().iter().map(|key| key.bytes()).collect()
    }

    /// Reads rows, on the threads of the pool that this runs in.
    pub(super) fn read<'t>(&self, tokens: &Column<'t>, messages: Option<&Column<'t>>) -> Rows<'t> {
        let rows = tokens.len();
        let parts = rayon::current_num_threads().min(rows / FEWEST_ROWS).max(1);
        let part = rows.div_ceil(parts).max(1);
        let ranges: Vec<Range<usize>> =
            (0..rows).step_by(part).map(|first| first..rows.min(first + part)).collect();
        let read: Vec<Rows<'t>> =
            ranges.into_par_iter().map(|range| self.read_part(range, tokens, messages)).collect();
        let mut parts = read.into_iter();
        let Some(mut all) = parts.next() else { return Rows::new(0) };
        for part in parts {
            all.append(part);
        }
        all
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

    fn read_part<'t>(
        &self,
        range: Range<usize>,
        tokens: &Column<'t>,
        messages: Option<&Column<'t>>,
    ) -> Rows<'t> {
        let (mut read, mut rows) = (Rows::new(range.len()), self.0.rows());
        for number in range {
            let message = messages.and_then(|messages| messages.get(number));
            let is_null = messages.is_some() && message.is_none();
            let row = match tokens.get(number).filter(|_| !is_null) {
                Some(token) => rows.read(token, message, &mut read.signatures).map_err(Some),
                None => Err(None),
            };
            match row {
                Ok(row) => {
                    read.keys.push(row.key as u32);
                    read.messages.push(row.message);
                    read.schemes.push(Some(row.scheme));
                }
                Err(error) => {
                    read.keys.push(0);
                    read.messages.push(Cow::Borrowed(&[]));
                    read.schemes.push(None);
                    read.refused.push((number, error));
                }
            }
            read.ends.push(read.signatures.len());
        }
        read
    }
}

impl<'t> Rows<'t> {
    fn new(rows: usize) -> Self {
        Rows {
            keys: Vec::with_capacity(rows),
            messages: Vec::with_capacity(rows),
            signatures: Vec::with_capacity(64 * rows),
            ends: Vec::with_capacity(rows),
            schemes: Vec::with_capacity(rows),
            refused: Vec::new(),
        }
    }

    fn append(&mut self, part: Rows<'t>) {
        let before = self.signatures.len();
        self.keys.extend(part.keys);
        self.messages.extend(part.messages);
        self.signatures.extend(part.signatures);
        self.ends.extend(part.ends.into_iter().map(|end| before + end));
        self.schemes.extend(part.schemes);
        self.refused.extend(part.refused);
    }

    pub(super) fn messages(&self) -> Vec<&[u8]> {
        self.messages.iter().map(|message| &message[..]).collect()
    }

    pub(super) fn signatures(&self) -> Vec<&[u8]> {
        let mut first = 0;
        let ends = self.ends.iter();
        ends.map(|end| &self.signatures[std::mem::replace(&mut first, *end)..*end]).collect()
    }

    /// The specs that occur, and which of them each row has; rows without a signature have the first.
    pub(super) fn specs(&self, rule: &Rule) -> (Vec<Spec<'static>>, Vec<u32>) {
        let mut distinct: Vec<Scheme> = vec![Scheme::Ed25519];
        let index = self.schemes.iter().map(|scheme| {
            let Some(scheme) = scheme else { return 0 };
            let known = distinct.iter().position(|known| known == scheme);
            known.unwrap_or_else(|| {
                distinct.push(*scheme);
                distinct.len() - 1
            }) as u32
        });
        let index = index.collect();
        (distinct.iter().map(|scheme| scheme.spec(rule)).collect(), index)
    }

    /// The algorithms of rows.
    pub(super) fn curves(&self) -> Curves {
        let algorithm = |scheme: &Option<Scheme>| scheme.map(Scheme::algorithm);
        let algorithms: Vec<Option<Algorithm>> = self.schemes.iter().map(algorithm).collect();
        let curves = algorithms.iter().map(|algorithm| algorithm.and_then(Algorithm::curve));
        let algs = algorithms.iter().map(|algorithm| algorithm.map(Alg::of));
        Curves::PerRow { curves: curves.collect(), algs: algs.collect() }
    }

    /// The rows without an envelope or without a message.
    pub(super) fn nulls(&self) -> impl Iterator<Item = usize> {
        self.refused.iter().filter(|(_, error)| error.is_none()).map(|(row, _)| *row)
    }

    /// The rows whose envelope is refused.
    pub(super) fn problems(&self, column: &str) -> impl Iterator<Item = Problem> {
        self.refused.iter().filter_map(|(row, error)| {
            let (what, outcome) =
                error.as_ref().map(|e| (e.to_string(), Outcome::Refused(e.refusal())))?;
            Some(Problem { row: *row, column: column.to_owned(), what, outcome })
        })
    }
}
