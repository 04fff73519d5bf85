//! GF(2^255 − 19), eight values of one formula, AVX-512 IFMA on vectors of 512 bits.
//!
//! As `ifma_x4`, for formulas that fill eight lanes: on a CPU that works on 512 bits at once a product of eight values is
//! ready as soon as one of four.
//!
//! Representation: five vectors of eight 64-bit limbs, radix 2^51 (`radix_51`). The opposite of x is its complement,
//! −x − 1 in each column: what makes up for that is in what it is added to ([`Offset`]).
//!
//! | type | limbs or columns | made by |
//! |---|---|---|
//! | `Fe` | limbs below 2^52 | carries |
//! | `Product` | below `STARTED_MAX`; `PRODUCT_MAX` and limbs of `Second` in lanes that are taken away | `mul`, `widen` |
//!
//! All operations are constant time.

use super::radix_51::{
    CARRY_MAX, FOLD, LOW_51, PRODUCT_MAX, bias, carry, limbs_of_words, normalized, words_of_limbs,
};
use super::{Offset, WideField};
use crate::cpu::Ifma;
use crate::simd::avx512::U64x8;
use crate::simd::{Proven, each};
use core::hint::black_box;

type V = U64x8;

/// An operand.
#[derive(Clone, Copy)]
pub(crate) struct Fe([V; 5]);

/// One product, and what it started from.
#[derive(Clone, Copy)]
pub(crate) struct Product([V; 5]);

/// The start of products.
#[derive(Clone, Copy)]
pub(crate) struct Start {
    columns: [V; 5],
    /// 4 in each lane.
    four: V,
}

/// Sums with the neighbour, and differences.
#[derive(Clone, Copy)]
pub(crate) struct Pairs {
    /// The bytes of the neighbour, or none.
    places: V,
    minus: V,
}

/// Sums with any lane, and differences.
#[derive(Clone, Copy)]
pub(crate) struct Sums {
    others: V,
    own: V,
    minus: V,
}

/// 2^11·p in columns: no column of what is taken from it is greater.
const BIAS: [u64; 5] = bias(11);
/// Half of 1 in each column, mod p, in limbs: what a difference lacks that is made by a complement.
const HALF: [u64; 5] = half_of_ones();
const STARTED_MAX: u64 = PRODUCT_MAX + BIAS[1] + LOW_51 + 1;
/// The greatest factor of `times`.
const FACTOR_MAX: u64 = 1 << 20;

/// (p + 1 in each limb)/2.
const fn half_of_ones() -> [u64; 5] {
    let mut limbs = bias(0);
    let (mut k, mut above) = (5, 0);
    while k > 0 {
        k -= 1;
        let limb = limbs[k] + 1 + (above << 51);
        limbs[k] = limb / 2;
        above = limb % 2;
    }
    // the sum is even
    assert!(above == 0);
    limbs
}

// Every inequality that the arithmetic below relies on.
const _: () = {
    let mut k = 0;
    while k < 5 {
        // what is taken away, with the 1 of its complement, is less than what it is taken from
        assert!(BIAS[k] > PRODUCT_MAX + 2 * bias(0)[k] && HALF[k] <= 2 * bias(0)[k]);
        k += 1;
    }
    // sums of two can be carried
    assert!(2 * STARTED_MAX <= CARRY_MAX);
    // a multiple of limbs below 2^52: 51 bits, and what comes from the limb below
    assert!(LOW_51 + FOLD * (2 * FACTOR_MAX) < 1 << 52);
};

/// Values that the compiler is not to know: it would make other instructions of them, which take longer.
#[inline(always)]
fn unknown(token: Ifma, words: [u64; 8]) -> V {
    black_box(V::from_array(token, words))
}

/// A bit a lane as all bits of the lane.
const fn spread(lanes: u8) -> [u64; 8] {
    let mut words = [0; 8];
    let mut lane = 0;
    while lane < 8 {
        words[lane] = 0_u64.wrapping_sub((lanes >> lane & 1) as u64);
        lane += 1;
    }
    words
}

/// Column k of the low or of the high halves of `a·b`, added to `start`: chains of at most three, in which limb 0 comes last, as
/// it is the last that a carry makes.
macro_rules! column {
    ($half:ident 0 $a:ident $b:ident $start:expr) => { column!($half $a $b $start; 0 0) };
    ($half:ident 1 $a:ident $b:ident $start:expr) => { column!($half $a $b $start; 1 0, 0 1) };
    ($half:ident 2 $a:ident $b:ident $start:expr) => { column!($half $a $b $start; 1 1, 2 0, 0 2) };
    ($half:ident 3 $a:ident $b:ident $start:expr) => { column!($half $a $b $start; 2 1, 3 0; 1 2, 0 3) };
    ($half:ident 4 $a:ident $b:ident $start:expr) => { column!($half $a $b $start; 3 1, 1 3, 4 0; 2 2, 0 4) };
    ($half:ident 5 $a:ident $b:ident $start:expr) => { column!($half $a $b $start; 4 1, 2 3; 3 2, 1 4) };
    ($half:ident 6 $a:ident $b:ident $start:expr) => { column!($half $a $b $start; 4 2, 3 3, 2 4) };
    ($half:ident 7 $a:ident $b:ident $start:expr) => { column!($half $a $b $start; 4 3, 3 4) };
    ($half:ident 8 $a:ident $b:ident $start:expr) => { column!($half $a $b $start; 4 4) };
    ($half:ident $a:ident $b:ident $start:expr; $($i:literal $j:literal),*) => {
        $start$(.$half($a[$i], $b[$j]))*
    };
    ($half:ident $a:ident $b:ident $start:expr; $($i:literal $j:literal),*; $($m:literal $n:literal),*) => {
        $start$(.$half($a[$i], $b[$j]))* + $a[0].splat(0)$(.$half($a[$m], $b[$n]))*
    };
}

/// `start + a·b`, for vectors that are alone: columns one after the other.
#[inline(always)]
fn mul_columns(start: &Start, a: &[V; 5], b: &[V; 5]) -> [V; 5] {
    let Start { columns, four } = start;
    let zero = a[0].splat(0);
    macro_rules! upper {
        ($low:tt $high:tt) => {{
            let high = column!(madd_high $high a b zero);
            column!(madd_low $low a b zero) + (high + high)
        }};
    }
    macro_rules! lower {
        ($low:tt $high:tt $upper:ident) => {{
            // low + 2·high + 19·upper: one sum after the last product
            let times_16 = $upper.shift_left_each(*four);
            let twice = column!(madd_high $high a b zero) + $upper;
            column!(madd_low $low a b columns[$low]) + ($upper + times_16 + (twice + twice))
        }};
    }
    let high = column!(madd_high 8 a b zero);
    let u4 = high + high;
    let (u3, u0, u1, u2) = (upper!(8 7), upper!(5 4), upper!(6 5), upper!(7 6));
    let z4 = lower!(4 3 u4);
    let times_16 = u0.shift_left_each(*four);
    let z0 = (column!(madd_low 0 a b columns[0]) + u0) + (times_16 + (u0 + u0));
    let (z3, z1, z2) = (lower!(3 2 u3), lower!(1 0 u1), lower!(2 1 u2));
    [z0, z1, z2, z3, z4]
}

impl Proven for Fe {
    type Token = Ifma;
}

impl WideField for Fe {
    type Product = Product;
    type Start = Start;
    type Index = V;
    type Pairs = Pairs;
    type Sums = Sums;

    #[inline(always)]
    fn start(token: Ifma, lanes: [Offset; 8]) -> Start {
        let mut columns = [[0; 8]; 5];
        let mut lane = 0;
        while lane < 8 {
            let mut k = 0;
            while k < 5 {
                columns[k][lane] = match lanes[lane] {
                    Offset::None => 0,
                    Offset::Minuend => BIAS[k] + 1,
                    Offset::First => BIAS[k] + HALF[k],
                    Offset::Second => 2 * bias(0)[k] - HALF[k],
                };
                k += 1;
            }
            lane += 1;
        }
        let columns = each!(|k| V::from_array(token, columns[k]));
        Start { columns, four: unknown(token, [4; 8]) }
    }

    #[inline(always)]
    fn index(token: Ifma, lanes: [u64; 8]) -> V {
        V::from_array(token, lanes)
    }

    #[inline(always)]
    fn index_where(mask: u64, if_set: V, if_clear: V) -> V {
        V::choose(if_set.splat(mask), if_set, if_clear)
    }

    #[inline(always)]
    fn pairs(token: Ifma, sums: u8, minus: u8) -> Pairs {
        // bytes 8 to 15 and 0 to 7 of two lanes, or zeros
        let mut places = [0x8080_8080_8080_8080; 8];
        let mut lane = 0;
        while lane < 8 {
            if sums >> lane & 1 == 1 {
                places[lane] = [0x0f0e_0d0c_0b0a_0908, 0x0706_0504_0302_0100][lane % 2];
            }
            lane += 1;
        }
        Pairs { places: unknown(token, places), minus: unknown(token, spread(minus)) }
    }

    #[inline(always)]
    fn sums(token: Ifma, others: [u64; 8], own: u8, minus: u8) -> Sums {
        Sums {
            others: V::from_array(token, others),
            own: unknown(token, spread(own)),
            minus: unknown(token, spread(minus)),
        }
    }

    #[inline(always)]
    fn widen(token: Ifma, words: [&[u64; 4]; 8], start: &Start) -> Product {
        let mut columns = [[0; 8]; 5];
        let mut lane = 0;
        while lane < 8 {
            let limbs = limbs_of_words(words[lane]);
            let mut k = 0;
            while k < 5 {
                columns[k][lane] = limbs[k];
                k += 1;
            }
            lane += 1;
        }
        Product(each!(|k| V::from_array(token, columns[k]) + start.columns[k]))
    }

    #[inline(always)]
    fn mul(&self, other: &Fe, start: &Start) -> Product {
        Product(mul_columns(start, &self.0, &other.0))
    }

    #[inline(always)]
    fn add_pairs(product: &Product, pairs: &Pairs) -> Fe {
        Fe(carry(&each!(|k| {
            let own = product.0[k];
            own.shuffled_bytes(pairs.places) + (own ^ pairs.minus)
        })))
    }

    #[inline(always)]
    fn add(product: &Product, sums: &Sums) -> Fe {
        Fe(carry(&each!(|k| {
            let own = product.0[k];
            own.permute(u8::MAX, sums.others) + V::and_xor(own, sums.own, sums.minus)
        })))
    }

    #[inline(always)]
    fn times(&self, factors: [u64; 8]) -> Fe {
        let (zero, low) = (self.0[0].splat(0), self.0[0].splat(LOW_51));
        // 51 bits, and what is above them
        let once = zero.words(factors);
        let twice = once + once;
        let (mut over, mut rest) = (self.0, self.0);
        let mut k = 5;
        while k > 0 {
            k -= 1;
            over[k] = zero.madd_high(self.0[k], twice);
            rest[k] = zero.madd_low(self.0[k], once) & low;
        }
        Fe([
            rest[0].madd_low(over[4], zero.splat(FOLD)),
            rest[1] + over[0],
            rest[2] + over[1],
            rest[3] + over[2],
            rest[4] + over[3],
        ])
    }

    #[inline(always)]
    fn permuted(&self, index: V) -> Fe {
        let mut a = self.0;
        let mut k = 5;
        while k > 0 {
            k -= 1;
            a[k] = self.0[k].permute(u8::MAX, index);
        }
        Fe(a)
    }

    #[inline(always)]
    fn permuted_twice(&self, [left, right]: [V; 2]) -> [Fe; 2] {
        let (mut a, mut b) = (self.0, self.0);
        let mut k = 5;
        while k > 0 {
            k -= 1;
            a[k] = self.0[k].permute(u8::MAX, left);
            b[k] = self.0[k].permute(u8::MAX, right);
        }
        [Fe(a), Fe(b)]
    }

    #[inline(always)]
    fn words(product: &Product, lanes: [usize; 2]) -> [[u64; 4]; 2] {
        let limbs = normalized(carry(&product.0));
        let limbs = each!(|k| limbs[k].to_array());
        let [a, b] = lanes;
        [words_of_limbs(each!(|k| limbs[k][a])), words_of_limbs(each!(|k| limbs[k][b]))]
    }
}

#[cfg(test)]
mod tests;
