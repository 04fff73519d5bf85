//! Working memory that the caller owns, so that bulk verification needs no allocator.
//!
//! Reach: `plan` for the size of a chunk. One `unsafe` block: lines of words as one slice of words.

use super::plan::CHUNK_ROWS;

const WORDS: usize = 16;

/// A line of 64 aligned bytes. What is in it before and after a call means nothing.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Scratch([u32; WORDS]);

impl Scratch {
    /// An empty line.
    pub const fn new() -> Self {
        Scratch([0; WORDS])
    }
}

impl Default for Scratch {
    fn default() -> Self {
        Self::new()
    }
}

/// How many [`Scratch`] lines [`super::verify_into`] needs for a table of `rows` rows. It does not
/// grow beyond one chunk.
pub const fn scratch_len(rows: usize) -> usize {
    let rows = if rows < CHUNK_ROWS { rows } else { CHUNK_ROWS };
    rows.div_ceil(WORDS)
}

/// The lines as one slice of words.
#[allow(unsafe_code)]
pub(super) fn words(lines: &mut [Scratch]) -> &mut [u32] {
    let len = lines.len() * WORDS;
    // SAFETY: `Scratch` is `repr(C)` and holds exactly 16 words in its 64 bytes, so n lines are
    // 16·n initialised words without padding; the borrow of `lines` is passed on.
    unsafe { core::slice::from_raw_parts_mut(lines.as_mut_ptr().cast(), len) }
}
