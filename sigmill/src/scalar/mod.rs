//! Integers that multiply points: arithmetic modulo the group order, and digit forms.

pub(crate) mod halve;
pub(crate) mod l25519;
#[cfg(sigmill_lanes)]
mod l25519_ifma_x8;
pub(crate) mod many;
pub(crate) mod n256;
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
