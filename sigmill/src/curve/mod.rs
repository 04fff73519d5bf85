//! The group of edwards25519: points, formulas, multiplication.
//!
//! No instruction set is named here and no `unsafe` is used.

pub(crate) mod base_lanes;
pub(crate) mod edwards;
pub(crate) mod half_size;
pub(crate) mod half_size_quad;
pub(crate) mod lanes;
pub(crate) mod montgomery;
pub(crate) mod msm;
pub(crate) mod mul;
pub(crate) mod p256;
pub(crate) mod p384;
mod quad;
mod tables;
pub(crate) mod torsion;
pub(crate) mod weierstrass;
pub(crate) mod weierstrass_base_lanes;
pub(crate) mod weierstrass_lanes;
mod weierstrass_quad;

#[cfg(test)]
#[path = "../tests/curve.rs"]
mod tests;
