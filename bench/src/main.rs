//! Times of sigmill and of other libraries, interleaved slot by slot in one process.
//!
//! | file | what it holds |
//! |---|---|
//! | `args` | the command line |
//! | `ops` | the operations by name, their sizes, messages and answers |
//! | `inputs` | random keys, messages and signatures, and damaged ones |
//! | `ecdsa` | rows of ECDSA |
//! | `patterns` | ECDSA signatures with chosen scalars, and what they cost |
//! | `engines/` | who takes part: one file for each, or a package below `peers/` |
//! | `measure` | checks, slots, and the order of the slots |
//! | `clock` | the time-stamp counter |
//! | `record` | the lines of the record and how they reach the disk |
//! | `table` | the ratios that are printed |

mod args;
mod clock;
mod ecdsa;
mod engines;
mod inputs;
mod measure;
mod ops;
mod patterns;
mod record;
mod table;

use args::Args;
use clap::Parser;
use measure::{Cell, Measured};
use std::process::ExitCode;
use std::time::Duration;

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("bench: {message}");
            ExitCode::from(2)
        }
    }
}

fn run(args: &Args) -> Result<(), String> {
    if !sigmill_bench_abi::optimised() {
        return Err("built without optimisation; times would mean nothing (use bench/run)".into());
    }
    if let Some(features) = args.features() {
        sigmill::cpu::force(&features);
    }
    let entrants = engines::load(&args.engines);
    for entrant in &entrants {
        if let Err(reason) = &entrant.engine {
            eprintln!("bench: {} is not available: {reason}", entrant.name);
        }
    }
    let out = args.out.clone().unwrap_or_else(record::default_path);
    let record = record::Record::create(&out)?;
    let mut lines = vec![record::header(&entrants, args)];
    let mut results: Vec<Measured> = Vec::new();
    let mut inputs = inputs::Store::new(args.seed);
    for op in args.ops() {
        for n in op.sizes(&args.n) {
            let cell = Cell { op, n, budget: Duration::from_secs_f64(args.seconds) };
            results.extend(measure::measure(&cell, &entrants, &mut inputs)?);
        }
    }
    if results.is_empty() {
        return Err("no available engine offers any of these operations".into());
    }
    lines.extend(results.iter().map(record::line));
    record.finish(&lines)?;
    print!("{}{}", table::tables(&results), patterns::report(&results));
    println!("\nrecord: {}", out.display());
    Ok(())
}
