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
mod planted {
    use super::Step;
    use crate::modular::PrimeField;
    use std::cell::Cell;

    std::thread_local! {
        /// The step that is to go wrong, and how often it goes well before.
        static PLANTED: Cell<Option<(Step, usize)>> = const { Cell::new(None) };
    }

    /// Lets the step go wrong once, after it went well so many times. An earlier fault that never happened is
    /// returned: its step was never reached.
    pub(in crate::ecdsa) fn plant(fault: Option<(Step, usize)>) -> Option<(Step, usize)> {
        PLANTED.replace(fault)
    }

    pub(in crate::ecdsa) fn at<F: PrimeField>(step: Step, value: &mut F) {
        match PLANTED.get() {
            Some((planted, 0)) if planted == step => {
                *value = value.add(&F::ONE);
                PLANTED.set(None);
            }
            Some((planted, before)) if planted == step => PLANTED.set(Some((step, before - 1))),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
