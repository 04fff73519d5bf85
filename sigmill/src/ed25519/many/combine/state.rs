//! The state of a combination: its rows, the facts about them, and the stage.

use super::super::coefficients::Coefficients;
use super::super::search::Search;
use super::windows::FIRST_ROW;
use crate::cpu::Backend;
use crate::curve::edwards::Extended;
use crate::ed25519::rules::{Equation, Rule, States};
use crate::ed25519::verifying::PreparedKey;
use crate::field::f25519::Row;
use crate::field::f25519::one_lane::Fe;
use crate::memory::Memory;
use core::ops::Range;

/// The rows to verify, and their distinct keys, numbered in the order in which they first occur.
pub(crate) trait RowsByKey<'a> {
    fn len(&self) -> usize;
    fn keys(&self) -> usize;
    fn key(&self, key: usize) -> &'a [u8; 32];
    /// The key with tables; all keys have them or none.
    fn prepared_key(&self, key: usize) -> Option<&'a PreparedKey>;
    fn key_of(&self, row: usize) -> usize;
    fn signature(&self, row: usize) -> &'a [u8; 64];
}

/// How far a combination has come.
#[derive(Clone, Copy)]
pub(crate) struct State {
    pub(super) stage: Stage,
    pub(super) coefficients: Coefficients,
    pub(super) search: Search,
    /// The part in hand: the scalar of B in its equation, ready to be cut, and the sum over the keys.
    pub(super) base: [u64; 4],
    pub(super) keys_sum: Extended<Fe>,
    /// Whether its equation holds, and whether the slices that were tested are free of torsion.
    pub(super) holds: bool,
    pub(super) torsion_free: bool,
}

/// The next stage. A number says how much of it is done.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    Keys(usize),
    Rows(usize),
    MakeQ(usize),
    /// Each row's Q is tested for torsion.
    TestRows(usize),
    /// Coefficients for all rows, the sum over the keys, the sum over the rows with its slices, and the test of the slices.
    Sliced,
    SlicedKeys(u32),
    SlicedRows(u32),
    Slices(usize),
    /// Coefficients for the next part, and the sum over it.
    Part,
    Sum(u32),
    Done,
}

impl State {
    /// A combination of the rows of a search, before the first stage.
    pub(crate) fn new(coefficients: Coefficients, search: Search) -> Self {
        State {
            stage: Stage::Keys(0),
            coefficients,
            search,
            base: [0; 4],
            keys_sum: Extended::identity(()),
            holds: false,
            torsion_free: true,
        }
    }
}

/// The data of a combination, as its stages see it.
pub(super) struct Combination<'r, 'm, R> {
    pub(super) backend: Backend,
    pub(super) rule: &'r Rule,
    pub(super) rows: &'r R,
    /// Four words of k of each row; of each key the coefficient of its point, four words from 4 on.
    pub(super) scalars: &'m mut [[u64; 8]],
    pub(super) points: &'m mut [Row],
    pub(super) states: States<'m>,
    pub(super) keys: &'m mut [u8],
    /// The words of the coefficients, cut as `Windows` says.
    pub(super) random: &'m mut [[u64; 3]],
    pub(super) memory: Memory<'m>,
    pub(super) state: &'r mut State,
    pub(super) work: &'r mut usize,
}

impl<'a, R: RowsByKey<'a>> Combination<'_, '_, R> {
    pub(super) fn key_row(&self, key: usize) -> usize {
        FIRST_ROW + self.rows.len() + key
    }

    pub(super) fn is_exact(&self) -> bool {
        self.rule.equation() == Equation::Exact
    }

    /// The keys of the rows from `low` to `high`.
    pub(super) fn keys_of(&self, low: usize, high: usize) -> Range<usize> {
        self.rows.key_of(low)..self.rows.key_of(high - 1) + 1
    }
}
