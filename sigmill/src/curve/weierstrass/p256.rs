//! P-256 (SP 800-186 section 3.2.1.3).

use super::fixed_base::{BaseTables, base_tables, multiple};
use super::formulas::{Affine, Curve, double_base_vartime, fixed_base};
use super::packed::DoubleBase;
use crate::curve::tables::p256::{BASE_ODD_MULTIPLES, BASE_RADIX_16, BASE_RADIX_32};
use crate::field::coordinates::lanes::{Fe256 as LaneFe, run_in_eight_lanes, token};
use crate::field::coordinates::{Coordinates, Pair, with_lanes};
use crate::field::p256::Fe;
use crate::scalar::n256::Scalar;

/// The curve.
#[derive(Clone, Copy)]
pub(crate) struct P256;

impl Curve for P256 {
    type Fe = Fe;
    type Scalar = Scalar;
    const B: Fe = crate::curve::tables::p256::B;

    fn base_radix_32() -> &'static [[Affine<Fe>; 16]] {
        &BASE_RADIX_32
    }

    fn base_odd_multiples() -> &'static [Affine<Fe>; 128] {
        &BASE_ODD_MULTIPLES
    }

    fn multiple_of_base(scalar: &Scalar) -> Affine<Fe> {
        match token() {
            Some(token) => multiple::<P256, LaneFe>(token, scalar),
            None => fixed_base::<P256>(scalar).affine(),
        }
    }

    fn x_of_double_base_vartime(u1: &Scalar, u2: &Scalar, q: &Affine<Fe>) -> [Fe; 2] {
        run_in_eight_lanes::<LaneFe, [Fe; 2]>(DoubleBase::<P256> { u1, u2, q })
            .unwrap_or_else(|| double_base_vartime::<P256>(u1, u2, q).x_and_denominator())
    }
}

base_tables!(P256, Fe);
with_lanes! { base_tables!(P256, LaneFe); }
