//! The steps of a signature at which tests let the CPU make a mistake. Outside tests nothing is here.
//!
//! Secrets pass through and are not looked at.

/// A step of signing that has just been computed.
#[cfg_attr(not(test), allow(dead_code))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// e, after the nonce was made from it.
    Digest,
    /// k.
    Nonce,
    /// x of [k]G.
    X,
    /// r.
    R,
    /// 1/k.
    Inverse,
    /// e + r·d.
    Sum,
    /// s.
    S,
}

/// Marks the result of a step.
#[cfg(not(test))]
#[inline(always)]
pub(super) const fn at<F>(_: Step, _: &mut F) {}

#[cfg(test)]
pub(super) use planted::{at, plant};

#[cfg(test)]
#[path = "fault/tests/planted.rs"]
mod planted;
#[cfg(test)]
mod tests;
