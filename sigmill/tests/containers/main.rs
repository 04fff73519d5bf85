//! Keys in files, and programs of users of other libraries.

#![allow(missing_docs)]

#[cfg(feature = "pem")]
mod caller_memory;
#[cfg(all(feature = "hazmat", feature = "pem", feature = "rand_core", feature = "serde"))]
#[path = "../counter/mod.rs"]
#[allow(unreachable_pub)]
mod counter;
#[cfg(all(feature = "hazmat", feature = "pem", feature = "rand_core", feature = "serde"))]
#[allow(unreachable_pub, clippy::duplicate_mod)]
mod dalek_programs;
#[cfg(feature = "pem")]
mod ecdsa_keyfile;
#[cfg(feature = "pem")]
mod file_kind;
#[cfg(feature = "pem")]
mod key_cell;
#[cfg(feature = "pem")]
mod keyfile;
#[cfg(all(feature = "pem", feature = "x25519"))]
mod x25519_keyfile;
