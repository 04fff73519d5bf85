//! The Arrow C data interface: arrays as columns, where they lie.

use super::column::{BINARY, ColumnArg, DICTIONARY, FIXED, LARGE_BINARY, MOST_ROWS, NULLS, VIEWS};
use super::outputs::Outputs;
use super::plan::Bulk;
use super::report::{Problem, Report};
use super::verify::{Place, SpecArg, TableArg, verify};
use crate::fault::{Fault, done};
use crate::pointer::{Extent, In, Opaque, Out, Release, Text, plain_struct};
use core::ffi::c_int;

plain_struct! {
    /// `struct ArrowSchema`.
    pub struct Schema {
        format: Text,
        name: Text,
        metadata: In<u8>,
        flags: i64,
        n_children: i64,
        children: In<In<Schema>>,
        dictionary: In<Schema>,
        release: Option<Release>,
        private_data: Opaque,
    }
}

plain_struct! {
    /// `struct ArrowArray`.
    pub struct Array {
        length: i64,
        null_count: i64,
        offset: i64,
        n_buffers: i64,
        n_children: i64,
        buffers: In<In<u8>>,
        children: In<In<Array>>,
        dictionary: In<Array>,
        release: Option<Release>,
        private_data: Opaque,
    }
}

/// A number that Arrow wants to be at least 0.
fn count(number: i64) -> Result<usize, Fault> {
    usize::try_from(number).map_err(|_| Fault::Arrow)
}

/// The rows of an array, and how many to leave out before them: as many together as some column can have.
fn range(array: &Array) -> Result<(usize, usize), Fault> {
    let (rows, offset) = (count(array.length)?, count(array.offset)?);
    if offset.saturating_add(rows) > MOST_ROWS { Err(Fault::Arrow) } else { Ok((rows, offset)) }
}

/// Children in children whose memory is looked for.
const DEPTH: usize = 16;

/// Schemas and arrays have the same tree.
trait Tree: Sized + crate::pointer::Plain {
    /// Whether there is anything to look at.
    fn is_released(&self) -> bool;
    fn children(&self) -> (In<In<Self>>, i64);
    fn dictionary(&self) -> In<Self>;
    /// Tells of what lies beside the tree.
    fn others(&self, outputs: &mut Outputs);

    /// Tells of all memory that the structures lie in.
    fn inputs(tree: In<Self>, depth: usize, outputs: &mut Outputs) {
        outputs.input(tree.extent(1));
        let Ok(Some(tree)) = tree.optional() else { return };
        if depth == 0 || tree.is_released() {
            return;
        }
        tree.others(outputs);
        let (children, len) = tree.children();
        let len = count(len).unwrap_or_default();
        outputs.input(children.extent(len));
        for child in children.slice(len).unwrap_or_default() {
            Self::inputs(*child, depth - 1, outputs);
        }
        Self::inputs(tree.dictionary(), depth - 1, outputs);
    }
}

/// The fields that a tree is walked by, which both structures have under the same names.
macro_rules! accessors {
    () => {
        fn is_released(&self) -> bool {
            self.release.is_none()
        }

        fn children(&self) -> (In<In<Self>>, i64) {
            (self.children, self.n_children)
        }

        fn dictionary(&self) -> In<Self> {
            self.dictionary
        }
    };
}

impl Tree for Schema {
    accessors!();

    fn others(&self, outputs: &mut Outputs) {
        for text in [self.format, self.name] {
            outputs.input(text.extent(64));
        }
        outputs.input(self.metadata.extent(4));
    }
}

impl Tree for Array {
    accessors!();

    fn others(&self, outputs: &mut Outputs) {
        outputs.input(self.buffers.extent(count(self.n_buffers).unwrap_or_default()));
    }
}

/// The layout of a format, with its width.
fn layout(format: &[u8]) -> Result<(c_int, usize), Fault> {
    Ok(match format {
        b"z" | b"u" => (BINARY, 0),
        b"Z" | b"U" => (LARGE_BINARY, 0),
        b"vz" | b"vu" => (VIEWS, 0),
        b"n" => (NULLS, 0),
        [b'w', b':', digits @ ..] if !digits.is_empty() && digits.len() < 10 => {
            let digit = |width: usize, digit: &u8| match digit {
                b'0'..=b'9' => Ok(width * 10 + usize::from(digit - b'0')),
                _ => Err(Fault::Arrow),
            };
            (FIXED, digits.iter().try_fold(0, digit)?)
        }
        _ => return Err(Fault::Arrow),
    })
}

/// The type of a dictionary's indices, as in `enum sigmill_index_type`, and its size in bytes.
fn index_type(format: &[u8]) -> Result<(c_int, usize), Fault> {
    Ok(match format {
        b"c" => (1, 1),
        b"s" => (2, 2),
        b"i" => (3, 4),
        b"l" => (4, 8),
        b"C" => (5, 1),
        b"S" => (6, 2),
        b"I" => (7, 4),
        b"L" => (8, 8),
        _ => return Err(Fault::Arrow),
    })
}

/// The column of an array that is no dictionary's, and which of its rows to leave out at the beginning.
fn plain(format: &[u8], array: &Array) -> Result<ColumnArg, Fault> {
    if array.release.is_none() {
        return Err(Fault::Arrow);
    }
    let (rows, offset) = range(array)?;
    let (layout, width) = layout(format)?;
    if layout == NULLS {
        // no buffers, not even for validity
        return Ok(ColumnArg { layout, rows, ..ColumnArg::EMPTY });
    }
    let buffers = array.buffers.slice(count(array.n_buffers)?)?;
    let buffer = |i: usize| buffers.get(i).copied().ok_or(Fault::Arrow);
    let mut column = ColumnArg {
        layout,
        rows,
        width,
        validity: if array.null_count == 0 { In::NULL } else { buffer(0)? },
        validity_offset: offset,
        ..ColumnArg::EMPTY
    };
    if rows == 0 {
        return Ok(column);
    }
    let first = |size: usize| offset.checked_mul(size).ok_or(Fault::Arrow);
    match layout {
        FIXED => {
            column.values = buffer(1)?.skip(first(width)?);
            column.values_size = rows.checked_mul(width).ok_or(Fault::Arrow)?;
        }
        BINARY => {
            column.offsets = buffer(1)?.skip(first(4)?);
            let last = column.offsets.cast::<i32>().skip(rows);
            column.values = buffer(2)?;
            column.values_size = usize::try_from(*last.get()?).map_err(|_| Fault::Column)?;
        }
        LARGE_BINARY => {
            column.offsets = buffer(1)?.skip(first(8)?);
            let last = column.offsets.cast::<i64>().skip(rows);
            column.values = buffer(2)?;
            column.values_size = count(*last.get()?).map_err(|_| Fault::Column)?;
        }
        _ => {
            // validity, views, buffers, and the sizes of these
            let variadic = buffers.len().checked_sub(3).ok_or(Fault::Arrow)?;
            column.offsets = buffer(1)?.skip(first(16)?);
            column.buffers = array.buffers.skip(2);
            column.buffer_count = variadic;
            let sizes = buffer(variadic + 2)?.cast::<i64>();
            if sizes.slice(variadic)?.iter().any(|size| usize::try_from(*size).is_err()) {
                return Err(Fault::Arrow);
            }
            column.sizes = sizes.cast();
            if cfg!(not(target_pointer_width = "64")) {
                return Err(Fault::Arrow); // sizes of 64 bits are not those of this machine
            }
        }
    }
    Ok(column)
}

/// The column of any array. `values` is where those of a dictionary will lie.
fn column(schema: &Schema, array: &Array, values: In<ColumnArg>) -> Result<[ColumnArg; 2], Fault> {
    if schema.release.is_none() || array.release.is_none() {
        return Err(Fault::Arrow);
    }
    let format = schema.format.get(16)?;
    if schema.dictionary.is_null() {
        return Ok([plain(format, array)?, ColumnArg::EMPTY]);
    }
    let (index_type, size) = index_type(format)?;
    let inner = schema.dictionary.get()?;
    if inner.release.is_none() || !inner.dictionary.is_null() {
        return Err(Fault::Arrow);
    }
    let dictionary = plain(inner.format.get(16)?, array.dictionary.get()?)?;
    let (rows, offset) = range(array)?;
    let buffers = array.buffers.slice(count(array.n_buffers)?)?;
    let [validity, indices, ..] = *buffers else { return Err(Fault::Arrow) };
    let column = ColumnArg {
        layout: DICTIONARY,
        index_type,
        rows,
        offsets: indices.skip(offset.checked_mul(size).ok_or(Fault::Arrow)?),
        dictionary: values,
        validity: if array.null_count == 0 { In::NULL } else { validity },
        validity_offset: offset,
        ..ColumnArg::EMPTY
    };
    Ok([column, dictionary])
}

/// An array as a column.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_column_from_arrow(
    columns: Out<ColumnArg>,
    schema: In<Schema>,
    array: In<Array>,
) -> c_int {
    done(|| {
        columns.place()?;
        let mut outputs = Outputs::new(columns.extent(2), Extent::NOWHERE, Out::NULL);
        Tree::inputs(schema, DEPTH, &mut outputs);
        Tree::inputs(array, DEPTH, &mut outputs);
        let made = column(schema.get()?, array.get()?, columns.skip(1).as_input())?;
        // the values of a dictionary will lie in the second of the outputs
        let indices = ColumnArg { dictionary: In::NULL, ..made[0] };
        [indices, made[1]].iter().for_each(|column| column.inputs(c"array", &mut outputs));
        outputs.apart().map_err(|problem| problem.fault)?;
        columns.put_all(&made)
    })
}

/// The child of a name.
fn child(
    schema: &Schema,
    batch: &Array,
    name: &'static core::ffi::CStr,
    values: In<ColumnArg>,
) -> Result<[ColumnArg; 2], Problem> {
    let schemas = schema.children.slice(count(schema.n_children)?)?;
    let arrays = batch.children.slice(count(batch.n_children)?)?;
    let missing = Problem { what: Some(name), ..Fault::Arrow.into() };
    if schemas.len() != arrays.len() {
        return Err(Fault::Arrow.into());
    }
    for (schema, array) in schemas.iter().zip(arrays) {
        let (schema, array) = (schema.get()?, array.get()?);
        // of one that was released nothing else may be looked at
        if schema.release.is_some()
            && schema.name.get(16).is_ok_and(|bytes| bytes == name.to_bytes())
        {
            let at = |fault: Fault| Problem { what: Some(name), ..fault.into() };
            let [mut column, values] = column(schema, array, values).map_err(at)?;
            // rows of a batch are rows `offset` up to `offset + length` of its children
            let (rows, offset) = range(batch)?;
            if offset.checked_add(rows).is_none_or(|end| end > column.rows) {
                return Err(missing);
            }
            column.narrow(offset, rows);
            return Ok([column, values]);
        }
    }
    Err(missing)
}

/// The columns of a record batch: keys, messages, signatures. `values` is where those of dictionaries will lie.
fn columns(
    schema: In<Schema>,
    batch: In<Array>,
    values: Out<ColumnArg>,
) -> Result<[ColumnArg; 3], Problem> {
    let (schema, batch) = (schema.get()?, batch.get()?);
    if schema.release.is_none() || batch.release.is_none() || schema.format.get(4)? != b"+s" {
        return Err(Fault::Arrow.into());
    }
    if batch.null_count != 0 && !batch.buffers.slice(1)?.iter().all(In::is_null) {
        return Err(Fault::Arrow.into()); // rows that are null as a whole
    }
    let mut columns = [ColumnArg::EMPTY; 3];
    for (i, name) in [c"key", c"message", c"signature"].into_iter().enumerate() {
        let [column, dictionary] = child(schema, batch, name, values.skip(i).as_input())?;
        columns[i] = column;
        values.skip(i).place()?.put(dictionary);
    }
    Ok(columns)
}

/// Verifies a record batch, and releases it.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_bulk_verify_arrow(
    how: In<Bulk>,
    spec: In<SpecArg>,
    schema: Out<Schema>,
    batch: Out<Array>,
    codes: Out<u8>,
    codes_size: usize,
    report: Out<Report>,
    scratch: Out<u8>,
    scratch_size: usize,
) -> c_int {
    let place = Place { codes, codes_size, report, scratch, scratch_size };
    let mut values = [ColumnArg::EMPTY; 3];
    let values = Out::first_of(&mut values);
    let table = columns(schema.as_input(), batch.as_input(), values);
    let inputs = |outputs: &mut Outputs| {
        Bulk::inputs(how, outputs);
        Tree::inputs(schema.as_input(), DEPTH, outputs);
        Tree::inputs(batch.as_input(), DEPTH, outputs);
        match table {
            Ok(columns) => TableArg::same(columns, spec).inputs(outputs),
            Err(_) => outputs.input(spec.extent(1)),
        }
    };
    let number = place
        .conclude(Extent::NOWHERE, inputs, || verify(how, &TableArg::same(table?, spec), &place));
    let schema = schema.value().ok().and_then(|value| Some((value.release?, schema.cast())));
    let batch = batch.value().ok().and_then(|value| Some((value.release?, batch.cast())));
    for (release, object) in [schema, batch].into_iter().flatten() {
        crate::pointer::release(release, object);
    }
    number
}
