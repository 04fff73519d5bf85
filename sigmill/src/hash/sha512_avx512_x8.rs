//! The compression function of SHA-512 (FIPS 180-4 section 6.4.2) in eight lanes, AVX-512.
//!
//! Representation: a vector holds the same word of eight messages. VPRORQ rotates, VPTERNLOGQ
//! computes each function of three words; VPSHUFB and two transposes of eight words by eight bring
//! blocks into this form. Schedule and working variables stay in registers.
//!
//! Constant time: neither branches nor addresses depend on blocks or states.

use super::hmac_lanes::Compress;
use super::lanes::{Block, Lanes, MAX_LANES, ROUND_CONSTANTS, States, sixteen_rounds};
use crate::cpu::Ifma;
use core::arch::x86_64::*;

type V = __m512i;

impl Lanes for Ifma {
    const LANES: usize = 8;
    // measured: two blocks in eight lanes take 0.7 times as long as one after the other
    const WORTHWHILE: u32 = 2;

    #[inline(always)]
    #[allow(unsafe_code)]
    fn compress(self, states: &mut States, blocks: &[&Block; MAX_LANES]) {
        // SAFETY: the token proves that the CPU has AVX-512 F, BW, DQ and VL.
        unsafe { compress(states, blocks) }
    }
}

impl Compress<8> for Ifma {
    type Word = u64;

    #[inline(always)]
    #[allow(unsafe_code)]
    fn compress(self, state: &mut [[u64; 8]; 8], block: &[[u64; 8]; 16]) {
        // SAFETY: the token proves that the CPU has AVX-512 F, BW, DQ and VL.
        unsafe { compress_words(state, block) }
    }
}

/// Truth tables of VPTERNLOGQ: bit 4x + 2y + z is the value for bits x, y, z.
const XOR: i32 = 0x96;
const CHOOSE: i32 = 0xca;
const MAJORITY: i32 = 0xe8;

/// Eight words from memory.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[allow(unsafe_code)]
fn load(words: &[u64; 8]) -> V {
    // SAFETY: the reference is to 64 bytes, and the instruction needs no alignment.
    unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
}

/// Half a block from memory, as eight words.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[allow(unsafe_code)]
fn load_big_endian(bytes: &[u8; 64]) -> V {
    // the eight bytes of each word, the last one first
    let swap = _mm512_set4_epi32(0x0809_0a0b, 0x0c0d_0e0f, 0x0001_0203, 0x0405_0607);
    // SAFETY: the reference is to 64 bytes, and the instruction needs no alignment.
    let words = unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) };
    _mm512_shuffle_epi8(words, swap)
}

/// Eight words to memory.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[allow(unsafe_code)]
fn store(words: &mut [u64; 8], vector: V) {
    // SAFETY: the reference is to 64 bytes, and the instruction needs no alignment.
    unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), vector) }
}

/// Rows become columns: word j of vector i goes to word i of vector j.
macro_rules! transposed {
    ($row:expr) => {{
        let row: [V; 8] = $row;
        // pairs of rows, then quarters
        let (a0, a1) =
            (_mm512_unpacklo_epi64(row[0], row[1]), _mm512_unpackhi_epi64(row[0], row[1]));
        let (a2, a3) =
            (_mm512_unpacklo_epi64(row[2], row[3]), _mm512_unpackhi_epi64(row[2], row[3]));
        let (a4, a5) =
            (_mm512_unpacklo_epi64(row[4], row[5]), _mm512_unpackhi_epi64(row[4], row[5]));
        let (a6, a7) =
            (_mm512_unpacklo_epi64(row[6], row[7]), _mm512_unpackhi_epi64(row[6], row[7]));
        let (b0, b2) = quarters!(a0, a2);
        let (b1, b3) = quarters!(a1, a3);
        let (b4, b6) = quarters!(a4, a6);
        let (b5, b7) = quarters!(a5, a7);
        let (c0, c4) = quarters!(b0, b4);
        let (c1, c5) = quarters!(b1, b5);
        let (c2, c6) = quarters!(b2, b6);
        let (c3, c7) = quarters!(b3, b7);
        [c0, c1, c2, c3, c4, c5, c6, c7]
    }};
}

/// The even and the odd quarters of two vectors.
macro_rules! quarters {
    ($a:expr, $b:expr) => {
        (_mm512_shuffle_i64x2::<0x88>($a, $b), _mm512_shuffle_i64x2::<0xdd>($a, $b))
    };
}

macro_rules! xor {
    ($a:expr, $b:expr, $c:expr) => {
        _mm512_ternarylogic_epi64::<XOR>($a, $b, $c)
    };
}

/// One round: step 3 of section 6.4.2. The variables keep their vectors; their names move on by one
/// for the next round.
macro_rules! round {
    ($a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident, $k:expr, $w:expr) => {
        let sum_1 = xor!(
            _mm512_ror_epi64::<14>($e),
            _mm512_ror_epi64::<18>($e),
            _mm512_ror_epi64::<41>($e)
        );
        let choice = _mm512_ternarylogic_epi64::<CHOOSE>($e, $f, $g);
        // what does not depend on the last round comes first
        let known = _mm512_add_epi64(_mm512_add_epi64($w, _mm512_set1_epi64($k as i64)), $h);
        let t1 = _mm512_add_epi64(_mm512_add_epi64(known, choice), sum_1);
        let sum_0 = xor!(
            _mm512_ror_epi64::<28>($a),
            _mm512_ror_epi64::<34>($a),
            _mm512_ror_epi64::<39>($a)
        );
        let majority = _mm512_ternarylogic_epi64::<MAJORITY>($a, $b, $c);
        $d = _mm512_add_epi64($d, t1);
        $h = _mm512_add_epi64(t1, _mm512_add_epi64(sum_0, majority));
    };
}

/// Word t + 16 of the schedule in place of word t: step 1 of section 6.4.2.
macro_rules! schedule {
    ($w:ident, $t:expr) => {
        let (w1, w14) = ($w[($t + 1) % 16], $w[($t + 14) % 16]);
        let sigma_0 =
            xor!(_mm512_ror_epi64::<1>(w1), _mm512_ror_epi64::<8>(w1), _mm512_srli_epi64::<7>(w1));
        let sigma_1 = xor!(
            _mm512_ror_epi64::<19>(w14),
            _mm512_ror_epi64::<61>(w14),
            _mm512_srli_epi64::<6>(w14)
        );
        $w[$t] = _mm512_add_epi64(
            _mm512_add_epi64($w[$t], $w[($t + 9) % 16]),
            _mm512_add_epi64(sigma_0, sigma_1),
        );
    };
}

/// The last sixteen rounds need no further words.
macro_rules! nothing {
    ($w:ident, $t:expr) => {};
}

/// Compresses one block in each lane.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn compress(states: &mut States, blocks: &[&Block; MAX_LANES]) {
    let mut w = [_mm512_setzero_si512(); 16];
    for half in 0..2 {
        let mut row = [_mm512_setzero_si512(); 8];
        for (row, block) in row.iter_mut().zip(blocks) {
            *row = load_big_endian(&block.as_chunks().0[half]);
        }
        w[8 * half..8 * half + 8].copy_from_slice(&transposed!(row));
    }
    rounds(&mut states.0, w);
}

/// Compresses one block in each lane, given word by word.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn compress_words(state: &mut [[u64; 8]; 8], block: &[[u64; 8]; 16]) {
    let mut w = [_mm512_setzero_si512(); 16];
    for (vector, words) in w.iter_mut().zip(block) {
        *vector = load(words);
    }
    rounds(state, w);
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn rounds(state: &mut [[u64; 8]; 8], mut w: [V; 16]) {
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = [
        load(&state[0]),
        load(&state[1]),
        load(&state[2]),
        load(&state[3]),
        load(&state[4]),
        load(&state[5]),
        load(&state[6]),
        load(&state[7]),
    ];

    let [first @ .., last] = ROUND_CONSTANTS.as_chunks::<16>().0 else { return };
    for k in first {
        sixteen_rounds!(round, schedule, k, w, a b c d e f g h);
    }
    sixteen_rounds!(round, nothing, last, w, a b c d e f g h);

    for (row, variable) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        let sum = _mm512_add_epi64(load(row), variable);
        store(row, sum);
    }
}
