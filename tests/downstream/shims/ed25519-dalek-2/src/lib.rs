//! ed25519-dalek 2 by name, sigmill by content.
#![no_std]
pub use sigmill_dalek2::*;
#[cfg(feature = "hazmat")]
pub mod hazmat;
