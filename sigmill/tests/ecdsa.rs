//! ECDSA on P-256 and P-384 from outside: RFC 6979, Wycheproof, the crates `p256` and `p384`, the slow
//! reference, and one test per known mistake of other libraries.
//!
//! Both curves go through the same tests; `ecdsa/curves.rs` says what a test may ask of a curve.

#![allow(missing_docs)]

#[cfg(feature = "pkcs8")]
#[path = "../examples/certificates.rs"]
#[allow(dead_code, unreachable_pub)]
mod certificates;
#[cfg(feature = "pkcs8")]
#[path = "ecdsa/chains.rs"]
mod chains;
#[path = "ecdsa/curves.rs"]
mod curves;
#[path = "ecdsa/differential.rs"]
mod differential;
#[path = "ecdsa/incidents.rs"]
mod incidents;
#[path = "ecdsa/nonces.rs"]
mod nonces;
#[cfg(feature = "pem")]
#[path = "ecdsa/programs.rs"]
#[allow(unreachable_pub)]
mod programs;
#[path = "reference/weierstrass.rs"]
#[allow(dead_code, unreachable_pub)]
mod reference;
#[path = "ecdsa/rfc6979.rs"]
mod rfc6979;
#[path = "ecdsa/surface.rs"]
mod surface;
#[path = "ecdsa/wycheproof.rs"]
mod wycheproof;
