//! Columns of the library, of rows as engines get them.

use sigmill::bulk::Column;
use sigmill_bench_abi::Rows;
use std::ops::Range;

pub(super) fn messages<'a>(rows: &Rows<'a>, range: Range<usize>) -> Column<'a> {
    let messages = rows.messages;
    Column::binary(messages.offsets(range), messages.all_bytes(), None).expect("messages")
}
