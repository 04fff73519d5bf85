//! The last stages of a combination: coefficients, sums over keys and rows, and the tests of the sums.

use super::decode::lanes_mask;
use super::state::{Combination, RowsByKey, Stage};
use super::torsion::TestTorsion;
use super::windows::{
    FIRST_ROW, SIGNED_WIDTHS, SLICES, UNSIGNED_WIDTHS, base_scalar, key_scalars,
    preferred_unsigned_width, preferred_width, scalar_windows, slice_elements, slice_position,
    with_offset, words_behind, z_windows,
};
use super::work;
use crate::curve::edwards::pippenger::{self, MultiScalar, Scalars};
use crate::curve::edwards::{Extended, Projective};
use crate::ed25519::bytes::halves;
use crate::field::algebra::LaneArray;
use crate::field::f25519::LaneField;
use crate::field::f25519::take_product_rows;
use crate::scalar::l25519::{Scalar, Terms};
use crate::scalar::lanes::combine_rows;
use crate::scalar::recode::Windows;
use crate::simd::Instructions;

/// A sum of the points of a combination. A macro, since it borrows its fields apart.
macro_rules! multi_scalar {
    ($self:ident, $memory:expr, $windows:expr, $scalars:expr, $slices:expr, $done:expr) => {
        MultiScalar {
            memory: $memory,
            windows: $windows,
            rows: $self.points,
            scalars: $scalars,
            slices: $slices,
            done: $done,
            work: $self.work,
        }
    };
}

impl<'a, R: RowsByKey<'a>> Combination<'_, '_, R> {
    /// Draws coefficients for the next part, if it has an open row. Rows that stay open in the end are left to lanes. The Q of
    /// open rows are free of torsion by now.
    #[inline(always)]
    pub(super) fn draw_part<F: LaneField>(&mut self) -> Option<Stage> {
        let Some((low, high)) = self.state.search.part() else { return Some(Stage::Done) };
        if !self.states.are_open(low..high).any(|open| open) {
            return Some(self.part_holds(true));
        }
        *self.work = self.work.saturating_sub((high - low) * work::SCALARS);
        let windows = self.part_windows::<F>(low, high)?;
        let (z_windows, z_bits) = z_windows(windows);
        let offset = windows.offset(z_windows);
        self.state.coefficients.draw(&mut self.random[low..high]);
        for (open, z) in self.states.are_open(low..high).zip(&mut self.random[low..high]) {
            // an integer below 2^z_bits, less the offset that makes its digits signed
            z[2] &= (1 << (z_bits - 128)) - 1;
            if !open {
                *z = [offset[0], offset[1], offset[2]];
            }
        }
        self.combine_scalars(low, high, &offset, windows);
        Some(Stage::Sum(0))
    }

    /// Records whether the equations of the part hold.
    fn part_holds(&mut self, holds: bool) -> Stage {
        self.state.search.tested(holds);
        Stage::Part
    }

    /// Whether [8](Σ zD) = 0 over the open rows of the part, whose equations then hold.
    #[inline(always)]
    pub(super) fn sum_part<F: LaneField>(
        &mut self,
        token: F::Token,
        mut done: u32,
    ) -> Option<Stage> {
        let Some((low, high)) = self.state.search.part() else { return Some(Stage::Done) };
        let windows = self.part_windows::<F>(low, high)?;
        let keys = self.keys_of(low, high);
        let lists = [
            key_scalars(self.scalars, keys, FIRST_ROW + self.rows.len(), windows),
            Scalars {
                words: self.random[low..high].as_flattened(),
                stride: 3,
                start: 0,
                first_row: (FIRST_ROW + low) as u32,
                windows: z_windows(windows).0,
            },
            base_scalar(&self.state.base, windows),
        ];
        let sum = multi_scalar!(self, self.memory.again(), windows, &lists, None, &mut done);
        let Some(sum) = token.enter::<F, _>(sum)? else { return Some(Stage::Sum(done)) };
        let holds = sum.projective().times_8().is_identity().is_true_vartime();
        if holds {
            self.states.equations_hold(low..high);
        }
        Some(self.part_holds(holds))
    }

    /// Draws coefficients for all open rows of an exact rule: unsigned ones, whose bits have slices.
    #[inline(always)]
    pub(super) fn draw_sliced<F: LaneField>(&mut self) -> Option<Stage> {
        let len = self.rows.len();
        let windows = self.signed_windows::<F>(self.keys_of(0, len).len())?;
        *self.work = self.work.saturating_sub(len * work::SCALARS);
        self.state.coefficients.draw(self.random);
        for (open, z) in self.states.are_open(0..len).zip(&mut *self.random) {
            z[2] = 0;
            if !open {
                *z = [0; 3];
            }
        }
        if !self.state.search.begins_with_all() {
            // the slices alone are looked at
            return Some(Stage::SlicedRows(0));
        }
        self.combine_scalars(0, len, &[0; 4], windows);
        Some(Stage::SlicedKeys(0))
    }

    /// The sum over the keys and B.
    #[inline(always)]
    pub(super) fn sum_keys<F: LaneField>(
        &mut self,
        token: F::Token,
        mut done: u32,
    ) -> Option<Stage> {
        let len = self.rows.len();
        let keys = self.keys_of(0, len);
        let windows = self.signed_windows::<F>(keys.len())?;
        let lists = [
            key_scalars(self.scalars, keys, FIRST_ROW + len, windows),
            Scalars::NONE,
            base_scalar(&self.state.base, windows),
        ];
        let sum = multi_scalar!(self, self.memory.again(), windows, &lists, None, &mut done);
        let Some(sum) = token.enter::<F, _>(sum)? else { return Some(Stage::SlicedKeys(done)) };
        self.state.keys_sum = sum;
        Some(Stage::SlicedRows(0))
    }

    /// The sum over the rows, with its slices in the memory's first place, and whether the equation holds.
    #[inline(always)]
    pub(super) fn sum_sliced<F: LaneField>(
        &mut self,
        token: F::Token,
        mut done: u32,
    ) -> Option<Stage> {
        // the keys' points are used up: only those of the rows are needed from here on
        let windows = self.unsigned_windows::<F>()?;
        let count = 128_u32.div_ceil(windows.width);
        let random = Scalars {
            words: self.random.as_flattened(),
            stride: 3,
            start: 0,
            first_row: FIRST_ROW as u32,
            windows: count,
        };
        let mut memory = self.memory.again();
        let slices = take_product_rows::<F>(token, &mut memory, slice_elements::<F>(windows))?;
        let lists = [random, Scalars::NONE, Scalars::NONE];
        let sum = multi_scalar!(self, memory, windows, &lists, Some(slices), &mut done);
        let Some(sum) = token.enter::<F, _>(sum)? else { return Some(Stage::SlicedRows(done)) };
        if !self.state.search.begins_with_all() {
            return Some(Stage::Slices(0));
        }
        let sum = self.state.keys_sum.add(&sum.cached()).extended();
        self.state.holds = sum.projective().times_8().is_identity().is_true_vartime();
        Some(Stage::Slices(0))
    }

    /// Whether the slices are free of torsion. If one is not, each row is tested; if the equation does not hold
    /// either, the whole has a bad row.
    #[inline(always)]
    pub(super) fn test_slices<F: LaneField>(
        &mut self,
        token: F::Token,
        done: usize,
    ) -> Option<Stage> {
        let windows = self.unsigned_windows::<F>()?;
        let mut memory = self.memory.again();
        let slices = &*take_product_rows::<F>(token, &mut memory, slice_elements::<F>(windows))?;
        let end = done + work::rows(self.work, SLICES - done, work::TEST);
        for first in (done..end).step_by(4 * F::LANES) {
            let mut points = [Projective::identity(token); 4];
            for (v, point) in points.iter_mut().enumerate() {
                let mut rows = F::PerLane::all(&slices[0]);
                for (lane, row) in rows.lanes_mut().iter_mut().enumerate() {
                    *row = &slices[slice_position::<F>(windows.width, first + v * F::LANES + lane)];
                }
                let slice = F::load_products_vartime(token, &rows);
                *point = Extended::<F>::from_products(slice).projective();
            }
            let member = token.enter::<F, _>(TestTorsion(&points));
            let member = member[0] & member[1] & member[2] & member[3];
            self.state.torsion_free &= F::bits(!member) & lanes_mask::<F>() == 0;
        }
        if end < SLICES {
            return Some(Stage::Slices(end));
        }
        if !self.state.torsion_free {
            return Some(Stage::TestRows(0));
        }
        if !self.state.search.begins_with_all() {
            return Some(Stage::Part);
        }
        let holds = self.state.holds;
        if holds {
            self.states.equations_hold(0..self.rows.len());
        }
        Some(self.part_holds(holds))
    }

    /// For the open rows from `low` to `high`: adds up z·k (z·(k − k mod 8) for an exact rule) of each
    /// key behind its `scalars`, and −Σ z·S in the state, ready to be cut. z is the row's random integer less the
    /// offset.
    #[inline(never)]
    fn combine_scalars(&mut self, low: usize, high: usize, offset: &[u64; 4], windows: Windows) {
        let rows = self.rows;
        let terms =
            Terms { offset: [offset[0], offset[1], offset[2]], multiples_of_8: self.is_exact() };
        let sum = combine_rows(
            self.backend,
            &terms,
            &self.random[low..high],
            &mut self.scalars[low..high],
            |i| halves(rows.signature(low + i))[1],
        );
        let base = sum.negated();
        // a key is never behind its rows, so that rows can be added up in place
        let keys = self.keys_of(low, high);
        let mut key = usize::MAX;
        for row in low..high {
            let product = words_behind(&self.scalars[row]);
            let sum = if key == rows.key_of(row) {
                *Scalar::sum(&words_behind(&self.scalars[key]), &product).words()
            } else {
                key = rows.key_of(row);
                product
            };
            self.scalars[key][4..].copy_from_slice(&sum);
        }
        let offset = windows.offset(scalar_windows(windows));
        for words in &mut self.scalars[keys] {
            let cut = with_offset(&words_behind(words), &offset);
            words[4..].copy_from_slice(&cut);
        }
        self.state.base = with_offset(base.words(), &offset);
    }

    /// Signed windows for a test of these rows: their keys are in all windows, the rows in every other one.
    #[inline(always)]
    fn part_windows<F: LaneField>(&self, low: usize, high: usize) -> Option<Windows> {
        self.signed_windows::<F>(self.keys_of(low, high).len() + (high - low) / 2)
    }

    /// Signed windows with `points` points each.
    #[inline(always)]
    fn signed_windows<F: LaneField>(&self, points: usize) -> Option<Windows> {
        SIGNED_WIDTHS.iter().map(|&width| Windows::signed(width)).find(|windows| {
            let reach = scalar_windows(*windows);
            windows.width <= preferred_width::<F>(points)
                && pippenger::memory_needed::<F>(*windows, self.points.len(), reach)
                    <= self.memory.len()
        })
    }

    /// Unsigned windows for all rows, with memory for their slices.
    #[inline(always)]
    fn unsigned_windows<F: LaneField>(&self) -> Option<Windows> {
        UNSIGNED_WIDTHS.iter().map(|&width| Windows { width, signed: false }).find(|windows| {
            let reach = 128_u32.div_ceil(windows.width);
            let needed = pippenger::memory_needed::<F>(*windows, self.points.len(), reach)
                + slice_elements::<F>(*windows) * F::LANES * 160;
            windows.width <= preferred_unsigned_width::<F>(self.rows.len())
                && needed <= self.memory.len()
        })
    }
}
