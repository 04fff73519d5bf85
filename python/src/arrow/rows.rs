//! The rows of arrays, where they lie.

use super::abi::{Array, Released, Schema, at, buffers, child, count, text};
use super::error::BadColumn;
use super::shared::Shared;
use super::types::{Layout, is_runs, layout, run_parts};
use crate::memory;
use sigmill::bulk::{Bitmap, BulkError, Column, Rows};
use std::ffi::c_void;
use std::ops::Range;
use std::ptr;

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
    /// Starts, sizes, and the bytes of all lists.
    ListViews(Shared<'a, i32>, Shared<'a, i32>, Shared<'a, u8>),
    LargeListViews(Shared<'a, i64>, Shared<'a, i64>, Shared<'a, u8>),
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
            Layout::ListViews => {
                let starts = Shared::<i32>::new(buffer(1)?, first, rows)?;
                let sizes = Shared::<i32>::new(buffer(2)?, first, rows)?;
                let items = Items::of(array)?;
                items.check(validity, rows, |row| view(starts, sizes, items.bytes, row))?;
                Cells::ListViews(starts, sizes, items.bytes)
            }
            Layout::LargeListViews => {
                let starts = Shared::<i64>::new(buffer(1)?, first, rows)?;
                let sizes = Shared::<i64>::new(buffer(2)?, first, rows)?;
                let items = Items::of(array)?;
                items.check(validity, rows, |row| view(starts, sizes, items.bytes, row))?;
                Cells::LargeListViews(starts, sizes, items.bytes)
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
                    return views.bytes_of(row)?.part(4, 4 + length);
                }
                let position = number(position)?;
                buffers.get(number(buffer)?)?.part(position, position.checked_add(length)?)
            }
            Cells::ListViews(starts, sizes, bytes) => {
                let Range { start, end } = view(*starts, *sizes, *bytes, row)?;
                bytes.part(start, end)
            }
            Cells::LargeListViews(starts, sizes, bytes) => {
                let Range { start, end } = view(*starts, *sizes, *bytes, row)?;
                bytes.part(start, end)
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
        let rows = match self.cells {
            Cells::Views(..) | Cells::ListViews(..) | Cells::LargeListViews(..) => self.rows,
            _ => 0,
        };
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

/// The place of a list among the bytes; `None` if it leaves them.
fn view<T: Copy + TryInto<usize>>(
    starts: Shared<'_, T>,
    sizes: Shared<'_, T>,
    bytes: Shared<'_, u8>,
    row: usize,
) -> Option<Range<usize>> {
    let start: usize = starts.get(row)?.try_into().ok()?;
    let end = start.checked_add(sizes.get(row)?.try_into().ok()?)?;
    (end <= bytes.len()).then_some(start..end)
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
        let within = offset.filter(|offset| (from..=bytes.len()).contains(offset));
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
    pub(super) fn of(schema: &Schema, array: &'a Array) -> Result<Self, BadColumn> {
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

/// The place of the rows in the buffers, their nulls, and the buffers.
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
