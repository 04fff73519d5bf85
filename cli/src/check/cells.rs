//! The cells of an Arrow column, one by one: as text for outputs that hold text, as bytes of lists of u8, and by
//! their place among the values of a dictionary or of runs.
//!
//! The types that a table of signatures reasonably holds have a text: numbers, dates and times, text, and bytes in
//! hexadecimal. Lists, structures and the like have none; they can be written as Parquet or Arrow.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, ArrowPrimitiveType, ArrowTemporalType, ByteArrayType, Date32Type,
    Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, DecimalType,
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    RunEndIndexType, Time32MillisecondType, Time32SecondType, Time64MicrosecondType,
    Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, GenericByteArray, LargeStringArray, RunArray, StringArray, StringViewArray,
    UInt8Array, UInt64Array,
};
use arrow_buffer::ArrowNativeType;
use arrow_schema::{ArrowError, DataType, TimeUnit};
use arrow_select::take::take;
use data_encoding::HEXLOWER;
use serde_json::Value;
use std::fmt::{Debug, Display};
use std::ops::Range;

/// The values that the rows of a dictionary, or of runs, have; `None`: each row of the column has its own.
pub(super) fn shared_values(array: &dyn Array) -> Option<&ArrayRef> {
    match array.data_type() {
        DataType::Dictionary(..) => Some(array.as_any_dictionary().values()),
        DataType::RunEndEncoded(ends, _) => match ends.data_type() {
            DataType::Int16 => array.as_run_opt::<Int16Type>().map(RunArray::values),
            DataType::Int32 => array.as_run_opt::<Int32Type>().map(RunArray::values),
            DataType::Int64 => array.as_run_opt::<Int64Type>().map(RunArray::values),
            _ => None,
        },
        _ => None,
    }
}

/// The run of each row.
fn runs<R: RunEndIndexType>(array: &dyn Array) -> Vec<Option<usize>> {
    let ends = array.as_run::<R>().run_ends();
    let mut run = ends.get_start_physical_index();
    (ends.offset()..ends.offset() + ends.len())
        .map(|row| {
            while ends.values().get(run).is_some_and(|end| end.as_usize() <= row) {
                run += 1;
            }
            Some(run)
        })
        .collect()
}

/// The run of a row, of a column of runs: found where it is asked for, since few bytes are runs of many rows.
pub(super) fn run_of_row(array: &dyn Array) -> Option<Box<dyn Fn(usize) -> usize + '_>> {
    fn of<R: RunEndIndexType>(array: &dyn Array) -> Option<Box<dyn Fn(usize) -> usize + '_>> {
        let runs = array.as_run_opt::<R>()?;
        Some(Box::new(|row| runs.get_physical_index(row)))
    }
    let DataType::RunEndEncoded(ends, _) = array.data_type() else { return None };
    match ends.data_type() {
        DataType::Int16 => of::<Int16Type>(array),
        DataType::Int32 => of::<Int32Type>(array),
        DataType::Int64 => of::<Int64Type>(array),
        _ => None,
    }
}

/// The place of each row's value among the shared ones; `None` where the row is null.
pub(super) fn places(dictionary: &dyn Array) -> Vec<Option<usize>> {
    fn list<K: ArrowDictionaryKeyType>(array: &dyn Array) -> Vec<Option<usize>> {
        // a key without a value has been refused by the decoder; one too large for memory has none
        let keys = array.as_dictionary::<K>().keys();
        keys.iter().map(|key| key.map(|key| key.to_usize().unwrap_or(usize::MAX))).collect()
    }
    let keys = match dictionary.data_type() {
        DataType::Dictionary(keys, _) => &**keys,
        DataType::RunEndEncoded(ends, _) => {
            return match ends.data_type() {
                DataType::Int16 => runs::<Int16Type>(dictionary),
                DataType::Int32 => runs::<Int32Type>(dictionary),
                DataType::Int64 => runs::<Int64Type>(dictionary),
                _ => Vec::new(),
            };
        }
        _ => return Vec::new(),
    };
    match keys {
        DataType::Int8 => list::<Int8Type>(dictionary),
        DataType::Int16 => list::<Int16Type>(dictionary),
        DataType::Int32 => list::<Int32Type>(dictionary),
        DataType::Int64 => list::<Int64Type>(dictionary),
        DataType::UInt8 => list::<UInt8Type>(dictionary),
        DataType::UInt16 => list::<UInt16Type>(dictionary),
        DataType::UInt32 => list::<UInt32Type>(dictionary),
        DataType::UInt64 => list::<UInt64Type>(dictionary),
        _ => Vec::new(),
    }
}

/// Lists of u8, in whichever layout: a column of bytes.
pub(super) struct Lists<'a> {
    lists: &'a dyn Array,
    spans: Spans<'a>,
    items: &'a UInt8Array,
}

/// The places of lists among the items.
enum Spans<'a> {
    Offsets(&'a [i32]),
    LargeOffsets(&'a [i64]),
    Views(&'a [i32], &'a [i32]),
    LargeViews(&'a [i64], &'a [i64]),
    Width(usize),
}

impl<'a> Lists<'a> {
    /// `None`: the column holds no lists, or lists of something else.
    pub(super) fn of(array: &'a dyn Array) -> Option<Self> {
        let (spans, items) = match array.data_type() {
            DataType::List(_) => {
                let lists = array.as_list::<i32>();
                (Spans::Offsets(lists.value_offsets()), lists.values())
            }
            DataType::LargeList(_) => {
                let lists = array.as_list::<i64>();
                (Spans::LargeOffsets(lists.value_offsets()), lists.values())
            }
            DataType::ListView(_) => {
                let lists = array.as_list_view::<i32>();
                (Spans::Views(lists.value_offsets(), lists.value_sizes()), lists.values())
            }
            DataType::LargeListView(_) => {
                let lists = array.as_list_view::<i64>();
                (Spans::LargeViews(lists.value_offsets(), lists.value_sizes()), lists.values())
            }
            DataType::FixedSizeList(_, width) => {
                let width = usize::try_from(*width).ok()?;
                (Spans::Width(width), array.as_fixed_size_list().values())
            }
            _ => return None,
        };
        Some(Lists { lists: array, spans, items: items.as_primitive_opt()? })
    }

    /// The bytes of a row; `None` if it is null, or one of them is.
    pub(super) fn get(&self, row: usize) -> Option<&'a [u8]> {
        let is_whole = row < self.lists.len() && self.lists.is_valid(row) && !self.has_null(row);
        is_whole.then(|| self.items.values().get(self.span(row)))?
    }

    /// How many bytes a row has.
    pub(super) fn len(&self, row: usize) -> usize {
        self.span(row).len()
    }

    /// Whether a row is a list with a null in it.
    pub(super) fn has_null(&self, row: usize) -> bool {
        let Some(nulls) = self.items.nulls().filter(|nulls| nulls.null_count() > 0) else {
            return false;
        };
        self.lists.is_valid(row) && self.span(row).any(|item| nulls.is_null(item))
    }

    fn span(&self, row: usize) -> Range<usize> {
        fn between<O: ArrowNativeType>(offsets: &[O], row: usize) -> Range<usize> {
            offsets[row].as_usize()..offsets[row + 1].as_usize()
        }
        fn from<O: ArrowNativeType>(starts: &[O], sizes: &[O], row: usize) -> Range<usize> {
            let start = starts[row].as_usize();
            start..start + sizes[row].as_usize()
        }
        match self.spans {
            Spans::Offsets(offsets) => between(offsets, row),
            Spans::LargeOffsets(offsets) => between(offsets, row),
            Spans::Views(starts, sizes) => from(starts, sizes, row),
            Spans::LargeViews(starts, sizes) => from(starts, sizes, row),
            Spans::Width(width) => row * width..(row + 1) * width,
        }
    }
}

/// A column of text, however it is laid out.
pub(super) enum Texts<'a> {
    Small(&'a StringArray),
    Large(&'a LargeStringArray),
    View(&'a StringViewArray),
    Dictionary(Vec<Option<usize>>, Box<Texts<'a>>),
    /// Of a column of bytes.
    Rows(Vec<Option<&'a str>>),
    /// A column of nulls.
    Nulls,
}

impl<'a> Texts<'a> {
    /// `None`: the column holds no text.
    pub(super) fn of(array: &'a dyn Array) -> Option<Self> {
        Some(match array.data_type() {
            DataType::Utf8 => Texts::Small(array.as_string()),
            DataType::LargeUtf8 => Texts::Large(array.as_string()),
            DataType::Utf8View => Texts::View(array.as_string_view()),
            DataType::Null => Texts::Nulls,
            _ => {
                let values = Texts::of(shared_values(array)?.as_ref())?;
                Texts::Dictionary(places(array), Box::new(values))
            }
        })
    }

    /// The text of a row; `None` if it is null.
    pub(super) fn get(&self, row: usize) -> Option<&'a str> {
        match self {
            Texts::Small(array) => some(*array, row, |row| array.value(row)),
            Texts::Large(array) => some(*array, row, |row| array.value(row)),
            Texts::View(array) => some(*array, row, |row| array.value(row)),
            Texts::Dictionary(places, values) => values.get((*places.get(row)?)?),
            Texts::Rows(texts) => texts.get(row).copied().flatten(),
            Texts::Nulls => None,
        }
    }
}

/// The type of a column once its runs are decoded.
pub(super) fn without_runs(kind: &DataType) -> &DataType {
    match kind {
        DataType::RunEndEncoded(_, values) => without_runs(values.data_type()),
        kind => kind,
    }
}

/// A column with a value for each row, if it is one of runs.
pub(super) fn decoded_runs(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    match (array.data_type(), shared_values(array)) {
        (DataType::RunEndEncoded(..), Some(values)) => {
            let rows = places(array).into_iter().map(|place| place.map(|place| place as u64));
            decoded_runs(&take(values, &rows.collect::<UInt64Array>(), None)?)
        }
        _ => Ok(array.clone()),
    }
}

/// The value of a row that has one.
fn some<T>(array: &dyn Array, row: usize, value: impl FnOnce(usize) -> T) -> Option<T> {
    (row < array.len() && array.is_valid(row)).then(|| value(row))
}

/// The text of each row of a column; `None`: the row is null.
pub(super) type AsText<'a> = Box<dyn Fn(usize) -> Option<String> + 'a>;

/// Whether the cells of such a column have a text.
pub(super) fn has_text(kind: &DataType) -> bool {
    use DataType as T;
    match kind {
        T::Dictionary(_, values) => has_text(values),
        T::Null | T::Boolean | T::Utf8 | T::LargeUtf8 | T::Utf8View => true,
        T::Binary | T::LargeBinary | T::BinaryView | T::FixedSizeBinary(_) => true,
        T::Date32 | T::Date64 | T::Time32(_) | T::Time64(_) | T::Timestamp(..) => true,
        kind => kind.is_numeric(),
    }
}

/// The cells of a column as text; `None`: they have none.
pub(super) fn as_text(array: &dyn Array) -> Option<AsText<'_>> {
    use DataType as T;
    use TimeUnit::{Microsecond, Millisecond, Nanosecond, Second};
    Some(match array.data_type() {
        T::Null => Box::new(|_| None),
        T::Boolean => {
            let array = array.as_boolean();
            Box::new(move |row| some(array, row, |row| array.value(row).to_string()))
        }
        T::Int8 => number::<Int8Type>(array),
        T::Int16 => number::<Int16Type>(array),
        T::Int32 => number::<Int32Type>(array),
        T::Int64 => number::<Int64Type>(array),
        T::UInt8 => number::<UInt8Type>(array),
        T::UInt16 => number::<UInt16Type>(array),
        T::UInt32 => number::<UInt32Type>(array),
        T::UInt64 => number::<UInt64Type>(array),
        T::Float16 => float::<Float16Type>(array),
        T::Float32 => float::<Float32Type>(array),
        T::Float64 => float::<Float64Type>(array),
        T::Decimal32(..) => decimal::<Decimal32Type>(array),
        T::Decimal64(..) => decimal::<Decimal64Type>(array),
        T::Decimal128(..) => decimal::<Decimal128Type>(array),
        T::Decimal256(..) => decimal::<Decimal256Type>(array),
        T::Date32 => moment::<Date32Type>(array, Moment::Date),
        T::Date64 => moment::<Date64Type>(array, Moment::DateOrDateTime),
        T::Time32(Second) => moment::<Time32SecondType>(array, Moment::Time),
        T::Time32(_) => moment::<Time32MillisecondType>(array, Moment::Time),
        T::Time64(Nanosecond) => moment::<Time64NanosecondType>(array, Moment::Time),
        T::Time64(_) => moment::<Time64MicrosecondType>(array, Moment::Time),
        T::Timestamp(unit, zone) => {
            // with a zone, what is stored is the moment in UTC
            let kind = Moment::DateTime(zone.is_some());
            match unit {
                Second => moment::<TimestampSecondType>(array, kind),
                Millisecond => moment::<TimestampMillisecondType>(array, kind),
                Microsecond => moment::<TimestampMicrosecondType>(array, kind),
                Nanosecond => moment::<TimestampNanosecondType>(array, kind),
            }
        }
        T::Utf8 | T::LargeUtf8 | T::Utf8View => {
            let texts = Texts::of(array)?;
            Box::new(move |row| texts.get(row).map(str::to_owned))
        }
        T::Binary => bytes(array.as_binary::<i32>()),
        T::LargeBinary => bytes(array.as_binary::<i64>()),
        T::BinaryView => {
            let array = array.as_binary_view();
            Box::new(move |row| some(array, row, |row| HEXLOWER.encode(array.value(row))))
        }
        T::FixedSizeBinary(_) => {
            let array = array.as_fixed_size_binary();
            Box::new(move |row| some(array, row, |row| HEXLOWER.encode(array.value(row))))
        }
        T::Dictionary(..) => {
            let values = as_text(array.as_any_dictionary().values().as_ref())?;
            let places = places(array);
            Box::new(move |row| values((*places.get(row)?)?))
        }
        _ => return None,
    })
}

fn number<T: ArrowPrimitiveType<Native: Display>>(array: &dyn Array) -> AsText<'_> {
    let array = array.as_primitive::<T>();
    Box::new(move |row| some(array, row, |row| array.value(row).to_string()))
}

/// With a point or an exponent, so that a reader takes it for what it is.
fn float<T: ArrowPrimitiveType<Native: Debug>>(array: &dyn Array) -> AsText<'_> {
    let array = array.as_primitive::<T>();
    Box::new(move |row| some(array, row, |row| format!("{:?}", array.value(row))))
}

fn decimal<T: DecimalType>(array: &dyn Array) -> AsText<'_> {
    let array = array.as_primitive::<T>();
    Box::new(move |row| some(array, row, |row| array.value_as_string(row)))
}

#[derive(Clone, Copy)]
enum Moment {
    Date,
    Time,
    /// A date, and the time of day where there is one, which Arrow does not want here.
    DateOrDateTime,
    /// Whether it is known to be in UTC.
    DateTime(bool),
}

/// A date or time as in ISO 8601; the number where no calendar reaches.
fn moment<T: ArrowTemporalType<Native: Display>>(array: &dyn Array, kind: Moment) -> AsText<'_>
where
    i64: From<T::Native>,
{
    let array = array.as_primitive::<T>();
    let text = move |row| {
        let text = match kind {
            Moment::Date => array.value_as_date(row).map(|date| format!("{date:?}")),
            Moment::Time => array.value_as_time(row).map(|time| format!("{time:?}")),
            Moment::DateOrDateTime => {
                let text = array.value_as_datetime(row).map(|moment| format!("{moment:?}"));
                text.map(|text| text.strip_suffix("T00:00:00").unwrap_or(&text).to_owned())
            }
            Moment::DateTime(is_utc) => {
                let zone = if is_utc { "Z" } else { "" };
                array.value_as_datetime(row).map(|moment| format!("{moment:?}{zone}"))
            }
        };
        text.unwrap_or_else(|| array.value(row).to_string())
    };
    Box::new(move |row| some(array, row, text))
}

fn bytes<T: ByteArrayType<Native = [u8]>>(array: &GenericByteArray<T>) -> AsText<'_> {
    Box::new(move |row| some(array, row, |row| HEXLOWER.encode(array.value(row))))
}

/// A cell's text as JSON: a number stays one, with its digits.
pub(super) fn as_json(kind: &DataType, text: String) -> Value {
    let kind = match kind {
        DataType::Dictionary(_, values) => values,
        kind => kind,
    };
    if kind.is_numeric() || *kind == DataType::Boolean {
        serde_json::from_str(&text).unwrap_or(Value::String(text))
    } else {
        Value::String(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::types::Int8Type;
    use arrow_array::{
        BinaryViewArray, BooleanArray, Date32Array, Date64Array, Decimal128Array, DictionaryArray,
        FixedSizeBinaryArray, Float64Array, Int8Array, Int64Array, NullArray, StringArray,
        Time32SecondArray, Time64NanosecondArray, TimestampMillisecondArray, TimestampSecondArray,
    };
    use std::sync::Arc;

    #[test]
    fn cells_are_written_as_arrow_shows_them() {
        let keys = Int8Array::from(vec![Some(1), None, Some(0)]);
        let values = Arc::new(Int64Array::from(vec![-5, 7]));
        let dictionary = DictionaryArray::<Int8Type>::try_new(keys, values).expect("in range");
        let decimal = Decimal128Array::from(vec![-12_345]).with_precision_and_scale(9, 2);
        let zoned =
            TimestampMillisecondArray::from(vec![Some(1_500), None]).with_timezone("+02:00");
        let cases: Vec<(ArrayRef, &[Option<&str>])> = vec![
            (Arc::new(NullArray::new(1)), &[None]),
            (Arc::new(BooleanArray::from(vec![true, false])), &[Some("true"), Some("false")]),
            (Arc::new(Float64Array::from(vec![1.0, f64::NAN])), &[Some("1.0"), Some("NaN")]),
            (Arc::new(decimal.expect("fits")), &[Some("-123.45")]),
            (Arc::new(Date32Array::from(vec![0])), &[Some("1970-01-01")]),
            (
                Arc::new(Date64Array::from(vec![0, 1_000])),
                &[Some("1970-01-01"), Some("1970-01-01T00:00:01")],
            ),
            (Arc::new(Time32SecondArray::from(vec![61])), &[Some("00:01:01")]),
            (Arc::new(Time64NanosecondArray::from(vec![1_000_000])), &[Some("00:00:00.001")]),
            (Arc::new(TimestampSecondArray::from(vec![86_400])), &[Some("1970-01-02T00:00:00")]),
            (Arc::new(zoned), &[Some("1970-01-01T00:00:01.500Z"), None]),
            // no calendar has this day
            (Arc::new(TimestampSecondArray::from(vec![i64::MAX])), &[Some("9223372036854775807")]),
            (Arc::new(StringArray::from(vec![Some("a"), None])), &[Some("a"), None]),
            (Arc::new(BinaryViewArray::from_iter_values([[0xab, 1]])), &[Some("ab01")]),
            (
                Arc::new(FixedSizeBinaryArray::try_from_iter([[2, 3]].iter()).expect("two bytes")),
                &[Some("0203")],
            ),
            (Arc::new(dictionary), &[Some("7"), None, Some("-5")]),
        ];
        for (array, expected) in &cases {
            assert!(has_text(array.data_type()), "{}", array.data_type());
            let text = as_text(array).expect("a text");
            for (row, expected) in expected.iter().enumerate() {
                assert_eq!(text(row).as_deref(), *expected, "{}: row {row}", array.data_type());
            }
        }
        let json =
            |array: &ArrayRef| as_json(array.data_type(), as_text(array).unwrap()(0).unwrap());
        assert_eq!(json(&cases[14].0), serde_json::json!(7));
        assert_eq!(json(&cases[3].0).to_string(), "-123.45");
        assert_eq!(json(&cases[4].0), serde_json::json!("1970-01-01"));
    }

    #[test]
    fn what_is_said_to_have_a_text_has_one() {
        let kinds = [
            DataType::Null,
            DataType::Float16,
            DataType::Decimal256(40, 3),
            DataType::Duration(TimeUnit::Second),
            DataType::Time32(TimeUnit::Millisecond),
            DataType::Timestamp(TimeUnit::Nanosecond, Some("Mars/Olympus".into())),
            DataType::new_list(DataType::Int8, true),
            DataType::Dictionary(Box::new(DataType::UInt64), Box::new(DataType::Utf8View)),
            DataType::Dictionary(
                Box::new(DataType::Int8),
                Box::new(DataType::new_list(DataType::Int8, true)),
            ),
        ];
        for kind in kinds {
            let array = arrow_array::new_empty_array(&kind);
            assert_eq!(has_text(&kind), as_text(&array).is_some(), "{kind}");
        }
    }
}
