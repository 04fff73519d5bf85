//! Mistakes that a test plants.

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
