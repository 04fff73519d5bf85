//! Many signatures by one equation: a random linear combination that gives the single verdicts of any
//! rule. `docs/exact-batch.md` has the argument.
//!
//! Some facts are found row by row: whether A and R decode, how they are encoded, small orders, the range of S. Rows that
//! the rule refuses for these are excluded. For the others, with D = [S]B − [k]A − R:
//!
//! - a cofactored rule asks for [8]D = 0, and [8](Σ zD) = 0 with random z of at least 128 bits says so
//!   for all rows at once;
//! - an exact rule asks for D = 0, which is [8]D = 0 and no torsion in Q = R + [k mod 8]A. Up to
//!   [`SLICES`] rows each Q is tested; above, the sums of the Q whose z has bit j, for each of the 128
//!   bits j, which fall out of the buckets of Σ zQ.
//!
//! A combination that does not hold is taken apart, with fresh z for each part (`search`). Rows that stay open are left to
//! lanes.
//!
//! The work is done in stages. Each call does as much as the caller has work for, and leaves the rest to the next one, in
//! [`State`] and in the memory. `decode` has the first stages, `torsion` the middle ones of an exact rule, and `sums` the
//! last ones.
//!
//! Public inputs only: time depends on them.

mod decode;
mod state;
mod sums;
mod torsion;
mod windows;
mod work;

pub(crate) use state::{RowsByKey, State};

use decode::{DecodeKeys, DecodeRows};
use state::{Combination, Stage};
use torsion::{MakeQ, Q_ROWS, TestRows};
use windows::{FIRST_ROW, SLICES};

use crate::cpu::Backend;
use crate::ed25519::rules::{Rule, States};
use crate::error::Verdict;
use crate::field::f25519::LaneField;
use crate::memory::Memory;
use crate::simd::{Instructions, Kernel};

/// Goes on with the verification of rows under a rule. The first four words of each row's `scalars` are k, below ℓ, and the
/// others are free to use. All is the same in each call but for the work, and `scalars` and the memory are as the call
/// before has left them.
pub(crate) struct Combine<'r, 'm, R, V> {
    /// For arithmetic mod ℓ.
    pub(crate) backend: Backend,
    pub(crate) rule: &'r Rule,
    pub(crate) rows: R,
    pub(crate) scalars: &'m mut [[u64; 8]],
    pub(crate) memory: Memory<'m>,
    pub(crate) state: &'r mut State,
    /// The work that may be done, in additions of points. The last stage may go beyond it.
    pub(crate) work: &'r mut usize,
    /// Takes each row's verdict in the end, or `None` where the row has to be verified in lanes.
    pub(crate) verdict: V,
}

impl<'a, F: LaneField, R: RowsByKey<'a>, V: FnMut(usize, Option<Verdict>)> Kernel<F>
    for Combine<'_, '_, R, V>
{
    /// Whether all is done. `None` if there is too little memory; no verdict has been given then.
    type Output = Option<bool>;

    #[inline(always)]
    fn run(mut self, token: F::Token) -> Option<bool> {
        let (len, keys) = (self.rows.len(), self.rows.keys());
        let mut combination = Combination {
            backend: self.backend,
            rule: self.rule,
            rows: &self.rows,
            scalars: self.scalars,
            points: self.memory.take(FIRST_ROW + len + keys)?,
            states: States::new(self.memory.take(len)?),
            keys: self.memory.take(keys)?,
            random: self.memory.take(len)?,
            memory: self.memory,
            state: self.state,
            work: self.work,
        };
        while combination.state.stage != Stage::Done {
            if *combination.work == 0 {
                return Some(false);
            }
            combination.step::<F>(token)?;
        }
        for row in 0..len {
            (self.verdict)(row, combination.states.verdict(row));
        }
        Some(true)
    }
}

impl<'a, R: RowsByKey<'a>> Combination<'_, '_, R> {
    /// Does the next stage, or a part of it. A function of its own in each backend. The long stages are kernels, and so
    /// functions of their own, too: the frame of one is gone when the next begins.
    #[inline(never)]
    fn step<F: LaneField>(&mut self, token: F::Token) -> Option<()> {
        let (len, keys) = (self.rows.len(), self.rows.keys());
        self.state.stage = match self.state.stage {
            Stage::Keys(done) => {
                let count = work::rows(self.work, keys - done, work::DECODE);
                let range = done..done + count;
                token.enter::<F, _>(DecodeKeys { combination: self, keys: range });
                if done + count < keys { Stage::Keys(done + count) } else { Stage::Rows(0) }
            }
            Stage::Rows(done) => {
                let count = work::rows(self.work, len - done, work::DECODE);
                let range = done..done + count;
                token.enter::<F, _>(DecodeRows { combination: self, range });
                match done + count {
                    done if done < len => Stage::Rows(done),
                    _ if self.is_exact() => Stage::MakeQ(0),
                    _ => Stage::Part,
                }
            }
            Stage::MakeQ(done) => {
                let count = work::rows(self.work, Q_ROWS.min(len - done), work::MAKE_Q);
                let range = done..done + count;
                token.enter::<F, _>(MakeQ { combination: self, range })?;
                match done + count {
                    done if done < len => Stage::MakeQ(done),
                    _ if len > SLICES => Stage::Sliced,
                    _ => Stage::TestRows(0),
                }
            }
            Stage::TestRows(done) => {
                let count = work::rows(self.work, len - done, work::TEST);
                let range = done..done + count;
                token.enter::<F, _>(TestRows { combination: self, range });
                if done + count < len { Stage::TestRows(done + count) } else { Stage::Part }
            }
            Stage::Sliced => self.draw_sliced::<F>()?,
            Stage::SlicedKeys(done) => self.sum_keys::<F>(token, done)?,
            Stage::SlicedRows(done) => self.sum_sliced::<F>(token, done)?,
            Stage::Slices(done) => self.test_slices::<F>(token, done)?,
            Stage::Part => self.draw_part::<F>()?,
            Stage::Sum(done) => self.sum_part::<F>(token, done)?,
            Stage::Done => Stage::Done,
        };
        Some(())
    }
}
