//! The names of x25519-dalek 2 on [`sigmill::x25519`], for programs on `rand_core` 0.6. One line of `Cargo.toml` and the
//! `use` lines change, as `x25519_dalek` is a module here:
//!
//! ```
//! use sigmill_dalek2::x25519::{PublicKey, StaticSecret};
//!
//! let (alice, bob) = (StaticSecret::from([1; 32]), StaticSecret::from([2; 32]));
//! let shared = alice.diffie_hellman(&PublicKey::from(&bob));
//! assert_eq!(shared.as_bytes(), bob.diffie_hellman(&PublicKey::from(&alice)).as_bytes());
//! ```
//!
//! `diffie_hellman` gives 32 zero bytes where the other side's key has small order, and
//! [`SharedSecret::was_contributory`] tells. All three kinds of secrets are always there; they are constant time, wiped
//! when dropped and never shown.

use core::fmt;
use sigmill::x25519 as ours;
use zeroize::ZeroizeOnDrop;

pub use sigmill::x25519::{PublicKey, SharedSecret, X25519_BASEPOINT_BYTES, x25519};

/// The members of all kinds of secret keys.
macro_rules! secret_keys {
    ($($(#[$doc:meta])* $name:ident, $self:ident: $receiver:ty;)*) => {
        $(
        $(#[$doc])*
        pub struct $name(ours::StaticSecret);

        #[cfg(feature = "rand_core")]
        impl $name {
            /// A new key.
            pub fn random_from_rng<T: rand_core::RngCore + rand_core::CryptoRng>(mut csprng: T) -> Self {
                let mut bytes = zeroize::Zeroizing::new([0; 32]);
                csprng.fill_bytes(bytes.as_mut_slice());
                $name(ours::StaticSecret::from(*bytes))
            }

            /// The older name of [`Self::random_from_rng`].
            #[deprecated(note = "renamed to `random_from_rng`")]
            pub fn new<T: rand_core::RngCore + rand_core::CryptoRng>(csprng: T) -> Self {
                Self::random_from_rng(csprng)
            }

            /// A new key from the system's random bytes.
            ///
            /// # Panics
            /// If the system has none: a program that wants to go on takes bytes from elsewhere.
            #[cfg(feature = "getrandom")]
            pub fn random() -> Self {
                Self::random_from_rng(rand_core::OsRng)
            }
        }

        impl $name {
            /// The shared secret, whatever the public key. Constant time.
            pub fn diffie_hellman($self: $receiver, their_public: &PublicKey) -> SharedSecret {
                $self.0.diffie_hellman(their_public)
            }
        }

        /// The public key. Constant time.
        impl From<&$name> for PublicKey {
            fn from(secret: &$name) -> Self {
                PublicKey::from(&secret.0)
            }
        }

        impl ZeroizeOnDrop for $name {}

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($name), "(not shown)"))
            }
        }
        )*
    };
}

secret_keys! {
    /// A secret key for one agreement: using it takes it.
    EphemeralSecret, self: Self;

    /// A secret key for several agreements of one run of a protocol. It has no bytes to store.
    #[derive(Clone)]
    ReusableSecret, self: &Self;

    /// A secret key that can be stored: 32 bytes.
    #[derive(Clone)]
    StaticSecret, self: &Self;
}

impl StaticSecret {
    /// The 32 bytes as they came, not clamped. The caller has to wipe the copy.
    pub const fn to_bytes(&self) -> [u8; 32] {
        self.0.to_bytes()
    }

    /// The 32 bytes as they came, not clamped.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }
}

impl From<[u8; 32]> for StaticSecret {
    /// The caller has to wipe its copy.
    fn from(bytes: [u8; 32]) -> Self {
        StaticSecret(ours::StaticSecret::from(bytes))
    }
}

impl AsRef<[u8]> for StaticSecret {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

/// Keys in the data model of serde: 32 bytes.
#[cfg(feature = "serde")]
mod in_serde {
    use super::{StaticSecret, ours};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    impl Serialize for StaticSecret {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            self.0.serialize(serializer)
        }
    }

    impl<'de> Deserialize<'de> for StaticSecret {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            ours::StaticSecret::deserialize(deserializer).map(StaticSecret)
        }
    }
}
