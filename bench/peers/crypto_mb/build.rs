//! Links the static library whose folder the variable CRYPTO_MB_LIB names.

use std::env;

fn main() {
    println!("cargo:rerun-if-env-changed=CRYPTO_MB_LIB");
    if let Ok(folder) = env::var("CRYPTO_MB_LIB") {
        println!("cargo:rustc-link-search=native={folder}");
        println!("cargo:rustc-link-lib=static=crypto_mb");
        // Conversions that share an object file with what is used call OpenSSL's big numbers.
        println!("cargo:rustc-link-lib=crypto");
    }
}
