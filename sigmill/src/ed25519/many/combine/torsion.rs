//! The middle stages of a combination under an exact rule: Q of each row, and its test for torsion.

use super::state::{Combination, RowsByKey};
use super::windows::FIRST_ROW;
use crate::curve::edwards::pippenger;
use crate::curve::edwards::torsion::are_torsion_free;
use crate::curve::edwards::{Extended, Projective};
use crate::field::algebra::LaneArray;
use crate::field::f25519::{LaneField, Row};
use crate::field::f25519::{Products, mul, take_points};
use crate::memory::Line;
use crate::simd::{Instructions, Kernel, prefetch};
use core::ops::Range;

/// The most rows whose Q are made together: few enough to stay in the cache, and enough for one inversion.
pub(super) const Q_ROWS: usize = 2048;

/// Puts Q = R + [k mod 8]A in the place of R, in the rows of the range that are open. With k mod 8 from −3 to 4, rows of the
/// same magnitude go together, so that none does more than it needs. A row with 0 has Q = R.
pub(super) struct MakeQ<'c, C> {
    pub(super) combination: &'c mut C,
    pub(super) range: Range<usize>,
}

impl<'a, F: LaneField, R: RowsByKey<'a>> Kernel<F> for MakeQ<'_, Combination<'_, '_, R>> {
    /// `None` if there is too little memory.
    type Output = Option<()>;

    #[inline(always)]
    fn run(self, token: F::Token) -> Option<()> {
        let MakeQ { combination, range } = self;
        let len = range.len();
        let first_key = combination.key_row(0);
        let Combination { memory, points, scalars, states, rows, .. } = combination;
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
}

/// Finds the rows of the range whose Q carries torsion: their D is not 0.
pub(super) struct TestRows<'c, C> {
    pub(super) combination: &'c mut C,
    pub(super) range: Range<usize>,
}

impl<'a, F: LaneField, R: RowsByKey<'a>> Kernel<F> for TestRows<'_, Combination<'_, '_, R>> {
    type Output = ();

    #[inline(always)]
    fn run(self, token: F::Token) {
        let TestRows { combination, range } = self;
        let len = range.end;
        for at in range.step_by(4 * F::LANES) {
            let mut q = [Projective::identity(token); 4];
            for (v, q) in q.iter_mut().enumerate() {
                let triple = load::<F>(token, combination.points, len, at + v * F::LANES);
                *q = Projective::from_cached(&triple, F::mask(token, 0));
            }
            let member = token.enter::<F, _>(TestTorsion(&q));
            for i in 0..(len - at).min(4 * F::LANES) {
                if F::bits(member[i / F::LANES]) >> (i % F::LANES) & 1 == 0 {
                    combination.states.equation_fails(at + i);
                }
            }
        }
    }
}

/// Tests which points of four vectors lie in the prime-order subgroup.
pub(super) struct TestTorsion<'a, F: LaneField>(pub(super) &'a [Projective<F>; 4]);

impl<F: LaneField> Kernel<F> for TestTorsion<'_, F> {
    type Output = [F::Mask; 4];

    #[inline(always)]
    fn run(self, _: F::Token) -> [F::Mask; 4] {
        are_torsion_free(self.0)
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

/// k mod 8 between −3 and 4.
fn torsion_multiplier(k: &[u64; 8]) -> i32 {
    ((k[0] as i32 + 3) & 7) - 3
}
