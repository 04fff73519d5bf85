//! HMAC (FIPS 198-1) of any hash function of the `digest` crate.
//!
//! The pads are wiped; the running hashes wipe themselves where the function's crate does. Time depends on
//! lengths only.

use sha2::digest::common::{Block, BlockSizeUser};
use sha2::digest::{Digest, Output};
use zeroize::Zeroize;

/// HMAC under a key as long as a digest, of the parts one after the other. A function whose digest is empty or longer than its
/// block has none and does not compile.
pub(crate) fn hmac<D: Digest + BlockSizeUser>(key: &Output<D>, parts: &[&[u8]]) -> Output<D> {
    const { assert!(size_of::<Output<D>>() > 0, "a digest of the hash function is empty") };
    const {
        assert!(
            size_of::<Output<D>>() <= size_of::<Block<D>>(),
            "HMAC needs a hash function whose digest is no longer than its block"
        )
    };
    let mut pad = Block::<D>::default();
    for (pad, byte) in pad.iter_mut().zip(key) {
        *pad = *byte;
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
