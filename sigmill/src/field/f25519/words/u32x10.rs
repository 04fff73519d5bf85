//! GF(2^255 − 19), one lane, portable 32-bit: products of 32-bit words only.
//!
//! Representation: ten 32-bit limbs, radix 2^25.5; limb i stands at bit ⌈25.5·i⌉, so the even limbs
//! have 26 bits and the odd ones 25 (Bernstein, Curve25519, 2006, section 4).
//!
//! Bounds, as multiples of 2^26 for even and of 2^25 for odd limbs, plus `SLACK` each:
//!
//! | type | multiple | made by |
//! |---|---|---|
//! | `Product` | 1 | `mul`, `square`, `widen` |
//! | (two products) | 3 | `plus`; `minus`, which adds 2p first |
//! | `Fe` | 3 | a product, or `sum` up to three, as it is; any other `sum`, carried: below 3 and 4p |
//!
//! All operations are constant time where 32-bit products are. On wasm32 products are functions: inlined they would
//! take a kilobyte each, and no less time.

use super::super::field::Field;
use crate::ct::Mask;
use crate::field::algebra::{Algebra, Columns, sum_of_columns};
use crate::simd::Proven;
use crate::word;
use core::num::Wrapping;

type Limbs = [u32; 10];

pub(in crate::field::f25519) const NAME: &str = "u32x10";

/// An operand: limbs at most 3 units, each with `SLACK`.
#[derive(Clone, Copy)]
pub(crate) struct Fe(Limbs);

/// One product: limbs at most 1 unit and `SLACK`.
#[derive(Clone, Copy)]
pub(crate) struct Product(Limbs);

/// The bit at which each limb begins.
const OFFSET: [usize; 10] = [0, 26, 51, 77, 102, 128, 153, 179, 204, 230];
const SLACK: u32 = 1 << 17;
/// 2p and 4p in limbs that no product, and no sum, exceeds.
const TWO_P: Limbs = multiple_of_p(2);
const FOUR_P: Limbs = multiple_of_p(4);

/// Bits of limb i.
const fn bits(i: usize) -> u32 {
    26 - (i as u32 & 1)
}

const fn low(i: usize) -> u32 {
    (1 << bits(i)) - 1
}

/// The largest limb i of `units` units.
const fn limit(units: u32, i: usize) -> u32 {
    units * ((1 << bits(i)) + SLACK)
}

const fn multiple_of_p(n: u32) -> Limbs {
    let mut limbs = [0; 10];
    let mut i = 0;
    while i < 10 {
        limbs[i] = n * low(i);
        i += 1;
    }
    limbs[0] -= n * 18;
    limbs
}

// Every inequality that the arithmetic below relies on.
const _: () = {
    let mut i = 0;
    while i < 10 {
        // sums stay in their type, and subtraction never goes below zero
        assert!(2 * (limit(1, i) as u64) <= limit(3, i) as u64);
        assert!(TWO_P[i] >= limit(1, i) && FOUR_P[i] >= limit(3, i));
        assert!(limit(1, i) as u64 + TWO_P[i] as u64 <= limit(3, i) as u64);
        // what a sum carries fits a word, and leaves a product
        assert!((limit(3, i) as u64 + FOUR_P[i] as u64) < 1 << 32);
        assert!(19 * ((limit(3, i) + FOUR_P[i]) >> 25) <= SLACK);
        // twice an odd limb and 19 times a limb fit a word
        assert!(19 * (limit(3, i) as u64) < 1 << 32 && 4 * (limit(3, i) as u64) < 1 << 32);
        i += 1;
    }
    // a column is at most five products of even limbs, or of odd limbs times 2, and all but one of
    // them times 19, or ten products of mixed limbs times 19; with the carry of the column before
    let (even, odd) = (limit(3, 0) as u128, limit(3, 1) as u128);
    let column = 19 * (5 * even * even + 5 * 2 * odd * odd) + (1 << 40);
    assert!(column < 1 << 64);
    assert!(19 * (10 * even * odd) + (1 << 40) < 1 << 64);
    assert!(column >> 25 < 1 << 40);
    // the last column has no factor 19; its carry times 19 leaves limb 1 within the slack
    let last = 10 * even * odd + (1 << 40);
    assert!(((last >> 25) * 19 + (1 << 26)) >> 26 <= SLACK as u128);
};

/// The expression for each limb. Macros, because a build for size keeps loops, and limbs in memory with them.
macro_rules! each_limb {
    (|$i:ident| $value:expr) => {
        each_limb!($i, $value, 0 1 2 3 4 5 6 7 8 9)
    };
    ($i:ident, $value:expr, $($n:literal)*) => {
        [$({ let $i = $n; $value }),*]
    };
}

/// A step for each limb but the last, the lowest first.
macro_rules! in_turn {
    (|$i:ident| $step:block) => {
        in_turn!($i, $step, 0 1 2 3 4 5 6 7 8)
    };
    ($i:ident, $step:block, $($n:literal)*) => {
        $({ let $i = $n; $step })*
    };
}

#[inline(always)]
fn wide(a: u32, b: u32) -> Wrapping<u64> {
    Wrapping(u64::from(a)) * Wrapping(u64::from(b))
}

/// Carries ten columns of a product into limbs.
#[inline(always)]
fn carry_columns(mut c: [Wrapping<u64>; 10]) -> Product {
    in_turn!(|i| {
        c[i + 1] += c[i] >> bits(i) as usize;
        c[i] &= u64::from(low(i));
    });
    c[0] += Wrapping(19) * (c[9] >> bits(9) as usize);
    c[9] &= u64::from(low(9));
    c[1] += c[0] >> bits(0) as usize;
    c[0] &= u64::from(low(0));
    Product(each_limb!(|i| c[i].0 as u32))
}

/// Each limb at most 1 unit and a little: one parallel carry.
#[inline(always)]
fn weak_carry(a: &Limbs) -> Limbs {
    core::array::from_fn(|i| {
        let carry =
            if i == 0 { (a[9] >> bits(9)).wrapping_mul(19) } else { a[i - 1] >> bits(i - 1) };
        (a[i] & low(i)).wrapping_add(carry)
    })
}

impl Fe {
    /// The residue below p, in limbs of 26 and 25 bits.
    #[inline(always)]
    fn canonical(&self) -> Limbs {
        let mut a = weak_carry(&self.0); // below 2^255 + 2^235, hence below 2p
        // q = 1 exactly if a ≥ p: then a + 19 reaches 2^255.
        let q = (0..10).fold(19_u32, |carry, i| carry.wrapping_add(a[i]) >> bits(i));
        a[0] = a[0].wrapping_add(q.wrapping_mul(19));
        in_turn!(|i| {
            a[i + 1] = a[i + 1].wrapping_add(a[i] >> bits(i));
            a[i] &= low(i);
        });
        a[9] &= low(9); // drops q·2^255
        a
    }
}

impl Columns for Limbs {
    const ROOM: i32 = 3;

    #[inline(always)]
    fn carried(&self) -> Self {
        weak_carry(self)
    }

    #[inline(always)]
    fn plus(&self, other: &Self) -> Self {
        core::array::from_fn(|i| self[i].wrapping_add(other[i]))
    }

    #[inline(always)]
    fn minus(&self, other: &Self) -> Self {
        core::array::from_fn(|i| self[i].wrapping_add(TWO_P[i]).wrapping_sub(other[i]))
    }

    #[inline(always)]
    fn minus_sum(&self, other: &Self) -> Self {
        core::array::from_fn(|i| self[i].wrapping_add(FOUR_P[i]).wrapping_sub(other[i]))
    }
}

impl Proven for Fe {
    type Token = ();
}

impl Algebra for Fe {
    type Product = Product;

    #[cfg_attr(any(debug_assertions, target_arch = "wasm32"), inline(never))]
    #[cfg_attr(not(any(debug_assertions, target_arch = "wasm32")), inline(always))]
    #[rustfmt::skip] // a table of the columns
    fn mul(&self, other: &Fe) -> Product {
        let (a, b) = (&self.0, &other.0);
        #[cfg(test)]
        assert!((0..10).all(|i| a[i] <= limit(3, i) && b[i] <= limit(3, i)));
        // 2^255 = 19 (mod p); two odd limbs stand half a bit too low each
        let a2: Limbs = each_limb!(|i| a[i] << 1);
        let b19: Limbs = each_limb!(|i| b[i].wrapping_mul(19));
        carry_columns([
            wide(a[0], b[0])
                + wide(a2[1], b19[9])
                + wide(a[2], b19[8])
                + wide(a2[3], b19[7])
                + wide(a[4], b19[6])
                + wide(a2[5], b19[5])
                + wide(a[6], b19[4])
                + wide(a2[7], b19[3])
                + wide(a[8], b19[2])
                + wide(a2[9], b19[1]),
            wide(a[0], b[1])
                + wide(a[1], b[0])
                + wide(a[2], b19[9])
                + wide(a[3], b19[8])
                + wide(a[4], b19[7])
                + wide(a[5], b19[6])
                + wide(a[6], b19[5])
                + wide(a[7], b19[4])
                + wide(a[8], b19[3])
                + wide(a[9], b19[2]),
            wide(a[0], b[2])
                + wide(a2[1], b[1])
                + wide(a[2], b[0])
                + wide(a2[3], b19[9])
                + wide(a[4], b19[8])
                + wide(a2[5], b19[7])
                + wide(a[6], b19[6])
                + wide(a2[7], b19[5])
                + wide(a[8], b19[4])
                + wide(a2[9], b19[3]),
            wide(a[0], b[3])
                + wide(a[1], b[2])
                + wide(a[2], b[1])
                + wide(a[3], b[0])
                + wide(a[4], b19[9])
                + wide(a[5], b19[8])
                + wide(a[6], b19[7])
                + wide(a[7], b19[6])
                + wide(a[8], b19[5])
                + wide(a[9], b19[4]),
            wide(a[0], b[4])
                + wide(a2[1], b[3])
                + wide(a[2], b[2])
                + wide(a2[3], b[1])
                + wide(a[4], b[0])
                + wide(a2[5], b19[9])
                + wide(a[6], b19[8])
                + wide(a2[7], b19[7])
                + wide(a[8], b19[6])
                + wide(a2[9], b19[5]),
            wide(a[0], b[5])
                + wide(a[1], b[4])
                + wide(a[2], b[3])
                + wide(a[3], b[2])
                + wide(a[4], b[1])
                + wide(a[5], b[0])
                + wide(a[6], b19[9])
                + wide(a[7], b19[8])
                + wide(a[8], b19[7])
                + wide(a[9], b19[6]),
            wide(a[0], b[6])
                + wide(a2[1], b[5])
                + wide(a[2], b[4])
                + wide(a2[3], b[3])
                + wide(a[4], b[2])
                + wide(a2[5], b[1])
                + wide(a[6], b[0])
                + wide(a2[7], b19[9])
                + wide(a[8], b19[8])
                + wide(a2[9], b19[7]),
            wide(a[0], b[7])
                + wide(a[1], b[6])
                + wide(a[2], b[5])
                + wide(a[3], b[4])
                + wide(a[4], b[3])
                + wide(a[5], b[2])
                + wide(a[6], b[1])
                + wide(a[7], b[0])
                + wide(a[8], b19[9])
                + wide(a[9], b19[8]),
            wide(a[0], b[8])
                + wide(a2[1], b[7])
                + wide(a[2], b[6])
                + wide(a2[3], b[5])
                + wide(a[4], b[4])
                + wide(a2[5], b[3])
                + wide(a[6], b[2])
                + wide(a2[7], b[1])
                + wide(a[8], b[0])
                + wide(a2[9], b19[9]),
            wide(a[0], b[9])
                + wide(a[1], b[8])
                + wide(a[2], b[7])
                + wide(a[3], b[6])
                + wide(a[4], b[5])
                + wide(a[5], b[4])
                + wide(a[6], b[3])
                + wide(a[7], b[2])
                + wide(a[8], b[1])
                + wide(a[9], b[0]),
        ])
    }

    #[cfg_attr(any(debug_assertions, target_arch = "wasm32"), inline(never))]
    #[cfg_attr(not(any(debug_assertions, target_arch = "wasm32")), inline(always))]
    #[rustfmt::skip] // a table of the columns
    fn square(&self) -> Product {
        let a = &self.0;
        #[cfg(test)]
        assert!((0..10).all(|i| a[i] <= limit(3, i)));
        let a2: Limbs = each_limb!(|i| a[i] << 1);
        let a4: Limbs = each_limb!(|i| a[i] << 2);
        let a19: Limbs = each_limb!(|i| a[i].wrapping_mul(19));
        carry_columns([
            wide(a[0], a[0])
                + wide(a4[1], a19[9])
                + wide(a2[2], a19[8])
                + wide(a4[3], a19[7])
                + wide(a2[4], a19[6])
                + wide(a2[5], a19[5]),
            wide(a2[0], a[1])
                + wide(a2[2], a19[9])
                + wide(a2[3], a19[8])
                + wide(a2[4], a19[7])
                + wide(a2[5], a19[6]),
            wide(a2[0], a[2])
                + wide(a2[1], a[1])
                + wide(a4[3], a19[9])
                + wide(a2[4], a19[8])
                + wide(a4[5], a19[7])
                + wide(a[6], a19[6]),
            wide(a2[0], a[3])
                + wide(a2[1], a[2])
                + wide(a2[4], a19[9])
                + wide(a2[5], a19[8])
                + wide(a2[6], a19[7]),
            wide(a2[0], a[4])
                + wide(a4[1], a[3])
                + wide(a[2], a[2])
                + wide(a4[5], a19[9])
                + wide(a2[6], a19[8])
                + wide(a2[7], a19[7]),
            wide(a2[0], a[5])
                + wide(a2[1], a[4])
                + wide(a2[2], a[3])
                + wide(a2[6], a19[9])
                + wide(a2[7], a19[8]),
            wide(a2[0], a[6])
                + wide(a4[1], a[5])
                + wide(a2[2], a[4])
                + wide(a2[3], a[3])
                + wide(a4[7], a19[9])
                + wide(a[8], a19[8]),
            wide(a2[0], a[7])
                + wide(a2[1], a[6])
                + wide(a2[2], a[5])
                + wide(a2[3], a[4])
                + wide(a2[8], a19[9]),
            wide(a2[0], a[8])
                + wide(a4[1], a[7])
                + wide(a2[2], a[6])
                + wide(a4[3], a[5])
                + wide(a[4], a[4])
                + wide(a2[9], a19[9]),
            wide(a2[0], a[9])
                + wide(a2[1], a[8])
                + wide(a2[2], a[7])
                + wide(a2[3], a[6])
                + wide(a2[4], a[5]),
        ])
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
    type Mask = Mask;
    type Bytes = [u8; 32];
    const SQUARES_ARE_CHEAPER: bool = true;

    #[inline(always)]
    fn token(&self) {}

    #[inline(always)]
    fn splat((): (), words: &[u64; 4]) -> Fe {
        #[cfg(test)]
        assert!(words[3] >> 63 == 0);
        Fe(core::array::from_fn(|i| {
            let (word, bit) = (OFFSET[i] / 64, OFFSET[i] % 64);
            let mut value = words[word] >> bit;
            if bit + 26 > 64 && word < 3 {
                value |= words[word + 1] << (64 - bit);
            }
            value as u32 & low(i)
        }))
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
        let mut words = [0_u64; 4];
        for i in 0..10 {
            let (word, bit) = (OFFSET[i] / 64, OFFSET[i] % 64);
            words[word] |= u64::from(a[i]) << bit;
            if bit + 26 > 64 && word < 3 {
                words[word + 1] |= u64::from(a[i]) >> (64 - bit);
            }
        }
        words[3] |= top_bit.word() << 63;
        word::store_le(&words)
    }

    #[inline(always)]
    fn select(mask: Mask, if_true: &Fe, if_false: &Fe) -> Fe {
        let mask = mask.word() as u32;
        Fe(core::array::from_fn(|i| if_false.0[i] ^ (mask & (if_true.0[i] ^ if_false.0[i]))))
    }

    #[inline(always)]
    fn equal(&self, other: &Fe) -> Mask {
        let (a, b) = (self.canonical(), other.canonical());
        Mask::is_zero(u64::from(a.iter().zip(&b).fold(0, |acc, (x, y)| acc | (x ^ y))))
    }

    #[inline(always)]
    fn is_zero(&self) -> Mask {
        Mask::is_zero(u64::from(self.canonical().iter().fold(0, |acc, limb| acc | limb)))
    }

    #[inline(always)]
    fn is_odd(&self) -> Mask {
        Mask::from_bit(u64::from(self.canonical()[0] & 1))
    }
}

#[cfg(test)]
mod tests;
