//! Rows of a table that are in memory, and what those of text are made of.

use super::decoder::say;
use super::outcome::Problem;
use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use std::sync::Arc;

/// Bytes that a cell of text takes beside its own while a batch is put together.
pub(super) const TEXT_BYTES: usize = 64;

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
    pub(super) alive: Option<Arc<()>>,
}

impl Batch {
    pub(super) fn of(table: RecordBatch) -> Self {
        Batch { first_row: 0, table, lines: None, problems: Vec::new(), alive: None }
    }
}

/// A schema of text alone.
pub(super) fn text_schema<'a>(columns: impl Iterator<Item = &'a str>) -> SchemaRef {
    let fields: Vec<Field> = columns.map(|name| Field::new(name, DataType::Utf8, true)).collect();
    Arc::new(Schema::new(fields))
}

/// A batch of text alone.
pub(super) fn text_batch(
    schema: &SchemaRef,
    columns: Vec<StringBuilder>,
    rows: usize,
) -> Result<RecordBatch, String> {
    let arrays = columns.into_iter().map(|mut column| Arc::new(column.finish()) as ArrayRef);
    let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(schema.clone(), arrays.collect(), &options).map_err(say)
}

/// The message about a record of so many bytes and more.
pub(super) fn too_long(most: u64) -> String {
    format!("the record has over {most} bytes (--max-record)")
}
