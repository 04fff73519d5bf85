//! GF(2^255 − 19), four values of one formula, AVX-512 IFMA on vectors of 256 bits.
//!
//! For a chain of formulas on one secret or one signature, where each waits for the one before: what counts is
//! how soon a product is ready. So limbs have 51 bits, one less than the multiplier reads: a carry is one step for all
//! limbs at once, and what it leaves above 51 bits does no harm.
//!
//! Representation: five vectors of four 64-bit limbs, radix 2^51. VPMADD52 adds the low or the high 52 bits
//! of a product of two limbs to a column; a high half counts twice in the column above.
//!
//! | type | limbs or columns | made by |
//! |---|---|---|
//! | `Fe` | limbs below 2^52 | carries, loads |
//! | `Product` | below 309·2^52 | `mul`, `mul_sum`, `square` |
//! | `Sum` | below 1333·2^52 | `sums` |
//!
//! All operations are constant time. Every value carries the token [`Ifma`], so that it proves that the
//! CPU has the instructions; the functions on bare vectors are private.

use super::super::{PackedField, PackedJob};
use crate::cpu::Ifma;
use core::arch::x86_64::*;

type V = __m256i;

/// An operand.
#[derive(Clone, Copy)]
pub(crate) struct Fe([V; 5], Ifma);

/// One product.
#[derive(Clone, Copy)]
pub(crate) struct Product([V; 5], Ifma);

/// A sum or difference of two lanes of a product.
#[derive(Clone, Copy)]
pub(crate) struct Sum([V; 5], Ifma);

const LOW_51: u64 = (1 << 51) - 1;
/// 2^255 mod p.
const FOLD: u64 = 19;
/// Columns of products, of sums, and of what is carried: sums and differences of two of either, in
/// `butterflies` one of them doubled.
const PRODUCT_MAX: u64 = 309 << 52;
const SUM_MAX: u64 = 1333 << 52;
const CARRY_MAX: u64 = 3381 << 52;

/// 2048·p and 4096·p in columns: what subtractions of products and of sums add so that no column goes
/// below zero.
const BIAS: [u64; 5] = bias(11);
const SUM_BIAS: [u64; 5] = bias(12);

/// 2^n·p.
const fn bias(n: u32) -> [u64; 5] {
    [(LOW_51 - 18) << n, LOW_51 << n, LOW_51 << n, LOW_51 << n, LOW_51 << n]
}

// Every inequality that the arithmetic below relies on.
const _: () = {
    // column k of a product has the low halves of k + 1 products and twice the high halves of k; column
    // k + 5 has 4 − k and twice 5 − k of them and counts 19 times; `mul_sum` adds a limb, a low half and
    // twice a high half
    let mut k = 0;
    while k < 5 {
        let halves = (k + 1) + 2 * k + FOLD * ((4 - k) + 2 * (5 - k));
        assert!((halves + 2 + 2 * FOLD) << 52 <= PRODUCT_MAX);
        // what is rotated has nothing in its top four bits
        assert!(((4 - k) + 2 * (5 - k) + 2) << 52 < 1 << 60);
        k += 1;
    }
    // subtractions never go below zero and can be carried
    assert!(BIAS[0] >= 2 * PRODUCT_MAX && 2 * PRODUCT_MAX + BIAS[1] <= CARRY_MAX);
    assert!(PRODUCT_MAX + BIAS[1] <= SUM_MAX && 2 * PRODUCT_MAX <= SUM_MAX);
    assert!(SUM_BIAS[0] >= SUM_MAX && SUM_MAX + SUM_BIAS[1] <= CARRY_MAX);
    assert!(2 * SUM_MAX <= CARRY_MAX);
    // carries are limbs, and what has been loaded from words is, doubled
    assert!(LOW_51 + FOLD * (CARRY_MAX >> 51) < 1 << 52);
    assert!(2 * LOW_51 < 1 << 52);
};

// Loops count with `while`: iterators and closures do not have the instructions of the function that they are
// in, and limbs that one of them has seen are in memory.

/// Safe names for the instructions, on vectors of four words.
macro_rules! instructions {
    ($($name:ident($($argument:ident),*) = $intrinsic:path;)*) => {
        $(#[inline(always)]
        #[allow(unsafe_code)]
        fn $name($($argument: V),*) -> V {
            // SAFETY: this file's functions are reached only through values that hold the token or
            // take it, and the token proves that the CPU has AVX-512 F, VL, BW, DQ, CD and IFMA.
            unsafe { $intrinsic($($argument),*) }
        })*
    };
}

instructions! {
    madd_low(column, a, b) = _mm256_madd52lo_epu64;
    madd_high(column, a, b) = _mm256_madd52hi_epu64;
    plus(a, b) = _mm256_add_epi64;
    and(a, b) = _mm256_and_si256;
    zero() = _mm256_setzero_si256;
    permuted(index, a) = _mm256_permutexvar_epi64;
    of_lane_1(a) = _mm256_permute4x64_epi64::<0x55>;
    even_lanes(a, b) = _mm256_unpacklo_epi64;
    odd_lanes(a, b) = _mm256_unpackhi_epi64;
    lower_halves(a, b) = _mm256_permute2x128_si256::<0x20>;
    upper_halves(a, b) = _mm256_permute2x128_si256::<0x31>;
    neighbours(a) = _mm256_shuffle_epi32::<0x4e>;
}

#[inline(always)]
#[allow(unsafe_code)]
fn shift_right<const N: i32>(a: V) -> V {
    // SAFETY: only values with a token lead here, and it proves that the CPU has AVX-512.
    unsafe { _mm256_srli_epi64::<N>(a) }
}

#[inline(always)]
#[allow(unsafe_code)]
fn shift_left<const N: i32>(a: V) -> V {
    // SAFETY: only values with a token lead here, and it proves that the CPU has AVX-512.
    unsafe { _mm256_slli_epi64::<N>(a) }
}

/// 2^N·a for a below 2^(64 − N). A rotation, as the compiler makes one multiplication of shifts and
/// additions, which takes fifteen cycles.
#[inline(always)]
#[allow(unsafe_code)]
fn times_power<const N: i32>(a: V) -> V {
    // SAFETY: only values with a token lead here, and it proves that the CPU has AVX-512.
    unsafe { _mm256_rol_epi64::<N>(a) }
}

/// The same word in every lane.
#[inline(always)]
#[allow(unsafe_code)]
fn all(word: u64) -> V {
    // SAFETY: only values with a token lead here, and it proves that the CPU has AVX-512.
    unsafe { _mm256_set1_epi64x(word as i64) }
}

/// `a − b` where the bit is set, else `b`.
#[inline(always)]
#[allow(unsafe_code)]
fn minus_where(mask: u8, a: V, b: V) -> V {
    // SAFETY: only values with a token lead here, and it proves that the CPU has AVX-512.
    unsafe { _mm256_mask_sub_epi64(b, mask, a, b) }
}

/// `if_true` where the bit is set.
#[inline(always)]
#[allow(unsafe_code)]
fn blend(mask: u8, if_true: V, if_false: V) -> V {
    // SAFETY: only values with a token lead here, and it proves that the CPU has AVX-512.
    unsafe { _mm256_mask_blend_epi64(mask, if_false, if_true) }
}

#[inline(always)]
#[allow(unsafe_code)]
fn from_array(words: [u64; 4]) -> V {
    // SAFETY: 32 bytes of plain data on both sides.
    unsafe { core::mem::transmute::<[u64; 4], V>(words) }
}

#[inline(always)]
#[allow(unsafe_code)]
fn to_array(vector: V) -> [u64; 4] {
    // SAFETY: 32 bytes of plain data on both sides.
    unsafe { core::mem::transmute::<V, [u64; 4]>(vector) }
}

/// Columns of low and of high halves: column k is `low[k]` + 2·`high[k − 1]`, and column k + 5 counts 19
/// times in column k.
#[inline(always)]
fn fold(low: &[V; 9], high: &[V; 9]) -> [V; 5] {
    let mut z = [zero(); 10];
    let mut k = 0;
    while k < 10 {
        let twice = if k > 0 { plus(high[k - 1], high[k - 1]) } else { zero() };
        z[k] = if k < 9 { plus(low[k], twice) } else { twice };
        k += 1;
    }
    fold_columns(&z)
}

#[inline(always)]
fn fold_columns(z: &[V; 10]) -> [V; 5] {
    let mut r = [zero(); 5];
    let mut k = 0;
    while k < 5 {
        // 19 = 16 + 2 + 1
        let upper = z[k + 5];
        let three = plus(upper, times_power::<1>(upper));
        r[k] = plus(plus(z[k], three), times_power::<4>(upper));
        k += 1;
    }
    r
}

/// `a·b`, added to columns of low and of high halves, the upper ones first: they have the longer way to go.
#[inline(always)]
fn mul_add(mut low: [V; 9], mut high: [V; 9], a: &[V; 5], b: &[V; 5]) -> [V; 5] {
    let mut i = 5;
    while i > 0 {
        i -= 1;
        let mut j = 5;
        while j > 0 {
            j -= 1;
            high[i + j] = madd_high(high[i + j], a[i], b[j]);
            low[i + j] = madd_low(low[i + j], a[i], b[j]);
        }
    }
    fold(&low, &high)
}

#[inline(always)]
fn square(a: &[V; 5]) -> [V; 5] {
    let (mut low, mut high) = ([zero(); 9], [zero(); 9]);
    let mut i = 4;
    while i > 0 {
        i -= 1;
        let mut j = 5;
        while j > i + 1 {
            j -= 1;
            high[i + j] = madd_high(high[i + j], a[i], a[j]);
            low[i + j] = madd_low(low[i + j], a[i], a[j]);
        }
    }
    // column k: 2·(products of two limbs + 2·their high halves + high half of a square) + a square's low
    let mut z = [zero(); 10];
    let mut k = 10;
    while k > 0 {
        k -= 1;
        let mut column = zero();
        if k > 0 {
            let h = k - 1;
            column = plus(high[h], high[h]);
            if h % 2 == 0 {
                column = madd_high(column, a[h / 2], a[h / 2]);
            }
        }
        if k < 9 {
            column = plus(column, low[k]);
        }
        column = plus(column, column);
        if k % 2 == 0 {
            column = madd_low(column, a[k / 2], a[k / 2]);
        }
        z[k] = column;
    }
    fold_columns(&z)
}

/// Columns below `CARRY_MAX` become limbs, each from its own column and the one below.
#[inline(always)]
fn carry(u: &[V; 5]) -> [V; 5] {
    let low = all(LOW_51);
    let over = [
        shift_right::<51>(u[0]),
        shift_right::<51>(u[1]),
        shift_right::<51>(u[2]),
        shift_right::<51>(u[3]),
        shift_right::<51>(u[4]),
    ];
    [
        madd_low(and(u[0], low), over[4], all(FOLD)),
        plus(and(u[1], low), over[0]),
        plus(and(u[2], low), over[1]),
        plus(and(u[3], low), over[2]),
        plus(and(u[4], low), over[3]),
    ]
}

/// Limbs of four words a lane, of which bit 255 is 0.
#[inline(always)]
fn limbs_of_words([a, b, c, d]: [&[u64; 4]; 4]) -> [V; 5] {
    let [a, b, c, d] = [from_array(*a), from_array(*b), from_array(*c), from_array(*d)];
    // the same word of all lanes
    let (ab, cd) = (even_lanes(a, b), even_lanes(c, d));
    let (w0, w2) = (lower_halves(ab, cd), upper_halves(ab, cd));
    let (ab, cd) = (odd_lanes(a, b), odd_lanes(c, d));
    let (w1, w3) = (lower_halves(ab, cd), upper_halves(ab, cd));
    let low = all(LOW_51);
    [
        and(w0, low),
        and(plus(shift_right::<51>(w0), shift_left::<13>(w1)), low),
        and(plus(shift_right::<38>(w1), shift_left::<26>(w2)), low),
        and(plus(shift_right::<25>(w2), shift_left::<39>(w3)), low),
        shift_right::<12>(w3),
    ]
}

impl PackedField for Fe {
    type Product = Product;
    type Sum = Sum;
    type Token = Ifma;

    // on the outer function, because rustc (1.95) forgets it where there are target features
    #[inline(never)]
    #[allow(unsafe_code)]
    fn enter<J: PackedJob<Fe>>(token: Ifma, job: J) -> J::Output {
        #[target_feature(
            enable = "avx512f,avx512ifma,avx512vl,avx512bw,avx512dq,avx512cd,avx2,bmi1,bmi2,lzcnt,popcnt"
        )]
        fn with_features<J: PackedJob<Fe>>(token: Ifma, job: J) -> J::Output {
            job.run(token)
        }
        // SAFETY: the token proves that the CPU has these features.
        unsafe { with_features(token, job) }
    }

    #[inline(always)]
    fn from_words<const TWICE: u8>(token: Ifma, words: [&[u64; 4]; 4]) -> Fe {
        let mut limbs = limbs_of_words(words);
        let mut k = 0;
        while k < 5 {
            limbs[k] = blend(TWICE, plus(limbs[k], limbs[k]), limbs[k]);
            k += 1;
        }
        Fe(limbs, token)
    }

    #[inline(always)]
    fn to_words(&self) -> [[u64; 4]; 4] {
        // twice from limb to limb: the first time brings the integer below 2^255 + 2^52
        let mut a = self.0;
        for _ in 0..2 {
            for k in 0..4 {
                a[k + 1] = plus(a[k + 1], shift_right::<51>(a[k]));
                a[k] = and(a[k], all(LOW_51));
            }
            a[0] = madd_low(a[0], shift_right::<51>(a[4]), all(FOLD));
            a[4] = and(a[4], all(LOW_51));
        }
        let limbs =
            [to_array(a[0]), to_array(a[1]), to_array(a[2]), to_array(a[3]), to_array(a[4])];
        [0, 1, 2, 3].map(|lane| {
            let [a, b, c, d, e] = limbs.map(|limb| limb[lane]);
            [a | b << 51, b >> 13 | c << 38, c >> 26 | d << 25, d >> 39 | e << 12]
        })
    }

    #[inline(always)]
    fn mul(&self, other: &Fe) -> Product {
        Product(mul_add([zero(); 9], [zero(); 9], &self.0, &other.0), self.1)
    }

    #[inline(always)]
    fn mul_sum(a: &Fe, b: &Fe, c: &Fe, factors: [u32; 4], d: &Fe) -> Product {
        let (mut low, mut high) = ([zero(); 9], [zero(); 9]);
        let [p, q, r, s] = factors;
        let factors = from_array([p.into(), q.into(), r.into(), s.into()]);
        let mut k = 0;
        while k < 5 {
            low[k] = madd_low(d.0[k], c.0[k], factors);
            high[k] = madd_high(zero(), c.0[k], factors);
            k += 1;
        }
        Product(mul_add(low, high, &a.0, &b.0), a.1)
    }

    #[inline(always)]
    fn square(&self) -> Product {
        Product(square(&self.0), self.1)
    }

    #[inline(always)]
    fn carry(product: &Product) -> Fe {
        Fe(carry(&product.0), product.1)
    }

    #[inline(always)]
    fn butterflies<const MINUS: u8, const TWICE: u8>(product: &Product) -> Fe {
        let mut columns = product.0;
        let mut k = 0;
        while k < 5 {
            let own = blend(TWICE, plus(columns[k], columns[k]), columns[k]);
            columns[k] = plus(neighbours(own), minus_where(MINUS, all(BIAS[k]), own));
            k += 1;
        }
        Fe(carry(&columns), product.1)
    }

    #[inline(always)]
    fn sums<const MINUS: u8, const TWICE: u8, const ALONE: u8>(product: &Product) -> Sum {
        let mut columns = product.0;
        let mut k = 0;
        while k < 5 {
            let own = columns[k];
            let other = blend(TWICE, own, neighbours(own));
            let other = minus_where(MINUS, all(BIAS[k]), other);
            columns[k] = blend(ALONE, own, plus(own, other));
            k += 1;
        }
        Sum(columns, product.1)
    }

    #[inline(always)]
    fn carry_sum(sum: &Sum) -> Fe {
        Fe(carry(&sum.0), sum.1)
    }

    #[inline(always)]
    fn carry_with_lane_1<const PLUS: u8, const MINUS: u8>(sum: &Sum) -> Fe {
        let mut columns = sum.0;
        let mut k = 0;
        while k < 5 {
            let own = columns[k];
            let other = minus_where(MINUS, all(SUM_BIAS[k]), of_lane_1(own));
            columns[k] = blend(PLUS | MINUS, plus(own, other), own);
            k += 1;
        }
        Fe(carry(&columns), sum.1)
    }

    #[inline(always)]
    fn choose<const MASK: u8>(if_set: &Fe, if_clear: &Fe) -> Fe {
        let mut limbs = if_clear.0;
        let mut k = 0;
        while k < 5 {
            limbs[k] = blend(MASK, if_set.0[k], limbs[k]);
            k += 1;
        }
        Fe(limbs, if_set.1)
    }

    #[inline(always)]
    fn neighbours(&self) -> Fe {
        let mut limbs = self.0;
        let mut k = 0;
        while k < 5 {
            limbs[k] = neighbours(limbs[k]);
            k += 1;
        }
        Fe(limbs, self.1)
    }

    #[inline(always)]
    fn permuted(&self, lanes: [u64; 4]) -> Fe {
        let (index, mut limbs) = (from_array(lanes), self.0);
        let mut k = 0;
        while k < 5 {
            limbs[k] = permuted(index, limbs[k]);
            k += 1;
        }
        Fe(limbs, self.1)
    }

    #[inline(always)]
    #[allow(unsafe_code)]
    fn prefetch<T>(_: Ifma, value: &T) {
        let (first, last) = (core::ptr::from_ref(value).cast::<i8>(), size_of::<T>().max(1) - 1);
        let mut offset = 0;
        while offset < last + 64 {
            let line = first.wrapping_add(if offset < last { offset } else { last });
            // SAFETY: a prefetch reads nothing, and the address is that of a byte of the value.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(line) };
            offset += 64;
        }
    }
}

#[cfg(test)]
#[path = "../../tests/ifma_x4.rs"]
mod tests;
