//! ECDSA on P-256 and P-384: keys, and one signature at a time.

use crate::bytes::{ByteArg, PemArg, Reduced, low_s, made, no_copy, prehash, sig_format, text};
use crate::ed25519::PyVerdict;
use crate::errors::{key_error, valid, value_error, wrong_length};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use sigmill::FileKind;
use sigmill::ecdsa::{Curve, Encoding, Prehash, Scheme};

/// A curve's hash function where none is named.
fn hash_or_own(curve: Curve, hash: Option<&str>) -> PyResult<Prehash> {
    hash.map_or(Ok(curve.own_hash()), prehash)
}

/// Bytes that this hash has made; of `Prehash::None` any.
fn digest_of(hash: Prehash, digest: &[u8]) -> PyResult<&[u8]> {
    let (name, size) = match hash {
        Prehash::Sha256 => ("SHA-256 digest", 32),
        Prehash::Sha384 => ("SHA-384 digest", 48),
        Prehash::Sha512 => ("SHA-512 digest", 64),
        _ => return Ok(digest),
    };
    match digest.len() == size {
        true => Ok(digest),
        false => Err(wrong_length("digest", name, size, digest)),
    }
}

/// An error about a secret integer, of which zeros in front may be left out.
fn secret_error<const FEWEST: usize>(error: sigmill::Error) -> PyErr {
    match error {
        sigmill::Error::Length { what, expected, got } => PyValueError::new_err(format!(
            "{what} has {got} bytes, not {expected}, nor {FEWEST} or more without zeros in front"
        )),
        error => value_error(error),
    }
}

macro_rules! curve {
    ($module:ident, $curve:ident, $title:literal, $path:literal) => {
        pub(crate) mod $module {
            use super::*;
            use sigmill::ecdsa::$module::{SigningKey, VerifyingKey};
            use sigmill::ecdsa::{Sha256, Sha384, Sha512};

            /// A public key on the curve.
            #[pyclass(frozen, eq, name = "VerifyingKey", module = $path)]
            #[derive(Clone, PartialEq)]
            pub(crate) struct PyVerifyingKey {
                key: VerifyingKey,
                /// Uncompressed: nothing is left to compute when it is read.
                pub(crate) bytes: Vec<u8>,
            }

            impl PyVerifyingKey {
                fn of(key: &VerifyingKey) -> Self {
                    PyVerifyingKey { key: *key, bytes: key.to_sec1_bytes().to_vec() }
                }
            }

            #[pymethods]
            impl PyVerifyingKey {
                #[new]
                fn new(data: ByteArg<'_>) -> PyResult<Self> {
                    let key = VerifyingKey::from_sec1_bytes(data.as_bytes()).map_err(value_error)?;
                    Ok(Self::of(&key))
                }

                /// The key of a SEC1 point, compressed or not.
                #[staticmethod]
                fn from_public_bytes(data: ByteArg<'_>) -> PyResult<Self> {
                    Self::new(data)
                }

                #[staticmethod]
                fn from_pem(data: PemArg<'_>) -> PyResult<Self> {
                    let key = VerifyingKey::read_spki_pem(data.as_bytes()).map_err(|error| key_error(error, data.as_bytes(), FileKind::PublicKey($title)))?;
                    Ok(Self::of(&key))
                }

                #[staticmethod]
                fn from_der(data: ByteArg<'_>) -> PyResult<Self> {
                    let key = VerifyingKey::from_spki_der(data.as_bytes()).map_err(|error| key_error(error, data.as_bytes(), FileKind::PublicKey($title)))?;
                    Ok(Self::of(&key))
                }

                fn to_pem<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
                    text(py, &self.key.to_spki_pem().map_err(value_error)?)
                }

                fn to_der<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
                    made(py, &self.key.to_spki_der().map_err(value_error)?)
                }

                /// The SEC1 point.
                #[pyo3(signature = (*, compressed = false))]
                fn public_bytes_raw<'py>(&self, py: Python<'py>, compressed: bool) -> PyResult<Bound<'py, PyBytes>> {
                    match compressed {
                        true => made(py, self.key.to_sec1_compressed().as_ref()),
                        false => made(py, &self.bytes),
                    }
                }

                fn __bytes__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
                    self.public_bytes_raw(py, false)
                }

                /// Raises `InvalidSignature` unless the signature of `data` is valid.
                #[pyo3(signature = (signature, data, *, hash = None, sig_format = "raw", low_s = false))]
                fn verify(
                    &self,
                    py: Python<'_>,
                    signature: ByteArg<'_>,
                    data: ByteArg<'_>,
                    hash: Option<&str>,
                    sig_format: &str,
                    low_s: bool,
                ) -> PyResult<()> {
                    let scheme = scheme(hash, sig_format, low_s)?;
                    let (signature, data) = (signature.as_bytes(), data.as_bytes());
                    valid(py, py.detach(|| scheme.verify(&self.bytes, data, signature)))
                }

                fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<Bound<'py, PyBytes>>> {
                    Ok((slf.get_type().unbind(), (slf.get().__bytes__(slf.py())?,)))
                }

                fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
                    self.public_bytes_raw(py, false)?.hash()
                }

                fn __repr__(&self) -> String {
                    let hex: String = self.bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                    format!("{}.VerifyingKey({hex})", stringify!($module))
                }
            }

            fn scheme(hash: Option<&str>, format: &str, low: bool) -> PyResult<Scheme> {
                Ok(Scheme {
                    curve: Curve::$curve,
                    prehash: hash_or_own(Curve::$curve, hash)?,
                    encoding: sig_format(format)?,
                    low_s: low_s(low),
                })
            }

            /// The verdict on a signature, from bytes of any length.
            #[pyfunction]
            #[pyo3(signature = (key, data, signature, *, hash = None, sig_format = "raw", low_s = false))]
            #[allow(clippy::too_many_arguments)] // as Python has them
            pub(crate) fn verify_bytes(
                py: Python<'_>,
                key: ByteArg<'_>,
                data: ByteArg<'_>,
                signature: ByteArg<'_>,
                hash: Option<&str>,
                sig_format: &str,
                low_s: bool,
            ) -> PyResult<PyVerdict> {
                let scheme = scheme(hash, sig_format, low_s)?;
                let (key, data, signature) = (key.as_bytes(), data.as_bytes(), signature.as_bytes());
                Ok(PyVerdict(Ok(py.detach(|| scheme.verify(key, data, signature)))))
            }

            /// A secret key on the curve.
            #[pyclass(frozen, eq, name = "SigningKey", module = $path)]
            #[derive(PartialEq)] // in constant time
            pub(crate) struct PySigningKey(pub(crate) SigningKey);

            #[pymethods]
            impl PySigningKey {
                #[new]
                fn new(data: ByteArg<'_>) -> PyResult<Self> {
                    let key = SigningKey::from_slice(data.as_bytes());
                    key.map(PySigningKey).map_err(secret_error::<{ SigningKey::MIN_SIZE }>)
                }

                /// The key of an integer, big-endian.
                #[staticmethod]
                fn from_private_bytes(data: ByteArg<'_>) -> PyResult<Self> {
                    Self::new(data)
                }

                /// A new key, of the system's random bytes.
                #[staticmethod]
                fn generate(py: Python<'_>) -> PyResult<Self> {
                    py.detach(SigningKey::try_generate).map(PySigningKey).map_err(value_error)
                }

                #[staticmethod]
                fn from_pem(data: PemArg<'_>) -> PyResult<Self> {
                    let key = SigningKey::read_private_key_pem(data.as_bytes());
                    key.map(PySigningKey).map_err(|error| key_error(error, data.as_bytes(), FileKind::PrivateKey($title)))
                }

                #[staticmethod]
                fn from_der(data: ByteArg<'_>) -> PyResult<Self> {
                    let key = SigningKey::from_private_key_der(data.as_bytes());
                    key.map(PySigningKey).map_err(|error| key_error(error, data.as_bytes(), FileKind::PrivateKey($title)))
                }

                fn to_pem<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
                    text(py, &self.0.to_private_key_pem().map_err(value_error)?)
                }

                fn to_der<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
                    made(py, &self.0.to_private_key_der().map_err(value_error)?)
                }

                /// The integer, big-endian, of the curve's width.
                fn private_bytes_raw<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
                    made(py, &*zeroize::Zeroizing::new(self.0.to_bytes()))
                }

                fn public_key(&self) -> PyVerifyingKey {
                    PyVerifyingKey::of(self.0.verifying_key())
                }

                /// The signature of `data`.
                #[pyo3(signature = (data, *, hash = None, sig_format = "raw"))]
                fn sign<'py>(
                    &self,
                    py: Python<'py>,
                    data: ByteArg<'_>,
                    hash: Option<&str>,
                    sig_format: &str,
                ) -> PyResult<Bound<'py, PyBytes>> {
                    let hash = hash_or_own(Curve::$curve, hash)?;
                    let format = super::sig_format(sig_format)?;
                    let data = data.as_bytes();
                    let signature = py.detach(|| match hash {
                        hash if hash == Curve::$curve.own_hash() => Ok(self.0.sign_message(data)),
                        Prehash::Sha256 => Ok(self.0.sign_with_hash::<Sha256>(data)),
                        Prehash::Sha384 => Ok(self.0.sign_with_hash::<Sha384>(data)),
                        Prehash::Sha512 => Ok(self.0.sign_with_hash::<Sha512>(data)),
                        _ => self.0.sign_digest_bytes(data),
                    });
                    let signature = signature.map_err(value_error)?;
                    match format {
                        Encoding::Fixed => made(py, &signature.to_bytes()),
                        Encoding::Der => made(py, signature.to_der().as_bytes()),
                        _ => Err(PyValueError::new_err("sig_format: not known here")),
                    }
                }

                /// The signature of what has this digest, made elsewhere by `hash`: the one that `sign` makes of it.
                #[pyo3(signature = (digest, *, hash = None, sig_format = "raw"))]
                fn sign_digest<'py>(
                    &self,
                    py: Python<'py>,
                    digest: ByteArg<'_>,
                    hash: Option<&str>,
                    sig_format: &str,
                ) -> PyResult<Bound<'py, PyBytes>> {
                    let hash = hash_or_own(Curve::$curve, hash)?;
                    let format = super::sig_format(sig_format)?;
                    let digest = digest_of(hash, digest.as_bytes())?;
                    let signature = py.detach(|| match hash {
                        Prehash::Sha256 => self.0.sign_digest_with_nonce_hash::<Sha256>(digest),
                        Prehash::Sha384 => self.0.sign_digest_with_nonce_hash::<Sha384>(digest),
                        Prehash::Sha512 => self.0.sign_digest_with_nonce_hash::<Sha512>(digest),
                        _ => self.0.sign_digest_bytes(digest),
                    });
                    let signature = signature.map_err(value_error)?;
                    match format {
                        Encoding::Fixed => made(py, &signature.to_bytes()),
                        Encoding::Der => made(py, signature.to_der().as_bytes()),
                        _ => Err(PyValueError::new_err("sig_format: not known here")),
                    }
                }

                fn __reduce__(&self) -> PyResult<()> {
                    Err(no_copy())
                }

                fn __repr__(&self) -> String {
                    format!("{}.SigningKey(public {})", stringify!($module), self.public_key().__repr__())
                }
            }

            /// The compiled part of `sigmill.ecdsa`.
            pub(crate) fn module<'py>(py: Python<'py>) -> PyResult<Bound<'py, PyModule>> {
                let module = PyModule::new(py, stringify!($module))?;
                module.add_class::<PySigningKey>()?;
                module.add_class::<PyVerifyingKey>()?;
                module.add_function(wrap_pyfunction!(verify_bytes, &module)?)?;
                Ok(module)
            }
        }
    };
}

curve!(p256, P256, "P-256", "sigmill.ecdsa.p256");
curve!(p384, P384, "P-384", "sigmill.ecdsa.p384");
