//! `verify_columns`: a verdict and a reason a row.

use crate::arrow::{Buffer, Chunks, Export, Imported, Kind, fixed_format, stream};
use crate::bytes::{
    ByteArg, RuleArg, algorithm, dict, key_form, low_s, prehash, sig_format, text, variant,
};
use crate::containers;
use crate::ed25519::PyVerdict;
use crate::errors::{Failure, Problem, caught};
use crate::memory::{self, NoMemory};
use crate::run::Plan;
use pyo3::exceptions::{PyIndexError, PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyMemoryView, PyString, PyTuple};
use sigmill::bulk::{
    self, Algorithm, CHUNK_ROWS, Column, Engine, NULL_CODE, NULL_SPEC, Scratch, Spec, Specs, Table,
};
use sigmill::ecdsa::{Curve, Scheme};
use sigmill::ed25519::{ContextString, Rule, Variant, rules};
use sigmill::{Reason, Verdict};
use sigmill_report::{
    CONTEXT_CODE, Report, Rows as Reported, Settings, UNKNOWN_CODE, UNREADABLE_CODE,
};
use std::collections::HashMap;
use std::mem;
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// The name of what a code stands for; `None`: it is valid.
fn reason(code: u8) -> Option<&'static str> {
    match code {
        0 => None,
        NULL_CODE => Some("null"),
        UNKNOWN_CODE => Some("unknown"),
        CONTEXT_CODE => Some("context"),
        UNREADABLE_CODE => Some("unreadable"),
        code => Reason::ALL.iter().find(|reason| reason.code() == code).map(|reason| reason.name()),
    }
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
}

/// A column of ours, for anything that reads Arrow.
#[pyclass(frozen, name = "ArrowColumn", module = "sigmill")]
pub(crate) struct ArrowColumn(Values);

/// What is in it.
pub(crate) enum Values {
    /// Of verdicts.
    Verdict(Arc<Vec<u8>>),
    Reason(Arc<Vec<u8>>),
    /// So many bytes a row, one row after the other.
    Fixed(Arc<Vec<u8>>, usize),
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
        name: c"verdict",
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
        name: c"reason",
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
        name: c"",
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
            Values::Fixed(bytes, width) => Ok(Export {
                format: fixed_format(*width),
                name: c"",
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
        }
    }

    fn __repr__(&self) -> String {
        let kind = match self.0 {
            Values::Verdict(_) => "boolean".to_owned(),
            Values::Reason(_) => "text".to_owned(),
            Values::Fixed(_, width) => format!("{width} bytes"),
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
            return Ok(Some(PyVerdict(Verdict::Valid)));
        }
        let reason = Reason::ALL.iter().find(|reason| reason.code() == *code);
        Ok(reason.map(|reason| PyVerdict(Verdict::Invalid(*reason))))
    }

    #[getter]
    fn verdict(&self) -> ArrowColumn {
        ArrowColumn(Values::Verdict(Arc::clone(&self.codes)))
    }

    #[getter]
    fn reason(&self) -> ArrowColumn {
        ArrowColumn(Values::Reason(Arc::clone(&self.codes)))
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

/// An argument that is one value for all rows, or a column with one for each.
enum PerRow {
    Same,
    Column(Imported),
}

fn is_column(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(object.hasattr("__arrow_c_array__")?
        || object.hasattr("__arrow_c_stream__")?
        || is_matrix(object)?)
}

/// Whether it is an array with two dimensions, such as one of NumPy.
fn is_matrix(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    match PyMemoryView::from(object) {
        Ok(memory) => Ok(memory.getattr("ndim")?.extract::<usize>()? == 2),
        Err(_) => Ok(false),
    }
}

fn per_row(name: &str, argument: Option<&Bound<'_, PyAny>>, kind: Kind) -> PyResult<PerRow> {
    match argument {
        Some(object) if is_column(object)? => {
            Imported::of(object, kind).map(PerRow::Column).map_err(|problem| problem.of(name))
        }
        _ => Ok(PerRow::Same),
    }
}

/// What rows are verified as where no column says it.
struct Options<'a> {
    algorithm: Algorithm,
    rule: &'static Rule,
    variant: &'a str,
    context: &'a [u8],
    hash: Option<&'a str>,
    sig_format: &'a str,
    low_s: bool,
}

impl Options<'_> {
    fn scheme(&self, curve: Curve) -> PyResult<Scheme> {
        Ok(Scheme {
            curve,
            prehash: self.hash.map_or(Ok(curve.own_hash()), prehash)?,
            encoding: sig_format(self.sig_format)?,
            low_s: low_s(self.low_s),
        })
    }
}

/// No name and no context is longer.
const LONGEST: usize = 255;

/// What a row says of an option.
#[derive(Clone, Copy)]
enum Named<'a> {
    /// There is no such column.
    Nothing,
    Null,
    /// At most one byte more than is any good.
    Value(&'a [u8]),
}

/// What a row says of the four options, copied out of memory that may change.
struct Names {
    bytes: Vec<u8>,
}

/// In place of a length.
const NOTHING: u16 = u16::MAX;
const NULL: u16 = u16::MAX - 1;

impl Names {
    /// Those of a row.
    fn read(&mut self, columns: &[Option<Chunks<'_>>; 4], row: usize) {
        self.bytes.clear();
        for column in columns {
            let value = column.as_ref().map(|column| column.shared(row));
            let len = match value {
                None => NOTHING,
                Some(None) => NULL,
                Some(Some(value)) => value.len().min(LONGEST + 1) as u16,
            };
            self.bytes.extend_from_slice(&len.to_ne_bytes());
            if let Some(Some(value)) = value {
                let begin = self.bytes.len();
                self.bytes.resize(begin + usize::from(len), 0);
                value.copy_to(0, &mut self.bytes[begin..]);
            }
        }
    }

    /// What such bytes say.
    fn of(mut bytes: &[u8]) -> [Named<'_>; 4] {
        [(); 4].map(|()| {
            let Some((len, rest)) = bytes.split_first_chunk() else { return Named::Nothing };
            let len = u16::from_ne_bytes(*len);
            let (value, rest) = match len {
                NOTHING | NULL => (&[][..], rest),
                _ => rest.split_at_checked(usize::from(len)).unwrap_or((rest, &[])),
            };
            bytes = rest;
            match len {
                NOTHING => Named::Nothing,
                NULL => Named::Null,
                _ => Named::Value(value),
            }
        })
    }
}

/// The spec of each row, and the codes of rows that have none.
struct RowSpecs {
    /// Those of ECDSA rows.
    schemes: [Scheme; 2],
    /// What rows say, with the number of their spec or the code of rows that have none.
    known: HashMap<Vec<u8>, Result<u32, u8>>,
    index: Vec<u32>,
    /// Rows whose names mean nothing, with their codes.
    without: Vec<(usize, u8)>,
    /// How many specs there are, and the numbers of those of ECDSA.
    specs: u32,
    of_curves: [Option<u32>; 2],
}

impl RowSpecs {
    /// The specs of rows, of the columns that there are.
    fn read(
        py: Python<'_>,
        options: &Options<'_>,
        rows: usize,
        per_row: &[(&'static str, PerRow); 4],
    ) -> PyResult<Self> {
        let mut columns = [const { None }; 4];
        for (place, (name, column)) in columns.iter_mut().zip(per_row) {
            if let PerRow::Column(column) = column {
                *place = Some(column.table().map_err(|error| Problem::from(error).of(name))?);
            }
        }
        let mut made = RowSpecs {
            schemes: [options.scheme(Curve::P256)?, options.scheme(Curve::P384)?],
            known: HashMap::new(),
            index: memory::vec(rows).map_err(|error| error.of("key", rows, "rows"))?,
            without: Vec::new(),
            specs: 0,
            of_curves: [None; 2],
        };
        let mut names = Names { bytes: Vec::with_capacity(4 * (2 + LONGEST + 1)) };
        for row in 0..rows {
            if row % (1 << 20) == 0 {
                py.check_signals()?;
            }
            names.read(&columns, row);
            let number = match made.known.get(&names.bytes) {
                Some(number) => *number,
                None => made.add(options, &names.bytes)?,
            };
            made.index.push(number.unwrap_or(NULL_SPEC));
            if let Err(code) = number
                && code != NULL_CODE
            {
                memory::push(&mut made.without, (row, code))?;
            }
        }
        Ok(made)
    }

    /// Names that no row has said before.
    fn add(&mut self, options: &Options<'_>, names: &[u8]) -> Result<Result<u32, u8>, NoMemory> {
        let next = self.specs;
        let number = spec(options, &self.schemes, names).map(|spec| match spec {
            Spec::Ecdsa(scheme) => {
                *self.of_curves[usize::from(scheme.curve == Curve::P384)].get_or_insert(next)
            }
            _ => next,
        });
        self.specs += u32::from(number == Ok(next));
        let names = memory::collected(names.iter().copied())?;
        memory::insert(&mut self.known, names, number)?;
        Ok(number)
    }

    /// Each spec once.
    fn specs<'a>(&'a self, options: &Options<'a>) -> Result<Vec<Spec<'a>>, NoMemory> {
        let any = Spec::ed25519(options.rule, Variant::Pure);
        let mut specs = memory::filled(any, self.specs as usize)?;
        for (names, number) in &self.known {
            if let (Ok(spec), Ok(number)) = (spec(options, &self.schemes, names), number) {
                specs[*number as usize] = spec;
            }
        }
        Ok(specs)
    }
}

/// The spec of rows that say this, or their code if they have none.
fn spec<'a>(
    options: &Options<'a>,
    [p256, p384]: &[Scheme; 2],
    names: &'a [u8],
) -> Result<Spec<'a>, u8> {
    let names = Names::of(names);
    let bytes = |column: usize| match names[column] {
        Named::Nothing => Ok(None),
        Named::Value(value) => Ok(Some(value)),
        Named::Null => Err(NULL_CODE),
    };
    let text = |column: usize| match bytes(column)? {
        None => Ok(None),
        Some(value) => str::from_utf8(value).map(Some).map_err(|_| UNKNOWN_CODE),
    };
    let algorithm = match text(0)? {
        None => options.algorithm,
        Some(name) => Algorithm::from_name(name).ok_or(UNKNOWN_CODE)?,
    };
    // a null in a column is a null of the row, whatever the algorithm
    let (rule, variant, context) = (text(1)?, text(2)?, bytes(3)?);
    match algorithm {
        Algorithm::P256 => return Ok(Spec::Ecdsa(*p256)),
        Algorithm::P384 => return Ok(Spec::Ecdsa(*p384)),
        _ => {}
    }
    let rule = match rule {
        None => options.rule,
        Some(name) => Rule::from_name(name).ok_or(UNKNOWN_CODE)?,
    };
    let context = context.unwrap_or(options.context);
    let checked = ContextString::new(context).map_err(|_| CONTEXT_CODE);
    let variant = match variant.unwrap_or(options.variant) {
        "pure" if context.is_empty() => Variant::Pure,
        "pure" => return Err(CONTEXT_CODE),
        "ctx" => Variant::Ctx(checked?),
        "ph" => Variant::Ph(checked?),
        _ => return Err(UNKNOWN_CODE),
    };
    Ok(Spec::ed25519(rule, variant))
}

/// The rows of a part: Ctrl-C is to end it within a second, where a slow CPU verifies each row alone, too.
const fn most_rows(has_ecdsa: bool) -> usize {
    if has_ecdsa { 1024 } else { CHUNK_ROWS / 2 }
}

/// Chunks of fewer rows on average are read across their borders.
const FEWEST_ROWS_OF_A_CHUNK: usize = 1024;

/// Verifies every row; see `sigmill.verify_columns`.
#[pyfunction]
#[pyo3(signature = (key, msg, sig, *, rule = None, algorithm = None, variant = None, context = None, hash = None,
                    sig_format = None, low_s = false, key_form = None, threads = None, progress = None))]
#[allow(clippy::too_many_arguments)] // as Python has them
pub(crate) fn verify_columns<'py>(
    py: Python<'py>,
    key: &Bound<'py, PyAny>,
    msg: &Bound<'py, PyAny>,
    sig: &Bound<'py, PyAny>,
    rule: Option<&Bound<'py, PyAny>>,
    algorithm: Option<&Bound<'py, PyAny>>,
    variant: Option<&Bound<'py, PyAny>>,
    context: Option<&Bound<'py, PyAny>>,
    hash: Option<&str>,
    sig_format: Option<&str>,
    low_s: bool,
    key_form: Option<&str>,
    threads: Option<usize>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Verdicts> {
    let asked = Asked { rule, algorithm, variant, context, hash, sig_format, low_s, key_form };
    caught(|| verify(py, &Plan::new(threads, progress)?, [key, msg, sig], &asked, None))
}

/// Verifies every row, and makes a page about them; see `sigmill.report`.
#[pyfunction]
#[pyo3(signature = (key, msg, sig, title, *, rule = None, algorithm = None, variant = None, context = None, hash = None,
                    sig_format = None, low_s = false, key_form = None, threads = None, progress = None))]
#[allow(clippy::too_many_arguments)] // as Python has them
pub(crate) fn report_columns<'py>(
    py: Python<'py>,
    key: &Bound<'py, PyAny>,
    msg: &Bound<'py, PyAny>,
    sig: &Bound<'py, PyAny>,
    title: &str,
    rule: Option<&Bound<'py, PyAny>>,
    algorithm: Option<&Bound<'py, PyAny>>,
    variant: Option<&Bound<'py, PyAny>>,
    context: Option<&Bound<'py, PyAny>>,
    hash: Option<&str>,
    sig_format: Option<&str>,
    low_s: bool,
    key_form: Option<&str>,
    threads: Option<usize>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<(Verdicts, Bound<'py, PyString>)> {
    let asked = Asked { rule, algorithm, variant, context, hash, sig_format, low_s, key_form };
    caught(|| {
        let plan = Plan::new(threads, progress)?;
        let mut report = Report::new(Settings::new(title, Engine::new()));
        let verdicts = verify(py, &plan, [key, msg, sig], &asked, Some(&mut report))?;
        memory::probe::<u8>(REPORT_BYTES)?;
        let page = py.detach(|| report.html());
        Ok((verdicts, text(py, &page)?))
    })
}

/// What is asked of all rows, or by a column of each.
struct Asked<'a, 'py> {
    rule: Option<&'a Bound<'py, PyAny>>,
    algorithm: Option<&'a Bound<'py, PyAny>>,
    variant: Option<&'a Bound<'py, PyAny>>,
    context: Option<&'a Bound<'py, PyAny>>,
    hash: Option<&'a str>,
    sig_format: Option<&'a str>,
    low_s: bool,
    key_form: Option<&'a str>,
}

/// Reads the columns, and verifies their rows.
fn verify<'py>(
    py: Python<'py>,
    plan: &Plan<'py>,
    [key, msg, sig]: [&Bound<'py, PyAny>; 3],
    asked: &Asked<'_, 'py>,
    report: Option<&mut Report>,
) -> PyResult<Verdicts> {
    let Asked { rule, algorithm, variant, context, hash, sig_format, low_s, key_form } = *asked;
    let in_containers = self::key_form(key_form.unwrap_or("raw"))?;
    let import = |name: &str, object: &Bound<'py, PyAny>, kind| {
        Imported::of(object, kind).map_err(|problem| problem.of(name))
    };
    // PEM is text
    let key_kind = if in_containers { Kind::BytesOrText } else { Kind::Bytes };
    let mut columns = [
        ("key", import("key", key, key_kind)?),
        ("msg", import("msg", msg, Kind::BytesOrText)?),
        ("sig", import("sig", sig, Kind::Bytes)?),
    ];
    let rows = columns[0].1.rows();
    let per_row = [
        ("algorithm", per_row("algorithm", algorithm, Kind::Text)?),
        ("rule", per_row("rule", rule, Kind::Text)?),
        ("variant", per_row("variant", variant, Kind::Text)?),
        ("context", per_row("context", context, Kind::BytesOrText)?),
    ];
    let given = columns.iter().map(|(name, column)| (*name, column));
    let given = given.chain(per_row.iter().filter_map(|(name, column)| match column {
        PerRow::Column(column) => Some((*name, column)),
        PerRow::Same => None,
    }));
    for (name, column) in given.clone() {
        if column.rows() != rows {
            let found = column.rows();
            return Err(PyValueError::new_err(format!("{name}: {found} rows, but key has {rows}")));
        }
    }
    let [of_algorithm, of_rule, of_variant, of_context] = &per_row;
    let scalar = |column: &PerRow| matches!(column, PerRow::Same);
    let context = match context.filter(|_| scalar(&of_context.1)) {
        None => None,
        Some(context) => Some(context.extract::<ByteArg<'_>>()?),
    };
    let text = |name: &str, argument: Option<&Bound<'py, PyAny>>, column: &PerRow| match argument {
        Some(argument) if scalar(column) => match argument.cast::<PyString>() {
            Ok(text) => Ok(Some(text.clone())),
            Err(_) => Err(pyo3::exceptions::PyTypeError::new_err(format!(
                "{name}: a str or a column of text is needed, not {}",
                argument.get_type().name()?
            ))),
        },
        _ => Ok(None),
    };
    let variant_name = text("variant", variant, &of_variant.1)?;
    let algorithm_name = text("algorithm", algorithm, &of_algorithm.1)?;
    let same_rule = match rule.filter(|_| scalar(&of_rule.1)) {
        None => None,
        Some(rule) => Some(rule.extract::<RuleArg>()?.0),
    };
    let options = Options {
        algorithm: match &algorithm_name {
            None => Algorithm::Ed25519,
            Some(name) => self::algorithm(name.to_str()?)?,
        },
        rule: same_rule.unwrap_or(&rules::COMMON),
        variant: match &variant_name {
            None => "pure",
            Some(name) => name.to_str()?,
        },
        context: context.as_ref().map_or(&[], ByteArg::as_bytes),
        hash,
        sig_format: sig_format.unwrap_or("raw"),
        low_s,
    };
    // what no row can have is checked even where there are no rows
    let only_context = scalar(&of_variant.1) && scalar(&of_context.1);
    let same_variant = match only_context {
        true => Some(self::variant(options.variant, options.context)?),
        false => self::variant(options.variant, &[]).map(|_| None)?,
    };
    if scalar(&of_algorithm.1) {
        refuse_foreign(
            &options,
            [rule.is_some(), variant.is_some(), context.is_some() || !scalar(&of_context.1)],
            [hash.is_some(), sig_format.is_some(), low_s],
        )?;
    }
    let all_scalar = per_row.iter().all(|(_, column)| scalar(column));
    let specs = match all_scalar {
        true => None,
        false => Some(RowSpecs::read(py, &options, rows, &per_row)?),
    };
    let no_memory = |error: NoMemory| error.of("key", rows, "rows");
    let mut codes = memory::filled(NULL_CODE, rows).map_err(no_memory)?;
    let distinct = specs.as_ref().map(|specs| specs.specs(&options)).transpose()?;
    let of_rows = match (&specs, &distinct, same_variant) {
        (Some(specs), Some(distinct), _) => Specs::PerRow { distinct, index: &specs.index },
        (_, _, variant) => Specs::Same(match options.algorithm {
            Algorithm::P256 => Spec::Ecdsa(options.scheme(Curve::P256)?),
            Algorithm::P384 => Spec::Ecdsa(options.scheme(Curve::P384)?),
            _ => Spec::ed25519(options.rule, variant.unwrap_or(Variant::Pure)),
        }),
    };
    let without = specs.as_ref().map_or(&[][..], |specs| &specs.without);
    let mut unreadable = Vec::new();
    if in_containers {
        let decoded = containers::decoded(py, &columns[0].1, of_rows)?;
        columns[0].1 = decoded.keys;
        unreadable = decoded.unreadable;
    } else if let Some(found) = containers::seen(&columns[0].1)? {
        return Err(PyValueError::new_err(format!(
            "key: the column holds {found}, not keys by themselves; key_form=\"spki\" reads it"
        )));
    }
    let job = Job { plan, specs: of_rows, without, unreadable: &unreadable };
    verify_rows(py, &job, &columns, &mut codes, report)?;
    let mut counts = [0; 256];
    for code in &codes {
        counts[usize::from(*code)] += 1;
    }
    Ok(Verdicts { codes: Arc::new(codes), counts })
}

/// Refuses options that say nothing of any row.
fn refuse_foreign(options: &Options<'_>, ed25519: [bool; 3], ecdsa: [bool; 3]) -> PyResult<()> {
    let names = match options.algorithm {
        Algorithm::Ed25519 => ["hash", "sig_format", "low_s"].into_iter().zip(ecdsa),
        _ => ["rule", "variant", "context"].into_iter().zip(ed25519),
    };
    match names.into_iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((name, _)) => Err(PyValueError::new_err(format!(
            "{name}: it says nothing of rows of the algorithm {}",
            options.algorithm.name()
        ))),
    }
}

/// What is to be done with the rows.
struct Job<'a, 'py> {
    plan: &'a Plan<'py>,
    specs: Specs<'a>,
    /// Rows whose names mean nothing, with their codes.
    without: &'a [(usize, u8)],
    /// Rows whose key cannot be read, and is null.
    unreadable: &'a [usize],
}

/// Writes the code of each row.
fn verify_rows(
    py: Python<'_>,
    job: &Job<'_, '_>,
    columns: &[(&'static str, Imported); 3],
    codes: &mut [u8],
    report: Option<&mut Report>,
) -> PyResult<()> {
    let (rows, specs) = (codes.len(), job.specs);
    let table = |i: usize| {
        let (name, column) = &columns[i];
        column.table().map_err(|error| Problem::from(error).of(name))
    };
    let columns = [table(0)?, table(1)?, table(2)?];
    let [keys, ..] = &columns;
    let together = columns.iter().all(|column| column.ends == keys.ends);
    let few = keys.chunks.len().saturating_mul(FEWEST_ROWS_OF_A_CHUNK) <= rows;
    let mut chunks = Vec::new();
    if together && (keys.chunks.len() <= 1 || few) {
        chunks = memory::vec(keys.chunks.len())?;
        let mut first = 0;
        for (chunk, end) in keys.ends.iter().enumerate() {
            let specs = match specs {
                Specs::Same(spec) => Specs::Same(spec),
                Specs::PerRow { distinct, index } => {
                    Specs::PerRow { distinct, index: &index[first..*end] }
                }
            };
            chunks.push((columns.each_ref().map(|column| column.chunks[chunk].column()), specs));
            first = *end;
        }
    } else {
        chunks.push((columns.each_ref().map(|column| Column::rows(column)), specs));
    }
    let mut tables = memory::vec(chunks.len())?;
    for ([keys, messages, signatures], specs) in &chunks {
        tables.push(Table::new(*keys, *messages, *signatures, *specs).map_err(Failure::from)?);
    }
    let has_ecdsa = match specs {
        Specs::Same(spec) => spec.algorithm() != Algorithm::Ed25519,
        Specs::PerRow { distinct, .. } => {
            distinct.iter().any(|spec| spec.algorithm() != Algorithm::Ed25519)
        }
    };
    let part_rows = job.plan.part_rows(rows, most_rows(has_ecdsa));
    let engine = Engine::new();
    let count = tables.iter().map(|table| table.len().div_ceil(part_rows)).sum();
    let mut rest = &mut *codes;
    let parts = tables.iter().flat_map(|table| {
        let (of_table, others) = mem::take(&mut rest).split_at_mut(table.len());
        rest = others;
        let parts = of_table.chunks_mut(part_rows).enumerate();
        parts.map(move |(i, codes)| (codes.len(), (table, i * part_rows, codes)))
    });
    let scratch = || {
        let len = engine.scratch_len_for(part_rows.min(rows), &specs);
        Ok(memory::filled(Scratch::new(), len)?)
    };
    let (begin, strategies) = (Instant::now(), Mutex::new(bulk::Report::default()));
    job.plan.run(py, rows, count, parts, scratch, |scratch, (table, first, codes)| {
        let of_part = engine.verify_codes_of(table, first, codes, scratch)?;
        if let Ok(mut strategies) = strategies.lock() {
            strategies.add(&of_part);
        }
        Ok(())
    })?;
    for row in job.unreadable {
        if columns[1..].iter().all(|column| column.shared(*row).is_some()) {
            codes[*row] = UNREADABLE_CODE;
        }
    }
    for (row, code) in job.without {
        // a null anywhere is what is said of a row
        if columns.iter().all(|column| column.shared(*row).is_some()) {
            codes[*row] = *code;
        }
    }
    let Some(report) = report else { return Ok(()) };
    let threads = job.plan.threads();
    py.detach(|| add_to(report, threads, &chunks, codes))?;
    report.finish(begin.elapsed(), &strategies.into_inner().unwrap_or_default());
    Ok(())
}

/// More than a report takes for the rows that it tries under other rules, and for its page.
const REPORT_BYTES: usize = 32 << 20;

/// Adds all rows to a report, on as many threads as there are to be had.
fn add_to(
    report: &mut Report,
    threads: usize,
    chunks: &[([Column<'_>; 3], Specs<'_>)],
    codes: &[u8],
) -> Result<(), Failure> {
    let mut add = || {
        let mut first = 0;
        for ([keys, messages, signatures], specs) in chunks {
            let end = first + keys.len();
            // and the numbers of rows
            memory::probe::<u8>(REPORT_BYTES.saturating_add(keys.len().saturating_mul(16)))?;
            let rows = Reported {
                keys: *keys,
                messages: *messages,
                signatures: *signatures,
                specs: *specs,
                codes: &codes[first..end],
            };
            report.add(first as u64, &rows)?;
            first = end;
        }
        Ok(())
    };
    let pool = || rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok();
    match (threads > 1).then(pool).flatten() {
        Some(pool) => pool.install(add),
        None => add(),
    }
}
