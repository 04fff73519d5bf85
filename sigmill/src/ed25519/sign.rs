//! Keys from seeds and signatures from keys (RFC 8032 sections 5.1.5 and 5.1.6).
//!
//! Secrets: everything here is constant time; buffers are wiped where they end, and each public
//! function wipes the stack of the computation below it. What leaves secrecy is named by
//! `declassify`. No function takes a public key from its caller on trust.

use super::variant::{MessageHash, Variant, challenge_hash, write_dom};
use crate::ct::declassify;
use crate::curve::edwards::Extended;
use crate::curve::edwards::fixed_base;
use crate::field::f25519::{Fe, Field};
use crate::hash::{Sha512, Sha512Pair};
use crate::scalar::l25519::Scalar;
use zeroize::Zeroize;

/// The two halves of SHA-512(seed): the scalar a and the prefix of the nonce hash.
#[derive(Clone)]
pub(crate) struct Expanded {
    pub(super) a: Scalar,
    pub(super) prefix: [u8; 32],
}

impl Drop for Expanded {
    fn drop(&mut self) {
        self.a.zeroize();
        self.prefix.zeroize();
    }
}

impl Expanded {
    /// RFC 8032 section 5.1.5, steps 1 and 2.
    #[inline(never)]
    pub(crate) fn from_seed(seed: &[u8; 32]) -> Self {
        let mut digest = Sha512::new().chain(seed).finish();
        let expanded = Self::from_digest(&digest);
        digest.zeroize();
        expanded
    }

    /// RFC 8032 section 5.1.5, step 2, given the digest of step 1.
    #[inline(never)]
    pub(crate) fn from_digest(digest: &[u8; 64]) -> Self {
        let mut a = [0; 32];
        a.copy_from_slice(&digest[..32]);
        a[0] &= 248;
        a[31] &= 127;
        a[31] |= 64;
        let mut expanded = Expanded { a: Scalar::reduce_narrow(&a), prefix: [0; 32] };
        expanded.prefix.copy_from_slice(&digest[32..]);
        a.zeroize();
        expanded
    }

    /// The first half of SHA-512(seed), before it is clamped.
    #[inline(never)]
    pub(crate) fn unclamped_scalar(seed: &[u8; 32]) -> [u8; 32] {
        let mut digest = Sha512::new().chain(seed).finish();
        let mut bytes = [0; 32];
        bytes.copy_from_slice(&digest[..32]);
        digest.zeroize();
        bytes
    }

    /// The same with a prefix that depends on `noise`: the first half of SHA-512(prefix ‖ noise)
    /// (draft-irtf-cfrg-det-sigs-with-noise-05, section "Hedged EdDSA").
    #[inline(never)]
    pub(crate) fn hedged(&self, noise: &[u8; 32]) -> Self {
        let mut digest = Sha512::new().chain(&self.prefix).chain(noise).finish();
        let mut expanded = self.clone();
        expanded.prefix.copy_from_slice(&digest[..32]);
        digest.zeroize();
        expanded
    }

    /// RFC 8032 section 5.1.5, steps 3 and 4: A = [a]B as a point with Z = 1, and its encoding.
    #[inline(never)]
    pub(crate) fn public_key(&self) -> (Extended<Fe>, [u8; 32]) {
        let [x, encoded] = declassify("public_key", fixed_base::affine_multiple(&self.a));
        // bit 255 is not looked at
        let [x, y] = [&x, &encoded].map(|bytes| Fe::from_bytes((), bytes));
        (Extended::from_affine(&x, &y), encoded)
    }

    /// The hash behind the nonce r, to be fed with the message (section 5.1.6, step 2).
    pub(crate) fn nonce_hash(&self, variant: Variant<'_>) -> MessageHash {
        MessageHash::new(variant, &[&self.prefix])
    }

    /// The hash behind k and once more that behind the nonce, side by side, to be fed with the message itself.
    pub(crate) fn both_hashes(
        &self,
        variant: Variant<'_>,
        nonce: &Nonce,
        public_key: &[u8; 32],
    ) -> Sha512Pair {
        let mut hashes = Sha512Pair::new();
        write_dom(variant, |bytes| hashes.update(bytes));
        hashes.update_one(0, &nonce.r_encoded);
        hashes.update_one(0, public_key);
        hashes.update_one(1, &self.prefix);
        hashes
    }

    /// S = r + k·a mod ℓ (section 5.1.6, step 5).
    #[inline(never)]
    pub(crate) fn finish(&self, nonce: &Nonce, k: &Scalar) -> [u8; 64] {
        let mut signature = [0; 64];
        signature[..32].copy_from_slice(&nonce.r_encoded);
        signature[32..].copy_from_slice(&k.mul_add(&self.a, &nonce.r).to_bytes());
        declassify("signature_s", signature)
    }
}

/// A nonce r and the encoding of R = [r]B.
pub(crate) struct Nonce {
    r: Scalar,
    r_encoded: [u8; 32],
}

impl Drop for Nonce {
    fn drop(&mut self) {
        self.r.zeroize(); // R is public
    }
}

impl Nonce {
    /// Section 5.1.6, steps 2 and 3.
    #[inline(never)]
    pub(crate) fn new(hash: MessageHash) -> Self {
        let mut digest = hash.finish();
        let nonce = Self::of_digest(&digest);
        digest.zeroize();
        nonce
    }

    /// Section 5.1.6, step 3, given the digest of step 2.
    #[inline(never)]
    pub(crate) fn of_digest(digest: &[u8; 64]) -> Self {
        let r = Scalar::reduce_wide(digest);
        let [_, r_encoded] = fixed_base::affine_multiple(&r);
        Nonce { r, r_encoded: declassify("signature_r", r_encoded) }
    }

    /// The same with the public key, for who has not derived it: neither multiple of B waits for the other.
    #[inline(never)]
    pub(crate) fn with_public_key(hash: MessageHash, secrets: &Expanded) -> (Self, [u8; 32]) {
        let mut digest = hash.finish();
        let both = Self::of_digest_with_public_key(&digest, secrets);
        digest.zeroize();
        both
    }

    /// The same given the digest of step 2.
    #[inline(never)]
    pub(crate) fn of_digest_with_public_key(
        digest: &[u8; 64],
        secrets: &Expanded,
    ) -> (Self, [u8; 32]) {
        let r = Scalar::reduce_wide(digest);
        let [public_key, r_encoded] = fixed_base::two_encoded([&secrets.a, &r]);
        let nonce = Nonce { r, r_encoded: declassify("signature_r", r_encoded) };
        (nonce, declassify("public_key", public_key))
    }

    /// The encoding of R.
    pub(crate) fn r_encoded(&self) -> &[u8; 32] {
        &self.r_encoded
    }

    /// The hash behind k, to be fed with the message (section 5.1.6, step 4).
    pub(crate) fn challenge_hash(
        &self,
        variant: Variant<'_>,
        public_key: &[u8; 32],
    ) -> MessageHash {
        challenge_hash(variant, &self.r_encoded, public_key)
    }
}
