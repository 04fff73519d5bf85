//! Times of sigmill and of other libraries, interleaved slot by slot in one process.
//!
//! | file | what it holds |
//! |---|---|
//! | `args` | the command line |
//! | `cpu` | what the CPU is called, and which of its instructions are hidden |
//! | `ops` | the operations by name, their sizes, messages and answers |
//! | `inputs` | random keys, messages and signatures, and damaged ones |
//! | `ecdsa` | rows of ECDSA |
//! | `patterns`, `pattern_times` | ECDSA signatures with chosen scalars, and what they cost |
//! | `random`, `row` | random numbers, and the values of a row |
//! | `engines/` | who takes part: one file for each, or a package below `peers/` |
//! | `measure` | checks, slots, and the order of the slots |
//! | `threads` | how many there are |
//! | `results` | times and counts, and what they are of |
//! | `positions` | the stack at positions modulo 4096, and what they cost |
//! | `clock` | counters of time and of instructions |
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
mod pattern_times;
mod patterns;
mod positions;
mod programs;
mod random;
mod record;
mod results;
mod row;
mod table;
mod threads;

use args::Args;
use clap::Parser;
use engines::Entrant;
use measure::Patience;
use positions::{Positions, Spread};
use results::{Counted, Measured};
use serde_json::Value;
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
    threads::begin();
    if let Some(counter) = &args.counter {
        clock::count_instructions(counter)?;
    }
    let instructions = cpu::Instructions::hide(args.features().as_deref());
    instructions.tell_libraries()?;
    let entrants = engines::load(&args.engines, &instructions.hidden);
    for entrant in &entrants {
        if let Err(reason) = &entrant.engine {
            eprintln!("bench: {} is not available: {reason}", entrant.name);
        }
    }
    let out = match (&args.out, args.positions) {
        (None, None) => Some(record::default_path(&instructions)),
        (out, _) => out.clone(),
    };
    let record = out.as_deref().map(record::Record::create).transpose()?;
    let mut lines = vec![record::header(&entrants, &instructions, args)];
    let (rows, text) = match (&args.counter, args.positions) {
        (Some(_), _) => counted(args, &entrants)?,
        (None, Some(positions)) => measured_at(positions, args, &entrants)?,
        (None, None) => measured(args, &entrants)?,
    };
    if rows.is_empty() {
        return Err("no available engine offers any of these operations".into());
    }
    lines.extend(rows);
    if let Some(record) = record {
        record.finish(&lines)?;
    }
    print!("{text}");
    if let Some(out) = out {
        println!("\nrecord: {}", out.display());
    }
    Ok(())
}

/// The lines of the record, and what is printed.
type Results = (Vec<Value>, String);

fn measured(args: &Args, entrants: &[Entrant]) -> Result<Results, String> {
    let mut results: Vec<Measured> = Vec::new();
    let mut inputs = inputs::Store::new(args.seed);
    let patience = Patience::new(args);
    let cells: Vec<_> = args.cells().collect();
    for (done, &(op, n)) in (1..).zip(&cells) {
        let share = f64::from(done) / cells.len() as f64;
        results.extend(measure::measure(op, n, &patience, share, entrants, &mut inputs)?);
    }
    let text = table::tables(&results) + &pattern_times::report(&results);
    Ok((results.iter().map(record::line).collect(), text))
}

fn counted(args: &Args, entrants: &[Entrant]) -> Result<Results, String> {
    let mut results: Vec<Counted> = Vec::new();
    let mut inputs = inputs::Store::new(args.seed);
    for (op, n) in args.cells() {
        results.extend(measure::count(op, n, entrants, &mut inputs)?);
    }
    Ok((results.iter().map(record::count_line).collect(), table::counts(&results)))
}

fn measured_at(positions: Positions, args: &Args, entrants: &[Entrant]) -> Result<Results, String> {
    positions.check()?;
    let mut spreads: Vec<Spread> = Vec::new();
    let mut inputs = inputs::Store::new(args.seed);
    let budget = Duration::from_secs_f64(args.seconds);
    for (op, n) in args.cells() {
        let these = measure::measure_positions(op, n, positions, budget, entrants, &mut inputs)?;
        spreads.extend(these);
    }
    let text = positions::report(&spreads, positions);
    Ok((spreads.iter().map(record::spread_line).collect(), text))
}
