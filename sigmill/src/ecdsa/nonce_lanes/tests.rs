//! Candidates in lanes against the generator for one row: every function with every width, keys and digests
//! at random and at the ends.

use super::super::nonce::Nonces;
use super::candidates;
use crate::curve::weierstrass::Curve;
use crate::curve::weierstrass::{NistP256, NistP384};
use crate::ecdsa::verify::scalar_in_range;
use crate::hash::hmac_lanes::one_lane::OneLane;
use crate::hash::hmac_lanes::{
    Compress, LaneWords, SHA_256, SHA_384, SHA_512, Sha2, Word, backends,
};
use crate::modular::{Arithmetic, PrimeField};
use crate::tests::Expander;
use core::marker::PhantomData;
use sha2::digest::Digest;
use sha2::digest::common::BlockSizeUser;
use sha2::{Sha256, Sha384, Sha512};
use std::vec::Vec;

fn scalars<C: Curve>(seed: &'static str) -> Vec<C::Scalar> {
    let mut scalars = std::vec![C::Scalar::ZERO, C::Scalar::ONE, C::Scalar::ONE.neg()];
    let mut expander = Expander::new(seed);
    scalars.extend((0..13).map(|_| {
        let bytes: [u8; 48] = expander.bytes();
        C::Scalar::from_be_bytes(&bytes[..C::WIDTH]).0
    }));
    scalars
}

fn check<C: Curve, D: Digest + BlockSizeUser, L: Compress<LANES>, const LANES: usize>(
    lanes: L,
    hash: &Sha2<L::Word>,
) {
    let (secrets, digests) = (scalars::<C>("secrets"), scalars::<C>("digests"));
    let width = C::WIDTH;
    let words = width / L::Word::BYTES;
    for first in 0..secrets.len() - 1 {
        let row = |lane: usize| {
            let i = (first + lane) % secrets.len();
            (secrets[i].to_words(), digests[(i + first) % digests.len()].to_words())
        };
        let mut rows = [LaneWords::<L::Word, LANES, 12>::all(L::Word::ZERO); 2];
        for lane in 0..LANES {
            let (x, e) = row(lane);
            for i in 0..words {
                rows[0].0[i][lane] = L::Word::of_words(x.as_ref(), width, i);
                rows[1].0[i][lane] = L::Word::of_words(e.as_ref(), width, i);
            }
        }
        let mut found = [[0; 48]; LANES];
        candidates(lanes, hash, &rows[0].0[..words], &rows[1].0[..words], &mut found);
        for (lane, found) in found.iter().enumerate() {
            let (mut x, mut e) = ([0; 48], [0; 48]);
            let (secret, digest) = row(lane);
            C::Scalar::from_words(&secret).write_be_bytes(&mut x[..width]);
            C::Scalar::from_words(&digest).write_be_bytes(&mut e[..width]);
            let expected = Nonces::<D>::new(&x[..width], &e[..width], &[]).next::<C>();
            let (found, in_range) = scalar_in_range::<C>(&found[..width]);
            assert!(
                in_range.is_true_vartime() && found.equal(&expected).is_true_vartime(),
                "{lane}"
            );
        }
    }
}

fn check_curve<C: Curve>() {
    check::<C, Sha256, _, 1>(OneLane::<u32>(PhantomData), &SHA_256);
    check::<C, Sha384, _, 1>(OneLane::<u64>(PhantomData), &SHA_384);
    check::<C, Sha512, _, 1>(OneLane::<u64>(PhantomData), &SHA_512);
    let (Some(sha256), Some(sha512)) = (backends::sha256(), backends::sha512()) else {
        std::eprintln!("NOT TESTED: HMAC in lanes, which this CPU lacks");
        return;
    };
    check::<C, Sha256, _, { backends::LANES_256 }>(sha256, &SHA_256);
    check::<C, Sha384, _, { backends::LANES_512 }>(sha512, &SHA_384);
    check::<C, Sha512, _, { backends::LANES_512 }>(sha512, &SHA_512);
}

#[test]
fn lanes_give_the_nonces_of_p256() {
    check_curve::<NistP256>();
}

#[test]
fn lanes_give_the_nonces_of_p384() {
    check_curve::<NistP384>();
}
