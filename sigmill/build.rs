//! Says which code is compiled: `sigmill_lanes`, that of lanes; `sigmill_unoptimised`, whose frames are larger.
//!
//! Lanes are vectors, and a build without optimisation calls a function for each instruction on them: it verifies
//! a signature in lanes in the time in which the same build verifies twenty in words. So it has none.

use std::env::var;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(sigmill_lanes, sigmill_unoptimised)");
    let x86_64 = var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "x86_64");
    // not where a kernel of an operating system is built, which has no vectors
    let sse2 = var("CARGO_CFG_TARGET_FEATURE")
        .is_ok_and(|features| features.split(',').any(|feature| feature == "sse2"));
    let optimised = var("OPT_LEVEL").is_ok_and(|level| level != "0");
    if !optimised {
        println!("cargo::rustc-cfg=sigmill_unoptimised");
    }
    if x86_64 && sse2 && optimised {
        println!("cargo::rustc-cfg=sigmill_lanes");
    }
}
