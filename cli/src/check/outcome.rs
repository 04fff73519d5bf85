//! The outcome of a row, and cells that cannot be used.

use sigmill::Verdict;
use sigmill_envelope::Refusal;

/// The outcome of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Judged(Verdict),
    /// The envelope is refused before its signature is looked at.
    Refused(Refusal),
    /// Something in the row is null.
    Null,
    /// The row names an algorithm, rule or variant that nobody knows.
    Unknown,
    /// The row has a context that is too long, or that its variant cannot have.
    Context,
    /// A cell cannot be read.
    Unreadable,
}

impl Outcome {
    pub(super) fn verdict(self) -> &'static str {
        match self {
            Outcome::Judged(Verdict::Valid) => "valid",
            Outcome::Judged(Verdict::Invalid(_)) | Outcome::Refused(_) => "invalid",
            Outcome::Null | Outcome::Unknown | Outcome::Context | Outcome::Unreadable => "null",
        }
    }

    /// Why the row is not valid.
    pub(super) fn reason(self) -> Option<&'static str> {
        match self {
            Outcome::Judged(Verdict::Valid) => None,
            Outcome::Judged(Verdict::Invalid(reason)) => Some(reason.name()),
            Outcome::Refused(refusal) => Some(refusal.name()),
            Outcome::Null => Some("null"),
            Outcome::Unknown => Some("unknown"),
            Outcome::Context => Some("context"),
            Outcome::Unreadable => Some("unreadable"),
        }
    }
}

/// A cell that cannot be used.
pub(super) struct Problem {
    pub(super) row: usize,
    pub(super) column: String,
    pub(super) what: String,
    /// The outcome of its row.
    pub(super) outcome: Outcome,
}
