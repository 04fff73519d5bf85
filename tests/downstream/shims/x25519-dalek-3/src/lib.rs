//! x25519-dalek 3 by name, sigmill by content.
#![no_std]
pub use sigmill::x25519::*;
