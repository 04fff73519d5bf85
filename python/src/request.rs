//! Requests of calls on columns: keys, messages and signatures, and the spec of each row.

use crate::arrow::{Chunks, Imported, Kind, Problem};
use crate::bytes::{
    ByteArg, RuleArg, algorithm, key_form, low_s, of, prehash, sig_format, variant,
};
use crate::memory::{self, NoMemory};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyMemoryView, PyString};
use sigmill::bulk::{Algorithm, NULL_CODE, NULL_SPEC, Spec, SpecError, SpecSet, Specs};
use sigmill::ecdsa::{Curve, Scheme};
use sigmill::ed25519::{Rule, rules};
use sigmill_report::{CONTEXT_CODE, UNKNOWN_CODE};
use std::collections::HashMap;

/// The arguments beside the rows: one value for all of them, or a column with one for each.
pub(crate) struct Asked<'a, 'py> {
    pub(crate) rule: Option<&'a Bound<'py, PyAny>>,
    pub(crate) algorithm: Option<&'a Bound<'py, PyAny>>,
    pub(crate) variant: Option<&'a Bound<'py, PyAny>>,
    pub(crate) context: Option<&'a Bound<'py, PyAny>>,
    pub(crate) hash: Option<&'a str>,
    pub(crate) sig_format: Option<&'a str>,
    pub(crate) low_s: bool,
    pub(crate) key_form: Option<&'a str>,
}

/// Rows to be verified.
pub(crate) struct Request {
    /// Keys, messages and signatures, of as many rows each.
    pub(crate) columns: [(&'static str, Imported); 3],
    pub(crate) specs: RowSpecs,
    /// Whether keys are in containers.
    pub(crate) in_containers: bool,
}

impl Request {
    /// Takes the columns, and looks at all that is asked of them.
    pub(crate) fn read<'py>(
        py: Python<'py>,
        [key, msg, sig]: [&Bound<'py, PyAny>; 3],
        asked: &Asked<'_, 'py>,
    ) -> PyResult<Self> {
        let Asked { rule, algorithm, variant, context, hash, sig_format, low_s, .. } = *asked;
        let in_containers = key_form(asked.key_form.unwrap_or("raw"))?;
        let import = |name: &str, object: &Bound<'py, PyAny>, kind| {
            Imported::of(object, kind).map_err(|problem| problem.of(name))
        };
        // PEM is text
        let key_kind = if in_containers { Kind::BytesOrText } else { Kind::Bytes };
        let columns = [
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
        for (name, column) in given {
            if column.rows() != rows {
                let found = column.rows();
                return Err(PyValueError::new_err(format!(
                    "{name}: {found} rows, but key has {rows}"
                )));
            }
        }
        let [of_algorithm, of_rule, of_variant, of_context] = &per_row;
        let scalar = |column: &PerRow| matches!(column, PerRow::Same);
        let same_context = match context.filter(|_| scalar(&of_context.1)) {
            None => None,
            Some(context) => Some(context.extract::<ByteArg<'_>>()?),
        };
        let variant_name = name_for_all("variant", variant, &of_variant.1)?;
        let algorithm_name = name_for_all("algorithm", algorithm, &of_algorithm.1)?;
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
            context: of(&same_context),
            hash,
            sig_format: sig_format.unwrap_or("raw"),
            low_s,
        };
        // what no row can have is checked even where there are no rows
        let only_context = scalar(&of_variant.1) && scalar(&of_context.1);
        self::variant(options.variant, if only_context { options.context } else { &[] })?;
        if scalar(&of_algorithm.1) {
            let has_context = same_context.is_some() || !scalar(&of_context.1);
            options.refuse_foreign(
                [rule.is_some(), variant.is_some(), has_context],
                [hash.is_some(), sig_format.is_some(), low_s],
            )?;
        }
        let specs = match per_row.iter().all(|(_, column)| scalar(column)) {
            true => RowSpecs::same(&options)?,
            false => RowSpecs::read(py, &options, rows, &per_row)?,
        };
        Ok(Request { columns, specs, in_containers })
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

/// The text of an argument that is one value for all rows.
fn name_for_all<'py>(
    name: &str,
    argument: Option<&Bound<'py, PyAny>>,
    column: &PerRow,
) -> PyResult<Option<Bound<'py, PyString>>> {
    match (argument, column) {
        (Some(argument), PerRow::Same) => match argument.cast::<PyString>() {
            Ok(text) => Ok(Some(text.clone())),
            Err(_) => Err(PyTypeError::new_err(format!(
                "{name}: a str or a column of text is needed, not {}",
                argument.get_type().name()?
            ))),
        },
        _ => Ok(None),
    }
}

/// The scheme of rows for which no column says it.
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

    /// Refuses options that say nothing of any row.
    fn refuse_foreign(&self, ed25519: [bool; 3], ecdsa: [bool; 3]) -> PyResult<()> {
        let names = match self.algorithm {
            Algorithm::Ed25519 => ["hash", "sig_format", "low_s"].into_iter().zip(ecdsa),
            _ => ["rule", "variant", "context"].into_iter().zip(ed25519),
        };
        match names.into_iter().find(|(_, given)| *given) {
            None => Ok(()),
            Some((name, _)) => Err(PyValueError::new_err(format!(
                "{name}: it says nothing of rows of the algorithm {}",
                self.algorithm.name()
            ))),
        }
    }
}

/// No name and no context is longer.
const LONGEST: usize = 255;

/// The value of an option in a row.
#[derive(Clone, Copy)]
enum Named<'a> {
    /// There is no such column.
    Nothing,
    Null,
    /// At most one byte more than is any good.
    Value(&'a [u8]),
}

/// The four options of a row, copied out of memory that may change.
struct Names {
    bytes: Vec<u8>,
}

/// In place of a length.
const NOTHING: u16 = u16::MAX;
const NULL: u16 = u16::MAX - 1;

impl Names {
    fn new() -> Self {
        Names { bytes: Vec::with_capacity(4 * (2 + LONGEST + 1)) }
    }

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

    /// The names that the bytes state.
    fn of_row(&self) -> [Named<'_>; 4] {
        let mut bytes = &self.bytes[..];
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

/// The specs that occur, which of them each row has, and the codes of rows that have none.
pub(crate) struct RowSpecs {
    set: SpecSet,
    /// There are no more.
    most: usize,
    /// `None`: all rows have the only one.
    index: Option<Vec<u32>>,
    /// Rows whose names mean nothing, with their codes.
    pub(crate) without: Vec<(usize, u8)>,
}

/// More than a spec takes in a set, beside its context.
const SPEC_BYTES: usize = 512;

/// Specs that are being collected.
struct Collector<'a> {
    options: &'a Options<'a>,
    /// Those of ECDSA rows.
    schemes: [Scheme; 2],
    set: SpecSet,
    /// Names that rows have said, with the number of their spec or the code of rows that have none.
    known: HashMap<Vec<u8>, Result<u32, u8>>,
    /// Bytes that the set takes at most, and for how many there was memory.
    taken: usize,
    room: usize,
}

impl RowSpecs {
    /// The same for all rows: what the options say, which have been looked at.
    fn same(options: &Options<'_>) -> PyResult<Self> {
        let mut set = SpecSet::new();
        match options.algorithm.curve() {
            Some(curve) => set.intern_ecdsa(&options.scheme(curve)?),
            None => {
                let (rule, variant) = (options.rule.name(), options.variant);
                set.intern(options.algorithm.name(), rule, variant, options.context)
                    .map_err(|error| PyValueError::new_err(error.to_string()))?
            }
        };
        Ok(RowSpecs { set, most: 1, index: None, without: Vec::new() })
    }

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
        let mut specs = Collector {
            options,
            schemes: [options.scheme(Curve::P256)?, options.scheme(Curve::P384)?],
            set: SpecSet::new(),
            known: HashMap::new(),
            taken: 0,
            room: 0,
        };
        let mut index = memory::vec(rows).map_err(|error| error.of("key", rows, "rows"))?;
        let (mut names, mut without) = (Names::new(), Vec::new());
        for row in 0..rows {
            if row % (1 << 20) == 0 {
                py.check_signals()?;
            }
            names.read(&columns, row);
            let number = specs.number(&names)?;
            index.push(number.unwrap_or(NULL_SPEC));
            if let Err(code) = number
                && code != NULL_CODE
            {
                memory::push(&mut without, (row, code))?;
            }
        }
        let (set, most) = (specs.set, specs.known.len());
        Ok(RowSpecs { set, most, index: Some(index), without })
    }

    /// Each spec once.
    pub(crate) fn distinct(&self) -> Result<Vec<Spec<'_>>, NoMemory> {
        memory::probe::<Spec<'_>>(self.most)?;
        Ok(self.set.specs())
    }

    /// Those of rows, of the distinct ones.
    pub(crate) fn of_rows<'a>(&'a self, distinct: &'a [Spec<'a>]) -> Specs<'a> {
        Specs::of_rows(distinct, self.index.as_deref())
    }
}

impl Collector<'_> {
    /// The number of the spec of rows that say this, or their code if they have none.
    fn number(&mut self, names: &Names) -> Result<Result<u32, u8>, NoMemory> {
        if let Some(number) = self.known.get(&names.bytes) {
            return Ok(*number);
        }
        self.taken += SPEC_BYTES + 2 * names.bytes.len();
        if self.taken > self.room {
            // a set takes its memory without asking
            memory::probe::<u8>(self.taken + (1 << 20))?;
            self.room = 2 * self.taken + (1 << 20);
        }
        let number = self.intern(names.of_row());
        let names = memory::collected(names.bytes.iter().copied())?;
        memory::insert(&mut self.known, names, number)?;
        Ok(number)
    }

    fn intern(&mut self, names: [Named<'_>; 4]) -> Result<u32, u8> {
        let bytes = |column: usize| match names[column] {
            Named::Nothing => Ok(None),
            Named::Value(value) => Ok(Some(value)),
            Named::Null => Err(NULL_CODE),
        };
        let text = |column: usize| match bytes(column)? {
            None => Ok(None),
            Some(value) => str::from_utf8(value).map(Some).map_err(|_| UNKNOWN_CODE),
        };
        let options = self.options;
        let algorithm = match text(0)? {
            None => options.algorithm,
            Some(name) => Algorithm::from_name(name).ok_or(UNKNOWN_CODE)?,
        };
        // a null in a column is a null of the row, whatever the algorithm
        let (rule, variant, context) = (text(1)?, text(2)?, bytes(3)?);
        if let Some(curve) = algorithm.curve() {
            return Ok(self.set.intern_ecdsa(&self.schemes[usize::from(curve == Curve::P384)]));
        }
        let (rule, variant) =
            (rule.unwrap_or(options.rule.name()), variant.unwrap_or(options.variant));
        let context = context.unwrap_or(options.context);
        self.set.intern(algorithm.name(), rule, variant, context).map_err(|error| match error {
            SpecError::ContextOfPure | SpecError::Context(_) => CONTEXT_CODE,
            _ => UNKNOWN_CODE,
        })
    }
}
