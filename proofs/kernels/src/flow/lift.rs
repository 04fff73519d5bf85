//! One block as a graph: each instruction's result by the values that it reads.
//!
//! An instruction without a rule here makes every register that it writes a new leaf, and every place in memory that it may write unknown.

pub mod numbers;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use iced_x86::{FlowControl, Instruction, InstructionInfoFactory, OpAccess, OpKind, Register};

use super::blocks::{Block, Blocks};
use super::calls::Calls;
use super::constants::Constants;
use super::entry::Location;
use super::graph::{Graph, Node, Op, Origin, Value};
use crate::image::Image;

/// Base and index of an address.
pub(super) type Base = (Node, Option<(Node, u32)>);

/// Whether a store at one base leaves what has the other as it is: the stack's own slots and what has another base are taken to be
/// apart; the same base is looked at byte by byte.
fn apart(frames: &[Node], a: &Base, b: &Base) -> bool {
    let frame = |x: &Base| frames.contains(&x.0);
    let own = |x: &Base| frame(x) && x.1.is_none();
    a == b || (own(a) && !frame(b)) || (own(b) && !frame(a))
}

/// A store.
#[derive(Clone)]
pub struct Store {
    /// Base and index.
    pub base: Base,
    /// Displacement from them.
    pub at: i64,
    /// Bytes.
    pub size: usize,
    /// The value; none where it is not known.
    pub node: Option<Node>,
}

/// A block, lifted, with the blocks before it as far back as there is one way.
#[derive(Clone)]
pub struct Lifted {
    /// Its values.
    pub graph: Graph,
    /// The value that each multiply instruction computes, by address.
    pub products: Vec<(u64, Node)>,
    /// Registers at the end.
    pub registers: HashMap<Register, (Node, usize)>,
    /// Stores, in order, those included that a later one may have changed.
    pub written: Vec<Store>,
    /// Stores that nothing has changed, the latest last.
    pub(super) memory: Vec<Store>,
    /// Bases of stores so far; none for something that may have changed everything.
    pub(super) changes: Vec<Option<Base>>,
    /// Constants of which some lanes are not known: loads beyond the end of a section.
    pub(super) partial: HashMap<Node, [Option<u64>; 8]>,
    /// Nodes that the block before had.
    pub before: usize,
    /// The stack pointer at the entry.
    pub stack: Node,
    /// That, and what it was aligned to.
    pub(super) frames: Vec<Node>,
    /// Instructions so far: the same one leaves another result in another turn of a loop.
    pub(super) steps: u32,
}

pub(super) struct Lifter<'a> {
    pub(super) image: &'a Image,
    pub(super) calls: &'a Calls,
    info: InstructionInfoFactory,
    pub(super) out: Lifted,
}

impl Lifted {
    /// Values that stand in memory in a row at the end: a base and an offset, and then one vector after the other.
    pub fn rows(&self) -> Vec<Vec<Node>> {
        let mut last: BTreeMap<Base, BTreeMap<i64, (usize, Node)>> = BTreeMap::new();
        for s in self.written.iter().filter(|s| s.size >= 32) {
            let at = last.entry(s.base).or_default();
            match s.node {
                Some(n) => at.insert(s.at, (s.size, n)),
                None => at.remove(&s.at),
            };
        }
        let mut rows: Vec<Vec<Node>> = Vec::new();
        for at in last.values() {
            let mut end = None;
            for (&place, &(size, n)) in at {
                if end != Some(place) {
                    rows.push(Vec::new());
                }
                end = Some(place + size as i64);
                if let Some(row) = rows.last_mut() {
                    row.push(n);
                }
            }
        }
        rows
    }

    /// The value at a location at the end, or the location at the start that it still is; none where it is not known.
    pub fn at_end(&self, location: &Location) -> Option<Result<Node, Location>> {
        match location {
            Location::Register(name) => {
                let found = self.registers.iter().find(|(r, _)| format!("{r:?}") == *name);
                Some(found.map_or_else(|| Err(location.clone()), |(_, (n, _))| Ok(*n)))
            }
            Location::Slot(at, size) => {
                let sp = self.registers.get(&Register::RSP).map_or(self.stack, |r| r.0);
                let (base, by) = self.graph.place(sp);
                if !self.frames.contains(&base) {
                    return None;
                }
                let (at, end) = (at + by, at + by + *size as i64);
                for s in self.memory.iter().rev().filter(|s| s.base == (base, None)) {
                    if (s.at, s.size) == (at, *size) {
                        return s.node.map(Ok);
                    }
                    if s.at < end && at < s.at + s.size as i64 {
                        return None;
                    }
                }
                // the slots of an aligned stack pointer are new
                if base != self.stack {
                    return None;
                }
                // something may have changed it
                let own = (base, None);
                let kept = self
                    .changes
                    .iter()
                    .all(|c| c.as_ref().is_some_and(|b| apart(&self.frames, &own, b)));
                (kept && base == self.stack).then_some(Err(Location::Slot(at, *size)))
            }
        }
    }
}

/// The values of all blocks of a function, with constants that come from the blocks before.
pub fn lift_all(
    image: &Image,
    calls: &Calls,
    blocks: &Blocks,
    start: u64,
) -> BTreeMap<u64, Lifted> {
    let mut entry = BTreeMap::from([(start, Constants::default())]);
    let mut out: BTreeMap<u64, Lifted> = BTreeMap::new();
    let mut todo = BTreeSet::from([start]);
    let mut before: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::from([(start, BTreeSet::from([0]))]);
    for b in blocks.values() {
        for next in &b.next {
            before.entry(*next).or_default().insert(b.start);
        }
    }
    // the block before, where there is but one
    let only = |at: u64| match before.get(&at) {
        Some(all) if all.len() == 1 && at != start => all.first().copied().filter(|b| *b != at),
        _ => None,
    };
    loop {
        let Some(at) = todo.pop_first() else { return out };
        let block = &blocks[&at];
        let from = match only(at).and_then(|b| out.get(&b)) {
            Some(lifted) => lifted.clone(),
            None => Lifted::new(&entry.entry(at).or_default().clone()),
        };
        let lifted = lift(image, calls, block, from);
        let constants = lifted.constants();
        out.insert(at, lifted);
        for next in &block.next {
            if only(*next).is_some() {
                todo.insert(*next);
                continue;
            }
            match entry.get_mut(next) {
                None => {
                    entry.insert(*next, constants.clone());
                    todo.insert(*next);
                }
                Some(known) => {
                    let before = known.clone();
                    known.meet(&constants);
                    if *known != before {
                        todo.insert(*next);
                    }
                }
            }
        }
    }
}

/// The values of a block that starts so.
pub(super) fn lift(image: &Image, calls: &Calls, block: &Block, mut from: Lifted) -> Lifted {
    from.before = from.graph.len();
    from.written.clear();
    let mut l = Lifter { image, calls, info: InstructionInfoFactory::new(), out: from };
    for i in &block.code {
        l.step(i);
    }
    l.out
}

pub(super) fn replicated(lanes: [u64; 8], width: usize) -> [u64; 8] {
    std::array::from_fn(|i| lanes[i % width])
}

impl Lifter<'_> {
    pub(super) fn gpr(&mut self, r: Register) -> Node {
        let full = r.full_register();
        if full == Register::RSP && !self.out.registers.contains_key(&full) {
            return self.out.stack;
        }
        match self.out.registers.get(&full) {
            Some((n, _)) => *n,
            None => {
                let n = self.out.graph.leaf(Origin::Entry(format!("{full:?}")));
                self.out.registers.insert(full, (n, 1));
                n
            }
        }
    }

    pub(super) fn vector(&mut self, r: Register, width: usize) -> Node {
        let full = r.full_register();
        let g = &mut self.out.graph;
        let (n, has) = match self.out.registers.get(&full) {
            Some(x) => *x,
            None => {
                let n = g.leaf(Origin::Entry(format!("{full:?}")));
                self.out.registers.insert(full, (n, 8));
                (n, 8)
            }
        };
        let partial = self.out.partial.get(&n).filter(|_| width < has);
        let first = |lanes: &[Option<u64>; 8]| {
            let first: Option<Vec<u64>> = lanes[..width].iter().copied().collect();
            first.map(|f| std::array::from_fn(|k| f[k % width]))
        };
        match g.constant(n).or_else(|| partial.and_then(first)) {
            Some(lanes) if width <= has => g.node(Value::Constant(replicated(lanes, width))),
            Some(lanes) => {
                let at = |i: usize| if i < has { lanes[i] } else { 0 };
                let wide = std::array::from_fn(|i| at(i % width));
                g.node(Value::Constant(wide))
            }
            None if width <= has => n,
            None => self.extended(n, has, width),
        }
    }

    /// The lowest words of a value, and zeros above them.
    pub(super) fn extended(&mut self, n: Node, words: usize, width: usize) -> Node {
        let lanes = std::array::from_fn(|k| if k % width < words { u64::MAX } else { 0 });
        let g = &mut self.out.graph;
        let (mask, zero) = (g.node(Value::Constant(lanes)), g.splat(0));
        g.apply(Op::Select, &[mask, n, zero])
    }

    pub(super) fn set_vector(&mut self, r: Register, n: Node, width: usize) {
        let n = match self.out.graph.constant(n) {
            Some(lanes) => self.out.graph.node(Value::Constant(replicated(lanes, width))),
            None => n,
        };
        self.out.registers.insert(r.full_register(), (n, width));
    }

    pub(super) fn address(&mut self, i: &Instruction) -> Option<(Base, i64)> {
        if i.segment_prefix() != Register::None || i.is_ip_rel_memory_operand() {
            return None;
        }
        let base = match i.memory_base() {
            Register::None => self.out.graph.splat(0),
            r if r.is_gpr64() => self.gpr(r),
            _ => return None,
        };
        let (base, at) = self.out.graph.place(base);
        let mut at = at.wrapping_add(i.memory_displacement64() as i64);
        let index = match i.memory_index() {
            Register::None => None,
            r if r.is_gpr64() => {
                let n = self.gpr(r);
                let (n, by) = self.out.graph.place(n);
                let scale = i64::from(i.memory_index_scale());
                at = at.wrapping_add(by.wrapping_mul(scale));
                match self.out.graph.constant(n) {
                    Some(lanes) => {
                        at = at.wrapping_add((lanes[0] as i64).wrapping_mul(scale));
                        None
                    }
                    None => Some((n, i.memory_index_scale())),
                }
            }
            _ => return None,
        };
        Some(((base, index), at))
    }

    pub(super) fn fresh(&mut self, i: &Instruction, what: u32) -> Node {
        self.out.graph.leaf(Origin::Result(i.ip(), self.out.steps << 12 | what, Vec::new()))
    }

    fn constant_at(&mut self, at: u64, size: usize) -> Option<[u64; 8]> {
        let bytes = self.image.constant(at, size)?;
        let mut lanes = [0; 8];
        for (lane, b) in lanes.iter_mut().zip(bytes.chunks(8)) {
            *lane = b.iter().rev().fold(0, |n, &b| n << 8 | u64::from(b));
        }
        Some(lanes)
    }

    /// A load of so many bytes: of one word, that every lane then holds, or of a vector.
    pub(super) fn load(&mut self, i: &Instruction, size: usize) -> Node {
        if i.is_ip_rel_memory_operand() {
            let at = i.ip_rel_memory_address();
            if let Some(lanes) = self.constant_at(at, size) {
                let lanes = replicated(lanes, size.div_ceil(8).max(1));
                return self.out.graph.node(Value::Constant(lanes));
            }
            let n = self.fresh(i, 1000);
            if size == 64 {
                let mut word = |k| Some(self.constant_at(at + 8 * k, 8)?[0]);
                let lanes = std::array::from_fn(|k| word(k as u64));
                self.out.partial.insert(n, lanes);
            }
            return n;
        }
        let Some((base, at)) = self.address(i) else { return self.fresh(i, 1000) };
        let end = at + size as i64;
        for s in self.out.memory.iter().rev().filter(|s| s.base == base) {
            if s.at == at && s.size == size {
                return match s.node {
                    Some(n) => n,
                    None => self.fresh(i, 1000),
                };
            }
            if s.at < end && at < s.at + s.size as i64 {
                return self.fresh(i, 1000);
            }
        }
        let changed = |c: &&Option<Base>| c.as_ref().is_none_or(|b| !self.apart(b, &base));
        let epoch = self.out.changes.iter().filter(changed).count() as u32;
        self.out.graph.leaf(Origin::Load(base.0, base.1, at, size, epoch))
    }

    fn apart(&self, a: &Base, b: &Base) -> bool {
        apart(&self.out.frames, a, b)
    }

    pub(super) fn store(&mut self, base: Base, at: i64, size: usize, node: Option<Node>) {
        let mut memory = std::mem::take(&mut self.out.memory);
        // an array of the frame is apart from the slots of the compiler's constants
        let array = self.out.frames.contains(&base.0) && base.1.is_some();
        memory.retain(|s| self.apart(&s.base, &base) || array && self.out.keeps(s));
        self.out.memory = memory;
        self.out.changes.push(Some(base));
        let s = Store { base, at, size, node };
        self.out.memory.push(s.clone());
        self.out.written.push(s);
    }

    pub(super) fn forget(&mut self) {
        self.out.memory.clear();
        self.out.changes.push(None);
    }

    pub(super) fn width(i: &Instruction) -> usize {
        let r = i.op0_register();
        (r.size() / 8).max(1)
    }

    pub(super) fn operand(&mut self, i: &Instruction, n: u32, width: usize) -> Node {
        match i.op_kind(n) {
            OpKind::Register => self.vector(i.op_register(n), width),
            // words of 32 bits in each half are no word of 64
            OpKind::Memory if i.is_broadcast() && i.memory_size().size() != 8 => {
                self.fresh(i, 2000 + n)
            }
            OpKind::Memory if i.is_broadcast() => self.load(i, 8),
            OpKind::Memory => self.load(i, 8 * width),
            _ => self.fresh(i, 2000 + n),
        }
    }

    fn step(&mut self, i: &Instruction) {
        self.out.graph.address = i.ip();
        self.out.steps += 1;
        if !self.simple(i) && !self.lanes(i) && !self.special(i) {
            self.opaque(i);
        }
    }

    pub(super) fn store_operand(&mut self, i: &Instruction, size: usize, n: Node) {
        match self.address(i) {
            Some((base, at)) => self.store(base, at, size, Some(n)),
            None => self.forget(),
        }
    }

    fn opaque(&mut self, i: &Instruction) {
        if matches!(i.flow_control(), FlowControl::Call | FlowControl::IndirectCall) {
            self.call(i);
            return;
        }
        let info = self.info.info(i).clone();
        let mut stores = false;
        for m in info.used_memory() {
            stores |= !matches!(
                m.access(),
                OpAccess::Read | OpAccess::CondRead | OpAccess::None | OpAccess::NoMemAccess
            );
        }
        if stores {
            let size = i.memory_size().size();
            let place = (0..i.op_count()).any(|n| i.op_kind(n) == OpKind::Memory);
            match self.address(i) {
                Some((base, at)) if place && size > 0 && i.op0_kind() == OpKind::Memory => {
                    self.store(base, at, size, None);
                }
                _ => self.forget(),
            }
        }
        for used in info.used_registers() {
            if matches!(
                used.access(),
                OpAccess::Read | OpAccess::CondRead | OpAccess::None | OpAccess::NoMemAccess
            ) {
                continue;
            }
            let full = used.register().full_register();
            if full.is_gpr64() || full.is_zmm() || full.is_k() {
                let n = self.fresh(i, full as u32);
                self.out.registers.insert(full, (n, if full.is_gpr64() { 1 } else { 8 }));
            }
        }
    }
}
