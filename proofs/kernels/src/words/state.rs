//! Registers, flags and memory of a region, as nodes of its graph.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use iced_x86::{Instruction, OpKind, Register};

use super::graph::{Graph, Node, Op, Origin, Value};
use crate::image::Image;

/// A register or a slot of the stack that every way to a region leaves the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fixed {
    /// A number.
    Constant(u64),
    /// An address, from the stack pointer at the function's entry.
    Stack(i64),
}

/// The state where a region starts, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Registers.
    pub registers: BTreeMap<Register, Fixed>,
    /// Slots of 8 bytes, by offset from the stack pointer at the entry.
    pub slots: BTreeMap<i64, Fixed>,
}

impl Frame {
    /// At the entry of a function.
    pub fn entry() -> Self {
        let registers = BTreeMap::from([(Register::RSP, Fixed::Stack(0))]);
        Self { registers, slots: BTreeMap::new() }
    }

    /// Keeps that which another has too; whether something was lost.
    pub fn meet(&mut self, other: &Self) -> bool {
        let before = self.registers.len() + self.slots.len();
        self.registers.retain(|r, f| other.registers.get(r) == Some(f));
        self.slots.retain(|s, f| other.slots.get(s) == Some(f));
        self.registers.len() + self.slots.len() < before
    }
}

/// Memory: a base and an offset, and the size and contents there.
pub type Memory = BTreeMap<(Node, i64), (usize, Node)>;

/// The state.
#[derive(Clone)]
pub struct State {
    registers: HashMap<Register, Node>,
    /// 64-bit lanes of vector registers, the lowest first.
    vectors: HashMap<Register, Vec<Node>>,
    /// Contents of memory.
    pub memory: Memory,
    /// Bytes that a store wrote.
    pub written: BTreeSet<(Node, i64)>,
    /// The carry flag.
    pub carry: Option<Node>,
    /// The result that zero and sign flags are of, and its width.
    pub result: Option<(Node, u32)>,
    /// The stack pointer at the entry, and what it was aligned to.
    pub frames: BTreeSet<Node>,
    /// The stack pointer at the entry.
    pub stack: Node,
}

impl State {
    /// The state where a region starts.
    pub fn new(g: &mut Graph, frame: &Frame) -> Self {
        let stack = g.leaf(Origin::Slot, 64);
        let mut state = Self {
            registers: HashMap::new(),
            vectors: HashMap::new(),
            memory: Memory::new(),
            written: BTreeSet::new(),
            carry: None,
            result: None,
            frames: BTreeSet::from([stack]),
            stack,
        };
        let mut node = |f: &Fixed| match f {
            Fixed::Constant(c) => g.constant(*c),
            Fixed::Stack(at) => g.offset(stack, *at),
        };
        for (r, f) in &frame.registers {
            state.registers.insert(*r, node(f));
        }
        for (at, f) in &frame.slots {
            state.memory.insert((stack, *at), (8, node(f)));
        }
        state
    }

    /// The fixed part of the state.
    pub fn frame(&self, g: &Graph) -> Frame {
        let fixed = |n: Node| match g.known(n) {
            Some(c) => Some(Fixed::Constant(c)),
            None => {
                let (base, at) = g.place(n);
                (base == self.stack).then_some(Fixed::Stack(at))
            }
        };
        let registers = self.registers.iter().filter_map(|(r, &n)| Some((*r, fixed(n)?)));
        let slot = |(&(base, at), &(size, n)): (&(Node, i64), &(usize, Node))| {
            if base == self.stack && size == 8 { Some((at, fixed(n)?)) } else { None }
        };
        Frame {
            registers: registers.collect(),
            slots: self.memory.iter().filter_map(slot).collect(),
        }
    }

    /// A general register of 64 bits.
    pub fn full(&mut self, g: &mut Graph, r: Register) -> Node {
        *self.registers.entry(r).or_insert_with(|| g.leaf(Origin::Entry(r), 64))
    }

    /// Any general register.
    pub fn register(&mut self, g: &mut Graph, r: Register) -> Node {
        if matches!(r, Register::AH | Register::BH | Register::CH | Register::DH) {
            return g.leaf(Origin::Result, 8);
        }
        let full = self.full(g, r.full_register());
        low(g, full, 8 * r.size() as u32)
    }

    /// Writes a general register.
    pub fn set(&mut self, g: &mut Graph, r: Register, n: Node) {
        let full = r.full_register();
        if !full.is_gpr64() {
            return;
        }
        let n = match r.size() {
            4 | 8 => n,
            _ if matches!(r, Register::AH | Register::BH | Register::CH | Register::DH) => {
                g.leaf(Origin::Result, 64)
            }
            size => {
                let old = self.full(g, full);
                let keep = g.constant(u64::MAX << (8 * size));
                let old = g.make(Op::And, &[old, keep]);
                g.make(Op::Or, &[old, n])
            }
        };
        self.registers.insert(full, n);
    }

    /// Lanes of a vector register.
    pub fn vector(&mut self, g: &mut Graph, r: Register) -> Vec<Node> {
        let lanes = self.vectors.entry(r.full_register()).or_default();
        lanes.truncate(r.size() / 8);
        while lanes.len() < r.size() / 8 {
            lanes.push(g.leaf(Origin::Result, 64));
        }
        lanes.clone()
    }

    /// Writes a vector register.
    pub fn set_vector(&mut self, r: Register, lanes: Vec<Node>) {
        self.vectors.insert(r.full_register(), lanes);
    }

    /// Whatever register it is holds something new.
    pub fn forget(&mut self, g: &mut Graph, r: Register) {
        let full = r.full_register();
        if full.is_gpr64() {
            let leaf = g.leaf(Origin::Result, 64);
            self.registers.insert(full, leaf);
        } else {
            self.vectors.remove(&full);
        }
    }

    /// The address of a memory operand.
    pub fn address(&mut self, g: &mut Graph, i: &Instruction) -> Node {
        let zero = g.constant(0);
        if i.is_ip_rel_memory_operand() {
            return g.constant(i.ip_rel_memory_address());
        }
        let mut at = match i.memory_base() {
            Register::None => zero,
            r => self.register(g, r),
        };
        if i.memory_index() != Register::None {
            let index = self.register(g, i.memory_index());
            let index = g.make(Op::Shl(i.memory_index_scale().trailing_zeros() as u8), &[index]);
            at = match (g.known(at), g.known(index)) {
                (None, Some(c)) => g.offset(at, c as i64),
                (Some(c), None) => g.offset(index, c as i64),
                _ => {
                    let ((a, x), (b, y)) = (g.place(at), g.place(index));
                    let sum = g.make(Op::Add, &[a, b, zero]);
                    g.offset(sum, x.wrapping_add(y))
                }
            };
        }
        g.offset(at, i.memory_displacement64() as i64)
    }

    /// Whether an address is somewhere on the stack.
    fn on_stack(&self, g: &Graph, base: Node) -> bool {
        let mut todo = vec![base];
        while let Some(n) = todo.pop() {
            if self.frames.contains(&n) {
                return true;
            }
            if let Some((Op::Add | Op::Sub | Op::And, v)) = g.of(n) {
                todo.extend(v);
            }
        }
        false
    }

    /// Changes what a store of this size, or of any, may change.
    fn clobber(&mut self, g: &Graph, (base, at): (Node, i64), size: i64) {
        let stack = self.on_stack(g, base);
        let own = self.frames.contains(&base);
        let frames = &self.frames;
        let keep = |&(b, a): &(Node, i64), n: usize| {
            if b == base {
                return a + n as i64 <= at || a >= at + size;
            }
            // the stack's own slots and what has another base are taken to be apart
            let slot = frames.contains(&b);
            if stack { own && !slot } else { slot }
        };
        self.memory.retain(|place, (n, _)| keep(place, *n));
        self.written.retain(|place| self.memory.contains_key(place));
    }

    /// All memory may have changed.
    pub fn forget_memory(&mut self) {
        self.memory.clear();
        self.written.clear();
    }

    /// Something unknown of this size is stored.
    pub fn forget_place(&mut self, g: &mut Graph, i: &Instruction, size: usize) {
        let address = self.address(g, i);
        let (base, at) = g.place(address);
        self.clobber(g, (base, at), size as i64);
    }

    /// Loads a word of at most 8 bytes.
    pub fn load(&mut self, g: &mut Graph, image: &Image, address: Node, size: usize) -> Node {
        if let Some(at) = g.known(address) {
            return match image.constant(at, size) {
                Some(bytes) => {
                    let word = bytes.iter().rev().fold(0, |n, &b| n << 8 | u64::from(b));
                    g.constant(word)
                }
                None => g.leaf(Origin::Memory, 8 * size as u32),
            };
        }
        let (base, at) = g.place(address);
        if let Some(&(n, node)) = self.memory.get(&(base, at))
            && n >= size
        {
            return low(g, node, 8 * size as u32);
        }
        let origin = if self.on_stack(g, base) { Origin::Slot } else { Origin::Memory };
        let leaf = g.leaf(origin, 8 * size as u32);
        let end = at + size as i64;
        let mut near = self.memory.range((base, at - 8)..(base, end));
        if near.all(|(place, (n, _))| place.1 + *n as i64 <= at) {
            self.memory.insert((base, at), (size, leaf));
        }
        leaf
    }

    /// Stores a word of at most 8 bytes.
    pub fn store(&mut self, g: &mut Graph, address: Node, size: usize, n: Node) {
        let (base, at) = g.place(address);
        self.clobber(g, (base, at), size as i64);
        self.memory.insert((base, at), (size, n));
        self.written.insert((base, at));
    }

    /// An operand.
    pub fn operand(&mut self, g: &mut Graph, image: &Image, i: &Instruction, n: u32) -> Node {
        match i.op_kind(n) {
            OpKind::Register => self.register(g, i.op_register(n)),
            OpKind::Memory => {
                let at = self.address(g, i);
                self.load(g, image, at, i.memory_size().size())
            }
            _ => {
                let c = i.try_immediate(n).unwrap_or_default();
                let n = g.constant(c);
                low(g, n, width(i, 0))
            }
        }
    }

    /// Writes an operand.
    pub fn set_operand(&mut self, g: &mut Graph, i: &Instruction, n: u32, value: Node) {
        if i.op_kind(n) == OpKind::Memory {
            let at = self.address(g, i);
            self.store(g, at, i.memory_size().size(), value);
        } else {
            self.set(g, i.op_register(n), value);
        }
    }

    /// Words that were stored in a row, each row as long as it goes.
    pub fn rows(&self) -> Vec<Vec<Node>> {
        let mut rows: Vec<Vec<Node>> = Vec::new();
        let mut end = None;
        for (&(base, at), &(size, n)) in &self.memory {
            if size != 8 || !self.written.contains(&(base, at)) {
                continue;
            }
            if end != Some((base, at)) {
                rows.push(Vec::new());
            }
            end = Some((base, at + 8));
            if let Some(row) = rows.last_mut() {
                row.push(n);
            }
        }
        rows
    }
}

/// Bits of an operand.
pub fn width(i: &Instruction, n: u32) -> u32 {
    8 * match i.op_kind(n) {
        OpKind::Register => i.op_register(n).size() as u32,
        _ => i.memory_size().size() as u32,
    }
}

/// The low bits of a node.
pub fn low(g: &mut Graph, n: Node, bits: u32) -> Node {
    if bits >= 64 || g.bits(n) <= bits {
        return n;
    }
    let mask = g.constant((1 << bits) - 1);
    g.make(Op::And, &[n, mask])
}

/// Whether a node is a leaf.
pub fn is_leaf(g: &Graph, n: Node) -> bool {
    matches!(g.value(n), Value::Leaf(..))
}
