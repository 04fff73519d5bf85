//! Ten limbs in five pairs: their bounds, products, carries and canonical form.

use crate::field::algebra::Columns as Uncarried;
use crate::simd::avx2::U64x4;
use crate::simd::each;

pub(super) type V = U64x4;

/// Five pairs of limbs.
pub(super) type Limbs = [V; 5];

/// Ten limbs, or columns of a product.
pub(super) type Columns = [V; 10];

pub(super) const SLACK: u64 = 1 << 11;
pub(super) const LOW_26: u64 = (1 << 26) - 1;
pub(super) const LOW_25: u64 = (1 << 25) - 1;
pub(super) const LOW_PAIR: u64 = LOW_26 | LOW_25 << 32;
/// A multiple of p that subtractions add, so that no limb goes below zero.
pub(super) const TWO_P: [u64; 5] = multiple_of_p(2);
pub(super) const FOUR_P: [u64; 5] = multiple_of_p(4);

pub(super) const fn low(i: usize) -> u64 {
    if i.is_multiple_of(2) { LOW_26 } else { LOW_25 }
}

/// The largest limb i of `units` units.
pub(super) const fn limit(units: u64, i: usize) -> u64 {
    units * (low(i) + 1 + SLACK)
}

pub(super) const fn multiple_of_p(n: u64) -> [u64; 5] {
    let pair = n * LOW_PAIR;
    [pair - 18 * n, pair, pair, pair, pair]
}

/// The largest columns of a product of operands.
pub(super) const fn column_limits() -> [u128; 10] {
    let mut columns = [0; 10];
    let mut at = 0;
    while at < 100 {
        let (i, j) = (at / 10, at % 10);
        // 2^255 = 19 (mod p); two odd limbs stand half a bit too low each
        let twice = if i % 2 + j % 2 == 2 { 2 } else { 1 };
        let folded = if i + j < 10 { 1 } else { 19 };
        columns[(i + j) % 10] += twice * folded * limit(2, i) as u128 * limit(2, j) as u128;
        at += 1;
    }
    columns
}

// Every inequality that the arithmetic below relies on.
const _: () = {
    let columns = column_limits();
    let mut column = 0;
    let mut i = 0;
    while i < 10 {
        let p = low(i) - if i == 0 { 18 } else { 0 };
        // subtractions never go below zero
        assert!(2 * p >= limit(1, i) && 4 * p >= limit(2, i) && 4 * p >= limit(1, i) + 2 * p);
        // the most that `weak_carry` takes fits a half; it leaves one unit
        let most = limit(2, i) + 4 * p;
        assert!(2 * limit(2, i) <= most && limit(1, i) + 2 * p <= most && most < 1 << 32);
        assert!(low(i) + 19 * (most >> 25) <= limit(1, i));
        // factors fit a half: 19 times a sum of two neighbours, twice a limb, 38 times an odd limb
        assert!(19 * (limit(2, 0) + limit(2, 1)) < 1 << 32);
        assert!(2 * limit(2, i) < 1 << 32 && 38 * limit(2, 1) < 1 << 32);
        // a column, with the carry of the one before, fits a word
        column = columns[i] + (column >> 25);
        assert!(column < 1 << 64);
        i += 1;
    }
    // so does a column of the products of sums of two neighbours
    let sum = (limit(2, 0) + limit(2, 1)) as u128;
    assert!((1 + 4 * 19) * sum * sum < 1 << 64);
    // what the last column passes on fits a half, and limb 1 keeps one unit
    assert!(column >> 25 < 1 << 32);
    assert!(((column >> 25) as u64 * 19 + LOW_26) >> 26 <= SLACK);
};

/// The odd limbs.
#[inline(always)]
pub(super) fn odd_limbs(a: &Limbs) -> Limbs {
    each!(|k| a[k].shift_right::<32>())
}

/// Each word times 19, also above 2^32.
#[inline(always)]
pub(super) fn times_19(a: V) -> V {
    a + (a + a) + a.shift_left::<4>()
}

/// 19 times limbs 1 to 4 of five.
#[inline(always)]
pub(super) fn multiples_by_19(a: &Limbs) -> [V; 4] {
    let n19 = a[0].splat(19);
    [a[1].times(n19), a[2].times(n19), a[3].times(n19), a[4].times(n19)]
}

/// The product of two polynomials of five limbs modulo Y^5 − 19, given 19 times b_1 to b_4. High
/// halves are not looked at.
#[inline(always)]
pub(super) fn convolve(a: &Limbs, b: &Limbs, b19: &[V; 4]) -> Limbs {
    let [b1, b2, b3, b4] = *b19;
    let c = each!(|k| a[0].times(b[k]));
    let c = [
        c[0] + a[1].times(b4),
        c[1] + a[1].times(b[0]),
        c[2] + a[1].times(b[1]),
        c[3] + a[1].times(b[2]),
        c[4] + a[1].times(b[3]),
    ];
    let c = [
        c[0] + a[2].times(b3),
        c[1] + a[2].times(b4),
        c[2] + a[2].times(b[0]),
        c[3] + a[2].times(b[1]),
        c[4] + a[2].times(b[2]),
    ];
    let c = [
        c[0] + a[3].times(b2),
        c[1] + a[3].times(b3),
        c[2] + a[3].times(b4),
        c[3] + a[3].times(b[0]),
        c[4] + a[3].times(b[1]),
    ];
    [
        c[0] + a[4].times(b1),
        c[1] + a[4].times(b2),
        c[2] + a[4].times(b3),
        c[3] + a[4].times(b4),
        c[4] + a[4].times(b[0]),
    ]
}

#[inline(always)]
pub(super) fn mul(a: &Limbs, b: &Limbs) -> Limbs {
    let (a_odd, b_odd) = (odd_limbs(a), odd_limbs(b));
    let (f, q) = (multiples_by_19(b), multiples_by_19(&b_odd));
    let f_plus_q = [f[0] + q[0], f[1] + q[1], f[2] + q[2], f[3] + q[3]];
    let even = convolve(a, b, &f);
    let odd = convolve(&a_odd, &b_odd, &q);
    let (a_sum, b_sum) = (each!(|k| a[k] + a_odd[k]), each!(|k| b[k] + b_odd[k]));
    let both = convolve(&a_sum, &b_sum, &f_plus_q);
    let mixed = each!(|k| both[k] - (even[k] + odd[k]));
    // 2Y·O·O': one place up, and from the last place 19 times to the first
    let twice = each!(|k| odd[k] + odd[k]);
    carry([
        even[0] + times_19(twice[4]),
        mixed[0],
        even[1] + twice[0],
        mixed[1],
        even[2] + twice[1],
        mixed[2],
        even[3] + twice[2],
        mixed[3],
        even[4] + twice[3],
        mixed[4],
    ])
}

#[inline(always)]
pub(super) fn sum_of([a, b, c, d, e, f]: [V; 6]) -> V {
    a + b + (c + d) + (e + f)
}

#[inline(always)]
#[rustfmt::skip] // a table of the columns
pub(super) fn square(a: &Limbs) -> Limbs {
    // E² + 2Y·O² + 2^26·E·2O, with a_k = E_k, o = O, d = 2E, p = 2O, e = 19E and q = 19·2O
    let o = odd_limbs(a);
    let d = add(a, a);
    let p = odd_limbs(&d);
    let [_, _, e3, e4] = multiples_by_19(a);
    let q = multiples_by_19(&p);
    let [_, q2, q3, q4] = q;
    let mixed = convolve(a, &p, &q);
    carry([
        sum_of([
            a[0].times(a[0]), d[1].times(e4), d[2].times(e3),
            p[0].times(q4), p[1].times(q3), o[2].times(q2),
        ]),
        mixed[0],
        sum_of([
            d[0].times(a[1]), d[2].times(e4), a[3].times(e3),
            o[0].times(p[0]), p[1].times(q4), p[2].times(q3),
        ]),
        mixed[1],
        sum_of([
            d[0].times(a[2]), a[1].times(a[1]), d[3].times(e4),
            p[0].times(p[1]), p[2].times(q4), o[3].times(q3),
        ]),
        mixed[2],
        sum_of([
            d[0].times(a[3]), d[1].times(a[2]), a[4].times(e4),
            p[0].times(p[2]), o[1].times(p[1]), p[3].times(q4),
        ]),
        mixed[3],
        sum_of([
            d[0].times(a[4]), d[1].times(a[3]), a[2].times(a[2]),
            p[0].times(p[3]), p[1].times(p[2]), o[4].times(q4),
        ]),
        mixed[4],
    ])
}

/// Carries columns into limbs: one chain, around and on to limb 1.
#[inline(always)]
pub(super) fn carry(c: Columns) -> Limbs {
    let c1 = c[1] + c[0].shift_right::<26>();
    let c2 = c[2] + c1.shift_right::<25>();
    let c3 = c[3] + c2.shift_right::<26>();
    let c4 = c[4] + c3.shift_right::<25>();
    let c5 = c[5] + c4.shift_right::<26>();
    let c6 = c[6] + c5.shift_right::<25>();
    let c7 = c[7] + c6.shift_right::<26>();
    let c8 = c[8] + c7.shift_right::<25>();
    let c9 = c[9] + c8.shift_right::<26>();
    let c0 = (c[0] & c[0].splat(LOW_26)) + c9.shift_right::<25>().times(c[0].splat(19));
    let c1 = (c1 & c[0].splat(LOW_25)) + c0.shift_right::<26>();
    let low = c[0].splat(LOW_PAIR);
    [
        c0 & c[0].splat(LOW_26) | c1.shift_left::<32>(),
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
pub(super) fn add(a: &Limbs, b: &Limbs) -> Limbs {
    each!(|k| a[k].plus_pairs(b[k]))
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
