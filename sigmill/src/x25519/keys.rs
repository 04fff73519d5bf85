//! Secret keys of three kinds, public keys and shared secrets.
//!
//! A secret key is 32 bytes as they came; they are clamped where they multiply. Constant time.

use super::{is_contributory, multiple};
use crate::ct::{self, declassify};
use crate::curve::montgomery;
use crate::error::Error;
use crate::impls::{equal_where, not_shown};
use crate::random::generate;
use core::hash::{Hash, Hasher};
use rand_core::TryCryptoRng;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// A public key: a u-coordinate, 32 bytes, little-endian. Every 32 bytes are one (RFC 7748 section 5).
///
/// The bytes stay as they came; two keys are equal if their u-coordinates are, modulo p and without bit 255.
/// `PublicKey::from(&verifying_key)` is the form of an Ed25519 key (section 4.1) whose secret key is
/// `StaticSecret::from(&signing_key)`.
///
/// ```
/// use sigmill::x25519::{PublicKey, StaticSecret};
///
/// let secret = StaticSecret::from([7; 32]);
/// let public = PublicKey::from(&secret);
/// assert_eq!(PublicKey::from(public.to_bytes()), public);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PublicKey(pub(super) [u8; 32]);

impl PublicKey {
    /// The 32 bytes as they came.
    pub const fn to_bytes(&self) -> [u8; 32] {
        self.0
    }

    /// The 32 bytes as they came.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl From<[u8; 32]> for PublicKey {
    fn from(bytes: [u8; 32]) -> Self {
        PublicKey(bytes)
    }
}

impl AsRef<[u8]> for PublicKey {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl PartialEq for PublicKey {
    fn eq(&self, other: &Self) -> bool {
        montgomery::canonical(&self.0) == montgomery::canonical(&other.0)
    }
}

impl Eq for PublicKey {}

impl Hash for PublicKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        montgomery::canonical(&self.0).hash(state);
    }
}

impl Zeroize for PublicKey {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

/// The members of all kinds of secret keys.
macro_rules! secret_keys {
    ($($(#[$doc:meta])* $name:ident, $self:ident: $receiver:ty;)*) => {
        $(
        $(#[$doc])*
        pub struct $name([u8; 32]);

        impl $name {
            /// A new key from a random source that may fail, such as the operating system's.
            ///
            /// # Errors
            /// The error of the source; no key is made.
            pub fn try_random_from_rng<R: TryCryptoRng + ?Sized>(
                rng: &mut R,
            ) -> Result<Self, R::Error> {
                let mut secret = $name([0; 32]);
                rng.try_fill_bytes(&mut secret.0)?;
                Ok(secret)
            }

            /// The shared secret, whatever the public key. All zeros for one of small order: see
            /// [`SharedSecret::was_contributory`]. Constant time.
            pub fn diffie_hellman($self: $receiver, their_public: &PublicKey) -> SharedSecret {
                SharedSecret(multiple(&$self.0, &their_public.0))
            }

            /// The shared secret, unless it is all zeros. Constant time.
            ///
            /// # Errors
            /// [`Error::NotContributory`] for a public key of small order (RFC 7748 section 6.1).
            pub fn agree($self: $receiver, their_public: &PublicKey) -> Result<SharedSecret, Error> {
                $self.diffie_hellman(their_public).contributory()
            }
        }

        generate!($name, "A new key", (try_random_from_rng, random_from_rng, try_random, random));

        /// The public key: X25519 of the secret and the base point (RFC 7748 section 6.1). Constant time.
        impl From<&$name> for PublicKey {
            fn from(secret: &$name) -> Self {
                let u = montgomery::base_multiple(&secret.0);
                ct::wipe_stack(ct::StackUse::Curve25519);
                PublicKey(declassify("x25519_public_key", u))
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                self.0.zeroize();
            }
        }

        impl ZeroizeOnDrop for $name {}

        not_shown!([] $name, stringify!($name));
        )*
    };
}

secret_keys! {
    /// A secret key for one agreement: using it takes it. Wiped when dropped; never shown.
    ///
    /// ```
    /// # #[cfg(feature = "getrandom")] {
    /// use sigmill::x25519::{EphemeralSecret, PublicKey};
    ///
    /// let ours = EphemeralSecret::try_random()?;
    /// let sent = PublicKey::from(&ours).to_bytes();
    /// # let theirs = EphemeralSecret::try_random()?;
    /// # let received = PublicKey::from(&theirs).to_bytes();
    /// let shared = ours.agree(&PublicKey::from(received))?;
    /// # assert_eq!(shared, theirs.agree(&PublicKey::from(sent))?);
    /// # }
    /// # Ok::<(), sigmill::Error>(())
    /// ```
    EphemeralSecret, self: Self;

    /// A secret key for several agreements of one run of a protocol. It has no bytes to store. Wiped when
    /// dropped; never shown.
    ///
    /// ```
    /// # #[cfg(feature = "getrandom")] {
    /// use sigmill::x25519::{PublicKey, ReusableSecret};
    ///
    /// let ours = ReusableSecret::try_random()?;
    /// # let (peer, relay) = (PublicKey::from([9; 32]), PublicKey::from([10; 32]));
    /// let (with_peer, with_relay) = (ours.agree(&peer)?, ours.agree(&relay)?);
    /// # assert_ne!(with_peer, with_relay);
    /// # }
    /// # Ok::<(), sigmill::Error>(())
    /// ```
    #[derive(Clone)]
    ReusableSecret, self: &Self;

    /// A secret key that can be stored: 32 bytes. Wiped when dropped; never shown; comparison is constant
    /// time.
    ///
    /// `StaticSecret::from(&signing_key)` is the secret key of an Ed25519 key pair, the first half of
    /// SHA-512(seed) (RFC 8032 section 5.1.5, RFC 7748 section 4.1).
    ///
    /// ```
    /// use sigmill::ed25519::SigningKey;
    /// use sigmill::x25519::{PublicKey, StaticSecret};
    ///
    /// let stored = StaticSecret::from([7; 32]);
    /// assert_eq!(StaticSecret::from(stored.to_bytes()), stored);
    ///
    /// let signing = SigningKey::from_bytes(&[7; 32]);
    /// let public = PublicKey::from(&StaticSecret::from(&signing));
    /// assert_eq!(public, PublicKey::from(&signing.verifying_key()));
    /// ```
    #[derive(Clone)]
    StaticSecret, self: &Self;
}

impl StaticSecret {
    /// The 32 bytes as they came, not clamped. The caller has to wipe the copy.
    pub const fn to_bytes(&self) -> [u8; 32] {
        self.0
    }

    /// The 32 bytes as they came, not clamped.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl From<[u8; 32]> for StaticSecret {
    /// The caller has to wipe its copy.
    fn from(bytes: [u8; 32]) -> Self {
        StaticSecret(bytes)
    }
}

impl AsRef<[u8]> for StaticSecret {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl subtle::ConstantTimeEq for StaticSecret {
    fn ct_eq(&self, other: &Self) -> subtle::Choice {
        self.0.ct_eq(&other.0)
    }
}

equal_where!([] StaticSecret, |a, b| declassify("keys_equal", ct::bytes_equal(&a.0, &b.0)));

/// A shared secret: a u-coordinate below p, 32 bytes, little-endian. Wiped when dropped; never
/// shown; comparison is constant time.
///
/// ```
/// use sigmill::Error;
/// use sigmill::ed25519::{Digest, Sha512};
/// use sigmill::x25519::{PublicKey, StaticSecret};
///
/// let (ours, theirs) = (StaticSecret::from([1; 32]), PublicKey::from(&StaticSecret::from([2; 32])));
/// let shared = ours.agree(&theirs)?;
/// // not uniform: hashed with both public keys it is a key
/// let hash = Sha512::new().chain_update(shared.as_bytes());
/// let key = hash.chain_update(PublicKey::from(&ours)).chain_update(theirs).finalize();
/// # assert_ne!(key.as_slice(), shared.as_bytes());
///
/// assert_eq!(ours.agree(&PublicKey::from([0; 32])), Err(Error::NotContributory));
/// # Ok::<(), sigmill::Error>(())
/// ```
pub struct SharedSecret(pub(super) [u8; 32]);

impl SharedSecret {
    /// The 32 bytes. The caller has to wipe the copy.
    pub const fn to_bytes(&self) -> [u8; 32] {
        self.0
    }

    /// The 32 bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Whether it is not all zeros. If it is, the public key had small order and everybody knows the secret
    /// (RFC 7748 section 6.1). Constant time.
    #[must_use = "a secret to which the other side did not contribute is known to everybody"]
    pub fn was_contributory(&self) -> bool {
        is_contributory(&self.0)
    }

    fn contributory(self) -> Result<Self, Error> {
        if self.was_contributory() { Ok(self) } else { Err(Error::NotContributory) }
    }
}

impl AsRef<[u8]> for SharedSecret {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl subtle::ConstantTimeEq for SharedSecret {
    fn ct_eq(&self, other: &Self) -> subtle::Choice {
        self.0.ct_eq(&other.0)
    }
}

equal_where!([] SharedSecret, |a, b| declassify("shared_secrets_equal", ct::bytes_equal(&a.0, &b.0)));

impl Drop for SharedSecret {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl ZeroizeOnDrop for SharedSecret {}

not_shown!([] SharedSecret, "SharedSecret");
