//! ed25519-dalek 2 by name, sigmill by content.
#![no_std]
#[cfg(feature = "hazmat")]
use sigmill_dalek2::hazmat as ours;
pub use sigmill_dalek2::*;
#[cfg(feature = "hazmat")]
#[path = "../../../shared/hazmat.rs"]
pub mod hazmat;
