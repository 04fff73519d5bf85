//! Says once what this build is made of; the sources have arms on these names.
//!
//! | cfg | meaning |
//! |---|---|
//! | `sigmill_words="…"` | the backend of single operations: the one that `sigmill_field` names, else the one that fits the target |
//! | `sigmill_x86_64` | x86-64 with SSE2, which kernels of operating systems lack |
//! | `sigmill_adx` | the same in four words: products with MULX, ADCX and ADOX, where the CPU has them |
//! | `sigmill_aarch64` | 64-bit Arm, little-endian, in four words: carries in assembly, but for Miri, which knows none |
//! | `sigmill_lanes` | AVX2 and AVX-512, where the CPU has them: x86-64 as above, optimised |
//! | `sigmill_lanes_128` | vectors of 128 bits: NEON of little-endian aarch64, or simd128 of WebAssembly, optimised |
//! | `sigmill_unoptimised` | larger frames |
//!
//! A build without optimisation calls a function for each instruction on vectors: it verifies a signature in lanes in
//! the time in which it verifies twenty in words. So it has no lanes.

use std::env::var;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!(
        "cargo::rustc-check-cfg=cfg(sigmill_words, values(\"u64x4\", \"u32x10\", \"fiat64\", \"fiat32\"))"
    );
    println!(
        "cargo::rustc-check-cfg=cfg(sigmill_x86_64, sigmill_adx, sigmill_aarch64, sigmill_lanes, sigmill_lanes_128, sigmill_unoptimised)"
    );
    let is = |name: &str, value: &str| {
        var(format!("CARGO_CFG_{name}"))
            .is_ok_and(|values| values.split(',').any(|one| one == value))
    };
    // flags for the target are in the environment; a wrapper of the compiler (tools/rustc) tells this program alone
    let words = [
        ("u64x4", cfg!(sigmill_field = "u64x4")),
        ("u32x10", cfg!(sigmill_field = "u32x10")),
        ("fiat64", cfg!(sigmill_field = "fiat64")),
        ("fiat32", cfg!(sigmill_field = "fiat32")),
    ];
    let asked = words.into_iter().find(|(name, told)| *told || is("SIGMILL_FIELD", name));
    let fits = if is("TARGET_POINTER_WIDTH", "64") { "u64x4" } else { "u32x10" };
    let words = asked.map_or(fits, |(name, _)| name);
    println!("cargo::rustc-cfg=sigmill_words=\"{words}\"");
    let optimised = var("OPT_LEVEL").is_ok_and(|level| level != "0");
    if !optimised {
        println!("cargo::rustc-cfg=sigmill_unoptimised");
    }
    let is_64_bit_arm = is("TARGET_ARCH", "aarch64")
        && is("TARGET_POINTER_WIDTH", "64")
        && is("TARGET_ENDIAN", "little");
    if is_64_bit_arm && words == "u64x4" && var("CARGO_CFG_MIRI").is_err() {
        println!("cargo::rustc-cfg=sigmill_aarch64");
    }
    if is("TARGET_ARCH", "x86_64") && is("TARGET_FEATURE", "sse2") {
        println!("cargo::rustc-cfg=sigmill_x86_64");
        if words == "u64x4" {
            println!("cargo::rustc-cfg=sigmill_adx");
        }
        if optimised {
            println!("cargo::rustc-cfg=sigmill_lanes");
        }
    }
    let neon = is("TARGET_ARCH", "aarch64")
        && is("TARGET_FEATURE", "neon")
        && is("TARGET_ENDIAN", "little");
    let simd128 = is("TARGET_ARCH", "wasm32") && is("TARGET_FEATURE", "simd128");
    if optimised && (neon || simd128) {
        println!("cargo::rustc-cfg=sigmill_lanes_128");
    }
}
