//! The cost of the stages of a combination, in additions of points. The numbers were measured, and need not be exact.

/// To decode a point and look at it.
pub(super) const DECODE: usize = 25;
/// To make a row's Q.
pub(super) const MAKE_Q: usize = 2;
/// To test a point for torsion.
pub(super) const TEST: usize = 40;
/// To draw a row's coefficient and multiply by it.
pub(super) const SCALARS: usize = 3;

/// How many of the `left` rows there is work for, at `each` a row: full lanes of any backend, and at least the lanes of
/// one.
pub(super) fn rows(work: &mut usize, left: usize, each: usize) -> usize {
    const LEAST: usize = 32;
    let rows = (*work / each).min(left).next_multiple_of(LEAST).clamp(LEAST, left.max(LEAST));
    let rows = rows.min(left);
    *work = work.saturating_sub(rows * each);
    rows
}
