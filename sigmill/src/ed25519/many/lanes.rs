//! Verification of several signatures at once, one in each lane, each by its own equation.
//!
//! With (u, c) such that u = c·k (mod 8ℓ) and c odd, multiplication by c is a bijection of the whole
//! group, so that [S]B − [k]A − R is the identity exactly if [c·S]B − [u]A − [c]R is, and the same
//! holds for their multiples by 8. Both integers have half the length of k, which halves the doublings
//! (Antipa, Brown, Gallant, Lambert, Struik, Vanstone 2005; the modulus 8ℓ keeps torsion exact).
//! R has to be a point for that. If it is none, or if its encoding is not canonical, the exact
//! equation cannot hold, because a sum's encoding is canonical.
//!
//! Public inputs only: time depends on them.

use crate::cpu::Backend;
use crate::curve::edwards::lanes::{
    Fill, Multiples, Term, Words, multiply_prepared_vartime, multiply_vartime,
};
use crate::curve::edwards::{Decode, Decoded, Decoding, Projective};
use crate::ed25519::bytes::halves;
use crate::ed25519::rules::{Equation, Facts, Order, PointFacts, Rule, decide, verdicts};
use crate::ed25519::verifying::PreparedKey;
use crate::error::Verdict;
use crate::field::algebra::LaneArray;
use crate::field::f25519::LaneField;
use crate::scalar::half_size::{self, half_size_vartime};
use crate::scalar::l25519::{Scalar, is_below_order};
use crate::scalar::lanes::products_of_eight;
use crate::simd::{Instructions, Kernel, prefetch};

/// A signature with k, below ℓ, and the key it is for: its encoding, or a prepared one.
#[derive(Clone, Copy)]
pub(crate) struct Row<'a, K> {
    pub(crate) key: &'a K,
    pub(crate) signature: &'a [u8; 64],
    pub(crate) k: [u64; 4],
}

/// Verifies rows in lanes: `row(i)` for i below `len`. `verdict` takes each row's verdict, or `None` where the row has to be
/// verified singly, because its scalar has no short multiple. That is rarer than one in 10^4, and none with a prepared
/// key.
pub(crate) struct VerifyRows<'r, 'a, K> {
    /// For arithmetic mod ℓ.
    pub(crate) backend: Backend,
    pub(crate) rule: &'r Rule,
    pub(crate) len: usize,
    pub(crate) row: &'r dyn Fn(usize) -> Row<'a, K>,
    pub(crate) verdict: &'r mut dyn FnMut(usize, Option<Verdict>),
}

impl<F: LaneField, K: LaneKey> Kernel<F> for VerifyRows<'_, '_, K> {
    type Output = ();

    #[inline(always)]
    fn run(mut self, token: F::Token) {
        let mut first = 0;
        while first < self.len {
            // the points of two groups side by side: square roots are latency-bound
            first += if self.len - first > F::LANES {
                K::verify_two::<F>(&mut self, token, first)
            } else {
                K::verify_one::<F>(&mut self, token, first)
            };
        }
    }
}

/// A key as a row has it.
pub(crate) trait LaneKey: Sized {
    /// Verifies two groups from a row on, the last padded; returns how many rows they are.
    fn verify_two<F: LaneField>(
        rows: &mut VerifyRows<'_, '_, Self>,
        token: F::Token,
        first: usize,
    ) -> usize;

    /// The same of one group.
    fn verify_one<F: LaneField>(
        rows: &mut VerifyRows<'_, '_, Self>,
        token: F::Token,
        first: usize,
    ) -> usize;
}

#[rustfmt::skip]
impl LaneKey for [u8; 32] {
    fn verify_two<F: LaneField>(rows: &mut VerifyRows<'_, '_, Self>, token: F::Token, first: usize) -> usize {
        rows.groups::<F, 2, 4>(token, first)
    }
    fn verify_one<F: LaneField>(rows: &mut VerifyRows<'_, '_, Self>, token: F::Token, first: usize) -> usize {
        rows.groups::<F, 1, 2>(token, first)
    }
}

#[rustfmt::skip]
impl LaneKey for PreparedKey {
    // [S]B − [k]A comes from the tables of the keys
    fn verify_two<F: LaneField>(rows: &mut VerifyRows<'_, '_, Self>, token: F::Token, first: usize) -> usize {
        rows.prepared_groups::<F, 2>(token, first)
    }
    fn verify_one<F: LaneField>(rows: &mut VerifyRows<'_, '_, Self>, token: F::Token, first: usize) -> usize {
        rows.prepared_groups::<F, 1>(token, first)
    }
}

impl<'a, K> VerifyRows<'_, 'a, K> {
    /// The row in a lane of group `g` from a row on; the last one again past the end.
    fn row_of<F: LaneField>(&self, first: usize, g: usize, lane: usize) -> Row<'a, K> {
        (self.row)((first + g * F::LANES + lane).min(self.len - 1))
    }

    /// Tells the verdicts of group `g` from a row on.
    fn tell<F: LaneField>(
        &mut self,
        first: usize,
        g: usize,
        verdicts: &F::PerLane<Option<Verdict>>,
    ) {
        let first = first + g * F::LANES;
        let len = self.len.saturating_sub(first).min(F::LANES);
        for (lane, verdict) in verdicts.lanes()[..len].iter().enumerate() {
            (self.verdict)(first + lane, *verdict);
        }
    }
}

impl VerifyRows<'_, '_, [u8; 32]> {
    /// Verifies N groups from a row on, with twice as many vectors of points, the last padded; returns how
    /// many rows they are. A function of its own, so that its frame is no part of the caller's.
    #[inline(never)]
    fn groups<F: LaneField, const N: usize, const POINTS: usize>(
        &mut self,
        token: F::Token,
        first: usize,
    ) -> usize {
        const { assert!(POINTS == 2 * N) };
        let mut groups = [Group::<F>::empty(); N];
        for (g, group) in groups.iter_mut().enumerate() {
            let row = |lane: usize| self.row_of::<F>(first, g, lane);
            token.enter::<F, _>(FillGroup { backend: self.backend, row: &row, group });
        }
        let bytes =
            core::array::from_fn(|i| if i % 2 == 0 { &groups[i / 2].a } else { &groups[i / 2].r });
        let points = token.enter::<F, _>(Decode::<F, POINTS>(bytes));
        for (g, group) in groups.iter().enumerate() {
            let (a, r) = (&points[2 * g], &points[2 * g + 1]);
            let verdicts = token.enter::<F, _>(VerifyGroup { group, rule: self.rule, a, r });
            self.tell::<F>(first, g, &verdicts);
        }
        N * F::LANES
    }
}

/// A row in each lane, before any point is decoded.
#[derive(Clone, Copy)]
struct Group<F: LaneField> {
    a: F::Bytes,
    r: F::Bytes,
    /// |u| and c.
    halves: [Words<F, 3>; 2],
    u_negative: u32,
    /// c·S mod ℓ.
    base: Words<F, 4>,
    s_below_order: u32,
    s_top_bits_clear: u32,
    /// Lanes whose k has no short multiple.
    unhalved: u32,
    windows: u32,
}

impl<F: LaneField> Group<F> {
    fn empty() -> Self {
        let zero = F::PerLane::<u64>::all(0);
        let nothing = F::Bytes::all([0; 32]);
        Group {
            a: nothing,
            r: nothing,
            halves: [[zero; 3]; 2],
            u_negative: 0,
            base: [zero; 4],
            s_below_order: 0,
            s_top_bits_clear: 0,
            unhalved: 0,
            windows: 1,
        }
    }
}

/// Fills an empty group with a row for each lane, in its place: a returned group would lie on the stack twice.
struct FillGroup<'g, 'r, 'a, F: LaneField> {
    backend: Backend,
    row: &'r dyn Fn(usize) -> Row<'a, [u8; 32]>,
    group: &'g mut Group<F>,
}

impl<F: LaneField> Kernel<F> for FillGroup<'_, '_, '_, F> {
    type Output = ();

    #[inline(always)]
    fn run(self, _: F::Token) {
        let FillGroup { backend, row, group } = self;
        let mut a = F::Bytes::all([0; 32]);
        let mut r = F::Bytes::all([0; 32]);
        let mut k = [[0; 4]; 8];
        let mut s = [[0; 32]; 8];
        for lane in 0..F::LANES {
            let row = row(lane);
            let [row_r, row_s] = halves(row.signature);
            a.lanes_mut()[lane] = *row.key;
            r.lanes_mut()[lane] = *row_r;
            s[lane] = *row_s;
            k[lane] = row.k;
            group.s_below_order |= u32::from(is_below_order(row_s).is_true_vartime()) << lane;
            group.s_top_bits_clear |= u32::from(row_s[31] >> 5 == 0) << lane;
        }
        (group.a, group.r) = (a, r);
        let halved = half_size_vartime::<8>(&k);
        let base = products_of_eight(backend, F::LANES, &halved.c, &s);
        for (words, lanes) in group.base.iter_mut().zip(&base) {
            words.lanes_mut().copy_from_slice(&lanes[..F::LANES]);
        }
        let mut bits = 1;
        for lane in 0..F::LANES {
            group.unhalved |= u32::from(!halved.ok[lane]) << lane;
            group.u_negative |= u32::from(halved.u_negative[lane]) << lane;
            let [mut u, mut c] = [[0; 3]; 2];
            for word in 0..3 {
                (u[word], c[word]) = (halved.u[word][lane], halved.c[word][lane]);
                group.halves[0][word].lanes_mut()[lane] = u[word];
                group.halves[1][word].lanes_mut()[lane] = c[word];
            }
            if halved.ok[lane] {
                bits = bits.max(bit_length(&u)).max(bit_length(&c));
            }
        }
        // B's digits reach up to bit 128; the signed digits of the halves need two bits of room
        group.windows = (bits + 2).div_ceil(4).clamp(32, half_size::BOUND.div_ceil(4) + 1);
    }
}

/// Computes the residual of each row of a group, and gives the verdicts.
struct VerifyGroup<'a, F: LaneField> {
    group: &'a Group<F>,
    rule: &'a Rule,
    a: &'a Decoded<F>,
    r: &'a Decoded<F>,
}

impl<F: LaneField> Kernel<F> for VerifyGroup<'_, F> {
    type Output = F::PerLane<Option<Verdict>>;

    #[inline(always)]
    fn run(self, token: F::Token) -> Self::Output {
        let VerifyGroup { group, rule, a, r } = &self;
        let mut multiples = [Multiples::new(token); 2];
        for (multiples, point) in multiples.iter_mut().zip([a, r]) {
            token.enter::<F, _>(Fill { multiples, point: &point.point });
        }
        let residual = multiply_vartime::<F>(
            token,
            group.windows,
            &[
                Term {
                    multiples: &multiples[0],
                    scalars: group.halves[0],
                    negative: !group.u_negative,
                },
                Term { multiples: &multiples[1], scalars: group.halves[1], negative: u32::MAX },
            ],
            &group.base,
        )
        .projective();
        let a = facts_of(token, a, rule.a_order());
        let s = [group.s_below_order, group.s_top_bits_clear];
        let residual = &residual;
        let mut verdicts = token.enter::<F, _>(ApplyRule { rule, residual, a, r, s });
        for (lane, verdict) in verdicts.lanes_mut().iter_mut().enumerate() {
            if group.unhalved >> lane & 1 == 1 {
                *verdict = None;
            }
        }
        verdicts
    }
}

/// The facts that a rule looks at: the order of a point where small ones are refused.
#[inline(always)]
fn facts_of<F: LaneField>(
    token: F::Token,
    decoded: &Decoded<F>,
    order: Order,
) -> PointFacts<F::Mask> {
    let Decoded { point, decoding: Decoding { decodes, canonical } } = *decoded;
    let small = match order {
        Order::Any => F::mask(token, 0),
        Order::RejectSmall => point.projective().is_small(),
    };
    PointFacts { decodes, canonical, small }
}

/// Finds the facts about the residual, and gives the verdicts. The residual is [S]B − [k]A − R, or an odd multiple of it that
/// is prime to the group's order. `s` are the lanes with S below ℓ, and those with S below 2^253. A function of its own for
/// both kinds of rows.
struct ApplyRule<'a, F: LaneField> {
    rule: &'a Rule,
    residual: &'a Projective<F>,
    a: PointFacts<F::Mask>,
    r: &'a Decoded<F>,
    s: [u32; 2],
}

impl<F: LaneField> Kernel<F> for ApplyRule<'_, F> {
    type Output = F::PerLane<Option<Verdict>>;

    #[inline(always)]
    fn run(self, token: F::Token) -> Self::Output {
        let ApplyRule { rule, residual, a, r, s: [s_below_order, s_top_bits_clear] } = self;
        let identity = residual.is_identity();
        let exact = identity & r.decoding.decodes & r.decoding.canonical;
        let lanes = u32::MAX >> (32 - F::LANES);
        let cofactored = match rule.equation() {
            Equation::Cofactored if F::bits(identity) & lanes != lanes => {
                residual.times_8().is_identity()
            }
            _ => identity,
        };
        let s = [F::mask(token, s_below_order), F::mask(token, s_top_bits_clear)];
        let facts = Facts::of(a, facts_of(token, r, rule.r_order()), s, exact, cofactored);
        let mut concluded = F::PerLane::<Option<Verdict>>::all(None);
        verdicts(&decide(rule, &facts), F::bits, concluded.lanes_mut());
        concluded
    }
}

impl VerifyRows<'_, '_, PreparedKey> {
    /// Verifies N groups from a row on, the last padded; returns how many rows they are.
    #[inline(never)]
    fn prepared_groups<F: LaneField, const N: usize>(
        &mut self,
        token: F::Token,
        first: usize,
    ) -> usize {
        let groups: [_; N] = core::array::from_fn(|g| {
            let row = |lane: usize| self.row_of::<F>(first, g, lane);
            PreparedGroup::<F>::new(&row)
        });
        let bytes = core::array::from_fn(|g| &groups[g].r);
        let points = token.enter::<F, _>(Decode::<F, N>(bytes));
        for (g, group) in groups.iter().enumerate() {
            let r = &points[g];
            let verdicts = token.enter::<F, _>(VerifyPreparedGroup { group, rule: self.rule, r });
            self.tell::<F>(first, g, &verdicts);
        }
        N * F::LANES
    }
}

/// A row with a prepared key in each lane, before R is decoded.
struct PreparedGroup<'a, F: LaneField> {
    keys: F::PerLane<&'a PreparedKey>,
    r: F::Bytes,
    k: Words<F, 4>,
    /// S mod ℓ.
    base: Words<F, 4>,
    s_below_order: u32,
    s_top_bits_clear: u32,
}

impl<'a, F: LaneField> PreparedGroup<'a, F> {
    #[inline(never)]
    fn new(row: &dyn Fn(usize) -> Row<'a, PreparedKey>) -> Self {
        let mut r = F::Bytes::all([0; 32]);
        let zero = F::PerLane::<u64>::all(0);
        let mut group = PreparedGroup::<F> {
            keys: F::PerLane::all(row(0).key),
            r,
            k: [zero; 4],
            base: [zero; 4],
            s_below_order: 0,
            s_top_bits_clear: 0,
        };
        for lane in 0..F::LANES {
            let row = row(lane);
            let [row_r, row_s] = halves(row.signature);
            group.keys.lanes_mut()[lane] = row.key;
            // R is decoded before the tables are read
            prefetch(row.key.multiples());
            r.lanes_mut()[lane] = *row_r;
            let base = Scalar::reduce_narrow(row_s);
            for word in 0..4 {
                group.k[word].lanes_mut()[lane] = row.k[word];
                group.base[word].lanes_mut()[lane] = base.words()[word];
            }
            group.s_below_order |= u32::from(is_below_order(row_s).is_true_vartime()) << lane;
            group.s_top_bits_clear |= u32::from(row_s[31] >> 5 == 0) << lane;
        }
        group.r = r;
        group
    }
}

/// Computes the residual of each row of a group with prepared keys, and gives the verdicts.
struct VerifyPreparedGroup<'a, 'k, F: LaneField> {
    group: &'a PreparedGroup<'k, F>,
    rule: &'a Rule,
    r: &'a Decoded<F>,
}

impl<F: LaneField> Kernel<F> for VerifyPreparedGroup<'_, '_, F> {
    type Output = F::PerLane<Option<Verdict>>;

    #[inline(always)]
    fn run(self, token: F::Token) -> Self::Output {
        let VerifyPreparedGroup { group, rule, r } = &self;
        let keys = group.keys.lanes();
        let mut points = F::PerLane::all(keys[0].multiples());
        let mut bits = [0; 3];
        for (lane, key) in keys.iter().enumerate() {
            points.lanes_mut()[lane] = key.multiples();
            let facts = key.verifying_key().facts;
            for (bits, fact) in bits.iter_mut().zip([facts.decodes, facts.canonical, facts.small]) {
                *bits |= u32::from(fact) << lane;
            }
        }
        let [decodes, canonical, small] = bits;
        let a = PointFacts {
            decodes: F::mask(token, decodes),
            canonical: F::mask(token, canonical),
            small: F::mask(token, small),
        };
        // the tables are those of −A
        let sum = multiply_prepared_vartime::<F>(token, &points, &group.k, &group.base);
        let residual = sum.sub(&r.point.cached()).projective();
        let s = [group.s_below_order, group.s_top_bits_clear];
        token.enter::<F, _>(ApplyRule { rule, residual: &residual, a, r, s })
    }
}

/// The number of bits of an integer of three words.
#[inline(always)]
fn bit_length(words: &[u64; 3]) -> u32 {
    match words {
        [low, 0, 0] => 64 - low.leading_zeros(),
        [_, middle, 0] => 128 - middle.leading_zeros(),
        [_, _, high] => 192 - high.leading_zeros(),
    }
}
