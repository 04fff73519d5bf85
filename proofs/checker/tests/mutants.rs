//! Certificates with one thing changed: the checker refuses them, or what they say is true all the same.
//! CERTIFICATE_FOLDER names a folder of more certificates than those of this package.

mod common;

use check::Certificate;
use common::{Random, walk};
use num_bigint::BigInt;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Most mutants of a certificate that are looked at, by chance.
const MUTANTS: usize = 2000;

/// The lines that state the theorem.
const THEOREM: [&str; 5] = ["state", "segment", "input", "assume", "goal"];

/// The line without comment, in pieces: the statement, then runs of hexadecimal digits, and the characters between them, one each.
fn pieces(line: &str) -> Vec<String> {
    let statement = line.split(';').next().unwrap_or("").trim_end();
    let operands = statement.find(' ').unwrap_or(statement.len());
    let mut pieces = vec![statement[..operands].to_string()];
    let digit = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
    for c in statement[operands..].chars() {
        match pieces.last_mut() {
            Some(last) if digit(c) && last.ends_with(digit) => last.push(c),
            _ => pieces.push(c.into()),
        }
    }
    pieces
}

/// Every line that the place of `line` may get, in place of it.
fn mutants(line: &str, next: Option<&str>) -> Vec<Vec<String>> {
    let pieces = pieces(line);
    let statement: String = pieces.concat();
    if statement.is_empty() {
        return Vec::new();
    }
    let mut mutants = vec![vec![], vec![statement.clone(), statement.clone()]];
    if let Some(next) = next {
        mutants.push(vec![next.into(), statement.clone()]);
    }
    let mut change = |at: usize, piece: &str| {
        let mut changed = pieces.clone();
        changed[at] = piece.into();
        mutants.push(vec![changed.concat()]);
    };
    for (at, piece) in pieces.iter().enumerate().skip(1) {
        // `f12` is a number or the name of a fact.
        for letter in ["", "f"] {
            let digits = piece.strip_prefix(letter).unwrap_or("");
            if let Some(n) = BigInt::parse_bytes(digits.as_bytes(), 16) {
                let two: BigInt = &n * 2;
                for other in [&n + 1, &n - 1, two, 0.into(), 1.into(), -&n, &n + 0x100] {
                    change(at, &format!("{letter}{other:x}"));
                }
            }
        }
        match piece.as_str() {
            "+" => change(at, "-"),
            "-" if at > 0 && pieces[at - 1] == " " => change(at, ""),
            "-" => change(at, "+"),
            "v" if pieces[at - 1] == " " => change(at, "-v"),
            _ => {}
        }
    }
    let fields: Vec<&str> = statement.split(' ').collect();
    for i in 1..fields.len() {
        let mut without = fields.clone();
        without.remove(i);
        mutants.push(vec![without.join(" ")]);
        if i + 1 < fields.len() {
            let mut swapped = fields.clone();
            swapped.swap(i, i + 1);
            mutants.push(vec![swapped.join(" ")]);
        }
    }
    let same = vec![statement];
    mutants.retain(|lines| *lines != same);
    mutants.sort();
    mutants.dedup();
    mutants
}

/// Counts of mutants.
#[derive(Debug, Default)]
struct Counts {
    refused: usize,
    /// Accepted, by statement: those with the same theorem, and those with another.
    same: BTreeMap<String, usize>,
    other: BTreeMap<String, usize>,
}

fn examine(text: &str, seed: u64, verbose: bool) -> Counts {
    let lines: Vec<&str> = text.lines().collect();
    let header = |line: &str| line.starts_with("kernel") || line.starts_with("code");
    let mut all: Vec<(usize, Vec<String>)> = Vec::new();
    let mut random = Random(seed);
    let stated = |i: usize| {
        lines
            .get(i)
            .map(|line| line.split(';').next().unwrap_or("").trim_end())
            .filter(|line| !line.is_empty())
    };
    // Few lines of a long certificate, all of a short one; then few of their mutants.
    let chosen = 1 + lines.len() / MUTANTS;
    for i in (0..lines.len()).filter(|&i| !header(lines[i]) && random.below(chosen) == 0) {
        all.extend(mutants(lines[i], stated(i + 1)).into_iter().map(|lines| (i, lines)));
    }
    while all.len() > MUTANTS {
        all.swap_remove(random.below(all.len()));
    }
    all.sort();
    let mut counts = Counts::default();
    let mut certificate = Certificate::default();
    let mut read = 0;
    for (i, changed) in all {
        for line in &lines[read..i] {
            certificate = certificate.line(line).unwrap();
        }
        read = i;
        // A mutant that exchanges two lines stands for both.
        let rest = i + if changed.len() == 2 && stated(i + 1) == Some(changed[0].as_str()) {
            2
        } else {
            1
        };
        let after = changed.iter().map(String::as_str).chain(lines[rest..].iter().copied());
        let accepted =
            after.clone().try_fold(certificate.clone(), |certificate, line| certificate.line(line));
        if !accepted.is_ok_and(|certificate| certificate.is_complete()) {
            counts.refused += 1;
            continue;
        }
        let mutant: String =
            lines[..i].iter().copied().chain(after).flat_map(|line| [line, "\n"]).collect();
        if verbose {
            println!("{}: {} -> {changed:?}", i + 1, lines[i]);
        }
        let samples = |ranges: &[(BigInt, BigInt)]| {
            (0..30)
                .map(|_| ranges.iter().map(|(low, high)| random.within(low, high)).collect())
                .collect()
        };
        walk(&mutant, samples)
            .unwrap_or_else(|error| panic!("{}: {} -> {changed:?}: {error}", i + 1, lines[i]));
        let word = lines[i].split(' ').next().unwrap_or("").to_string();
        let theorem = THEOREM.contains(&word.as_str())
            || changed.iter().any(|line| THEOREM.iter().any(|word| line.starts_with(word)));
        *if theorem { counts.other.entry(word) } else { counts.same.entry(word) }.or_default() += 1;
    }
    counts
}

#[test]
fn mutants_are_refused_or_true() {
    let seen = pieces("linear f5 1 3*v1f-ff 1@f1 ; x").join("|");
    assert_eq!(seen, "linear| |f5| |1| |3|*|v|1f|-|ff| |1|@|f1");
    let own = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/certificates"));
    let more = std::env::var_os("CERTIFICATE_FOLDER").map(PathBuf::from);
    let verbose = std::env::var_os("VERBOSE").is_some();
    for folder in [Some(own), more].into_iter().flatten() {
        let mut files: Vec<_> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.retain(|file| file.extension().is_some_and(|extension| extension == "cert"));
        files.sort();
        assert!(!files.is_empty());
        for file in files {
            let counts = examine(&std::fs::read_to_string(&file).unwrap(), 1, verbose);
            println!("{}: {counts:?}", file.display());
            assert!(counts.refused > 100);
        }
    }
}
