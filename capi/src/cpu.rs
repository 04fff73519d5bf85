//! Features of the CPU.

use sigmill::cpu::{self, Feature};

const FEATURES: [(u32, Feature); 3] = [(1, Feature::Adx), (2, Feature::Avx2), (4, Feature::Ifma)];

/// The features that are used.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_cpu_features() -> u32 {
    let used = |(bit, feature): &(u32, Feature)| if cpu::has(*feature) { *bit } else { 0 };
    FEATURES.iter().map(used).sum()
}

/// The features of this CPU, for programs that state which are used: `capi/dist/given.h`.
#[cfg(sigmill_cpu = "given")]
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_cpu_detect() -> u32 {
    u32::from(cpu::features())
}

/// Uses only these.
#[cfg(not(sigmill_cpu = "given"))]
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_cpu_limit(features: u32) {
    let mut wanted = [Feature::Adx; 3];
    let mut len = 0;
    for (bit, feature) in FEATURES {
        if features & bit != 0 {
            wanted[len] = feature;
            len += 1;
        }
    }
    cpu::force(&wanted[..len]);
}
