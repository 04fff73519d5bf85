//! AVX-512: eight words of 64 bits, or sixteen of 32; four of 64 for IFMA on half a vector.
//!
//! Bit i of a mask is lane i.

use super::avx2::U64x4;
use super::{instructions, masked, operator, words};
use crate::cpu::Ifma;
use core::arch::x86_64::*;
use core::ops::{Add, BitAnd};

super::door!(
    Ifma,
    "avx512f,avx512ifma,avx512vl,avx512bw,avx512dq,avx512cd,avx2,bmi1,bmi2,lzcnt,popcnt"
);

/// [`functions`](super::functions) with the instructions of [`Ifma`].
macro_rules! ifma_functions {
    ($($functions:tt)*) => {
        $crate::simd::functions! { "avx512f,avx512ifma,avx512vl,avx512bw,avx512dq" $($functions)* }
    };
}
pub(crate) use ifma_functions;

/// Truth tables of VPTERNLOG: bit 4x + 2y + z is the value for bits x, y, z.
const XOR: i32 = 0x96;
const CHOOSE: i32 = 0xca;
const AND_XOR: i32 = 0x6a;
const MAJORITY: i32 = 0xe8;

/// Eight words of 64 bits.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct U64x8(__m512i, Ifma);

/// Sixteen words of 32 bits.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct U32x16(__m512i, Ifma);

words!([] U64x8, Ifma, [u64; 8], __m512i, _mm512_set1_epi64(i64));
operator!([] U64x8, Add add = _mm512_add_epi64);
operator!([] U64x8, Sub sub = _mm512_sub_epi64);
operator!([] U64x8, BitAnd bitand = _mm512_and_si512);
operator!([] U64x8, BitOr bitor = _mm512_or_si512);
operator!([] U64x8, BitXor bitxor = _mm512_xor_si512);

words!([] U32x16, Ifma, [u32; 16], __m512i, _mm512_set1_epi32(i32));
operator!([] U32x16, Add add = _mm512_add_epi32);

impl U64x8 {
    instructions! {
        /// This, and the low 52 bits of the product of the low 52 bits of a and b.
        madd_low(a, b) = _mm512_madd52lo_epu64;
        /// This, and the bits from 52 on of that product.
        madd_high(a, b) = _mm512_madd52hi_epu64;
        /// The low 64 bits of the product.
        times(other) = _mm512_mullo_epi64;
        /// Without its sign.
        magnitude() = _mm512_abs_epi64;
        shift_left<N: u32>() = _mm512_slli_epi64;
        shift_right<N: u32>() = _mm512_srli_epi64;
        /// The same with the sign.
        shift_right_signed<N: u32>() = _mm512_srai_epi64;
        shift_left_each(counts) = _mm512_sllv_epi64;
        shift_right_each(counts) = _mm512_srlv_epi64;
        rotate_left<N: i32>() = _mm512_rol_epi64;
        rotate_right<N: i32>() = _mm512_ror_epi64;
        /// Lane i is word `index[i]` of sixteen: 0 to 7 are this vector's, 8 to 15 those of `upper`.
        word_of_two(index, upper) = _mm512_permutex2var_epi64;
        even_words(other) = _mm512_unpacklo_epi64;
        odd_words(other) = _mm512_unpackhi_epi64;
        even_quarters(other) = _mm512_shuffle_i64x2::<0x88>;
        odd_quarters(other) = _mm512_shuffle_i64x2::<0xdd>;
        shuffled_bytes(places) = _mm512_shuffle_epi8;
        rotated_words<BY: i32>(same) = _mm512_alignr_epi64;
        ternary<TABLE: i32>(b, c) = _mm512_ternarylogic_epi64;
    }
    masked! {
        /// `if_set` where the bit is set, `otherwise` where not.
        select(mask; if_set, otherwise) = _mm512_mask_blend_epi64(mask, otherwise, if_set);
        /// `a − b` where the bit is set, `otherwise` where not.
        minus_where(mask; a, b, otherwise) = _mm512_mask_sub_epi64(otherwise, mask, a, b);
        /// `a + b` where the bit is set, else a.
        plus_where(mask; a, b) = _mm512_mask_add_epi64(a, mask, a, b);
    }

    #[inline(always)]
    pub(crate) fn zero(token: Ifma) -> Self {
        Self::all(token, 0)
    }

    #[inline(always)]
    pub(crate) fn token(self) -> Ifma {
        self.1
    }

    /// Another vector.
    #[inline(always)]
    pub(crate) fn words(self, words: [u64; 8]) -> Self {
        Self::from_array(self.1, words)
    }

    /// Eight words as bytes, big-endian.
    #[inline(always)]
    #[allow(unsafe_code)]
    pub(crate) fn from_be_bytes(token: Ifma, bytes: &[u8; 64]) -> Self {
        // SAFETY: 64 bytes of plain data on both sides.
        let words = unsafe { core::mem::transmute::<[u8; 64], [u64; 8]>(*bytes) };
        // the eight bytes of each word, the last one first
        let (first, second) = (0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f);
        let places = [first, second, first, second, first, second, first, second];
        Self::from_array(token, words).shuffled_bytes(Self::from_array(token, places))
    }

    /// The words of eight integers of 32 bytes, little-endian: word j of integer i is lane i of vector j.
    #[inline(always)]
    pub(crate) fn words_of_bytes(token: Ifma, bytes: &[&[u8; 32]; 8]) -> [Self; 4] {
        let a = Self::from_halves(token, bytes[0], bytes[2]);
        let b = Self::from_halves(token, bytes[1], bytes[3]);
        let c = Self::from_halves(token, bytes[4], bytes[6]);
        let d = Self::from_halves(token, bytes[5], bytes[7]);
        let (ab, cd) = (a.even_words(b), c.even_words(d));
        let (ef, gh) = (a.odd_words(b), c.odd_words(d));
        [ab.even_quarters(cd), ef.even_quarters(gh), ab.odd_quarters(cd), ef.odd_quarters(gh)]
    }

    /// Four words in each half, little-endian.
    #[inline(always)]
    #[allow(unsafe_code)]
    fn from_halves(token: Ifma, low: &[u8; 32], high: &[u8; 32]) -> Self {
        // SAFETY: 64 bytes of plain data on both sides.
        Self(unsafe { core::mem::transmute::<[[u8; 32]; 2], __m512i>([*low, *high]) }, token)
    }

    /// This with the word where the bit is set.
    #[inline(always)]
    #[allow(unsafe_code)]
    pub(crate) fn with_word(self, mask: u8, word: u64) -> Self {
        // SAFETY: the vector carries the proof that the CPU has AVX-512.
        Self(unsafe { _mm512_mask_set1_epi64(self.0, mask, word as i64) }, self.1)
    }

    /// Words of each half in another order: lane i is lane `FROM >> 2·i & 3` of the same half.
    #[inline(always)]
    #[allow(unsafe_code)]
    pub(crate) fn permute_halves<const FROM: i32>(self) -> Self {
        // SAFETY: the vector carries the proof that the CPU has AVX-512.
        Self(unsafe { _mm512_permutex_epi64::<FROM>(self.0) }, self.1)
    }

    /// Lane i is lane `index[i]`, and 0 where the bit is not set.
    #[inline(always)]
    #[allow(unsafe_code)]
    pub(crate) fn permute(self, keep: u8, index: Self) -> Self {
        // SAFETY: the vector carries the proof that the CPU has AVX-512.
        Self(unsafe { _mm512_maskz_permutexvar_epi64(keep, index.0, self.0) }, self.1)
    }

    /// Lane i is lane i + BY, counted in a circle.
    #[inline(always)]
    pub(crate) fn rotate_words<const BY: i32>(self) -> Self {
        self.rotated_words::<BY>(self)
    }

    /// Lane i is word `index[i]` mod 16, and 0 where the bit is not set. The sixteen words are in registers: no address
    /// depends on the index.
    #[inline(always)]
    #[allow(unsafe_code)]
    pub(crate) fn word_of_16(keep: u8, words: &[u64; 16], index: Self) -> Self {
        let (halves, _) = words.as_chunks();
        let (low, high) = (index.words(halves[0]), index.words(halves[1]));
        // SAFETY: the index carries the proof that the CPU has AVX-512.
        let chosen = unsafe { _mm512_maskz_permutex2var_epi64(keep, low.0, index.0, high.0) };
        Self(chosen, index.1)
    }

    /// The top bits.
    #[inline(always)]
    #[allow(unsafe_code)]
    pub(crate) fn top_bits(self) -> u8 {
        // SAFETY: the vector carries the proof that the CPU has AVX-512.
        unsafe { _mm512_movepi64_mask(self.0) }
    }

    /// The words in which this and the other have no bit in common.
    #[inline(always)]
    #[allow(unsafe_code)]
    pub(crate) fn disjoint(self, other: Self) -> u8 {
        // SAFETY: the vector carries the proof that the CPU has AVX-512.
        unsafe { _mm512_testn_epi64_mask(self.0, other.0) }
    }

    /// The words that are 0.
    #[inline(always)]
    pub(crate) fn zeros(self) -> u8 {
        self.disjoint(self)
    }

    /// `(a ∧ b) ⊕ c`.
    #[inline(always)]
    pub(crate) fn and_xor(a: Self, b: Self, c: Self) -> Self {
        a.ternary::<AND_XOR>(b, c)
    }

    /// Rows become columns: word j of vector i goes to word i of vector j.
    #[inline(always)]
    pub(crate) fn transpose(r: &[Self; 8]) -> [Self; 8] {
        // pairs of rows, then quarters
        let (a0, a1) = (r[0].even_words(r[1]), r[0].odd_words(r[1]));
        let (a2, a3) = (r[2].even_words(r[3]), r[2].odd_words(r[3]));
        let (a4, a5) = (r[4].even_words(r[5]), r[4].odd_words(r[5]));
        let (a6, a7) = (r[6].even_words(r[7]), r[6].odd_words(r[7]));
        let (b0, b1) = (a0.even_quarters(a2), a1.even_quarters(a3));
        let (b2, b3) = (a0.odd_quarters(a2), a1.odd_quarters(a3));
        let (b4, b5) = (a4.even_quarters(a6), a5.even_quarters(a7));
        let (b6, b7) = (a4.odd_quarters(a6), a5.odd_quarters(a7));
        [
            b0.even_quarters(b4),
            b1.even_quarters(b5),
            b2.even_quarters(b6),
            b3.even_quarters(b7),
            b0.odd_quarters(b4),
            b1.odd_quarters(b5),
            b2.odd_quarters(b6),
            b3.odd_quarters(b7),
        ]
    }
}

impl U32x16 {
    instructions! {
        shift_right<N: u32>() = _mm512_srli_epi32;
        rotate_right<N: i32>() = _mm512_ror_epi32;
        ternary<TABLE: i32>(b, c) = _mm512_ternarylogic_epi32;
    }
}

/// Functions of three vectors.
macro_rules! ternary {
    ($vector:ty) => {
        impl $vector {
            /// `a ⊕ b ⊕ c`.
            #[inline(always)]
            pub(crate) fn xor(a: Self, b: Self, c: Self) -> Self {
                a.ternary::<XOR>(b, c)
            }

            /// b where a is set, else c, bit by bit.
            #[inline(always)]
            pub(crate) fn choose(a: Self, b: Self, c: Self) -> Self {
                a.ternary::<CHOOSE>(b, c)
            }

            /// The majority of three, bit by bit.
            #[inline(always)]
            pub(crate) fn majority(a: Self, b: Self, c: Self) -> Self {
                a.ternary::<MAJORITY>(b, c)
            }
        }
    };
}

ternary!(U64x8);
ternary!(U32x16);

/// Vectors of either length that multiply limbs of 51 bits.
pub(crate) trait MultiplyAdd: Copy + Add<Output = Self> + BitAnd<Output = Self> {
    /// The same word in every lane.
    fn splat(self, word: u64) -> Self;
    /// This, and the low 52 bits of the product of the low 52 bits of a and b.
    fn madd_low(self, a: Self, b: Self) -> Self;
    /// This, and the bits from 52 on of that product.
    fn madd_high(self, a: Self, b: Self) -> Self;
    /// Shifted right by 51.
    fn above_51_bits(self) -> Self;
    /// 16 times a word below 2^60. A rotation, as the compiler makes one multiplication of shifts and additions, which
    /// takes fifteen cycles.
    fn times_16(self) -> Self;
}

macro_rules! multiply_add {
    ($vector:ty) => {
        impl MultiplyAdd for $vector {
            #[inline(always)]
            fn splat(self, word: u64) -> Self {
                self.splat(word)
            }

            #[inline(always)]
            fn madd_low(self, a: Self, b: Self) -> Self {
                self.madd_low(a, b)
            }

            #[inline(always)]
            fn madd_high(self, a: Self, b: Self) -> Self {
                self.madd_high(a, b)
            }

            #[inline(always)]
            fn above_51_bits(self) -> Self {
                self.shift_right::<51>()
            }

            #[inline(always)]
            fn times_16(self) -> Self {
                self.rotate_left::<4>()
            }
        }
    };
}

multiply_add!(U64x8);
multiply_add!(U64x4<Ifma>);

/// Instructions of AVX-512 and IFMA on vectors of 256 bits.
impl U64x4<Ifma> {
    instructions! {
        /// This, and the low 52 bits of the product of the low 52 bits of a and b.
        madd_low(a, b) = _mm256_madd52lo_epu64;
        /// This, and the bits from 52 on of that product.
        madd_high(a, b) = _mm256_madd52hi_epu64;
        rotate_left<N: i32>() = _mm256_rol_epi64;
    }
    masked! {
        /// `if_set` where the bit is set, `otherwise` where not.
        select(mask; if_set, otherwise) = _mm256_mask_blend_epi64(mask, otherwise, if_set);
        /// `a − b` where the bit is set, `otherwise` where not.
        minus_where(mask; a, b, otherwise) = _mm256_mask_sub_epi64(otherwise, mask, a, b);
    }

    /// Lane i is lane `index[i]`.
    #[inline(always)]
    #[allow(unsafe_code)]
    pub(crate) fn permute(self, index: Self) -> Self {
        // SAFETY: the vector carries the proof that the CPU has AVX-512 VL.
        Self(unsafe { _mm256_permutexvar_epi64(index.0, self.0) }, self.1)
    }
}
