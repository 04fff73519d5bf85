//! Bytes and names as Python hands them over.

use crate::memory;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyMemoryView, PyString, PyType};
use sigmill::bulk::Algorithm;
use sigmill::ecdsa::{Encoding, LowS, Prehash};
use sigmill::ed25519::{ContextString, Rule, Variant};

/// Bytes that nobody changes meanwhile: `bytes` as they are, a copy of what else has a buffer.
pub(crate) struct ByteArg<'py>(Bound<'py, PyBytes>);

impl ByteArg<'_> {
    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl<'py> FromPyObject<'_, 'py> for ByteArg<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        memory::reserve()?;
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return Ok(ByteArg(bytes.to_owned()));
        }
        let wrong = |_| match object.get_type().name() {
            Ok(found) => PyTypeError::new_err(format!("bytes are needed, not {found}")),
            Err(error) => error,
        };
        // an integer would make as many zeros as it says; a memoryview is of a buffer alone
        let view = PyMemoryView::from(&object).map_err(wrong)?;
        let format = view.getattr("format")?.extract::<String>()?;
        if holds_pointers(&format) || is_masked(&object)? {
            let name = object.get_type().name()?;
            let message = format!("bytes are needed, not {name} (format: {format})");
            return Err(PyTypeError::new_err(message));
        }
        let copy = view.call_method0("tobytes")?;
        Ok(ByteArg(copy.cast_into::<PyBytes>()?))
    }
}

/// Whether the values of a buffer are objects or pointers: its bytes are addresses. Names of fields stand between colons.
fn holds_pointers(format: &str) -> bool {
    format.split(':').step_by(2).any(|types| types.contains(['O', 'P', '&']))
}

/// Whether it is an array of NumPy with a mask, which its buffer does not have.
pub(crate) fn is_masked(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    for class in object.get_type().mro() {
        let name = class.cast::<PyType>()?.fully_qualified_name()?;
        let name = name.to_str()?;
        if name.starts_with("numpy.ma.") && name.ends_with(".MaskedArray") {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A `bytes` object, or a `MemoryError`; `PyBytes::new` panics instead.
pub(crate) fn made<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, bytes.len(), |place| {
        place.copy_from_slice(bytes);
        Ok(())
    })
}

/// A `str`, likewise.
pub(crate) fn text<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyString>> {
    PyString::from_bytes(py, text.as_bytes())
}

/// A `dict`, likewise.
pub(crate) fn dict(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    Ok(py.get_type::<PyDict>().call0()?.cast_into()?)
}

/// The bytes of an argument that may be left out.
pub(crate) fn of<'a>(argument: &'a Option<ByteArg<'_>>) -> &'a [u8] {
    argument.as_ref().map_or(&[], ByteArg::as_bytes)
}

/// Text or bytes: what is in a PEM file.
pub(crate) struct PemArg<'py>(ByteArg<'py>);

impl PemArg<'_> {
    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl<'py> FromPyObject<'_, 'py> for PemArg<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match object.cast::<PyString>() {
            Ok(text) => Ok(PemArg(ByteArg(text.call_method0("encode")?.cast_into()?))),
            Err(_) => object.extract().map(PemArg),
        }
    }
}

/// How `copy` and `pickle` make a value again: the type, and its one argument.
pub(crate) type Reduced<T> = (Py<PyType>, (T,));

/// A verification rule of Ed25519: one of eight, by which alone it is said which signatures are valid.
#[pyclass(frozen, eq, hash, name = "Rule", module = "sigmill.ed25519")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PyRule(u8);

impl PyRule {
    pub(crate) fn of(rule: &Rule) -> Self {
        PyRule(rule.id())
    }

    fn rule(&self) -> PyResult<&'static Rule> {
        Rule::from_id(self.0).ok_or_else(|| PyValueError::new_err("no such rule"))
    }
}

#[pymethods]
impl PyRule {
    #[new]
    fn new(name: &str) -> PyResult<Self> {
        named_rule(name).map(PyRule::of)
    }

    #[getter]
    fn name(&self) -> PyResult<&'static str> {
        Ok(self.rule()?.name())
    }

    fn __repr__(&self) -> PyResult<String> {
        Ok(format!("Rule('{}')", self.name()?))
    }

    fn __str__(&self) -> PyResult<&'static str> {
        self.name()
    }

    fn __reduce__(slf: &Bound<'_, Self>) -> PyResult<Reduced<&'static str>> {
        Ok((slf.get_type().unbind(), (slf.get().name()?,)))
    }
}

fn named_rule(name: &str) -> PyResult<&'static Rule> {
    Rule::from_name(name)
        .ok_or_else(|| unknown("rule", name, sigmill::ed25519::rules::ALL.map(Rule::name)))
}

fn unknown<const N: usize>(what: &str, name: &str, known: [&str; N]) -> PyErr {
    PyValueError::new_err(format!("{what}: unknown name {name:?}; known are {}", known.join(", ")))
}

/// A rule, or the name of one.
pub(crate) struct RuleArg(pub(crate) &'static Rule);

impl FromPyObject<'_, '_> for RuleArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if let Ok(rule) = object.cast::<PyRule>() {
            return rule.get().rule().map(RuleArg);
        }
        match object.cast::<PyString>() {
            Ok(name) => named_rule(name.to_str()?).map(RuleArg),
            Err(_) => {
                let found = object.get_type().name()?;
                Err(PyTypeError::new_err(format!(
                    "a rule or the name of one is needed, not {found}"
                )))
            }
        }
    }
}

/// Why `copy`, `deepcopy` and `pickle` do not get a secret.
pub(crate) fn no_copy() -> PyErr {
    PyTypeError::new_err(
        "a secret key is neither copied nor pickled; to write it down, ask for its bytes or its PEM",
    )
}

/// The rule `common` where none is named.
pub(crate) fn or_common(rule: Option<RuleArg>) -> &'static Rule {
    rule.map_or(&sigmill::ed25519::rules::COMMON, |rule| rule.0)
}

/// A variant by its name, around a context.
pub(crate) fn variant<'a>(name: &str, context: &'a [u8]) -> PyResult<Variant<'a>> {
    let checked = ContextString::new(context)
        .map_err(|error| PyValueError::new_err(format!("context: {error}")))?;
    match name {
        "pure" if !context.is_empty() => Err(PyValueError::new_err(
            "context: the variant `pure` does not take one; variant=\"ctx\" and \"ph\" do",
        )),
        "pure" => Ok(Variant::Pure),
        "ctx" => Ok(Variant::Ctx(checked)),
        "ph" => Ok(Variant::Ph(checked)),
        other => Err(unknown("variant", other, ["pure", "ctx", "ph"])),
    }
}

/// An algorithm by its name.
pub(crate) fn algorithm(name: &str) -> PyResult<Algorithm> {
    Algorithm::from_name(name)
        .ok_or_else(|| unknown("algorithm", name, Algorithm::ALL.map(Algorithm::name)))
}

/// The hash function of the digest of ECDSA, by its name.
pub(crate) fn prehash(name: &str) -> PyResult<Prehash> {
    Ok(match name {
        "sha256" => Prehash::Sha256,
        "sha384" => Prehash::Sha384,
        "sha512" => Prehash::Sha512,
        "none" => Prehash::None,
        other => return Err(unknown("hash", other, ["sha256", "sha384", "sha512", "none"])),
    })
}

/// How a signature of ECDSA holds r and s, by its name.
pub(crate) fn sig_format(name: &str) -> PyResult<Encoding> {
    Ok(match name {
        "raw" => Encoding::Fixed,
        "der" => Encoding::Der,
        other => return Err(unknown("sig_format", other, ["raw", "der"])),
    })
}

/// Whether keys of a column are in containers, by the name of their form.
pub(crate) fn key_form(name: &str) -> PyResult<bool> {
    match name {
        "raw" => Ok(false),
        "spki" => Ok(true),
        other => Err(unknown("key_form", other, ["raw", "spki"])),
    }
}

/// Whether a high s is refused.
pub(crate) const fn low_s(required: bool) -> LowS {
    if required { LowS::Required } else { LowS::Any }
}
