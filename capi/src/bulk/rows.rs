//! Rows of columns, and inputs beside outputs.

use super::outputs::Outputs;
use super::plan::Bulk;
use crate::fault::Fault;
use crate::pointer::{Extent, In, Out, Plain, copy_shared};
use sigmill::bulk::{Column, Rows, SharedRows};

/// Rows of a column.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    pub(super) column: Column<'a>,
    pub(super) first: usize,
    pub(super) rows: usize,
}

impl Part<'_> {
    /// Cut into groups of so many rows.
    pub(super) fn groups(&self, rows: usize) -> impl Iterator<Item = Self> {
        (0..self.rows).step_by(rows).map(move |at| Part {
            first: self.first + at,
            rows: rows.min(self.rows - at),
            ..*self
        })
    }
}

impl Rows for Part<'_> {
    fn len(&self) -> usize {
        self.rows
    }

    fn get(&self, row: usize) -> Option<&[u8]> {
        if row < self.rows { self.column.get(self.first + row) } else { None }
    }
}

/// Messages that other code may write to.
impl SharedRows for Part<'_> {
    fn message_len(&self, row: usize) -> usize {
        self.get(row).map_or(0, <[u8]>::len)
    }

    fn read(&self, row: usize, offset: usize, piece: &mut [u8]) {
        copy_shared(self.get(row).unwrap_or_default(), offset, piece);
    }
}

/// Input and output of the same number of rows, side by side.
pub(super) fn pair<'call, A: Plain, B: Plain>(
    inputs: In<A>,
    outputs: Out<B>,
    rows: usize,
) -> Result<(&'call [A], &'call mut [B]), Fault> {
    Ok((inputs.slice_of_call(rows)?, outputs.slice_of_call(rows)?))
}

/// An error if outputs lie in each other, in inputs, or in what says how.
pub(super) fn apart(
    how: In<Bulk>,
    results: Extent,
    other: Extent,
    inputs: &[Extent],
) -> Result<(), Fault> {
    let mut outputs = Outputs::new(results, other, Out::NULL);
    Bulk::inputs(how, &mut outputs);
    inputs.iter().for_each(|input| outputs.input(*input));
    outputs.apart().map_err(|problem| problem.fault)
}
