//! The engine on the rows of `bench/python/measure.py`, without Python: what that is compared with.
//!
//! `engine` answers each line of standard input with the seconds of one run: `verify`, `sign`: of one operation of
//! Ed25519, a median of 2,000 after 200 others; `rows N THREADS`: of verifying N rows; `short N LAYOUT`: of refusing N rows for the length
//! of their keys, on one thread.

use rayon::ThreadPoolBuilder;
use sigmill::bulk::{Column, Engine, Spec, Specs, Table};
use sigmill::ed25519::{Signer, SigningKey, Variant, Verifier, rules};
use std::error::Error;
use std::hint::black_box;
use std::io::{self, BufRead, Write};
use std::time::Instant;

/// The key of a row, and its message.
fn row(i: usize) -> (SigningKey, [u8; 8]) {
    let message = (i as u64).to_le_bytes();
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&message);
    (SigningKey::from_bytes(&seed), message)
}

fn median(mut work: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..2200)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64()
        })
        .skip(200)
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn main() -> Result<(), Box<dyn Error>> {
    let (key, _) = row(7);
    let (public, message) = (key.verifying_key(), [7; 32]);
    let signature = key.sign(&message);
    let mut rows: Vec<([u8; 32], [u8; 8], [u8; 64])> = Vec::new();
    let mut stdout = io::stdout();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split(' ').collect();
        let seconds = match words[..] {
            ["verify"] => median(|| {
                let _ = black_box(public.verify(black_box(&message), &signature));
            }),
            ["sign"] => median(|| {
                black_box(key.sign(black_box(&message)));
            }),
            ["rows", n, threads] => {
                let n: usize = n.parse()?;
                for i in rows.len()..n {
                    let (key, message) = row(i);
                    rows.push((
                        key.verifying_key().to_bytes(),
                        message,
                        key.sign(&message).to_bytes(),
                    ));
                }
                let keys: Vec<u8> = rows[..n].iter().flat_map(|row| row.0).collect();
                let messages: Vec<u8> = rows[..n].iter().flat_map(|row| row.1).collect();
                let signatures: Vec<u8> = rows[..n].iter().flat_map(|row| row.2).collect();
                let pool = ThreadPoolBuilder::new().num_threads(threads.parse()?).build()?;
                let start = Instant::now();
                let table = Table::new(
                    Column::fixed(&keys, 32, n, None)?,
                    Column::fixed(&messages, 8, n, None)?,
                    Column::fixed(&signatures, 64, n, None)?,
                    Specs::Same(Spec::ed25519(&rules::COMMON, Variant::Pure)),
                )?;
                let (outcomes, _) = pool.install(|| Engine::new().verify_parallel(&table))?;
                let seconds = start.elapsed().as_secs_f64();
                if !outcomes.iter().all(|outcome| outcome.is_some_and(|verdict| verdict.is_valid()))
                {
                    return Err("a row is not valid".into());
                }
                seconds
            }
            ["short", n, layout] => {
                let n: usize = n.parse()?;
                let (keys, messages, signatures) =
                    (vec![1; 31 * n], vec![2; 8 * n], vec![3; 64 * n]);
                let offsets =
                    |width: usize| (0..=n).map(|i| (i * width) as i32).collect::<Vec<_>>();
                let (of_keys, of_messages, of_signatures) = (offsets(31), offsets(8), offsets(64));
                let column = |bytes, width, offsets| match layout {
                    "fixed" => Column::fixed(bytes, width, n, None),
                    _ => Column::binary(offsets, bytes, None),
                };
                let mut codes = vec![0; n];
                let engine = Engine::new();
                let start = Instant::now();
                let table = Table::new(
                    column(&keys, 31, &of_keys)?,
                    column(&messages, 8, &of_messages)?,
                    column(&signatures, 64, &of_signatures)?,
                    Specs::Same(Spec::ed25519(&rules::COMMON, Variant::Pure)),
                )?;
                let mut scratch = vec![sigmill::bulk::Scratch::new(); engine.scratch_len(n)];
                engine.verify_codes_into(&table, &mut codes, &mut scratch)?;
                start.elapsed().as_secs_f64()
            }
            _ => return Err(format!("unknown: {line}").into()),
        };
        writeln!(stdout, "{seconds}")?;
        stdout.flush()?;
    }
    Ok(())
}
