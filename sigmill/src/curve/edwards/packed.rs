//! One point with its four coordinates in lanes of their own.
//!
//! A chain of doublings is no faster in lanes that hold other points: each step waits for the one
//! before. Here the products of one formula that do not wait for each other are one product of vectors,
//! so that a doubling takes two of them, and an addition too (Hisil, Wong, Carter, Dawson, eprint
//! 2008/522, section 4). `Sum` of `msm` uses them.

use super::formulas::{Cached, Extended};
use crate::field::f25519::{ONE, ZERO};
use crate::field::{LaneArray, LaneField, SingleField};

/// X, Y, Z and T in lanes 0 to 3; the other lanes mean nothing.
#[derive(Clone, Copy)]
pub(super) struct Packed<F: LaneField>(F::Product);

/// Which lanes of four [`LaneField::arrange`] takes, in order.
pub(super) const fn lanes(a: i32, b: i32, c: i32, d: i32) -> i32 {
    a | b << 2 | c << 4 | d << 6
}

/// Lanes that `arrange` keeps.
pub(super) const ALL: u32 = 0b1111;
const L0: u32 = 0b0001;
const L1: u32 = 0b0010;
const L2: u32 = 0b0100;
const L3: u32 = 0b1000;
/// Any lane: it is not kept.
const ANY: i32 = 0;

impl<F: LaneField> Packed<F> {
    /// Whether the backend has as many lanes.
    pub(super) const FITS: bool = F::LANES >= 4;

    /// The identity (0, 1).
    #[inline(always)]
    pub(super) fn identity(token: F::Token) -> Self {
        let (zero, one) = (F::splat(token, &ZERO), F::splat(token, &ONE));
        Packed(F::select(F::mask(token, L1 | L2), &one, &zero).widen())
    }

    /// `2·P`, with E, F, G, H as in [`super::formulas::Projective::double`].
    #[inline(always)]
    pub(super) fn double(&self) -> Self {
        let xyzt = F::times::<1>(&self.0);
        // X², Y², Z², XY
        let m =
            xyzt.permute::<{ lanes(0, 1, 2, 0) }>().mul(&xyzt.permute::<{ lanes(0, 1, 2, 1) }>());
        // F = 2Z² − (Y² − X²), H = Y² + X², G = Y² − X², E = 2XY
        Self::of_fhge(&F::sum_of_four([
            &F::arrange::<{ lanes(2, 1, 1, 3) }>(&m, ALL),
            &F::arrange::<{ lanes(2, 0, ANY, 3) }>(&m, L0 | L1 | L3),
            &F::arrange::<{ lanes(0, ANY, ANY, ANY) }>(&m, L0),
            &F::arrange::<{ lanes(1, ANY, 0, ANY) }>(&m, L0 | L2),
        ]))
    }

    /// E·F, G·H, F·G and E·H, given F, H, G and E.
    #[inline(always)]
    fn of_fhge(fhge: &F) -> Self {
        let e_gfe = fhge.permute::<{ lanes(3, 2, 0, 3) }>();
        let f_hgh = fhge.permute::<{ lanes(0, 1, 2, 1) }>();
        Packed(e_gfe.mul(&f_hgh))
    }

    /// `P + Q`, with E, F, G, H as in [`Extended::add`].
    #[inline(always)]
    pub(super) fn add(&self, q: &PackedCached<F>) -> Self {
        // B, A, D, C
        let m = self.sums().mul(&q.0);
        // F = D − C, H = B + A, G = D + C, E = B − A
        Self::of_fhge(&F::sum::<1, 1, -1>(
            &F::arrange::<{ lanes(2, 0, 2, 0) }>(&m, ALL),
            &F::arrange::<{ lanes(ANY, 1, 3, ANY) }>(&m, L1 | L2),
            &F::arrange::<{ lanes(3, ANY, ANY, 1) }>(&m, L0 | L3),
        ))
    }

    /// Y + X, Y − X, Z, T.
    #[inline(always)]
    fn sums(&self) -> F {
        F::sum::<1, 1, -1>(
            &F::arrange::<{ lanes(1, 1, 2, 3) }>(&self.0, ALL),
            &F::arrange::<{ lanes(0, ANY, ANY, ANY) }>(&self.0, L0),
            &F::arrange::<{ lanes(ANY, 0, ANY, ANY) }>(&self.0, L1),
        )
    }

    /// The point.
    #[inline(always)]
    pub(super) fn extended<S: SingleField<Token = ()>>(&self, token: F::Token) -> Extended<S> {
        let bytes = F::per_lane(F::times::<1>(&self.0).to_bytes(F::mask(token, 0)));
        let product = |lane: usize| S::from_bytes((), &bytes.lanes()[lane]).widen();
        Extended::from_products([product(0), product(1), product(2), product(3)])
    }
}

/// Y + X, Y − X, 2Z and 2dT in lanes 0 to 3.
#[derive(Clone, Copy)]
pub(super) struct PackedCached<F>(F);

impl<F: LaneField> PackedCached<F> {
    /// The point in one lane of four vectors.
    #[inline(always)]
    pub(super) fn of_lane(points: &Cached<F>, lane: usize) -> Self {
        PackedCached(F::one_lane_of_four(points.parts().each_ref(), lane))
    }
}

#[cfg(test)]
#[path = "../../tests/packed.rs"]
mod tests;
