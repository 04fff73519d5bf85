//! Results as numbers: those of `enum sigmill_error` with their sentences, and what a function returns.

use core::ffi::{CStr, c_int};
use core::hint::black_box;
use sigmill::{Error, Verdict};

macro_rules! faults {
    ($($variant:ident = $number:literal, $text:literal;)*) => {
        /// A fault of the arguments; the numbers of `enum sigmill_error`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(i32)]
        pub enum Fault {
            $(#[doc = $text] $variant = $number,)*
        }

        impl Fault {
            /// Every fault.
            pub const ALL: &[Fault] = &[$(Fault::$variant),*];
        }

        /// The sentence of a fault.
        pub fn sentence_of_fault(number: c_int) -> Option<&'static CStr> {
            Some(match number {
                $($number => const { cstr(concat!($text, "\0")) },)*
                _ => return None,
            })
        }
    };
}

faults! {
    Null = -1, "a pointer is NULL";
    Alignment = -2, "a pointer is not aligned as its type asks for";
    Overlap = -3, "an output or scratch overlaps other memory of the same call";
    Length = -4, "a size is one that the function does not take";
    Rule = -5, "there is no such verification rule";
    Variant = -6, "there is no such variant, or it does not go with this function";
    Context = -7, "a context has more than 255 bytes, or was given to the pure variant";
    Algorithm = -8, "there is no such algorithm, curve, hash or encoding";
    Secret = -9, "an ECDSA secret key is 0 or not below the order of the group";
    PublicKey = -10, "a public key is not a point on the curve";
    Pair = -11, "the public half of a key pair does not belong to its secret half";
    ZeroSecret = -12, "the shared secret is zero: the public key has small order";
    Randomness = -13, "the system could not provide random bytes";
    Made = -14, "fault while signing: the signature failed its check and was discarded";
    MessageChanged = -15, "the message changed between the two passes of signing";
    Digest = -16, "a digest to be signed is empty";
    OutputSize = -17, "the output does not fit";
    Container = -18, "not a key container of the kind that was asked for";
    State = -19, "an object is not initialised, or has finished";
    Scratch = -20, "scratch memory is too small";
    Column = -21, "offsets, indices, bitmaps or sizes of a column do not fit together";
    Rows = -22, "columns or buffers have different numbers of rows";
    NullMessage = -23, "a message to be signed is null";
    Arrow = -24, "an Arrow type that is not bytes, or an array that was released";
    Backend = -25, "this CPU cannot run the backend that was asked for";
    Run = -26, "the function for running tasks did not run every task";
    Internal = -27, "a mistake in the library";
    Signature = -28, "an ECDSA signature is not one of the encoding, or r or s is out of range";
}

impl Fault {
    /// The fault of a number that is one's.
    pub fn of_number(number: c_int) -> Self {
        Fault::ALL
            .iter()
            .copied()
            .find(|fault| *fault as c_int == number)
            .unwrap_or(Fault::Internal)
    }
}

/// A string of C from a literal that ends with a zero.
const fn cstr(text: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(text) => text,
        Err(_) => c"",
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        match error {
            Error::Length { .. } => Fault::Length,
            Error::NotAPoint => Fault::PublicKey,
            Error::KeyPairMismatch => Fault::Pair,
            Error::ContextTooLong { .. } => Fault::Context,
            Error::MessageChanged => Fault::MessageChanged,
            Error::Fault => Fault::Made,
            Error::NotContributory => Fault::ZeroSecret,
            Error::Randomness => Fault::Randomness,
            Error::ScalarOutOfRange { .. } => Fault::Secret,
            Error::DigestEmpty => Fault::Digest,
            #[cfg(feature = "containers")]
            Error::KeyFormat(_) => Fault::Container,
            _ => Fault::Internal,
        }
    }
}

/// The number that a function returns.
#[inline(always)]
pub fn answer(compute: impl FnOnce() -> Result<c_int, Fault>) -> c_int {
    match compute() {
        Ok(number) => number,
        Err(fault) => fault as c_int,
    }
}

/// The same for one that decides nothing.
#[inline(always)]
pub fn done(compute: impl FnOnce() -> Result<(), Fault>) -> c_int {
    answer(|| compute().map(|()| 0))
}

/// The same for one through whose frames secrets pass: what is left of them is overwritten.
#[inline(always)]
pub fn wiped(compute: impl FnOnce() -> Result<(), Fault>) -> c_int {
    let number = apart(compute);
    wipe::<FRAMES>();
    number
}

/// The same where what is called has large frames of its own that it does not wipe.
#[inline(always)]
pub fn wiped_deep(compute: impl FnOnce() -> Result<(), Fault>) -> c_int {
    let number = apart(compute);
    wipe::<{ 4 * FRAMES }>();
    number
}

/// The same where a secret is left after an error alone: a signature that gives the key away together with another one.
#[inline(always)]
pub fn wiped_after_error(compute: impl FnOnce() -> Result<(), Fault>) -> c_int {
    let number = apart(compute);
    if number < 0 {
        wipe::<FRAMES>();
    }
    number
}

/// As many bytes as the largest of these functions was seen to have in its frames, twice.
const FRAMES: usize = 4096;

/// Frames of its own, which lie below the caller's.
#[inline(never)]
fn apart(compute: impl FnOnce() -> Result<(), Fault>) -> c_int {
    done(compute)
}

/// Overwrites those. Computations have wiped the stack below them.
#[inline(never)]
fn wipe<const BYTES: usize>() {
    black_box(&mut [0_u8; BYTES]);
}

/// The number of a verdict.
#[inline(always)]
pub fn code(verdict: Verdict) -> c_int {
    match verdict.ok() {
        Ok(()) => 0,
        Err(reason) => c_int::from(reason.code()),
    }
}

/// Returned by bulk verification where some row is not valid.
pub const NOT_ALL_VALID: c_int = 100;
/// Returned by bulk verification in steps until the last one.
pub const UNFINISHED: c_int = 101;
/// The code of a row in which something is null.
pub const NULL_ROW: c_int = 255;
