//! Integers that multiply points: arithmetic modulo the group order, and digit forms.

pub(crate) mod halve;
pub(crate) mod l25519;
#[cfg(all(sigmill_lanes, feature = "bulk"))]
mod l25519_ifma_x8;
#[cfg(feature = "bulk")]
pub(crate) mod many;
#[cfg(feature = "ecdsa")]
pub(crate) mod n256;
#[cfg(feature = "ecdsa")]
pub(crate) mod n384;
pub(crate) mod recode;

#[cfg(test)]
#[path = "../tests/halve.rs"]
mod halve_tests;
#[cfg(test)]
#[path = "../tests/scalar_many.rs"]
mod many_tests;
#[cfg(test)]
#[path = "../tests/scalar.rs"]
mod tests;
