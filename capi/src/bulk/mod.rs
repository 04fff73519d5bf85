//! Many rows: columns of the caller's memory, computed on one thread or many.

pub mod arrow;
pub mod column;
#[cfg(feature = "ecdsa")]
mod ecdsa;
mod ed25519;
mod outputs;
pub mod plan;
pub mod report;
mod rows;
mod signing;
pub mod verify;
#[cfg(feature = "x25519")]
mod x25519;
