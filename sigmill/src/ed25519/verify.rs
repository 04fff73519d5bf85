//! From bytes to facts: what arithmetic can say about a signature. The decision is in `rules`.
//!
//! With k = SHA-512(dom ‖ R ‖ A ‖ PH(M)) mod ℓ over the bytes as received, everything follows from
//! one point, [S]B − [k]A (RFC 8032 section 5.1.7, step 3). k is reduced before it multiplies A,
//! which matters when A carries torsion; S may be, because B has order ℓ.
//!
//! Public inputs only: time depends on them.

use super::rules::{Equation, Facts, Order, Rule, decide, verdict};
use crate::curve::edwards::{Extended, Projective};
use crate::curve::mul::{PreparedPoint, double_base_in_lanes_vartime, double_base_vartime};
use crate::error::Verdict;
use crate::field::SingleField;
use crate::field::f25519::Fe;
use crate::scalar::l25519::{ORDER, Scalar, is_below_order};

/// The facts about an encoded point that do not depend on a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PointFacts {
    pub(crate) decodes: bool,
    pub(crate) canonical: bool,
    pub(crate) small: bool,
}

/// Decodes a point and says what it is.
pub(crate) fn decode_vartime<F: SingleField>(
    token: F::Token,
    bytes: &[u8; 32],
) -> (Extended<F>, PointFacts) {
    let (point, decoding) = Extended::<F>::decode(token, bytes);
    let facts = PointFacts {
        decodes: decoding.decodes.is_true_vartime(),
        canonical: decoding.canonical.is_true_vartime(),
        small: point.projective().is_small().is_true_vartime(),
    };
    (point, facts)
}

/// Something that can be multiplied by k, with [S]B added: a point, or a point with tables.
pub(crate) trait Multiples<F: SingleField> {
    fn double_base_vartime(&self, k: &Scalar, s: &Scalar) -> Extended<F>;
}

impl Multiples<Fe> for Extended<Fe> {
    fn double_base_vartime(&self, k: &Scalar, s: &Scalar) -> Extended<Fe> {
        double_base_in_lanes_vartime(k.words(), self, s.words())
            .unwrap_or_else(|| double_base_vartime(k.words(), self, s.words()))
    }
}

impl Multiples<Fe> for PreparedPoint {
    fn double_base_vartime(&self, k: &Scalar, s: &Scalar) -> Extended<Fe> {
        self.double_base_vartime((), k.words(), s.words())
    }
}

/// The two halves of 64 bytes: R and S of a signature, seed and public key of a pair.
pub(crate) struct Halves<'a> {
    pub(crate) r: &'a [u8; 32],
    pub(crate) s: &'a [u8; 32],
}

impl<'a> Halves<'a> {
    pub(crate) fn of(signature: &'a [u8; 64]) -> Self {
        let (r, s) = signature.split_at(32);
        // both halves are 32 bytes long: the conversion cannot fail
        let half = |bytes: &'a [u8]| bytes.first_chunk().unwrap_or(&[0; 32]);
        Halves { r: half(r), s: half(s) }
    }
}

/// The verdict of a rule on one signature under a key that decodes; `minus_a` stands for −A.
pub(crate) fn verify<F: SingleField>(
    rule: &Rule,
    a: PointFacts,
    minus_a: &impl Multiples<F>,
    k: &Scalar,
    halves: &Halves<'_>,
) -> Verdict {
    let sum = minus_a.double_base_vartime(k, &Scalar::reduce_narrow(halves.s));
    // An exact rule never needs R as a point to accept: bytes that equal an encoding are canonical
    // and decode to the very point. Only a refusal needs all facts, for its reason.
    if rule.equation() == Equation::Exact {
        let exact = sum.projective().encode() == *halves.r;
        let small =
            rule.r_order() == Order::RejectSmall && sum.projective().is_small().is_true_vartime();
        let r = PointFacts { decodes: exact, canonical: exact, small };
        let verdict = verdict(&decide(rule, &facts(a, r, halves.s, exact, exact)));
        if verdict.is_valid() {
            return verdict;
        }
    }
    verdict(&decide(rule, &all_facts(a, &sum, halves).0))
}

/// Every fact about a signature under a key that decodes, and [S]B − [k]A − R.
pub(crate) fn all_facts<F: SingleField>(
    a: PointFacts,
    sum: &Extended<F>,
    halves: &Halves<'_>,
) -> (Facts<bool>, Extended<F>) {
    let (r_point, r) = decode_vartime(sum.token(), halves.r);
    let residual = sum.sub(&r_point.cached()).extended();
    let exact = sum.projective().encode() == *halves.r;
    let cofactored = residual.projective().times_8().is_identity().is_true_vartime();
    (facts(a, r, halves.s, exact, cofactored), residual)
}

fn facts(a: PointFacts, r: PointFacts, s: &[u8; 32], exact: bool, cofactored: bool) -> Facts<bool> {
    Facts {
        a_decodes: a.decodes,
        a_canonical: a.canonical,
        a_small: a.small,
        r_decodes: r.decodes,
        r_canonical: r.canonical,
        r_small: r.small,
        s_below_order: is_below_order(s).is_true_vartime(),
        s_top_bits_clear: s[31] >> 5 == 0,
        exact,
        cofactored,
    }
}

/// The order of the torsion part of P: 1, 2, 4 or 8.
pub(crate) fn torsion_order_vartime<F: SingleField>(p: &Extended<F>) -> u8 {
    // [ℓ]P is the torsion part of P, up to an automorphism
    let mut torsion: Projective<F> = double_base_vartime(&ORDER, p, &[0; 4]).projective();
    let mut order = 1;
    while order < 8 && !torsion.is_identity().is_true_vartime() {
        torsion = torsion.double().projective();
        order *= 2;
    }
    order
}
