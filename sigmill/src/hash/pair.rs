//! Two SHA-512 that take the same bytes behind different beginnings, block by block side by side in lanes.
//!
//! A hash is latency-bound: two blocks in eight lanes of AVX-512 take 0.7 times as long as one after the other, in four
//! of AVX2 0.9 times. Without lanes, each piece goes through both hashes in turn.
//!
//! Beginnings, buffers and states may be secret; lengths are public. Nothing is allocated.

use super::lanes::{BLOCK_LEN, Block, Buffer, LENGTH_LEN, Lanes, MAX_LANES, States, write_digest};
use super::tables::SHA_512;
use core::slice;
use sha2::block_api::compress512;
use zeroize::Zeroize;

/// Two running SHA-512; wiped when dropped.
pub(crate) struct Sha512Pair {
    states: States,
    tails: [Tail; 2],
}

/// Bytes that fill no block yet.
#[derive(Default)]
struct Tail {
    buffer: Buffer,
    filled: usize,
    /// Bytes of the message so far.
    len: u64,
}

impl Tail {
    /// The next block, if the tail and `rest` have one: of the buffer, or where it lies.
    #[inline(always)]
    fn next_block<'b, 'a: 'b>(&'b mut self, rest: &mut &'a [u8]) -> &'b Block {
        if self.filled == 0
            && let Some((block, later)) = rest.split_first_chunk()
        {
            *rest = later;
            return block;
        }
        let (now, later) = rest.split_at(BLOCK_LEN - self.filled);
        self.buffer.0[self.filled..].copy_from_slice(now);
        self.filled = 0;
        *rest = later;
        &self.buffer.0
    }
}

impl Sha512Pair {
    pub(crate) fn new() -> Self {
        let mut states = States::default();
        (0..2).for_each(|lane| states.set_column(lane, &SHA_512));
        Sha512Pair { states, tails: Default::default() }
    }

    /// Gives more to one of the two, 0 or 1.
    pub(crate) fn update_one(&mut self, which: usize, bytes: &[u8]) {
        let tail = &mut self.tails[which];
        tail.len += bytes.len() as u64;
        let mut state = self.states.column(which);
        let mut rest = bytes;
        if tail.filled != 0 && tail.filled + rest.len() >= BLOCK_LEN {
            compress512(&mut state, slice::from_ref(tail.next_block(&mut rest)));
        }
        if tail.filled == 0 {
            let (blocks, later) = rest.as_chunks();
            compress512(&mut state, blocks);
            rest = later;
        }
        tail.buffer.0[tail.filled..tail.filled + rest.len()].copy_from_slice(rest);
        tail.filled += rest.len();
        self.states.set_column(which, &state);
        state.zeroize();
    }

    /// Gives the same to both.
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        #[cfg(sigmill_lanes)]
        if let Some(token) = crate::cpu::ifma() {
            return self.update_in(token, bytes);
        } else if let Some(token) = crate::cpu::avx2() {
            return self.update_in(token, bytes);
        }
        self.update_in((), bytes);
    }

    /// The same in the lanes of a backend.
    #[inline(never)]
    pub(super) fn update_in<L: Lanes>(&mut self, backend: L, bytes: &[u8]) {
        let mut rest = [bytes; 2];
        if L::LANES >= 2 {
            let Sha512Pair { states, tails: [first, second] } = self;
            let is_ready = |tail: &Tail, rest: &[u8]| tail.filled + rest.len() >= BLOCK_LEN;
            while is_ready(first, rest[0]) && is_ready(second, rest[1]) {
                // the other lanes compress zeros into columns that nobody reads
                let mut blocks = [&[0; BLOCK_LEN]; MAX_LANES];
                let [a, b] = &mut rest;
                blocks[0] = first.next_block(a);
                blocks[1] = second.next_block(b);
                backend.compress(states, &blocks);
            }
            for (tail, rest) in [(first, rest[0]), (second, rest[1])] {
                tail.len += (bytes.len() - rest.len()) as u64;
            }
        }
        (0..2).for_each(|which| self.update_one(which, rest[which]));
    }

    /// Both digests.
    pub(crate) fn finish(mut self) -> [[u8; 64]; 2] {
        [0, 1].map(|which| {
            // FIPS 180-4 section 5.1.2
            let bits = (u128::from(self.tails[which].len) << 3).to_be_bytes();
            let filled = self.tails[which].filled;
            let zeros = (2 * BLOCK_LEN - 1 - LENGTH_LEN - filled) % BLOCK_LEN;
            self.update_one(which, &[0x80]);
            self.update_one(which, &[0; BLOCK_LEN][..zeros]);
            self.update_one(which, &bits);
            let mut digest = [0; 64];
            write_digest(&mut digest, &self.states.column(which));
            digest
        })
    }
}

impl Drop for Sha512Pair {
    #[inline(never)]
    fn drop(&mut self) {
        self.states.zeroize();
        self.tails.iter_mut().for_each(|tail| tail.buffer.zeroize());
    }
}
