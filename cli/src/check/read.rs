//! Tables as batches of rows: Parquet, Arrow IPC, CSV, JSON lines; from files and pipes.
//!
//! Memory holds a few batches, whatever the size of the table. Text formats from a pipe never wait
//! for more input while they hold complete rows, so that a program can write a line and wait for
//! its answer. Decoders of damaged files may panic; that becomes a message here.
//!
//! Reach: own `roles`, `status`.

use super::roles::{ROLES, Role, Wanted};
use crate::status::{Failure, Result, plain};
use arrow_array::builder::LargeStringBuilder;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::SchemaRef;
use clap::ValueEnum;
use csv::ByteRecord;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Rows of a batch at most.
const BATCH_ROWS: usize = 16 * 1024;
/// Bytes that are read at once, and so about the size of a batch of a text format.
const BUFFER: usize = 4 * 1024 * 1024;
/// Bytes of one JSON line at most.
const LINE_MAX: usize = 256 * 1024 * 1024;

/// How a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Apache Parquet
    Parquet,
    /// Arrow IPC file (also called Feather)
    Arrow,
    /// Arrow IPC stream
    ArrowStream,
    /// Comma-separated values with a header line
    Csv,
    /// One JSON object a line
    Jsonl,
}

impl Format {
    /// The format that a file name stands for.
    pub(crate) fn of_name(path: &Path) -> Option<Format> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        Some(match extension.as_str() {
            "parquet" | "pq" => Format::Parquet,
            "arrow" | "feather" | "ipc" => Format::Arrow,
            "arrows" => Format::ArrowStream,
            "csv" => Format::Csv,
            "jsonl" | "ndjson" => Format::Jsonl,
            _ => return None,
        })
    }

    /// The format that the first bytes stand for.
    fn of_bytes(bytes: &[u8]) -> Format {
        if bytes.starts_with(b"PAR1") {
            Format::Parquet
        } else if bytes.starts_with(b"ARROW1") {
            Format::Arrow
        } else if bytes.starts_with(&[0xff; 4]) {
            Format::ArrowStream
        } else if bytes.trim_ascii_start().first() == Some(&b'{') {
            Format::Jsonl
        } else {
            Format::Csv
        }
    }
}

/// Some rows of a table.
pub(crate) struct Batch {
    /// The number of its first row in the file.
    pub(crate) first: u64,
    pub(crate) rows: usize,
    /// The columns that verification reads; `None` where the options decide.
    pub(crate) columns: [Option<ArrayRef>; ROLES],
    /// The rows as they came, for the output.
    pub(crate) payload: Payload,
}

/// Rows as they came.
pub(crate) enum Payload {
    Arrow(RecordBatch),
    Csv(Vec<ByteRecord>),
    Json(Vec<String>),
}

/// The columns of a table, as far as they are known before its rows.
#[derive(Clone)]
pub(crate) enum Header {
    Arrow(SchemaRef),
    Csv(Vec<String>),
    Json,
}

/// How far reading has come.
#[derive(Clone, Default)]
pub(crate) struct Meter {
    /// Bytes that were read.
    pub(crate) bytes: Arc<AtomicU64>,
    /// Bytes there are, if known.
    pub(crate) total_bytes: Option<u64>,
    /// Rows there are, if known.
    pub(crate) total_rows: Option<u64>,
}

struct Counted<R> {
    inner: R,
    bytes: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.inner.read(buffer)?;
        self.bytes.fetch_add(len as u64, Ordering::Relaxed);
        Ok(len)
    }
}

type Bytes = Box<dyn Read + Send>;

enum Reader {
    Parquet(ParquetRecordBatchReader),
    Arrow(FileReader<BufReader<File>>),
    ArrowStream(StreamReader<Bytes>),
    Csv(csv::Reader<Counted<Bytes>>),
    Json(BufReader<Counted<Bytes>>),
}

/// A table that is read batch by batch.
pub(crate) struct Source {
    path: PathBuf,
    reader: Reader,
    wanted: Wanted,
    places: [Option<usize>; ROLES],
    next_row: u64,
    /// An error that comes after the rows before it.
    pending: Option<Failure>,
    pub(crate) format: Format,
    pub(crate) header: Header,
    pub(crate) meter: Meter,
}

impl Source {
    /// Opens a file, or standard input for `-`.
    pub(crate) fn open(path: &Path, format: Option<Format>, wanted: &Wanted) -> Result<Source> {
        guarded(path, || Self::open_unguarded(path, format, wanted))
    }

    fn open_unguarded(path: &Path, format: Option<Format>, wanted: &Wanted) -> Result<Source> {
        let failure = |error: io::Error| Failure::at(path, plain(&error));
        let mut meter = Meter::default();
        let mut seekable = None;
        let mut bytes: Bytes = if path == Path::new("-") {
            Box::new(io::stdin())
        } else {
            let file = File::open(path).map_err(failure)?;
            let kind = file.metadata().map_err(failure)?;
            if kind.is_dir() {
                return Err(Failure::at(path, "is a directory"));
            }
            if kind.is_file() {
                meter.total_bytes = Some(kind.len());
                seekable = Some(file.try_clone().map_err(failure)?);
            }
            Box::new(file)
        };
        let format = format.or_else(|| Format::of_name(path));
        let format = match format {
            Some(format) => format,
            None => {
                let start = peek(&mut bytes).map_err(failure)?;
                if start.is_empty() {
                    return Err(Failure::at(path, "is empty"));
                }
                let format = Format::of_bytes(&start);
                if let Some(file) = &mut seekable {
                    file.rewind().map_err(failure)?; // shares its position with `bytes`
                } else {
                    bytes = Box::new(Cursor::new(start).chain(bytes));
                }
                format
            }
        };
        if meter.total_bytes == Some(0) && format != Format::Jsonl {
            return Err(Failure::at(path, "is empty"));
        }
        if matches!(format, Format::Parquet | Format::Arrow) && seekable.is_none() {
            seekable = Some(spool(&mut bytes).map_err(failure)?);
        }
        let bad = |what: &str, error: &dyn fmt::Display| Failure::at(path, format!("{what}: {error}"));
        let counted = |inner| Counted { inner, bytes: meter.bytes.clone() };
        let (reader, header, places) = match (format, seekable) {
            (Format::Parquet, Some(file)) => {
                let what = "not a readable Parquet file";
                let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|e| bad(what, &e))?;
                let schema = builder.schema().clone();
                let places = locate(path, wanted, &schema)?;
                meter.total_rows = u64::try_from(builder.metadata().file_metadata().num_rows()).ok();
                let builder = builder.with_batch_size(BATCH_ROWS);
                let (builder, places) = if wanted.all_columns {
                    (builder, places)
                } else {
                    let roots: Vec<usize> = places.iter().flatten().copied().collect();
                    let mask = ProjectionMask::roots(builder.parquet_schema(), roots.iter().copied());
                    // the reader gives the chosen columns in file order, each once
                    let mut order = roots;
                    order.sort_unstable();
                    order.dedup();
                    let moved = places.map(|p| p.and_then(|p| order.iter().position(|o| *o == p)));
                    (builder.with_projection(mask), moved)
                };
                let reader = builder.build().map_err(|e| bad(what, &e))?;
                (Reader::Parquet(reader), Header::Arrow(schema), places)
            }
            (Format::Arrow, Some(file)) => {
                let what = "not a readable Arrow file";
                let reader = FileReader::try_new(BufReader::new(file), None).map_err(|e| bad(what, &e))?;
                let schema = reader.schema();
                let places = locate(path, wanted, &schema)?;
                (Reader::Arrow(reader), Header::Arrow(schema), places)
            }
            (Format::ArrowStream, _) => {
                let bytes: Bytes = Box::new(BufReader::new(counted(bytes)));
                let reader = StreamReader::try_new(bytes, None)
                    .map_err(|e| bad("not a readable Arrow stream", &e))?;
                let schema = reader.schema();
                let places = locate(path, wanted, &schema)?;
                (Reader::ArrowStream(reader), Header::Arrow(schema), places)
            }
            (Format::Csv, _) => {
                let mut reader =
                    csv::ReaderBuilder::new().buffer_capacity(BUFFER).from_reader(counted(bytes));
                let header = reader.byte_headers().map_err(|e| csv_failure(path, None, &e))?;
                let names: std::result::Result<Vec<String>, _> =
                    header.iter().map(|name| String::from_utf8(name.to_vec())).collect();
                let names = names.map_err(|_| Failure::at(path, "header line is not UTF-8"))?;
                if names.is_empty() {
                    return Err(Failure::at(path, "is empty: no header line"));
                }
                let places = wanted.locate(&names).map_err(|what| Failure::at(path, what))?;
                (Reader::Csv(reader), Header::Csv(names), places)
            }
            (Format::Jsonl, _) => {
                let reader = BufReader::with_capacity(BUFFER, counted(bytes));
                (Reader::Json(reader), Header::Json, [None; ROLES])
            }
            (Format::Parquet | Format::Arrow, None) => {
                return Err(Failure::at(path, "cannot be read from the middle"));
            }
        };
        Ok(Source {
            path: path.to_owned(),
            reader,
            wanted: wanted.clone(),
            places,
            next_row: 0,
            pending: None,
            format,
            header,
            meter,
        })
    }

    /// The next rows; `None` at the end.
    pub(crate) fn next_batch(&mut self) -> Result<Option<Batch>> {
        if let Some(failure) = self.pending.take() {
            return Err(failure);
        }
        let path = self.path.clone();
        let batch = guarded(&path, || self.next_unguarded())?;
        if let Some(batch) = &batch {
            self.next_row += batch.rows as u64;
        }
        Ok(batch)
    }

    fn next_unguarded(&mut self) -> Result<Option<Batch>> {
        match &self.reader {
            Reader::Csv(_) => self.next_csv(),
            Reader::Json(_) => self.next_json(),
            _ => self.next_arrow(),
        }
    }

    fn next_arrow(&mut self) -> Result<Option<Batch>> {
        let next = match &mut self.reader {
            Reader::Parquet(reader) => reader.next(),
            Reader::Arrow(reader) => reader.next(),
            Reader::ArrowStream(reader) => reader.next(),
            Reader::Csv(_) | Reader::Json(_) => None,
        };
        let Some(batch) = next else { return Ok(None) };
        let after = self.next_row;
        let batch = batch
            .map_err(|error| Failure::at(&self.path, format!("after row {after}: {error}")))?;
        let columns = self.places.map(|place| place.and_then(|i| batch.columns().get(i).cloned()));
        let rows = batch.num_rows();
        Ok(Some(Batch { first: after, rows, columns, payload: Payload::Arrow(batch) }))
    }

    fn next_csv(&mut self) -> Result<Option<Batch>> {
        let Reader::Csv(reader) = &mut self.reader else { return Ok(None) };
        let mut records = Vec::new();
        let (mut start, mut record) = (reader.position().byte(), ByteRecord::new());
        loop {
            match reader.read_byte_record(&mut record) {
                Ok(false) => break,
                Ok(true) => records.push(std::mem::take(&mut record)),
                Err(error) => {
                    let row = self.next_row + records.len() as u64;
                    self.pending = Some(csv_failure(&self.path, Some(row), &error));
                    break;
                }
            }
            let position = reader.position().byte();
            let had = reader.get_ref().bytes.load(Ordering::Relaxed);
            // one byte may be the second half of a line end; nobody waits for what is behind it
            let empty = had.saturating_sub(position) <= 1;
            if empty || records.len() >= BATCH_ROWS || position - start >= BUFFER as u64 {
                start = position;
                break;
            }
        }
        let _ = start;
        let mut builders = self.places.map(|place| place.map(|_| LargeStringBuilder::new()));
        for (i, record) in records.iter().enumerate() {
            for role in Role::ALL {
                let index = role as usize;
                let (Some(place), Some(builder)) = (self.places[index], &mut builders[index]) else {
                    continue;
                };
                let cell = record.get(place).unwrap_or_default();
                let cell = std::str::from_utf8(cell).map_err(|_| {
                    let row = self.next_row + i as u64;
                    let column = self.wanted.name(role);
                    Failure::at(&self.path, format!("row {row}, column {column}: not UTF-8"))
                })?;
                let null = cell.is_empty() && !role.may_be_empty();
                builder.append_option((!null).then_some(cell));
            }
        }
        self.text_batch(records.len(), builders, Payload::Csv(records))
    }

    fn next_json(&mut self) -> Result<Option<Batch>> {
        let Reader::Json(reader) = &mut self.reader else { return Ok(None) };
        let mut lines: Vec<String> = Vec::new();
        let mut builders = Role::ALL.map(|_| Some(LargeStringBuilder::new()));
        let mut bytes = 0;
        loop {
            let row = self.next_row + lines.len() as u64;
            let line = read_line(reader).and_then(|line| match line {
                None => Ok(None),
                Some(line) => {
                    fields_of(&line, row, &self.wanted, &mut builders).map(|()| Some(line))
                }
            });
            match line {
                Ok(None) => break,
                Ok(Some(line)) => {
                    bytes += line.len();
                    lines.push(line);
                }
                Err(what) => {
                    self.pending = Some(Failure::at(&self.path, format!("row {row}{what}")));
                    break;
                }
            }
            let more = reader.buffer().contains(&b'\n');
            if !more || lines.len() >= BATCH_ROWS || bytes >= BUFFER {
                break;
            }
        }
        self.text_batch(lines.len(), builders, Payload::Json(lines))
    }

    fn text_batch(
        &mut self,
        rows: usize,
        builders: [Option<LargeStringBuilder>; ROLES],
        payload: Payload,
    ) -> Result<Option<Batch>> {
        if rows == 0 {
            return self.pending.take().map_or(Ok(None), Err);
        }
        let columns =
            builders.map(|b| b.map(|mut b| Arc::new(b.finish()) as ArrayRef));
        Ok(Some(Batch { first: self.next_row, rows, columns, payload }))
    }
}

fn locate(path: &Path, wanted: &Wanted, schema: &SchemaRef) -> Result<[Option<usize>; ROLES]> {
    let names: Vec<&String> = schema.fields().iter().map(|field| field.name()).collect();
    wanted.locate(&names).map_err(|what| Failure::at(path, what))
}

/// Runs a decoder; a panic of it is a damaged file.
fn guarded<T>(path: &Path, work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(Failure::at(path, "is damaged: its decoder gave up")))
}

/// The first bytes, enough to know the format, and what was read with them.
fn peek(bytes: &mut dyn Read) -> io::Result<Vec<u8>> {
    let mut start = vec![0; 64];
    let mut len = 0;
    while len < 6 && start[..len].trim_ascii_start().first() != Some(&b'{') {
        match bytes.read(&mut start[len..]) {
            Ok(0) => break,
            Ok(more) => len += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    start.truncate(len);
    Ok(start)
}

/// Puts a pipe into a temporary file, for formats that are read from their end.
fn spool(bytes: &mut dyn Read) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    io::copy(bytes, &mut file)?;
    file.rewind()?;
    Ok(file)
}

fn csv_failure(path: &Path, row: Option<u64>, error: &csv::Error) -> Failure {
    let place = row.map_or_else(|| "header line".to_owned(), |row| format!("row {row}"));
    Failure::at(
        path,
        match error.kind() {
            csv::ErrorKind::Io(error) => plain(error),
            csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
                format!("{place}: {len} cells, but the header has {expected_len}")
            }
            _ => format!("{place}: {error}"),
        },
    )
}

/// The next line without its end; `None` at the end of the input.
fn read_line(reader: &mut impl BufRead) -> std::result::Result<Option<String>, String> {
    let mut line = Vec::new();
    let read = reader.take(LINE_MAX as u64).read_until(b'\n', &mut line);
    read.map_err(|error| format!(": {}", plain(&error)))?;
    if line.is_empty() {
        return Ok(None);
    }
    if line.len() == LINE_MAX {
        return Err(format!(": line is longer than {LINE_MAX} bytes"));
    }
    if line.last() == Some(&b'\n') {
        line.pop();
        if line.last() == Some(&b'\r') {
            line.pop();
        }
    }
    String::from_utf8(line).map(Some).map_err(|_| ": not UTF-8".to_owned())
}

/// Puts the fields of one line into the columns. All columns grow by one cell, or none does.
fn fields_of(
    line: &str,
    row: u64,
    wanted: &Wanted,
    builders: &mut [Option<LargeStringBuilder>; ROLES],
) -> std::result::Result<(), String> {
    let fields = parse_object(line)?;
    let mut cells: [Option<Cow<'_, str>>; ROLES] = [const { None }; ROLES];
    for role in Role::ALL {
        let name = wanted.name(role);
        let mut found = fields.iter().filter(|(field, _)| field == name);
        let first = found.next();
        if found.next().is_some() {
            return Err(format!(", column {name}: the field is there more than once"));
        }
        let at = |what: String| format!(", column {name}: {what}");
        cells[role as usize] = match first {
            None if !role.is_needed() => Some(wanted.defaults[role as usize].as_str().into()),
            // in the first line it is a misnamed column, later on a null
            None if row == 0 => {
                let names: Vec<&str> = fields.iter().map(|(name, _)| name.as_ref()).collect();
                return Err(format!(": {}", wanted.missing(role, &names)));
            }
            None => None,
            Some(_) if !wanted.takes(role).map_err(at)? => {
                Some(wanted.defaults[role as usize].as_str().into())
            }
            Some((_, value)) => string_or_null(value.get()).map_err(at)?,
        };
    }
    for (builder, cell) in builders.iter_mut().flatten().zip(cells) {
        builder.append_option(cell);
    }
    Ok(())
}

fn string_or_null(value: &str) -> std::result::Result<Option<Cow<'_, str>>, String> {
    if value == "null" {
        return Ok(None);
    }
    let Some(inner) = value.strip_prefix('"').and_then(|v| v.strip_suffix('"')) else {
        let kind = match value.as_bytes().first() {
            Some(b'{') => "an object",
            Some(b'[') => "an array",
            Some(b't' | b'f') => "a boolean",
            _ => "a number",
        };
        return Err(format!("{kind}, not a string"));
    };
    if !inner.contains('\\') {
        return Ok(Some(inner.into()));
    }
    let text: String = serde_json::from_str(value).map_err(|error| error.to_string())?;
    Ok(Some(text.into()))
}

pub(crate) type Fields<'a> = Vec<(Cow<'a, str>, &'a RawValue)>;

/// The fields of one JSON object, in order, values as they are written.
pub(crate) fn parse_object(line: &str) -> std::result::Result<Fields<'_>, String> {
    struct Object;
    impl<'de> Visitor<'de> for Object {
        type Value = Fields<'de>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Self::Value, A::Error> {
            let mut fields = Vec::new();
            while let Some((name, value)) = map.next_entry::<String, &RawValue>()? {
                fields.push((Cow::Owned(name), value));
            }
            Ok(fields)
        }
    }
    let mut parser = serde_json::Deserializer::from_str(line);
    let fields = parser.deserialize_map(Object).and_then(|fields| parser.end().map(|()| fields));
    fields.map_err(|error| {
        let text = error.to_string();
        let what = text.split(" at line ").next().unwrap_or(&text);
        format!(": not a JSON object: {what} at position {}", error.column())
    })
}
