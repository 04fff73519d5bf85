//! The values of general registers as a graph: each an integer in [0, 2^64), equal computations one node.

use std::collections::HashMap;

use iced_x86::Register;

/// The number of a value; operands have smaller ones than their users.
pub type Node = u32;

/// An operation on words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Op {
    /// The low word of the sum of three.
    Add,
    /// The high word of that sum.
    Carry,
    /// a - b - c modulo 2^64.
    Sub,
    /// 1 if a - b - c is negative.
    Borrow,
    /// The low word of a product.
    MulLow,
    /// The high word.
    MulHigh,
    /// Bit by bit.
    And,
    /// Bit by bit.
    Or,
    /// Bit by bit.
    Xor,
    /// Bits moved up.
    Shl(u8),
    /// Bits moved down.
    Shr(u8),
    /// The high word of two, moved up.
    Funnel(u8),
    /// 2^64 - 1 where a bit is 1, 0 elsewhere.
    Mask,
    /// The second where the first, a bit, is 1; the third elsewhere.
    Select,
    /// 1 if it is 0.
    IsZero,
}

/// The origin of a value that is not computed here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Origin {
    /// A register where a region starts.
    Entry(Register),
    /// Memory that the region did not write, or that something may have written.
    Memory,
    /// A stack slot of the same kind.
    Slot,
    /// The result of an instruction without a rule.
    Result,
}

/// A value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// A number.
    Constant(u64),
    /// Any word below 2^bits; the number tells leaves apart.
    Leaf(Origin, u32, u32),
    /// An operation.
    Of(Op, Vec<Node>),
}

/// The graph.
#[derive(Default)]
pub struct Graph {
    values: Vec<Value>,
    bits: Vec<u32>,
    nodes: HashMap<Value, Node>,
    leaves: u32,
}

impl Graph {
    /// The value of a node.
    pub fn value(&self, n: Node) -> &Value {
        &self.values[n as usize]
    }

    /// All nodes.
    pub fn nodes(&self) -> impl Iterator<Item = Node> + use<> {
        0..self.values.len() as Node
    }

    /// The number that a node is.
    pub fn known(&self, n: Node) -> Option<u64> {
        if let Value::Constant(c) = self.value(n) { Some(*c) } else { None }
    }

    /// The operation and operands of a node.
    pub fn of(&self, n: Node) -> Option<(Op, &[Node])> {
        if let Value::Of(op, v) = self.value(n) { Some((*op, v)) } else { None }
    }

    /// A node is below 2 to this power.
    pub fn bits(&self, n: Node) -> u32 {
        self.bits[n as usize]
    }

    fn node(&mut self, value: Value) -> Node {
        if let Some(&n) = self.nodes.get(&value) {
            return n;
        }
        let bits = match &value {
            Value::Constant(c) => 64 - c.leading_zeros(),
            Value::Leaf(_, bits, _) => *bits,
            Value::Of(op, v) => {
                let of = |i: usize| self.bits(v[i]);
                match op {
                    Op::Carry | Op::Borrow | Op::IsZero => 1,
                    Op::And => of(0).min(of(1)),
                    Op::Or | Op::Xor => of(0).max(of(1)),
                    Op::Shr(k) => of(0).saturating_sub(u32::from(*k)),
                    Op::Shl(k) => (of(0) + u32::from(*k)).min(64),
                    Op::Select => of(1).max(of(2)),
                    _ => 64,
                }
            }
        };
        let n = self.values.len() as Node;
        self.values.push(value.clone());
        self.bits.push(bits);
        self.nodes.insert(value, n);
        n
    }

    /// A number.
    pub fn constant(&mut self, c: u64) -> Node {
        self.node(Value::Constant(c))
    }

    /// A new leaf.
    pub fn leaf(&mut self, origin: Origin, bits: u32) -> Node {
        self.leaves += 1;
        self.node(Value::Leaf(origin, bits, self.leaves))
    }

    /// The node of an operation; known results, and forms of the same value, are one node.
    pub fn make(&mut self, op: Op, v: &[Node]) -> Node {
        if let Some(n) = self.simpler(op, v) {
            return n;
        }
        let mut v = v.to_vec();
        match op {
            Op::Add | Op::Carry | Op::And | Op::Or | Op::Xor | Op::MulLow | Op::MulHigh => {
                v.sort_unstable();
            }
            _ => {}
        }
        self.node(Value::Of(op, v))
    }

    fn simpler(&mut self, op: Op, v: &[Node]) -> Option<Node> {
        let known: Vec<Option<u64>> = v.iter().map(|&n| self.known(n)).collect();
        if let Some(c) = known.iter().copied().collect::<Option<Vec<u64>>>()
            && let Some(c) = evaluate(op, &c)
        {
            return Some(self.constant(c));
        }
        let is = |i: usize, c: u64| known[i] == Some(c);
        let zero = |i: usize| is(i, 0);
        match op {
            Op::Add | Op::Sub if zero(1) && zero(2) => Some(v[0]),
            Op::Add if zero(0) && zero(2) => Some(v[1]),
            Op::Add if zero(0) && zero(1) => Some(v[2]),
            Op::Carry if (0..3).filter(|&i| zero(i)).count() > 1 => Some(self.constant(0)),
            Op::Borrow if zero(1) && zero(2) => Some(self.constant(0)),
            // x + 2^64 - c
            Op::Add => {
                for (i, j) in [(0, 1), (1, 0)] {
                    let Some(c) = known[i].filter(|c| zero(2) && *c > 1 << 63) else { continue };
                    if self.bits(v[j]) == 1 && c == u64::MAX {
                        let not = self.not_bit(v[j]);
                        return Some(self.make(Op::Mask, &[not]));
                    }
                    if let Some((Op::Add | Op::Sub, _)) = self.of(v[j])
                        && let (base, by) = self.place(v[j])
                        && base != v[j]
                    {
                        return Some(self.offset(base, by.wrapping_add(c as i64)));
                    }
                    let (c, zero) = (self.constant(c.wrapping_neg()), self.constant(0));
                    return Some(self.make(Op::Sub, &[v[j], c, zero]));
                }
                if zero(2) && (known[0].is_some() || known[1].is_some()) {
                    let (j, c) = if let Some(c) = known[0] { (1, c) } else { (0, known[1]?) };
                    let (base, by) = self.place(v[j]);
                    if base != v[j] {
                        return Some(self.offset(base, by.wrapping_add(c as i64)));
                    }
                }
                None
            }
            // -b of a bit
            Op::Sub
                if zero(0) && (zero(1) || zero(2)) && self.bits(v[1]).max(self.bits(v[2])) == 1 =>
            {
                let bit = if zero(1) { v[2] } else { v[1] };
                Some(self.make(Op::Mask, &[bit]))
            }
            Op::Sub if v[0] == v[1] && self.bits(v[2]) <= 1 => Some(self.make(Op::Mask, &[v[2]])),
            Op::Borrow if zero(0) && zero(2) && self.bits(v[1]) == 1 => Some(v[1]),
            Op::Borrow if v[0] == v[1] && self.bits(v[2]) <= 1 => Some(v[2]),
            // a + b < b
            Op::Borrow if zero(2) => match self.of(v[0]) {
                Some((Op::Add, w))
                    if w.contains(&v[1]) && w.iter().any(|&n| self.known(n) == Some(0)) =>
                {
                    let w = w.to_vec();
                    Some(self.make(Op::Carry, &w))
                }
                _ => None,
            },
            Op::MulLow | Op::MulHigh if zero(0) || zero(1) => Some(self.constant(0)),
            Op::MulLow if is(0, 1) => Some(v[1]),
            Op::MulLow if is(1, 1) => Some(v[0]),
            Op::MulHigh if is(0, 1) || is(1, 1) => Some(self.constant(0)),
            Op::And => self.conjunction(v, &known),
            Op::Or | Op::Xor => self.disjunction(op, v, &known),
            Op::Shl(0) | Op::Shr(0) => Some(v[0]),
            Op::Shr(k) if self.bits(v[0]) <= u32::from(k) => Some(self.constant(0)),
            Op::Mask if self.bits(v[0]) != 1 => None,
            Op::Select if v[1] == v[2] => Some(v[1]),
            Op::Select => match self.of(v[0]) {
                Some((Op::Xor, w)) if w.iter().any(|&n| self.known(n) == Some(1)) => {
                    let bit = w.iter().copied().find(|&n| self.known(n) != Some(1))?;
                    Some(self.make(Op::Select, &[bit, v[2], v[1]]))
                }
                _ => known[0].map(|c| if c == 1 { v[1] } else { v[2] }),
            },
            Op::IsZero => match self.of(v[0]) {
                _ if self.bits(v[0]) == 1 => Some(self.not_bit(v[0])),
                // x + 1 is 0 if it carries
                Some((Op::Add, w))
                    if w.iter().any(|&n| self.known(n) == Some(1))
                        && w.iter().any(|&n| self.known(n) == Some(0)) =>
                {
                    let w = w.to_vec();
                    Some(self.make(Op::Carry, &w))
                }
                // x >> k is 0 if x < 2^k
                Some((Op::Shr(k), w)) => {
                    let x = w[0];
                    let (unit, zero) = (self.constant(1 << k), self.constant(0));
                    Some(self.make(Op::Borrow, &[x, unit, zero]))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// 1 - b.
    pub fn not_bit(&mut self, b: Node) -> Node {
        let one = self.constant(1);
        self.make(Op::Xor, &[b, one])
    }

    fn conjunction(&mut self, v: &[Node], known: &[Option<u64>]) -> Option<Node> {
        if v[0] == v[1] {
            return Some(v[0]);
        }
        for (i, j) in [(0, 1), (1, 0)] {
            if let Some(c) = known[i] {
                let ones = c.trailing_ones();
                if c == 0 || self.bits(v[j]) <= c.trailing_zeros() {
                    return Some(self.constant(0));
                }
                if self.bits(v[j]) <= ones {
                    return Some(v[j]);
                }
                if let Some((Op::Or, w)) = self.of(v[j]) {
                    // a part of a register was written
                    let w = w.to_vec();
                    for (a, b) in [(w[0], w[1]), (w[1], w[0])] {
                        let other = self.of(b).filter(|(op, _)| *op == Op::And);
                        let others = other.map_or(&[][..], |o| o.1).to_vec();
                        let none = self.known(b).is_some_and(|b| b & c == 0);
                        let kept = others.iter().any(|&n| self.known(n) == Some(!c));
                        if self.bits(a) <= ones && (none || kept) {
                            return Some(a);
                        }
                    }
                }
                if let Some((Op::And, w)) = self.of(v[j])
                    && let Some(d) = w.iter().find_map(|&n| self.known(n))
                    && let Some(&x) = w.iter().find(|&&n| self.known(n).is_none())
                {
                    let both = self.constant(c & d);
                    return Some(self.make(Op::And, &[x, both]));
                }
            }
            if let Some((Op::Mask, w)) = self.of(v[i]) {
                let (bit, zero) = (w[0], self.constant(0));
                return Some(self.make(Op::Select, &[bit, v[j], zero]));
            }
        }
        None
    }

    /// The operands of a selection of something or 0.
    fn chosen(&self, n: Node) -> Option<(Node, Node, bool)> {
        match self.of(n) {
            Some((Op::Select, w)) if self.known(w[2]) == Some(0) => Some((w[0], w[1], true)),
            Some((Op::Select, w)) if self.known(w[1]) == Some(0) => Some((w[0], w[2], false)),
            _ => None,
        }
    }

    fn disjunction(&mut self, op: Op, v: &[Node], known: &[Option<u64>]) -> Option<Node> {
        if v[0] == v[1] {
            return Some(if op == Op::Or { v[0] } else { self.constant(0) });
        }
        for (i, j) in [(0, 1), (1, 0)] {
            if known[i] == Some(0) {
                return Some(v[j]);
            }
            if let (Op::Xor, Some(c), Some((Op::Xor, w))) = (op, known[i], self.of(v[j]))
                && let Some(d) = w.iter().find_map(|&n| self.known(n))
                && let Some(&x) = w.iter().find(|&&n| self.known(n).is_none())
            {
                let both = self.constant(c ^ d);
                return Some(self.make(Op::Xor, &[x, both]));
            }
            if let (Op::Xor, Some(u64::MAX), Some((Op::Mask, w))) = (op, known[i], self.of(v[j])) {
                let bit = w[0];
                let not = self.not_bit(bit);
                return Some(self.make(Op::Mask, &[not]));
            }
            // ((x ^ d) & mask) ^ d
            if let (Op::Xor, Some((bit, x, set))) = (op, self.chosen(v[i]))
                && let Some((Op::Xor, w)) = self.of(x)
                && w.contains(&v[j])
            {
                let other = if w[0] == v[j] { w[1] } else { w[0] };
                let (a, b) = if set { (other, v[j]) } else { (v[j], other) };
                return Some(self.make(Op::Select, &[bit, a, b]));
            }
        }
        // (x & mask) | (d & ~mask)
        if let (Some((b, x, s)), Some((c, y, t))) = (self.chosen(v[0]), self.chosen(v[1]))
            && b == c
            && s != t
        {
            let (a, b_) = if s { (x, y) } else { (y, x) };
            return Some(self.make(Op::Select, &[b, a, b_]));
        }
        None
    }

    /// A node as another plus a number.
    pub fn place(&self, n: Node) -> (Node, i64) {
        match self.of(n) {
            Some((Op::Add, v)) if v.iter().any(|&m| self.known(m) == Some(0)) => {
                let c = v.iter().filter_map(|&m| self.known(m)).find(|c| *c != 0);
                let rest = v.iter().copied().find(|&m| self.known(m).is_none());
                match (c, rest) {
                    (Some(c), Some(rest)) => (rest, c as i64),
                    _ => (n, 0),
                }
            }
            Some((Op::Sub, v)) if self.known(v[2]) == Some(0) => match self.known(v[1]) {
                Some(c) => (v[0], (c as i64).wrapping_neg()),
                None => (n, 0),
            },
            _ => (n, 0),
        }
    }

    /// A node plus a number.
    pub fn offset(&mut self, n: Node, by: i64) -> Node {
        let (by, zero) = (self.constant(by as u64), self.constant(0));
        self.make(Op::Add, &[n, by, zero])
    }
}

/// The result of an operation on numbers.
pub fn evaluate(op: Op, v: &[u64]) -> Option<u64> {
    let sum = || v.iter().fold(0u128, |s, &x| s + u128::from(x));
    let difference = || i128::from(v[0]) - i128::from(v[1]) - i128::from(v[2]);
    Some(match op {
        Op::Add => sum() as u64,
        Op::Carry => (sum() >> 64) as u64,
        Op::Sub => difference() as u64,
        Op::Borrow => u64::from(difference() < 0),
        Op::MulLow => v[0].wrapping_mul(v[1]),
        Op::MulHigh => ((u128::from(v[0]) * u128::from(v[1])) >> 64) as u64,
        Op::And => v[0] & v[1],
        Op::Or => v[0] | v[1],
        Op::Xor => v[0] ^ v[1],
        Op::Shl(k) => v[0].checked_shl(u32::from(k))?,
        Op::Shr(k) => v[0].checked_shr(u32::from(k))?,
        Op::Funnel(k) => {
            let both = u128::from(v[0]) << 64 | u128::from(v[1]);
            (both >> 64u32.checked_sub(u32::from(k))?) as u64
        }
        Op::Mask => (v[0] & 1).wrapping_neg(),
        Op::Select => v[if v[0] == 1 { 1 } else { 2 }],
        Op::IsZero => u64::from(v[0] == 0),
    })
}
