//! Borrowed columns in Arrow's physical layout. Constructors check every offset and index once, so
//! that reading a row cannot fail.

use super::error::BulkError;
use crate::ed25519::PreparedKey;
use core::fmt;

/// Validity bits, least significant first: 1 for a value, 0 for null.
///
/// ```
/// use sigmill::bulk::{Bitmap, Column};
///
/// // three values of which the second is null
/// let column = Column::fixed(b"aa..cc", 2, 3, Some(Bitmap::new(&[0b101], 0)))?;
/// assert_eq!([column.get(0), column.get(1), column.get(2)], [Some(&b"aa"[..]), None, Some(b"cc")]);
/// # Ok::<(), sigmill::bulk::BulkError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Bitmap<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Bitmap<'a> {
    /// Bits from number `offset` of `bytes` on.
    pub const fn new(bytes: &'a [u8], offset: usize) -> Self {
        Bitmap { bytes, offset }
    }

    /// Bit `row`, as long as the check of the constructor has passed.
    fn is_set(&self, row: usize) -> bool {
        let bit = self.offset.saturating_add(row);
        self.bytes.get(bit / 8).is_some_and(|byte| byte >> (bit % 8) & 1 == 1)
    }

    fn check(&self, len: usize) -> Result<(), BulkError> {
        let expected = self.offset.saturating_add(len).div_ceil(8);
        if self.bytes.len() < expected {
            let got = self.bytes.len();
            return Err(BulkError::BufferLength { what: "validity bitmap", expected, got });
        }
        Ok(())
    }
}

/// Dictionary indices, in any integer type that Arrow has.
///
/// ```
/// use sigmill::bulk::{Column, Indices};
///
/// let distinct = Column::fixed(b"aabb", 2, 2, None)?;
/// let column = Column::dictionary(Indices::U8(&[1, 0, 1]), &distinct, None)?;
/// assert_eq!((column.len(), column.get(2)), (3, Some(&b"bb"[..])));
/// # Ok::<(), sigmill::bulk::BulkError>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub enum Indices<'a> {
    I8(&'a [i8]),
    I16(&'a [i16]),
    I32(&'a [i32]),
    I64(&'a [i64]),
    U8(&'a [u8]),
    U16(&'a [u16]),
    U32(&'a [u32]),
    U64(&'a [u64]),
}

/// The expression for the indices, whatever their type.
macro_rules! of_any_type {
    ($this:ident, $indices:ident => $value:expr) => {
        match $this {
            Indices::I8($indices) => $value,
            Indices::I16($indices) => $value,
            Indices::I32($indices) => $value,
            Indices::I64($indices) => $value,
            Indices::U8($indices) => $value,
            Indices::U16($indices) => $value,
            Indices::U32($indices) => $value,
            Indices::U64($indices) => $value,
        }
    };
}

impl Indices<'_> {
    const fn len(&self) -> usize {
        of_any_type!(self, indices => indices.len())
    }

    /// The index of a row, if it is not negative.
    #[allow(clippy::unnecessary_fallible_conversions)] // of some types
    fn get(&self, row: usize) -> Option<usize> {
        of_any_type!(self, indices => (*indices.get(row)?).try_into().ok())
    }
}

/// Values that lie anywhere in memory: pointers with lengths as C has them, or Arrow's views.
///
/// Rows are asked for more than once, and from many threads at a time. Answers that differ from time
/// to time give verdicts that mean nothing, but no panic. Signing uses one answer for the whole computation, since two
/// different messages under one nonce would give the key away.
///
/// ```
/// use sigmill::bulk::{Column, Rows};
///
/// struct Lines<'t>(Vec<Option<&'t str>>);
///
/// impl Rows for Lines<'_> {
///     fn len(&self) -> usize {
///         self.0.len()
///     }
///
///     fn get(&self, row: usize) -> Option<&[u8]> {
///         Some((*self.0.get(row)?)?.as_bytes())
///     }
/// }
///
/// let lines = Lines(vec![Some("one"), None]);
/// let column = Column::rows(&lines);
/// assert_eq!((column.get(0), column.get(1)), (Some(&b"one"[..]), None));
/// ```
pub trait Rows: Sync {
    /// The number of rows.
    fn len(&self) -> usize;

    /// Whether there are no rows.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of a row below [`Rows::len`], or `None` if it is null.
    fn get(&self, row: usize) -> Option<&[u8]>;
}

/// Keys with tables that lie anywhere in memory: those of [`Column::prepared_rows`].
///
/// ```
/// use sigmill::bulk::{Column, PreparedRows};
/// use sigmill::ed25519::{PreparedKey, SigningKey};
///
/// struct Signers<'t>(Vec<&'t PreparedKey>);
///
/// impl PreparedRows for Signers<'_> {
///     fn len(&self) -> usize {
///         self.0.len()
///     }
///
///     fn get(&self, row: usize) -> Option<&PreparedKey> {
///         self.0.get(row).copied()
///     }
/// }
///
/// let key = PreparedKey::new(&SigningKey::from_bytes(&[7; 32]).verifying_key());
/// let signers = Signers(vec![&key; 3]);
/// assert_eq!(Column::prepared_rows(&signers).len(), 3);
/// ```
pub trait PreparedRows: Sync {
    /// The number of rows.
    fn len(&self) -> usize;

    /// Whether there are no rows.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The key of a row below [`PreparedRows::len`], or `None` if it is null.
    fn get(&self, row: usize) -> Option<&PreparedKey>;
}

impl fmt::Debug for dyn PreparedRows + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PreparedRows({})", self.len())
    }
}

impl fmt::Debug for dyn Rows + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rows({})", self.len())
    }
}

#[derive(Clone, Copy, Debug)]
enum Values<'a> {
    Fixed { bytes: &'a [u8], width: usize },
    Binary { offsets: &'a [i32], bytes: &'a [u8] },
    LargeBinary { offsets: &'a [i64], bytes: &'a [u8] },
    Slices(&'a [&'a [u8]]),
    Rows(&'a (dyn Rows + 'a)),
    Dictionary { indices: Indices<'a>, values: &'a Column<'a> },
    Prepared { keys: &'a [PreparedKey], indices: Option<Indices<'a>> },
    PreparedRows(&'a (dyn PreparedRows + 'a)),
}

/// A column of byte strings, some of which may be null.
///
/// ```
/// use sigmill::bulk::Column;
///
/// let side_by_side = Column::fixed(b"aabb", 2, 2, None)?;
/// let of_any_length = Column::binary(&[0, 2, 4], b"aabb", None)?;
/// let anywhere: [&[u8]; 2] = [b"aa", b"bb"];
/// let anywhere = Column::slices(&anywhere);
/// for column in [side_by_side, of_any_length, anywhere] {
///     assert_eq!((column.len(), column.get(1)), (2, Some(&b"bb"[..])));
/// }
/// # Ok::<(), sigmill::bulk::BulkError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Column<'a> {
    values: Values<'a>,
    validity: Option<Bitmap<'a>>,
    len: usize,
}

impl<'a> Column<'a> {
    /// `len` values of `width` bytes each, one after the other.
    ///
    /// # Errors
    /// [`BulkError::BufferLength`] if `bytes` or the validity has another length.
    pub fn fixed(
        bytes: &'a [u8],
        width: usize,
        len: usize,
        validity: Option<Bitmap<'a>>,
    ) -> Result<Self, BulkError> {
        let expected = width.saturating_mul(len);
        if bytes.len() != expected {
            let got = bytes.len();
            return Err(BulkError::BufferLength { what: "fixed-width column", expected, got });
        }
        Column { values: Values::Fixed { bytes, width }, validity, len }.with_checked_validity()
    }

    /// Values of any length: value i is `bytes[offsets[i]..offsets[i + 1]]`, so there is one offset
    /// more than there are rows.
    ///
    /// # Errors
    /// [`BulkError::Offset`] if offsets decrease or lie past the end of `bytes`; [`BulkError::BufferLength`].
    pub fn binary(
        offsets: &'a [i32],
        bytes: &'a [u8],
        validity: Option<Bitmap<'a>>,
    ) -> Result<Self, BulkError> {
        let len = check_offsets(offsets, bytes.len())?;
        Column { values: Values::Binary { offsets, bytes }, validity, len }.with_checked_validity()
    }

    /// [`Column::binary`] with 64-bit offsets.
    ///
    /// # Errors
    /// As [`Column::binary`].
    pub fn large_binary(
        offsets: &'a [i64],
        bytes: &'a [u8],
        validity: Option<Bitmap<'a>>,
    ) -> Result<Self, BulkError> {
        let len = check_offsets(offsets, bytes.len())?;
        Column { values: Values::LargeBinary { offsets, bytes }, validity, len }
            .with_checked_validity()
    }

    /// Values that are not side by side in memory; none is null.
    pub const fn slices(values: &'a [&'a [u8]]) -> Self {
        Column { values: Values::Slices(values), validity: None, len: values.len() }
    }

    /// Values that lie anywhere in memory, some of which may be null.
    pub fn rows(rows: &'a (dyn Rows + 'a)) -> Self {
        Column { values: Values::Rows(rows), validity: None, len: rows.len() }
    }

    /// Public keys with tables that lie anywhere in memory, some of which may be null.
    pub fn prepared_rows(rows: &'a (dyn PreparedRows + 'a)) -> Self {
        Column { values: Values::PreparedRows(rows), validity: None, len: rows.len() }
    }

    /// Whether a row has the same value whenever it is asked for. Borrowed memory has; answers of the caller's code may
    /// differ.
    pub(super) fn is_fixed(&self) -> bool {
        match self.values {
            Values::Rows(_) | Values::PreparedRows(_) => false,
            Values::Dictionary { values, .. } => values.is_fixed(),
            _ => true,
        }
    }

    /// Value i is `values[indices[i]]`. Indices of null rows may be anything.
    ///
    /// # Errors
    /// [`BulkError::Index`] if an index is out of range; [`BulkError::BufferLength`].
    pub fn dictionary(
        indices: Indices<'a>,
        values: &'a Column<'a>,
        validity: Option<Bitmap<'a>>,
    ) -> Result<Self, BulkError> {
        let len = indices.len();
        let column = Column { values: Values::Dictionary { indices, values }, validity, len }
            .with_checked_validity()?;
        for row in 0..len {
            if !column.is_null(row) && indices.get(row).is_none_or(|index| index >= values.len) {
                return Err(BulkError::Index { row });
            }
        }
        Ok(column)
    }

    /// Public keys with tables: value i is key `indices[i]`, or key i without indices. A key column of
    /// this kind is verified with the tables; as any other column it holds 32 bytes a row.
    ///
    /// # Errors
    /// As [`Column::dictionary`].
    pub fn prepared(
        keys: &'a [PreparedKey],
        indices: Option<Indices<'a>>,
        validity: Option<Bitmap<'a>>,
    ) -> Result<Self, BulkError> {
        let len = indices.map_or(keys.len(), |indices| indices.len());
        let column = Column { values: Values::Prepared { keys, indices }, validity, len }
            .with_checked_validity()?;
        for row in 0..len {
            if !column.is_null(row) && column.prepared_key(row).is_none() {
                return Err(BulkError::Index { row });
            }
        }
        Ok(column)
    }

    /// The key of a row, if it has tables.
    pub(super) fn prepared_key(&self, row: usize) -> Option<&'a PreparedKey> {
        match self.values {
            Values::Prepared { keys, indices: Some(indices) } => keys.get(indices.get(row)?),
            Values::Prepared { keys, indices: None } => keys.get(row),
            Values::PreparedRows(rows) => rows.get(row),
            _ => None,
        }
    }

    /// All values, if they lie side by side with this width; those of null rows mean nothing.
    pub(super) fn arrays<const N: usize>(&self) -> Option<&'a [[u8; N]]> {
        match self.values {
            Values::Fixed { bytes, width } if width == N => Some(bytes.as_chunks().0),
            _ => None,
        }
    }

    fn with_checked_validity(self) -> Result<Self, BulkError> {
        if let Some(validity) = &self.validity {
            validity.check(self.len)?;
        }
        Ok(self)
    }

    /// The number of rows.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no rows.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn is_null(&self, row: usize) -> bool {
        self.validity.is_some_and(|validity| !validity.is_set(row))
    }

    /// The value of a row; `None` if it is null or the row does not exist.
    pub fn get(&self, row: usize) -> Option<&'a [u8]> {
        if row >= self.len || self.is_null(row) {
            return None;
        }
        match self.values {
            Values::Fixed { bytes, width } => bytes.get(row.checked_mul(width)?..)?.get(..width),
            Values::Binary { offsets, bytes } => {
                let [start, end] = *offsets.get(row..)?.first_chunk()?;
                bytes.get(start as usize..end as usize)
            }
            Values::LargeBinary { offsets, bytes } => {
                let [start, end] = *offsets.get(row..)?.first_chunk()?;
                bytes.get(start as usize..end as usize)
            }
            Values::Slices(values) => values.get(row).copied(),
            Values::Rows(rows) => rows.get(row),
            Values::Dictionary { indices, values } => values.get(indices.get(row)?),
            Values::Prepared { .. } | Values::PreparedRows(_) => {
                Some(self.prepared_key(row)?.verifying_key().as_bytes().as_slice())
            }
        }
    }
}

/// Checks that offsets never go down or out of the values; returns the number of rows.
fn check_offsets<T: Copy + TryInto<usize>>(offsets: &[T], end: usize) -> Result<usize, BulkError> {
    let Some((_, ends)) = offsets.split_first() else {
        return Err(BulkError::BufferLength { what: "list of offsets", expected: 1, got: 0 });
    };
    let mut previous = 0;
    for (i, offset) in offsets.iter().enumerate() {
        let offset = (*offset).try_into().ok().filter(|offset| (previous..=end).contains(offset));
        previous = offset.ok_or(BulkError::Offset { row: i.saturating_sub(1) })?;
    }
    Ok(ends.len())
}
