//! Many signatures by one equation: a random linear combination that gives the single verdicts of any
//! rule. `docs/exact-batch.md` has the argument.
//!
//! What can be decided row by row is: whether A and R decode, how they are encoded, small orders, the
//! range of S. Rows that the rule refuses for it are out. For the others, with D = [S]B − [k]A − R:
//!
//! - a cofactored rule asks for [8]D = 0, and [8](Σ zD) = 0 with random z of at least 128 bits says so
//!   for all rows at once;
//! - an exact rule asks for D = 0, which is [8]D = 0 and no torsion in Q = R + [k mod 8]A. Up to
//!   [`SLICES`] rows each Q is tested; above, the sums of the Q whose z has bit j, for each of the 128
//!   bits j, which fall out of the buckets of Σ zQ.
//!
//! Where the combination does not hold it is taken apart, with fresh z for each part ([`Search`]), and what is left
//! is for lanes.
//!
//! All of it is done in steps, as many at a time as the caller has work for: what one leaves for the next is in
//! [`State`] and in the memory.
//!
//! Public inputs only: time depends on them.

use super::coefficients::Coefficients;
use super::rules::{Equation, Facts, Order, PointFacts, Rule, States, decide};
use super::search::Search;
use super::verify::SignatureHalves;
use super::verifying::PreparedKey;
use crate::cpu::Backend;
use crate::curve::edwards::pippenger::{self, MultiScalar, Scalars};
use crate::curve::edwards::torsion::are_torsion_free;
use crate::curve::edwards::{Decode, Decoded, Decoding, Extended, Projective};
use crate::error::Verdict;
use crate::field::algebra::LaneArray;
use crate::field::f25519::{LaneField, Row, one_lane::Fe};
use crate::field::f25519::{Products, mul, neg, take_points, take_product_rows};
use crate::memory::{Line, Memory};
use crate::scalar::l25519::{Scalar, Terms, is_below_order, sum_less_order};
use crate::scalar::lanes::combine_rows;
use crate::scalar::recode::Windows;
use crate::simd::{Instructions, Kernel, prefetch};
use core::ops::Range;

/// Bits of a coefficient that are tested for torsion: all of them, always.
const SLICES: usize = 128;

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

/// Goes on with the verification of rows under a rule. For each row the first four words of `scalars` are k, below ℓ;
/// the others are for this to use. All is the same in each call but for the work, and `scalars` and the memory are as the
/// call before has left them.
pub(crate) struct Combine<'r, 'm, R, V> {
    /// For arithmetic mod ℓ.
    pub(crate) backend: Backend,
    pub(crate) rule: &'r Rule,
    pub(crate) rows: R,
    pub(crate) scalars: &'m mut [[u64; 8]],
    pub(crate) memory: Memory<'m>,
    pub(crate) state: &'r mut State,
    /// How much is to be done, in additions of points: the last step may go beyond it.
    pub(crate) work: &'r mut usize,
    /// Told each row's verdict in the end, or none where the row has to be verified in lanes.
    pub(crate) verdict: V,
}

impl<'a, F: LaneField, R: RowsByKey<'a>, V: FnMut(usize, Option<Verdict>)> Kernel<F>
    for Combine<'_, '_, R, V>
{
    /// Whether all is done. None if there is not enough memory: nothing has been told then.
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

/// How far a combination has come.
#[derive(Clone, Copy)]
pub(crate) struct State {
    stage: Stage,
    coefficients: Coefficients,
    search: Search,
    /// The combination in hand: what B takes in its equation, ready to be cut, and the sum over the keys.
    base: [u64; 4],
    keys_sum: Extended<Fe>,
    /// Whether its equation holds, and whether the slices that were looked at are free of torsion.
    holds: bool,
    torsion_free: bool,
}

/// What is to be done next. Numbers are how much of it has been done.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Keys(usize),
    Rows(usize),
    MakeQ(usize),
    /// Each row's Q is tested.
    TestRows(usize),
    /// Coefficients for all rows, the sum over the keys, that over the rows with its slices, and their test.
    Sliced,
    SlicedKeys(u32),
    SlicedRows(u32),
    Slices(usize),
    /// The next part, and the sum of what is tested of it.
    Part,
    Sum(u32),
    Done,
}

impl State {
    /// That of so many rows before the first step.
    pub(crate) fn new(coefficients: Coefficients, rows: usize) -> Self {
        State {
            stage: Stage::Keys(0),
            coefficients,
            search: Search::new(rows),
            base: [0; 4],
            keys_sum: Extended::identity(()),
            holds: false,
            torsion_free: true,
        }
    }
}

/// What steps take, in additions of points: measured, and no more exact than that.
mod work {
    /// To decode a point and look at it.
    pub(super) const DECODE: usize = 25;
    /// To make a row's Q.
    pub(super) const MAKE_Q: usize = 2;
    /// To test a point for torsion.
    pub(super) const TEST: usize = 40;
    /// To draw a row's coefficient and multiply by it.
    pub(super) const SCALARS: usize = 3;

    /// How many of the rows that are left there is work for, at so much each: full lanes of any backend, and at least
    /// those of one.
    pub(super) fn rows(work: &mut usize, left: usize, each: usize) -> usize {
        const LEAST: usize = 32;
        let rows = (*work / each).min(left).next_multiple_of(LEAST).clamp(LEAST, left.max(LEAST));
        let rows = rows.min(left);
        *work = work.saturating_sub(rows * each);
        rows
    }
}

/// Facts about a key, as bits.
const DECODES: u8 = 1;
const CANONICAL: u8 = 2;
const SMALL: u8 = 4;

/// Rows of points: the identity, B, R or Q of each row, A of each key.
const IDENTITY_ROW: usize = 0;
const BASE_ROW: usize = 1;
const FIRST_ROW: usize = 2;

/// Rows whose Q are made together, at most: few enough to stay in the cache, and enough for one inversion.
const Q_ROWS: usize = 2048;

struct Combination<'r, 'm, R> {
    backend: Backend,
    rule: &'r Rule,
    rows: &'r R,
    /// Of each row four words of k; of each key the coefficient of its point, four words from 4 on.
    scalars: &'m mut [[u64; 8]],
    points: &'m mut [Row],
    states: States<'m>,
    keys: &'m mut [u8],
    /// The words of the coefficients, cut as `Windows` says.
    random: &'m mut [[u64; 3]],
    memory: Memory<'m>,
    state: &'r mut State,
    work: &'r mut usize,
}

impl<'a, R: RowsByKey<'a>> Combination<'_, '_, R> {
    fn key_row(&self, key: usize) -> usize {
        FIRST_ROW + self.rows.len() + key
    }

    fn is_exact(&self) -> bool {
        self.rule.equation() == Equation::Exact
    }

    /// Does the next step. A function of its own in each backend, as are those that take much.
    #[inline(never)]
    fn step<F: LaneField>(&mut self, token: F::Token) -> Option<()> {
        let (len, keys) = (self.rows.len(), self.rows.keys());
        self.state.stage = match self.state.stage {
            Stage::Keys(done) => {
                let count = work::rows(self.work, keys - done, work::DECODE);
                token.enter::<F, _>(Keys(self, done..done + count));
                if done + count < keys { Stage::Keys(done + count) } else { Stage::Rows(0) }
            }
            Stage::Rows(done) => {
                let count = work::rows(self.work, len - done, work::DECODE);
                token.enter::<F, _>(DecodeRows(self, done..done + count));
                match done + count {
                    done if done < len => Stage::Rows(done),
                    _ if self.is_exact() => Stage::MakeQ(0),
                    _ => Stage::Part,
                }
            }
            Stage::MakeQ(done) => {
                let count = work::rows(self.work, Q_ROWS.min(len - done), work::MAKE_Q);
                token.enter::<F, _>(MakeQ(self, done..done + count))?;
                match done + count {
                    done if done < len => Stage::MakeQ(done),
                    _ if len > SLICES => Stage::Sliced,
                    _ => Stage::TestRows(0),
                }
            }
            Stage::TestRows(done) => {
                let count = work::rows(self.work, len - done, work::TEST);
                token.enter::<F, _>(TestRows(self, done..done + count));
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

    /// Decodes these keys, or takes what is known of prepared ones; writes the identity, B and A of each.
    #[inline(always)]
    fn decode_keys<F: LaneField>(&mut self, token: F::Token, keys: Range<usize>) {
        let rows = self.rows;
        if keys.start == 0 {
            for (multiple, row) in [IDENTITY_ROW, BASE_ROW].into_iter().enumerate() {
                let point = pippenger::base_multiple::<F>(token, multiple as u32);
                F::store_rows(&point, &mut self.points[row..=row]);
            }
        }
        if let Some(first) = rows.prepared_key(0) {
            self.load_prepared::<F>(token, first, keys);
            return;
        }
        for first in keys.clone().step_by(4 * F::LANES) {
            let count = (keys.end - first).min(4 * F::LANES);
            let points = decode::<F>(token, &|i: usize| rows.key(first + i.min(count - 1)));
            let points = points.iter().take(count.div_ceil(F::LANES));
            for (v, Decoded { point, decoding }) in points.enumerate() {
                let at = first + v * F::LANES;
                let lanes = (count - v * F::LANES).min(F::LANES);
                let row = self.key_row(at);
                F::store_rows(&point.affine_cached(), &mut self.points[row..row + lanes]);
                let small = match self.rule.a_order() {
                    Order::Any => 0,
                    Order::RejectSmall => F::bits(point.projective().is_small()),
                };
                let bits = [
                    (DECODES, F::bits(decoding.decodes)),
                    (CANONICAL, F::bits(decoding.canonical)),
                    (SMALL, small),
                ];
                for (lane, key) in self.keys[at..at + lanes].iter_mut().enumerate() {
                    *key = 0;
                    for (bit, mask) in bits {
                        *key |= bit * (mask >> lane & 1) as u8;
                    }
                }
            }
        }
    }

    /// Decodes R of these rows, opens those that no rule refuses for what is known by now, and writes R.
    #[inline(always)]
    fn decode_rows<F: LaneField>(&mut self, token: F::Token, range: Range<usize>) {
        let rows = self.rows;
        for first in range.clone().step_by(4 * F::LANES) {
            let count = (range.end - first).min(4 * F::LANES);
            let r = |i: usize| SignatureHalves::of(rows.signature(first + i.min(count - 1))).r;
            let points = decode::<F>(token, &r);
            let points = points.iter().take(count.div_ceil(F::LANES));
            for (v, Decoded { point, decoding }) in points.enumerate() {
                let at = first + v * F::LANES;
                let lanes = (count - v * F::LANES).min(F::LANES);
                self.open::<F>(token, at, lanes, point, decoding);
                let row = FIRST_ROW + at;
                F::store_rows(&point.affine_cached(), &mut self.points[row..row + lanes]);
            }
        }
    }

    /// Writes A of prepared keys, and what is known about them.
    #[inline(always)]
    fn load_prepared<F: LaneField>(
        &mut self,
        token: F::Token,
        first_key: &'a PreparedKey,
        keys: Range<usize>,
    ) {
        let rows = self.rows;
        for first in keys.clone().step_by(F::LANES) {
            let count = (keys.end - first).min(F::LANES);
            let mut entries = F::PerLane::all(first_key.multiples().multiple(0, 1));
            for (lane, entry) in entries.lanes_mut()[..count].iter_mut().enumerate() {
                let key = rows.prepared_key(first + lane).unwrap_or(first_key);
                let PointFacts { decodes, canonical, small } = key.verifying_key().facts;
                self.keys[first + lane] = u8::from(decodes) * DECODES
                    + u8::from(canonical) * CANONICAL
                    + u8::from(small) * SMALL;
                *entry = key.multiples().multiple(0, 1);
            }
            // the tables are those of −A
            let [y_plus_x, y_minus_x, xy_2d] = F::load_words_vartime(token, &entries);
            let row = self.key_row(first);
            F::store_rows(&[y_minus_x, y_plus_x, neg(&xy_2d)], &mut self.points[row..row + count]);
        }
    }

    /// Applies the rule's demands on bytes to the rows from `at` on, as if every equation held; whether
    /// it does is left open.
    #[inline(always)]
    fn open<F: LaneField>(
        &mut self,
        token: F::Token,
        at: usize,
        lanes: usize,
        r: &Extended<F>,
        decoding: &Decoding<F::Mask>,
    ) {
        let mut bits = [0; 5];
        for lane in 0..lanes {
            let key = self.keys[self.rows.key_of(at + lane)];
            let s = SignatureHalves::of(self.rows.signature(at + lane)).s;
            let below_order = is_below_order(s).is_true_vartime();
            bits[0] |= u32::from(key & DECODES != 0) << lane;
            bits[1] |= u32::from(key & CANONICAL != 0) << lane;
            bits[2] |= u32::from(key & SMALL != 0) << lane;
            bits[3] |= u32::from(below_order) << lane;
            bits[4] |= u32::from(s[31] >> 5 == 0) << lane;
        }
        let all = F::mask(token, u32::MAX);
        let a = PointFacts {
            decodes: F::mask(token, bits[0]),
            canonical: F::mask(token, bits[1]),
            small: F::mask(token, bits[2]),
        };
        let r = PointFacts {
            decodes: decoding.decodes,
            canonical: decoding.canonical,
            small: match self.rule.r_order() {
                Order::Any => !all,
                Order::RejectSmall => r.projective().is_small(),
            },
        };
        let s = [F::mask(token, bits[3]), F::mask(token, bits[4])];
        let facts = Facts::of(a, r, s, all, all);
        let refusals = decide(self.rule, &facts);
        self.states.open(at..at + lanes, &refusals, |mask| F::bits(mask) & lanes_mask::<F>());
    }

    /// Q = R + [k mod 8]A takes the place of R in the open ones of these rows. With k mod 8 taken from
    /// −3 to 4, rows of the same magnitude go together, so that none does more than it needs; where it
    /// is 0, Q is R.
    #[inline(always)]
    fn make_q<F: LaneField>(&mut self, token: F::Token, range: Range<usize>) -> Option<()> {
        let len = range.len();
        let first_key = self.key_row(0);
        let Combination { memory, points, scalars, states, rows, .. } = self;
        let mut memory = memory.again();
        let order = memory.take::<u32>(len)?;
        // for each magnitude one vector may not be full
        let prefixes = take_points::<F>(token, &mut memory, len.div_ceil(4 * F::LANES) + 1)?;
        let magnitude = |row: usize| match states.is_open(row) {
            true => torsion_multiplier(&scalars[row]).unsigned_abs() as usize,
            false => 0,
        };
        // where the rows of each magnitude begin, and then where they end
        let mut places = [0; 5];
        for row in range.clone() {
            places[magnitude(row)] += 1;
        }
        let mut first = 0;
        for place in &mut places[1..] {
            first += core::mem::replace(place, first);
        }
        for row in range {
            let magnitude = magnitude(row);
            if magnitude > 0 {
                order[places[magnitude]] = row as u32;
                places[magnitude] += 1;
            }
        }
        places[0] = 0;
        let order = &*order;
        let vectors = (1..5).flat_map(|magnitude| {
            let listed = order[places[magnitude - 1]..places[magnitude]].chunks(F::LANES);
            listed.map(move |listed| (magnitude, listed))
        });
        let mut products = Products::new(token);
        let mut count = 0;
        let mut next = vectors.clone().skip(1);
        for (magnitude, listed) in vectors.clone() {
            for row in next.next().map_or(&[][..], |(_, listed)| listed) {
                let row = *row as usize;
                prefetch(&points[FIRST_ROW + row]);
                prefetch(&points[first_key + rows.key_of(row)]);
            }
            let mut keys = F::PerLane::<u32>::all(0);
            let mut minus = 0;
            for (lane, key) in keys.lanes_mut().iter_mut().enumerate() {
                let row = listed[lane.min(listed.len() - 1)] as usize;
                *key = (first_key + rows.key_of(row)) as u32;
                minus |= u32::from(torsion_multiplier(&scalars[row]) < 0) << lane;
            }
            let a = F::load_rows_vartime(token, points, &keys);
            let r = load_listed::<F>(token, points, listed);
            let q = add_multiple::<F>(&r, magnitude, &a, F::mask(token, minus));
            store_listed(&q, points, listed);
            prefixes[count / 4][count % 4] = products.push(&q[2]).widen();
            count += 1;
        }
        // affine, with one inversion for all
        let mut inverses = products.invert();
        for (_, listed) in vectors.rev() {
            count -= 1;
            let [x, y, z] = load_listed::<F>(token, points, listed);
            let z_inverse = inverses.pop(&z, &F::times::<1>(&prefixes[count / 4][count % 4]));
            let point = Extended::from_affine(&mul(&x, &z_inverse), &mul(&y, &z_inverse));
            store_listed(&point.affine_cached(), points, listed);
        }
        Some(())
    }

    /// Finds those of these rows whose Q carries torsion: D of these is not 0.
    #[inline(always)]
    fn test_torsion<F: LaneField>(&mut self, token: F::Token, range: Range<usize>) {
        let len = range.end;
        for at in range.step_by(4 * F::LANES) {
            let mut q = [Projective::identity(token); 4];
            for (v, q) in q.iter_mut().enumerate() {
                let triple = load::<F>(token, self.points, len, at + v * F::LANES);
                *q = Projective::from_cached(&triple, F::mask(token, 0));
            }
            let member = token.enter::<F, _>(TestTorsion(&q));
            for i in 0..(len - at).min(4 * F::LANES) {
                if F::bits(member[i / F::LANES]) >> (i % F::LANES) & 1 == 0 {
                    self.states.equation_fails(at + i);
                }
            }
        }
    }

    /// Takes the next part that is to be tested, if it has an open row. What is left open in the end is for lanes. The Q
    /// of open rows are free of torsion by now.
    #[inline(always)]
    fn draw_part<F: LaneField>(&mut self) -> Option<Stage> {
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

    /// Takes in whether the equations of all that was tested hold.
    fn part_holds(&mut self, holds: bool) -> Stage {
        self.state.search.tested(holds);
        Stage::Part
    }

    /// Whether [8](Σ zD) = 0 over the open rows of what is tested, whose equations then hold.
    #[inline(always)]
    fn sum_part<F: LaneField>(&mut self, token: F::Token, mut done: u32) -> Option<Stage> {
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
        let sum = MultiScalar {
            memory: self.memory.again(),
            windows,
            rows: self.points,
            scalars: &lists,
            slices: None,
            done: &mut done,
            work: self.work,
        };
        let Some(sum) = token.enter::<F, _>(sum)? else { return Some(Stage::Sum(done)) };
        let holds = sum.projective().times_8().is_identity().is_true_vartime();
        if holds {
            self.states.equations_hold(low..high);
        }
        Some(self.part_holds(holds))
    }

    /// Coefficients for all open rows of an exact rule: unsigned ones, whose bits have slices.
    #[inline(always)]
    fn draw_sliced<F: LaneField>(&mut self) -> Option<Stage> {
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
        self.combine_scalars(0, len, &[0; 4], windows);
        Some(Stage::SlicedKeys(0))
    }

    /// The sum over the keys and B.
    #[inline(always)]
    fn sum_keys<F: LaneField>(&mut self, token: F::Token, mut done: u32) -> Option<Stage> {
        let len = self.rows.len();
        let keys = self.keys_of(0, len);
        let windows = self.signed_windows::<F>(keys.len())?;
        let lists = [
            key_scalars(self.scalars, keys, FIRST_ROW + len, windows),
            Scalars::NONE,
            base_scalar(&self.state.base, windows),
        ];
        let sum = MultiScalar {
            memory: self.memory.again(),
            windows,
            rows: self.points,
            scalars: &lists,
            slices: None,
            done: &mut done,
            work: self.work,
        };
        let Some(sum) = token.enter::<F, _>(sum)? else { return Some(Stage::SlicedKeys(done)) };
        self.state.keys_sum = sum;
        Some(Stage::SlicedRows(0))
    }

    /// The sum over the rows, with its slices in the memory's first place, and whether the equation holds.
    #[inline(always)]
    fn sum_sliced<F: LaneField>(&mut self, token: F::Token, mut done: u32) -> Option<Stage> {
        // the keys' points have been used: what follows needs those of the rows only
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
        let sum = MultiScalar {
            memory,
            windows,
            rows: self.points,
            scalars: &[random, Scalars::NONE, Scalars::NONE],
            slices: Some(slices),
            done: &mut done,
            work: self.work,
        };
        let Some(sum) = token.enter::<F, _>(sum)? else { return Some(Stage::SlicedRows(done)) };
        let sum = self.state.keys_sum.add(&sum.cached()).extended();
        self.state.holds = sum.projective().times_8().is_identity().is_true_vartime();
        Some(Stage::Slices(0))
    }

    /// Whether the slices are free of torsion. If one is not, each row is tested; if the equation does not hold
    /// either, the whole has a bad row.
    #[inline(always)]
    fn test_slices<F: LaneField>(&mut self, token: F::Token, done: usize) -> Option<Stage> {
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
            |i| SignatureHalves::of(rows.signature(low + i)).s,
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

    /// The keys of the rows from `low` to `high`.
    fn keys_of(&self, low: usize, high: usize) -> Range<usize> {
        self.rows.key_of(low)..self.rows.key_of(high - 1) + 1
    }

    /// Signed windows for a test of these rows: their keys are in all windows, the rows in every other one.
    #[inline(always)]
    fn part_windows<F: LaneField>(&self, low: usize, high: usize) -> Option<Windows> {
        self.signed_windows::<F>(self.keys_of(low, high).len() + (high - low) / 2)
    }

    /// Signed windows with so many points each.
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

/// The triples of the rows from `at` on; past the end those of the last row.
#[inline(always)]
fn load<F: LaneField>(token: F::Token, points: &[Row], len: usize, at: usize) -> [F; 3] {
    let mut index = F::PerLane::<u32>::all(0);
    for (lane, index) in index.lanes_mut().iter_mut().enumerate() {
        *index = (FIRST_ROW + (at + lane).min(len - 1)) as u32;
    }
    F::load_rows_vartime(token, points, &index)
}

/// R + [magnitude]A, or R − [magnitude]A where the mask is set, as X, Y and Z, for a magnitude from 1
/// to 4.
#[inline(always)]
fn add_multiple<F: LaneField>(r: &[F; 3], magnitude: usize, a: &[F; 3], minus: F::Mask) -> [F; 3] {
    let mut multiple = if magnitude == 1 {
        Extended::from_cached(a, minus)
    } else {
        let mut multiple = Projective::from_cached(a, minus);
        let mut doublings = magnitude / 2;
        loop {
            let twice = multiple.double();
            doublings -= 1;
            if doublings == 0 {
                break twice.extended();
            }
            multiple = twice.projective();
        }
    };
    if magnitude == 3 {
        multiple = multiple.add_affine_signed(&pippenger::affine(a), minus).extended();
    }
    multiple.add_affine(&pippenger::affine(r)).xyz()
}

/// The triples of these rows, as many as lanes or fewer: the last one stands for those that are
/// missing.
#[inline(always)]
fn load_listed<F: LaneField>(token: F::Token, points: &[Row], listed: &[u32]) -> [F; 3] {
    let mut index = F::PerLane::<u32>::all(0);
    for (lane, index) in index.lanes_mut().iter_mut().enumerate() {
        *index = FIRST_ROW as u32 + listed[lane.min(listed.len() - 1)];
    }
    F::load_rows_vartime(token, points, &index)
}

/// Writes the triples of these rows, as many as lanes or fewer.
#[inline(always)]
fn store_listed<F: LaneField>(triples: &[F; 3], points: &mut [Row], listed: &[u32]) {
    let mut lanes = F::PerLane::all([Line([0; 8]); 2]);
    F::store_rows(triples, lanes.lanes_mut());
    for (triple, row) in lanes.lanes().iter().zip(listed) {
        points[FIRST_ROW + *row as usize] = *triple;
    }
}

/// Widths of signed windows that cut integers below ℓ, with an offset, into windows that are all full.
const SIGNED_WIDTHS: [u32; 7] = [11, 9, 8, 7, 6, 5, 4];
const UNSIGNED_WIDTHS: [u32; 5] = [10, 8, 6, 5, 4];

/// The width that was measured best for a number of points in each window.
fn preferred_width<F: LaneField>(points: usize) -> u32 {
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

/// The same for unsigned windows, which have twice the buckets; eight lanes share 32 windows, but not 26.
fn preferred_unsigned_width<F: LaneField>(points: usize) -> u32 {
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
fn z_windows(windows: Windows) -> (u32, u32) {
    let count = 128_u32.div_ceil(windows.width);
    (count, count * windows.width)
}

/// How many vectors the slices of a coefficient's windows are.
fn slice_elements<F: LaneField>(windows: Windows) -> usize {
    128_u32.div_ceil(windows.width).div_ceil(F::LANES as u32) as usize * windows.width as usize
}

/// Windows of what `with_offset` returns: 252 bits, and the bit above them in the last window.
fn scalar_windows(windows: Windows) -> u32 {
    252_u32.div_ceil(windows.width)
}

/// x + offset or x + offset − ℓ, for x below ℓ and the offset of signed windows: an integer that its windows hold, as
/// [`Scalars::windows`] says, for every x, also one that an attacker has chosen. 0 stays 0: its row need not be a point.
///
/// - Windows that reach further than 252 bits (width 5, 8 and 11: 255, 256 and 253) hold all of x + offset less ℓ,
///   which is below max(ℓ, offset).
/// - Windows of width 4, 6, 7 and 9 reach 252 bits, and the offset is below 2^252. The result is below ℓ = 2^252 + c,
///   c < 2^125. From 2^252 on, its bits 125 to 251 are 0, the last window's among them.
fn with_offset(x: &[u64; 4], offset: &[u64; 4]) -> [u64; 4] {
    if *x == [0; 4] {
        return *offset;
    }
    sum_less_order(x, offset)
}

/// Words 4 to 7.
#[inline(always)]
fn words_behind(words: &[u64; 8]) -> [u64; 4] {
    let [.., a, b, c, d] = *words;
    [a, b, c, d]
}

fn key_scalars(
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

fn base_scalar(words: &[u64; 4], windows: Windows) -> Scalars<'_> {
    Scalars {
        words,
        stride: 4,
        start: 0,
        first_row: BASE_ROW as u32,
        windows: scalar_windows(windows),
    }
}

/// k mod 8 between −3 and 4.
fn torsion_multiplier(k: &[u64; 8]) -> i32 {
    ((k[0] as i32 + 3) & 7) - 3
}

/// Where [`MultiScalar`] has left the sum of the points whose scalar has a bit.
#[inline(always)]
fn slice_position<F: LaneField>(width: u32, bit: usize) -> usize {
    let (window, k) = (bit as u32 / width, bit as u32 % width);
    let lanes = F::LANES as u32;
    ((window / lanes * width + k) * lanes + window % lanes) as usize
}

fn lanes_mask<F: LaneField>() -> u32 {
    u32::MAX >> (32 - F::LANES)
}

/// The points of `4·LANES` encodings.
#[inline(always)]
fn decode<'a, F: LaneField>(
    token: F::Token,
    encoding: &dyn Fn(usize) -> &'a [u8; 32],
) -> [Decoded<F>; 4] {
    let mut vectors = [F::Bytes::all([0; 32]); 4];
    for (v, vector) in vectors.iter_mut().enumerate() {
        for (lane, place) in vector.lanes_mut().iter_mut().enumerate() {
            *place = *encoding(v * F::LANES + lane);
        }
    }
    token.enter::<F, _>(Decode(vectors.each_ref()))
}

/// Steps of a combination as functions of their own, so that what each keeps on the stack is gone when the
/// next begins.
struct Keys<'a, C>(&'a mut C, Range<usize>);

impl<'a, F: LaneField, R: RowsByKey<'a>> Kernel<F> for Keys<'_, Combination<'_, '_, R>> {
    type Output = ();

    #[inline(always)]
    fn run(self, token: F::Token) {
        self.0.decode_keys::<F>(token, self.1);
    }
}

struct DecodeRows<'a, C>(&'a mut C, Range<usize>);

impl<'a, F: LaneField, R: RowsByKey<'a>> Kernel<F> for DecodeRows<'_, Combination<'_, '_, R>> {
    type Output = ();

    #[inline(always)]
    fn run(self, token: F::Token) {
        self.0.decode_rows::<F>(token, self.1);
    }
}

struct MakeQ<'a, C>(&'a mut C, Range<usize>);

impl<'a, F: LaneField, R: RowsByKey<'a>> Kernel<F> for MakeQ<'_, Combination<'_, '_, R>> {
    type Output = Option<()>;

    #[inline(always)]
    fn run(self, token: F::Token) -> Option<()> {
        self.0.make_q::<F>(token, self.1)
    }
}

struct TestRows<'a, C>(&'a mut C, Range<usize>);

impl<'a, F: LaneField, R: RowsByKey<'a>> Kernel<F> for TestRows<'_, Combination<'_, '_, R>> {
    type Output = ();

    #[inline(always)]
    fn run(self, token: F::Token) {
        self.0.test_torsion::<F>(token, self.1);
    }
}

/// Which of four vectors of points lie in the prime-order subgroup.
struct TestTorsion<'a, F: LaneField>(&'a [Projective<F>; 4]);

impl<F: LaneField> Kernel<F> for TestTorsion<'_, F> {
    type Output = [F::Mask; 4];

    #[inline(always)]
    fn run(self, _: F::Token) -> [F::Mask; 4] {
        are_torsion_free(self.0)
    }
}

#[cfg(test)]
#[path = "../tests/combination.rs"]
mod tests;
