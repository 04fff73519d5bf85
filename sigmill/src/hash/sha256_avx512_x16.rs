//! The compression function of SHA-256 (FIPS 180-4 section 6.2.2) in sixteen lanes, AVX-512.
//!
//! Representation: a vector holds the same word of sixteen messages. VPRORD rotates, VPTERNLOGD computes each
//! function of three words. Schedule and working variables stay in registers.
//!
//! Constant time: neither branches nor addresses depend on blocks or states.

use super::hmac_lanes::Compress;
use super::lanes::sixteen_rounds;
use crate::cpu::Ifma;
use core::arch::x86_64::*;

type V = __m512i;

impl Compress<16> for Ifma {
    type Word = u32;

    #[inline(always)]
    #[allow(unsafe_code)]
    fn compress(self, state: &mut [[u32; 16]; 8], block: &[[u32; 16]; 16]) {
        // SAFETY: the token proves that the CPU has AVX-512 F, BW, DQ and VL.
        unsafe { compress(state, block) }
    }
}

/// K (FIPS 180-4 section 4.2.2).
#[rustfmt::skip]
const ROUND_CONSTANTS: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];

/// Truth tables of VPTERNLOGD: bit 4x + 2y + z is the value for bits x, y, z.
const XOR: i32 = 0x96;
const CHOOSE: i32 = 0xca;
const MAJORITY: i32 = 0xe8;

/// Sixteen words from memory.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[allow(unsafe_code)]
fn load(words: &[u32; 16]) -> V {
    // SAFETY: the reference is to 64 bytes, and the instruction needs no alignment.
    unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
}

/// Sixteen words to memory.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[allow(unsafe_code)]
fn store(words: &mut [u32; 16], vector: V) {
    // SAFETY: the reference is to 64 bytes, and the instruction needs no alignment.
    unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), vector) }
}

macro_rules! xor {
    ($a:expr, $b:expr, $c:expr) => {
        _mm512_ternarylogic_epi32::<XOR>($a, $b, $c)
    };
}

/// One round: step 3 of section 6.2.2. The variables keep their vectors; their names move on by one for
/// the next round.
macro_rules! round {
    ($a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident, $k:expr, $w:expr) => {
        let sum_1 =
            xor!(_mm512_ror_epi32::<6>($e), _mm512_ror_epi32::<11>($e), _mm512_ror_epi32::<25>($e));
        let choice = _mm512_ternarylogic_epi32::<CHOOSE>($e, $f, $g);
        // what does not depend on the last round comes first
        let known = _mm512_add_epi32(_mm512_add_epi32($w, _mm512_set1_epi32($k as i32)), $h);
        let t1 = _mm512_add_epi32(_mm512_add_epi32(known, choice), sum_1);
        let sum_0 =
            xor!(_mm512_ror_epi32::<2>($a), _mm512_ror_epi32::<13>($a), _mm512_ror_epi32::<22>($a));
        let majority = _mm512_ternarylogic_epi32::<MAJORITY>($a, $b, $c);
        $d = _mm512_add_epi32($d, t1);
        $h = _mm512_add_epi32(t1, _mm512_add_epi32(sum_0, majority));
    };
}

/// Word t + 16 of the schedule in place of word t: step 1 of section 6.2.2.
macro_rules! schedule {
    ($w:ident, $t:expr) => {
        let (w1, w14) = ($w[($t + 1) % 16], $w[($t + 14) % 16]);
        let sigma_0 =
            xor!(_mm512_ror_epi32::<7>(w1), _mm512_ror_epi32::<18>(w1), _mm512_srli_epi32::<3>(w1));
        let sigma_1 = xor!(
            _mm512_ror_epi32::<17>(w14),
            _mm512_ror_epi32::<19>(w14),
            _mm512_srli_epi32::<10>(w14)
        );
        $w[$t] = _mm512_add_epi32(
            _mm512_add_epi32($w[$t], $w[($t + 9) % 16]),
            _mm512_add_epi32(sigma_0, sigma_1),
        );
    };
}

/// The last sixteen rounds need no further words.
macro_rules! nothing {
    ($w:ident, $t:expr) => {};
}

/// Compresses one block in each lane.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn compress(state: &mut [[u32; 16]; 8], block: &[[u32; 16]; 16]) {
    let mut w = [_mm512_setzero_si512(); 16];
    for (vector, words) in w.iter_mut().zip(block) {
        *vector = load(words);
    }
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
        let sum = _mm512_add_epi32(load(row), variable);
        store(row, sum);
    }
}
