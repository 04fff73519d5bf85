//! First inputs, made by the target itself: with `FUZZ_SEEDS=DIR` in its environment, a target
//! writes them into that folder and ends. `fuzz/run` calls each target so before it runs it.

use std::path::Path;

/// Writes the inputs if that is what the target was started for. For `init:` of `fuzz_target!`.
pub fn write_if_asked(seeds: impl FnOnce() -> Vec<Vec<u8>>) {
    let Some(folder) = std::env::var_os("FUZZ_SEEDS") else { return };
    for (i, seed) in seeds().iter().enumerate() {
        std::fs::write(Path::new(&folder).join(format!("seed-{i:03}")), seed)
            .expect("the folder of the seeds can be written");
    }
    std::process::exit(0);
}
