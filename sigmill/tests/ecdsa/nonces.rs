//! Nonces against HMAC-DRBG of RFC 6979 written out with the crate `hmac`, and signatures against the
//! slow reference.

use crate::curves::{Curve, P256, P384};
use hmac::{KeyInit, Mac, SimpleHmac};
use num_bigint::BigUint;
use sha2::digest::array::ArraySize;
use sha2::digest::common::BlockSizeUser;
use sha2::digest::consts::{U32, U48, U128};
use sha2::digest::{Digest, FixedOutput, HashMarker, Output, OutputSizeUser, Update};
use sha2::{Sha256, Sha384, Sha512};
use std::marker::PhantomData;

/// RFC 6979 section 3.2, steps b to h, with k′ of section 3.6: every candidate up to the first in range.
fn candidates<C: Curve, D: Digest + BlockSizeUser + Clone>(
    secret: &[u8],
    digest: &[u8],
    additional: &[u8],
) -> Vec<BigUint> {
    let mac = |key: &[u8], parts: &[&[u8]]| {
        let mut mac = SimpleHmac::<D>::new_from_slice(key).expect("a key of any length");
        parts.iter().for_each(|part| Mac::update(&mut mac, part));
        mac.finalize().into_bytes().to_vec()
    };
    let curve = C::reference();
    let e = C::bytes(&(curve.integer_of_digest(digest) % &curve.n));
    let len = <D as Digest>::output_size();
    let (mut k, mut v) = (vec![0; len], vec![1; len]);
    for separator in [0, 1] {
        k = mac(&k, &[&v, &[separator], secret, &e, additional]);
        v = mac(&k, &[&v]);
    }
    let mut all = Vec::new();
    loop {
        assert!(all.len() < 100, "the hash function leads in a circle");
        let mut t = Vec::new();
        while t.len() < C::WIDTH {
            v = mac(&k, &[&v]);
            t.extend_from_slice(&v);
        }
        let candidate = BigUint::from_bytes_be(&t[..C::WIDTH]);
        all.push(candidate.clone());
        if candidate != BigUint::ZERO && candidate < curve.n {
            return all;
        }
        k = mac(&k, &[&v, &[0]]);
        v = mac(&k, &[&v]);
    }
}

/// r ‖ s with the nonce k, by the slow reference (FIPS 186-5 section 6.4.1).
fn sign_with_nonce<C: Curve>(secret: &[u8], digest: &[u8], k: &BigUint) -> Vec<u8> {
    let curve = C::reference();
    let (x, _) = curve.times(&curve.g, k).expect("k is not a multiple of n");
    let r = x % &curve.n;
    let sum = curve.integer_of_digest(digest) + &r * BigUint::from_bytes_be(secret);
    let s = k.modpow(&(&curve.n - 2_u8), &curve.n) * sum % &curve.n;
    C::signature(&r, &s)
}

fn hedged<C: Curve, D: Digest + BlockSizeUser + Clone>() {
    let (secret, message) = (vec![0x5a; C::WIDTH], b"additional input");
    let digest = D::digest(message);
    for noise in [[0; 32], [0xa7; 32], std::array::from_fn(|i| u8::try_from(i).expect("32"))] {
        let k = candidates::<C, D>(&secret, &digest, &noise).pop().expect("one");
        let expected = sign_with_nonce::<C>(&secret, &digest, &k);
        assert_eq!(
            C::sign_hedged::<D>(&secret, &noise, message),
            expected,
            "{} {noise:?}",
            C::NAME
        );
    }
    let k = candidates::<C, D>(&secret, &digest, &[]).pop().expect("one");
    let plain = sign_with_nonce::<C>(&secret, &digest, &k);
    assert_eq!(C::sign_with_hash::<D>(&secret, message), plain, "{}", C::NAME);
    assert_ne!(C::sign_hedged::<D>(&secret, &[0; 32], message), plain, "{}", C::NAME);
}

#[test]
fn additional_input_goes_where_rfc_6979_section_3_6_has_it() {
    hedged::<P256, Sha256>();
    hedged::<P256, Sha512>();
    hedged::<P384, Sha384>();
    // two outputs for one nonce
    hedged::<P384, Sha256>();
}

/// A hash function that gives 0, 1, n − 1, n, n + 1 or all ones every fifth time: SHA-512 decides.
struct Edgy<C, N>(Sha512, PhantomData<(C, N)>);

impl<C, N> Clone for Edgy<C, N> {
    fn clone(&self) -> Self {
        Edgy(self.0.clone(), PhantomData)
    }
}

impl<C, N> Default for Edgy<C, N> {
    fn default() -> Self {
        Edgy(Sha512::new(), PhantomData)
    }
}

impl<C, N> HashMarker for Edgy<C, N> {}

impl<C, N> Update for Edgy<C, N> {
    fn update(&mut self, bytes: &[u8]) {
        Update::update(&mut self.0, bytes);
    }
}

impl<C, N: ArraySize> OutputSizeUser for Edgy<C, N> {
    type OutputSize = N;
}

impl<C, N> BlockSizeUser for Edgy<C, N> {
    type BlockSize = U128;
}

impl<C: Curve, N: ArraySize> FixedOutput for Edgy<C, N> {
    fn finalize_into(self, out: &mut Output<Self>) {
        let inner = self.0.finalize();
        let n = C::reference().n;
        let edge = match inner[63] {
            0..=9 => BigUint::ZERO,
            10..=19 => n,
            20..=29 => n + 1_u8,
            30..=39 => (BigUint::from(1_u8) << (8 * C::WIDTH)) - 1_u8,
            40..=45 => BigUint::from(1_u8),
            46..=51 => n - 1_u8,
            _ => BigUint::from_bytes_be(&inner[..C::WIDTH]),
        };
        out.copy_from_slice(&C::bytes(&edge));
    }
}

/// Candidates out of range are thrown away, those at its ends are not.
fn range<C: Curve, N: ArraySize>() {
    let (n, one) = (C::reference().n, BigUint::from(1_u8));
    let (mut used, mut thrown_away) = (Vec::new(), Vec::new());
    let digest = vec![0x3c; C::WIDTH];
    for i in 1..=250 {
        let secret = vec![i; C::WIDTH];
        let all = candidates::<C, Edgy<C, N>>(&secret, &digest, &[]);
        let (k, others) = all.split_last().expect("one");
        thrown_away.extend_from_slice(others);
        // the slow reference only where the nonce is an edge
        let signature = C::sign_digest_with::<Edgy<C, N>>(&secret, &digest).expect("not empty");
        assert_eq!(signature, C::their_sign_digest_with::<Edgy<C, N>>(&secret, &digest, &[]));
        if *k == one || *k == &n - 1_u8 {
            assert_eq!(signature, sign_with_nonce::<C>(&secret, &digest, k), "{} {k}", C::NAME);
        }
        used.push(k.clone());
    }
    let ones = (&one << (8 * C::WIDTH)) - 1_u8;
    for edge in [&BigUint::ZERO, &n, &(&n + 1_u8), &ones] {
        assert!(thrown_away.contains(edge), "{}: no candidate was {edge}", C::NAME);
    }
    for edge in [&one, &(&n - 1_u8)] {
        assert!(used.contains(edge), "{}: no nonce was {edge}", C::NAME);
    }
}

#[test]
fn nonces_are_thrown_away_exactly_where_they_are_out_of_range() {
    range::<P256, U32>();
    range::<P384, U48>();
}

/// Zeros at the front of a key or of a digest are part of what the nonce is made of: left out, two
/// messages may share a nonce (CVE-2024-31497 is a relative).
#[test]
fn zeros_at_the_front_of_keys_and_digests() {
    fn all<C: Curve>() {
        for zeros in 0..=8 {
            let mut secret = vec![0xb7; C::WIDTH];
            secret[..zeros].fill(0);
            for len in [C::WIDTH, C::WIDTH / 2, C::WIDTH + 16] {
                let mut digest = vec![0xe1; len];
                digest[..zeros].fill(0);
                let key = vec![0xb7; C::WIDTH];
                for (secret, digest) in [(&secret, &digest), (&key, &digest)] {
                    assert_eq!(
                        C::sign_digest(secret, digest),
                        Ok(C::their_sign_digest(secret, digest)),
                        "{} {zeros} {len}",
                        C::NAME
                    );
                }
            }
        }
    }
    all::<P256>();
    all::<P384>();
}
