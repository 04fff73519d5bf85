//! What is wrong with what Python has handed over, as exceptions that name the argument and the row.

use crate::arrow::Kind;
use crate::bytes::PemArg;
use crate::memory::NoMemory;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyMemoryError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use sigmill::bulk::BulkError;
use sigmill::{Error, FileKind, Reason, Verdict};
use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

create_exception!(
    sigmill,
    InvalidSignature,
    PyException,
    "A signature is not valid under the rule that was asked for.\n\n`reason` is the name of the first requirement that it \
     violates, such as `equation`."
);

/// The exception for a signature that is not valid.
pub(crate) fn invalid(py: Python<'_>, reason: Reason) -> PyErr {
    let error = InvalidSignature::new_err(reason.text());
    match error.value(py).setattr("reason", reason.name()) {
        Ok(()) => error,
        Err(other) => other,
    }
}

/// Nothing, or the exception.
pub(crate) fn valid(py: Python<'_>, verdict: Verdict) -> PyResult<()> {
    verdict.ok().map_err(|reason| invalid(py, reason))
}

/// An error of the library about what it was given.
pub(crate) fn value_error(error: Error) -> PyErr {
    match error {
        Error::Randomness | Error::Fault => PyRuntimeError::new_err(error.to_string()),
        error => PyValueError::new_err(error.to_string()),
    }
}

/// An error about a key that was to be read of a container, with a name for what was given in its place.
pub(crate) fn key_error(error: Error, data: &[u8], needed: FileKind) -> PyErr {
    let is_same = |found: FileKind| match (found, needed) {
        (FileKind::EcPrivateKey(found), FileKind::PrivateKey(needed)) => found == needed,
        (found, needed) => found == needed,
    };
    match FileKind::of(data).filter(|found| !is_same(*found)) {
        None => value_error(error),
        Some(found) => {
            let advice = found.advice().map(|advice| format!("; {advice}")).unwrap_or_default();
            PyValueError::new_err(format!("data: this is {found}, not {needed}{advice}"))
        }
    }
}

/// What some bytes are, by their beginning, and what to do with them; see `sigmill.load_pem_private_key`.
#[pyfunction]
pub(crate) fn what_is(data: PemArg<'_>) -> Option<(String, Option<&'static str>)> {
    let found = FileKind::of(data.as_bytes())?;
    Some((found.to_string(), found.advice()))
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

/// What is wrong with a column, or an exception of Python's own.
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

/// Why work on rows has ended.
#[derive(Debug)]
pub(crate) enum Failure {
    Library(BulkError),
    Memory(NoMemory),
}

/// The same of rows before which `first` others stand.
pub(crate) fn after(mut error: BulkError, first: usize) -> BulkError {
    if let BulkError::Index { row }
    | BulkError::NullMessage { row }
    | BulkError::EmptyDigest { row }
    | BulkError::MessageChanged { row }
    | BulkError::Fault { row } = &mut error
    {
        *row += first;
    }
    error
}

impl From<BulkError> for Failure {
    fn from(error: BulkError) -> Self {
        Failure::Library(error)
    }
}

impl From<NoMemory> for Failure {
    fn from(error: NoMemory) -> Self {
        Failure::Memory(error)
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Memory(error) => error.into(),
            Failure::Library(
                error @ (BulkError::Randomness
                | BulkError::Fault { .. }
                | BulkError::ScratchExhausted { .. }),
            ) => PyRuntimeError::new_err(error.to_string()),
            Failure::Library(error) => PyValueError::new_err(error.to_string()),
        }
    }
}

/// Does work on columns. A panic, which would be a mistake of ours, becomes an exception like any other.
pub(crate) fn caught<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    let text = |panic: Box<dyn Any + Send>| match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(panic) => panic.downcast::<&str>().map_or(String::new(), |text| text.to_string()),
    };
    crate::memory::reserve()?;
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = text(panic);
        // what pyo3 says where Python has no memory for an object
        if text == "Python API call failed" {
            return Err(PyMemoryError::new_err("Python has no memory for the result"));
        }
        Err(PyRuntimeError::new_err(format!("a mistake in sigmill, please report it: {text}")))
    })
}
