//! From bytes to facts: what arithmetic can say about a signature. The decision is in `rules`.
//!
//! With k = SHA-512(dom ‖ R ‖ A ‖ PH(M)) mod ℓ over the bytes as received, everything follows from one
//! point, [S]B − [k]A − R (RFC 8032 section 5.1.7, step 3). k is reduced before it multiplies A, which
//! matters when A carries torsion; S may be, because B has order ℓ. The point is not computed: an odd
//! multiple of it takes half the doublings (`curve/edwards/half_size`, `docs/exact-batch.md`).
//!
//! Public inputs only: time depends on them.

use super::rules::{Equation, Facts, Order, PointFacts, Rule, decide, verdict};
pub(super) use crate::curve::edwards::half_size::full_sum_vartime;
use crate::curve::edwards::half_size::{
    Decode, Decoded, HalfDigits, HalfSize, Residual, full_residual_vartime, minus_vartime,
};
use crate::curve::edwards::half_size_packed::{
    decode_packed_vartime, prepared_packed_vartime, residual_packed_vartime,
};
use crate::curve::edwards::straus::{PreparedPoint, double_base_vartime};
use crate::curve::edwards::{Decoding, Extended};
use crate::error::Verdict;
use crate::field::f25519::{SingleField, run_in_words};
use crate::scalar::l25519::{ORDER, Scalar, is_below_order};
use crate::simd::Kernel;

/// The facts that a rule looks at: the order of a point where small ones are refused.
pub(crate) fn facts_of_vartime(point: &Decoded, order: Order) -> PointFacts<bool> {
    let Decoding { decodes, canonical } = point.decoding;
    let asked = decodes && order == Order::RejectSmall;
    PointFacts { decodes, canonical, small: asked && point.is_small_vartime() }
}

/// The two halves of 64 bytes: R and S of a signature, seed and public key of a pair.
pub(crate) struct SignatureHalves<'a> {
    pub(crate) r: &'a [u8; 32],
    pub(crate) s: &'a [u8; 32],
}

impl<'a> SignatureHalves<'a> {
    pub(crate) fn of(signature: &'a [u8; 64]) -> Self {
        let (r, s) = signature.split_at(32);
        // both halves are 32 bytes long: the conversion cannot fail
        let half = |bytes: &'a [u8]| bytes.first_chunk().unwrap_or(&[0; 32]);
        SignatureHalves { r: half(r), s: half(s) }
    }
}

/// Decodes points, side by side, in words.
pub(crate) fn decode<const N: usize>(bytes: [&[u8; 32]; N]) -> [Decoded; N] {
    run_in_words(Decode(bytes))
}

/// Decodes points; and makes digits of the scalars for the equation while that waits, where the CPU can.
fn decode_with_digits<const N: usize>(
    bytes: [&[u8; 32]; N],
    k: &Scalar,
    s: &[u8; 32],
    digits: &mut Option<HalfDigits>,
) -> [Decoded; N] {
    decode_packed_vartime(bytes, k, s, digits).unwrap_or_else(|| decode(bytes))
}

/// Whether [S]B − [k]A − R is the identity, or with `times_8` whether 8 times it is; none where the CPU lacks
/// something, or k has no short pair. Both points are points.
type Way = fn(&Decoded, &Decoded, &Scalar, &[u8; 32], bool) -> Option<bool>;

/// The fastest first. The last one always answers.
pub(super) const WAYS: [Way; 3] = [by_half_size_packed, by_halves, whole];

fn by_half_size_packed(
    a: &Decoded,
    r: &Decoded,
    k: &Scalar,
    s: &[u8; 32],
    times_8: bool,
) -> Option<bool> {
    let scalars = &HalfDigits::new_vartime(&HalfSize::new_vartime(k, s)?);
    residual_packed_vartime(a, r, scalars, times_8)
}

fn by_halves(a: &Decoded, r: &Decoded, k: &Scalar, s: &[u8; 32], times_8: bool) -> Option<bool> {
    let scalars = &HalfSize::new_vartime(k, s)?;
    Some(run_in_words(Residual { a, r, scalars, times_8 }))
}

fn whole(a: &Decoded, r: &Decoded, k: &Scalar, s: &[u8; 32], times_8: bool) -> Option<bool> {
    Some(full_residual_vartime(a, r, k, &Scalar::reduce_narrow(s), times_8))
}

/// The verdict of a rule on one signature under a key in bytes, which need not be those of a point.
pub(crate) fn verify_encoded(
    rule: &Rule,
    key: &[u8; 32],
    k: &Scalar,
    halves: &SignatureHalves<'_>,
) -> Verdict {
    let mut digits = None;
    let [a, r] = decode_with_digits([key, halves.r], k, halves.s, &mut digits);
    judge(rule, facts_of_vartime(&a, rule.a_order()), &r, halves.s, |times_8| {
        residual(&a, &r, k, halves.s, digits.as_ref(), times_8)
    })
}

/// The same under a key that has been decoded.
pub(crate) fn verify(
    rule: &Rule,
    a: &Decoded,
    a_facts: PointFacts<bool>,
    k: &Scalar,
    halves: &SignatureHalves<'_>,
) -> Verdict {
    let mut digits = None;
    let [r] = decode_with_digits([halves.r], k, halves.s, &mut digits);
    judge(rule, a_facts, &r, halves.s, |times_8| {
        residual(a, &r, k, halves.s, digits.as_ref(), times_8)
    })
}

/// Given the digits of its scalars, if they have been made.
fn residual(
    a: &Decoded,
    r: &Decoded,
    k: &Scalar,
    s: &[u8; 32],
    digits: Option<&HalfDigits>,
    times_8: bool,
) -> bool {
    let by_digits = digits.and_then(|digits| residual_packed_vartime(a, r, digits, times_8));
    let by_scalars = || WAYS.iter().find_map(|way| way(a, r, k, s, times_8));
    by_digits.or_else(by_scalars).unwrap_or(false)
}

/// The verdict when both points have been decoded, given `residual` of them. What a rule refuses whatever
/// the equation says needs no equation: so both points are points where there is one.
fn judge(
    rule: &Rule,
    a: PointFacts<bool>,
    r: &Decoded,
    s: &[u8; 32],
    residual: impl FnOnce(bool) -> bool,
) -> Verdict {
    let r_facts = facts_of_vartime(r, rule.r_order());
    let judged = |holds: bool| {
        // bytes that are an encoding are the canonical one
        let exact = holds && r.decoding.canonical;
        verdict(&decide(rule, &facts(a, r_facts, s, exact, holds)))
    };
    let unless_refuted = judged(true);
    if !unless_refuted.is_valid() {
        return unless_refuted;
    }
    judged(residual(rule.equation() == Equation::Cofactored))
}

/// The verdict under a key with tables of the multiples of −A.
pub(crate) fn verify_prepared(
    rule: &Rule,
    a: PointFacts<bool>,
    multiples: &PreparedPoint,
    k: &Scalar,
    halves: &SignatureHalves<'_>,
) -> Verdict {
    let s = Scalar::reduce_narrow(halves.s);
    let times_8 = rule.equation() == Equation::Cofactored;
    match prepared_packed_vartime(multiples, k.words(), s.words(), halves.r, times_8) {
        Some((r, holds)) => judge(rule, a, &r, halves.s, |_| holds),
        None => run_in_words(Prepared { rule, a, multiples, k, s: &s, halves }),
    }
}

struct Prepared<'a> {
    rule: &'a Rule,
    a: PointFacts<bool>,
    multiples: &'a PreparedPoint,
    k: &'a Scalar,
    s: &'a Scalar,
    halves: &'a SignatureHalves<'a>,
}

impl<F: SingleField> Kernel<F> for Prepared<'_> {
    type Output = Verdict;

    fn run(self, token: F::Token) -> Verdict {
        let Prepared { rule, a, multiples, k, s, halves } = self;
        let sum = multiples.double_base_vartime::<F>(token, k.words(), s.words());
        // An exact rule never needs R as a point to accept: bytes that equal an encoding are canonical
        // and decode to the very point. Only a refusal needs all facts, for its reason.
        if rule.equation() == Equation::Exact {
            let exact = sum.projective().encode() == *halves.r;
            let refuses_small = rule.r_order() == Order::RejectSmall;
            let small = refuses_small && sum.projective().is_small().is_true_vartime();
            let r = PointFacts { decodes: exact, canonical: exact, small };
            let verdict = verdict(&decide(rule, &facts(a, r, halves.s, exact, exact)));
            if verdict.is_valid() {
                return verdict;
            }
        }
        let [r] = Kernel::<F>::run(Decode([halves.r]), token);
        verdict(&decide(rule, &all_facts(a, &r, &sum, halves).0))
    }
}

/// Every fact about a signature under a key that decodes, given [S]B − [k]A; and [S]B − [k]A − R.
pub(crate) fn all_facts<F: SingleField>(
    a: PointFacts<bool>,
    r: &Decoded,
    sum: &Extended<F>,
    halves: &SignatureHalves<'_>,
) -> (Facts<bool>, Extended<F>) {
    let residual = minus_vartime(*sum, r).extended_apart();
    let exact = sum.projective().encode() == *halves.r;
    let cofactored = residual.projective().double_apart(3).is_identity().is_true_vartime();
    let r = facts_of_vartime(r, Order::RejectSmall);
    (facts(a, r, halves.s, exact, cofactored), residual)
}

fn facts(
    a: PointFacts<bool>,
    r: PointFacts<bool>,
    s: &[u8; 32],
    exact: bool,
    cofactored: bool,
) -> Facts<bool> {
    let s = [is_below_order(s).is_true_vartime(), s[31] >> 5 == 0];
    Facts::of(a, r, s, exact, cofactored)
}

/// The order of the torsion part of P: 1, 2, 4 or 8.
pub(crate) fn torsion_order_vartime<F: SingleField>(p: &Extended<F>) -> u8 {
    // [ℓ]P is the torsion part of P, up to an automorphism
    let mut torsion = double_base_vartime(&ORDER, p, &[0; 4]);
    let mut order = 1;
    while order < 8 && !torsion.projective().is_identity().is_true_vartime() {
        torsion = torsion.projective().double_apart(1).extended_apart();
        order *= 2;
    }
    order
}
