//! How long `sigmill check` takes for a Parquet table, with `--report` and without, and the engine alone for
//! the same rows in memory.
//!
//! `check_time SIGMILL FOLDER ROWS THREADS RUNS` makes the tables in the folder if they are not there: one
//! uncompressed, one with snappy, each row by a key of its own, messages of 32 to 128 bytes. Then the
//! program and the engine take turns. Prints a JSON object a table; times are the minima of the runs.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BinaryArray, FixedSizeBinaryArray, RecordBatch};
use arrow_select::concat::concat_batches;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use rayon::prelude::*;
use serde_json::json;
use sigmill::bulk::{Column, Engine, SigningKeys, Spec, Specs, Table};
use sigmill::ed25519::{SigningKey, Variant, rules};
use std::error::Error;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::Instant;

/// Rows of a row group.
const GROUP_ROWS: usize = 131_072;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// SplitMix64: the same rows on every machine.
fn number(n: u64) -> u64 {
    let z = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

fn bytes<const N: usize>(n: u64) -> [u8; N] {
    let mut bytes = [0; N];
    for (i, bytes) in (0..).zip(bytes.chunks_mut(8)) {
        bytes.copy_from_slice(&number(n << 8 | i).to_le_bytes()[..bytes.len()]);
    }
    bytes
}

fn make_group(first: usize, rows: usize) -> Result<RecordBatch> {
    let row = first as u64..(first + rows) as u64;
    let keys: Vec<SigningKey> =
        row.clone().into_par_iter().map(|row| SigningKey::from_bytes(&bytes(row))).collect();
    let messages = BinaryArray::from_iter_values(row.map(|row| {
        let len = 32 + (number(!row) % 97) as usize;
        bytes::<128>(row | 1 << 40)[..len].to_vec()
    }));
    let column = Column::binary(messages.value_offsets(), messages.value_data(), None)?;
    let signatures =
        Engine::new().sign_parallel(SigningKeys::Each(&keys), Variant::Pure, &column)?;
    let publics = keys.iter().map(|key| key.verifying_key().to_bytes());
    let columns: [(&str, ArrayRef); 3] = [
        ("key", Arc::new(FixedSizeBinaryArray::try_from_iter(publics)?)),
        ("msg", Arc::new(messages)),
        ("sig", Arc::new(FixedSizeBinaryArray::try_from_iter(signatures.iter())?)),
    ];
    Ok(RecordBatch::try_from_iter(columns)?)
}

fn make(tables: &[(&Path, Compression)], rows: usize) -> Result<()> {
    let schema = make_group(0, 1)?.schema();
    let mut writers = Vec::new();
    for (path, compression) in tables {
        let properties = WriterProperties::builder().set_compression(*compression).build();
        let file = File::create(path.with_extension("tmp"))?;
        writers.push(ArrowWriter::try_new(file, schema.clone(), Some(properties))?);
    }
    for first in (0..rows).step_by(GROUP_ROWS) {
        let group = make_group(first, GROUP_ROWS.min(rows - first))?;
        for writer in &mut writers {
            writer.write(&group)?;
            writer.flush()?; // ends the row group
        }
    }
    for (writer, (path, _)) in writers.into_iter().zip(tables) {
        writer.close()?;
        fs::rename(path.with_extension("tmp"), path)?;
    }
    Ok(())
}

/// All rows in memory, as one batch.
fn read(path: &Path) -> Result<RecordBatch> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(path)?)?.build()?;
    let batches: Vec<RecordBatch> = reader.collect::<std::result::Result<_, _>>()?;
    Ok(concat_batches(&batches[0].schema(), &batches)?)
}

/// Seconds of the engine for rows in memory.
fn time_engine(pool: &rayon::ThreadPool, rows: &RecordBatch) -> Result<f64> {
    let fixed = |name: &str| rows.column_by_name(name).map(|column| column.as_fixed_size_binary());
    let (keys, signatures) = fixed("key").zip(fixed("sig")).ok_or("no keys or signatures")?;
    let messages = rows.column_by_name("msg").ok_or("no messages")?.as_binary::<i32>();
    let start = Instant::now();
    let table = Table::new(
        Column::fixed(keys.value_data(), 32, keys.len(), None)?,
        Column::binary(messages.value_offsets(), messages.value_data(), None)?,
        Column::fixed(signatures.value_data(), 64, signatures.len(), None)?,
        Specs::Same(Spec::ed25519(&rules::COMMON, Variant::Pure)),
    )?;
    let (outcomes, _) = pool.install(|| Engine::new().verify_parallel(&table))?;
    let seconds = start.elapsed().as_secs_f64();
    match outcomes.iter().all(|outcome| outcome.is_some_and(|verdict| verdict.is_valid())) {
        true => Ok(seconds),
        false => Err("the engine refuses a row".into()),
    }
}

/// Seconds of the program from its start to its end; with `report`, it writes that page, too.
fn time_check(sigmill: &str, path: &Path, threads: usize, report: Option<&Path>) -> Result<f64> {
    let mut command = Command::new(sigmill);
    command.arg("check").arg(path).args(["--quiet", "--threads", &threads.to_string()]);
    if let Some(page) = report {
        command.arg("--report").arg(page).arg("--force");
    }
    let start = Instant::now();
    let status = command.status()?;
    let seconds = start.elapsed().as_secs_f64();
    if status.success() { Ok(seconds) } else { Err("the program refuses a row".into()) }
}

fn run() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [sigmill, folder, rows, threads, runs] = &args[..] else {
        return Err("usage: check_time SIGMILL FOLDER ROWS THREADS RUNS".into());
    };
    let (rows, threads, runs): (usize, usize, usize) =
        (rows.parse()?, threads.parse()?, runs.parse()?);
    let tables = [("uncompressed", Compression::UNCOMPRESSED), ("snappy", Compression::SNAPPY)];
    let paths =
        tables.map(|(name, _)| Path::new(folder).join(format!("check.{rows}.{name}.parquet")));
    if !paths.iter().all(|path| path.exists()) {
        eprintln!("making {rows} rows");
        make(&[(&paths[0], tables[0].1), (&paths[1], tables[1].1)], rows)?;
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    for ((name, _), path) in tables.iter().zip(&paths) {
        let batch = read(path)?;
        let page = path.with_extension("html");
        let [mut engine, mut check, mut report] = [f64::INFINITY; 3];
        for run in 0..runs {
            engine = engine.min(time_engine(&pool, &batch)?);
            let first = time_check(sigmill, path, threads, (run % 2 == 1).then_some(&page))?;
            let second = time_check(sigmill, path, threads, (run % 2 == 0).then_some(&page))?;
            let (without, with) = if run % 2 == 0 { (first, second) } else { (second, first) };
            (check, report) = (check.min(without), report.min(with));
        }
        let ratio = |a: f64, b: f64| (a / b * 1000.0).round() / 1000.0;
        println!(
            "{}",
            json!({
                "table": name, "rows": rows, "threads": threads, "runs": runs,
                "backend": Engine::new().backend().name(),
                "engine_seconds": engine, "check_seconds": check, "ratio": ratio(check, engine),
                "report_seconds": report, "report_ratio": ratio(report, check),
            })
        );
    }
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("check_time: {error}");
            ExitCode::FAILURE
        }
    }
}
