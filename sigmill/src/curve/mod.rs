//! The group of edwards25519: points, formulas, multiplication.
//!
//! Reach: `field`, `scalar`, `ct`. No instruction set is named here and no `unsafe` is used.

pub(crate) mod base_lanes;
pub(crate) mod edwards;
pub(crate) mod lanes;
pub(crate) mod montgomery;
pub(crate) mod msm;
pub(crate) mod mul;
mod quad;
mod tables;
mod torsion;

#[cfg(test)]
#[path = "../tests/curve.rs"]
mod tests;
