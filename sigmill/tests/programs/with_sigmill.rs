//! The programs with this library.

pub use ::sigmill::ed25519 as ed25519_dalek;
pub use ::sigmill::x25519 as x25519_dalek;

include!("modules.rs");
