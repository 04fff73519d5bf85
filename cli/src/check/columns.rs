//! From the columns of a batch to the borrowed columns of the library.
//!
//! Binary columns are borrowed where Arrow's layout is the library's; views and dictionaries are
//! gathered; text is decoded. A cell that cannot be decoded is a problem of its row, not of the
//! table.
//!
//! Reach: own `mod`, `alg`, `text`.

use super::read::check_columns;
use super::{Args, Problem};
use crate::alg::{Alg, Curve};
use crate::status::{Failure, Result};
use crate::text::Encoding;
use arrow_array::cast::AsArray;
use arrow_array::types::{BinaryType, ByteArrayType, LargeBinaryType, LargeUtf8Type, Utf8Type};
use arrow_array::{Array, GenericByteArray, RecordBatch, StringArray};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;
use sigmill::bulk::{Bitmap, BulkError, Column, NULL_SPEC, Spec, SpecSet, Specs};
use std::path::Path;

/// The bytes of a column: borrowed from Arrow, or gathered.
enum Cells<'a> {
    Fixed { bytes: &'a [u8], width: usize, len: usize, nulls: Option<&'a NullBuffer> },
    Binary { offsets: &'a [i32], bytes: &'a [u8], nulls: Option<&'a NullBuffer> },
    LargeBinary { offsets: &'a [i64], bytes: &'a [u8], nulls: Option<&'a NullBuffer> },
    Gathered { offsets: Vec<i64>, bytes: Vec<u8>, validity: Vec<u8> },
}

fn bitmap<'a>(nulls: &Option<&'a NullBuffer>) -> Option<Bitmap<'a>> {
    nulls.map(|nulls| Bitmap::new(nulls.validity(), nulls.offset()))
}

impl<'a> Cells<'a> {
    fn column(&'a self) -> std::result::Result<Column<'a>, BulkError> {
        match self {
            Cells::Fixed { bytes, width, len, nulls } => {
                Column::fixed(bytes, *width, *len, bitmap(nulls))
            }
            Cells::Binary { offsets, bytes, nulls } => {
                Column::binary(offsets, bytes, bitmap(nulls))
            }
            Cells::LargeBinary { offsets, bytes, nulls } => {
                Column::large_binary(offsets, bytes, bitmap(nulls))
            }
            Cells::Gathered { offsets, bytes, validity } => {
                Column::large_binary(offsets, bytes, Some(Bitmap::new(validity, 0)))
            }
        }
    }

    /// Gathers one value a row.
    fn gather(values: impl Iterator<Item = Option<Vec<u8>>>) -> Self {
        let (mut offsets, mut bytes, mut validity) = (vec![0], Vec::new(), Vec::new());
        for (row, value) in values.enumerate() {
            if row % 8 == 0 {
                validity.push(0);
            }
            if let Some(value) = value {
                bytes.extend_from_slice(&value);
                validity[row / 8] |= 1 << (row % 8);
            }
            offsets.push(bytes.len() as i64);
        }
        Cells::Gathered { offsets, bytes, validity }
    }
}

/// One column of a batch as bytes.
fn cells<'a>(
    table: &'a RecordBatch,
    name: &str,
    encoding: Encoding,
    problems: &mut Vec<Problem>,
) -> std::result::Result<Cells<'a>, String> {
    let array = table.column_by_name(name).ok_or_else(|| format!("no column `{name}`"))?;
    let nulls = array.nulls();
    fn parts<T: ByteArrayType>(array: &GenericByteArray<T>) -> (&[T::Offset], &[u8]) {
        (array.value_offsets(), array.value_data())
    }
    let mut decode = |texts: &mut dyn Iterator<Item = Option<&str>>| {
        Cells::gather(texts.enumerate().map(
            |(row, text)| match encoding.decode(text?.as_bytes()) {
                Ok(bytes) => Some(bytes),
                Err(what) => {
                    problems.push(Problem { row, column: name.to_owned(), what, excusable: false });
                    None
                }
            },
        ))
    };
    Ok(match array.data_type() {
        DataType::FixedSizeBinary(width) => {
            let array = array.as_fixed_size_binary();
            let width = usize::try_from(*width).unwrap_or(0);
            Cells::Fixed { bytes: array.value_data(), width, len: array.len(), nulls }
        }
        DataType::Binary => {
            let (offsets, bytes) = parts::<BinaryType>(array.as_bytes());
            Cells::Binary { offsets, bytes, nulls }
        }
        DataType::LargeBinary => {
            let (offsets, bytes) = parts::<LargeBinaryType>(array.as_bytes());
            Cells::LargeBinary { offsets, bytes, nulls }
        }
        DataType::Utf8 if encoding == Encoding::Raw => {
            let (offsets, bytes) = parts::<Utf8Type>(array.as_bytes());
            Cells::Binary { offsets, bytes, nulls }
        }
        DataType::LargeUtf8 if encoding == Encoding::Raw => {
            let (offsets, bytes) = parts::<LargeUtf8Type>(array.as_bytes());
            Cells::LargeBinary { offsets, bytes, nulls }
        }
        DataType::BinaryView => {
            Cells::gather(array.as_binary_view().iter().map(|value| value.map(<[u8]>::to_vec)))
        }
        DataType::Utf8 => decode(&mut array.as_string::<i32>().iter()),
        DataType::LargeUtf8 => decode(&mut array.as_string::<i64>().iter()),
        DataType::Utf8View => decode(&mut array.as_string_view().iter()),
        DataType::Dictionary(_, values) => {
            // gather once, then treat the plain column like any other
            let plain = match **values {
                DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => DataType::LargeUtf8,
                _ => DataType::LargeBinary,
            };
            let array =
                arrow_cast::cast(array, &plain).map_err(|_| wrong_type(name, array.data_type()))?;
            match plain {
                DataType::LargeUtf8 => decode(&mut array.as_string::<i64>().iter()),
                _ => Cells::gather(
                    array.as_binary::<i64>().iter().map(|value| value.map(<[u8]>::to_vec)),
                ),
            }
        }
        other => return Err(wrong_type(name, other)),
    })
}

fn wrong_type(name: &str, found: &DataType) -> String {
    format!("column `{name}` has type {found}; bytes or text are needed")
}

/// The names that a column holds per row.
fn names(table: &RecordBatch, name: &str) -> std::result::Result<Option<StringArray>, String> {
    let Some(array) = table.column_by_name(name) else { return Ok(None) };
    let is_text = |data_type: &DataType| {
        matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
    };
    let fits = match array.data_type() {
        DataType::Dictionary(_, values) => is_text(values),
        plain => is_text(plain),
    };
    if !fits {
        return Err(format!("column `{name}` has type {}; text is needed", array.data_type()));
    }
    let text = arrow_cast::cast(array, &DataType::Utf8)
        .map_err(|error| format!("column `{name}`: {error}"))?;
    Ok(Some(text.as_string::<i32>().clone()))
}

/// The rows of ECDSA.
pub(super) enum Curves {
    /// Every row has the same curve, or none.
    Same(Option<Curve>),
    /// `None`: the row is one of Ed25519, or of nothing.
    PerRow(Vec<Option<Curve>>),
}

impl Curves {
    /// The curve of a row, if it is one of ECDSA.
    pub(super) fn of(&self, row: usize) -> Option<Curve> {
        match self {
            Curves::Same(curve) => *curve,
            Curves::PerRow(curves) => curves.get(row).copied().flatten(),
        }
    }
}

/// What each row is verified as.
struct Schemes {
    /// The specs of the rows of Ed25519.
    specs: SpecSet,
    /// Which of them each row has; `None`: all have the only one.
    index: Option<Vec<u32>>,
    curves: Curves,
}

/// Everything that the library needs of a batch.
pub(super) struct Rows<'a> {
    keys: Cells<'a>,
    messages: Cells<'a>,
    signatures: Cells<'a>,
    schemes: Schemes,
}

impl<'a> Rows<'a> {
    pub(super) fn read(
        args: &Args,
        path: &Path,
        table: &'a RecordBatch,
        first_row: u64,
        problems: &mut Vec<Problem>,
    ) -> Result<Self> {
        let columns: Vec<String> =
            table.schema().fields().iter().map(|f| f.name().clone()).collect();
        let mut read = || {
            check_columns(args, &columns)?;
            let keys = cells(table, &args.key, args.encoding, problems)?;
            let msg_encoding = args.msg_encoding.unwrap_or(args.encoding);
            let messages = cells(table, &args.msg, msg_encoding, problems)?;
            let signatures = cells(table, &args.sig, args.encoding, problems)?;
            let schemes = schemes(args, table, first_row, problems)?;
            Ok(Rows { keys, messages, signatures, schemes })
        };
        read().map_err(|what: String| Failure::at(path, what))
    }

    pub(super) fn keys(&self, path: &Path) -> Result<Column<'_>> {
        self.keys.column().map_err(|error| Failure::at(path, format!("key column: {error}")))
    }

    pub(super) fn messages(&self, path: &Path) -> Result<Column<'_>> {
        self.messages
            .column()
            .map_err(|error| Failure::at(path, format!("message column: {error}")))
    }

    pub(super) fn signatures(&self, path: &Path) -> Result<Column<'_>> {
        self.signatures
            .column()
            .map_err(|error| Failure::at(path, format!("signature column: {error}")))
    }

    /// The specs of the rows of Ed25519; of all other rows there are none.
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

/// What each row is verified as: its own columns, or else the options.
fn schemes(
    args: &Args,
    table: &RecordBatch,
    first_row: u64,
    problems: &mut Vec<Problem>,
) -> std::result::Result<Schemes, String> {
    let context = args.context_encoding.decode(args.context().as_bytes());
    let context = context.map_err(|what| format!("--context: {what}"))?;
    let (rule, variant) = (args.rule().name(), args.variant().name());
    let mut set = SpecSet::new();
    let per_row = |name: &str| if args.ignore_row_options { Ok(None) } else { names(table, name) };
    let algs = per_row(&args.alg_column)?;
    let rules = per_row(&args.rule_column)?;
    let variants = per_row(&args.variant_column)?;
    let has_contexts =
        !args.ignore_row_options && table.column_by_name(&args.context_column).is_some();
    let mut context_problems = Vec::new();
    let contexts = match has_contexts {
        true => {
            Some(cells(table, &args.context_column, args.context_encoding, &mut context_problems)?)
        }
        false => None,
    };
    let contexts =
        contexts.as_ref().map(Cells::column).transpose().map_err(|error| error.to_string())?;
    if algs.is_none() {
        let said_by = match args.given_alg {
            Some(_) => "--alg says".to_owned(),
            None => format!("without --alg and a column `{}` all rows are of", args.alg_column),
        };
        args.refuse_foreign(args.alg(), &said_by).map_err(|failure| failure.to_string())?;
    }
    if algs.is_none()
        && (args.alg() != Alg::Ed25519
            || (rules.is_none() && variants.is_none() && contexts.is_none()))
    {
        let curve = args.alg().curve();
        if curve.is_none() {
            set.intern(Alg::Ed25519.name(), rule, variant, &context)
                .map_err(|error| error.to_string())?;
        }
        return Ok(Schemes { specs: set, index: None, curves: Curves::Same(curve) });
    }
    let given_context = &context[..];
    let mut index = Vec::with_capacity(table.num_rows());
    let mut curves = Vec::with_capacity(table.num_rows());
    for row in 0..table.num_rows() {
        // `None`: the column has a null here
        let name = |column: &'_ Option<StringArray>, otherwise| match column {
            None => Some(otherwise),
            Some(column) if column.is_null(row) => None,
            Some(column) => Some(column.value(row).to_owned()),
        };
        let row_number = first_row + row as u64;
        let contradiction = |option: &str, column: &str| {
            format!(
                "row {row_number}, column {column}: contradicts {option}; add \
                 --ignore-row-options or --prefer-row-options"
            )
        };
        let Some(alg) = name(&algs, args.alg().name().to_owned()) else {
            index.push(NULL_SPEC);
            curves.push(None);
            continue;
        };
        if !args.prefer_row_options && args.given_alg.is_some_and(|given| given.name() != alg) {
            return Err(contradiction("--alg", &args.alg_column));
        }
        let alg = Alg::from_name(&alg).map_err(|what| {
            let column = args.alg_column.clone();
            problems.push(Problem { row, column, what, excusable: true });
        });
        curves.push(alg.ok().and_then(Alg::curve));
        // the other columns say nothing of ECDSA
        if alg != Ok(Alg::Ed25519) {
            index.push(NULL_SPEC);
            continue;
        }
        let (rule, variant) = (name(&rules, rule.to_owned()), name(&variants, variant.to_owned()));
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
        let interned = set.intern(Alg::Ed25519.name(), &rule, &variant, context);
        index.push(interned.unwrap_or_else(|error| {
            let column = match error {
                sigmill::bulk::SpecError::Rule(_) => &args.rule_column,
                sigmill::bulk::SpecError::Variant(_) => &args.variant_column,
                _ => &args.context_column,
            };
            let what = error.to_string();
            problems.push(Problem { row, column: column.clone(), what, excusable: true });
            NULL_SPEC
        }));
    }
    // of a row of ECDSA nobody looks at the context
    context_problems.retain(|problem| curves[problem.row].is_none());
    problems.append(&mut context_problems);
    Ok(Schemes { specs: set, index: Some(index), curves: Curves::PerRow(curves) })
}
