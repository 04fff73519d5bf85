//! Reproducible bytes for unit tests, and pages with examples.

#[cfg(all(
    doctest,
    feature = "curve25519-dalek",
    feature = "elliptic-curve",
    feature = "hazmat",
    feature = "pem",
    feature = "serde"
))]
mod pages;

pub(crate) mod proven;

use crate::hash::Sha512;

/// An endless stream of bytes from SHA-512(label ‖ counter), the same on every run.
pub(crate) struct Expander {
    label: &'static str,
    counter: u64,
    block: [u8; 64],
    used: usize,
}

impl Expander {
    pub(crate) fn new(label: &'static str) -> Self {
        Expander { label, counter: 0, block: [0; 64], used: 64 }
    }

    pub(crate) fn byte(&mut self) -> u8 {
        if self.used == 64 {
            let counter = self.counter.to_le_bytes();
            self.block = Sha512::new().chain(self.label.as_bytes()).chain(&counter).finish();
            self.counter += 1;
            self.used = 0;
        }
        self.used += 1;
        self.block[self.used - 1]
    }

    pub(crate) fn bytes<const N: usize>(&mut self) -> [u8; N] {
        core::array::from_fn(|_| self.byte())
    }

    pub(crate) fn word(&mut self) -> u64 {
        u64::from_le_bytes(self.bytes())
    }
}

/// SplitMix64.
#[cfg(feature = "ecdsa")]
pub(crate) struct Random(pub(crate) u64);

#[cfg(feature = "ecdsa")]
impl Random {
    pub(crate) fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub(crate) fn scalar<S: crate::modular::PrimeField>(&mut self) -> S {
        let mut bytes = [0; 48];
        bytes.iter_mut().for_each(|byte| *byte = self.word() as u8);
        S::from_be_bytes(&bytes[..size_of::<S::Words>()]).0
    }
}
