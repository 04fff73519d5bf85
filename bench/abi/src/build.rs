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

/// The backend that curve25519-dalek has in a build like this one.
pub fn curve25519_dalek_backend() -> &'static str {
    let (avx2, ifma) = detected();
    let built = cfg!(all(target_feature = "avx512ifma", target_feature = "avx512vl"));
    if cfg!(curve25519_dalek_backend = "serial") {
        "serial"
    } else if ifma && (built || cfg!(curve25519_dalek_backend = "avx512")) {
        "avx512ifma"
    } else if avx2 {
        "avx2"
    } else {
        "serial"
    }
}

/// Whether the CPU has AVX2, and AVX-512 IFMA with vectors of every length.
#[cfg(target_arch = "x86_64")]
fn detected() -> (bool, bool) {
    let ifma = is_x86_feature_detected!("avx512ifma") && is_x86_feature_detected!("avx512vl");
    (is_x86_feature_detected!("avx2"), ifma)
}

#[cfg(not(target_arch = "x86_64"))]
fn detected() -> (bool, bool) {
    (false, false)
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
