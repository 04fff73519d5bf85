//! Groups of points: formulas, multiplication.
//!
//! No instruction set is named here and no `unsafe` is used.

pub(crate) mod edwards;
#[cfg(feature = "x25519")]
pub(crate) mod montgomery;
mod tables;
#[cfg(feature = "ecdsa")]
pub(crate) mod weierstrass;

#[cfg(test)]
mod tests;
