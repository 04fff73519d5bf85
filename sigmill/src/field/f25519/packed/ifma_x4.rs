//! GF(2^255 − 19), four values of one formula, AVX-512 IFMA on vectors of 256 bits.
//!
//! For a chain of formulas on one secret or one signature, where each waits for the one before: what counts is
//! how soon a product is ready.
//!
//! Representation: five vectors of four 64-bit limbs, radix 2^51 (`radix_51`).
//!
//! | type | limbs or columns | made by |
//! |---|---|---|
//! | `Fe` | limbs below 2^52 | carries, loads |
//! | `Product` | below 309·2^52 | `mul`, `mul_sum`, `square` |
//! | `Sum` | below 1333·2^52 | `sums` |
//!
//! All operations are constant time.

use super::PackedField;
use super::radix_51::{CARRY_MAX, LOW_51, PRODUCT_MAX, bias, carry, mul_add, normalized, square};
use crate::cpu::Ifma;
use crate::simd::avx2::U64x4;
use crate::simd::{Proven, each};

type V = U64x4<Ifma>;

/// An operand.
#[derive(Clone, Copy)]
pub(crate) struct Fe([V; 5]);

/// One product.
#[derive(Clone, Copy)]
pub(crate) struct Product([V; 5]);

/// A sum or difference of two lanes of a product.
#[derive(Clone, Copy)]
pub(crate) struct Sum([V; 5]);

/// Columns of sums. What is carried is sums and differences of two of these or of products, in `butterflies`
/// one of them doubled.
const SUM_MAX: u64 = 1333 << 52;

/// 2048·p and 4096·p in columns: what subtractions of products and of sums add so that no column goes
/// below zero.
const BIAS: [u64; 5] = bias(11);
const SUM_BIAS: [u64; 5] = bias(12);

// Every inequality that the arithmetic below relies on.
const _: () = {
    // subtractions never go below zero and can be carried
    assert!(BIAS[0] >= 2 * PRODUCT_MAX && 2 * PRODUCT_MAX + BIAS[1] <= CARRY_MAX);
    assert!(PRODUCT_MAX + BIAS[1] <= SUM_MAX && 2 * PRODUCT_MAX <= SUM_MAX);
    assert!(SUM_BIAS[0] >= SUM_MAX && SUM_MAX + SUM_BIAS[1] <= CARRY_MAX);
    assert!(2 * SUM_MAX <= CARRY_MAX);
    // what has been loaded from words are limbs, doubled; limbs are columns
    assert!(2 * LOW_51 < 1 << 52 && 1 << 52 <= PRODUCT_MAX);
};

/// Limbs of four words a lane, of which bit 255 is 0.
#[inline(always)]
fn limbs_of_words(token: Ifma, [a, b, c, d]: [&[u64; 4]; 4]) -> [V; 5] {
    let (a, b) = (V::from_array(token, *a), V::from_array(token, *b));
    let (c, d) = (V::from_array(token, *c), V::from_array(token, *d));
    let (w, low) = (V::transpose([a, b, c, d]), V::all(token, LOW_51));
    [
        w[0] & low,
        (w[0].shift_right::<51>() + w[1].shift_left::<13>()) & low,
        (w[1].shift_right::<38>() + w[2].shift_left::<26>()) & low,
        (w[2].shift_right::<25>() + w[3].shift_left::<39>()) & low,
        w[3].shift_right::<12>(),
    ]
}

impl Proven for Fe {
    type Token = Ifma;
}

impl PackedField for Fe {
    type Product = Product;
    type Sum = Sum;

    #[inline(always)]
    fn from_words<const TWICE: u8>(token: Ifma, words: [&[u64; 4]; 4]) -> Fe {
        let limbs = limbs_of_words(token, words);
        Fe(each!(|k| V::select(TWICE, limbs[k] + limbs[k], limbs[k])))
    }

    #[inline(always)]
    fn to_words(&self) -> [[u64; 4]; 4] {
        let [a, b, c, d, e] = normalized(self.0);
        let [p, q, r, s] = V::transpose([
            a + b.shift_left::<51>(),
            b.shift_right::<13>() + c.shift_left::<38>(),
            c.shift_right::<26>() + d.shift_left::<25>(),
            d.shift_right::<39>() + e.shift_left::<12>(),
        ]);
        [p.to_array(), q.to_array(), r.to_array(), s.to_array()]
    }

    #[inline(always)]
    fn widen(&self) -> Product {
        Product(self.0)
    }

    #[inline(always)]
    fn mul(&self, other: &Fe) -> Product {
        let zeros = [self.0[0].splat(0); 9];
        Product(mul_add(zeros, zeros, &self.0, &other.0))
    }

    #[inline(always)]
    fn mul_sum(a: &Fe, b: &Fe, c: &Fe, factors: [u32; 4], d: &Fe) -> Product {
        let zero = a.0[0].splat(0);
        let (mut low, mut high) = ([zero; 9], [zero; 9]);
        let [p, q, r, s] = factors;
        let factors = zero.words([p.into(), q.into(), r.into(), s.into()]);
        let mut k = 0;
        while k < 5 {
            low[k] = d.0[k].madd_low(c.0[k], factors);
            high[k] = zero.madd_high(c.0[k], factors);
            k += 1;
        }
        Product(mul_add(low, high, &a.0, &b.0))
    }

    #[inline(always)]
    fn square(&self) -> Product {
        Product(square(&self.0))
    }

    #[inline(always)]
    fn carry(product: &Product) -> Fe {
        Fe(carry(&product.0))
    }

    #[inline(always)]
    fn butterflies<const MINUS: u8, const TWICE: u8>(product: &Product) -> Fe {
        Fe(carry(&each!(|k| {
            let own = product.0[k];
            let own = V::select(TWICE, own + own, own);
            own.neighbours() + V::minus_where(MINUS, own.splat(BIAS[k]), own, own)
        })))
    }

    #[inline(always)]
    fn sums<const MINUS: u8, const TWICE: u8, const ALONE: u8>(product: &Product) -> Sum {
        Sum(each!(|k| {
            let own = product.0[k];
            let other = V::select(TWICE, own, own.neighbours());
            let other = V::minus_where(MINUS, own.splat(BIAS[k]), other, other);
            V::select(ALONE, own, own + other)
        }))
    }

    #[inline(always)]
    fn carry_sum(sum: &Sum) -> Fe {
        Fe(carry(&sum.0))
    }

    #[inline(always)]
    fn carry_with_lane_1<const PLUS: u8, const MINUS: u8>(sum: &Sum) -> Fe {
        Fe(carry(&each!(|k| {
            let own = sum.0[k];
            let other = own.permute_words::<0x55>();
            let other = V::minus_where(MINUS, own.splat(SUM_BIAS[k]), other, other);
            V::select(PLUS | MINUS, own + other, own)
        })))
    }

    #[inline(always)]
    fn choose<const MASK: u8>(if_set: &Fe, if_clear: &Fe) -> Fe {
        Fe(each!(|k| V::select(MASK, if_set.0[k], if_clear.0[k])))
    }

    #[inline(always)]
    fn neighbours(&self) -> Fe {
        Fe(each!(|k| self.0[k].neighbours()))
    }

    #[inline(always)]
    fn permuted(&self, lanes: [u64; 4]) -> Fe {
        let index = self.0[0].words(lanes);
        Fe(each!(|k| self.0[k].permute(index)))
    }
}

#[cfg(test)]
mod tests;
