//! Key exchange: X25519 (RFC 7748), P-256 and P-384 (SP 800-186), as TLS has them (RFC 8446 sections 4.2.8.2 and
//! 7.4.2, RFC 8422 section 5.4). Secrets are of one handshake, computed with in constant time, and wiped when dropped.
//!
//! ```
//! use rustls::NamedGroup;
//! use rustls::crypto::CryptoProvider;
//! use sigmill_rustls::{default_provider, kx};
//!
//! let provider = CryptoProvider { kx_groups: vec![kx::X25519], ..default_provider() };
//! assert_eq!(provider.kx_groups[0].name(), NamedGroup::X25519);
//! ```

use rustls::crypto::{ActiveKeyExchange, SharedSecret, SupportedKxGroup};
use rustls::ffdhe_groups::FfdheGroup;
use rustls::{Error, NamedGroup, PeerMisbehaved};
use sigmill::x25519::{EphemeralSecret, PublicKey};

/// X25519.
pub static X25519: &dyn SupportedKxGroup = &X25519Group;

/// ECDH on P-256.
pub static SECP256R1: &dyn SupportedKxGroup = &secp256r1::Group;

/// ECDH on P-384.
pub static SECP384R1: &dyn SupportedKxGroup = &secp384r1::Group;

/// All groups that sigmill computes.
pub static ALL: &[&dyn SupportedKxGroup] = &[X25519, SECP256R1, SECP384R1];

/// The group of the same name in [`ALL`], or `group` where there is none.
pub(crate) fn ours(group: &'static dyn SupportedKxGroup) -> &'static dyn SupportedKxGroup {
    ALL.iter().find(|ours| ours.name() == group.name()).copied().unwrap_or(group)
}

#[derive(Debug)]
struct X25519Group;

impl SupportedKxGroup for X25519Group {
    fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
        let secret = EphemeralSecret::try_random_from_rng(&mut getrandom::SysRng)
            .map_err(|_| Error::FailedToGetRandomBytes)?;
        let public = PublicKey::from(&secret);
        Ok(Box::new(X25519Exchange { secret, public }))
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }

    fn name(&self) -> NamedGroup {
        NamedGroup::X25519
    }
}

/// Our half of one exchange.
struct X25519Exchange {
    secret: EphemeralSecret,
    public: PublicKey,
}

impl ActiveKeyExchange for X25519Exchange {
    /// The secret that both sides have.
    ///
    /// # Errors
    /// [`PeerMisbehaved::InvalidKeyShare`] unless the other side's key has 32 bytes, and where it has small order, so
    /// that the secret would be all zeros (RFC 8446 section 7.4.2).
    fn complete(self: Box<Self>, peer_pub_key: &[u8]) -> Result<SharedSecret, Error> {
        let invalid = || Error::from(PeerMisbehaved::InvalidKeyShare);
        let theirs: [u8; 32] = peer_pub_key.try_into().map_err(|_| invalid())?;
        let shared = self.secret.agree(&PublicKey::from(theirs)).map_err(|_| invalid())?;
        Ok(SharedSecret::from(shared.as_bytes().as_slice()))
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }

    fn group(&self) -> NamedGroup {
        NamedGroup::X25519
    }

    fn pub_key(&self) -> &[u8] {
        self.public.as_bytes()
    }
}

/// A group and our half of an exchange in it, for a curve with uncompressed points of so many bytes.
macro_rules! ecdh {
    ($module:ident, $curve:ident, $uncompressed:literal) => {
        mod $module {
            use super::*;
            use sigmill::ecdh::$curve::{EphemeralSecret, PublicKey};

            #[derive(Debug)]
            pub(super) struct Group;

            impl SupportedKxGroup for Group {
                fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
                    let secret = EphemeralSecret::try_generate_from_rng(&mut getrandom::SysRng)
                        .map_err(|_| Error::FailedToGetRandomBytes)?;
                    let public = secret.public_key().to_sec1_bytes();
                    Ok(Box::new(Exchange { secret, public }))
                }

                fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
                    None
                }

                fn name(&self) -> NamedGroup {
                    NamedGroup::$module
                }
            }

            struct Exchange {
                secret: EphemeralSecret,
                public: [u8; $uncompressed],
            }

            impl ActiveKeyExchange for Exchange {
                /// x of the common point, big-endian.
                ///
                /// # Errors
                /// [`PeerMisbehaved::InvalidKeyShare`] unless the other side's key is an uncompressed point of the
                /// curve: TLS has no other form.
                fn complete(self: Box<Self>, peer_pub_key: &[u8]) -> Result<SharedSecret, Error> {
                    let invalid = || Error::from(PeerMisbehaved::InvalidKeyShare);
                    let theirs: &[u8; $uncompressed] =
                        peer_pub_key.try_into().map_err(|_| invalid())?;
                    let theirs = PublicKey::from_sec1_bytes(theirs).map_err(|_| invalid())?;
                    let shared = self.secret.diffie_hellman(&theirs);
                    Ok(SharedSecret::from(shared.raw_secret_bytes().as_slice()))
                }

                fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
                    None
                }

                fn group(&self) -> NamedGroup {
                    NamedGroup::$module
                }

                fn pub_key(&self) -> &[u8] {
                    &self.public
                }
            }
        }
    };
}
ecdh!(secp256r1, p256, 65);
ecdh!(secp384r1, p384, 97);
