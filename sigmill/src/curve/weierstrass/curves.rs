//! The curves: each is a field for its coordinates, one for its scalars, and a file of tables.

use super::double_base::DoubleBase;
use super::fixed_base::{BaseTables, base_tables, multiple};
use super::formulas::{Affine, Curve, fixed_base};
use super::packed::x_of_double_base_vartime;
use crate::curve::tables;
use crate::field::nist::{EightLanes, Field, Pair, p256, p384, run_in_words};
use crate::scalar::{n256, n384};

/// Defines the functions of one curve that compute with tables and lanes. A curve's coordinates in lanes are
/// left out if there is no backend for them.
macro_rules! curve {
    ($(#[$page:meta])* $curve:ident, $tables:ident, $fe:ty, $scalar:ty) => {
        curve!(@ $(#[$page])* $curve, $tables, $fe, $scalar, $crate::field::algebra::Absent<$fe>);
    };
    ($(#[$page:meta])* $curve:ident, $tables:ident, $fe:ty, $scalar:ty, $lanes:ty) => {
        curve!(@ $(#[$page])* $curve, $tables, $fe, $scalar, $lanes);
        base_tables!($curve, $tables, $fe);
        #[cfg(sigmill_lanes)]
        base_tables!($curve, $tables, $lanes);
    };
    (@ $(#[$page:meta])* $curve:ident, $tables:ident, $fe:ty, $scalar:ty, $lanes:ty) => {
        $(#[$page])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $curve;

        impl Curve for $curve {
            type Fe = $fe;
            type Scalar = $scalar;
            type LaneFe = $lanes;
            const B: $fe = tables::$tables::B;

            const WINDOW: usize = tables::$tables::WINDOW;

            fn base_rows() -> &'static [Affine<$fe>] {
                tables::$tables::base_rows()
            }

            fn base_odd_multiples() -> &'static [Affine<$fe>] {
                tables::$tables::base_odd_multiples()
            }

            fn multiple_of_base(scalar: &$scalar) -> Affine<$fe> {
                match <$lanes>::detected() {
                    Some(token) => multiple::<Self, $lanes>(token, scalar),
                    None => fixed_base::<Self>(scalar),
                }
            }

            fn x_of_double_base_vartime(u1: &$scalar, u2: &$scalar, q: &Affine<$fe>) -> [$fe; 2] {
                match <$lanes>::detected() {
                    Some(token) => x_of_double_base_vartime::<$lanes, Self>(token, u1, u2, q),
                    None => run_in_words::<$fe, _>(DoubleBase::<Self> { u1, u2, q }),
                }
            }
        }
    };
}

curve!(
    /// P-256 (SP 800-186 section 3.2.1.3).
    NistP256, p256, p256::Fe, n256::Scalar, p256::Lanes
);
curve!(
    /// P-384 (SP 800-186 section 3.2.1.4).
    NistP384, p384, p384::Fe, n384::Scalar, p384::Lanes
);
