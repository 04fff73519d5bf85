//! The constant-time toolbox: masks, comparison, and the one way out of secrecy.
//!
//! A [`Mask`] is all ones or all zeros. Code that touches secrets combines masks and never
//! branches on them, indexes with them or divides by them. [`declassify`] is the only step from a
//! secret value to a public one; each use has a name, and `docs/declassified.md` says for each
//! name why the value may be public. Under `--cfg sigmill_valgrind` it also tells Valgrind that
//! the bytes are defined from here on, so that a secret-dependent branch anywhere else is reported.

#[cfg(all(sigmill_aarch64, target_feature = "neon"))]
mod aarch64;
#[cfg(not(all(sigmill_aarch64, target_feature = "neon")))]
mod portable;
#[cfg(test)]
mod tests;

#[cfg(all(sigmill_aarch64, target_feature = "neon"))]
pub(crate) use aarch64::entry;
#[cfg(not(all(sigmill_aarch64, target_feature = "neon")))]
pub(crate) use portable::entry;

use crate::cpu::{Feature, has};
use core::hint::black_box;
use core::ops::{BitAnd, BitOr, BitXor, Not};

/// Truth that may be secret: all ones or all zeros.
#[derive(Clone, Copy)]
pub(crate) struct Mask(u64);

impl Mask {
    /// All ones if `bit` is 1, all zeros if it is 0. Other values are a caller's error.
    #[inline(always)]
    pub(crate) fn from_bit(bit: u64) -> Mask {
        // elsewhere it would be a branch on a secret
        #[cfg(test)]
        assert!(bit <= 1);
        // The barrier keeps the optimiser from turning a later select into a branch on `bit`.
        Mask(barrier(bit).wrapping_neg())
    }

    /// True where `word` is zero.
    #[inline(always)]
    pub(crate) fn is_zero(word: u64) -> Mask {
        // word | -word has its top bit set exactly if word is not zero.
        Mask::from_bit(((word | word.wrapping_neg()) >> 63) ^ 1)
    }

    /// `if_true` or `if_false`, without a branch.
    #[inline(always)]
    pub(crate) fn select(self, if_true: u64, if_false: u64) -> u64 {
        if_false ^ (self.0 & (if_true ^ if_false))
    }

    /// The mask itself, for `word & mask`.
    #[inline(always)]
    pub(crate) fn word(self) -> u64 {
        self.0
    }

    /// The truth value, for public data only. Time depends on the value as soon as the caller
    /// branches on it.
    #[inline(always)]
    pub(crate) fn is_true_vartime(self) -> bool {
        self.0 != 0
    }
}

/// Hides the value of `word` from the optimiser. With inline assembly the word stays in
/// its register; without, it goes through memory.
#[inline(always)]
fn barrier(word: u64) -> u64 {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    #[allow(unsafe_code)]
    {
        let mut word = word;
        // SAFETY: no instruction; the register is only said to have been written.
        unsafe {
            core::arch::asm!("/* {0} */", inout(reg) word, options(pure, nomem, nostack, preserves_flags));
        }
        word
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    black_box(word)
}

impl BitAnd for Mask {
    type Output = Mask;
    #[inline(always)]
    fn bitand(self, other: Mask) -> Mask {
        Mask(self.0 & other.0)
    }
}

impl BitOr for Mask {
    type Output = Mask;
    #[inline(always)]
    fn bitor(self, other: Mask) -> Mask {
        Mask(self.0 | other.0)
    }
}

impl BitXor for Mask {
    type Output = Mask;
    #[inline(always)]
    fn bitxor(self, other: Mask) -> Mask {
        Mask(self.0 ^ other.0)
    }
}

impl Not for Mask {
    type Output = Mask;
    #[inline(always)]
    fn not(self) -> Mask {
        Mask(!self.0)
    }
}

/// Whether two strings of one fixed length are equal. Constant time.
#[inline]
pub(crate) fn bytes_equal<const N: usize>(a: &[u8; N], b: &[u8; N]) -> Mask {
    let difference = a.iter().zip(b).fold(0, |acc, (x, y)| acc | (x ^ y));
    Mask::is_zero(u64::from(difference))
}

/// Makes a value public. `name` is listed in `docs/declassified.md` with the reason.
#[inline(always)]
pub(crate) fn declassify<T: Copy>(name: &'static str, value: T) -> T {
    let _ = name;
    #[cfg(sigmill_valgrind)]
    let value = valgrind::make_defined(value);
    value
}

/// Overwrites the dead stack below the caller: the spilled temporaries of the secret computation
/// that has just returned.
///
/// Look, but do not touch: without `inline(never)` on what it calls and on the computation before it, the two
/// would not share the same stack region and spilled nonce bits would stay in memory.
#[inline(always)]
pub(crate) fn wipe_stack(used: StackUse) {
    match used {
        StackUse::Curve25519 if !cfg!(sigmill_unoptimised) => {
            wipe_bytes_of_stack::<{ 12 * 1024 }>();
        }
        StackUse::Deriving if !cfg!(sigmill_unoptimised) => match has(Feature::Ifma) {
            true => wipe_bytes_of_stack::<{ 14 * 1024 }>(),
            false => wipe_bytes_of_stack::<{ 12 * 1024 }>(),
        },
        StackUse::Single if !cfg!(sigmill_unoptimised) && !has(Feature::Ifma) => {
            wipe_bytes_of_stack::<{ 20 * 1024 }>();
        }
        StackUse::Curve25519 | StackUse::Deriving | StackUse::Single => {
            wipe_bytes_of_stack::<{ 32 * 1024 }>()
        }
        StackUse::Alone => wipe_bytes_of_stack::<{ 28 * 1024 }>(),
        StackUse::LanesOfMessages => wipe_bytes_of_stack::<{ 44 * 1024 }>(),
        StackUse::Lanes => wipe_bytes_of_stack::<{ 56 * 1024 }>(),
        StackUse::LanesOfEcdsa => wipe_bytes_of_stack::<{ 60 * 1024 }>(),
    }
}

/// Runs `compute`, which handles a secret, and wipes the stack that it used: dependencies, encoders and the
/// compiler make copies there.
#[cfg(any(
    feature = "containers",
    feature = "elliptic-curve",
    all(feature = "curve25519-dalek", feature = "hazmat")
))]
#[inline(always)]
pub(crate) fn wiping_stack<T>(compute: impl FnOnce() -> T) -> T {
    #[inline(never)]
    fn below<T>(compute: impl FnOnce() -> T) -> T {
        compute()
    }
    let computed = below(compute);
    wipe_stack(StackUse::Single);
    computed
}

/// Secret computations, by the stack they use. The sizes were measured; `tests/wiping.rs` finds what a larger
/// one leaves behind. More is cleared than is used, and no more than that: it costs 0.3 µs for 10 KiB, or a
/// dozen if they are in no cache.
#[derive(Clone, Copy)]
pub(crate) enum StackUse {
    /// One of Ed25519 or X25519: up to 11.3 KiB.
    Curve25519,
    /// A signature by a seed alone, whose public key is made with it: up to 13.1 KiB with AVX-512 IFMA in builds that are
    /// optimised for less.
    Deriving,
    /// Any single one: up to 14 KiB without AVX-512 IFMA (signatures in six words), 20 with it.
    Single,
    /// Many rows, one by one: up to 26 KiB (signatures of digests).
    Alone,
    /// Ed25519 signatures of messages in lanes: up to 41.7 KiB (eight lanes, in builds that are optimised for less).
    LanesOfMessages,
    /// Ed25519 and X25519 in lanes: up to 49 KiB (X25519, eight lanes, in builds that are optimised for less).
    Lanes,
    /// ECDSA in lanes: up to 56 KiB (signatures in six words).
    LanesOfEcdsa,
}

impl StackUse {
    /// Those of many rows of Ed25519 and X25519.
    pub(crate) fn of(alone: bool) -> StackUse {
        if alone { StackUse::Alone } else { StackUse::Lanes }
    }
}

/// Computes something of many rows and wipes the stack below. Whoever has the stack to compute has it to wipe.
#[inline(always)]
pub(crate) fn wiped_rows<T>(stack: StackUse, compute: impl FnOnce() -> T) -> T {
    let computed = compute();
    wipe_stack(stack);
    computed
}

/// Mutable, so that it is on the stack and no constant; its address escapes, so the zeros must be in memory.
#[inline(never)]
fn wipe_bytes_of_stack<const BYTES: usize>() {
    let mut frames = [0_u8; BYTES];
    black_box(&mut frames);
}

/// Marks bytes as secret for Valgrind: from here on, a branch or an index that depends on them is
/// reported, until [`declassify`] makes a result public.
#[cfg(sigmill_valgrind)]
pub fn make_secret(bytes: &mut [u8]) {
    valgrind::request(valgrind::MAKE_MEM_UNDEFINED, bytes.as_ptr() as usize, bytes.len());
}

#[cfg(sigmill_valgrind)]
mod valgrind {
    //! Memcheck's client requests: a fixed instruction sequence that is a no-op on a real CPU.
    //!
    //! On aarch64, which Valgrind cannot emulate elsewhere, these are signs for `tools/ct/taint.c`, which follows
    //! secrets through QEMU.

    /// Requests of the tool 'M', 'C' of Valgrind's `memcheck.h`.
    pub(super) const MAKE_MEM_UNDEFINED: usize = 0x4d43_0001;
    const MAKE_MEM_DEFINED: usize = 0x4d43_0002;

    pub(super) fn make_defined<T: Copy>(value: T) -> T {
        request(MAKE_MEM_DEFINED, (&raw const value) as usize, size_of::<T>());
        core::hint::black_box(value)
    }

    #[cfg(target_arch = "x86_64")]
    #[allow(unsafe_code)]
    pub(super) fn request(what: usize, address: usize, len: usize) {
        let request: [usize; 6] = [what, address, len, 0, 0, 0];
        // SAFETY: the rotations of rdi add up to 128 bits and `xchg rbx, rbx` does nothing; outside
        // Valgrind the sequence has no effect, inside it Memcheck reads `request`, answers in rdx
        // and changes only what it knows about the memory.
        unsafe {
            core::arch::asm!(
                "rol rdi, 3", "rol rdi, 13", "rol rdi, 61", "rol rdi, 51", "xchg rbx, rbx",
                inout("rdx") 0_usize => _, in("rax") request.as_ptr(), inout("rdi") 0_usize => _,
            );
        }
    }

    /// Reads the first byte and the last one behind an instruction that does nothing; another such instruction says
    /// how the bytes are used.
    #[cfg(target_arch = "aarch64")]
    #[allow(unsafe_code)]
    pub(super) fn request(what: usize, address: usize, len: usize) {
        if len == 0 {
            return;
        }
        macro_rules! mark {
            ($sign:literal) => {
                // SAFETY: two bytes of a value are read and forgotten; `orr` of a register with itself changes nothing.
                unsafe {
                    core::arch::asm!(
                        "orr x10, x10, x10", "ldrb wzr, [{first}]", "ldrb wzr, [{last}]", $sign,
                        first = in(reg) address, last = in(reg) address + (len - 1),
                    );
                }
            };
        }
        match what {
            MAKE_MEM_UNDEFINED => mark!("orr x11, x11, x11"),
            _ => mark!("orr x12, x12, x12"),
        }
    }
}
