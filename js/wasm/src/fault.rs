//! Faults of a call, as negative numbers. `js/src/errors.js` has the same list with texts.

#[cfg(feature = "bulk")]
use sigmill::bulk::BulkError;
use sigmill::{Error, KeyFormatError};

/// Why a call has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub(crate) enum Fault {
    /// Memory could not be had.
    Memory = -1,
    /// Lengths or numbers that JavaScript should not have passed.
    Call = -2,
    /// No object has this handle.
    Handle = -3,
    /// An argument has the wrong length.
    Length = -4,
    /// A public key is no point.
    NotAPoint = -5,
    /// A public key beside a secret one is another's.
    Pair = -6,
    /// A secret key is 0 or not below the order.
    Secret = -7,
    /// The shared secret is zero.
    NotContributory = -8,
    /// A signature failed its check.
    Discarded = -9,
    /// A digest is empty.
    DigestEmpty = -10,
    /// Not the DER structure.
    Der = -11,
    /// Not PEM with the expected label.
    Pem = -12,
    /// A key of another algorithm.
    Algorithm = -13,
    /// The algorithm identifier has parameters.
    Parameters = -14,
    /// A curve by explicit parameters.
    ExplicitCurve = -15,
    /// A key on another curve.
    AnotherCurve = -16,
    /// The container does not name the curve.
    NoCurve = -17,
    /// The key in the container has the wrong length.
    KeyLength = -18,
    /// The container is too long.
    TooLong = -19,
    /// Something that the library should not report here.
    Other = -20,
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        match error {
            Error::Length { .. } | Error::ContextTooLong { .. } => Fault::Length,
            Error::NotAPoint => Fault::NotAPoint,
            Error::KeyPairMismatch => Fault::Pair,
            Error::Fault | Error::MessageChanged => Fault::Discarded,
            Error::NotContributory => Fault::NotContributory,
            Error::ScalarOutOfRange { .. } => Fault::Secret,
            Error::AnotherCurve => Fault::AnotherCurve,
            Error::DigestEmpty => Fault::DigestEmpty,
            Error::KeyFormat(error) => of_container(error),
            _ => Fault::Other,
        }
    }
}

fn of_container(error: KeyFormatError) -> Fault {
    match error {
        KeyFormatError::Der => Fault::Der,
        KeyFormatError::Pem => Fault::Pem,
        KeyFormatError::NotEd25519 | KeyFormatError::Algorithm => Fault::Algorithm,
        KeyFormatError::Parameters => Fault::Parameters,
        KeyFormatError::ExplicitCurve => Fault::ExplicitCurve,
        KeyFormatError::AnotherCurve => Fault::AnotherCurve,
        KeyFormatError::NoCurve => Fault::NoCurve,
        KeyFormatError::KeyLength => Fault::KeyLength,
        KeyFormatError::TooLong { .. } => Fault::TooLong,
        _ => Fault::Other,
    }
}

#[cfg(feature = "bulk")]
impl From<BulkError> for Fault {
    fn from(_: BulkError) -> Self {
        Fault::Other
    }
}

/// The number that JavaScript receives.
pub(crate) fn number(result: Result<usize, Fault>) -> i32 {
    match result {
        Ok(value) => i32::try_from(value).unwrap_or(Fault::Call as i32),
        Err(fault) => fault as i32,
    }
}
