//! The interface between the benchmark and its engines: the rows that are worked on ([`Rows`]), and an
//! [`Engine`] as a table of [`Offer`]s, one C function per operation. Engines in the program and
//! engines in libraries with compiler flags of their own go through the same table, so they are
//! called in the same way.

mod build;
mod engine;
mod rows;
mod slice;

pub use build::{curve25519_dalek_backend, locked_version, optimised};
pub use engine::{Engine, Offer, Task};
pub use rows::{Column, Messages, Rows};
pub use slice::Slice;

/// The name of the one function that an engine's library exports.
pub const ENTRY: &str = "sigmill_bench_engine";
/// The type of that function.
pub type Entry = extern "C" fn() -> *const Engine;

/// Makes the exported function of an engine's library from a function that returns the engine.
#[macro_export]
macro_rules! export {
    ($engine:path) => {
        /// The engine of this library.
        // SAFETY: no other function in the library has this name.
        #[cfg(feature = "export")]
        #[unsafe(no_mangle)]
        pub extern "C" fn sigmill_bench_engine() -> *const $crate::Engine {
            $engine()
        }
    };
}
