//! Engines in libraries that `run` has built, each with compiler flags and a target folder of its
//! own. If there is no library, a text in its place says why.

use super::entrant::Loaded;
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use sigmill_bench_abi::{ENTRY, Entry};
use std::fs;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/target/engines");

/// The engine in a library; it stays loaded.
pub(crate) fn load(name: &str) -> Loaded {
    let path = format!("{FOLDER}/{name}.so");
    if !fs::exists(&path).unwrap_or(false) {
        let reason = fs::read_to_string(format!("{FOLDER}/{name}.missing"));
        return Err(
            reason.map_or_else(|_| "bench/run has not built it".into(), |r| r.trim().into())
        );
    }
    // SAFETY: the library is one of ours and does nothing when it is loaded.
    let library = unsafe { Library::open(Some(&path), RTLD_NOW | RTLD_LOCAL) };
    let library = Box::leak(Box::new(library.map_err(|error| error.to_string())?));
    // SAFETY: the macro that exports the function gives it this type.
    let entry = unsafe { library.get::<Entry>(ENTRY) }.map_err(|error| error.to_string())?;
    // SAFETY: the function returns an engine that is never freed.
    Ok(unsafe { &*entry() })
}
