// The programs, for the file that includes this and says which library they are for.

#[path = "batch.rs"]
pub mod batch;
#[path = "containers.rs"]
pub mod containers;
#[path = "convert.rs"]
pub mod convert;
#[path = "hazmat.rs"]
pub mod hazmat;
#[cfg(feature = "curve25519-dalek")]
#[path = "points.rs"]
pub mod points;
#[path = "prehash.rs"]
pub mod prehash;
#[path = "serde.rs"]
pub mod serde;
#[path = "sign.rs"]
pub mod sign;
#[path = "x25519.rs"]
pub mod x25519;
