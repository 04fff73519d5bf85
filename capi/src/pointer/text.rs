//! Strings of C.

use super::memory::{Extent, In, Plain};
use crate::fault::Fault;
use core::slice;

/// A string of C.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Text(*const u8);

// SAFETY: a pointer that is not followed without a look at it.
unsafe impl Plain for Text {}

impl Text {
    /// Its memory, with the zero at the end, as far as so many bytes.
    pub fn extent(&self, max: usize) -> Extent {
        In(self.0).extent(self.get(max).map_or(0, |bytes| bytes.len().saturating_add(1)))
    }

    /// Its bytes, without the zero at the end, as far as `max` of them.
    pub fn get(&self, max: usize) -> Result<&[u8], Fault> {
        if self.0.is_null() {
            return Err(Fault::Null);
        }
        let mut len = 0;
        while len < max {
            let place = self.0.wrapping_add(len);
            // SAFETY: no zero has come yet, and as C promises one does.
            if unsafe { place.read() } == 0 {
                break;
            }
            len += 1;
        }
        // SAFETY: so many bytes have just been read.
        Ok(unsafe { slice::from_raw_parts(self.0, len) })
    }
}
