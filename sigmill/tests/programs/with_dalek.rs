//! The programs with `ed25519-dalek` and `x25519-dalek`.

pub use ::ed25519_dalek;
pub use ::x25519_dalek;

include!("modules.rs");
