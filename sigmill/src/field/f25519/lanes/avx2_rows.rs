//! Four lanes of AVX2, whatever their five vectors hold: items of their traits, and rows in memory.

use super::super::field::{PointRow, Row};
use crate::cpu::Avx2;
use crate::memory::Line;
use crate::simd::avx2::U64x4;

type V = U64x4;

/// The items of these traits for an element `Fe` and a product `Product` of five vectors that do not depend on what the vectors
/// hold. They stand on functions of the file that names them.
macro_rules! four_lanes {
    (Algebra) => {
        type Product = Product;

        #[inline(always)]
        fn mul(&self, other: &Fe) -> Product {
            Product(outlined_mul(&self.0, &other.0))
        }

        #[inline(always)]
        fn square(&self) -> Product {
            Product(outlined_square(&self.0))
        }
    };
    (Field) => {
        type Mask = u8;
        type Bytes = [[u8; 32]; 4];

        #[inline(always)]
        fn token(&self) -> Avx2 {
            self.0[0].token()
        }

        #[inline(always)]
        fn splat(token: Avx2, w: &[u64; 4]) -> Fe {
            let [a, b, c, d] = *w;
            let words = [V::all(token, a), V::all(token, b), V::all(token, c), V::all(token, d)];
            Fe(limbs_of_words(&words))
        }

        #[inline(always)]
        fn from_bytes(token: Avx2, bytes: &[[u8; 32]; 4]) -> Fe {
            Fe(limbs_of_words(&words_of_bytes(token, bytes)))
        }

        #[inline(always)]
        fn square_times(elements: &mut [Fe], n: u32) {
            repeat_squares(elements, n);
        }

        #[inline(always)]
        fn multiply(elements: &mut [Fe], factors: &[Fe]) {
            multiply_each(elements, factors);
        }

        #[inline(always)]
        fn select(mask: u8, if_true: &Fe, if_false: &Fe) -> Fe {
            let (a, b) = (&if_true.0, &if_false.0);
            let lanes = V::lanes_of(a[0].token(), mask);
            Fe(each!(|k| b[k].or_where(lanes, a[k])))
        }

        #[inline(always)]
        fn is_zero(&self) -> u8 {
            all_zero(&canonical(&self.0))
        }

        #[inline(always)]
        fn is_odd(&self) -> u8 {
            canonical(&self.0)[0].shift_left::<63>().top_bits()
        }
    };
    (LaneField) => {
        const LANES: usize = crate::cpu::Backend::Avx2.lanes();
        type PerLane<T: Copy> = [T; 4];
        type OperandRow = PointRow;
        type ProductRow = PointRow;

        #[inline(always)]
        fn store_operands([a, b, c, d]: &[Fe; 4], rows: &mut [PointRow]) {
            store_points([&a.0, &b.0, &c.0, &d.0], rows);
        }

        #[inline(always)]
        fn load_operands_vartime(token: Avx2, rows: &[&PointRow; 4]) -> [Fe; 4] {
            let [a, b, c, d] = load_points(token, rows);
            [Fe(a), Fe(b), Fe(c), Fe(d)]
        }

        #[inline(always)]
        fn store_products([a, b, c, d]: &[Product; 4], rows: &mut [PointRow]) {
            store_points([&a.0, &b.0, &c.0, &d.0], rows);
        }

        #[inline(always)]
        fn load_products_vartime(token: Avx2, rows: &[&PointRow; 4]) -> [Product; 4] {
            let [a, b, c, d] = load_points(token, rows);
            [Product(a), Product(b), Product(c), Product(d)]
        }

        #[inline(always)]
        fn load_words_vartime(token: Avx2, [p, q, r, s]: &[&[[u64; 4]; 3]; 4]) -> [Fe; 3] {
            let mut values = [Fe([V::zero(token); 5]); 3];
            for (c, value) in values.iter_mut().enumerate() {
                value.0 = limbs_of_words(&columns_of(token, [&p[c], &q[c], &r[c], &s[c]]));
            }
            values
        }

        #[inline(always)]
        fn store_rows([a, b, c]: &[Fe; 3], rows: &mut [Row]) {
            store_row_words([&a.0, &b.0, &c.0], rows);
        }

        #[inline(always)]
        fn load_rows_vartime(token: Avx2, rows: &[Row], index: &[u32; 4]) -> [Fe; 3] {
            let [a, b, c] = load_row_words(token, rows, index);
            [Fe(a), Fe(b), Fe(c)]
        }
    };
}
pub(super) use four_lanes;

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
