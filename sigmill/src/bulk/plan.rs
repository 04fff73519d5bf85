//! The order in which the rows of one chunk are verified: grouped by spec, equal keys together.
//!
//! Reach: own `mod`.

use super::Table;
use core::ops::Range;

/// Rows that are planned together. Scratch memory is bounded by it.
pub const CHUNK_ROWS: usize = 1024;

/// Writes the rows that have no null into `order`, those with the same spec together and, among
/// them, those with the same key together; returns how many there are.
pub(super) fn order_rows(table: &Table<'_>, rows: Range<usize>, order: &mut [u32]) -> usize {
    let first = rows.start;
    let mut len = 0;
    for row in rows {
        if has_verdict(table, row) {
            order[len] = (row - first) as u32;
            len += 1;
        }
    }
    order[..len].sort_unstable_by_key(|row| {
        let row = first + *row as usize;
        (table.specs.group(row), table.keys.get(row))
    });
    len
}

/// Whether nothing in the row is null.
fn has_verdict(table: &Table<'_>, row: usize) -> bool {
    table.keys.get(row).is_some()
        && table.messages.get(row).is_some()
        && table.signatures.get(row).is_some()
        && table.specs.spec(table.specs.group(row)).is_some()
}
