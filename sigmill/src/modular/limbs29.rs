//! Products modulo a prime that is the sum of few powers of two, by multiplications of 32-bit words.
//!
//! Operands are cut into limbs of 29 bits, so that a column of products is added up in 64 bits and carried once. As −1/m is 1
//! mod 2^29, the reduction needs no multiplication: the next limb of q is the lowest limb that is left, and q·m is q shifted to
//! few places. Columns are computed one after the other, the lowest first, each with its products and its reduction (Koç,
//! Acar, Kaliski, "Analyzing and Comparing Montgomery Multiplication Algorithms", 1996: FIPS). R is 2^(64·N): the highest
//! limb of q has the bits that are left.
//!
//! Bounds: limbs of operands and of q are below 2^29, of at most 14. A column is below 14·2^58 + 2·2^57 + 2^35 < 2^62 and
//! above −2^59.
//!
//! Constant time.

#![allow(clippy::needless_range_loop)] // columns run through several arrays at once

use super::integer::subtract_once;
use super::modulus::{self, Modulus};
use core::array::from_fn;
use core::marker::PhantomData;

/// Bits of a limb.
const BITS: usize = 29;
const LOW: i64 = (1 << BITS) - 1;
/// Limbs of six words.
const LIMBS_MAX: usize = 14;

/// The lowest first. Constants say how many are used, so that the others compile to nothing.
type Limbs = [i64; LIMBS_MAX];

/// A prime of this form.
pub(crate) trait Sparse {
    /// The powers of two that m + 1 is the sum of: exponents, the highest last, and signs.
    const POWERS: [(usize, i64); 4];
}

/// A modulus in limbs of 29 bits.
#[derive(Clone, Copy)]
pub(crate) struct Limbs29<M>(PhantomData<M>);

/// The result of a function for every column and the carry that is left.
macro_rules! columns {
    ($column:ident($a:ident, $b:ident) for $modulus:ident, $n:ident) => {
        columns!(@ $column, $a, $b, $modulus, $n;
            0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26)
    };
    (@ $column:ident, $a:ident, $b:ident, $modulus:ident, $n:ident; $($k:literal)*) => {{
        let (mut q, mut rest, mut carry) = ([0; LIMBS_MAX], [0; LIMBS_MAX], 0);
        $(if $k < 2 * last($n) + 1 {
            carry = $column::<$n, $k>(carry, &$a, &$b);
            carry = reduced_column::<$modulus, $n, $k>(carry, &mut q, &mut rest);
        })*
        words_below_m::<$modulus, $n>(&rest, carry)
    }};
}

impl<M: Modulus<N> + Sparse, const N: usize> Modulus<N> for Limbs29<M> {
    type Token = ();
    type Plain = Self;
    const MODULUS: [u64; N] = M::MODULUS;

    // all are functions of their own: formulas with copies of them are several times as large
    #[inline(never)]
    fn product((): (), a: &[u64; N], b: &[u64; N]) -> [u64; N] {
        let (a, b) = (limbs_of(a), limbs_of(b));
        columns!(product_column(a, b) for M, N)
    }

    #[inline(never)]
    fn square((): (), a: &[u64; N]) -> [u64; N] {
        let a = limbs_of(a);
        let twice = a.map(|limb| limb << 1);
        columns!(square_column(a, twice) for M, N)
    }

    #[inline(never)]
    fn add(a: &[u64; N], b: &[u64; N]) -> [u64; N] {
        modulus::add::<Self, N>(a, b)
    }

    #[inline(never)]
    fn sub(a: &[u64; N], b: &[u64; N]) -> [u64; N] {
        modulus::sub::<Self, N>(a, b)
    }

    #[inline(never)]
    fn halve(a: &[u64; N]) -> [u64; N] {
        modulus::halve::<Self, N>(a)
    }

    fn canonical(a: &[u64; N]) -> [u64; N] {
        Self::product((), a, &from_fn(|i| u64::from(i == 0)))
    }
}

/// The index of the highest limb of N words.
const fn last(n: usize) -> usize {
    64 * n / BITS
}

/// Bits of the highest limb.
const fn last_bits(n: usize) -> usize {
    64 * n % BITS
}

#[inline(always)]
fn limbs_of<const N: usize>(words: &[u64; N]) -> Limbs {
    const { assert!(last(N) < LIMBS_MAX && last_bits(N) > 0) };
    from_fn(|i| {
        let (word, shift) = (BITS * i / 64, BITS * i % 64);
        if word >= N {
            return 0;
        }
        let mut bits = words[word] >> shift;
        if shift > 64 - BITS && word + 1 < N {
            bits |= words[word + 1] << (64 - shift);
        }
        bits as i64 & LOW
    })
}

/// `sum` and the products of column K.
#[inline(always)]
fn product_column<const N: usize, const K: usize>(mut sum: i64, a: &Limbs, b: &Limbs) -> i64 {
    for i in 0..last(N) + 1 {
        if i <= K && K - i <= last(N) {
            sum = sum.wrapping_add(a[i].wrapping_mul(b[K - i]));
        }
    }
    sum
}

/// The same of a square: products of different limbs once, by twice one of them.
#[inline(always)]
fn square_column<const N: usize, const K: usize>(mut sum: i64, a: &Limbs, twice: &Limbs) -> i64 {
    for i in 0..last(N) + 1 {
        if i < K - K / 2 && K - i <= last(N) {
            sum = sum.wrapping_add(twice[i].wrapping_mul(a[K - i]));
        }
    }
    if K.is_multiple_of(2) { sum.wrapping_add(a[K / 2].wrapping_mul(a[K / 2])) } else { sum }
}

/// Adds what limbs of q bring to column K, takes the next limb of q from it, or a limb of the rest, and gives the carry.
#[inline(always)]
fn reduced_column<M: Sparse, const N: usize, const K: usize>(
    mut sum: i64,
    q: &mut Limbs,
    rest: &mut Limbs,
) -> i64 {
    for (exponent, sign) in M::POWERS {
        let (limb, shift) = (exponent / BITS, exponent % BITS);
        if limb <= K && K - limb <= last(N) {
            sum = sum.wrapping_add(sign.wrapping_mul(q[K - limb] << shift));
        }
    }
    if K < last(N) {
        q[K] = sum & LOW;
    } else {
        if K == last(N) {
            q[K] = sum & const { (1 << last_bits(N)) - 1 };
        }
        rest[K - last(N)] = sum & LOW;
    }
    sum >> BITS
}

/// The words of limbs and a carry above them, without the bits that the last limb of q made zero; the number is below 2·m.
#[inline(always)]
fn words_below_m<M: Modulus<N>, const N: usize>(rest: &Limbs, carry: i64) -> [u64; N] {
    let (mut words, mut top) = ([0; N], 0);
    words[0] = (rest[0] >> last_bits(N)) as u64;
    for i in 1..last(N) + 2 {
        let bit = BITS * i - last_bits(N);
        let (word, shift) = (bit / 64, bit % 64);
        let limb = if i <= last(N) { rest[i] } else { carry } as u64;
        if word < N {
            words[word] |= limb << shift;
        } else {
            top |= limb << shift;
        }
        if shift > 64 - BITS {
            if word + 1 < N {
                words[word + 1] |= limb >> (64 - shift);
            } else if word + 1 == N {
                top |= limb >> (64 - shift);
            }
        }
    }
    subtract_once(words, top, &M::MODULUS)
}
