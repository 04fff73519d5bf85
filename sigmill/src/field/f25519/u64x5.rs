//! GF(2^255 − 19), one lane, portable 64-bit: the reference that other backends are compared to.
//!
//! Representation: five 64-bit limbs, radix 2^51; (a0..a4) is a0 + a1·2^51 + … + a4·2^204.
//!
//! Bounds (every limb at most):
//!
//! | type | maximum | made by |
//! |---|---|---|
//! | `Product` | `PRODUCT_MAX` = 2^51 + 2^13 | `mul`, `square`, `widen` |
//! | (two products) | `SUM_MAX` = 3·2^51 + 2^13 | `plus`; `minus`, which adds 2p first |
//! | `Fe` | `OPERAND_MAX` = 2^54 − 1 | anything above as it is; `plus`; `minus_sum`, which adds 4p first |
//!
//! `mul` takes limbs up to `OPERAND_MAX`, so sums are not carried.
//!
//! All operations are constant time.

use super::super::{Algebra, Columns, Field, sum_of_columns};
use crate::ct::Mask;
use crate::modular;
use crate::simd::Proven;
use crate::word;

pub(super) const NAME: &str = "u64x5";

/// An operand: limbs at most `OPERAND_MAX`.
#[derive(Clone, Copy)]
pub(crate) struct Fe([u64; 5]);

/// One product: limbs at most `PRODUCT_MAX`.
#[derive(Clone, Copy)]
pub(crate) struct Product([u64; 5]);

const LOW_51: u64 = (1 << 51) - 1;
const PRODUCT_MAX: u64 = (1 << 51) + (1 << 13);
const SUM_MAX: u64 = 3 * (1 << 51) + (1 << 13);
const OPERAND_MAX: u64 = (1 << 54) - 1;
/// 2p and 4p in limbs that no product, and no sum, exceeds.
const TWO_P: [u64; 5] = multiple_of_p(2);
const FOUR_P: [u64; 5] = multiple_of_p(4);

const fn multiple_of_p(n: u64) -> [u64; 5] {
    [n * (LOW_51 - 18), n * LOW_51, n * LOW_51, n * LOW_51, n * LOW_51]
}

// Every inequality that the arithmetic below relies on.
const _: () = {
    // sums stay in their type, and subtraction never goes below zero
    assert!(2 * PRODUCT_MAX <= SUM_MAX);
    assert!(TWO_P[0] >= PRODUCT_MAX && TWO_P[1] >= PRODUCT_MAX);
    assert!(PRODUCT_MAX + TWO_P[1] <= SUM_MAX);
    assert!(FOUR_P[0] >= SUM_MAX && FOUR_P[1] >= SUM_MAX);
    assert!(SUM_MAX + FOUR_P[1] <= OPERAND_MAX);
    assert!(2 * SUM_MAX <= OPERAND_MAX && PRODUCT_MAX <= SUM_MAX);
    // mul: the factor 19·b fits a word; a column is at most 1 + 4·19 products and the carry from
    // the column before, and its own carry fits a word
    assert!(19 * (OPERAND_MAX as u128) < 1 << 64);
    let product = (OPERAND_MAX as u128) * (OPERAND_MAX as u128);
    let column = 77 * product + (1 << 64);
    assert!(column >> 51 < 1 << 64);
    // the last column has no factor 19; its carry times 19, with limb 0, fits a word
    let last = 5 * product + (1 << 64);
    assert!((last >> 51) * 19 + (LOW_51 as u128) < 1 << 64);
    assert!(
        (((last >> 51) * 19 + (LOW_51 as u128)) >> 51) + (LOW_51 as u128) <= PRODUCT_MAX as u128
    );
    // widen: one carry of an operand
    assert!(LOW_51 + 19 * (OPERAND_MAX >> 51) <= PRODUCT_MAX);
};

#[inline(always)]
fn wide(a: u64, b: u64) -> u128 {
    u128::from(a) * u128::from(b)
}

/// Carries five columns of a product into limbs.
#[inline(always)]
fn carry_columns(mut c: [u128; 5]) -> Product {
    let mut limbs = [0; 5];
    for i in 0..4 {
        limbs[i] = c[i] as u64 & LOW_51;
        c[i + 1] += c[i] >> 51;
    }
    limbs[4] = c[4] as u64 & LOW_51;
    limbs[0] += 19 * (c[4] >> 51) as u64;
    limbs[1] += limbs[0] >> 51;
    limbs[0] &= LOW_51;
    Product(limbs)
}

impl Fe {
    /// Each limb below 2^51 plus a little: one parallel carry.
    #[inline(always)]
    fn weak_carry(&self) -> [u64; 5] {
        let a = &self.0;
        [
            (a[0] & LOW_51) + 19 * (a[4] >> 51),
            (a[1] & LOW_51) + (a[0] >> 51),
            (a[2] & LOW_51) + (a[1] >> 51),
            (a[3] & LOW_51) + (a[2] >> 51),
            (a[4] & LOW_51) + (a[3] >> 51),
        ]
    }

    /// The residue below p, as limbs below 2^51.
    #[inline(always)]
    fn canonical(&self) -> [u64; 5] {
        let mut a = self.weak_carry(); // below 2^255 + 2^206, hence below 2p
        // q = 1 exactly if a ≥ p: then a + 19 reaches 2^255.
        let q = a.iter().fold(19, |carry, limb| (limb + carry) >> 51);
        a[0] += 19 * q;
        for i in 0..4 {
            a[i + 1] += a[i] >> 51;
            a[i] &= LOW_51;
        }
        a[4] &= LOW_51; // drops q·2^255
        a
    }
}

impl Columns for [u64; 5] {
    const ROOM: i32 = 6;

    #[inline(always)]
    fn carried(&self) -> Self {
        Fe(*self).weak_carry()
    }

    #[inline(always)]
    fn plus(&self, other: &Self) -> Self {
        core::array::from_fn(|i| self[i] + other[i])
    }

    #[inline(always)]
    fn minus(&self, other: &Self) -> Self {
        core::array::from_fn(|i| self[i] + TWO_P[i] - other[i])
    }

    #[inline(always)]
    fn minus_sum(&self, other: &Self) -> Self {
        core::array::from_fn(|i| self[i] + FOUR_P[i] - other[i])
    }
}

impl Proven for Fe {
    type Token = ();
}

impl Algebra for Fe {
    type Product = Product;

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn mul(&self, other: &Fe) -> Product {
        let (a, b) = (&self.0, &other.0);
        debug_assert!(a.iter().chain(b).all(|limb| *limb <= OPERAND_MAX));
        // 2^255 = 19 (mod p): the upper half of the schoolbook product folds down times 19.
        let b19 = [0, 19 * b[1], 19 * b[2], 19 * b[3], 19 * b[4]];
        carry_columns([
            wide(a[0], b[0])
                + wide(a[4], b19[1])
                + wide(a[3], b19[2])
                + wide(a[2], b19[3])
                + wide(a[1], b19[4]),
            wide(a[1], b[0])
                + wide(a[0], b[1])
                + wide(a[4], b19[2])
                + wide(a[3], b19[3])
                + wide(a[2], b19[4]),
            wide(a[2], b[0])
                + wide(a[1], b[1])
                + wide(a[0], b[2])
                + wide(a[4], b19[3])
                + wide(a[3], b19[4]),
            wide(a[3], b[0])
                + wide(a[2], b[1])
                + wide(a[1], b[2])
                + wide(a[0], b[3])
                + wide(a[4], b19[4]),
            wide(a[4], b[0])
                + wide(a[3], b[1])
                + wide(a[2], b[2])
                + wide(a[1], b[3])
                + wide(a[0], b[4]),
        ])
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn square(&self) -> Product {
        let a = &self.0;
        debug_assert!(a.iter().all(|limb| *limb <= OPERAND_MAX));
        let (a3_19, a4_19) = (19 * a[3], 19 * a[4]);
        carry_columns([
            wide(a[0], a[0]) + 2 * (wide(a[1], a4_19) + wide(a[2], a3_19)),
            wide(a[3], a3_19) + 2 * (wide(a[0], a[1]) + wide(a[2], a4_19)),
            wide(a[1], a[1]) + 2 * (wide(a[0], a[2]) + wide(a[4], a3_19)),
            wide(a[4], a4_19) + 2 * (wide(a[0], a[3]) + wide(a[1], a[2])),
            wide(a[2], a[2]) + 2 * (wide(a[0], a[4]) + wide(a[1], a[3])),
        ])
    }

    #[inline(always)]
    fn widen(&self) -> Product {
        Product(self.weak_carry())
    }

    #[inline(always)]
    fn sum<const A: i32, const B: i32, const C: i32>(a: &Product, b: &Product, c: &Product) -> Fe {
        Fe(sum_of_columns::<_, A, B, C>(&a.0, &b.0, &c.0))
    }
}

impl Field for Fe {
    type Mask = Mask;
    type Bytes = [u8; 32];

    #[inline(always)]
    fn token(&self) {}

    #[inline(always)]
    fn splat((): (), w: &[u64; 4]) -> Fe {
        debug_assert!(w[3] >> 63 == 0);
        Fe([
            w[0] & LOW_51,
            (w[0] >> 51 | w[1] << 13) & LOW_51,
            (w[1] >> 38 | w[2] << 26) & LOW_51,
            (w[2] >> 25 | w[3] << 39) & LOW_51,
            w[3] >> 12,
        ])
    }

    #[inline(always)]
    fn from_bytes((): (), bytes: &[u8; 32]) -> Fe {
        let mut words = word::load_le(bytes);
        words[3] &= (1 << 63) - 1;
        Fe::splat((), &words)
    }

    #[inline(always)]
    fn to_bytes(&self, top_bit: Mask) -> [u8; 32] {
        let a = self.canonical();
        word::store_le(&[
            a[0] | a[1] << 51,
            a[1] >> 13 | a[2] << 38,
            a[2] >> 26 | a[3] << 25,
            a[3] >> 39 | a[4] << 12 | top_bit.word() << 63,
        ])
    }

    #[inline(always)]
    fn top_bit((): (), bytes: &[u8; 32]) -> Mask {
        Mask::from_bit(u64::from(bytes[31] >> 7))
    }

    #[inline(always)]
    fn is_reduced((): (), bytes: &[u8; 32]) -> Mask {
        super::is_below_p(bytes)
    }

    /// Two chains at once: each waits for itself, and there is room for the other.
    #[inline(never)]
    fn square_times(elements: &mut [Fe], n: u32) {
        let (pairs, rest) = elements.as_chunks_mut::<2>();
        for pair in pairs {
            for _ in 0..n {
                *pair = pair.map(|a| Fe::times::<1>(&a.square()));
            }
        }
        for a in rest {
            *a = (0..n).fold(*a, |a, _| Fe::times::<1>(&a.square()));
        }
    }

    #[inline(always)]
    fn mul_small(&self, n: u32) -> Product {
        debug_assert!(n >> 17 == 0);
        carry_columns(core::array::from_fn(|i| wide(self.0[i], u64::from(n))))
    }

    #[inline(always)]
    fn twice_product(
        _: (&Fe, &Fe),
        (x, y): (&Product, &Product),
        (xx, yy): (&Product, &Product),
    ) -> Fe {
        let square = Fe::sum_of_two::<1, 1>(x, y).square();
        Fe::sum::<1, -1, -1>(&square, yy, xx)
    }

    #[inline(always)]
    fn select(mask: Mask, if_true: &Fe, if_false: &Fe) -> Fe {
        Fe(core::array::from_fn(|i| mask.select(if_true.0[i], if_false.0[i])))
    }

    #[inline(always)]
    fn equal(&self, other: &Fe) -> Mask {
        let (a, b) = (self.canonical(), other.canonical());
        Mask::is_zero(a.iter().zip(&b).fold(0, |acc, (x, y)| acc | (x ^ y)))
    }

    #[inline(always)]
    fn is_zero(&self) -> Mask {
        Mask::is_zero(self.canonical().iter().fold(0, |acc, limb| acc | limb))
    }

    #[inline(always)]
    fn is_odd(&self) -> Mask {
        Mask::from_bit(self.canonical()[0] & 1)
    }

    /// By division steps, in half the time of a power.
    #[inline(never)]
    fn invert(&self) -> Fe {
        let words = word::load_le(&self.to_bytes(Mask::from_bit(0)));
        Fe::from_bytes((), &word::store_le(&modular::inverse(&words, &super::P)))
    }
}

#[cfg(test)]
impl super::tests::Inspect for Fe {
    const OFFSETS: &[usize] = &[0, 51, 102, 153, 204];

    fn available() -> Option<()> {
        Some(())
    }

    fn limit(kind: super::tests::Kind, _: usize) -> u64 {
        match kind {
            super::tests::Kind::Product => PRODUCT_MAX,
            super::tests::Kind::Operand => OPERAND_MAX,
        }
    }

    fn operand((): (), limbs: &[u64]) -> Fe {
        Fe(core::array::from_fn(|i| limbs[i]))
    }

    fn product((): (), limbs: &[u64]) -> Product {
        Product(core::array::from_fn(|i| limbs[i]))
    }

    fn of_operand(&self) -> std::vec::Vec<u64> {
        self.0.to_vec()
    }

    fn of_product(product: &Product) -> std::vec::Vec<u64> {
        product.0.to_vec()
    }
}
