//! The group of edwards25519: points, formulas, multiplication.
//!
//! No instruction set is named here and no `unsafe` is used.

pub(crate) mod base_lanes;
pub(crate) mod edwards;
pub(crate) mod half_size;
pub(crate) mod half_size_quad;
pub(crate) mod lanes;
#[cfg(feature = "x25519")]
pub(crate) mod montgomery;
pub(crate) mod msm;
pub(crate) mod mul;
#[cfg(feature = "ecdsa")]
pub(crate) mod p256;
#[cfg(feature = "ecdsa")]
pub(crate) mod p384;
mod quad;
mod tables;
#[cfg(feature = "bulk")]
pub(crate) mod torsion;
#[cfg(feature = "ecdsa")]
pub(crate) mod weierstrass;
#[cfg(feature = "ecdsa")]
pub(crate) mod weierstrass_base_lanes;
#[cfg(feature = "ecdsa")]
pub(crate) mod weierstrass_lanes;
#[cfg(feature = "ecdsa")]
mod weierstrass_quad;

#[cfg(test)]
#[path = "../tests/curve.rs"]
mod tests;
