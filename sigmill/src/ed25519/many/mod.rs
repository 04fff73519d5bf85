//! Many signatures at once, verified and made: the entry of `bulk`.

mod coefficients;
mod combine;
mod lanes;
pub(crate) mod rows;
mod search;
pub(crate) mod sign;
