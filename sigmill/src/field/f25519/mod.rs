//! GF(p), p = 2^255 − 19, the field of Ed25519 and X25519.
//!
//! | file | what it holds |
//! |---|---|
//! | `field` | the traits of a field element, in words or in lanes; constants, powers, square roots |
//! | `words` | backends of one value, and which of them this build has |
//! | `lanes` | backends of one value a lane |
//! | `packed` | backends of one point's coordinates side by side |
//! | `dispatch` | all doors: which backend a kernel runs in |
//! | `inversion` | one inversion for all backends |
//!
//! No backend changes a result.

mod dispatch;
mod field;
mod inversion;
pub(crate) mod lanes;
mod packed;
#[cfg(test)]
pub(crate) mod tests;
mod words;

#[cfg(test)]
pub(crate) use dispatch::{FOUR, run_wide_anywhere};
pub(crate) use dispatch::{
    run, run_in_eight_lanes, run_in_four_at_once, run_in_four_lanes, run_in_words, run_packed,
    run_public, run_public_in_lanes, run_wide,
};
#[cfg(test)]
pub(crate) use field::sqrt_ratio;
pub(crate) use field::{
    D, Entries, EntryLookup, Field, LaneField, MINUS_1, ONE, P, Row, SQRT_MINUS_1, SecretLanes,
    SingleField, TWICE_D, ZERO, are_reduced, mul, neg, pow_p_minus_5_over_8, sqrt_ratios, square,
    take_points, take_product_rows, top_bits, twice_product,
};
pub(crate) use inversion::{Products, invert};
pub(crate) use lanes::one_lane;
pub(crate) use packed::{Offset, PackedField, WideField};
pub(crate) use words::{Fe, NAME};
