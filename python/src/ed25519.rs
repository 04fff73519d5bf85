//! Ed25519: keys, one signature at a time, streams, and all facts about a signature.

use crate::bytes::{
    ByteArg, PemArg, PyRule, Reduced, RuleArg, dict, made, no_copy, of, or_common, text, variant,
};
use crate::errors::{key_error, valid, value_error, wrong_length};
use crate::memory;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};
use sigmill::ed25519::{
    self, ContextString, Explanation, PointReport, Signature, SigningKey, StreamSigner,
    StreamVerifier, VerifyingKey, rules,
};
use sigmill::{FileKind, Verdict};
use sigmill_envelope::Refusal;
use std::error::Error as _;
use std::hash::{Hash, Hasher};
use std::sync::Mutex;
use zeroize::Zeroizing;

/// A verdict, true if the signature is valid, or the refusal of an envelope before any rule was asked.
#[pyclass(frozen, eq, name = "Verdict", module = "sigmill.ed25519")]
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct PyVerdict(pub(crate) Result<Verdict, Refusal>);

#[pymethods]
impl PyVerdict {
    #[getter]
    fn valid(&self) -> bool {
        self.0.is_ok_and(Verdict::is_valid)
    }

    /// The name of the first requirement that is violated; `None` if it is valid.
    #[getter]
    fn reason(&self) -> Option<&'static str> {
        match self.0 {
            Ok(verdict) => verdict.ok().err().map(|reason| reason.name()),
            Err(refusal) => Some(refusal.name()),
        }
    }

    fn __bool__(&self) -> bool {
        self.valid()
    }

    fn __str__(&self) -> String {
        self.0.map_or_else(|refusal| refusal.text().to_owned(), |verdict| verdict.to_string())
    }

    fn __repr__(&self) -> String {
        match self.reason() {
            None => "Verdict(valid)".to_owned(),
            Some(reason) => format!("Verdict(invalid, {reason})"),
        }
    }
}

/// A signature of 64 bytes, or else the verdict about its length.
fn sized(signature: &[u8]) -> Result<Signature, Verdict> {
    match signature.try_into() {
        Ok(bytes) => Ok(Signature::from_bytes(bytes)),
        Err(_) => Err(ed25519::verify_bytes(
            &rules::COMMON,
            ed25519::Variant::Pure,
            &[0; ed25519::PUBLIC_KEY_LENGTH],
            b"",
            signature,
        )),
    }
}

/// The arguments of verification besides key, message and signature.
macro_rules! verifies {
    ($type:ident { $($methods:tt)* }) => {
        #[pymethods]
        impl $type {
            $($methods)*

            /// Raises `InvalidSignature` unless the signature of `data` is valid.
            #[pyo3(signature = (signature, data, *, rule = None, variant = "pure", context = None))]
            fn verify(
                &self,
                py: Python<'_>,
                signature: ByteArg<'_>,
                data: ByteArg<'_>,
                rule: Option<RuleArg>,
                variant: &str,
                context: Option<ByteArg<'_>>,
            ) -> PyResult<()> {
                let (rule, variant) = (or_common(rule), self::variant(variant, of(&context))?);
                let (signature, data) = (signature.as_bytes(), data.as_bytes());
                let verdict = py.detach(|| match sized(signature) {
                    Ok(signature) => self.0.verify_with(rule, variant, data, &signature),
                    Err(refused) => refused,
                });
                valid(py, verdict)
            }

            /// Raises `InvalidSignature` unless the Ed25519ph signature of a SHA-512 digest is valid.
            #[pyo3(signature = (signature, digest, *, rule = None, context = None))]
            fn verify_prehashed(
                &self,
                py: Python<'_>,
                signature: ByteArg<'_>,
                digest: ByteArg<'_>,
                rule: Option<RuleArg>,
                context: Option<ByteArg<'_>>,
            ) -> PyResult<()> {
                let (rule, context) = (or_common(rule), context_string(of(&context))?);
                let digest = sha512_digest(digest.as_bytes())?;
                let signature = signature.as_bytes();
                let verdict = py.detach(|| match sized(signature) {
                    Ok(signature) => self.0.verify_prehashed_with(rule, context, digest, &signature),
                    Err(refused) => refused,
                });
                valid(py, verdict)
            }

            /// The 32 bytes.
            fn public_bytes_raw<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
                made(py, self.key().as_bytes())
            }

            fn __bytes__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
                self.public_bytes_raw(py)
            }

            fn __repr__(&self) -> String {
                format!("{}({})", stringify!($type).trim_start_matches("Py"), self.key())
            }
        }
    };
}

fn context_string(context: &[u8]) -> PyResult<ContextString<'_>> {
    ContextString::new(context).map_err(|error| PyValueError::new_err(format!("context: {error}")))
}

fn sha512_digest(digest: &[u8]) -> PyResult<&[u8; 64]> {
    digest.try_into().map_err(|_| wrong_length("digest", "SHA-512 digest", 64, digest))
}

/// A public key, decoded.
#[pyclass(frozen, eq, hash, name = "VerifyingKey", module = "sigmill.ed25519")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct PyVerifyingKey(pub(crate) VerifyingKey);

impl PyVerifyingKey {
    fn key(&self) -> &VerifyingKey {
        &self.0
    }
}

verifies!(PyVerifyingKey {
    #[new]
    fn new(data: ByteArg<'_>) -> PyResult<Self> {
        VerifyingKey::decode(data.as_bytes()).map(PyVerifyingKey).map_err(value_error)
    }

    /// The key of 32 bytes.
    #[staticmethod]
    fn from_public_bytes(data: ByteArg<'_>) -> PyResult<Self> {
        Self::new(data)
    }

    #[staticmethod]
    fn from_pem(data: PemArg<'_>) -> PyResult<Self> {
        VerifyingKey::read_spki_pem(data.as_bytes()).map(PyVerifyingKey).map_err(|error| key_error(error, data.as_bytes(), FileKind::PublicKey("Ed25519")))
    }

    #[staticmethod]
    fn from_der(data: ByteArg<'_>) -> PyResult<Self> {
        VerifyingKey::from_spki_der(data.as_bytes()).map(PyVerifyingKey).map_err(|error| key_error(error, data.as_bytes(), FileKind::PublicKey("Ed25519")))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<Bound<'py, PyBytes>>> {
        Ok((slf.get_type().unbind(), (slf.get().public_bytes_raw(slf.py())?,)))
    }

    fn to_pem<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        text(py, &self.0.to_spki_pem().map_err(value_error)?)
    }

    fn to_der<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        made(py, &self.0.to_spki_der().map_err(value_error)?)
    }

    #[getter]
    fn is_weak(&self) -> bool {
        self.0.is_weak()
    }

    #[getter]
    fn is_canonical(&self) -> bool {
        self.0.is_canonical()
    }

    /// Whether the rule accepts the key as such.
    #[pyo3(signature = (rule))]
    fn check(&self, rule: RuleArg) -> PyResult<PyVerdict> {
        Ok(PyVerdict(Ok(self.0.check(rule.0))))
    }

    /// The key with tables.
    fn prepare(&self, py: Python<'_>) -> PyResult<PyPreparedKey> {
        memory::probe::<ed25519::PreparedKey>(1)?;
        Ok(PyPreparedKey(py.detach(|| Box::new(ed25519::PreparedKey::new(&self.0)))))
    }

    /// Begins to verify a message that comes in pieces.
    #[pyo3(signature = (signature, *, rule = None, variant = "pure", context = None))]
    fn verifier(
        &self,
        py: Python<'_>,
        signature: ByteArg<'_>,
        rule: Option<RuleArg>,
        variant: &str,
        context: Option<ByteArg<'_>>,
    ) -> PyResult<PyVerifier> {
        let (rule, variant) = (or_common(rule), self::variant(variant, of(&context))?);
        let signature = signature.as_bytes();
        match sized(signature) {
            Ok(signature) => {
                let stream = StreamVerifier::new(rule, variant, &self.0, &signature);
                Ok(PyVerifier(Mutex::new(Some(stream))))
            }
            Err(refused) => {
                valid(py, refused)?;
                Err(wrong_length("signature", "signature", 64, signature))
            }
        }
    }
});

/// A public key with tables of its multiples: 160 KiB, for some signatures of one key.
#[pyclass(frozen, eq, hash, name = "PreparedKey", module = "sigmill.ed25519")]
pub(crate) struct PyPreparedKey(pub(crate) Box<ed25519::PreparedKey>);

impl PartialEq for PyPreparedKey {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Hash for PyPreparedKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl PyPreparedKey {
    fn key(&self) -> &VerifyingKey {
        self.0.verifying_key()
    }
}

verifies!(PyPreparedKey {
    #[new]
    fn new(py: Python<'_>, key: &PyVerifyingKey) -> PyResult<Self> {
        key.prepare(py)
    }

    fn __reduce__(slf: &Bound<'_, Self>) -> Reduced<PyVerifyingKey> {
        (slf.get_type().unbind(), (slf.get().verifying_key(),))
    }

    #[getter]
    fn verifying_key(&self) -> PyVerifyingKey {
        PyVerifyingKey(*self.key())
    }
});

/// Verifies one signature of a message that comes in pieces.
#[pyclass(frozen, name = "Verifier", module = "sigmill.ed25519")]
pub(crate) struct PyVerifier(Mutex<Option<StreamVerifier>>);

impl PyVerifier {
    fn used() -> PyErr {
        PyRuntimeError::new_err("verifier: it has given its verdict, and verifies nothing more")
    }
}

#[pymethods]
impl PyVerifier {
    fn update(&self, py: Python<'_>, data: ByteArg<'_>) -> PyResult<()> {
        let data = data.as_bytes();
        py.detach(|| {
            let mut stream = self.0.lock().map_err(|_| Self::used())?;
            stream.as_mut().ok_or_else(Self::used)?.update(data);
            Ok(())
        })
    }

    fn verify(&self, py: Python<'_>) -> PyResult<()> {
        let stream = py.detach(|| self.0.lock().ok().and_then(|mut stream| stream.take()));
        let stream = stream.ok_or_else(Self::used)?;
        valid(py, py.detach(|| stream.finish()))
    }
}

/// A secret key.
#[pyclass(frozen, eq, name = "SigningKey", module = "sigmill.ed25519")]
#[derive(PartialEq)] // in constant time
pub(crate) struct PySigningKey(pub(crate) SigningKey);

#[pymethods]
impl PySigningKey {
    #[new]
    fn new(py: Python<'_>, data: ByteArg<'_>) -> PyResult<Self> {
        let data = data.as_bytes();
        py.detach(|| SigningKey::decode(data)).map(PySigningKey).map_err(value_error)
    }

    /// A new key, of the system's random bytes.
    #[staticmethod]
    fn generate(py: Python<'_>) -> PyResult<Self> {
        let key = py.detach(|| {
            let mut seed = Zeroizing::new([0; 32]);
            getrandom::fill(&mut *seed).map_err(|_| sigmill::Error::Randomness)?;
            Ok(SigningKey::from_bytes(&seed))
        });
        key.map(PySigningKey).map_err(value_error)
    }

    /// The key of a seed of 32 bytes.
    #[staticmethod]
    fn from_private_bytes(py: Python<'_>, data: ByteArg<'_>) -> PyResult<Self> {
        Self::new(py, data)
    }

    /// The key of 64 bytes, seed and public key, if they belong together.
    #[staticmethod]
    fn from_keypair_bytes(data: ByteArg<'_>) -> PyResult<Self> {
        let data = data.as_bytes();
        let pair = data.try_into().map_err(|_| wrong_length("data", "key pair", 64, data))?;
        let key = SigningKey::from_keypair_bytes(pair);
        key.map(PySigningKey).map_err(|error| {
            let cause = error.source().map_or_else(|| error.to_string(), ToString::to_string);
            PyValueError::new_err(format!("data: {cause}"))
        })
    }

    #[staticmethod]
    fn from_pem(data: PemArg<'_>) -> PyResult<Self> {
        SigningKey::read_private_key_pem(data.as_bytes())
            .map(PySigningKey)
            .map_err(|error| key_error(error, data.as_bytes(), FileKind::PrivateKey("Ed25519")))
    }

    #[staticmethod]
    fn from_der(data: ByteArg<'_>) -> PyResult<Self> {
        SigningKey::from_private_key_der(data.as_bytes())
            .map(PySigningKey)
            .map_err(|error| key_error(error, data.as_bytes(), FileKind::PrivateKey("Ed25519")))
    }

    fn to_pem<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        text(py, &self.0.to_private_key_pem().map_err(value_error)?)
    }

    fn to_der<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        made(py, &self.0.to_private_key_der().map_err(value_error)?)
    }

    /// The seed of 32 bytes.
    fn private_bytes_raw<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        made(py, self.0.as_bytes())
    }

    fn public_key(&self) -> PyVerifyingKey {
        PyVerifyingKey(self.0.verifying_key())
    }

    /// The signature of `data`, 64 bytes.
    #[pyo3(signature = (data, *, variant = "pure", context = None, hedged = false, checked = false))]
    fn sign<'py>(
        &self,
        py: Python<'py>,
        data: ByteArg<'_>,
        variant: &str,
        context: Option<ByteArg<'_>>,
        hedged: bool,
        checked: bool,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let variant = self::variant(variant, of(&context))?;
        let data = data.as_bytes();
        if !hedged && !checked {
            let signature = py.detach(|| self.0.sign_with(variant, data));
            return made(py, &signature.to_bytes());
        }
        let signature = py.detach(|| {
            let mut noise = Zeroizing::new([0; 32]);
            if hedged {
                getrandom::fill(&mut *noise).map_err(|_| sigmill::Error::Randomness)?;
            }
            match checked {
                true => self.0.sign_checked(variant, hedged.then_some(&*noise), data),
                false => Ok(self.0.sign_hedged(variant, &noise, data)),
            }
        });
        made(py, &signature.map_err(value_error)?.to_bytes())
    }

    /// The Ed25519ph signature of a SHA-512 digest.
    #[pyo3(signature = (digest, *, context = None))]
    fn sign_prehashed<'py>(
        &self,
        py: Python<'py>,
        digest: ByteArg<'_>,
        context: Option<ByteArg<'_>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (digest, context) = (sha512_digest(digest.as_bytes())?, context_string(of(&context))?);
        let signature = py.detach(|| self.0.sign_prehashed_with(context, digest));
        made(py, &signature.to_bytes())
    }

    /// The signature of a message that comes in pieces, twice: `pieces()` gives them each time.
    #[pyo3(signature = (pieces, *, variant = "pure", context = None))]
    fn sign_stream<'py>(
        &self,
        py: Python<'py>,
        pieces: &Bound<'py, PyAny>,
        variant: &str,
        context: Option<ByteArg<'_>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let mut first = StreamSigner::new(&self.0, self::variant(variant, of(&context))?);
        for piece in pieces.call0()?.try_iter()? {
            let piece = piece?.extract::<ByteArg<'_>>()?;
            first.update(piece.as_bytes());
        }
        let mut second = first.second_pass();
        for piece in pieces.call0()?.try_iter()? {
            let piece = piece?.extract::<ByteArg<'_>>()?;
            second.update(piece.as_bytes());
        }
        made(py, &second.finish().map_err(value_error)?.to_bytes())
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(no_copy())
    }

    fn __repr__(&self) -> String {
        format!("SigningKey(public {})", self.0.verifying_key())
    }
}

/// The facts about one point.
#[pyclass(frozen, get_all, name = "PointReport", module = "sigmill.ed25519")]
#[derive(Clone, Copy)]
pub(crate) struct PyPointReport {
    decodes: bool,
    canonical: bool,
    small_order: bool,
    torsion_order: u8,
}

impl PyPointReport {
    fn of(point: &PointReport) -> Self {
        PyPointReport {
            decodes: point.decodes,
            canonical: point.canonical,
            small_order: point.small,
            torsion_order: point.torsion_order,
        }
    }
}

#[pymethods]
impl PyPointReport {
    fn __repr__(&self) -> String {
        let PyPointReport { decodes, canonical, small_order, torsion_order } = self;
        let python = |value: bool| if value { "True" } else { "False" };
        format!(
            "PointReport(decodes={}, canonical={}, small_order={}, torsion_order={torsion_order})",
            python(*decodes),
            python(*canonical),
            python(*small_order)
        )
    }
}

/// All facts about one signature, and the verdict of each rule.
#[pyclass(frozen, name = "Explanation", module = "sigmill.ed25519")]
pub(crate) struct PyExplanation(Explanation);

#[pymethods]
impl PyExplanation {
    #[getter]
    fn a(&self) -> PyPointReport {
        PyPointReport::of(&self.0.a)
    }

    #[getter]
    fn r(&self) -> PyPointReport {
        PyPointReport::of(&self.0.r)
    }

    /// SHA-512(dom ‖ R ‖ A ‖ PH(M)) mod ℓ, 32 bytes, little-endian.
    #[getter]
    fn k<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        made(py, &self.0.k)
    }

    #[getter]
    fn s_below_order(&self) -> bool {
        self.0.facts.s_below_order
    }

    #[getter]
    fn exact(&self) -> bool {
        self.0.facts.exact
    }

    #[getter]
    fn cofactored(&self) -> bool {
        self.0.facts.cofactored
    }

    /// The order of the torsion part of [S]B − [k]A − R; `None` if a point does not decode.
    #[getter]
    fn residual_torsion_order(&self) -> Option<u8> {
        self.0.residual.as_ref().map(|residual| residual.torsion_order)
    }

    fn verdict(&self, rule: RuleArg) -> PyResult<PyVerdict> {
        Ok(PyVerdict(Ok(self.0.verdict(rule.0))))
    }

    /// The verdict of each rule, by its name.
    #[getter]
    fn verdicts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let verdicts = dict(py)?;
        for rule in rules::ALL {
            verdicts.set_item(text(py, rule.name())?, PyVerdict(Ok(self.0.verdict(rule))))?;
        }
        Ok(verdicts)
    }

    fn __repr__(&self) -> String {
        let accepted: Vec<&str> = rules::ALL
            .into_iter()
            .filter(|rule| self.0.verdict(rule).is_valid())
            .map(|rule| rule.name())
            .collect();
        match accepted.is_empty() {
            true => "Explanation(valid under no rule)".to_owned(),
            false => format!("Explanation(valid under {})", accepted.join(", ")),
        }
    }
}

/// The facts about a signature of 64 bytes by a key of 32.
#[pyfunction]
#[pyo3(signature = (key, data, signature, *, variant = "pure", context = None))]
pub(crate) fn explain(
    py: Python<'_>,
    key: ByteArg<'_>,
    data: ByteArg<'_>,
    signature: ByteArg<'_>,
    variant: &str,
    context: Option<ByteArg<'_>>,
) -> PyResult<PyExplanation> {
    let variant = self::variant(variant, of(&context))?;
    let (key, signature) = (key.as_bytes(), signature.as_bytes());
    let key = key.try_into().map_err(|_| wrong_length("key", "public key", 32, key))?;
    let signature =
        signature.try_into().map_err(|_| wrong_length("signature", "signature", 64, signature))?;
    let data = data.as_bytes();
    Ok(PyExplanation(py.detach(|| Explanation::new(variant, key, data, signature))))
}

/// The verdict on a signature, from bytes of any length.
#[pyfunction]
#[pyo3(signature = (key, data, signature, *, rule = None, variant = "pure", context = None))]
pub(crate) fn verify_bytes(
    py: Python<'_>,
    key: ByteArg<'_>,
    data: ByteArg<'_>,
    signature: ByteArg<'_>,
    rule: Option<RuleArg>,
    variant: &str,
    context: Option<ByteArg<'_>>,
) -> PyResult<PyVerdict> {
    let (rule, variant) = (or_common(rule), self::variant(variant, of(&context))?);
    let (key, data, signature) = (key.as_bytes(), data.as_bytes(), signature.as_bytes());
    Ok(PyVerdict(Ok(py.detach(|| ed25519::verify_bytes(rule, variant, key, data, signature)))))
}

/// The same for Ed25519ph, given SHA-512 of the message.
#[pyfunction]
#[pyo3(signature = (key, digest, signature, *, rule = None, context = None))]
pub(crate) fn verify_prehashed_bytes(
    py: Python<'_>,
    key: ByteArg<'_>,
    digest: ByteArg<'_>,
    signature: ByteArg<'_>,
    rule: Option<RuleArg>,
    context: Option<ByteArg<'_>>,
) -> PyResult<PyVerdict> {
    let (rule, context) = (or_common(rule), context_string(of(&context))?);
    let (key, digest, signature) = (key.as_bytes(), digest.as_bytes(), signature.as_bytes());
    let verdict =
        py.detach(|| ed25519::verify_prehashed_bytes(rule, context, key, digest, signature));
    Ok(PyVerdict(Ok(verdict)))
}

/// The compiled part of `sigmill.ed25519`.
pub(crate) fn module<'py>(py: Python<'py>) -> PyResult<Bound<'py, PyModule>> {
    let module = PyModule::new(py, "ed25519")?;
    module.add_class::<PyRule>()?;
    module.add_class::<PyVerdict>()?;
    module.add_class::<PyVerifyingKey>()?;
    module.add_class::<PyPreparedKey>()?;
    module.add_class::<PyVerifier>()?;
    module.add_class::<PySigningKey>()?;
    module.add_class::<PyPointReport>()?;
    module.add_class::<PyExplanation>()?;
    module.add_function(wrap_pyfunction!(explain, &module)?)?;
    module.add_function(wrap_pyfunction!(verify_bytes, &module)?)?;
    module.add_function(wrap_pyfunction!(verify_prehashed_bytes, &module)?)?;
    for rule in rules::ALL {
        module.add(rule.name().to_ascii_uppercase(), PyRule::of(rule))?;
    }
    Ok(module)
}
