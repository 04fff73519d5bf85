//! Integers that multiply points: arithmetic modulo the group order, and digit forms.
//!
//! Reach: `word` and `ct`.

pub(crate) mod halve;
pub(crate) mod l25519;
pub(crate) mod recode;

#[cfg(test)]
#[path = "../tests/halve.rs"]
mod halve_tests;
#[cfg(test)]
#[path = "../tests/scalar.rs"]
mod tests;
