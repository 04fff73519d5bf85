//! HMAC (FIPS 198-1) of short messages of one length, one a lane.
//!
//! Representation: word by word. Row i of a message holds its word i in every lane, as an integer (SHA-2
//! reads words big-endian). Nothing is put together byte by byte, and the states after the two pads are
//! kept for all messages under a key.
//!
//! Keys, messages and states may be secret; they are wiped. Time depends on lengths only.

use core::ops::{BitOr, BitXor, Shl, Shr};
use zeroize::{DefaultIsZeroes, Zeroize};

/// A word of a hash function: 32 bits (SHA-256) or 64 (SHA-384, SHA-512).
pub(crate) trait Word:
    DefaultIsZeroes
    + From<u8>
    + BitXor<Output = Self>
    + BitOr<Output = Self>
    + Shl<usize, Output = Self>
    + Shr<usize, Output = Self>
{
    const BYTES: usize = size_of::<Self>();
    const ZERO: Self;
    /// The byte in every place.
    fn repeat(byte: u8) -> Self;
    /// Word i, the highest first, of an integer of `bytes` bytes that is given in 64-bit words, the lowest
    /// first.
    fn of_words(words: &[u64], bytes: usize, i: usize) -> Self;
    /// Bytes, big-endian.
    fn write(self, bytes: &mut [u8]);
}

macro_rules! word {
    ($word:ident) => {
        impl Word for $word {
            const ZERO: Self = 0;
            #[inline(always)]
            fn repeat(byte: u8) -> Self {
                $word::from_ne_bytes([byte; size_of::<Self>()])
            }
            #[inline(always)]
            fn of_words(words: &[u64], bytes: usize, i: usize) -> Self {
                let bit = 8 * (bytes - (i + 1) * Self::BYTES);
                (words[bit / 64] >> (bit % 64)) as $word
            }
            #[inline(always)]
            fn write(self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.to_be_bytes());
            }
        }
    };
}

word!(u32);
word!(u64);

/// A hash function: H(0) (FIPS 180-4 section 5.3) and how many words of the state are the digest.
pub(crate) struct Sha2<W> {
    pub(crate) initial: [W; 8],
    pub(crate) digest_words: usize,
}

pub(crate) const SHA_256: Sha2<u32> = Sha2 {
    initial: [
        0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab,
        0x5be0cd19,
    ],
    digest_words: 8,
};
pub(crate) const SHA_384: Sha2<u64> = Sha2 { initial: super::tables::SHA_384, digest_words: 6 };
pub(crate) const SHA_512: Sha2<u64> = Sha2 { initial: super::tables::SHA_512, digest_words: 8 };

/// A backend: the compression function in lanes, word by word. Constant time.
pub(crate) trait Compress<const LANES: usize>: Copy {
    type Word: Word;
    fn compress(self, state: &mut [[Self::Word; LANES]; 8], block: &[[Self::Word; LANES]; 16]);
}

/// The `sha2` crate, one lane: for tests, and where there are no others.
#[cfg(any(test, not(sigmill_lanes)))]
pub(crate) mod one_lane {
    use super::{Compress, Word};
    use core::marker::PhantomData;
    use zeroize::Zeroize;

    #[derive(Clone, Copy)]
    pub(crate) struct OneLane<W>(pub(crate) PhantomData<W>);

    macro_rules! one_lane {
        ($word:ident, $compress:path, $size:literal) => {
            impl Compress<1> for OneLane<$word> {
                type Word = $word;

                fn compress(self, state: &mut [[$word; 1]; 8], block: &[[$word; 1]; 16]) {
                    let mut bytes = [0; $size];
                    for (bytes, [word]) in bytes.chunks_mut(size_of::<$word>()).zip(block) {
                        word.write(bytes);
                    }
                    let mut words = state.map(|[word]| word);
                    $compress(&mut words, core::slice::from_ref(&bytes));
                    *state = words.map(|word| [word]);
                    bytes.zeroize();
                    words.zeroize();
                }
            }
        };
    }

    one_lane!(u32, sha2::block_api::compress256, 64);
    one_lane!(u64, sha2::block_api::compress512, 128);
}

/// The backends of this target, and the proof that there are some.
#[cfg(sigmill_lanes)]
pub(crate) mod backends {
    pub(crate) use crate::cpu::{ifma as sha256, ifma as sha512};
    pub(crate) const LANES_256: usize = 16;
    pub(crate) const LANES_512: usize = 8;
}

/// The same where there are none.
#[cfg(not(sigmill_lanes))]
pub(crate) mod backends {
    use super::one_lane::OneLane;

    pub(crate) const LANES_256: usize = 1;
    pub(crate) const LANES_512: usize = 1;

    pub(crate) fn sha256() -> Option<OneLane<u32>> {
        None
    }
    pub(crate) fn sha512() -> Option<OneLane<u64>> {
        None
    }
}

/// Words of all lanes, row by row.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct LaneWords<W, const LANES: usize, const ROWS: usize>(
    pub(crate) [[W; LANES]; ROWS],
);

impl<W: Word, const LANES: usize, const ROWS: usize> LaneWords<W, LANES, ROWS> {
    pub(crate) fn all(word: W) -> Self {
        LaneWords([[word; LANES]; ROWS])
    }
}

impl<W: Word, const LANES: usize, const ROWS: usize> Zeroize for LaneWords<W, LANES, ROWS> {
    fn zeroize(&mut self) {
        self.0.as_flattened_mut().zeroize();
    }
}

type State<W, const LANES: usize> = LaneWords<W, LANES, 8>;

/// HMAC under a key a lane: the states after the two pads. Wiped when dropped.
pub(crate) struct Hmac<'a, C: Compress<LANES>, const LANES: usize> {
    compress: C,
    hash: &'a Sha2<C::Word>,
    inner: State<C::Word, LANES>,
    outer: State<C::Word, LANES>,
}

impl<C: Compress<LANES>, const LANES: usize> Drop for Hmac<'_, C, LANES> {
    fn drop(&mut self) {
        self.inner.zeroize();
        self.outer.zeroize();
    }
}

impl<'a, C: Compress<LANES>, const LANES: usize> Hmac<'a, C, LANES> {
    /// A key of at most sixteen words.
    pub(crate) fn new(compress: C, hash: &'a Sha2<C::Word>, key: &[[C::Word; LANES]]) -> Self {
        let mut pad = LaneWords::<C::Word, LANES, 16>::all(C::Word::repeat(0x36));
        for (pad, key) in pad.0.iter_mut().zip(key) {
            for (pad, key) in pad.iter_mut().zip(key) {
                *pad = *pad ^ *key;
            }
        }
        let initial = LaneWords(hash.initial.map(|word| [word; LANES]));
        let mut hmac = Hmac { compress, hash, inner: initial, outer: initial };
        compress.compress(&mut hmac.inner.0, &pad.0);
        for word in pad.0.as_flattened_mut() {
            *word = *word ^ C::Word::repeat(0x36 ^ 0x5c);
        }
        compress.compress(&mut hmac.outer.0, &pad.0);
        pad.zeroize();
        hmac
    }

    /// The code of a message of so many bytes in each lane; what the last word has beyond them is 0. The
    /// code is the first words, as many as the digest has.
    pub(crate) fn mac(
        &self,
        message: &[[C::Word; LANES]],
        bytes: usize,
    ) -> LaneWords<C::Word, LANES, 8> {
        let mut inner = self.inner;
        self.absorb(&mut inner, message, bytes);
        let mut outer = self.outer;
        let digest = &inner.0[..self.hash.digest_words];
        self.absorb(&mut outer, digest, digest.len() * C::Word::BYTES);
        inner.zeroize();
        outer
    }

    /// Compresses a message that comes after one block, and its padding (FIPS 180-4 section 5.1).
    fn absorb(
        &self,
        state: &mut State<C::Word, LANES>,
        message: &[[C::Word; LANES]],
        bytes: usize,
    ) {
        let size = C::Word::BYTES;
        // a bit, and a length of two words
        let blocks = (bytes + 1 + 2 * size).div_ceil(16 * size);
        let mut block = LaneWords::<C::Word, LANES, 16>::all(C::Word::ZERO);
        for i in 0..16 * blocks {
            let row = &mut block.0[i % 16];
            *row = message.get(i).copied().unwrap_or([C::Word::ZERO; LANES]);
            let mut padding = C::Word::ZERO;
            if i == bytes / size {
                padding = C::Word::from(0x80) << (8 * (size - 1 - bytes % size));
            }
            if i + 1 == 16 * blocks {
                let bits = 8 * (16 * size + bytes);
                padding = C::Word::from((bits >> 8) as u8) << 8 | C::Word::from(bits as u8);
            }
            for word in row.iter_mut() {
                *word = *word | padding;
            }
            if i % 16 == 15 {
                self.compress.compress(&mut state.0, &block.0);
            }
        }
        block.zeroize();
    }
}
