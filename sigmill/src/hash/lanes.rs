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
const BLOCK_LEN: usize = 128;
/// Bytes of padding at least: a bit with seven zeros, and the length (FIPS 180-4 section 5.1.2).
const PADDING_LEN: u64 = 1 + LENGTH_LEN as u64;
/// Bytes of the length in the last block.
const LENGTH_LEN: usize = 16;
/// The widest backend.
pub(crate) const MAX_LANES: usize = 8;

/// H(0) of SHA-512 (FIPS 180-4 section 5.3.5).
pub(super) const SHA_512: [u64; 8] = [
    0x6a09e667f3bcc908,
    0xbb67ae8584caa73b,
    0x3c6ef372fe94f82b,
    0xa54ff53a5f1d36f1,
    0x510e527fade682d1,
    0x9b05688c2b3e6c1f,
    0x1f83d9abfb41bd6b,
    0x5be0cd19137e2179,
];

/// H(0) of SHA-384 (FIPS 180-4 section 5.3.4); its digest is the first 48 bytes.
pub(super) const SHA_384: [u64; 8] = [
    0xcbbb9d5dc1059ed8,
    0x629a292a367cd507,
    0x9159015a3070dd17,
    0x152fecd8f70e5939,
    0x67332667ffc00b31,
    0x8eb44a8768581511,
    0xdb0c2e0d64f98fa7,
    0x47b5481dbefa4fa4,
];

/// K (FIPS 180-4 section 4.2.3).
#[cfg(sigmill_lanes)]
#[rustfmt::skip]
pub(super) const ROUND_CONSTANTS: [u64; 80] = [
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc,
    0x3956c25bf348b538, 0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118,
    0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2,
    0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692694,
    0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5,
    0x983e5152ee66dfab, 0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4,
    0xc6e00bf33da88fc2, 0xd5a79147930aa725, 0x06ca6351e003826f, 0x142929670a0e6e70,
    0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed, 0x53380d139d95b3df,
    0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
    0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30,
    0xd192e819d6ef5218, 0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8,
    0x19a4c116b8d2d0c8, 0x1e376c085141ab53, 0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8,
    0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373, 0x682e6ff3d6b2b8a3,
    0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b,
    0xca273eceea26619c, 0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178,
    0x06f067aa72176fba, 0x0a637dc5a2c898a6, 0x113f9804bef90dae, 0x1b710b35131c471b,
    0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc, 0x431d67c49c100d4c,
    0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
];

/// Sixteen rounds, number t with word t of the schedule and followed by `$then!(w, t)`. Instead of
/// the words, the names of the variables move; after eight rounds they have come round.
#[cfg(sigmill_lanes)]
macro_rules! sixteen_rounds {
    ($round:ident, $then:ident, $k:ident, $w:ident, $($variable:ident)*) => {
        sixteen_rounds!(@eight $round, $then, $k, $w, 0, $($variable)*);
        sixteen_rounds!(@eight $round, $then, $k, $w, 8, $($variable)*);
    };
    (
        @eight $round:ident, $then:ident, $k:ident, $w:ident, $t:literal,
        $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident
    ) => {
        $round!($a $b $c $d $e $f $g $h, $k[$t], $w[$t]);
        $then!($w, $t);
        $round!($h $a $b $c $d $e $f $g, $k[$t + 1], $w[$t + 1]);
        $then!($w, $t + 1);
        $round!($g $h $a $b $c $d $e $f, $k[$t + 2], $w[$t + 2]);
        $then!($w, $t + 2);
        $round!($f $g $h $a $b $c $d $e, $k[$t + 3], $w[$t + 3]);
        $then!($w, $t + 3);
        $round!($e $f $g $h $a $b $c $d, $k[$t + 4], $w[$t + 4]);
        $then!($w, $t + 4);
        $round!($d $e $f $g $h $a $b $c, $k[$t + 5], $w[$t + 5]);
        $then!($w, $t + 5);
        $round!($c $d $e $f $g $h $a $b, $k[$t + 6], $w[$t + 6]);
        $then!($w, $t + 6);
        $round!($b $c $d $e $f $g $h $a, $k[$t + 7], $w[$t + 7]);
        $then!($w, $t + 7);
    };
}
#[cfg(sigmill_lanes)]
pub(super) use sixteen_rounds;

/// One block of a padded message.
pub(crate) type Block = [u8; BLOCK_LEN];

/// The states of all lanes: word w of lane l is `[w][l]`. A backend of fewer lanes uses the first
/// columns.
#[derive(Clone, Copy, Default)]
#[repr(C, align(64))]
pub(crate) struct States(pub(super) [[u64; MAX_LANES]; 8]);

impl States {
    #[inline(always)]
    fn column(&self, lane: usize) -> [u64; 8] {
        core::array::from_fn(|word| self.0[word][lane])
    }

    #[inline(always)]
    fn set_column(&mut self, lane: usize, column: &[u64; 8]) {
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
    /// What has not been compressed: the whole of a part, its end, or nothing.
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
struct Buffer(Block);

impl Default for Buffer {
    fn default() -> Self {
        Buffer([0; BLOCK_LEN])
    }
}

// Wiped as wholes: byte by byte takes longer than a short message.
impl DefaultIsZeroes for States {}
impl DefaultIsZeroes for Buffer {}

/// What holds message bytes, states and digests; wiped when dropped.
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
fn write_digest(digest: &mut [u8; 64], state: &[u64; 8]) {
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
