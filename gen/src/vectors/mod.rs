//! The test vectors: rows made so that every rule has something to disagree about, and the verdict
//! of each rule on each row from the slow reference.
//!
//! A signature with chosen torsion: A = [a]B + [ta]T, R = [r]B + [tr]T with T of order 8,
//! S = r + k·a mod ℓ. Then [S]B − [k]A − R = −[k·ta + tr]T, so the cofactored equation holds and the
//! exact one holds exactly if k·ta + tr is 0 mod 8.

mod combined;
mod csv;
mod groups;
mod inputs;

use crate::File;
use crate::reference::{Facts, RULES, Variant, facts, public_key, sign, verdict};

/// One row of `verify.csv` without its verdicts.
struct Row {
    group: &'static str,
    note: String,
    variant: Variant,
    context: Vec<u8>,
    key: Vec<u8>,
    message: Vec<u8>,
    signature: Vec<u8>,
}

impl Row {
    fn pure(
        group: &'static str,
        note: impl Into<String>,
        key: &[u8],
        message: &[u8],
        signature: &[u8],
    ) -> Row {
        Row {
            group,
            note: note.into().replace(',', ";"), // a row is split at commas
            variant: Variant::Pure,
            context: Vec::new(),
            key: key.to_vec(),
            message: message.to_vec(),
            signature: signature.to_vec(),
        }
    }
}

/// One row of `sign.csv`.
struct Signed {
    note: String,
    variant: Variant,
    context: Vec<u8>,
    seed: [u8; 32],
    message: Vec<u8>,
}

pub(crate) fn files() -> Result<Vec<File>, String> {
    let signed = groups::signed()?;
    let mut rows = Vec::new();
    for row in signed.iter().filter(|row| row.note.starts_with("RFC 8032")) {
        let signature = sign(&row.seed, row.variant, &row.context, &row.message);
        rows.push(Row {
            group: "rfc8032",
            note: row.note.clone(),
            variant: row.variant,
            context: row.context.clone(),
            key: public_key(&row.seed).to_vec(),
            message: row.message.clone(),
            signature: signature.to_vec(),
        });
    }
    groups::speccheck(&mut rows)?;
    groups::grid(&mut rows);
    groups::torsion(&mut rows)?;
    groups::small_key(&mut rows);
    groups::scalar_range(&mut rows);
    groups::non_canonical(&mut rows);
    groups::off_curve(&mut rows);
    groups::lengths(&mut rows);
    groups::variants(&mut rows);
    groups::bits(&mut rows);
    groups::all_zero(&mut rows);
    groups::honest(&mut rows);
    combined::add(&mut rows)?;
    let verdicts = verdicts(&rows);
    check_totals(&rows, &verdicts)?;
    let mut files = vec![
        ("vectors/rules.csv", csv::rules_csv()),
        ("vectors/ed25519/verify.csv", csv::verify_csv(&rows, &verdicts)),
        ("vectors/ed25519/sign.csv", csv::sign_csv(&signed)),
        ("vectors/ed25519/sign_hedged.csv", csv::sign_hedged_csv(&signed)),
        ("vectors/ed25519/decode.csv", csv::decode_csv()),
    ];
    files.push(("vectors/TOTALS.md", csv::totals_md(&rows, &verdicts, &files)));
    Ok(files)
}

type Verdicts = Vec<[&'static str; 8]>;

fn verdicts(rows: &[Row]) -> Verdicts {
    let judge = |row: &Row| {
        let facts: Result<Facts, _> =
            facts(row.variant, &row.context, &row.key, &row.message, &row.signature);
        RULES.map(|rule| verdict(rule, &facts))
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let share = rows.len().div_ceil(threads);
    std::thread::scope(|scope| {
        let workers: Vec<_> = rows
            .chunks(share)
            .map(|rows| scope.spawn(|| rows.iter().map(judge).collect::<Vec<_>>()))
            .collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().expect("the reference does not panic"))
            .collect()
    })
}

/// The totals that are known from measuring deployed libraries.
fn check_totals(rows: &[Row], verdicts: &Verdicts) -> Result<(), String> {
    let speccheck = [
        "VVVVxxxxxxxV",
        "VVVVxxxxxxxx",
        "VVVVVVxxxxxx",
        "VVVVVVxxxVVV",
        "xxxVxxxxxxxx",
        "xxVVVVxxxxxx",
        "xxxVVVxxxxxx",
        "VVVVxxVxxxxV",
    ];
    let grid = [12, 8, 64, 196, 0, 0, 0, 12];
    for (i, rule) in RULES.iter().enumerate() {
        let of_group = |group| {
            rows.iter()
                .zip(verdicts)
                .filter(move |(row, _)| row.group == group)
                .map(move |(_, v)| v[i] == "ok")
        };
        let letters: String = of_group("speccheck").map(|ok| if ok { 'V' } else { 'x' }).collect();
        if letters != speccheck[i] {
            return Err(format!("speccheck under {rule}: {letters}, expected {}", speccheck[i]));
        }
        let total = of_group("grid").filter(|ok| *ok).count();
        if total != grid[i] {
            return Err(format!("grid under {rule}: {total}, expected {}", grid[i]));
        }
    }
    Ok(())
}
