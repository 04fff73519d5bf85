//! The Arrow C data interface behind the PyCapsule protocol: arrays of others as columns of the library, where
//! they lie, and arrays of our own.
//!
//! A producer promises that the buffers are as long as their offsets and lengths say; nothing in the interface
//! tells their sizes. All else is looked at: null pointers, alignment, offsets that decrease or are negative,
//! views that leave their buffers, indices that leave a dictionary.
//!
//! `unsafe`: all of this package's.

use crate::errors::{BadColumn, Problem};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};
use sigmill::bulk::{Bitmap, Column, Indices, Rows};
use std::borrow::Cow;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem;
use std::ptr::{self, NonNull};
use std::slice;

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
struct Owned<T: Released>(Box<T>);

impl<T: Released> Owned<T> {
    fn empty() -> Self {
        Owned(Box::new(T::EMPTY))
    }

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
            false => Ok(Owned(Box::new(taken))),
        }
    }
}

impl<T: Released> Drop for Owned<T> {
    fn drop(&mut self) {
        if let Some(release) = self.0.release() {
            // SAFETY: the producer's own function, called once, on what it was made for.
            unsafe { release(&raw mut *self.0) };
        }
    }
}

/// A reference to what a pointer of a producer points to, if it is not null.
fn at<'a, T>(pointer: *const T) -> Result<&'a T, BadColumn> {
    let pointer = NonNull::new(pointer.cast_mut()).ok_or(BadColumn::Null)?;
    if !pointer.is_aligned() {
        return Err(BadColumn::Alignment);
    }
    // SAFETY: not null, aligned, and the producer promises a value that lives until it is released, which is done by
    // `Owned` after all that borrows.
    Ok(unsafe { pointer.as_ref() })
}

/// So many values of a producer's.
fn values<'a, T>(pointer: *const T, len: usize) -> Result<&'a [T], BadColumn> {
    if len == 0 {
        return Ok(&[]);
    }
    at(pointer)?;
    if len.checked_mul(size_of::<T>()).is_none_or(|bytes| bytes > isize::MAX as usize) {
        return Err(BadColumn::Length);
    }
    // SAFETY: not null, aligned, no longer than memory can be, and the producer promises that many integers or
    // pointers until it is released.
    Ok(unsafe { slice::from_raw_parts(pointer, len) })
}

/// A string of C.
fn text<'a>(pointer: *const c_char) -> Result<&'a CStr, BadColumn> {
    at(pointer)?;
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
    /// The first row of each chunk, and the number of rows.
    starts: Vec<usize>,
}

// SAFETY: what is read of an array does not change while it is not released, which the interface lets any thread do.
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
            let array = Owned::<Array>::take(&array, c"arrow_array")?;
            return Ok(Self::new(schema, vec![array])?);
        }
        let Some(method) = object.getattr_opt("__arrow_c_stream__").map_err(Problem::Python)?
        else {
            let name = object.get_type().fully_qualified_name().map_err(Problem::Python)?;
            return Err(BadColumn::NotArrow(name.to_string()).into());
        };
        let capsule = method.call0().map_err(Problem::Python)?;
        let capsule = capsule.cast::<PyCapsule>().map_err(|_| BadColumn::NoCapsule)?;
        let stream = Owned::<Stream>::take(capsule, c"arrow_array_stream")?;
        // what a producer does meanwhile may need the interpreter, and is its own affair
        let (schema, chunks) = read(stream, kind)?;
        Ok(Self::new(schema, chunks)?)
    }

    fn new(schema: Owned<Schema>, arrays: Vec<Owned<Array>>) -> Result<Self, BadColumn> {
        let mut starts = vec![0];
        let mut chunks = Vec::new();
        let mut total = 0_usize;
        for array in arrays {
            let rows = count(array.0.length)?;
            if rows > 0 {
                total = total.checked_add(rows).ok_or(BadColumn::Length)?;
                chunks.push(array);
                starts.push(total);
            }
        }
        Ok(Imported { schema, chunks, starts })
    }

    /// The number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.starts[self.chunks.len()]
    }

    /// The rows at which chunks begin, and the number of rows.
    pub(crate) fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// The rows of each chunk.
    pub(crate) fn held(&self) -> Result<Vec<Held<'_>>, BadColumn> {
        let mut held = Vec::with_capacity(self.chunks.len());
        for (array, first) in self.chunks.iter().zip(&self.starts) {
            // a row is told as one of the column
            held.push(Held::of(&self.schema.0, &array.0).map_err(|error| error.after(*first))?);
        }
        Ok(held)
    }
}

/// All arrays of a stream, and their type.
fn read(
    mut stream: Owned<Stream>,
    kind: Kind,
) -> Result<(Owned<Schema>, Vec<Owned<Array>>), BadColumn> {
    let failed = |stream: &mut Stream, code: c_int| {
        let message = stream.get_last_error.and_then(|get_last_error| {
            // SAFETY: the producer's own function, right after another of its functions has failed.
            let message = unsafe { get_last_error(stream) };
            text(message).ok().map(|text| text.to_string_lossy().into_owned())
        });
        BadColumn::Stream(message.unwrap_or_else(|| format!("error {code}")))
    };
    let (Some(get_schema), Some(get_next)) = (stream.0.get_schema, stream.0.get_next) else {
        return Err(BadColumn::Null);
    };
    let mut schema = Owned::<Schema>::empty();
    // SAFETY: the producer's own function, with its stream and a place for the type.
    let code = unsafe { get_schema(&raw mut *stream.0, &raw mut *schema.0) };
    if code != 0 {
        return Err(failed(&mut stream.0, code));
    }
    check_type(&schema.0, kind)?;
    let mut arrays = Vec::new();
    loop {
        let mut array = Owned::<Array>::empty();
        // SAFETY: the producer's own function, with its stream and a place for an array.
        let code = unsafe { get_next(&raw mut *stream.0, &raw mut *array.0) };
        if code != 0 {
            return Err(failed(&mut stream.0, code));
        }
        if array.0.is_released() {
            return Ok((schema, arrays));
        }
        arrays.push(array);
    }
}

/// The layout of values.
#[derive(Clone, Copy)]
enum Layout {
    Fixed(usize),
    Binary,
    LargeBinary,
    Views,
    Nulls,
}

fn layout(format: &[u8]) -> Option<(Layout, bool)> {
    Some(match format {
        b"z" => (Layout::Binary, false),
        b"u" => (Layout::Binary, true),
        b"Z" => (Layout::LargeBinary, false),
        b"U" => (Layout::LargeBinary, true),
        b"vz" => (Layout::Views, false),
        b"vu" => (Layout::Views, true),
        b"n" => (Layout::Nulls, false),
        [b'w', b':', width @ ..] => {
            let width = str::from_utf8(width).ok()?.parse::<u32>().ok()?;
            (Layout::Fixed(width as usize), false)
        }
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
        [b'+', ..] => "lists",
        other => {
            return Cow::Owned(format!("`{}`", String::from_utf8_lossy(other).escape_default()));
        }
    })
}

/// Refuses what holds neither bytes nor, where it may, text.
fn check_type(schema: &Schema, kind: Kind) -> Result<(), BadColumn> {
    let values = if schema.dictionary.is_null() { schema } else { at(schema.dictionary)? };
    if values.is_released() || schema.is_released() {
        return Err(BadColumn::Released);
    }
    let format = text(values.format)?.to_bytes();
    let is_dictionary_of_one = values.dictionary.is_null() || ptr::eq(values, schema);
    match layout(format).filter(|_| is_dictionary_of_one) {
        Some((Layout::Nulls, _)) => Ok(()),
        Some((_, true)) if kind != Kind::Bytes => Ok(()),
        Some((_, false)) if kind != Kind::Text => Ok(()),
        _ => Err(BadColumn::Type { kind, found: name_of(format).into_owned() }),
    }
}

/// Views, whose values are bytes of the view itself or of a buffer.
struct Views<'a> {
    views: &'a [[u8; 16]],
    buffers: Vec<&'a [u8]>,
    validity: Option<Validity<'a>>,
}

/// Bits that say which rows are not null.
#[derive(Clone, Copy)]
struct Validity<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Validity<'a> {
    fn has(self, row: usize) -> bool {
        let bit = self.offset + row;
        self.bytes.get(bit / 8).is_some_and(|byte| byte >> (bit % 8) & 1 == 1)
    }

    fn bitmap(self) -> Bitmap<'a> {
        Bitmap::new(self.bytes, self.offset)
    }
}

impl Views<'_> {
    /// The value of a row, if its view stays within the buffers: the length in 4 bytes, and then, up to 12 bytes,
    /// itself, or else its first 4 bytes, the number of a buffer and the position there.
    fn value(&self, row: usize) -> Option<&[u8]> {
        let view = self.views.get(row)?;
        let ([length, _, buffer, position], _) = view.as_chunks::<4>() else { return None };
        let number = |bytes: &[u8; 4]| usize::try_from(i32::from_ne_bytes(*bytes)).ok();
        let length = number(length)?;
        if length <= 12 {
            return view.get(4..4 + length);
        }
        let position = number(position)?;
        self.buffers.get(number(buffer)?)?.get(position..position.checked_add(length)?)
    }

    fn is_null(&self, row: usize) -> bool {
        self.validity.is_some_and(|validity| !validity.has(row))
    }

    fn check(&self) -> Result<(), BadColumn> {
        let leaves = |row: &usize| !self.is_null(*row) && self.value(*row).is_none();
        match (0..self.views.len()).find(leaves) {
            Some(row) => Err(BadColumn::View { row }),
            None => Ok(()),
        }
    }
}

impl Rows for Views<'_> {
    fn len(&self) -> usize {
        self.views.len()
    }

    fn get(&self, row: usize) -> Option<&[u8]> {
        if self.is_null(row) { None } else { self.value(row) }
    }
}

/// Rows that are all null.
struct Nulls(usize);

impl Rows for Nulls {
    fn len(&self) -> usize {
        self.0
    }

    fn get(&self, _: usize) -> Option<&[u8]> {
        None
    }
}

enum Values<'a> {
    Column(Column<'a>),
    Views(Views<'a>),
    Nulls(Nulls),
}

/// Rows of a chunk: the values, and of a dictionary which of them each row has. [`Held::values`] and then
/// [`Held::column`] make the library's column.
pub(crate) struct Held<'a> {
    values: Values<'a>,
    indices: Option<(Indices<'a>, Option<Validity<'a>>)>,
}

impl<'a> Held<'a> {
    fn of(schema: &Schema, array: &'a Array) -> Result<Self, BadColumn> {
        if array.is_released() {
            return Err(BadColumn::Released);
        }
        if schema.dictionary.is_null() {
            return Ok(Held { values: Values::of(schema, array)?, indices: None });
        }
        let dictionary = at(array.dictionary)?;
        let values = Values::of(at(schema.dictionary)?, dictionary)?;
        let Parts { first, rows, validity, buffers } = parts(array)?;
        let indices = *buffers.get(1).ok_or(BadColumn::Null)?;
        macro_rules! indices {
            ($($letter:literal $variant:ident $type:ty),*) => {
                match text(schema.format)?.to_bytes() {
                    $($letter => Indices::$variant(part::<$type>(indices, first, rows)?),)*
                    _ => return Err(BadColumn::Length),
                }
            };
        }
        let indices = indices!(
            b"c" I8 i8, b"s" I16 i16, b"i" I32 i32, b"l" I64 i64,
            b"C" U8 u8, b"S" U16 u16, b"I" U32 u32, b"L" U64 u64
        );
        Ok(Held { values, indices: Some((indices, validity)) })
    }

    /// The values, each once.
    pub(crate) fn values(&self) -> Column<'_> {
        match &self.values {
            Values::Column(column) => *column,
            Values::Views(views) => Column::rows(views),
            Values::Nulls(nulls) => Column::rows(nulls),
        }
    }

    /// The rows, of their values.
    pub(crate) fn column<'b>(&'b self, values: &'b Column<'b>) -> Result<Column<'b>, BadColumn> {
        match self.indices {
            None => Ok(*values),
            Some((indices, validity)) => {
                Ok(Column::dictionary(indices, values, validity.map(Validity::bitmap))?)
            }
        }
    }
}

/// `rows` values of a buffer from `first` on.
fn part<'a, T>(buffer: *const c_void, first: usize, rows: usize) -> Result<&'a [T], BadColumn> {
    if buffer.is_null() && rows > 0 {
        return Err(BadColumn::Null);
    }
    values(buffer.cast::<T>().wrapping_add(first), rows)
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
    let buffers = values::<*const c_void>(array.buffers.cast_const(), count(array.n_buffers)?)?;
    let validity = match buffers.first() {
        Some(bits) if array.null_count != 0 && !bits.is_null() => {
            let bytes = values(bits.cast::<u8>(), end.div_ceil(8))?;
            Some(Validity { bytes, offset: first })
        }
        _ if array.null_count > 0 => return Err(BadColumn::Null),
        _ => None,
    };
    Ok(Parts { first, rows, validity, buffers })
}

impl<'a> Values<'a> {
    fn of(schema: &Schema, array: &'a Array) -> Result<Self, BadColumn> {
        if array.is_released() || schema.is_released() {
            return Err(BadColumn::Released);
        }
        let (layout, _) = layout(text(schema.format)?.to_bytes()).ok_or(BadColumn::Length)?;
        if matches!(layout, Layout::Nulls) || array.length == 0 {
            return Ok(Values::Nulls(Nulls(count(array.length)?)));
        }
        let Parts { first, rows, validity, buffers } = parts(array)?;
        let bitmap = validity.map(Validity::bitmap);
        let buffer = |i: usize| buffers.get(i).copied().ok_or(BadColumn::Null);
        let bytes = |end: i64| {
            let end = usize::try_from(end).map_err(|_| BadColumn::Offset { row: rows - 1 })?;
            values(buffer(2)?.cast::<u8>(), end)
        };
        Ok(match layout {
            Layout::Fixed(width) => {
                let skip = first.checked_mul(width).ok_or(BadColumn::Length)?;
                let size = rows.checked_mul(width).ok_or(BadColumn::Length)?;
                let bytes = part::<u8>(buffer(1)?, skip, size)?;
                Values::Column(Column::fixed(bytes, width, rows, bitmap)?)
            }
            Layout::Binary => {
                let offsets = part::<i32>(buffer(1)?, first, rows + 1)?;
                let bytes = bytes(i64::from(offsets[rows]))?;
                Values::Column(Column::binary(offsets, bytes, bitmap)?)
            }
            Layout::LargeBinary => {
                let offsets = part::<i64>(buffer(1)?, first, rows + 1)?;
                let bytes = bytes(offsets[rows])?;
                Values::Column(Column::large_binary(offsets, bytes, bitmap)?)
            }
            Layout::Views => {
                // validity, views, buffers, and the sizes of these
                let variadic = buffers.len().checked_sub(3).ok_or(BadColumn::Null)?;
                let sizes = part::<i64>(buffer(variadic + 2)?, 0, variadic)?;
                let sized = buffers[2..].iter().zip(sizes);
                let buffers =
                    sized.map(|(buffer, size)| values(buffer.cast::<u8>(), count(*size)?));
                let buffers = buffers.collect::<Result<_, _>>()?;
                let views = part::<[u8; 16]>(buffer(1)?, first, rows)?;
                let views = Views { views, buffers, validity };
                views.check()?;
                Values::Views(views)
            }
            Layout::Nulls => Values::Nulls(Nulls(rows)),
        })
    }
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
    Offsets(Vec<i32>),
}

impl Buffer {
    fn pointer(&self) -> *const c_void {
        match self {
            Buffer::None => ptr::null(),
            Buffer::Bytes(bytes) => bytes.as_ptr().cast(),
            Buffer::Offsets(offsets) => offsets.as_ptr().cast(),
        }
    }
}

/// A column of our own, to be handed over.
pub(crate) struct Export {
    /// Its type, as the C data interface writes it.
    pub(crate) format: &'static CStr,
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
    let children = unsafe { Box::from_raw(taken.private_data.cast::<Vec<*mut Schema>>()) };
    for child in *children {
        // SAFETY: made by `Box::into_raw` there; a consumer may have moved what is in it, and left it released.
        drop(Owned(unsafe { Box::from_raw(child) }));
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
        drop(Owned(unsafe { Box::from_raw(*child) }));
    }
}

impl Export {
    /// The type.
    pub(crate) fn schema(&self) -> Schema {
        let children: Vec<*mut Schema> =
            self.children.iter().map(|child| Box::into_raw(Box::new(child.schema()))).collect();
        let mut children = Box::new(children);
        Schema {
            format: self.format.as_ptr(),
            name: self.name.as_ptr(),
            flags: if self.nullable { ARROW_FLAG_NULLABLE } else { 0 },
            n_children: children.len() as i64,
            children: children.as_mut_ptr(),
            release: Some(release_schema),
            private_data: Box::into_raw(children).cast(),
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
            drop(Owned(unsafe { Box::from_raw(place.as_ptr()) }));
        }
    }
    let mut value = Owned(Box::new(value));
    let place = NonNull::from(&mut *value.0).cast::<c_void>();
    // SAFETY: the pointer stays valid until the destructor runs, since the box is given up below.
    let capsule =
        unsafe { PyCapsule::new_with_pointer_and_destructor(py, place, name, Some(destroy::<T>)) }?;
    mem::forget(value);
    Ok(capsule)
}

/// Arrays one after the other, as a stream.
struct Batches {
    schema: Export,
    next: Box<dyn FnMut() -> Option<Export> + Send>,
}

unsafe extern "C" fn stream_schema(stream: *mut Stream, out: *mut Schema) -> c_int {
    // SAFETY: the consumer hands over a stream that is its own.
    let Some(stream) = (unsafe { stream.as_ref() }) else { return 22 };
    // SAFETY: `stream` below has made it so.
    let Some(batches) = (unsafe { stream.private_data.cast::<Batches>().as_ref() }) else {
        return 22;
    };
    // SAFETY: the consumer hands over a place for the type.
    unsafe { out.write(batches.schema.schema()) };
    0
}

unsafe extern "C" fn stream_next(stream: *mut Stream, out: *mut Array) -> c_int {
    // SAFETY: the consumer hands over a stream that is its own.
    let Some(stream) = (unsafe { stream.as_ref() }) else { return 22 };
    // SAFETY: `stream` below has made it so, and nobody else uses it.
    let Some(batches) = (unsafe { stream.private_data.cast::<Batches>().as_mut() }) else {
        return 22;
    };
    let array = (batches.next)().map_or(Array::EMPTY, Export::array);
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
    next: Box<dyn FnMut() -> Option<Export> + Send>,
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
