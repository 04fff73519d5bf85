//! Notes how this build is made, so that every engine can report it.

use std::env;
use std::process::Command;

fn main() {
    let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let about = Command::new(rustc).arg("-vV").output().expect("rustc answers");
    let about = String::from_utf8_lossy(&about.stdout).into_owned();
    let field = |name: &str| about.lines().find_map(|line| line.strip_prefix(name)).unwrap_or("?");
    let compiler =
        format!("{}, LLVM {}", about.lines().next().unwrap_or("?"), field("LLVM version: "));
    println!("cargo:rustc-env=BUILD_COMPILER={compiler}");
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default().replace('\x1f', " ");
    println!("cargo:rustc-env=BUILD_FLAGS={flags}");
    let level = env::var("OPT_LEVEL").unwrap_or_default();
    println!("cargo:rustc-env=BUILD_OPT_LEVEL={level}");
    println!("cargo:rerun-if-changed=build.rs");
}
