//! From the columns of a batch to the borrowed columns of the library.
//!
//! Bytes are borrowed: where Arrow's layout is the library's, as they are; views by their slices;
//! dictionaries by the values that occur in the batch, whatever the number of rows that have them. Text is
//! decoded, of a dictionary each value once. A cell that cannot be decoded is a problem of its row, not of
//! the table.

use super::cells::{Texts, places, shared_values};
use super::containers::{self, KeyForm};
use super::read::check_columns;
use super::{Args, Outcome, Problem};
use crate::alg::Alg;
use crate::status::{Failure, Result, quoted};
use crate::text::Encoding;
use arrow_array::cast::AsArray;
use arrow_array::types::{BinaryType, ByteArrayType, LargeBinaryType, LargeUtf8Type, Utf8Type};
use arrow_array::{Array, GenericByteArray, RecordBatch};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;
use sigmill::bulk::{
    Bitmap, BulkError, Column, Indices, NULL_SPEC, Spec, SpecError, SpecSet, Specs,
};
use sigmill::ecdsa::Curve;
use std::collections::HashMap;
use std::path::Path;

/// The bytes of a column: the values, and which of them each row has.
struct Cells<'a> {
    values: Values<'a>,
    /// `None`: each row has its own.
    places: Option<Places>,
}

/// Values of bytes: borrowed from Arrow, or gathered.
enum Values<'a> {
    Fixed { bytes: &'a [u8], width: usize, len: usize, nulls: Option<&'a NullBuffer> },
    Binary { offsets: &'a [i32], bytes: &'a [u8], nulls: Option<&'a NullBuffer> },
    LargeBinary { offsets: &'a [i64], bytes: &'a [u8], nulls: Option<&'a NullBuffer> },
    Slices(Vec<&'a [u8]>),
    Gathered { offsets: Vec<i64>, bytes: Vec<u8>, validity: Bits },
}

/// The number of each row's value, and whether it has one.
#[derive(Default)]
struct Places {
    indices: Vec<u32>,
    validity: Bits,
}

impl Places {
    /// Appends a row; the number of a row without a value means nothing.
    fn push(&mut self, number: Option<u32>) {
        self.indices.push(number.unwrap_or(0));
        self.validity.push(number.is_some());
    }
}

/// Bits, least significant first.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    len: usize,
}

impl Bits {
    fn push(&mut self, bit: bool) {
        if self.len.is_multiple_of(8) {
            self.bytes.push(0);
        }
        self.bytes[self.len / 8] |= u8::from(bit) << (self.len % 8);
        self.len += 1;
    }

    fn bitmap(&self) -> Bitmap<'_> {
        Bitmap::new(&self.bytes, 0)
    }
}

fn bitmap<'a>(nulls: &Option<&'a NullBuffer>) -> Option<Bitmap<'a>> {
    nulls.map(|nulls| Bitmap::new(nulls.validity(), nulls.offset()))
}

impl<'a> Cells<'a> {
    fn borrowed(values: Values<'a>) -> Self {
        Cells { values, places: None }
    }

    /// The values, from which [`Cells::column`] makes the rows.
    fn values(&self) -> std::result::Result<Column<'_>, BulkError> {
        match &self.values {
            Values::Fixed { bytes, width, len, nulls } => {
                Column::fixed(bytes, *width, *len, bitmap(nulls))
            }
            Values::Binary { offsets, bytes, nulls } => {
                Column::binary(offsets, bytes, bitmap(nulls))
            }
            Values::LargeBinary { offsets, bytes, nulls } => {
                Column::large_binary(offsets, bytes, bitmap(nulls))
            }
            Values::Slices(slices) => Ok(Column::slices(slices)),
            Values::Gathered { offsets, bytes, validity } => {
                Column::large_binary(offsets, bytes, Some(validity.bitmap()))
            }
        }
    }

    fn column<'b>(&'b self, values: &'b Column<'b>) -> std::result::Result<Column<'b>, BulkError> {
        match &self.places {
            None => Ok(*values),
            Some(Places { indices, validity }) => {
                Column::dictionary(Indices::U32(indices), values, Some(validity.bitmap()))
            }
        }
    }

    /// Borrows one value a row, of shared values each that occurs once.
    fn sliced(array: &'a dyn Array) -> Option<Self> {
        let (mut slices, mut of_rows) = (Vec::new(), Places::default());
        match shared_values(array) {
            Some(values) => {
                let values = bytes_of(values.as_ref())?;
                let mut numbers = HashMap::new();
                for place in places(array) {
                    let number = place.and_then(|place| {
                        *numbers.entry(place).or_insert_with(|| {
                            let number = slices.len() as u32;
                            values(place).map(|value| slices.push(value)).map(|()| number)
                        })
                    });
                    of_rows.push(number);
                }
            }
            None => {
                let values = bytes_of(array)?;
                for row in 0..array.len() {
                    let number = slices.len() as u32;
                    of_rows.push(values(row).map(|value| slices.push(value)).map(|()| number));
                }
            }
        }
        Some(Cells { values: Values::Slices(slices), places: Some(of_rows) })
    }

    /// Decodes one value a row, of shared values each that occurs once. `decode` appends the bytes of a value. A value
    /// that cannot be decoded is null, and said to `refuse` with its row. `None`: the column holds no bytes.
    fn decoded<T: Copy>(
        array: &dyn Array,
        mut decode: impl FnMut(&[u8], &mut Vec<u8>) -> std::result::Result<T, String>,
        mut refuse: impl FnMut(usize, std::result::Result<T, &str>),
    ) -> Option<Self> {
        let (mut offsets, mut bytes, mut validity) = (vec![0], Vec::new(), Bits::default());
        let mut decode = |value: Option<&[u8]>| {
            let result = value.map(|value| decode(value, &mut bytes));
            validity.push(matches!(result, Some(Ok(_))));
            offsets.push(bytes.len() as i64);
            result
        };
        let of_rows = match shared_values(array) {
            Some(values) => {
                let values = bytes_of(values.as_ref())?;
                type Seen<T> = (u32, Option<std::result::Result<T, String>>);
                let mut numbers: HashMap<usize, Seen<T>> = HashMap::new();
                let mut of_rows = Places::default();
                for (row, place) in places(array).into_iter().enumerate() {
                    let Some(place) = place else {
                        of_rows.push(None);
                        continue;
                    };
                    let next = numbers.len() as u32;
                    let (number, result) =
                        numbers.entry(place).or_insert_with(|| (next, decode(values(place))));
                    match result {
                        Some(Ok(found)) => refuse(row, Ok(*found)),
                        Some(Err(what)) => refuse(row, Err(what)),
                        None => {}
                    }
                    of_rows.push(Some(*number));
                }
                Some(of_rows)
            }
            None => {
                let values = bytes_of(array)?;
                for row in 0..array.len() {
                    match decode(values(row)) {
                        Some(Ok(found)) => refuse(row, Ok(found)),
                        Some(Err(what)) => refuse(row, Err(&what)),
                        None => {}
                    }
                }
                None
            }
        };
        Some(Cells { values: Values::Gathered { offsets, bytes, validity }, places: of_rows })
    }
}

/// The bytes of a row, of a column that holds bytes or text.
type BytesOf<'a> = Box<dyn Fn(usize) -> Option<&'a [u8]> + 'a>;

fn bytes_of(array: &dyn Array) -> Option<BytesOf<'_>> {
    fn of_rows<'a>(array: &'a dyn Array, value: impl Fn(usize) -> &'a [u8] + 'a) -> BytesOf<'a> {
        let is_there = |row| row < array.len() && array.is_valid(row);
        Box::new(move |row| is_there(row).then(|| value(row)))
    }
    fn of<T: ByteArrayType>(array: &dyn Array) -> BytesOf<'_> {
        let values = array.as_bytes::<T>();
        of_rows(array, |row| AsRef::<[u8]>::as_ref(values.value(row)))
    }
    Some(match array.data_type() {
        DataType::FixedSizeBinary(_) => {
            let values = array.as_fixed_size_binary();
            of_rows(array, |row| values.value(row))
        }
        DataType::Binary => of::<BinaryType>(array),
        DataType::LargeBinary => of::<LargeBinaryType>(array),
        DataType::BinaryView => {
            let values = array.as_binary_view();
            of_rows(array, |row| values.value(row))
        }
        DataType::Utf8 => of::<Utf8Type>(array),
        DataType::LargeUtf8 => of::<LargeUtf8Type>(array),
        DataType::Utf8View => {
            let values = array.as_string_view();
            of_rows(array, |row| values.value(row).as_bytes())
        }
        DataType::Null => Box::new(|_| None),
        _ => {
            let values = bytes_of(shared_values(array)?.as_ref())?;
            let places = places(array);
            Box::new(move |row| values((*places.get(row)?)?))
        }
    })
}

/// Whether the values of a column are text, which stands for bytes.
fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, values) => is_text(values),
        DataType::RunEndEncoded(_, values) => is_text(values.data_type()),
        _ => false,
    }
}

/// How a column of this type stands for bytes: text as the option says, or `otherwise`; a binary type too where
/// the option is given, and else itself.
fn encoding_of(kind: &DataType, given: Option<Encoding>, otherwise: Encoding) -> Encoding {
    given.unwrap_or(if is_text(kind) { otherwise } else { Encoding::Raw })
}

fn column_of<'a>(table: &'a RecordBatch, name: &str) -> std::result::Result<&'a dyn Array, String> {
    let array = table.column_by_name(name).ok_or_else(|| format!("no column `{name}`"))?;
    Ok(array.as_ref())
}

fn wrong_type(name: &str, array: &dyn Array) -> String {
    let kind = quoted(&array.data_type().to_string());
    format!("column `{name}` has type {kind}; bytes or text are needed")
}

/// One column of a batch as bytes.
fn cells<'a>(
    table: &'a RecordBatch,
    name: &str,
    (given, otherwise): (Option<Encoding>, Encoding),
    problems: &mut Vec<Problem>,
) -> std::result::Result<Cells<'a>, String> {
    let array = column_of(table, name)?;
    let outcome = Outcome::Unreadable;
    let encoding = encoding_of(array.data_type(), given, otherwise);
    let nulls = array.nulls();
    fn parts<T: ByteArrayType>(array: &GenericByteArray<T>) -> (&[T::Offset], &[u8]) {
        (array.value_offsets(), array.value_data())
    }
    let binary = |(offsets, bytes)| Cells::borrowed(Values::Binary { offsets, bytes, nulls });
    let large = |(offsets, bytes)| Cells::borrowed(Values::LargeBinary { offsets, bytes, nulls });
    if encoding != Encoding::Raw {
        return Cells::decoded(
            array,
            |value, out| encoding.decode_into(value, out),
            |row, result| {
                if let Err(what) = result {
                    let (column, what) = (name.to_owned(), what.to_owned());
                    problems.push(Problem { row, column, what, outcome });
                }
            },
        )
        .ok_or_else(|| wrong_type(name, array));
    }
    Ok(match array.data_type() {
        DataType::FixedSizeBinary(width) => {
            let array = array.as_fixed_size_binary();
            let width = usize::try_from(*width).unwrap_or(0);
            let (bytes, len) = (array.value_data(), array.len());
            Cells::borrowed(Values::Fixed { bytes, width, len, nulls })
        }
        DataType::Binary => binary(parts::<BinaryType>(array.as_bytes())),
        DataType::LargeBinary => large(parts::<LargeBinaryType>(array.as_bytes())),
        DataType::Utf8 => binary(parts::<Utf8Type>(array.as_bytes())),
        DataType::LargeUtf8 => large(parts::<LargeUtf8Type>(array.as_bytes())),
        _ => Cells::sliced(array).ok_or_else(|| wrong_type(name, array))?,
    })
}

/// The keys in a column of containers. One of another algorithm than its row is a problem of that row.
fn keys_in_spki<'a>(
    table: &'a RecordBatch,
    name: &str,
    (given, otherwise): (Option<Encoding>, Encoding),
    curves: &Curves,
    problems: &mut Vec<Problem>,
) -> std::result::Result<Cells<'a>, String> {
    let array = column_of(table, name)?;
    let encoding = encoding_of(array.data_type(), given, otherwise);
    let read = |cell: &[u8], out: &mut Vec<u8>| containers::key_of(cell, encoding, out);
    let tell = |row, result: std::result::Result<Alg, &str>| {
        let what = match (result, curves.alg(row)) {
            (Err(what), _) => what.to_owned(),
            (Ok(found), Some(alg)) if found != alg => {
                format!("holds a key of {found}; the row is of {alg}")
            }
            (Ok(_), _) => return,
        };
        let (column, outcome) = (name.to_owned(), Outcome::Unreadable);
        problems.push(Problem { row, column, what, outcome });
    };
    Cells::decoded(array, read, tell).ok_or_else(|| wrong_type(name, array))
}

/// Refuses a table whose first keys are all containers: it would have no valid row.
fn refuse_containers(
    table: &RecordBatch,
    name: &str,
    keys: &Cells<'_>,
) -> std::result::Result<(), String> {
    let array = column_of(table, name)?;
    // as they stand in the table, and decoded
    let stored = bytes_of(array)
        .and_then(|cells| containers::refusal(name, false, (0..array.len()).map(cells)));
    let decoded = || {
        let values = keys.values().ok()?;
        let column = keys.column(&values).ok()?;
        containers::refusal(name, true, (0..column.len()).map(|row| column.get(row)))
    };
    match stored.or_else(decoded) {
        Some(what) => Err(what),
        None => Ok(()),
    }
}

/// The names that a column holds per row.
fn names<'a>(
    table: &'a RecordBatch,
    name: &str,
    first_row: u64,
) -> std::result::Result<Option<Texts<'a>>, String> {
    let Some(array) = table.column_by_name(name) else { return Ok(None) };
    if let Some(texts) = Texts::of(array) {
        return Ok(Some(texts));
    }
    // programs that know no type of text write it as bytes
    let kind = || quoted(&array.data_type().to_string());
    let bytes = bytes_of(array)
        .ok_or_else(|| format!("column `{name}` has type {}; text is needed", kind()))?;
    let text = |row| {
        let Some(bytes) = bytes(row) else { return Ok(None) };
        let text = std::str::from_utf8(bytes).map(Some);
        text.map_err(|_| format!("row {}, column {name}: not UTF-8", first_row + row as u64))
    };
    let texts: std::result::Result<Vec<Option<&str>>, String> =
        (0..array.len()).map(text).collect();
    texts.map(Texts::Rows).map(Some)
}

/// The rows of ECDSA.
pub(super) enum Curves {
    /// Every row has the same curve, or none.
    Same(Option<Curve>),
    /// `None`: the row is one of Ed25519, or of nothing.
    PerRow { curves: Vec<Option<Curve>>, algs: Vec<Option<Alg>> },
}

impl Curves {
    /// The curve of a row, if it is one of ECDSA.
    pub(super) fn of(&self, row: usize) -> Option<Curve> {
        match self {
            Curves::Same(curve) => *curve,
            Curves::PerRow { curves, .. } => curves.get(row).copied().flatten(),
        }
    }

    /// The algorithm of a row; `None` where it names none that is known.
    fn alg(&self, row: usize) -> Option<Alg> {
        match self {
            Curves::Same(curve) => Some(curve.map_or(Alg::ED25519, Alg::of_curve)),
            Curves::PerRow { algs, .. } => algs.get(row).copied().flatten(),
        }
    }
}

/// What each row is verified as.
struct Schemes {
    specs: SpecSet,
    /// Which of them each row has; `None`: all have the only one.
    index: Option<Vec<u32>>,
    curves: Curves,
}

/// Everything that the library needs of a batch.
pub(super) struct BatchColumns<'a> {
    keys: Cells<'a>,
    messages: Cells<'a>,
    signatures: Cells<'a>,
    schemes: Schemes,
}

impl<'a> BatchColumns<'a> {
    pub(super) fn read(
        args: &'a Args,
        path: &Path,
        table: &'a RecordBatch,
        first_row: u64,
        problems: &mut Vec<Problem>,
    ) -> Result<Self> {
        let columns: Vec<String> =
            table.schema().fields().iter().map(|f| f.name().clone()).collect();
        let mut read = || {
            check_columns(args, &columns)?;
            let encoding = |own: Option<Encoding>| (own.or(args.encoding), Encoding::Hex);
            let mut of_schemes = Vec::new();
            let schemes = schemes(args, table, first_row, &mut of_schemes)?;
            let key_encoding = encoding(args.key_encoding);
            let keys = match args.key_form {
                KeyForm::Spki => {
                    keys_in_spki(table, &args.key, key_encoding, &schemes.curves, problems)?
                }
                KeyForm::Raw => {
                    let keys = cells(table, &args.key, key_encoding, problems)?;
                    if first_row == 0 {
                        refuse_containers(table, &args.key, &keys)?;
                    }
                    keys
                }
            };
            let messages = cells(table, &args.msg, encoding(args.msg_encoding), problems)?;
            let signatures = cells(table, &args.sig, encoding(args.sig_encoding), problems)?;
            problems.append(&mut of_schemes);
            Ok(BatchColumns { keys, messages, signatures, schemes })
        };
        read().map_err(|what: String| Failure::at(path, what))
    }

    /// The values of keys, messages and signatures.
    pub(super) fn values(&self, path: &Path) -> Result<[Column<'_>; 3]> {
        let [keys, messages, signatures] =
            self.named().map(|(name, cells)| at(path, name, cells.values()));
        Ok([keys?, messages?, signatures?])
    }

    /// Keys, messages and signatures, row by row, of their values.
    pub(super) fn columns<'b>(
        &'b self,
        path: &Path,
        [keys, messages, signatures]: &'b [Column<'b>; 3],
    ) -> Result<[Column<'b>; 3]> {
        let [key, msg, sig] = self.named();
        Ok([
            at(path, key.0, key.1.column(keys))?,
            at(path, msg.0, msg.1.column(messages))?,
            at(path, sig.0, sig.1.column(signatures))?,
        ])
    }

    fn named(&self) -> [(&'static str, &Cells<'a>); 3] {
        [("key", &self.keys), ("message", &self.messages), ("signature", &self.signatures)]
    }

    /// The specs that occur.
    pub(super) fn specs(&self) -> Vec<Spec<'_>> {
        self.schemes.specs.specs()
    }

    pub(super) fn curves(&self) -> &Curves {
        &self.schemes.curves
    }

    pub(super) fn of_rows<'b>(&'b self, distinct: &'b [Spec<'b>]) -> Specs<'b> {
        match (&self.schemes.index, distinct) {
            (None, [only]) => Specs::Same(*only),
            (index, _) => Specs::PerRow { distinct, index: index.as_deref().unwrap_or_default() },
        }
    }
}

fn at<T>(path: &Path, name: &str, result: std::result::Result<T, BulkError>) -> Result<T> {
    result.map_err(|error| Failure::at(path, format!("{name} column: {error}")))
}

/// What each row is verified as: its own columns, or else the options.
fn schemes<'a>(
    args: &'a Args,
    table: &'a RecordBatch,
    first_row: u64,
    problems: &mut Vec<Problem>,
) -> std::result::Result<Schemes, String> {
    let context_encoding = args.context_encoding.unwrap_or(Encoding::Raw);
    let context = context_encoding.decode(args.context().as_bytes());
    let context = context.map_err(|what| format!("--context: {what}"))?;
    let (rule, variant) = (args.rule().name(), args.variant().name());
    let mut set = SpecSet::new();
    let per_row =
        |name: &str| if args.ignore_row_options { Ok(None) } else { names(table, name, first_row) };
    let algs = per_row(&args.alg_column)?;
    let rules = per_row(&args.rule_column)?;
    let variants = per_row(&args.variant_column)?;
    let has_contexts =
        !args.ignore_row_options && table.column_by_name(&args.context_column).is_some();
    let mut context_problems = Vec::new();
    let contexts = match has_contexts {
        true => {
            let encoding = (args.context_encoding, Encoding::Raw);
            Some(cells(table, &args.context_column, encoding, &mut context_problems)?)
        }
        false => None,
    };
    let values = contexts.as_ref().map(Cells::values).transpose();
    let values = values.map_err(|error| error.to_string())?;
    let contexts = match (&contexts, &values) {
        (Some(cells), Some(values)) => {
            Some(cells.column(values).map_err(|error| error.to_string())?)
        }
        _ => None,
    };
    if algs.is_none() {
        let said_by = match args.given_alg {
            Some(_) => "--alg says".to_owned(),
            None => format!("without --alg and a column `{}` all rows are of", args.alg_column),
        };
        args.refuse_foreign(args.alg(), &said_by).map_err(|failure| failure.to_string())?;
    }
    if algs.is_none()
        && (args.alg() != Alg::ED25519
            || (rules.is_none() && variants.is_none() && contexts.is_none()))
    {
        let curve = args.alg().curve();
        match curve {
            Some(curve) => set.intern_ecdsa(&args.ecdsa.scheme(curve).of_library()),
            None => set
                .intern(Alg::ED25519.name(), rule, variant, &context)
                .map_err(|error| error.to_string())?,
        };
        return Ok(Schemes { specs: set, index: None, curves: Curves::Same(curve) });
    }
    let given_context = &context[..];
    let mut index = Vec::with_capacity(table.num_rows());
    let mut curves = Vec::with_capacity(table.num_rows());
    let mut of_rows = Vec::with_capacity(table.num_rows());
    for row in 0..table.num_rows() {
        // `None`: the column has a null here
        let name = |column: &Option<Texts<'a>>, otherwise: &'a str| match column {
            None => Some(otherwise),
            Some(column) => column.get(row),
        };
        let row_number = first_row + row as u64;
        let contradiction = |option: &str, column: &str| {
            format!(
                "row {row_number}, column {column}: contradicts {option}; add \
                 --ignore-row-options or --prefer-row-options"
            )
        };
        let Some(alg) = name(&algs, args.alg().name()) else {
            index.push(NULL_SPEC);
            curves.push(None);
            of_rows.push(None);
            continue;
        };
        if !args.prefer_row_options && args.given_alg.is_some_and(|given| given.name() != alg) {
            return Err(contradiction("--alg", &args.alg_column));
        }
        // what is said of a name has it as it may be shown
        let alg = Alg::from_name(alg).or_else(|_| Alg::from_name(&quoted(alg))).map_err(|what| {
            let column = args.alg_column.clone();
            problems.push(Problem { row, column, what, outcome: Outcome::Unknown });
        });
        let curve = alg.ok().and_then(Alg::curve);
        curves.push(curve);
        of_rows.push(alg.ok());
        // the other columns say nothing of ECDSA
        if alg != Ok(Alg::ED25519) {
            let number =
                curve.map(|curve| set.intern_ecdsa(&args.ecdsa.scheme(curve).of_library()));
            index.push(number.unwrap_or(NULL_SPEC));
            continue;
        }
        let (rule, variant) = (name(&rules, rule), name(&variants, variant));
        // a null context is no context
        let context = match &contexts {
            None => &context[..],
            Some(contexts) => contexts.get(row).unwrap_or_default(),
        };
        let (Some(rule), Some(variant)) = (rule, variant) else {
            index.push(NULL_SPEC);
            continue;
        };
        if !args.prefer_row_options {
            // a row may repeat an option, but not contradict it
            for (option, contradicted, column) in [
                ("--rule", args.given_rule.is_some_and(|r| r.name() != rule), &args.rule_column),
                (
                    "--variant",
                    args.given_variant.is_some_and(|v| v.name() != variant),
                    &args.variant_column,
                ),
                (
                    "--context",
                    args.given_context.is_some() && context != given_context,
                    &args.context_column,
                ),
            ] {
                if contradicted {
                    return Err(contradiction(option, column));
                }
            }
        }
        let interned = set.intern(Alg::ED25519.name(), rule, variant, context);
        index.push(interned.unwrap_or_else(|error| {
            let (column, outcome, what) = match error {
                SpecError::Rule(name) => {
                    let shown = SpecError::Rule(quoted(&name));
                    (&args.rule_column, Outcome::Unknown, shown.to_string())
                }
                SpecError::Variant(name) => {
                    let shown = SpecError::Variant(quoted(&name));
                    (&args.variant_column, Outcome::Unknown, shown.to_string())
                }
                error => (&args.context_column, Outcome::Context, error.to_string()),
            };
            problems.push(Problem { row, column: column.clone(), what, outcome });
            NULL_SPEC
        }));
    }
    // of a row of ECDSA nobody looks at the context
    context_problems.retain(|problem| curves[problem.row].is_none());
    problems.append(&mut context_problems);
    let curves = Curves::PerRow { curves, algs: of_rows };
    Ok(Schemes { specs: set, index: Some(index), curves })
}
