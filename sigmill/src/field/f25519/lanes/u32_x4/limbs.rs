//! Ten limbs, a vector each: their products, carries and canonical form.

use super::super::columns::{self, Column, Factor, LOW_25, LOW_26, multiple_of_p};
use crate::field::algebra::Columns as Uncarried;
use crate::simd::vectors_128::{U32x4, U64x2};
use core::array::from_fn;

pub(super) type V = U32x4;

/// Ten limbs.
pub(super) type Limbs = [V; 10];

/// Columns of a product, of two lanes.
type Columns = [U64x2; 10];

/// A multiple of p that subtractions add, so that no limb goes below zero.
pub(super) const TWO_P: [u32; 10] = limbs_of_p(2);
pub(super) const FOUR_P: [u32; 10] = limbs_of_p(4);

const fn limbs_of_p(n: u64) -> [u32; 10] {
    let mut limbs = [0; 10];
    let mut i = 0;
    while i < 10 {
        limbs[i] = multiple_of_p(n, i) as u32;
        i += 1;
    }
    limbs
}

/// Lanes 0 and 1 of a limb, or 2 and 3.
#[derive(Clone, Copy)]
struct Half<const UPPER: bool>(V);

impl<const UPPER: bool> core::ops::Add for Half<UPPER> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Half(self.0 + other.0)
    }
}

impl<const UPPER: bool> Factor for Half<UPPER> {
    type Column = U64x2;

    #[inline(always)]
    fn times(self, other: Self) -> U64x2 {
        if UPPER { self.0.times_upper(other.0) } else { self.0.times_lower(other.0) }
    }

    #[inline(always)]
    fn times_19(self) -> Self {
        Half(self.0.times_low(V::all(19)))
    }
}

impl Column for U64x2 {
    #[inline(always)]
    fn shift_left<const N: i32>(self) -> Self {
        U64x2::shift_left::<N>(self)
    }

    #[inline(always)]
    fn shift_right<const N: i32>(self) -> Self {
        U64x2::shift_right::<N>(self)
    }

    #[inline(always)]
    fn and(self, word: u64) -> Self {
        self & U64x2::all(word)
    }

    #[cfg(target_arch = "aarch64")]
    #[inline(always)]
    fn times_19(self) -> Self {
        U64x2::times_19(self)
    }

    #[cfg(target_arch = "aarch64")]
    #[inline(always)]
    fn plus_19_times(self, low: Self) -> Self {
        U64x2::plus_19_times(self, low)
    }
}

/// The even limbs, and the odd ones.
#[inline(always)]
fn apart<const UPPER: bool>(a: &Limbs) -> [[Half<UPPER>; 5]; 2] {
    let [a, b, c, d, e, f, g, h, i, j] = a.map(Half);
    [[a, c, e, g, i], [b, d, f, h, j]]
}

// a function of its own in WebAssembly, whose compilers in browsers spill less then
#[cfg_attr(target_arch = "wasm32", inline(never))]
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
fn half_of_product<const UPPER: bool>(a: &Limbs, b: &Limbs) -> Columns {
    let (a, b) = (apart::<UPPER>(a), apart::<UPPER>(b));
    columns::carry(columns::mul(a.each_ref(), b.each_ref()))
}

#[inline(always)]
fn half_of_square<const UPPER: bool>(a: &Limbs) -> Columns {
    let [even, odd] = apart::<UPPER>(a);
    columns::carry(columns::square(&even, &odd))
}

/// The limbs of carried columns.
#[inline(always)]
fn limbs_of_columns(lower: &Columns, upper: &Columns) -> Limbs {
    let limbs: Limbs = from_fn(|i| lower[i].low_halves(upper[i]));
    // limb 1 keeps its slack
    from_fn(|i| if i == 1 { limbs[i] } else { limbs[i] & low(i) })
}

/// One after the other: the registers hold the columns of two lanes.
#[cfg_attr(sigmill_aarch64, allow(dead_code))] // `aarch64::mul`
#[inline(always)]
pub(super) fn mul(a: &Limbs, b: &Limbs) -> Limbs {
    let lower = half_of_product::<false>(a, b);
    limbs_of_columns(&lower, &half_of_product::<true>(a, b))
}

#[inline(always)]
pub(super) fn square(a: &Limbs) -> Limbs {
    let lower = half_of_square::<false>(a);
    limbs_of_columns(&lower, &half_of_square::<true>(a))
}

/// `a·n` for n below 2^17.
#[inline(always)]
pub(super) fn mul_small(a: &Limbs, n: u32) -> Limbs {
    let n = V::all(n);
    let lower = columns::carry(a.map(|a| a.times_lower(n)));
    limbs_of_columns(&lower, &columns::carry(a.map(|a| a.times_upper(n))))
}

#[inline(always)]
fn low(i: usize) -> V {
    V::all(if i.is_multiple_of(2) { LOW_26 } else { LOW_25 } as u32)
}

/// The carry of limb i.
#[inline(always)]
fn above(i: usize, limb: V) -> V {
    if i.is_multiple_of(2) { limb.shift_right::<26>() } else { limb.shift_right::<25>() }
}

/// Each limb at most 1 unit and a little: one parallel carry.
#[inline(always)]
pub(super) fn weak_carry(a: &Limbs) -> Limbs {
    let around = above(9, a[9]).times_low(V::all(19));
    from_fn(|i| (a[i] & low(i)) + if i == 0 { around } else { above(i - 1, a[i - 1]) })
}

#[inline(always)]
pub(super) fn sub(a: &Limbs, b: &Limbs, multiple_of_p: &[u32; 10]) -> Limbs {
    from_fn(|i| a[i] + V::all(multiple_of_p[i]) - b[i])
}

/// Eight words of 32 bits of each lane, the lowest first, as limbs; bit 255 falls away.
#[inline(always)]
pub(super) fn limbs_of_words(w: &[V; 8]) -> Limbs {
    [
        w[0] & low(0),
        (w[0].shift_right::<26>() | w[1].shift_left::<6>()) & low(1),
        (w[1].shift_right::<19>() | w[2].shift_left::<13>()) & low(2),
        (w[2].shift_right::<13>() | w[3].shift_left::<19>()) & low(3),
        w[3].shift_right::<6>(),
        w[4] & low(5),
        (w[4].shift_right::<25>() | w[5].shift_left::<7>()) & low(6),
        (w[5].shift_right::<19>() | w[6].shift_left::<13>()) & low(7),
        (w[6].shift_right::<12>() | w[7].shift_left::<20>()) & low(8),
        w[7].shift_right::<6>() & low(9),
    ]
}

/// The words of canonical limbs.
#[inline(always)]
pub(super) fn words_of_limbs(a: &Limbs) -> [V; 8] {
    [
        a[0] | a[1].shift_left::<26>(),
        a[1].shift_right::<6>() | a[2].shift_left::<19>(),
        a[2].shift_right::<13>() | a[3].shift_left::<13>(),
        a[3].shift_right::<19>() | a[4].shift_left::<6>(),
        a[5] | a[6].shift_left::<25>(),
        a[6].shift_right::<7>() | a[7].shift_left::<19>(),
        a[7].shift_right::<13>() | a[8].shift_left::<12>(),
        a[8].shift_right::<20>() | a[9].shift_left::<6>(),
    ]
}

/// The residue below p. The limbs may be what `weak_carry` takes.
#[inline(always)]
pub(super) fn reduce(a: &Limbs) -> Limbs {
    let mut a = weak_carry(a); // below 2^255 + 2^233, hence below 2p
    // 1 where a is not below p: adding 19 then reaches 2^255
    let mut reaches = V::all(19);
    for (i, limb) in a.iter().enumerate() {
        reaches = above(i, *limb + reaches);
    }
    let mut carry = reaches.times_low(V::all(19));
    for (i, limb) in a.iter_mut().enumerate() {
        let sum = *limb + carry;
        (*limb, carry) = (sum & low(i), above(i, sum));
    }
    a
}

/// Set in lanes whose limbs are all zero.
#[inline(always)]
pub(super) fn all_zero(a: &Limbs) -> u8 {
    let any = a[1..].iter().fold(a[0], |any, limb| any | *limb);
    any.equal_words(V::all(0)).bits()
}

impl Uncarried for Limbs {
    const ROOM: i32 = 2;

    #[inline(always)]
    fn carried(&self) -> Self {
        weak_carry(self)
    }

    #[inline(always)]
    fn plus(&self, other: &Self) -> Self {
        from_fn(|i| self[i] + other[i])
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
