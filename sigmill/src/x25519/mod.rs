//! X25519 (RFC 7748): two parties that know each other's public keys agree on a secret.
//!
//! ```
//! use sigmill::x25519::{PublicKey, StaticSecret};
//!
//! let (alice, bob) = (StaticSecret::from([1; 32]), StaticSecret::from([2; 32]));
//! let shared = alice.agree(&PublicKey::from(&bob))?;
//! assert_eq!(shared, bob.agree(&PublicKey::from(&alice))?);
//! # Ok::<(), sigmill::Error>(())
//! ```
//!
//! Names and behaviour are those of `x25519-dalek` 3, so that a program switches by its `use` line:
//! `diffie_hellman` never fails, and gives 32 zero bytes where the other side's key has small order: then
//! everybody knows the secret, and the caller has to ask `was_contributory`. `agree` is beside each
//! `diffie_hellman` and refuses such a secret (section 6.1). `try_random()` is beside `random()`, which panics where
//! the system cannot provide random bytes (feature `getrandom`).
//!
//! A shared secret is not uniform: hash it, with both public keys, before it is a key. Ed25519 keys become
//! X25519 keys by `From`, see [`StaticSecret`] and [`PublicKey`]. Many at a time: [`crate::bulk::Engine`].
//!
//! Secrets: constant time; secret types are wiped when dropped, and each public function wipes the stack
//! of the computation below it.

mod convert;
mod keys;
pub(crate) mod lanes;
#[cfg(feature = "serde")]
mod serde;

pub use keys::{EphemeralSecret, PublicKey, ReusableSecret, SharedSecret, StaticSecret};
#[cfg(feature = "rand_core")]
pub use rand_core;

use crate::ct::{self, declassify};
use crate::curve::montgomery;

/// The u-coordinate of the base point, 9, as 32 bytes, little-endian (RFC 7748 section 4.1).
pub const X25519_BASEPOINT_BYTES: [u8; 32] = {
    let mut bytes = [0; 32];
    bytes[0] = 9;
    bytes
};

/// The function X25519 on bare bytes (RFC 7748 section 5): the u-coordinate of `[k]P`, where `u` is that of
/// P. All are 32 bytes, little-endian.
///
/// Every `k` is a scalar: its bits 0, 1, 2 and 255 count as 0, and bit 254 as 1. Every `u` is one: bit 255
/// counts as 0, and what is not below p = 2^255 − 19 is reduced. The result is below p; it is 0 for a P of
/// small order. Constant time. The caller has to wipe its copies.
///
/// ```
/// use sigmill::x25519::{X25519_BASEPOINT_BYTES, x25519};
///
/// let (a, b) = ([1; 32], [2; 32]);
/// let (a_public, b_public) = (x25519(a, X25519_BASEPOINT_BYTES), x25519(b, X25519_BASEPOINT_BYTES));
/// assert_eq!(x25519(a, b_public), x25519(b, a_public));
/// ```
pub fn x25519(k: [u8; 32], u: [u8; 32]) -> [u8; 32] {
    multiple(&k, &u)
}

/// The same by reference, so that no copy of `k` stays behind.
fn multiple(k: &[u8; 32], u: &[u8; 32]) -> [u8; 32] {
    let shared = montgomery::multiple(k, u);
    ct::wipe_stack(ct::StackUse::Curve25519);
    shared
}

/// THE DECISION of section 6.1, for one and for many: whether the other side's key had a part in the secret,
/// which is so if not all of its bytes are zero. They are compared whole, in constant time.
fn is_contributory(shared: &[u8; 32]) -> bool {
    let zero = ct::bytes_equal(shared, &[0; 32]);
    !declassify("contributory", zero).is_true_vartime()
}
