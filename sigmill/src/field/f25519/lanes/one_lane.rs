//! The backend of single operations as a backend of one lane, so that lane algorithms run on every
//! target. Its instructions are always at hand.
//!
//! `unsafe`: points are plain data.

use super::super::field::{Entries, EntryLookup, Field, LaneField, Row, SecretLanes, signed_entry};
use super::super::words::Fe as Single;
use crate::ct::Mask;
use crate::field::algebra::Algebra;
use crate::memory::PlainWith;
use crate::simd::Proven;
use crate::word::load_le;

/// A value of the backend of single operations, whose products are functions of their own: formulas for
/// lanes are large and many, and with every product inlined their portable instances alone are a megabyte. On x86-64
/// the products of `u64x4` are functions already.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Fe(Single);

type Product = <Single as Algebra>::Product;

impl Default for Fe {
    #[inline(always)]
    fn default() -> Fe {
        Fe::splat((), &[0; 4])
    }
}

/// The residue in canonical words.
fn words(a: &Fe) -> [u64; 4] {
    load_le(&a.to_bytes(Mask::from_bit(0)))
}

impl Proven for Fe {
    type Token = ();
}

impl Algebra for Fe {
    type Product = Product;

    #[cfg_attr(target_arch = "x86_64", inline(always))]
    #[cfg_attr(not(target_arch = "x86_64"), inline(never))]
    fn mul(&self, other: &Fe) -> Product {
        self.0.mul(&other.0)
    }

    #[cfg_attr(target_arch = "x86_64", inline(always))]
    #[cfg_attr(not(target_arch = "x86_64"), inline(never))]
    fn square(&self) -> Product {
        self.0.square()
    }

    #[cfg_attr(target_arch = "x86_64", inline(always))]
    #[cfg_attr(not(target_arch = "x86_64"), inline(never))]
    fn mul_pair([a, b]: [&Fe; 2], [c, d]: [&Fe; 2]) -> [Product; 2] {
        Single::mul_pair([&a.0, &b.0], [&c.0, &d.0])
    }

    #[inline(always)]
    fn widen(&self) -> Product {
        self.0.widen()
    }

    #[inline(always)]
    fn sum<const A: i32, const B: i32, const C: i32>(a: &Product, b: &Product, c: &Product) -> Fe {
        Fe(Single::sum::<A, B, C>(a, b, c))
    }
}

impl Field for Fe {
    type Mask = Mask;
    type Bytes = [u8; 32];
    const SQUARES_ARE_CHEAPER: bool = Single::SQUARES_ARE_CHEAPER;

    #[inline(always)]
    fn token(&self) {}

    #[inline(always)]
    fn splat((): (), words: &[u64; 4]) -> Fe {
        Fe(Single::splat((), words))
    }

    #[inline(always)]
    fn from_bytes((): (), bytes: &[u8; 32]) -> Fe {
        Fe(Single::from_bytes((), bytes))
    }

    #[inline(never)]
    fn to_bytes(&self, top_bit: Mask) -> [u8; 32] {
        self.0.to_bytes(top_bit)
    }

    #[inline(never)]
    fn mul_small(&self, n: u32) -> Product {
        self.0.mul_small(n)
    }

    // what adds up buckets and multiples of the base point: the one formula whose products are inlined
    #[inline(always)]
    fn mul_three([a, b]: [&Fe; 2], [c, d]: [&Fe; 2], [e, f]: [&Fe; 2]) -> [Product; 3] {
        Single::mul_three([&a.0, &b.0], [&c.0, &d.0], [&e.0, &f.0])
    }

    #[cfg_attr(target_arch = "x86_64", inline(always))]
    #[cfg_attr(not(target_arch = "x86_64"), inline(never))]
    fn mul_crosswise(a: &Fe, b: &Fe, c: &Fe, d: &Fe) -> [Product; 4] {
        Single::mul_crosswise(&a.0, &b.0, &c.0, &d.0)
    }

    #[inline(never)]
    fn square_times(elements: &mut [Fe], n: u32) {
        for a in elements {
            Single::square_times(core::slice::from_mut(&mut a.0), n);
        }
    }

    #[inline(never)]
    fn multiply(elements: &mut [Fe], factors: &[Fe]) {
        for (a, b) in elements.iter_mut().zip(factors) {
            a.0 = Single::times::<1>(&a.0.mul(&b.0));
        }
    }

    #[inline(always)]
    fn select(mask: Mask, if_true: &Fe, if_false: &Fe) -> Fe {
        Fe(Single::select(mask, &if_true.0, &if_false.0))
    }

    #[inline(never)]
    fn equal(&self, other: &Fe) -> Mask {
        self.0.equal(&other.0)
    }

    #[inline(never)]
    fn is_zero(&self) -> Mask {
        self.0.is_zero()
    }

    #[inline(never)]
    fn is_odd(&self) -> Mask {
        self.0.is_odd()
    }
}

// SAFETY: a product of each backend in words is an array of integers.
#[allow(unsafe_code)]
unsafe impl PlainWith<()> for Product {}
// SAFETY: a product of each backend in words is an array of integers, and four of them have no padding.
#[allow(unsafe_code)]
unsafe impl PlainWith<()> for [Product; 4] {}

impl LaneField for Fe {
    const LANES: usize = 1;
    type PerLane<T: Copy> = [T; 1];
    type OperandRow = [Fe; 4];
    type ProductRow = [Product; 4];

    #[inline(always)]
    fn store_operands(values: &[Fe; 4], rows: &mut [[Fe; 4]]) {
        if let Some(row) = rows.first_mut() {
            *row = *values;
        }
    }

    #[inline(always)]
    fn load_operands_vartime((): (), [row]: &[&[Fe; 4]; 1]) -> [Fe; 4] {
        **row
    }

    #[inline(always)]
    fn store_products(values: &[Product; 4], rows: &mut [[Product; 4]]) {
        if let Some(row) = rows.first_mut() {
            *row = *values;
        }
    }

    #[inline(always)]
    fn load_products_vartime((): (), [row]: &[&[Product; 4]; 1]) -> [Product; 4] {
        **row
    }

    #[inline(always)]
    fn load_words_vartime((): (), [entry]: &[&[[u64; 4]; 3]; 1]) -> [Fe; 3] {
        let [a, b, c] = entry;
        [Fe::splat((), a), Fe::splat((), b), Fe::splat((), c)]
    }

    #[inline(always)]
    fn store_rows(values: &[Fe; 3], rows: &mut [Row]) {
        let Some([first, second]) = rows.first_mut() else { return };
        let [a, b, c] = [words(&values[0]), words(&values[1]), words(&values[2])];
        first.0[..4].copy_from_slice(&a);
        first.0[4..].copy_from_slice(&b);
        second.0[..4].copy_from_slice(&c);
    }

    #[inline(always)]
    fn load_rows_vartime((): (), rows: &[Row], [index]: &[u32; 1]) -> [Fe; 3] {
        let [first, second] = &rows[(*index as usize).min(rows.len() - 1)];
        let [a, b, c, d, e, f, g, h] = first.0;
        let [i, j, k, l, ..] = second.0;
        [Fe::splat((), &[a, b, c, d]), Fe::splat((), &[e, f, g, h]), Fe::splat((), &[i, j, k, l])]
    }
}

impl SecretLanes for Fe {
    #[inline(always)]
    fn select_signed((): (), table: &Entries, [window]: &[u64; 1]) -> ([Fe; 3], Mask) {
        let digit = window.wrapping_sub(16);
        let negative = Mask::from_bit(digit >> 63);
        let magnitude = negative.select(digit.wrapping_neg(), digit);
        // (1, 1, 0) where the digit is 0
        let one = Mask::is_zero(magnitude).word() & 1;
        let mut words = [0; 12];
        (words[0], words[4]) = (one, one);
        for entry in 0..16 {
            let is_it = Mask::is_zero(magnitude ^ (entry as u64 + 1)).word();
            for (word, entries) in words.iter_mut().zip(&table.0) {
                *word |= entries[entry] & is_it;
            }
        }
        let [a, b, c, d, e, f, g, h, i, j, k, l] = words;
        let values = [
            Fe::splat((), &[a, b, c, d]),
            Fe::splat((), &[e, f, g, h]),
            Fe::splat((), &[i, j, k, l]),
        ];
        (values, negative)
    }

    #[inline(always)]
    fn arrange<const FROM: i32>(product: &Product) -> Product {
        if FROM & 3 == 0 { *product } else { Fe::splat((), &[0; 4]).widen() }
    }
}

impl EntryLookup for Fe {
    #[inline(always)]
    fn signed_entry((): (), table: &Entries, window: u64) -> [[u64; 4]; 3] {
        signed_entry(table, window)
    }
}
