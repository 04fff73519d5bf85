//! DSSE envelopes, and sigstore bundles by key.
//!
//! The form is that of version 1.0 of `protocol.md` and `envelope.md` at <https://github.com/secure-systems-lab/dsse>.
//! The specification leaves open some things, which are fixed here:
//!
//! - Base64 is standard or URL-safe, one of them in a value, with padding, canonical, without white space.
//! - Signatures of ECDSA are DER, as cosign writes them, or r and s of fixed width: the verifier's
//!   [`TrustedKey`] says which, and the envelope never does. The hash function is that of the curve.
//! - A member that occurs twice is refused at any depth. Unknown members are ignored, as the specification asks.
//! - A text has up to 64 MiB, 65,536 values, 64 levels and 256 signatures.

mod bundle;
mod envelope;

pub use bundle::{Bundle, Content, MessageDigest};
pub use envelope::{
    Candidate, Envelope, IN_TOTO, LONGEST_TEXT, MOST_PAIRS, MOST_SIGNATURES, Signature, SigningKey,
    TrustedKey, check_threshold, sign,
};
