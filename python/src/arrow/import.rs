//! Columns that Python hands over.
//!
//! `unsafe`: the calls of a stream's functions.

use super::abi::{Array, Owned, Released, Schema, Stream, count, text};
use super::error::{BadColumn, Kind, Problem};
use super::export::{Buffer, Export, fixed_format};
use super::rows::{Chunk, Chunks};
use super::types::{check_type, name_of};
use crate::bytes::is_masked;
use crate::memory;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyMemoryView, PyTuple};
use std::ffi::c_int;

/// A column that Python has handed over, in as many chunks as it has.
pub(crate) struct Imported {
    schema: Owned<Schema>,
    chunks: Vec<Owned<Array>>,
    /// The row after each chunk.
    ends: Vec<usize>,
}

// SAFETY: structures do not change while they are not released, which the interface lets any thread do.
unsafe impl Send for Imported {}
// SAFETY: nothing is changed through a shared reference.
unsafe impl Sync for Imported {}

impl Imported {
    /// Reads anything with `__arrow_c_array__` or `__arrow_c_stream__`.
    pub(crate) fn of(object: &Bound<'_, PyAny>, kind: Kind) -> Result<Self, Problem> {
        if holds_objects(object).map_err(Problem::Python)? {
            let found = "objects of Python (Polars' type Object)".to_owned();
            return Err(BadColumn::Type { kind, found }.into());
        }
        // one array is found faster than a stream of one
        if let Some(method) = object.getattr_opt("__arrow_c_array__").map_err(Problem::Python)? {
            let pair = method.call0().map_err(Problem::Python)?;
            let capsules = pair.cast::<PyTuple>().ok().filter(|pair| pair.len() == 2);
            let item = |i: usize| capsules?.get_item(i).ok()?.cast_into::<PyCapsule>().ok();
            let (Some(schema), Some(array)) = (item(0), item(1)) else {
                return Err(BadColumn::NoCapsule.into());
            };
            let schema = Owned::<Schema>::take(&schema, c"arrow_schema")?;
            check_type(&schema.0, kind)?;
            let mut imported = Self::of_type(schema);
            imported.push(Owned::<Array>::take(&array, c"arrow_array")?)?;
            return Ok(imported);
        }
        let Some(method) = object.getattr_opt("__arrow_c_stream__").map_err(Problem::Python)?
        else {
            return Self::of_memory(object, kind);
        };
        let capsule = method.call0().map_err(Problem::Python)?;
        let capsule = capsule.cast::<PyCapsule>().map_err(|_| BadColumn::NoCapsule)?;
        let stream = Owned::<Stream>::take(capsule, c"arrow_array_stream")?;
        // what a producer does meanwhile may need the interpreter, and is its own affair
        Self::read(object.py(), stream, kind)
    }

    /// Copies an array of u8 with two dimensions, such as one of NumPy: a row is the bytes of a row.
    fn of_memory(object: &Bound<'_, PyAny>, kind: Kind) -> Result<Self, Problem> {
        let name = object.get_type().fully_qualified_name().map_err(Problem::Python)?;
        let Ok(memory) = PyMemoryView::from(object) else {
            return Err(BadColumn::NotArrow(name.to_string()).into());
        };
        let shape = shape(&memory).map_err(Problem::Python)?;
        let format = memory.getattr("format").and_then(|format| format.extract::<String>());
        let format = format.map_err(Problem::Python)?;
        let (&[rows, width], "B") = (&shape[..], &format[..]) else {
            let dimensions = shape.len();
            let found = format!("{name} (dimensions: {dimensions}, format: {format})");
            return Err(BadColumn::NotArrow(found).into());
        };
        if kind == Kind::Text {
            let found = name_of(b"z").into_owned();
            return Err(BadColumn::Type { kind, found }.into());
        }
        let bytes = memory.call_method0("tobytes").map_err(Problem::Python)?;
        let bytes = bytes.cast_into::<PyBytes>().map_err(|_| BadColumn::Length)?;
        if u32::try_from(width).is_err() || rows.checked_mul(width) != Some(bytes.as_bytes().len())
        {
            return Err(BadColumn::Length.into());
        }
        let (nulls, validity) = match is_masked(object).map_err(Problem::Python)? {
            true => masked_rows(object, rows, width)?,
            false => (0, Buffer::None),
        };
        Self::own([Export {
            format: fixed_format(width),
            name: c"".into(),
            nullable: nulls > 0,
            rows,
            nulls,
            buffers: vec![validity, Buffer::Python(bytes.unbind())],
            children: Vec::new(),
        }])
    }

    /// Arrays of our own, of one type.
    pub(crate) fn own(arrays: impl IntoIterator<Item = Export>) -> Result<Self, Problem> {
        let mut imported: Option<Self> = None;
        for array in arrays {
            let schema = || Self::of_type(Owned(array.schema()));
            let imported = imported.get_or_insert_with(schema);
            imported.push(Owned(array.array()))?;
        }
        Ok(imported.unwrap_or_else(|| Self::of_type(Owned(Schema::EMPTY))))
    }

    /// No rows of a type.
    fn of_type(schema: Owned<Schema>) -> Self {
        Imported { schema, chunks: Vec::new(), ends: Vec::new() }
    }

    /// Takes the rows of an array, if it has any.
    fn push(&mut self, array: Owned<Array>) -> Result<(), BadColumn> {
        let rows = count(array.0.length)?;
        if rows > 0 {
            let end = self.rows().checked_add(rows).ok_or(BadColumn::Length)?;
            memory::push(&mut self.ends, end)?;
            memory::push(&mut self.chunks, array)?;
        }
        Ok(())
    }

    /// All arrays of a stream. One that never ends is ended by Ctrl-C, or where there is no more memory.
    fn read(py: Python<'_>, mut stream: Owned<Stream>, kind: Kind) -> Result<Self, Problem> {
        let failed = |stream: &mut Stream, code: c_int| {
            let message = stream.get_last_error.and_then(|get_last_error| {
                // SAFETY: the producer's own function, right after another of its functions has failed.
                let message = unsafe { get_last_error(stream) };
                text(message).ok().map(|text| text.to_string_lossy().into_owned())
            });
            BadColumn::Stream(message.unwrap_or_else(|| format!("error {code}")))
        };
        let (Some(get_schema), Some(get_next)) = (stream.0.get_schema, stream.0.get_next) else {
            return Err(BadColumn::Null.into());
        };
        let mut schema = Owned(Schema::EMPTY);
        // SAFETY: the producer's own function, with its stream and a place for the type.
        let code = unsafe { get_schema(&raw mut stream.0, &raw mut schema.0) };
        if code != 0 {
            return Err(failed(&mut stream.0, code).into());
        }
        check_type(&schema.0, kind)?;
        let mut imported = Self::of_type(schema);
        loop {
            let mut array = Owned(Array::EMPTY);
            // SAFETY: the producer's own function, with its stream and a place for an array.
            let code = unsafe { get_next(&raw mut stream.0, &raw mut array.0) };
            if code != 0 {
                return Err(failed(&mut stream.0, code).into());
            }
            if array.0.is_released() {
                return Ok(imported);
            }
            imported.push(array)?;
            py.check_signals().map_err(Problem::Python)?;
        }
    }

    /// The number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// The rows, where they lie.
    pub(crate) fn table(&self) -> Result<Chunks<'_>, BadColumn> {
        let (mut chunks, mut first) = (memory::vec(self.chunks.len())?, 0);
        for (array, end) in self.chunks.iter().zip(&self.ends) {
            // a row is told as one of the column
            chunks.push(Chunk::of(&self.schema.0, &array.0).map_err(|error| error.after(first))?);
            first = *end;
        }
        Ok(Chunks { chunks, ends: &self.ends })
    }
}

/// Whether it is a Series of objects, which Polars hands over as their addresses.
fn holds_objects(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let Some(dtype) = object.getattr_opt("dtype")? else { return Ok(false) };
    let Some(module) = dtype.getattr_opt("__module__")? else { return Ok(false) };
    let is_of_polars = module.str()?.to_str()?.starts_with("polars.");
    Ok(is_of_polars && dtype.str()?.to_str()? == "Object")
}

/// How many rows a mask hides, and the bitmap of the others. A row of which a part is hidden is refused.
fn masked_rows(
    object: &Bound<'_, PyAny>,
    rows: usize,
    width: usize,
) -> Result<(usize, Buffer), Problem> {
    let mask = object.getattr("mask").map_err(Problem::Python)?;
    // one value says that nothing is masked
    if mask.getattr("ndim").and_then(|ndim| ndim.extract::<usize>()).map_err(Problem::Python)? == 0
        || width == 0
    {
        return Ok((0, Buffer::None));
    }
    let mask = mask.call_method0("tobytes").map_err(Problem::Python)?;
    let mask = mask.cast_into::<PyBytes>().map_err(|_| BadColumn::Length)?;
    if mask.as_bytes().len() != rows * width {
        return Err(BadColumn::Length.into());
    }
    let mut validity = memory::filled(0_u8, rows.div_ceil(8)).map_err(BadColumn::from)?;
    let mut nulls = 0;
    for (row, hidden) in mask.as_bytes().chunks_exact(width).enumerate() {
        match hidden.iter().filter(|byte| **byte != 0).count() {
            0 => validity[row / 8] |= 1 << (row % 8),
            count if count == width => nulls += 1,
            _ => return Err(BadColumn::MaskedByte { row }.into()),
        }
    }
    Ok((nulls, Buffer::Bytes(validity)))
}

/// The lengths of the dimensions of an array.
fn shape(memory: &Bound<'_, PyMemoryView>) -> PyResult<Vec<usize>> {
    memory.getattr("shape")?.extract()
}
