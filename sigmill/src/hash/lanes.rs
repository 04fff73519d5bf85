//! SHA-512 of many messages at once, for any number of lanes.
//!
//! Representation: the states of all lanes together, word by word; lane l is column l. Every lane
//! has its own message and its own position in it. A lane that has finished hands out its digest and
//! takes the next message, so that messages of different lengths keep all lanes busy without being
//! sorted. A block that lies inside one part of its message is compressed from there; any other, and
//! the padding, is put together in the lane's buffer. When too few lanes are left to be worth a block
//! in every lane, each is finished alone.
//!
//! Messages, buffers and states may be secret; lengths, and so the order in which digests come, are
//! public. Nothing is allocated.
//!
//! A token of `cpu` stands for each backend.

use core::slice;
use sha2::block_api::compress512;
use zeroize::{DefaultIsZeroes, Zeroize};

/// Bytes of a block (FIPS 180-4 section 1).
pub(super) const BLOCK_LEN: usize = 128;
/// Bytes of padding at least: a bit with seven zeros, and the length (FIPS 180-4 section 5.1.2).
const PADDING_LEN: u64 = 1 + LENGTH_LEN as u64;
/// Bytes of the length in the last block.
pub(super) const LENGTH_LEN: usize = 16;
/// The widest backend.
pub(crate) const MAX_LANES: usize = 8;

/// One block of a padded message.
pub(crate) type Block = [u8; BLOCK_LEN];

/// The states of all lanes: word w of lane l is `[w][l]`. A backend of fewer lanes uses the first
/// columns.
#[derive(Clone, Copy, Default)]
#[repr(C, align(64))]
pub(crate) struct States(pub(super) [[u64; MAX_LANES]; 8]);

impl States {
    #[inline(always)]
    pub(super) fn column(&self, lane: usize) -> [u64; 8] {
        core::array::from_fn(|word| self.0[word][lane])
    }

    #[inline(always)]
    pub(super) fn set_column(&mut self, lane: usize, column: &[u64; 8]) {
        for (row, word) in self.0.iter_mut().zip(column) {
            row[lane] = *word;
        }
    }
}

/// A backend: the compression function (FIPS 180-4 section 6.4.2) in lanes. A token of `cpu` is the
/// backend whose instructions it proves; `()` is the `sha2` crate, one lane.
pub(crate) trait Lanes: Copy {
    /// How many messages move at once, at most eight.
    const LANES: usize;
    /// With fewer busy lanes than this, a block in every lane takes longer than the blocks of the
    /// busy lanes one after the other.
    const WORTHWHILE: u32;
    /// Compresses block l in lane l, for l below `LANES`. Constant time.
    fn compress(self, states: &mut States, blocks: &[&Block; MAX_LANES]);
}

impl Lanes for () {
    const LANES: usize = 1;
    const WORTHWHILE: u32 = 1;

    fn compress(self, states: &mut States, blocks: &[&Block; MAX_LANES]) {
        let mut state = states.column(0);
        compress512(&mut state, slice::from_ref(blocks[0]));
        states.set_column(0, &state);
        state.zeroize();
    }
}

/// A message on its way through a lane.
#[derive(Clone, Copy, Default)]
struct Message<'a> {
    /// Bytes not yet compressed: the whole of a part, its end, or nothing.
    parts: [&'a [u8]; 4],
    /// Bytes of the message. No address space is large enough for four slices to overflow it.
    len: u64,
    /// Bytes of the padded message that have been compressed.
    done: u64,
}

impl<'a> Message<'a> {
    #[inline(always)]
    fn new(parts: [&'a [u8]; 4]) -> Self {
        let len = parts.iter().map(|part| part.len() as u64).sum();
        Message { parts, len, done: 0 }
    }

    #[inline(always)]
    fn is_done(&self) -> bool {
        self.done >= self.len + PADDING_LEN
    }

    /// The next block of the padded message (FIPS 180-4 sections 5.1.2 and 5.2.2), where it lies or
    /// put together in `buffer`.
    // The parts are named, not indexed, so that a new message whose parts have known lengths is
    // copied without loops and without having been in memory.
    #[inline(always)]
    fn next_block<'b>(&mut self, buffer: &'b mut Block) -> &'b Block
    where
        'a: 'b,
    {
        let before = self.done;
        self.done += BLOCK_LEN as u64;
        let is_full = self.done <= self.len;
        let [a, b, c, d] = &mut self.parts;
        if is_full {
            let part = if !a.is_empty() {
                &mut *a
            } else if !b.is_empty() {
                &mut *b
            } else if !c.is_empty() {
                &mut *c
            } else {
                &mut *d
            };
            if let Some((block, rest)) = part.split_first_chunk() {
                *part = rest;
                return block;
            }
        } else {
            *buffer = [0; BLOCK_LEN];
        }
        let mut filled = 0;
        gather(a, buffer, &mut filled);
        gather(b, buffer, &mut filled);
        gather(c, buffer, &mut filled);
        gather(d, buffer, &mut filled);
        if !is_full && before <= self.len {
            buffer[filled] = 0x80;
        }
        if self.is_done() {
            let bits = u128::from(self.len) << 3;
            buffer[BLOCK_LEN - LENGTH_LEN..].copy_from_slice(&bits.to_be_bytes());
        }
        buffer
    }

    /// [`Message::next_block`] as one function: blocks after the first.
    #[inline(never)]
    fn later_block<'b>(&mut self, buffer: &'b mut Block) -> &'b Block
    where
        'a: 'b,
    {
        self.next_block(buffer)
    }

    /// Compresses all that is left.
    #[inline(never)]
    fn finish(&mut self, state: &mut [u64; 8], buffer: &mut Block) {
        while !self.is_done() {
            if let Some(part) = self.parts.iter_mut().find(|part| !part.is_empty()) {
                let (blocks, rest) = part.as_chunks();
                *part = rest;
                self.done += (blocks.len() * BLOCK_LEN) as u64;
                compress512(state, blocks);
            }
            compress512(state, slice::from_ref(self.later_block(buffer)));
        }
    }
}

/// Moves bytes of a part to the buffer, behind the `filled` bytes in it, until it is full or none are
/// left.
#[inline(always)]
fn gather(part: &mut &[u8], buffer: &mut Block, filled: &mut usize) {
    if part.is_empty() {
        return;
    }
    let (now, later) = part.split_at(part.len().min(BLOCK_LEN - *filled));
    copy(&mut buffer[*filled..*filled + now.len()], now);
    *part = later;
    *filled += now.len();
}

/// Copies at most a block between slices of one length: the first bytes and the last bytes, which
/// together are all of them. Parts are short, and this costs less than a call.
#[inline(always)]
fn copy(to: &mut [u8], from: &[u8]) {
    match from.len() {
        64.. => copy_ends::<64>(to, from),
        32.. => copy_ends::<32>(to, from),
        16.. => copy_ends::<16>(to, from),
        8.. => copy_ends::<8>(to, from),
        4.. => copy_ends::<4>(to, from),
        2.. => copy_ends::<2>(to, from),
        _ => copy_ends::<1>(to, from),
    }
}

/// Copies the first and the last N bytes.
#[inline(always)]
fn copy_ends<const N: usize>(to: &mut [u8], from: &[u8]) {
    if let (Some(to), Some(from)) = (to.first_chunk_mut::<N>(), from.first_chunk()) {
        *to = *from;
    }
    if let (Some(to), Some(from)) = (to.last_chunk_mut::<N>(), from.last_chunk()) {
        *to = *from;
    }
}

/// A lane's buffer. Aligned, so that backends load it without crossing lines.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Buffer(pub(super) Block);

impl Default for Buffer {
    fn default() -> Self {
        Buffer([0; BLOCK_LEN])
    }
}

// Wiped as wholes: byte by byte takes longer than a short message.
impl DefaultIsZeroes for States {}
impl DefaultIsZeroes for Buffer {}

/// Buffers of message bytes, states and digests; wiped when dropped.
struct Working {
    states: States,
    buffers: [Buffer; MAX_LANES],
    /// State and buffer of a message that is finished alone.
    state: [u64; 8],
    buffer: Buffer,
    digest: [u8; 64],
}

impl Drop for Working {
    #[inline(never)]
    fn drop(&mut self) {
        self.states.zeroize();
        self.buffers.zeroize();
        self.state.zeroize();
        self.buffer.zeroize();
        self.digest.zeroize();
    }
}

/// The digest of a state (FIPS 180-4 section 6.4.2, at the end).
#[inline(always)]
pub(super) fn write_digest(digest: &mut [u8; 64], state: &[u64; 8]) {
    for (bytes, word) in digest.as_chunks_mut().0.iter_mut().zip(state) {
        *bytes = word.to_be_bytes();
    }
}

/// SHA-512 (FIPS 180-4 section 6.4), from the given H(0), of n messages. Message i, for i from 0 to n − 1 in this order, is
/// the slices `parts(i)` one after the other; `digest(i, …)` is told its digest. The order of the
/// digests depends on the lengths. Time depends on n and the lengths only.
pub(crate) fn sha512_rows_with<'a, L: Lanes>(
    backend: L,
    initial: &[u64; 8],
    n: usize,
    parts: impl Fn(usize) -> [&'a [u8]; 4],
    mut digest: impl FnMut(usize, &[u8; 64]),
) {
    const { assert!(L::LANES <= MAX_LANES && L::WORTHWHILE >= 1) };
    let mut working = Working {
        states: States::default(),
        buffers: [Buffer::default(); MAX_LANES],
        state: [0; 8],
        buffer: Buffer::default(),
        digest: [0; 64],
    };
    let mut waiting = 0..n;
    let mut indices = [0; MAX_LANES];
    // a message that fits its first block never gets here
    let mut messages = [Message::default(); MAX_LANES];
    // bit l: lane l has a message; its block is the last one
    let (mut busy, mut last) = (0_u8, 0_u8);
    loop {
        // an idle lane compresses zeros into a column that nobody reads
        let mut blocks = [&[0; BLOCK_LEN]; MAX_LANES];
        let lanes = working.buffers.iter_mut().zip(&mut blocks).enumerate();
        for (lane, (buffer, block)) in lanes.take(L::LANES) {
            let bit = 1 << lane;
            if last & bit != 0 {
                write_digest(&mut working.digest, &working.states.column(lane));
                digest(indices[lane], &working.digest);
                busy &= !bit;
                last &= !bit;
            }
            if busy & bit != 0 {
                let message = &mut messages[lane];
                *block = message.later_block(&mut buffer.0);
                last |= if message.is_done() { bit } else { 0 };
            } else if let Some(index) = waiting.next() {
                let mut message = Message::new(parts(index));
                *block = message.next_block(&mut buffer.0);
                working.states.set_column(lane, initial);
                indices[lane] = index;
                busy |= bit;
                if message.is_done() {
                    last |= bit;
                } else {
                    messages[lane] = message;
                }
            }
        }
        if busy.count_ones() < L::WORTHWHILE {
            for lane in (0..L::LANES).filter(|lane| busy >> lane & 1 == 1) {
                working.state = working.states.column(lane);
                compress512(&mut working.state, slice::from_ref(blocks[lane]));
                if last >> lane & 1 == 0 {
                    messages[lane].finish(&mut working.state, &mut working.buffer.0);
                }
                write_digest(&mut working.digest, &working.state);
                digest(indices[lane], &working.digest);
            }
            return;
        }
        backend.compress(&mut working.states, &blocks);
    }
}
