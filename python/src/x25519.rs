//! X25519: keys and shared secrets.

use crate::bytes::{ByteArg, PemArg, Reduced, made, no_copy, text};
use crate::ed25519::{PySigningKey, PyVerifyingKey};
use crate::errors::{key_error, value_error, wrong_length};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use sigmill::FileKind;
use sigmill::x25519::{PublicKey, StaticSecret};
use zeroize::Zeroizing;

fn exactly(data: &ByteArg<'_>) -> PyResult<[u8; 32]> {
    let data = data.as_bytes();
    data.try_into().map_err(|_| wrong_length("data", "X25519 key", 32, data))
}

/// A public key.
#[pyclass(frozen, eq, hash, name = "PublicKey", module = "sigmill.x25519")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct PyPublicKey(PublicKey);

#[pymethods]
impl PyPublicKey {
    #[new]
    fn new(data: ByteArg<'_>) -> PyResult<Self> {
        exactly(&data).map(PublicKey::from).map(PyPublicKey)
    }

    /// The key of 32 bytes.
    #[staticmethod]
    fn from_public_bytes(data: ByteArg<'_>) -> PyResult<Self> {
        Self::new(data)
    }

    #[staticmethod]
    fn from_pem(data: PemArg<'_>) -> PyResult<Self> {
        PublicKey::read_spki_pem(data.as_bytes())
            .map(PyPublicKey)
            .map_err(|error| key_error(error, data.as_bytes(), FileKind::PublicKey("X25519")))
    }

    #[staticmethod]
    fn from_der(data: ByteArg<'_>) -> PyResult<Self> {
        PublicKey::from_spki_der(data.as_bytes())
            .map(PyPublicKey)
            .map_err(|error| key_error(error, data.as_bytes(), FileKind::PublicKey("X25519")))
    }

    fn to_pem<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        text(py, &self.0.to_spki_pem().map_err(value_error)?)
    }

    fn to_der<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        made(py, &self.0.to_spki_der().map_err(value_error)?)
    }

    /// The key that belongs to a key of Ed25519.
    #[staticmethod]
    fn from_ed25519(key: &PyVerifyingKey) -> Self {
        PyPublicKey(PublicKey::from(&key.0))
    }

    /// The 32 bytes.
    fn public_bytes_raw<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        made(py, self.0.as_bytes())
    }

    fn __bytes__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.public_bytes_raw(py)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<Bound<'py, PyBytes>>> {
        Ok((slf.get_type().unbind(), (slf.get().public_bytes_raw(slf.py())?,)))
    }

    fn __repr__(&self) -> String {
        let hex: String = self.0.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        format!("PublicKey({hex})")
    }
}

/// A secret key.
#[pyclass(frozen, eq, name = "PrivateKey", module = "sigmill.x25519")]
#[derive(PartialEq)] // in constant time
pub(crate) struct PyPrivateKey(StaticSecret);

#[pymethods]
impl PyPrivateKey {
    #[new]
    fn new(data: ByteArg<'_>) -> PyResult<Self> {
        let bytes = Zeroizing::new(exactly(&data)?);
        Ok(PyPrivateKey(StaticSecret::from(*bytes)))
    }

    /// The key of 32 bytes.
    #[staticmethod]
    fn from_private_bytes(data: ByteArg<'_>) -> PyResult<Self> {
        Self::new(data)
    }

    #[staticmethod]
    fn from_pem(data: PemArg<'_>) -> PyResult<Self> {
        let key = StaticSecret::read_private_key_pem(data.as_bytes());
        key.map(PyPrivateKey)
            .map_err(|error| key_error(error, data.as_bytes(), FileKind::PrivateKey("X25519")))
    }

    #[staticmethod]
    fn from_der(data: ByteArg<'_>) -> PyResult<Self> {
        let key = StaticSecret::from_private_key_der(data.as_bytes());
        key.map(PyPrivateKey)
            .map_err(|error| key_error(error, data.as_bytes(), FileKind::PrivateKey("X25519")))
    }

    fn to_pem<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        text(py, &self.0.to_private_key_pem().map_err(value_error)?)
    }

    fn to_der<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        made(py, &self.0.to_private_key_der().map_err(value_error)?)
    }

    /// The key that belongs to a key of Ed25519.
    #[staticmethod]
    fn from_ed25519(key: &PySigningKey) -> Self {
        PyPrivateKey(StaticSecret::from(&key.0))
    }

    /// A new key, of the system's random bytes.
    #[staticmethod]
    fn generate(py: Python<'_>) -> PyResult<Self> {
        py.detach(StaticSecret::try_random).map(PyPrivateKey).map_err(value_error)
    }

    /// The 32 bytes as they came.
    fn private_bytes_raw<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        made(py, self.0.as_bytes())
    }

    fn public_key(&self, py: Python<'_>) -> PyPublicKey {
        PyPublicKey(py.detach(|| PublicKey::from(&self.0)))
    }

    /// The shared secret, 32 bytes; a `ValueError` if it is all zeros.
    fn exchange<'py>(
        &self,
        py: Python<'py>,
        peer_public_key: &PyPublicKey,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let shared = py.detach(|| self.0.agree(&peer_public_key.0)).map_err(value_error)?;
        made(py, shared.as_bytes())
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(no_copy())
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("PrivateKey(public {})", self.public_key(py).__repr__())
    }
}

/// The compiled part of `sigmill.x25519`.
pub(crate) fn module<'py>(py: Python<'py>) -> PyResult<Bound<'py, PyModule>> {
    let module = PyModule::new(py, "x25519")?;
    module.add_class::<PyPublicKey>()?;
    module.add_class::<PyPrivateKey>()?;
    Ok(module)
}
