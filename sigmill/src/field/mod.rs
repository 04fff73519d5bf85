//! The fields that points have coordinates in.
//!
//! Point formulas are written once over the traits of a field. A backend implements them for one representation; an
//! element holds one value or one in each lane, and every operation acts on all lanes at once. Backends live beside each
//! other in the room of their field, and a door of its `dispatch` says which of them a kernel runs in.
//!
//! | room | what it is |
//! |---|---|
//! | `algebra` | sums of products: what all fields have |
//! | `f25519` | GF(2^255 − 19) |
//! | `nist` | the coordinates of the NIST curves |
//! | `x86_64` | macros of assembly that several moduli have in common |
//!
//! All operations are constant time unless their name ends in `_vartime`.

#[cfg(target_arch = "x86_64")]
#[macro_use]
#[allow(unused_macros)] // of which other builds have none
mod x86_64;
pub(crate) mod algebra;
pub(crate) mod f25519;
#[cfg(feature = "ecdsa")]
pub(crate) mod nist;
