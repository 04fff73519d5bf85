//! The result of a call on many rows: a report, or a problem in some row.

use crate::fault::Fault;
use crate::pointer::{In, plain_struct};
use core::ffi::CStr;
use sigmill::bulk::BulkError;

plain_struct! {
    /// `struct sigmill_report`.
    pub struct Report {
        pub(super) valid: usize,
        pub(super) invalid: usize,
        pub(super) null: usize,
        pub(super) single: usize,
        pub(super) lanes: usize,
        pub(super) combined: usize,
        pub(super) row: usize,
        pub(super) what: In<u8>,
    }
}

impl Report {
    pub(super) const NOTHING: Report = Report {
        valid: 0,
        invalid: 0,
        null: 0,
        single: 0,
        lanes: 0,
        combined: 0,
        row: 0,
        what: In::NULL,
    };
}

/// A fault, and where it lies.
#[derive(Clone, Copy)]
pub(super) struct Problem {
    pub(super) fault: Fault,
    pub(super) row: usize,
    pub(super) what: Option<&'static CStr>,
}

impl From<Fault> for Problem {
    fn from(fault: Fault) -> Self {
        Problem { fault, row: 0, what: None }
    }
}

impl From<BulkError> for Problem {
    fn from(error: BulkError) -> Self {
        let (fault, row) = match error {
            BulkError::BufferLength { what: "scratch memory", .. } => (Fault::Scratch, 0),
            BulkError::BufferLength { .. } => (Fault::Column, 0),
            BulkError::ScratchExhausted { row, .. } => (Fault::Internal, row),
            BulkError::Offset { row } | BulkError::Index { row } => (Fault::Column, row),
            BulkError::Backend { .. } => (Fault::Backend, 0),
            BulkError::Randomness => (Fault::Randomness, 0),
            BulkError::NullMessage { row } => (Fault::NullMessage, row),
            BulkError::EmptyDigest { row } => (Fault::Digest, row),
            BulkError::MessageChanged { row } => (Fault::MessageChanged, row),
            BulkError::Fault { row } => (Fault::Made, row),
            BulkError::SecretOutOfRange { row } => (Fault::Secret, row),
            BulkError::Rows { .. } => (Fault::Rows, 0),
            _ => (Fault::Internal, 0),
        };
        Problem { fault, row, what: None }
    }
}
