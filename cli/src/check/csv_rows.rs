//! The rows of CSV.

use super::batch::{Batch, TEXT_BYTES, text_batch, text_schema, too_long};
use super::cut::{BATCH_BYTES, BATCH_ROWS};
use super::decoder::say;
use super::format::Cells;
use super::options::Reading;
use super::outcome::{Outcome, Problem};
use crate::status::{plain, quoted};
use arrow_array::builder::StringBuilder;
use arrow_schema::SchemaRef;
use std::io::{self, Read};

type Opened = Result<(SchemaRef, CsvRows), String>;

/// The rows of CSV.
pub(super) struct CsvRows {
    reader: csv::Reader<Box<dyn Read + Send>>,
    /// The names of all columns.
    header: Vec<String>,
    /// The columns of the table, by their numbers in a record, and whether they are looked at.
    needed: Vec<(usize, bool)>,
    null: Option<String>,
}

/// The schema and the rows of a stream; without an output only the columns that are looked at are decoded.
pub(super) fn open(reading: &Reading<'_>, stream: Box<dyn Read + Send>, cells: Cells) -> Opened {
    let stream: Box<dyn Read + Send> = Box::new(Records::new(stream, reading.max_record, cells));
    let mut builder = csv::ReaderBuilder::new();
    match cells.quote {
        Some(quote) => builder.quote(quote),
        None => builder.quoting(false),
    };
    let mut reader = builder.delimiter(cells.delimiter).from_reader(stream);
    let header: Vec<String> = match reader.headers() {
        Ok(header) => header.iter().map(str::to_owned).collect(),
        Err(error) => return Err(csv_error("header", &[], &error)),
    };
    if header.is_empty() {
        return Err("has no header, which names the columns".to_owned());
    }
    reading.names.check(&header).map_err(|what| match other_delimiter(&header) {
        _ if header[0].starts_with("sep=") => {
            format!("{what}; its first line is one of Excel: `tail -n +2 FILE` leaves it out")
        }
        Some(other) => format!("{what}, or say --delimiter {other}"),
        None => what,
    })?;
    let wanted = reading.names.wanted();
    let columns = header.iter().enumerate();
    let columns = columns.map(|(number, name)| (number, wanted.contains(&name.as_str())));
    // a column that nobody reads is not decoded
    let needed: Vec<(usize, bool)> =
        columns.filter(|(_, looked_at)| *looked_at || reading.output.is_some()).collect();
    let schema = text_schema(needed.iter().map(|(number, _)| header[*number].as_str()));
    let rows = CsvRows { reader, header, needed, null: reading.null.map(str::to_owned) };
    Ok((schema, rows))
}

/// The delimiter of a header that has one cell, where it looks as if there were another.
fn other_delimiter(header: &[String]) -> Option<&'static str> {
    let [only] = header else { return None };
    let known = [('\t', "tab"), (';', "';'"), ('|', "'|'"), (',', "','")];
    known.into_iter().find(|(delimiter, _)| only.contains(*delimiter)).map(|(_, option)| option)
}

/// The next batch; its `first_row` is set by the caller.
type Next = Result<Option<Batch>, String>;

pub(super) fn next_batch(rows: &mut CsvRows, schema: &SchemaRef, first_row: u64) -> Next {
    let mut columns: Vec<StringBuilder> =
        rows.needed.iter().map(|_| StringBuilder::new()).collect();
    let (mut count, mut bytes, mut problems) = (0, 0, Vec::new());
    let mut record = csv::ByteRecord::new();
    while count < BATCH_ROWS && bytes < BATCH_BYTES {
        let row = first_row + count as u64;
        let error = |error: csv::Error| csv_error(&format!("row {row}"), &rows.header, &error);
        if !rows.reader.read_byte_record(&mut record).map_err(error)? {
            break;
        }
        for ((number, _), column) in rows.needed.iter().zip(&mut columns) {
            let cell = &record[*number];
            bytes += cell.len() + TEXT_BYTES;
            if rows.null.as_ref().is_some_and(|null| null.as_bytes() == cell) {
                column.append_null();
                continue;
            }
            match std::str::from_utf8(cell) {
                Ok(text) => column.append_value(text),
                Err(error) => {
                    column.append_null();
                    let what = format!("not UTF-8 at position {}", error.valid_up_to());
                    let (column, outcome) = (rows.header[*number].clone(), Outcome::Unreadable);
                    problems.push(Problem { row: count, column, what, outcome });
                }
            }
        }
        count += 1;
    }
    if count == 0 {
        return Ok(None);
    }
    let table = text_batch(schema, columns, count)?;
    Ok(Some(Batch { first_row: 0, table, lines: None, problems, alive: None }))
}

/// The message about the record that `which` names.
fn csv_error(which: &str, header: &[String], error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("{which}: {len} cells, but the header has {expected_len}")
        }
        csv::ErrorKind::Utf8 { err, .. } => format!("{which}, cell {}: not UTF-8", err.field()),
        csv::ErrorKind::Io(error) => match error.get_ref().and_then(|e| e.downcast_ref()) {
            Some(BadCell { column, what }) => {
                let name = header.get(*column);
                let name = name.map_or_else(|| column.to_string(), |name| quoted(name));
                format!("{which}, column {name}: {what}")
            }
            None => format!("{which}: {}", plain(error)),
        },
        _ => format!("{which}: {}", say(error)),
    }
}

/// Bytes of CSV on their way to the decoder, which reads on if a quote is not closed.
struct Records<R> {
    input: R,
    /// The longest record.
    most: u64,
    /// Bytes of this record so far, and the cell in which they end.
    len: u64,
    column: usize,
    state: Cell,
    cells: Cells,
    /// A bad cell, of which the reader hears after the records before it.
    found: Option<BadCell>,
}

const SPANS_LINES: &str = "begins with a quote, and its line ends before another; --quote none, if quotes mean nothing, or \
                           --quote '\"', if cells may have line ends";
const GOES_ON: &str = "goes on behind the quote that ends it; within quotes one is written twice (--quote none, if quotes \
                       mean nothing)";
const ENDS_WITHIN: &str = "the table ends within a quoted cell; its `\"` has no second one (--quote none, if quotes mean \
                           nothing)";

/// The part of a cell of CSV that the last byte was in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cell {
    Start,
    Plain,
    Quoted,
    /// After a quote in a quoted cell: its end, or the first half of an escaped one.
    Quote,
}

/// A cell of CSV whose record is longer than it may be, or whose quote nobody closes.
#[derive(Debug)]
struct BadCell {
    column: usize,
    what: String,
}

impl std::fmt::Display for BadCell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "column {}: {}", self.column, self.what)
    }
}

impl std::error::Error for BadCell {}

impl<R> Records<R> {
    fn new(input: R, most: u64, cells: Cells) -> Self {
        Records { input, most, len: 0, column: 0, state: Cell::Start, cells, found: None }
    }

    /// Follows the bytes to their end, or to a bad cell. The error comes with the bytes before the record of that cell: they
    /// are rows of their own.
    fn pass(&mut self, bytes: &[u8]) -> Result<(), (usize, BadCell)> {
        let Cells { delimiter, quote, may_span_lines } = self.cells;
        let mut start = 0;
        for (at, byte) in bytes.iter().enumerate() {
            self.len += 1;
            let is_line_end = matches!(byte, b'\n' | b'\r');
            self.state = match self.state {
                Cell::Quoted if Some(*byte) == quote => Cell::Quote,
                Cell::Quoted if is_line_end && !may_span_lines => {
                    return Err((start, self.bad(SPANS_LINES)));
                }
                Cell::Quoted => Cell::Quoted,
                Cell::Start | Cell::Quote if Some(*byte) == quote => Cell::Quoted,
                _ if *byte == delimiter => {
                    self.column += 1;
                    Cell::Start
                }
                _ if is_line_end => {
                    (self.len, self.column) = (0, 0);
                    start = at + 1;
                    Cell::Start
                }
                Cell::Quote => return Err((start, self.bad(GOES_ON))),
                Cell::Start | Cell::Plain => Cell::Plain,
            };
            if self.len > self.most {
                return Err((start, self.bad(&too_long(self.most))));
            }
        }
        Ok(())
    }

    fn bad(&self, what: &str) -> BadCell {
        BadCell { column: self.column, what: what.to_owned() }
    }

    /// The decoder takes the end of the table for the end of a quote, and all rows in between for one cell.
    fn end(&self) -> Result<(), BadCell> {
        match self.state {
            Cell::Quoted => Err(self.bad(ENDS_WITHIN)),
            _ => Ok(()),
        }
    }
}

impl<R: Read> Read for Records<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(bad) = self.found.take() {
            return Err(io::Error::other(bad));
        }
        let len = self.input.read(buffer)?;
        if let Err((good, bad)) = self.pass(&buffer[..len]) {
            if good == 0 {
                return Err(io::Error::other(bad));
            }
            self.found = Some(bad);
            return Ok(good);
        }
        if len == 0 && !buffer.is_empty() {
            self.end().map_err(io::Error::other)?;
        }
        Ok(len)
    }
}
