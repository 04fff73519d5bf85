//! A crypto provider for [jsonwebtoken]: EdDSA, ES256 and ES384 by [sigmill].
//!
//! ```
//! sigmill_jsonwebtoken::PROVIDER.install_default().expect("no provider has been installed before");
//! ```
//!
//! | algorithm | by |
//! |---|---|
//! | `EdDSA` with Ed25519, `ES256`, `ES384` | sigmill |
//! | `HS…`, `RS…`, `PS…` with the feature `rust_crypto` | jsonwebtoken's own RustCrypto provider |
//! | `HS…`, `RS…`, `PS…` without it | refused, by name |
//!
//! Keys come as jsonwebtoken has them: private keys in PKCS#8, public keys as 32 bytes of Ed25519 or a point of SEC 1.
//! One constant, [`ED25519_RULE`], says which Ed25519 signatures are valid. Signing is deterministic (RFC 8032, RFC
//! 6979), and secret keys are wiped when they are dropped.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod key_utils;
mod signer;
mod verifier;

pub use verifier::ED25519_RULE;

use jsonwebtoken::crypto::{CryptoProvider, KeyUtils};
use jsonwebtoken::errors::{Error, ErrorKind, new_error};
use jsonwebtoken::{Algorithm, AlgorithmFamily};
use std::fmt;

/// The provider.
pub static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: signer::new,
    verifier_factory: verifier::new,
    key_utils: KeyUtils {
        rsa_pub_components_from_private_key: key_utils::rsa_of_private,
        rsa_pub_components_from_public_key: key_utils::rsa_of_public,
        ec_pub_components_from_private_key: key_utils::ec_of_private,
        ed_pub_components_from_private_key: key_utils::ed_of_private,
        compute_digest: key_utils::digest,
    },
};

/// The provider for everything else, if there is one.
#[cfg(feature = "rust_crypto")]
const OTHERS: Option<&CryptoProvider> = Some(&jsonwebtoken::crypto::rust_crypto::DEFAULT_PROVIDER);
#[cfg(not(feature = "rust_crypto"))]
const OTHERS: Option<&CryptoProvider> = None;

fn refused(text: impl fmt::Display) -> Error {
    new_error(ErrorKind::Provider(format!("sigmill-jsonwebtoken: {text}")))
}

/// The refusal of an algorithm that nothing here has.
fn unsupported(name: impl fmt::Debug) -> Error {
    refused(format_args!(
        "{name:?} is not supported; EdDSA, ES256 and ES384 are, and with the feature rust_crypto all others"
    ))
}

/// A key of another family is refused before its bytes are looked at.
fn check_family(algorithm: Algorithm, key: AlgorithmFamily) -> Result<(), Error> {
    if key == algorithm.family() {
        return Ok(());
    }
    let wanted = algorithm.family();
    Err(refused(format_args!(
        "{algorithm:?} needs a key of the family {wanted:?}; got one of {key:?}"
    )))
}

/// The refusal of a key.
fn bad_key(algorithm: Algorithm, kind: &str, why: sigmill::Error) -> Error {
    refused(format_args!("{kind} key for {algorithm:?}: {why}"))
}
