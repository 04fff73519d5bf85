//! Keys of columns in containers: SubjectPublicKeyInfo, in DER or PEM. A column that should hold bare keys and holds
//! something else is refused as the command line does it, by `sigmill::KeyCell`.

use crate::arrow::{Buffer, Chunk, Export, Imported, Problem};
use crate::memory;
use pyo3::prelude::*;
use sigmill::bulk::{Algorithm, Rows, Specs};
use sigmill::ecdsa::{p256, p384};
use sigmill::ed25519::VerifyingKey;
use sigmill::{FileKind, KeyCell};

/// No container with one of the keys is longer, however its PEM is set out.
const LONGEST: usize = 16 << 10;
/// So many cells are looked at to tell that a column holds no keys by themselves.
const LOOKED_AT: usize = 1024;
const PEM: &[u8] = b"-----BEGIN ";

/// Keys by themselves, and the rows whose container cannot be read as one of their algorithm.
pub(crate) struct Decoded {
    pub(crate) keys: Imported,
    pub(crate) unreadable: Vec<usize>,
}

/// Takes the keys out of their containers, in the chunks that the column has.
pub(crate) fn decoded(py: Python<'_>, column: &Imported, specs: Specs<'_>) -> PyResult<Decoded> {
    let table = column.table().map_err(|error| Problem::from(error).of("key"))?;
    let (mut arrays, mut unreadable, mut first) = (Vec::new(), Vec::new(), 0);
    for chunk in &table.chunks {
        arrays.push(keys_of(py, chunk, first, specs, &mut unreadable)?);
        first += chunk.len();
    }
    if arrays.is_empty() {
        arrays.push(export(vec![0], Vec::new(), Vec::new(), 0));
    }
    let keys = Imported::own(arrays).map_err(|problem| problem.of("key"))?;
    Ok(Decoded { keys, unreadable })
}

/// Values of any length, some of them null.
pub(crate) fn export(offsets: Vec<i64>, bytes: Vec<u8>, validity: Vec<u8>, nulls: usize) -> Export {
    Export {
        format: c"Z".into(),
        name: c"".into(),
        nullable: true,
        rows: offsets.len() - 1,
        nulls,
        buffers: vec![Buffer::Bytes(validity), Buffer::LargeOffsets(offsets), Buffer::Bytes(bytes)],
        children: Vec::new(),
    }
}

/// The keys of a chunk, before which `first` rows stand.
fn keys_of(
    py: Python<'_>,
    chunk: &Chunk<'_>,
    first: usize,
    specs: Specs<'_>,
    unreadable: &mut Vec<usize>,
) -> PyResult<Export> {
    let rows = chunk.len();
    let no_memory = |error: memory::NoMemory| error.of("key", rows, "rows");
    let mut offsets = memory::vec(rows + 1).map_err(no_memory)?;
    let mut bytes = memory::vec(65 * rows).map_err(no_memory)?;
    let mut validity = memory::filled(0_u8, rows.div_ceil(8)).map_err(no_memory)?;
    let (mut nulls, mut cell) = (0, Vec::new());
    offsets.push(0);
    for row in 0..rows {
        if row % (1 << 18) == 0 {
            py.check_signals()?;
        }
        let algorithm = match specs {
            Specs::Same(spec) => Some(spec.algorithm()),
            Specs::PerRow { distinct, index } => index
                .get(first + row)
                .and_then(|number| distinct.get(*number as usize))
                .map(|spec| spec.algorithm()),
        };
        let mut is_key = false;
        if let Some(found) = chunk.shared(row) {
            // other code may write to it
            cell.resize(found.len().min(LONGEST + 1), 0);
            found.copy_to(0, &mut cell);
            // a row of no algorithm has no verdict, whatever its key
            is_key = algorithm.is_none_or(|algorithm| match key_in(algorithm, &cell) {
                Some(key) => {
                    bytes.extend_from_slice(&key);
                    true
                }
                None => false,
            });
            if !is_key {
                memory::push(unreadable, first + row)?;
            }
        }
        validity[row / 8] |= u8::from(is_key) << (row % 8);
        nulls += usize::from(!is_key);
        offsets.push(bytes.len() as i64);
    }
    Ok(export(offsets, bytes, validity, nulls))
}

/// The key of an algorithm in a container of one.
fn key_in(algorithm: Algorithm, cell: &[u8]) -> Option<Vec<u8>> {
    if cell.len() > LONGEST {
        return None;
    }
    match pem(cell) {
        Some(text) => match algorithm {
            Algorithm::Ed25519 => VerifyingKey::bytes_from_spki_pem(text).map(Vec::from).ok(),
            Algorithm::P256 => p256::VerifyingKey::bytes_from_spki_pem(text).ok(),
            Algorithm::P384 => p384::VerifyingKey::bytes_from_spki_pem(text).ok(),
            _ => None,
        },
        None => match algorithm {
            Algorithm::Ed25519 => VerifyingKey::bytes_from_spki_der(cell).map(Vec::from).ok(),
            Algorithm::P256 => p256::VerifyingKey::bytes_from_spki_der(cell).ok(),
            Algorithm::P384 => p384::VerifyingKey::bytes_from_spki_der(cell).ok(),
            _ => None,
        },
    }
}

fn pem(cell: &[u8]) -> Option<&str> {
    let text = cell.strip_prefix(b"\xef\xbb\xbf").unwrap_or(cell).trim_ascii();
    text.starts_with(PEM).then(|| str::from_utf8(text).ok()).flatten()
}

/// The contents of a column that should hold keys by themselves, if none of the first cells can be one, and the advice.
pub(crate) fn refusal(column: &Imported) -> PyResult<Option<String>> {
    let table = column.table().map_err(|error| Problem::from(error).of("key"))?;
    let (mut cell, mut found, mut looked_at) = (Vec::new(), None, 0);
    for row in 0..column.rows() {
        let Some(key) = table.shared(row) else { continue };
        if looked_at == LOOKED_AT {
            break;
        }
        looked_at += 1;
        cell.resize(key.len().min(LONGEST + 1), 0);
        key.copy_to(0, &mut cell);
        let Some(kind) = KeyCell::of(&cell) else { return Ok(None) };
        found.get_or_insert_with(|| {
            let (len, hint) = (key.len(), hint(kind, &cell));
            format!("holds {kind} ({len} bytes in row {row}), not keys by themselves; {hint}")
        });
    }
    Ok(found)
}

fn hint(found: KeyCell, cell: &[u8]) -> String {
    if Algorithm::ALL.into_iter().any(|algorithm| key_in(algorithm, cell).is_some()) {
        return "key_form=\"spki\" reads it".to_owned();
    }
    match found {
        KeyCell::PemInOneLine => "PEM has lines: put its line ends back".to_owned(),
        _ if found.is_encoded() => "decode it first".to_owned(),
        _ => {
            let needed = "public keys of Ed25519, P-256 or P-384, by themselves or in SubjectPublicKeyInfo with \
                          key_form=\"spki\", are needed";
            let advice = found.kind().and_then(FileKind::advice);
            advice.map_or(needed.to_owned(), |advice| format!("{needed} ({advice})"))
        }
    }
}
