//! The output of `check`: the input's rows with a verdict and a reason.

use super::batch::Batch;
use super::cells::{AsText, as_json, as_text, decoded_runs, has_text, without_runs};
use super::decoder::guarded;
use super::format::{Cells, Format, Quote};
use super::outcome::Outcome;
use super::read::Source;

use crate::output::{Output, Rights};
use crate::status::{Failure, LONGEST_QUOTE, Result, plain, printable, quoted};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, Time32MillisecondType, Time32SecondType, TimestampMillisecondType,
    TimestampSecondType,
};
use arrow_array::{Array, ArrayRef, BooleanArray, PrimitiveArray, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, IntervalUnit, Schema, SchemaRef, TimeUnit};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use serde_json::{Map, Value};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Row groups of Parquet outputs end here, so that memory stays bounded.
const ROW_GROUP_BYTES: usize = 64 * 1024 * 1024;

/// The options of an output.
pub(super) struct Writing {
    /// It may take the place of another file.
    pub(super) force: bool,
    /// Rows that are valid are left out.
    pub(super) only_bad: bool,
    /// Columns of claims, after verdict and reason.
    pub(super) claims: Vec<String>,
    /// Of CSV: the characters between and around cells, if others than the usual ones, and the text of a null.
    pub(super) delimiter: Option<u8>,
    pub(super) quote: Option<Quote>,
    pub(super) null: Option<String>,
}

/// An output that is being written.
pub(super) struct Sink {
    path: PathBuf,
    schema: SchemaRef,
    /// So many columns stand after those of the input.
    added: usize,
    only_bad: bool,
    writer: Writer,
}

enum Writer {
    Parquet(Box<ArrowWriter<Output>>),
    Arrow(Box<arrow_ipc::writer::FileWriter<BufWriter<Output>>>),
    ArrowStream(Box<arrow_ipc::writer::StreamWriter<BufWriter<Output>>>),
    Csv(Box<csv::Writer<Output>>, Text),
    Jsonl(BufWriter<Output>),
}

/// The text of nulls in CSV, and the cells that CSV cannot hold.
struct Text {
    null: String,
    cells: Cells,
}

impl Text {
    /// Refuses a cell that would be several without quotes.
    fn check(&self, cell: &str) -> std::result::Result<(), String> {
        let Cells { delimiter, quote, .. } = self.cells;
        let is_end = |byte: u8| byte == delimiter || matches!(byte, b'\r' | b'\n');
        match quote.is_none() && cell.bytes().any(is_end) {
            true => Err(format!(
                "`{}` has a delimiter or a line end in it, which --quote none does not allow",
                quoted(cell)
            )),
            false => Ok(()),
        }
    }
}

impl Sink {
    pub(super) fn create(
        writing: &Writing,
        path: &Path,
        input: &Path,
        source: &Source,
    ) -> Result<Sink> {
        let format = match path.extension() {
            None => source.format(),
            Some(_) => Format::of(path).ok_or_else(|| {
                Failure::at(
                    path,
                    "no format has this extension (parquet, arrow, arrows, csv, tsv, jsonl)",
                )
            })?,
        };
        let called = named(path);
        // runs are decoded: few programs know them
        let decoded = |field: &Arc<Field>| {
            let kind = without_runs(field.data_type());
            if kind == field.data_type() {
                return field.clone();
            }
            let field = field.as_ref().clone().with_data_type(kind.clone());
            Arc::new(field.with_nullable(true))
        };
        let mut fields: Vec<Arc<Field>> = source.schema().fields().iter().map(decoded).collect();
        let names = ["verdict", "reason"].into_iter();
        let names: Vec<&str> = names.chain(writing.claims.iter().map(String::as_str)).collect();
        for name in &names {
            if fields.iter().any(|field| field.name() == name) {
                return Err(Failure::at(
                    input,
                    format!("has a column `{}` already; rename it first", quoted(name)),
                ));
            }
            fields.push(Arc::new(Field::new(*name, DataType::Utf8, true)));
        }
        if format == Format::Parquet {
            let stored = |field: &Arc<Field>| match in_parquet(field.data_type()) {
                None => field.clone(),
                Some(kind) => Arc::new(field.as_ref().clone().with_data_type(kind)),
            };
            fields = fields.iter().map(stored).collect();
        }
        let schema =
            Arc::new(Schema::new_with_metadata(fields, source.schema().metadata().clone()));
        if matches!(format, Format::Csv | Format::Tsv | Format::Jsonl) {
            check_texts(&schema).map_err(|what| Failure::at(called, what))?;
        }
        let rights = Rights { force: writing.force, is_secret: false, inputs: &[input] };
        let file = Output::create(path, rights)?;
        let writer = match format {
            Format::Parquet => {
                let lacking = |field: &Arc<Field>| {
                    let what = lacks(field.data_type())?;
                    Some(format!("Parquet has no {what} for column `{}`", quoted(field.name())))
                };
                if let Some(what) = schema.fields().iter().find_map(lacking) {
                    return Err(Failure::at(called, format!("{what}; write Arrow instead")));
                }
                let properties =
                    WriterProperties::builder().set_compression(Compression::SNAPPY).build();
                let writer = ArrowWriter::try_new(file, schema.clone(), Some(properties));
                Writer::Parquet(Box::new(writer.map_err(|error| Failure::at(called, error))?))
            }
            Format::Arrow => {
                let writer = arrow_ipc::writer::FileWriter::try_new(BufWriter::new(file), &schema);
                Writer::Arrow(Box::new(writer.map_err(|error| Failure::at(called, error))?))
            }
            Format::ArrowStream => {
                let writer =
                    arrow_ipc::writer::StreamWriter::try_new(BufWriter::new(file), &schema);
                Writer::ArrowStream(Box::new(writer.map_err(|error| Failure::at(called, error))?))
            }
            Format::Csv | Format::Tsv => {
                let cells = Cells::of(format, writing.delimiter, writing.quote);
                let mut builder = csv::WriterBuilder::new();
                match cells.quote {
                    Some(quote) => builder.quote(quote),
                    None => builder.quote_style(csv::QuoteStyle::Never),
                };
                let mut writer = builder.delimiter(cells.delimiter).from_writer(file);
                let text = Text { null: writing.null.clone().unwrap_or_default(), cells };
                for field in schema.fields() {
                    text.check(field.name()).map_err(|what| Failure::at(called, what))?;
                }
                let names = schema.fields().iter().map(|field| field.name());
                writer.write_record(names).map_err(|error| Failure::at(called, error))?;
                Writer::Csv(Box::new(writer), text)
            }
            Format::Jsonl => Writer::Jsonl(BufWriter::new(file)),
        };
        let (added, only_bad) = (names.len(), writing.only_bad);
        Ok(Sink { path: called.to_owned(), schema, added, only_bad, writer })
    }

    pub(super) fn write(
        &mut self,
        batch: &Batch,
        outcomes: &[Outcome],
        claims: Vec<ArrayRef>,
    ) -> Result<()> {
        let failure = |what: String| Failure::at(&self.path, what);
        let columns = batch.table.columns().iter().map(decoded_runs);
        let columns: std::result::Result<Vec<ArrayRef>, _> = columns.collect();
        let mut columns = columns.map_err(|error| failure(error.to_string()))?;
        let text = |pick: fn(Outcome) -> Option<&'static str>| -> ArrayRef {
            Arc::new(outcomes.iter().map(|outcome| pick(*outcome)).collect::<StringArray>())
        };
        // a row without a verdict has a null there
        columns.push(text(|outcome| Some(outcome.verdict()).filter(|verdict| *verdict != "null")));
        columns.push(text(Outcome::reason));
        columns.extend(claims);
        for (field, column) in self.schema.fields().iter().zip(&mut columns) {
            let of_column = |what| failure(format!("column `{}` {what}", quoted(field.name())));
            if column.data_type() != field.data_type() {
                *column = stored_in_parquet(column).map_err(of_column)?;
            }
        }
        let mut table = RecordBatch::try_new(self.schema.clone(), columns)
            .map_err(|error| failure(error.to_string()))?;
        let kept: Vec<bool> =
            outcomes.iter().map(|outcome| !self.only_bad || outcome.verdict() != "valid").collect();
        let mut lines: Option<Vec<&Vec<u8>>> =
            batch.lines.as_ref().map(|lines| lines.iter().collect());
        if self.only_bad {
            let mask = BooleanArray::from(kept.clone());
            table = arrow_select::filter::filter_record_batch(&table, &mask)
                .map_err(|error| failure(error.to_string()))?;
            lines = lines.map(|lines| {
                lines.into_iter().zip(&kept).filter(|(_, kept)| **kept).map(|(l, _)| l).collect()
            });
        }
        match &mut self.writer {
            Writer::Parquet(writer) => guarded(&self.path, GAVE_UP, || {
                writer.write(&table).map_err(|error| storage(&error.to_string()))?;
                if writer.in_progress_size() > ROW_GROUP_BYTES {
                    writer.flush().map_err(|error| storage(&error.to_string()))?;
                }
                Ok(())
            }),
            Writer::Arrow(writer) => guarded(&self.path, GAVE_UP, || {
                writer.write(&table).map_err(|error| match error.to_string() {
                    text if text.contains("Dictionary replacement") => format!(
                        "a column has another dictionary from row {} on, which an Arrow file cannot have; write an \
                         Arrow stream (.arrows) or Parquet instead",
                        batch.first_row
                    ),
                    text => storage(&text),
                })
            }),
            Writer::ArrowStream(writer) => guarded(&self.path, GAVE_UP, || {
                writer.write(&table).map_err(|error| storage(&error.to_string()))
            }),
            Writer::Csv(writer, text) => {
                let columns = texts(&table).map_err(failure)?;
                for row in 0..table.num_rows() {
                    let cell =
                        |column: &AsText<'_>| column(row).unwrap_or_else(|| text.null.clone());
                    let cells: Vec<String> = columns.iter().map(cell).collect();
                    cells.iter().try_for_each(|cell| text.check(cell)).map_err(failure)?;
                    writer
                        .write_record(&cells)
                        .map_err(|error| failure(storage(&error.to_string())))?;
                }
                Ok(())
            }
            Writer::Jsonl(writer) => {
                let columns = texts(&table).map_err(failure)?;
                for row in 0..table.num_rows() {
                    let mut object = Map::new();
                    let first_added = columns.len() - self.added;
                    let fields = self.schema.fields().iter().zip(&columns).enumerate();
                    for (place, (field, column)) in fields {
                        let is_added = place >= first_added;
                        if lines.is_none() || is_added {
                            let value = column(row)
                                .map_or(Value::Null, |text| as_json(field.data_type(), text));
                            object.insert(field.name().clone(), value);
                        }
                    }
                    let object = Value::Object(object).to_string();
                    let line = match &lines {
                        Some(lines) => joined(lines[row], &object),
                        None => object.into_bytes(),
                    };
                    writer
                        .write_all(&line)
                        .and_then(|()| writer.write_all(b"\n"))
                        .map_err(|error| failure(plain(&error)))?;
                }
                Ok(())
            }
        }
    }

    /// Completes the file, which has no name yet.
    pub(super) fn complete(self) -> Result<Output> {
        let path = self.path;
        let failure = |what: String| Failure::at(&path, storage(&what));
        Ok(match self.writer {
            Writer::Parquet(writer) => guarded(&path, GAVE_UP, || {
                writer.into_inner().map_err(|error| storage(&error.to_string()))
            })?,
            Writer::Arrow(mut writer) => {
                writer.finish().map_err(|error| failure(error.to_string()))?;
                let buffer = writer.into_inner().map_err(|error| failure(error.to_string()))?;
                buffer.into_inner().map_err(|error| failure(plain(error.error())))?
            }
            Writer::ArrowStream(mut writer) => {
                writer.finish().map_err(|error| failure(error.to_string()))?;
                let buffer = writer.into_inner().map_err(|error| failure(error.to_string()))?;
                buffer.into_inner().map_err(|error| failure(plain(error.error())))?
            }
            Writer::Csv(writer, _) => {
                writer.into_inner().map_err(|error| failure(plain(error.error())))?
            }
            Writer::Jsonl(writer) => {
                writer.into_inner().map_err(|error| failure(plain(error.error())))?
            }
        })
    }
}

/// The fields of an object as they are written, and those of another after them.
fn joined(object: &[u8], more: &str) -> Vec<u8> {
    let object = object.strip_suffix(b"}").unwrap_or(object).trim_ascii_end();
    let comma = if object.ends_with(b"{") { "" } else { "," };
    [object, comma.as_bytes(), more.strip_prefix('{').unwrap_or(more).as_bytes()].concat()
}

/// The message for a panic in an encoder: it has met a table that it was not made for.
const GAVE_UP: &str = "cannot be written in this format: its encoder gave up";

/// A path as messages about writing call it.
fn named(path: &Path) -> &Path {
    if path == Path::new("-") { Path::new("standard output") } else { path }
}

/// The type of a column of Parquet whose own type Parquet does not have, though one that holds the same values.
fn in_parquet(kind: &DataType) -> Option<DataType> {
    match kind {
        DataType::Date64 => Some(DataType::Date32),
        DataType::Time32(TimeUnit::Second) => Some(DataType::Time32(TimeUnit::Millisecond)),
        DataType::Timestamp(TimeUnit::Second, zone) => {
            Some(DataType::Timestamp(TimeUnit::Millisecond, zone.clone()))
        }
        _ => None,
    }
}

/// The same values in that type.
fn stored_in_parquet(array: &ArrayRef) -> std::result::Result<ArrayRef, String> {
    const DAY: i64 = 24 * 60 * 60 * 1000;
    let too_far = || "holds a time that Parquet has no number for; write Arrow instead";
    Ok(match array.data_type() {
        DataType::Date64 => {
            let days = array.as_primitive::<Date64Type>().try_unary(|time| {
                if time % DAY != 0 {
                    return Err("holds dates with a time of day, for which Parquet has no type; write Arrow instead");
                }
                i32::try_from(time / DAY).map_err(|_| too_far())
            });
            let days: PrimitiveArray<Date32Type> = days?;
            Arc::new(days)
        }
        DataType::Time32(TimeUnit::Second) => {
            let times = array.as_primitive::<Time32SecondType>();
            let times = times.try_unary(|time| time.checked_mul(1000).ok_or_else(too_far));
            let times: PrimitiveArray<Time32MillisecondType> = times?;
            Arc::new(times)
        }
        DataType::Timestamp(TimeUnit::Second, zone) => {
            let times = array.as_primitive::<TimestampSecondType>();
            let times = times.try_unary(|time| time.checked_mul(1000).ok_or_else(too_far));
            let times: PrimitiveArray<TimestampMillisecondType> = times?;
            Arc::new(times.with_timezone_opt(zone.clone()))
        }
        _ => array.clone(),
    })
}

/// A part of a type that the Parquet encoder cannot take, or would write as a number.
fn lacks(kind: &DataType) -> Option<&'static str> {
    match kind {
        DataType::FixedSizeBinary(0) => Some("values of 0 bytes"),
        DataType::Union(..) => Some("unions"),
        DataType::Interval(IntervalUnit::MonthDayNano) => Some("intervals with nanoseconds"),
        DataType::Date64 => Some("dates in milliseconds"),
        DataType::Time32(TimeUnit::Second) | DataType::Timestamp(TimeUnit::Second, _) => {
            Some("times in seconds")
        }
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::ListView(field)
        | DataType::LargeListView(field)
        | DataType::FixedSizeList(field, _)
        | DataType::Map(field, _) => lacks(field.data_type()),
        DataType::Struct(fields) => fields.iter().find_map(|field| lacks(field.data_type())),
        DataType::Dictionary(_, values) => lacks(values),
        DataType::RunEndEncoded(_, field) => lacks(field.data_type()),
        _ => None,
    }
}

/// The message of an operating-system error inside the message of a library.
fn storage(text: &str) -> String {
    let text = text.split(" (os error").next().unwrap_or(text);
    let text = text.rsplit(": ").next().unwrap_or(text).trim_matches('"');
    printable(&text.to_lowercase(), LONGEST_QUOTE)
}

/// Whether each column has a text.
fn check_texts(schema: &Schema) -> std::result::Result<(), String> {
    match schema.fields().iter().find(|field| !has_text(field.data_type())) {
        None => Ok(()),
        Some(field) => Err(format!(
            "column `{}` has type {}, which has no form as text; write Parquet or Arrow instead",
            quoted(field.name()),
            quoted(&field.data_type().to_string())
        )),
    }
}

/// Each column as text.
fn texts(table: &RecordBatch) -> std::result::Result<Vec<AsText<'_>>, String> {
    check_texts(table.schema_ref())?;
    let columns = table.columns().iter().zip(table.schema_ref().fields());
    Ok(columns.filter_map(|(array, field)| text_of(array, field)).collect())
}

fn text_of<'a>(array: &'a ArrayRef, field: &Field) -> Option<AsText<'a>> {
    let text = as_text(array)?;
    let is_uuid = field.extension_type_name() == Some("arrow.uuid");
    Some(match field.data_type() {
        DataType::FixedSizeBinary(16) if is_uuid => {
            Box::new(move |row| text(row).map(|digits| uuid(&digits)))
        }
        _ => text,
    })
}

/// 32 digits as the text of a UUID.
fn uuid(digits: &str) -> String {
    let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|range| &digits[range]);
    parts.join("-")
}
