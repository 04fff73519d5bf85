//! HMAC (FIPS 198-1) of any hash function of the `digest` crate.
//!
//! The pads are wiped; the running hashes wipe themselves where the function's crate does. Time depends on
//! lengths only.

use sha2::digest::common::{Block, BlockSizeUser};
use sha2::digest::{Digest, Output};
use zeroize::Zeroize;

/// HMAC under a key of the parts one after the other.
pub(crate) fn hmac<D: Digest + BlockSizeUser>(key: &[u8], parts: &[&[u8]]) -> Output<D> {
    let mut pad = Block::<D>::default();
    if key.len() <= pad.len() {
        pad[..key.len()].copy_from_slice(key);
    } else {
        let hashed = D::digest(key);
        pad[..hashed.len()].copy_from_slice(&hashed);
    }
    pad.iter_mut().for_each(|byte| *byte ^= 0x36);
    let mut inner = D::new_with_prefix(&pad);
    for part in parts {
        inner.update(part);
    }
    pad.iter_mut().for_each(|byte| *byte ^= 0x36 ^ 0x5c);
    let mut digest = inner.finalize();
    let mac = D::new_with_prefix(&pad).chain_update(&digest).finalize();
    pad.as_mut_slice().zeroize();
    digest.as_mut_slice().zeroize();
    mac
}
