//! A producer's memory, value by value.
//!
//! `unsafe`: single reads and copies of what a producer promises.

use super::abi::{bytes_of, place};
use super::error::BadColumn;
use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::slice;
use std::sync::atomic::{Ordering, compiler_fence};

/// Values in a producer's memory, which other code may write to at any time.
#[derive(Debug)]
pub(crate) struct Shared<'a, T> {
    start: *const T,
    len: usize,
    of: PhantomData<&'a T>,
}

impl<T> Clone for Shared<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Shared<'_, T> {}

// SAFETY: it reads plain values of memory that the producer keeps until it is released, from whichever thread.
unsafe impl<T: Copy + Send> Send for Shared<'_, T> {}
// SAFETY: a shared reference reads plain values of that memory, and writes nothing.
unsafe impl<T: Copy + Send> Sync for Shared<'_, T> {}

impl<T: Copy> Shared<'_, T> {
    /// `len` values of a buffer from `first` on.
    pub(super) fn new(buffer: *const c_void, first: usize, len: usize) -> Result<Self, BadColumn> {
        let start = buffer.cast::<T>();
        if len == 0 {
            return Ok(Shared { start: NonNull::dangling().as_ptr(), len, of: PhantomData });
        }
        place(start)?;
        bytes_of::<T>(first.checked_add(len).ok_or(BadColumn::Length)?)?;
        Ok(Shared { start: start.wrapping_add(first), len, of: PhantomData })
    }

    /// A value, read once.
    pub(super) fn get(self, i: usize) -> Option<T> {
        if i >= self.len {
            return None;
        }
        let place = self.start.wrapping_add(i);
        // SAFETY: aligned, and among the values that the producer promises until it is released.
        Some(unsafe { place.read_volatile() })
    }
}

impl<'a> Shared<'a, u8> {
    /// The bytes from `start` to `end`, if they are some of these.
    pub(super) fn part(self, start: usize, end: usize) -> Option<Self> {
        let len = end.checked_sub(start).filter(|_| end <= self.len)?;
        Some(Shared { start: self.start.wrapping_add(start), len, of: PhantomData })
    }

    /// The number of bytes.
    pub(crate) const fn len(self) -> usize {
        self.len
    }

    /// Copies the bytes from `offset` on into all of `piece`, as they are now; zeros, if there are not so many.
    pub(crate) fn copy_to(self, offset: usize, piece: &mut [u8]) {
        match offset.checked_add(piece.len()).and_then(|end| self.part(offset, end)) {
            None => piece.fill(0),
            // SAFETY: as many bytes as the producer promises until it is released; `piece` is borrowed for writing alone.
            Some(from) => unsafe { from.start.copy_to(piece.as_mut_ptr(), from.len) },
        }
        // whatever reads the copy may not read that memory again
        compiler_fence(Ordering::SeqCst);
    }

    /// The bytes where they lie: for what may come out as anything if they change, such as a verdict.
    pub(super) fn bytes(self) -> &'a [u8] {
        // SAFETY: not null, and as many bytes as the producer promises until it is released.
        unsafe { slice::from_raw_parts(self.start, self.len) }
    }
}

impl<'a> Shared<'a, [u8; 16]> {
    /// The bytes of a value, where they lie.
    pub(super) fn bytes_of(self, i: usize) -> Option<Shared<'a, u8>> {
        let start = self.start.wrapping_add(i).cast();
        (i < self.len).then_some(Shared { start, len: 16, of: PhantomData })
    }
}
