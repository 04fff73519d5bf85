//! Columns of signatures: one verdict and one reason a row, in row order.
//!
//! A [`Table`] borrows columns in Arrow's physical layout, so Arrow, Parquet, Go, C and plain
//! slices are read where they lie, without a copy. Each row is verified under the rule, variant
//! and context of its [`Spec`]; the verdict is the one that [`crate::ed25519::verify_bytes`] gives.
//! A row with a null anywhere has no verdict: never valid, never invalid.
//!
//! An empty table has no verdicts and nothing in it is invalid; a caller that must not accept an
//! empty batch checks its length.
//!
//! ```
//! use sigmill::bulk::{Column, Scratch, Spec, Specs, Table, scratch_len, verify_into};
//! use sigmill::ed25519::{Signer, SigningKey, Variant, rules};
//!
//! let key = SigningKey::from_bytes(&[7; 32]);
//! let signatures = [key.sign(b"one").to_bytes(), key.sign(b"two").to_bytes()].concat();
//! let keys = [key.verifying_key().to_bytes(), key.verifying_key().to_bytes()].concat();
//! let table = Table::new(
//!     Column::fixed(&keys, 32, 2, None)?,
//!     Column::binary(&[0, 3, 6], b"onetoo", None)?,
//!     Column::fixed(&signatures, 64, 2, None)?,
//!     Specs::Same(Spec::ed25519(&rules::COMMON, Variant::Pure)),
//! )?;
//! let mut outcomes = [None; 2];
//! let mut scratch = [Scratch::new(); scratch_len(2)];
//! verify_into(&table, &mut outcomes, &mut scratch)?;
//! assert!(outcomes[0].unwrap().is_valid() && !outcomes[1].unwrap().is_valid());
//! # Ok::<(), sigmill::bulk::BulkError>(())
//! ```

#[cfg(feature = "alloc")]
mod checked;
mod chunk;
#[cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]
mod column;
#[cfg(feature = "ecdsa")]
mod ecdsa;
mod engine;
mod error;
mod failure_rate;
#[cfg(feature = "rayon")]
mod parallel;
mod part;
mod plan;
mod results;
mod shared;
mod sign;
mod signing_keys;
#[cfg(feature = "alloc")]
mod spec_set;
mod specs;
mod stages;
mod strategy;
mod table;
mod verify;
#[cfg(feature = "x25519")]
mod x25519;

pub use crate::cpu::Backend;
pub use crate::memory::Scratch;
pub use column::{Bitmap, Column, Indices, PreparedRows, Rows};
pub use engine::{Engine, scratch_len};
pub use error::BulkError;
pub use failure_rate::FailureRate;
#[cfg(feature = "rayon")]
pub use parallel::verify_parallel;
pub use plan::CHUNK_ROWS;
pub use results::{NULL_CODE, Outcome, Report};
pub use shared::SharedRows;
pub use signing_keys::SigningKeys;
#[cfg(feature = "alloc")]
pub use spec_set::{SpecError, SpecSet};
pub use specs::{Algorithm, NULL_SPEC, Spec, Specs};
pub use strategy::Strategy;
pub use table::Table;
#[cfg(feature = "alloc")]
pub use verify::verify;
pub use verify::{Progress, verify_into};
#[cfg(feature = "x25519")]
pub use x25519::StaticSecrets;
