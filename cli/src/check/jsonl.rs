//! JSON lines: an object a line. A line is cut into its fields; only the fields that somebody reads are decoded.
//!
//! The cut follows strings, brackets and commas, so that no field can hide in another. The value of a field that
//! nobody reads need not be JSON: `NaN`, or half of a surrogate pair, stay as they came. A field that is read and
//! stands there twice has no value: the row is unreadable.

use super::cut::{BATCH_BYTES, BATCH_ROWS};
use super::read::{TEXT_BYTES, text_batch, too_long};
use super::{Outcome, Problem};
use crate::status::{plain, quoted};
use arrow_array::RecordBatch;
use arrow_array::builder::StringBuilder;
use arrow_schema::SchemaRef;
use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read};
use std::ops::Range;

type Result<T> = std::result::Result<T, String>;

/// So many fields have names of their own in a table that is written in columns.
const MOST_FIELDS: usize = 1000;
/// All of these names together.
const MOST_NAME_BYTES: usize = 1 << 20;
/// A byte-order mark, which some programs write in front of UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";
/// Fields that the output adds.
const ADDED: [&[u8]; 2] = [b"verdict", b"reason"];

/// A column of the table that is made of the lines.
pub(super) struct Field {
    pub(super) name: String,
    /// It must be a string, once.
    pub(super) looked_at: bool,
    /// Its text in a line that lacks it; else a null.
    pub(super) absent: Option<String>,
}

/// The lines of a stream.
pub(super) struct Lines {
    input: BufReader<Box<dyn Read + Send>>,
    /// Lines that are not blank, so far.
    rows: u64,
    /// The longest line.
    most: u64,
}

impl Lines {
    pub(super) fn new(stream: Box<dyn Read + Send>, most: u64) -> Self {
        Lines { input: BufReader::with_capacity(1 << 16, stream), rows: 0, most }
    }

    /// The next line that is not blank, without what surrounds its object; `false` at the end.
    pub(super) fn next_line(&mut self, line: &mut Vec<u8>) -> Result<bool> {
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

/// The place at which a line is no object.
struct Fault {
    at: usize,
    what: &'static str,
}

fn fault<T>(at: usize, what: &'static str) -> std::result::Result<T, Fault> {
    Err(Fault { at, what })
}

fn said(row: u64, fault: &Fault) -> String {
    if fault.what == NO_OBJECT {
        return format!("row {row}: {NO_OBJECT}");
    }
    format!("row {row}: not JSON: {} at position {}", fault.what, fault.at)
}

const NO_OBJECT: &str = "not a JSON object";

fn blanks(line: &[u8], at: usize) -> usize {
    let rest = line.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')).count()
}

/// Calls `each` with the name of each field, as it is written between its quotes, and the place of its value.
fn cut<'a>(
    line: &'a [u8],
    mut each: impl FnMut(&'a [u8], Range<usize>),
) -> std::result::Result<(), Fault> {
    let mut at = blanks(line, 0);
    match line.get(at) {
        Some(b'{') => at = blanks(line, at + 1),
        // a value of another kind, or nothing at all
        Some(b'[' | b'"' | b'0'..=b'9' | b'-' | b't' | b'f' | b'n') => return fault(at, NO_OBJECT),
        _ => return fault(at, "an object begins with `{`, which is missing"),
    }
    if line.get(at) != Some(&b'}') {
        loop {
            if line.get(at) != Some(&b'"') {
                return fault(at, "no name of a field");
            }
            let end = string_end(line, at)?;
            let name = &line[at + 1..end - 1];
            at = blanks(line, end);
            if line.get(at) != Some(&b':') {
                return fault(at, "no `:` after the name of a field");
            }
            at = blanks(line, at + 1);
            let end = value_end(line, at)?;
            each(name, at..end);
            at = blanks(line, end);
            match line.get(at) {
                Some(b',') => at = blanks(line, at + 1),
                Some(b'}') => break,
                _ => return fault(at, "neither `,` nor `}` after a value"),
            }
        }
    }
    match blanks(line, at + 1) {
        end if end == line.len() => Ok(()),
        end => fault(end, "something follows the object"),
    }
}

/// Behind the string that begins at `at`.
fn string_end(line: &[u8], at: usize) -> std::result::Result<usize, Fault> {
    let mut next = at + 1;
    loop {
        let rest = line.get(next..).unwrap_or_default();
        match rest.iter().position(|byte| matches!(byte, b'"' | b'\\')) {
            None => return fault(at, "a string without an end"),
            Some(found) if rest[found] == b'"' => return Ok(next + found + 1),
            // whatever is escaped ends no string
            Some(found) => next += found + 2,
        }
    }
}

/// Behind the value that begins at `at`.
fn value_end(line: &[u8], at: usize) -> std::result::Result<usize, Fault> {
    match line.get(at) {
        Some(b'"') => string_end(line, at),
        Some(b'{' | b'[') => nested_end(line, at),
        _ => {
            let rest = &line[at.min(line.len())..];
            let ends = |byte: &u8| matches!(byte, b',' | b'}' | b' ' | b'\t' | b'\r' | b'\n');
            let word = &rest[..rest.iter().position(ends).unwrap_or(rest.len())];
            let is_number =
                |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
            match word {
                b"true" | b"false" | b"null" | b"NaN" | b"Infinity" | b"-Infinity" => {}
                [b'0'..=b'9' | b'-', rest @ ..] if rest.iter().all(is_number) => {}
                _ => return fault(at, "no value"),
            }
            Ok(at + word.len())
        }
    }
}

/// Behind the list or object that begins at `at`.
fn nested_end(line: &[u8], at: usize) -> std::result::Result<usize, Fault> {
    // the bracket that closes each open one
    let mut open = Vec::new();
    let mut next = at;
    loop {
        match line.get(next) {
            None => return fault(at, "a list or object without an end"),
            Some(b'"') => {
                next = string_end(line, next)?;
                continue;
            }
            Some(b'{') => open.push(b'}'),
            Some(b'[') => open.push(b']'),
            Some(close @ (b'}' | b']')) if open.pop() != Some(*close) => {
                return fault(next, "the end of what is not open");
            }
            Some(_) => {}
        }
        next += 1;
        if open.is_empty() {
            return Ok(next);
        }
    }
}

/// The text of a string with its quotes.
fn text_of(string: &[u8]) -> Result<Cow<'_, str>> {
    let inside = &string[1..string.len() - 1];
    if inside.iter().all(|byte| *byte != b'\\' && *byte >= b' ') {
        let text = std::str::from_utf8(inside);
        return text
            .map(Cow::Borrowed)
            .map_err(|error| format!("not UTF-8 at position {}", error.valid_up_to()));
    }
    match serde_json::from_slice(string) {
        Ok(text) => Ok(Cow::Owned(text)),
        Err(error) => {
            let said = error.to_string();
            let said = said.split(" at line").next().unwrap_or_default();
            Err(format!("not a string of JSON: {said}, at position {}", error.column()))
        }
    }
}

/// The name of a field; `None` where it is none that text can have.
fn name_of(name: &[u8]) -> Option<Cow<'_, str>> {
    if name.contains(&b'\\') {
        return text_of(&[b"\"", name, b"\""].concat()).ok().map(|n| Cow::Owned(n.into_owned()));
    }
    std::str::from_utf8(name).ok().map(Cow::Borrowed)
}

/// The names in one object, each once.
pub(super) fn names_of(line: &[u8], row: u64) -> Result<Vec<String>> {
    let mut names = Names::default();
    names.add(line, row).map_err(|fault| said(row, &fault))?;
    Ok(names.list)
}

/// The names of all fields of all lines, as they first appear.
#[derive(Default)]
pub(super) struct Names {
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
    pub(super) fn of(mut lines: Lines, looked_at: &[&str]) -> Result<Vec<String>> {
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
    pub(super) fn new(
        lines: Lines,
        first: Option<Vec<u8>>,
        fields: Vec<Field>,
        is_written: bool,
        keeps_lines: bool,
    ) -> Self {
        let by_name = fields.iter().enumerate();
        let by_name = by_name.map(|(i, field)| (field.name.clone().into_bytes(), i)).collect();
        Table { lines, first, fault: None, fields, by_name, is_written, keeps_lines }
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
            for ((field, slot), column) in self.fields.iter().zip(&slots).zip(&mut columns) {
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
            return Ok(None);
        }
        let table = text_batch(schema, columns, rows)?;
        Ok(Some(Rows { table, lines: self.keeps_lines.then_some(kept), problems }))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(line: &str) -> std::result::Result<Vec<(String, String)>, String> {
        let mut found = Vec::new();
        let read = cut(line.as_bytes(), |name, place| {
            found.push((String::from_utf8_lossy(name).into_owned(), line[place].to_owned()));
        });
        read.map(|()| found).map_err(|fault| said(0, &fault))
    }

    #[test]
    fn a_line_is_cut_as_a_parser_of_json_cuts_it() {
        for line in [
            "{}",
            " { } \r",
            r#"{"a":"b"}"#,
            r#"{"a" : "\"}\\" ,"b":[1,{"c":"]"}],"\u0061\n":null , "d":-1.5e+3}"#,
            r#"{"a":{"b":{"c":[[],{}]}},"e":true,"f":false}"#,
            r#"{"ä":"日本","":""}"#,
        ] {
            let expected: serde_json::Map<String, serde_json::Value> =
                serde_json::from_str(line).expect("JSON");
            let found = fields(line).expect(line);
            assert_eq!(found.len(), expected.len(), "{line}");
            for ((name, value), (expected_name, expected)) in found.iter().zip(&expected) {
                assert_eq!(name_of(name.as_bytes()).expect("text"), *expected_name);
                let value: serde_json::Value = serde_json::from_str(value).expect("a value");
                assert_eq!(value, *expected);
            }
        }
        // and a value may be what JSON is not
        let odd = fields(r#"{"a":NaN,"b":"\ud83d","c":[NaN,-Infinity],"d":-Infinity}"#);
        assert_eq!(odd.expect("fields").len(), 4);
    }

    #[test]
    fn what_is_no_object_is_said() {
        for (line, expected) in [
            ("[1]", "row 0: not a JSON object"),
            ("5", "row 0: not a JSON object"),
            ("x", "row 0: not JSON: an object begins with `{`, which is missing at position 0"),
            ("{", "row 0: not JSON: no name of a field at position 1"),
            ("{\"a\"}", "row 0: not JSON: no `:` after the name of a field at position 4"),
            ("{\"a\":}", "row 0: not JSON: no value at position 5"),
            ("{\"a\":x}", "row 0: not JSON: no value at position 5"),
            ("{\"a\":1 2}", "row 0: not JSON: neither `,` nor `}` after a value at position 7"),
            ("{\"a\":\"b}", "row 0: not JSON: a string without an end at position 5"),
            ("{\"a\":\"b\\\"}", "row 0: not JSON: a string without an end at position 5"),
            ("{\"a\":[}", "row 0: not JSON: the end of what is not open at position 6"),
            ("{\"a\":[{}", "row 0: not JSON: a list or object without an end at position 5"),
            ("{\"a\":1,}", "row 0: not JSON: no name of a field at position 7"),
            ("{}{}", "row 0: not JSON: something follows the object at position 2"),
            ("{\"a\":\"\\", "row 0: not JSON: a string without an end at position 5"),
        ] {
            assert_eq!(fields(line), Err(expected.to_owned()), "{line}");
        }
        // no cut of a line is a line
        let line = r#"{"a":"\\","b":[1,{"c":"]"}],"d":-1.5e+3}"#;
        for end in 0..line.len() {
            assert!(fields(&line[..end]).is_err(), "{end}");
        }
    }
}
