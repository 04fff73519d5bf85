//! The batches of a Parquet file, row group by row group.

use super::decoder::{self, check_memory, say, several_files};
use super::options::ColumnNames;
use super::pages;
use crate::status::{plain, quoted};
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::SchemaRef;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use parquet::basic::{ConvertedType, LogicalType, Type as PhysicalType};
use parquet::file::metadata::{FileMetaData, ParquetMetaData};
use parquet::schema::types::{SchemaDescriptor, Type, TypePtr};
use std::fs::File;
use std::ops::Range;
use std::sync::Arc;

/// No row of Parquet has more bytes in columns of fixed width.
const MOST_FIXED_BYTES: u64 = i32::MAX as u64;
/// Columns of Parquet that are read: each has a decompressor of its own.
const MOST_LEAVES: usize = 1000;

type Opened = Result<(SchemaRef, u64, RowGroups), String>;

/// The schema, the number of rows and the batches of a file; without an output of the columns that are looked at alone.
/// Text in `raw` columns is bytes, whatever they are.
pub(super) fn open(names: &ColumnNames, raw: &[&str], is_written: bool, file: File) -> Opened {
    let is_encrypted = pages::check_schema(&file)?;
    let raw = if is_written { &[] } else { raw };
    opened(names, raw, is_written, file, is_encrypted).map_err(|what| encrypted(is_encrypted, what))
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

fn opened(
    names: &ColumnNames,
    raw: &[&str],
    is_written: bool,
    file: File,
    is_encrypted: bool,
) -> Opened {
    let len = file.metadata().map_err(|error| plain(&error))?.len();
    let copy = file.try_clone().map_err(|error| plain(&error))?;
    let metadata = ArrowReaderMetadata::load(&copy, ArrowReaderOptions::new())
        // Arrow's schema beside that of Parquet may have types of the writer's own, such as Polars' integers of 128 bits
        .or_else(|_| {
            let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
            ArrowReaderMetadata::load(&copy, options)
        })
        .map_err(|error| format!("not a readable Parquet file: {}", say(error)))?;
    let metadata = with_types(metadata, raw)?;
    if !is_encrypted && let Some(at) = second_file(&file, metadata.metadata(), len) {
        return Err(several_files("Parquet", at));
    }
    let read_metadata = metadata.clone();
    let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(copy, metadata);
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
    if !is_written {
        // only the columns that are looked at
        let wanted = names.wanted();
        let leaves = builder.parquet_schema();
        let roots = builder.schema().fields().iter().enumerate();
        let roots =
            roots.filter(|(_, field)| wanted.contains(&field.name().as_str())).map(|(i, _)| i);
        mask = ProjectionMask::roots(leaves, roots.collect::<Vec<_>>());
        let all: Vec<String> = builder.schema().fields().iter().map(|f| f.name().clone()).collect();
        names.check(&all)?;
    }
    let leaves = metadata.file_metadata().schema_descr().num_columns();
    let read = (0..leaves).filter(|leaf| mask.leaf_included(*leaf)).count();
    if read > MOST_LEAVES {
        return Err(format!("has {read} columns to read; at most {MOST_LEAVES} are"));
    }
    let groups = 0..metadata.num_row_groups();
    if is_written {
        refuse_intervals(metadata)?;
    }
    let metadata = read_metadata;
    let no_groups = ParquetRecordBatchReaderBuilder::new_with_metadata(
        file.try_clone().map_err(|error| plain(&error))?,
        metadata.clone(),
    );
    let schema = no_groups.with_row_groups(Vec::new()).with_projection(mask.clone()).build();
    let schema = schema.map_err(say)?.schema();
    let batches = RowGroups { file, metadata, mask, groups, current: None, is_encrypted };
    Ok((schema, rows, batches))
}

/// The decoder reads days and milliseconds of an INTERVAL and drops its months: an output would have other values.
fn refuse_intervals(metadata: &ParquetMetaData) -> Result<(), String> {
    let mut columns = metadata.file_metadata().schema_descr().columns().iter();
    match columns.find(|column| column.converted_type() == ConvertedType::INTERVAL) {
        None => Ok(()),
        Some(column) => Err(format!(
            "column `{}` has type INTERVAL, whose months would be lost in an output; leave it out, or write it as text",
            quoted(&column.path().string())
        )),
    }
}

/// The batches of a Parquet file, row group by row group: each has batches of its own size.
pub(super) struct RowGroups {
    file: File,
    metadata: ArrowReaderMetadata,
    mask: ProjectionMask,
    groups: Range<usize>,
    current: Option<(usize, ParquetRecordBatchReader)>,
    is_encrypted: bool,
}

impl RowGroups {
    fn open(&self, number: usize) -> Result<ParquetRecordBatchReader, String> {
        let group = self.metadata.metadata().row_group(number);
        let rows = pages::batch_rows(&self.file, group, |leaf| self.mask.leaf_included(leaf));
        let rows = rows.map_err(|what| format!("row group {number}: {what}"))?;
        let file = self.file.try_clone().map_err(|error| plain(&error))?;
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
    type Item = Result<RecordBatch, String>;

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

/// The byte at which another file begins behind a first: the footer of the last is read, and its offsets mean bytes of
/// the first.
fn second_file(file: &File, metadata: &ParquetMetaData, len: u64) -> Option<u64> {
    let columns = metadata.row_groups().iter().flat_map(|group| group.columns());
    let ends = columns.flat_map(|column| {
        let (start, len) = column.byte_range();
        let filter = column.bloom_filter_offset().zip(column.bloom_filter_length());
        let filter = filter
            .and_then(|(at, len)| u64::try_from(at).ok()?.checked_add(u64::try_from(len).ok()?));
        let indexes = [column.column_index_range(), column.offset_index_range()];
        let indexes = indexes.map(|index| index.map(|index| index.end));
        [start.checked_add(len), filter].into_iter().chain(indexes).flatten()
    });
    // behind the first word
    let end = ends.max().unwrap_or(0).max(4);
    let footer = pages::footer_start(file, len)?;
    let gap = footer.checked_sub(end).filter(|gap| *gap >= SHORTEST)?;
    decoder::second_file(file, gap, b"PAR1", b"PAR1")
}

/// No file of Parquet is shorter.
const SHORTEST: u64 = 12;

/// The types of text: names of ENUM are text by the format, though the decoder takes them for bytes, and text in columns
/// that stand for bytes need not be UTF-8.
fn with_types(metadata: ArrowReaderMetadata, raw: &[&str]) -> Result<ArrowReaderMetadata, String> {
    let file = metadata.metadata().file_metadata();
    let root = file.schema_descr().root_schema();
    let fields = root.get_fields().iter().map(|field| {
        let is_raw = raw.contains(&field.name());
        retyped(field, is_raw).map(|new| (is_raw, new))
    });
    let fields: Vec<Option<(bool, TypePtr)>> = fields.collect();
    if fields.iter().all(Option::is_none) {
        return Ok(metadata);
    }
    let has_raw = fields.iter().flatten().any(|(is_raw, _)| *is_raw);
    let fields = fields.into_iter().zip(root.get_fields());
    let fields = fields.map(|(new, old)| new.map_or_else(|| old.clone(), |(_, new)| new));
    let root = Type::group_type_builder(root.name()).with_fields(fields.collect()).build();
    let schema = SchemaDescriptor::new(Arc::new(root.map_err(say)?));
    let file = FileMetaData::new(
        file.version(),
        file.num_rows(),
        file.created_by().map(str::to_owned),
        file.key_value_metadata().cloned(),
        Arc::new(schema),
        file.column_orders().cloned(),
    );
    let groups = metadata.metadata().row_groups().to_vec();
    // Arrow's schema beside that of Parquet says text
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(has_raw);
    ArrowReaderMetadata::try_new(Arc::new(ParquetMetaData::new(file, groups)), options).map_err(say)
}

/// A column whose type is another one here.
fn retyped(field: &TypePtr, is_raw: bool) -> Option<TypePtr> {
    let info = field.get_basic_info();
    let is_text = matches!(info.converted_type(), ConvertedType::UTF8 | ConvertedType::JSON);
    let is_text =
        is_text || matches!(info.logical_type_ref(), Some(LogicalType::String | LogicalType::Json));
    let is_enum = info.converted_type() == ConvertedType::ENUM
        || matches!(info.logical_type_ref(), Some(LogicalType::Enum));
    let id = info.has_id().then(|| info.id());
    if field.is_primitive() {
        let builder = Type::primitive_type_builder(info.name(), PhysicalType::BYTE_ARRAY);
        let builder = builder.with_repetition(info.repetition()).with_id(id);
        let new = match field.get_physical_type() {
            PhysicalType::BYTE_ARRAY if is_raw && (is_text || is_enum) => builder.build(),
            PhysicalType::BYTE_ARRAY if is_enum => builder
                .with_logical_type(Some(LogicalType::String))
                .with_converted_type(ConvertedType::UTF8)
                .build(),
            _ => return None,
        };
        return new.ok().map(Arc::new);
    }
    let fields: Vec<Option<TypePtr>> =
        field.get_fields().iter().map(|field| retyped(field, false)).collect();
    if fields.iter().all(Option::is_none) {
        return None;
    }
    let fields = fields.into_iter().zip(field.get_fields());
    let fields = fields.map(|(new, old)| new.unwrap_or_else(|| old.clone()));
    let builder = Type::group_type_builder(info.name()).with_repetition(info.repetition());
    let builder = builder.with_converted_type(info.converted_type()).with_id(id);
    let builder = builder.with_logical_type(info.logical_type_ref().cloned());
    builder.with_fields(fields.collect()).build().ok().map(Arc::new)
}

/// Whether the columns keep to a file of `len` bytes: memory is taken for a page before it is read.
fn check_chunks(metadata: &ParquetMetaData, len: u64) -> Result<(), String> {
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
