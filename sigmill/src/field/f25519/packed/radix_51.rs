//! Products and carries in limbs of 51 bits by VPMADD52, for vectors of either length.
//!
//! For chains, in which a product waits for the one before: in this radix a carry is one step for all limbs at once, and
//! what it leaves above 51 bits does no harm, as the multiplier reads one bit more. Where many products are under way, limbs
//! of 52 bits take fewer instructions.
//!
//! Representation: five limbs, a0 + a1·2^51 + … + a4·2^204. VPMADD52 adds the low or the high 52 bits of a product of two
//! limbs to a column; a high half counts twice in the column above.
//!
//! | | limbs or columns | made by |
//! |---|---|---|
//! | operand | limbs below 2^52 | `carry` |
//! | product | columns below `PRODUCT_MAX` | `mul_add`, `square` |
//! | before a carry | columns below `CARRY_MAX` | |
//!
//! All operations are constant time.

use crate::simd::avx512::MultiplyAdd;
use crate::simd::each;

pub(in crate::field::f25519) const LOW_51: u64 = (1 << 51) - 1;
/// 2^255 mod p.
pub(in crate::field::f25519) const FOLD: u64 = 19;
/// Columns of products.
pub(in crate::field::f25519) const PRODUCT_MAX: u64 = 309 << 52;
/// Columns that are carried.
pub(in crate::field::f25519) const CARRY_MAX: u64 = 3381 << 52;

// Every inequality that the arithmetic below relies on.
const _: () = {
    // column k of a product has the low halves of k + 1 products and twice the high halves of k; column
    // k + 5 has 4 − k and twice 5 − k of them and counts 19 times; what `mul_add` adds to may be a limb, a
    // low half and twice a high half
    let mut k = 0;
    while k < 5 {
        let halves = (k + 1) + 2 * k + FOLD * ((4 - k) + 2 * (5 - k));
        assert!((halves + 2 + 2 * FOLD) << 52 <= PRODUCT_MAX);
        // what is rotated has nothing in its top four bits
        assert!(((4 - k) + 2 * (5 - k) + 2) << 52 < 1 << 60);
        k += 1;
    }
    assert!(PRODUCT_MAX <= CARRY_MAX);
    // carries are limbs
    assert!(LOW_51 + FOLD * (CARRY_MAX >> 51) < 1 << 52);
};

/// 2^n·p in limbs of up to 51 + n bits.
pub(in crate::field::f25519) const fn bias(n: u32) -> [u64; 5] {
    [(LOW_51 - 18) << n, LOW_51 << n, LOW_51 << n, LOW_51 << n, LOW_51 << n]
}

/// Limbs of four words.
#[inline(always)]
pub(in crate::field::f25519) fn limbs_of_words([a, b, c, d]: &[u64; 4]) -> [u64; 5] {
    [
        a & LOW_51,
        (a >> 51 | b << 13) & LOW_51,
        (b >> 38 | c << 26) & LOW_51,
        (c >> 25 | d << 39) & LOW_51,
        d >> 12,
    ]
}

/// Four words of limbs of 51 bits.
#[inline(always)]
pub(in crate::field::f25519) fn words_of_limbs([a, b, c, d, e]: [u64; 5]) -> [u64; 4] {
    [a | b << 51, b >> 13 | c << 38, c >> 26 | d << 25, d >> 39 | e << 12]
}

// Loops count with `while`: iterators and closures do not have the instructions of the function that they are
// in, and limbs that one of them has seen are in memory.

/// Columns of low and of high halves: column k is `low[k]` + 2·`high[k − 1]`, and column k + 5 counts 19
/// times in column k.
#[inline(always)]
fn fold<V: MultiplyAdd>(low: &[V; 9], high: &[V; 9]) -> [V; 5] {
    each!(|k| {
        let twice = high[k + 4] + high[k + 4];
        let upper = if k < 4 { low[k + 5] + twice } else { twice };
        // 19 = 1 + 2 + 16, and the high half below counts twice as well
        let once = low[k] + upper;
        let twice = if k > 0 { high[k - 1] + upper } else { upper };
        (once + upper.times_16()) + (twice + twice)
    })
}

#[inline(always)]
fn fold_columns<V: MultiplyAdd>(z: &[V; 10]) -> [V; 5] {
    each!(|k| {
        // 19 = 1 + (16 + 2), three sums deep
        let upper = z[k + 5];
        (z[k] + upper) + (upper.times_16() + (upper + upper))
    })
}

/// `a·b`, added to columns of low and of high halves, the upper ones first: they have the longer way to go.
#[inline(always)]
pub(in crate::field::f25519) fn mul_add<V: MultiplyAdd>(
    mut low: [V; 9],
    mut high: [V; 9],
    a: &[V; 5],
    b: &[V; 5],
) -> [V; 5] {
    let mut i = 5;
    while i > 1 {
        i -= 1;
        let mut j = 5;
        while j > 1 {
            j -= 1;
            high[i + j] = high[i + j].madd_high(a[i], b[j]);
            low[i + j] = low[i + j].madd_low(a[i], b[j]);
        }
    }
    // limb 0 is the last that a carry makes
    let mut k = 5;
    while k > 1 {
        k -= 1;
        high[k] = high[k].madd_high(a[k], b[0]).madd_high(a[0], b[k]);
        low[k] = low[k].madd_low(a[k], b[0]).madd_low(a[0], b[k]);
    }
    high[0] = high[0].madd_high(a[0], b[0]);
    low[0] = low[0].madd_low(a[0], b[0]);
    fold(&low, &high)
}

#[inline(always)]
pub(in crate::field::f25519) fn square<V: MultiplyAdd>(a: &[V; 5]) -> [V; 5] {
    let zero = a[0].splat(0);
    let (mut low, mut high) = ([zero; 9], [zero; 9]);
    let mut i = 4;
    while i > 0 {
        i -= 1;
        let mut j = 5;
        while j > i + 1 {
            j -= 1;
            high[i + j] = high[i + j].madd_high(a[i], a[j]);
            low[i + j] = low[i + j].madd_low(a[i], a[j]);
        }
    }
    // column k: 2·(products of two limbs + 2·their high halves + high half of a square) + a square's low
    let mut z = [zero; 10];
    let mut k = 10;
    while k > 0 {
        k -= 1;
        let mut column = zero;
        if k > 0 {
            let h = k - 1;
            column = high[h] + high[h];
            if h % 2 == 0 {
                column = column.madd_high(a[h / 2], a[h / 2]);
            }
        }
        if k < 9 {
            column = column + low[k];
        }
        column = column + column;
        if k % 2 == 0 {
            column = column.madd_low(a[k / 2], a[k / 2]);
        }
        z[k] = column;
    }
    fold_columns(&z)
}

/// Columns below `CARRY_MAX` become limbs, each from its own column and the one below.
#[inline(always)]
pub(in crate::field::f25519) fn carry<V: MultiplyAdd>(u: &[V; 5]) -> [V; 5] {
    let low = u[0].splat(LOW_51);
    let over = each!(|k| u[k].above_51_bits());
    [
        (u[0] & low).madd_low(over[4], u[0].splat(FOLD)),
        (u[1] & low) + over[0],
        (u[2] & low) + over[1],
        (u[3] & low) + over[2],
        (u[4] & low) + over[3],
    ]
}

/// Limbs become limbs of 51 bits: an integer below 2^255, congruent to the value.
#[inline(always)]
pub(in crate::field::f25519) fn normalized<V: MultiplyAdd>(mut a: [V; 5]) -> [V; 5] {
    let low = a[0].splat(LOW_51);
    // twice from limb to limb: the first time brings the integer below 2^255 + 2^52
    let mut round = 0;
    while round < 2 {
        let mut k = 0;
        while k < 4 {
            a[k + 1] = a[k + 1] + a[k].above_51_bits();
            a[k] = a[k] & low;
            k += 1;
        }
        a[0] = a[0].madd_low(a[4].above_51_bits(), low.splat(FOLD));
        a[4] = a[4] & low;
        round += 1;
    }
    a
}

#[cfg(test)]
pub(in crate::field::f25519) mod tests;
