//! Integers that multiply points: arithmetic modulo the group order, and digit forms.

pub(crate) mod half_size;
pub(crate) mod l25519;
#[cfg(all(sigmill_lanes, feature = "bulk"))]
mod l25519_ifma_x8;
#[cfg(feature = "bulk")]
pub(crate) mod lanes;
#[cfg(feature = "ecdsa")]
pub(crate) mod n256;
#[cfg(feature = "ecdsa")]
pub(crate) mod n384;
pub(crate) mod recode;

#[cfg(test)]
mod tests;
