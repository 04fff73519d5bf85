//! Ed25519, one signature at a time.

pub mod explain;
mod hazmat;
pub mod own_hash;
pub mod sign;
pub mod stream;
pub mod verify;
