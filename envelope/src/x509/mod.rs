//! A certificate as a key, and chains of certificates (RFC 5280).
//!
//! [`key`] and [`Certificate`] trust nothing and verify nothing: anyone can write a certificate with any name in it.
//! [`verify_chain`] verifies from a leaf to one of the caller's roots at the caller's time. Revocation is the caller's.
//!
//! Certificates are of keys of Ed25519, P-256 and P-384; others are refused by name.

pub mod algorithms;
mod certificate;
mod chain;
mod file;

pub use certificate::{Certificate, key};
pub use chain::{Chain, verify_chain};
