//! Tables in batches of bounded size, whatever the format and the size of the file.
//!
//! Parquet and Arrow come as their own types. CSV comes as text. Of JSON lines, the fields that are
//! needed come as text, and the objects beside them, so that an output keeps every field as it was.
//! A decoder that panics on a hostile file is an error about that file.

use super::cut::{BATCH_BYTES, BATCH_ROWS, Counted, Pieces};
use super::{Args, Format, Outcome, Problem, check_memory, ipc, pages, say, unreadable};
use crate::memory;
use crate::signals;
use crate::status::{Failure, Result, quoted};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchReader, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use parquet::file::metadata::ParquetMetaData;
use serde_json::{Map, Value};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// No row of Parquet has more bytes in columns of fixed width.
const MOST_FIXED_BYTES: u64 = i32::MAX as u64;
/// Columns of Parquet that are read: each has a decompressor of its own.
/// What a cell of text takes beside its bytes while a batch is put together.
const TEXT_BYTES: usize = 64;
/// So many of a table's columns are named where one is missing.
const MOST_NAMES: usize = 20;
const MOST_LEAVES: usize = 1000;

/// Rows of a table.
pub(super) struct Batch {
    /// Number of the first row in the table, from 0.
    pub(super) first_row: u64,
    pub(super) table: RecordBatch,
    /// The objects of JSON lines.
    pub(super) objects: Option<Vec<Map<String, Value>>>,
    /// Cells that could not be read so far.
    pub(super) problems: Vec<Problem>,
    /// Held by each batch that is in memory, and by the source.
    alive: Option<Arc<()>>,
}

impl Batch {
    fn of(table: RecordBatch) -> Self {
        Batch { first_row: 0, table, objects: None, problems: Vec::new(), alive: None }
    }
}

/// A table that is being read.
pub(super) struct Source {
    path: PathBuf,
    format: Format,
    schema: SchemaRef,
    rows: Option<u64>,
    next_row: u64,
    reader: Reader,
    alive: Arc<()>,
    counted: Counted,
    /// What is left of the table that was read last.
    pieces: Option<Pieces>,
}

enum Reader {
    Arrow(Box<dyn Iterator<Item = std::result::Result<RecordBatch, String>> + Send>),
    Csv(Box<csv::Reader<Box<dyn Read + Send>>>, Option<String>),
    Jsonl(Lines, Option<Map<String, Value>>),
}

/// The objects on the lines of a stream.
struct Lines {
    input: BufReader<Box<dyn Read + Send>>,
    /// Lines that are not blank, so far.
    rows: u64,
    /// What is wrong with the line after the last batch.
    fault: Option<String>,
    /// What stands for a field that a line lacks: by name, what the options say.
    absent: Vec<(String, String)>,
    /// Fields that must be strings.
    looked_at: Vec<String>,
    /// The longest line.
    most: u64,
}

impl Source {
    pub(super) fn open(args: &Args, path: &Path) -> Result<Source> {
        let is_stdin = path == Path::new("-");
        let mut stream: Box<dyn Read + Send> = Box::new(io::stdin());
        let mut file = None;
        if !is_stdin {
            let opened = File::open(path).map_err(|error| unreadable(path, &error))?;
            let kind = opened.metadata().map_err(|error| unreadable(path, &error))?;
            if kind.is_dir() {
                return Err(Failure::at(path, "is a directory"));
            }
            if kind.is_file() && kind.len() == 0 {
                return Err(Failure::at(path, "is empty: not even a header"));
            }
            stream = Box::new(opened.try_clone().map_err(|error| unreadable(path, &error))?);
            file = kind.is_file().then_some(opened);
        }
        let mut format = args.format.or_else(|| Format::of(path));
        if format.is_none() && file.is_none() {
            let mut peeked = BufReader::new(stream);
            let start = peeked.fill_buf().map_err(|error| unreadable(path, &error))?;
            format = format_of_start(start);
            stream = Box::new(peeked);
        }
        let format = format.ok_or_else(|| {
            Failure::at(path, "the format cannot be told from the name; use --format")
        })?;
        if file.is_none() && matches!(format, Format::Parquet | Format::Arrow) {
            // these formats are read from their end: keep a copy on disk
            file = Some(spooled(path, &mut stream)?);
        }
        let (schema, rows, reader) = guarded(path, || match (format, file) {
            (Format::Parquet, Some(file)) => parquet(args, file),
            (Format::Arrow, Some(file)) => {
                let batches = ipc::Batches::of_file(file)?;
                Ok((batches.schema(), None, Reader::Arrow(Box::new(batches))))
            }
            (Format::ArrowStream, _) => {
                let batches = ipc::Batches::of_stream(Box::new(BufReader::new(stream)))?;
                Ok((batches.schema(), None, Reader::Arrow(Box::new(batches))))
            }
            (Format::Csv, _) => csv(args, stream),
            _ => jsonl(args, stream),
        })?;
        // a table without rows has columns too
        let names: Vec<String> = schema.fields().iter().map(|f| f.name().clone()).collect();
        check_columns(args, &names).map_err(|what| Failure::at(path, what))?;
        let columns = wanted_columns(args).into_iter().map(str::to_owned).collect();
        let counted = Counted { columns, is_written: args.output.is_some() };
        let path = path.to_owned();
        let alive = Arc::new(());
        Ok(Source { path, format, schema, rows, next_row: 0, reader, alive, counted, pieces: None })
    }

    pub(super) fn format(&self) -> Format {
        self.format
    }

    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The number of rows, where the format says it in advance.
    pub(super) fn rows(&self) -> Option<u64> {
        self.rows
    }

    /// The next rows; `None` at the end.
    pub(super) fn next_batch(&mut self) -> Result<Option<Batch>> {
        let (schema, first_row) = (self.schema.clone(), self.next_row);
        let (reader, counted, pieces) = (&mut self.reader, &self.counted, &mut self.pieces);
        let alive = &self.alive;
        let next = guarded(&self.path, || match reader {
            Reader::Arrow(batches) => loop {
                if let Some(piece) = pieces.as_mut().and_then(Pieces::next) {
                    return Ok(Some(Batch::of(piece)));
                }
                *pieces = None;
                wait_for_room(alive);
                let Some(table) = batches.next() else { return Ok(None) };
                let table = table.map_err(|what| after(first_row, &what))?;
                *pieces = Some(Pieces::of(table, counted));
            },
            Reader::Csv(rows, null) => {
                wait_for_room(alive);
                csv_batch(rows, &schema, null.as_deref(), first_row)
            }
            Reader::Jsonl(lines, first) => {
                wait_for_room(alive);
                jsonl_batch(lines, first, &schema)
            }
        })?;
        Ok(next.map(|mut batch| {
            batch.first_row = first_row;
            batch.alive = Some(self.alive.clone());
            self.next_row += batch.table.num_rows() as u64;
            batch
        }))
    }
}

/// Waits until there is room, or until no other batch is in memory, which might make some.
fn wait_for_room(alive: &Arc<()>) {
    while memory::is_high() && Arc::strong_count(alive) > 1 {
        thread::sleep(Duration::from_millis(1));
    }
}

/// The format that the first bytes of a stream cannot be mistaken for; CSV has none.
fn format_of_start(start: &[u8]) -> Option<Format> {
    match start {
        [b'P', b'A', b'R', b'1', ..] => Some(Format::Parquet),
        [b'A', b'R', b'R', b'O', b'W', b'1', ..] => Some(Format::Arrow),
        [0xff, 0xff, 0xff, 0xff, ..] => Some(Format::ArrowStream),
        [b'{', ..] => Some(Format::Jsonl),
        _ => None,
    }
}

fn after(row: u64, what: &str) -> String {
    format!("cannot be read after row {row}: {what}")
}

/// Runs a decoder. A panic inside it is a broken file.
fn guarded<T>(path: &Path, work: impl FnOnce() -> std::result::Result<T, String>) -> Result<T> {
    super::guarded(path, "is broken: its decoder gave up", work)
}

/// Standard input as a file without a name.
fn spooled(path: &Path, stream: &mut dyn Read) -> Result<File> {
    let mut copy = || {
        let mut file = {
            // it may have a name for a moment
            let _held = signals::hold();
            tempfile::tempfile()?
        };
        let len = io::copy(stream, &mut file)?;
        file.rewind()?;
        file.flush()?;
        Ok((file, len))
    };
    match copy() {
        Ok((_, 0)) => Err(Failure::at(path, "is empty: not even a header")),
        Ok((file, _)) => Ok(file),
        Err(error) => Err(unreadable(path, &error)),
    }
}

type Opened = std::result::Result<(SchemaRef, Option<u64>, Reader), String>;

fn parquet(args: &Args, file: File) -> Opened {
    let len = file.metadata().map_err(|error| crate::status::plain(&error))?.len();
    pages::check_schema(&file)?;
    let copy = file.try_clone().map_err(|error| crate::status::plain(&error))?;
    let builder = ParquetRecordBatchReaderBuilder::try_new(copy)
        .map_err(|error| format!("not a readable Parquet file: {}", say(error)))?;
    let metadata = builder.metadata();
    let rows = u64::try_from(metadata.file_metadata().num_rows()).unwrap_or(0);
    check_chunks(metadata, len)?;
    // the decoder takes memory for a row of fixed width at once
    let leaves = metadata.file_metadata().schema_descr().columns().iter();
    let width: u64 = leaves.map(|leaf| u64::try_from(leaf.type_length()).unwrap_or(0)).sum();
    match check_memory(width) {
        Ok(()) if width <= MOST_FIXED_BYTES => {}
        _ => return Err(format!("a row of {width} bytes is too large for the memory")),
    }
    let mut mask = ProjectionMask::all();
    if args.output.is_none() {
        // only the columns that are looked at
        let wanted = wanted_columns(args);
        let leaves = builder.parquet_schema();
        let roots = builder.schema().fields().iter().enumerate();
        let roots =
            roots.filter(|(_, field)| wanted.contains(&field.name().as_str())).map(|(i, _)| i);
        mask = ProjectionMask::roots(leaves, roots.collect::<Vec<_>>());
        let all: Vec<String> = builder.schema().fields().iter().map(|f| f.name().clone()).collect();
        check_columns(args, &all)?;
    }
    let leaves = metadata.file_metadata().schema_descr().num_columns();
    let read = (0..leaves).filter(|leaf| mask.leaf_included(*leaf)).count();
    if read > MOST_LEAVES {
        return Err(format!("has {read} columns to read; at most {MOST_LEAVES} are"));
    }
    let groups = 0..metadata.num_row_groups();
    let metadata = ArrowReaderMetadata::try_new(metadata.clone(), ArrowReaderOptions::new());
    let metadata = metadata.map_err(say)?;
    let no_groups = ParquetRecordBatchReaderBuilder::new_with_metadata(
        file.try_clone().map_err(|error| crate::status::plain(&error))?,
        metadata.clone(),
    );
    let schema = no_groups.with_row_groups(Vec::new()).with_projection(mask.clone()).build();
    let schema = schema.map_err(say)?.schema();
    let batches = RowGroups { file, metadata, mask, groups, current: None };
    Ok((schema, Some(rows), Reader::Arrow(Box::new(batches))))
}

/// The batches of a Parquet file, row group by row group: each has batches of its own size.
struct RowGroups {
    file: File,
    metadata: ArrowReaderMetadata,
    mask: ProjectionMask,
    groups: Range<usize>,
    current: Option<ParquetRecordBatchReader>,
}

impl RowGroups {
    fn open(&self, number: usize) -> std::result::Result<ParquetRecordBatchReader, String> {
        let group = self.metadata.metadata().row_group(number);
        let rows = pages::batch_rows(&self.file, group, |leaf| self.mask.leaf_included(leaf));
        let rows = rows.map_err(|what| format!("row group {number}: {what}"))?;
        let file = self.file.try_clone().map_err(|error| crate::status::plain(&error))?;
        ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone())
            .with_row_groups(vec![number])
            .with_projection(self.mask.clone())
            .with_batch_size(rows)
            .build()
            .map_err(say)
    }
}

impl Iterator for RowGroups {
    type Item = std::result::Result<RecordBatch, String>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(batch) = self.current.as_mut().and_then(Iterator::next) {
                return Some(batch.map_err(say));
            }
            self.current = None;
            let number = self.groups.next()?;
            match self.open(number) {
                Ok(reader) => self.current = Some(reader),
                Err(what) => return Some(Err(what)),
            }
        }
    }
}

/// Whether the columns keep to a file of `len` bytes: memory is taken for a page before it is read.
fn check_chunks(metadata: &ParquetMetaData, len: u64) -> std::result::Result<(), String> {
    for (number, group) in metadata.row_groups().iter().enumerate() {
        for column in group.columns() {
            let (start, column_len) = column.byte_range();
            if start.saturating_add(column_len) > len {
                let name = quoted(&column.column_path().string());
                return Err(format!(
                    "column `{name}` of row group {number} ends past the end of the file"
                ));
            }
        }
    }
    Ok(())
}

fn wanted_columns(args: &Args) -> Vec<&str> {
    let mut wanted = vec![args.key.as_str(), &args.msg, &args.sig];
    if !args.ignore_row_options {
        let per_row =
            [&args.alg_column, &args.rule_column, &args.variant_column, &args.context_column];
        wanted.extend(per_row.map(String::as_str));
    }
    wanted
}

/// The three columns that every table needs.
pub(super) fn check_columns(args: &Args, columns: &[String]) -> std::result::Result<(), String> {
    for (option, name) in [("--key", &args.key), ("--msg", &args.msg), ("--sig", &args.sig)] {
        match columns.iter().filter(|column| *column == name).count() {
            0 => {
                let there: Vec<String> =
                    columns.iter().take(MOST_NAMES).map(|name| quoted(name)).collect();
                let more = if columns.len() > MOST_NAMES { ", …" } else { "" };
                let there = format!("{}{more}", there.join(", "));
                return Err(format!(
                    "no column `{name}` (columns: {there}); name it with {option}"
                ));
            }
            1 => {}
            _ => return Err(format!("more than one column `{name}`")),
        }
    }
    Ok(())
}

fn text_schema<'a>(columns: impl Iterator<Item = &'a str>) -> SchemaRef {
    let fields: Vec<Field> = columns.map(|name| Field::new(name, DataType::Utf8, true)).collect();
    Arc::new(Schema::new(fields))
}

fn csv(args: &Args, stream: Box<dyn Read + Send>) -> Opened {
    let stream: Box<dyn Read + Send> = Box::new(Records::new(stream, args.max_record));
    let mut reader = csv::ReaderBuilder::new().from_reader(stream);
    let header = match reader.headers() {
        Ok(header) => header,
        Err(error) => return Err(csv_error("header", None, &error)),
    };
    if header.is_empty() {
        return Err("is empty: not even a header".to_owned());
    }
    let schema = text_schema(header.iter());
    Ok((schema, None, Reader::Csv(Box::new(reader), args.null.clone())))
}

/// The next batch; its `first_row` is set by the caller.
type Next = std::result::Result<Option<Batch>, String>;

fn csv_batch(
    reader: &mut csv::Reader<Box<dyn Read + Send>>,
    schema: &SchemaRef,
    null: Option<&str>,
    first_row: u64,
) -> Next {
    let mut columns: Vec<Vec<Option<String>>> = vec![Vec::new(); schema.fields().len()];
    let (mut rows, mut bytes) = (0, 0);
    let mut record = csv::StringRecord::new();
    while rows < BATCH_ROWS && bytes < BATCH_BYTES {
        let row = first_row + rows as u64;
        let error = |error: csv::Error| csv_error(&format!("row {row}"), Some(schema), &error);
        if !reader.read_record(&mut record).map_err(error)? {
            break;
        }
        for (column, cell) in columns.iter_mut().zip(&record) {
            bytes += cell.len() + TEXT_BYTES;
            column.push((null != Some(cell)).then(|| cell.to_owned()));
        }
        rows += 1;
    }
    if rows == 0 {
        return Ok(None);
    }
    text_batch(schema, columns, rows).map(|table| Some(Batch::of(table)))
}

/// What is wrong with the record that `which` names.
fn csv_error(which: &str, schema: Option<&SchemaRef>, error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("{which}: {len} cells, but the header has {expected_len}")
        }
        csv::ErrorKind::Utf8 { err, .. } => format!("{which}, cell {}: not UTF-8", err.field()),
        csv::ErrorKind::Io(error) => match error.get_ref().and_then(|e| e.downcast_ref()) {
            Some(TooLong { column, most }) => {
                let name = schema.and_then(|schema| schema.fields().get(*column));
                let name = name.map_or_else(|| column.to_string(), |field| quoted(field.name()));
                format!("{which}, column {name}: {}", too_long(*most))
            }
            None => format!("{which}: {}", crate::status::plain(error)),
        },
        _ => format!("{which}: {}", say(error)),
    }
}

fn too_long(most: u64) -> String {
    format!("the record has over {most} bytes (--max-record)")
}

/// Bytes of CSV on their way to the decoder, which would go on reading where a quote is not closed.
struct Records<R> {
    input: R,
    /// The longest record.
    most: u64,
    /// Bytes of this record so far, and the cell in which they end.
    len: u64,
    column: usize,
    state: Cell,
}

/// Where in a cell of CSV the last byte was.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cell {
    Start,
    Plain,
    Quoted,
    /// After a quote in a quoted cell: its end, or the first half of an escaped one.
    Quote,
}

/// A record of CSV is longer than it may be.
#[derive(Debug)]
struct TooLong {
    column: usize,
    most: u64,
}

impl std::fmt::Display for TooLong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "column {}: {}", self.column, too_long(self.most))
    }
}

impl std::error::Error for TooLong {}

impl<R> Records<R> {
    fn new(input: R, most: u64) -> Self {
        Records { input, most, len: 0, column: 0, state: Cell::Start }
    }

    fn pass(&mut self, bytes: &[u8]) -> std::result::Result<(), TooLong> {
        for byte in bytes {
            self.len += 1;
            self.state = match (self.state, byte) {
                (Cell::Quoted, b'"') => Cell::Quote,
                (Cell::Quoted, _) | (Cell::Start | Cell::Quote, b'"') => Cell::Quoted,
                (_, b',') => {
                    self.column += 1;
                    Cell::Start
                }
                (_, b'\n' | b'\r') => {
                    (self.len, self.column) = (0, 0);
                    Cell::Start
                }
                _ => Cell::Plain,
            };
            if self.len > self.most {
                return Err(TooLong { column: self.column, most: self.most });
            }
        }
        Ok(())
    }
}

impl<R: Read> Read for Records<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.input.read(buffer)?;
        self.pass(&buffer[..len]).map_err(io::Error::other)?;
        Ok(len)
    }
}

fn text_batch(
    schema: &SchemaRef,
    columns: Vec<Vec<Option<String>>>,
    rows: usize,
) -> std::result::Result<RecordBatch, String> {
    let arrays = columns.into_iter().map(|column| Arc::new(StringArray::from(column)) as ArrayRef);
    let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(schema.clone(), arrays.collect(), &options).map_err(say)
}

fn jsonl(args: &Args, stream: Box<dyn Read + Send>) -> Opened {
    let absent = [
        (&args.alg_column, args.alg().name()),
        (&args.rule_column, args.rule().name()),
        (&args.variant_column, args.variant().name()),
        (&args.context_column, args.context()),
    ];
    let absent = absent.map(|(column, text)| (column.clone(), text.to_owned())).to_vec();
    let input = BufReader::with_capacity(1 << 16, stream);
    let looked_at = wanted_columns(args).into_iter().map(str::to_owned).collect();
    let mut lines = Lines { input, rows: 0, fault: None, absent, looked_at, most: args.max_record };
    let first = lines.next_object()?;
    let names: Vec<String> = match &first {
        Some(object) => object.keys().cloned().collect(),
        None => wanted_columns(args).into_iter().map(str::to_owned).collect(),
    };
    let mut columns: Vec<&str> = names.iter().map(String::as_str).collect();
    if first.is_some() {
        check_columns(args, &names)?;
        // later lines may have per-row options that the first has not
        columns.extend(
            wanted_columns(args).into_iter().filter(|name| !names.iter().any(|n| n == name)),
        );
    }
    Ok((text_schema(columns.into_iter()), None, Reader::Jsonl(lines, first)))
}

impl Lines {
    /// The object on the next line that is not blank.
    fn next_object(&mut self) -> std::result::Result<Option<Map<String, Value>>, String> {
        let mut line = Vec::new();
        loop {
            line.clear();
            let read =
                (&mut self.input).take(self.most.saturating_add(2)).read_until(b'\n', &mut line);
            if read.map_err(|error| crate::status::plain(&error))? == 0 {
                return Ok(None);
            }
            if line.strip_suffix(b"\n").unwrap_or(&line).len() as u64 > self.most {
                return Err(format!("row {}: {}", self.rows, too_long(self.most)));
            }
            if !line.trim_ascii().is_empty() {
                break;
            }
        }
        let row = self.rows;
        self.rows += 1;
        match serde_json::from_slice(&line) {
            Ok(Value::Object(object)) => Ok(Some(object)),
            Ok(_) => Err(format!("row {row}: not a JSON object")),
            Err(error) => Err(format!("row {row}: not JSON: {error}")),
        }
    }

    /// Whether another line is here already, so that reading it cannot wait.
    fn has_line(&self) -> bool {
        self.input.buffer().contains(&b'\n')
    }
}

/// What a JSON value takes in memory, about.
fn memory_of(value: &Value) -> usize {
    TEXT_BYTES
        + match value {
            Value::String(text) => 2 * text.len(),
            Value::Array(values) => values.iter().map(memory_of).sum(),
            Value::Object(fields) => {
                fields.iter().map(|(name, value)| name.len() + memory_of(value)).sum()
            }
            _ => 0,
        }
}

fn jsonl_batch(
    lines: &mut Lines,
    first: &mut Option<Map<String, Value>>,
    schema: &SchemaRef,
) -> Next {
    if let Some(fault) = lines.fault.take() {
        return Err(fault);
    }
    let mut objects = Vec::new();
    let mut bytes = 0;
    // wait for one line, then take what has come with it
    while objects.is_empty()
        || (lines.has_line() && objects.len() < BATCH_ROWS && bytes < BATCH_BYTES)
    {
        let next = first.take().map_or_else(|| lines.next_object(), |object| Ok(Some(object)));
        let object = match next {
            Ok(Some(object)) => object,
            Ok(None) => break,
            Err(fault) if objects.is_empty() => return Err(fault),
            Err(fault) => {
                // the rows before it get their answers first
                lines.fault = Some(fault);
                break;
            }
        };
        bytes += object.values().map(memory_of).sum::<usize>();
        objects.push(object);
    }
    if objects.is_empty() {
        return Ok(None);
    }
    let mut problems = Vec::new();
    let mut columns = Vec::with_capacity(schema.fields().len());
    for field in schema.fields() {
        let name = field.name();
        let absent = lines.absent.iter().find(|(column, _)| column == name);
        let looked_at = lines.looked_at.contains(name);
        let cell = |(row, object): (usize, &Map<String, Value>)| match object.get(name) {
            None => absent.map(|(_, text)| text.clone()),
            Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text.clone()),
            Some(other) => {
                if looked_at {
                    let what = format!("{} is not a string", quoted(&other.to_string()));
                    let outcome = Outcome::Unreadable;
                    problems.push(Problem { row, column: name.clone(), what, outcome });
                }
                // what nobody looks at keeps its JSON form
                (!looked_at).then(|| other.to_string())
            }
        };
        columns.push(objects.iter().enumerate().map(cell).collect());
    }
    let table = text_batch(schema, columns, objects.len())?;
    Ok(Some(Batch { first_row: 0, table, objects: Some(objects), problems, alive: None }))
}
