//! Verdicts of rows, and columns of ours, as objects of Python.

use crate::arrow::{Buffer, Export, fixed_format, stream};
use crate::bytes::{dict, text};
use crate::claims::Claims;
use crate::ed25519::PyVerdict;
use crate::errors::caught;
use crate::memory::{self, NoMemory};
use pyo3::exceptions::{PyIndexError, PyOverflowError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyMemoryView, PyTuple};
use sigmill::bulk::NULL_CODE;
use sigmill::{Reason, Verdict};
use sigmill_envelope::Refusal;
use sigmill_report::{CONTEXT_CODE, UNKNOWN_CODE, UNREADABLE_CODE};
use std::sync::Arc;

/// The name of what a code stands for; `None`: it is valid.
fn reason(code: u8) -> Option<&'static str> {
    match code {
        0 => None,
        NULL_CODE => Some("null"),
        UNKNOWN_CODE => Some("unknown"),
        CONTEXT_CODE => Some("context"),
        UNREADABLE_CODE => Some("unreadable"),
        code => match refusal(code) {
            Some(refusal) => Some(refusal.name()),
            None => Reason::ALL.iter().find(|reason| reason.code() == code).map(|r| r.name()),
        },
    }
}

/// The refusal of an envelope that a code stands for.
fn refusal(code: u8) -> Option<Refusal> {
    Refusal::ALL.iter().copied().find(|refusal| refusal.code() == code)
}

/// Whether a row has a verdict.
const fn is_judged(code: u8) -> bool {
    !matches!(code, NULL_CODE | UNKNOWN_CODE | CONTEXT_CODE | UNREADABLE_CODE)
}

/// One verdict and one reason a row.
#[pyclass(frozen, name = "Verdicts", module = "sigmill")]
pub(crate) struct Verdicts {
    codes: Arc<Vec<u8>>,
    counts: [usize; 256],
    /// `None` unless they were asked for.
    claims: Option<Arc<Claims>>,
}

impl Verdicts {
    /// Those of codes, one a row.
    pub(crate) fn of(codes: Vec<u8>) -> Self {
        let mut counts = [0; 256];
        for code in &codes {
            counts[usize::from(*code)] += 1;
        }
        Verdicts { codes: Arc::new(codes), counts, claims: None }
    }

    /// The same with the claims of the rows.
    pub(crate) fn with_claims(self, claims: Option<Claims>) -> Self {
        Verdicts { claims: claims.map(Arc::new), ..self }
    }
}

/// A column of ours, for anything that reads Arrow.
#[pyclass(frozen, name = "ArrowColumn", module = "sigmill")]
pub(crate) struct ArrowColumn(Values);

/// The values of a column.
enum Values {
    /// Of verdicts.
    Verdict(Arc<Vec<u8>>),
    Reason(Arc<Vec<u8>>),
    /// So many bytes a row, one row after the other.
    Fixed(Arc<Vec<u8>>, usize),
    Claims(Arc<Claims>),
}

/// Rows of an array of a stream.
const BATCH_ROWS: usize = 1 << 23;

fn bits(codes: &[u8], is_set: impl Fn(u8) -> bool) -> Result<Buffer, NoMemory> {
    let byte = |codes: &[u8]| {
        codes.iter().enumerate().fold(0, |byte, (i, code)| byte | u8::from(is_set(*code)) << i)
    };
    memory::collected(codes.chunks(8).map(byte)).map(Buffer::Bytes)
}

fn verdict_column(codes: &[u8]) -> Result<Export, NoMemory> {
    let nulls = codes.iter().filter(|code| !is_judged(**code)).count();
    let validity = match nulls {
        0 => Buffer::None,
        _ => bits(codes, is_judged)?,
    };
    Ok(Export {
        format: c"b".into(),
        name: c"verdict".into(),
        nullable: true,
        rows: codes.len(),
        nulls,
        buffers: vec![validity, bits(codes, |code| code == 0)?],
        children: Vec::new(),
    })
}

fn reason_column(codes: &[u8]) -> PyResult<Export> {
    let names: Vec<&str> = (0..=u8::MAX).map(|code| reason(code).unwrap_or_default()).collect();
    let size: usize = codes.iter().map(|code| names[usize::from(*code)].len()).sum();
    if i32::try_from(size).is_err() {
        return Err(PyOverflowError::new_err(
            "the reasons of so many rows are more than one Arrow array holds: use __arrow_c_stream__",
        ));
    }
    let nulls = codes.iter().filter(|code| **code == 0).count();
    let (mut offsets, mut text) = (memory::vec(codes.len() + 1)?, memory::vec(size)?);
    offsets.push(0);
    for code in codes {
        text.extend_from_slice(names[usize::from(*code)].as_bytes());
        offsets.push(text.len() as i32);
    }
    Ok(Export {
        format: c"u".into(),
        name: c"reason".into(),
        nullable: true,
        rows: codes.len(),
        nulls,
        buffers: vec![
            bits(codes, |code| code != 0)?,
            Buffer::Offsets(offsets),
            Buffer::Bytes(text),
        ],
        children: Vec::new(),
    })
}

fn table(codes: &[u8]) -> PyResult<Export> {
    Ok(Export {
        format: c"+s".into(),
        name: c"".into(),
        nullable: false,
        rows: codes.len(),
        nulls: 0,
        buffers: vec![Buffer::None],
        children: vec![verdict_column(codes)?, reason_column(codes)?],
    })
}

impl ArrowColumn {
    pub(crate) fn fixed(bytes: Vec<u8>, width: usize) -> Self {
        ArrowColumn(Values::Fixed(Arc::new(bytes), width))
    }
}

#[pymethods]
impl ArrowColumn {
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let _ = requested_schema; // the protocol lets a producer give what it has
        let export = || match &self.0 {
            Values::Verdict(codes) => Ok(verdict_column(codes)?),
            Values::Reason(codes) => reason_column(codes),
            Values::Claims(claims) => Ok(claims.export()),
            Values::Fixed(bytes, width) => Ok(Export {
                format: fixed_format(*width),
                name: c"".into(),
                nullable: false,
                rows: bytes.len() / width,
                nulls: 0,
                buffers: vec![Buffer::None, Buffer::Shared(Arc::clone(bytes))],
                children: Vec::new(),
            }),
        };
        caught(|| export()?.capsules(py))
    }

    fn __len__(&self) -> usize {
        match &self.0 {
            Values::Verdict(codes) | Values::Reason(codes) => codes.len(),
            Values::Fixed(bytes, width) => bytes.len() / width,
            Values::Claims(claims) => claims.rows(),
        }
    }

    fn __repr__(&self) -> String {
        let kind = match self.0 {
            Values::Verdict(_) => "boolean".to_owned(),
            Values::Reason(_) => "text".to_owned(),
            Values::Fixed(_, width) => format!("{width} bytes"),
            Values::Claims(_) => "claims".to_owned(),
        };
        format!("ArrowColumn({} rows of {kind})", self.__len__())
    }
}

#[pymethods]
impl Verdicts {
    fn __len__(&self) -> usize {
        self.codes.len()
    }

    /// The rows that are valid.
    #[getter]
    fn valid(&self) -> usize {
        self.counts[0]
    }

    /// The rows that are not.
    #[getter]
    fn invalid(&self) -> usize {
        self.codes.len() - self.valid() - self.null()
    }

    /// The rows without a verdict.
    #[getter]
    fn null(&self) -> usize {
        [NULL_CODE, UNKNOWN_CODE, CONTEXT_CODE, UNREADABLE_CODE]
            .map(|code| self.counts[usize::from(code)])
            .iter()
            .sum()
    }

    /// Whether there are rows, and all of them are valid.
    #[getter]
    fn all_valid(&self) -> bool {
        !self.codes.is_empty() && self.valid() == self.codes.len()
    }

    /// How many rows have each reason.
    #[getter]
    fn reasons<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let reasons = dict(py)?;
        for (code, count) in (0..=u8::MAX).zip(self.counts) {
            if let (Some(name), true) = (reason(code), count > 0) {
                reasons.set_item(text(py, name)?, count)?;
            }
        }
        Ok(reasons)
    }

    /// The first rows that are not valid, at most `limit` of them.
    #[pyo3(signature = (limit = None))]
    fn bad<'py>(&self, py: Python<'py>, limit: Option<usize>) -> PyResult<Bound<'py, PyAny>> {
        let bad = self.codes.len() - self.valid();
        let rows = self.codes.iter().enumerate().filter(|(_, code)| **code != 0);
        // Python makes the numbers of a buffer, and has an exception where it has no memory for them
        caught(|| {
            let bytes = PyBytes::new_with(py, 8 * bad.min(limit.unwrap_or(bad)), |bytes| {
                for (bytes, (row, _)) in bytes.as_chunks_mut().0.iter_mut().zip(rows) {
                    *bytes = (row as u64).to_ne_bytes();
                }
                Ok(())
            })?;
            PyMemoryView::from(&bytes)?.call_method1("cast", ("Q",))?.call_method0("tolist")
        })
    }

    /// The verdict on a row; `None` where there is none.
    fn __getitem__(&self, row: isize) -> PyResult<Option<PyVerdict>> {
        let from_end = || self.codes.len().checked_sub(row.unsigned_abs());
        let place = usize::try_from(row).ok().or_else(from_end);
        let code = place.and_then(|row| self.codes.get(row)).ok_or_else(|| {
            PyIndexError::new_err(format!("row {row} of {} rows", self.codes.len()))
        })?;
        if *code == 0 {
            return Ok(Some(PyVerdict(Ok(Verdict::Valid))));
        }
        if let Some(refusal) = refusal(*code) {
            return Ok(Some(PyVerdict(Err(refusal))));
        }
        let reason = Reason::ALL.iter().find(|reason| reason.code() == *code);
        Ok(reason.map(|reason| PyVerdict(Ok(Verdict::Invalid(*reason)))))
    }

    #[getter]
    fn verdict(&self) -> ArrowColumn {
        ArrowColumn(Values::Verdict(Arc::clone(&self.codes)))
    }

    #[getter]
    fn reason(&self) -> ArrowColumn {
        ArrowColumn(Values::Reason(Arc::clone(&self.codes)))
    }

    /// The claims of the rows; `None` where none were asked for.
    #[getter]
    fn claims(&self) -> Option<ArrowColumn> {
        self.claims.as_ref().map(|claims| ArrowColumn(Values::Claims(Arc::clone(claims))))
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let _ = requested_schema; // the protocol lets a producer give what it has
        caught(|| table(&self.codes)?.capsules(py))
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema; // the protocol lets a producer give what it has
        let (codes, mut first) = (Arc::clone(&self.codes), 0);
        let next = move || {
            let end = codes.len().min(first + BATCH_ROWS);
            let part = (first < end).then(|| table(&codes[first..end])).transpose()?;
            first = end;
            Ok(part)
        };
        caught(|| stream(py, table(&[])?, Box::new(next)))
    }

    fn __repr__(&self) -> String {
        let (rows, valid, invalid, null) =
            (self.codes.len(), self.valid(), self.invalid(), self.null());
        format!("Verdicts({rows} rows: {valid} valid, {invalid} invalid, {null} null)")
    }
}
