//! Times of sigmill and of other libraries, interleaved slot by slot in one process.
//!
//! | file | what it holds |
//! |---|---|
//! | `args` | the command line |
//! | `cpu` | what the CPU is called, and which of its instructions are hidden |
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
mod cpu;
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
use measure::{Measured, Patience};
use std::process::ExitCode;

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
    let instructions = cpu::Instructions::hide(args.features().as_deref());
    instructions.tell_libraries()?;
    let entrants = engines::load(&args.engines, &instructions.hidden);
    for entrant in &entrants {
        if let Err(reason) = &entrant.engine {
            eprintln!("bench: {} is not available: {reason}", entrant.name);
        }
    }
    let out = args.out.clone().unwrap_or_else(|| record::default_path(&instructions));
    let record = record::Record::create(&out)?;
    let mut lines = vec![record::header(&entrants, &instructions, args)];
    let mut results: Vec<Measured> = Vec::new();
    let mut inputs = inputs::Store::new(args.seed);
    let patience = Patience::new(args);
    let cells: Vec<_> = args.cells().collect();
    for (done, &(op, n)) in (1..).zip(&cells) {
        let share = f64::from(done) / cells.len() as f64;
        results.extend(measure::measure(op, n, &patience, share, &entrants, &mut inputs)?);
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
