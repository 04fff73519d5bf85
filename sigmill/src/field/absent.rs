//! The backends of a build without vectors. There is no value of them and no token, so that all code for them is none,
//! and whoever chooses among backends does so in one way on every target.

#[cfg(feature = "ecdsa")]
pub(crate) use coordinates::EightAbsent;

use super::{
    Algebra, Entries, Field, LaneField, Offset, PackedField, PointRow, Row, SecretLanes, WideField,
};
use crate::memory::Memory;
use crate::simd::Proven;
use core::convert::Infallible;

/// An element in lanes, or four values of one formula.
#[derive(Clone, Copy)]
pub(crate) enum Absent<const LANES: usize> {}

impl<const LANES: usize> Proven for Absent<LANES> {
    type Token = Infallible;
}

#[rustfmt::skip]
impl<const LANES: usize> Algebra for Absent<LANES> {
    type Product = Self;

    fn mul(&self, _: &Self) -> Self { *self }
    fn square(&self) -> Self { *self }
    fn widen(&self) -> Self { *self }
    fn sum<const A: i32, const B: i32, const C: i32>(a: &Self, _: &Self, _: &Self) -> Self { *a }
}

#[rustfmt::skip]
impl<const LANES: usize> Field for Absent<LANES> {
    type Mask = u8;
    type Bytes = [[u8; 32]; LANES];

    fn token(&self) -> Infallible { match *self {} }
    fn splat(token: Infallible, _: &[u64; 4]) -> Self { match token {} }
    fn from_bytes(token: Infallible, _: &Self::Bytes) -> Self { match token {} }
    fn to_bytes(&self, _: u8) -> Self::Bytes { match *self {} }
    fn top_bit(token: Infallible, _: &Self::Bytes) -> u8 { match token {} }
    fn is_reduced(token: Infallible, _: &Self::Bytes) -> u8 { match token {} }
    fn select(_: u8, a: &Self, _: &Self) -> Self { *a }
    fn equal(&self, _: &Self) -> u8 { match *self {} }
    fn is_zero(&self) -> u8 { match *self {} }
    fn is_odd(&self) -> u8 { match *self {} }
}

#[rustfmt::skip]
impl<const LANES: usize> LaneField for Absent<LANES> {
    const LANES: usize = LANES;
    type PerLane<T: Copy> = [T; LANES];
    type OperandRow = PointRow;
    type ProductRow = PointRow;

    fn mask(token: Infallible, _: u32) -> u8 { match token {} }
    fn bits(mask: u8) -> u32 { mask.into() }
    fn bytes(bytes: [[u8; 32]; LANES]) -> Self::Bytes { bytes }
    fn per_lane(bytes: Self::Bytes) -> [[u8; 32]; LANES] { bytes }
    fn operand_row(token: Infallible) -> PointRow { match token {} }
    fn store_operands([a, ..]: &[Self; 4], _: &mut [PointRow]) { match *a {} }
    fn load_operands_vartime(token: Infallible, _: &[&PointRow; LANES]) -> [Self; 4] { match token {} }
    fn store_products([a, ..]: &[Self; 4], _: &mut [PointRow]) { match *a {} }
    fn load_products_vartime(token: Infallible, _: &[&PointRow; LANES]) -> [Self; 4] { match token {} }
    fn take_product_rows<'m>(token: Infallible, _: &mut Memory<'m>, _: usize) -> Option<&'m mut [PointRow]> { match token {} }
    fn load_words_vartime(token: Infallible, _: &[&[[u64; 4]; 3]; LANES]) -> [Self; 3] { match token {} }
    fn take_points<'m>(token: Infallible, _: &mut Memory<'m>, _: usize) -> Option<&'m mut [[Self; 4]]> { match token {} }
    fn store_rows([a, _, _]: &[Self; 3], _: &mut [Row]) { match *a {} }
    fn load_rows_vartime(token: Infallible, _: &[Row], _: &[u32; LANES]) -> [Self; 3] { match token {} }
}

#[rustfmt::skip]
impl<const LANES: usize> SecretLanes for Absent<LANES> {
    fn select_signed(token: Infallible, _: &Entries, _: &[u64; LANES]) -> ([Self; 3], u8) { match token {} }
    fn arrange<const FROM: i32>(a: &Self) -> Self { *a }
}

#[rustfmt::skip]
impl PackedField for Absent<4> {
    type Product = Self;
    type Sum = Self;

    fn from_words<const T: u8>(token: Infallible, _: [&[u64; 4]; 4]) -> Self { match token {} }
    fn to_words(&self) -> [[u64; 4]; 4] { match *self {} }
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
impl WideField for Absent<8> {
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
    fn words(a: &Self, _: [usize; 2]) -> [[u64; 4]; 2] { match *a {} }
}

#[cfg(feature = "ecdsa")]
mod coordinates {
    //! Eight coordinates of an ECDSA curve: also those of a curve for which no lanes have been written.

    use super::super::Algebra;
    use super::super::coordinates::{Coordinates, EightLanes, Pair};
    use crate::memory::Line;
    use crate::modular::{PlainModulus, Residue};
    use crate::simd::Proven;
    use core::convert::Infallible;
    use core::marker::PhantomData;

    #[derive(Clone, Copy)]
    pub(crate) struct EightAbsent<S>(Infallible, PhantomData<S>);

    impl<S> Proven for EightAbsent<S> {
        type Token = Infallible;
    }

    #[rustfmt::skip]
    impl<M: PlainModulus<N>, const N: usize> Algebra for EightAbsent<Residue<M, N>> {
        type Product = Self;
        fn mul(&self, _: &Self) -> Self { *self }
        fn square(&self) -> Self { *self }
        fn widen(&self) -> Self { *self }
        fn sum<const A: i32, const B: i32, const C: i32>(a: &Self, _: &Self, _: &Self) -> Self { *a }
    }

    #[rustfmt::skip]
    impl<M: PlainModulus<N>, const N: usize> Coordinates for EightAbsent<Residue<M, N>> {
        const LANES: usize = 8;
        type Single = Residue<M, N>;
        type Unreduced = Self;
        type PerLane<T: Copy> = [T; 8];
        type Entries = ();
        type Spread = ();
        const TRIPLE: usize = 3;

        fn store_triple([a, _, _]: &[Self; 3], _: &mut [Line]) { match a.0 {} }
        fn load_triple(token: Infallible, _: &[Line]) -> [Self; 3] { match token {} }
        fn load(token: Infallible, _: &[Residue<M, N>; 8]) -> Self { match token {} }
        fn store(&self) -> [Residue<M, N>; 8] { match self.0 {} }
        fn mul_unreduced(&self, _: &Self) -> Self { *self }
        fn square_times_8(&self) -> Self { *self }
        fn mul_add_and_mul([a, b]: [&Self; 2], _: &Self, _: [&Self; 2]) -> [Self; 2] { [*a, *b] }
        fn mul_add([a, _]: [&Self; 2], _: &Self) -> Self { *a }
        fn negate_where(_: u32, a: &Self) -> Self { *a }
        fn select(_: u32, a: &Self, _: &Self) -> Self { *a }
        fn zeros(&self) -> u32 { match self.0 {} }
        fn select_entry(token: Infallible, _: &(), _: &[i8; 8]) -> [Self; 2] { match token {} }
        fn select_spread(token: Infallible, _: &(), _: &[i8; 8]) -> [Self; 2] { match token {} }
        fn store_pairs([a, _]: &[Self; 2], _: &mut [Pair], _: usize) { match a.0 {} }
        fn load_pairs_vartime(token: Infallible, _: &[&Pair; 8]) -> [Self; 2] { match token {} }
    }

    #[rustfmt::skip]
    impl<M: PlainModulus<N>, const N: usize> EightLanes for EightAbsent<Residue<M, N>> {
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
}
