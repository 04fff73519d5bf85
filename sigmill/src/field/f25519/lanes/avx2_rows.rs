//! Four lanes from and to rows in memory, whatever their five vectors hold.

use super::super::field::{PointRow, Row};
use crate::cpu::Avx2;
use crate::memory::Line;
use crate::simd::avx2::U64x4;

type V = U64x4;

/// Word j of row i goes to word i of vector j.
#[inline(always)]
pub(super) fn columns_of(token: Avx2, rows: [&[u64; 4]; 4]) -> [V; 4] {
    let [p, q, r, s] = rows;
    let a = V::from_array(token, [p[0], p[1], r[0], r[1]]);
    let b = V::from_array(token, [q[0], q[1], s[0], s[1]]);
    let c = V::from_array(token, [p[2], p[3], r[2], r[3]]);
    let d = V::from_array(token, [q[2], q[3], s[2], s[3]]);
    [a.even_words(b), a.odd_words(b), c.even_words(d), c.odd_words(d)]
}

/// Word j of vector i goes to word i of row j.
#[inline(always)]
pub(super) fn rows_of(a: V, b: V, c: V, d: V) -> [[u64; 4]; 4] {
    let [a, b, c, d] = V::transpose([a, b, c, d]);
    [a.to_array(), b.to_array(), c.to_array(), d.to_array()]
}

/// The words of 32 bytes a lane.
#[inline(always)]
pub(super) fn words_of_bytes(token: Avx2, bytes: &[[u8; 32]; 4]) -> [V; 4] {
    let mut rows = [[0; 4]; 4];
    for (row, bytes) in rows.iter_mut().zip(bytes) {
        for (word, chunk) in row.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *word = u64::from_le_bytes(*chunk);
        }
    }
    columns_of(token, [&rows[0], &rows[1], &rows[2], &rows[3]])
}

/// Writes lane i of five pairs of limbs of four values each to row i.
#[inline(always)]
pub(super) fn store_points([a, b, c, d]: [&[V; 5]; 4], rows: &mut [PointRow]) {
    let quarters = [
        rows_of(a[0], a[1], a[2], a[3]),
        rows_of(a[4], b[0], b[1], b[2]),
        rows_of(b[3], b[4], c[0], c[1]),
        rows_of(c[2], c[3], c[4], d[0]),
        rows_of(d[1], d[2], d[3], d[4]),
    ];
    for (lane, row) in rows.iter_mut().take(4).enumerate() {
        for (place, quarters) in row.iter_mut().zip(&quarters) {
            *place = quarters[lane];
        }
    }
}

/// Quarter i of each row.
#[inline(always)]
fn point_quarters(token: Avx2, [r, s, t, u]: &[&PointRow; 4], i: usize) -> [V; 4] {
    columns_of(token, [&r[i], &s[i], &t[i], &u[i]])
}

/// Lane i is row i.
#[inline(always)]
pub(super) fn load_points(token: Avx2, rows: &[&PointRow; 4]) -> [[V; 5]; 4] {
    let [a0, a1, a2, a3] = point_quarters(token, rows, 0);
    let [a4, b0, b1, b2] = point_quarters(token, rows, 1);
    let [b3, b4, c0, c1] = point_quarters(token, rows, 2);
    let [c2, c3, c4, d0] = point_quarters(token, rows, 3);
    let [d1, d2, d3, d4] = point_quarters(token, rows, 4);
    [[a0, a1, a2, a3, a4], [b0, b1, b2, b3, b4], [c0, c1, c2, c3, c4], [d0, d1, d2, d3, d4]]
}

/// Four of the sixteen words of a row.
#[inline(always)]
fn quarter(row: &Row, i: usize) -> &[u64; 4] {
    &row[i / 2].0.as_chunks().0[i % 2]
}

/// Word i of each row's quarter.
#[inline(always)]
fn quarters(token: Avx2, [a, b, c, d]: &[&Row; 4], i: usize) -> [V; 4] {
    columns_of(token, [quarter(a, i), quarter(b, i), quarter(c, i), quarter(d, i)])
}

/// Writes lane i of five vectors of three values each to row i.
#[inline(always)]
pub(super) fn store_row_words([a, b, c]: [&[V; 5]; 3], rows: &mut [Row]) {
    let quarters = [
        rows_of(a[0], a[1], a[2], a[3]),
        rows_of(a[4], b[0], b[1], b[2]),
        rows_of(b[3], b[4], c[0], c[1]),
        rows_of(c[2], c[3], c[4], c[4].splat(0)),
    ];
    for (lane, row) in rows.iter_mut().take(4).enumerate() {
        for (half, line) in row.iter_mut().enumerate() {
            let [first, second] = [quarters[2 * half][lane], quarters[2 * half + 1][lane]];
            line.0[..4].copy_from_slice(&first);
            line.0[4..].copy_from_slice(&second);
        }
    }
}

/// Lane i is the row that entry i of the index names, or 0.
#[inline(always)]
pub(super) fn load_row_words(token: Avx2, rows: &[Row], index: &[u32; 4]) -> [[V; 5]; 3] {
    const NOTHING: Row = [Line([0; 8]); 2];
    let mut found = [&NOTHING; 4];
    for (row, index) in found.iter_mut().zip(index) {
        *row = rows.get(*index as usize).unwrap_or(&NOTHING);
    }
    let [a0, a1, a2, a3] = quarters(token, &found, 0);
    let [a4, b0, b1, b2] = quarters(token, &found, 1);
    let [b3, b4, c0, c1] = quarters(token, &found, 2);
    let [c2, c3, c4, _] = quarters(token, &found, 3);
    [[a0, a1, a2, a3, a4], [b0, b1, b2, b3, b4], [c0, c1, c2, c3, c4]]
}
