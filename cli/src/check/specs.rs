//! The spec of each row: by its own columns, or else by the options.

use super::bytes::{Cells, bytes_of, cells};
use super::cells::Texts;
use super::options::{ColumnNames, RowOptions};
use super::outcome::{Outcome, Problem};
use crate::alg::Alg;
use crate::status::quoted;
use crate::text::Encoding;
use arrow_array::{Array, RecordBatch};
use sigmill::bulk::{NULL_SPEC, SpecError, SpecSet};
use sigmill::ecdsa::Curve;

/// The names that a column holds per row.
fn names<'a>(
    table: &'a RecordBatch,
    name: &str,
    first_row: u64,
) -> Result<Option<Texts<'a>>, String> {
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
    let texts: Result<Vec<Option<&str>>, String> = (0..array.len()).map(text).collect();
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
    pub(super) fn alg(&self, row: usize) -> Option<Alg> {
        match self {
            Curves::Same(curve) => Some(curve.map_or(Alg::ED25519, Alg::of_curve)),
            Curves::PerRow { algs, .. } => algs.get(row).copied().flatten(),
        }
    }
}

/// The specs that occur, and which of them each row has.
pub(super) struct Schemes {
    pub(super) specs: SpecSet,
    /// The number of each row's spec; `None`: all have the only one.
    pub(super) index: Option<Vec<u32>>,
    pub(super) curves: Curves,
}

/// Reads the specs of rows from their own columns, or else from the options.
pub(super) fn schemes<'a>(
    columns: &'a ColumnNames,
    options: &'a RowOptions,
    context_encoding: Option<Encoding>,
    table: &'a RecordBatch,
    first_row: u64,
    problems: &mut Vec<Problem>,
) -> Result<Schemes, String> {
    let context = context_encoding.unwrap_or(Encoding::Raw).decode(options.context().as_bytes());
    let context = context.map_err(|what| format!("--context: {what}"))?;
    let (rule, variant) = (options.rule().name(), options.variant().name());
    let mut set = SpecSet::new();
    let per_row = |name: &str| {
        if columns.ignore_row_options { Ok(None) } else { names(table, name, first_row) }
    };
    let algs = per_row(columns.alg_column())?;
    let rules = per_row(columns.rule_column())?;
    let variants = per_row(columns.variant_column())?;
    let has_contexts =
        !columns.ignore_row_options && table.column_by_name(columns.context_column()).is_some();
    let mut context_problems = Vec::new();
    let contexts = match has_contexts {
        true => {
            let encoding = (context_encoding, Encoding::Raw);
            Some(cells(table, columns.context_column(), encoding, &mut context_problems)?)
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
        let said_by = match options.given_alg {
            Some(_) => "--alg says".to_owned(),
            None => {
                format!("without --alg and a column `{}` all rows are of", columns.alg_column())
            }
        };
        options.refuse_foreign(options.alg(), &said_by).map_err(|failure| failure.to_string())?;
    }
    if algs.is_none()
        && (options.alg() != Alg::ED25519
            || (rules.is_none() && variants.is_none() && contexts.is_none()))
    {
        let curve = options.alg().curve();
        match curve {
            Some(curve) => set.intern_ecdsa(&options.ecdsa.scheme(curve).of_library()),
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
        let Some(alg) = name(&algs, options.alg().name()) else {
            index.push(NULL_SPEC);
            curves.push(None);
            of_rows.push(None);
            continue;
        };
        if !columns.prefer_row_options && options.given_alg.is_some_and(|given| given.name() != alg)
        {
            return Err(contradiction("--alg", columns.alg_column()));
        }
        // what is said of a name has it as it may be shown
        let alg = Alg::from_name(alg).or_else(|_| Alg::from_name(&quoted(alg))).map_err(|what| {
            let column = columns.alg_column().to_owned();
            problems.push(Problem { row, column, what, outcome: Outcome::Unknown });
        });
        let curve = alg.ok().and_then(Alg::curve);
        curves.push(curve);
        of_rows.push(alg.ok());
        // the other columns say nothing of ECDSA
        if alg != Ok(Alg::ED25519) {
            let number =
                curve.map(|curve| set.intern_ecdsa(&options.ecdsa.scheme(curve).of_library()));
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
        if !columns.prefer_row_options {
            // a row may repeat an option, but not contradict it
            for (option, contradicted, column) in [
                (
                    "--rule",
                    options.given_rule.is_some_and(|r| r.name() != rule),
                    columns.rule_column(),
                ),
                (
                    "--variant",
                    options.given_variant.is_some_and(|v| v.name() != variant),
                    columns.variant_column(),
                ),
                (
                    "--context",
                    options.given_context.is_some() && context != given_context,
                    columns.context_column(),
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
                    (columns.rule_column(), Outcome::Unknown, shown.to_string())
                }
                SpecError::Variant(name) => {
                    let shown = SpecError::Variant(quoted(&name));
                    (columns.variant_column(), Outcome::Unknown, shown.to_string())
                }
                error => (columns.context_column(), Outcome::Context, error.to_string()),
            };
            problems.push(Problem { row, column: column.to_owned(), what, outcome });
            NULL_SPEC
        }));
    }
    // of a row of ECDSA nobody looks at the context
    context_problems.retain(|problem| curves[problem.row].is_none());
    problems.append(&mut context_problems);
    let curves = Curves::PerRow { curves, algs: of_rows };
    Ok(Schemes { specs: set, index: Some(index), curves })
}
