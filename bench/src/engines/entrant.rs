//! An engine by name, and what engines have in common.

use sigmill::cpu::{Feature, has};
use sigmill_bench_abi::Engine;

/// Our engine; the names of its variants begin with it.
pub(crate) const OURS: &str = "sigmill";

/// An engine, or why there is none.
pub(super) type Loaded = Result<&'static Engine, String>;

/// An engine by name.
pub(crate) struct Entrant {
    pub(crate) name: &'static str,
    pub(crate) engine: Loaded,
}

/// The instructions of assembly that a library chooses at run time; on x86-64 by a check for MULX and ADX.
pub(super) fn assembly() -> &'static str {
    if cfg!(target_arch = "aarch64") {
        "aarch64"
    } else if has(Feature::Adx) {
        "bmi2+adx"
    } else {
        "x86-64"
    }
}
