//! ECDSA on P-256 and P-384 from outside: RFC 6979, ECDH, Wycheproof, the crates `p256` and `p384`, the slow
//! reference, in bulk, and one test per known mistake of other libraries.
//!
//! Both curves go through the same tests; `ecdsa/curves.rs` says what a test may ask of a curve.

#![allow(missing_docs)]

mod agreement;
#[cfg(feature = "alloc")]
mod bulk_ecdsa;
mod bulk_ecdsa_signing;
#[cfg(feature = "pkcs8")]
#[path = "../../examples/certificates.rs"]
#[allow(dead_code, unreachable_pub)]
mod certificates;
#[cfg(feature = "pkcs8")]
mod chains;
#[path = "../counter/mod.rs"]
#[allow(unreachable_pub)]
mod counter;
#[path = "../cpu/mod.rs"]
mod cpu;
mod curves;
mod differential;
#[cfg(feature = "elliptic-curve")]
mod elliptic_types;
#[path = "../engines/mod.rs"]
#[allow(dead_code, unreachable_pub)]
mod engines;
mod incidents;
mod names;
mod nonces;
#[cfg(feature = "pem")]
#[allow(unreachable_pub)]
mod programs;
mod random;
#[path = "../reference/weierstrass.rs"]
#[allow(dead_code, unreachable_pub)]
mod reference;
mod rfc6979;
mod surface;
mod wycheproof;
