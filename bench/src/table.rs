//! The table at the end: per operation and size, each engine's time and what it is to others.

use crate::engines::OURS;
use crate::results::{Counted, Measured};
use std::fmt::Write;

/// A table for each operation and size, the fastest engine first.
pub(crate) fn tables(results: &[Measured]) -> String {
    let mut text = String::from(
        "Microseconds per signature. `to best peer`: median against the fastest median of the engines \
         that are not\nours, whatever their rule. `sigmill/it`: sigmill's median, under the engine's \
         rule if it was measured under that,\nagainst the engine's; below 1 sigmill is faster.\n",
    );
    let rows: Vec<&Measured> = results.iter().filter(|row| row.subject.pattern.is_none()).collect();
    for group in rows.chunk_by(|a, b| a.subject.title() == b.subject.title()) {
        let _ = writeln!(text, "\n{}", group[0].subject.title());
        let _ = writeln!(
            text,
            "  {:<18}{:<12}{:<15}{:>9}{:>9}{:>14}{:>12}",
            "engine", "backend", "rule", "min", "median", "to best peer", "sigmill/it"
        );
        let mut sorted = group.to_vec();
        sorted.sort_by(|a, b| a.ns_median.total_cmp(&b.ns_median));
        let best = sorted.iter().find(|row| !is_ours(row)).map(|row| row.ns_median);
        for row in sorted {
            let subject = &row.subject;
            let ours = ours(group, subject.rule).filter(|_| subject.engine != OURS);
            let _ = writeln!(
                text,
                "  {:<18}{:<12}{:<15}{:>9.3}{:>9.3}{:>14}{:>12}",
                subject.engine,
                subject.backend,
                subject.shown_rule(),
                row.ns_min / 1000.0,
                row.ns_median / 1000.0,
                ratio(Some(row.ns_median), best),
                ratio(ours, Some(row.ns_median)),
            );
        }
    }
    text
}

/// Instructions instead of times.
pub(crate) fn counts(results: &[Counted]) -> String {
    let mut text = String::from("Thousand instructions per signature.\n");
    for group in results.chunk_by(|a, b| a.subject.title() == b.subject.title()) {
        let _ = writeln!(text, "\n{}", group[0].subject.title());
        for Counted { subject, instructions, .. } in group {
            let (engine, backend, rule) = (subject.engine, subject.backend, subject.shown_rule());
            let thousands = instructions / 1000.0;
            let _ = writeln!(text, "  {engine:<18}{backend:<12}{rule:<15}{thousands:>10.1}");
        }
    }
    text
}

fn ratio(time: Option<f64>, to: Option<f64>) -> String {
    time.zip(to).map_or("-".into(), |(time, to)| format!("{:.2}", time / to))
}

/// Whether the engine is this repository in some form.
fn is_ours(row: &Measured) -> bool {
    row.subject.engine.starts_with(OURS)
}

/// Our median under a rule, or under the first that we were measured with.
fn ours(group: &[&Measured], rule: &str) -> Option<f64> {
    let mut ours = group.iter().filter(|row| row.subject.engine == OURS);
    let first = ours.clone().next()?;
    Some(ours.find(|row| row.subject.rule == rule).unwrap_or(first).ns_median)
}
