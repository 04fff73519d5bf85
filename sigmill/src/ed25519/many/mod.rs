//! Many signatures at once, verified and made: what `bulk` calls.

mod coefficients;
mod combine;
mod lanes;
pub(crate) mod rows;
mod search;
pub(crate) mod sign;
