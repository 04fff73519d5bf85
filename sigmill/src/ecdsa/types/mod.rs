//! Keys and signatures, the same for each curve but for lengths.

mod signature;
mod signing;
mod verifying;

pub(super) use self::signature::exactly;
pub use self::signature::{DerSignature, Signature};
pub use signing::SigningKey;
pub use verifying::VerifyingKey;
pub(super) use verifying::{verify_digest_bytes, verify_digest_der_bytes};
