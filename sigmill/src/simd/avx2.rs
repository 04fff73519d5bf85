//! AVX2: four words of 64 bits, or eight of 32 in pairs.

use super::{instructions, operator, words};
use crate::cpu::{Avx2, Ifma};
use core::arch::x86_64::*;

super::door!(Avx2, "avx2,fma,bmi1,bmi2,lzcnt,popcnt");

/// [`functions`](super::functions) with the instructions of [`Avx2`].
macro_rules! avx2_functions {
    ($($functions:tt)*) => {
        $crate::simd::functions! { "avx2,fma,bmi1,bmi2,lzcnt,popcnt" $($functions)* }
    };
}
pub(crate) use avx2_functions;

/// A token that proves AVX2.
pub(crate) trait ProvesAvx2: Copy {}
impl ProvesAvx2 for Avx2 {}
impl ProvesAvx2 for Ifma {}

/// Four words of 64 bits.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct U64x4<T: ProvesAvx2 = Avx2>(pub(super) __m256i, pub(super) T);

words!([T: ProvesAvx2] U64x4<T>, T, [u64; 4], __m256i, _mm256_set1_epi64x(i64));
operator!([T: ProvesAvx2] U64x4<T>, Add add = _mm256_add_epi64);
operator!([T: ProvesAvx2] U64x4<T>, Sub sub = _mm256_sub_epi64);
operator!([T: ProvesAvx2] U64x4<T>, BitAnd bitand = _mm256_and_si256);
operator!([T: ProvesAvx2] U64x4<T>, BitOr bitor = _mm256_or_si256);
operator!([T: ProvesAvx2] U64x4<T>, BitXor bitxor = _mm256_xor_si256);

/// Four doubles.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct F64x4(__m256d, Avx2);

operator!([] F64x4, Add add = _mm256_add_pd);
operator!([] F64x4, Sub sub = _mm256_sub_pd);

impl F64x4 {
    instructions! {
        /// `self·b + c`, rounded once.
        times_plus(b, c) = _mm256_fmadd_pd;
    }

    /// The bits of each.
    #[inline(always)]
    #[allow(unsafe_code)]
    pub(crate) fn bits(self) -> U64x4 {
        // SAFETY: the vector carries the proof that the CPU has AVX2.
        U64x4(unsafe { _mm256_castpd_si256(self.0) }, self.1)
    }
}

/// Runs a function with these bits in MXCSR: how doubles are rounded, and what becomes of subnormal ones.
#[cfg(test)]
#[allow(unsafe_code)]
pub(crate) fn with_control<R>(control: u32, run: impl FnOnce() -> R) -> R {
    let mut before = 0_u32;
    // SAFETY: every x86-64 CPU has the instruction; it writes four bytes.
    unsafe { core::arch::asm!("stmxcsr [{}]", in(reg) &mut before, options(nostack)) };
    // SAFETY: every x86-64 CPU has the instruction; it reads four bytes, which leave exceptions masked.
    unsafe { core::arch::asm!("ldmxcsr [{}]", in(reg) &(0x1f80 | control), options(nostack)) };
    let result = run();
    // SAFETY: the bits are those that were there.
    unsafe { core::arch::asm!("ldmxcsr [{}]", in(reg) &before, options(nostack)) };
    result
}

impl U64x4 {
    /// The doubles with these bits.
    #[inline(always)]
    pub(crate) fn doubles(self) -> F64x4 {
        F64x4(self.as_floats(), self.1)
    }
}

impl<T: ProvesAvx2> U64x4<T> {
    instructions! {
        /// The product of the low halves of the words.
        times(other) = _mm256_mul_epu32;
        shift_left<N: i32>() = _mm256_slli_epi64;
        shift_right<N: i32>() = _mm256_srli_epi64;
        /// The sum, half of a word by half.
        plus_pairs(other) = _mm256_add_epi32;
        /// The difference, half of a word by half.
        minus_pairs(other) = _mm256_sub_epi32;
        /// Each half of a word by its own count.
        shift_pairs_right(counts) = _mm256_srlv_epi32;
        swap_pairs() = _mm256_shuffle_epi32::<0b10_11_00_01>;
        /// The low halves of these words, the high halves of the others.
        with_high(other) = _mm256_blend_epi32::<0b1010_1010>;
        /// All ones where the words are the same, else 0.
        equal_words(other) = _mm256_cmpeq_epi64;
        /// Lanes 1, 0, 3, 2.
        neighbours() = _mm256_shuffle_epi32::<0x4e>;
        /// Lane i is lane `FROM >> 2·i & 3`.
        permute_words<FROM: i32>() = _mm256_permute4x64_epi64;
        even_words(other) = _mm256_unpacklo_epi64;
        odd_words(other) = _mm256_unpackhi_epi64;
        lower_halves(other) = _mm256_permute2x128_si256::<0x20>;
        upper_halves(other) = _mm256_permute2x128_si256::<0x31>;
        shuffled_bytes(places) = _mm256_shuffle_epi8;
    }

    #[inline(always)]
    pub(crate) fn zero(token: T) -> Self {
        Self::all(token, 0)
    }

    #[inline(always)]
    pub(crate) fn token(self) -> T {
        self.1
    }

    /// Another vector.
    #[inline(always)]
    pub(crate) fn words(self, words: [u64; 4]) -> Self {
        Self::from_array(self.1, words)
    }

    /// Four words as bytes, big-endian.
    #[inline(always)]
    #[allow(unsafe_code)]
    pub(crate) fn from_be_bytes(token: T, bytes: &[u8; 32]) -> Self {
        // SAFETY: 32 bytes of plain data on both sides.
        let words = unsafe { core::mem::transmute::<[u8; 32], [u64; 4]>(*bytes) };
        // the eight bytes of each word, the last one first
        let (first, second) = (0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f);
        Self::from_array(token, words)
            .shuffled_bytes(Self::from_array(token, [first, second, first, second]))
    }

    /// The top bits: bit i is lane i.
    #[inline(always)]
    #[allow(unsafe_code)]
    pub(crate) fn top_bits(self) -> u8 {
        // SAFETY: the vector carries the proof that the CPU has AVX2.
        let bits = unsafe { _mm256_movemask_pd(self.as_floats()) };
        bits as u8
    }

    /// The same bits for instructions that are named after floating point.
    #[inline(always)]
    #[allow(unsafe_code)]
    fn as_floats(self) -> __m256d {
        // SAFETY: the vector carries the proof that the CPU has AVX2.
        unsafe { _mm256_castsi256_pd(self.0) }
    }

    /// All ones in the lanes whose bit is set, else 0.
    #[inline(always)]
    pub(crate) fn lanes_of(token: T, mask: u8) -> Self {
        let bits = Self::from_array(token, [1, 2, 4, 8]);
        (Self::all(token, u64::from(mask)) & bits).equal_words(bits)
    }

    /// `if_set` in words whose mask is all ones, else this.
    #[inline(always)]
    pub(crate) fn or_where(self, mask: Self, if_set: Self) -> Self {
        self ^ mask & (if_set ^ self)
    }

    /// Rows become columns: word j of vector i goes to word i of vector j.
    #[inline(always)]
    pub(crate) fn transpose([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        let (e, f) = (a.even_words(b), a.odd_words(b));
        let (g, h) = (c.even_words(d), c.odd_words(d));
        [e.lower_halves(g), f.lower_halves(h), e.upper_halves(g), f.upper_halves(h)]
    }
}
