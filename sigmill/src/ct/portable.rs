//! The scan of a table in words, or in whatever vectors the compiler makes of it.

use super::barrier;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
use core::hint::black_box;

/// The entry at an index of a table, whose word w of entry e is `[w][e]`; zeros where the index is above 15. Every entry is read.
#[inline(always)]
pub(crate) fn entry(columns: &[[u64; 16]; 12], index: u64) -> [u64; 12] {
    let masks = masks(index);
    columns.each_ref().map(|entries| joined(entries, &masks))
}

/// All ones in the place of `index`, zeros in all others; nowhere where it is out of range. A table is read whole
/// with them: an entry and its mask, all of them joined.
#[inline(always)]
fn masks(index: u64) -> [u64; 16] {
    let index = barrier(index);
    let mut masks = [0; 16];
    // four by four, so that no compiler leaves a loop over single words
    for (four, masks) in (0..).zip(masks.as_chunks_mut::<4>().0) {
        for (i, mask) in (4 * four..).zip(masks) {
            let differs = index ^ i;
            *mask = ((differs | differs.wrapping_neg()) >> 63).wrapping_sub(1);
        }
    }
    // As in `Mask::from_bit`, for all at once: they may have been computed in vectors.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    #[allow(unsafe_code)]
    // SAFETY: no instruction; the array is only said to have been written.
    unsafe {
        core::arch::asm!("/* {0} */", in(reg) &raw mut masks, options(nostack, preserves_flags));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let masks = black_box(masks);
    masks
}

/// The entry whose mask is set, or 0; every entry is read.
#[inline(always)]
fn joined(entries: &[u64; 16], masks: &[u64; 16]) -> u64 {
    let mut parts = [0; 4];
    for (entries, masks) in entries.as_chunks::<4>().0.iter().zip(masks.as_chunks::<4>().0) {
        for (part, (entry, mask)) in parts.iter_mut().zip(entries.iter().zip(masks)) {
            *part |= entry & mask;
        }
    }
    // The barrier keeps entries in vectors as they lie, and several calls apart.
    barrier(parts[0] | parts[1] | (parts[2] | parts[3]))
}
