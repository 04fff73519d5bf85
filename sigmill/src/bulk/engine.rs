//! The engine: a backend, a strategy, and the source of coefficients.

use super::error::BulkError;
use super::plan::CHUNK_ROWS;
use super::specs::Specs;
use super::strategy::{self, Load, Strategy};
use crate::cpu::Backend;
#[cfg(feature = "ecdsa")]
use crate::ecdsa;
use crate::ed25519::Rule;
use crate::ed25519::many::rows::{Limits, Rate};
use crate::memory::Scratch;
use core::fmt;

/// The source of the coefficients of combinations, beside the rows.
#[derive(Clone, Copy)]
enum Entropy {
    /// The system is asked, once for each combination.
    System,
    /// There is no system, and nothing was given: nothing is combined.
    None,
    /// The caller has given it.
    Given([u8; 32]),
    /// The caller wants none.
    RowsAlone,
}

impl fmt::Debug for Entropy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Entropy::System => "System",
            Entropy::None => "None",
            Entropy::Given(_) => "Given",
            Entropy::RowsAlone => "RowsAlone",
        })
    }
}

/// Verifies tables, by the backend and strategy of its choice or the caller's.
///
/// ```
/// use sigmill::bulk::{Column, Engine, Scratch, Spec, Specs, Table};
/// # use sigmill::ed25519::{Signer, SigningKey, Variant, rules};
/// # let key = SigningKey::from_bytes(&[7; 32]);
/// # let (public, signatures) = (key.verifying_key().to_bytes(), [key.sign(b"one").to_bytes(), key.sign(b"two").to_bytes()]);
/// # let (publics, messages): (_, [&[u8]; 2]) = ([&public[..]; 2], [b"one", b"two"]);
/// # let signatures: [&[u8]; 2] = [&signatures[0], &signatures[1]];
/// # let [publics, messages, signatures] = [&publics, &messages, &signatures].map(|rows| Column::slices(rows));
///
/// let table =
///     Table::new(publics, messages, signatures, Specs::Same(Spec::ed25519(&rules::ZIP215, Variant::Pure)))?;
/// let engine = Engine::new();
/// let mut outcomes = vec![None; table.len()];
/// let mut scratch = vec![Scratch::new(); engine.scratch_len(table.len())];
/// let report = engine.verify_into(&table, &mut outcomes, &mut scratch)?;
/// assert!(outcomes.iter().all(|row| row.is_some_and(|verdict| verdict.is_valid())));
/// # let _ = report;
/// # Ok::<(), sigmill::bulk::BulkError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Engine {
    pub(super) backend: Backend,
    pub(super) strategy: Option<Strategy>,
    entropy: Entropy,
}

impl Default for Engine {
    fn default() -> Self {
        Engine::new()
    }
}

impl Engine {
    /// The fastest backend of this CPU, and for each chunk the fastest strategy, with coefficients from
    /// random bytes of the system. Without a system (without the feature `getrandom`, and in
    /// WebAssembly outside a host) nothing is combined until [`Engine::with_entropy`] or
    /// [`Engine::deterministic`] names the source of coefficients.
    pub fn new() -> Self {
        let entropy = if system::IS_THERE { Entropy::System } else { Entropy::None };
        Engine { backend: Backend::best(), strategy: None, entropy }
    }

    /// Uses this backend.
    ///
    /// # Errors
    /// [`BulkError::Backend`] if this CPU cannot run it.
    pub fn with_backend(self, backend: Backend) -> Result<Self, BulkError> {
        if !backend.is_available() {
            return Err(BulkError::Backend { backend });
        }
        Ok(Engine { backend, ..self })
    }

    /// Uses this strategy whatever the number of rows. [`Strategy::Lanes`] and [`Strategy::Single`]
    /// use no randomness. Rows that a combination leaves open are verified in lanes.
    pub fn with_strategy(self, strategy: Strategy) -> Self {
        Engine { strategy: Some(strategy), ..self }
    }

    /// Derives the coefficients of combinations from these bytes and from the rows, without asking the
    /// system. They may serve for any number of tables. A wrong row is accepted with probability at most
    /// 2^-128 as long as the author of the rows does not know these bytes, and with that of [`Engine::deterministic`] if he
    /// does.
    pub fn with_entropy(self, entropy: [u8; 32]) -> Self {
        Engine { entropy: Entropy::Given(entropy), ..self }
    }

    /// Derives the coefficients of combinations from the rows alone, without asking the system for
    /// random bytes. An attacker who tries 2^t crafted batches offline then gets a wrong row accepted with
    /// probability 2^(t−128).
    pub fn deterministic(self) -> Self {
        Engine { entropy: Entropy::RowsAlone, ..self }
    }

    /// The backend in use.
    pub const fn backend(&self) -> Backend {
        self.backend
    }

    /// The strategy for `rows` rows of one spec in a chunk, each with a key of its own in bytes. An engine that has
    /// nothing to derive coefficients from never chooses [`Strategy::Combined`].
    pub fn strategy(&self, rule: &Rule, rows: usize) -> Strategy {
        self.strategy_with_keys(rule, rows, rows)
    }

    /// [`Engine::strategy`] for rows with `keys` different keys. The cost of a key is shared by its rows.
    pub fn strategy_with_keys(&self, rule: &Rule, rows: usize, keys: usize) -> Strategy {
        self.strategy_for(rule, Load { rows, keys, prepared: false })
    }

    /// The strategy for a load.
    pub(super) fn strategy_for(&self, rule: &Rule, load: Load) -> Strategy {
        if let Some(strategy) = self.strategy {
            return strategy;
        }
        strategy::fastest(self.backend, rule.equation(), load, self.combines())
    }

    /// The strategy for a load that is not to be combined.
    pub(super) fn strategy_of_own(&self, rule: &Rule, load: Load) -> Strategy {
        strategy::fastest(self.backend, rule.equation(), load, false)
    }

    /// The strategy for a load after others of some rate, and how many of its rows are verified first, to see whether the others
    /// should be combined: all of them where the rows before have told, or where the caller has chosen the strategy.
    pub(super) fn begin(&self, rule: &Rule, load: Load, rate: &Rate) -> (Strategy, usize) {
        let strategy = self.strategy_for(rule, load);
        match (self.strategy, strategy) {
            (None, Strategy::Combined) if rate.is_above(&self.limits_of(rule, load)) => {
                (self.strategy_of_own(rule, load), load.rows)
            }
            (None, Strategy::Combined) if !rate.is_known() => {
                (strategy, strategy::sample_of(load.rows))
            }
            _ => (strategy, load.rows),
        }
    }

    /// From where on rows of a load take less time by their own equations.
    pub(super) fn limits_of(&self, rule: &Rule, load: Load) -> Limits {
        strategy::limits_of(self.backend, rule.equation(), load)
    }

    /// How many of the rows for lanes are faster verified one by one: the rows that are left after full lanes, if
    /// they are few.
    pub(super) fn left_of(&self, rows: usize) -> usize {
        let left = rows.checked_rem(self.backend.lanes()).unwrap_or_default();
        if left <= strategy::FEW { left } else { 0 }
    }

    /// Whether there is a source of coefficients.
    fn combines(&self) -> bool {
        !matches!(self.entropy, Entropy::None)
    }

    /// How many [`Scratch`] [`Engine::verify_into`] needs for a table of `rows` rows.
    pub const fn scratch_len(&self, rows: usize) -> usize {
        match self.strategy {
            Some(Strategy::Combined) => combined_scratch_len(rows),
            Some(_) if rows < CHUNK_ROWS => rows,
            Some(_) => CHUNK_ROWS,
            None => scratch_len(rows),
        }
    }

    /// How many [`Scratch`] make these rows fastest: those of [`Engine::scratch_len`], and at most 720 where some
    /// are ECDSA's, which have their tables there. With less memory, fewer of these go side by side.
    pub fn scratch_len_for(&self, rows: usize, specs: &Specs<'_>) -> usize {
        let len = self.scratch_len(rows);
        #[cfg(not(feature = "ecdsa"))]
        let _ = specs;
        #[cfg(feature = "ecdsa")]
        if specs.have_ecdsa() {
            let rows = rows.min(CHUNK_ROWS);
            let order = (rows * size_of::<u32>()).next_multiple_of(64);
            let needed = order + ecdsa::lanes::memory_needed(rows);
            return len.max(needed.div_ceil(size_of::<Scratch>()));
        }
        len
    }

    /// The bytes that coefficients are derived from, beside the rows; `None` where the caller wants the rows alone.
    pub(super) fn entropy(&self) -> Result<Option<[u8; 32]>, BulkError> {
        match self.entropy {
            Entropy::System => system::random_bytes().map(Some),
            Entropy::None => Err(BulkError::Randomness),
            Entropy::Given(bytes) => Ok(Some(bytes)),
            Entropy::RowsAlone => Ok(None),
        }
    }
}

#[cfg(all(feature = "getrandom", not(all(target_family = "wasm", target_os = "unknown"))))]
mod system {
    //! Random bytes of the system.

    use super::BulkError;

    pub(super) const IS_THERE: bool = true;

    pub(super) fn random_bytes() -> Result<[u8; 32], BulkError> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|_| BulkError::Randomness)?;
        Ok(bytes)
    }
}

#[cfg(not(all(feature = "getrandom", not(all(target_family = "wasm", target_os = "unknown")))))]
mod system {
    //! There is no system to ask.

    use super::BulkError;

    pub(super) const IS_THERE: bool = false;

    pub(super) fn random_bytes() -> Result<[u8; 32], BulkError> {
        Err(BulkError::Randomness)
    }
}

/// How many [`Scratch`] [`verify_into`] needs for a table of `rows` rows: one a row, and 192 or 320 more where
/// few rows are combined. It does not grow beyond one chunk, and never shrinks where rows grow.
pub const fn scratch_len(rows: usize) -> usize {
    if rows < FEWEST_COMBINED { rows } else { combined_scratch_len(rows) }
}

/// [`scratch_len`] where rows may be combined, however few. The buckets of a combination need memory that does not depend
/// on the number of rows; from 2048 rows on it fits into that of the rows. More rows never need less, so that memory for a
/// part is enough for a shorter one.
const fn combined_scratch_len(rows: usize) -> usize {
    match rows {
        // 96 KiB
        0..512 => rows + 192,
        // 160 KiB: wider windows, as many together as lanes
        512..2048 => rows + 320,
        2048..2368 => 2047 + 320,
        2368..CHUNK_ROWS => rows,
        _ => CHUNK_ROWS,
    }
}

/// No engine combines fewer rows of its own accord.
const FEWEST_COMBINED: usize = 16;

#[cfg(test)]
mod tests;
