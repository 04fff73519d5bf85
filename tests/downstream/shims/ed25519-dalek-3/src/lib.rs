//! ed25519-dalek 3 by name, sigmill by content.
#![no_std]
pub use sigmill::ed25519::*;
#[cfg(feature = "hazmat")]
pub mod hazmat;
