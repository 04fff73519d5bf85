//! From the columns of a batch to the borrowed columns of the library.

use super::bytes::{Cells, bytes_of, cells, column_of, encoding_of, tell_null_bytes, wrong_type};
use super::containers::{self, KeyForm};
use super::options::{ColumnNames, Encodings, RowOptions};
use super::outcome::{Outcome, Problem};
use super::specs::{Curves, Schemes, schemes};
use crate::alg::Alg;
use crate::status::{Failure, Result};
use crate::text::Encoding;
use arrow_array::RecordBatch;
use sigmill::bulk::{BulkError, Column, Spec, Specs};
use std::path::Path;

/// The options that columns are read by.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    pub(super) names: &'a ColumnNames,
    pub(super) rows: &'a RowOptions,
    pub(super) encodings: &'a Encodings,
}

/// Everything that the library needs of a batch.
pub(super) struct BatchColumns<'a> {
    keys: Cells<'a>,
    messages: Cells<'a>,
    signatures: Cells<'a>,
    schemes: Schemes,
}

impl<'a> BatchColumns<'a> {
    pub(super) fn read(
        asked: &Asked<'a>,
        path: &Path,
        table: &'a RecordBatch,
        first_row: u64,
        problems: &mut Vec<Problem>,
    ) -> Result<Self> {
        let columns: Vec<String> =
            table.schema().fields().iter().map(|f| f.name().clone()).collect();
        let mut read = || {
            asked.names.check(&columns)?;
            let Asked { names, rows, encodings } = *asked;
            let encoding = |own: Option<Encoding>| (own.or(encodings.encoding), Encoding::Hex);
            let mut of_schemes = Vec::new();
            let schemes = {
                let context = encodings.context_encoding;
                schemes(names, rows, context, table, first_row, &mut of_schemes)?
            };
            let key_encoding = encoding(encodings.key_encoding);
            let keys = match encodings.key_form {
                KeyForm::Spki => {
                    keys_in_spki(table, &names.key, key_encoding, &schemes.curves, problems)?
                }
                KeyForm::Raw => {
                    let keys = cells(table, &names.key, key_encoding, problems)?;
                    if first_row == 0 {
                        refuse_containers(table, &names.key, key_encoding, &keys)?;
                    }
                    keys
                }
            };
            let messages = cells(table, &names.msg, encoding(encodings.msg_encoding), problems)?;
            let signatures = cells(table, &names.sig, encoding(encodings.sig_encoding), problems)?;
            problems.append(&mut of_schemes);
            Ok(BatchColumns { keys, messages, signatures, schemes })
        };
        read().map_err(|what: String| Failure::at(path, what))
    }

    /// The values of keys, messages and signatures.
    pub(super) fn values(&self, path: &Path) -> Result<[Column<'_>; 3]> {
        let [keys, messages, signatures] =
            self.named().map(|(name, cells)| at(path, name, cells.values()));
        Ok([keys?, messages?, signatures?])
    }

    /// Keys, messages and signatures, row by row, of their values.
    pub(super) fn columns<'b>(
        &'b self,
        path: &Path,
        [keys, messages, signatures]: &'b [Column<'b>; 3],
    ) -> Result<[Column<'b>; 3]> {
        let [key, msg, sig] = self.named();
        Ok([
            at(path, key.0, key.1.column(keys))?,
            at(path, msg.0, msg.1.column(messages))?,
            at(path, sig.0, sig.1.column(signatures))?,
        ])
    }

    fn named(&self) -> [(&'static str, &Cells<'a>); 3] {
        [("key", &self.keys), ("message", &self.messages), ("signature", &self.signatures)]
    }

    /// The specs that occur.
    pub(super) fn specs(&self) -> Vec<Spec<'_>> {
        self.schemes.specs.specs()
    }

    pub(super) fn curves(&self) -> &Curves {
        &self.schemes.curves
    }

    pub(super) fn of_rows<'b>(&'b self, distinct: &'b [Spec<'b>]) -> Specs<'b> {
        Specs::of_rows(distinct, self.schemes.index.as_deref())
    }
}

pub(super) fn at<T>(
    path: &Path,
    name: &str,
    result: std::result::Result<T, BulkError>,
) -> Result<T> {
    result.map_err(|error| Failure::at(path, format!("{name} column: {error}")))
}

/// The keys in a column of containers. One of another algorithm than its row is a problem of that row.
fn keys_in_spki<'a>(
    table: &'a RecordBatch,
    name: &str,
    (given, otherwise): (Option<Encoding>, Encoding),
    curves: &Curves,
    problems: &mut Vec<Problem>,
) -> std::result::Result<Cells<'a>, String> {
    let array = column_of(table, name)?;
    tell_null_bytes(array, name, problems);
    let encoding = encoding_of(array.data_type(), given, otherwise);
    let read = |cell: &[u8], out: &mut Vec<u8>| containers::key_of(cell, encoding, out);
    let tell = |row, result: std::result::Result<Alg, &str>| {
        let what = match (result, curves.alg(row)) {
            (Err(what), _) => what.to_owned(),
            (Ok(found), Some(alg)) if found != alg => {
                format!("holds a key of {found}; the row is of {alg}")
            }
            (Ok(_), _) => return,
        };
        let (column, outcome) = (name.to_owned(), Outcome::Unreadable);
        problems.push(Problem { row, column, what, outcome });
    };
    Cells::decoded(array, read, tell).ok_or_else(|| wrong_type(name, array))
}

/// Refuses a table whose first keys are all containers, or all in another encoding: it would have no valid row.
fn refuse_containers(
    table: &RecordBatch,
    name: &str,
    (given, otherwise): (Option<Encoding>, Encoding),
    keys: &Cells<'_>,
) -> std::result::Result<(), String> {
    let array = column_of(table, name)?;
    // as they stand in the table, and decoded
    let stored = bytes_of(array)
        .and_then(|cells| containers::refusal(name, false, (0..array.len()).map(cells)));
    let decoded = || {
        let values = keys.values().ok()?;
        let column = keys.column(&values).ok()?;
        containers::refusal(name, true, (0..column.len()).map(|row| column.get(row)))
    };
    // no cell could be decoded
    let undecoded = || {
        let values = keys.values().ok()?;
        let column = keys.column(&values).ok()?;
        let are_null = (0..column.len()).all(|row| column.get(row).is_none());
        let cells = bytes_of(array).filter(|_| are_null)?;
        containers::undecoded_refusal(name, (0..array.len()).map(cells))
    };
    let digits = || {
        let encoding = encoding_of(array.data_type(), given, otherwise);
        let cells = bytes_of(array).filter(|_| encoding == Encoding::Base64)?;
        containers::hexadecimal_refusal(name, (0..array.len()).map(cells))
    };
    match stored.or_else(decoded).or_else(undecoded).or_else(digits) {
        Some(what) => Err(what),
        None => Ok(()),
    }
}
