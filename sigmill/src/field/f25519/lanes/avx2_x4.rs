//! GF(2^255 − 19), four lanes, AVX2.
//!
//! Representation: ten limbs of radix 2^25.5, as in `u32x10`: limb i stands at bit ⌈25.5·i⌉, the even
//! limbs have 26 bits and the odd ones 25. They are kept as five pairs: vector k holds limb 2k in the
//! low half of each 64-bit lane and limb 2k + 1 in the high half. VPMULUDQ multiplies low halves and
//! does not see the high ones, so that a pair is its even limb as it is and its odd limb after one
//! shift.
//!
//! A product is three products of five limbs (Karatsuba): with a = E(Y) + 2^26·O(Y), Y = 2^51, and b
//! likewise,
//! a·b = E·E' + 2Y·O·O' + 2^26·((E + O)(E' + O') − E·E' − O·O'), and Y^5 = 19.
//! Its columns are carried at once, in registers. Sums and differences are then those of pairs: half
//! as many instructions as on columns, and half the memory.
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
//!

mod limbs;
#[cfg(test)]
mod tests;

use super::super::field::{
    Entries, EntryLookup, Field, LaneField, PointRow, Row, SecretLanes, negated_where,
};
use super::avx2_rows::{
    columns_of, four_lanes, load_points, load_row_words, rows_of, store_points, store_row_words,
    words_of_bytes,
};
use crate::cpu::Avx2;
use crate::field::algebra::{Algebra, sum_of_columns};
use crate::memory::PlainWith;
use crate::simd::Proven;
use crate::simd::avx2::avx2_functions;
use crate::simd::each;
use limbs::{
    Columns, FOUR_P, Limbs, TWO_P, V, all_zero, carry, limbs_of_words, mul, odd_limbs, reduce,
    square, sub, weak_carry,
};

/// An operand.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Fe(Limbs);

/// One product.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Product(Limbs);

// Functions of their own: formulas that have a product inlined wherever they multiply outgrow the CPU's cache for
// instructions, and take twice as long.
avx2_functions! { never
    fn outlined_mul(a: &Limbs, b: &Limbs) -> Limbs { mul(a, b) }

    fn outlined_square(a: &Limbs) -> Limbs { square(a) }

    fn canonical(a: &Limbs) -> Columns { reduce(a) }

    /// Multiplies each element by its factor.
    fn multiply_each(elements: &mut [Fe], factors: &[Fe]) {
        for (a, b) in elements.iter_mut().zip(factors) {
            a.0 = mul(&a.0, &b.0);
        }
    }

    /// Squares each element n times, in turn, so that none waits for itself.
    fn repeat_squares(elements: &mut [Fe], n: u32) {
        for _ in 0..n {
            for a in elements.iter_mut() {
                a.0 = square(&a.0);
            }
        }
    }
}

impl Proven for Fe {
    type Token = Avx2;
}

impl Algebra for Fe {
    four_lanes!(Algebra);

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
    four_lanes!(Field);

    const SQUARES_ARE_CHEAPER: bool = true;

    #[inline(always)]
    fn to_bytes(&self, top_bit: u8) -> [[u8; 32]; 4] {
        let a = canonical(&self.0);
        let top = V::lanes_of(a[0].token(), top_bit) & a[0].splat(1 << 63);
        let words = rows_of(
            a[0] | a[1].shift_left::<26>() | a[2].shift_left::<51>(),
            a[2].shift_right::<13>() | a[3].shift_left::<13>() | a[4].shift_left::<38>(),
            a[5] | a[6].shift_left::<25>() | a[7].shift_left::<51>(),
            a[7].shift_right::<13>() | a[8].shift_left::<12>() | a[9].shift_left::<38>() | top,
        );
        words.map(|words| crate::word::store_le(&words))
    }

    #[inline(always)]
    fn mul_small(&self, n: u32) -> Product {
        debug_assert!(n >> 17 == 0);
        let (a, odd, n) = (&self.0, odd_limbs(&self.0), self.0[0].splat(u64::from(n)));
        let (even, odd) = (each!(|k| a[k].times(n)), each!(|k| odd[k].times(n)));
        let [a, c, e, g, i] = even;
        let [b, d, f, h, j] = odd;
        Product(carry([a, b, c, d, e, f, g, h, i, j]))
    }

    #[inline(always)]
    fn equal(&self, other: &Fe) -> u8 {
        all_zero(&canonical(&sub(&self.0, &other.0, &FOUR_P)))
    }
}

/// Of sixteen words the one whose mask is set, or 0, in four parts.
#[inline(always)]
fn parts_of_entry(words: &[u64; 16], masks: &[V; 4]) -> V {
    let quarter = |i: usize| [words[4 * i], words[4 * i + 1], words[4 * i + 2], words[4 * i + 3]];
    let mask = masks[0];
    let (first, second) = (mask.words(quarter(0)), mask.words(quarter(1)));
    let (third, fourth) = (mask.words(quarter(2)), mask.words(quarter(3)));
    masks[0] & first | masks[1] & second | masks[2] & third | masks[3] & fourth
}

/// The same of four words of each entry, in a lane each.
#[inline(always)]
fn joined([a, b, c, d]: [&[u64; 16]; 4], masks: &[V; 4]) -> V {
    let (a, b) = (parts_of_entry(a, masks), parts_of_entry(b, masks));
    let (c, d) = (parts_of_entry(c, masks), parts_of_entry(d, masks));
    // one part at most is not 0
    let (low, high) = (a.even_words(b) | a.odd_words(b), c.even_words(d) | c.odd_words(d));
    low.lower_halves(high) | low.upper_halves(high)
}

// SAFETY: vectors of integers are all that a product consists of, with a token that the caller has.
#[allow(unsafe_code)]
unsafe impl PlainWith<Avx2> for Product {}

impl LaneField for Fe {
    four_lanes!(LaneField);

    #[inline(always)]
    fn negate_where(mask: u8, product: &Product) -> Fe {
        let a = &product.0;
        let lanes = V::lanes_of(a[0].token(), mask);
        // no limb of 2p is below one of a product
        let b = each!(|k| lanes.splat(TWO_P[k]).minus_pairs(a[k]));
        Fe(each!(|k| a[k].or_where(lanes, b[k])))
    }
}

impl SecretLanes for Fe {
    #[inline(always)]
    fn select_signed(token: Avx2, table: &Entries, windows: &[u64; 4]) -> ([Fe; 3], u8) {
        let digits = V::from_array(token, *windows) - V::all(token, 16);
        let negative = digits.top_bits();
        let sign = V::zero(token) - digits.shift_right::<63>();
        let magnitude = (digits ^ sign) - sign;
        // (1, 1, 0) where the digit is 0
        let one = magnitude.equal_words(V::zero(token)) & V::all(token, 1);
        let mut words = [V::zero(token); 12];
        (words[0], words[4]) = (one, one);
        for entry in 0..16 {
            let is_it = magnitude.equal_words(V::all(token, entry as u64 + 1));
            for (word, entries) in words.iter_mut().zip(&table.0) {
                *word = *word | is_it & V::all(token, entries[entry]);
            }
        }
        let [a, b, c, d, e, f, g, h, i, j, k, l] = words;
        let values = [
            Fe(limbs_of_words(&[a, b, c, d])),
            Fe(limbs_of_words(&[e, f, g, h])),
            Fe(limbs_of_words(&[i, j, k, l])),
        ];
        (values, negative)
    }

    #[inline(always)]
    fn arrange<const FROM: i32>(product: &Product) -> Product {
        let a = &product.0;
        Product(each!(|k| a[k].permute_words::<FROM>()))
    }
}

impl EntryLookup for Fe {
    #[inline(always)]
    fn signed_entry(token: Avx2, table: &Entries, window: u64) -> [[u64; 4]; 3] {
        let digit = V::all(token, window) - V::all(token, 16);
        let negative = V::zero(token) - digit.shift_right::<63>();
        let magnitude = (digit ^ negative) - negative;
        let masks = [
            magnitude.equal_words(V::from_array(token, [1, 2, 3, 4])),
            magnitude.equal_words(V::from_array(token, [5, 6, 7, 8])),
            magnitude.equal_words(V::from_array(token, [9, 10, 11, 12])),
            magnitude.equal_words(V::from_array(token, [13, 14, 15, 16])),
        ];
        let [a, b, c, d, e, f, g, h, i, j, k, l] = &table.0;
        // (1, 1, 0) where the digit is 0
        let one = magnitude.equal_words(V::zero(token)) & V::from_array(token, [1, 0, 0, 0]);
        let (y_plus_x, y_minus_x) =
            (joined([a, b, c, d], &masks) | one, joined([e, f, g, h], &masks) | one);
        let difference = (y_plus_x ^ y_minus_x) & negative;
        let [mask, ..] = negative.to_array();
        [
            (y_plus_x ^ difference).to_array(),
            (y_minus_x ^ difference).to_array(),
            negated_where(mask, (joined([i, j, k, l], &masks) ^ negative).to_array()),
        ]
    }
}
