//! Why a column cannot be used.

use crate::errors::after;
use crate::memory::NoMemory;
use pyo3::exceptions::{PyMemoryError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use sigmill::bulk::BulkError;
use std::fmt;

/// Whether text counts as bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Bytes alone: text could be hexadecimal as well.
    Bytes,
    /// Bytes, or text as its UTF-8.
    BytesOrText,
    /// Text alone.
    Text,
}

/// Why a column cannot be used.
#[derive(Debug)]
pub(crate) enum BadColumn {
    /// The name of what was given instead.
    NotArrow(String),
    /// `__arrow_c_array__` or `__arrow_c_stream__` gave something else.
    NoCapsule,
    /// It was released or taken before.
    Released,
    Type {
        kind: Kind,
        found: String,
    },
    Null,
    Alignment,
    Length,
    Offset {
        row: usize,
    },
    View {
        row: usize,
    },
    /// A null among the bytes of a list.
    NullByte {
        row: usize,
    },
    /// A mask that hides a part of a row.
    MaskedByte {
        row: usize,
    },
    /// Run ends that do not increase, or do not reach the last row.
    Runs,
    /// The producer's own words.
    Stream(String),
    Memory(NoMemory),
    Library(BulkError),
}

impl BadColumn {
    /// The same of a column before which `first` rows stand.
    pub(crate) fn after(self, first: usize) -> Self {
        match self {
            BadColumn::Offset { row } => BadColumn::Offset { row: first + row },
            BadColumn::View { row } => BadColumn::View { row: first + row },
            BadColumn::NullByte { row } => BadColumn::NullByte { row: first + row },
            BadColumn::Library(error) => BadColumn::Library(after(error, first)),
            other => other,
        }
    }
}

impl fmt::Display for BadColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadColumn::NotArrow(found) => write!(
                f,
                "a column is needed, something with __arrow_c_array__ or __arrow_c_stream__ or a 2-D array of u8, not {found}"
            ),
            BadColumn::NoCapsule => {
                f.write_str("its __arrow_c_array__ or __arrow_c_stream__ gives no capsule")
            }
            BadColumn::Released => f.write_str("the array was released, or taken by someone else"),
            BadColumn::Type { kind, found } => {
                let needed = match kind {
                    Kind::Bytes => "bytes are",
                    Kind::BytesOrText => "bytes or text is",
                    Kind::Text => "text is",
                };
                write!(f, "the column holds {found}; {needed} needed")
            }
            BadColumn::Null => f.write_str("a buffer is missing"),
            BadColumn::Alignment => f.write_str("a buffer is not aligned to its values"),
            BadColumn::Length => f.write_str("a length, an offset or a type cannot be"),
            BadColumn::Offset { row } => {
                write!(
                    f,
                    "row {row}: offsets decrease, are negative or lie past the end of the values"
                )
            }
            BadColumn::View { row } => write!(f, "row {row}: its view leaves its buffer"),
            BadColumn::NullByte { row } => write!(f, "row {row}: one of its bytes is null"),
            BadColumn::MaskedByte { row } => {
                write!(f, "row {row}: some of its bytes are masked, and others are not")
            }
            BadColumn::Runs => {
                f.write_str("the runs of rows do not increase or do not reach the last row")
            }
            BadColumn::Stream(message) => write!(f, "its producer fails: {message}"),
            BadColumn::Memory(error) => error.fmt(f),
            BadColumn::Library(error) => error.fmt(f),
        }
    }
}

impl From<NoMemory> for BadColumn {
    fn from(error: NoMemory) -> Self {
        BadColumn::Memory(error)
    }
}

impl From<BulkError> for BadColumn {
    fn from(error: BulkError) -> Self {
        BadColumn::Library(error)
    }
}

/// The fault of a column, or an exception of Python's own.
#[derive(Debug)]
pub(crate) enum Problem {
    Column(BadColumn),
    Python(PyErr),
}

impl From<BadColumn> for Problem {
    fn from(error: BadColumn) -> Self {
        Problem::Column(error)
    }
}

impl Problem {
    /// Whether the object has no rows in any form.
    pub(crate) const fn is_no_column(&self) -> bool {
        matches!(self, Problem::Column(BadColumn::NotArrow(_)))
    }

    /// The exception, with the name of the argument.
    pub(crate) fn of(self, name: &str) -> PyErr {
        match self {
            Problem::Python(error) => error,
            Problem::Column(error) => {
                let message = format!("{name}: {error}");
                match error {
                    BadColumn::NotArrow(_) | BadColumn::NoCapsule | BadColumn::Type { .. } => {
                        PyTypeError::new_err(message)
                    }
                    BadColumn::Memory(_) => PyMemoryError::new_err(message),
                    _ => PyValueError::new_err(message),
                }
            }
        }
    }
}
