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

// Each file begins with what it holds.

mod chunk;
mod column;
#[cfg(feature = "ecdsa")]
mod ecdsa;
mod engine;
mod plan;
mod shared;
mod sign;
mod specs;
mod thresholds;
mod verify;
#[cfg(feature = "x25519")]
mod x25519;

pub use crate::cpu::Backend;
pub use crate::memory::Scratch;
pub use column::{Bitmap, Column, Indices, PreparedRows, Rows};
pub use engine::{Engine, Report, Strategy, scratch_len};
pub use plan::CHUNK_ROWS;
pub use shared::SharedRows;
pub use sign::SigningKeys;
pub use specs::{Algorithm, NULL_SPEC, Spec, Specs};
#[cfg(feature = "alloc")]
pub use specs::{SpecError, SpecSet};
#[cfg(feature = "alloc")]
pub use verify::verify;
#[cfg(feature = "rayon")]
pub use verify::verify_parallel;
pub use verify::{NULL_CODE, Outcome, Progress, verify_into};
#[cfg(feature = "x25519")]
pub use x25519::StaticSecrets;

use core::fmt;

/// Why columns cannot be read, or do not belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BulkError {
    /// A buffer is not as long as the rows need.
    BufferLength {
        /// Which buffer.
        what: &'static str,
        /// The length it needs.
        expected: usize,
        /// The length it has.
        got: usize,
    },
    /// Scratch memory of the documented length is not enough: a mistake in this library. Rows before
    /// these have their outcomes.
    ScratchExhausted {
        /// The first row that was to be verified with it.
        row: usize,
        /// How many rows there are, from that one on.
        rows: usize,
    },
    /// Offsets decrease, or lie past the end of the values.
    Offset {
        /// The row whose value they bound.
        row: usize,
    },
    /// A dictionary index is out of range.
    Index {
        /// The row it belongs to.
        row: usize,
    },
    /// This CPU does not have the instructions of the backend that was asked for.
    Backend {
        /// Which one.
        backend: Backend,
    },
    /// Random bytes were wanted for a combination, and the system could not provide them, or there is no
    /// system to ask and none were given ([`Engine::with_entropy`]). Weaker ones were not used instead.
    Randomness,
    /// A message to sign is null.
    NullMessage {
        /// Its row.
        row: usize,
    },
    /// A digest to sign is empty.
    EmptyDigest {
        /// Its row.
        row: usize,
    },
    /// A long message changed while it was signed ([`Engine::sign_shared_into`]).
    MessageChanged {
        /// Its row.
        row: usize,
    },
    /// A signature did not verify under its own key, or came out differently when it was made again:
    /// something went wrong while it was computed. None of the signatures is given out.
    Fault {
        /// Its row.
        row: usize,
    },
    /// An ECDSA secret key is not from 1 to n − 1.
    SecretOutOfRange {
        /// Its row.
        row: usize,
    },
    /// A column, a list of keys or a buffer for results has the wrong number of rows.
    Rows {
        /// Which one.
        what: &'static str,
        /// The rows of the first column.
        expected: usize,
        /// The rows it has.
        got: usize,
    },
}

impl fmt::Display for BulkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BulkError::BufferLength { what, expected, got } => {
                write!(f, "{what} has length {got}, but the rows need {expected}")
            }
            BulkError::ScratchExhausted { row, rows } => {
                write!(
                    f,
                    "scratch memory ran out while {rows} rows from row {row} on were verified"
                )
            }
            BulkError::Offset { row } => {
                write!(f, "offsets of row {row} decrease or lie past the end of the values")
            }
            BulkError::Index { row } => write!(f, "dictionary index of row {row} is out of range"),
            BulkError::Backend { backend } => {
                write!(f, "this CPU cannot run the backend {backend}")
            }
            BulkError::Randomness => {
                f.write_str("no random bytes: none were given, and the system provided none")
            }
            BulkError::NullMessage { row } => write!(f, "the message of row {row} is null"),
            BulkError::EmptyDigest { row } => write!(f, "the digest of row {row} is empty"),
            BulkError::MessageChanged { row } => {
                write!(f, "the message of row {row} changed while it was signed")
            }
            BulkError::Fault { row } => {
                write!(
                    f,
                    "fault while signing: the signature of row {row} failed its check; all were discarded"
                )
            }
            BulkError::SecretOutOfRange { row } => {
                write!(f, "the secret key of row {row} is not from 1 to n - 1")
            }
            BulkError::Rows { what, expected, got } => {
                write!(f, "{what} has {got} rows, but {expected} are needed")
            }
        }
    }
}

impl core::error::Error for BulkError {}

/// Rows to verify: three columns of bytes and what to verify them as.
///
/// ```
/// use sigmill::bulk::{Column, Spec, Specs, Table};
/// # use sigmill::ed25519::{Signer, SigningKey, Variant, rules};
/// # let key = SigningKey::from_bytes(&[7; 32]);
/// # let (public, signatures) = (key.verifying_key().to_bytes(), [key.sign(b"one").to_bytes(), key.sign(b"two").to_bytes()]);
/// # let (publics, messages): (_, [&[u8]; 2]) = ([&public[..]; 2], [b"one", b"two"]);
/// # let signatures: [&[u8]; 2] = [&signatures[0], &signatures[1]];
///
/// let spec = Spec::ed25519(&rules::COMMON, Variant::Pure);
/// let table = Table::new(
///     Column::slices(&publics),
///     Column::slices(&messages),
///     Column::slices(&signatures),
///     Specs::Same(spec),
/// )?;
/// assert_eq!(table.len(), 2);
/// # #[cfg(feature = "alloc")]
/// assert!(sigmill::bulk::verify(&table)?.iter().all(|row| row.is_some_and(|row| row.is_valid())));
/// # Ok::<(), sigmill::bulk::BulkError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Table<'a> {
    keys: Column<'a>,
    messages: Column<'a>,
    signatures: Column<'a>,
    specs: Specs<'a>,
}

impl<'a> Table<'a> {
    /// Puts columns together.
    ///
    /// # Errors
    /// [`BulkError::Rows`] if they differ in length, [`BulkError::Index`] if a row names a spec
    /// that does not exist.
    pub fn new(
        keys: Column<'a>,
        messages: Column<'a>,
        signatures: Column<'a>,
        specs: Specs<'a>,
    ) -> Result<Self, BulkError> {
        let expected = keys.len();
        for (what, got) in
            [("message column", messages.len()), ("signature column", signatures.len())]
        {
            if got != expected {
                return Err(BulkError::Rows { what, expected, got });
            }
        }
        specs.check(expected)?;
        Ok(Table { keys, messages, signatures, specs })
    }

    /// The number of rows.
    pub const fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there are no rows.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
