//! `verify_jws`, `verify_cose`, `verify_dsse` and `verify_sshsig`: columns of envelopes, a verdict and a reason a row.
//!
//! Other code may write to the memory of a column while it is read. An envelope is therefore copied before it is looked
//! at, a few MiB of them at a time: its verdict and its claims are of the same bytes.

use crate::arrow::{Chunks, Imported, Kind, Problem};
use crate::bytes::{ByteArg, RuleArg, or_common};
use crate::claims::{Claims, PartClaims};
use crate::containers::export;
use crate::errors::{Failure, caught};
use crate::memory::{self, NoMemory};
use crate::run::Plan;
use crate::trusted;
use crate::verdicts::Verdicts;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};
use sigmill::bulk::{
    CHUNK_ROWS, Column, Engine, FailureRate, Indices, NULL_CODE, Rows as _, Scratch, Spec, Specs,
    Table,
};
use sigmill::ecdsa::Scheme as Ecdsa;
use sigmill::ed25519::{Rule, Variant};
use sigmill_envelope::{Candidates, ColumnReader, Form, Refusal, Rows, Scheme};
use std::borrow::Cow;
use std::ffi::CString;
use std::mem;
use std::ops::Range;

/// The rows of a part, as in `verify`: Ctrl-C is to end it within a second.
const fn most_rows(has_ecdsa: bool) -> usize {
    if has_ecdsa { 1024 } else { CHUNK_ROWS / 2 }
}

/// So many bytes of envelopes are copied and verified at a time, and one envelope more.
const COPIED_BYTES: usize = 4 << 20;
/// More than the values of one envelope take while it is read, beside its bytes in some forms.
const PARSED_BYTES: usize = 16 << 20;
const FORMS_OF_BYTES: usize = 6;

/// Verifies JSON Web Signatures; see `sigmill.verify_jws`.
#[pyfunction]
#[pyo3(signature = (tokens, keys, *, rule = None, claims = None, threads = None, progress = None))]
pub(crate) fn verify_jws<'py>(
    py: Python<'py>,
    tokens: &Bound<'py, PyAny>,
    keys: &Bound<'py, PyAny>,
    rule: Option<RuleArg>,
    claims: Option<Vec<String>>,
    threads: Option<usize>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Verdicts> {
    let columns = (("tokens", tokens), None);
    let beside = Beside::Nothing;
    let asked = Asked { form: Form::Jws, columns, keys, beside, rule, claims };
    asked.verify(py, threads, progress)
}

/// Verifies COSE_Sign1; see `sigmill.verify_cose`.
#[pyfunction]
#[pyo3(signature = (tokens, keys, *, external_data = None, rule = None, threads = None, progress = None))]
pub(crate) fn verify_cose<'py>(
    py: Python<'py>,
    tokens: &Bound<'py, PyAny>,
    keys: &Bound<'py, PyAny>,
    external_data: Option<ByteArg<'py>>,
    rule: Option<RuleArg>,
    threads: Option<usize>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Verdicts> {
    let beside =
        external_data.as_ref().map_or(Beside::Nothing, |data| Beside::Data(data.as_bytes()));
    let columns = (("tokens", tokens), None);
    let asked = Asked { form: Form::Cose, columns, keys, beside, rule, claims: None };
    asked.verify(py, threads, progress)
}

/// Verifies DSSE envelopes; see `sigmill.verify_dsse`.
#[pyfunction]
#[pyo3(signature = (tokens, keys, *, rule = None, threads = None, progress = None))]
pub(crate) fn verify_dsse<'py>(
    py: Python<'py>,
    tokens: &Bound<'py, PyAny>,
    keys: &Bound<'py, PyAny>,
    rule: Option<RuleArg>,
    threads: Option<usize>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Verdicts> {
    let (columns, beside) = ((("tokens", tokens), None), Beside::Nothing);
    let asked = Asked { form: Form::Dsse, columns, keys, beside, rule, claims: None };
    asked.verify(py, threads, progress)
}

/// Verifies signatures of OpenSSH; see `sigmill.verify_sshsig`.
#[pyfunction]
#[pyo3(signature = (signatures, messages, keys, *, namespace, rule = None, threads = None, progress = None))]
#[allow(clippy::too_many_arguments)] // as Python has them
pub(crate) fn verify_sshsig<'py>(
    py: Python<'py>,
    signatures: &Bound<'py, PyAny>,
    messages: &Bound<'py, PyAny>,
    keys: &Bound<'py, PyAny>,
    namespace: &str,
    rule: Option<RuleArg>,
    threads: Option<usize>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Verdicts> {
    let columns = (("signatures", signatures), Some(("messages", messages)));
    let beside = Beside::Namespace(namespace);
    let asked = Asked { form: Form::Ssh, columns, keys, beside, rule, claims: None };
    asked.verify(py, threads, progress)
}

/// An argument with its name.
type Named<'a, 'py> = (&'static str, &'a Bound<'py, PyAny>);

/// The data that all envelopes sign beside their payloads.
enum Beside<'a> {
    Nothing,
    /// The namespace of SSHSIG.
    Namespace(&'a str),
    /// The externally supplied data of COSE.
    Data(&'a [u8]),
}

/// The arguments of a call.
struct Asked<'a, 'py> {
    form: Form,
    /// Envelopes, and messages where they lie beside them.
    columns: (Named<'a, 'py>, Option<Named<'a, 'py>>),
    keys: &'a Bound<'py, PyAny>,
    beside: Beside<'a>,
    rule: Option<RuleArg>,
    claims: Option<Vec<String>>,
}

impl<'py> Asked<'_, 'py> {
    fn verify(
        self,
        py: Python<'py>,
        threads: Option<usize>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Verdicts> {
        caught(|| {
            let plan = Plan::new(threads, progress)?;
            let trusted = trusted::of(self.form, self.keys)?;
            let namespace = match self.beside {
                Beside::Namespace(namespace) => Some(namespace),
                Beside::Nothing | Beside::Data(_) => None,
            };
            let reader = ColumnReader::new(self.form, &trusted, namespace);
            let reader = match self.beside {
                Beside::Data(data) => {
                    let data = memory::collected(data.iter().copied())?;
                    reader.and_then(|reader| reader.with_external_data(data))
                }
                Beside::Nothing | Beside::Namespace(_) => reader,
            };
            let reader = reader.map_err(|error| {
                let argument = match error.refusal() {
                    Refusal::NamespaceMismatch => "namespace",
                    _ => "keys",
                };
                PyValueError::new_err(format!("{argument}: {}", error.detail()))
            })?;
            let names = self.claims.map(names).transpose()?;
            let ((name, tokens), messages) = self.columns;
            let tokens = (name, column(name, tokens)?);
            let messages = match messages {
                None => None,
                Some((name, messages)) => Some((name, column(name, messages)?)),
            };
            if let Some((of_messages, messages)) = &messages
                && messages.rows() != tokens.1.rows()
            {
                let (found, rows) = (messages.rows(), tokens.1.rows());
                let message = format!("{of_messages}: {found} rows, but {name} has {rows}");
                return Err(PyValueError::new_err(message));
            }
            run(py, &plan, &reader, or_common(self.rule), &tokens, messages.as_ref(), names)
        })
    }
}

/// The names of claims, each once.
fn names(names: Vec<String>) -> PyResult<Vec<CString>> {
    if names.is_empty() {
        return Err(PyValueError::new_err("claims: name at least one"));
    }
    let mut made: Vec<CString> = memory::vec(names.len())?;
    for name in names {
        let quoted = format!("{name:?}");
        let Ok(name) = CString::new(name) else {
            return Err(PyValueError::new_err(format!("claims: {quoted} has a zero byte")));
        };
        if made.contains(&name) {
            return Err(PyValueError::new_err(format!("claims: {quoted} stands there twice")));
        }
        made.push(name);
    }
    Ok(made)
}

/// A column of bytes or text: one of Arrow, or a list.
fn column(name: &str, object: &Bound<'_, PyAny>) -> PyResult<Imported> {
    if object.cast::<PyList>().is_ok() || object.cast::<PyTuple>().is_ok() {
        return of_list(name, object);
    }
    Imported::of(object, Kind::BytesOrText).map_err(|problem| match problem.is_no_column() {
        true => PyTypeError::new_err(format!(
            "{name}: a column of Arrow or a list of str or bytes is needed, not {}",
            name_of_type(object)
        )),
        false => problem.of(name),
    })
}

fn name_of_type(object: &Bound<'_, PyAny>) -> String {
    object.get_type().fully_qualified_name().map_or(String::new(), |name| name.to_string())
}

/// Copies a list of `str`, bytes and `None`.
fn of_list(name: &str, list: &Bound<'_, PyAny>) -> PyResult<Imported> {
    let rows = list.len()?;
    let no_memory = |error: NoMemory| error.of(name, rows, "rows");
    let mut offsets = memory::vec(rows + 1).map_err(no_memory)?;
    let mut validity = memory::filled(0_u8, rows.div_ceil(8)).map_err(no_memory)?;
    let (mut bytes, mut nulls) = (Vec::new(), 0);
    offsets.push(0);
    // other Python code may shorten the list meanwhile
    for (row, item) in list.try_iter()?.take(rows).enumerate() {
        if row % (1 << 18) == 0 {
            list.py().check_signals()?;
        }
        let item = item?;
        let mut append = |value: &[u8]| {
            memory::grow(&mut bytes, value.len()).map(|place| place.copy_from_slice(value))
        };
        if item.is_none() {
            nulls += 1;
        } else {
            if let Ok(value) = item.cast::<PyBytes>() {
                append(value.as_bytes())?;
            } else if let Ok(value) = item.cast::<PyString>() {
                let text = value.to_str().map_err(|error| {
                    PyValueError::new_err(format!("{name}: row {row}: {}", error.value(list.py())))
                })?;
                append(text.as_bytes())?;
            } else if let Ok(value) = item.extract::<ByteArg<'_>>() {
                append(value.as_bytes())?;
            } else {
                let found = name_of_type(&item);
                let message = format!("{name}: row {row}: str or bytes is needed, not {found}");
                return Err(PyTypeError::new_err(message));
            }
            validity[row / 8] |= 1 << (row % 8);
        }
        offsets.push(bytes.len() as i64);
    }
    Imported::own([export(offsets, bytes, validity, nulls)]).map_err(|problem| problem.of(name))
}

/// Verifies all rows.
fn run(
    py: Python<'_>,
    plan: &Plan<'_>,
    reader: &ColumnReader,
    rule: &'static Rule,
    tokens: &(&'static str, Imported),
    messages: Option<&(&'static str, Imported)>,
    names: Option<Vec<CString>>,
) -> PyResult<Verdicts> {
    let rows = tokens.1.rows();
    let no_memory = |error: NoMemory| error.of(tokens.0, rows, "rows");
    let mut codes = memory::filled(NULL_CODE, rows).map_err(no_memory)?;
    let claims = names.as_ref().map(|names| names.iter().filter_map(|name| name.to_str().ok()));
    let keys: Vec<&[u8]> = reader.keys().iter().map(|key| key.bytes()).collect();
    let has_ecdsa = reader.keys().iter().any(|key| key.algorithm().curve().is_some());
    let spec = match has_ecdsa {
        true => Spec::Ecdsa(Ecdsa::P256),
        false => Spec::ed25519(rule, Variant::Pure),
    };
    let job = Job {
        reader,
        rule,
        keys: Column::slices(&keys),
        tokens: table(tokens)?,
        messages: messages.map(table).transpose()?,
        claims: claims.map(Iterator::collect),
        rate: FailureRate::new(),
        engine: Engine::new(),
    };
    let part_rows = plan.part_rows(rows, most_rows(has_ecdsa));
    let count = rows.div_ceil(part_rows);
    let mut of_parts: Vec<PartClaims> = memory::vec(count)?;
    of_parts.resize_with(count, PartClaims::default);
    let parts = codes.chunks_mut(part_rows).zip(&mut of_parts).enumerate();
    let parts = parts.map(|(i, (codes, claims))| (codes.len(), (i * part_rows, codes, claims)));
    // rows that are refused are no rows of the engine, and others may be several
    let most = part_rows.min(rows.saturating_mul(reader.most_candidates()));
    let scratch_len = job.engine.scratch_len_for(most, &Specs::Same(spec));
    let place = || {
        let scratch = memory::filled(Scratch::new(), scratch_len)?;
        Ok(Place { rows: job.reader.rows(), scratch })
    };
    plan.run(py, rows, count, parts, place, |place, (first, codes, claims), goes_on| {
        job.part(place, (first, codes), most, claims, goes_on)
    })?;
    drop(job);
    let claims = match names {
        None => None,
        Some(names) => Some(py.detach(|| Claims::of(names, rows, of_parts))?),
    };
    Ok(Verdicts::of(codes).with_claims(claims))
}

/// The rows of a column, where they lie.
fn table<'a>((name, column): &'a (&'static str, Imported)) -> PyResult<Chunks<'a>> {
    column.table().map_err(|error| Problem::from(error).of(name))
}

/// The work on the rows.
struct Job<'a> {
    reader: &'a ColumnReader,
    rule: &'static Rule,
    keys: Column<'a>,
    tokens: Chunks<'a>,
    messages: Option<Chunks<'a>>,
    claims: Option<Vec<&'a str>>,
    rate: FailureRate,
    engine: Engine,
}

/// The memory of a thread.
struct Place<'k> {
    rows: Rows<'k>,
    scratch: Vec<Scratch>,
}

/// Envelopes of consecutive rows.
struct Copied {
    bytes: Vec<u8>,
    /// The place of each row among the bytes; `None`: it is null.
    rows: Vec<Option<Range<usize>>>,
    longest: usize,
}

/// Envelopes that are verified together.
#[derive(Default)]
struct Batch<'c> {
    candidates: Candidates,
    /// Rows with candidates: their numbers, messages, and the ends of their candidates.
    rows: Vec<(usize, Cow<'c, [u8]>, usize)>,
    /// The row after the last.
    end: usize,
}

impl Job<'_> {
    /// Writes the codes of the rows from `first` on, and their claims. The engine has up to `most` rows at a time.
    fn part(
        &self,
        place: &mut Place<'_>,
        (mut first, mut codes): (usize, &mut [u8]),
        most: usize,
        claims: &mut PartClaims,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<(), Failure> {
        while !codes.is_empty() {
            let copied = self.copied(first, codes.len())?;
            let (of_these, others) = mem::take(&mut codes).split_at_mut(copied.rows.len());
            let mut row = 0;
            while row < of_these.len() {
                let batch = self.read(place, first, (row, &mut *of_these), &copied, most)?;
                row = batch.end;
                if !self.verify(place, &batch, of_these, most, goes_on)? {
                    return Ok(());
                }
            }
            if let Some(names) = &self.claims {
                read_claims(place, names, of_these, &copied, claims)?;
            }
            first += of_these.len();
            codes = others;
        }
        Ok(())
    }

    /// Copies envelopes from a row on, at most so many.
    fn copied(&self, first: usize, most: usize) -> Result<Copied, NoMemory> {
        let mut copied = Copied { bytes: Vec::new(), rows: memory::vec(most)?, longest: 0 };
        while copied.rows.len() < most && copied.bytes.len() < COPIED_BYTES {
            let range = match self.tokens.shared(first + copied.rows.len()) {
                None => None,
                Some(token) => {
                    token.copy_to(0, memory::grow(&mut copied.bytes, token.len())?);
                    copied.longest = copied.longest.max(token.len());
                    Some(copied.bytes.len() - token.len()..copied.bytes.len())
                }
            };
            copied.rows.push(range);
        }
        // reading takes its memory without asking
        let in_forms = copied.longest.saturating_mul(FORMS_OF_BYTES);
        let messages = copied.bytes.len().saturating_mul(2);
        memory::probe::<u8>(in_forms.saturating_add(messages).saturating_add(PARSED_BYTES))?;
        Ok(copied)
    }

    /// Reads envelopes from a row on, until there are `most` candidates. A row that is null keeps its code, and one that is
    /// refused has its own.
    fn read<'c>(
        &self,
        place: &mut Place<'_>,
        first: usize,
        (mut row, codes): (usize, &mut [u8]),
        copied: &'c Copied,
        most: usize,
    ) -> Result<Batch<'c>, Failure> {
        let mut batch = Batch { rows: memory::vec(most.min(codes.len()))?, ..Batch::default() };
        let candidates = &mut batch.candidates;
        while row < codes.len() && candidates.list.len() < most {
            let number = row;
            row += 1;
            let range = copied.rows.get(number).cloned().flatten();
            let Some(token) = range.and_then(|range| copied.bytes.get(range)) else { continue };
            let message = match &self.messages {
                None => None,
                Some(messages) => match messages.get(first + number) {
                    None => continue,
                    message => message,
                },
            };
            // signatures are no longer than their envelope
            memory::make_room(&mut candidates.signatures, token.len())?;
            memory::make_room(&mut candidates.list, self.reader.most_candidates())?;
            match place.rows.read(token, message, candidates) {
                Err(error) => codes[number] = error.refusal().code(),
                Ok(message) => {
                    memory::push(&mut batch.rows, (number, message, candidates.list.len()))?;
                }
            }
        }
        batch.end = row;
        Ok(batch)
    }

    /// Verifies envelopes together; whether it goes on.
    fn verify(
        &self,
        place: &mut Place<'_>,
        batch: &Batch<'_>,
        codes: &mut [u8],
        most: usize,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<bool, Failure> {
        let list = &batch.candidates.list;
        if list.is_empty() {
            return Ok(true);
        }
        let keys = memory::collected(list.iter().map(|one| one.key as u32))?;
        let signatures = list.iter().map(|one| batch.candidates.signature(one));
        let signatures = memory::collected(signatures)?;
        let mut messages = memory::vec(list.len())?;
        for (_, message, end) in &batch.rows {
            messages.resize(*end, &**message);
        }
        // one of each algorithm
        let mut schemes: Vec<Scheme> = Vec::new();
        let index = memory::collected(list.iter().map(|one| {
            let scheme = schemes.iter().position(|scheme| *scheme == one.scheme);
            scheme.unwrap_or_else(|| {
                schemes.push(one.scheme);
                schemes.len() - 1
            }) as u32
        }))?;
        let specs: Vec<Spec<'_>> = schemes.iter().map(|scheme| scheme.spec(self.rule)).collect();
        let table = Table::new(
            Column::dictionary(Indices::U32(&keys), &self.keys, None)?,
            Column::slices(&messages),
            Column::slices(&signatures),
            Specs::of_rows(&specs, Some(&index).filter(|_| specs.len() > 1).map(Vec::as_slice)),
        )?;
        let mut verdicts = memory::filled(NULL_CODE, list.len())?;
        let table = table.with_failure_rate(&self.rate);
        for (i, verdicts) in verdicts.chunks_mut(most).enumerate() {
            if i > 0 && !goes_on() {
                return Ok(false);
            }
            self.engine.verify_codes_of(&table, i * most, verdicts, &mut place.scratch)?;
        }
        let mut rest = &verdicts[..];
        let mut before = 0;
        for (row, _, end) in &batch.rows {
            let (of_row, others) = rest.split_at(end - mem::replace(&mut before, *end));
            codes[*row] = of_row[Candidates::deciding(of_row, |code| *code == 0)];
            rest = others;
        }
        Ok(batch.end == codes.len() || goes_on())
    }
}

/// Reads the claims of rows that are valid.
fn read_claims(
    place: &mut Place<'_>,
    names: &[&str],
    codes: &[u8],
    copied: &Copied,
    claims: &mut PartClaims,
) -> Result<(), NoMemory> {
    for (code, range) in codes.iter().zip(&copied.rows) {
        let token = range.clone().filter(|_| *code == 0);
        let token = token.and_then(|range| copied.bytes.get(range));
        // a payload that is no object has no claims
        let values = token.and_then(|token| place.rows.claims(token, names).ok());
        claims.push(names.len(), values.as_deref())?;
    }
    Ok(())
}
