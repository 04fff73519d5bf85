//! Vectors of 128 bits: four words of 32 bits or two of 64, in NEON or in simd128 of WebAssembly.
//!
//! The build is for a target that has them (`build.rs`), so that they need no token and no door.

#[cfg(target_arch = "aarch64")]
use core::arch::aarch64::*;
#[cfg(target_arch = "wasm32")]
use core::arch::wasm32::*;
use core::ops::{Add, BitAnd, BitOr, BitXor, Sub};

#[cfg(target_arch = "aarch64")]
type Register32 = uint32x4_t;
#[cfg(target_arch = "aarch64")]
type Register64 = uint64x2_t;
#[cfg(target_arch = "wasm32")]
type Register32 = v128;
#[cfg(target_arch = "wasm32")]
type Register64 = v128;

/// Four words of 32 bits.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct U32x4(Register32);

/// Two words of 64 bits.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct U64x2(Register64);

/// An instruction by its names in NEON and in simd128, which is safe. Behind the names stand the arguments.
macro_rules! instruction {
    ($neon:ident $(::<$neon_count:ident>)?, $wasm:ident $([$wasm_count:ident])? $(::<$($lane:literal),*>)?; $($argument:expr),*) => {{
        #[cfg(target_arch = "aarch64")]
        {
            // SAFETY: the build is for CPUs with NEON.
            unsafe { $neon $(::<$neon_count>)? ($($argument),*) }
        }
        #[cfg(target_arch = "wasm32")]
        {
            $wasm $(::<$($lane),*>)? ($($argument),* $(, $wasm_count as u32)?)
        }
    }};
}

/// Methods on two vectors of one type.
macro_rules! instructions {
    ($($(#[$doc:meta])* $name:ident(other) -> $result:ident = $neon:ident, $wasm:ident $(::<$($lane:literal),*>)?;)*) => {
        $($(#[$doc])*
        #[inline(always)]
        #[allow(unsafe_code)]
        pub(crate) fn $name(self, other: Self) -> $result {
            $result(instruction!($neon, $wasm $(::<$($lane),*>)?; self.0, other.0))
        })*
    };
}

macro_rules! operators {
    ($vector:ident: $($trait:ident $name:ident = $neon:ident, $wasm:ident;)*) => {
        $(impl $trait for $vector {
            type Output = Self;
            #[inline(always)]
            #[allow(unsafe_code)]
            fn $name(self, other: Self) -> Self {
                Self(instruction!($neon, $wasm; self.0, other.0))
            }
        })*
    };
}

/// Methods by a number that is known when it is compiled, and the same word in every lane.
macro_rules! shifts {
    ($word:ty, $left:ident, $left_wasm:ident, $right:ident, $right_wasm:ident, $all:ident, $all_wasm:ident) => {
        #[inline(always)]
        #[allow(unsafe_code)]
        pub(crate) fn shift_left<const N: i32>(self) -> Self {
            Self(instruction!($left::<N>, $left_wasm[N]; self.0))
        }

        #[inline(always)]
        #[allow(unsafe_code)]
        pub(crate) fn shift_right<const N: i32>(self) -> Self {
            Self(instruction!($right::<N>, $right_wasm[N]; self.0))
        }

        /// The same word in every lane.
        #[inline(always)]
        #[allow(unsafe_code)]
        pub(crate) fn all(word: $word) -> Self {
            Self(instruction!($all, $all_wasm; word))
        }
    };
}

operators! {
    U32x4:
    Add add = vaddq_u32, u32x4_add;
    Sub sub = vsubq_u32, u32x4_sub;
    BitAnd bitand = vandq_u32, v128_and;
    BitOr bitor = vorrq_u32, v128_or;
    BitXor bitxor = veorq_u32, v128_xor;
}

operators! {
    U64x2:
    Add add = vaddq_u64, u64x2_add;
    Sub sub = vsubq_u64, u64x2_sub;
    BitAnd bitand = vandq_u64, v128_and;
}

impl U32x4 {
    shifts!(u32, vshlq_n_u32, u32x4_shl, vshrq_n_u32, u32x4_shr, vdupq_n_u32, u32x4_splat);

    instructions! {
        /// The product modulo 2^32.
        times_low(other) -> U32x4 = vmulq_u32, u32x4_mul;
        /// The products of lanes 2 and 3.
        times_upper(other) -> U64x2 = vmull_high_u32, u64x2_extmul_high_u32x4;
        /// All ones where the words are the same, else 0.
        equal_words(other) -> U32x4 = vceqq_u32, u32x4_eq;
        /// Lanes 0 of both, then lanes 1.
        interleave_lower(other) -> U32x4 = vzip1q_u32, u32x4_shuffle::<0, 4, 1, 5>;
        /// Lanes 2 of both, then lanes 3.
        interleave_upper(other) -> U32x4 = vzip2q_u32, u32x4_shuffle::<2, 6, 3, 7>;
        /// Lanes 0 and 2 of both.
        even_words(other) -> U32x4 = vuzp1q_u32, u32x4_shuffle::<0, 2, 4, 6>;
    }

    /// The products of lanes 0 and 1.
    #[inline(always)]
    #[cfg(target_arch = "wasm32")]
    pub(crate) fn times_lower(self, other: Self) -> U64x2 {
        U64x2(u64x2_extmul_low_u32x4(self.0, other.0))
    }

    #[inline(always)]
    #[cfg(target_arch = "aarch64")]
    #[allow(unsafe_code)]
    pub(crate) fn times_lower(self, other: Self) -> U64x2 {
        // SAFETY: the build is for CPUs with NEON.
        U64x2(unsafe { vmull_u32(self.lower(), other.lower()) })
    }

    #[inline(always)]
    #[cfg(target_arch = "aarch64")]
    #[allow(unsafe_code)]
    fn lower(self) -> uint32x2_t {
        // SAFETY: the build is for CPUs with NEON.
        unsafe { vget_low_u32(self.0) }
    }

    #[inline(always)]
    #[allow(unsafe_code)]
    pub(crate) fn from_array(words: [u32; 4]) -> Self {
        // SAFETY: plain data of the same size on both sides.
        Self(unsafe { core::mem::transmute::<[u32; 4], Register32>(words) })
    }

    #[inline(always)]
    #[allow(unsafe_code)]
    pub(crate) fn to_array(self) -> [u32; 4] {
        // SAFETY: plain data of the same size on both sides.
        unsafe { core::mem::transmute::<Register32, [u32; 4]>(self.0) }
    }

    /// Two words of 64 bits, the low halves first.
    #[inline(always)]
    #[allow(unsafe_code)]
    pub(crate) fn from_words(words: [u64; 2]) -> Self {
        // SAFETY: plain data of the same size on both sides.
        Self(unsafe { core::mem::transmute::<[u64; 2], Register32>(words) })
    }

    #[inline(always)]
    #[allow(unsafe_code)]
    pub(crate) fn to_words(self) -> [u64; 2] {
        // SAFETY: plain data of the same size on both sides.
        unsafe { core::mem::transmute::<Register32, [u64; 2]>(self.0) }
    }

    /// All ones in the lanes whose bit is set, else 0.
    #[inline(always)]
    pub(crate) fn lanes_of(mask: u8) -> Self {
        let bits = Self::from_array([1, 2, 4, 8]);
        (Self::all(u32::from(mask)) & bits).equal_words(bits)
    }

    /// Bit i is set where all bits of lane i are; each lane is all ones or 0.
    #[inline(always)]
    pub(crate) fn bits(self) -> u8 {
        let [a, b, c, d] = (self & Self::from_array([1, 2, 4, 8])).to_array();
        (a | b | c | d) as u8
    }

    /// `if_set` in words whose mask is all ones, else this.
    #[inline(always)]
    pub(crate) fn or_where(self, mask: Self, if_set: Self) -> Self {
        self ^ mask & (if_set ^ self)
    }

    /// Rows become columns: word j of vector i goes to word i of vector j.
    #[inline(always)]
    pub(crate) fn transpose([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        let (e, f) = (a.interleave_lower(c), a.interleave_upper(c));
        let (g, h) = (b.interleave_lower(d), b.interleave_upper(d));
        [e.interleave_lower(g), e.interleave_upper(g), f.interleave_lower(h), f.interleave_upper(h)]
    }
}

impl U64x2 {
    shifts!(u64, vshlq_n_u64, u64x2_shl, vshrq_n_u64, u64x2_shr, vdupq_n_u64, u64x2_splat);

    /// 19 times each word: of `vshlq_n` and additions the compiler makes a multiplication, which NEON lacks, and goes through
    /// registers of integers.
    #[inline(always)]
    #[cfg(target_arch = "aarch64")]
    pub(crate) fn times_19(self) -> Self {
        self + (self.inserted::<1>() + self.inserted::<4>())
    }

    /// Adds 19 times the low half of each word of another vector.
    #[inline(always)]
    #[cfg(target_arch = "aarch64")]
    #[allow(unsafe_code)]
    pub(crate) fn plus_19_times(self, other: Self) -> Self {
        // SAFETY: the build is for CPUs with NEON.
        let low = unsafe { vmovn_u64(other.0) };
        // SAFETY: the build is for CPUs with NEON.
        Self(unsafe { vmlal_u32(self.0, low, U32x4::all(19).lower()) })
    }

    /// These words shifted to the left, into words of zeros.
    #[inline(always)]
    #[cfg(target_arch = "aarch64")]
    #[allow(unsafe_code)]
    fn inserted<const N: i32>(self) -> Self {
        // SAFETY: the build is for CPUs with NEON.
        Self(unsafe { vsliq_n_u64::<N>(Self::all(0).0, self.0) })
    }

    /// The low halves of these words, then of the others.
    #[inline(always)]
    pub(crate) fn low_halves(self, other: Self) -> U32x4 {
        self.halves().even_words(other.halves())
    }

    #[inline(always)]
    #[cfg(target_arch = "wasm32")]
    fn halves(self) -> U32x4 {
        U32x4(self.0)
    }

    #[inline(always)]
    #[cfg(target_arch = "aarch64")]
    #[allow(unsafe_code)]
    fn halves(self) -> U32x4 {
        // SAFETY: the build is for CPUs with NEON.
        U32x4(unsafe { vreinterpretq_u32_u64(self.0) })
    }
}
