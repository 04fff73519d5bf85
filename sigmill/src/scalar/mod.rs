//! Integers that multiply points: arithmetic modulo the group order, and digit forms.

pub(crate) mod half_size;
pub(crate) mod l25519;
#[cfg(all(sigmill_lanes, feature = "bulk"))]
mod l25519_ifma_x8;
#[cfg(feature = "bulk")]
pub(crate) mod lanes;
#[cfg(feature = "ecdsa")]
mod orders;
pub(crate) mod recode;

#[cfg(feature = "ecdsa")]
pub(crate) use orders::{n256, n384};

#[cfg(test)]
mod tests;
