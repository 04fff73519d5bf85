//! Numbers for inputs, when a kernel's code runs on numbers: extreme ones and random ones.

use crate::number::{self, Int};

/// A sequence of numbers; the same seed gives the same.
#[derive(Clone, Debug)]
pub struct Samples {
    state: u64,
    /// The one number that every input is nearest to, in the first runs.
    all: Option<u64>,
    /// Of eight inputs, so many are extreme.
    extreme: u64,
    /// Whether a number that was drawn breaks a promise of the caller.
    pub(crate) broken: bool,
}

/// Numbers at the ends of words, of their halves, and of the words of primes.
const EXTREME: [u64; 12] = [
    0,
    1,
    2,
    u64::MAX,
    u64::MAX - 1,
    u64::MAX >> 1,
    1 << 63,
    0xffff_ffff,
    1 << 32,
    0xffff_ffff_0000_0000,
    0xffff_ffff_0000_0001,
    u64::MAX - 18,
];

impl Samples {
    /// The numbers of a run: the first runs have the same extreme number in each input; then most are extreme, then none.
    pub fn new(run: usize) -> Self {
        let all = [0, u64::MAX, 1, u64::MAX >> 1].get(run).copied();
        let extreme = [8, 6, 4, 2, 0, 0][run % 6];
        let state = (run as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Self { state, all, extreme, broken: false }
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.state ^ self.state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A word: an extreme one, or any.
    pub fn word(&mut self) -> u64 {
        let (choice, which, any) = (self.bits(), self.bits(), self.bits());
        match self.all {
            Some(n) => n,
            None if choice % 8 < self.extreme => EXTREME[(which % EXTREME.len() as u64) as usize],
            None => any,
        }
    }

    /// A number in [lo, hi]. A range of 32 bits is a number of turns: 1, 2 or 3.
    pub(crate) fn draw(&mut self, lo: &Int, hi: &Int) -> Int {
        if *hi == number::power_of_two(32) - 1 {
            return Int::from(self.bits() % 3 + 1);
        }
        let n = (0..1 + number::hex(hi).len() / 17).fold(Int::ZERO, |n, _| (n << 64) + self.word());
        let size = hi - lo + Int::ONE;
        if n > *hi && self.all.is_some() {
            hi.clone()
        } else {
            lo + number::modulo(&(n - lo), &size)
        }
    }
}
