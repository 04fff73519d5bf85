//! Signing and public keys (FIPS 186-5 sections 6.2 and 6.4.1): the only place with secrets.
//!
//! Constant time; what is computed with secrets is wiped, and the caller wipes the stack.

use super::fault::{self, Step};
use super::nonce::Nonces;
use super::verify::scalar_of_digest;
use crate::ct;
use crate::curve::weierstrass::{Affine, Curve, MAX_WIDTH};
use crate::modular::{Arithmetic, PrimeField};
use sha2::digest::Digest;
use sha2::digest::common::BlockSizeUser;
use zeroize::Zeroize;

/// [d]G.
#[inline(never)]
pub(super) fn public_key<C: Curve>(d: &C::Scalar) -> Affine<C::Fe> {
    ct::declassify("ecdsa_public_key", C::multiple_of_base(d))
}

/// Nonces that are tried. A second one is needed for messages that nobody knows how to find; no nonce will do for a secret
/// of 0, which is no key, but is what a key has become that other code has wiped while it signs a digest of 0.
const TRIES: usize = 16;

/// Writes r and s, big-endian, of a digest that is not empty, with the nonce of RFC 6979 for the hash
/// function D.
#[inline(never)]
pub(super) fn sign<C: Curve, D: Digest + BlockSizeUser>(
    d: &C::Scalar,
    digest: &[u8],
    additional: &[u8],
    r_bytes: &mut [u8],
    s_bytes: &mut [u8],
) {
    let mut e = scalar_of_digest::<C>(digest);
    let (mut secret, mut e_bytes) = ([0; MAX_WIDTH], [0; MAX_WIDTH]);
    let (secret_bytes, e_bytes) = (&mut secret[..C::WIDTH], &mut e_bytes[..C::WIDTH]);
    d.write_be_bytes(secret_bytes);
    e.write_be_bytes(e_bytes);
    let mut nonces = Nonces::<D>::new(secret_bytes, e_bytes, additional);
    secret.zeroize();
    fault::at(Step::Digest, &mut e);
    for _ in 0..TRIES {
        let mut k = nonces.next::<C>();
        fault::at(Step::Nonce, &mut k);
        // x of [k]G is no secret: it is r
        let mut point = C::multiple_of_base(&k);
        point.x = ct::declassify("ecdsa_r", point.x);
        fault::at(Step::X, &mut point.x);
        point.x.write_be_bytes(r_bytes);
        let (mut r, _) = C::Scalar::from_be_bytes(r_bytes);
        fault::at(Step::R, &mut r);
        let mut k_inverse = k.invert();
        fault::at(Step::Inverse, &mut k_inverse);
        let mut sum = r.mul(d).add(&e);
        fault::at(Step::Sum, &mut sum);
        let mut s = ct::declassify("ecdsa_s", k_inverse.mul(&sum));
        fault::at(Step::S, &mut s);
        k.zeroize();
        k_inverse.zeroize();
        sum.zeroize();
        // neither is ever 0 but for messages that nobody knows how to find
        if !r.is_zero().is_true_vartime() && !s.is_zero().is_true_vartime() {
            r.write_be_bytes(r_bytes);
            s.write_be_bytes(s_bytes);
            return;
        }
    }
    // zeros are no signature of anything
    r_bytes.fill(0);
    s_bytes.fill(0);
}
