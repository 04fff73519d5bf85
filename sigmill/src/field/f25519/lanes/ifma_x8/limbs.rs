//! Five limbs of 52 bits: their bounds, products, carries and canonical form.

use crate::field::algebra::Columns;
use crate::field::f25519::packed::radix_51::LOW_51;
use crate::simd::avx512::{U64x8, ifma_functions};
use crate::simd::each;

pub(super) type V = U64x8;

pub(super) const LOW_52: u64 = (1 << 52) - 1;
pub(super) const LOW_47: u64 = (1 << 47) - 1;
/// 2^260 mod p: what the upper half of a product folds down with.
pub(super) const FOLD: u64 = 608;
/// Bounds of columns, as multiples of 2^52, and of limb 4.
pub(super) const PRODUCT_MAX: u64 = 12;
pub(super) const SUM_MAX: u64 = 28;
pub(super) const CARRY_MAX: u64 = 60;
pub(super) const LIMB_4_MAX: u64 = (1 << 47) + (1 << 6);

/// 32·n·p in columns of n·2^52 − n (the lowest 608·n less): each borrows from the next, and what is
/// left is n·2^260 − 608·n.
pub(super) const fn multiple_of_p(n: u64) -> [u64; 5] {
    [(n << 52) - FOLD * n, (n << 52) - n, (n << 52) - n, (n << 52) - n, (n << 52) - n]
}

/// A multiple of p that subtractions add, so that no column goes below zero.
pub(super) const BIAS: [u64; 5] = multiple_of_p(16);
pub(super) const BIAS_OF_SUMS: [u64; 5] = multiple_of_p(32);

// Every inequality that the arithmetic below relies on.
const _: () = {
    // subtractions never go below zero and stay in their type
    assert!(BIAS[0] >= PRODUCT_MAX << 52 && BIAS[1] >= PRODUCT_MAX << 52);
    assert!(BIAS_OF_SUMS[0] >= SUM_MAX << 52 && BIAS_OF_SUMS[1] >= SUM_MAX << 52);
    assert!(2 * PRODUCT_MAX <= SUM_MAX && PRODUCT_MAX + 16 <= SUM_MAX);
    assert!(2 * SUM_MAX <= CARRY_MAX && SUM_MAX + 32 <= CARRY_MAX && CARRY_MAX < 1 << 12);
    // products: at most five low and four high halves fall on one column (nine in all); folding
    // adds a low half, a high half and FOLD times what stood above 52 bits
    assert!(9 + 1 + 1 < PRODUCT_MAX && 9 * FOLD < 1 << 52);
    // column 9, the high half of limb 4 squared, times FOLD has no high half
    assert!(((LIMB_4_MAX as u128 * LIMB_4_MAX as u128) >> 52) * (FOLD as u128) < 1 << 52);
    // mul_small: a column is a low and a high half; column 5 times FOLD has no high half
    assert!(1 + 1 < PRODUCT_MAX && ((LIMB_4_MAX as u128) << 17 >> 52) * (FOLD as u128) < 1 << 52);
    // a carry: the top of column 4 times 19 fits the low half; what column 3 passes on fits LIMB_4_MAX
    assert!(((CARRY_MAX << 52) >> 47) * 19 < LOW_52);
    assert!(LOW_47 + CARRY_MAX + 1 < LIMB_4_MAX);
    // `radix_51`: what limb 4 becomes there is a limb, and what comes back is one here, carried twice on the way
    assert!(LIMB_4_MAX << 4 < 1 << 52 && ((1 << 51) + 2) >> 4 < LIMB_4_MAX);
    // an operand is an integer of four words
    assert!(LIMB_4_MAX < 1 << 48);
    // canonical: an operand is below 2p
    assert!((LIMB_4_MAX as u128) + 1 < 2 * (LOW_47 as u128));
};

/// Columns of `a·b` below 2^520.
#[inline(always)]
pub(super) fn columns(a: &[V; 5], b: &[V; 5]) -> [V; 10] {
    let mut z = [a[0].splat(0); 10];
    for i in 0..5 {
        for j in 0..5 {
            z[i + j] = z[i + j].madd_low(a[i], b[j]);
        }
        for j in 0..5 {
            z[i + j + 1] = z[i + j + 1].madd_high(a[i], b[j]);
        }
    }
    z
}

/// 2^260 = 608 (mod p): columns 5 to 9 times 608 go to columns 0 to 4. The multiplier reads 52 bits
/// of a column; what stands above them is multiplied apart.
#[inline(always)]
pub(super) fn fold(z: &[V; 10]) -> [V; 5] {
    let fold = z[0].splat(FOLD);
    let mut r = [z[0], z[1], z[2], z[3], z[4]];
    for k in 0..5 {
        r[k] = r[k].madd_low(z[k + 5], fold);
    }
    for k in 0..4 {
        r[k + 1] = r[k + 1].madd_high(z[k + 5], fold);
    }
    for k in 0..4 {
        r[k + 1] = r[k + 1].madd_low(z[k + 5].shift_right::<52>(), fold);
    }
    r
}

ifma_functions! { always
    pub(super) fn mul(a: &[V; 5], b: &[V; 5]) -> [V; 5] {
        fold(&columns(a, b))
    }

    pub(super) fn square(a: &[V; 5]) -> [V; 5] {
        let mut z = [a[0].splat(0); 10];
        for i in 0..5 {
            for j in i + 1..5 {
                z[i + j] = z[i + j].madd_low(a[i], a[j]);
            }
            for j in i + 1..5 {
                z[i + j + 1] = z[i + j + 1].madd_high(a[i], a[j]);
            }
        }
        for column in &mut z[1..9] {
            *column = *column + *column;
        }
        for i in 0..5 {
            z[2 * i] = z[2 * i].madd_low(a[i], a[i]);
            z[2 * i + 1] = z[2 * i + 1].madd_high(a[i], a[i]);
        }
        fold(&z)
    }

    /// Two products, row by row in turn.
    pub(super) fn mul_pair(a: &[V; 5], b: &[V; 5], c: &[V; 5], d: &[V; 5]) -> ([V; 5], [V; 5]) {
        let (mut y, mut z) = ([a[0].splat(0); 10], [a[0].splat(0); 10]);
        for i in 0..5 {
            for j in 0..5 {
                y[i + j] = y[i + j].madd_low(a[i], b[j]);
                z[i + j] = z[i + j].madd_low(c[i], d[j]);
            }
            for j in 0..5 {
                y[i + j + 1] = y[i + j + 1].madd_high(a[i], b[j]);
                z[i + j + 1] = z[i + j + 1].madd_high(c[i], d[j]);
            }
        }
        fold_pair(&y, &z)
    }

    /// Two squares, row by row in turn.
    pub(super) fn square_pair(a: &[V; 5], b: &[V; 5]) -> ([V; 5], [V; 5]) {
        let (mut y, mut z) = ([a[0].splat(0); 10], [a[0].splat(0); 10]);
        for i in 0..5 {
            for j in i + 1..5 {
                y[i + j] = y[i + j].madd_low(a[i], a[j]);
                z[i + j] = z[i + j].madd_low(b[i], b[j]);
            }
            for j in i + 1..5 {
                y[i + j + 1] = y[i + j + 1].madd_high(a[i], a[j]);
                z[i + j + 1] = z[i + j + 1].madd_high(b[i], b[j]);
            }
        }
        for k in 1..9 {
            y[k] = y[k] + y[k];
            z[k] = z[k] + z[k];
        }
        for i in 0..5 {
            y[2 * i] = y[2 * i].madd_low(a[i], a[i]);
            z[2 * i] = z[2 * i].madd_low(b[i], b[i]);
            y[2 * i + 1] = y[2 * i + 1].madd_high(a[i], a[i]);
            z[2 * i + 1] = z[2 * i + 1].madd_high(b[i], b[i]);
        }
        fold_pair(&y, &z)
    }
}

#[inline(always)]
pub(super) fn fold_pair(y: &[V; 10], z: &[V; 10]) -> ([V; 5], [V; 5]) {
    let fold = y[0].splat(FOLD);
    let mut r = [y[0], y[1], y[2], y[3], y[4]];
    let mut s = [z[0], z[1], z[2], z[3], z[4]];
    for k in 0..5 {
        r[k] = r[k].madd_low(y[k + 5], fold);
        s[k] = s[k].madd_low(z[k + 5], fold);
    }
    for k in 0..4 {
        r[k + 1] = r[k + 1].madd_high(y[k + 5], fold);
        s[k + 1] = s[k + 1].madd_high(z[k + 5], fold);
    }
    for k in 0..4 {
        r[k + 1] = r[k + 1].madd_low(y[k + 5].shift_right::<52>(), fold);
        s[k + 1] = s[k + 1].madd_low(z[k + 5].shift_right::<52>(), fold);
    }
    (r, s)
}

/// Columns below `CARRY_MAX`·2^52 become limbs. Bit 255 and up wrap first, times 19, so that one
/// chain from the bottom is enough.
#[inline(always)]
pub(super) fn carry(u: [V; 5]) -> [V; 5] {
    let r0 = u[0].madd_low(u[4].shift_right::<47>(), u[0].splat(19));
    let r1 = u[1] + r0.shift_right::<52>();
    let r2 = u[2] + r1.shift_right::<52>();
    let r3 = u[3] + r2.shift_right::<52>();
    let r4 = (u[4] & u[0].splat(LOW_47)) + r3.shift_right::<52>();
    [r0, r1, r2, r3, r4]
}

/// An operand's limbs without the bits that mean nothing.
#[inline(always)]
pub(super) fn clean(a: &[V; 5]) -> [V; 5] {
    let low = a[0].splat(LOW_52);
    [a[0] & low, a[1] & low, a[2] & low, a[3] & low, a[4]]
}

/// Four words of each lane, the lowest first, as limbs.
#[inline(always)]
pub(super) fn limbs_of_packed(w: &[V; 4]) -> [V; 5] {
    [
        w[0],
        w[0].shift_right::<52>() | w[1].shift_left::<12>(),
        w[1].shift_right::<40>() | w[2].shift_left::<24>(),
        w[2].shift_right::<28>() | w[3].shift_left::<36>(),
        w[3].shift_right::<16>(),
    ]
}

/// The same without bit 255.
#[inline(always)]
pub(super) fn limbs_of_words(w: &[V; 4]) -> [V; 5] {
    let [a, b, c, d, e] = limbs_of_packed(w);
    [a, b, c, d, e & a.splat(LOW_47)]
}

/// The integer of five limbs in four words, the lowest first: the bits of limb 4 above 48 are lost.
#[inline(always)]
pub(super) fn packed(a: &[V; 5]) -> [V; 4] {
    [
        a[0] | a[1].shift_left::<52>(),
        a[1].shift_right::<12>() | a[2].shift_left::<40>(),
        a[2].shift_right::<24>() | a[3].shift_left::<28>(),
        a[3].shift_right::<36>() | a[4].shift_left::<16>(),
    ]
}

/// The residue below p, as limbs.
#[inline(always)]
pub(super) fn canonical(a: &[V; 5]) -> [V; 5] {
    let a = clean(a);
    // an operand is below 2p; q = 1 exactly if it is not below p: adding 19 then reaches 2^255
    let mut q = (a[0] + a[0].splat(19)).shift_right::<52>();
    for limb in &a[1..4] {
        q = (*limb + q).shift_right::<52>();
    }
    q = (a[4] + q).shift_right::<47>();
    let low = a[0].splat(LOW_52);
    let r0 = a[0].madd_low(q, a[0].splat(19));
    let r1 = a[1] + r0.shift_right::<52>();
    let r2 = a[2] + r1.shift_right::<52>();
    let r3 = a[3] + r2.shift_right::<52>();
    let r4 = a[4] + r3.shift_right::<52>();
    [r0 & low, r1 & low, r2 & low, r3 & low, r4 & a[0].splat(LOW_47)]
}

/// Set in lanes whose limbs are all zero.
#[inline(always)]
pub(super) fn all_zero(a: &[V; 5]) -> u8 {
    let any = a[0] | a[1] | a[2] | a[3] | a[4];
    any.zeros()
}

/// `a − b` modulo 2^64, limb by limb: zero where the limbs are equal.
#[inline(always)]
pub(super) fn differences(a: &[V; 5], b: &[V; 5]) -> [V; 5] {
    each!(|k| a[k] - b[k])
}

/// `a + bias − b`, column by column.
#[inline(always)]
pub(super) fn subtract_columns(a: &[V; 5], b: &[V; 5], bias: &[u64; 5]) -> [V; 5] {
    each!(|k| a[k] + a[k].splat(bias[k]) - b[k])
}

/// `−a`, which adds a multiple of p, where the mask is set, `a` elsewhere.
#[inline(always)]
pub(super) fn negated_where(mask: u8, a: &[V; 5]) -> [V; 5] {
    each!(|k| V::minus_where(mask, a[k].splat(BIAS[k]), a[k], a[k]))
}

impl Columns for [V; 5] {
    const ROOM: i32 = 0;

    #[inline(always)]
    fn carried(&self) -> Self {
        carry(*self)
    }

    #[inline(always)]
    fn plus(&self, other: &Self) -> Self {
        each!(|k| self[k] + other[k])
    }

    #[inline(always)]
    fn minus(&self, other: &Self) -> Self {
        subtract_columns(self, other, &BIAS)
    }

    #[inline(always)]
    fn minus_sum(&self, other: &Self) -> Self {
        subtract_columns(self, other, &BIAS_OF_SUMS)
    }
}

/// The same residue in limbs of `radix_51`.
#[inline(always)]
pub(super) fn to_radix_51(a: &[V; 5]) -> [V; 5] {
    let (a, low) = (clean(a), a[0].splat(LOW_51));
    [
        a[0] & low,
        (a[0].shift_right::<51>() | a[1].shift_left::<1>()) & low,
        (a[1].shift_right::<50>() | a[2].shift_left::<2>()) & low,
        (a[2].shift_right::<49>() | a[3].shift_left::<3>()) & low,
        a[3].shift_right::<48>() | a[4].shift_left::<4>(),
    ]
}

/// An operand of limbs of `radix_51`.
#[inline(always)]
pub(super) fn of_radix_51(b: &[V; 5]) -> [V; 5] {
    let low = b[0].splat(LOW_51);
    let b0 = b[0].madd_low(b[4].shift_right::<51>(), b[0].splat(19));
    let b1 = b[1] + b0.shift_right::<51>();
    let b2 = b[2] + b1.shift_right::<51>();
    let b3 = b[3] + b2.shift_right::<51>();
    let b4 = (b[4] & low) + b3.shift_right::<51>();
    [
        (b0 & low) | b1.shift_left::<51>(),
        (b1 & low).shift_right::<1>() | b2.shift_left::<50>(),
        (b2 & low).shift_right::<2>() | b3.shift_left::<49>(),
        (b3 & low).shift_right::<3>() | b4.shift_left::<48>(),
        b4.shift_right::<4>(),
    ]
}
