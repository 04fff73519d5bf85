//! The Arrow C data interface behind the PyCapsule protocol: arrays of others as columns of the library, where
//! they lie, and arrays of our own.
//!
//! A producer promises that the buffers are as long as their offsets and lengths say; nothing in the interface
//! tells their sizes. All else is looked at: null pointers, alignment, offsets that decrease or are negative,
//! views that leave their buffers, indices that leave a dictionary, runs that do not reach the last row.
//!
//! Other code may write to a producer's memory while it is read. Whatever says where bytes lie (offsets, views,
//! indices) is therefore read once each time, by [`Shared::get`], and what was read is looked at; a row that no longer
//! lies in its buffer is null.
//!
//! `unsafe`: all of this package's.

use crate::errors::{BadColumn, Problem};
use crate::memory;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyMemoryView, PyTuple};
use sigmill::bulk::{Bitmap, BulkError, Column, Rows};
use std::borrow::Cow;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::marker::PhantomData;
use std::mem;
use std::ops::Range;
use std::ptr::{self, NonNull};
use std::slice;
use std::sync::Arc;
use std::sync::atomic::{Ordering, compiler_fence};

/// `struct ArrowSchema`.
#[repr(C)]
pub(crate) struct Schema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut Schema,
    dictionary: *mut Schema,
    release: Option<unsafe extern "C" fn(*mut Schema)>,
    private_data: *mut c_void,
}

/// `struct ArrowArray`.
#[repr(C)]
pub(crate) struct Array {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut Array,
    dictionary: *mut Array,
    release: Option<unsafe extern "C" fn(*mut Array)>,
    private_data: *mut c_void,
}

/// `struct ArrowArrayStream`.
#[repr(C)]
pub(crate) struct Stream {
    get_schema: Option<unsafe extern "C" fn(*mut Stream, *mut Schema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut Stream, *mut Array) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut Stream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut Stream)>,
    private_data: *mut c_void,
}

/// What is owned here and given back by its own function.
trait Released: Sized {
    const EMPTY: Self;
    /// Its function, if it has not been called yet.
    fn release(&self) -> Option<unsafe extern "C" fn(*mut Self)>;
    fn is_released(&self) -> bool;
}

macro_rules! released {
    ($type:ident { $($field:ident: $value:expr),* }) => {
        impl Released for $type {
            const EMPTY: Self = $type { $($field: $value,)* release: None, private_data: ptr::null_mut() };

            fn release(&self) -> Option<unsafe extern "C" fn(*mut Self)> {
                self.release
            }

            fn is_released(&self) -> bool {
                self.release.is_none()
            }
        }
    };
}

released!(Schema {
    format: ptr::null(),
    name: ptr::null(),
    metadata: ptr::null(),
    flags: 0,
    n_children: 0,
    children: ptr::null_mut(),
    dictionary: ptr::null_mut()
});
released!(Array {
    length: 0,
    null_count: 0,
    offset: 0,
    n_buffers: 0,
    n_children: 0,
    buffers: ptr::null_mut(),
    children: ptr::null_mut(),
    dictionary: ptr::null_mut()
});
released!(Stream { get_schema: None, get_next: None, get_last_error: None });

/// A structure that was handed over.
#[repr(transparent)]
struct Owned<T: Released>(T);

impl<T: Released> Owned<T> {
    /// Takes the structure out of a capsule, which is left released.
    fn take(capsule: &Bound<'_, PyCapsule>, name: &CStr) -> Result<Self, Problem> {
        let place = capsule.pointer_checked(Some(name)).map_err(Problem::Python)?.cast::<T>();
        if !place.is_aligned() {
            return Err(BadColumn::Alignment.into());
        }
        // SAFETY: a capsule of this name holds such a structure, which the protocol lets a consumer move out of it.
        let taken = unsafe { ptr::replace(place.as_ptr(), T::EMPTY) };
        match taken.is_released() {
            true => Err(BadColumn::Released.into()),
            false => Ok(Owned(taken)),
        }
    }
}

impl<T: Released> Drop for Owned<T> {
    fn drop(&mut self) {
        if let Some(release) = self.0.release() {
            // SAFETY: the producer's own function, called once, on what it was made for.
            unsafe { release(&raw mut self.0) };
        }
    }
}

/// A pointer of a producer's, neither null nor crooked.
fn place<T>(pointer: *const T) -> Result<NonNull<T>, BadColumn> {
    let place = NonNull::new(pointer.cast_mut()).ok_or(BadColumn::Null)?;
    if place.is_aligned() { Ok(place) } else { Err(BadColumn::Alignment) }
}

/// A structure of a producer's.
fn at<'a, T>(pointer: *const T) -> Result<&'a T, BadColumn> {
    let place = place(pointer)?;
    // SAFETY: not null, aligned, and the producer promises a value that lives until it is released, which is done by
    // `Owned` after all that borrows.
    Ok(unsafe { place.as_ref() })
}

/// The bytes of so many values, if memory can have them.
fn bytes_of<T>(len: usize) -> Result<usize, BadColumn> {
    let bytes = len.checked_mul(size_of::<T>()).filter(|bytes| *bytes <= isize::MAX as usize);
    bytes.ok_or(BadColumn::Length)
}

/// The pointers to an array's buffers.
fn buffers(array: &Array) -> Result<&[*const c_void], BadColumn> {
    let (pointer, len) = (array.buffers.cast_const(), count(array.n_buffers)?);
    if len == 0 {
        return Ok(&[]);
    }
    place(pointer)?;
    bytes_of::<*const c_void>(len)?;
    // SAFETY: not null, aligned, no longer than memory can be, and the producer promises that many pointers until it
    // is released.
    Ok(unsafe { slice::from_raw_parts(pointer, len) })
}

/// A child of a schema or of an array.
fn child<'a, T>(children: *mut *mut T, len: i64, i: usize) -> Result<&'a T, BadColumn> {
    let children = place(children.cast_const())?;
    if i >= count(len)? {
        return Err(BadColumn::Null);
    }
    let child = children.as_ptr().wrapping_add(i);
    // SAFETY: not null, aligned, and the producer promises that many pointers until it is released.
    at(unsafe { child.read() }.cast_const())
}

/// A string of C.
fn text<'a>(pointer: *const c_char) -> Result<&'a CStr, BadColumn> {
    place(pointer)?;
    // SAFETY: not null, and the producer promises a zero at the end.
    Ok(unsafe { CStr::from_ptr(pointer) })
}

fn count(number: i64) -> Result<usize, BadColumn> {
    usize::try_from(number).map_err(|_| BadColumn::Length)
}

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

/// Whether text counts as bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Bytes alone: text could be hexadecimal as well.
    Bytes,
    /// Bytes, or text as its UTF-8.
    BytesOrText,
    /// Text alone.
    Text,
}

impl Imported {
    /// Reads anything with `__arrow_c_array__` or `__arrow_c_stream__`.
    pub(crate) fn of(object: &Bound<'_, PyAny>, kind: Kind) -> Result<Self, Problem> {
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
        Self::own([Export {
            format: fixed_format(width),
            name: c"",
            nullable: false,
            rows,
            nulls: 0,
            buffers: vec![Buffer::None, Buffer::Python(bytes.unbind())],
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

/// The lengths of the dimensions of an array.
fn shape(memory: &Bound<'_, PyMemoryView>) -> PyResult<Vec<usize>> {
    memory.getattr("shape")?.extract()
}

/// The layout of values.
#[derive(Clone, Copy)]
enum Layout {
    Fixed(usize),
    Binary,
    LargeBinary,
    Views,
    Nulls,
    /// Lists of u8.
    Lists,
    LargeLists,
    FixedLists(usize),
}

/// That of a type, and whether it is text; `None` for what is neither bytes nor text.
fn layout(schema: &Schema) -> Result<Option<(Layout, bool)>, BadColumn> {
    let format = text(schema.format)?.to_bytes();
    let layout = match format {
        b"+l" => Layout::Lists,
        b"+L" => Layout::LargeLists,
        [b'+', b'w', b':', width @ ..] => match width_of(width) {
            Some(width) => Layout::FixedLists(width),
            None => return Ok(None),
        },
        _ => return Ok(flat_layout(format)),
    };
    let items = child(schema.children, schema.n_children, 0)?;
    if items.is_released() {
        return Err(BadColumn::Released);
    }
    let is_u8 = text(items.format)?.to_bytes() == b"C" && items.dictionary.is_null();
    Ok(is_u8.then_some((layout, false)))
}

fn width_of(digits: &[u8]) -> Option<usize> {
    Some(str::from_utf8(digits).ok()?.parse::<u32>().ok()? as usize)
}

fn flat_layout(format: &[u8]) -> Option<(Layout, bool)> {
    Some(match format {
        b"z" => (Layout::Binary, false),
        b"u" => (Layout::Binary, true),
        b"Z" => (Layout::LargeBinary, false),
        b"U" => (Layout::LargeBinary, true),
        b"vz" => (Layout::Views, false),
        b"vu" => (Layout::Views, true),
        b"n" => (Layout::Nulls, false),
        [b'w', b':', width @ ..] => (Layout::Fixed(width_of(width)?), false),
        _ => return None,
    })
}

/// What people call a type.
fn name_of(format: &[u8]) -> Cow<'static, str> {
    Cow::Borrowed(match format {
        b"n" => "null",
        b"b" => "boolean",
        b"c" | b"s" | b"i" | b"l" | b"C" | b"S" | b"I" | b"L" => "integers",
        b"e" | b"f" | b"g" => "floating-point numbers",
        b"u" | b"U" | b"vu" => "text",
        b"z" | b"Z" | b"vz" => "bytes",
        [b'w', ..] => "bytes of one width",
        [b'd', ..] => "decimal numbers",
        [b't', ..] => "dates or times",
        [b'+', b's', ..] => "structs: a table, of which one column is needed",
        b"+r" => "run-end encoded values of another type",
        [b'+', ..] => "lists of another type than u8",
        other => {
            return Cow::Owned(format!("`{}`", String::from_utf8_lossy(other).escape_default()));
        }
    })
}

/// Refuses what holds neither bytes nor, where it may, text.
fn check_type(schema: &Schema, kind: Kind) -> Result<(), BadColumn> {
    if schema.is_released() {
        return Err(BadColumn::Released);
    }
    if is_runs(schema)? {
        let [ends, values] = run_parts(schema.children, schema.n_children)?;
        let are_ends = matches!(text(ends.format)?.to_bytes(), b"s" | b"i" | b"l");
        if !are_ends || is_runs(values)? {
            let found = name_of(b"+r").into_owned();
            return Err(BadColumn::Type { kind, found });
        }
        return check_type(values, kind);
    }
    let values = if schema.dictionary.is_null() { schema } else { at(schema.dictionary)? };
    if values.is_released() || schema.is_released() {
        return Err(BadColumn::Released);
    }
    let format = text(values.format)?.to_bytes();
    let is_dictionary_of_one = values.dictionary.is_null() || ptr::eq(values, schema);
    match layout(values)?.filter(|_| is_dictionary_of_one) {
        Some((Layout::Nulls, _)) => Ok(()),
        Some((_, true)) if kind != Kind::Bytes => Ok(()),
        Some((_, false)) if kind != Kind::Text => Ok(()),
        _ => Err(BadColumn::Type { kind, found: name_of(format).into_owned() }),
    }
}

/// Whether a type is run-end encoded: a value for each run of rows.
fn is_runs(schema: &Schema) -> Result<bool, BadColumn> {
    Ok(text(schema.format)?.to_bytes() == b"+r" && schema.dictionary.is_null())
}

/// Where the runs end, and the values.
fn run_parts<'a, T: Released>(children: *mut *mut T, len: i64) -> Result<[&'a T; 2], BadColumn> {
    let parts = [child(children, len, 0)?, child(children, len, 1)?];
    match parts.iter().any(|part: &&T| part.is_released()) {
        true => Err(BadColumn::Released),
        false => Ok(parts),
    }
}

/// Values in a producer's memory, which other code may write to at any time.
#[derive(Debug)]
pub(crate) struct Shared<'a, T> {
    start: *const T,
    len: usize,
    of: PhantomData<&'a T>,
}

impl<T> Clone for Shared<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Shared<'_, T> {}

// SAFETY: it reads plain values of memory that the producer keeps until it is released, from whichever thread.
unsafe impl<T: Copy + Send> Send for Shared<'_, T> {}
// SAFETY: a shared reference reads plain values of that memory, and writes nothing.
unsafe impl<T: Copy + Send> Sync for Shared<'_, T> {}

impl<T: Copy> Shared<'_, T> {
    /// `len` values of a buffer from `first` on.
    fn new(buffer: *const c_void, first: usize, len: usize) -> Result<Self, BadColumn> {
        let start = buffer.cast::<T>();
        if len == 0 {
            return Ok(Shared { start: NonNull::dangling().as_ptr(), len, of: PhantomData });
        }
        place(start)?;
        bytes_of::<T>(first.checked_add(len).ok_or(BadColumn::Length)?)?;
        Ok(Shared { start: start.wrapping_add(first), len, of: PhantomData })
    }

    /// A value, read once.
    fn get(self, i: usize) -> Option<T> {
        if i >= self.len {
            return None;
        }
        let place = self.start.wrapping_add(i);
        // SAFETY: aligned, and among the values that the producer promises until it is released.
        Some(unsafe { place.read_volatile() })
    }
}

impl<'a> Shared<'a, u8> {
    /// The bytes from `start` to `end`, if they are some of these.
    fn part(self, start: usize, end: usize) -> Option<Self> {
        let len = end.checked_sub(start).filter(|_| end <= self.len)?;
        Some(Shared { start: self.start.wrapping_add(start), len, of: PhantomData })
    }

    /// The number of bytes.
    pub(crate) const fn len(self) -> usize {
        self.len
    }

    /// Copies the bytes from `offset` on into all of `piece`, as they are now; zeros, if there are not so many.
    pub(crate) fn copy_to(self, offset: usize, piece: &mut [u8]) {
        match offset.checked_add(piece.len()).and_then(|end| self.part(offset, end)) {
            None => piece.fill(0),
            // SAFETY: as many bytes as the producer promises until it is released; `piece` is borrowed for writing alone.
            Some(from) => unsafe { from.start.copy_to(piece.as_mut_ptr(), from.len) },
        }
        // whatever reads the copy may not read that memory again
        compiler_fence(Ordering::SeqCst);
    }

    /// The bytes where they lie: for what may come out as anything if they change, such as a verdict.
    fn bytes(self) -> &'a [u8] {
        // SAFETY: not null, and as many bytes as the producer promises until it is released.
        unsafe { slice::from_raw_parts(self.start, self.len) }
    }
}

/// Bits that say which rows are not null.
#[derive(Clone, Copy)]
struct Validity<'a> {
    bytes: Shared<'a, u8>,
    offset: usize,
}

impl<'a> Validity<'a> {
    fn has(self, row: usize) -> bool {
        let bit = self.offset + row;
        self.bytes.get(bit / 8).is_some_and(|byte| byte >> (bit % 8) & 1 == 1)
    }

    fn bitmap(self) -> Bitmap<'a> {
        Bitmap::new(self.bytes.bytes(), self.offset)
    }
}

/// The memory of the values.
enum Cells<'a> {
    Fixed(Shared<'a, u8>, usize),
    Binary(Shared<'a, i32>, Shared<'a, u8>),
    LargeBinary(Shared<'a, i64>, Shared<'a, u8>),
    /// The value of a row is bytes of the view itself or of a buffer.
    Views(Shared<'a, [u8; 16]>, Vec<Shared<'a, u8>>),
    Nulls,
}

/// Values, each once.
struct Values<'a> {
    cells: Cells<'a>,
    rows: usize,
    validity: Option<Validity<'a>>,
}

/// Whether a row is null, by the bits that say so.
fn is_null(validity: Option<Validity<'_>>, row: usize) -> bool {
    validity.is_some_and(|validity| !validity.has(row))
}

impl<'a> Values<'a> {
    fn of(schema: &Schema, array: &'a Array) -> Result<Self, BadColumn> {
        if array.is_released() || schema.is_released() {
            return Err(BadColumn::Released);
        }
        let (layout, _) = layout(schema)?.ok_or(BadColumn::Length)?;
        if matches!(layout, Layout::Nulls) || array.length == 0 {
            let rows = count(array.length)?;
            return Ok(Values { cells: Cells::Nulls, rows, validity: None });
        }
        let Parts { first, rows, validity, buffers } = parts(array)?;
        let buffer = |i: usize| buffers.get(i).copied().ok_or(BadColumn::Null);
        // nothing says how long the values are but the last offset
        let bytes = |end: Option<i64>| {
            let end = end.and_then(|end| usize::try_from(end).ok());
            Shared::new(buffer(2)?, 0, end.ok_or(BadColumn::Offset { row: rows - 1 })?)
        };
        let cells = match layout {
            Layout::Fixed(width) => {
                let skip = first.checked_mul(width).ok_or(BadColumn::Length)?;
                let size = rows.checked_mul(width).ok_or(BadColumn::Length)?;
                Cells::Fixed(Shared::new(buffer(1)?, skip, size)?, width)
            }
            Layout::Binary => {
                let offsets = Shared::<i32>::new(buffer(1)?, first, rows + 1)?;
                let bytes = bytes(offsets.get(rows).map(i64::from))?;
                let fixed = of_one_width(offsets, bytes, rows)?;
                fixed.unwrap_or(Cells::Binary(offsets, bytes))
            }
            Layout::LargeBinary => {
                let offsets = Shared::<i64>::new(buffer(1)?, first, rows + 1)?;
                let bytes = bytes(offsets.get(rows))?;
                let fixed = of_one_width(offsets, bytes, rows)?;
                fixed.unwrap_or(Cells::LargeBinary(offsets, bytes))
            }
            Layout::Views => {
                // validity, views, buffers, and the sizes of these; a view tells its buffer in 31 bits
                let variadic = buffers.len().checked_sub(3).ok_or(BadColumn::Null)?;
                let variadic = i32::try_from(variadic).map_err(|_| BadColumn::Length)? as usize;
                let sizes = Shared::<i64>::new(buffer(variadic + 2)?, 0, variadic)?;
                let mut held = memory::vec(variadic)?;
                for (i, buffer) in buffers[2..2 + variadic].iter().enumerate() {
                    let size = count(sizes.get(i).ok_or(BadColumn::Length)?)?;
                    held.push(Shared::new(*buffer, 0, size)?);
                }
                Cells::Views(Shared::new(buffer(1)?, first, rows)?, held)
            }
            Layout::Lists => {
                let offsets = Shared::<i32>::new(buffer(1)?, first, rows + 1)?;
                let items = Items::of(array)?;
                let fixed = of_one_width(offsets, items.bytes, rows)?;
                let offset = |row| usize::try_from(offsets.get(row)?).ok();
                items.check(validity, rows, |row| Some(offset(row)?..offset(row + 1)?))?;
                fixed.unwrap_or(Cells::Binary(offsets, items.bytes))
            }
            Layout::LargeLists => {
                let offsets = Shared::<i64>::new(buffer(1)?, first, rows + 1)?;
                let items = Items::of(array)?;
                let fixed = of_one_width(offsets, items.bytes, rows)?;
                let offset = |row| usize::try_from(offsets.get(row)?).ok();
                items.check(validity, rows, |row| Some(offset(row)?..offset(row + 1)?))?;
                fixed.unwrap_or(Cells::LargeBinary(offsets, items.bytes))
            }
            Layout::FixedLists(width) => {
                let skip = first.checked_mul(width).ok_or(BadColumn::Length)?;
                let end = rows.checked_mul(width).and_then(|size| size.checked_add(skip));
                let items = Items::of(array)?;
                let bytes = items.bytes.part(skip, end.ok_or(BadColumn::Length)?);
                items.check(validity, rows, |row| {
                    Some(skip + row * width..skip + (row + 1) * width)
                })?;
                Cells::Fixed(bytes.ok_or(BadColumn::Length)?, width)
            }
            Layout::Nulls => Cells::Nulls,
        };
        let values = Values { cells, rows, validity };
        values.check_views()?;
        Ok(values)
    }

    /// The bytes of a row, whether it is null or not; `None` if they are not in the buffers.
    fn cell(&self, row: usize) -> Option<Shared<'a, u8>> {
        match &self.cells {
            Cells::Fixed(bytes, width) => bytes.part(row * width, (row + 1) * width),
            Cells::Binary(offsets, bytes) => {
                let offset = |row| usize::try_from(offsets.get(row)?).ok();
                bytes.part(offset(row)?, offset(row + 1)?)
            }
            Cells::LargeBinary(offsets, bytes) => {
                let offset = |row| usize::try_from(offsets.get(row)?).ok();
                bytes.part(offset(row)?, offset(row + 1)?)
            }
            Cells::Views(views, buffers) => {
                // the length in 4 bytes, and then, up to 12 bytes, the value, or else its first 4 bytes, the number of a
                // buffer and the position there
                let view = views.get(row)?;
                let ([length, _, buffer, position], _) = view.as_chunks::<4>() else {
                    return None;
                };
                let number = |bytes: &[u8; 4]| usize::try_from(i32::from_ne_bytes(*bytes)).ok();
                let length = number(length)?;
                if length <= 12 {
                    let view = views.start.wrapping_add(row).cast::<u8>();
                    return Shared { start: view, len: 16, of: PhantomData }.part(4, 4 + length);
                }
                let position = number(position)?;
                buffers.get(number(buffer)?)?.part(position, position.checked_add(length)?)
            }
            Cells::Nulls => None,
        }
    }

    fn get(&self, row: usize) -> Option<Shared<'a, u8>> {
        if row >= self.rows || is_null(self.validity, row) { None } else { self.cell(row) }
    }

    /// Refuses views of rows that are not null and leave the buffers.
    fn check_views(&self) -> Result<(), BadColumn> {
        let leaves = |row: &usize| !is_null(self.validity, *row) && self.cell(*row).is_none();
        let rows = if matches!(self.cells, Cells::Views(..)) { self.rows } else { 0 };
        match (0..rows).find(leaves) {
            Some(row) => Err(BadColumn::View { row }),
            None => Ok(()),
        }
    }
}

/// The values of all lists of an array, one after the other.
struct Items<'a> {
    bytes: Shared<'a, u8>,
    validity: Option<Validity<'a>>,
}

impl<'a> Items<'a> {
    fn of(array: &'a Array) -> Result<Self, BadColumn> {
        let items: &Array = child(array.children, array.n_children, 0)?;
        if items.is_released() {
            return Err(BadColumn::Released);
        }
        if items.length == 0 {
            return Ok(Items { bytes: Shared::new(ptr::null(), 0, 0)?, validity: None });
        }
        let Parts { first, rows, validity, buffers } = parts(items)?;
        let buffer = *buffers.get(1).ok_or(BadColumn::Null)?;
        Ok(Items { bytes: Shared::new(buffer, first, rows)?, validity })
    }

    /// Refuses a null among the bytes of a row that is not null itself.
    fn check(
        &self,
        rows_validity: Option<Validity<'_>>,
        rows: usize,
        range: impl Fn(usize) -> Option<Range<usize>>,
    ) -> Result<(), BadColumn> {
        let Some(validity) = self.validity else { return Ok(()) };
        for row in (0..rows).filter(|row| !is_null(rows_validity, *row)) {
            if range(row).is_some_and(|range| range.into_iter().any(|item| !validity.has(item))) {
                return Err(BadColumn::NullByte { row });
            }
        }
        Ok(())
    }
}

/// Refuses offsets that decrease or leave the bytes. Values that all have one width need none any more, and are read
/// faster: keys and signatures.
fn of_one_width<'a, T: Copy + TryInto<usize>>(
    offsets: Shared<'a, T>,
    bytes: Shared<'a, u8>,
    rows: usize,
) -> Result<Option<Cells<'a>>, BadColumn> {
    let offset = |i: usize, from: usize| {
        let offset = offsets.get(i).and_then(|offset| offset.try_into().ok());
        let within = offset.filter(|offset| (from..=bytes.len).contains(offset));
        within.ok_or(BadColumn::Offset { row: i.saturating_sub(1) })
    };
    let first = offset(0, 0)?;
    let width = offset(rows.min(1), first)? - first;
    let (mut end, mut is_fixed) = (first, true);
    for row in 0..rows {
        let next = offset(row + 1, end)?;
        is_fixed &= next - end == width;
        end = next;
    }
    // as many bytes as were looked at, whatever the offsets say now
    let len = width.checked_mul(rows).filter(|len| is_fixed && first + len == end);
    Ok(len.and_then(|len| Some(Cells::Fixed(bytes.part(first, first + len)?, width))))
}

macro_rules! indices {
    ($($letter:literal $variant:ident $type:ty),*) => {
        /// The value of a dictionary that each row has.
        enum Indices<'a> {
            $($variant(Shared<'a, $type>),)*
        }

        impl Indices<'_> {
            fn of(letter: &[u8], buffer: *const c_void, first: usize, rows: usize) -> Result<Self, BadColumn> {
                match letter {
                    $($letter => Ok(Indices::$variant(Shared::new(buffer, first, rows)?)),)*
                    _ => Err(BadColumn::Length),
                }
            }

            /// That of a row, if it is not negative.
            fn get(&self, row: usize) -> Option<usize> {
                match self {
                    $(Indices::$variant(indices) => usize::try_from(indices.get(row)?).ok(),)*
                }
            }
        }
    };
}

indices!(
    b"c" I8 i8, b"s" I16 i16, b"i" I32 i32, b"l" I64 i64,
    b"C" U8 u8, b"S" U16 u16, b"I" U32 u32, b"L" U64 u64
);

/// Rows of an array: the values, or those of a dictionary; or these for runs of rows.
pub(crate) struct Chunk<'a> {
    values: Values<'a>,
    dictionary: Option<Dictionary<'a>>,
    runs: Option<Runs>,
}

/// Runs of rows that have one value: row `i` here is row `first + i` of the runs.
struct Runs {
    /// The row after each run, copied: other code may write to them.
    ends: Vec<usize>,
    first: usize,
    rows: usize,
}

impl Runs {
    /// Those of an array, with as many values at most.
    fn of(array: &Array, letter: &[u8], ends: &Array, values: usize) -> Result<Self, BadColumn> {
        let (first, rows) = (count(array.offset)?, count(array.length)?);
        let last = first.checked_add(rows).ok_or(BadColumn::Length)?;
        let mut runs = Runs { ends: Vec::new(), first, rows };
        if rows == 0 {
            return Ok(runs);
        }
        let ends = parts(ends)?;
        let buffer = *ends.buffers.get(1).ok_or(BadColumn::Null)?;
        let numbers = Indices::of(letter, buffer, ends.first, ends.rows)?;
        let mut before = 0;
        for run in 0..ends.rows.min(values) {
            let end = numbers.get(run).filter(|end| *end > before).ok_or(BadColumn::Runs)?;
            memory::push(&mut runs.ends, end)?;
            before = end;
            if end >= last {
                return Ok(runs);
            }
        }
        Err(BadColumn::Runs)
    }

    /// The run of a row.
    fn index(&self, row: usize) -> Option<usize> {
        let row = self.first + Some(row).filter(|row| *row < self.rows)?;
        Some(self.ends.partition_point(|end| *end <= row))
    }
}

struct Dictionary<'a> {
    indices: Indices<'a>,
    rows: usize,
    validity: Option<Validity<'a>>,
}

impl<'a> Chunk<'a> {
    fn of(schema: &Schema, array: &'a Array) -> Result<Self, BadColumn> {
        if array.is_released() {
            return Err(BadColumn::Released);
        }
        if is_runs(schema)? {
            let [ends_type, values_type] = run_parts(schema.children, schema.n_children)?;
            let [ends, values] = run_parts(array.children, array.n_children)?;
            let mut chunk = Chunk::of(values_type, values)?;
            let letter = text(ends_type.format)?.to_bytes();
            chunk.runs = Some(Runs::of(array, letter, ends, chunk.len())?);
            return Ok(chunk);
        }
        if schema.dictionary.is_null() {
            return Ok(Chunk { values: Values::of(schema, array)?, dictionary: None, runs: None });
        }
        let values = Values::of(at(schema.dictionary)?, at(array.dictionary)?)?;
        let Parts { first, rows, validity, buffers } = parts(array)?;
        let buffer = *buffers.get(1).ok_or(BadColumn::Null)?;
        let indices = Indices::of(text(schema.format)?.to_bytes(), buffer, first, rows)?;
        let leaves = |row: &usize| {
            !is_null(validity, *row) && indices.get(*row).is_none_or(|index| index >= values.rows)
        };
        match (0..rows).find(leaves) {
            Some(row) => Err(BulkError::Index { row }.into()),
            None => {
                let dictionary = Some(Dictionary { indices, rows, validity });
                Ok(Chunk { values, dictionary, runs: None })
            }
        }
    }

    /// The bytes of a row; `None` if it is null, or no longer in its buffer.
    pub(crate) fn shared(&self, row: usize) -> Option<Shared<'a, u8>> {
        let row = self.runs.as_ref().map_or(Some(row), |runs| runs.index(row))?;
        match &self.dictionary {
            None => self.values.get(row),
            Some(dictionary) if is_null(dictionary.validity, row) => None,
            Some(dictionary) => self.values.get(dictionary.indices.get(row)?),
        }
    }

    /// The rows as a column of the library.
    pub(crate) fn column(&self) -> Column<'_> {
        let validity = self.values.validity.map(Validity::bitmap);
        match (&self.values.cells, &self.dictionary, &self.runs) {
            // which is read faster than other rows
            (Cells::Fixed(bytes, width), None, None) => {
                Column::fixed(bytes.bytes(), *width, self.values.rows, validity)
                    .unwrap_or_else(|_| Column::rows(self))
            }
            _ => Column::rows(self),
        }
    }
}

impl Rows for Chunk<'_> {
    fn len(&self) -> usize {
        let values =
            self.dictionary.as_ref().map_or(self.values.rows, |dictionary| dictionary.rows);
        self.runs.as_ref().map_or(values, |runs| runs.rows)
    }

    fn get(&self, row: usize) -> Option<&[u8]> {
        self.shared(row).map(Shared::bytes)
    }
}

/// The rows of a column, in its chunks.
pub(crate) struct Chunks<'a> {
    pub(crate) chunks: Vec<Chunk<'a>>,
    /// The row after each chunk.
    pub(crate) ends: &'a [usize],
}

impl<'a> Chunks<'a> {
    /// The bytes of a row; `None` if it is null, or no longer in its buffer.
    pub(crate) fn shared(&self, row: usize) -> Option<Shared<'a, u8>> {
        let chunk = self.ends.partition_point(|end| *end <= row);
        let first = chunk.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.chunks.get(chunk)?.shared(row - first)
    }
}

impl Rows for Chunks<'_> {
    fn len(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    fn get(&self, row: usize) -> Option<&[u8]> {
        self.shared(row).map(Shared::bytes)
    }
}

/// Where the rows lie in the buffers, which of them are null, and the buffers.
struct Parts<'a> {
    first: usize,
    rows: usize,
    validity: Option<Validity<'a>>,
    buffers: &'a [*const c_void],
}

fn parts(array: &Array) -> Result<Parts<'_>, BadColumn> {
    let (first, rows) = (count(array.offset)?, count(array.length)?);
    let end = first.checked_add(rows).filter(|end| *end < isize::MAX as usize / 64);
    let end = end.ok_or(BadColumn::Length)?;
    let buffers = buffers(array)?;
    let validity = match buffers.first() {
        Some(bits) if array.null_count != 0 && !bits.is_null() => {
            Some(Validity { bytes: Shared::new(*bits, 0, end.div_ceil(8))?, offset: first })
        }
        _ if array.null_count > 0 => return Err(BadColumn::Null),
        _ => None,
    };
    Ok(Parts { first, rows, validity, buffers })
}

/// What an array of our own is made of, and what keeps it alive.
struct Made {
    buffers: Vec<*const c_void>,
    children: Vec<*mut Array>,
    _kept: Vec<Buffer>,
}

/// Memory of an array of our own.
pub(crate) enum Buffer {
    /// Nothing is null.
    None,
    Bytes(Vec<u8>),
    Shared(Arc<Vec<u8>>),
    Offsets(Vec<i32>),
    LargeOffsets(Vec<i64>),
    Python(Py<PyBytes>),
}

impl Buffer {
    fn pointer(&self) -> *const c_void {
        match self {
            Buffer::None => ptr::null(),
            Buffer::Bytes(bytes) => bytes.as_ptr().cast(),
            Buffer::Shared(bytes) => bytes.as_ptr().cast(),
            Buffer::Offsets(offsets) => offsets.as_ptr().cast(),
            Buffer::LargeOffsets(offsets) => offsets.as_ptr().cast(),
            Buffer::Python(bytes) => Python::attach(|py| bytes.as_bytes(py).as_ptr().cast()),
        }
    }
}

/// The type of so many bytes a row.
pub(crate) fn fixed_format(width: usize) -> Cow<'static, CStr> {
    CString::new(format!("w:{width}")).map_or(Cow::Borrowed(c"z"), Cow::Owned)
}

/// What a type of our own is made of.
struct MadeSchema {
    children: Vec<*mut Schema>,
    format: Cow<'static, CStr>,
}

/// A column of our own, to be handed over.
pub(crate) struct Export {
    /// Its type, as the C data interface writes it.
    pub(crate) format: Cow<'static, CStr>,
    pub(crate) name: &'static CStr,
    pub(crate) nullable: bool,
    pub(crate) rows: usize,
    pub(crate) nulls: usize,
    pub(crate) buffers: Vec<Buffer>,
    pub(crate) children: Vec<Export>,
}

const ARROW_FLAG_NULLABLE: i64 = 2;

unsafe extern "C" fn release_schema(schema: *mut Schema) {
    let Some(schema) = NonNull::new(schema) else { return };
    // SAFETY: whoever calls this has the schema for himself.
    let taken = unsafe { ptr::replace(schema.as_ptr(), Schema::EMPTY) };
    if taken.private_data.is_null() {
        return;
    }
    // SAFETY: `Export::schema` has made it so, and it was taken out just now.
    let made = unsafe { Box::from_raw(taken.private_data.cast::<MadeSchema>()) };
    for child in made.children {
        // SAFETY: made by `Box::into_raw` there; a consumer may have moved what is in it, and left it released.
        drop(Owned(*unsafe { Box::from_raw(child) }));
    }
}

unsafe extern "C" fn release_array(array: *mut Array) {
    let Some(array) = NonNull::new(array) else { return };
    // SAFETY: whoever calls this has the array for himself.
    let taken = unsafe { ptr::replace(array.as_ptr(), Array::EMPTY) };
    if taken.private_data.is_null() {
        return;
    }
    // SAFETY: `Export::array` has made it so, and it was taken out just now.
    let made = unsafe { Box::from_raw(taken.private_data.cast::<Made>()) };
    for child in &made.children {
        // SAFETY: made by `Box::into_raw` there; a consumer may have moved what is in it, and left it released.
        drop(Owned(*unsafe { Box::from_raw(*child) }));
    }
}

impl Export {
    /// The type.
    pub(crate) fn schema(&self) -> Schema {
        let children: Vec<*mut Schema> =
            self.children.iter().map(|child| Box::into_raw(Box::new(child.schema()))).collect();
        let mut made = Box::new(MadeSchema { children, format: self.format.clone() });
        Schema {
            format: made.format.as_ptr(),
            name: self.name.as_ptr(),
            flags: if self.nullable { ARROW_FLAG_NULLABLE } else { 0 },
            n_children: made.children.len() as i64,
            children: made.children.as_mut_ptr(),
            release: Some(release_schema),
            private_data: Box::into_raw(made).cast(),
            ..Schema::EMPTY
        }
    }

    /// The rows.
    pub(crate) fn array(self) -> Array {
        let children: Vec<*mut Array> =
            self.children.into_iter().map(|child| Box::into_raw(Box::new(child.array()))).collect();
        let buffers = self.buffers.iter().map(Buffer::pointer).collect();
        let mut made = Box::new(Made { buffers, children, _kept: self.buffers });
        Array {
            length: self.rows as i64,
            null_count: self.nulls as i64,
            offset: 0,
            n_buffers: made.buffers.len() as i64,
            n_children: made.children.len() as i64,
            buffers: made.buffers.as_mut_ptr(),
            children: made.children.as_mut_ptr(),
            dictionary: ptr::null_mut(),
            release: Some(release_array),
            private_data: Box::into_raw(made).cast(),
        }
    }

    /// The two capsules of `__arrow_c_array__`.
    pub(crate) fn capsules<'py>(self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let schema = capsule(py, self.schema(), c"arrow_schema")?;
        let array = capsule(py, self.array(), c"arrow_array")?;
        PyTuple::new(py, [schema, array])
    }
}

/// A capsule that releases what nobody has taken out of it.
fn capsule<'py, T: Released + 'static>(
    py: Python<'py>,
    value: T,
    name: &'static CStr,
) -> PyResult<Bound<'py, PyCapsule>> {
    unsafe extern "C" fn destroy<T: Released>(capsule: *mut pyo3::ffi::PyObject) {
        // SAFETY: the capsule is alive while its destructor runs.
        let name = unsafe { pyo3::ffi::PyCapsule_GetName(capsule) };
        // SAFETY: asked for under the name that it has.
        let place = unsafe { pyo3::ffi::PyCapsule_GetPointer(capsule, name) };
        if let Some(place) = NonNull::new(place.cast::<T>()) {
            // SAFETY: made by `Box::into_raw` below, and a destructor runs once.
            drop(Owned(*unsafe { Box::from_raw(place.as_ptr()) }));
        }
    }
    let mut value = Box::new(Owned(value));
    let place = NonNull::from(&mut value.0).cast::<c_void>();
    // SAFETY: the pointer stays valid until the destructor runs, since the box is given up below.
    let capsule =
        unsafe { PyCapsule::new_with_pointer_and_destructor(py, place, name, Some(destroy::<T>)) }?;
    mem::forget(value);
    Ok(capsule)
}

/// Arrays one after the other, as a stream.
struct Batches {
    schema: Export,
    next: Box<dyn FnMut() -> PyResult<Option<Export>> + Send>,
}

/// The numbers of the C stream interface for a wrong argument and for memory that is not there.
const EINVAL: c_int = 22;
const ENOMEM: c_int = 12;

unsafe extern "C" fn stream_schema(stream: *mut Stream, out: *mut Schema) -> c_int {
    // SAFETY: the consumer hands over a stream that is its own.
    let Some(stream) = (unsafe { stream.as_ref() }) else { return EINVAL };
    // SAFETY: `stream` below has made it so.
    let Some(batches) = (unsafe { stream.private_data.cast::<Batches>().as_ref() }) else {
        return EINVAL;
    };
    // SAFETY: the consumer hands over a place for the type.
    unsafe { out.write(batches.schema.schema()) };
    0
}

unsafe extern "C" fn stream_next(stream: *mut Stream, out: *mut Array) -> c_int {
    // SAFETY: the consumer hands over a stream that is its own.
    let Some(stream) = (unsafe { stream.as_ref() }) else { return EINVAL };
    // SAFETY: `stream` below has made it so, and nobody else uses it.
    let Some(batches) = (unsafe { stream.private_data.cast::<Batches>().as_mut() }) else {
        return EINVAL;
    };
    let Ok(array) = (batches.next)() else { return ENOMEM };
    let array = array.map_or(Array::EMPTY, Export::array);
    // SAFETY: the consumer hands over a place for an array.
    unsafe { out.write(array) };
    0
}

unsafe extern "C" fn stream_error(_: *mut Stream) -> *const c_char {
    ptr::null()
}

unsafe extern "C" fn release_stream(stream: *mut Stream) {
    let Some(stream) = NonNull::new(stream) else { return };
    // SAFETY: whoever calls this has the stream for himself.
    let taken = unsafe { ptr::replace(stream.as_ptr(), Stream::EMPTY) };
    if !taken.private_data.is_null() {
        // SAFETY: `stream` below has made it so, and it was taken out just now.
        drop(unsafe { Box::from_raw(taken.private_data.cast::<Batches>()) });
    }
}

/// The capsule of `__arrow_c_stream__`.
pub(crate) fn stream<'py>(
    py: Python<'py>,
    schema: Export,
    next: Box<dyn FnMut() -> PyResult<Option<Export>> + Send>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let stream = Stream {
        get_schema: Some(stream_schema),
        get_next: Some(stream_next),
        get_last_error: Some(stream_error),
        release: Some(release_stream),
        private_data: Box::into_raw(Box::new(Batches { schema, next })).cast(),
    };
    capsule(py, stream, c"arrow_array_stream")
}
