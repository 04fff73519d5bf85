//! The compression functions of SHA-2 in lanes: SHA-512 (FIPS 180-4 section 6.4.2) in eight lanes of AVX-512 or four of
//! AVX2, SHA-256 (section 6.2.2) in sixteen of AVX-512.
//!
//! Representation: a vector holds the same word of several messages; a transposition brings blocks into this form.
//! Schedule and working variables stay in registers where there are enough.
//!
//! Constant time: neither branches nor addresses depend on blocks or states.

use super::hmac_lanes::Compress;
use super::lanes::{Block, Lanes, MAX_LANES, States};
#[cfg(feature = "ecdsa")]
use super::tables::ROUND_CONSTANTS_256;
use super::tables::ROUND_CONSTANTS_512;
use crate::cpu::{Avx2, Ifma};
use crate::simd::avx2::{U64x4, avx2_functions};
#[cfg(feature = "ecdsa")]
use crate::simd::avx512::U32x16;
use crate::simd::avx512::{U64x8, ifma_functions};
use core::ops::Add;

impl Lanes for Ifma {
    const LANES: usize = 8;
    // measured: two blocks in eight lanes take 0.7 times as long as one after the other
    const WORTHWHILE: u32 = 2;

    #[inline(always)]
    fn compress(self, states: &mut States, blocks: &[&Block; MAX_LANES]) {
        blocks_of_eight(self, states, blocks);
    }
}

impl Lanes for Avx2 {
    const LANES: usize = 4;
    // measured: two blocks in four lanes take 0.9 times as long as one after the other
    const WORTHWHILE: u32 = 2;

    #[inline(always)]
    fn compress(self, states: &mut States, blocks: &[&Block; MAX_LANES]) {
        blocks_of_four(self, states, blocks);
    }
}

impl Compress<8> for Ifma {
    type Word = u64;

    #[inline(always)]
    fn compress(self, state: &mut [[u64; 8]; 8], block: &[[u64; 8]; 16]) {
        words_of_eight(self, state, block);
    }
}

#[cfg(feature = "ecdsa")]
impl Compress<16> for Ifma {
    type Word = u32;

    #[inline(always)]
    fn compress(self, state: &mut [[u32; 16]; 8], block: &[[u32; 16]; 16]) {
        words_of_sixteen(self, state, block);
    }
}

/// A vector of words of one of the functions.
trait Words: Copy + Add<Output = Self> {
    type Token: Copy;
    type Word: Copy + 'static;
    /// Its form in memory: one word a lane.
    type Row;
    /// K, sixteen rounds at a time.
    const ROUND_CONSTANTS: &[[Self::Word; 16]];

    fn load(token: Self::Token, row: &Self::Row) -> Self;
    fn store(self, row: &mut Self::Row);
    /// The same word in every lane.
    fn all(self, word: Self::Word) -> Self;
    /// Ch, Maj, and the functions Σ and σ (sections 4.1.2 and 4.1.3).
    fn choice(e: Self, f: Self, g: Self) -> Self;
    fn majority(a: Self, b: Self, c: Self) -> Self;
    fn sum_0(self) -> Self;
    fn sum_1(self) -> Self;
    fn sigma_0(self) -> Self;
    fn sigma_1(self) -> Self;
}

/// With rotations, and functions of three words: VPROR and VPTERNLOG.
macro_rules! words_of_avx512 {
    (
        $vector:ident of $row:ty: $word:ident, $constants:ident,
        [$a:literal $b:literal $c:literal] [$d:literal $e:literal $f:literal]
        [$g:literal $h:literal $i:literal] [$j:literal $k:literal $l:literal]
    ) => {
        impl Words for $vector {
            type Token = Ifma;
            type Word = $word;
            type Row = $row;
            const ROUND_CONSTANTS: &[[$word; 16]] = $constants.as_chunks().0;

            #[inline(always)]
            fn load(token: Ifma, row: &$row) -> Self {
                Self::from_array(token, *row)
            }
            #[inline(always)]
            fn store(self, row: &mut $row) {
                *row = self.to_array();
            }
            #[inline(always)]
            fn all(self, word: $word) -> Self {
                self.splat(word)
            }
            #[inline(always)]
            fn choice(e: Self, f: Self, g: Self) -> Self {
                Self::choose(e, f, g)
            }
            #[inline(always)]
            fn majority(a: Self, b: Self, c: Self) -> Self {
                $vector::majority(a, b, c)
            }
            #[inline(always)]
            fn sum_0(self) -> Self {
                Self::xor(
                    self.rotate_right::<$a>(),
                    self.rotate_right::<$b>(),
                    self.rotate_right::<$c>(),
                )
            }
            #[inline(always)]
            fn sum_1(self) -> Self {
                Self::xor(
                    self.rotate_right::<$d>(),
                    self.rotate_right::<$e>(),
                    self.rotate_right::<$f>(),
                )
            }
            #[inline(always)]
            fn sigma_0(self) -> Self {
                Self::xor(
                    self.rotate_right::<$g>(),
                    self.rotate_right::<$h>(),
                    self.shift_right::<$i>(),
                )
            }
            #[inline(always)]
            fn sigma_1(self) -> Self {
                Self::xor(
                    self.rotate_right::<$j>(),
                    self.rotate_right::<$k>(),
                    self.shift_right::<$l>(),
                )
            }
        }
    };
}

words_of_avx512!(U64x8 of [u64; 8]: u64, ROUND_CONSTANTS_512, [28 34 39] [14 18 41] [1 8 7] [19 61 6]);
#[cfg(feature = "ecdsa")]
words_of_avx512!(U32x16 of [u32; 16]: u32, ROUND_CONSTANTS_256, [2 13 22] [6 11 25] [7 18 3] [17 19 10]);

/// AVX2 has no rotation: two shifts, which do not overlap.
macro_rules! rotated {
    ($n:literal, $a:expr) => {
        ($a.shift_right::<$n>() ^ $a.shift_left::<{ 64 - $n }>())
    };
}

impl Words for U64x4 {
    type Token = Avx2;
    type Word = u64;
    type Row = [u64; MAX_LANES];
    const ROUND_CONSTANTS: &[[u64; 16]] = ROUND_CONSTANTS_512.as_chunks().0;

    #[inline(always)]
    fn load(token: Avx2, [a, b, c, d, ..]: &[u64; MAX_LANES]) -> Self {
        U64x4::from_array(token, [*a, *b, *c, *d])
    }
    #[inline(always)]
    fn store(self, row: &mut [u64; MAX_LANES]) {
        row[..4].copy_from_slice(&self.to_array());
    }
    #[inline(always)]
    fn all(self, word: u64) -> Self {
        self.splat(word)
    }
    #[inline(always)]
    fn choice(e: Self, f: Self, g: Self) -> Self {
        g ^ (e & (f ^ g))
    }
    /// b where b and c agree, else a; b ⊕ c is a ⊕ b of the last round.
    #[inline(always)]
    fn majority(a: Self, b: Self, c: Self) -> Self {
        b ^ ((a ^ b) & (b ^ c))
    }
    #[inline(always)]
    fn sum_0(self) -> Self {
        rotated!(28, self) ^ (rotated!(34, self) ^ rotated!(39, self))
    }
    #[inline(always)]
    fn sum_1(self) -> Self {
        rotated!(14, self) ^ (rotated!(18, self) ^ rotated!(41, self))
    }
    #[inline(always)]
    fn sigma_0(self) -> Self {
        rotated!(1, self) ^ (rotated!(8, self) ^ self.shift_right::<7>())
    }
    #[inline(always)]
    fn sigma_1(self) -> Self {
        rotated!(19, self) ^ (rotated!(61, self) ^ self.shift_right::<6>())
    }
}

/// One round: step 3. The variables keep their vectors; their names move on by one for the next round.
macro_rules! round {
    ($a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident, $k:expr, $w:expr) => {
        // terms that do not depend on the last round come first
        let known = $w + $a.all($k) + $h;
        let t1 = known + V::choice($e, $f, $g) + $e.sum_1();
        $d = $d + t1;
        $h = t1 + ($a.sum_0() + V::majority($a, $b, $c));
    };
}

/// Word t + 16 of the schedule in place of word t: step 1.
macro_rules! schedule {
    ($w:ident, $t:expr) => {
        $w[$t] = ($w[$t] + $w[($t + 9) % 16])
            + ($w[($t + 1) % 16].sigma_0() + $w[($t + 14) % 16].sigma_1());
    };
}

/// The last sixteen rounds need no further words.
macro_rules! nothing {
    ($w:ident, $t:expr) => {};
}

/// Sixteen rounds, number t with word t of the schedule and followed by `$then!(w, t)`. Instead of the words, the names of
/// the variables move; after eight rounds they have come round.
macro_rules! sixteen_rounds {
    ($then:ident, $k:ident, $w:ident, $($variable:ident)*) => {
        sixteen_rounds!(@eight $then, $k, $w, 0, $($variable)*);
        sixteen_rounds!(@eight $then, $k, $w, 8, $($variable)*);
    };
    (
        @eight $then:ident, $k:ident, $w:ident, $t:literal,
        $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident
    ) => {
        round!($a $b $c $d $e $f $g $h, $k[$t], $w[$t]);
        $then!($w, $t);
        round!($h $a $b $c $d $e $f $g, $k[$t + 1], $w[$t + 1]);
        $then!($w, $t + 1);
        round!($g $h $a $b $c $d $e $f, $k[$t + 2], $w[$t + 2]);
        $then!($w, $t + 2);
        round!($f $g $h $a $b $c $d $e, $k[$t + 3], $w[$t + 3]);
        $then!($w, $t + 3);
        round!($e $f $g $h $a $b $c $d, $k[$t + 4], $w[$t + 4]);
        $then!($w, $t + 4);
        round!($d $e $f $g $h $a $b $c, $k[$t + 5], $w[$t + 5]);
        $then!($w, $t + 5);
        round!($c $d $e $f $g $h $a $b, $k[$t + 6], $w[$t + 6]);
        $then!($w, $t + 6);
        round!($b $c $d $e $f $g $h $a, $k[$t + 7], $w[$t + 7]);
        $then!($w, $t + 7);
    };
}

/// Compresses the blocks whose words are w (steps 1 to 4).
#[inline(always)]
fn compress<V: Words>(token: V::Token, state: &mut [V::Row; 8], mut w: [V; 16]) {
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = [
        V::load(token, &state[0]),
        V::load(token, &state[1]),
        V::load(token, &state[2]),
        V::load(token, &state[3]),
        V::load(token, &state[4]),
        V::load(token, &state[5]),
        V::load(token, &state[6]),
        V::load(token, &state[7]),
    ];
    let [first @ .., last] = V::ROUND_CONSTANTS else { return };
    for k in first {
        sixteen_rounds!(schedule, k, w, a b c d e f g h);
    }
    sixteen_rounds!(nothing, last, w, a b c d e f g h);
    for (row, variable) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        (V::load(token, row) + variable).store(row);
    }
}

ifma_functions! { never
    fn blocks_of_eight(token: Ifma, states: &mut States, blocks: &[&Block; MAX_LANES]) {
        let mut w = [U64x8::zero(token); 16];
        for half in 0..2 {
            let mut rows = [U64x8::zero(token); 8];
            for (row, block) in rows.iter_mut().zip(blocks) {
                *row = U64x8::from_be_bytes(token, &block.as_chunks().0[half]);
            }
            w[8 * half..8 * half + 8].copy_from_slice(&U64x8::transpose(&rows));
        }
        compress(token, &mut states.0, w);
    }

    fn words_of_eight(token: Ifma, state: &mut [[u64; 8]; 8], block: &[[u64; 8]; 16]) {
        let mut w = [U64x8::zero(token); 16];
        for (word, row) in w.iter_mut().zip(block) {
            *word = U64x8::load(token, row);
        }
        compress(token, state, w);
    }
}

#[cfg(feature = "ecdsa")]
ifma_functions! { never
    fn words_of_sixteen(token: Ifma, state: &mut [[u32; 16]; 8], block: &[[u32; 16]; 16]) {
        let mut w = [U32x16::load(token, &block[0]); 16];
        for (word, row) in w.iter_mut().zip(block) {
            *word = U32x16::load(token, row);
        }
        compress(token, state, w);
    }
}

avx2_functions! { never
    fn blocks_of_four(token: Avx2, states: &mut States, blocks: &[&Block; MAX_LANES]) {
        let mut w = [U64x4::zero(token); 16];
        for quarter in 0..4 {
            let [a, b, c, d, ..] = blocks;
            let rows = [
                U64x4::from_be_bytes(token, &a.as_chunks().0[quarter]),
                U64x4::from_be_bytes(token, &b.as_chunks().0[quarter]),
                U64x4::from_be_bytes(token, &c.as_chunks().0[quarter]),
                U64x4::from_be_bytes(token, &d.as_chunks().0[quarter]),
            ];
            w[4 * quarter..4 * quarter + 4].copy_from_slice(&U64x4::transpose(rows));
        }
        compress(token, &mut states.0, w);
    }
}
