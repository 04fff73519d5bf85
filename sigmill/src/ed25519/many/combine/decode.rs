//! The first stages of a combination: A of each key and R of each row as points, and the facts about them.

use super::state::{Combination, RowsByKey};
use super::windows::{BASE_ROW, FIRST_ROW, IDENTITY_ROW};
use crate::curve::edwards::pippenger;
use crate::curve::edwards::{Decode, Decoded, Decoding, Extended};
use crate::ed25519::bytes::halves;
use crate::ed25519::rules::{Facts, Order, PointFacts, decide};
use crate::ed25519::verifying::PreparedKey;
use crate::field::algebra::LaneArray;
use crate::field::f25519::LaneField;
use crate::field::f25519::neg;
use crate::scalar::l25519::is_below_order;
use crate::simd::{Instructions, Kernel};
use core::ops::Range;

/// Facts about a key, as bits.
const DECODES: u8 = 1;
const CANONICAL: u8 = 2;
const SMALL: u8 = 4;

/// Decodes these keys, or takes the points of prepared ones, and writes A of each. The first call writes the identity and
/// B, too.
pub(super) struct DecodeKeys<'c, C> {
    pub(super) combination: &'c mut C,
    pub(super) keys: Range<usize>,
}

impl<'a, F: LaneField, R: RowsByKey<'a>> Kernel<F> for DecodeKeys<'_, Combination<'_, '_, R>> {
    type Output = ();

    #[inline(always)]
    fn run(self, token: F::Token) {
        let DecodeKeys { combination, keys } = self;
        let rows = combination.rows;
        if keys.start == 0 {
            for (multiple, row) in [IDENTITY_ROW, BASE_ROW].into_iter().enumerate() {
                let point = pippenger::base_multiple::<F>(token, multiple as u32);
                F::store_rows(&point, &mut combination.points[row..=row]);
            }
        }
        if let Some(first) = rows.prepared_key(0) {
            combination.load_prepared::<F>(token, first, keys);
            return;
        }
        for first in keys.clone().step_by(4 * F::LANES) {
            let count = (keys.end - first).min(4 * F::LANES);
            let points = decode::<F>(token, &|i: usize| rows.key(first + i.min(count - 1)));
            let points = points.iter().take(count.div_ceil(F::LANES));
            for (v, Decoded { point, decoding }) in points.enumerate() {
                let at = first + v * F::LANES;
                let lanes = (count - v * F::LANES).min(F::LANES);
                let row = combination.key_row(at);
                F::store_rows(&point.affine_cached(), &mut combination.points[row..row + lanes]);
                let small = match combination.rule.a_order() {
                    Order::Any => 0,
                    Order::RejectSmall => F::bits(point.projective().is_small()),
                };
                let bits = [
                    (DECODES, F::bits(decoding.decodes)),
                    (CANONICAL, F::bits(decoding.canonical)),
                    (SMALL, small),
                ];
                for (lane, key) in combination.keys[at..at + lanes].iter_mut().enumerate() {
                    *key = 0;
                    for (bit, mask) in bits {
                        *key |= bit * (mask >> lane & 1) as u8;
                    }
                }
            }
        }
    }
}

/// Decodes R of these rows, opens the rows that the rule does not refuse for the facts so far, and writes R.
pub(super) struct DecodeRows<'c, C> {
    pub(super) combination: &'c mut C,
    pub(super) range: Range<usize>,
}

impl<'a, F: LaneField, R: RowsByKey<'a>> Kernel<F> for DecodeRows<'_, Combination<'_, '_, R>> {
    type Output = ();

    #[inline(always)]
    fn run(self, token: F::Token) {
        let DecodeRows { combination, range } = self;
        let rows = combination.rows;
        for first in range.clone().step_by(4 * F::LANES) {
            let count = (range.end - first).min(4 * F::LANES);
            let r = |i: usize| halves(rows.signature(first + i.min(count - 1)))[0];
            let points = decode::<F>(token, &r);
            let points = points.iter().take(count.div_ceil(F::LANES));
            for (v, Decoded { point, decoding }) in points.enumerate() {
                let at = first + v * F::LANES;
                let lanes = (count - v * F::LANES).min(F::LANES);
                combination.open::<F>(token, at, lanes, point, decoding);
                let row = FIRST_ROW + at;
                F::store_rows(&point.affine_cached(), &mut combination.points[row..row + lanes]);
            }
        }
    }
}

impl<'a, R: RowsByKey<'a>> Combination<'_, '_, R> {
    /// Writes A of prepared keys, and the facts about them.
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
            let [_, s] = halves(self.rows.signature(at + lane));
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
}

/// The bits of all lanes.
pub(super) fn lanes_mask<F: LaneField>() -> u32 {
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
