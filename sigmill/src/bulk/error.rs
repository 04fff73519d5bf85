//! Why columns cannot be read, or rows cannot be verified or signed.

use crate::cpu::Backend;
use crate::impls::errors;

errors! {
    /// Why columns cannot be read, or do not belong together.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum BulkError {
        /// A buffer is not as long as the rows need.
        BufferLength {
            /// The name of the buffer.
            what: &'static str,
            /// The length it needs.
            expected: usize,
            /// The length it has.
            got: usize,
        } = "{what} has length {got}, but the rows need {expected}";
        /// Scratch memory of the documented length is not enough: a mistake in this library. Rows before
        /// these have their outcomes.
        ScratchExhausted {
            /// The first row that was to be verified with it.
            row: usize,
            /// How many rows there are, from that one on.
            rows: usize,
        } = "scratch memory ran out while {rows} rows from row {row} on were verified";
        /// There is no memory for the results. Columns of empty values, of one value or of a program's own may have more rows
        /// than memory has places.
        Memory {
            /// How many rows there are.
            rows: usize,
        } = "no memory for the results of {rows} rows";
        /// Offsets decrease, or lie past the end of the values.
        Offset {
            /// The row whose value they bound.
            row: usize,
        } = "offsets of row {row} decrease or lie past the end of the values";
        /// A dictionary index is out of range.
        Index {
            /// The row it belongs to.
            row: usize,
        } = "dictionary index of row {row} is out of range";
        /// This CPU does not have the instructions of the backend that was asked for.
        Backend {
            /// The backend that was asked for.
            backend: Backend,
        } = "this CPU cannot run the backend {backend}";
        /// Random bytes were wanted for a combination, and the system could not provide them, or there is no
        /// system to ask and none were given ([`Engine::with_entropy`](super::Engine::with_entropy)). Weaker ones were not used instead.
        Randomness = "no random bytes: none were given, and the system provided none";
        /// A message to sign is null.
        NullMessage {
            /// Its row.
            row: usize,
        } = "the message of row {row} is null";
        /// A digest to sign is empty.
        EmptyDigest {
            /// Its row.
            row: usize,
        } = "the digest of row {row} is empty";
        /// A long message changed while it was signed ([`Engine::sign_shared_into`](super::Engine::sign_shared_into)).
        MessageChanged {
            /// Its row.
            row: usize,
        } = "the message of row {row} changed while it was signed";
        /// A signature did not verify under its own key, or came out differently when it was made again:
        /// something went wrong while it was computed. None of the signatures is given out.
        Fault {
            /// Its row.
            row: usize,
        } = "fault while signing: the signature of row {row} failed its check; all were discarded";
        /// An ECDSA secret key is not from 1 to n − 1.
        SecretOutOfRange {
            /// Its row.
            row: usize,
        } = "the secret key of row {row} is not from 1 to n - 1";
        /// A column, a list of keys or a buffer for results has the wrong number of rows.
        Rows {
            /// The name of the column, list or buffer.
            what: &'static str,
            /// The rows of the first column.
            expected: usize,
            /// The rows it has.
            got: usize,
        } = "{what} has {got} rows, but {expected} are needed";
    }
}

impl core::error::Error for BulkError {}
