//! `struct sigmill_column` as a column of the library.

use super::outputs::Outputs;
use super::report::Problem;
use crate::fault::Fault;
use crate::pointer::{Handle, In, plain_struct};
use core::ffi::{CStr, c_int};
use sigmill::bulk::{Bitmap, Column, Indices, PreparedRows, Rows};
use sigmill::ed25519::PreparedKey;

plain_struct! {
    /// `struct sigmill_column`.
    pub struct ColumnArg {
        pub(super) layout: c_int,
        pub(super) index_type: c_int,
        pub(super) rows: usize,
        pub(super) width: usize,
        pub(super) values: In<u8>,
        pub(super) values_size: usize,
        pub(super) offsets: In<u8>,
        pub(super) pointers: In<In<u8>>,
        pub(super) sizes: In<usize>,
        pub(super) buffers: In<In<u8>>,
        pub(super) buffer_count: usize,
        pub(super) dictionary: In<ColumnArg>,
        pub(super) validity: In<u8>,
        pub(super) validity_offset: usize,
    }
}

impl ColumnArg {
    /// No rows.
    pub(super) const EMPTY: ColumnArg = ColumnArg {
        layout: FIXED,
        index_type: 0,
        rows: 0,
        width: 0,
        values: In::NULL,
        values_size: 0,
        offsets: In::NULL,
        pointers: In::NULL,
        sizes: In::NULL,
        buffers: In::NULL,
        buffer_count: 0,
        dictionary: In::NULL,
        validity: In::NULL,
        validity_offset: 0,
    };

    /// The bits that say which rows are not null.
    fn validity(&self) -> Result<Option<Validity<'_>>, Fault> {
        if self.validity.is_null() {
            return Ok(None);
        }
        let bits = self.validity_offset.checked_add(self.rows).ok_or(Fault::Length)?;
        let bytes = self.validity.slice(bits.div_ceil(8))?;
        Ok(Some(Validity { bytes, offset: self.validity_offset }))
    }

    /// Tells of all memory that the column lies in.
    pub(super) fn inputs(&self, what: &'static CStr, outputs: &mut Outputs) {
        if self.rows == 0 || self.rows > MOST_ROWS || self.layout == NULLS {
            return;
        }
        let mut input = |extent| outputs.input_of(Some(what), extent);
        let validity = self.validity().unwrap_or_default();
        if let Some(validity) = validity {
            input(self.validity.extent(validity.bytes.len()));
        }
        match self.layout {
            FIXED => input(self.values.extent(self.values_size)),
            BINARY => {
                input(self.offsets.cast::<i32>().extent(self.rows + 1));
                input(self.values.extent(self.values_size));
            }
            LARGE_BINARY => {
                input(self.offsets.cast::<i64>().extent(self.rows + 1));
                input(self.values.extent(self.values_size));
            }
            VIEWS => {
                input(self.offsets.cast::<[u8; 16]>().extent(self.rows));
                input(self.buffers.extent(self.buffer_count));
                input(self.sizes.extent(self.buffer_count));
                let buffers = self.buffers.slice(self.buffer_count).unwrap_or_default();
                let sizes = self.sizes.slice(self.buffer_count).unwrap_or_default();
                for (buffer, size) in buffers.iter().zip(sizes) {
                    input(buffer.extent(*size));
                }
            }
            DICTIONARY => {
                input(self.offsets.extent(self.rows.saturating_mul(self.index_size())));
                input(self.dictionary.extent(1));
                if let Ok(Some(dictionary)) = self.dictionary.optional()
                    && dictionary.layout != DICTIONARY
                {
                    dictionary.inputs(what, outputs);
                }
            }
            POINTERS => {
                input(self.pointers.extent(self.rows));
                input(self.sizes.extent(self.rows));
                let sizes = self.sizes.slice(self.rows).ok();
                for (row, pointer) in
                    self.pointers.slice(self.rows).unwrap_or_default().iter().enumerate()
                {
                    if !Validity::is_null(validity, row) {
                        input(pointer.extent(sizes.map_or(self.width, |sizes| sizes[row])));
                    }
                }
            }
            PREPARED => {
                let keys = self.pointers.cast::<Handle<PreparedKey>>();
                input(keys.extent(self.rows));
                for (row, key) in keys.slice(self.rows).unwrap_or_default().iter().enumerate() {
                    if !Validity::is_null(validity, row) {
                        input(key.extent());
                    }
                }
            }
            _ => {}
        }
    }

    /// Bytes of an index of a dictionary.
    fn index_size(&self) -> usize {
        match self.index_type {
            1 | 5 => 1,
            2 | 6 => 2,
            3 | 7 => 4,
            _ => 8,
        }
    }

    /// Leaves out rows at the beginning, and those after the next `rows`, of a column that has so many and is of
    /// one of Arrow's layouts.
    pub(super) fn narrow(&mut self, first: usize, rows: usize) {
        let size = match self.layout {
            FIXED => {
                self.values = self.values.skip(first.saturating_mul(self.width));
                self.values_size = self.width.saturating_mul(rows);
                0
            }
            BINARY => 4,
            LARGE_BINARY => 8,
            VIEWS => 16,
            NULLS => 0,
            _ => self.index_size(),
        };
        self.offsets = self.offsets.skip(first.saturating_mul(size));
        self.validity_offset = self.validity_offset.saturating_add(first);
        self.rows = rows;
    }
}

/// The most rows of a column: of views that is more than memory can hold.
pub(super) const MOST_ROWS: usize = isize::MAX as usize / 64;

pub(super) const FIXED: c_int = 0;
pub(super) const BINARY: c_int = 1;
pub(super) const LARGE_BINARY: c_int = 2;
pub(super) const VIEWS: c_int = 3;
pub(super) const DICTIONARY: c_int = 4;
const POINTERS: c_int = 5;
const PREPARED: c_int = 6;
/// A column that is null in every row, as Arrow's type null: it has no memory, not even bits.
pub(super) const NULLS: c_int = 7;

struct Nulls(usize);

impl Rows for Nulls {
    fn len(&self) -> usize {
        self.0
    }

    fn get(&self, _: usize) -> Option<&[u8]> {
        None
    }
}

/// Bits that say which rows are not null.
#[derive(Clone, Copy)]
struct Validity<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Validity<'a> {
    fn is_null(validity: Option<Self>, row: usize) -> bool {
        validity.is_some_and(|Validity { bytes, offset }| {
            let bit = offset.wrapping_add(row);
            bytes.get(bit / 8).is_none_or(|byte| byte >> (bit % 8) & 1 == 0)
        })
    }

    fn bitmap(self) -> Bitmap<'a> {
        Bitmap::new(self.bytes, self.offset)
    }
}

/// Values at addresses.
struct Pointers<'a> {
    validity: Option<Validity<'a>>,
    pointers: &'a [In<u8>],
    sizes: Option<&'a [usize]>,
    width: usize,
}

impl Pointers<'_> {
    fn size(&self, row: usize) -> usize {
        self.sizes.map_or(self.width, |sizes| sizes.get(row).copied().unwrap_or(0))
    }

    /// The value of a row; none for a null; an error for one that no memory can hold.
    fn value(&self, row: usize) -> Result<Option<&[u8]>, Fault> {
        let Some(pointer) = self.pointers.get(row) else { return Ok(None) };
        if Validity::is_null(self.validity, row) {
            return Ok(None);
        }
        match self.size(row) {
            0 => Ok(Some(&[])),
            _ if pointer.is_null() => Ok(None),
            size => pointer.slice(size).map(Some),
        }
    }
}

impl Rows for Pointers<'_> {
    fn len(&self) -> usize {
        self.pointers.len()
    }

    fn get(&self, row: usize) -> Option<&[u8]> {
        self.value(row).ok().flatten()
    }
}

/// Arrow's views: the length of a value in 4 bytes, and then, up to 12 bytes, itself, or else its first 4 bytes, the
/// number of a buffer and the position there; all little-endian, as on every machine with these columns.
struct Views<'a> {
    validity: Option<Validity<'a>>,
    views: &'a [[u8; 16]],
    buffers: &'a [In<u8>],
    sizes: &'a [usize],
}

impl Views<'_> {
    fn value(&self, row: usize) -> Option<&[u8]> {
        let view = self.views.get(row)?;
        let ([length, _, buffer, position], _) = view.as_chunks::<4>() else { return None };
        let number = |bytes: &[u8; 4]| usize::try_from(i32::from_ne_bytes(*bytes)).ok();
        let length = number(length)?;
        if length <= 12 {
            return view.get(4..4 + length);
        }
        let (buffer, position) = (number(buffer)?, number(position)?);
        let bytes = self.buffers.get(buffer)?.slice(*self.sizes.get(buffer)?).ok()?;
        bytes.get(position..position.checked_add(length)?)
    }
}

impl Rows for Views<'_> {
    fn len(&self) -> usize {
        self.views.len()
    }

    fn get(&self, row: usize) -> Option<&[u8]> {
        if Validity::is_null(self.validity, row) { None } else { self.value(row) }
    }
}

/// Keys with tables.
struct Prepared<'a> {
    validity: Option<Validity<'a>>,
    keys: &'a [Handle<PreparedKey>],
}

impl PreparedRows for Prepared<'_> {
    fn len(&self) -> usize {
        self.keys.len()
    }

    fn get(&self, row: usize) -> Option<&PreparedKey> {
        let key = self.keys.get(row)?;
        if Validity::is_null(self.validity, row) { None } else { key.get().ok() }
    }
}

/// Uses a column for as long as `with` lasts. `name` says which it is. Results must not overlap it.
pub(super) fn with_column<T>(
    arg: &ColumnArg,
    name: &'static CStr,
    with: impl FnOnce(Column<'_>) -> Result<T, Problem>,
) -> Result<T, Problem> {
    let named = |problem: Problem| Problem { what: Some(name), ..problem };
    let mut result = None;
    let mut with = Some(with);
    open(arg, &mut |column| {
        if let Some(with) = with.take() {
            result = Some(with(column));
        }
    })
    .map_err(named)?;
    result.unwrap_or(Err(Fault::Internal.into()))
}

fn open(arg: &ColumnArg, with: &mut dyn FnMut(Column<'_>)) -> Result<(), Problem> {
    let rows = arg.rows;
    if rows == 0 {
        with(Column::fixed(&[], 1, 0, None)?);
        return Ok(());
    }
    if rows > MOST_ROWS {
        return Err(Fault::Length.into());
    }
    if arg.layout == NULLS {
        with(Column::rows(&Nulls(rows)));
        return Ok(());
    }
    let validity = arg.validity()?;
    let bitmap = validity.map(Validity::bitmap);
    let values = || arg.values.slice(arg.values_size);
    match arg.layout {
        FIXED => {
            let size = arg.width.checked_mul(rows).ok_or(Fault::Length)?;
            let values = values()?.get(..size).ok_or(Fault::Column)?;
            with(Column::fixed(values, arg.width, rows, bitmap)?);
        }
        BINARY => {
            let offsets = arg.offsets.cast::<i32>();
            with(Column::binary(offsets.slice(rows + 1)?, values()?, bitmap)?);
        }
        LARGE_BINARY => {
            let offsets = arg.offsets.cast::<i64>();
            with(Column::large_binary(offsets.slice(rows + 1)?, values()?, bitmap)?);
        }
        VIEWS => {
            let views = arg.offsets.cast::<[u8; 16]>();
            let buffers = arg.buffers.slice(arg.buffer_count)?;
            let sizes = arg.sizes.slice(arg.buffer_count)?;
            let views = Views { validity, views: views.slice(rows)?, buffers, sizes };
            for (buffer, size) in buffers.iter().zip(sizes) {
                buffer.slice(*size)?;
            }
            let unreadable =
                |row: &usize| !Validity::is_null(validity, *row) && views.value(*row).is_none();
            if let Some(row) = (0..rows).find(unreadable) {
                return Err(Problem { fault: Fault::Column, row, what: None });
            }
            with(Column::rows(&views));
        }
        DICTIONARY => {
            let dictionary = arg.dictionary.get()?;
            if dictionary.layout == DICTIONARY {
                return Err(Fault::Column.into());
            }
            macro_rules! with_indices {
                ($kind:ident, $integer:ty) => {{
                    let indices = arg.offsets.cast::<$integer>();
                    let indices = indices.slice(rows)?;
                    let mut result = Ok(());
                    open(dictionary, &mut |values| match Column::dictionary(
                        Indices::$kind(indices),
                        &values,
                        bitmap,
                    ) {
                        Ok(column) => with(column),
                        Err(error) => result = Err(error),
                    })?;
                    result?
                }};
            }
            match arg.index_type {
                1 => with_indices!(I8, i8),
                2 => with_indices!(I16, i16),
                3 => with_indices!(I32, i32),
                4 => with_indices!(I64, i64),
                5 => with_indices!(U8, u8),
                6 => with_indices!(U16, u16),
                7 => with_indices!(U32, u32),
                8 => with_indices!(U64, u64),
                _ => return Err(Fault::Column.into()),
            }
        }
        POINTERS => {
            let sizes = if arg.sizes.is_null() { None } else { Some(arg.sizes.slice(rows)?) };
            let pointers = arg.pointers.slice(rows)?;
            let pointers = Pointers { validity, pointers, sizes, width: arg.width };
            for row in 0..rows {
                pointers.value(row).map_err(|fault| Problem { fault, row, what: None })?;
            }
            with(Column::rows(&pointers));
        }
        PREPARED => {
            let keys = In::<Handle<PreparedKey>>::slice_of_call(&arg.pointers.cast(), rows)?;
            for (row, key) in keys.iter().enumerate() {
                if !Validity::is_null(validity, row) {
                    key.get().map_err(|fault| Problem { fault, row, what: None })?;
                }
            }
            with(Column::prepared_rows(&Prepared { validity, keys }));
        }
        _ => return Err(Fault::Column.into()),
    }
    Ok(())
}
