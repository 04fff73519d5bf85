//! The bytes of a column, borrowed or decoded.
//!
//! Bytes are borrowed: where Arrow's layout is the library's, as they are; views and lists of u8 by their slices;
//! dictionaries by the values that occur in the batch, whatever the number of rows that have them. Text is
//! decoded, of a dictionary each value once. A cell that cannot be decoded is a problem of its row, not of
//! the table.

use super::cells::{Lists, places, shared_values};
use super::outcome::{Outcome, Problem};
use crate::status::quoted;
use crate::text::Encoding;
use arrow_array::cast::AsArray;
use arrow_array::types::{BinaryType, ByteArrayType, LargeBinaryType, LargeUtf8Type, Utf8Type};
use arrow_array::{Array, GenericByteArray, RecordBatch};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;
use sigmill::bulk::{Bitmap, BulkError, Column, Indices};
use std::collections::{HashMap, HashSet};

/// The bytes of a column: the values, and which of them each row has.
pub(super) struct Cells<'a> {
    values: Values<'a>,
    /// `None`: each row has its own.
    places: Option<Places>,
}

/// Values of bytes: borrowed from Arrow, or gathered.
enum Values<'a> {
    Fixed { bytes: &'a [u8], width: usize, len: usize, nulls: Option<&'a NullBuffer> },
    Binary { offsets: &'a [i32], bytes: &'a [u8], nulls: Option<&'a NullBuffer> },
    LargeBinary { offsets: &'a [i64], bytes: &'a [u8], nulls: Option<&'a NullBuffer> },
    Slices(Vec<&'a [u8]>),
    Gathered { offsets: Vec<i64>, bytes: Vec<u8>, validity: Bits },
}

/// The number of each row's value, and whether it has one.
#[derive(Default)]
struct Places {
    indices: Vec<u32>,
    validity: Bits,
}

impl Places {
    /// Appends a row; the number of a row without a value means nothing.
    fn push(&mut self, number: Option<u32>) {
        self.indices.push(number.unwrap_or(0));
        self.validity.push(number.is_some());
    }
}

/// Bits, least significant first.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    len: usize,
}

impl Bits {
    fn push(&mut self, bit: bool) {
        if self.len.is_multiple_of(8) {
            self.bytes.push(0);
        }
        self.bytes[self.len / 8] |= u8::from(bit) << (self.len % 8);
        self.len += 1;
    }

    fn bitmap(&self) -> Bitmap<'_> {
        Bitmap::new(&self.bytes, 0)
    }
}

fn bitmap<'a>(nulls: &Option<&'a NullBuffer>) -> Option<Bitmap<'a>> {
    nulls.map(|nulls| Bitmap::new(nulls.validity(), nulls.offset()))
}

impl<'a> Cells<'a> {
    fn borrowed(values: Values<'a>) -> Self {
        Cells { values, places: None }
    }

    /// The values, from which [`Cells::column`] makes the rows.
    pub(super) fn values(&self) -> Result<Column<'_>, BulkError> {
        match &self.values {
            Values::Fixed { bytes, width, len, nulls } => {
                Column::fixed(bytes, *width, *len, bitmap(nulls))
            }
            Values::Binary { offsets, bytes, nulls } => {
                Column::binary(offsets, bytes, bitmap(nulls))
            }
            Values::LargeBinary { offsets, bytes, nulls } => {
                Column::large_binary(offsets, bytes, bitmap(nulls))
            }
            Values::Slices(slices) => Ok(Column::slices(slices)),
            Values::Gathered { offsets, bytes, validity } => {
                Column::large_binary(offsets, bytes, Some(validity.bitmap()))
            }
        }
    }

    pub(super) fn column<'b>(&'b self, values: &'b Column<'b>) -> Result<Column<'b>, BulkError> {
        match &self.places {
            None => Ok(*values),
            Some(Places { indices, validity }) => {
                Column::dictionary(Indices::U32(indices), values, Some(validity.bitmap()))
            }
        }
    }

    /// Borrows one value a row, of shared values each that occurs once.
    fn sliced(array: &'a dyn Array) -> Option<Self> {
        let (mut slices, mut of_rows) = (Vec::new(), Places::default());
        match shared_values(array) {
            Some(values) => {
                let values = bytes_of(values.as_ref())?;
                let mut numbers = HashMap::new();
                for place in places(array) {
                    let number = place.and_then(|place| {
                        *numbers.entry(place).or_insert_with(|| {
                            let number = slices.len() as u32;
                            values(place).map(|value| slices.push(value)).map(|()| number)
                        })
                    });
                    of_rows.push(number);
                }
            }
            None => {
                let values = bytes_of(array)?;
                for row in 0..array.len() {
                    let number = slices.len() as u32;
                    of_rows.push(values(row).map(|value| slices.push(value)).map(|()| number));
                }
            }
        }
        Some(Cells { values: Values::Slices(slices), places: Some(of_rows) })
    }

    /// Decodes one value a row, of shared values each that occurs once. `decode` appends the bytes of a value. A value
    /// that cannot be decoded is null, and said to `refuse` with its row. `None`: the column holds no bytes.
    pub(super) fn decoded<T: Copy>(
        array: &dyn Array,
        mut decode: impl FnMut(&[u8], &mut Vec<u8>) -> Result<T, String>,
        mut refuse: impl FnMut(usize, Result<T, &str>),
    ) -> Option<Self> {
        let (mut offsets, mut bytes, mut validity) = (vec![0], Vec::new(), Bits::default());
        let mut decode = |value: Option<&[u8]>| {
            let result = value.map(|value| decode(value, &mut bytes));
            validity.push(matches!(result, Some(Ok(_))));
            offsets.push(bytes.len() as i64);
            result
        };
        let of_rows = match shared_values(array) {
            Some(values) => {
                let values = bytes_of(values.as_ref())?;
                type Seen<T> = (u32, Option<Result<T, String>>);
                let mut numbers: HashMap<usize, Seen<T>> = HashMap::new();
                let mut of_rows = Places::default();
                for (row, place) in places(array).into_iter().enumerate() {
                    let Some(place) = place else {
                        of_rows.push(None);
                        continue;
                    };
                    let next = numbers.len() as u32;
                    let (number, result) =
                        numbers.entry(place).or_insert_with(|| (next, decode(values(place))));
                    match result {
                        Some(Ok(found)) => refuse(row, Ok(*found)),
                        Some(Err(what)) => refuse(row, Err(what)),
                        None => {}
                    }
                    of_rows.push(Some(*number));
                }
                Some(of_rows)
            }
            None => {
                let values = bytes_of(array)?;
                for row in 0..array.len() {
                    match decode(values(row)) {
                        Some(Ok(found)) => refuse(row, Ok(found)),
                        Some(Err(what)) => refuse(row, Err(&what)),
                        None => {}
                    }
                }
                None
            }
        };
        Some(Cells { values: Values::Gathered { offsets, bytes, validity }, places: of_rows })
    }
}

/// The bytes of a row, of a column that holds bytes or text.
pub(super) type BytesOf<'a> = Box<dyn Fn(usize) -> Option<&'a [u8]> + 'a>;

pub(super) fn bytes_of(array: &dyn Array) -> Option<BytesOf<'_>> {
    fn of_rows<'a>(array: &'a dyn Array, value: impl Fn(usize) -> &'a [u8] + 'a) -> BytesOf<'a> {
        let is_there = |row| row < array.len() && array.is_valid(row);
        Box::new(move |row| is_there(row).then(|| value(row)))
    }
    fn of<T: ByteArrayType>(array: &dyn Array) -> BytesOf<'_> {
        let values = array.as_bytes::<T>();
        of_rows(array, |row| AsRef::<[u8]>::as_ref(values.value(row)))
    }
    Some(match array.data_type() {
        DataType::FixedSizeBinary(_) => {
            let values = array.as_fixed_size_binary();
            of_rows(array, |row| values.value(row))
        }
        DataType::Binary => of::<BinaryType>(array),
        DataType::LargeBinary => of::<LargeBinaryType>(array),
        DataType::BinaryView => {
            let values = array.as_binary_view();
            of_rows(array, |row| values.value(row))
        }
        DataType::Utf8 => of::<Utf8Type>(array),
        DataType::LargeUtf8 => of::<LargeUtf8Type>(array),
        DataType::Utf8View => {
            let values = array.as_string_view();
            of_rows(array, |row| values.value(row).as_bytes())
        }
        DataType::Null => Box::new(|_| None),
        kind if kind.is_list() => {
            let lists = Lists::of(array)?;
            Box::new(move |row| lists.get(row))
        }
        _ => {
            let values = bytes_of(shared_values(array)?.as_ref())?;
            let places = places(array);
            Box::new(move |row| values((*places.get(row)?)?))
        }
    })
}

/// Whether the values of a column are text, which stands for bytes.
fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, values) => is_text(values),
        DataType::RunEndEncoded(_, values) => is_text(values.data_type()),
        _ => false,
    }
}

/// How a column of this type stands for bytes: text as the option says, or `otherwise`; a binary type too where
/// the option is given, and else itself.
pub(super) fn encoding_of(
    kind: &DataType,
    given: Option<Encoding>,
    otherwise: Encoding,
) -> Encoding {
    given.unwrap_or(if is_text(kind) { otherwise } else { Encoding::Raw })
}

pub(super) fn column_of<'a>(table: &'a RecordBatch, name: &str) -> Result<&'a dyn Array, String> {
    let array = table.column_by_name(name).ok_or_else(|| format!("no column `{name}`"))?;
    Ok(array.as_ref())
}

pub(super) fn wrong_type(name: &str, array: &dyn Array) -> String {
    let kind = quoted(&array.data_type().to_string());
    format!("column `{name}` has type {kind}; bytes, lists of u8 or text are needed")
}

/// The rows whose list of bytes has a null in it.
fn rows_with_null_bytes(array: &dyn Array) -> Vec<usize> {
    if let Some(lists) = Lists::of(array) {
        return (0..array.len()).filter(|row| lists.has_null(*row)).collect();
    }
    let of_values = shared_values(array).map(|values| rows_with_null_bytes(values.as_ref()));
    let of_values: HashSet<usize> = of_values.into_iter().flatten().collect();
    if of_values.is_empty() {
        return Vec::new();
    }
    let places = places(array).into_iter().enumerate();
    let is_one = |place: Option<usize>| place.is_some_and(|place| of_values.contains(&place));
    places.filter(|(_, place)| is_one(*place)).map(|(row, _)| row).collect()
}

/// Tells the rows whose list of bytes has a null in it: they are no null rows.
pub(super) fn tell_null_bytes(array: &dyn Array, name: &str, problems: &mut Vec<Problem>) {
    problems.extend(rows_with_null_bytes(array).into_iter().map(|row| {
        let (column, what) = (name.to_owned(), "one of its bytes is null".to_owned());
        Problem { row, column, what, outcome: Outcome::Unreadable }
    }));
}

/// One column of a batch as bytes.
pub(super) fn cells<'a>(
    table: &'a RecordBatch,
    name: &str,
    (given, otherwise): (Option<Encoding>, Encoding),
    problems: &mut Vec<Problem>,
) -> Result<Cells<'a>, String> {
    let array = column_of(table, name)?;
    tell_null_bytes(array, name, problems);
    let outcome = Outcome::Unreadable;
    let encoding = encoding_of(array.data_type(), given, otherwise);
    let nulls = array.nulls();
    fn parts<T: ByteArrayType>(array: &GenericByteArray<T>) -> (&[T::Offset], &[u8]) {
        (array.value_offsets(), array.value_data())
    }
    let binary = |(offsets, bytes)| Cells::borrowed(Values::Binary { offsets, bytes, nulls });
    let large = |(offsets, bytes)| Cells::borrowed(Values::LargeBinary { offsets, bytes, nulls });
    if encoding != Encoding::Raw {
        return Cells::decoded(
            array,
            |value, out| encoding.decode_into(value, out),
            |row, result| {
                if let Err(what) = result {
                    let (column, what) = (name.to_owned(), what.to_owned());
                    problems.push(Problem { row, column, what, outcome });
                }
            },
        )
        .ok_or_else(|| wrong_type(name, array));
    }
    Ok(match array.data_type() {
        DataType::FixedSizeBinary(width) => {
            let array = array.as_fixed_size_binary();
            let width = usize::try_from(*width).unwrap_or(0);
            let (bytes, len) = (array.value_data(), array.len());
            Cells::borrowed(Values::Fixed { bytes, width, len, nulls })
        }
        DataType::Binary => binary(parts::<BinaryType>(array.as_bytes())),
        DataType::LargeBinary => large(parts::<LargeBinaryType>(array.as_bytes())),
        DataType::Utf8 => binary(parts::<Utf8Type>(array.as_bytes())),
        DataType::LargeUtf8 => large(parts::<LargeUtf8Type>(array.as_bytes())),
        _ => Cells::sliced(array).ok_or_else(|| wrong_type(name, array))?,
    })
}
