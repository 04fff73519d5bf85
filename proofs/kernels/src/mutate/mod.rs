//! Mutants: the code of a kernel with one instruction changed, in each of ten ways.

mod changes;
mod same;

pub(crate) use changes::COPY;
pub use changes::{Change, changes};
pub(crate) use same::Blocks;

use crate::arch::Arch;
use crate::error::Result;
use crate::image::Image;
use crate::kernel::{Kernel, Outcome, Place};
use crate::samples::Samples;

/// Runs on numbers that each mutant has to pass to come before the prover.
const SCREEN: usize = 16;
/// Runs on numbers that each proven mutant has to pass.
const CHECK: usize = 48;

/// Mutants that are proven, and why that is right: patterns KERNEL | CHANGE | REASON, a line each.
pub const LISTED: &str = include_str!("../../equivalent.txt");

/// An entry of the list: patterns of the kernel and of the change, in which `*` is any text, and the reason.
pub struct Entry<'a> {
    kernel: &'a str,
    change: &'a str,
    /// Why such a mutant computes the same.
    pub reason: &'a str,
}

/// Entries of a list of proven mutants; a line that is none is left out, so its mutants are not listed.
pub fn entries(list: &str) -> Vec<Entry<'_>> {
    let lines = list.lines().filter(|l| !l.starts_with('#'));
    let fields = lines.filter_map(|l| {
        let (kernel, rest) = l.split_once(" | ")?;
        let (change, reason) = rest.split_once(" | ")?;
        Some(Entry { kernel, change, reason: reason.trim() })
    });
    fields.filter(|e| !e.reason.is_empty()).collect()
}

impl Entry<'_> {
    /// Whether it is about a change.
    pub fn lists(&self, kernel: &str, change: &str) -> bool {
        fits(self.kernel, kernel) && fits(self.change, change)
    }
}

/// Whether a text is that of a pattern.
fn fits(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((start, rest)) => text.strip_prefix(start).is_some_and(|text| {
            (0..=text.len()).any(|n| text.get(n..).is_some_and(|text| fits(rest, text)))
        }),
    }
}

/// Fates of the mutants of a kernel.
#[derive(Debug, Default)]
pub struct Report {
    /// All of them.
    pub mutants: usize,
    /// Those that leave another result for some numbers.
    pub killed: usize,
    /// Those that the prover refuses.
    pub refused: usize,
    /// Proven ones that compute the same by their instructions alone, which need no line in the list.
    pub same: usize,
    /// Other proven ones, with their reason; an empty one, if none is listed.
    pub proven: Vec<(String, String)>,
    /// Mutants that are proven or compute the same, though their result differs for some numbers or does not hold.
    pub wrong: Vec<String>,
}

impl Report {
    /// Whether every proven mutant is listed and gives the same results.
    pub fn passes(&self) -> bool {
        let listed = self.proven.iter().all(|(_, reason)| !reason.is_empty());
        listed && self.wrong.is_empty()
    }
}

/// The mutants of a kernel, of which every `stride`-th goes through, and of those killed every `killed`-th before the prover too.
pub fn mutate<A: Arch>(
    kernel: &Kernel<A>,
    image: &Image,
    list: &str,
    (stride, killed): (usize, usize),
) -> Result<Report> {
    let proof = kernel.prove(image)?;
    let place = &proof.place;
    let originals: Vec<Outcome> = (0..SCREEN + CHECK)
        .map(|run| kernel.execute(image, place, Samples::new(run)))
        .collect::<Result<_>>()?;
    let listed = entries(list);
    let same_effect = A::same(kernel, image, place);
    let mut report = Report::default();
    for change in A::changes(place).into_iter().step_by(stride.max(1)) {
        report.mutants += 1;
        let mutant = Place { code: change.applied(&place.code), ..place.clone() };
        let outcome = |run: usize| kernel.execute(image, &mutant, Samples::new(run));
        let proven = || kernel.proves(image, &mutant, &proof.reference);
        // a run that stops is the prover's to refuse; another result for which the goals hold, too
        let differs = |run: &usize| match outcome(*run) {
            Ok(Outcome::Ended(_, Some(true))) | Err(_) => false,
            Ok(o) => o != originals[*run],
        };
        if let Some(run) = (0..SCREEN).find(differs) {
            report.killed += 1;
            if same_effect(&change) {
                report
                    .wrong
                    .push(format!("{} computes the same, and differs in run {run}", change.text));
            }
            if killed > 0 && report.killed % killed == 0 && proven() {
                report.wrong.push(format!("{} is proven, and differs in run {run}", change.text));
            }
            continue;
        }
        if !proven() {
            report.refused += 1;
            continue;
        }
        let same = |run: &usize| outcome(*run).is_ok_and(|o| o == originals[*run]);
        if let Some(run) = (0..SCREEN + CHECK).find(|run| !same(run)) {
            report.wrong.push(format!("{} is proven, and differs in run {run}", change.text));
        }
        if same_effect(&change) {
            report.same += 1;
            continue;
        }
        let entry = listed.iter().find(|e| e.lists(kernel.name, &change.text));
        let reason = entry.map_or("", |e| e.reason).to_owned();
        report.proven.push((change.text, reason));
    }
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_hold_any_text() {
        assert!(fits("*: mov *: doubled", "12: mov rax,[rsi+8]: doubled"));
        assert!(!fits("*: mov *: doubled", "12: mov rax,[rsi+8]: doubled twice"));
        assert!(fits("p256 *", "p256 halve") && !fits("p256", "p256 halve"));
        let list = entries("# comment\na | * | why\nb | * | \nc\n");
        assert!(list.len() == 1 && list[0].lists("a", "x") && !list[0].lists("b", "x"));
    }
}
