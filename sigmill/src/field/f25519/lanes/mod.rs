//! GF(2^255 − 19), several values at once: one in each lane of a vector, or one lane in words.

#[cfg(not(sigmill_lanes))]
pub(super) mod absent;
#[cfg(sigmill_lanes)]
mod avx2_rows;
#[cfg(sigmill_lanes)]
pub(crate) mod avx2_x4;
#[cfg(any(sigmill_lanes, sigmill_lanes_128))]
mod columns;
#[cfg(sigmill_lanes)]
pub(crate) mod fma_x4;
#[cfg(sigmill_lanes)]
pub(crate) mod ifma_x8;
pub(crate) mod one_lane;
#[cfg(sigmill_lanes_128)]
pub(crate) mod u32_x4;
