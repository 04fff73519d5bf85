//! Ed25519 and X25519 from outside: frozen vectors, those of others, the slow reference, bulk in every
//! backend, and one test per known mistake of other libraries.

#![allow(missing_docs)]

#[cfg(feature = "alloc")]
mod bulk;
#[cfg(feature = "alloc")]
mod bulk_calls;
mod bulk_signing;
#[cfg(feature = "hazmat")]
mod chosen_scalars;
#[path = "../cpu/mod.rs"]
mod cpu;
#[path = "../engines/mod.rs"]
#[allow(unreachable_pub)]
mod engines;
mod incidents;
mod outside_vectors;
#[cfg(feature = "curve25519-dalek")]
mod points;
#[path = "../reference/mod.rs"]
mod reference;
mod shared;
mod torsion;
#[path = "../vectors/mod.rs"]
mod vectors;
mod verdicts;
mod x25519;
