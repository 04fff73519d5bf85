//! How this build was made, and with which versions.

use std::sync::OnceLock;

/// The compiler of this build.
pub(crate) const COMPILER: &str = env!("BUILD_COMPILER");
/// The compiler flags of this build.
pub(crate) const FLAGS: &str = env!("BUILD_FLAGS");

/// Whether this build is one whose times mean anything.
pub fn optimised() -> bool {
    env!("BUILD_OPT_LEVEL") == "3" && !cfg!(debug_assertions)
}

/// `name version` of a dependency, by the lock file that all builds share.
pub fn locked_version(name: &str) -> String {
    static LOCK: OnceLock<Vec<(&str, &str)>> = OnceLock::new();
    let packages = LOCK.get_or_init(|| {
        let lines: Vec<&str> = include_str!("../../Cargo.lock").lines().collect();
        let value = |line: &'static str, key| line.strip_prefix(key)?.strip_suffix('"');
        lines
            .windows(2)
            .filter_map(|pair| {
                Some((value(pair[0], "name = \"")?, value(pair[1], "version = \"")?))
            })
            .collect()
    });
    let version = packages.iter().find(|package| package.0 == name).map_or("?", |found| found.1);
    format!("{name} {version}")
}
