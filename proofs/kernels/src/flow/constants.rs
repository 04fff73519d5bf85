//! Values of registers and stack slots where a block starts, as far as all blocks before it leave the same there.

use std::collections::{BTreeMap, HashMap};

use iced_x86::Register;

use super::graph::{Graph, Origin, Value};
use super::lift::{Lifted, Store};

/// Constants that registers and stack slots hold where a block starts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Constants {
    pub(super) registers: HashMap<Register, ([u64; 8], usize)>,
    /// By offset from the stack pointer and size.
    pub(super) slots: HashMap<(i64, usize), [u64; 8]>,
    /// Registers that point into the frame, by their offset from the stack pointer.
    pointers: BTreeMap<Register, i64>,
}

impl Constants {
    /// Those that both have.
    pub(super) fn meet(&mut self, other: &Self) {
        self.registers.retain(|r, c| other.registers.get(r) == Some(c));
        self.slots.retain(|s, c| other.slots.get(s) == Some(c));
        self.pointers.retain(|r, c| other.pointers.get(r) == Some(c));
    }
}

impl Lifted {
    /// Constants at the end.
    pub(super) fn constants(&self) -> Constants {
        let mut out = Constants::default();
        for (r, (n, width)) in &self.registers {
            if let Some(lanes) = self.graph.constant(*n) {
                out.registers.insert(*r, (lanes, *width));
            }
        }
        let sp = self.registers.get(&Register::RSP).map_or(self.stack, |r| r.0);
        let (base, by) = self.graph.place(sp);
        if self.frames.contains(&base) {
            for (r, (n, _)) in self.registers.iter().filter(|x| *x.0 != Register::RSP) {
                let (pointer, at) = self.graph.place(*n);
                if pointer == base {
                    out.pointers.insert(*r, at - by);
                }
            }
            for s in &self.memory {
                let constant = s.node.and_then(|n| self.graph.constant(n));
                let end = s.at + s.size as i64;
                // a later store may have changed a slot
                if s.base == (base, None) {
                    out.slots.retain(|(at, size), _| {
                        let at = at + by;
                        at >= end || s.at >= at + *size as i64
                    });
                    if let Some(lanes) = constant {
                        out.slots.insert((s.at - by, s.size), lanes);
                    }
                }
            }
        }
        out
    }

    /// The state where a block starts.
    pub(super) fn new(known: &Constants) -> Self {
        let mut graph = Graph::default();
        let stack = graph.leaf(Origin::Entry(format!("{:?}", Register::RSP)));
        let mut registers = HashMap::new();
        for (r, (lanes, width)) in &known.registers {
            registers.insert(*r, (graph.node(Value::Constant(*lanes)), *width));
        }
        for (r, at) in &known.pointers {
            registers.insert(*r, (graph.offset(stack, *at), 1));
        }
        let mut memory = Vec::new();
        for ((at, size), lanes) in &known.slots {
            let node = Some(graph.node(Value::Constant(*lanes)));
            memory.push(Store { base: (stack, None), at: *at, size: *size, node });
        }
        Self {
            graph,
            products: Vec::new(),
            registers,
            written: Vec::new(),
            memory,
            changes: Vec::new(),
            partial: HashMap::new(),
            before: 0,
            stack,
            frames: vec![stack],
            steps: 0,
        }
    }
}
