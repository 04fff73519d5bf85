//! Results of rows, reports, and the checks of the memory that they are written to.

use super::error::BulkError;
use crate::error::Verdict;

/// The verdict on a row; `None` where something in it is null.
pub type Outcome = Option<Verdict>;

/// The code of a row in which something is null; 0 is valid, and every other one a
/// [`Reason::code`](crate::Reason::code).
pub const NULL_CODE: u8 = 255;

/// As many places as there are rows, all with this value.
///
/// # Errors
/// [`BulkError::Memory`] if there is no memory for them.
#[cfg(feature = "alloc")]
pub(super) fn places<T: Clone>(value: T, rows: usize) -> Result<alloc::vec::Vec<T>, BulkError> {
    let mut places = alloc::vec::Vec::new();
    places.try_reserve_exact(rows).map_err(|_| BulkError::Memory { rows })?;
    places.resize(rows, value);
    Ok(places)
}

/// Memory for the results of rows.
pub(super) enum Results<'r> {
    Outcomes(&'r mut [Outcome]),
    Codes(&'r mut [u8]),
}

impl Results<'_> {
    pub(super) const fn len(&self) -> usize {
        match self {
            Results::Outcomes(outcomes) => outcomes.len(),
            Results::Codes(codes) => codes.len(),
        }
    }

    pub(super) fn clear(&mut self) {
        match self {
            Results::Outcomes(outcomes) => outcomes.fill(None),
            Results::Codes(codes) => codes.fill(NULL_CODE),
        }
    }

    /// Sets the result of a row. A row past the end has none: only scratch memory that was changed between two steps names one.
    #[inline(always)]
    pub(super) fn set(&mut self, row: u32, outcome: Outcome) {
        match self {
            Results::Outcomes(outcomes) => {
                if let Some(place) = outcomes.get_mut(row as usize) {
                    *place = outcome;
                }
            }
            Results::Codes(codes) => {
                if let Some(place) = codes.get_mut(row as usize) {
                    *place = outcome.map_or(NULL_CODE, Verdict::code);
                }
            }
        }
    }

    #[inline(always)]
    pub(super) fn is_open(&self, row: u32) -> bool {
        match self {
            Results::Outcomes(outcomes) => outcomes.get(row as usize).is_some_and(Option::is_none),
            Results::Codes(codes) => codes.get(row as usize) == Some(&NULL_CODE),
        }
    }
}

/// How many rows each strategy has verified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// By [`Strategy::Single`](super::Strategy::Single), or refused for their lengths.
    pub single: usize,
    /// By [`Strategy::Lanes`](super::Strategy::Lanes).
    pub lanes: usize,
    /// By [`Strategy::Combined`](super::Strategy::Combined).
    pub combined: usize,
}

impl Report {
    /// Adds another report's rows.
    pub fn add(&mut self, other: &Report) {
        self.single = self.single.saturating_add(other.single);
        self.lanes = self.lanes.saturating_add(other.lanes);
        self.combined = self.combined.saturating_add(other.combined);
    }
}

/// An error unless there are as many rows as expected.
pub(super) fn check_rows(what: &'static str, expected: usize, got: usize) -> Result<(), BulkError> {
    if got == expected { Ok(()) } else { Err(BulkError::Rows { what, expected, got }) }
}

/// An error if there is less scratch memory than expected.
pub(super) fn check_scratch(expected: usize, got: usize) -> Result<(), BulkError> {
    if got < expected {
        return Err(BulkError::BufferLength { what: "scratch memory", expected, got });
    }
    Ok(())
}
