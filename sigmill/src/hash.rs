//! SHA-512 (FIPS 180-4), one message at a time: the `sha2` crate behind three functions.
//!
//! The state and its buffer are wiped when dropped. Time depends on the length of the input only.
//!
//! Reach: nothing of ours. SHA-512 of several messages in SIMD lanes will be its own file here.

use sha2::Digest;

/// A running SHA-512.
#[derive(Clone)]
pub(crate) struct Sha512(sha2::Sha512);

impl Sha512 {
    pub(crate) fn new() -> Sha512 {
        Sha512(sha2::Sha512::new())
    }

    #[must_use]
    pub(crate) fn chain(mut self, bytes: &[u8]) -> Sha512 {
        self.update(bytes);
        self
    }

    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(crate) fn finish(self) -> [u8; 64] {
        self.0.finalize().into()
    }
}
