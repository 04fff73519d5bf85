//! The caller's memory, cut into slices: bulk operations allocate nothing.
//!
//! `unsafe`: lines of words as slices of plain types.

/// 64 aligned bytes. Their contents before and after a call have no meaning.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Line(pub(crate) [u64; 8]);

/// 512 aligned bytes of working memory, enough for any one row. Their contents before and after a
/// call have no meaning.
///
/// ```
/// use sigmill::bulk::{Scratch, scratch_len};
///
/// let scratch = [Scratch::new(); scratch_len(100)]; // for tables of up to 100 rows, without an allocator
/// ```
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Scratch([Line; 8]);

impl Scratch {
    /// Memory.
    pub const fn new() -> Self {
        Scratch([Line([0; 8]); 8])
    }
}

impl Default for Scratch {
    fn default() -> Self {
        Self::new()
    }
}

/// Memory that has not been given out.
pub(crate) struct Memory<'a>(&'a mut [Line]);

/// Types without padding for which every bit pattern is a value, with an alignment of at most 64.
///
/// # Safety
/// The implementor has these properties.
#[allow(unsafe_code)]
pub(crate) unsafe trait Plain: Copy {}

macro_rules! plain {
    ($($type:ty),*) => {
        $(
            // SAFETY: integers and arrays of integers have no padding and no invalid bit pattern.
            #[allow(unsafe_code)]
            unsafe impl Plain for $type {}
        )*
    };
}
plain!(u8, u32, u64, [u64; 3], [u64; 8], [Line; 2], [[u64; 4]; 4], [[u64; 4]; 5]);

/// As [`Plain`], for whoever has a token: a value proves that the CPU has its instructions.
///
/// # Safety
/// The implementor has the properties of `Plain`, but that a value stands for a token.
#[allow(unsafe_code)]
pub(crate) unsafe trait PlainWith<Token>: Copy {}

// SAFETY: no value of a plain type stands for a token.
#[allow(unsafe_code)]
unsafe impl<T: Plain, Token> PlainWith<Token> for T {}

impl<'a> Memory<'a> {
    #[allow(unsafe_code)]
    pub(crate) fn new(scratch: &'a mut [Scratch]) -> Self {
        // SAFETY: a `Scratch` is eight lines and nothing else; the borrow is passed on.
        let lines = unsafe {
            core::slice::from_raw_parts_mut(scratch.as_mut_ptr().cast(), 8 * scratch.len())
        };
        Memory(lines)
    }

    /// The same memory for a shorter time: slices taken from it are given back at its end.
    pub(crate) fn again(&mut self) -> Memory<'_> {
        Memory(self.0)
    }

    /// Bytes that are left.
    pub(crate) fn len(&self) -> usize {
        self.0.len() * 64
    }

    /// Whole lines for `bytes` bytes, or none if there is not enough left.
    pub(crate) fn take_lines(&mut self, bytes: usize) -> Option<&'a mut [Line]> {
        let (taken, rest) =
            core::mem::take(&mut self.0).split_at_mut_checked(bytes.div_ceil(64))?;
        self.0 = rest;
        Some(taken)
    }

    /// A slice of `len` values that mean nothing yet, or none if there is not enough memory left.
    pub(crate) fn take<T: Plain>(&mut self, len: usize) -> Option<&'a mut [T]> {
        self.take_with((), len)
    }

    /// The same for types whose values prove instructions, as the token does.
    #[allow(unsafe_code)]
    pub(crate) fn take_with<T: PlainWith<Token>, Token>(
        &mut self,
        _: Token,
        len: usize,
    ) -> Option<&'a mut [T]> {
        const { assert!(align_of::<T>() <= 64) };
        let lines = self.take_lines(len.checked_mul(size_of::<T>())?)?;
        // SAFETY: the lines are at least as many bytes, initialised, aligned to 64, and borrowed as
        // long as the slice; every bit pattern in them is a value of `T`, for which the token is there.
        Some(unsafe { core::slice::from_raw_parts_mut(lines.as_mut_ptr().cast(), len) })
    }
}
