//! Verifies a Parquet file of Ed25519 signatures through `sigmill::bulk`, without a copy of a cell:
//!
//!     cargo run --release -p sigmill-cli --example parquet FILE [RULE]
//!
//! The columns `key`, `msg` and `sig` are binary. The command line does more with such files (`sigmill check`); this is
//! how a program of your own does it.

use arrow_array::cast::AsArray;
use arrow_array::{Array, BinaryArray, RecordBatch};
use arrow_buffer::NullBuffer;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use sigmill::bulk::{Bitmap, Column, Engine, Spec, Specs, Table};
use sigmill::ed25519::{Rule, Variant};
use std::collections::BTreeMap;
use std::error::Error;
use std::fs::File;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let (file, rule) = match arguments.as_slice() {
        [file] => (file, "common"),
        [file, rule] => (file, rule.as_str()),
        _ => {
            eprintln!("usage: parquet FILE [RULE]");
            return ExitCode::from(2);
        }
    };
    match run(file, rule) {
        Ok(counts) => {
            for (verdict, rows) in &counts {
                println!("{rows:>10}  {verdict}");
            }
            let all_valid = counts.keys().all(|verdict| verdict == "valid");
            ExitCode::from(u8::from(!all_valid))
        }
        Err(error) => {
            eprintln!("parquet: {file}: {error}");
            ExitCode::from(2)
        }
    }
}

/// How many rows have each verdict.
fn run(file: &str, rule: &str) -> Result<BTreeMap<String, usize>, Box<dyn Error>> {
    let rule = Rule::from_name(rule).ok_or_else(|| format!("no rule {rule:?}"))?;
    let engine = Engine::new();
    let mut counts = BTreeMap::new();
    for batch in ParquetRecordBatchReaderBuilder::try_new(File::open(file)?)?.build()? {
        let batch = batch?;
        let [keys, messages, signatures] =
            [binary(&batch, "key")?, binary(&batch, "msg")?, binary(&batch, "sig")?];
        let spec = Specs::Same(Spec::ed25519(rule, Variant::Pure));
        let table = Table::new(column(keys)?, column(messages)?, column(signatures)?, spec)?;
        // a row in which something is null has no verdict
        let (outcomes, _) = engine.verify_parallel(&table)?;
        for outcome in outcomes {
            let verdict = outcome.map_or_else(|| "null".into(), |verdict| verdict.to_string());
            *counts.entry(verdict).or_default() += 1;
        }
    }
    Ok(counts)
}

/// A column of the batch.
fn binary<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a BinaryArray, String> {
    let column = batch.column_by_name(name).ok_or_else(|| format!("no column {name:?}"))?;
    let kind = column.data_type();
    column.as_binary_opt().ok_or_else(|| format!("column {name:?} is {kind}, not binary"))
}

/// The array's buffers, as they lie.
fn column(array: &BinaryArray) -> Result<Column<'_>, sigmill::bulk::BulkError> {
    let valid =
        array.nulls().map(|nulls: &NullBuffer| Bitmap::new(nulls.validity(), nulls.offset()));
    Column::binary(array.value_offsets(), array.value_data(), valid)
}
