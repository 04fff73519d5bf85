//! P-384 (SP 800-186 section 3.2.1.4).

use super::fixed_base::{BaseTables, base_tables, multiple};
use super::formulas::{Affine, Curve, double_base_vartime, fixed_base};
use super::packed::DoubleBase;
use crate::curve::tables::p384::{BASE_ODD_MULTIPLES, BASE_RADIX_16, BASE_RADIX_32};
use crate::field::coordinates::lanes::{Fe384 as LaneFe, run_in_eight_lanes, token};
use crate::field::coordinates::{Coordinates, Pair, with_lanes};
use crate::field::p384::Fe;
use crate::scalar::n384::Scalar;

/// The curve.
#[derive(Clone, Copy)]
pub(crate) struct P384;

impl Curve for P384 {
    type Fe = Fe;
    type Scalar = Scalar;
    const B: Fe = crate::curve::tables::p384::B;

    fn base_radix_32() -> &'static [[Affine<Fe>; 16]] {
        &BASE_RADIX_32
    }

    fn base_odd_multiples() -> &'static [Affine<Fe>; 128] {
        &BASE_ODD_MULTIPLES
    }

    fn multiple_of_base(scalar: &Scalar) -> Affine<Fe> {
        match token() {
            Some(token) => multiple::<P384, LaneFe>(token, scalar),
            None => fixed_base::<P384>(scalar).affine(),
        }
    }

    fn x_of_double_base_vartime(u1: &Scalar, u2: &Scalar, q: &Affine<Fe>) -> [Fe; 2] {
        run_in_eight_lanes::<LaneFe, [Fe; 2]>(DoubleBase::<P384> { u1, u2, q })
            .unwrap_or_else(|| double_base_vartime::<P384>(u1, u2, q).x_and_denominator())
    }
}

base_tables!(P384, Fe);
with_lanes! { base_tables!(P384, LaneFe); }
