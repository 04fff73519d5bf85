//! The keys of a verifier as Python hands them over: the contents of a file, a set of JSON Web Keys as a `dict`, or
//! public keys of ours.

use crate::bytes::PemArg;
use crate::ecdsa::{p256, p384};
use crate::ed25519::{PyPreparedKey, PyVerifyingKey};
use crate::memory;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use sigmill::FileKind;
use sigmill::bulk::Algorithm;
use sigmill_envelope::{Error, Form, Key, Trusted};

const NEEDED: &str =
    "the contents of a file (bytes or str), a JWK set (dict) or public keys of sigmill are needed";

/// More memory than a file of keys takes beside its own bytes, once more and in other forms.
const KEYS_BYTES: usize = 16 << 20;

/// The keys that envelopes of a form are verified by.
pub(crate) fn of(form: Form, keys: &Bound<'_, PyAny>) -> PyResult<Trusted> {
    if let Some(key) = own_key(keys)? {
        return Ok(Trusted::Keys(vec![key]));
    }
    if keys.cast::<PyList>().is_ok() || keys.cast::<PyTuple>().is_ok() {
        return own_keys(keys);
    }
    if keys.cast::<PyDict>().is_ok() {
        let text = keys.py().import("json")?.call_method1("dumps", (keys,));
        let text = text.map_err(|error| in_keys(keys.py(), &error))?;
        return read(form, text.extract::<PemArg<'_>>()?.as_bytes(), true);
    }
    let is_text = keys.cast::<PyString>().is_ok();
    match keys.extract::<PemArg<'_>>() {
        Ok(bytes) => read(form, bytes.as_bytes(), is_text),
        Err(error) if is_text => Err(in_keys(keys.py(), &error)),
        Err(_) if keys.hasattr("__fspath__")? => Err(PyTypeError::new_err(format!(
            "keys: {} is a path, which is not read here; give the contents of the file, as read_bytes() does",
            keys.get_type().name()?
        ))),
        Err(_) => Err(wrong(keys, "keys", NEEDED)?),
    }
}

/// Python's error about a value among the keys.
fn in_keys(py: Python<'_>, error: &PyErr) -> PyErr {
    let message = format!("keys: {}", error.value(py));
    match error.is_instance_of::<PyTypeError>(py) {
        true => PyTypeError::new_err(message),
        false => PyValueError::new_err(message),
    }
}

/// The error about an object that is no key.
fn wrong(object: &Bound<'_, PyAny>, place: &str, needed: &str) -> PyResult<PyErr> {
    let name = object.get_type().fully_qualified_name()?;
    Ok(PyTypeError::new_err(match object.hasattr("public_key")? {
        true => format!("{place}: {name} is a secret key; its public_key() verifies"),
        false => format!("{place}: {needed}, not {name}"),
    }))
}

/// Keys of ours in a list: none has a name.
fn own_keys(list: &Bound<'_, PyAny>) -> PyResult<Trusted> {
    let mut keys = memory::vec(list.len()?)?;
    for (i, object) in list.try_iter()?.enumerate() {
        let object = object?;
        match own_key(&object)? {
            Some(key) => memory::push(&mut keys, key)?,
            None => {
                let place = format!("keys: item {i} of the list");
                return Err(wrong(&object, &place, "a public key of sigmill is needed")?);
            }
        }
    }
    Ok(Trusted::Keys(keys))
}

/// A public key of ours.
fn own_key(object: &Bound<'_, PyAny>) -> PyResult<Option<Key>> {
    let key = if let Ok(key) = object.cast::<PyVerifyingKey>() {
        Key::new(Algorithm::Ed25519, key.get().0.as_bytes())
    } else if let Ok(key) = object.cast::<PyPreparedKey>() {
        Key::new(Algorithm::Ed25519, key.get().0.verifying_key().as_bytes())
    } else if let Ok(key) = object.cast::<p256::PyVerifyingKey>() {
        Key::new(Algorithm::P256, &key.get().bytes)
    } else if let Ok(key) = object.cast::<p384::PyVerifyingKey>() {
        Key::new(Algorithm::P384, &key.get().bytes)
    } else {
        return Ok(None);
    };
    key.map(Some).map_err(refused)
}

/// Reads a file.
fn read(form: Form, bytes: &[u8], is_text: bool) -> PyResult<Trusted> {
    memory::probe::<u8>(bytes.len().saturating_mul(8).saturating_add(KEYS_BYTES))?;
    if let Some(trusted) = Trusted::read(bytes).map_err(refused)? {
        return Ok(trusted);
    }
    let found = FileKind::of(bytes);
    if form == Form::Cose && !is_text && matches!(found, None | Some(FileKind::CoseKey)) {
        return Trusted::read_cose(bytes).map_err(refused);
    }
    if let Some(found) = found {
        let advice = found.advice().unwrap_or(match found {
            FileKind::PublicKey(_) => "not in PEM, in which it is read here",
            _ => "public keys of Ed25519, P-256 or P-384 are needed",
        });
        return Err(PyValueError::new_err(format!("keys: this is {found}; {advice}")));
    }
    Err(PyValueError::new_err(
        "keys: no JWK or JWK set, public key or certificate in PEM, key of OpenSSH, minisign or signify; a file is not \
         opened by its name: give its contents",
    ))
}

/// The exception for keys that are refused.
fn refused(error: Error) -> PyErr {
    PyValueError::new_err(format!("keys: {error}"))
}
