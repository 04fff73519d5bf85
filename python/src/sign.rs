//! `sign_columns` and `generate_keys`: signatures and keys by the column.

use crate::arrow::{Imported, Kind};
use crate::bytes::{ByteArg, of, prehash, variant};
use crate::errors::Problem;
use crate::run::{Chunked, Plan, with_chunks};
use crate::verify::ArrowColumn;
use crate::{ecdsa, ed25519};
use pyo3::exceptions::{PyIndexError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use sigmill::bulk::{BulkError, Column, Engine, SigningKeys};
use sigmill::ecdsa::{CurveKey, p256, p384};
use sigmill::ed25519::SigningKey;
use std::sync::Arc;
use zeroize::Zeroizing;

/// Rows of a part.
const PART_ROWS: usize = 4096;

/// Secret keys, one a row.
#[pyclass(frozen, name = "SigningKeys", module = "sigmill")]
pub(crate) struct PySigningKeys(Vec<SigningKey>);

#[pymethods]
impl PySigningKeys {
    /// The keys of a column of seeds, 32 bytes each.
    #[staticmethod]
    fn from_seeds(py: Python<'_>, seeds: &Bound<'_, PyAny>) -> PyResult<Self> {
        let column = Imported::of(seeds, Kind::Bytes).map_err(|problem| problem.of("seeds"))?;
        let bad =
            |row: usize, what: &str| PyValueError::new_err(format!("seeds: row {row} {what}"));
        let read = |columns: &[Column<'_>]| {
            let mut seeds = Zeroizing::new(Vec::with_capacity(column.rows()));
            for (column, first) in columns.iter().zip(column.starts()) {
                for row in 0..column.len() {
                    let seed = column.get(row).ok_or_else(|| bad(first + row, "is null"))?;
                    let seed: &[u8; 32] =
                        seed.try_into().map_err(|_| bad(first + row, "does not have 32 bytes"))?;
                    seeds.push(*seed);
                }
            }
            Ok(seeds)
        };
        let seeds = with_chunks(&column, read, |error| Problem::from(error).of("seeds"))?;
        Ok(PySigningKeys(py.detach(|| Engine::new().signing_keys(&seeds))))
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __getitem__(&self, row: isize) -> PyResult<ed25519::PySigningKey> {
        let from_end = || self.0.len().checked_sub(row.unsigned_abs());
        let place = usize::try_from(row).ok().or_else(from_end);
        match place.and_then(|row| self.0.get(row)) {
            Some(key) => Ok(ed25519::PySigningKey(key.clone())),
            None => Err(PyIndexError::new_err(format!("key {row} of {} keys", self.0.len()))),
        }
    }

    /// The public keys, a column of 32 bytes.
    #[getter]
    fn public_keys(&self) -> ArrowColumn {
        let bytes: Vec<u8> = self.0.iter().flat_map(|key| key.verifying_key().to_bytes()).collect();
        ArrowColumn::fixed(bytes.into(), 32)
    }

    /// The seeds, a column of 32 bytes. Secret, and not wiped.
    fn seeds(&self) -> ArrowColumn {
        let bytes: Vec<u8> = self.0.iter().flat_map(|key| *key.as_bytes()).collect();
        ArrowColumn::fixed(bytes.into(), 32)
    }

    fn __repr__(&self) -> String {
        format!("SigningKeys({} keys)", self.0.len())
    }
}

/// So many new keys, of the system's random bytes.
#[pyfunction]
pub(crate) fn generate_keys(py: Python<'_>, n: usize) -> PyResult<PySigningKeys> {
    let keys = py.detach(|| {
        let mut seeds = Zeroizing::new(Vec::new());
        seeds
            .try_reserve_exact(n)
            .map_err(|_| PyValueError::new_err("n: too many for the memory"))?;
        seeds.resize(n, [0; 32]);
        getrandom::fill(seeds.as_flattened_mut())
            .map_err(|_| PyRuntimeError::new_err("the system has no random bytes"))?;
        Ok::<_, PyErr>(Engine::new().signing_keys(&seeds))
    });
    keys.map(PySigningKeys)
}

/// Signatures of a part: row `first` on.
type Part<'a> = (usize, &'a mut [u8]);

/// Signs every message; see `sigmill.sign_columns`.
#[pyfunction]
#[pyo3(signature = (keys, msg, *, variant = "pure", context = None, hash = None, checked = false, threads = None,
                    progress = None))]
#[allow(clippy::too_many_arguments)] // as Python has them
pub(crate) fn sign_columns<'py>(
    py: Python<'py>,
    keys: &Bound<'py, PyAny>,
    msg: &Bound<'py, PyAny>,
    variant: &str,
    context: Option<ByteArg<'py>>,
    hash: Option<&str>,
    checked: bool,
    threads: Option<usize>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<ArrowColumn> {
    let plan = Plan::new(threads, progress)?;
    let messages = Imported::of(msg, Kind::BytesOrText).map_err(|problem| problem.of("msg"))?;
    let rows = messages.rows();
    let variant = self::variant(variant, of(&context))?;
    let engine = Engine::new();
    let sign =
        |columns: &[Column<'_>],
         width: usize,
         with: &(dyn Fn(&Column<'_>, Part<'_>) -> Result<(), BulkError> + Sync)| {
            for (column, first) in columns.iter().zip(messages.starts()) {
                if let Some(row) = (0..column.len()).find(|row| column.get(*row).is_none()) {
                    let row = first + row;
                    return Err(PyValueError::new_err(format!(
                        "msg: row {row} is null, and is not signed"
                    )));
                }
            }
            let mut signatures = vec![0; rows * width];
            let part_rows = plan.part_rows(rows, PART_ROWS);
            let parts = signatures.chunks_mut(part_rows * width).enumerate();
            let parts =
                parts.map(|(i, part)| (part.len() / width, (i * part_rows, part))).collect();
            plan.run(
                py,
                rows,
                parts,
                || (),
                |(), (first, part): Part<'_>| {
                    let rows = part.len() / width;
                    let messages = Chunked { columns, starts: messages.starts(), first, rows };
                    with(&Column::rows(&messages), (first, part))
                },
            )?;
            Ok(ArrowColumn::fixed(Arc::from(signatures), width))
        };
    let ed25519 = |columns: &[Column<'_>], one: Option<&SigningKey>, each: &[SigningKey]| {
        if hash.is_some() {
            return Err(PyValueError::new_err("hash: it says nothing of signatures of Ed25519"));
        }
        sign(columns, 64, &|messages, (first, signatures)| {
            let (signatures, _) = signatures.as_chunks_mut();
            let keys = match one {
                Some(key) => SigningKeys::One(key),
                None => SigningKeys::Each(&each[first..first + signatures.len()]),
            };
            match checked {
                true => engine.sign_checked_into(keys, variant, messages, signatures),
                false => engine.sign_into(keys, variant, messages, signatures),
            }
        })
    };
    let no_variant = || match variant {
        sigmill::ed25519::Variant::Pure => Ok(()),
        _ => Err(PyValueError::new_err("variant: it says nothing of signatures of ECDSA")),
    };
    let with = |columns: &[Column<'_>]| {
        if let Ok(key) = keys.cast::<ed25519::PySigningKey>() {
            return ed25519(columns, Some(&key.get().0), &[]);
        }
        if let Ok(keys) = keys.cast::<PySigningKeys>() {
            let keys = &keys.get().0;
            if keys.len() != rows {
                let found = keys.len();
                return Err(PyValueError::new_err(format!(
                    "keys: {found} keys, but msg has {rows} rows"
                )));
            }
            return ed25519(columns, None, keys);
        }
        macro_rules! ecdsa {
            ($module:ident, $width:literal, $own:literal) => {
                if let Ok(key) = keys.cast::<ecdsa::$module::PySigningKey>() {
                    no_variant()?;
                    let prehash = prehash(hash.unwrap_or($own))?;
                    let key: &$module::SigningKey = &key.get().0;
                    return sign(columns, $width, &|messages, (_, signatures)| {
                        sign_ecdsa::<_, $width>(
                            &engine, key, prehash, messages, signatures, checked,
                        )
                    });
                }
            };
        }
        ecdsa!(p256, 64, "sha256");
        ecdsa!(p384, 96, "sha384");
        let found = keys.get_type().fully_qualified_name()?;
        Err(PyTypeError::new_err(format!(
            "keys: a SigningKey or SigningKeys is needed, not {found}"
        )))
    };
    with_chunks(&messages, with, |error| Problem::from(error).of("msg"))
}

fn sign_ecdsa<K: CurveKey<Signature = [u8; WIDTH]>, const WIDTH: usize>(
    engine: &Engine,
    key: &K,
    prehash: sigmill::ecdsa::Prehash,
    messages: &Column<'_>,
    signatures: &mut [u8],
    checked: bool,
) -> Result<(), BulkError> {
    let (signatures, _) = signatures.as_chunks_mut::<WIDTH>();
    match checked {
        true => {
            engine.sign_ecdsa_checked_into(SigningKeys::One(key), prehash, messages, signatures)
        }
        false => engine.sign_ecdsa_into(SigningKeys::One(key), prehash, messages, signatures),
    }
}
