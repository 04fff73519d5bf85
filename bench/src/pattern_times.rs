//! The times of signatures with chosen scalars: the worst against the usual ones.

use crate::patterns::USUAL;
use crate::results::Measured;
use std::fmt::Write;

/// For each operation that was measured with patterns: the times of each, and the worst against the
/// usual one; then the curves against each other.
pub(crate) fn report(results: &[Measured]) -> String {
    let mut text = String::new();
    let mut rows: Vec<&Measured> =
        results.iter().filter(|row| row.subject.pattern.is_some()).collect();
    rows.sort_by_key(|row| (row.subject.engine, row.subject.op));
    let mut extremes: Vec<Extremes> = Vec::new();
    for rows in
        rows.chunk_by(|a, b| (a.subject.engine, a.subject.op) == (b.subject.engine, b.subject.op))
    {
        let Some(usual) = rows.iter().find(|row| row.subject.pattern == Some(USUAL)) else {
            continue;
        };
        let _ = writeln!(text, "\n{} by {}, microseconds:", usual.subject.op, usual.subject.engine);
        let _ = writeln!(
            text,
            "  {:<26}{:>9}{:>11}{:>9}{:>11}",
            "scalars", "min", "to random", "median", "to random"
        );
        for row in rows {
            let _ = writeln!(
                text,
                "  {:<26}{:>9.3}{:>11.3}{:>9.3}{:>11.3}",
                row.subject.pattern.unwrap_or_default(),
                row.ns_min / 1000.0,
                row.ns_min / usual.ns_min,
                row.ns_median / 1000.0,
                row.ns_median / usual.ns_median,
            );
        }
        let these = KINDS.map(|(kind, time)| {
            let worst = rows.iter().max_by(|a, b| time(a).total_cmp(&time(b)));
            let worst = worst.expect("the usual one at least");
            let (name, ratio) =
                (worst.subject.pattern.unwrap_or_default(), time(worst) / time(usual));
            let _ = writeln!(text, "  worst by {kind}: {name}, {ratio:.3} of random");
            [time(usual), time(worst)]
        });
        extremes.push((usual.subject.engine, usual.subject.op, these));
    }
    let p384 = extremes.iter().filter(|extremes| extremes.1.starts_with("p384"));
    for (engine, _, p384) in p384 {
        let mut p256 = extremes.iter().filter(|other| other.1.starts_with("p256"));
        let Some((.., p256)) = p256.find(|other| other.0 == *engine) else { continue };
        for (i, (kind, _)) in KINDS.iter().enumerate() {
            let [random, worst] = [0, 1].map(|j| p384[i][j] / p256[i][j]);
            let _ = writeln!(
                text,
                "\nP-384 to P-256 by {engine}, {kind}: random {random:.2}, worst to worst {worst:.2}"
            );
        }
    }
    text
}

/// The figures of the times of a pattern, by name.
type Kind = (&'static str, fn(&Measured) -> f64);

const KINDS: [Kind; 2] = [("minima", |row| row.ns_min), ("medians", |row| row.ns_median)];

/// An engine, an operation, and of each kind the usual time and the worst.
type Extremes = (&'static str, &'static str, [[f64; 2]; 2]);
