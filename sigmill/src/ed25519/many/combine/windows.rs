//! Windows of the scalars of a combination: their widths, and integers cut into them.

use crate::curve::edwards::pippenger::Scalars;
use crate::field::f25519::LaneField;
use crate::scalar::l25519::sum_less_order;
use crate::scalar::recode::Windows;
use core::ops::Range;

/// Bits of a coefficient that are tested for torsion: all of them, always.
pub(super) const SLICES: usize = 128;

/// Rows of points: the identity, B, R or Q of each row, A of each key.
pub(super) const IDENTITY_ROW: usize = 0;
pub(super) const BASE_ROW: usize = 1;
pub(super) const FIRST_ROW: usize = 2;

/// Widths of signed windows that cut integers below ℓ, with an offset, into windows that are all full.
pub(super) const SIGNED_WIDTHS: [u32; 7] = [11, 9, 8, 7, 6, 5, 4];
pub(super) const UNSIGNED_WIDTHS: [u32; 5] = [10, 8, 6, 5, 4];

/// The width that was measured best for a number of points in each window.
pub(super) fn preferred_width<F: LaneField>(points: usize) -> u32 {
    match points {
        0..70 => 4,
        70..130 if F::LANES == 8 => 4,
        70..210 => 5,
        210..420 => 6,
        420..1100 => 7,
        1100..3000 => 8,
        3000..9000 => 9,
        _ => 11,
    }
}

/// [`preferred_width`] for unsigned windows, which have twice the buckets. Eight lanes share 32 windows, but not 26.
pub(super) fn preferred_unsigned_width<F: LaneField>(points: usize) -> u32 {
    match points {
        0..400 if F::LANES == 8 => 4,
        0..400 => 5,
        400..1200 => 6,
        1200..6000 => 8,
        6000..12000 if F::LANES == 8 => 8,
        _ => 10,
    }
}

/// Windows of a coefficient, and its bits: at least 128.
pub(super) fn z_windows(windows: Windows) -> (u32, u32) {
    let count = 128_u32.div_ceil(windows.width);
    (count, count * windows.width)
}

/// How many vectors the slices of a coefficient's windows are.
pub(super) fn slice_elements<F: LaneField>(windows: Windows) -> usize {
    128_u32.div_ceil(windows.width).div_ceil(F::LANES as u32) as usize * windows.width as usize
}

/// Windows of an integer from [`with_offset`]: 252 bits, and the bit above them in the last window.
pub(super) fn scalar_windows(windows: Windows) -> u32 {
    252_u32.div_ceil(windows.width)
}

/// x + offset or x + offset − ℓ, for x below ℓ and the offset of signed windows: an integer that its windows hold, as
/// [`Scalars::windows`] says, for every x, also one that an attacker has chosen. 0 stays 0: its row need not be a point.
///
/// - Windows that reach further than 252 bits (width 5, 8 and 11: 255, 256 and 253) hold all of x + offset less ℓ,
///   which is below max(ℓ, offset).
/// - Windows of width 4, 6, 7 and 9 reach 252 bits, and the offset is below 2^252. The result is below ℓ = 2^252 + c,
///   c < 2^125. From 2^252 on, its bits 125 to 251 are 0, the last window's among them.
pub(super) fn with_offset(x: &[u64; 4], offset: &[u64; 4]) -> [u64; 4] {
    if *x == [0; 4] {
        return *offset;
    }
    sum_less_order(x, offset)
}

/// Words 4 to 7.
#[inline(always)]
pub(super) fn words_behind(words: &[u64; 8]) -> [u64; 4] {
    let [.., a, b, c, d] = *words;
    [a, b, c, d]
}

pub(super) fn key_scalars(
    scalars: &[[u64; 8]],
    keys: Range<usize>,
    first_row: usize,
    windows: Windows,
) -> Scalars<'_> {
    Scalars {
        first_row: (first_row + keys.start) as u32,
        words: scalars[keys].as_flattened(),
        stride: 8,
        start: 4,
        windows: scalar_windows(windows),
    }
}

pub(super) fn base_scalar(words: &[u64; 4], windows: Windows) -> Scalars<'_> {
    Scalars {
        words,
        stride: 4,
        start: 0,
        first_row: BASE_ROW as u32,
        windows: scalar_windows(windows),
    }
}

/// The place where [`MultiScalar`] has left the sum of the points whose scalar has a bit.
#[inline(always)]
pub(super) fn slice_position<F: LaneField>(width: u32, bit: usize) -> usize {
    let (window, k) = (bit as u32 / width, bit as u32 % width);
    let lanes = F::LANES as u32;
    ((window / lanes * width + k) * lanes + window % lanes) as usize
}

#[cfg(test)]
mod tests;
