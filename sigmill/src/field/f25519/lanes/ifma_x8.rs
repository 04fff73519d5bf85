//! GF(2^255 − 19), eight lanes, AVX-512 IFMA.
//!
//! Representation: five vectors of eight 64-bit limbs, radix 2^52; (a0..a4) is
//! a0 + a1·2^52 + … + a4·2^208 in each lane. VPMADD52 multiplies the low 52 bits of two limbs and
//! adds the low or the high 52 bits of the product to a column, so that in this radix every partial
//! product falls on a column as it is, and what stands above the 52 bits needs no mask before the next
//! multiplication: an operand's limbs 0 to 3 are the low 52 bits of their words, and the others mean
//! nothing.
//!
//! Bounds (in units of 2^52 unless said otherwise):
//!
//! | type | columns | made by |
//! |---|---|---|
//! | `Fe` | limbs 0 to 3 below 1 without their upper 12 bits, limb 4 below 2^47 + 2^6 | carries, loads |
//! | `Product` | below 12 | `mul`, `square`, `widen` |
//! | (two products) | below 28 | `plus`; `minus`, which adds 512p first |
//! | (before a carry) | below 60 | `plus`; `minus_sum`, which adds 1024p first |
//!
//! All operations are constant time but those that end in `_vartime`, whose addresses depend on
//! public indices.
//!

mod limbs;
#[cfg(test)]
mod tests;

use super::super::field::{Entries, Field, LaneField, PointRow, Row, SecretLanes};
use super::super::packed::radix_51;
use crate::cpu::Ifma;
use crate::field::algebra::{Algebra, Columns, sum_of_columns};
use crate::memory::PlainWith;
use crate::simd::Proven;
use crate::simd::avx512::ifma_functions;
use crate::simd::each;
use limbs::*;

/// An operand.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Fe([V; 5]);

/// Four operands of one lane as words. Limbs would take three vectors, half of which lie in two lines of the cache.
type OperandRow = [[u64; 8]; 2];

/// One product.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Product([V; 5]);

impl Proven for Fe {
    type Token = Ifma;
}

impl Algebra for Fe {
    type Product = Product;

    #[inline(always)]
    fn mul(&self, other: &Fe) -> Product {
        Product(mul(&self.0, &other.0))
    }

    #[inline(always)]
    fn square(&self) -> Product {
        Product(square(&self.0))
    }

    #[inline(always)]
    fn mul_pair([a, b]: [&Fe; 2], [c, d]: [&Fe; 2]) -> [Product; 2] {
        let (ab, cd) = mul_pair(&a.0, &b.0, &c.0, &d.0);
        [Product(ab), Product(cd)]
    }

    #[inline(always)]
    fn widen(&self) -> Product {
        Product(clean(&self.0))
    }

    #[inline(always)]
    fn sum<const A: i32, const B: i32, const C: i32>(a: &Product, b: &Product, c: &Product) -> Fe {
        Fe(sum_of_columns::<_, A, B, C>(&a.0, &b.0, &c.0))
    }
}

impl Field for Fe {
    type Mask = u8;
    type Bytes = [[u8; 32]; 8];

    #[inline(always)]
    fn token(&self) -> Ifma {
        self.0[0].token()
    }

    #[inline(always)]
    fn splat(token: Ifma, w: &[u64; 4]) -> Fe {
        let limbs = [
            w[0] & LOW_52,
            (w[0] >> 52 | w[1] << 12) & LOW_52,
            (w[1] >> 40 | w[2] << 24) & LOW_52,
            (w[2] >> 28 | w[3] << 36) & LOW_52,
            w[3] >> 16 & LOW_47,
        ];
        Fe(each!(|k| V::all(token, limbs[k])))
    }

    #[inline(always)]
    fn from_bytes(token: Ifma, bytes: &[[u8; 32]; 8]) -> Fe {
        Fe(limbs_of_words(&V::words_of_bytes(token, &bytes.each_ref())))
    }

    #[inline(always)]
    fn to_bytes(&self, top_bit: u8) -> [[u8; 32]; 8] {
        let a = canonical(&self.0);
        let top = V::select(top_bit, a[0].splat(1 << 63), a[0].splat(0));
        let w = packed(&a);
        let words = [w[0].to_array(), w[1].to_array(), w[2].to_array(), (w[3] | top).to_array()];
        let mut bytes = [[0; 32]; 8];
        for (lane, bytes) in bytes.iter_mut().enumerate() {
            for (chunk, word) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(&words) {
                *chunk = word[lane].to_le_bytes();
            }
        }
        bytes
    }

    #[inline(always)]
    fn mul_small(&self, n: u32) -> Product {
        debug_assert!(n >> 17 == 0);
        let (a, n) = (&self.0, self.0[0].splat(u64::from(n)));
        let mut r = [self.0[0].splat(0); 5];
        for k in 0..5 {
            r[k] = r[k].madd_low(a[k], n);
        }
        for k in 0..4 {
            r[k + 1] = r[k + 1].madd_high(a[k], n);
        }
        // column 5
        r[0] = r[0].madd_low(self.0[0].splat(0).madd_high(a[4], n), self.0[0].splat(FOLD));
        Product(r)
    }

    #[inline(always)]
    fn square_times(elements: &mut [Fe], n: u32) {
        // one or two chains leave the multiplier waiting, more do not
        match elements.as_chunks_mut() {
            ([], [one]) if n >= LONG => chains(core::array::from_mut(one), n),
            ([two], []) if n >= LONG => chains::<2>(two, n),
            _ => repeat_squares(elements, n),
        }
    }

    #[inline(always)]
    fn multiply(elements: &mut [Fe], factors: &[Fe]) {
        multiply_each(elements, factors);
    }

    // one by one, as two at once do not find registers, and in the order that took the least time of all that there are
    #[inline(always)]
    fn mul_three([a, b]: [&Fe; 2], [c, d]: [&Fe; 2], [e, f]: [&Fe; 2]) -> [Product; 3] {
        let ef = e.mul(f);
        [a.mul(b), c.mul(d), ef]
    }

    #[inline(always)]
    fn mul_four([[a, b], [c, d], [e, f], [g, h]]: [[&Fe; 2]; 4]) -> [Product; 4] {
        let gh = g.mul(h);
        let cd = c.mul(d);
        let ef = e.mul(f);
        [a.mul(b), cd, ef, gh]
    }

    #[inline(always)]
    fn mul_crosswise(a: &Fe, b: &Fe, c: &Fe, d: &Fe) -> [Product; 4] {
        let bc = b.mul(c);
        let ab = a.mul(b);
        let ad = a.mul(d);
        [ab, c.mul(d), bc, ad]
    }

    #[inline(always)]
    fn select(mask: u8, if_true: &Fe, if_false: &Fe) -> Fe {
        let (a, b) = (&if_true.0, &if_false.0);
        Fe(each!(|k| V::select(mask, a[k], b[k])))
    }

    #[inline(always)]
    fn equal(&self, other: &Fe) -> u8 {
        all_zero(&differences(&canonical(&self.0), &canonical(&other.0)))
    }

    #[inline(always)]
    fn is_zero(&self) -> u8 {
        all_zero(&canonical(&self.0))
    }

    #[inline(always)]
    fn is_odd(&self) -> u8 {
        !canonical(&self.0)[0].disjoint(self.0[0].splat(1))
    }
}

/// From how many squarings on it pays to change the radix.
const LONG: u32 = 5;

ifma_functions! { never
    /// Squares each element n times, in registers and in `radix_51`, whose squares are ready sooner.
    fn chains[const N: usize] [N](elements: &mut [Fe; N], n: u32) {
        let mut limbs = [elements[0].0; N];
        let mut i = 0;
        while i < N {
            limbs[i] = to_radix_51(&elements[i].0);
            i += 1;
        }
        for _ in 0..n {
            i = 0;
            while i < N {
                limbs[i] = radix_51::carry(&radix_51::square(&limbs[i]));
                i += 1;
            }
        }
        i = 0;
        while i < N {
            elements[i].0 = of_radix_51(&limbs[i]);
            i += 1;
        }
    }

    /// Squares each element n times, two at a time and in turn, so that no element waits for itself.
    fn repeat_squares(elements: &mut [Fe], n: u32) {
        let (pairs, rest) = elements.as_chunks_mut::<2>();
        for _ in 0..n {
            for [a, b] in pairs.iter_mut() {
                let (aa, bb) = square_pair(&a.0, &b.0);
                (a.0, b.0) = (carry(aa), carry(bb));
            }
            for a in rest.iter_mut() {
                a.0 = carry(square(&a.0));
            }
        }
    }

    /// Multiplies each element by its factor, two at a time.
    fn multiply_each(elements: &mut [Fe], factors: &[Fe]) {
        let (pairs, rest) = elements.as_chunks_mut::<2>();
        let (pairs_of_factors, rest_of_factors) = factors.as_chunks::<2>();
        for ([a, b], [c, d]) in pairs.iter_mut().zip(pairs_of_factors) {
            let (ac, bd) = mul_pair(&a.0, &c.0, &b.0, &d.0);
            (a.0, b.0) = (carry(ac), carry(bd));
        }
        for (a, b) in rest.iter_mut().zip(rest_of_factors) {
            a.0 = carry(mul(&a.0, &b.0));
        }
    }
}

/// Writes lane i of five limbs of four values each to row i.
#[inline(always)]
fn store_points([a, b, c, d]: [&[V; 5]; 4], rows: &mut [PointRow]) {
    let none = a[0].splat(0);
    let first = V::transpose(&[a[0], a[1], a[2], a[3], a[4], b[0], b[1], b[2]]);
    let second = V::transpose(&[b[3], b[4], c[0], c[1], c[2], c[3], c[4], d[0]]);
    let third = V::transpose(&[d[1], d[2], d[3], d[4], none, none, none, none]);
    for (lane, row) in rows.iter_mut().take(8).enumerate() {
        let words = row.as_flattened_mut();
        words[..8].copy_from_slice(&first[lane].to_array());
        words[8..16].copy_from_slice(&second[lane].to_array());
        words[16..].copy_from_slice(&third[lane].to_array()[..4]);
    }
}

/// The block for each of eight rows. A macro, because a loop that is not unrolled before a program is optimised as a whole fills
/// its vectors in memory.
macro_rules! for_each_row {
    ($row:ident, $block:block) => {
        for_each_row!($row, $block, 0 1 2 3 4 5 6 7)
    };
    ($row:ident, $block:block, $($n:literal)*) => {
        $({
            let $row = $n;
            $block
        })*
    };
}

/// Lane i is row i.
#[inline(always)]
fn load_points(token: Ifma, rows: &[&PointRow; 8]) -> [[V; 5]; 4] {
    let (mut first, mut second, mut third) =
        ([V::zero(token); 8], [V::zero(token); 8], [V::zero(token); 8]);
    for_each_row!(lane, {
        let [p, q, r, s, t] = *rows[lane];
        first[lane] = V::from_array(token, [p[0], p[1], p[2], p[3], q[0], q[1], q[2], q[3]]);
        second[lane] = V::from_array(token, [r[0], r[1], r[2], r[3], s[0], s[1], s[2], s[3]]);
        third[lane] = V::from_array(token, [t[0], t[1], t[2], t[3], 0, 0, 0, 0]);
    });
    let [a0, a1, a2, a3, a4, b0, b1, b2] = V::transpose(&first);
    let [b3, b4, c0, c1, c2, c3, c4, d0] = V::transpose(&second);
    let [d1, d2, d3, d4, ..] = V::transpose(&third);
    [[a0, a1, a2, a3, a4], [b0, b1, b2, b3, b4], [c0, c1, c2, c3, c4], [d0, d1, d2, d3, d4]]
}

/// As [`SecretLanes::select_signed`], each table for the lanes of its mask.
#[inline(always)]
fn select_signed<const N: usize>(
    token: Ifma,
    tables: &[(&Entries, u8); N],
    windows: &[u64; 8],
) -> ([Fe; 3], u8) {
    let digits = V::from_array(token, *windows) - V::all(token, 16);
    let is_zero = digits.zeros();
    // entry 1 is the first
    let index = digits.magnitude() - V::all(token, 1);
    let one = V::select(is_zero, V::all(token, 1), V::zero(token));
    let mut values = [Fe([V::zero(token); 5]); 3];
    for (c, value) in values.iter_mut().enumerate() {
        let mut w = [
            if c < 2 { one } else { V::zero(token) },
            V::zero(token),
            V::zero(token),
            V::zero(token),
        ];
        for (table, lanes) in tables {
            for (i, word) in w.iter_mut().enumerate() {
                *word = *word | V::word_of_16(lanes & !is_zero, &table.0[4 * c + i], index);
            }
        }
        value.0 = limbs_of_words(&w);
    }
    (values, digits.top_bits())
}

// SAFETY: vectors of integers are all that a product consists of, with a token that the caller has.
#[allow(unsafe_code)]
unsafe impl PlainWith<Ifma> for Product {}

impl LaneField for Fe {
    const LANES: usize = crate::cpu::Backend::Ifma.lanes();
    type PerLane<T: Copy> = [T; 8];
    type OperandRow = OperandRow;
    type ProductRow = PointRow;

    #[inline(always)]
    fn store_operands([a, b, c, d]: &[Fe; 4], rows: &mut [OperandRow]) {
        let [a, b] = [packed(&clean(&a.0)), packed(&clean(&b.0))];
        let [c, d] = [packed(&clean(&c.0)), packed(&clean(&d.0))];
        let first = V::transpose(&[a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]]);
        let second = V::transpose(&[c[0], c[1], c[2], c[3], d[0], d[1], d[2], d[3]]);
        for (lane, row) in rows.iter_mut().take(8).enumerate() {
            *row = [first[lane].to_array(), second[lane].to_array()];
        }
    }

    #[inline(always)]
    fn load_operands_vartime(token: Ifma, rows: &[&OperandRow; 8]) -> [Fe; 4] {
        let (mut first, mut second) = ([V::zero(token); 8], [V::zero(token); 8]);
        for lane in 0..8 {
            let [ab, cd] = *rows[lane];
            (first[lane], second[lane]) = (V::from_array(token, ab), V::from_array(token, cd));
        }
        let (f, s) = (V::transpose(&first), V::transpose(&second));
        [
            Fe(limbs_of_packed(&[f[0], f[1], f[2], f[3]])),
            Fe(limbs_of_packed(&[f[4], f[5], f[6], f[7]])),
            Fe(limbs_of_packed(&[s[0], s[1], s[2], s[3]])),
            Fe(limbs_of_packed(&[s[4], s[5], s[6], s[7]])),
        ]
    }

    #[inline(always)]
    fn store_products([a, b, c, d]: &[Product; 4], rows: &mut [PointRow]) {
        store_points([&a.0, &b.0, &c.0, &d.0], rows);
    }

    #[inline(always)]
    fn load_products_vartime(token: Ifma, rows: &[&PointRow; 8]) -> [Product; 4] {
        let [a, b, c, d] = load_points(token, rows);
        [Product(a), Product(b), Product(c), Product(d)]
    }

    #[inline(always)]
    fn load_words_vartime(token: Ifma, entries: &[&[[u64; 4]; 3]; 8]) -> [Fe; 3] {
        let (mut low, mut high) = ([V::zero(token); 8], [V::zero(token); 8]);
        for lane in 0..8 {
            let [a, b, c] = *entries[lane];
            low[lane] = V::from_array(token, [a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]]);
            high[lane] = V::from_array(token, [c[0], c[1], c[2], c[3], 0, 0, 0, 0]);
        }
        let (l, h) = (V::transpose(&low), V::transpose(&high));
        [
            Fe(limbs_of_words(&[l[0], l[1], l[2], l[3]])),
            Fe(limbs_of_words(&[l[4], l[5], l[6], l[7]])),
            Fe(limbs_of_words(&[h[0], h[1], h[2], h[3]])),
        ]
    }

    #[inline(always)]
    fn negate_where(mask: u8, product: &Product) -> Fe {
        Fe(carry(negated_where(mask, &product.0)))
    }

    #[inline(always)]
    fn sum_and_difference(swap: u8, a: &Product, b: &Product) -> [Fe; 2] {
        let b = negated_where(swap, &b.0);
        [Fe(carry(a.0.plus(&b))), Fe(carry(a.0.minus_sum(&b)))]
    }

    #[inline(always)]
    fn store_rows([a, b, c]: &[Fe; 3], rows: &mut [Row]) {
        let low = V::transpose(&[a.0[0], a.0[1], a.0[2], a.0[3], a.0[4], b.0[0], b.0[1], b.0[2]]);
        let high = V::transpose(&[
            b.0[3],
            b.0[4],
            c.0[0],
            c.0[1],
            c.0[2],
            c.0[3],
            c.0[4],
            c.0[4].splat(0),
        ]);
        for (lane, [first, second]) in rows.iter_mut().take(8).enumerate() {
            (first.0, second.0) = (low[lane].to_array(), high[lane].to_array());
        }
    }

    #[inline(always)]
    fn load_rows_vartime(token: Ifma, rows: &[Row], index: &[u32; 8]) -> [Fe; 3] {
        let (mut low, mut high) = ([V::zero(token); 8], [V::zero(token); 8]);
        for_each_row!(lane, {
            if let Some([first, second]) = rows.get(index[lane] as usize) {
                (low[lane], high[lane]) =
                    (V::from_array(token, first.0), V::from_array(token, second.0));
            }
        });
        let (l, h) = (V::transpose(&low), V::transpose(&high));
        [
            Fe([l[0], l[1], l[2], l[3], l[4]]),
            Fe([l[5], l[6], l[7], h[0], h[1]]),
            Fe([h[2], h[3], h[4], h[5], h[6]]),
        ]
    }
}

impl SecretLanes for Fe {
    #[inline(always)]
    fn select_signed(token: Ifma, table: &Entries, windows: &[u64; 8]) -> ([Fe; 3], u8) {
        select_signed(token, &[(table, 0xff)], windows)
    }

    #[inline(always)]
    fn select_signed_of_four(
        token: Ifma,
        [a, b, c, d]: [&Entries; 4],
        windows: &[u64; 8],
    ) -> ([Fe; 3], u8) {
        select_signed(token, &[(a, 0x11), (b, 0x22), (c, 0x44), (d, 0x88)], windows)
    }

    #[inline(always)]
    fn arrange<const FROM: i32>(product: &Product) -> Product {
        let a = &product.0;
        Product(each!(|k| a[k].permute_halves::<FROM>()))
    }
}
