//! JSON lines: an object a line. A line is cut into its fields; only the fields that somebody reads are decoded. A field
//! that is read and stands there twice has no value: the row is unreadable. A line may lack a field; a field that all
//! lines lack is an error, if a table must have it.

use super::batch::{TEXT_BYTES, text_batch, text_schema, too_long};
use super::cut::{BATCH_BYTES, BATCH_ROWS};
use super::json::{Fault, cut, name_of, said, text_of};
use super::options::{ColumnNames, Reading};
use super::outcome::{Outcome, Problem};
use crate::status::{plain, quoted};
use arrow_array::RecordBatch;
use arrow_array::builder::StringBuilder;
use arrow_schema::SchemaRef;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::ops::Range;

type Result<T> = std::result::Result<T, String>;
type Opened = Result<(SchemaRef, Table)>;

/// So many fields have names of their own in a table that is written in columns.
const MOST_FIELDS: usize = 1000;
/// All of these names together.
const MOST_NAME_BYTES: usize = 1 << 20;
/// A byte-order mark, which some programs write in front of UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";
/// Fields that the output adds.
const ADDED: [&[u8]; 2] = [b"verdict", b"reason"];

/// A column of the table that is made of the lines.
struct Field {
    name: String,
    /// It must be a string, once.
    looked_at: bool,
    /// Its text in a line that lacks it; else a null.
    absent: Option<String>,
    /// The option that names it, until a line has it: a table must have it.
    missing: Option<&'static str>,
}

/// The lines of a stream.
struct Lines {
    input: BufReader<Box<dyn Read + Send>>,
    /// Lines that are not blank, so far.
    rows: u64,
    /// The longest line.
    most: u64,
}

impl Lines {
    fn new(stream: Box<dyn Read + Send>, most: u64) -> Self {
        Lines { input: BufReader::with_capacity(1 << 16, stream), rows: 0, most }
    }

    /// The next line that is not blank, without what surrounds its object; `false` at the end.
    fn next_line(&mut self, line: &mut Vec<u8>) -> Result<bool> {
        loop {
            line.clear();
            let most = self.most.saturating_add(2 + MARK.len() as u64);
            let read = (&mut self.input).take(most).read_until(b'\n', line);
            if read.map_err(|error| plain(&error))? == 0 {
                return Ok(false);
            }
            if self.rows == 0 && line.starts_with(MARK) {
                line.drain(..MARK.len());
            }
            if line.strip_suffix(b"\n").unwrap_or(line).len() as u64 > self.most {
                return Err(format!("row {}: {}", self.rows, too_long(self.most)));
            }
            if !line.trim_ascii().is_empty() {
                self.rows += 1;
                return Ok(true);
            }
        }
    }

    /// Whether another line is here already, so that reading it cannot wait.
    fn has_line(&self) -> bool {
        self.input.buffer().contains(&b'\n')
    }
}

/// The names in one object, each once.
fn names_of(line: &[u8], row: u64) -> Result<Vec<String>> {
    let mut names = Names::default();
    names.add(line, row).map_err(|fault| said(row, &fault))?;
    Ok(names.list)
}

/// The names of all fields of all lines, as they first appear.
#[derive(Default)]
struct Names {
    list: Vec<String>,
    /// The last row that has each.
    rows: HashMap<String, u64>,
    bytes: usize,
}

/// Fields that columns cannot hold.
#[derive(Default)]
struct Odd {
    twice: Vec<String>,
    has_name_that_is_no_text: bool,
}

impl Names {
    /// Reads all lines. A line that is no object ends it: whoever reads the rows comes to it again.
    ///
    /// # Errors
    /// The table cannot be written in columns.
    fn of(mut lines: Lines, looked_at: &[&str]) -> Result<Vec<String>> {
        let mut names = Names::default();
        let mut line = Vec::new();
        while matches!(lines.next_line(&mut line), Ok(true)) {
            let row = lines.rows - 1;
            let Ok(odd) = names.add(&line, row) else { break };
            if odd.has_name_that_is_no_text {
                return Err(format!("row {row}: the name of a field is not text; {INSTEAD}"));
            }
            // a row that has a field twice that is looked at is unreadable, and said to be
            if let Some(name) = odd.twice.iter().find(|name| !looked_at.contains(&name.as_str())) {
                let name = quoted(name);
                return Err(format!("row {row} has the field `{name}` twice; {INSTEAD}"));
            }
            if names.list.len() > MOST_FIELDS || names.bytes > MOST_NAME_BYTES {
                return Err(format!(
                    "has more than {MOST_FIELDS} fields in all rows, or names of more than {MOST_NAME_BYTES} bytes; {INSTEAD}"
                ));
            }
        }
        Ok(names.list)
    }

    /// Adds the names of one line.
    fn add(&mut self, line: &[u8], row: u64) -> std::result::Result<Odd, Fault> {
        let mut odd = Odd::default();
        cut(line, |name, _| {
            let Some(name) = name_of(name) else {
                odd.has_name_that_is_no_text = true;
                return;
            };
            match self.rows.get_mut(&*name) {
                Some(last) if *last == row => odd.twice.push(name.into_owned()),
                Some(last) => *last = row,
                None => {
                    self.bytes += name.len();
                    self.rows.insert(name.clone().into_owned(), row);
                    self.list.push(name.into_owned());
                }
            }
        })?;
        Ok(odd)
    }
}

const INSTEAD: &str = "no format but JSON lines can hold that";

/// The value of a line in a column.
#[derive(Clone)]
enum Slot {
    Absent,
    Once(Range<usize>),
    Twice,
}

/// A table that is made of lines.
pub(super) struct Table {
    lines: Lines,
    /// The first line, read already.
    first: Option<Vec<u8>>,
    /// The message about the line after the last batch.
    fault: Option<String>,
    fields: Vec<Field>,
    by_name: HashMap<Vec<u8>, usize>,
    /// The fields of the first line, for the message about one that no line has.
    of_first: Vec<String>,
    /// The lines go on to an output, which adds fields.
    is_written: bool,
    keeps_lines: bool,
}

/// Rows of it.
pub(super) struct Rows {
    pub(super) table: RecordBatch,
    /// The lines, where they are kept.
    pub(super) lines: Option<Vec<Vec<u8>>>,
    pub(super) problems: Vec<Problem>,
}

impl Table {
    fn new(
        lines: Lines,
        first: Option<Vec<u8>>,
        of_first: Vec<String>,
        fields: Vec<Field>,
        is_written: bool,
        keeps_lines: bool,
    ) -> Self {
        let by_name = fields.iter().enumerate();
        let by_name = by_name.map(|(i, field)| (field.name.clone().into_bytes(), i)).collect();
        Table { lines, first, fault: None, fields, by_name, of_first, is_written, keeps_lines }
    }

    /// The next rows; `None` at the end.
    pub(super) fn next_rows(&mut self, schema: &SchemaRef) -> Result<Option<Rows>> {
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        let mut columns: Vec<StringBuilder> =
            self.fields.iter().map(|_| StringBuilder::new()).collect();
        let mut slots = vec![Slot::Absent; self.fields.len()];
        let (mut rows, mut bytes, mut kept, mut problems) = (0, 0, Vec::new(), Vec::new());
        let mut line = Vec::new();
        // wait for one line, then take what has come with it
        while rows == 0 || (self.lines.has_line() && rows < BATCH_ROWS && bytes < BATCH_BYTES) {
            let next = match self.first.take() {
                Some(first) => {
                    line = first;
                    Ok(true)
                }
                None => self.lines.next_line(&mut line),
            };
            let row = self.lines.rows.saturating_sub(1);
            let read = match next {
                Ok(false) => break,
                Ok(true) => self.cut(&line, row, &mut slots),
                Err(fault) => Err(fault),
            };
            if let Err(fault) = read {
                if rows == 0 {
                    return Err(fault);
                }
                // the rows before it get their answers first
                self.fault = Some(fault);
                break;
            }
            for ((field, slot), column) in self.fields.iter_mut().zip(&slots).zip(&mut columns) {
                if !matches!(slot, Slot::Absent) {
                    field.missing = None;
                }
                match field.cell(&line, slot) {
                    Ok(cell) => column.append_option(cell),
                    Err(what) => {
                        column.append_null();
                        let (name, outcome) = (field.name.clone(), Outcome::Unreadable);
                        problems.push(Problem { row: rows, column: name, what, outcome });
                    }
                }
            }
            bytes += 2 * line.len() + TEXT_BYTES * self.fields.len();
            rows += 1;
            if self.keeps_lines {
                kept.push(line.trim_ascii().to_vec());
            }
        }
        if rows == 0 {
            return self.check_fields().map(|()| None);
        }
        let table = text_batch(schema, columns, rows)?;
        Ok(Some(Rows { table, lines: self.keeps_lines.then_some(kept), problems }))
    }

    /// At the end: whether some line has each field that a table must have.
    fn check_fields(&self) -> Result<()> {
        let missing = |field: &Field| field.missing.map(|option| (option, field.name.clone()));
        match self.fields.iter().find_map(missing) {
            Some((option, name)) if self.lines.rows > 0 => {
                Err(ColumnNames::missing(option, &name, &self.of_first))
            }
            _ => Ok(()),
        }
    }

    /// Finds the values of a line.
    fn cut(&self, line: &[u8], row: u64, slots: &mut [Slot]) -> Result<()> {
        slots.fill(Slot::Absent);
        // most lines have their fields in one order
        let mut next = 0;
        let mut added = None;
        let read = cut(line, |name, place| {
            let unescaped = match name.contains(&b'\\') {
                true => name_of(name),
                false => None,
            };
            let name = unescaped.as_ref().map_or(name, |name| name.as_bytes());
            if self.is_written && ADDED.contains(&name) {
                added = Some(String::from_utf8_lossy(name).into_owned());
            }
            let found = match self.fields.get(next) {
                Some(field) if field.name.as_bytes() == name => Some(next),
                _ => self.by_name.get(name).copied(),
            };
            if let Some(found) = found {
                next = found + 1;
                slots[found] = match slots[found] {
                    Slot::Absent => Slot::Once(place),
                    _ => Slot::Twice,
                };
            }
        });
        read.map_err(|fault| said(row, &fault))?;
        match added {
            Some(name) => Err(format!("row {row} has a field `{name}` already; rename it first")),
            None => Ok(()),
        }
    }
}

impl Field {
    /// The text of a line in this column.
    fn cell<'a>(&'a self, line: &'a [u8], slot: &Slot) -> Result<Option<Cow<'a, str>>> {
        let value = match slot {
            Slot::Absent => return Ok(self.absent.as_deref().map(Cow::Borrowed)),
            Slot::Twice => return Err("is there twice".to_owned()),
            Slot::Once(place) => &line[place.clone()],
        };
        match value {
            b"null" => Ok(None),
            [b'"', ..] => match (text_of(value), std::str::from_utf8(value)) {
                // nobody looks at it: it keeps its JSON form
                (Err(_), Ok(value)) if !self.looked_at => Ok(Some(Cow::Borrowed(value))),
                (text, _) => text.map(Some),
            },
            value if self.looked_at => {
                Err(format!("{} is not a string", quoted(&String::from_utf8_lossy(value))))
            }
            value => match std::str::from_utf8(value) {
                Ok(value) => Ok(Some(Cow::Borrowed(value))),
                Err(error) => Err(format!("not UTF-8 at position {}", error.valid_up_to())),
            },
        }
    }
}

/// JSON lines whose fields all go on to an output in columns: their names are read first.
pub(super) fn open_in_columns(reading: &Reading<'_>, mut file: File) -> Opened {
    let io = |error: io::Error| plain(&error);
    let stream = |file: &File| -> Result<Box<dyn Read + Send>> {
        Ok(Box::new(file.try_clone().map_err(io)?))
    };
    file.rewind().map_err(io)?;
    let wanted = reading.names.wanted();
    let names = Names::of(Lines::new(stream(&file)?, reading.max_record), &wanted)?;
    file.rewind().map_err(io)?;
    opened(reading, stream(&file)?, Some(names), true)
}

/// The fields that are looked at of a stream of JSON lines; the lines are kept where they are written as they are.
pub(super) fn open(
    reading: &Reading<'_>,
    stream: Box<dyn Read + Send>,
    is_written: bool,
) -> Opened {
    opened(reading, stream, None, is_written)
}

/// A table of the fields in `names`, or else of those that are looked at.
fn opened(
    reading: &Reading<'_>,
    stream: Box<dyn Read + Send>,
    names: Option<Vec<String>>,
    is_written: bool,
) -> Opened {
    let mut lines = Lines::new(stream, reading.max_record);
    let mut first = Vec::new();
    let first = lines.next_line(&mut first)?.then_some(first);
    let of_first = first.as_ref().map_or(Ok(Vec::new()), |line| names_of(line, 0))?;
    let required = reading.names.required();
    if let Some(names) = &names {
        reading.names.check(names)?;
    } else if first.is_some() {
        // a line may lack some fields, but one without any of these is of another table
        let has = |(_, name): &(&str, &str)| of_first.iter().any(|there| there == name);
        if let (false, Some((option, name))) = (required.iter().take(3).any(has), required.first())
        {
            return Err(ColumnNames::missing(option, name, &of_first));
        }
    }
    let keeps_lines = is_written && names.is_none();
    let mut columns = names.unwrap_or_default();
    let wanted = reading.names.wanted();
    for name in &wanted {
        if !columns.iter().any(|column| column == name) {
            columns.push((*name).to_owned());
        }
    }
    let (named, rows) = (reading.names, reading.rows);
    let absent = [
        (named.alg_column(), rows.alg().name()),
        (named.rule_column(), rows.rule().name()),
        (named.variant_column(), rows.variant().name()),
        (named.context_column(), rows.context()),
    ];
    let fields = columns.into_iter().map(|name| {
        let absent = absent.iter().find(|(column, _)| *column == name);
        let absent = absent.map(|(_, text)| (*text).to_owned());
        let missing = required.iter().find(|(_, column)| *column == name);
        let missing = missing.map(|(option, _)| *option);
        Field { looked_at: wanted.contains(&name.as_str()), name, absent, missing }
    });
    let fields: Vec<Field> = fields.collect();
    let schema = text_schema(fields.iter().map(|field| field.name.as_str()));
    let table = Table::new(lines, first, of_first, fields, is_written, keeps_lines);
    Ok((schema, table))
}
