//! The assembly of the library for 64-bit Arm, a function each: in the library it is inlined. `model` compiles this file.

#![no_std]
#![allow(dead_code)]

/// The library's masks, as far as assembly sees them.
mod ct {
    pub(crate) struct Mask(u64);

    impl Mask {
        pub(crate) fn word(&self) -> u64 {
            self.0
        }
    }
}

#[macro_use]
#[path = "../../sigmill/src/field/nist/aarch64.rs"]
mod nist;
#[path = "../../sigmill/src/field/f25519/words/u64x4/aarch64.rs"]
mod f25519_assembly;
#[path = "../../sigmill/src/field/nist/p256/aarch64.rs"]
mod p256_assembly;
#[path = "../../sigmill/src/field/nist/p384/aarch64.rs"]
mod p384_assembly;

/// Functions that read their operands from memory and write to it.
macro_rules! kernels {
    ($room:ident from $assembly:ident, $n:literal words: $($name:ident($($operand:ident),*)),*) => {
        pub mod $room {
            $(#[inline(never)]
            pub fn $name(result: &mut [u64; $n] $(, $operand: &[u64; $n])*) {
                *result = super::$assembly::$name($($operand),*);
            })*
        }
    };
}

kernels!(f25519 from f25519_assembly, 4 words: product(x, y), square(x), sum(x, y), difference(x, y));
kernels!(p256 from p256_assembly, 4 words: product(x, y), square(x), add(x, y), sub(x, y));
kernels!(p384 from p384_assembly, 6 words: product(x, y), square(x), add(x, y), sub(x, y));
