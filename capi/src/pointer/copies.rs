//! Copies of memory that other code may write to meanwhile.

use core::hint::black_box;
use core::mem::MaybeUninit;
use core::{ptr, slice};

/// Copies bytes that other code may write to meanwhile, from the position `offset` on; zeros where there are none.
pub fn copy_shared(bytes: &[u8], offset: usize, copy: &mut [u8]) {
    let there = bytes.get(offset..).unwrap_or_default();
    let len = there.len().min(copy.len());
    // SAFETY: both have so many bytes, which are any, and the copy is the library's own.
    unsafe { ptr::copy_nonoverlapping(there.as_ptr(), copy.as_mut_ptr(), len) };
    copy[len..].fill(0);
    black_box(copy);
}

/// Bytes of the stack for copies of what other code may write to meanwhile.
pub struct Room<const N: usize>([MaybeUninit<u8>; N]);

impl<const N: usize> Room<N> {
    /// Nothing is written until there is something to copy.
    #[inline(always)]
    pub const fn new() -> Self {
        Room([MaybeUninit::uninit(); N])
    }

    /// A copy of bytes; none of more than there is room for.
    #[inline(always)]
    pub fn copy(&mut self, bytes: &[u8]) -> Option<&[u8]> {
        Some(copy_into(self.0.get_mut(..bytes.len())?, bytes))
    }

    /// The first bytes, at most so many, as zeros.
    pub fn zeros(&mut self, most: usize) -> &mut [u8] {
        let len = most.min(N);
        let place = &mut self.0[..len];
        place.fill(MaybeUninit::new(0));
        // SAFETY: so many bytes were just written.
        unsafe { slice::from_raw_parts_mut(place.as_mut_ptr().cast(), len) }
    }
}

/// A copy of bytes in a place of the same length.
#[inline(always)]
fn copy_into<'r>(place: &'r mut [MaybeUninit<u8>], bytes: &[u8]) -> &'r [u8] {
    let len = bytes.len().min(place.len());
    let place = place.as_mut_ptr().cast::<u8>();
    // SAFETY: both have so many bytes, which are any, and the place is the library's own.
    unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), place, len) };
    // SAFETY: so many bytes were just written.
    black_box(unsafe { slice::from_raw_parts(place, len) })
}
