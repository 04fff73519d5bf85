//! From how many rows on each strategy is the fastest: the one table of that. `bench/thresholds/run` measures it anew.
//!
//! | class | own keys, prepared keys | one key, and keys that occur often |
//! |---|---|---|
//! | AVX-512 IFMA | AMD Zen 5 and Zen 4 | estimated; on Zen 4 64 rows of one key are faster combined |
//! | AVX2 with ADX | AMD Zen 5 | estimated from times on Zen 5: 12 µs a row in lanes, 8.2 with tables, which take 23 |
//! | AVX2 | AMD Zen 5 | estimated |
//! | words with ADX | AMD Zen 1, whose AVX2 is not used ([`Backend::best`]) | the same |
//! | words | AMD Zen 1 with ADX and AVX2 hidden | the same |
//!
//! What is estimated waits for a CPU of the class; a wrong number costs time and no verdict.

use super::engine::Strategy;
use crate::cpu::{Backend, Feature, has};
use crate::ed25519::rules::Equation;

/// What there is to verify.
#[derive(Clone, Copy)]
pub(super) struct Load {
    pub(super) rows: usize,
    /// How many keys these have; as many as rows where it is not known.
    pub(super) keys: usize,
    /// Whether the keys have tables.
    pub(super) prepared: bool,
}

/// From how many rows on one equation for all is the fastest.
#[derive(Clone, Copy)]
struct Combined {
    /// Where each row has a key of its own.
    own_keys: usize,
    /// Where all have the same; between the two it lies in proportion to the number of keys.
    one_key: usize,
    /// Where keys have tables.
    prepared: usize,
}

struct Thresholds {
    exact: Combined,
    cofactored: Combined,
    /// From how many rows a key on average one by one, with tables of keys, is faster than lanes.
    tables: usize,
}

const fn combined(own_keys: usize, one_key: usize, prepared: usize) -> Combined {
    Combined { own_keys, one_key, prepared }
}

/// How many rows take no longer one by one than in lanes, most of which they would leave empty.
pub(super) const FEW: usize = 2;

const NEVER: usize = usize::MAX;

const IFMA: Thresholds =
    Thresholds { exact: combined(96, 40, 256), cofactored: combined(56, 32, 112), tables: NEVER };
const AVX2_ADX: Thresholds =
    Thresholds { exact: combined(40, 40, 176), cofactored: combined(24, 20, 56), tables: 8 };
const AVX2: Thresholds =
    Thresholds { exact: combined(40, 32, 176), cofactored: combined(24, 20, 56), tables: 16 };
const ADX: Thresholds =
    Thresholds { exact: combined(49, 160, 392), cofactored: combined(21, 22, 40), tables: 0 };
const WORDS: Thresholds =
    Thresholds { exact: combined(28, 92, 287), cofactored: combined(16, 18, 30), tables: 0 };

impl Thresholds {
    fn of(backend: Backend) -> &'static Thresholds {
        match (backend, has(Feature::Adx)) {
            (Backend::Ifma, _) => &IFMA,
            (Backend::Avx2, true) => &AVX2_ADX,
            (Backend::Avx2, false) => &AVX2,
            // single operations have what the CPU has, and combinations have not
            (Backend::Portable, true) => &ADX,
            (Backend::Portable, false) => &WORDS,
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
    let thresholds = Thresholds::of(backend);
    let Load { rows, keys, prepared } = load;
    if combines && rows >= from(thresholds, equation, load) {
        return Strategy::Combined;
    }
    let repeated = !prepared && rows / keys.max(1) >= thresholds.tables;
    if backend.lanes() > 0 && rows > FEW && !repeated { Strategy::Lanes } else { Strategy::Single }
}

/// How many of so many rows are combined before the others, so that many invalid ones among them are seen before much is
/// done in vain: all if there are few. These take some 1.5 times as long as they would among the others, less than 1 %
/// of the whole; of 256 rows, one of each hundred invalid, 92 % of samples have an invalid one.
pub(super) const fn sample_of(rows: usize) -> usize {
    if rows < 8192 { rows } else { rows / 64 }
}

/// From how many rows with as many keys on one equation for all is the fastest.
fn from(thresholds: &Thresholds, equation: Equation, Load { rows, keys, prepared }: Load) -> usize {
    let Combined { own_keys, one_key, prepared: tables } = match equation {
        Equation::Exact => thresholds.exact,
        Equation::Cofactored => thresholds.cofactored,
    };
    if prepared {
        return tables;
    }
    // one_key + (own_keys − one_key)·keys/rows
    let part = |whole: usize| whole.saturating_mul(keys) / rows.max(1);
    (one_key - part(one_key).min(one_key)).saturating_add(part(own_keys))
}

#[cfg(test)]
#[path = "../tests/thresholds.rs"]
mod tests;
