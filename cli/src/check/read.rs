//! Tables in batches of bounded size, whatever the format and the size of the file.
//!
//! Parquet and Arrow come as their own types. Of CSV and JSON lines, the cells that are needed come as text; lines
//! of JSON come beside them where an output keeps every field as it was. A cell that nobody reads is not decoded.
//! A decoder that panics on a hostile file is an error about that file.

use super::cut::{BATCH_BYTES, BATCH_ROWS, Counted, Pieces};
use super::{
    Args, Format, Outcome, Problem, check_memory, ipc, jsonl, pages, say, sniff, unreadable,
};
use crate::memory;
use crate::signals;
use crate::status::{Failure, Result, quoted};
use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, RecordBatch, RecordBatchReader};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use parquet::file::metadata::ParquetMetaData;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, Write};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// No row of Parquet has more bytes in columns of fixed width.
const MOST_FIXED_BYTES: u64 = i32::MAX as u64;
/// What a cell of text takes beside its bytes while a batch is put together.
pub(super) const TEXT_BYTES: usize = 64;
/// So many of a table's columns are named where one is missing.
const MOST_NAMES: usize = 20;
/// Columns of Parquet that are read: each has a decompressor of its own.
const MOST_LEAVES: usize = 1000;

/// Rows of a table.
pub(super) struct Batch {
    /// Number of the first row in the table, from 0.
    pub(super) first_row: u64,
    pub(super) table: RecordBatch,
    /// Lines of JSON, without what surrounds the objects, where they go on to an output as they are.
    pub(super) lines: Option<Vec<Vec<u8>>>,
    /// Cells that could not be read so far.
    pub(super) problems: Vec<Problem>,
    /// Held by each batch that is in memory, and by the source.
    alive: Option<Arc<()>>,
}

impl Batch {
    fn of(table: RecordBatch) -> Self {
        Batch { first_row: 0, table, lines: None, problems: Vec::new(), alive: None }
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
    Csv(Box<CsvRows>),
    Jsonl(Box<jsonl::Table>),
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
        let mut start = Vec::new();
        if let Some(file) = &file {
            start = start_of(file).map_err(|error| unreadable(path, &error))?;
        } else {
            let mut peeked = BufReader::with_capacity(sniff::LEN, stream);
            let first = peeked.fill_buf().map_err(|error| unreadable(path, &error))?;
            start.extend_from_slice(&first[..first.len().min(sniff::LEN)]);
            stream = Box::new(peeked);
        }
        let format = match args.format.or_else(|| Format::of(path)) {
            Some(format) => sniff::check(&start, format).map_err(|what| Failure::at(path, what))?,
            None => {
                unnamed_format(&start, file.is_none()).map_err(|what| Failure::at(path, what))?
            }
        };
        let output = args.output.as_ref().map(|path| Format::of(path).unwrap_or(format));
        let writes_columns = output.is_some_and(|output| output != Format::Jsonl);
        let is_read_twice = format == Format::Jsonl && writes_columns;
        if file.is_none() && (matches!(format, Format::Parquet | Format::Arrow) || is_read_twice) {
            // these formats are read from their end, or twice: keep a copy on disk
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
            (Format::Csv | Format::Tsv, _) => csv(args, stream, args.delimiter(format)),
            (_, Some(file)) if is_read_twice => json_lines_in_columns(args, file),
            _ => json_lines(args, stream, output.is_some()),
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
            Reader::Csv(rows) => {
                wait_for_room(alive);
                csv_batch(rows, &schema, first_row)
            }
            Reader::Jsonl(rows) => {
                wait_for_room(alive);
                let next = rows.next_rows(&schema)?;
                Ok(next.map(|jsonl::Rows { table, lines, problems }| Batch {
                    first_row: 0,
                    table,
                    lines,
                    problems,
                    alive: None,
                }))
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

/// The first bytes of a file.
fn start_of(file: &File) -> io::Result<Vec<u8>> {
    let mut start = vec![0; sniff::LEN];
    let mut len = 0;
    while len < start.len() {
        match file.read_at(&mut start[len..], len as u64) {
            Ok(0) => break,
            Ok(read) => len += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    start.truncate(len);
    Ok(start)
}

/// The format of a table whose name tells none: that of a stream is told by its first bytes.
fn unnamed_format(start: &[u8], is_stream: bool) -> std::result::Result<Format, String> {
    let unknown = "the format cannot be told from the name; use --format";
    match sniff::Kind::of(start) {
        Some(sniff::Kind::Table(format)) if is_stream => Ok(format),
        Some(sniff::Kind::Table(format)) => {
            Err(format!("{unknown} {} (it is {})", format.option(), format.title()))
        }
        Some(sniff::Kind::Other(kind)) => Err(format!("is {kind}; {}", sniff::advice(kind))),
        None => Err(unknown.to_owned()),
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
    let is_encrypted = pages::check_schema(&file)?;
    parquet_rows(args, file, is_encrypted).map_err(|what| encrypted(is_encrypted, what))
}

/// Columns that are encrypted look damaged to a decoder without their keys.
fn encrypted(is_encrypted: bool, what: String) -> String {
    match is_encrypted {
        true => format!(
            "has encrypted columns; decrypt it first, with the program that has its keys ({what})"
        ),
        false => what,
    }
}

fn parquet_rows(args: &Args, file: File, is_encrypted: bool) -> Opened {
    let len = file.metadata().map_err(|error| crate::status::plain(&error))?.len();
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
    let batches = RowGroups { file, metadata, mask, groups, current: None, is_encrypted };
    Ok((schema, Some(rows), Reader::Arrow(Box::new(batches))))
}

/// The batches of a Parquet file, row group by row group: each has batches of its own size.
struct RowGroups {
    file: File,
    metadata: ArrowReaderMetadata,
    mask: ProjectionMask,
    groups: Range<usize>,
    current: Option<(usize, ParquetRecordBatchReader)>,
    is_encrypted: bool,
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

    /// The message about a row group, with the page if it is one.
    fn fault(&self, number: usize, what: &str) -> String {
        let group = self.metadata.metadata().row_group(number);
        let what = pages::say(what);
        let place = what
            .ends_with(pages::BAD_CHECKSUM)
            .then(|| pages::bad_checksum(&self.file, group, |leaf| self.mask.leaf_included(leaf)));
        match place.flatten() {
            Some(place) => format!("row group {number}, {place}: {}", pages::BAD_CHECKSUM),
            None => encrypted(self.is_encrypted, what),
        }
    }
}

impl Iterator for RowGroups {
    type Item = std::result::Result<RecordBatch, String>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some((number, reader)) = &mut self.current {
                let number = *number;
                if let Some(batch) = reader.next() {
                    return Some(batch.map_err(|error| self.fault(number, &error.to_string())));
                }
            }
            self.current = None;
            let number = self.groups.next()?;
            match self.open(number) {
                Ok(reader) => self.current = Some((number, reader)),
                Err(what) => return Some(Err(self.fault(number, &what))),
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

/// The rows of CSV.
struct CsvRows {
    reader: csv::Reader<Box<dyn Read + Send>>,
    /// The names of all columns.
    header: Vec<String>,
    /// The columns of the table, by their numbers in a record, and whether they are looked at.
    needed: Vec<(usize, bool)>,
    null: Option<String>,
}

fn csv(args: &Args, stream: Box<dyn Read + Send>, delimiter: u8) -> Opened {
    let stream: Box<dyn Read + Send> = Box::new(Records::new(stream, args.max_record, delimiter));
    let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).from_reader(stream);
    let header: Vec<String> = match reader.headers() {
        Ok(header) => header.iter().map(str::to_owned).collect(),
        Err(error) => return Err(csv_error("header", &[], &error)),
    };
    if header.is_empty() {
        return Err("is empty: not even a header".to_owned());
    }
    check_columns(args, &header).map_err(|what| match other_delimiter(&header) {
        Some(other) => format!("{what}, or say --delimiter {other}"),
        None => what,
    })?;
    let wanted = wanted_columns(args);
    let columns = header.iter().enumerate();
    let columns = columns.map(|(number, name)| (number, wanted.contains(&name.as_str())));
    // a column that nobody reads is not decoded
    let needed: Vec<(usize, bool)> =
        columns.filter(|(_, looked_at)| *looked_at || args.output.is_some()).collect();
    let schema = text_schema(needed.iter().map(|(number, _)| header[*number].as_str()));
    let rows = CsvRows { reader, header, needed, null: args.null.clone() };
    Ok((schema, None, Reader::Csv(Box::new(rows))))
}

/// The delimiter of a header that has one cell, where it looks as if there were another.
fn other_delimiter(header: &[String]) -> Option<&'static str> {
    let [only] = header else { return None };
    let known = [('\t', "tab"), (';', "';'"), ('|', "'|'"), (',', "','")];
    known.into_iter().find(|(delimiter, _)| only.contains(*delimiter)).map(|(_, option)| option)
}

/// The next batch; its `first_row` is set by the caller.
type Next = std::result::Result<Option<Batch>, String>;

fn csv_batch(rows: &mut CsvRows, schema: &SchemaRef, first_row: u64) -> Next {
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

/// What is wrong with the record that `which` names.
fn csv_error(which: &str, header: &[String], error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("{which}: {len} cells, but the header has {expected_len}")
        }
        csv::ErrorKind::Utf8 { err, .. } => format!("{which}, cell {}: not UTF-8", err.field()),
        csv::ErrorKind::Io(error) => match error.get_ref().and_then(|e| e.downcast_ref()) {
            Some(TooLong { column, most }) => {
                let name = header.get(*column);
                let name = name.map_or_else(|| column.to_string(), |name| quoted(name));
                format!("{which}, column {name}: {}", too_long(*most))
            }
            None => format!("{which}: {}", crate::status::plain(error)),
        },
        _ => format!("{which}: {}", say(error)),
    }
}

pub(super) fn too_long(most: u64) -> String {
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
    delimiter: u8,
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
    fn new(input: R, most: u64, delimiter: u8) -> Self {
        Records { input, most, len: 0, column: 0, state: Cell::Start, delimiter }
    }

    fn pass(&mut self, bytes: &[u8]) -> std::result::Result<(), TooLong> {
        for byte in bytes {
            self.len += 1;
            self.state = match (self.state, byte) {
                (Cell::Quoted, b'"') => Cell::Quote,
                (Cell::Quoted, _) | (Cell::Start | Cell::Quote, b'"') => Cell::Quoted,
                (_, byte) if *byte == self.delimiter => {
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

pub(super) fn text_batch(
    schema: &SchemaRef,
    columns: Vec<StringBuilder>,
    rows: usize,
) -> std::result::Result<RecordBatch, String> {
    let arrays = columns.into_iter().map(|mut column| Arc::new(column.finish()) as ArrayRef);
    let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(schema.clone(), arrays.collect(), &options).map_err(say)
}

/// JSON lines whose fields all go on to an output in columns: their names are read first.
fn json_lines_in_columns(args: &Args, mut file: File) -> Opened {
    let io = |error: io::Error| crate::status::plain(&error);
    let stream = |file: &File| -> std::result::Result<Box<dyn Read + Send>, String> {
        Ok(Box::new(file.try_clone().map_err(io)?))
    };
    file.rewind().map_err(io)?;
    let wanted = wanted_columns(args);
    let names = jsonl::Names::of(jsonl::Lines::new(stream(&file)?, args.max_record), &wanted)?;
    file.rewind().map_err(io)?;
    json_table(args, stream(&file)?, Some(names), true)
}

fn json_lines(args: &Args, stream: Box<dyn Read + Send>, is_written: bool) -> Opened {
    json_table(args, stream, None, is_written)
}

/// A table of the fields in `names`, or else of those that are looked at.
fn json_table(
    args: &Args,
    stream: Box<dyn Read + Send>,
    names: Option<Vec<String>>,
    is_written: bool,
) -> Opened {
    let mut lines = jsonl::Lines::new(stream, args.max_record);
    let mut first = Vec::new();
    let first = lines.next_line(&mut first)?.then_some(first);
    if let Some(line) = &first {
        // later lines may have per-row options that the first has not
        let of_first = jsonl::names_of(line, 0)?;
        check_columns(args, names.as_ref().unwrap_or(&of_first))?;
    }
    let keeps_lines = is_written && names.is_none();
    let mut columns = names.unwrap_or_default();
    let wanted = wanted_columns(args);
    for name in &wanted {
        if !columns.iter().any(|column| column == name) {
            columns.push((*name).to_owned());
        }
    }
    let absent = [
        (&args.alg_column, args.alg().name()),
        (&args.rule_column, args.rule().name()),
        (&args.variant_column, args.variant().name()),
        (&args.context_column, args.context()),
    ];
    let fields = columns.into_iter().map(|name| {
        let absent = absent.iter().find(|(column, _)| **column == name);
        let absent = absent.map(|(_, text)| (*text).to_owned());
        jsonl::Field { looked_at: wanted.contains(&name.as_str()), name, absent }
    });
    let fields: Vec<jsonl::Field> = fields.collect();
    let schema = text_schema(fields.iter().map(|field| field.name.as_str()));
    let table = jsonl::Table::new(lines, first, fields, is_written, keeps_lines);
    Ok((schema, None, Reader::Jsonl(Box::new(table))))
}
