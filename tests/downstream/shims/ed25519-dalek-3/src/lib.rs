//! ed25519-dalek 3 by name, sigmill by content.
#![no_std]
pub use sigmill::ed25519::*;
