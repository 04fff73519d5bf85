//! Signatures as they travel. An envelope is read by a well-kept library, where there is one, and comes down to a
//! [`Signed`]: a scheme, the message as it was signed, and the signature. `sigmill` decides under the rule that the
//! caller names.
//!
//! The key, and with it the algorithm, is the verifier's. What the envelope says of its algorithm must fit the key, and is
//! refused otherwise; it never chooses. Whatever else the envelope claims (names, times, types) comes out as data:
//! time, revocation and trust are the caller's.

// Bytes are carried here. No arithmetic and no rule.

mod column;
mod comment;
pub mod cose;
pub mod dsse;
mod error;
mod form;
pub mod jose;
mod json;
mod key;
pub mod minisign;
mod secret;
mod signed;
pub mod signify;
pub mod ssh;
mod trusted;
pub mod x509;

pub use column::{Candidate, Candidates, ColumnReader, Rows};
pub use error::{Error, Refusal, Result, quoted};
pub use form::Form;
pub use key::Key;
pub use secret::SecretKey;
pub use signed::{Scheme, Signed};
pub use trusted::Trusted;
