//! Eight coordinates of a build without vectors, or of a curve for which no lanes have been written.

use super::field::{EightLanes, Field, Pair};
use crate::field::algebra::Absent;
use crate::memory::Line;
use crate::modular::{PlainModulus, Residue};
use core::convert::Infallible;

#[rustfmt::skip]
impl<M: PlainModulus<N>, const N: usize> Field for Absent<Residue<M, N>> {
    const LANES: usize = 8;
    type Single = Residue<M, N>;
    type Unreduced = Self;
    type PerLane<T: Copy> = [T; 8];
    type Entries = ();
    type Spread = ();
    const TRIPLE: usize = 3;

    fn store_triple([a, _, _]: &[Self; 3], _: &mut [Line]) { a.never() }
    fn load_triple(token: Infallible, _: &[Line]) -> [Self; 3] { match token {} }
    fn load(token: Infallible, _: &[Residue<M, N>; 8]) -> Self { match token {} }
    fn store(&self) -> [Residue<M, N>; 8] { self.never() }
    fn mul_unreduced(&self, _: &Self) -> Self { *self }
    fn square_times_8(&self) -> Self { *self }
    fn mul_add_and_mul([a, b]: [&Self; 2], _: &Self, _: [&Self; 2]) -> [Self; 2] { [*a, *b] }
    fn mul_add([a, _]: [&Self; 2], _: &Self) -> Self { *a }
    fn negate_where(_: u32, a: &Self) -> Self { *a }
    fn select(_: u32, a: &Self, _: &Self) -> Self { *a }
    fn zeros(&self) -> u32 { self.never() }
    fn select_entry(token: Infallible, _: &(), _: &[i8; 8]) -> [Self; 2] { match token {} }
    fn select_spread(token: Infallible, _: &(), _: &[i8; 8]) -> [Self; 2] { match token {} }
    fn store_pairs([a, _]: &[Self; 2], _: &mut [Pair], _: usize) { a.never() }
    fn load_pairs_vartime(token: Infallible, _: &[&Pair; 8]) -> [Self; 2] { match token {} }
}

#[rustfmt::skip]
impl<M: PlainModulus<N>, const N: usize> EightLanes for Absent<Residue<M, N>> {
    fn detected() -> Option<Infallible> { None }
    fn mul_alone(&self, _: &Self) -> Self { *self }
    fn operand_vartime<const LANES: u8>(a: &Self) -> Self { *a }
    fn rotate<const BY: i32>(a: &Self) -> Self { *a }
    fn arrange<const FROM: u32>(a: &Self) -> Self { *a }
    fn arrange_operand<const FROM: u32>(&self) -> Self { *self }
    fn shift<const BY: u32>(a: &Self) -> Self { *a }
    fn combine<const PLUS: u8, const MINUS: u8>(a: &Self, _: &Self) -> Self { *a }
    fn with_pair<const FIRST: u8, const SECOND: u8>(&self, _: &Pair) -> Self { *self }
}
