//! The random coefficients of a combination.
//!
//! Their seed is a hash of everything that the verdicts depend on, and of 32 bytes from the system
//! where there is one. So the author of a batch learns its coefficients after the batch is fixed, or
//! never. `docs/exact-batch.md` lists the inputs of the hash, and gives the bound.

use crate::cpu::Backend;
use crate::ed25519::rules::Rule;
use crate::hash::{Sha512, hash_any_rows};
use crate::memory::Memory;

/// Rows that go into one leaf of the seed's hash, at most: fewer where they would not fill the lanes.
const LEAF_ROWS: usize = 32;
/// The bytes of a row in a leaf: the 64 bytes behind k, and S.
const LEAF_BYTES: usize = 64 + 32;

/// A source of coefficients.
#[derive(Clone, Copy)]
pub(crate) struct Coefficients {
    backend: Backend,
    seed: [u8; 64],
    draws: u64,
}

impl Coefficients {
    /// A source for these rows, in this order, under this rule. For each row `hashes` holds the 64
    /// bytes behind k as little-endian words and `s` gives S; R, A, the message and the context are in
    /// the former. `None` if there is too little memory.
    pub(crate) fn new<'a>(
        backend: Backend,
        rule: &Rule,
        hashes: &[[u64; 8]],
        s: impl Fn(usize) -> &'a [u8; 32],
        system: Option<&[u8; 32]>,
        mut memory: Memory<'_>,
    ) -> Option<Self> {
        let mut root = Sha512::new()
            .chain(b"sigmill combination 1")
            .chain(&[rule.id(), u8::from(system.is_some())])
            .chain(&(hashes.len() as u64).to_le_bytes())
            .chain(system.map_or(&[], |bytes| bytes));
        let leaf_rows = hashes.len().div_ceil(LEAVES).clamp(1, LEAF_ROWS);
        let leaves = memory.take::<u8>(LEAVES * leaf_rows * LEAF_BYTES)?;
        // leaves in lanes
        for (i, hashes) in hashes.chunks(LEAVES * leaf_rows).enumerate() {
            let first = i * LEAVES * leaf_rows;
            for (j, (leaf, hash)) in leaves.chunks_exact_mut(LEAF_BYTES).zip(hashes).enumerate() {
                let (digest, rest) = leaf.split_at_mut(64);
                for (bytes, word) in digest.as_chunks_mut::<8>().0.iter_mut().zip(hash) {
                    *bytes = word.to_le_bytes();
                }
                rest.copy_from_slice(s(first + j));
            }
            let leaves = &leaves[..hashes.len() * LEAF_BYTES];
            let count = hashes.len().div_ceil(leaf_rows);
            let mut digests = [[0; 64]; LEAVES];
            // the last leaf may be shorter; the root holds the number of rows
            hash_any_rows(
                backend,
                count,
                &|leaf| {
                    let start = leaf * leaf_rows * LEAF_BYTES;
                    let end = leaves.len().min(start + leaf_rows * LEAF_BYTES);
                    [&leaves[start..end], &[], &[], &[]]
                },
                &mut |leaf, digest| digests[leaf] = *digest,
            );
            root.update(digests[..count].as_flattened());
        }
        Some(Coefficients { backend, seed: root.finish(), draws: 0 })
    }

    /// Fills with uniform bits that were not drawn before.
    pub(crate) fn draw(&mut self, words: &mut [[u64; 3]]) {
        self.draws += 1;
        let words = words.as_flattened_mut();
        let (seed, draws) = (&self.seed, self.draws.to_le_bytes());
        for (i, words) in words.chunks_mut(8 * BLOCKS).enumerate() {
            // the bytes of each block after the seed, in one piece
            let mut numbers = [[0; 16]; BLOCKS];
            for (block, numbers) in numbers.iter_mut().enumerate() {
                numbers[..8].copy_from_slice(&draws);
                numbers[8..].copy_from_slice(&((i * BLOCKS + block) as u64).to_le_bytes());
            }
            hash_any_rows(
                self.backend,
                words.len().div_ceil(8),
                &|block| [seed, &numbers[block], &[], &[]],
                &mut |block, digest| {
                    let words = &mut words[8 * block..];
                    for (word, bytes) in words.iter_mut().zip(digest.as_chunks::<8>().0) {
                        *word = u64::from_le_bytes(*bytes);
                    }
                },
            );
        }
    }
}

/// Leaves and blocks that are hashed in one call: as many as there are lanes, and more.
const LEAVES: usize = 8;
const BLOCKS: usize = 64;

#[cfg(test)]
mod tests;
