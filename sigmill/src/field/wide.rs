//! Several elements side by side as one element with more lanes.
//!
//! A power such as the one of a square root is a chain in which every step waits for the one before.
//! Chains of independent elements fill the gaps, and a formula written once over [`Field`] gets them
//! by running on `Wide<F, N>`.

use super::{Algebra, Field, LaneMask};
use crate::simd::Proven;
use core::ops::{BitAnd, BitOr, BitXor, Not};

/// N elements.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Wide<F, const N: usize>(pub(crate) [F; N]);

impl<M: LaneMask, const N: usize> LaneMask for Wide<M, N> {}

/// The expression for each index below N. A macro, because a closure is not always inlined, and code
/// that is not inlined does without the backend's instructions.
macro_rules! each {
    (|$i:ident| $value:expr) => {{
        let $i = 0;
        let mut values = [$value; N];
        let mut $i = 1;
        while $i < N {
            values[$i] = $value;
            $i += 1;
        }
        Wide(values)
    }};
}

impl<M: LaneMask, const N: usize> BitAnd for Wide<M, N> {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        each!(|i| self.0[i] & other.0[i])
    }
}

impl<M: LaneMask, const N: usize> BitOr for Wide<M, N> {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        each!(|i| self.0[i] | other.0[i])
    }
}

impl<M: LaneMask, const N: usize> BitXor for Wide<M, N> {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        each!(|i| self.0[i] ^ other.0[i])
    }
}

impl<M: LaneMask, const N: usize> Not for Wide<M, N> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        each!(|i| !self.0[i])
    }
}

impl<F: Algebra, const N: usize> Proven for Wide<F, N> {
    type Token = F::Token;
}

impl<F: Algebra, const N: usize> Algebra for Wide<F, N> {
    type Product = Wide<F::Product, N>;

    #[inline(always)]
    fn mul(&self, other: &Self) -> Self::Product {
        let (a, b) = (&self.0, &other.0);
        let mut products = [a[0].widen(); N];
        let mut i = 0;
        while i + 1 < N {
            [products[i], products[i + 1]] = F::mul_pair([&a[i], &b[i]], [&a[i + 1], &b[i + 1]]);
            i += 2;
        }
        if i < N {
            products[i] = a[i].mul(&b[i]);
        }
        Wide(products)
    }

    #[inline(always)]
    fn square(&self) -> Self::Product {
        let a = &self.0;
        let mut products = [a[0].widen(); N];
        let mut i = 0;
        while i + 1 < N {
            [products[i], products[i + 1]] = F::square_pair(&a[i], &a[i + 1]);
            i += 2;
        }
        if i < N {
            products[i] = a[i].square();
        }
        Wide(products)
    }

    #[inline(always)]
    fn widen(&self) -> Self::Product {
        each!(|i| self.0[i].widen())
    }

    #[inline(always)]
    fn sum<const A: i32, const B: i32, const C: i32>(
        a: &Self::Product,
        b: &Self::Product,
        c: &Self::Product,
    ) -> Self {
        each!(|i| F::sum::<A, B, C>(&a.0[i], &b.0[i], &c.0[i]))
    }
}

impl<F: Field, const N: usize> Field for Wide<F, N> {
    type Mask = Wide<F::Mask, N>;
    type Bytes = Wide<F::Bytes, N>;

    #[inline(always)]
    fn token(&self) -> F::Token {
        self.0[0].token()
    }

    #[inline(always)]
    fn splat(token: F::Token, words: &[u64; 4]) -> Self {
        Wide([F::splat(token, words); N])
    }

    #[inline(always)]
    fn from_bytes(token: F::Token, bytes: &Self::Bytes) -> Self {
        each!(|i| F::from_bytes(token, &bytes.0[i]))
    }

    #[inline(always)]
    fn to_bytes(&self, top_bit: Self::Mask) -> Self::Bytes {
        each!(|i| self.0[i].to_bytes(top_bit.0[i]))
    }

    #[inline(always)]
    fn top_bit(token: F::Token, bytes: &Self::Bytes) -> Self::Mask {
        each!(|i| F::top_bit(token, &bytes.0[i]))
    }

    #[inline(always)]
    fn is_reduced(token: F::Token, bytes: &Self::Bytes) -> Self::Mask {
        each!(|i| F::is_reduced(token, &bytes.0[i]))
    }

    #[inline(always)]
    fn mul_small(&self, n: u32) -> Self::Product {
        each!(|i| self.0[i].mul_small(n))
    }

    #[inline(always)]
    fn square_times(elements: &mut [Self], n: u32) {
        for wide in elements {
            F::square_times(&mut wide.0, n);
        }
    }

    #[inline(always)]
    fn multiply(elements: &mut [Self], factors: &[Self]) {
        for (wide, factors) in elements.iter_mut().zip(factors) {
            F::multiply(&mut wide.0, &factors.0);
        }
    }

    #[inline(always)]
    fn select(mask: Self::Mask, if_true: &Self, if_false: &Self) -> Self {
        each!(|i| F::select(mask.0[i], &if_true.0[i], &if_false.0[i]))
    }

    #[inline(always)]
    fn equal(&self, other: &Self) -> Self::Mask {
        each!(|i| self.0[i].equal(&other.0[i]))
    }

    #[inline(always)]
    fn is_zero(&self) -> Self::Mask {
        each!(|i| self.0[i].is_zero())
    }

    #[inline(always)]
    fn is_odd(&self) -> Self::Mask {
        each!(|i| self.0[i].is_odd())
    }
}
