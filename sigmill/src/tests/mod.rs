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
