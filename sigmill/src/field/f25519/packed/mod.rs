//! One point's coordinates, or the values of one formula, side by side in the lanes of a vector: for chains of formulas of
//! which each waits for the one before.

#[cfg(not(sigmill_lanes))]
pub(super) mod absent;
#[cfg(sigmill_lanes)]
pub(super) mod ifma_x4;
#[cfg(sigmill_lanes)]
pub(super) mod ifma_x8;
#[cfg(sigmill_lanes)]
pub(super) mod radix_51;

use crate::simd::Proven;

/// A backend with four lanes for the values of one formula, for chains of formulas of which each waits for
/// the one before: soon ready, where [`LaneField`](super::LaneField) computes much at once. Operands can be multiplied,
/// products have to be carried.
#[cfg_attr(not(sigmill_lanes), allow(dead_code))]
pub(crate) trait PackedField: Copy + Proven {
    /// One product.
    type Product: Copy;
    /// Sums and differences of lanes of a product.
    type Sum: Copy;

    /// Four little-endian words a lane, below 2^255; what is in lanes of `TWICE` counts twice.
    fn from_words<const TWICE: u8>(token: Self::Token, words: [&[u64; 4]; 4]) -> Self;
    /// An integer below 2^255 a lane, congruent to the value.
    fn to_words(&self) -> [[u64; 4]; 4];

    /// The value as a product.
    fn widen(&self) -> Self::Product;
    /// `a·b`.
    fn mul(&self, other: &Self) -> Self::Product;
    /// `a·b + n·c + d`.
    fn mul_sum(a: &Self, b: &Self, c: &Self, n: [u32; 4], d: &Self) -> Self::Product;
    /// `a²`.
    fn square(&self) -> Self::Product;
    /// A product, ready to multiply.
    fn carry(product: &Self::Product) -> Self;
    /// In lanes 0 and 1, and in 2 and 3: the other lane plus this one, or minus it where the bit of `MINUS`
    /// is set; what is in lanes of `TWICE` counts twice. Ready to multiply.
    fn butterflies<const MINUS: u8, const TWICE: u8>(product: &Self::Product) -> Self;
    /// Each lane plus its neighbour (of 0 and 1, and of 2 and 3), or minus it where the bit of `MINUS` is
    /// set; twice itself in lanes of `TWICE`; itself alone in lanes of `ALONE`.
    fn sums<const MINUS: u8, const TWICE: u8, const ALONE: u8>(
        product: &Self::Product,
    ) -> Self::Sum;
    /// A sum, ready to multiply.
    fn carry_sum(sum: &Self::Sum) -> Self;
    /// The same with lane 1 added in lanes of `PLUS` and taken away in lanes of `MINUS`.
    fn carry_with_lane_1<const PLUS: u8, const MINUS: u8>(sum: &Self::Sum) -> Self;

    /// The first in the lanes whose bit of `MASK` is set, the second in the others.
    fn choose<const MASK: u8>(if_set: &Self, if_clear: &Self) -> Self;
    /// Lanes 1, 0, 3, 2.
    fn neighbours(&self) -> Self;
    /// Lane i is lane `lanes[i]`. Constant time.
    fn permuted(&self, lanes: [u64; 4]) -> Self;
}

/// The start of a lane of products, by which one can be subtracted from another. The opposite of a product x is its
/// complement, −x − 1 in each column.
#[cfg_attr(not(sigmill_lanes), allow(dead_code))]
#[derive(Clone, Copy)]
pub(crate) enum Offset {
    /// Nothing.
    None,
    /// The minuend of subtractions: a multiple of p, and the 1 of each column.
    Minuend,
    /// Of two products both the sum and the first less the second are wanted: here the 1 of the difference is halved, so
    /// that the sum is right, too.
    First,
    /// The other of these.
    Second,
}

/// A backend with eight lanes for the values of one formula, as soon ready as four where the CPU works on all eight at once.
#[cfg_attr(not(sigmill_lanes), allow(dead_code))]
pub(crate) trait WideField: Copy + Proven {
    /// One product, and what it started from.
    type Product: Copy;
    /// The start of products.
    type Start: Copy;
    /// The new place of each lane.
    type Index: Copy;
    /// The addend of [`add_pairs`](Self::add_pairs).
    type Pairs: Copy;
    /// The addend of [`add`](Self::add).
    type Sums: Copy;

    fn start(token: Self::Token, lanes: [Offset; 8]) -> Self::Start;
    /// Lane i is lane `lanes[i]`.
    fn index(token: Self::Token, lanes: [u64; 8]) -> Self::Index;
    /// The first where the mask is all ones, the second where it is 0. Constant time.
    fn index_where(mask: u64, if_set: Self::Index, if_clear: Self::Index) -> Self::Index;
    /// In lanes of `sums` the neighbour (of 0 and 1, of 2 and 3, …) is added; in lanes of `minus` this one is taken away.
    fn pairs(token: Self::Token, sums: u8, minus: u8) -> Self::Pairs;
    /// Lane i is lane `others[i]`; in lanes of `own` this one is added, in lanes of `minus` taken away. The complement
    /// of a lane that is in `minus` and not in `own` is −1 in each column.
    fn sums(token: Self::Token, others: [u64; 8], own: u8, minus: u8) -> Self::Sums;

    /// Four little-endian words a lane, below 2^255, as products that have started.
    fn widen(token: Self::Token, words: [&[u64; 4]; 8], start: &Self::Start) -> Self::Product;
    /// `start + a·b`.
    fn mul(&self, other: &Self, start: &Self::Start) -> Self::Product;
    /// Ready to multiply.
    fn add_pairs(product: &Self::Product, pairs: &Self::Pairs) -> Self;
    /// Ready to multiply.
    fn add(product: &Self::Product, sums: &Self::Sums) -> Self;
    /// Each lane times its factor, below 2^20.
    fn times(&self, factors: [u64; 8]) -> Self;
    /// Constant time.
    fn permuted(&self, index: Self::Index) -> Self;
    /// Constant time.
    fn permuted_twice(&self, index: [Self::Index; 2]) -> [Self; 2];
    /// Of two lanes that have started from nothing: integers below 2^255, congruent to the values.
    fn words(product: &Self::Product, lanes: [usize; 2]) -> [[u64; 4]; 2];
}
