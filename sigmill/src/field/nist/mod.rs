//! The fields of the coordinates of the NIST curves.
//!
//! | file | what it holds |
//! |---|---|
//! | `field` | what a coordinate is where several values move through a formula at once, and one value as a case of it |
//! | `p256`, `p384` | a prime each: its reduction in words and in lanes, its assembly |
//! | `aarch64` | macros of assembly that both have in common on 64-bit Arm |
//! | `with_adx` | a prime with products by MULX, ADCX and ADOX |
//! | `ifma_x8` | eight lanes, for any prime just below a power of two |
//! | `absent` | the lanes of a build, or of a curve, without any |
//! | `dispatch` | which of them a kernel runs in |

// with lanes only a curve without them asks for it
#[cfg_attr(sigmill_lanes, allow(dead_code))]
mod absent;
#[cfg(sigmill_aarch64)]
#[macro_use]
mod aarch64;
mod dispatch;
// part of it is for verification in lanes, which allocates
#[cfg_attr(not(feature = "alloc"), allow(dead_code))]
mod field;
#[cfg(sigmill_lanes)]
#[cfg_attr(not(feature = "alloc"), allow(dead_code))]
mod ifma_x8;
#[cfg(any(sigmill_adx, all(test, sigmill_x86_64)))]
pub(crate) mod with_adx;

/// The types of a prime of $n words: the modulus `Prime`, which the file that names this gives its step of the reduction; it
/// has the assembly in the modules `adx`, `x86_64` and `aarch64`, and eight lanes in the module `lanes`.
macro_rules! prime {
    ($name:ident, $n:literal) => {
        #[cfg(sigmill_aarch64)]
        mod aarch64;
        #[cfg(any(sigmill_adx, all(test, sigmill_x86_64)))]
        mod adx;
        #[cfg(sigmill_lanes)]
        mod lanes;
        #[cfg(target_arch = "x86_64")]
        mod x86_64;
        #[cfg(sigmill_aarch64)]
        use aarch64 as assembly;
        #[cfg(target_arch = "x86_64")]
        use x86_64 as assembly;

        /// The modulus, and its arithmetic in 64-bit words.
        #[derive(Clone, Copy)]
        pub(crate) struct Prime;

        /// The modulus with the arithmetic of this build.
        pub(crate) type $name = crate::modular::ChosenSparse<Prime>;

        /// Coordinates in eight lanes: none in a build without vectors.
        #[cfg(sigmill_lanes)]
        pub(crate) use lanes::Fe as Lanes;
        #[cfg(not(sigmill_lanes))]
        pub(crate) type Lanes = crate::field::algebra::Absent<Fe>;

        /// A coordinate.
        pub(crate) type Fe = crate::modular::Residue<$name, $n>;

        #[cfg(any(sigmill_adx, all(test, sigmill_x86_64)))]
        impl crate::field::nist::with_adx::AdxModulus<$n> for Prime {
            #[inline(always)]
            fn product(token: crate::cpu::Adx, a: &[u64; $n], b: &[u64; $n]) -> [u64; $n] {
                adx::product(token, a, b)
            }

            #[inline(always)]
            fn square(token: crate::cpu::Adx, a: &[u64; $n]) -> [u64; $n] {
                adx::square(token, a)
            }
        }
    };
}

/// A modulus' arithmetic by the functions of its own module `assembly`.
#[cfg(any(target_arch = "x86_64", sigmill_aarch64))]
macro_rules! assembly {
    ($n:literal) => {
        #[inline(always)]
        fn product((): (), a: &[u64; $n], b: &[u64; $n]) -> [u64; $n] {
            assembly::product(a, b)
        }

        #[inline(always)]
        fn square((): (), a: &[u64; $n]) -> [u64; $n] {
            assembly::square(a)
        }

        #[inline(always)]
        fn add(a: &[u64; $n], b: &[u64; $n]) -> [u64; $n] {
            assembly::add(a, b)
        }

        #[inline(always)]
        fn sub(a: &[u64; $n], b: &[u64; $n]) -> [u64; $n] {
            assembly::sub(a, b)
        }

        #[inline(always)]
        fn halve(a: &[u64; $n]) -> [u64; $n] {
            assembly::halve(a)
        }
    };
}

/// No target has assembly but these: the portable arithmetic.
#[cfg(not(any(target_arch = "x86_64", sigmill_aarch64)))]
macro_rules! assembly {
    ($n:literal) => {};
}

pub(crate) mod p256;
pub(crate) mod p384;

pub(crate) use dispatch::{InWords, run_in_words};
pub(crate) use field::{EightLanes, Field, NONE, Pair, lanes_from};
