//! Lengths of keys and signatures, bytes of one exact length, and the error of those that have another.

use crate::error::{Error, Reason};

/// The error of the functions that carry names of `ed25519-dalek`. With the feature `alloc` its
/// source is an [`Error`] or a [`Reason`].
pub type SignatureError = signature::Error;
/// A secret key of RFC 8032, the seed: 32 bytes.
pub type SecretKey = [u8; SECRET_KEY_LENGTH];

/// Length of a secret key (RFC 8032's 32-byte private key, the seed), in bytes.
pub const SECRET_KEY_LENGTH: usize = 32;
/// Length of a public key, in bytes.
pub const PUBLIC_KEY_LENGTH: usize = 32;
/// Length of a secret key followed by its public key, in bytes.
pub const KEYPAIR_LENGTH: usize = 64;
/// Length of a signature, in bytes.
pub const SIGNATURE_LENGTH: usize = 64;
/// Length of an expanded secret key, scalar and hash prefix, in bytes.
pub const EXPANDED_SECRET_KEY_LENGTH: usize = 64;

/// Takes bytes of one exact length.
pub(super) fn exactly<'a, const N: usize>(
    what: &'static str,
    bytes: &'a [u8],
) -> Result<&'a [u8; N], Error> {
    bytes.try_into().map_err(|_| Error::Length { what, expected: N, got: bytes.len() })
}

/// The halves of 64 bytes: R and S of a signature, seed and public key of a pair, scalar and prefix of an expanded key.
pub(super) fn halves(bytes: &[u8; 64]) -> [&[u8; 32]; 2] {
    let (first, second) = bytes.split_at(32);
    // both are 32 bytes long: the conversion cannot fail
    [first, second].map(|half| half.first_chunk().unwrap_or(&[0; 32]))
}

impl From<Error> for SignatureError {
    #[cfg(feature = "alloc")]
    fn from(error: Error) -> Self {
        Self::from_source(error)
    }

    #[cfg(not(feature = "alloc"))]
    fn from(_: Error) -> Self {
        Self::new()
    }
}

impl From<Reason> for SignatureError {
    #[cfg(feature = "alloc")]
    fn from(reason: Reason) -> Self {
        Self::from_source(reason)
    }

    #[cfg(not(feature = "alloc"))]
    fn from(_: Reason) -> Self {
        Self::new()
    }
}
