//! Tables in batches of bounded size, whatever the format and the size of the file.
//!
//! Parquet and Arrow come as their own types. Of CSV and JSON lines, the cells that are needed come as text; lines
//! of JSON come beside them where an output keeps every field as it was. A cell that nobody reads is not decoded.
//! A decoder that panics on a hostile file is an error about that file.

use super::batch::Batch;
use super::cut::{Counted, Pieces};
use super::decoder::{self, unreadable};
use super::format::{Cells, Format};
use super::options::Reading;
use super::{csv_rows, ipc, jsonl, row_groups, sniff};
use crate::memory;
use crate::signals;
use crate::status::{Failure, Result};
use crate::streams;
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

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
    /// The rest of the table that was read last.
    pieces: Option<Pieces>,
}

enum Reader {
    Arrow(Box<dyn Iterator<Item = std::result::Result<RecordBatch, String>> + Send>),
    Csv(Box<csv_rows::CsvRows>),
    Jsonl(Box<jsonl::Table>),
}

impl Source {
    pub(super) fn open(reading: &Reading<'_>, path: &Path) -> Result<Source> {
        let is_stdin = path == Path::new("-");
        if is_stdin {
            streams::check_stdin()?;
        }
        let mut stream: Box<dyn Read + Send> = Box::new(io::stdin());
        let mut file = None;
        if !is_stdin {
            let opened = File::open(path).map_err(|error| unreadable(path, &error))?;
            let kind = opened.metadata().map_err(|error| unreadable(path, &error))?;
            if kind.is_dir() {
                return Err(Failure::at(path, "is a directory; give the files in it"));
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
        let format = reading.format.or_else(|| Format::of(path));
        if start.is_empty() {
            let expected = format.map_or(ANY_TABLE, Format::content);
            return Err(Failure::at(path, format!("is empty; expected {expected}")));
        }
        let format = match format {
            Some(format) => sniff::check(&start, format).map_err(|what| Failure::at(path, what))?,
            None => {
                unnamed_format(&start, file.is_none()).map_err(|what| Failure::at(path, what))?
            }
        };
        let output = reading.output.map(|path| Format::of(path).unwrap_or(format));
        let writes_columns = output.is_some_and(|output| output != Format::Jsonl);
        let is_read_twice = format == Format::Jsonl && writes_columns;
        if file.is_none() && (matches!(format, Format::Parquet | Format::Arrow) || is_read_twice) {
            // these formats are read from their end, or twice: keep a copy on disk
            file = Some(spooled(path, &mut stream)?);
        }
        let raw = reading.encodings.raw_columns(reading.names);
        let arrow =
            |batches: ipc::Batches| (batches.schema(), None, Reader::Arrow(Box::new(batches)));
        let json = |(schema, table)| (schema, None, Reader::Jsonl(Box::new(table)));
        let (schema, rows, reader) = guarded(path, || match (format, file) {
            (Format::Parquet, Some(file)) => {
                let (schema, rows, batches) =
                    row_groups::open(reading.names, &raw, output.is_some(), file)?;
                Ok((schema, Some(rows), Reader::Arrow(Box::new(batches))))
            }
            (Format::Arrow, Some(file)) => {
                ipc::Batches::of_file(reading.names, &raw, output.is_some(), file).map(arrow)
            }
            (Format::ArrowStream, _) => {
                let stream = Box::new(BufReader::new(stream));
                ipc::Batches::of_stream(reading.names, &raw, output.is_some(), stream).map(arrow)
            }
            (Format::Csv | Format::Tsv, _) => {
                let cells = Cells::of(format, reading.delimiter, reading.quote);
                let (schema, rows) = csv_rows::open(reading, stream, cells)?;
                Ok((schema, None, Reader::Csv(Box::new(rows))))
            }
            (_, Some(file)) if is_read_twice => jsonl::open_in_columns(reading, file).map(json),
            _ => jsonl::open(reading, stream, output.is_some()).map(json),
        })?;
        // a table without rows has columns too
        let names: Vec<String> = schema.fields().iter().map(|f| f.name().clone()).collect();
        reading.names.check(&names).map_err(|what| Failure::at(path, what))?;
        let columns = reading.names.wanted().into_iter().map(str::to_owned).collect();
        let counted = Counted { columns, is_written: reading.output.is_some() };
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
                csv_rows::next_batch(rows, &schema, first_row)
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

/// The expected content of an input whose format nothing says.
const ANY_TABLE: &str = "a table (Parquet, Arrow, CSV, TSV or JSON lines)";

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
    decoder::guarded(path, "is broken: its decoder gave up", work)
}

/// Standard input as a file without a name.
fn spooled(path: &Path, stream: &mut dyn Read) -> Result<File> {
    let mut copy = || {
        let mut file = {
            // it may have a name for a moment
            let _held = signals::hold();
            tempfile::tempfile()?
        };
        io::copy(stream, &mut file)?;
        file.rewind()?;
        file.flush()?;
        Ok(file)
    };
    copy().map_err(|error| unreadable(path, &error))
}
