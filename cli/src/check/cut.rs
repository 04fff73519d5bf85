//! Tables cut so that what their rows stand for is bounded, whatever a few bytes of them can say: the same
//! value again and again, by an index or a view.

use super::cells::{Lists, places, run_of_row, shared_values};
use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use arrow_buffer::ArrowNativeType;
use arrow_schema::DataType;

/// At most so many rows, and about so many bytes: memory does not grow with the table.
pub(super) const BATCH_ROWS: usize = 64 * 1024;
pub(super) const BATCH_BYTES: usize = 16 * 1024 * 1024;
/// Bytes of a cell beside its value: offset, index, validity, verdict.
pub(super) const CELL_BYTES: usize = 16;

/// The columns that count, and how.
#[derive(Clone)]
pub(super) struct Counted {
    /// The columns that are looked at.
    pub(super) columns: Vec<String>,
    /// All columns are written, each row with its value.
    pub(super) is_written: bool,
}

/// A table that is handed out in pieces.
pub(super) struct Pieces {
    table: RecordBatch,
    /// The end of each piece.
    ends: std::vec::IntoIter<usize>,
    start: usize,
}

impl Pieces {
    pub(super) fn of(table: RecordBatch, counted: &Counted) -> Self {
        let ends = ends(&table, counted).into_iter();
        Pieces { table, ends, start: 0 }
    }
}

impl Iterator for Pieces {
    type Item = RecordBatch;

    fn next(&mut self) -> Option<RecordBatch> {
        let end = self.ends.next()?;
        let piece = self.table.slice(self.start, end - self.start);
        self.start = end;
        Some(piece)
    }
}

fn ends(table: &RecordBatch, counted: &Counted) -> Vec<usize> {
    let fields = table.schema_ref().fields().iter().zip(table.columns());
    let sizes: Vec<SizeOf<'_>> = fields
        .filter(|(field, _)| counted.is_written || counted.columns.contains(field.name()))
        .map(|(_, array)| size_of_rows(array.as_ref(), counted.is_written))
        .collect();
    let (mut ends, mut start, mut bytes) = (Vec::new(), 0, 0_usize);
    for row in 0..table.num_rows() {
        let size: usize = sizes.iter().map(|size| size(row).saturating_add(CELL_BYTES)).sum();
        let is_full = bytes.saturating_add(size) > BATCH_BYTES || row - start >= BATCH_ROWS;
        if is_full && row > start {
            ends.push(row);
            (start, bytes) = (row, 0);
        }
        bytes = bytes.saturating_add(size);
    }
    ends.push(table.num_rows());
    ends
}

/// The bytes that a row's cell stands for.
type SizeOf<'a> = Box<dyn Fn(usize) -> usize + 'a>;

fn size_of_rows(array: &dyn Array, is_written: bool) -> SizeOf<'_> {
    fn lengths<O: ArrowNativeType>(offsets: &[O]) -> SizeOf<'_> {
        Box::new(move |row| match offsets.get(row..=row + 1) {
            Some([start, end]) => end.as_usize().saturating_sub(start.as_usize()),
            _ => 0,
        })
    }
    // the first four bytes of a view are its length
    fn views(views: &[u128]) -> SizeOf<'_> {
        Box::new(|row| views.get(row).map_or(0, |view| *view as u32 as usize))
    }
    match array.data_type() {
        DataType::FixedSizeBinary(width) => {
            let width = usize::try_from(*width).unwrap_or(0);
            Box::new(move |_| width)
        }
        DataType::Binary => lengths(array.as_binary::<i32>().value_offsets()),
        DataType::LargeBinary => lengths(array.as_binary::<i64>().value_offsets()),
        DataType::Utf8 => lengths(array.as_string::<i32>().value_offsets()),
        DataType::LargeUtf8 => lengths(array.as_string::<i64>().value_offsets()),
        DataType::BinaryView => views(array.as_binary_view().views()),
        DataType::Utf8View => views(array.as_string_view().views()),
        // read, each value counts once, and all of them are in memory already
        DataType::Dictionary(..) | DataType::RunEndEncoded(..) if !is_written => Box::new(|_| 0),
        DataType::Dictionary(..) | DataType::RunEndEncoded(..) => {
            let Some(values) = shared_values(array) else { return Box::new(|_| 0) };
            let size = size_of_rows(values.as_ref(), true);
            if let Some(run) = run_of_row(array) {
                return Box::new(move |row| size(run(row)));
            }
            let places = places(array);
            Box::new(move |row| places.get(row).copied().flatten().map_or(0, &size))
        }
        DataType::Null => Box::new(|_| 0),
        _ => match Lists::of(array) {
            Some(lists) => Box::new(move |row| lists.len(row)),
            None => {
                let mean = array.get_array_memory_size().div_ceil(array.len().max(1));
                Box::new(move |_| mean)
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::types::{Int8Type, Int32Type};
    use arrow_array::{
        ArrayRef, BinaryArray, BinaryViewArray, DictionaryArray, Int32Array, Int64Array,
        ListViewArray, RunArray, UInt8Array,
    };
    use arrow_schema::Field;
    use std::sync::Arc;

    fn pieces(column: ArrayRef, is_written: bool) -> Vec<usize> {
        let table = RecordBatch::try_from_iter([("a", column)]).expect("one column");
        let counted = Counted { columns: vec!["a".to_owned()], is_written };
        Pieces::of(table, &counted).map(|piece| piece.num_rows()).collect()
    }

    #[test]
    fn pieces_are_bounded_by_rows_and_by_what_they_stand_for() {
        let mib = vec![0; 1 << 20];
        let values = Arc::new(BinaryArray::from_iter_values([&mib]));
        let keys = vec![0_i8; 100];
        let dictionary = DictionaryArray::<Int8Type>::try_new(keys.into(), values).expect("one");
        let dictionary: ArrayRef = Arc::new(dictionary);
        assert_eq!(pieces(dictionary.clone(), false), [100]);
        assert_eq!(pieces(dictionary, true), [15, 15, 15, 15, 15, 15, 10]);
        // runs, whose rows take no bytes by themselves
        let run = RunArray::<Int32Type>::try_new(
            &Int32Array::from(vec![40]),
            &BinaryArray::from_iter_values([&mib]),
        );
        let runs: ArrayRef = Arc::new(run.expect("one run"));
        assert_eq!(pieces(runs.clone(), false), [40]);
        assert_eq!(pieces(runs.slice(3, 37), true), [15, 15, 7]);
        let views = BinaryViewArray::from_iter_values([&mib]);
        let (_, buffers, _) = views.clone().into_parts();
        let views = BinaryViewArray::try_new(vec![views.views()[0]; 40].into(), buffers, None);
        assert_eq!(pieces(Arc::new(views.expect("of one buffer")), false), [15, 15, 10]);
        // lists that all are the same bytes
        let item = Arc::new(Field::new("item", DataType::UInt8, false));
        let (starts, sizes) = (vec![0_i32; 40], vec![1_i32 << 20; 40]);
        let items = Arc::new(UInt8Array::from(mib.clone()));
        let lists = ListViewArray::new(item, starts.into(), sizes.into(), items, None);
        assert_eq!(pieces(Arc::new(lists), false), [15, 15, 10]);
        let small: ArrayRef = Arc::new(BinaryArray::from_iter_values(vec![[0; 4]; 70_000]));
        assert_eq!(pieces(small, false), [BATCH_ROWS, 70_000 - BATCH_ROWS]);
        // a row alone may be larger
        let large: ArrayRef = Arc::new(BinaryArray::from_iter_values(vec![vec![0; 20 << 20]; 2]));
        assert_eq!(pieces(large, false), [1, 1]);
        assert_eq!(pieces(Arc::new(Int64Array::from(Vec::<i64>::new())), true), [0]);
    }
}
