//! GF(2^255 − 19), four lanes, vectors of 128 bits: NEON, and simd128 of WebAssembly.
//!
//! Representation: ten limbs of radix 2^25.5 (`columns`), each in a vector of its own with 32 bits a lane. A product of
//! two words has 64 bits, and an instruction makes two of them: those of lanes 0 and 1 or of lanes 2 and 3. So the columns of
//! two lanes are computed and carried, then those of the others (both together in `aarch64`), and become vectors of 32 bits again.
//!
//! Bounds, as multiples of 2^26 + `SLACK` for even and of 2^25 + `SLACK` for odd limbs:
//!
//! | type | multiple | made by |
//! |---|---|---|
//! | `Product` | 1 | `mul`, `square`, `widen` |
//! | `Fe` | 2 | a product, or the sum of two, as it is; any other `sum`, carried: below 2 and what was added, 2p or 4p |
//!
//! All operations are constant time but those that end in `_vartime`, whose addresses depend on
//! public indices.

#[cfg(sigmill_aarch64)]
mod aarch64;
mod limbs;
mod rows;
#[cfg(test)]
mod tests;

use super::super::field::{
    Entries, EntryLookup, Field, LaneField, PointRow, Row, SecretLanes, signed_entry,
};
use crate::field::algebra::{Algebra, sum_of_columns};
use crate::memory::PlainWith;
use crate::simd::Proven;
use crate::word::{load_le, store_le};
#[cfg(sigmill_aarch64)]
use aarch64::mul;
use core::array::from_fn;
use limbs::FOUR_P;
#[cfg(not(sigmill_aarch64))]
use limbs::mul;
use limbs::{
    Limbs, TWO_P, V, all_zero, limbs_of_words, mul_small, reduce, square, sub, weak_carry,
    words_of_limbs,
};
use rows::{limbs_of_rows, load_points, load_row_words, rows_of, store_points, store_row_words};

/// An operand.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Fe(Limbs);

/// One product.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Product(Limbs);

// Functions of their own: formulas that have a product inlined wherever they multiply outgrow the CPU's cache for
// instructions.
#[inline(never)]
fn outlined_mul(a: &Limbs, b: &Limbs) -> Limbs {
    mul(a, b)
}

#[inline(never)]
fn outlined_square(a: &Limbs) -> Limbs {
    square(a)
}

#[inline(never)]
fn canonical(a: &Limbs) -> Limbs {
    reduce(a)
}

impl Proven for Fe {
    type Token = ();
}

impl Algebra for Fe {
    type Product = Product;

    #[inline(always)]
    fn mul(&self, other: &Fe) -> Product {
        Product(outlined_mul(&self.0, &other.0))
    }

    #[inline(always)]
    fn square(&self) -> Product {
        Product(outlined_square(&self.0))
    }

    #[inline(always)]
    fn widen(&self) -> Product {
        Product(weak_carry(&self.0))
    }

    #[inline(always)]
    fn sum<const A: i32, const B: i32, const C: i32>(a: &Product, b: &Product, c: &Product) -> Fe {
        Fe(sum_of_columns::<_, A, B, C>(&a.0, &b.0, &c.0))
    }
}

impl Field for Fe {
    type Mask = u8;
    type Bytes = [[u8; 32]; 4];
    const SQUARES_ARE_CHEAPER: bool = true;

    #[inline(always)]
    fn token(&self) {}

    #[inline(always)]
    fn splat((): (), words: &[u64; 4]) -> Fe {
        let half = |i: usize| V::all((words[i / 2] >> (32 * (i % 2))) as u32);
        Fe(limbs_of_words(&from_fn(half)))
    }

    #[inline(always)]
    fn from_bytes((): (), bytes: &[[u8; 32]; 4]) -> Fe {
        let words = bytes.each_ref().map(load_le);
        Fe(limbs_of_rows(words.each_ref()))
    }

    #[inline(always)]
    fn to_bytes(&self, top_bit: u8) -> [[u8; 32]; 4] {
        let mut words = words_of_limbs(&canonical(&self.0));
        words[7] = words[7] | V::lanes_of(top_bit) & V::all(1 << 31);
        rows_of(words).map(|words| store_le(&words))
    }

    #[inline(always)]
    fn mul_small(&self, n: u32) -> Product {
        debug_assert!(n >> 17 == 0);
        Product(mul_small(&self.0, n))
    }

    #[inline(never)]
    fn square_times(elements: &mut [Fe], n: u32) {
        // in turn, so that none waits for itself
        for _ in 0..n {
            for a in elements.iter_mut() {
                a.0 = square(&a.0);
            }
        }
    }

    #[inline(never)]
    fn multiply(elements: &mut [Fe], factors: &[Fe]) {
        for (a, b) in elements.iter_mut().zip(factors) {
            a.0 = outlined_mul(&a.0, &b.0);
        }
    }

    #[inline(always)]
    fn select(mask: u8, if_true: &Fe, if_false: &Fe) -> Fe {
        let lanes = V::lanes_of(mask);
        Fe(from_fn(|i| if_false.0[i].or_where(lanes, if_true.0[i])))
    }

    #[inline(always)]
    fn equal(&self, other: &Fe) -> u8 {
        all_zero(&canonical(&sub(&self.0, &other.0, &FOUR_P)))
    }

    #[inline(always)]
    fn is_zero(&self) -> u8 {
        all_zero(&canonical(&self.0))
    }

    #[inline(always)]
    fn is_odd(&self) -> u8 {
        (V::all(0) - (canonical(&self.0)[0] & V::all(1))).bits()
    }
}

// SAFETY: a product is vectors of integers.
#[allow(unsafe_code)]
unsafe impl PlainWith<()> for Product {}

impl LaneField for Fe {
    const LANES: usize = crate::cpu::Backend::Simd128.lanes();
    type PerLane<T: Copy> = [T; 4];
    type OperandRow = PointRow;
    type ProductRow = PointRow;

    #[inline(always)]
    fn store_operands(values: &[Fe; 4], rows: &mut [PointRow]) {
        store_points(values.each_ref().map(|value| &value.0), rows);
    }

    #[inline(always)]
    fn load_operands_vartime((): (), rows: &[&PointRow; 4]) -> [Fe; 4] {
        load_points(rows).map(Fe)
    }

    #[inline(always)]
    fn store_products(values: &[Product; 4], rows: &mut [PointRow]) {
        store_points(values.each_ref().map(|value| &value.0), rows);
    }

    #[inline(always)]
    fn load_products_vartime((): (), rows: &[&PointRow; 4]) -> [Product; 4] {
        load_points(rows).map(Product)
    }

    #[inline(always)]
    fn load_words_vartime((): (), entries: &[&[[u64; 4]; 3]; 4]) -> [Fe; 3] {
        from_fn(|c| Fe(limbs_of_rows(entries.map(|entry| &entry[c]))))
    }

    #[inline(always)]
    fn negate_where(mask: u8, product: &Product) -> Fe {
        let (a, lanes) = (&product.0, V::lanes_of(mask));
        // no limb of 2p is below one of a product
        Fe(from_fn(|i| a[i].or_where(lanes, V::all(TWO_P[i]) - a[i])))
    }

    #[inline(always)]
    fn store_rows(values: &[Fe; 3], rows: &mut [Row]) {
        store_row_words(values.each_ref().map(|value| &value.0), rows);
    }

    #[inline(always)]
    fn load_rows_vartime((): (), rows: &[Row], index: &[u32; 4]) -> [Fe; 3] {
        load_row_words(rows, index).map(Fe)
    }
}

impl SecretLanes for Fe {
    #[inline(always)]
    fn select_signed((): (), table: &Entries, windows: &[u64; 4]) -> ([Fe; 3], u8) {
        let digits = V::from_array(windows.map(|window| window as u32)) - V::all(16);
        let sign = V::all(0) - digits.shift_right::<31>();
        let magnitude = (digits ^ sign) - sign;
        // (1, 1, 0) where the digit is 0
        let one = magnitude.equal_words(V::all(0)) & V::all(1);
        let mut words = [[V::all(0); 8]; 3];
        (words[0][0], words[1][0]) = (one, one);
        for entry in 0..16 {
            let is_it = magnitude.equal_words(V::all(entry as u32 + 1));
            let halves = words.as_flattened_mut().as_chunks_mut::<2>().0;
            for ([low, high], entries) in halves.iter_mut().zip(&table.0) {
                let word = entries[entry];
                *low = *low | is_it & V::all(word as u32);
                *high = *high | is_it & V::all((word >> 32) as u32);
            }
        }
        (words.map(|words| Fe(limbs_of_words(&words))), sign.bits())
    }

    #[inline(always)]
    fn arrange<const FROM: i32>(product: &Product) -> Product {
        let from = |lane: usize| (FROM >> (2 * lane) & 3) as usize;
        Product(product.0.map(|limb| {
            let words = limb.to_array();
            V::from_array([words[from(0)], words[from(1)], words[from(2)], words[from(3)]])
        }))
    }
}

impl EntryLookup for Fe {
    #[inline(always)]
    fn signed_entry((): (), table: &Entries, window: u64) -> [[u64; 4]; 3] {
        signed_entry(table, window)
    }
}
