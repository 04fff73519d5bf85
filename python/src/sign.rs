//! `sign_columns` and `generate_keys`: signatures and keys by the column.

use crate::arrow::{Chunks, Imported, Kind, Problem, Shared};
use crate::bytes::{ByteArg, no_copy, of, prehash, variant};
use crate::errors::{Failure, after, caught};
use crate::memory::{self, NoMemory};
use crate::run::Plan;
use crate::verdicts::ArrowColumn;
use crate::{ecdsa, ed25519};
use pyo3::exceptions::{PyIndexError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use sigmill::Error;
use sigmill::bulk::{BulkError, Column, Engine, Rows, Scratch, SharedRows, SigningKeys};
use sigmill::ecdsa::{CurveKey, Prehash, p256, p384};
use sigmill::ed25519::{SharedMessage, SigningKey};
use std::mem;
use zeroize::Zeroizing;

/// Rows of a part.
const PART_ROWS: usize = 4096;

/// The keys of seeds, where there is memory for them.
fn keys_of(seeds: &[[u8; 32]]) -> Result<Vec<SigningKey>, Failure> {
    memory::probe::<SigningKey>(seeds.len())?;
    Ok(Engine::new().signing_keys(seeds))
}

/// Secret keys, one a row.
#[pyclass(frozen, eq, name = "SigningKeys", module = "sigmill")]
pub(crate) struct PySigningKeys(Vec<SigningKey>);

impl PartialEq for PySigningKeys {
    /// Looks at all keys, wherever they differ.
    fn eq(&self, other: &Self) -> bool {
        let pairs = self.0.iter().zip(&other.0);
        self.0.len() == other.0.len()
            && pairs.fold(true, |equal, (one, other)| equal & (one == other))
    }
}

impl PySigningKeys {
    fn column_of(&self, bytes: impl Fn(&SigningKey) -> [u8; 32]) -> PyResult<ArrowColumn> {
        let mut made = memory::vec(32 * self.0.len())?;
        for key in &self.0 {
            made.extend_from_slice(&bytes(key));
        }
        Ok(ArrowColumn::fixed(made, 32))
    }
}

#[pymethods]
impl PySigningKeys {
    /// The keys of a column of seeds, 32 bytes each.
    #[staticmethod]
    fn from_seeds(py: Python<'_>, seeds: &Bound<'_, PyAny>) -> PyResult<Self> {
        let bad =
            |row: usize, what: &str| PyValueError::new_err(format!("seeds: row {row} {what}"));
        caught(|| {
            let column = Imported::of(seeds, Kind::Bytes).map_err(|problem| problem.of("seeds"))?;
            let rows = column.rows();
            let table = column.table().map_err(|error| Problem::from(error).of("seeds"))?;
            let seeds = memory::filled([0; 32], rows);
            let mut seeds = Zeroizing::new(seeds.map_err(|error| error.of("seeds", rows, "rows"))?);
            for (row, seed) in seeds.iter_mut().enumerate() {
                let found = table.shared(row).ok_or_else(|| bad(row, "is null"))?;
                if found.len() != seed.len() {
                    return Err(bad(row, "does not have 32 bytes"));
                }
                found.copy_to(0, seed);
            }
            Ok(PySigningKeys(py.detach(|| keys_of(&seeds))?))
        })
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
    fn public_keys(&self) -> PyResult<ArrowColumn> {
        self.column_of(|key| key.verifying_key().to_bytes())
    }

    /// The seeds, a column of 32 bytes. Secret, and not wiped.
    fn seeds(&self) -> PyResult<ArrowColumn> {
        self.column_of(|key| *key.as_bytes())
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(no_copy())
    }

    fn __repr__(&self) -> String {
        format!("SigningKeys({} keys)", self.0.len())
    }
}

/// So many new keys, of the system's random bytes.
#[pyfunction]
pub(crate) fn generate_keys(py: Python<'_>, n: usize) -> PyResult<PySigningKeys> {
    let keys = || {
        let seeds = memory::filled([0; 32], n).map_err(|error| error.of("n", n, "keys"))?;
        let mut seeds = Zeroizing::new(seeds);
        getrandom::fill(seeds.as_flattened_mut())
            .map_err(|_| PyRuntimeError::new_err("the system has no random bytes"))?;
        Ok(PySigningKeys(keys_of(&seeds)?))
    };
    caught(|| py.detach(keys))
}

/// Signatures of a part: row `first` on.
type Part<'a> = (usize, &'a mut [u8]);

/// Some rows of a column.
struct Window<'a> {
    messages: &'a Chunks<'a>,
    /// The row that is row 0 here, and how many there are.
    first: usize,
    rows: usize,
}

impl SharedRows for Window<'_> {
    fn message_len(&self, row: usize) -> usize {
        self.messages.shared(self.first + row).map_or(0, Shared::len)
    }

    fn read(&self, row: usize, offset: usize, piece: &mut [u8]) {
        match self.messages.shared(self.first + row) {
            Some(message) => message.copy_to(offset, piece),
            None => piece.fill(0),
        }
    }
}

/// Messages that nobody changes any more, or the length of one that the buffer is too short for.
enum Copied<'a> {
    Rows(Column<'a>),
    TooLong(usize),
}

impl Rows for Window<'_> {
    fn len(&self) -> usize {
        self.rows
    }

    fn get(&self, row: usize) -> Option<&[u8]> {
        self.messages.get(self.first + row)
    }
}

impl Window<'_> {
    /// Copies messages into the buffer, as many as fit and at most so many at a time, and signs them: those from row
    /// `first` on.
    fn by_copies(
        &self,
        buffer: &mut [u8],
        most: usize,
        mut sign: impl FnMut(usize, Copied<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut first = 0;
        while first < self.rows {
            let rows = most.min(self.rows - first);
            let mut copies: Vec<&[u8]> = memory::vec(rows)?;
            let mut rest = &mut *buffer;
            let mut len = 0;
            for row in first..first + rows {
                len = self.message_len(row);
                let Some((copy, others)) = mem::take(&mut rest).split_at_mut_checked(len) else {
                    break;
                };
                self.read(row, 0, copy);
                copies.push(copy);
                rest = others;
            }
            match copies.len() {
                0 => sign(first, Copied::TooLong(len))?,
                _ => sign(first, Copied::Rows(Column::slices(&copies)))?,
            }
            first += copies.len().max(1);
        }
        Ok(())
    }
}

/// Rows that are copied together, and bytes, at most: a longer message is read in place.
const COPIED_ROWS: usize = 128;
const COPIED_BYTES: usize = 16 << 20;

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
    caught(|| {
        let plan = Plan::new(threads, progress)?;
        let messages = Imported::of(msg, Kind::BytesOrText).map_err(|problem| problem.of("msg"))?;
        let rows = messages.rows();
        let variant = self::variant(variant, of(&context))?;
        let engine = Engine::new();
        let messages = messages.table().map_err(|error| Problem::from(error).of("msg"))?;
        type With<'w> = dyn Fn(Window<'_>, &mut [u8], &mut [u8]) -> Result<(), Failure> + Sync + 'w;
        let sign = |width: usize, copied_rows: usize, with: &With<'_>| {
            let signatures = memory::filled(0, rows.saturating_mul(width));
            let mut signatures = signatures.map_err(|error| error.of("msg", rows, "rows"))?;
            let (mut longest, mut all) = (0, 0_usize);
            for row in 0..rows {
                if row % (1 << 20) == 0 {
                    py.check_signals()?;
                }
                let Some(message) = messages.shared(row) else {
                    return Err(PyValueError::new_err(format!(
                        "msg: row {row} is null, and is not signed"
                    )));
                };
                (longest, all) = (message.len().max(longest), all.saturating_add(message.len()));
            }
            let buffer = all.min(COPIED_BYTES).min(longest.saturating_mul(copied_rows));
            let part_rows = plan.part_rows(rows, PART_ROWS);
            let parts = signatures.chunks_mut(part_rows * width).enumerate();
            let parts = parts.map(|(i, part)| (part.len() / width, (i * part_rows, part)));
            let count = rows.div_ceil(part_rows);
            let work = |buffer: &mut Vec<u8>, (first, part): Part<'_>, _: &dyn Fn() -> bool| {
                let rows = part.len() / width;
                with(Window { messages: &messages, first, rows }, buffer, part)
            };
            plan.run(py, rows, count, parts, || Ok(memory::filled(0, buffer)?), work)?;
            Ok(ArrowColumn::fixed(signatures, width))
        };
        let ed25519 = |one: Option<&SigningKey>, each: &[SigningKey]| {
            if hash.is_some() {
                return Err(PyValueError::new_err(
                    "hash: it says nothing of signatures of Ed25519",
                ));
            }
            let keys = |first: usize, rows: usize| match one {
                Some(key) => SigningKeys::One(key),
                None => SigningKeys::Each(&each[first..][..rows]),
            };
            if !checked {
                return sign(64, COPIED_ROWS, &|window, buffer, signatures| {
                    let (signatures, _) = signatures.as_chunks_mut();
                    let keys = keys(window.first, window.rows);
                    let signed =
                        engine.sign_shared_into(keys, variant, &window, buffer, signatures);
                    Ok(signed.map_err(|error| after(error, window.first))?)
                });
            }
            sign(64, PART_ROWS, &|window, buffer, signatures| {
                let (signatures, _) = signatures.as_chunks_mut();
                window.by_copies(buffer, PART_ROWS, |first, copied| {
                    let row = window.first + first;
                    match copied {
                        Copied::Rows(messages) => {
                            let (keys, rows) = (keys(row, messages.len()), messages.len());
                            probe_checked(&engine, rows)?;
                            let signatures = &mut signatures[first..first + rows];
                            let signed =
                                engine.sign_checked_into(keys, variant, &messages, signatures);
                            Ok(signed.map_err(|error| after(error, row))?)
                        }
                        Copied::TooLong(len) => {
                            let key = one.unwrap_or_else(|| &each[row]);
                            let read =
                                |offset: usize, piece: &mut [u8]| window.read(first, offset, piece);
                            let message = SharedMessage::new(len, &read);
                            let signature = key.sign_shared_checked(variant, None, &message);
                            let failed = |error| match error {
                                Error::MessageChanged => BulkError::MessageChanged { row },
                                _ => BulkError::Fault { row },
                            };
                            signatures[first] = signature.map_err(failed)?.to_bytes();
                            Ok(())
                        }
                    }
                })
            })
        };
        let no_variant = || match variant {
            sigmill::ed25519::Variant::Pure => Ok(()),
            _ => Err(PyValueError::new_err("variant: it says nothing of signatures of ECDSA")),
        };
        if let Ok(key) = keys.cast::<ed25519::PySigningKey>() {
            return ed25519(Some(&key.get().0), &[]);
        }
        if let Ok(keys) = keys.cast::<PySigningKeys>() {
            let keys = &keys.get().0;
            if keys.len() != rows {
                let found = keys.len();
                return Err(PyValueError::new_err(format!(
                    "keys: {found} keys, but msg has {rows} rows"
                )));
            }
            return ed25519(None, keys);
        }
        macro_rules! ecdsa {
            ($module:ident, $width:literal, $own:literal) => {
                if let Ok(key) = keys.cast::<ecdsa::$module::PySigningKey>() {
                    no_variant()?;
                    let prehash = prehash(hash.unwrap_or($own))?;
                    let key: &$module::SigningKey = &key.get().0;
                    // a message or a digest is read once, where it lies
                    return sign($width, 0, &|window, _, signatures| {
                        if checked {
                            probe_checked(&engine, window.rows)?;
                        }
                        let (signatures, _) = signatures.as_chunks_mut::<$width>();
                        let messages = Column::rows(&window);
                        sign_ecdsa(&engine, key, prehash, &messages, signatures, checked)
                            .map_err(|error| after(error, window.first).into())
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
    })
}

fn sign_ecdsa<K: CurveKey>(
    engine: &Engine,
    key: &K,
    prehash: Prehash,
    messages: &Column<'_>,
    signatures: &mut [K::Signature],
    checked: bool,
) -> Result<(), BulkError> {
    let keys = SigningKeys::One(key);
    match checked {
        true => engine.sign_ecdsa_checked_into(keys, prehash, messages, signatures),
        false => engine.sign_ecdsa_into(keys, prehash, messages, signatures),
    }
}

/// Whether there is the memory that the engine takes to check so many signatures.
fn probe_checked(engine: &Engine, rows: usize) -> Result<(), NoMemory> {
    memory::probe::<Scratch>(engine.scratch_len(rows))?;
    memory::probe::<[u8; 1024]>(rows)
}
