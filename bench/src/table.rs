//! The table at the end: per operation and size, each engine's time and what it is to others.

use crate::measure::Measured;
use std::fmt::Write;

const OURS: &str = "sigmill";

/// A table for each operation and size, the fastest engine first.
pub(crate) fn tables(results: &[Measured]) -> String {
    let mut text = String::from(
        "Microseconds per signature. `to fastest`: median against the fastest median. \
         `sigmill/it`: sigmill's\nmedian, under the engine's rule if it was measured under that, \
         against the engine's; below 1 sigmill is faster.\n",
    );
    for group in results.chunk_by(|a, b| (a.op, a.n) == (b.op, b.n)) {
        let _ = writeln!(text, "\n{}, n = {}", group[0].op, group[0].n);
        let _ = writeln!(
            text,
            "  {:<14}{:<12}{:<15}{:>9}{:>9}{:>12}{:>12}",
            "engine", "backend", "rule", "min", "median", "to fastest", "sigmill/it"
        );
        let mut sorted: Vec<&Measured> = group.iter().collect();
        sorted.sort_by(|a, b| a.ns_median.total_cmp(&b.ns_median));
        let fastest = sorted[0].ns_median;
        for row in sorted {
            let ratio = ours(group, row.rule).filter(|_| row.engine != OURS);
            let ratio = ratio.map_or("-".into(), |ours| format!("{:.2}", ours / row.ns_median));
            let _ = writeln!(
                text,
                "  {:<14}{:<12}{:<15}{:>9.3}{:>9.3}{:>12.2}{:>12}",
                row.engine,
                row.backend,
                if row.rule.is_empty() { "-" } else { row.rule },
                row.ns_min / 1000.0,
                row.ns_median / 1000.0,
                row.ns_median / fastest,
                ratio
            );
        }
    }
    text
}

/// Our median under a rule, or under the first that we were measured with.
fn ours(group: &[Measured], rule: &str) -> Option<f64> {
    let mut ours = group.iter().filter(|row| row.engine == OURS);
    let first = ours.clone().next()?;
    Some(ours.find(|row| row.rule == rule).unwrap_or(first).ns_median)
}
