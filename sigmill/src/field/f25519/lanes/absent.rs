//! The lanes of a build without vectors.

use super::super::field::{Entries, EntryLookup, Field, LaneField, PointRow, Row, SecretLanes};
use crate::field::algebra;
use crate::memory::PlainWith;
use core::convert::Infallible;

/// An element in lanes.
pub(crate) type Absent<const LANES: usize> = algebra::Absent<[(); LANES]>;

#[rustfmt::skip]
impl<const LANES: usize> Field for Absent<LANES> {
    type Mask = u8;
    type Bytes = [[u8; 32]; LANES];

    fn token(&self) -> Infallible { self.never() }
    fn splat(token: Infallible, _: &[u64; 4]) -> Self { match token {} }
    fn from_bytes(token: Infallible, _: &Self::Bytes) -> Self { match token {} }
    fn to_bytes(&self, _: u8) -> Self::Bytes { self.never() }
    fn select(_: u8, a: &Self, _: &Self) -> Self { *a }
    fn equal(&self, _: &Self) -> u8 { self.never() }
    fn is_zero(&self) -> u8 { self.never() }
    fn is_odd(&self) -> u8 { self.never() }
}

// SAFETY: there is no token, so nobody takes memory for such values.
#[allow(unsafe_code)]
unsafe impl<const LANES: usize> PlainWith<Infallible> for Absent<LANES> {}

#[rustfmt::skip]
impl<const LANES: usize> LaneField for Absent<LANES> {
    const LANES: usize = LANES;
    type PerLane<T: Copy> = [T; LANES];
    type OperandRow = PointRow;
    type ProductRow = PointRow;

    fn store_operands([a, ..]: &[Self; 4], _: &mut [PointRow]) { a.never() }
    fn load_operands_vartime(token: Infallible, _: &[&PointRow; LANES]) -> [Self; 4] { match token {} }
    fn store_products([a, ..]: &[Self; 4], _: &mut [PointRow]) { a.never() }
    fn load_products_vartime(token: Infallible, _: &[&PointRow; LANES]) -> [Self; 4] { match token {} }
    fn load_words_vartime(token: Infallible, _: &[&[[u64; 4]; 3]; LANES]) -> [Self; 3] { match token {} }
    fn store_rows([a, _, _]: &[Self; 3], _: &mut [Row]) { a.never() }
    fn load_rows_vartime(token: Infallible, _: &[Row], _: &[u32; LANES]) -> [Self; 3] { match token {} }
}

#[rustfmt::skip]
impl<const LANES: usize> SecretLanes for Absent<LANES> {
    fn select_signed(token: Infallible, _: &Entries, _: &[u64; LANES]) -> ([Self; 3], u8) { match token {} }
    fn arrange<const FROM: i32>(a: &Self) -> Self { *a }
}

impl<const LANES: usize> EntryLookup for Absent<LANES> {
    fn signed_entry(token: Infallible, _: &Entries, _: u64) -> [[u64; 4]; 3] {
        match token {}
    }
}
