//! Vectors, and the door for computations with them.
//!
//! A token of `cpu` proves that the CPU has certain instructions. Every vector carries one (it takes no memory), so that
//! what is done with vectors is safe code; each instruction is named once, in `avx2`, `avx512` or `vectors_128`. Those of
//! 128 bits are in the baseline of a build that has them, and need no token.
//!
//! An instruction is one only in a function that is compiled for it; anywhere else it is a *call* of one. So there is a
//! door, [`Instructions::enter`]: a function that is compiled for what the token proves, into which a [`Kernel`] is inlined.
//!
//! Constant time, all but what ends in `_vartime`: no instruction here branches, and none takes an address from a vector.

#[cfg(sigmill_lanes)]
pub(crate) mod avx2;
#[cfg(sigmill_lanes)]
pub(crate) mod avx512;
#[cfg(sigmill_lanes_128)]
pub(crate) mod vectors_128;

/// An implementation of arithmetic, such as a field in some representation, with the token that it needs.
pub(crate) trait Proven {
    /// Proof that the CPU can run it.
    type Token: Instructions;
}

/// Something to compute with P. Code that is inlined into `run` has the instructions of P's token, code that is called
/// has not: so everything on the way is `#[inline(always)]`, and what should be a function of its own is a kernel.
pub(crate) trait Kernel<P: Proven> {
    type Output;
    fn run(self, token: P::Token) -> Self::Output;
}

/// A token as a door.
pub(crate) trait Instructions: Copy {
    /// Runs a kernel with the instructions that the token proves: a function of its own for each kernel.
    fn enter<P: Proven<Token = Self>, K: Kernel<P>>(self, kernel: K) -> K::Output;
}

/// Words, in whatever vectors of AVX2 the compiler makes of them.
pub(crate) struct InAvx2;

#[cfg(sigmill_lanes)]
impl Proven for InAvx2 {
    type Token = crate::cpu::Avx2;
}

/// There are none.
#[cfg(not(sigmill_lanes))]
impl Proven for InAvx2 {
    type Token = core::convert::Infallible;
}

/// Runs a kernel with the instructions of AVX2, if the CPU has them.
pub(crate) fn run_with_avx2<O>(kernel: impl Kernel<InAvx2, Output = O>) -> Option<O> {
    #[cfg(sigmill_lanes)]
    let token = crate::cpu::avx2();
    #[cfg(not(sigmill_lanes))]
    let token: Option<core::convert::Infallible> = None;
    token.map(|token| token.enter::<InAvx2, _>(kernel))
}

/// Portable code needs no proof.
impl Instructions for () {
    #[inline(never)]
    fn enter<P: Proven<Token = ()>, K: Kernel<P>>(self, kernel: K) -> K::Output {
        kernel.run(())
    }
}

/// Code with MULX, ADCX and ADOX names them itself, in assembly, and is inlined.
#[cfg(sigmill_x86_64)]
impl Instructions for crate::cpu::Adx {
    #[inline(always)]
    fn enter<P: Proven<Token = Self>, K: Kernel<P>>(self, kernel: K) -> K::Output {
        kernel.run(self)
    }
}

/// Instructions that no CPU has.
impl Instructions for core::convert::Infallible {
    #[inline(always)]
    fn enter<P: Proven<Token = Self>, K: Kernel<P>>(self, _: K) -> K::Output {
        match self {}
    }
}

/// Has the frame of the function begin at a line of the cache. Without something of that alignment in it, LLVM puts vectors that
/// find no register at multiples of 16 bytes: most of them then lie in two lines, and where the frame crosses a page one of
/// them in two pages, which takes half as long again (docs/tried/memory.md).
#[cfg(sigmill_lanes)]
#[inline(always)]
pub(crate) fn align_frame() {
    #[repr(align(64))]
    struct Line<T>(T);
    let line = Line(core::mem::MaybeUninit::<[u8; 64]>::uninit());
    core::hint::black_box(&line.0);
}

/// [`align_frame`] in functions that are not part of others: these have few vectors in memory, and a frame of its own costs
/// a call some instructions.
#[cfg(sigmill_lanes)]
macro_rules! frame {
    (always) => {};
    (never) => {
        $crate::simd::align_frame()
    };
}
#[cfg(sigmill_lanes)]
pub(crate) use frame;

/// The door of a token, compiled for these features.
#[cfg(sigmill_lanes)]
macro_rules! door {
    ($token:ty, $features:literal) => {
        impl $crate::simd::Instructions for $token {
            // on the outer function, because rustc (1.95) forgets it where there are target features
            #[inline(never)]
            #[allow(unsafe_code)]
            fn enter<P: $crate::simd::Proven<Token = Self>, K: $crate::simd::Kernel<P>>(
                self,
                kernel: K,
            ) -> K::Output {
                #[target_feature(enable = $features)]
                fn with_features<P: $crate::simd::Proven, K: $crate::simd::Kernel<P>>(
                    token: P::Token,
                    kernel: K,
                ) -> K::Output {
                    $crate::simd::align_frame();
                    kernel.run(token)
                }
                // SAFETY: the token proves that the CPU has these features.
                unsafe { with_features::<P, K>(self, kernel) }
            }
        }
    };
}
#[cfg(sigmill_lanes)]
use door;

/// Functions that are compiled for these features; an argument is the token or vectors, which prove them. `always`: inlined where the
/// caller is compiled for them, too, if the compiler likes. `never`: a function of its own everywhere. The type arguments of a generic function
/// stand in brackets: `fn name [T: Bound] [T] (…)`.
#[cfg(sigmill_lanes)]
macro_rules! functions {
    ($features:literal $inline:ident $(
        $(#[$doc:meta])*
        $vis:vis fn $name:ident $([$($generics:tt)*] [$($given:ident),*])? ($($argument:tt: $type:ty),* $(,)?) $(-> $result:ty)? $body:block
    )*) => {
        // on the outer function, because rustc (1.95) forgets it where there are target features
        $($(#[$doc])*
        #[inline($inline)]
        #[allow(unsafe_code)]
        $vis fn $name $(<$($generics)*>)? ($($argument: $type),*) $(-> $result)? {
            #[target_feature(enable = $features)]
            #[inline]
            fn with_features $(<$($generics)*>)? ($($argument: $type),*) $(-> $result)? {
                $crate::simd::frame!($inline);
                $body
            }
            // SAFETY: an argument is the token or vectors, which prove that the CPU has these features; without one nothing
            // is done.
            unsafe { with_features $(::<$($given),*>)? ($($argument),*) }
        })*
    };
}
#[cfg(sigmill_lanes)]
pub(crate) use functions;

/// The expression for each of the five limbs, or pairs of them. A macro, because a loop is not always unrolled.
#[cfg(any(sigmill_lanes, sigmill_lanes_128))]
macro_rules! each {
    (|$k:ident| $value:expr) => {
        $crate::simd::each!($k, $value, 0 1 2 3 4)
    };
    ($k:ident, $value:expr, $($n:literal)*) => {
        [$({ let $k = $n; $value }),*]
    };
}
#[cfg(any(sigmill_lanes, sigmill_lanes_128))]
pub(crate) use each;

/// Instructions that are the same in form: safe methods on vectors of one type, which carry the token.
#[cfg(sigmill_lanes)]
macro_rules! instructions {
    ($($(#[$doc:meta])* $name:ident $(<$imm:ident: $kind:ty>)? ($($argument:ident),*) = $intrinsic:ident $(::<$given:literal>)?;)*) => {
        $($(#[$doc])*
        #[inline(always)]
        #[allow(unsafe_code)]
        pub(crate) fn $name $(<const $imm: $kind>)? (self, $($argument: Self),*) -> Self {
            // SAFETY: a vector carries the proof that the CPU has the instruction.
            Self(unsafe { $intrinsic $(::<$imm>)? $(::<$given>)? (self.0, $($argument.0),*) }, self.1)
        })*
    };
}
#[cfg(sigmill_lanes)]
use instructions;

/// The same with a mask, whose bit i is lane i; the order of the intrinsic is its own.
#[cfg(sigmill_lanes)]
macro_rules! masked {
    ($($(#[$doc:meta])* $name:ident($mask:ident; $first:ident $(, $argument:ident)*) = $intrinsic:ident($($given:ident),*);)*) => {
        $($(#[$doc])*
        #[inline(always)]
        #[allow(unsafe_code)]
        pub(crate) fn $name($mask: u8, $first: Self $(, $argument: Self)*) -> Self {
            let token = $first.1;
            let ($first, $($argument),*) = ($first.0, $($argument.0),*);
            // SAFETY: a vector carries the proof that the CPU has the instruction.
            Self(unsafe { $intrinsic($($given),*) }, token)
        })*
    };
}
#[cfg(sigmill_lanes)]
use masked;

/// Words in vectors, and back: the same for vectors and words of any width.
#[cfg(sigmill_lanes)]
macro_rules! words {
    ([$($generics:tt)*] $vector:ty, $token:ty, [$word:ty; $n:literal], $register:ty, $all:ident($as:ty)) => {
        impl<$($generics)*> $vector {
            /// The same word in every lane.
            #[inline(always)]
            #[allow(unsafe_code)]
            pub(crate) fn all(token: $token, word: $word) -> Self {
                // SAFETY: the token proves that the CPU has the instruction.
                Self(unsafe { $all(word as $as) }, token)
            }

            /// The same word in every lane of another vector.
            #[inline(always)]
            pub(crate) fn splat(self, word: $word) -> Self {
                Self::all(self.1, word)
            }

            #[inline(always)]
            #[allow(unsafe_code)]
            pub(crate) fn from_array(token: $token, words: [$word; $n]) -> Self {
                // SAFETY: plain data of the same size on both sides.
                Self(unsafe { core::mem::transmute::<[$word; $n], $register>(words) }, token)
            }

            #[inline(always)]
            #[allow(unsafe_code)]
            pub(crate) fn to_array(self) -> [$word; $n] {
                // SAFETY: plain data of the same size on both sides.
                unsafe { core::mem::transmute::<$register, [$word; $n]>(self.0) }
            }
        }
    };
}
#[cfg(sigmill_lanes)]
use words;

/// An operator, word by word.
#[cfg(sigmill_lanes)]
macro_rules! operator {
    ([$($generics:tt)*] $vector:ty, $trait:ident $name:ident = $intrinsic:ident) => {
        impl<$($generics)*> core::ops::$trait for $vector {
            type Output = Self;
            #[inline(always)]
            #[allow(unsafe_code)]
            fn $name(self, other: Self) -> Self {
                // SAFETY: a vector carries the proof that the CPU has the instruction.
                Self(unsafe { $intrinsic(self.0, other.0) }, self.1)
            }
        }
    };
}
#[cfg(sigmill_lanes)]
use operator;

/// Asks for the memory of a value that is to be read soon: every line of it. Does nothing where there are no lanes.
#[cfg(sigmill_lanes)]
#[inline(always)]
#[allow(unsafe_code)]
pub(crate) fn prefetch<T>(value: &T) {
    use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    let (first, last) = (core::ptr::from_ref(value).cast::<i8>(), size_of::<T>().max(1) - 1);
    let mut offset = 0;
    while offset < last + 64 {
        let line = first.wrapping_add(if offset < last { offset } else { last });
        // SAFETY: a prefetch reads nothing, and the address is that of a byte of the value.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line) };
        offset += 64;
    }
}
#[cfg(not(sigmill_lanes))]
pub(crate) fn prefetch<T>(_: &T) {}
