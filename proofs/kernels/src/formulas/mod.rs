//! Names of formulas: what the programs of blocks compute, of a list of formulas that papers and RFCs have.
//!
//! A block's program is evaluated as polynomials in what the block takes. A formula stands in it if there are sums of its values that
//! are the formula's inputs, and values that are its outputs: in each lane, and whatever masks choose.

pub mod block;
pub mod chains;
pub mod formula;
pub mod list;
pub mod search;
pub mod table;

use std::collections::{BTreeMap, BTreeSet};

use crate::error::Result;
use crate::flow::field::{Field, fields};
use crate::flow::graph::Node;
use crate::flow::program::Program;
use crate::number::Int;
use block::Block;
use formula::Formula;
use search::Search;

/// The formulas of the list.
pub struct Formulas {
    all: Vec<(Field, Vec<Formula>, Vec<Formula>)>,
}

/// A formula that stands in a block.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Named {
    /// Address of the block.
    pub block: u64,
    /// Its name.
    pub name: &'static str,
    /// Addresses where the products that belong to it end.
    pub products: BTreeSet<Vec<u64>>,
}

/// Formulas of a function.
#[derive(Debug, Default)]
pub struct Names {
    /// Each once, at the first block that has all of it.
    pub named: Vec<Named>,
    /// Products that belong to no formula, as squares or products of two values: block, and where they end.
    pub single: BTreeSet<Vec<u64>>,
    /// Addresses where products end.
    pub products: BTreeSet<Vec<u64>>,
    /// Blocks in which products end that no block before has, with their names.
    pub blocks: BTreeMap<u64, BTreeMap<Vec<u64>, String>>,
}

/// Names of formulas, and addresses where the products end that belong to each.
type Found = BTreeSet<(&'static str, BTreeSet<Vec<u64>>)>;

/// Masks of a block at most.
const MASKS: usize = 6;

impl Formulas {
    /// Reads the list.
    pub fn new() -> Result<Self> {
        let mut all = Vec::new();
        for field in fields() {
            let read = |list: &[formula::Source]| -> Result<Vec<Formula>> {
                let of = |s: &&formula::Source| s.fields.contains(&field.name);
                list.iter().filter(of).map(|s| Formula::read(s, &field.p)).collect()
            };
            let (formulas, single) = (read(list::FORMULAS)?, read(list::SINGLE)?);
            all.push((field, formulas, single));
        }
        Ok(Self { all })
    }

    /// Formulas in the programs of a function's blocks.
    pub fn names(&self, programs: &[Program]) -> Names {
        let mut names = Names::default();
        let mut seen: BTreeSet<(&str, BTreeSet<Vec<u64>>)> = BTreeSet::new();
        for program in programs {
            for line in program.lines.iter().filter(|l| l.multiplies()) {
                if names.products.insert(line.made_at.clone()) {
                    let block = names.blocks.entry(program.block).or_default();
                    block.insert(line.made_at.clone(), line.name.clone());
                }
            }
            for (field, formulas, single) in &self.all {
                for (name, products) in of_program(program, field, formulas) {
                    if seen.insert((name, products.clone())) {
                        names.named.push(Named { block: program.block, name, products });
                    }
                }
                names
                    .single
                    .extend(of_program(program, field, single).into_iter().flat_map(|x| x.1));
            }
        }
        let of_formulas: BTreeSet<_> =
            names.named.iter().flat_map(|n| n.products.clone()).collect();
        names.single.retain(|x| !of_formulas.contains(x));
        names
    }
}

/// Formulas that stand in a program in each lane, for all masks, with the products that belong to them.
fn of_program(program: &Program, field: &Field, formulas: &[Formula]) -> Found {
    let lines: Vec<_> = program.lines.iter().filter(|l| l.field == field.name).collect();
    let masks: BTreeSet<Node> = lines.iter().flat_map(|l| l.masks.iter().copied()).collect();
    let masks: Vec<Node> = masks.into_iter().collect();
    let mut lanes = BTreeMap::new();
    for lane in 0..8 {
        lanes.entry(lines.iter().map(|l| l.lanes[lane]).collect::<Vec<_>>()).or_insert(lane);
    }
    let mut all: Option<BTreeSet<_>> = None;
    if masks.len() > MASKS || lines.is_empty() {
        return BTreeSet::new();
    }
    for lane in lanes.into_values() {
        for choice in 0..1_usize << masks.len() {
            let set = (0..masks.len()).filter(|k| choice >> k & 1 == 1).map(|k| masks[k]).collect();
            let now = in_lane(program, field, formulas, lane, &set).unwrap_or_default();
            all = Some(match all {
                None => now,
                Some(before) => before.intersection(&now).cloned().collect(),
            });
            if all.as_ref().is_some_and(BTreeSet::is_empty) {
                return BTreeSet::new();
            }
        }
    }
    all.unwrap_or_default()
}

fn in_lane(
    program: &Program,
    field: &Field,
    formulas: &[Formula],
    lane: usize,
    set: &BTreeSet<Node>,
) -> Option<Found> {
    // integers, which no formula has
    if field.p == Int::ZERO {
        return None;
    }
    let mut block = Block::new(program, field, lane, set)?;
    let lines = block.lines.clone();
    let places: Vec<usize> = block.products.iter().map(|p| p.line).collect();
    let mut search = Search::new(&mut block)?;
    let (mut all, mut used, mut without) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for formula in formulas {
        for found in search.find(formula, &used) {
            let lines_used =
                found.products.is_empty() && found.lines.iter().any(|l| without.contains(l));
            if lines_used || found.products.iter().any(|p| used.contains(p)) {
                continue;
            }
            used.extend(found.products.iter().copied());
            if found.products.is_empty() {
                without.extend(found.lines.iter().copied());
            }
            let of = if found.products.is_empty() {
                found.lines.iter().map(|&l| lines[l].made_at.clone()).collect()
            } else {
                found.products.iter().map(|&p| lines[places[p]].made_at.clone()).collect()
            };
            all.insert((formula.source.name, of));
        }
    }
    Some(all)
}
