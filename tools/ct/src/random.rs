//! Numbers good enough to choose classes, and secrets that protect nothing.

pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let word = (self.0 ^ self.0 >> 31).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        word ^ word >> 32
    }

    #[cfg(sigmill_valgrind)]
    pub(crate) fn bytes<const LEN: usize>(&mut self) -> [u8; LEN] {
        core::array::from_fn(|_| self.word() as u8)
    }
}
