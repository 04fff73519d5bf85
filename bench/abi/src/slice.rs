//! A borrowed slice whose layout is C's, because it crosses into libraries that were built apart.

use std::marker::PhantomData;
use std::slice;

/// A pointer and a length, with the borrow they stand for.
#[repr(C)]
pub struct Slice<'a, T> {
    start: *const T,
    len: usize,
    borrow: PhantomData<&'a [T]>,
}

impl<T> Clone for Slice<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Slice<'_, T> {}

impl<'a, T> Slice<'a, T> {
    /// The slice itself.
    pub fn get(&self) -> &'a [T] {
        // SAFETY: both come from a slice that is borrowed for 'a; nothing else makes this type.
        unsafe { slice::from_raw_parts(self.start, self.len) }
    }
}

impl<'a, T> From<&'a [T]> for Slice<'a, T> {
    fn from(slice: &'a [T]) -> Self {
        Slice { start: slice.as_ptr(), len: slice.len(), borrow: PhantomData }
    }
}

impl Slice<'static, u8> {
    /// Text that lives as long as the program.
    pub fn text(text: impl Into<String>) -> Self {
        Slice::from(text.into().leak().as_bytes())
    }

    /// The text that [`Slice::text`] was given.
    pub fn as_str(&self) -> &'static str {
        std::str::from_utf8(self.get()).expect("made of text")
    }
}
