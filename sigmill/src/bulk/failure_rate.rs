//! The rate of bad rows, as the parts of a table tell it one another.

use crate::ed25519::many::rows::Rate;
use core::sync::atomic::{AtomicU32, Ordering};

/// The share of rows of a table of Ed25519 that were invalid so far.
///
/// An invalid row makes the equation of many rows wrong, so that these are combined in smaller parts where many are invalid.
/// An [`Engine`](super::Engine) learns the rate on the way within each call. Whoever verifies a table in several calls
/// ([`Engine::verify_codes_of`](super::Engine::verify_codes_of)), or several tables from one source, lets them share what was
/// learnt ([`Table::with_failure_rate`](super::Table::with_failure_rate)), on any number of threads. Time depends on it, and
/// no verdict.
///
/// ```
/// use sigmill::bulk::FailureRate;
///
/// # use sigmill::bulk::{BulkError, Column, Engine, Spec, Specs, Table};
/// # use sigmill::ed25519::{Variant, rules};
/// # let none = || Column::fixed(&[], 32, 0, None);
/// # let (keys, messages, signatures) = (none()?, none()?, none()?);
/// # let specs = Specs::Same(Spec::ed25519(&rules::COMMON, Variant::Pure));
/// let rate = FailureRate::new();
/// let table = Table::new(keys, messages, signatures, specs)?.with_failure_rate(&rate);
/// # Engine::new().verify_codes_of(&table, 0, &mut [], &mut [])?;
/// # Ok::<(), BulkError>(())
/// ```
#[derive(Debug, Default)]
pub struct FailureRate([AtomicU32; 2]);

impl FailureRate {
    /// Nothing was seen.
    pub const fn new() -> Self {
        FailureRate([const { AtomicU32::new(0) }; 2])
    }

    pub(super) fn get(&self) -> Rate {
        Rate::of_words(self.0.each_ref().map(|word| word.load(Ordering::Relaxed)))
    }

    /// Threads that set it at the same time lose what the others have seen.
    pub(super) fn set(&self, rate: Rate) {
        for (place, word) in self.0.iter().zip(rate.to_words()) {
            place.store(word, Ordering::Relaxed);
        }
    }
}
