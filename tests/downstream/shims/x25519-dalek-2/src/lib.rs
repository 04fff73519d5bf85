//! x25519-dalek 2 by name, sigmill by content.
#![no_std]
pub use sigmill_dalek2::x25519::*;
