//! Regions: code from one start on, as far as there is one way back to it.
//!
//! A branch that is not known goes both ways. A region ends where several ways meet; a new one starts there, with the numbers and the stack
//! addresses that all ways agree about. A loop of one block whose branch is known is straight code. So each run of a function is a row of
//! regions, each entered at its start.

use std::collections::{BTreeMap, BTreeSet};

use iced_x86::FlowControl;

use super::graph::Node;
use super::lift::{Lifter, Product};
use super::state::{Frame, State};
use crate::error::{Error, Result};
use crate::flow::blocks::{self, Blocks};
use crate::image::{Code, Function, Image};

/// Instructions that a region may run.
const MOST: usize = 60_000;

/// A region.
pub struct Region {
    /// Its start.
    pub start: u64,
    /// Its values.
    pub graph: super::graph::Graph,
    /// Multiplications that it runs.
    pub products: Vec<Product>,
    /// Words that stand in a row in memory at its ends, or before a call.
    pub rows: BTreeSet<Vec<Node>>,
    /// Address of the instruction that computed a node first.
    pub made_at: Vec<u64>,
}

/// Starts of regions, with what is known there.
type Starts = BTreeMap<u64, Frame>;

struct Explorer<'a> {
    blocks: &'a Blocks,
    before: BTreeMap<u64, BTreeSet<u64>>,
}

impl Explorer<'_> {
    /// Whether a region goes on in the block at an address, after the block that starts at another.
    fn goes_on(&self, to: u64, from: u64, known: bool) -> bool {
        let Some(before) = self.before.get(&to) else { return false };
        let own = self.blocks.get(&to).is_some_and(|b| b.next.contains(&to));
        before.len() == 1 && !own || own && (from != to || known)
    }

    fn run(
        &self,
        image: &Image,
        start: u64,
        frame: &Frame,
        arrivals: &mut Vec<(u64, Frame)>,
    ) -> Result<Region> {
        let mut lifter = Lifter::new(image);
        let mut rows = BTreeSet::new();
        let mut todo = vec![(State::new(&mut lifter.graph, frame), start)];
        let mut left = MOST;
        while let Some((mut s, block)) = todo.pop() {
            let Some(b) = self.blocks.get(&block) else { continue };
            let mut next: Vec<(u64, bool)> = b.next.iter().map(|&n| (n, false)).collect();
            for i in &b.code {
                left = left.checked_sub(1).ok_or_else(|| {
                    Error::Unproven(format!(
                        "a region at {start:x} of more than {MOST} instructions"
                    ))
                })?;
                match i.flow_control() {
                    FlowControl::ConditionalBranch => {
                        let bit = lifter.condition(&s, i);
                        lifter.made_at.resize(lifter.graph.nodes().count(), i.ip());
                        next = match lifter.graph.known(bit) {
                            Some(1) => vec![(i.near_branch_target(), true)],
                            Some(_) => vec![(i.next_ip(), true)],
                            None => next,
                        };
                    }
                    FlowControl::UnconditionalBranch | FlowControl::Return => {}
                    FlowControl::Call | FlowControl::IndirectCall => {
                        rows.extend(s.rows());
                        lifter.step(&mut s, i);
                    }
                    _ => lifter.step(&mut s, i),
                }
            }
            if next.len() != 1 {
                rows.extend(s.rows());
            }
            for (to, known) in next.into_iter().rev() {
                if !self.blocks.contains_key(&to) {
                    continue;
                }
                if self.goes_on(to, block, known) {
                    todo.push((s.clone(), to));
                } else {
                    rows.extend(s.rows());
                    arrivals.push((to, s.frame(&lifter.graph)));
                }
            }
        }
        let Lifter { graph, products, made_at, .. } = lifter;
        Ok(Region { start, graph, products, rows, made_at })
    }
}

/// The regions of a function.
pub fn regions(image: &Image, f: &Function, code: &Code) -> Result<Vec<Region>> {
    let blocks = blocks::of_code(code, f)?;
    let mut before: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
    before.entry(f.start).or_default().insert(0);
    for b in blocks.values() {
        for next in &b.next {
            before.entry(*next).or_default().insert(b.start);
        }
    }
    let explorer = Explorer { blocks: &blocks, before };
    let mut starts = Starts::from([(f.start, Frame::entry())]);
    let mut regions: BTreeMap<u64, Region> = BTreeMap::new();
    let mut todo = BTreeSet::from([f.start]);
    while let Some(start) = todo.pop_first() {
        let mut arrivals = Vec::new();
        let frame = starts[&start].clone();
        let region = explorer.run(image, start, &frame, &mut arrivals)?;
        regions.insert(start, region);
        for (to, frame) in arrivals {
            match starts.get_mut(&to) {
                None => {
                    starts.insert(to, frame);
                    todo.insert(to);
                }
                Some(known) => {
                    if known.meet(&frame) {
                        todo.insert(to);
                    }
                }
            }
        }
    }
    Ok(regions.into_values().collect())
}
