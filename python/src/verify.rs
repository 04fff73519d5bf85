//! `verify_columns`: a verdict and a reason a row.

use crate::arrow::{Buffer, Export, Imported, Kind, stream};
use crate::bytes::{ByteArg, RuleArg, algorithm, low_s, prehash, sig_format, variant};
use crate::ed25519::PyVerdict;
use crate::errors::{Problem, bulk_error};
use crate::run::{Chunked, Plan, with_chunks};
use pyo3::exceptions::{PyIndexError, PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyString, PyTuple};
use sigmill::bulk::{
    self, Algorithm, BulkError, CHUNK_ROWS, Column, Engine, NULL_CODE, NULL_SPEC, Scratch, Spec,
    SpecError, SpecSet, Specs, Table,
};
use sigmill::ecdsa::{Curve, Scheme};
use sigmill::ed25519::rules;
use sigmill::{Reason, Verdict};
use sigmill_report::{CONTEXT_CODE, Report, Rows as Reported, Settings, UNKNOWN_CODE};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// The name of what a code stands for; `None`: it is valid.
fn reason(code: u8) -> Option<&'static str> {
    match code {
        0 => None,
        NULL_CODE => Some("null"),
        UNKNOWN_CODE => Some("unknown"),
        CONTEXT_CODE => Some("context"),
        code => Reason::ALL.iter().find(|reason| reason.code() == code).map(|reason| reason.name()),
    }
}

/// Whether a row has a verdict.
const fn is_judged(code: u8) -> bool {
    !matches!(code, NULL_CODE | UNKNOWN_CODE | CONTEXT_CODE)
}

/// One verdict and one reason a row.
#[pyclass(frozen, name = "Verdicts", module = "sigmill")]
pub(crate) struct Verdicts {
    codes: Arc<[u8]>,
    counts: [usize; 256],
}

/// A column of ours, for anything that reads Arrow.
#[pyclass(frozen, name = "ArrowColumn", module = "sigmill")]
pub(crate) struct ArrowColumn(Values);

/// What is in it.
pub(crate) enum Values {
    /// Of verdicts.
    Verdict(Arc<[u8]>),
    Reason(Arc<[u8]>),
    /// So many bytes a row, one row after the other.
    Fixed(Arc<[u8]>, usize),
}

/// Rows of an array of a stream.
const BATCH_ROWS: usize = 1 << 23;

fn bits(codes: &[u8], is_set: impl Fn(u8) -> bool) -> Vec<u8> {
    let byte = |codes: &[u8]| {
        codes.iter().enumerate().fold(0, |byte, (i, code)| byte | u8::from(is_set(*code)) << i)
    };
    codes.chunks(8).map(byte).collect()
}

fn verdict_column(codes: &[u8]) -> Export {
    let nulls = codes.iter().filter(|code| !is_judged(**code)).count();
    let validity = match nulls {
        0 => Buffer::None,
        _ => Buffer::Bytes(bits(codes, is_judged)),
    };
    Export {
        format: c"b",
        name: c"verdict",
        nullable: true,
        rows: codes.len(),
        nulls,
        buffers: vec![validity, Buffer::Bytes(bits(codes, |code| code == 0))],
        children: Vec::new(),
    }
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
    let (mut offsets, mut text) = (Vec::with_capacity(codes.len() + 1), Vec::with_capacity(size));
    offsets.push(0);
    for code in codes {
        text.extend_from_slice(names[usize::from(*code)].as_bytes());
        offsets.push(text.len() as i32);
    }
    Ok(Export {
        format: c"u",
        name: c"reason",
        nullable: true,
        rows: codes.len(),
        nulls,
        buffers: vec![
            Buffer::Bytes(bits(codes, |code| code != 0)),
            Buffer::Offsets(offsets),
            Buffer::Bytes(text),
        ],
        children: Vec::new(),
    })
}

fn table(codes: &[u8]) -> PyResult<Export> {
    Ok(Export {
        format: c"+s",
        name: c"",
        nullable: false,
        rows: codes.len(),
        nulls: 0,
        buffers: vec![Buffer::None],
        children: vec![verdict_column(codes), reason_column(codes)?],
    })
}

impl ArrowColumn {
    pub(crate) fn fixed(bytes: Arc<[u8]>, width: usize) -> Self {
        ArrowColumn(Values::Fixed(bytes, width))
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
        let export = match &self.0 {
            Values::Verdict(codes) => verdict_column(codes),
            Values::Reason(codes) => reason_column(codes)?,
            Values::Fixed(bytes, width) => Export {
                format: match width {
                    32 => c"w:32",
                    64 => c"w:64",
                    65 => c"w:65",
                    96 => c"w:96",
                    97 => c"w:97",
                    _ => c"w:48",
                },
                name: c"",
                nullable: false,
                rows: bytes.len() / width,
                nulls: 0,
                buffers: vec![Buffer::None, Buffer::Bytes(bytes.to_vec())],
                children: Vec::new(),
            },
        };
        export.capsules(py)
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
        [NULL_CODE, UNKNOWN_CODE, CONTEXT_CODE]
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
        let reasons = PyDict::new(py);
        for (code, count) in (0..=u8::MAX).zip(self.counts) {
            if let (Some(name), true) = (reason(code), count > 0) {
                reasons.set_item(name, count)?;
            }
        }
        Ok(reasons)
    }

    /// The first rows that are not valid, at most `limit` of them.
    #[pyo3(signature = (limit = None))]
    fn bad(&self, limit: Option<usize>) -> Vec<usize> {
        let rows = self.codes.iter().enumerate().filter(|(_, code)| **code != 0);
        rows.map(|(row, _)| row).take(limit.unwrap_or(usize::MAX)).collect()
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
        table(&self.codes)?.capsules(py)
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
            let part = (first < end).then(|| table(&codes[first..end]));
            first = end;
            part?.ok()
        };
        stream(py, table(&[])?, Box::new(next))
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
    Ok(object.hasattr("__arrow_c_array__")? || object.hasattr("__arrow_c_stream__")?)
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
    rule: &'static rules::Rule,
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

/// The spec of each row, and the codes of rows that have none.
struct RowSpecs {
    set: SpecSet,
    index: Vec<u32>,
    /// Rows whose names mean nothing, with their codes.
    without: Vec<(usize, u8)>,
}

/// What a row says of an option.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Named<'a> {
    /// There is no such column.
    Nothing,
    Null,
    Value(&'a [u8]),
}

/// The specs of rows; `value` is what a row says in one of the columns algorithm, rule, variant and context.
fn row_specs<'a>(
    options: &Options<'_>,
    rows: usize,
    value: impl Fn(usize, usize) -> Named<'a>,
) -> PyResult<RowSpecs> {
    let mut made =
        RowSpecs { set: SpecSet::new(), index: Vec::with_capacity(rows), without: Vec::new() };
    let schemes = [Curve::P256, Curve::P384].map(|curve| options.scheme(curve));
    let [p256, p384] = schemes;
    let (p256, p384) = (p256?, p384?);
    let mut known: HashMap<[Named<'_>; 4], Result<u32, u8>> = HashMap::new();
    for row in 0..rows {
        let named = [0, 1, 2, 3].map(|column| value(column, row));
        let new = || spec(&mut made.set, options, &named, &p256, &p384);
        let number = *known.entry(named).or_insert_with(new);
        made.index.push(number.unwrap_or(NULL_SPEC));
        if let Err(code) = number {
            made.without.push((row, code));
        }
    }
    Ok(made)
}

/// The number of a spec, or the code of rows that have none.
fn spec(
    set: &mut SpecSet,
    options: &Options<'_>,
    named: &[Named<'_>; 4],
    p256: &Scheme,
    p384: &Scheme,
) -> Result<u32, u8> {
    let bytes = |column: usize| match named[column] {
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
        Algorithm::P256 => Ok(set.intern_ecdsa(p256)),
        Algorithm::P384 => Ok(set.intern_ecdsa(p384)),
        _ => {
            let rule = rule.unwrap_or(options.rule.name());
            let variant = variant.unwrap_or(options.variant);
            let context = context.unwrap_or(options.context);
            set.intern("ed25519", rule, variant, context).map_err(|error| match error {
                SpecError::ContextOfPure | SpecError::Context(_) => CONTEXT_CODE,
                _ => UNKNOWN_CODE,
            })
        }
    }
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
                    sig_format = None, low_s = false, threads = None, progress = None))]
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
    threads: Option<usize>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Verdicts> {
    let plan = Plan::new(threads, progress)?;
    let asked = Asked { rule, algorithm, variant, context, hash, sig_format, low_s };
    verify(py, &plan, [key, msg, sig], &asked, None)
}

/// Verifies every row, and makes a page about them; see `sigmill.report`.
#[pyfunction]
#[pyo3(signature = (key, msg, sig, title, *, rule = None, algorithm = None, variant = None, context = None, hash = None,
                    sig_format = None, low_s = false, threads = None, progress = None))]
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
    threads: Option<usize>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<(Verdicts, String)> {
    let plan = Plan::new(threads, progress)?;
    let asked = Asked { rule, algorithm, variant, context, hash, sig_format, low_s };
    let mut report = Report::new(Settings::new(title, Engine::new()));
    let verdicts = verify(py, &plan, [key, msg, sig], &asked, Some(&mut report))?;
    Ok((verdicts, py.detach(|| report.html())))
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
}

/// Reads the columns, and verifies their rows.
fn verify<'py>(
    py: Python<'py>,
    plan: &Plan<'py>,
    [key, msg, sig]: [&Bound<'py, PyAny>; 3],
    asked: &Asked<'_, 'py>,
    report: Option<&mut Report>,
) -> PyResult<Verdicts> {
    let Asked { rule, algorithm, variant, context, hash, sig_format, low_s } = *asked;
    let import = |name: &str, object: &Bound<'py, PyAny>, kind| {
        Imported::of(object, kind).map_err(|problem| problem.of(name))
    };
    let columns = [
        ("key", import("key", key, Kind::Bytes)?),
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
        false => Some(read_specs(&options, rows, &per_row)?),
    };
    let mut codes = vec![NULL_CODE; rows];
    let distinct = specs.as_ref().map(|specs| specs.set.specs());
    let of_rows = match (&specs, &distinct, same_variant) {
        (Some(specs), Some(distinct), _) => Specs::PerRow { distinct, index: &specs.index },
        (_, _, variant) => Specs::Same(match options.algorithm {
            Algorithm::P256 => Spec::Ecdsa(options.scheme(Curve::P256)?),
            Algorithm::P384 => Spec::Ecdsa(options.scheme(Curve::P384)?),
            _ => Spec::ed25519(options.rule, variant.unwrap_or(sigmill::ed25519::Variant::Pure)),
        }),
    };
    let without = specs.as_ref().map_or(&[][..], |specs| &specs.without);
    let job = Job { plan, specs: of_rows, without };
    verify_rows(py, &job, &columns, &mut codes, report)?;
    let mut counts = [0; 256];
    for code in &codes {
        counts[usize::from(*code)] += 1;
    }
    Ok(Verdicts { codes: codes.into(), counts })
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

/// The spec of each row, of the columns that there are.
fn read_specs(
    options: &Options<'_>,
    rows: usize,
    per_row: &[(&'static str, PerRow); 4],
) -> PyResult<RowSpecs> {
    let mut held = Vec::new();
    for (name, column) in per_row {
        held.push(match column {
            PerRow::Same => None,
            PerRow::Column(column) => {
                let chunks = column.held().map_err(|error| Problem::from(error).of(name))?;
                Some((*name, column, chunks))
            }
        });
    }
    let values: Vec<Option<Vec<Column<'_>>>> = held
        .iter()
        .map(|held| held.as_ref().map(|(.., held)| held.iter().map(|held| held.values()).collect()))
        .collect();
    let mut columns = Vec::new();
    for (held, values) in held.iter().zip(&values) {
        columns.push(match (held, values) {
            (Some((name, imported, held)), Some(values)) => {
                let mut columns = Vec::new();
                for ((held, values), first) in held.iter().zip(values).zip(imported.starts()) {
                    let column = held.column(values).map_err(|error| error.after(*first));
                    columns.push(column.map_err(|error| Problem::from(error).of(name))?);
                }
                Some((columns, imported.starts()))
            }
            _ => None,
        });
    }
    row_specs(options, rows, |column, row| {
        let Some(Some((columns, starts))) = columns.get(column) else { return Named::Nothing };
        let chunk = starts.partition_point(|start| *start <= row).saturating_sub(1);
        let value = columns.get(chunk).and_then(|column| column.get(row - starts[chunk]));
        value.map_or(Named::Null, Named::Value)
    })
}

/// What is to be done with the rows.
struct Job<'a, 'py> {
    plan: &'a Plan<'py>,
    specs: Specs<'a>,
    /// Rows whose names mean nothing, with their codes.
    without: &'a [(usize, u8)],
}

/// Writes the code of each row.
fn verify_rows(
    py: Python<'_>,
    job: &Job<'_, '_>,
    [keys, messages, signatures]: &[(&'static str, Imported); 3],
    codes: &mut [u8],
    report: Option<&mut Report>,
) -> PyResult<()> {
    let problem = |name: &'static str| move |error| Problem::from(error).of(name);
    let starts = [&keys.1, &messages.1, &signatures.1].map(Imported::starts);
    let all = |keys: &[Column<'_>], messages: &[Column<'_>], signatures: &[Column<'_>]| {
        verify_chunks(py, job, [keys, messages, signatures], starts, codes, report)
    };
    let with_messages = |of_keys: &[Column<'_>]| {
        let with_signatures = |of_messages: &[Column<'_>]| {
            let all = |of_signatures: &[Column<'_>]| all(of_keys, of_messages, of_signatures);
            with_chunks(&signatures.1, all, problem(signatures.0))
        };
        with_chunks(&messages.1, with_signatures, problem(messages.0))
    };
    with_chunks(&keys.1, with_messages, problem(keys.0))
}

fn verify_chunks(
    py: Python<'_>,
    job: &Job<'_, '_>,
    columns: [&[Column<'_>]; 3],
    starts: [&[usize]; 3],
    codes: &mut [u8],
    report: Option<&mut Report>,
) -> PyResult<()> {
    let (rows, specs) = (codes.len(), job.specs);
    let all = |i: usize| Chunked { columns: columns[i], starts: starts[i], first: 0, rows };
    let (keys, messages, signatures) = (all(0), all(1), all(2));
    let together = starts[0] == starts[1] && starts[1] == starts[2];
    let few = columns[0].len().saturating_mul(FEWEST_ROWS_OF_A_CHUNK) <= rows;
    let mut chunks = Vec::new();
    if together && (columns[0].len() <= 1 || few) {
        for (chunk, first) in starts[0].iter().take(columns[0].len()).enumerate() {
            let columns = columns.map(|columns| columns[chunk]);
            let specs = match specs {
                Specs::Same(spec) => Specs::Same(spec),
                Specs::PerRow { distinct, index } => {
                    Specs::PerRow { distinct, index: &index[*first..first + columns[0].len()] }
                }
            };
            chunks.push((columns, specs));
        }
    } else {
        let columns = [&keys, &messages, &signatures].map(|rows| Column::rows(rows));
        chunks.push((columns, specs));
    }
    let tables = chunks.iter().map(|([keys, messages, signatures], specs)| {
        Table::new(*keys, *messages, *signatures, *specs)
    });
    let tables = tables.collect::<Result<Vec<_>, _>>().map_err(|error| bulk_error(&error))?;
    let has_ecdsa = match specs {
        Specs::Same(spec) => spec.algorithm() != Algorithm::Ed25519,
        Specs::PerRow { distinct, .. } => {
            distinct.iter().any(|spec| spec.algorithm() != Algorithm::Ed25519)
        }
    };
    let part_rows = job.plan.part_rows(rows, most_rows(has_ecdsa));
    let engine = Engine::new();
    let mut parts = Vec::new();
    let mut rest = &mut *codes;
    for table in &tables {
        let (of_table, others) = rest.split_at_mut(table.len());
        rest = others;
        for (i, codes) in of_table.chunks_mut(part_rows).enumerate() {
            parts.push((codes.len(), (table, i * part_rows, codes)));
        }
    }
    let scratch = || vec![Scratch::new(); engine.scratch_len_for(part_rows.min(rows), &specs)];
    let (begin, strategies) = (Instant::now(), Mutex::new(bulk::Report::default()));
    job.plan.run(py, rows, parts, scratch, |scratch, (table, first, codes)| {
        let of_part = engine.verify_codes_of(table, first, codes, scratch)?;
        if let Ok(mut strategies) = strategies.lock() {
            strategies.add(&of_part);
        }
        Ok(())
    })?;
    for (row, code) in job.without {
        codes[*row] = *code;
    }
    let Some(report) = report else { return Ok(()) };
    let codes = &*codes;
    let reported = py.detach(|| {
        let mut first = 0;
        for ([keys, messages, signatures], specs) in chunks {
            let end = first + keys.len();
            let codes = &codes[first..end];
            report.add(first as u64, &Reported { keys, messages, signatures, specs, codes })?;
            first = end;
        }
        report.finish(begin.elapsed(), &strategies.into_inner().unwrap_or_default());
        Ok(())
    });
    reported.map_err(|error: BulkError| bulk_error(&error))
}
