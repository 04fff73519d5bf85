//! Values of four lanes as rows in memory, and as words.

use super::super::super::field::{PointRow, Row};
use super::limbs::{Limbs, V, limbs_of_words};
use crate::memory::Line;

/// Four vectors of the limbs of several values, one after the other, go to the same place of four rows, a lane each.
#[inline(always)]
fn quads_of(limbs: &[V], place: usize) -> [[u64; 2]; 4] {
    let limb = |i: usize| limbs.get(4 * place + i).copied().unwrap_or(V::all(0));
    V::transpose([limb(0), limb(1), limb(2), limb(3)]).map(V::to_words)
}

/// Word j of row i goes to word i of vector j.
#[inline(always)]
fn columns_of(rows: [[u64; 2]; 4]) -> [V; 4] {
    V::transpose(rows.map(V::from_words))
}

/// Writes lane i of four values to row i.
#[inline(always)]
pub(super) fn store_points(values: [&Limbs; 4], rows: &mut [PointRow]) {
    let values = values.map(|limbs| *limbs);
    for place in 0..10 {
        let quads = quads_of(values.as_flattened(), place);
        for (row, quad) in rows.iter_mut().zip(quads) {
            row[place / 2].as_chunks_mut().0[place % 2] = quad;
        }
    }
}

/// Lane i is row i.
#[inline(always)]
pub(super) fn load_points(rows: &[&PointRow; 4]) -> [Limbs; 4] {
    let mut values = [[V::all(0); 10]; 4];
    for (place, quad) in values.as_flattened_mut().as_chunks_mut::<4>().0.iter_mut().enumerate() {
        *quad = columns_of(rows.map(|row| row[place / 2].as_chunks().0[place % 2]));
    }
    values
}

/// Writes lane i of three values to row i.
#[inline(always)]
pub(super) fn store_row_words(values: [&Limbs; 3], rows: &mut [Row]) {
    let values = values.map(|limbs| *limbs);
    for place in 0..8 {
        let quads = quads_of(values.as_flattened(), place);
        for (row, quad) in rows.iter_mut().zip(quads) {
            row[place / 4].0.as_chunks_mut().0[place % 4] = quad;
        }
    }
}

/// Lane i is the row that entry i of the index names, or 0.
#[inline(always)]
pub(super) fn load_row_words(rows: &[Row], index: &[u32; 4]) -> [Limbs; 3] {
    const NOTHING: Row = [Line([0; 8]); 2];
    let found = index.map(|index| rows.get(index as usize).unwrap_or(&NOTHING));
    // the last two vectors of a row mean nothing
    let mut values = [[V::all(0); 10]; 4];
    let quads = values.as_flattened_mut().as_chunks_mut::<4>().0.iter_mut().take(8);
    for (place, quad) in quads.enumerate() {
        *quad = columns_of(found.map(|row| row[place / 4].0.as_chunks().0[place % 4]));
    }
    let [a, b, c, _] = values;
    [a, b, c]
}

/// Four words of 64 bits a lane as limbs.
#[inline(always)]
pub(super) fn limbs_of_rows(rows: [&[u64; 4]; 4]) -> Limbs {
    let [a, b, c, d] = columns_of(rows.map(|[low, next, _, _]| [*low, *next]));
    let [e, f, g, h] = columns_of(rows.map(|[_, _, next, top]| [*next, *top]));
    limbs_of_words(&[a, b, c, d, e, f, g, h])
}

/// Word j of vector i goes to word i of row j.
#[inline(always)]
pub(super) fn rows_of([a, b, c, d, e, f, g, h]: [V; 8]) -> [[u64; 4]; 4] {
    let lower = V::transpose([a, b, c, d]).map(V::to_words);
    let upper = V::transpose([e, f, g, h]).map(V::to_words);
    core::array::from_fn(|lane| {
        let ([a, b], [c, d]) = (lower[lane], upper[lane]);
        [a, b, c, d]
    })
}
