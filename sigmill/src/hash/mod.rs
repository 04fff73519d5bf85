//! SHA-2 (FIPS 180-4): one message at a time with the `sha2` crate; SHA-512, SHA-384 and HMAC of many at once
//! in SIMD lanes.
//!
//! | file | what | instructions |
//! |---|---|---|
//! | `hmac` | HMAC of any hash function | none |
//! | `hmac_lanes` | HMAC of short messages of one length in lanes | none |
//! | `lanes` | messages of any lengths through lanes: blocks, padding, digests | none |
//! | `pair` | two hashes of the same bytes behind different beginnings, side by side in lanes | none |
//! | `sha2_lanes` | one block in each lane | AVX-512 F, BW, DQ, VL, or AVX2 |
//! | `tables` | initial states and round constants | none |
//!
//! States and buffers are wiped: that of one message when it is dropped, those of lanes once at the
//! end of a call. The caller wipes the stack to which block functions spill. Time depends
//! on the lengths of the inputs only.

#[cfg(feature = "ecdsa")]
pub(crate) mod hmac;
pub(crate) mod hmac_lanes;
mod lanes;
mod pair;
#[cfg(sigmill_lanes)]
mod sha2_lanes;
mod tables;

use crate::cpu::Backend;
pub(crate) use pair::Sha512Pair;
use sha2::Digest;
pub(crate) use sha2::{Sha256, Sha384};

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

/// A hash function whose blocks are those of SHA-512.
#[derive(Clone, Copy)]
pub(crate) enum Function {
    Sha384,
    Sha512,
}

impl Function {
    /// Bytes of a digest.
    pub(crate) const fn len(self) -> usize {
        match self {
            Function::Sha384 => 48,
            Function::Sha512 => 64,
        }
    }
}

/// [`hash_rows`] where it is one function for many callers: it does not know the lengths of parts when it is
/// compiled, and takes longer for short ones.
pub(crate) fn hash_any_rows<'a>(
    backend: Backend,
    n: usize,
    parts: &dyn Fn(usize) -> [&'a [u8]; 4],
    digest: &mut dyn FnMut(usize, &[u8; 64]),
) {
    digest_any_rows(backend, Function::Sha512, n, parts, digest);
}

/// [`digest_rows`] as one function for many callers.
#[inline(never)]
pub(crate) fn digest_any_rows<'a>(
    backend: Backend,
    function: Function,
    n: usize,
    parts: &dyn Fn(usize) -> [&'a [u8]; 4],
    digest: &mut dyn FnMut(usize, &[u8; 64]),
) {
    digest_rows(backend, function, n, parts, digest);
}

/// SHA-512 of n messages; see [`digest_rows`].
pub(crate) fn hash_rows<'a>(
    backend: Backend,
    n: usize,
    parts: impl Fn(usize) -> [&'a [u8]; 4],
    digest: impl FnMut(usize, &[u8; 64]),
) {
    digest_rows(backend, Function::Sha512, n, parts, digest);
}

/// The digests (FIPS 180-4 sections 6.4 and 6.5) of n messages in the lanes of a backend, or one after the
/// other where the CPU does not have it. Message i is the four slices `parts(i)` one after the other, each
/// asked for once; `digest(i, …)` is told its digest, the first `len()` of the bytes, in an order that
/// depends on the lengths. Time depends on n and the lengths only.
pub(crate) fn digest_rows<'a>(
    backend: Backend,
    function: Function,
    n: usize,
    parts: impl Fn(usize) -> [&'a [u8]; 4],
    mut digest: impl FnMut(usize, &[u8; 64]),
) {
    let initial = match function {
        Function::Sha384 => &tables::SHA_384,
        Function::Sha512 => &tables::SHA_512,
    };
    match backend {
        #[cfg(sigmill_lanes)]
        Backend::Ifma => {
            if let Some(token) = crate::cpu::ifma() {
                return lanes::sha512_rows_with(token, initial, n, parts, digest);
            }
        }
        #[cfg(sigmill_lanes)]
        Backend::Avx2 => {
            if let Some(token) = crate::cpu::avx2() {
                return lanes::sha512_rows_with(token, initial, n, parts, digest);
            }
        }
        _ => {}
    }
    one_by_one(initial, n, &parts, &mut digest);
}

/// The same where there are no lanes: one function for all callers.
#[inline(never)]
fn one_by_one<'a>(
    initial: &[u64; 8],
    n: usize,
    parts: &dyn Fn(usize) -> [&'a [u8]; 4],
    digest: &mut dyn FnMut(usize, &[u8; 64]),
) {
    lanes::sha512_rows_with((), initial, n, parts, digest);
}

#[cfg(test)]
mod tests;
