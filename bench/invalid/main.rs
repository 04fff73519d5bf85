//! Measures what a row of a table of Ed25519 takes where some are invalid; see `run`.
//!
//! Every row has a key of its own, a message of 32 bytes, and the invalid ones, spread at random, a bit of S or of R
//! changed. A figure is the least of some calls on one thread, and every verdict of every call is compared with the single
//! one.

use serde_json::{Value, json};
use sigmill::bulk::{Column, Engine, Outcome, Report, Scratch, Spec, Specs, Strategy, Table};
use sigmill::ed25519::{Rule, SigningKey, Variant, rules, verify_bytes};
use std::process::ExitCode;
use std::time::Instant;

#[allow(dead_code)] // there are no other libraries here to be told
#[path = "../src/cpu.rs"]
mod cpu;

/// How many of a million rows are invalid, beside none and just one.
const SHARES: [usize; 9] = [100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000];

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
    fn new(rows: usize) -> Rows {
        let mut made = Rows { keys: Vec::new(), messages: Vec::new(), signatures: Vec::new() };
        for row in 0..rows {
            let mut seed = [7; 32];
            seed[..8].copy_from_slice(&row.to_le_bytes());
            let key = SigningKey::from_bytes(&seed);
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

fn run(arguments: &[String]) -> Result<(), Box<dyn std::error::Error>> {
    let [rows, rounds, json, commit, date] = arguments else {
        return Err("called by bench/invalid/run".into());
    };
    let (len, rounds): (usize, usize) = (rows.parse()?, rounds.parse()?);
    let cpu = cpu::Cpu::this();
    let backend = Engine::new().backend();
    println!("{} ({}), {backend}, {len} rows, µs a row", cpu.name(), cpu.about());
    println!(
        "{:<8}{:<8}{:>10}{:>10}{:>10}{:>10}   combined / in lanes / singly",
        "rule", "changed", "invalid", "engine", "single", "lanes"
    );
    let mut lines = vec![json!({
        "cpu": cpu.name(), "cpu_id": cpu.about(), "backend": backend.name(), "commit": commit, "date": date,
        "rows": len, "rounds": rounds, "us": "a row, the least of all rounds, one thread",
    })];
    let valid = Rows::new(len);
    let mut counts = vec![0, 1];
    counts.extend(SHARES.map(|share| len * share / 1_000_000));
    counts.dedup_by(|next, before| *next <= *before);
    for (rule, name) in RULES {
        for (what, byte) in CHANGES {
            for count in &counts {
                let rows = valid.with_invalid(*count, byte);
                let (table, expected) = (rows.table(rule)?, rows.singly(rule));
                let measure = |strategy: Option<Strategy>,
                               rounds: usize|
                 -> Result<_, Box<dyn std::error::Error>> {
                    let engine = strategy
                        .map_or(Engine::new(), |strategy| Engine::new().with_strategy(strategy));
                    let mut scratch = vec![Scratch::new(); engine.scratch_len(len)];
                    let (mut outcomes, mut report) = (vec![None; len], Report::default());
                    let mut least = f64::INFINITY;
                    for _ in 0..rounds {
                        let start = Instant::now();
                        report = engine.verify_into(&table, &mut outcomes, &mut scratch)?;
                        least = least.min(start.elapsed().as_secs_f64());
                        if outcomes != expected {
                            return Err("a verdict differs from the single one".into());
                        }
                    }
                    Ok((least * 1e6 / len as f64, report))
                };
                let (engine, report) = measure(None, rounds)?;
                let (single, _) = measure(Some(Strategy::Single), 1)?;
                let (lanes, _) = measure(Some(Strategy::Lanes), 1)?;
                let Report { single: singly, lanes: in_lanes, combined, .. } = report;
                println!(
                    "{name:<8}{what:<8}{count:>10}{engine:>10.2}{single:>10.2}{lanes:>10.2}   {combined} / {in_lanes} / {singly}"
                );
                lines.push(json!({
                    "rule": name, "changed": what, "invalid": count, "us": engine, "us_single": single, "us_lanes": lanes,
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
