//! A report about a table of signatures as one page of HTML: how many rows had which verdict, where the others lie, which
//! keys they have, and what other rules say of them. Batches are counted as they are verified; memory and page are
//! bounded, whatever the table.
//!
//! ```
//! use sigmill::bulk::{Column, Engine, Spec, Specs, Table};
//! use sigmill::ed25519::{Signer, SigningKey, Variant, rules};
//! use sigmill_report::{Report, Rows, Settings, code_of};
//!
//! let key = SigningKey::from_bytes(&[7; 32]);
//! let (public, signature) = (key.verifying_key().to_bytes(), key.sign(b"one").to_bytes());
//! let cells: [[&[u8]; 2]; 3] = [[&public; 2], [b"one", b"two"], [&signature; 2]];
//! let [keys, messages, signatures] = cells.each_ref().map(|cells| Column::slices(cells));
//! let specs = Specs::Same(Spec::ed25519(&rules::COMMON, Variant::Pure));
//!
//! let engine = Engine::new();
//! let mut report = Report::new(Settings::new("two rows", engine));
//! let (outcomes, _) = engine.verify(&Table::new(keys, messages, signatures, specs)?)?;
//! let codes: Vec<u8> = outcomes.into_iter().map(code_of).collect();
//! report.add(0, &Rows { keys, messages, signatures, specs, codes: &codes })?;
//! assert!(report.html().contains("equation"));
//! # Ok::<(), sigmill::bulk::BulkError>(())
//! ```

// Rows are counted here; `page` shows the counts. No rule is decided here: the library gives the verdict of
// another rule.

mod bins;
mod edge;
mod keys;
mod kind;
mod page;
mod said;
mod text;

use bins::Bins;
use keys::{Frequent, Key};
use kind::{Kind, under};
use said::Said;
use sigmill::Reason;
use sigmill::bulk::{
    self, BulkError, Column, Engine, NULL_CODE, Outcome, Spec, Specs, Strategy, Table,
};
use sigmill::ed25519::{Rule, rules};
use std::collections::BTreeMap;
use std::ops::Range;
use std::time::{Duration, SystemTime};

/// The code of a row that is valid.
const VALID_CODE: u8 = 0;
/// The code of a row that names an algorithm, rule or variant that nobody knows.
pub const UNKNOWN_CODE: u8 = 254;
/// The code of a row whose context is too long, or one that its variant cannot have.
pub const CONTEXT_CODE: u8 = 253;
/// The code of a row with a cell that cannot be read.
pub const UNREADABLE_CODE: u8 = 252;

const _: () = {
    let mut rest = Reason::ALL;
    while let [reason, others @ ..] = rest {
        assert!(reason.code() != VALID_CODE && reason.code() < UNREADABLE_CODE);
        rest = others;
    }
};

/// So many invalid rows are listed, and so many without a verdict.
const LISTED: [usize; 2] = [100, 25];
/// No more rows of a kind than this are tried under the other rules: the first ones, then one for every so many rows of
/// the table.
const MOST_TRIED: u64 = 10_000;
const FIRST_TRIED: u64 = 512;
const TRIED_EVERY: u64 = 2048;

/// So many rows one thread looks at.
const PART: usize = 4096;

/// How many rows of a kind may have been tried up to this one: what trying costs is then a part of what verifying does,
/// and the rows are those of the whole table.
const fn may_be_tried(row: u64) -> u64 {
    let may = FIRST_TRIED.saturating_add(row / TRIED_EVERY);
    if may < MOST_TRIED { may } else { MOST_TRIED }
}

/// The byte of a verdict, as [`Rows::codes`] has it.
pub fn code_of(outcome: Outcome) -> u8 {
    outcome.map_or(NULL_CODE, |verdict| verdict.code())
}

/// The parts of a report that are not in the rows.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The name of the table.
    pub table: String,
    /// The program that made the report, with its version.
    pub program: String,
    /// When it was made.
    pub date: SystemTime,
    /// The engine that verified the rows; it tries the other rules, too.
    pub engine: Engine,
    /// More to be said about how the table was checked: names and values.
    pub details: Vec<(String, String)>,
    /// Rows that are invalid before the library sees them.
    pub refusals: Vec<Refusal>,
    /// The bytes of keys, and their names.
    pub key_names: Vec<(Vec<u8>, String)>,
}

/// A reason of the caller's own for which a row is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The code in [`Rows::codes`], which is none of a [`Reason`] and none of this crate.
    pub code: u8,
    /// The name.
    pub name: &'static str,
    /// The name in words.
    pub text: &'static str,
}

impl Settings {
    /// A report about a table with this name, made now by this version of the library.
    pub fn new(table: impl Into<String>, engine: Engine) -> Self {
        let program = concat!("sigmill ", env!("CARGO_PKG_VERSION")).to_owned();
        Settings {
            table: table.into(),
            program,
            date: SystemTime::now(),
            engine,
            details: Vec::new(),
            refusals: Vec::new(),
            key_names: Vec::new(),
        }
    }
}

/// Rows that have been verified.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// The public keys.
    pub keys: Column<'a>,
    /// The messages.
    pub messages: Column<'a>,
    /// The signatures.
    pub signatures: Column<'a>,
    /// The specification of each row.
    pub specs: Specs<'a>,
    /// The code of each row: 0 if it is valid, the code of the [`Reason`] if it is not; [`NULL_CODE`],
    /// [`UNKNOWN_CODE`], [`CONTEXT_CODE`] or [`UNREADABLE_CODE`] if there is no verdict; or the code of a
    /// [`Refusal`] of the settings.
    pub codes: &'a [u8],
}

impl<'a> Rows<'a> {
    fn check(&self) -> Result<(), BulkError> {
        let expected = self.codes.len();
        let spec_rows = match self.specs {
            Specs::Same(_) => expected,
            Specs::PerRow { index, .. } => index.len(),
        };
        for (what, got) in [
            ("key column", self.keys.len()),
            ("message column", self.messages.len()),
            ("signature column", self.signatures.len()),
            ("spec index", spec_rows),
        ] {
            if got != expected {
                return Err(BulkError::Rows { what, expected, got });
            }
        }
        Ok(())
    }

    /// The number of the spec of a row.
    fn group(&self, row: usize) -> usize {
        match self.specs {
            Specs::Same(_) => 0,
            Specs::PerRow { index, .. } => index.get(row).map_or(usize::MAX, |i| *i as usize),
        }
    }

    fn distinct(&self) -> &[Spec<'a>] {
        match &self.specs {
            Specs::Same(spec) => std::slice::from_ref(spec),
            Specs::PerRow { distinct, .. } => distinct,
        }
    }

    fn all_of(&self, row: usize) -> Option<[&'a [u8]; 3]> {
        Some([self.keys.get(row)?, self.messages.get(row)?, self.signatures.get(row)?])
    }
}

/// The verdicts of all rules on some rows of a kind.
#[derive(Clone, Debug, Default)]
struct Tried {
    /// How many there are.
    met: u64,
    /// How many of these were tried.
    tried: u64,
    /// For each rule, how many of them have which code.
    codes: [BTreeMap<u8, u64>; rules::ALL.len()],
}

impl Tried {
    /// Meets a row; whether it is to be tried.
    fn meets(&mut self, row: u64) -> bool {
        self.met += 1;
        let tries = self.tried < may_be_tried(row);
        self.tried += u64::from(tries);
        tries
    }
}

/// A row that is listed.
#[derive(Clone, Debug)]
struct Listed {
    row: u64,
    code: u8,
    key: Option<Key>,
    /// The rules under which it is valid, if they were tried.
    valid_under: Option<Vec<&'static Rule>>,
}

/// A row that is tried: its place in its batch, and in the list.
struct Chosen {
    place: usize,
    listed: Option<usize>,
}

/// Rows of one kind that have been tried and how.
#[derive(Clone, Copy)]
enum Why {
    Invalid,
    Edge,
}

/// Whether a rayon pool waits for this thread. The global one is not asked for: where no thread can be made, it panics.
fn is_in_pool() -> bool {
    rayon_core::current_thread_index().is_some()
}

/// The places of the edge rows in a part of a batch.
fn edges_among(rows: &Rows<'_>, is_ed25519: &[bool], part: Range<usize>) -> Vec<usize> {
    if part.len() > PART && is_in_pool() {
        let middle = part.start + part.len() / 2;
        let [first, second] = [part.start..middle, middle..part.end];
        let (mut edges, mut others) = rayon_core::join(
            || edges_among(rows, is_ed25519, first),
            || edges_among(rows, is_ed25519, second),
        );
        edges.append(&mut others);
        return edges;
    }
    let is_edge = |place: &usize| {
        rows.codes[*place] == VALID_CODE
            && is_ed25519.get(rows.group(*place)) == Some(&true)
            && matches!(
                (rows.keys.get(*place), rows.signatures.get(*place)),
                (Some(key), Some(signature)) if edge::is_edge(key, signature)
            )
    };
    part.filter(is_edge).collect()
}

/// The counts of a table.
#[derive(Clone, Debug)]
pub struct Report {
    settings: Settings,
    counts: Vec<u64>,
    /// Rows that are invalid, and rows without a verdict.
    bins: Bins<2>,
    /// The keys of invalid rows.
    keys: Frequent,
    kinds: BTreeMap<Kind, u64>,
    /// The first invalid rows, and the first without a verdict.
    listed: [Vec<Listed>; 2],
    invalid: Tried,
    edges: Tried,
    time: Option<Duration>,
    strategies: bulk::Report,
}

impl Report {
    /// A report about a table of which no row is known.
    pub fn new(settings: Settings) -> Self {
        Report {
            settings,
            counts: vec![0; 256],
            bins: Bins::new(),
            keys: Frequent::default(),
            kinds: BTreeMap::new(),
            listed: [Vec::new(), Vec::new()],
            invalid: Tried::default(),
            edges: Tried::default(),
            time: None,
            strategies: bulk::Report::default(),
        }
    }

    /// Counts a batch, of which this is the number of the first row. Batches come in the order of the table. Some rows are
    /// verified under every rule: on all threads of the rayon pool that this is called in, or on this thread.
    ///
    /// # Errors
    /// [`BulkError::Rows`] if columns, specs and codes differ in length, and what verifying has.
    pub fn add(&mut self, first_row: u64, rows: &Rows<'_>) -> Result<(), BulkError> {
        rows.check()?;
        let kinds: Vec<Kind> = rows.distinct().iter().map(Kind::of).collect();
        let is_ed25519: Vec<bool> =
            kinds.iter().map(|kind| matches!(kind, Kind::Ed25519(..))).collect();
        let is_invalid: [bool; 256] =
            std::array::from_fn(|code| self.said(code as u8).is_invalid());
        self.count_kinds(rows, &kinds);
        let mut chosen = [Vec::new(), Vec::new()];
        for place in edges_among(rows, &is_ed25519, 0..rows.codes.len()) {
            if self.edges.meets(first_row + place as u64) {
                chosen[Why::Edge as usize].push(Chosen { place, listed: None });
            }
        }
        for (place, (row, code)) in (first_row..).zip(rows.codes).enumerate() {
            self.counts[usize::from(*code)] += 1;
            if *code == VALID_CODE {
                continue;
            }
            let is_invalid = is_invalid[usize::from(*code)];
            let list = usize::from(!is_invalid);
            self.bins.add(row, list);
            let key = rows.keys.get(place);
            let listed = self.listed[list].len();
            let lists = listed < LISTED[list];
            if lists {
                let key = key.map(Key::of);
                self.listed[list].push(Listed { row, code: *code, key, valid_under: None });
            }
            if is_invalid {
                if let Some(key) = key {
                    self.keys.add(key);
                }
                let is_ed25519 = is_ed25519.get(rows.group(place)) == Some(&true);
                if is_ed25519 && self.invalid.meets(row) {
                    let listed = lists.then_some(listed);
                    chosen[Why::Invalid as usize].push(Chosen { place, listed });
                }
            }
        }
        let [invalid, edges] = &chosen;
        self.try_rules(rows, invalid, Why::Invalid)?;
        self.try_rules(rows, edges, Why::Edge)
    }

    /// Says how long the table took, and how many rows each strategy verified.
    pub fn finish(&mut self, time: Duration, strategies: &bulk::Report) {
        self.time = Some(time);
        self.strategies = *strategies;
    }

    /// The page.
    pub fn html(&self) -> String {
        page::html(self)
    }

    /// Counts what the rows were verified as.
    fn count_kinds(&mut self, rows: &Rows<'_>, kinds: &[Kind]) {
        let mut counts = vec![0; kinds.len()];
        match rows.specs {
            Specs::Same(_) => counts.fill(rows.codes.len() as u64),
            Specs::PerRow { index, .. } => {
                for number in index {
                    // not those without a spec
                    if let Some(count) = counts.get_mut(*number as usize) {
                        *count += 1;
                    }
                }
            }
        }
        for (kind, count) in kinds.iter().zip(counts).filter(|(_, count)| *count > 0) {
            *self.kinds.entry(*kind).or_default() += count;
        }
    }

    /// Verifies rows of Ed25519 under every rule.
    fn try_rules(&mut self, rows: &Rows<'_>, chosen: &[Chosen], why: Why) -> Result<(), BulkError> {
        let (mut distinct, mut index) = (Vec::new(), Vec::new());
        let mut first_of = BTreeMap::new();
        let mut cells: [Vec<&[u8]>; 3] = Default::default();
        let mut tried = Vec::new();
        for row in chosen {
            let group = rows.group(row.place);
            let (Some(spec), Some(values)) = (rows.distinct().get(group), rows.all_of(row.place))
            else {
                continue;
            };
            let first = *first_of.entry(group).or_insert_with(|| {
                let first = distinct.len() as u32;
                distinct.extend(rules::ALL.iter().filter_map(|rule| under(spec, rule)));
                first
            });
            index.extend((first..).take(rules::ALL.len()));
            for (cells, value) in cells.iter_mut().zip(values) {
                cells.extend([value; rules::ALL.len()]);
            }
            tried.push(row);
        }
        let [keys, messages, signatures] = cells.each_ref().map(|cells| Column::slices(cells));
        let specs = Specs::PerRow { distinct: &distinct, index: &index };
        let table = Table::new(keys, messages, signatures, specs)?;
        // most of these rows are bad: combinations would leave them open
        let engine = self.settings.engine.with_strategy(Strategy::Lanes);
        let (outcomes, _) = match is_in_pool() {
            true => engine.verify_parallel(&table)?,
            false => engine.verify(&table)?,
        };
        let (outcomes, _) = outcomes.as_chunks::<{ rules::ALL.len() }>();
        for (row, outcomes) in tried.iter().zip(outcomes) {
            let counted = match why {
                Why::Invalid => &mut self.invalid,
                Why::Edge => &mut self.edges,
            };
            for (codes, outcome) in counted.codes.iter_mut().zip(outcomes) {
                *codes.entry(code_of(*outcome)).or_default() += 1;
            }
            if let Some(listed) = row.listed.and_then(|i| self.listed[0].get_mut(i)) {
                let is_valid = |outcome: &Outcome| outcome.is_some_and(|v| v.is_valid());
                let valid = rules::ALL.into_iter().zip(outcomes);
                listed.valid_under =
                    Some(valid.filter(|(_, o)| is_valid(o)).map(|(rule, _)| rule).collect());
            }
        }
        Ok(())
    }

    /// The verdict of a row with this code.
    fn said(&self, code: u8) -> Said {
        Said::of(code, &self.settings.refusals)
    }

    fn rows(&self) -> u64 {
        self.counts.iter().sum()
    }

    fn valid(&self) -> u64 {
        self.counts[usize::from(VALID_CODE)]
    }

    fn invalid(&self) -> u64 {
        self.counted().filter(|(said, _)| said.is_invalid()).map(|(_, n)| n).sum()
    }

    /// Each verdict, and the number of its rows.
    fn counted(&self) -> impl Iterator<Item = (Said, u64)> {
        let counts = (0..=u8::MAX).zip(&self.counts).filter(|(_, count)| **count > 0);
        counts.map(|(code, count)| (self.said(code), *count))
    }
}

#[cfg(test)]
mod tests;
