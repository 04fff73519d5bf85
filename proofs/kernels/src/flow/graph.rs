//! Values of one basic block, and how each is computed in every 64-bit lane.
//!
//! Equal computations are one node. An operation acts on each lane alone, so one lane stands for all; an instruction that moves words
//! between lanes leaves a leaf.

use std::collections::HashMap;

const LOW_52: u64 = (1 << 52) - 1;

/// The number of a node.
pub type Node = u32;

/// A lane operation, on lanes of 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Op {
    /// a + b.
    Add,
    /// a - b.
    Sub,
    /// acc + the low 52 bits of the product of the low 52 bits of a and b.
    MulLow,
    /// acc + the same product's upper 52 bits.
    MulHigh,
    /// Logical shift right.
    Srl(u8),
    /// Arithmetic shift right.
    Sra(u8),
    /// Shift left.
    Sll(u8),
    /// Rotation left.
    Rol(u8),
    /// Shift left by each lane's own count.
    SllEach,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// b and not a.
    AndNot,
    /// A table of three inputs, the first's bit the highest.
    Ternary(u8),
    /// The second where the mask is set, the third elsewhere.
    Select,
    /// Product of the low halves as signed numbers of 32 bits.
    SignedHalves,
    /// Product of the low halves.
    Halves,
    /// Sum of doubles.
    AddDoubles,
    /// Difference of doubles.
    SubDoubles,
    /// a * b + c of doubles, rounded once.
    Fused,
    /// The low 64 bits of a product.
    Times,
    /// All bits where the highest is set, none elsewhere.
    Sign,
    /// The number without its sign.
    Abs,
    /// Sum, half by half.
    AddPairs,
    /// Difference, half by half.
    SubPairs,
    /// Arithmetic shift right, half by half.
    SraPairs(u8),
}

/// The source of a value that the block does not compute lane by lane.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// A register at the block's entry.
    Entry(String),
    /// Memory at base, index, scale, displacement, of so many bytes, after so many stores that may have changed it.
    Load(Node, Option<(Node, u32)>, i64, usize, u32),
    /// A result of the instruction at an address; lanes of other values in another order, if it names some.
    Result(u64, u32, Vec<Node>),
}

/// One node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// Something the block does not compute.
    Leaf(Origin),
    /// A constant of eight lanes; a general register's stands in each.
    Constant([u64; 8]),
    /// An address: a base and an offset.
    Offset(Node, i64),
    /// An operation.
    Lanes(Op, Vec<Node>),
}

/// The nodes of a block.
#[derive(Clone, Default)]
pub struct Graph {
    nodes: Vec<Value>,
    known: HashMap<Value, Node>,
    made: Vec<u64>,
    /// Address of the instruction that the next nodes are of.
    pub address: u64,
}

impl Graph {
    /// The node of a value.
    pub fn node(&mut self, value: Value) -> Node {
        if let Some(&n) = self.known.get(&value) {
            return n;
        }
        let n = self.nodes.len() as Node;
        self.nodes.push(value.clone());
        self.made.push(self.address);
        self.known.insert(value, n);
        n
    }

    /// Address of the first instruction that computes a node.
    pub fn made_at(&self, n: Node) -> u64 {
        self.made[n as usize]
    }

    /// A node's value.
    pub fn value(&self, n: Node) -> &Value {
        &self.nodes[n as usize]
    }

    /// The number of nodes; operands have smaller numbers than results.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// A constant in every lane.
    pub fn splat(&mut self, x: u64) -> Node {
        self.node(Value::Constant([x; 8]))
    }

    /// A leaf.
    pub fn leaf(&mut self, origin: Origin) -> Node {
        self.node(Value::Leaf(origin))
    }

    /// The lanes of a constant.
    pub fn constant(&self, n: Node) -> Option<[u64; 8]> {
        match self.value(n) {
            Value::Constant(lanes) => Some(*lanes),
            _ => None,
        }
    }

    /// Operation and operands.
    pub fn lanes(&self, n: Node) -> Option<(Op, &[Node])> {
        match self.value(n) {
            Value::Lanes(op, operands) => Some((*op, operands)),
            _ => None,
        }
    }

    /// An address: base and offset.
    pub fn offset(&mut self, base: Node, by: i64) -> Node {
        match *self.value(base) {
            _ if by == 0 => base,
            Value::Constant(lanes) => self.splat(lanes[0].wrapping_add(by as u64)),
            Value::Offset(b, o) => self.offset_of(b, o.wrapping_add(by)),
            _ => self.node(Value::Offset(base, by)),
        }
    }

    fn offset_of(&mut self, base: Node, by: i64) -> Node {
        if by == 0 { base } else { self.node(Value::Offset(base, by)) }
    }

    /// A base without offset, and the offset.
    pub fn place(&self, n: Node) -> (Node, i64) {
        match *self.value(n) {
            Value::Offset(b, o) => (b, o),
            _ => (n, 0),
        }
    }

    /// A table of three inputs, as two operations of two where it is that.
    fn ternary(&mut self, table: u8, v: &[Node]) -> Node {
        const OPS: [Op; 4] = [Op::And, Op::Or, Op::Xor, Op::AndNot];
        let two = |op: Op, a: u8, b: u8| match op {
            Op::And => a & b,
            Op::Or => a | b,
            Op::Xor => a ^ b,
            _ => !a & b,
        };
        let inputs = [0xf0, 0xcc, 0xaa];
        match table {
            0 => return self.splat(0),
            0xff => return self.splat(u64::MAX),
            _ => {}
        }
        for (k, &x) in inputs.iter().enumerate() {
            if table == x {
                return v[k];
            }
            if table == !x {
                let ones = self.splat(u64::MAX);
                return self.apply(Op::Xor, &[v[k], ones]);
            }
        }
        for op in OPS {
            for (i, j) in [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)] {
                if two(op, inputs[i], inputs[j]) == table {
                    return self.apply(op, &[v[i], v[j]]);
                }
            }
        }
        for first in OPS {
            for second in OPS {
                for (i, j, k) in [(0, 1, 2), (1, 0, 2), (0, 2, 1), (2, 0, 1), (1, 2, 0), (2, 1, 0)]
                {
                    let inner = two(first, inputs[i], inputs[j]);
                    for swapped in [false, true] {
                        let (a, b) = if swapped { (inputs[k], inner) } else { (inner, inputs[k]) };
                        if two(second, a, b) == table {
                            let n = self.apply(first, &[v[i], v[j]]);
                            let (a, b) = if swapped { (v[k], n) } else { (n, v[k]) };
                            return self.apply(second, &[a, b]);
                        }
                    }
                }
            }
        }
        self.node(Value::Lanes(Op::Ternary(table), v.to_vec()))
    }

    /// A lane operation; simple ones of constants are computed.
    pub fn apply(&mut self, op: Op, operands: &[Node]) -> Node {
        let zero = |g: &Self, n: Node| g.constant(n) == Some([0; 8]);
        let ones = |g: &Self, n: Node| g.constant(n) == Some([u64::MAX; 8]);
        let mut v = operands.to_vec();
        if op == Op::And {
            // all bits of some lanes, none of others
            for (mask, x) in [(v[0], v[1]), (v[1], v[0])] {
                let whole =
                    |c: [u64; 8]| c.contains(&u64::MAX) && c.iter().all(|x| x.wrapping_add(1) <= 1);
                if self.constant(mask).is_some_and(whole) && self.constant(x).is_none() {
                    let zero = self.splat(0);
                    return self.apply(Op::Select, &[mask, x, zero]);
                }
            }
        }
        match op {
            Op::Add | Op::AddPairs | Op::Or | Op::Xor if zero(self, v[0]) => return v[1],
            Op::Add | Op::Sub | Op::Or | Op::Xor if zero(self, v[1]) => return v[0],
            Op::AddPairs | Op::SubPairs if zero(self, v[1]) => return v[0],
            Op::Sub | Op::Xor if v[0] == v[1] => return self.splat(0),
            Op::And if zero(self, v[0]) || zero(self, v[1]) => return self.splat(0),
            Op::And if ones(self, v[0]) => return v[1],
            Op::And if ones(self, v[1]) => return v[0],
            Op::Select if v[1] == v[2] => return v[1],
            Op::Select if ones(self, v[0]) => return v[1],
            Op::Select if zero(self, v[0]) => return v[2],
            Op::Srl(0) | Op::Sra(0) | Op::Sll(0) => return v[0],
            _ => {}
        }
        if let Op::Ternary(table) = op {
            return self.ternary(table, &v);
        }
        if op == Op::AndNot
            && let Some(mask) = self.constant(v[0])
        {
            let mask = self.node(Value::Constant(mask.map(|x| !x)));
            return self.apply(Op::And, &[mask, v[1]]);
        }
        let constants: Option<Vec<_>> = v.iter().map(|&n| self.constant(n)).collect();
        if let Some(c) = constants {
            let lane = |i: usize| {
                Some(match op {
                    Op::Add => c[0][i].wrapping_add(c[1][i]),
                    Op::Sub => c[0][i].wrapping_sub(c[1][i]),
                    Op::Srl(k) => c[0][i] >> k,
                    Op::Sll(k) => c[0][i] << k,
                    Op::And => c[0][i] & c[1][i],
                    Op::Or => c[0][i] | c[1][i],
                    Op::Xor => c[0][i] ^ c[1][i],
                    Op::AndNot => !c[0][i] & c[1][i],
                    Op::MulLow | Op::MulHigh => {
                        let low = |x: u64| u128::from(x & LOW_52);
                        let product = low(c[1][i]) * low(c[2][i]);
                        let half = if op == Op::MulLow {
                            product as u64 & LOW_52
                        } else {
                            (product >> 52) as u64
                        };
                        c[0][i].wrapping_add(half)
                    }
                    _ => return None,
                })
            };
            let lanes: Option<Vec<u64>> = (0..8).map(lane).collect();
            if let Some(lanes) = lanes.and_then(|l| <[u64; 8]>::try_from(l).ok()) {
                return self.node(Value::Constant(lanes));
            }
        }
        match op {
            Op::Add | Op::And | Op::Or | Op::Xor => v.sort_unstable(),
            Op::MulLow | Op::MulHigh => v[1..].sort_unstable(),
            Op::SignedHalves | Op::Halves | Op::AddDoubles | Op::Times | Op::AddPairs => {
                v.sort_unstable()
            }
            Op::Fused => v[..2].sort_unstable(),
            _ => {}
        }
        if op == Op::SllEach
            && let Some(counts) = self.constant(v[1])
            && counts[0] < 64
            && counts == [counts[0]; 8]
        {
            return self.apply(Op::Sll(counts[0] as u8), &[v[0]]);
        }
        self.node(Value::Lanes(op, v))
    }
}
