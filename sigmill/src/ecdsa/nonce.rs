//! Nonces of RFC 6979 section 3.2: HMAC-DRBG over the secret key and the digest, with additional input
//! as section 3.6 has it.
//!
//! Constant time but for the number of candidates outside the range 1 to n − 1, which says nothing about
//! the one that is used; wiped when dropped.

use super::verify::{keep_leftmost_bits, scalar_in_range};
use crate::ct;
use crate::curve::weierstrass::{Curve, MAX_WIDTH};
use crate::hash::hmac::hmac;
use sha2::digest::common::BlockSizeUser;
use sha2::digest::{Digest, Output};
use zeroize::Zeroize;

/// The generator: one nonce after the other.
pub(super) struct Nonces<D: Digest + BlockSizeUser> {
    k: Output<D>,
    v: Output<D>,
    /// Whether there was a candidate: before the next one the state moves on.
    used: bool,
}

impl<D: Digest + BlockSizeUser> Nonces<D> {
    /// Of a secret key and e = the digest as an integer mod n, both as big-endian bytes of the field's
    /// width.
    pub(super) fn new(secret: &[u8], digest: &[u8], additional: &[u8]) -> Self {
        let mut nonces =
            Nonces { k: Output::<D>::default(), v: Output::<D>::default(), used: false };
        nonces.v.fill(1);
        for separator in [[0], [1]] {
            nonces.rekey(&[&separator, secret, digest, additional]);
        }
        nonces
    }

    /// K ← HMAC_K(V ‖ parts), V ← HMAC_K(V).
    fn rekey(&mut self, parts: &[&[u8]; 4]) {
        let [a, b, c, d] = parts;
        self.k = hmac::<D>(&self.k, &[&self.v, a, b, c, d]);
        self.v = hmac::<D>(&self.k, &[&self.v]);
    }

    /// The next nonce.
    pub(super) fn next<C: Curve>(&mut self) -> C::Scalar {
        let mut bytes = [0; MAX_WIDTH];
        loop {
            if self.used {
                self.rekey(&[&[0], &[], &[], &[]]);
            }
            self.used = true;
            // the leftmost bits: as many bytes as n has, whole outputs one after the other
            for chunk in bytes[..C::WIDTH].chunks_mut(self.v.len()) {
                self.v = hmac::<D>(&self.k, &[&self.v]);
                chunk.copy_from_slice(&self.v[..chunk.len()]);
            }
            keep_leftmost_bits::<C>(&mut bytes[..C::WIDTH]);
            let (k, in_range) = scalar_in_range::<C>(&bytes[..C::WIDTH]);
            bytes.zeroize();
            if ct::declassify("nonce_in_range", in_range).is_true_vartime() {
                return k;
            }
        }
    }
}

impl<D: Digest + BlockSizeUser> Drop for Nonces<D> {
    fn drop(&mut self) {
        self.k.as_mut_slice().zeroize();
        self.v.as_mut_slice().zeroize();
    }
}
