//! Strategies, and from how many rows on each is the fastest. `bench/thresholds/run` measures the thresholds.
//!
//! | class | measured on |
//! |---|---|
//! | AVX-512 IFMA | AMD Zen 5 |
//! | the others | AMD Zen 5 with the other instructions hidden |
//!
//! Vectors of 128 bits have the thresholds of AVX2: in WebAssembly on AMD Zen 1, one equation was the fastest from some 27 rows
//! on (exact), and from 15 (cofactored).
//!
//! On AMD Zen 1, whose AVX2 is not used ([`Backend::best`]), words were measured before windows became narrower for few
//! rows. One equation was the fastest from more rows on than on Zen 5, so that the numbers of words are a little higher
//! than those of Zen 5 alone.
//!
//! A number that is wrong for a CPU costs time and no verdict.

use crate::cpu::{Backend, Feature, has};
use crate::ed25519::many::rows::Limits;
use crate::ed25519::rules::Equation;
use core::fmt;

/// How the rows of a chunk are verified. Every strategy gives the same verdicts.
///
/// ```
/// use sigmill::bulk::{Engine, Strategy};
/// use sigmill::ed25519::rules;
///
/// // no random bytes are asked for
/// let engine = Engine::new().with_strategy(Strategy::Lanes);
/// assert_eq!(engine.strategy(&rules::COMMON, 10_000), Strategy::Lanes);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Strategy {
    /// One after the other; keys that occur often get tables.
    Single,
    /// Each row by its own equation, as many side by side as the backend has lanes.
    Lanes,
    /// Many rows by one equation with random coefficients, and lanes for the rows that it leaves open. A wrong
    /// row is accepted with probability at most 2^-128 ([proof]). An error
    /// ([`BulkError::Randomness`](super::BulkError::Randomness)) where there are no random bytes and
    /// [`Engine::deterministic`](super::Engine::deterministic) was not asked for.
    ///
    /// [proof]: https://github.com/sigmill/sigmill/blob/main/docs/exact-batch.md
    Combined,
}

impl Strategy {
    /// Every strategy.
    pub const ALL: [Strategy; 3] = [Strategy::Single, Strategy::Lanes, Strategy::Combined];

    /// The name, such as `lanes`.
    pub const fn name(self) -> &'static str {
        match self {
            Strategy::Single => "single",
            Strategy::Lanes => "lanes",
            Strategy::Combined => "combined",
        }
    }

    /// The strategy with this name.
    pub fn from_name(name: &str) -> Option<Strategy> {
        Strategy::ALL.into_iter().find(|strategy| strategy.name() == name)
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The rows that a strategy is chosen for.
#[derive(Clone, Copy)]
pub(super) struct Load {
    pub(super) rows: usize,
    /// How many different keys they have; as many as rows where that is not known.
    pub(super) keys: usize,
    /// Whether the keys have tables.
    pub(super) prepared: bool,
}

/// From how many rows on one equation for all is the fastest, under rules of one kind of equation.
#[derive(Clone, Copy)]
struct Rows {
    /// For rows with keys of their own.
    own_keys: usize,
    /// For rows with one key. Between the two the threshold is proportional to the number of keys.
    one_key: usize,
    /// For keys with tables.
    prepared: usize,
    /// Limits of parts among bad rows: for keys without tables, and with them.
    limits: [Limits; 2],
}

struct Thresholds {
    exact: Rows,
    cofactored: Rows,
}

const fn limits(least: u32, gap: u32) -> Limits {
    Limits { least, gap }
}

const fn rows(own_keys: usize, one_key: usize, prepared: usize, limits: [Limits; 2]) -> Rows {
    Rows { own_keys, one_key, prepared, limits }
}

/// How many rows take no longer one by one than in lanes, most of which they would leave empty.
pub(super) const FEW: usize = 2;

const IFMA: Thresholds = Thresholds {
    exact: rows(56, 28, 220, [limits(32, 240), limits(256, 1000)]),
    cofactored: rows(28, 18, 78, [limits(32, 240), limits(256, 1000)]),
};
const AVX2_ADX: Thresholds = Thresholds {
    exact: rows(29, 16, 150, [limits(32, 100), limits(128, 500)]),
    cofactored: rows(16, 16, 48, [limits(32, 100), limits(128, 500)]),
};
const AVX2: Thresholds = Thresholds {
    exact: rows(30, 16, 145, [limits(32, 100), limits(128, 500)]),
    cofactored: rows(16, 16, 50, [limits(32, 100), limits(128, 500)]),
};
const ADX: Thresholds = Thresholds {
    exact: rows(42, 160, 260, [limits(32, 200), limits(128, 500)]),
    cofactored: rows(17, 18, 46, [limits(32, 160), limits(128, 500)]),
};
const WORDS: Thresholds = Thresholds {
    exact: rows(20, 65, 200, [limits(32, 180), limits(128, 500)]),
    cofactored: rows(16, 16, 26, [limits(32, 110), limits(128, 500)]),
};

impl Thresholds {
    fn of(backend: Backend) -> &'static Thresholds {
        match (backend, has(Feature::Adx)) {
            (Backend::Ifma, _) => &IFMA,
            (Backend::Avx2, true) => &AVX2_ADX,
            (Backend::Avx2, false) | (Backend::Simd128, _) => &AVX2,
            // single operations use ADX, and combinations do not
            (Backend::Portable, true) => &ADX,
            (Backend::Portable, false) => &WORDS,
        }
    }

    fn under(&self, equation: Equation) -> &Rows {
        match equation {
            Equation::Exact => &self.exact,
            Equation::Cofactored => &self.cofactored,
        }
    }
}

/// The fastest strategy.
pub(super) fn fastest(
    backend: Backend,
    equation: Equation,
    load: Load,
    combines: bool,
) -> Strategy {
    let thresholds = Thresholds::of(backend).under(equation);
    let rows = load.rows;
    if combines && rows >= from(thresholds, load) {
        return Strategy::Combined;
    }
    if backend.lanes() > 0 && rows > FEW { Strategy::Lanes } else { Strategy::Single }
}

/// From where on rows of a combination that does not hold take less time by their own equations. A key's part of a combination
/// is twice a row's, and is shared by its rows; where each row has its own equation, it is not.
pub(super) fn limits_of(backend: Backend, equation: Equation, load: Load) -> Limits {
    let Load { rows, keys, prepared } = load;
    let limits = Thresholds::of(backend).under(equation).limits[usize::from(prepared)];
    let (rows, keys) = (rows.max(1) as u64, keys.min(rows) as u64);
    let gap = (u64::from(limits.gap) * (rows + 2 * keys)).div_ceil(3 * rows);
    Limits { gap: gap as u32, ..limits }
}

/// How many of `rows` rows are combined before the others: all of few rows. A sample shows whether many rows are invalid
/// before a combination of all is done in vain. Its rows take some 1.5 times as long as they would among the others, 1.3 % of
/// the whole; of 8192 rows it would be 2 %. With one invalid row in a hundred, 92 % of samples of 256 rows have one.
pub(super) const fn sample_of(rows: usize) -> usize {
    if rows < 12_288 { rows } else { rows / 64 }
}

/// From how many rows with as many keys on one equation for all is the fastest.
fn from(thresholds: &Rows, Load { rows, keys, prepared }: Load) -> usize {
    let Rows { own_keys, one_key, .. } = *thresholds;
    if prepared {
        return thresholds.prepared;
    }
    // one_key + (own_keys − one_key)·keys/rows
    let part = |whole: usize| whole.saturating_mul(keys) / rows.max(1);
    (one_key - part(one_key).min(one_key)).saturating_add(part(own_keys))
}

#[cfg(test)]
mod tests;
