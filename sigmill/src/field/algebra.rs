//! The parts of formulas of all fields: sums of products, of one value or of several in SIMD lanes.
//!
//! **Two types bound the limbs.** The product of two elements is not yet a valid operand for
//! every backend: lanes want to add and subtract *before* they carry, so that a formula carries
//! once per operand and not once per addition. So the trait follows one value through a formula:
//!
//! | type | what it is | who makes it |
//! |---|---|---|
//! | `Self` | an operand: may be multiplied, stored, compared | `sum`, loads |
//! | `Product` | one product, or an operand widened | `mul`, `square`, `widen` |
//!
//! `sum` of up to three products with small factors is the one way from `Product` to `Self`, so no chain
//! of additions can outgrow its limbs: the factors are constants, and the compiler refuses others. Where a
//! representation has room to spare, the carries are free.
//!
//! **Tokens.** A backend in lanes needs CPU instructions. Its `Token` can only be had from CPU
//! detection, and every constructor takes one, so an element proves that its instructions exist.

use crate::ct::Mask;
use crate::simd::Proven;
use core::convert::Infallible;
use core::marker::PhantomData;
use core::ops::{BitAnd, BitOr, BitXor, Not};

/// One truth value per lane.
pub(crate) trait LaneMask:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Not<Output = Self>
{
    /// The mask whose lane i is bit i.
    fn from_bits(bits: u32) -> Self;
    /// Bit i is lane i; bits of lanes that there are not mean nothing.
    fn bits(self) -> u32;
}

impl LaneMask for Mask {
    #[inline(always)]
    fn from_bits(bits: u32) -> Self {
        Mask::from_bit(u64::from(bits & 1))
    }

    #[inline(always)]
    fn bits(self) -> u32 {
        self.word() as u32 & 1
    }
}

/// Bit i is lane i.
impl LaneMask for u8 {
    #[inline(always)]
    fn from_bits(bits: u32) -> Self {
        bits as u8
    }

    #[inline(always)]
    fn bits(self) -> u32 {
        u32::from(self)
    }
}

/// An array with one element a lane.
pub(crate) trait LaneArray<T>: Copy {
    /// The same value in every lane.
    fn all(value: T) -> Self;
    fn lanes(&self) -> &[T];
    fn lanes_mut(&mut self) -> &mut [T];
}

/// One lane.
impl LaneArray<[u8; 32]> for [u8; 32] {
    #[inline(always)]
    fn all(value: [u8; 32]) -> Self {
        value
    }

    #[inline(always)]
    fn lanes(&self) -> &[[u8; 32]] {
        core::slice::from_ref(self)
    }

    #[inline(always)]
    fn lanes_mut(&mut self) -> &mut [[u8; 32]] {
        core::slice::from_mut(self)
    }
}

impl<T: Copy, const N: usize> LaneArray<T> for [T; N] {
    #[inline(always)]
    fn all(value: T) -> Self {
        [value; N]
    }

    #[inline(always)]
    fn lanes(&self) -> &[T] {
        self
    }

    #[inline(always)]
    fn lanes_mut(&mut self) -> &mut [T] {
        self
    }
}

/// Sums of products of field elements, one value or several in lanes: what all point formulas are made of.
pub(crate) trait Algebra: Copy + Proven {
    /// One product: fit for `sum`.
    type Product: Copy;

    /// `a·b`.
    fn mul(&self, other: &Self) -> Self::Product;
    /// `a²`.
    fn square(&self) -> Self::Product;
    /// `a·b` and `c·d`, interleaved where that keeps more of a processor busy.
    #[inline(always)]
    fn mul_pair([a, b]: [&Self; 2], [c, d]: [&Self; 2]) -> [Self::Product; 2] {
        [a.mul(b), c.mul(d)]
    }

    /// An operand, ready to add.
    fn widen(&self) -> Self::Product;
    /// `A·a + B·b + C·c`, ready to multiply. B·b and C·c are added first, so that formulas which have that
    /// sum in several places compute it once.
    fn sum<const A: i32, const B: i32, const C: i32>(
        a: &Self::Product,
        b: &Self::Product,
        c: &Self::Product,
    ) -> Self;
    /// `A·a + B·b`.
    #[inline(always)]
    fn sum_of_two<const A: i32, const B: i32>(a: &Self::Product, b: &Self::Product) -> Self {
        Self::sum::<A, B, 0>(a, b, b)
    }
    /// `A·a`.
    #[inline(always)]
    fn times<const A: i32>(a: &Self::Product) -> Self {
        Self::sum::<A, 0, 0>(a, a, a)
    }
}

/// Limbs, or columns, that are added before they are carried. `fiat` and `u64x4` have none.
#[allow(dead_code)]
pub(crate) trait Columns: Copy {
    /// How many products, or p as often, an operand may have without a carry.
    const ROOM: i32;
    fn carried(&self) -> Self;
    fn plus(&self, other: &Self) -> Self;
    /// `self − other` for a product: twice p is added, or as much as keeps limbs from going below zero.
    fn minus(&self, other: &Self) -> Self;
    /// `self − other` for what `plus` or `minus` gave of two products: with 4p.
    fn minus_sum(&self, other: &Self) -> Self;
}

/// How many products, and p where it is as large as one, `sum_of_columns` adds up at most.
#[allow(dead_code)]
const fn terms(a: i32, b: i32, c: i32) -> i32 {
    let multiple_of_p = match (b, c) {
        (-1, 0) | (1, -1) => 2,
        (-1, _) => 4,
        _ => 0,
    };
    a + if b > 0 { b } else { 0 } + if b > 0 && c > 0 { c } else { 0 } + multiple_of_p
}

/// `A·a + B·b + C·c`, carried where it must be. A is 1 or 2, the others are −1, 0 or 1.
#[allow(dead_code)]
#[inline(always)]
pub(crate) fn sum_of_columns<L: Columns, const A: i32, const B: i32, const C: i32>(
    a: &L,
    b: &L,
    c: &L,
) -> L {
    const { assert!((A == 1 || A == 2) && B.abs() <= 1 && C.abs() <= 1 && (B != 0 || C == 0)) };
    let a = if A == 2 { a.plus(a) } else { *a };
    let sum = match (B, C) {
        (0, _) => a,
        (1, 0) => a.plus(b),
        (1, 1) => a.plus(&b.plus(c)),
        (1, _) => a.plus(&b.minus(c)),
        (_, 0) => a.minus(b),
        (_, 1) => a.minus_sum(&b.minus(c)),
        _ => a.minus_sum(&b.plus(c)),
    };
    if terms(A, B, C) > L::ROOM { sum.carried() } else { sum }
}

/// An element in lanes of a build without vectors, or of a curve for which no lanes have been written: uninhabited, with a token
/// that is uninhabited too, so that code for it compiles to nothing and dispatch is the same on every target. `S` says of
/// which field and how many lanes.
#[derive(Clone, Copy)]
pub(crate) struct Absent<S>(Infallible, PhantomData<S>);

impl<S> Absent<S> {
    /// Proves that code is never reached: nobody has an element.
    #[inline(always)]
    pub(crate) const fn never(&self) -> ! {
        match self.0 {}
    }
}

impl<S> Proven for Absent<S> {
    type Token = Infallible;
}

#[rustfmt::skip]
impl<S: Copy> Algebra for Absent<S> {
    type Product = Self;

    fn mul(&self, _: &Self) -> Self { *self }
    fn square(&self) -> Self { *self }
    fn widen(&self) -> Self { *self }
    fn sum<const A: i32, const B: i32, const C: i32>(a: &Self, _: &Self, _: &Self) -> Self { *a }
}
