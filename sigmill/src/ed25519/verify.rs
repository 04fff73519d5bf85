//! One verification, in the steps of RFC 8032 section 5.1.7. Arithmetic finds facts here; the decision is in `rules`.
//!
//! 1. The signature is split into R and S, and R and the key A are decoded. Every encoding is decoded: which of them a rule
//!    accepts is a fact ([`facts_of_vartime`]).
//! 2. k = SHA-512(dom ‖ R ‖ A ‖ PH(M)), over the bytes as received. It is reduced mod ℓ before it multiplies A, which
//!    matters where A carries torsion. S may be reduced, because B has order ℓ.
//! 3. The equation holds if the [`Residual`] [S]B − [k]A − R is neutral. A cofactored rule asks the same of 8 times it.
//!
//! Public inputs only: time depends on them.

use super::bytes::halves;
use super::rules::{self, Equation, Facts, Order, PointFacts, Rule, decide, verdict};
use super::variant::{ContextString, Variant, challenge_hash};
pub(super) use crate::curve::edwards::half_size::full_sum_vartime;
use crate::curve::edwards::half_size::{
    self, Decode, Decoded, HalfDigits, HalfSize, full_residual_vartime, minus_vartime,
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

/// Verifies a signature under a named rule, from bytes of any length. The verdict has the reason
/// of a refusal. Time depends on the inputs.
///
/// ```
/// use sigmill::Reason;
/// use sigmill::ed25519::{Signer, SigningKey, Variant, rules, verify_bytes};
///
/// let secret = SigningKey::from_bytes(&[7; 32]);
/// let (key, signature) = (secret.verifying_key().to_bytes(), secret.sign(b"hello").to_bytes());
/// let verify = |signature| verify_bytes(&rules::COMMON, Variant::Pure, &key, b"hello", signature);
/// assert!(verify(&signature).is_valid());
/// assert_eq!(verify(&signature[..63]).ok(), Err(Reason::SignatureLength));
/// ```
pub fn verify_bytes(
    rule: &Rule,
    variant: Variant<'_>,
    key: &[u8],
    message: &[u8],
    signature: &[u8],
) -> Verdict {
    match rules::of_lengths(key.try_into().ok(), signature.try_into().ok()) {
        Ok((key, signature)) => {
            // step 1, but for the decoding
            let [r, s] = halves(signature);
            // step 2
            let mut hash = challenge_hash(variant, r, key);
            hash.update(message);
            let k = Scalar::reduce_wide(&hash.finish());
            // the decoding of step 1, and step 3
            verify_encoded(rule, key, &k, [r, s])
        }
        Err(refused) => refused,
    }
}

/// [`verify_bytes`] for Ed25519ph, given SHA-512 of the message: 64 bytes, or the reason is
/// [`Reason::DigestLength`](crate::Reason::DigestLength). Time depends on the inputs.
pub fn verify_prehashed_bytes(
    rule: &Rule,
    context: ContextString<'_>,
    key: &[u8],
    digest: &[u8],
    signature: &[u8],
) -> Verdict {
    let lengths = rules::of_lengths(key.try_into().ok(), signature.try_into().ok());
    let digest = || rules::of_digest_length(digest.try_into().ok());
    match lengths.and_then(|(key, signature)| Ok((key, signature, digest()?))) {
        Ok((key, signature, digest)) => {
            let [r, s] = halves(signature);
            let hash = challenge_hash(Variant::Ph(context), r, key).fed_with_digest(digest);
            verify_encoded(rule, key, &Scalar::reduce_wide(&hash.finish()), [r, s])
        }
        Err(refused) => refused,
    }
}

/// Steps 1 and 3 under a key in bytes, given k, R and S. A and R are decoded side by side.
pub(crate) fn verify_encoded(
    rule: &Rule,
    key: &[u8; 32],
    k: &Scalar,
    [r, s]: [&[u8; 32]; 2],
) -> Verdict {
    let mut digits = None;
    let [a, r] = decode_with_digits([key, r], k, s, &mut digits);
    let a_facts = facts_of_vartime(&a, rule.a_order());
    Residual { a: &a, r: &r, k, s, digits: digits.as_ref() }.verdict(rule, a_facts)
}

/// Steps 1 and 3 under a key that is decoded, given k, R and S.
pub(crate) fn verify_decoded(
    rule: &Rule,
    a: &Decoded,
    a_facts: PointFacts<bool>,
    k: &Scalar,
    [r, s]: [&[u8; 32]; 2],
) -> Verdict {
    let mut digits = None;
    let [r] = decode_with_digits([r], k, s, &mut digits);
    Residual { a, r: &r, k, s, digits: digits.as_ref() }.verdict(rule, a_facts)
}

/// Steps 1 and 3 under a key with tables of the multiples of −A, given k, R and S.
pub(crate) fn verify_prepared(
    rule: &Rule,
    a: PointFacts<bool>,
    multiples: &PreparedPoint,
    k: &Scalar,
    [r, s]: [&[u8; 32]; 2],
) -> Verdict {
    let reduced = Scalar::reduce_narrow(s);
    let times_8 = rule.equation() == Equation::Cofactored;
    match prepared_packed_vartime(multiples, k.words(), reduced.words(), r, times_8) {
        Some((r, holds)) => {
            let r = facts_of_vartime(&r, rule.r_order());
            verdict(&decide(rule, &facts(a, r, s, holds && r.canonical, holds)))
        }
        None => {
            run_in_words(Prepared { rule, a, multiples, k, reduced: &reduced, signature: [r, s] })
        }
    }
}

/// Decodes points, side by side, in words.
pub(crate) fn decode<const N: usize>(bytes: [&[u8; 32]; N]) -> [Decoded; N] {
    run_in_words(Decode(bytes))
}

/// Decodes points. Where the CPU can, it makes the digits of the residual's scalars at the same time.
fn decode_with_digits<const N: usize>(
    bytes: [&[u8; 32]; N],
    k: &Scalar,
    s: &[u8; 32],
    digits: &mut Option<HalfDigits>,
) -> [Decoded; N] {
    decode_packed_vartime(bytes, k, s, digits).unwrap_or_else(|| decode(bytes))
}

/// The facts that a rule looks at. The order is computed where small orders are refused.
pub(crate) fn facts_of_vartime(point: &Decoded, order: Order) -> PointFacts<bool> {
    let Decoding { decodes, canonical } = point.decoding;
    let asked = decodes && order == Order::RejectSmall;
    PointFacts { decodes, canonical, small: asked && point.is_small_vartime() }
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

/// The residual [S]B − [k]A − R of two points. It is not computed: the question whether it is neutral has cheaper answers.
pub(super) struct Residual<'a> {
    pub(super) a: &'a Decoded,
    pub(super) r: &'a Decoded,
    pub(super) k: &'a Scalar,
    pub(super) s: &'a [u8; 32],
    /// Digits of k and S, if they were made while the points were decoded.
    pub(super) digits: Option<&'a HalfDigits>,
}

impl Residual<'_> {
    /// Step 3 for a key with these facts. A rule that refuses by other facts needs no equation, so both points decode where
    /// the equation is asked for.
    fn verdict(&self, rule: &Rule, a: PointFacts<bool>) -> Verdict {
        let r = facts_of_vartime(self.r, rule.r_order());
        // an encoding that [S]B − [k]A can have is canonical
        let mut facts = facts(a, r, self.s, r.canonical, true);
        let unless_refuted = verdict(&decide(rule, &facts));
        if !unless_refuted.is_valid() {
            return unless_refuted;
        }
        let holds = self.is_neutral_vartime(rule.equation() == Equation::Cofactored);
        facts.exact &= holds;
        facts.cofactored = holds;
        verdict(&decide(rule, &facts))
    }

    /// Whether the residual is neutral; with `times_8`, whether 8 times it is. Both points decode.
    pub(super) fn is_neutral_vartime(&self, times_8: bool) -> bool {
        self.by_digits_vartime(times_8)
            .or_else(|| self.by_half_size_vartime(times_8))
            .unwrap_or_else(|| self.in_full_vartime(times_8))
    }

    /// By an odd multiple of the residual with scalars of half the length (`docs/exact-batch.md`, section 12), on a CPU with
    /// four lanes for one formula. `None` without them, or without digits.
    pub(super) fn by_digits_vartime(&self, times_8: bool) -> Option<bool> {
        residual_packed_vartime(self.a, self.r, self.digits?, times_8)
    }

    /// By the same multiple in words. `None` if k has no short pair.
    pub(super) fn by_half_size_vartime(&self, times_8: bool) -> Option<bool> {
        let scalars = &HalfSize::new_vartime(self.k, self.s)?;
        Some(run_in_words(half_size::Residual { a: self.a, r: self.r, scalars, times_8 }))
    }

    /// By the residual itself.
    pub(super) fn in_full_vartime(&self, times_8: bool) -> bool {
        full_residual_vartime(self.a, self.r, self.k, &Scalar::reduce_narrow(self.s), times_8)
    }
}

/// [`verify_prepared`] in words.
struct Prepared<'a> {
    rule: &'a Rule,
    a: PointFacts<bool>,
    multiples: &'a PreparedPoint,
    k: &'a Scalar,
    /// S mod ℓ.
    reduced: &'a Scalar,
    /// R and S.
    signature: [&'a [u8; 32]; 2],
}

impl<F: SingleField> Kernel<F> for Prepared<'_> {
    type Output = Verdict;

    fn run(self, token: F::Token) -> Verdict {
        let Prepared { rule, a, multiples, k, reduced, signature: [r, s] } = self;
        let sum = multiples.double_base_vartime::<F>(token, k.words(), reduced.words());
        // An exact rule accepts without R as a point: bytes that equal an encoding are canonical and decode to the very
        // point. A refusal needs all facts, for its reason.
        if rule.equation() == Equation::Exact {
            let exact = sum.projective().encode() == *r;
            let refuses_small = rule.r_order() == Order::RejectSmall;
            let small = refuses_small && sum.projective().is_small().is_true_vartime();
            let r = PointFacts { decodes: exact, canonical: exact, small };
            let verdict = verdict(&decide(rule, &facts(a, r, s, exact, exact)));
            if verdict.is_valid() {
                return verdict;
            }
        }
        let [decoded] = Kernel::<F>::run(Decode([r]), token);
        verdict(&decide(rule, &all_facts(a, &decoded, &sum, [r, s]).0))
    }
}

/// Every fact about a signature under a key that decodes, given [S]B − [k]A, R and S; and the residual itself.
pub(crate) fn all_facts<F: SingleField>(
    a: PointFacts<bool>,
    decoded: &Decoded,
    sum: &Extended<F>,
    [r, s]: [&[u8; 32]; 2],
) -> (Facts<bool>, Extended<F>) {
    let residual = minus_vartime(*sum, decoded).extended_apart();
    let exact = sum.projective().encode() == *r;
    let cofactored = residual.projective().double_apart(3).is_identity().is_true_vartime();
    let r = facts_of_vartime(decoded, Order::RejectSmall);
    (facts(a, r, s, exact, cofactored), residual)
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

#[cfg(test)]
mod tests;
