//! ed25519-dalek 3 by name, sigmill by content.
#![no_std]
#[cfg(feature = "hazmat")]
use sigmill::ed25519::hazmat as ours;
pub use sigmill::ed25519::*;
#[cfg(feature = "hazmat")]
#[path = "../../../shared/hazmat.rs"]
pub mod hazmat;
