//! Faults of arguments, as exceptions that name the argument and the row.

use crate::bytes::PemArg;
use crate::memory::NoMemory;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyMemoryError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use sigmill::bulk::BulkError;
use sigmill::{Error, FileKind, KeyCell, KeyFormatError, Reason, Verdict};
use std::any::Any;
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

/// The error about an argument of another length than `what` has; the library's sentence.
pub(crate) fn wrong_length(
    argument: &str,
    what: &'static str,
    expected: usize,
    data: &[u8],
) -> PyErr {
    let error = Error::Length { what, expected, got: data.len() };
    PyValueError::new_err(format!("{argument}: {error}"))
}

/// An error about a key that was to be read of a container, with a name for what was given in its place.
pub(crate) fn key_error(error: Error, data: &[u8], needed: FileKind) -> PyErr {
    let is_same = |found: FileKind| match (found, needed) {
        (FileKind::EcPrivateKey(found), FileKind::PrivateKey(needed)) => found == needed,
        (found, needed) => found == needed,
    };
    // the right key in PEM for DER, or in DER for PEM
    let in_form = KeyCell::of(data).filter(|_| is_other_form(&error, data));
    match FileKind::of(data).filter(|found| !is_same(*found)) {
        None => match in_form {
            Some(found) => PyValueError::new_err(format!("data: this is {found}; {error}")),
            None => value_error(error),
        },
        Some(found) => {
            let advice = found.advice().map(|advice| format!("; {advice}")).unwrap_or_default();
            PyValueError::new_err(format!("data: this is {found}, not {needed}{advice}"))
        }
    }
}

/// Whether bytes that could not be read as PEM or as DER are the other of the two.
fn is_other_form(error: &Error, data: &[u8]) -> bool {
    let is_pem = data.windows(PEM.len()).any(|window| window == PEM);
    match error {
        Error::KeyFormat(KeyFormatError::Der) => is_pem,
        Error::KeyFormat(KeyFormatError::Pem) => !is_pem,
        _ => false,
    }
}

const PEM: &[u8] = b"-----BEGIN ";

/// The kind of a file, by its beginning, and what to do with it; see `sigmill.load_pem_private_key`.
#[pyfunction]
pub(crate) fn what_is(data: PemArg<'_>) -> Option<(String, Option<&'static str>)> {
    let found = FileKind::of(data.as_bytes())?;
    Some((found.to_string(), found.advice()))
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
                | BulkError::Memory { .. }
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
