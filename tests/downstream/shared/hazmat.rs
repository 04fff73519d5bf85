//! `hazmat` with curve25519-dalek's `Scalar` in `ExpandedSecretKey`, as programs compute with it; signing and verifying
//! are sigmill's.

use crate::ours;
use crate::{Digest, SecretKey, Signature, SignatureError, VerifyingKey};
use curve25519_dalek::Scalar;
use digest::consts::U64;
use subtle::{Choice, ConstantTimeEq};
use zeroize::{Zeroize, ZeroizeOnDrop};

pub use crate::ours::{raw_verify, raw_verify_prehashed};

/// The fields of ed25519-dalek's.
pub struct ExpandedSecretKey {
    pub scalar: Scalar,
    pub hash_prefix: [u8; 32],
}

impl ExpandedSecretKey {
    pub fn from_bytes(bytes: &[u8; 64]) -> Self {
        ours::ExpandedSecretKey::from_bytes(bytes).into()
    }

    pub fn from_slice(bytes: &[u8]) -> Result<Self, SignatureError> {
        ours::ExpandedSecretKey::from_slice(bytes).map(Self::from)
    }

    fn ours(&self) -> ours::ExpandedSecretKey {
        let scalar = ours::Scalar::from_bytes_mod_order(self.scalar.to_bytes());
        ours::ExpandedSecretKey { scalar, hash_prefix: self.hash_prefix }
    }
}

impl From<ours::ExpandedSecretKey> for ExpandedSecretKey {
    fn from(key: ours::ExpandedSecretKey) -> Self {
        let scalar = Scalar::from_bytes_mod_order(key.scalar.to_bytes());
        ExpandedSecretKey { scalar, hash_prefix: key.hash_prefix }
    }
}

impl From<&SecretKey> for ExpandedSecretKey {
    fn from(seed: &SecretKey) -> Self {
        ours::ExpandedSecretKey::from(seed).into()
    }
}

impl TryFrom<&[u8]> for ExpandedSecretKey {
    type Error = SignatureError;

    fn try_from(bytes: &[u8]) -> Result<Self, SignatureError> {
        Self::from_slice(bytes)
    }
}

impl From<&ExpandedSecretKey> for VerifyingKey {
    fn from(key: &ExpandedSecretKey) -> Self {
        VerifyingKey::from(&key.ours())
    }
}

impl ConstantTimeEq for ExpandedSecretKey {
    fn ct_eq(&self, other: &Self) -> Choice {
        self.ours().ct_eq(&other.ours())
    }
}

impl PartialEq for ExpandedSecretKey {
    fn eq(&self, other: &Self) -> bool {
        self.ct_eq(other).into()
    }
}

impl Eq for ExpandedSecretKey {}

impl Drop for ExpandedSecretKey {
    fn drop(&mut self) {
        self.scalar.zeroize();
        self.hash_prefix.zeroize();
    }
}

impl ZeroizeOnDrop for ExpandedSecretKey {}

impl core::fmt::Debug for ExpandedSecretKey {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("ExpandedSecretKey(not shown)")
    }
}

pub fn raw_sign<C: Digest<OutputSize = U64>>(
    key: &ExpandedSecretKey,
    message: &[u8],
    public: &VerifyingKey,
) -> Signature {
    ours::raw_sign::<C>(&key.ours(), message, public)
}

pub fn raw_sign_byupdate<C, F>(
    key: &ExpandedSecretKey,
    update: F,
    public: &VerifyingKey,
) -> Result<Signature, SignatureError>
where
    C: Digest<OutputSize = U64>,
    F: Fn(&mut C) -> Result<(), SignatureError>,
{
    ours::raw_sign_byupdate::<C, F>(&key.ours(), update, public)
}

pub fn raw_sign_prehashed<C, M>(
    key: &ExpandedSecretKey,
    message: M,
    public: &VerifyingKey,
    context: Option<&[u8]>,
) -> Result<Signature, SignatureError>
where
    C: Digest<OutputSize = U64>,
    M: Digest<OutputSize = U64>,
{
    ours::raw_sign_prehashed::<C, M>(&key.ours(), message, public, context)
}
