//! Multiples of points in lanes: every lane has its own points and scalars and shares only the
//! doublings' instructions.
//!
//! Digits are those of fixed windows, so that all lanes add at the same time: a scalar x is kept as
//! x + Σ 2^(w−1)·2^(w·i), and window i of that, less 2^(w−1), is a digit of x between −2^(w−1) and
//! 2^(w−1) − 1, without a carry from window to window.
//!
//! Public scalars and points only: addresses depend on them.

use super::formulas::{AffineCached, Cached, Extended, SignedSum};
use super::pippenger::affine;
use super::straus::PreparedPoint;
use crate::curve::tables::AffineWords;
use crate::curve::tables::edwards25519::base_multiple_vartime;
use crate::field::algebra::LaneArray;
use crate::field::f25519::{LaneField, ONE, ZERO};
use crate::scalar::recode::Windows;
use crate::simd::{Instructions, Kernel};
use crate::word::add_carry;

/// One integer a lane: word k of lane l is `self[k]`'s element l.
pub(crate) type Words<F, const N: usize> = [<F as LaneField>::PerLane<u64>; N];

/// Width of the digits of the points' scalars.
const WIDTH: u32 = 4;
/// Width of the digits of B's scalars.
const BASE_WIDTH: u32 = 8;

/// Integers with the offset that makes their windows signed. The carry out of the top word is lost:
/// the integer must leave room for it.
#[inline(always)]
pub(super) fn with_offset<F: LaneField, const N: usize>(
    words: &Words<F, N>,
    width: u32,
) -> Words<F, N> {
    let mut shifted = *words;
    let offset = Windows::signed(width).offset::<N>(64 * N as u32 / width);
    for lane in 0..F::LANES {
        let mut carry = 0;
        for (word, offset) in shifted.iter_mut().zip(&offset) {
            let word = &mut word.lanes_mut()[lane];
            (*word, carry) = add_carry(*word, *offset, carry);
        }
    }
    shifted
}

/// The digits of the window that starts at a bit: magnitudes, and where they are negative.
#[inline(always)]
fn digits<F: LaneField, const N: usize>(
    words: &Words<F, N>,
    bit: u32,
    width: u32,
) -> (F::PerLane<u32>, u32) {
    let mut magnitudes = F::PerLane::<u32>::all(0);
    let mut minus = 0;
    // a window that ends in the next word takes its upper bits from there
    let (first, shift) = (bit as usize / 64, bit % 64);
    let next = if shift + width > 64 { first + 1 } else { first };
    let (low, high) = (words[first].lanes(), words[next.min(N - 1)].lanes());
    let windows = Windows::signed(width);
    for (lane, magnitude) in magnitudes.lanes_mut().iter_mut().enumerate() {
        let (size, negative) = windows.digit(windows.bits(low[lane], high[lane], shift) as u32);
        *magnitude = size;
        minus |= negative << lane;
    }
    (magnitudes, minus)
}

/// Multiples 0 to 8 of a point in each lane, a row for each lane.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Multiples<F: LaneField>([F::PerLane<F::OperandRow>; 9]);

/// Writes the multiples of a point with Z = 1.
pub(crate) struct Fill<'a, F: LaneField> {
    pub(crate) multiples: &'a mut Multiples<F>,
    pub(crate) point: &'a Extended<F>,
}

impl<F: LaneField> Kernel<F> for Fill<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run(self, token: F::Token) {
        let first = affine(&self.point.affine_cached());
        let mut multiple = *self.point;
        let (one, zero) = (F::splat(token, &ONE), F::splat(token, &ZERO));
        let identity = [one, one, F::splat(token, &[2, 0, 0, 0]), zero];
        F::store_operands(&identity, self.multiples.0[0].lanes_mut());
        let mut i = 1;
        loop {
            F::store_operands(&multiple.cached().parts(), self.multiples.0[i].lanes_mut());
            i += 1;
            if i == self.multiples.0.len() {
                return;
            }
            multiple = multiple.add_affine(&first).extended();
        }
    }
}

impl<F: LaneField> Multiples<F> {
    /// Place for them.
    #[inline(always)]
    pub(crate) fn new(_: F::Token) -> Self {
        Multiples([F::PerLane::all(F::OperandRow::default()); 9])
    }

    /// Entry `magnitudes[l]` in lane l.
    #[inline(always)]
    fn pick(&self, token: F::Token, magnitudes: &F::PerLane<u32>) -> Cached<F> {
        let mut rows = F::PerLane::all(&self.0[0].lanes()[0]);
        for (lane, row) in rows.lanes_mut().iter_mut().enumerate() {
            *row = &self.0[magnitudes.lanes()[lane] as usize].lanes()[lane];
        }
        Cached::from_parts(F::load_operands_vartime(token, &rows))
    }
}

/// A point's multiples with the scalar of each lane, below 2^(4·windows − 2), and the lanes in which
/// it is negative.
pub(crate) struct Term<'a, F: LaneField> {
    pub(crate) multiples: &'a Multiples<F>,
    pub(crate) scalars: Words<F, 3>,
    pub(crate) negative: u32,
}

/// `Σ [scalar]P + [base]B` in each lane; `base` is below 2^255.
#[inline(always)]
pub(crate) fn multiply_vartime<F: LaneField>(
    token: F::Token,
    windows: u32,
    terms: &[Term<'_, F>; 2],
    base: &Words<F, 4>,
) -> Extended<F> {
    let base = with_offset::<F, 4>(base, BASE_WIDTH);
    let scalars = [
        with_offset::<F, 3>(&terms[0].scalars, WIDTH),
        with_offset::<F, 3>(&terms[1].scalars, WIDTH),
    ];
    let mut sum = SignedSum::new(token);
    for window in (0..windows).rev() {
        let bit = window * WIDTH;
        if window + 1 < windows {
            sum.double(WIDTH);
        }
        for (term, scalars) in terms.iter().zip(&scalars) {
            let (magnitudes, minus) = digits::<F, 3>(scalars, bit, WIDTH);
            let minus = F::mask(token, minus ^ term.negative);
            sum.add(&term.multiples.pick(token, &magnitudes), minus);
        }
        if bit.is_multiple_of(BASE_WIDTH) && bit < 128 {
            add_base(token, &mut sum, &base, bit, 2);
        }
    }
    sum.extended()
}

/// Adds the windows of B's scalar at a bit of each of its `parts` parts, two or four.
#[inline(always)]
fn add_base<F: LaneField>(
    token: F::Token,
    sum: &mut SignedSum<F>,
    base: &Words<F, 4>,
    bit: u32,
    parts: usize,
) {
    for part in (0..4).step_by(4 / parts) {
        let bit = bit + 64 * part as u32;
        let (magnitudes, minus) = digits::<F, 4>(base, bit, BASE_WIDTH);
        let mut entries = F::PerLane::all(base_multiple_vartime(part, 0));
        for (entry, magnitude) in entries.lanes_mut().iter_mut().zip(magnitudes.lanes()) {
            *entry = base_multiple_vartime(part, *magnitude);
        }
        token.enter::<F, _>(AddEntries { sum, entries: &entries, minus });
    }
}

/// Adds a precomputed point in each lane, or subtracts it where the bit is set: a function of its own for
/// both kinds of multiplication.
struct AddEntries<'a, 't, F: LaneField> {
    sum: &'a mut SignedSum<F>,
    entries: &'a F::PerLane<&'t AffineWords>,
    minus: u32,
}

impl<F: LaneField> Kernel<F> for AddEntries<'_, '_, F> {
    type Output = ();

    #[inline(always)]
    fn run(self, token: F::Token) {
        self.sum.add_affine(&load(token, self.entries), F::mask(token, self.minus));
    }
}

/// One precomputed point in each lane.
#[inline(always)]
fn load<F: LaneField>(token: F::Token, entries: &F::PerLane<&AffineWords>) -> AffineCached<F> {
    let [y_plus_x, y_minus_x, xy_2d] = F::load_words_vartime(token, entries);
    AffineCached { y_plus_x, y_minus_x, xy_2d }
}

/// Windows of a part of a prepared point's scalar, and of the whole: the window above ends past the
/// four words and has no offset.
const PREPARED_WINDOWS: u32 = PreparedPoint::PART_BITS / PreparedPoint::WIDTH;
const ALL_PREPARED_WINDOWS: u32 = 256 / PreparedPoint::WIDTH;
const _: () = {
    // the digits' magnitudes are in the tables
    assert!(1 << (PreparedPoint::WIDTH - 1) < PreparedPoint::ENTRIES);
    // with the offset the scalar ends below the window above
    assert!(ALL_PREPARED_WINDOWS * PreparedPoint::WIDTH >= 255);
    assert!(PREPARED_WINDOWS * PreparedPoint::PARTS as u32 >= ALL_PREPARED_WINDOWS);
};

/// `[k]P + [base]B` in each lane for prepared points P; k is below 2^254 and `base` below 2^255.
#[inline(always)]
pub(crate) fn multiply_prepared_vartime<F: LaneField>(
    token: F::Token,
    points: &F::PerLane<&PreparedPoint>,
    k: &Words<F, 4>,
    base: &Words<F, 4>,
) -> Extended<F> {
    let k = with_offset::<F, 4>(k, PreparedPoint::WIDTH);
    let base = with_offset::<F, 4>(base, BASE_WIDTH);
    let mut sum = SignedSum::new(token);
    for bit in (0..PreparedPoint::PART_BITS).rev() {
        sum.double(1);
        if bit.is_multiple_of(PreparedPoint::WIDTH) {
            for part in 0..PreparedPoint::PARTS {
                let bit = bit + PreparedPoint::PART_BITS * part as u32;
                if bit >= PreparedPoint::WIDTH * ALL_PREPARED_WINDOWS {
                    continue;
                }
                let (magnitudes, minus) = digits::<F, 4>(&k, bit, PreparedPoint::WIDTH);
                let mut entries = F::PerLane::all(points.lanes()[0].multiple(0, 0));
                for (lane, entry) in entries.lanes_mut().iter_mut().enumerate() {
                    *entry = points.lanes()[lane].multiple(part, magnitudes.lanes()[lane]);
                }
                sum.add_affine(&load(token, &entries), F::mask(token, minus));
            }
        }
        if bit.is_multiple_of(BASE_WIDTH) && bit < 64 {
            add_base(token, &mut sum, &base, bit, 4);
        }
    }
    sum.extended()
}
