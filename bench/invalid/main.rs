//! Measures what a table of Ed25519 takes where some rows are invalid, as a multiple of what it takes where none is; see `run`.
//!
//! Every row has a message of 32 bytes, and the invalid ones, spread at random, a bit of S or of R changed. In each turn the table
//! without invalid rows is verified, the one with them, and the same by the strategy that takes each row by its own equation, one
//! after the other on one thread; a figure is the median of the turns' quotients. Every verdict of every call is compared with
//! the single one.

use serde_json::{Value, json};
use sigmill::bulk::{Column, Engine, Outcome, Report, Scratch, Spec, Specs, Strategy, Table};
use sigmill::cpu::Backend;
use sigmill::ed25519::{Rule, SigningKey, Variant, rules, verify_bytes};
use std::process::ExitCode;
use std::time::Instant;

#[allow(dead_code)] // there are no other libraries here to be told
#[path = "../src/cpu.rs"]
mod cpu;

/// How many of a million rows are invalid.
const SHARES: [usize; 9] = [100, 1000, 3000, 4200, 8400, 10_000, 30_000, 100_000, 1_000_000];

/// The change that makes a row invalid, and the byte of its signature.
const CHANGES: [(&str, usize); 2] = [("s", 33), ("r", 1)];

/// The rules, one for each equation.
const RULES: [(&Rule, &str); 2] = [(&rules::COMMON, "common"), (&rules::ZIP215, "zip215")];

/// Columns of a table.
#[derive(Clone)]
struct Rows {
    keys: Vec<u8>,
    messages: Vec<u8>,
    signatures: Vec<u8>,
}

impl Rows {
    fn new(rows: usize, keys: usize) -> Rows {
        let mut made = Rows { keys: Vec::new(), messages: Vec::new(), signatures: Vec::new() };
        for row in 0..rows {
            let mut seed = [7; 32];
            seed[..8].copy_from_slice(&(row % keys).to_le_bytes());
            let key = SigningKey::from_bytes(&seed);
            seed[8..16].copy_from_slice(&row.to_le_bytes());
            made.keys.extend(key.verifying_key().to_bytes());
            made.messages.extend(seed);
            made.signatures.extend(key.sign_with(Variant::Pure, &seed).to_bytes());
        }
        made
    }

    /// The same with so many rows changed.
    fn with_invalid(&self, count: usize, byte: usize) -> Rows {
        let mut changed = self.clone();
        let len = self.keys.len() / 32;
        let mut order: Vec<usize> = (0..len).collect();
        let mut state = 1_u64;
        for i in 0..count {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            order.swap(i, i + (state >> 33) as usize % (len - i));
            changed.signatures[64 * order[i] + byte] ^= 1;
        }
        changed
    }

    fn singly(&self, rule: &Rule) -> Vec<Outcome> {
        let rows =
            self.keys.chunks(32).zip(self.messages.chunks(32)).zip(self.signatures.chunks(64));
        rows.map(|((key, message), signature)| {
            Some(verify_bytes(rule, Variant::Pure, key, message, signature))
        })
        .collect()
    }

    fn table(&self, rule: &Rule) -> Result<Table<'_>, Box<dyn std::error::Error>> {
        let len = self.keys.len() / 32;
        let column = |bytes, width| Column::fixed(bytes, width, len, None);
        let (keys, messages) = (column(&self.keys, 32)?, column(&self.messages, 32)?);
        let spec = Specs::Same(Spec::ed25519(rule, Variant::Pure));
        Ok(Table::new(keys, messages, column(&self.signatures, 64)?, spec)?)
    }
}

/// Microseconds of a call, and its report.
fn call(
    engine: &Engine,
    table: &Table<'_>,
    expected: &[Outcome],
    scratch: &mut [Scratch],
) -> Result<(f64, Report), Box<dyn std::error::Error>> {
    let mut outcomes = vec![None; table.len()];
    let start = Instant::now();
    let report = engine.verify_into(table, &mut outcomes, scratch)?;
    let time = start.elapsed().as_secs_f64() * 1e6;
    if outcomes != expected {
        return Err("a verdict differs from the single one".into());
    }
    Ok((time, report))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn run(arguments: &[String]) -> Result<(), Box<dyn std::error::Error>> {
    let [rows, keys, rounds, backend, json, commit, date] = arguments else {
        return Err("called by bench/invalid/run".into());
    };
    let (len, keys, rounds): (usize, usize, usize) =
        (rows.parse()?, keys.parse()?, rounds.parse()?);
    let keys = if keys == 0 { len } else { keys };
    let cpu = cpu::Cpu::this();
    let mut engine = Engine::new();
    if !backend.is_empty() {
        let named =
            Backend::from_name(backend).ok_or_else(|| format!("no backend is named {backend}"))?;
        engine = engine.with_backend(named)?;
    }
    let backend = engine.backend();
    let own = engine.with_strategy(if backend == Backend::Portable {
        Strategy::Single
    } else {
        Strategy::Lanes
    });
    println!("{} ({}), {backend}, {len} rows, {keys} keys", cpu.name(), cpu.about());
    println!(
        "{:<8}{:<8}{:>10}{:>8}{:>10}{:>10}   combined / in lanes / singly",
        "rule", "changed", "invalid", "times", "own", "us a row"
    );
    let mut lines = vec![json!({
        "cpu": cpu.name(), "cpu_id": cpu.about(), "backend": backend.name(), "commit": commit, "date": date,
        "rows": len, "keys": keys, "rounds": rounds,
        "times": "of the table without invalid rows, median of quotients; own: each row by its own equation",
    })];
    let valid = Rows::new(len, keys);
    let mut counts = SHARES.map(|share| len * share / 1_000_000).to_vec();
    counts.dedup_by(|next, before| *next <= *before);
    for (rule, name) in RULES {
        let (clean, all_valid) = (valid.table(rule)?, valid.singly(rule));
        for (what, byte) in CHANGES {
            for count in &counts {
                let rows = valid.with_invalid(*count, byte);
                let (table, expected) = (rows.table(rule)?, rows.singly(rule));
                let mut scratch =
                    vec![Scratch::new(); engine.scratch_len(len).max(own.scratch_len(len))];
                let (mut times, mut own_times, mut cleans) = (vec![], vec![], vec![]);
                let mut strategies = Report::default();
                for _ in 0..rounds {
                    let (of_clean, _) = call(&engine, &clean, &all_valid, &mut scratch)?;
                    let (time, report) = call(&engine, &table, &expected, &mut scratch)?;
                    let (of_own, _) = call(&own, &table, &expected, &mut scratch)?;
                    strategies = report;
                    times.push(time / of_clean);
                    own_times.push(of_own / of_clean);
                    cleans.push(time / len as f64);
                }
                let [times, own_times, us] = [times, own_times, cleans].map(median);
                let Report { single: singly, lanes: in_lanes, combined, .. } = strategies;
                println!(
                    "{name:<8}{what:<8}{count:>10}{times:>8.2}{own_times:>10.2}{us:>10.2}   {combined} / {in_lanes} / {singly}"
                );
                lines.push(json!({
                    "rule": name, "changed": what, "invalid": count, "times": times, "own": own_times, "us": us,
                    "combined": combined, "in_lanes": in_lanes, "singly": singly,
                }));
            }
        }
    }
    if !json.is_empty() {
        let text: String = lines.iter().map(|line: &Value| format!("{line}\n")).collect();
        std::fs::write(json, text)?;
    }
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("invalid: {error}");
            ExitCode::FAILURE
        }
    }
}
