//! As `lanes/absent`, for values of one formula.

use super::{Offset, PackedField, WideField};
use crate::field::algebra::Absent;
use core::convert::Infallible;

#[rustfmt::skip]
impl PackedField for Absent<[(); 4]> {
    type Product = Self;
    type Sum = Self;

    fn from_words<const T: u8>(token: Infallible, _: [&[u64; 4]; 4]) -> Self { match token {} }
    fn to_words(&self) -> [[u64; 4]; 4] { self.never() }
    fn widen(&self) -> Self { *self }
    fn mul(&self, _: &Self) -> Self { *self }
    fn mul_sum(a: &Self, _: &Self, _: &Self, _: [u32; 4], _: &Self) -> Self { *a }
    fn square(&self) -> Self { *self }
    fn carry(a: &Self) -> Self { *a }
    fn butterflies<const M: u8, const T: u8>(a: &Self) -> Self { *a }
    fn sums<const M: u8, const T: u8, const A: u8>(a: &Self) -> Self { *a }
    fn carry_sum(a: &Self) -> Self { *a }
    fn carry_with_lane_1<const P: u8, const M: u8>(a: &Self) -> Self { *a }
    fn choose<const M: u8>(a: &Self, _: &Self) -> Self { *a }
    fn neighbours(&self) -> Self { *self }
    fn permuted(&self, _: [u64; 4]) -> Self { *self }
}

#[rustfmt::skip]
impl WideField for Absent<[(); 8]> {
    type Product = Self;
    type Start = Self;
    type Index = Self;
    type Pairs = Self;
    type Sums = Self;

    fn start(token: Infallible, _: [Offset; 8]) -> Self { match token {} }
    fn index(token: Infallible, _: [u64; 8]) -> Self { match token {} }
    fn index_where(_: u64, a: Self, _: Self) -> Self { a }
    fn pairs(token: Infallible, _: u8, _: u8) -> Self { match token {} }
    fn sums(token: Infallible, _: [u64; 8], _: u8, _: u8) -> Self { match token {} }
    fn widen(token: Infallible, _: [&[u64; 4]; 8], _: &Self) -> Self { match token {} }
    fn mul(&self, _: &Self, _: &Self) -> Self { *self }
    fn add_pairs(a: &Self, _: &Self) -> Self { *a }
    fn add(a: &Self, _: &Self) -> Self { *a }
    fn times(&self, _: [u64; 8]) -> Self { *self }
    fn permuted(&self, _: Self) -> Self { *self }
    fn permuted_twice(&self, _: [Self; 2]) -> [Self; 2] { [*self; 2] }
    fn words(a: &Self, _: [usize; 2]) -> [[u64; 4]; 2] { a.never() }
}
