//! Bytes that look random, the same for the same seed.

use sha2::{Digest, Sha512};

pub(crate) struct Random {
    seed: u64,
    drawn: u64,
}

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random { seed, drawn: 0 }
    }

    pub(crate) fn bytes(&mut self, len: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        while bytes.len() < len {
            let block = [self.seed, self.drawn].map(u64::to_le_bytes).concat();
            bytes.extend(Sha512::digest(block));
            self.drawn += 1;
        }
        bytes.truncate(len);
        bytes
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        let bytes = self.bytes(8).try_into().expect("8 bytes");
        usize::try_from(u64::from_le_bytes(bytes) % bound as u64).expect("it is below")
    }
}
