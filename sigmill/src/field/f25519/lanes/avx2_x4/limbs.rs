//! Ten limbs in five pairs: their carries and canonical form.

use super::super::columns::{self, Column, Factor, LOW_25, LOW_26, multiple_of_p};
use crate::field::algebra::Columns as Uncarried;
use crate::simd::avx2::U64x4;
use crate::simd::each;

pub(super) type V = U64x4;

/// Five pairs of limbs.
pub(super) type Limbs = [V; 5];

/// Ten limbs, or columns of a product.
pub(super) type Columns = [V; 10];

pub(super) const LOW_PAIR: u64 = LOW_26 | LOW_25 << 32;
/// A multiple of p that subtractions add, so that no limb goes below zero.
pub(super) const TWO_P: [u64; 5] = pairs_of_p(2);
pub(super) const FOUR_P: [u64; 5] = pairs_of_p(4);

const fn pairs_of_p(n: u64) -> [u64; 5] {
    let mut pairs = [0; 5];
    let mut k = 0;
    while k < 5 {
        pairs[k] = multiple_of_p(n, 2 * k) | multiple_of_p(n, 2 * k + 1) << 32;
        k += 1;
    }
    pairs
}

impl Factor for V {
    type Column = V;

    #[inline(always)]
    fn times(self, other: Self) -> V {
        V::times(self, other)
    }

    #[inline(always)]
    fn times_19(self) -> V {
        V::times(self, self.splat(19))
    }
}

impl Column for V {
    #[inline(always)]
    fn shift_left<const N: i32>(self) -> V {
        V::shift_left::<N>(self)
    }

    #[inline(always)]
    fn shift_right<const N: i32>(self) -> V {
        V::shift_right::<N>(self)
    }

    #[inline(always)]
    fn and(self, word: u64) -> V {
        self & self.splat(word)
    }

    #[inline(always)]
    fn plus_19_times(self, low: V) -> V {
        self + V::times(low, self.splat(19))
    }
}

/// The odd limbs.
#[inline(always)]
pub(super) fn odd_limbs(a: &Limbs) -> Limbs {
    each!(|k| a[k].shift_right::<32>())
}

#[inline(always)]
pub(super) fn mul(a: &Limbs, b: &Limbs) -> Limbs {
    carry(columns::mul([a, &odd_limbs(a)], [b, &odd_limbs(b)]))
}

#[inline(always)]
pub(super) fn square(a: &Limbs) -> Limbs {
    carry(columns::square(a, &odd_limbs(a)))
}

/// Carries columns into limbs.
#[inline(always)]
pub(super) fn carry(c: Columns) -> Limbs {
    let [c0, c1, c2, c3, c4, c5, c6, c7, c8, c9] = columns::carry(c);
    let low = c0.splat(LOW_PAIR);
    [
        c0 & c0.splat(LOW_26) | c1.shift_left::<32>(),
        c2.with_high(c3.shift_left::<32>()) & low,
        c4.with_high(c5.shift_left::<32>()) & low,
        c6.with_high(c7.shift_left::<32>()) & low,
        c8.with_high(c9.shift_left::<32>()) & low,
    ]
}

/// Each limb at most 1 unit and a little: one parallel carry.
#[inline(always)]
pub(super) fn weak_carry(a: &Limbs) -> Limbs {
    let (widths, low) = (a[0].splat(26 | 25 << 32), a[0].splat(LOW_PAIR));
    // what each limb passes on, in the other half of its pair
    let next = each!(|k| a[k].shift_pairs_right(widths).swap_pairs());
    let around = next[4].times(a[0].splat(19));
    let carries = [
        around.with_high(next[0]),
        next[0].with_high(next[1]),
        next[1].with_high(next[2]),
        next[2].with_high(next[3]),
        next[3].with_high(next[4]),
    ];
    each!(|k| (a[k] & low).plus_pairs(carries[k]))
}

#[inline(always)]
pub(super) fn sub(a: &Limbs, b: &Limbs, multiple_of_p: &[u64; 5]) -> Limbs {
    each!(|k| a[k].plus_pairs(a[0].splat(multiple_of_p[k])).minus_pairs(b[k]))
}

/// Four words of each lane, the lowest first, as limbs; bit 255 falls away.
#[inline(always)]
pub(super) fn limbs_of_words(w: &[V; 4]) -> Limbs {
    let low = w[0].splat(LOW_PAIR);
    let limb_2 = w[0].shift_right::<51>() | w[1].shift_left::<13>();
    let limb_7 = w[2].shift_right::<19>() | w[3].shift_left::<45>();
    [
        w[0].with_high(w[0].shift_left::<6>()) & low,
        limb_2.with_high(w[1].shift_left::<19>()) & low,
        w[1].shift_right::<38>().with_high(w[2].shift_left::<32>()) & low,
        w[2].shift_right::<25>().with_high(limb_7) & low,
        w[3].shift_right::<12>().with_high(w[3].shift_right::<6>()) & low,
    ]
}

/// Each limb in a vector of its own.
#[inline(always)]
pub(super) fn apart(a: &Limbs) -> Columns {
    let low = a[0].splat(u64::from(u32::MAX));
    let [a1, a3, a5, a7, a9] = odd_limbs(a);
    [a[0] & low, a1, a[1] & low, a3, a[2] & low, a5, a[3] & low, a7, a[4] & low, a9]
}

/// 1 where an integer below 2p is not below p: adding 19 then reaches 2^255.
#[inline(always)]
pub(super) fn reaches_p(a: &Columns) -> V {
    let q = (a[0] + a[0].splat(19)).shift_right::<26>();
    let q = (a[1] + q).shift_right::<25>();
    let q = (a[2] + q).shift_right::<26>();
    let q = (a[3] + q).shift_right::<25>();
    let q = (a[4] + q).shift_right::<26>();
    let q = (a[5] + q).shift_right::<25>();
    let q = (a[6] + q).shift_right::<26>();
    let q = (a[7] + q).shift_right::<25>();
    let q = (a[8] + q).shift_right::<26>();
    (a[9] + q).shift_right::<25>()
}

/// The residue below p. The limbs may be what `weak_carry` takes.
#[inline(always)]
pub(super) fn reduce(a: &Limbs) -> Columns {
    let a = apart(&weak_carry(a)); // below 2^255 + 2^233, hence below 2p
    let (low_26, low_25) = (a[0].splat(LOW_26), a[0].splat(LOW_25));
    let c0 = a[0] + reaches_p(&a).times(a[0].splat(19));
    let c1 = a[1] + c0.shift_right::<26>();
    let c2 = a[2] + c1.shift_right::<25>();
    let c3 = a[3] + c2.shift_right::<26>();
    let c4 = a[4] + c3.shift_right::<25>();
    let c5 = a[5] + c4.shift_right::<26>();
    let c6 = a[6] + c5.shift_right::<25>();
    let c7 = a[7] + c6.shift_right::<26>();
    let c8 = a[8] + c7.shift_right::<25>();
    let c9 = a[9] + c8.shift_right::<26>();
    [
        c0 & low_26,
        c1 & low_25,
        c2 & low_26,
        c3 & low_25,
        c4 & low_26,
        c5 & low_25,
        c6 & low_26,
        c7 & low_25,
        c8 & low_26,
        c9 & low_25,
    ]
}

/// Set in lanes whose limbs are all zero.
#[inline(always)]
pub(super) fn all_zero(a: &Columns) -> u8 {
    let (b, c) = (a[0] | a[1] | a[2] | a[3], a[4] | a[5] | a[6] | a[7]);
    (b | c | a[8] | a[9]).equal_words(a[0].splat(0)).top_bits()
}

impl Uncarried for Limbs {
    const ROOM: i32 = 2;

    #[inline(always)]
    fn carried(&self) -> Self {
        weak_carry(self)
    }

    #[inline(always)]
    fn plus(&self, other: &Self) -> Self {
        each!(|k| self[k].plus_pairs(other[k]))
    }

    #[inline(always)]
    fn minus(&self, other: &Self) -> Self {
        sub(self, other, &TWO_P)
    }

    #[inline(always)]
    fn minus_sum(&self, other: &Self) -> Self {
        sub(self, other, &FOUR_P)
    }
}
