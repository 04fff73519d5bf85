//! ECDH on P-256 and P-384 (SP 800-56A revision 3, section 5.7.1.2): two parties that know each other's
//! public keys agree on a secret.
//!
//! ```
//! use sigmill::ecdh::p256::{PublicKey, SecretKey};
//!
//! let (alice, bob) = (SecretKey::from_slice(&[1; 32])?, SecretKey::from_slice(&[2; 32])?);
//! let theirs = PublicKey::from_sec1_bytes(&bob.public_key().to_sec1_bytes())?;
//! let shared = alice.diffie_hellman(&theirs);
//! assert!(shared == bob.diffie_hellman(&alice.public_key()));
//! # Ok::<(), sigmill::Error>(())
//! ```
//!
//! With keys that are used once (feature `getrandom`):
//!
//! ```
//! # #[cfg(feature = "getrandom")] {
//! use sigmill::ecdh::p384::{EphemeralSecret, PublicKey};
//!
//! let ours = EphemeralSecret::generate();
//! let sent = ours.public_key().to_sec1_point(false); // 97 bytes, to the other side
//! # let theirs = EphemeralSecret::generate();
//! # let received = theirs.public_key().to_sec1_bytes();
//! let shared = ours.diffie_hellman(&PublicKey::from_sec1_bytes(&received)?);
//! let raw: &[u8; 48] = shared.raw_secret_bytes(); // not uniform: to a key derivation function
//! # assert_eq!(raw, theirs.diffie_hellman(&PublicKey::from_sec1_bytes(sent.as_bytes())?).raw_secret_bytes());
//! # }
//! # Ok::<(), sigmill::Error>(())
//! ```
//!
//! The secret is x of \[d\]Q, big-endian, as many bytes as the field has. A [`p256::PublicKey`] is on the curve,
//! and not infinity, by its construction; the group has prime order, and d is from 1 to n − 1: \[d\]Q is never
//! infinity, and an agreement never fails. A shared secret is not uniform: derive keys from it by a function for
//! that, with both public keys.
//!
//! Names are those of the crates `p256` and `p384` 0.14 (`p256::ecdh`, `p256::SecretKey`), and
//! [`crate::ecdsa::p256`] has them, too.
//!
//! Secrets: constant time; secret types are wiped when dropped, and each public function wipes the stack
//! of the computation below it.

mod keys;

use crate::ecdsa::curves::for_curves;
use core::borrow::Borrow;
pub use keys::{EphemeralSecret, PublicKey, SecretKey, SharedSecret};

macro_rules! names {
    ($module:ident, $curve:ident, $name:literal, $hash_name:literal) => {
        #[doc = concat!("ECDH on ", $name, ".")]
        pub mod $module {
            use super::Borrow;
            use crate::curve::weierstrass::$curve;
            use crate::ecdsa::NonZeroScalar;

            #[doc = concat!("A secret key on ", $name, ".")]
            pub type SecretKey = super::SecretKey<$curve>;
            #[doc = concat!("A public key on ", $name, ".")]
            pub type PublicKey = super::PublicKey<$curve>;
            /// The point of a public key, which is the public key: there is no arithmetic behind the name.
            pub type AffinePoint = PublicKey;
            #[doc = concat!("A secret key on ", $name, " for the agreements of one run of a protocol.")]
            pub type EphemeralSecret = super::EphemeralSecret<$curve>;
            #[doc = concat!("What two parties agree on by keys on ", $name, ".")]
            pub type SharedSecret = super::SharedSecret<$curve>;

            /// The shared secret of a secret key and the other side's public key, or of what
            /// [`SecretKey::to_nonzero_scalar`] and [`PublicKey::as_affine`] make of them. Constant time.
            pub fn diffie_hellman(
                secret: impl Borrow<NonZeroScalar<$curve>>,
                their_public: impl Borrow<AffinePoint>,
            ) -> SharedSecret {
                SharedSecret::of(secret.borrow(), their_public.borrow())
            }
        }
    };
}

for_curves!(names);
