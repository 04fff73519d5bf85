//! A crypto provider for [rustls]: signatures and key exchange by [sigmill], everything else by *ring*.
//!
//! ```
//! use rustls::{ClientConfig, RootCertStore};
//! use std::sync::Arc;
//!
//! let config = ClientConfig::builder_with_provider(Arc::new(sigmill_rustls::default_provider()))
//!     .with_safe_default_protocol_versions()?
//!     .with_root_certificates(RootCertStore::empty()) // the roots that you trust
//!     .with_no_client_auth();
//! # let _ = config;
//! # Ok::<(), rustls::Error>(())
//! ```
//!
//! | what | by |
//! |---|---|
//! | verifying Ed25519 and ECDSA on P-256 and P-384, in certificates and in handshakes | sigmill ([`verify`]) |
//! | signing with such keys, from PKCS#8 and SEC1 | sigmill ([`sign`]) |
//! | X25519, ECDH on P-256 and P-384 | sigmill ([`kx`]) |
//! | RSA, ciphers, hashes of the handshake, HKDF, PRF, random bytes | *ring*, through rustls' own provider |
//!
//! One constant, [`ED25519_RULE`], says which Ed25519 signatures are valid.
//!
//! There is no `unsafe` in this crate. Secret keys, those of one handshake too, are wiped when they are dropped.

#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod kx;
pub mod sign;
pub mod verify;

use rustls::crypto::{CryptoProvider, ring};
pub use verify::ED25519_RULE;

/// The provider: rustls' *ring* provider with everything in its place that sigmill does.
///
/// Cipher suites, the order of groups and the order of signature schemes are those of
/// [`rustls::crypto::ring::default_provider`].
pub fn default_provider() -> CryptoProvider {
    let others = ring::default_provider();
    CryptoProvider {
        kx_groups: others.kx_groups.into_iter().map(kx::ours).collect(),
        signature_verification_algorithms: verify::SUPPORTED,
        key_provider: &sign::Keys,
        ..others
    }
}

/// The examples of the page compile.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
