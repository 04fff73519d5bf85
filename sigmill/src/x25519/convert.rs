//! X25519 keys of Ed25519 keys, by the map between the two curves (RFC 7748 section 4.1).
//!
//! The two forms of a pair belong together: the public key of `StaticSecret::from(&key)` is
//! `PublicKey::from(&key.verifying_key())`. The sign of x is lost.

use super::{PublicKey, StaticSecret};
use crate::ed25519::{MontgomeryPoint, SigningKey, VerifyingKey};
use zeroize::Zeroizing;

/// The first half of SHA-512(seed), which is clamped where it multiplies (RFC 8032 section 5.1.5). Constant
/// time.
impl From<&SigningKey> for StaticSecret {
    fn from(key: &SigningKey) -> Self {
        StaticSecret::from(*Zeroizing::new(key.to_scalar_bytes()))
    }
}

/// u = (1 + y)/(1 − y), and 0 for the neutral point: of an Ed25519 key of small order it is an X25519 key of
/// small order, which `agree` refuses.
impl From<&VerifyingKey> for PublicKey {
    fn from(key: &VerifyingKey) -> Self {
        key.to_montgomery().into()
    }
}

/// The same 32 bytes.
impl From<MontgomeryPoint> for PublicKey {
    fn from(point: MontgomeryPoint) -> Self {
        PublicKey(point.to_bytes())
    }
}
