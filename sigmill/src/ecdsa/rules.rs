//! The decision: facts about a signature and the caller's policy give the verdict.
//!
//! Whatever the policy: the key is a point other than infinity, 1 ≤ r, s < n, and the equation holds
//! (FIPS 186-5 section 6.4.2). Reach: `error`.

use crate::error::{Reason, Verdict};

/// Which s a verifier accepts. (r, s) and (r, n − s) are both signatures of a message, and whoever sees
/// one can write down the other: it matters where signatures serve as names. Certificates and
/// attestations have either.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LowS {
    /// Any s from 1 to n − 1 (FIPS 186-5).
    #[default]
    Any,
    /// s up to (n − 1)/2 only.
    Required,
}

/// What verification has found out.
pub(super) struct Facts {
    pub(super) digest_empty: bool,
    pub(super) r_in_range: bool,
    pub(super) s_in_range: bool,
    pub(super) s_low: bool,
    pub(super) equation: bool,
}

/// The first of the reasons that apply.
pub(super) fn decide(low_s: LowS, facts: &Facts) -> Verdict {
    let refusals = [
        (facts.digest_empty, Reason::DigestEmpty),
        (!facts.r_in_range, Reason::ROutOfRange),
        (!facts.s_in_range, Reason::SOutOfRange),
        (low_s == LowS::Required && !facts.s_low, Reason::SHigh),
        (!facts.equation, Reason::Equation),
    ];
    match refusals.iter().find(|(applies, _)| *applies) {
        Some((_, reason)) => Verdict::Invalid(*reason),
        None => Verdict::Valid,
    }
}
